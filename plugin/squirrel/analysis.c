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
 */
#include "internal.h"

#include "common/conversation.h"
#include "common/frame_log.h"
#include "common/kept_memory.h"
#include "common/keys.h"
#include "common/spans.h"

#define NO_TOKEN (-1) /* no answer is expected; or the error of a command that expected none */

/* ---- stored data --------------------------------------------------------------------------------------- */

typedef struct squirrel_conversation {
    uint32_t scope;    /* in the keys of its data; another one when what was kept of candidates is dropped */
    uint32_t row;      /* first frame of the candidates, or 0 */
    uint32_t found_in; /* first frame in which script data was certain; 0: none */
    bool is_found;     /* it is Squirrel's: its packets are no longer candidates */
    bool knows_server;
    uint8_t server; /* gw_sender_side() of the server, by the first frame with a direction */
} squirrel_conversation;

static uint32_t last_scope;

/* A command and its answer. */
typedef struct token_exchange {
    nstime_t asked_at;
    uint32_t asked_in; /* frame numbers; 0: none yet */
    uint32_t answered_in;
    bool failed;
    struct token_exchange *partner; /* the exchange on the other side of the server, or NULL */
    struct token_exchange *older;   /* earlier command with the same token that has no answer yet, or NULL */
    struct token_exchange *newer;   /* next command that is not relayed yet, with the same key, or NULL */
    struct token_exchange *newest;  /* in the first command that is not relayed yet: the last one */
} token_exchange;

/* Stored for a message that has a token, or that was sent before. */
typedef struct kept_message {
    token_exchange *exchange; /* NULL: not known */
    uint32_t resent_of;       /* frame; 0: not a retransmission */
} kept_message;

static gw_frame_log messages; /* by squirrel_key_of() */

/* Of the bytes that a key is made of: more than the headers and the token. */
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

static void keep_waiting(const waiting_key *key, token_exchange *exchange)
{
    if (!exchange)
        wmem_map_remove(waiting, key);
    else if (wmem_map_contains(waiting, key))
        wmem_map_insert(waiting, key, exchange);
    else
        wmem_map_insert(waiting, wmem_memdup(wmem_file_scope(), key, sizeof *key), exchange);
}

static token_exchange *first_waiting(const waiting_key *key)
{
    return (token_exchange *)wmem_map_lookup(waiting, key);
}

/* ---- conversations ------------------------------------------------------------------------------------- */

static squirrel_conversation *obtain_conversation(packet_info *pinfo)
{
    squirrel_conversation *known = gw_conversation_obtain(pinfo, proto_squirrel, sizeof *known);
    if (!known->scope)
        known->scope = ++last_scope;
    return known;
}

uint32_t squirrel_scope_of(packet_info *pinfo)
{
    return obtain_conversation(pinfo)->scope;
}

void squirrel_keep_row(packet_info *pinfo, uint32_t row, bool is_found)
{
    squirrel_conversation *known = obtain_conversation(pinfo);
    if (!known->is_found && known->row != row)
        *known = (squirrel_conversation){ .scope = ++last_scope };
    known->row = row;
    known->is_found |= is_found;
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

static waiting_key key_of(packet_info *pinfo, const gw_squirrel_frame *frame, uint32_t command)
{
    uint8_t side = gw_sender_side(pinfo);
    return (waiting_key){
        .scope = squirrel_scope_of(pinfo),
        .token = frame->token,
        .kind = (uint8_t)command,
        .side = command == frame->type->identifier ? side : !side,
        .player = frame->player,
    };
}

/* FNV-1a */
#define HASH_START 2166136261u

static uint32_t hash_bytes(uint32_t hash, const uint8_t *bytes, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++)
        hash = (hash ^ bytes[i]) * 16777619u;
    return hash;
}

/* A hash of the server that relays: its endpoint, in its VLAN. */
static uint32_t hash_server(packet_info *pinfo, const address *server, uint32_t port)
{
    uint32_t start = HASH_START ^ port ^ gw_conversation_vlan(pinfo) << 16;
    return hash_bytes(start, (const uint8_t *)server->data, (uint32_t)server->len);
}

static waiting_key relay_key(uint32_t server, const gw_squirrel_frame *frame, const uint8_t *bytes, uint32_t length)
{
    return (waiting_key){
        .scope = hash_bytes(server, bytes + frame->content, length - frame->content),
        .token = frame->token,
        .kind = RELAY_KIND,
    };
}

/* ---- the first pass ------------------------------------------------------------------------------------ */

static token_exchange *keep_command(packet_info *pinfo, const gw_squirrel_frame *frame)
{
    waiting_key key = key_of(pinfo, frame, frame->type->identifier);
    token_exchange *asked = gw_alloc_kept(sizeof *asked);
    asked->asked_at = pinfo->abs_ts;
    asked->asked_in = pinfo->num;
    asked->older = first_waiting(&key);
    keep_waiting(&key, asked);
    return asked;
}

/* PeerExecSpecial: relayed after earlier ones with the same key. */
static void keep_waiting_relay(const waiting_key *key, token_exchange *asked)
{
    token_exchange *first = first_waiting(key);
    if (first)
        first->newest->newer = asked;
    else
        keep_waiting(key, first = asked);
    first->newest = asked;
}

/* PeerExecHere2 is a separate exchange, between the server and the other client. */
static void keep_relay(const waiting_key *key, token_exchange *relayed)
{
    token_exchange *partner = first_waiting(key);
    if (!partner)
        return;
    relayed->partner = partner;
    partner->partner = relayed;
    if (partner->newer)
        partner->newer->newest = partner->newest;
    keep_waiting(key, partner->newer);
}

static token_exchange *keep_answer(packet_info *pinfo, const gw_squirrel_frame *frame, const uint8_t *bytes,
                                   uint32_t length)
{
    waiting_key key = key_of(pinfo, frame, command_of(frame->type->identifier));
    token_exchange *answered = first_waiting(&key);
    if (!answered)
        return NULL;
    answered->answered_in = pinfo->num;
    answered->failed = frame->content < length && bytes[frame->content] == GW_SQUIRREL_ERROR;
    keep_waiting(&key, answered->older);
    return answered;
}

static token_exchange *keep_exchange(packet_info *pinfo, const gw_squirrel_frame *frame, const uint8_t *bytes,
                                     uint32_t length)
{
    if (command_of(frame->type->identifier))
        return keep_answer(pinfo, frame, bytes, length);
    token_exchange *asked = keep_command(pinfo, frame);
    if (frame->type->identifier == GW_SQUIRREL_PEER_EXEC_SPECIAL) {
        waiting_key key = relay_key(hash_server(pinfo, &pinfo->dst, pinfo->destport), frame, bytes, length);
        keep_waiting_relay(&key, asked);
    } else if (frame->type->identifier == GW_SQUIRREL_PEER_EXEC_HERE2) {
        waiting_key key = relay_key(hash_server(pinfo, &pinfo->src, pinfo->srcport), frame, bytes, length);
        keep_relay(&key, asked);
    }
    return asked;
}

static bool is_matched(const gw_squirrel_frame *frame)
{
    return frame->type->token && frame->token != NO_TOKEN;
}

/* In clients' commands the token 0 means that no answer is expected (observed). */
static bool wants_answer(const gw_squirrel_frame *frame)
{
    return frame->token || frame->type->identifier == GW_SQUIRREL_REMOTE_EXECUTE_SPECIAL ||
           frame->type->identifier == GW_SQUIRREL_LOAD_NUT_FILE;
}

/* ---- retransmissions ----------------------------------------------------------------------------------- */

/* Of a message that was put together, the offset is 0. */
uint32_t squirrel_key_of(tvbuff_t *message)
{
    uint32_t length = MIN(tvb_captured_length(message), KEY_BYTES);
    uint32_t hash = hash_bytes(HASH_START, tvb_get_ptr(message, 0, (int)length), length);
    return hash ^ (uint32_t)tvb_raw_offset(message);
}

/* The bytes before a message: u8 reliability << 5 | u16 length in bits | u24 number, and for ordered ones (script data
 * is ordered), u24 ordering index | u8 channel. */
static const struct {
    uint8_t flags;
    int length;
} raknet_heads[] = { { 0x60, 10 }, { 0x40, 6 } };

/* A message that RakNet split is expected to be sent again within this time. */
#define SECONDS_OF_RESENDS 10

squirrel_raknet_number squirrel_find_raknet_number(tvbuff_t *message, const packet_info *pinfo)
{
    squirrel_raknet_number found = { SQUIRREL_RAKNET_NONE, 0 };
    tvbuff_t *frame = tvb_get_ds_tvb(message);
    int offset = (int)tvb_raw_offset(message);
    unsigned bits = 8 * tvb_reported_length(message);
    if (gw_is_quoted(pinfo) || !proto_is_frame_protocol(pinfo->layers, "raknet"))
        return found;
    if (!offset)
        found.kind = SQUIRREL_RAKNET_SPLIT;
    for (size_t i = 0; i < array_length(raknet_heads); i++) {
        int start = offset - raknet_heads[i].length;
        if (start < 0 || tvb_get_uint8(frame, start) != raknet_heads[i].flags ||
            tvb_get_ntohs(frame, start + 1) != bits)
            continue;
        found.kind = SQUIRREL_RAKNET_WHOLE;
        found.number = tvb_get_letoh24(frame, start + 3);
        break;
    }
    return found;
}

static sent_key sent_key_of(packet_info *pinfo, squirrel_raknet_number raknet, const uint8_t *bytes, uint32_t length)
{
    return (sent_key){ squirrel_scope_of(pinfo), raknet.kind == SQUIRREL_RAKNET_WHOLE ? raknet.number : SPLIT_NUMBER,
                       hash_bytes(HASH_START, bytes, length), gw_sender_side(pinfo) };
}

/* The message with the same number and content, or NULL. After 10 s it counts as new: numbers restart with each
 * connection, and messages that RakNet split have no numbers. */
static const sent_message *find_sent(packet_info *pinfo, const sent_key *key)
{
    const sent_message *found = (const sent_message *)wmem_map_lookup(sent, key);
    if (found && pinfo->abs_ts.secs - found->second > SECONDS_OF_RESENDS)
        return NULL;
    return found;
}

static void keep_sent(const packet_info *pinfo, const sent_key *key, token_exchange *exchange)
{
    sent_message *message = gw_alloc_kept(sizeof *message);
    *message = (sent_message){ *key, exchange, pinfo->abs_ts.secs, pinfo->num };
    wmem_map_insert(sent, &message->key, message);
}

/* Without RakNet's number, an equal message is a retransmission only if its token or chunk makes it unique. */
static bool may_be_resent(const gw_squirrel_frame *frame)
{
    if (!is_matched(frame))
        return frame->type->content == GW_SQUIRREL_CONTENT_CHUNK;
    return command_of(frame->type->identifier) || wants_answer(frame);
}

static token_exchange *exchange_of(packet_info *pinfo, const gw_squirrel_frame *frame, const uint8_t *bytes,
                                   uint32_t length)
{
    return is_matched(frame) ? keep_exchange(pinfo, frame, bytes, length) : NULL;
}

/* On the first pass, unless it was kept as a candidate before a user's choice had it dissected. */
static void keep_message(packet_info *pinfo, const gw_squirrel_frame *frame, const uint8_t *bytes, uint32_t length,
                         squirrel_raknet_number raknet, uint32_t key)
{
    if (gw_frame_log_find(&messages, pinfo, key, NULL))
        return;
    bool is_known =
        raknet.kind == SQUIRREL_RAKNET_WHOLE || (raknet.kind == SQUIRREL_RAKNET_SPLIT && may_be_resent(frame));
    sent_key number = { 0 };
    if (is_known)
        number = sent_key_of(pinfo, raknet, bytes, length);
    const sent_message *before = is_known ? find_sent(pinfo, &number) : NULL;
    token_exchange *exchange = before ? before->exchange : exchange_of(pinfo, frame, bytes, length);
    if (!before && is_known)
        keep_sent(pinfo, &number, exchange);
    if (!before && !is_matched(frame))
        return;
    kept_message *kept = gw_frame_log_add(&messages, pinfo, key, sizeof *kept);
    *kept = (kept_message){ exchange, before ? before->frame : 0 };
}

/* ---- every pass ---------------------------------------------------------------------------------------- */

static void find_answer(const gw_squirrel_frame *frame, const token_exchange *exchange, squirrel_findings *findings)
{
    findings->part = SQUIRREL_ANSWER;
    findings->command = command_of(frame->type->identifier);
    findings->command_in = exchange->asked_in;
    findings->command_time = exchange->asked_at;
    if (!exchange->partner)
        return;
    if (frame->type->identifier == GW_SQUIRREL_RESULT_FROM_PEER)
        findings->relay_of = exchange->partner->answered_in;
    else
        findings->relayed_in = exchange->partner->answered_in;
}

static void find_command(const packet_info *pinfo, const gw_squirrel_frame *frame, const token_exchange *exchange,
                         squirrel_findings *findings)
{
    findings->part = SQUIRREL_COMMAND;
    findings->answer_in = exchange->answered_in;
    findings->failed = exchange->failed;
    findings->unanswered = !exchange->answered_in && wants_answer(frame) && gw_is_later_pass(pinfo);
    if (!exchange->partner)
        return;
    if (frame->type->identifier == GW_SQUIRREL_PEER_EXEC_SPECIAL)
        findings->relayed_in = exchange->partner->asked_in;
    else
        findings->relay_of = exchange->partner->asked_in;
}

squirrel_findings squirrel_analyze(packet_info *pinfo, tvbuff_t *message, const gw_squirrel_frame *frame,
                                   squirrel_raknet_number raknet)
{
    squirrel_findings findings = { .part = SQUIRREL_NO_PART };
    if ((!is_matched(frame) && raknet.kind == SQUIRREL_RAKNET_NONE) || gw_is_quoted(pinfo))
        return findings;
    uint32_t key = squirrel_key_of(message);
    if (!gw_is_later_pass(pinfo))
        keep_message(pinfo, frame, gw_bytes_of(message), tvb_captured_length(message), raknet, key);
    const kept_message *kept = gw_frame_log_find(&messages, pinfo, key, NULL);
    if (!kept)
        return findings;
    findings.retransmission_of = kept->resent_of;
    const token_exchange *exchange = kept->exchange;
    if (!is_matched(frame))
        return findings;
    findings.part = SQUIRREL_STRAY_ANSWER;
    if (!exchange)
        return findings;
    if (command_of(frame->type->identifier))
        find_answer(frame, exchange, &findings);
    else
        find_command(pinfo, frame, exchange, &findings);
    return findings;
}

void squirrel_keep_found(packet_info *pinfo)
{
    if (!gw_is_first_pass(pinfo))
        return;
    squirrel_conversation *known = obtain_conversation(pinfo);
    if (!known->found_in)
        known->found_in = pinfo->num;
}

bool squirrel_was_found(packet_info *pinfo)
{
    const squirrel_conversation *known = gw_conversation_find(pinfo, proto_squirrel);
    return known && known->found_in && known->found_in <= pinfo->num;
}

bool squirrel_keep_direction(packet_info *pinfo, const gw_squirrel_frame *frame)
{
    uint8_t side = gw_sender_side(pinfo);
    uint8_t server = frame->type->to_server ? !side : side;
    /* Which side sends RPrint is uncertain: no public script has it. */
    if (gw_is_quoted(pinfo) || frame->type->identifier == GW_SQUIRREL_RPRINT)
        return false;
    if (gw_is_later_pass(pinfo)) {
        const squirrel_conversation *known = gw_conversation_find(pinfo, proto_squirrel);
        return known && known->knows_server && known->server != server;
    }
    squirrel_conversation *known = obtain_conversation(pinfo);
    if (!known->knows_server)
        known->server = server;
    known->knows_server = true;
    return known->server != server;
}

void squirrel_register_analysis(void)
{
    gw_frame_log_init(&messages);
    waiting = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), gw_hash_key, gw_equal_keys);
    sent = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), gw_hash_key, gw_equal_keys);
}
