/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Dissects one message: its head, the analysis, its values, and the Info column. A frame from a split stream is
 * dissected in the same way with its last chunk.
 */
#include "internal.h"

#include <wsutil/utf8_entities.h>

#include "common/columns.h"
#include "common/experts.h"
#include "common/spans.h"

#define IDENTIFIER_LENGTH 4u
/* The source of an expression is whole where it can be, since it is copied into scripts; its head is before it. */
#define EXPRESSION_SIZE 1024
#define INFO_SIZE       1200

/* ---- bytes --------------------------------------------------------------------------------------------- */

squirrel_payload squirrel_payload_of(tvbuff_t *tvb)
{
    squirrel_payload all = { NULL, tvb_captured_length(tvb), tvb_reported_length(tvb) };
    if (all.length)
        all.bytes = gw_bytes_of(tvb);
    return all;
}

/* xx ff ff 40: one of the nineteen identifiers, or one that another release may use. */
static bool has_identifier(squirrel_payload all, uint32_t offset)
{
    return all.length >= offset + IDENTIFIER_LENGTH && gw_le32(all.bytes + offset) >> 8 == GW_SQUIRREL_FIRST_FRAME >> 8;
}

/* The capture may have cut it inside an identifier: xx, xx ff or xx ff ff. */
static bool ends_in_identifier(squirrel_payload all)
{
    static const uint8_t after_first[] = { 0xff, 0xff };
    return all.length && all.length < IDENTIFIER_LENGTH && all.wire_length >= IDENTIFIER_LENGTH &&
           memcmp(all.bytes + 1, after_first, all.length - 1) == 0;
}

static bool has_message_head(squirrel_payload all)
{
    return has_identifier(all, GW_SQUIRREL_MESSAGE_HEAD);
}

/* ---- columns ------------------------------------------------------------------------------------------- */

/* A packet may contain several messages. */
static void set_columns(packet_info *pinfo, const char *info)
{
    if (!col_get_writable(pinfo->cinfo, COL_INFO))
        return;
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "Squirrel");
    gw_columns_add(pinfo, proto_squirrel, info);
}

/* "PeerExecSpecial #1 to player 3", "SplitStream 0, chunk index 2 of 3 chunks" */
static void describe_head(gw_text *text, const gw_squirrel_frame *frame)
{
    gw_text_string(text, frame->type->name);
    if (frame->type->content == GW_SQUIRREL_CONTENT_CHUNK) {
        gw_text_char(text, ' ');
        gw_text_unsigned(text, frame->sequence);
        gw_text_string(text, ", chunk index ");
        gw_text_unsigned(text, frame->chunk);
        gw_text_string(text, " of ");
        gw_text_unsigned(text, frame->chunks);
        gw_text_string(text, frame->chunks == 1 ? " chunk" : " chunks");
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

/* The state for one frame, or for values without a frame. */
typedef struct squirrel_message {
    packet_info *pinfo;
    tvbuff_t *tvb;
    proto_tree *tree;
    gw_demand demand;
    bool is_joined; /* reassembled from the chunks of a split stream; the content is a frame with an identifier */
    squirrel_raknet_number raknet;
} squirrel_message;

/* Sets one line in the Info column and on the item that is the parent of the tree. `frame` may be NULL, `content`
 * empty. */
static void add_line(const squirrel_message *message, const gw_squirrel_frame *frame, const char *content)
{
    gw_text text;
    if (!message->demand.line)
        return;
    gw_text_init(&text, wmem_alloc(message->pinfo->pool, INFO_SIZE), INFO_SIZE);
    if (frame)
        describe_head(&text, frame);
    if (frame && content[0])
        gw_text_string(&text, "  ");
    gw_text_string(&text, content);
    set_columns(message->pinfo, text.buffer);
    if (message->demand.label)
        gw_append_line(proto_tree_get_parent(message->tree), message->pinfo, proto_squirrel, "", text.buffer);
}

/* ---- values -------------------------------------------------------------------------------------------- */

/* One pass over the events of a frame's values, which are its items, its source text (ClientData has two) and the data
 * of the tap. In a visible tree the text is before the items: the events that it is made of wait until it is complete,
 * which it is after at most EXPRESSION_SIZE bytes. */
struct values {
    squirrel_message *message;
    squirrel_tap *tap; /* NULL: no tap listens */
    gw_squirrel_reader reader;
    gw_squirrel_printer printer;
    squirrel_drawing drawing;
    wmem_array_t *waiting; /* NULL: events do not wait, or no more */
    bool prints;           /* the text is used and not complete */
    bool has_expression;   /* each value has an item for its text */
    size_t start;          /* start of the current value's text */
    gw_text text;
    char buffer[EXPRESSION_SIZE];
};

static void end_value(const struct values *values)
{
    if (values->has_expression && values->text.length > values->start)
        squirrel_add_expression(values->message->tree, values->buffer + values->start);
}

static void print_event(struct values *values, const gw_squirrel_event *event)
{
    if (event->role == GW_SQUIRREL_ROLE_DATA && event->kind != GW_CLOSE) {
        end_value(values);
        gw_text_string(&values->text, ", ");
        values->start = values->text.length;
    }
    gw_squirrel_print_event(&values->printer, values->reader.bytes, event);
}

static void add_event(struct values *values, const gw_squirrel_event *event)
{
    squirrel_add_event(&values->drawing, event);
    if (values->tap)
        squirrel_tap_event(values->tap, values->message->pinfo, &values->reader, event);
}

static void end_text(struct values *values)
{
    if (values->reader.fault.code && values->text.length > values->start && gw_squirrel_is_cut(&values->reader))
        gw_text_string(&values->text, "\xE2\x80\xA6");
    end_value(values);
    values->prints = false;
    for (unsigned i = 0; values->waiting && i < wmem_array_get_count(values->waiting); i++)
        add_event(values, (const gw_squirrel_event *)wmem_array_index(values->waiting, i));
    values->waiting = NULL;
}

static void read_values(struct values *values)
{
    gw_squirrel_event event;
    while (gw_squirrel_next(&values->reader, &event) == GW_NEXT_EVENT) {
        if (values->prints)
            print_event(values, &event);
        if (values->waiting)
            wmem_array_append(values->waiting, &event, 1);
        else
            add_event(values, &event);
        if (values->prints && values->text.cut)
            end_text(values);
    }
    if (values->prints)
        end_text(values);
    squirrel_end_values(&values->drawing);
}

/* True if no value would get an expert info. */
static bool is_uneventful(squirrel_payload all, const gw_squirrel_frame *frame, const gw_squirrel_options *options)
{
    gw_squirrel_summary summary;
    if (!frame || !all.bytes || !gw_squirrel_validate(all.bytes, all.length, options, &summary) || summary.odd)
        return false;
    if (options->content != GW_SQUIRREL_CONTENT_VALUE)
        return true;
    uint8_t tag = all.bytes[options->offset];
    return tag != GW_SQUIRREL_ERROR && (!frame->type->command || gw_squirrel_is_command(gw_squirrel_type_of(tag)));
}

/* Dissects all values of a frame, or of a payload without a frame (`frame` NULL). If nothing of them is used, it is
 * sufficient to validate them. */
static void dissect_values(squirrel_message *message, const gw_squirrel_frame *frame,
                           const gw_squirrel_options *options, squirrel_tap *tap)
{
    struct values values;
    squirrel_payload all = squirrel_payload_of(message->tvb);
    values.message = message;
    values.tap = tap;
    values.start = 0;
    /* Scripts are not values and have no expression. */
    values.has_expression = options->content != GW_SQUIRREL_CONTENT_SCRIPT && squirrel_wants_expression(message->tree);
    values.prints = values.has_expression || message->demand.line;
    if (!values.prints && !message->demand.items && !tap && is_uneventful(all, frame, options))
        return;
    bool waits = values.prints && message->demand.visible;
    values.waiting = waits ? wmem_array_new(message->pinfo->pool, sizeof(gw_squirrel_event)) : NULL;
    gw_text_init(&values.text, values.buffer, sizeof values.buffer);
    gw_squirrel_init(&values.reader, all.bytes, all.length, options);
    gw_squirrel_printer_init(&values.printer, &values.text);
    squirrel_begin_values(&values.drawing, message->tvb, message->pinfo, message->tree, &message->demand,
                          frame ? frame->type : NULL, &values.reader);
    read_values(&values);
    add_line(message, frame, values.buffer);
}

/* ---- frames -------------------------------------------------------------------------------------------- */

static void dissect_frame(squirrel_message *message);

/* The codec has only the captured bytes, so the length is compared here. */
static uint16_t odd_on_the_wire(packet_info *pinfo, tvbuff_t *tvb, const gw_squirrel_frame *frame)
{
    uint16_t odd = frame->chunk_odd & (uint16_t)~GW_SQUIRREL_CHUNK_LENGTH;
    if (squirrel_is_wrong_length(pinfo, frame->chunk_length, tvb_reported_length(tvb) - GW_SQUIRREL_SPLIT_HEAD))
        odd |= GW_SQUIRREL_CHUNK_LENGTH;
    return odd;
}

/* The frame's tree is below the protocol's item, so that its label does not replace the label of that item. */
static void dissect_joined(const squirrel_message *message, tvbuff_t *whole)
{
    squirrel_message joined = { .pinfo = message->pinfo,
                                .tvb = whole,
                                .tree = squirrel_add_joined(whole, message->tree),
                                .demand = message->demand,
                                .is_joined = true };
    joined.demand.label = joined.demand.visible;
    joined.demand.line = joined.demand.label || col_get_writable(message->pinfo->cinfo, COL_INFO);
    dissect_frame(&joined);
}

static void dissect_chunk(const squirrel_message *message, proto_item *item, gw_squirrel_frame *frame,
                          uint32_t resent_of)
{
    add_line(message, frame, "");
    if (message->is_joined) {
        squirrel_add_split_in_split(message->pinfo, item);
        return;
    }
    frame->chunk_odd = odd_on_the_wire(message->pinfo, message->tvb, frame);
    squirrel_add_chunk(message->tvb, message->pinfo, message->tree, frame);
    squirrel_chunk_findings findings = squirrel_reassemble(message->tvb, message->pinfo, frame, resent_of);
    tvbuff_t *whole = squirrel_add_stream(message->tvb, message->pinfo, message->tree, frame, &findings);
    if (whole)
        dissect_joined(message, whole);
}

static void dissect_broken_head(const squirrel_message *message, proto_item *item, const gw_squirrel_frame *frame,
                                const gw_fault *fault)
{
    if (frame->type) {
        squirrel_add_truncated_head(message->tvb, message->pinfo, message->tree, fault);
        set_columns(message->pinfo, frame->type->name);
    } else {
        squirrel_add_unknown_frame(message->tvb, message->pinfo, message->tree, item);
        set_columns(message->pinfo, gw_fault_text(&gw_squirrel_faults, fault->code));
    }
}

static void dissect_content(squirrel_message *message, proto_item *item, gw_squirrel_frame *frame, squirrel_tap *tap,
                            uint32_t resent_of)
{
    uint32_t length = tvb_reported_length(message->tvb);
    if (frame->type->content == GW_SQUIRREL_CONTENT_CHUNK) {
        dissect_chunk(message, item, frame, resent_of);
        return;
    }
    if (!message->is_joined && length > GW_SQUIRREL_OLD_FRAME_SIZE)
        squirrel_add_too_large(message->pinfo, item, length);
    gw_squirrel_options options = gw_squirrel_frame_options(frame);
    dissect_values(message, frame, &options, tap);
}

static void dissect_frame(squirrel_message *message)
{
    squirrel_payload all = squirrel_payload_of(message->tvb);
    packet_info *pinfo = message->pinfo;
    gw_squirrel_frame frame;
    gw_fault fault;
    if (message->is_joined && !has_identifier(all, 0)) {
        squirrel_add_no_frame(message->tvb, pinfo, message->tree);
        return;
    }
    /* Oddities of header fields without items are reported on the protocol's item. */
    proto_tree *drawn = message->demand.items ? message->tree : NULL;
    proto_item *item = drawn ? squirrel_add_identifier(message->tvb, drawn) : proto_tree_get_parent(message->tree);
    if (!gw_squirrel_read_frame(all.bytes, all.length, &frame, &fault)) {
        dissect_broken_head(message, item, &frame, &fault);
        return;
    }
    proto_item *token = drawn ? squirrel_add_head(message->tvb, drawn, &frame) : item;
    if (squirrel_keep_direction(pinfo, &frame))
        squirrel_add_against_direction(pinfo, item, &frame);
    squirrel_findings findings = squirrel_analyze(pinfo, message->tvb, &frame, message->raknet);
    squirrel_findings_add(pinfo, message->tree, token, &frame, &findings);
    squirrel_tap *tap = squirrel_new_tap(pinfo, frame.type, all.wire_length, &findings);
    dissect_content(message, item, &frame, tap, findings.retransmission_of);
    if (message->demand.line && findings.part == SQUIRREL_ANSWER && !findings.retransmission_of)
        gw_columns_add_time(pinfo, &findings.command_time);
    squirrel_queue_tap(pinfo, tap);
}

/* ---- messages ------------------------------------------------------------------------------------------ */

/* Adds the protocol's item and subtree. */
static squirrel_message begin_message(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent)
{
    squirrel_message message = { .pinfo = pinfo, .tvb = tvb, .demand = gw_demand_of(pinfo, parent, proto_squirrel) };
    proto_item *item = gw_add_protocol(parent, pinfo, proto_squirrel, tvb, 0, (int)tvb_captured_length(tvb));
    message.tree = proto_item_add_subtree(item, squirrel_ett.protocol);
    return message;
}

/* The same analysis as of a frame that is dissected. Candidates are frames without a fault. */
void squirrel_keep_candidate(tvbuff_t *tvb, packet_info *pinfo)
{
    squirrel_raknet_number raknet = { SQUIRREL_RAKNET_NONE, 0 };
    gw_squirrel_frame frame;
    gw_fault fault;
    if (!has_identifier(squirrel_payload_of(tvb), 0)) {
        raknet = squirrel_find_raknet_number(tvb, pinfo);
        tvb = tvb_new_subset_remaining(tvb, GW_SQUIRREL_MESSAGE_HEAD);
    }
    squirrel_payload all = squirrel_payload_of(tvb);
    if (!gw_squirrel_read_frame(all.bytes, all.length, &frame, &fault))
        return;
    squirrel_keep_direction(pinfo, &frame);
    squirrel_findings findings = squirrel_analyze(pinfo, tvb, &frame, raknet);
    if (frame.type->content != GW_SQUIRREL_CONTENT_CHUNK)
        return;
    frame.chunk_odd = odd_on_the_wire(pinfo, tvb, &frame);
    squirrel_reassemble(tvb, pinfo, &frame, findings.retransmission_of);
}

int squirrel_dissect_script(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree)
{
    squirrel_payload all = squirrel_payload_of(tvb);
    bool is_frame = has_identifier(all, 0);
    if (!is_frame && !has_message_head(all))
        return 0;
    squirrel_message message = begin_message(tvb, pinfo, tree);
    if (!is_frame) {
        squirrel_add_message_head(tvb, pinfo, message.tree);
        message.raknet = squirrel_find_raknet_number(tvb, pinfo);
        message.tvb = tvb_new_subset_remaining(tvb, GW_SQUIRREL_MESSAGE_HEAD);
    }
    dissect_frame(&message);
    return (int)tvb_captured_length(tvb);
}

int squirrel_dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree)
{
    static const gw_squirrel_options options = { .reading = GW_SQUIRREL_BYTES_FIRST };
    int taken = squirrel_dissect_script(tvb, pinfo, tree);
    if (taken || !tvb_reported_length(tvb))
        return taken;
    squirrel_message message = begin_message(tvb, pinfo, tree);
    if (ends_in_identifier(squirrel_payload_of(tvb))) {
        squirrel_add_cut_identifier(tvb, pinfo, message.tree);
        set_columns(pinfo, UTF8_HORIZONTAL_ELLIPSIS);
        return (int)tvb_captured_length(tvb);
    }
    squirrel_tap *tap = squirrel_new_tap(pinfo, NULL, tvb_reported_length(tvb), NULL);
    dissect_values(&message, NULL, &options, tap);
    squirrel_queue_tap(pinfo, tap);
    return (int)tvb_captured_length(tvb);
}
