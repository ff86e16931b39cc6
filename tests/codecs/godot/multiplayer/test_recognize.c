/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The evidence of a message: what is sufficient, what is little, what no engine writes.
 */
#include "messages.h"

static gw_recognition recognized(const char *hex, size_t more)
{
    test_message message = message_of(FOUR, hex);
    gw_recognition recognition;
    bool possible = gw_godot_mp_recognize(message.bytes, message.length, message.length + more, NULL, &recognition);
    assert_int_equal(possible, recognition.possible);
    return recognition;
}

#define READS(form) (1U << (form))

TEST(a_single_path_with_checksum_is_sufficient)
{
    gw_recognition recognition = recognized("01" MD5 "06000000 4d61696e00", 0);
    assert_in_range(recognition.bits, GW_RECOGNIZED_ALONE, 200);
    assert_int_equal(recognition.readings, READS(FOUR));
}

TEST(a_single_call_by_path_is_sufficient)
{
    gw_recognition four = recognized("20 11000080 05 02 0205 0500000000000000 4d61696e00", 0);
    assert_false(four.possible); /* a float without a body: 00000000 is not a path */
    four = recognized("20 15000080 05 02 0205 050000000000000000000000 4d61696e2f506c6179657200", 0);
    assert_true(four.possible);
    assert_in_range(four.bits, GW_RECOGNIZED_ALONE, 200);
    gw_recognition three = recognized("01000000 00000000 00 0a000080 68697400 00 4d61696e00", 0);
    assert_int_equal(three.readings, READS(ENET));
    assert_in_range(three.bits, GW_RECOGNIZED_ALONE, 200);
}

#define PATH_TO(last) "16000000 02000080 01000000 01000000 04000000 726f6f74 04000000 4865726f 03000000 706f73" last

/* Godot before 4.6.3 does not zero the padding of a NodePath's names. */
TEST(a_call_with_stale_padding_in_a_path_is_the_same_evidence)
{
    gw_recognition zeros = recognized("00 01 00 02 0201" PATH_TO("00"), 0);
    gw_recognition stale = recognized("00 01 00 02 0201" PATH_TO("41"), 0);
    assert_true(zeros.readings & READS(FOUR));
    assert_int_equal(stale.readings, zeros.readings);
    assert_int_equal(stale.bits, zeros.bits);
}

TEST(small_packets_are_little_evidence)
{
    assert_in_range(recognized("80 06 05", 0).bits, 0, 8);
    assert_int_equal(recognized("02 01 06000000", 0).bits, 0);
    assert_int_equal(recognized("05 03000000", 0).bits, 0);
    assert_int_equal(recognized("07 01 05000012", 0).bits, 0);
    assert_int_equal(recognized("03 6162", 0).bits, 0);
    assert_int_equal(recognized("01000000 00000000 04 aabb", 0).bits, 0);
    assert_true(recognized("03 6162", 0).possible);
}

static gw_godot_mp_evidence evidence_of(gw_godot_mp_form form, const char *hex, bool is_known, bool *possible)
{
    test_message message = message_of(form, hex);
    gw_godot_mp_reader reader;
    gw_godot_mp_event event;
    gw_godot_mp_evidence evidence = { .is_known = is_known };
    gw_godot_mp_init(&reader, message.bytes, message.length, &message.options);
    while (gw_godot_mp_next(&reader, &event) == GW_NEXT_EVENT)
        gw_godot_mp_weigh(&evidence, &reader, &event);
    *possible = gw_godot_mp_is_possible(&evidence, &reader, message.length);
    return evidence;
}

TEST(messages_of_a_known_form_are_only_tested)
{
    static const char *const messages[] = { "01" MD5 "06000000 4d61696e00",
                                            "20 11000080 05 02 0205 0500000000000000 4d61696e00",
                                            "80 06 05",
                                            "88 06 05",
                                            "05 030000",
                                            "01" MD5 "06000000 4d01696e00",
                                            "06 0000 00000000 00000000 00000000 00000000 00000000 00000000" };
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        bool possible, known_possible;
        const gw_godot_mp_evidence all = evidence_of(FOUR, messages[i], false, &possible);
        const gw_godot_mp_evidence known = evidence_of(FOUR, messages[i], true, &known_possible);
        assert_int_equal(known_possible, possible);
        assert_int_equal(known.odd, all.odd);
        assert_int_equal(known.foreign, all.foreign);
        assert_int_equal(known.hash, 0);
    }
}

/* A call's argument; a Variant instead of a packet. */
TEST(values_of_a_known_form_are_not_weighed)
{
    static const struct {
        gw_godot_mp_form form;
        const char *hex;
    } samples[] = {
        { FOUR, "00 06 05 01 04000000 06000000 6e65777320330000" },
        { ENET, "01000000 00000000 04000000 06000000 6e65777320330000" },
    };
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        bool possible, known_possible;
        const gw_godot_mp_evidence all = evidence_of(samples[i].form, samples[i].hex, false, &possible);
        const gw_godot_mp_evidence known = evidence_of(samples[i].form, samples[i].hex, true, &known_possible);
        assert_true(possible && known_possible);
        assert_in_range(known.bits, 0, all.bits - 1);
        assert_int_equal(known.hash, 0);
    }
}

/* A sync of 20,000 updates, each with the string "Player 1": the sum of the bits does not overflow. */
TEST(the_evidence_of_a_long_message_has_a_limit)
{
    static const char update[] = "04000000 10000000 04000000 08000000 506c617965722031";
    static uint8_t bytes[3 + 20000 * 24] = { 6, 1 };
    const gw_godot_mp_options options = { .form = FOUR };
    gw_godot_mp_evidence evidence = { 0 };
    gw_godot_mp_reader reader;
    gw_godot_mp_event event;
    uint32_t half = 0;
    for (size_t at = 3; at < sizeof bytes; at += 24)
        assert_int_equal(hex_to_bytes(update, bytes + at, 24), 24);
    gw_godot_mp_init(&reader, bytes, sizeof bytes, &options);
    while (gw_godot_mp_next(&reader, &event) == GW_NEXT_EVENT) {
        gw_godot_mp_weigh(&evidence, &reader, &event);
        if (reader.offset < sizeof bytes / 2)
            half = evidence.bits;
    }
    assert_int_equal(reader.offset, sizeof bytes);
    assert_in_range(half, 1U << 18, (1U << 20) - 1);
    assert_in_range(evidence.bits, 1U << 20, (1U << 20) + 64);
}

TEST(messages_that_no_engine_writes_are_not_possible)
{
    assert_false(recognized("88 06 05", 0).possible);
    assert_false(recognized("05 03000000 00", 0).possible);
    assert_false(recognized("05 030000", 0).possible);
    assert_false(recognized("01" MD5 "06000000 4d01696e00", 0).possible);
    assert_true(recognized("01" MD5 "06000000 4d20696e00", 0).possible); /* a space is text */
    assert_false(recognized("", 0).possible);
}

/* Engines send no update without values, and assign net ids from 1. */
TEST(zeros_are_not_a_sync)
{
    assert_false(recognized("06 0000 00000000 00000000 00000000 00000000 00000000 00000000", 0).readings & READS(FOUR));
    assert_false(recognized("06 0100 03000000 00000000", 0).readings & READS(FOUR));
    assert_false(recognized("06 0100 00000000 02000000 0201", 0).readings & READS(FOUR));
    assert_false(recognized("05 00000000", 0).readings & READS(FOUR));
    assert_true(recognized("06 0100 03000000 02000000 0201", 0).readings & READS(FOUR));
}

TEST(nulls_are_not_evidence)
{
    uint32_t one = recognized("06 0100 03000000 04000000 00000000", 0).bits;
    assert_in_range(one, 0, 4);
    assert_int_equal(recognized("06 0100 03000000 08000000 00000000 00000000", 0).bits, one);
    assert_in_range(recognized("06 0100 03000000 06000000 00000000 0201", 0).bits, 20, 30);
}

TEST(a_confirmed_path_is_not_evidence)
{
    assert_int_equal(recognized("02 00 676720777000", 0).bits, 0);
}

/* In custom protocols, a number of 31 bits may be an id as well. */
TEST(a_single_peer_id_is_not_evidence)
{
    assert_int_equal(recognized("00000000 05000000", 0).bits, 0);
    assert_int_equal(recognized("00000000 05000012", 0).bits, 0);
}

/* Records of a tag and a number are like compressed values. */
TEST(compressed_values_are_at_most_16_bits_of_evidence)
{
    uint32_t four = recognized("00 06 05 04 0201 0202 0203 0204", 0).bits;
    assert_in_range(four, 16, 24);
    assert_int_equal(recognized("00 06 05 06 0201 0202 0203 0204 0205 0206", 0).bits, four);
}

TEST(evidence_of_ids_and_compressed_numbers)
{
    uint32_t call = recognized("00 06 05 02 0201 0202", 0).evidence;
    assert_int_not_equal(call, 0);
    assert_int_equal(recognized("00 07 04 02 0263 0264", 0).evidence, call);
    assert_int_not_equal(recognized("00 06 05 02 0201 81", 0).evidence, call);
    uint32_t text = recognized("00 06 05 01 04000000 02000000 68690000", 0).evidence;
    assert_int_equal(recognized("00 07 05 01 04000000 02000000 68690000", 0).evidence, text);
    assert_int_not_equal(recognized("00 06 05 01 04000000 02000000 686f0000", 0).evidence, text);
    assert_int_equal(recognized("06 0100 03000000 02000000 0201", 0).evidence,
                     recognized("06 0200 04000000 02000000 0209", 0).evidence);
}

/* Ids of paths are assigned from 1. */
TEST(engines_do_not_send_the_path_id_0)
{
    assert_false(recognized("80 00 05", 0).readings & READS(FOUR));
    assert_false(recognized("01" MD5 "00000000 4d61696e00", 0).possible);
    assert_false(recognized("04 00 00000000 03000000 00000000 02000000 6100", 0).possible);
    assert_true(recognized("04 00 01000000 03000000 00000000 02000000 6100", 0).possible);
}

/* Node names do not contain . : " \ */
TEST(a_file_name_is_not_a_node_path)
{
    assert_false(recognized("01" MD5 "06000000 6d6170732f612e62737000", 0).possible); /* maps/a.bsp */
    assert_false(recognized("01" MD5 "06000000 433a5c6100", 0).possible);             /* C:\a */
    assert_false(recognized("01" MD5 "06000000 2e2e2e00", 0).possible);               /* ... */
    assert_false(recognized("01" MD5 "06000000 2e6100", 0).possible);                 /* .a */
    assert_false(recognized("01" MD5 "06000000 612200", 0).possible);                 /* a" */
    assert_false(recognized("01" MD5 "06000000 613a6200", 0).possible);               /* a:b */
    assert_false(recognized("01" MD5 "06000000 615c6200", 0).possible);               /* a\b */
    assert_false(recognized("01" MD5 "06000000 612e00", 0).possible);                 /* a. */
    assert_true(recognized("01" MD5 "06000000 2e00", 0).possible);                    /* . */
    assert_true(recognized("01" MD5 "06000000 2e2e2f4d61696e00", 0).possible);        /* ../Main */
    assert_true(recognized("01" MD5 "06000000 404e6f646540322f6100", 0).possible);    /* @Node@2/a */
}

static gw_recognition received(gw_godot_mp_form form, const char *hex, const gw_godot_mp_transport *transport)
{
    test_message message = message_of(form, hex);
    gw_recognition recognition;
    message.options.transport = transport;
    gw_godot_mp_recognize(message.bytes, message.length, message.length, &message.options, &recognition);
    return recognition;
}

/* Bytes of authentication have no structure: what is before them has, in a connection that Godot 4 begins. */
TEST(authentication_is_proof_as_the_first_message_of_a_connection_of_godot_4)
{
    const gw_godot_mp_transport first = { .has_channel = true, .is_godot_4 = true, .is_first = true };
    const gw_godot_mp_transport second = { .has_channel = true, .is_godot_4 = true };
    const gw_godot_mp_transport other_connect = { .has_channel = true, .is_first = true };
    const gw_godot_mp_transport other_channel = {
        .has_channel = true, .channel = 2, .is_godot_4 = true, .is_first = true
    };
    assert_int_equal(received(FOUR, "07 00 6869", &first).bits, 48);
    assert_in_range(received(FOUR, "07 00 6869", &second).bits, 0, 24);
    assert_in_range(received(FOUR, "07 00 6869", &other_connect).bits, 0, 24);
    assert_in_range(received(FOUR, "07 00 6869", &other_channel).bits, 0, 24);
    /* The same in a relay, which no peer sends. */
    assert_in_range(received(FOUR, "07 03 05000000 07 00 6869", &first).bits, 0, 47);
}

/* The server drops messages whose source is not the sender's id, which is also in CONNECT. */
TEST(a_client_id_is_the_id_in_its_connect)
{
    const gw_godot_mp_transport to_server = { .client_known = true, .from_client = true, .client = 0x11223344 };
    const gw_godot_mp_transport to_client = { .client_known = true, .client = 0x11223344 };
    const gw_godot_mp_transport small_id = { .client_known = true, .from_client = true, .client = 0xFFFF };
    const gw_godot_mp_transport no_id = { .client_known = true, .from_client = true };
    gw_recognition asks = received(ENET, "44332211 01000000 04 aabb", &to_server);
    gw_recognition answers = received(ENET, "01000000 44332211 04 aabb", &to_client);
    /* Between the client and 1: proof alone if the id is a hash, as the engines' are. */
    assert_int_equal(asks.bits, 48);
    assert_int_equal(answers.bits, 48);
    assert_in_range(received(ENET, "44332211 00000000 04 aabb", &to_server).bits, 24, 47);
    assert_in_range(received(ENET, "ffff0000 01000000 04 aabb", &small_id).bits, 24, 47);
    assert_int_not_equal(asks.evidence, answers.evidence);
    assert_false(received(ENET, "44332212 01000000 04 aabb", &to_server).possible);
    assert_false(received(ENET, "01000000 00000000 04 aabb", &to_server).possible);
    assert_false(received(ENET, "44332211 00000000 04 aabb", &to_client).possible);
    assert_false(received(ENET, "01000000 44332212 04 aabb", &to_client).possible);
    assert_true(received(ENET, "01000000 ffffffff 04 aabb", &to_client).possible);
    assert_true(received(ENET, "55332211 00000000 04 aabb", &to_client).possible);
    assert_true(received(ENET, "44332212 01000000 04 aabb", &no_id).possible);
    assert_int_equal(received(ENET, "44332212 01000000 04 aabb", &no_id).bits, 0);
    assert_int_equal(received(ENET, "44332212 01000000 04 aabb", &no_id).sender, 0x12223344 + 1);
    assert_int_equal(received(ENET, "01000000 44332211 04 aabb", &to_client).sender, 0);
}

/* The CONNECT was not captured: any peer may be the one to which the server sends. */
TEST(the_target_may_be_any_peer_where_the_clients_id_is_not_known)
{
    const gw_godot_mp_transport to_client = { .client_known = true };
    assert_true(received(ENET, "01000000 44332211 04 aabb", &to_client).possible);
    assert_int_equal(received(ENET, "01000000 44332211 04 aabb", &to_client).bits, 0);
}

/* Over ENet, Godot 3 has a separate channel for messages about peers. */
TEST(messages_about_peers_have_a_separate_channel)
{
    const gw_godot_mp_transport first = { .has_channel = true }, second = { .has_channel = true, .channel = 1 };
    assert_true(received(ENET, "00000000 05000012", &first).possible);
    assert_false(received(ENET, "00000000 05000012", &second).possible);
    assert_false(received(ENET, "01000000 00000000 04 aabb", &first).possible);
    assert_true(received(ENET, "01000000 00000000 04 aabb", &second).possible);
    assert_true(received(FOUR, "07 01 05000012", &second).possible);
}

TEST(only_servers_send_that_a_peer_joined)
{
    const gw_godot_mp_transport to_server = { .client_known = true, .from_client = true };
    const gw_godot_mp_transport to_client = { .client_known = true };
    assert_false(received(FOUR, "07 01 05000012", &to_server).possible);
    assert_false(received(ENET, "00000000 05000012", &to_server).possible);
    assert_true(received(FOUR, "07 01 05000012", &to_client).possible);
    assert_true(received(ENET, "00000000 05000012", &to_client).possible);
}

/* A game without MultiplayerAPI sends Variants: websocket_chat of Godot 3's demo projects. */
TEST(a_variant_instead_of_a_packet)
{
    assert_printed(WEBSOCKET, "00 01000000 00000000 04000000 06000000 6e65777320330000", "Variant: \"news 3\"");
    assert_printed(ENET, "01000000 00000000 13000000 01000000 02000000 05000000", "Variant: [ 5 ]");
    assert_printed(ENET, "01000000 00000000 02000100 0000000001000000", "Variant: 4294967296");
    gw_recognition one = recognized("01000000 00000000 04000000 06000000 6e65777320330000", 0);
    assert_in_range(one.bits, 8, 16);
    assert_int_not_equal(recognized("01000000 00000000 04000000 06000000 6e65777320340000", 0).evidence, one.evidence);
    assert_in_range(recognized("01000000 00000000 04000000 04000000 01020304", 0).bits, 0, 4);
}

/* An array of 5 and another value, which the capture has not. The type of a String is a command of Godot 3, too: such bytes may be
 * a message. */
TEST(a_variant_instead_of_a_packet_that_the_capture_cut)
{
    static const struct {
        const char *hex, *line;
    } packets[] = {
        { "01000000 00000000 13000000 02000000 02000000 05000000 0200", "[The packet ends inside a Variant]" },
        { "01000000 00000000 04000000 20000000 6e65", "Raw, 9 bytes" },
    };
    for (size_t i = 0; i < sizeof packets / sizeof packets[0]; i++) {
        test_message message = message_of(ENET, packets[i].hex);
        char line[64];
        gw_text text;
        message.options.is_cut = true;
        gw_text_init(&text, line, sizeof line);
        gw_godot_mp_print(&text, message.bytes, message.length, &message.options);
        assert_string_equal(line, packets[i].line);
    }
}

TEST(packets_that_begin_like_variants)
{
    assert_printed(ENET, "01000000 00000000 02 00010000 4d61696e2f4100", "Path #256 = Main/A");
    assert_printed(ENET, "01000000 00000000 02 06000000 4d61696e00", "Path #6 = Main");
    assert_printed(ENET, "01000000 00000000 04 000000 09000000 616200", "Raw, 10 bytes");
    assert_printed(ENET, "01000000 00000000 04 000000 09000000 61620000", "Raw, 11 bytes");
    assert_printed(GW_GODOT_MP_3, "04000000 06000000 6e65777320330000", "Raw, 15 bytes");
}

static bool is_websocket_message(const char *hex)
{
    test_message message = message_of(WEBSOCKET, hex);
    gw_recognition recognition;
    return gw_godot_mp_recognize(message.bytes, message.length, message.length, &message.options, &recognition);
}

/* In a message about a peer, the source is the server and the target 0. */
TEST(messages_about_peers_are_from_the_server)
{
    assert_true(is_websocket_message("01 01000000 00000000 05000012"));
    assert_false(is_websocket_message("01 02000000 0000803f 0000c042"));
    assert_false(is_websocket_message("01 01000000 0000803f 0000c042"));
}

TEST(truncated_messages_are_possible_with_less_evidence)
{
    gw_recognition whole = recognized("01" MD5 "06000000 4d61696e00", 0);
    gw_recognition cut = recognized("01" MD5 "06000000 4d61", 3);
    assert_true(cut.possible);
    assert_in_range(cut.bits, 1, whole.bits / 2);
    assert_false(recognized("05 0300", 1).readings & READS(FOUR)); /* two bytes are missing */
    assert_false(recognized("05 03000000", 1).readings & READS(FOUR));
}

/* A sync with one update of as many bools, of one byte each; the byte of the last one is `last`. After it,
 * `missing` bytes were not captured. */
static gw_recognition recognized_sync(uint32_t bools, uint8_t last, size_t missing)
{
    static uint8_t bytes[11 + 0x20000];
    const gw_godot_mp_options options = { .form = FOUR };
    gw_recognition recognition;
    hex_to_bytes("06 0100 04000000 00000000", bytes, sizeof bytes);
    for (unsigned i = 0; i < 4; i++)
        bytes[7 + i] = (uint8_t)(bools >> 8 * i);
    memset(bytes + 11, 0x81, bools);
    bytes[10 + bools] = last;
    gw_godot_mp_recognize(bytes, 11 + bools, 11 + bools + missing, &options, &recognition);
    return recognition;
}

#define LONGEST_SYNC (GW_GODOT_MP_DELTA_BYTES - 11)

TEST(a_message_as_long_as_the_longest_delta_is_recognized_to_its_end)
{
    gw_recognition longest = recognized_sync(LONGEST_SYNC, 0x81, 0);
    assert_true(longest.possible);
    assert_int_equal(longest.bits, recognized_sync(100, 0x81, 0).bits);
    assert_false(recognized_sync(LONGEST_SYNC, 0x3F, 0).possible); /* type 63 does not exist */
}

TEST(a_longer_message_is_recognized_by_its_beginning)
{
    for (size_t missing = 0; missing < 2; missing++) {
        gw_recognition longer = recognized_sync(0x20000, 0x3F, missing);
        assert_true(longer.possible);
        assert_in_range(longer.bits, 1, recognized_sync(100, 0x81, 0).bits / 2);
    }
}

TEST(only_the_form_in_the_options_is_tried)
{
    test_message message = message_of(ENET, "01000000 00000000 00 0a000080 68697400 00 4d61696e00");
    gw_recognition recognition;
    message.options.form = FOUR;
    assert_false(gw_godot_mp_recognize(message.bytes, message.length, message.length, &message.options, &recognition));
}

/* As WebRTC has it. A command, a number and a text are in many protocols. */
TEST(texts_of_a_packet_of_godot_3_without_header_are_evidence_only_in_a_call_with_its_path)
{
    static const struct {
        const char *hex;
        uint32_t least, most;
    } packets[] = {
        { "02 00 67672077 7000", 0, 4 },
        { "02 01000000 4d61696e00", 4, 4 },
        { "00 01000000 68697400 00", 0, 0 },
        { "00 0a000080 68697400 00 4d61696e00", GW_RECOGNIZED_ALONE, 200 },
    };
    for (size_t i = 0; i < sizeof packets / sizeof *packets; i++) {
        test_message message = message_of(GW_GODOT_MP_3, packets[i].hex);
        gw_recognition recognition;
        assert_true(
            gw_godot_mp_recognize(message.bytes, message.length, message.length, &message.options, &recognition));
        assert_in_range(recognition.bits, packets[i].least, packets[i].most);
    }
}
