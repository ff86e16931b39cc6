/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One line of text for a value, as the engine spells it.
 */
#include "reading.h"

#include <locale.h>

/* ---- numbers ------------------------------------------------------------------------------------------- */

/* The text is the same in each generation. */
static const struct {
    double number;
    const char *text;
} spellings[] = {
    { 0.0, "0.0" },
    { -0.0, "-0.0" },
    { 1.0, "1.0" },
    { -2.5, "-2.5" },
    { 16777216.0, "16777216.0" },
    { 1234567.125, "1234567.1" },
    { 1718000000.125, "1718000000.125" },
    { 0.1, "0.1" },
    { 1.0 / 3, "0.3333333333333333" },
    { 3.141592653589793, "3.141592653589793" },
    { 1e-7, "1e-07" },
    { 999999.0, "999999.0" },
    { 1000000.0, "1000000.0" },
    { 999999.5, "999999.5" },
    { 1e14, "100000000000000.0" },
    { 1e15, "1e+15" },
    { 1e39, "1e+39" },
    { 1e100, "1e+100" },
    { 0.0001, "0.0001" },
    { 0.00001, "1e-05" },
    { 0.000123456789, "0.000123456789" },
    { 3.4028234663852886e38, "3.4028235e+38" },
    { 1.401298464324817e-45, "1e-45" },
    { 4.9406564584124654e-324, "5e-324" },
    { 1.7976931348623157e308, "1.7976931348623157e+308" },
};

static const char *printed(gw_godot_generation generation, const gw_godot_writer *writer)
{
    static char buffer[4096];
    gw_text text;
    const gw_godot_options options = { .generation = generation };
    gw_text_init(&text, buffer, sizeof buffer);
    gw_godot_print(&text, writer->output.bytes, writer->output.length, &options);
    return buffer;
}

static const char *printed_float(gw_godot_generation generation, double number)
{
    uint8_t bytes[16];
    gw_godot_writer writer;
    gw_godot_writer_init(&writer, generation, bytes, sizeof bytes);
    gw_godot_write_float(&writer, number);
    return printed(generation, &writer);
}

TEST(floats_have_the_digits_that_read_back_the_same)
{
    for (unsigned i = 0; i < COUNT_OF(spellings); i++) {
        assert_string_equal(printed_float(GW_GODOT_3, spellings[i].number), spellings[i].text);
        assert_string_equal(printed_float(GW_GODOT_4, spellings[i].number), spellings[i].text);
    }
}

TEST(godot_3_keeps_digits_that_var2str_loses)
{
    assert_prints(GW_GODOT_3, "03000100 1d4a9cf487820748", "1e+39");
    assert_prints(GW_GODOT_3, "03000100 1e4a9cf487820748", "1.0000000000000001e+39");
    assert_prints(GW_GODOT_3, "03000100 00000860a699d941", "1718000000.125");
    assert_prints(GW_GODOT_2, "03000000 ffff7f4b", "16777215.0");
    assert_prints(GW_GODOT_3, "16000000 01000000 ffff7f4b", "PoolRealArray( 16777215 )");
    assert_prints(GW_GODOT_3, "05000000 cdcccc3d 3333e340", "Vector2( 0.1, 7.1 )");
}

TEST(nan_and_infinity_have_their_own_text)
{
    assert_prints(GW_GODOT_4, "03000000 0000807f", "inf");
    assert_prints(GW_GODOT_4, "03000000 000080ff", "inf_neg");
    assert_prints(GW_GODOT_3, "03000000 000080ff", "inf_neg");
    assert_prints(GW_GODOT_4, "03000100 000000000000f87f", "nan");
    assert_prints(GW_GODOT_3, "05000000 0000c07f 00000080", "Vector2( nan, -0 )");
}

TEST(components_have_no_point_zero)
{
    assert_prints(GW_GODOT_4, "05000000 0000803f 000010c0", "Vector2(1, -2.25)");
    assert_prints(GW_GODOT_3, "05000000 0000803f 000010c0", "Vector2( 1, -2.25 )");
}

TEST(a_float_has_the_digits_that_its_width_needs)
{
    assert_prints(GW_GODOT_4, "03000000 3cb49649", "1234567.5");
    assert_prints(GW_GODOT_4, "03000000 39b49649", "1234567.1");
    assert_prints(GW_GODOT_4, "03000100 0000002087d63241", "1234567.125");
    assert_prints(GW_GODOT_4, "21000000 01000000 0000002087d63241", "PackedFloat64Array(1234567.125)");
    assert_prints(GW_GODOT_4, "05000100 000000a09999b93f 000000000000f0bf", "Vector2(0.10000000149011612, -1)");
}

/* tests/run.sh creates this locale. */
TEST(numbers_do_not_depend_on_the_locale)
{
    set_comma_locale();
    floats_have_the_digits_that_read_back_the_same(state);
    assert_prints(GW_GODOT_4, "05000000 95bfd633 ec78ad60", "Vector2(1e-07, 1e+20)");
    setlocale(LC_ALL, "C");
}

/* ---- texts --------------------------------------------------------------------------------------------- */

static void assert_quoted(const char *bytes, size_t length, const char *expected)
{
    char buffer[256];
    gw_text text;
    gw_text_init(&text, buffer, sizeof buffer);
    gw_godot_print_quoted(&text, (const uint8_t *)bytes, (uint32_t)length);
    assert_string_equal(buffer, expected);
}

TEST(quotes_and_backslashes_are_escaped)
{
    assert_quoted("say \"hi\"", 8, "\"say \\\"hi\\\"\"");
    assert_quoted("back\\slash", 10, "\"back\\\\slash\"");
    assert_quoted("it's", 4, "\"it's\"");
}

TEST(line_breaks_are_escaped)
{
    assert_quoted("\a\b\t\n\v\f\r", 7, "\"\\a\\b\\t\\n\\v\\f\\r\"");
    assert_quoted("\x01\x1b[0m\x7f\0", 7, "\"\\u0001\\u001b[0m\\u007f\\u0000\"");
    assert_quoted("\xC2\x85\xC2\x9B\xE2\x80\xA8\xE2\x80\xA9", 10, "\"\\u0085\\u009b\\u2028\\u2029\"");
    assert_quoted("\xC2\xA0\xE2\x80\xAA\xE2\x84\xA8", 8, "\"\xC2\xA0\xE2\x80\xAA\xE2\x84\xA8\"");
}

TEST(text_beyond_ascii_is_unchanged)
{
    assert_quoted("\xC3\x85sa \xE6\x97\xA5 \xF0\x9F\x8E\xAE", 13, "\"\xC3\x85sa \xE6\x97\xA5 \xF0\x9F\x8E\xAE\"");
}

TEST(bytes_that_are_not_utf_8_are_printed_in_hexadecimal)
{
    assert_quoted("a\xFFz", 3, "\"a\\xffz\"");
    assert_quoted("\xED\xA0\x80", 3, "\"\\xed\\xa0\\x80\"");
    assert_quoted("\xE6\x97", 2, "\"\\xe6\\x97\"");
}

TEST(string_names_have_an_ampersand)
{
    assert_prints(GW_GODOT_4, "15000000 01000000 61000000", "&\"a\"");
}

/* ---- other types --------------------------------------------------------------------------------------- */

TEST(node_paths_are_written_as_in_a_script)
{
    assert_prints(
        GW_GODOT_4,
        "16000000 02000080 02000000 01000000 01000000 61000000 01000000 62000000 01000000 63000000 01000000 64000000",
        "NodePath(\"/a/b:c:d\")");
    assert_prints(GW_GODOT_3, "0f000000 01000080 00000000 02000000 01000000 61000000 01000000 62000000",
                  "NodePath(\"a:b\")");
    assert_prints(GW_GODOT_2, "10000000 02000000 61220000", "NodePath(\"a\\\"\")");
}

TEST(objects)
{
    assert_prints(GW_GODOT_2, "12000000", "Object()");
    assert_prints(GW_GODOT_3, "11000000 00000000", "null");
    assert_prints(GW_GODOT_3, "11000100 0000000000000000", "null");
    assert_prints(GW_GODOT_4, "18000100 b405001b06000080",
                  "Object(EncodedObjectAsID,\"object_id\":-9223372010631985740)");
    assert_prints(GW_GODOT_4,
                  "18000000 04000000 4e6f6465 02000000 01000000 61000000 00000000 01000000 62000000 01000000 01000000",
                  "Object(Node,\"a\":null,\"b\":true)");
}

TEST(rids)
{
    assert_prints(GW_GODOT_3, "10000000", "RID()");
    assert_prints(GW_GODOT_4, "17000000 0000000000000000", "RID()");
    assert_prints(GW_GODOT_4, "17000000 0000000016000000", "RID(94489280512)");
}

TEST(callables_and_signals)
{
    assert_prints(GW_GODOT_4, "19000000", "Callable()");
    assert_prints(GW_GODOT_4, "1a000000 00000000 0000000000000000", "Signal()");
    assert_prints(GW_GODOT_4, "1a000000 03000000 68697400 0900000000000000",
                  "Signal(Object(EncodedObjectAsID,\"object_id\":9), &\"hit\")");
    assert_prints(GW_GODOT_4, "1a000000 03000000 68697400 0000000000000000",
                  "Signal(Object(EncodedObjectAsID,\"object_id\":0), &\"hit\")");
}

TEST(empty_containers)
{
    assert_prints(GW_GODOT_4, "1c000000 00000000", "[]");
    assert_prints(GW_GODOT_3, "13000000 00000000", "[  ]");
    assert_prints(GW_GODOT_4, "1b000000 00000000", "{}");
    assert_prints(GW_GODOT_3, "14000000 00000000", "PoolByteArray(  )");
    assert_prints(GW_GODOT_4, "1d000000 00000000", "PackedByteArray()");
    assert_prints(GW_GODOT_4, "22000000 00000000", "PackedStringArray()");
}

TEST(typed_containers_are_printed_with_their_types)
{
    assert_prints(GW_GODOT_4, "1c000100 02000000 01000000 02000000 01000000", "Array[int]([1])");
    assert_prints(GW_GODOT_4, "1b000500 04000000 02000000 00000000", "Dictionary[String, int]({})");
    assert_prints(GW_GODOT_4, "1b000400 02000000 00000000", "Dictionary[Variant, int]({})");
    assert_prints(GW_GODOT_4, "1c000200 04000000 4e6f6465 00000000", "Array[Node]([])");
    assert_prints(GW_GODOT_4, "1c000300 08000000 7265733a2f2f612e 00000000", "Array[Resource(\"res://a.\")]([])");
    assert_prints(GW_GODOT_3, "13000100 00000000", "[  ]");
}

TEST(a_fault_is_printed_at_its_position)
{
    assert_prints(GW_GODOT_4, "1c000000 02000000 02000000 07000000 0200", "[7<truncated>");
    assert_prints(GW_GODOT_4, "1c000000 02000000 02000000 07000000 27000000", "[7<malformed>");
}

TEST(printing_may_begin_at_any_offset)
{
    const uint8_t bytes[] = { 0xEE, 2, 0, 0, 0, 7, 0, 0, 0 };
    const gw_godot_options options = { .generation = GW_GODOT_4, .offset = 1 };
    char buffer[32];
    gw_text text;
    gw_text_init(&text, buffer, sizeof buffer);
    gw_godot_print(&text, bytes, sizeof bytes, &options);
    assert_string_equal(buffer, "7");
}

TEST(a_full_text_ends_early)
{
    static const char *const inputs[] = {
        "1c000000 03000000 02000000 39300000 02000000 39300000 02000000 39300000",
        "1e000000 03000000 39300000 39300000 39300000",
        "22000000 02000000 05000000 6162636400000000 05000000 6162636400000000",
        "16000000 02000080 00000000 00000000 04000000 61626364 04000000 61626364",
        "03000100 343333333333d33f",
    };
    for (unsigned i = 0; i < COUNT_OF(inputs); i++)
        for (size_t size = GW_TEXT_MINIMUM; size < 12; size++) {
            char buffer[12];
            gw_text text;
            const gw_godot_options options = { .generation = GW_GODOT_4 };
            size_t length;
            uint8_t *bytes = bytes_of_hex(inputs[i], &length);
            gw_text_init(&text, buffer, size);
            gw_godot_print(&text, bytes, length, &options);
            free(bytes);
            assert_true(text.length < size && !buffer[text.length]);
            assert_true(!text.cut || !strcmp(buffer + text.length - 3, "\xE2\x80\xA6"));
        }
}

TEST(a_long_text_ends_early)
{
    char buffer[8];
    gw_text text;
    gw_text_init(&text, buffer, sizeof buffer);
    gw_godot_print_quoted(&text, (const uint8_t *)"\n\n\n\n\n\n\n\n", 8);
    assert_string_equal(buffer, "\"\\n\\\xE2\x80\xA6");
}

#if SIZE_MAX > UINT32_MAX
TEST(input_of_4_gib_is_too_long_and_not_too_deep)
{
    static const uint8_t nothing[1];
    const gw_godot_options options = { .generation = GW_GODOT_4 };
    char buffer[32];
    gw_text text;
    gw_text_init(&text, buffer, sizeof buffer);
    gw_godot_print(&text, nothing, (size_t)UINT32_MAX + 1, &options);
    assert_string_equal(buffer, "<too long>");
}
#endif
