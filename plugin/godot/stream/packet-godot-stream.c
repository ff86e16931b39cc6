/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Godot Variants on TCP, each after its length (StreamPeer.put_var, PacketPeerStream), and on WebSocket, where a
 * message is a Variant; and the TCP connections of the remote debugger, whose messages consist of such Variants.
 *
 * message.c reads the Variants, session.c the debugger's connections, tree.c adds the items, analysis.c keeps what is
 * known from other segments, fields.c registers the fields. The items of a Variant are added by godot/variant.
 */
#include "common/compat.h"
#include "protocols.h"

#include <epan/prefs.h>

#include "analysis.h"
#include "common/conversation.h"
#include "common/recognition.h"
#include "common/spans.h"
#include "fields.h"
#include "godot/debugger/debugger.h"
#include "godot/variant/generation.h"
#include "message.h"
#include "session.h"

#define DEBUGGER_PORTS "6007" /* GW_GODOT_DEBUGGER_PORT */

int godot_stream_protocol = -1;
static dissector_handle_t stream_handle;  /* selected by a user: Decode As or the port preference */
static dissector_handle_t session_handle; /* of the debugger, by its name: for other dissectors, or pinned */
static dissector_handle_t chosen_handle;  /* of the debugger, selected by a user: Decode As */
static dissector_handle_t port_handle;    /* of the debugger, on the ports of the preference */
static dissector_handle_t port_owner;     /* dissector of the default port without this plugin: that of X servers */
static dissector_handle_t x_handle;       /* pinned: calls port_owner */
static gw_heuristic stream_over_tcp;
static gw_heuristic debugger_over_tcp;
static gw_heuristic over_websocket;

/* ---- streams over TCP ---------------------------------------------------------------------------------- */

/* The evidence is that of the Variants, whose tests and false-positive rates are in codecs/godot/variant/recognize.c:
 * 48 bits in one segment, or in consecutive ones. A length that fits is not counted, since many protocols have a length
 * prefix. Of the 16,832 segments of other protocols in tests/strangers/streams.py none is accepted, except those that
 * are exactly Variants. */
static void recognize(packet_info *pinfo, tvbuff_t *tvb, gw_recognition *recognition)
{
    gw_godot_stream_options options = godot_stream_options(pinfo);
    uint32_t length = tvb_captured_length(tvb);
    gw_godot_stream_recognize(gw_bytes_of(tvb), length, tvb_reported_length(tvb), &options, recognition);
}

/* For the next segment, if a message of the debugger may begin in `whole`: this segment after `before`. */
static void note_session_beginning(packet_info *pinfo, const godot_stream_beginning *before, tvbuff_t *whole,
                                   void *data)
{
    if (godot_session_may_begin(whole))
        godot_stream_note_beginning(pinfo, before, whole, godot_debugger_protocol, data);
}

/* False if the user disabled the debugger, or this heuristic of it. */
static bool may_give_way(const char *heuristic)
{
    const heur_dtbl_entry_t *entry = find_heur_dissector_by_unique_short_name(heuristic);
    return entry && entry->enabled && proto_is_protocol_enabled(entry->protocol);
}

/* A length in a separate segment is evidence only together with the next segment. */
static ws_bool dissect_stream_over_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    gw_recognition recognition;
    const godot_stream_beginning *before = godot_stream_beginning_of(pinfo, godot_stream_protocol, data);
    tvbuff_t *whole = godot_stream_with_beginning(pinfo, tvb, before);
    if (tvb_reported_length(tvb) == GW_GODOT_STREAM_PREFIX) {
        godot_stream_note_beginning(pinfo, NULL, tvb, godot_stream_protocol, data);
        return false;
    }
    recognize(pinfo, whole, &recognition);
    if (recognition.bits && may_give_way("godot_debugger_tcp") &&
        (godot_stream_beginning_of(pinfo, godot_debugger_protocol, data) || godot_session_is_in(whole)))
        return false;
    if (!gw_heuristic_accepts(&stream_over_tcp, pinfo, tvb, &recognition))
        return false;
    godot_stream_dissect(tvb, pinfo, tree, data);
    return true;
}

/* In a connection that was recognized by its Variants, messages of the debugger may follow, if the capture began inside
 * a message. */
static int dissect_stream_pinned(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data)
{
    if (gw_first_pass(pinfo) && may_give_way("godot_debugger_tcp")) {
        const godot_stream_beginning *before = godot_stream_beginning_of(pinfo, godot_debugger_protocol, data);
        tvbuff_t *whole = godot_stream_with_beginning(pinfo, tvb, before);
        if (godot_session_is_in(whole)) {
            gw_conversation_pin(pinfo, session_handle);
            return godot_session_dissect(tvb, pinfo, parent, data);
        }
        note_session_beginning(pinfo, before, whole, data);
    }
    return godot_stream_dissect(tvb, pinfo, parent, data);
}

/* ---- the debugger over TCP ----------------------------------------------------------------------------- */

static ws_bool dissect_debugger_over_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    gw_recognition recognition;
    const godot_stream_beginning *before = godot_stream_beginning_of(pinfo, godot_debugger_protocol, data);
    tvbuff_t *whole = godot_stream_with_beginning(pinfo, tvb, before);
    godot_debugger_recognize(whole, GW_GODOT_DEBUGGER_STREAM, &recognition);
    if (!gw_heuristic_accepts(&debugger_over_tcp, pinfo, tvb, &recognition)) {
        note_session_beginning(pinfo, before, whole, data);
        return false;
    }
    godot_session_dissect(tvb, pinfo, tree, data);
    return true;
}

/* The first bytes of an X client: its byte order, an unused byte, and version 11.0 of the protocol. */
static bool is_x_client(tvbuff_t *tvb)
{
    static const uint8_t little[] = { 11, 0, 0, 0 }, big[] = { 0, 11, 0, 0 };
    if (tvb_captured_length(tvb) < 2 + sizeof little)
        return false;
    uint8_t order = tvb_get_uint8(tvb, 0);
    return (order == 'l' && !tvb_memeql(tvb, 2, little, sizeof little)) ||
           (order == 'B' && !tvb_memeql(tvb, 2, big, sizeof big));
}

/* In a connection to which the dissector is pinned: X11's dissector finds the server's side by the port that it was
 * called for. */
static int dissect_x(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    pinfo->match_uint = GW_GODOT_DEBUGGER_PORT;
    return call_dissector_only(port_owner, tvb, pinfo, tree, data);
}

/* On the editor's default port, which X servers use too, a connection is assigned to the debugger from the first
 * segment on that may begin with a message or a value of one, unless it began as an X client's. On other ports, which
 * the user configured, it is always assigned to the debugger. */
static int dissect_on_port(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    bool is_default = pinfo->match_uint == GW_GODOT_DEBUGGER_PORT && port_owner;
    bool is_x = is_default && is_x_client(tvb);
    if (!is_x && is_default && !godot_debugger_may_begin(tvb))
        return call_dissector_only(port_owner, tvb, pinfo, tree, data);
    if (gw_first_pass(pinfo))
        gw_conversation_pin(pinfo, is_x ? x_handle : session_handle);
    return is_x ? call_dissector_only(port_owner, tvb, pinfo, tree, data)
                : godot_session_dissect(tvb, pinfo, tree, data);
}

/* ---- WebSocket ----------------------------------------------------------------------------------------- */

static ws_bool dissect_over_websocket(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    uint32_t length = tvb_captured_length(tvb);
    gw_godot_options options = { .generation = (gw_godot_generation)godot_generation_preference };
    gw_recognition recognition;
    godot_generation_set_levels(&options);
    gw_godot_recognize(gw_bytes_of(tvb), length, tvb_reported_length(tvb), &options, &recognition);
    if (recognition.possible && may_give_way("godot_debugger_ws") && godot_debugger_has_message(pinfo, tvb))
        return false;
    if (!gw_heuristic_accepts(&over_websocket, pinfo, tvb, &recognition))
        return false;
    godot_stream_dissect_bare(tvb, pinfo, tree);
    return true;
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
    module_t *module = prefs_register_protocol(godot_stream_protocol, NULL);
    prefs_register_enum_preference(module, "byte_order", "Byte order of lengths",
                                   "Byte order of the length before each Variant: StreamPeer.big_endian of the sender. "
                                   "Variants are always little-endian.",
                                   &godot_stream_order_preference, orders, false);
}

void proto_register_godot_stream(void)
{
    godot_stream_protocol = proto_register_protocol("Godot Stream", "Godot Stream", "godot_stream");
    godot_stream_register_fields(godot_stream_protocol);
    stream_handle = register_dissector("godot_stream", godot_stream_dissect, godot_stream_protocol);
    session_handle = register_dissector("godot_debugger", godot_session_dissect, godot_debugger_protocol);
    /* Since 4.4 a handle with a description, whose name is not the protocol's, has that name in its preference too; and
     * two of one protocol in a table must differ in that. The port's has no name, so that its preference is tcp.port in
     * all versions. */
    port_handle = create_dissector_handle_with_name_and_description(dissect_on_port, godot_debugger_protocol, NULL,
                                                                    "Godot Debugger (default port)");
    chosen_handle = create_dissector_handle_with_name_and_description(godot_session_dissect, godot_debugger_protocol,
                                                                      "godot_debugger_session", "Godot Debugger");
    register_preferences();
    /* After recognition, the whole TCP connection is one stream: nothing in it is declined. */
    gw_heuristic_init(&stream_over_tcp, create_dissector_handle(dissect_stream_pinned, godot_stream_protocol));
    gw_heuristic_init(&debugger_over_tcp, session_handle);
    gw_heuristic_init_nested(&over_websocket);
}

void proto_reg_handoff_godot_stream(void)
{
    heur_dissector_add("tcp", dissect_debugger_over_tcp, "Godot Remote Debugger over TCP", "godot_debugger_tcp",
                       godot_debugger_protocol, HEURISTIC_ENABLE);
    heur_dissector_add("tcp", dissect_stream_over_tcp, "Godot Variants over TCP", "godot_stream_tcp",
                       godot_stream_protocol, HEURISTIC_ENABLE);
    heur_dissector_add("ws", dissect_over_websocket, "Godot Variants over WebSocket", "godot_ws", godot_stream_protocol,
                       HEURISTIC_ENABLE);
    port_owner = dissector_get_uint_handle(find_dissector_table("tcp.port"), GW_GODOT_DEBUGGER_PORT);
    if (port_owner)
        x_handle = create_dissector_handle(dissect_x, dissector_handle_get_protocol_index(port_owner));
    dissector_add_uint_range_with_preference("tcp.port", DEBUGGER_PORTS, port_handle);
    dissector_add_for_decode_as("tcp.port", chosen_handle);
    dissector_add_uint_range_with_preference("tcp.port", "", stream_handle);
}
