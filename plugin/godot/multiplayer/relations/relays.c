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
#include "common/keys.h"

/* A message that was not relayed for this long, in seconds, never is: it was lost before the server, or its client has
 * left. */
#define LONGEST_WAIT 10

/* Each message that waits is in three lists, in order: of those to the same host and of those to any host, both by their
 * bytes, and of all messages of the file. */
typedef enum list_kind { TO_HOST, TO_ANY, OF_FILE, LIST_KINDS } list_kind;

#define KEYS  OF_FILE /* the kinds of lists by bytes */
#define LISTS 4096U   /* of each of these: a key selects one, which has messages with other keys, too */

/* A client's message, while messages of the server that relay it may follow. */
typedef struct waiting_relay {
    struct {
        struct waiting_relay *before, *next;
    } links[LIST_KINDS];
    uint64_t keys[KEYS]; /* find_keys() */
    godot_mp_relay *relay;
    godot_mp_hop *last_hop;
    const godot_mp_connection *connection;
    uint32_t hop_count;
    int32_t source; /* 0: not known */
    int32_t target; /* as in messages: 0 for all peers, negative for all but one */
} waiting_relay;

typedef struct waiting_list {
    waiting_relay *first, *last;
    uint32_t count;
} waiting_list;

struct godot_mp_waiting {
    waiting_list by_key[KEYS][LISTS];
    waiting_list of_file;
};

/* ---- keys of messages ---------------------------------------------------------------------------------- */

/* Sets the keys by which a message and those that relay it are found: hashes of the bytes that are relayed, the innermost
 * packet, with the server's port and, TO_HOST, its host in its VLAN. Over WebRTC, where a server has another port for each
 * connection, ports are not compared. False if not all of the message was captured, or if it is in several relays. */
static bool find_keys(const godot_mp_message *message, const address *server, uint32_t port, uint64_t keys[KEYS])
{
    const uint32_t offset = message->facts.offset, length = tvb_captured_length(message->tvb);
    /* The engine puts a packet into one relay (depth 1): several are not its own. */
    if (length != tvb_reported_length(message->tvb) || offset >= length || message->facts.depth > 1)
        return false;
    const uint64_t bytes = gw_hash_bytes(gw_bytes_of(message->tvb) + offset, length - offset);
    const uint64_t to_any[] = { bytes, message->carrier->channel ? 0 : port };
    keys[TO_ANY] = gw_hash_bytes((const uint8_t *)to_any, sizeof to_any);
    const uint64_t to_host[] = { keys[TO_ANY], add_address_to_hash(gw_conversation_vlan(message->pinfo), server) };
    keys[TO_HOST] = gw_hash_bytes((const uint8_t *)to_host, sizeof to_host);
    return true;
}

/* ---- lists --------------------------------------------------------------------------------------------- */

/* The list of this kind for the message with these keys. */
static waiting_list *list_of(list_kind kind, const uint64_t keys[KEYS])
{
    struct godot_mp_waiting *lists = godot_mp_current.waiting;
    return kind == OF_FILE ? &lists->of_file : &lists->by_key[kind][keys[kind] % LISTS];
}

/* Adds the message to the end of its lists. */
static void list_message(waiting_relay *waiting)
{
    for (list_kind kind = 0; kind < LIST_KINDS; kind++) {
        waiting_list *list = list_of(kind, waiting->keys);
        waiting->links[kind].before = list->last;
        *(list->last ? &list->last->links[kind].next : &list->first) = waiting;
        list->last = waiting;
        list->count++;
    }
}

/* Removes the message from its lists, and frees it. */
static void forget_message(waiting_relay *waiting)
{
    for (list_kind kind = 0; kind < LIST_KINDS; kind++) {
        waiting_list *list = list_of(kind, waiting->keys);
        waiting_relay *before = waiting->links[kind].before, *next = waiting->links[kind].next;
        *(before ? &before->links[kind].next : &list->first) = next;
        *(next ? &next->links[kind].before : &list->last) = before;
        list->count--;
    }
    wmem_free(wmem_file_scope(), waiting);
}

/* ---- messages of clients -------------------------------------------------------------------------------- */

/* True if the message was sent too long before this packet to be relayed by it. */
static bool is_old(const waiting_relay *waiting, const packet_info *pinfo)
{
    return pinfo->abs_ts.secs - waiting->relay->time / GW_NANOSECONDS > LONGEST_WAIT;
}

/* Frees the oldest messages of the file that wait no longer. Of a long capture, most messages have bytes that no later
 * one has: they are removed once they are too old. Not while few wait, because a file that consists of several captures,
 * one after the other, has the messages of the server long after those of its client. */
static void free_old(const packet_info *pinfo)
{
    const waiting_list *all = &godot_mp_current.waiting->of_file;
    while (all->count > GODOT_MP_FEW_WAITING && is_old(all->first, pinfo))
        forget_message(all->first);
}

/* Adds a client's message to those that wait to be relayed, of which the oldest to this host is removed if there are too
 * many of its list. Returns its new relay, to which the server's messages will be added. */
static const godot_mp_relay *keep_client_message(const godot_mp_message *message, const uint64_t keys[KEYS])
{
    const packet_info *pinfo = message->pinfo;
    const godot_mp_findings *findings = message->findings;
    if (!godot_mp_current.waiting)
        godot_mp_current.waiting = wmem_new0(wmem_file_scope(), struct godot_mp_waiting);
    free_old(pinfo);
    const waiting_list *to_host = list_of(TO_HOST, keys);
    if (to_host->count == GODOT_MP_MOST_WAITING)
        forget_message(to_host->first);
    godot_mp_relay *relay = gw_archive_alloc(sizeof *relay);
    *relay = (godot_mp_relay){ .frame = pinfo->num, .time = gw_nanoseconds(&pinfo->abs_ts) };
    waiting_relay *waiting = wmem_new(wmem_file_scope(), waiting_relay);
    *waiting = (waiting_relay){ .keys = { keys[TO_HOST], keys[TO_ANY] },
                                .relay = relay,
                                .connection = message->position.connection,
                                .source = findings->has_source ? findings->source : 0,
                                .target = findings->target };
    list_message(waiting);
    return relay;
}

/* ---- messages of the server ----------------------------------------------------------------------------- */

/* True if the server's message may relay the client's, which has its key: in another connection, which has not relayed
 * it yet (a hop for each), from its source and to its target. Ids of peers that are not known may be any. */
static bool may_relay(const godot_mp_message *message, const waiting_relay *waiting)
{
    const godot_mp_connection *connection = message->position.connection;
    const int32_t receiver = message->findings->receiver.id, target = waiting->target;
    /* A target is one peer, 0 for all, or negative for all but one; a receiver is at least 1, and 0 if it is not
     * known. */
    bool is_for_receiver = !receiver || !target || (target > 0 ? target == receiver : target != -receiver);
    if (waiting->connection == connection || is_old(waiting, message->pinfo) ||
        (waiting->source && waiting->source != message->findings->source) || !is_for_receiver ||
        waiting->hop_count >= GODOT_MP_MOST_HOPS)
        return false;
    for (const godot_mp_hop *hop = waiting->relay->hops; hop; hop = hop->next)
        if (hop->connection == connection->index)
            return false;
    return true;
}

/* The first message of the list that the server's may relay, of as many as a list to a host has; NULL: none. */
static waiting_relay *find_match(const godot_mp_message *message, list_kind kind, const uint64_t keys[KEYS])
{
    uint32_t left = GODOT_MP_MOST_WAITING;
    waiting_relay *waiting = list_of(kind, keys)->first;
    for (; waiting && left; waiting = waiting->links[kind].next, left--)
        if (waiting->keys[kind] == keys[kind] && may_relay(message, waiting))
            return waiting;
    return NULL;
}

/* Adds the server's message to the client's message that it relays: the first one that was sent to the same host, since
 * a capture may have the same traffic in two VLANs, and servers with the same port; else the first one to any host,
 * since one server may have several addresses. Returns the relay of the client's message; NULL: none matches. */
static const godot_mp_relay *keep_server_message(const godot_mp_message *message, const uint64_t keys[KEYS])
{
    if (!godot_mp_current.waiting)
        return NULL;
    waiting_relay *match = find_match(message, TO_HOST, keys);
    if (!match)
        match = find_match(message, TO_ANY, keys);
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
    const packet_info *pinfo = position->pinfo;
    uint64_t keys[KEYS];
    if (position->first_pass && position->archived && (begins || continues) &&
        find_keys(message, begins ? &pinfo->dst : &pinfo->src, begins ? pinfo->destport : pinfo->srcport, keys)) {
        const godot_mp_relay *relay = begins ? keep_client_message(message, keys) : keep_server_message(message, keys);
        const godot_mp_relay **record = relay ? godot_mp_keep_archived(position, GODOT_MP_RELAY, sizeof(void *)) : NULL;
        if (record)
            *record = relay;
    }
    const godot_mp_relay *const *record = godot_mp_find_archived(position, GODOT_MP_RELAY);
    context->findings->relay = record ? *record : NULL;
    context->findings->begins_relay = begins;
}
