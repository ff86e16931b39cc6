/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which datagrams are evidence for ENet.
 */
#include "decoding.h"

/* ---- recognizing -------------------------------------------------------------------------------------------- */

TEST(a_single_connect_is_sufficient_evidence)
{
    assert_true(recognize_hex(CONNECT).bits >= GW_RECOGNIZED_ALONE);
    assert_true(recognize_hex(VERIFY_CONNECT).bits >= GW_RECOGNIZED_ALONE);
    assert_int_equal(recognize_hex(CONNECT).readings, GW_ENET_READING_PLAIN);
}

TEST(short_commands_are_weak_evidence)
{
    assert_int_equal(recognize_hex("0001 | 01 00 0005 0005 1234").bits, 2 + 8 + 4);
    assert_int_equal(recognize_hex("0001 | 01 00 0000 0000 1234").bits, 2 + 4);
    assert_int_equal(recognize_hex("8001 1234 | 85 ff 0005").bits, 4 + 6 + 4 + 2);
    assert_int_equal(recognize_hex(RELIABLE).bits, 4 + 10 + 2);
    assert_int_equal(recognize_hex("8001 1234 | 84 ff 0005 00000000").bits, 4 + 6 + 4 + 2);
}

TEST(a_sent_time_is_written_with_requests_for_acknowledgements_only)
{
    assert_int_equal(recognize_hex("8001 0050 | 01 00 0005 0005 0040").bits, 0);
    assert_int_equal(recognize_hex("8001 0050 | 07 00 0001 0001 0003 616263").bits, 0);
    assert_true(recognize_hex("0001 | 01 00 0005 0005 0040").bits);
    assert_true(recognize_hex("8001 0050 | 01 00 0005 0005 0040 | 85 ff 0002").bits);
    /* A ping may follow after the captured bytes. */
    gw_recognition recognition;
    set_input("8001 0050 | 01 00 0005 0005 0040 | 85 ff 0002");
    assert_true(gw_enet_recognize(input, 12, length, NULL, &recognition));
    assert_true(recognition.bits);
}

TEST(acknowledgements_alone_are_answers)
{
    assert_true(recognize_hex("0001 | 01 00 0005 0005 0040 | 01 00 0006 0006 0040").is_answer);
    assert_false(recognize_hex("8001 0050 | 01 00 0005 0005 0040 | 85 ff 0002").is_answer);
    assert_false(recognize_hex("0001 | 07 00 0001 0001 0003 616263").is_answer);
}

TEST(several_commands_add_up)
{
    uint32_t bits = recognize_hex("8001 1234 | 01 00 0005 0005 1234 | 86 01 000c 0003 616263").bits;
    assert_int_equal(bits, 2 + 8 + 4 + 10 + 2);
    assert_int_equal(recognize_hex("0001 | 49 00 0000 0001 0001 61 | 07 00 0001 0001 0001 61").bits, 4 + 2 + 10);
}

TEST(fragments_with_consistent_numbers_are_strong_evidence)
{
    assert_int_equal(recognize_hex(FRAGMENT).bits, 4 + 12 + 12 + 10 + 2);
    /* The last fragment, with another length. */
    assert_int_equal(recognize_hex("8001 1234 | 88 00 0009 0007 0002 00000003 00000002 0000000a 00000008 6162").bits,
                     40);
    assert_int_equal(recognize_hex("0001 | 0c 00 0001 0007 0004 00000003 00000001 0000000a 00000004 61626364").bits,
                     2 + 12 + 10);
    /* Another offset, another count, a single fragment. */
    assert_int_equal(
        recognize_hex("8001 1234 | 88 00 0008 0007 0004 00000003 00000001 0000000a 00000005 61626364").bits, 28);
    assert_int_equal(
        recognize_hex("8001 1234 | 88 00 0008 0007 0004 00000004 00000001 0000000a 00000004 61626364").bits, 28);
    assert_int_equal(
        recognize_hex("8001 1234 | 88 00 0007 0007 0004 00000001 00000000 0000000a 00000000 61626364").bits, 28);
    assert_int_equal(recognize_hex("8001 1234 | 88 00 0009 0007 0002 00000003 00000002 0000000b 00000008 6162").bits,
                     28);
    /* The last of four fragments, with an offset for which the three before it have different lengths. */
    assert_int_equal(recognize_hex("8001 1234 | 88 00 000a 0007 0002 00000004 00000003 0000000a 00000008 6162").bits,
                     28);
    /* A fragment without bytes is no evidence for offset and count. */
    assert_int_equal(recognize_hex("0001 | 0c 00 0001 0007 0000 00000003 00000001 0000000a 00000004").bits, 2 + 4);
}

TEST(both_kinds_of_disconnect_are_evidence)
{
    assert_int_equal(recognize_hex("8001 1234 | 84 ff 0005 00000007").bits, 4 + 6 + 4 + 2);
    assert_int_equal(recognize_hex("0001 | 44 ff 0005 00000007").bits, 4 + 6 + 4);
}

TEST(datagrams_that_violate_a_rule_are_possible_but_not_evidence)
{
    static const char *const datagrams[] = {
        "0001 | 01 00 0005 0006 1234",
        "0001 | 85 ff 0005",
        "8001 1234 | 86 ff 000c 0003 616263",
        "8fff 1234 | 85 ff 0001",
    };
    for (size_t i = 0; i < sizeof datagrams / sizeof *datagrams; i++) {
        gw_recognition recognition = recognize_hex(datagrams[i]);
        assert_true(recognition.possible);
        assert_int_equal(recognition.bits, 0);
    }
}

TEST(unreadable_datagrams_are_not_possible)
{
    static const char *const datagrams[] = {
        "",
        "80",
        "8001 1234",
        "8001 1234 | 85 ff 00",
        "8001 1234 | 00 ff 0001",
        "8001 1234 | 0d ff 0001",
        "8001 1234 | c5 ff 0001",
        "8001 1234 | 86 01 000c 0004 616263",
        "8001 1234 | 86 01 000c 0002 616263",
        "c001 1234 | 0000",
    };
    for (size_t i = 0; i < sizeof datagrams / sizeof *datagrams; i++)
        assert_false(recognize_hex(datagrams[i]).possible);
}

TEST(compressed_datagrams_are_possible_but_not_evidence)
{
    gw_recognition recognition = recognize_hex("c001 1234 | 01020304 05");
    assert_true(recognition.possible);
    assert_int_equal(recognition.bits, 0);
}

TEST(equal_commands_count_once)
{
    /* 21 times 0100: five equal Acks whose sent time is also equal to their number. */
    assert_int_equal(recognize_hex("0100 | 0100 0100 0100 0100 0100 0100 0100 0100 0100 0100 0100 0100 0100 0100 0100 "
                                   "0100 0100 0100 0100 0100")
                         .bits,
                     2 + 4);
    assert_int_equal(recognize_hex("8001 1234 | 85 ff 0005 | 85 ff 0005 | 85 ff 0006").bits, 2 * (4 + 6) + 4 + 2);
    assert_int_equal(recognize_hex("0001 | 07 00 0001 0001 0001 61 | 07 00 0001 0001 0001 62").bits, 2 + 2 + 10);
}

TEST(acks_of_one_number_count_once)
{
    assert_int_equal(recognize_hex("0005 | 01 00 0064 0064 001e | 01 01 0064 0064 001e | 01 02 0064 0064 001f").bits,
                     2 + 8 + 4);
    assert_int_equal(recognize_hex("0005 | 01 00 0064 0064 001e | 01 00 0065 0065 001e").bits, 2 * (2 + 8) + 4);
    /* Repeated equal numbers. */
    assert_int_equal(recognize_hex("0005 | 01 05 0105 0105 0105").bits, 2 + 4);
}

TEST(a_sender_is_identified_by_peer_id_and_session)
{
    uint32_t sender = recognize_hex("8001 1234 | 85 ff 0005").sender;
    assert_int_equal(sender, recognize_hex("0001 | 01 00 0005 0005 1234").sender);
    assert_int_not_equal(sender, recognize_hex("8002 1234 | 85 ff 0005").sender);
    assert_int_not_equal(sender, recognize_hex("9001 1234 | 85 ff 0005").sender);
    assert_int_not_equal(recognize_hex("8000 1234 | 85 ff 0005").sender, 0);
    assert_int_equal(recognize_hex(CONNECT).sender, 0);
}

TEST(equal_evidence_has_the_same_hash)
{
    uint32_t ack = recognize_hex("0001 | 01 00 0064 0064 001e").evidence;
    assert_int_equal(ack, recognize_hex("0001 | 01 01 0064 0064 0020").evidence);
    uint32_t second = recognize_hex("0001 | 01 00 0065 0065 001e").evidence;
    uint32_t third = recognize_hex("0001 | 01 00 0066 0066 001e").evidence;
    assert_true(ack && second && third);
    assert_true(ack != second && ack != third && second != third);
    uint32_t message = recognize_hex("8001 1234 | 86 01 000c 0003 616263").evidence;
    assert_int_equal(message, recognize_hex("8001 1235 | 86 01 000c 0003 616264").evidence);
    assert_int_not_equal(message, recognize_hex("8001 1234 | 86 01 000d 0003 616263").evidence);
}

static void assert_quick_tests_pass(void)
{
    gw_recognition recognition;
    if (!gw_enet_recognize(input, length, length, NULL, &recognition))
        return;
    assert_true(gw_enet_may_begin(input, length));
    assert_true(input[0] & 0x40 || gw_enet_has_shape(input, length, length));
}

TEST(datagrams_that_the_quick_tests_reject_are_not_possible)
{
    static const char *const datagrams[] = {
        CONNECT,
        VERIFY_CONNECT,
        FRAGMENT,
        "0001 | 01 00 0005 0005 1234",
        "8001 1234 cafef00d | 85 ff 0005",
        "8001 1234 | 01 00 0005 0005 1234 | 86 01 000c 0003 616263",
        "0001 | 49 00 0000 0001 0001 61 | 07 00 0001 0001 0001 61",
        "c001 1234 | 01020304 05",
    };
    for (size_t i = 0; i < sizeof datagrams / sizeof *datagrams; i++) {
        set_input(datagrams[i]);
        assert_quick_tests_pass();
        for (size_t at = 0; at < length; at++)
            for (int change = 1; change < 256; change++) {
                input[at] ^= (uint8_t)change;
                assert_quick_tests_pass();
                input[at] ^= (uint8_t)change;
            }
        for (; length; length--)
            assert_quick_tests_pass();
    }
}

TEST(the_quick_tests_reject_other_types_and_lengths)
{
    set_input("8001 1234 | 05 ff 0005 00000000");
    assert_false(gw_enet_may_begin(input, length));
    set_input("8001 1234 | 86 01 000c 0004 616263");
    assert_true(gw_enet_may_begin(input, length));
    assert_false(gw_enet_has_shape(input, length, length));
    assert_true(gw_enet_has_shape(input, length, length + 1));
    for (unsigned first = 0; first < 256; first++) {
        const gw_enet_command_type *type = gw_enet_command_of(first & 0x0F);
        bool flags = type && ((first & 0xF0) == type->flags || (first & 0xF0) == type->other_flags);
        assert_int_equal(gw_enet_is_type((uint8_t)first), flags);
    }
}

TEST(the_quick_tests_require_a_command_after_the_header)
{
    static const char *const without[] = { "00", "0001", "8001 1234", "0001 05", "0001 cafef00d", "0001 cafef00d 05" };
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        set_input(without[i]);
        assert_false(gw_enet_may_begin(input, length));
        assert_false(gw_enet_has_shape(input, length, length));
    }
    assert_false(gw_enet_may_begin(input, 0));
    set_input("0001 cafef00d 85 ff 0005");
    assert_true(gw_enet_may_begin(input, length));
    assert_true(gw_enet_has_shape(input, length, length));
    assert_false(gw_enet_has_shape(input, length, length - 1));
    assert_false(gw_enet_has_shape(input, length, GW_ENET_LARGEST_MTU + 1));
    /* The capture may end inside the command; the datagram may not. */
    assert_true(gw_enet_has_shape(input, length - 1, length));
    assert_false(gw_enet_has_shape(input, length - 1, length - 1));
}

static bool may_begin_hex(const char *hex)
{
    set_input(hex);
    return gw_enet_may_begin_commands(input, length);
}

TEST(the_beginning_of_commands_is_tested_by_the_same_rules)
{
    static const char *const commands[] = {
        "01 00 0005 0005 1234",
        "85 ff 0005",
        "86 01 000c 0003 616263",
        "49 00 0000 0001 0001 61",
        "88 00 0009 0007 0002 00000003 00000002 0000000a 00000008 6162",
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        for (set_input(commands[i]); length; length--)
            assert_true(gw_enet_may_begin_commands(input, length));
    assert_false(may_begin_hex("05"));
    assert_false(may_begin_hex("85 00"));
    assert_false(may_begin_hex("86 ff"));
    assert_false(may_begin_hex("01 00 0005 0006"));
    assert_false(may_begin_hex("49 00 0001"));
    assert_false(may_begin_hex("86 01 000c 10"));
    assert_false(gw_enet_may_begin_commands(input, 0));
}

/* What follows the longest commands of a datagram is not looked at. */
TEST(the_beginning_may_be_longer_than_a_datagram)
{
    static uint8_t longest[2 * GW_ENET_LARGEST_UNPACKED] = { 0x86, 0, 0, 1, 0x0f, 0xf8 };
    memset(longest + GW_ENET_LARGEST_UNPACKED, 0x0f, GW_ENET_LARGEST_UNPACKED);
    assert_true(gw_enet_may_begin_commands(longest, sizeof longest));
    longest[5]--;
    assert_false(gw_enet_may_begin_commands(longest, sizeof longest));
}

TEST(decompressed_commands_are_evidence)
{
    gw_recognition recognition;
    gw_enet_options options = { .commands_only = true, .header = gw_enet_header_of(NULL, 0xc001) };
    set_input("86 01 000c 0003 616263");
    assert_true(gw_enet_recognize(input, length, length, &options, &recognition));
    assert_int_equal(recognition.bits, 16);
    assert_int_equal(recognition.readings, GW_ENET_READING_PLAIN);
    options.checksum = true;
    assert_true(gw_enet_recognize(input, length, length, &options, &recognition));
    assert_int_equal(recognition.readings, GW_ENET_READING_CHECKSUM);
    set_input("85 ff 0001 | 01 00 0005 0005 1234 | 00000000");
    assert_false(gw_enet_recognize(input, length, length, &options, &recognition));
    options.padded = true;
    assert_true(gw_enet_recognize(input, length, length, &options, &recognition));
    assert_true(recognition.bits);
    /* With other lengths than 16, zeros are not padding. */
    assert_true(gw_enet_recognize(input, 12, 12, &options, &recognition));
    assert_false(gw_enet_recognize(input, 14, 14, &options, &recognition));
    input[14] = 1;
    assert_true(gw_enet_recognize(input, length, length, &options, &recognition));
    assert_int_equal(recognition.bits, 0);
}

/* If the capture ends before the datagram, the evidence counts half. */
TEST(datagrams_truncated_by_the_capture_have_half_the_evidence)
{
    gw_recognition recognition;
    set_input("8001 1234 | 01 00 0005 0005 1234 | 86 01 000c 0003 616263");
    assert_true(gw_enet_recognize(input, 14, length, NULL, &recognition));
    assert_int_equal(recognition.bits, (2 + 8) / 2);
    /* If only the last payload is truncated, its length still matches the end of the datagram. */
    assert_true(gw_enet_recognize(input, 19, length, NULL, &recognition));
    assert_int_equal(recognition.bits, 2 + 8 + 4 + 10 + 2);
    assert_false(gw_enet_recognize(input, 19, length - 1, NULL, &recognition));
    assert_false(gw_enet_recognize(input, 6, length, NULL, &recognition));
    assert_false(gw_enet_recognize(input, length, length - 1, NULL, &recognition));
    assert_false(gw_enet_recognize(input, 19, 5000, NULL, &recognition));
    set_input(CONNECT);
    assert_false(gw_enet_recognize(input, 40, length, NULL, &recognition));
}

TEST(more_than_32_commands_are_not_evidence)
{
    gw_recognition recognition;
    set_input("8001 1234");
    for (uint8_t i = 0; i < 33; i++, length += 4)
        memcpy(input + length, (const uint8_t[]){ 0x85, 0xFF, 0, i }, 4);
    assert_true(gw_enet_recognize(input, length - 4, length - 4, NULL, &recognition));
    assert_true(recognition.bits >= GW_RECOGNIZED_ALONE);
    assert_true(gw_enet_recognize(input, length, length, NULL, &recognition));
    assert_int_equal(recognition.bits, 0);
    assert_int_equal(recognition.readings, GW_ENET_READING_PLAIN);
}

/* Reads and weighs the first `captured` bytes of the input itself. */
static gw_recognition weigh_input(uint32_t captured, const gw_enet_options *options)
{
    gw_enet_evidence evidence = { 0 };
    gw_recognition recognition;
    gw_enet_event event;
    gw_enet_init(&reader, input, captured, options);
    while (gw_enet_next(&reader, &event) == GW_NEXT_EVENT)
        gw_enet_weigh(&evidence, &reader, &event);
    bool possible = gw_enet_weigh_end(&evidence, &reader, length, &recognition);
    assert_int_equal(possible, recognition.possible);
    return recognition;
}

TEST(a_caller_that_reads_events_itself_finds_the_same)
{
    static const char *const datagrams[] = {
        CONNECT,
        VERIFY_CONNECT,
        RELIABLE,
        "c001 1234 56789abc",                  /* compressed */
        "0001 | 01 00 0005 0005 1234 | 0f 00", /* an unknown command after the first */
        "0001 | 21 00 0005 0005 1234",         /* flags that senders do not write */
        "8001 1234 deadbeef | 85 ff 0005"
    };
    for (size_t i = 0; i < sizeof datagrams / sizeof *datagrams; i++) {
        set_input(datagrams[i]);
        for (uint32_t captured = 0; captured <= length; captured++) {
            gw_recognition recognition;
            gw_recognition plain = weigh_input(captured, NULL);
            gw_recognition with = weigh_input(captured, &(gw_enet_options){ .checksum = true });
            gw_enet_recognize(input, captured, length, NULL, &recognition);
            assert_memory_equal(&recognition, plain.possible ? &plain : &with, sizeof recognition);
        }
    }
}

/* ---- a format that is not decoded --------------------------------------------------------------------------- */

#define CONNECT_OF_1_0 \
    "ffff 00 01 087c7d44 67458b6b | 02 ff 01 7c 0000002c 00000001 0000 0578 00008000 00000003 00000000 00000000 " \
    "00001388 00000002 00000002"
#define ACK_AND_PING_OF_1_0 \
    "0000 00 02 087c7d46 67458b6b | 01 ff 00 7c 00000014 00000001 00000002 087c7d45 | 05 ff 01 00 0000000c 00000002"

static bool is_photon(const char *hex)
{
    set_input(hex);
    return gw_enet_is_photon(input, length, length);
}

TEST(photon_is_known_by_its_lengths)
{
    static const char *const photon[] = { CONNECT_OF_1_0, ACK_AND_PING_OF_1_0,
                                          "0001 cc 01 00000014 67458b6b 8badf00d | 05 ff 01 04 0000000c 00000002" };
    static const char *const others[] = {
        "",
        "00",
        CONNECT,
        RELIABLE,
        /* No commands; another length of the datagram or of a command; type and flags that do not exist. */
        "0000 00 00 087c7d46 67458b6b | 05 ff 01 00 0000000c 00000002",
        "0000 00 01 087c7d46 67458b6b | 05 ff 01 00 0000000c 00000002 00",
        "0000 00 02 087c7d46 67458b6b | 05 ff 01 00 0000000c 00000002",
        "0000 00 01 087c7d46 67458b6b | 05 ff 01 00 0000000b 00000002",
        "0000 00 01 087c7d46 67458b6b | 05 ff 01 00 0000000d 00000002",
        "0000 00 01 087c7d46 67458b6b | 11 ff 01 00 0000000c 00000002",
        "0000 00 01 087c7d46 67458b6b | 00 ff 01 00 0000000c 00000002",
        "0000 02 01 087c7d46 67458b6b | 05 ff 01 00 0000000c 00000002",
        "0000 cc 01 087c7d46 67458b6b | 05 ff 01 00 0000000c 00000002",
        /* A command that is shorter than its header. */
        "0000 00 02 087c7d46 67458b6b | 05 ff 01 00 0000000b 000000 05 ff 01 00 0000000d 00000002 00",
    };
    for (size_t i = 0; i < sizeof photon / sizeof *photon; i++)
        assert_true(is_photon(photon[i]));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(is_photon(others[i]));
    set_input(ACK_AND_PING_OF_1_0);
    assert_int_equal(recognize_hex(ACK_AND_PING_OF_1_0).bits, 0);
    assert_false(gw_enet_is_photon(input, 23, length));
    assert_true(gw_enet_is_photon(input, 32, length));
    assert_true(gw_enet_is_photon(input, 43, length));
    assert_false(gw_enet_is_photon(input, length, length - 1));
    assert_false(gw_enet_is_photon(input, length, GW_ENET_LARGEST_MTU + 1));
}
