/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Divides the bytes of each frame among the rows of -z godot,tree: a message gets its payload, its share of the headers
 * and, before and after its own frame, its fragments, its retransmissions and the acknowledgements that it causes. The
 * rest is overhead. The rows of a group that divides all bytes add up to those of the capture.
 *
 * A message is known only in the frame of its last fragment. Until then its bytes are in a row of their own and then
 * move, so that the sums are right after each frame, and one pass is sufficient. What this needs is kept for each open
 * tree, not by the dissectors.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_BYTES_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_BYTES_H

#include "statistics.h"

/* A packet of TCP, or those of SCTP in a frame. */
typedef struct godot_mp_segment {
    uint32_t stream; /* number of the connection; even for TCP, odd for SCTP */
    uint32_t payload;
    uint32_t end; /* the sequence number after the payload */
    bool acknowledges;
} godot_mp_segment;

/* Adds what a frame contains of SCTP, while godot_is_counted(). */
void godot_mp_bytes_add_segment(packet_info *pinfo, const godot_mp_segment *segment);

/* Call when a tree is opened or emptied, for each frame, and when it is closed. `counts`: the frame's messages;
 * `documents`: the bytes of its Variants that are not in messages. */
void godot_mp_bytes_begin(stats_tree *tree);
void godot_mp_bytes_add(stats_tree *tree, packet_info *pinfo, const godot_mp_count *counts, uint32_t documents);
void godot_mp_bytes_end(stats_tree *tree);

#endif
