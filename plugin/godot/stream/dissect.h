/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Dissects the Variants of a stream, in segments of TCP connections and in WebSocket messages.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_STREAM_DISSECT_H
#define GAMEWIRE_PLUGIN_GODOT_STREAM_DISSECT_H

#include "common/compat.h"

#include <gamewire/godot_stream.h>

#include "tree.h"

/* Call once, when the protocol is registered. */
void godot_stream_register_damaged(void);

/* How this side's stream is read, from preferences and earlier segments. */
gw_godot_stream_options godot_stream_options(packet_info *pinfo);

/* Dissects the bytes of a segment: each Variant has its length as a prefix. Declines nothing. */
int godot_stream_dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data);

/* Dissects a WebSocket message, which is a Variant without a length. */
void godot_stream_dissect_bare(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent);

/* Also used for bytes between the debugger's messages. `protocol`: the protocol whose line is in the Info column. */
void godot_stream_segment_init(godot_stream_segment *segment, tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent);
void godot_stream_dissect_event(godot_stream_segment *segment, const gw_godot_stream_event *event, int protocol);

/* Requests that TCP calls again with the bytes from `offset` on after `more` further bytes, or
 * DESEGMENT_ONE_MORE_SEGMENT. The first `in_front` bytes are of earlier segments. */
void godot_stream_wait(packet_info *pinfo, uint32_t offset, uint32_t in_front, uint32_t more);

/* Converts an offset in bytes of which the first `in_front` are of earlier segments, to one counted from the first byte
 * that TCP passed. */
uint32_t godot_stream_offset_in_tcp(uint32_t offset, uint32_t in_front);

/* After a fault, continues reading as at the end of a stream: bytes that cannot be read are unknown. */
void godot_stream_read_to_end(gw_godot_stream_reader *reader);

/* The preference: gw_godot_stream_order. */
extern int godot_stream_order_preference;

#endif
