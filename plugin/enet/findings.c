/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds the results of the analysis as generated items.
 */
#include "findings.h"

#include "common/limits.h"
#include "common/links.h"
#include "fields.h"

/* What is shown of one datagram. */
typedef struct context {
    const enet_tree *shown;
    const enet_facts *facts;
    const enet_notes *notes;
} context;

static proto_item *add_uint(proto_tree *tree, int field, uint32_t number)
{
    proto_item *item = proto_tree_add_uint(tree, field, NULL, 0, 0, number);
    proto_item_set_generated(item);
    return item;
}

/* ---- commands ------------------------------------------------------------------------------------------- */

static void show_ack(const context *at, proto_tree *tree, const enet_note *note)
{
    if (!note->record)
        return;
    const enet_send *send = note->send ? note->send : &note->record->first;
    gw_add_frame_link(tree, enet_made.acks_frame, send->frame);
    if (note->send && !(note->findings & ENET_DUPLICATE_ACK))
        gw_add_time_between(tree, enet_made.ack_rtt, &at->shown->pinfo->abs_ts, &send->time);
}

static void show_sending(const context *at, proto_tree *tree, const enet_note *note)
{
    const enet_record *record = note->record;
    if (note->findings & ENET_RETRANSMISSION && note->resend) {
        gw_add_frame_link(tree, enet_made.first_send, record->first.frame);
        gw_add_time_between(tree, enet_made.resend_time, &at->shown->pinfo->abs_ts, &record->first.time);
        add_uint(tree, enet_made.resend_number, note->resend);
    }
    if (note->findings & ENET_DUPLICATE)
        return;
    if (note->send && note->send->next)
        gw_add_frame_link(tree, enet_made.resent_in, note->send->next->frame);
    gw_add_frame_link(tree, enet_made.acked_in,
                      note->send && note->send->acked_in ? note->send->acked_in : record->acked_in);
    if (note->in_flight)
        add_uint(tree, enet_made.in_flight, note->in_flight);
}

/* CONNECT and VERIFY_CONNECT show the whole handshake: not those that were refused in favor of another. The response's
 * time is that of the first one. */
static void show_handshake(const context *at, proto_tree *tree, const enet_command *command)
{
    const enet_connection *connection = at->notes->connection;
    if (!connection->has_connect_id || command->setup[GW_ENET_ROLE_CONNECT_ID] != connection->connect_id)
        return;
    if (command->number == GW_ENET_CONNECT) {
        gw_add_frame_link(tree, enet_made.response_in, connection->verify_frame);
    } else {
        gw_add_frame_link(tree, enet_made.response_to, connection->connect_frame);
        if (connection->connect_frame && connection->verify_frame == at->shown->pinfo->num)
            gw_add_time_between(tree, enet_made.response_time, &at->shown->pinfo->abs_ts, &connection->connect_time);
    }
    gw_add_frame_link(tree, enet_made.established_in, connection->established_frame);
    gw_add_frame_link(tree, enet_made.disconnected_in, connection->disconnect_frame);
}

static void show_established(const context *at, proto_tree *tree)
{
    const enet_connection *connection = at->notes->connection;
    gw_add_frame_link(tree, enet_made.begun_in, connection->connect_frame);
    if (connection->connect_frame)
        gw_add_time_between(tree, enet_made.handshake_time, &at->shown->pinfo->abs_ts, &connection->connect_time);
}

static void add_finding(const context *at, proto_item *item, const enet_note *note, unsigned bit)
{
    packet_info *pinfo = at->shown->pinfo;
    if (UINT32_C(1) << bit == ENET_RETRANSMISSION && !note->resend)
        expert_add_info_format(pinfo, item, &enet_ei.findings[bit],
                               "Retransmission: the first transmission was not captured");
    else
        expert_add_info(pinfo, item, &enet_ei.findings[bit]);
}

static void show_findings(const context *at, proto_tree *tree, const enet_note *note)
{
    proto_item *item = proto_tree_get_parent(tree);
    if (note->findings & ENET_GAP)
        item = add_uint(tree, enet_made.missing, note->missing);
    else if (note->findings & ENET_LOST)
        item = add_uint(tree, enet_made.lost, note->missing);
    for (unsigned bit = 0; bit < ENET_FINDINGS; bit++)
        if (note->findings >> bit & 1U)
            add_finding(at, item, note, bit);
}

static void show_note(const context *at, uint32_t index)
{
    const enet_command *command = &at->facts->commands[index];
    const enet_note *note = &at->notes->commands[index];
    proto_tree *tree = enet_tree_of_command(at->shown, index);
    if (command->number == GW_ENET_ACKNOWLEDGE) {
        show_ack(at, tree, note);
        if (at->notes->established && command->channel == GW_ENET_CONNECTION_CHANNEL && command->sequence == 1)
            show_established(at, tree);
    } else if (note->record) {
        show_sending(at, tree, note);
    }
    if (command->number == GW_ENET_CONNECT || command->number == GW_ENET_VERIFY_CONNECT)
        show_handshake(at, tree, command);
    if (note->findings)
        show_findings(at, tree, note);
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
static void show_fragment_count(proto_tree *tree, tvbuff_t *whole, const enet_reassembly *message)
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
    if (!gw_take_items(gw_items_left(pinfo, *enet_fragment_items.hf_fragment), message->piece_count)) {
        show_fragment_count(tree, whole, message);
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

static void show_checksum(const context *at)
{
    const enet_notes *notes = at->notes;
    tvbuff_t *tvb = at->shown->datagram;
    uint32_t before = gw_enet_header_length(at->facts->header, false);
    bool known = notes && notes->connect_id_known;
    if (!tvb_bytes_exist(tvb, (int)before, 4))
        return;
    proto_tree_add_checksum(at->shown->protocol, tvb, before, enet_hf[GW_ENET_ROLE_CHECKSUM], enet_part.checksum_status,
                            &enet_ei.bad_checksum, at->shown->pinfo, known ? notes->checksum : 0, ENC_BIG_ENDIAN,
                            known ? PROTO_CHECKSUM_VERIFY : PROTO_CHECKSUM_NO_FLAGS);
    if (known)
        add_uint(at->shown->protocol, enet_made.connect_id, notes->connect_id);
}

void enet_findings_add(const enet_tree *shown, const enet_facts *facts, const enet_notes *notes)
{
    const context at = { shown, facts, notes };
    if (facts->checksum)
        show_checksum(&at);
    if (!notes)
        return;
    add_uint(shown->protocol, enet_made.connection, notes->connection->number);
    if (notes->stale)
        expert_add_info(shown->pinfo, proto_tree_get_parent(shown->protocol), &enet_ei.stale);
    gw_add_frame_link(shown->protocol, enet_made.duplicate_of, notes->duplicate_of);
    if (notes->silent) {
        proto_item *item = proto_tree_add_time(shown->protocol, enet_made.silence, NULL, 0, 0, &notes->silence);
        proto_item_set_generated(item);
        expert_add_info(shown->pinfo, item, &enet_ei.silence);
    }
    for (uint32_t i = 0; i < MIN(facts->count, ENET_MOST_SHOWN); i++)
        show_note(&at, i);
}
