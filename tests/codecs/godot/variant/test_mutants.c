/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What small changes of the codec would break and no other test would see (tests/mutation).
 */
#include "reading.h"

static gw_godot_guess guess_of(const char *hex)
{
    gw_godot_guess guess;
    size_t length;
    uint8_t *bytes = bytes_of_hex(hex, &length);
    gw_godot_detect(bytes, length, NULL, &guess);
    free(bytes);
    return guess;
}

TEST(types_without_numbers_have_no_integers)
{
    for (int type = 0; type < GW_GODOT_TYPES; type++)
        if (!gw_godot_components((gw_godot_type)type))
            assert_false(gw_godot_components_are_integers((gw_godot_type)type));
}

TEST(unreadable_values_are_shown_as_the_newest_generation)
{
    gw_godot_guess guess = guess_of("0400");
    assert_int_equal(guess.certainty, GW_GODOT_UNREADABLE);
    assert_int_equal(guess.generation, GW_GODOT_4);
}

/* 8 bits for the header, 16 for a text that fits, 8 for each of its four bytes; nothing for a count of 0. */
TEST(the_class_name_of_an_object_is_evidence)
{
    const gw_godot_options options = { .generation = GW_GODOT_4 };
    gw_godot_summary summary;
    size_t length;
    uint8_t *bytes = bytes_of_hex("18000000 04000000 4e6f6465 00000000", &length);
    assert_true(gw_godot_validate(bytes, length, &options, &summary));
    assert_int_equal(summary.texts, 1);
    assert_int_equal(summary.text_bytes, 4);
    assert_int_equal(summary.proof, 8 + 16 + 4 * 8);
    free(bytes);
}

/* Two empty strings in Godot 3, where the lengths include the NUL; [0, 0] in Godot 2. */
TEST(strings_without_nul_are_evidence_against_godot_3)
{
    gw_godot_guess guess = guess_of("17000000 02000000 00000000 00000000");
    assert_int_equal(guess.generation, GW_GODOT_2);
    assert_int_equal(guess.alternatives, 1 << GW_GODOT_3);
    assert_true(guess.reasons & GW_GODOT_REASON_FEWER_ODDITIES);
}

/* A NodePath of Godot 3 with flag bit 2, or a Quaternion of Godot 4. */
TEST(unknown_node_path_flags_are_evidence_against_godot_3)
{
    gw_godot_guess guess = guess_of("0f000000 01000080 00000000 04000000 00000000");
    assert_int_equal(guess.generation, GW_GODOT_4);
    assert_true(guess.reasons & GW_GODOT_REASON_FEWER_ODDITIES);
}

/* A NodePath of one text, or a Quaternion of Godot 4. */
TEST(a_node_path_of_one_text_is_evidence_against_godot_3)
{
    gw_godot_guess guess = guess_of("0f000000 0c000000 61626364 65666768 696a6b6c");
    assert_int_equal(guess.generation, GW_GODOT_4);
    assert_true(guess.reasons & GW_GODOT_REASON_FEWER_ODDITIES);
}
