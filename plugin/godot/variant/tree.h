/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds tree items for the events of Variants, which message.c reads.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_VARIANT_TREE_H
#define GAMEWIRE_PLUGIN_GODOT_VARIANT_TREE_H

#include "common/demand.h"

#include <gamewire/godot.h>

#include "variant.h"

typedef struct godot_tree_preferences {
    unsigned elements;    /* of a packed array, shown one by one */
    ws_bool show_headers; /* every type, key, length and padding, not only those that a filter names */
    ws_bool show_values;  /* godot.value beside each godot.path */
} godot_tree_preferences;

extern godot_tree_preferences godot_tree_prefs;

/* Levels for readers of hostile documents: a UDP datagram can nest no deeper. */
#define GODOT_READER_LEVELS 8192

/* For all Variants of one tvbuff; in packet scope. */
typedef struct godot_walk godot_walk;
godot_walk *godot_walk_new(packet_info *pinfo, tvbuff_t *tvb);

/* Begins a Variant, whose items go into `tree`. Of the request, title, path and line are used: they live as long as
 * the walk. */
void godot_walk_start(godot_walk *walk, proto_tree *tree, gw_godot_generation generation,
                      const godot_variant_request *request);

/* Shows one event. False when the tree has grown as large as it may: then the event was not taken. */
bool godot_walk_take(godot_walk *walk, const gw_godot_event *event);

/* Ends a Variant that was not read to its end: closes what is open, and shows the bytes after it. `left_out`: the event
 * that came when the walk was full; NULL: reading ended with a fault. */
void godot_walk_end(godot_walk *walk, const gw_godot_reader *reader, const gw_godot_event *left_out);

/* The item of the Variant itself, once its first event was taken. */
proto_item *godot_walk_root(const godot_walk *walk);
/* What the items are needed for. */
const gw_demand *godot_walk_demand(const godot_walk *walk);

/* True when the text of a value does not begin with the name of its type. */
bool godot_needs_type_name(const gw_godot_event *event);

#endif
