/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The analysis' findings as generated items and expert infos.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_FINDINGS_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_FINDINGS_H

#include "statistics.h"
#include "tree.h"

/* Adds the results of the analysis for the event's number. `item` and `name` are those of the event. */
void godot_mp_findings_add(const godot_mp_tree *tree, const gw_godot_mp_event *event, proto_item *item,
                           const char *name);
/* Adds the ends of the message, its length and form, and its data channel. */
void godot_mp_findings_begin(const godot_mp_tree *tree);
/* Adds the relays of the message, and the ends of the connection. */
void godot_mp_findings_end(const godot_mp_tree *tree);

/* Gets the message's data for the statistics. */
godot_mp_count *godot_mp_findings_count(const godot_mp_tree *tree);

#endif
