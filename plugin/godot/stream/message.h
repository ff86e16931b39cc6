/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The Variants of a stream on their way: segments of TCP connections, and WebSocket messages.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_STREAM_MESSAGE_H
#define GAMEWIRE_PLUGIN_GODOT_STREAM_MESSAGE_H

#include "common/compat.h"

#include <gamewire/godot_stream.h>

#include "tree.h"

/* How this side's stream is read, as far as preferences and earlier segments say. */
gw_godot_stream_options godot_stream_options(packet_info *pinfo);

/* Dissects the bytes of a segment: each Variant has its length in front. Declines nothing. */
int godot_stream_dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data);

/* Dissects a WebSocket message, which is a Variant without a length. */
void godot_stream_dissect_bare(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent);

/* What is read between the debugger's messages goes the same way. `protocol`: whose line in the Info column it is. */
void godot_stream_segment_init(godot_stream_segment *segment, tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent);
void godot_stream_dissect_event(godot_stream_segment *segment, const gw_godot_stream_event *event, int protocol);

/* TCP calls again with the bytes from `offset` on when `more` have come, or DESEGMENT_ONE_MORE_SEGMENT. The first
 * `in_front` bytes are of earlier segments. */
void godot_stream_wait(packet_info *pinfo, uint32_t offset, uint32_t in_front, uint32_t more);

/* An offset in bytes of which the first `in_front` are of earlier segments, counted from the first byte that TCP handed
 * over. */
uint32_t godot_stream_offset_in_tcp(uint32_t offset, uint32_t in_front);

/* After a fault, reading goes on as if no byte followed: what cannot be read is unknown. */
void godot_stream_read_to_end(gw_godot_stream_reader *reader);

/* The preference: gw_godot_stream_order. */
extern int godot_stream_order_preference;

#endif
