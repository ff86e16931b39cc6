/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Dissects one message of the debugger: reads it into facts and items, analyzes it, and adds the results to the tree
 * and the columns.
 */
#include "common/columns.h"
#include "common/spans.h"
#include "godot/variant/generation.h"
#include "internal.h"

#define LINE_SIZE 300

void godot_debugger_input_init(godot_debugger_input *input, tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent,
                               gw_godot_debugger_form form)
{
    *input = (godot_debugger_input){ .pinfo = pinfo,
                                     .tvb = tvb,
                                     .parent = parent,
                                     .bytes = gw_bytes_of(tvb),
                                     .length = tvb_captured_length(tvb),
                                     .variants = godot_variants_new(pinfo, tvb),
                                     .options = godot_debugger_options(form) };
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "Godot Debugger");
}

static const char *line_of(const godot_debugger_input *input, uint32_t end)
{
    char *line = (char *)wmem_alloc(input->pinfo->pool, LINE_SIZE);
    gw_text text;
    gw_text_init(&text, line, LINE_SIZE);
    gw_godot_debugger_print(&text, input->bytes, end, &input->options);
    return line;
}

/* One message, whose `reader` was initialized. */
static void dissect_message(godot_debugger_input *input, gw_godot_debugger_reader *reader)
{
    godot_debugger_tree *shown = wmem_new0(input->pinfo->pool, godot_debugger_tree);
    godot_debugger_facts facts;
    gw_godot_debugger_event event;
    godot_generation_keep(input->pinfo, GW_GODOT_GENERATION_BIT(reader->generation));
    godot_debugger_facts_init(&facts, reader);
    godot_debugger_tree_begin(shown, input, reader);
    while (gw_godot_debugger_next(reader, &event) == GW_NEXT_EVENT) {
        godot_debugger_facts_add(&facts, &event);
        godot_debugger_tree_add(shown, &event);
    }
    godot_debugger_tree_end(shown);
    const godot_debugger_findings *findings = godot_debugger_analyze(input->pinfo, &facts);
    const char *line = line_of(input, reader->end);
    godot_debugger_findings_add(shown, &facts, findings, line);
    gw_columns_add(input->pinfo, proto_godot_debugger, line);
}

gw_fault godot_debugger_dissect(godot_debugger_input *input)
{
    gw_godot_debugger_reader reader;
    input->options.sender = godot_debugger_sender(input->pinfo);
    gw_godot_debugger_init(&reader, input->bytes, input->length, &input->options);
    gw_fault fault = reader.fault;
    input->missing = reader.missing;
    if (fault.fault_class)
        return fault;
    dissect_message(input, &reader);
    input->options.offset = reader.end;
    return fault;
}
