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

static gw_next fail(gw_squirrel_reader *reader, gw_squirrel_fault code, uint64_t needed)
{
    gw_set_fault(&reader->fault, &gw_squirrel_faults, code, reader->offset, needed);
    return GW_NEXT_FAULT;
}

static gw_next fail_with_numbers(gw_squirrel_reader *reader, gw_squirrel_fault code, uint64_t needed, uint32_t declared,
                                 uint32_t actual)
{
    reader->declared = declared;
    reader->actual = actual;
    return fail(reader, code, needed);
}

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
    reader->roots = 0;
    reader->depth = 0;
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

/* The end that the level declares itself; a count declares none. */
static uint32_t own_end(const gw_squirrel_level *level)
{
    return level->counted ? GW_SQUIRREL_NO_END : end_of(level->offset, level->declared);
}

/* The innermost container or command that is open; NULL: none. */
static gw_squirrel_level *top(gw_squirrel_reader *reader)
{
    return reader->depth ? &reader->levels[reader->depth - 1] : NULL;
}

/* True if reading can continue at this end: it is after the position and inside the input. */
static bool lies_ahead(const gw_squirrel_reader *reader, uint32_t end)
{
    return end > reader->offset && end <= reader->length;
}

/* The offset at which reading can continue after bytes that cannot be parsed: the nearest declared end after the
 * position and inside the input; 0 if there is none. */
static uint32_t resumption(gw_squirrel_reader *reader)
{
    const gw_squirrel_level *level = top(reader);
    if (!level)
        return 0;
    if (lies_ahead(reader, level->nearest))
        return level->nearest;
    if (lies_ahead(reader, own_end(level)))
        return own_end(level);
    return lies_ahead(reader, level->limit) ? level->limit : 0;
}

/* Makes one OPAQUE event of the bytes up to `end`, with these bits of `odd`. */
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
 * declared end inside the input contradicts it, the item is skipped; else the input is truncated. */
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

/* A string or blob is read with its own length, even if it exceeds its container. */
static gw_next read_counted_bytes(gw_squirrel_reader *reader, gw_squirrel_event *event, uint32_t header,
                                  uint32_t payload, gw_squirrel_fault code)
{
    const gw_squirrel_level *level = top(reader);
    if (payload > reader->length - reader->offset - header)
        return does_not_fit(reader, event, code, header, (uint64_t)header + payload);
    finish_value(reader, event, header, payload);
    /* A container that ends before the first byte of the item is an error of that container, reported when it
     * closes. */
    if (level && reader->offset > level->nearest && event->payload.offset < level->nearest) {
        event->odd |= GW_SQUIRREL_ODD_BEYOND;
        event->declared = payload;
        event->actual = level->nearest - event->payload.offset;
    }
    return GW_NEXT_EVENT;
}

/* ---- containers and commands --------------------------------------------------------------------------- */

/* A container below the deepest level is skipped: to its own declared end, or if it has none in the input, to the
 * nearest one around it. */
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

static gw_next read_open(gw_squirrel_reader *reader, gw_squirrel_event *event, const gw_squirrel_type *type)
{
    if (reader->length - reader->offset < CONTAINER_HEAD)
        return does_not_fit(reader, event, GW_SQUIRREL_FAULT_VALUE_TRUNCATED, TAG_LENGTH, CONTAINER_HEAD);
    reader->lower_case |= type->form == GW_SQUIRREL_FORM_SIZED;
    event->kind = GW_OPEN;
    event->counted = type->form == GW_SQUIRREL_FORM_COUNTED ||
                     (type->form == GW_SQUIRREL_FORM_SIZED && reader->options.reading == GW_SQUIRREL_COUNTS);
    event->declared = gw_le32(reader->bytes + reader->offset + TAG_LENGTH);
    if (reader->depth == GW_SQUIRREL_DEPTH)
        return too_deep(reader, event, event->declared);
    if (type->tag == GW_SQUIRREL_ARRAY && !event->declared && !event->counted)
        event->odd |= GW_SQUIRREL_ODD_EMPTY_ARRAY;

    /* The client does not use the lengths of commands with a fixed number of operands: these are in `nearest`, not in
     * `limit`. */
    const gw_squirrel_level *parent = top(reader);
    gw_squirrel_level *level = &reader->levels[reader->depth++];
    level->offset = reader->offset;
    level->declared = event->declared;
    level->values = 0;
    level->tag = event->tag;
    level->counted = event->counted;
    uint32_t end = own_end(level);
    level->nearest = parent ? minimum(end, parent->nearest) : end;
    level->limit = parent ? parent->limit : GW_SQUIRREL_NO_END;
    if (type->form != GW_SQUIRREL_FORM_COMMAND)
        level->limit = minimum(end, level->limit);
    if (reader->depth == 1)
        reader->declared_end = end;

    event->header.length = CONTAINER_HEAD;
    event->payload.offset = reader->offset + CONTAINER_HEAD;
    reader->offset += CONTAINER_HEAD;
    return GW_NEXT_EVENT;
}

static gw_next read_value(gw_squirrel_reader *reader, gw_squirrel_event *event)
{
    const uint8_t *bytes = reader->bytes + reader->offset;
    const gw_squirrel_type *type = gw_squirrel_find_type(*bytes);
    uint32_t left = reader->length - reader->offset, size = TAG_LENGTH + type->size, end;
    event->tag = *bytes;
    /* A tag that no receiver knows (type->tag is 0) is reported by its form. */
    if (reader->options.receiver & ~type->receivers && type->tag)
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

/* The next step: read a value, read a script, close the level, end, or fail (the fault is set). */
typedef enum turn {
    TURN_READ,
    TURN_SCRIPT,
    TURN_CLOSE,
    TURN_END,
    TURN_FAIL,
} turn;

/* True if a command's length ends here, after a complete operand. At the top level and before the first operand the
 * length is used only if nothing follows: the real client does not use it. */
static bool operands_end_here(const gw_squirrel_reader *reader, const gw_squirrel_level *level)
{
    uint32_t end = own_end(level);
    if (end > reader->offset)
        return false;
    if (reader->offset == reader->length || reader->offset >= level->limit)
        return true;
    return end == reader->offset && level->values && reader->depth > 1;
}

/* The next step inside a container or command, which ends by its count, its operands or its length. */
static turn turn_of(gw_squirrel_reader *reader, const gw_squirrel_level *level)
{
    const gw_squirrel_type *type = gw_squirrel_find_type(level->tag);
    bool is_command = type->form == GW_SQUIRREL_FORM_COMMAND && !level->counted;
    uint64_t values = (uint64_t)level->declared << type->pairs; /* if it is counted */
    bool is_over;
    /* Bytes were skipped up to the end of this level. */
    if (reader->offset == reader->resumed_at && level->nearest <= reader->offset)
        return TURN_CLOSE;
    if (level->counted)
        is_over = level->values >= values;
    else if (is_command)
        is_over = level->values == type->operands || operands_end_here(reader, level);
    else
        is_over = reader->offset >= level->limit;
    if (is_over)
        return TURN_CLOSE;
    if (reader->offset < reader->length)
        return TURN_READ;

    /* The input ends first: the fault depends on what the level still needs. */
    uint64_t end = (uint64_t)level->offset + CONTAINER_HEAD + level->declared;
    if (level->counted) {
        fail_with_numbers(reader, GW_SQUIRREL_FAULT_COUNT_TRUNCATED, values - level->values, level->declared,
                          level->values >> type->pairs);
    } else if (is_command) {
        fail(reader, GW_SQUIRREL_FAULT_VALUE_MISSING, end - reader->length);
    } else {
        end = level->limit == GW_SQUIRREL_NO_END ? end : level->limit;
        fail_with_numbers(reader, GW_SQUIRREL_FAULT_LENGTH_TRUNCATED, end - reader->length, level->declared,
                          reader->length - level->offset - CONTAINER_HEAD);
    }
    return TURN_FAIL;
}

/* Closes the innermost level at the current position. The lengths and counts that contradict its content are oddities
 * of this event. */
static gw_next close_level(gw_squirrel_reader *reader, gw_squirrel_event *event)
{
    const gw_squirrel_level *level = &reader->levels[--reader->depth];
    const gw_squirrel_type *type = gw_squirrel_find_type(level->tag);
    uint32_t content = level->offset + CONTAINER_HEAD;
    event->kind = GW_CLOSE;
    event->tag = level->tag;
    event->depth = reader->depth;
    event->counted = level->counted;
    event->values = level->values;
    event->header.offset = level->offset;
    event->header.length = CONTAINER_HEAD;
    event->payload.offset = content;
    event->payload.length = reader->offset - content;
    event->declared = level->declared;
    event->actual = level->counted ? level->values >> type->pairs : event->payload.length;
    if (event->declared != event->actual)
        event->odd |= level->counted ? GW_SQUIRREL_ODD_COUNT : GW_SQUIRREL_ODD_LENGTH;
    if (type->pairs && level->values & 1)
        event->odd |= GW_SQUIRREL_ODD_KEY_ALONE;
    if (level->values < type->operands)
        event->odd |= GW_SQUIRREL_ODD_OPERAND_MISSING;
    return GW_NEXT_EVENT;
}

/* Called before the first value, and after each complete one. */
static turn turn_at_top(gw_squirrel_reader *reader)
{
    uint8_t wanted = reader->options.content == GW_SQUIRREL_CONTENT_PAIR ? 2 : 1;
    uint32_t left = reader->length - reader->offset;
    if (reader->roots == wanted) {
        /* The length of the last value, a command, includes the bytes after its operands. */
        bool is_in_length = lies_ahead(reader, reader->declared_end);
        gw_squirrel_fault code =
            is_in_length ? GW_SQUIRREL_FAULT_OPERAND_LEFT_OVER : GW_SQUIRREL_FAULT_CONTENT_LEFT_OVER;
        if (left)
            fail_with_numbers(reader, code, 0, 0, left);
        return left ? TURN_FAIL : TURN_END;
    }
    bool is_script = reader->options.content == GW_SQUIRREL_CONTENT_SCRIPT;
    if (!left && !is_script) {
        fail(reader, GW_SQUIRREL_FAULT_VALUE_MISSING, 1);
        return TURN_FAIL;
    }
    reader->roots++;
    reader->declared_end = GW_SQUIRREL_NO_END;
    return is_script ? TURN_SCRIPT : TURN_READ;
}

gw_next gw_squirrel_step(gw_squirrel_reader *reader, gw_squirrel_event *event)
{
    gw_squirrel_level *level = top(reader);
    event->odd = 0;
    event->depth = reader->depth;
    event->counted = false;
    event->header.offset = reader->offset;
    event->declared = 0;
    event->actual = 0;
    turn next = level ? turn_of(reader, level) : turn_at_top(reader);
    /* The level counts its values when they begin; the top counts its own in `roots`. */
    if (level)
        level->values += next == TURN_READ;
    uint32_t left = reader->length - reader->offset;
    switch (next) {
    case TURN_READ:
        return read_value(reader, event);
    case TURN_SCRIPT:
        event->tag = GW_SQUIRREL_STRING;
        if (left < SCRIPT_HEAD)
            return fail(reader, GW_SQUIRREL_FAULT_VALUE_TRUNCATED, SCRIPT_HEAD - left);
        return read_counted_bytes(reader, event, SCRIPT_HEAD, gw_be16(reader->bytes + reader->offset),
                                  GW_SQUIRREL_FAULT_STRING_TRUNCATED);
    case TURN_CLOSE:
        return close_level(reader, event);
    case TURN_END:
        return GW_NEXT_END;
    default:
        return GW_NEXT_FAULT;
    }
}
