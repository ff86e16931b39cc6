/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The dissector of streams, for godot/tcp too, which finds the messages in TCP connections.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_STREAM_STREAM_H
#define GAMEWIRE_PLUGIN_GODOT_STREAM_STREAM_H

#include "common/compat.h"

#include <gamewire/godot_stream.h>

extern int proto_godot_stream;

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

/* Adds the items, the line and the counts of one message, or of unknown bytes. `protocol`: the protocol whose line
 * is in the Info column. `first_finding`: the first one of the message, in the packet: findings of the caller may be
 * before it. */
void godot_stream_dissect(godot_stream_input *input, const gw_godot_stream_event *event, int protocol,
                          unsigned first_finding);

/* Adds the bytes from the fault's offset on. */
void godot_stream_add_fault(godot_stream_input *input, const gw_fault *fault);

/* The preference: gw_godot_stream_order. */
extern int godot_stream_order_preference;

#endif
