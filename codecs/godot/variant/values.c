/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Layouts of values without a count of parts, and of containers.
 */
#include "internal.h"

/* ---- numbers and values without members ---------------------------------------------------------------- */

/* Reads an int or a float, of 32 or 64 bits. */
gw_next gw_godot_step_number(struct step step, const gw_godot_wire *wire)
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
        /* Engines send 64 bits only if 32 bits are not sufficient; NaN differs from itself, so that it is sent in 64
         * bits. */
        if (wide && gw_double_bits((double)(float)real) == gw_double_bits(real) && real <= real)
            add_odd(step, GW_GODOT_ODD_WIDE);
        if (step.event)
            step.event->real = real;
    } else {
        int64_t integer = wide ? (int64_t)gw_le64(bytes) : (int32_t)gw_le32(bytes);
        if (wide && integer == (int32_t)integer)
            add_odd(step, GW_GODOT_ODD_WIDE);
        if (step.event)
            step.event->number = integer;
    }
    if (step.summary)
        step.summary->wide += wide;
    return finish(step, 4, size, 0);
}

/* Reads a bool, a word that should be 0 or 1. */
gw_next gw_godot_step_bool(struct step step)
{
    gw_godot_reader *reader = step.reader;
    uint32_t body = step.start + 4;
    if (reader->length - body < 4)
        return gw_godot_fail_body(reader, step.start, 4, reader->length - body);
    uint32_t value = gw_le32(reader->bytes + body);
    if (value > 1)
        add_odd(step, GW_GODOT_ODD_BOOL);
    if (step.event)
        step.event->number = value != 0;
    return finish(step, 4, 4, 0);
}

/* Reads a value of wire->unit numbers, such as a vector, of 32 or, with the header's flag, 64 bits each. The event has
 * only their place: gw_godot_real_at() and gw_godot_integer_at() read them from the bytes by index. */
gw_next gw_godot_step_numbers(struct step step, const gw_godot_wire *wire)
{
    gw_godot_reader *reader = step.reader;
    uint32_t size = (wire->unit * 4U) << has_flag(step, wire);
    uint32_t body = step.start + 4;
    if (reader->length - body < size)
        return gw_godot_fail_body(reader, step.start, size, reader->length - body);
    return finish(step, 4, size, 0);
}

/* Reads a u64: an RID of Godot 4, or the instance id of an object. gw_godot_step_numbers() reads it as a value of two
 * words. */
gw_next gw_godot_step_rid(struct step step)
{
    gw_next next = gw_godot_step_numbers(step, &(const gw_godot_wire){ .unit = 2 });
    if (next == GW_NEXT_EVENT && step.event)
        step.event->number = (int64_t)gw_le64(step.reader->bytes + step.start + 4);
    return next;
}

/* Reads a Signal: its name, a text, and the id of its object. */
gw_next gw_godot_step_signal(struct step step)
{
    gw_godot_reader *reader = step.reader;
    struct text text;
    uint32_t body = step.start + 4;
    uint32_t id = gw_godot_read_text(reader, body, step.start, odd_of_padding(reader), &text);
    if (!id)
        return GW_NEXT_FAULT;
    if (reader->length - id < 8)
        return gw_godot_fail_body(reader, step.start, 8, reader->length - id);
    add_odd(step, text.odd);
    if (step.event) {
        step.event->text = text.span;
        step.event->number = (int64_t)gw_le64(reader->bytes + id);
    }
    if (step.summary)
        sum_text(step.summary, text.span.length);
    /* The header includes the length of the name; the payload is the name, its padding and the id. */
    return finish(step, 8, id - body + 4, 0);
}

/* ---- containers ---------------------------------------------------------------------------------------- */

/* Opens a container of `count` members, or pairs if `role`, that of its first member, is not ELEMENT. `body`: offset of
 * the first one. A count that the remaining bytes cannot contain, with a word for each value, is odd, and not a fault,
 * so that the members in the input are still read. */
static ALWAYS_INLINE gw_next open_level(struct step step, uint32_t body, uint32_t count, gw_godot_role role)
{
    gw_godot_reader *reader = step.reader;
    bool paired = role != GW_GODOT_ROLE_ELEMENT;
    if (reader->level == reader->last)
        return gw_godot_fail(reader, GW_GODOT_FAULT_TOO_DEEP, step.start, 0);
    if (count > (reader->length - body) >> (paired ? 3 : 2))
        add_odd(step, GW_GODOT_ODD_COUNT);
    /* An input cannot contain half of 2^32 pairs: limiting the count avoids an overflow and has no other effect. */
    uint32_t end = paired ? (count > INT32_MAX ? INT32_MAX : count) * 2 : count;
    push_level(reader, step.start, end, role);
    if (step.event) {
        step.event->kind = GW_OPEN;
        step.event->count = count;
    }
    if (step.summary)
        step.summary->counts += count != 0;
    return finish(step, body - step.start, 0, 0);
}

/* Skips one declaration of a typed container, which only Godot 4 has: by `kind` (gw_godot_container_kind) the number of
 * a built-in type, or a text with the name of a class or the path of a script. Returns the offset after it, or 0 after
 * a fault, such as a number that is no type. */
static NEVER_INLINE uint32_t skip_declaration(struct step step, uint32_t at, uint32_t kind)
{
    gw_godot_reader *reader = step.reader;
    struct text text;
    if (kind != GW_GODOT_BUILTIN) {
        uint32_t after = gw_godot_read_text(reader, at, step.start, odd_of_padding(reader), &text);
        if (after)
            add_odd(step, text.odd);
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

/* Reads the head of an Array or Dictionary, its declared types and its count, and opens it. Each declaration has two
 * bits of the header for its kind, from bit 16 on: of the elements or keys, then of a dictionary's values; 0: untyped.
 * Generations before Godot 4 have no declarations (wire->flags is 0). */
gw_next gw_godot_step_container(struct step step, const gw_godot_wire *wire)
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
        add_odd(step, GW_GODOT_ODD_SHARED);
    if (step.summary)
        step.summary->flags |=
            (count & GW_GODOT_COUNT_SHARED) | (step.header & (uint32_t)wire->flags << GW_GODOT_FLAG_SHIFT);
    gw_next next = open_level(step, at + 4, count & ~GW_GODOT_COUNT_SHARED,
                              wire->shape == SHAPE_ARRAY ? GW_GODOT_ROLE_ELEMENT : GW_GODOT_ROLE_KEY);
    if (next == GW_NEXT_EVENT && wire->shape == SHAPE_ARRAY &&
        step.header & GW_GODOT_KIND_MASK & ~gw_godot_idle_bits(wire)) {
        /* The array has a declared type: is_misplaced() compares the type of each element. */
        reader->level->care = GW_GODOT_CARE_ALL;
        reader->stop = 0;
    }
    return next;
}

/* Completes an object without a class and properties. `header`: 4, or 8 with the length of an empty class name. */
static gw_next finish_null_object(struct step step, uint32_t header)
{
    if (step.event)
        step.event->number = 0;
    return finish(step, header, 0, 0);
}

/* The names of the engine are shorter (VisualShaderNodeTextureParameterTriplanar has 41 bytes); extensions may register
 * any name. */
#define LONGEST_CLASS 255U

/* True if the bytes at `at` may be the length of a class name and the name, and not the next argument of a call: a name
 * that is not empty, has letters, digits and underscores, and is in the input with its padding. The limit of its length
 * bounds the work for a message of many null objects, each of which is tested. */
static bool names_a_class(const gw_godot_reader *reader, uint32_t at)
{
    uint32_t left = reader->length - at;
    uint32_t length = left < 4 ? 0 : gw_le32(reader->bytes + at);
    const uint8_t *name = reader->bytes + at + 4;
    if (!length || length > LONGEST_CLASS || length > left - 4 || gw_godot_padding(length) > left - 4 - length)
        return false;
    /* Names of extensions may have letters that are not ASCII. */
    for (uint32_t i = 0; i < length; i++) {
        uint8_t letter = name[i] | 0x20;
        if (!(letter >= 'a' && letter <= 'z') && !(name[i] >= '0' && name[i] <= '9') && name[i] != '_' &&
            name[i] < 0x80)
            return false;
    }
    return gw_utf8_prefix(name, length) == length;
}

/* Reads an Object: as its id; as null, which has an empty class name or, in calls of Godot 4, only a header; or with
 * its class and properties, which it opens. */
gw_next gw_godot_step_object(struct step step, const gw_godot_wire *wire)
{
    gw_godot_reader *reader = step.reader;
    struct text text;
    uint32_t body = step.start + 4;
    if (has_flag(step, wire))
        return gw_godot_step_rid(step);
    /* A typed null in a call of Godot 4 is a header alone; the bytes after it are the next argument. Null members of
     * containers have a length. */
    if (reader->bare_objects && !reader->depth && !names_a_class(reader, body)) {
        add_odd(step, GW_GODOT_ODD_BARE_OBJECT);
        return finish_null_object(step, 4);
    }
    uint32_t at = gw_godot_read_text(reader, body, step.start, odd_of_padding(reader), &text);
    if (!at)
        return GW_NEXT_FAULT;
    add_odd(step, text.odd);
    if (step.event)
        step.event->text = text.span;
    /* An empty name: a null object. The engine tests whether objects are allowed before it reads the name (source), so
     * that it rejects this one too, as an object with properties. */
    if (!text.span.length) {
        add_odd(step, GW_GODOT_ODD_FULL_OBJECT);
        return finish_null_object(step, 8);
    }
    if (step.summary)
        sum_text(step.summary, text.span.length);
    if (reader->length - at < 4)
        return gw_godot_fail_body(reader, step.start, 4, reader->length - at);
    add_odd(step, GW_GODOT_ODD_FULL_OBJECT);
    return open_level(step, at + 4, gw_le32(reader->bytes + at), GW_GODOT_ROLE_PROPERTY_NAME);
}
