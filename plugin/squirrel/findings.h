/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds the results of the analysis to the tree, with expert infos. Changes no state.
 */
#ifndef GAMEWIRE_PLUGIN_SQUIRREL_FINDINGS_H
#define GAMEWIRE_PLUGIN_SQUIRREL_FINDINGS_H

#include "analysis.h"
#include "reassembly.h"

/* `token`: its item, or NULL. */
void squirrel_findings_add(packet_info *pinfo, proto_tree *tree, proto_item *token, const gw_squirrel_frame *frame,
                           const squirrel_findings *findings);
void squirrel_add_against_direction(packet_info *pinfo, proto_item *item, const gw_squirrel_frame *frame);
/* Adds the duplicate or the reassembled stream; returns the whole frame if this packet completes it, else NULL. */
tvbuff_t *squirrel_add_stream(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const gw_squirrel_frame *frame,
                              const squirrel_chunk_findings *findings);

#endif
