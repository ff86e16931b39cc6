/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the tests of the debugger's messages share: reading, and assertions on what was read.
 */
#ifndef GAMEWIRE_TESTS_DEBUGGER_READING_H
#define GAMEWIRE_TESTS_DEBUGGER_READING_H

#include "hex.h"
#include "testing.h"

#include <stdio.h>

#include <gamewire/godot_debugger.h>

/* [ "debug_enter", 1, [true, "Breakpoint Statement", true, 1] ] */
#define ENTER_4 \
    "60000000 1c000000 03000000 04000000 0b000000 64656275675f656e74657200 02000000 01000000 1c000000 04000000" \
    "01000000 01000000 04000000 14000000 427265616b706f696e742053746174656d656e74 01000000 01000000 02000000 01000000"
#define ENTER_3 \
    "14000000 04000000 0b000000 64656275675f656e74657200 08000000 02000000 02000000 08000000 01000000 01000000" \
    "1c000000 04000000 14000000 427265616b706f696e742053746174656d656e74"
#define EXIT_3         "14000000 04000000 0a000000 64656275675f657869740000 08000000 02000000 00000000"
#define REQUEST_TREE_3 "24000000 13000000 01000000 04000000 12000000 726571756573745f7363656e655f747265650000"
/* ["pong", 41] */
#define PONG "1c000000 1c000000 02000000 04000000 04000000 706f6e67 02000000 29000000"

typedef struct test_message {
    uint8_t bytes[2048];
    size_t length;
} test_message;

static inline test_message message_of(const char *hex)
{
    test_message message;
    message.length = hex_to_bytes(hex, message.bytes, sizeof message.bytes);
    return message;
}

static inline void assert_printed(const char *hex, const char *line)
{
    test_message message = message_of(hex);
    char buffer[512];
    gw_text text;
    gw_text_init(&text, buffer, sizeof buffer);
    gw_godot_debugger_print(&text, message.bytes, message.length, NULL);
    assert_string_equal(buffer, line);
}

/* The events as text: "{group", "key", "}". */
static inline uint32_t assert_events(const char *hex, const char *expected)
{
    test_message message = message_of(hex);
    gw_godot_debugger_reader reader;
    gw_godot_debugger_event event;
    char text[1024] = "";
    uint32_t odd = 0;
    gw_godot_debugger_init(&reader, message.bytes, message.length, NULL);
    while (gw_godot_debugger_next(&reader, &event) == GW_NEXT_EVENT) {
        const char *key = gw_godot_debugger_role_key((gw_godot_debugger_role)event.role);
        odd |= event.odd;
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s ", event.kind == GW_OPEN ? "{" : "",
                 event.kind == GW_CLOSE ? "}" : key);
    }
    assert_string_equal(text, expected);
    return odd;
}

static inline void assert_fault(const char *hex, bool is_synchronized, uint32_t code, uint32_t needed)
{
    test_message message = message_of(hex);
    const gw_godot_debugger_options options = { .is_synchronized = is_synchronized };
    gw_godot_debugger_summary summary;
    assert_false(gw_godot_debugger_validate(message.bytes, message.length, &options, &summary));
    assert_int_equal(summary.fault.code, code);
    assert_int_equal(summary.fault.needed, needed);
    assert_int_equal(summary.fault.offset, 0);
}

static inline gw_recognition recognize(const char *hex)
{
    test_message message = message_of(hex);
    gw_recognition recognition;
    gw_godot_debugger_recognize(message.bytes, message.length, message.length, NULL, &recognition);
    return recognition;
}

#endif
