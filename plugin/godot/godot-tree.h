/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A Variant as a tree: what the codec's events become in the packet details.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_TREE_H
#define GAMEWIRE_PLUGIN_GODOT_TREE_H

#include "common/compat.h"

#include <gamewire/godot.h>

typedef struct godot_tree_preferences {
    unsigned elements;    /* of a packed array, those shown one by one */
    ws_bool show_headers; /* type, flags, length and padding of every value, not only where they tell something */
    ws_bool show_values;  /* godot.value for every godot.path */
} godot_tree_preferences;

extern godot_tree_preferences godot_tree_prefs;

/* Adds the value at the start of `tvb` to `tree`, which may be NULL, with all its expert infos. Returns how many
 * bytes it takes; all that were captured when decoding stopped before its end. */
unsigned godot_tree_add(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, gw_godot_generation generation);

/* Levels for readers of hostile documents: a UDP datagram can nest no deeper. */
#define GODOT_READER_LEVELS 8192
void godot_options_init(gw_godot_options *options, gw_godot_generation generation);

/* "Dictionary {"a": 1}", "Vector2(1, 2)": the root value as one line, its type named once. */
void godot_print_root(gw_text *text, const uint8_t *bytes, size_t length, gw_godot_generation generation);

#endif
