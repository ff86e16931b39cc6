/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finds the messages in the remote debugger's TCP connections. Other bytes are shown as those of a stream.
 */
#include "internal.h"

#include "common/beginning.h"
#include "common/experts.h"
#include "common/spans.h"
#include "godot/debugger/debugger.h"
#include "godot/stream/stream.h"

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

/* Reports why the bytes up to `end` are not a message. After messages they are an error; before the first message, the
 * capture may have begun inside one. */
static void explain_other(const debugger_segment *segment, const gw_fault *fault, bool is_variant, uint32_t end)
{
    bool is_wrong = segment->in_step && fault->fault_class == GW_FAULT_MALFORMED;
    if (is_wrong || is_variant)
        godot_debugger_add_explanation(&segment->input,
                                       is_wrong ? fault->code : (uint32_t)GW_GODOT_DEBUGGER_FAULT_MESSAGE_UNKNOWN, end);
}

/* The number of bytes to request after `waiting` bytes of a Variant: it grows, because the bytes are read again each
 * time. */
static uint32_t more_of_variant(uint32_t waiting)
{
    return waiting < 4096 ? DESEGMENT_ONE_MORE_SEGMENT : waiting / 64;
}

/* The number of bytes to request after the beginning of a message, which is read from its start each time. The
 * remaining length of an Array is known; that of a Godot 3 message, which consists of many Variants, is at least
 * input->missing. If other bytes precede the message, TCP may pass them again: then at most once per segment. */
static uint32_t more_of_message(const debugger_segment *segment, uint32_t start)
{
    const godot_debugger_input *input = &segment->input;
    bool is_first = !godot_stream_offset_in_tcp(start, segment->in_front);
    return is_first && input->length - start >= 4096 ? input->missing : DESEGMENT_ONE_MORE_SEGMENT;
}

/* Requests the bytes that continue a Variant or unknown bytes at the offset; false if godot_stream_may_wait() is
 * false. */
static bool ask_for_more(debugger_segment *segment, const gw_fault *fault)
{
    godot_debugger_input *input = &segment->input;
    bool is_unknown = fault->code == GW_GODOT_STREAM_FAULT_MESSAGE_TRUNCATED;
    uint32_t offset = input->options.offset;
    if (!godot_stream_may_wait(input->pinfo, godot_stream_offset_in_tcp(offset, segment->in_front), is_unknown,
                               segment->tcp))
        return false;
    godot_stream_wait(input->pinfo, offset, segment->in_front,
                      is_unknown ? DESEGMENT_ONE_MORE_SEGMENT : more_of_variant(input->length - offset));
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
        if (ask_for_more(segment, &reader.fault))
            return false;
        godot_stream_read_to_end(&reader);
        next = gw_godot_stream_next(&reader, &event);
    }
    if (next != GW_NEXT_EVENT) {
        godot_stream_add_fault(&segment->others, &reader.fault);
        return false;
    }
    godot_stream_dissect_event(&segment->others, &event, proto_godot_debugger);
    explain_other(segment, fault, event.role == GW_GODOT_STREAM_ROLE_VARIANT, reader.offset);
    input->options.offset = reader.offset;
    return true;
}

/* Reads the message or other bytes at the offset; false if more bytes are needed. */
static bool dissect_next(debugger_segment *segment)
{
    godot_debugger_input *input = &segment->input;
    input->options.is_synchronized = segment->in_step;
    gw_fault fault = godot_debugger_dissect(input);
    if (fault.fault_class == GW_FAULT_TRUNCATED) {
        if (can_wait(segment))
            godot_stream_wait(input->pinfo, fault.offset, segment->in_front, more_of_message(segment, fault.offset));
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

int godot_session_dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data)
{
    debugger_segment segment = { .tcp = data, .in_step = godot_stream_begins_in_step(pinfo, data) };
    const gw_beginning *beginning = gw_beginning_find(pinfo, proto_godot_debugger, data);
    tvbuff_t *whole = gw_beginning_join(pinfo, tvb, beginning);
    if (beginning) {
        add_new_data_source(pinfo, whole, "Message in several segments");
        segment.in_front = beginning->length;
    }
    godot_debugger_input_init(&segment.input, whole, pinfo, parent, GW_GODOT_DEBUGGER_STREAM);
    godot_stream_segment_init(&segment.others, whole, pinfo, parent);
    while (segment.input.options.offset < segment.input.length)
        if (!dissect_next(&segment))
            break;
    return (int)tvb_captured_length(tvb);
}

bool godot_session_is_in(tvbuff_t *tvb)
{
    gw_recognition recognition;
    godot_debugger_recognize(tvb, GW_GODOT_DEBUGGER_STREAM, &recognition);
    return recognition.bits >= GW_RECOGNIZED_ALONE;
}

bool godot_session_may_begin(tvbuff_t *tvb)
{
    const gw_godot_debugger_options options = { .form = GW_GODOT_DEBUGGER_STREAM };
    gw_godot_debugger_reader reader;
    uint32_t length = tvb_captured_length(tvb);
    gw_godot_debugger_init(&reader, gw_bytes_of(tvb), length, &options);
    return reader.is_flat && reader.fault.fault_class == GW_FAULT_TRUNCATED;
}

bool godot_session_may_be_first(tvbuff_t *tvb)
{
    const gw_godot_debugger_options options = { .form = GW_GODOT_DEBUGGER_STREAM, .is_synchronized = true };
    gw_godot_debugger_reader reader;
    gw_godot_debugger_init(&reader, gw_bytes_of(tvb), tvb_captured_length(tvb), &options);
    return reader.fault.fault_class == GW_FAULT_NONE || reader.fault.fault_class == GW_FAULT_TRUNCATED;
}
