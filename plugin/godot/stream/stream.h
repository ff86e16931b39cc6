/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the files of the dissector of streams share: a part for each file, in the order in which they use each other.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_STREAM_STREAM_H
#define GAMEWIRE_PLUGIN_GODOT_STREAM_STREAM_H

#include "common/compat.h"

#include <epan/expert.h>
#include <gamewire/godot_stream.h>

#include "godot/variant/generation.h"

/* ==== analysis.c ======================================================================================== */

/* What is known of a stream beyond one segment: its byte order, and in a debugger's connection whether a message
 * begins where a segment does. */

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

/* ==== tree.c ============================================================================================ */

/* Messages of a stream as items. */

typedef struct godot_stream_segment {
    packet_info *pinfo;
    tvbuff_t *tvb;
    proto_tree *parent;
    const uint8_t *bytes;
    uint32_t length_frame; /* frame of the first message's length, if it is another frame; else 0 */
    bool wants_line;
    uint8_t experts[32];
} godot_stream_segment;

/* The Variant of a message. */
typedef struct godot_stream_variant {
    tvbuff_t *tvb;
    godot_findings findings;
} godot_stream_variant;

/* Adds one message or unknown bytes. `variant`: of a message that has one, else NULL. Returns the line for the Info
 * column; NULL if the line is of a Variant, and neither the column nor the tree is shown. */
const char *godot_stream_add(godot_stream_segment *segment, const gw_godot_stream_event *event,
                             const godot_stream_variant *variant);
/* Adds the remaining bytes after the end of reading. */
void godot_stream_add_fault(godot_stream_segment *segment, const gw_fault *fault);

/* ==== dissect.c ========================================================================================= */

/* Dissects the Variants of a stream, in segments of TCP connections and in WebSocket messages. */

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

/* After a fault, continues reading as at the end of a stream: bytes that cannot be read are unknown. */
void godot_stream_read_to_end(gw_godot_stream_reader *reader);

/* The preference: gw_godot_stream_order. */
extern int godot_stream_order_preference;

/* ==== fields.c ========================================================================================== */

/* The fields and expert infos of Godot's streams. */

typedef struct godot_stream_fields {
    int length;
    int order;
    int value;
    int prefix_in;
    int data;
    int text;
    int other;
    int undecoded;
} godot_stream_fields;

typedef struct godot_stream_experts {
    expert_field cut_short;
    expert_field faults[GW_GODOT_STREAM_FAULTS];
    expert_field odd[GW_GODOT_STREAM_ODDS]; /* by the number of the bit */
} godot_stream_experts;

extern godot_stream_fields godot_stream_hf;
extern godot_stream_experts godot_stream_ei;
extern int godot_stream_ett;
extern int proto_godot_stream;

void godot_stream_register_fields(int protocol);

#endif
