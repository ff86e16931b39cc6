/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The heuristic, and what a conversation remembers.
 *
 * A put_var datagram is one Variant and nothing else, without magic number or checksum. What it has is structure,
 * and the codec counts how many bits of it foreign bytes would have to get right by chance (gw_godot_validate):
 *
 *   test                                                       passed by chance
 *   whole words; first word a type 0..38, flags 0..15          2^-2 · 2^-17 of random bytes, but by any protocol
 *                                                              that begins with a small little-endian number: 8 bits
 *   every later header stands where the structure says         16 bits each, of 2^-17 or less
 *   a text's length fits and its padding is zero               16 bits
 *   each of a text's first 16 bytes                            8 bits: numbers would have zeros there
 *   a count that is not zero                                   8 bits
 *   a float from 1e-6 to 1e7, not zero                         2 bits, of 2^-2.5
 *   the end of the value is the end of the payload             required, no bits
 *   nothing that the generation's engines do not write         required, no bits
 *
 * A claim takes 64 bits, the preference godot.heuristic_proof. {"a": 1}, a String of five letters and [[1], "x"] have
 * them at once. A value of fixed size has no redundancy: a Vector3 brings 14 bits, and what is only two or three small
 * numbers (a lone int or bool, a String of one letter) 4, since many protocols send such. Only packets that follow
 * each other in one conversation add up: without one between them that does not fit, and all of them such as one
 * generation reads. Lone floats that are denormal or huge (integers and text look so) and texts with control
 * characters (small integers look so) do not fit. Of 10,000,000 random payloads none is claimed; tests/README.md has
 * the figures, and those of other protocols.
 */
#include "godot-analysis.h"

#include <epan/conversation.h>

#include "common/fault.h"

/* Readings that hold any of these are no engine's, or at least no proof of one. */
#define IMPLAUSIBLE \
    (GW_GODOT_ODD_HEADER_BITS | GW_GODOT_ODD_FLAGS | GW_GODOT_ODD_BOOL | GW_GODOT_ODD_UTF8 | GW_GODOT_ODD_NUL | \
     GW_GODOT_ODD_PADDING | GW_GODOT_ODD_NO_PADDING | GW_GODOT_ODD_SHARED | GW_GODOT_ODD_UNTERMINATED | \
     GW_GODOT_ODD_NODE_PATH_FLAGS | GW_GODOT_ODD_REJECTED)

#define SMALLEST      8U /* a lone nil, four zero bytes, proves nothing */
#define HEADER_PROOF  8U /* all that a value of fixed size has */
#define SCALAR_LENGTH 8U
#define SCALAR_PROOF  4U
#define SMALL_LENGTH  12U
#define SMALL_WORD    0x1000000U /* such numbers are counts and ids, not floats, hashes or four letters */

godot_claim_preferences godot_claim_prefs = { GW_GODOT_ANY, 64 };

static int proto_godot = -1;

/* What is known of a conversation; made only for one that has sent a packet which fits. */
typedef struct conversation_state {
    uint32_t proof;      /* bits, of packets in a row */
    uint8_t generations; /* bit g: generation g reads each packet of the row */
    uint32_t settled_in; /* frame */
    uint8_t generation;  /* GW_GODOT_ANY while open */
} conversation_state;

/* Conversations that have begun to add up proof: while there are none, a stranger is not looked up. */
static unsigned running;

static void forget_file(void)
{
    running = 0;
}

void godot_claim_register(int protocol)
{
    proto_godot = protocol;
    register_init_routine(forget_file);
}

static conversation_state *state_of(packet_info *pinfo, ws_bool make)
{
    conversation_t *conversation = make ? find_or_create_conversation(pinfo) : find_conversation_pinfo(pinfo, 0);
    if (!conversation)
        return NULL;
    conversation_state *state = conversation_get_proto_data(conversation, proto_godot);
    if (!state && make) {
        state = wmem_new0(wmem_file_scope(), conversation_state);
        conversation_add_proto_data(conversation, proto_godot, state);
    }
    return state;
}

/* ---- generation ---------------------------------------------------------------------------------------- */

static ws_bool reads_whole(tvbuff_t *tvb, gw_godot_generation generation, gw_godot_summary *summary)
{
    uint32_t length = tvb_captured_length(tvb);
    const gw_godot_options options = { .generation = generation };
    return gw_godot_validate(tvb_get_ptr(tvb, 0, (int)length), length, &options, summary) && summary->length == length;
}

static void guess(tvbuff_t *tvb, godot_verdict *verdict)
{
    uint32_t length = tvb_captured_length(tvb);
    gw_godot_detect(tvb_get_ptr(tvb, 0, (int)length), length, &verdict->guess);
    verdict->guessed = TRUE;
    verdict->generation = (gw_godot_generation)verdict->guess.generation;
    verdict->summary = verdict->guess.summary;
}

/* The conversation's generation holds, unless only another reads this packet. */
static void follow_conversation(tvbuff_t *tvb, const conversation_state *state, godot_verdict *verdict)
{
    gw_godot_generation generation = (gw_godot_generation)state->generation;
    gw_godot_summary summary;
    verdict->settled = TRUE;
    verdict->settled_in = state->settled_in;
    if (!reads_whole(tvb, generation, &summary)) {
        guess(tvb, verdict);
        verdict->mixed = verdict->guess.certainty == GW_GODOT_CERTAIN;
    }
    if (!verdict->mixed) {
        verdict->generation = generation;
        verdict->summary = summary;
        verdict->guessed = FALSE;
    }
}

void godot_judge(packet_info *pinfo, tvbuff_t *tvb, godot_verdict *verdict)
{
    *verdict = (godot_verdict){ .generation = (gw_godot_generation)godot_claim_prefs.generation };
    if (verdict->generation != GW_GODOT_ANY) {
        reads_whole(tvb, verdict->generation, &verdict->summary);
        return;
    }
    conversation_state *state = state_of(pinfo, FALSE);
    if (state && state->generation != GW_GODOT_ANY) {
        follow_conversation(tvb, state, verdict);
        return;
    }
    guess(tvb, verdict);
    if (verdict->guess.certainty == GW_GODOT_CERTAIN)
        godot_learn_generation(pinfo, (gw_godot_generation)verdict->guess.generation);
}

void godot_known_generation(packet_info *pinfo, godot_verdict *verdict)
{
    conversation_state *state = godot_claim_prefs.generation == GW_GODOT_ANY ? state_of(pinfo, FALSE) : NULL;
    verdict->generation = (gw_godot_generation)godot_claim_prefs.generation;
    if (state && state->generation != GW_GODOT_ANY) {
        verdict->generation = (gw_godot_generation)state->generation;
        verdict->settled = TRUE;
        verdict->settled_in = state->settled_in;
    }
}

void godot_learn_generation(packet_info *pinfo, gw_godot_generation generation)
{
    if (PINFO_FD_VISITED(pinfo))
        return;
    conversation_state *state = state_of(pinfo, TRUE);
    state->generation = (uint8_t)generation;
    state->settled_in = pinfo->num;
}

ws_bool godot_is_in_doubt(const godot_verdict *verdict)
{
    return verdict->guessed && verdict->guess.certainty == GW_GODOT_AMBIGUOUS && !verdict->guess.same_reading;
}

/* ---- proof --------------------------------------------------------------------------------------------- */

/* The cheap part, which nearly all strangers fail: four bytes and the length. */
static ws_bool may_be_variant(tvbuff_t *tvb)
{
    uint32_t length = tvb_reported_length(tvb);
    if (length < SMALLEST || length % 4 || tvb_captured_length(tvb) < SMALLEST)
        return FALSE;
    return !(tvb_get_letohl(tvb, 0) & UINT32_C(0xFFF0FFC0));
}

/* Capture cuts are not the packet's: what stands before the cut may be proof enough. */
static uint32_t proof_of_cut(tvbuff_t *tvb, const gw_godot_summary *summary)
{
    bool plausible = !(summary->odd & IMPLAUSIBLE & ~GW_GODOT_ODD_COUNT);
    return plausible && gw_fault_is_capture_cut(tvb, &summary->fault) ? summary->proof : 0;
}

static ws_bool has_control_characters(const uint8_t *text, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++)
        if (text[i] < ' ' && text[i] != '\t' && text[i] != '\n' && text[i] != '\r')
            return TRUE;
    return FALSE;
}

/* Texts that validate but are small numbers: they have control characters in them. And the NodePath of one string,
 * `u32 16, a length, a text` to a stranger, which Godot 2 reads and no engine writes. */
static ws_bool has_foreign_texts(const uint8_t *bytes, uint32_t length, const gw_godot_options *options)
{
    gw_godot_reader reader;
    gw_godot_event event;
    gw_godot_node_path path;
    gw_godot_init(&reader, bytes, length, options);
    while (gw_godot_next(&reader, &event) == GW_NEXT_EVENT) {
        if (event.kind != GW_VALUE)
            continue;
        if (event.type == GW_GODOT_NODE_PATH && !gw_godot_node_path_of(bytes, &event, &path))
            return TRUE;
        if ((event.type == GW_GODOT_STRING || event.type == GW_GODOT_STRING_NAME) &&
            has_control_characters(bytes + event.text.offset, event.text.length))
            return TRUE;
    }
    return FALSE;
}

/* A type and one number, or two that are small: an id, perhaps, and a state. */
static ws_bool is_small(const uint8_t *bytes, uint32_t length)
{
    return length <= SCALAR_LENGTH ||
           (length <= SMALL_LENGTH && gw_le32(bytes + 4) < SMALL_WORD && gw_le32(bytes + 8) < SMALL_WORD);
}

/* Bits of proof in a payload that is one plausible Variant; 0 when no game would send its numbers. */
static uint32_t proof_of_whole(const uint8_t *bytes, uint32_t length, const gw_godot_options *options,
                               const gw_godot_summary *summary)
{
    uint32_t numbers = 0;
    if (summary->proof <= HEADER_PROOF) {
        if (!gw_godot_numbers_are_sane(bytes, length, options))
            return 0;
        numbers = gw_godot_number_proof(bytes, length, options);
    }
    return (is_small(bytes, length) ? SCALAR_PROOF : summary->proof) + numbers;
}

/* Bits of proof in one payload; 0 when it is not one plausible Variant from its first to its last byte. */
static uint32_t proof_of(tvbuff_t *tvb, const godot_verdict *verdict)
{
    uint32_t length = tvb_captured_length(tvb);
    const uint8_t *bytes = tvb_get_ptr(tvb, 0, (int)length);
    const gw_godot_options options = { .generation = verdict->generation };
    const gw_godot_summary *summary = &verdict->summary;
    if (gw_is_cut_by_capture(tvb))
        return proof_of_cut(tvb, summary);
    if (summary->fault.fault_class || summary->length != length || summary->odd & IMPLAUSIBLE ||
        has_foreign_texts(bytes, length, &options))
        return 0;
    return proof_of_whole(bytes, length, &options, summary);
}

/* A packet that does not fit ends the row. */
static void break_row(packet_info *pinfo)
{
    conversation_state *state = running && !PINFO_FD_VISITED(pinfo) ? state_of(pinfo, FALSE) : NULL;
    if (state)
        state->proof = 0;
}

/* Generations that may have written the payload, as bits. */
static uint8_t readers_of(const godot_verdict *verdict)
{
    if (verdict->guessed && verdict->guess.certainty == GW_GODOT_UNREADABLE)
        return UINT8_MAX; /* cut by the capture: it may be any */
    return (uint8_t)(verdict->guess.alternatives | 1U << verdict->generation);
}

static void extend_row(conversation_state *state, uint32_t proof, uint8_t generations)
{
    uint8_t shared = state->generations & generations;
    running += !state->proof;
    if (!shared)
        state->proof = 0;
    state->generations = state->proof ? shared : generations;
    state->proof = MIN(state->proof + proof, UINT32_C(1) << 30);
}

/* Adds a packet's bits to its conversation's row; returns what there is now. */
static uint32_t add_proof(packet_info *pinfo, uint32_t proof, uint8_t generations)
{
    conversation_state *state = state_of(pinfo, !PINFO_FD_VISITED(pinfo));
    if (!state)
        return proof;
    if (!PINFO_FD_VISITED(pinfo))
        extend_row(state, proof, generations);
    return state->proof;
}

ws_bool godot_is_proven(packet_info *pinfo, tvbuff_t *tvb)
{
    godot_verdict verdict = { .generation = (gw_godot_generation)godot_claim_prefs.generation };
    if (!may_be_variant(tvb)) {
        break_row(pinfo);
        return FALSE;
    }
    if (verdict.generation == GW_GODOT_ANY)
        guess(tvb, &verdict);
    else
        reads_whole(tvb, verdict.generation, &verdict.summary);
    uint32_t proof = MIN(proof_of(tvb, &verdict), UINT32_C(1) << 30);
    if (!proof) {
        break_row(pinfo);
        return FALSE;
    }
    return proof >= godot_claim_prefs.proof || add_proof(pinfo, proof, readers_of(&verdict)) >= godot_claim_prefs.proof;
}
