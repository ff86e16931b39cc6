/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * What nearly all values of nearly all documents are (numbers, texts, arrays and dictionaries without flags, and with
 * nothing odd about them) has a shorter way, for speed alone: gw_godot_step() reads them too, and to the same end.
 * Whatever else shows, a fault among it, is left as it was and given to gw_godot_step().
 *
 * Instructions a value (callgrind, the documents of tests/bench: mixed and of 2,001 values): read 126 and 128 with it,
 * 228 and 226 without; validated 77 and 74, and 196 and 193 without.
 */
#ifndef GAMEWIRE_CODECS_GODOT_VARIANT_FAST_H
#define GAMEWIRE_CODECS_GODOT_VARIANT_FAST_H

#include "step.h"

#define EACH_BYTE UINT64_C(0x0101010101010101)

/* Bit 7 of some byte is set when any byte is zero or has its own bit 7 set, and in no other word. */
static ALWAYS_INLINE uint64_t suspects(uint64_t word)
{
    return (word - EACH_BYTE) | word;
}

/* False when a text is ASCII without NUL and its padding is zero, as nearly all names and chat are. `left` are the
 * bytes there are from the text on, its padding among them. */
static ALWAYS_INLINE bool text_is_suspect(const uint8_t *text, uint32_t length, uint32_t left)
{
    uint64_t suspect = 0;
    uint32_t at = 0;
    for (; length - at >= 8; at += 8)
        suspect |= suspects(gw_le64(text + at));
    if (at < length) {
        uint32_t tail = length - at;
        uint64_t word = left - at >= 8 ? gw_le64(text + at) : gw_le32(text + at);
        uint64_t after = UINT64_MAX << 8 * tail;
        uint64_t padding = tail > 4 ? after : after & UINT32_MAX;
        suspect |= suspects((word & ~after) | (EACH_BYTE & after));
        if (word & padding)
            return true;
    }
    return suspect & EACH_BYTE << 7;
}

static uint32_t container_type(uint32_t member_role)
{
    return member_role == GW_GODOT_ELEMENT ? GW_GODOT_ARRAY
           : member_role == GW_GODOT_KEY   ? GW_GODOT_DICTIONARY
                                           : GW_GODOT_OBJECT;
}

static ALWAYS_INLINE gw_next close_level(gw_godot_reader *reader, gw_godot_event *event)
{
    const gw_godot_level *closed = reader->level--;
    reader->depth--;
    reader->stop = stop_of(reader->level);
    if (event) {
        event->kind = GW_CLOSE;
        event->type = (uint8_t)container_type(closed->role);
        event->odd = 0;
        event->header = (gw_span){ closed->offset, 4 };
        event->header_word = gw_le32(reader->bytes + closed->offset);
        event->payload = (gw_span){ closed->offset + 4, reader->offset - closed->offset - 4 };
        event->padding = (gw_span){ reader->offset, 0 };
        event->count = closed->end >> closed->paired;
        set_position(event, reader->level, reader->level->position - 1, reader->depth);
    }
    return GW_NEXT_EVENT;
}

/* Tells of the value that begins at the reader's offset, and moves after it. */
static ALWAYS_INLINE void take_value(gw_godot_reader *reader, gw_godot_event *event, gw_godot_summary *summary,
                                     uint32_t head, uint32_t payload, uint32_t padding, gw_kind kind)
{
    gw_godot_level *level = reader->level;
    uint32_t position = level->position;
    uint32_t start = reader->offset;
    level->position = position + 1;
    uint32_t header = gw_le32(reader->bytes + start);
    reader->offset = start + head + payload + padding;
    if (event) {
        event->kind = (uint8_t)kind;
        event->type = reader->wire[header].type;
        event->odd = 0;
        event->header_word = header;
        event->header = (gw_span){ start, head };
        event->payload = (gw_span){ start + head, payload };
        event->padding = (gw_span){ start + head + payload, padding };
        set_position(event, level, position, reader->depth);
    }
    if (summary) {
        summary->values++;
        summary->wire_types |= UINT64_C(1) << header;
    }
}

static ALWAYS_INLINE gw_next fast_text(gw_godot_reader *reader, gw_godot_event *event, gw_godot_summary *summary)
{
    const uint8_t *bytes = reader->bytes + reader->offset;
    uint32_t room = reader->length - reader->offset - 8;
    uint32_t length = gw_le32(bytes + 4);
    uint32_t padding = gw_godot_padding(length);
    if (length > room || padding > room - length || text_is_suspect(bytes + 8, length, room))
        return gw_godot_step(reader, event, summary);
    if (event)
        event->text = (gw_span){ reader->offset + 8, length };
    if (summary)
        sum_text(summary, length);
    take_value(reader, event, summary, 8, length, padding, GW_VALUE);
    return GW_NEXT_EVENT;
}

static ALWAYS_INLINE gw_next fast_container(gw_godot_reader *reader, gw_godot_event *event, gw_godot_summary *summary,
                                            bool paired)
{
    const uint8_t *bytes = reader->bytes + reader->offset;
    uint32_t start = reader->offset;
    uint32_t count = gw_le32(bytes + 4);
    if (count > (reader->length - start - 8) >> (paired ? 3 : 2) || reader->level == reader->last)
        return gw_godot_step(reader, event, summary);
    if (event)
        event->count = count;
    if (summary)
        summary->counts += count != 0;
    take_value(reader, event, summary, 8, 0, 0, GW_OPEN);
    push_level(reader, start, count << paired, paired ? GW_GODOT_KEY : GW_GODOT_ELEMENT);
    return GW_NEXT_EVENT;
}

static ALWAYS_INLINE gw_next fast_number(gw_godot_reader *reader, gw_godot_event *event, gw_godot_summary *summary,
                                         int64_t integer)
{
    if (event)
        event->number.integer = integer;
    take_value(reader, event, summary, 4, 4, 0, GW_VALUE);
    return GW_NEXT_EVENT;
}

/* Of the kinds that take more than a few instructions, the ways for an event are functions: in line they would cost
 * all others the saving of registers. */
static NEVER_INLINE gw_next next_text(gw_godot_reader *reader, gw_godot_event *event)
{
    return fast_text(reader, event, NULL);
}

static NEVER_INLINE gw_next next_array(gw_godot_reader *reader, gw_godot_event *event)
{
    return fast_container(reader, event, NULL, false);
}

static NEVER_INLINE gw_next next_dictionary(gw_godot_reader *reader, gw_godot_event *event)
{
    return fast_container(reader, event, NULL, true);
}

/* A key that is a text, as nearly all are, and not cut so short that nothing could be said of it. */
static bool is_text_key(const gw_godot_reader *reader)
{
    if (reader->level->care != GW_GODOT_CARE_KEYS || reader->length - reader->offset < 8)
        return false;
    uint32_t header = gw_le32(reader->bytes + reader->offset);
    return header < reader->wire_types && reader->wire[header].shape == SHAPE_TEXT;
}

/* A member that needs care: a key, which is looked for among those before it, or what has no short way. */
static NEVER_INLINE gw_next step_with_care(gw_godot_reader *reader, gw_godot_event *event, gw_godot_summary *summary)
{
    const gw_godot_level *level = reader->level;
    uint32_t start = reader->offset;
    bool is_compared = reader->key_care && level->role == GW_GODOT_KEY && !(level->position & 1U);
    gw_next next = is_text_key(reader) ? fast_text(reader, event, summary) : gw_godot_step(reader, event, summary);
    if (next == GW_NEXT_FAULT)
        return next;
    reader->stop = stop_of(reader->level);
    /* A container among the keys is not compared: it is open now. */
    if (is_compared && reader->level == level && gw_godot_is_duplicate(reader, start, level->offset)) {
        if (event)
            event->odd |= GW_GODOT_ODD_DUPLICATE_KEY;
        if (summary)
            summary->odd |= GW_GODOT_ODD_DUPLICATE_KEY;
    }
    return next;
}

/* Where the short way of the innermost container stops. */
static ALWAYS_INLINE gw_next step_stop(gw_godot_reader *reader, gw_godot_event *event, gw_godot_summary *summary)
{
    if (reader->stop != reader->level->end)
        return step_with_care(reader, event, summary);
    if (reader->fault.fault_class)
        return GW_NEXT_FAULT;
    return reader->depth ? close_level(reader, event) : GW_NEXT_END;
}

static NEVER_INLINE gw_next next_stop(gw_godot_reader *reader, gw_godot_event *event)
{
    return step_stop(reader, event, NULL);
}

static ALWAYS_INLINE gw_next step_fast(gw_godot_reader *reader, gw_godot_event *event, gw_godot_summary *summary)
{
    const gw_godot_level *level = reader->level;
    if (level->position == reader->stop)
        return event ? next_stop(reader, event) : step_stop(reader, NULL, summary);
    if (reader->length - reader->offset < 8)
        return gw_godot_step(reader, event, summary);
    const uint8_t *bytes = reader->bytes + reader->offset;
    uint32_t header = gw_le32(bytes);
    uint32_t word = gw_le32(bytes + 4);
    if (header >= reader->wire_types) /* or with flags */
        return gw_godot_step(reader, event, summary);
    switch ((gw_godot_shape)reader->wire[header].shape) {
    case SHAPE_TEXT:
        return event ? next_text(reader, event) : fast_text(reader, NULL, summary);
    case SHAPE_ARRAY:
        return event ? next_array(reader, event) : fast_container(reader, NULL, summary, false);
    case SHAPE_DICTIONARY:
        return event ? next_dictionary(reader, event) : fast_container(reader, NULL, summary, true);
    case SHAPE_INT:
        return fast_number(reader, event, summary, (int32_t)word);
    case SHAPE_FLOAT:
        if (event)
            event->number.real = (double)gw_float_from_bits(word);
        take_value(reader, event, summary, 4, 4, 0, GW_VALUE);
        return GW_NEXT_EVENT;
    case SHAPE_BOOL:
        if (word <= 1)
            return fast_number(reader, event, summary, word);
        return gw_godot_step(reader, event, summary);
    default:
        return gw_godot_step(reader, event, summary);
    }
}

#endif
