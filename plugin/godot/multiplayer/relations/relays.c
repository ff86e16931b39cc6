/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A server relays messages unchanged, in order and from the port that received them. Each message of a client waits for
 * messages of the server with the same bytes. Of several with the same bytes, the earliest is the one that is relayed.
 */
#include "internal.h"

#include "common/archive.h"
#include "common/conversation.h"
#include "common/items.h"

/* A message that was not relayed for this long, in seconds, never is: it was lost before the server, or its client has
 * left. */
#define LONGEST_WAIT 10

/* A client's message, and the messages of the server that relay it. */
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

/* Messages with the same bytes, in order. */
typedef struct waiting_list {
    uint64_t key; /* of the bytes that are relayed: their hash and length */
    waiting_relay *first;
    waiting_relay *last;
    uint32_t count;
} waiting_list;

/* ---- keys of messages ---------------------------------------------------------------------------------- */

/* Sets the key of the bytes that are relayed: of the innermost packet. False if not all of it was captured, or if it is
 * in several relays. */
static bool key_of(const godot_mp_message *message, uint64_t *key)
{
    uint32_t offset = message->facts.offset;
    uint32_t length = tvb_captured_length(message->tvb);
    /* The engine puts a packet into one relay (depth 1): several are not its own. */
    if (length != tvb_reported_length(message->tvb) || offset >= length || message->facts.depth > 1)
        return false;
    uint64_t hash = wmem_strong_hash(gw_bytes_of(message->tvb) + offset, length - offset);
    *key = hash << 32 | (length - offset);
    return true;
}

/* The server's host in its VLAN, as a hash. */
static uint32_t host_of(const godot_mp_message *message, const address *server)
{
    return add_address_to_hash(gw_conversation_vlan(message->pinfo), server);
}

/* The server's port, by which its messages and those sent to it are compared. 0 over WebRTC, where a server has another
 * port for each connection: all are equal then. */
static uint32_t port_of(const godot_mp_message *message, uint32_t server_port)
{
    return message->carrier->channel ? 0 : server_port;
}

/* ---- messages of clients -------------------------------------------------------------------------------- */

/* Removes the oldest message of the list, which is not empty. */
static void drop_first(waiting_list *list)
{
    list->first = list->first->next;
    if (!list->first)
        list->last = NULL;
    list->count--;
}

/* Removes the messages that were sent too long before this packet to be relayed by it. They are in order of time. */
static void drop_old(waiting_list *list, const packet_info *pinfo)
{
    while (list->first && pinfo->abs_ts.secs - list->first->relay.time / GW_NANOSECONDS > LONGEST_WAIT)
        drop_first(list);
}

/* Adds a client's message to those with the same bytes that wait to be relayed, of which the oldest is dropped if there
 * are too many. Returns its new relay, to which the server's messages will be added. */
static const godot_mp_relay *keep_client_message(const godot_mp_message *message, const uint64_t *key)
{
    const packet_info *pinfo = message->pinfo;
    const godot_mp_findings *findings = message->findings;
    waiting_list *list = wmem_map_lookup(godot_mp_current.relays, key);
    if (!list) {
        list = gw_archive_alloc(sizeof *list);
        list->key = *key;
        wmem_map_insert(godot_mp_current.relays, &list->key, list);
    }
    drop_old(list, pinfo);
    if (list->count == GODOT_MP_MOST_WAITING)
        drop_first(list);
    waiting_relay *waiting = gw_archive_alloc(sizeof *waiting);
    *waiting = (waiting_relay){ .relay = { .frame = pinfo->num, .time = gw_nanoseconds(&pinfo->abs_ts) },
                                .connection = message->position.connection,
                                .server_host = host_of(message, &pinfo->dst),
                                .server_port = port_of(message, pinfo->destport),
                                .source = findings->has_source ? findings->source : 0,
                                .target = findings->target };
    *(list->last ? &list->last->next : &list->first) = waiting;
    list->last = waiting;
    list->count++;
    return &waiting->relay;
}

/* ---- messages of the server ----------------------------------------------------------------------------- */

/* True if the server's message may relay the client's: in another connection, which has not relayed it yet (a hop for
 * each), from the port that received it, from its source and to its target. Over WebRTC the ports are not compared
 * (port_of()). Ids of peers that are not known may be any. */
static bool may_relay(const godot_mp_message *message, const waiting_relay *waiting)
{
    const godot_mp_connection *connection = message->position.connection;
    const int32_t receiver = message->findings->receiver.id, target = waiting->target;
    /* A target is one peer, 0 for all, or negative for all but one; a receiver is at least 1, and 0 if it is not
     * known. */
    bool is_for_receiver = !receiver || !target || (target > 0 ? target == receiver : target != -receiver);
    if (waiting->connection == connection || waiting->server_port != port_of(message, message->pinfo->srcport) ||
        (waiting->source && waiting->source != message->findings->source) || !is_for_receiver ||
        waiting->hop_count >= GODOT_MP_MOST_HOPS)
        return false;
    for (const godot_mp_hop *hop = waiting->relay.hops; hop; hop = hop->next)
        if (hop->connection == connection)
            return false;
    return true;
}

/* Adds the server's message to the client's message that it relays: the first one that was sent to the same host, since
 * a capture may have the same traffic in two VLANs, and servers with the same port; else the first one to any host,
 * since one server may have several addresses. Returns the relay of the client's message; NULL: none matches. */
static const godot_mp_relay *keep_server_message(const godot_mp_message *message, const uint64_t *key)
{
    const uint32_t host = host_of(message, &message->pinfo->src);
    waiting_list *list = wmem_map_lookup(godot_mp_current.relays, key);
    waiting_relay *match = NULL;
    if (!list)
        return NULL;
    drop_old(list, message->pinfo);
    for (waiting_relay *waiting = list->first; waiting; waiting = waiting->next) {
        if ((match && waiting->server_host != host) || !may_relay(message, waiting))
            continue;
        match = waiting;
        if (waiting->server_host == host)
            break;
    }
    if (!match)
        return NULL;

    godot_mp_hop *hop = gw_archive_alloc(sizeof *hop);
    *hop = (godot_mp_hop){ .connection = message->position.connection,
                           .frame = message->pinfo->num,
                           .time = gw_nanoseconds(&message->pinfo->abs_ts) };
    if (match->last_hop)
        match->last_hop->next = hop;
    else
        match->relay.hops = hop;
    match->last_hop = hop;
    match->hop_count++;
    return &match->relay;
}

/* ---- relays -------------------------------------------------------------------------------------------- */

/* On the first pass, a client's message to the server that is to be relayed waits (it begins a relay), and a server's
 * message is added to the waiting one that it relays. Both archive the address of that client's relay, so that later
 * passes find all messages of the relay. On all passes, sets the relay, and whether this message begins it. */
void godot_mp_analyze_relays(const godot_mp_context *context)
{
    const godot_mp_position *position = context->position;
    const godot_mp_message *message = context->message;
    uint64_t key;
    if (!context->facts->is_relayed && !context->facts->has_head)
        return;
    /* Godot 4 marks relayed messages; in Godot 3 the ids of source and target are those of two clients. */
    const godot_mp_findings *findings = message->findings;
    bool is_from_server = findings->sender.id == GW_GODOT_MP_SERVER;
    bool is_to_server = !is_from_server && findings->receiver.id == GW_GODOT_MP_SERVER;
    bool has_client = context->facts->has_head && context->facts->source > GW_GODOT_MP_SERVER;
    bool begins =
        is_to_server && (context->facts->is_relayed || (has_client && context->facts->target != GW_GODOT_MP_SERVER));
    bool continues = is_from_server && (context->facts->is_relayed || has_client);
    if (position->first_pass && position->archived && (begins || continues) && key_of(message, &key)) {
        const godot_mp_relay *relay = begins ? keep_client_message(message, &key) : keep_server_message(message, &key);
        const godot_mp_relay **record = relay ? godot_mp_keep_archived(position, GODOT_MP_RELAY, sizeof(void *)) : NULL;
        if (record)
            *record = relay;
    }
    const godot_mp_relay *const *record = godot_mp_find_archived(position, GODOT_MP_RELAY);
    context->findings->relay = record ? *record : NULL;
    context->findings->begins_relay = begins;
}
