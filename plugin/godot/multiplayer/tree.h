/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The codec's events as items of the tree, with expert infos for oddities.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_TREE_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_TREE_H

#include "common/demand.h"

#include <gamewire/godot_mp.h>

#include "dissect.h"
#include "godot/variant/variants.h"
#include "name_tables.h"

/* The state of the tree of one message, and the names that the displayed packet uses. */
typedef struct godot_mp_tree {
    const godot_mp_message *message;
    packet_info *pinfo;
    tvbuff_t *tvb;
    gw_demand demand;
    bool is_wanted; /* items of this protocol or of its Variants are referenced; expert infos are added in any case */
    bool wants_values;                        /* the values' texts are referenced */
    bool wants_variants;                      /* Variants are referenced, or have something to report */
    godot_variants *variants;                 /* NULL until the first Variant */
    proto_tree *trees[GW_GODOT_MP_DEPTH + 2]; /* by depth: the parent of items at that depth */
    proto_item *items[GW_GODOT_MP_DEPTH + 2]; /* by depth: the item that CLOSE completes */
    uint8_t odd_counts[32];

    /* naming.c: the names of the ids. */
    uint32_t update; /* index of the update that is shown */
    const godot_script *script;
    const char *method;      /* name of the called method; NULL: not known */
    const char *scene;       /* file; NULL: not known */
    const char *state_scene; /* the scene whose properties the values of the state are; NULL: not known */
    const godot_synchronizer *synchronizer;
} godot_mp_tree;

/* `parent`: the parent of the protocol's item, or NULL. */
void godot_mp_tree_init(godot_mp_tree *tree, const godot_mp_message *message, proto_tree *parent);

/* Adds the items of one event; call it for each, in order. `name`: the name of the event's number, or NULL. `text`: the
 * text of its value, if wants_values is set. Returns the item, or NULL. */
proto_item *godot_mp_tree_add(godot_mp_tree *tree, const gw_godot_mp_event *event, const char *name, const char *text);
/* Adds the bytes after the last event that were not read, or the fault at which reading stopped. */
void godot_mp_tree_end(const godot_mp_tree *tree);

/* The item for an expert info on `item`: the protocol's item if `item` was not added. */
static inline proto_item *godot_mp_expert_item(const godot_mp_tree *tree, proto_item *item)
{
    return item ? item : tree->items[0];
}

#endif
