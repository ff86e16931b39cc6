/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * UTF-8 against a decoder that goes by the table of RFC 3629; numbers as text, read back by the C library; text cut
 * to any size.
 */
#include "checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gamewire/bytes.h>

/* ---- UTF-8 --------------------------------------------------------------------------------------------------- */

static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };

/* By code point: right just when it is not overlong, no surrogate and not beyond the last. */
static uint32_t sequence_by_code_point(const uint8_t *bytes, size_t left)
{
    uint32_t size = bytes[0] < 0x80       ? 1
                    : bytes[0] >> 5 == 6  ? 2
                    : bytes[0] >> 4 == 14 ? 3
                    : bytes[0] >> 3 == 30 ? 4
                                          : 0;
    uint32_t code = size <= 1 ? bytes[0] : bytes[0] & (0xFFU >> (size + 1));
    if (!size || size > left)
        return 0;
    for (uint32_t i = 1; i < size; i++) {
        if (bytes[i] >> 6 != 2)
            return 0;
        code = code << 6 | (bytes[i] & 0x3FU);
    }
    return code < smallest[size] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF) ? 0 : size;
}

static void check_utf8(const uint8_t *bytes, size_t length)
{
    uint32_t prefix = 0;
    while (prefix < length) {
        uint32_t size = sequence_by_code_point(bytes + prefix, length - prefix);
        CHECK(gw_utf8_sequence(bytes + prefix, (uint32_t)(length - prefix)) == size);
        if (!size)
            break;
        prefix += size;
    }
    CHECK(gw_utf8_prefix(bytes, (uint32_t)length) == prefix);
    CHECK(gw_utf8_sequence(bytes + length, 0) == 0);
}

/* ---- numbers ------------------------------------------------------------------------------------------------- */

#define NUMBER_SIZE 40

static void check_double(double number)
{
    char buffer[NUMBER_SIZE];
    gw_text text;
    gw_text_init(&text, buffer, sizeof buffer);
    gw_text_double(&text, number);
    check_text(&text);
    CHECK(!text.cut);
    double back = strtod(buffer, NULL);
    CHECK(isnan(number) ? isnan(back) : gw_double_bits(back) == gw_double_bits(number));
}

static void check_float(float number)
{
    char buffer[NUMBER_SIZE];
    gw_text text;
    gw_text_init(&text, buffer, sizeof buffer);
    gw_text_float(&text, number);
    check_text(&text);
    CHECK(!text.cut);
    float back = strtof(buffer, NULL);
    CHECK(isnan(number) ? isnan(back) : gw_float_bits(back) == gw_float_bits(number));
}

static void check_integer(uint64_t number)
{
    char buffer[NUMBER_SIZE];
    gw_text text;
    gw_text_init(&text, buffer, sizeof buffer);
    gw_text_unsigned(&text, number);
    CHECK(strtoull(buffer, NULL, 10) == number);
    gw_text_init(&text, buffer, sizeof buffer);
    gw_text_signed(&text, (int64_t)number);
    CHECK(strtoll(buffer, NULL, 10) == (int64_t)number);
    gw_text_init(&text, buffer, sizeof buffer);
    gw_text_hex(&text, number, 16);
    CHECK(text.length == 16 && strtoull(buffer, NULL, 16) == number);
}

static void check_numbers(const uint8_t *bytes, size_t length)
{
    for (size_t at = 0; length - at >= 8; at += 8) {
        check_double(gw_le_double(bytes + at));
        check_float(gw_le_float(bytes + at));
        check_integer(gw_le64(bytes + at));
        CHECK(gw_be64(bytes + at) == ((uint64_t)gw_be32(bytes + at) << 32 | gw_be32(bytes + at + 4)));
    }
}

/* ---- cutting ------------------------------------------------------------------------------------------------- */

/* In two pieces, into a buffer of each small size. */
static void check_cut(const uint8_t *bytes, uint32_t length, size_t size)
{
    char *buffer = allocate(size);
    uint32_t half = gw_utf8_prefix(bytes, length / 2);
    gw_text text;
    gw_text_init(&text, buffer, size);
    gw_text_bytes(&text, (const char *)bytes, half);
    gw_text_bytes(&text, (const char *)bytes + half, length - half);
    check_text(&text);
    CHECK(text.cut == (length >= size));
    if (!text.cut)
        CHECK(text.length == length && !memcmp(buffer, bytes, length));
    free(buffer);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    check_utf8(bytes, length);
    check_numbers(bytes, length);
    uint32_t valid = gw_utf8_prefix(bytes, (uint32_t)length);
    for (size_t size = GW_TEXT_MINIMUM; size < 24; size++)
        check_cut(bytes, valid, size);
    return 0;
}
