/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Squirrel values and commands: bytes in, meaning out. The bytes are those of the format's documentation and
 * of the real scripts.
 */
#include "reading.h"

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
      "45300000006b17000000670a000000730007436f6e736f6c657300055072696e74670a000000730007436f6e736f6c65730002 6869",
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

TEST(a_single_value_is_printed_without_separators)
{
    static const char *const members[] = { "\"a\"", "-1" };
    const char *table = "540100000073000161 77ffff";
    test_bytes input = from_hex(table);
    test_reading reading = read_all(table, NULL);
    char buffer[32];
    gw_text text;
    for (size_t i = 0; i < 2; i++) {
        gw_text_init(&text, buffer, sizeof buffer);
        gw_squirrel_print_value(&text, input.bytes, &reading.events[i + 1]);
        assert_string_equal(buffer, members[i]);
    }
}

TEST(each_example_is_printed_as_its_source_text)
{
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++)
        assert_prints(examples[i].hex, NULL, examples[i].source);
}

TEST(each_example_is_written_byte_for_byte)
{
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

TEST(each_example_is_valid)
{
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        test_bytes example = from_hex(examples[i].hex);
        gw_squirrel_summary summary;
        assert_true(gw_squirrel_validate(example.bytes, example.length, NULL, &summary));
        assert_int_equal(summary.odd, 0);
    }
}
