/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Packets in streams, and the debugger's messages in them.
 */
#include "hex.h"
#include "testing.h"

#include <gamewire/godot_debugger.h>
#include <gamewire/godot_stream.h>

/* {"a": 1} of Godot 4, "hello" and the int 5. */
#define DICTIONARY "1b00000001000000040000000100000061000000 0200000001000000"
#define HELLO      "040000000500000068656c6c6f000000"
#define FIVE       "0200000005000000"

typedef struct test_stream {
    uint8_t bytes[512];
    size_t length;
} test_stream;

static test_stream stream_of(const char *hex)
{
    test_stream stream;
    stream.length = hex_to_bytes(hex, stream.bytes, sizeof stream.bytes);
    return stream;
}

static void assert_packet(const char *hex, gw_godot_stream_order order, uint32_t offset, uint32_t length)
{
    test_stream stream = stream_of(hex);
    const gw_godot_stream_options options = { .order = order };
    gw_godot_stream_reader reader;
    gw_godot_stream_event event;
    gw_godot_stream_init(&reader, stream.bytes, stream.length, &options);
    assert_int_equal(gw_godot_stream_next(&reader, &event), GW_NEXT_EVENT);
    assert_int_equal(event.header.length, GW_GODOT_STREAM_PREFIX);
    assert_int_equal(event.payload.offset, offset);
    assert_int_equal(event.payload.length, length);
    assert_int_equal(gw_godot_stream_next(&reader, &event), GW_NEXT_END);
    assert_int_equal(gw_godot_stream_next(&reader, &event), GW_NEXT_END);
}

TEST(packets_of_either_byte_order)
{
    assert_packet("08000000" FIVE, GW_GODOT_STREAM_LITTLE, 4, 8);
    assert_packet("00000008" FIVE, GW_GODOT_STREAM_BIG, 4, 8);
}

static const struct {
    const char *hex;
    uint32_t code;
    uint32_t offset;
    uint64_t needed;
} faults[] = {
    { "080000", GW_GODOT_STREAM_FAULT_PREFIX_TRUNCATED, 0, 1 },
    { "08000000", GW_GODOT_STREAM_FAULT_PACKET_TRUNCATED, 0, 8 },
    { "08000000 020000", GW_GODOT_STREAM_FAULT_PACKET_TRUNCATED, 0, 5 },
    { "01008000", GW_GODOT_STREAM_FAULT_PACKET_TOO_LONG, 0, 0 },
};

TEST(each_fault_has_its_need)
{
    for (size_t i = 0; i < COUNT_OF(faults); i++) {
        test_stream stream = stream_of(faults[i].hex);
        gw_godot_stream_reader reader;
        gw_godot_stream_event event;
        gw_godot_stream_init(&reader, stream.bytes, stream.length, NULL);
        assert_int_equal(gw_godot_stream_next(&reader, &event), GW_NEXT_FAULT);
        assert_int_equal(gw_godot_stream_next(&reader, &event), GW_NEXT_FAULT);
        assert_int_equal(reader.fault.code, faults[i].code);
        assert_int_equal(reader.fault.offset, faults[i].offset);
        assert_int_equal(reader.fault.needed, faults[i].needed);
    }
}

TEST(words_for_all)
{
    for (uint32_t code = 0; code < GW_GODOT_STREAM_FAULTS; code++)
        assert_string_not_equal(gw_godot_stream_fault_text(code), "Unknown fault");
    assert_string_equal(gw_godot_stream_fault_text(GW_GODOT_STREAM_FAULTS), "Unknown fault");
    assert_int_equal(gw_godot_stream_fault_class(GW_GODOT_STREAM_FAULTS), GW_FAULT_NONE);
    assert_null(gw_godot_stream_fault_consequence(GW_GODOT_STREAM_FAULTS));
    assert_non_null(gw_godot_stream_fault_consequence(GW_GODOT_STREAM_FAULT_PACKET_TOO_LONG));
    assert_string_not_equal(gw_godot_stream_odd_text(GW_GODOT_STREAM_ODD_EMPTY), "Unknown oddity");
    assert_string_equal(gw_godot_stream_odd_text(2), "Unknown oddity");
}

TEST(an_empty_packet_is_odd)
{
    static const uint8_t zeros[4];
    gw_godot_stream_reader reader;
    gw_godot_stream_event event;
    gw_godot_stream_init(&reader, zeros, sizeof zeros, NULL);
    assert_int_equal(gw_godot_stream_next(&reader, &event), GW_NEXT_EVENT);
    assert_int_equal(event.odd, GW_GODOT_STREAM_ODD_EMPTY);
}

TEST(input_beyond_two_gigabytes_is_refused)
{
    static const uint8_t byte;
    gw_godot_stream_reader reader;
    gw_godot_stream_event event;
    gw_godot_stream_init(&reader, &byte, (size_t)INT32_MAX + 1, NULL);
    assert_int_equal(gw_godot_stream_next(&reader, &event), GW_NEXT_FAULT);
    assert_int_equal(reader.fault.code, GW_GODOT_STREAM_FAULT_INPUT_TOO_LONG);
}

static gw_recognition recognised(const char *hex)
{
    test_stream stream = stream_of(hex);
    gw_recognition recognition;
    bool possible = gw_godot_stream_recognise(stream.bytes, stream.length, stream.length, NULL, &recognition);
    assert_int_equal(possible, recognition.possible);
    return recognition;
}

TEST(a_dictionary_with_its_length_is_proof_alone)
{
    gw_recognition recognition = recognised("1c000000" DICTIONARY);
    assert_in_range(recognition.bits, GW_RECOGNISED_ALONE, 200);
    assert_int_equal(recognition.readings, GW_GODOT_STREAM_READING(GW_GODOT_4, GW_GODOT_STREAM_LITTLE));
    recognition = recognised("0000001c" DICTIONARY);
    assert_int_equal(recognition.readings, GW_GODOT_STREAM_READING(GW_GODOT_4, GW_GODOT_STREAM_BIG));
}

TEST(numbers_with_their_length_prove_little_however_many)
{
    assert_in_range(recognised("08000000" FIVE).bits, 1, 4);
    assert_in_range(recognised("08000000" FIVE "08000000" FIVE "08000000" FIVE "08000000" FIVE "08000000" FIVE).bits, 1,
                    12);
}

TEST(a_packet_that_goes_on_is_possible_and_weaker)
{
    gw_recognition whole = recognised("1c000000" DICTIONARY);
    gw_recognition part = recognised("1c000000 1b00000001000000 0400000001000000");
    assert_true(part.possible);
    assert_in_range(part.bits, 1, whole.bits / 2);
    assert_int_equal(recognised("1c000000").bits, 0);
    assert_true(recognised("1c000000").possible);
    assert_true(recognised("1c00").possible);
}

TEST(other_lengths_are_not_possible)
{
    assert_false(recognised("14000000" FIVE "0000").possible);
    assert_false(recognised("0b000000" DICTIONARY).possible);
    assert_false(recognised("474554202f20485454502f312e310d0a").possible); /* GET / HTTP/1.1 */
    assert_false(recognised("160301020001000501020304").possible);         /* TLS */
    assert_false(recognised("").possible);
}

TEST(written_packets)
{
    static const uint8_t packet[] = { 1, 2, 3 };
    uint8_t bytes[16];
    gw_output output;
    gw_output_init(&output, bytes, sizeof bytes);
    gw_godot_stream_write(&output, GW_GODOT_STREAM_LITTLE, packet, sizeof packet);
    gw_godot_stream_write(&output, GW_GODOT_STREAM_BIG, packet, sizeof packet);
    assert_hex_equal(bytes, output.length, "0300000001020300000003010203");
}

/* ---- debugger ------------------------------------------------------------------------------------------- */

static const char *member(const char *message, gw_godot_generation generation, uint32_t index, int32_t *row)
{
    const gw_godot_debugger_layout *layout =
        gw_godot_debugger_layout_of(generation, (const uint8_t *)message, strlen(message));
    assert_non_null(layout);
    return gw_godot_debugger_member(layout, index, row);
}

TEST(members_have_names_and_entries)
{
    int32_t row;
    assert_string_equal(member("error", GW_GODOT_4, 4, &row), "file");
    assert_int_equal(row, -1);
    assert_string_equal(member("error", GW_GODOT_4, 14, &row), "file");
    assert_int_equal(row, 1);
    assert_string_equal(member("stack_dump", GW_GODOT_4, 2, &row), "line");
    assert_int_equal(row, 0);
    assert_null(member("debug_exit", GW_GODOT_4, 0, &row));
    assert_null(member("output", GW_GODOT_3, 0, &row));
    assert_null(gw_godot_debugger_layout_of(GW_GODOT_4, (const uint8_t *)"message:scene_tree", 18));
}

TEST(parts_of_arrays_have_names)
{
    const gw_godot_debugger_layout *error = gw_godot_debugger_layout_of(GW_GODOT_3, (const uint8_t *)"error", 5);
    const gw_godot_debugger_layout *output = gw_godot_debugger_layout_of(GW_GODOT_3, (const uint8_t *)"output", 6);
    assert_string_equal(gw_godot_debugger_part(error, 0, 5), "file");
    assert_null(gw_godot_debugger_part(error, 1, 0));
    assert_null(gw_godot_debugger_part(error, 0, 10));
    assert_string_equal(gw_godot_debugger_part(output, 3, 0), "text");
}

/* ["set_pid", 1, [28]] */
#define SET_PID "1c00000003000000 04000000070000007365745f70696400 0200000001000000 1c00000001000000 020000001c000000"

TEST(a_message_of_godot_4)
{
    test_stream stream = stream_of(SET_PID);
    gw_godot_debugger_message message;
    gw_span element;
    assert_true(gw_godot_debugger_read(stream.bytes, stream.length, GW_GODOT_4, &message));
    assert_memory_equal(stream.bytes + message.name.offset, "set_pid", message.name.length);
    assert_int_equal(message.thread_id, 1);
    assert_int_equal(message.count, 1);
    assert_true(gw_godot_elements_next(&message.elements, &element));
    assert_int_equal(element.offset, 40);
    assert_int_equal(element.length, 8);
    assert_false(gw_godot_elements_next(&message.elements, &element));
}

/* Before 4.2: without the thread. */
TEST(a_message_without_a_thread)
{
    test_stream stream = stream_of("1c00000002000000 04000000070000007365745f70696400 1c00000000000000");
    gw_godot_debugger_message message;
    assert_true(gw_godot_debugger_read(stream.bytes, stream.length, GW_GODOT_4, &message));
    assert_int_equal(message.thread.length, 0);
    assert_int_equal(message.count, 0);
}

TEST(a_command_of_godot_3)
{
    test_stream stream = stream_of("1300000002000000 04000000040000006e657874 0200000007000000");
    gw_godot_debugger_message message;
    gw_span element;
    assert_true(gw_godot_debugger_read(stream.bytes, stream.length, GW_GODOT_3, &message));
    assert_int_equal(message.count, 1);
    assert_true(gw_godot_elements_next(&message.elements, &element));
    assert_int_equal(element.offset, 20);
}

TEST(other_variants_are_no_messages)
{
    static const char *const others[] = {
        "",
        FIVE,
        DICTIONARY,
        "1c00000000000000",
        "1c00000001000000" HELLO,
        "1c00000002000000" HELLO FIVE,
        "1c00000003000000" HELLO HELLO "1c00000000000000",
        "1c00000003000000" HELLO FIVE FIVE,
        "1c00000002000000" FIVE "1c00000000000000",
        "1c00000003000000" HELLO,
    };
    gw_godot_debugger_message message;
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        test_stream stream = stream_of(others[i]);
        assert_false(gw_godot_debugger_read(stream.bytes, stream.length, GW_GODOT_4, &message));
    }
}

TEST(names_of_the_games_own_have_a_prefix)
{
    assert_true(gw_godot_debugger_is_name(GW_GODOT_4, (const uint8_t *)"output", 6));
    assert_true(gw_godot_debugger_is_name(GW_GODOT_4, (const uint8_t *)"game:state", 10));
    assert_false(gw_godot_debugger_is_name(GW_GODOT_4, (const uint8_t *)"state", 5));
    assert_false(gw_godot_debugger_is_name(GW_GODOT_4, (const uint8_t *)"Game:state", 10));
    assert_false(gw_godot_debugger_is_name(GW_GODOT_4, (const uint8_t *)"game:", 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_of_either_byte_order),
        cmocka_unit_test(each_fault_has_its_need),
        cmocka_unit_test(words_for_all),
        cmocka_unit_test(an_empty_packet_is_odd),
        cmocka_unit_test(input_beyond_two_gigabytes_is_refused),
        cmocka_unit_test(a_dictionary_with_its_length_is_proof_alone),
        cmocka_unit_test(numbers_with_their_length_prove_little_however_many),
        cmocka_unit_test(a_packet_that_goes_on_is_possible_and_weaker),
        cmocka_unit_test(other_lengths_are_not_possible),
        cmocka_unit_test(written_packets),
        cmocka_unit_test(members_have_names_and_entries),
        cmocka_unit_test(parts_of_arrays_have_names),
        cmocka_unit_test(a_message_of_godot_4),
        cmocka_unit_test(a_message_without_a_thread),
        cmocka_unit_test(a_command_of_godot_3),
        cmocka_unit_test(other_variants_are_no_messages),
        cmocka_unit_test(names_of_the_games_own_have_a_prefix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
