/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Counts datagrams, commands and findings, and what the bytes of a frame are for.
 */
#include "internal.h"

#include <epan/conversation_table.h>
#include <epan/proto_data.h>
#include <epan/srt_table.h>
#include <epan/tap.h>
#include <gamewire/text.h>

#include "common/archive.h"
#include "common/conversation.h"
#include "common/keys.h"
#include "common/menus/connections.h"
#include "common/menus/conversation_filter.h"
#include "common/menus/statistics.h"

#define CHANNEL_SIZE 16 /* of "Channel 255" */

static int enet_tap = -1;

/* Data of the tap "enet" for each datagram. */
typedef struct enet_tap_datagram {
    enet_facts facts;
    const enet_findings *findings;        /* NULL: not analyzed */
    const struct enet_tap_datagram *next; /* another datagram of the frame */
} enet_tap_datagram;

/* ---- purposes of the bytes of a datagram ---------------------------------------------------------------- */

/* What the bytes of a command are for: of those with a payload, a copy or retransmission is apart from the first
 * one. */
static enet_purpose purpose_of(const enet_command *command, const enet_finding *finding)
{
    if (command->number == GW_ENET_ACKNOWLEDGE)
        return ENET_ACKNOWLEDGES;
    if (!gw_enet_command_of(command->number)->has_payload)
        return ENET_MANAGES;
    if (enet_is_repeated(finding))
        return ENET_SENDS_AGAIN;
    return command->fragment_count ? ENET_SENDS_FRAGMENT : ENET_SENDS;
}

/* The bytes of the frame's datagrams by purpose; NULL: it has none, or no statistics that need them are open. */
const enet_bytes *enet_bytes_of(packet_info *pinfo)
{
    return p_get_proto_data(pinfo->pool, pinfo, proto_enet, GW_KEY_ENET_BYTES);
}

/* ---- the table of connections --------------------------------------------------------------------------- */

/* The transmission that the command acknowledges, for round-trip times; NULL: it is no acknowledgement, its
 * transmission was not captured, or another acknowledgement of this transmission came before. */
static const enet_send *find_first_acked(const enet_command *command, const enet_finding *finding)
{
    bool is_first = command->number == GW_ENET_ACKNOWLEDGE && !(finding->flags & ENET_DUPLICATE_ACK);
    return is_first ? finding->send : NULL;
}

/* Adds the datagram to the row of its connection in the table of common/menus/connections.h: its bytes, messages,
 * retransmissions and losses, the end of the connection, and the round-trip times of what it acknowledges. */
static void count_connection(packet_info *pinfo, const enet_facts *facts, const enet_findings *findings)
{
    const enet_connection *connection = findings->connection;
    gw_connection_part part = { .protocol = GW_CONNECTION_ENET,
                                .number = connection->number,
                                .bytes = facts->wire_length };
    bool is_client = findings->summary.side == connection->client;
    if (findings->summary.client_known)
        part.client = is_client ? GW_CLIENT_SENDS : GW_CLIENT_RECEIVES;
    for (uint32_t i = 0; i < facts->count; i++) {
        const enet_command *command = &facts->commands[i];
        const enet_finding *finding = &findings->commands[i];
        /* `resend` is 0 if the first transmission was not captured: then this one counts as a message, not as sent
         * again. */
        if (finding->flags & ENET_RETRANSMISSION && finding->resend)
            part.sent_again++;
        if (!enet_has_payload(command))
            continue;
        /* The loss of a reliable message is repaired, and counted as sent again. */
        if (finding->flags & ENET_LOST)
            part.lost += finding->missing;
        if (enet_is_repeated(finding) || (command->fragment_count && !finding->completes))
            continue;
        part.messages++;
        /* The loss of an unreliable message can be seen: it has no record, and is not sent again. */
        part.arrived += !finding->record;
    }
    if (connection->disconnect_frame == pinfo->num)
        part.end = wmem_strdup_printf(pinfo->pool, "Disconnect%s in frame %u",
                                      !findings->summary.client_known ? ""
                                      : is_client                     ? " from the client"
                                                                      : " from the server",
                                      pinfo->num);
    /* On a later pass: in the words of enet.analysis.end. */
    const bool is_last = gw_is_later_pass(pinfo) && connection->last_frame == pinfo->num;
    const enet_end end = is_last ? enet_find_end(connection) : (enet_end){ .kind = ENET_OPEN };
    if (end.kind != ENET_OPEN && end.kind != ENET_DISCONNECTED)
        part.end = val_to_str_const(end.number, enet_ends, "");
    gw_connection_add(pinfo, &part);
    for (uint32_t i = 0; i < facts->count; i++) {
        const enet_send *acked = find_first_acked(&facts->commands[i], &findings->commands[i]);
        const nstime_t sent = gw_time_of(acked ? acked->time : 0);
        if (acked)
            gw_connection_add_round_trip(pinfo, GW_CONNECTION_ENET, connection->number, &sent);
    }
}

/* ---- the tap ------------------------------------------------------------------------------------------- */

/* Counts a datagram for the table of connections, gives it to the statistics that listen to the tap, and adds it to the
 * datagrams and bytes of its frame, which the statistics as trees need. Returns the bytes of the frame, to which the
 * caller adds messages that are reassembled; NULL if no such statistic is open, or the datagram is one that an ICMP
 * error quotes or has no findings. */
enet_bytes *enet_count(packet_info *pinfo, const enet_facts *facts, const enet_findings *findings)
{
    if (findings && gw_connections_are_counted())
        count_connection(pinfo, facts, findings);
    bool is_counted = gw_stat_is_open(&gw_stat_frame_trees);
    if (gw_is_quoted(pinfo) || (!is_counted && !have_tap_listener(enet_tap)))
        return NULL;
    enet_tap_datagram *datagram = wmem_new(pinfo->pool, enet_tap_datagram);
    *datagram = (enet_tap_datagram){ *facts, findings, NULL };
    tap_queue_packet(enet_tap, pinfo, datagram);
    if (!is_counted)
        return NULL;
    /* The trees count frames: the frame has a list of its datagrams, and the sum of their bytes. */
    datagram->next = p_get_proto_data(pinfo->pool, pinfo, proto_enet, GW_KEY_ENET_DATAGRAMS);
    p_set_proto_data(pinfo->pool, pinfo, proto_enet, GW_KEY_ENET_DATAGRAMS, datagram);
    if (!findings)
        return NULL;
    enet_bytes *bytes = p_get_proto_data(pinfo->pool, pinfo, proto_enet, GW_KEY_ENET_BYTES);
    if (!bytes) {
        bytes = wmem_new0(pinfo->pool, enet_bytes);
        p_set_proto_data(pinfo->pool, pinfo, proto_enet, GW_KEY_ENET_BYTES, bytes);
    }
    for (uint32_t i = 0; i < facts->count; i++) {
        const enet_command *command = &facts->commands[i];
        enet_purpose purpose = purpose_of(command, &findings->commands[i]);
        bytes->commands[purpose] += enet_wire_bytes(facts, command->size);
        if (purpose == ENET_SENDS)
            bytes->messages += enet_wire_bytes(facts, command->payload.length);
    }
    return bytes;
}

/* ---- the tree ------------------------------------------------------------------------------------------- */

enum { FRAME_BYTES, DATAGRAMS, BYTES, COMMANDS, MESSAGES, MESSAGE_BYTES, FINDINGS, GROUPS };

static const char *const groups[GROUPS] = {
    [FRAME_BYTES] = "Bytes of the capture",
    [DATAGRAMS] = "Datagrams",
    [BYTES] = "Bytes",
    [COMMANDS] = "Commands",
    [MESSAGES] = "Messages by channel",
    [MESSAGE_BYTES] = "Bytes of messages by channel",
    [FINDINGS] = "Commands sent again, lost or out of order",
};

/* Adds `amount` to a row of a group that has rows already, but not to the group's sum. */
static void add_again(stats_tree *tree, const char *group, const char *row, uint32_t amount)
{
    increase_stat_node(tree, row, stats_tree_parent_id_by_name(tree, group), false, (int)amount);
}

/* Writes the row of the command's channel. Without printf(): the tree has it for each command. */
static void print_channel(char row[CHANNEL_SIZE], const enet_command *command)
{
    gw_text text;
    gw_text_init(&text, row, CHANNEL_SIZE);
    gw_text_string(&text, "Channel ");
    gw_text_unsigned(&text, command->channel);
}

/* Counts the findings of a command by name. A spurious retransmission is one of the retransmissions: it has a row, but
 * adds nothing to the sum. */
static void count_flags(stats_tree *tree, const enet_finding *finding)
{
    static const struct {
        uint32_t flag;
        const char *name;
    } rows[] = {
        { ENET_RETRANSMISSION, "Retransmissions" },   { ENET_DUPLICATE, "Duplicates" },
        { ENET_OUT_OF_ORDER, "Out of order" },        { ENET_DUPLICATE_ACK, "Duplicate acks" },
        { ENET_WINDOW_FULL, "Window full" },          { ENET_TOO_FAR_AHEAD, "Too far ahead" },
        { ENET_NUMBER_REUSED, "Number used before" },
    };
    for (size_t i = 0; i < array_length(rows); i++)
        if (finding->flags & rows[i].flag)
            gw_stat_add(tree, groups[FINDINGS], rows[i].name, 1);
    if (finding->flags & ENET_SPURIOUS)
        add_again(tree, groups[FINDINGS], "Retransmissions that were spurious", 1);
    if (finding->flags & ENET_GAP)
        gw_stat_add(tree, groups[FINDINGS], "Reliable, not captured", finding->missing);
    if (finding->flags & ENET_LOST)
        gw_stat_add(tree, groups[FINDINGS], "Unreliable, missing", finding->missing);
}

/* Adds a datagram to all groups except "Bytes of the capture", which counts frames. */
static void count_datagram(stats_tree *tree, const enet_tap_datagram *datagram)
{
    const enet_facts *facts = &datagram->facts;
    bool compressed = facts->header.is_compressed;
    gw_stat_average(tree, groups[DATAGRAMS],
                    compressed ? val_to_str_const(facts->mode, enet_compressions, "Unknown") : "Plain",
                    facts->wire_length);
    gw_stat_add(tree, groups[BYTES], compressed ? "On the wire, compressed" : "On the wire, plain", facts->wire_length);
    if (facts->unpacked_length)
        add_again(tree, groups[BYTES], "After decompression", facts->unpacked_length);
    for (uint32_t i = 0; i < facts->count; i++) {
        const enet_command *command = &facts->commands[i];
        const gw_enet_command_type *type = gw_enet_command_of(command->number);
        gw_stat_add(tree, groups[COMMANDS], type->name, 1);
        if (type->has_payload) {
            char name[CHANNEL_SIZE];
            print_channel(name, command);
            gw_stat_measure(tree, groups[MESSAGES], groups[MESSAGE_BYTES], name, command->payload.length);
        }
        if (datagram->findings)
            count_flags(tree, &datagram->findings->commands[i]);
    }
}

/* Counts the bytes of one command of a frame, of which `left` bytes are not counted yet. An acknowledgement counts for
 * the channel of the command that it acknowledges. Returns how many bytes are left. */
static uint32_t count_command(stats_tree *tree, const enet_tap_datagram *datagram, uint32_t index, uint32_t left)
{
    static const char *const parts[ENET_PURPOSES] = { [ENET_SENDS] = "Headers",
                                                      [ENET_SENDS_FRAGMENT] = "Headers of fragments",
                                                      [ENET_SENDS_AGAIN] = "Retransmissions",
                                                      [ENET_ACKNOWLEDGES] = "Acknowledgements" };
    const enet_facts *facts = &datagram->facts;
    const enet_command *command = &facts->commands[index];
    enet_purpose purpose = purpose_of(command, &datagram->findings->commands[index]);
    uint32_t bytes = MIN(enet_wire_bytes(facts, command->size), left), payload = 0;
    char channel[CHANNEL_SIZE];
    print_channel(channel, command);
    const char *row[] = { groups[FRAME_BYTES], channel, parts[purpose] };
    if (purpose == ENET_MANAGES || command->channel == GW_ENET_CONNECTION_CHANNEL) {
        row[1] = "Overhead";
        row[2] = gw_enet_command_of(command->number)->name;
    } else if (purpose == ENET_SENDS || purpose == ENET_SENDS_FRAGMENT) {
        /* Its payload has a row of its own; the header's bytes remain. */
        const char *payload_row[] = { groups[FRAME_BYTES], channel, "Payload" };
        payload = MIN(enet_wire_bytes(facts, command->payload.length), bytes);
        gw_stat_add_levels(tree, payload_row, array_length(payload_row), (int)payload);
    }
    gw_stat_add_levels(tree, row, array_length(row), (int)(bytes - payload));
    return left - bytes;
}

/* Counts the datagrams of a frame, and all bytes of it: the rest is headers, or a frame of other protocols. */
static tap_packet_status count_frame(stats_tree *tree, packet_info *pinfo, epan_dissect_t *dissect _U_,
                                     const void *data _U_, tap_flags_t flags _U_)
{
    const enet_tap_datagram *datagram = p_get_proto_data(pinfo->pool, pinfo, proto_enet, GW_KEY_ENET_DATAGRAMS);
    const char *rest = datagram ? "Datagrams without a command" : "Frames without ENet";
    uint32_t left = pinfo->fd->pkt_len;
    for (; datagram; datagram = datagram->next) {
        count_datagram(tree, datagram);
        for (uint32_t i = 0; datagram->findings && i < datagram->facts.count; i++) {
            left = count_command(tree, datagram, i, left);
            rest = "Headers of datagrams";
        }
    }
    gw_stat_add(tree, groups[FRAME_BYTES], rest, left);
    return TAP_PACKET_REDRAW;
}

/* For stats_tree: tells that this statistic is open, for which each frame's datagrams and bytes are collected. */
static void init_tree(stats_tree *tree)
{
    gw_stat_opened(&gw_stat_frame_trees, tree);
}

/* For stats_tree: tells that this statistic is closed. */
static void close_tree(stats_tree *tree)
{
    gw_stat_closed(&gw_stat_frame_trees, tree);
}

/* ---- round-trip times, by the command that was acknowledged --------------------------------------------- */

/* For the round-trip times: a row for each number of a command, also for those that do not exist. */
static void init_round_trips(struct register_srt *registered _U_, GArray *tables)
{
    srt_stat_table *table =
        init_srt_table("ENet round-trip times", NULL, tables, GW_ENET_COMMANDS, "Command", "enet.command", NULL);
    for (unsigned number = 0; number < GW_ENET_COMMANDS; number++) {
        const gw_enet_command_type *type = gw_enet_command_of(number);
        init_srt_table_row(table, (int)number, type ? type->name : "Unknown");
    }
}

/* Adds the times from the transmissions that the datagram is the first to acknowledge, up to the datagram. */
static tap_packet_status add_round_trips(void *listener, packet_info *pinfo, epan_dissect_t *dissect _U_,
                                         const void *data, tap_flags_t flags _U_)
{
    const srt_data_t *tables = (const srt_data_t *)listener;
    const enet_tap_datagram *datagram = (const enet_tap_datagram *)data;
    srt_stat_table *table = g_array_index(tables->srt_array, srt_stat_table *, 0);
    for (uint32_t i = 0; datagram->findings && i < datagram->facts.count; i++) {
        const enet_finding *finding = &datagram->findings->commands[i];
        const enet_send *acked = find_first_acked(&datagram->facts.commands[i], finding);
        const nstime_t sent = gw_time_of(acked ? acked->time : 0);
        if (acked)
            add_srt_table_data(table, finding->record->number, &sent, pinfo);
    }
    return TAP_PACKET_REDRAW;
}

/* ---- conversations and endpoints ------------------------------------------------------------------------ */

/* The windows show ports, as hide_ports is false below. tshark prints them, and sharkd lists them, only in the tables
 * of protocols named TCP, UDP and SCTP: both compare the name (4.0, 4.4 and 4.6), and nothing that a plugin registers
 * changes that. sharkd's filters have the ports; in tshark, -z conv,udp -Y enet prints them. */

/* The field with which the windows filter by an address or a port. */
static const char *filter_of(const address *host, conv_filter_type_e filter)
{
    bool v6 = host->type == AT_IPv6;
    switch (filter) {
    case CONV_FT_SRC_ADDRESS:
        return v6 ? "ipv6.src" : "ip.src";
    case CONV_FT_DST_ADDRESS:
        return v6 ? "ipv6.dst" : "ip.dst";
    case CONV_FT_ANY_ADDRESS:
        return v6 ? "ipv6.addr" : "ip.addr";
    case CONV_FT_SRC_PORT:
        return "udp.srcport";
    case CONV_FT_DST_PORT:
        return "udp.dstport";
    case CONV_FT_ANY_PORT:
        return "udp.port";
    default:
        return CONV_FILTER_INVALID;
    }
}

/* For the window of conversations: the field for the conversation's addresses or ports. */
static const char *conversation_filter(conv_item_t *item, conv_filter_type_e filter)
{
    return filter_of(&item->src_address, filter);
}

/* For the window of endpoints: the field for the endpoint's address or port. */
static const char *endpoint_filter(endpoint_item_t *item, conv_filter_type_e filter)
{
    return filter_of(&item->myaddress, filter);
}

/* Each connection of a pair of addresses is a conversation. Its type is not that of UDP: for the types of UDP, TCP and
 * (since 4.6) IP the window writes filters such as "udp.stream eq 3" with the number given here, and 4.0 follows UDP's
 * stream of that number. Of the other types, this one has ports in its filters, and nothing else depends on it (4.0 to
 * 4.6). */
#define ENET_CONVERSATION CONVERSATION_NCP

/* Adds a datagram to its connection's row in the table of conversations; without findings, to the row of its addresses
 * and ports (CONV_ID_UNSET). */
static tap_packet_status count_conversation(void *listener, packet_info *pinfo, epan_dissect_t *dissect _U_,
                                            const void *data, tap_flags_t flags)
{
    static ct_dissector_info_t info = { conversation_filter };
    const enet_tap_datagram *datagram = (const enet_tap_datagram *)data;
    conv_hash_t *table = (conv_hash_t *)listener;
    table->flags = flags;
    add_conversation_table_data_with_conv_id(
        table, &pinfo->src, &pinfo->dst, pinfo->srcport, pinfo->destport,
        datagram->findings ? (conv_id_t)datagram->findings->connection->number : CONV_ID_UNSET, 1,
        (int)datagram->facts.wire_length, &pinfo->rel_ts, &pinfo->abs_ts, &info, ENET_CONVERSATION);
    return TAP_PACKET_REDRAW;
}

/* Adds a datagram to the rows of its sender and its receiver in the table of endpoints. */
static tap_packet_status count_endpoints(void *listener, packet_info *pinfo, epan_dissect_t *dissect _U_,
                                         const void *data, tap_flags_t flags)
{
    static et_dissector_info_t info = { endpoint_filter };
    const enet_tap_datagram *datagram = (const enet_tap_datagram *)data;
    conv_hash_t *table = (conv_hash_t *)listener;
    int length = (int)datagram->facts.wire_length;
    table->flags = flags;
    add_endpoint_table_data(table, &pinfo->src, pinfo->srcport, true, 1, length, &info, ENDPOINT_UDP);
    add_endpoint_table_data(table, &pinfo->dst, pinfo->destport, false, 1, length, &info, ENDPOINT_UDP);
    return TAP_PACKET_REDRAW;
}

/* ---- Follow Stream: the messages of one connection ------------------------------------------------------ */

/* The display filter for the connection with the number `stream`. The caller frees it. */
static char *follow_stream(unsigned stream, unsigned sub_stream _U_)
{
    return g_strdup_printf("enet.connection == %u", stream);
}

/* Sets `stream` to the number of the latest connection of the packet's addresses that begins up to this frame, and
 * returns the display filter for it, which the caller frees; NULL: there is none. */
static char *follow_packet(epan_dissect_t *dissect _U_, packet_info *pinfo, unsigned *stream, unsigned *sub_stream _U_)
{
    const enet_pair *pair = gw_conversation_find(pinfo, proto_enet);
    const enet_connection *connection = pair ? pair->last : NULL;
    while (connection && connection->first_frame > pinfo->num)
        connection = connection->previous;
    if (!connection)
        return NULL;
    *stream = connection->number;
    return follow_stream(connection->number, 0);
}

/* ---- Conversation Filter -------------------------------------------------------------------------------- */

/* The display filter for the packet's connection, as follow_packet() has it. */
static char *filter_connection(GW_CONVERSATION_FILTER_PARAMETERS)
{
    unsigned stream, sub_stream;
    return follow_packet(NULL, pinfo, &stream, &sub_stream);
}

/* True if the Conversation Filter of ENet can be used for the packet. */
static ws_bool has_connection(GW_CONVERSATION_FILTER_PARAMETERS)
{
    return gw_has_protocol(pinfo, "enet");
}

/* ---- registration --------------------------------------------------------------------------------------- */

/* Registers the tap and the statistics that listen to it. */
void enet_register_statistics(void)
{
    enet_tap = register_tap("enet");
    register_srt_table(proto_enet, NULL, 1, add_round_trips, init_round_trips, NULL);
    gw_register_conversation_filter("enet", "ENet", has_connection, filter_connection);
    register_conversation_table(proto_enet, false, count_conversation, count_endpoints);
    gw_register_follow(proto_enet, "enet_follow", &(gw_follow){ follow_packet, follow_stream, enet_connection_count });
    stats_tree_register_plugin("frame", "enet", "ENet" STATS_TREE_MENU_SEPARATOR "Datagrams and Commands", 0,
                               count_frame, init_tree, close_tree);
}
