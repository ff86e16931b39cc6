/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The measured work with our codecs: decode, validate, encode.
 */
#include "jobs.h"

#include <gamewire/godot.h>
#include <gamewire/leviathan.h>
#include <gamewire/squirrel.h>

static const gw_godot_options godot_options = { .generation = GW_GODOT_3 };

static uint64_t look_at(const gw_godot_event *event)
{
    return event->type == GW_GODOT_STRING ? event->text.length : event->number;
}

size_t decode_godot(const job_input *input)
{
    gw_godot_reader reader;
    gw_godot_event event = { 0 };
    document next;
    size_t position = 0, nodes = 0;
    uint64_t seen = 0;

    while (corpus_next(&input->documents, &position, &next)) {
        gw_next answer;
        gw_godot_init(&reader, next.bytes, next.length, &godot_options);
        while ((answer = gw_godot_next(&reader, &event)) == GW_NEXT_EVENT) {
            if (event.kind == GW_CLOSE)
                continue;
            nodes++;
            seen += look_at(&event) + event.odd;
        }
        if (answer != GW_NEXT_END || reader.offset != next.length)
            job_failed("decode_godot");
    }
    job_sink += seen;
    return nodes;
}

size_t validate_godot(const job_input *input)
{
    gw_godot_summary summary;
    document next;
    size_t position = 0, nodes = 0;

    while (corpus_next(&input->documents, &position, &next)) {
        bool valid = gw_godot_validate(next.bytes, next.length, &godot_options, &summary);
        if (!valid || summary.length != next.length)
            job_failed("validate_godot");
        nodes += summary.values;
    }
    return nodes;
}

static void write_value(gw_godot_writer *writer, const tape_value *value)
{
    switch ((tape_kind)value->kind) {
    case TAPE_BOOL:
        gw_godot_write_bool(writer, value->of.boolean);
        break;
    case TAPE_INT:
        gw_godot_write_int(writer, value->of.integer);
        break;
    case TAPE_FLOAT:
    case TAPE_DOUBLE:
        gw_godot_write_float(writer, value->of.real);
        break;
    case TAPE_TEXT:
        gw_godot_write_text(writer, GW_GODOT_STRING, value->of.text, value->count);
        break;
    case TAPE_ARRAY:
        gw_godot_write_array(writer, NULL, value->count, false);
        break;
    case TAPE_DICTIONARY:
        gw_godot_write_dictionary(writer, NULL, NULL, value->count, false);
        break;
    case TAPE_END:
        break;
    }
}

size_t encode_godot(const job_input *input)
{
    const tape_value *value = input->values.values;
    const tape_value *end = value + input->values.length;
    gw_godot_writer writer;
    size_t nodes = 0;

    for (; value < end; value++) {
        gw_godot_writer_init(&writer, GW_GODOT_3, input->room, input->room_size);
        for (; value->kind != TAPE_END; value++, nodes++)
            write_value(&writer, value);
        job_sink += writer.output.length;
    }
    return nodes;
}

size_t decode_leviathan(const job_input *input)
{
    gw_leviathan_reader reader;
    gw_leviathan_event event;
    document next;
    size_t position = 0, nodes = 0;
    uint64_t seen = 0;

    while (corpus_next(&input->documents, &position, &next)) {
        gw_next answer;
        gw_leviathan_init(&reader, next.bytes, next.length, NULL);
        while ((answer = gw_leviathan_next(&reader, &event)) == GW_NEXT_EVENT) {
            nodes += event.kind != GW_CLOSE;
            seen += (uint64_t)event.number + event.payload.length + event.odd;
        }
        if (answer != GW_NEXT_END)
            job_failed("decode_leviathan");
    }
    job_sink += seen;
    return nodes;
}

size_t validate_leviathan(const job_input *input)
{
    gw_leviathan_summary summary;
    document next;
    size_t position = 0;

    while (corpus_next(&input->documents, &position, &next))
        if (!gw_leviathan_validate(next.bytes, next.length, NULL, &summary))
            job_failed("validate_leviathan");
    return 0;
}

/* The frame's head belongs to the work: it says how the rest is read. */
static gw_squirrel_options squirrel_options(const document *frame)
{
    gw_squirrel_frame head;
    gw_fault fault;
    if (!gw_squirrel_read_frame(frame->bytes, frame->length, &head, &fault))
        job_failed("the head of a Squirrel frame");
    return gw_squirrel_frame_options(&head);
}

size_t decode_squirrel(const job_input *input)
{
    gw_squirrel_reader reader;
    gw_squirrel_event event;
    document next;
    size_t position = 0, events = 0;
    uint64_t seen = 0;

    while (corpus_next(&input->documents, &position, &next)) {
        gw_next answer;
        gw_squirrel_options options = squirrel_options(&next);
        gw_squirrel_init(&reader, next.bytes, next.length, &options);
        while ((answer = gw_squirrel_next(&reader, &event)) == GW_NEXT_EVENT) {
            events++;
            seen += event.payload.length + event.odd;
        }
        if (answer != GW_NEXT_END)
            job_failed("decode_squirrel");
        events++; /* the end */
    }
    job_sink += seen;
    return events;
}

size_t validate_squirrel(const job_input *input)
{
    gw_squirrel_summary summary;
    document next;
    size_t position = 0;

    while (corpus_next(&input->documents, &position, &next)) {
        gw_squirrel_options options = squirrel_options(&next);
        if (!gw_squirrel_validate(next.bytes, next.length, &options, &summary))
            job_failed("validate_squirrel");
    }
    return 0;
}
