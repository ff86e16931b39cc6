/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Godot's remote debugger: messages between a game and the editor, over TCP or WebSocket.
 *
 * dissect.c reads the messages, facts.c collects their content, tree.c adds the items, analysis.c relates a message to
 * other messages, findings.c shows these relations, fields.c registers the fields. godot/tcp finds the messages
 * in TCP connections.
 */
#include "protocols.h"

#include "common/recognition.h"
#include "common/spans.h"
#include "godot/variant/generation.h"
#include "internal.h"

static gw_heuristic over_websocket;

/* ---- recognition --------------------------------------------------------------------------------------- */

gw_godot_debugger_options godot_debugger_options(gw_godot_debugger_form form)
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
    const gw_godot_debugger_options options = godot_debugger_options(form);
    gw_godot_debugger_recognize(gw_bytes_of(tvb), tvb_captured_length(tvb), tvb_reported_length(tvb), &options,
                                recognition);
}

bool godot_debugger_has_message(packet_info *pinfo, tvbuff_t *tvb)
{
    gw_recognition recognition;
    godot_debugger_recognize(tvb, GW_GODOT_DEBUGGER_BARE, &recognition);
    return recognition.bits >= GW_RECOGNIZED_ALONE || (recognition.possible && godot_debugger_is_known(pinfo));
}

/* ---- WebSocket ----------------------------------------------------------------------------------------- */

static ws_bool dissect_over_websocket(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    gw_recognition recognition;
    godot_debugger_input input;
    godot_debugger_recognize(tvb, GW_GODOT_DEBUGGER_BARE, &recognition);
    if (!gw_heuristic_accepts(&over_websocket, pinfo, tvb, &recognition, 0, GW_RECOGNIZED_ALONE))
        return false;
    godot_debugger_input_init(&input, tvb, pinfo, tree, GW_GODOT_DEBUGGER_BARE);
    return !godot_debugger_dissect(&input).fault_class;
}

/* ---- registration -------------------------------------------------------------------------------------- */

void proto_register_godot_debugger(void)
{
    proto_godot_debugger = proto_register_protocol("Godot Remote Debugger", "Godot Debugger", "godot_debugger");
    godot_debugger_register_fields(proto_godot_debugger);
    gw_heuristic_init_nested(&over_websocket);
    over_websocket.skips_texts = true;
}

void proto_reg_handoff_godot_debugger(void)
{
    heur_dissector_add("ws", dissect_over_websocket, "Godot Remote Debugger over WebSocket", "godot_debugger_ws",
                       proto_godot_debugger, HEURISTIC_ENABLE);
}
