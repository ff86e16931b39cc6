/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Godot's remote debugger: messages between a game and the editor, over TCP or WebSocket.
 *
 * dissect.c reads the messages and collects their content as facts, tree.c adds the items, analysis.c relates a message
 * to other messages, findings.c shows these relations, fields.c registers the fields. godot/tcp finds the messages in
 * TCP connections.
 */
#include "protocols.h"

#include "common/conversation.h"
#include "common/recognition.h"
#include "internal.h"

static gw_heuristic over_websocket;

bool godot_debugger_has_message(packet_info *pinfo, tvbuff_t *tvb)
{
    gw_recognition recognition;
    godot_debugger_recognize(tvb, GW_GODOT_DEBUGGER_BARE, &recognition);
    return recognition.bits >= GW_RECOGNIZED_ALONE ||
           (recognition.possible && gw_conversation_find(pinfo, proto_godot_debugger));
}

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
