/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds the results of the analysis: responses, acks, losses.
 */
#include "internal.h"

#include "common/conversation.h"
#include "common/frame_links.h"

/* The engine sends at most 32 acks; if there are more, the first ones are sufficient to show the fault. */
#define MOST_ACKS_SHOWN 64
#define LINE_SIZE       256

/* The datagram whose results are shown. */
typedef struct leviathan_context {
    const leviathan_tree *state;
    const leviathan_facts *facts;
    const leviathan_findings *findings; /* NULL: not analyzed */
} leviathan_context;

static void add_frame(proto_tree *tree, int field, const leviathan_findings *findings)
{
    if (findings)
        gw_add_frame_link(tree, field, findings->frame);
}

static void add_time(proto_tree *tree, int field, const leviathan_findings *later, const leviathan_findings *earlier)
{
    gw_add_time_between(tree, field, &later->time, &earlier->time);
}

/* ---- acks ---------------------------------------------------------------------------------------------- */

static const char *reason_text(const leviathan_reading *found)
{
    switch (found->reason) {
    case LEVIATHAN_ACKS_CHOSEN:
        return "chosen in the preferences";
    case LEVIATHAN_ACKS_ASSUMED:
        return "assumed: nothing in this conversation contradicts it so far";
    default:
        return found->reading == GW_LEVIATHAN_ACKS_AS_ENGINE
                   ? "proved: the documented numbering would acknowledge a packet that the peer did not send"
                   : "proved: the engine's numbering would acknowledge a packet that the peer did not send";
    }
}

static void add_reading(proto_tree *tree, const leviathan_reading *found)
{
    proto_item *item = proto_tree_add_uint(tree, leviathan_hf.ack_numbering, NULL, 0, 0, found->reading);
    proto_item_set_generated(item);
    proto_tree *reasons = proto_item_add_subtree(item, leviathan_ett.ack);
    proto_item_set_generated(
        proto_tree_add_string(reasons, leviathan_hf.ack_numbering_reason, NULL, 0, 0, reason_text(found)));
    gw_add_frame_link(reasons, leviathan_hf.ack_numbering_proof, found->proof);
}

/* "..1. .... = Acknowledged packet: 7": one bit of a byte. */
static void label_bit(const leviathan_context *context, proto_item *item, uint32_t bit, uint32_t id)
{
    char bits[] = ".... ....";
    if (!context->state->demand->visible)
        return;
    bits[bit < 4 ? 8 - bit : 7 - bit] = '1';
    proto_item_set_text(item, "%s = Acknowledged packet: %u", bits, id);
}

/* One acknowledged packet, and the bytes of its ack. */
typedef struct shown_ack {
    uint32_t id;
    uint32_t offset;
    uint32_t length;
    uint32_t bit; /* of its byte */
} shown_ack;

static proto_item *add_ack_item(const leviathan_context *context, proto_tree *tree, const shown_ack *ack)
{
    proto_item *item =
        proto_tree_add_uint(tree, leviathan_hf.ack, context->state->tvb, (int)ack->offset, (int)ack->length, ack->id);
    if (ack->length == 1)
        label_bit(context, item, ack->bit, ack->id);
    return item;
}

static void add_ack(const leviathan_context *context, proto_tree *tree, const shown_ack *ack)
{
    proto_item *item = tree ? add_ack_item(context, tree, ack) : NULL;
    if (!context->findings)
        return;
    leviathan_ack found = leviathan_find_ack(context->findings, ack->id);
    if (found.unseen)
        expert_add_info_format(context->state->pinfo, leviathan_expert_item(context->state, item),
                               &leviathan_ei.ack_unseen,
                               "Acknowledges packet %u, which was not sent, or is not in the capture", ack->id);
    if (!tree || !found.packet)
        return;
    proto_tree *subtree = proto_item_add_subtree(item, leviathan_ett.ack);
    add_frame(subtree, leviathan_hf.acks_frame, found.packet);
    if (found.first)
        add_time(subtree, leviathan_hf.ack_rtt, context->findings, found.packet);
}

static void add_not_shown(proto_tree *tree, uint32_t count)
{
    if (count > MOST_ACKS_SHOWN)
        proto_item_set_generated(
            proto_tree_add_uint(tree, leviathan_hf.acks_not_shown, NULL, 0, 0, count - MOST_ACKS_SHOWN));
}

static void add_ids(const leviathan_context *context, proto_tree *tree)
{
    uint32_t count = context->facts->acks_length / 4;
    if (context->state->demand->visible && tree)
        leviathan_label_ids(context->state->acks, context->facts->acks, count);
    for (uint32_t i = 0; i < MIN(count, MOST_ACKS_SHOWN); i++) {
        shown_ack ack = { gw_be32(context->facts->acks + 4 * (size_t)i), context->facts->acks_offset + 4 * i, 4, 0 };
        add_ack(context, tree, &ack);
    }
    add_not_shown(tree, count);
}

static void add_bits(const leviathan_context *context, proto_tree *tree, gw_leviathan_acks bits)
{
    uint32_t count = 0;
    shown_ack ack = { .length = 1 };
    while (gw_leviathan_acks_next(&bits, &ack.id)) {
        ack.bit = (bits.bit - 1) % 8;
        ack.offset = context->facts->acks_offset + (bits.bit - 1) / 8;
        if (count++ < MOST_ACKS_SHOWN)
            add_ack(context, tree, &ack);
    }
    add_not_shown(tree, count);
}

static void label_acks(const leviathan_context *context, gw_leviathan_acks bits)
{
    char line[LINE_SIZE];
    gw_text text;
    gw_text_init(&text, line, sizeof line);
    gw_leviathan_print_acks(&text, bits);
    proto_item_set_text(context->state->acks, "Packed acks: %s", line);
}

/* NULL when none of the items below the acks is referenced. */
static proto_tree *tree_of_acks(const leviathan_context *context)
{
    proto_tree *tree = context->state->trees[0];
    if (context->state->acks)
        return proto_item_add_subtree(context->state->acks, leviathan_ett.acks);
    return tree && leviathan_asks_for_acks() ? tree : NULL;
}

static void add_acks(const leviathan_context *context, leviathan_acks_choice choice)
{
    const leviathan_facts *facts = context->facts;
    leviathan_reading found = leviathan_find_reading(context->findings, choice);
    proto_tree *tree = tree_of_acks(context);
    if (!tree && !(context->findings && leviathan_has_unseen_acks(context->findings)))
        return;
    gw_leviathan_acks bits;
    if (facts->ack_only) {
        add_ids(context, tree);
        return;
    }
    gw_leviathan_acks_init(&bits, facts->start_ack, facts->acks, facts->acks_length, found.reading);
    if (context->state->demand->visible && tree)
        label_acks(context, bits);
    add_bits(context, tree, bits);
    if (tree)
        add_reading(tree, &found);
}

/* ---- messages ------------------------------------------------------------------------------------------ */

static void add_request(const leviathan_context *context, proto_tree *tree, const leviathan_sent *sent)
{
    if (!sent->request)
        return;
    const leviathan_findings *request = leviathan_findings_of(sent->request);
    add_frame(tree, leviathan_hf.response_to, request);
    if (!sent->is_resend && !context->findings->is_duplicate)
        add_time(tree, leviathan_hf.time, context->findings, request);
}

static void add_resend(const leviathan_context *context, proto_tree *tree, const leviathan_sent *sent)
{
    const leviathan_findings *first = leviathan_findings_of(sent->first);
    expert_add_info_format(context->state->pinfo, leviathan_expert_item(context->state, proto_tree_get_parent(tree)),
                           &leviathan_ei.retransmission, "This message was sent before, in frame %u", first->frame);
    if (!tree)
        return;
    add_frame(tree, leviathan_hf.first_send, first);
    add_time(tree, leviathan_hf.resend_time, context->findings, first);
}

/* On the first pass, a later datagram may contain the response. */
static void add_unanswered(const leviathan_context *context, proto_tree *tree)
{
    if (gw_is_later_pass(context->state->pinfo))
        proto_item_set_generated(proto_tree_add_boolean(tree, leviathan_hf.unanswered, NULL, 0, 0, true));
}

static void add_message(const leviathan_context *context, uint32_t index)
{
    const leviathan_sent *sent = &context->findings->messages[index];
    proto_tree *tree = leviathan_tree_of_message(context->state, index);
    if (sent->is_resend)
        add_resend(context, tree, sent);
    if (sent->is_other)
        expert_add_info_format(
            context->state->pinfo, leviathan_expert_item(context->state, proto_tree_get_parent(tree)),
            &leviathan_ei.number_reused,
            "Message number %u used before in frame %u with other bytes: the engine drops a number that it received",
            sent->number, leviathan_findings_of(sent->first)->frame);
    if (sent->request_unseen)
        expert_add_info_format(
            context->state->pinfo, leviathan_expert_item(context->state, proto_tree_get_parent(tree)),
            &leviathan_ei.request_unseen, "Answers request %u, which was not sent, or is not in the capture",
            context->facts->messages[index].response_to);
    if (!tree)
        return;
    add_request(context, tree, sent);
    gw_add_frame_link(tree, leviathan_hf.response_in, sent->first->response);
    if (sent->kind == GW_LEVIATHAN_REQUEST && !sent->first->response)
        add_unanswered(context, tree);
    if (leviathan_findings_of(sent->first) == context->findings)
        gw_add_frame_link(tree, leviathan_hf.resent_in, sent->first->resend);
}

/* ---- the packet ---------------------------------------------------------------------------------------- */

static void add_packet_frames(const leviathan_context *context, proto_tree *tree)
{
    const leviathan_findings *findings = context->findings;
    const leviathan_findings *ack = leviathan_find_first_ack(findings);
    gw_add_frame_link(tree, findings->is_duplicate ? leviathan_hf.duplicate_of : leviathan_hf.duplicate_in,
                      findings->duplicate);
    add_frame(tree, leviathan_hf.acked_in, ack);
    if (ack)
        add_time(tree, leviathan_hf.rtt, ack, findings);
    gw_add_frame_link(tree, leviathan_hf.lost_in, findings->lost_in);
}

static const char *reason_of_loss(const leviathan_findings *findings)
{
    return findings->lost_by_acks ? "no captured packet confirmed it, but one confirmed a packet more than 4 above it"
                                  : "no captured packet confirmed it within 1000 ms";
}

static void add_packet(const leviathan_context *context)
{
    const leviathan_findings *findings = context->findings;
    proto_tree *tree = context->state->trees[0];
    proto_item *item = proto_tree_get_parent(tree);
    if (tree)
        add_packet_frames(context, tree);
    if (findings->is_duplicate)
        expert_add_info_format(context->state->pinfo, leviathan_expert_item(context->state, item),
                               &leviathan_ei.duplicate, "This packet was seen before, in frame %u",
                               findings->duplicate);
    if (findings->other)
        expert_add_info_format(context->state->pinfo, leviathan_expert_item(context->state, item),
                               &leviathan_ei.number_reused, "Packet id %u used before in frame %u with other bytes",
                               findings->packet_id, findings->other);
    if (findings->out_of_order)
        expert_add_info(context->state->pinfo, leviathan_expert_item(context->state, item), &leviathan_ei.out_of_order);
    if (findings->lost_in)
        expert_add_info_format(context->state->pinfo, leviathan_expert_item(context->state, item), &leviathan_ei.lost,
                               "The engine counts this packet as lost, if it tracks it: %s", reason_of_loss(findings));
}

static void add_losses(const leviathan_context *context)
{
    uint32_t position = 0;
    const leviathan_findings *lost;
    while ((lost = leviathan_next_lost(context->findings, &position))) {
        proto_item *item = gw_add_frame_link(context->state->trees[0], leviathan_hf.lost_frame, lost->frame);
        expert_add_info_format(context->state->pinfo, leviathan_expert_item(context->state, item),
                               &leviathan_ei.shows_loss,
                               "With this packet, the engine counts packet %u in frame %u as lost, if it tracks it: %s",
                               lost->packet_id, lost->frame, reason_of_loss(lost));
    }
}

void leviathan_findings_add(const leviathan_tree *state, const leviathan_facts *facts,
                            const leviathan_findings *findings, leviathan_acks_choice choice)
{
    const leviathan_context context = { state, facts, findings };
    if (facts->acks_length)
        add_acks(&context, choice);
    if (!findings)
        return;
    for (uint32_t i = 0; i < findings->message_count; i++)
        add_message(&context, i);
    add_packet(&context);
    add_losses(&context);
}
