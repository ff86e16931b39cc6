/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * One value of any type: what is after a header, and the faults.
 *
 * A value on the wire:
 *
 *   0        1        2        3        4
 *   | type   | 0      | flags  | 0      | body, a multiple of four bytes |
 */
#include "step.h"

#include <string.h>

/* ---- faults -------------------------------------------------------------------------------------------- */

gw_next gw_godot_fail(gw_godot_reader *reader, gw_godot_fault code, uint32_t offset, uint64_t needed)
{
    reader->fault.code = (uint32_t)code;
    reader->fault.fault_class = (uint8_t)gw_godot_fault_class(code);
    reader->fault.offset = offset;
    reader->fault.needed = needed;
    /* The next call finds nothing left to read, and only then looks for a fault. */
    reader->level->end = reader->level->position;
    reader->stop = reader->level->position;
    return GW_NEXT_FAULT;
}

gw_next gw_godot_fail_body(gw_godot_reader *reader, uint32_t item, uint64_t size, uint32_t left)
{
    return gw_godot_fail(reader, GW_GODOT_FAULT_BODY_TRUNCATED, item, size - left);
}

/* ---- texts --------------------------------------------------------------------------------------------- */

/* What is odd about a text whose padding is there too. */
static uint32_t text_odd(const uint8_t *text, uint32_t length, uint32_t dirty_padding)
{
    uint32_t odd = 0;
    if (gw_godot_any_set(text + length, gw_godot_padding(length)))
        odd |= dirty_padding;
    if (memchr(text, 0, length))
        odd |= GW_GODOT_ODD_NUL;
    if (gw_utf8_prefix(text, length) != length)
        odd |= GW_GODOT_ODD_UTF8;
    return odd;
}

static NEVER_INLINE gw_next text_cut(gw_godot_reader *reader, uint32_t at, uint32_t item)
{
    uint32_t left = reader->length - at;
    if (left < 4)
        return gw_godot_fail(reader, GW_GODOT_FAULT_TEXT_TRUNCATED, item, 4 - left);
    uint32_t length = gw_le32(reader->bytes + at);
    uint64_t whole = 4 + (uint64_t)length + gw_godot_padding(length);
    bool padding_only = left - 4 >= length;
    return gw_godot_fail(reader, padding_only ? GW_GODOT_FAULT_PADDING_TRUNCATED : GW_GODOT_FAULT_TEXT_TRUNCATED, item,
                         whole - left);
}

/* Reads the text at `at`; `item` is where the value that it belongs to begins. Returns what is after it, or 0
 * after a fault (nothing ends at 0). */
uint32_t gw_godot_read_text(gw_godot_reader *reader, uint32_t at, uint32_t item, uint32_t dirty_padding,
                            struct text *text)
{
    uint32_t left = reader->length - at;
    uint32_t length = left < 4 ? 0 : gw_le32(reader->bytes + at);
    uint32_t padding = gw_godot_padding(length);
    if (left < 4 || length > left - 4 || padding > left - 4 - length) {
        text_cut(reader, at, item);
        return 0;
    }
    text->span = (gw_span){ at + 4, length };
    text->padding = padding;
    text->odd = text_odd(reader->bytes + at + 4, length, dirty_padding);
    return at + 4 + length + padding;
}

gw_next gw_godot_step_text(struct step step, uint32_t body)
{
    struct text text;
    if (!gw_godot_read_text(step.reader, body, step.start, dirty(step.reader), &text))
        return GW_NEXT_FAULT;
    note(step, text.odd);
    if (step.event)
        step.event->text = text.span;
    if (step.summary)
        sum_text(step.summary, text.span.length);
    return finish(step, text.span.offset - step.start, text.span.length, text.padding);
}

/* ---- numbers and what has no members ------------------------------------------------------------------- */

static ALWAYS_INLINE gw_next step_number(struct step step, const gw_godot_wire *wire)
{
    gw_godot_reader *reader = step.reader;
    bool wide = has_flag(step, wire);
    uint32_t size = wide ? 8 : 4;
    uint32_t body = step.start + 4;
    if (reader->length - body < size)
        return gw_godot_fail_body(reader, step.start, size, reader->length - body);
    const uint8_t *bytes = reader->bytes + body;
    if (wire->shape == SHAPE_FLOAT) {
        double real = wide ? gw_le_double(bytes) : (double)gw_le_float(bytes);
        /* Engines send 64 bits only for what 32 cannot hold; NaN differs from itself, so that it goes wide. */
        if (wide && gw_double_bits((double)(float)real) == gw_double_bits(real) && real <= real)
            note(step, GW_GODOT_ODD_WIDE);
        if (step.event)
            step.event->number.real = real;
    } else {
        int64_t integer = wide ? (int64_t)gw_le64(bytes) : (int32_t)gw_le32(bytes);
        if (wide && integer == (int32_t)integer)
            note(step, GW_GODOT_ODD_WIDE);
        if (step.event)
            step.event->number.integer = integer;
    }
    if (step.summary)
        step.summary->wide += wide;
    return finish(step, 4, size, 0);
}

static ALWAYS_INLINE gw_next step_bool(struct step step)
{
    gw_godot_reader *reader = step.reader;
    uint32_t body = step.start + 4;
    if (reader->length - body < 4)
        return gw_godot_fail_body(reader, step.start, 4, reader->length - body);
    uint32_t value = gw_le32(reader->bytes + body);
    if (value > 1)
        note(step, GW_GODOT_ODD_BOOL);
    if (step.event)
        step.event->number.integer = value != 0;
    return finish(step, 4, 4, 0);
}

static ALWAYS_INLINE gw_next step_numbers(struct step step, const gw_godot_wire *wire)
{
    gw_godot_reader *reader = step.reader;
    uint32_t size = (wire->unit * 4U) << has_flag(step, wire);
    uint32_t body = step.start + 4;
    if (reader->length - body < size)
        return gw_godot_fail_body(reader, step.start, size, reader->length - body);
    return finish(step, 4, size, 0);
}

static NEVER_INLINE gw_next step_rid(struct step step)
{
    gw_next next = step_numbers(step, &(const gw_godot_wire){ .unit = 2 });
    if (next == GW_NEXT_EVENT && step.event)
        step.event->number.id = gw_le64(step.reader->bytes + step.start + 4);
    return next;
}

static NEVER_INLINE gw_next step_signal(struct step step)
{
    gw_godot_reader *reader = step.reader;
    struct text text;
    uint32_t body = step.start + 4;
    uint32_t id = gw_godot_read_text(reader, body, step.start, dirty(reader), &text);
    if (!id)
        return GW_NEXT_FAULT;
    if (reader->length - id < 8)
        return gw_godot_fail_body(reader, step.start, 8, reader->length - id);
    note(step, text.odd);
    if (step.event) {
        step.event->text = text.span;
        step.event->number.id = gw_le64(reader->bytes + id);
    }
    if (step.summary)
        sum_text(step.summary, text.span.length);
    return finish(step, 8, id - body + 4, 0);
}

/* ---- containers ---------------------------------------------------------------------------------------- */

/* Opens a container whose `count` members begin after the head. */
static ALWAYS_INLINE gw_next open_level(struct step step, uint32_t head, uint32_t count, gw_godot_role role)
{
    gw_godot_reader *reader = step.reader;
    bool paired = role != GW_GODOT_ELEMENT;
    if (reader->level == reader->last)
        return gw_godot_fail(reader, GW_GODOT_FAULT_NESTING_TOO_DEEP, step.start, 0);
    if (count > (reader->length - head) >> (paired ? 3 : 2))
        note(step, GW_GODOT_ODD_COUNT);
    /* Half of 2^32 pairs cannot be there: clamping keeps the arithmetic in 32 bits and changes nothing. */
    uint32_t end = paired ? (count > INT32_MAX ? INT32_MAX : count) * 2 : count;
    push_level(reader, step.start, end, role);
    if (step.event) {
        step.event->kind = GW_OPEN;
        step.event->count = count;
    }
    if (step.summary)
        step.summary->counts += count != 0;
    return finish(step, head - step.start, 0, 0);
}

/* Skips one declaration: a built-in type's number or a class or script name. Returns what is after it, or 0
 * after a fault. */
static NEVER_INLINE uint32_t skip_declaration(struct step step, uint32_t at, uint32_t kind)
{
    gw_godot_reader *reader = step.reader;
    struct text text;
    if (kind != GW_GODOT_BUILTIN) {
        uint32_t after = gw_godot_read_text(reader, at, step.start, dirty(reader), &text);
        if (after)
            note(step, text.odd);
        return after;
    }
    if (reader->length - at < 4) {
        gw_godot_fail_body(reader, step.start, 4, reader->length - at);
        return 0;
    }
    if (gw_le32(reader->bytes + at) >= gw_godot_wire_types(GW_GODOT_4)) {
        gw_godot_fail(reader, GW_GODOT_FAULT_ELEMENT_TYPE_UNKNOWN, at, 0);
        return 0;
    }
    return at + 4;
}

static ALWAYS_INLINE gw_next step_container(struct step step, const gw_godot_wire *wire)
{
    gw_godot_reader *reader = step.reader;
    uint32_t at = step.start + 4;
    for (uint32_t kinds = step.header >> GW_GODOT_FLAG_SHIFT & wire->flags; kinds; kinds >>= 2) {
        if (kinds & 3U)
            at = skip_declaration(step, at, kinds & 3U);
        if (!at)
            return GW_NEXT_FAULT;
    }
    if (reader->length - at < 4)
        return gw_godot_fail_body(reader, step.start, 4, reader->length - at);
    uint32_t count = gw_le32(reader->bytes + at);
    if (count & GW_GODOT_COUNT_SHARED && reader->generation != GW_GODOT_2)
        note(step, GW_GODOT_ODD_SHARED);
    if (step.summary)
        step.summary->flags |=
            (count & GW_GODOT_COUNT_SHARED) | (step.header & (uint32_t)wire->flags << GW_GODOT_FLAG_SHIFT);
    gw_next next = open_level(step, at + 4, count & ~GW_GODOT_COUNT_SHARED,
                              wire->shape == SHAPE_ARRAY ? GW_GODOT_ELEMENT : GW_GODOT_KEY);
    if (next == GW_NEXT_EVENT && wire->shape == SHAPE_ARRAY &&
        step.header & GW_GODOT_KIND_MASK & ~gw_godot_idle_bits(wire)) {
        reader->level->care = GW_GODOT_CARE_ALL; /* for the types of its elements */
        reader->stop = 0;
    }
    return next;
}

static gw_next null_object(struct step step, uint32_t header)
{
    if (step.event)
        step.event->number.id = 0;
    return finish(step, header, 0, 0);
}

/* A class name's length that could be one: not empty, and there with its padding. */
static bool names_a_class(const gw_godot_reader *reader, uint32_t at)
{
    uint32_t left = reader->length - at;
    uint32_t length = left < 4 ? 0 : gw_le32(reader->bytes + at);
    return length && length <= left - 4 && gw_godot_padding(length) <= left - 4 - length &&
           gw_utf8_prefix(reader->bytes + at + 4, length) == length;
}

static NEVER_INLINE gw_next step_object(struct step step, const gw_godot_wire *wire)
{
    gw_godot_reader *reader = step.reader;
    struct text text;
    uint32_t body = step.start + 4;
    if (has_flag(step, wire))
        return step_rid(step);
    if (reader->bare_objects && !reader->depth && !names_a_class(reader, body)) {
        note(step, GW_GODOT_ODD_BARE_OBJECT);
        return null_object(step, 4);
    }
    uint32_t at = gw_godot_read_text(reader, body, step.start, dirty(reader), &text);
    if (!at)
        return GW_NEXT_FAULT;
    note(step, text.odd);
    if (step.event)
        step.event->text = text.span;
    if (!text.span.length)
        return null_object(step, 8);
    if (step.summary)
        sum_text(step.summary, text.span.length);
    if (reader->length - at < 4)
        return gw_godot_fail_body(reader, step.start, 4, reader->length - at);
    note(step, GW_GODOT_ODD_FULL_OBJECT);
    return open_level(step, at + 4, gw_le32(reader->bytes + at), GW_GODOT_PROPERTY_NAME);
}

/* ---- one value ----------------------------------------------------------------------------------------- */

/* A switch over all shapes: none is left to fall past it. */
static ALWAYS_INLINE gw_next step_body(struct step step, const gw_godot_wire *wire)
{
    switch ((gw_godot_shape)wire->shape) {
    case SHAPE_INT:
    case SHAPE_FLOAT:
        return step_number(step, wire);
    case SHAPE_TEXT:
        return gw_godot_step_text(step, step.start + 4);
    case SHAPE_BOOL:
        return step_bool(step);
    case SHAPE_DICTIONARY:
    case SHAPE_ARRAY:
        return step_container(step, wire);
    case SHAPE_NUMBERS:
        return step_numbers(step, wire);
    case SHAPE_PACKED:
        return gw_godot_step_packed(step, wire);
    case SHAPE_BYTES:
        return gw_godot_step_bytes(step);
    case SHAPE_STRINGS:
        return gw_godot_step_strings(step);
    case SHAPE_NODE_PATH:
        return gw_godot_step_node_path(step);
    case SHAPE_RID:
        return step_rid(step);
    case SHAPE_OBJECT:
        return step_object(step, wire);
    case SHAPE_SIGNAL:
        return step_signal(step);
    case SHAPE_IMAGE:
        return gw_godot_step_image(step);
    case SHAPE_INPUT_EVENT:
        return gw_godot_step_input_event(step);
    case SHAPE_EMPTY:
        break;
    }
    return finish(step, 4, 0, 0);
}

static NEVER_INLINE void note_header(struct step step, const gw_godot_wire *wire)
{
    if (step.header & ~(GW_GODOT_TYPE_MASK | GW_GODOT_KIND_MASK))
        note(step, GW_GODOT_ODD_HEADER_BITS);
    if (step.header & GW_GODOT_KIND_MASK & gw_godot_idle_bits(wire))
        note(step, GW_GODOT_ODD_FLAGS);
    if (step.reader->depth > GW_GODOT_ENGINE_DEPTH)
        note(step, GW_GODOT_ODD_TOO_DEEP);
}

/* True in an array that is declared to hold another built-in type than `wire_type`. */
static bool is_misplaced(const gw_godot_reader *reader, uint32_t wire_type)
{
    const gw_godot_level *level = reader->level;
    const uint8_t *array = reader->bytes + level->offset;
    if (level->role != GW_GODOT_ELEMENT || reader->generation != GW_GODOT_4)
        return false;
    uint32_t kind = gw_le32(array) >> GW_GODOT_FLAG_SHIFT & 3U;
    return kind == GW_GODOT_BUILTIN && gw_le32(array + 4) != wire_type;
}

static ALWAYS_INLINE gw_next step_value(struct step step)
{
    gw_godot_reader *reader = step.reader;
    uint32_t left = reader->length - step.start;
    if (left < 4)
        return gw_godot_fail(reader, GW_GODOT_FAULT_HEADER_TRUNCATED, step.start, 4 - left);
    step.header = gw_le32(reader->bytes + step.start);
    uint32_t number = step.header & reader->type_mask;
    if (number >= reader->wire_types)
        return gw_godot_fail(reader, GW_GODOT_FAULT_TYPE_UNKNOWN, step.start, 0);
    const gw_godot_wire *wire = &reader->wire[number];
    if (step.event) {
        step.event->kind = GW_VALUE;
        step.event->type = wire->type;
        step.event->header_word = step.header;
    }
    if (step.summary) {
        step.summary->values++;
        step.summary->nils += number == GW_GODOT_NIL;
        step.summary->wire_types |= UINT64_C(1) << number;
    }
    if (step.header & gw_godot_idle_bits(wire) || reader->depth > GW_GODOT_ENGINE_DEPTH)
        note_header(step, wire);
    if (reader->level->care && is_misplaced(reader, number))
        note(step, GW_GODOT_ODD_ELEMENT_TYPE);
    return step_body(step, wire);
}

static NEVER_INLINE gw_next step_property_name(struct step step)
{
    gw_next next = gw_godot_step_text(step, step.start); /* no header */
    if (step.event) {
        step.event->kind = GW_VALUE;
        step.event->type = GW_GODOT_STRING;
        step.event->header_word = 0;
    }
    return next;
}

/* ---- duplicate keys ------------------------------------------------------------------------------------ */

/* How many keys of the table one key is compared with. */
#define PROBES 4U
/* Odd, and without a pattern in its bits: multiplying by it moves what differs to the upper half. */
#define HASH_FACTOR UINT64_C(0x9E3779B97F4A7C15)

/* Where in the table a key of that dictionary is looked for first: a hash over its words. */
static uint32_t first_slot(const uint8_t *key, uint32_t length, uint32_t dictionary, uint32_t slots)
{
    uint64_t hash = dictionary;
    uint32_t at = 0;
    for (; length - at >= 8; at += 8) {
        hash = (hash ^ gw_le64(key + at)) * HASH_FACTOR;
        hash ^= hash >> 32;
    }
    if (length - at >= 4)
        hash = (hash ^ gw_le32(key + at)) * HASH_FACTOR;
    return (uint32_t)((hash >> 32) * slots >> 32);
}

bool gw_godot_is_duplicate(gw_godot_reader *reader, uint32_t start, uint32_t dictionary)
{
    const uint8_t *key = reader->bytes + start;
    uint32_t length = reader->offset - start;
    uint32_t at = first_slot(key, length, dictionary, reader->key_count);
    gw_godot_key *slot = NULL;
    for (uint32_t probe = 0; probe < PROBES; probe++) {
        slot = &reader->keys[at];
        if (!slot->offset)
            break;
        /* A key's first bytes say its length, so that an earlier one that is shorter differs there already; and
         * earlier ones are followed by as many bytes as this one has. */
        if (slot->dictionary == dictionary && memcmp(reader->bytes + slot->offset, key, length) == 0)
            return true;
        at = at + 1 < reader->key_count ? at + 1 : 0;
    }
    *slot = (gw_godot_key){ dictionary, start };
    return false;
}

/* ---- one step ------------------------------------------------------------------------------------------ */

/* Reads one member, whatever it is. `event` or `summary` is NULL. */
gw_next gw_godot_step(gw_godot_reader *reader, gw_godot_event *event, gw_godot_summary *summary)
{
    gw_godot_level *level = reader->level;
    uint32_t position = level->position;
    bool is_first = !(position & 1U); /* of a key and its entry, or a name and its property */
    struct step step = { reader, event, summary, reader->offset, 0 };
    level->position = position + 1;
    if (event) {
        event->odd = 0;
        event->header.offset = step.start;
        set_position(event, level, position, reader->depth);
    }
    if (level->role == GW_GODOT_PROPERTY_NAME && is_first)
        return step_property_name(step);
    return step_value(step);
}
