/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Split streams: frames longer than 4094 bytes, which are sent in chunks.
 */
#ifndef GAMEWIRE_PLUGIN_SQUIRREL_REASSEMBLY_H
#define GAMEWIRE_PLUGIN_SQUIRREL_REASSEMBLY_H

#include "common/compat.h"

#include <epan/reassemble.h>
#include <gamewire/squirrel.h>

/* A stream may declare four thousand million chunks. Scripts send far less than 16 MiB. */
#define SQUIRREL_MOST_CHUNKS 4096u

typedef struct squirrel_chunk_findings {
    uint32_t duplicate_of; /* frame number of the first one, or 0 */
    fragment_head *stream; /* the whole stream, in each of its chunks once it is complete; or NULL */
} squirrel_chunk_findings;

/* Adds a chunk, whose frame is `tvb`, to its stream. `frame->chunk_odd` must be computed from the reported length.
 * `resent_of`: the frame in which RakNet sent it before, or 0; it is not added again. */
squirrel_chunk_findings squirrel_reassemble(tvbuff_t *tvb, packet_info *pinfo, const gw_squirrel_frame *frame,
                                            uint32_t resent_of);

void squirrel_register_reassembly(void);

#endif
