/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which datagrams are evidence for Leviathan.
 */
#include "decoding.h"

static gw_recognition recognize_captured(size_t captured, size_t wire_length)
{
    gw_recognition recognition;
    bool possible = gw_leviathan_recognize(input, captured, wire_length, NULL, &recognition);
    assert_int_equal(possible, recognition.possible);
    assert_int_equal(recognition.readings, recognition.possible ? 1 : 0);
    return recognition;
}

static gw_recognition recognize(const char *hex)
{
    size_t length = from_hex(hex);
    return recognize_captured(length, length);
}

static void assert_alone(const char *hex)
{
    assert_true(recognize(hex).bits >= GW_RECOGNIZED_ALONE);
}

/* Not sufficient alone, but together with a second one. */
static void assert_second(const char *hex)
{
    uint32_t bits = recognize(hex).bits;
    assert_true(bits < GW_RECOGNIZED_ALONE && 2 * bits >= GW_RECOGNIZED_ALONE);
}

static void assert_no_evidence(const char *hex)
{
    gw_recognition recognition = recognize(hex);
    assert_true(recognition.possible);
    assert_int_equal(recognition.bits, 0);
}

static void assert_impossible(const char *hex)
{
    gw_recognition recognition = recognize(hex);
    assert_false(recognition.possible);
    assert_int_equal(recognition.bits, 0);
}

TEST(one_packet_with_constants_of_the_engine_is_sufficient)
{
    assert_alone("4c6e 000003e9 00000000 01 | 28 00000001 0000 0000002a");
    assert_alone("4c6e 000003ea 000003e9 01 01 01 | 12 00000002 0000 00000001 0000002a");
    assert_alone("4c6e 000003eb 000003e9 01 03 01 | 28 00000003 0001 00000001 00000000 00000000");
    assert_alone("4c6e 000003eb 000003e9 01 03 01 | 28 00000004 0002 00000006 706c61796572 0000000000000000 00000000");
    assert_alone("4c6e 000003eb 00000000 01 | 28 00000004 0009 ffffffff");
    assert_alone(UPDATE "0000001e" STATE);
    assert_alone(CREATION "00000001 | 00000002 | 0001");
}

TEST(the_master_server_token_is_constant_only_in_a_direct_join)
{
    assert_int_equal(recognize("4c6e 000003eb 00000000 01 | 28 00000004 0009 ffffffff").bits -
                         recognize("4c6e 000003eb 00000000 01 | 28 00000004 0009 00000005").bits,
                     8);
}

TEST(two_small_packets_are_sufficient)
{
    assert_second("4c6e 000003e9 00000000 01 | 28 00000001 000f");
    assert_second("4c6e 000003ea 000003e9 04 0b020080 01 | 12 00000001 0004 00000000");
    assert_second("4c6e 00000416 00000000 01 | 12 0000002e 0004 00000000 | 4c61 02 000003e9 000003ea");
}

TEST(packets_of_another_protocol_with_the_same_start_are_not_sufficient)
{
    assert_int_equal(recognize("4c6e 000003e9 00000000 00").bits, 1);
    assert_int_equal(recognize("4c6e 000003e9 000003e9 01 01 00").bits, 1);
    assert_int_equal(recognize("4c61 01 000003e9").bits, 1);
}

TEST(ack_only_packets_of_several_ids_add_up)
{
    assert_int_equal(recognize("4c61 03 000003e9 000003ea 000003eb").bits, 8);
    assert_int_equal(recognize("4c61 04 000003e9 000003ea 000003eb 000003ec").bits, 8);
    assert_int_equal(recognize("4c61 02 00000001 00000401").bits, 8);
}

/* A known conversation continues after 2^24 packets. */
TEST(large_ids_are_possible_but_not_evidence)
{
    gw_recognition normal = recognize("4c6e ffffffff 00000000 01 | 12 00000001 0004 00000000");
    assert_true(normal.possible);
    assert_int_equal(normal.bits, 0);
    assert_true(recognize("4c61 01 ffffffff").possible);
    assert_int_equal(recognize("4c61 02 fffffffe ffffffff").bits, 0);
    assert_false(recognize("4c61 02 ffffffff fffffffe").possible);
    assert_false(recognize("4c61 02 ffffffff").possible);
    assert_false(recognize("4c6e ffffffff 00000000 00").possible);
    assert_false(recognize("4c6e ffffffff 00000000 01 | 12 00000001 0004 00").possible);
    assert_false(recognize("4c62 ffffffff 00000000 00").possible);
    assert_false(recognize("4d6e ffffffff 00000000 01 | 12 00000001 0004 00000000").possible);
}

TEST(packets_that_the_engine_does_not_send_are_not_evidence)
{
    assert_no_evidence("4c6e 00000000 00000000 01 | 28 00000001 0000 0000002a");
    assert_no_evidence("4c6e 000003e9 00000001 00 01 | 28 00000001 0000 0000002a");
    assert_no_evidence("4c6e 000003e9 00000001 05 0100000001 01 | 28 00000001 0000 0000002a");
    assert_no_evidence("4c6e 000003e9 00000001 01 02 01 | 28 00000001 0000 0000002a");
    assert_no_evidence("4c6e 000003e9 00000001 02 0100 01 | 28 00000001 0000 0000002a");
    assert_no_evidence("4c6e 000003e9 00000000 01 | 29 00000001 0000 0000002a");
    assert_no_evidence("4c6e 000003e9 00000000 01 | 28 00000000 0000 0000002a");
    assert_no_evidence("4c6e 000003e9 00000000 01 | 28 00000001 0000 0000002b");
    assert_no_evidence("4c6e 000003e9 00000000 01 | 28 00000001 0012");
    assert_no_evidence("4c6e 000003e9 00000000 01 | 28 00000001 0000 0000002a 00");
    assert_no_evidence("4c6e 000003e9 00000000 01 | 28 00000001 0000 000000");
    assert_no_evidence("4c6e 000003e9 00000000 01 | 28 00000001 000a 00000002 c328");
    assert_no_evidence("4c6e 000003e9 00000000 01 | 12 00000001 000a 00000000 03 00000000");
    assert_no_evidence("4c6e 000003e9 00000001 04 0100");
    assert_no_evidence("4c6e 000003e9");
    assert_no_evidence("4c6e");
    assert_no_evidence("4c61");
    assert_no_evidence("4c61 00");
    assert_no_evidence("4c61 00 ff");
    assert_no_evidence("4c61 01 00000000");
    assert_no_evidence("4c61 02 000003ea 000003e9");
    assert_no_evidence("4c61 02 00000001 00000402");
    assert_no_evidence("4c61 02 00000001 01000000");
    assert_no_evidence("4c61 05 00000001 00000002 00000003 00000004 00000005");
    assert_no_evidence("4c61 01 000003e9 00");
}

TEST(packets_of_other_protocols_are_impossible)
{
    assert_impossible("");
    assert_impossible("4c");
    assert_impossible("4d6e 000003e9 00000000 01 | 28 00000001 0000 0000002a");
    assert_impossible("4c65 000003e9 00000000 01 | 28 00000001 0000 0000002a");
    assert_impossible("4c6e 01000000 00000000 01 | 28 00000001 0000 0000");
    assert_impossible("4c61 02 01000000");
    assert_impossible("4c6e 206973206120666f726d756c61");             /* "Ln is a formula" */
    assert_impossible("4c61206c61206c61");                            /* "La la la" */
    assert_impossible("0001 0000 2112a442 000102030405060708090a0b"); /* STUN */
    assert_impossible("4c6e 0100 0001 0000 0000 0000 | 07 6578616d706c65 03 636f6d 00 0001 0001"); /* DNS */
}

TEST(a_truncated_packet_has_less_evidence)
{
    size_t length =
        from_hex("4c6e 000003e9 00000000 01 | 28 00000003 0002 | 00000006 706c61796572 | 0000000000000000 00000000");
    uint32_t whole = recognize_captured(length, length).bits;
    assert_int_equal(whole - recognize_captured(length - 1, length).bits, 6);
    assert_int_equal(whole - recognize_captured(18, length).bits, 6 + 8);
    assert_int_equal(recognize_captured(17, length).bits, 0);
    length = from_hex("4c6e 000003e9 00000000 01 | 28 00000003 ffff | 00000006");
    assert_int_equal(recognize_captured(length, length + 9).bits, 0);
    length = from_hex("4c61 02 000003e9 000003ea");
    assert_int_equal(recognize_captured(length, length).bits, 8);
    assert_int_equal(recognize_captured(7, length).bits, 0);
}

TEST(recognition_follows_the_revision)
{
    gw_leviathan_options old = { .revision = GW_LEVIATHAN_SINCE_2017_04_05 };
    gw_recognition recognition;
    size_t length = from_hex("4c6e 000003e9 00000000 01 | 28 00000001 0011 00000001 00");
    assert_true(recognize_captured(length, length).bits > 0);
    gw_leviathan_recognize(input, length, length, &old, &recognition);
    assert_int_equal(recognition.bits, 0);
}

/* A datagram in the middle of an input: all except the offsets is the same. */
TEST(reading_starts_at_the_offset)
{
    gw_leviathan_options options = { .offset = 3 };
    gw_leviathan_summary summary;
    size_t length = from_hex("ffffff | 4c6e 000003e9 00000000 00 | 4c");
    gw_leviathan_init(&decoded.reader, input, length, &options);
    for (decoded.count = 0; gw_leviathan_next(&decoded.reader, &decoded.events[decoded.count]) == GW_NEXT_EVENT;)
        decoded.count++;
    assert_int_equal(number_of(GW_LEVIATHAN_ROLE_PACKET_ID), 1001);
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_PACKET_ID, 0)->payload.offset, 5);
    assert_int_equal(event_of(GW_LEVIATHAN_ROLE_TRAILING, 0)->odd, GW_LEVIATHAN_ODD_NO_MESSAGES);
    assert_true(gw_leviathan_validate(input, length, &options, &summary));
    assert_int_equal(summary.length, 11);
    assert_int_equal(summary.trailing, 1);
    options.offset = (uint32_t)length + 1;
    gw_leviathan_init(&decoded.reader, input, length, &options);
    assert_int_equal(gw_leviathan_next(&decoded.reader, &decoded.events[0]), GW_NEXT_FAULT);
    assert_int_equal(decoded.reader.fault.needed, 3);
    assert_false(gw_leviathan_validate(input, length, &options, &summary));
    assert_memory_equal(&summary.fault, &decoded.reader.fault, sizeof summary.fault);
}
