/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Data of each multiplayer message for the statistics.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_STATISTICS_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_STATISTICS_H

#include "common/compat.h"

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

/* Adds one message to the statistics. `count` is in packet scope; `line`: as in the Info column, or NULL. */
void godot_mp_tap(packet_info *pinfo, godot_mp_count *count, const char *line);

/* Adds the line of a message to its stream in Follow Stream. */
void godot_mp_follow(packet_info *pinfo, tvbuff_t *message, const char *line);

#endif
