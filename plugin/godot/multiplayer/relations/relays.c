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

/* A client's message, while messages of the server that relay it may follow. */
typedef struct godot_mp_waiting {
    struct godot_mp_waiting *next;  /* with the same bytes, in order */
    struct godot_mp_waiting *last;  /* with the same bytes; only the first one has it, and `count` */
    struct godot_mp_waiting *later; /* of the file, in order */
    uint64_t key;                   /* of the bytes that are relayed: their hash and length */
    godot_mp_relay *relay;
    godot_mp_hop *last_hop;
    const godot_mp_connection *connection;
    uint32_t count; /* of those with the same bytes */
    uint32_t hop_count;
    uint32_t server_host; /* host_of() */
    uint32_t server_port; /* port_of() */
    int32_t source;       /* 0: not known */
    int32_t target;       /* as in messages: 0 for all peers, negative for all but one */
    bool is_unlisted;     /* it waits no longer */
} waiting_relay;

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

/* True if the message was sent too long before this packet to be relayed by it. */
static bool is_old(const waiting_relay *waiting, const packet_info *pinfo)
{
    return pinfo->abs_ts.secs - waiting->relay->time / GW_NANOSECONDS > LONGEST_WAIT;
}

/* Removes the first message of those with its bytes, and returns the next one; NULL: it was the only one. */
static waiting_relay *unlist_first(waiting_relay *first)
{
    waiting_relay *next = first->next;
    first->is_unlisted = true;
    /* The key of the map is that of the first message. */
    wmem_map_remove(godot_mp_current.relays, &first->key);
    if (!next)
        return NULL;
    next->last = first->last;
    next->count = first->count - 1;
    wmem_map_insert(godot_mp_current.relays, &next->key, next);
    return next;
}

/* The first of the messages with these bytes that may be relayed by this packet, after those that were sent too long
 * before it are removed. They are in order of time. NULL: none. */
static waiting_relay *find_waiting(const uint64_t *key, const packet_info *pinfo)
{
    waiting_relay *waiting = wmem_map_lookup(godot_mp_current.relays, key);
    while (waiting && is_old(waiting, pinfo))
        waiting = unlist_first(waiting);
    return waiting;
}

/* Frees the oldest messages of the file that wait no longer. Of a long capture, most messages have bytes that no later
 * one has: they are removed once they are too old. Not while few wait, because a file that consists of several captures,
 * one after the other, has the messages of the server long after those of its client. */
static void free_old(const packet_info *pinfo)
{
    godot_mp_file *file = &godot_mp_current;
    while (file->oldest_waiting) {
        waiting_relay *waiting = file->oldest_waiting;
        if (!waiting->is_unlisted && (file->waiting_count <= GODOT_MP_FEW_WAITING || !is_old(waiting, pinfo)))
            break;
        /* It is the first with its bytes, as those after it are later ones. */
        if (!waiting->is_unlisted)
            unlist_first(waiting);
        file->oldest_waiting = waiting->later;
        file->waiting_count--;
        wmem_free(wmem_file_scope(), waiting);
    }
}

/* Adds a client's message to those with the same bytes that wait to be relayed, of which the oldest is removed if there
 * are too many. Returns its new relay, to which the server's messages will be added. */
static const godot_mp_relay *keep_client_message(const godot_mp_message *message, uint64_t key)
{
    const packet_info *pinfo = message->pinfo;
    const godot_mp_findings *findings = message->findings;
    godot_mp_file *file = &godot_mp_current;
    free_old(pinfo);
    godot_mp_relay *relay = gw_archive_alloc(sizeof *relay);
    *relay = (godot_mp_relay){ .frame = pinfo->num, .time = gw_nanoseconds(&pinfo->abs_ts) };
    waiting_relay *waiting = wmem_new(wmem_file_scope(), waiting_relay);
    *waiting = (waiting_relay){ .key = key,
                                .relay = relay,
                                .connection = message->position.connection,
                                .server_host = host_of(message, &pinfo->dst),
                                .server_port = port_of(message, pinfo->destport),
                                .source = findings->has_source ? findings->source : 0,
                                .target = findings->target };
    /* 1. The last of the file. */
    if (file->oldest_waiting)
        file->newest_waiting->later = waiting;
    else
        file->oldest_waiting = waiting;
    file->newest_waiting = waiting;
    file->waiting_count++;
    /* 2. The last of those with its bytes. */
    waiting_relay *first = find_waiting(&key, pinfo);
    if (first && first->count == GODOT_MP_MOST_WAITING)
        first = unlist_first(first);
    if (!first) {
        first = waiting;
        wmem_map_insert(file->relays, &waiting->key, waiting);
    } else {
        first->last->next = waiting;
    }
    first->last = waiting;
    first->count++;
    return relay;
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
    for (const godot_mp_hop *hop = waiting->relay->hops; hop; hop = hop->next)
        if (hop->connection == connection->index)
            return false;
    return true;
}

/* Adds the server's message to the client's message that it relays: the first one that was sent to the same host, since
 * a capture may have the same traffic in two VLANs, and servers with the same port; else the first one to any host,
 * since one server may have several addresses. Returns the relay of the client's message; NULL: none matches. */
static const godot_mp_relay *keep_server_message(const godot_mp_message *message, const uint64_t *key)
{
    const uint32_t host = host_of(message, &message->pinfo->src);
    waiting_relay *match = NULL;
    for (waiting_relay *waiting = find_waiting(key, message->pinfo); waiting; waiting = waiting->next) {
        if ((match && waiting->server_host != host) || !may_relay(message, waiting))
            continue;
        match = waiting;
        if (waiting->server_host == host)
            break;
    }
    if (!match)
        return NULL;

    godot_mp_hop *hop = gw_archive_alloc(sizeof *hop);
    *hop = (godot_mp_hop){ .connection = message->position.connection->index,
                           .frame = message->pinfo->num,
                           .time = gw_nanoseconds(&message->pinfo->abs_ts) };
    if (match->last_hop)
        match->last_hop->next = hop;
    else
        match->relay->hops = hop;
    match->last_hop = hop;
    match->hop_count++;
    return match->relay;
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
        const godot_mp_relay *relay = begins ? keep_client_message(message, key) : keep_server_message(message, &key);
        const godot_mp_relay **record = relay ? godot_mp_keep_archived(position, GODOT_MP_RELAY, sizeof(void *)) : NULL;
        if (record)
            *record = relay;
    }
    const godot_mp_relay *const *record = godot_mp_find_archived(position, GODOT_MP_RELAY);
    context->findings->relay = record ? *record : NULL;
    context->findings->begins_relay = begins;
}
