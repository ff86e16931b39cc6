/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Checks UTF-8: no overlong form, no surrogate, nothing above U+10FFFF.
 */
#include <gamewire/bytes.h>

/* The length of the valid sequence at the beginning of `bytes`, 1 to 4; 0: there is none. */
uint32_t gw_utf8_sequence(const uint8_t *bytes, uint32_t left)
{
    if (!left)
        return 0;
    uint8_t lead = bytes[0];
    if (lead < 0x80)
        return 1;
    /* 80 to BF are continuation bytes, C0 and C1 begin overlong forms, F5 and above exceed U+10FFFF. */
    if (lead < 0xC2 || lead > 0xF4)
        return 0;
    uint32_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    /* RFC 3629, section 4: the second byte's range is narrower after four of the lead bytes. */
    uint8_t least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    uint8_t most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (length > left || bytes[1] < least || bytes[1] > most)
        return 0;
    for (uint32_t i = 2; i < length; i++)
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;
    return length;
}

/* The number of bytes up to the first one that is not part of a valid sequence. */
uint32_t gw_utf8_prefix(const uint8_t *bytes, uint32_t length)
{
    uint32_t at = 0;
    while (at < length) {
        /* Names and chat are usually ASCII: reads eight bytes per step while no high bit is set, then four. */
        while (length - at >= 8 && !(gw_le64(bytes + at) & UINT64_C(0x8080808080808080)))
            at += 8;
        if (length - at >= 4 && !(gw_le32(bytes + at) & UINT32_C(0x80808080)))
            at += 4;
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
