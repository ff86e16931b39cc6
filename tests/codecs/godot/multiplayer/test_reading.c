/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Packets of Godot's multiplayer: each command as the engines write it, as text and as events; names and forms.
 */
#include "godot_mp_writer.h"
#include "messages.h"

#include <stdio.h>

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
    assert_printed(FOUR, "07 01 bb5a5853", "Peer joined: client 1398299323");
    assert_printed(FOUR, "07 02 02000000", "Peer left: client 2");
    assert_printed(FOUR, "07 03 02000000 80 06 05", "Relay client 2: RPC method 5() on #6");
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
    assert_printed(ENET, "00000000 02000000", "Peer joined: client 2");
    assert_printed(ENET, "01000000 02000000", "Peer left: client 2");
    assert_printed(WEBSOCKET, "03 01000000 02000000 02000000", "Assigned peer id 2");
    assert_printed(WEBSOCKET, "01 01000000 02000000 01000000", "Peer joined: server");
    assert_printed(WEBSOCKET, "02 01000000 02000000 03000000", "Peer left: client 3");
    assert_printed(WEBSOCKET, "00 01000000 02000000 04 61", "Raw, 1 byte");
    assert_printed(GW_GODOT_MP_3, "03 4d61696e00", "Path Main confirmed");
}

TEST(printing_ends_with_the_fault)
{
    assert_printed(FOUR, "00 06 05 02 020c", "RPC method 5(12 [There are fewer arguments than declared]");
}

/* ---- events -------------------------------------------------------------------------------------------- */

/* clang-format off */
#define R(name) GW_GODOT_MP_ROLE_##name
static const char *const role_names[GW_GODOT_MP_ROLES] = {
    [R(NONE)] = "nothing", [R(HEAD)] = "head", [R(PACKET)] = "packet", [R(UPDATE)] = "update", [R(HEAD_TYPE)] = "message type",
    [R(SOURCE)] = "source", [R(TARGET)] = "target", [R(PEER_COMMAND)] = "peer message", [R(PEER)] = "peer",
    [R(ASSIGNED)] = "assigned peer id", [R(VARIANT)] = "Variant", [R(COMMAND)] = "command",
    [R(SUB_COMMAND)] = "sub-command", [R(NODE_ID)] = "node id", [R(METHOD_ID)] = "method id", [R(METHOD)] = "method",
    [R(PROPERTY)] = "property", [R(ARGUMENT_COUNT)] = "argument count", [R(ARGUMENT)] = "argument",
    [R(BYTES)] = "byte array argument", [R(PATH)] = "path", [R(CHECKSUM_TEXT)] = "method checksum",
    [R(PATH_ID)] = "path id", [R(CONFIRMED)] = "confirmation", [R(DATA)] = "data", [R(SCENE)] = "scene index",
    [R(SPAWNER)] = "spawner", [R(NET_ID)] = "net id", [R(SYNC_COUNT)] = "synchronizer count",
    [R(NAME_LENGTH)] = "name length", [R(SYNC_IDS)] = "synchronizer ids", [R(NAME)] = "name",
    [R(CUSTOM_SIZE)] = "custom data size", [R(CUSTOM)] = "custom data", [R(STATE)] = "spawn state", [R(TIME)] = "time",
    [R(INDEXES)] = "property indexes", [R(SIZE)] = "size", [R(VALUE)] = "value", [R(RELAY_PEER)] = "relay peer",
    [R(TRAILING)] = "trailing bytes",
};
#undef R
/* clang-format on */

/* One letter per event or part: its kind, then the role's name and the ranges. */
static void assert_line(const gw_godot_mp_event *event, const char *expected)
{
    char line[128];
    static const char kinds[] = {
        [GW_VALUE] = 'v', [GW_PACKED] = 'p', [GW_OPEN] = '(', [GW_CLOSE] = ')', [GW_OPAQUE] = 'o'
    };
    snprintf(line, sizeof line, "%c%u %s %u+%u+%u = %lld", kinds[event->kind], event->depth, role_names[event->role],
             event->payload.offset, event->payload.length, event->padding.length, (long long)event->number);
    assert_non_null(expected);
    assert_string_equal(line, expected);
}

/* The lines of the events, each followed by those of its parts, which are its header without gaps. */
static void assert_events(gw_godot_mp_form form, const char *hex, const char *const *lines)
{
    test_message message = message_of(form, hex);
    gw_godot_mp_reader reader;
    gw_godot_mp_event event;
    gw_godot_mp_init(&reader, message.bytes, message.length, &message.options);
    while (gw_godot_mp_next(&reader, &event) == GW_NEXT_EVENT) {
        gw_godot_mp_event part = { .role = GW_GODOT_MP_ROLE_NONE };
        uint32_t after = event.header.offset;
        assert_line(&event, *lines++);
        while (gw_godot_mp_next_part(&reader, &event, &part)) {
            assert_line(&part, *lines++);
            assert_int_equal(part.payload.offset, after);
            after = gw_span_end(part.padding);
        }
        assert_int_equal(after, gw_span_end(event.header));
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
    assert_printed(FOUR, "07 03 fbffffff 20 09000080 05 01 0205 4d61696e00",
                   "Relay to all but client 5: RPC method 5(5) on Main");
}

TEST(events_of_a_head)
{
    static const char *const lines[] = { "v0 head 0+9+0 = 0",    "v0 message type 0+1+0 = 0", "v0 source 1+4+0 = 1",
                                         "v0 target 5+4+0 = -2", "(0 packet 9+2+0 = 4",       "v1 command 9+1+0 = 4",
                                         "v1 data 10+1+0 = 0",   ")0 packet 9+2+0 = 4",       NULL };
    assert_events(WEBSOCKET, "00 01000000 feffffff 04 61", lines);
}

TEST(events_of_texts_in_a_head)
{
    static const char *const lines[] = { "(0 packet 0+43+0 = 2",
                                         "v1 command 0+1+0 = 1",
                                         "v1 method checksum 1+32+1 = 0",
                                         "v1 path id 34+4+0 = 6",
                                         "v1 path 38+4+1 = 0",
                                         ")0 packet 0+43+0 = 2",
                                         NULL };
    assert_events(FOUR, "01" MD5 "06000000 4d61696e00", lines);
}

/* A head that cannot be read to its end has the fields before the fault, which is set with its event. */
TEST(fields_before_a_fault)
{
    static const struct {
        gw_godot_mp_form form;
        const char *hex;
        uint8_t role;
        uint8_t field_count;
        uint32_t length; /* of the header */
        uint32_t fault;
    } samples[] = {
        { FOUR, "00 06", GW_GODOT_MP_ROLE_PACKET, 2, 2, GW_GODOT_MP_FAULT_FIELD_TRUNCATED },
        { FOUR, "30 06 05 00", GW_GODOT_MP_ROLE_PACKET, 1, 1, GW_GODOT_MP_FAULT_ID_SIZE_UNKNOWN },
        { FOUR, "20 03000080 05 00", GW_GODOT_MP_ROLE_PACKET, 2, 5, GW_GODOT_MP_FAULT_OFFSET_INVALID },
        { FOUR, "07 04 00", GW_GODOT_MP_ROLE_PACKET, 2, 2, GW_GODOT_MP_FAULT_SYSTEM_UNKNOWN },
        { FOUR, "04 00 01000000 03000000 01000000 02000000 0400", GW_GODOT_MP_ROLE_PACKET, 6, 18,
          GW_GODOT_MP_FAULT_IDS_TRUNCATED },
        { FOUR, "02 01 4d61696e6f", GW_GODOT_MP_ROLE_PACKET, 2, 2, GW_GODOT_MP_FAULT_TEXT_TRUNCATED },
        { ENET, "01000000 0000", GW_GODOT_MP_ROLE_HEAD, 1, 4, GW_GODOT_MP_FAULT_FIELD_TRUNCATED },
        { ENET, "02000000 01000000", GW_GODOT_MP_ROLE_HEAD, 1, 4, GW_GODOT_MP_FAULT_HEAD_UNKNOWN },
        { WEBSOCKET, "04 01000000", GW_GODOT_MP_ROLE_HEAD, 1, 1, GW_GODOT_MP_FAULT_HEAD_UNKNOWN },
    };
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        test_message message = message_of(samples[i].form, samples[i].hex);
        gw_godot_mp_reader reader;
        gw_godot_mp_event event;
        gw_godot_mp_init(&reader, message.bytes, message.length, &message.options);
        assert_int_equal(gw_godot_mp_next(&reader, &event), GW_NEXT_EVENT);
        assert_int_equal(event.role, samples[i].role);
        assert_int_equal(event.field_count, samples[i].field_count);
        assert_int_equal(event.header.length, samples[i].length);
        assert_int_equal(reader.fault.code, samples[i].fault);
        assert_int_equal(reader.fault.offset, samples[i].length);
        assert_int_equal(gw_godot_mp_next(&reader, &event), GW_NEXT_FAULT);
    }
}

/* The oddities of a head are those of its parts, of which each has its own. */
TEST(oddities_of_fields)
{
    static const uint32_t odd[] = { GW_GODOT_MP_ODD_FLAGS, GW_GODOT_MP_ODD_WIDE, 0, 0 };
    test_message message = message_of(FOUR, "18 0600 05 00");
    gw_godot_mp_reader reader;
    gw_godot_mp_event event, part = { .role = GW_GODOT_MP_ROLE_NONE };
    gw_godot_mp_init(&reader, message.bytes, message.length, &message.options);
    assert_int_equal(gw_godot_mp_next(&reader, &event), GW_NEXT_EVENT);
    assert_int_equal(event.odd, GW_GODOT_MP_ODD_FLAGS | GW_GODOT_MP_ODD_WIDE);
    for (size_t i = 0; i < COUNT_OF(odd); i++) {
        assert_true(gw_godot_mp_next_part(&reader, &event, &part));
        assert_int_equal(part.odd, odd[i]);
    }
    assert_false(gw_godot_mp_next_part(&reader, &event, &part));
    assert_int_equal(gw_godot_mp_next(&reader, &event), GW_NEXT_EVENT);
    assert_int_equal(event.kind, GW_CLOSE);
    assert_false(gw_godot_mp_next_part(&reader, &event, &(gw_godot_mp_event){ .role = GW_GODOT_MP_ROLE_NONE }));
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
        gw_godot_mp_event part = { .role = GW_GODOT_MP_ROLE_NONE };
        snprintf(names[event.role], sizeof *names, "<%s>", role_names[event.role]);
        gw_godot_mp_print_event(&printer, &reader, &event, names[event.role]);
        while (gw_godot_mp_next_part(&reader, &event, &part)) {
            snprintf(names[part.role], sizeof *names, "<%s>", role_names[part.role]);
            gw_godot_mp_print_event(&printer, &reader, &part, names[part.role]);
        }
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
    assert_named(FOUR, "07 01 bb5a5853", "Peer joined: <peer>");
    assert_named(FOUR, "07 02 02000000", "Peer left: <peer>");
    assert_named(FOUR, "07 03 02000000 80 06 05", "Relay <relay peer>: RPC <method id>() on <node id>");
}

/* Prints the events and their parts. `node`: the name of a node id. `first`: the text of argument 0. NULL: none. */
static void print_events(const test_message *message, gw_godot_mp_printer *printer, const char *node, const char *first)
{
    gw_godot_mp_reader reader;
    gw_godot_mp_event event;
    gw_godot_mp_init(&reader, message->bytes, message->length, &message->options);
    while (gw_godot_mp_next(&reader, &event) == GW_NEXT_EVENT) {
        gw_godot_mp_event part = { .role = GW_GODOT_MP_ROLE_NONE };
        if (event.role == GW_GODOT_MP_ROLE_ARGUMENT && !event.index)
            printer->value = first;
        gw_godot_mp_print_event(printer, &reader, &event, NULL);
        while (gw_godot_mp_next_part(&reader, &event, &part))
            gw_godot_mp_print_event(printer, &reader, &part, part.role == GW_GODOT_MP_ROLE_NODE_ID ? node : NULL);
    }
}

static void assert_relay(const char *bytes, gw_godot_mp_way way, const char *line)
{
    test_message message = message_of(FOUR, bytes);
    gw_godot_mp_printer printer;
    char buffer[64];
    gw_text text;
    gw_text_init(&text, buffer, sizeof buffer);
    gw_godot_mp_printer_init(&printer, &text);
    printer.way = way;
    print_events(&message, &printer, NULL, NULL);
    assert_string_equal(buffer, line);
}

TEST(a_relay_is_for_the_peer_or_from_it)
{
    assert_relay("07 03 02000000 80 06 05", GW_GODOT_MP_TO_SERVER, "Relay to client 2: RPC method 5() on #6");
    assert_relay("07 03 02000000 80 06 05", GW_GODOT_MP_FROM_SERVER, "Relay from client 2: RPC method 5() on #6");
    assert_relay("07 03 01000000 80 06 05", GW_GODOT_MP_FROM_SERVER, "Relay from server: RPC method 5() on #6");
    assert_relay("07 03 feffffff 80 06 05", GW_GODOT_MP_TO_SERVER, "Relay to all but client 2: RPC method 5() on #6");
    assert_relay("07 03 00000000 80 06 05", GW_GODOT_MP_TO_SERVER, "Relay to all: RPC method 5() on #6");
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
    gw_godot_mp_printer printer;
    char buffer[64];
    gw_text text;
    gw_text_init(&text, buffer, sizeof buffer);
    gw_godot_mp_printer_init(&printer, &text);
    print_events(&message, &printer, NULL, "five");
    assert_string_equal(buffer, "RPC method 5(five, 6) on #6");
}

static void assert_short(const char *node, const char *line)
{
    test_message message = message_of(FOUR, "00 06 05 00");
    gw_godot_mp_printer printer;
    char buffer[256];
    gw_text text;
    gw_text_init(&text, buffer, sizeof buffer);
    gw_godot_mp_printer_init(&printer, &text);
    printer.short_paths = true;
    print_events(&message, &printer, node, NULL);
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

/* The fork Redot, PR 1343: u8 type and half floats. */
TEST(half_floats_are_read_where_only_they_fill_the_state)
{
    assert_printed(FOUR, "06 0100 04000000 03000000 03 0047", "Sync #4: 7.0");
    assert_printed(FOUR, "06 0100 04000000 05000000 05 003c 00c0", "Sync #4: Vector2(1, -2)");
    assert_printed(FOUR, "06 0100 04000000 07000000 09 003c 0040 0042", "Sync #4: Vector3(1, 2, 3)");
    assert_printed(FOUR, "06 0100 04000000 09000000 0c 003c 0040 0042 0047", "Sync #4: Vector4(1, 2, 3, 7)");
    assert_printed(FOUR, "06 0100 04000000 09000000 0f 003c 0000 0080 0038", "Sync #4: Quaternion(1, 0, -0, 0.5)");
    assert_printed(FOUR, "06 0100 04000000 09000000 14 003c 0040 ff03 0004",
                   "Sync #4: Color(1, 2, 6.097555e-05, 6.1035156e-05)");
    assert_printed(FOUR, "06 0100 04000000 07000000 09 007c 00fc ff7b", "Sync #4: Vector3(inf, inf_neg, 65504)");
    assert_printed(FOUR, "16 04000000 0100000000000000 03000000 03 0100", "Delta #4: 5.9604645e-08");
    assert_printed(FOUR, "04 00 01000000 03000000 01000000 02000000 04000000 6100 09 003c 0040 0042 81",
                   "Spawn \"a\" #3: Vector3(1, 2, 3), true");
    /* Its first four bytes are also the header of a Vector3. */
    assert_printed(FOUR, "06 0100 04000000 07000000 09 0000 003c 0040", "Sync #4: Vector3(0, 1, 2)");
    /* Between values as Godot writes them. */
    assert_printed(FOUR, "06 0100 04000000 0a000000 0205 09 003c 0040 0042 81", "Sync #4: 5, Vector3(1, 2, 3), true");
    assert_printed(FOUR, "06 0100 04000000 13000000 09000000 0000803f 00000040 00004040 03 0047",
                   "Sync #4: Vector3(1, 2, 3), 7.0");
    /* Two updates: each state by itself. */
    assert_printed(FOUR, "06 0100 04000000 03000000 03 0047 05000000 02000000 0205", "Sync #4: 7.0; #5: 5");
}

/* float, Vector2, Vector3, Vector4, Quaternion, Color; the bytes are not a number, in both float formats. */
TEST(floats_have_the_summary_of_other_variants)
{
    static const uint8_t types[] = { 3, 5, 9, 12, 15, 20 }, counts[] = { 1, 2, 3, 4, 4, 4 };
    const gw_godot_options options = { .generation = GW_GODOT_4 };
    for (unsigned i = 0; i < sizeof types; i++) {
        const uint8_t call[] = { 0, 6, 5, 1, types[i], 0,    0,    0,    0xFF, 0xFF, 0xFF, 0xFF,
                                 1, 2, 3, 4, 0xFF,     0xFF, 0xFF, 0x7F, 0,    0,    0xC0, 0x7F };
        const uint32_t head = 4, length = head + 4 + 4U * counts[i];
        gw_godot_mp_reader reader;
        gw_godot_mp_event event;
        gw_godot_summary expected;
        assert_true(gw_godot_validate(call + head, length - head, &options, &expected));
        gw_godot_mp_init(&reader, call, length, NULL);
        while (gw_godot_mp_next(&reader, &event) == GW_NEXT_EVENT && event.role != GW_GODOT_MP_ROLE_ARGUMENT)
            ;
        assert_int_equal(event.type, gw_godot_type_of_wire(GW_GODOT_4, types[i]));
        assert_memory_equal(&reader.value, &expected, sizeof expected);
        /* One byte less is a fault, as of any Variant. */
        gw_godot_mp_init(&reader, call, length - 1, NULL);
        while (gw_godot_mp_next(&reader, &event) == GW_NEXT_EVENT)
            ;
        assert_int_equal(reader.fault.code, GW_GODOT_MP_FAULT_VALUE_TRUNCATED);
        assert_int_equal(reader.value_fault.needed, 1);
    }
}

TEST(what_godot_writes_is_not_read_as_half_floats)
{
    /* A Vector3 and a Vector4 of half floats have as many bytes as a Vector3 of floats. */
    assert_printed(FOUR, "06 0100 04000000 10000000 09 0000 003c 0040 0c 003c 0040 0042 0047",
                   "Sync #4: Vector3(1.4791213e-31, 2.003662, 32834)");
    /* One byte too many, and one too few. */
    assert_printed(FOUR, "06 0100 04000000 08000000 09 003c 0040 0042 00 05000000 02000000 0205",
                   "Sync #4:  [The bytes are not a Variant]");
    assert_printed(FOUR, "06 0100 04000000 06000000 09 003c 0040 00", "Sync #4:  [The packet ends inside a Variant]");
    /* Arguments are never half floats. */
    assert_printed(FOUR, "00 06 05 01 030047", "RPC method 5( [The packet ends inside a Variant]");
}

/* The rest of a state that the capture cut is not known. */
TEST(a_cut_state_is_not_read_as_half_floats)
{
    test_message message =
        message_of(FOUR, "04 00 01000000 03000000 01000000 02000000 04000000 6100 09 0000 003c 0040");
    gw_godot_mp_summary summary;
    assert_true(gw_godot_mp_validate(message.bytes, message.length, &message.options, &summary));
    message.options.is_cut = true;
    assert_false(gw_godot_mp_validate(message.bytes, message.length, &message.options, &summary));
}

/* More values than are tried. */
TEST(a_long_state_of_half_floats_is_not_read)
{
    test_message message = message_of(FOUR, "06 0100 04000000 00030000");
    gw_godot_mp_summary summary;
    for (uint32_t i = 0; i < 0x300; i++)
        message.bytes[message.length++] = i % 3 ? 0x3C : 3;
    assert_false(gw_godot_mp_validate(message.bytes, message.length, &message.options, &summary));
    message.bytes[7] = 0xC0;
    message.bytes[8] = 0;
    assert_true(gw_godot_mp_validate(message.bytes, 11 + 0xC0, &message.options, &summary));
}

/* Twelve times bytes that are a Vector2, or one of half floats and seven bools, and a byte that no value begins with. */
TEST(a_state_with_many_readings_is_tried_for_a_limited_time)
{
    static const uint8_t two_readings[12] = { 5, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1 };
    test_message message = message_of(FOUR, "06 0100 04000000 91000000");
    gw_godot_mp_summary summary;
    for (uint32_t i = 0; i < 12; i++, message.length += sizeof two_readings)
        memcpy(message.bytes + message.length, two_readings, sizeof two_readings);
    message.bytes[message.length++] = 0x3F;
    assert_false(gw_godot_mp_validate(message.bytes, message.length, &message.options, &summary));
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
    assert_string_equal(buffer, "Peer joined: client 2");
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
