/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The tree -z godot,tree: messages by command, method, property, node and sender, and all bytes of the capture.
 *
 * Each message has its own bytes on the wire. The other bytes of a frame are in one row for each purpose: headers,
 * acknowledgements, retransmissions and so on. The rows of "Bytes of the capture" add up to the capture.
 */
#include "internal.h"

#include <epan/proto_data.h>
#include <gamewire/godot_mp.h>
#include <gamewire/text.h>

#include "common/keys.h"
#include "common/statistics.h"
#include "enet/enet.h"
#include "godot/variant/variants.h"

#define ROW_SIZE 200

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

/* ---- messages ------------------------------------------------------------------------------------------ */

/* The row of a node or a property. A row with rows below it must not have the title of a group: "./Messages" is the same
 * node as "Messages". The titles of Variants have a "by". */
static const char *row_of(wmem_allocator_t *scope, const char *name)
{
    bool is_title = strstr(name, " by ") != NULL;
    for (size_t i = 0; i < GROUPS; i++)
        is_title |= !strcmp(name, groups[i]);
    return is_title ? wmem_strdup_printf(scope, "./%s", name) : name;
}

/* "hit()", "method 5() on Main/Hero", "set hp": different from the titles of groups. */
static void print_method(char *row, const godot_mp_count *count)
{
    bool is_call = count->command == GW_GODOT_MP_CALL;
    gw_text text;
    gw_text_init(&text, row, ROW_SIZE);
    gw_text_string(&text, is_call ? "" : "set ");
    gw_text_string(&text, count->name ? count->name : "unknown");
    gw_text_string(&text, is_call ? "()" : "");
    if (count->script) {
        gw_text_string(&text, " on ");
        gw_text_string(&text, count->script);
    }
}

static void print_sender(char *row, const godot_mp_count *count)
{
    gw_text text;
    gw_text_init(&text, row, ROW_SIZE);
    gw_text_string(&text, count->has_source ? "Peer " : "Unknown peer");
    if (count->has_source)
        gw_text_signed(&text, count->source);
    if (count->source_name) {
        gw_text_string(&text, " (");
        gw_text_string(&text, count->source_name);
        gw_text_char(&text, ')');
    }
}

/* A sync divides its bytes among its synchronizers by their lengths. */
static void count_updates(stats_tree *tree, packet_info *pinfo, const godot_mp_count *count, uint32_t bytes)
{
    uint64_t left = bytes, lengths = 0;
    for (uint32_t i = 0; i < count->update_count; i++)
        lengths += count->updates[i].bytes;
    for (uint32_t i = 0; i < count->update_count; i++) {
        const godot_mp_update_count *update = &count->updates[i];
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

/* `bytes`: of the message, on the wire. */
static void count_message(stats_tree *tree, packet_info *pinfo, const godot_mp_count *count, uint32_t bytes)
{
    char row[ROW_SIZE];
    const char *command = count->command == GW_GODOT_MP_UNKNOWN
                              ? "Peers joining and leaving"
                              : gw_godot_mp_command_name((gw_godot_mp_command)count->command);
    gw_stat_average(tree, groups[MESSAGES], command, count->bytes);
    gw_stat_add(tree, groups[FRAME_BYTES], command, bytes);

    print_sender(row, count);
    gw_stat_average(tree, groups[SENDERS], row, count->bytes);
    gw_stat_add(tree, groups[SENDER_BYTES], row, bytes);

    if (count->command == GW_GODOT_MP_CALL || count->command == GW_GODOT_MP_SET) {
        const char *node = row_of(pinfo->pool, count->path ? count->path : "an unknown path");
        print_method(row, count);
        gw_stat_average_part(tree, groups[CALLS], row, node, count->bytes);
        gw_stat_add_levels(tree, (const char *const[]){ groups[CALL_BYTES], row, node }, 3, (int)bytes);
        gw_stat_add(tree, groups[NODE_BYTES], node, bytes);
    } else if (count->command == GW_GODOT_MP_SPAWN && count->name) {
        const char *node = row_of(pinfo->pool, count->name);
        gw_stat_add(tree, groups[SPAWNS], node, 1);
        gw_stat_add(tree, groups[SPAWN_BYTES], node, bytes);
    } else if (count->command == GW_GODOT_MP_SYNC) {
        count_updates(tree, pinfo, count, bytes);
    }
}

/* ---- the other bytes of frames ------------------------------------------------------------------------- */

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

static void change(frame_bytes *frame, rest_row row, int amount)
{
    frame->rest[row] += (uint64_t)(int64_t)amount;
    frame->changes[row] += amount;
}

/* Removes up to `bytes` bytes from a row. Returns how many. */
static uint32_t remove_from(frame_bytes *frame, rest_row row, uint32_t bytes)
{
    uint32_t removed = (uint32_t)MIN(bytes, frame->rest[row]);
    change(frame, row, -(int)removed);
    return removed;
}

/* Removes bytes of a message or a command from the frame. Those that the frame does not have were in segments of TCP, or
 * fragments of IP, before it. These may have no message, or the end of the message before. Returns how many there were:
 * all, if the tree has no filter. */
static uint32_t remove_bytes(frame_bytes *frame, uint32_t bytes)
{
    uint32_t here = MIN(bytes, frame->left);
    uint32_t removed = remove_from(frame, HEADERS, here);
    frame->left -= here;
    removed += remove_from(frame, NO_MESSAGE, bytes - removed);
    return removed + remove_from(frame, HEADERS, bytes - removed);
}

static uint32_t remove_message(frame_bytes *frame, bool in_fragments, uint32_t bytes)
{
    return in_fragments ? remove_from(frame, FRAGMENTS, bytes) : remove_bytes(frame, bytes);
}

/* ---- frames -------------------------------------------------------------------------------------------- */

static tap_packet_status count_frame(stats_tree *tree, packet_info *pinfo, epan_dissect_t *dissect _U_,
                                     const void *data _U_, tap_flags_t flags _U_)
{
    const godot_mp_count *count = p_get_proto_data(pinfo->pool, pinfo, proto_godot_mp, GW_KEY_GODOT_MP_COUNTS);
    const enet_bytes *enet = enet_bytes_of(pinfo);
    uint32_t documents = godot_count_frame(tree, pinfo);
    frame_bytes frame = { .rest = g_hash_table_lookup(rest_of_trees, tree), .left = pinfo->fd->pkt_len };

    /* 1. All bytes are headers, but for those of commands and, below, of messages. */
    change(&frame, count || enet || documents ? HEADERS : NO_MESSAGE, (int)frame.left);
    for (int i = 0; enet && i < ENET_PURPOSES; i++)
        if (rows_of_commands[i] != HEADERS)
            change(&frame, rows_of_commands[i], (int)remove_bytes(&frame, enet->commands[i]));

    /* 2. Messages of multiplayer; those of ENet are among its messages. */
    uint32_t others = enet ? enet->messages : documents, others_in_fragments = enet ? enet->reassembled : 0;
    for (; count; count = count->next) {
        uint32_t *all = count->in_fragments ? &others_in_fragments : &others;
        if (!count->repeated) {
            count_message(tree, pinfo, count, remove_message(&frame, count->in_fragments, count->wire_bytes));
            if (enet)
                *all -= MIN(*all, count->wire_bytes);
        } else if (!enet) {
            change(&frame, RETRANSMISSIONS, (int)remove_bytes(&frame, count->wire_bytes));
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

static void init_tree(stats_tree *tree)
{
    godot_init_tree(tree);
    if (!rest_of_trees)
        rest_of_trees = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    g_hash_table_insert(rest_of_trees, tree, g_new0(uint64_t, REST_ROWS));
}

static void close_tree(stats_tree *tree)
{
    godot_close_tree(tree);
    if (rest_of_trees)
        g_hash_table_remove(rest_of_trees, tree);
}

/* Not in plugin.c's tap listeners: sharkd does not call those, but shows the tree as well. */
void godot_mp_register_tree(void)
{
    stats_tree_register_plugin("frame", "godot", "Godot" STATS_TREE_MENU_SEPARATOR "Messages and Values", 0,
                               count_frame, init_tree, close_tree);
}
