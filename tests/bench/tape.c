/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads documents into the list once, before anything is measured.
 */
#include "tape.h"

#include <stdio.h>
#include <stdlib.h>

#include <gamewire/godot.h>

/* A value takes four bytes at least; for the entry that ends a document there is the length before it. */
#define SMALLEST_VALUE 4

static uint32_t kind_of(const gw_godot_event *event)
{
    switch ((gw_godot_type)event->type) {
    case GW_GODOT_BOOL:
        return TAPE_BOOL;
    case GW_GODOT_INT:
        return TAPE_INT;
    case GW_GODOT_FLOAT:
        return gw_godot_is_wide(event) ? TAPE_DOUBLE : TAPE_FLOAT;
    case GW_GODOT_STRING:
        return TAPE_TEXT;
    case GW_GODOT_ARRAY:
        return TAPE_ARRAY;
    case GW_GODOT_DICTIONARY:
        return TAPE_DICTIONARY;
    default:
        fputs("a type that the tape does not have\n", stderr);
        exit(1);
    }
}

static void set_value(tape_value *value, const uint8_t *bytes, const gw_godot_event *event)
{
    value->kind = kind_of(event);
    value->count = event->kind == GW_OPEN ? event->count : event->text.length;
    if (value->kind == TAPE_TEXT)
        value->of.text = (const char *)bytes + event->text.offset;
    else if (value->kind == TAPE_BOOL)
        value->of.boolean = event->number != 0;
    else if (value->kind == TAPE_INT)
        value->of.integer = event->number;
    else
        value->of.real = event->real;
}

void tape_load(tape *values, const corpus *documents)
{
    const gw_godot_options options = { .generation = GW_GODOT_3 };
    gw_godot_reader reader;
    gw_godot_event event = { 0 };
    document next;
    size_t position = 0;

    values->length = 0;
    values->values = malloc(documents->size / SMALLEST_VALUE * sizeof *values->values);
    if (!values->values)
        abort();
    while (corpus_next(documents, &position, &next)) {
        gw_godot_init(&reader, next.bytes, next.length, &options);
        while (gw_godot_next(&reader, &event) == GW_NEXT_EVENT)
            if (event.kind != GW_CLOSE)
                set_value(&values->values[values->length++], next.bytes, &event);
        values->values[values->length++].kind = TAPE_END;
    }
}

void tape_free(tape *values)
{
    free(values->values);
}
