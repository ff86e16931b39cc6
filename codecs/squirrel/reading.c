/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * gw_squirrel_next() and gw_squirrel_validate(): decides which reading of `a` and `t` is used.
 * Events have members that a step does not set, so that validating costs less.
 */
#include "step.h"

/* Sets the number of a value, or the oddity of a text, from its payload. */
static void decode(gw_squirrel_event *event, const uint8_t *payload)
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
    case GW_SQUIRREL_FLOAT:
    case GW_SQUIRREL_VECTOR:
    case GW_SQUIRREL_QUATERNION:
        for (int i = 0, count = (int)(event->payload.length / 4); i < count; i++)
            event->real[i] = gw_le_float(payload + 4 * (size_t)i);
        break;
    case GW_SQUIRREL_STRING:
    case GW_SQUIRREL_ERROR:
        if (gw_utf8_prefix(payload, event->payload.length) != event->payload.length)
            event->odd |= GW_SQUIRREL_ODD_UTF8;
        break;
    default:
        break;
    }
}

/* Sets the role and index of an event, which both follow from the number of the value in its parent: the content
 * (levels[0]) at depth 0, else a container or command. The index counts pairs, elements, or the parameters of a call
 * after its `operands` fixed operands; of other values it is 0. */
static void set_role(const gw_squirrel_reader *reader, gw_squirrel_event *event)
{
    static const uint8_t roles_at_top[] = {
        [GW_SQUIRREL_CONTENT_VALUE] = GW_SQUIRREL_ROLE_BODY,
        [GW_SQUIRREL_CONTENT_PAIR] = GW_SQUIRREL_ROLE_IDENTIFIER,
        [GW_SQUIRREL_CONTENT_SCRIPT] = GW_SQUIRREL_ROLE_SCRIPT,
        [GW_SQUIRREL_CONTENT_CHUNK] = GW_SQUIRREL_ROLE_BODY,
    };
    event->index = 0;
    if (!event->depth) {
        /* Only a pair has a second value. */
        event->role = reader->levels[0].values == 2 ? GW_SQUIRREL_ROLE_DATA : roles_at_top[reader->options.content];
        return;
    }
    const gw_squirrel_level *parent = &reader->levels[event->depth];
    const gw_squirrel_type *type = gw_squirrel_type_of_level(reader, parent);
    /* From 0: the parent has counted the value already. Keys and values alternate in pairs; of operands, the last role
     * repeats. */
    uint32_t number = parent->values - 1, last_role = GW_SQUIRREL_OPERAND_ROLES - 1;
    event->role = type->roles[type->pairs ? number & 1 : number < last_role ? number : last_role];
    if (type->pairs)
        event->index = number >> 1;
    else if (number >= type->operands)
        event->index = number - type->operands;
}

/* The next event, with all members. Determines the reading of `a` and `t` where the first one is read. */
gw_next gw_squirrel_next(gw_squirrel_reader *reader, gw_squirrel_event *event)
{
    if (reader->fault.code)
        return GW_NEXT_FAULT;
    gw_next next = gw_squirrel_step(reader, event);
    if (next == GW_SQUIRREL_UNDECIDED) {
        /* The first `a` or `t`: its u32 is read so that the input ends exactly, if one of the two readings does that. */
        gw_squirrel_summary summary;
        gw_squirrel_validate(reader->bytes, reader->length, &reader->options, &summary);
        reader->options.reading = summary.reading;
        next = gw_squirrel_step(reader, event);
    }
    if (next != GW_NEXT_EVENT)
        return next;
    set_role(reader, event);
    if (event->kind == GW_VALUE)
        decode(event, reader->bytes + event->payload.offset);
    return GW_NEXT_EVENT;
}

/* ---- validating ---------------------------------------------------------------------------------------- */

/* Validates with the one reading (number after `a` and `t`: of bytes or of values) in options->reading. True if the
 * content is valid. `reader` is initialized here; after the call it has the fault and `lower_case`: true if an `a` or
 * `t` was read, so that the other reading may differ. UTF-8 is tested here, because gw_squirrel_step() does not do
 * it. */
static bool validate_as(gw_squirrel_reader *reader, const uint8_t *bytes, size_t length,
                        const gw_squirrel_options *options, gw_squirrel_summary *summary)
{
    gw_squirrel_event event;
    uint32_t odd = 0, values = 0;
    gw_squirrel_init(reader, bytes, length, options);
    /* An input that is too long is a fault from the beginning. */
    while (!reader->fault.code && gw_squirrel_step(reader, &event) == GW_NEXT_EVENT) {
        odd |= event.odd;
        if (event.kind == GW_CLOSE)
            continue;
        values++;
        if (event.kind == GW_VALUE && (event.tag == GW_SQUIRREL_STRING || event.tag == GW_SQUIRREL_ERROR) &&
            gw_utf8_prefix(bytes + event.payload.offset, event.payload.length) != event.payload.length)
            odd |= GW_SQUIRREL_ODD_UTF8;
    }
    summary->fault = reader->fault;
    summary->values = values;
    summary->odd = odd;
    summary->reading = options->reading;
    return !reader->fault.code && !(odd & GW_SQUIRREL_ODD_INVALID);
}

/* Validates with the reading (number after `a` and `t`: of bytes or of values) that is tried first; if it fails, and
 * the options do not determine the reading, with the other one. If both fail, the summary is that of the first. */
bool gw_squirrel_validate(const uint8_t *bytes, size_t length, const gw_squirrel_options *options,
                          gw_squirrel_summary *summary)
{
    gw_squirrel_options tried = options ? *options : (gw_squirrel_options){ 0 };
    bool undecided = gw_squirrel_is_undecided(tried.reading);
    gw_squirrel_reader reader;
    gw_squirrel_summary first, second;
    if (!summary)
        summary = &first;
    if (undecided)
        tried.reading = gw_squirrel_first_reading(tried.reading);
    if (validate_as(&reader, bytes, length, &tried, summary))
        return true;
    /* The other reading can only differ if an `a` or `t` was read. */
    if (!undecided || !reader.lower_case)
        return false;
    tried.reading = gw_squirrel_other_reading(tried.reading);
    if (!validate_as(&reader, bytes, length, &tried, &second))
        return false;
    *summary = second;
    return true;
}
