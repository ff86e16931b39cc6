/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds the results of the analysis: responses, acks, losses.
 */
#include "internal.h"

#include "common/conversation.h"
#include "common/findings.h"
#include "common/items.h"

/* The engine sends at most 32 acks; if there are more, the first ones are sufficient to show the fault. */
#define MOST_ACKS_SHOWN 64
#define LINE_SIZE       256

/* The datagram whose results are shown. */
typedef struct leviathan_context {
    const leviathan_tree *state;
    const leviathan_facts *facts;
    const leviathan_findings *findings; /* NULL: not analyzed */
    leviathan_reading numbering;        /* of the ack bits */
} leviathan_context;

/* Adds the time from one datagram to a later one as a generated item. */
static void add_time(proto_tree *tree, int field, const leviathan_findings *later, const leviathan_findings *earlier)
{
    const nstime_t between = gw_time_of(later->time - earlier->time);
    proto_item_set_generated(proto_tree_add_time(tree, field, NULL, 0, 0, &between));
}

/* ---- acks ---------------------------------------------------------------------------------------------- */

/* Adds how the ack bits are numbered, why, and the frame that proves it, if one does. */
static void add_numbering(proto_tree *tree, const leviathan_reading *numbering)
{
    const char *reason = "chosen in the preferences";
    if (numbering->reason == LEVIATHAN_ACKS_ASSUMED)
        reason = "assumed: nothing in this conversation contradicts it so far";
    else if (numbering->reason == LEVIATHAN_ACKS_PROVED && numbering->reading == GW_LEVIATHAN_ACKS_AS_ENGINE)
        reason = "proved: the documented numbering would acknowledge a packet that the peer did not send";
    else if (numbering->reason == LEVIATHAN_ACKS_PROVED)
        reason = "proved: the engine's numbering would acknowledge a packet that the peer did not send";
    proto_item *item = proto_tree_add_uint(tree, leviathan_hf.ack_numbering, NULL, 0, 0, numbering->reading);
    proto_item_set_generated(item);
    proto_tree *reasons = proto_item_add_subtree(item, leviathan_ett.ack);
    proto_item_set_generated(proto_tree_add_string(reasons, leviathan_hf.ack_numbering_reason, NULL, 0, 0, reason));
    gw_add_frame_link(reasons, leviathan_hf.ack_numbering_proof, numbering->proof);
}

/* Adds one acknowledged packet with a link to it, and the round-trip time if no earlier datagram acknowledged it; an
 * expert info if it was not sent. `id`: of that packet. `offset` and `length`: the bytes of its ack; `bit`: its place
 * in the byte of ack bits, 0 for the lowest. `tree`: NULL if only expert infos are needed. */
static void add_ack(const leviathan_context *context, proto_tree *tree, uint32_t id, uint32_t offset, uint32_t length,
                    uint32_t bit)
{
    const leviathan_tree *state = context->state;
    proto_item *item = NULL;
    if (tree)
        item = proto_tree_add_uint(tree, leviathan_hf.ack, state->tvb, (int)offset, (int)length, id);
    /* One byte: a bit of packed acks; an id of an ack-only packet has four bytes. */
    if (item && length == 1 && state->demand->visible) {
        /* "..1. .... = Acknowledged packet: 7": one bit of a byte. */
        char bits[] = ".... ....";
        bits[bit < 4 ? 8 - bit : 7 - bit] = '1'; /* bit 7 first; a space is between the bits 4 and 3 */
        proto_item_set_text(item, "%s = Acknowledged packet: %u", bits, id);
    }
    if (!context->findings)
        return;
    leviathan_ack ack = leviathan_find_ack(context->findings, id);
    if (ack.unseen)
        gw_add_finding_format(state->pinfo, leviathan_expert_item(state, item), &leviathan_ei.ack_unseen,
                              "Acknowledges packet %u, which was not sent, or is not in the capture", id);
    if (!tree || !ack.packet)
        return;
    proto_tree *subtree = proto_item_add_subtree(item, leviathan_ett.ack);
    gw_add_frame_link(subtree, leviathan_hf.acks_frame, ack.packet->frame);
    if (ack.first)
        add_time(subtree, leviathan_hf.ack_rtt, context->findings, ack.packet);
}

/* Adds the acknowledged packets below the item of the acks, at most MOST_ACKS_SHOWN, how their bits are numbered, and
 * the label of that item. `bits.bit` is the next bit to test: an id that was returned is of the bit before it. */
static void add_acks(const leviathan_context *context)
{
    const leviathan_tree *state = context->state;
    const leviathan_facts *facts = context->facts;
    const gw_leviathan_ack_reading reading = context->numbering.reading;
    const int fields[] = { leviathan_hf.ack,
                           leviathan_hf.acks_not_shown,
                           leviathan_hf.ack_numbering,
                           leviathan_hf.ack_numbering_reason,
                           leviathan_hf.ack_numbering_proof,
                           leviathan_hf.acks_frame,
                           leviathan_hf.ack_rtt };
    uint32_t count = 0;
    /* NULL when none of the items below the acks is referenced. */
    proto_tree *tree = NULL;
    if (state->acks)
        tree = proto_item_add_subtree(state->acks, leviathan_ett.acks);
    else if (state->trees[0] && gw_is_any_named(fields, array_length(fields)))
        tree = state->trees[0];
    /* Without items, acks are read only for the expert infos of unseen packets: `unseen_acks` has a bit for each
     * numbering (`reading`) by which an ack is of a packet that the peer did not send. */
    if (!tree && !(context->findings && context->findings->unseen_acks >> reading & 1U))
        return;

    if (facts->ack_only) {
        count = facts->acks_length / 4;
        if (state->demand->visible && tree)
            leviathan_label_ids(state->acks, facts->acks, count);
        for (uint32_t i = 0; i < MIN(count, MOST_ACKS_SHOWN); i++)
            add_ack(context, tree, gw_be32(facts->acks + 4 * (size_t)i), facts->acks_offset + 4 * i, 4, 0);
    } else {
        gw_leviathan_acks bits;
        uint32_t id;
        gw_leviathan_acks_init(&bits, facts->start_ack, facts->acks, facts->acks_length, reading);
        if (state->demand->visible && tree) {
            char line[LINE_SIZE];
            gw_text text;
            gw_text_init(&text, line, sizeof line);
            gw_leviathan_print_acks(&text, bits);
            proto_item_set_text(state->acks, "Packed acks: %s", line);
        }
        while (gw_leviathan_acks_next(&bits, &id))
            if (count++ < MOST_ACKS_SHOWN)
                add_ack(context, tree, id, facts->acks_offset + (bits.bit - 1) / 8, 1, (bits.bit - 1) % 8);
    }
    if (count > MOST_ACKS_SHOWN)
        proto_item_set_generated(
            proto_tree_add_uint(tree, leviathan_hf.acks_not_shown, NULL, 0, 0, count - MOST_ACKS_SHOWN));
    if (tree && !facts->ack_only)
        add_numbering(tree, &context->numbering);
}

/* ---- messages ------------------------------------------------------------------------------------------ */

/* Adds the relations of one message of the datagram: first send, resend, request, response. Its tree is NULL if it is
 * not shown; expert infos are added in any case. */
static void add_message(const leviathan_context *context, uint32_t index)
{
    packet_info *pinfo = context->state->pinfo;
    const leviathan_findings *findings = context->findings;
    const leviathan_sent *sent = &findings->messages[index];
    const leviathan_message_facts *message = &context->facts->messages[index];
    const leviathan_sent *first_send = leviathan_find_first_send(findings, index, message->number);
    const leviathan_sent *request = leviathan_find_request(findings, index, message->response_to);
    const leviathan_findings *first = leviathan_findings_of(first_send);
    proto_tree *tree = index < context->state->message_count ? context->state->messages[index] : NULL;
    proto_item *item = leviathan_expert_item(context->state, proto_tree_get_parent(tree));
    if (sent->is_resend) {
        gw_add_finding_format(pinfo, item, &leviathan_ei.retransmission, "This message was sent before, in frame %u",
                              first->frame);
        if (tree) {
            gw_add_frame_link(tree, leviathan_hf.first_send, first->frame);
            add_time(tree, leviathan_hf.resend_time, findings, first);
        }
    }
    if (sent->is_other)
        gw_add_finding_format(pinfo, item, &leviathan_ei.number_reused,
                              "Message number %u used before in frame %u with other bytes: the engine drops a number "
                              "that it received",
                              message->number, first->frame);
    if (sent->request_unseen)
        gw_add_finding_format(pinfo, item, &leviathan_ei.request_unseen,
                              "Answers request %u, which was not sent, or is not in the capture", message->response_to);
    if (!tree)
        return;
    if (request) {
        gw_add_frame_link(tree, leviathan_hf.response_to, leviathan_findings_of(request)->frame);
        if (!sent->is_resend && !findings->is_duplicate)
            add_time(tree, leviathan_hf.time, findings, leviathan_findings_of(request));
    }
    gw_add_frame_link(tree, leviathan_hf.response_in, first_send->response);
    /* On the first pass, a later datagram may contain the response. */
    if (sent->kind == GW_LEVIATHAN_REQUEST && !first_send->response && gw_is_later_pass(pinfo))
        proto_item_set_generated(proto_tree_add_boolean(tree, leviathan_hf.unanswered, NULL, 0, 0, true));
    /* Of all sends of a message, only the first one has the link to the next. */
    if (first == findings)
        gw_add_frame_link(tree, leviathan_hf.resent_in, first_send->resend);
}

/* ---- the packet ---------------------------------------------------------------------------------------- */

/* The reason for which the engine counts the packet of these findings as lost, as far as captured packets show it. */
static const char *reason_of_loss(const leviathan_findings *findings)
{
    return findings->lost_by_acks ? "no captured packet confirmed it, but one confirmed a packet more than 4 above it"
                                  : "no captured packet confirmed it within 1000 ms";
}

/* Adds the relations of the packet: duplicates, its first ack (by the reading that is used: how ack bits are numbered),
 * its loss; and the packets that the engine counts as lost when it arrives. "If it tracks it": the engine does not
 * track an unreliable packet, such as a Keepalive that only carries acks. Links need a tree; expert infos are added in
 * any case. */
static void add_packet(const leviathan_context *context)
{
    packet_info *pinfo = context->state->pinfo;
    const leviathan_findings *findings = context->findings;
    const leviathan_findings *ack = findings->acked_in[context->numbering.reading];
    proto_tree *tree = context->state->trees[0];
    proto_item *item = leviathan_expert_item(context->state, proto_tree_get_parent(tree));
    if (tree) {
        /* `same_as` of a duplicate is the first packet, of a first packet its first duplicate; 0 adds no link. */
        if (!findings->is_other)
            gw_add_frame_link(tree, findings->is_duplicate ? leviathan_hf.duplicate_of : leviathan_hf.duplicate_in,
                              findings->same_as);
        if (ack) {
            gw_add_frame_link(tree, leviathan_hf.acked_in, ack->frame);
            add_time(tree, leviathan_hf.rtt, ack, findings);
        }
        gw_add_frame_link(tree, leviathan_hf.lost_in, findings->lost_in);
    }
    if (findings->is_duplicate)
        gw_add_finding_format(pinfo, item, &leviathan_ei.duplicate, "This packet was seen before, in frame %u",
                              findings->same_as);
    if (findings->is_other)
        gw_add_finding_format(pinfo, item, &leviathan_ei.number_reused,
                              "Packet id %u used before in frame %u with other bytes", findings->packet_id,
                              findings->same_as);
    if (findings->out_of_order)
        gw_add_finding(pinfo, item, &leviathan_ei.out_of_order);
    if (findings->lost_in)
        gw_add_finding_format(pinfo, item, &leviathan_ei.lost,
                              "The engine counts this packet as lost, if it tracks it: %s", reason_of_loss(findings));
    /* The packets that are lost with this one. */
    uint32_t position = 0;
    const leviathan_findings *lost;
    while ((lost = leviathan_next_lost(findings, &position)))
        gw_add_finding_format(
            pinfo, leviathan_expert_item(context->state, gw_add_frame_link(tree, leviathan_hf.lost_frame, lost->frame)),
            &leviathan_ei.shows_loss,
            "With this packet, the engine counts packet %u in frame %u as lost, if it tracks it: %s", lost->packet_id,
            lost->frame, reason_of_loss(lost));
}

/* Adds the results of the analysis of a datagram: acks, messages, the packet. Without findings (NULL) only the acks,
 * with their bits numbered by `choice`, the preference. */
void leviathan_findings_add(const leviathan_tree *state, const leviathan_facts *facts,
                            const leviathan_findings *findings, leviathan_acks_choice choice)
{
    const leviathan_context context = { state, facts, findings, leviathan_find_reading(findings, choice) };
    if (facts->acks_length)
        add_acks(&context);
    if (!findings)
        return;
    for (uint32_t i = 0; i < findings->message_count; i++)
        add_message(&context, i);
    add_packet(&context);
}
