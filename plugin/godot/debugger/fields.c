/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The fields and expert infos of Godot's remote debugger. What messages have is named by the codec: a field for each
 * member, of the type of its values.
 */
#include "fields.h"

#include "common/experts.h"

godot_debugger_hf_fields godot_debugger_hf;
godot_debugger_ei_fields godot_debugger_ei;
int godot_debugger_ett = -1;
int godot_debugger_ett_group = -1;

static const value_string senders[] = {
    { GW_GODOT_DEBUGGER_EITHER, "unknown" },
    { GW_GODOT_DEBUGGER_GAME, "game" },
    { GW_GODOT_DEBUGGER_EDITOR, "editor" },
    { 0, NULL },
};

#define HF(member) &godot_debugger_hf.member

static hf_register_info fields[] = {
    { HF(length),
      { "Length", "godot_debugger.length", FT_UINT32, BASE_DEC, NULL, 0, "Bytes of the Variant that follows", HFILL } },
    { HF(sender), { "From", "godot_debugger.from", FT_UINT8, BASE_DEC, VALS(senders), 0, NULL, HFILL } },
    { HF(generation), { "Godot generation", "godot_debugger.generation", FT_UINT8, BASE_DEC, NULL, 0, NULL, HFILL } },
    { HF(line),
      { "As a line", "godot_debugger.log", FT_STRING, BASE_NONE, NULL, 0, "The message as a line of a log", HFILL } },
    { HF(break_in),
      { "Stopped in", "godot_debugger.break_in", FT_FRAMENUM, BASE_NONE, NULL, 0, "Where the game stopped", HFILL } },
    { HF(resumed_in),
      { "Resumed in", "godot_debugger.resumed_in", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "The editor's command that let the game go on", HFILL } },
    { HF(continue_in),
      { "Continued in", "godot_debugger.continue_in", FT_FRAMENUM, BASE_NONE, NULL, 0, "Where the game went on",
        HFILL } },
    { HF(until_resumed),
      { "Time until resumed", "godot_debugger.until_resumed", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
        "From the stop to the editor's command", HFILL } },
    { HF(break_time),
      { "Time stopped", "godot_debugger.break_time", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
        "From the stop to the game's going on", HFILL } },
    { HF(undecoded), { "Undecoded", "godot_debugger.undecoded", FT_BYTES, BASE_NONE, NULL, 0, NULL, HFILL } },
    { HF(not_shown),
      { "Bytes not shown", "godot_debugger.not_shown", FT_BYTES, BASE_NONE, NULL, 0,
        "Values beyond the limit of the tree", HFILL } },
};

static const gw_expert_row odd_rows[] = {
    { GW_GODOT_DEBUGGER_ODD_TYPE, "godot_debugger.type.unusual", PI_PROTOCOL, PI_NOTE },
    { GW_GODOT_DEBUGGER_ODD_MORE, "godot_debugger.values.unknown", PI_PROTOCOL, PI_CHAT },
    { GW_GODOT_DEBUGGER_ODD_FEWER, "godot_debugger.values.missing", PI_PROTOCOL, PI_CHAT },
    { GW_GODOT_DEBUGGER_ODD_TOO_DEEP, "godot_debugger.scene_tree.too_deep", PI_UNDECODED, PI_NOTE },
    { GW_GODOT_DEBUGGER_ODD_VALUE, "godot_debugger.value.unusual", PI_MALFORMED, PI_ERROR },
};

static const gw_expert_row fault_rows[] = {
    { GW_GODOT_DEBUGGER_FAULT_MESSAGE_TRUNCATED, "godot_debugger.message.truncated", PI_UNDECODED, PI_NOTE },
    { GW_GODOT_DEBUGGER_FAULT_MESSAGE_INVALID, "godot_debugger.message.invalid", PI_MALFORMED, PI_ERROR },
    { GW_GODOT_DEBUGGER_FAULT_MESSAGE_UNKNOWN, "godot_debugger.value.alone", PI_SEQUENCE, PI_NOTE },
    { GW_GODOT_DEBUGGER_FAULT_COUNT_INVALID, "godot_debugger.count.invalid", PI_MALFORMED, PI_ERROR },
    { GW_GODOT_DEBUGGER_FAULT_TOO_LONG, "godot_debugger.input.too_long", PI_UNDECODED, PI_NOTE },
};

#define EI(member) &godot_debugger_ei.member

static ei_register_info own_experts[] = {
    { EI(cut_short), { "godot_debugger.cut_short", PI_UNDECODED, PI_NOTE, "Cut short by the capture", EXPFILL } },
    { EI(unknown_message),
      { "godot_debugger.message.unknown", PI_PROTOCOL, PI_CHAT,
        "No table has this message: one of the game's own, or of an engine that is not known", EXPFILL } },
    { EI(error), { "godot_debugger.game_error", PI_RESPONSE_CODE, PI_ERROR, "The game reports an error", EXPFILL } },
    { EI(warning),
      { "godot_debugger.game_warning", PI_RESPONSE_CODE, PI_WARN, "The game reports a warning", EXPFILL } },
    { EI(not_shown),
      { "godot_debugger.tree.too_long", PI_UNDECODED, PI_NOTE, "The tree has reached its limit", EXPFILL } },
    { EI(stopped), { "godot_debugger.game_break", PI_SEQUENCE, PI_CHAT, "The game stopped", EXPFILL } },
};

/* ---- members ------------------------------------------------------------------------------------------- */

static const struct {
    enum ftenum type;
    int display;
} types[] = {
    [GW_GODOT_DEBUGGER_GROUP] = { FT_NONE, BASE_NONE },      [GW_GODOT_DEBUGGER_ANY] = { FT_STRING, BASE_NONE },
    [GW_GODOT_DEBUGGER_INTEGER] = { FT_INT64, BASE_DEC },    [GW_GODOT_DEBUGGER_REAL] = { FT_DOUBLE, BASE_NONE },
    [GW_GODOT_DEBUGGER_BOOLEAN] = { FT_BOOLEAN, BASE_NONE }, [GW_GODOT_DEBUGGER_STRING] = { FT_STRING, BASE_NONE },
    [GW_GODOT_DEBUGGER_ID] = { FT_INT64, BASE_DEC },
};

/* All but the first, the message itself, whose item is the protocol's. */
static void register_members(int protocol)
{
    hf_register_info *infos = wmem_alloc0_array(wmem_epan_scope(), hf_register_info, GW_GODOT_DEBUGGER_ROLES);
    for (unsigned i = GW_GODOT_DEBUGGER_ROLE_MESSAGE + 1; i < GW_GODOT_DEBUGGER_ROLES; i++) {
        gw_godot_debugger_role member = (gw_godot_debugger_role)i;
        gw_godot_debugger_kind kind = gw_godot_debugger_role_kind(member);
        godot_debugger_hf.members[i] = -1;
        infos[i] = (hf_register_info){ &godot_debugger_hf.members[i],
                                       { gw_godot_debugger_role_name(member),
                                         wmem_strdup_printf(wmem_epan_scope(), "godot_debugger.%s",
                                                            gw_godot_debugger_role_key(member)),
                                         types[kind].type, types[kind].display, NULL, 0, NULL, HFILL } };
    }
    proto_register_field_array(protocol, infos + GW_GODOT_DEBUGGER_ROLE_MESSAGE + 1,
                               GW_GODOT_DEBUGGER_ROLES - GW_GODOT_DEBUGGER_ROLE_MESSAGE - 1);
}

void godot_debugger_register_fields(int protocol)
{
    static int *subtrees[] = { &godot_debugger_ett, &godot_debugger_ett_group };
    for (size_t i = 0; i < array_length(fields); i++)
        *fields[i].p_id = -1;
    proto_register_field_array(protocol, fields, array_length(fields));
    register_members(protocol);
    proto_register_subtree_array(subtrees, array_length(subtrees));
    expert_module_t *experts = expert_register_protocol(protocol);
    gw_register_odd_experts(experts, godot_debugger_ei.odd, odd_rows, array_length(odd_rows),
                            gw_godot_debugger_odd_text);
    gw_register_fault_experts(experts, godot_debugger_ei.faults, fault_rows, array_length(fault_rows),
                              gw_godot_debugger_fault_text);
    for (size_t i = 0; i < array_length(own_experts); i++)
        *own_experts[i].ids = (expert_field)EI_INIT;
    expert_register_field_array(experts, own_experts, array_length(own_experts));
}
