/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Updates the findings of sessions, packets and messages from the facts of each datagram, on the first pass.
 */
#include "internal.h"

#include "common/conversation.h"

/* The engine closes a connection on which it has received nothing for this long (its source). */
#define DEAD_AFTER (180 * GW_NANOSECONDS)
/* The engine counts a packet as lost that was not confirmed within this time after it was sent, or if the newest
 * confirmed packet id exceeds its id by more than this number (its source). */
#define LOST_AFTER GW_NANOSECONDS
#define LOST_BELOW 4
/* Initial capacity for losses, and for packets and messages of one side. */
#define FIRST_LOSSES  4
#define FIRST_NUMBERS 8
/* Maximum number of packets of one side without an ack that are tracked: the engine never has that many. A power of two,
 * as the initial capacity for them. */
#define MOST_OUTSTANDING  128
#define FIRST_OUTSTANDING 4

/* Pointers by number. The engine counts packets and messages from 1, so that nearly all numbers are in the array. */
typedef struct number_table {
    void **values;    /* by number, from `first` on; NULL for numbers that are not stored */
    uint32_t first;   /* the first number that was stored */
    uint32_t size;    /* of the array */
    uint32_t count;   /* of numbers that are stored, in the array or not */
    wmem_map_t *rest; /* numbers outside the array; NULL: none */
} number_table;

/* One of the two senders of a session. */
typedef struct side {
    number_table packets;             /* by packet id: leviathan_findings */
    number_table messages;            /* by message number: leviathan_sent, the first send */
    leviathan_findings **outstanding; /* in the order of the capture: not acknowledged so far: is_acknowledged() */
    uint32_t outstanding_count;
    uint32_t outstanding_size;                    /* of the array: 0 or a power of two up to MOST_OUTSTANDING */
    leviathan_findings *ack_only;                 /* the last datagram, if it was an ack-only packet */
    uint32_t ids[GW_LEVIATHAN_MOST_ACK_ONLY_IDS]; /* of `ack_only` */
    uint32_t id_count;
    uint32_t first_id;      /* of the first packet that was captured; 0: none was */
    uint32_t first_message; /* the first message number in it */
    uint32_t first_frame;   /* its frame */
    uint32_t lowest_id;
    uint32_t highest_id;
    uint32_t highest_acked; /* by the ack reading in use */
    bool sent_any;          /* a datagram was captured */
    bool from_start;        /* the first message of the connection was captured: ids before first_id were never sent */
} side;

/* A packet that the engine counts as lost when another one arrives. */
typedef struct loss {
    const leviathan_findings *arrived;
    leviathan_findings *packet;
} loss;

/* One connection: the ids of both ends begin at 1. */
struct leviathan_session {
    leviathan_acks_choice choice;
    gw_leviathan_ack_reading reading; /* in use if the choice is automatic */
    uint32_t proof;                   /* frame that proved the reading; 0: none so far */
    int64_t last_time;                /* gw_nanoseconds() of the latest datagram */
    wmem_array_t *losses;             /* loss, those of one `arrived` after the other, by its frame; NULL: none */
    bool closed;
    side sides[2];
};

/* Stored for a conversation: its consecutive sessions. */
typedef struct session_slot {
    leviathan_session *current, *before;
    uint32_t series; /* first frame of the candidates, or 0 */
    bool is_found;   /* it is Leviathan's: its packets are no longer candidates */
} session_slot;

/* leviathan_findings, by gw_datagram_key(). */
static gw_archive datagrams;

/* ---- look-ups ------------------------------------------------------------------------------------------ */

/* The pointer that is stored for a number; NULL: none, as for 0, which the engine does not use. */
static void *find_number(const number_table *table, uint32_t number)
{
    uint32_t index = number - table->first; /* of a lower number: wraps to one beyond the array */
    if (index < table->size && table->values[index])
        return table->values[index];
    return table->rest ? wmem_map_lookup(table->rest, GUINT_TO_POINTER(number)) : NULL;
}

/* Stores a number that is not stored yet. The array stays in proportion to the count of stored numbers: one far above
 * the others, or below the first one, is in the map. */
static void keep_number(number_table *table, uint32_t number, void *value)
{
    if (!table->count++)
        table->first = number;
    uint32_t index = number - table->first;
    if (index >= table->size && index < FIRST_NUMBERS + 2 * (uint64_t)table->count) {
        uint32_t size = MAX(table->size + table->size / 2, MAX(FIRST_NUMBERS, index + 1));
        table->values = wmem_realloc(wmem_file_scope(), table->values, size * sizeof *table->values);
        memset(table->values + table->size, 0, (size - table->size) * sizeof *table->values);
        table->size = size;
    }
    if (index < table->size) {
        table->values[index] = value;
        return;
    }
    if (!table->rest)
        table->rest = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
    wmem_map_insert(table->rest, GUINT_TO_POINTER(number), value);
}

/* The first packet that the side sent with this id; NULL: none was captured so far. */
static leviathan_findings *find_packet(const side *sender, uint32_t packet_id)
{
    return find_number(&sender->packets, packet_id);
}

/* The first message that the side sent with this number; NULL: none was captured so far. */
static leviathan_sent *find_message(const side *sender, uint32_t number)
{
    return find_number(&sender->messages, number);
}

/* The side of the session that sent the datagram. */
static side *sender_of(const leviathan_findings *findings)
{
    return &findings->session->sides[findings->side];
}

/* The side that it was sent to. */
static side *peer_of(const leviathan_findings *findings)
{
    return &findings->session->sides[1 - findings->side];
}

/* ---- sessions ------------------------------------------------------------------------------------------ */

/* True if the message is of this type: `id` as in gw_leviathan_message_type. */
static bool is_message(const leviathan_message_facts *message, uint8_t kind, uint8_t id)
{
    return message->kind == kind && message->type && message->type->id == id;
}

/* True if the datagram begins with the first message of a connection: a connect request with number 1. */
static bool is_hello(const leviathan_facts *facts)
{
    return facts->message_count && facts->messages[0].number == 1 &&
           is_message(&facts->messages[0], GW_LEVIATHAN_REQUEST, GW_LEVIATHAN_CONNECT);
}

/* True if one of the messages closes the connection. */
static bool is_closing(const leviathan_facts *facts)
{
    for (uint32_t i = 0; i < facts->message_count; i++)
        if (is_message(&facts->messages[i], GW_LEVIATHAN_RESPONSE, GW_LEVIATHAN_CLOSE_CONNECTION))
            return true;
    return false;
}

/* The session that the datagram belongs to: the current one of its conversation, the one before, or a new one. */
static leviathan_session *obtain_session(packet_info *pinfo, int protocol, leviathan_acks_choice choice,
                                         const leviathan_facts *facts)
{
    session_slot *slot = gw_conversation_obtain(pinfo, protocol, sizeof(session_slot));
    leviathan_session *current = slot->current;
    /* A close by an end that has sent nothing in the current session is of the session before: the other end closed
     * that one and began the current one before this close arrived. */
    if (slot->before && slot->before->closed && is_closing(facts) && !current->sides[gw_sender_side(pinfo)].sent_any)
        return slot->before;
    /* After a close, or 180 seconds of silence, both ends number their packets from the start again. Captures may be out
     * of order: a negative time is no silence. */
    if (current && !(current->closed && is_hello(facts)) &&
        gw_nanoseconds(&pinfo->abs_ts) - current->last_time < DEAD_AFTER)
        return current;
    leviathan_session *session = wmem_new0(wmem_file_scope(), leviathan_session);
    session->choice = choice;
    slot->before = current;
    return slot->current = session;
}

/* On the first pass, for a packet with evidence of Leviathan. Until the conversation is recognized, such packets are
 * candidates, counted in series (common/recognition/recognition.h): `series` is the first frame of the packet's series,
 * or 0. If the candidates before it are of another series, they were not Leviathan's: their sessions are dropped.
 * `is_found`: the heuristic recognizes the conversation by this packet. */
void leviathan_keep_series(packet_info *pinfo, int protocol, uint32_t series, bool is_found)
{
    session_slot *slot = gw_conversation_obtain(pinfo, protocol, sizeof(session_slot));
    if (!slot->is_found && slot->series != series)
        slot->current = slot->before = NULL;
    slot->series = series;
    slot->is_found |= is_found;
}

/* ---- packets ------------------------------------------------------------------------------------------- */

/* Compares the hashes of two contents. False if one of them is not known: 0, since reading stopped in it. */
static bool differ(uint32_t content, uint32_t other)
{
    return content && other && content != other;
}

/* Marks a repeated packet as a duplicate, with the frame of the first one, which has the frame of its first duplicate. */
static void keep_duplicate(leviathan_findings *duplicate, leviathan_findings *first)
{
    duplicate->is_duplicate = true;
    duplicate->same_as = first->frame;
    if (!first->same_as)
        first->same_as = duplicate->frame;
}

/* Ack-only packets have no id. One with the ids of sender->ack_only, the ack-only packet directly before it, repeats
 * that, since the engine sends each of them twice in a row (its source). Any other is stored to be compared with the
 * next one, unless it has no ids or too many to be stored. */
static void keep_ack_only(side *sender, leviathan_findings *findings, const leviathan_facts *facts)
{
    uint32_t count = facts->acks_length / 4;
    bool is_repeated = sender->ack_only && count == sender->id_count;
    for (uint32_t i = 0; is_repeated && i < count; i++)
        is_repeated = gw_be32(facts->acks + 4 * (size_t)i) == sender->ids[i];
    if (is_repeated) {
        keep_duplicate(findings, sender->ack_only);
        return;
    }
    sender->ack_only = count && count <= GW_LEVIATHAN_MOST_ACK_ONLY_IDS ? findings : NULL;
    sender->id_count = sender->ack_only ? count : 0;
    for (uint32_t i = 0; i < sender->id_count; i++)
        sender->ids[i] = gw_be32(facts->acks + 4 * (size_t)i);
}

/* Appends a packet to the outstanding ones, of which the oldest is dropped if there are too many. */
static void keep_outstanding(side *sender, leviathan_findings *findings)
{
    if (sender->outstanding_count == MOST_OUTSTANDING) {
        sender->outstanding_count--;
        memmove(sender->outstanding, sender->outstanding + 1, sender->outstanding_count * sizeof(leviathan_findings *));
    }
    if (sender->outstanding_count == sender->outstanding_size) {
        sender->outstanding_size = MAX(FIRST_OUTSTANDING, 2 * sender->outstanding_size);
        sender->outstanding = wmem_realloc(wmem_file_scope(), sender->outstanding,
                                           sender->outstanding_size * sizeof(leviathan_findings *));
    }
    sender->outstanding[sender->outstanding_count++] = findings;
}

/* Stores a packet by its id, or relates it to the first one with this id: a duplicate, or another packet with a used
 * id. Of the first captured packet, id, frame and first message are stored too: unless it begins the connection,
 * earlier packets and messages are not expected in the capture. */
static void keep_packet(side *sender, leviathan_findings *findings, const leviathan_facts *facts)
{
    leviathan_findings *first = find_packet(sender, findings->packet_id);
    if (first) {
        findings->is_other = differ(first->content, findings->content);
        if (findings->is_other)
            findings->same_as = first->frame;
        else
            keep_duplicate(findings, first);
        return;
    }
    /* Only ack-only packets without another packet between them are repetitions. */
    sender->ack_only = NULL;
    findings->out_of_order = findings->packet_id < sender->highest_id;
    sender->lowest_id = sender->first_id ? MIN(sender->lowest_id, findings->packet_id) : findings->packet_id;
    sender->highest_id = MAX(sender->highest_id, findings->packet_id);
    keep_number(&sender->packets, findings->packet_id, findings);
    if (!sender->first_id) {
        sender->first_id = findings->packet_id;
        sender->first_frame = findings->frame;
        sender->first_message = facts->message_count ? facts->messages[0].number : 0;
        sender->from_start = is_hello(facts);
    }
    keep_outstanding(sender, findings);
}

/* ---- messages ------------------------------------------------------------------------------------------ */

/* Relates one send of a message to the first one with its `number`, or stores it as the first one; 0 is not a number of
 * the engine's and not stored. A duplicate of the packet is not a resend, nor is a first send that arrives after its
 * resend, nor another message with the same number, nor one in the same datagram. */
static void keep_send(side *sender, leviathan_sent *sent, uint32_t number)
{
    const leviathan_findings *findings = leviathan_findings_of(sent);
    leviathan_sent *first = find_message(sender, number);
    sent->is_first = !first;
    /* Packet id 0 is not one of the engine's: its messages cannot be ordered. */
    if (findings->is_duplicate || !findings->packet_id)
        return;
    if (!first && number)
        keep_number(&sender->messages, number, sent);
    sent->is_other = first && differ(first->content, sent->content);
    if (!first || sent->is_other || leviathan_findings_of(first) == findings ||
        findings->packet_id < leviathan_findings_of(first)->packet_id)
        return;
    sent->is_resend = true;
    if (!first->resend)
        first->resend = findings->frame;
}

/* Stores the messages of a datagram with their relations to earlier ones: first sends, and requests of responses. */
static void keep_messages(leviathan_findings *findings, const leviathan_facts *facts)
{
    const side *peer = peer_of(findings);
    for (uint32_t i = 0; i < facts->message_count; i++) {
        const leviathan_message_facts *message = &facts->messages[i];
        leviathan_sent *sent = &findings->messages[i];
        sent->index = (uint8_t)i;
        sent->content = message->content;
        sent->kind = message->kind;
        sent->id = message->type ? message->type->id : LEVIATHAN_UNKNOWN_TYPE;
        keep_send(sender_of(findings), sent, message->number);

        if (message->kind != GW_LEVIATHAN_RESPONSE || !message->response_to)
            continue;
        leviathan_sent *request = find_message(peer, message->response_to);
        if (request && request->kind == GW_LEVIATHAN_REQUEST) {
            sent->has_request = true;
            if (!request->response)
                request->response = findings->frame;
        } else {
            /* The capture should have the request: it has the peer's messages from the connection's first one on, or
             * from a number on that is not above the request's. */
            sent->request_unseen = peer->first_id && (peer->from_start || message->response_to >= peer->first_message);
        }
    }
}

/* The first send of the message that has this index in the datagram and this number; the message itself if it is the
 * first. An entry of the table of messages is never replaced: later passes find the same. */
const leviathan_sent *leviathan_find_first_send(const leviathan_findings *findings, uint32_t index, uint32_t number)
{
    const leviathan_sent *sent = &findings->messages[index];
    const leviathan_sent *first = sent->is_first ? NULL : find_message(sender_of(findings), number);
    return first ? first : sent;
}

/* The request that the message with this index answers, as found on the first pass; NULL: none. Later requests with its
 * number, `response_to`, do not replace it in the table of messages. */
const leviathan_sent *leviathan_find_request(const leviathan_findings *findings, uint32_t index, uint32_t response_to)
{
    return findings->messages[index].has_request ? find_message(peer_of(findings), response_to) : NULL;
}

/* ---- choice of the ack reading ------------------------------------------------------------------------- */

/* The reading of ack bits in use (the packet id that a bit acknowledges): by the preference, or as detected so far. */
static gw_leviathan_ack_reading reading_of(const leviathan_session *session)
{
    if (session->choice == LEVIATHAN_ACKS_AUTOMATIC)
        return session->reading;
    return session->choice == LEVIATHAN_ACKS_ENGINE ? GW_LEVIATHAN_ACKS_AS_ENGINE : GW_LEVIATHAN_ACKS_AS_DOCUMENTED;
}

/* True if the reading in use will not change: it was chosen by the preference, or a datagram proved it. */
static bool is_decided(const leviathan_session *session)
{
    return session->choice != LEVIATHAN_ACKS_AUTOMATIC || session->proof;
}

/* True if the capture would have the packet, had it been sent: it does not precede the first captured packet. */
static bool belongs_in_capture(const side *sender, uint32_t packet_id)
{
    return sender->first_id && (packet_id >= sender->first_id || sender->from_start);
}

/* True if the packet was captured, as by find_packet(). Without a look-up if the number of captured packets shows that
 * none from the lowest to the highest id is missing, which is the usual case. */
static bool has_sent(const side *sender, uint32_t packet_id)
{
    if (!sender->packets.count || packet_id < sender->lowest_id || packet_id > sender->highest_id)
        return false;
    return sender->highest_id - sender->lowest_id + 1 == sender->packets.count || find_packet(sender, packet_id);
}

/* True if the packet is acknowledged in each reading that is possible: no later ack changes that. */
static bool is_acknowledged(const leviathan_findings *packet)
{
    const leviathan_session *session = packet->session;
    if (is_decided(session))
        return packet->acked_in[reading_of(session)];
    /* An ack in the reading that proves to be wrong does not count: the packet is tracked until both have one. */
    return packet->acked_in[GW_LEVIATHAN_ACKS_AS_ENGINE] && packet->acked_in[GW_LEVIATHAN_ACKS_AS_DOCUMENTED];
}

/* Called when the reading in use (which id an ack bit acknowledges) has changed to `reading`: determines the
 * outstanding packets and the highest acknowledged id again. From the newest ids only, as no more than MOST_OUTSTANDING
 * packets are tracked. */
static void restart_side(side *sender, gw_leviathan_ack_reading reading)
{
    uint32_t from = sender->highest_id > MOST_OUTSTANDING ? sender->highest_id - MOST_OUTSTANDING : 0;
    sender->outstanding_count = 0;
    sender->highest_acked = 0;
    for (uint32_t above = 0; above <= sender->highest_id - from; above++) {
        leviathan_findings *packet = find_packet(sender, from + above);
        if (packet && packet->acked_in[reading])
            sender->highest_acked = packet->packet_id;
        if (packet && !is_acknowledged(packet))
            keep_outstanding(sender, packet);
    }
}

/* Tests the engine's and the documented reading of a datagram's acks, and decides which one the session has. A reading
 * is consistent if the peer sent every packet that is acknowledged in it, or may have sent it before the capture. It is
 * proved if it is consistent and the other one is not. The first such datagram decides; usually one of the first acks
 * of a connection, since they acknowledge the newest packet or the one before it. */
static void keep_reading(leviathan_findings *findings, const leviathan_facts *facts)
{
    leviathan_session *session = findings->session;
    const bool is_open = !is_decided(session);
    for (unsigned i = GW_LEVIATHAN_ACKS_AS_ENGINE; facts->acks_length && i <= GW_LEVIATHAN_ACKS_AS_DOCUMENTED; i++) {
        if (i != reading_of(session) && !is_open)
            continue; /* after the decision, only the reading in use is tested */
        leviathan_acked_ids acked = leviathan_acked_ids_of(facts, (gw_leviathan_ack_reading)i);
        uint32_t id;
        while (!(findings->unseen_acks >> i & 1U) && leviathan_next_acked_id(&acked, &id))
            if (belongs_in_capture(peer_of(findings), id) && !has_sent(peer_of(findings), id))
                findings->unseen_acks = (uint8_t)(findings->unseen_acks | 1U << i);
    }
    const bool engine_fits = !(findings->unseen_acks >> GW_LEVIATHAN_ACKS_AS_ENGINE & 1U);
    const bool documented_fits = !(findings->unseen_acks >> GW_LEVIATHAN_ACKS_AS_DOCUMENTED & 1U);
    /* Ack-only packets have ids in place of bits: both readings are the same. */
    if (!is_open || facts->ack_only || engine_fits == documented_fits)
        return;
    session->proof = findings->frame;
    if (engine_fits)
        return;
    /* The acks so far were decoded with the wrong reading: the losses are determined again. */
    session->reading = GW_LEVIATHAN_ACKS_AS_DOCUMENTED;
    for (unsigned i = 0; session->losses && i < wmem_array_get_count(session->losses); i++)
        ((loss *)wmem_array_index(session->losses, i))->packet->lost_in = 0;
    session->losses = NULL;
    restart_side(&session->sides[0], session->reading);
    restart_side(&session->sides[1], session->reading);
}

/* The reading of ack bits, and why: by the preference, or by the first frame that proved one. On later passes the
 * proof may be in a later frame. `findings`: of the datagram; NULL: it has none, and so no session with a proof. */
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

/* ---- acks and losses ----------------------------------------------------------------------------------- */

/* True if the datagram acknowledges this packet. */
static bool is_acked_by(const leviathan_facts *facts, gw_leviathan_ack_reading reading, uint32_t packet_id)
{
    if (!facts->ack_only) {
        /* Bit 0 is the id start_ack + reading; for lower ids the difference wraps to a number above all bits. */
        uint32_t bit = packet_id - facts->start_ack - (uint32_t)reading;
        return bit < 8 * facts->acks_length && (facts->acks[bit / 8] >> bit % 8 & 1);
    }
    for (uint32_t offset = 0; offset < facts->acks_length; offset += 4)
        if (gw_be32(facts->acks + offset) == packet_id)
            return true;
    return false;
}

/* Packets of the peer that this datagram acknowledges are no longer outstanding. Acks are stored in both readings:
 * which one is right may be decided later. */
static void keep_acks(const leviathan_findings *ack, const leviathan_facts *facts)
{
    side *peer = peer_of(ack);
    const uint32_t count = peer->outstanding_count;
    peer->outstanding_count = 0;
    for (uint32_t at = 0; at < count; at++) {
        leviathan_findings *packet = peer->outstanding[at];
        for (unsigned i = GW_LEVIATHAN_ACKS_AS_ENGINE; i <= GW_LEVIATHAN_ACKS_AS_DOCUMENTED; i++)
            if (!packet->acked_in[i] && is_acked_by(facts, (gw_leviathan_ack_reading)i, packet->packet_id))
                packet->acked_in[i] = ack;
        if (packet->acked_in[reading_of(ack->session)])
            peer->highest_acked = MAX(peer->highest_acked, packet->packet_id);
        if (!is_acknowledged(packet))
            peer->outstanding[peer->outstanding_count++] = packet;
    }
}

/* Stores the packets of `sender` that the engine counts as lost when `arrived` arrives: those without an ack after
 * LOST_AFTER, or when an id more than LOST_BELOW above their own is acknowledged (is_passed). If the peer, which
 * acknowledges them, was not captured, losses cannot be determined. */
static void keep_losses(const side *sender, const side *peer, const leviathan_findings *arrived)
{
    leviathan_session *session = arrived->session;
    gw_leviathan_ack_reading reading = reading_of(session);
    /* Packets sent at this time or before it have had their time for an ack. */
    const int64_t time_up = arrived->time - LOST_AFTER;
    if (!peer->sent_any)
        return;
    for (uint32_t i = 0; i < sender->outstanding_count; i++) {
        leviathan_findings *packet = sender->outstanding[i];
        bool is_passed = sender->highest_acked > (uint64_t)packet->packet_id + LOST_BELOW;
        if (packet->lost_in || packet->acked_in[reading] || (!is_passed && packet->time > time_up))
            continue;
        const loss lost = { arrived, packet };
        packet->lost_in = arrived->frame;
        packet->lost_by_acks = is_passed;
        if (!session->losses)
            session->losses = wmem_array_sized_new(wmem_file_scope(), sizeof lost, FIRST_LOSSES);
        wmem_array_append_one(session->losses, lost);
    }
}

/* The losses that the datagram shows, one per call, then NULL. `position`: index in the losses of the session, 0 for
 * the first call. */
const leviathan_findings *leviathan_next_lost(const leviathan_findings *findings, uint32_t *position)
{
    if (!findings->session->losses)
        return NULL;
    const loss *losses = wmem_array_get_raw(findings->session->losses);
    uint32_t count = wmem_array_get_count(findings->session->losses);
    /* The losses are sorted by the frame of the datagram: the first call, with position 0, searches the frame's first one;
     * later calls have the next one already. */
    uint32_t to = *position ? *position : count;
    while (*position < to) {
        uint32_t middle = *position + (to - *position) / 2;
        if (losses[middle].arrived->frame < findings->frame)
            *position = middle + 1;
        else
            to = middle;
    }
    /* A frame may have several datagrams. */
    while (*position < count && losses[*position].arrived != findings &&
           losses[*position].arrived->frame == findings->frame)
        (*position)++;
    if (*position == count || losses[*position].arrived != findings)
        return NULL;
    return losses[(*position)++].packet;
}

/* The packet that this datagram acknowledges by the id, whether this is its first acknowledgement, and whether it is
 * not in the capture although it should be (belongs_in_capture()). Only packets that were captured before the datagram:
 * later passes have more data, but must show the same. */
leviathan_ack leviathan_find_ack(const leviathan_findings *findings, uint32_t packet_id)
{
    const side *peer = peer_of(findings);
    const leviathan_findings *packet = find_packet(peer, packet_id);
    leviathan_ack ack = { .packet = packet && packet->frame <= findings->frame ? packet : NULL };
    /* Before the first captured packet of the peer, none of its packets can be expected in the capture. */
    if (ack.packet)
        ack.first = packet->acked_in[reading_of(packet->session)] == findings;
    else
        ack.unseen = peer->first_frame <= findings->frame && belongs_in_capture(peer, packet_id);
    return ack;
}

/* ---- one datagram -------------------------------------------------------------------------------------- */

/* On the first pass, creates the findings of a datagram, and relates them to those before it. Later passes find them
 * by the frame and the key. NULL if the datagram is not a packet of Leviathan, or if an ICMP error quotes it. */
const leviathan_findings *leviathan_analyze(packet_info *pinfo, int protocol, uint32_t key,
                                            leviathan_acks_choice choice, const leviathan_facts *facts)
{
    if (!facts->is_packet || gw_is_quoted(pinfo))
        return NULL;
    /* Archived also on the first pass, if it was a candidate before a user's choice had it dissected. The messages of
     * findings are used only for the datagram from which they were created. */
    leviathan_findings *findings = gw_archive_find(&datagrams, pinfo, key, NULL);
    if (findings && findings->packet_id == facts->packet_id && findings->message_count == facts->message_count)
        return findings;
    /* Findings refer to each other, until the file is closed: a frame before the archive's last one has none, since its
     * record would be in packet scope. Wireshark does not dissect frames in such an order. */
    if (gw_is_later_pass(pinfo) || pinfo->num < datagrams.last_frame)
        return NULL;

    leviathan_session *session = obtain_session(pinfo, protocol, choice, facts);
    findings = gw_archive_add(&datagrams, pinfo, key,
                              sizeof(leviathan_findings) + facts->message_count * sizeof(leviathan_sent));
    findings->time = gw_nanoseconds(&pinfo->abs_ts);
    findings->session = session;
    findings->frame = pinfo->num;
    findings->packet_id = facts->packet_id;
    findings->content = facts->content;
    findings->side = gw_sender_side(pinfo);
    findings->message_count = (uint8_t)facts->message_count;

    /* 1. The packet and its messages, against those that its sender sent before. */
    if (facts->ack_only)
        keep_ack_only(sender_of(findings), findings, facts);
    else if (facts->packet_id)
        keep_packet(sender_of(findings), findings, facts);
    keep_messages(findings, facts);
    /* 2. Its acks, once the reading of their bits is known as far as possible. */
    keep_reading(findings, facts);
    if (facts->acks_length)
        keep_acks(findings, facts);
    /* 3. The losses that this datagram shows, by its acks or by its time, in both directions. */
    sender_of(findings)->sent_any = true;
    keep_losses(peer_of(findings), sender_of(findings), findings);
    keep_losses(sender_of(findings), peer_of(findings), findings);
    session->closed = session->closed || is_closing(facts);
    session->last_time = findings->time;
    return findings;
}
