/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ENet's faults, each with its offset and missing bytes, and oddities.
 */
#include "decoding.h"

/* ---- faults ------------------------------------------------------------------------------------------------- */

TEST(headers_that_end_early)
{
    assert_fault("", GW_ENET_FAULT_HEADER_TRUNCATED, 0, 2);
    assert_fault("80", GW_ENET_FAULT_HEADER_TRUNCATED, 0, 1);
    assert_int_equal(count, 0);
    assert_fault("8001 12", GW_ENET_FAULT_HEADER_TRUNCATED, 2, 1);
    assert_true(event_of(GW_ENET_ROLE_HEADER)->is_cut);
    assert_number(GW_ENET_ROLE_WORD, 0x8001);
    assert_null(find_part(GW_ENET_ROLE_SENT_TIME).field);
}

TEST(commands_that_end_early)
{
    assert_fault("8001 1234 | 85", GW_ENET_FAULT_COMMAND_TRUNCATED, 5, 3);
    assert_int_equal(event_of(GW_ENET_ROLE_COMMAND)->header.length, 1);
    assert_fault("8001 1234 | 85 ff 00", GW_ENET_FAULT_COMMAND_TRUNCATED, 6, 1);
    assert_fault("0001 | 01 00 0005 0005 12", GW_ENET_FAULT_COMMAND_TRUNCATED, 8, 1);
    assert_fault("8001 1234 | 86 01 000c", GW_ENET_FAULT_COMMAND_TRUNCATED, 8, 2);
    assert_fault("8001 1234 | 86 01 000c 00", GW_ENET_FAULT_COMMAND_TRUNCATED, 8, 1);
    assert_true(event_of(GW_ENET_ROLE_COMMAND)->is_cut);
    assert_int_equal(gw_enet_span_of(event_of(GW_ENET_ROLE_COMMAND)).length, 5);
    assert_number(GW_ENET_ROLE_SEQUENCE, 12);
    assert_null(find_part(GW_ENET_ROLE_LENGTH).field);
}

TEST(payloads_that_end_early)
{
    assert_fault("8001 1234 | 86 01 000c 0005 616263", GW_ENET_FAULT_PAYLOAD_TRUNCATED, 10, 2);
    assert_true(event_of(GW_ENET_ROLE_COMMAND)->is_cut);
    assert_int_equal(event_of(GW_ENET_ROLE_COMMAND)->payload.length, 3);
    assert_number(GW_ENET_ROLE_LENGTH, 5);
    assert_null(find_part(GW_ENET_ROLE_PAYLOAD).field);
}

TEST(commands_that_do_not_exist)
{
    assert_fault("8001 1234 | 00 00 0000", GW_ENET_FAULT_COMMAND_UNKNOWN, 4, 0);
    assert_fault("8001 1234 | 85 ff 0001 | 8d 00 0000", GW_ENET_FAULT_COMMAND_UNKNOWN, 8, 0);
}

/* Not possible on 32-bit systems. */
#if SIZE_MAX > UINT32_MAX
TEST(an_input_of_4_gib_is_rejected)
{
    gw_enet_init(&reader, input, (size_t)UINT32_MAX + 1, NULL);
    assert_int_equal(gw_enet_next(&reader, events), GW_NEXT_FAULT);
    assert_int_equal(reader.fault.code, GW_ENET_FAULT_TOO_LONG);
    assert_int_equal(reader.fault.offset, 0);
    assert_int_equal(reader.fault.needed, 0);
    assert_int_equal(reader.fault.fault_class, GW_FAULT_LIMIT);
}
#endif

TEST(faults_have_texts)
{
    for (uint32_t code = 0; code < GW_ENET_FAULTS; code++) {
        assert_true(gw_fault_text(&gw_enet_faults, code)[0]);
        assert_int_equal(gw_fault_class_of(&gw_enet_faults, code) == GW_FAULT_NONE, code == GW_ENET_FAULT_NONE);
    }
    assert_string_equal(gw_fault_text(&gw_enet_faults, GW_ENET_FAULTS), "Unknown fault");
    assert_int_equal(gw_fault_class_of(&gw_enet_faults, GW_ENET_FAULTS), GW_FAULT_NONE);
    assert_null(gw_fault_consequence(&gw_enet_faults, GW_ENET_FAULTS));
    assert_null(gw_fault_consequence(&gw_enet_faults, GW_ENET_FAULT_TOO_LONG));
    assert_string_equal(gw_fault_consequence(&gw_enet_faults, GW_ENET_FAULT_COMMAND_UNKNOWN),
                        "ENet stops here and drops the rest of the datagram");
}

TEST(every_prefix_reports_how_many_bytes_are_missing)
{
    set_input(RELIABLE);
    size_t whole = length;
    for (length = 0; length < whole; length++) {
        read_input(NULL);
        if (length == 4) {
            assert_int_equal(last, GW_NEXT_END);
            continue;
        }
        assert_int_equal(last, GW_NEXT_FAULT);
        assert_int_equal(reader.fault.fault_class, GW_FAULT_TRUNCATED);
        assert_true(reader.fault.needed && reader.fault.needed <= whole - length);
    }
}

/* ---- oddities ----------------------------------------------------------------------------------------------- */

TEST(odd_datagrams)
{
    assert_odd("8001 1234", GW_ENET_ROLE_WORD, GW_ENET_ODD_NO_COMMANDS);
    set_input("8001 1234 | 86 01 000c 1000");
    length = 10 + 4096;
    read_input(NULL);
    assert_int_equal(last, GW_NEXT_END);
    assert_int_equal(events[0].odd, GW_ENET_ODD_DATAGRAM_LENGTH);
}

TEST(more_than_32_commands_are_odd_once)
{
    set_input("8001 1234");
    for (int i = 0; i < 34; i++, length += 4)
        memcpy(input + length, "\x85\xff\x00\x01", 4);
    read_input(NULL);
    assert_int_equal(last, GW_NEXT_END);
    for (size_t i = 0, commands = 0; i < count; i++)
        if (events[i].role == GW_ENET_ROLE_COMMAND)
            assert_int_equal(events[i].odd, ++commands == 33 ? GW_ENET_ODD_COMMAND_COUNT : 0);
}

TEST(odd_types)
{
    assert_odd("8001 1234 | c6 01 000c 0000", GW_ENET_ROLE_TYPE, GW_ENET_ODD_FLAGS);
    assert_odd("0001 | 05 ff 0001", GW_ENET_ROLE_TYPE, GW_ENET_ODD_FLAGS);
    assert_odd("0001 | 17 00 0001 0001 0000", GW_ENET_ROLE_TYPE, GW_ENET_ODD_FLAGS);
    assert_odd("0001 | 85 ff 0001", GW_ENET_ROLE_TYPE, GW_ENET_ODD_NO_SENT_TIME);
    assert_odd("8fff 1234 | 85 ff 0001", GW_ENET_ROLE_TYPE, GW_ENET_ODD_NO_PEER);
    set_input(CONNECT);
    input[0] = 0x80;
    read_input(NULL);
    assert_int_equal(part_of(GW_ENET_ROLE_TYPE).odd, GW_ENET_ODD_CONNECTED);
}

TEST(odd_channels)
{
    assert_odd("8001 1234 | 86 ff 000c 0000", GW_ENET_ROLE_CHANNEL, GW_ENET_ODD_CHANNEL);
    assert_odd("8001 1234 | 85 00 000c", GW_ENET_ROLE_CHANNEL, GW_ENET_ODD_CONNECTION_CHANNEL);
}

TEST(odd_numbers)
{
    assert_odd("0001 | 01 00 0005 0006 1234", GW_ENET_ROLE_ACKED_SEQUENCE, GW_ENET_ODD_ACKED_SEQUENCE);
    assert_odd("0001 | 49 00 0001 0001 0000", GW_ENET_ROLE_SEQUENCE, GW_ENET_ODD_UNSEQUENCED);
}

/* CONNECT with four or fewer bytes replaced. */
static void assert_odd_connect(size_t at, const char *hex, gw_enet_role field, uint32_t odd)
{
    uint8_t bytes[4];
    set_input(hex);
    size_t changed = length;
    memcpy(bytes, input, changed);
    set_input(CONNECT);
    memcpy(input + at, bytes, changed);
    read_input(NULL);
    assert_int_equal(last, GW_NEXT_END);
    assert_int_equal(part_of(field).odd, odd);
}

TEST(odd_connections)
{
    assert_odd_connect(8, "0fff", GW_ENET_ROLE_OUTGOING_PEER, GW_ENET_ODD_OUTGOING_PEER);
    assert_odd_connect(8, "0ffe", GW_ENET_ROLE_OUTGOING_PEER, 0);
    assert_odd_connect(10, "04", GW_ENET_ROLE_INCOMING_SESSION, GW_ENET_ODD_SESSION);
    assert_odd_connect(10, "03", GW_ENET_ROLE_INCOMING_SESSION, 0);
    assert_odd_connect(11, "fe", GW_ENET_ROLE_OUTGOING_SESSION, GW_ENET_ODD_SESSION);
    assert_odd_connect(12, "0000023f", GW_ENET_ROLE_MTU, GW_ENET_ODD_MTU);
    assert_odd_connect(12, "00000240", GW_ENET_ROLE_MTU, 0);
    assert_odd_connect(12, "00001000", GW_ENET_ROLE_MTU, 0);
    assert_odd_connect(12, "00001001", GW_ENET_ROLE_MTU, GW_ENET_ODD_MTU);
    assert_odd_connect(16, "00000fff", GW_ENET_ROLE_WINDOW, GW_ENET_ODD_WINDOW);
    assert_odd_connect(16, "00001000", GW_ENET_ROLE_WINDOW, 0);
    assert_odd_connect(16, "00010001", GW_ENET_ROLE_WINDOW, GW_ENET_ODD_WINDOW);
    assert_odd_connect(20, "00000000", GW_ENET_ROLE_CHANNEL_COUNT, GW_ENET_ODD_CHANNEL_COUNT);
    assert_odd_connect(20, "000000ff", GW_ENET_ROLE_CHANNEL_COUNT, 0);
    assert_odd_connect(20, "00000100", GW_ENET_ROLE_CHANNEL_COUNT, GW_ENET_ODD_CHANNEL_COUNT);
}

#define PART "8001 1234 | 88 00 0008 0007 0004 "

static void assert_odd_part(const char *hex, gw_enet_role field, uint32_t odd)
{
    read_hex(hex);
    assert_int_equal(last, GW_NEXT_END);
    assert_int_equal(part_of(field).odd, odd);
}

TEST(odd_parts_of_fragments)
{
    assert_odd_part(PART "00000000 00000001 0000000a 00000004 61626364", GW_ENET_ROLE_FRAGMENT_COUNT,
                    GW_ENET_ODD_FRAGMENT_COUNT);
    assert_odd_part(PART "00100001 00000001 0100000a 00000004 61626364", GW_ENET_ROLE_FRAGMENT_COUNT,
                    GW_ENET_ODD_FRAGMENT_COUNT);
    assert_odd_part(PART "00000001 00000001 0000000a 00000004 61626364", GW_ENET_ROLE_FRAGMENT_NUMBER,
                    GW_ENET_ODD_FRAGMENT_NUMBER);
    assert_odd_part(PART "00000003 00000002 0000000a 00000004 61626364", GW_ENET_ROLE_FRAGMENT_NUMBER,
                    GW_ENET_ODD_FRAGMENT_SEQUENCE);
    assert_odd_part(PART "00000003 00000001 02000001 00000004 61626364", GW_ENET_ROLE_TOTAL_LENGTH,
                    GW_ENET_ODD_TOTAL_LENGTH);
    assert_odd_part(PART "00000003 00000001 02000000 00000004 61626364", GW_ENET_ROLE_TOTAL_LENGTH, 0);
    assert_odd_part(PART "0000000b 00000001 0000000a 00000004 61626364", GW_ENET_ROLE_TOTAL_LENGTH,
                    GW_ENET_ODD_TOTAL_TOO_SHORT);
    assert_odd_part(PART "00000003 00000001 0000000a 0000000a 61626364", GW_ENET_ROLE_FRAGMENT_OFFSET,
                    GW_ENET_ODD_FRAGMENT_OFFSET);
    assert_odd_part(PART "00000003 00000001 0000000a 00000006 61626364", GW_ENET_ROLE_FRAGMENT_OFFSET, 0);
    assert_odd_part(PART "00000003 00000001 0000000a 00000007 61626364", GW_ENET_ROLE_FRAGMENT_OFFSET,
                    GW_ENET_ODD_FRAGMENT_END);
    assert_odd_part("8001 1234 | 88 00 0008 0007 0000 00000003 00000001 0000000a 00000004",
                    GW_ENET_ROLE_FRAGMENT_OFFSET, GW_ENET_ODD_FRAGMENT_EMPTY);
    /* Unreliable fragments may be empty, and their sequence numbers are equal. */
    assert_odd_part("0001 | 0c 00 0001 0007 0000 00000003 00000001 0000000a 00000004", GW_ENET_ROLE_FRAGMENT_OFFSET, 0);
    assert_int_equal(part_of(GW_ENET_ROLE_FRAGMENT_NUMBER).odd, 0);
}

TEST(oddities_have_texts)
{
    for (unsigned bit = 0; bit < GW_ENET_ODDS; bit++)
        assert_string_not_equal(gw_odd_text(&gw_enet_faults, UINT32_C(1) << bit), "Unknown oddity");
    assert_string_equal(gw_odd_text(&gw_enet_faults, 0), "Unknown oddity");
    assert_string_equal(gw_odd_text(&gw_enet_faults, UINT32_C(1) << GW_ENET_ODDS), "Unknown oddity");
    assert_string_equal(gw_odd_text(&gw_enet_faults, 3), "Unknown oddity");
}
