/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds the results of the analysis as generated items and expert infos.
 */
#include "internal.h"

#include "common/experts.h"
#include "common/frame_links.h"

static void add_stop(const godot_debugger_tree *layer, const godot_debugger_facts *facts,
                     const godot_debugger_findings *findings)
{
    proto_tree *tree = layer->trees[0];
    uint32_t frame = layer->pinfo->num;
    if (findings->entered_in != frame)
        gw_add_frame_link(tree, godot_debugger_hf.break_in, findings->entered_in);
    if (findings->resumed_in && findings->resumed_in != frame)
        gw_add_frame_link(tree, godot_debugger_hf.resumed_in, findings->resumed_in);
    if (findings->exited_in && findings->exited_in != frame)
        gw_add_frame_link(tree, godot_debugger_hf.continue_in, findings->exited_in);
    if (findings->resumed_in && facts->effect != GW_GODOT_DEBUGGER_EXITS)
        gw_add_time_between(tree, godot_debugger_hf.until_resumed, &findings->resumed, &findings->entered);
    if (findings->exited_in && facts->effect != GW_GODOT_DEBUGGER_RESUMES)
        gw_add_time_between(tree, godot_debugger_hf.break_time, &findings->exited, &findings->entered);
}

static void add_experts(const godot_debugger_tree *layer, const godot_debugger_facts *facts, const char *line)
{
    if (!facts->name)
        expert_add_info(layer->pinfo, layer->items[0], &godot_debugger_ei.unknown_message);
    else if (!strcmp(facts->name, "error"))
        expert_add_info_format(layer->pinfo, layer->items[0],
                               facts->is_warning ? &godot_debugger_ei.warning : &godot_debugger_ei.error, "%s", line);
    else if (facts->effect == GW_GODOT_DEBUGGER_ENTERS)
        expert_add_info_format(layer->pinfo, layer->items[0], &godot_debugger_ei.stopped, "%s", line);
}

void godot_debugger_findings_add(const godot_debugger_tree *layer, const godot_debugger_facts *facts,
                                 const godot_debugger_findings *findings, const char *line)
{
    proto_tree *tree = layer->trees[0];
    if (tree) {
        gw_godot_debugger_side sender = facts->sender;
        if (sender == GW_GODOT_DEBUGGER_EITHER)
            sender = godot_debugger_sender(layer->pinfo);
        proto_item_set_generated(proto_tree_add_uint(tree, godot_debugger_hf.sender, NULL, 0, 0, sender));
        proto_item_set_generated(
            proto_tree_add_uint(tree, godot_debugger_hf.generation, NULL, 0, 0, facts->generation));
        proto_item_set_generated(proto_tree_add_string(tree, godot_debugger_hf.line, NULL, 0, 0, line));
        gw_append_line(layer->items[0], layer->pinfo, proto_godot_debugger, "", line);
        if (findings)
            add_stop(layer, facts, findings);
    }
    add_experts(layer, facts, line);
}

/* ---- bytes that are not a message ---------------------------------------------------------------------- */

void godot_debugger_add_fault(const godot_debugger_input *input, const gw_fault *fault)
{
    static const gw_fault_display faults = {
        .hf_undecoded = &godot_debugger_hf.undecoded,
        .experts = godot_debugger_ei.faults,
        .cut_short = &godot_debugger_ei.cut_short,
        .table = &gw_godot_debugger_faults,
    };
    proto_item *item =
        proto_tree_add_item(input->parent, proto_godot_debugger, input->tvb, (int)fault->offset, -1, ENC_NA);
    gw_add_fault(input->pinfo, proto_item_add_subtree(item, godot_debugger_ett), input->tvb, fault, &faults);
}

void godot_debugger_add_explanation(const godot_debugger_input *input, uint32_t code, uint32_t end)
{
    const char *consequence = gw_fault_consequence(&gw_godot_debugger_faults, code);
    uint32_t start = input->options.offset;
    proto_tree_add_expert_format(input->parent, input->pinfo, &godot_debugger_ei.faults[code], input->tvb, (int)start,
                                 (int)(end - start), "%s at offset %u%s%s",
                                 gw_fault_text(&gw_godot_debugger_faults, code), start, consequence ? "; " : "",
                                 consequence ? consequence : "");
}
