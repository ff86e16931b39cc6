/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * gw_squirrel_init() and gw_squirrel_next(): decides which reading of `a` and `t` is used, and adds to each step what
 * only events need, so that validating costs less.
 */
#include "step.h"

static void find_role_at_top(const gw_squirrel_reader *reader, gw_squirrel_event *event)
{
    static const uint8_t roles[] = {
        [GW_SQUIRREL_CONTENT_VALUE] = GW_SQUIRREL_ROLE_BODY,
        [GW_SQUIRREL_CONTENT_PAIR] = GW_SQUIRREL_ROLE_IDENTIFIER,
        [GW_SQUIRREL_CONTENT_SCRIPT] = GW_SQUIRREL_ROLE_SCRIPT,
        [GW_SQUIRREL_CONTENT_CHUNK] = GW_SQUIRREL_ROLE_BODY,
    };
    event->index = 0;
    event->role = reader->roots == 2 ? GW_SQUIRREL_ROLE_DATA : roles[reader->options.content];
}

static void find_role(const gw_squirrel_level *parent, gw_squirrel_event *event)
{
    const gw_squirrel_type *type = gw_squirrel_find_type(parent->tag);
    uint32_t number = parent->values - 1;
    if (type->pairs) {
        event->role = type->roles[number & 1];
        event->index = number >> 1;
    } else {
        event->role = type->roles[number < GW_SQUIRREL_OPERAND_ROLES ? number : GW_SQUIRREL_OPERAND_ROLES - 1];
        event->index = number >= type->operands ? number - type->operands : 0;
    }
}

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

static void describe(gw_squirrel_reader *reader, gw_squirrel_event *event)
{
    gw_squirrel_level *level = &reader->levels[event->depth];
    event->padding = (gw_span){ gw_span_end(event->payload), 0 };
    if (event->kind == GW_CLOSE) {
        event->role = level->role;
        event->index = level->index;
        return;
    }
    if (event->depth)
        find_role(level - 1, event);
    else
        find_role_at_top(reader, event);
    if (event->kind == GW_VALUE) {
        decode(event, reader->bytes + event->payload.offset);
    } else if (event->kind == GW_OPEN) {
        level->role = event->role;
        level->index = event->index;
        event->payload.length = 0;
        event->padding.offset = event->payload.offset;
    }
}

void gw_squirrel_init(gw_squirrel_reader *reader, const uint8_t *bytes, size_t length,
                      const gw_squirrel_options *options)
{
    gw_squirrel_begin(reader, bytes, length, options);
}

/* Determines the meaning of the u32 of `a` and `t`, at the first of them: the reading with which the input ends
 * exactly. The validator tries both with gw_squirrel_step(), which does not call this function. */
static void choose_reading(gw_squirrel_reader *reader)
{
    gw_squirrel_summary summary;
    if (!gw_squirrel_is_undecided(reader->options.reading) || reader->offset >= reader->length ||
        gw_squirrel_find_type(reader->bytes[reader->offset])->form != GW_SQUIRREL_FORM_SIZED)
        return;
    gw_squirrel_validate(reader->bytes, reader->length, &reader->options, &summary);
    reader->options.reading = summary.reading;
}

gw_next gw_squirrel_next(gw_squirrel_reader *reader, gw_squirrel_event *event)
{
    if (reader->fault.code)
        return GW_NEXT_FAULT;
    choose_reading(reader);
    gw_next answer = gw_squirrel_step(reader, event);
    if (answer == GW_NEXT_EVENT)
        describe(reader, event);
    return answer;
}
