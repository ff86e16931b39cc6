/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * How strongly a segment indicates a stream of Variants: see gw_godot_stream_recognize().
 */
#include "reader.h"

#include <string.h>

/* A recognizer skips bytes only before a message that begins before this offset. */
#define MOST_SKIPPED 32U
#define MOST_BITS    UINT32_C(100000)

/* Adds the evidence of consecutive messages from an offset on. All must have a reading (a generation and a byte order:
 * GW_GODOT_STREAM_READING) in common: the first message without one, or that is not a message, ends the sum, and the
 * evidence before it remains. One unlikely message makes the segment unlikely. */
static void add_messages(gw_godot_stream_reader *reader, uint32_t offset, gw_recognition *recognition)
{
    uint32_t last = 0, last_length = 0;
    frame message;
    for (; offset < reader->length; offset += GW_GODOT_STREAM_PREFIX + message.length) {
        gw_godot_stream_look(reader, offset, GW_GODOT_STREAM_LONGEST, &message);
        if (message.state == FRAME_FOREIGN || (message.state == FRAME_SHORT && recognition->readings))
            return;
        recognition->possible = true;
        /* Too few bytes for a message: every reading is possible, without evidence. */
        if (message.state == FRAME_SHORT) {
            recognition->readings = UINT32_MAX;
            return;
        }
        uint32_t readings = message.recognition.readings << (message.order == GW_GODOT_STREAM_BIG ? 8 : 0);
        if (recognition->readings && !(recognition->readings & readings))
            return;
        recognition->readings = recognition->readings ? recognition->readings & readings : readings;
        recognition->unlikely |= message.recognition.unlikely;
        /* Copies of the previous message are no further evidence. A truncated one is not compared: the input does not
         * contain all its bytes. */
        if (message.state == FRAME_CUT || last_length != message.length ||
            memcmp(reader->bytes + last, reader->bytes + offset, GW_GODOT_STREAM_PREFIX + message.length) != 0)
            recognition->bits += message.recognition.bits;
        if (message.state == FRAME_CUT || recognition->bits > MOST_BITS)
            return;
        last = offset;
        last_length = message.length;
    }
}

/* Adds up the evidence of the messages in a segment: from its beginning, or else, if that is not a message, from the
 * first one that is found before MOST_SKIPPED, as the segment may begin with bytes of the game's own. False if there is
 * none. */
bool gw_godot_stream_recognize(const uint8_t *bytes, size_t captured, size_t wire_length,
                               const gw_godot_stream_options *options, gw_recognition *recognition)
{
    gw_godot_stream_reader reader;
    frame message;
    *recognition = (gw_recognition){ 0 };
    gw_godot_stream_init(&reader, bytes, captured, options);
    if (!captured || captured > wire_length || reader.fault.fault_class)
        return false;
    add_messages(&reader, 0, recognition);
    if (recognition->possible)
        return true;
    uint32_t next = gw_godot_stream_search(&reader, 1, MOST_SKIPPED, &message);
    if (next < reader.length)
        add_messages(&reader, next, recognition);
    /* Skipped bytes can be anything: they are possible only with sufficient evidence after them. */
    if (recognition->bits < GW_RECOGNIZED_ALONE)
        *recognition = (gw_recognition){ 0 };
    return recognition->possible;
}
