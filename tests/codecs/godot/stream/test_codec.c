/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Variants in streams: bytes of pcaps/godot/stream, cut everywhere, in both byte orders, between bytes of the game's
 * own; each fault with its offset and the bytes that it needs; beginnings of other protocols.
 */
#include "hex.h"
#include "testing.h"

#include <stdio.h>

#include <gamewire/godot_stream.h>

#define DICTIONARY \
    "1b000000 04000000 04000000 03000000 636d6400 04000000 04000000 6a6f696e 04000000 04000000 6e616d65 04000000" \
    "04000000 c3857361 04000000 07000000 76657273696f6e00 02000000 03000000 04000000 05000000 636f6c6f72000000" \
    "14000000 0000803e 0000003f 0000403f 0000803f"
#define DICTIONARY_TEXT "{\"cmd\": \"join\", \"name\": \"Åsa\", \"version\": 3, \"color\": Color(0.25, 0.5, 0.75, 1)}"
#define MIXED_TURN \
    "c8 06000000 68c3a96c6c6f" \
    "48000000 1b00000002000000040000000400 " \
    "00007475726e020000000000000004000000050000006974656d730000001c00000002000000" \
    "0200000001000000040000000300000074776f00 d4fe 08000000 000000000000d03f" \
    "1c000000 0400000011000000616674657220746865206e756d62657273000000"
#define PACKETS "0d000000 6e6f7420612056617269616e74 03000000 00ff07"

typedef struct test_stream {
    uint8_t bytes[2048];
    size_t length;
} test_stream;

static test_stream stream_of(const char *hex)
{
    test_stream stream;
    stream.length = hex_to_bytes(hex, stream.bytes, sizeof stream.bytes);
    return stream;
}

/* "v72" a Variant of 72 bytes, "p13" a packet, "u11" unknown bytes; then the result at the end. */
static void assert_items(const char *hex, const gw_godot_stream_options *options, const char *expected)
{
    test_stream stream = stream_of(hex);
    gw_godot_stream_reader reader;
    gw_godot_stream_event event;
    char text[512] = "";
    gw_godot_stream_init(&reader, stream.bytes, stream.length, options);
    while (gw_godot_stream_next(&reader, &event) == GW_NEXT_EVENT)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%c%u ", "vpu"[event.role], event.payload.length);
    if (reader.fault.fault_class)
        snprintf(text + strlen(text), sizeof text - strlen(text), "fault %u at %u needs %u", reader.fault.code,
                 reader.fault.offset, (unsigned)reader.fault.needed);
    assert_string_equal(text, expected);
}

static void assert_printed(const char *hex, const char *line)
{
    test_stream stream = stream_of(hex);
    char buffer[512];
    gw_text text;
    gw_text_init(&text, buffer, sizeof buffer);
    gw_godot_stream_print(&text, stream.bytes, stream.length, NULL);
    assert_string_equal(buffer, line);
}

static gw_recognition recognize(const char *hex)
{
    test_stream stream = stream_of(hex);
    gw_recognition recognition;
    assert_true(gw_godot_stream_recognize(stream.bytes, stream.length, stream.length, NULL, &recognition) ==
                recognition.possible);
    return recognition;
}

/* ---- messages ------------------------------------------------------------------------------------------ */

TEST(messages_follow_each_other)
{
    assert_items("74000000" DICTIONARY "04000000 00000000 08000000 01000000 01000000", NULL, "v116 v4 v8 ");
    assert_printed("74000000" DICTIONARY "08000000 01000000 01000000", DICTIONARY_TEXT "; true");
}

TEST(the_length_is_in_the_byte_order_of_the_stream_and_the_variant_is_not)
{
    assert_items("00000074" DICTIONARY "00000004 00000000", NULL, "v116 v4 ");
    assert_printed("00000074" DICTIONARY, DICTIONARY_TEXT);
}

TEST(the_byte_order_may_change_before_any_message)
{
    assert_items("74000000" DICTIONARY "00000008 02000000 07000000 00000074" DICTIONARY "08000000 02000000 07000000",
                 NULL, "v116 v8 v116 v8 ");
    assert_items("00000074" DICTIONARY "08000000 02000000 07000000 74000000" DICTIONARY "00000008 02000000 07000000",
                 NULL, "v116 v8 v116 v8 ");
}

TEST(the_byte_order_of_the_message_before_is_tried_first)
{
    const gw_godot_stream_options little = { .last_order = GW_GODOT_STREAM_LITTLE },
                                  big = { .last_order = GW_GODOT_STREAM_BIG };
    /* 65,792 in both byte orders; without evidence, little-endian. */
    static uint8_t bytes[4 + 65792] = { 0, 1, 1, 0, 29, 0, 0, 0, 0xF8, 0, 1, 0 };
    const gw_godot_stream_options *const all[] = { &little, &big, NULL };
    static const uint8_t expected[] = { GW_GODOT_STREAM_LITTLE, GW_GODOT_STREAM_BIG, GW_GODOT_STREAM_LITTLE };
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        gw_godot_stream_summary summary;
        assert_true(gw_godot_stream_validate(bytes, sizeof bytes, all[i], &summary));
        assert_int_equal(summary.order, expected[i]);
    }
    /* A packet has no Variant as evidence: its length is in the byte order of the previous message. */
    assert_items("0000000d 6e6f7420612056617269616e74 00000008 02000000 07000000", &big, "p13 v8 ");
    assert_items("0000000d 6e6f7420612056617269616e74 08000000 02000000 07000000", &little, "u17 v8 ");
}

TEST(a_length_in_the_other_byte_order_needs_a_variant)
{
    const gw_godot_stream_options little = { .last_order = GW_GODOT_STREAM_LITTLE };
    /* A bool of 2, the beginning of an int, and after other bytes an int: none of them is evidence. */
    assert_items("00000008 01000000 02000000", &little, "fault 3 at 0 needs 1");
    assert_items("00000100 02000000 07000000", &little, "fault 3 at 0 needs 1");
    assert_items("c8 00000008 02000000 07000000", &little, "fault 3 at 0 needs 1");
    /* A message in two segments, and one after other bytes. */
    assert_items("000000d4 1b000000 08000000 04000000 03000000 636d6400 04000000 04000000 6a6f696e 04000000 04000000 "
                 "6e616d65 04000000 04000000 c3857361 04000000 07000000 76657273696f6e00 02000000 03000000",
                 &little, "fault 2 at 0 needs 132");
    assert_items("c8 00000074" DICTIONARY, &little, "u1 v116 ");
}

TEST(packets_without_a_variant_are_detected_by_their_lengths)
{
    assert_items(PACKETS "08000000 02000000 07000000", NULL, "p13 p3 v8 ");
    assert_items("08000000 02000000 07000000" PACKETS, NULL, "v8 p13 p3 ");
}

TEST(other_bytes_are_unknown_up_to_the_next_message)
{
    assert_items(MIXED_TURN MIXED_TURN, NULL, "u11 v72 u14 v28 u11 v72 u14 v28 ");
    /* The smallest message that is found, at the end of the bytes. */
    assert_items("c8 08000000 02000000 07000000", NULL, "u1 v8 ");
}

/* {"a": 0} */
#define SMALL_4 "1c000000 1b000000 01000000 04000000 01000000 61000000 02000000 00000000"
#define SMALL_3 "1c000000 12000000 01000000 04000000 01000000 61000000 02000000 00000000"

TEST(a_number_before_a_message_is_not_its_length)
{
    const gw_godot_stream_options end = { .is_end = true }, little = { .last_order = GW_GODOT_STREAM_LITTLE };
    /* put_u32(200000): the next length, 28, is the type of an Array. */
    assert_items("400d0300" SMALL_4, NULL, "u4 v28 ");
    assert_items("400d0300" SMALL_4, &little, "u4 v28 ");
    assert_items("400d0300" SMALL_4, &end, "u4 v28 ");
    assert_items("400d0300" SMALL_4 "400d0300" SMALL_4, NULL, "u4 v28 u4 v28 ");
    assert_items("400d0300" SMALL_3 SMALL_3, NULL, "u4 v28 v28 ");
    assert_items("00030d40" SMALL_4 SMALL_4, NULL, "u4 v28 v28 ");
    assert_items(SMALL_4 "400d0300" SMALL_4 "1c000000", NULL, "v28 u4 v28 fault 1 at 68 needs 4");
}

static bool is_uncertain(const char *hex)
{
    test_stream stream = stream_of(hex);
    gw_godot_stream_reader reader;
    gw_godot_stream_event event;
    gw_godot_stream_init(&reader, stream.bytes, stream.length, NULL);
    assert_int_equal(gw_godot_stream_next(&reader, &event), GW_NEXT_FAULT);
    assert_int_equal(reader.fault.code, GW_GODOT_STREAM_FAULT_VALUE_TRUNCATED);
    return reader.is_uncertain;
}

TEST(a_truncated_message_without_evidence_is_uncertain)
{
    assert_true(is_uncertain("400d0300 1c000000"));
    assert_true(is_uncertain("400d0300 1c000000 1b000000 01000000"));
    /* The length of a text fits that of its message; a Dictionary with names. */
    assert_false(is_uncertain("400d0300 04000000 380d0300 61626364"));
    assert_false(is_uncertain("d4000000 1b000000 08000000 04000000 03000000 636d6400 04000000 04000000 6a6f696e "
                              "04000000 04000000 6e616d65 04000000 04000000 c3857361"));
}

TEST(a_truncated_message_may_contain_whole_messages)
{
    /* PackedByteArrays of a recorded stream: alone, and in an Array. */
    assert_items("400d0300 1d000000 380d0300" SMALL_4 SMALL_4 SMALL_4, NULL, "fault 2 at 0 needs 199896");
    assert_items("400d0300 1c000000 02000000 02000000 07000000 1d000000 280d0300" SMALL_4 SMALL_4 SMALL_4, NULL,
                 "fault 2 at 0 needs 199880");
    /* An Array of ints, of which an 8 and the next header are the beginning of a message. */
    assert_items("400d0300 1c000000 88130000 02000000 08000000 02000000 07000000 02000000 08000000 02000000 07000000",
                 NULL, "fault 2 at 0 needs 199960");
    /* An Array with a control character, which is unlikely, and with 28 and {"a": 0} among other values. */
    assert_items("400d0300 1c000000 88130000 04000000 01000000 07000000 02000000" SMALL_4
                 "02000000 05000000 02000000 06000000 02000000 05000000 02000000 06000000",
                 NULL, "fault 2 at 0 needs 199912");
}

TEST(the_rest_of_an_earlier_message_is_unknown)
{
    assert_items("6a6f696e 04000000 04000000 6e616d65 74000000" DICTIONARY, NULL, "u16 v116 ");
}

TEST(bytes_after_the_variant_inside_its_message_are_trailing)
{
    test_stream stream = stream_of("1c000000 1c000000 01000000 04000000 08000000 6120746578742121 aabbccdd");
    gw_godot_stream_reader reader;
    gw_godot_stream_event event;
    gw_godot_stream_init(&reader, stream.bytes, stream.length, NULL);
    assert_int_equal(gw_godot_stream_next(&reader, &event), GW_NEXT_EVENT);
    assert_int_equal(event.role, GW_GODOT_STREAM_ROLE_VARIANT);
    assert_int_equal(event.odd, GW_GODOT_STREAM_ODD_TRAILING);
    assert_int_equal(event.padding.offset, 28);
    assert_int_equal(event.padding.length, 4);
}

/* ---- faults -------------------------------------------------------------------------------------------- */

TEST(a_truncated_stream_reports_the_bytes_needed)
{
    assert_items("740000", NULL, "fault 1 at 0 needs 1");
    assert_items("74000000", NULL, "fault 1 at 0 needs 4");
    assert_items("74000000 1b000000 04000000 04000000", NULL, "fault 2 at 0 needs 104");
    assert_items("04000000 00000000 7400", NULL, "v4 fault 1 at 8 needs 2");
    assert_items("c8 06000000 68c3a96c6c6f", NULL, "fault 3 at 0 needs 1");
}

TEST(at_the_end_of_a_stream_no_bytes_are_needed)
{
    const gw_godot_stream_options end = { .is_end = true };
    assert_items("04000000 00000000 7400", &end, "v4 u2 ");
    assert_items("c8 06000000 68c3a96c6c6f", &end, "u11 ");
}

TEST(a_message_is_found_after_any_part_of_earlier_bytes)
{
    test_stream stream =
        stream_of("74000000" DICTIONARY "1c000000 0400000011000000616674657220746865206e756d62657273000000");
    for (size_t from = 1; from < stream.length - 32; from++) {
        gw_godot_stream_reader reader;
        gw_godot_stream_event event;
        gw_godot_stream_init(&reader, stream.bytes + from, stream.length - from, NULL);
        while (gw_godot_stream_next(&reader, &event) == GW_NEXT_EVENT && event.role != GW_GODOT_STREAM_ROLE_VARIANT)
            ;
        assert_int_equal(event.role, GW_GODOT_STREAM_ROLE_VARIANT);
        assert_int_equal(from + event.header.offset, 120);
    }
}

TEST(more_bytes_never_change_earlier_events)
{
    test_stream stream = stream_of("74000000" DICTIONARY MIXED_TURN);
    for (size_t length = 0; length <= stream.length; length++) {
        gw_godot_stream_reader reader;
        gw_godot_stream_event event;
        gw_godot_stream_init(&reader, stream.bytes, length, NULL);
        uint32_t at = 0;
        while (gw_godot_stream_next(&reader, &event) == GW_NEXT_EVENT) {
            assert_int_equal(event.header.offset, at);
            at = gw_span_end(event.padding);
            if (event.role == GW_GODOT_STREAM_ROLE_VARIANT)
                assert_true(event.payload.length == 116 || event.payload.length == 72 || event.payload.length == 28);
        }
        assert_int_equal(at, reader.offset);
    }
}

TEST(every_fault_has_a_class_and_a_text)
{
    for (uint32_t code = 1; code < GW_GODOT_STREAM_FAULTS; code++) {
        assert_true(gw_fault_class_of(&gw_godot_stream_faults, code) != GW_FAULT_NONE);
        assert_string_not_equal(gw_fault_text(&gw_godot_stream_faults, code), "Unknown fault");
    }
    assert_non_null(gw_fault_consequence(&gw_godot_stream_faults, GW_GODOT_STREAM_FAULT_VALUE_TRUNCATED));
    assert_string_equal(gw_odd_text(&gw_godot_stream_faults, 1U << 20), "Unknown oddity");
}

/* ---- recognition --------------------------------------------------------------------------------------- */

TEST(a_dictionary_is_sufficient)
{
    assert_true(recognize("74000000" DICTIONARY).bits >= GW_RECOGNIZED_ALONE);
    assert_true(recognize("00000074" DICTIONARY).bits >= GW_RECOGNIZED_ALONE);
    assert_int_equal(recognize("74000000" DICTIONARY).readings, 1U << GW_GODOT_4);
    assert_int_equal(recognize("00000074" DICTIONARY).readings, 1U << (GW_GODOT_4 + 8));
}

TEST(copies_of_a_message_are_no_further_evidence)
{
    uint32_t one = recognize("0c000000 04000000 01000000 61000000").bits;
    assert_int_equal(recognize("0c000000 04000000 01000000 61000000 0c000000 04000000 01000000 61000000").bits, one);
}

TEST(a_length_alone_is_not_evidence)
{
    gw_recognition recognition = recognize("74000000");
    assert_true(recognition.possible);
    assert_int_equal(recognition.bits, 0);
}

TEST(other_length_prefixed_protocols_are_not_recognized)
{
    /* The beginnings of JSON, MessagePack, protocol buffers, BSON, SSH and TLS. */
    static const char *const others[] = {
        "10000000 7b22636d64223a226a6f696e22 7d0a20",
        "08000000 82a26964 07a26870 64",
        "0c000000 0a04 6a6f696e 10071801 200000",
        "16000000 0268656c6c6f00060000 00776f726c640000",
        "5353482d322e302d4f70656e5353485f392e320d0a",
        "16030100c8010000c40303aabbccddeeff00112233445566778899aabbccddeeff",
        "00000010 7b22636d64223a226a6f696e22 7d0a20",
        "474554202f20485454502f312e310d0a486f73743a20610d0a0d0a",
        "08000000 02000000 07000000 08000000 02000000 08000000",
    };
    for (size_t i = 0; i < COUNT_OF(others); i++)
        assert_true(recognize(others[i]).bits < 8);
}

TEST(random_bytes_are_not_recognized)
{
    struct dice dice = { 77 };
    for (unsigned n = 0; n < 200000; n++) {
        uint8_t bytes[64];
        gw_recognition recognition;
        for (size_t i = 0; i < sizeof bytes; i += 8) {
            uint64_t number = roll(&dice);
            memcpy(bytes + i, &number, 8);
        }
        gw_godot_stream_recognize(bytes, sizeof bytes, sizeof bytes, NULL, &recognition);
        assert_int_equal(recognition.bits, 0);
    }
}

TEST(a_prefix_is_written_in_either_order)
{
    uint8_t bytes[8];
    gw_output output;
    gw_output_init(&output, bytes, sizeof bytes);
    gw_godot_stream_write_prefix(&output, GW_GODOT_STREAM_LITTLE, 0x74);
    gw_godot_stream_write_prefix(&output, GW_GODOT_STREAM_BIG, 0x74);
    assert_hex_equal(bytes, output.length, "74000000 00000074");
}

/* ---- limits and texts ---------------------------------------------------------------------------------- */

TEST(input_beyond_two_gigabytes_is_rejected)
{
    static const uint8_t byte;
    gw_godot_stream_summary summary;
    gw_recognition recognition;
    assert_false(gw_godot_stream_validate(&byte, (size_t)INT32_MAX + 1, NULL, &summary));
    assert_int_equal(summary.fault.code, GW_GODOT_STREAM_FAULT_TOO_LONG);
    assert_false(gw_godot_stream_recognize(&byte, (size_t)INT32_MAX + 1, SIZE_MAX, NULL, &recognition));
}

TEST(reading_may_start_at_any_offset)
{
    const gw_godot_stream_options late = { .offset = 99 }, second = { .offset = 8 };
    test_stream stream = stream_of("04000000 00000000 08000000 02000000 07000000");
    gw_godot_stream_summary summary;
    assert_items("04000000 00000000", &late, "");
    assert_true(gw_godot_stream_validate(stream.bytes, stream.length, &second, &summary));
    assert_int_equal(summary.length, 12);
    assert_int_equal(summary.variants, 1);
}

TEST(calls_after_a_fault_return_the_fault)
{
    gw_godot_stream_reader reader;
    gw_godot_stream_event event;
    test_stream stream = stream_of("740000");
    gw_godot_stream_init(&reader, stream.bytes, stream.length, NULL);
    assert_int_equal(gw_godot_stream_next(&reader, &event), GW_NEXT_FAULT);
    assert_int_equal(gw_godot_stream_next(&reader, &event), GW_NEXT_FAULT);
}

/* Otherwise a stream of another protocol would be collected without end. */
TEST(beyond_the_window_bytes_without_a_message_are_unknown)
{
    static uint8_t bytes[GW_GODOT_STREAM_WINDOW + 100];
    gw_godot_stream_reader reader;
    gw_godot_stream_event event;
    memset(bytes, 0xFF, sizeof bytes);
    gw_godot_stream_init(&reader, bytes, sizeof bytes, NULL);
    assert_int_equal(gw_godot_stream_next(&reader, &event), GW_NEXT_EVENT);
    assert_int_equal(event.role, GW_GODOT_STREAM_ROLE_UNKNOWN);
    assert_int_equal(event.payload.length, sizeof bytes - 8); /* the last bytes may be the start of a message */
    assert_int_equal(gw_godot_stream_next(&reader, &event), GW_NEXT_FAULT);
    assert_int_equal(reader.fault.code, GW_GODOT_STREAM_FAULT_MESSAGE_TRUNCATED);
}

/* Each 12 bytes begin a message whose Variant can be read up to its end, but does not end there. */
static void fill_with_arrays(uint8_t *bytes, size_t length)
{
    static const uint8_t array[12] = { 0x00, 0x7f, 0, 0, 0x1c, 0, 0, 0, 0x00, 0x0f, 0, 0 };
    for (size_t i = 0; i < length; i++)
        bytes[i] = i < 3 ? 0x99 : array[(i - 3) % sizeof array];
}

/* The bytes read as Variants, by a reader that reads all of the stream. */
static uint64_t work_of(const uint8_t *bytes, uint32_t length)
{
    const gw_godot_stream_options end = { .is_end = true };
    gw_godot_stream_reader reader;
    gw_godot_stream_event event;
    gw_godot_stream_init(&reader, bytes, length, &end);
    while (gw_godot_stream_next(&reader, &event) == GW_NEXT_EVENT)
        ;
    assert_int_equal(reader.offset, length);
    return reader.work;
}

TEST(the_work_is_linear_in_the_bytes)
{
    static uint8_t bytes[240000];
    fill_with_arrays(bytes, sizeof bytes);
    for (uint32_t length = 60000; length <= sizeof bytes; length += 60000)
        assert_true(work_of(bytes, length) < 50 * UINT64_C(60000) + 50 * (uint64_t)length);
    /* The same with a message after each array. */
    static const uint8_t message[] = { 8, 0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0 };
    for (size_t i = 15; i + sizeof message <= sizeof bytes; i += 24)
        memcpy(bytes + i, message, sizeof message);
    for (uint32_t length = 60000; length <= sizeof bytes; length += 60000)
        assert_true(work_of(bytes, length) < 50 * UINT64_C(60000) + 50 * (uint64_t)length);
}

TEST(weighing_in_three_generations_counts_as_work)
{
    /* It is validated in one generation first. */
    test_stream message = stream_of("08000000 02000000 07000000");
    assert_int_equal(work_of(message.bytes, (uint32_t)message.length), (1 + 3) * 8);
}

TEST(after_bytes_that_exhaust_the_work_messages_are_found_again)
{
    static uint8_t bytes[60000 + 20000];
    const gw_godot_stream_options end = { .is_end = true };
    test_stream message = stream_of("74000000" DICTIONARY);
    gw_godot_stream_summary summary;
    fill_with_arrays(bytes, sizeof bytes);
    for (size_t i = 60000; i + message.length <= sizeof bytes; i += message.length)
        memcpy(bytes + i, message.bytes, message.length);
    gw_godot_stream_validate(bytes, sizeof bytes, &end, &summary);
    assert_true(summary.variants > 100);
}

TEST(messages_never_exhaust_the_work)
{
    static uint8_t bytes[120 * 2000];
    test_stream message = stream_of("74000000" DICTIONARY);
    gw_godot_stream_summary summary;
    for (size_t i = 0; i < sizeof bytes; i += message.length)
        memcpy(bytes + i, message.bytes, message.length);
    assert_true(gw_godot_stream_validate(bytes, sizeof bytes, NULL, &summary));
    assert_int_equal(summary.variants, 2000);
}

TEST(only_the_byte_order_in_the_options_is_tried)
{
    const gw_godot_stream_options big = { .order = GW_GODOT_STREAM_BIG }, little = { .order = GW_GODOT_STREAM_LITTLE };
    assert_items("00000008 02000000 07000000", &big, "v8 ");
    assert_items("00000008 02000000 07000000", &little, "fault 3 at 0 needs 1");
    assert_items("08000000 02000000 07000000", &big, "fault 3 at 0 needs 1");
    assert_items("0000000d 6e6f7420612056617269616e74 00000008 02000000 07000000", &big, "p13 v8 ");
}

TEST(an_unlikely_variant_is_odd)
{
    /* A bool of 2. */
    test_stream stream = stream_of("08000000 01000000 02000000");
    gw_godot_stream_summary summary;
    gw_godot_stream_validate(stream.bytes, stream.length, NULL, &summary);
    assert_int_equal(summary.odd, GW_GODOT_STREAM_ODD_VALUE);
}

TEST(printing_marks_other_bytes_and_truncation)
{
    const gw_godot_stream_options three = { .generation = GW_GODOT_3 };
    test_stream stream = stream_of("1c000000 0b000000 0000803f 00000040 00004040 00008040 0000a040 0000c040");
    char buffer[128];
    gw_text text;
    assert_printed("c8c9cacb 74000000" DICTIONARY PACKETS "0800", "4 unknown bytes; " DICTIONARY_TEXT "; <truncated>");
    assert_printed(PACKETS "08000000 02000000 07000000", "13 bytes; 3 bytes; 7");
    assert_printed("7400", "<truncated>");
    gw_text_init(&text, buffer, sizeof buffer);
    gw_godot_stream_print(&text, stream.bytes, stream.length, &three);
    assert_string_equal(buffer, "AABB( 1, 2, 3, 4, 5, 6 )");
    gw_text_init(&text, buffer, 8);
    stream = stream_of("74000000" DICTIONARY "74000000" DICTIONARY);
    gw_godot_stream_print(&text, stream.bytes, stream.length, NULL);
    assert_true(text.cut);
}

TEST(each_oddity_has_a_text)
{
    for (uint32_t bit = 1; bit <= GW_GODOT_STREAM_ODD_UNKNOWN; bit <<= 1)
        assert_string_not_equal(gw_odd_text(&gw_godot_stream_faults, bit), "Unknown oddity");
}

TEST(recognition_of_empty_input)
{
    gw_recognition recognition;
    static const uint8_t byte;
    assert_false(gw_godot_stream_recognize(&byte, 0, 0, NULL, &recognition));
    assert_false(gw_godot_stream_recognize(&byte, 1, 0, NULL, &recognition));
}

TEST(evidence_of_a_truncated_segment)
{
    test_stream stream = stream_of("74000000" DICTIONARY);
    gw_recognition whole, cut, beginning;
    gw_godot_stream_recognize(stream.bytes, stream.length, stream.length, NULL, &whole);
    gw_godot_stream_recognize(stream.bytes, stream.length - 20, stream.length, NULL, &cut);
    gw_godot_stream_recognize(stream.bytes, 3, stream.length, NULL, &beginning);
    assert_true(cut.possible && cut.bits <= whole.bits);
    assert_true(beginning.possible && beginning.readings == UINT32_MAX && !beginning.bits);
    /* A message, and the first bytes of the next one. */
    assert_true(recognize("74000000" DICTIONARY "7400").bits == whole.bits);
}

TEST(messages_of_two_byte_orders_do_not_add_up)
{
    uint32_t one = recognize("74000000" DICTIONARY).bits;
    gw_recognition both = recognize("74000000" DICTIONARY "00000008 02000000 07000000");
    assert_int_equal(both.bits, one);
    assert_int_equal(both.readings, 1U << GW_GODOT_4);
    /* {"a": 1} of Godot 4, then of Godot 3. */
    both = recognize("1c000000 1b000000 01000000 04000000 01000000 61000000 02000000 01000000 1c000000 12000000 "
                     "01000000 04000000 01000000 61000000 02000000 01000000");
    assert_int_equal(both.readings, 1U << GW_GODOT_4);
}

TEST(after_the_rest_of_a_message_strong_evidence_is_required)
{
    assert_true(recognize("6a6f696e 04000000 74000000" DICTIONARY).bits >= GW_RECOGNIZED_ALONE);
    assert_false(recognize("6a6f696e 04000000 08000000 02000000 07000000").possible);
    /* Further away than the length of the rest of a value. */
    assert_false(
        recognize(
            "ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff 74000000" DICTIONARY)
            .possible);
}
