/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Keeps the generations that can read a conversation's Variants, and chooses the most likely one otherwise.
 */
#include "generation.h"

#include "common/conversation.h"
#include "common/fault.h"
#include "common/spans.h"
#include "tree.h"

int godot_generation_preference = GW_GODOT_ANY;

static int proto_godot = -1;

/* Memory for the codec, shared by all calls: Wireshark dissects one packet at a time. */
static gw_godot_level levels[GODOT_READER_LEVELS];

void godot_generation_register(int protocol)
{
    proto_godot = protocol;
}

void godot_generation_set_levels(gw_godot_options *options)
{
    options->levels = levels;
    options->level_count = array_length(levels);
    options->find_duplicates = true;
}

/* ---- state of a conversation --------------------------------------------------------------------------- */

godot_generation_state godot_generation_find(packet_info *pinfo)
{
    const godot_generation_state *state = (const godot_generation_state *)gw_conversation_find(pinfo, proto_godot);
    if (state)
        return *state;
    return (godot_generation_state){ .proven = GW_GODOT_ANY, .readers = GW_GODOT_ALL_GENERATIONS };
}

/* The generation if there is only one, else GW_GODOT_ANY. */
static gw_godot_generation only_one(uint8_t generations)
{
    for (unsigned generation = GW_GODOT_2; generation <= GW_GODOT_4; generation++)
        if (generations == GW_GODOT_GENERATION_BIT(generation))
            return (gw_godot_generation)generation;
    return GW_GODOT_ANY;
}

static godot_generation_state *obtain_state(packet_info *pinfo)
{
    godot_generation_state *state =
        (godot_generation_state *)gw_conversation_obtain(pinfo, proto_godot, sizeof(godot_generation_state));
    if (!state->readers)
        state->readers = GW_GODOT_ALL_GENERATIONS;
    return state;
}

static void prove(packet_info *pinfo, gw_godot_generation generation)
{
    godot_generation_state *state = obtain_state(pinfo);
    if (state->proven != GW_GODOT_ANY)
        return;
    state->proven = generation;
    state->readers = (uint8_t)GW_GODOT_GENERATION_BIT(generation);
    state->frame = pinfo->num;
}

/* Readers that have none in common with the earlier ones are ignored: one of the packets is probably not a Variant. */
void godot_generation_narrow(packet_info *pinfo, uint8_t readers)
{
    if (!gw_first_pass(pinfo))
        return;
    godot_generation_state known = godot_generation_find(pinfo);
    uint8_t left = known.readers & readers;
    if (known.proven != GW_GODOT_ANY || !left || left == known.readers)
        return;
    godot_generation_state *state = obtain_state(pinfo);
    state->readers = left;
    state->frame = pinfo->num;
}

void godot_generation_learn(packet_info *pinfo, uint8_t generations)
{
    gw_godot_generation only = only_one(generations);
    if (!gw_first_pass(pinfo))
        return;
    if (only != GW_GODOT_ANY)
        prove(pinfo, only);
    else
        godot_generation_narrow(pinfo, generations);
}

/* ---- deciding ------------------------------------------------------------------------------------------ */

/* Reads the values as one generation: cheaper than comparing all three. */
static bool reads_as(tvbuff_t *tvb, const gw_godot_question *question, gw_godot_generation generation,
                     gw_godot_summary *summary)
{
    uint32_t length = tvb_captured_length(tvb);
    const uint8_t *bytes = gw_bytes_of(tvb);
    gw_godot_options options = question->reading;
    options.generation = generation;
    bool whole = gw_godot_validate(bytes, length, &options, summary);
    for (uint32_t value = 1; value < question->values && whole; value++) {
        gw_godot_summary next;
        options.offset = question->reading.offset + summary->length;
        whole = gw_godot_validate(bytes, length, &options, &next);
        summary->length += next.length;
        summary->odd |= next.odd;
        summary->fault = next.fault;
    }
    return whole && (question->prefix || question->reading.offset + summary->length == length);
}

static void guess_among(tvbuff_t *tvb, const gw_godot_question *question, uint8_t candidates, godot_decision *decision)
{
    gw_godot_question asked = *question;
    asked.candidates = candidates;
    gw_godot_detect(gw_bytes_of(tvb), tvb_captured_length(tvb), &asked, &decision->guess);
    decision->guessed = true;
    decision->generation = (gw_godot_generation)decision->guess.generation;
    decision->summary = decision->guess.summary;
}

/* Uses the proven generation, unless only another one can read this packet, with sufficient evidence. */
static void follow_conversation(tvbuff_t *tvb, const gw_godot_question *question, const godot_generation_state *state,
                                godot_decision *decision)
{
    gw_godot_summary summary;
    decision->proven = true;
    decision->decided_in = state->frame;
    if (!reads_as(tvb, question, state->proven, &summary) && !gw_is_cut_by_capture(tvb)) {
        guess_among(tvb, question, GW_GODOT_ALL_GENERATIONS, decision);
        decision->mixed = decision->guess.certainty == GW_GODOT_CERTAIN;
    }
    if (!decision->mixed) {
        decision->generation = state->proven;
        decision->summary = summary;
        decision->guessed = false;
    }
}

/* Of a Variant that the capture cut: those of the candidates whose reading can end with the packet on the wire. */
static uint8_t reads_cut(tvbuff_t *tvb, const gw_godot_question *question, uint8_t candidates)
{
    gw_recognition found;
    if (question->prefix || question->values > 1 || question->reading.offset ||
        !gw_godot_recognize(gw_bytes_of(tvb), tvb_captured_length(tvb), tvb_reported_length(tvb), NULL, &found))
        return candidates;
    uint8_t fits = (uint8_t)(candidates & found.readings);
    return fits ? fits : candidates;
}

/* Tries only the generations that read all earlier packets; if none of them reads this packet, tries all. */
static void guess_in_conversation(tvbuff_t *tvb, const gw_godot_question *question, const godot_generation_state *state,
                                  godot_decision *decision)
{
    bool is_cut = gw_is_cut_by_capture(tvb);
    uint8_t candidates = is_cut ? reads_cut(tvb, question, state->readers) : state->readers;
    guess_among(tvb, question, candidates, decision);
    bool unreadable = decision->guess.certainty == GW_GODOT_UNREADABLE;
    decision->by_length = unreadable && candidates != state->readers && only_one(candidates) != GW_GODOT_ANY;
    if (unreadable && decision->guess.readers && !is_cut)
        guess_among(tvb, question, GW_GODOT_ALL_GENERATIONS, decision);
    if (decision->guess.reasons & GW_GODOT_REASON_CONTEXT)
        decision->decided_in = state->frame;
}

static void learn_from(packet_info *pinfo, const gw_godot_guess *guess)
{
    if (!gw_first_pass(pinfo) || guess->certainty == GW_GODOT_UNREADABLE)
        return;
    if (guess->certainty == GW_GODOT_CERTAIN)
        prove(pinfo, (gw_godot_generation)guess->generation);
    else
        godot_generation_narrow(pinfo, guess->readers);
}

static gw_godot_generation choice_of(const gw_godot_question *question)
{
    if (question->reading.generation != GW_GODOT_ANY)
        return question->reading.generation;
    return (gw_godot_generation)godot_generation_preference;
}

void godot_generation_decide(packet_info *pinfo, tvbuff_t *tvb, const gw_godot_question *question,
                             godot_decision *decision)
{
    gw_godot_question asked = *question;
    /* No levels: values that are nested deeper than the reader's levels are not clean, since the tree cannot show them
     * as nested. */
    asked.reading.find_duplicates = true;
    asked.reading.levels = NULL;
    *decision = (godot_decision){ .generation = choice_of(question) };
    if (decision->generation != GW_GODOT_ANY) {
        decision->given = question->reading.generation != GW_GODOT_ANY;
        reads_as(tvb, &asked, decision->generation, &decision->summary);
        return;
    }
    const godot_generation_state state = godot_generation_find(pinfo);
    if (state.proven != GW_GODOT_ANY) {
        follow_conversation(tvb, &asked, &state, decision);
        return;
    }
    guess_in_conversation(tvb, &asked, &state, decision);
    learn_from(pinfo, &decision->guess);
}

bool godot_is_in_doubt(const godot_decision *decision)
{
    return decision->guessed && decision->guess.certainty == GW_GODOT_AMBIGUOUS && !decision->guess.same_reading;
}
