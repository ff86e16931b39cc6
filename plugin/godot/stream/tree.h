/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Messages of a stream as items.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_STREAM_TREE_H
#define GAMEWIRE_PLUGIN_GODOT_STREAM_TREE_H

#include "common/compat.h"

#include <gamewire/godot_stream.h>

#include "godot/variant/generation.h"

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

#endif
