/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The items of messages, heads of frames and chunks, with expert infos.
 */
#ifndef GAMEWIRE_PLUGIN_SQUIRREL_HEADS_H
#define GAMEWIRE_PLUGIN_SQUIRREL_HEADS_H

#include "common/compat.h"

#include <gamewire/squirrel.h>

/* True if the declared length is not that of the bytes that follow. More may be in another IP fragment. */
static inline bool squirrel_is_wrong_length(const packet_info *pinfo, uint32_t declared, uint32_t actual)
{
    return pinfo->fragmented ? declared < actual : declared != actual;
}

/* `tvb` begins with the message id. */
void squirrel_add_message_head(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);
/* `tvb` begins with the identifier. Returns the frame's item, to which results about the whole frame are added. */
proto_item *squirrel_add_identifier(tvbuff_t *tvb, proto_tree *tree);
void squirrel_add_unknown_frame(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, proto_item *item);
void squirrel_add_truncated_head(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const gw_fault *fault);
void squirrel_add_cut_identifier(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);
/* Adds player and token; returns the token's item or NULL. */
proto_item *squirrel_add_head(tvbuff_t *tvb, proto_tree *tree, const gw_squirrel_frame *frame);
void squirrel_add_too_large(packet_info *pinfo, proto_item *item, uint32_t length);

/* `frame->chunk_odd` must be computed from the reported length. */
void squirrel_add_chunk(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const gw_squirrel_frame *frame);
void squirrel_add_split_in_split(packet_info *pinfo, proto_item *item);
/* The subtree of a reassembled frame, whose bytes are `tvb`. */
proto_tree *squirrel_add_joined(tvbuff_t *tvb, proto_tree *tree);
void squirrel_add_no_frame(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);

#endif
