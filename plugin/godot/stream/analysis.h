/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is known of a stream beyond one segment: its byte order, and in a debugger's connection whether a message
 * begins where a segment does.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_STREAM_ANALYSIS_H
#define GAMEWIRE_PLUGIN_GODOT_STREAM_ANALYSIS_H

#include "common/compat.h"

#include <gamewire/godot_stream.h>

/* The byte order of the last length that this side sent before this frame, if it is known. The same on every pass. */
gw_godot_stream_order godot_stream_find_order(packet_info *pinfo);
/* Stores that this side's last length up to this frame has that order. Does nothing after the first pass. */
void godot_stream_keep_order(packet_info *pinfo, gw_godot_stream_order order);

/* In a debugger's connection: true if this segment begins with a message, because the message before it was read to its
 * end and no segment between them is missing. `data` is the data argument of TCP's subdissectors. The same on every
 * pass. */
bool godot_stream_begins_in_step(packet_info *pinfo, const void *data);
/* Stores whether a message begins at this offset, which is counted from the first byte that TCP passed. */
void godot_stream_keep_step(packet_info *pinfo, const void *data, uint32_t offset, bool in_step);

/* After bytes that end inside a message, or in which no message begins (`is_unknown`): true if the next segment is to
 * be requested. `offset` is the start of these bytes, counted from the first byte that TCP passed. False if no message
 * began in the maximum number of collected segments, and if TCP would pass shown bytes again. Call it once per segment;
 * `data` is the data argument of TCP's subdissectors. The same on every pass. */
bool godot_stream_may_wait(packet_info *pinfo, uint32_t offset, bool is_unknown, const void *data);

/* True if this side sends no bytes after the segment. */
bool godot_stream_ends(const void *data);

/* Call once, when the protocol is registered. */
void godot_stream_register_analysis(void);

#endif
