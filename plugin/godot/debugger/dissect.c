/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Recognizes and dissects messages of the debugger: reads a message into facts and items, analyzes it, and adds the
 * results to the tree and the columns.
 */
#include "common/columns.h"
#include "common/spans.h"
#include "godot/variant/generation.h"
#include "internal.h"

#define LINE_SIZE 300

static gw_godot_debugger_options options_of(gw_godot_debugger_form form)
{
    gw_godot_options supplied = { 0 };
    godot_generation_set_levels(&supplied);
    return (gw_godot_debugger_options){ .form = form,
                                        .is_synchronized = form == GW_GODOT_DEBUGGER_BARE,
                                        .levels = supplied.levels,
                                        .level_count = supplied.level_count };
}

/* The tests and their bits: gw_godot_debugger_recognize(). A known name, each letter of which counts as a chance of one
 * in sixteen, in the form of a message, with values of its types: 48 bits. No packet of other protocols in
 * tests/strangers/streams.py is accepted. */
void godot_debugger_recognize(tvbuff_t *tvb, gw_godot_debugger_form form, gw_recognition *recognition)
{
    const gw_godot_debugger_options options = options_of(form);
    gw_godot_debugger_recognize(gw_bytes_of(tvb), tvb_captured_length(tvb), tvb_reported_length(tvb), &options,
                                recognition);
}

void godot_debugger_input_init(godot_debugger_input *input, tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent,
                               gw_godot_debugger_form form)
{
    *input = (godot_debugger_input){ .pinfo = pinfo,
                                     .tvb = tvb,
                                     .parent = parent,
                                     .bytes = gw_bytes_of(tvb),
                                     .length = tvb_captured_length(tvb),
                                     .variants = godot_variants_new(pinfo, tvb),
                                     .options = options_of(form) };
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "Godot Debugger");
}

static void add_to_facts(godot_debugger_facts *facts, const gw_godot_debugger_event *event)
{
    if (event->role == GW_GODOT_DEBUGGER_ROLE_IS_WARNING)
        facts->is_warning = event->number != 0;
    else if (event->role == GW_GODOT_DEBUGGER_ROLE_BREAK_THREAD && event->type == GW_GODOT_INT &&
             facts->effect == GW_GODOT_DEBUGGER_ENTERS)
        facts->thread = event->number;
}

/* One message, whose `reader` was initialized. */
static void dissect_message(godot_debugger_input *input, gw_godot_debugger_reader *reader)
{
    godot_debugger_tree *layer = wmem_new0(input->pinfo->pool, godot_debugger_tree);
    godot_debugger_facts facts = {
        .sender = (gw_godot_debugger_side)reader->sender,
        .effect = (gw_godot_debugger_effect)reader->effect,
        .generation = (gw_godot_generation)reader->generation,
        .name = reader->known_name,
        .thread = reader->has_thread ? reader->thread : 0,
    };
    gw_godot_debugger_event event;
    godot_generation_keep(input->pinfo, GW_GODOT_GENERATION_BIT(reader->generation));

    /* Its values, as facts and as items. */
    godot_debugger_tree_begin(layer, input, reader);
    while (gw_godot_debugger_next(reader, &event) == GW_NEXT_EVENT) {
        add_to_facts(&facts, &event);
        godot_debugger_tree_add(layer, &event);
    }
    godot_debugger_tree_end(layer);

    /* Its relation to other messages, and its line. */
    const godot_debugger_findings *findings = godot_debugger_analyze(input->pinfo, &facts);
    gw_text line;
    gw_text_init(&line, (char *)wmem_alloc(input->pinfo->pool, LINE_SIZE), LINE_SIZE);
    gw_godot_debugger_print(&line, input->bytes, reader->end, &input->options);
    godot_debugger_findings_add(layer, &facts, findings, line.buffer);
    gw_columns_add(input->pinfo, proto_godot_debugger, line.buffer);
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
