/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The ends of levels and of the input, and bytes that do not fit: the reader skips them up to the nearest declared end,
 * or fails. Valid values come here only where a length or the content ends.
 */
#include "step.h"

/* Sets the fault, at the current position. `needed`: bytes beyond the end, of a truncated input. */
gw_next gw_squirrel_fail(gw_squirrel_reader *reader, gw_squirrel_fault code, uint64_t needed)
{
    gw_set_fault(&reader->fault, &gw_squirrel_faults, code, reader->offset, needed);
    return GW_NEXT_FAULT;
}

/* As gw_squirrel_fail(), for a fault about a length or count: also sets the declared number, and the actual one. */
static gw_next fail_with_numbers(gw_squirrel_reader *reader, gw_squirrel_fault code, uint64_t needed, uint32_t declared,
                                 uint32_t actual)
{
    reader->declared = declared;
    reader->actual = actual;
    return gw_squirrel_fail(reader, code, needed);
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
    const gw_squirrel_level *level = reader->level;
    /* `nearest`: of the ends that this level and those around it declare. If it was passed, the others are tried:
     * `end`, which this level declares itself, and `limit`, the nearest one of those that the real client uses. */
    if (lies_ahead(reader, level->nearest))
        return level->nearest;
    if (lies_ahead(reader, level->end))
        return level->end;
    return lies_ahead(reader, level->limit) ? level->limit : 0;
}

/* Makes one OPAQUE event of the bytes up to `end`, with these bits of `odd`. Stores `end` in `resumed_at`: at this
 * offset gw_squirrel_ends_here() closes the levels that declare it as their end. */
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

/* An item of `size` bytes, the first `header` of which are its header, is longer than the rest of the input. If a
 * container around it ends inside the input, the item contradicts it: its bytes are skipped up to that end, with an
 * oddity. Else the input is truncated: the fault `code`. Both have the declared length of the payload and the number of
 * its bytes up to the end. */
gw_next gw_squirrel_does_not_fit(gw_squirrel_reader *reader, gw_squirrel_event *event, gw_squirrel_fault code,
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

/* Skips the bytes from an unknown tag up to the nearest declared end; the fault TAG_UNKNOWN if there is none. */
gw_next gw_squirrel_skip_unknown(gw_squirrel_reader *reader, gw_squirrel_event *event)
{
    uint32_t end = resumption(reader);
    return end ? skip(reader, event, end, GW_SQUIRREL_ODD_UNKNOWN_TAG)
               : gw_squirrel_fail(reader, GW_SQUIRREL_FAULT_TAG_UNKNOWN, 0);
}

/* A container below the deepest level (GW_SQUIRREL_DEPTH) is skipped: to its own declared end, or if it has none in the
 * input, to the nearest one around it. Without any it is a fault: a counted container has no length by which it could
 * be skipped, one with a byte length is longer than the input, which has `there` bytes of its content. */
gw_next gw_squirrel_too_deep(gw_squirrel_reader *reader, gw_squirrel_event *event, bool counted, uint32_t declared)
{
    uint32_t end = counted ? GW_SQUIRREL_NO_END : end_of(reader->offset, declared);
    if (end <= reader->length)
        return skip(reader, event, end, GW_SQUIRREL_ODD_TOO_DEEP);
    end = resumption(reader);
    if (end)
        return skip(reader, event, end, GW_SQUIRREL_ODD_TOO_DEEP);
    if (counted)
        return gw_squirrel_fail(reader, GW_SQUIRREL_FAULT_TOO_DEEP, 0);
    uint32_t there = reader->length - reader->offset - CONTAINER_HEAD;
    return fail_with_numbers(reader, GW_SQUIRREL_FAULT_LENGTH_TRUNCATED, (uint64_t)declared - there, declared, there);
}

/* ---- the end of a level --------------------------------------------------------------------------------- */

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

/* A declared end is here or was passed, of the innermost container or command or of one around it, or the input ends:
 * true if the level ends here. Otherwise the real client reads one more value. */
bool gw_squirrel_ends_here(const gw_squirrel_reader *reader, const gw_squirrel_level *level)
{
    /* The content ends by its number of values only. */
    if (!reader->depth)
        return false;
    const gw_squirrel_type *type = gw_squirrel_type_of_level(reader, level);
    /* Bytes were skipped up to the end of this level or of one around it. */
    if (reader->offset == reader->resumed_at && level->nearest <= reader->offset)
        return true;
    if (type->form == GW_SQUIRREL_FORM_COMMAND)
        return operands_end_here(reader, level);
    return !is_counted(reader, type) && reader->offset >= level->limit;
}

/* The input ends before the level does. In a counted level, elements or pairs are missing; in a command with a fixed
 * number of operands, an operand; all others end by their length, which exceeds the input. The fault has the number of
 * missing bytes, and except for an operand the declared number and the actual one. */
gw_next gw_squirrel_fail_unfinished(gw_squirrel_reader *reader, const gw_squirrel_level *level)
{
    if (!reader->depth)
        return gw_squirrel_fail(reader, GW_SQUIRREL_FAULT_VALUE_MISSING, 1);
    const gw_squirrel_type *type = gw_squirrel_type_of_level(reader, level);
    uint32_t declared = declared_by(reader, level);
    uint64_t end = (uint64_t)level->offset + CONTAINER_HEAD + declared;
    /* Each value that is missing has at least one byte. If pairs are counted, `pairs` is 1: two values each. */
    if (is_counted(reader, type))
        return fail_with_numbers(reader, GW_SQUIRREL_FAULT_COUNT_TRUNCATED,
                                 ((uint64_t)declared << type->pairs) - level->values, declared,
                                 level->values >> type->pairs);
    if (type->form == GW_SQUIRREL_FORM_COMMAND)
        return gw_squirrel_fail(reader, GW_SQUIRREL_FAULT_VALUE_MISSING, end - reader->length);
    end = level->limit == GW_SQUIRREL_NO_END ? end : level->limit;
    return fail_with_numbers(reader, GW_SQUIRREL_FAULT_LENGTH_TRUNCATED, end - reader->length, declared,
                             reader->length - level->offset - CONTAINER_HEAD);
}

/* The content is complete: the end, or a fault if bytes are left. If the last value is a command whose length includes
 * them, they are operands too many. */
gw_next gw_squirrel_end_content(gw_squirrel_reader *reader)
{
    uint32_t left = reader->length - reader->offset;
    if (!left)
        return GW_NEXT_END;
    return fail_with_numbers(reader,
                             lies_ahead(reader, reader->declared_end) ? GW_SQUIRREL_FAULT_OPERAND_LEFT_OVER
                                                                      : GW_SQUIRREL_FAULT_CONTENT_LEFT_OVER,
                             0, 0, left);
}
