/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Messages of a stream as items: each has a layer of its own, and its Variant another.
 */
#include "stream.h"

#include "common/experts.h"
#include "common/field_text.h"
#include "common/frame_links.h"
#include "common/spans.h"
#include "godot/variant/variants.h"

#define LONGEST_TEXT 200

static const gw_fault_display faults = {
    .hf_undecoded = &godot_stream_hf.undecoded,
    .experts = godot_stream_ei.faults,
    .cut_short = &godot_stream_ei.cut_short,
    .table = &gw_godot_stream_faults,
};

static bool is_text(const uint8_t *bytes, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++)
        if (bytes[i] < ' ' || bytes[i] == 0x7F)
            return false;
    return length && gw_utf8_prefix(bytes, length) == length;
}

static void add_length(const godot_stream_segment *segment, proto_tree *tree, const gw_godot_stream_event *event)
{
    if (!event->header.length)
        return;
    gw_add_span(tree, godot_stream_hf.length, segment->tvb, event->header,
                event->order == GW_GODOT_STREAM_BIG ? ENC_BIG_ENDIAN : ENC_LITTLE_ENDIAN);
    proto_item_set_generated(gw_add_text(tree, godot_stream_hf.order, segment->tvb, event->header,
                                         event->order == GW_GODOT_STREAM_BIG ? "big-endian" : "little-endian"));
    if (!event->header.offset)
        gw_add_frame_link(tree, godot_stream_hf.prefix_in, segment->length_frame);
}

static const char *add_packet(const godot_stream_segment *segment, proto_tree *tree, const gw_godot_stream_event *event)
{
    const uint8_t *bytes = segment->bytes + event->payload.offset;
    uint32_t length = event->payload.length;
    proto_tree_add_item(tree, godot_stream_hf.data, segment->tvb, (int)event->payload.offset, (int)length, ENC_NA);
    if (!is_text(bytes, length))
        return wmem_strdup_printf(segment->pinfo->pool, "Packet of %u byte%s", length, length == 1 ? "" : "s");
    const char *text = (const char *)tvb_get_string_enc(segment->pinfo->pool, segment->tvb, (int)event->payload.offset,
                                                        (int)length, ENC_UTF_8);
    char *shortened = (char *)wmem_alloc(segment->pinfo->pool, LONGEST_TEXT);
    gw_text line;
    gw_text_init(&line, shortened, LONGEST_TEXT);
    gw_text_escaped(&line, (const uint8_t *)text, (uint32_t)strlen(text));
    proto_item_set_generated(proto_tree_add_string(tree, godot_stream_hf.text, segment->tvb, (int)event->payload.offset,
                                                   (int)length, gw_field_text(segment->pinfo->pool, text)));
    return wmem_strdup_printf(segment->pinfo->pool, "Packet \"%s\"", shortened);
}

static const char *add_unknown(const godot_stream_segment *segment, proto_tree *tree,
                               const gw_godot_stream_event *event)
{
    uint32_t length = event->payload.length;
    proto_tree_add_item(tree, godot_stream_hf.other, segment->tvb, (int)event->payload.offset, (int)length, ENC_NA);
    return wmem_strdup_printf(segment->pinfo->pool, "%u unknown byte%s", length, length == 1 ? "" : "s");
}

static const char *add_variant(const godot_stream_segment *segment, proto_tree *tree,
                               const gw_godot_stream_event *event, const godot_stream_variant *variant)
{
    const godot_variant_request request = { .exact = true, .wants_text = segment->wants_line || tree };
    godot_variant_result result;
    godot_variants_add_as(godot_variants_new(segment->pinfo, variant->tvb), segment->parent, &request,
                          &variant->findings, &result);
    if (result.text)
        proto_item_set_generated(gw_add_text(tree, godot_stream_hf.value, segment->tvb, event->payload, result.text));
    return result.text;
}

const char *godot_stream_add(godot_stream_segment *segment, const gw_godot_stream_event *event,
                             const godot_stream_variant *variant)
{
    uint32_t end = gw_span_end(event->padding);
    proto_item *item = gw_add_protocol(segment->parent, segment->pinfo, proto_godot_stream, segment->tvb,
                                       event->header.offset, (int)(end - event->header.offset));
    proto_tree *tree = proto_item_add_subtree(item, godot_stream_ett);
    gw_add_odd_experts(segment->pinfo, item, godot_stream_ei.odd, &gw_godot_stream_faults, segment->experts, event->odd,
                       event->payload.offset);
    if (event->role != GW_GODOT_STREAM_ROLE_UNKNOWN)
        add_length(segment, tree, event);
    if (variant)
        return add_variant(segment, tree, event, variant);
    const char *line = event->role == GW_GODOT_STREAM_ROLE_PACKET ? add_packet(segment, tree, event)
                                                                  : add_unknown(segment, tree, event);
    gw_append_line(item, segment->pinfo, proto_godot_stream, "", line);
    return line;
}

void godot_stream_add_fault(godot_stream_segment *segment, const gw_fault *fault)
{
    proto_item *item =
        proto_tree_add_item(segment->parent, proto_godot_stream, segment->tvb, (int)fault->offset, -1, ENC_NA);
    gw_add_fault(segment->pinfo, proto_item_add_subtree(item, godot_stream_ett), segment->tvb, fault, &faults);
}
