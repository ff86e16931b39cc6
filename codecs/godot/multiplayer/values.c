/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Values in multiplayer packets: Variants, in Godot 4 with bools and ints compressed.
 */
#include "../variant/internal.h"
#include "internal.h"

/* Converts a fault of a Variant, whose offset is relative to the Variant, to a fault of the packet. `end`: where the
 * values end. A Variant that exceeds it is truncated only if the packet ends there too, and invalid otherwise. */
static gw_next fail_value(gw_godot_mp_reader *reader, const gw_fault *fault, uint32_t end)
{
    gw_godot_mp_fault code = GW_GODOT_MP_FAULT_VALUE_INVALID;
    reader->value_fault = *fault;
    reader->value_fault.offset += reader->offset;
    if (fault->fault_class == GW_FAULT_LIMIT)
        code = GW_GODOT_MP_FAULT_TOO_DEEP;
    else if (fault->fault_class == GW_FAULT_TRUNCATED && end == reader->length)
        code = GW_GODOT_MP_FAULT_VALUE_TRUNCATED;
    return fail(reader, code, reader->offset, fault->needed);
}

/* Fills the event of a value of `length` bytes at the reader's offset, which the caller has validated, with its index
 * in the list, and advances the reader after it. The caller sets type and number. */
static void finish_value(gw_godot_mp_reader *reader, gw_godot_mp_event *event, uint32_t field, uint32_t length)
{
    begin_event(reader, event, GW_VALUE, field, length);
    event->index = innermost(reader)->index++;
    reader->offset += length;
}

/* Reads a compressed int: a byte with the type in bits 0 to 5 and the size in bits 6 and 7, then 1, 2, 4 or 8 bytes. */
static gw_next read_compressed_int(gw_godot_mp_reader *reader, gw_godot_mp_event *event, uint32_t field, uint32_t end)
{
    uint32_t size = 1U << (reader->bytes[reader->offset] >> 6);
    uint32_t left = end - reader->offset;
    if (left < 1 + size) {
        const gw_fault fault = { .needed = 1 + size - left, .fault_class = GW_FAULT_TRUNCATED };
        return fail_value(reader, &fault, end);
    }
    finish_value(reader, event, field, 1 + size);
    const uint8_t *bytes = reader->bytes + event->payload.offset + 1;
    bool is_wide = false; /* the next smaller size is sufficient for the number */
    switch (size) {
    case 1:
        event->number = (int32_t)(int8_t)bytes[0];
        break;
    case 2:
        event->number = (int16_t)gw_le16(bytes);
        is_wide = event->number == (int8_t)event->number;
        break;
    case 4:
        event->number = (int32_t)gw_le32(bytes);
        is_wide = event->number == (int16_t)event->number;
        break;
    default:
        event->number = (int64_t)gw_le64(bytes);
        is_wide = event->number == (int32_t)event->number;
        break;
    }
    event->encoding = GW_GODOT_MP_COMPRESSED;
    event->type = GW_GODOT_INT;
    event->odd = is_wide ? GW_GODOT_MP_ODD_WIDE : 0;
    return GW_NEXT_EVENT;
}

/* Sets the summary of the Variant that begins with these `left` bytes; false: it ends with a fault. Most values of a
 * game are vectors and floats, for which it is the same without validation. */
static bool summarize(const uint8_t *bytes, uint32_t left, const gw_godot_options *options, gw_godot_summary *summary)
{
    const uint32_t length = options->generation == GW_GODOT_4 ? gw_godot_mp_floats_length(bytes, left) : 0;
    if (!length)
        return gw_godot_validate(bytes, left, options, summary);
    *summary = (gw_godot_summary){
        .wire_types = UINT64_C(1) << bytes[0], .length = length, .values = 1, .proof = 8 /* the header */
    };
    return true;
}

/* Reads a Variant that is not compressed and ends at `end` or before. In Godot 4 a typed null object is a header alone
 * (bare_objects). Oddities that no engine writes are one oddity of the packet; event->value_odd has the details. */
static gw_next read_plain_value(gw_godot_mp_reader *reader, gw_godot_mp_event *event, uint32_t field, uint32_t end)
{
    gw_godot_generation generation = (gw_godot_generation)reader->generation;
    const gw_godot_options options = { .generation = generation,
                                       .bare_objects = generation == GW_GODOT_4,
                                       .levels = reader->levels,
                                       .level_count = reader->level_count,
                                       .find_duplicates = reader->find_duplicates };
    gw_godot_summary *value = &reader->value;
    const uint8_t *bytes = reader->bytes + reader->offset;
    if (!summarize(bytes, end - reader->offset, &options, value))
        return fail_value(reader, &value->fault, end);
    finish_value(reader, event, field, value->length);
    event->type = (uint8_t)gw_godot_type_of_wire(generation, bytes[0]);
    event->value_odd = value->odd;
    if (value->odd & GW_GODOT_ODD_BARE_OBJECT) {
        event->encoding = GW_GODOT_MP_NULL_OBJECT;
        event->odd = GW_GODOT_MP_ODD_NULL_OBJECT;
    } else if (value->odd & gw_godot_implausible(generation)) {
        event->odd = GW_GODOT_MP_ODD_VALUE;
    }
    return GW_NEXT_EVENT;
}

/* Reads one value of a list: of half floats, as Redot (a fork of Godot 4) sends them in a synchronizer's state, a
 * compressed bool or int of Godot 4, or an ordinary Variant. Members of arrays and dictionaries are never compressed.
 * The caller has tested that a byte is left before the end of the values. */
gw_next gw_godot_mp_read_value(gw_godot_mp_reader *reader, gw_godot_mp_event *event, uint32_t field)
{
    gw_godot_mp_scope *scope = innermost(reader);
    uint32_t end = values_end(reader, scope);
    uint8_t byte = reader->bytes[reader->offset];
    uint32_t type = byte & 0x3FU;
    /* Whether a synchronizer's state has half floats is decided for all its values together: bit n of scope->halves is
     * value n. */
    if (field == GW_GODOT_MP_ROLE_VALUE || field == GW_GODOT_MP_ROLE_STATE) {
        if (!scope->index) /* at the first value */
            scope->halves = gw_godot_mp_find_half_floats(reader, end);
        if (scope->halves && scope->index < 64 && scope->halves >> scope->index & 1U) {
            finish_value(reader, event, field, gw_godot_mp_half_length(reader, reader->offset, end));
            event->encoding = GW_GODOT_MP_HALVES;
            event->type = (uint8_t)gw_godot_type_of_wire(GW_GODOT_4, byte);
            event->odd = GW_GODOT_MP_ODD_HALVES;
            return GW_NEXT_EVENT;
        }
    }
    if (reader->generation == GW_GODOT_4 && type == GW_GODOT_BOOL) {
        finish_value(reader, event, field, 1);
        event->encoding = GW_GODOT_MP_COMPRESSED;
        event->type = GW_GODOT_BOOL;
        event->number = byte >> 7;
        event->odd = byte & 0x40 ? GW_GODOT_MP_ODD_BOOL : 0; /* bit 7 is the value, bit 6 has no meaning */
        return GW_NEXT_EVENT;
    }
    if (reader->generation == GW_GODOT_4 && type == GW_GODOT_INT)
        return read_compressed_int(reader, event, field, end);
    return read_plain_value(reader, event, field, end);
}

/* Returns the fault for a value that is due at `end`, the end of the values. If the input goes on after it, for example
 * with the path of a call, the number of values is wrong. Otherwise the message is truncated, and lacks at least the
 * smallest value: a compressed bool of Godot 4 has one byte, a nil of Godot 3 four. */
static gw_next fail_missing_value(gw_godot_mp_reader *reader, uint32_t end)
{
    if (end < reader->length)
        return fail(reader, GW_GODOT_MP_FAULT_VALUE_INVALID, reader->offset, 0);
    return fail(reader, GW_GODOT_MP_FAULT_VALUES_MISSING, reader->offset,
                reader->generation == GW_GODOT_4 ? 1 : 4); /* the smallest value */
}

/* Reads one value of a list with a count, such as the arguments of a call; scope->left is the number of values still to
 * be read. After the last one, the next field of the packet follows. */
gw_next gw_godot_mp_read_counted(gw_godot_mp_reader *reader, gw_godot_mp_event *event, uint32_t field)
{
    gw_godot_mp_scope *scope = innermost(reader);
    uint32_t end = values_end(reader, scope);
    if (reader->offset >= end)
        return fail_missing_value(reader, end);
    gw_next next = gw_godot_mp_read_value(reader, event, field);
    if (next == GW_NEXT_EVENT && --scope->left == 0)
        scope->fields++;
    return next;
}

/* Reads the custom data of a SPAWN, the argument of the game's own spawn function: one value. Its length should be the
 * number before it, CUSTOM_SIZE; another one is an oddity, since the value is read by its own lengths. */
gw_next gw_godot_mp_read_custom(gw_godot_mp_reader *reader, gw_godot_mp_event *event)
{
    gw_godot_mp_scope *scope = innermost(reader);
    if (reader->offset == scope->end)
        return fail_missing_value(reader, scope->end);
    gw_next next = gw_godot_mp_read_value(reader, event, GW_GODOT_MP_ROLE_CUSTOM);
    scope->index = 0; /* the states that follow have indexes of their own */
    scope->fields++;
    if (next != GW_NEXT_EVENT)
        return next;
    event->index = 0;
    event->odd |=
        event->payload.length == reader->fields[GW_GODOT_MP_ROLE_CUSTOM_SIZE].number ? 0 : GW_GODOT_MP_ODD_CUSTOM_SIZE;
    return next;
}

/* ---- Variants without a packet ------------------------------------------------------------------------- */

#define HEADER   4U
#define WIRE_INT 2U /* in Godot 3 */

/* True if the bytes after the head (with the peer ids) of a Godot 3 message are one Variant, or its captured beginning,
 * and not a packet: a game may send Variants with put_var() over such a peer, without MultiplayerAPI (observed). */
bool gw_godot_mp_is_variant(const gw_godot_mp_reader *reader)
{
    const gw_godot_options options = { .generation = GW_GODOT_3,
                                       .levels = reader->levels,
                                       .level_count = reader->level_count };
    const uint8_t *bytes = reader->bytes + reader->offset;
    uint32_t left = reader->length - reader->offset;
    gw_godot_summary summary;
    bool has_head = reader->form == GW_GODOT_MP_3_ENET || reader->form == GW_GODOT_MP_3_WEBSOCKET;
    /* Variants have whole words: a message that the capture cut is tested as if its last word were complete. */
    uint32_t words = reader->is_cut ? (left + 3) & ~3U : left;
    if (!has_head || !gw_godot_may_begin(bytes, left, words))
        return false;
    /* The ids of nodes are small, from 1 on, so that commands do not begin like a Variant, except one that defines a
     * path: id 256 and the flag of a 64-bit int are the same bytes. In that case a text follows. Byte 0 is both the
     * command SIMPLIFY_PATH and the type int; bytes 1 to 4 are the id, byte 5 is the first letter of the path. */
    bool defines_path = bytes[0] == WIRE_INT && bytes[2] && left > HEADER + 1 && !bytes[4] && bytes[5] >= 0x20;
    bool is_whole = gw_godot_validate(bytes, left, &options, &summary) && summary.length == left;
    /* The beginning of a Variant, where no command of Godot 3 begins like it. */
    bool is_cut = reader->is_cut && summary.fault.fault_class == GW_FAULT_TRUNCATED &&
                  gw_godot_mp_command_of(GW_GODOT_3, bytes[0]) == GW_GODOT_MP_UNKNOWN;
    return !defines_path && (is_whole || is_cut) && !(summary.odd & gw_godot_implausible(GW_GODOT_3));
}
