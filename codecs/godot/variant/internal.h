/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Shared by the codec's files: the wire table of each generation.
 *
 * The reader's files share the rest. A step reads one value: gw_godot_next() with an event to fill, the validator with
 * a summary; the other pointer is NULL.
 *
 *   reader.c   gw_godot_init(), gw_godot_next(), gw_godot_validate() and the dispatch by shape
 *   values.c   the layouts of numbers, objects and containers
 *   arrays.c   the layouts with a count of parts: packed arrays, NodePaths and Godot 2's images and events
 *   texts.c    texts, and the end of reading with a fault
 */
#ifndef GAMEWIRE_CODECS_GODOT_VARIANT_INTERNAL_H
#define GAMEWIRE_CODECS_GODOT_VARIANT_INTERNAL_H

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

/* True if one of `count` bytes of padding is not zero; the caller has tested that the input contains them. */
static inline bool gw_godot_any_set(const uint8_t *bytes, uint32_t count)
{
    uint32_t any = 0;
    for (uint32_t i = 0; i < count; i++)
        any |= bytes[i];
    return any != 0;
}

/* ---- the reader ---------------------------------------------------------------------------------------- */

/* The state of one step of the reader. */
struct step {
    gw_godot_reader *reader;
    gw_godot_event *event;     /* NULL while validating */
    gw_godot_summary *summary; /* NULL while reading */
    uint32_t start;            /* of the header, or of a property name */
    uint32_t header;
};

/* A text: u32 length, bytes, padding to four. */
struct text {
    gw_span span;
    uint32_t padding;
    uint32_t odd;
};

/* texts.c */

/* Ends the reading with a fault; returns GW_NEXT_FAULT. */
gw_next gw_godot_fail(gw_godot_reader *reader, gw_godot_fault code, uint32_t offset, uint64_t needed);
/* The fault of a body of `size` bytes of which only `left` exist; `item` is the start of its value. */
gw_next gw_godot_fail_body(gw_godot_reader *reader, uint32_t item, uint64_t size, uint32_t left);

/* Reads the text at `at`; `item` is the start of the value that contains it, `dirty_padding` the oddity of padding that
 * is not zero. Returns the offset after it, or 0 after a fault (no text ends at 0). */
uint32_t gw_godot_read_text(gw_godot_reader *reader, uint32_t at, uint32_t item, uint32_t dirty_padding,
                            struct text *text);
/* Reads a value that is one text, whose length is at `body`. */
gw_next gw_godot_step_text(struct step step, uint32_t body);

/* values.c and arrays.c: each reads a value of one shape, and returns GW_NEXT_FAULT if it ends the reading. */
gw_next gw_godot_step_number(struct step step, const gw_godot_wire *wire);
gw_next gw_godot_step_bool(struct step step);
gw_next gw_godot_step_numbers(struct step step, const gw_godot_wire *wire);
gw_next gw_godot_step_rid(struct step step);
gw_next gw_godot_step_signal(struct step step);
gw_next gw_godot_step_container(struct step step, const gw_godot_wire *wire);
gw_next gw_godot_step_object(struct step step, const gw_godot_wire *wire);
gw_next gw_godot_step_packed(struct step step, const gw_godot_wire *wire);
gw_next gw_godot_step_bytes(struct step step);
gw_next gw_godot_step_strings(struct step step);
gw_next gw_godot_step_node_path(struct step step);
gw_next gw_godot_step_image(struct step step);
gw_next gw_godot_step_input_event(struct step step);

/* The oddity of padding that is not zero: Godot 2 does not zero any padding. */
static ALWAYS_INLINE uint32_t odd_of_padding(const gw_godot_reader *reader)
{
    return reader->generation == GW_GODOT_2 ? GW_GODOT_ODD_STALE_PADDING : GW_GODOT_ODD_PADDING;
}

/* Adds an oddity to the event or to the summary. */
static ALWAYS_INLINE void add_odd(struct step step, uint32_t odd)
{
    if (step.event)
        step.event->odd |= odd;
    if (step.summary)
        step.summary->odd |= odd;
}

/* Adds a text to the summary, whose proof has at most 16 bytes of each text: gw_godot_validate(). */
static ALWAYS_INLINE void sum_text(gw_godot_summary *summary, uint32_t length)
{
    summary->texts += length != 0;
    summary->text_bytes += length < 16 ? length : 16;
}

/* Completes a value whose parts have these lengths, and advances the reader after it. The caller has tested that the
 * input contains them. */
static ALWAYS_INLINE gw_next finish(struct step step, uint32_t header, uint32_t payload, uint32_t padding)
{
    uint32_t at = step.start + header;
    step.reader->offset = at + payload + padding;
    if (step.event) {
        step.event->header.length = header;
        step.event->payload = (gw_span){ at, payload };
        step.event->padding = (gw_span){ at + payload, padding };
    }
    return GW_NEXT_EVENT;
}

/* True if header bit 16 is set and has a meaning for the type: numbers of 64 bits, or an object as its id. */
static ALWAYS_INLINE bool has_flag(struct step step, const gw_godot_wire *wire)
{
    return step.header >> GW_GODOT_FLAG_SHIFT & wire->flags & 1U;
}

/* The position up to which members of a container may be read without extra work (GW_GODOT_CARE_KEYS, _ALL). */
static ALWAYS_INLINE uint32_t stop_of(const gw_godot_level *level)
{
    if (!level->care)
        return level->end;
    /* The next member, except if only keys need it and the next one is not a key: keys are at even positions. */
    return level->position + (level->care == GW_GODOT_CARE_KEYS ? level->position & 1U : 0);
}

/* Opens a level for the container whose header is at `offset`. `end`: the number of its members, of which keys and
 * values count one each; `role`: of the first one. The caller has tested that a level is available. */
static ALWAYS_INLINE void push_level(gw_godot_reader *reader, uint32_t offset, uint32_t end, gw_godot_role role)
{
    gw_godot_level *level = ++reader->level;
    level->position = 0;
    level->end = end;
    level->offset = offset;
    level->role = (uint8_t)role;
    level->keys = (level - 1)->keys; /* the keys of outer dictionaries remain stored before those of this one */
    level->paired = role != GW_GODOT_ROLE_ELEMENT;
    /* Property names have no header, so that only read_any() reads the members of an object. */
    level->care = role == GW_GODOT_ROLE_PROPERTY_NAME ? GW_GODOT_CARE_ALL
                  : role == GW_GODOT_ROLE_KEY         ? reader->key_care
                                                      : 0;
    /* These members are deeper than the engine permits: read_any() reports it. */
    if (reader->depth >= GW_GODOT_ENGINE_DEPTH)
        level->care = GW_GODOT_CARE_ALL;
    reader->stop = level->care ? 0 : end; /* the first member, whether it is a key or not */
    reader->depth++;
}

/* Sets the place of a member in its container, `level`. Roles of keyed containers are in pairs, the role of the key
 * first; `position` counts keys and values. */
static ALWAYS_INLINE void set_position(gw_godot_event *event, const gw_godot_level *level, uint32_t position,
                                       uint32_t depth)
{
    event->role = (uint8_t)(level->role + (position & level->paired));
    event->index = position >> level->paired;
    event->depth = depth;
}

#endif
