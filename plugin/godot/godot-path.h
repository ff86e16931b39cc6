/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where in a document a value stands: ["players"][0]["name"]. One line of text that grows and shrinks with the
 * walk, so that a step costs what it adds and not what stands before it.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_PATH_H
#define GAMEWIRE_PLUGIN_GODOT_PATH_H

#include <gamewire/godot.h>

#define GODOT_PATH_SIZE 256
/* Steps deeper than this are left out of a path, and its end says so. */
#define GODOT_PATH_DEPTH 100

/* All zero: at the root. */
typedef struct godot_path {
    char buffer[GODOT_PATH_SIZE];
    size_t lengths[GODOT_PATH_DEPTH + 2]; /* [depth]: of the path to the value read last at that depth */
    bool cut[GODOT_PATH_DEPTH + 2];
} godot_path;

/* Goes to the value of `event`; `key` is the literal of an entry's or property's key. */
void godot_path_step_to(godot_path *path, const gw_godot_event *event, const char *key);

#endif
