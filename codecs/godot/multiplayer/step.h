/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Shared by the multiplayer reader's two files: reader.c walks the fields, values.c reads Variants.
 */
#ifndef GAMEWIRE_CODECS_GODOT_MULTIPLAYER_STEP_H
#define GAMEWIRE_CODECS_GODOT_MULTIPLAYER_STEP_H

#include "tables.h"

static inline gw_next fail(gw_godot_mp_reader *reader, uint32_t code, uint32_t offset, uint64_t needed)
{
    gw_set_fault(&reader->fault, &gw_godot_mp_faults, code, offset, needed);
    return GW_NEXT_FAULT;
}

static inline gw_godot_mp_scope *innermost(gw_godot_mp_reader *reader)
{
    return &reader->scopes[reader->depth];
}

static inline void begin_event(const gw_godot_mp_reader *reader, gw_godot_mp_event *event, gw_kind kind, uint32_t field,
                               uint32_t length)
{
    *event = (gw_godot_mp_event){
        .kind = (uint8_t)kind,
        .role = (uint8_t)field,
        .type = GW_GODOT_TYPES,
        .depth = reader->depth,
        .header = { reader->offset, 0 },
        .payload = { reader->offset, length },
        .padding = { reader->offset + length, 0 },
    };
}

/* The end of the values in the open item: in a call, a path may follow them. */
static inline uint32_t values_end(const gw_godot_mp_reader *reader, const gw_godot_mp_scope *scope)
{
    return scope->has_path && reader->packet.arguments_end < scope->end ? reader->packet.arguments_end : scope->end;
}

/* Reads one value of a list; one of a counted list; the only value of custom data. */
gw_next gw_godot_mp_read_value(gw_godot_mp_reader *reader, gw_godot_mp_event *event, uint32_t field);
gw_next gw_godot_mp_read_counted(gw_godot_mp_reader *reader, gw_godot_mp_event *event, uint32_t field);
gw_next gw_godot_mp_read_custom(gw_godot_mp_reader *reader, gw_godot_mp_event *event);

/* Which values of the state from reader.offset to `end` have half floats: bit n for value n; 0: none, or it cannot be
 * read so. */
uint64_t gw_godot_mp_find_halves(gw_godot_mp_reader *reader, uint32_t end);
/* The length of a value of half floats at `offset`; 0: it is none. */
uint32_t gw_godot_mp_half_length(const gw_godot_mp_reader *reader, uint32_t offset, uint32_t end);

/* Writes an ordinary Variant, of floats, with the value of an event that is encoded in GW_GODOT_MP_HALVES. Returns its
 * length. */
#define GW_GODOT_MP_HALVES_VARIANT 20
uint32_t gw_godot_mp_variant_of_halves(const uint8_t *bytes, const gw_godot_mp_event *event,
                                       uint8_t variant[GW_GODOT_MP_HALVES_VARIANT]);

/* True if the bytes after a header of Godot 3 are one Variant and not a packet. Then they are read as a value. */
bool gw_godot_mp_is_variant(const gw_godot_mp_reader *reader);

#endif
