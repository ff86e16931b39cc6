/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a protocol keeps of its messages from the first pass to later ones, by frame and key.
 *
 * It is used in place of p_add_proto_data() in file scope, which takes 48 bytes for a pointer, and 16 for the memory
 * that it refers to. Here a record takes 8 bytes and what the protocol keeps. Wireshark dissects the frames of a file
 * in their order on the first pass: records are written one after the other, into blocks that are never moved, and
 * found by binary search.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_FRAME_LOG_H
#define GAMEWIRE_PLUGIN_COMMON_FRAME_LOG_H

#include "common/compat.h"

typedef struct gw_log_block gw_log_block;

/* The records of one protocol, in the current file. */
typedef struct gw_frame_log {
    gw_log_block *blocks; /* by frame */
    uint32_t block_count;
    uint32_t last_frame; /* with a record */
    /* Where the latest search began to read: the next one is most often for the same frame, or one soon after it. */
    uint32_t found_block, found_offset, found_frame;
} gw_frame_log;

/* Call once, when the protocol is registered. */
void gw_frame_log_init(gw_frame_log *log);

/* On the first pass: a new record of `size` bytes, which are zero and aligned as a pointer is, until the file is closed;
 * 0 if only its key matters. A record of more than 512 kB, and one of a frame before that of the latest record
 * (Wireshark does not dissect frames in such an order), is in packet scope instead: it will not be found. */
void *gw_frame_log_add(gw_frame_log *log, const packet_info *pinfo, uint32_t key, size_t size);

/* The latest record of the packet's frame with this key; NULL: none. `size`, unless NULL, is set to the record's, rounded
 * up to a multiple of 8. */
void *gw_frame_log_find(gw_frame_log *log, const packet_info *pinfo, uint32_t key, size_t *size);

#endif
