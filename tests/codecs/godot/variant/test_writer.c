/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The writer: its bytes against those of the specification and of real engines.
 */
#include "captures.h"
#include "reading.h"
#include "rewriting.h"

#include <math.h>

static uint8_t written[65536];
static gw_godot_writer writer;

static gw_godot_writer *write_as(gw_godot_generation generation)
{
    gw_godot_writer_init(&writer, generation, written, sizeof written);
    return &writer;
}

static void assert_written(const char *hex)
{
    assert_true(gw_output_complete(&writer.output));
    assert_hex_equal(written, writer.output.length, hex);
}

/* ---- numbers ------------------------------------------------------------------------------------------- */

TEST(ints_are_written_in_64_bits_if_necessary)
{
    gw_godot_write_int(write_as(GW_GODOT_4), 2147483647);
    assert_written("02000000 ffffff7f");
    gw_godot_write_int(write_as(GW_GODOT_4), 2147483648);
    assert_written("02000100 0000008000000000");
    gw_godot_write_int(write_as(GW_GODOT_3), -2147483649);
    assert_written("02000100 ffffff7fffffffff");
    gw_godot_write_int(write_as(GW_GODOT_3), INT32_MIN);
    assert_written("02000000 00000080");
}

TEST(godot_3_0_writes_every_int_in_64_bits)
{
    write_as(GW_GODOT_3)->wide = true;
    gw_godot_write_int(&writer, 5);
    assert_written("02000100 0500000000000000");
}

TEST(double_precision_builds_write_ints_as_others)
{
    write_as(GW_GODOT_4)->wide = true;
    gw_godot_write_int(&writer, 5);
    assert_written("02000000 05000000");
}

TEST(any_generation_is_godot_4)
{
    const gw_godot_typed ints = { GW_GODOT_BUILTIN, GW_GODOT_INT, NULL };
    gw_godot_write_rid(write_as(GW_GODOT_ANY), 7);
    assert_written("17000000 0700000000000000");
    gw_godot_write_array(write_as(GW_GODOT_ANY), &ints, 0, false);
    assert_written("1c000100 02000000 00000000");
}

TEST(an_element_type_of_another_generation_is_nil)
{
    const gw_godot_typed images = { GW_GODOT_BUILTIN, GW_GODOT_IMAGE, NULL };
    gw_godot_write_array(write_as(GW_GODOT_4), &images, 0, false);
    assert_written("1c000100 00000000 00000000");
}

TEST(godot_2_keeps_32_bits)
{
    write_as(GW_GODOT_2)->wide = true;
    gw_godot_write_int(&writer, 0x100000005);
    assert_written("02000000 05000000");
    gw_godot_write_float(write_as(GW_GODOT_2), 0.1);
    assert_written("03000000 cdcccc3d");
}

TEST(floats_are_written_in_64_bits_if_32_are_not_exact)
{
    gw_godot_write_float(write_as(GW_GODOT_4), 0.5);
    assert_written("03000000 0000003f");
    gw_godot_write_float(write_as(GW_GODOT_4), 0.1);
    assert_written("03000100 9a9999999999b93f");
    gw_godot_write_float(write_as(GW_GODOT_4), 16777217.0);
    assert_written("03000100 0000001000007041");
    gw_godot_write_float(write_as(GW_GODOT_4), (double)INFINITY);
    assert_written("03000000 0000807f");
    gw_godot_write_float(write_as(GW_GODOT_4), -0.0);
    assert_written("03000000 00000080");
}

TEST(nan_is_always_written_in_64_bits)
{
    gw_godot_write_float(write_as(GW_GODOT_4), (double)NAN);
    assert_written("03000100 000000000000f87f");
}

TEST(nil_and_bool)
{
    gw_godot_write_nil(write_as(GW_GODOT_4));
    gw_godot_write_bool(&writer, true);
    gw_godot_write_bool(&writer, false);
    assert_written("00000000 01000000 01000000 01000000 00000000");
}

/* ---- composites and texts ------------------------------------------------------------------------------ */

TEST(reals_widen_in_double_precision_builds)
{
    const double components[] = { 1.5, -2.25 };
    gw_godot_write_reals(write_as(GW_GODOT_4), GW_GODOT_VECTOR2, components);
    assert_written("05000000 0000c03f 000010c0");
    write_as(GW_GODOT_4)->wide = true;
    gw_godot_write_reals(&writer, GW_GODOT_VECTOR2, components);
    assert_written("05000100 000000000000f83f 00000000000002c0");
    write_as(GW_GODOT_3)->wide = true;
    gw_godot_write_reals(&writer, GW_GODOT_VECTOR2, components);
    assert_written("05000000 0000c03f 000010c0");
}

TEST(colors_never_widen)
{
    const double components[] = { 0.5, 0.5, 0.5, 0.5 };
    write_as(GW_GODOT_4)->wide = true;
    gw_godot_write_reals(&writer, GW_GODOT_COLOR, components);
    assert_written("14000000 0000003f 0000003f 0000003f 0000003f");
}

TEST(integer_vectors)
{
    const int32_t components[] = { 1, -2, 3 };
    gw_godot_write_integers(write_as(GW_GODOT_4), GW_GODOT_VECTOR3I, components);
    assert_written("0a000000 01000000 feffffff 03000000");
}

TEST(texts_are_padded_with_zeros)
{
    gw_godot_write_text(write_as(GW_GODOT_4), GW_GODOT_STRING, "hello", 5);
    assert_written("04000000 05000000 68656c6c6f000000");
    gw_godot_write_text(write_as(GW_GODOT_4), GW_GODOT_STRING_NAME, "a", 1);
    assert_written("15000000 01000000 61000000");
    gw_godot_write_text(write_as(GW_GODOT_4), GW_GODOT_TYPES, "abcd", 4);
    assert_written("04000000 61626364");
}

TEST(node_paths_in_both_forms)
{
    const gw_godot_node_path path = { 1, 1, GW_GODOT_NODE_PATH_ABSOLUTE | GW_GODOT_NODE_PATH_PROPERTY };
    const char *const names[] = { "a", "b", "c" };
    gw_godot_write_node_path(write_as(GW_GODOT_3), &path, names);
    assert_written("0f000000 01000080 01000000 03000000 01000000 61000000 01000000 62000000 01000000 63000000");
    gw_godot_write_old_node_path(write_as(GW_GODOT_2), "a/b", 3);
    assert_written("10000000 03000000 612f6200");
}

TEST(rids_of_each_generation)
{
    gw_godot_write_rid(write_as(GW_GODOT_2), 7);
    assert_written("11000000");
    gw_godot_write_rid(write_as(GW_GODOT_3), 7);
    assert_written("10000000");
    gw_godot_write_rid(write_as(GW_GODOT_4), 7);
    assert_written("17000000 0700000000000000");
}

TEST(objects_in_their_forms)
{
    gw_godot_write_object_id(write_as(GW_GODOT_3), 0x510);
    assert_written("11000100 1005000000000000");
    gw_godot_write_bare_object(write_as(GW_GODOT_2));
    assert_written("12000000");
    gw_godot_write_object(write_as(GW_GODOT_4), "Node", 1);
    gw_godot_write_text(&writer, GW_GODOT_TYPES, "script", 6);
    gw_godot_write_nil(&writer);
    assert_written("18000000 04000000 4e6f6465 01000000 06000000 7363726970740000 00000000");
}

TEST(callable_and_signal)
{
    gw_godot_write_callable(write_as(GW_GODOT_4));
    gw_godot_write_signal(&writer, "hit", 3, 9);
    assert_written("19000000 1a000000 03000000 68697400 0900000000000000");
}

/* ---- containers ---------------------------------------------------------------------------------------- */

static const gw_godot_typed of_int = { GW_GODOT_BUILTIN, GW_GODOT_INT, NULL };
static const gw_godot_typed of_string = { GW_GODOT_BUILTIN, GW_GODOT_STRING, NULL };
static const gw_godot_typed of_class = { GW_GODOT_CLASS, GW_GODOT_OBJECT, "Node" };
static const gw_godot_typed of_script = { GW_GODOT_SCRIPT, GW_GODOT_OBJECT, "res://a.gd" };
static const gw_godot_typed of_any = { GW_GODOT_UNTYPED, GW_GODOT_NIL, NULL };

TEST(typed_array_of_the_specification)
{
    gw_godot_write_array(write_as(GW_GODOT_4), &of_int, 3, false);
    gw_godot_write_int(&writer, 1);
    gw_godot_write_int(&writer, 2);
    gw_godot_write_int(&writer, 3);
    assert_written("1c000100 02000000 03000000 02000000 01000000 02000000 02000000 02000000 03000000");
}

TEST(arrays_of_classes_and_scripts)
{
    gw_godot_write_array(write_as(GW_GODOT_4), &of_class, 0, false);
    assert_written("1c000200 04000000 4e6f6465 00000000");
    gw_godot_write_array(write_as(GW_GODOT_4), &of_script, 0, false);
    assert_written("1c000300 0a000000 7265733a2f2f612e67640000 00000000");
}

TEST(typed_dictionaries_of_the_specification)
{
    gw_godot_write_dictionary(write_as(GW_GODOT_4), &of_string, &of_int, 0, false);
    assert_written("1b000500 04000000 02000000 00000000");
    gw_godot_write_dictionary(write_as(GW_GODOT_4), &of_string, NULL, 0, false);
    assert_written("1b000100 04000000 00000000");
    gw_godot_write_dictionary(write_as(GW_GODOT_4), &of_any, &of_int, 0, false);
    assert_written("1b000400 02000000 00000000");
}

TEST(shared_containers_of_godot_2)
{
    gw_godot_write_array(write_as(GW_GODOT_2), NULL, 1, true);
    gw_godot_write_nil(&writer);
    gw_godot_write_dictionary(&writer, NULL, NULL, 0, true);
    assert_written("15000000 01000080 00000000 14000000 00000080");
}

TEST(typed_containers_are_untyped_before_godot_4)
{
    gw_godot_write_array(write_as(GW_GODOT_3), &of_int, 0, false);
    gw_godot_write_dictionary(&writer, &of_string, &of_class, 0, false);
    assert_written("13000000 00000000 12000000 00000000");
}

/* ---- packed arrays ------------------------------------------------------------------------------------- */

TEST(packed_arrays_of_integers)
{
    const uint8_t bytes[] = { 1, 2, 3 };
    const int64_t integers[] = { -1 };
    gw_godot_write_byte_array(write_as(GW_GODOT_4), bytes, 3);
    gw_godot_write_integer_array(&writer, GW_GODOT_INT32_ARRAY, integers, 1);
    gw_godot_write_integer_array(&writer, GW_GODOT_INT64_ARRAY, integers, 1);
    assert_written("1d000000 03000000 01020300 1e000000 01000000 ffffffff 1f000000 01000000 ffffffffffffffff");
}

TEST(packed_arrays_of_reals)
{
    const double reals[] = { 1.5, -2.25 };
    gw_godot_write_real_array(write_as(GW_GODOT_4), GW_GODOT_FLOAT32_ARRAY, reals, 1);
    gw_godot_write_real_array(&writer, GW_GODOT_FLOAT64_ARRAY, reals, 1);
    writer.wide = true;
    gw_godot_write_real_array(&writer, GW_GODOT_VECTOR2_ARRAY, reals, 1);
    gw_godot_write_real_array(&writer, GW_GODOT_FLOAT32_ARRAY, reals, 1);
    assert_written("20000000 01000000 0000c03f 21000000 01000000 000000000000f83f 23000100 01000000 000000000000f83f "
                   "00000000000002c0 20000000 01000000 0000c03f");
}

TEST(string_arrays_count_their_nul)
{
    const char *const strings[] = { "", "abc" };
    gw_godot_write_string_array(write_as(GW_GODOT_3), strings, 2);
    assert_written("17000000 02000000 01000000 00000000 04000000 61626300");
}

/* ---- Godot 2 ------------------------------------------------------------------------------------------- */

TEST(image_and_input_event_of_godot_2)
{
    const gw_godot_image image = { 4, 0, 2, 1 };
    const uint8_t pixels[] = { 1, 2, 3, 4, 5, 6 };
    const uint32_t details[] = { 2, 0x41 };
    gw_godot_write_image(write_as(GW_GODOT_2), &image, pixels, 6);
    assert_written("0f000000 04000000 00000000 02000000 01000000 06000000 0102030405060000");
    gw_godot_write_input_event(write_as(GW_GODOT_2), 1, 0, details, 2);
    assert_written("13000000 01000000 00000000 14000000 02000000 41000000");
}

/* ---- types that a generation does not have ------------------------------------------------------------- */

TEST(a_type_that_the_generation_does_not_have_becomes_nil)
{
    const double reals[16] = { 0 };
    const int32_t components[4] = { 0 };
    const int64_t integers[1] = { 0 };
    const gw_godot_image image = { 0, 0, 0, 0 };
    write_as(GW_GODOT_3);
    gw_godot_write_reals(&writer, GW_GODOT_PROJECTION, reals);
    gw_godot_write_integers(&writer, GW_GODOT_VECTOR4I, components);
    gw_godot_write_text(&writer, GW_GODOT_STRING_NAME, "a", 1);
    gw_godot_write_callable(&writer);
    gw_godot_write_signal(&writer, "a", 1, 1);
    gw_godot_write_integer_array(&writer, GW_GODOT_INT64_ARRAY, integers, 1);
    gw_godot_write_real_array(&writer, GW_GODOT_VECTOR4_ARRAY, reals, 1);
    gw_godot_write_image(&writer, &image, NULL, 0);
    gw_godot_write_input_event(&writer, 1, 0, NULL, 0);
    assert_written("00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000");
}

TEST(a_missing_type_has_no_64_bit_form)
{
    const double reals[16] = { 0 };
    write_as(GW_GODOT_3)->wide = true;
    gw_godot_write_reals(&writer, GW_GODOT_PROJECTION, reals);
    assert_written("00000000");
}

TEST(an_object_of_godot_2_is_only_a_header)
{
    gw_godot_write_object_id(write_as(GW_GODOT_2), 7);
    assert_written("12000000");
}

/* ---- output -------------------------------------------------------------------------------------------- */

TEST(bytes_beyond_the_output_are_counted_but_not_written)
{
    uint8_t small[12];
    memset(small, 0xEE, sizeof small);
    gw_godot_writer_init(&writer, GW_GODOT_4, small, 8);
    gw_godot_write_text(&writer, GW_GODOT_STRING, "hello", 5);
    gw_godot_write_int(&writer, 1);
    assert_false(gw_output_complete(&writer.output));
    assert_int_equal(writer.output.length, 16 + 8);
    assert_hex_equal(small, sizeof small, "04000000 05000000 eeeeeeee");
}

TEST(without_a_buffer_bytes_are_counted)
{
    gw_godot_writer_init(&writer, GW_GODOT_4, NULL, 0);
    gw_godot_write_reals(&writer, GW_GODOT_PROJECTION, (const double[16]){ 0 });
    assert_int_equal(writer.output.length, 68);
}

/* ---- the captures -------------------------------------------------------------------------------------- */

/* Stale padding of NodePaths is the only data that a writer cannot reproduce. */
static void clear_stale_padding(void)
{
    gw_godot_string string;
    for (uint32_t i = 0; i < seen.count && i < MAX_EVENTS; i++) {
        gw_godot_strings strings;
        if (seen.events[i].type != GW_GODOT_NODE_PATH)
            continue;
        gw_godot_strings_init(&strings, seen.bytes, &seen.events[i]);
        while (gw_godot_strings_next(&strings, &string))
            memset(seen.bytes + string.text.offset + string.text.length, 0, string.padding);
    }
}

static void writes_the_same(const capture_payload *payload, void *context)
{
    read_bytes(*(gw_godot_generation *)context, payload->bytes, payload->length);
    rewrite(write_as(seen.generation), seen.bytes, seen.length);
    if (seen.odd & GW_GODOT_ODD_STALE_PADDING)
        clear_stale_padding();
    if (writer.output.length != seen.length || memcmp(written, seen.bytes, seen.length))
        fail_msg("%s, packet %u: written otherwise", payload->file, payload->packet);
}

TEST(writes_the_same_bytes_as_the_engines)
{
    gw_godot_generation generation = GW_GODOT_3;
    assert_true(visit_captures("godot/variant/godot-3*.pcap", writes_the_same, &generation) > 400);
    generation = GW_GODOT_4;
    assert_true(visit_captures("godot/variant/godot-4*.pcap", writes_the_same, &generation) > 300);
}
