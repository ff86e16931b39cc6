/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the reader makes of valid bytes, written again, is the same to the byte.
 */
#include "checks.h"

#include <stdlib.h>
#include <string.h>

#include <gamewire/squirrel.h>

static const gw_squirrel_options bare[] = {
    { .reading = GW_SQUIRREL_BYTES },
    { .reading = GW_SQUIRREL_COUNTS },
    { .content = GW_SQUIRREL_CONTENT_PAIR },
    { .content = GW_SQUIRREL_CONTENT_SCRIPT },
};

struct copy {
    gw_output output;
    const uint8_t *bytes;
    size_t opened[GW_SQUIRREL_DEPTH];
};

static void copy_text(struct copy *copy, const gw_squirrel_event *event)
{
    const uint8_t *text = copy->bytes + event->payload.offset;
    if (event->role == GW_SQUIRREL_ROLE_SCRIPT)
        gw_squirrel_write_script(&copy->output, text, (uint16_t)event->payload.length);
    else if (event->tag == GW_SQUIRREL_STRING)
        gw_squirrel_write_string(&copy->output, text, (uint16_t)event->payload.length);
    else if (event->tag == GW_SQUIRREL_ERROR)
        gw_squirrel_write_error(&copy->output, text, (uint16_t)event->payload.length);
    else
        gw_squirrel_write_blob(&copy->output, text, event->payload.length);
}

static void copy_value(struct copy *copy, const gw_squirrel_event *event)
{
    switch (event->tag) {
    case GW_SQUIRREL_NULL:
        gw_squirrel_write_null(&copy->output);
        break;
    case GW_SQUIRREL_INT32:
        gw_squirrel_write_int32(&copy->output, event->number);
        break;
    case GW_SQUIRREL_INT16:
        gw_squirrel_write_integer(&copy->output, event->number);
        break;
    case GW_SQUIRREL_FLOAT:
        gw_squirrel_write_float(&copy->output, event->real[0]);
        break;
    case GW_SQUIRREL_BOOL:
        gw_squirrel_write_bool(&copy->output, event->number);
        break;
    case GW_SQUIRREL_VECTOR:
        gw_squirrel_write_vector(&copy->output, event->real);
        break;
    case GW_SQUIRREL_QUATERNION:
        gw_squirrel_write_quaternion(&copy->output, event->real);
        break;
    default:
        copy_text(copy, event);
        break;
    }
}

static void copy_event(struct copy *copy, const gw_squirrel_event *event)
{
    if (event->kind == GW_VALUE)
        copy_value(copy, event);
    else if (event->kind == GW_OPEN && event->counted)
        gw_squirrel_write_counted(&copy->output, event->tag, event->declared);
    else if (event->kind == GW_OPEN)
        copy->opened[event->depth] = gw_squirrel_write_open(&copy->output, event->tag);
    else if (event->kind == GW_CLOSE && !event->counted)
        gw_squirrel_write_close(&copy->output, copy->opened[event->depth]);
}

/* The head of a frame, if there is one, and the values; returns what it all takes. */
static size_t write_again(const uint8_t *bytes, size_t length, const gw_squirrel_options *options,
                          const gw_squirrel_frame *frame, uint8_t *to, size_t size)
{
    struct copy copy = { .bytes = bytes };
    gw_squirrel_reader reader;
    gw_squirrel_event event;
    gw_output_init(&copy.output, to, size);
    if (frame)
        gw_squirrel_write_frame_head(&copy.output, frame);
    gw_squirrel_init(&reader, bytes, length, options);
    while (gw_squirrel_next(&reader, &event) == GW_NEXT_EVENT)
        copy_event(&copy, &event);
    return copy.output.length;
}

static void go_round(const uint8_t *bytes, size_t length, const gw_squirrel_options *options,
                     const gw_squirrel_frame *frame)
{
    gw_squirrel_summary summary;
    if (!gw_squirrel_validate(bytes, length, options, &summary) || summary.odd & GW_SQUIRREL_ODD_BOOL)
        return;
    uint8_t *again = allocate(length);
    uint8_t *half = allocate(length / 2);
    CHECK(write_again(bytes, length, options, frame, again, length) == length);
    CHECK(!memcmp(again, bytes, length));
    CHECK(write_again(bytes, length, options, frame, half, length / 2) == length);
    free(again);
    free(half);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    gw_squirrel_frame frame;
    gw_fault fault;
    if (gw_squirrel_read_frame(bytes, length, &frame, &fault) && frame.type->content != GW_SQUIRREL_CONTENT_CHUNK) {
        const gw_squirrel_options options = gw_squirrel_frame_options(&frame);
        go_round(bytes, length, &options, &frame);
    }
    for (size_t i = 0; i < COUNT_OF(bare); i++)
        go_round(bytes, length, &bare[i], NULL);
    return 0;
}
