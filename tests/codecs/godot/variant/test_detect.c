/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which generation a payload is from.
 */
#include "captures.h"
#include "reading.h"

#include <stdio.h>

#define IN_2 (1U << GW_GODOT_2)
#define IN_3 (1U << GW_GODOT_3)
#define IN_4 (1U << GW_GODOT_4)

static gw_godot_guess guess_of(const char *hex)
{
    gw_godot_guess guess;
    size_t length;
    uint8_t *bytes = bytes_of_hex(hex, &length);
    gw_godot_detect(bytes, length, NULL, &guess);
    free(bytes);
    return guess;
}

/* All generations that read the input to its end, including the chosen one. */
static uint32_t readable_in(const char *hex)
{
    gw_godot_guess guess = guess_of(hex);
    if (guess.certainty == GW_GODOT_UNREADABLE)
        return 0;
    return guess.alternatives | 1U << guess.generation;
}

static void assert_certain(const char *hex, gw_godot_generation generation, uint32_t reasons)
{
    gw_godot_guess guess = guess_of(hex);
    assert_int_equal(guess.generation, generation);
    assert_int_equal(guess.certainty, GW_GODOT_CERTAIN);
    assert_int_equal(guess.alternatives, 0);
    assert_int_equal(guess.reasons, reasons | GW_GODOT_REASON_ONLY);
}

/* ---- the same bytes in several generations ------------------------------------------------------------- */

TEST(simple_values_read_the_same_in_all)
{
    static const char *const same[] = {
        "00000000",          "01000000 01000000",          "02000000 05000000",
        "03000000 0000003f", "04000000 01000000 61000000", "05000000 0000803f 0000803f"
    };
    for (unsigned i = 0; i < COUNT_OF(same); i++) {
        assert_int_equal(readable_in(same[i]), IN_2 | IN_3 | IN_4);
        assert_true(guess_of(same[i]).same_reading);
        assert_int_equal(guess_of(same[i]).certainty, GW_GODOT_AMBIGUOUS);
        assert_int_equal(guess_of(same[i]).reasons, GW_GODOT_REASON_DEFAULT);
        assert_int_equal(guess_of(same[i]).generation, GW_GODOT_4);
    }
}

TEST(wide_numbers_read_the_same_in_3_and_4)
{
    assert_int_equal(readable_in("02000100 0000008000000000"), IN_3 | IN_4);
    assert_int_equal(readable_in("03000100 9a9999999999b93f"), IN_3 | IN_4);
    gw_godot_guess guess = guess_of("02000100 0000008000000000");
    assert_true(guess.same_reading);
    assert_true(guess.reasons & GW_GODOT_REASON_WIDE);
}

static const struct {
    const char *hex;
    uint32_t readable;
} ambiguities[] = {
    { "0b000000 0000803f0000803f0000803f0000803f0000803f0000803f", IN_2 | IN_3 | IN_4 }, /* AABB, Transform2D */
    { "0e000000 0000803f0000803f0000803f0000803f", IN_2 | IN_3 | IN_4 },                 /* Color, Plane */
    { "09000000 0000803f0000803f0000803f0000803f", IN_2 | IN_3 },                        /* Plane */
    { "09000000 0000803f0000803f0000803f", IN_4 },                                       /* Vector3 */
    { "06000000 0000803f0000803f0000803f0000803f", IN_2 | IN_3 },                        /* Rect2 */
    { "06000000 0100000001000000", IN_4 },                                               /* Vector2i */
    { "07000000 0000803f0000803f0000803f", IN_2 | IN_3 },                                /* Vector3 */
    { "07000000 0000803f0000803f0000803f0000803f", IN_4 },                               /* Rect2 */
    { "15000000 00000000", IN_2 | IN_3 | IN_4 },                                         /* [], PoolIntArray(), &"" */
    { "15000000 01000000 61000000", IN_3 | IN_4 },                                       /* PoolIntArray([97]), &"a" */
    { "1b000000 00000000", IN_2 | IN_4 },                                                /* Vector3Array(), {} */
    { "1c000000 00000000", IN_2 | IN_4 },                                                /* ColorArray(), [] */
    { "14000000 00000000", IN_2 | IN_3 },                                                /* {}, PoolByteArray() */
    { "18000000 00000000", IN_2 | IN_3 | IN_4 }, /* RealArray(), PoolVector2Array(), null */
    { "12000000", IN_2 },                        /* null Object */
    { "10000000", IN_3 },                        /* RID */
    { "11000000", IN_2 },                        /* RID */
};

TEST(the_same_bytes_may_mean_something_else)
{
    for (unsigned i = 0; i < COUNT_OF(ambiguities); i++) {
        if (readable_in(ambiguities[i].hex) != ambiguities[i].readable)
            fail_msg("%s: %#x", ambiguities[i].hex, readable_in(ambiguities[i].hex));
        assert_false(guess_of(ambiguities[i].hex).same_reading && ambiguities[i].readable != (IN_2 | IN_3));
    }
}

TEST(types_up_to_14_are_the_same_in_2_and_3)
{
    assert_true(guess_of("09000000 0000803f0000803f0000803f0000803f").same_reading);
    assert_false(guess_of("14000000 00000000").same_reading);
}

/* ---- reasons ------------------------------------------------------------------------------------------- */

TEST(a_dictionary_with_entries_is_unambiguous)
{
    assert_certain("12000000 01000000 04000000 01000000 61000000 02000000 01000000", GW_GODOT_3, 0);
    assert_certain("14000000 01000000 04000000 01000000 61000000 02000000 01000000", GW_GODOT_2, 0);
    assert_certain("1b000000 01000000 04000000 01000000 61000000 02000000 01000000", GW_GODOT_4, 0);
}

TEST(shared_containers_are_of_godot_2)
{
    assert_certain("15000000 01000080 04000000 04000000 61626364", GW_GODOT_2, GW_GODOT_REASON_SHARED);
}

TEST(typed_containers_of_32_bit_ints_are_not_64_bit)
{
    assert_certain("1c000100 04000000 01000000 04000000 04000000 61626364", GW_GODOT_4, GW_GODOT_REASON_TYPED);
    assert_certain("1c000100 02000000 01000000 02000000 01000000 ", GW_GODOT_4, GW_GODOT_REASON_TYPED);
    assert_certain("1b000400 02000000 01000000 04000000 01000000 61000000 02000000 01000000", GW_GODOT_4,
                   GW_GODOT_REASON_TYPED);
}

TEST(an_array_with_a_64_bit_number_is_not_typed)
{
    assert_certain("1c000000 02000000 02000100 0000008000000000 04000000 01000000 61000000", GW_GODOT_4,
                   GW_GODOT_REASON_WIDE);
}

TEST(an_object_as_id_is_neither_64_bit_nor_typed)
{
    assert_certain("1c000000 02000000 18000100 b405001b06000080 02000000 01000000", GW_GODOT_4, 0);
}

TEST(types_above_28_are_of_godot_4)
{
    assert_certain("22000000 01000000 04000000 61626300", GW_GODOT_4, GW_GODOT_REASON_NEW_TYPE);
}

TEST(reasons_add_up)
{
    assert_certain("1c000000 02000000 02000100 0000008000000000 22000000 01000000 04000000 61626300", GW_GODOT_4,
                   GW_GODOT_REASON_WIDE | GW_GODOT_REASON_NEW_TYPE);
    assert_certain("1c000100 02000000 01000000 02000100 0000008000000000", GW_GODOT_4,
                   GW_GODOT_REASON_WIDE | GW_GODOT_REASON_TYPED);
}

TEST(little_evidence_is_not_certain)
{
    gw_godot_guess guess = guess_of("09000000 0000803f0000803f0000803f");
    assert_int_equal(guess.certainty, GW_GODOT_LIKELY);
    assert_int_equal(guess.reasons, GW_GODOT_REASON_ONLY);
}

TEST(readings_that_no_engine_writes_are_excluded)
{
    /* PoolIntArray([0x01000061]), or &"a" with padding that Godot 4 zeroes. */
    gw_godot_guess guess = guess_of("15000000 01000000 61000001");
    assert_int_equal(guess.generation, GW_GODOT_3);
    assert_int_equal(guess.alternatives, IN_4);
    assert_int_equal(guess.certainty, GW_GODOT_LIKELY);
    assert_int_equal(guess.reasons, GW_GODOT_REASON_FEWER_ODDITIES);
}

TEST(ints_in_more_bits_than_necessary_are_of_godot_3_0)
{
    gw_godot_guess guess = guess_of("02000100 0500000000000000");
    assert_int_equal(guess.generation, GW_GODOT_3);
    assert_int_equal(guess.alternatives, IN_4);
    assert_true(guess.same_reading);
    assert_int_equal(guess.reasons, GW_GODOT_REASON_WIDE | GW_GODOT_REASON_FEWER_ODDITIES);
}

/* A whole Reference of Godot 3 is as long as a Basis of Godot 4. */
#define REFERENCE_3 "11000000 09000000 5265666572656e6365000000 01000000 06000000 736372697074 0000 00000000"

TEST(no_game_sends_denormal_numbers)
{
    gw_godot_guess guess = guess_of(REFERENCE_3);
    assert_int_equal(guess.generation, GW_GODOT_3);
    assert_int_equal(guess.alternatives, IN_4);
    assert_int_equal(guess.certainty, GW_GODOT_LIKELY);
    assert_int_equal(guess.reasons, GW_GODOT_REASON_SANE_NUMBERS);
}

TEST(sane_numbers_are_neither_denormal_nor_huge)
{
    const gw_godot_options options = { .generation = GW_GODOT_4 };
    static const struct {
        const char *hex;
        bool sane;
    } rows[] = {
        { "03000000 0000803f", true },           { "03000000 00000000", true },
        { "03000000 00000080", true },           { "03000000 01000000", false },
        { "03000000 00008000", true },           { "03000000 ffff7f80", false },
        { "03000000 0000807f", false },          { "03000100 000000000000f87f", false },
        { "03000100 00003426f56b0c43", true },   { "03000100 9e7edfea711e3543", false },
        { "05000000 0000803f 01000000", false }, { "23000000 01000000 0000803f 01000000", false },
        { "1e000000 01000000 01000000", true },  { "1c000000 01000000 02000000 01000000", true },
        { "1c000000 01000000 02000000", false },
    };
    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        size_t length;
        uint8_t *bytes = bytes_of_hex(rows[i].hex, &length);
        if (gw_godot_numbers_are_sane(bytes, length, &options) != rows[i].sane)
            fail_msg("%s", rows[i].hex);
        free(bytes);
    }
}

TEST(the_generation_that_reads_furthest_is_chosen_when_none_reads_all)
{
    gw_godot_guess guess = guess_of("12000000 01000000 04000000 01000000 61000000 02000000");
    assert_int_equal(guess.certainty, GW_GODOT_UNREADABLE);
    assert_int_equal(guess.generation, GW_GODOT_3);
    assert_int_equal(guess.summary.fault.code, GW_GODOT_FAULT_BODY_TRUNCATED);
    assert_int_equal(guess.alternatives, 0);
    assert_int_equal(guess_of("ffffffff").certainty, GW_GODOT_UNREADABLE);
}

TEST(trailing_bytes_are_unreadable)
{
    assert_int_equal(guess_of("01000000 01000000 00000000").certainty, GW_GODOT_UNREADABLE);
}

TEST(each_reason_has_its_own_text)
{
    for (unsigned bit = 0; bit < 10; bit++)
        for (unsigned other = 0; other < bit; other++)
            assert_string_not_equal(gw_godot_reason_text((gw_godot_reason)(1 << bit)),
                                    gw_godot_reason_text((gw_godot_reason)(1 << other)));
    assert_non_null(gw_godot_reason_text((gw_godot_reason)(1 << 10)));
}

/* ---- proof --------------------------------------------------------------------------------------------- */

static uint32_t proof_of(gw_godot_generation generation, const char *hex)
{
    const gw_godot_options options = { .generation = generation };
    gw_godot_summary summary;
    size_t length;
    uint8_t *bytes = bytes_of_hex(hex, &length);
    assert_true(gw_godot_validate(bytes, length, &options, &summary));
    free(bytes);
    return summary.proof;
}

TEST(proof_grows_with_structure)
{
    assert_int_equal(proof_of(GW_GODOT_4, "02000000 05000000"), 8);
    assert_int_equal(proof_of(GW_GODOT_4, "04000000 02000000 61620000"), 8 + 16 + 2 * 8);
    assert_int_equal(proof_of(GW_GODOT_4, "1c000000 01000000 02000000 05000000"), 8 + 8 + 16);
    assert_int_equal(proof_of(GW_GODOT_4, "1c000000 00000000"), 8);
    assert_int_equal(proof_of(GW_GODOT_4, "04000000 14000000 6161616161616161616161616161616161616161"),
                     8 + 16 + 16 * 8);
}

TEST(a_summary_adds_up_all_values)
{
    /* [4294967296, "ab", Array[int]([])] */
    const char *hex =
        "1c000000 03000000 02000100 0000000001000000 04000000 02000000 61620000 1c000100 02000000 00000000";
    const gw_godot_options options = { .generation = GW_GODOT_4 };
    gw_godot_summary summary;
    size_t length;
    uint8_t *bytes = bytes_of_hex(hex, &length);
    assert_true(gw_godot_validate(bytes, length, &options, &summary));
    free(bytes);
    assert_int_equal(summary.length, length);
    assert_int_equal(summary.wire_types, 1 << 28 | 1 << 2 | 1 << 4);
    assert_int_equal(summary.values, 4);
    assert_int_equal(summary.counts, 1);
    assert_int_equal(summary.texts, 1);
    assert_int_equal(summary.text_bytes, 2);
    assert_int_equal(summary.wide, 1);
    assert_int_equal(summary.flags, 0x10000);
    assert_int_equal(summary.odd, 0);
}

TEST(nils_are_no_proof)
{
    assert_int_equal(proof_of(GW_GODOT_4, "1c000000 03000000 00000000 00000000 00000000"), 8 + 8);
    assert_int_equal(proof_of(GW_GODOT_4, "1c000000 02000000 00000000 02000000 05000000"), 8 + 8 + 16);
    assert_int_equal(guess_of("13000000 03000000 00000000 00000000 00000000").certainty, GW_GODOT_LIKELY);
}

/* ---- questions ----------------------------------------------------------------------------------------- */

static gw_godot_guess answer(const char *hex, const gw_godot_question *question)
{
    gw_godot_guess guess;
    size_t length;
    uint8_t *bytes = bytes_of_hex(hex, &length);
    gw_godot_detect(bytes, length, question, &guess);
    free(bytes);
    return guess;
}

#define COLOR_OR_PLANE "0e000000 0000803e 0000003f 0000403f 0000803f"
#define DICTIONARY_3   "12000000 01000000 04000000 01000000 61000000 02000000 01000000"

TEST(only_candidates_are_chosen)
{
    const gw_godot_question older = { .candidates = IN_2 | IN_3 };
    const gw_godot_question newest = { .candidates = IN_4 };
    gw_godot_guess guess = answer("07000000 0000803f 00000040 00004040", &older);
    assert_int_equal(guess.generation, GW_GODOT_3);
    assert_int_equal(guess.reasons & GW_GODOT_REASON_CONTEXT, 0); /* 4 does not read it */
    guess = answer(COLOR_OR_PLANE, &older);
    assert_int_equal(guess.generation, GW_GODOT_3);
    assert_int_equal(guess.alternatives, IN_2);
    assert_int_equal(guess.readers, IN_2 | IN_3 | IN_4);
    assert_int_equal(guess.reasons, GW_GODOT_REASON_DEFAULT | GW_GODOT_REASON_CONTEXT);
    assert_true(guess.same_reading);
    guess = answer(COLOR_OR_PLANE, &newest);
    assert_int_equal(guess.generation, GW_GODOT_4);
    assert_int_equal(guess.certainty, GW_GODOT_LIKELY);
    assert_int_equal(guess.reasons, GW_GODOT_REASON_CONTEXT);
}

TEST(inputs_that_no_candidate_reads)
{
    const gw_godot_question newest = { .candidates = IN_4 };
    gw_godot_guess guess = answer("07000000 0000803f 00000040 00004040", &newest);
    assert_int_equal(guess.certainty, GW_GODOT_UNREADABLE);
    assert_int_equal(guess.generation, GW_GODOT_4);
    assert_int_equal(guess.readers, IN_2 | IN_3);
}

TEST(readers_are_the_generations_that_may_have_written_it)
{
    assert_int_equal(guess_of("07000000 0000803f 00000040 00004040").readers, IN_2 | IN_3);
    assert_int_equal(guess_of("02000100 0500000000000000").readers, IN_3); /* Godot 4 writes it with 32 bits */
    assert_int_equal(guess_of("04000000 01000000 61000001").readers, IN_2);
    /* Stale padding of names indicates no generation: each leaves it, but 4.6.3 and later. The type does. */
    assert_int_equal(guess_of("10000000 01000080 00000000 00000000 01000000 61626364").readers, IN_2);
    assert_int_equal(guess_of("0f000000 01000080 00000000 00000000 01000000 61626364").readers, IN_3);
    assert_int_equal(guess_of("16000000 01000080 00000000 00000000 01000000 61626364").readers, IN_4);
    assert_int_equal(guess_of("ffffffff").readers, 0);
    /* Odd in every generation: the readers are those that read it to its end. */
    assert_int_equal(guess_of("01000000 02000000").readers, IN_2 | IN_3 | IN_4);
}

TEST(bytes_may_follow_a_prefix)
{
    const gw_godot_question prefix = { .prefix = true };
    gw_godot_guess guess = answer(DICTIONARY_3 "aabbcc", &prefix);
    assert_int_equal(guess.generation, GW_GODOT_3);
    assert_int_equal(guess.certainty, GW_GODOT_CERTAIN);
    assert_int_equal(guess.summary.length, 28);
    assert_int_equal(guess_of(DICTIONARY_3 "aabbcc").certainty, GW_GODOT_UNREADABLE);
}

TEST(in_a_prefix_structure_has_precedence_over_fixed_size)
{
    /* With 48 bytes after it, type 12 may be a Transform3D as well as a dictionary. */
    const gw_godot_question prefix = { .prefix = true };
    gw_godot_guess guess =
        answer(DICTIONARY_3 "0000803f 0000803f 0000803f 0000803f 0000803f 0000803f 0000803f", &prefix);
    assert_int_equal(guess.generation, GW_GODOT_3);
    assert_true(guess.reasons & (GW_GODOT_REASON_STRUCTURE | GW_GODOT_REASON_SANE_NUMBERS));
    guess = answer("09000000 0000803f 0000803f 0000803f 0000803f", &prefix);
    assert_int_equal(guess.certainty, GW_GODOT_AMBIGUOUS);
}

TEST(several_values_are_weighed_together)
{
    const gw_godot_question both = { .values = 2 };
    const gw_godot_question first = { .prefix = true };
    assert_int_equal(answer(COLOR_OR_PLANE DICTIONARY_3, &first).generation, GW_GODOT_4);
    gw_godot_guess guess = answer(COLOR_OR_PLANE DICTIONARY_3, &both);
    assert_int_equal(guess.generation, GW_GODOT_3);
    assert_int_equal(guess.certainty, GW_GODOT_CERTAIN);
    assert_int_equal(guess.summary.length, 48);
    assert_int_equal(guess.summary.values, 4);
    /* Two values that each generation reads, with sane numbers in all of them. */
    guess = answer(COLOR_OR_PLANE COLOR_OR_PLANE, &both);
    assert_int_equal(guess.certainty, GW_GODOT_AMBIGUOUS);
    assert_int_equal(guess.summary.length, 40);
    /* The numbers of the second value are sane in Godot 3 alone, those of the first in both. */
    guess = answer("02000000 07000000" REFERENCE_3, &both);
    assert_int_equal(guess.generation, GW_GODOT_3);
    assert_int_equal(guess.reasons, GW_GODOT_REASON_SANE_NUMBERS);
    /* The second value is missing. */
    assert_int_equal(answer(DICTIONARY_3, &both).certainty, GW_GODOT_UNREADABLE);
}

TEST(the_summary_is_of_all_values)
{
    const gw_godot_question two = { .values = 2, .candidates = IN_4 };
    gw_godot_guess guess = answer("1c000100 02000000 00000000 01000000 01000000", &two);
    assert_int_equal(guess.summary.wire_types, UINT64_C(1) << 28 | UINT64_C(1) << 1);
    assert_true(guess.summary.flags & GW_GODOT_KIND_MASK);
    assert_true(guess.reasons & GW_GODOT_REASON_TYPED);
    guess = answer("04000000 01000000 ff000000 00000000", &two);
    assert_int_equal(guess.summary.odd, GW_GODOT_ODD_UTF8);
}

TEST(a_question_has_an_offset_and_bare_objects)
{
    const gw_godot_question question = { .reading = { .offset = 2, .bare_objects = true } };
    gw_godot_guess guess = answer("ffff 18000000", &question);
    assert_int_equal(guess.generation, GW_GODOT_4);
    assert_int_equal(guess.summary.length, 4);
}

TEST(stale_padding_of_names_changes_no_choice)
{
    static const char *const rows[][2] = {
        { "16000000 01000080 00000000 00000000 01000000 61000000",
          "16000000 01000080 00000000 00000000 01000000 61626364" },
        { "0f000000 01000080 00000000 00000000 01000000 61000000",
          "0f000000 01000080 00000000 00000000 01000000 61626364" },
    };
    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        gw_godot_guess zeros = guess_of(rows[i][0]), stale = guess_of(rows[i][1]);
        assert_int_equal(stale.generation, i ? GW_GODOT_3 : GW_GODOT_4);
        assert_int_equal(stale.generation, zeros.generation);
        assert_int_equal(stale.certainty, zeros.certainty);
        assert_int_equal(stale.alternatives, zeros.alternatives);
        assert_int_equal(stale.reasons, zeros.reasons);
    }
}

/* ---- the captures -------------------------------------------------------------------------------------- */

struct tally {
    gw_godot_generation generation;
    unsigned certain, likely, ambiguous_same, ambiguous_other;
};

static void tally_packet(const capture_payload *payload, void *context)
{
    struct tally *tally = context;
    gw_godot_guess guess;
    gw_godot_detect(payload->bytes, payload->length, NULL, &guess);
    uint32_t readable = guess.alternatives | 1U << guess.generation;
    if (guess.certainty == GW_GODOT_UNREADABLE || !(readable & 1U << tally->generation))
        fail_msg("%s, packet %u: unreadable", payload->file, payload->packet);
    if (guess.certainty == GW_GODOT_AMBIGUOUS) {
        tally->ambiguous_same += guess.same_reading;
        tally->ambiguous_other += !guess.same_reading;
    } else if (guess.generation != tally->generation) {
        fail_msg("%s, packet %u: guessed %d", payload->file, payload->packet, guess.generation);
    }
    tally->certain += guess.certainty == GW_GODOT_CERTAIN;
    tally->likely += guess.certainty == GW_GODOT_LIKELY;
}

/* At least this many packets are decided, and at most this many are ambiguous, so that the user must choose. */
static void assert_tally(gw_godot_generation generation, const char *pattern, unsigned decided, unsigned ambiguous)
{
    struct tally tally = { .generation = generation };
    assert_true(visit_captures(pattern, tally_packet, &tally) > 200);
    print_message("%s: %u certain, %u likely, %u the same in several, %u ambiguous\n", pattern, tally.certain,
                  tally.likely, tally.ambiguous_same, tally.ambiguous_other);
    assert_true(tally.certain + tally.likely >= decided);
    assert_true(tally.ambiguous_other <= ambiguous);
}

TEST(captured_packets_are_not_assigned_to_another_generation)
{
    assert_tally(GW_GODOT_3, "godot/variant/godot-3.2.3.pcap", 71, 21);
    assert_tally(GW_GODOT_3, "godot/variant/godot-3.6.pcap", 71, 21);
    assert_tally(GW_GODOT_4, "godot/variant/godot-4.6.3.pcap", 173, 16);
}
