/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Packets of Godot's multiplayer: each command as the engines write it, each fault with its offset and the bytes that
 * it needs, each oddity.
 */
#include "godot_mp_writer.h"
#include "hex.h"
#include "testing.h"

#include <stdio.h>

#include <gamewire/godot_mp.h>

#define FOUR      GW_GODOT_MP_4
#define ENET      GW_GODOT_MP_3_ENET
#define WEBSOCKET GW_GODOT_MP_3_WEBSOCKET

#define MD5 "6434316438636439386630306232303465393830303939386563663834323765 00"

typedef struct test_message {
    uint8_t bytes[2048];
    size_t length;
    gw_godot_mp_options options;
} test_message;

static test_message message_of(gw_godot_mp_form form, const char *hex)
{
    test_message message = { .options = { .form = form } };
    message.length = hex_to_bytes(hex, message.bytes, sizeof message.bytes);
    return message;
}

static void assert_printed(gw_godot_mp_form form, const char *hex, const char *line)
{
    test_message message = message_of(form, hex);
    char buffer[512];
    gw_text text;
    gw_text_init(&text, buffer, sizeof buffer);
    gw_godot_mp_print(&text, message.bytes, message.length, &message.options);
    assert_string_equal(buffer, line);
}

/* ---- text of packets ----------------------------------------------------------------------------------- */

TEST(calls_of_godot_4)
{
    assert_printed(FOUR, "80 06 05", "RPC method 5() on #6");
    assert_printed(FOUR, "00 06 05 02 020c 0400000005000000 73776f7264000000", "RPC method 5(12, \"sword\") on #6");
    assert_printed(FOUR, "a0 06000080 05 4d61696e00", "RPC method 5() on Main");
    assert_printed(FOUR, "20 09000080 05 01 0205 4d61696e00", "RPC method 5(5) on Main");
    assert_printed(FOUR, "50 2c01 2c01 01 81", "RPC method 300(true) on #300");
    assert_printed(FOUR, "80 06 05 010203", "RPC method 5(PackedByteArray(1, 2, 3)) on #6");
    assert_printed(FOUR, "20 00000100 05 00", "RPC method 5() on #65536");
}

TEST(compressed_values)
{
    assert_printed(FOUR, "00 01 00 06 01 81 02ff 428000 82ffff0000 c20000000001000000",
                   "RPC method 0(false, true, -1, 128, 65535, 4294967296) on #1");
}

/* The engine writes nil, and then the declared type over its first byte. */
TEST(typed_null_is_only_a_header)
{
    assert_printed(FOUR, "00 01 00 02 18000000 0207", "RPC method 0(null, 7) on #1");
    /* The bytes after it look like a class name of four bytes. */
    assert_printed(FOUR, "00 01 00 02 18000000 0400000005000000 776f726c64000000",
                   "RPC method 0(null, \"world\") on #1");
}

TEST(paths_of_godot_4)
{
    assert_printed(FOUR, "01" MD5 "06000000 4d61696e00", "Path #6 = Main");
    assert_printed(FOUR, "02 01 06000000", "Path #6 confirmed");
    assert_printed(FOUR, "02 00 06000000", "Path #6 confirmed, methods differ");
    assert_printed(FOUR, "02 01 4d61696e00", "Path Main confirmed");
    assert_printed(FOUR, "02 01 41626300", "Path Abc confirmed");
    assert_printed(FOUR, "02 01 4100", "Path A confirmed");
}

TEST(spawns)
{
    assert_printed(FOUR, "04 00 01000000 03000000 01000000 08000000 04000000 506c617965723200 0209",
                   "Spawn \"Player2\" #3: 9");
    assert_printed(FOUR, "04 ff 01000000 03000000 00000000 02000000 6100 02000000 020c", "Spawn custom \"a\" #3");
    assert_printed(FOUR, "05 03000000", "Despawn #3");
}

TEST(syncs)
{
    assert_printed(FOUR, "06 0100 04000000 0c000000 05000000 0000404000008040", "Sync #4: Vector2(3, 4)");
    assert_printed(FOUR, "06 0100 04000000 02000000 0201 06000080 02000000 0202", "Sync #4: 1; path #6: 2");
    assert_printed(FOUR, "16 04000000 0500000000000000 04000000 0201 0202", "Delta #4: 1, 2");
}

TEST(system_commands)
{
    assert_printed(FOUR, "07 00", "Authentication done");
    assert_printed(FOUR, "07 00 61", "Authentication, 1 byte");
    assert_printed(FOUR, "07 01 bb5a5853", "Peer 1398299323 joined");
    assert_printed(FOUR, "07 02 02000000", "Peer 2 left");
    assert_printed(FOUR, "07 03 02000000 80 06 05", "Relay 2: RPC method 5() on #6");
    assert_printed(FOUR, "03 0102", "Raw, 2 bytes");
    assert_printed(GW_GODOT_MP_4_ASSIGNED, "bb5a5853", "Assigned peer id 1398299323");
}

TEST(packets_of_godot_3)
{
    assert_printed(ENET, "01000000 00000000 00 06000000 68697400 02 02000000 0c000000 01000000 01000000",
                   "RPC hit(12, true) on #6");
    assert_printed(ENET, "01000000 00000000 00 0a000080 68697400 00 4d61696e00", "RPC hit() on Main");
    assert_printed(ENET, "01000000 00000000 01 06000000 687000 02000000 0c000000", "Set hp = 12 on #6");
    assert_printed(ENET, "01000000 00000000 01 10000080 687000 02000000 0c000000 4d61696e00", "Set hp = 12 on Main");
    assert_printed(ENET, "01000000 02000000 02 06000000 4d61696e00", "Path #6 = Main");
    assert_printed(ENET, "02000000 01000000 03 4d61696e00", "Path Main confirmed");
    assert_printed(ENET, "02000000 01000000 04 616263", "Raw, 3 bytes");
    assert_printed(ENET, "00000000 02000000", "Peer 2 joined");
    assert_printed(ENET, "01000000 02000000", "Peer 2 left");
    assert_printed(WEBSOCKET, "03 01000000 02000000 02000000", "Assigned peer id 2");
    assert_printed(WEBSOCKET, "01 01000000 02000000 01000000", "Peer 1 joined");
    assert_printed(WEBSOCKET, "02 01000000 02000000 03000000", "Peer 3 left");
    assert_printed(WEBSOCKET, "00 01000000 02000000 04 61", "Raw, 1 byte");
    assert_printed(GW_GODOT_MP_3, "03 4d61696e00", "Path Main confirmed");
}

TEST(printing_ends_with_the_fault)
{
    assert_printed(FOUR, "00 06 05 02 020c", "RPC method 5(12 [There are fewer arguments than declared]");
}

/* ---- events -------------------------------------------------------------------------------------------- */

/* One letter per event: its kind, then the field's name and the ranges. */
static void describe(char *line, size_t size, const gw_godot_mp_event *event)
{
    static const char kinds[] = {
        [GW_VALUE] = 'v', [GW_PACKED] = 'p', [GW_OPEN] = '(', [GW_CLOSE] = ')', [GW_OPAQUE] = 'o'
    };
    snprintf(line, size, "%c%u %s %u+%u+%u = %lld", kinds[event->kind], event->depth,
             gw_godot_mp_role_name(event->role), event->payload.offset, event->payload.length, event->padding.length,
             (long long)event->number);
}

static void assert_events(gw_godot_mp_form form, const char *hex, const char *const *lines)
{
    test_message message = message_of(form, hex);
    gw_godot_mp_reader reader;
    gw_godot_mp_event event;
    char line[128];
    gw_godot_mp_init(&reader, message.bytes, message.length, &message.options);
    while (gw_godot_mp_next(&reader, &event) == GW_NEXT_EVENT) {
        describe(line, sizeof line, &event);
        assert_non_null(*lines);
        assert_string_equal(line, *lines++);
    }
    assert_null(*lines);
    assert_int_equal(reader.fault.code, GW_GODOT_MP_FAULT_NONE);
    assert_int_equal(reader.offset, message.length);
}

TEST(events_of_a_call_by_path)
{
    static const char *const lines[] = {
        "(0 packet 0+14+0 = 0",   "v1 command 0+1+0 = 32",       "v1 node id 1+4+0 = 2147483657",
        "v1 method id 5+1+0 = 5", "v1 argument count 6+1+0 = 1", "v1 argument 7+2+0 = 5",
        "v1 path 9+4+1 = 0",      ")0 packet 0+14+0 = 0",        NULL
    };
    assert_events(FOUR, "20 09000080 05 01 0205 4d61696e00", lines);
}

TEST(events_of_a_spawn)
{
    static const char *const lines[] = { "(0 packet 0+34+0 = 5",
                                         "v1 command 0+1+0 = 4",
                                         "v1 scene index 1+1+0 = 0",
                                         "v1 spawner 2+4+0 = 1",
                                         "v1 net id 6+4+0 = 3",
                                         "v1 synchronizer count 10+4+0 = 2",
                                         "v1 name length 14+4+0 = 2",
                                         "p1 synchronizer ids 18+8+0 = 2",
                                         "v1 name 26+1+1 = 0",
                                         "v1 spawn state 28+2+0 = 7",
                                         "v1 spawn state 30+4+0 = 0",
                                         ")0 packet 0+34+0 = 5",
                                         NULL };
    assert_events(FOUR, "04 00 01000000 03000000 02000000 02000000 04000000 05000000 6100 0207 00000000", lines);
}

TEST(events_of_a_delta)
{
    static const char *const lines[] = { "(0 packet 0+19+0 = 7",          "v1 command 0+1+0 = 22",
                                         "(1 update 1+18+0 = 4",          "v2 net id 1+4+0 = 4",
                                         "v2 property indexes 5+8+0 = 4", "v2 size 13+4+0 = 2",
                                         "v2 value 17+2+0 = 9",           ")1 update 1+18+0 = 4",
                                         ")0 packet 0+19+0 = 7",          NULL };
    assert_events(FOUR, "16 04000000 0400000000000000 02000000 0209", lines);
}

TEST(events_of_a_relay)
{
    static const char *const lines[] = { "(0 packet 0+8+0 = 8",      "v1 command 0+1+0 = 7",
                                         "v1 sub-command 1+1+0 = 3", "v1 relay peer 2+4+0 = -5",
                                         "(1 packet 6+2+0 = 4",      "v2 command 6+1+0 = 3",
                                         "v2 data 7+1+0 = 0",        ")1 packet 6+2+0 = 4",
                                         ")0 packet 0+8+0 = 8",      NULL };
    assert_events(FOUR, "07 03 fbffffff 03 61", lines);
}

/* The offset counts from the command byte of the call itself, and only the call has a path. */
TEST(relayed_calls_by_path)
{
    assert_printed(FOUR, "07 03 fbffffff 20 09000080 05 01 0205 4d61696e00", "Relay -5: RPC method 5(5) on Main");
}

TEST(events_of_a_head)
{
    static const char *const lines[] = { "v0 message type 0+1+0 = 0", "v0 source 1+4+0 = 1",
                                         "v0 target 5+4+0 = -2",      "(0 packet 9+2+0 = 4",
                                         "v1 command 9+1+0 = 4",      "v1 data 10+1+0 = 0",
                                         ")0 packet 9+2+0 = 4",       NULL };
    assert_events(WEBSOCKET, "00 01000000 feffffff 04 61", lines);
}

/* ---- faults -------------------------------------------------------------------------------------------- */

static const struct {
    gw_godot_mp_form form;
    const char *hex;
    uint32_t code;
    uint32_t offset;
    uint64_t needed;
} faults[] = {
#define FAULT(name) GW_GODOT_MP_FAULT_##name
    { FOUR, "", FAULT(EMPTY), 0, 1 },
    { FOUR, "05 0300", FAULT(FIELD_TRUNCATED), 1, 2 },
    { FOUR, "02 01 0600", FAULT(FIELD_TRUNCATED), 2, 2 },
    { FOUR, "07 03 02000000", FAULT(FIELD_TRUNCATED), 6, 1 },
    { FOUR, "01" MD5 "06000000 4d61", FAULT(TEXT_TRUNCATED), 38, 1 },
    { FOUR, "20 09000080 05 01 0205", FAULT(TEXT_TRUNCATED), 9, 1 },
    { FOUR, "20 0c000080 05 01 0205", FAULT(TEXT_TRUNCATED), 9, 4 },
    { FOUR, "01 6434", FAULT(CHECKSUM_TRUNCATED), 1, 31 },
    { FOUR, "04 00 01000000 03000000 00000000 05000000 6162", FAULT(NAME_TRUNCATED), 18, 3 },
    { FOUR, "04 00 01000000 03000000 02000000 02000000 04000000 05", FAULT(IDS_TRUNCATED), 18, 3 },
    { FOUR, "04 00 01000000 03000000 01000040 02000000 04000000 4100", FAULT(IDS_OVERFLOW), 18, 0xFFFFFFFE },
    { FOUR, "04 00 01000000 03000000 01000040 03000000 04000000 4100", FAULT(IDS_TRUNCATED), 18, 0xFFFFFFFE },
    { FOUR, "00 06 05 01 04000000 05000000 6162", FAULT(VALUE_TRUNCATED), 4, 6 },
    { FOUR, "00 06 05 01 4205", FAULT(VALUE_TRUNCATED), 4, 1 },
    { FOUR, "00 06 05 02 0205", FAULT(VALUES_MISSING), 6, 1 },
    { ENET, "01000000 00000000 00 06000000 6800 01", FAULT(VALUES_MISSING), 16, 4 },
    { FOUR, "06 0100 04000000 05000000 0201", FAULT(UPDATE_TRUNCATED), 11, 3 },
    { FOUR, "06 0100 04000000 01000000 0201", FAULT(VALUE_INVALID), 11, 0 },
    { FOUR, "00 06 05 01 3f000000", FAULT(VALUE_INVALID), 4, 0 },
    { FOUR, "20 08000080 05 02 0205 4d00", FAULT(VALUE_INVALID), 7, 0 },
    { FOUR, "04 ff 01000000 03000000 00000000 02000000 6100 04000000 3f000000", FAULT(VALUE_INVALID), 24, 0 },
    { FOUR, "20 03000080 05 00", FAULT(OFFSET_INVALID), 5, 0 },
    { FOUR, "20 06000080 05 00 4d00", FAULT(OFFSET_INVALID), 6, 0 },
    { FOUR, "30 06", FAULT(ID_SIZE_UNKNOWN), 1, 0 },
    { ENET, "01000000 00000000 05", FAULT(COMMAND_UNKNOWN), 9, 0 },
    { FOUR, "07 04", FAULT(SYSTEM_UNKNOWN), 2, 0 },
    { WEBSOCKET, "04 01000000", FAULT(HEAD_UNKNOWN), 1, 0 },
    { ENET, "02000000 01000000", FAULT(HEAD_UNKNOWN), 4, 0 },
    { FOUR, "07 03 02000000 07 03 02000000 07 03 02000000 07 03 02000000 07 03 02000000 03 61", FAULT(RELAY_TOO_DEEP),
      30, 0 },
};

TEST(each_fault_has_its_offset_and_needed_bytes)
{
    for (size_t i = 0; i < COUNT_OF(faults); i++) {
        test_message message = message_of(faults[i].form, faults[i].hex);
        gw_godot_mp_summary summary;
        assert_false(gw_godot_mp_validate(message.bytes, message.length, &message.options, &summary));
        if (summary.fault.code != faults[i].code)
            print_error("%s: %s\n", faults[i].hex, gw_fault_text(&gw_godot_mp_faults, summary.fault.code));
        assert_int_equal(summary.fault.code, faults[i].code);
        assert_int_equal(summary.fault.offset, faults[i].offset);
        assert_int_equal(summary.fault.needed, faults[i].needed);
    }
}

TEST(reading_a_faulty_packet_ends_with_the_fault)
{
    for (size_t i = 0; i < COUNT_OF(faults); i++) {
        test_message message = message_of(faults[i].form, faults[i].hex);
        gw_godot_mp_reader reader;
        gw_godot_mp_event event;
        gw_next next;
        gw_godot_mp_init(&reader, message.bytes, message.length, &message.options);
        while ((next = gw_godot_mp_next(&reader, &event)) == GW_NEXT_EVENT)
            ;
        assert_int_equal(next, GW_NEXT_FAULT);
    }
}

TEST(values_have_the_type_of_their_generation)
{
    static const struct {
        gw_godot_mp_form form;
        const char *hex;
        uint8_t type;
    } samples[] = {
        { FOUR, "00 01 00 01 05000000 0000404000008040", GW_GODOT_VECTOR2 },
        { FOUR, "00 01 00 01 0b000000 000000000000000000000000000000000000000000000000", GW_GODOT_TRANSFORM2D },
        { ENET, "01000000 00000000 00 06000000 6800 01 0b000000 000000000000000000000000000000000000000000000000",
          GW_GODOT_AABB },
        { FOUR, "00 01 00 01 81", GW_GODOT_BOOL },
        { FOUR, "00 01 00 01 0205", GW_GODOT_INT },
    };
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        test_message message = message_of(samples[i].form, samples[i].hex);
        gw_godot_mp_reader reader;
        gw_godot_mp_event event;
        gw_godot_mp_init(&reader, message.bytes, message.length, &message.options);
        do
            assert_int_equal(gw_godot_mp_next(&reader, &event), GW_NEXT_EVENT);
        while (event.role != GW_GODOT_MP_ROLE_ARGUMENT);
        assert_int_equal(event.type, samples[i].type);
    }
}

TEST(a_value_nested_too_deep_is_a_limit_of_the_reader)
{
    uint8_t bytes[4 + 8 * (GW_GODOT_DEPTH + 2)] = { 0x00, 0x06, 0x05, 0x01 };
    static gw_godot_level levels[GW_GODOT_DEPTH + 16];
    gw_godot_mp_options options = { .form = FOUR };
    gw_godot_mp_summary summary;
    for (size_t i = 4; i < sizeof bytes; i += 8) {
        bytes[i] = 28;
        bytes[i + 4] = i + 8 < sizeof bytes;
    }
    assert_false(gw_godot_mp_validate(bytes, sizeof bytes, &options, &summary));
    assert_int_equal(summary.fault.code, GW_GODOT_MP_FAULT_TOO_DEEP);
    options.levels = levels;
    options.level_count = COUNT_OF(levels);
    assert_true(gw_godot_mp_validate(bytes, sizeof bytes, &options, &summary));
}

TEST(input_beyond_two_gigabytes_is_rejected)
{
    static const uint8_t byte;
    gw_godot_mp_summary summary;
    assert_false(gw_godot_mp_validate(&byte, (size_t)INT32_MAX + 1, NULL, &summary));
    assert_int_equal(summary.fault.code, GW_GODOT_MP_FAULT_TOO_LONG);
}

TEST(each_fault_has_a_text)
{
    for (uint32_t code = 0; code < GW_GODOT_MP_FAULTS; code++) {
        assert_string_not_equal(gw_fault_text(&gw_godot_mp_faults, code), "Unknown fault");
        if (code && gw_fault_class_of(&gw_godot_mp_faults, code) != GW_FAULT_LIMIT)
            assert_non_null(gw_fault_consequence(&gw_godot_mp_faults, code));
    }
    assert_string_equal(gw_fault_text(&gw_godot_mp_faults, GW_GODOT_MP_FAULTS), "Unknown fault");
    assert_int_equal(gw_fault_class_of(&gw_godot_mp_faults, GW_GODOT_MP_FAULTS), GW_FAULT_NONE);
    assert_null(gw_fault_consequence(&gw_godot_mp_faults, GW_GODOT_MP_FAULTS));
}

/* Every prefix of a packet whose length follows from its contents ends in a fault with the number of missing bytes. */
TEST(each_prefix_needs_the_bytes_that_follow)
{
    static const char *const samples[] = {
        "00 06 05 02 020c 0400000005000000 73776f7264000000",
        "20 09000080 05 01 0205 4d61696e00",
        "01" MD5 "06000000 4d61696e00",
        "04 ff 01000000 03000000 00000000 02000000 6100 02000000 020c",
    };
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        test_message message = message_of(FOUR, samples[i]);
        for (size_t length = 0; length < message.length; length++) {
            gw_godot_mp_summary summary;
            assert_false(gw_godot_mp_validate(message.bytes, length, &message.options, &summary));
            assert_int_equal(summary.fault.fault_class, GW_FAULT_TRUNCATED);
            assert_in_range(summary.fault.needed, 1, message.length - length);
        }
    }
}

/* ---- oddities ------------------------------------------------------------------------------------------ */

static const struct {
    gw_godot_mp_form form;
    const char *hex;
    uint32_t odd;
} oddities[] = {
#define ODD(name) GW_GODOT_MP_ODD_##name
    { FOUR, "80 06 05", 0 },
    { FOUR, "88 06 05", ODD(FLAGS) },
    { FOUR, "13 61", ODD(FLAGS) },
    { FOUR, "02 01 4d61696eff00", ODD(UTF8) | ODD(OLD_CONFIRM) },
    { FOUR, "90 0600 05", ODD(WIDE) },
    { FOUR, "a0 03000000 05", 0 },
    { FOUR, "c0 06 0500", ODD(WIDE) },
    { FOUR, "00 06 05 01 420100", ODD(WIDE) },
    { FOUR, "05 03000000 00", ODD(TRAILING) },
    { FOUR, "20 0a000080 05 01 0205 00 4d61696e00", ODD(TRAILING) },
    { GW_GODOT_MP_4_ASSIGNED, "02000000 00", ODD(TRAILING) },
    { FOUR,
      "01 58"
      "34316438636439386630306232303465393830303939386563663834323765 00"
      "06000000 4d00",
      ODD(CHECKSUM) },
    { FOUR, "02 02 06000000", ODD(CONFIRMED) },
    { FOUR, "00 06 05 01 c1", ODD(BOOL) },
    { FOUR, "00 06 05 01 18000000", ODD(NULL_OBJECT) },
    { FOUR, "00 06 05 01 00010000", ODD(VALUE) },
    { FOUR, "04 00 01000000 03000000 00000000 01000000 61", ODD(NAME) },
    { FOUR, "04 00 01000000 03000000 00000000 03000000 610000", ODD(NAME) },
    { FOUR, "04 00 01000000 03000000 00000000 00000000", ODD(NAME) },
    { FOUR, "16 04000000 0700000000000000 02000000 0209", ODD(INDEXES) },
    { FOUR, "07 01 00000000", ODD(PEER) },
    { ENET, "00000000 00000000 04 61", ODD(PEER) },
    { FOUR, "07 03 02000000 07 00", ODD(RELAY) },
    { FOUR, "04 ff 01000000 03000000 00000000 02000000 6100 03000000 020c", ODD(CUSTOM_SIZE) },
    { FOUR, "02 01 4d61696e00", ODD(OLD_CONFIRM) },
};

TEST(trailing_bytes_are_one_event_to_the_end)
{
    test_message message = message_of(FOUR, "05 03000000 616263");
    gw_godot_mp_reader reader;
    gw_godot_mp_event event = { .role = GW_GODOT_MP_ROLE_NONE };
    gw_godot_mp_init(&reader, message.bytes, message.length, &message.options);
    while (event.role != GW_GODOT_MP_ROLE_TRAILING)
        assert_int_equal(gw_godot_mp_next(&reader, &event), GW_NEXT_EVENT);
    assert_int_equal(event.payload.offset, 5);
    assert_int_equal(event.payload.length, 3);
}

TEST(each_oddity_is_reported)
{
    for (size_t i = 0; i < COUNT_OF(oddities); i++) {
        test_message message = message_of(oddities[i].form, oddities[i].hex);
        gw_godot_mp_summary summary;
        assert_true(gw_godot_mp_validate(message.bytes, message.length, &message.options, &summary));
        if (summary.odd != oddities[i].odd)
            print_error("%s: %x\n", oddities[i].hex, (unsigned)summary.odd);
        assert_int_equal(summary.odd, oddities[i].odd);
        assert_int_equal(summary.length, message.length);
    }
}

TEST(a_sync_beyond_the_engines_limit_is_odd)
{
    test_message message = message_of(FOUR, "06 0100 04000000 68050000 1d000000 60050000");
    gw_godot_mp_summary summary;
    message.length += 0x560;
    assert_true(gw_godot_mp_validate(message.bytes, message.length, NULL, &summary));
    assert_int_equal(summary.odd, GW_GODOT_MP_ODD_TOO_LARGE);
}

TEST(each_oddity_has_a_text)
{
    for (uint32_t bit = 1; bit <= GW_GODOT_MP_ODD_OLD_CONFIRM; bit <<= 1)
        assert_string_not_equal(gw_odd_text(&gw_godot_mp_faults, bit), "Unknown oddity");
    assert_string_equal(gw_odd_text(&gw_godot_mp_faults, 1U << 30), "Unknown oddity");
}

TEST(names_of_commands_roles_and_forms)
{
    assert_string_equal(gw_godot_mp_command_name(GW_GODOT_MP_CALL), "REMOTE_CALL");
    assert_string_equal(gw_godot_mp_command_name(GW_GODOT_MP_COMMANDS), "unknown");
    assert_string_equal(gw_godot_mp_role_name(GW_GODOT_MP_ROLES), "unknown");
    assert_string_equal(gw_godot_mp_form_text(FOUR), "Godot 4 SceneMultiplayer");
    assert_string_equal(gw_godot_mp_form_text(GW_GODOT_MP_FORMS), "unknown");
    assert_int_equal(gw_godot_mp_generation(GW_GODOT_MP_FORMS), GW_GODOT_4);
}

/* ---- names and forms ----------------------------------------------------------------------------------- */

/* Prints with a name for each event that can have one: the field's name, in brackets. */
static void assert_named(gw_godot_mp_form form, const char *hex, const char *line)
{
    test_message message = message_of(form, hex);
    gw_godot_mp_reader reader;
    gw_godot_mp_printer printer;
    gw_godot_mp_event event;
    char buffer[512], names[GW_GODOT_MP_ROLES][64];
    gw_text text;
    gw_text_init(&text, buffer, sizeof buffer);
    gw_godot_mp_init(&reader, message.bytes, message.length, &message.options);
    gw_godot_mp_printer_init(&printer, &text);
    while (gw_godot_mp_next(&reader, &event) == GW_NEXT_EVENT) {
        snprintf(names[event.role], sizeof *names, "<%s>", gw_godot_mp_role_name(event.role));
        gw_godot_mp_print_event(&printer, &reader, &event, names[event.role]);
    }
    assert_string_equal(buffer, line);
}

TEST(names_are_printed_instead_of_numbers)
{
    assert_named(FOUR, "00 06 05 01 0205", "RPC <method id>(5) on <node id>");
    assert_named(FOUR, "02 01 06000000", "Path #6 <path id> confirmed");
    assert_named(FOUR, "04 07 01000000 03000000 00000000 02000000 6100 0209",
                 "Spawn <scene index> \"a\" #3: <spawn state> = 9");
    assert_named(FOUR, "05 03000000", "Despawn <net id> #3");
    assert_named(FOUR, "06 0100 04000000 02000000 0201 06000080 02000000 0202",
                 "Sync <net id>: <value> = 1; <net id>: <value> = 2");
    assert_named(FOUR, "07 01 bb5a5853", "Peer <peer> joined");
    assert_named(FOUR, "07 02 02000000", "Peer <peer> left");
    assert_named(FOUR, "07 03 02000000 80 06 05", "Relay <relay peer>: RPC <method id>() on <node id>");
}

/* The number is what is assigned: it is printed even if the peer has a name. */
TEST(the_name_of_an_assigned_peer_comes_after_its_id)
{
    assert_named(GW_GODOT_MP_4_ASSIGNED, "bb5a5853", "Assigned peer id 1398299323 to <assigned peer id>");
    assert_named(WEBSOCKET, "03 01000000 02000000 02000000", "Assigned peer id 2 to <peer>");
}

/* The text of a value is used once; the next value is printed from its bytes. */
TEST(a_value_is_printed_with_the_callers_text)
{
    test_message message = message_of(FOUR, "00 06 05 02 0205 0206");
    gw_godot_mp_reader reader;
    gw_godot_mp_printer printer;
    gw_godot_mp_event event;
    char buffer[64];
    gw_text text;
    gw_text_init(&text, buffer, sizeof buffer);
    gw_godot_mp_init(&reader, message.bytes, message.length, NULL);
    gw_godot_mp_printer_init(&printer, &text);
    while (gw_godot_mp_next(&reader, &event) == GW_NEXT_EVENT) {
        if (event.role == GW_GODOT_MP_ROLE_ARGUMENT && !event.index)
            printer.value = "five";
        gw_godot_mp_print_event(&printer, &reader, &event, NULL);
    }
    assert_string_equal(buffer, "RPC method 5(five, 6) on #6");
}

static void assert_short(const char *node, const char *line)
{
    test_message message = message_of(FOUR, "00 06 05 00");
    gw_godot_mp_reader reader;
    gw_godot_mp_printer printer;
    gw_godot_mp_event event;
    char buffer[256];
    gw_text text;
    gw_text_init(&text, buffer, sizeof buffer);
    gw_godot_mp_init(&reader, message.bytes, message.length, NULL);
    gw_godot_mp_printer_init(&printer, &text);
    printer.short_paths = true;
    while (gw_godot_mp_next(&reader, &event) == GW_NEXT_EVENT) {
        bool is_node = event.role == GW_GODOT_MP_ROLE_NODE_ID;
        gw_godot_mp_print_event(&printer, &reader, &event, is_node ? node : NULL);
    }
    assert_string_equal(buffer, line);
}

/* 32 bytes are not long. The last two names are printed whatever their length is. */
TEST(a_long_path_is_printed_from_its_end)
{
    assert_short("Main/World/Level 1/Room 12/Door1", "RPC method 5() on Main/World/Level 1/Room 12/Door1");
    assert_short("Main/World/Level 1/Room 12/Door12", "RPC method 5() on \xE2\x80\xA6/World/Level 1/Room 12/Door12");
    assert_short("Main/Part/Arena/Fighters/1497399204/MultiplayerSynchronizer",
                 "RPC method 5() on \xE2\x80\xA6/1497399204/MultiplayerSynchronizer");
    assert_short("ANodeWithoutAParentAndWithALongName", "RPC method 5() on ANodeWithoutAParentAndWithALongName");
    assert_short("Main/ANodeWithALongNameBelowTheMainNode",
                 "RPC method 5() on Main/ANodeWithALongNameBelowTheMainNode");
}

TEST(unprintable_characters_are_escaped)
{
    assert_printed(FOUR, "01" MD5 "06000000 4d0a7f00", "Path #6 = \"M\\n\\u007f\"");
    assert_printed(FOUR, "01" MD5 "06000000 4dff00", "Path #6 = \"M\\xff\"");
    assert_printed(FOUR, "01" MD5 "06000000 00", "Path #6 = \"\"");
}

TEST(a_form_that_does_not_exist_is_read_as_godot_4)
{
    assert_printed(GW_GODOT_MP_FORMS, "05 03000000", "Despawn #3");
}

/* Six bytes in total are an id (4.3 and later); a path is longer, shorter, or three characters. */
TEST(both_forms_of_confirm_path)
{
    static const struct {
        const char *hex;
        bool by_path;
    } samples[] = {
        { "02 01 61620063", false }, { "02 01 61006200", false },  { "02 01 61621f00", false },
        { "02 01 61626300", true },  { "02 01 6162636400", true }, { "02 01 61626364", false },
        { "02 01 616200", true },    { "02 01 1f620000", false },
    };
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        test_message message = message_of(FOUR, samples[i].hex);
        gw_godot_mp_summary summary;
        assert_true(gw_godot_mp_validate(message.bytes, message.length, NULL, &summary));
        assert_int_equal(summary.odd, samples[i].by_path ? ODD(OLD_CONFIRM) : 0);
    }
}

TEST(bytes_that_are_neither_id_nor_path_are_a_truncated_id)
{
    assert_printed(FOUR, "02 01", "[The packet ends inside a number]");
    assert_printed(FOUR, "02 01 616263", "[The packet ends inside a number]");
}

TEST(a_null_object_is_only_a_header)
{
    /* A class name: a full object with one property. */
    assert_printed(FOUR, "00 01 00 01 18000000 04000000 4e6f6465 01000000 01000000 61000000 02000000 05000000",
                   "RPC method 0(Object(Node,\"a\":5)) on #1");
    /* Not letters, digits or underscores: not a class name. */
    assert_printed(FOUR, "00 01 00 02 18000000 0400000005000000 5f395a7a21000000",
                   "RPC method 0(null, \"_9Zz!\") on #1");
    assert_printed(FOUR, "00 01 00 02 18000000 00000000", "RPC method 0(null, null) on #1");
    /* Only the second letter is invalid: the length is an int. */
    assert_printed(FOUR, "00 01 00 02 18000000 02000000 41210000 ffffffff", "RPC method 0(null, 0) on #1");
    /* In Godot 3, type 24 is not an object. */
    assert_printed(ENET, "01000000 00000000 00 06000000 68697400 01 18000000 00000000",
                   "RPC hit(PoolVector2Array(  )) on #6");
}

/* If a full object is truncated, the class name determines whether it is an object: otherwise it is null, and a value
 * follows. */
TEST(class_names_have_letters_digits_and_underscores)
{
    for (unsigned byte = 1; byte < 128; byte++) {
        test_message message = message_of(FOUR, "00 01 00 01 18000000 01000000 00000000 ffffffff");
        bool identifier =
            (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '_';
        gw_godot_mp_reader reader;
        gw_godot_mp_event event = { 0 };
        message.bytes[12] = (uint8_t)byte;
        gw_godot_mp_init(&reader, message.bytes, message.length, NULL);
        while (gw_godot_mp_next(&reader, &event) == GW_NEXT_EVENT && event.role != GW_GODOT_MP_ROLE_ARGUMENT)
            ;
        assert_int_equal(event.encoding == GW_GODOT_MP_NULL_OBJECT, !identifier);
        assert_int_equal(reader.fault.fault_class != GW_FAULT_NONE, identifier);
    }
}

TEST(ids_of_synchronizers_are_read_one_by_one)
{
    test_message message = message_of(FOUR, "04 00 01000000 03000000 02000000 02000000 04000000 05000000 6100");
    gw_godot_mp_reader reader;
    gw_godot_mp_event event;
    gw_godot_mp_init(&reader, message.bytes, message.length, NULL);
    do
        assert_int_equal(gw_godot_mp_next(&reader, &event), GW_NEXT_EVENT);
    while (event.kind != GW_PACKED);
    assert_int_equal(gw_godot_mp_id_at(message.bytes, &event, 0), 4);
    assert_int_equal(gw_godot_mp_id_at(message.bytes, &event, 1), 5);
}

/* The OPEN of the first update: its range is the declared size, or all bytes if there are fewer. */
TEST(the_range_of_an_update_ends_with_the_packet)
{
    static const struct {
        const char *hex;
        uint32_t length;
    } samples[] = {
        { "06 0100 04000000 02000000 0201 05", 10 }, /* a byte of the next update follows */
        { "06 0100 04000000 09000000 0201", 10 },    /* 7 bytes are missing */
        { "06 0100 0400", 2 },
        { "16 04000000 0100000000000000 0200", 14 },
    };
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        test_message message = message_of(FOUR, samples[i].hex);
        gw_godot_mp_reader reader;
        gw_godot_mp_event event;
        gw_godot_mp_init(&reader, message.bytes, message.length, NULL);
        do
            assert_int_equal(gw_godot_mp_next(&reader, &event), GW_NEXT_EVENT);
        while (event.role != GW_GODOT_MP_ROLE_UPDATE);
        assert_int_equal(event.payload.length, samples[i].length);
        assert_int_equal(event.padding.offset, event.payload.offset + samples[i].length);
    }
}

TEST(a_message_of_eight_bytes_is_about_a_peer_at_any_offset)
{
    test_message message = message_of(ENET, "ffffff 00000000 02000000");
    char buffer[64];
    gw_text text;
    message.options.offset = 3;
    gw_text_init(&text, buffer, sizeof buffer);
    gw_godot_mp_print(&text, message.bytes, message.length, &message.options);
    assert_string_equal(buffer, "Peer 2 joined");
}

TEST(calls_after_a_fault_return_the_fault)
{
    test_message message = message_of(FOUR, "05 0300");
    gw_godot_mp_reader reader;
    gw_godot_mp_event event;
    gw_godot_mp_init(&reader, message.bytes, message.length, NULL);
    while (gw_godot_mp_next(&reader, &event) == GW_NEXT_EVENT)
        ;
    assert_int_equal(gw_godot_mp_next(&reader, &event), GW_NEXT_FAULT);
    /* Reading may start at any offset, including the end. */
    const gw_godot_mp_options late = { .offset = 99 };
    gw_godot_mp_init(&reader, message.bytes, message.length, &late);
    assert_int_equal(reader.fault.code, GW_GODOT_MP_FAULT_EMPTY);
}

TEST(values_too_short_to_be_compressed_are_written_unchanged)
{
    static const uint8_t cut_bool[] = { 1, 0, 0, 0 }, cut_int[] = { 2, 0, 1, 0, 5, 0, 0 };
    uint8_t bytes[32];
    gw_output output;
    gw_output_init(&output, bytes, sizeof bytes);
    gw_godot_mp_write_value(&output, cut_bool, sizeof cut_bool);
    gw_godot_mp_write_value(&output, cut_int, sizeof cut_int);
    gw_godot_mp_write_value(&output, NULL, 0);
    assert_hex_equal(bytes, output.length, "01000000 02000100050000");
}

/* ---- recognition --------------------------------------------------------------------------------------- */

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

/* The server drops messages whose source is not the sender's id, which is also in CONNECT. */
TEST(a_client_id_is_the_id_in_its_connect)
{
    const gw_godot_mp_transport to_server = { .client_known = true, .from_client = true, .client = 0x11223344 };
    const gw_godot_mp_transport to_client = { .client_known = true, .client = 0x11223344 };
    const gw_godot_mp_transport no_id = { .client_known = true, .from_client = true };
    gw_recognition asks = received(ENET, "44332211 01000000 04 aabb", &to_server);
    gw_recognition answers = received(ENET, "01000000 44332211 04 aabb", &to_client);
    assert_in_range(asks.bits, 24, 47);
    assert_in_range(answers.bits, 24, 47);
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

/* ---- writing ------------------------------------------------------------------------------------------- */

typedef struct test_written {
    uint8_t bytes[256];
    gw_output output;
} test_written;

static gw_output *start(test_written *written)
{
    gw_output_init(&written->output, written->bytes, sizeof written->bytes);
    return &written->output;
}

static void assert_written(test_written *written, const char *hex)
{
    assert_true(gw_output_complete(&written->output));
    assert_hex_equal(written->bytes, written->output.length, hex);
    start(written);
}

TEST(written_calls)
{
    static const uint8_t five[] = { 2, 0, 0, 0, 5, 0, 0, 0 };
    test_written written;
    gw_output *output = start(&written);
    gw_godot_mp_write_call(output, &(gw_godot_mp_call){ .node = 6, .method = 5, .bytes_only = true });
    assert_written(&written, "800605");
    gw_godot_mp_write_call(output, &(gw_godot_mp_call){ .node = 300, .method = 300, .values = 1 });
    gw_godot_mp_write_value(output, five, sizeof five);
    assert_written(&written, "502c012c01010205");
    gw_godot_mp_write_call(output, &(gw_godot_mp_call){ .node = 65536, .method = 1, .values = 0 });
    assert_written(&written, "20000001000100");
    gw_godot_mp_write_call(output, &(gw_godot_mp_call){ .path = "Main", .method = 5, .values = 1, .values_length = 2 });
    gw_godot_mp_write_value(output, five, sizeof five);
    gw_godot_mp_write_path(output, "Main");
    assert_written(&written, "20090000800501020"
                             "54d61696e00");
}

TEST(written_values_are_compressed)
{
    static const struct {
        const char *variant;
        const char *hex;
    } values[] = {
        { "00000000", "00000000" },
        { "0100000000000000", "01" },
        { "0100000001000000", "81" },
        { "02000000ffffffff", "02ff" },
        { "0200000080000000", "428000" },
        { "02000000ffff0000", "82ffff0000" },
        { "020001000000000001000000", "c20000000001000000" },
        { "050000000000404000008040", "050000000000404000008040" },
    };
    test_written written;
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        uint8_t variant[32];
        size_t length = hex_to_bytes(values[i].variant, variant, sizeof variant);
        gw_godot_mp_write_value(start(&written), variant, length);
        assert_written(&written, values[i].hex);
    }
}

TEST(written_packets_of_godot_4)
{
    static const uint32_t ids[] = { 4, 5 };
    static const uint8_t data[] = { 0x61, 0x62 };
    static const uint8_t five[] = { 2, 0, 0, 0, 5, 0, 0, 0 };
    const uint64_t indexes = 4;
    test_written written;
    gw_output *output = start(&written);
    gw_godot_mp_write_simplify_path(output, "d41d8cd98f00b204e9800998ecf8427e", 6, "Main");
    assert_written(&written, "01643431643863643938663030623230346539383030393938656366383432376500060000004d61696e00");
    gw_godot_mp_write_confirm_path(output, true, 6);
    assert_written(&written, "020106000000");
    gw_godot_mp_write_old_confirm_path(output, false, "M");
    assert_written(&written, "02004d00");
    gw_godot_mp_write_raw(output, data, sizeof data);
    assert_written(&written, "036162");
    gw_godot_mp_write_spawn(
        output,
        &(gw_godot_mp_spawn){ .scene = 0, .spawner = 1, .net_id = 3, .sync_ids = ids, .sync_count = 2, .name = "a" });
    assert_written(&written, "04000100000003000000020000000200000004000000050000006100");
    gw_godot_mp_write_spawn(
        output,
        &(gw_godot_mp_spawn){
            .scene = 255, .spawner = 1, .net_id = 3, .name = "a", .custom = five, .custom_length = sizeof five });
    assert_written(&written, "04ff010000000300000000000000020000006100020000000205");
    gw_godot_mp_write_despawn(output, 3);
    assert_written(&written, "0503000000");
    gw_godot_mp_write_sync(output, 1);
    gw_godot_mp_write_update(output, 4, NULL, 2);
    assert_written(&written, "0601000400000002000000");
    gw_godot_mp_write_delta(output);
    gw_godot_mp_write_update(output, 4, &indexes, 2);
    assert_written(&written, "1604000000040000000000000002000000");
    gw_godot_mp_write_system(output, GW_GODOT_MP_AUTH, 0);
    assert_written(&written, "0700");
    gw_godot_mp_write_system(output, GW_GODOT_MP_RELAY, -5);
    assert_written(&written, "0703fbffffff");
}

TEST(written_packets_of_godot_3)
{
    static const uint8_t data[] = { 0x61 };
    test_written written;
    gw_output *output = start(&written);
    gw_godot_mp_write_head(output, FOUR, 1, 2);
    assert_written(&written, "");
    gw_godot_mp_write_head(output, ENET, 1, -2);
    assert_written(&written, "01000000feffffff");
    gw_godot_mp_write_head(output, WEBSOCKET, 1, 2);
    assert_written(&written, "000100000002000000");
    gw_godot_mp_write_call_3(output, "hit", false, &(gw_godot_mp_call){ .node = 6, .values = 2 });
    assert_written(&written, "00060000006869740002");
    gw_godot_mp_write_call_3(output, "hit", false, &(gw_godot_mp_call){ .path = "Main" });
    gw_godot_mp_write_path(output, "Main");
    assert_written(&written, "000a00008068697400004d61696e00");
    gw_godot_mp_write_call_3(output, "hp", true, &(gw_godot_mp_call){ .path = "M", .values_length = 8 });
    assert_written(&written, "0110000080687000");
    gw_godot_mp_write_simplify_path_3(output, 6, "M");
    assert_written(&written, "02060000004d00");
    gw_godot_mp_write_confirm_path_3(output, "M");
    assert_written(&written, "034d00");
    gw_godot_mp_write_raw_3(output, data, sizeof data);
    assert_written(&written, "0461");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_of_godot_4),
        cmocka_unit_test(compressed_values),
        cmocka_unit_test(typed_null_is_only_a_header),
        cmocka_unit_test(paths_of_godot_4),
        cmocka_unit_test(spawns),
        cmocka_unit_test(syncs),
        cmocka_unit_test(system_commands),
        cmocka_unit_test(packets_of_godot_3),
        cmocka_unit_test(printing_ends_with_the_fault),
        cmocka_unit_test(events_of_a_call_by_path),
        cmocka_unit_test(events_of_a_spawn),
        cmocka_unit_test(events_of_a_delta),
        cmocka_unit_test(events_of_a_relay),
        cmocka_unit_test(relayed_calls_by_path),
        cmocka_unit_test(events_of_a_head),
        cmocka_unit_test(each_fault_has_its_offset_and_needed_bytes),
        cmocka_unit_test(reading_a_faulty_packet_ends_with_the_fault),
        cmocka_unit_test(values_have_the_type_of_their_generation),
        cmocka_unit_test(a_value_nested_too_deep_is_a_limit_of_the_reader),
        cmocka_unit_test(input_beyond_two_gigabytes_is_rejected),
        cmocka_unit_test(each_fault_has_a_text),
        cmocka_unit_test(each_prefix_needs_the_bytes_that_follow),
        cmocka_unit_test(trailing_bytes_are_one_event_to_the_end),
        cmocka_unit_test(each_oddity_is_reported),
        cmocka_unit_test(a_sync_beyond_the_engines_limit_is_odd),
        cmocka_unit_test(each_oddity_has_a_text),
        cmocka_unit_test(names_of_commands_roles_and_forms),
        cmocka_unit_test(a_single_path_with_checksum_is_sufficient),
        cmocka_unit_test(a_single_call_by_path_is_sufficient),
        cmocka_unit_test(small_packets_are_little_evidence),
        cmocka_unit_test(zeros_are_not_a_sync),
        cmocka_unit_test(nulls_are_not_evidence),
        cmocka_unit_test(a_confirmed_path_is_not_evidence),
        cmocka_unit_test(a_single_peer_id_is_not_evidence),
        cmocka_unit_test(compressed_values_are_at_most_16_bits_of_evidence),
        cmocka_unit_test(evidence_of_ids_and_compressed_numbers),
        cmocka_unit_test(engines_do_not_send_the_path_id_0),
        cmocka_unit_test(a_file_name_is_not_a_node_path),
        cmocka_unit_test(a_client_id_is_the_id_in_its_connect),
        cmocka_unit_test(the_target_may_be_any_peer_where_the_clients_id_is_not_known),
        cmocka_unit_test(messages_about_peers_have_a_separate_channel),
        cmocka_unit_test(only_servers_send_that_a_peer_joined),
        cmocka_unit_test(a_variant_instead_of_a_packet),
        cmocka_unit_test(packets_that_begin_like_variants),
        cmocka_unit_test(messages_about_peers_are_from_the_server),
        cmocka_unit_test(messages_of_a_known_form_are_only_tested),
        cmocka_unit_test(values_of_a_known_form_are_not_weighed),
        cmocka_unit_test(the_evidence_of_a_long_message_has_a_limit),
        cmocka_unit_test(messages_that_no_engine_writes_are_not_possible),
        cmocka_unit_test(truncated_messages_are_possible_with_less_evidence),
        cmocka_unit_test(a_message_as_long_as_the_longest_delta_is_recognized_to_its_end),
        cmocka_unit_test(a_longer_message_is_recognized_by_its_beginning),
        cmocka_unit_test(only_the_form_in_the_options_is_tried),
        cmocka_unit_test(texts_of_a_packet_of_godot_3_without_header_are_evidence_only_in_a_call_with_its_path),
        cmocka_unit_test(written_calls),
        cmocka_unit_test(written_values_are_compressed),
        cmocka_unit_test(written_packets_of_godot_4),
        cmocka_unit_test(written_packets_of_godot_3),
        cmocka_unit_test(names_are_printed_instead_of_numbers),
        cmocka_unit_test(the_name_of_an_assigned_peer_comes_after_its_id),
        cmocka_unit_test(a_value_is_printed_with_the_callers_text),
        cmocka_unit_test(a_long_path_is_printed_from_its_end),
        cmocka_unit_test(unprintable_characters_are_escaped),
        cmocka_unit_test(a_form_that_does_not_exist_is_read_as_godot_4),
        cmocka_unit_test(both_forms_of_confirm_path),
        cmocka_unit_test(bytes_that_are_neither_id_nor_path_are_a_truncated_id),
        cmocka_unit_test(a_null_object_is_only_a_header),
        cmocka_unit_test(class_names_have_letters_digits_and_underscores),
        cmocka_unit_test(ids_of_synchronizers_are_read_one_by_one),
        cmocka_unit_test(the_range_of_an_update_ends_with_the_packet),
        cmocka_unit_test(a_message_of_eight_bytes_is_about_a_peer_at_any_offset),
        cmocka_unit_test(calls_after_a_fault_return_the_fault),
        cmocka_unit_test(values_too_short_to_be_compressed_are_written_unchanged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
