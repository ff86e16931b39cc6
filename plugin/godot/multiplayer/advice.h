/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Expert infos about messages that the engine sends and receives correctly, but that a game should send in another way.
 * Each has the engine's remedy.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_ADVICE_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_ADVICE_H

#include "dissect.h"
#include "tree.h"

void godot_mp_register_advice(void);

/* Counts a reliable call on the first pass. */
void godot_mp_keep_advice(const godot_mp_message *message);

/* Adds the expert infos of a message; and that of a call with the whole path, to the item of its path. */
void godot_mp_advice_add(const godot_mp_tree *tree);
void godot_mp_advice_add_path(const godot_mp_tree *tree, proto_item *item);

#endif
