/*
 * SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "godot-path.h"

void godot_path_init(godot_path *path, const uint8_t *bytes, size_t length, const gw_godot_options *options)
{
    path->bytes = bytes;
    path->length = length;
    path->options = options;
}

void godot_path_step_to(godot_path *path, const gw_godot_event *event, const gw_godot_event *key)
{
    if (event->depth == 0 || event->depth > GODOT_PATH_DEPTH)
        return;
    godot_path_step *step = &path->steps[event->depth - 1];
    step->role = event->role;
    step->index = event->index;
    if (key)
        step->key = *key;
}

static void print_step(gw_text *text, const godot_path *path, const godot_path_step *step)
{
    gw_text_char(text, '[');
    if (step->role == GW_GODOT_ELEMENT)
        gw_text_unsigned(text, step->index);
    else if (step->key.kind == GW_GODOT_OPEN)
        gw_godot_print_at(text, path->bytes, path->length, step->key.offset, path->options);
    else
        gw_godot_print_event(text, path->bytes, &step->key, path->options->generation);
    gw_text_char(text, ']');
}

void godot_path_print(gw_text *text, const godot_path *path, const gw_godot_event *event)
{
    uint32_t depth = event->depth < GODOT_PATH_DEPTH ? event->depth : GODOT_PATH_DEPTH;
    for (uint32_t i = 0; i < depth && !text->cut; i++)
        print_step(text, path, &path->steps[i]);
    if (event->depth > GODOT_PATH_DEPTH)
        gw_text_string(text, "[...]");
}
