/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Squirrel's values: scalars, containers, the two readings of lower case, wrong lengths and counts, depth.
 */
#include "reading.h"

/* ---- scalars ------------------------------------------------------------------------------------------- */

TEST(integers_are_signed)
{
    assert_int_equal(only_event("69ffffffff").number, -1);
    assert_int_equal(only_event("6900000080").number, INT32_MIN);
    assert_int_equal(only_event("770080").number, INT16_MIN);
    assert_int_equal(only_event("77ff7f").number, INT16_MAX);
}

TEST(the_length_of_a_string_is_big_endian)
{
    gw_squirrel_event event = only_event("7300026869");
    assert_int_equal(event.header.length, 3);
    assert_int_equal(event.payload.offset, 3);
    assert_int_equal(event.payload.length, 2);
}

TEST(a_bool_that_is_neither_0_nor_1_is_true_and_odd)
{
    gw_squirrel_event event = only_event("62ff");
    assert_true(event.number);
    assert_int_equal(event.odd, GW_SQUIRREL_ODD_BOOL);
    assert_int_equal(only_event("6202").odd, GW_SQUIRREL_ODD_BOOL);
    assert_int_equal(only_event("6201").odd, 0);
    assert_int_equal(only_event("6200").odd, 0);
}

TEST(a_string_that_is_not_utf8_is_odd)
{
    assert_int_equal(only_event("730001e9").odd, GW_SQUIRREL_ODD_UTF8);
    assert_int_equal(only_event("730002c3a9").odd, 0);
}

TEST(a_scalar_has_no_length_or_count)
{
    gw_squirrel_event event = only_event("6f");
    assert_int_equal(event.role, GW_SQUIRREL_ROLE_BODY);
    assert_int_equal(event.index, 0);
    assert_int_equal(event.declared, 0);
    assert_int_equal(event.actual, 0);
    assert_int_equal(event.header.length, 1);
    assert_int_equal(event.payload.length, 0);
}

TEST(components_keep_their_order)
{
    gw_squirrel_event event = only_event("710000803f000000400000404000008040");
    for (int i = 0; i < 4; i++)
        assert_float_equal(event.real[i], i + 1, 0);
}

/* ---- containers ---------------------------------------------------------------------------------------- */

TEST(a_table_alternates_keys_and_values)
{
    static const uint8_t roles[] = { GW_SQUIRREL_ROLE_BODY, GW_SQUIRREL_ROLE_KEY,   GW_SQUIRREL_ROLE_VALUE,
                                     GW_SQUIRREL_ROLE_KEY,  GW_SQUIRREL_ROLE_VALUE, GW_SQUIRREL_ROLE_BODY };
    test_reading reading = read_all("741200000073000161770100730001627300046f6b6179", NULL);
    assert_int_equal(reading.count, 6);
    for (unsigned i = 0; i < reading.count; i++)
        assert_int_equal(reading.events[i].role, roles[i]);
    assert_int_equal(reading.events[3].index, 1);
    assert_int_equal(reading.events[5].kind, GW_CLOSE);
    assert_int_equal(reading.events[5].header.offset, 0);
    assert_int_equal(reading.events[5].header.length, 5);
    assert_int_equal(reading.events[5].payload.length, 18);
}

TEST(a_call_has_function_environment_and_arguments)
{
    test_reading reading = read_all("450c000000770000770100770200770300", NULL);
    assert_int_equal(reading.count, 6);
    assert_int_equal(reading.events[1].role, GW_SQUIRREL_ROLE_FUNCTION);
    assert_int_equal(reading.events[2].role, GW_SQUIRREL_ROLE_ENVIRONMENT);
    assert_int_equal(reading.events[3].role, GW_SQUIRREL_ROLE_PARAMETER);
    assert_int_equal(reading.events[3].index, 0);
    assert_int_equal(reading.events[4].role, GW_SQUIRREL_ROLE_PARAMETER);
    assert_int_equal(reading.events[4].index, 1);
}

TEST(upper_case_containers_have_a_count)
{
    assert_prints("4102000000770100770200", NULL, "[1, 2]");
    assert_prints("540100000073000161770100", NULL, "{a = 1}");
    assert_prints("630100000073000161770100", NULL, "class {a = 1}");
}

TEST(keys_may_be_containers)
{
    assert_prints("740b0000006103000000770100770200", NULL, "{[[1]] = 2}");
}

TEST(an_empty_array_with_a_length_is_misread_by_the_client)
{
    test_reading reading = read_all("6100000000", NULL);
    assert_int_equal(reading.events[0].odd, GW_SQUIRREL_ODD_EMPTY_ARRAY);
    assert_int_equal(read_all("4100000000", NULL).events[0].odd, 0);
    assert_int_equal(read_all("7400000000", NULL).events[0].odd, 0);
}

/* ---- the two readings of lower case -------------------------------------------------------------------- */

TEST(lower_case_in_a_reply_is_a_count)
{
    gw_squirrel_options reply = { .reading = GW_SQUIRREL_COUNTS_FIRST };
    assert_prints("6102000000770100770200", &reply, "[1, 2]");
    assert_prints("740100000073000161770100", &reply, "{a = 1}");
}

TEST(the_other_reading_is_used_if_only_it_ends_exactly)
{
    gw_squirrel_options reply = { .reading = GW_SQUIRREL_COUNTS_FIRST };
    gw_squirrel_options command = { .reading = GW_SQUIRREL_BYTES_FIRST };
    assert_prints("6106000000770100770200", &reply, "[1, 2]");
    assert_prints("6102000000770100770200", &command, "[1, 2]");
}

TEST(the_first_reading_is_used_if_neither_ends_exactly)
{
    gw_squirrel_options reply = { .reading = GW_SQUIRREL_COUNTS_FIRST };
    test_reading reading = read_all("6103000000770100770200", &reply);
    assert_int_equal(reading.fault.code, GW_SQUIRREL_FAULT_COUNT_TRUNCATED);
    gw_squirrel_options command = { .reading = GW_SQUIRREL_BYTES_FIRST };
    reading = read_all("6105000000770100770200", &command);
    assert_int_equal(reading.fault.code, GW_SQUIRREL_FAULT_NONE);
    assert_int_equal(reading.events[3].odd, GW_SQUIRREL_ODD_LENGTH);
}

TEST(a_fixed_reading_is_not_changed)
{
    gw_squirrel_options bytes = { .reading = GW_SQUIRREL_BYTES };
    gw_squirrel_options counts = { .reading = GW_SQUIRREL_COUNTS };
    assert_int_equal(read_all("6102000000770100770200", &bytes).fault.code, GW_SQUIRREL_FAULT_CONTENT_LEFT_OVER);
    assert_int_equal(read_all("6106000000770100770200", &counts).fault.code, GW_SQUIRREL_FAULT_COUNT_TRUNCATED);
}

/* ---- numbers that contradict each other ---------------------------------------------------------------- */

/* The documentation's SetRemoteValueEx: a length of 17 for 18 bytes, and of 10 for 4. */
TEST(the_two_wrong_lengths_of_the_documentation_are_reported_with_both_numbers)
{
    test_reading reading = read_all("6a11000000670a00000073000161730001596905000000", NULL);
    assert_int_equal(reading.fault.code, GW_SQUIRREL_FAULT_NONE);
    assert_int_equal(reading.count, 7);
    assert_close(&reading.events[3], GW_SQUIRREL_ODD_LENGTH, 10, 4);
    assert_close(&reading.events[6], GW_SQUIRREL_ODD_LENGTH, 17, 18);
    assert_prints("6a11000000670a00000073000161730001596905000000", NULL,
                  "SetRemoteValueEx(GetRemoteValue(\"a\"), \"Y\", 5)");
}

TEST(the_length_of_a_command_with_fixed_operands_has_no_effect)
{
    static const char *const lengths[] = { "00", "0f", "11", "ff" };
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        char hex[64];
        snprintf(hex, sizeof hex, "6a%s00000067040000007300016173000159770500", lengths[i]);
        assert_prints(hex, NULL, "SetRemoteValueEx(GetRemoteValue(\"a\"), \"Y\", 5)");
    }
}

TEST(a_string_that_ends_beyond_its_container_is_read_completely)
{
    test_reading reading = read_all("46130000006709000000730006727072696e7473000548656c6c6f", NULL);
    const gw_squirrel_event *hello = &reading.events[4];
    assert_int_equal(hello->odd, GW_SQUIRREL_ODD_BEYOND);
    assert_int_equal(hello->payload.length, 5);
    assert_int_equal(hello->declared, 5);
    assert_int_equal(hello->actual, 2);
    assert_close(&reading.events[5], GW_SQUIRREL_ODD_LENGTH, 19, 22);
}

TEST(a_string_beyond_the_input_is_skipped_to_the_end_of_its_container)
{
    test_reading reading = read_all("680c000000730001787300c873686f7274", NULL);
    assert_int_equal(reading.fault.code, GW_SQUIRREL_FAULT_NONE);
    assert_int_equal(reading.events[2].kind, GW_OPAQUE);
    assert_int_equal(reading.events[2].odd, GW_SQUIRREL_ODD_BEYOND);
    assert_int_equal(reading.events[2].declared, 200);
    assert_int_equal(reading.events[2].actual, 5);
    assert_int_equal(reading.events[2].payload.length, 8);
}

TEST(a_missing_operand_is_reported_when_the_command_closes)
{
    static const char *const missing[] = { "6700000000", "6b0400000073000161", ("6a0800000073000161 73000162"),
                                           "4600000000", "450400000073000161", "2b0400000073000161",
                                           "7500000000" };
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++) {
        test_reading reading = read_all(missing[i], NULL);
        assert_int_equal(reading.fault.code, GW_SQUIRREL_FAULT_NONE);
        assert_int_equal(reading.events[reading.count - 1].odd, GW_SQUIRREL_ODD_OPERAND_MISSING);
    }
}

TEST(a_missing_operand_is_not_replaced_by_an_argument_of_the_call)
{
    assert_prints("46150000006704000000730001616b04000000730001627705 00", NULL,
                  "CallRemoteFunc(GetRemoteValue(\"a\"), GetRemoteValueEx(\"b\"), 5)");
}

/* The real client counts operands. At the top level, further bytes belong to no container. */
TEST(a_length_that_ends_between_operands_is_ignored_at_the_top)
{
    const char *hex = "6a080000007300016173000162770100";
    test_reading reading = read_all(hex, NULL);
    assert_close(&reading.events[4], GW_SQUIRREL_ODD_LENGTH, 8, 11);
    assert_prints(hex, NULL, "SetRemoteValueEx(\"a\", \"b\", 1)");
}

TEST(a_length_of_0_is_ignored_if_bytes_follow)
{
    assert_prints("46090000006700000000 73000161", NULL, "CallRemoteFunc(GetRemoteValue(\"a\"))");
    assert_prints("46050000006700000000", NULL, "CallRemoteFunc(GetRemoteValue())");
}

TEST(the_validator_counts_values)
{
    gw_squirrel_summary summary;
    test_bytes input = from_hex("2b0c000000670400000073000161770500");
    assert_true(gw_squirrel_validate(input.bytes, input.length, NULL, &summary));
    assert_int_equal(summary.values, 4);
    assert_int_equal(summary.reading, GW_SQUIRREL_BYTES);
}

TEST(a_key_without_value_is_reported_when_the_table_closes)
{
    test_reading reading = read_all("740400000073000161", NULL);
    assert_close(&reading.events[2], GW_SQUIRREL_ODD_KEY_ALONE, 4, 4);
}

TEST(an_unknown_tag_is_skipped_to_the_end_of_its_container)
{
    test_reading reading = read_all("460e00000073000166 6102000000 7801 770500", NULL);
    assert_int_equal(reading.fault.code, GW_SQUIRREL_FAULT_NONE);
    assert_int_equal(reading.events[3].kind, GW_OPAQUE);
    assert_int_equal(reading.events[3].odd, GW_SQUIRREL_ODD_UNKNOWN_TAG);
    assert_int_equal(reading.events[3].payload.length, 2);
    assert_int_equal(reading.events[5].number, 5);
    assert_prints("460e00000073000166 6102000000 7801 770500", NULL, "CallRemoteFunc(\"f\", [\xE2\x80\xA6], 5)");
}

TEST(a_count_is_reported_if_an_element_is_unreadable)
{
    static const char *const holders[] = { "680c000000", "460c000000" };
    for (size_t i = 0; i < sizeof holders / sizeof holders[0]; i++) {
        char hex[64];
        snprintf(hex, sizeof hex,
                 "%s"
                 "73000166 4103000000 7801ff",
                 holders[i]);
        test_reading reading = read_all(hex, NULL);
        assert_int_equal(reading.fault.code, GW_SQUIRREL_FAULT_NONE);
        assert_int_equal(reading.events[3].odd, GW_SQUIRREL_ODD_UNKNOWN_TAG);
        assert_close(&reading.events[4], GW_SQUIRREL_ODD_COUNT, 3, 1);
        assert_int_equal(reading.events[5].odd, 0);
    }
}

TEST(an_error_is_valid_only_in_replies)
{
    gw_squirrel_options reply = { .error_at_top = 1 };
    assert_int_equal(read_all("6500046f6f7073", &reply).events[0].odd, 0);
    assert_int_equal(read_all("6500046f6f7073", NULL).events[0].odd, GW_SQUIRREL_ODD_ERROR_INSIDE);
    assert_int_equal(read_all("41010000006500046f6f7073", &reply).events[1].odd, GW_SQUIRREL_ODD_ERROR_INSIDE);
}

TEST(a_tag_that_the_receiver_does_not_support_is_odd)
{
    gw_squirrel_options exec = { .receiver = GW_SQUIRREL_RECEIVER_EXEC };
    gw_squirrel_options reply = { .receiver = GW_SQUIRREL_RECEIVER_REPLY };
    gw_squirrel_options client = { .receiver = GW_SQUIRREL_RECEIVER_CLIENT };
    assert_int_equal(read_all("4100000000", &exec).events[0].odd, GW_SQUIRREL_ODD_RECEIVER);
    assert_int_equal(read_all("6700000000", &reply).events[0].odd, GW_SQUIRREL_ODD_RECEIVER);
    assert_int_equal(read_all("6300000000", &client).events[0].odd, GW_SQUIRREL_ODD_RECEIVER);
    assert_int_equal(read_all("4100000000", &client).events[0].odd, 0);
    assert_int_equal(read_all("41010000006500 00", &exec).events[1].odd,
                     GW_SQUIRREL_ODD_RECEIVER | GW_SQUIRREL_ODD_ERROR_INSIDE);
}

/* ---- nesting ------------------------------------------------------------------------------------------- */

static gw_squirrel_event deepest_event(uint8_t tag, unsigned levels, gw_fault *fault)
{
    static uint8_t bytes[4096];
    gw_output output;
    size_t opened[256];
    gw_squirrel_reader reader;
    gw_squirrel_event event, deepest = { 0 };
    gw_output_init(&output, bytes, sizeof bytes);
    for (unsigned i = 0; i < levels; i++)
        opened[i] = gw_squirrel_write_open(&output, tag);
    gw_squirrel_write_null(&output);
    for (unsigned i = levels; i-- > 0;) {
        if (gw_squirrel_type_of(tag)->form == GW_SQUIRREL_FORM_COUNTED)
            gw_store_le32(bytes + opened[i] + 1, 1);
        else
            gw_squirrel_write_close(&output, opened[i]);
    }
    gw_squirrel_init(&reader, bytes, output.length, NULL);
    while (gw_squirrel_next(&reader, &event) == GW_NEXT_EVENT)
        if (event.kind != GW_CLOSE)
            deepest = event;
    *fault = reader.fault;
    return deepest;
}

TEST(the_deepest_level_is_read)
{
    gw_fault fault;
    gw_squirrel_event event = deepest_event(GW_SQUIRREL_GET, GW_SQUIRREL_DEPTH, &fault);
    assert_int_equal(fault.code, GW_SQUIRREL_FAULT_NONE);
    assert_int_equal(event.kind, GW_VALUE);
    assert_int_equal(event.depth, GW_SQUIRREL_DEPTH);
}

TEST(below_the_deepest_level_a_length_is_skipped)
{
    gw_fault fault;
    gw_squirrel_event event = deepest_event(GW_SQUIRREL_ARRAY, GW_SQUIRREL_DEPTH + 1, &fault);
    assert_int_equal(fault.code, GW_SQUIRREL_FAULT_NONE);
    assert_int_equal(event.kind, GW_OPAQUE);
    assert_int_equal(event.odd, GW_SQUIRREL_ODD_TOO_DEEP);
    assert_int_equal(event.payload.length, 6);
}

TEST(below_the_deepest_level_a_count_is_a_limit)
{
    gw_fault fault;
    deepest_event(GW_SQUIRREL_COUNTED_ARRAY, GW_SQUIRREL_DEPTH + 1, &fault);
    assert_int_equal(fault.code, GW_SQUIRREL_FAULT_TOO_DEEP);
    assert_int_equal(fault.fault_class, GW_FAULT_LIMIT);
    assert_int_equal(fault.offset, GW_SQUIRREL_DEPTH * 5);
    assert_int_equal(fault.needed, 0);
}

/* Nested arrays or counted arrays in a call, whose length extends to the end. */
static test_reading_end deep_in_a_call(uint8_t tag, unsigned levels, unsigned cut)
{
    static uint8_t bytes[1024];
    gw_output output;
    gw_squirrel_reader reader;
    gw_squirrel_event event;
    test_reading_end end = { .odd = 0 };
    gw_output_init(&output, bytes, sizeof bytes);
    size_t call = gw_squirrel_write_open(&output, GW_SQUIRREL_CALL);
    gw_squirrel_write_null(&output);
    for (unsigned i = 0; i < levels; i++)
        gw_squirrel_write_counted(&output, tag, tag == GW_SQUIRREL_ARRAY ? 5 * (levels - i - 1) + 1 : 1);
    gw_squirrel_write_null(&output);
    gw_squirrel_write_close(&output, call);
    gw_squirrel_init(&reader, bytes, output.length - cut, NULL);
    while (gw_squirrel_next(&reader, &event) == GW_NEXT_EVENT)
        end.odd |= event.odd;
    end.fault = reader.fault;
    return end;
}

TEST(values_too_deep_in_a_call_are_skipped_to_its_end)
{
    test_reading_end end = deep_in_a_call(GW_SQUIRREL_COUNTED_ARRAY, GW_SQUIRREL_DEPTH, 0);
    assert_int_equal(end.fault.code, GW_SQUIRREL_FAULT_NONE);
    assert_true(end.odd & GW_SQUIRREL_ODD_TOO_DEEP);
}

TEST(truncated_values_that_are_too_deep_report_missing_bytes)
{
    test_reading_end end = deep_in_a_call(GW_SQUIRREL_ARRAY, GW_SQUIRREL_DEPTH, 1);
    assert_int_equal(end.fault.code, GW_SQUIRREL_FAULT_LENGTH_TRUNCATED);
    assert_int_equal(end.fault.needed, 1);
    assert_int_equal(deep_in_a_call(GW_SQUIRREL_ARRAY, GW_SQUIRREL_DEPTH, 0).fault.code, GW_SQUIRREL_FAULT_NONE);
}
