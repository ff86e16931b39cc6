/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * A part of a stream as one line.
 */
#include <gamewire/godot_stream.h>

/* Prints the stream as one line: each Variant as a literal, of other bytes their number. If the options have no
 * generation, it is detected for each Variant. */
void gw_godot_stream_print(gw_text *text, const uint8_t *bytes, size_t length, const gw_godot_stream_options *options)
{
    gw_godot_stream_reader reader;
    gw_godot_stream_event event;
    gw_next next;
    gw_godot_stream_init(&reader, bytes, length, options);
    while ((next = gw_godot_stream_next(&reader, &event)) == GW_NEXT_EVENT && !text->cut) {
        gw_text_string(text, event.index ? "; " : "");
        const uint8_t *payload = bytes + event.payload.offset;
        if (event.role == GW_GODOT_STREAM_ROLE_VARIANT) {
            gw_godot_options variant = { .generation = reader.options.generation };
            gw_godot_guess guess;
            if (variant.generation == GW_GODOT_ANY) {
                gw_godot_detect(payload, event.payload.length, NULL, &guess);
                variant.generation = (gw_godot_generation)guess.generation;
            }
            gw_godot_print(text, payload, event.payload.length, &variant);
        } else {
            gw_text_unsigned(text, event.payload.length);
            gw_text_string(text, event.role == GW_GODOT_STREAM_ROLE_PACKET ? " bytes" : " unknown bytes");
        }
    }
    if (next == GW_NEXT_FAULT)
        gw_text_string(text, reader.index ? "; <truncated>" : "<truncated>");
}
