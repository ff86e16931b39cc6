/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Which generation a payload is from.
 *
 * The three numberings overlap: of the datagrams of real engines two in three can be read as only one
 * generation, and any array or dictionary that is not empty decides. Where several readings remain, those that
 * no engine would write, or that hold numbers no game would send, are removed; of the remaining ones the newest
 * generation is chosen.
 */
#include "internal.h"

#include <stddef.h>

static const gw_godot_generation newest_first[] = { GW_GODOT_4, GW_GODOT_3, GW_GODOT_2 };
#define GENERATIONS 3

/* The amount of proof that is sufficient for a reading that is possible in only one generation. */
#define CERTAIN_PROOF 32
/* The proof of one more header, see gw_godot_validate(). */
#define ONE_HEADER 16

/* The oddities (bits of gw_godot_odd) that no engine of the generation writes: with one of them, a payload is unlikely
 * to be of this generation, or to be a Variant at all. Includes invalid UTF-8, although 3.2.3 sends half a surrogate
 * pair unchanged (observed): that is rare. */
uint32_t gw_godot_implausible(gw_godot_generation generation)
{
    uint32_t odd = GW_GODOT_ODD_HEADER_BITS | GW_GODOT_ODD_BYTE_ORDER | GW_GODOT_ODD_FLAGS | GW_GODOT_ODD_BOOL |
                   GW_GODOT_ODD_UTF8 | GW_GODOT_ODD_NUL | GW_GODOT_ODD_PADDING | GW_GODOT_ODD_NO_PADDING |
                   GW_GODOT_ODD_SHARED | GW_GODOT_ODD_UNTERMINATED | GW_GODOT_ODD_NODE_PATH_FLAGS |
                   GW_GODOT_ODD_OLD_NODE_PATH | GW_GODOT_ODD_TOO_DEEP | GW_GODOT_ODD_DUPLICATE_KEY |
                   GW_GODOT_ODD_ELEMENT_TYPE;
    /* Godot 3.0 writes wide ints. Stale padding is implausible in none: each has versions that leave it. */
    return generation == GW_GODOT_4 ? odd | GW_GODOT_ODD_WIDE : odd;
}

/* ---- numbers that a game would send -------------------------------------------------------------------- */

/* True if a game may have sent all floats of the event: bytes that are not floats, such as small integers, are often
 * denormal numbers when they are read as floats. Integers of the event may have any value. */
bool gw_godot_event_is_sane(const uint8_t *bytes, const gw_godot_event *event)
{
    uint64_t reals = gw_godot_reals_in(event);
    for (uint32_t i = 0; i < reals; i++) {
        double number = gw_godot_any_real_at(bytes, event, i);
        double size = number < 0 ? -number : number;
        /* Denormal, beyond 1e15, or NaN, which is neither above 0 nor 0 or less. */
        if (size > 0 ? size < 1.1754943508222875e-38 || size > 1e15 : !(size <= 0))
            return false;
    }
    return true;
}

/* True if the whole Variant can be read without a fault, and a game may have sent all its floats, which
 * gw_godot_event_is_sane() tests for each event. */
bool gw_godot_numbers_are_sane(const uint8_t *bytes, size_t length, const gw_godot_options *options)
{
    gw_godot_reader reader;
    gw_godot_event event;
    gw_next next;
    gw_godot_init(&reader, bytes, length, options);
    while ((next = gw_godot_next(&reader, &event)) == GW_NEXT_EVENT)
        if (!gw_godot_event_is_sane(bytes, &event))
            return false;
    return next == GW_NEXT_END;
}

/* ---- comparing the readings ---------------------------------------------------------------------------- */

struct reading {
    gw_godot_generation generation;
    gw_godot_summary summary;
    bool exact;     /* reads the input as requested, and is still a candidate */
    bool plausible; /* without oddities that its engines do not write */
};

/* True if no value has a wire type above `highest`. */
static bool only_wire_types(const gw_godot_summary *summary, uint32_t highest)
{
    return summary->wire_types >> (highest + 1) == 0;
}

/* The reasons for the reading's generation that are in the bytes themselves, without a comparison with the other
 * readings: features that not all generations have. Returns bits of gw_godot_reason. */
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
    if (!only_wire_types(summary, 28)) /* the highest of Godot 2; Godot 3 has fewer */
        reasons |= GW_GODOT_REASON_NEW_TYPE;
    return reasons;
}

/* Reads all values of the question, at least one, in one generation, and adds up their summaries. The reading is exact
 * if all values are complete, and end with the input unless other bytes may follow them (`question->prefix`). */
static void read_as(struct reading *reading, gw_godot_generation generation, const uint8_t *bytes, size_t length,
                    const gw_godot_question *question)
{
    gw_godot_options options = question->reading;
    uint32_t left = question->values;
    gw_godot_summary *sum = &reading->summary, next;
    options.generation = generation;
    reading->generation = generation;
    reading->exact = gw_godot_validate(bytes, length, &options, sum);
    while (left-- > 1 && reading->exact) {
        options.offset = question->reading.offset + sum->length;
        reading->exact = gw_godot_validate(bytes, length, &options, &next);
        sum->wire_types |= next.wire_types;
        sum->odd |= next.odd;
        sum->length += next.length;
        sum->values += next.values;
        sum->nils += next.nils;
        sum->counts += next.counts;
        sum->texts += next.texts;
        sum->text_bytes += next.text_bytes;
        sum->proof = next.proof > UINT32_MAX - sum->proof ? UINT32_MAX : sum->proof + next.proof;
        sum->wide += next.wide;
        sum->flags |= next.flags;
        sum->fault = next.fault;
    }
    if (!question->prefix && question->reading.offset + (uint64_t)sum->length != length)
        reading->exact = false;
    reading->plausible = reading->exact && !(sum->odd & gw_godot_implausible(generation));
}

/* True if the caller considers the generation possible. */
static bool is_candidate(const gw_godot_question *question, gw_godot_generation generation)
{
    return !question->candidates || question->candidates & GW_GODOT_GENERATION_BIT(generation);
}

/* Applies one test of decide(), whose result for each reading is in `better`: removes the readings that do not pass, by
 * setting `exact` to false, and returns how many remain. If none passes, the test cannot decide, and all remain. */
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

/* True if a game may have sent the floats of all values of the question, read as this generation. The caller has tested
 * that the generation reads them without a fault. */
static bool are_sane(const uint8_t *bytes, size_t length, const gw_godot_question *question,
                     gw_godot_generation generation)
{
    gw_godot_options options = question->reading;
    gw_godot_summary summary;
    options.generation = generation;
    for (uint32_t value = 0; value < question->values; value++) {
        if (!gw_godot_numbers_are_sane(bytes, length, &options))
            return false;
        if (question->values > 1) { /* where the next value begins */
            gw_godot_validate(bytes, length, &options, &summary);
            options.offset += summary.length;
        }
    }
    return true;
}

/* Removes readings until one remains or no test is left; returns the reason why the last one remains. `left`: how many
 * readings there are. Each test keeps all readings if none passes it. */
static uint32_t decide(struct reading *readings, unsigned left, const uint8_t *bytes, size_t length,
                       const gw_godot_question *question)
{
    bool better[GENERATIONS];
    /* 1. Keeps the readings without oddities that their engines do not write. */
    for (unsigned i = 0; i < GENERATIONS; i++)
        better[i] = readings[i].plausible;
    if (narrow(readings, better) == 1)
        /* With a single reading there was no other whose oddities could decide. */
        return left == 1 ? GW_GODOT_REASON_ONLY : GW_GODOT_REASON_FEWER_ODDITIES;
    if (question->prefix) {
        /* 2. If other bytes may follow, a wrong reading may end too early, such as a value of fixed size: keeps those
         * whose proof is less than one header below the best one's. */
        uint32_t most = 0;
        for (unsigned i = 0; i < GENERATIONS; i++)
            if (readings[i].exact && readings[i].summary.proof > most)
                most = readings[i].summary.proof;
        for (unsigned i = 0; i < GENERATIONS; i++)
            better[i] = readings[i].summary.proof + ONE_HEADER > most;
        if (narrow(readings, better) == 1)
            return GW_GODOT_REASON_STRUCTURE;
    }
    /* 3. Keeps the readings with floats that a game would send. */
    for (unsigned i = 0; i < GENERATIONS; i++)
        better[i] = readings[i].exact && are_sane(bytes, length, question, readings[i].generation);
    return narrow(readings, better) == 1 ? GW_GODOT_REASON_SANE_NUMBERS : GW_GODOT_REASON_DEFAULT;
}

/* Completes the guess with the chosen reading: its reasons, its certainty, and whether the choice matters. `possible`:
 * how many candidates (generations that the caller considers possible) read the input; `reason`: why this reading was
 * chosen of them. */
static void complete_guess(gw_godot_guess *guess, const struct reading *reading, unsigned possible, uint32_t reason)
{
    /* Other generations read the input too, but are not candidates: the caller's knowledge decides, not the input
     * alone. Then the reason "no other generation reads it" would be wrong, and the choice is not certain. */
    bool needs_context = guess->reasons & GW_GODOT_REASON_CONTEXT;
    guess->generation = (uint8_t)reading->generation;
    guess->summary = reading->summary;
    guess->alternatives &= (uint8_t)~GW_GODOT_GENERATION_BIT(reading->generation);
    /* The wire types up to Vector2 (nil, bool, int, float and String come before it) have the same meaning in all three
     * generations; in Godot 2 and 3, those up to 14 have. */
    uint32_t readers = guess->alternatives | GW_GODOT_GENERATION_BIT(reading->generation);
    uint32_t highest = readers & GW_GODOT_GENERATION_BIT(GW_GODOT_4) ? GW_GODOT_VECTOR2 : 14;
    guess->same_reading = guess->alternatives && only_wire_types(&reading->summary, highest);
    if (needs_context)
        reason &= ~(uint32_t)GW_GODOT_REASON_ONLY;
    guess->reasons |= own_reasons(reading) | reason;
    /* Where other bytes may follow, most often several generations read the input: a reading with much more structure
     * than the others is as good as the only one. */
    bool is_decisive = possible == 1 || reason == GW_GODOT_REASON_STRUCTURE;
    if (reason == GW_GODOT_REASON_DEFAULT)
        guess->certainty = GW_GODOT_AMBIGUOUS;
    else
        guess->certainty = is_decisive && !needs_context && reading->summary.proof >= CERTAIN_PROOF ? GW_GODOT_CERTAIN
                                                                                                    : GW_GODOT_LIKELY;
}

/* Completes the guess if no candidate reads the input: with the candidate that reads the most bytes before its fault,
 * of several the newest. */
static void choose_furthest(gw_godot_guess *guess, const struct reading *readings, const gw_godot_question *question)
{
    const struct reading *best = &readings[0];
    for (unsigned i = 1; i < GENERATIONS; i++)
        if (is_candidate(question, readings[i].generation) &&
            (!is_candidate(question, best->generation) || readings[i].summary.length > best->summary.length))
            best = &readings[i];
    guess->generation = (uint8_t)best->generation;
    guess->summary = best->summary;
    guess->certainty = GW_GODOT_UNREADABLE;
    guess->reasons = own_reasons(best) | GW_GODOT_REASON_DEFAULT;
}

/* Reads the values in all generations, and sets the guess to the most likely one and the reasons for it. */
void gw_godot_detect(const uint8_t *bytes, size_t length, const gw_godot_question *question, gw_godot_guess *guess)
{
    struct reading readings[GENERATIONS];
    gw_godot_question detection = question ? *question : (gw_godot_question){ .prefix = false };
    uint8_t exact = 0, plausible = 0;
    unsigned possible = 0;
    if (!detection.values)
        detection.values = 1;
    *guess = (gw_godot_guess){ 0 };
    for (unsigned i = 0; i < GENERATIONS; i++) {
        struct reading *reading = &readings[i];
        uint8_t bit = (uint8_t)GW_GODOT_GENERATION_BIT(newest_first[i]);
        read_as(reading, newest_first[i], bytes, length, &detection);
        exact |= reading->exact ? bit : 0;
        plausible |= reading->plausible ? bit : 0;
        /* Removes readings that are not candidates. */
        if (!is_candidate(&detection, reading->generation)) {
            guess->reasons |= reading->exact ? GW_GODOT_REASON_CONTEXT : 0U;
            reading->exact = reading->plausible = false;
        }
        guess->alternatives |= reading->exact ? bit : 0;
        possible += reading->exact;
    }
    /* The generations whose engines may have written the input, candidates or not. If none may have, those that read
     * it, although with oddities that their engines do not write. */
    guess->readers = plausible ? plausible : exact;
    if (!possible) {
        choose_furthest(guess, readings, &detection);
        return;
    }
    uint32_t reason = decide(readings, possible, bytes, length, &detection);
    unsigned chosen = 0;
    while (!readings[chosen].exact)
        chosen++;
    complete_guess(guess, &readings[chosen], possible, reason);
}

/* ---- names --------------------------------------------------------------------------------------------- */

/* The text of one reason, a bit. */
const char *gw_godot_reason_text(gw_godot_reason reason)
{
    /* By bit. */
    static const char *const texts[] = {
        "no other generation reads it to the end",
        "64-bit numbers, which Godot 2 lacks",
        "typed containers, of Godot 4.3 or later",
        "shared containers, of Godot 2",
        "types that only Godot 4 numbers so",
        "the other readings hold what no engine writes",
        "the other readings hold numbers that no game would send",
        "nothing decides, so the newest",
        "the other generations do not read the rest of the conversation",
        "the other readings find less structure in it",
    };
    for (size_t bit = 0; bit < sizeof texts / sizeof *texts; bit++)
        if ((uint32_t)reason == UINT32_C(1) << bit)
            return texts[bit];
    return "unknown reason";
}
