/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds the results of the analysis as generated items.
 */
#include "internal.h"

#include "common/frame_links.h"
#include "common/item_budget.h"
#include "common/times.h"

#define REUSED_BIT 13 /* of ENET_NUMBER_REUSED */

/* What is shown of one datagram. */
typedef struct enet_context {
    const enet_tree *shown;
    const enet_facts *facts;
    const enet_findings *findings;
} enet_context;

static proto_item *add_uint(proto_tree *tree, int field, uint32_t number)
{
    proto_item *item = proto_tree_add_uint(tree, field, NULL, 0, 0, number);
    proto_item_set_generated(item);
    return item;
}

static void add_time_since(const enet_context *context, proto_tree *tree, int field, int64_t time)
{
    const nstime_t before = gw_time_of(time);
    gw_add_time_between(tree, field, &context->shown->pinfo->abs_ts, &before);
}

/* ---- commands ------------------------------------------------------------------------------------------- */

static void add_ack(const enet_context *context, proto_tree *tree, const enet_finding *finding)
{
    if (!finding->record)
        return;
    const enet_send *send = finding->send ? finding->send : &finding->record->first;
    gw_add_frame_link(tree, enet_hf.acks_frame, send->frame);
    if (finding->send && !(finding->flags & ENET_DUPLICATE_ACK))
        add_time_since(context, tree, enet_hf.ack_rtt, send->time);
}

static void add_sending(const enet_context *context, proto_tree *tree, const enet_finding *finding)
{
    const enet_record *record = finding->record;
    if (finding->flags & ENET_RETRANSMISSION && finding->resend) {
        gw_add_frame_link(tree, enet_hf.first_send, record->first.frame);
        add_time_since(context, tree, enet_hf.resend_time, record->first.time);
        add_uint(tree, enet_hf.resend_number, finding->resend);
    }
    if (finding->flags & ENET_DUPLICATE)
        return;
    const enet_send *next = finding->send ? enet_next_send(finding->send) : NULL;
    if (next)
        gw_add_frame_link(tree, enet_hf.resent_in, next->frame);
    gw_add_frame_link(tree, enet_hf.acked_in,
                      finding->send && finding->send->acked_in ? finding->send->acked_in : record->acked_in);
    if (finding->in_flight)
        add_uint(tree, enet_hf.in_flight, finding->in_flight);
}

/* CONNECT and VERIFY_CONNECT show the whole handshake: not those that were refused in favor of another. The response's
 * time is that of the first one. */
static void add_handshake(const enet_context *context, proto_tree *tree, const enet_command *command)
{
    const enet_connection *connection = context->findings->connection;
    if (!connection->has_connect_id || command->setup[GW_ENET_ROLE_CONNECT_ID] != connection->connect_id)
        return;
    if (command->number == GW_ENET_CONNECT) {
        gw_add_frame_link(tree, enet_hf.response_in, connection->verify_frame);
    } else {
        gw_add_frame_link(tree, enet_hf.response_to, connection->connect_frame);
        if (connection->connect_frame && connection->verify_frame == context->shown->pinfo->num)
            gw_add_time_between(tree, enet_hf.response_time, &context->shown->pinfo->abs_ts, &connection->connect_time);
    }
    gw_add_frame_link(tree, enet_hf.established_in, connection->established_frame);
    gw_add_frame_link(tree, enet_hf.disconnected_in, connection->disconnect_frame);
}

/* A host without a compressor drops compressed datagrams. The client has not connected, and asks again. */
static void add_compression(const enet_context *context, proto_tree *tree, const enet_command *command,
                            const enet_finding *finding)
{
    const enet_connection *connection = context->findings->connection;
    bool asks = command->number == GW_ENET_CONNECT;
    if (!connection->client_known || connection->established_frame || (asks && !(finding->flags & ENET_RETRANSMISSION)))
        return;
    if (connection->asked_again && connection->verify_compressed && !connection->connect_compressed)
        expert_add_info(context->shown->pinfo, proto_tree_get_parent(tree), &enet_ei.compression_differs);
    if (asks && connection->connect_compressed && connection->peer[connection->client] == ENET_UNKNOWN_PEER)
        expert_add_info(context->shown->pinfo, proto_tree_get_parent(tree), &enet_ei.no_reply);
}

static void add_established(const enet_context *context, proto_tree *tree)
{
    const enet_connection *connection = context->findings->connection;
    gw_add_frame_link(tree, enet_hf.begun_in, connection->connect_frame);
    if (connection->connect_frame)
        gw_add_time_between(tree, enet_hf.handshake_time, &context->shown->pinfo->abs_ts, &connection->connect_time);
}

/* The receiver may not have got the first command. */
static void add_reused(const enet_context *context, proto_item *item, const enet_finding *finding, bool has_payload)
{
    const char *consequence = !has_payload         ? "ENet compares no numbers of commands about the connection"
                              : finding->was_acked ? "the receiver drops this"
                                                   : "the receiver drops this, unless it has not got that one";
    expert_add_info_format(context->shown->pinfo, item, &enet_ei.flags[REUSED_BIT],
                           "Number used before in frame %u with other bytes: %s", finding->used_in, consequence);
}

static void add_flag(const enet_context *context, proto_item *item, uint32_t index, unsigned bit)
{
    packet_info *pinfo = context->shown->pinfo;
    const enet_finding *finding = &context->findings->commands[index];
    if (bit == REUSED_BIT)
        add_reused(context, item, finding, gw_enet_command_of(context->facts->commands[index].number)->has_payload);
    else if (UINT32_C(1) << bit == ENET_RETRANSMISSION && !finding->resend)
        expert_add_info_format(pinfo, item, &enet_ei.flags[bit],
                               "Retransmission: the first transmission was not captured");
    else
        expert_add_info(pinfo, item, &enet_ei.flags[bit]);
}

static void add_flags(const enet_context *context, proto_tree *tree, uint32_t index)
{
    const enet_finding *finding = &context->findings->commands[index];
    proto_item *item = proto_tree_get_parent(tree);
    if (finding->flags & ENET_GAP)
        item = add_uint(tree, enet_hf.missing, finding->missing);
    else if (finding->flags & ENET_LOST)
        item = add_uint(tree, enet_hf.lost, finding->missing);
    gw_add_frame_link(tree, enet_hf.used_in, finding->used_in);
    for (unsigned bit = 0; bit < ENET_FLAGS; bit++)
        if (finding->flags >> bit & 1U)
            add_flag(context, item, index, bit);
}

static void add_finding(const enet_context *context, uint32_t index)
{
    const enet_command *command = &context->facts->commands[index];
    const enet_finding *finding = &context->findings->commands[index];
    proto_tree *tree = enet_tree_of_command(context->shown, index);
    if (command->number == GW_ENET_ACKNOWLEDGE) {
        add_ack(context, tree, finding);
        if (context->findings->established && command->channel == GW_ENET_CONNECTION_CHANNEL && command->sequence == 1)
            add_established(context, tree);
    } else if (finding->record) {
        add_sending(context, tree, finding);
    }
    if (command->number == GW_ENET_CONNECT || command->number == GW_ENET_VERIFY_CONNECT) {
        add_handshake(context, tree, command);
        add_compression(context, tree, command, finding);
    }
    if (finding->flags)
        add_flags(context, tree, index);
}

/* ---- messages in fragments ------------------------------------------------------------------------------ */

/* In the form of Wireshark's reassembly, for show_fragment_tree(). */
static fragment_item *list_fragments(const enet_reassembly *message, wmem_allocator_t *scope, fragment_head *head)
{
    fragment_item *items = wmem_alloc0_array(scope, fragment_item, message->piece_count);
    for (uint32_t i = 0; i < message->piece_count; i++) {
        const enet_piece *piece = &message->pieces[i];
        items[i].next = i + 1 < message->piece_count ? &items[i + 1] : NULL;
        items[i].frame = piece->frame;
        items[i].offset = piece->offset;
        items[i].len = piece->length;
        items[i].flags = (piece->flags & ENET_PIECE_OVERLAP ? FD_OVERLAP : 0) |
                         (piece->flags & ENET_PIECE_CONFLICT ? FD_OVERLAPCONFLICT : 0) |
                         (piece->flags & ENET_PIECE_OTHER_TAIL ? FD_MULTIPLETAILS : 0) |
                         (piece->flags & ENET_PIECE_TOO_LONG ? FD_TOOLONGFRAGMENT : 0);
        head->flags |= items[i].flags;
    }
    return items;
}

/* ENet sends no message in so many fragments: only their number is shown. */
static void add_fragment_count(proto_tree *tree, tvbuff_t *whole, const enet_reassembly *message)
{
    const fragment_items *items = &enet_fragment_items;
    proto_item *item = proto_tree_add_item(tree, *items->hf_fragments, whole, 0, -1, ENC_NA);
    proto_item_set_generated(item);
    add_uint(proto_item_add_subtree(item, *items->ett_fragments), *items->hf_fragment_count, message->piece_count);
}

void enet_findings_add_fragments(const enet_tree *shown, uint32_t index, tvbuff_t *whole,
                                 const enet_reassembly *message)
{
    packet_info *pinfo = shown->pinfo;
    proto_tree *tree = enet_tree_of_command(shown, index);
    fragment_head head = { 0 };
    proto_item *item;
    if (!tree)
        return;
    if (!gw_use_items(gw_items_left(pinfo, *enet_fragment_items.hf_fragment), message->piece_count)) {
        add_fragment_count(tree, whole, message);
        return;
    }
    bool was_fragmented = pinfo->fragmented;
    head.next = list_fragments(message, pinfo->pool, &head);
    show_fragment_tree(&head, &enet_fragment_items, tree, pinfo, whole, &item);
    pinfo->fragmented = was_fragmented;
}

void enet_findings_add_reassembled_in(const enet_tree *shown, uint32_t index, const enet_reassembly *message)
{
    gw_add_frame_link(enet_tree_of_command(shown, index), *enet_fragment_items.hf_reassembled_in, message->frame);
}

/* ---- datagrams ------------------------------------------------------------------------------------------ */

/* proto_tree_add_checksum() has 32 bits. */
static void add_long_checksum(const enet_context *context, uint32_t before, bool known)
{
    proto_tree *tree = context->shown->protocol;
    bool is_right = known && context->findings->checksum == context->facts->header.checksum;
    proto_item *item =
        proto_tree_add_item(tree, enet_hf.checksum_64, context->shown->datagram, (int)before, 8, ENC_BIG_ENDIAN);
    if (known && !is_right)
        expert_add_info(context->shown->pinfo, item, &enet_ei.bad_checksum);
    uint32_t status = !known ? PROTO_CHECKSUM_E_UNVERIFIED : is_right ? PROTO_CHECKSUM_E_GOOD : PROTO_CHECKSUM_E_BAD;
    add_uint(tree, enet_hf.checksum_status, status);
}

static void add_checksum(const enet_context *context)
{
    const enet_findings *findings = context->findings;
    tvbuff_t *tvb = context->shown->datagram;
    uint32_t before = context->facts->header.checksum_at;
    uint8_t size = context->facts->format->checksum_size;
    bool known = findings && findings->connect_id_known;
    if (!tvb_bytes_exist(tvb, (int)before, size))
        return;
    if (size > sizeof(uint32_t))
        add_long_checksum(context, before, known);
    else
        proto_tree_add_checksum(context->shown->protocol, tvb, before, enet_hf.wire[GW_ENET_ROLE_CHECKSUM],
                                enet_hf.checksum_status, &enet_ei.bad_checksum, context->shown->pinfo,
                                known ? (uint32_t)findings->checksum : 0, ENC_BIG_ENDIAN,
                                known ? PROTO_CHECKSUM_VERIFY : PROTO_CHECKSUM_NO_FLAGS);
    if (known)
        add_uint(context->shown->protocol, enet_hf.connect_id, findings->connect_id);
}

/* Hosts of a fork may accept what ENet ignores. */
static void add_continued(const enet_context *context)
{
    const enet_connection *connection = context->findings->connection;
    if (!connection->continued)
        return;
    proto_item *item = add_uint(context->shown->protocol, enet_hf.continued, connection->continued->number);
    if (connection->first_frame != context->shown->pinfo->num)
        return;
    bool is_answered = connection->directions[0].any && connection->directions[1].any;
    expert_add_info_format(context->shown->pinfo, item, &enet_ei.continued,
                           "Continues connection %u from another address or port%s", connection->continued->number,
                           is_answered ? ", and is answered there"
                                       : ": ENet ignores it, as that is not the peer's address");
}

void enet_findings_add(const enet_tree *shown, const enet_facts *facts, const enet_findings *findings)
{
    const enet_context context = { shown, facts, findings };
    if (facts->checksum)
        add_checksum(&context);
    if (facts->format != &gw_enet_formats[GW_ENET_1_3])
        add_uint(shown->protocol, enet_hf.format, (uint32_t)(facts->format - gw_enet_formats));
    if (!findings)
        return;
    add_uint(shown->protocol, enet_hf.connection, findings->connection->number);
    add_continued(&context);
    if (findings->stale)
        expert_add_info(shown->pinfo, proto_tree_get_parent(shown->protocol), &enet_ei.stale);
    if (findings->nonce_repeated)
        expert_add_info(shown->pinfo, proto_tree_get_parent(shown->protocol), &enet_ei.nonce);
    gw_add_frame_link(shown->protocol, enet_hf.duplicate_of, findings->duplicate_of);
    if (findings->silent) {
        proto_item *item = proto_tree_add_time(shown->protocol, enet_hf.silence, NULL, 0, 0, &findings->silence);
        proto_item_set_generated(item);
        expert_add_info(shown->pinfo, item, &enet_ei.silence);
    }
    for (uint32_t i = 0; i < MIN(facts->count, ENET_MOST_SHOWN); i++)
        add_finding(&context, i);
}
