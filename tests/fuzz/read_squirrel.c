/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reader, validator and printer on the same bytes, as a frame and as bare values of each reading: they must agree on
 * what is valid and what is wrong, and every part of every event must lie inside the input.
 */
#include "checks.h"

#include <stdlib.h>
#include <string.h>

#include <gamewire/squirrel.h>

static const gw_squirrel_options bare[] = {
    { .reading = GW_SQUIRREL_BYTES_FIRST, .receiver = GW_SQUIRREL_RECEIVER_CLIENT },
    { .reading = GW_SQUIRREL_COUNTS_FIRST, .receiver = GW_SQUIRREL_RECEIVER_REPLY, .error_at_top = 1 },
    { .reading = GW_SQUIRREL_BYTES, .receiver = GW_SQUIRREL_RECEIVER_EXEC },
    { .reading = GW_SQUIRREL_COUNTS },
    { .content = GW_SQUIRREL_CONTENT_PAIR },
    { .content = GW_SQUIRREL_CONTENT_SCRIPT },
};

struct input {
    const uint8_t *bytes;
    size_t length;
    const gw_squirrel_options *options;
};

/* ---- events ---------------------------------------------------------------------------------------------- */

struct walk {
    gw_fault fault;
    gw_next last;
    uint32_t after; /* of what the events explain */
    uint32_t values;
    uint32_t odd;
    uint8_t depth;
};

static void check_place(const struct input *input, const gw_squirrel_event *event, struct walk *walk)
{
    bool closes = event->kind == GW_CLOSE;
    CHECK(span_is_inside(event->header, input->length) && span_is_inside(event->payload, input->length));
    CHECK(closes ? event->depth + 1 == walk->depth : event->depth == walk->depth);
    CHECK(event->depth < GW_SQUIRREL_DEPTH || event->kind != GW_OPEN);
    if (closes) {
        CHECK(event->payload.offset + event->payload.length == walk->after);
        walk->depth--;
        return;
    }
    CHECK(event->header.offset == walk->after);
    CHECK(event->payload.offset == event->header.offset + event->header.length);
    walk->after = event->payload.offset + event->payload.length;
    walk->depth = (uint8_t)(walk->depth + (event->kind == GW_OPEN));
}

static void read_events(const struct input *input, struct walk *walk)
{
    gw_squirrel_reader reader;
    gw_squirrel_event event;
    size_t events = 0;
    memset(walk, 0, sizeof *walk);
    walk->after = input->options->offset;
    gw_squirrel_init(&reader, input->bytes, input->length, input->options);
    while ((walk->last = gw_squirrel_next(&reader, &event)) == GW_NEXT_EVENT) {
        check_place(input, &event, walk);
        CHECK(event.role < GW_SQUIRREL_ROLES);
        CHECK(walk->after == reader.offset);
        walk->odd |= event.odd;
        walk->values += event.kind != GW_CLOSE;
        CHECK(++events <= input->length); /* a scalar takes a byte, a container five */
    }
    CHECK(gw_squirrel_next(&reader, &event) == walk->last);
    CHECK(walk->last == GW_NEXT_FAULT || (walk->after == input->length && !walk->depth));
    walk->fault = reader.fault;
}

/* ---- agreement ------------------------------------------------------------------------------------------- */

static void check_validator(const struct input *input, const struct walk *walk)
{
    gw_squirrel_summary summary;
    bool valid = gw_squirrel_validate(input->bytes, input->length, input->options, &summary);
    CHECK(valid == (walk->last == GW_NEXT_END && !(walk->odd & GW_SQUIRREL_ODD_INVALID)));
    CHECK(faults_are_equal(&summary.fault, &walk->fault));
    CHECK(summary.odd == walk->odd);
    if (walk->last == GW_NEXT_END)
        CHECK(summary.values == walk->values);
    CHECK(valid == gw_squirrel_validate(input->bytes, input->length, input->options, NULL));
}

/* The longest for few bytes is a command's name. */
#define PRINTED_PER_BYTE 8
#define PRINTED_AT_LEAST 256

/* In the middle of a value: not where one has to begin, and not after the last one. */
static bool ends_early(const struct walk *walk)
{
    bool nothing_begun = walk->fault.code == GW_SQUIRREL_FAULT_VALUE_MISSING && !walk->depth;
    return walk->fault.code && walk->fault.fault_class != GW_FAULT_MALFORMED && !nothing_begun;
}

static void check_printer(const struct input *input, const struct walk *walk)
{
    size_t size = PRINTED_PER_BYTE * input->length + PRINTED_AT_LEAST;
    char *buffer = allocate(size);
    gw_text text;
    gw_text_init(&text, buffer, size);
    gw_squirrel_print(&text, input->bytes, input->length, input->options);
    check_text(&text);
    CHECK(!text.cut && strlen(buffer) == text.length && !strchr(buffer, '\n'));
    if (ends_early(walk))
        CHECK(text.length >= 3 && !strcmp(buffer + text.length - 3, "\xE2\x80\xA6"));
    gw_text_init(&text, buffer, 24);
    gw_squirrel_print(&text, input->bytes, input->length, input->options);
    check_text(&text);
    free(buffer);
}

/* What was asked for, and of where. */
struct question {
    const gw_squirrel_options *options;
    uint32_t offset;
};

static gw_fault find_fault(const uint8_t *bytes, size_t length, const void *asked)
{
    const struct question *question = asked;
    gw_squirrel_summary summary;
    gw_squirrel_validate(bytes, length, question->options, &summary);
    /* More bytes may put a declared end inside the input: then the reading goes on there, and nothing is cut. */
    if (summary.odd & GW_SQUIRREL_ODD_INVALID)
        return (gw_fault){ .fault_class = GW_FAULT_TRUNCATED, .offset = question->offset, .needed = 1 };
    return summary.fault;
}

static bool is_decided(const gw_squirrel_options *options)
{
    return options->reading == GW_SQUIRREL_BYTES || options->reading == GW_SQUIRREL_COUNTS;
}

static void check_fault(const struct input *input, const struct walk *walk)
{
    const gw_fault *fault = &walk->fault;
    const struct question question = { input->options, fault->offset };
    CHECK(fault->code < GW_SQUIRREL_FAULTS);
    CHECK(fault->fault_class == gw_fault_class_of(&gw_squirrel_faults, fault->code));
    CHECK(fault->offset <= input->length);
    CHECK(gw_fault_text(&gw_squirrel_faults, fault->code)[0]);
    /* Where lengths contradict each other, which of them more bytes would bear out is anyone's guess. */
    if (is_decided(input->options) && !(walk->odd & GW_SQUIRREL_ODD_INVALID))
        check_needed(input->bytes, input->length, fault, GW_SQUIRREL_NULL, find_fault, &question);
}

static void check_content(const uint8_t *bytes, size_t length, const gw_squirrel_options *options)
{
    const struct input input = { bytes, length, options };
    struct walk walk;
    read_events(&input, &walk);
    check_validator(&input, &walk);
    check_printer(&input, &walk);
    check_fault(&input, &walk);
}

/* ---- frames ---------------------------------------------------------------------------------------------- */

static void check_frame(const uint8_t *bytes, size_t length)
{
    gw_squirrel_frame frame;
    gw_fault fault;
    if (!gw_squirrel_read_frame(bytes, length, &frame, &fault)) {
        CHECK(fault.fault_class == GW_FAULT_TRUNCATED || fault.fault_class == GW_FAULT_UNSUPPORTED);
        CHECK((fault.fault_class == GW_FAULT_TRUNCATED) == (fault.needed > 0));
        return;
    }
    CHECK(!fault.code && frame.content <= length);
    CHECK(frame.type == gw_squirrel_frame_type_of(frame.type->identifier));
    const gw_squirrel_options options = gw_squirrel_frame_options(&frame);
    CHECK(options.offset == frame.content);
    if (frame.type->content != GW_SQUIRREL_CONTENT_CHUNK)
        check_content(bytes, length, &options);
}

/* ---- recognition ------------------------------------------------------------------------------------------ */

static void check_recognition(const uint8_t *bytes, size_t captured, size_t length)
{
    gw_recognition recognition;
    bool possible = gw_squirrel_recognize(bytes, captured, length, NULL, &recognition);
    CHECK(possible == recognition.possible && possible == (recognition.readings != 0));
    CHECK(possible == gw_squirrel_is_possible(bytes, captured, length));
    CHECK(possible || !recognition.bits);
    CHECK(!possible || gw_squirrel_may_begin(bytes, captured));
    if (captured < length && gw_squirrel_is_raknet(bytes, length, length))
        CHECK(bytes[0] >= 0x80);
}

/* What is recognized as a whole frame is valid. */
static void check_agreement(const uint8_t *bytes, size_t length)
{
    gw_squirrel_frame frame;
    gw_fault fault;
    gw_recognition recognition;
    gw_squirrel_recognize(bytes, length, length, NULL, &recognition);
    if (recognition.readings != GW_SQUIRREL_READS_FRAME || !recognition.bits)
        return;
    CHECK(gw_squirrel_read_frame(bytes, length, &frame, &fault));
    const gw_squirrel_options options = gw_squirrel_frame_options(&frame);
    if (frame.type->content != GW_SQUIRREL_CONTENT_CHUNK)
        CHECK(gw_squirrel_validate(bytes, length, &options, NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    check_frame(bytes, length);
    check_recognition(bytes, length, length);
    check_recognition(bytes, length / 2, length);
    check_agreement(bytes, length);
    for (size_t i = 0; i < COUNT_OF(bare); i++)
        check_content(bytes, length, &bare[i]);
    return 0;
}
