/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Shared by the files of the multiplayer codec: the layout of every packet, as lists of fields, and the parts of the
 * reader. reader.c walks the fields, values.c reads Variants, halves.c half floats.
 */
#ifndef GAMEWIRE_CODECS_GODOT_MULTIPLAYER_INTERNAL_H
#define GAMEWIRE_CODECS_GODOT_MULTIPLAYER_INTERNAL_H

#include <gamewire/godot_mp.h>

/* How a field is encoded: those that have events of their own, and those of a head, from SHAPE_NUMBER on. */
typedef enum gw_godot_mp_shape {
    SHAPE_REST,    /* bytes up to the end of the open item, if there are any */
    SHAPE_VALUE,   /* one value */
    SHAPE_COUNTED, /* values; their number is `left` of the scope */
    SHAPE_VALUES,  /* values up to the end of the open item */
    SHAPE_PACKET,  /* a separate item, from here to the end of the open item */
    SHAPE_UPDATES, /* separate items, up to the end of the open item */
    SHAPE_NUMBER,
    SHAPE_SIGNED,
    SHAPE_NODE_ID,   /* 1, 2 or 4 bytes by the command byte's flags */
    SHAPE_METHOD_ID, /* 1 or 2 bytes by the flags */
    SHAPE_STRING,    /* text up to a NUL */
    SHAPE_CHECKSUM,  /* 32 digits and a NUL */
    SHAPE_NAME,      /* NAME_LENGTH bytes, the last one NUL */
    SHAPE_IDS        /* SYNC_COUNT times u32 */
} gw_godot_mp_shape;

/* What a field of a head may have. */
enum {
    GW_GODOT_MP_MAY_BE_ODD = 1,
    GW_GODOT_MP_IS_APPLIED = 2, /* what follows depends on it */
    GW_GODOT_MP_IS_EVIDENCE = 4
};

typedef struct gw_godot_mp_row {
    uint8_t shape; /* gw_godot_mp_shape */
    uint8_t size;  /* 0: it follows from the bytes */
    uint8_t uses;
} gw_godot_mp_row;

/* By gw_godot_mp_role. */
extern const gw_godot_mp_row gw_godot_mp_rows[GW_GODOT_MP_ROLES];

/* Fields in wire order, ended by GW_GODOT_MP_ROLE_NONE. */
extern const uint8_t gw_godot_mp_update_fields[];
extern const uint8_t gw_godot_mp_delta_fields[];
extern const uint8_t gw_godot_mp_old_confirmation[]; /* before Godot 4.3 */

/* The first fields of a message in this form. `length` is not 0. `pending`: the fault after these fields, or NONE. */
const uint8_t *gw_godot_mp_head(gw_godot_mp_form form, const uint8_t *bytes, uint32_t length, uint8_t *pending);
/* The fields of a packet, whose `length` bytes begin with the command byte. */
const uint8_t *gw_godot_mp_layout(gw_godot_generation generation, const uint8_t *bytes, uint32_t length,
                                  uint8_t *pending);
/* The command of a command byte. */
gw_godot_mp_command gw_godot_mp_command_of(gw_godot_generation generation, uint8_t byte);

/* ---- the reader ---------------------------------------------------------------------------------------- */

/* Ends the reading with a fault; returns GW_NEXT_FAULT. */
static inline gw_next fail(gw_godot_mp_reader *reader, uint32_t code, uint32_t offset, uint64_t needed)
{
    gw_set_fault(&reader->fault, &gw_godot_mp_faults, code, offset, needed);
    return GW_NEXT_FAULT;
}

static inline gw_godot_mp_scope *innermost(gw_godot_mp_reader *reader)
{
    return &reader->scopes[reader->depth];
}

/* Fills an event whose payload has `length` bytes from the reader's offset on, which does not change. */
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

/* Reads one value of a list. */
gw_next gw_godot_mp_read_value(gw_godot_mp_reader *reader, gw_godot_mp_event *event, uint32_t field);
/* Reads one value of a list with a count. */
gw_next gw_godot_mp_read_counted(gw_godot_mp_reader *reader, gw_godot_mp_event *event, uint32_t field);
/* Reads the only value of custom data. */
gw_next gw_godot_mp_read_custom(gw_godot_mp_reader *reader, gw_godot_mp_event *event);

/* Which values of the state from reader.offset to `end` have half floats: bit n for value n; 0: none, or it cannot be
 * read so. */
uint64_t gw_godot_mp_find_half_floats(gw_godot_mp_reader *reader, uint32_t end);
/* The length of a Variant of Godot 4 that consists of 32-bit floats alone: a float, vector, quaternion or color; 0: it is
 * another one, or does not fit. */
uint32_t gw_godot_mp_floats_length(const uint8_t *bytes, uint32_t left);
/* The length of a value of half floats at `offset`; 0: it is none. */
uint32_t gw_godot_mp_half_length(const gw_godot_mp_reader *reader, uint32_t offset, uint32_t end);

/* True if the bytes after a header of Godot 3 are one Variant and not a packet. Then they are read as a value. */
bool gw_godot_mp_is_variant(const gw_godot_mp_reader *reader);

#endif
