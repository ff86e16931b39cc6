/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Squirrel's frames: heads, what they hold, split streams; and the printer's finer points.
 */
#include "reading.h"

static gw_squirrel_frame head_of(const char *hex)
{
    test_bytes input = from_hex(hex);
    gw_squirrel_frame frame;
    gw_fault fault;
    assert_true(gw_squirrel_read_frame(input.bytes, input.length, &frame, &fault));
    assert_int_equal(fault.code, GW_SQUIRREL_FAULT_NONE);
    return frame;
}

static gw_fault head_fault(const char *hex)
{
    test_bytes input = from_hex(hex);
    gw_squirrel_frame frame;
    gw_fault fault;
    assert_false(gw_squirrel_read_frame(input.bytes, input.length, &frame, &fault));
    return fault;
}

/* Name, header and content of all nineteen frames, from the table of the specification. */
static const struct {
    const char *hex; /* a complete frame */
    const char *name;
    bool to_server;
    int player;    /* -1: none */
    int64_t token; /* NO_TOKEN: none */
    uint32_t content;
    const char *source;
} frames[] = {
#define NO_TOKEN INT64_MAX
    { "e1ffff406f", "RemoteExecute", false, -1, NO_TOKEN, 4, "null" },
    { "e2ffff40070000006f", "RemoteExecuteSpecial", false, -1, 7, 8, "null" },
    { "e3ffff40ffffffff6500046f6f7073", "Reply", true, -1, -1, 8, "throw \"oops\"" },
    { "e4ffff4000026869", "CompileString", false, -1, NO_TOKEN, 4, "\"hi\"" },
    { "e5ffff4000026869", "RPrint", true, -1, NO_TOKEN, 4, "\"hi\"" },
    { "e6ffff40036f", "PeerExec", true, 3, NO_TOKEN, 5, "null" },
    { "e7ffff4003010000006f", "SendResultToPeer", true, 3, 1, 9, "null" },
    { "e8ffff4003010000006f", "ResultFromPeer", false, 3, 1, 9, "null" },
    { "e9ffff4003010000006f", "PeerExecSpecial", true, 3, 1, 9, "null" },
    { "eaffff40036f", "PeerExecHere", false, 3, NO_TOKEN, 5, "null" },
    { "ebffff4003010000006f", "PeerExecHere2", false, 3, 1, 9, "null" },
    { "eeffff40730001616f", "ClientData", true, -1, NO_TOKEN, 4, "\"a\", null" },
    { "efffff40ffffffff00026869", "LoadNutFile", false, -1, -1, 8, "\"hi\"" },
    { "f0ffff4002000000770100", "NutFileLoaded", true, -1, 2, 8, "1" },
    { "f1ffff406f", "Exec", true, -1, NO_TOKEN, 4, "null" },
    { "f2ffff40020000006f", "ExecSpecial", true, -1, 2, 8, "null" },
    { "f3ffff40020000006f", "ResultFromServer", false, -1, 2, 8, "null" },
};

TEST(each_frame_has_its_head_and_content)
{
    for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++) {
        gw_squirrel_frame frame = head_of(frames[i].hex);
        assert_string_equal(frame.type->name, frames[i].name);
        assert_int_equal(frame.type->to_server, frames[i].to_server);
        assert_int_equal(frame.type->player != GW_SQUIRREL_NO_PLAYER, frames[i].player >= 0);
        assert_int_equal(frame.type->token, frames[i].token != NO_TOKEN);
        assert_int_equal(frame.content, frames[i].content);
        if (frames[i].player >= 0)
            assert_int_equal(frame.player, frames[i].player);
        if (frames[i].token != NO_TOKEN)
            assert_int_equal(frame.token, frames[i].token);
        gw_squirrel_options options = gw_squirrel_frame_options(&frame);
        assert_prints(frames[i].hex, &options, frames[i].source);
    }
}

TEST(each_head_is_written_byte_for_byte)
{
    for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++) {
        test_bytes expected = from_hex(frames[i].hex);
        gw_squirrel_frame frame = head_of(frames[i].hex);
        uint8_t written[32];
        gw_output output;
        gw_output_init(&output, written, sizeof written);
        gw_squirrel_write_frame_head(&output, &frame);
        assert_int_equal(output.length, frame.content);
        assert_memory_equal(written, expected.bytes, output.length);
    }
}

TEST(the_player_is_the_target_to_the_server_and_the_sender_from_it)
{
    for (uint32_t id = GW_SQUIRREL_FIRST_FRAME; id <= GW_SQUIRREL_LAST_FRAME; id++) {
        const gw_squirrel_frame_type *type = gw_squirrel_frame_type_of(id);
        assert_int_equal(type->identifier, id);
        if (type->player != GW_SQUIRREL_NO_PLAYER)
            assert_int_equal(type->player, type->to_server ? GW_SQUIRREL_TARGET_PLAYER : GW_SQUIRREL_SENDER_PLAYER);
    }
}

TEST(identifiers_next_to_the_nineteen_are_unknown)
{
    assert_null(gw_squirrel_frame_type_of(GW_SQUIRREL_FIRST_FRAME - 1));
    assert_null(gw_squirrel_frame_type_of(GW_SQUIRREL_LAST_FRAME + 1));
    gw_fault fault = head_fault("f4ffff406f");
    assert_int_equal(fault.code, GW_SQUIRREL_FAULT_FRAME_UNKNOWN);
    assert_int_equal(fault.fault_class, GW_FAULT_UNSUPPORTED);
}

TEST(a_truncated_header_reports_its_missing_bytes)
{
    static const struct {
        const char *hex;
        uint64_t needed;
    } heads[] = { { "", 4 },         { "e1ffff", 1 },     { "e2ffff4007", 3 },
                  { "e6ffff40", 1 }, { "e7ffff4003", 4 }, { "ecffff4000000000000000000100000000", 1 } };
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        gw_fault fault = head_fault(heads[i].hex);
        assert_int_equal(fault.code, GW_SQUIRREL_FAULT_HEAD_TRUNCATED);
        assert_int_equal(fault.fault_class, GW_FAULT_TRUNCATED);
        assert_int_equal(fault.needed, heads[i].needed);
        assert_int_equal(fault.offset, 0);
    }
}

TEST(replies_and_results_may_be_an_error)
{
    static const uint32_t with_error[] = { GW_SQUIRREL_REPLY, GW_SQUIRREL_SEND_RESULT_TO_PEER,
                                           GW_SQUIRREL_RESULT_FROM_PEER, GW_SQUIRREL_RESULT_FROM_SERVER,
                                           GW_SQUIRREL_NUT_FILE_LOADED };
    unsigned allowed = 0;
    for (uint32_t id = GW_SQUIRREL_FIRST_FRAME; id <= GW_SQUIRREL_LAST_FRAME; id++) {
        gw_squirrel_frame frame = { .type = gw_squirrel_frame_type_of(id) };
        allowed += gw_squirrel_frame_options(&frame).error_at_top;
    }
    assert_int_equal(allowed, sizeof with_error / sizeof with_error[0]);
    for (size_t i = 0; i < sizeof with_error / sizeof with_error[0]; i++) {
        gw_squirrel_frame frame = { .type = gw_squirrel_frame_type_of(with_error[i]) };
        assert_int_equal(gw_squirrel_frame_options(&frame).error_at_top, 1);
    }
}

/* ---- scripts ------------------------------------------------------------------------------------------- */

static const gw_squirrel_options script = { .content = GW_SQUIRREL_CONTENT_SCRIPT };

TEST(a_script_has_no_tag)
{
    test_reading reading = read_all("00026869", &script);
    assert_int_equal(reading.count, 1);
    assert_int_equal(reading.events[0].role, GW_SQUIRREL_ROLE_SCRIPT);
    assert_int_equal(reading.events[0].header.length, 2);
    assert_int_equal(reading.events[0].payload.offset, 2);
}

TEST(a_truncated_script_reports_its_missing_bytes)
{
    assert_int_equal(read_all("", &script).fault.needed, 2);
    assert_int_equal(read_all("00", &script).fault.needed, 1);
    gw_fault fault = read_all("000268", &script).fault;
    assert_int_equal(fault.code, GW_SQUIRREL_FAULT_STRING_TRUNCATED);
    assert_int_equal(fault.needed, 1);
    assert_int_equal(read_all("0000ff", &script).fault.code, GW_SQUIRREL_FAULT_CONTENT_LEFT_OVER);
}

TEST(client_data_is_two_values)
{
    gw_squirrel_options pair = { .content = GW_SQUIRREL_CONTENT_PAIR };
    test_reading reading = read_all("730001616f", &pair);
    assert_int_equal(reading.count, 2);
    assert_int_equal(reading.events[0].role, GW_SQUIRREL_ROLE_IDENTIFIER);
    assert_int_equal(reading.events[1].role, GW_SQUIRREL_ROLE_DATA);
    assert_int_equal(read_all("73000161", &pair).fault.code, GW_SQUIRREL_FAULT_VALUE_MISSING);
}

/* ---- split streams ------------------------------------------------------------------------------------- */

TEST(a_chunk_has_its_stream_and_index)
{
    gw_squirrel_frame frame = head_of("ecffff40 05000000 02000000 03000000 0200 6869");
    assert_int_equal(frame.sequence, 5);
    assert_int_equal(frame.chunk, 2);
    assert_int_equal(frame.chunks, 3);
    assert_int_equal(frame.chunk_length, 2);
    assert_int_equal(frame.chunk_odd, 0);
    assert_int_equal(frame.content, GW_SQUIRREL_SPLIT_HEAD);
}

TEST(oddities_of_a_chunk_are_reported)
{
    static const struct {
        const char *hex;
        uint16_t odd;
    } chunks[] = {
        { "edffff40 00000000 00000000 01000000 0100 78", 0 },
        { "edffff40 00000000 00000000 00000000 0100 78", GW_SQUIRREL_CHUNK_NO_TOTAL },
        { "edffff40 00000000 03000000 03000000 0100 78", GW_SQUIRREL_CHUNK_BEYOND },
        { "edffff40 00000000 00000000 01000000 0200 78", GW_SQUIRREL_CHUNK_LENGTH },
        { "edffff40 00000000 00000000 01000000 ec0f 78", GW_SQUIRREL_CHUNK_LENGTH | GW_SQUIRREL_CHUNK_TOO_LONG },
        { "edffff40 00000000 00000000 02000000 0100 78", GW_SQUIRREL_CHUNK_SHORT },
        { "edffff40 00000000 03000000 03000000 0200 78", GW_SQUIRREL_CHUNK_BEYOND | GW_SQUIRREL_CHUNK_LENGTH },
        { "edffff40 00000000 00000000 00000000 0200 78", GW_SQUIRREL_CHUNK_NO_TOTAL | GW_SQUIRREL_CHUNK_LENGTH },
    };
    for (size_t i = 0; i < sizeof chunks / sizeof chunks[0]; i++)
        assert_int_equal(head_of(chunks[i].hex).chunk_odd, chunks[i].odd);
}

TEST(a_chunk_head_is_written_byte_for_byte)
{
    const char *hex = "ecffff40 05000000 02000000 03000000 0200";
    gw_squirrel_frame frame = head_of(hex);
    test_bytes expected = from_hex(hex);
    uint8_t written[18];
    gw_output output;
    gw_output_init(&output, written, sizeof written);
    gw_squirrel_write_frame_head(&output, &frame);
    assert_int_equal(output.length, sizeof written);
    assert_memory_equal(written, expected.bytes, sizeof written);
}

/* ---- writing into a buffer that is too small ----------------------------------------------------------- */

TEST(a_writer_without_a_buffer_returns_the_length)
{
    uint8_t little[4];
    gw_output output;
    gw_output_init(&output, little, sizeof little);
    size_t opened = gw_squirrel_write_open(&output, GW_SQUIRREL_ARRAY);
    gw_squirrel_write_error(&output, "oops", 4);
    gw_squirrel_write_blob(&output, "blob", 4);
    gw_squirrel_write_integer(&output, 70000);
    gw_squirrel_write_close(&output, opened);
    assert_false(gw_output_complete(&output));
    assert_int_equal(output.length, 5 + 7 + 9 + 5);
}

/* ---- the printer --------------------------------------------------------------------------------------- */

TEST(parentheses_are_printed_only_where_precedence_needs_them)
{
    static const struct {
        const char *hex;
        const char *source;
    } sums[] = {
        { "2a0e0000002b06000000770100770200770300", "(1 + 2) * 3" },
        { "2b0e0000002a06000000770100770200770300", "1 * 2 + 3" },
        { "2d0e0000002d06000000770100770200770300", "1 - 2 - 3" },
        { "2d0e0000007701002d06000000770200770300", "1 - (2 - 3)" },
        { "2f0e0000007701002a06000000770200770300", "1 / (2 * 3)" },
        { "2b0e0000007701002506000000770200770300", "1 + 2 % 3" },
        { "750b0000002b06000000770100770200", "-(1 + 2)" },
        { "2a0b0000007503000000770100770200", "-1 * 2" },
        { "2d06000000770100 77feff", "1 - -2" },
    };
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++)
        assert_prints(sums[i].hex, NULL, sums[i].source);
}

/* "--" is the decrement operator. */
TEST(a_sign_before_a_sign_is_parenthesized)
{
    assert_prints("750800000075030000007701 00", NULL, "-(-1)");
    assert_prints("750300000077ffff", NULL, "-(-1)");
    assert_prints("7503000000770100", NULL, "-1");
    assert_prints("7503000000770000", NULL, "-0");
    assert_prints("75050000006900000000", NULL, "-0");
    assert_prints("7505000000660000c03f", NULL, "-1.5");
    assert_prints("7505000000660000 80bf", NULL, "-(-1.0)");
    assert_prints("7505000000660000 0080", NULL, "-(-0.0)");
}

TEST(only_keys_that_are_identifiers_are_bare)
{
    static const struct {
        const char *hex;
        const char *source;
    } tables[] = {
        { "5401000000 7300025f31 6f", "{_1 = null}" },
        { "5401000000 73000131 6f", "{[\"1\"] = null}" },
        { "5401000000730006415a617a30396f", "{AZaz09 = null}" },
        { "540100000073000240416f", "{[\"@A\"] = null}" },
        { "54010000007300025b5b6f", "{[\"[[\"] = null}" },
        { "5401000000 730000 6f", "{[\"\"] = null}" },
        { "5401000000 730003782079 6f", "{[\"x y\"] = null}" },
        { "5401000000 7300026966 6f", "{[\"if\"] = null}" },
        { "5401000000 770500 6f", "{[5] = null}" },
        { "5401000000 6601000000 6f", "{[1e-45] = null}" },
        { "5401000000 4100000000 6f", "{[[]] = null}" },
        { "5402000000 73000161 6f 73000162 6f", "{a = null, b = null}" },
    };
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        assert_prints(tables[i].hex, NULL, tables[i].source);
}

TEST(members_of_a_class_have_no_comma)
{
    assert_prints("6302000000 730001787701007300017963000000006f", NULL, "class {x = 1; y = class {}}");
    assert_prints("63020000007300017877010073000179 6f", NULL, "class {x = 1; y = null}");
}

TEST(a_component_of_minus_0_is_a_float)
{
    assert_prints("760000008000000000cdcccc3d", NULL, "Vector(-0.0, 0, 0.1)");
}

/* The called, read or set name; NULL if it is computed. */
static const struct {
    const char *hex;
    const char *name;
} names[] = {
    { "670400000073000161", "a" },
    { "6b12000000730007436f6e736f6c657300055072696e74", "Console.Print" },
    { "6b17000000670a000000730007436f6e736f6c657300055072696e74", "Console.Print" },
    { "680900000073000161660000803f", "a" },
    { "46160000006709000000730006727072696e7473000548656c6c6f", "rprint" },
    { "45300000006b17000000670a000000730007436f6e736f6c657300055072696e74670a000000730007436f6e736f6c65730002 6869",
      "Console.Print" },
    { "6703000000770100", NULL },
    { "67090000002b04000000 6f6f6f6f", NULL },
    { "6700000000", NULL },
    { "460400000067040000007300", NULL },
    { "6f", NULL },
    { "6704000000780001", NULL },
};

TEST(the_name_of_a_command_is_a_path)
{
    static const gw_squirrel_options options = { .reading = GW_SQUIRREL_BYTES };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char buffer[64];
        gw_text text;
        test_bytes input = from_hex(names[i].hex);
        gw_text_init(&text, buffer, sizeof buffer);
        bool named = gw_squirrel_print_name(&text, input.bytes, input.length, &options);
        if (named != (names[i].name != NULL))
            fail_msg("%s", names[i].hex);
        if (named)
            assert_string_equal(buffer, names[i].name);
    }
}

TEST(a_name_is_appended)
{
    char buffer[64];
    gw_text text;
    test_bytes input = from_hex(names[0].hex), computed = from_hex("67");
    gw_text_init(&text, buffer, sizeof buffer);
    gw_text_string(&text, "of ");
    assert_true(gw_squirrel_print_name(&text, input.bytes, input.length, NULL));
    assert_memory_equal(buffer, "of ", 3);
    assert_string_equal(buffer + 3, names[0].name);
    assert_false(gw_squirrel_print_name(&text, computed.bytes, computed.length, NULL));
}

TEST(a_name_longer_than_its_buffer_is_cut)
{
    static const gw_squirrel_options options = { .reading = GW_SQUIRREL_BYTES };
    char buffer[8];
    uint8_t bytes[512];
    gw_text text;
    gw_output output;
    gw_output_init(&output, bytes, sizeof bytes);
    size_t opened = gw_squirrel_write_open(&output, GW_SQUIRREL_GET);
    uint8_t name[300];
    memset(name, 'n', sizeof name);
    gw_squirrel_write_string(&output, name, sizeof name);
    gw_squirrel_write_close(&output, opened);
    gw_text_init(&text, buffer, sizeof buffer);
    assert_true(gw_squirrel_print_name(&text, bytes, output.length, &options));
    assert_string_equal(buffer, "nnnn\xE2\x80\xA6");
}

/* The keywords that the Squirrel 3 reference manual lists, and "do", which it describes as a statement. */
TEST(reserved_words_are_quoted)
{
    static const char *const words[] = {
        "__FILE__", "__LINE__", "base",   "break",      "case",  "catch",  "class",   "clone",  "const",  "constructor",
        "continue", "default",  "delete", "do",         "else",  "enum",   "extends", "false",  "for",    "foreach",
        "function", "if",       "in",     "instanceof", "local", "null",   "rawcall", "resume", "return", "static",
        "switch",   "this",     "throw",  "true",       "try",   "typeof", "while",   "yield",
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        char hex[64], expected[64];
        int written = snprintf(hex, sizeof hex, "540100000073%04x", (unsigned)strlen(words[i]));
        for (const char *letter = words[i]; *letter; letter++)
            written += snprintf(hex + written, sizeof hex - (size_t)written, "%02x", (unsigned)*letter);
        snprintf(hex + written, sizeof hex - (size_t)written, "6f");
        snprintf(expected, sizeof expected, "{[\"%s\"] = null}", words[i]);
        assert_prints(hex, NULL, expected);
    }
}

TEST(long_words_are_not_reserved)
{
    assert_prints("540100000073000c636f6e7374727563746f72736f", NULL, "{constructors = null}");
    assert_prints("540100000073000b636f6e7374727563746f726f", NULL, "{[\"constructor\"] = null}");
    assert_prints("54010000007300036672656f", NULL, "{fre = null}");
}

/* The key of GetRemoteValue is an operand: an ordinary string. */
TEST(the_key_of_an_operand_is_printed_as_a_string)
{
    assert_prints("5401000000 670400000073000161 6f", NULL, "{[GetRemoteValue(\"a\")] = null}");
}

TEST(strings_are_escaped)
{
    assert_prints("730006225c0a0d0900", NULL, "\"\\\"\\\\\\n\\r\\t\\x00\"");
    assert_prints("7300047fe9 c3a9", NULL, "\"\\x7f\\xe9\xC3\xA9\"");
    assert_prints("730002c2a1", NULL, "\"\xC2\xA1\"");
    assert_prints("730002c285", NULL, "\"\\xc2\\x85\"");
    assert_prints("730004c2a0d0b1", NULL, "\"\xC2\xA0\xD0\xB1\"");
}

TEST(floats_are_printed_with_a_point)
{
    assert_prints("660000803f", NULL, "1.0");
    assert_prints("6600000080", NULL, "-0.0");
    assert_prints("66cdcccc3d", NULL, "0.1");
    assert_prints("66ffff7f7f", NULL, "3.4028235e+38");
    assert_prints("660000807f", NULL, "inf");
    assert_prints("66000080ff", NULL, "-inf");
    assert_prints("660000c07f", NULL, "nan");
}

TEST(blobs_classes_and_errors_have_a_text)
{
    assert_prints("42020000000061", NULL, "blob(\"\\x00\\x61\")");
    assert_prints("6300000000", NULL, "class {}");
    assert_prints("65000161", NULL, "throw \"a\"");
}

TEST(a_fault_ends_the_source_with_an_ellipsis)
{
    assert_prints("4102000000770100", NULL, "[1\xE2\x80\xA6");
    assert_prints("6f00", NULL, "null");
    assert_prints("", NULL, "");
    assert_prints("78", NULL, "\xE2\x80\xA6");
    assert_prints("7300", NULL, "\xE2\x80\xA6");
    assert_prints("6f", &(gw_squirrel_options){ .content = GW_SQUIRREL_CONTENT_PAIR }, "null");
}

TEST(a_missing_operand_is_printed_as_an_ellipsis)
{
    assert_prints("2b03000000770100", NULL, "1 + \xE2\x80\xA6");
    assert_prints("2b00000000", NULL, "\xE2\x80\xA6 + \xE2\x80\xA6");
    assert_prints("7500000000", NULL, "-\xE2\x80\xA6");
}

TEST(the_printer_stops_when_its_text_is_full)
{
    char buffer[12];
    gw_text text;
    test_bytes input = from_hex("4103000000730005 6170706c65 770100 770200");
    gw_text_init(&text, buffer, sizeof buffer);
    gw_squirrel_print(&text, input.bytes, input.length, NULL);
    assert_true(text.cut);
    assert_string_equal(buffer, "[\"apple\"\xE2\x80\xA6");
}
