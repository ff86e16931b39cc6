/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the files of names share: a part for each file, in the order in which they use each other.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_NAMES_INTERNAL_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_NAMES_INTERNAL_H

#include "common/compat.h"

#include <epan/prefs.h>

#include "godot/multiplayer/internal.h"

/* ==== name_tables.c ===================================================================================== */

/* Names that Godot 4 does not send: two tables in the profile, which rpc_names.gd writes for a project and describes.
 *
 *   godot_rpc_names        "res://unit.gd","attack,chat,take_damage","<MD5 of the joined names>"
 *   godot_rpc_properties   "sync","res://player.tscn","Player/Synchronizer","Player","position,hp","Vector2,int"
 *                          "scenes","res://main.tscn","Main/Spawner","Main/Players","res://player.tscn","" */

typedef struct godot_script godot_script;
typedef struct godot_synchronizer godot_synchronizer;

typedef enum godot_property_use {
    GODOT_PROPERTY_SPAWN,
    GODOT_PROPERTY_ALWAYS,
    GODOT_PROPERTY_ON_CHANGE
} godot_property_use;

void godot_register_names(module_t *module);

/* A row of the table of properties. */
typedef struct godot_names_row {
    const char *kind, *scene, *node, *root, *names, *types;
} godot_names_row;

/* Adds a row of a recording; it is used until the file is closed. */
void godot_names_add_row(const godot_names_row *columns);

/* The contents of the table of properties. */

#define USES (GODOT_PROPERTY_ON_CHANGE + 1)

/* A synchronizer or a spawner of a scene. */
struct godot_synchronizer {
    char *scene;
    char *node; /* its path in the scene */
    char *root;
    char **names[USES]; /* by godot_property_use; NULL: none */
    char **types[USES]; /* may be fewer */
    char **scenes;      /* scenes of a spawner */
};

/* Maximum number of synchronizers of a node that are considered. */
#define CHOSEN_FROM 8

typedef struct godot_scene {
    const godot_synchronizer *first;              /* the first of its rows */
    const godot_synchronizer *nodes[CHOSEN_FROM]; /* synchronizers whose root is the root of the scene */
    uint32_t count;
    bool has_more;
    GPtrArray *spawners; /* spawners whose lists contain the scene */
} godot_scene;

/* All synchronizers and spawners, in the order of the rows; NULL: none. */
const GPtrArray *godot_names_nodes(void);
/* file: godot_scene; NULL: none. */
GHashTable *godot_names_scenes(void);

/* Splits "a, b" into { "a", "b", NULL }. */
char **godot_names_split(const char *list);
/* Why a list of names cannot be read, "methods" or the like in `what`; NULL: it can. The caller frees it. An empty list can. */
char *godot_names_error(const char *list, const char *what);

/* ==== script_names.c ==================================================================================== */

void godot_register_script_names(module_t *module);

/* Adds the methods of a script that a recording has; they are used until the file is closed. `methods` is freed with
 * g_strfreev(). */
void godot_names_add_script(const char *script, char **methods);

/* The script whose methods have this checksum (32 digits), or NULL. */
const godot_script *godot_script_of(const char *checksum);
const char *godot_script_name(const godot_script *script);
/* A method by its number on the wire; NULL if the script has no such method. */
const char *godot_script_method(const godot_script *script, uint32_t method);

/* ==== synchronizers.c =================================================================================== */

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

/* ==== peers.c =========================================================================================== */

/* Peers as texts: "server", "client 731808890", or the name of a player. Names are from two tables in the profile:
 *
 *   godot_peer_names       "731808890","Anna"
 *                          "192.0.2.7","Ben"         a peer's address, or
 *                          "192.0.2.7:40611","Ben"   its address and port
 *   godot_peer_name_calls  "join(0)"                 the caller's name is the first argument of join()
 *                          "register(0).name"        or a member of it */

void godot_register_peers(module_t *module);

struct godot_mp_context;

/* Relation: stores the caller's name if the message is a call that has it, and the sender's address, on the first pass. */
void godot_mp_analyze_players(const struct godot_mp_context *context);

/* Stores the name of a recording for this peer, until the file is closed. Those of the user's tables come before it. */
void godot_mp_keep_player(int32_t id, const char *name);

/* The name of the player with this id, at the time of this message; NULL: not known. Of the names in calls, it is the
 * latest one up to this message or, if all are later, the first one. */
const char *godot_mp_player(const godot_mp_message *message, int32_t id);

/* "server", "client 7", or the name of the player. */
const char *godot_mp_peer_text(const godot_mp_message *message, int32_t id);

/* Who sent the message first, and for whom it is: "server", "client 7", "client" without a known id, "all", "all but
 * client 7"; or names. NULL: not known. */
const char *godot_mp_from(const godot_mp_message *message);
const char *godot_mp_to(const godot_mp_message *message);

/* ==== naming.c ========================================================================================== */

/* Names for the ids in a packet, from the analysis and from the tables of names; or the reason why there is none. */

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
