/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Variants on TCP (StreamPeer.put_var, PacketPeerStream) and on WebSocket (put_var without multiplayer), and the remote
 * debugger on either.
 *
 *   godot.stream     packets with a length before each: by heuristic, Decode As or port preference
 *
 * The codec says what a packet is (godot_stream.h), godot-debugger.c which message of the debugger it belongs to.
 */
#include "common/compat.h"
#include "protocols.h"

#include <epan/expert.h>
#include <epan/prefs.h>
#include <epan/proto_data.h>
#include <gamewire/godot_stream.h>

#include "common/conversation.h"
#include "common/links.h"
#include "common/recognition.h"
#include "godot-debugger.h"
#include "godot-stream-fields.h"
#include "godot-variant.h"

#define PREFIX        GW_GODOT_STREAM_PREFIX
#define LARGEST_GUESS 0x10000U /* a lone length that may be one */
#define SEARCH        4096U    /* bytes in which the next packet is looked for */
#define STRONG_BITS   16U      /* evidence with which a packet is found again after other data */
#define MOST_RAW      64U      /* packets without a Variant, one after the other */
#define GENERATIONS   3U
#define ALL_READINGS  UINT32_MAX
#define PACKET_KEY    UINT32_C(0x10000)

static int proto_stream = -1;
static int proto_debugger = -1;
static dissector_handle_t stream_handle;
static dissector_handle_t pinned_handle;
static gw_heuristic over_tcp;
static gw_heuristic over_websocket;

static const gw_godot_generation generations[GENERATIONS] = { GW_GODOT_4, GW_GODOT_3, GW_GODOT_2 };

/* What is known of a connection. */
typedef struct stream_state {
    uint32_t readings; /* that all packets so far have in common; 0: none was read */
    uint32_t alone[2]; /* by side: the length that came in a segment of its own just before; 0: none did */
    uint32_t alone_in[2];
    godot_debugger_state debugger;
} stream_state;

/* What the first pass found out about one packet; in file scope. */
typedef struct kept_packet {
    gw_godot_generation generation;
    godot_debugger_packet *debugger;
} kept_packet;

/* A segment, or a message of a WebSocket. */
typedef struct stream_segment {
    tvbuff_t *tvb;
    packet_info *pinfo;
    const uint8_t *bytes;
    uint32_t length;
    uint32_t offset;
    proto_item *item;
    proto_tree *tree;
    stream_state *state; /* NULL on later passes, when there is none */
    wmem_strbuf_t *line;
    uint32_t readings; /* of the connection, as this segment found them */
    bool first_pass;
} stream_segment;

/* ---- readings ------------------------------------------------------------------------------------------- */

/* How a packet reads in the connection's readings: whole in one, or at least a beginning. */
typedef struct packet_look {
    gw_godot_stream_packet packet;
    gw_godot_generation generation;
    gw_godot_stream_order order;
    uint32_t readings; /* in which it is so */
    uint32_t bits;
    uint32_t needed;
} packet_look;

static void take_look(packet_look *best, const stream_segment *segment, uint32_t offset, unsigned generation,
                      gw_godot_stream_order order)
{
    const gw_godot_stream_options options = { .order = order, .offset = offset };
    uint32_t bits, needed;
    gw_godot_stream_packet packet =
        gw_godot_stream_look(segment->bytes, segment->length, &options, generations[generation], &bits, &needed);
    if (packet == GW_GODOT_STREAM_FOREIGN || packet < best->packet)
        return;
    if (packet > best->packet)
        *best = (packet_look){ packet, generations[generation], order, 0, bits, needed };
    best->readings |= GW_GODOT_STREAM_READING(generations[generation], order);
}

static packet_look look_at(const stream_segment *segment, uint32_t offset)
{
    packet_look best = { .packet = GW_GODOT_STREAM_FOREIGN, .generation = GW_GODOT_4 };
    for (unsigned generation = 0; generation < GENERATIONS; generation++)
        for (unsigned order = GW_GODOT_STREAM_LITTLE; order <= GW_GODOT_STREAM_BIG; order++)
            if (segment->readings & GW_GODOT_STREAM_READING(generations[generation], order))
                take_look(&best, segment, offset, generation, (gw_godot_stream_order)order);
    return best;
}

/* ---- one packet ----------------------------------------------------------------------------------------- */

static void follow_debugger(stream_segment *segment, kept_packet *kept, const packet_look *look, gw_span payload)
{
    godot_debugger_state *state = &segment->state->debugger;
    const uint8_t *bytes = segment->bytes + payload.offset;
    uint8_t side = gw_sender_side(segment->pinfo);
    uint32_t three = GW_GODOT_STREAM_READING(GW_GODOT_3, GW_GODOT_STREAM_LITTLE);
    kept->debugger = godot_debugger_follow(segment->pinfo, state, side, bytes, payload.length, look->generation);
    if (kept->debugger || !(look->readings & segment->readings & three))
        return;
    /* A name alone reads the same in all generations; only Godot 3 sends it so. */
    kept->debugger = godot_debugger_follow(segment->pinfo, state, side, bytes, payload.length, GW_GODOT_3);
    if (!kept->debugger)
        return;
    kept->generation = GW_GODOT_3;
    segment->state->readings = segment->readings = three;
}

static kept_packet *keep(stream_segment *segment, const packet_look *look, gw_span payload)
{
    unsigned ordinal = gw_packet_ordinal(segment->pinfo, proto_stream);
    kept_packet *kept = p_get_proto_data(wmem_file_scope(), segment->pinfo, proto_stream, PACKET_KEY + ordinal);
    if (kept || !segment->first_pass)
        return kept;
    kept = wmem_new0(wmem_file_scope(), kept_packet);
    kept->generation = look->generation;
    follow_debugger(segment, kept, look, payload);
    p_add_proto_data(wmem_file_scope(), segment->pinfo, proto_stream, PACKET_KEY + ordinal, kept);
    return kept;
}

static void show_variant(stream_segment *segment, gw_span payload, gw_godot_generation generation)
{
    const godot_variant_request request = { .generation = generation, .exact = true, .wants_text = true };
    tvbuff_t *tvb = tvb_new_subset_length(segment->tvb, (int)payload.offset, (int)payload.length);
    godot_variant_result result;
    godot_variant_add(segment->pinfo, tvb, segment->tree, &request, &result);
    if (result.text)
        proto_item_set_generated(
            proto_tree_add_string(segment->tree, godot_stream_hf.value, tvb, 0, (int)payload.length, result.text));
    wmem_strbuf_append_printf(segment->line, "%s%s", wmem_strbuf_get_len(segment->line) ? "; " : "",
                              result.text ? result.text : "");
}

static void show_packet(stream_segment *segment, const packet_look *look, gw_span payload)
{
    const kept_packet *kept = keep(segment, look, payload);
    gw_godot_generation generation = kept ? kept->generation : look->generation;
    if (!kept || !kept->debugger) {
        show_variant(segment, payload, generation);
        return;
    }
    tvbuff_t *tvb = tvb_new_subset_length(segment->tvb, (int)payload.offset, (int)payload.length);
    col_set_str(segment->pinfo->cinfo, COL_PROTOCOL, "Godot Debug");
    godot_debugger_show(segment->pinfo, segment->tree, tvb, kept->debugger, generation, segment->line);
}

static void show_prefix(const stream_segment *segment, uint32_t offset, gw_godot_stream_order order)
{
    bool big = order == GW_GODOT_STREAM_BIG;
    proto_tree_add_item(segment->tree, godot_stream_hf.length, segment->tvb, (int)offset, (int)PREFIX,
                        big ? ENC_BIG_ENDIAN : ENC_LITTLE_ENDIAN);
    if (big)
        proto_item_set_generated(
            proto_tree_add_string(segment->tree, godot_stream_hf.order, segment->tvb, (int)offset, 0, "big-endian"));
}

/* What the readings of the connection are after this packet, unless only others read it. */
static void narrow(stream_segment *segment, const packet_look *look)
{
    segment->readings &= look->readings;
    if (segment->first_pass)
        segment->state->readings = segment->readings;
}

static void take_whole(stream_segment *segment, const packet_look *look)
{
    const gw_godot_stream_options options = { .order = look->order, .offset = segment->offset };
    gw_godot_stream_reader reader;
    gw_godot_stream_event event;
    gw_godot_stream_init(&reader, segment->bytes, segment->length, &options);
    gw_godot_stream_next(&reader, &event);
    narrow(segment, look);
    show_prefix(segment, segment->offset, look->order);
    show_packet(segment, look, event.payload);
    segment->offset = reader.offset;
}

/* ---- what is no Variant --------------------------------------------------------------------------------- */

static uint32_t declared_at(const stream_segment *segment, uint32_t offset, gw_godot_stream_order order)
{
    const uint8_t *at = segment->bytes + offset;
    return order == GW_GODOT_STREAM_BIG ? gw_be32(at) : gw_le32(at);
}

/* True when packet after packet leads to one with a Variant, or to the segment's end. */
static bool leads_on(const stream_segment *segment, uint32_t offset, gw_godot_stream_order order)
{
    for (unsigned i = 0; i < MOST_RAW && offset < segment->length; i++) {
        if (look_at(segment, offset).packet != GW_GODOT_STREAM_FOREIGN)
            return true;
        uint32_t left = segment->length - offset;
        uint32_t length = left < PREFIX ? 0 : declared_at(segment, offset, order);
        if (!length || length > left - PREFIX)
            return false;
        offset += PREFIX + length;
    }
    return offset == segment->length;
}

/* PacketPeerStream.put_packet: a length, any bytes, and then the next packet or the end. */
static bool take_raw(stream_segment *segment)
{
    uint32_t left = segment->length - segment->offset;
    gw_godot_stream_order order =
        segment->readings & GW_GODOT_STREAM_READING(GW_GODOT_4, GW_GODOT_STREAM_LITTLE) ||
                segment->readings & GW_GODOT_STREAM_READING(GW_GODOT_3, GW_GODOT_STREAM_LITTLE)
            ? GW_GODOT_STREAM_LITTLE
            : GW_GODOT_STREAM_BIG;
    if (left <= PREFIX)
        return false;
    uint32_t length = declared_at(segment, segment->offset, order);
    if (!length || length > left - PREFIX)
        return false;
    uint32_t end = segment->offset + PREFIX + length;
    if (!leads_on(segment, end, order))
        return false;
    show_prefix(segment, segment->offset, order);
    proto_item *item = proto_tree_add_item(segment->tree, godot_stream_hf.data, segment->tvb,
                                           (int)(segment->offset + PREFIX), (int)length, ENC_NA);
    expert_add_info(segment->pinfo, item, &godot_stream_ei.not_a_variant);
    wmem_strbuf_append_printf(segment->line, "%s%u bytes", wmem_strbuf_get_len(segment->line) ? "; " : "", length);
    segment->offset = end;
    return true;
}

static bool is_lone_length(const stream_segment *segment, uint32_t offset)
{
    packet_look look = look_at(segment, offset);
    return look.packet == GW_GODOT_STREAM_PART && look.needed && look.needed <= LARGEST_GUESS;
}

/* Where the next packet begins that proves itself, or the segment's end. */
static uint32_t find_packet(const stream_segment *segment)
{
    uint32_t last = MIN(segment->length, segment->offset + SEARCH);
    for (uint32_t at = segment->offset + 1; at + PREFIX < last; at++) {
        packet_look look = look_at(segment, at);
        if (look.packet == GW_GODOT_STREAM_WHOLE && look.bits >= STRONG_BITS)
            return at;
    }
    /* A length that its Variant may follow in the next segment. */
    uint32_t end = segment->length - PREFIX;
    bool lone = segment->length > PREFIX && end > segment->offset && segment->pinfo->can_desegment;
    return lone && is_lone_length(segment, end) ? end : segment->length;
}

static void take_other(stream_segment *segment)
{
    uint32_t end = find_packet(segment);
    proto_item *item = proto_tree_add_item(segment->tree, godot_stream_hf.other, segment->tvb, (int)segment->offset,
                                           (int)(end - segment->offset), ENC_NA);
    expert_add_info(segment->pinfo, item, &godot_stream_ei.other);
    wmem_strbuf_append_printf(segment->line, "%sother data", wmem_strbuf_get_len(segment->line) ? "; " : "");
    segment->offset = end;
}

/* The rest comes in later segments. */
static void wait_for_rest(stream_segment *segment, const packet_look *look)
{
    if (!segment->pinfo->can_desegment) {
        proto_tree_add_item(segment->tree, godot_stream_hf.incomplete, segment->tvb, (int)segment->offset,
                            (int)(segment->length - segment->offset), ENC_NA);
        return;
    }
    segment->pinfo->desegment_offset = (int)segment->offset;
    segment->pinfo->desegment_len = look->needed ? look->needed : DESEGMENT_ONE_MORE_SEGMENT;
}

static void read_segment(stream_segment *segment)
{
    while (segment->offset < segment->length) {
        packet_look look = look_at(segment, segment->offset);
        if (look.packet == GW_GODOT_STREAM_WHOLE) {
            take_whole(segment, &look);
        } else if (look.packet == GW_GODOT_STREAM_PART && (look.bits || look.needed <= LARGEST_GUESS)) {
            wait_for_rest(segment, &look);
            return;
        } else if (!take_raw(segment)) {
            take_other(segment);
        }
    }
}

/* ---- segments ------------------------------------------------------------------------------------------- */

/* Frames whose length came in a segment of its own, before the connection was known. */
typedef struct lone_prefix {
    uint32_t frame;
    uint32_t length; /* of the Variant: as little-endian or, where that cannot be, as big-endian */
} lone_prefix;

static void start_segment(stream_segment *segment, tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent)
{
    unsigned length = tvb_captured_length(tvb);
    *segment = (stream_segment){ .tvb = tvb, .pinfo = pinfo, .length = length };
    segment->bytes = tvb_get_ptr(tvb, 0, (int)length);
    segment->first_pass = !PINFO_FD_VISITED(pinfo) && !gw_is_quoted(pinfo);
    segment->state = segment->first_pass ? gw_conversation_obtain(pinfo, proto_stream, sizeof *segment->state)
                                         : gw_conversation_find(pinfo, proto_stream);
    segment->readings = segment->state && segment->state->readings ? segment->state->readings : ALL_READINGS;
    segment->line = wmem_strbuf_new(pinfo->pool, "");
    segment->item = proto_tree_add_item(parent, proto_stream, tvb, 0, (int)length, ENC_NA);
    segment->tree = proto_item_add_subtree(segment->item, godot_stream_ett);
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "Godot Stream");
}

/* TCP puts a fence after the line of each of a frame's segments. */
static void end_segment(const stream_segment *segment, unsigned ordinal)
{
    if (!wmem_strbuf_get_len(segment->line))
        return;
    col_add_fstr(segment->pinfo->cinfo, COL_INFO, "%s%s", ordinal ? "; " : "", wmem_strbuf_get_str(segment->line));
    proto_item_append_text(segment->item, ", %s", wmem_strbuf_get_str(segment->line));
}

/* The Variant whose length came alone, in an earlier frame. */
static void take_headless(stream_segment *segment, const lone_prefix *lone)
{
    gw_godot_guess guess;
    gw_add_frame_link(segment->tree, godot_stream_hf.prefix_in, segment->tvb, lone->frame);
    if (lone->length > segment->length)
        return;
    gw_godot_detect(segment->bytes, lone->length, NULL, &guess);
    const packet_look look = { .generation = (gw_godot_generation)guess.generation };
    show_packet(segment, &look, (gw_span){ 0, lone->length });
    segment->offset = lone->length;
}

static int dissect_stream(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data _U_)
{
    stream_segment segment;
    if (!tvb_captured_length(tvb))
        return 0;
    start_segment(&segment, tvb, pinfo, parent);
    unsigned ordinal = gw_packet_ordinal(pinfo, proto_debugger);
    const lone_prefix *lone = p_get_proto_data(wmem_file_scope(), pinfo, proto_stream, 0);
    if (lone && !ordinal)
        take_headless(&segment, lone);
    read_segment(&segment);
    end_segment(&segment, ordinal);
    return (int)tvb_captured_length(tvb);
}

/* A pinned connection may still hold what is not ours. */
static int dissect_pinned(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data)
{
    stream_segment segment = { .tvb = tvb, .pinfo = pinfo, .length = tvb_captured_length(tvb) };
    const stream_state *state = gw_conversation_find(pinfo, proto_stream);
    segment.bytes = tvb_get_ptr(tvb, 0, (int)segment.length);
    segment.readings = state && state->readings ? state->readings : ALL_READINGS;
    if (look_at(&segment, 0).packet == GW_GODOT_STREAM_FOREIGN && find_packet(&segment) == segment.length &&
        !p_get_proto_data(wmem_file_scope(), pinfo, proto_stream, 0))
        return 0;
    return dissect_stream(tvb, pinfo, parent, data);
}

/* ---- heuristics ----------------------------------------------------------------------------------------- */

/* Segments of four bytes may be a length that goes before its Variant. */
static void note_lone(packet_info *pinfo, const uint8_t *bytes)
{
    uint32_t little = gw_le32(bytes), big = gw_be32(bytes);
    uint32_t length = MIN(little, big);
    if (length < PREFIX || length > LARGEST_GUESS || PINFO_FD_VISITED(pinfo))
        return;
    stream_state *state = gw_conversation_obtain(pinfo, proto_stream, sizeof *state);
    uint8_t side = gw_sender_side(pinfo);
    state->alone[side] = gw_le32(bytes);
    state->alone_in[side] = pinfo->num;
}

static bool recognise_headless(tvbuff_t *tvb, packet_info *pinfo, gw_recognition *recognition, lone_prefix *lone)
{
    unsigned length = tvb_captured_length(tvb);
    stream_state *state = PINFO_FD_VISITED(pinfo) ? NULL : gw_conversation_find(pinfo, proto_stream);
    uint8_t side = gw_sender_side(pinfo);
    if (!state || !state->alone[side])
        return false;
    uint8_t *joined = (uint8_t *)wmem_alloc(pinfo->pool, length + PREFIX);
    gw_store_le32(joined, state->alone[side]);
    memcpy(joined + PREFIX, tvb_get_ptr(tvb, 0, (int)length), length);
    lone->length = MIN(gw_le32(joined), gw_be32(joined));
    lone->frame = state->alone_in[side];
    state->alone[side] = 0;
    return gw_godot_stream_recognise(joined, length + PREFIX, length + PREFIX, NULL, recognition);
}

static void remember_lone(packet_info *pinfo, const lone_prefix *found)
{
    lone_prefix *lone = wmem_new(wmem_file_scope(), lone_prefix);
    *lone = *found;
    p_add_proto_data(wmem_file_scope(), pinfo, proto_stream, 0, lone);
}

static ws_bool dissect_over_tcp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    gw_recognition recognition;
    lone_prefix lone = { 0, 0 };
    unsigned length = tvb_captured_length(tvb);
    const uint8_t *bytes = length ? tvb_get_ptr(tvb, 0, (int)length) : NULL;
    if (!length)
        return FALSE;
    if (length == PREFIX) {
        note_lone(pinfo, bytes);
        return FALSE;
    }
    if (!recognise_headless(tvb, pinfo, &recognition, &lone)) {
        lone.frame = 0;
        gw_godot_stream_recognise(bytes, length, tvb_reported_length(tvb), NULL, &recognition);
    }
    if (!gw_heuristic_accepts(&over_tcp, pinfo, tvb, &recognition))
        return FALSE;
    if (lone.frame)
        remember_lone(pinfo, &lone);
    return dissect_stream(tvb, pinfo, tree, data) != 0;
}

/* ---- WebSocket ------------------------------------------------------------------------------------------ */

/* Nil is four zeros: no evidence. */
static uint32_t evidence_of(const gw_godot_summary *summary, uint32_t length)
{
    if (summary->proof > 8)
        return summary->proof - 8;
    return length > PREFIX ? 4 : 0;
}

/* A message that is one Variant: the same evidence as in a stream, but for the length. */
static void recognise_message(const uint8_t *bytes, uint32_t length, gw_recognition *recognition)
{
    *recognition = (gw_recognition){ 0 };
    for (unsigned i = 0; i < GENERATIONS; i++) {
        const gw_godot_options options = { .generation = generations[i] };
        gw_godot_summary summary;
        if (length < PREFIX || length % 4 || !gw_godot_validate(bytes, length, &options, &summary) ||
            summary.length != length ||
            summary.odd & ~(uint32_t)(GW_GODOT_ODD_STALE_PADDING | GW_GODOT_ODD_WIDE | GW_GODOT_ODD_SHARED))
            continue;
        recognition->possible = true;
        recognition->readings |= GW_GODOT_STREAM_READING(generations[i], GW_GODOT_STREAM_LITTLE);
        recognition->bits = MAX(recognition->bits, evidence_of(&summary, length));
    }
}

static void show_message(stream_segment *segment)
{
    packet_look look = { .generation = GW_GODOT_4 };
    gw_recognition recognition;
    recognise_message(segment->bytes, segment->length, &recognition);
    if (recognition.readings & segment->readings)
        recognition.readings &= segment->readings;
    for (unsigned i = GENERATIONS; i-- > 0;)
        if (recognition.readings & GW_GODOT_STREAM_READING(generations[i], GW_GODOT_STREAM_LITTLE))
            look.generation = generations[i];
    look.readings = recognition.readings;
    narrow(segment, &look);
    show_packet(segment, &look, (gw_span){ 0, segment->length });
}

static ws_bool dissect_over_websocket(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    stream_segment segment;
    gw_recognition recognition;
    unsigned length = tvb_captured_length(tvb);
    recognise_message(length ? tvb_get_ptr(tvb, 0, (int)length) : NULL, length, &recognition);
    if (!gw_heuristic_accepts(&over_websocket, pinfo, tvb, &recognition))
        return FALSE;
    start_segment(&segment, tvb, pinfo, tree);
    show_message(&segment);
    end_segment(&segment, gw_packet_ordinal(pinfo, proto_debugger));
    return TRUE;
}

/* ---- registration --------------------------------------------------------------------------------------- */

void proto_register_godot_stream(void)
{
    proto_stream = proto_register_protocol("Godot Stream", "Godot Stream", "godot.stream");
    proto_debugger = proto_register_protocol("Godot Debugger", "Godot Debug", "godot.debugger");
    godot_stream_register_fields(proto_stream, proto_debugger);
    godot_debugger_register(proto_debugger);
    stream_handle = register_dissector("godot.stream", dissect_stream, proto_stream);
    pinned_handle = create_dissector_handle(dissect_pinned, proto_stream);
    gw_heuristic_init(&over_tcp, pinned_handle);
    gw_heuristic_init_nested(&over_websocket);
}

void proto_reg_handoff_godot_stream(void)
{
    heur_dissector_add("tcp", dissect_over_tcp, "Godot Variants over TCP", "godot_stream_tcp", proto_stream,
                       HEURISTIC_ENABLE);
    heur_dissector_add("ws", dissect_over_websocket, "Godot Variants over WebSocket", "godot_stream_ws", proto_stream,
                       HEURISTIC_ENABLE);
    dissector_add_uint_range_with_preference("tcp.port", "", stream_handle);
}
