/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Gives messages to the dissectors of the ports, of their first byte, of heuristics, and to the tap "enet_follow".
 */
#include "internal.h"

#include <epan/decode_as.h>
#include <wsutil/utf8_entities.h>

#include "common/columns.h"
#include "common/conversation.h"
#include "common/exceptions.h"
#include "common/item_budget.h"
#include "common/keys.h"
#include "common/times.h"

/* In a frame with several datagrams, each of those after this one has at least 51 bytes and four layers: a header of the
 * A-MSDU 14, LLC 8, IPv4 20, UDP 8. */
#define BYTES_OF_LAYER 12U
/* Of the reliable commands of a channel. */
#define FIRST_NUMBER 1

static heur_dissector_list_t heuristics;
static dissector_table_t ports;
static dissector_table_t first_bytes;
static enet_disconnect_reader disconnect_reader;

/* ---- messages ------------------------------------------------------------------------------------------- */

static enet_delivery delivery_of(const enet_command *command)
{
    switch (command->number) {
    case GW_ENET_SEND_UNRELIABLE:
    case GW_ENET_SEND_UNRELIABLE_FRAGMENT:
        return ENET_UNRELIABLE;
    case GW_ENET_SEND_UNSEQUENCED:
        return ENET_UNSEQUENCED;
    default:
        return ENET_RELIABLE;
    }
}

static void describe(enet_message *message, const enet_findings *findings, const enet_command *command)
{
    const enet_connection *connection = findings->connection;
    message->connection = connection->number;
    message->conversation = connection->conversation;
    message->channel = command->channel;
    message->delivery = (uint8_t)delivery_of(command);
    message->side = findings->side;
    message->client_known = findings->client_known;
    message->from_client = message->client_known && connection->client == message->side;
    message->server_port = message->client_known ? connection->server_port : 0;
    message->has_connect_data = connection->has_connect_data;
    message->connect_data = connection->connect_data;
    message->connect_mtu = connection->connect_mtu;
    message->is_first = message->delivery == ENET_RELIABLE &&
                        (command->fragment_count ? command->sub_sequence : command->sequence) == FIRST_NUMBER;
    message->channel_count = connection->channel_count;
    message->receiver_latest = &connection->directions[enet_other(message->side)].last_time;
}

typedef struct enet_payload {
    tvbuff_t *tvb;
    enet_message *message;
} enet_payload;

static bool try_dissectors(packet_info *pinfo, proto_tree *parent, void *closure)
{
    const enet_payload *payload = closure;
    tvbuff_t *tvb = payload->tvb;
    enet_message *message = payload->message;
    heur_dtbl_entry_t *entry;
    /* The user's choice first, by the server's port, or by both. */
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

static enet_messages *messages_of(packet_info *pinfo)
{
    enet_messages *messages = p_get_proto_data(pinfo->pool, pinfo, proto_enet, GW_KEY_ENET_MESSAGES);
    if (!messages) {
        messages = wmem_new0(pinfo->pool, enet_messages);
        p_add_proto_data(pinfo->pool, pinfo, proto_enet, GW_KEY_ENET_MESSAGES, messages);
    }
    return messages;
}

/* The other messages of the datagram follow even if a dissector of this one throws an exception. */
static bool hand_over(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, enet_message *message)
{
    enet_payload payload = { .tvb = tvb, .message = message };
    enet_messages *messages = messages_of(pinfo);
    const enet_message *outer = messages->current;
    message->ordinal = messages->count++;
    messages->current = message;
    bool read = gw_call_guarded(tvb, pinfo, parent, try_dissectors, &payload);
    messages->current = outer;
    return read;
}

/* The whole message: of a fragment, of the one that completes it only. NULL if nothing of it was captured. */
static tvbuff_t *open_message(const enet_tree *shown, const enet_command *command, const enet_finding *finding,
                              uint32_t index, enet_message *message)
{
    if (!command->fragment_count) {
        int offset = (int)command->payload.offset, length = (int)command->payload.length;
        int captured = MIN(tvb_captured_length_remaining(shown->tvb, offset), length);
        return captured ? tvb_new_subset_length_caplen(shown->tvb, offset, captured, length) : NULL;
    }
    const enet_reassembly *whole = finding->message;
    message->reassembled = true;
    if (whole && !finding->completes)
        enet_findings_add_reassembled_in(shown, index, whole);
    if (!whole || !finding->completes)
        return NULL;
    tvbuff_t *tvb = tvb_new_child_real_data(shown->tvb, whole->bytes, whole->length, (int)whole->length);
    add_new_data_source(shown->pinfo, tvb, "Reassembled ENet");
    enet_findings_add_fragments(shown, index, tvb, whole);
    return tvb;
}

/* Of the whole message, which the length of a command is not if it is a fragment. */
static void add_length(const enet_tree *shown, uint32_t index, tvbuff_t *tvb)
{
    proto_tree *tree = enet_tree_of_command(shown, index);
    proto_item_set_generated(proto_tree_add_uint(tree, enet_hf.message_length, tvb, 0, 0, tvb_reported_length(tvb)));
}

static bool is_repeated(const enet_finding *finding)
{
    bool is_reused = finding->flags & ENET_NUMBER_REUSED && !finding->message;
    return finding->dropped || is_reused || finding->flags & ENET_DUPLICATE ||
           (finding->flags & ENET_RETRANSMISSION && finding->resend);
}

/* One item for all messages that the frame has no layers for. */
static void add_not_dissected(const enet_tree *shown, uint32_t from, uint32_t count)
{
    proto_item *item = proto_tree_add_item(shown->protocol, enet_hf.not_shown, shown->tvb, (int)from, -1, ENC_NA);
    proto_item_set_text(item, "%u more messages, not dissected", count);
}

/* ---- DISCONNECT ---------------------------------------------------------------------------------------- */

void enet_register_disconnect(enet_disconnect_reader reader)
{
    disconnect_reader = reader;
}

/* A client is connected by VERIFY_CONNECT, a server by its acknowledgement. */
static void hand_over_disconnect(const enet_tree *shown, const enet_findings *findings, uint32_t index)
{
    const enet_connection *connection = findings->connection;
    bool is_client = findings->client_known && connection->client == findings->side;
    const nstime_t *begun = is_client ? &connection->verify_time : &connection->established_time;
    enet_disconnect disconnect = { .connection = connection->number,
                                   .conversation = connection->conversation,
                                   .repeated = is_repeated(&findings->commands[index]),
                                   .has_since = findings->client_known && (is_client ? connection->verify_frame
                                                                                     : connection->established_frame) };
    if (disconnect.has_since)
        nstime_delta(&disconnect.since, &shown->pinfo->abs_ts, begun);
    disconnect_reader(shown->pinfo, proto_tree_get_parent(enet_tree_of_command(shown, index)), &disconnect);
}

/* ---- all of a datagram ---------------------------------------------------------------------------------- */

void enet_hand_over(const enet_tree *shown, const enet_facts *facts, const enet_findings *findings, proto_tree *parent,
                    const enet_info *info)
{
    packet_info *pinfo = shown->pinfo;
    enet_info line = *info;
    uint32_t left = 0, left_from = 0;
    gw_keep_layers(pinfo, gw_bytes_after(shown->datagram) / BYTES_OF_LAYER);
    for (uint32_t i = 0; findings && i < MIN(facts->count, ENET_MOST_SHOWN); i++) {
        const enet_command *command = &facts->commands[i];
        const enet_finding *finding = &findings->commands[i];
        enet_message message = { 0 };
        if (command->number == GW_ENET_DISCONNECT && disconnect_reader)
            hand_over_disconnect(shown, findings, i);
        if (!command->length && !command->fragment_count)
            continue;
        tvbuff_t *tvb = open_message(shown, command, finding, i, &message);
        if (!tvb)
            continue;
        describe(&message, findings, command);
        message.repeated = is_repeated(finding);
        message.after_gap = finding->flags & ENET_GAP;
        message.record = message.reassembled || message.delivery != ENET_RELIABLE ? NULL : finding->record;
        add_length(shown, i, tvb);
        if (!message.repeated)
            enet_follow(pinfo, tvb);
        if (!gw_has_layers(pinfo, 1)) {
            left_from = left++ ? left_from : command->payload.offset;
            continue;
        }
        gw_columns_part part;
        gw_columns_open(pinfo, &part, line.before, line.prefix);
        bool is_read = hand_over(tvb, pinfo, parent, &message);
        gw_columns_close(pinfo, &part, is_read);
        if (info->shares)
            info->shares->commands[i].ordinal = message.ordinal + 1;
        if (!is_read)
            continue;
        line = (enet_info){ gw_columns_length(pinfo), "", NULL };
    }
    if (left)
        add_not_dissected(shown, left_from, left);
}

uint32_t enet_acknowledged_in(const struct enet_record *record, nstime_t *later)
{
    const uint64_t twice = UINT64_C(2) << record->acked_within; /* microseconds: up to the acknowledgement, and again */
    const nstime_t round_trips = { (time_t)(twice / 1000000), (int)(twice % 1000000) * 1000 };
    const nstime_t sent = gw_time_of(record->first.time);
    nstime_sum(later, &sent, &round_trips);
    return record->acked_in;
}

/* ---- Decode As ------------------------------------------------------------------------------------------ */

static void name_source(packet_info *pinfo, char *result)
{
    snprintf(result, MAX_DECODE_AS_PROMPT_LEN, "source (%u%s)", pinfo->srcport, UTF8_RIGHTWARDS_ARROW);
}

static void name_destination(packet_info *pinfo, char *result)
{
    snprintf(result, MAX_DECODE_AS_PROMPT_LEN, "destination (%s%u)", UTF8_RIGHTWARDS_ARROW, pinfo->destport);
}

static void *source_port(packet_info *pinfo)
{
    return GUINT_TO_POINTER(pinfo->srcport);
}

static void *destination_port(packet_info *pinfo)
{
    return GUINT_TO_POINTER(pinfo->destport);
}

static void register_decode_as_port(void)
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
    register_decode_as(&by_port);
}

void enet_register_handover(int protocol)
{
    heuristics = register_heur_dissector_list(ENET_HEURISTICS, protocol);
    ports = register_dissector_table(ENET_PORT_TABLE, "ENet port", protocol, FT_UINT16, BASE_DEC);
    first_bytes =
        register_dissector_table(ENET_FIRST_BYTE_TABLE, "First byte of an ENet message", protocol, FT_UINT8, BASE_HEX);
    dissector_table_allow_decode_as(ports);
    register_decode_as_port();
}
