/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Godot's high-level multiplayer, as ENet and WebSocket carry it: SceneMultiplayer of Godot 4, MultiplayerAPI of 3.
 *
 *   godot_mp                 by Decode As: shows every message
 *   over ENet, WebSocket     heuristics: accept a message, or several in a row, that prove what they are
 *
 * message.c recognizes and reads, facts.c collects the content of a message, connection.c and analysis.c relate it to
 * others, findings.c and tree.c add the items, names.c has the tables of names, statistics.c counts, fields.c names the
 * fields.
 */
#include "common/compat.h"
#include "protocols.h"

#include <epan/prefs.h>

#include "common/recognition.h"
#include "connection.h"
#include "enet/enet.h"
#include "fields.h"
#include "message.h"
#include "names.h"
#include "statistics.h"

static int proto_mp = -1;
static dissector_handle_t mp_handle;
static heur_dissector_list_t raw_list;
static gw_heuristic over_enet;
static gw_heuristic over_websocket;

static int generation = GW_GODOT_ANY;

/* ---- entry points -------------------------------------------------------------------------------------- */

static ws_bool dissect_over_enet(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    const godot_mp_carrier carrier = {
        .enet = data, .generation = generation, .heuristic = &over_enet, .raw = raw_list
    };
    return godot_mp_dissect(tvb, pinfo, tree, &carrier) != 0;
}

static ws_bool dissect_over_websocket(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    const godot_mp_carrier carrier = {
        .is_websocket = true, .generation = generation, .heuristic = &over_websocket, .raw = raw_list
    };
    return godot_mp_dissect(tvb, pinfo, tree, &carrier) != 0;
}

/* Selected by a user: never declines. */
static int dissect_multiplayer(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    const godot_mp_carrier carrier = { .enet = data, .generation = generation, .raw = raw_list };
    return godot_mp_dissect(tvb, pinfo, tree, &carrier);
}

/* ---- registration -------------------------------------------------------------------------------------- */

static void register_preferences(void)
{
    static const enum_val_t generations[] = {
        { "auto", "From the bytes", GW_GODOT_ANY },
        { "3", "Godot 3", GW_GODOT_3 },
        { "4", "Godot 4", GW_GODOT_4 },
        { NULL, NULL, 0 },
    };
    module_t *module = prefs_register_protocol(proto_mp, NULL);
    prefs_register_enum_preference(module, "generation", "Godot generation",
                                   "Whose packets these are. Godot 3 and 4 number their commands differently.",
                                   &generation, generations, false);
    godot_names_register(module);
}

void proto_register_godot_multiplayer(void)
{
    proto_mp = proto_register_protocol("Godot Multiplayer", "Godot MP", "godot_mp");
    godot_mp_register_fields(proto_mp);
    godot_mp_register_messages(proto_mp);
    godot_mp_register_analysis(proto_mp);
    godot_mp_register_statistics(proto_mp);
    register_preferences();
    mp_handle = register_dissector("godot_mp", dissect_multiplayer, proto_mp);
    raw_list = register_heur_dissector_list("godot.raw", proto_mp);
    gw_heuristic_init_nested(&over_enet);
    gw_heuristic_init_nested(&over_websocket);
}

void proto_reg_handoff_godot_multiplayer(void)
{
    heur_dissector_add(ENET_HEURISTICS, dissect_over_enet, "Godot Multiplayer over ENet", "godot_multiplayer_enet",
                       proto_mp, HEURISTIC_ENABLE);
    dissector_add_for_decode_as(ENET_PORT_TABLE, mp_handle);
    heur_dissector_add("ws", dissect_over_websocket, "Godot Multiplayer over WebSocket", "godot_multiplayer_ws",
                       proto_mp, HEURISTIC_ENABLE);
    godot_mp_register_tree();
}
