/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Messages of the remote debugger as items.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_DEBUGGER_TREE_H
#define GAMEWIRE_PLUGIN_GODOT_DEBUGGER_TREE_H

#include "common/compat.h"

#include "debugger.h"

/* The state of the tree of one message. */
typedef struct godot_debugger_tree {
    packet_info *pinfo;
    tvbuff_t *tvb;
    const uint8_t *bytes;
    const gw_godot_debugger_reader *reader;
    godot_variants *variants; /* of all Variants in the tvbuff that are added as Variants */
    uint32_t *items_left;     /* of the whole packet */
    uint32_t hidden_from;     /* first offset that is not shown; 0: everything is shown */
    uint32_t arguments;
    uint8_t experts[32];
    proto_item *items[GW_GODOT_DEBUGGER_DEPTH + 2]; /* [depth]: the group of that depth */
    proto_tree *trees[GW_GODOT_DEBUGGER_DEPTH + 2]; /* [depth]: the parent of values at that depth; [0]: NULL without
                                                       a tree */
} godot_debugger_tree;

/* Adds the layer of a message whose reader was initialized. `shown` is all zero. */
void godot_debugger_tree_begin(godot_debugger_tree *shown, const godot_debugger_input *input,
                               const gw_godot_debugger_reader *reader);
/* Adds an event's items, and its expert infos, with or without a tree. */
void godot_debugger_tree_add(godot_debugger_tree *shown, const gw_godot_debugger_event *event);
/* Call it after the last event. */
void godot_debugger_tree_end(const godot_debugger_tree *shown);

#endif
