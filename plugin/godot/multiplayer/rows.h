/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The rows of -z godot,tree to which messages and their bytes belong.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_ROWS_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_ROWS_H

#include "statistics.h"

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

#endif
