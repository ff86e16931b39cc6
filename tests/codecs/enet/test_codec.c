/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ENet's datagrams by hand: bytes in, meaning out. The bytes are those of the format's description, or of real hosts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <gamewire/bytes.h>
#include <gamewire/enet.h>

/* ---- helpers ----------------------------------------------------------------------------------------------- */

#define MOST_EVENTS 512

static uint8_t input[8192];
static size_t length;
static gw_enet_event events[MOST_EVENTS];
static size_t count;
static gw_enet_reader reader;
static gw_next last;

/* "8fff 0001": hexadecimal, with blanks and bars at any position. */
static void set_input(const char *hex)
{
    length = 0;
    for (; *hex; hex++) {
        unsigned byte;
        if (*hex == ' ' || *hex == '|')
            continue;
        assert_int_equal(sscanf(hex, "%2x", &byte), 1);
        input[length++] = (uint8_t)byte;
        hex++;
    }
}

static void read_input(const gw_enet_options *options)
{
    gw_enet_summary summary;
    uint32_t odd = 0;
    gw_enet_init(&reader, input, length, options);
    count = 0;
    while ((last = gw_enet_next(&reader, &events[count])) == GW_NEXT_EVENT) {
        odd |= events[count].odd;
        assert_true(++count < MOST_EVENTS);
    }
    assert_int_equal(gw_enet_next(&reader, &events[count]), last);
    assert_int_equal(gw_enet_validate(input, length, options, &summary), last == GW_NEXT_END);
    assert_memory_equal(&summary.fault, &reader.fault, sizeof summary.fault);
    assert_int_equal(summary.odd, odd);
    assert_int_equal(summary.commands, reader.commands);
}

static void read_hex(const char *hex)
{
    set_input(hex);
    read_input(NULL);
}

static const gw_enet_event *event_of(gw_enet_role field)
{
    for (size_t i = 0; i < count; i++)
        if (events[i].role == field && events[i].kind != GW_CLOSE)
            return &events[i];
    fail_msg("no event of field %s", gw_enet_role_name(field));
    return NULL;
}

static void assert_number(gw_enet_role field, uint32_t number)
{
    assert_int_equal(event_of(field)->number, number);
}

static void assert_whole(const char *hex)
{
    read_hex(hex);
    assert_int_equal(last, GW_NEXT_END);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(events[i].odd, 0);
}

static void assert_fault(const char *hex, gw_enet_fault code, uint32_t offset, uint64_t needed)
{
    read_hex(hex);
    assert_int_equal(last, GW_NEXT_FAULT);
    assert_int_equal(reader.fault.code, code);
    assert_int_equal(reader.fault.fault_class, gw_fault_class_of(&gw_enet_faults, code));
    assert_int_equal(reader.fault.offset, offset);
    assert_int_equal(reader.fault.needed, needed);
}

/* The datagram is readable, and only this field has this oddity and no other. */
static void assert_odd(const char *hex, gw_enet_role field, uint32_t odd)
{
    read_hex(hex);
    assert_int_equal(last, GW_NEXT_END);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(events[i].odd, events[i].role == field && events[i].kind != GW_CLOSE ? odd : 0);
}

static void assert_printed(const char *hex, const char *expected)
{
    char line[256];
    gw_text text;
    set_input(hex);
    gw_text_init(&text, line, sizeof line);
    gw_enet_print(&text, input, length, NULL);
    assert_string_equal(line, expected);
}

static gw_recognition recognize_hex(const char *hex)
{
    gw_recognition recognition;
    set_input(hex);
    bool possible = gw_enet_recognize(input, length, length, NULL, &recognition);
    assert_int_equal(possible, recognition.possible);
    assert_int_equal(recognition.readings != 0, possible);
    return recognition;
}

/* Examples of the specification. */
#define CONNECT \
    "8fff 1234 | 82 ff 0001 | 0000 ff ff 00000578 00010000 00000003 00000000 00000000 00001388 00000002 00000002 " \
    "010b5747 000007e7"
#define VERIFY_CONNECT \
    "8000 1234 | 83 ff 0001 | 0005 00 01 00000578 00010000 00000003 00000000 00000000 00001388 00000002 00000002 " \
    "010b5747"
#define RELIABLE "8001 1234 | 86 01 000c 0003 616263"
#define FRAGMENT "8001 1234 | 88 00 0008 0007 0004 00000003 00000001 0000000a 00000004 61626364"

/* ---- headers ------------------------------------------------------------------------------------------------ */

static void a_header_has_peer_and_session(void **state)
{
    (void)state;
    assert_whole("2005 | 07 00 0001 0001 0001 61");
    assert_number(GW_ENET_ROLE_HEADER, 0x2005);
    assert_int_equal(reader.header.peer, 5);
    assert_int_equal(reader.header.session, 2);
    assert_int_equal(events[0].kind, GW_VALUE);
    assert_int_equal(events[0].payload.offset, 0);
    assert_int_equal(events[0].payload.length, 2);
    assert_int_equal(events[1].role, GW_ENET_ROLE_COMMAND);
}

static void a_sent_time_follows_when_its_bit_is_set(void **state)
{
    (void)state;
    assert_whole("8001 1234 | 85 ff 0005");
    assert_number(GW_ENET_ROLE_SENT_TIME, 0x1234);
    assert_int_equal(reader.header.sent_time, 0x1234);
    assert_int_equal(event_of(GW_ENET_ROLE_SENT_TIME)->index, 1);
    assert_int_equal(reader.header.length, 4);
}

static void a_checksum_is_read_only_with_that_option(void **state)
{
    (void)state;
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

static void reading_starts_at_an_offset(void **state)
{
    (void)state;
    gw_enet_options options = { .offset = 3 };
    set_input("eeeeee 8001 1234 | 85 ff 0005");
    read_input(&options);
    assert_int_equal(last, GW_NEXT_END);
    assert_int_equal(events[0].payload.offset, 3);
    options.offset = 99;
    read_input(&options);
    assert_int_equal(reader.fault.code, GW_ENET_FAULT_HEADER_TRUNCATED);
}

static void compressed_commands_are_one_item(void **state)
{
    (void)state;
    assert_whole("c001 1234 | 01020304 05");
    assert_int_equal(count, 3);
    assert_int_equal(events[2].kind, GW_OPAQUE);
    assert_int_equal(events[2].role, GW_ENET_ROLE_COMPRESSED);
    assert_int_equal(events[2].payload.offset, 4);
    assert_int_equal(events[2].payload.length, 5);
}

static void decompressed_commands_have_no_header(void **state)
{
    (void)state;
    gw_enet_options options = { .commands_only = true, .header = gw_enet_header_of(NULL, 0xc001) };
    set_input("86 01 000c 0003 616263");
    read_input(&options);
    assert_int_equal(last, GW_NEXT_END);
    assert_int_equal(events[0].role, GW_ENET_ROLE_COMMAND);
    assert_int_equal(events[0].odd | events[1].odd, 0);
    options.header = gw_enet_header_of(NULL, 0x4001);
    read_input(&options);
    assert_int_equal(event_of(GW_ENET_ROLE_TYPE)->odd, GW_ENET_ODD_NO_SENT_TIME);
}

static void fastlz_may_leave_zeros_after_the_commands(void **state)
{
    (void)state;
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

static void a_command_opens_and_closes(void **state)
{
    (void)state;
    assert_whole(RELIABLE);
    const gw_enet_event *open = event_of(GW_ENET_ROLE_COMMAND);
    const gw_enet_event *close = &events[count - 1];
    assert_int_equal(open->kind, GW_OPEN);
    assert_int_equal(open->header.offset, 4);
    assert_int_equal(open->header.length, 4);
    assert_int_equal(open->payload.offset, 4);
    assert_int_equal(open->payload.length, 9);
    assert_int_equal(close->kind, GW_CLOSE);
    assert_int_equal(close->depth, 0);
    assert_int_equal(close->index, 0);
    assert_memory_equal(&close->payload, &open->payload, sizeof open->payload);
    assert_int_equal(event_of(GW_ENET_ROLE_TYPE)->depth, 1);
    assert_int_equal(event_of(GW_ENET_ROLE_TYPE)->depth, 1);
}

static void acknowledge_repeats_the_sequence_number(void **state)
{
    (void)state;
    assert_whole("0001 | 01 02 0005 0005 1234");
    assert_number(GW_ENET_ROLE_ACKED_SEQUENCE, 5);
    assert_number(GW_ENET_ROLE_ACKED_SENT_TIME, 0x1234);
    assert_number(GW_ENET_ROLE_CHANNEL, 2);
    assert_int_equal(reader.command.number, GW_ENET_ACKNOWLEDGE);
    assert_whole("0001 | 01 ff 0005 0005 1234");
}

static void connect_has_the_parameters_of_its_sender(void **state)
{
    (void)state;
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

static void verify_connect_has_the_parameters_of_the_server(void **state)
{
    (void)state;
    assert_whole(VERIFY_CONNECT);
    assert_number(GW_ENET_ROLE_OUTGOING_PEER, 5);
    assert_number(GW_ENET_ROLE_OUTGOING_SESSION, 1);
    assert_number(GW_ENET_ROLE_CONNECT_ID, 0x010b5747);
    assert_int_equal(reader.command.type->size, 44);
}

static void disconnect_may_request_an_acknowledgement(void **state)
{
    (void)state;
    assert_whole("8001 1234 | 84 ff 0009 0000002a");
    assert_number(GW_ENET_ROLE_DATA, 42);
    assert_whole("0001 | 44 ff 0009 0000002a");
    assert_int_equal(reader.command.flags, GW_ENET_UNSEQUENCED_FLAG);
}

static void limits_and_throttle_are_numbers(void **state)
{
    (void)state;
    assert_whole("8001 1234 | 8a ff 0009 00001000 00002000 | 8b ff 000a 00001388 00000002 00000003");
    assert_number(GW_ENET_ROLE_INCOMING_BANDWIDTH, 0x1000);
    assert_number(GW_ENET_ROLE_OUTGOING_BANDWIDTH, 0x2000);
    assert_number(GW_ENET_ROLE_THROTTLE_DECELERATION, 3);
    assert_int_equal(reader.commands, 2);
}

static void messages_have_payloads(void **state)
{
    (void)state;
    assert_whole("8001 1234 | 86 01 000c 0003 616263 | 07 02 000c 0004 0001 78 | 49 03 0000 0007 0000");
    assert_int_equal(reader.commands, 3);
    const gw_enet_event *payload = event_of(GW_ENET_ROLE_PAYLOAD);
    assert_int_equal(payload->kind, GW_OPAQUE);
    assert_int_equal(payload->payload.offset, 10);
    assert_int_equal(payload->payload.length, 3);
    assert_number(GW_ENET_ROLE_UNRELIABLE_SEQUENCE, 4);
    assert_number(GW_ENET_ROLE_GROUP, 7);
    assert_int_equal(reader.command.payload.length, 0);
    assert_int_equal(reader.command.payload.offset, length);
}

static void fragments_have_number_count_and_offset(void **state)
{
    (void)state;
    assert_whole(FRAGMENT);
    assert_number(GW_ENET_ROLE_START_SEQUENCE, 7);
    assert_number(GW_ENET_ROLE_LENGTH, 4);
    assert_number(GW_ENET_ROLE_FRAGMENT_COUNT, 3);
    assert_number(GW_ENET_ROLE_FRAGMENT_NUMBER, 1);
    assert_number(GW_ENET_ROLE_TOTAL_LENGTH, 10);
    assert_number(GW_ENET_ROLE_FRAGMENT_OFFSET, 4);
    assert_int_equal(event_of(GW_ENET_ROLE_PAYLOAD)->payload.length, 4);
    assert_whole("0001 | 0c 00 0008 0007 0004 00000003 00000001 0000000a 00000004 61626364");
}

static void each_command_has_its_size(void **state)
{
    (void)state;
    static const uint8_t sizes[] = { 0, 8, 48, 44, 8, 4, 6, 8, 24, 8, 12, 16, 24 };
    for (uint32_t number = 1; number < GW_ENET_COMMANDS; number++) {
        const gw_enet_command_type *type = gw_enet_command_of(number);
        uint32_t size = 4;
        for (const gw_enet_field *field = type->fields; field->role; field++)
            size += field->size;
        assert_int_equal(type->size, sizes[number]);
        assert_int_equal(type->size, size);
        assert_true(type->name[0]);
    }
    assert_null(gw_enet_command_of(0));
    assert_null(gw_enet_command_of(13));
}

/* ---- faults ------------------------------------------------------------------------------------------------- */

static void headers_that_end_early(void **state)
{
    (void)state;
    assert_fault("", GW_ENET_FAULT_HEADER_TRUNCATED, 0, 2);
    assert_fault("80", GW_ENET_FAULT_HEADER_TRUNCATED, 0, 1);
    assert_fault("8001 12", GW_ENET_FAULT_HEADER_TRUNCATED, 2, 1);
}

static void commands_that_end_early(void **state)
{
    (void)state;
    assert_fault("8001 1234 | 85", GW_ENET_FAULT_COMMAND_TRUNCATED, 5, 3);
    assert_int_equal(event_of(GW_ENET_ROLE_COMMAND)->header.length, 1);
    assert_fault("8001 1234 | 85 ff 00", GW_ENET_FAULT_COMMAND_TRUNCATED, 6, 1);
    assert_fault("0001 | 01 00 0005 0005 12", GW_ENET_FAULT_COMMAND_TRUNCATED, 8, 1);
    assert_fault("8001 1234 | 86 01 000c", GW_ENET_FAULT_COMMAND_TRUNCATED, 8, 2);
}

static void payloads_that_end_early(void **state)
{
    (void)state;
    assert_fault("8001 1234 | 86 01 000c 0005 616263", GW_ENET_FAULT_PAYLOAD_TRUNCATED, 10, 2);
    assert_int_equal(event_of(GW_ENET_ROLE_COMMAND)->payload.length, 9);
}

static void commands_that_do_not_exist(void **state)
{
    (void)state;
    assert_fault("8001 1234 | 00 00 0000", GW_ENET_FAULT_COMMAND_UNKNOWN, 4, 0);
    assert_fault("8001 1234 | 85 ff 0001 | 8d 00 0000", GW_ENET_FAULT_COMMAND_UNKNOWN, 8, 0);
}

/* Not possible on 32-bit systems. */
#if SIZE_MAX > UINT32_MAX
static void an_input_of_4_gib_is_rejected(void **state)
{
    (void)state;
    gw_enet_init(&reader, input, (size_t)UINT32_MAX + 1, NULL);
    assert_int_equal(gw_enet_next(&reader, events), GW_NEXT_FAULT);
    assert_int_equal(reader.fault.code, GW_ENET_FAULT_TOO_LONG);
    assert_int_equal(reader.fault.offset, 0);
    assert_int_equal(reader.fault.needed, 0);
    assert_int_equal(reader.fault.fault_class, GW_FAULT_LIMIT);
}
#endif

static void faults_have_texts(void **state)
{
    (void)state;
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

static void every_prefix_reports_how_many_bytes_are_missing(void **state)
{
    (void)state;
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

static void odd_datagrams(void **state)
{
    (void)state;
    assert_odd("8001 1234", GW_ENET_ROLE_HEADER, GW_ENET_ODD_NO_COMMANDS);
    set_input("8001 1234 | 86 01 000c 1000");
    length = 10 + 4096;
    read_input(NULL);
    assert_int_equal(last, GW_NEXT_END);
    assert_int_equal(events[0].odd, GW_ENET_ODD_DATAGRAM_LENGTH);
}

static void more_than_32_commands_are_odd_once(void **state)
{
    (void)state;
    set_input("8001 1234");
    for (int i = 0; i < 34; i++, length += 4)
        memcpy(input + length, "\x85\xff\x00\x01", 4);
    read_input(NULL);
    assert_int_equal(last, GW_NEXT_END);
    for (size_t i = 0, commands = 0; i < count; i++)
        if (events[i].kind == GW_OPEN)
            assert_int_equal(events[i].odd, ++commands == 33 ? GW_ENET_ODD_COMMAND_COUNT : 0);
}

static void odd_types(void **state)
{
    (void)state;
    assert_odd("8001 1234 | c6 01 000c 0000", GW_ENET_ROLE_TYPE, GW_ENET_ODD_FLAGS);
    assert_odd("0001 | 05 ff 0001", GW_ENET_ROLE_TYPE, GW_ENET_ODD_FLAGS);
    assert_odd("0001 | 17 00 0001 0001 0000", GW_ENET_ROLE_TYPE, GW_ENET_ODD_FLAGS);
    assert_odd("0001 | 85 ff 0001", GW_ENET_ROLE_TYPE, GW_ENET_ODD_NO_SENT_TIME);
    assert_odd("8fff 1234 | 85 ff 0001", GW_ENET_ROLE_TYPE, GW_ENET_ODD_NO_PEER);
    set_input(CONNECT);
    input[0] = 0x80;
    read_input(NULL);
    assert_int_equal(event_of(GW_ENET_ROLE_TYPE)->odd, GW_ENET_ODD_CONNECTED);
}

static void odd_channels(void **state)
{
    (void)state;
    assert_odd("8001 1234 | 86 ff 000c 0000", GW_ENET_ROLE_CHANNEL, GW_ENET_ODD_CHANNEL);
    assert_odd("8001 1234 | 85 00 000c", GW_ENET_ROLE_CHANNEL, GW_ENET_ODD_CONNECTION_CHANNEL);
}

static void odd_numbers(void **state)
{
    (void)state;
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
    assert_int_equal(event_of(field)->odd, odd);
}

static void odd_connections(void **state)
{
    (void)state;
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
    assert_int_equal(event_of(field)->odd, odd);
}

static void odd_parts_of_fragments(void **state)
{
    (void)state;
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
    assert_int_equal(event_of(GW_ENET_ROLE_FRAGMENT_NUMBER)->odd, 0);
}

static void oddities_have_texts(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < GW_ENET_ODDS; bit++)
        assert_string_not_equal(gw_odd_text(&gw_enet_faults, UINT32_C(1) << bit), "Unknown oddity");
    assert_string_equal(gw_odd_text(&gw_enet_faults, 0), "Unknown oddity");
    assert_string_equal(gw_odd_text(&gw_enet_faults, UINT32_C(1) << GW_ENET_ODDS), "Unknown oddity");
    assert_string_equal(gw_odd_text(&gw_enet_faults, 3), "Unknown oddity");
}

/* ---- recognizing -------------------------------------------------------------------------------------------- */

static void a_single_connect_is_sufficient_evidence(void **state)
{
    (void)state;
    assert_true(recognize_hex(CONNECT).bits >= GW_RECOGNIZED_ALONE);
    assert_true(recognize_hex(VERIFY_CONNECT).bits >= GW_RECOGNIZED_ALONE);
    assert_int_equal(recognize_hex(CONNECT).readings, GW_ENET_READING_PLAIN);
}

static void short_commands_are_weak_evidence(void **state)
{
    (void)state;
    assert_int_equal(recognize_hex("0001 | 01 00 0005 0005 1234").bits, 2 + 8 + 4);
    assert_int_equal(recognize_hex("0001 | 01 00 0000 0000 1234").bits, 2 + 4);
    assert_int_equal(recognize_hex("8001 1234 | 85 ff 0005").bits, 4 + 6 + 4 + 2);
    assert_int_equal(recognize_hex(RELIABLE).bits, 4 + 10 + 2);
    assert_int_equal(recognize_hex("8001 1234 | 84 ff 0005 00000000").bits, 4 + 6 + 4 + 2);
}

static void several_commands_add_up(void **state)
{
    (void)state;
    uint32_t bits = recognize_hex("8001 1234 | 01 00 0005 0005 1234 | 86 01 000c 0003 616263").bits;
    assert_int_equal(bits, 2 + 8 + 4 + 10 + 2);
    assert_int_equal(recognize_hex("0001 | 49 00 0000 0001 0001 61 | 07 00 0001 0001 0001 61").bits, 4 + 2 + 10);
}

static void fragments_with_consistent_numbers_are_strong_evidence(void **state)
{
    (void)state;
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

static void both_kinds_of_disconnect_are_evidence(void **state)
{
    (void)state;
    assert_int_equal(recognize_hex("8001 1234 | 84 ff 0005 00000007").bits, 4 + 6 + 4 + 2);
    assert_int_equal(recognize_hex("0001 | 44 ff 0005 00000007").bits, 4 + 6 + 4);
}

static void datagrams_that_violate_a_rule_are_possible_but_not_evidence(void **state)
{
    (void)state;
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

static void unreadable_datagrams_are_not_possible(void **state)
{
    (void)state;
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

static void compressed_datagrams_are_possible_but_not_evidence(void **state)
{
    (void)state;
    gw_recognition recognition = recognize_hex("c001 1234 | 01020304 05");
    assert_true(recognition.possible);
    assert_int_equal(recognition.bits, 0);
}

static void equal_commands_count_once(void **state)
{
    (void)state;
    /* 21 times 0100: five equal Acks whose sent time is also equal to their number. */
    assert_int_equal(recognize_hex("0100 | 0100 0100 0100 0100 0100 0100 0100 0100 0100 0100"
                                   "0100 0100 0100 0100 0100 0100 0100 0100 0100 0100")
                         .bits,
                     2 + 4);
    assert_int_equal(recognize_hex("8001 1234 | 85 ff 0005 | 85 ff 0005 | 85 ff 0006").bits, 2 * (4 + 6) + 4 + 2);
    assert_int_equal(recognize_hex("0001 | 07 00 0001 0001 0001 61 | 07 00 0001 0001 0001 62").bits, 2 + 2 + 10);
}

static void acks_of_one_number_count_once(void **state)
{
    (void)state;
    assert_int_equal(recognize_hex("0005 | 01 00 0064 0064 001e | 01 01 0064 0064 001e | 01 02 0064 0064 001f").bits,
                     2 + 8 + 4);
    assert_int_equal(recognize_hex("0005 | 01 00 0064 0064 001e | 01 00 0065 0065 001e").bits, 2 * (2 + 8) + 4);
    /* Repeated equal numbers. */
    assert_int_equal(recognize_hex("0005 | 01 05 0105 0105 0105").bits, 2 + 4);
}

static void a_sender_is_identified_by_peer_id_and_session(void **state)
{
    (void)state;
    uint32_t sender = recognize_hex("8001 1234 | 85 ff 0005").sender;
    assert_int_equal(sender, recognize_hex("0001 | 01 00 0005 0005 1234").sender);
    assert_int_not_equal(sender, recognize_hex("8002 1234 | 85 ff 0005").sender);
    assert_int_not_equal(sender, recognize_hex("9001 1234 | 85 ff 0005").sender);
    assert_int_not_equal(recognize_hex("8000 1234 | 85 ff 0005").sender, 0);
    assert_int_equal(recognize_hex(CONNECT).sender, 0);
}

static void equal_evidence_has_the_same_hash(void **state)
{
    (void)state;
    uint32_t ack = recognize_hex("0001 | 01 00 0064 0064 001e").evidence;
    assert_int_equal(ack, recognize_hex("0001 | 01 01 0064 0064 0020").evidence);
    assert_int_not_equal(ack, recognize_hex("0001 | 01 00 0065 0065 001e").evidence);
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

static void datagrams_that_the_quick_tests_reject_are_not_possible(void **state)
{
    (void)state;
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

static void the_quick_tests_reject_other_types_and_lengths(void **state)
{
    (void)state;
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

static void the_quick_tests_require_a_command_after_the_header(void **state)
{
    (void)state;
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

static void the_beginning_of_commands_is_tested_by_the_same_rules(void **state)
{
    (void)state;
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

static void decompressed_commands_are_evidence(void **state)
{
    (void)state;
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
static void datagrams_truncated_by_the_capture_have_half_the_evidence(void **state)
{
    (void)state;
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

static void more_than_32_commands_are_not_evidence(void **state)
{
    (void)state;
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

static void photon_is_known_by_its_lengths(void **state)
{
    (void)state;
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

/* ---- checksums ---------------------------------------------------------------------------------------------- */

/* The check value of CRC-32/ISO-HDLC, "123456789", with its four middle bytes as the connect id. */
static void the_checksum_is_crc_32(void **state)
{
    (void)state;
    const uint8_t *text = (const uint8_t *)"123456789";
    const gw_enet_covered middle = { text, text + 6, 2, 3 }, later = { text, text + 8, 4, 1 };
    uint32_t id;
    assert_int_equal(gw_enet_checksum(GW_ENET_CRC_32, &middle, 0x33343536), 0xCBF43926);
    assert_true(gw_enet_connect_id_of(GW_ENET_CRC_32, &middle, 0xCBF43926, &id));
    assert_int_equal(id, 0x33343536);
    assert_true(gw_enet_connect_id_of(GW_ENET_CRC_32, &later, 0xCBF43926, &id));
    assert_int_equal(id, 0x35363738);
}

static void a_connect_with_its_checksum_is_recognized(void **state)
{
    (void)state;
    gw_recognition recognition;
    gw_enet_options options = { .checksum = true };
    set_input(CONNECT);
    memmove(input + 8, input + 4, length - 4);
    length += 4;
    const gw_enet_covered covered = { input, input + 8, 4, length - 8 };
    gw_store_be32(input + 4, (uint32_t)gw_enet_checksum(GW_ENET_CRC_32, &covered, 0));
    assert_true(gw_enet_recognize(input, length, length, NULL, &recognition));
    assert_int_equal(recognition.readings, GW_ENET_READING_CHECKSUM);
    assert_true(recognition.bits >= 64 + 24);
    assert_true(gw_enet_recognize(input, length, length, &options, &recognition));
    options.checksum = false;
    assert_true(gw_enet_recognize(input, length, length, &options, &recognition));
    assert_int_equal(recognition.readings, GW_ENET_READING_CHECKSUM);
    /* Bytes that were not captured are covered by the checksum. */
    assert_false(gw_enet_recognize(input, length, length + 4, NULL, &recognition));
    input[4] ^= 1;
    assert_false(gw_enet_recognize(input, length, length, NULL, &recognition));
}

static void a_checksum_is_weaker_evidence_without_connect(void **state)
{
    (void)state;
    gw_recognition recognition = recognize_hex("8001 1234 cafef00d | 85 ff 0005");
    assert_int_equal(recognition.bits, 16 - 4);
    assert_int_equal(recognition.readings, GW_ENET_READING_CHECKSUM);
    assert_int_equal(recognize_hex("0001 cafef00d | 01 00 0005 0006 1234").bits, 0);
}

/* ---- printing ----------------------------------------------------------------------------------------------- */

static void datagrams_are_printed_in_one_line(void **state)
{
    (void)state;
    assert_printed("8001 1234 | 86 01 000c 0003 616263 | 01 00 0005 0005 1234",
                   "Reliable ch=1 seq=12 len=3, Ack ch=0 seq=5");
    assert_printed(CONNECT, "Connect peer=0 channels=3 mtu=1400 id=0x010b5747 data=2023");
    assert_printed(VERIFY_CONNECT, "Verify connect peer=5 channels=3 mtu=1400 id=0x010b5747");
    assert_printed("8001 1234 | 84 ff 0009 0000002a", "Disconnect data=42");
    assert_printed("8001 1234 | 85 ff 0005", "Ping seq=5");
    assert_printed("0001 | 07 02 000c 0004 0001 78", "Unreliable ch=2 seq=12.4 len=1");
    assert_printed("0001 | 49 03 0000 0007 0000", "Unsequenced ch=3 group=7 len=0");
    assert_printed(FRAGMENT, "Fragment ch=0 seq=8 part=2/3 len=4");
    assert_printed("0001 | 0c 00 0008 0007 0004 00000003 00000001 0000000a 00000004 61626364",
                   "Unreliable fragment ch=0 seq=8.7 part=2/3 len=4");
    assert_printed("8001 1234 | 8a ff 0009 00001000 00002000", "Bandwidth limit in=4096 out=8192");
    assert_printed("8001 1234 | 8b ff 000a 00001388 00000002 00000003",
                   "Throttle interval=5000 acceleration=2 deceleration=3");
    assert_printed("c001 1234 | 01020304 05", "Compressed len=5");
    assert_printed("8001 1234 | 85 ff 0005 | 00", "Ping seq=5 [Unknown command]");
    assert_printed("80", "[The datagram ends within its header]");
}

/* ---- writing ------------------------------------------------------------------------------------------------ */

static void commands_are_written_as_they_were_read(void **state)
{
    (void)state;
    static const char *const datagrams[] = {
        CONNECT,
        VERIFY_CONNECT,
        RELIABLE,
        FRAGMENT,
        "0001 | 01 00 0005 0005 1234 | 07 02 000c 0004 0001 78 | 49 03 0000 0007 0000",
        "8001 1234 | 8a ff 0009 00001000 00002000 | 8b ff 000a 00001388 00000002 00000003 | 84 ff 0009 0000002a",
        "0001 | 0c 00 0008 0007 0004 00000003 00000001 0000000a 00000004 61626364",
    };
    for (size_t i = 0; i < sizeof datagrams / sizeof *datagrams; i++) {
        uint8_t written[256];
        gw_output output;
        gw_enet_event event;
        set_input(datagrams[i]);
        gw_output_init(&output, written, sizeof written);
        gw_enet_init(&reader, input, length, NULL);
        while (gw_enet_next(&reader, &event) == GW_NEXT_EVENT)
            if (event.kind == GW_CLOSE) {
                if (!output.length)
                    gw_enet_write_header(&output, NULL, &reader.header);
                gw_enet_write_command(&output, &reader.command, input + reader.command.payload.offset);
            }
        assert_int_equal(output.length, length);
        assert_memory_equal(written, input, length);
    }
}

static void headers_are_written_with_a_checksum(void **state)
{
    (void)state;
    uint8_t written[8];
    const gw_enet_header header = { .word = 0x8001, .sent_time = 0x1234, .checksum = 0xcafef00d, .has_checksum = true };
    gw_output output;
    gw_output_init(&output, written, sizeof written);
    gw_enet_write_header(&output, NULL, &header);
    assert_int_equal(output.length, 8);
    assert_memory_equal(written, "\x80\x01\x12\x34\xca\xfe\xf0\x0d", 8);
}

static void an_empty_input_needs_no_bytes(void **state)
{
    (void)state;
    gw_enet_summary summary;
    gw_recognition recognition;
    assert_false(gw_enet_validate(NULL, 0, NULL, &summary));
    assert_false(gw_enet_recognize(NULL, 0, 0, NULL, &recognition));
    assert_false(gw_enet_may_begin(NULL, 0));
    assert_false(gw_enet_has_shape(NULL, 0, 0));
    assert_int_equal(gw_enet_range_first(NULL, 0), -1);
}

static void a_command_is_printed_by_its_number(void **state)
{
    (void)state;
    char buffer[64];
    gw_text text;
    const gw_enet_command command = { .number = GW_ENET_DISCONNECT, .values[GW_ENET_ROLE_DATA] = 7 };
    gw_text_init(&text, buffer, sizeof buffer);
    gw_enet_print_command(&text, &command);
    assert_string_equal(buffer, "Disconnect data=7");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_header_has_peer_and_session),
        cmocka_unit_test(a_sent_time_follows_when_its_bit_is_set),
        cmocka_unit_test(a_checksum_is_read_only_with_that_option),
        cmocka_unit_test(reading_starts_at_an_offset),
        cmocka_unit_test(compressed_commands_are_one_item),
        cmocka_unit_test(decompressed_commands_have_no_header),
        cmocka_unit_test(fastlz_may_leave_zeros_after_the_commands),
        cmocka_unit_test(a_command_opens_and_closes),
        cmocka_unit_test(acknowledge_repeats_the_sequence_number),
        cmocka_unit_test(connect_has_the_parameters_of_its_sender),
        cmocka_unit_test(verify_connect_has_the_parameters_of_the_server),
        cmocka_unit_test(disconnect_may_request_an_acknowledgement),
        cmocka_unit_test(limits_and_throttle_are_numbers),
        cmocka_unit_test(messages_have_payloads),
        cmocka_unit_test(fragments_have_number_count_and_offset),
        cmocka_unit_test(each_command_has_its_size),
        cmocka_unit_test(headers_that_end_early),
        cmocka_unit_test(commands_that_end_early),
        cmocka_unit_test(payloads_that_end_early),
        cmocka_unit_test(commands_that_do_not_exist),
#if SIZE_MAX > UINT32_MAX
        cmocka_unit_test(an_input_of_4_gib_is_rejected),
#endif
        cmocka_unit_test(faults_have_texts),
        cmocka_unit_test(every_prefix_reports_how_many_bytes_are_missing),
        cmocka_unit_test(odd_datagrams),
        cmocka_unit_test(more_than_32_commands_are_odd_once),
        cmocka_unit_test(odd_types),
        cmocka_unit_test(odd_channels),
        cmocka_unit_test(odd_numbers),
        cmocka_unit_test(odd_connections),
        cmocka_unit_test(odd_parts_of_fragments),
        cmocka_unit_test(oddities_have_texts),
        cmocka_unit_test(a_single_connect_is_sufficient_evidence),
        cmocka_unit_test(short_commands_are_weak_evidence),
        cmocka_unit_test(several_commands_add_up),
        cmocka_unit_test(fragments_with_consistent_numbers_are_strong_evidence),
        cmocka_unit_test(both_kinds_of_disconnect_are_evidence),
        cmocka_unit_test(datagrams_that_violate_a_rule_are_possible_but_not_evidence),
        cmocka_unit_test(unreadable_datagrams_are_not_possible),
        cmocka_unit_test(compressed_datagrams_are_possible_but_not_evidence),
        cmocka_unit_test(equal_commands_count_once),
        cmocka_unit_test(acks_of_one_number_count_once),
        cmocka_unit_test(a_sender_is_identified_by_peer_id_and_session),
        cmocka_unit_test(equal_evidence_has_the_same_hash),
        cmocka_unit_test(datagrams_that_the_quick_tests_reject_are_not_possible),
        cmocka_unit_test(the_quick_tests_reject_other_types_and_lengths),
        cmocka_unit_test(the_beginning_of_commands_is_tested_by_the_same_rules),
        cmocka_unit_test(decompressed_commands_are_evidence),
        cmocka_unit_test(datagrams_truncated_by_the_capture_have_half_the_evidence),
        cmocka_unit_test(more_than_32_commands_are_not_evidence),
        cmocka_unit_test(the_checksum_is_crc_32),
        cmocka_unit_test(a_connect_with_its_checksum_is_recognized),
        cmocka_unit_test(a_checksum_is_weaker_evidence_without_connect),
        cmocka_unit_test(photon_is_known_by_its_lengths),
        cmocka_unit_test(datagrams_are_printed_in_one_line),
        cmocka_unit_test(the_quick_tests_require_a_command_after_the_header),
        cmocka_unit_test(commands_are_written_as_they_were_read),
        cmocka_unit_test(headers_are_written_with_a_checksum),
        cmocka_unit_test(an_empty_input_needs_no_bytes),
        cmocka_unit_test(a_command_is_printed_by_its_number),
    };
    return cmocka_run_group_tests_name("ENet", tests, NULL, NULL);
}
