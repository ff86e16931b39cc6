/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the files of the tables of names share: the contents of the table of properties, which name_tables.c makes and
 * synchronizers.c searches, and the table of methods in script_names.c.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_NAME_ROWS_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_NAME_ROWS_H

#include "name_tables.h"

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

void godot_register_script_names(module_t *module);

#endif
