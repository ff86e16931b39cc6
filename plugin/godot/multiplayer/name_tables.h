/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names that Godot 4 does not send: two tables in the profile, which rpc_names.gd writes for a project and describes.
 *
 *   godot_rpc_names        "res://unit.gd","attack,chat,take_damage","<MD5 of the joined names>"
 *   godot_rpc_properties   "sync","res://player.tscn","Player/Synchronizer","Player","position,hp","Vector2,int"
 *                          "scenes","res://main.tscn","Main/Spawner","Main/Players","res://player.tscn",""
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_NAME_TABLES_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_NAME_TABLES_H

#include "common/compat.h"

#include <epan/prefs.h>

#include "facts.h"

typedef struct godot_script godot_script;
typedef struct godot_synchronizer godot_synchronizer;

typedef enum godot_property_use {
    GODOT_PROPERTY_SPAWN,
    GODOT_PROPERTY_ALWAYS,
    GODOT_PROPERTY_ON_CHANGE
} godot_property_use;

void godot_register_names(module_t *module);

/* The script whose methods have this checksum (32 digits), or NULL. */
const godot_script *godot_script_of(const char *checksum);
const char *godot_script_name(const godot_script *script);
/* A method by its number on the wire; NULL if the script has no such method. */
const char *godot_script_method(const godot_script *script, uint32_t method);

/* The synchronizer at a path of the running game that has an update's properties. Of those whose path in the scene is
 * the end of this path, the longest match is returned; the name of the scene's root and the path at which a spawner
 * creates such scenes are part of the match. NULL: not in the table, or several match. */
const godot_synchronizer *godot_synchronizer_at(const char *path, godot_property_use use,
                                                const godot_mp_update *update);
/* The synchronizer at `index` of those in the spawn of a scene with this state; the scene may be NULL. A spawn contains
 * the synchronizers whose root is the spawned node and whose authority is the spawning peer. NULL: no selection, or
 * several selections, of the scene's synchronizers have this number and these types. */
const godot_synchronizer *godot_synchronizer_of_spawn(const char *scene, const godot_mp_state *state, uint32_t index);
/* True if the synchronizer may have sent the update: it has as many properties, of these types. */
bool godot_synchronizer_fits(const godot_synchronizer *synchronizer, godot_property_use use,
                             const godot_mp_update *update);
/* The property with the value at `index` of an update. */
uint32_t godot_property_index(godot_property_use use, const godot_mp_update *update, uint32_t index);
/* The property with the value at `index` in a state, a plain sync, or (by bit number) a delta; NULL: not in the
 * table. */
const char *godot_property_of(const godot_synchronizer *synchronizer, godot_property_use use, uint32_t index);
/* The number of its properties with this use. */
uint32_t godot_property_count(const godot_synchronizer *synchronizer, godot_property_use use);

/* The scene file at `index` of the list of the spawner at a path; NULL: not in the table. */
const char *godot_scene_of(const char *spawner_path, uint32_t index);
/* True if a node of the scene may be spawned with this state. */
bool godot_scene_fits(const char *scene, const godot_mp_state *state);
/* The scene of a node that a function of the game spawned: the scene whose state has these types; of several, the one
 * whose root has that name. NULL: not in the table, or several match. */
const char *godot_scene_of_custom(const char *name, const godot_mp_state *state);
/* The path of a node with this name that this spawner spawns; NULL: not in the table. */
const char *godot_spawned_path(wmem_allocator_t *scope, const char *spawner_path, const char *name);

#endif
