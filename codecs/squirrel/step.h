/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Shared by reader, validator, recognizer and printer: the look-up of types, and one step through the values without
 * the members that only a reader of events needs.
 */
#ifndef GAMEWIRE_SQUIRREL_STEP_H
#define GAMEWIRE_SQUIRREL_STEP_H

#include <gamewire/squirrel.h>

/* The table of gw_squirrel_type_of(), inline because every step uses it. */
extern const gw_squirrel_type gw_squirrel_type_table[];
extern const uint8_t gw_squirrel_type_index[256];

/* As gw_squirrel_type_of(). */
static inline const gw_squirrel_type *gw_squirrel_find_type(uint8_t tag)
{
    return &gw_squirrel_type_table[gw_squirrel_type_index[tag]];
}

/* The type of a level that is not the first one. */
static inline const gw_squirrel_type *gw_squirrel_type_of_level(const gw_squirrel_reader *reader,
                                                                const gw_squirrel_level *level)
{
    return gw_squirrel_find_type(reader->bytes[level->offset]);
}

/* Like gw_squirrel_next(), but sets only kind, tag, depth, odd, counted, header, payload, declared and actual (and
 * values of CLOSE), and does not check UTF-8. Returns GW_SQUIRREL_UNDECIDED, and reads nothing, at an `a` or `t` while
 * the reading is one of the two that gw_squirrel_is_undecided() names. */
gw_next gw_squirrel_step(gw_squirrel_reader *reader, gw_squirrel_event *event);
#define GW_SQUIRREL_UNDECIDED ((gw_next)(GW_NEXT_FAULT + 1))

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

#endif
