/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Reads values one after the other. step() is compiled twice: gw_squirrel_next() makes events of them;
 * gw_squirrel_validate() needs only what is odd, so that `event` has the oddities of all values, and no other member
 * (`is_event` is false). What does not fit is in ends.c.
 */
#include "step.h"

_Static_assert(sizeof(gw_squirrel_reader) <= 2048, "a reader has to fit its caller's stack");

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
    reader->level = reader->levels;
    /* The content has no declared end. */
    gw_squirrel_level *content = reader->levels;
    content->limit = content->nearest = content->end = GW_SQUIRREL_NO_END;
    content->values = 0;
    content->wanted = reader->options.content == GW_SQUIRREL_CONTENT_PAIR ? 2 : 1;
    reader->lower_case = false;
    reader->values = 0;
    reader->length = length <= GW_LONGEST_INPUT ? (uint32_t)length : 0;
    reader->offset = reader->options.offset < reader->length ? reader->options.offset : reader->length;
    if (length > GW_LONGEST_INPUT)
        gw_squirrel_fail(reader, GW_SQUIRREL_FAULT_TOO_LONG, 0);
}

/* ---- roles and numbers --------------------------------------------------------------------------------- */

/* Sets the role and index of an event, which both follow from the number of the value in `parent`: the content
 * (levels[0]) at depth 0, else a container or command. The index counts pairs, elements, or the parameters of a call
 * after its `operands` fixed operands; of other values it is 0. */
static ALWAYS_INLINE void set_role(const gw_squirrel_reader *reader, const gw_squirrel_level *parent,
                                   gw_squirrel_event *event)
{
    static const uint8_t roles_at_top[] = {
        [GW_SQUIRREL_CONTENT_VALUE] = GW_SQUIRREL_ROLE_BODY,
        [GW_SQUIRREL_CONTENT_PAIR] = GW_SQUIRREL_ROLE_IDENTIFIER,
        [GW_SQUIRREL_CONTENT_SCRIPT] = GW_SQUIRREL_ROLE_SCRIPT,
        [GW_SQUIRREL_CONTENT_CHUNK] = GW_SQUIRREL_ROLE_BODY,
    };
    if (!event->depth) {
        /* Only a pair has a second value. */
        event->role = parent->values == 2 ? GW_SQUIRREL_ROLE_DATA : roles_at_top[reader->options.content];
        event->index = 0;
        return;
    }
    const gw_squirrel_type *type = gw_squirrel_type_of_level(reader, parent);
    /* From 0: the parent has counted the value already. Keys and values alternate in pairs, which have no fixed
     * operands; of operands, the last role repeats. */
    uint32_t number = parent->values - 1;
    event->role = type->roles[type->pairs ? number & 1 : minimum(number, GW_SQUIRREL_OPERAND_ROLES - 1)];
    event->index = (number - minimum(number, type->operands)) >> type->pairs;
}

/* Sets the number or the floats of a value of fixed length from its payload. */
static ALWAYS_INLINE void set_number(gw_squirrel_event *event, const uint8_t *payload)
{
    switch (event->tag) {
    case GW_SQUIRREL_INT32:
        event->number = (int32_t)gw_le32(payload);
        break;
    case GW_SQUIRREL_INT16:
        event->number = (int16_t)gw_le16(payload);
        break;
    case GW_SQUIRREL_BOOL:
        event->number = payload[0] != 0;
        break;
    default: /* one, three or four floats; null has no payload */
        for (uint32_t i = 0, count = event->payload.length / 4; i < count; i++)
            event->real[i] = gw_le_float(payload + 4 * (size_t)i);
        break;
    }
}

/* ---- values -------------------------------------------------------------------------------------------- */

/* Completes a value, and moves the reader to its end. Both lengths: bytes, which the caller has found to be in the
 * input. */
static ALWAYS_INLINE gw_next finish(gw_squirrel_reader *reader, gw_squirrel_event *event, bool is_event,
                                    uint32_t header, uint32_t payload)
{
    if (is_event) {
        event->kind = GW_VALUE;
        event->header.length = header;
        event->payload.offset = reader->offset + header;
        event->payload.length = payload;
    }
    reader->offset += header + payload;
    return GW_NEXT_EVENT;
}

/* Reads a string or blob of `payload` bytes after `header` bytes, which are in the input. It is read with its own
 * length, even if it exceeds the nearest declared end around it, which is an oddity: `declared` is then its length,
 * `actual` the bytes of it before that end. `code`: the fault if it exceeds the input. */
static ALWAYS_INLINE gw_next complete_counted(gw_squirrel_reader *reader, gw_squirrel_event *event, bool is_event,
                                              uint32_t header, uint32_t payload, gw_squirrel_fault code)
{
    uint32_t nearest = reader->level->nearest, begin = reader->offset + header;
    const uint8_t *bytes = reader->bytes + begin;
    if (payload > reader->length - begin)
        return gw_squirrel_does_not_fit(reader, event, code, header, (uint64_t)header + payload);
    finish(reader, event, is_event, header, payload);
    /* A container that ends before the first byte of the item is an error of that container, reported when it
     * closes. */
    if (reader->offset > nearest && begin < nearest) {
        event->odd |= GW_SQUIRREL_ODD_BEYOND;
        event->declared = payload;
        event->actual = nearest - begin;
    }
    /* All but a blob are texts. */
    if (code == GW_SQUIRREL_FAULT_STRING_TRUNCATED && gw_utf8_prefix(bytes, payload) != payload)
        event->odd |= GW_SQUIRREL_ODD_UTF8;
    return GW_NEXT_EVENT;
}

/* complete_counted() for events. A function of its own keeps gw_squirrel_next() free of calls after which it has to go on,
 * so that it saves few registers. */
static NEVER_INLINE gw_next next_counted(gw_squirrel_reader *reader, gw_squirrel_event *event, uint32_t header,
                                         uint32_t payload, gw_squirrel_fault code)
{
    return complete_counted(reader, event, true, header, payload, code);
}

/* Reads a string or blob: calls next_counted() for events, and has the code of complete_counted() for validating. */
static ALWAYS_INLINE gw_next read_counted(gw_squirrel_reader *reader, gw_squirrel_event *event, bool is_event,
                                          uint32_t header, uint32_t payload, gw_squirrel_fault code)
{
    return is_event ? next_counted(reader, event, header, payload, code)
                    : complete_counted(reader, event, false, header, payload, code);
}

/* Counts the value that begins at the position: in its level, from which its role follows, or also for a summary. */
static ALWAYS_INLINE void begin_value(gw_squirrel_reader *reader, gw_squirrel_event *event, bool is_event)
{
    reader->level->values++;
    if (is_event)
        set_role(reader, reader->level, event);
    else
        reader->values++;
}

/* Reads the content as a script: a string without a tag. */
static ALWAYS_INLINE gw_next read_script(gw_squirrel_reader *reader, gw_squirrel_event *event, bool is_event)
{
    uint32_t left = reader->length - reader->offset;
    begin_value(reader, event, is_event);
    if (is_event)
        event->tag = GW_SQUIRREL_STRING;
    if (left < SCRIPT_HEAD)
        return gw_squirrel_fail(reader, GW_SQUIRREL_FAULT_VALUE_TRUNCATED, SCRIPT_HEAD - left);
    uint32_t length = gw_be16(reader->bytes + reader->offset);
    return read_counted(reader, event, is_event, SCRIPT_HEAD, length, GW_SQUIRREL_FAULT_STRING_TRUNCATED);
}

/* ---- containers and commands --------------------------------------------------------------------------- */

/* Opens a container or command: a level whose ends follow from its own number and from those around it. `end` is the
 * end that it declares itself, `wanted` the number of values after which it is complete; `nearest` is the first of the
 * ends that it and the levels around it declare, `limit` the first of those among them that the real client uses. */
static ALWAYS_INLINE gw_next read_open(gw_squirrel_reader *reader, gw_squirrel_event *event, bool is_event,
                                       const gw_squirrel_type *type)
{
    if (reader->length - reader->offset < CONTAINER_HEAD)
        return gw_squirrel_does_not_fit(reader, event, GW_SQUIRREL_FAULT_VALUE_TRUNCATED, TAG_LENGTH, CONTAINER_HEAD);
    /* An `a` or `t`: the other reading of its number may differ. */
    reader->lower_case |= type->form == GW_SQUIRREL_FORM_SIZED;
    bool counted = is_counted(reader, type);
    uint32_t declared = gw_le32(reader->bytes + reader->offset + TAG_LENGTH);
    if (is_event) {
        event->kind = GW_OPEN;
        event->counted = counted;
        event->declared = declared;
        event->header.length = CONTAINER_HEAD;
        event->payload = (gw_span){ reader->offset + CONTAINER_HEAD, 0 };
    }
    if (reader->depth == GW_SQUIRREL_DEPTH)
        return gw_squirrel_too_deep(reader, event, counted, declared);
    if (type->tag == GW_SQUIRREL_ARRAY && !declared && !counted)
        event->odd |= GW_SQUIRREL_ODD_EMPTY_ARRAY;

    /* The client does not use the lengths of commands with a fixed number of operands: these are in `nearest`, not in
     * `limit`. */
    const gw_squirrel_level *parent = reader->level;
    gw_squirrel_level *level = ++reader->level;
    reader->depth++;
    uint32_t end = counted ? GW_SQUIRREL_NO_END : end_of(reader->offset, declared);
    level->offset = reader->offset;
    level->end = end;
    level->values = 0;
    level->wanted = UINT32_MAX;
    /* A pair has two values: `pairs` is 1. A count of pairs that does not fit is more than any input has. */
    if (counted && declared <= UINT32_MAX >> type->pairs)
        level->wanted = declared << type->pairs;
    else if (type->form == GW_SQUIRREL_FORM_COMMAND)
        level->wanted = type->operands;
    level->nearest = minimum(end, parent->nearest);
    level->limit = type->form == GW_SQUIRREL_FORM_COMMAND ? parent->limit : minimum(end, parent->limit);
    if (reader->depth == 1)
        reader->declared_end = end;
    reader->offset += CONTAINER_HEAD;
    return GW_NEXT_EVENT;
}

/* Opens the first `a` or `t`: its u32 is read so that the input ends exactly, if one of the two readings does that. */
static NEVER_INLINE gw_next determine_and_open(gw_squirrel_reader *reader, gw_squirrel_event *event,
                                               const gw_squirrel_type *type)
{
    gw_squirrel_summary summary;
    gw_squirrel_validate(reader->bytes, reader->length, &reader->options, &summary);
    reader->options.reading = summary.reading;
    return read_open(reader, event, true, type);
}

/* read_open() for events: see next_counted(). */
static NEVER_INLINE gw_next next_open(gw_squirrel_reader *reader, gw_squirrel_event *event,
                                      const gw_squirrel_type *type)
{
    if (type->form == GW_SQUIRREL_FORM_SIZED && gw_squirrel_is_undecided(reader->options.reading))
        return determine_and_open(reader, event, type);
    return read_open(reader, event, true, type);
}

/* Closes the innermost level at the current position. `declared` is the level's length or count, `actual` the one that
 * its content has: a difference is an oddity of this event, as are a key without a value and missing operands. */
static ALWAYS_INLINE gw_next close_level(gw_squirrel_reader *reader, gw_squirrel_event *event, bool is_event)
{
    const gw_squirrel_level *level = reader->level--;
    const gw_squirrel_type *type = gw_squirrel_type_of_level(reader, level);
    bool counted = is_counted(reader, type);
    uint32_t content = level->offset + CONTAINER_HEAD, length = reader->offset - content;
    uint32_t declared = declared_by(reader, level), actual = counted ? level->values >> type->pairs : length;
    reader->depth--;
    if (is_event) {
        event->kind = GW_CLOSE;
        event->tag = type->tag;
        event->depth = reader->depth;
        event->counted = counted;
        event->values = level->values;
        event->header = (gw_span){ level->offset, CONTAINER_HEAD };
        event->payload = (gw_span){ content, length };
        event->declared = declared;
        event->actual = actual;
        set_role(reader, reader->level, event);
    }
    if (declared != actual)
        event->odd |= counted ? GW_SQUIRREL_ODD_COUNT : GW_SQUIRREL_ODD_LENGTH;
    if (level->values & type->pairs) /* an odd number of values where two are a pair */
        event->odd |= GW_SQUIRREL_ODD_KEY_ALONE;
    if (level->values < type->operands)
        event->odd |= GW_SQUIRREL_ODD_OPERAND_MISSING;
    return GW_NEXT_EVENT;
}

/* close_level() for events: see next_counted(). */
static NEVER_INLINE gw_next next_close(gw_squirrel_reader *reader, gw_squirrel_event *event)
{
    return close_level(reader, event, true);
}

/* ---- the next item ------------------------------------------------------------------------------------- */

/* Reads the value at the reader's offset, by the form of the bytes after its tag. A tag that the frame's receiver (0:
 * unknown) does not support is odd; so is an error, unless it is the whole value of a reply (options.error_at_top).
 * An unknown tag has no known length. */
static ALWAYS_INLINE gw_next read_value(gw_squirrel_reader *reader, gw_squirrel_event *event, bool is_event)
{
    begin_value(reader, event, is_event);
    const uint8_t *bytes = reader->bytes + reader->offset;
    const gw_squirrel_type *type = gw_squirrel_find_type(*bytes);
    uint32_t left = reader->length - reader->offset, length;
    if (is_event)
        event->tag = *bytes;
    /* A new value at the top: if it is a container or command, read_open() sets the end that it declares. */
    if (!reader->depth)
        reader->declared_end = GW_SQUIRREL_NO_END;
    /* That no receiver knows the tag is reported by its form. */
    if (reader->options.receiver & ~type->receivers && type->tag)
        event->odd |= GW_SQUIRREL_ODD_RECEIVER;
    switch (type->form) {
    case GW_SQUIRREL_FORM_FIXED:
        if (left <= type->size)
            return gw_squirrel_does_not_fit(reader, event, GW_SQUIRREL_FAULT_VALUE_TRUNCATED, TAG_LENGTH,
                                            TAG_LENGTH + type->size);
        if (type->tag == GW_SQUIRREL_BOOL && bytes[TAG_LENGTH] > 1)
            event->odd |= GW_SQUIRREL_ODD_BOOL;
        finish(reader, event, is_event, TAG_LENGTH, type->size);
        if (is_event)
            set_number(event, bytes + TAG_LENGTH);
        return GW_NEXT_EVENT;
    case GW_SQUIRREL_FORM_STRING:
        if (type->tag == GW_SQUIRREL_ERROR && (reader->depth || !reader->options.error_at_top))
            event->odd |= GW_SQUIRREL_ODD_ERROR_INSIDE;
        if (left < STRING_HEAD)
            return gw_squirrel_does_not_fit(reader, event, GW_SQUIRREL_FAULT_VALUE_TRUNCATED, TAG_LENGTH, STRING_HEAD);
        length = gw_be16(bytes + TAG_LENGTH);
        return read_counted(reader, event, is_event, STRING_HEAD, length, GW_SQUIRREL_FAULT_STRING_TRUNCATED);
    case GW_SQUIRREL_FORM_BLOB:
        if (left < CONTAINER_HEAD)
            return gw_squirrel_does_not_fit(reader, event, GW_SQUIRREL_FAULT_VALUE_TRUNCATED, TAG_LENGTH,
                                            CONTAINER_HEAD);
        length = gw_le32(bytes + TAG_LENGTH);
        return read_counted(reader, event, is_event, CONTAINER_HEAD, length, GW_SQUIRREL_FAULT_BLOB_TRUNCATED);
    case GW_SQUIRREL_FORM_UNKNOWN:
        return gw_squirrel_skip_unknown(reader, event);
    default:
        return is_event ? next_open(reader, event, type) : read_open(reader, event, false, type);
    }
}

/* At a declared end, or past it, or at the end of the input: the level ends here, or as the real client does one more
 * value is read, or the input ends too early. */
static ALWAYS_INLINE gw_next step_at_end(gw_squirrel_reader *reader, gw_squirrel_event *event, bool is_event)
{
    if (gw_squirrel_ends_here(reader, reader->level))
        return close_level(reader, event, is_event);
    return reader->offset < reader->length ? read_value(reader, event, is_event)
                                           : gw_squirrel_fail_unfinished(reader, reader->level);
}

/* step_at_end() for events, and for validating: see next_counted(). */
static NEVER_INLINE gw_next next_at_end(gw_squirrel_reader *reader, gw_squirrel_event *event)
{
    return step_at_end(reader, event, true);
}

static NEVER_INLINE gw_next validate_at_end(gw_squirrel_reader *reader, gw_squirrel_event *event)
{
    return step_at_end(reader, event, false);
}

/* The next item: a value, the end of a level, or (GW_NEXT_END) of the content. A level ends by its number of values
 * (`wanted`), or by a declared end. */
static ALWAYS_INLINE gw_next step(gw_squirrel_reader *reader, gw_squirrel_event *event, bool is_event)
{
    const gw_squirrel_level *level = reader->level;
    if (is_event) {
        event->odd = 0;
        event->depth = reader->depth;
        event->counted = false;
        event->header.offset = reader->offset;
        event->declared = 0;
        event->actual = 0;
    }
    if (level->values == level->wanted) {
        if (!reader->depth)
            return gw_squirrel_end_content(reader);
        return is_event ? next_close(reader, event) : close_level(reader, event, false);
    }
    if (!reader->depth && reader->options.content == GW_SQUIRREL_CONTENT_SCRIPT)
        return read_script(reader, event, is_event);
    if (reader->offset < level->nearest && reader->offset < reader->length)
        return read_value(reader, event, is_event);
    return is_event ? next_at_end(reader, event) : validate_at_end(reader, event);
}

/* The next event. */
gw_next gw_squirrel_next(gw_squirrel_reader *reader, gw_squirrel_event *event)
{
    return reader->fault.code ? GW_NEXT_FAULT : step(reader, event, true);
}

/* ---- validating ---------------------------------------------------------------------------------------- */

/* Reads all values with one reading (number after `a` and `t`: of bytes or of values), for the summary. True if the
 * content is valid. After the call, reader->lower_case is true if an `a` or `t` was read, so that the other reading may
 * differ. */
static bool validate_as(gw_squirrel_reader *reader, uint8_t reading, gw_squirrel_summary *summary)
{
    gw_squirrel_event event;
    uint32_t odd = event.odd = 0;
    reader->options.reading = reading;
    /* An input that is too long is a fault from the beginning. */
    if (!reader->fault.code)
        while (step(reader, &event, false) == GW_NEXT_EVENT)
            odd = event.odd; /* of all values so far, without one that fails */
    summary->fault = reader->fault;
    summary->values = reader->values;
    summary->odd = odd;
    summary->reading = reading;
    return !reader->fault.code && !(odd & GW_SQUIRREL_ODD_INVALID);
}

/* Validates with the reading (number after `a` and `t`: of bytes or of values) that is tried first; if it fails, and
 * the options do not determine the reading, with the other one. If both fail, the summary is that of the first. */
bool gw_squirrel_validate(const uint8_t *bytes, size_t length, const gw_squirrel_options *options,
                          gw_squirrel_summary *summary)
{
    gw_squirrel_reader reader;
    gw_squirrel_summary first, second;
    gw_squirrel_init(&reader, bytes, length, options);
    uint8_t reading = reader.options.reading;
    bool undecided = gw_squirrel_is_undecided(reading);
    if (!summary)
        summary = &first;
    if (undecided)
        reading = gw_squirrel_first_reading(reading);
    if (validate_as(&reader, reading, summary))
        return true;
    if (!undecided || !reader.lower_case)
        return false;
    gw_squirrel_init(&reader, bytes, length, options);
    if (!validate_as(&reader, gw_squirrel_other_reading(reading), &second))
        return false;
    *summary = second;
    return true;
}
