/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Half floats in the states of synchronizers, as Redot (a fork of Godot 4) sends properties of half precision (source:
 * its PR 1343):
 *
 *   u8 type, 1 to 4 half floats
 *
 * Nothing on the wire distinguishes such a value from a Variant, which begins with the same byte. A state is read in
 * this way only if its values as Godot writes them do not fill it, and with half floats do.
 */
#include <gamewire/bytes.h>

#include <string.h>

#include "../variant/internal.h"
#include "internal.h"

#define HEADER      4U
#define MOST_VALUES 64U

/* The number of half floats of a value with this type on the wire (float, Vector2, Vector3, Vector4, Quaternion,
 * Color); 0: it has none. */
static uint32_t halves_of(uint8_t wire_type)
{
    static const uint8_t counts[] = { [3] = 1, [5] = 2, [9] = 3, [12] = 4, [15] = 4, [20] = 4 };
    return wire_type < sizeof counts ? counts[wire_type] : 0;
}

/* The length of the Variant of Godot 4 that begins with these `left` bytes, 1 or more, if it consists of 32-bit floats
 * alone (the types of halves_of()) and its header has no flags: any bytes are such floats, so that nothing of it needs to
 * be validated. 0: it is another Variant, or does not fit. */
uint32_t gw_godot_mp_floats_length(const uint8_t *bytes, uint32_t left)
{
    uint32_t length = HEADER + 4 * halves_of(bytes[0]);
    return length > HEADER && length <= left && gw_le32(bytes) == bytes[0] ? length : 0;
}

/* The length of the value of half floats at `offset`, which is before `end`; 0: its type has no half floats, or it does
 * not fit. */
uint32_t gw_godot_mp_half_length(const gw_godot_mp_reader *reader, uint32_t offset, uint32_t end)
{
    uint32_t length = 1 + 2 * halves_of(reader->bytes[offset]);
    return length > 1 && length <= end - offset ? length : 0;
}

/* The length of the value at `offset`, which is before `end`, as Godot writes it, without half floats; 0: the bytes are
 * no such value, or one that engines do not write (implausible). A typed null object, a header alone (BARE_OBJECT), is
 * not implausible here: Godot 4 writes it. */
static uint32_t plain_length(const gw_godot_mp_reader *reader, uint32_t offset, uint32_t end)
{
    const gw_godot_options options = {
        .generation = GW_GODOT_4, .bare_objects = true, .levels = reader->levels, .level_count = reader->level_count
    };
    const uint8_t *bytes = reader->bytes + offset;
    const uint32_t implausible = gw_godot_implausible(GW_GODOT_4) & ~(uint32_t)GW_GODOT_ODD_BARE_OBJECT;
    uint32_t left = end - offset, type = bytes[0] & 0x3FU, length = gw_godot_mp_floats_length(bytes, left);
    gw_godot_summary summary;
    if (length)
        return length;
    /* Bools and ints are compressed: the upper bits of the byte are the bool, or the size of the int. */
    if (type == GW_GODOT_BOOL)
        return 1;
    if (type == GW_GODOT_INT)
        length = 1 + (1U << (bytes[0] >> 6));
    else
        length =
            gw_godot_validate(bytes, left, &options, &summary) && !(summary.odd & implausible) ? summary.length : 0;
    return length <= left ? length : 0;
}

/* A search with backtracking: tries each value with half floats first, then without, until the values end where the
 * state does. Returns bit n for value n with half floats; 0 if no attempt succeeds. reader->half_tries limits the
 * work. */
static uint64_t try_halves(gw_godot_mp_reader *reader, uint32_t end)
{
    uint32_t offsets[MOST_VALUES + 1] = { reader->offset };
    uint8_t tried[MOST_VALUES + 1] = { 0 }; /* of each value: 0 none, 1 with half floats, 2 both */
    uint64_t halves = 0;
    uint32_t count = 0;
    while (reader->half_tries) {
        uint32_t offset = offsets[count], length = 0;
        reader->half_tries--;
        if (offset == end)
            return halves;
        /* Neither form leads to the end: the value before this one is tried in its other form. */
        if (count == MOST_VALUES || tried[count] == 2) {
            if (!count)
                return 0;
            count--;
            continue;
        }
        bool is_half = !tried[count]++;
        length = is_half ? gw_godot_mp_half_length(reader, offset, end) : plain_length(reader, offset, end);
        halves &= ~(UINT64_C(1) << count);
        halves |= (uint64_t)(is_half && length) << count;
        if (!length)
            continue;
        offsets[++count] = offset + length;
        tried[count] = 0;
    }
    return 0;
}

/* Finds the values with half floats, which Redot, a fork of Godot, writes, in the state from reader->offset to `end`:
 * returns bit n for value n; 0 if no value has them or the state cannot be read so. Half floats are tried only if the
 * values as Godot writes them do not end at `end`. */
uint64_t gw_godot_mp_find_half_floats(gw_godot_mp_reader *reader, uint32_t end)
{
    if (reader->generation != GW_GODOT_4 || reader->is_cut)
        return 0;
    for (uint32_t offset = reader->offset, length; offset < end; offset += length) {
        length = plain_length(reader, offset, end);
        if (!length)
            return try_halves(reader, end);
    }
    return 0;
}

/* ---- as Variants --------------------------------------------------------------------------------------- */

/* The bits of the float with the same value as the half float (IEEE 754). */
static uint32_t float_of_half(uint32_t half)
{
    uint32_t sign = (half & 0x8000U) << 16, exponent = half >> 10 & 0x1FU, fraction = half & 0x3FFU;
    if (exponent == 0x1F) /* infinite, or not a number */
        return sign | 0x7F800000U | fraction << 13;
    if (exponent) /* the bias is 127 instead of 15 */
        return sign | (exponent + 112) << 23 | fraction << 13;
    if (!fraction)
        return sign;
    /* A subnormal half float, less than 2^-14, is normal as a float: the first bit of its fraction becomes the implicit
     * one. */
    for (exponent = 113; !(fraction & 0x400U); exponent--)
        fraction <<= 1;
    return sign | exponent << 23 | (fraction & 0x3FFU) << 13;
}

/* Writes the event's value as a Variant, with floats in place of its half floats. Returns the length of the Variant. */
uint32_t gw_godot_mp_variant_of_halves(const uint8_t *bytes, const gw_godot_mp_event *event,
                                       uint8_t variant[GW_GODOT_MP_HALVES_VARIANT])
{
    const uint8_t *halves = bytes + event->payload.offset;
    uint32_t count = halves_of(halves[0]);
    memset(variant, 0, GW_GODOT_MP_HALVES_VARIANT);
    variant[0] = halves[0];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = float_of_half(gw_le16(halves + 1 + (size_t)2 * i));
        for (uint32_t byte = 0; byte < 4; byte++)
            variant[HEADER + 4 * i + byte] = (uint8_t)(number >> 8 * byte);
    }
    return HEADER + 4 * count;
}
