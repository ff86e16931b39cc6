/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "godot-stream-fields.h"

godot_stream_hf_fields godot_stream_hf;
godot_debugger_hf_fields godot_debugger_hf;
godot_stream_experts godot_stream_ei;
int godot_stream_ett = -1;
int godot_debugger_ett = -1;
int godot_debugger_ett_row = -1;

#define HF(member) &godot_stream_hf.member

static hf_register_info stream_fields[] = {
    { HF(length), { "Length", "godot.stream.length", FT_UINT32, BASE_DEC, NULL, 0, "Bytes of the packet", HFILL } },
    { HF(order),
      { "Byte order", "godot.stream.order", FT_STRING, BASE_NONE, NULL, 0,
        "Of the length; the Variant's is always little-endian", HFILL } },
    { HF(prefix_in),
      { "Length in", "godot.stream.prefix_in", FT_FRAMENUM, BASE_NONE, NULL, 0, "The length was a segment of its own",
        HFILL } },
    { HF(value),
      { "Value", "godot.stream.value", FT_STRING, BASE_NONE, NULL, 0, "The packet's Variant as one line", HFILL } },
    { HF(data), { "Data", "godot.stream.data", FT_BYTES, BASE_NONE, NULL, 0, "A packet that is no Variant", HFILL } },
    { HF(other),
      { "Other data", "godot.stream.other", FT_BYTES, BASE_NONE, NULL, 0,
        "Between the packets: what the game writes itself", HFILL } },
    { HF(incomplete), { "Incomplete packet", "godot.stream.incomplete", FT_BYTES, BASE_NONE, NULL, 0, NULL, HFILL } },
};

#undef HF
#define HF(member) &godot_debugger_hf.member

static hf_register_info debugger_fields[] = {
    { HF(message), { "Message", "godot.debugger.message", FT_STRING, BASE_NONE, NULL, 0, NULL, HFILL } },
    { HF(thread),
      { "Thread", "godot.debugger.thread", FT_INT64, BASE_DEC, NULL, 0, "Id of the game's thread", HFILL } },
    { HF(count), { "Members", "godot.debugger.count", FT_UINT32, BASE_DEC, NULL, 0, NULL, HFILL } },
    { HF(message_in),
      { "Message begins in", "godot.debugger.message_in", FT_FRAMENUM, BASE_NONE, NULL, 0, NULL, HFILL } },
    { HF(text), { "Text", "godot.debugger.text", FT_STRING, BASE_NONE, NULL, 0, "What the game printed", HFILL } },
    { HF(error), { "Error", "godot.debugger.error", FT_STRING, BASE_NONE, NULL, 0, NULL, HFILL } },
    { HF(description), { "Description", "godot.debugger.description", FT_STRING, BASE_NONE, NULL, 0, NULL, HFILL } },
    { HF(file), { "File", "godot.debugger.file", FT_STRING, BASE_NONE, NULL, 0, NULL, HFILL } },
    { HF(line), { "Line", "godot.debugger.line", FT_INT64, BASE_DEC, NULL, 0, NULL, HFILL } },
    { HF(function), { "Function", "godot.debugger.function", FT_STRING, BASE_NONE, NULL, 0, NULL, HFILL } },
    { HF(reason), { "Reason", "godot.debugger.reason", FT_STRING, BASE_NONE, NULL, 0, "Why the game stopped", HFILL } },
    { HF(node),
      { "Node", "godot.debugger.node", FT_STRING, BASE_NONE, NULL, 0, "Name of a node of the scene tree", HFILL } },
    { HF(class_name), { "Class", "godot.debugger.class", FT_STRING, BASE_NONE, NULL, 0, NULL, HFILL } },
    { HF(node_id), { "Object id", "godot.debugger.object_id", FT_INT64, BASE_DEC, NULL, 0, NULL, HFILL } },
    { HF(variable),
      { "Variable", "godot.debugger.variable", FT_STRING, BASE_NONE, NULL, 0, "Name of a variable of a stack frame",
        HFILL } },
    { HF(break_in), { "Stopped in", "godot.debugger.break_in", FT_FRAMENUM, BASE_NONE, NULL, 0, NULL, HFILL } },
    { HF(continue_in), { "Continued in", "godot.debugger.continue_in", FT_FRAMENUM, BASE_NONE, NULL, 0, NULL, HFILL } },
    { HF(break_time),
      { "Time stopped", "godot.debugger.break_time", FT_RELATIVE_TIME, BASE_NONE, NULL, 0, NULL, HFILL } },
};

#define EI(member) &godot_stream_ei.member

static ei_register_info stream_experts[] = {
    { EI(other),
      { "godot.stream.other_data", PI_UNDECODED, PI_CHAT, "The game wrote something between its Variants", EXPFILL } },
    { EI(not_a_variant), { "godot.stream.no_variant", PI_UNDECODED, PI_CHAT, "The packet is no Variant", EXPFILL } },
};

static ei_register_info debugger_experts[] = {
    { EI(message_unknown),
      { "godot.debugger.message_unknown", PI_UNDECODED, PI_CHAT, "A message of the game's own, or of a newer engine",
        EXPFILL } },
    { EI(game_error),
      { "godot.debugger.game_error", PI_RESPONSE_CODE, PI_ERROR, "The game reports an error", EXPFILL } },
    { EI(game_warning),
      { "godot.debugger.game_warning", PI_RESPONSE_CODE, PI_WARN, "The game reports a warning", EXPFILL } },
    { EI(game_break), { "godot.debugger.game_break", PI_SEQUENCE, PI_NOTE, "The game stops", EXPFILL } },
};

static void clear_experts(const ei_register_info *infos, size_t count)
{
    for (size_t i = 0; i < count; i++)
        *infos[i].ids = (expert_field)EI_INIT;
}

void godot_stream_register_fields(int stream, int debugger)
{
    static int *subtrees[] = { &godot_stream_ett, &godot_debugger_ett, &godot_debugger_ett_row };
    proto_register_field_array(stream, stream_fields, array_length(stream_fields));
    proto_register_field_array(debugger, debugger_fields, array_length(debugger_fields));
    proto_register_subtree_array(subtrees, array_length(subtrees));
    clear_experts(stream_experts, array_length(stream_experts));
    clear_experts(debugger_experts, array_length(debugger_experts));
    expert_register_field_array(expert_register_protocol(stream), stream_experts, array_length(stream_experts));
    expert_register_field_array(expert_register_protocol(debugger), debugger_experts, array_length(debugger_experts));
}
