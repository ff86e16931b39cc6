/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Messages as the tests write them: a form, and the bytes as hexadecimal text.
 */
#ifndef GAMEWIRE_TESTS_CODECS_GODOT_MULTIPLAYER_MESSAGES_H
#define GAMEWIRE_TESTS_CODECS_GODOT_MULTIPLAYER_MESSAGES_H

#include "hex.h"
#include "testing.h"

#include <gamewire/godot_mp.h>

#define FOUR      GW_GODOT_MP_4
#define ENET      GW_GODOT_MP_3_ENET
#define WEBSOCKET GW_GODOT_MP_3_WEBSOCKET

#define ODD(name) GW_GODOT_MP_ODD_##name

#define MD5 "6434316438636439386630306232303465393830303939386563663834323765 00"

typedef struct test_message {
    uint8_t bytes[2048];
    size_t length;
    gw_godot_mp_options options;
} test_message;

static inline test_message message_of(gw_godot_mp_form form, const char *hex)
{
    test_message message = { .options = { .form = form } };
    message.length = hex_to_bytes(hex, message.bytes, sizeof message.bytes);
    return message;
}

static inline void assert_printed(gw_godot_mp_form form, const char *hex, const char *line)
{
    test_message message = message_of(form, hex);
    char buffer[512];
    gw_text text;
    gw_text_init(&text, buffer, sizeof buffer);
    gw_godot_mp_print(&text, message.bytes, message.length, &message.options);
    assert_string_equal(buffer, line);
}

#endif
