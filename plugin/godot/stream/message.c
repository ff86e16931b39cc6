/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The Variants of a stream on their way: events into items, the Info column and the statistics.
 */
#include "message.h"

#include "analysis.h"
#include "common/columns.h"
#include "common/fault.h"
#include "common/spans.h"
#include "fields.h"
#include "godot/variant/generation.h"
#include "godot/variant/variant.h"
#include "tree.h"

int godot_stream_order_preference = GW_GODOT_STREAM_ANY_ORDER;

gw_godot_stream_options godot_stream_options(packet_info *pinfo)
{
    gw_godot_options levels = { 0 };
    gw_godot_stream_options options = { .order = (gw_godot_stream_order)godot_stream_order_preference,
                                        .generation = (gw_godot_generation)godot_generation_preference };
    options.last_order = godot_stream_known_order(pinfo);
    if (options.generation == GW_GODOT_ANY)
        options.generation = godot_generation_find(pinfo).proven;
    godot_generation_lend(&levels);
    options.levels = levels.levels;
    options.level_count = levels.level_count;
    return options;
}

void godot_stream_segment_init(godot_stream_segment *segment, tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent)
{
    *segment = (godot_stream_segment){ .pinfo = pinfo,
                                       .tvb = tvb,
                                       .parent = parent,
                                       .bytes = gw_bytes_of(tvb),
                                       .wants_line = col_get_writable(pinfo->cinfo, COL_INFO) };
}

void godot_stream_dissect_event(godot_stream_segment *segment, const gw_godot_stream_event *event, int protocol)
{
    godot_stream_shown shown = godot_stream_show(segment, event);
    if (shown.variant)
        godot_count(segment->pinfo, shown.variant, shown.generation);
    if (shown.line && segment->wants_line)
        gw_columns_add(segment->pinfo, protocol, shown.line);
}

static void begin_segment(godot_stream_segment *segment, tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent)
{
    godot_stream_segment_init(segment, tvb, pinfo, parent);
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "Godot");
}

uint32_t godot_stream_more_of_unknown(uint32_t waiting)
{
    return waiting < 4096 ? DESEGMENT_ONE_MORE_SEGMENT : waiting / 64;
}

void godot_stream_wait(packet_info *pinfo, uint32_t offset, uint32_t in_front, uint32_t more)
{
    pinfo->desegment_offset = offset < in_front ? 0 : (int)(offset - in_front);
    pinfo->desegment_len = more;
}

static uint32_t more_after(const gw_fault *fault, tvbuff_t *tvb)
{
    switch (fault->code) {
    case GW_GODOT_STREAM_FAULT_VALUE_TRUNCATED:
        return (uint32_t)fault->needed;
    case GW_GODOT_STREAM_FAULT_MESSAGE_TRUNCATED:
        return godot_stream_more_of_unknown(tvb_captured_length(tvb) - fault->offset);
    default:
        return DESEGMENT_ONE_MORE_SEGMENT;
    }
}

/* More bytes are needed: TCP calls again with what is left and what comes. False when they never come. */
static bool ask_for_more(packet_info *pinfo, tvbuff_t *tvb, const gw_fault *fault, uint32_t in_front)
{
    if (fault->fault_class != GW_FAULT_TRUNCATED || !pinfo->can_desegment || gw_is_cut_by_capture(tvb))
        return false;
    godot_stream_wait(pinfo, fault->offset, in_front, more_after(fault, tvb));
    return true;
}

/* Reads the messages of a segment that begins with `in_front` bytes of an earlier one. */
static void dissect_messages(godot_stream_segment *segment, uint32_t in_front, bool is_end)
{
    gw_godot_stream_options options = godot_stream_options(segment->pinfo);
    gw_godot_stream_reader reader;
    gw_godot_stream_event event;
    gw_next next;
    options.is_end = is_end;
    gw_godot_stream_init(&reader, segment->bytes, tvb_captured_length(segment->tvb), &options);
    while ((next = gw_godot_stream_next(&reader, &event)) == GW_NEXT_EVENT)
        godot_stream_dissect_event(segment, &event, godot_stream_protocol);
    godot_stream_learn_order(segment->pinfo, reader.options.last_order);
    if (next == GW_NEXT_FAULT && !ask_for_more(segment->pinfo, segment->tvb, &reader.fault, in_front))
        godot_stream_show_fault(segment, &reader.fault);
}

int godot_stream_dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data)
{
    const godot_stream_beginning *beginning = godot_stream_beginning_of(pinfo, godot_stream_protocol, data);
    tvbuff_t *whole = godot_stream_with_beginning(pinfo, tvb, beginning);
    godot_stream_segment segment;
    begin_segment(&segment, whole, pinfo, parent);
    if (beginning) {
        add_new_data_source(pinfo, whole, "Message in two segments");
        segment.length_frame = beginning->frame;
    }
    dissect_messages(&segment, beginning ? beginning->length : 0, godot_stream_ends(data));
    return (int)tvb_captured_length(tvb);
}

void godot_stream_dissect_bare(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent)
{
    const gw_godot_stream_event event = { .role = GW_GODOT_STREAM_ROLE_VARIANT,
                                          .payload.length = tvb_captured_length(tvb) };
    godot_stream_segment segment;
    begin_segment(&segment, tvb, pinfo, parent);
    godot_stream_dissect_event(&segment, &event, godot_stream_protocol);
}
