/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Dissects one message: its head, the analysis, its values, and the Info column. A frame from a split stream is
 * dissected in the same way with its last chunk.
 */
#include "internal.h"

#include <epan/tap.h>
#include <wsutil/utf8_entities.h>

#include "common/conversation.h"
#include "common/display/columns.h"
#include "common/display/experts.h"
#include "common/findings.h"
#include "common/items.h"
#include "common/menus/statistics.h"

#define IDENTIFIER_LENGTH 4u
/* The source of an expression is whole where it can be, since it is copied into scripts; its head is before it. */
#define EXPRESSION_SIZE 1024
#define INFO_SIZE       1200

/* ---- bytes --------------------------------------------------------------------------------------------- */

/* xx ff ff 40 at `offset`: one of the nineteen identifiers, or one that another release may use. */
static bool has_identifier(squirrel_payload all, uint32_t offset)
{
    return all.length >= offset + IDENTIFIER_LENGTH && gw_le32(all.bytes + offset) >> 8 == GW_SQUIRREL_FIRST_FRAME >> 8;
}

/* The bytes before a message: u8 reliability << 5 | u16 length in bits | u24 number, and for ordered ones (script data
 * is ordered), u24 ordering index | u8 channel. */
static const struct {
    uint8_t flags;
    int length;
} raknet_heads[] = { { 0x60, 10 }, { 0x40, 6 } };

/* RakNet's number of a reliable message, from the header before `message`, by which a retransmission is found. A header
 * is one whose flags are in raknet_heads and whose length in bits is that of the message. */
static squirrel_raknet_number find_raknet_number(tvbuff_t *message, const packet_info *pinfo)
{
    squirrel_raknet_number raknet = { SQUIRREL_RAKNET_NONE, 0 };
    tvbuff_t *frame = tvb_get_ds_tvb(message);
    int offset = (int)tvb_raw_offset(message);
    unsigned bits = 8 * tvb_reported_length(message);
    if (gw_is_quoted(pinfo) || !proto_is_frame_protocol(pinfo->layers, "raknet"))
        return raknet;
    /* A message that RakNet reassembled has its own tvb, and no header before it. */
    if (!offset)
        raknet.kind = SQUIRREL_RAKNET_SPLIT;
    for (size_t i = 0; i < array_length(raknet_heads); i++) {
        int start = offset - raknet_heads[i].length;
        if (start < 0 || tvb_get_uint8(frame, start) != raknet_heads[i].flags ||
            tvb_get_ntohs(frame, start + 1) != bits)
            continue;
        raknet.kind = SQUIRREL_RAKNET_WHOLE;
        raknet.number = tvb_get_letoh24(frame, start + 3);
        break;
    }
    return raknet;
}

/* ---- columns ------------------------------------------------------------------------------------------- */

/* Adds the line of one of the packet's messages to Info, after the `words` of its findings: "[Retransmission] ". */
static void set_columns(packet_info *pinfo, const char *words, const char *info)
{
    if (!col_get_writable(pinfo->cinfo, COL_INFO))
        return;
    col_set_str(pinfo->cinfo, COL_PROTOCOL, "Squirrel");
    gw_columns_add(pinfo, proto_squirrel, words, info);
}

/* The state for one frame, or for values without a frame. */
typedef struct squirrel_message {
    packet_info *pinfo;
    tvbuff_t *tvb;
    proto_tree *tree;
    gw_demand demand;
    unsigned first_finding; /* in the packet */
    bool is_again;          /* RakNet sent it before */
    bool is_joined; /* reassembled from the chunks of a split stream; the content is a frame with an identifier */
    squirrel_raknet_number raknet;
    squirrel_json *json; /* NULL: not named */
} squirrel_message;

/* Adds the line, if it is used (demand.line), to Info, the tree's item and Follow Stream (without chunks, whose joined
 * frame has a line, and repetitions): "PeerExecSpecial #1 to player 3" or "SplitStream 0, chunk index 2 of 3 chunks",
 * and the content. `frame` may be NULL, `content` empty. */
static void add_line(const squirrel_message *message, const gw_squirrel_frame *frame, const char *content,
                     const gw_fault *fault)
{
    packet_info *pinfo = message->pinfo;
    const char *words = gw_finding_words(pinfo, message->first_finding);
    const gw_squirrel_frame_type *type = frame ? frame->type : NULL;
    gw_text text;
    if (!message->demand.line)
        return;
    gw_text_init(&text, wmem_alloc(pinfo->pool, INFO_SIZE), INFO_SIZE);
    if (type)
        gw_text_string(&text, type->name);
    if (type && type->content == GW_SQUIRREL_CONTENT_CHUNK) {
        gw_text_char(&text, ' ');
        gw_text_unsigned(&text, frame->sequence);
        gw_text_string(&text, ", chunk index ");
        gw_text_unsigned(&text, frame->chunk);
        gw_text_string(&text, " of ");
        gw_text_unsigned(&text, frame->chunks);
        gw_text_string(&text, frame->chunks == 1 ? " chunk" : " chunks");
    }
    if (type && type->token) {
        gw_text_string(&text, " #");
        gw_text_signed(&text, frame->token);
    }
    if (type && type->player != GW_SQUIRREL_NO_PLAYER) {
        gw_text_string(&text, type->player == GW_SQUIRREL_TARGET_PLAYER ? " to player " : " from player ");
        gw_text_unsigned(&text, frame->player);
    }
    if (type && content[0])
        gw_text_string(&text, "  ");
    gw_text_string(&text, content);
    if (fault)
        gw_add_fault_to_line(&text, pinfo, message->tvb, fault, &gw_squirrel_faults);
    set_columns(pinfo, words, text.buffer);
    if (!message->is_again && !(type && type->content == GW_SQUIRREL_CONTENT_CHUNK))
        gw_follow_line(squirrel_follow_tap, pinfo, message->tvb, text.buffer);
    if (message->demand.label)
        gw_append_line(proto_tree_get_parent(message->tree), pinfo, proto_squirrel, words, text.buffer);
}

/* ---- values -------------------------------------------------------------------------------------------- */

/* One pass over the events of a frame's values, for its items, its source text (ClientData has two) and the data of the
 * tap. In a visible tree the text is before the items: its events wait until it is complete, after at most
 * EXPRESSION_SIZE bytes. */
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

/* Adds the text of the value, which is complete, to the tree and to the JSON. */
static void end_value(const struct values *values)
{
    if (!values->has_expression || values->text.length <= values->start)
        return;
    if (values->message->json)
        squirrel_json_expression(values->message->json, values->buffer + values->start);
    if (proto_field_is_referenced(values->message->tree, squirrel_hf.expression))
        proto_item_set_generated(proto_tree_add_string(values->message->tree, squirrel_hf.expression, NULL, 0, 0,
                                                       values->buffer + values->start));
}

/* Passes an event to the tree and to the tap. */
static void add_event(struct values *values, const gw_squirrel_event *event)
{
    squirrel_add_event(&values->drawing, event);
    if (values->tap)
        squirrel_tap_event(values->tap, values->message->pinfo, &values->reader, event);
}

/* The text is complete ("…" ends it if a fault cut a value) or full: adds it, then the items of the events that waited
 * for it, since the text is shown before them. */
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

/* Reads all values: each event goes to the text, and to the tree at once or when the text is complete. */
static void read_values(struct values *values)
{
    gw_squirrel_event event;
    while (gw_squirrel_next(&values->reader, &event) == GW_NEXT_EVENT) {
        /* The second value of ClientData: each of the two has its own item for the text. */
        if (values->prints && event.role == GW_SQUIRREL_ROLE_DATA && event.kind != GW_CLOSE) {
            end_value(values);
            gw_text_string(&values->text, ", ");
            values->start = values->text.length;
        }
        if (values->prints)
            gw_squirrel_print_event(&values->printer, values->reader.bytes, &event);
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

/* True if no value would get an expert info: all are valid without oddities, and the one value of a frame is no error,
 * and is a command if its type has one (report_body()). Without a frame (NULL), values are read in any case. */
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
 * sufficient to validate them, unless one has an expert info. */
static void dissect_values(squirrel_message *message, const gw_squirrel_frame *frame,
                           const gw_squirrel_options *options, squirrel_tap *tap)
{
    struct values values;
    squirrel_payload all = squirrel_payload_of(message->tvb);
    values.message = message;
    values.tap = tap;
    values.start = 0;
    /* Scripts are not values and have no expression. */
    values.has_expression = options->content != GW_SQUIRREL_CONTENT_SCRIPT &&
                            (message->json || proto_field_is_referenced(message->tree, squirrel_hf.expression));
    values.prints = values.has_expression || message->demand.line;
    if (!values.prints && !message->demand.items && !message->json && !tap && is_uneventful(all, frame, options))
        return;
    bool waits = values.prints && message->demand.visible;
    values.waiting = waits ? wmem_array_new(message->pinfo->pool, sizeof(gw_squirrel_event)) : NULL;
    gw_text_init(&values.text, values.buffer, sizeof values.buffer);
    gw_squirrel_init(&values.reader, all.bytes, all.length, options);
    gw_squirrel_printer_init(&values.printer, &values.text);
    squirrel_begin_values(&values.drawing, message->tvb, message->pinfo, message->tree, &message->demand,
                          frame ? frame->type : NULL, &values.reader, message->json);
    read_values(&values);
    add_line(message, frame, values.buffer, &values.reader.fault);
}

/* ---- heads --------------------------------------------------------------------------------------------- */

/* Reports where the head of a frame is truncated. */
static void add_head_fault(const squirrel_message *message, const gw_fault *fault)
{
    static const gw_fault_display display = { &squirrel_hf.undecoded_frame, squirrel_ei.faults,
                                              &squirrel_ei.head_cut_short, &gw_squirrel_faults };
    gw_add_fault(message->pinfo, message->tree, message->tvb, fault, &display);
}

/* Reports a head that is truncated, or on `item` the identifier of an unknown frame (`type` is NULL). The identifier
 * has an item: the undecoded bytes begin after it, also those of the fault. */
static void add_broken_head(const squirrel_message *message, proto_item *item, const gw_squirrel_frame *frame,
                            const gw_fault *fault)
{
    gw_fault after_identifier = *fault;
    after_identifier.offset = GW_SQUIRREL_PLAYER_OFFSET;
    if (frame->type) {
        add_head_fault(message, &after_identifier);
        add_line(message, frame, "", &after_identifier);
        return;
    }
    int rest = tvb_captured_length_remaining(message->tvb, GW_SQUIRREL_PLAYER_OFFSET);
    gw_add_finding(message->pinfo, item, &squirrel_ei.unknown_frame);
    if (rest > 0)
        proto_tree_add_item(message->tree, squirrel_hf.undecoded_frame, message->tvb, GW_SQUIRREL_PLAYER_OFFSET, rest,
                            ENC_NA);
    set_columns(message->pinfo, gw_finding_words(message->pinfo, message->first_finding),
                gw_fault_text(&gw_squirrel_faults, fault->code));
}

/* Adds player and token; returns the token's item or NULL. */
static proto_item *add_head(tvbuff_t *tvb, proto_tree *tree, const gw_squirrel_frame *frame)
{
    int offset = GW_SQUIRREL_PLAYER_OFFSET;
    if (frame->type->player == GW_SQUIRREL_TARGET_PLAYER)
        proto_tree_add_item(tree, squirrel_hf.target_player, tvb, offset++, 1, ENC_NA);
    else if (frame->type->player != GW_SQUIRREL_NO_PLAYER)
        proto_tree_add_item(tree, squirrel_hf.sender_player, tvb, offset++, 1, ENC_NA);
    return frame->type->token ? proto_tree_add_item(tree, squirrel_hf.token, tvb, offset, 4, ENC_LITTLE_ENDIAN) : NULL;
}

/* Adds the relations to other frames: retransmission, command and answer, relay. `token`: its item, or NULL. */
static void add_findings(const squirrel_message *message, proto_item *token, const gw_squirrel_frame *frame,
                         const squirrel_findings *findings)
{
    packet_info *pinfo = message->pinfo;
    proto_tree *tree = message->tree;
    proto_item *again = gw_add_frame_link(tree, squirrel_hf.retransmission_of, findings->retransmission_of);
    if (findings->retransmission_of)
        gw_add_finding(pinfo, again, &squirrel_ei.retransmission);
    if (findings->part == SQUIRREL_STRAY_ANSWER)
        gw_add_finding_format(pinfo, token, &squirrel_ei.no_command,
                              "No unanswered command with token %d was captured before", frame->token);
    if (findings->part == SQUIRREL_ANSWER) {
        gw_add_frame_link(tree, squirrel_hf.response_to, findings->command_in);
        if (!findings->retransmission_of)
            gw_add_time_between(tree, squirrel_hf.time, &pinfo->abs_ts, &findings->command_time);
    }
    gw_add_frame_link(tree, squirrel_hf.relayed_in, findings->relayed_in);
    gw_add_frame_link(tree, squirrel_hf.relay_of, findings->relay_of);
    if (findings->part != SQUIRREL_COMMAND)
        return;
    gw_add_frame_link(tree, squirrel_hf.response_in, findings->answer_in);
    if (findings->failed)
        proto_item_set_generated(proto_tree_add_boolean(tree, squirrel_hf.failed, NULL, 0, 0, true));
    if (findings->unanswered)
        proto_item_set_generated(proto_tree_add_boolean(tree, squirrel_hf.unanswered, NULL, 0, 0, true));
}

/* ---- chunks -------------------------------------------------------------------------------------------- */

/* True if the declared length is not the length of the bytes after it. More may be in another IP fragment. */
static bool is_wrong_length(const packet_info *pinfo, uint32_t declared, uint32_t actual)
{
    return pinfo->fragmented ? declared < actual : declared != actual;
}

/* The bits of the chunk's oddities. The codec has only captured bytes: the length on the wire is compared here. */
static uint16_t odd_on_the_wire(packet_info *pinfo, tvbuff_t *tvb, const gw_squirrel_frame *frame)
{
    uint16_t odd = frame->chunk_odd & (uint16_t)~GW_SQUIRREL_CHUNK_LENGTH;
    if (is_wrong_length(pinfo, frame->chunk_length, tvb_reported_length(tvb) - GW_SQUIRREL_SPLIT_HEAD))
        odd |= GW_SQUIRREL_CHUNK_LENGTH;
    return odd;
}

/* Adds the head of a chunk, its payload, and expert infos for its oddities. */
static void add_chunk(const squirrel_message *message, const gw_squirrel_frame *frame)
{
    packet_info *pinfo = message->pinfo;
    proto_tree *tree = message->tree;
    tvbuff_t *tvb = message->tvb;
    int payload = tvb_captured_length_remaining(tvb, GW_SQUIRREL_SPLIT_HEAD);
    proto_tree_add_item(tree, squirrel_hf.sequence, tvb, 4, 4, ENC_LITTLE_ENDIAN);
    proto_item *chunk = proto_tree_add_item(tree, squirrel_hf.chunk, tvb, 8, 4, ENC_LITTLE_ENDIAN);
    proto_item *chunks = proto_tree_add_item(tree, squirrel_hf.chunks, tvb, 12, 4, ENC_LITTLE_ENDIAN);
    proto_item *length = proto_tree_add_item(tree, squirrel_hf.chunk_length, tvb, 16, 2, ENC_LITTLE_ENDIAN);
    if (payload > 0)
        proto_tree_add_item(tree, squirrel_hf.chunk_payload, tvb, GW_SQUIRREL_SPLIT_HEAD, payload, ENC_NA);

    if (frame->chunk_odd & GW_SQUIRREL_CHUNK_NO_TOTAL)
        gw_add_finding(pinfo, chunks, &squirrel_ei.no_total);
    if (frame->chunk_odd & GW_SQUIRREL_CHUNK_BEYOND)
        gw_add_finding_format(pinfo, chunk, &squirrel_ei.beyond_total,
                              "Chunk index %u of a stream of %u chunks: the real receiver raises an error",
                              frame->chunk, frame->chunks);
    if (frame->chunks > SQUIRREL_MOST_CHUNKS)
        gw_add_finding_format(pinfo, chunks, &squirrel_ei.many_chunks,
                              "A stream of %u chunks: not reassembled, as it has more than %u", frame->chunks,
                              SQUIRREL_MOST_CHUNKS);
    if (frame->chunk_odd & GW_SQUIRREL_CHUNK_LENGTH)
        gw_add_finding_format(pinfo, length, &squirrel_ei.length_wrong, "Chunk length wrong: %u declared, %u actual",
                              frame->chunk_length, tvb_reported_length(tvb) - GW_SQUIRREL_SPLIT_HEAD);
    if (frame->chunk_odd & GW_SQUIRREL_CHUNK_TOO_LONG)
        gw_add_finding_format(pinfo, length, &squirrel_ei.too_long,
                              "A chunk of %u bytes: the real sender fills up to %u", frame->chunk_length,
                              GW_SQUIRREL_CHUNK_SIZE);
    if (frame->chunk_odd & GW_SQUIRREL_CHUNK_SHORT)
        gw_add_finding_format(pinfo, length, &squirrel_ei.too_short,
                              "A chunk of %u bytes that is not the last: the real sender fills %u", frame->chunk_length,
                              GW_SQUIRREL_CHUNK_SIZE);
    if (gw_is_cut_by_capture(tvb))
        gw_add_finding(pinfo, length, &squirrel_ei.chunk_cut_short);
    else if (pinfo->fragmented)
        gw_add_finding_format(pinfo, length, &squirrel_ei.chunk_cut_short,
                              "The rest is in another IP fragment: cannot be reassembled");
}

/* ---- frames -------------------------------------------------------------------------------------------- */

/* Adds the items, findings and line of a chunk, and adds it to its stream. Returns the frame of the stream if it is complete
 * with this chunk; NULL: it is not. `item`: the item of the identifier; `resent_of`: as in squirrel_reassemble(). */
static tvbuff_t *dissect_chunk(const squirrel_message *message, proto_item *item, gw_squirrel_frame *frame,
                               uint32_t resent_of)
{
    packet_info *pinfo = message->pinfo;
    proto_tree *chunks = message->tree;
    if (message->is_joined) {
        gw_add_finding(pinfo, item, &squirrel_ei.split_in_split);
        add_line(message, frame, "", NULL);
        return NULL;
    }
    frame->chunk_odd = odd_on_the_wire(pinfo, message->tvb, frame);
    add_chunk(message, frame);
    squirrel_chunk_findings findings = squirrel_reassemble(message->tvb, pinfo, frame, resent_of);
    proto_item *duplicate = gw_add_frame_link(message->tree, squirrel_hf.duplicate_of, findings.duplicate_of);
    if (findings.duplicate_of)
        gw_add_finding(pinfo, duplicate, &squirrel_ei.duplicate);
    add_line(message, frame, "", NULL);
    /* Several streams may be complete in one packet: if their chunks do not fit into the tree, only their number is
     * shown. */
    if (findings.stream && findings.stream->reassembled_in == pinfo->num &&
        !gw_use_items(gw_items_left(pinfo, squirrel_hf.fragment), frame->chunks)) {
        proto_item_set_generated(
            proto_tree_add_uint(message->tree, squirrel_hf.fragment_count, NULL, 0, 0, frame->chunks));
        chunks = NULL;
    }
    return process_reassembled_data(message->tvb, GW_SQUIRREL_SPLIT_HEAD, pinfo, "Reassembled Squirrel frame",
                                    findings.stream, &squirrel_fragment_items, NULL, chunks);
}

/* The message that has the frame of a whole stream. Its tree is below the protocol's item, so that its label does not
 * replace the label of that item. */
static squirrel_message join(const squirrel_message *message, tvbuff_t *whole)
{
    packet_info *pinfo = message->pinfo;
    proto_item *item =
        proto_tree_add_item(message->tree, squirrel_hf.joined, whole, 0, (int)tvb_captured_length(whole), ENC_NA);
    squirrel_message joined = { .pinfo = pinfo,
                                .tvb = whole,
                                .tree = proto_item_add_subtree(item, squirrel_ett.joined),
                                .demand = message->demand,
                                .first_finding = gw_count_findings(pinfo),
                                .is_joined = true,
                                .json = squirrel_json_new(pinfo, message->tree) };
    /* `tshark -e squirrel` prints the label of the protocol's item, not of this one. */
    joined.demand.label = joined.demand.visible;
    joined.demand.line =
        joined.demand.label || col_get_writable(pinfo->cinfo, COL_INFO) || have_tap_listener(squirrel_follow_tap);
    return joined;
}

/* Adds the JSON of the message, if its field is named: the kind is the name of the frame type, "unknown" for another
 * identifier, or "value" for values without a frame. `frame` and `findings`: NULL if no head was read. */
static void end_json(const squirrel_message *message, const gw_squirrel_frame *frame, const squirrel_findings *findings)
{
    const squirrel_payload all = squirrel_payload_of(message->tvb);
    const gw_squirrel_frame_type *type = has_identifier(all, 0) ? gw_squirrel_frame_type_of(gw_le32(all.bytes)) : NULL;
    if (message->json)
        squirrel_json_end(message->json, message->tree,
                          type                     ? type->name
                          : has_identifier(all, 0) ? "unknown"
                                                   : "value",
                          frame, findings, message->first_finding);
}

/* Dissects one frame; returns the frame of a stream that is complete with this one, or NULL. */
static tvbuff_t *dissect_one(squirrel_message *message)
{
    packet_info *pinfo = message->pinfo;
    tvbuff_t *tvb = message->tvb;
    const squirrel_payload all = squirrel_payload_of(tvb);
    gw_squirrel_frame frame;
    gw_fault fault;
    if (message->is_joined && !has_identifier(all, 0)) {
        proto_tree_add_item(message->tree, squirrel_hf.undecoded_frame, tvb, 0, (int)all.length, ENC_NA);
        gw_add_finding_at(message->tree, pinfo, &squirrel_ei.joined_no_frame, tvb, 0, (int)all.length);
        add_line(message, NULL, "reassembled bytes", NULL);
        end_json(message, NULL, NULL);
        return NULL;
    }
    /* 1. The head. Oddities of its fields without items are reported on the protocol's item. */
    const bool has_items = message->demand.items && message->tree;
    proto_item *item = proto_tree_get_parent(message->tree);
    if (has_items)
        item = gw_add_hex_enumeration(message->tree, squirrel_hf.frame, tvb, 0, 4, tvb_get_letohl(tvb, 0));
    if (!gw_squirrel_read_frame(all.bytes, all.length, &frame, &fault)) {
        add_broken_head(message, item, &frame, &fault);
        end_json(message, NULL, NULL);
        return NULL;
    }
    proto_item *token = has_items ? add_head(tvb, message->tree, &frame) : item;
    /* 2. The relations to other frames. */
    squirrel_findings findings = squirrel_analyze(pinfo, tvb, &frame, message->raknet);
    message->is_again = findings.retransmission_of != 0;
    if (findings.is_against_direction)
        gw_add_finding_format(pinfo, item, &squirrel_ei.direction, "%s is sent by the %s, but this one is not",
                              frame.type->name, frame.type->to_server ? "client" : "server");
    add_findings(message, token, &frame, &findings);
    squirrel_tap *tap = squirrel_count_frame(pinfo, frame.type, all.wire_length, message->is_joined, &findings);
    /* 3. The content: a chunk of a split stream, or values. */
    tvbuff_t *whole = NULL;
    if (frame.type->content == GW_SQUIRREL_CONTENT_CHUNK) {
        whole = dissect_chunk(message, item, &frame, findings.retransmission_of);
    } else {
        const gw_squirrel_options options = gw_squirrel_frame_options(&frame);
        /* Longer than the longest that either release sends whole. A joined frame was split because it is longer. */
        if (!message->is_joined && all.wire_length > GW_SQUIRREL_OLD_FRAME_SIZE)
            gw_add_finding_format(pinfo, item, &squirrel_ei.too_large,
                                  "A frame of %u bytes: release 1.1.6 splits those above %u, 1.1.1 sends none above "
                                  "%u",
                                  all.wire_length, GW_SQUIRREL_FRAME_SIZE, GW_SQUIRREL_OLD_FRAME_SIZE);
        dissect_values(message, &frame, &options, tap);
    }
    if (message->demand.line && findings.part == SQUIRREL_ANSWER && !findings.retransmission_of)
        gw_columns_add_time(pinfo, &findings.command_time);
    end_json(message, &frame, &findings);
    squirrel_queue_tap(pinfo, tap);
    return whole;
}

/* ---- messages ------------------------------------------------------------------------------------------ */

/* Starts a message with the protocol's item and subtree, and with its JSON if the field is named. Its line is needed
 * for a label, Info or Follow Stream. */
static squirrel_message begin_message(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent)
{
    squirrel_message message = { .pinfo = pinfo,
                                 .tvb = tvb,
                                 .demand = gw_demand_of(pinfo, parent, proto_squirrel),
                                 .first_finding = gw_count_findings(pinfo) };
    message.demand.line = message.demand.line || have_tap_listener(squirrel_follow_tap);
    proto_item *item = gw_add_protocol(parent, pinfo, proto_squirrel, tvb, 0, (int)tvb_captured_length(tvb));
    message.tree = proto_item_add_subtree(item, squirrel_ett.protocol);
    message.json = squirrel_json_new(pinfo, message.tree);
    return message;
}

/* On the first pass, analyzes a frame that is not dissected yet: the second pass dissects it if later packets complete
 * the evidence of its conversation. The frame is the whole payload or, after a head, that of a RakNet message. */
void squirrel_keep_candidate(tvbuff_t *tvb, packet_info *pinfo)
{
    squirrel_raknet_number raknet = { SQUIRREL_RAKNET_NONE, 0 };
    gw_squirrel_frame frame;
    gw_fault fault;
    if (!has_identifier(squirrel_payload_of(tvb), 0)) {
        raknet = find_raknet_number(tvb, pinfo);
        tvb = tvb_new_subset_remaining(tvb, GW_SQUIRREL_MESSAGE_HEAD);
    }
    squirrel_payload all = squirrel_payload_of(tvb);
    if (!gw_squirrel_read_frame(all.bytes, all.length, &frame, &fault))
        return;
    squirrel_findings findings = squirrel_analyze(pinfo, tvb, &frame, raknet);
    if (frame.type->content != GW_SQUIRREL_CONTENT_CHUNK)
        return;
    frame.chunk_odd = odd_on_the_wire(pinfo, tvb, &frame);
    squirrel_reassemble(tvb, pinfo, &frame, findings.retransmission_of);
}

/* Dissects a frame, or a RakNet message (its id and the length of the rest, then a frame), with its faults; 0 if there
 * is no identifier of a frame at either place. */
int squirrel_dissect_script(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree)
{
    squirrel_payload all = squirrel_payload_of(tvb);
    bool is_frame = has_identifier(all, 0);
    if (!is_frame && !has_identifier(all, GW_SQUIRREL_MESSAGE_HEAD))
        return 0;
    squirrel_message message = begin_message(tvb, pinfo, tree);
    if (!is_frame) {
        uint32_t declared = tvb_get_ntohl(tvb, 1), actual = all.wire_length - GW_SQUIRREL_MESSAGE_HEAD;
        uint8_t number = tvb_get_uint8(tvb, 0);
        proto_item *id = gw_add_hex_enumeration(message.tree, squirrel_hf.message_id, tvb, 0, 1, number);
        proto_item *length = proto_tree_add_item(message.tree, squirrel_hf.message_length, tvb, 1, 4, ENC_BIG_ENDIAN);
        if (!try_val_to_str(number, squirrel_message_ids))
            gw_add_finding(pinfo, id, &squirrel_ei.message_id);
        if (is_wrong_length(pinfo, declared, actual))
            gw_add_finding_format(pinfo, length, &squirrel_ei.message_length,
                                  "Message length wrong: %u declared, %u actual", declared, actual);
        message.raknet = find_raknet_number(tvb, pinfo);
        message.tvb = tvb_new_subset_remaining(tvb, GW_SQUIRREL_MESSAGE_HEAD);
    }
    tvbuff_t *whole = dissect_one(&message);
    if (whole) {
        /* The frame of the stream that this chunk completes. */
        squirrel_message joined = join(&message, whole);
        dissect_one(&joined);
    }
    return (int)tvb_captured_length(tvb);
}

/* Selected by a user or recognized: a payload without an identifier is a value without a frame, or cut in its
 * identifier. BYTES_FIRST: the number after `a` or `t` is a length, or a count if only then the value ends where the
 * payload ends. */
int squirrel_dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree)
{
    static const gw_squirrel_options options = { .reading = GW_SQUIRREL_BYTES_FIRST };
    static const uint8_t after_first[] = { 0xff, 0xff }; /* bytes of all identifiers */
    int length = squirrel_dissect_script(tvb, pinfo, tree);
    if (length || !tvb_reported_length(tvb))
        return length;
    squirrel_message message = begin_message(tvb, pinfo, tree);
    squirrel_payload all = squirrel_payload_of(tvb);
    /* The capture may have cut the payload inside an identifier: xx, xx ff or xx ff ff. */
    if (all.length && all.length < IDENTIFIER_LENGTH && all.wire_length >= IDENTIFIER_LENGTH &&
        memcmp(all.bytes + 1, after_first, all.length - 1) == 0) {
        const gw_fault cut = { .fault_class = GW_FAULT_TRUNCATED, .needed = all.wire_length - all.length };
        add_head_fault(&message, &cut);
        set_columns(pinfo, "", UTF8_HORIZONTAL_ELLIPSIS);
        end_json(&message, NULL, NULL);
        return (int)tvb_captured_length(tvb);
    }
    squirrel_tap *tap = squirrel_count_frame(pinfo, NULL, tvb_reported_length(tvb), false, NULL);
    dissect_values(&message, NULL, &options, tap);
    end_json(&message, NULL, NULL);
    squirrel_queue_tap(pinfo, tap);
    return (int)tvb_captured_length(tvb);
}
