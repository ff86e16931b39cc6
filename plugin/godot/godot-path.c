/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "godot-path.h"

static void print_step(gw_text *text, const gw_godot_event *event, const char *key)
{
    gw_text_char(text, '[');
    if (event->depth > GODOT_PATH_DEPTH)
        gw_text_string(text, "...");
    else if (event->role == GW_GODOT_ELEMENT)
        gw_text_unsigned(text, event->index);
    else
        gw_text_string(text, key);
    gw_text_char(text, ']');
}

void godot_path_step_to(godot_path *path, const gw_godot_event *event, const char *key)
{
    uint32_t depth = event->depth;
    if (depth == 0 || depth > GODOT_PATH_DEPTH + 1)
        return;
    gw_text text = { path->buffer, sizeof path->buffer, path->lengths[depth - 1], path->cut[depth - 1] };
    path->buffer[text.length] = '\0';
    print_step(&text, event, key);
    path->lengths[depth] = text.length;
    path->cut[depth] = text.cut;
}
