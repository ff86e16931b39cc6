/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What real engines sent in ENet and TCP, message by message: each is read whole, as nothing odd, printed and
 * recognized; and changed anywhere, reading it ends inside of it.
 */
#include "captures.h"
#include "hex.h"
#include "testing.h"

#include <gamewire/godot_debugger.h>
#include <gamewire/godot_mp.h>
#include <gamewire/godot_stream.h>

#include <stdio.h>
#include <stdlib.h>

/* One direction of a TCP connection. */
typedef struct test_direction {
    uint8_t bytes[1 << 20];
    size_t length;
} test_direction;

typedef struct test_connection {
    const char *file;
    uint16_t client;
    test_direction directions[2];
} test_connection;

static test_connection connection;
static gw_godot_level levels[2048];

typedef void direction_check(const test_direction *direction, const char *file);

static void check_connection(direction_check *check)
{
    if (!connection.file)
        return;
    check(&connection.directions[0], connection.file);
    check(&connection.directions[1], connection.file);
}

static void add_segment(const capture_payload *payload, void *context)
{
    static char file[512];
    direction_check *check = *(direction_check **)context;
    if (!connection.file || strcmp(connection.file, payload->file) != 0) {
        check_connection(check);
        snprintf(file, sizeof file, "%s", payload->file);
        connection.file = file;
        connection.client = payload->source;
        connection.directions[0].length = connection.directions[1].length = 0;
    }
    test_direction *direction = &connection.directions[payload->source != connection.client];
    assert_true(direction->length + payload->length <= sizeof direction->bytes);
    memcpy(direction->bytes + direction->length, payload->bytes, payload->length);
    direction->length += payload->length;
}

static void check_captures(const char *pattern, direction_check *check)
{
    connection.file = NULL;
    assert_true(visit_segments(pattern, add_segment, &check) > 10);
    check_connection(check);
}

static gw_text *text_of(char *buffer, size_t size)
{
    static gw_text text;
    gw_text_init(&text, buffer, size);
    return &text;
}

/* Changes some bytes of the message one by one, and calls `read` for each change. */
typedef void changed_reader(const uint8_t *bytes, size_t length, const void *options);

static void change_everywhere(const uint8_t *bytes, size_t length, size_t stride, changed_reader *read,
                              const void *options)
{
    static const uint8_t values[] = { 0x00, 0x01, 0x1c, 0x7f, 0x80, 0xff };
    uint8_t *copy = malloc(length);
    assert_non_null(copy);
    memcpy(copy, bytes, length);
    for (size_t i = 0; i < length; i += stride) {
        copy[i] = copy[i] == values[i % 6] ? (uint8_t)~copy[i] : values[i % 6];
        read(copy, length, options);
        copy[i] = bytes[i];
    }
    free(copy);
}

/* ---- the debugger -------------------------------------------------------------------------------------- */

static void read_changed_debugger(const uint8_t *bytes, size_t length, const void *options)
{
    gw_godot_debugger_summary summary;
    gw_recognition recognition;
    char buffer[100];
    gw_godot_debugger_validate(bytes, length, options, &summary);
    assert_true(summary.length <= length);
    gw_godot_debugger_print(text_of(buffer, sizeof buffer), bytes, length, options);
    gw_godot_debugger_recognize(bytes, length, length, options, &recognition);
}

static void check_debugger(const test_direction *direction, const char *file)
{
    gw_godot_debugger_options options = { .is_synchronized = true, .levels = levels, .level_count = COUNT_OF(levels) };
    gw_recognition recognition;
    bool is_from_game = direction == &connection.directions[0];
    options.sender = is_from_game ? GW_GODOT_DEBUGGER_GAME : GW_GODOT_DEBUGGER_EDITOR;
    assert_true(
        gw_godot_debugger_recognize(direction->bytes, direction->length, direction->length, NULL, &recognition));
    assert_true(recognition.bits >= GW_RECOGNIZED_ALONE);
    while (options.offset < direction->length) {
        gw_godot_debugger_summary summary;
        char buffer[400];
        bool whole = gw_godot_debugger_validate(direction->bytes, direction->length, &options, &summary);
        if (!whole || summary.odd)
            print_error("%s: at %u of %zu: %s, %x\n", file, options.offset, direction->length,
                        gw_fault_text(&gw_godot_debugger_faults, summary.fault.code), summary.odd);
        assert_true(whole);
        assert_int_equal(summary.odd, 0);
        gw_godot_debugger_print(text_of(buffer, sizeof buffer), direction->bytes, direction->length, &options);
        assert_true(strlen(buffer) > 4);
        gw_godot_debugger_options alone = options;
        alone.offset = 0;
        change_everywhere(direction->bytes + options.offset, summary.length, 5 + summary.length / 40,
                          read_changed_debugger, &alone);
        options.offset += summary.length;
    }
}

TEST(debugger_sessions)
{
    check_captures("godot/debugger/*-debugger.pcap", check_debugger);
}

/* ---- streams ------------------------------------------------------------------------------------------- */

static void read_changed_stream(const uint8_t *bytes, size_t length, const void *options)
{
    gw_godot_stream_summary summary;
    gw_recognition recognition;
    char buffer[100];
    gw_godot_stream_validate(bytes, length, options, &summary);
    assert_true(summary.length <= length);
    gw_godot_stream_print(text_of(buffer, sizeof buffer), bytes, length, options);
    gw_godot_stream_recognize(bytes, length, length, options, &recognition);
    gw_godot_stream_recognize(bytes, length, length + 1, options, &recognition);
}

static void check_stream(const test_direction *direction, const char *file)
{
    gw_godot_stream_options options = { .levels = levels, .level_count = COUNT_OF(levels), .is_end = true };
    gw_godot_stream_summary summary;
    bool whole = gw_godot_stream_validate(direction->bytes, direction->length, &options, &summary);
    /* Between other data, in packets of the game, and after TCP retransmissions, not all bytes are Variants. */
    bool mixed = strstr(file, "mixed") || strstr(file, "packet") || strstr(file, "pieces");
    assert_true(whole);
    assert_int_equal(summary.length, direction->length);
    if (!direction->length)
        return;
    assert_true(summary.variants > 0);
    if (!mixed && summary.unknown + summary.packets)
        print_error("%s: %u unknown bytes, %u packets\n", file, summary.unknown, summary.packets);
    if (!mixed)
        assert_int_equal(summary.unknown + summary.packets, 0);
    if (!strstr(file, "orders"))
        assert_int_equal(summary.order, strstr(file, "big-endian") ? GW_GODOT_STREAM_BIG : GW_GODOT_STREAM_LITTLE);
    if (direction->length < 8000)
        change_everywhere(direction->bytes, direction->length, 29, read_changed_stream, &options);
}

TEST(streams)
{
    check_captures("godot/stream/*stream*.pcap", check_stream);
}

/* ---- multiplayer --------------------------------------------------------------------------------------- */

static void read_changed_packet(const uint8_t *bytes, size_t length, const void *options)
{
    const gw_godot_mp_options *form = options;
    gw_godot_mp_summary summary;
    gw_recognition recognition;
    char buffer[100];
    gw_godot_mp_validate(bytes, length, form, &summary);
    assert_true(summary.length <= length);
    gw_godot_mp_print(text_of(buffer, sizeof buffer), bytes, length, form);
    gw_godot_mp_recognize(bytes, length, length, NULL, &recognition);
    gw_godot_mp_recognize(bytes, length / 2, length, form, &recognition);
}

static void check_message(const uint8_t *bytes, uint32_t length, const gw_godot_mp_options *options, const char *file)
{
    gw_godot_mp_summary summary;
    gw_recognition recognition;
    char buffer[400];
    bool whole = gw_godot_mp_validate(bytes, length, options, &summary);
    if (!whole)
        print_error("%s: %s at %u of %u\n", file, gw_fault_text(&gw_godot_mp_faults, summary.fault.code),
                    summary.fault.offset, length);
    assert_true(whole);
    assert_int_equal(summary.length, length);
    assert_int_equal(summary.odd & ~(uint32_t)GW_GODOT_MP_ODD_NULL_OBJECT, 0);
    assert_true(gw_godot_mp_recognize(bytes, length, length, options, &recognition));
    gw_godot_mp_print(text_of(buffer, sizeof buffer), bytes, length, options);
    assert_true(strlen(buffer) > 4);
    change_everywhere(bytes, length, 3 + length / 40, read_changed_packet, options);
}

/* The commands of an uncompressed datagram; only messages that are not fragmented. */
static void check_datagram(const capture_payload *payload, void *context)
{
    static const uint8_t sizes[16] = { 0, 8, 48, 44, 8, 4, 6, 8, 24, 8, 12, 16, 24 };
    gw_godot_mp_options options = { .form = GW_GODOT_MP_4 };
    unsigned *messages = context;
    uint32_t at = payload->bytes[0] & 0x80 ? 4 : 2;
    bool compressed = payload->bytes[0] & 0x40;
    if (strstr(payload->file, "godot-3"))
        options.form = GW_GODOT_MP_3_ENET;
    while (!compressed && at < payload->length && sizes[payload->bytes[at] & 15]) {
        unsigned command = payload->bytes[at] & 15;
        uint32_t data = at + sizes[command], length = 0;
        if (command == 6 || command == 7 || command == 9)
            length = (uint32_t)(payload->bytes[data - 2] << 8 | payload->bytes[data - 1]);
        if (length) {
            check_message(payload->bytes + data, length, &options, payload->file);
            ++*messages;
        }
        if (command == 8 || command == 12)
            length = (uint32_t)(payload->bytes[at + 6] << 8 | payload->bytes[at + 7]);
        at = data + length;
    }
}

TEST(multiplayer_messages)
{
    static const char *const patterns[] = { "godot/multiplayer/*-calls.pcap",   "godot/multiplayer/*-raw.pcap",
                                            "godot/multiplayer/*-auth.pcap",    "godot/multiplayer/*-spawn.pcap",
                                            "godot/multiplayer/*-methods.pcap", "godot/multiplayer/*-nodes.pcap" };
    for (size_t i = 0; i < COUNT_OF(patterns); i++) {
        unsigned messages = 0;
        visit_captures(patterns[i], check_datagram, &messages);
        assert_true(messages > 5);
    }
}
