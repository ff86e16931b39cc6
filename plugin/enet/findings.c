/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds the results of the analysis as generated items.
 */
#include "internal.h"

#include "common/archive.h"
#include "common/findings.h"
#include "common/items.h"

/* The datagram whose findings are added. */
typedef struct enet_context {
    const enet_items *items;
    const enet_facts *facts;
    const enet_findings *findings;
} enet_context;

static void add_time_since(const enet_context *context, proto_tree *tree, int field, int64_t time)
{
    const nstime_t before = gw_time_of(time);
    gw_add_time_between(tree, field, &context->items->pinfo->abs_ts, &before);
}

/* ---- commands ------------------------------------------------------------------------------------------- */

static void add_ack(const enet_context *context, proto_tree *tree, const enet_command *command,
                    const enet_finding *finding)
{
    const enet_connection *connection = context->findings->connection;
    if (finding->record) {
        const enet_send *send = finding->send ? finding->send : &finding->record->first;
        gw_add_frame_link(tree, enet_hf.acks_frame, send->frame);
        if (finding->send && !(finding->flags & ENET_DUPLICATE_ACK))
            add_time_since(context, tree, enet_hf.ack_rtt, send->time);
    }
    /* The acknowledgement that completes the handshake. */
    if (!context->findings->summary.established || command->channel != GW_ENET_CONNECTION_CHANNEL ||
        command->sequence != 1)
        return;
    gw_add_frame_link(tree, enet_hf.begun_in, connection->connect_frame);
    if (connection->connect_frame)
        gw_add_time_between(tree, enet_hf.handshake_time, &context->items->pinfo->abs_ts, &connection->connect_time);
}

static void add_transmission(const enet_context *context, proto_tree *tree, const enet_finding *finding)
{
    const enet_record *record = finding->record;
    if (finding->flags & ENET_RETRANSMISSION && finding->resend) {
        gw_add_frame_link(tree, enet_hf.first_send, record->first.frame);
        add_time_since(context, tree, enet_hf.resend_time, record->first.time);
        enet_add_generated(tree, enet_hf.resend_number, finding->resend);
    }
    if (finding->flags & ENET_DUPLICATE)
        return;
    /* Sent again in the next frame with the same bytes. */
    const enet_send *next = finding->send ? finding->send->next : NULL;
    while (next && !enet_is_same_content(next->content, finding->send->content))
        next = next->next;
    if (next)
        gw_add_frame_link(tree, enet_hf.resent_in, next->frame);
    gw_add_frame_link(tree, enet_hf.acked_in,
                      finding->send && finding->send->acked_in ? finding->send->acked_in : record->acked_in);
    if (finding->in_flight)
        enet_add_generated(tree, enet_hf.in_flight, finding->in_flight);
}

/* CONNECT and VERIFY_CONNECT show the whole handshake: not those that were refused in favor of another. The response's
 * time is that of the first response. */
static void add_handshake(const enet_context *context, proto_tree *tree, const enet_command *command)
{
    const enet_connection *connection = context->findings->connection;
    if (!connection->has_connect_id || command->setup[GW_ENET_ROLE_CONNECT_ID] != connection->connect_id)
        return;
    if (command->number == GW_ENET_CONNECT) {
        gw_add_frame_link(tree, enet_hf.response_in, connection->verify_frame);
    } else {
        gw_add_frame_link(tree, enet_hf.response_to, connection->connect_frame);
        if (connection->connect_frame && connection->verify_frame == context->items->pinfo->num)
            gw_add_time_between(tree, enet_hf.response_time, &context->items->pinfo->abs_ts, &connection->connect_time);
    }
    gw_add_frame_link(tree, enet_hf.established_in, connection->established_frame);
    gw_add_frame_link(tree, enet_hf.disconnected_in, connection->disconnect_frame);
}

/* A host without a compressor drops compressed datagrams. The client has not connected, and sends CONNECT again. */
static void add_compression(const enet_context *context, proto_item *item, const enet_command *command,
                            const enet_finding *finding)
{
    const enet_connection *connection = context->findings->connection;
    bool is_connect = command->number == GW_ENET_CONNECT;
    if (!connection->client_known || connection->established_frame ||
        (is_connect && !(finding->flags & ENET_RETRANSMISSION)))
        return;
    if (connection->connect_repeated && connection->verify_compressed && !connection->connect_compressed)
        gw_add_finding(context->items->pinfo, item, &enet_ei.compression_differs);
    if (is_connect && connection->connect_compressed && connection->peer[connection->client] == ENET_UNKNOWN_PEER)
        gw_add_finding(context->items->pinfo, item, &enet_ei.no_reply);
}

static void add_flags(const enet_context *context, proto_tree *tree, const enet_command *command,
                      const enet_finding *finding)
{
    packet_info *pinfo = context->items->pinfo;
    proto_item *item = proto_tree_get_parent(tree);
    if (finding->flags & ENET_GAP)
        item = enet_add_generated(tree, enet_hf.missing, finding->missing);
    else if (finding->flags & ENET_LOST)
        item = enet_add_generated(tree, enet_hf.lost, finding->missing);
    gw_add_frame_link(tree, enet_hf.used_in, finding->used_in);
    for (unsigned bit = 0; bit < ENET_FLAGS; bit++) {
        uint32_t flag = UINT32_C(1) << bit;
        /* Sent again, although it had arrived: a finding of its own. */
        bool is_other = flag == ENET_RETRANSMISSION && finding->flags & ENET_SPURIOUS;
        if (!(finding->flags & flag) || is_other)
            continue;
        /* Pings, limits and the like are no messages. */
        if (flag == ENET_RETRANSMISSION && finding->resend && !enet_has_payload(command)) {
            gw_add_finding(pinfo, item, &enet_ei.repeated);
            continue;
        }
        if (flag == ENET_NUMBER_REUSED)
            gw_add_finding_format(pinfo, item, &enet_ei.flags[bit],
                                  "Number used before in frame %u with other bytes: %s", finding->used_in,
                                  !gw_enet_command_of(command->number)->has_payload
                                      ? "ENet compares no numbers of commands about the connection"
                                  : finding->was_acked ? "the receiver drops this"
                                                       : "the receiver drops this, unless it has not got that one");
        else if (flag == ENET_SPURIOUS && enet_is_blocked(context->findings->pause))
            gw_add_finding_format(pinfo, item, &enet_ei.flags[bit],
                                  "Spurious retransmission: the command had already been acknowledged. This side was "
                                  "blocked: ENet looks for timeouts before it reads its socket");
        else if (flag == ENET_RETRANSMISSION && !finding->resend)
            gw_add_finding_format(pinfo, item, &enet_ei.flags[bit],
                                  "Retransmission: the first transmission was not captured");
        else
            gw_add_finding(pinfo, item, &enet_ei.flags[bit]);
    }
}

static void add_command(const enet_context *context, uint32_t index)
{
    const enet_command *command = &context->facts->commands[index];
    const enet_finding *finding = &context->findings->commands[index];
    proto_tree *tree = enet_tree_of_command(context->items, index);
    if (command->number == GW_ENET_ACKNOWLEDGE)
        add_ack(context, tree, command, finding);
    else if (finding->record)
        add_transmission(context, tree, finding);
    if (command->number == GW_ENET_CONNECT || command->number == GW_ENET_VERIFY_CONNECT) {
        add_handshake(context, tree, command);
        add_compression(context, proto_tree_get_parent(tree), command, finding);
    }
    if (finding->flags)
        add_flags(context, tree, command, finding);
    enet_add_fate(context->items, context->facts, context->findings, index);
}

/* ---- datagrams ------------------------------------------------------------------------------------------ */

static void add_checksum(const enet_context *context)
{
    const enet_findings *findings = context->findings;
    const gw_enet_header *header = &context->facts->header;
    packet_info *pinfo = context->items->pinfo;
    proto_tree *tree = context->items->protocol;
    tvbuff_t *tvb = context->items->datagram;
    uint8_t size = context->facts->format->checksum_size;
    bool known = findings && findings->connect_id_known;
    bool is_wrong = known && findings->checksum != header->checksum;
    proto_item *item;
    if (!tvb_bytes_exist(tvb, (int)header->checksum_at, size))
        return;
    if (size > sizeof(uint32_t)) {
        /* proto_tree_add_checksum() has 32 bits. */
        item = proto_tree_add_item(tree, enet_hf.checksum_64, tvb, (int)header->checksum_at, 8, ENC_BIG_ENDIAN);
        enet_add_generated(tree, enet_hf.checksum_status,
                           !known     ? PROTO_CHECKSUM_E_UNVERIFIED
                           : is_wrong ? PROTO_CHECKSUM_E_BAD
                                      : PROTO_CHECKSUM_E_GOOD);
    } else {
        item = proto_tree_add_checksum(tree, tvb, header->checksum_at, enet_hf.wire[GW_ENET_ROLE_CHECKSUM],
                                       enet_hf.checksum_status, NULL, pinfo, known ? (uint32_t)findings->checksum : 0,
                                       ENC_BIG_ENDIAN, known ? PROTO_CHECKSUM_VERIFY : PROTO_CHECKSUM_NO_FLAGS);
    }
    if (is_wrong)
        gw_add_finding(pinfo, item, &enet_ei.bad_checksum);
    if (known)
        enet_add_generated(tree, enet_hf.connect_id, findings->connect_id);
}

/* Hosts of a fork may accept a datagram that ENet ignores. */
static void add_continued(const enet_context *context)
{
    const enet_connection *connection = context->findings->connection;
    if (!connection->continued)
        return;
    proto_item *item = enet_add_generated(context->items->protocol, enet_hf.continued, connection->continued->number);
    if (connection->first_frame != context->items->pinfo->num)
        return;
    bool is_answered = connection->directions[0].any && connection->directions[1].any;
    gw_add_finding_format(context->items->pinfo, item, &enet_ei.continued,
                          "Continues connection %u from another address or port%s", connection->continued->number,
                          is_answered ? ", and is answered there"
                                      : ": ENet ignores it, as that is not the peer's address");
}

void enet_findings_add(const enet_items *items, const enet_facts *facts, const enet_findings *findings)
{
    const enet_context context = { items, facts, findings };
    if (facts->checksum)
        add_checksum(&context);
    if (facts->format != &gw_enet_formats[GW_ENET_1_3])
        enet_add_generated(items->protocol, enet_hf.format, (uint32_t)(facts->format - gw_enet_formats));
    if (!findings)
        return;
    enet_add_generated(items->protocol, enet_hf.connection, findings->connection->number);
    add_continued(&context);
    if (findings->summary.stale)
        gw_add_finding(items->pinfo, proto_tree_get_parent(items->protocol), &enet_ei.stale);
    if (findings->summary.nonce_repeated)
        gw_add_finding(items->pinfo, proto_tree_get_parent(items->protocol), &enet_ei.nonce);
    gw_add_frame_link(items->protocol, enet_hf.duplicate_of, findings->duplicate_of);
    if (findings->silent) {
        proto_item *item = proto_tree_add_time(items->protocol, enet_hf.silence, NULL, 0, 0, &findings->silence);
        proto_item_set_generated(item);
        gw_add_finding(items->pinfo, item, &enet_ei.silence);
    }
    enet_add_ends(items, findings);
    for (uint32_t i = 0; i < MIN(facts->count, ENET_MOST_SHOWN); i++)
        add_command(&context, i);
}
