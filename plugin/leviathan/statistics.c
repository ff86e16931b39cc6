/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Counts packets and messages, and measures the time of answers.
 */
#include "internal.h"

#include <epan/srt_table.h>
#include <epan/tap.h>

#include "common/flow_graph.h"
#include "common/statistics.h"

static int tap = -1;

/* ---- the tap ------------------------------------------------------------------------------------------- */

static void add_response_time(leviathan_tap_message *message, const leviathan_findings *findings,
                              const leviathan_sent *sent)
{
    const leviathan_sent *request = sent->request;
    message->is_resend = sent->is_resend;
    if (!request || request->id == LEVIATHAN_UNKNOWN_TYPE || request->response != findings->frame)
        return;
    message->has_response_time = true;
    message->request_id = request->id;
    message->request_time = leviathan_findings_of(request)->time;
}

void leviathan_tap(packet_info *pinfo, const leviathan_facts *facts, const leviathan_findings *findings)
{
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
        packet->messages[i].name = message->type ? message->type->name : "Unknown";
        packet->messages[i].is_request = message->kind == GW_LEVIATHAN_REQUEST;
        packet->messages[i].number = message->number;
        packet->messages[i].length = message->length;
        if (findings)
            add_response_time(&packet->messages[i], findings, &findings->messages[i]);
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

static const char *kind_of_packet(const leviathan_tap_packet *packet)
{
    if (!packet->is_packet)
        return "Unknown";
    if (packet->is_duplicate)
        return packet->is_ack_only ? "Ack only, duplicate" : "Normal, duplicate";
    return packet->is_ack_only ? "Ack only" : "Normal";
}

static void count_message(stats_tree *tree, const leviathan_tap_message *message)
{
    bool asks = message->is_request;
    gw_stat_add(tree, groups[asks ? REQUESTS : RESPONSES], message->name, 1);
    gw_stat_measure(tree, groups[asks ? REQUEST_LENGTHS : RESPONSE_LENGTHS],
                    groups[asks ? REQUEST_BYTES : RESPONSE_BYTES], message->name, message->length);
    if (message->is_resend)
        gw_stat_add(tree, groups[RESENDS], message->name, 1);
}

static tap_packet_status count_packet(stats_tree *tree, packet_info *pinfo _U_, epan_dissect_t *dissect _U_,
                                      const void *data, tap_flags_t flags _U_)
{
    const leviathan_tap_packet *packet = data;
    gw_stat_add(tree, groups[PACKETS], kind_of_packet(packet), 1);
    /* The messages of a duplicate were counted with the packet that it repeats. */
    if (!packet->is_duplicate)
        for (uint32_t i = 0; i < packet->message_count; i++)
            count_message(tree, &packet->messages[i]);
    return TAP_PACKET_REDRAW;
}

void leviathan_register_statistics_tree(void)
{
    stats_tree_register_plugin("leviathan", "leviathan", "Leviathan" STATS_TREE_MENU_SEPARATOR "Packets and Messages",
                               0, count_packet, gw_stat_init, NULL);
}

/* ---- response times by type of request ----------------------------------------------------------------- */

static void init_response_times(struct register_srt *registered _U_, GArray *tables)
{
    srt_stat_table *table = init_srt_table("Leviathan Requests", NULL, tables, GW_LEVIATHAN_REQUEST_TYPES, "Request",
                                           "leviathan.request.type", NULL);
    for (unsigned id = 0; id < GW_LEVIATHAN_REQUEST_TYPES; id++)
        init_srt_table_row(table, (int)id, gw_leviathan_message_of(GW_LEVIATHAN_REQUEST, id)->name);
}

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

static void add_message_arrow(void *graph, packet_info *pinfo, const leviathan_tap_packet *packet,
                              const leviathan_tap_message *message)
{
    const char *kind = message->is_request ? "request" : "response";
    gw_arrow arrow = { .label = message->name, .dashed = message->is_resend || packet->is_duplicate };
    arrow.comment =
        wmem_strdup_printf(pinfo->pool, "%s %s #%u%s%s", message->name, kind, message->number,
                           message->is_resend ? ", sent again" : "", packet->is_duplicate ? ", duplicate" : "");
    gw_flow_graph_add(graph, pinfo, &arrow);
}

static tap_packet_status add_arrows(void *graph, packet_info *pinfo, epan_dissect_t *dissect _U_, const void *data,
                                    tap_flags_t flags _U_)
{
    const leviathan_tap_packet *packet = data;
    const gw_arrow ack = { .label = "Ack only", .comment = "Ack only", .dashed = true };
    if (packet->is_ack_only)
        gw_flow_graph_add(graph, pinfo, &ack);
    for (uint32_t i = 0; i < packet->message_count; i++)
        add_message_arrow(graph, pinfo, packet, &packet->messages[i]);
    return TAP_PACKET_REDRAW;
}

void leviathan_register_statistics(int protocol)
{
    tap = register_tap("leviathan");
    gw_register_flow_graph("leviathan", "Leviathan", protocol, "leviathan", add_arrows);
    register_srt_table(protocol, NULL, 1, add_response_times, init_response_times, NULL);
}
