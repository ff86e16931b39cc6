/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Godot Variants on TCP, each after its length (StreamPeer.put_var, PacketPeerStream), and on WebSocket, where a
 * message is a Variant.
 *
 * dissect.c reads the Variants, tree.c adds the items, analysis.c keeps what is known from other segments, fields.c
 * registers the fields. The items of a Variant are added by godot/variant. godot/tcp recognizes streams over TCP.
 */
#include "protocols.h"

#include <epan/prefs.h>

#include "common/recognition.h"
#include "common/spans.h"
#include "godot/debugger/debugger.h"
#include "godot/variant/variants.h"
#include "stream.h"

static dissector_handle_t stream_handle; /* selected by a user: Decode As or the port preference */
static gw_heuristic over_websocket;

/* ---- WebSocket ----------------------------------------------------------------------------------------- */

/* False if the user disabled the debugger, or its heuristic. */
static bool debugger_is_enabled(void)
{
    const heur_dtbl_entry_t *entry = find_heur_dissector_by_unique_short_name("godot_debugger_ws");
    return entry && entry->enabled && proto_is_protocol_enabled(entry->protocol);
}

/* Never declines. */
static int dissect_in_websocket(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    godot_stream_dissect_bare(tvb, pinfo, tree);
    return (int)tvb_captured_length(tvb);
}

static ws_bool dissect_over_websocket(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    uint32_t length = tvb_captured_length(tvb);
    gw_godot_options options = { .generation = (gw_godot_generation)godot_generation_preference };
    gw_recognition recognition;
    godot_generation_set_levels(&options);
    gw_godot_recognize(gw_bytes_of(tvb), length, tvb_reported_length(tvb), &options, &recognition);
    if (recognition.possible && debugger_is_enabled() && godot_debugger_has_message(pinfo, tvb))
        return false;
    if (!gw_heuristic_accepts(&over_websocket, pinfo, tvb, &recognition, 0, GW_RECOGNIZED_ALONE))
        return gw_heuristic_dissect_damaged(&over_websocket, tvb, pinfo, tree, data, dissect_in_websocket) != 0;
    gw_heuristic_keep(&over_websocket, pinfo, tvb, godot_variant_weigh);
    return dissect_in_websocket(tvb, pinfo, tree, data) != 0;
}

/* ---- registration -------------------------------------------------------------------------------------- */

static void register_preferences(void)
{
    static const enum_val_t orders[] = {
        { "auto", "Automatic", GW_GODOT_STREAM_ANY_ORDER },
        { "little", "Little-endian", GW_GODOT_STREAM_LITTLE },
        { "big", "Big-endian", GW_GODOT_STREAM_BIG },
        { NULL, NULL, 0 },
    };
    module_t *module = prefs_register_protocol(proto_godot_stream, NULL);
    prefs_register_enum_preference(module, "byte_order", "Byte order of lengths",
                                   "Byte order of the length before each Variant: StreamPeer.big_endian of the sender. "
                                   "Variants are always little-endian.",
                                   &godot_stream_order_preference, orders, false);
}

void proto_register_godot_stream(void)
{
    proto_godot_stream = proto_register_protocol("Godot Stream", "Godot Stream", "godot_stream");
    godot_stream_register_fields(proto_godot_stream);
    stream_handle = register_dissector("godot_stream", godot_stream_dissect, proto_godot_stream);
    register_preferences();
    gw_heuristic_init_nested(&over_websocket);
    over_websocket.skips_texts = true;
    godot_stream_register_analysis();
    godot_stream_register_damaged();
}

void proto_reg_handoff_godot_stream(void)
{
    heur_dissector_add("ws", dissect_over_websocket, "Godot Variants over WebSocket", "godot_ws", proto_godot_stream,
                       HEURISTIC_ENABLE);
    dissector_add_uint_range_with_preference("tcp.port", "", stream_handle);
}
