/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The tap "godot_mp" with its flow graph, Follow Stream, and the tree -z godot,tree: messages by command, method,
 * property, node and sender, and all bytes of the capture.
 */
#include "internal.h"

#include "names/internal.h"

#include <epan/proto_data.h>
#include <epan/tap.h>
#include <epan/to_str.h>
#include <gamewire/text.h>

#include "common/conversation.h"
#include "common/keys.h"
#include "common/menus/connections.h"
#include "common/menus/conversation_filter.h"
#include "common/menus/flow_graph.h"
#include "common/menus/statistics.h"

/* In the statistics, of a sync. */
#define COUNTED_UPDATES 32

#define ROW_SIZE 200

/* The properties of one synchronizer in a sync. */
typedef struct counted_update {
    const char *path;
    uint32_t bytes;
} counted_update;

/* The data of one message that the flow graph and the tree use. Texts are in packet scope. */
typedef struct message_summary {
    uint8_t command;     /* gw_godot_mp_command of the innermost packet; UNKNOWN without one */
    uint32_t bytes;      /* of the message */
    uint32_t wire_bytes; /* of these, on the wire: less if they were compressed */
    bool in_fragments;   /* of ENet */
    const char *name;    /* method, property or node */
    const char *path;    /* of the node */
    const char *script;  /* of a method without a name: the node that stands for all with the same methods; else NULL */
    const char *line;    /* as in the Info column */
    bool has_source;
    bool has_target;
    int32_t source;
    int32_t target;
    int32_t receiver;        /* at the other end of the connection; 0: unknown */
    const char *source_name; /* names of players; NULL: not known */
    const char *target_name;
    const char *receiver_name;
    bool server_sends;     /* the packet is from the server's address */
    bool server_receives;  /* the packet is sent to the server's address */
    bool repeated;         /* the receiver already received it */
    uint32_t update_count; /* at most COUNTED_UPDATES are listed */
    counted_update updates[COUNTED_UPDATES];
    struct message_summary *next; /* another message of the same frame */
} message_summary;

static int tap = -1;
static int follow_tap = -1;

/* True if the flow graph or Follow Stream listens, both of which use the lines of messages. */
bool godot_mp_is_tapped(void)
{
    return have_tap_listener(tap) || have_tap_listener(follow_tap);
}

/* ---- Follow Stream: the lines of the messages between two peers, without copies ------------------------- */

/* The filter for the connection with this number. The caller frees it. */
static char *filter_stream(unsigned stream, unsigned sub_stream _U_)
{
    return g_strdup_printf("godot_mp.stream == %u", stream);
}

/* The number of connections in the file, for the selection in Follow Stream. */
static uint32_t count_streams(void)
{
    return godot_mp_current.connections;
}

/* The filter for the connection of the selected frame, whose number is set; NULL: the frame has no message. */
static char *find_stream(epan_dissect_t *dissect _U_, packet_info *pinfo, unsigned *stream, unsigned *sub_stream _U_)
{
    return godot_mp_find_stream(pinfo, stream) ? filter_stream(*stream, 0) : NULL;
}

/* The filter of the menu of conversations; NULL: the frame has no message. */
static char *filter_conversation(GW_CONVERSATION_FILTER_PARAMETERS)
{
    uint32_t stream;
    return godot_mp_find_stream(pinfo, &stream) ? filter_stream(stream, 0) : NULL;
}

/* True if the menu of conversations applies to the frame. */
static ws_bool has_conversation(GW_CONVERSATION_FILTER_PARAMETERS)
{
    uint32_t stream;
    return godot_mp_find_stream(pinfo, &stream);
}

/* ---- the flow graph ------------------------------------------------------------------------------------ */

/* The name of a peer in the flow graph: "client 7" or, with a player's name, "Anna (7)". Peers are identified by their
 * ids, which relayed messages contain too. The server of each game has the same id: "server at" its address, if it
 * sends or receives this message. */
static const char *node_of(packet_info *pinfo, const message_summary *summary, int32_t id, const char *name)
{
    if (!id)
        return NULL;
    if (name && id != GW_GODOT_MP_SERVER)
        return wmem_strdup_printf(pinfo->pool, "%s (%d)", name, id);
    if (id != GW_GODOT_MP_SERVER)
        return wmem_strdup_printf(pinfo->pool, "client %d", id);
    if (!summary->server_sends && !summary->server_receives)
        return "server";
    return wmem_strdup_printf(pinfo->pool, "server at %s:%u",
                              address_to_str(pinfo->pool, summary->server_sends ? &pinfo->src : &pinfo->dst),
                              summary->server_sends ? pinfo->srcport : pinfo->destport);
}

/* Adds the message as an arrow between the peers it is from and for. `data`: its message_summary. */
static tap_packet_status add_arrow(void *graph, packet_info *pinfo, epan_dissect_t *dissect _U_, const void *data,
                                   tap_flags_t flags _U_)
{
    const message_summary *summary = data;
    const char *line = summary->line ? summary->line : "";
    gw_arrow arrow = { .label = line, .comment = line, .dashed = summary->repeated };
    /* "hit(12) on Main" of "Relay to client 7: RPC hit(12) on Main": the ends of the arrow are the peers that send and
     * receive the call. */
    const char *relayed = g_str_has_prefix(line, "Relay ") ? strstr(line, ": ") : NULL;
    if (relayed)
        arrow.label = relayed + strlen(": ");
    if (g_str_has_prefix(arrow.label, "RPC "))
        arrow.label += strlen("RPC ");
    arrow.source = node_of(pinfo, summary, summary->has_source ? summary->source : 0, summary->source_name);
    /* Sent to all peers, or to all but one: this packet is for one of them. */
    if (summary->has_target && summary->target > 0)
        arrow.target = node_of(pinfo, summary, summary->target, summary->target_name);
    else
        arrow.target = node_of(pinfo, summary, summary->receiver, summary->receiver_name);
    gw_flow_graph_add(graph, pinfo, &arrow);
    return TAP_PACKET_REDRAW;
}

/* ---- the data of a message ------------------------------------------------------------------------------ */

/* Lists the updates of a sync that were read completely, up to COUNTED_UPDATES, with their paths and lengths: by these
 * the statistics divide the bytes of the sync (count_bytes_of_updates()). */
static void count_updates(const godot_mp_tree *tree, message_summary *summary)
{
    const godot_mp_facts *facts = &tree->message->facts;
    for (uint32_t i = 0; i < facts->update_count && summary->update_count < COUNTED_UPDATES; i++) {
        if (!facts->updates[i].is_whole)
            continue;
        const char *path = godot_printable(tree->pinfo, godot_mp_path_of_update(tree, godot_mp_update_at(tree, i)));
        if (!path)
            path = wmem_strdup_printf(tree->pinfo->pool, "net id %u", facts->updates[i].net_id);
        summary->updates[summary->update_count++] = (counted_update){ path, facts->updates[i].length };
    }
}

/* Sets the name of the method, property or spawned node, and the path of the node. Methods of different scripts have
 * the same numbers: a method without a name has the path of a node whose methods have the same checksum, the first in
 * the file. */
static void count_name(const godot_mp_tree *tree, message_summary *summary)
{
    const godot_mp_facts *facts = &tree->message->facts;
    const godot_mp_path *entry = tree->message->findings->path.entry;
    packet_info *pinfo = tree->pinfo;
    const char *name = NULL, *script = NULL;
    if (facts->command == GW_GODOT_MP_SPAWN && facts->spawns)
        name = facts->name;
    if (facts->command == GW_GODOT_MP_CALL || facts->command == GW_GODOT_MP_SET) {
        bool is_number = !tree->method && tree->message->reader.generation == GW_GODOT_4;
        name = is_number ? wmem_strdup_printf(pinfo->pool, "method %u", facts->method_id) : tree->method;
        if (is_number && facts->command == GW_GODOT_MP_CALL) {
            script = entry ? entry->path : facts->path;
            if (entry && entry->script)
                script = entry->script->first_path;
            if (!script)
                script = wmem_strdup_printf(pinfo->pool, "#%u", facts->path_id);
        }
    }
    summary->name = godot_printable(pinfo, name);
    summary->path = godot_printable(pinfo, facts->path || !entry ? facts->path : entry->path);
    summary->script = godot_printable(pinfo, script);
}

/* The printable name of the peer's player; NULL: none, or the id is not that of one peer. */
static const char *counted_player(const godot_mp_tree *tree, int32_t id)
{
    return id > 0 ? godot_printable(tree->pinfo, godot_mp_player(tree->message, id)) : NULL;
}

/* ---- the table of connections --------------------------------------------------------------------------- */

/* The player of a connection is the end that is not the server; without a server, both ends are. NULL: not known. */
static const char *player_of(const godot_mp_message *message)
{
    const int32_t ids[] = { message->findings->sender.id, message->findings->receiver.id };
    /* `first` is the end at side 0, which may be the sender or the receiver: one order in both directions. */
    uint8_t side = message->position.side;
    int32_t first = ids[side], second = ids[1 - side];
    if (first > GW_GODOT_MP_SERVER && second > GW_GODOT_MP_SERVER)
        return wmem_strdup_printf(message->pinfo->pool, "%s and %s",
                                  godot_mp_peer_text(message, first, GODOT_MP_IN_COLUMN),
                                  godot_mp_peer_text(message, second, GODOT_MP_IN_COLUMN));
    int32_t id = MAX(first, second);
    return id > GW_GODOT_MP_SERVER ? godot_mp_peer_text(message, id, GODOT_MP_IN_COLUMN) : NULL;
}

/* Adds the message to the row of its connection. ENet counts its own messages and bytes: here its row only gets the
 * player and the number of late updates. */
static void count_connection(const godot_mp_message *message)
{
    const enet_message *enet = message->carrier->enet;
    const godot_mp_connection *connection = message->position.connection;
    if (!enet && (!connection || connection->number == GODOT_MP_NO_STREAM))
        return;
    gw_connection_part part = { .protocol = enet ? GW_CONNECTION_ENET : GW_CONNECTION_GODOT_MP,
                                .number = enet ? enet->connection : connection->number,
                                .player = player_of(message) };
    if (!enet) {
        part.bytes = message->reader.length;
        part.messages = !message->position.repeated;
        part.sent_again = message->position.repeated;
        if (message->findings->sender.id == GW_GODOT_MP_SERVER)
            part.client = GW_CLIENT_RECEIVES;
        else if (message->findings->receiver.id == GW_GODOT_MP_SERVER)
            part.client = GW_CLIENT_SENDS;
    }
    for (uint32_t i = 0; i < message->facts.update_count && !message->position.repeated; i++)
        part.late += message->findings->updates[i].interval.is_late;
    gw_connection_add(message->pinfo, &part);
}

/* ---- the taps ------------------------------------------------------------------------------------------ */

/* Passes a message to the table of connections, Follow Stream, the flow graph and the tree, as far as they are open.
 * `line`: as in the Info column; NULL: it was not needed. */
void godot_mp_tap(const godot_mp_tree *tree, const char *line)
{
    packet_info *pinfo = tree->pinfo;
    const godot_mp_message *message = tree->message;
    /* 1. The table of connections and Follow Stream. What an ICMP error quotes is not counted. */
    if (gw_connections_are_counted() && !gw_is_quoted(pinfo))
        count_connection(message);
    const godot_mp_findings *findings = message->findings;
    const enet_message *enet = message->carrier->enet;
    if (line && !message->position.repeated && have_tap_listener(follow_tap))
        gw_follow_line(follow_tap, pinfo, message->tvb, line);
    if (gw_is_quoted(pinfo) || !(gw_stat_is_open(&gw_stat_frame_trees) || godot_mp_is_tapped()))
        return;
    /* 2. The data for the flow graph and the tree. */
    message_summary *summary = wmem_new0(pinfo->pool, message_summary);
    summary->command = message->facts.command;
    summary->bytes = message->reader.length;
    summary->wire_bytes = enet ? enet->wire_length : summary->bytes;
    summary->in_fragments = enet && enet->reassembled;
    summary->line = line;
    count_name(tree, summary);
    summary->has_source = findings->has_source;
    summary->has_target = findings->has_target;
    summary->source = findings->source;
    summary->target = findings->target;
    summary->receiver = findings->receiver.id;
    summary->source_name = summary->has_source ? counted_player(tree, summary->source) : NULL;
    summary->target_name = summary->has_target ? counted_player(tree, summary->target) : NULL;
    summary->receiver_name = counted_player(tree, summary->receiver);
    summary->server_sends = findings->sender.id == GW_GODOT_MP_SERVER;
    summary->server_receives = findings->receiver.id == GW_GODOT_MP_SERVER;
    summary->repeated = message->position.repeated;
    count_updates(tree, summary);
    /* 3. The flow graph gets each message from the tap; the tree, which counts frames, has a list of the frame's
     *    messages. */
    summary->next = p_get_proto_data(pinfo->pool, pinfo, proto_godot_mp, GW_KEY_GODOT_MP_COUNTS);
    p_set_proto_data(pinfo->pool, pinfo, proto_godot_mp, GW_KEY_GODOT_MP_COUNTS, summary);
    tap_queue_packet(tap, pinfo, summary);
}

/* ---- the tree: messages ----------------------------------------------------------------------------------- */

/* Each message has its own bytes on the wire. The other bytes of a frame are in one row for each purpose: headers,
 * acknowledgements, retransmissions and so on. The rows of "Bytes of the capture" add up to the capture. */

enum {
    FRAME_BYTES,
    MESSAGES,
    CALLS,
    CALL_BYTES,
    PROPERTIES,
    PROPERTY_BYTES,
    SPAWNS,
    SPAWN_BYTES,
    NODE_BYTES,
    SENDERS,
    SENDER_BYTES,
    GROUPS
};

static const char *const groups[GROUPS] = {
    [FRAME_BYTES] = "Bytes of the capture",
    [MESSAGES] = "Messages",
    [CALLS] = "Calls",
    [CALL_BYTES] = "Bytes of calls",
    [PROPERTIES] = "Synchronized properties",
    [PROPERTY_BYTES] = "Bytes of synchronized properties",
    [SPAWNS] = "Spawned nodes",
    [SPAWN_BYTES] = "Bytes of spawned nodes",
    [NODE_BYTES] = "Bytes of calls and properties by node",
    [SENDERS] = "Messages by sender",
    [SENDER_BYTES] = "Bytes by sender",
};

/* The title of the row of a node or a property. A row with rows below it must not have the title of a group: such a
 * name gets "./" in front, since "./Messages" is the same node as "Messages". The groups of Variants, in the same tree,
 * have titles with "by". */
static const char *row_of(wmem_allocator_t *scope, const char *name)
{
    bool is_title = strstr(name, " by ") != NULL;
    for (size_t i = 0; i < GROUPS; i++)
        is_title |= !strcmp(name, groups[i]);
    return is_title ? wmem_strdup_printf(scope, "./%s", name) : name;
}

/* Writes the title of the row of a call or set: "hit()", "set hp" or, for a method without a name, "method 5() on
 * Main/Hero", with a node that has the same methods (summary->script). It is different from the titles of groups, which
 * no row with rows below it may have (row_of()). */
static void print_method(char *row, const message_summary *summary)
{
    bool is_call = summary->command == GW_GODOT_MP_CALL;
    gw_text text;
    gw_text_init(&text, row, ROW_SIZE);
    gw_text_string(&text, is_call ? "" : "set ");
    gw_text_string(&text, summary->name ? summary->name : "unknown");
    gw_text_string(&text, is_call ? "()" : "");
    if (summary->script) {
        gw_text_string(&text, " on ");
        gw_text_string(&text, summary->script);
    }
}

/* Divides the bytes of a sync among its synchronizers by their lengths, so that the parts add up to `bytes` exactly:
 * each takes its share of what is left. */
static void count_bytes_of_updates(stats_tree *tree, packet_info *pinfo, const message_summary *summary, uint32_t bytes)
{
    uint64_t left = bytes, lengths = 0;
    for (uint32_t i = 0; i < summary->update_count; i++)
        lengths += summary->updates[i].bytes;
    for (uint32_t i = 0; i < summary->update_count; i++) {
        const counted_update *update = &summary->updates[i];
        const char *row = row_of(pinfo->pool, update->path);
        uint32_t part = lengths ? (uint32_t)(left * update->bytes / lengths) : 0;
        left -= part;
        lengths -= update->bytes;
        gw_stat_average(tree, groups[PROPERTIES], row, update->bytes);
        gw_stat_add(tree, groups[PROPERTY_BYTES], row, part);
        gw_stat_add(tree, groups[NODE_BYTES], row, part);
    }
    if (left) {
        gw_stat_add(tree, groups[PROPERTY_BYTES], "unknown", (uint32_t)left);
        gw_stat_add(tree, groups[NODE_BYTES], "unknown", (uint32_t)left);
    }
}

/* Writes the name of the peer that sent the message first into the row: "server", "client 7", or "Anna (7)" with a
 * player's name, since two players may have one name. */
static void print_sender(char row[ROW_SIZE], const message_summary *summary)
{
    gw_text text;
    gw_text_init(&text, row, ROW_SIZE);
    if (!summary->has_source) {
        gw_text_string(&text, "unknown peer");
    } else if (summary->source_name) {
        gw_text_string(&text, summary->source_name);
        gw_text_string(&text, " (");
        gw_text_signed(&text, summary->source);
        gw_text_char(&text, ')');
    } else if (summary->source == GW_GODOT_MP_SERVER) {
        gw_text_string(&text, "server");
    } else {
        gw_text_string(&text, "client ");
        gw_text_signed(&text, summary->source);
    }
}

/* Counts a message in the rows of its command, sender, method or node. `bytes`: of the message, on the wire. */
static void count_message(stats_tree *tree, packet_info *pinfo, const message_summary *summary, uint32_t bytes)
{
    char row[ROW_SIZE];
    const char *command = summary->command == GW_GODOT_MP_UNKNOWN
                              ? "Peers joining and leaving"
                              : gw_godot_mp_command_name((gw_godot_mp_command)summary->command);
    gw_stat_average(tree, groups[MESSAGES], command, summary->bytes);
    gw_stat_add(tree, groups[FRAME_BYTES], command, bytes);

    print_sender(row, summary);
    gw_stat_average(tree, groups[SENDERS], row, summary->bytes);
    gw_stat_add(tree, groups[SENDER_BYTES], row, bytes);

    if (summary->command == GW_GODOT_MP_CALL || summary->command == GW_GODOT_MP_SET) {
        const char *node = row_of(pinfo->pool, summary->path ? summary->path : "an unknown path");
        print_method(row, summary);
        /* Three levels: the group, below the root (0); the method; the node, which has no rows below it. */
        int group = avg_stat_node_add_value_int(tree, groups[CALLS], 0, true, (int)summary->bytes);
        int method = avg_stat_node_add_value_int(tree, row, group, true, (int)summary->bytes);
        avg_stat_node_add_value_int(tree, node, method, false, (int)summary->bytes);
        gw_stat_add_levels(tree, (const char *const[]){ groups[CALL_BYTES], row, node }, 3, (int)bytes);
        gw_stat_add(tree, groups[NODE_BYTES], node, bytes);
    } else if (summary->command == GW_GODOT_MP_SPAWN && summary->name) {
        const char *node = row_of(pinfo->pool, summary->name);
        gw_stat_add(tree, groups[SPAWNS], node, 1);
        gw_stat_add(tree, groups[SPAWN_BYTES], node, bytes);
    } else if (summary->command == GW_GODOT_MP_SYNC) {
        count_bytes_of_updates(tree, pinfo, summary, bytes);
    }
}

/* ---- the tree: the other bytes of frames ------------------------------------------------------------------ */

/* Rows of "Bytes of the capture". Fragments are those of ENet: what remains when a message is complete and has its own
 * bytes are their headers. Frames without a message include segments of TCP, acknowledgements of TCP and SCTP, and
 * handshakes. */
typedef enum rest_row {
    HEADERS,
    ACKNOWLEDGEMENTS,
    RETRANSMISSIONS,
    FRAGMENTS,
    CONNECTION,
    NO_MESSAGE,
    REST_ROWS
} rest_row;

static const char *const rest_names[REST_ROWS] = {
    [HEADERS] = "Headers",     [ACKNOWLEDGEMENTS] = "Acknowledgements", [RETRANSMISSIONS] = "Retransmissions",
    [FRAGMENTS] = "Fragments", [CONNECTION] = "Other commands",         [NO_MESSAGE] = "Frames without a message",
};

static const rest_row rows_of_commands[ENET_PURPOSES] = {
    [ENET_MANAGES] = CONNECTION,
    [ENET_SENDS] = HEADERS, /* without the bytes of its message */
    [ENET_SENDS_FRAGMENT] = FRAGMENTS,
    [ENET_SENDS_AGAIN] = RETRANSMISSIONS,
    [ENET_ACKNOWLEDGES] = ACKNOWLEDGEMENTS,
};

/* The bytes that these rows have, for each open tree: stats_tree -> uint64_t[REST_ROWS]. */
static GHashTable *rest_of_trees;

/* The frame that is counted. */
typedef struct frame_bytes {
    uint64_t *rest;         /* of the tree, with this frame */
    int changes[REST_ROWS]; /* by this frame; negative where a message has bytes of frames before it */
    uint32_t left;          /* bytes of this frame that are still in HEADERS */
} frame_bytes;

/* Adds `amount` bytes, which may be negative, to a row. */
static void change_row(frame_bytes *frame, rest_row row, int amount)
{
    frame->rest[row] += (uint64_t)(int64_t)amount;
    frame->changes[row] += amount;
}

/* Removes up to `bytes` bytes from a row. Returns how many. */
static uint32_t remove_from_row(frame_bytes *frame, rest_row row, uint32_t bytes)
{
    uint32_t removed = (uint32_t)MIN(bytes, frame->rest[row]);
    change_row(frame, row, -(int)removed);
    return removed;
}

/* Removes bytes of a message or a command, which are counted in another row, from the rows that have them so far: from
 * the frame's headers; those that the frame does not have were in segments of TCP, or fragments of IP, before it: from
 * NO_MESSAGE or, if that frame also had the end of a message, from HEADERS. Returns how many there were: all, if the
 * tree has no filter. */
static uint32_t remove_bytes(frame_bytes *frame, uint32_t bytes)
{
    uint32_t in_frame = MIN(bytes, frame->left);
    uint32_t removed = remove_from_row(frame, HEADERS, in_frame);
    frame->left -= in_frame;
    removed += remove_from_row(frame, NO_MESSAGE, bytes - removed);
    return removed + remove_from_row(frame, HEADERS, bytes - removed);
}

/* Removes a message's bytes: of a reassembled one, from the fragments, in this frame and those before it. */
static uint32_t remove_message(frame_bytes *frame, bool in_fragments, uint32_t bytes)
{
    return in_fragments ? remove_from_row(frame, FRAGMENTS, bytes) : remove_bytes(frame, bytes);
}

/* ---- the tree: frames ------------------------------------------------------------------------------------- */

/* Counts the bytes of a frame, each in one row: those of its messages by message, the others by purpose (rest_row).
 * `documents`: bytes of Variants outside of multiplayer, which godot_count_frame() has counted. */
static tap_packet_status count_frame(stats_tree *tree, packet_info *pinfo, epan_dissect_t *dissect _U_,
                                     const void *data _U_, tap_flags_t flags _U_)
{
    const message_summary *summary = p_get_proto_data(pinfo->pool, pinfo, proto_godot_mp, GW_KEY_GODOT_MP_COUNTS);
    const enet_bytes *enet = enet_bytes_of(pinfo);
    uint32_t documents = godot_count_frame(tree, pinfo);
    frame_bytes frame = { .rest = g_hash_table_lookup(rest_of_trees, tree), .left = pinfo->fd->pkt_len };

    /* 1. All bytes are headers, but for those of commands and, below, of messages. */
    change_row(&frame, summary || enet || documents ? HEADERS : NO_MESSAGE, (int)frame.left);
    for (int i = 0; enet && i < ENET_PURPOSES; i++)
        if (rows_of_commands[i] != HEADERS) /* what stays in HEADERS needs no change */
            change_row(&frame, rows_of_commands[i], (int)remove_bytes(&frame, enet->commands[i]));

    /* 2. Messages of multiplayer; those of ENet are among its messages. Step 1 has counted repeated ones of ENet. */
    uint32_t others = enet ? enet->messages : documents, others_in_fragments = enet ? enet->reassembled : 0;
    for (; summary; summary = summary->next) {
        uint32_t *all = summary->in_fragments ? &others_in_fragments : &others;
        if (!summary->repeated) {
            count_message(tree, pinfo, summary, remove_message(&frame, summary->in_fragments, summary->wire_bytes));
            if (enet)
                *all -= MIN(*all, summary->wire_bytes);
        } else if (!enet) {
            change_row(&frame, RETRANSMISSIONS, (int)remove_bytes(&frame, summary->wire_bytes));
        }
    }

    /* 3. Other messages. */
    uint32_t bytes = remove_message(&frame, false, others) + remove_message(&frame, true, others_in_fragments);
    if (bytes)
        gw_stat_add(tree, groups[FRAME_BYTES], documents ? "Variants" : "Other messages", bytes);
    for (int row = 0; row < REST_ROWS; row++)
        if (frame.changes[row])
            gw_stat_add_levels(tree, (const char *const[]){ groups[FRAME_BYTES], rest_names[row] }, 2,
                               frame.changes[row]);
    return TAP_PACKET_REDRAW;
}

/* Begins a tree of statistics, with its own counters of the bytes outside of messages (rest_row), which count_frame()
 * finds by the tree: Wireshark may show several trees at once. */
static void init_tree(stats_tree *tree)
{
    gw_stat_opened(&gw_stat_frame_trees, tree);
    if (!rest_of_trees)
        rest_of_trees = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    g_hash_table_insert(rest_of_trees, tree, g_new0(uint64_t, REST_ROWS));
}

/* Ends a tree of statistics, and frees its counters. */
static void close_tree(stats_tree *tree)
{
    gw_stat_closed(&gw_stat_frame_trees, tree);
    if (rest_of_trees)
        g_hash_table_remove(rest_of_trees, tree);
}

/* ---- registration -------------------------------------------------------------------------------------- */

/* Registers the taps, and the menus and -z options that use them. */
void godot_mp_register_statistics(int protocol)
{
    tap = register_tap("godot_mp");
    follow_tap = register_tap("godot_mp_follow");
    gw_register_follow(protocol, "godot_mp_follow", &(gw_follow){ find_stream, filter_stream, count_streams });
    gw_register_conversation_filter("godot_mp", "GodotMP", has_conversation, filter_conversation);
    gw_register_flow_graph("godot", "Godot", protocol, "godot_mp", add_arrow);
    stats_tree_register_plugin("frame", "godot", "Godot" STATS_TREE_MENU_SEPARATOR "Messages and Values", 0,
                               count_frame, init_tree, close_tree);
}
