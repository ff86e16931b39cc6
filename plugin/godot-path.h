/*
 * Where in a document a value stands: ["players"][0]["name"].
 *
 * SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_PATH_H
#define GAMEWIRE_PLUGIN_GODOT_PATH_H

#include <gamewire/godot.h>

/* Steps deeper than this are left out of a path, and its last one says so. */
#define GODOT_PATH_DEPTH 100

typedef struct godot_path_step {
    uint8_t role; /* gw_godot_role of the value that the step leads to */
    uint32_t index;
    gw_godot_event key; /* of an entry or property: the event of its key or name */
} godot_path_step;

typedef struct godot_path {
    const uint8_t *bytes;
    size_t length;
    const gw_godot_options *options;
    godot_path_step steps[GODOT_PATH_DEPTH];
} godot_path;

void godot_path_init(godot_path *path, const uint8_t *bytes, size_t length, const gw_godot_options *options);

/* Notes the step to the value of `event`; `key` is that of an entry or property, else NULL. */
void godot_path_step_to(godot_path *path, const gw_godot_event *event, const gw_godot_event *key);

/* The path of the value of `event`, to which the last step led. */
void godot_path_print(gw_text *text, const godot_path *path, const gw_godot_event *event);

#endif
