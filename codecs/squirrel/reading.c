/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * gw_squirrel_next() and gw_squirrel_validate(): decides which reading of `a` and `t` is used.
 * Events have members that a step does not set, so that validating costs less.
 */
#include "step.h"

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

/* Sets the members that gw_squirrel_step() does not set. */
static void describe(gw_squirrel_reader *reader, gw_squirrel_event *event)
{
    static const uint8_t roles_at_top[] = {
        [GW_SQUIRREL_CONTENT_VALUE] = GW_SQUIRREL_ROLE_BODY,
        [GW_SQUIRREL_CONTENT_PAIR] = GW_SQUIRREL_ROLE_IDENTIFIER,
        [GW_SQUIRREL_CONTENT_SCRIPT] = GW_SQUIRREL_ROLE_SCRIPT,
        [GW_SQUIRREL_CONTENT_CHUNK] = GW_SQUIRREL_ROLE_BODY,
    };
    gw_squirrel_level *level = &reader->levels[event->depth];
    if (event->kind == GW_CLOSE) {
        event->role = level->role;
        event->index = level->index;
        return;
    }
    event->index = 0;
    if (event->depth) {
        const gw_squirrel_type *type = gw_squirrel_find_type(level[-1].tag);
        /* Number of the value in its parent, from 0: the parent has counted it already. Keys and values alternate in
         * pairs; of operands, the last role repeats. */
        uint32_t number = level[-1].values - 1;
        uint32_t last_role = GW_SQUIRREL_OPERAND_ROLES - 1;
        event->role = type->roles[type->pairs ? number & 1 : number < last_role ? number : last_role];
        if (type->pairs)
            event->index = number >> 1;
        else if (number >= type->operands)
            event->index = number - type->operands;
    } else {
        event->role = reader->roots == 2 ? GW_SQUIRREL_ROLE_DATA : roles_at_top[reader->options.content];
    }
    if (event->kind == GW_VALUE) {
        decode(event, reader->bytes + event->payload.offset);
    } else if (event->kind == GW_OPEN) {
        /* For the CLOSE event of this level. */
        level->role = event->role;
        level->index = event->index;
        event->payload.length = 0;
    }
}

gw_next gw_squirrel_next(gw_squirrel_reader *reader, gw_squirrel_event *event)
{
    if (reader->fault.code)
        return GW_NEXT_FAULT;
    /* At the first `a` or `t`, determines the meaning of its u32: the reading with which the input ends exactly. The
     * validator tries both with gw_squirrel_step(), which does not do this. */
    if (gw_squirrel_is_undecided(reader->options.reading) && reader->offset < reader->length &&
        gw_squirrel_find_type(reader->bytes[reader->offset])->form == GW_SQUIRREL_FORM_SIZED) {
        gw_squirrel_summary summary;
        gw_squirrel_validate(reader->bytes, reader->length, &reader->options, &summary);
        reader->options.reading = summary.reading;
    }
    gw_next next = gw_squirrel_step(reader, event);
    if (next == GW_NEXT_EVENT)
        describe(reader, event);
    return next;
}

/* ---- validating ---------------------------------------------------------------------------------------- */

/* Validates with one reading; `lower_case` is set if the reading mattered. */
static bool validate_as(const uint8_t *bytes, size_t length, const gw_squirrel_options *options,
                        gw_squirrel_summary *summary, bool *lower_case)
{
    gw_squirrel_reader reader;
    gw_squirrel_event event;
    uint32_t odd = 0, values = 0;
    gw_squirrel_init(&reader, bytes, length, options);
    bool readable = !reader.fault.code;
    while (readable && gw_squirrel_step(&reader, &event) == GW_NEXT_EVENT) {
        const uint8_t *payload = bytes + event.payload.offset;
        bool is_text = event.kind == GW_VALUE && (event.tag == GW_SQUIRREL_STRING || event.tag == GW_SQUIRREL_ERROR);
        if (is_text && gw_utf8_prefix(payload, event.payload.length) != event.payload.length)
            odd |= GW_SQUIRREL_ODD_UTF8;
        odd |= event.odd;
        values += event.kind != GW_CLOSE;
    }
    summary->reading = options->reading;
    summary->odd = odd;
    summary->values = values;
    summary->fault = reader.fault;
    *lower_case = reader.lower_case;
    return !reader.fault.code && !(odd & GW_SQUIRREL_ODD_INVALID);
}

bool gw_squirrel_validate(const uint8_t *bytes, size_t length, const gw_squirrel_options *options,
                          gw_squirrel_summary *summary)
{
    gw_squirrel_options tried = options ? *options : (gw_squirrel_options){ 0 };
    bool undecided = gw_squirrel_is_undecided(tried.reading);
    bool lower_case;
    gw_squirrel_summary first, second;
    if (!summary)
        summary = &first;
    if (undecided)
        tried.reading = gw_squirrel_first_reading(tried.reading);
    if (validate_as(bytes, length, &tried, summary, &lower_case))
        return true;
    /* The other reading can only differ if an `a` or `t` was read. */
    if (!undecided || !lower_case)
        return false;
    tried.reading = gw_squirrel_other_reading(tried.reading);
    if (!validate_as(bytes, length, &tried, &second, &lower_case))
        return false;
    *summary = second;
    return true;
}
