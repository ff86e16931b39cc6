/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * When the writer's output is complete: with all members that are declared, and without misuse.
 */
#include "reading.h"

static uint8_t written[65536];
static gw_godot_writer writer;

static gw_godot_writer *write_as(gw_godot_generation generation)
{
    gw_godot_writer_init(&writer, generation, written, sizeof written);
    return &writer;
}

static bool is_complete(void)
{
    return gw_output_complete(&writer.output);
}

/* The call before wrote nil for a type that its function does not write. */
static void assert_misused_as_nil(void)
{
    assert_true(writer.output.misused);
    assert_false(is_complete());
    assert_hex_equal(written, writer.output.length, "00000000");
}

TEST(a_dictionary_is_complete_with_its_last_value)
{
    gw_godot_write_dictionary(write_as(GW_GODOT_4), NULL, NULL, 3, false);
    for (int i = 0; i < 3; i++) {
        assert_false(is_complete());
        gw_godot_write_int(&writer, i);
        assert_false(is_complete());
        gw_godot_write_nil(&writer);
    }
    assert_true(is_complete());
}

TEST(members_of_a_container_are_not_those_of_the_one_around_it)
{
    gw_godot_write_array(write_as(GW_GODOT_3), NULL, 3, false);
    gw_godot_write_array(&writer, NULL, 2, false);
    gw_godot_write_bool(&writer, true);
    gw_godot_write_dictionary(&writer, NULL, NULL, 0, false);
    assert_false(is_complete());
    gw_godot_write_nil(&writer);
    assert_false(is_complete());
    gw_godot_write_array(&writer, NULL, 1, false);
    assert_false(is_complete());
    gw_godot_write_nil(&writer);
    assert_true(is_complete());
}

TEST(values_follow_each_other_at_the_root)
{
    gw_godot_write_array(write_as(GW_GODOT_4), NULL, 1, false);
    gw_godot_write_float(&writer, 0.5);
    gw_godot_write_array(&writer, NULL, 1, false);
    assert_false(is_complete());
    gw_godot_write_float(&writer, 0.5);
    assert_true(is_complete());
}

TEST(every_function_writes_one_member)
{
    const uint8_t byte = 1;
    const int64_t integer = 1;
    const double reals[] = { 1, 2 };
    const int32_t integers[] = { 1, 2 };
    const char *const names[] = { "a" };
    const gw_godot_node_path path = { 1, 0, 0 };
    gw_godot_write_array(write_as(GW_GODOT_4), NULL, 17, false);
    gw_godot_write_nil(&writer);
    gw_godot_write_bool(&writer, true);
    gw_godot_write_int(&writer, INT64_MAX);
    gw_godot_write_float(&writer, 0.1);
    gw_godot_write_text(&writer, GW_GODOT_STRING, "a", 1);
    gw_godot_write_text(&writer, GW_GODOT_STRING_NAME, "a", 1);
    gw_godot_write_text(&writer, GW_GODOT_OBJECT, "", 0);
    gw_godot_write_reals(&writer, GW_GODOT_VECTOR2, reals);
    gw_godot_write_integers(&writer, GW_GODOT_VECTOR2I, integers);
    gw_godot_write_node_path(&writer, &path, names);
    gw_godot_write_rid(&writer, 1);
    gw_godot_write_object_id(&writer, 1);
    gw_godot_write_callable(&writer);
    gw_godot_write_signal(&writer, "a", 1, 1);
    gw_godot_write_byte_array(&writer, &byte, 1);
    gw_godot_write_integer_array(&writer, GW_GODOT_INT64_ARRAY, &integer, 1);
    assert_false(is_complete());
    gw_godot_write_string_array(&writer, names, 1);
    assert_true(is_complete());
    read_bytes(GW_GODOT_4, written, writer.output.length);
    assert_int_equal(seen.last, GW_NEXT_END);
    assert_int_equal(seen.reader.offset, writer.output.length);
}

TEST(every_function_of_godot_2_writes_one_member)
{
    const uint8_t pixel = 1;
    const gw_godot_image image = { 0, 0, 1, 1 };
    gw_godot_write_array(write_as(GW_GODOT_2), NULL, 6, true);
    gw_godot_write_text(&writer, GW_GODOT_STRING_NAME, "a", 1);
    gw_godot_write_old_node_path(&writer, "a", 1);
    gw_godot_write_object_id(&writer, 1);
    gw_godot_write_image(&writer, &image, &pixel, 1);
    gw_godot_write_input_event(&writer, 1, 0, NULL, 0);
    assert_false(is_complete());
    gw_godot_write_real_array(&writer, GW_GODOT_FLOAT32_ARRAY, NULL, 0);
    assert_true(is_complete());
    read_bytes(GW_GODOT_2, written, writer.output.length);
    assert_int_equal(seen.last, GW_NEXT_END);
    assert_int_equal(seen.reader.offset, writer.output.length);
}

TEST(an_object_is_complete_with_its_last_property)
{
    gw_godot_write_array(write_as(GW_GODOT_4), NULL, 2, false);
    gw_godot_write_object(&writer, "Node", 2);
    gw_godot_write_text(&writer, GW_GODOT_TYPES, "a", 1);
    gw_godot_write_array(&writer, NULL, 1, false);
    gw_godot_write_nil(&writer);
    gw_godot_write_text(&writer, GW_GODOT_TYPES, "b", 1);
    gw_godot_write_nil(&writer);
    assert_false(is_complete());
    gw_godot_write_nil(&writer);
    assert_true(is_complete());
}

TEST(properties_without_a_name_are_misuse)
{
    gw_godot_write_object(write_as(GW_GODOT_4), "Node", 1);
    gw_godot_write_text(&writer, GW_GODOT_STRING, "a", 1);
    assert_true(writer.output.misused);
    gw_godot_write_nil(&writer);
    assert_false(is_complete());
}

TEST(names_in_place_of_values_are_misuse)
{
    gw_godot_write_object(write_as(GW_GODOT_4), "Node", 1);
    gw_godot_write_text(&writer, GW_GODOT_TYPES, "a", 1);
    assert_false(writer.output.misused);
    gw_godot_write_text(&writer, GW_GODOT_TYPES, "a", 1);
    assert_true(writer.output.misused);
    gw_godot_write_array(write_as(GW_GODOT_4), NULL, 2, false);
    gw_godot_write_text(&writer, GW_GODOT_TYPES, "a", 1);
    assert_true(writer.output.misused);
    gw_godot_write_nil(&writer);
    assert_false(writer.output.due);
    assert_false(is_complete());
}

TEST(a_type_that_the_function_does_not_write_is_misuse)
{
    const double reals[4] = { 0 };
    const int32_t integers[4] = { 0 };
    const int64_t wide[1] = { 0 };
    gw_godot_write_text(write_as(GW_GODOT_4), GW_GODOT_VECTOR2, "hello", 5);
    assert_misused_as_nil();
    gw_godot_write_text(write_as(GW_GODOT_4), GW_GODOT_OBJECT, "Node", 4);
    assert_misused_as_nil();
    gw_godot_write_reals(write_as(GW_GODOT_4), GW_GODOT_VECTOR2I, reals);
    assert_misused_as_nil();
    gw_godot_write_reals(write_as(GW_GODOT_4), GW_GODOT_FLOAT, reals);
    assert_misused_as_nil();
    gw_godot_write_reals(write_as(GW_GODOT_4), GW_GODOT_VECTOR2_ARRAY, reals);
    assert_misused_as_nil();
    gw_godot_write_integers(write_as(GW_GODOT_4), GW_GODOT_VECTOR2, integers);
    assert_misused_as_nil();
    gw_godot_write_integers(write_as(GW_GODOT_4), GW_GODOT_INT, integers);
    assert_misused_as_nil();
    gw_godot_write_integer_array(write_as(GW_GODOT_4), GW_GODOT_BYTE_ARRAY, wide, 1);
    assert_misused_as_nil();
    gw_godot_write_real_array(write_as(GW_GODOT_4), GW_GODOT_STRING_ARRAY, reals, 1);
    assert_misused_as_nil();
    gw_godot_write_real_array(write_as(GW_GODOT_4), GW_GODOT_INT64_ARRAY, reals, 1);
    assert_misused_as_nil();
    gw_godot_write_real_array(write_as(GW_GODOT_4), GW_GODOT_IMAGE, reals, 1);
    assert_misused_as_nil();
}

TEST(misuse_is_remembered_until_the_writer_is_initialized)
{
    gw_godot_write_text(write_as(GW_GODOT_4), GW_GODOT_VECTOR2, "hello", 5);
    gw_godot_write_int(&writer, 1);
    assert_false(is_complete());
    gw_godot_write_int(write_as(GW_GODOT_4), 1);
    assert_true(is_complete());
}

TEST(counts_of_32_bits_are_misuse)
{
    gw_godot_write_array(write_as(GW_GODOT_4), NULL, 0x80000000U, false);
    assert_true(writer.output.misused);
    gw_godot_write_dictionary(write_as(GW_GODOT_4), NULL, NULL, 0x80000001U, false);
    assert_true(writer.output.misused);
    gw_godot_write_object(write_as(GW_GODOT_4), "Node", 0x80000000U);
    assert_true(writer.output.misused);
    gw_godot_write_dictionary(write_as(GW_GODOT_4), NULL, NULL, 0x7FFFFFFFU, false);
    assert_false(writer.output.misused);
    assert_false(is_complete());
}

TEST(a_full_object_in_godot_2_is_misuse)
{
    gw_godot_write_object(write_as(GW_GODOT_2), "Node", 1);
    assert_false(is_complete());
    assert_hex_equal(written, writer.output.length, "12000000");
}

TEST(containers_are_counted_to_the_depth_of_the_reader)
{
    write_as(GW_GODOT_4);
    for (uint32_t i = 0; i < GW_GODOT_DEPTH; i++)
        gw_godot_write_array(&writer, NULL, 2, false);
    for (uint32_t i = 0; i < GW_GODOT_DEPTH + 1; i++) {
        assert_false(is_complete());
        gw_godot_write_nil(&writer);
    }
    assert_true(is_complete());
    write_as(GW_GODOT_4);
    for (uint32_t i = 0; i < GW_GODOT_DEPTH; i++)
        gw_godot_write_array(&writer, NULL, 2, false);
    assert_false(writer.output.misused);
    gw_godot_write_array(&writer, NULL, 2, false);
    assert_true(writer.output.misused);
}

TEST(a_last_member_needs_no_level)
{
    write_as(GW_GODOT_4);
    for (uint32_t i = 0; i < 1000; i++)
        gw_godot_write_array(&writer, NULL, 1, false);
    assert_false(is_complete());
    gw_godot_write_nil(&writer);
    assert_true(is_complete());
}
