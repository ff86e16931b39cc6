/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Godot Variants on TCP, each after its length (StreamPeer.put_var, PacketPeerStream), and on WebSocket, where a
 * message is a Variant.
 *
 * A message has a layer of its own, and its Variant another, which godot/variant adds. godot/tcp recognizes streams over
 * TCP and reads their segments.
 */
#include "protocols.h"

#include <epan/dissectors/packet-tcp.h>
#include <epan/expert.h>
#include <epan/prefs.h>
#include <epan/tap.h>

#include "common/conversation.h"
#include "common/display/columns.h"
#include "common/display/experts.h"
#include "common/display/json_message.h"
#include "common/findings.h"
#include "common/items.h"
#include "common/menus/decode_as.h"
#include "common/menus/statistics.h"
#include "common/recognition/damaged.h"
#include "common/recognition/recognition.h"
#include "common/registration.h"
#include "godot/debugger/debugger.h"
#include "godot/variant/generation.h"
#include "godot/variant/variants.h"
#include "stream.h"

#define LONGEST_TEXT 200

int godot_stream_order_preference = GW_GODOT_STREAM_ANY_ORDER;

static gw_heuristic over_websocket;
static gw_damaged damaged; /* Variants of streams, as payloads */
static int follow_tap = -1;

/* ---- fields -------------------------------------------------------------------------------------------- */

typedef struct stream_fields {
    int length;
    int order;
    int value;
    int prefix_in;
    int data;
    int text;
    int other;
    int undecoded;
    int json;
} stream_fields;

typedef struct stream_experts {
    expert_field cut_short;
    expert_field faults[GW_GODOT_STREAM_FAULTS];
    expert_field odd[GW_GODOT_STREAM_ODDS]; /* by the number of the bit */
} stream_experts;

int proto_godot_stream = -1;
static stream_fields godot_stream_hf;
static stream_experts godot_stream_ei;
static int godot_stream_ett = -1;

static hf_register_info fields[] = {
    { &godot_stream_hf.length,
      { "Length", "godot_stream.length", FT_UINT32, BASE_DEC, NULL, 0, "Number of bytes that follow in this message",
        HFILL } },
    { &godot_stream_hf.order,
      { "Byte order", "godot_stream.order", FT_STRING, BASE_NONE, NULL, 0,
        "Byte order of the length; the Variant is always little-endian", HFILL } },
    { &godot_stream_hf.value,
      { "Value", "godot_stream.value", FT_STRING, BASE_NONE, NULL, 0,
        "Variant of the message as a Godot literal, in one line", HFILL } },
    { &godot_stream_hf.prefix_in,
      { "Length in", "godot_stream.prefix_in", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "The length of this message is in this frame, in a segment of its own", HFILL } },
    { &godot_stream_hf.data,
      { "Data", "godot_stream.data", FT_BYTES, BASE_NONE, NULL, 0,
        "Content of a message that is not a Variant, as put_packet or put_utf8_string sends it", HFILL } },
    { &godot_stream_hf.text,
      { "As text", "godot_stream.text", FT_STRING, BASE_NONE, NULL, 0,
        "Content of a message that is not a Variant, as text", HFILL } },
    { &godot_stream_hf.other,
      { "Other data", "godot_stream.other", FT_BYTES, BASE_NONE, NULL, 0, "Bytes that do not belong to a message",
        HFILL } },
    { &godot_stream_hf.undecoded,
      { "Undecoded", "godot_stream.undecoded", FT_BYTES, BASE_NONE, NULL, 0,
        "Bytes from the place where decoding stopped to the end of the stream's data", HFILL } },
    { &godot_stream_hf.json, GW_JSON_FIELD("godot_stream.json") },
};

static const gw_expert_row odd_rows[] = {
    { GW_GODOT_STREAM_ODD_VALUE, "godot_stream.value.unusual", PI_PROTOCOL, PI_NOTE, NULL, NULL },
    { GW_GODOT_STREAM_ODD_TRAILING, "godot_stream.trailing.unusual", PI_PROTOCOL, PI_WARN, NULL, NULL },
    { GW_GODOT_STREAM_ODD_UNKNOWN, "godot_stream.other.unknown", PI_UNDECODED, PI_NOTE, NULL, NULL },
};

static const gw_expert_row fault_rows[] = {
    { GW_GODOT_STREAM_FAULT_PREFIX_TRUNCATED, "godot_stream.length.truncated", PI_UNDECODED, PI_NOTE, NULL, NULL },
    { GW_GODOT_STREAM_FAULT_VALUE_TRUNCATED, "godot_stream.value.truncated", PI_UNDECODED, PI_NOTE, NULL, NULL },
    { GW_GODOT_STREAM_FAULT_MESSAGE_TRUNCATED, "godot_stream.message.truncated", PI_UNDECODED, PI_NOTE, NULL, NULL },
    { GW_GODOT_STREAM_FAULT_TOO_LONG, "godot_stream.input.too_long", PI_UNDECODED, PI_NOTE, NULL, NULL },
};

static const gw_finding own_findings[] = {
    { &godot_stream_ei.cut_short, "godot_stream.cut_short", PI_UNDECODED, PI_NOTE, "Cut short by the capture", NULL,
      NULL },
};

/* ---- messages ------------------------------------------------------------------------------------------ */

/* Sets the input to the bytes of the tvbuff; `parent`: the tree for the layers of its messages. */
void godot_stream_input_init(godot_stream_input *input, tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent)
{
    *input = (godot_stream_input){ .pinfo = pinfo,
                                   .tvb = tvb,
                                   .parent = parent,
                                   .bytes = gw_bytes_of(tvb),
                                   .needs_line = col_get_writable(pinfo->cinfo, COL_INFO) };
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

/* Adds godot_stream.json of a message with a Variant. `text`: its literal, which is the value in JSON if the
 * Variant's header cannot be read. */
static void add_variant_json(const godot_stream_input *input, proto_tree *tree, tvbuff_t *variant,
                             gw_godot_generation generation, const char *text)
{
    static const gw_json_head head = { .protocol = "godot_stream", .kind = "variant" };
    const gw_godot_options options = { .generation = generation };
    gw_json json;
    if (!gw_json_is_wanted(input->pinfo, tree, godot_stream_hf.json))
        return;
    gw_json_begin(&json, input->pinfo, &head);
    const godot_json value =
        godot_json_add(&json, "value", input->pinfo, gw_bytes_of(variant), tvb_captured_length(variant), &options);
    if (!value.is_added) {
        gw_json_name(&json, "value");
        gw_json_open_object(&json);
        gw_json_add_string(&json, "$text", text);
        gw_json_close_object(&json);
    }
    gw_json_add_notes(&json, input->pinfo, input->first_finding, gw_count_findings(input->pinfo));
    gw_json_end(&json, tree, godot_stream_hf.json);
}

/* Adds godot_stream.json of bytes that are not a Variant, with the findings from input->first_finding on. `kind`: of
 * the message, in the JSON. `span`: NULL for bytes that were not decoded, which are left out. `text`: NULL if the bytes
 * are not text. */
static void add_bytes_json(const godot_stream_input *input, proto_tree *tree, const char *kind, const gw_span *span,
                           const char *text)
{
    const gw_json_head head = { .protocol = "godot_stream", .kind = kind };
    gw_json json;
    if (!gw_json_is_wanted(input->pinfo, tree, godot_stream_hf.json))
        return;
    gw_json_begin(&json, input->pinfo, &head);
    if (span)
        gw_json_add_hex(&json, "data", input->tvb, *span);
    gw_json_add_string(&json, "text", text);
    gw_json_add_notes(&json, input->pinfo, input->first_finding, gw_count_findings(input->pinfo));
    gw_json_end(&json, tree, godot_stream_hf.json);
}

/* ---- messages ------------------------------------------------------------------------------------------ */

/* Adds a message that is not a Variant, as put_packet() and put_utf8_string() send it: its bytes and, if they are UTF-8
 * without control characters, its text. Returns its line for the Info column. */
static const char *add_packet(const godot_stream_input *input, proto_tree *tree, gw_span span)
{
    wmem_allocator_t *pool = input->pinfo->pool;
    const uint8_t *bytes = input->bytes + span.offset;
    bool is_text = span.length && gw_utf8_prefix(bytes, span.length) == span.length;
    for (uint32_t i = 0; i < span.length && is_text; i++)
        is_text = bytes[i] >= ' ' && bytes[i] != 0x7F;
    gw_add_span(tree, godot_stream_hf.data, input->tvb, span, ENC_NA);
    const char *text = is_text ? gw_field_text(pool, gw_text_of(pool, input->tvb, span)) : NULL;
    add_bytes_json(input, tree, "data", &span, text);
    if (!is_text)
        return wmem_strdup_printf(pool, "Packet of %u byte%s", span.length, span.length == 1 ? "" : "s");
    char *shortened = (char *)wmem_alloc(pool, LONGEST_TEXT);
    gw_text line;
    gw_text_init(&line, shortened, LONGEST_TEXT);
    gw_text_escaped(&line, bytes, span.length);
    proto_item_set_generated(gw_add_text(tree, godot_stream_hf.text, input->tvb, span, text));
    return wmem_strdup_printf(pool, "Packet \"%s\"", shortened);
}

/* Adds the layer of a message or of unknown bytes, and the layer of its Variant. `variant`: NULL if it has none.
 * Returns the line for the Info column; NULL if it is the text of a Variant, and neither the column nor the tree is
 * visible. */
static const char *add_message(godot_stream_input *input, const gw_godot_stream_event *event, tvbuff_t *variant,
                               const godot_findings *findings)
{
    const gw_span payload = event->payload; /* without the bytes after a Variant, the padding */
    proto_item *item = gw_add_protocol(input->parent, input->pinfo, proto_godot_stream, input->tvb,
                                       event->header.offset, (int)(gw_span_end(event->padding) - event->header.offset));
    proto_tree *tree = proto_item_add_subtree(item, godot_stream_ett);
    gw_add_odd_experts(input->pinfo, item, godot_stream_ei.odd, &gw_godot_stream_faults, input->experts, event->odd,
                       payload.offset);
    /* Unknown bytes have no length before them, nor has a message over WebSocket. */
    if (event->role != GW_GODOT_STREAM_ROLE_UNKNOWN && event->header.length) {
        bool is_big = event->order == GW_GODOT_STREAM_BIG;
        gw_add_span(tree, godot_stream_hf.length, input->tvb, event->header,
                    is_big ? ENC_BIG_ENDIAN : ENC_LITTLE_ENDIAN);
        proto_item_set_generated(gw_add_text(tree, godot_stream_hf.order, input->tvb, event->header,
                                             is_big ? "big-endian" : "little-endian"));
        /* Only the first length may be in an earlier frame, with which the bytes were joined: a link to that frame. */
        if (!event->header.offset)
            gw_add_frame_link(tree, godot_stream_hf.prefix_in, input->length_frame);
    }
    if (variant) {
        const godot_variant_request request = { .exact = true, .wants_text = input->needs_line || tree };
        godot_variant_result result;
        godot_variants_add_as(godot_variants_new(input->pinfo, variant), input->parent, &request, findings, &result);
        if (result.text)
            proto_item_set_generated(gw_add_text(tree, godot_stream_hf.value, input->tvb, payload, result.text));
        add_variant_json(input, tree, variant, findings->generation, result.text);
        return result.text;
    }
    const char *line;
    if (event->role == GW_GODOT_STREAM_ROLE_PACKET) {
        line = add_packet(input, tree, payload);
    } else {
        gw_add_span(tree, godot_stream_hf.other, input->tvb, payload, ENC_NA);
        add_bytes_json(input, tree, "other", &payload, NULL);
        line =
            wmem_strdup_printf(input->pinfo->pool, "%u unknown byte%s", payload.length, payload.length == 1 ? "" : "s");
    }
    gw_append_line(item, input->pinfo, proto_godot_stream, gw_finding_words(input->pinfo, input->first_finding), line);
    return line;
}

/* Dissects one message, or unknown bytes, of a stream: determines the Godot generation of its Variant and counts the
 * Variant, then adds the items, the line in the Info column and the line in Follow Stream. `protocol`: of the
 * connection, the stream's or the debugger's. `first_finding`: number of the packet's findings before the message. */
void godot_stream_dissect(godot_stream_input *input, const gw_godot_stream_event *event, int protocol,
                          unsigned first_finding)
{
    static const gw_godot_question whole_message = { .values = 1 };
    packet_info *pinfo = input->pinfo;
    input->first_finding = first_finding;
    bool is_variant = event->role == GW_GODOT_STREAM_ROLE_VARIANT;
    /* Bytes after the Variant, which the length includes, are reported as an oddity of it. */
    const gw_span span = { event->payload.offset, event->payload.length + event->padding.length };
    tvbuff_t *variant = NULL;
    godot_findings findings = { .generation = GW_GODOT_ANY };

    /* A packet that is not a Variant may be one of the game's own format, or a Variant that is damaged:
     * common/recognition/damaged.h. Streams have no other dissectors.
     * Stream number 0: a connection has only one. */
    if (is_variant) {
        variant = gw_subset_of(input->tvb, span);
        gw_damaged_keep(&damaged, pinfo, variant, 0, godot_variant_weigh, NULL);
    } else if (event->role == GW_GODOT_STREAM_ROLE_PACKET && event->payload.length) {
        variant = gw_subset_of(input->tvb, span);
        is_variant = gw_damaged_find(&damaged, pinfo, variant, 0);
    }
    if (is_variant) {
        godot_generation_analyze(pinfo, variant, &whole_message, &findings);
        godot_count(pinfo, variant, findings.generation);
    }
    const char *line = add_message(input, event, is_variant ? variant : NULL, &findings);
    if (line && input->needs_line)
        gw_columns_add(pinfo, protocol, gw_finding_words(pinfo, input->first_finding), line);
    /* Variants between the debugger's messages are in no Follow Stream: its log has the debugger's messages only. */
    if (have_tap_listener(follow_tap) && protocol == proto_godot_stream)
        gw_follow_line(follow_tap, pinfo, input->tvb,
                       is_variant ? godot_variant_line(pinfo, variant, findings.generation, GODOT_FOLLOW_SIZE) : line);
}

/* Adds the bytes from the fault's offset on as a layer of undecoded bytes, with the fault. */
void godot_stream_add_fault(godot_stream_input *input, const gw_fault *fault)
{
    static const gw_fault_display faults = {
        .hf_undecoded = &godot_stream_hf.undecoded,
        .experts = godot_stream_ei.faults,
        .cut_short = &godot_stream_ei.cut_short,
        .table = &gw_godot_stream_faults,
    };
    proto_item *item =
        proto_tree_add_item(input->parent, proto_godot_stream, input->tvb, (int)fault->offset, -1, ENC_NA);
    proto_tree *tree = proto_item_add_subtree(item, godot_stream_ett);
    input->first_finding = gw_count_findings(input->pinfo);
    gw_add_fault(input->pinfo, tree, input->tvb, fault, &faults);
    add_bytes_json(input, tree, "other", NULL, NULL);
}

/* ---- WebSocket ----------------------------------------------------------------------------------------- */

/* Dissects a WebSocket message as one Variant, without a length before it. */
static int dissect_in_websocket(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    const gw_godot_stream_event event = { .role = GW_GODOT_STREAM_ROLE_VARIANT,
                                          .payload.length = tvb_captured_length(tvb) };
    godot_stream_input input;
    godot_stream_input_init(&input, tvb, pinfo, tree);
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "GodotStream");
    godot_stream_dissect(&input, &event, proto_godot_stream, gw_count_findings(pinfo));
    return (int)tvb_captured_length(tvb);
}

/* WebSocket's heuristic. Accepts Variants, and damaged messages that are like the Variants of the conversation
 * (common/recognition/damaged.h). A message of the debugger is a Variant too, and is declined for the debugger's
 * heuristic. Stream number 0: a WebSocket connection has only one. */
static ws_bool dissect_over_websocket(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    gw_recognition recognition;
    godot_variant_recognize(tvb, &recognition);
    if (recognition.possible && godot_debugger_has_message(pinfo, tvb))
        return false;
    if (!gw_heuristic_accepts(&over_websocket, pinfo, tvb, &recognition, 0, GW_RECOGNIZED_ALONE))
        return gw_heuristic_dissect_damaged(&over_websocket, tvb, pinfo, tree, data, dissect_in_websocket) != 0;
    gw_heuristic_keep(&over_websocket, pinfo, tvb, godot_variant_weigh);
    return dissect_in_websocket(tvb, pinfo, tree, data) != 0;
}

/* ---- Follow Stream: the messages of a connection, a line each -------------------------------------------- */

/* Follow Stream's filter for one TCP stream. */
static char *filter_stream(unsigned stream, unsigned sub_stream _U_)
{
    return g_strdup_printf("godot_stream && tcp.stream == %u", stream);
}

/* Sets `stream` to the packet's TCP stream, and returns its filter; NULL if it has none. */
static char *find_stream(epan_dissect_t *dissect _U_, packet_info *pinfo, unsigned *stream, unsigned *sub_stream _U_)
{
    return gw_find_stream(pinfo, stream) ? filter_stream(*stream, 0) : NULL;
}

/* ---- registration -------------------------------------------------------------------------------------- */

/* Registers the protocol with its fields, the preference for the byte order, the lines of Follow Stream, and the state
 * of the heuristic over WebSocket, whose payloads are nested in a conversation of another protocol. `skips_texts`:
 * texts between the Variants do not end the evidence of a conversation. The heuristic over TCP is registered in
 * godot/tcp. */
void proto_register_godot_stream(void)
{
    static const enum_val_t orders[] = {
        { "auto", "Automatic", GW_GODOT_STREAM_ANY_ORDER },
        { "little", "Little-endian", GW_GODOT_STREAM_LITTLE },
        { "big", "Big-endian", GW_GODOT_STREAM_BIG },
        { NULL, NULL, 0 },
    };
    static int *const subtrees[] = { &godot_stream_ett };
    const gw_protocol_tables tables = {
        .fields = { { GW_ROWS(fields) } },
        .subtrees = { GW_ROWS(subtrees) },
        .oddities = { godot_stream_ei.odd, GW_ROWS(odd_rows), "Send one value for each put_var()" },
        .faults = { godot_stream_ei.faults, GW_ROWS(fault_rows), NULL },
        .codec = &gw_godot_stream_faults,
        .findings = { GW_ROWS(own_findings) },
    };
    proto_godot_stream = proto_register_protocol("Godot Stream", "GodotStream", "godot_stream");
    gw_register_protocol(proto_godot_stream, &tables);
    prefs_register_enum_preference(prefs_register_protocol(proto_godot_stream, NULL), "byte_order",
                                   "Byte order of lengths",
                                   "Byte order of the length before each Variant: StreamPeer.big_endian of the sender. "
                                   "Variants are always little-endian.",
                                   &godot_stream_order_preference, orders, false);
    follow_tap = register_tap("godot_stream_follow");
    gw_register_follow(proto_godot_stream, "godot_stream_follow",
                       &(gw_follow){ find_stream, filter_stream, get_tcp_stream_count });
    gw_heuristic_init_nested(&over_websocket);
    over_websocket.skips_texts = true;
    gw_damaged_init(&damaged);
}

void proto_reg_handoff_godot_stream(void)
{
    dissector_add_for_decode_as(GW_WEBSOCKET_PORT_TABLE,
                                create_dissector_handle(dissect_in_websocket, proto_godot_stream));
    heur_dissector_add("ws", dissect_over_websocket, "Godot Stream over WebSocket", "godot_ws", proto_godot_stream,
                       HEURISTIC_ENABLE);
}
