/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Keeps the generations that can read a conversation's Variants, and chooses the most likely one otherwise.
 */
#include "generation.h"

#include "common/conversation.h"
#include "common/display/experts.h"
#include "common/items.h"
#include "internal.h"

int godot_generation_preference = GW_GODOT_ANY;

/* Memory for the codec, shared by all calls: Wireshark dissects one packet at a time. */
static gw_godot_level levels[GODOT_READER_LEVELS];

/* Sets the memory for nested values, enough for hostile documents, and requests the search for duplicate keys. */
void godot_generation_set_levels(gw_godot_options *options)
{
    options->levels = levels;
    options->level_count = array_length(levels);
    options->find_duplicates = true;
}

/* ---- state of a conversation --------------------------------------------------------------------------- */

/* The state of the packet's conversation: its proven generation, or those that can read all its packets so far. Each is
 * possible if none was stored. */
godot_generation_state godot_generation_find(packet_info *pinfo)
{
    const godot_generation_state *state = (const godot_generation_state *)gw_conversation_find(pinfo, proto_godot);
    if (state)
        return *state;
    return (godot_generation_state){ .proven = GW_GODOT_ANY, .readers = GW_GODOT_ALL_GENERATIONS };
}

/* The generation if only its bit, of GW_GODOT_GENERATION_BIT(), is set in `generations`; else GW_GODOT_ANY. */
static gw_godot_generation only_one(uint8_t generations)
{
    for (unsigned generation = GW_GODOT_2; generation <= GW_GODOT_4; generation++)
        if (generations == GW_GODOT_GENERATION_BIT(generation))
            return (gw_godot_generation)generation;
    return GW_GODOT_ANY;
}

/* The state of the packet's conversation, which is created if necessary. On the first pass. */
static godot_generation_state *obtain_state(packet_info *pinfo)
{
    godot_generation_state *state =
        (godot_generation_state *)gw_conversation_obtain(pinfo, proto_godot, sizeof(godot_generation_state));
    if (!state->readers) /* the state is new: its bytes are zero */
        state->readers = GW_GODOT_ALL_GENERATIONS;
    return state;
}

/* Sets the readers, the generations that can read all packets of the conversation, after they were reduced by this
 * frame. The readers before the frame are stored too: guess_as_deciding() uses them on later passes. A frame may reduce
 * the readers several times. */
static void reduce_readers(godot_generation_state *state, const packet_info *pinfo, uint8_t readers)
{
    if (state->frame != pinfo->num) {
        state->readers_before = state->readers;
        state->frame_before = state->frame;
    }
    state->readers = readers;
    state->frame = pinfo->num;
}

/* On the first pass: reduces the generations that can read all packets of the conversation to those in `readers`, which
 * can also read this packet. If none is left, nothing changes: one of the packets is probably not a Variant. */
void godot_generation_keep_readers(packet_info *pinfo, uint8_t readers)
{
    if (!gw_is_first_pass(pinfo))
        return;
    godot_generation_state known = godot_generation_find(pinfo);
    uint8_t left = known.readers & readers;
    /* A proven generation is certain; equal readers are nothing new. */
    if (known.proven != GW_GODOT_ANY || !left || left == known.readers)
        return;
    reduce_readers(obtain_state(pinfo), pinfo, left);
}

/* On the first pass, for a packet that only these generations send: reduces the conversation's possible generations to
 * them. A single generation is proven, unless another one was proven before. */
void godot_generation_keep(packet_info *pinfo, uint8_t generations)
{
    gw_godot_generation single = only_one(generations);
    if (!gw_is_first_pass(pinfo))
        return;
    if (single == GW_GODOT_ANY) {
        godot_generation_keep_readers(pinfo, generations);
        return;
    }
    /* The first proof is final. */
    godot_generation_state *state = obtain_state(pinfo);
    if (state->proven == GW_GODOT_ANY) {
        state->proven = single;
        reduce_readers(state, pinfo, generations);
    }
}

/* ---- recognition --------------------------------------------------------------------------------------- */

/* Sets `recognition` to the payload's evidence for a Variant of the preferred generation, or of any; false if it is not
 * possible. */
bool godot_variant_recognize(tvbuff_t *tvb, gw_recognition *recognition)
{
    gw_godot_options options = { .generation = (gw_godot_generation)godot_generation_preference };
    godot_generation_set_levels(&options);
    return gw_godot_recognize(gw_bytes_of(tvb), tvb_captured_length(tvb), tvb_reported_length(tvb), &options,
                              recognition);
}

/* The payload's bits of evidence by itself: 0 if it is not possible, or unlikely. */
uint32_t godot_variant_weigh(tvbuff_t *tvb, const void *data _U_)
{
    gw_recognition recognition;
    /* unlikely: other protocols have such payloads more often than games send them. */
    return godot_variant_recognize(tvb, &recognition) && !recognition.unlikely ? recognition.bits : 0;
}

/* ---- deciding ------------------------------------------------------------------------------------------ */

/* Reads the values as one generation: cheaper than comparing all three. True if each value is complete and, unless
 * other bytes may follow (question->prefix), the last ends with the bytes. `summary`: length and oddities of all values
 * together, and the fault; the other members are of the first value. */
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

/* Detects the generation among the candidates, bits of GW_GODOT_GENERATION_BIT(), and sets the findings from it. */
static void guess_among(tvbuff_t *tvb, const gw_godot_question *question, uint8_t candidates, godot_findings *findings)
{
    gw_godot_question detection = *question;
    detection.candidates = candidates;
    gw_godot_detect(gw_bytes_of(tvb), tvb_captured_length(tvb), &detection, &findings->guess);
    findings->guessed = true;
    findings->generation = (gw_godot_generation)findings->guess.generation;
    findings->summary = findings->guess.summary;
}

/* Sets the findings to the conversation's proven generation; or to another one, as `mixed`, if the proven one cannot
 * read this packet and the other one can, with certainty. */
static void follow_conversation(tvbuff_t *tvb, const gw_godot_question *question, const godot_generation_state *state,
                                godot_findings *findings)
{
    gw_godot_summary summary;
    findings->proven = true;
    findings->decided_in = state->frame;
    /* A Variant that the capture cut is not complete in any generation: this is no evidence against the proven one. */
    if (!reads_as(tvb, question, state->proven, &summary) && !gw_is_cut_by_capture(tvb)) {
        guess_among(tvb, question, GW_GODOT_ALL_GENERATIONS, findings);
        findings->mixed = findings->guess.certainty == GW_GODOT_CERTAIN;
    }
    if (!findings->mixed) {
        findings->generation = state->proven;
        findings->summary = summary;
        findings->guessed = false;
    }
}

/* In a conversation without a proven generation: detects it among those that read all earlier packets; if none of
 * them reads this packet, among all. */
static void guess_in_conversation(tvbuff_t *tvb, const gw_godot_question *question, const godot_generation_state *state,
                                  godot_findings *findings)
{
    bool is_cut = gw_is_cut_by_capture(tvb);
    uint8_t candidates = state->readers;

    /* A Variant that the capture cut: with the candidates that can end with the packet on the wire, if there are any.
     * gw_godot_recognize() is only for one Variant that is the whole payload. */
    if (is_cut && !question->prefix && question->values <= 1 && !question->reading.offset) {
        gw_recognition recognition;
        bool is_possible = gw_godot_recognize(gw_bytes_of(tvb), tvb_captured_length(tvb), tvb_reported_length(tvb),
                                              NULL, &recognition);
        if (is_possible && candidates & recognition.readings)
            candidates = (uint8_t)(candidates & recognition.readings);
    }
    guess_among(tvb, question, candidates, findings);

    /* No candidate reads the bytes to their end. If the capture cut them, the length of the packet may have left one
     * candidate (by_length); if not, and a generation that is no candidate reads them (then guess.readers is not 0),
     * the generation is detected among all. */
    bool unreadable = findings->guess.certainty == GW_GODOT_UNREADABLE;
    findings->by_length = unreadable && candidates != state->readers && only_one(candidates) != GW_GODOT_ANY;
    if (unreadable && findings->guess.readers && !is_cut)
        guess_among(tvb, question, GW_GODOT_ALL_GENERATIONS, findings);
    if (findings->guess.reasons & GW_GODOT_REASON_CONTEXT)
        findings->decided_in = state->frame;
}

/* If this frame decided the conversation's generation by these values: sets the findings to their evidence, detected
 * with what was known before the frame, so that each pass has the same result. False if other values or frames
 * decided it. */
static bool guess_as_deciding(const packet_info *pinfo, tvbuff_t *tvb, const gw_godot_question *question,
                              const godot_generation_state *state, godot_findings *findings)
{
    const godot_generation_state before = { .readers = state->readers_before, .frame = state->frame_before };
    const godot_findings unchanged = *findings;
    if (state->frame != pinfo->num)
        return false;
    guess_in_conversation(tvb, question, &before, findings);
    const gw_godot_guess *guess = &findings->guess;
    /* These values prove the generation. */
    if (state->proven != GW_GODOT_ANY && guess->certainty == GW_GODOT_CERTAIN && guess->generation == state->proven)
        return true;
    /* These values reduced the readers to those that are known now. Otherwise other values of the frame did. */
    if (state->proven == GW_GODOT_ANY && guess->certainty != GW_GODOT_UNREADABLE &&
        (guess->readers & before.readers) == state->readers)
        return true;
    *findings = unchanged;
    return false;
}

/* Determines the generation of the values: by the caller, the preference, the conversation or the bytes, in this
 * order. On the first pass, keeps what the bytes show for the conversation. */
void godot_generation_analyze(packet_info *pinfo, tvbuff_t *tvb, const gw_godot_question *question,
                              godot_findings *findings)
{
    gw_godot_question values = *question;
    /* No levels: values that are nested deeper than the reader's levels are not clean, since the tree cannot show them
     * as nested. */
    values.reading.find_duplicates = true;
    values.reading.levels = NULL;

    /* 1. The caller's choice has precedence, then the preference. */
    *findings = (godot_findings){ .given = question->reading.generation != GW_GODOT_ANY };
    findings->generation =
        findings->given ? question->reading.generation : (gw_godot_generation)godot_generation_preference;
    if (findings->generation != GW_GODOT_ANY) {
        reads_as(tvb, &values, findings->generation, &findings->summary);
        return;
    }
    /* 2. The conversation, and the bytes. */
    const godot_generation_state state = godot_generation_find(pinfo);
    bool is_deciding = guess_as_deciding(pinfo, tvb, &values, &state, findings);
    if (!is_deciding && state.proven != GW_GODOT_ANY)
        follow_conversation(tvb, &values, &state, findings);
    else if (!is_deciding)
        guess_in_conversation(tvb, &values, &state, findings);

    /* 3. Evidence for the conversation, unless its generation is proven. */
    const gw_godot_guess *guess = &findings->guess;
    if (state.proven == GW_GODOT_ANY && guess->certainty == GW_GODOT_CERTAIN)
        godot_generation_keep(pinfo, (uint8_t)GW_GODOT_GENERATION_BIT(guess->generation));
    else if (state.proven == GW_GODOT_ANY && guess->certainty != GW_GODOT_UNREADABLE)
        godot_generation_keep_readers(pinfo, guess->readers);
    if (findings->decided_in == pinfo->num) /* only another frame is a link */
        findings->decided_in = 0;
}

/* True if several generations read the values, with different meanings. */
bool godot_is_in_doubt(const godot_findings *findings)
{
    /* `same_reading`: the bytes have the same meaning in all generations that read them. */
    return findings->guessed && findings->guess.certainty == GW_GODOT_AMBIGUOUS && !findings->guess.same_reading;
}
