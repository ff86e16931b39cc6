/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Five pairs of frames ask and answer with one token, and two of the pairs are one chain through the server:
 *
 *     RemoteExecuteSpecial -> Reply             the server asks a client
 *     LoadNutFile -> NutFileLoaded              the server asks a client
 *     ExecSpecial -> ResultFromServer           a client asks the server
 *     PeerExecSpecial -> ResultFromPeer         a client asks another, as its own conversation shows it
 *     PeerExecHere2 -> SendResultToPeer         the same in the conversation of the other
 *
 * Tokens are counted by the one who asks, for each conversation, and start again when it does: an answer
 * belongs to the latest command of its token that has none yet. In peer exchanges the other player's number
 * is part of the key. The server hands PeerExecSpecial on with the sender's number in place of the target's
 * and otherwise unchanged, so that the two sides are found together by server, token and content.
 */
#include "squirrel-exchange.h"

#include <epan/conversation.h>
#include <epan/proto_data.h>

#define NO_TOKEN    (-1) /* an answer that no one waits for, or the error of a command that asked for none */
#define NONE        UINT32_MAX
#define COUNTER_KEY 1

static int proto_squirrel = -1;
static int hf_response_in = -1;
static int hf_response_to = -1;
static int hf_relayed_in = -1;
static int hf_relay_of = -1;
static int hf_time = -1;
static int hf_failed = -1;

static expert_field ei_no_command = EI_INIT;

/* ---- what is remembered -------------------------------------------------------------------------------- */

/* A command and its answer. */
typedef struct token_exchange {
    uint64_t asked_at; /* nanoseconds */
    uint32_t asked_in; /* frame numbers; 0: none yet */
    uint32_t answered_in : 31;
    uint32_t failed : 1;
    uint32_t partner; /* the exchange on the other side of the server, or NONE */
    uint32_t older;   /* an unanswered one with the same token, or NONE */
} token_exchange;

/* What a message of a packet is part of. In the order of packets, to be found by its number. */
typedef struct message {
    uint32_t packet;
    uint32_t exchange; /* NONE: an answer to no command */
} message;

/* Where commands wait. */
typedef struct waiting_key {
    uint32_t place; /* a conversation, or for relays the server and the content */
    int32_t token;
    uint16_t kind; /* low byte of the frame that asks; RELAY_KIND for relays */
    uint8_t side;  /* of the one who asked */
    uint8_t player;
} waiting_key;

#define RELAY_KIND 0x100

/* All of one file; made anew with the next. */
static wmem_array_t *exchanges;
static wmem_array_t *messages;
static wmem_map_t *waiting; /* waiting_key -> index + 1 of the latest unanswered */

static unsigned hash_key(const void *key)
{
    return wmem_strong_hash((const uint8_t *)key, sizeof(waiting_key));
}

static gboolean same_key(const void *one, const void *other)
{
    return memcmp(one, other, sizeof(waiting_key)) == 0;
}

static void start_file(void)
{
    exchanges = wmem_array_new(wmem_file_scope(), sizeof(token_exchange));
    messages = wmem_array_new(wmem_file_scope(), sizeof(message));
    waiting = wmem_map_new(wmem_file_scope(), hash_key, same_key);
}

static token_exchange *exchange_at(uint32_t index)
{
    return index == NONE ? NULL : (token_exchange *)wmem_array_index(exchanges, index);
}

static uint32_t latest(const waiting_key *key)
{
    void *found = wmem_map_lookup(waiting, key);
    return found ? GPOINTER_TO_UINT(found) - 1 : NONE;
}

static void wait_with(const waiting_key *key, uint32_t index)
{
    waiting_key *kept;
    if (index == NONE) {
        wmem_map_remove(waiting, key);
        return;
    }
    if (wmem_map_lookup_extended(waiting, key, NULL, NULL)) {
        wmem_map_insert(waiting, key, GUINT_TO_POINTER(index + 1));
        return;
    }
    kept = wmem_new(wmem_file_scope(), waiting_key);
    *kept = *key;
    wmem_map_insert(waiting, kept, GUINT_TO_POINTER(index + 1));
}

/* ---- who asks whom ------------------------------------------------------------------------------------- */

/* The frame that asks for the answer `identifier`, or 0. */
static uint32_t asker_of(uint32_t identifier)
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

uint8_t squirrel_side(const packet_info *pinfo)
{
    int order = cmp_address(&pinfo->src, &pinfo->dst);
    if (order == 0)
        order = pinfo->srcport < pinfo->destport ? -1 : 1;
    return order < 0 ? 0 : 1;
}

static waiting_key key_of(packet_info *pinfo, const gw_squirrel_frame *frame, uint32_t asker)
{
    waiting_key key;
    uint8_t side = squirrel_side(pinfo);
    memset(&key, 0, sizeof key);
    key.place = find_or_create_conversation(pinfo)->conv_index;
    key.kind = (uint8_t)asker;
    key.side = asker == frame->type->identifier ? side : !side;
    key.token = frame->token;
    key.player = frame->player;
    return key;
}

/* FNV-1a */
static uint32_t hash_bytes(uint32_t hash, const uint8_t *bytes, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++)
        hash = (hash ^ bytes[i]) * 16777619u;
    return hash;
}

static waiting_key relay_key(const address *server, uint32_t port, const gw_squirrel_frame *frame, const uint8_t *bytes,
                             uint32_t length)
{
    waiting_key key;
    uint32_t hash = hash_bytes(2166136261u ^ port, (const uint8_t *)server->data, (uint32_t)server->len);
    memset(&key, 0, sizeof key);
    key.place = hash_bytes(hash, bytes + frame->content, length - frame->content);
    key.token = frame->token;
    key.kind = RELAY_KIND;
    return key;
}

/* ---- the first pass ------------------------------------------------------------------------------------ */

static uint64_t nanoseconds(const nstime_t *time)
{
    return (uint64_t)time->secs * UINT64_C(1000000000) + (uint64_t)time->nsecs;
}

static uint32_t ask(packet_info *pinfo, const gw_squirrel_frame *frame)
{
    waiting_key key = key_of(pinfo, frame, frame->type->identifier);
    token_exchange asked = { nanoseconds(&pinfo->abs_ts), pinfo->num, 0, 0, NONE, latest(&key) };
    uint32_t index = wmem_array_get_count(exchanges);
    wmem_array_append_one(exchanges, asked);
    wait_with(&key, index);
    return index;
}

/* The relayed command is an exchange of its own, between the server and the other client. */
static void join_relay(packet_info *pinfo, const gw_squirrel_frame *frame, const uint8_t *bytes, uint32_t length,
                       uint32_t index)
{
    if (frame->type->identifier == GW_SQUIRREL_PEER_EXEC_SPECIAL) {
        waiting_key key = relay_key(&pinfo->dst, pinfo->destport, frame, bytes, length);
        wait_with(&key, index);
    } else if (frame->type->identifier == GW_SQUIRREL_PEER_EXEC_HERE2) {
        waiting_key key = relay_key(&pinfo->src, pinfo->srcport, frame, bytes, length);
        uint32_t partner = latest(&key);
        if (partner == NONE)
            return;
        exchange_at(index)->partner = partner;
        exchange_at(partner)->partner = index;
        wait_with(&key, NONE);
    }
}

static uint32_t answer(packet_info *pinfo, const gw_squirrel_frame *frame, const uint8_t *bytes, uint32_t length)
{
    waiting_key key = key_of(pinfo, frame, asker_of(frame->type->identifier));
    uint32_t index = latest(&key);
    token_exchange *answered = exchange_at(index);
    if (!answered)
        return NONE;
    answered->answered_in = pinfo->num;
    answered->failed = frame->content < length && bytes[frame->content] == GW_SQUIRREL_ERROR;
    wait_with(&key, answered->older);
    return index;
}

static void remember(packet_info *pinfo, const gw_squirrel_frame *frame, const uint8_t *bytes, uint32_t length)
{
    message made = { pinfo->num, NONE };
    if (asker_of(frame->type->identifier)) {
        made.exchange = answer(pinfo, frame, bytes, length);
    } else {
        made.exchange = ask(pinfo, frame);
        join_relay(pinfo, frame, bytes, length, made.exchange);
    }
    wmem_array_append_one(messages, made);
}

/* ---- every pass ---------------------------------------------------------------------------------------- */

/* A packet may carry several messages: which of them is this? */
static unsigned count_in_packet(packet_info *pinfo)
{
    unsigned before = GPOINTER_TO_UINT(p_get_proto_data(pinfo->pool, pinfo, proto_squirrel, COUNTER_KEY));
    p_set_proto_data(pinfo->pool, pinfo, proto_squirrel, COUNTER_KEY, GUINT_TO_POINTER(before + 1));
    return before;
}

static const message *find_message(const packet_info *pinfo, unsigned number)
{
    unsigned low = 0, high = wmem_array_get_count(messages);
    const message *found;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (((const message *)wmem_array_index(messages, middle))->packet < pinfo->num)
            low = middle + 1;
        else
            high = middle;
    }
    if (low + number >= wmem_array_get_count(messages))
        return NULL;
    found = (const message *)wmem_array_index(messages, low + number);
    return found->packet == pinfo->num ? found : NULL;
}

static void add_frame(tvbuff_t *tvb, proto_tree *tree, int hf, uint32_t number)
{
    if (number)
        proto_item_set_generated(proto_tree_add_uint(tree, hf, tvb, 0, 0, number));
}

static void add_time(tvbuff_t *tvb, const packet_info *pinfo, proto_tree *tree, const token_exchange *found)
{
    uint64_t asked = found->asked_at, now = nanoseconds(&pinfo->abs_ts);
    uint64_t apart = now > asked ? now - asked : asked - now;
    int sign = now < asked ? -1 : 1;
    nstime_t time = { (time_t)(apart / 1000000000u) * sign, (int)(apart % 1000000000u) * sign };
    proto_item_set_generated(proto_tree_add_time(tree, hf_time, tvb, 0, 0, &time));
}

static void add_answer(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const gw_squirrel_frame *frame,
                       const token_exchange *found, const token_exchange *partner)
{
    ws_bool comes_from_relay = frame->type->identifier == GW_SQUIRREL_RESULT_FROM_PEER;
    add_frame(tvb, tree, hf_response_to, found->asked_in);
    add_time(tvb, pinfo, tree, found);
    if (partner)
        add_frame(tvb, tree, comes_from_relay ? hf_relay_of : hf_relayed_in, partner->answered_in);
}

static void add_command(tvbuff_t *tvb, proto_tree *tree, const gw_squirrel_frame *frame, const token_exchange *found,
                        const token_exchange *partner)
{
    ws_bool goes_to_relay = frame->type->identifier == GW_SQUIRREL_PEER_EXEC_SPECIAL;
    if (partner)
        add_frame(tvb, tree, goes_to_relay ? hf_relayed_in : hf_relay_of, partner->asked_in);
    add_frame(tvb, tree, hf_response_in, found->answered_in);
    if (found->failed)
        proto_item_set_generated(proto_tree_add_boolean(tree, hf_failed, tvb, 0, 0, TRUE));
}

void squirrel_track_exchange(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, proto_item *token,
                             const gw_squirrel_frame *frame, const uint8_t *bytes, uint32_t length)
{
    const message *known;
    const token_exchange *found;
    ws_bool is_answer = asker_of(frame->type->identifier) != 0;
    if (!frame->type->token || frame->token == NO_TOKEN)
        return;
    unsigned number = count_in_packet(pinfo);
    if (!PINFO_FD_VISITED(pinfo))
        remember(pinfo, frame, bytes, length);
    known = find_message(pinfo, number);
    found = known ? exchange_at(known->exchange) : NULL;
    if (found && is_answer)
        add_answer(tvb, pinfo, tree, frame, found, exchange_at(found->partner));
    else if (found)
        add_command(tvb, tree, frame, found, exchange_at(found->partner));
    else
        expert_add_info_format(pinfo, token, &ei_no_command, "No unanswered command with token %d was captured before",
                               frame->token);
}

/* ---- registration -------------------------------------------------------------------------------------- */

/* clang-format off */
static hf_register_info fields[] = {
    { &hf_response_in, { "Response in", "squirrel.response_in", FT_FRAMENUM, BASE_NONE,
                         FRAMENUM_TYPE(FT_FRAMENUM_RESPONSE), 0, NULL, HFILL } },
    { &hf_response_to, { "Response to", "squirrel.response_to", FT_FRAMENUM, BASE_NONE,
                         FRAMENUM_TYPE(FT_FRAMENUM_REQUEST), 0, NULL, HFILL } },
    { &hf_relayed_in, { "Relayed in", "squirrel.relayed_in", FT_FRAMENUM, BASE_NONE, NULL, 0,
                        "Where the server hands this on to the other client", HFILL } },
    { &hf_relay_of, { "Relay of", "squirrel.relay_of", FT_FRAMENUM, BASE_NONE, NULL, 0,
                      "Where the server got this from the other client", HFILL } },
    { &hf_time, { "Time since the command", "squirrel.time", FT_RELATIVE_TIME, BASE_NONE, NULL, 0, NULL,
      HFILL } },
    { &hf_failed, { "Answered with an error", "squirrel.failed", FT_BOOLEAN, BASE_NONE, NULL, 0, NULL,
      HFILL } },
};

static ei_register_info expert_infos[] = {
    { &ei_no_command, { "squirrel.no_command", PI_SEQUENCE, PI_NOTE, "An answer to no command", EXPFILL } },
};
/* clang-format on */

void squirrel_register_exchange(int proto, expert_module_t *experts)
{
    proto_squirrel = proto;
    proto_register_field_array(proto, fields, array_length(fields));
    expert_register_field_array(experts, expert_infos, array_length(expert_infos));
    register_init_routine(start_file);
}
