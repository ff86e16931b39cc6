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
    bool is_short;
    size_t base; /* length of the path of the root */
    char *text;
    size_t size;
    uint32_t *lengths; /* [depth]: of the path of the last value at that depth */
    uint32_t depths;   /* entries of `lengths` */
} godot_path;

/* Starts a document whose root has the path `base`; NULL: the root has no path. */
void godot_path_start(godot_path *path, packet_info *pinfo, bool is_short, const char *base);

/* Sets the path to the value of `event`. `key`: the key of an entry or a property, as a literal. */
void godot_path_step_to(godot_path *path, const gw_godot_event *event, const char *key, size_t key_length);

/* The path of the last value that was passed to godot_path_step(). */
const char *godot_path_text(const godot_path *path);

#endif
