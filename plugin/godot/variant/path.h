/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where in a document a value is: ["players"][0]["name"], or for people players[0].name. One line of text that grows
 * and shrinks with the walk, so that a step costs what it adds and not what is before it.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_VARIANT_PATH_H
#define GAMEWIRE_PLUGIN_GODOT_VARIANT_PATH_H

#include "common/compat.h"

#include <gamewire/godot.h>

/* The path of a value that is in no other and was given no path by a caller. */
#define GODOT_ROOT_PATH "."

/* Longer paths end in "…". */
#define GODOT_PATH_SIZE 4096

typedef struct godot_path {
    wmem_allocator_t *pool;
    bool is_short;
    size_t base; /* length of the path of the root */
    char *text;
    size_t size;
    uint32_t *lengths; /* [depth]: of the path to the value read last at that depth */
    uint32_t depths;   /* entries of `lengths` */
} godot_path;

/* Begins a document whose root has the path `base`, or none of its own when that is NULL. */
void godot_path_start(godot_path *path, packet_info *pinfo, bool is_short, const char *base);

/* Goes to the value of `event`; `key` is the literal of an entry's or property's key. */
void godot_path_step_to(godot_path *path, const gw_godot_event *event, const char *key, size_t key_length);

/* The path of the value that was stepped to last. */
const char *godot_path_text(const godot_path *path);

#endif
