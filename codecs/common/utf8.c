/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Checks UTF-8: no overlong form, no surrogate, nothing above U+10FFFF.
 */
#include <gamewire/bytes.h>

static bool is_continuation(uint8_t byte)
{
    return (byte & 0xC0) == 0x80;
}

/* RFC 3629, section 4: the second byte's range is narrower after four of the lead bytes. */
static bool is_second(uint8_t lead, uint8_t second)
{
    switch (lead) {
    case 0xE0:
        return second >= 0xA0 && second <= 0xBF;
    case 0xED:
        return second >= 0x80 && second <= 0x9F;
    case 0xF0:
        return second >= 0x90 && second <= 0xBF;
    case 0xF4:
        return second >= 0x80 && second <= 0x8F;
    default:
        return is_continuation(second);
    }
}

static uint32_t length_by_lead(uint8_t lead)
{
    if (lead < 0x80)
        return 1;
    if (lead < 0xC2)
        return 0;
    if (lead < 0xE0)
        return 2;
    if (lead < 0xF0)
        return 3;
    return lead < 0xF5 ? 4 : 0;
}

uint32_t gw_utf8_sequence(const uint8_t *bytes, uint32_t left)
{
    if (!left)
        return 0;
    uint32_t length = length_by_lead(bytes[0]);
    if (length <= 1)
        return length;
    if (length > left || !is_second(bytes[0], bytes[1]))
        return 0;
    for (uint32_t i = 2; i < length; i++)
        if (!is_continuation(bytes[i]))
            return 0;
    return length;
}

uint32_t gw_utf8_prefix(const uint8_t *bytes, uint32_t length)
{
    uint32_t at = 0;
    while (at < length) {
        /* Names and chat are usually ASCII: reads eight bytes per step while no high bit is set. */
        while (length - at >= 8 && !(gw_le64(bytes + at) & UINT64_C(0x8080808080808080)))
            at += 8;
        while (at < length && bytes[at] < 0x80)
            at++;
        if (at == length)
            break;
        uint32_t step = gw_utf8_sequence(bytes + at, length - at);
        if (!step)
            break;
        at += step;
    }
    return at;
}
