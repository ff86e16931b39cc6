/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Paths that their receiver did not confirm, because it has no such node. A Godot 4 confirms each other path at once, on
 * the same reliable channel. That it received the path is known if ENet acknowledged it, or if it confirmed a later one.
 * Only over ENet, whose numbers show that no confirmation is missing in the capture.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_REFUSALS_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_REFUSALS_H

#include "analysis.h"
#include "connection.h"

/* Stores, on the first pass, whether messages before this one are missing. Call it for each message, before the functions
 * below. */
void godot_mp_keep_arrival(const godot_mp_place *place, const godot_mp_facts *facts);

/* Stores that the receiver of this path has confirmed it, on the first pass. `entry` may be NULL. */
void godot_mp_keep_receiver(const godot_mp_place *place, const godot_mp_id_key *key, const godot_mp_path *entry);

/* A receiver `key->other` may add a node after it received the path, which it does not confirm then: later calls, which
 * have the full path, arrive. What it sends about its own node shows that it has it: a path that it defines, confirms
 * to any peer, or calls. Both functions store on the first pass; `entry` and `path` may be NULL. `owner`: the sender, 0
 * or the peer that it is relayed for. */
void godot_mp_keep_asked(const godot_mp_place *place, const godot_mp_id_key *key, const godot_mp_path *entry);
void godot_mp_keep_node(const godot_mp_place *place, int32_t owner, const char *path);
/* True if the receiver has shown between the definition and this message that it has the node. */
bool godot_mp_has_node_since(const godot_mp_place *place, const godot_mp_id_key *key, const godot_mp_path *entry);

/* The refusal of a path by its receiver `key->other`: in the capture or, on the first pass, so far. `entry` may be
 * NULL. */
godot_mp_refusal godot_mp_find_refusal(const godot_mp_place *place, const godot_mp_id_key *key,
                                       const godot_mp_path *entry);

#endif
