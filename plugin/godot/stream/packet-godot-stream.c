/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Godot Variants on TCP, each with its length in front (StreamPeer.put_var, PacketPeerStream), and on WebSocket, where
 * a message is a Variant.
 *
 * tree.c shows the messages, analysis.c knows what other segments said,
 * fields.c names the fields. The Variants are those of packet-godot.c.
 */
#include "common/compat.h"
#include "protocols.h"

#include <epan/prefs.h>

#include "analysis.h"
#include "common/columns.h"
#include "common/conversation.h"
#include "common/fault.h"
#include "common/recognition.h"
#include "fields.h"
#include "godot/debugger/debugger.h"
#include "godot/variant/fields.h"
#include "godot/variant/generation.h"
#include "godot/variant/preferences.h"
#include "tree.h"

int godot_stream_protocol = -1;
static dissector_handle_t stream_handle; /* chosen by a person: Decode As or the port preference */
static gw_heuristic over_tcp;
static gw_heuristic over_websocket;

static int byte_order = GW_GODOT_STREAM_ANY_ORDER;

/* ---- dissecting ---------------------------------------------------------------------------------------- */

static gw_godot_stream_options options_for(packet_info *pinfo)
{
    gw_godot_options levels = { 0 };
    gw_godot_stream_options options = { .order = (gw_godot_stream_order)byte_order,
                                        .generation = (gw_godot_generation)godot_generation_preference };
    if (options.order == GW_GODOT_STREAM_ANY_ORDER)
        options.order = godot_stream_known_order(pinfo, godot_stream_protocol);
    if (options.generation == GW_GODOT_ANY)
        options.generation = godot_generation_find(pinfo).proven;
    godot_generation_lend(&levels);
    options.levels = levels.levels;
    options.level_count = levels.level_count;
    return options;
}

/* More bytes are needed: TCP calls again with what is left and what comes. False when they never come. */
static bool ask_for_more(packet_info *pinfo, tvbuff_t *tvb, const gw_fault *fault, uint32_t in_front)
{
    if (fault->fault_class != GW_FAULT_TRUNCATED || !pinfo->can_desegment || gw_is_cut_by_capture(tvb))
        return false;
    pinfo->desegment_offset = fault->offset < in_front ? 0 : (int)(fault->offset - in_front);
    pinfo->desegment_len =
        fault->code == GW_GODOT_STREAM_FAULT_VALUE_TRUNCATED ? (uint32_t)fault->needed : DESEGMENT_ONE_MORE_SEGMENT;
    return true;
}

/* Reads the messages of `tvb`, which begins with `in_front` bytes of an earlier segment. */
static void dissect_messages(godot_stream_segment *segment, uint32_t in_front, bool is_end)
{
    gw_godot_stream_options options = options_for(segment->pinfo);
    gw_godot_stream_reader reader;
    gw_godot_stream_event event;
    gw_next next;
    options.is_end = is_end;
    gw_godot_stream_init(&reader, segment->bytes, tvb_captured_length(segment->tvb), &options);
    while ((next = gw_godot_stream_next(&reader, &event)) == GW_NEXT_EVENT) {
        const char *line = godot_stream_show(segment, &event);
        if (line && segment->wants_line)
            gw_columns_add(segment->pinfo, godot_stream_protocol, line);
    }
    godot_stream_learn_order(segment->pinfo, godot_stream_protocol, reader.options.order);
    if (next == GW_NEXT_FAULT && !ask_for_more(segment->pinfo, segment->tvb, &reader.fault, in_front))
        godot_stream_show_fault(segment, &reader.fault);
}

static int dissect_stream(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data)
{
    const godot_stream_beginning *beginning = godot_stream_beginning_of(pinfo, godot_stream_protocol, data);
    godot_stream_segment segment = { .pinfo = pinfo,
                                     .tvb = godot_stream_with_beginning(pinfo, tvb, beginning),
                                     .parent = parent,
                                     .length_frame = beginning ? beginning->frame : 0,
                                     .protocol = godot_stream_protocol,
                                     .wants_line = col_get_writable(pinfo->cinfo, COL_INFO) };
    if (beginning)
        add_new_data_source(pinfo, segment.tvb, "Message in two segments");
    segment.bytes = tvb_get_ptr(segment.tvb, 0, (int)tvb_captured_length(segment.tvb));
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "Godot");
    dissect_messages(&segment, beginning ? beginning->length : 0, godot_stream_ends(data));
    return (int)tvb_captured_length(tvb);
}

/* In a connection that was recognised by its Variants, messages of the debugger may follow: the capture began inside of
 * one. */
static int dissect_stream_pinned(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data)
{
    if (!PINFO_FD_VISITED(pinfo) && !gw_is_quoted(pinfo) && godot_debugger_is_in(tvb))
        return godot_debugger_take_over(tvb, pinfo, parent, data);
    return dissect_stream(tvb, pinfo, parent, data);
}

/* ---- recognition --------------------------------------------------------------------------------------- */

/* Evidence is that of the Variants, whose tests and odds are in codecs/godot/recognise.c: 48 bits in a segment, or in
 * several in a row. A length that fits counts nothing, since many protocols have one in front. Of the 16,832 segments
 * of other protocols in tests/strangers/streams.py none is accepted, but for those that are Variants byte for byte. */
static void recognise(packet_info *pinfo, tvbuff_t *tvb, gw_recognition *recognition)
{
    gw_godot_stream_options options = options_for(pinfo);
    uint32_t length = tvb_captured_length(tvb);
    gw_godot_stream_recognise(tvb_get_ptr(tvb, 0, (int)length), length, tvb_reported_length(tvb), &options,
                              recognition);
}

/* A length in a segment of its own is evidence together with the next segment only. */
static ws_bool dissect_over_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    gw_recognition recognition;
    const godot_stream_beginning *beginning = godot_stream_beginning_of(pinfo, godot_stream_protocol, data);
    tvbuff_t *whole = godot_stream_with_beginning(pinfo, tvb, beginning);
    if (tvb_reported_length(tvb) == GW_GODOT_STREAM_PREFIX) {
        godot_stream_note_beginning(pinfo, tvb, GW_GODOT_STREAM_PREFIX, godot_stream_protocol, data);
        return FALSE;
    }
    recognise(pinfo, whole, &recognition);
    if (recognition.bits && (godot_debugger_waits(pinfo, data) || godot_debugger_is_in(whole)))
        return FALSE;
    if (!gw_heuristic_accepts(&over_tcp, pinfo, tvb, &recognition))
        return FALSE;
    dissect_stream(tvb, pinfo, tree, data);
    return TRUE;
}

/* ---- WebSocket ----------------------------------------------------------------------------------------- */

/* The message is the Variant: no length, nothing between. */
static void dissect_websocket_message(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree)
{
    godot_stream_segment segment = { .pinfo = pinfo,
                                     .tvb = tvb,
                                     .parent = tree,
                                     .protocol = godot_stream_protocol,
                                     .wants_line = col_get_writable(pinfo->cinfo, COL_INFO) };
    const gw_godot_stream_event event = { .role = GW_GODOT_STREAM_VARIANT, .payload.length = tvb_captured_length(tvb) };
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "Godot");
    const char *line = godot_stream_show(&segment, &event);
    if (line && segment.wants_line)
        gw_columns_add(pinfo, godot_stream_protocol, line);
}

static ws_bool dissect_over_websocket(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    uint32_t length = tvb_captured_length(tvb);
    gw_godot_options options = { .generation = (gw_godot_generation)godot_generation_preference };
    gw_recognition recognition;
    godot_generation_lend(&options);
    gw_godot_recognise(tvb_get_ptr(tvb, 0, (int)length), length, tvb_reported_length(tvb), &options, &recognition);
    if (recognition.possible && godot_debugger_has_message(pinfo, tvb))
        return FALSE;
    if (!gw_heuristic_accepts(&over_websocket, pinfo, tvb, &recognition))
        return FALSE;
    dissect_websocket_message(tvb, pinfo, tree);
    return TRUE;
}

/* ---- registration -------------------------------------------------------------------------------------- */

static void register_preferences(void)
{
    static const enum_val_t orders[] = {
        { "auto", "From the bytes", GW_GODOT_STREAM_ANY_ORDER },
        { "little", "Little-endian", GW_GODOT_STREAM_LITTLE },
        { "big", "Big-endian", GW_GODOT_STREAM_BIG },
        { NULL, NULL, 0 },
    };
    prefs_register_enum_preference(godot_preferences(), "stream.byte_order", "Streams: byte order of lengths",
                                   "StreamPeer.big_endian of the sender. Variants are little-endian in any case.",
                                   &byte_order, orders, FALSE);
    godot_preferences_add_ports("stream.tcp.port", "Streams: TCP ports",
                                "Where Variants are sent, each with its length in front. Others are recognised.", "",
                                stream_handle);
}

void proto_register_godot_stream(void)
{
    godot_stream_protocol = proto_register_protocol("Godot Stream", "Godot Stream", "godot.stream");
    godot_stream_register_fields(godot_stream_protocol);
    stream_handle = register_dissector("godot.stream", dissect_stream, godot_stream_protocol);
    register_preferences();
    /* Once it is recognised, all of a TCP connection is one stream: nothing in it is declined. */
    gw_heuristic_init(&over_tcp, create_dissector_handle(dissect_stream_pinned, godot_stream_protocol));
    gw_heuristic_init_nested(&over_websocket);
}

void proto_reg_handoff_godot_stream(void)
{
    heur_dissector_add("tcp", dissect_over_tcp, "Godot Variants over TCP", "godot_stream_tcp", godot_stream_protocol,
                       HEURISTIC_ENABLE);
    heur_dissector_add("ws", dissect_over_websocket, "Godot Variants over WebSocket", "godot_ws", godot_stream_protocol,
                       HEURISTIC_ENABLE);
    godot_preferences_apply();
}
