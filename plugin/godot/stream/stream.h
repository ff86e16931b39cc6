/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The dissector of streams, for godot/tcp too, which finds the messages in TCP connections: a part for each file, in the
 * order in which they use each other.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_STREAM_STREAM_H
#define GAMEWIRE_PLUGIN_GODOT_STREAM_STREAM_H

#include "common/compat.h"

#include <epan/expert.h>
#include <gamewire/godot_stream.h>

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
    int json;
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

/* ==== packet-godot-stream.c ============================================================================= */

/* Messages of a stream: from TCP segments, or from WebSocket, where a message is a Variant. */

/* A tvbuff that contains messages. */
typedef struct godot_stream_input {
    packet_info *pinfo;
    tvbuff_t *tvb;
    proto_tree *parent; /* may be NULL */
    const uint8_t *bytes;
    uint32_t length_frame; /* frame of the first message's length, if it is another frame; else 0 */
    bool needs_line;       /* the Info column is written */
    uint8_t experts[32];
    unsigned first_finding; /* of the message that is dissected, in the packet */
} godot_stream_input;

/* Also used for bytes between the debugger's messages. */
void godot_stream_input_init(godot_stream_input *input, tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent);

/* Adds the items, the line and the counts of one message, or of unknown bytes. `protocol`: the protocol whose line is in
 * the Info column. */
void godot_stream_dissect(godot_stream_input *input, const gw_godot_stream_event *event, int protocol);

/* Adds the bytes from the fault's offset on. */
void godot_stream_add_fault(godot_stream_input *input, const gw_fault *fault);

/* The preference: gw_godot_stream_order. */
extern int godot_stream_order_preference;

#endif
