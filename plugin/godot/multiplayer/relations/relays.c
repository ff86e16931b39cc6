/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A server sends on what it relays unchanged, in order and from the port that received it. Each message of a client
 * waits for messages of the server with the same bytes. Of several with the same bytes, the earliest is the one that
 * is relayed.
 */
#include "internal.h"

#include "common/conversation.h"
#include "common/kept_memory.h"
#include "common/spans.h"
#include "common/times.h"

/* A message that was not relayed for this long, in seconds, never is: it was lost before the server, or its client has
 * left. And of messages with the same bytes, at most this number wait. */
#define LONGEST_WAIT 10
#define MOST_WAITING 64U
/* Maximum number of clients of one message: those after them are not linked. */
#define MOST_HOPS 256U

typedef struct waiting_relay {
    godot_mp_relay relay;
    godot_mp_hop *last_hop;
    struct waiting_relay *next;
    const godot_mp_connection *connection;
    uint32_t hop_count;
    uint32_t server_host; /* host_of() */
    uint32_t server_port; /* port_of() */
    int32_t source;       /* 0: not known */
    int32_t target;       /* as in messages: 0 for all peers, negative for all but one */
} waiting_relay;

/* Of the same bytes, in order. */
typedef struct waiting_list {
    uint64_t key; /* of the bytes that are relayed: their hash and length */
    waiting_relay *first;
    waiting_relay *last;
    uint32_t count;
} waiting_list;

static wmem_map_t *waiting; /* key: waiting_list */

void godot_mp_register_relays(void)
{
    waiting = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), wmem_int64_hash, g_int64_equal);
}

/* ---- which messages ------------------------------------------------------------------------------------ */

typedef enum relay_end { NO_RELAY, FROM_CLIENT, FROM_SERVER } relay_end;

/* Godot 4 marks relayed messages; in Godot 3 the ids of source and target are those of two clients. */
static relay_end end_of(const godot_mp_message *message)
{
    const godot_mp_facts *facts = &message->facts;
    const godot_mp_findings *findings = message->findings;
    bool is_of_clients = facts->has_head && facts->source > GW_GODOT_MP_SERVER;
    if (findings->sender.id == GW_GODOT_MP_SERVER)
        return facts->is_relayed || is_of_clients ? FROM_SERVER : NO_RELAY;
    if (findings->receiver.id != GW_GODOT_MP_SERVER)
        return NO_RELAY;
    return facts->is_relayed || (is_of_clients && facts->target != GW_GODOT_MP_SERVER) ? FROM_CLIENT : NO_RELAY;
}

/* In its VLAN, as a hash. */
static uint32_t host_of(const godot_mp_message *message, const address *server)
{
    return add_address_to_hash(gw_conversation_vlan(message->pinfo), server);
}

/* 0: a server has another port for each connection of WebRTC. */
static uint32_t port_of(const godot_mp_message *message, uint32_t server_port)
{
    return message->carrier->channel ? 0 : server_port;
}

static bool key_of(const godot_mp_message *message, uint64_t *key)
{
    uint32_t offset = message->facts.offset;
    uint32_t length = tvb_captured_length(message->tvb);
    if (length != tvb_reported_length(message->tvb) || offset >= length || message->facts.depth > 1)
        return false;
    uint64_t hash = wmem_strong_hash(gw_bytes_of(message->tvb) + offset, length - offset);
    *key = hash << 32 | (length - offset);
    return true;
}

/* ---- keeping ------------------------------------------------------------------------------------------- */

static void drop_first(waiting_list *list)
{
    list->first = list->first->next;
    if (!list->first)
        list->last = NULL;
    list->count--;
}

static void drop_old(waiting_list *list, const packet_info *pinfo)
{
    while (list->first && pinfo->abs_ts.secs - list->first->relay.time / GW_NANOSECONDS > LONGEST_WAIT)
        drop_first(list);
}

static const godot_mp_relay *keep_begin(const godot_mp_message *message, const uint64_t *key)
{
    const godot_mp_findings *findings = message->findings;
    waiting_list *list = wmem_map_lookup(waiting, key);
    waiting_relay *begin = gw_alloc_kept(sizeof *begin);
    *begin =
        (waiting_relay){ .relay = { .frame = message->pinfo->num, .time = gw_nanoseconds(&message->pinfo->abs_ts) },
                         .connection = message->position.connection,
                         .server_host = host_of(message, &message->pinfo->dst),
                         .server_port = port_of(message, message->pinfo->destport),
                         .source = findings->has_source ? findings->source : 0,
                         .target = findings->target };
    if (!list) {
        list = gw_alloc_kept(sizeof *list);
        list->key = *key;
        wmem_map_insert(waiting, &list->key, list);
    }
    drop_old(list, message->pinfo);
    if (list->count == MOST_WAITING)
        drop_first(list);
    if (list->last)
        list->last->next = begin;
    else
        list->first = begin;
    list->last = begin;
    list->count++;
    return &begin->relay;
}

static bool has_hop(const waiting_relay *begin, const godot_mp_connection *connection)
{
    for (const godot_mp_hop *hop = begin->relay.hops; hop; hop = hop->next)
        if (hop->connection == connection)
            return true;
    return false;
}

static bool is_for(const waiting_relay *begin, int32_t receiver)
{
    if (!receiver || !begin->target)
        return true;
    return begin->target > 0 ? begin->target == receiver : begin->target != -receiver;
}

/* True if the server's message may be what `begin` became. Peers whose ids are not known may be any. */
static bool may_follow(const godot_mp_message *message, const waiting_relay *begin)
{
    const godot_mp_findings *findings = message->findings;
    return begin->connection != message->position.connection &&
           begin->server_port == port_of(message, message->pinfo->srcport) &&
           (!begin->source || begin->source == findings->source) && is_for(begin, findings->receiver.id) &&
           begin->hop_count < MOST_HOPS && !has_hop(begin, message->position.connection);
}

static void add_hop(const godot_mp_message *message, waiting_relay *begin)
{
    godot_mp_hop *hop = gw_alloc_kept(sizeof *hop);
    *hop = (godot_mp_hop){ .connection = message->position.connection,
                           .frame = message->pinfo->num,
                           .time = gw_nanoseconds(&message->pinfo->abs_ts) };
    if (begin->last_hop)
        begin->last_hop->next = hop;
    else
        begin->relay.hops = hop;
    begin->last_hop = hop;
    begin->hop_count++;
}

/* Preferably one at the same host: a capture may have the same traffic in two VLANs, and servers with the same port. But
 * one server has several addresses. */
static waiting_relay *find_begin(const godot_mp_message *message, const waiting_list *list)
{
    uint32_t host = host_of(message, &message->pinfo->src);
    waiting_relay *elsewhere = NULL;
    for (waiting_relay *begin = list->first; begin; begin = begin->next) {
        if (!may_follow(message, begin))
            continue;
        if (begin->server_host == host)
            return begin;
        if (!elsewhere)
            elsewhere = begin;
    }
    return elsewhere;
}

static const godot_mp_relay *keep_hop(const godot_mp_message *message, const uint64_t *key)
{
    waiting_list *list = wmem_map_lookup(waiting, key);
    if (!list)
        return NULL;
    drop_old(list, message->pinfo);
    waiting_relay *begin = find_begin(message, list);
    if (!begin)
        return NULL;
    add_hop(message, begin);
    return &begin->relay;
}

static void keep_relay(const godot_mp_message *message, relay_end end)
{
    uint64_t key;
    if (!message->position.first_pass || !message->position.archived || end == NO_RELAY || !key_of(message, &key))
        return;
    const godot_mp_relay *relay = end == FROM_CLIENT ? keep_begin(message, &key) : keep_hop(message, &key);
    if (!relay)
        return;
    const godot_mp_relay **record =
        godot_mp_keep_archived(&message->position, GODOT_MP_RELAY, sizeof(const godot_mp_relay *));
    *record = relay;
}

void godot_mp_analyze_relays(const godot_mp_context *context)
{
    if (!context->facts->is_relayed && !context->facts->has_head)
        return;
    relay_end end = end_of(context->message);
    keep_relay(context->message, end);
    const godot_mp_relay *const *record = godot_mp_find_archived(context->position, GODOT_MP_RELAY);
    context->findings->relay = record ? *record : NULL;
    context->findings->begins_relay = end == FROM_CLIENT;
}
