/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Follows the reader's events from step to step.
 */
#include "internal.h"

#define FIRST_SIZE   128
#define FIRST_DEPTHS 16

static size_t doubled(size_t size, size_t needed)
{
    while (size < needed)
        size *= 2;
    return size;
}

static void begin(godot_path *path)
{
    if (!path->text) {
        path->size = FIRST_SIZE;
        path->depths = FIRST_DEPTHS;
        path->text = (char *)wmem_alloc(path->pool, path->size);
        path->lengths = wmem_alloc_array(path->pool, uint32_t, path->depths);
    }
    gw_text text;
    gw_text_init(&text, path->text, path->size);
    gw_text_string(&text, path->base ? path->base : "");
    path->lengths[0] = (uint32_t)text.length;
}

static void make_room(godot_path *path, uint32_t depth, size_t step)
{
    size_t size = MIN(path->lengths[depth - 1] + step, GODOT_PATH_SIZE);
    if (size > path->size) {
        path->size = doubled(path->size, size);
        path->text = (char *)wmem_realloc(path->pool, path->text, path->size);
    }
    if (depth >= path->depths) {
        path->depths = (uint32_t)doubled(path->depths, depth + 1);
        path->lengths = (uint32_t *)wmem_realloc(path->pool, path->lengths, path->depths * sizeof *path->lengths);
    }
}

/* "name" or &"name", if a script could use the name after a point. */
static bool is_name(const char *key, size_t length, size_t quote)
{
    if (length < quote + 3 || key[quote] != '"' || g_ascii_isdigit(key[quote + 1]))
        return false;
    for (size_t i = quote + 1; i < length - 1; i++)
        if (!g_ascii_isalnum(key[i]) && key[i] != '_')
            return false;
    return key[length - 1] == '"';
}

static void print_step(gw_text *text, const godot_path *path, const gw_godot_event *event, const char *key,
                       size_t length)
{
    size_t quote = length && key[0] == '&';
    if (event->role == GW_GODOT_ROLE_ELEMENT) {
        gw_text_char(text, '[');
        gw_text_unsigned(text, event->index);
        gw_text_char(text, ']');
    } else if (path->is_short && is_name(key, length, quote)) {
        if (text->length)
            gw_text_char(text, '.');
        gw_text_bytes(text, key + quote + 1, length - quote - 2);
    } else {
        gw_text_char(text, '[');
        gw_text_bytes(text, key, length);
        gw_text_char(text, ']');
    }
}

static void step_down(godot_path *path, const gw_godot_event *event, const char *key, size_t key_length)
{
    uint32_t depth = event->depth;
    /* Brackets, an index of ten digits, and the NUL. */
    make_room(path, depth, key_length + 16);
    size_t length = path->lengths[depth - 1];
    gw_text text = { path->text, MIN(path->size, GODOT_PATH_SIZE), length, length >= GODOT_PATH_SIZE - 1 };
    path->text[length] = '\0';
    print_step(&text, path, event, key, key_length);
    path->lengths[depth] = text.cut ? GODOT_PATH_SIZE - 1 : (uint32_t)text.length;
}

const char *godot_path_step_to(godot_path *path, const gw_godot_event *event, const char *key, size_t key_length)
{
    if (event->depth)
        step_down(path, event, key, key_length);
    else
        begin(path);
    return *path->text ? path->text : GODOT_ROOT_PATH;
}
