/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reader, validator and printer on the same bytes, in every revision: they must agree on what is valid, how long it
 * is and what is wrong, and every part of every event must lie inside the input.
 */
#include "checks.h"

#include <stdlib.h>
#include <string.h>

#include <gamewire/leviathan.h>

struct input {
    const uint8_t *bytes;
    size_t length;
    gw_leviathan_options options;
};

/* ---- parts ----------------------------------------------------------------------------------------------- */

/* Whole ids, ascending, and no more than there are bits. */
static void check_acks(const struct input *input, const gw_leviathan_event *event, uint32_t start,
                       gw_leviathan_ack_reading reading)
{
    gw_leviathan_acks acks;
    uint32_t id, count = 0, before = 0;
    gw_leviathan_acks_init(&acks, start, input->bytes + event->payload.offset, event->payload.length, reading);
    while (gw_leviathan_acks_next(&acks, &id)) {
        uint32_t ahead = id - start - (uint32_t)reading;
        CHECK(ahead == acks.bit - 1 && ahead < 8 * event->payload.length);
        CHECK(!count || ahead > before);
        before = ahead;
        count++;
    }
}

static void check_value(const struct input *input, const gw_leviathan_event *event, uint32_t start_ack)
{
    static const uint8_t sizes[GW_LEVIATHAN_TYPES] = {
        [GW_LEVIATHAN_U8] = 1,  [GW_LEVIATHAN_BOOL] = 1, [GW_LEVIATHAN_U16] = 2,     [GW_LEVIATHAN_U32] = 4,
        [GW_LEVIATHAN_I32] = 4, [GW_LEVIATHAN_U64] = 8,  [GW_LEVIATHAN_FLOAT3] = 12, [GW_LEVIATHAN_FLOAT4] = 16,
    };
    CHECK(event->type < GW_LEVIATHAN_TYPES &&
          event->type == gw_leviathan_field_of((gw_leviathan_role)event->role)->type);
    CHECK(!sizes[event->type] || event->payload.length == sizes[event->type]);
    switch (event->type) {
    case GW_LEVIATHAN_FLOAT3:
    case GW_LEVIATHAN_FLOAT4:
        for (uint32_t i = 0; i < event->payload.length / 4; i++)
            (void)gw_leviathan_float_at(input->bytes, event, i);
        break;
    case GW_LEVIATHAN_BITS:
        check_acks(input, event, start_ack, GW_LEVIATHAN_ACKS_AS_ENGINE);
        check_acks(input, event, start_ack, GW_LEVIATHAN_ACKS_AS_DOCUMENTED);
        break;
    default:
        break;
    }
}

static void check_words(const gw_leviathan_event *event)
{
    CHECK(event->role > GW_LEVIATHAN_ROLE_NONE && event->role < GW_LEVIATHAN_ROLES);
    CHECK(gw_leviathan_field_of((gw_leviathan_role)event->role)->name[0]);
    CHECK(event->odd >> GW_LEVIATHAN_ODDS == 0);
    for (unsigned bit = 0; bit < GW_LEVIATHAN_ODDS; bit++)
        if (event->odd >> bit & 1)
            CHECK(gw_odd_text(&gw_leviathan_faults, UINT32_C(1) << bit)[0]);
}

/* ---- events ---------------------------------------------------------------------------------------------- */

struct walk {
    gw_fault fault;
    gw_next last;
    uint32_t messages, blocks, trailing;
    uint32_t after; /* the offset after the last event */
    uint32_t start_ack;
    uint8_t depth;
};

static void count_event(struct walk *walk, const gw_leviathan_event *event)
{
    bool closes = event->kind == GW_CLOSE;
    if (event->role == GW_LEVIATHAN_ROLE_START_ACK)
        walk->start_ack = (uint32_t)event->number;
    walk->messages += closes && event->role == GW_LEVIATHAN_ROLE_MESSAGE;
    walk->blocks += closes && event->role == GW_LEVIATHAN_ROLE_ACK_ONLY && event->index;
    walk->trailing += event->role == GW_LEVIATHAN_ROLE_TRAILING ? event->payload.length : 0;
}

/* No byte is left out or reported twice: headers and payloads follow one another. */
static void check_ranges(const struct input *input, const gw_leviathan_event *event, struct walk *walk)
{
    CHECK(span_is_inside(event->header, input->length) && span_is_inside(event->payload, input->length));
    CHECK(event->kind == GW_CLOSE ? event->depth + 1 == walk->depth : event->depth == walk->depth);
    if (event->kind == GW_CLOSE) {
        CHECK(event->payload.offset + event->payload.length == walk->after);
        walk->depth--;
        return;
    }
    CHECK(event->header.offset == walk->after);
    CHECK(event->payload.offset == event->header.offset + event->header.length);
    walk->after = event->payload.offset;
    if (event->kind == GW_OPEN)
        walk->depth++;
    else
        walk->after += event->payload.length;
}

static void read_events(const struct input *input, struct walk *walk)
{
    gw_leviathan_reader reader;
    gw_leviathan_event event;
    size_t events = 0;
    memset(walk, 0, sizeof *walk);
    gw_leviathan_init(&reader, input->bytes, input->length, &input->options);
    while ((walk->last = gw_leviathan_next(&reader, &event)) == GW_NEXT_EVENT) {
        check_words(&event);
        check_ranges(input, &event, walk);
        if (event.kind == GW_VALUE || event.kind == GW_PACKED)
            check_value(input, &event, walk->start_ack);
        count_event(walk, &event);
        CHECK(walk->after == reader.offset);
        /* Most a byte: an empty ack-only block, five in three. */
        CHECK(++events <= 2 * input->length);
    }
    CHECK(gw_leviathan_next(&reader, &event) == walk->last);
    CHECK(walk->last == GW_NEXT_FAULT || (walk->after == input->length && !walk->depth));
    walk->fault = reader.fault;
}

/* ---- agreement ------------------------------------------------------------------------------------------- */

static void check_validator(const struct input *input, const struct walk *walk)
{
    gw_leviathan_summary summary;
    bool valid = gw_leviathan_validate(input->bytes, input->length, &input->options, &summary);
    CHECK(valid == (walk->last == GW_NEXT_END));
    CHECK(faults_are_equal(&summary.fault, &walk->fault));
    if (!valid)
        return;
    CHECK(summary.messages == walk->messages && summary.blocks == walk->blocks);
    CHECK(summary.trailing == walk->trailing && summary.length + summary.trailing == input->length);
}

/* Each ack bit may be an id of ten digits. */
#define PRINTED_PER_BYTE 110
#define PRINTED_AT_LEAST 256

static void check_printer(const struct input *input, const struct walk *walk)
{
    size_t size = PRINTED_PER_BYTE * input->length + PRINTED_AT_LEAST;
    char *buffer = allocate(size);
    gw_text text;
    gw_text_init(&text, buffer, size);
    gw_leviathan_print(&text, input->bytes, input->length, &input->options);
    check_text(&text);
    CHECK(!text.cut && strlen(buffer) == text.length && !strchr(buffer, '\n'));
    CHECK((text.length && buffer[text.length - 1] == ']') == (walk->last == GW_NEXT_FAULT));
    gw_text_init(&text, buffer, 24);
    gw_leviathan_print(&text, input->bytes, input->length, &input->options);
    check_text(&text);
    free(buffer);
}

static gw_fault find_fault(const uint8_t *bytes, size_t length, const void *options)
{
    gw_leviathan_summary summary;
    gw_leviathan_validate(bytes, length, options, &summary);
    return summary.fault;
}

static void check_fault(const struct input *input, const gw_fault *fault)
{
    CHECK(fault->code < GW_LEVIATHAN_FAULTS);
    CHECK(fault->fault_class == gw_fault_class_of(&gw_leviathan_faults, fault->code));
    CHECK(fault->offset <= input->length);
    CHECK(gw_fault_text(&gw_leviathan_faults, fault->code)[0]);
    check_needed(input->bytes, input->length, fault, 0, find_fault, &input->options);
}

static void check_answer(const struct input *input, const uint8_t *bytes, size_t captured)
{
    gw_recognition recognition;
    bool possible = gw_leviathan_recognize(bytes, captured, input->length, &input->options, &recognition);
    CHECK(possible == recognition.possible);
    CHECK(possible ? recognition.readings : !recognition.bits && !recognition.readings);
}

/* Fewer bytes may have been captured than the datagram had. */
static void check_recognition(const struct input *input)
{
    for (size_t captured = 0; captured < input->length && captured < 64; captured++) {
        uint8_t *part = allocate(captured);
        memcpy(part, input->bytes, captured);
        check_answer(input, part, captured);
        free(part);
    }
    check_answer(input, input->bytes, input->length);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    for (unsigned revision = 0; revision < GW_LEVIATHAN_REVISIONS; revision++) {
        struct input input = { bytes, length, { .revision = (gw_leviathan_revision)revision } };
        input.options.acks = (gw_leviathan_ack_reading)(revision % 2);
        struct walk walk;
        read_events(&input, &walk);
        check_validator(&input, &walk);
        check_printer(&input, &walk);
        check_fault(&input, &walk.fault);
        check_recognition(&input);
    }
    return 0;
}
