/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds the items of messages, frames, chunks and values, with expert infos. They are read in dissect.c.
 */
#ifndef GAMEWIRE_PLUGIN_SQUIRREL_TREE_H
#define GAMEWIRE_PLUGIN_SQUIRREL_TREE_H

#include "common/demand.h"

#include <gamewire/squirrel.h>

#include "analysis.h"
#include "reassembly.h"

/* ---- headers ------------------------------------------------------------------------------------------- */

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
void squirrel_findings_add(packet_info *pinfo, proto_tree *tree, proto_item *token, const gw_squirrel_frame *frame,
                           const squirrel_findings *findings);
void squirrel_add_against_direction(packet_info *pinfo, proto_item *item, const gw_squirrel_frame *frame);
void squirrel_add_too_large(packet_info *pinfo, proto_item *item, uint32_t length);

/* ---- split streams ------------------------------------------------------------------------------------- */

/* `frame->chunk_odd` must be computed from the reported length. */
void squirrel_add_chunk(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const gw_squirrel_frame *frame);
void squirrel_add_split_in_split(packet_info *pinfo, proto_item *item);
/* Adds the duplicate or the reassembled stream; returns the whole frame if this packet completes it, else NULL. */
tvbuff_t *squirrel_add_stream(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const gw_squirrel_frame *frame,
                              const squirrel_chunk_findings *findings);
/* The subtree of a reassembled frame, whose bytes are `tvb`. */
proto_tree *squirrel_add_joined(tvbuff_t *tvb, proto_tree *tree);
void squirrel_add_no_frame(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);

/* ---- values -------------------------------------------------------------------------------------------- */

typedef struct squirrel_tree_preferences {
    ws_bool show_headers; /* show tag and length of every value, not only of containers and commands */
} squirrel_tree_preferences;

extern squirrel_tree_preferences squirrel_tree_prefs;

/* The items of one frame's values, added event by event. */
typedef struct squirrel_drawing {
    tvbuff_t *tvb;
    packet_info *pinfo;
    proto_tree *tree;                   /* parent of the values; may be NULL */
    const gw_squirrel_frame_type *type; /* NULL: values without a frame */
    const gw_squirrel_reader *reader;   /* reader of the events */
    gw_demand *demand;
    bool drawn;           /* the protocol's fields are referenced; else only oddities and faults are reported */
    bool headers;         /* show tags and lengths of scalars too */
    uint32_t *items_left; /* of the whole packet: common/item_budget.h */
    bool sparse;          /* the tree is not visible: only fields that are referenced have items */
    uint8_t expert_counts[32];
    bool hiding;
    uint32_t hidden_from;
    proto_item *items[GW_SQUIRREL_DEPTH];
    proto_tree *trees[GW_SQUIRREL_DEPTH];
} squirrel_drawing;

/* The subtrees are set when containers open. */
void squirrel_begin_values(squirrel_drawing *drawing, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                           gw_demand *demand, const gw_squirrel_frame_type *type, const gw_squirrel_reader *reader);
void squirrel_add_event(squirrel_drawing *drawing, const gw_squirrel_event *event);
/* True if the field of the source text is referenced. */
bool squirrel_wants_expression(proto_tree *tree);
/* Adds the source text, before the items of the values. */
void squirrel_add_expression(proto_tree *tree, const char *text);
/* Call it after the last event: adds what was not shown, and the fault if there is one. */
void squirrel_end_values(squirrel_drawing *drawing);

#endif
