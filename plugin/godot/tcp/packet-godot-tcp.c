/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Godot's TCP connections: streams of Variants, and the remote debugger, whose messages consist of such Variants. They
 * are recognized together, because each segment of a debugger is one of a stream too.
 *
 * This file finds the debugger's messages in a connection; the messages are read by godot/debugger, the Variants by
 * godot/stream.
 */
#include "protocols.h"

#include "common/beginning.h"
#include "common/conversation.h"
#include "common/experts.h"
#include "common/keys.h"
#include "common/recognition.h"
#include "common/spans.h"
#include "godot/debugger/debugger.h"
#include "godot/remote_fs/remote_fs.h"
#include "godot/stream/stream.h"

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

/* ---- messages of the debugger -------------------------------------------------------------------------- */

/* One segment, preceded by the bytes of earlier segments that are part of its first message. */
typedef struct debugger_segment {
    godot_debugger_input input;
    godot_stream_segment others; /* for bytes that are not a message */
    const void *tcp;             /* the data argument of TCP's subdissectors */
    uint32_t in_front;           /* bytes of earlier segments */
    uint64_t work;               /* of all readers of a stream: gw_godot_stream_reader */
    bool in_step;                /* the bytes before the offset were read as messages */
} debugger_segment;

static bool can_wait(const debugger_segment *segment)
{
    return segment->input.pinfo->can_desegment && !gw_is_cut_by_capture(segment->input.tvb);
}

/* Requests the bytes that continue a Variant or unknown bytes at the offset; false if godot_stream_may_wait() is
 * false. The number of bytes grows with those of the Variant before, because these are read again each time. */
static bool request_more_of_other(const debugger_segment *segment, const gw_fault *fault)
{
    const godot_debugger_input *input = &segment->input;
    bool is_unknown = fault->code == GW_GODOT_STREAM_FAULT_MESSAGE_TRUNCATED;
    uint32_t offset = input->options.offset, before = input->length - offset;
    if (!godot_stream_may_wait(input->pinfo, gw_tcp_offset(offset, segment->in_front), is_unknown, segment->tcp))
        return false;
    gw_tcp_request(input->pinfo, offset, segment->in_front,
                   is_unknown || before < 4096 ? DESEGMENT_ONE_MORE_SEGMENT : before / 64);
    return true;
}

/* Reads a Variant outside of a message, or other bytes; false if more bytes are needed, or none are left. */
static bool dissect_other(debugger_segment *segment, const gw_fault *fault)
{
    godot_debugger_input *input = &segment->input;
    const gw_godot_stream_options options = { .order = GW_GODOT_STREAM_LITTLE,
                                              .offset = input->options.offset,
                                              .levels = input->options.levels,
                                              .level_count = input->options.level_count };
    gw_godot_stream_reader reader;
    gw_godot_stream_event event;
    gw_godot_stream_init(&reader, input->bytes, input->length, &options);
    reader.work = segment->work;
    gw_next next = gw_godot_stream_next(&reader, &event);
    segment->work = reader.work;
    if (next != GW_NEXT_EVENT && can_wait(segment)) {
        if (request_more_of_other(segment, &reader.fault))
            return false;
        godot_stream_read_to_end(&reader);
        next = gw_godot_stream_next(&reader, &event);
    }
    if (next != GW_NEXT_EVENT) {
        godot_stream_add_fault(&segment->others, &reader.fault);
        return false;
    }
    godot_stream_dissect_event(&segment->others, &event, proto_godot_debugger);

    /* Why they are not a message. After messages this is an error; before the first message, the capture may have begun
     * inside one. */
    bool is_wrong = segment->in_step && fault->fault_class == GW_FAULT_MALFORMED;
    if (is_wrong || event.role == GW_GODOT_STREAM_ROLE_VARIANT)
        godot_debugger_add_explanation(
            input, is_wrong ? fault->code : (uint32_t)GW_GODOT_DEBUGGER_FAULT_MESSAGE_UNKNOWN, reader.offset);
    input->options.offset = reader.offset;
    return true;
}

/* The number of bytes to request after the beginning of a message, which is read from its start each time. The
 * remaining length of an Array is known; that of a Godot 3 message, which consists of many Variants, is at least
 * input->missing. If other bytes precede the message, TCP may pass them again: then at most once per segment. */
static uint32_t more_of_message(const debugger_segment *segment, uint32_t start)
{
    const godot_debugger_input *input = &segment->input;
    bool is_first = !gw_tcp_offset(start, segment->in_front);
    return is_first && input->length - start >= 4096 ? input->missing : DESEGMENT_ONE_MORE_SEGMENT;
}

/* Reads the message or other bytes at the offset; false if more bytes are needed. */
static bool dissect_next(debugger_segment *segment)
{
    godot_debugger_input *input = &segment->input;
    input->options.is_synchronized = segment->in_step;
    gw_fault fault = godot_debugger_dissect(input);
    if (fault.fault_class == GW_FAULT_TRUNCATED) {
        if (can_wait(segment))
            gw_tcp_request(input->pinfo, fault.offset, segment->in_front, more_of_message(segment, fault.offset));
        else
            godot_debugger_add_fault(input, &fault);
        return false;
    }
    if (fault.fault_class && !dissect_other(segment, &fault))
        return false;
    segment->in_step = !fault.fault_class;
    godot_stream_keep_step(input->pinfo, segment->tcp, input->options.offset - segment->in_front, segment->in_step);
    return true;
}

/* Dissects the bytes of a segment: messages, and between them Variants and other bytes. Declines nothing. */
static int dissect_session(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data)
{
    debugger_segment segment = { .tcp = data, .in_step = godot_stream_begins_in_step(pinfo, data) };
    const gw_beginning *beginning = gw_beginning_find(pinfo, proto_godot_debugger, data);
    tvbuff_t *whole = gw_beginning_show(pinfo, tvb, beginning, "Message in several segments");
    segment.in_front = beginning ? beginning->length : 0;
    godot_debugger_input_init(&segment.input, whole, pinfo, parent, GW_GODOT_DEBUGGER_STREAM);
    godot_stream_segment_init(&segment.others, whole, pinfo, parent);
    while (segment.input.options.offset < segment.input.length)
        if (!dissect_next(&segment))
            break;
    return (int)tvb_captured_length(tvb);
}

/* ---- recognizing the debugger -------------------------------------------------------------------------- */

/* True if the bytes may be the beginning of a message of Godot 3, which consists of many Variants, often each in a
 * separate segment. */
static bool may_begin_session(tvbuff_t *tvb)
{
    const gw_godot_debugger_options options = { .form = GW_GODOT_DEBUGGER_STREAM };
    gw_godot_debugger_reader reader;
    uint32_t length = tvb_captured_length(tvb);
    gw_godot_debugger_init(&reader, gw_bytes_of(tvb), length, &options);
    return reader.is_flat && reader.fault.fault_class == GW_FAULT_TRUNCATED;
}

/* True if the first bytes of a direction may be those of an engine: a message, or the beginning of one. Its name need not
 * be known. */
static bool may_be_first(tvbuff_t *tvb)
{
    const gw_godot_debugger_options options = { .form = GW_GODOT_DEBUGGER_STREAM, .is_synchronized = true };
    gw_godot_debugger_reader reader;
    gw_godot_debugger_init(&reader, gw_bytes_of(tvb), tvb_captured_length(tvb), &options);
    return reader.fault.fault_class == GW_FAULT_NONE || reader.fault.fault_class == GW_FAULT_TRUNCATED;
}

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
    if (!gw_is_first_pass(pinfo) || may_be_first(tvb) || !gw_begins_connection(pinfo, data))
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
    candidate->may_begin = may_begin_session(candidate->whole);
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
    return (godot_debugger_is_port(pinfo->srcport) || godot_debugger_is_port(pinfo->destport)) &&
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
    dissect_session(tvb, pinfo, tree, data);
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
    gw_recognition recognition;
    if (!is_enabled("godot_debugger_tcp"))
        return false;
    if (gw_beginning_find(pinfo, proto_godot_debugger, data))
        return true;
    godot_debugger_recognize(whole, GW_GODOT_DEBUGGER_STREAM, &recognition);
    return recognition.bits >= GW_RECOGNIZED_ALONE;
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
        return dissect_session(tvb, pinfo, tree, data);
    }
    keep_candidate(pinfo, &candidate, data);
    return godot_stream_dissect(tvb, pinfo, tree, data);
}

/* ---- the ports of the editor --------------------------------------------------------------------------- */

/* The TCP ports of Godot's editor: 6007 or, if it is in use, the next of 6008 to 6011. X11's dissector has them, and
 * accepts every segment, so that TCP's heuristics are never called there.
 *
 * What is not possible: a heuristic before the port's dissector, without a preference of TCP that the user sets; a
 * conversation that is pinned before its first segment.
 *
 * What is done: these ports have a dissector that only selects another one. If the segment may be Godot's, it declines,
 * and TCP calls the heuristics, ours among them, and HTTP's for the WebSocket debugger; they pin the conversation, and
 * this dissector is not called for it again. Otherwise it calls the port's owner, whose output must be the same as
 * without the plugin:
 *   - it belongs to no protocol, and so adds no layer;
 *   - it restores pinfo->can_desegment to the value before its own call. saved_can_desegment exists for this, for
 *     dissectors whose payload TCP is to reassemble;
 *   - pinfo->match_uint, by which X11's dissector knows the server's side, is the port.
 * tests/plugin/godot/debugger/test_x11.py compares all output for real X clients with that of tshark without the
 * plugin. */

/* By port, from the first on; NULL if no dissector had the port. */
static dissector_handle_t owners[GW_GODOT_DEBUGGER_PORTS];

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

static int dissect_on_port(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    if (!godot_debugger_is_port(pinfo->match_uint) || may_be_godot(tvb, pinfo, data))
        return 0;
    pinfo->can_desegment = pinfo->saved_can_desegment;
    return call_dissector_only(owners[pinfo->match_uint - GW_GODOT_DEBUGGER_PORT], tvb, pinfo, tree, data);
}

/* Call it when all dissectors are registered. */
static void register_on_ports(void)
{
    dissector_table_t ports = find_dissector_table("tcp.port");
    dissector_handle_t handle = create_dissector_handle_with_name_and_description(
        dissect_on_port, -1, NULL, "Godot's editor, or the port's other protocol");
    for (uint32_t i = 0; i < GW_GODOT_DEBUGGER_PORTS; i++) {
        owners[i] = dissector_get_uint_handle(ports, GW_GODOT_DEBUGGER_PORT + i);
        if (owners[i])
            dissector_add_uint("tcp.port", GW_GODOT_DEBUGGER_PORT + i, handle);
    }
}

/* ---- registration -------------------------------------------------------------------------------------- */

void proto_register_godot_tcp(void)
{
    session_handle = register_dissector("godot_debugger", dissect_session, proto_godot_debugger);
    chosen_handle = create_dissector_handle_with_name_and_description(dissect_session, proto_godot_debugger, NULL,
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
    register_on_ports();
}
