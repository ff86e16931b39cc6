/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Five pairs of frames are command and answer with one token, and two of the pairs form one chain through the server:
 *
 *     RemoteExecuteSpecial -> Reply             the server asks a client
 *     LoadNutFile -> NutFileLoaded              the server asks a client
 *     ExecSpecial -> ResultFromServer           a client asks the server
 *     PeerExecSpecial -> ResultFromPeer         a client asks another one: the asking client's conversation
 *     PeerExecHere2 -> SendResultToPeer         the same in the other client's conversation
 *
 * The sender of commands counts the tokens of each conversation, and restarts the count when it restarts: an answer
 * belongs to the latest command of its token that has no answer yet. In peer exchanges the other player's number is
 * part of the key. The server forwards PeerExecSpecial with the sender's number in place of the target's and otherwise
 * unchanged, so both sides are matched by server, token and content, equal ones first in, first out.
 *
 * A message that RakNet sends again, with the same reliable number and content, is not a new command or answer.
 *
 * Chunks of split streams are reassembled by epan, which also keeps them. They may come in any order and repeatedly: the
 * real receiver ignores those that it has. Each sender counts its streams from 0, in each direction, and restarts the
 * count when it restarts; a sequence number with other chunks than before is a new stream, as is one after a minute
 * without chunks.
 */
#include "internal.h"

#include "common/archive.h"
#include "common/conversation.h"
#include "common/display/experts.h"
#include "common/items.h"
#include "common/keys.h"

#define NO_TOKEN (-1) /* no answer is expected; or the error of a command that expected none */

/* ---- stored data --------------------------------------------------------------------------------------- */

typedef struct squirrel_conversation {
    uint32_t scope;    /* in the keys of its data; another one when the data of candidates is dropped */
    uint32_t series;   /* first frame of the candidates, or 0 */
    uint32_t found_in; /* first frame in which script data was certain; 0: none */
    bool is_found;     /* it is Squirrel's: its packets are no longer candidates */
    bool knows_server;
    uint8_t server; /* gw_sender_side() of the server, by the first frame with a direction */
} squirrel_conversation;

static uint32_t last_scope;

/* A command and its answer. */
typedef struct token_exchange {
    int64_t asked_at;  /* gw_nanoseconds() */
    uint32_t asked_in; /* frame numbers; 0: none yet */
    uint32_t answered_in;
    struct token_exchange *partner; /* the exchange on the other side of the server, or NULL */
    struct token_exchange *older;   /* earlier command with the same token that has no answer yet, or NULL */
    struct token_exchange *newer;   /* next command that is not relayed yet, with the same key, or NULL */
    struct token_exchange *newest;  /* in the first command that is not relayed yet: the last one */
    bool failed;                    /* the answer is an error */
} token_exchange;

/* Archived for a message that has a token, or that was sent before. */
typedef struct archived_message {
    token_exchange *exchange; /* NULL: not known */
    uint32_t resent_of;       /* frame; 0: not a retransmission */
} archived_message;

static gw_archive messages; /* by archive_key() */

/* The number of bytes that a key is made of: more than the headers and the token. */
#define KEY_BYTES 64U

/* Identifies a reliable message of RakNet. */
typedef struct sent_key {
    uint32_t scope;
    uint32_t number;
    uint32_t content;
    uint32_t side;
} sent_key;

/* Replaces the number of a message that RakNet split: numbers have 24 bits. */
#define SPLIT_NUMBER UINT32_MAX

typedef struct sent_message {
    sent_key key;
    token_exchange *exchange;
    int64_t second; /* of its time */
    uint32_t frame;
} sent_message;

/* Identifies commands without an answer or relay. */
typedef struct waiting_key {
    uint32_t scope; /* the conversation's number, or for relays a hash of server and content */
    int32_t token;
    uint32_t kind; /* low byte of the command's identifier; RELAY_KIND for relays */
    uint16_t side; /* sender of the command */
    uint16_t player;
} waiting_key;

#define RELAY_KIND 0x100

_Static_assert(sizeof(waiting_key) == GW_KEY_SIZE && sizeof(sent_key) == GW_KEY_SIZE, "hashed as keys");

/* waiting_key -> token_exchange: the latest without an answer, or the first without a relay */
static wmem_map_t *waiting;
static wmem_map_t *sent; /* sent_key -> sent_message */

/* Stores the exchange under the key, in place of the one before; NULL removes the key. The map refers to a copy of the
 * key in file scope, which is used again, and freed when the key is removed. */
static void keep_waiting(const waiting_key *key, token_exchange *exchange)
{
    const void *stored = NULL; /* the map's copy of the key */
    wmem_map_lookup_extended(waiting, key, &stored, NULL);
    if (exchange) {
        wmem_map_insert(waiting, stored ? stored : wmem_memdup(wmem_file_scope(), key, sizeof *key), exchange);
    } else if (stored) {
        wmem_map_remove(waiting, key);
        wmem_free(wmem_file_scope(), (void *)stored);
    }
}

/* The exchange under the key; NULL: none waits for an answer or relay. */
static token_exchange *find_waiting(const waiting_key *key)
{
    return (token_exchange *)wmem_map_lookup(waiting, key);
}

/* ---- conversations ------------------------------------------------------------------------------------- */

/* The data of the packet's conversation; created with a new scope, the number that is part of the keys of its commands,
 * messages and streams. It is not the conversation's own number, since a new scope hides the data of candidates that
 * were not script data: squirrel_keep_series(). */
static squirrel_conversation *obtain_conversation(packet_info *pinfo)
{
    squirrel_conversation *conversation = gw_conversation_obtain(pinfo, proto_squirrel, sizeof *conversation);
    if (!conversation->scope)
        conversation->scope = ++last_scope;
    return conversation;
}

/* For a packet of a series (consecutive packets of a conversation whose evidence adds up), whose first frame is
 * `series`; 0: none. If the packets before it were of another series, they were not script data: the new scope hides
 * their data. `is_found`: with this packet the evidence is sufficient, and the conversation is Squirrel's. */
void squirrel_keep_series(packet_info *pinfo, uint32_t series, bool is_found)
{
    squirrel_conversation *conversation = obtain_conversation(pinfo);
    if (!conversation->is_found && conversation->series != series)
        *conversation = (squirrel_conversation){ .scope = ++last_scope };
    conversation->series = series;
    conversation->is_found |= is_found;
}

/* On the first pass, for a RakNet message that certainly is script data: squirrel_was_found() is true from the first
 * such frame of the conversation on, and dissect_over_raknet() then accepts messages without sufficient evidence.
 * RakNet's conversation cannot be pinned to this dissector. */
void squirrel_keep_found(packet_info *pinfo)
{
    if (!gw_is_first_pass(pinfo))
        return;
    squirrel_conversation *conversation = obtain_conversation(pinfo);
    if (!conversation->found_in)
        conversation->found_in = pinfo->num;
}

/* True from the first frame on in which script data was certain, on every pass. */
bool squirrel_was_found(packet_info *pinfo)
{
    const squirrel_conversation *conversation = gw_conversation_find(pinfo, proto_squirrel);
    return conversation && conversation->found_in && conversation->found_in <= pinfo->num;
}

/* True if the frame is against the direction of its type. The conversation's first frame with a direction determines,
 * on the first pass, which endpoint is the server (0 or 1: gw_sender_side()). A datagram that an ICMP error quotes was
 * not sent here and is not checked. */
static bool keep_direction(packet_info *pinfo, const gw_squirrel_frame *frame)
{
    /* The server, if this frame has the direction of its type. */
    uint8_t side = gw_sender_side(pinfo), server = frame->type->to_server ? !side : side;
    /* Which side sends RPrint is uncertain: no public script has it. */
    if (gw_is_quoted(pinfo) || frame->type->identifier == GW_SQUIRREL_RPRINT)
        return false;
    if (gw_is_later_pass(pinfo)) {
        const squirrel_conversation *conversation = gw_conversation_find(pinfo, proto_squirrel);
        return conversation && conversation->knows_server && conversation->server != server;
    }
    squirrel_conversation *conversation = obtain_conversation(pinfo);
    if (!conversation->knows_server)
        conversation->server = server;
    conversation->knows_server = true;
    return conversation->server != server;
}

/* ---- keys ---------------------------------------------------------------------------------------------- */

/* The identifier of the command that `identifier` answers, or 0. */
static uint32_t command_of(uint32_t identifier)
{
    switch (identifier) {
    case GW_SQUIRREL_REPLY:
        return GW_SQUIRREL_REMOTE_EXECUTE_SPECIAL;
    case GW_SQUIRREL_RESULT_FROM_PEER:
        return GW_SQUIRREL_PEER_EXEC_SPECIAL;
    case GW_SQUIRREL_SEND_RESULT_TO_PEER:
        return GW_SQUIRREL_PEER_EXEC_HERE2;
    case GW_SQUIRREL_RESULT_FROM_SERVER:
        return GW_SQUIRREL_EXEC_SPECIAL;
    case GW_SQUIRREL_NUT_FILE_LOADED:
        return GW_SQUIRREL_LOAD_NUT_FILE;
    default:
        return 0;
    }
}

/* FNV-1a */
#define HASH_START 2166136261u

/* Continues the hash `hash` with these bytes; HASH_START begins one. */
static uint32_t hash_bytes(uint32_t hash, const uint8_t *bytes, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++)
        hash = (hash ^ bytes[i]) * 16777619u;
    return hash;
}

/* The key of the archived data of a message of the packet, which may have several: from its first bytes and its offset,
 * which is 0 for each message that was reassembled. */
static uint32_t archive_key(tvbuff_t *message)
{
    uint32_t length = MIN(tvb_captured_length(message), KEY_BYTES);
    uint32_t hash = hash_bytes(HASH_START, tvb_get_ptr(message, 0, (int)length), length);
    return hash ^ (uint32_t)tvb_raw_offset(message);
}

/* ---- exchanges ----------------------------------------------------------------------------------------- */

/* True if the frame begins or ends an exchange. */
static bool has_token(const gw_squirrel_frame *frame)
{
    return frame->type->token && frame->token != NO_TOKEN;
}

/* Clients count tokens from 1, and 0 means that no answer is expected (observed). The server counts the tokens of its
 * own two commands from 0. */
static bool expects_answer(const gw_squirrel_frame *frame)
{
    return frame->token || frame->type->identifier == GW_SQUIRREL_REMOTE_EXECUTE_SPECIAL ||
           frame->type->identifier == GW_SQUIRREL_LOAD_NUT_FILE;
}

/* Relates the two sides of a relay: keeps a PeerExecSpecial to the server, and finds it for a PeerExecHere2 from the
 * server, by the server's address, port and VLAN, the token and the content, which the server does not change. The two
 * are in different conversations: the key has no scope of one, but a hash of all this except the token. `command`: the
 * exchange that the frame begins. */
static void keep_relay(packet_info *pinfo, const gw_squirrel_frame *frame, const uint8_t *bytes, uint32_t length,
                       token_exchange *command)
{
    bool is_to_server = frame->type->identifier == GW_SQUIRREL_PEER_EXEC_SPECIAL;
    const address *server = is_to_server ? &pinfo->dst : &pinfo->src;
    uint32_t port = is_to_server ? pinfo->destport : pinfo->srcport;
    uint32_t hash = HASH_START ^ port ^ gw_conversation_vlan(pinfo) << 16;
    hash = hash_bytes(hash, (const uint8_t *)server->data, (uint32_t)server->len);
    const waiting_key key = {
        .scope = hash_bytes(hash, bytes + frame->content, length - frame->content),
        .token = frame->token,
        .kind = RELAY_KIND,
    };
    token_exchange *first = find_waiting(&key);
    if (is_to_server) {
        /* It is relayed after the waiting commands with the same key: they are a list in the order of the capture,
         * whose first one is in the map and has the end of the list, `newest`. */
        if (first)
            first->newest->newer = command;
        else
            keep_waiting(&key, first = command);
        first->newest = command;
    } else if (first) {
        /* This is a separate exchange, between the server and the other client. */
        command->partner = first;
        first->partner = command;
        /* The next one is relayed next: it becomes the head of the list. */
        if (first->newer)
            first->newer->newest = first->newest;
        keep_waiting(&key, first->newer);
    }
}

/* The exchange that a command begins, or that an answer ends; NULL: no command waits for this answer. The key is that
 * of the command, also for an answer: the command's identifier and sender. The answer is of the latest command with the
 * key, and the one before it (`older`), which is still without an answer, waits again. If the value of the answer is an
 * error, the command has failed. */
static token_exchange *keep_exchange(packet_info *pinfo, const gw_squirrel_frame *frame, const uint8_t *bytes,
                                     uint32_t length)
{
    const uint32_t identifier = frame->type->identifier, answered = command_of(identifier);
    const uint8_t side = gw_sender_side(pinfo);
    const waiting_key key = {
        .scope = obtain_conversation(pinfo)->scope,
        .token = frame->token,
        .kind = (uint8_t)(answered ? answered : identifier),
        .side = answered ? !side : side,
        .player = frame->player,
    };
    token_exchange *latest = find_waiting(&key);
    if (answered && latest) {
        latest->answered_in = pinfo->num;
        latest->failed = frame->content < length && bytes[frame->content] == GW_SQUIRREL_ERROR;
        keep_waiting(&key, latest->older);
    }
    if (answered)
        return latest;
    token_exchange *command = gw_archive_alloc(sizeof *command);
    command->asked_at = gw_nanoseconds(&pinfo->abs_ts);
    command->asked_in = pinfo->num;
    command->older = latest;
    keep_waiting(&key, command);
    if (identifier == GW_SQUIRREL_PEER_EXEC_SPECIAL || identifier == GW_SQUIRREL_PEER_EXEC_HERE2)
        keep_relay(pinfo, frame, bytes, length, command);
    return command;
}

/* ---- messages ------------------------------------------------------------------------------------------ */

/* A message that RakNet split is expected to be sent again within this time. */
#define SECONDS_OF_RESENDS 10

/* True if an equal message that follows is the same one, sent again by RakNet. A message that is unreliable or not in
 * RakNet is not sent again; a whole reliable one has RakNet's number, which is different in each new one. The number of
 * a split message is not known: it must be unique by its chunk, or by its token, as an answer or a command that expects
 * one is. All of a client's commands without an answer have the token 0. */
static bool may_be_resent(const gw_squirrel_frame *frame, squirrel_raknet_kind kind)
{
    if (kind != SQUIRREL_RAKNET_SPLIT)
        return kind == SQUIRREL_RAKNET_WHOLE;
    if (!has_token(frame))
        return frame->type->content == GW_SQUIRREL_CONTENT_CHUNK;
    return command_of(frame->type->identifier) || expects_answer(frame);
}

/* On the first pass: archives (stores for later passes) the exchange of a message, and the frame in which RakNet sent
 * it before, under `key`. Does nothing if the message is stored already: the heuristic declined it and kept it as a
 * candidate (squirrel_keep_series()), and then the dissector that a user chose was called for it. */
static void keep_message(packet_info *pinfo, const gw_squirrel_frame *frame, const uint8_t *bytes, uint32_t length,
                         squirrel_raknet_number raknet, uint32_t key)
{
    if (gw_archive_find(&messages, pinfo, key, NULL))
        return;
    /* 1. The message with the same number and content, if RakNet sends this one again. After 10 s it counts as new:
     * numbers restart with each connection, and messages that RakNet split have no numbers. */
    const bool is_reliable = may_be_resent(frame, raknet.kind);
    const sent_message *before = NULL;
    sent_key number = { 0 };
    if (is_reliable) {
        number = (sent_key){ obtain_conversation(pinfo)->scope,
                             raknet.kind == SQUIRREL_RAKNET_WHOLE ? raknet.number : SPLIT_NUMBER,
                             hash_bytes(HASH_START, bytes, length), gw_sender_side(pinfo) };
        before = (const sent_message *)wmem_map_lookup(sent, &number);
        if (before && pinfo->abs_ts.secs - before->second > SECONDS_OF_RESENDS)
            before = NULL;
    }
    /* 2. A new message begins or ends an exchange. */
    token_exchange *exchange = before ? before->exchange : NULL;
    if (!before && has_token(frame))
        exchange = keep_exchange(pinfo, frame, bytes, length);
    if (!before && is_reliable) {
        sent_message *message = gw_archive_alloc(sizeof *message);
        *message = (sent_message){ number, exchange, pinfo->abs_ts.secs, pinfo->num };
        wmem_map_insert(sent, &message->key, message);
    }
    /* 3. Later passes find it by its key. */
    if (!before && !has_token(frame))
        return;
    archived_message *archived = gw_archive_add(&messages, pinfo, key, sizeof *archived);
    *archived = (archived_message){ exchange, before ? before->frame : 0 };
}

/* On the first pass, keeps the message; then returns its relations, of which those to later frames are complete on the
 * second pass. */
squirrel_findings squirrel_analyze(packet_info *pinfo, tvbuff_t *message, const gw_squirrel_frame *frame,
                                   squirrel_raknet_number raknet)
{
    squirrel_findings findings = { .is_against_direction = keep_direction(pinfo, frame) };
    /* A message without a token has no answer, and one that RakNet did not send reliably is not sent again. */
    if ((!has_token(frame) && raknet.kind == SQUIRREL_RAKNET_NONE) || gw_is_quoted(pinfo))
        return findings;
    const uint32_t key = archive_key(message), identifier = frame->type->identifier;
    if (!gw_is_later_pass(pinfo))
        keep_message(pinfo, frame, gw_bytes_of(message), tvb_captured_length(message), raknet, key);
    const archived_message *archived = gw_archive_find(&messages, pinfo, key, NULL);
    if (!archived)
        return findings;
    findings.retransmission_of = archived->resent_of;
    if (!has_token(frame))
        return findings;
    /* `partner`: the same exchange on the other side of the server, if it relays. */
    const token_exchange *exchange = archived->exchange, *partner = exchange ? exchange->partner : NULL;
    if (!exchange) {
        findings.part = SQUIRREL_STRAY_ANSWER;
    } else if (command_of(identifier)) {
        findings.part = SQUIRREL_ANSWER;
        findings.command = command_of(identifier);
        findings.command_in = exchange->asked_in;
        findings.command_time = gw_time_of(exchange->asked_at);
        if (partner && identifier == GW_SQUIRREL_RESULT_FROM_PEER)
            findings.relay_of = partner->answered_in;
        else if (partner)
            findings.relayed_in = partner->answered_in;
    } else {
        findings.part = SQUIRREL_COMMAND;
        findings.answer_in = exchange->answered_in;
        findings.failed = exchange->failed;
        findings.unanswered = !exchange->answered_in && expects_answer(frame) && gw_is_later_pass(pinfo);
        if (partner && identifier == GW_SQUIRREL_PEER_EXEC_SPECIAL)
            findings.relayed_in = partner->asked_in;
        else if (partner)
            findings.relay_of = partner->asked_in;
    }
    return findings;
}

/* ---- split streams --------------------------------------------------------------------------------------- */

/* A lost chunk is sent again within seconds: after this time, the sender counts from 0 again. */
#define SECONDS_OF_SILENCE 60

/* The current stream of a sequence number. */
typedef struct split_stream {
    uint32_t id; /* of the reassembly, unique; 0: none yet */
    uint32_t chunks;
    nstime_t latest;            /* time of the latest chunk, repeated ones too */
    const fragment_head *whole; /* NULL: incomplete */
} split_stream;

/* Archived for a chunk. */
typedef struct archived_chunk {
    uint32_t id;           /* of the reassembly that it is part of, or 0 */
    uint32_t duplicate_of; /* frame number, or 0 */
} archived_chunk;

static gw_archive chunks; /* archived_chunk, by archive_key() */
static reassembly_table streams;
static wmem_tree_t *by_sequence; /* scope, side of the sender, sequence number -> split_stream */
static uint32_t last_id;

/* The chunk with the index of this one (epan has it as `offset`) that the stream already has, or NULL. Sets `same`,
 * unless NULL is returned: it has the same bytes. fragment_get() finds only incomplete streams: a complete one is in
 * `whole`. */
static const fragment_item *find_chunk(const split_stream *stream, tvbuff_t *tvb, const packet_info *pinfo,
                                       const gw_squirrel_frame *frame, bool *same)
{
    const fragment_head *head = stream->whole ? stream->whole : fragment_get(&streams, pinfo, stream->id, NULL);
    const fragment_item *before = head ? head->next : NULL;
    int offset = 0; /* in the complete stream: then the chunks have no bytes of their own */
    for (; before && before->offset != frame->chunk; before = before->next)
        offset += (int)before->len;
    if (!before)
        return NULL;
    *same = before->len == frame->chunk_length &&
            (!before->len || tvb_memeql(stream->whole ? head->tvb_data : before->tvb_data, stream->whole ? offset : 0,
                                        tvb_get_ptr(tvb, GW_SQUIRREL_SPLIT_HEAD, (int)before->len), before->len) == 0);
    return before;
}

/* Decides which stream a chunk is part of. A repeated chunk of a complete stream may be a late repetition or the first
 * chunk of a new stream that begins with the same bytes: it is reported as a repetition, and also starts a new
 * stream. The result's `id` is 0 for a chunk that is not reassembled, because the stream already has it. */
static archived_chunk keep_chunk(split_stream *stream, tvbuff_t *tvb, const packet_info *pinfo,
                                 const gw_squirrel_frame *frame)
{
    archived_chunk chunk = { 0 };
    bool belongs =
        stream->id && stream->chunks == frame->chunks && pinfo->abs_ts.secs - stream->latest.secs <= SECONDS_OF_SILENCE;
    bool same = false;
    const fragment_item *before = belongs ? find_chunk(stream, tvb, pinfo, frame, &same) : NULL;
    stream->latest = pinfo->abs_ts;
    if (same)
        chunk.duplicate_of = before->frame;
    /* A repetition within an incomplete stream changes nothing. */
    if (same && !stream->whole)
        return chunk;
    /* A new stream begins: the numbers or the time do not fit, or the current one already has a chunk with this
     * index. */
    if (!belongs || before) {
        stream->id = ++last_id;
        stream->chunks = frame->chunks;
        stream->whole = NULL;
    }
    chunk.id = stream->id;
    return chunk;
}

/* On the first pass, decides which reassembly the chunk is part of; epan, which has the chunks of the first pass,
 * finds the whole stream on every pass. `resent_of`: frame of the same RakNet message, which has this chunk; 0: none. */
squirrel_chunk_findings squirrel_reassemble(tvbuff_t *tvb, packet_info *pinfo, const gw_squirrel_frame *frame,
                                            uint32_t resent_of)
{
    /* Only whole chunks with consistent numbers are reassembled. */
    const uint16_t wrong = GW_SQUIRREL_CHUNK_NO_TOTAL | GW_SQUIRREL_CHUNK_BEYOND | GW_SQUIRREL_CHUNK_LENGTH;
    squirrel_chunk_findings findings = { 0, NULL };
    split_stream *stream = NULL;
    if (frame->chunk_odd & wrong || frame->chunks > SQUIRREL_MOST_CHUNKS || gw_is_incomplete(pinfo, tvb) ||
        gw_is_quoted(pinfo))
        return findings;
    uint32_t key = archive_key(tvb);
    if (!gw_is_later_pass(pinfo)) {
        /* The sender's stream with this sequence number; a new one if there is none. */
        uint32_t scope = obtain_conversation(pinfo)->scope, side = gw_sender_side(pinfo), sequence = frame->sequence;
        wmem_tree_key_t stream_key[] = { { 1, &scope }, { 1, &side }, { 1, &sequence }, { 0, NULL } };
        stream = (split_stream *)wmem_tree_lookup32_array(by_sequence, stream_key);
        if (!stream) {
            stream = wmem_new0(wmem_file_scope(), split_stream);
            wmem_tree_insert32_array(by_sequence, stream_key, stream);
        }
        archived_chunk *chunk = gw_archive_add(&chunks, pinfo, key, sizeof *chunk);
        *chunk = resent_of ? (archived_chunk){ .duplicate_of = resent_of } : keep_chunk(stream, tvb, pinfo, frame);
    }
    const archived_chunk *chunk = gw_archive_find(&chunks, pinfo, key, NULL);
    if (!chunk)
        return findings;
    findings.duplicate_of = chunk->duplicate_of;
    if (!chunk->id) /* a repetition, which is not reassembled */
        return findings;
    findings.stream = fragment_add_seq_check(&streams, tvb, GW_SQUIRREL_SPLIT_HEAD, pinfo, chunk->id, NULL,
                                             frame->chunk, frame->chunk_length, frame->chunk + 1 < frame->chunks);
    if (stream)
        stream->whole = findings.stream;
    return findings;
}

/* The key in the reassembly table: the id alone, which is unique. */
static void *key_of_id(const packet_info *pinfo _U_, const uint32_t id, const void *data _U_)
{
    return GUINT_TO_POINTER(id);
}

/* Frees a key of the reassembly table: nothing, since the key is a number. */
static void free_nothing(void *key _U_)
{
}

static const reassembly_table_functions id_functions = { g_direct_hash, g_direct_equal, key_of_id,
                                                         key_of_id,     free_nothing,   free_nothing };

/* Creates the maps for the data of the current file, which are emptied when it is closed, and the reassembly table. */
void squirrel_register_analysis(void)
{
    waiting = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), gw_hash_key, gw_equal_keys);
    sent = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), gw_hash_key, gw_equal_keys);
    by_sequence = wmem_tree_new_autoreset(wmem_epan_scope(), wmem_file_scope());
    reassembly_table_register(&streams, &id_functions);
}
