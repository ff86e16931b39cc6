/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The pull reader: gw_godot_init() and gw_godot_next(). step.h says what is in which file.
 */
#include "fast.h"

#include <stddef.h>

_Static_assert(sizeof(gw_godot_reader) <= 2048, "the reader lives on the caller's stack");
_Static_assert(sizeof(gw_godot_event) <= 80, "an event is filled for every value");

/* Level 0 has one member, the root. */
static void use_levels(gw_godot_reader *reader, const gw_godot_options *options)
{
    bool lent = options->levels && options->level_count > GW_GODOT_LEVELS;
    gw_godot_level *levels = lent ? options->levels : reader->own;
    levels[0] = (gw_godot_level){ .position = 0, .end = 1, .offset = 0, .role = GW_GODOT_ROOT, .paired = 0 };
    reader->level = levels;
    reader->stop = levels->end;
    reader->last = levels + (lent ? options->level_count : GW_GODOT_LEVELS + 1) - 1;
}

static void use_keys(gw_godot_reader *reader, const gw_godot_options *options)
{
    /* A key and its value take eight bytes or more: a small packet needs no large table cleared. */
    uint32_t most = (reader->length - reader->offset) / 8 + 1;
    reader->key_count = options->keys ? (options->key_count < most ? options->key_count : most) : 0;
    reader->keys = options->keys;
    reader->key_care = reader->key_count ? GW_GODOT_CARE_KEYS : 0;
    for (uint32_t i = 0; i < reader->key_count; i++)
        reader->keys[i] = (gw_godot_key){ 0, 0 };
}

void gw_godot_init(gw_godot_reader *reader, const uint8_t *bytes, size_t length, const gw_godot_options *options)
{
    static const gw_godot_options newest = { .generation = GW_GODOT_4 };
    if (!options)
        options = &newest;
    reader->bytes = bytes;
    reader->length = length > UINT32_MAX ? 0 : (uint32_t)length;
    reader->offset = options->offset < reader->length ? options->offset : reader->length;
    reader->depth = 0;
    reader->generation = (uint8_t)(options->generation ? options->generation : GW_GODOT_4);
    reader->wire = gw_godot_wire_table(options->generation);
    reader->wire_types = (uint8_t)gw_godot_wire_types(options->generation);
    /* Godot 2 compares the whole header with the number of types; the others look at its low byte. */
    reader->type_mask = options->generation == GW_GODOT_2 ? UINT32_MAX : GW_GODOT_TYPE_MASK;
    reader->bare_objects = options->bare_objects;
    reader->fault = (gw_fault){ .code = GW_GODOT_FAULT_NONE };
    use_levels(reader, options);
    use_keys(reader, options);
    if (length > UINT32_MAX)
        gw_godot_fail(reader, GW_GODOT_FAULT_INPUT_TOO_LONG, 0, 0);
}

/* That both pointers are there spares a test in each store. */
NOT_NULL gw_next gw_godot_next(gw_godot_reader *reader, gw_godot_event *event)
{
    return step_fast(reader, event, NULL);
}
