/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ENet's headers and commands by hand: bytes in, meaning out.
 */
#include "decoding.h"

/* ---- headers ------------------------------------------------------------------------------------------------ */

TEST(a_header_has_peer_and_session)
{
    assert_whole("2005 | 07 00 0001 0001 0001 61");
    assert_number(GW_ENET_ROLE_WORD, 0x2005);
    assert_int_equal(reader.header.peer, 5);
    assert_int_equal(reader.header.session, 2);
    assert_int_equal(events[0].kind, GW_VALUE);
    assert_int_equal(events[0].role, GW_ENET_ROLE_HEADER);
    assert_int_equal(events[0].payload.offset, 0);
    assert_int_equal(events[0].payload.length, 2);
    assert_int_equal(events[1].role, GW_ENET_ROLE_COMMAND);
}

TEST(a_sent_time_follows_when_its_bit_is_set)
{
    assert_whole("8001 1234 | 85 ff 0005");
    assert_number(GW_ENET_ROLE_SENT_TIME, 0x1234);
    assert_int_equal(reader.header.sent_time, 0x1234);
    assert_int_equal(part_of(GW_ENET_ROLE_SENT_TIME).span.offset, 2);
    assert_int_equal(reader.header.length, 4);
}

TEST(a_checksum_is_read_only_with_that_option)
{
    gw_enet_options options = { .checksum = true };
    set_input("8001 1234 cafef00d | 85 ff 0005");
    read_input(&options);
    assert_int_equal(last, GW_NEXT_END);
    assert_number(GW_ENET_ROLE_CHECKSUM, 0xcafef00d);
    assert_int_equal(reader.header.checksum, 0xcafef00d);
    set_input("0001 cafef00d | 01 00 0005 0005 1234");
    read_input(&options);
    assert_int_equal(last, GW_NEXT_END);
    assert_int_equal(reader.commands, 1);
}

TEST(reading_starts_at_an_offset)
{
    gw_enet_options options = { .offset = 3 };
    set_input("eeeeee 8001 1234 | 85 ff 0005");
    read_input(&options);
    assert_int_equal(last, GW_NEXT_END);
    assert_int_equal(events[0].payload.offset, 3);
    options.offset = 99;
    read_input(&options);
    assert_int_equal(reader.fault.code, GW_ENET_FAULT_HEADER_TRUNCATED);
}

TEST(compressed_commands_are_one_item)
{
    assert_whole("c001 1234 | 01020304 05");
    assert_int_equal(count, 2);
    assert_int_equal(events[1].kind, GW_OPAQUE);
    assert_int_equal(events[1].role, GW_ENET_ROLE_COMPRESSED);
    assert_int_equal(events[1].payload.offset, 4);
    assert_int_equal(events[1].payload.length, 5);
    gw_enet_part part = { 0 };
    assert_false(gw_enet_next_part(&reader, &events[1], &part));
}

TEST(decompressed_commands_have_no_header)
{
    gw_enet_options options = { .commands_only = true, .header = gw_enet_header_of(NULL, 0xc001) };
    set_input("86 01 000c 0003 616263");
    read_input(&options);
    assert_int_equal(last, GW_NEXT_END);
    assert_int_equal(events[0].role, GW_ENET_ROLE_COMMAND);
    assert_int_equal(count, 1);
    assert_int_equal(events[0].odd, 0);
    options.header = gw_enet_header_of(NULL, 0x4001);
    read_input(&options);
    assert_int_equal(part_of(GW_ENET_ROLE_TYPE).odd, GW_ENET_ODD_NO_SENT_TIME);
}

TEST(fastlz_may_leave_zeros_after_the_commands)
{
    gw_enet_options options = { .commands_only = true, .padded = true, .header = gw_enet_header_of(NULL, 0xc001) };
    set_input("85 ff 0001 | 01 00 0005 0005 1234 | 00000000");
    read_input(&options);
    assert_int_equal(last, GW_NEXT_END);
    assert_int_equal(reader.commands, 2);
    assert_int_equal(event_of(GW_ENET_ROLE_PADDING)->payload.offset, 12);
    assert_int_equal(event_of(GW_ENET_ROLE_PADDING)->payload.length, 4);
    assert_int_equal(event_of(GW_ENET_ROLE_PADDING)->odd, 0);
    input[14] = 1;
    read_input(&options);
    assert_int_equal(event_of(GW_ENET_ROLE_PADDING)->odd, GW_ENET_ODD_PADDING);
    options.padded = false;
    read_input(&options);
    assert_int_equal(reader.fault.code, GW_ENET_FAULT_COMMAND_UNKNOWN);
}

/* ---- commands ----------------------------------------------------------------------------------------------- */

TEST(a_command_is_one_event)
{
    assert_whole(RELIABLE);
    const gw_enet_event *event = event_of(GW_ENET_ROLE_COMMAND);
    assert_int_equal(count, 2);
    assert_int_equal(event->kind, GW_VALUE);
    assert_int_equal(event->index, 0);
    assert_false(event->is_cut);
    assert_int_equal(event->header.offset, 4);
    assert_int_equal(event->header.length, 6);
    assert_int_equal(event->payload.offset, 10);
    assert_int_equal(event->payload.length, 3);
    assert_int_equal(gw_enet_span_of(event).offset, 4);
    assert_int_equal(gw_enet_span_of(event).length, 9);
    assert_int_equal(event->command.number, GW_ENET_SEND_RELIABLE);
    assert_int_equal(event->command.flags, GW_ENET_ACKNOWLEDGE_FLAG);
    assert_int_equal(event->command.values[GW_ENET_ROLE_SEQUENCE], 12);
    assert_int_equal(event->command.values[GW_ENET_ROLE_LENGTH], 3);
}

TEST(the_parts_of_a_command_are_its_fields_in_order)
{
    static const struct {
        gw_enet_role role;
        uint32_t offset, length, number;
    } parts[] = { { GW_ENET_ROLE_TYPE, 4, 1, 0x86 },
                  { GW_ENET_ROLE_CHANNEL, 5, 1, 1 },
                  { GW_ENET_ROLE_SEQUENCE, 6, 2, 12 },
                  { GW_ENET_ROLE_LENGTH, 8, 2, 3 },
                  { GW_ENET_ROLE_PAYLOAD, 10, 3, 0 } };
    gw_enet_part part = { 0 };
    assert_whole(RELIABLE);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        assert_true(gw_enet_next_part(&reader, &events[1], &part));
        assert_int_equal(part.field->role, parts[i].role);
        assert_int_equal(part.span.offset, parts[i].offset);
        assert_int_equal(part.span.length, parts[i].length);
        assert_int_equal(part.number, parts[i].number);
    }
    assert_false(gw_enet_next_part(&reader, &events[1], &part));
}

TEST(acknowledge_repeats_the_sequence_number)
{
    assert_whole("0001 | 01 02 0005 0005 1234");
    assert_number(GW_ENET_ROLE_ACKED_SEQUENCE, 5);
    assert_number(GW_ENET_ROLE_ACKED_SENT_TIME, 0x1234);
    assert_number(GW_ENET_ROLE_CHANNEL, 2);
    assert_int_equal(event_of(GW_ENET_ROLE_COMMAND)->command.number, GW_ENET_ACKNOWLEDGE);
    assert_whole("0001 | 01 ff 0005 0005 1234");
}

TEST(connect_has_the_parameters_of_its_sender)
{
    assert_whole(CONNECT);
    assert_number(GW_ENET_ROLE_OUTGOING_PEER, 0);
    assert_number(GW_ENET_ROLE_INCOMING_SESSION, 255);
    assert_number(GW_ENET_ROLE_OUTGOING_SESSION, 255);
    assert_number(GW_ENET_ROLE_MTU, 1400);
    assert_number(GW_ENET_ROLE_WINDOW, 65536);
    assert_number(GW_ENET_ROLE_CHANNEL_COUNT, 3);
    assert_number(GW_ENET_ROLE_THROTTLE_INTERVAL, 5000);
    assert_number(GW_ENET_ROLE_THROTTLE_ACCELERATION, 2);
    assert_number(GW_ENET_ROLE_THROTTLE_DECELERATION, 2);
    assert_number(GW_ENET_ROLE_CONNECT_ID, 0x010b5747);
    assert_number(GW_ENET_ROLE_DATA, 2023);
}

TEST(verify_connect_has_the_parameters_of_the_server)
{
    assert_whole(VERIFY_CONNECT);
    assert_number(GW_ENET_ROLE_OUTGOING_PEER, 5);
    assert_number(GW_ENET_ROLE_OUTGOING_SESSION, 1);
    assert_number(GW_ENET_ROLE_CONNECT_ID, 0x010b5747);
    assert_int_equal(event_of(GW_ENET_ROLE_COMMAND)->command.type->size, 44);
}

TEST(disconnect_may_request_an_acknowledgement)
{
    assert_whole("8001 1234 | 84 ff 0009 0000002a");
    assert_number(GW_ENET_ROLE_DATA, 42);
    assert_whole("0001 | 44 ff 0009 0000002a");
    assert_int_equal(event_of(GW_ENET_ROLE_COMMAND)->command.flags, GW_ENET_UNSEQUENCED_FLAG);
}

TEST(limits_and_throttle_are_numbers)
{
    assert_whole("8001 1234 | 8a ff 0009 00001000 00002000 | 8b ff 000a 00001388 00000002 00000003");
    assert_number(GW_ENET_ROLE_INCOMING_BANDWIDTH, 0x1000);
    assert_number(GW_ENET_ROLE_OUTGOING_BANDWIDTH, 0x2000);
    assert_number(GW_ENET_ROLE_THROTTLE_DECELERATION, 3);
    assert_int_equal(reader.commands, 2);
}

TEST(messages_have_payloads)
{
    assert_whole("8001 1234 | 86 01 000c 0003 616263 | 07 02 000c 0004 0001 78 | 49 03 0000 0007 0000");
    assert_int_equal(reader.commands, 3);
    const gw_span payload = event_of(GW_ENET_ROLE_COMMAND)->payload;
    assert_int_equal(payload.offset, 10);
    assert_int_equal(payload.length, 3);
    assert_number(GW_ENET_ROLE_UNRELIABLE_SEQUENCE, 4);
    assert_number(GW_ENET_ROLE_GROUP, 7);
    assert_int_equal(events[count - 1].index, 2);
    assert_int_equal(events[count - 1].payload.length, 0);
    assert_int_equal(events[count - 1].payload.offset, length);
}

TEST(fragments_have_number_count_and_offset)
{
    assert_whole(FRAGMENT);
    assert_number(GW_ENET_ROLE_START_SEQUENCE, 7);
    assert_number(GW_ENET_ROLE_LENGTH, 4);
    assert_number(GW_ENET_ROLE_FRAGMENT_COUNT, 3);
    assert_number(GW_ENET_ROLE_FRAGMENT_NUMBER, 1);
    assert_number(GW_ENET_ROLE_TOTAL_LENGTH, 10);
    assert_number(GW_ENET_ROLE_FRAGMENT_OFFSET, 4);
    assert_int_equal(event_of(GW_ENET_ROLE_COMMAND)->payload.length, 4);
    assert_whole("0001 | 0c 00 0008 0007 0004 00000003 00000001 0000000a 00000004 61626364");
}

TEST(each_command_has_its_size)
{
    static const uint8_t sizes[] = { 0, 8, 48, 44, 8, 4, 6, 8, 24, 8, 12, 16, 24 };
    for (uint32_t number = 1; number < GW_ENET_COMMANDS; number++) {
        const gw_enet_command_type *type = gw_enet_command_of(number);
        uint32_t size = 0;
        for (const gw_enet_field *field = type->fields; field->role; field++)
            size += field->size;
        assert_int_equal(type->size, sizes[number]);
        assert_int_equal(type->size, size);
        assert_true(type->name[0]);
    }
    assert_null(gw_enet_command_of(0));
    assert_null(gw_enet_command_of(13));
}
