/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Dissects one message: its head, the analysis, its values, and the Info column.
 */
#ifndef GAMEWIRE_PLUGIN_SQUIRREL_DISSECT_H
#define GAMEWIRE_PLUGIN_SQUIRREL_DISSECT_H

#include "common/compat.h"

/* The captured bytes of a packet. */
typedef struct squirrel_payload {
    const uint8_t *bytes; /* NULL: none */
    uint32_t length;
    uint32_t wire_length;
} squirrel_payload;

squirrel_payload squirrel_payload_of(tvbuff_t *tvb);

/* Analyzes a message or a frame that is not dissected on the first pass, but may be on the second. */
void squirrel_keep_candidate(tvbuff_t *tvb, packet_info *pinfo);

/* Dissects a message or a frame, valid or not; 0 if it is neither. */
int squirrel_dissect_script(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);

/* The same, but also for values without a frame. Never declines. */
int squirrel_dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);

#endif
