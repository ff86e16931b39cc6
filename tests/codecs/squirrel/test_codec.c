/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Squirrel values and commands: bytes in, meaning out. The bytes are those of the format's documentation and
 * of the real scripts.
 */
#include "reading.h"

/* ---- every example of the documentation ---------------------------------------------------------------- */

static void put_text(gw_output *output, const char *text)
{
    gw_squirrel_write_string(output, text, (uint16_t)strlen(text));
}

static void put_get(gw_output *output, const char *key)
{
    size_t opened = gw_squirrel_write_open(output, GW_SQUIRREL_GET);
    put_text(output, key);
    gw_squirrel_write_close(output, opened);
}

static void put_get_ex(gw_output *output, const char *object, const char *key)
{
    size_t opened = gw_squirrel_write_open(output, GW_SQUIRREL_GET_EX);
    put_get(output, object);
    put_text(output, key);
    gw_squirrel_write_close(output, opened);
}

static void write_null(gw_output *output)
{
    gw_squirrel_write_null(output);
}

static void write_15(gw_output *output)
{
    gw_squirrel_write_int32(output, 15);
}

static void write_short_15(gw_output *output)
{
    gw_squirrel_write_integer(output, 15);
}

static void write_float(gw_output *output)
{
    gw_squirrel_write_float(output, 3.14f);
}

static void write_true(gw_output *output)
{
    gw_squirrel_write_bool(output, true);
}

static void write_apple(gw_output *output)
{
    put_text(output, "apple");
}

static void write_vector(gw_output *output)
{
    gw_squirrel_write_vector(output, (const float[]){ 1, 2, 3 });
}

static void write_quaternion(gw_output *output)
{
    gw_squirrel_write_quaternion(output, (const float[]){ 1, 2, 3, 4 });
}

static void write_array(gw_output *output)
{
    size_t opened = gw_squirrel_write_open(output, GW_SQUIRREL_ARRAY);
    gw_squirrel_write_int32(output, 100);
    gw_squirrel_write_int32(output, 200);
    gw_squirrel_write_close(output, opened);
}

static void write_short_array(gw_output *output)
{
    size_t opened = gw_squirrel_write_open(output, GW_SQUIRREL_ARRAY);
    gw_squirrel_write_integer(output, 100);
    gw_squirrel_write_integer(output, 200);
    gw_squirrel_write_close(output, opened);
}

static void write_table(gw_output *output)
{
    size_t opened = gw_squirrel_write_open(output, GW_SQUIRREL_TABLE);
    put_text(output, "a");
    gw_squirrel_write_int32(output, 1);
    put_text(output, "b");
    put_text(output, "okay");
    gw_squirrel_write_close(output, opened);
}

static void write_short_table(gw_output *output)
{
    size_t opened = gw_squirrel_write_open(output, GW_SQUIRREL_TABLE);
    put_text(output, "a");
    gw_squirrel_write_integer(output, 1);
    put_text(output, "b");
    put_text(output, "okay");
    gw_squirrel_write_close(output, opened);
}

static void write_get(gw_output *output)
{
    put_get(output, "a");
}

static void write_get_ex(gw_output *output)
{
    put_get_ex(output, "Console", "Print");
}

static void write_get_ex_of_string(gw_output *output)
{
    size_t opened = gw_squirrel_write_open(output, GW_SQUIRREL_GET_EX);
    put_text(output, "Console");
    put_text(output, "Print");
    gw_squirrel_write_close(output, opened);
}

static void write_set(gw_output *output)
{
    size_t opened = gw_squirrel_write_open(output, GW_SQUIRREL_SET);
    put_text(output, "a");
    gw_squirrel_write_float(output, 1.0f);
    gw_squirrel_write_close(output, opened);
}

static void write_set_vector(gw_output *output)
{
    size_t opened = gw_squirrel_write_open(output, GW_SQUIRREL_SET);
    put_text(output, "a");
    write_vector(output);
    gw_squirrel_write_close(output, opened);
}

static void write_set_ex(gw_output *output)
{
    size_t opened = gw_squirrel_write_open(output, GW_SQUIRREL_SET_EX);
    put_get(output, "a");
    put_text(output, "Y");
    gw_squirrel_write_int32(output, 5);
    gw_squirrel_write_close(output, opened);
}

static void write_short_set_ex(gw_output *output)
{
    size_t opened = gw_squirrel_write_open(output, GW_SQUIRREL_SET_EX);
    put_get(output, "a");
    put_text(output, "Y");
    gw_squirrel_write_integer(output, 5);
    gw_squirrel_write_close(output, opened);
}

static void write_call(gw_output *output)
{
    size_t opened = gw_squirrel_write_open(output, GW_SQUIRREL_CALL);
    put_get(output, "rprint");
    put_text(output, "Hello");
    gw_squirrel_write_close(output, opened);
}

static void write_call_ex(gw_output *output)
{
    size_t opened = gw_squirrel_write_open(output, GW_SQUIRREL_CALL_EX);
    put_get_ex(output, "Console", "Print");
    put_get(output, "Console");
    put_text(output, "hi");
    gw_squirrel_write_close(output, opened);
}

static void put_binary(gw_output *output, uint8_t tag, bool short_integer)
{
    size_t opened = gw_squirrel_write_open(output, tag);
    put_get(output, "a");
    if (short_integer)
        gw_squirrel_write_integer(output, 5);
    else
        gw_squirrel_write_int32(output, 5);
    gw_squirrel_write_close(output, opened);
}

#define BINARY(name, tag) \
    static void write_##name(gw_output *output) \
    { \
        put_binary(output, tag, false); \
    } \
    static void write_short_##name(gw_output *output) \
    { \
        put_binary(output, tag, true); \
    }
BINARY(add, GW_SQUIRREL_ADD)
BINARY(subtract, GW_SQUIRREL_SUBTRACT)
BINARY(multiply, GW_SQUIRREL_MULTIPLY)
BINARY(divide, GW_SQUIRREL_DIVIDE)
BINARY(modulo, GW_SQUIRREL_MODULO)

static void write_negate(gw_output *output)
{
    size_t opened = gw_squirrel_write_open(output, GW_SQUIRREL_NEGATE);
    put_get(output, "a");
    gw_squirrel_write_close(output, opened);
}

static const struct {
    const char *source;
    const char *hex;
    void (*write)(gw_output *output);
} examples[] = {
    { "null", "6f", write_null },
    { "15", "690f000000", write_15 },
    { "15", "770f00", write_short_15 },
    { "3.14", "66c3f54840", write_float },
    { "true", "6201", write_true },
    { "\"apple\"", "7300056170706c65", write_apple },
    { "Vector(1, 2, 3)", "760000803f0000004000004040", write_vector },
    { "Quaternion(1, 2, 3, 4)", "710000803f000000400000404000008040", write_quaternion },
    { "[100, 200]", "610a000000696400000069c8000000", write_array },
    { "[100, 200]", "610600000077640077c800", write_short_array },
    { "{a = 1, b = \"okay\"}", "7414000000730001616901000000730001627300046f6b6179", write_table },
    { "{a = 1, b = \"okay\"}", "741200000073000161770100730001627300046f6b6179", write_short_table },
    { "GetRemoteValue(\"a\")", "670400000073000161", write_get },
    { "GetRemoteValueEx(GetRemoteValue(\"Console\"), \"Print\")",
      "6b17000000670a000000730007436f6e736f6c657300055072696e74", write_get_ex },
    { "GetRemoteValueEx(\"Console\", \"Print\")", "6b12000000730007436f6e736f6c657300055072696e74",
      write_get_ex_of_string },
    { "SetRemoteValue(\"a\", 1.0)", "680900000073000161660000803f", write_set },
    { "SetRemoteValue(\"a\", Vector(1, 2, 3))", "681100000073000161760000803f0000004000004040", write_set_vector },
    { "SetRemoteValueEx(GetRemoteValue(\"a\"), \"Y\", 5)", "6a12000000670400000073000161730001596905000000",
      write_set_ex },
    { "SetRemoteValueEx(GetRemoteValue(\"a\"), \"Y\", 5)", "6a1000000067040000007300016173000159770500",
      write_short_set_ex },
    { "CallRemoteFunc(GetRemoteValue(\"rprint\"), \"Hello\")", "46160000006709000000730006727072696e7473000548656c6c6f",
      write_call },
    { "CallRemoteFuncEx(GetRemoteValueEx(GetRemoteValue(\"Console\"), \"Print\"), "
      "GetRemoteValue(\"Console\"), \"hi\")",
      "45300000006b17000000670a000000730007436f6e736f6c657300055072696e74670a000000730007436f6e736f6c65730002"
      "6869",
      write_call_ex },
    { "GetRemoteValue(\"a\") + 5", "2b0e0000006704000000730001616905000000", write_add },
    { "GetRemoteValue(\"a\") + 5", "2b0c000000670400000073000161770500", write_short_add },
    { "GetRemoteValue(\"a\") - 5", "2d0e0000006704000000730001616905000000", write_subtract },
    { "GetRemoteValue(\"a\") - 5", "2d0c000000670400000073000161770500", write_short_subtract },
    { "GetRemoteValue(\"a\") * 5", "2a0e0000006704000000730001616905000000", write_multiply },
    { "GetRemoteValue(\"a\") * 5", "2a0c000000670400000073000161770500", write_short_multiply },
    { "GetRemoteValue(\"a\") / 5", "2f0e0000006704000000730001616905000000", write_divide },
    { "GetRemoteValue(\"a\") / 5", "2f0c000000670400000073000161770500", write_short_divide },
    { "GetRemoteValue(\"a\") % 5", "250e0000006704000000730001616905000000", write_modulo },
    { "GetRemoteValue(\"a\") % 5", "250c000000670400000073000161770500", write_short_modulo },
    { "-GetRemoteValue(\"a\")", "7509000000670400000073000161", write_negate },
};

static void a_single_value_is_printed_without_separators(void **state)
{
    static const char *const members[] = { "\"a\"", "-1" };
    const char *table = "540100000073000161"
                        "77ffff";
    test_bytes input = from_hex(table);
    test_reading reading = read_all(table, NULL);
    char buffer[32];
    gw_text text;
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        gw_text_init(&text, buffer, sizeof buffer);
        gw_squirrel_print_value(&text, input.bytes, &reading.events[i + 1]);
        assert_string_equal(buffer, members[i]);
    }
}

static void each_example_is_printed_as_its_source_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++)
        assert_prints(examples[i].hex, NULL, examples[i].source);
}

static void each_example_is_written_byte_for_byte(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        uint8_t written[128];
        gw_output output;
        test_bytes expected = from_hex(examples[i].hex);
        gw_output_init(&output, written, sizeof written);
        examples[i].write(&output);
        assert_int_equal(output.length, expected.length);
        assert_memory_equal(written, expected.bytes, expected.length);
    }
}

static void each_example_is_valid(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        test_bytes example = from_hex(examples[i].hex);
        gw_squirrel_summary summary;
        assert_true(gw_squirrel_validate(example.bytes, example.length, NULL, &summary));
        assert_int_equal(summary.odd, 0);
    }
}

/* ---- scalars ------------------------------------------------------------------------------------------- */

static void integers_are_signed(void **state)
{
    (void)state;
    assert_int_equal(only_event("69ffffffff").number, -1);
    assert_int_equal(only_event("6900000080").number, INT32_MIN);
    assert_int_equal(only_event("770080").number, INT16_MIN);
    assert_int_equal(only_event("77ff7f").number, INT16_MAX);
}

static void the_length_of_a_string_is_big_endian(void **state)
{
    (void)state;
    gw_squirrel_event event = only_event("7300026869");
    assert_int_equal(event.header.length, 3);
    assert_int_equal(event.payload.offset, 3);
    assert_int_equal(event.payload.length, 2);
}

static void a_bool_that_is_neither_0_nor_1_is_true_and_odd(void **state)
{
    (void)state;
    gw_squirrel_event event = only_event("62ff");
    assert_true(event.number);
    assert_int_equal(event.odd, GW_SQUIRREL_ODD_BOOL);
    assert_int_equal(only_event("6202").odd, GW_SQUIRREL_ODD_BOOL);
    assert_int_equal(only_event("6201").odd, 0);
    assert_int_equal(only_event("6200").odd, 0);
}

static void a_string_that_is_not_utf8_is_odd(void **state)
{
    (void)state;
    assert_int_equal(only_event("730001e9").odd, GW_SQUIRREL_ODD_UTF8);
    assert_int_equal(only_event("730002c3a9").odd, 0);
}

static void a_scalar_has_no_length_or_count(void **state)
{
    (void)state;
    gw_squirrel_event event = only_event("6f");
    assert_int_equal(event.role, GW_SQUIRREL_ROLE_BODY);
    assert_int_equal(event.index, 0);
    assert_int_equal(event.declared, 0);
    assert_int_equal(event.actual, 0);
    assert_int_equal(event.header.length, 1);
    assert_int_equal(event.payload.length, 0);
}

static void components_keep_their_order(void **state)
{
    (void)state;
    gw_squirrel_event event = only_event("710000803f000000400000404000008040");
    for (int i = 0; i < 4; i++)
        assert_float_equal(event.real[i], i + 1, 0);
}

/* ---- containers ---------------------------------------------------------------------------------------- */

static void a_table_alternates_keys_and_values(void **state)
{
    (void)state;
    static const uint8_t roles[] = { GW_SQUIRREL_ROLE_BODY, GW_SQUIRREL_ROLE_KEY,   GW_SQUIRREL_ROLE_VALUE,
                                     GW_SQUIRREL_ROLE_KEY,  GW_SQUIRREL_ROLE_VALUE, GW_SQUIRREL_ROLE_BODY };
    test_reading reading = read_all("741200000073000161770100730001627300046f6b6179", NULL);
    assert_int_equal(reading.count, 6);
    for (unsigned i = 0; i < reading.count; i++)
        assert_int_equal(reading.events[i].role, roles[i]);
    assert_int_equal(reading.events[3].index, 1);
    assert_int_equal(reading.events[5].kind, GW_CLOSE);
    assert_int_equal(reading.events[5].payload.length, 18);
}

static void a_call_has_function_environment_and_arguments(void **state)
{
    (void)state;
    test_reading reading = read_all("450c000000770000770100770200770300", NULL);
    assert_int_equal(reading.count, 6);
    assert_int_equal(reading.events[1].role, GW_SQUIRREL_ROLE_FUNCTION);
    assert_int_equal(reading.events[2].role, GW_SQUIRREL_ROLE_ENVIRONMENT);
    assert_int_equal(reading.events[3].role, GW_SQUIRREL_ROLE_PARAMETER);
    assert_int_equal(reading.events[3].index, 0);
    assert_int_equal(reading.events[4].role, GW_SQUIRREL_ROLE_PARAMETER);
    assert_int_equal(reading.events[4].index, 1);
}

static void upper_case_containers_have_a_count(void **state)
{
    (void)state;
    assert_prints("4102000000770100770200", NULL, "[1, 2]");
    assert_prints("540100000073000161770100", NULL, "{a = 1}");
    assert_prints("630100000073000161770100", NULL, "class {a = 1}");
}

static void keys_may_be_containers(void **state)
{
    (void)state;
    assert_prints("740b0000006103000000770100770200", NULL, "{[[1]] = 2}");
}

static void an_empty_array_with_a_length_is_misread_by_the_client(void **state)
{
    (void)state;
    test_reading reading = read_all("6100000000", NULL);
    assert_int_equal(reading.events[0].odd, GW_SQUIRREL_ODD_EMPTY_ARRAY);
    assert_int_equal(read_all("4100000000", NULL).events[0].odd, 0);
    assert_int_equal(read_all("7400000000", NULL).events[0].odd, 0);
}

/* ---- the two readings of lower case -------------------------------------------------------------------- */

static void lower_case_in_a_reply_is_a_count(void **state)
{
    (void)state;
    gw_squirrel_options reply = { .reading = GW_SQUIRREL_COUNTS_FIRST };
    assert_prints("6102000000770100770200", &reply, "[1, 2]");
    assert_prints("740100000073000161770100", &reply, "{a = 1}");
}

static void the_other_reading_is_used_if_only_it_ends_exactly(void **state)
{
    (void)state;
    gw_squirrel_options reply = { .reading = GW_SQUIRREL_COUNTS_FIRST };
    gw_squirrel_options command = { .reading = GW_SQUIRREL_BYTES_FIRST };
    assert_prints("6106000000770100770200", &reply, "[1, 2]");
    assert_prints("6102000000770100770200", &command, "[1, 2]");
}

static void the_first_reading_is_used_if_neither_ends_exactly(void **state)
{
    (void)state;
    gw_squirrel_options reply = { .reading = GW_SQUIRREL_COUNTS_FIRST };
    test_reading reading = read_all("6103000000770100770200", &reply);
    assert_int_equal(reading.fault.code, GW_SQUIRREL_FAULT_COUNT_TRUNCATED);
    gw_squirrel_options command = { .reading = GW_SQUIRREL_BYTES_FIRST };
    reading = read_all("6105000000770100770200", &command);
    assert_int_equal(reading.fault.code, GW_SQUIRREL_FAULT_NONE);
    assert_int_equal(reading.events[3].odd, GW_SQUIRREL_ODD_LENGTH);
}

static void a_fixed_reading_is_not_changed(void **state)
{
    (void)state;
    gw_squirrel_options bytes = { .reading = GW_SQUIRREL_BYTES };
    gw_squirrel_options counts = { .reading = GW_SQUIRREL_COUNTS };
    assert_int_equal(read_all("6102000000770100770200", &bytes).fault.code, GW_SQUIRREL_FAULT_CONTENT_LEFT_OVER);
    assert_int_equal(read_all("6106000000770100770200", &counts).fault.code, GW_SQUIRREL_FAULT_COUNT_TRUNCATED);
}

/* ---- numbers that contradict each other ---------------------------------------------------------------- */

/* The documentation's SetRemoteValueEx: a length of 17 for 18 bytes, and of 10 for 4. */
static void the_two_wrong_lengths_of_the_documentation_are_reported_with_both_numbers(void **state)
{
    (void)state;
    test_reading reading = read_all("6a11000000670a00000073000161730001596905000000", NULL);
    assert_int_equal(reading.fault.code, GW_SQUIRREL_FAULT_NONE);
    assert_int_equal(reading.count, 7);
    assert_close(&reading.events[3], GW_SQUIRREL_ODD_LENGTH, 10, 4);
    assert_close(&reading.events[6], GW_SQUIRREL_ODD_LENGTH, 17, 18);
    assert_prints("6a11000000670a00000073000161730001596905000000", NULL,
                  "SetRemoteValueEx(GetRemoteValue(\"a\"), \"Y\", 5)");
}

static void the_length_of_a_command_with_fixed_operands_has_no_effect(void **state)
{
    (void)state;
    static const char *const lengths[] = { "00", "0f", "11", "ff" };
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        char hex[64];
        snprintf(hex, sizeof hex, "6a%s00000067040000007300016173000159770500", lengths[i]);
        assert_prints(hex, NULL, "SetRemoteValueEx(GetRemoteValue(\"a\"), \"Y\", 5)");
    }
}

static void a_string_that_ends_beyond_its_container_is_read_completely(void **state)
{
    (void)state;
    test_reading reading = read_all("46130000006709000000730006727072696e7473000548656c6c6f", NULL);
    const gw_squirrel_event *hello = &reading.events[4];
    assert_int_equal(hello->odd, GW_SQUIRREL_ODD_BEYOND);
    assert_int_equal(hello->payload.length, 5);
    assert_int_equal(hello->declared, 5);
    assert_int_equal(hello->actual, 2);
    assert_close(&reading.events[5], GW_SQUIRREL_ODD_LENGTH, 19, 22);
}

static void a_string_beyond_the_input_is_skipped_to_the_end_of_its_container(void **state)
{
    (void)state;
    test_reading reading = read_all("680c000000730001787300c873686f7274", NULL);
    assert_int_equal(reading.fault.code, GW_SQUIRREL_FAULT_NONE);
    assert_int_equal(reading.events[2].kind, GW_OPAQUE);
    assert_int_equal(reading.events[2].odd, GW_SQUIRREL_ODD_BEYOND);
    assert_int_equal(reading.events[2].declared, 200);
    assert_int_equal(reading.events[2].actual, 5);
    assert_int_equal(reading.events[2].payload.length, 8);
}

static void a_missing_operand_is_reported_when_the_command_closes(void **state)
{
    (void)state;
    static const char *const missing[] = { "6700000000",
                                           "6b0400000073000161",
                                           ("6a0800000073000161"
                                            "73000162"),
                                           "4600000000",
                                           "450400000073000161",
                                           "2b0400000073000161",
                                           "7500000000" };
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++) {
        test_reading reading = read_all(missing[i], NULL);
        assert_int_equal(reading.fault.code, GW_SQUIRREL_FAULT_NONE);
        assert_int_equal(reading.events[reading.count - 1].odd, GW_SQUIRREL_ODD_OPERAND_MISSING);
    }
}

static void a_missing_operand_is_not_replaced_by_an_argument_of_the_call(void **state)
{
    (void)state;
    assert_prints("46150000006704000000730001616b04000000730001627705"
                  "00",
                  NULL, "CallRemoteFunc(GetRemoteValue(\"a\"), GetRemoteValueEx(\"b\"), 5)");
}

/* The real client counts operands. At the top level, further bytes belong to no container. */
static void a_length_that_ends_between_operands_is_ignored_at_the_top(void **state)
{
    (void)state;
    const char *hex = "6a080000007300016173000162770100";
    test_reading reading = read_all(hex, NULL);
    assert_close(&reading.events[4], GW_SQUIRREL_ODD_LENGTH, 8, 11);
    assert_prints(hex, NULL, "SetRemoteValueEx(\"a\", \"b\", 1)");
}

static void a_length_of_0_is_ignored_if_bytes_follow(void **state)
{
    (void)state;
    assert_prints("46090000006700000000"
                  "73000161",
                  NULL, "CallRemoteFunc(GetRemoteValue(\"a\"))");
    assert_prints("46050000006700000000", NULL, "CallRemoteFunc(GetRemoteValue())");
}

static void the_validator_counts_values(void **state)
{
    (void)state;
    gw_squirrel_summary summary;
    test_bytes input = from_hex("2b0c000000670400000073000161770500");
    assert_true(gw_squirrel_validate(input.bytes, input.length, NULL, &summary));
    assert_int_equal(summary.values, 4);
    assert_int_equal(summary.reading, GW_SQUIRREL_BYTES);
}

static void a_key_without_value_is_reported_when_the_table_closes(void **state)
{
    (void)state;
    test_reading reading = read_all("740400000073000161", NULL);
    assert_close(&reading.events[2], GW_SQUIRREL_ODD_KEY_ALONE, 4, 4);
}

static void an_unknown_tag_is_skipped_to_the_end_of_its_container(void **state)
{
    (void)state;
    test_reading reading = read_all("460e00000073000166"
                                    "6102000000"
                                    "7801"
                                    "770500",
                                    NULL);
    assert_int_equal(reading.fault.code, GW_SQUIRREL_FAULT_NONE);
    assert_int_equal(reading.events[3].kind, GW_OPAQUE);
    assert_int_equal(reading.events[3].odd, GW_SQUIRREL_ODD_UNKNOWN_TAG);
    assert_int_equal(reading.events[3].payload.length, 2);
    assert_int_equal(reading.events[5].number, 5);
    assert_prints("460e00000073000166"
                  "6102000000"
                  "7801"
                  "770500",
                  NULL, "CallRemoteFunc(\"f\", [\xE2\x80\xA6], 5)");
}

static void a_count_is_reported_if_an_element_is_unreadable(void **state)
{
    (void)state;
    static const char *const holders[] = { "680c000000", "460c000000" };
    for (size_t i = 0; i < sizeof holders / sizeof holders[0]; i++) {
        char hex[64];
        snprintf(hex, sizeof hex,
                 "%s"
                 "73000166"
                 "4103000000"
                 "7801ff",
                 holders[i]);
        test_reading reading = read_all(hex, NULL);
        assert_int_equal(reading.fault.code, GW_SQUIRREL_FAULT_NONE);
        assert_int_equal(reading.events[3].odd, GW_SQUIRREL_ODD_UNKNOWN_TAG);
        assert_close(&reading.events[4], GW_SQUIRREL_ODD_COUNT, 3, 1);
        assert_int_equal(reading.events[5].odd, 0);
    }
}

static void an_error_is_valid_only_in_replies(void **state)
{
    (void)state;
    gw_squirrel_options reply = { .error_at_top = 1 };
    assert_int_equal(read_all("6500046f6f7073", &reply).events[0].odd, 0);
    assert_int_equal(read_all("6500046f6f7073", NULL).events[0].odd, GW_SQUIRREL_ODD_ERROR_INSIDE);
    assert_int_equal(read_all("41010000006500046f6f7073", &reply).events[1].odd, GW_SQUIRREL_ODD_ERROR_INSIDE);
}

static void a_tag_that_the_receiver_does_not_support_is_odd(void **state)
{
    (void)state;
    gw_squirrel_options exec = { .receiver = GW_SQUIRREL_RECEIVER_EXEC };
    gw_squirrel_options reply = { .receiver = GW_SQUIRREL_RECEIVER_REPLY };
    gw_squirrel_options client = { .receiver = GW_SQUIRREL_RECEIVER_CLIENT };
    assert_int_equal(read_all("4100000000", &exec).events[0].odd, GW_SQUIRREL_ODD_RECEIVER);
    assert_int_equal(read_all("6700000000", &reply).events[0].odd, GW_SQUIRREL_ODD_RECEIVER);
    assert_int_equal(read_all("6300000000", &client).events[0].odd, GW_SQUIRREL_ODD_RECEIVER);
    assert_int_equal(read_all("4100000000", &client).events[0].odd, 0);
    assert_int_equal(read_all("41010000006500"
                              "00",
                              &exec)
                         .events[1]
                         .odd,
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

static void the_deepest_level_is_read(void **state)
{
    (void)state;
    gw_fault fault;
    gw_squirrel_event event = deepest_event(GW_SQUIRREL_GET, GW_SQUIRREL_DEPTH, &fault);
    assert_int_equal(fault.code, GW_SQUIRREL_FAULT_NONE);
    assert_int_equal(event.kind, GW_VALUE);
    assert_int_equal(event.depth, GW_SQUIRREL_DEPTH);
}

static void below_the_deepest_level_a_length_is_skipped(void **state)
{
    (void)state;
    gw_fault fault;
    gw_squirrel_event event = deepest_event(GW_SQUIRREL_ARRAY, GW_SQUIRREL_DEPTH + 1, &fault);
    assert_int_equal(fault.code, GW_SQUIRREL_FAULT_NONE);
    assert_int_equal(event.kind, GW_OPAQUE);
    assert_int_equal(event.odd, GW_SQUIRREL_ODD_TOO_DEEP);
    assert_int_equal(event.payload.length, 6);
}

static void below_the_deepest_level_a_count_is_a_limit(void **state)
{
    (void)state;
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

static void values_too_deep_in_a_call_are_skipped_to_its_end(void **state)
{
    (void)state;
    test_reading_end end = deep_in_a_call(GW_SQUIRREL_COUNTED_ARRAY, GW_SQUIRREL_DEPTH, 0);
    assert_int_equal(end.fault.code, GW_SQUIRREL_FAULT_NONE);
    assert_true(end.odd & GW_SQUIRREL_ODD_TOO_DEEP);
}

static void truncated_values_that_are_too_deep_report_missing_bytes(void **state)
{
    (void)state;
    test_reading_end end = deep_in_a_call(GW_SQUIRREL_ARRAY, GW_SQUIRREL_DEPTH, 1);
    assert_int_equal(end.fault.code, GW_SQUIRREL_FAULT_LENGTH_TRUNCATED);
    assert_int_equal(end.fault.needed, 1);
    assert_int_equal(deep_in_a_call(GW_SQUIRREL_ARRAY, GW_SQUIRREL_DEPTH, 0).fault.code, GW_SQUIRREL_FAULT_NONE);
}

/* ---- every fault, with its offset ---------------------------------------------------------------------- */

static const struct {
    const char *hex;
    gw_squirrel_fault code;
    gw_fault_class fault_class;
    uint32_t offset;
    uint64_t needed;
    uint32_t declared;
    uint32_t actual;
} faults[] = {
    { "", GW_SQUIRREL_FAULT_VALUE_MISSING, GW_FAULT_TRUNCATED, 0, 1, 0, 0 },
    { "680500000073000178", GW_SQUIRREL_FAULT_VALUE_MISSING, GW_FAULT_TRUNCATED, 9, 1, 0, 0 },
    { "69", GW_SQUIRREL_FAULT_VALUE_TRUNCATED, GW_FAULT_TRUNCATED, 0, 4, 4, 0 },
    { "690102", GW_SQUIRREL_FAULT_VALUE_TRUNCATED, GW_FAULT_TRUNCATED, 0, 2, 4, 2 },
    { "7300", GW_SQUIRREL_FAULT_VALUE_TRUNCATED, GW_FAULT_TRUNCATED, 0, 1, 2, 1 },
    { "42000000", GW_SQUIRREL_FAULT_VALUE_TRUNCATED, GW_FAULT_TRUNCATED, 0, 1, 4, 3 },
    { "6700", GW_SQUIRREL_FAULT_VALUE_TRUNCATED, GW_FAULT_TRUNCATED, 0, 3, 4, 1 },
    { "67040000007300", GW_SQUIRREL_FAULT_VALUE_TRUNCATED, GW_FAULT_TRUNCATED, 5, 1, 2, 1 },
    { "7300056170", GW_SQUIRREL_FAULT_STRING_TRUNCATED, GW_FAULT_TRUNCATED, 0, 3, 5, 2 },
    { "420400000061", GW_SQUIRREL_FAULT_BLOB_TRUNCATED, GW_FAULT_TRUNCATED, 0, 3, 4, 1 },
    { "42ffffffff", GW_SQUIRREL_FAULT_BLOB_TRUNCATED, GW_FAULT_TRUNCATED, 0, 0xffffffff, 0xffffffff, 0 },
    { "6104000000770100", GW_SQUIRREL_FAULT_LENGTH_TRUNCATED, GW_FAULT_TRUNCATED, 8, 1, 4, 3 },
    { "46ffffffff770100", GW_SQUIRREL_FAULT_LENGTH_TRUNCATED, GW_FAULT_TRUNCATED, 8, 0xfffffffc, 0xffffffff, 3 },
    { "4103000000770100", GW_SQUIRREL_FAULT_COUNT_TRUNCATED, GW_FAULT_TRUNCATED, 8, 2, 3, 1 },
    { "54ffffffff770100", GW_SQUIRREL_FAULT_COUNT_TRUNCATED, GW_FAULT_TRUNCATED, 8, 0x1fffffffd, 0xffffffff, 0 },
    { "78", GW_SQUIRREL_FAULT_TAG_UNKNOWN, GW_FAULT_UNSUPPORTED, 0, 0, 0, 0 },
    { "410100000078", GW_SQUIRREL_FAULT_TAG_UNKNOWN, GW_FAULT_UNSUPPORTED, 5, 0, 0, 0 },
    { "6f00", GW_SQUIRREL_FAULT_CONTENT_LEFT_OVER, GW_FAULT_MALFORMED, 1, 0, 0, 1 },
    { "67040000007300016100", GW_SQUIRREL_FAULT_CONTENT_LEFT_OVER, GW_FAULT_MALFORMED, 9, 0, 0, 1 },
    { "67080000007300016173000162", GW_SQUIRREL_FAULT_OPERAND_LEFT_OVER, GW_FAULT_MALFORMED, 9, 0, 0, 4 },
};

static void each_fault_has_its_code_class_offset_and_needed_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        test_bytes input = from_hex(faults[i].hex);
        gw_squirrel_summary summary;
        test_reading reading = read_all(faults[i].hex, NULL);
        gw_fault fault = reading.fault;
        assert_int_equal(fault.code, faults[i].code);
        assert_int_equal(fault.fault_class, faults[i].fault_class);
        assert_int_equal(fault.offset, faults[i].offset);
        assert_int_equal(fault.needed, faults[i].needed);
        assert_int_equal(reading.declared, faults[i].declared);
        assert_int_equal(reading.actual, faults[i].actual);
        assert_false(gw_squirrel_validate(input.bytes, input.length, NULL, &summary));
        assert_int_equal(summary.fault.code, faults[i].code);
    }
}

static void calls_after_a_fault_return_the_same_fault(void **state)
{
    (void)state;
    gw_squirrel_reader reader;
    gw_squirrel_event event;
    gw_squirrel_init(&reader, (const uint8_t *)"x", 1, NULL);
    for (int i = 0; i < 3; i++)
        assert_int_equal(gw_squirrel_next(&reader, &event), GW_NEXT_FAULT);
}

static void calls_after_the_end_return_the_end(void **state)
{
    (void)state;
    gw_squirrel_reader reader;
    gw_squirrel_event event;
    gw_squirrel_init(&reader, (const uint8_t *)"o", 1, NULL);
    assert_int_equal(gw_squirrel_next(&reader, &event), GW_NEXT_EVENT);
    for (int i = 0; i < 3; i++)
        assert_int_equal(gw_squirrel_next(&reader, &event), GW_NEXT_END);
}

static void an_input_above_the_limit_is_not_read(void **state)
{
    (void)state;
    gw_squirrel_reader reader;
    gw_squirrel_event event;
    gw_squirrel_init(&reader, NULL, (size_t)GW_LONGEST_INPUT + 1, NULL);
    assert_int_equal(gw_squirrel_next(&reader, &event), GW_NEXT_FAULT);
    assert_int_equal(reader.fault.code, GW_SQUIRREL_FAULT_TOO_LONG);
    assert_int_equal(reader.fault.offset, 0);
    assert_int_equal(reader.fault.needed, 0);
    assert_int_equal(reader.fault.fault_class, GW_FAULT_LIMIT);
    assert_false(gw_squirrel_validate(NULL, (size_t)GW_LONGEST_INPUT + 1, NULL, NULL));
}

static void an_integer_is_written_in_two_bytes_if_possible(void **state)
{
    (void)state;
    static const int32_t numbers[] = { INT16_MIN - 1, INT16_MIN, INT16_MAX, INT16_MAX + 1 };
    static const size_t lengths[] = { 5, 3, 3, 5 };
    for (int i = 0; i < 4; i++) {
        gw_output output;
        gw_output_init(&output, NULL, 0);
        gw_squirrel_write_integer(&output, numbers[i]);
        assert_int_equal(output.length, lengths[i]);
    }
}

static void every_fault_has_a_text_and_a_class(void **state)
{
    (void)state;
    for (uint32_t code = 1; code < GW_SQUIRREL_FAULTS; code++) {
        assert_true(strlen(gw_fault_text(&gw_squirrel_faults, code)) > 5);
        assert_int_not_equal(gw_fault_class_of(&gw_squirrel_faults, code), GW_FAULT_NONE);
    }
    assert_string_equal(gw_fault_text(&gw_squirrel_faults, GW_SQUIRREL_FAULTS), "Unknown fault");
    assert_int_equal(gw_fault_class_of(&gw_squirrel_faults, GW_SQUIRREL_FAULTS), GW_FAULT_NONE);
}

static void every_oddity_has_a_text(void **state)
{
    (void)state;
    unsigned known = 0;
    for (unsigned bit = 0; bit < GW_SQUIRREL_ODDS; bit++)
        known += strcmp(gw_odd_text(&gw_squirrel_faults, UINT32_C(1) << bit), "Unknown oddity") != 0;
    assert_int_equal(known, 12);
    assert_string_equal(gw_odd_text(&gw_squirrel_faults, UINT32_C(1) << GW_SQUIRREL_ODDS), "Unknown oddity");
    assert_string_equal(gw_odd_text(&gw_squirrel_faults, GW_SQUIRREL_ODD_BOOL),
                        "A bool that is neither 0 nor 1; the real reader reads it as true");
}

static void the_consequence_of_a_fault_describes_the_real_receiver(void **state)
{
    (void)state;
    assert_string_equal(gw_fault_consequence(&gw_squirrel_faults, GW_SQUIRREL_FAULT_TAG_UNKNOWN),
                        "the real client reads null, the server fails");
    assert_null(gw_fault_consequence(&gw_squirrel_faults, GW_SQUIRREL_FAULT_BLOB_TRUNCATED));
    assert_null(gw_fault_consequence(&gw_squirrel_faults, GW_SQUIRREL_FAULTS));
}

/* ---- tables -------------------------------------------------------------------------------------------- */

static void each_tag_has_its_type(void **state)
{
    (void)state;
    size_t count;
    const gw_squirrel_type *types = gw_squirrel_types(&count);
    assert_int_equal(count, 27);
    for (size_t i = 0; i < count; i++)
        assert_ptr_equal(gw_squirrel_type_of(types[i].tag), &types[i]);
    unsigned known = 0;
    for (unsigned tag = 0; tag < 256; tag++)
        known += gw_squirrel_type_of((uint8_t)tag)->form != GW_SQUIRREL_FORM_UNKNOWN;
    assert_int_equal(known, count);
}

/* The tag sets of the real readers, from the specification. */
static void each_receiver_supports_its_tags(void **state)
{
    (void)state;
    static const struct {
        uint8_t receiver;
        const char *tags;
    } receivers[] = {
        { GW_SQUIRREL_RECEIVER_CLIENT, "oifwvqsbABaTtghkjFE+-*/%ue" },
        { GW_SQUIRREL_RECEIVER_REPLY, "oifsbavetc"
                                      "wBAT" },
        { GW_SQUIRREL_RECEIVER_EXEC, "oiwfvqsbaBt"
                                     "gkhjFE+-*/%u" },
    };
    for (size_t i = 0; i < 3; i++)
        for (unsigned tag = 1; tag < 256; tag++)
            assert_int_equal(strchr(receivers[i].tags, (int)tag) != NULL,
                             (gw_squirrel_type_of((uint8_t)tag)->receivers & receivers[i].receiver) != 0);
}

static void every_role_has_a_name(void **state)
{
    (void)state;
    for (uint8_t role = 0; role < GW_SQUIRREL_ROLES; role++)
        assert_true(strlen(gw_squirrel_role_name(role)) >= 3);
    assert_string_equal(gw_squirrel_role_name(GW_SQUIRREL_ROLES), "value");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_example_is_printed_as_its_source_text),
        cmocka_unit_test(a_single_value_is_printed_without_separators),
        cmocka_unit_test(each_example_is_written_byte_for_byte),
        cmocka_unit_test(each_example_is_valid),
        cmocka_unit_test(integers_are_signed),
        cmocka_unit_test(the_length_of_a_string_is_big_endian),
        cmocka_unit_test(a_bool_that_is_neither_0_nor_1_is_true_and_odd),
        cmocka_unit_test(a_string_that_is_not_utf8_is_odd),
        cmocka_unit_test(a_scalar_has_no_length_or_count),
        cmocka_unit_test(components_keep_their_order),
        cmocka_unit_test(a_table_alternates_keys_and_values),
        cmocka_unit_test(a_call_has_function_environment_and_arguments),
        cmocka_unit_test(upper_case_containers_have_a_count),
        cmocka_unit_test(keys_may_be_containers),
        cmocka_unit_test(an_empty_array_with_a_length_is_misread_by_the_client),
        cmocka_unit_test(lower_case_in_a_reply_is_a_count),
        cmocka_unit_test(the_other_reading_is_used_if_only_it_ends_exactly),
        cmocka_unit_test(the_first_reading_is_used_if_neither_ends_exactly),
        cmocka_unit_test(a_fixed_reading_is_not_changed),
        cmocka_unit_test(the_two_wrong_lengths_of_the_documentation_are_reported_with_both_numbers),
        cmocka_unit_test(the_length_of_a_command_with_fixed_operands_has_no_effect),
        cmocka_unit_test(a_string_that_ends_beyond_its_container_is_read_completely),
        cmocka_unit_test(a_string_beyond_the_input_is_skipped_to_the_end_of_its_container),
        cmocka_unit_test(a_missing_operand_is_reported_when_the_command_closes),
        cmocka_unit_test(a_missing_operand_is_not_replaced_by_an_argument_of_the_call),
        cmocka_unit_test(a_length_that_ends_between_operands_is_ignored_at_the_top),
        cmocka_unit_test(a_length_of_0_is_ignored_if_bytes_follow),
        cmocka_unit_test(the_validator_counts_values),
        cmocka_unit_test(a_key_without_value_is_reported_when_the_table_closes),
        cmocka_unit_test(an_unknown_tag_is_skipped_to_the_end_of_its_container),
        cmocka_unit_test(a_count_is_reported_if_an_element_is_unreadable),
        cmocka_unit_test(an_error_is_valid_only_in_replies),
        cmocka_unit_test(a_tag_that_the_receiver_does_not_support_is_odd),
        cmocka_unit_test(the_deepest_level_is_read),
        cmocka_unit_test(below_the_deepest_level_a_length_is_skipped),
        cmocka_unit_test(below_the_deepest_level_a_count_is_a_limit),
        cmocka_unit_test(values_too_deep_in_a_call_are_skipped_to_its_end),
        cmocka_unit_test(truncated_values_that_are_too_deep_report_missing_bytes),
        cmocka_unit_test(each_fault_has_its_code_class_offset_and_needed_bytes),
        cmocka_unit_test(calls_after_a_fault_return_the_same_fault),
        cmocka_unit_test(calls_after_the_end_return_the_end),
        cmocka_unit_test(an_input_above_the_limit_is_not_read),
        cmocka_unit_test(an_integer_is_written_in_two_bytes_if_possible),
        cmocka_unit_test(every_fault_has_a_text_and_a_class),
        cmocka_unit_test(every_oddity_has_a_text),
        cmocka_unit_test(the_consequence_of_a_fault_describes_the_real_receiver),
        cmocka_unit_test(each_tag_has_its_type),
        cmocka_unit_test(each_receiver_supports_its_tags),
        cmocka_unit_test(every_role_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
