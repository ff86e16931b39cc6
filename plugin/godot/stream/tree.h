/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Messages of a stream as items.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_STREAM_TREE_H
#define GAMEWIRE_PLUGIN_GODOT_STREAM_TREE_H

#include "common/compat.h"

#include <gamewire/godot_stream.h>

typedef struct godot_stream_segment {
    packet_info *pinfo;
    tvbuff_t *tvb;
    proto_tree *parent;
    const uint8_t *bytes;
    uint32_t length_frame; /* frame of the first message's length, if it is another frame; else 0 */
    bool wants_line;
    uint8_t experts[32];
} godot_stream_segment;

typedef struct godot_stream_shown {
    const char *line;               /* for the Info column; NULL if neither the column nor the tree is shown */
    tvbuff_t *variant;              /* the message's Variant; NULL if it has none */
    gw_godot_generation generation; /* of the Variant */
} godot_stream_shown;

/* Adds one message or unknown bytes. */
godot_stream_shown godot_stream_show(godot_stream_segment *segment, const gw_godot_stream_event *event);
/* Adds the remaining bytes after the end of reading. */
void godot_stream_show_fault(godot_stream_segment *segment, const gw_fault *fault);

#endif
