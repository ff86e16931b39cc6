/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names for the ids in a packet, from the analysis and from the tables of names; or the reason why there is none.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_NAMING_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_NAMING_H

#include "tree.h"

/* The name for the event's number, for gw_godot_mp_print_event(); NULL: not known. Call it for each event, in
 * order. */
const char *godot_mp_label(godot_mp_tree *tree, const gw_godot_mp_event *event);
/* Why the name of the event's number is not known and how to get it, as a text that continues an item's label; NULL: no
 * name is missing. Call it after godot_mp_label(). */
const char *godot_mp_label_missing(const godot_mp_tree *tree, const gw_godot_mp_event *event);

/* The result of the analysis for an update of the message's sync. */
const godot_mp_found_update *godot_mp_update_at(const godot_mp_tree *tree, uint32_t update);
/* The synchronizer's path, or the name of the spawned node; NULL: not known. */
const char *godot_mp_path_of_update(const godot_mp_tree *tree, const godot_mp_found_update *update);

#endif
