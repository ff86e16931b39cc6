/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The path of a value in a document: ["players"][0]["name"], or in short form players[0].name. The text is extended and
 * shortened from value to value: the time of a step does not depend on the length of the path.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_VARIANT_PATH_H
#define GAMEWIRE_PLUGIN_GODOT_VARIANT_PATH_H

#include "common/compat.h"

#include <gamewire/godot.h>

/* The path of a root value for which the caller set no path. */
#define GODOT_ROOT_PATH "."

/* Longer paths are cut and end in "…". */
#define GODOT_PATH_SIZE 4096

typedef struct godot_path {
    wmem_allocator_t *pool;
    const char *base; /* the path of the root; NULL: it has none */
    bool is_short;
    char *text; /* NULL before the first value */
    size_t size;
    uint32_t *lengths; /* [depth]: of the path of the last value at that depth */
    uint32_t depths;   /* entries of `lengths` */
} godot_path;

/* Sets the path to the value of `event`; the first is the root. `key`: the key of an entry or a property, as a literal.
 * Returns the path, which is valid until the next step. */
const char *godot_path_step_to(godot_path *path, const gw_godot_event *event, const char *key, size_t key_length);

#endif
