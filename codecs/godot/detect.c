/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Which generation a payload is from.
 *
 * The three numberings overlap: of the datagrams of real engines two in three can be read as only one
 * generation, and any array or dictionary that is not empty decides. Where several readings remain, those that
 * no engine would write, or that hold numbers no game would send, give way; what is still open goes to the
 * newest generation.
 */
#include "types.h"

#include <stddef.h>

static const gw_godot_generation newest_first[] = { GW_GODOT_4, GW_GODOT_3, GW_GODOT_2 };
#define GENERATIONS 3

/* As much proof as leaves no doubt in a reading that only one generation allows. */
#define CERTAIN_PROOF 32

/* What engines of the generation never write. */
static uint32_t implausible(gw_godot_generation generation)
{
    uint32_t odd = GW_GODOT_ODD_HEADER_BITS | GW_GODOT_ODD_FLAGS | GW_GODOT_ODD_BOOL | GW_GODOT_ODD_UTF8 |
                   GW_GODOT_ODD_NUL | GW_GODOT_ODD_PADDING | GW_GODOT_ODD_NO_PADDING | GW_GODOT_ODD_SHARED |
                   GW_GODOT_ODD_UNTERMINATED | GW_GODOT_ODD_NODE_PATH_FLAGS | GW_GODOT_ODD_OLD_NODE_PATH |
                   GW_GODOT_ODD_TOO_DEEP;
    /* Godot 3.0 writes wide ints, and padding of 3.0 and older may be stale. */
    return generation == GW_GODOT_4 ? odd | GW_GODOT_ODD_WIDE | GW_GODOT_ODD_STALE_PADDING : odd;
}

/* ---- numbers that a game would send -------------------------------------------------------------------- */

static double size_of(double number)
{
    return number < 0 ? -number : number;
}

static bool is_sane(double number)
{
    double size = size_of(number);
    return !(size > 0) ? size <= 0 : size >= 1.1754943508222875e-38 && size <= 1e15;
}

static bool is_ordinary(double number)
{
    double size = size_of(number);
    return size >= 1e-6 && size <= 1e7;
}

static bool is_zero(double number)
{
    return number <= 0 && number >= 0;
}

/* How many floats an event holds; they are read with real_of(). */
static uint64_t reals_in(const gw_godot_event *event)
{
    gw_godot_type type = (gw_godot_type)event->type;
    uint64_t numbers = gw_godot_components(type);
    if (gw_godot_components_are_integers(type) || event->kind == GW_OPEN || event->kind == GW_CLOSE)
        return 0;
    return event->kind == GW_PACKED ? numbers * event->count : numbers;
}

static double real_of(const uint8_t *bytes, const gw_godot_event *event, uint32_t i)
{
    return event->type == GW_GODOT_FLOAT ? event->number.real : gw_godot_real_at(bytes, event, i);
}

bool gw_godot_numbers_are_sane(const uint8_t *bytes, size_t length, const gw_godot_options *options)
{
    gw_godot_reader reader;
    gw_godot_event event;
    gw_next next;
    gw_godot_init(&reader, bytes, length, options);
    while ((next = gw_godot_next(&reader, &event)) == GW_NEXT_EVENT)
        for (uint32_t i = 0; i < reals_in(&event); i++)
            if (!is_sane(real_of(bytes, &event, i)))
                return false;
    return next == GW_NEXT_END;
}

uint32_t gw_godot_number_proof(const uint8_t *bytes, size_t length, const gw_godot_options *options)
{
    gw_godot_reader reader;
    gw_godot_event event;
    uint32_t ordinary = 0;
    gw_godot_init(&reader, bytes, length, options);
    while (gw_godot_next(&reader, &event) == GW_NEXT_EVENT) {
        for (uint32_t i = 0; i < reals_in(&event); i++) {
            double real = real_of(bytes, &event, i);
            if (is_ordinary(real))
                ordinary++;
            else if (!is_zero(real))
                return 0;
        }
    }
    return 2 * ordinary;
}

/* ---- weighing ------------------------------------------------------------------------------------------ */

struct reading {
    gw_godot_generation generation;
    gw_godot_summary summary;
    bool exact;
    bool plausible; /* nothing in it that its engines do not write */
    bool sane;      /* numbers that a game would send */
};

static bool only_wire_types(const gw_godot_summary *summary, uint32_t highest)
{
    return summary->wire_types >> (highest + 1) == 0;
}

/* Nil, bool, int, float, String and Vector2 mean the same in all three; Godot 2 and 3 also agree on 6 to 14. */
static bool read_the_same(const gw_godot_summary *summary, uint32_t alternatives)
{
    return only_wire_types(summary, alternatives & (1U << GW_GODOT_4) ? GW_GODOT_VECTOR2 : 14);
}

static uint32_t own_reasons(const struct reading *reading)
{
    const gw_godot_summary *summary = &reading->summary;
    uint32_t reasons = 0;
    if (summary->wide)
        reasons |= GW_GODOT_REASON_WIDE;
    if (summary->flags & GW_GODOT_KIND_MASK)
        reasons |= GW_GODOT_REASON_TYPED;
    if (reading->generation == GW_GODOT_2 && summary->flags & GW_GODOT_COUNT_SHARED)
        reasons |= GW_GODOT_REASON_SHARED;
    if (!only_wire_types(summary, 28))
        reasons |= GW_GODOT_REASON_NEW_TYPE;
    return reasons;
}

static void read_as(struct reading *reading, gw_godot_generation generation, const uint8_t *bytes, size_t length)
{
    const gw_godot_options options = { .generation = generation };
    reading->generation = generation;
    reading->exact = gw_godot_validate(bytes, length, &options, &reading->summary) && reading->summary.length == length;
    reading->plausible = reading->exact && !(reading->summary.odd & implausible(generation));
}

/* How many readings remain when only those that `better` marks count; none marked leaves them all. */
static unsigned narrow(struct reading *readings, const bool *better)
{
    unsigned marked = 0, left = 0;
    for (unsigned i = 0; i < GENERATIONS; i++)
        marked += readings[i].exact && better[i];
    for (unsigned i = 0; i < GENERATIONS; i++) {
        readings[i].exact = readings[i].exact && (better[i] || !marked);
        left += readings[i].exact;
    }
    return left;
}

/* Lets readings go until one remains or nothing more can be said; returns why the last one stayed. */
static uint32_t decide(struct reading *readings, unsigned left, const uint8_t *bytes, size_t length)
{
    bool better[GENERATIONS];
    for (unsigned i = 0; i < GENERATIONS; i++)
        better[i] = readings[i].plausible;
    if (narrow(readings, better) == 1)
        return left == 1 ? GW_GODOT_REASON_ONLY : GW_GODOT_REASON_FEWER_ODDITIES;
    for (unsigned i = 0; i < GENERATIONS; i++) {
        const gw_godot_options options = { .generation = readings[i].generation };
        better[i] = readings[i].exact && gw_godot_numbers_are_sane(bytes, length, &options);
    }
    return narrow(readings, better) == 1 ? GW_GODOT_REASON_SANE_NUMBERS : GW_GODOT_REASON_DEFAULT;
}

static void choose(gw_godot_guess *guess, const struct reading *reading, unsigned readable, uint32_t reason)
{
    guess->generation = (uint8_t)reading->generation;
    guess->summary = reading->summary;
    guess->alternatives &= (uint8_t) ~(1U << reading->generation);
    guess->same_reading =
        guess->alternatives && read_the_same(&reading->summary, guess->alternatives | 1U << reading->generation);
    guess->reasons = own_reasons(reading) | reason;
    if (readable == 1)
        guess->certainty = reading->summary.proof >= CERTAIN_PROOF ? GW_GODOT_CERTAIN : GW_GODOT_LIKELY;
    else
        guess->certainty = reason == GW_GODOT_REASON_DEFAULT ? GW_GODOT_AMBIGUOUS : GW_GODOT_LIKELY;
}

/* When none reads to the end, the one that came furthest is still worth showing. */
static void choose_furthest(gw_godot_guess *guess, const struct reading *readings)
{
    const struct reading *best = &readings[0];
    for (unsigned i = 1; i < GENERATIONS; i++)
        if (readings[i].summary.length > best->summary.length)
            best = &readings[i];
    guess->generation = (uint8_t)best->generation;
    guess->summary = best->summary;
    guess->certainty = GW_GODOT_UNREADABLE;
    guess->reasons = own_reasons(best) | GW_GODOT_REASON_DEFAULT;
}

void gw_godot_detect(const uint8_t *bytes, size_t length, gw_godot_guess *guess)
{
    struct reading readings[GENERATIONS];
    unsigned readable = 0;
    *guess = (gw_godot_guess){ 0 };
    for (unsigned i = 0; i < GENERATIONS; i++) {
        read_as(&readings[i], newest_first[i], bytes, length);
        if (readings[i].exact) {
            readable++;
            guess->alternatives |= (uint8_t)(1U << newest_first[i]);
        }
    }
    if (!readable) {
        choose_furthest(guess, readings);
        return;
    }
    uint32_t reason = decide(readings, readable, bytes, length);
    unsigned chosen = 0;
    while (!readings[chosen].exact)
        chosen++;
    choose(guess, &readings[chosen], readable, reason);
}

/* ---- words --------------------------------------------------------------------------------------------- */

static const struct {
    gw_godot_reason reason;
    const char *text;
} reasons[] = {
    { GW_GODOT_REASON_ONLY, "no other generation reads it to the end" },
    { GW_GODOT_REASON_WIDE, "64-bit numbers, which Godot 2 lacks" },
    { GW_GODOT_REASON_TYPED, "typed containers, of Godot 4.3 or later" },
    { GW_GODOT_REASON_SHARED, "shared containers, of Godot 2" },
    { GW_GODOT_REASON_NEW_TYPE, "types that only Godot 4 numbers so" },
    { GW_GODOT_REASON_FEWER_ODDITIES, "the other readings hold what no engine writes" },
    { GW_GODOT_REASON_SANE_NUMBERS, "the other readings hold numbers that no game would send" },
    { GW_GODOT_REASON_DEFAULT, "nothing decides, so the newest" },
};

const char *gw_godot_reason_text(gw_godot_reason reason)
{
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].reason == reason)
            return reasons[i].text;
    return "unknown reason";
}
