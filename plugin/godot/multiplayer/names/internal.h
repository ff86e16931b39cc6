/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Shared by the files of names: a part for each file, in the order in which they use each other.
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

void godot_register_names(module_t *module);

typedef struct godot_script {
    char *name;
    char **methods; /* in the engine's order, NULL at the end; methods that are configured on a node have a prefix */
} godot_script;

/* The script whose methods have this checksum (32 digits), or NULL. */
const godot_script *godot_script_of(const char *checksum);
/* A method by its number on the wire; NULL if the script has no such method. */
const char *godot_script_method(const godot_script *script, uint32_t number);

typedef enum godot_property_use {
    GODOT_PROPERTY_SPAWN,
    GODOT_PROPERTY_ALWAYS,
    GODOT_PROPERTY_ON_CHANGE
} godot_property_use;

#define USES (GODOT_PROPERTY_ON_CHANGE + 1)

/* A synchronizer or a spawner of a scene. */
typedef struct godot_synchronizer {
    char *scene;
    char *node; /* its path in the scene */
    char *root;
    char **names[USES]; /* by godot_property_use; NULL: none */
    char **types[USES]; /* may be fewer */
    char **scenes;      /* scenes of a spawner */
} godot_synchronizer;

/* Maximum number of synchronizers of a node that are considered. */
#define CHOSEN_FROM 8

typedef struct godot_scene {
    const godot_synchronizer *first;              /* the first of its rows */
    const godot_synchronizer *nodes[CHOSEN_FROM]; /* synchronizers whose root is the root of the scene */
    uint32_t count;
    bool has_more;
    GPtrArray *spawners; /* spawners whose lists contain the scene */
} godot_scene;

/* The table of properties. */
typedef struct godot_properties {
    GPtrArray *nodes;   /* all synchronizers and spawners, in the order of the rows */
    GHashTable *scenes; /* by file: godot_scene */
} godot_properties;

const godot_properties *godot_find_properties(void);

/* Names of a recording, which are used until the file is closed. `methods` is freed with g_strfreev(). */

typedef struct godot_names_row {
    const char *kind, *scene, *node, *root, *names, *types;
} godot_names_row;

void godot_names_add_row(const godot_names_row *columns);
void godot_names_add_script(const char *script, char **methods);

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

/* Relation: stores the caller's name if the message is a call that has it, and the sender's address, on the first
 * pass. */
void godot_mp_analyze_players(const struct godot_mp_context *context);

/* Stores the name of a recording for this peer, until the file is closed. Those of the user's tables come before it. */
void godot_mp_keep_player(int32_t id, const char *name);

/* The name of the player with this id, at the time of this message; NULL: not known. Of the names in calls, it is the
 * latest one up to this message or, if all are later, the first one. */
const char *godot_mp_player(const godot_mp_message *message, int32_t id);

/* Where the text of a peer is printed. A player may have any name, "server" too: only these functions know whether a
 * text is a name. */
typedef enum godot_mp_peer_use {
    GODOT_MP_IN_COLUMN,  /* "Anna", "server", "client 7": the value of fields, too */
    GODOT_MP_IN_TREE,    /* name, role and id: "Anna (client 7)", "server (peer 1)", "client 7" */
    GODOT_MP_IN_SENTENCE /* "Anna", "the server", "client 7" */
} godot_mp_peer_use;

/* The peer with this id. */
const char *godot_mp_peer_text(const godot_mp_message *message, int32_t id, godot_mp_peer_use use);

/* Who sent the message first, and for whom it is: a peer, "client" without a known id, "all", "all but client 7". NULL:
 * not known. */
const char *godot_mp_from(const godot_mp_message *message, godot_mp_peer_use use);
const char *godot_mp_to(const godot_mp_message *message, godot_mp_peer_use use);

/* Adds the sender or the receiver: its name, role and id are the label of one item, and the fields with its id are
 * below that. If the peer has no text, or its field is not referenced, they are below the message. */
void godot_mp_add_end(godot_mp_tree *tree, godot_mp_end end);

/* ==== naming.c ========================================================================================== */

/* Names for the ids in a packet, from the analysis and from the tables of names.
 *
 * A synchronizer is found by the end of its path in the running game, and a spawned node's synchronizer by the types of
 * the values in its spawn; both must have the properties of the update. The longest match counts: the name of the
 * scene's root and the path at which a spawner creates such scenes are part of it. If several match, there is no
 * name. */

/* What has to be known for a name that is not known. */
typedef enum godot_mp_missing {
    GODOT_MP_NOTHING_MISSING,
    GODOT_MP_NO_SCRIPT,
    GODOT_MP_NO_PATH,
    GODOT_MP_NO_SPAWNER,
    GODOT_MP_NO_SPAWNER_PATH,
    GODOT_MP_NO_SCENE,
    GODOT_MP_NO_SYNCHRONIZER,
    GODOT_MP_NO_ID,
    GODOT_MP_MISSING
} godot_mp_missing;

/* The name of an event's number. */
typedef struct godot_mp_name {
    const char *text; /* for gw_godot_mp_print_event(); NULL: not known */
    godot_mp_missing missing;
} godot_mp_name;

/* Finds the name of the event's number, and sets the names in the tree. Call it for each event, in order. */
godot_mp_name godot_mp_find_name(godot_mp_tree *tree, const gw_godot_mp_event *event);

/* Says at the end of the item that its name is missing; and below it why, if no item of the message had this reason
 * before. `item`: of the number; may be NULL. */
void godot_mp_add_missing(godot_mp_tree *tree, proto_item *item, godot_mp_missing missing);

/* The result of the analysis for an update of the message's sync. */
const godot_mp_found_update *godot_mp_update_at(const godot_mp_tree *tree, uint32_t update);
/* The synchronizer's path, or the name of the spawned node; NULL: not known. */
const char *godot_mp_path_of_update(const godot_mp_tree *tree, const godot_mp_found_update *update);

#endif
