/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the analysis found, in the tree: generated items, and expert infos with or without a tree.
 */
#include "leviathan-fields.h"
#include "leviathan-tree.h"

/* The engine sends 32 acks at most; of more, the first are enough to see what is the matter. */
#define MOST_ACKS_SHOWN 64
#define LINE_SIZE       256

static void add_frame(const leviathan_datagram *datagram, proto_tree *tree, int field, uint32_t frame)
{
    if (frame)
        proto_item_set_generated(proto_tree_add_uint(tree, field, datagram->tvb, 0, 0, frame));
}

static void add_time(const leviathan_datagram *datagram, proto_tree *tree, int field, const nstime_t *time)
{
    proto_item_set_generated(proto_tree_add_time(tree, field, datagram->tvb, 0, 0, time));
}

/* ---- acks ---------------------------------------------------------------------------------------------- */

static const char *reason_text(const leviathan_numbering_finding *finding)
{
    switch (finding->reason) {
    case LEVIATHAN_ACKS_CHOSEN:
        return "chosen in the preferences";
    case LEVIATHAN_ACKS_ASSUMED:
        return "assumed: so far nothing in this conversation speaks against it";
    default:
        return finding->reading == GW_LEVIATHAN_ACKS_AS_ENGINE
                   ? "proved: as the documentation has it, a packet would be acknowledged that the peer did "
                     "not send"
                   : "proved: as the engine has it, a packet would be acknowledged that the peer did not "
                     "send";
    }
}

static void add_numbering(const leviathan_datagram *datagram, proto_tree *tree,
                          const leviathan_numbering_finding *finding)
{
    proto_item *item = proto_tree_add_uint(tree, leviathan_made.ack_numbering, datagram->tvb, 0, 0, finding->reading);
    proto_item_set_generated(item);
    proto_tree *reasons = proto_item_add_subtree(item, leviathan_ett.ack);
    proto_item_set_generated(
        proto_tree_add_string(reasons, leviathan_made.ack_numbering_reason, datagram->tvb, 0, 0, reason_text(finding)));
    add_frame(datagram, reasons, leviathan_made.ack_numbering_proof, finding->proof);
}

/* "..1. ....": one bit of a byte. */
static const char *bit_pattern(char *pattern, uint32_t bit)
{
    memcpy(pattern, ".... ....", 10);
    pattern[bit < 4 ? 8 - bit : 7 - bit] = '1';
    return pattern;
}

/* One acknowledged packet, and where its ack lies. */
typedef struct shown_ack {
    uint32_t id;
    uint32_t offset;
    uint32_t length;
    uint32_t bit; /* of its byte */
} shown_ack;

static proto_item *add_ack(const leviathan_datagram *datagram, proto_tree *tree, const shown_ack *ack)
{
    char pattern[10];
    proto_item *item =
        proto_tree_add_uint(tree, leviathan_made.ack, datagram->tvb, (int)ack->offset, (int)ack->length, ack->id);
    if (ack->length == 1 && leviathan_is_visible(tree))
        proto_item_set_text(item, "%s = Acknowledged packet: %u", bit_pattern(pattern, ack->bit), ack->id);
    return item;
}

static void show_ack(const leviathan_datagram *datagram, proto_tree *tree, const leviathan_place *place,
                     const shown_ack *ack)
{
    leviathan_ack_findings findings;
    proto_item *item = tree ? add_ack(datagram, tree, ack) : NULL;
    leviathan_find_ack(place, ack->id, &findings);
    if (findings.unseen)
        expert_add_info_format(datagram->pinfo, item, &leviathan_ei.ack_unseen,
                               "Acknowledges packet %u, which nobody sent, or which the capture lacks", ack->id);
    if (!tree || !findings.frame)
        return;
    proto_tree *links = proto_item_add_subtree(item, leviathan_ett.ack);
    add_frame(datagram, links, leviathan_made.acks_frame, findings.frame);
    if (findings.first)
        add_time(datagram, links, leviathan_made.ack_rtt, &findings.rtt);
}

static void show_not_shown(const leviathan_datagram *datagram, proto_tree *tree, uint32_t count)
{
    if (count > MOST_ACKS_SHOWN)
        proto_item_set_generated(
            proto_tree_add_uint(tree, leviathan_made.acks_not_shown, datagram->tvb, 0, 0, count - MOST_ACKS_SHOWN));
}

static void show_ids(const leviathan_datagram *datagram, proto_tree *tree, const leviathan_place *place)
{
    uint32_t count = datagram->facts.acks_length / 4;
    if (leviathan_is_visible(tree))
        leviathan_name_ids(datagram->acks, datagram->facts.acks, count);
    for (uint32_t i = 0; i < MIN(count, MOST_ACKS_SHOWN); i++) {
        shown_ack ack = { gw_be32(datagram->facts.acks + 4 * (size_t)i), datagram->acks_offset + 4 * i, 4, 0 };
        show_ack(datagram, tree, place, &ack);
    }
    show_not_shown(datagram, tree, count);
}

static void show_bits(const leviathan_datagram *datagram, proto_tree *tree, const leviathan_place *place,
                      gw_leviathan_acks bits)
{
    uint32_t count = 0;
    shown_ack ack = { .length = 1 };
    while (gw_leviathan_acks_next(&bits, &ack.id)) {
        ack.bit = (bits.bit - 1) % 8;
        ack.offset = datagram->acks_offset + (bits.bit - 1) / 8;
        if (count++ < MOST_ACKS_SHOWN)
            show_ack(datagram, tree, place, &ack);
    }
    show_not_shown(datagram, tree, count);
}

static void name_acks(const leviathan_datagram *datagram, gw_leviathan_acks bits)
{
    char line[LINE_SIZE];
    gw_text text;
    gw_text_init(&text, line, sizeof line);
    gw_leviathan_print_acks(&text, bits);
    proto_item_set_text(datagram->acks, "Acks: %s", line);
}

static void show_acks(const leviathan_datagram *datagram, const leviathan_place *place)
{
    leviathan_numbering_finding numbering = leviathan_find_numbering(place);
    proto_tree *tree = datagram->trees[0] ? proto_item_add_subtree(datagram->acks, leviathan_ett.acks) : NULL;
    gw_leviathan_acks bits;
    if (datagram->facts.ack_only) {
        show_ids(datagram, tree, place);
        return;
    }
    gw_leviathan_acks_init(&bits, datagram->facts.start_ack, datagram->facts.acks, datagram->facts.acks_length,
                           numbering.reading);
    if (leviathan_is_visible(tree))
        name_acks(datagram, bits);
    show_bits(datagram, tree, place, bits);
    if (tree)
        add_numbering(datagram, tree, &numbering);
}

/* ---- messages ------------------------------------------------------------------------------------------ */

static void show_request(const leviathan_datagram *datagram, proto_tree *tree,
                         const leviathan_message_findings *findings)
{
    add_frame(datagram, tree, leviathan_made.request_in, findings->request_in);
    if (findings->request_in && !findings->first_send)
        add_time(datagram, tree, leviathan_made.time, &findings->time);
}

static void show_resend(const leviathan_datagram *datagram, proto_tree *tree,
                        const leviathan_message_findings *findings)
{
    expert_add_info_format(datagram->pinfo, proto_tree_get_parent(tree), &leviathan_ei.retransmission,
                           "This message was sent before, in frame %u", findings->first_send);
    if (!tree)
        return;
    add_frame(datagram, tree, leviathan_made.first_send, findings->first_send);
    add_time(datagram, tree, leviathan_made.resend_time, &findings->resend_time);
}

static void show_message(leviathan_datagram *datagram, const leviathan_place *place, uint32_t index)
{
    leviathan_message_findings *findings = &datagram->messages[index].findings;
    proto_tree *tree = datagram->messages[index].tree;
    leviathan_find_message(place, &datagram->message_facts[index], findings);
    if (findings->first_send)
        show_resend(datagram, tree, findings);
    if (findings->request_unseen)
        expert_add_info_format(datagram->pinfo, proto_tree_get_parent(tree), &leviathan_ei.request_unseen,
                               "Answers request %u, which nobody sent, or which the capture lacks",
                               datagram->message_facts[index].response_to);
    if (!tree)
        return;
    show_request(datagram, tree, findings);
    add_frame(datagram, tree, leviathan_made.response_in, findings->response_in);
    add_frame(datagram, tree, leviathan_made.resent_in, findings->resent_in);
}

/* ---- the packet ---------------------------------------------------------------------------------------- */

static void add_packet_links(const leviathan_datagram *datagram, proto_tree *tree,
                             const leviathan_packet_findings *findings)
{
    add_frame(datagram, tree, leviathan_made.duplicate_of, findings->duplicate_of);
    add_frame(datagram, tree, leviathan_made.duplicate_in, findings->duplicate_in);
    add_frame(datagram, tree, leviathan_made.acked_in, findings->acked_in);
    if (findings->acked_in)
        add_time(datagram, tree, leviathan_made.rtt, &findings->rtt);
    add_frame(datagram, tree, leviathan_made.passed_over_in, findings->passed_over_in);
}

static void show_packet(leviathan_datagram *datagram, const leviathan_place *place)
{
    packet_info *pinfo = datagram->pinfo;
    proto_tree *tree = datagram->trees[0];
    proto_item *item = proto_tree_get_parent(tree);
    const leviathan_packet_findings *findings = &datagram->findings;
    leviathan_find_packet(place, &datagram->findings);
    if (tree)
        add_packet_links(datagram, tree, findings);
    if (findings->duplicate_of)
        expert_add_info_format(pinfo, item, &leviathan_ei.duplicate, "This packet was seen before, in frame %u",
                               findings->duplicate_of);
    if (findings->out_of_order)
        expert_add_info(pinfo, item, &leviathan_ei.out_of_order);
    if (findings->passed_over_in && !findings->acked_in)
        expert_add_info(pinfo, item, &leviathan_ei.lost);
}

static void show_passed_over(const leviathan_datagram *datagram, const leviathan_place *place)
{
    uint32_t position = 0, frame;
    while ((frame = leviathan_next_passed_over(place, &position))) {
        proto_item *item = NULL;
        if (datagram->trees[0]) {
            item = proto_tree_add_uint(datagram->trees[0], leviathan_made.passes_over, datagram->tvb, 0, 0, frame);
            proto_item_set_generated(item);
        }
        expert_add_info_format(datagram->pinfo, item, &leviathan_ei.ack_passes_over,
                               "For a second later packets have been acknowledged, and that of frame %u not", frame);
    }
}

void leviathan_show_findings(leviathan_datagram *datagram, const leviathan_place *place)
{
    if (datagram->facts.acks_length)
        show_acks(datagram, place);
    for (uint32_t i = 0; i < datagram->facts.message_count; i++)
        show_message(datagram, place, i);
    show_packet(datagram, place);
    show_passed_over(datagram, place);
}
