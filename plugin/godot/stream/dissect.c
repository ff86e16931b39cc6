/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads the Variants of a stream into items, the Info column and the statistics.
 */
#include "stream.h"

#include "common/beginning.h"
#include "common/columns.h"
#include "common/damaged.h"
#include "common/experts.h"
#include "common/spans.h"
#include "godot/variant/variants.h"

int godot_stream_order_preference = GW_GODOT_STREAM_ANY_ORDER;

static gw_damaged variants; /* of streams, as payloads */

void godot_stream_register_damaged(void)
{
    gw_damaged_init(&variants);
}

gw_godot_stream_options godot_stream_options(packet_info *pinfo)
{
    gw_godot_options levels = { 0 };
    gw_godot_stream_options options = { .order = (gw_godot_stream_order)godot_stream_order_preference,
                                        .generation = (gw_godot_generation)godot_generation_preference };
    options.last_order = godot_stream_find_order(pinfo);
    if (options.generation == GW_GODOT_ANY)
        options.generation = godot_generation_find(pinfo).proven;
    godot_generation_set_levels(&levels);
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

static tvbuff_t *payload_of(const godot_stream_segment *segment, const gw_godot_stream_event *event)
{
    return gw_subset_of(segment->tvb,
                        (gw_span){ event->payload.offset, event->payload.length + event->padding.length });
}

void godot_stream_dissect_event(godot_stream_segment *segment, const gw_godot_stream_event *event, int protocol)
{
    static const gw_godot_question whole_message = { .values = 1 };
    packet_info *pinfo = segment->pinfo;
    bool is_variant = event->role == GW_GODOT_STREAM_ROLE_VARIANT;
    bool may_be_damaged = event->role == GW_GODOT_STREAM_ROLE_PACKET && event->payload.length;
    godot_stream_variant variant = { .tvb = is_variant || may_be_damaged ? payload_of(segment, event) : NULL };

    /* A packet that is not a Variant may be one of the game's own format, or a Variant that is damaged: common/damaged.h.
     * Streams have no other dissectors. */
    if (is_variant)
        gw_damaged_keep(&variants, pinfo, variant.tvb, 0, godot_variant_weigh);
    else if (may_be_damaged)
        is_variant = gw_damaged_find(&variants, pinfo, variant.tvb, 0);
    if (is_variant) {
        godot_generation_analyze(pinfo, variant.tvb, &whole_message, &variant.findings);
        godot_count(pinfo, variant.tvb, variant.findings.generation);
    }
    const char *line = godot_stream_add(segment, event, is_variant ? &variant : NULL);
    if (line && segment->wants_line)
        gw_columns_add(pinfo, protocol, line);
}

void godot_stream_read_to_end(gw_godot_stream_reader *reader)
{
    gw_godot_stream_options options = reader->options;
    options.offset = reader->fault.offset;
    options.is_end = true;
    gw_godot_stream_init(reader, reader->bytes, reader->length, &options);
}

static gw_next dissect_events(godot_stream_segment *segment, gw_godot_stream_reader *reader)
{
    gw_godot_stream_event event;
    gw_next next;
    while ((next = gw_godot_stream_next(reader, &event)) == GW_NEXT_EVENT)
        godot_stream_dissect_event(segment, &event, proto_godot_stream);
    return next;
}

/* Requests more bytes: TCP calls again with the remaining bytes and further ones. False if there will be none, or if
 * the remaining bytes are shown undecoded. */
static bool request_more(godot_stream_segment *segment, gw_godot_stream_reader *reader, uint32_t in_front, void *data)
{
    packet_info *pinfo = segment->pinfo;
    const gw_fault *fault = &reader->fault;
    bool is_unknown = fault->code == GW_GODOT_STREAM_FAULT_MESSAGE_TRUNCATED;
    if (fault->fault_class != GW_FAULT_TRUNCATED || !pinfo->can_desegment || gw_is_cut_by_capture(segment->tvb))
        return false;
    if (godot_stream_may_wait(pinfo, gw_tcp_offset(fault->offset, in_front), is_unknown, data)) {
        bool is_known = fault->code == GW_GODOT_STREAM_FAULT_VALUE_TRUNCATED && !reader->is_uncertain;
        gw_tcp_request(pinfo, fault->offset, in_front, is_known ? (uint32_t)fault->needed : DESEGMENT_ONE_MORE_SEGMENT);
        return true;
    }
    godot_stream_read_to_end(reader);
    return dissect_events(segment, reader) != GW_NEXT_FAULT;
}

int godot_stream_dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data)
{
    const gw_beginning *beginning = gw_beginning_find(pinfo, proto_godot_stream, data);
    tvbuff_t *whole = gw_beginning_show(pinfo, tvb, beginning, "Message in two segments");
    gw_godot_stream_options options = godot_stream_options(pinfo);
    godot_stream_segment segment;
    gw_godot_stream_reader reader;
    godot_stream_segment_init(&segment, whole, pinfo, parent);
    segment.length_frame = beginning ? beginning->frame : 0;
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "Godot");

    /* Its messages, and then the segments that continue the last one. */
    options.is_end = godot_stream_ends(data);
    gw_godot_stream_init(&reader, segment.bytes, tvb_captured_length(whole), &options);
    gw_next next = dissect_events(&segment, &reader);
    godot_stream_keep_order(pinfo, reader.options.last_order);
    if (next == GW_NEXT_FAULT && !request_more(&segment, &reader, beginning ? beginning->length : 0, data))
        godot_stream_add_fault(&segment, &reader.fault);
    return (int)tvb_captured_length(tvb);
}

void godot_stream_dissect_bare(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent)
{
    const gw_godot_stream_event event = { .role = GW_GODOT_STREAM_ROLE_VARIANT,
                                          .payload.length = tvb_captured_length(tvb) };
    godot_stream_segment segment;
    godot_stream_segment_init(&segment, tvb, pinfo, parent);
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "Godot");
    godot_stream_dissect_event(&segment, &event, proto_godot_stream);
}
