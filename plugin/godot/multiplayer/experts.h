/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Expert infos on paths, nodes and synchronizers that the analysis did not find, or that the receiver does not have.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_EXPERTS_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_EXPERTS_H

#include <epan/expert.h>

#include "tree.h"

/* "in the capture"; on the first pass "so far": a later packet may still have it. */
const char *godot_mp_searched(const godot_mp_tree *tree);

/* "No packet in the capture requested this confirmation": `does` is what no packet does. */
void godot_mp_add_unknown(const godot_mp_tree *tree, proto_item *item, expert_field *expert, const char *does);

/* "The path id is defined later, in frame 7", followed by `consequence`. */
void godot_mp_add_defined_later(const godot_mp_tree *tree, proto_item *item, uint32_t frame, const char *consequence);

/* The path id is not defined before the message. One for each id in a connection, in the frame that uses it first: if
 * the capture began late, most messages use such ids. `spawner`: it is that of a spawner. */
void godot_mp_add_undefined(const godot_mp_tree *tree, proto_item *item, const godot_mp_found_path *path, uint32_t id,
                            bool spawner);

/* The same for a net id that was not spawned. */
void godot_mp_add_not_spawned(const godot_mp_tree *tree, proto_item *item, const godot_mp_found_spawn *spawn,
                              expert_field *expert, const char *does);

/* The receiver has no node with the path that the message defines, calls, or uses as spawner. */
void godot_mp_add_refused_definition(const godot_mp_tree *tree, proto_item *item);
void godot_mp_add_refused_call(const godot_mp_tree *tree, proto_item *item);
void godot_mp_add_refused_spawn(const godot_mp_tree *tree, proto_item *item);

/* Two peers send updates of the synchronizer. */
void godot_mp_add_rivals(const godot_mp_tree *tree, const godot_mp_found_update *update, proto_item *item);

#endif
