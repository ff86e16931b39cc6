/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Hexadecimal text to bytes and back.
 */
#include "hex.h"

#include <stdlib.h>

#include "testing.h"

static int digit(char character)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = character ? strchr(digits, character) : NULL;
    return found ? (int)(found - digits) : -1;
}

size_t hex_to_bytes(const char *hex, uint8_t *bytes, size_t room)
{
    size_t digits = 0;
    for (const char *at = hex; *at; at++) {
        if (*at == ' ' || *at == '|')
            continue;
        if (digit(*at) < 0)
            fail_msg("not hexadecimal: %s", hex);
        if (digits / 2 >= room)
            fail_msg("more than %zu bytes: %s", room, hex);
        bytes[digits / 2] = (uint8_t)(digits & 1 ? bytes[digits / 2] | digit(*at) : digit(*at) << 4);
        digits++;
    }
    if (digits % 2)
        fail_msg("half a byte: %s", hex);
    return digits / 2;
}

uint8_t *bytes_of_hex(const char *hex, size_t *length)
{
    size_t room = strlen(hex) / 2 + 1;
    uint8_t *bytes = malloc(room);
    assert_non_null(bytes);
    *length = hex_to_bytes(hex, bytes, room);
    return bytes;
}

void assert_hex_equal(const uint8_t *bytes, size_t length, const char *hex)
{
    size_t expected_length;
    uint8_t *expected = bytes_of_hex(hex, &expected_length);
    assert_int_equal(length, expected_length);
    assert_memory_equal(bytes, expected, length);
    free(expected);
}
