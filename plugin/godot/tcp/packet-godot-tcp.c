/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Godot's TCP connections: streams of Variants, and the remote debugger, whose messages consist of such Variants. They
 * are recognized together, because each segment of a debugger is one of a stream too.
 *
 * This file finds the messages in a connection; the debugger's are read by godot/debugger, those with a length and a
 * Variant by godot/stream.
 */
#include "protocols.h"

#include <epan/dissectors/packet-tcp.h>

#include "common/conversation.h"
#include "common/findings.h"
#include "common/items.h"
#include "common/keys.h"
#include "common/recognition/recognition.h"
#include "godot/debugger/debugger.h"
#include "godot/remote_fs/remote_fs.h"
#include "godot/segments.h"
#include "godot/stream/stream.h"
#include "godot/variant/generation.h"

#define FLAG_FIN 0x01

static dissector_handle_t stream_handle;  /* selected by a user: Decode As, or the port preference */
static dissector_handle_t session_handle; /* of the debugger, by its name: for other dissectors, or pinned */
static dissector_handle_t chosen_handle;  /* of the debugger, selected by a user: Decode As, or the port preference */
static gw_heuristic stream_over_tcp;
static gw_heuristic debugger_over_tcp;

static godot_segments stream_segments;
static godot_segments debugger_segments; /* the state: true if the bytes before were read as messages */

/* ---- messages of a stream ------------------------------------------------------------------------------ */

/* In a connection: gw_godot_stream_order of the lengths, by side and the frame that changed it. */
typedef struct stream_orders {
    wmem_tree_t *sides[2];
} stream_orders;

/* The byte order that was stored last in the frames up to `frame`. `orders`: of a side; may be NULL. */
static gw_godot_stream_order order_up_to(wmem_tree_t *orders, uint32_t frame)
{
    return orders ? (gw_godot_stream_order)GPOINTER_TO_UINT(wmem_tree_lookup32_le(orders, frame))
                  : GW_GODOT_STREAM_ANY_ORDER;
}

/* The options for reading the sender's stream: byte order of the lengths and Godot generation, from preferences; if
 * these are automatic, from the sender's frames before this one and from the conversation. */
static gw_godot_stream_options stream_options(packet_info *pinfo)
{
    const stream_orders *orders = (const stream_orders *)gw_conversation_find(pinfo, proto_godot_stream);
    gw_godot_options supplied = { 0 };
    gw_godot_stream_options options = { .order = (gw_godot_stream_order)godot_stream_order_preference,
                                        .generation = (gw_godot_generation)godot_generation_preference };
    /* Not this frame's own: every pass must begin with the same order. */
    if (orders)
        options.last_order = order_up_to(orders->sides[gw_sender_side(pinfo)], pinfo->num - 1);
    if (options.generation == GW_GODOT_ANY)
        options.generation = godot_generation_find(pinfo).proven;
    godot_generation_set_levels(&supplied); /* memory for the nested values of Variants */
    options.levels = supplied.levels;
    options.level_count = supplied.level_count;
    return options;
}

/* On the first pass: stores the byte order of the sender's last length up to this frame, if it has changed. */
static void keep_order(packet_info *pinfo, gw_godot_stream_order order)
{
    if (!gw_is_first_pass(pinfo) || order == GW_GODOT_STREAM_ANY_ORDER)
        return;
    stream_orders *orders = (stream_orders *)gw_conversation_obtain(pinfo, proto_godot_stream, sizeof *orders);
    wmem_tree_t **sender = &orders->sides[gw_sender_side(pinfo)];
    if (!*sender)
        *sender = wmem_tree_new(wmem_file_scope());
    if (order_up_to(*sender, pinfo->num) != order)
        wmem_tree_insert32(*sender, pinfo->num, GUINT_TO_POINTER(order));
}

/* After a fault, continues reading as at the end of a stream: bytes that cannot be read are unknown. */
static void read_to_end(gw_godot_stream_reader *reader)
{
    gw_godot_stream_options options = reader->options;
    options.offset = reader->fault.offset;
    options.is_end = true;
    gw_godot_stream_init(reader, reader->bytes, reader->length, &options);
}

/* Dissects messages up to a fault or the end of the bytes; returns which of them. */
static gw_next dissect_messages(godot_stream_input *input, gw_godot_stream_reader *reader)
{
    gw_godot_stream_event event;
    gw_next next;
    while ((next = gw_godot_stream_next(reader, &event)) == GW_NEXT_EVENT)
        godot_stream_dissect(input, &event, proto_godot_stream, gw_count_findings(input->pinfo));
    return next;
}

/* Dissects the bytes of a segment of a stream: its messages, and a request for the rest of the last one, or its
 * bytes. It declines nothing, since the whole connection is the stream. */
static int dissect_stream(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data)
{
    gw_godot_stream_options options = stream_options(pinfo);
    godot_segment segment;
    godot_stream_input input;
    gw_godot_stream_reader reader;
    godot_segment_init(&segment, &stream_segments, tvb, pinfo, data);
    godot_segment_show(&segment, "Message in two segments");
    godot_stream_input_init(&input, segment.tvb, pinfo, parent);
    /* The bytes from earlier segments are the length of the first message: dissect_stream_over_tcp(). */
    input.length_frame = segment.beginning ? segment.beginning->frame : 0;
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "GodotStream");

    /* 1. The messages of the segment. With FIN, the sender sends no bytes after them. */
    options.is_end = segment.tcp && segment.tcp->flags & FLAG_FIN;
    gw_godot_stream_init(&reader, input.bytes, tvb_captured_length(segment.tvb), &options);
    gw_next next = dissect_messages(&input, &reader);
    keep_order(pinfo, reader.options.last_order);

    /* 2. The segments that continue the last message; if there will be none, the rest is unknown bytes. */
    if (next == GW_NEXT_FAULT && reader.fault.fault_class == GW_FAULT_TRUNCATED && godot_segment_can_wait(&segment)) {
        const gw_fault *fault = &reader.fault;
        /* The length of the message is certain: so is the number of bytes that it lacks. */
        bool is_certain = fault->code == GW_GODOT_STREAM_FAULT_VALUE_TRUNCATED && !reader.is_uncertain;
        /* MESSAGE_TRUNCATED: no message has begun in the bytes, so that the number of requests is limited. */
        if (godot_segment_may_request(&segment, fault->offset,
                                      is_certain ? (uint32_t)fault->needed : DESEGMENT_ONE_MORE_SEGMENT,
                                      fault->code == GW_GODOT_STREAM_FAULT_MESSAGE_TRUNCATED))
            return (int)tvb_captured_length(tvb);
        read_to_end(&reader);
        next = dissect_messages(&input, &reader);
    }
    /* 3. What cannot be read. */
    if (next == GW_NEXT_FAULT)
        godot_stream_add_fault(&input, &reader.fault);
    return (int)tvb_captured_length(tvb);
}

/* ---- messages of the debugger -------------------------------------------------------------------------- */

/* From this number of bytes on, the rest of a message is not requested segment by segment, because a message is read
 * from its start each time. */
#define LONG_MESSAGE 4096U

/* One segment of a connection of the debugger. */
typedef struct debugger_session {
    godot_segment segment;
    godot_debugger_input messages;
    godot_stream_input others; /* bytes that are not a message */
    uint64_t work;             /* of all readers of a stream: gw_godot_stream_reader */
    bool in_step;              /* the bytes before the offset were read as messages */
} debugger_session;

/* Dissects a Variant outside of a message, or other bytes, of a debugger's connection, whose lengths are always
 * little-endian. False if dissection of the segment ends: more bytes are needed, or a fault was added. `fault`: the
 * reason why the bytes are not a message. */
static bool dissect_other(debugger_session *session, const gw_fault *fault)
{
    godot_debugger_input *input = &session->messages;
    uint32_t start = input->options.offset, length = input->length - start;
    const gw_godot_stream_options options = { .order = GW_GODOT_STREAM_LITTLE,
                                              .offset = start,
                                              .levels = input->options.levels,
                                              .level_count = input->options.level_count };
    gw_godot_stream_reader reader;
    gw_godot_stream_event event;
    gw_godot_stream_init(&reader, input->bytes, input->length, &options);
    /* The limit of work is for all bytes of the segment. */
    reader.work = session->work;
    gw_next next = gw_godot_stream_next(&reader, &event);
    session->work = reader.work;

    /* The bytes that continue them; if there will be none, they are read as unknown bytes. The longer the
     * Variant, the more bytes are requested, because it is read again from its start each time. */
    if (next != GW_NEXT_EVENT && godot_segment_can_wait(&session->segment)) {
        bool is_unknown = reader.fault.code == GW_GODOT_STREAM_FAULT_MESSAGE_TRUNCATED;
        uint32_t more = is_unknown || length < LONG_MESSAGE ? DESEGMENT_ONE_MORE_SEGMENT : length / 64;
        if (godot_segment_may_request(&session->segment, start, more, is_unknown))
            return false;
        read_to_end(&reader);
        next = gw_godot_stream_next(&reader, &event);
    }
    /* No more bytes are possible (godot_segment_can_wait()), or a limit was reached. */
    if (next != GW_NEXT_EVENT) {
        godot_stream_add_fault(&session->others, &reader.fault);
        return false;
    }

    /* The reason why they are not a message. After messages this is an error; before the first message, the capture
     * may have begun inside one. */
    unsigned first_finding = gw_count_findings(input->pinfo);
    bool is_wrong = session->in_step && fault->fault_class == GW_FAULT_MALFORMED;
    if (is_wrong || event.role == GW_GODOT_STREAM_ROLE_VARIANT)
        godot_debugger_add_explanation(
            input, is_wrong ? fault->code : (uint32_t)GW_GODOT_DEBUGGER_FAULT_MESSAGE_UNKNOWN, reader.offset);
    godot_stream_dissect(&session->others, &event, proto_godot_debugger, first_finding);
    input->options.offset = reader.offset;
    return true;
}

/* Dissects the message at the offset, or other bytes if no message begins there, and sets the offset after them. False
 * if dissection of the segment ends: more bytes are needed, or a fault was added. After a message (`in_step`), another
 * one begins, even if its name is in no table; this is stored for the next segment. */
static bool dissect_next(debugger_session *session)
{
    godot_debugger_input *input = &session->messages;
    input->options.is_synchronized = session->in_step;
    gw_fault fault = godot_debugger_dissect(input);

    /* A message is read from its start each time, so that for a long one all missing bytes are requested at once: the
     * remaining length of an Array is known; a Godot 3 message, which consists of many Variants, lacks at least
     * input->missing bytes. If other bytes precede the message, TCP may pass them again: then it is requested segment
     * by segment. */
    if (fault.fault_class == GW_FAULT_TRUNCATED) {
        bool is_first = fault.offset <= session->segment.in_front; /* TCP passed no bytes before it */
        bool is_long = is_first && input->length - fault.offset >= LONG_MESSAGE;
        if (godot_segment_can_wait(&session->segment))
            godot_segment_request(&session->segment, fault.offset,
                                  is_long ? input->missing : DESEGMENT_ONE_MORE_SEGMENT);
        else
            godot_debugger_add_fault(input, &fault);
        return false;
    }
    if (fault.fault_class && !dissect_other(session, &fault))
        return false;
    session->in_step = !fault.fault_class;
    godot_segment_keep_state(&session->segment, input->options.offset, &session->in_step);
    return true;
}

/* Dissects the bytes of a segment: messages, and between them Variants and other bytes. Declines nothing. */
static int dissect_session(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data)
{
    debugger_session session = { .work = 0 };
    godot_segment_init(&session.segment, &debugger_segments, tvb, pinfo, data);
    godot_segment_show(&session.segment, "Message in several segments");
    /* If segments before this one are missing, `in_step` remains false. */
    godot_segment_find_state(&session.segment, &session.in_step);
    godot_debugger_input_init(&session.messages, session.segment.tvb, pinfo, parent, GW_GODOT_DEBUGGER_STREAM);
    godot_stream_input_init(&session.others, session.segment.tvb, pinfo, parent);
    while (session.messages.options.offset < session.messages.length)
        if (!dissect_next(&session))
            break;
    return (int)tvb_captured_length(tvb);
}

/* ---- recognizing the debugger -------------------------------------------------------------------------- */

/* In a connection that is not the debugger's: the frame that showed it. */
typedef struct other_connection {
    uint32_t frame;
} other_connection;

/* True if the segment may be of a connection of the debugger. The first bytes that an engine sends are a message: a
 * String (Godot 3, from the game) or an Array that begins with one. If the first bytes of a direction were captured,
 * and are neither a message, whose name need not be known, nor the beginning of one, no later segment is the
 * debugger's: in a connection of another protocol, some look like Variants. */
static bool may_be_session(packet_info *pinfo, tvbuff_t *tvb, const void *data)
{
    const gw_godot_debugger_options options = { .form = GW_GODOT_DEBUGGER_STREAM, .is_synchronized = true };
    const other_connection *other = (const other_connection *)gw_conversation_find(pinfo, GW_KEY_GODOT_TCP_OTHER);
    gw_godot_debugger_reader reader;
    if (other) /* frames before it have the result of the first pass, on which this was not known yet */
        return pinfo->num < other->frame;
    if (!gw_is_first_pass(pinfo))
        return true;
    gw_godot_debugger_init(&reader, gw_bytes_of(tvb), tvb_captured_length(tvb), &options);
    bool may_be_first = !reader.fault.fault_class || reader.fault.fault_class == GW_FAULT_TRUNCATED;
    if (may_be_first || !godot_begins_connection(pinfo, data))
        return true;
    ((other_connection *)gw_conversation_obtain(pinfo, GW_KEY_GODOT_TCP_OTHER, sizeof *other))->frame = pinfo->num;
    return false;
}

/* A segment of a connection that is not recognized yet, as one of the debugger. */
typedef struct debugger_candidate {
    godot_segment segment; /* after segments that may be the beginning of its first message */
    gw_recognition recognition;
    bool may_begin; /* a message of Godot 3, which consists of many Variants, often each in a separate segment */
} debugger_candidate;

/* Sets the candidate to the segment, joined with the beginning of a message in the segments before it, and to the
 * evidence in these bytes. may_begin: they begin with the known name of a message of Godot 3, a sequence of Variants
 * (is_flat), of which some may be in the next segments. */
static void weigh_candidate(debugger_candidate *candidate, tvbuff_t *tvb, packet_info *pinfo, const void *data)
{
    const gw_godot_debugger_options options = { .form = GW_GODOT_DEBUGGER_STREAM };
    gw_godot_debugger_reader reader;
    godot_segment_init(&candidate->segment, &debugger_segments, tvb, pinfo, data);
    tvbuff_t *joined = candidate->segment.tvb;
    godot_debugger_recognize(joined, GW_GODOT_DEBUGGER_STREAM, &candidate->recognition);
    gw_godot_debugger_init(&reader, gw_bytes_of(joined), tvb_captured_length(joined), &options);
    candidate->may_begin = reader.is_flat && reader.fault.fault_class == GW_FAULT_TRUNCATED;
}

/* TCP's heuristic for the debugger. On the ports of the editor the port is evidence as well: one message with a known
 * name is enough and, if it is known that the connection begins with it, the name of a message of Godot 3 (may_begin).
 * The connection is then pinned here, since gw_heuristic_accepts() would need more evidence. Elsewhere the evidence in
 * the messages must be sufficient by itself; stream number 0: a connection has only one. A segment that is not accepted
 * yet, but may begin a message, is stored for the next one. */
static ws_bool dissect_debugger_over_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    debugger_candidate candidate;
    if (!may_be_session(pinfo, tvb, data))
        return false;
    weigh_candidate(&candidate, tvb, pinfo, data);
    bool is_on_port = godot_debugger_is_port(pinfo->srcport) || godot_debugger_is_port(pinfo->destport);
    if (is_on_port && (candidate.recognition.bits || (candidate.may_begin && godot_begins_connection(pinfo, data)))) {
        if (gw_is_first_pass(pinfo))
            gw_conversation_pin(pinfo, session_handle);
    } else if (!gw_heuristic_accepts(&debugger_over_tcp, pinfo, tvb, &candidate.recognition, 0, GW_RECOGNIZED_ALONE)) {
        if (candidate.may_begin)
            godot_segment_keep_beginning(&candidate.segment);
        return false;
    }
    dissect_session(tvb, pinfo, tree, data);
    return true;
}

/* ---- recognizing streams ------------------------------------------------------------------------------- */

/* TCP's heuristic for streams. The evidence is in the Variants, whose tests and false-positive rates are in
 * codecs/godot/variant/recognize.c: 48 bits in one segment, or in consecutive ones. A length that fits is not
 * counted, since many protocols have a length prefix. Of the 16,832 segments of other protocols in
 * tests/strangers/streams.py none is accepted, except those that are exactly Variants. */
static ws_bool dissect_stream_over_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    gw_recognition recognition;
    godot_segment segment;

    /* A length in a separate segment is evidence only together with the next segment. */
    if (tvb_reported_length(tvb) == GW_GODOT_STREAM_PREFIX) {
        const godot_segment length = { .segments = &stream_segments, .pinfo = pinfo, .tcp = data, .tvb = tvb };
        godot_segment_keep_beginning(&length);
        return false;
    }
    godot_segment_init(&segment, &stream_segments, tvb, pinfo, data);
    const gw_godot_stream_options options = stream_options(pinfo);
    gw_godot_stream_recognize(gw_bytes_of(segment.tvb), tvb_captured_length(segment.tvb),
                              tvb_reported_length(segment.tvb), &options, &recognition);

    /* A segment of the debugger, or a part of a message of it that has begun, is not one of a stream. */
    if (recognition.bits && may_be_session(pinfo, tvb, data) && godot_heuristic_is_enabled("godot_debugger_tcp")) {
        godot_segment continued;
        gw_recognition debugger;
        godot_segment_init(&continued, &debugger_segments, tvb, pinfo, data);
        godot_debugger_recognize(segment.tvb, GW_GODOT_DEBUGGER_STREAM, &debugger);
        if (continued.beginning || debugger.bits >= GW_RECOGNIZED_ALONE)
            return false;
    }
    if (!gw_heuristic_accepts(&stream_over_tcp, pinfo, tvb, &recognition, 0, GW_RECOGNIZED_ALONE))
        return false;
    dissect_stream(tvb, pinfo, tree, data);
    return true;
}

/* The dissector of a connection that was recognized as a stream, by its Variants. Messages of the debugger may
 * follow, if the capture began inside a message. The first pass then pins the connection to the debugger, from that
 * frame on: on later passes this dissector is called for the frames before it only. */
static int dissect_stream_pinned(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    debugger_candidate candidate;
    if (!gw_is_first_pass(pinfo) || !godot_heuristic_is_enabled("godot_debugger_tcp") ||
        !may_be_session(pinfo, tvb, data))
        return dissect_stream(tvb, pinfo, tree, data);
    weigh_candidate(&candidate, tvb, pinfo, data);
    if (candidate.recognition.bits >= GW_RECOGNIZED_ALONE) { /* one message is sufficient evidence of the debugger */
        gw_conversation_pin(pinfo, session_handle);
        return dissect_session(tvb, pinfo, tree, data);
    }
    /* An incomplete message of the debugger: shown as bytes of the stream, and joined with the next segment to be
     * tested again. */
    if (candidate.may_begin)
        godot_segment_keep_beginning(&candidate.segment);
    return dissect_stream(tvb, pinfo, tree, data);
}

/* ---- the ports of the editor --------------------------------------------------------------------------- */

/* The TCP ports of Godot's editor: 6007 or, if it is in use, the next of 6008 to 6011. X11's dissector has them, and
 * accepts every segment, so that TCP's heuristics are never called there.
 *
 * It is not possible to call a heuristic before the port's dissector, unless the user sets a preference of TCP, nor to pin
 * a conversation before its first segment.
 *
 * Instead, these ports have a dissector that only selects another one. If the segment may be Godot's, it declines,
 * and TCP calls the heuristics, ours among them, and HTTP's for the WebSocket debugger; they pin the conversation, and
 * this dissector is not called for it again. Otherwise it calls the dissector that it replaced, whose output must be the
 * same as without the plugin:
 *   - it belongs to no protocol, and so adds no layer;
 *   - it restores pinfo->can_desegment to the value before its own call. saved_can_desegment exists for this, for
 *     dissectors whose payload TCP is to reassemble;
 *   - pinfo->match_uint, by which X11's dissector knows the server's side, is the port.
 * tests/plugin/godot/debugger/test_x11.py compares all output for real X clients with the output of tshark without
 * the plugin. */

/* By port, from the first on; NULL if no dissector had the port. */
static dissector_handle_t replaced[GW_GODOT_DEBUGGER_PORTS];

/* The dissector of the editor's ports, see above. Returns 0 for a segment that may be Godot's: of the debugger, of
 * its WebSocket or of the remote file system. */
static int dissect_on_port(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    static const char method[] = "GET ", version[] = " HTTP/1.1";
    const int method_length = sizeof method - 1, version_length = sizeof version - 1;
    debugger_candidate candidate;
    if (!godot_debugger_is_port(pinfo->match_uint))
        return 0;
    /* 1. The request by which the debugger of a web export begins; HTTP's heuristic accepts it. */
    int length = tvb_find_line_end(tvb, 0, -1, NULL, true);
    if (length > method_length + version_length && !tvb_strneql(tvb, 0, method, method_length) &&
        !tvb_strneql(tvb, length - version_length, version, version_length))
        return 0;
    /* 2. The beginning of a connection of the remote file system. */
    if (godot_heuristic_is_enabled("godot_remote_fs_tcp") && godot_remote_fs_may_begin(tvb, pinfo, data))
        return 0;
    /* 3. A name of the debugger's tables, in the form of a message: no X client or server sends one. A connection
     * that was captured late is found by it as well. */
    if (godot_heuristic_is_enabled("godot_debugger_tcp") && may_be_session(pinfo, tvb, data)) {
        weigh_candidate(&candidate, tvb, pinfo, data);
        if (candidate.recognition.bits || candidate.may_begin)
            return 0;
    }
    /* 4. All others are for the dissector that the port had, which may request more bytes as if TCP had called it. */
    pinfo->can_desegment = pinfo->saved_can_desegment;
    return call_dissector_only(replaced[pinfo->match_uint - GW_GODOT_DEBUGGER_PORT], tvb, pinfo, tree, data);
}

/* ---- registration -------------------------------------------------------------------------------------- */

/* Registers the dissectors and heuristics over TCP; the two protocols are registered by godot/stream and
 * godot/debugger. Sizes of godot_segments_init(): a stream has no state between segments, the debugger has
 * `in_step`. */
void proto_register_godot_tcp(void)
{
    godot_segments_init(&stream_segments, proto_godot_stream, 0);
    godot_segments_init(&debugger_segments, proto_godot_debugger, sizeof(bool));
    stream_handle = register_dissector("godot_stream", dissect_stream, proto_godot_stream);
    session_handle = register_dissector("godot_debugger", dissect_session, proto_godot_debugger);
    chosen_handle =
        create_dissector_handle_with_name_and_description(dissect_session, proto_godot_debugger, NULL, "GodotDebug");
    /* After recognition, the whole TCP connection is one stream: nothing in it is declined. */
    gw_heuristic_init(&stream_over_tcp, create_dissector_handle(dissect_stream_pinned, proto_godot_stream));
    gw_heuristic_init(&debugger_over_tcp, session_handle);
}

/* Registers the heuristics, a port preference for each of the two protocols, which is empty by default, and
 * dissect_on_port() for those ports of the editor that have another dissector. A port without one does not need it: TCP
 * calls the heuristics there. */
void proto_reg_handoff_godot_tcp(void)
{
    heur_dissector_add("tcp", dissect_debugger_over_tcp, "Godot Remote Debugger over TCP", "godot_debugger_tcp",
                       proto_godot_debugger, HEURISTIC_ENABLE);
    heur_dissector_add("tcp", dissect_stream_over_tcp, "Godot Stream over TCP", "godot_stream_tcp", proto_godot_stream,
                       HEURISTIC_ENABLE);
    dissector_add_uint_range_with_preference("tcp.port", "", stream_handle);
    dissector_add_uint_range_with_preference("tcp.port", "", chosen_handle);

    /* The ports of the editor, when all dissectors are registered. */
    dissector_table_t ports = find_dissector_table("tcp.port");
    dissector_handle_t handle = create_dissector_handle_with_name_and_description(
        dissect_on_port, -1, NULL, "Godot's editor, or the port's other protocol");
    for (uint32_t i = 0; i < GW_GODOT_DEBUGGER_PORTS; i++) {
        replaced[i] = dissector_get_uint_handle(ports, GW_GODOT_DEBUGGER_PORT + i);
        if (replaced[i])
            dissector_add_uint("tcp.port", GW_GODOT_DEBUGGER_PORT + i, handle);
    }
}
