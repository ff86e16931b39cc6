/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Packed arrays and NodePaths: values that are rows of numbers or texts.
 */
#include "reading.h"

/* ---- packed arrays ------------------------------------------------------------------------------------- */

static const gw_godot_event *read_packed(gw_godot_generation generation, const char *hex, gw_godot_type type,
                                         uint32_t count)
{
    const gw_godot_event *event = read_value(generation, hex);
    assert_int_equal(seen.count, 1);
    assert_int_equal(event->kind, GW_PACKED);
    assert_int_equal(event->type, type);
    assert_int_equal(event->count, count);
    assert_int_equal(event->payload.offset, 8);
    return event;
}

TEST(byte_array_is_padded)
{
    const gw_godot_event *event = read_packed(GW_GODOT_3, "14000000 03000000 0102ff00", GW_GODOT_BYTE_ARRAY, 3);
    assert_int_equal(gw_godot_integer_at(seen.bytes, event, 2), 255);
    assert_int_equal(gw_godot_element_size(event), 1);
    assert_int_equal(event->padding.length, 1);
    read_packed(GW_GODOT_2, "16000000 00000000", GW_GODOT_BYTE_ARRAY, 0);
    read_packed(GW_GODOT_4, "1d000000 04000000 01020304", GW_GODOT_BYTE_ARRAY, 4);
}

TEST(int_array_is_32_bits_an_element)
{
    const char *body = "02000000 ffffffff 00000080";
    char hex[64];
    static const char *const headers[] = { "17000000", "15000000", "1e000000" };
    for (unsigned i = 0; i < 3; i++) {
        strcat(strcpy(hex, headers[i]), body);
        const gw_godot_event *event = read_packed((gw_godot_generation)(i + 2), hex, GW_GODOT_INT32_ARRAY, 2);
        assert_int_equal(gw_godot_integer_at(seen.bytes, event, 0), -1);
        assert_int_equal(gw_godot_integer_at(seen.bytes, event, 1), INT32_MIN);
        assert_int_equal(gw_godot_element_size(event), 4);
    }
}

TEST(int64_array_has_no_flag)
{
    const gw_godot_event *event =
        read_packed(GW_GODOT_4, "1f000000 01000000 0000000000000080", GW_GODOT_INT64_ARRAY, 1);
    assert_true(gw_godot_integer_at(seen.bytes, event, 0) == INT64_MIN);
    assert_int_equal(gw_godot_element_size(event), 8);
}

TEST(float_arrays_of_both_widths)
{
    const gw_godot_event *event = read_packed(GW_GODOT_3, "16000000 01000000 0000003f", GW_GODOT_FLOAT32_ARRAY, 1);
    assert_true(gw_godot_real_at(seen.bytes, event, 0) == 0.5);
    read_packed(GW_GODOT_2, "18000000 01000000 0000003f", GW_GODOT_FLOAT32_ARRAY, 1);
    read_packed(GW_GODOT_4, "20000000 01000000 0000003f", GW_GODOT_FLOAT32_ARRAY, 1);
    event = read_packed(GW_GODOT_4, "21000000 01000000 9a9999999999b93f", GW_GODOT_FLOAT64_ARRAY, 1);
    assert_true(gw_godot_real_at(seen.bytes, event, 0) == 0.1);
}

TEST(vector_and_color_arrays_are_components_in_a_row)
{
    static const struct {
        gw_godot_type type;
        uint8_t wire[5];
        uint8_t components;
    } arrays[] = {
        { GW_GODOT_VECTOR2_ARRAY, { 0, 0, 26, 24, 35 }, 2 },
        { GW_GODOT_VECTOR3_ARRAY, { 0, 0, 27, 25, 36 }, 3 },
        { GW_GODOT_COLOR_ARRAY, { 0, 0, 28, 26, 37 }, 4 },
        { GW_GODOT_VECTOR4_ARRAY, { 0, 0, 0, 0, 38 }, 4 },
    };
    for (unsigned i = 0; i < COUNT_OF(arrays); i++)
        for (unsigned g = 2; g <= 4; g++) {
            uint8_t bytes[64];
            gw_output output;
            if (!arrays[i].wire[g])
                continue;
            gw_output_init(&output, bytes, sizeof bytes);
            gw_put_le32(&output, arrays[i].wire[g]);
            gw_put_le32(&output, 2);
            for (int c = 0; c < 2 * arrays[i].components; c++)
                gw_put_le_float(&output, (float)c);
            read_bytes((gw_godot_generation)g, bytes, output.length);
            assert_int_equal(seen.events[0].type, arrays[i].type);
            assert_int_equal(seen.reader.offset, seen.length);
            assert_int_equal(gw_godot_element_size(&seen.events[0]), 4 * arrays[i].components);
            for (unsigned c = 0; c < 2u * arrays[i].components; c++)
                assert_true(gw_godot_real_at(seen.bytes, &seen.events[0], c) == c);
        }
}

TEST(vector_arrays_widen_and_color_arrays_do_not)
{
    const gw_godot_event *event =
        read_packed(GW_GODOT_4, "23000100 01000000 000000000000f83f 00000000000002c0", GW_GODOT_VECTOR2_ARRAY, 1);
    assert_true(gw_godot_real_at(seen.bytes, event, 1) == -2.25);
    assert_int_equal(gw_godot_element_size(event), 16);
    assert_odd(GW_GODOT_4, "25000100 01000000 00000000 00000000 00000000 0000803f", GW_GODOT_ODD_FLAGS);
}

/* In Godot 3, only int, float and Object have the flag. A decoder of Godot 3 ignores it on the others, whose components
 * have 32 bits. */
TEST(godot_3_ignores_bit_16_of_packed_arrays)
{
    static const uint8_t components[] = { [22] = 1, [24] = 2, [25] = 3, [26] = 4 };
    for (uint32_t type = 22; type <= 26; type++) {
        uint8_t bytes[64];
        gw_output output;
        if (!components[type])
            continue;
        gw_output_init(&output, bytes, sizeof bytes);
        gw_put_le32(&output, type | GW_GODOT_FLAG_64);
        gw_put_le32(&output, 1);
        for (unsigned c = 0; c < components[type]; c++)
            gw_put_le_float(&output, (float)c + 0.5f);
        read_bytes(GW_GODOT_3, bytes, output.length);
        assert_int_equal(seen.odd, GW_GODOT_ODD_FLAGS);
        assert_int_equal(seen.reader.offset, seen.length);
        assert_false(gw_godot_is_wide(&seen.events[0]));
        for (unsigned c = 0; c < components[type]; c++)
            assert_true(gw_godot_real_at(seen.bytes, &seen.events[0], c) == c + 0.5);
    }
}

TEST(types_without_numbers_have_no_64_bit_form)
{
    assert_false(gw_godot_is_wide(read_value(GW_GODOT_4, "23000100 00000000")));
    assert_false(gw_godot_is_wide(read_value(GW_GODOT_4, "22000000 00000000")));
    assert_false(gw_godot_is_wide(read_value(GW_GODOT_4, "04000000 04000000 61626364")));
    assert_true(gw_godot_is_wide(read_value(GW_GODOT_4, "1f000000 00000000")));
}

TEST(types_without_strings_return_no_strings)
{
    gw_godot_strings strings;
    gw_godot_string string;
    const gw_godot_event *event = read_value(GW_GODOT_4, "02000000 07000000");
    gw_godot_strings_init(&strings, seen.bytes, event);
    assert_false(gw_godot_strings_next(&strings, &string));
}

static gw_godot_strings strings_of_root;

static gw_godot_string next_string(gw_godot_string_role role, uint32_t index, const char *text)
{
    gw_godot_string string;
    assert_true(gw_godot_strings_next(&strings_of_root, &string));
    assert_int_equal(string.role, role);
    assert_int_equal(string.index, index);
    assert_span(string.text, text);
    return string;
}

static void assert_no_more_strings(void)
{
    gw_godot_string string;
    assert_false(gw_godot_strings_next(&strings_of_root, &string));
}

static void begin_strings(gw_godot_generation generation, const char *hex)
{
    const gw_godot_event *event = read_value(generation, hex);
    gw_godot_strings_init(&strings_of_root, seen.bytes, event);
}

TEST(strings_of_an_array_count_their_nul)
{
    static const char *const headers[] = { "19000000", "17000000", "22000000" };
    for (unsigned i = 0; i < 3; i++) {
        char hex[128];
        strcat(strcpy(hex, headers[i]), "02000000 01000000 00000000 04000000 61626300");
        begin_strings((gw_godot_generation)(i + 2), hex);
        next_string(GW_GODOT_STRING_ROLE_ELEMENT, 0, "");
        gw_godot_string second = next_string(GW_GODOT_STRING_ROLE_ELEMENT, 1, "abc");
        assert_int_equal(second.whole.offset, 16);
        assert_int_equal(second.whole.length, 8);
        assert_int_equal(second.padding, 0);
        assert_no_more_strings();
        assert_int_equal(seen.odd, 0);
    }
}

/* ---- NodePath ------------------------------------------------------------------------------------------ */

TEST(node_path_is_names_then_subnames)
{
    /* ^"/a:bc" */
    gw_godot_node_path path;
    begin_strings(GW_GODOT_4, "16000000 01000080 01000000 01000000 01000000 61000000 02000000 62630000");
    assert_true(gw_godot_node_path_of(seen.bytes, &seen.events[0], &path));
    assert_int_equal(path.names, 1);
    assert_int_equal(path.subnames, 1);
    assert_int_equal(path.flags, GW_GODOT_NODE_PATH_ABSOLUTE);
    assert_int_equal(seen.events[0].count, 2);
    next_string(GW_GODOT_STRING_ROLE_NAME_PART, 0, "a");
    next_string(GW_GODOT_STRING_ROLE_SUBNAME, 0, "bc");
    assert_no_more_strings();
}

TEST(node_path_flag_bit_1_is_one_more_string)
{
    begin_strings(GW_GODOT_3, "0f000000 01000080 00000000 02000000 01000000 61000000 01000000 62000000");
    next_string(GW_GODOT_STRING_ROLE_NAME_PART, 0, "a");
    next_string(GW_GODOT_STRING_ROLE_PROPERTY, 0, "b");
    assert_no_more_strings();
    begin_strings(GW_GODOT_2,
                  "10000000 01000080 01000000 02000000 01000000 61000000 01000000 62000000 01000000 63000000");
    next_string(GW_GODOT_STRING_ROLE_NAME_PART, 0, "a");
    next_string(GW_GODOT_STRING_ROLE_SUBNAME, 0, "b");
    next_string(GW_GODOT_STRING_ROLE_PROPERTY, 0, "c");
}

TEST(empty_node_paths)
{
    begin_strings(GW_GODOT_4, "16000000 00000080 00000000 00000000");
    assert_no_more_strings();
    assert_prints(GW_GODOT_4, "16000000 00000080 00000000 01000000", "NodePath(\"/\")");
}

TEST(stale_padding_of_node_paths_is_as_sent)
{
    begin_strings(GW_GODOT_3, "0f000000 00000080 01000000 00000000 01000000 62696f6e");
    assert_int_equal(seen.odd, GW_GODOT_ODD_STALE_PADDING);
    assert_int_equal(next_string(GW_GODOT_STRING_ROLE_SUBNAME, 0, "b").odd, GW_GODOT_ODD_STALE_PADDING);
    begin_strings(GW_GODOT_4, "16000000 01000080 01000000 01000000 04000000 4865726f 03000000 706f7341");
    assert_int_equal(seen.odd, GW_GODOT_ODD_STALE_PADDING);
    assert_int_equal(next_string(GW_GODOT_STRING_ROLE_NAME_PART, 0, "Hero").odd, 0);
    assert_int_equal(next_string(GW_GODOT_STRING_ROLE_SUBNAME, 0, "pos").odd, GW_GODOT_ODD_STALE_PADDING);
}

TEST(old_node_path_is_one_text)
{
    gw_godot_node_path path;
    const gw_godot_event *event = read_value(GW_GODOT_2, "10000000 04000000 612f623a");
    assert_span(event->text, "a/b:");
    assert_false(gw_godot_node_path_of(seen.bytes, event, &path));
    assert_int_equal(event->odd, 0);
    gw_godot_strings_init(&strings_of_root, seen.bytes, event);
    assert_no_more_strings();
}
