/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The codec's events as items of the tree, with expert infos on what is odd.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_TREE_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_TREE_H

#include "common/demand.h"

#include <gamewire/godot_multiplayer.h>

#include "godot/variant/variant.h"
#include "message.h"
#include "names.h"

/* One message's items, and the names that belong to the packet that is being shown. */
typedef struct godot_mp_tree {
    const godot_mp_message *message;
    packet_info *pinfo;
    tvbuff_t *tvb;
    gw_demand demand;
    bool is_wanted;           /* items of this protocol or of its Variants are; expert infos are added all the same */
    bool wants_values;        /* the values' texts are */
    bool wants_variants;      /* Variants are, or they hold something to report */
    godot_variants *variants; /* NULL until the first */
    proto_tree *trees[GW_GODOT_MULTIPLAYER_DEPTH + 2]; /* by depth: where items of that depth go */
    proto_item *items[GW_GODOT_MULTIPLAYER_DEPTH + 2]; /* by depth: what CLOSE completes */
    uint8_t odd_counts[32];

    /* labels.c: what the ids stand for. */
    uint32_t update; /* index of the update that is being shown */
    const godot_script *script;
    const char *method;      /* name of the called method; NULL: not known */
    const char *scene;       /* file; NULL: not known */
    const char *state_scene; /* whose properties the values of the state are; NULL: not known */
    const godot_synchronizer *synchronizer;
} godot_mp_tree;

/* `parent`: where the protocol's item goes, or NULL. */
void godot_mp_tree_init(godot_mp_tree *tree, const godot_mp_message *message, proto_tree *parent);

/* Adds the items of one event; call it for each, in order. `name`: what the event's number stands for, or NULL.
 * `text`: the value of one that has a value, as far as wants_values. Returns the item, or NULL. */
proto_item *godot_mp_tree_add(godot_mp_tree *tree, const gw_godot_multiplayer_event *event, const char *name,
                              const char *text);
/* Adds what is after the last event: what was not read, or the fault at which reading stopped. */
void godot_mp_tree_end(const godot_mp_tree *tree);

/* The item that carries an expert info on `item`: the protocol's when that was not added. */
static inline proto_item *godot_mp_expert_item(const godot_mp_tree *tree, proto_item *item)
{
    return item ? item : tree->items[0];
}

#endif
