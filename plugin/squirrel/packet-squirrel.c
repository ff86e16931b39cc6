/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Squirrel remote values and commands, which VC:MP's RemExec and PeerExec scripts send.
 *
 *   squirrel        everything that can be script data: a message, a frame, bare values; by name and Decode As
 *   (pinned)        in conversations that were recognised: declines what cannot be script data
 *   squirrel_port   on VC:MP's port: what looks like script data, or like RakNet, which carries it
 *
 * Script data travels inside RakNet messages, for which Wireshark has a dissector: it reassembles split messages and
 * passes to the table raknet.port and the heuristic list "raknet" what begins with the message id:
 *
 *     u8 message id | u32 big-endian length | u32 identifier | head | content
 *
 * squirrel-heads.c and squirrel-tree.c draw, squirrel-analysis.c and squirrel-reassembly.c know other packets,
 * squirrel-statistics.c counts, squirrel-fields.c names the fields.
 */
#include "common/compat.h"
#include "protocols.h"

#include <epan/prefs.h>
#include <epan/proto_data.h>

#include "common/conversation.h"
#include "common/recognition.h"
#include "squirrel-analysis.h"
#include "squirrel-fields.h"
#include "squirrel-reassembly.h"
#include "squirrel-statistics.h"
#include "squirrel-tree.h"

#define IDENTIFIER_LENGTH 4u
#define DEFAULT_PORT      8192u
/* Evidence that suffices on the port: an identifier with a consistent content. */
#define PORT_BITS       24u
#define INFO_SIZE       1200
#define EXPRESSION_SIZE 1024
#define COLUMNS_KEY     UINT32_C(0x636f6c73)

static int proto_squirrel = -1;
static dissector_handle_t any_handle;
static dissector_handle_t pinned_handle;
static dissector_handle_t port_handle;
static dissector_handle_t raknet_port_handle;
static dissector_handle_t raknet_handle;
static gw_heuristic udp_heuristic;
static gw_heuristic raknet_heuristic;
static unsigned port = DEFAULT_PORT;
static unsigned registered_port;

/* ---- bytes --------------------------------------------------------------------------------------------- */

/* The bytes of a packet, as far as they were captured. */
typedef struct payload {
    const uint8_t *bytes;
    uint32_t length;
    uint32_t wire_length;
} payload;

static payload payload_of(tvbuff_t *tvb)
{
    payload all = { NULL, tvb_captured_length(tvb), tvb_reported_length(tvb) };
    if (all.length)
        all.bytes = tvb_get_ptr(tvb, 0, (int)all.length);
    return all;
}

/* xx ff ff 40: one of the nineteen, or one that another release may use. */
static bool has_identifier(payload all, uint32_t offset)
{
    return all.length >= offset + IDENTIFIER_LENGTH && gw_le32(all.bytes + offset) >> 8 == GW_SQUIRREL_FIRST_FRAME >> 8;
}

static bool has_message_head(payload all)
{
    return has_identifier(all, GW_SQUIRREL_MESSAGE_HEAD);
}

/* ---- columns ------------------------------------------------------------------------------------------- */

static bool has_columns(const packet_info *pinfo)
{
    return pinfo->cinfo && col_get_writable(pinfo->cinfo, COL_INFO);
}

/* A packet may carry several messages; the first replaces the line. */
static void set_columns(packet_info *pinfo, const char *info)
{
    if (!has_columns(pinfo))
        return;
    if (!p_get_proto_data(pinfo->pool, pinfo, proto_squirrel, COLUMNS_KEY)) {
        p_set_proto_data(pinfo->pool, pinfo, proto_squirrel, COLUMNS_KEY, GUINT_TO_POINTER(1));
        col_set_str(pinfo->cinfo, COL_PROTOCOL, "Squirrel");
        col_clear(pinfo->cinfo, COL_INFO);
        col_add_str(pinfo->cinfo, COL_INFO, info);
    } else {
        col_append_sep_str(pinfo->cinfo, COL_INFO, " | ", info);
    }
}

/* "PeerExecSpecial #1 to player 3", "SplitStream 0, chunk 2 of 3" */
static void describe_head(gw_text *text, const gw_squirrel_frame *frame)
{
    gw_text_string(text, frame->type->name);
    if (frame->type->content == GW_SQUIRREL_CONTENT_CHUNK) {
        gw_text_char(text, ' ');
        gw_text_unsigned(text, frame->sequence);
        gw_text_string(text, ", chunk ");
        gw_text_unsigned(text, (uint64_t)frame->chunk + 1);
        gw_text_string(text, " of ");
        gw_text_unsigned(text, frame->chunks);
    }
    if (frame->type->token) {
        gw_text_string(text, " #");
        gw_text_signed(text, frame->token);
    }
    if (frame->type->player != GW_SQUIRREL_NO_PLAYER) {
        gw_text_string(text, frame->type->player == GW_SQUIRREL_TARGET_PLAYER ? " to player " : " from player ");
        gw_text_unsigned(text, frame->player);
    }
}

/* `frame` may be NULL, `content` empty. */
static void show_line(packet_info *pinfo, const gw_squirrel_frame *frame, const char *content)
{
    char line[INFO_SIZE];
    gw_text text;
    if (!has_columns(pinfo))
        return;
    gw_text_init(&text, line, sizeof line);
    if (frame)
        describe_head(&text, frame);
    if (frame && content[0])
        gw_text_string(&text, "  ");
    gw_text_string(&text, content);
    set_columns(pinfo, line);
}

/* ---- values -------------------------------------------------------------------------------------------- */

/* The source text of one value after the other; ClientData has two. Scripts are no values and have no expression. */
static void print_content(tvbuff_t *tvb, proto_tree *tree, const gw_squirrel_options *options, gw_text *text)
{
    payload all = payload_of(tvb);
    gw_squirrel_reader reader;
    gw_squirrel_event event;
    gw_squirrel_printer printer;
    gw_next answer = GW_NEXT_END;
    size_t start = 0;
    gw_squirrel_printer_init(&printer, text);
    gw_squirrel_init(&reader, all.bytes, all.length, options);
    while (!text->cut && (answer = gw_squirrel_next(&reader, &event)) == GW_NEXT_EVENT) {
        if (event.role == GW_SQUIRREL_ROLE_DATA && event.kind != GW_CLOSE) {
            squirrel_show_expression(tvb, tree, text->buffer);
            gw_text_string(text, ", ");
            start = text->length;
        }
        gw_squirrel_print_event(&printer, all.bytes, &event);
    }
    if (answer == GW_NEXT_FAULT && text->length > start && gw_squirrel_is_cut(&reader))
        gw_text_string(text, "\xE2\x80\xA6");
    if (options->content != GW_SQUIRREL_CONTENT_SCRIPT && text->length > start)
        squirrel_show_expression(tvb, tree, text->buffer + start);
}

/* The read loop: every value of a frame, or of a payload without one (`frame` NULL). */
static void dissect_values(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const gw_squirrel_frame *frame,
                           const gw_squirrel_options *options)
{
    const gw_squirrel_frame_type *type = frame ? frame->type : NULL;
    payload all = payload_of(tvb);
    squirrel_tap *tap = squirrel_new_tap(pinfo, type, all.wire_length);
    squirrel_drawing drawing;
    gw_squirrel_reader reader;
    gw_squirrel_event event;
    char expression[EXPRESSION_SIZE];
    gw_text text;
    gw_text_init(&text, expression, sizeof expression);
    if (has_columns(pinfo) || squirrel_wants_expression(tree))
        print_content(tvb, tree, options, &text);
    gw_squirrel_init(&reader, all.bytes, all.length, options);
    squirrel_begin_values(&drawing, tvb, pinfo, tree, type, &reader);
    while (gw_squirrel_next(&reader, &event) == GW_NEXT_EVENT) {
        squirrel_show_event(&drawing, &event);
        if (tap)
            squirrel_tap_event(tap, pinfo, &reader, &event);
    }
    squirrel_end_values(&drawing);
    show_line(pinfo, frame, expression);
    if (tap)
        squirrel_queue_tap(pinfo, tap);
}

/* ---- frames -------------------------------------------------------------------------------------------- */

static void dissect_frame(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, bool joined);

/* The codec knows what was captured only. */
static uint16_t odd_on_the_wire(tvbuff_t *tvb, const gw_squirrel_frame *frame)
{
    uint16_t odd = frame->chunk_odd & (uint16_t)~GW_SQUIRREL_CHUNK_LENGTH;
    if (frame->chunk_length != tvb_reported_length(tvb) - GW_SQUIRREL_SPLIT_HEAD)
        odd |= GW_SQUIRREL_CHUNK_LENGTH;
    return odd;
}

static void dissect_chunk(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, proto_item *item,
                          gw_squirrel_frame *frame, bool joined)
{
    squirrel_tap *tap = squirrel_new_tap(pinfo, frame->type, tvb_reported_length(tvb));
    show_line(pinfo, frame, "");
    if (tap)
        squirrel_queue_tap(pinfo, tap);
    if (joined) {
        squirrel_show_split_in_split(pinfo, item);
        return;
    }
    frame->chunk_odd = odd_on_the_wire(tvb, frame);
    squirrel_show_chunk(tvb, pinfo, tree, frame);
    squirrel_chunk_findings findings = squirrel_reassemble(tvb, pinfo, frame);
    tvbuff_t *whole = squirrel_show_stream(tvb, pinfo, tree, &findings);
    if (whole)
        dissect_frame(whole, pinfo, squirrel_show_joined(whole, tree), true);
}

static void dissect_broken_head(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, proto_item *item,
                                const gw_squirrel_frame *frame, const gw_fault *fault)
{
    if (frame->type) {
        squirrel_show_truncated_head(tvb, pinfo, tree, fault);
        set_columns(pinfo, frame->type->name);
    } else {
        squirrel_show_unknown_frame(tvb, pinfo, tree, item);
        set_columns(pinfo, gw_squirrel_fault_text(fault->code));
    }
}

/* `joined`: from the chunks of a split stream, whose content is a frame with an identifier of its own. */
static void dissect_frame(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, bool joined)
{
    payload all = payload_of(tvb);
    gw_squirrel_frame frame;
    gw_fault fault;
    if (joined && !has_identifier(all, 0)) {
        squirrel_show_no_frame(tvb, pinfo, tree);
        return;
    }
    proto_item *item = squirrel_show_identifier(tvb, tree);
    if (!gw_squirrel_read_frame(all.bytes, all.length, &frame, &fault)) {
        dissect_broken_head(tvb, pinfo, tree, item, &frame, &fault);
        return;
    }
    proto_item *token = squirrel_show_head(tvb, tree, &frame);
    if (squirrel_is_against_direction(pinfo, &frame))
        squirrel_show_against_direction(pinfo, item, &frame);
    squirrel_findings findings = squirrel_analyse(pinfo, &frame, all.bytes, all.length);
    squirrel_show_findings(tvb, pinfo, tree, token, &frame, &findings);
    if (frame.type->content == GW_SQUIRREL_CONTENT_CHUNK) {
        dissect_chunk(tvb, pinfo, tree, item, &frame, joined);
        return;
    }
    if (all.wire_length > GW_SQUIRREL_OLD_FRAME_SIZE)
        squirrel_show_too_large(pinfo, item);
    gw_squirrel_options options = gw_squirrel_frame_options(&frame);
    dissect_values(tvb, pinfo, tree, &frame, &options);
}

/* ---- entry points -------------------------------------------------------------------------------------- */

static proto_tree *add_protocol(tvbuff_t *tvb, proto_tree *tree)
{
    proto_item *item = proto_tree_add_item(tree, proto_squirrel, tvb, 0, (int)tvb_captured_length(tvb), ENC_NA);
    return proto_item_add_subtree(item, squirrel_ett.protocol);
}

/* A message or a frame, right or wrong; 0 when it is neither. */
static int dissect_script(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree)
{
    payload all = payload_of(tvb);
    if (has_identifier(all, 0)) {
        dissect_frame(tvb, pinfo, add_protocol(tvb, tree), false);
    } else if (has_message_head(all)) {
        proto_tree *below = add_protocol(tvb, tree);
        squirrel_show_message_head(tvb, pinfo, below);
        dissect_frame(tvb_new_subset_remaining(tvb, GW_SQUIRREL_MESSAGE_HEAD), pinfo, below, false);
    } else {
        return 0;
    }
    return (int)tvb_captured_length(tvb);
}

/* Everything that the user says is ours: values without a frame, too. Never declines. */
static int dissect_any(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    static const gw_squirrel_options options = { .reading = GW_SQUIRREL_BYTES_FIRST };
    int taken = dissect_script(tvb, pinfo, tree);
    if (taken || !tvb_reported_length(tvb))
        return taken;
    dissect_values(tvb, pinfo, add_protocol(tvb, tree), NULL, &options);
    return (int)tvb_captured_length(tvb);
}

/* The tests and their odds: codecs/squirrel/recognise.c. */
static gw_recognition recognise(tvbuff_t *tvb)
{
    payload all = payload_of(tvb);
    gw_recognition recognition;
    gw_squirrel_recognise(all.bytes, all.length, all.wire_length, NULL, &recognition);
    return recognition;
}

static int dissect_pinned(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    return recognise(tvb).possible ? dissect_any(tvb, pinfo, tree, data) : 0;
}

static ws_bool dissect_udp_heuristic(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    gw_recognition recognition = recognise(tvb);
    if (!gw_heuristic_accepts(&udp_heuristic, pinfo, tvb, &recognition))
        return FALSE;
    dissect_any(tvb, pinfo, tree, data);
    return TRUE;
}

/* RakNet looks into raknet.port only when a port led to it. */
static bool is_on_port(const packet_info *pinfo)
{
    return port && (pinfo->srcport == port || pinfo->destport == port);
}

/* In RakNet other messages than ours share the conversation: it cannot be given one dissector. */
static ws_bool dissect_raknet_heuristic(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    gw_recognition recognition = recognise(tvb);
    if (gw_heuristic_accepts(&raknet_heuristic, pinfo, tvb, &recognition))
        squirrel_mark_found(pinfo);
    else if (!recognition.possible || recognition.readings == GW_SQUIRREL_READS_VALUE ||
             !(is_on_port(pinfo) || squirrel_was_found(pinfo)))
        return FALSE;
    dissect_any(tvb, pinfo, tree, data);
    return TRUE;
}

/* The same when a port led to RakNet. */
static int dissect_raknet_port(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    return dissect_script(tvb, pinfo, tree);
}

/* VC:MP's port: frames without RakNet, or RakNet whose beginning was not captured. Others use the port as well: what
 * does not look right is declined. */
static int dissect_port(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    payload all = payload_of(tvb);
    gw_recognition recognition = recognise(tvb);
    bool accepted = gw_heuristic_accepts(&udp_heuristic, pinfo, tvb, &recognition);
    if (accepted || (recognition.readings != GW_SQUIRREL_READS_VALUE && recognition.bits >= PORT_BITS))
        return call_dissector_only(any_handle, tvb, pinfo, tree, data);
    if (raknet_handle && gw_squirrel_is_raknet(all.bytes, all.length, all.wire_length))
        return call_dissector_only(raknet_handle, tvb, pinfo, tree, data);
    return 0;
}

/* ---- registration -------------------------------------------------------------------------------------- */

static void apply_port(void)
{
    if (registered_port == port)
        return;
    if (registered_port) {
        dissector_delete_uint("udp.port", registered_port, port_handle);
        dissector_delete_uint("raknet.port", registered_port, raknet_port_handle);
    }
    if (port) {
        dissector_add_uint("udp.port", port, port_handle);
        dissector_add_uint("raknet.port", port, raknet_port_handle);
    }
    registered_port = port;
}

static void register_handles(void)
{
    any_handle = register_dissector("squirrel", dissect_any, proto_squirrel);
    pinned_handle = create_dissector_handle(dissect_pinned, proto_squirrel);
    raknet_port_handle = create_dissector_handle(dissect_raknet_port, proto_squirrel);
    /* Under a name of its own: "Decode As Squirrel" must find any_handle, which is in the same table. */
    port_handle =
        register_dissector("squirrel_port", dissect_port,
                           proto_register_protocol_in_name_only("Squirrel on the port of VC:MP", "Squirrel port",
                                                                "squirrel_port", proto_squirrel, FT_PROTOCOL));
}

void proto_register_squirrel(void)
{
    proto_squirrel = proto_register_protocol("Squirrel remote values (VC:MP)", "Squirrel", "squirrel");
    register_handles();
    squirrel_register_fields(proto_squirrel);
    squirrel_register_analysis(proto_squirrel);
    squirrel_register_reassembly(proto_squirrel);
    squirrel_register_statistics();
    gw_heuristic_init(&udp_heuristic, pinned_handle);
    gw_heuristic_init(&raknet_heuristic, NULL);
    module_t *preferences = prefs_register_protocol(proto_squirrel, apply_port);
    prefs_register_uint_preference(preferences, "port", "Port of the game's server",
                                   "UDP port on which VC:MP runs, with RakNet or without; 0: none", 10, &port);
}

void proto_reg_handoff_squirrel(void)
{
    raknet_handle = find_dissector("raknet");
    heur_dissector_add("udp", dissect_udp_heuristic, "Squirrel over UDP", "squirrel_udp", proto_squirrel,
                       HEURISTIC_ENABLE);
    heur_dissector_add("raknet", dissect_raknet_heuristic, "Squirrel over RakNet", "squirrel_raknet", proto_squirrel,
                       HEURISTIC_ENABLE);
    dissector_add_for_decode_as("udp.port", any_handle);
    apply_port();
}
