/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Godot's TCP connections: streams of Variants, and the remote debugger, whose messages consist of such Variants. They
 * are recognized together, because each segment of a debugger is one of a stream too.
 *
 * session.c finds the debugger's messages in a connection, editor_ports.c lets the heuristics be asked on the ports of
 * the editor. The Variants are read by godot/stream, the messages by godot/debugger.
 */
#include "protocols.h"

#include "common/beginning.h"
#include "common/conversation.h"
#include "common/keys.h"
#include "common/recognition.h"
#include "common/spans.h"
#include "godot/debugger/debugger.h"
#include "godot/remote_fs/remote_fs.h"
#include "godot/stream/stream.h"
#include "internal.h"

static dissector_handle_t session_handle; /* of the debugger, by its name: for other dissectors, or pinned */
static dissector_handle_t chosen_handle;  /* of the debugger, selected by a user: Decode As, or the port preference */
static gw_heuristic stream_over_tcp;
static gw_heuristic debugger_over_tcp;

/* False if the user disabled the heuristic, or its protocol. */
static bool is_enabled(const char *heuristic)
{
    const heur_dtbl_entry_t *entry = find_heur_dissector_by_unique_short_name(heuristic);
    return entry && entry->enabled && proto_is_protocol_enabled(entry->protocol);
}

/* ---- the debugger -------------------------------------------------------------------------------------- */

/* The connection is not the debugger's. */
typedef struct other_connection {
    uint32_t frame; /* which showed it */
} other_connection;

/* What an engine sends first is a message: a String (Godot 3, from the game) or an Array that begins with one. If the
 * first bytes of a direction were captured, and are something else, no later segment is the debugger's: in a
 * connection of another protocol, some look like Variants. */
static bool may_be_session(packet_info *pinfo, tvbuff_t *tvb, const void *data)
{
    const other_connection *other = (const other_connection *)gw_conversation_find(pinfo, GW_KEY_GODOT_TCP_OTHER);
    if (other)
        return pinfo->num < other->frame;
    if (!gw_is_first_pass(pinfo) || godot_session_may_be_first(tvb) || !gw_begins_connection(pinfo, data))
        return true;
    ((other_connection *)gw_conversation_obtain(pinfo, GW_KEY_GODOT_TCP_OTHER, sizeof *other))->frame = pinfo->num;
    return false;
}

/* A segment of a connection that is not recognized yet, and what it may be of the debugger. */
typedef struct debugger_candidate {
    const gw_beginning *before; /* segments before it that may be the beginning of its first message; NULL: none */
    tvbuff_t *whole;            /* the segment after them */
    gw_recognition recognition;
    bool may_begin; /* a message of Godot 3, each of whose Variants has its own segment */
} debugger_candidate;

static void find_candidate(debugger_candidate *candidate, tvbuff_t *tvb, packet_info *pinfo, const void *data)
{
    candidate->before = gw_beginning_find(pinfo, proto_godot_debugger, data);
    candidate->whole = gw_beginning_join(pinfo, tvb, candidate->before);
    godot_debugger_recognize(candidate->whole, GW_GODOT_DEBUGGER_STREAM, &candidate->recognition);
    candidate->may_begin = godot_session_may_begin(candidate->whole);
}

/* For the next segment. */
static void keep_candidate(packet_info *pinfo, const debugger_candidate *candidate, void *data)
{
    if (candidate->may_begin)
        gw_beginning_keep(pinfo, candidate->before, candidate->whole, proto_godot_debugger, data);
}

/* On the ports of the editor the port is evidence as well: one message with a known name is enough and, if it is known
 * that the connection begins with it, the name of a message of Godot 3 alone. */
static bool is_session_on_port(packet_info *pinfo, const debugger_candidate *candidate, const void *data)
{
    return godot_is_on_editor_port(pinfo) &&
           (candidate->recognition.bits || (candidate->may_begin && gw_begins_connection(pinfo, data)));
}

static ws_bool dissect_debugger_over_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    debugger_candidate candidate;
    if (!may_be_session(pinfo, tvb, data))
        return false;
    find_candidate(&candidate, tvb, pinfo, data);
    if (is_session_on_port(pinfo, &candidate, data)) {
        if (gw_is_first_pass(pinfo))
            gw_conversation_pin(pinfo, session_handle);
    } else if (!gw_heuristic_accepts(&debugger_over_tcp, pinfo, tvb, &candidate.recognition, 0, GW_RECOGNIZED_ALONE)) {
        keep_candidate(pinfo, &candidate, data);
        return false;
    }
    godot_session_dissect(tvb, pinfo, tree, data);
    return true;
}

/* ---- streams ------------------------------------------------------------------------------------------- */

/* The evidence is that of the Variants, whose tests and false-positive rates are in codecs/godot/variant/recognize.c:
 * 48 bits in one segment, or in consecutive ones. A length that fits is not counted, since many protocols have a length
 * prefix. Of the 16,832 segments of other protocols in tests/strangers/streams.py none is accepted, except those that
 * are exactly Variants. */
static void recognize_stream(packet_info *pinfo, tvbuff_t *tvb, gw_recognition *recognition)
{
    gw_godot_stream_options options = godot_stream_options(pinfo);
    uint32_t length = tvb_captured_length(tvb);
    gw_godot_stream_recognize(gw_bytes_of(tvb), length, tvb_reported_length(tvb), &options, recognition);
}

/* True if the segment is one of the debugger, or may be part of a message of it that has begun. */
static bool is_of_debugger(packet_info *pinfo, tvbuff_t *whole, const void *data)
{
    return is_enabled("godot_debugger_tcp") &&
           (gw_beginning_find(pinfo, proto_godot_debugger, data) || godot_session_is_in(whole));
}

/* A length in a separate segment is evidence only together with the next segment. */
static ws_bool dissect_stream_over_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    gw_recognition recognition;
    if (tvb_reported_length(tvb) == GW_GODOT_STREAM_PREFIX) {
        gw_beginning_keep(pinfo, NULL, tvb, proto_godot_stream, data);
        return false;
    }
    tvbuff_t *whole = gw_beginning_join(pinfo, tvb, gw_beginning_find(pinfo, proto_godot_stream, data));
    recognize_stream(pinfo, whole, &recognition);
    if (recognition.bits && may_be_session(pinfo, tvb, data) && is_of_debugger(pinfo, whole, data))
        return false;
    if (!gw_heuristic_accepts(&stream_over_tcp, pinfo, tvb, &recognition, 0, GW_RECOGNIZED_ALONE))
        return false;
    godot_stream_dissect(tvb, pinfo, tree, data);
    return true;
}

/* In a connection that was recognized by its Variants, messages of the debugger may follow, if the capture began inside
 * a message. */
static int dissect_stream_pinned(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    debugger_candidate candidate;
    if (!gw_is_first_pass(pinfo) || !is_enabled("godot_debugger_tcp") || !may_be_session(pinfo, tvb, data))
        return godot_stream_dissect(tvb, pinfo, tree, data);
    find_candidate(&candidate, tvb, pinfo, data);
    if (candidate.recognition.bits >= GW_RECOGNIZED_ALONE) {
        gw_conversation_pin(pinfo, session_handle);
        return godot_session_dissect(tvb, pinfo, tree, data);
    }
    keep_candidate(pinfo, &candidate, data);
    return godot_stream_dissect(tvb, pinfo, tree, data);
}

/* ---- the ports of the editor --------------------------------------------------------------------------- */

/* The request by which the debugger of a web export begins; HTTP's heuristic accepts it. */
static bool is_http_request(tvbuff_t *tvb)
{
    static const char method[] = "GET ", version[] = " HTTP/1.1";
    const int method_length = sizeof method - 1, version_length = sizeof version - 1;
    int length = tvb_find_line_end(tvb, 0, -1, NULL, true);
    return length > method_length + version_length && !tvb_strneql(tvb, 0, method, method_length) &&
           !tvb_strneql(tvb, length - version_length, version, version_length);
}

/* True for a name that the debugger's tables have, in the form of a message: no X client or server sends one. A
 * connection that was captured late is found by it as well. */
static bool may_be_godot(tvbuff_t *tvb, packet_info *pinfo, void *data)
{
    debugger_candidate candidate;
    if (is_http_request(tvb) || (is_enabled("godot_remote_fs_tcp") && godot_remote_fs_may_begin(tvb, pinfo, data)))
        return true;
    if (!is_enabled("godot_debugger_tcp") || !may_be_session(pinfo, tvb, data))
        return false;
    find_candidate(&candidate, tvb, pinfo, data);
    return candidate.recognition.bits || candidate.may_begin;
}

/* ---- registration -------------------------------------------------------------------------------------- */

void proto_register_godot_tcp(void)
{
    session_handle = register_dissector("godot_debugger", godot_session_dissect, proto_godot_debugger);
    chosen_handle = create_dissector_handle_with_name_and_description(godot_session_dissect, proto_godot_debugger, NULL,
                                                                      "Godot Debugger");
    /* After recognition, the whole TCP connection is one stream: nothing in it is declined. */
    gw_heuristic_init(&stream_over_tcp, create_dissector_handle(dissect_stream_pinned, proto_godot_stream));
    gw_heuristic_init(&debugger_over_tcp, session_handle);
}

void proto_reg_handoff_godot_tcp(void)
{
    heur_dissector_add("tcp", dissect_debugger_over_tcp, "Godot Remote Debugger over TCP", "godot_debugger_tcp",
                       proto_godot_debugger, HEURISTIC_ENABLE);
    heur_dissector_add("tcp", dissect_stream_over_tcp, "Godot Variants over TCP", "godot_stream_tcp",
                       proto_godot_stream, HEURISTIC_ENABLE);
    dissector_add_uint_range_with_preference("tcp.port", "", chosen_handle);
    godot_register_editor_ports(may_be_godot);
}
