/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Passes messages to the dissectors of the ports, of their first byte and of heuristics, and to the tap "enet_follow". Commands
 * that begin and end connections, and messages that no dissector describes, become values of enet.json.
 */
#include "internal.h"

#include <epan/decode_as.h>
#include <epan/tap.h>
#include <wsutil/utf8_entities.h>

#include "common/archive.h"
#include "common/conversation.h"
#include "common/display/columns.h"
#include "common/display/json_message.h"
#include "common/items.h"
#include "common/keys.h"
#include "common/recognition/payloads.h"

/* In a frame with several datagrams, each datagram after this one has at least 51 bytes and four layers: a header of
 * the A-MSDU 14, LLC 8, IPv4 20, UDP 8. */
#define BYTES_OF_LAYER 12U
/* The first reliable command of a channel has this number. */
#define FIRST_NUMBER 1

static int follow_tap = -1;
static heur_dissector_list_t heuristics;
static dissector_table_t ports;
static dissector_table_t first_bytes;
static enet_disconnect_reader disconnect_reader;

/* ---- messages in fragments ------------------------------------------------------------------------------ */

/* Adds the list of the fragments of the message that was reassembled to `whole`, as Wireshark's own reassembly does:
 * from a fragment_head that is made for it. */
static void add_fragments(packet_info *pinfo, proto_tree *tree, tvbuff_t *whole, const enet_reassembly *message)
{
    const fragment_items *fields = &enet_fragment_items;
    fragment_head head = { 0 };
    proto_item *item;
    if (!tree)
        return;
    /* ENet sends no message in so many fragments: only their number is shown. */
    if (!gw_use_items(gw_items_left(pinfo, *fields->hf_fragment), message->piece_count)) {
        item = proto_tree_add_item(tree, *fields->hf_fragments, whole, 0, -1, ENC_NA);
        proto_item_set_generated(item);
        enet_add_generated(proto_item_add_subtree(item, *fields->ett_fragments), *fields->hf_fragment_count,
                           message->piece_count);
        return;
    }
    fragment_item *fragments = wmem_alloc0_array(pinfo->pool, fragment_item, message->piece_count);
    for (uint32_t i = 0; i < message->piece_count; i++) {
        const enet_piece *piece = &message->pieces[i];
        fragments[i].next = i + 1 < message->piece_count ? &fragments[i + 1] : NULL;
        fragments[i].frame = piece->frame;
        fragments[i].offset = piece->offset;
        fragments[i].len = piece->length;
        fragments[i].flags = (piece->flags & ENET_PIECE_OVERLAP ? FD_OVERLAP : 0) |
                             (piece->flags & ENET_PIECE_CONFLICT ? FD_OVERLAPCONFLICT : 0) |
                             (piece->flags & ENET_PIECE_OTHER_TAIL ? FD_MULTIPLETAILS : 0) |
                             (piece->flags & ENET_PIECE_TOO_LONG ? FD_TOOLONGFRAGMENT : 0);
        head.flags |= fragments[i].flags;
    }
    /* show_fragment_tree() changes this, which shows whether IP fragmented the datagram. */
    bool was_fragmented = pinfo->fragmented;
    head.next = fragments;
    show_fragment_tree(&head, fields, tree, pinfo, whole, &item);
    pinfo->fragmented = was_fragmented;
}

/* ---- messages ------------------------------------------------------------------------------------------- */

/* The bytes of the message that the fragment completes: those that are stored, and after them the fragment's own. NULL if
 * the fragment does not have the rest of the message: crafted bytes may have the key of another datagram, whose findings
 * they get. */
static tvbuff_t *open_reassembled(const enet_items *items, const enet_command *command, const enet_reassembly *message)
{
    const uint32_t rest = message->length - message->kept;
    const int offset = (int)command->payload.offset;
    if (rest && (rest != command->length || tvb_captured_length_remaining(items->tvb, offset) < (int)rest))
        return NULL;
    uint8_t *bytes = wmem_alloc(items->pinfo->pool, message->length);
    if (message->kept)
        memcpy(bytes, message->bytes, message->kept);
    if (rest)
        tvb_memcpy(items->tvb, bytes + message->kept, offset, rest);
    return tvb_new_child_real_data(items->tvb, bytes, message->length, (int)message->length);
}

/* The bytes of the message that the command has as a whole, or completes as a fragment, with the items of the
 * reassembly in `tree`. NULL: the message has no bytes, none of them was captured, or another fragment completes it, to
 * which a link is added. */
static tvbuff_t *open_payload(const enet_items *items, const enet_command *command, const enet_finding *finding,
                              proto_tree *tree)
{
    const enet_reassembly *message = finding->message;
    if (!command->length && !command->fragment_count)
        return NULL;
    if (!command->fragment_count) {
        int offset = (int)command->payload.offset, length = (int)command->payload.length;
        int captured = MIN(tvb_captured_length_remaining(items->tvb, offset), length);
        return captured ? tvb_new_subset_length_caplen(items->tvb, offset, captured, length) : NULL;
    }
    if (!message)
        return NULL;
    if (!finding->completes) {
        gw_add_frame_link(tree, *enet_fragment_items.hf_reassembled_in, message->frame);
        return NULL;
    }
    tvbuff_t *tvb = open_reassembled(items, command, message);
    if (!tvb)
        return NULL;
    add_new_data_source(items->pinfo, tvb, "Reassembled ENet");
    add_fragments(items->pinfo, tree, tvb, message);
    return tvb;
}

/* How the command's message is delivered. */
static enet_delivery delivery_of(const enet_command *command)
{
    return command->number == GW_ENET_SEND_UNRELIABLE || command->number == GW_ENET_SEND_UNRELIABLE_FRAGMENT
               ? ENET_UNRELIABLE
           : command->number == GW_ENET_SEND_UNSEQUENCED ? ENET_UNSEQUENCED
                                                         : ENET_RELIABLE;
}

/* The description of a command's message for its dissectors, all but `ordinal` and `wire_length`, which the caller
 * sets. For a fragment, the description of the message that the fragment completes. A message is a duplicate if it was
 * captured before, in a copy of the datagram or an earlier transmission (`resend` is not 0); it is repeated also if the
 * receiver drops it for another reason. It is the first of its channel by its reliable number, which for a message in
 * fragments is the number of the first fragment (`sub_sequence`). `record`, for enet_acknowledged_in(), is 0 for an
 * unreliable message, and for one in fragments, since its fragments are acknowledged one by one. */
static enet_message message_of(const enet_findings *findings, const enet_command *command, const enet_finding *finding)
{
    const enet_connection *connection = findings->connection;
    bool is_fragment = command->fragment_count > 0;
    enet_delivery delivery = delivery_of(command);
    return (enet_message){
        .connection = connection->number,
        .conversation = connection->conversation,
        .channel = command->channel,
        .delivery = (uint8_t)delivery,
        .side = findings->summary.side,
        .client_known = findings->summary.client_known,
        .from_client = findings->summary.client_known && connection->client == findings->summary.side,
        .reassembled = is_fragment,
        .after_gap = finding->flags & ENET_GAP,
        .is_resent = finding->flags & (ENET_RETRANSMISSION | ENET_SPURIOUS),
        .is_duplicate = findings->duplicate_of || finding->flags & ENET_DUPLICATE ||
                        (finding->record && finding->flags & ENET_RETRANSMISSION && finding->resend),
        .repeated = enet_is_repeated(finding),
        .has_connect_data = connection->has_connect_data,
        .connect_data = connection->connect_data,
        .connect_mtu = connection->connect_mtu,
        .is_first =
            delivery == ENET_RELIABLE && (is_fragment ? command->sub_sequence : command->sequence) == FIRST_NUMBER,
        .channel_count = connection->channel_count,
        .server_port = findings->summary.client_known ? connection->server_port : 0,
        .fragments = finding->message ? finding->message->piece_count : 0,
        .record = is_fragment || delivery != ENET_RELIABLE ? 0 : finding->record_number,
        .receiver_latest = &connection->directions[enet_other(findings->summary.side)].last_time,
    };
}

typedef struct enet_payload {
    tvbuff_t *tvb;
    enet_message *message;
} enet_payload;

/* For gw_call_guarded(): offers the message of `closure`, an enet_payload, to the dissectors; true if one accepts
 * it. */
static bool try_dissectors(packet_info *pinfo, proto_tree *parent, void *closure)
{
    const enet_payload *payload = closure;
    tvbuff_t *tvb = payload->tvb;
    enet_message *message = payload->message;
    heur_dtbl_entry_t *entry;
    /* First by Decode As, for the server's port, then the client's; if it is not known which is which, the lower port
     * first. */
    uint32_t first = message->client_known ? message->server_port : MIN(pinfo->srcport, pinfo->destport);
    uint32_t second = first == pinfo->srcport ? pinfo->destport : pinfo->srcport;
    if (dissector_try_uint_with_data(ports, first, tvb, pinfo, parent, true, message) ||
        dissector_try_uint_with_data(ports, second, tvb, pinfo, parent, true, message))
        return true;
    if (tvb_captured_length(tvb) &&
        dissector_try_uint_with_data(first_bytes, tvb_get_uint8(tvb, 0), tvb, pinfo, parent, true, message))
        return true;
    return dissector_try_heuristic(heuristics, tvb, pinfo, parent, &entry, message);
}

/* Adds a message that no dissector describes as a value of enet.json, if that is needed. `tvb`: its bytes, or NULL: it
 * has none, or they were not captured. `length`: of the whole message. `has_connection`: message->connection is
 * known. */
static void add_json_message(const enet_items *items, const enet_message *message, uint32_t length, tvbuff_t *tvb,
                             bool has_connection)
{
    gw_json_carrier carrier = enet_carrier_of(message, length);
    const gw_json_head head = { .protocol = "enet", .kind = "message", .carrier = &carrier };
    gw_json json;
    carrier.has_connection = has_connection;
    if (!gw_json_is_wanted(items->pinfo, items->protocol, enet_hf.json))
        return;
    gw_json_begin(&json, items->pinfo, &head);
    gw_json_add_hex(&json, "data", tvb, (gw_span){ 0, tvb ? tvb_captured_length(tvb) : 0 });
    gw_json_end(&json, items->protocol, enet_hf.json);
}

/* Passes the message to the dissectors; true if one of them accepted it. If none has described it in JSON, it is added
 * to enet.json. The other messages of the datagram follow even if a dissector of this one throws an exception. */
static bool hand_over(const enet_items *items, tvbuff_t *tvb, proto_tree *parent, enet_message *message)
{
    packet_info *pinfo = items->pinfo;
    enet_payload payload = { .tvb = tvb, .message = message };
    enet_messages *messages = *gw_packet_slot(pinfo, GW_SLOT_ENET_MESSAGES);
    if (!messages)
        *gw_packet_slot(pinfo, GW_SLOT_ENET_MESSAGES) = messages = wmem_new0(pinfo->pool, enet_messages);
    /* Restored after the call: the message may contain another ENet datagram. */
    const enet_message *outer = messages->current;
    message->ordinal = messages->count++;
    messages->current = message;
    bool is_accepted = gw_call_guarded(tvb, pinfo, parent, try_dissectors, &payload);
    messages->current = outer;
    /* enet_describe() sets `described` to `count`, which the call had raised to this message's ordinal + 1. */
    if (messages->described != message->ordinal + 1)
        add_json_message(items, message, tvb_reported_length(tvb), tvb, true);
    return is_accepted;
}

/* ---- DISCONNECT ----------------------------------------------------------------------------------------- */

/* Registers the function that is called for each DISCONNECT. */
void enet_register_disconnect(enet_disconnect_reader reader)
{
    disconnect_reader = reader;
}

/* Calls the registered function for each DISCONNECT of the datagram before which there is no message, with the time for
 * which its sender has been connected. */
void enet_hand_over_disconnects(const enet_items *items, const enet_facts *facts, const enet_findings *findings)
{
    for (uint32_t i = 0; findings && disconnect_reader && i < MIN(facts->count, ENET_MOST_SHOWN); i++) {
        /* A message before the DISCONNECT: the reader's explanation, a peer that sent no message until its
         * authentication timed out, does not apply. */
        if (facts->commands[i].number != GW_ENET_DISCONNECT) {
            if (facts->commands[i].length)
                return;
            continue;
        }
        const enet_connection *connection = findings->connection;
        bool is_known = findings->summary.client_known;
        bool is_client = is_known && connection->client == findings->summary.side;
        /* A client is connected by VERIFY_CONNECT, a server by its acknowledgement. */
        uint32_t begun_in = is_client ? connection->verify_frame : connection->established_frame;
        enet_disconnect disconnect = { .connection = connection->number,
                                       .conversation = connection->conversation,
                                       .repeated = enet_is_repeated(&findings->commands[i]),
                                       .has_since = is_known && begun_in };
        const nstime_t begun = gw_time_of(is_client ? connection->verify_time : connection->established_time);
        if (disconnect.has_since)
            nstime_delta(&disconnect.since, &items->pinfo->abs_ts, &begun);
        disconnect_reader(items->pinfo, proto_tree_get_parent(enet_tree_of_command(items, i)), &disconnect);
    }
}

/* ---- the Info column ------------------------------------------------------------------------------------ */

/* The Info column while a message is passed to dissectors that may decline it. */
typedef struct info_part {
    bool is_open;
    const char *kept;     /* the text of the messages before, which remains */
    const char *replaced; /* the text that an accepted message replaces */
    size_t fence;         /* the length of the text with the separator */
} info_part;

/* Before dissectors are called: keeps the first `length` bytes of the Info column, and writes the separator and
 * `prefix` in place of the text after them. A fence follows: the line that a dissector sets, with col_set_str() and
 * the like, is added after it. Does nothing if the line is the first text of the column. */
static void open_info(packet_info *pinfo, info_part *part, size_t length, const char *prefix)
{
    *part = (info_part){ .is_open = (length || *prefix) && col_get_writable(pinfo->cinfo, COL_INFO) };
    if (!part->is_open)
        return;
    const char *text = col_get_text(pinfo->cinfo, COL_INFO);
    part->kept = wmem_strndup(pinfo->pool, text, length);
    part->replaced = wmem_strdup(pinfo->pool, text + length);
    col_add_fstr(pinfo->cinfo, COL_INFO, "%s%s", enet_separator(length), prefix);
    col_set_fence(pinfo->cinfo, COL_INFO);
    part->fence = gw_columns_length(pinfo);
}

/* Before a text that a dissector appends to the line of the protocol below it, as JSON's does with its name. */
#define APPENDED ", "

/* After the call: keeps the line of a message that was accepted, without the separator of a text that is appended: there
 * is no line of ENet before it. If the message was declined, or has no line, restores the text as it was before
 * open_info(), with what comes after the fence. */
static void close_info(packet_info *pinfo, const info_part *part, bool is_accepted)
{
    bool has_line = is_accepted && gw_columns_length(pinfo) > part->fence;
    if (part->is_open && !has_line) {
        col_clear_fence(pinfo->cinfo, COL_INFO);
        col_add_str(pinfo->cinfo, COL_INFO, part->kept);
        col_set_fence(pinfo->cinfo, COL_INFO);
        col_append_str(pinfo->cinfo, COL_INFO, part->replaced);
    } else if (part->is_open) {
        const char *text = col_get_text(pinfo->cinfo, COL_INFO), *line = text + part->fence;
        if (g_str_has_prefix(line, APPENDED)) {
            const char *kept = wmem_strndup(pinfo->pool, text, part->fence);
            line = wmem_strdup(pinfo->pool, line + strlen(APPENDED));
            col_clear_fence(pinfo->cinfo, COL_INFO);
            col_add_str(pinfo->cinfo, COL_INFO, kept);
            col_append_str(pinfo->cinfo, COL_INFO, line);
        }
    }
    if (is_accepted)
        col_set_fence(pinfo->cinfo, COL_INFO);
}

/* ---- all of a datagram ---------------------------------------------------------------------------------- */

/* Adds each CONNECT, VERIFY_CONNECT and DISCONNECT of the datagram as a value of enet.json, if that is needed. */
static void add_json_connections(const enet_items *items, const enet_facts *facts, const enet_findings *findings)
{
    static const char *const kinds[GW_ENET_COMMANDS] = {
        [GW_ENET_CONNECT] = "connect", [GW_ENET_VERIFY_CONNECT] = "verify_connect", [GW_ENET_DISCONNECT] = "disconnect"
    };
    if (!gw_json_is_wanted(items->pinfo, items->protocol, enet_hf.json))
        return;
    for (uint32_t i = 0; i < MIN(facts->count, ENET_MOST_SHOWN); i++) {
        const enet_command *command = &facts->commands[i];
        const gw_json_head head = { .protocol = "enet",
                                    .kind = kinds[command->number],
                                    .connection = findings ? &findings->connection->number : NULL };
        gw_json json;
        if (!head.kind)
            continue;
        gw_json_begin(&json, items->pinfo, &head);
        if (command->has_data)
            gw_json_add_uint(&json, "data_number", command->data);
        gw_json_end(&json, items->protocol, enet_hf.json);
    }
}

/* Passes the datagram's messages to the dissectors, in order, each with a line in the Info column if it is accepted:
 * the first replaces ENet's own line. Messages that cannot be passed on become values of enet.json: none of their
 * bytes was captured, the frame has no layer left for a dissector, or `findings` is NULL, since the connection is not
 * known. */
void enet_hand_over(const enet_items *items, const enet_facts *facts, const enet_findings *findings, proto_tree *parent,
                    const enet_info *info)
{
    packet_info *pinfo = items->pinfo;
    enet_info line = *info;
    uint32_t undissected_count = 0, undissected_offset = 0;
    add_json_connections(items, facts, findings);
    /* Wireshark limits the layers of a frame. Some are left for further datagrams that may follow in the frame, or in
     * the reassembled data that it completes. */
    const uint32_t end = (uint32_t)tvb_raw_offset(items->datagram) + tvb_reported_length(items->datagram);
    const uint32_t length = tvb_reported_length(tvb_get_ds_tvb(items->datagram));
    gw_keep_layers(pinfo, (length - MIN(end, length)) / BYTES_OF_LAYER);
    for (uint32_t i = 0; i < MIN(facts->count, ENET_MOST_SHOWN); i++) {
        const enet_command *command = &facts->commands[i];
        const enet_finding none = { 0 }, *finding = findings ? &findings->commands[i] : &none;
        if (!enet_has_payload(command))
            continue;
        proto_tree *tree = enet_tree_of_command(items, i);
        tvbuff_t *tvb = findings || !command->fragment_count ? open_payload(items, command, finding, tree) : NULL;
        enet_message message =
            findings ? message_of(findings, command, finding)
                     : (enet_message){ .delivery = (uint8_t)delivery_of(command), .channel = command->channel };
        /* No byte of it is there, or the datagram's connection is not known: only JSON, unless it is a fragment. */
        if (!tvb || !findings) {
            if (!command->fragment_count)
                add_json_message(items, &message, command->length, tvb, findings != NULL);
            continue;
        }
        message.wire_length = enet_wire_bytes(facts, tvb_reported_length(tvb));
        proto_item_set_generated(
            proto_tree_add_uint(tree, enet_hf.message_length, tvb, 0, 0, tvb_reported_length(tvb)));
        if (!message.repeated && have_tap_listener(follow_tap))
            tap_queue_packet(follow_tap, pinfo, tvb);
        if (!message.repeated && message.reassembled && info->bytes)
            info->bytes->reassembled += message.wire_length;
        /* Without a layer for its dissector: the items after the loop. */
        if (!gw_has_layers(pinfo, 1)) {
            add_json_message(items, &message, tvb_reported_length(tvb), tvb, true);
            undissected_offset = undissected_count++ ? undissected_offset : command->payload.offset;
            continue;
        }
        info_part part;
        open_info(pinfo, &part, line.begin, line.words);
        bool is_accepted = hand_over(items, tvb, parent, &message);
        close_info(pinfo, &part, is_accepted);
        /* The next line is added to this one, without ENet's words. */
        if (is_accepted)
            line = (enet_info){ gw_columns_length(pinfo), "", NULL };
    }
    /* One item for all messages that the frame has no layers for. */
    if (undissected_count)
        proto_item_set_text(
            proto_tree_add_item(items->protocol, enet_hf.not_shown, items->tvb, (int)undissected_offset, -1, ENC_NA),
            "%u more messages, not dissected", undissected_count);
}

/* The frame with the first acknowledgement of the message; 0: none so far. Sets `later` to a time by which at least
 * another round trip has passed since this acknowledgement. It came within 2^acked_within microseconds of the first
 * transmission: `later` is twice this time after the transmission. */
uint32_t enet_acknowledged_in(uint32_t number, nstime_t *later)
{
    const enet_record *record = enet_record_at(number);
    const uint64_t twice = UINT64_C(2) << record->acked_within; /* microseconds: up to the acknowledgement, and again */
    const nstime_t round_trips = { (time_t)(twice / 1000000), (int)(twice % 1000000) * 1000 };
    const nstime_t sent = gw_time_of(record->first.time);
    nstime_sum(later, &sent, &round_trips);
    return record->acked_in;
}

/* ---- Decode As ------------------------------------------------------------------------------------------ */

/* For Decode As: the text of the choice by the source port. */
static void name_source(packet_info *pinfo, char *result)
{
    snprintf(result, MAX_DECODE_AS_PROMPT_LEN, "source (%u%s)", pinfo->srcport, UTF8_RIGHTWARDS_ARROW);
}

/* For Decode As: the text of the choice by the destination port. */
static void name_destination(packet_info *pinfo, char *result)
{
    snprintf(result, MAX_DECODE_AS_PROMPT_LEN, "destination (%s%u)", UTF8_RIGHTWARDS_ARROW, pinfo->destport);
}

/* For Decode As: the source port, as the key in the table. */
static void *source_port(packet_info *pinfo)
{
    return GUINT_TO_POINTER(pinfo->srcport);
}

/* For Decode As: the destination port, as the key in the table. */
static void *destination_port(packet_info *pinfo)
{
    return GUINT_TO_POINTER(pinfo->destport);
}

/* Registers the tables of messages' dissectors, the one by port with Decode As, and the tap of Follow Stream. Decode As
 * has 2 choices, of which the second (index 1), the destination port, is the default. */
void enet_register_handover(void)
{
    static build_valid_func sources[] = { source_port };
    static build_valid_func destinations[] = { destination_port };
    static decode_as_value_t values[] = {
        { name_source, 1, sources },
        { name_destination, 1, destinations },
    };
    static decode_as_t by_port = { "enet",
                                   ENET_PORT_TABLE,
                                   2,
                                   1,
                                   values,
                                   "ENet",
                                   "port",
                                   decode_as_default_populate_list,
                                   decode_as_default_reset,
                                   decode_as_default_change,
                                   NULL };
    follow_tap = register_tap("enet_follow");
    heuristics = register_heur_dissector_list(ENET_HEURISTICS, proto_enet);
    ports = register_dissector_table(ENET_PORT_TABLE, "ENet port", proto_enet, FT_UINT16, BASE_DEC);
    first_bytes = register_dissector_table(ENET_FIRST_BYTE_TABLE, "First byte of an ENet message", proto_enet, FT_UINT8,
                                           BASE_HEX);
    register_decode_as(&by_port);
}
