/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the files of the statistics share: a part for each file, in the order in which they use each other.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_STATISTICS_INTERNAL_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_STATISTICS_INTERNAL_H

#include "common/compat.h"

#include "godot/multiplayer/internal.h"

/* ==== statistics.c ====================================================================================== */

/* Data of each multiplayer message for the statistics. */

#define GODOT_MP_COUNTED_UPDATES 32

/* The properties of one synchronizer in a sync. */
typedef struct godot_mp_update_count {
    const char *path;
    uint32_t bytes;
} godot_mp_update_count;

/* Texts are in packet scope. */
typedef struct godot_mp_count {
    uint8_t command; /* gw_godot_mp_command of the innermost packet; UNKNOWN without one */
    uint32_t bytes;  /* of the message */
    bool is_in_enet;
    uint32_t ordinal;   /* of the message in its frame, of those of its transport */
    const char *name;   /* method, property or node */
    const char *path;   /* of the node */
    const char *script; /* of a method without a name: the node that stands for all with the same methods; else NULL */
    const char *line;   /* as in the Info column */
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
    uint32_t update_count; /* at most GODOT_MP_COUNTED_UPDATES are listed */
    godot_mp_update_count updates[GODOT_MP_COUNTED_UPDATES];
    struct godot_mp_count *next; /* another message of the same frame */
} godot_mp_count;

/* Registers the tap "godot_mp" and the flow graph; and, at handoff, -z godot,tree. */
void godot_mp_register_statistics(int protocol);
void godot_mp_register_tree(void);

/* True if a tap that uses the lines listens; and if the message is counted, by a tap or by frame. */
bool godot_mp_is_tapped(void);
bool godot_mp_is_counted(void);

/* The message's data, in packet scope. */
godot_mp_count *godot_mp_count_of(const godot_mp_tree *tree);
/* Adds one message to the statistics. `count` is in packet scope; `line`: as in the Info column, or NULL. */
void godot_mp_tap(packet_info *pinfo, godot_mp_count *count, const char *line);

/* Adds the line of a message to its stream in Follow Stream. */
void godot_mp_follow(packet_info *pinfo, tvbuff_t *message, const char *line);

/* ==== rows.c ============================================================================================ */

/* The rows of -z godot,tree to which messages and their bytes belong. */

typedef enum godot_mp_group {
    GODOT_MP_FRAME_BYTES,
    GODOT_MP_MESSAGES,
    GODOT_MP_CALLS,
    GODOT_MP_CALL_BYTES,
    GODOT_MP_PROPERTIES,
    GODOT_MP_PROPERTY_BYTES,
    GODOT_MP_SPAWNS,
    GODOT_MP_SPAWN_BYTES,
    GODOT_MP_NODE_BYTES,
    GODOT_MP_SENDERS,
    GODOT_MP_SENDER_BYTES,
    GODOT_MP_GROUPS
} godot_mp_group;

extern const char *const godot_mp_groups[GODOT_MP_GROUPS];

#define GODOT_MP_ROW_SIZE 200

/* Names of the rows to which a message belongs. */
typedef struct godot_mp_rows {
    const char *command;
    const char *node;
    const char *spawned;            /* NULL: not a spawn */
    char sender[GODOT_MP_ROW_SIZE]; /* empty: not a message of multiplayer */
    char method[GODOT_MP_ROW_SIZE]; /* empty: not a call */
} godot_mp_rows;

void godot_mp_rows_of(godot_mp_rows *rows, wmem_allocator_t *scope, const godot_mp_count *count);

/* The name of a node or property for a row that has rows below it: changed if a group might have this title. */
const char *godot_mp_row(wmem_allocator_t *scope, const char *name);

/* ---- owners of bytes ----------------------------------------------------------------------------------- */

/* What the bytes of a message are: the rows below those of the message. */
typedef enum godot_mp_part {
    GODOT_MP_PAYLOAD,
    GODOT_MP_HEADERS,
    GODOT_MP_FRAGMENT_HEADERS,
    GODOT_MP_RETRANSMISSIONS,
    GODOT_MP_ACKNOWLEDGEMENTS,
    GODOT_MP_PARTS
} godot_mp_part;

/* The texts and owners that are kept for a tree. */
typedef struct godot_mp_owners {
    wmem_allocator_t *memory;
    wmem_map_t *texts;
    wmem_map_t *owners;
} godot_mp_owners;

/* The rows of a message. Each text is kept once, so that the owners of messages with the same rows have the same
 * bytes. */
typedef struct godot_mp_owner {
    const char *command;
    const char *sender; /* NULL: not a message of multiplayer, and so are the others */
    const char *method;
    const char *node;
    const char *spawned;
    uint32_t update_count;
    uint32_t update_bytes;
    godot_mp_update_count updates[GODOT_MP_COUNTED_UPDATES]; /* the last member: only update_count of them are kept */
} godot_mp_owner;

void godot_mp_owners_init(godot_mp_owners *owners, wmem_allocator_t *memory);

/* The owner of a message; and that of what is not a message of multiplayer, with one row. In `scope`. */
godot_mp_owner *godot_mp_owner_of(godot_mp_owners *owners, wmem_allocator_t *scope, const godot_mp_count *count);
godot_mp_owner *godot_mp_owner_other(godot_mp_owners *owners, wmem_allocator_t *scope, const char *command);

/* The same as long as `owners`. All equal ones are kept once. */
const godot_mp_owner *godot_mp_owner_keep(godot_mp_owners *owners, const godot_mp_owner *owner);

/* Copies an owner to `kept`, which is valid as long as `owners`. */
void godot_mp_owner_copy(godot_mp_owner *kept, const godot_mp_owner *owner);

/* Adds bytes to all rows of an owner. */
void godot_mp_owner_add(stats_tree *tree, const godot_mp_owner *owner, godot_mp_part part, uint32_t bytes);

/* Adds `amount`, which may be negative, to a row of "Bytes of the capture" or, unless it is NULL, to the row `below`
 * it. */
void godot_mp_row_add(stats_tree *tree, const char *row, const char *below, int amount);

/* ==== bytes.c =========================================================================================== */

/* Divides the bytes of each frame among the rows of -z godot,tree: a message gets its payload, its share of the headers
 * and, before and after its own frame, its fragments, its retransmissions and the acknowledgements that it causes. The
 * rest is overhead. The rows of a group that divides all bytes add up to those of the capture.
 *
 * A message is known only in the frame of its last fragment. Until then its bytes are in a row of their own and then
 * move, so that the sums are right after each frame, and one pass is sufficient. What this needs is kept for each open
 * tree, not by the dissectors. */

/* A packet of TCP, or those of SCTP in a frame. */
typedef struct godot_mp_segment {
    uint32_t stream; /* number of the connection; even for TCP, odd for SCTP */
    uint32_t payload;
    uint32_t end; /* the sequence number after the payload */
    bool acknowledges;
} godot_mp_segment;

/* Adds what a frame contains of SCTP, while godot_is_counted(). */
void godot_mp_bytes_add_segment(packet_info *pinfo, const godot_mp_segment *segment);

/* Call when a tree is opened or emptied, for each frame, and when it is closed. `counts`: the frame's messages;
 * `documents`: the bytes of its Variants that are not in messages. */
void godot_mp_bytes_begin(stats_tree *tree);
void godot_mp_bytes_add(stats_tree *tree, packet_info *pinfo, const godot_mp_count *counts, uint32_t documents);
void godot_mp_bytes_end(stats_tree *tree);

#endif
