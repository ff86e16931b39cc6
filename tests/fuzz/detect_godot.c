/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The detection of the generation against what the validator says of each.
 */
#include "checks.h"

#include <string.h>

#include <gamewire/godot.h>

static bool reads_exactly(const uint8_t *bytes, size_t length, gw_godot_generation generation,
                          gw_godot_summary *summary)
{
    const gw_godot_options options = { .generation = generation };
    return gw_godot_validate(bytes, length, &options, summary) && summary->length == length;
}

static unsigned exact_readings(const uint8_t *bytes, size_t length)
{
    gw_godot_summary summary;
    unsigned exact = 0;
    for (unsigned generation = GW_GODOT_2; generation <= GW_GODOT_4; generation++)
        if (reads_exactly(bytes, length, (gw_godot_generation)generation, &summary))
            exact |= 1U << generation;
    return exact;
}

static unsigned bits_in(unsigned set)
{
    unsigned count = 0;
    for (; set; set &= set - 1)
        count++;
    return count;
}

static void check_reasons(uint32_t reasons)
{
    CHECK(reasons);
    for (uint32_t bit = 1; bit <= reasons; bit <<= 1)
        if (reasons & bit)
            CHECK(strcmp(gw_godot_reason_text((gw_godot_reason)bit), "unknown reason"));
}

static void check_guess(const gw_godot_guess *guess, unsigned exact)
{
    unsigned chosen = 1U << guess->generation;
    CHECK((guess->certainty == GW_GODOT_UNREADABLE) == !exact);
    CHECK(!guess->same_reading || guess->alternatives);
    CHECK(!exact || (exact & chosen));
    CHECK(guess->alternatives == (exact & ~chosen));
    CHECK(!(guess->reasons & GW_GODOT_REASON_ONLY) || bits_in(exact) == 1);
    if (guess->certainty == GW_GODOT_CERTAIN)
        CHECK(bits_in(exact) == 1);
    if (guess->certainty == GW_GODOT_AMBIGUOUS)
        CHECK(bits_in(exact) > 1 && guess->reasons & GW_GODOT_REASON_DEFAULT);
}

static void check_numbers(const uint8_t *bytes, size_t length, gw_godot_generation generation)
{
    const gw_godot_options options = { .generation = generation };
    gw_godot_summary summary;
    bool sane = gw_godot_numbers_are_sane(bytes, length, &options);
    CHECK(!sane || gw_godot_validate(bytes, length, &options, &summary));
}

/* Cut, it never has more evidence than whole, unless what is cut off makes it unlikely. */
static void check_cut(const uint8_t *bytes, size_t length, gw_godot_generation generation)
{
    const gw_godot_options options = { .generation = generation };
    gw_recognition whole, cut;
    if (!gw_godot_recognize(bytes, length, length, &options, &whole) || whole.unlikely)
        return;
    for (size_t captured = 0; captured < length; captured += 4) {
        gw_godot_recognize(bytes, captured, length, &options, &cut);
        CHECK(cut.bits <= whole.bits);
    }
}

/* It is recognized as what reads it exactly. */
static void check_recognition(const uint8_t *bytes, size_t length, unsigned exact)
{
    gw_recognition whole;
    bool possible = gw_godot_recognize(bytes, length, length, NULL, &whole);
    CHECK(possible == whole.possible && possible == (whole.readings != 0));
    CHECK(!(whole.readings & ~exact));
    CHECK(!whole.unlikely || !whole.bits);
    for (unsigned generation = GW_GODOT_2; generation <= GW_GODOT_4; generation++)
        check_cut(bytes, length, (gw_godot_generation)generation);
}

static void check_prefix(const uint8_t *bytes, size_t length)
{
    const gw_godot_question question = { .reading = { .bare_objects = true }, .values = 3, .prefix = true };
    gw_godot_guess guess;
    gw_godot_detect(bytes, length, &question, &guess);
    CHECK(guess.summary.length <= length);
    CHECK(guess.certainty == GW_GODOT_UNREADABLE || guess.readers & 1U << guess.generation || guess.summary.odd);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    gw_godot_guess guess;
    gw_godot_summary summary;
    gw_godot_detect(bytes, length, NULL, &guess);
    CHECK(guess.generation >= GW_GODOT_2 && guess.generation <= GW_GODOT_4);
    check_guess(&guess, exact_readings(bytes, length));
    check_reasons(guess.reasons);
    reads_exactly(bytes, length, (gw_godot_generation)guess.generation, &summary);
    CHECK(summary.length == guess.summary.length && summary.proof == guess.summary.proof);
    CHECK(faults_are_equal(&summary.fault, &guess.summary.fault));
    for (unsigned generation = GW_GODOT_2; generation <= GW_GODOT_4; generation++)
        check_numbers(bytes, length, (gw_godot_generation)generation);
    if (length <= 256)
        check_recognition(bytes, length, exact_readings(bytes, length));
    check_prefix(bytes, length);
    return 0;
}
