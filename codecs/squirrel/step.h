/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Shared by the files of this codec: the look-up of types, the readings, the levels, and ends.c.
 */
#ifndef GAMEWIRE_SQUIRREL_STEP_H
#define GAMEWIRE_SQUIRREL_STEP_H

#include <gamewire/squirrel.h>

#if defined(__GNUC__)
#define ALWAYS_INLINE inline __attribute__((always_inline))
#define NEVER_INLINE  __attribute__((noinline))
#else
#define ALWAYS_INLINE inline
#define NEVER_INLINE
#endif

#define TAG_LENGTH     1u
#define STRING_HEAD    3u /* tag, u16 length */
#define CONTAINER_HEAD 5u /* tag, u32 length or count */
#define SCRIPT_HEAD    2u

/* The table of gw_squirrel_type_of(), inline because every step uses it. */
extern const gw_squirrel_type gw_squirrel_type_table[];
extern const uint8_t gw_squirrel_type_index[256];

/* As gw_squirrel_type_of(). */
static inline const gw_squirrel_type *gw_squirrel_find_type(uint8_t tag)
{
    return &gw_squirrel_type_table[gw_squirrel_type_index[tag]];
}

/* ---- readings ------------------------------------------------------------------------------------------ */

/* True for the two readings of which one is determined at the first `a` or `t`. */
static inline bool gw_squirrel_is_undecided(uint8_t reading)
{
    return reading == GW_SQUIRREL_BYTES_FIRST || reading == GW_SQUIRREL_COUNTS_FIRST;
}

/* The reading that is tried first if it is not determined. */
static inline uint8_t gw_squirrel_first_reading(uint8_t reading)
{
    return reading == GW_SQUIRREL_BYTES_FIRST ? GW_SQUIRREL_BYTES : GW_SQUIRREL_COUNTS;
}

/* The reading that is tried second. */
static inline uint8_t gw_squirrel_other_reading(uint8_t reading)
{
    return reading == GW_SQUIRREL_BYTES ? GW_SQUIRREL_COUNTS : GW_SQUIRREL_BYTES;
}

/* ---- levels -------------------------------------------------------------------------------------------- */

static inline uint32_t minimum(uint32_t one, uint32_t other)
{
    return one < other ? one : other;
}

/* The type of a level that is not the first one. */
static inline const gw_squirrel_type *gw_squirrel_type_of_level(const gw_squirrel_reader *reader,
                                                                const gw_squirrel_level *level)
{
    return gw_squirrel_find_type(reader->bytes[level->offset]);
}

/* The length or count after the tag of a level that is not the first one: its head was in the input. */
static inline uint32_t declared_by(const gw_squirrel_reader *reader, const gw_squirrel_level *level)
{
    return gw_le32(reader->bytes + level->offset + TAG_LENGTH);
}

/* True if the number after the tag is a count of elements or pairs; false: of bytes. */
static inline bool is_counted(const gw_squirrel_reader *reader, const gw_squirrel_type *type)
{
    return type->form == GW_SQUIRREL_FORM_COUNTED ||
           (type->form == GW_SQUIRREL_FORM_SIZED && reader->options.reading == GW_SQUIRREL_COUNTS);
}

/* The declared end of the content of a container at `offset`; GW_SQUIRREL_NO_END if it exceeds any input. */
static inline uint32_t end_of(uint32_t offset, uint32_t declared)
{
    uint32_t content = offset + CONTAINER_HEAD;
    return declared < GW_SQUIRREL_NO_END - content ? content + declared : GW_SQUIRREL_NO_END;
}

/* ---- ends.c -------------------------------------------------------------------------------------------- */

/* Sets the fault, at the current position; returns GW_NEXT_FAULT. `needed`: bytes beyond the end, of a truncated input.
 */
gw_next gw_squirrel_fail(gw_squirrel_reader *reader, gw_squirrel_fault code, uint64_t needed);
/* An item of `size` bytes, the first `header` of which are its header, is longer than the rest of the input: skips it,
 * or fails with `code`. */
gw_next gw_squirrel_does_not_fit(gw_squirrel_reader *reader, gw_squirrel_event *event, gw_squirrel_fault code,
                                 uint32_t header, uint64_t size);
/* Skips an unknown tag and the bytes after it, or fails. */
gw_next gw_squirrel_skip_unknown(gw_squirrel_reader *reader, gw_squirrel_event *event);
/* Skips a container, whose declared length or count is given, below the deepest level, or fails. */
gw_next gw_squirrel_too_deep(gw_squirrel_reader *reader, gw_squirrel_event *event, bool counted, uint32_t declared);

/* At a declared end, or past it, or at the end of the input: true if the level ends here. */
bool gw_squirrel_ends_here(const gw_squirrel_reader *reader, const gw_squirrel_level *level);
/* The input ends before `level` does: sets the fault. */
gw_next gw_squirrel_fail_unfinished(gw_squirrel_reader *reader, const gw_squirrel_level *level);
/* The content is complete: the end, or a fault if bytes are left. */
gw_next gw_squirrel_end_content(gw_squirrel_reader *reader);

#endif
