/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Godot's remote debugger: what a game and the editor tell each other, over TCP or WebSocket.
 *
 * tree.c shows the messages, analysis.c knows what other messages said,
 * fields.c names the fields. What is no message is shown by godot/stream/tree.c.
 */
#include "common/compat.h"
#include "protocols.h"

#include <epan/proto_data.h>

#include "analysis.h"
#include "common/columns.h"
#include "common/conversation.h"
#include "common/fault.h"
#include "common/recognition.h"
#include "debugger.h"
#include "fields.h"
#include "godot/stream/analysis.h"
#include "godot/stream/fields.h"
#include "godot/stream/tree.h"
#include "godot/variant/generation.h"
#include "godot/variant/preferences.h"
#include "tree.h"

#define LINE_SIZE     300
#define DEFAULT_PORTS "6007" /* GW_GODOT_DEBUGGER_PORT */

/* On the default port, where X servers listen too, a segment of an unknown connection needs this much. */
#define LEAST_BITS 16

static int proto_debugger = -1;
static dissector_handle_t debugger_handle; /* chosen by a person, or the default port */
static dissector_handle_t pinned_handle;
static dissector_handle_t port_owner; /* whose the default port is otherwise: that of X servers */
static gw_heuristic over_tcp;
static gw_heuristic over_websocket;

/* What is being dissected: some bytes of a stream, or a WebSocket message. */
typedef struct debugger_input {
    packet_info *pinfo;
    tvbuff_t *tvb;
    proto_tree *parent;
    const uint8_t *bytes;
    godot_variants *variants;
    gw_godot_debugger_options options;
    uint32_t in_front;            /* bytes of earlier segments */
    godot_stream_segment segment; /* for what is no message */
} debugger_input;

static void init_input(debugger_input *input, tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent,
                       gw_godot_debugger_form form)
{
    gw_godot_options lent = { 0 };
    godot_generation_lend(&lent);
    *input = (debugger_input){ .pinfo = pinfo, .tvb = tvb, .parent = parent };
    input->bytes = tvb_get_ptr(tvb, 0, (int)tvb_captured_length(tvb));
    input->variants = godot_variants_new(pinfo, tvb);
    input->options.form = form;
    input->options.levels = lent.levels;
    input->options.level_count = lent.level_count;
    input->segment = (godot_stream_segment){ .pinfo = pinfo,
                                             .tvb = tvb,
                                             .parent = parent,
                                             .bytes = input->bytes,
                                             .protocol = godot_stream_protocol,
                                             .wants_line = col_get_writable(pinfo->cinfo, COL_INFO) };
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "Godot Debugger");
}

/* ---- messages ------------------------------------------------------------------------------------------ */

/* The thread that a message stops, resumes or continues. */
static int64_t thread_of(const gw_godot_debugger_reader *reader)
{
    gw_godot_debugger_reader copy = *reader;
    gw_godot_debugger_event event;
    int64_t thread = reader->has_thread ? reader->thread : 0;
    if (reader->effect != GW_GODOT_DEBUGGER_ENTERS)
        return thread;
    while (gw_godot_debugger_next(&copy, &event) == GW_NEXT_EVENT)
        if (event.member == GW_GODOT_DEBUGGER_BREAK_THREAD && event.type == GW_GODOT_INT)
            return event.number;
    return thread;
}

static const char *line_of(const debugger_input *input, uint32_t length)
{
    char *line = (char *)wmem_alloc(input->pinfo->pool, LINE_SIZE);
    gw_text text;
    gw_text_init(&text, line, LINE_SIZE);
    gw_godot_debugger_print(&text, input->bytes, length, &input->options);
    return line;
}

/* One message, whose `reader` was initialised. */
static void show_message(debugger_input *input, gw_godot_debugger_reader *reader)
{
    godot_debugger_shown *shown = wmem_new0(input->pinfo->pool, godot_debugger_shown);
    gw_godot_debugger_event event;
    const godot_break *stop = godot_debugger_learn(input->pinfo, reader, thread_of(reader));
    godot_generation_learn(input->pinfo, GW_GODOT_GENERATION_BIT(reader->generation));
    const char *line = line_of(input, reader->end);
    gw_columns_add(input->pinfo, proto_debugger, line);
    if (!input->parent)
        return;
    shown->pinfo = input->pinfo;
    shown->tvb = input->tvb;
    shown->bytes = input->bytes;
    shown->reader = reader;
    shown->variants = input->variants;
    godot_debugger_begin(shown, input->parent, proto_debugger, input->options.offset);
    while (gw_godot_debugger_next(reader, &event) == GW_NEXT_EVENT)
        godot_debugger_show(shown, &event);
    godot_debugger_end(shown, stop, line);
}

/* ---- streams ------------------------------------------------------------------------------------------- */

static void ask_for_more(const debugger_input *input, uint32_t offset, uint32_t needed)
{
    input->pinfo->desegment_offset = offset < input->in_front ? 0 : (int)(offset - input->in_front);
    input->pinfo->desegment_len = needed ? needed : DESEGMENT_ONE_MORE_SEGMENT;
}

static bool can_wait(const debugger_input *input)
{
    return input->pinfo->can_desegment && !gw_is_cut_by_capture(input->tvb);
}

/* Why it is no message. After whole ones, what begins here is wrong; before, a message may have begun earlier. */
static void explain_other(const debugger_input *input, const gw_fault *fault, bool in_step, bool is_variant, int end)
{
    bool wrong = in_step && fault->fault_class == GW_FAULT_MALFORMED;
    uint32_t code = wrong ? fault->code : (uint32_t)GW_GODOT_DEBUGGER_FAULT_MESSAGE_UNKNOWN;
    const char *consequence = gw_godot_debugger_fault_consequence(code);
    int start = (int)input->options.offset;
    if (wrong || is_variant)
        proto_tree_add_expert_format(input->parent, input->pinfo, &godot_debugger_ei.faults[code], input->tvb, start,
                                     end - start, "%s at offset %d%s%s", gw_godot_debugger_fault_text(code), start,
                                     consequence ? "; " : "", consequence ? consequence : "");
}

/* A Variant that no message announces, or bytes that are none; returns its end, 0 when more bytes are needed. */
static uint32_t show_other(debugger_input *input, const gw_fault *fault, bool in_step)
{
    const gw_godot_stream_options options = { .order = GW_GODOT_STREAM_LITTLE,
                                              .offset = input->options.offset,
                                              .levels = input->options.levels,
                                              .level_count = input->options.level_count };
    gw_godot_stream_reader reader;
    gw_godot_stream_event event;
    gw_godot_stream_init(&reader, input->bytes, tvb_captured_length(input->tvb), &options);
    if (gw_godot_stream_next(&reader, &event) != GW_NEXT_EVENT) {
        if (can_wait(input))
            ask_for_more(input, input->options.offset, 0);
        else
            godot_stream_show_fault(&input->segment, &reader.fault);
        return 0;
    }
    const char *line = godot_stream_show(&input->segment, &event);
    if (line)
        gw_columns_add(input->pinfo, proto_debugger, line);
    explain_other(input, fault, in_step, event.role == GW_GODOT_STREAM_VARIANT, (int)reader.offset);
    return reader.offset;
}

static void wait_for_message(debugger_input *input, const gw_fault *fault)
{
    /* The rest of an Array has a known length; that of a Godot 3 message, which is many Variants, has not. */
    if (can_wait(input))
        ask_for_more(input, fault->offset, 0);
    else
        godot_debugger_show_fault(input->pinfo, input->parent, input->tvb, proto_debugger, fault);
}

static int dissect_stream(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data)
{
    debugger_input input;
    gw_godot_debugger_reader reader;
    const godot_stream_beginning *beginning = godot_stream_beginning_of(pinfo, proto_debugger, data);
    tvbuff_t *whole = godot_stream_with_beginning(pinfo, tvb, beginning);
    uint32_t length = tvb_captured_length(whole);
    if (beginning)
        add_new_data_source(pinfo, whole, "Message in several segments");
    init_input(&input, whole, pinfo, parent, GW_GODOT_DEBUGGER_STREAM);
    input.in_front = beginning ? beginning->length : 0;
    input.options.is_synchronised = godot_debugger_begins_in_step(pinfo, data);
    while (input.options.offset < length) {
        input.options.sender = godot_debugger_sender(pinfo);
        gw_godot_debugger_init(&reader, input.bytes, length, &input.options);
        if (reader.fault.fault_class == GW_FAULT_TRUNCATED) {
            wait_for_message(&input, &reader.fault);
            break;
        }
        bool in_step = input.options.is_synchronised;
        input.options.is_synchronised = !reader.fault.fault_class;
        if (reader.fault.fault_class) {
            uint32_t end = show_other(&input, &reader.fault, in_step);
            if (!end)
                break;
            input.options.offset = end;
        } else {
            uint32_t end = reader.end;
            show_message(&input, &reader);
            input.options.offset = end;
        }
        godot_debugger_set_step(pinfo, input.options.is_synchronised);
    }
    return (int)tvb_captured_length(tvb);
}

/* ---- recognition --------------------------------------------------------------------------------------- */

/* The tests and their bits: gw_godot_debugger_recognise(). A known name, of which each letter is one in sixteen, in the
 * form of a message, with values of the types that it has: 48 bits. None of the strangers in tests/strangers/streams.py
 * is accepted. */
static void recognise(tvbuff_t *tvb, gw_godot_debugger_form form, gw_recognition *recognition)
{
    gw_godot_options lent = { 0 };
    godot_generation_lend(&lent);
    const gw_godot_debugger_options options = { .form = form,
                                                .is_synchronised = form == GW_GODOT_DEBUGGER_BARE,
                                                .levels = lent.levels,
                                                .level_count = lent.level_count };
    uint32_t length = tvb_captured_length(tvb);
    gw_godot_debugger_recognise(tvb_get_ptr(tvb, 0, (int)length), length, tvb_reported_length(tvb), &options,
                                recognition);
}

bool godot_debugger_is_in(tvbuff_t *tvb)
{
    gw_recognition recognition;
    recognise(tvb, GW_GODOT_DEBUGGER_STREAM, &recognition);
    return recognition.bits >= GW_RECOGNISED_ALONE;
}

bool godot_debugger_waits(packet_info *pinfo, const void *data)
{
    return godot_stream_beginning_of(pinfo, proto_debugger, data) != NULL;
}

bool godot_debugger_has_message(packet_info *pinfo, tvbuff_t *tvb)
{
    gw_recognition recognition;
    recognise(tvb, GW_GODOT_DEBUGGER_BARE, &recognition);
    return recognition.bits >= GW_RECOGNISED_ALONE || (recognition.possible && godot_debugger_is_known(pinfo));
}

int godot_debugger_take_over(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    gw_conversation_pin(pinfo, pinned_handle);
    return dissect_stream(tvb, pinfo, tree, data);
}

/* A Godot 3 message is many Variants, often each in a segment of its own: until it is whole, its beginning is kept. */
static bool begins_message(tvbuff_t *whole)
{
    const gw_godot_debugger_options options = { .form = GW_GODOT_DEBUGGER_STREAM };
    gw_godot_debugger_reader reader;
    uint32_t length = tvb_captured_length(whole);
    gw_godot_debugger_init(&reader, tvb_get_ptr(whole, 0, (int)length), length, &options);
    return reader.is_flat && reader.fault.fault_class == GW_FAULT_TRUNCATED;
}

static ws_bool dissect_over_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    gw_recognition recognition;
    const godot_stream_beginning *beginning = godot_stream_beginning_of(pinfo, proto_debugger, data);
    tvbuff_t *whole = godot_stream_with_beginning(pinfo, tvb, beginning);
    recognise(whole, GW_GODOT_DEBUGGER_STREAM, &recognition);
    if (!gw_heuristic_accepts(&over_tcp, pinfo, tvb, &recognition)) {
        if (begins_message(whole))
            godot_stream_note_beginning(pinfo, whole, tvb_captured_length(tvb), proto_debugger, data);
        return FALSE;
    }
    dissect_stream(tvb, pinfo, tree, data);
    return TRUE;
}

static ws_bool dissect_over_websocket(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    gw_recognition recognition;
    debugger_input input;
    gw_godot_debugger_reader reader;
    recognise(tvb, GW_GODOT_DEBUGGER_BARE, &recognition);
    if (!gw_heuristic_accepts(&over_websocket, pinfo, tvb, &recognition))
        return FALSE;
    init_input(&input, tvb, pinfo, tree, GW_GODOT_DEBUGGER_BARE);
    input.options.is_synchronised = true;
    input.options.sender = godot_debugger_sender(pinfo);
    gw_godot_debugger_init(&reader, input.bytes, tvb_captured_length(tvb), &input.options);
    if (reader.fault.fault_class)
        return FALSE;
    show_message(&input, &reader);
    return TRUE;
}

/* Never declines but on the default port, which is an X server's as well: there, a connection is the debugger's when
 * it was recognised, or begins with a message. */
static int dissect_debugger(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    gw_recognition recognition;
    if (pinfo->match_uint == GW_GODOT_DEBUGGER_PORT && !godot_debugger_is_known(pinfo)) {
        recognise(tvb, GW_GODOT_DEBUGGER_STREAM, &recognition);
        if (recognition.bits < LEAST_BITS)
            return port_owner ? call_dissector_only(port_owner, tvb, pinfo, tree, data) : 0;
    }
    return dissect_stream(tvb, pinfo, tree, data);
}

/* ---- registration -------------------------------------------------------------------------------------- */

void proto_register_godot_debugger(void)
{
    proto_debugger = proto_register_protocol("Godot Remote Debugger", "Godot Debugger", "godot.debugger");
    godot_debugger_register_fields(proto_debugger);
    godot_debugger_analysis_register(proto_debugger);
    debugger_handle = register_dissector("godot.debugger", dissect_debugger, proto_debugger);
    godot_preferences_add_ports("debugger.tcp.port", "Remote debugger: TCP ports",
                                "Where editors listen for games. Others are recognised.", DEFAULT_PORTS,
                                debugger_handle);
    /* Once it is recognised, all of a TCP connection is one stream: nothing in it is declined. */
    pinned_handle = create_dissector_handle(dissect_stream, proto_debugger);
    gw_heuristic_init(&over_tcp, pinned_handle);
    gw_heuristic_init_nested(&over_websocket);
}

void proto_reg_handoff_godot_debugger(void)
{
    heur_dissector_add("tcp", dissect_over_tcp, "Godot Remote Debugger over TCP", "godot_debugger_tcp", proto_debugger,
                       HEURISTIC_ENABLE);
    heur_dissector_add("ws", dissect_over_websocket, "Godot Remote Debugger over WebSocket", "godot_debugger_ws",
                       proto_debugger, HEURISTIC_ENABLE);
    port_owner = dissector_get_uint_handle(find_dissector_table("tcp.port"), GW_GODOT_DEBUGGER_PORT);
    godot_preferences_apply();
}
