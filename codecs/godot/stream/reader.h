/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Shared by the reader of streams and the recognizer: bytes read as a message.
 */
#ifndef GAMEWIRE_CODECS_GODOT_STREAM_READER_H
#define GAMEWIRE_CODECS_GODOT_STREAM_READER_H

#include <gamewire/godot_stream.h>

typedef enum frame_state { FRAME_FOREIGN, FRAME_SHORT, FRAME_CUT, FRAME_WHOLE } frame_state;

typedef struct frame {
    frame_state state;
    uint8_t order;
    uint32_t length; /* of the payload, CUT and WHOLE only */
    uint64_t needed; /* bytes beyond the input; SHORT and CUT only */
    gw_recognition recognition;
} frame;

/* Reads the bytes at the offset as a message of at most `longest` bytes: in the byte order of the options, or of the
 * previous message, or in the better of both. */
void gw_godot_stream_look(gw_godot_stream_reader *reader, uint32_t offset, uint32_t longest, frame *message);
/* The offset of the next whole message that begins from `offset` up to `end`; reader->length if there is none. */
uint32_t gw_godot_stream_search(gw_godot_stream_reader *reader, uint32_t offset, uint32_t end, frame *message);

#endif
