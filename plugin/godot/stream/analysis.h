/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is known of a stream beyond one segment: its byte order, a length that came in a segment of its own, and in a
 * debugger's connection whether a message begins where a segment does.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_STREAM_ANALYSIS_H
#define GAMEWIRE_PLUGIN_GODOT_STREAM_ANALYSIS_H

#include "common/compat.h"

#include <gamewire/godot_stream.h>

/* Bytes that may be the beginning of a message: a length in a segment of its own, or more. */
typedef struct godot_stream_beginning {
    uint32_t frame; /* of its last segment; 0: none */
    uint32_t next;  /* sequence number after it */
    uint32_t length;
    const uint8_t *bytes;
} godot_stream_beginning;

/* More than this is no beginning. */
#define GODOT_STREAM_LONGEST_BEGINNING 8192U

/* A stream is not reassembled before it is recognized: notes that all of `whole`, whose last `length` bytes are this
 * segment, may be the beginning of a message. Does nothing after the first pass. `data` is what TCP hands to its
 * dissectors. */
void godot_stream_note_beginning(packet_info *pinfo, tvbuff_t *whole, uint32_t length, int protocol, const void *data);
/* The beginning in front of this segment's bytes, if one was noted; else NULL. The same on every pass. */
const godot_stream_beginning *godot_stream_beginning_of(packet_info *pinfo, int protocol, const void *data);
/* The segment's bytes with that beginning in front; `tvb` itself when there is none. */
tvbuff_t *godot_stream_with_beginning(packet_info *pinfo, tvbuff_t *tvb, const godot_stream_beginning *beginning);

/* The byte order of the last length that this side sent before this frame, as far as it is known. The same on every
 * pass. */
gw_godot_stream_order godot_stream_known_order(packet_info *pinfo);
/* This side's last length up to this frame has that order. Does nothing after the first pass. */
void godot_stream_learn_order(packet_info *pinfo, gw_godot_stream_order order);

/* In a debugger's connection: whether this segment begins where a message does, since the one before it was read to its
 * end. `data` is what TCP hands to its dissectors. The same on every pass. */
bool godot_stream_begins_in_step(packet_info *pinfo, const void *data);
/* What follows this segment's bytes begins in step, or does not. */
void godot_stream_set_step(packet_info *pinfo, bool in_step);

/* After bytes that end in the middle of a message, or in which no message begins (`is_unknown`): whether to wait for
 * the segment that follows. `offset` is where these bytes begin, counted from the first byte that TCP handed over.
 * False when no message began in as many segments as are collected, and when TCP would hand over shown bytes again.
 * Call it once a segment; `data` is what TCP hands to its dissectors. The same on every pass. */
bool godot_stream_may_wait(packet_info *pinfo, uint32_t offset, bool is_unknown, const void *data);

/* No byte of this side follows the segment. */
bool godot_stream_ends(const void *data);

#endif
