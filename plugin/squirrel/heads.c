/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds the items of messages, heads of frames and chunks.
 */
#include "internal.h"

#include "common/experts.h"
#include "common/numbers.h"

void squirrel_add_message_head(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree)
{
    uint32_t declared = tvb_get_ntohl(tvb, 1), actual = tvb_reported_length(tvb) - GW_SQUIRREL_MESSAGE_HEAD;
    proto_item *id = gw_add_hex_enumeration(tree, squirrel_hf.message_id, tvb, 0, 1, tvb_get_uint8(tvb, 0));
    proto_item *length = proto_tree_add_item(tree, squirrel_hf.message_length, tvb, 1, 4, ENC_BIG_ENDIAN);
    if (!try_val_to_str(tvb_get_uint8(tvb, 0), squirrel_message_ids))
        expert_add_info(pinfo, id, &squirrel_ei.message_id);
    if (squirrel_is_wrong_length(pinfo, declared, actual))
        expert_add_info_format(pinfo, length, &squirrel_ei.message_length,
                               "Message length wrong: %u declared, %u actual", declared, actual);
}

proto_item *squirrel_add_identifier(tvbuff_t *tvb, proto_tree *tree)
{
    return gw_add_hex_enumeration(tree, squirrel_hf.frame, tvb, 0, 4, tvb_get_letohl(tvb, 0));
}

void squirrel_add_unknown_frame(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, proto_item *item)
{
    int rest = tvb_captured_length_remaining(tvb, GW_SQUIRREL_PLAYER_OFFSET);
    expert_add_info(pinfo, item, &squirrel_ei.unknown_frame);
    if (rest > 0)
        proto_tree_add_item(tree, squirrel_hf.undecoded_frame, tvb, GW_SQUIRREL_PLAYER_OFFSET, rest, ENC_NA);
}

static void add_head_fault(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const gw_fault *fault)
{
    static const gw_fault_display display = { &squirrel_hf.undecoded_frame, squirrel_ei.faults,
                                              &squirrel_ei.head_cut_short, &gw_squirrel_faults };
    gw_add_fault(pinfo, tree, tvb, fault, &display);
}

void squirrel_add_truncated_head(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const gw_fault *fault)
{
    gw_fault moved = *fault;
    moved.offset = GW_SQUIRREL_PLAYER_OFFSET;
    add_head_fault(tvb, pinfo, tree, &moved);
}

void squirrel_add_cut_identifier(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree)
{
    uint32_t captured = tvb_captured_length(tvb);
    const gw_fault cut = { .fault_class = GW_FAULT_TRUNCATED, .needed = tvb_reported_length(tvb) - captured };
    add_head_fault(tvb, pinfo, tree, &cut);
}

proto_item *squirrel_add_head(tvbuff_t *tvb, proto_tree *tree, const gw_squirrel_frame *frame)
{
    int offset = GW_SQUIRREL_PLAYER_OFFSET;
    if (frame->type->player != GW_SQUIRREL_NO_PLAYER) {
        int hf =
            frame->type->player == GW_SQUIRREL_TARGET_PLAYER ? squirrel_hf.target_player : squirrel_hf.sender_player;
        proto_tree_add_item(tree, hf, tvb, offset++, 1, ENC_NA);
    }
    if (!frame->type->token)
        return NULL;
    return proto_tree_add_item(tree, squirrel_hf.token, tvb, offset, 4, ENC_LITTLE_ENDIAN);
}

void squirrel_add_too_large(packet_info *pinfo, proto_item *item, uint32_t length)
{
    expert_add_info_format(pinfo, item, &squirrel_ei.too_large,
                           "A frame of %u bytes: release 1.1.6 splits those above %u, 1.1.1 sends none above %u",
                           length, GW_SQUIRREL_FRAME_SIZE, GW_SQUIRREL_OLD_FRAME_SIZE);
}

/* ---- split streams ------------------------------------------------------------------------------------- */

static void report_chunk_index(packet_info *pinfo, const gw_squirrel_frame *frame, proto_item *chunk,
                               proto_item *chunks)
{
    if (frame->chunk_odd & GW_SQUIRREL_CHUNK_NO_TOTAL)
        expert_add_info(pinfo, chunks, &squirrel_ei.no_total);
    if (frame->chunk_odd & GW_SQUIRREL_CHUNK_BEYOND)
        expert_add_info_format(pinfo, chunk, &squirrel_ei.beyond_total,
                               "Chunk index %u of a stream of %u chunks: the real receiver raises an error",
                               frame->chunk, frame->chunks);
    if (frame->chunks > SQUIRREL_MOST_CHUNKS)
        expert_add_info_format(pinfo, chunks, &squirrel_ei.many_chunks,
                               "A stream of %u chunks: not reassembled, as it has more than %u", frame->chunks,
                               SQUIRREL_MOST_CHUNKS);
}

static void report_chunk_length(tvbuff_t *tvb, packet_info *pinfo, const gw_squirrel_frame *frame, proto_item *length)
{
    if (frame->chunk_odd & GW_SQUIRREL_CHUNK_LENGTH)
        expert_add_info_format(pinfo, length, &squirrel_ei.length_wrong, "Chunk length wrong: %u declared, %u actual",
                               frame->chunk_length, tvb_reported_length(tvb) - GW_SQUIRREL_SPLIT_HEAD);
    if (frame->chunk_odd & GW_SQUIRREL_CHUNK_TOO_LONG)
        expert_add_info_format(pinfo, length, &squirrel_ei.too_long,
                               "A chunk of %u bytes: the real sender fills up to %u", frame->chunk_length,
                               GW_SQUIRREL_CHUNK_SIZE);
    if (frame->chunk_odd & GW_SQUIRREL_CHUNK_SHORT)
        expert_add_info_format(pinfo, length, &squirrel_ei.too_short,
                               "A chunk of %u bytes that is not the last: the real sender fills %u",
                               frame->chunk_length, GW_SQUIRREL_CHUNK_SIZE);
    if (gw_is_cut_by_capture(tvb))
        expert_add_info(pinfo, length, &squirrel_ei.chunk_cut_short);
    else if (pinfo->fragmented)
        expert_add_info_format(pinfo, length, &squirrel_ei.chunk_cut_short,
                               "The rest is in another IP fragment: cannot be reassembled");
}

void squirrel_add_chunk(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const gw_squirrel_frame *frame)
{
    int payload = tvb_captured_length_remaining(tvb, GW_SQUIRREL_SPLIT_HEAD);
    proto_tree_add_item(tree, squirrel_hf.sequence, tvb, 4, 4, ENC_LITTLE_ENDIAN);
    proto_item *chunk = proto_tree_add_item(tree, squirrel_hf.chunk, tvb, 8, 4, ENC_LITTLE_ENDIAN);
    proto_item *chunks = proto_tree_add_item(tree, squirrel_hf.chunks, tvb, 12, 4, ENC_LITTLE_ENDIAN);
    proto_item *length = proto_tree_add_item(tree, squirrel_hf.chunk_length, tvb, 16, 2, ENC_LITTLE_ENDIAN);
    if (payload > 0)
        proto_tree_add_item(tree, squirrel_hf.chunk_payload, tvb, GW_SQUIRREL_SPLIT_HEAD, payload, ENC_NA);
    report_chunk_index(pinfo, frame, chunk, chunks);
    report_chunk_length(tvb, pinfo, frame, length);
}

void squirrel_add_split_in_split(packet_info *pinfo, proto_item *item)
{
    expert_add_info(pinfo, item, &squirrel_ei.split_in_split);
}

proto_tree *squirrel_add_joined(tvbuff_t *tvb, proto_tree *tree)
{
    proto_item *item = proto_tree_add_item(tree, squirrel_hf.joined, tvb, 0, (int)tvb_captured_length(tvb), ENC_NA);
    return proto_item_add_subtree(item, squirrel_ett.joined);
}

void squirrel_add_no_frame(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree)
{
    int length = (int)tvb_captured_length(tvb);
    proto_tree_add_item(tree, squirrel_hf.undecoded_frame, tvb, 0, length, ENC_NA);
    proto_tree_add_expert(tree, pinfo, &squirrel_ei.joined_no_frame, tvb, 0, length);
}
