/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * FastLZ, levels 1 and 2.
 *
 *   u8   in the first instruction bits 5-7 are the level less 1, and the instruction is a run of literals
 *   run    000 nnnnn                 n + 1 literal bytes
 *   match  lll ddddd [length] low    length lll + 2; with lll = 7 the next byte is added, in level 2 as many as follow
 *                                    a byte of 255. Distance ddddd low + 1; in level 2, ddddd = 31 and low = 255: a u16
 *                                    follows, + 8,191 + 1
 */
#include "tables.h"

#include <string.h>

#define FARTHEST_NEAR 8191 /* the longest distance of the short form */

typedef struct fastlz {
    const uint8_t *bytes;
    size_t length;
    size_t at;
    uint8_t *output;
    size_t size;
    size_t written;
    unsigned level;
    gw_enet_unpacked *unpacked;
} fastlz;

/* Sets the fault, at the current place of the input; false, for the caller to return. `needed`: the missing bytes. */
static bool fail(fastlz *lz, gw_enet_fault code, uint64_t needed)
{
    gw_set_fault(&lz->unpacked->fault, &gw_enet_faults, code, (uint32_t)lz->at, needed);
    return false;
}

/* True if `count` bytes of the input are left; otherwise sets the fault. */
static bool has_input(fastlz *lz, size_t count)
{
    size_t left = lz->length - lz->at;
    if (count > left)
        return fail(lz, GW_ENET_FAULT_FASTLZ_TRUNCATED, count - left);
    return true;
}

/* True if the output has room for `count` more bytes; otherwise sets the fault. */
static bool has_room(fastlz *lz, size_t count)
{
    if (count > lz->size - lz->written)
        return fail(lz, GW_ENET_FAULT_UNPACKED_TOO_LONG, 0);
    return true;
}

/* Reads the rest of a match, after its instruction byte: more bytes of its length, and its distance. Then repeats
 * `length` bytes of the output, from `distance` bytes before its end on. False with a fault. */
static bool copy_match(fastlz *lz, uint8_t instruction)
{
    /* Three bits of the length less 2; if all are set, the next byte is added, in level 2 as many as follow a byte of
     * 255. */
    size_t length = (size_t)(instruction >> 5) + 2;
    bool is_longer = instruction >> 5 == 7;
    while (is_longer) {
        if (!has_input(lz, 1))
            return false;
        uint8_t more = lz->bytes[lz->at++];
        length += more;
        is_longer = more == UINT8_MAX && lz->level == 2;
    }

    /* 13 bits of the distance less 1; in level 2, if all are set, 16 bits of a longer one follow. */
    unsigned high = instruction & 31;
    if (!has_input(lz, 1))
        return false;
    uint8_t low = lz->bytes[lz->at++];
    size_t distance = ((size_t)high << 8 | low) + 1;
    if (lz->level == 2 && high == 31 && low == UINT8_MAX) {
        if (!has_input(lz, 2))
            return false;
        distance = (size_t)gw_be16(lz->bytes + lz->at) + FARTHEST_NEAR + 1;
        lz->at += 2;
    }

    if (distance > lz->written)
        return fail(lz, GW_ENET_FAULT_FASTLZ_INVALID, 0);
    if (!has_room(lz, length))
        return false;
    /* Source and destination overlap: copy byte by byte. */
    for (; length; length--, lz->written++)
        lz->output[lz->written] = lz->output[lz->written - distance];
    return true;
}

/* Decompresses to at most `size` bytes of output. False with a fault, at an instruction that is invalid, is cut by the
 * end of the input, or whose bytes do not fit in the output: unpacked->length has the number of bytes that the
 * instructions before it have written. */
/* NOLINTNEXTLINE(readability-non-const-parameter): written through the structure */
bool gw_enet_fastlz_decode(const uint8_t *bytes, size_t length, uint8_t *output, size_t size,
                           gw_enet_unpacked *unpacked)
{
    fastlz lz = { bytes, length, 0, output, size, 0, 0, unpacked };
    *unpacked = (gw_enet_unpacked){ 0 };
    bool is_valid = has_input(&lz, 1);
    if (is_valid) {
        lz.level = (bytes[0] >> 5) + 1U;
        is_valid = lz.level <= 2 || fail(&lz, GW_ENET_FAULT_FASTLZ_INVALID, 0);
    }
    /* The first byte has the level in place of the kind of instruction: it is a run of literals. */
    for (bool is_first = true; is_valid && (is_first || lz.at < length); is_first = false) {
        uint8_t instruction = is_first ? bytes[lz.at++] & 31 : bytes[lz.at++];
        if (instruction >= 32) {
            is_valid = copy_match(&lz, instruction);
            continue;
        }
        size_t count = instruction + 1U;
        is_valid = has_input(&lz, count) && has_room(&lz, count);
        if (is_valid) {
            memcpy(output + lz.written, bytes + lz.at, count);
            lz.at += count;
            lz.written += count;
        }
    }
    unpacked->length = lz.written;
    unpacked->consumed = lz.at;
    return is_valid;
}
