/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds the results of the analysis: links between frames, reassembled streams.
 */
#include "internal.h"

#include "common/frame_links.h"
#include "common/item_budget.h"

static void add_relay(proto_tree *tree, const squirrel_findings *findings)
{
    gw_add_frame_link(tree, squirrel_hf.relayed_in, findings->relayed_in);
    gw_add_frame_link(tree, squirrel_hf.relay_of, findings->relay_of);
}

void squirrel_findings_add(packet_info *pinfo, proto_tree *tree, proto_item *token, const gw_squirrel_frame *frame,
                           const squirrel_findings *findings)
{
    proto_item *again = gw_add_frame_link(tree, squirrel_hf.retransmission_of, findings->retransmission_of);
    if (findings->retransmission_of)
        expert_add_info(pinfo, again, &squirrel_ei.retransmission);
    switch (findings->part) {
    case SQUIRREL_COMMAND:
        add_relay(tree, findings);
        gw_add_frame_link(tree, squirrel_hf.response_in, findings->answer_in);
        if (findings->failed)
            proto_item_set_generated(proto_tree_add_boolean(tree, squirrel_hf.failed, NULL, 0, 0, true));
        if (findings->unanswered)
            proto_item_set_generated(proto_tree_add_boolean(tree, squirrel_hf.unanswered, NULL, 0, 0, true));
        break;
    case SQUIRREL_ANSWER:
        gw_add_frame_link(tree, squirrel_hf.response_to, findings->command_in);
        if (!findings->retransmission_of)
            gw_add_time_between(tree, squirrel_hf.time, &pinfo->abs_ts, &findings->command_time);
        add_relay(tree, findings);
        break;
    case SQUIRREL_STRAY_ANSWER:
        expert_add_info_format(pinfo, token, &squirrel_ei.no_command,
                               "No unanswered command with token %d was captured before", frame->token);
        break;
    default:
        break;
    }
}

void squirrel_add_against_direction(packet_info *pinfo, proto_item *item, const gw_squirrel_frame *frame)
{
    expert_add_info_format(pinfo, item, &squirrel_ei.direction, "%s is sent by the %s, but this one is not",
                           frame->type->name, frame->type->to_server ? "client" : "server");
}

/* Several streams may be complete in one packet: if their chunks do not fit into the tree, only their number is shown,
 * and NULL is returned. */
static proto_tree *tree_of_chunks(packet_info *pinfo, proto_tree *tree, const gw_squirrel_frame *frame,
                                  const fragment_head *stream)
{
    if (!stream || stream->reassembled_in != pinfo->num ||
        gw_use_items(gw_items_left(pinfo, squirrel_hf.fragment), frame->chunks))
        return tree;
    proto_item_set_generated(proto_tree_add_uint(tree, squirrel_hf.fragment_count, NULL, 0, 0, frame->chunks));
    return NULL;
}

tvbuff_t *squirrel_add_stream(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const gw_squirrel_frame *frame,
                              const squirrel_chunk_findings *findings)
{
    proto_item *duplicate = gw_add_frame_link(tree, squirrel_hf.duplicate_of, findings->duplicate_of);
    if (findings->duplicate_of)
        expert_add_info(pinfo, duplicate, &squirrel_ei.duplicate);
    return process_reassembled_data(tvb, GW_SQUIRREL_SPLIT_HEAD, pinfo, "Reassembled Squirrel frame", findings->stream,
                                    &squirrel_fragment_items, NULL,
                                    tree_of_chunks(pinfo, tree, frame, findings->stream));
}
