/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One multiplayer message on its way from the codec's events to the tree, with what the analysis knows of its ids.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_TREE_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_TREE_H

#include "common/compat.h"

#include <gamewire/godot_multiplayer.h>

#include "analysis.h"
#include "godot/variant/variant.h"
#include "names.h"
#include "statistics.h"

typedef struct godot_multiplayer_message {
    packet_info *pinfo;
    tvbuff_t *tvb;
    const uint8_t *bytes;
    gw_godot_multiplayer_reader reader;
    gw_godot_multiplayer_printer printer;
    bool is_websocket;
    bool wants_line;
    bool wants_values; /* somebody reads the values' texts */
    godot_place place;
    godot_variants *variants;                          /* NULL until the first */
    proto_tree *trees[GW_GODOT_MULTIPLAYER_DEPTH + 2]; /* by depth: where items of that depth go */
    proto_item *items[GW_GODOT_MULTIPLAYER_DEPTH + 2]; /* by depth: what CLOSE completes */
    uint8_t odd_counts[32];

    /* Of the packet that is being read. */
    const godot_path_entry *node;
    const godot_script *script;
    const char *path;   /* of the called node */
    const char *method; /* its name, or NULL */
    const char *scene;
    const godot_synchronizer *synchronizer;
    const char *sync_path;
    uint64_t indexes;
    uint32_t path_id;
    char *checksum;
    bool confirmed;
    godot_spawn_entry spawned;
    uint32_t spawned_id;
    gw_span sync_ids;

    godot_multiplayer_facts facts; /* for the statistics */
} godot_multiplayer_message;

/* Shows one event. Returns what its number means (gw_godot_multiplayer_print_event), or NULL. */
const char *godot_multiplayer_show(godot_multiplayer_message *message, const gw_godot_multiplayer_event *event);
/* Shows what is not read any more, from `offset` on: it is too much. */
void godot_multiplayer_show_rest(godot_multiplayer_message *message, uint32_t offset);
/* Shows where reading ended, if not at the end. */
void godot_multiplayer_show_fault(godot_multiplayer_message *message);

/* findings.c: what the ids of an event mean, and its items. */
const char *godot_multiplayer_show_id(godot_multiplayer_message *message, const gw_godot_multiplayer_event *event,
                                      proto_item *item);
void godot_multiplayer_end_packet(godot_multiplayer_message *message, const gw_godot_multiplayer_event *event);

#endif
