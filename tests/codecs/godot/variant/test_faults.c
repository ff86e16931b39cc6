/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Input that is no value, and input that is one all the same.
 */
#include "reading.h"

/* ---- faults: code, offset, bytes needed ---------------------------------------------------------------- */

TEST(an_empty_input_is_a_truncated_header)
{
    assert_fault(GW_GODOT_4, "", GW_GODOT_FAULT_HEADER_TRUNCATED, 0, 4);
    assert_int_equal(seen.count, 0);
}

TEST(a_truncated_header_needs_the_rest_of_its_four_bytes)
{
    assert_fault(GW_GODOT_3, "020000", GW_GODOT_FAULT_HEADER_TRUNCATED, 0, 1);
    assert_fault(GW_GODOT_4, "1c000000 02000000 00000000 05", GW_GODOT_FAULT_HEADER_TRUNCATED, 12, 3);
}

TEST(a_truncated_number_needs_the_rest_of_its_body)
{
    assert_fault(GW_GODOT_4, "01000000", GW_GODOT_FAULT_BODY_TRUNCATED, 0, 4);
    assert_fault(GW_GODOT_4, "02000000 0102", GW_GODOT_FAULT_BODY_TRUNCATED, 0, 2);
    assert_fault(GW_GODOT_4, "02000100 01020304", GW_GODOT_FAULT_BODY_TRUNCATED, 0, 4);
    assert_fault(GW_GODOT_4, "13000000 00000000", GW_GODOT_FAULT_BODY_TRUNCATED, 0, 60);
    assert_fault(GW_GODOT_4, "13000100 00000000", GW_GODOT_FAULT_BODY_TRUNCATED, 0, 124);
    assert_fault(GW_GODOT_4, "17000000 00", GW_GODOT_FAULT_BODY_TRUNCATED, 0, 7);
    assert_fault(GW_GODOT_4, "18000100 0000", GW_GODOT_FAULT_BODY_TRUNCATED, 0, 6);
}

TEST(a_truncated_length_or_count_is_a_truncated_body)
{
    static const char *const heads[] = { "1c000000 00", "1b000000 00", "1d000000 00", "1e000000 00",
                                         "22000000 00", "16000000 00", "1c000100 00" };
    for (unsigned i = 0; i < COUNT_OF(heads); i++)
        assert_fault(GW_GODOT_4, heads[i], GW_GODOT_FAULT_BODY_TRUNCATED, 0, 3);
    assert_fault(GW_GODOT_4, "16000000 00000080 00", GW_GODOT_FAULT_BODY_TRUNCATED, 0, 7);
    assert_fault(GW_GODOT_4, "1c000100 02000000", GW_GODOT_FAULT_BODY_TRUNCATED, 0, 4);
    assert_fault(GW_GODOT_4, "18000000 04000000 4e6f6465 0000", GW_GODOT_FAULT_BODY_TRUNCATED, 0, 2);
    assert_fault(GW_GODOT_4, "1a000000 00000000 0000000000", GW_GODOT_FAULT_BODY_TRUNCATED, 0, 3);
    assert_fault(GW_GODOT_2, "0f000000 0000000000000000", GW_GODOT_FAULT_BODY_TRUNCATED, 0, 12);
    assert_fault(GW_GODOT_2, "13000000 01000000", GW_GODOT_FAULT_BODY_TRUNCATED, 0, 8);
    assert_fault(GW_GODOT_2, "13000000 01000000 00000000 14000000", GW_GODOT_FAULT_BODY_TRUNCATED, 0, 8);
}

TEST(a_truncated_text_needs_its_rest_and_its_padding)
{
    assert_fault(GW_GODOT_4, "04000000 05", GW_GODOT_FAULT_TEXT_TRUNCATED, 0, 3);
    assert_fault(GW_GODOT_4, "04000000 05000000 6865", GW_GODOT_FAULT_TEXT_TRUNCATED, 0, 6);
    assert_fault(GW_GODOT_4, "1a000000 05000000 6865", GW_GODOT_FAULT_TEXT_TRUNCATED, 0, 6);
    assert_fault(GW_GODOT_4, "18000000 05000000 6865", GW_GODOT_FAULT_TEXT_TRUNCATED, 0, 6);
    assert_fault(GW_GODOT_4, "1c000200 05000000 6865", GW_GODOT_FAULT_TEXT_TRUNCATED, 0, 6);
    assert_fault(GW_GODOT_2, "10000000 05000000 6865", GW_GODOT_FAULT_TEXT_TRUNCATED, 0, 6);
}

TEST(a_text_may_have_the_largest_declared_length)
{
    assert_fault(GW_GODOT_4, "04000000 ffffffff", GW_GODOT_FAULT_TEXT_TRUNCATED, 0, UINT64_C(0x100000000));
}

TEST(a_text_without_its_padding_is_truncated)
{
    assert_fault(GW_GODOT_4, "04000000 05000000 68656c6c6f", GW_GODOT_FAULT_PADDING_TRUNCATED, 0, 3);
    assert_fault(GW_GODOT_4, "04000000 05000000 68656c6c6f 00", GW_GODOT_FAULT_PADDING_TRUNCATED, 0, 2);
}

TEST(a_truncated_string_of_an_array_is_a_fault_of_the_array)
{
    assert_fault(GW_GODOT_4, "22000000 02000000 01000000 00000000 05000000 6865", GW_GODOT_FAULT_TEXT_TRUNCATED, 0, 6);
    assert_fault(GW_GODOT_4, "22000000 01000000 01000000 0000", GW_GODOT_FAULT_PADDING_TRUNCATED, 0, 2);
}

TEST(more_elements_than_bytes_are_truncated_elements)
{
    assert_fault(GW_GODOT_4, "1e000000 03000000 00000000", GW_GODOT_FAULT_ELEMENTS_TRUNCATED, 0, 8);
    assert_fault(GW_GODOT_4, "24000100 01000000 00000000", GW_GODOT_FAULT_ELEMENTS_TRUNCATED, 0, 20);
    assert_fault(GW_GODOT_4, "25000000 ffffffff", GW_GODOT_FAULT_ELEMENTS_TRUNCATED, 0, UINT64_C(0xffffffff) * 16);
    assert_fault(GW_GODOT_4, "22000000 02000000 0100", GW_GODOT_FAULT_ELEMENTS_TRUNCATED, 0, 6);
    assert_fault(GW_GODOT_4, "1d000000 05000000 0102", GW_GODOT_FAULT_ELEMENTS_TRUNCATED, 0, 3);
    assert_fault(GW_GODOT_2, "0f000000 00000000 00000000 00000000 00000000 05000000 0102",
                 GW_GODOT_FAULT_ELEMENTS_TRUNCATED, 0, 3);
}

TEST(more_names_than_bytes_are_truncated_names)
{
    assert_fault(GW_GODOT_4, "16000000 02000080 01000000 00000000", GW_GODOT_FAULT_ELEMENTS_TRUNCATED, 0, 12);
    assert_fault(GW_GODOT_4, "16000000 ffffffff ffffffff 02000000", GW_GODOT_FAULT_ELEMENTS_TRUNCATED, 0,
                 (UINT64_C(0x7fffffff) + 0xffffffff + 1) * 4);
}

TEST(a_byte_array_inside_needs_its_padding)
{
    assert_fault(GW_GODOT_4, "1c000000 01000000 1d000000 01000000 41", GW_GODOT_FAULT_PADDING_TRUNCATED, 8, 3);
    assert_fault(GW_GODOT_4, "1c000000 01000000 1d000000 05000000 0102", GW_GODOT_FAULT_ELEMENTS_TRUNCATED, 8, 6);
}

TEST(each_generation_has_its_own_limit_of_types)
{
    assert_fault(GW_GODOT_2, "1d000000", GW_GODOT_FAULT_TYPE_UNKNOWN, 0, 0);
    assert_fault(GW_GODOT_3, "1b000000", GW_GODOT_FAULT_TYPE_UNKNOWN, 0, 0);
    assert_fault(GW_GODOT_4, "27000000", GW_GODOT_FAULT_TYPE_UNKNOWN, 0, 0);
    assert_fault(GW_GODOT_4, "1c000000 01000000 ff000000", GW_GODOT_FAULT_TYPE_UNKNOWN, 8, 0);
}

TEST(godot_2_compares_the_whole_header)
{
    assert_fault(GW_GODOT_2, "02010000 07000000", GW_GODOT_FAULT_TYPE_UNKNOWN, 0, 0);
    assert_fault(GW_GODOT_2, "02000100 0700000000000000", GW_GODOT_FAULT_TYPE_UNKNOWN, 0, 0);
}

/* The text of the fault that reading these bytes ends with. */
static const char *unknown_type(gw_godot_generation generation, const char *hex)
{
    static char buffer[100];
    gw_text text;
    const gw_fault *fault = read_fault(generation, hex);
    assert_int_equal(fault->code, GW_GODOT_FAULT_TYPE_UNKNOWN);
    gw_text_init(&text, buffer, sizeof buffer);
    gw_godot_print_unknown_type(&text, seen.bytes, seen.length, fault->offset, generation);
    return buffer;
}

TEST(an_unknown_type_is_printed_as_its_number)
{
    assert_string_equal(unknown_type(GW_GODOT_4, "27000000"), "39");
    assert_string_equal(unknown_type(GW_GODOT_4, "1c000000 01000000 ff000000"), "255");
    /* Godot 2 compares the whole header. */
    assert_string_equal(unknown_type(GW_GODOT_2, "02000100 0700000000000000"), "65538");
}

/* {"cmd": "move"}, as JSON.stringify() writes it; without a Variant around it. */
TEST(a_text_in_place_of_a_variant_is_printed)
{
    assert_string_equal(unknown_type(GW_GODOT_4, "7b22636d64223a20226d6f7665227d"),
                        "123; the bytes look like text: \"{\\\"cmd\\\": \\\"move\\\"}\"");
    assert_string_equal(unknown_type(GW_GODOT_3, "70696e67"), "112; the bytes look like text: \"ping\"");
    assert_string_equal(unknown_type(GW_GODOT_4, "70696e67 09410d0a"),
                        "112; the bytes look like text: \"ping\\tA\\r\\n\"");
    assert_string_equal(unknown_type(GW_GODOT_4, "6161616161616161616161616161616161616161616161616161"),
                        "97; the bytes look like text: \"aaaaaaaaaaaaaaaaaaaaaaaa…\"");
    /* Less than eight characters before other bytes occur by chance. */
    assert_string_equal(unknown_type(GW_GODOT_4, "70696e67 41414100"), "112");
    assert_string_equal(unknown_type(GW_GODOT_4, "70696e7f 41414141"), "112");
}

/* The header of struct.pack(">II", 2, 7) in Python: an int in the other byte order, of which the engines read null. */
TEST(a_header_in_big_endian_order_is_reported)
{
    assert_odd(GW_GODOT_3, "00000002", GW_GODOT_ODD_BYTE_ORDER);
    assert_odd(GW_GODOT_4, "00000002", GW_GODOT_ODD_BYTE_ORDER);
    assert_int_equal(seen.events[0].type, GW_GODOT_NIL);
    assert_odd(GW_GODOT_4, "00010002", GW_GODOT_ODD_BYTE_ORDER);
    /* No generation has these types and flags. */
    assert_odd(GW_GODOT_4, "00000027", GW_GODOT_ODD_HEADER_BITS);
    assert_odd(GW_GODOT_3, "0000001b", GW_GODOT_ODD_HEADER_BITS);
    assert_odd(GW_GODOT_4, "00020002", GW_GODOT_ODD_HEADER_BITS);
    assert_odd(GW_GODOT_4, "00000102", GW_GODOT_ODD_HEADER_BITS | GW_GODOT_ODD_FLAGS);
    assert_string_equal(unknown_type(GW_GODOT_2, "00000002 00000007"),
                        "33554432; it is int in big-endian order, but Variants are little-endian");
}

TEST(a_declared_type_must_exist)
{
    assert_fault(GW_GODOT_4, "1c000100 27000000 00000000", GW_GODOT_FAULT_ELEMENT_TYPE_UNKNOWN, 4, 0);
    assert_fault(GW_GODOT_4, "1b000500 04000000 00010000 00000000", GW_GODOT_FAULT_ELEMENT_TYPE_UNKNOWN, 8, 0);
}

TEST(an_input_event_is_at_least_as_long_as_its_header)
{
    assert_fault(GW_GODOT_2, "13000000 01000000 00000000 0b000000", GW_GODOT_FAULT_INPUT_EVENT_INVALID, 12, 0);
}

TEST(events_before_a_fault_are_kept)
{
    read_fault(GW_GODOT_4, "1c000000 02000000 02000000 07000000 27000000");
    assert_int_equal(seen.count, 2);
    assert_int_equal(seen.events[1].number, 7);
}

TEST(input_of_2_gib_is_rejected_without_reading_it)
{
    static const uint8_t nothing[1];
    const gw_godot_options options = { .generation = GW_GODOT_4 };
    gw_godot_reader reader;
    gw_godot_event event;
    gw_godot_summary summary;
    gw_godot_init(&reader, nothing, (size_t)GW_LONGEST_INPUT + 1, &options);
    assert_int_equal(gw_godot_next(&reader, &event), GW_NEXT_FAULT);
    assert_int_equal(reader.fault.code, GW_GODOT_FAULT_TOO_LONG);
    assert_int_equal(reader.fault.fault_class, GW_FAULT_LIMIT);
    assert_false(gw_godot_validate(nothing, (size_t)GW_LONGEST_INPUT + 1, &options, &summary));
    assert_int_equal(summary.fault.code, GW_GODOT_FAULT_TOO_LONG);
}

TEST(input_just_below_2_gib_is_read)
{
    static const uint8_t nil[64]; /* the reader looks at no more bytes than these */
    const gw_godot_options options = { .generation = GW_GODOT_4 };
    gw_godot_reader reader;
    gw_godot_event event;
    gw_godot_init(&reader, nil, GW_LONGEST_INPUT, &options);
    assert_int_equal(gw_godot_next(&reader, &event), GW_NEXT_EVENT);
    assert_int_equal(gw_godot_next(&reader, &event), GW_NEXT_END);
}

TEST(each_fault_has_a_class_and_a_different_text)
{
    static const uint8_t classes[GW_GODOT_FAULTS] = {
        GW_FAULT_NONE,      GW_FAULT_TRUNCATED, GW_FAULT_TRUNCATED, GW_FAULT_TRUNCATED,
        GW_FAULT_TRUNCATED, GW_FAULT_TRUNCATED, GW_FAULT_MALFORMED, GW_FAULT_MALFORMED,
        GW_FAULT_MALFORMED, GW_FAULT_LIMIT,     GW_FAULT_LIMIT,
    };
    for (uint32_t code = 0; code < GW_GODOT_FAULTS; code++) {
        assert_int_equal(gw_fault_class_of(&gw_godot_faults, code), classes[code]);
        assert_int_equal(gw_fault_consequence(&gw_godot_faults, code) != NULL,
                         classes[code] != GW_FAULT_NONE && classes[code] != GW_FAULT_LIMIT);
        for (uint32_t other = 0; other < code; other++)
            assert_string_not_equal(gw_fault_text(&gw_godot_faults, code), gw_fault_text(&gw_godot_faults, other));
    }
    assert_non_null(gw_fault_text(&gw_godot_faults, GW_GODOT_FAULTS));
    assert_null(gw_fault_consequence(&gw_godot_faults, GW_GODOT_FAULTS));
    assert_int_equal(gw_fault_class_of(&gw_godot_faults, GW_GODOT_FAULTS), GW_FAULT_NONE);
}

/* ---- oddities ------------------------------------------------------------------------------------------ */

TEST(header_bits_that_no_engine_writes)
{
    assert_odd(GW_GODOT_3, "02010000 07000000", GW_GODOT_ODD_HEADER_BITS);
    assert_odd(GW_GODOT_4, "02010000 07000000", GW_GODOT_ODD_HEADER_BITS);
    assert_int_equal(seen.events[0].number, 7);
    assert_odd(GW_GODOT_4, "00001000", GW_GODOT_ODD_HEADER_BITS);
    assert_odd(GW_GODOT_4, "00000080", GW_GODOT_ODD_HEADER_BITS);
}

TEST(flags_that_the_type_does_not_have)
{
    assert_odd(GW_GODOT_4, "00000100", GW_GODOT_ODD_FLAGS);
    assert_odd(GW_GODOT_4, "02000200 07000000", GW_GODOT_ODD_FLAGS);
    assert_odd(GW_GODOT_4, "1c000400 00000000", GW_GODOT_ODD_FLAGS);
    assert_odd(GW_GODOT_4, "06000100 01000000 02000000", GW_GODOT_ODD_FLAGS);
    assert_odd(GW_GODOT_4, "04000100 00000000", GW_GODOT_ODD_FLAGS);
    assert_odd(GW_GODOT_3, "12000100 00000000", GW_GODOT_ODD_FLAGS);
    assert_odd(GW_GODOT_4, "1b000f00 00000000 00000000 00000000", 0);
}

TEST(bool_neither_0_nor_1)
{
    assert_odd(GW_GODOT_4, "01000000 02000000", GW_GODOT_ODD_BOOL);
    assert_odd(GW_GODOT_4, "01000000 01000001", GW_GODOT_ODD_BOOL);
}

TEST(text_that_is_not_utf_8)
{
    assert_odd(GW_GODOT_3, "04000000 03000000 eda08000", GW_GODOT_ODD_UTF8);
    assert_odd(GW_GODOT_4, "04000000 01000000 ff000000", GW_GODOT_ODD_UTF8);
    assert_odd(GW_GODOT_4, "04000000 02000000 e6970000", GW_GODOT_ODD_UTF8);
    assert_odd(GW_GODOT_4, "04000000 03000000 e697a500", 0);
    assert_odd(GW_GODOT_4, "22000000 01000000 02000000 ff000000", GW_GODOT_ODD_UTF8);
    assert_odd(GW_GODOT_4, "1a000000 01000000 ff000000 0000000000000000", GW_GODOT_ODD_UTF8);
    assert_odd(GW_GODOT_4, "18000000 01000000 ff000000 00000000", GW_GODOT_ODD_UTF8 | GW_GODOT_ODD_FULL_OBJECT);
    assert_odd(GW_GODOT_4, "1c000200 01000000 ff000000 00000000", GW_GODOT_ODD_UTF8);
}

TEST(nul_inside_text)
{
    assert_odd(GW_GODOT_4, "04000000 03000000 61006200", GW_GODOT_ODD_NUL);
    assert_odd(GW_GODOT_4, "04000000 01000000 00000000", GW_GODOT_ODD_NUL);
    assert_odd(GW_GODOT_4, "04000000 08000000 6162636465666700", GW_GODOT_ODD_NUL);
    assert_odd(GW_GODOT_4, "22000000 01000000 03000000 61000000", GW_GODOT_ODD_NUL);
    assert_odd(GW_GODOT_4, "16000000 01000080 00000000 00000000 02000000 61000000", GW_GODOT_ODD_NUL);
}

TEST(padding_that_is_not_zero)
{
    assert_odd(GW_GODOT_4, "04000000 01000000 61000001", GW_GODOT_ODD_PADDING);
    assert_odd(GW_GODOT_3, "04000000 01000000 61010000", GW_GODOT_ODD_PADDING);
    assert_odd(GW_GODOT_4, "1d000000 03000000 01020304", GW_GODOT_ODD_PADDING);
    assert_odd(GW_GODOT_4, "22000000 01000000 02000000 61000100", GW_GODOT_ODD_PADDING);
    assert_odd(GW_GODOT_4, "1a000000 01000000 61000100 0000000000000000", GW_GODOT_ODD_PADDING);
}

TEST(padding_that_the_generation_does_not_clear)
{
    assert_odd(GW_GODOT_4, "16000000 01000080 00000000 00000000 01000000 61626364", GW_GODOT_ODD_STALE_PADDING);
    assert_odd(GW_GODOT_3, "0f000000 01000080 00000000 00000000 01000000 63787878", GW_GODOT_ODD_STALE_PADDING);
    assert_odd(GW_GODOT_2, "10000000 01000080 00000000 00000000 01000000 63787878", GW_GODOT_ODD_STALE_PADDING);
    assert_odd(GW_GODOT_2, "19000000 01000000 02000000 61000100", GW_GODOT_ODD_STALE_PADDING);
    assert_odd(GW_GODOT_2, "10000000 01000000 61626364", GW_GODOT_ODD_STALE_PADDING);
}

TEST(last_byte_array_without_its_padding)
{
    assert_odd(GW_GODOT_3, "14000000 01000000 41", GW_GODOT_ODD_NO_PADDING);
    assert_int_equal(seen.events[0].padding.length, 0);
    assert_odd(GW_GODOT_4, "1d000000 00000000", 0);
}

TEST(numbers_wider_than_they_need)
{
    assert_odd(GW_GODOT_4, "02000100 ffffff7f00000000", GW_GODOT_ODD_WIDE);
    assert_odd(GW_GODOT_4, "02000100 00000080ffffffff", GW_GODOT_ODD_WIDE);
    assert_odd(GW_GODOT_4, "02000100 ffffffff00000000", 0);
}

TEST(more_members_than_bytes)
{
    read_fault(GW_GODOT_4, "1c000000 03000000 00000000");
    assert_int_equal(seen.events[0].odd, GW_GODOT_ODD_COUNT);
    read_fault(GW_GODOT_4, "1b000000 01000000 00000000");
    assert_int_equal(seen.events[0].odd, GW_GODOT_ODD_COUNT);
    read_fault(GW_GODOT_3, "11000000 01000000 41000000 ffffffff 00000000");
    assert_int_equal(seen.events[0].odd, GW_GODOT_ODD_COUNT | GW_GODOT_ODD_FULL_OBJECT);
    assert_int_equal(seen.events[0].count, UINT32_MAX);
    assert_odd(GW_GODOT_4, "1c000000 01000000 00000000", 0);
}

TEST(string_of_an_array_without_its_nul)
{
    assert_odd(GW_GODOT_4, "22000000 01000000 02000000 61620000", GW_GODOT_ODD_UNTERMINATED);
    assert_odd(GW_GODOT_4, "22000000 01000000 00000000", GW_GODOT_ODD_UNTERMINATED);
}

TEST(unknown_node_path_flags)
{
    assert_odd(GW_GODOT_4, "16000000 00000080 00000000 04000000", GW_GODOT_ODD_NODE_PATH_FLAGS);
}

TEST(old_node_path_is_rejected_by_godot_3_and_4)
{
    assert_odd(GW_GODOT_3, "0f000000 01000000 61000000", GW_GODOT_ODD_OLD_NODE_PATH);
    assert_odd(GW_GODOT_4, "16000000 01000000 61000000", GW_GODOT_ODD_OLD_NODE_PATH);
    assert_true(seen.odd & GW_GODOT_ODD_REJECTED);
}

TEST(the_engine_rejects_packets_with_invalid_utf_8)
{
    assert_true(GW_GODOT_ODD_UTF8 & GW_GODOT_ODD_REJECTED);
}

TEST(full_objects_can_run_code)
{
    assert_odd(GW_GODOT_3, "11000000 04000000 4e6f6465 00000000", GW_GODOT_ODD_FULL_OBJECT);
    assert_odd(GW_GODOT_4, "18000000 04000000 4e6f6465 00000000", GW_GODOT_ODD_FULL_OBJECT);
    assert_odd(GW_GODOT_4, "18000000 00000000", GW_GODOT_ODD_FULL_OBJECT); /* without a class: null */
    assert_odd(GW_GODOT_4, "18000100 b405001b 06000080", 0);               /* as id */
    assert_odd(GW_GODOT_4, "1c000200 04000000 4e6f6465 00000000", 0);      /* an array of them */
}

/* Of the value and all in it. */
static void assert_odd_inside(gw_godot_generation generation, const char *hex, uint32_t odd)
{
    read_value(generation, hex);
    assert_int_equal(seen.odd, odd);
}

#define SCRIPT "06000000 73637269 70740000"

/* Engines write the property without a script, too. */
TEST(full_objects_with_a_script)
{
    const uint32_t both = GW_GODOT_ODD_FULL_OBJECT | GW_GODOT_ODD_SCRIPT;
    assert_odd_inside(GW_GODOT_4, "18000000 04000000 4e6f6465 01000000 " SCRIPT " 04000000 01000000 61000000", both);
    assert_int_equal(seen.events[1].odd, GW_GODOT_ODD_SCRIPT);
    assert_int_equal(seen.events[2].odd, 0);
    assert_odd_inside(GW_GODOT_3, "11000000 04000000 4e6f6465 01000000 " SCRIPT " 11000000 04000000 4e6f6465 00000000",
                      both);
    assert_odd_inside(GW_GODOT_4, "18000000 04000000 4e6f6465 01000000 " SCRIPT " 00000000", GW_GODOT_ODD_FULL_OBJECT);
    /* "scripts", "Script": other properties. */
    assert_odd_inside(GW_GODOT_4, "18000000 04000000 4e6f6465 01000000 07000000 73637269 70747300 02000000 01000000",
                      GW_GODOT_ODD_FULL_OBJECT);
    assert_odd_inside(GW_GODOT_4, "18000000 04000000 4e6f6465 01000000 06000000 53637269 70740000 02000000 01000000",
                      GW_GODOT_ODD_FULL_OBJECT);
    /* A key of a dictionary is not one. */
    assert_odd_inside(GW_GODOT_4, "1b000000 01000000 04000000 " SCRIPT " 02000000 01000000", 0);
    read_fault(GW_GODOT_4, "18000000 04000000 4e6f6465 01000000 " SCRIPT);
    assert_int_equal(seen.odd, GW_GODOT_ODD_FULL_OBJECT);
    read_fault(GW_GODOT_4, "18000000 04000000 4e6f6465 01000000 06000000 73637269");
    assert_int_equal(seen.odd, GW_GODOT_ODD_FULL_OBJECT);
}

TEST(elements_of_another_type_than_declared)
{
    read_value(GW_GODOT_4, "1c000100 02000000 03000000 02000000 01000000 04000000 01000000 61000000 02000000 01000000");
    assert_int_equal(seen.events[1].odd, 0);
    assert_int_equal(seen.events[2].odd, GW_GODOT_ODD_ELEMENT_TYPE);
    assert_int_equal(seen.events[3].odd, 0);
    /* A null is an object; whatever an array of nil means, it takes all; an int becomes a float. */
    assert_odd_inside(GW_GODOT_4, "1c000100 18000000 01000000 00000000", 0);
    assert_odd_inside(GW_GODOT_4, "1c000100 00000000 01000000 02000000 01000000", 0);
    assert_odd_inside(GW_GODOT_4, "1c000100 03000000 01000000 02000000 01000000", 0);
    assert_odd_inside(GW_GODOT_4, "1c000100 02000000 01000000 00000000", GW_GODOT_ODD_ELEMENT_TYPE);
    /* Elements inside elements have no declared type; other containers declare nothing. */
    assert_odd_inside(GW_GODOT_4, "1c000100 1c000000 01000000 1c000000 01000000 02000000 01000000", 0);
    assert_odd_inside(GW_GODOT_4, "1c000200 04000000 4e6f6465 01000000 00000000", 0);
    assert_odd_inside(GW_GODOT_3, "13000100 01000000 02000000 01000000", GW_GODOT_ODD_FLAGS);
}

/* ---- duplicate keys ------------------------------------------------------------------------------------ */

/* The events, as bits, that are duplicate keys of their dictionary. */
static uint64_t duplicates_as(const char *hex, bool find_duplicates)
{
    const gw_godot_options options = { .generation = GW_GODOT_4, .find_duplicates = find_duplicates };
    gw_godot_reader reader;
    gw_godot_event event;
    gw_godot_summary summary;
    uint64_t found = 0;
    size_t length;
    uint8_t *bytes = bytes_of_hex(hex, &length);
    gw_godot_init(&reader, bytes, length, &options);
    for (uint32_t i = 0; gw_godot_next(&reader, &event) == GW_NEXT_EVENT; i++)
        if (event.odd & GW_GODOT_ODD_DUPLICATE_KEY)
            found |= UINT64_C(1) << i % 64;
    assert_true(gw_godot_validate(bytes, length, &options, &summary));
    assert_int_equal(summary.odd & GW_GODOT_ODD_DUPLICATE_KEY, found ? GW_GODOT_ODD_DUPLICATE_KEY : 0);
    free(bytes);
    assert_int_equal(reader.fault.fault_class, GW_FAULT_NONE);
    return found;
}

static uint64_t duplicates_in(const char *hex)
{
    return duplicates_as(hex, true);
}

#define KEY_1 "02000000 01000000"
#define KEY_2 "02000000 02000000"
#define KEY_A "04000000 01000000 61000000"
#define NIL   "00000000"

TEST(a_key_that_the_dictionary_had_before)
{
    assert_int_equal(duplicates_in("1b000000 02000000" KEY_1 NIL KEY_1 NIL), 1 << 3);
    assert_int_equal(duplicates_in("1b000000 03000000" KEY_1 NIL KEY_A NIL KEY_1 NIL), 1 << 5);
    assert_int_equal(duplicates_in("1b000000 03000000" KEY_A NIL KEY_A NIL KEY_A NIL), 1 << 3 | 1 << 5);
    assert_int_equal(duplicates_in("1b000000 02000000" NIL NIL NIL NIL), 1 << 3);
    assert_int_equal(duplicates_in("1b000000 02000000 05000000 0000803f0000803f" NIL "05000000 0000803f0000803f" NIL),
                     1 << 3);
}

TEST(different_keys_are_not_duplicates)
{
    assert_int_equal(duplicates_in("1b000000 03000000" KEY_1 NIL KEY_2 NIL KEY_A NIL), 0);
    /* 1 and true, "a" and &"a" */
    assert_int_equal(duplicates_in("1b000000 02000000" KEY_1 NIL "01000000 01000000" NIL), 0);
    assert_int_equal(duplicates_in("1b000000 02000000" KEY_A NIL "15000000 01000000 61000000" NIL), 0);
    /* A value equal to a key; a key of an inner dictionary, before it and after it. */
    assert_int_equal(duplicates_in("1b000000 02000000" KEY_1 KEY_1 KEY_2 KEY_1), 0);
    assert_int_equal(duplicates_in("1b000000 02000000" KEY_1 "1b000000 01000000" KEY_1 NIL KEY_2 NIL), 0);
    /* Two arrays are not compared. */
    assert_int_equal(duplicates_in("1b000000 02000000 1c000000 00000000" NIL "1c000000 00000000" NIL), 0);
}

TEST(duplicates_are_found_around_an_inner_dictionary)
{
    assert_int_equal(duplicates_in("1b000000 02000000" KEY_1 "1b000000 01000000" KEY_1 NIL KEY_1 NIL), 1 << 6);
}

TEST(duplicates_are_not_searched_for_by_default)
{
    assert_int_equal(duplicates_as("1b000000 02000000" KEY_1 NIL KEY_1 NIL, false), 0);
}

/* A dictionary with the int keys 0 to `count` - 2, and `last` as its last key, each with a nil. */
static uint32_t odd_of_many_keys(uint32_t count, uint32_t last)
{
    static uint8_t bytes[8 + 12 * 100];
    const gw_godot_options options = { .generation = GW_GODOT_4, .find_duplicates = true };
    gw_godot_summary summary;
    gw_godot_writer writer;
    gw_godot_writer_init(&writer, GW_GODOT_4, bytes, sizeof bytes);
    gw_godot_write_dictionary(&writer, NULL, NULL, count, false);
    for (uint32_t i = 0; i < count; i++) {
        gw_godot_write_int(&writer, i + 1 < count ? i : last);
        gw_godot_write_nil(&writer);
    }
    assert_true(gw_output_complete(&writer.output));
    assert_true(gw_godot_validate(bytes, writer.output.length, &options, &summary));
    return summary.odd;
}

TEST(a_key_is_compared_with_the_first_64_before_it)
{
    assert_int_equal(odd_of_many_keys(65, 63), GW_GODOT_ODD_DUPLICATE_KEY);
    assert_int_equal(odd_of_many_keys(66, 63), GW_GODOT_ODD_DUPLICATE_KEY);
    assert_int_equal(odd_of_many_keys(66, 64), 0);
    assert_int_equal(odd_of_many_keys(66, 65), 0);
}

/* ---- ranges of oddities -------------------------------------------------------------------------------- */

static const struct {
    gw_godot_generation generation;
    const char *hex;
    uint32_t event, odd, offset;
} places[] = {
    { GW_GODOT_4, "01000000 02000000", 0, GW_GODOT_ODD_BOOL, 4 },
    { GW_GODOT_4, "02010000 07000000", 0, GW_GODOT_ODD_HEADER_BITS, 0 },
    { GW_GODOT_4, "00000002", 0, GW_GODOT_ODD_BYTE_ORDER, 0 },
    { GW_GODOT_4, "04000000 02000000 61ff0000", 0, GW_GODOT_ODD_UTF8, 9 },
    { GW_GODOT_4, "04000000 03000000 61620000", 0, GW_GODOT_ODD_NUL, 10 },
    { GW_GODOT_4, "04000000 01000000 61000001", 0, GW_GODOT_ODD_PADDING, 9 },
    { GW_GODOT_4, "1d000000 03000000 01020304", 0, GW_GODOT_ODD_PADDING, 11 },
    { GW_GODOT_4, "22000000 02000000 04000000 61626300 02000000 61000100", 0, GW_GODOT_ODD_PADDING, 22 },
    { GW_GODOT_4, "22000000 02000000 04000000 61626300 03000000 61ff0000", 0, GW_GODOT_ODD_UTF8, 21 },
    { GW_GODOT_4, "22000000 02000000 04000000 61626300 02000000 61620000", 0, GW_GODOT_ODD_UNTERMINATED, 16 },
    { GW_GODOT_3, "0f000000 02000080 00000000 00000000 04000000 61626364 02000000 6e6f6261", 0,
      GW_GODOT_ODD_STALE_PADDING, 30 },
    { GW_GODOT_4, "16000000 01000080 01000000 00000000 04000000 61626364 02000000 6e6f6261", 0,
      GW_GODOT_ODD_STALE_PADDING, 30 },
    { GW_GODOT_2, "10000000 01000000 61626364", 0, GW_GODOT_ODD_STALE_PADDING, 9 },
    { GW_GODOT_4, "16000000 00000080 00000000 04000000", 0, GW_GODOT_ODD_NODE_PATH_FLAGS, 12 },
    { GW_GODOT_4, "1c000200 03000000 4e6f6401 00000000", 0, GW_GODOT_ODD_PADDING, 11 },
    { GW_GODOT_4, "1b000800 03000000 4e6f6401 00000000", 0, GW_GODOT_ODD_PADDING, 11 },
    { GW_GODOT_4, "18000000 03000000 4e6f6401 00000000", 0, GW_GODOT_ODD_PADDING, 11 },
    { GW_GODOT_4, "1a000000 01000000 61000100 0000000000000000", 0, GW_GODOT_ODD_PADDING, 9 },
    { GW_GODOT_3, "13000000 00000080", 0, GW_GODOT_ODD_SHARED, 4 },
    { GW_GODOT_4, "1c000000 01000000 02000100 0700000000000000", 1, GW_GODOT_ODD_WIDE, 8 },
    { GW_GODOT_4, "1c000000 02000000 00000000", 0, GW_GODOT_ODD_COUNT, 4 },
};

TEST(other_oddities_have_the_offset_of_the_value)
{
    static const char *const clean[] = {
        "22000000 01000000 04000000 61626300", "16000000 01000080 00000000 00000000 01000000 61000000",
        "1c000200 03000000 4e6f6400 00000000", "1b000a00 01000000 41000000 01000000 42000000 00000000",
        "04000000 01000000 61000000",
    };
    for (unsigned i = 0; i < COUNT_OF(clean); i++) {
        const gw_godot_event *event = read_value(GW_GODOT_4, clean[i]);
        assert_int_equal(gw_godot_odd_offset(seen.bytes, event, GW_GODOT_ODD_PADDING), 0);
        assert_int_equal(gw_godot_odd_offset(seen.bytes, event, GW_GODOT_ODD_UTF8), 0);
        assert_int_equal(gw_godot_odd_offset(seen.bytes, event, GW_GODOT_ODD_NUL), 0);
    }
}

TEST(offsets_of_oddities)
{
    for (unsigned i = 0; i < COUNT_OF(places); i++) {
        read_hex(places[i].generation, places[i].hex);
        const gw_godot_event *event = &seen.events[places[i].event];
        if (!(event->odd & places[i].odd))
            fail_msg("%s: odd is %#x", places[i].hex, event->odd);
        if (gw_godot_odd_offset(seen.bytes, event, places[i].odd) != places[i].offset)
            fail_msg("%s: %u", places[i].hex, gw_godot_odd_offset(seen.bytes, event, places[i].odd));
    }
}

TEST(oddities_add_up)
{
    assert_odd(GW_GODOT_4, "04000000 02000000 ff000001", GW_GODOT_ODD_UTF8 | GW_GODOT_ODD_NUL | GW_GODOT_ODD_PADDING);
    assert_odd(GW_GODOT_4, "02011100 0700000000000000", GW_GODOT_ODD_HEADER_BITS | GW_GODOT_ODD_WIDE);
    assert_odd(GW_GODOT_4, "01110200 02000000", GW_GODOT_ODD_HEADER_BITS | GW_GODOT_ODD_FLAGS | GW_GODOT_ODD_BOOL);
    assert_odd(GW_GODOT_4, "22000000 01000000 02000000 61ff0001",
               GW_GODOT_ODD_UNTERMINATED | GW_GODOT_ODD_UTF8 | GW_GODOT_ODD_PADDING);
    assert_odd(GW_GODOT_3, "13000100 00000080", GW_GODOT_ODD_FLAGS | GW_GODOT_ODD_SHARED);
    assert_odd(GW_GODOT_3, "0f000100 00000080 01000000 04000000 01000000 ff6f6f6f",
               GW_GODOT_ODD_FLAGS | GW_GODOT_ODD_NODE_PATH_FLAGS | GW_GODOT_ODD_UTF8 | GW_GODOT_ODD_STALE_PADDING);
    assert_odd(GW_GODOT_3, "14000100 01000000 41", GW_GODOT_ODD_FLAGS | GW_GODOT_ODD_NO_PADDING);
}

TEST(each_oddity_has_its_own_text)
{
    for (unsigned bit = 0; bit < GW_GODOT_ODDS; bit++)
        for (unsigned other = 0; other < bit; other++)
            assert_string_not_equal(gw_odd_text(&gw_godot_faults, (uint32_t)(1 << bit)),
                                    gw_odd_text(&gw_godot_faults, (uint32_t)(1 << other)));
    assert_non_null(gw_odd_text(&gw_godot_faults, UINT32_C(1) << GW_GODOT_ODDS));
}
