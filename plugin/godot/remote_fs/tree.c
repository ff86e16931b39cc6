/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The values of a segment of the remote file system as items.
 */
#include "internal.h"

#include "common/experts.h"
#include "common/field_text.h"
#include "common/item_budget.h"
#include "common/spans.h"

static const gw_fault_display faults = {
    .hf_undecoded = &godot_remote_fs_hf.undecoded,
    .experts = godot_remote_fs_ei.faults,
    .cut_short = &godot_remote_fs_ei.cut_short,
    .table = &gw_godot_remote_fs_faults,
};

void godot_remote_fs_tree_begin(godot_remote_fs_tree *layer, tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent)
{
    *layer = (godot_remote_fs_tree){ .pinfo = pinfo,
                                     .tvb = tvb,
                                     .item = gw_add_protocol(parent, pinfo, proto_godot_remote_fs, tvb, 0, -1),
                                     .items_left = gw_items_left(pinfo, godot_remote_fs_hf.undecoded) };
    layer->tree = proto_item_add_subtree(layer->item, godot_remote_fs_ett);
}

static const char *text_of(const godot_remote_fs_tree *layer, const gw_godot_remote_fs_event *event)
{
    return gw_field_text(layer->pinfo->pool, gw_text_of(layer->pinfo->pool, layer->tvb, event->payload));
}

static proto_item *add_value(const godot_remote_fs_tree *layer, const gw_godot_remote_fs_event *event)
{
    int hf = godot_remote_fs_hf.roles[event->role];
    int offset = (int)event->payload.offset, length = (int)event->payload.length;
    switch (event->role) {
    case GW_GODOT_REMOTE_FS_ROLE_MODIFIED: {
        const nstime_t time = { .secs = (time_t)event->number };
        if (event->number)
            return proto_tree_add_time(layer->tree, hf, layer->tvb, offset, length, &time);
        /* A file that was removed has no time. */
        return proto_tree_add_boolean(layer->tree, godot_remote_fs_hf.removed, layer->tvb, offset, length, true);
    }
    case GW_GODOT_REMOTE_FS_ROLE_PASSWORD: {
        const gw_span all = { event->payload.offset, event->payload.length + event->padding.length };
        return gw_add_text(layer->tree, hf, layer->tvb, all, text_of(layer, event));
    }
    case GW_GODOT_REMOTE_FS_ROLE_TAG:
    case GW_GODOT_REMOTE_FS_ROLE_PATH: {
        const gw_span all = { event->header.offset, event->header.length + event->payload.length };
        return gw_add_text(layer->tree, hf, layer->tvb, all, text_of(layer, event));
    }
    case GW_GODOT_REMOTE_FS_ROLE_LIST:
    case GW_GODOT_REMOTE_FS_ROLE_CONTENT:
        return gw_add_span(layer->tree, hf, layer->tvb, event->payload, ENC_NA);
    case GW_GODOT_REMOTE_FS_ROLE_MAGIC:
    case GW_GODOT_REMOTE_FS_ROLE_END:
        return gw_add_span(layer->tree, hf, layer->tvb, event->payload, ENC_ASCII);
    default:
        return gw_add_span(layer->tree, hf, layer->tvb, event->payload, ENC_LITTLE_ENDIAN);
    }
}

void godot_remote_fs_tree_add(godot_remote_fs_tree *layer, const gw_godot_remote_fs_event *event, const char *file)
{
    if (layer->is_full)
        return;
    if (!gw_use_items(layer->items_left, 2)) {
        layer->is_full = true;
        proto_tree_add_expert(layer->tree, layer->pinfo, &godot_remote_fs_ei.not_shown, layer->tvb,
                              (int)event->payload.offset, -1);
        return;
    }
    proto_item *item = add_value(layer, event);
    gw_add_odd_experts(layer->pinfo, item, godot_remote_fs_ei.odd, &gw_godot_remote_fs_faults, layer->experts,
                       event->odd, event->payload.offset);
    if (event->role == GW_GODOT_REMOTE_FS_ROLE_PASSWORD && event->payload.length)
        expert_add_info(layer->pinfo, item, &godot_remote_fs_ei.password);
    if (file)
        proto_item_set_generated(gw_add_text(layer->tree, godot_remote_fs_hf.file, layer->tvb, event->payload,
                                             gw_field_text(layer->pinfo->pool, file)));
}

void godot_remote_fs_tree_add_fault(const godot_remote_fs_tree *layer, const gw_fault *fault)
{
    gw_add_fault(layer->pinfo, layer->tree, layer->tvb, fault, &faults);
}

void godot_remote_fs_tree_add_unseen(const godot_remote_fs_tree *layer)
{
    proto_item *item = proto_tree_add_item(layer->tree, godot_remote_fs_hf.undecoded, layer->tvb, 0, -1, ENC_NA);
    expert_add_info(layer->pinfo, item, &godot_remote_fs_ei.unseen);
}
