/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names that Godot 4 does not send: two tables in the profile, which rpc_names.gd writes for a project and describes.
 *
 *   godot_rpc_names        "res://unit.gd","attack,chat,take_damage","<MD5 of the joined names>"
 *   godot_rpc_properties   "sync","res://player.tscn","Player/Synchronizer","Player","position,velocity"
 *                          "scenes","res://main.tscn","Main/Spawner","Main/Players","res://player.tscn"
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_NAMES_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_NAMES_H

#include "common/compat.h"

#include <epan/prefs.h>

typedef struct godot_script godot_script;
typedef struct godot_synchronizer godot_synchronizer;

typedef enum godot_property_use {
    GODOT_PROPERTY_SPAWN,
    GODOT_PROPERTY_ALWAYS,
    GODOT_PROPERTY_ON_CHANGE
} godot_property_use;

void godot_names_register(module_t *module);

/* The script whose methods have this checksum (32 digits), or NULL. */
const godot_script *godot_script_of(const char *checksum);
const char *godot_script_name(const godot_script *script);
/* A method by its number on the wire; NULL when the script has none such. */
const char *godot_script_method(const godot_script *script, uint32_t method);

/* The synchroniser at a path of the running game; or the one at `index` of a scene, which may be NULL. NULL: not in the
 * table, or several fit. */
const godot_synchronizer *godot_synchronizer_at(const char *path);
const godot_synchronizer *godot_synchronizer_in(const char *scene, uint32_t index);
/* The property of the value at `index` in a state, a plain sync, or (as a bit) a delta; NULL: not in the table. */
const char *godot_property_of(const godot_synchronizer *synchronizer, godot_property_use use, uint32_t index);
/* How many properties it has of this use. */
uint32_t godot_property_count(const godot_synchronizer *synchronizer, godot_property_use use);

/* The scene file at `index` of the list of the spawner at a path; NULL: not in the table. */
const char *godot_scene_of(const char *spawner_path, uint32_t index);
/* The path that a node gets which this spawner spawns; NULL: not in the table. */
const char *godot_spawned_path(wmem_allocator_t *scope, const char *spawner_path, const char *name);

#endif
