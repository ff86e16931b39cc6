/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Updates the findings of sessions, packets and messages from the facts of each datagram, on the first pass.
 */
#include "internal.h"

#include "common/conversation.h"
#include "common/frame_log.h"
#include "common/kept_memory.h"

/* The engine closes a connection on which it has received nothing for this long (its source). */
static const nstime_t dead_after = NSTIME_INIT_SECS(180);
/* The engine counts a packet as lost that was not confirmed within this time after it was sent, or if the newest
 * confirmed packet id exceeds its id by more than this number (its source). */
static const nstime_t lost_after = NSTIME_INIT_SECS(1);
#define LOST_BELOW 4
/* Initial capacity for losses. */
#define FIRST_LOSSES 4
/* Maximum number of packets of one side without an ack that are tracked: the engine never has that many. */
#define MOST_OUTSTANDING 128

/* One of the two senders of a session. */
typedef struct side {
    wmem_map_t *packets;          /* packet id -> leviathan_findings; NULL: none */
    wmem_map_t *messages;         /* message number -> leviathan_sent, the first send; NULL: none */
    wmem_list_t *outstanding;     /* leviathan_findings, in order: not acknowledged so far: is_acknowledged() */
    leviathan_findings *ack_only; /* the last datagram, if it was an ack-only packet */
    uint32_t ids[GW_LEVIATHAN_MOST_ACK_ONLY_IDS];
    uint32_t id_count;
    uint32_t first_id;      /* of the first packet that was captured; 0: none was */
    uint32_t first_message; /* the first message number in it */
    uint32_t first_order;   /* its order */
    uint32_t lowest_id;
    uint32_t highest_id;
    uint32_t highest_acked; /* by the ack reading in use */
    bool sent_any;          /* a datagram was captured */
    bool from_start;        /* the first message of the connection was captured: ids before first_id were never sent */
} side;

typedef struct loss {
    const leviathan_findings *shown_in;
    leviathan_findings *packet;
} loss;

/* One connection: the ids of both ends begin at 1. */
struct leviathan_session {
    leviathan_acks_choice choice;
    gw_leviathan_ack_reading reading; /* in use if the choice is automatic */
    uint32_t proof;                   /* frame that proved the reading; 0: none so far */
    uint32_t count;                   /* of datagrams */
    nstime_t last_time;
    wmem_array_t *losses; /* loss, ascending by order of shown_in; NULL: none */
    bool closed;
    side sides[2];
};

/* Stored for a conversation: its consecutive sessions. */
typedef struct session_slot {
    leviathan_session *current, *before;
    uint32_t row;  /* first frame of the candidates, or 0 */
    bool is_found; /* it is Leviathan's: its packets are no longer candidates */
} session_slot;

/* By key: a pointer to the findings. */
static gw_frame_log datagrams;

void leviathan_register_analysis(void)
{
    gw_frame_log_init(&datagrams);
}

/* ---- look-ups ------------------------------------------------------------------------------------------ */

static void *find_in(wmem_map_t *map, uint32_t key)
{
    return map && key ? wmem_map_lookup(map, GUINT_TO_POINTER(key)) : NULL;
}

/* Creates the map, which takes 320 bytes, for the first value: many conversations have one packet, or one sender. */
static void keep_in(wmem_map_t **map, uint32_t key, void *value)
{
    if (!*map)
        *map = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
    wmem_map_insert(*map, GUINT_TO_POINTER(key), value);
}

static leviathan_findings *find_packet(const side *sender, uint32_t packet_id)
{
    return find_in(sender->packets, packet_id);
}

static leviathan_sent *find_message(const side *sender, uint32_t number)
{
    return find_in(sender->messages, number);
}

/* As find_packet(), but without a look-up if the capture has all packets, which is the usual case. */
static bool has_sent(const side *sender, uint32_t packet_id)
{
    if (!sender->packets || packet_id < sender->lowest_id || packet_id > sender->highest_id)
        return false;
    return sender->highest_id - sender->lowest_id + 1 == wmem_map_size(sender->packets) ||
           find_packet(sender, packet_id);
}

static side *own_side(const leviathan_findings *findings)
{
    return &findings->session->sides[findings->side];
}

static side *peer_side(const leviathan_findings *findings)
{
    return &findings->session->sides[1 - findings->side];
}

/* True if `later` - `earlier` is at least `span`. Captures may be out of order: a negative difference is not late. */
static bool is_later_by(const nstime_t *later, const nstime_t *earlier, const nstime_t *span)
{
    nstime_t difference;
    nstime_delta(&difference, later, earlier);
    return nstime_cmp(&difference, span) >= 0;
}

/* ---- sessions ------------------------------------------------------------------------------------------ */

static leviathan_session *new_session(const packet_info *pinfo, leviathan_acks_choice choice)
{
    leviathan_session *session = wmem_new0(wmem_file_scope(), leviathan_session);
    session->choice = choice;
    session->last_time = pinfo->abs_ts;
    for (unsigned i = 0; i < 2; i++)
        session->sides[i].outstanding = wmem_list_new(wmem_file_scope());
    return session;
}

/* After a close, or 180 seconds of silence, both ends number their packets from the start again. */
static bool is_over(const leviathan_session *session, const packet_info *pinfo, const leviathan_facts *facts)
{
    return (session->closed && leviathan_is_hello(facts)) ||
           is_later_by(&pinfo->abs_ts, &session->last_time, &dead_after);
}

/* One end closed and said hello again before the other end's close arrived. */
static bool is_late_close(const session_slot *slot, const packet_info *pinfo, const leviathan_facts *facts)
{
    return slot->before && slot->before->closed && leviathan_is_closing(facts) &&
           !slot->current->sides[gw_sender_side(pinfo)].sent_any;
}

static leviathan_session *obtain_session(packet_info *pinfo, int protocol, leviathan_acks_choice choice,
                                         const leviathan_facts *facts)
{
    session_slot *slot = gw_conversation_obtain(pinfo, protocol, sizeof(session_slot));
    if (is_late_close(slot, pinfo, facts))
        return slot->before;
    if (!slot->current || is_over(slot->current, pinfo, facts)) {
        slot->before = slot->current;
        slot->current = new_session(pinfo, choice);
    }
    return slot->current;
}

void leviathan_keep_row(packet_info *pinfo, int protocol, uint32_t row, bool is_found)
{
    session_slot *slot = gw_conversation_obtain(pinfo, protocol, sizeof(session_slot));
    if (!slot->is_found && slot->row != row)
        slot->current = slot->before = NULL;
    slot->row = row;
    slot->is_found |= is_found;
}

/* ---- choice of the ack reading ------------------------------------------------------------------------- */

static gw_leviathan_ack_reading reading_of(const leviathan_session *session)
{
    if (session->choice == LEVIATHAN_ACKS_AUTOMATIC)
        return session->reading;
    return session->choice == LEVIATHAN_ACKS_ENGINE ? GW_LEVIATHAN_ACKS_AS_ENGINE : GW_LEVIATHAN_ACKS_AS_DOCUMENTED;
}

/* True if the other reading is not used (any more). */
static bool is_decided(const leviathan_session *session)
{
    return session->choice != LEVIATHAN_ACKS_AUTOMATIC || session->proof;
}

/* True if the capture would have the packet, had it been sent: it does not precede the first captured packet. */
static bool belongs_in_capture(const side *sender, uint32_t packet_id)
{
    return sender->first_id && (packet_id >= sender->first_id || sender->from_start);
}

/* True if a reading is consistent: the peer sent every packet that is acknowledged in it, or may have sent it before
 * the capture. */
static bool fits(const side *peer, const leviathan_facts *facts, gw_leviathan_ack_reading reading)
{
    leviathan_acked_ids ids = leviathan_acks_of(facts, reading);
    uint32_t id;
    while (leviathan_next_acked(&ids, &id))
        if (belongs_in_capture(peer, id) && !has_sent(peer, id))
            return false;
    return true;
}

/* A reading is proved if it is consistent and the other one acknowledges a packet that was not sent. The first such
 * datagram decides; usually one of the first acks of a connection, since they acknowledge the newest packet or the one
 * before it. */
static void seek_proof(const leviathan_findings *findings, const leviathan_facts *facts)
{
    leviathan_session *session = findings->session;
    const bool engine_fits = !(findings->unseen_acks >> GW_LEVIATHAN_ACKS_AS_ENGINE & 1U);
    const bool documented_fits = !(findings->unseen_acks >> GW_LEVIATHAN_ACKS_AS_DOCUMENTED & 1U);
    if (session->proof || facts->ack_only || engine_fits == documented_fits)
        return;
    session->proof = findings->frame;
    session->reading = engine_fits ? GW_LEVIATHAN_ACKS_AS_ENGINE : GW_LEVIATHAN_ACKS_AS_DOCUMENTED;
}

leviathan_reading leviathan_find_reading(const leviathan_findings *findings, leviathan_acks_choice choice)
{
    leviathan_reading found = { GW_LEVIATHAN_ACKS_AS_ENGINE, LEVIATHAN_ACKS_CHOSEN, 0 };
    if (choice == LEVIATHAN_ACKS_DOCUMENTATION)
        found.reading = GW_LEVIATHAN_ACKS_AS_DOCUMENTED;
    if (choice != LEVIATHAN_ACKS_AUTOMATIC)
        return found;
    found.reason = LEVIATHAN_ACKS_ASSUMED;
    if (findings && findings->session->proof)
        found = (leviathan_reading){ findings->session->reading, LEVIATHAN_ACKS_PROVED, findings->session->proof };
    return found;
}

/* ---- findings ------------------------------------------------------------------------------------------- */

static leviathan_findings *new_findings(leviathan_session *session, const packet_info *pinfo,
                                        const leviathan_facts *facts)
{
    size_t size = sizeof(leviathan_findings) + facts->message_count * sizeof(leviathan_sent);
    leviathan_findings *findings = gw_alloc_kept(size);
    findings->time = pinfo->abs_ts;
    findings->session = session;
    findings->frame = pinfo->num;
    findings->order = ++session->count;
    findings->packet_id = facts->packet_id;
    findings->content = facts->content;
    findings->side = gw_sender_side(pinfo);
    findings->message_count = (uint8_t)facts->message_count;
    return findings;
}

/* True if both are known (not 0). */
static bool differ(uint32_t content, uint32_t other)
{
    return content && other && content != other;
}

static void keep_duplicate(leviathan_findings *duplicate, leviathan_findings *first)
{
    duplicate->is_duplicate = true;
    duplicate->duplicate = first->frame;
    if (!first->duplicate)
        first->duplicate = duplicate->frame;
}

static bool repeats_ack_only(const side *sender, const leviathan_facts *facts)
{
    if (!sender->ack_only || facts->acks_length != 4 * sender->id_count)
        return false;
    for (uint32_t i = 0; i < sender->id_count; i++)
        if (gw_be32(facts->acks + 4 * (size_t)i) != sender->ids[i])
            return false;
    return true;
}

/* The engine sends each ack-only packet twice in a row (its source). */
static void keep_ack_only(side *sender, leviathan_findings *findings, const leviathan_facts *facts)
{
    uint32_t count = facts->acks_length / 4;
    if (repeats_ack_only(sender, facts)) {
        keep_duplicate(findings, sender->ack_only);
        return;
    }
    sender->ack_only = count && count <= GW_LEVIATHAN_MOST_ACK_ONLY_IDS ? findings : NULL;
    sender->id_count = sender->ack_only ? count : 0;
    for (uint32_t i = 0; i < sender->id_count; i++)
        sender->ids[i] = gw_be32(facts->acks + 4 * (size_t)i);
}

static void keep_beginning(side *sender, const leviathan_findings *findings, const leviathan_facts *facts)
{
    sender->first_id = findings->packet_id;
    sender->first_order = findings->order;
    sender->first_message = facts->message_count ? facts->messages[0].number : 0;
    sender->from_start = leviathan_is_hello(facts);
}

static void keep_outstanding(side *sender, leviathan_findings *findings)
{
    wmem_list_append(sender->outstanding, findings);
    if (wmem_list_count(sender->outstanding) > MOST_OUTSTANDING)
        wmem_list_remove_frame(sender->outstanding, wmem_list_head(sender->outstanding));
}

static void keep_packet(side *sender, leviathan_findings *findings, const leviathan_facts *facts)
{
    leviathan_findings *first = find_packet(sender, findings->packet_id);
    if (first) {
        if (differ(first->content, findings->content))
            findings->other = first->frame;
        else
            keep_duplicate(findings, first);
        return;
    }
    sender->ack_only = NULL;
    findings->out_of_order = findings->packet_id < sender->highest_id;
    sender->lowest_id = sender->first_id ? MIN(sender->lowest_id, findings->packet_id) : findings->packet_id;
    sender->highest_id = MAX(sender->highest_id, findings->packet_id);
    keep_in(&sender->packets, findings->packet_id, findings);
    if (!sender->first_id)
        keep_beginning(sender, findings, facts);
    keep_outstanding(sender, findings);
}

/* ---- messages ------------------------------------------------------------------------------------------ */

/* A duplicate of the packet is not a resend, nor is a first send that arrives after its resend, nor another message with
 * the same number. */
static void keep_message(side *sender, leviathan_sent *sent)
{
    const leviathan_findings *findings = leviathan_findings_of(sent);
    leviathan_sent *first = find_message(sender, sent->number);
    sent->first = first ? first : sent;
    if (findings->is_duplicate || !findings->packet_id)
        return;
    if (!first && sent->number)
        keep_in(&sender->messages, sent->number, sent);
    sent->is_other = first && differ(first->content, sent->content);
    if (!first || sent->is_other || leviathan_findings_of(first) == findings ||
        findings->packet_id < leviathan_findings_of(first)->packet_id)
        return;
    sent->is_resend = true;
    if (!first->resend)
        first->resend = findings->frame;
}

/* The peer's captured messages begin at or before `number`. */
static bool begins_before(const side *peer, uint32_t number)
{
    return peer->first_id && (peer->from_start || number >= peer->first_message);
}

static void keep_response(const side *peer, leviathan_sent *sent, uint32_t response_to)
{
    leviathan_sent *request = find_message(peer, response_to);
    if (!response_to)
        return;
    if (!request || request->kind != GW_LEVIATHAN_REQUEST) {
        sent->request_unseen = begins_before(peer, response_to);
        return;
    }
    sent->request = request;
    if (!request->response)
        request->response = leviathan_findings_of(sent)->frame;
}

static void keep_messages(leviathan_findings *findings, const leviathan_facts *facts)
{
    for (uint32_t i = 0; i < facts->message_count; i++) {
        const leviathan_message_facts *message = &facts->messages[i];
        leviathan_sent *sent = &findings->messages[i];
        sent->index = (uint8_t)i;
        sent->number = message->number;
        sent->content = message->content;
        sent->kind = message->kind;
        sent->id = message->type ? message->type->id : LEVIATHAN_UNKNOWN_TYPE;
        keep_message(own_side(findings), sent);
        if (message->kind == GW_LEVIATHAN_RESPONSE)
            keep_response(peer_side(findings), sent, message->response_to);
    }
}

/* ---- acks and losses ----------------------------------------------------------------------------------- */

/* Uses all readings that are possible; later acks do not change the result. */
static bool is_acknowledged(const leviathan_findings *packet)
{
    const leviathan_session *session = packet->session;
    if (is_decided(session))
        return packet->acked_in[reading_of(session)];
    return packet->acked_in[GW_LEVIATHAN_ACKS_AS_ENGINE] && packet->acked_in[GW_LEVIATHAN_ACKS_AS_DOCUMENTED];
}

static void acknowledge(side *sender, leviathan_findings *packet, const leviathan_findings *ack,
                        const leviathan_facts *facts)
{
    const gw_leviathan_ack_reading in_use = reading_of(ack->session);
    for (unsigned i = GW_LEVIATHAN_ACKS_AS_ENGINE; i <= GW_LEVIATHAN_ACKS_AS_DOCUMENTED; i++)
        if (!packet->acked_in[i] && leviathan_acknowledges(facts, (gw_leviathan_ack_reading)i, packet->packet_id))
            packet->acked_in[i] = ack;
    if (packet->acked_in[in_use])
        sender->highest_acked = MAX(sender->highest_acked, packet->packet_id);
}

static void acknowledge_all(side *sender, const leviathan_findings *ack, const leviathan_facts *facts)
{
    wmem_list_frame_t *next;
    for (wmem_list_frame_t *entry = wmem_list_head(sender->outstanding); entry; entry = next) {
        leviathan_findings *packet = wmem_list_frame_data(entry);
        next = wmem_list_frame_next(entry);
        acknowledge(sender, packet, ack, facts);
        if (is_acknowledged(packet))
            wmem_list_remove_frame(sender->outstanding, entry);
    }
}

static bool is_passed(const side *sender, const leviathan_findings *packet)
{
    return sender->highest_acked > (uint64_t)packet->packet_id + LOST_BELOW;
}

static void keep_loss(const side *sender, leviathan_findings *packet, const leviathan_findings *now)
{
    loss kept = { now, packet };
    packet->lost_in = now->frame;
    packet->lost_by_acks = is_passed(sender, packet);
    if (!now->session->losses)
        now->session->losses = wmem_array_sized_new(wmem_file_scope(), sizeof(loss), FIRST_LOSSES);
    wmem_array_append_one(now->session->losses, kept);
}

/* If the peer was not captured, losses cannot be determined. */
static void keep_losses(const side *sender, const side *peer, const leviathan_findings *now)
{
    gw_leviathan_ack_reading reading = reading_of(now->session);
    nstime_t time_up;
    if (!peer->sent_any)
        return;
    nstime_delta(&time_up, &now->time, &lost_after);
    for (wmem_list_frame_t *entry = wmem_list_head(sender->outstanding); entry; entry = wmem_list_frame_next(entry)) {
        leviathan_findings *packet = wmem_list_frame_data(entry);
        if (packet->lost_in || packet->acked_in[reading])
            continue;
        if (is_passed(sender, packet) || nstime_cmp(&packet->time, &time_up) <= 0)
            keep_loss(sender, packet, now);
    }
}

/* The newest packets that are not acknowledged in this reading become outstanding again. */
static void restart_side(side *sender, gw_leviathan_ack_reading reading)
{
    uint32_t from = sender->highest_id > MOST_OUTSTANDING ? sender->highest_id - MOST_OUTSTANDING : 0;
    sender->outstanding = wmem_list_new(wmem_file_scope());
    sender->highest_acked = 0;
    for (uint32_t above = 0; above <= sender->highest_id - from; above++) {
        leviathan_findings *packet = find_packet(sender, from + above);
        if (packet && packet->acked_in[reading])
            sender->highest_acked = packet->packet_id;
        if (packet && !is_acknowledged(packet))
            keep_outstanding(sender, packet);
    }
}

/* The acks so far were decoded with the wrong reading: the losses are determined again. */
static void restart_losses(leviathan_session *session)
{
    unsigned count = session->losses ? wmem_array_get_count(session->losses) : 0;
    for (unsigned i = 0; i < count; i++)
        ((loss *)wmem_array_index(session->losses, i))->packet->lost_in = 0;
    session->losses = NULL;
    restart_side(&session->sides[0], reading_of(session));
    restart_side(&session->sides[1], reading_of(session));
}

static void keep_unseen_acks(leviathan_findings *findings, const leviathan_facts *facts)
{
    const gw_leviathan_ack_reading in_use = reading_of(findings->session);
    const bool decided = is_decided(findings->session);
    for (unsigned i = GW_LEVIATHAN_ACKS_AS_ENGINE; facts->acks_length && i <= GW_LEVIATHAN_ACKS_AS_DOCUMENTED; i++)
        if ((i == in_use || !decided) && !fits(peer_side(findings), facts, (gw_leviathan_ack_reading)i))
            findings->unseen_acks = (uint8_t)(findings->unseen_acks | 1U << i);
}

static void keep_acks(leviathan_findings *findings, const leviathan_facts *facts)
{
    leviathan_session *session = findings->session;
    gw_leviathan_ack_reading before = reading_of(session);
    keep_unseen_acks(findings, facts);
    seek_proof(findings, facts);
    if (reading_of(session) != before)
        restart_losses(session);
    if (facts->acks_length)
        acknowledge_all(peer_side(findings), findings, facts);
    own_side(findings)->sent_any = true;
    keep_losses(peer_side(findings), own_side(findings), findings);
    keep_losses(own_side(findings), peer_side(findings), findings);
}

const leviathan_findings *leviathan_next_lost(const leviathan_findings *findings, uint32_t *position)
{
    if (!findings->session->losses)
        return NULL;
    const loss *losses = wmem_array_get_raw(findings->session->losses);
    uint32_t count = wmem_array_get_count(findings->session->losses);
    uint32_t to = *position ? *position : count;
    while (*position < to) {
        uint32_t middle = *position + (to - *position) / 2;
        if (losses[middle].shown_in->order < findings->order)
            *position = middle + 1;
        else
            to = middle;
    }
    if (*position == count || losses[*position].shown_in != findings)
        return NULL;
    return losses[(*position)++].packet;
}

/* ---- one datagram -------------------------------------------------------------------------------------- */

static leviathan_findings *keep_datagram(packet_info *pinfo, int protocol, leviathan_acks_choice choice,
                                         const leviathan_facts *facts)
{
    leviathan_session *session = obtain_session(pinfo, protocol, choice, facts);
    leviathan_findings *findings = new_findings(session, pinfo, facts);
    if (facts->ack_only)
        keep_ack_only(own_side(findings), findings, facts);
    else if (facts->packet_id)
        keep_packet(own_side(findings), findings, facts);
    keep_messages(findings, facts);
    keep_acks(findings, facts);
    session->closed = session->closed || leviathan_is_closing(facts);
    session->last_time = pinfo->abs_ts;
    return findings;
}

/* The messages of a findings are used only for the datagram from which it was created. */
static const leviathan_findings *find_findings(const packet_info *pinfo, uint32_t key, const leviathan_facts *facts)
{
    leviathan_findings *const *kept = gw_frame_log_find(&datagrams, pinfo, key, NULL);
    const leviathan_findings *findings = kept ? *kept : NULL;
    bool same = findings && findings->packet_id == facts->packet_id && findings->message_count == facts->message_count;
    return same ? findings : NULL;
}

const leviathan_findings *leviathan_analyze(packet_info *pinfo, int protocol, uint32_t key,
                                            leviathan_acks_choice choice, const leviathan_facts *facts)
{
    if (!facts->is_packet || gw_is_quoted(pinfo))
        return NULL;
    /* Also on the first pass, if it was a candidate before a user's choice had it dissected. */
    const leviathan_findings *known = find_findings(pinfo, key, facts);
    if (known || gw_is_later_pass(pinfo))
        return known;
    leviathan_findings *findings = keep_datagram(pinfo, protocol, choice, facts);
    leviathan_findings **kept = gw_frame_log_add(&datagrams, pinfo, key, sizeof(leviathan_findings *));
    *kept = findings;
    return findings;
}

/* ---- results ------------------------------------------------------------------------------------------- */

const leviathan_findings *leviathan_find_first_ack(const leviathan_findings *findings)
{
    return findings->acked_in[reading_of(findings->session)];
}

bool leviathan_has_unseen_acks(const leviathan_findings *findings)
{
    return findings->unseen_acks >> reading_of(findings->session) & 1U;
}

/* Returns only packets sent before this datagram: later passes have more data, but must show the same. */
leviathan_ack leviathan_find_ack(const leviathan_findings *findings, uint32_t packet_id)
{
    const side *peer = peer_side(findings);
    const leviathan_findings *packet = find_packet(peer, packet_id);
    leviathan_ack found = { .packet = packet && packet->order < findings->order ? packet : NULL };
    if (found.packet)
        found.first = leviathan_find_first_ack(packet) == findings;
    else
        found.unseen = peer->first_order < findings->order && belongs_in_capture(peer, packet_id);
    return found;
}
