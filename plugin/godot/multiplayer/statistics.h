/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the statistics get of each multiplayer message: plain facts.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_STATISTICS_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_STATISTICS_H

#include "common/compat.h"

#include <gamewire/godot_multiplayer.h>

#include "common/statistics.h"

#define GODOT_FACTS_UPDATES 32

/* The properties of one synchroniser in a sync. */
typedef struct godot_update_facts {
    const char *path;
    uint32_t bytes;
} godot_update_facts;

/* Texts are of the packet's pool. */
typedef struct godot_multiplayer_facts {
    uint8_t command;     /* gw_godot_multiplayer_command of the innermost packet; UNKNOWN without one */
    uint32_t bytes;      /* of the message */
    uint32_t wire_bytes; /* with the carrier's own heads, where it knows them */
    const char *name;    /* method, property or node */
    const char *path;    /* of the node */
    const char *line;    /* as in the Info column */
    bool has_source;
    bool has_target;
    int32_t source;
    int32_t target;
    int32_t receiver;      /* at the other end of the link; 0: unknown */
    bool server_sends;     /* the packet comes from the server's address */
    bool server_receives;  /* it goes there */
    bool repeated;         /* the receiver has had it */
    uint32_t update_count; /* at most GODOT_FACTS_UPDATES are listed */
    godot_update_facts updates[GODOT_FACTS_UPDATES];
    struct godot_multiplayer_facts *next; /* message of the same frame */
} godot_multiplayer_facts;

/* The tap "godot_mp" and the flow graph. */
void godot_multiplayer_register_statistics(int protocol);

/* True when somebody will read the lines. */
bool godot_multiplayer_is_tapped(void);

/* Gives one message to the statistics. The facts must stay until the packet ends. */
void godot_multiplayer_count(packet_info *pinfo, godot_multiplayer_facts *facts);

/* For godot/variant/statistics.c: the groups, and the messages of a frame, whose bytes all go to `all_bytes` too. False
 * when it has none. */
void godot_multiplayer_init_tree(stats_tree *tree);
bool godot_multiplayer_count_frame(stats_tree *tree, packet_info *pinfo, const gw_stat_group *all_bytes);

#endif
