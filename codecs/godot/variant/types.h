/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Shared by the codec's files: the wire table of each generation.
 */
#ifndef GAMEWIRE_CODECS_GODOT_VARIANT_TYPES_H
#define GAMEWIRE_CODECS_GODOT_VARIANT_TYPES_H

#include <gamewire/godot.h>

#if defined(__GNUC__)
#define ALWAYS_INLINE inline __attribute__((always_inline))
#define NEVER_INLINE  __attribute__((noinline))
#define NOT_NULL      __attribute__((nonnull))
#else
#define ALWAYS_INLINE inline
#define NEVER_INLINE
#define NOT_NULL
#endif

/* How a body is encoded; types with the same encoding have the same shape. */
typedef enum gw_godot_shape {
    SHAPE_EMPTY,      /* no body */
    SHAPE_BOOL,       /* u32 */
    SHAPE_INT,        /* i32, or i64 with the 64-bit flag */
    SHAPE_FLOAT,      /* f32, or f64 with the 64-bit flag */
    SHAPE_NUMBERS,    /* `unit` words; with the 64-bit flag, where the type has it, twice as wide */
    SHAPE_TEXT,       /* u32 length, text, padding */
    SHAPE_NODE_PATH,  /* u32 name count | bit 31, u32 subname count, u32 flags, texts; or one text */
    SHAPE_RID,        /* u64 */
    SHAPE_OBJECT,     /* u64 with the id flag; else text class, u32 count, (text, value) pairs */
    SHAPE_SIGNAL,     /* text, u64 */
    SHAPE_DICTIONARY, /* declarations of key and value, u32 count, (key, value) pairs */
    SHAPE_ARRAY,      /* declaration, u32 count, values */
    SHAPE_BYTES,      /* u32 count, bytes, padding */
    SHAPE_PACKED,     /* u32 count, elements of `unit` words, wide as SHAPE_NUMBERS */
    SHAPE_STRINGS,    /* u32 count, texts whose length counts a NUL */
    SHAPE_IMAGE,      /* u32 format, mipmaps, width, height, byte count; bytes, padding */
    SHAPE_INPUT_EVENT /* u32 event, device, length counted from the event on; details */
} gw_godot_shape;

typedef struct gw_godot_wire {
    uint8_t type;  /* gw_godot_type */
    uint8_t shape; /* gw_godot_shape */
    uint8_t unit;  /* words of 4 bytes of a value, or of a packed array's element */
    uint8_t flags; /* bits of header bits 16-19 that the type uses */
} gw_godot_wire;

/* Header bits without a meaning in this type: neither type nor flag. */
static inline uint32_t gw_godot_idle_bits(const gw_godot_wire *wire)
{
    return ~(GW_GODOT_TYPE_MASK | (uint32_t)wire->flags << 16);
}

#define GW_GODOT_FLAG_SHIFT       16
#define GW_GODOT_NODE_PATH_NEW    UINT32_C(0x80000000)
#define GW_GODOT_INPUT_EVENT_HEAD 12U

/* The type of a header whose bytes are in big-endian order; GW_GODOT_TYPES for other headers and for nil. */
gw_godot_type gw_godot_big_endian_type(gw_godot_generation generation, uint32_t header);

/* Oddities that no engine of the generation writes. */
uint32_t gw_godot_implausible(gw_godot_generation generation);

/* The number of floats in an event; they are read with gw_godot_any_real_at(). */
uint64_t gw_godot_reals_in(const gw_godot_event *event);
/* Float `i` of the event, in double precision. */
double gw_godot_any_real_at(const uint8_t *bytes, const gw_godot_event *event, uint32_t i);
/* True if no float is denormal, NaN or beyond 1e15. */
bool gw_godot_event_is_sane(const uint8_t *bytes, const gw_godot_event *event);

/* True if Godot 4 takes such an element into an array that is declared to hold the other type; both below
 * GW_GODOT_IMAGE. */
bool gw_godot_takes_element(gw_godot_type declared, gw_godot_type element);

/* The table indexed by wire type; its length is gw_godot_wire_types(). */
const gw_godot_wire *gw_godot_wire_table(gw_godot_generation generation);

/* Bytes after a text or array of this length, up to a multiple of four. */
static inline uint32_t gw_godot_padding(uint32_t length)
{
    return (0U - length) & 3U;
}

/* True if padding is not all zero. */
static inline bool gw_godot_any_set(const uint8_t *bytes, uint32_t count)
{
    uint32_t any = 0;
    for (uint32_t i = 0; i < count; i++)
        any |= bytes[i];
    return any != 0;
}

#endif
