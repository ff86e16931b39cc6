/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How strongly payloads indicate script data, and what is RakNet.
 */
#include "captures.h"
#include "reading.h"

static gw_recognition recognize(const char *hex)
{
    gw_recognition recognition;
    test_bytes input = from_hex(hex);
    bool possible = gw_squirrel_recognize(input.bytes, input.length, input.length, NULL, &recognition);
    assert_int_equal(possible, recognition.possible);
    assert_int_equal(possible, recognition.readings != 0);
    assert_int_equal(possible, gw_squirrel_is_possible(input.bytes, input.length, input.length));
    assert_true(!possible || gw_squirrel_may_begin(input.bytes, input.length));
    return recognition;
}

#define MESSAGE GW_SQUIRREL_READS_MESSAGE
#define FRAME   GW_SQUIRREL_READS_FRAME
#define VALUES  GW_SQUIRREL_READS_VALUE

/* The sums of the comment in recognize.c. */
static const struct {
    const char *hex;
    uint32_t readings;
    uint32_t bits;
} payloads[] = {
    /* identifier 24, tag 4, exact length 8, string 16 */
    { "e1ffff40 670400000073000161", FRAME, 52 },
    /* 8 for the message's length */
    { "6e0000000d e1ffff40 670400000073000161", MESSAGE, 60 },
    /* a value that ends exactly: 8; the token 0 and -1: none, others 4 */
    { "e1ffff406f", FRAME, 32 },
    { "e3ffff4000000000770700", FRAME, 32 },
    { "e3ffff40ffffffff770700", FRAME, 32 },
    { "e3ffff4001000000770700", FRAME, 36 },
    { "e3ffff40ffffff00770700", FRAME, 36 },
    { "e3ffff40010000006500016f", FRAME, 44 },
    /* scripts: 13, or the 8 of every exact value if they are not text */
    { "e4ffff4000026869", FRAME, 37 },
    { "e4ffff400002000a", FRAME, 32 },
    /* both readings of lower case are tried: array 3, exact length 8, two words */
    { "e3ffff40010000006102000000770700770800", FRAME, 41 },
    { "e3ffff40010000006106000000770700770800", FRAME, 41 },
    /* inner container: tag 3, length 12 or count 4 */
    { "e1ffff40 680b000000 73000161 74020000006f6f", FRAME, 24 + 4 + 8 + 16 + 15 + 2 },
    { "e1ffff40 680c000000 73000161 4101000000770700", FRAME, 24 + 4 + 8 + 16 + 7 + 1 },
    /* float 2, bool 3, blob 8, an empty string 3, an unusual float 1, a vector 6 */
    { "e1ffff40 680c000000 66000080406201 4200000000", FRAME, 0 },
    { "e1ffff40 6807000000 66000080406201", FRAME, 24 + 4 + 8 + 2 + 3 },
    { "e1ffff40 6808000000 4200000000 730000", FRAME, 24 + 4 + 8 + 8 + 3 },
    { "e1ffff40 6806000000 66ffffff7f 6f", FRAME, 24 + 4 + 8 + 1 + 1 },
    { "e1ffff40 680e000000 760000803f0000004000000000 6f", FRAME, 24 + 4 + 8 + 6 + 1 },
    /* inconsistent contents are no evidence, but the identifier makes the payload possible */
    { "e1ffff40 6704000000730001", FRAME, 0 },
    { "e1ffff4062026f", FRAME, 0 },
    { "e1ffff406202", FRAME, 0 },
    { "e3ffff4000000001770700", FRAME, 0 },
    { "e3ffff40feffffff770700", FRAME, 0 },
    { "e1ffff40", FRAME, 0 },
    { "e2ffff4001", FRAME, 0 },
    { "f4ffff406f", FRAME, 0 },
    { "6e0000000c e1ffff40 670400000073000161", MESSAGE, 0 },
    /* line ends are text, other control characters are not */
    { "e1ffff40 67070000007300040a0d0961", FRAME, 52 },
    { "e1ffff40 67040000007300017f", FRAME, 39 },
    { "e1ffff40 670400000073000101", FRAME, 39 },
    { "00ffff", 0, 0 },
    { "00ffff40", 0, 0 },
    { "00ff0040", 0, 0 },
    { "2400000000000000", 0, 0 },
    { "00000000000000ffff40", 0, 0 },
    { "0000000000e1ffff", 0, 0 },
    /* without a frame the outermost length is no evidence */
    { "670400000073000161", VALUES, 20 },
    { "7404000000 77070062", 0, 0 },
    { "41010000006f", VALUES, 4 },
    { "67010000006f", VALUES, 5 },
    { "460600000062016f6f6f6f", VALUES, 4 + 3 + 4 },
    { "670400000073000261", 0, 0 },
    { "6705000000730001", 0, 0 },
    { "670000000000", 0, 0 },
    { "4100000000", 0, 0 },
    { "41000000006f", 0, 0 },
    { "6f", 0, 0 },
    { "690f000000", 0, 0 },
    { "730005617070", 0, 0 },
    { "", 0, 0 },
    { "48656c6c6f2c20776f726c6421", 0, 0 },
    { "00ffff406f", 0, 0 },
    { "e1fffe406f", 0, 0 },
};

TEST(evidence_is_counted_as_documented)
{
    for (size_t i = 0; i < sizeof payloads / sizeof payloads[0]; i++) {
        gw_recognition recognition = recognize(payloads[i].hex);
        if (recognition.bits != payloads[i].bits || recognition.readings != payloads[i].readings)
            fail_msg("%s: %u bits, readings %u", payloads[i].hex, recognition.bits, recognition.readings);
    }
}

TEST(only_a_complete_chunk_is_evidence)
{
    assert_int_equal(recognize("ecffff40 000000000000000001000000 010078").bits, 48);
    assert_int_equal(recognize("ecffff40 000000000000000002000000 010078").bits, 44);
    assert_int_equal(recognize("ecffff40 000000000100000001000000 010078").bits, 0);
    assert_int_equal(recognize("ecffff40 000000000000000001000000 020078").bits, 0);
    assert_int_equal(recognize("ecffff40 000000000000000001000000 ec0f78").bits, 0);
}

static uint32_t bits_of_chunk(uint32_t chunk, uint32_t chunks, uint16_t length)
{
    static uint8_t bytes[5000];
    gw_output output;
    gw_recognition recognition;
    const gw_squirrel_frame frame = { .type = gw_squirrel_frame_type_of(GW_SQUIRREL_SPLIT_STREAM),
                                      .chunk = chunk,
                                      .chunks = chunks,
                                      .chunk_length = length };
    gw_output_init(&output, bytes, sizeof bytes);
    gw_squirrel_write_frame_head(&output, &frame);
    gw_put_zeros(&output, length);
    gw_squirrel_recognize(bytes, output.length, output.length, NULL, &recognition);
    return recognition.bits;
}

TEST(chunks_have_the_sizes_of_the_real_sender)
{
    assert_int_equal(bits_of_chunk(0, 2, GW_SQUIRREL_CHUNK_SIZE), 48);
    assert_int_equal(bits_of_chunk(1, 2, GW_SQUIRREL_CHUNK_SIZE), 48);
    assert_int_equal(bits_of_chunk(0, 2, GW_SQUIRREL_CHUNK_SIZE - 1), 44);
    assert_int_equal(bits_of_chunk(0, 2, GW_SQUIRREL_CHUNK_SIZE + 1), 0);
    assert_int_equal(bits_of_chunk(0, 0, 10), 0);
}

TEST(complete_parts_of_a_truncated_payload_are_evidence)
{
    gw_recognition recognition;
    test_bytes input = from_hex("e1ffff4046160000006709000000730006727072696e7473000548656c6c6f");
    assert_true(gw_squirrel_recognize(input.bytes, input.length, input.length, NULL, &recognition));
    assert_int_equal(recognition.bits, 24 + 4 + 8 + 3 + 12 + 16 + 16);
    assert_true(gw_squirrel_recognize(input.bytes, input.length - 1, input.length, NULL, &recognition));
    assert_int_equal(recognition.bits, 24 + 4 + 3 + 12 + 16);
    assert_true(gw_squirrel_recognize(input.bytes, input.length - 1, input.length - 1, NULL, &recognition));
    assert_int_equal(recognition.bits, 0);
    /* More bytes are missing than the capture lacks. */
    assert_true(gw_squirrel_recognize(input.bytes, input.length - 3, input.length - 2, NULL, &recognition));
    assert_int_equal(recognition.bits, 0);
    assert_true(gw_squirrel_recognize(input.bytes, 4, input.length, NULL, &recognition));
    assert_int_equal(recognition.bits, 24);
    assert_false(gw_squirrel_recognize(input.bytes, 3, input.length, NULL, &recognition));
}

TEST(the_payload_may_begin_at_an_offset)
{
    gw_recognition recognition;
    gw_squirrel_options options = { .offset = 2 };
    test_bytes input = from_hex("0000e1ffff406f");
    assert_true(gw_squirrel_recognize(input.bytes, input.length, input.length, &options, &recognition));
    assert_int_equal(recognition.bits, 32);
    options.offset = 100;
    assert_false(gw_squirrel_recognize(input.bytes, input.length, input.length, &options, &recognition));
}

static void count_alone(const capture_payload *payload, void *context)
{
    unsigned *alone = context;
    gw_recognition recognition;
    gw_squirrel_recognize(payload->bytes, payload->length, payload->length, NULL, &recognition);
    assert_true(recognition.bits >= 24);
    *alone += recognition.bits >= GW_RECOGNIZED_ALONE;
}

TEST(every_captured_frame_is_evidence)
{
    unsigned alone = 0;
    unsigned payloads_seen = visit_captures("squirrel/session.pcap", count_alone, &alone);
    payloads_seen += visit_captures("squirrel/every-value.pcap", count_alone, &alone);
    assert_true(payloads_seen > 200);
    assert_true(2 * alone > payloads_seen);
}

/* ---- RakNet -------------------------------------------------------------------------------------------- */

static void check_datagram(const capture_payload *payload, void *context)
{
    unsigned *connected = context;
    if (!(payload->bytes[0] & 0x80))
        return;
    ++*connected;
    assert_true(gw_squirrel_is_raknet(payload->bytes, payload->length, payload->length));
    assert_false(gw_squirrel_is_raknet(payload->bytes, payload->length, payload->length + 1));
    assert_false(gw_squirrel_is_raknet(payload->bytes, payload->length - 1, payload->length - 1));
}

TEST(every_captured_datagram_between_peers_is_raknet)
{
    unsigned connected = 0;
    visit_captures("squirrel/raknet.pcap", check_datagram, &connected);
    visit_captures("squirrel/raknet-0.4.6.pcap", check_datagram, &connected);
    assert_true(connected > 100);
}

static const struct {
    const char *hex;
    bool raknet;
} datagrams[] = {
    { "", false },
    { "05", false },
    { "84000000", false },
    { "840000000000086f", true },
    { "84000000000001ff", true },
    { "8400000000000000", false },
    { "840000000100086f", false },
    { "84000000a000086f", false },
    { "8400000020000800000001000000026f", false },
    { "8400000020000800000001000000026f ff", false },
    { "840000004000080000016f", true },
    { "8400000060000800000100000200 6f", true },
    { "8400000020000800000100000200 6f", true },
    { "84000000800008000001000002000003006f", true },
    { "8400000050000800000100000002000000000001 6f", true },
    { "8400000050000800000100000002000000000002 6f", false },
    { "8400000050000800000100000002", false },
    { "840000000000086f00", false },
    { "840000000000086f0000086f", true },
    { "c00001010c0000", true },
    { "c00001000c00000e0000", true },
    { "c00001000e00000c0000", false },
    { "c0000100008000000001", true },
    { "c0000100000001008000", false },
    { "c00001000c00000c0000", false },
    { "c00001020c0000", false },
    { "c00002010c0000010d0000", true },
    { "c00002010c0000", false },
    { "c000000c0000", false },
    { "c0", false },
    { "c00001010c000000", false },
    { "c00001", false },
    { "c00001", false },
    { "a00001010c0000", true },
    { "e00000803f0001010c0000", true },
    { "b00001010c0000", false },
};

TEST(a_datagram_is_raknet_if_its_lengths_are_consistent)
{
    for (size_t i = 0; i < sizeof datagrams / sizeof datagrams[0]; i++) {
        test_bytes input = from_hex(datagrams[i].hex);
        if (gw_squirrel_is_raknet(input.bytes, input.length, input.length) != datagrams[i].raknet)
            fail_msg("%s", datagrams[i].hex);
    }
}

TEST(in_a_truncated_datagram_the_headers_must_be_complete)
{
    test_bytes input = from_hex("840000000000186f6f6f");
    assert_true(gw_squirrel_is_raknet(input.bytes, 7, 10));
    assert_false(gw_squirrel_is_raknet(input.bytes, 6, 10));
    assert_false(gw_squirrel_is_raknet(input.bytes, 7, 11));
    assert_false(gw_squirrel_is_raknet(input.bytes, 10, 9));
    input = from_hex("c00001010c0000");
    assert_false(gw_squirrel_is_raknet(input.bytes, 6, 7));
}

TEST(beyond_the_payload_there_is_no_frame)
{
    /* A frame at 6, of which nothing belongs to a payload of 5 bytes. */
    test_bytes input = from_hex("000000000000 e1ffff40 6704000000 73000161");
    const gw_squirrel_options beyond = { .offset = 6 };
    gw_recognition recognition;
    assert_true(gw_squirrel_recognize(input.bytes, input.length, input.length, &beyond, &recognition));
    assert_false(gw_squirrel_recognize(input.bytes, 5, 5, &beyond, &recognition));
    assert_int_equal(recognition.bits, 0);
}

TEST(an_empty_payload_needs_no_bytes)
{
    gw_squirrel_summary summary;
    gw_recognition recognition;
    gw_squirrel_validate(NULL, 0, NULL, &summary);
    assert_int_equal(summary.values, 0);
    assert_false(gw_squirrel_recognize(NULL, 0, 0, NULL, &recognition));
    assert_false(gw_squirrel_is_possible(NULL, 0, 0));
    assert_false(gw_squirrel_may_begin(NULL, 0));
}
