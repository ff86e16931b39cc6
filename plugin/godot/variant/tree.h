/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds tree items for the events of Variants, which dissect.c reads.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_VARIANT_TREE_H
#define GAMEWIRE_PLUGIN_GODOT_VARIANT_TREE_H

#include "common/demand.h"

#include <gamewire/godot.h>

#include "variants.h"

typedef struct godot_tree_preferences {
    unsigned elements;    /* of a packed array, as separate items */
    ws_bool show_headers; /* show type, key, length and padding always, not only if a filter references them */
    ws_bool show_values;  /* add godot.value next to each godot.path */
} godot_tree_preferences;

extern godot_tree_preferences godot_tree_prefs;

/* Items of each value: its own, and its path. Numbers and what a field's name demands are in addition. */
#define GODOT_ITEMS_OF_VALUE 2U

/* Number of levels for hostile documents: a UDP datagram cannot contain more. */
#define GODOT_READER_LEVELS 8192

/* For all Variants of one tvbuff; in packet scope. */
typedef struct godot_walk godot_walk;
godot_walk *godot_walk_new(packet_info *pinfo, tvbuff_t *tvb);

/* Starts a Variant, whose items are added to `tree`. `options`: with which it is read. `title` and `path` are those of a
 * request, and must be valid until the end of the walk. */
void godot_walk_start(godot_walk *walk, proto_tree *tree, const gw_godot_options *options, const char *title,
                      const char *path);

/* Adds one event. False if the tree has reached its limit: then the event was not added. */
bool godot_walk_add(godot_walk *walk, const gw_godot_event *event);

/* Ends a Variant that was not read completely: closes open containers, and adds the bytes after it. `left_out`: the
 * event at which the limit was reached; NULL: reading ended with a fault. */
void godot_walk_end(godot_walk *walk, const gw_godot_reader *reader, const gw_godot_event *left_out);

/* The item of the Variant itself, after its first event. */
proto_item *godot_walk_root(const godot_walk *walk);
/* Which items are needed. */
const gw_demand *godot_walk_demand(const godot_walk *walk);

/* gw_godot_print() with levels for hostile documents; also for a part of a Variant that is being read. */
void godot_print(gw_text *text, const uint8_t *bytes, size_t length, const gw_godot_options *options);

/* True if the text of a value does not begin with the name of its type. */
bool godot_needs_type_name(const gw_godot_event *event);

#endif
