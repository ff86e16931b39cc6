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
    uint32_t update_count; /* at most GODOT_MP_COUNTED_UPDATES are listed */
    godot_mp_update_count updates[GODOT_MP_COUNTED_UPDATES];
    struct godot_mp_count *next; /* another message of the same frame */
} godot_mp_count;

/* Registers the tap "godot_mp" and the flow graph. */
void godot_mp_register_statistics(int protocol);

/* True if a tap listens that uses the lines of messages. */
bool godot_mp_is_tapped(void);

/* Adds a message to Follow Stream, the flow graph and the statistics, as far as they are open. `line`: as in the Info
 * column; NULL: not godot_mp_is_tapped(). */
void godot_mp_tap(const godot_mp_tree *tree, const char *line);

/* ==== tree.c ============================================================================================ */

/* The tree -z godot,tree: counts every frame of the capture and all of its bytes. Call at handoff. */
void godot_mp_register_tree(void);

#endif
