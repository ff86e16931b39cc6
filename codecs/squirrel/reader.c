/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Reads values step by step: gw_squirrel_step() moves forward and finds all that is wrong, with one reading of `a` and
 * `t`. reading.c makes events of the steps.
 */
#include "step.h"

_Static_assert(sizeof(gw_squirrel_reader) <= 2048, "a reader has to fit its caller's stack");

#define TAG_LENGTH     1u
#define STRING_HEAD    3u /* tag, u16 length */
#define CONTAINER_HEAD 5u /* tag, u32 length or count */
#define SCRIPT_HEAD    2u

/* Sets the fault, at the current position. `needed`: bytes beyond the end, of a truncated input. */
static gw_next fail(gw_squirrel_reader *reader, gw_squirrel_fault code, uint64_t needed)
{
    gw_set_fault(&reader->fault, &gw_squirrel_faults, code, reader->offset, needed);
    return GW_NEXT_FAULT;
}

/* As fail(), for a fault about a length or count: also sets the declared number, and the actual one. */
static gw_next fail_with_numbers(gw_squirrel_reader *reader, gw_squirrel_fault code, uint64_t needed, uint32_t declared,
                                 uint32_t actual)
{
    reader->declared = declared;
    reader->actual = actual;
    return fail(reader, code, needed);
}

/* Starts to read; the first level is the content. An input that is too long is a fault at once. Without options
 * (`plain`) the content is one value at offset 0, the receiver is not known, and an error is odd even if it is the
 * whole value. */
void gw_squirrel_init(gw_squirrel_reader *reader, const uint8_t *bytes, size_t length,
                      const gw_squirrel_options *options)
{
    static const gw_squirrel_options plain = { 0, GW_SQUIRREL_CONTENT_VALUE, GW_SQUIRREL_BYTES_FIRST, 0, 0 };
    reader->bytes = bytes;
    reader->options = options ? *options : plain;
    reader->fault = (gw_fault){ 0, 0, 0, 0 };
    reader->declared = 0;
    reader->actual = 0;
    reader->resumed_at = GW_SQUIRREL_NO_END;
    reader->declared_end = GW_SQUIRREL_NO_END;
    reader->depth = 0;
    /* The content has no declared end. For a script, `nearest` is 0, by which turn_of() does not read it as a value with a
     * tag. */
    gw_squirrel_level *content = &reader->levels[0];
    content->limit = content->end = GW_SQUIRREL_NO_END;
    content->nearest = reader->options.content == GW_SQUIRREL_CONTENT_SCRIPT ? 0 : GW_SQUIRREL_NO_END;
    content->values = 0;
    content->wanted = reader->options.content == GW_SQUIRREL_CONTENT_PAIR ? 2 : 1;
    reader->lower_case = false;
    reader->length = length <= GW_LONGEST_INPUT ? (uint32_t)length : 0;
    reader->offset = reader->options.offset < reader->length ? reader->options.offset : reader->length;
    if (length > GW_LONGEST_INPUT)
        fail(reader, GW_SQUIRREL_FAULT_TOO_LONG, 0);
}

/* ---- declared ends ------------------------------------------------------------------------------------- */

static uint32_t minimum(uint32_t one, uint32_t other)
{
    return one < other ? one : other;
}

/* The declared end of the content of a container at `offset`; GW_SQUIRREL_NO_END if it exceeds any input. */
static uint32_t end_of(uint32_t offset, uint32_t declared)
{
    uint32_t content = offset + CONTAINER_HEAD;
    return declared < GW_SQUIRREL_NO_END - content ? content + declared : GW_SQUIRREL_NO_END;
}

/* The length or count after the tag of a level that is not the first one: its head was in the input. */
static uint32_t declared_by(const gw_squirrel_reader *reader, const gw_squirrel_level *level)
{
    return gw_le32(reader->bytes + level->offset + TAG_LENGTH);
}

/* True if the number after the tag is a count of elements or pairs; false: of bytes. */
static bool is_counted(const gw_squirrel_reader *reader, const gw_squirrel_type *type)
{
    return type->form == GW_SQUIRREL_FORM_COUNTED ||
           (type->form == GW_SQUIRREL_FORM_SIZED && reader->options.reading == GW_SQUIRREL_COUNTS);
}

/* The innermost container or command that is open; at depth 0 the content. */
static gw_squirrel_level *innermost(gw_squirrel_reader *reader)
{
    return &reader->levels[reader->depth];
}

/* True if reading can continue at this end: it is after the position and inside the input. GW_SQUIRREL_NO_END is not.
 * */
static bool lies_ahead(const gw_squirrel_reader *reader, uint32_t end)
{
    return end > reader->offset && end <= reader->length;
}

/* The offset at which reading can continue after bytes that cannot be parsed: the nearest declared end after the
 * position and inside the input; 0 if there is none. A declared end can be before the position, because a string or a
 * command may exceed its container. */
static uint32_t resumption(gw_squirrel_reader *reader)
{
    const gw_squirrel_level *level = innermost(reader);
    /* `nearest`: of the ends that this level and those around it declare. If it was passed, the others are tried:
     * `end`, which this level declares itself, and `limit`, the nearest one of those that the real client uses. */
    if (lies_ahead(reader, level->nearest))
        return level->nearest;
    if (lies_ahead(reader, level->end))
        return level->end;
    return lies_ahead(reader, level->limit) ? level->limit : 0;
}

/* Makes one OPAQUE event of the bytes up to `end`, with these bits of `odd`. Stores `end` in `resumed_at`: at this
 * offset turn_of() closes the levels that declare it as their end. */
static gw_next skip(gw_squirrel_reader *reader, gw_squirrel_event *event, uint32_t end, uint32_t odd)
{
    event->kind = GW_OPAQUE;
    event->odd |= odd;
    event->header.length = 0;
    event->payload.offset = reader->offset;
    event->payload.length = end - reader->offset;
    reader->offset = end;
    reader->resumed_at = end;
    return GW_NEXT_EVENT;
}

/* ---- values -------------------------------------------------------------------------------------------- */

/* An item of `size` bytes, the first `header` of which are its header, is longer than the rest of the input. If a
 * container around it ends inside the input, the item contradicts it: its bytes are skipped up to that end, with an
 * oddity. Else the input is truncated: the fault `code`. Both have the declared length of the payload and the number of
 * its bytes up to the end. */
static gw_next does_not_fit(gw_squirrel_reader *reader, gw_squirrel_event *event, gw_squirrel_fault code,
                            uint32_t header, uint64_t size)
{
    uint32_t end = resumption(reader);
    uint32_t left = reader->length - reader->offset;
    event->declared = (uint32_t)(size - header);
    event->actual = left > header ? left - header : 0;
    if (!end)
        return fail_with_numbers(reader, code, size - left, event->declared, event->actual);
    left = end - reader->offset;
    event->actual = left > header ? left - header : 0;
    return skip(reader, event, end, GW_SQUIRREL_ODD_BEYOND);
}

/* Makes the event of a value, and moves the reader to its end. Both lengths: bytes, which the caller has found to be in
 * the input. */
static gw_next finish_value(gw_squirrel_reader *reader, gw_squirrel_event *event, uint32_t header, uint32_t payload)
{
    event->kind = GW_VALUE;
    event->header.length = header;
    event->payload.offset = reader->offset + header;
    event->payload.length = payload;
    reader->offset += header + payload;
    return GW_NEXT_EVENT;
}

/* Reads a string or blob of `payload` bytes after `header` bytes, which are in the input. It is read with its own
 * length, even if it exceeds the nearest declared end around it, which is an oddity: `declared` is then its length,
 * `actual` the bytes of it before that end. `code`: the fault if it exceeds the input. */
static gw_next read_counted_bytes(gw_squirrel_reader *reader, gw_squirrel_event *event, uint32_t header,
                                  uint32_t payload, gw_squirrel_fault code)
{
    const gw_squirrel_level *level = innermost(reader);
    if (payload > reader->length - reader->offset - header)
        return does_not_fit(reader, event, code, header, (uint64_t)header + payload);
    finish_value(reader, event, header, payload);
    /* A container that ends before the first byte of the item is an error of that container, reported when it
     * closes. */
    if (reader->offset > level->nearest && event->payload.offset < level->nearest) {
        event->odd |= GW_SQUIRREL_ODD_BEYOND;
        event->declared = payload;
        event->actual = level->nearest - event->payload.offset;
    }
    return GW_NEXT_EVENT;
}

/* ---- containers and commands --------------------------------------------------------------------------- */

/* A container below the deepest level (GW_SQUIRREL_DEPTH) is skipped: to its own declared end, or if it has none in the
 * input, to the nearest one around it. Without any it is a fault: a counted container has no length by which it could
 * be skipped, one with a byte length is longer than the input, which has `there` bytes of its content. */
static gw_next too_deep(gw_squirrel_reader *reader, gw_squirrel_event *event, uint32_t declared)
{
    uint32_t end = event->counted ? GW_SQUIRREL_NO_END : end_of(reader->offset, declared);
    if (end <= reader->length)
        return skip(reader, event, end, GW_SQUIRREL_ODD_TOO_DEEP);
    end = resumption(reader);
    if (end)
        return skip(reader, event, end, GW_SQUIRREL_ODD_TOO_DEEP);
    if (event->counted)
        return fail(reader, GW_SQUIRREL_FAULT_TOO_DEEP, 0);
    uint32_t there = reader->length - reader->offset - CONTAINER_HEAD;
    return fail_with_numbers(reader, GW_SQUIRREL_FAULT_LENGTH_TRUNCATED, (uint64_t)declared - there, declared, there);
}

/* Opens a container or command: a level whose ends follow from its own number and from those around it. `end` is the
 * end that it declares itself, `wanted` the number of values after which it is complete; `nearest` is the first of the
 * ends that it and the levels around it declare, `limit` the first of those among them that the real client uses. */
static gw_next read_open(gw_squirrel_reader *reader, gw_squirrel_event *event, const gw_squirrel_type *type)
{
    if (reader->length - reader->offset < CONTAINER_HEAD)
        return does_not_fit(reader, event, GW_SQUIRREL_FAULT_VALUE_TRUNCATED, TAG_LENGTH, CONTAINER_HEAD);
    /* An `a` or `t`: the other reading of its number may differ. */
    reader->lower_case |= type->form == GW_SQUIRREL_FORM_SIZED;
    event->kind = GW_OPEN;
    event->counted = is_counted(reader, type);
    event->declared = gw_le32(reader->bytes + reader->offset + TAG_LENGTH);
    if (reader->depth == GW_SQUIRREL_DEPTH)
        return too_deep(reader, event, event->declared);
    if (type->tag == GW_SQUIRREL_ARRAY && !event->declared && !event->counted)
        event->odd |= GW_SQUIRREL_ODD_EMPTY_ARRAY;

    /* The client does not use the lengths of commands with a fixed number of operands: these are in `nearest`, not in
     * `limit`. */
    const gw_squirrel_level *parent = innermost(reader);
    gw_squirrel_level *level = &reader->levels[++reader->depth];
    uint32_t end = event->counted ? GW_SQUIRREL_NO_END : end_of(reader->offset, event->declared);
    level->offset = reader->offset;
    level->end = end;
    level->values = 0;
    level->wanted = UINT32_MAX;
    /* A pair has two values: `pairs` is 1. A count of pairs that does not fit is more than any input has. */
    if (event->counted && event->declared <= UINT32_MAX >> type->pairs)
        level->wanted = event->declared << type->pairs;
    else if (type->form == GW_SQUIRREL_FORM_COMMAND)
        level->wanted = type->operands;
    level->nearest = minimum(end, parent->nearest);
    level->limit = type->form == GW_SQUIRREL_FORM_COMMAND ? parent->limit : minimum(end, parent->limit);
    if (reader->depth == 1)
        reader->declared_end = end;

    event->header.length = CONTAINER_HEAD;
    event->payload.offset = reader->offset + CONTAINER_HEAD;
    event->payload.length = 0;
    reader->offset += CONTAINER_HEAD;
    return GW_NEXT_EVENT;
}

/* Reads the value at the reader's offset, whose tag has this type, by the form of the bytes after the tag. A tag that
 * the frame's receiver (0: unknown) does not support is odd; so is an error, unless it is the whole value of a reply
 * (options.error_at_top). An unknown tag has no known length: the bytes up to the next declared end are skipped, and
 * without such an end it is a fault. */
static gw_next read_value(gw_squirrel_reader *reader, gw_squirrel_event *event, const gw_squirrel_type *type)
{
    const uint8_t *bytes = reader->bytes + reader->offset;
    uint32_t left = reader->length - reader->offset, size = TAG_LENGTH + type->size, end;
    event->tag = *bytes;
    /* A tag that no receiver knows (type->tag is 0) is reported by its form. */
    if (type->tag && reader->options.receiver & ~type->receivers)
        event->odd |= GW_SQUIRREL_ODD_RECEIVER;
    switch (type->form) {
    case GW_SQUIRREL_FORM_FIXED:
        if (left < size)
            return does_not_fit(reader, event, GW_SQUIRREL_FAULT_VALUE_TRUNCATED, TAG_LENGTH, size);
        if (type->tag == GW_SQUIRREL_BOOL && bytes[TAG_LENGTH] > 1)
            event->odd |= GW_SQUIRREL_ODD_BOOL;
        return finish_value(reader, event, TAG_LENGTH, type->size);
    case GW_SQUIRREL_FORM_STRING:
        if (type->tag == GW_SQUIRREL_ERROR && (reader->depth || !reader->options.error_at_top))
            event->odd |= GW_SQUIRREL_ODD_ERROR_INSIDE;
        if (left < STRING_HEAD)
            return does_not_fit(reader, event, GW_SQUIRREL_FAULT_VALUE_TRUNCATED, TAG_LENGTH, STRING_HEAD);
        return read_counted_bytes(reader, event, STRING_HEAD, gw_be16(bytes + TAG_LENGTH),
                                  GW_SQUIRREL_FAULT_STRING_TRUNCATED);
    case GW_SQUIRREL_FORM_BLOB:
        if (left < CONTAINER_HEAD)
            return does_not_fit(reader, event, GW_SQUIRREL_FAULT_VALUE_TRUNCATED, TAG_LENGTH, CONTAINER_HEAD);
        return read_counted_bytes(reader, event, CONTAINER_HEAD, gw_le32(bytes + TAG_LENGTH),
                                  GW_SQUIRREL_FAULT_BLOB_TRUNCATED);
    case GW_SQUIRREL_FORM_UNKNOWN:
        end = resumption(reader);
        if (!end)
            return fail(reader, GW_SQUIRREL_FAULT_TAG_UNKNOWN, 0);
        return skip(reader, event, end, GW_SQUIRREL_ODD_UNKNOWN_TAG);
    default:
        return read_open(reader, event, type);
    }
}

/* ---- the next item ------------------------------------------------------------------------------------- */

/* The next step: read a value, read a script, close the level (the content: end), or fail (the fault is set). */
typedef enum turn {
    TURN_READ,
    TURN_SCRIPT,
    TURN_CLOSE,
    TURN_FAIL,
} turn;

/* For a command with a fixed number of operands, of which some are still to come: true if they are missing, because the
 * declared end of the command is here or was passed, and nothing follows. The real client ignores this length and reads
 * the operands (observed). If bytes follow, the command ends exactly at its length only inside another command or
 * container, and after at least one operand. */
static bool operands_end_here(const gw_squirrel_reader *reader, const gw_squirrel_level *level)
{
    if (level->end > reader->offset)
        return false;
    /* Nothing follows: the input ends, or an array, table or call around, whose length the client uses. */
    if (reader->offset == reader->length || reader->offset >= level->limit)
        return true;
    return level->end == reader->offset && level->values && reader->depth > 1;
}

/* The input ends before the level does. In a counted level, elements or pairs are missing; in a command with a fixed
 * number of operands, an operand; all others end by their length, which exceeds the input. The fault has the number of
 * missing bytes, and except for an operand the declared number and the actual one. */
static turn fail_unfinished(gw_squirrel_reader *reader, const gw_squirrel_level *level, const gw_squirrel_type *type)
{
    uint32_t declared = declared_by(reader, level);
    uint64_t end = (uint64_t)level->offset + CONTAINER_HEAD + declared;
    if (is_counted(reader, type)) {
        /* Each value that is missing has at least one byte. If pairs are counted, `pairs` is 1: two values each. */
        fail_with_numbers(reader, GW_SQUIRREL_FAULT_COUNT_TRUNCATED,
                          ((uint64_t)declared << type->pairs) - level->values, declared, level->values >> type->pairs);
    } else if (type->form == GW_SQUIRREL_FORM_COMMAND) {
        fail(reader, GW_SQUIRREL_FAULT_VALUE_MISSING, end - reader->length);
    } else {
        end = level->limit == GW_SQUIRREL_NO_END ? end : level->limit;
        fail_with_numbers(reader, GW_SQUIRREL_FAULT_LENGTH_TRUNCATED, end - reader->length, declared,
                          reader->length - level->offset - CONTAINER_HEAD);
    }
    return TURN_FAIL;
}

/* Decides the next step in the innermost level: close it, read a value (or the script) in it, or fail. A level ends by
 * its number of elements or operands (`wanted`), or by its length. At depth 0 it is the content, which has no
 * length. */
static turn turn_of(gw_squirrel_reader *reader, const gw_squirrel_level *level)
{
    if (level->values == level->wanted)
        return TURN_CLOSE;
    /* The usual case: no declared end is reached. `nearest` of a script is 0, so that it is never read here. */
    if (reader->offset < level->nearest && reader->offset < reader->length)
        return TURN_READ;
    if (!reader->depth) {
        if (reader->options.content == GW_SQUIRREL_CONTENT_SCRIPT)
            return TURN_SCRIPT;
        /* The input ends where the content still needs a value. */
        fail(reader, GW_SQUIRREL_FAULT_VALUE_MISSING, 1);
        return TURN_FAIL;
    }
    /* A declared end is here or before, of this level or of one around it; or the input ends. */
    const gw_squirrel_type *type = gw_squirrel_type_of_level(reader, level);
    bool is_over = false;
    if (reader->offset == reader->resumed_at && level->nearest <= reader->offset)
        is_over = true; /* bytes were skipped up to the end of this level or of one around it */
    else if (type->form == GW_SQUIRREL_FORM_COMMAND)
        is_over = operands_end_here(reader, level);
    else if (!is_counted(reader, type))
        is_over = reader->offset >= level->limit;
    if (is_over)
        return TURN_CLOSE;
    return reader->offset < reader->length ? TURN_READ : fail_unfinished(reader, level, type);
}

/* Closes the innermost level at the current position. `declared` is the level's length or count, `actual` the one that
 * its content has: a difference is an oddity of this event, as are a key without a value and missing operands. */
static gw_next close_level(gw_squirrel_reader *reader, gw_squirrel_event *event)
{
    const gw_squirrel_level *level = innermost(reader);
    const gw_squirrel_type *type = gw_squirrel_type_of_level(reader, level);
    uint32_t content = level->offset + CONTAINER_HEAD;
    event->kind = GW_CLOSE;
    event->tag = type->tag;
    event->depth = --reader->depth;
    event->counted = is_counted(reader, type);
    event->values = level->values;
    event->header.offset = level->offset;
    event->header.length = CONTAINER_HEAD;
    event->payload.offset = content;
    event->payload.length = reader->offset - content;
    event->declared = declared_by(reader, level);
    event->actual = event->counted ? level->values >> type->pairs : event->payload.length;
    if (event->declared != event->actual)
        event->odd |= event->counted ? GW_SQUIRREL_ODD_COUNT : GW_SQUIRREL_ODD_LENGTH;
    if (type->pairs && level->values & 1)
        event->odd |= GW_SQUIRREL_ODD_KEY_ALONE;
    if (level->values < type->operands)
        event->odd |= GW_SQUIRREL_ODD_OPERAND_MISSING;
    return GW_NEXT_EVENT;
}

/* One step: the next event with the members that step.h lists. Each value is counted in its level when it begins; its
 * role follows from that number. Returns GW_SQUIRREL_UNDECIDED before the first `a` or `t` if the reading (whether the
 * number after these tags is of bytes or of values) is not determined: the caller determines it and calls again. */
gw_next gw_squirrel_step(gw_squirrel_reader *reader, gw_squirrel_event *event)
{
    gw_squirrel_level *level = innermost(reader);
    const gw_squirrel_type *type;
    uint32_t left = reader->length - reader->offset;
    event->odd = 0;
    event->depth = reader->depth;
    event->counted = false;
    event->header.offset = reader->offset;
    event->declared = 0;
    event->actual = 0;
    switch (turn_of(reader, level)) {
    case TURN_READ:
        type = gw_squirrel_find_type(reader->bytes[reader->offset]);
        if (type->form == GW_SQUIRREL_FORM_SIZED && gw_squirrel_is_undecided(reader->options.reading))
            return GW_SQUIRREL_UNDECIDED;
        level->values++;
        /* A new value at the top: if it is a container or command, read_open() sets the end that it declares. */
        if (!reader->depth)
            reader->declared_end = GW_SQUIRREL_NO_END;
        return read_value(reader, event, type);
    case TURN_SCRIPT:
        /* A string without a tag, the whole content. */
        level->values++;
        event->tag = GW_SQUIRREL_STRING;
        if (left < SCRIPT_HEAD)
            return fail(reader, GW_SQUIRREL_FAULT_VALUE_TRUNCATED, SCRIPT_HEAD - left);
        return read_counted_bytes(reader, event, SCRIPT_HEAD, gw_be16(reader->bytes + reader->offset),
                                  GW_SQUIRREL_FAULT_STRING_TRUNCATED);
    case TURN_CLOSE:
        if (reader->depth)
            return close_level(reader, event);
        if (!left)
            return GW_NEXT_END;
        /* Bytes are left after the content. If the last value is a command whose length includes them, they are operands
         * too many. */
        return fail_with_numbers(reader,
                                 lies_ahead(reader, reader->declared_end) ? GW_SQUIRREL_FAULT_OPERAND_LEFT_OVER
                                                                          : GW_SQUIRREL_FAULT_CONTENT_LEFT_OVER,
                                 0, 0, left);
    default:
        return GW_NEXT_FAULT;
    }
}
