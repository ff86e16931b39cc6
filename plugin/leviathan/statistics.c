/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Counts packets and messages, and measures the time of answers.
 */
#include "internal.h"

#include <epan/dissectors/packet-udp.h>
#include <epan/srt_table.h>
#include <epan/tap.h>

#include "common/conversation.h"
#include "common/menus/connections.h"
#include "common/menus/conversation_filter.h"
#include "common/menus/flow_graph.h"
#include "common/menus/statistics.h"

static int tap = -1;

/* ---- the table of connections -------------------------------------------------------------------------- */

/* Adds the datagram to the row of its conversation: bytes, messages, losses that it shows, and round-trip times. */
static void count_connection(packet_info *pinfo, uint32_t length, const leviathan_facts *facts,
                             const leviathan_findings *findings, leviathan_acks_choice choice)
{
    const conversation_t *conversation = gw_conversation_lookup(pinfo);
    uint32_t position = 0;
    if (!conversation)
        return;
    gw_connection_part part = { .protocol = GW_CONNECTION_LEVIATHAN,
                                .number = conversation->conv_index,
                                .bytes = length,
                                /* Only packets with an id can be lost: the share of lost ones is of these. */
                                .arrived = facts->packet_id && !findings->is_duplicate };
    while (leviathan_next_lost(findings, &position))
        part.lost++;
    /* The messages of a duplicate were counted with the packet that it repeats. */
    for (uint32_t i = 0; i < findings->message_count && !findings->is_duplicate; i++) {
        bool is_resend = findings->messages[i].is_resend;
        part.sent_again += is_resend;
        part.messages += !is_resend;
    }
    gw_connection_add(pinfo, &part);
    /* The times since the packets whose first acknowledgement is in this datagram. */
    leviathan_acked_ids acked = leviathan_acked_ids_of(facts, leviathan_find_reading(findings, choice).reading);
    uint32_t id;
    while (leviathan_next_acked_id(&acked, &id)) {
        leviathan_ack ack = leviathan_find_ack(findings, id);
        if (!ack.packet || !ack.first)
            continue;
        const nstime_t sent = gw_time_of(ack.packet->time);
        gw_connection_add_round_trip(pinfo, GW_CONNECTION_LEVIATHAN, part.number, &sent);
    }
}

/* ---- the tap ------------------------------------------------------------------------------------------- */

/* Adds the datagram to the table of connections, if one is open; if another statistic listens, queues the tap with the
 * data of the datagram's messages. `findings`: NULL if the datagram was not analyzed; `choice`: the preference of the
 * numbering of ack bits. */
void leviathan_tap(packet_info *pinfo, uint32_t length, const leviathan_facts *facts,
                   const leviathan_findings *findings, leviathan_acks_choice choice)
{
    if (findings && gw_connections_are_counted())
        count_connection(pinfo, length, facts, findings, choice);
    if (!have_tap_listener(tap))
        return;
    leviathan_tap_packet *packet = wmem_new0(pinfo->pool, leviathan_tap_packet);
    packet->is_packet = facts->is_packet;
    packet->is_ack_only = facts->ack_only;
    packet->is_duplicate = findings && findings->is_duplicate;
    packet->message_count = facts->message_count;
    packet->messages = wmem_alloc0_array(pinfo->pool, leviathan_tap_message, facts->message_count);
    for (uint32_t i = 0; i < facts->message_count; i++) {
        const leviathan_message_facts *message = &facts->messages[i];
        leviathan_tap_message *entry = &packet->messages[i];
        entry->name = message->type ? message->type->name : "Unknown";
        entry->is_request = message->kind == GW_LEVIATHAN_REQUEST;
        entry->number = message->number;
        entry->length = message->length;
        if (!findings)
            continue;
        const leviathan_sent *request = leviathan_find_request(findings, i, message->response_to);
        entry->is_resend = findings->messages[i].is_resend;
        /* Only the first response to a request has a response time, and the table has only rows of known types. */
        if (!request || request->id == LEVIATHAN_UNKNOWN_TYPE || request->response != findings->frame)
            continue;
        entry->has_response_time = true;
        entry->request_id = request->id;
        entry->request_time = gw_time_of(leviathan_findings_of(request)->time);
    }
    tap_queue_packet(tap, pinfo, packet);
}

/* ---- the tree: packets and messages by type ------------------------------------------------------------ */

enum {
    PACKETS,
    REQUESTS,
    RESPONSES,
    RESENDS,
    REQUEST_LENGTHS,
    RESPONSE_LENGTHS,
    REQUEST_BYTES,
    RESPONSE_BYTES,
    GROUPS
};

static const char *const groups[GROUPS] = {
    [PACKETS] = "Packets",
    [REQUESTS] = "Requests",
    [RESPONSES] = "Responses",
    [RESENDS] = "Resends",
    [REQUEST_LENGTHS] = "Request lengths",
    [RESPONSE_LENGTHS] = "Response lengths",
    [REQUEST_BYTES] = "Bytes of requests",
    [RESPONSE_BYTES] = "Bytes of responses",
};

/* Counts a datagram by its kind, and each message by its type: in numbers, lengths and bytes, requests and responses
 * separately; resends also by themselves. */
static tap_packet_status count_packet(stats_tree *tree, packet_info *pinfo _U_, epan_dissect_t *dissect _U_,
                                      const void *data, tap_flags_t flags _U_)
{
    static const char *const kinds[2][2] = { { "Normal", "Normal, duplicate" }, { "Ack only", "Ack only, duplicate" } };
    const leviathan_tap_packet *packet = data;
    const char *kind = packet->is_packet ? kinds[packet->is_ack_only][packet->is_duplicate] : "Unknown";
    gw_stat_add(tree, groups[PACKETS], kind, 1);
    /* The messages of a duplicate were counted with the packet that it repeats. */
    if (packet->is_duplicate)
        return TAP_PACKET_REDRAW;
    for (uint32_t i = 0; i < packet->message_count; i++) {
        const leviathan_tap_message *message = &packet->messages[i];
        bool is_request = message->is_request;
        gw_stat_add(tree, groups[is_request ? REQUESTS : RESPONSES], message->name, 1);
        gw_stat_measure(tree, groups[is_request ? REQUEST_LENGTHS : RESPONSE_LENGTHS],
                        groups[is_request ? REQUEST_BYTES : RESPONSE_BYTES], message->name, message->length);
        if (message->is_resend)
            gw_stat_add(tree, groups[RESENDS], message->name, 1);
    }
    return TAP_PACKET_REDRAW;
}

/* ---- response times by type of request ----------------------------------------------------------------- */

/* Adds the table of response times, with a row for each type of request: the row's number is the type's id. */
static void init_response_times(struct register_srt *registered _U_, GArray *tables)
{
    srt_stat_table *table = init_srt_table("Leviathan Requests", NULL, tables, GW_LEVIATHAN_REQUEST_TYPES, "Request",
                                           "leviathan.request.type", NULL);
    for (unsigned id = 0; id < GW_LEVIATHAN_REQUEST_TYPES; id++)
        init_srt_table_row(table, (int)id, gw_leviathan_message_of(GW_LEVIATHAN_REQUEST, id)->name);
}

/* Adds the times of the responses in this datagram: Wireshark computes them from the times of the requests. */
static tap_packet_status add_response_times(void *listener, packet_info *pinfo, epan_dissect_t *dissect _U_,
                                            const void *data, tap_flags_t flags _U_)
{
    const srt_data_t *tables = listener;
    const leviathan_tap_packet *packet = data;
    srt_stat_table *table = g_array_index(tables->srt_array, srt_stat_table *, 0);
    for (uint32_t i = 0; i < packet->message_count; i++)
        if (packet->messages[i].has_response_time)
            add_srt_table_data(table, packet->messages[i].request_id, &packet->messages[i].request_time, pinfo);
    return TAP_PACKET_REDRAW;
}

/* ---- the flow graph ------------------------------------------------------------------------------------ */

/* Adds an arrow for each message, and for an ack-only packet. Dashed are ack-only packets, and messages that were sent
 * before or are in a duplicate. */
static tap_packet_status add_arrows(void *graph, packet_info *pinfo, epan_dissect_t *dissect _U_, const void *data,
                                    tap_flags_t flags _U_)
{
    const leviathan_tap_packet *packet = data;
    const gw_arrow ack = { .label = "Ack only", .comment = "Ack only", .dashed = true };
    if (packet->is_ack_only)
        gw_flow_graph_add(graph, pinfo, &ack);
    for (uint32_t i = 0; i < packet->message_count; i++) {
        const leviathan_tap_message *message = &packet->messages[i];
        gw_arrow arrow = { .label = message->name, .dashed = message->is_resend || packet->is_duplicate };
        arrow.comment = wmem_strdup_printf(
            pinfo->pool, "%s %s #%u%s%s", message->name, message->is_request ? "request" : "response", message->number,
            message->is_resend ? ", sent again" : "", packet->is_duplicate ? ", duplicate" : "");
        gw_flow_graph_add(graph, pinfo, &arrow);
    }
    return TAP_PACKET_REDRAW;
}

/* ---- Follow Stream: the lines of the messages ----------------------------------------------------------- */

int leviathan_follow_tap = -1;

/* The display filter of a stream, whose number is that of UDP. */
static char *filter_stream(unsigned stream, unsigned sub_stream _U_)
{
    return g_strdup_printf("leviathan && udp.stream == %u", stream);
}

/* Sets `stream` to the UDP stream of the selected packet, and returns its filter; NULL: the packet has none. */
static char *find_stream(epan_dissect_t *dissect _U_, packet_info *pinfo, unsigned *stream, unsigned *sub_stream _U_)
{
    return gw_find_stream(pinfo, stream) ? filter_stream(*stream, 0) : NULL;
}

/* ---- Conversation Filter ------------------------------------------------------------------------------- */

/* The display filter for the two ends of the selected packet. */
static char *filter_conversation(GW_CONVERSATION_FILTER_PARAMETERS)
{
    return gw_filter_ends(pinfo, "leviathan");
}

/* True if the filter can be offered: the packet is of Leviathan. */
static ws_bool has_conversation(GW_CONVERSATION_FILTER_PARAMETERS)
{
    return gw_has_protocol(pinfo, "leviathan");
}

/* ---- registration -------------------------------------------------------------------------------------- */

/* Registers the taps (of packets for the statistics and the flow graph, of lines for Follow Stream), the statistics,
 * the flow graph, Follow Stream and the conversation filter. */
void leviathan_register_statistics(int protocol)
{
    tap = register_tap("leviathan");
    leviathan_follow_tap = register_tap("leviathan_follow");
    gw_register_follow(protocol, "leviathan_follow", &(gw_follow){ find_stream, filter_stream, get_udp_stream_count });
    gw_register_conversation_filter("leviathan", "Leviathan", has_conversation, filter_conversation);
    gw_register_flow_graph("leviathan", "Leviathan", protocol, "leviathan", add_arrows);
    register_srt_table(protocol, NULL, 1, add_response_times, init_response_times, NULL);
    stats_tree_register_plugin("leviathan", "leviathan", "Leviathan" STATS_TREE_MENU_SEPARATOR "Packets and Messages",
                               0, count_packet, gw_stat_init, NULL);
}
