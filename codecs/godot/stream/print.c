/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * A part of a stream as one line.
 */
#include <gamewire/godot_stream.h>

static gw_godot_generation generation_of(const gw_godot_stream_reader *reader, gw_span payload)
{
    gw_godot_guess guess;
    if (reader->options.generation != GW_GODOT_ANY)
        return reader->options.generation;
    gw_godot_detect(reader->bytes + payload.offset, payload.length, NULL, &guess);
    return (gw_godot_generation)guess.generation;
}

static void print_event(gw_text *text, const gw_godot_stream_reader *reader, const gw_godot_stream_event *event)
{
    if (event->role == GW_GODOT_STREAM_ROLE_VARIANT) {
        const gw_godot_options options = { .generation = generation_of(reader, event->payload) };
        gw_godot_print(text, reader->bytes + event->payload.offset, event->payload.length, &options);
        return;
    }
    gw_text_unsigned(text, event->payload.length);
    gw_text_string(text, event->role == GW_GODOT_STREAM_ROLE_PACKET ? " bytes" : " unknown bytes");
}

void gw_godot_stream_print(gw_text *text, const uint8_t *bytes, size_t length, const gw_godot_stream_options *options)
{
    gw_godot_stream_reader reader;
    gw_godot_stream_event event;
    gw_next next;
    gw_godot_stream_init(&reader, bytes, length, options);
    while ((next = gw_godot_stream_next(&reader, &event)) == GW_NEXT_EVENT && !text->cut) {
        gw_text_string(text, event.index ? "; " : "");
        print_event(text, &reader, &event);
    }
    if (next == GW_NEXT_FAULT)
        gw_text_string(text, reader.index ? "; <truncated>" : "<truncated>");
}
