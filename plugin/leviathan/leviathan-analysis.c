/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "leviathan-analysis.h"

#include <epan/conversation.h>

/* The engine takes a connection for dead when it has received nothing for this long (its source). */
#define DEAD_AFTER_NS (180 * UINT64_C(1000000000))
/* A packet that was passed over for this long is lost (its source). */
#define LOST_AFTER_NS UINT64_C(1000000000)
/* How many packets one ack is compared with. The engine never has that many under way. */
#define MOST_UNDER_WAY 128
/* So that no capture makes the search for a session long. */
#define MOST_SESSIONS 256

/* ---- records ------------------------------------------------------------------------------------------- */

/* One message and the packet that it was sent in: the engine never sends two in one. Further messages of a
 * packet have records without a packet id. */
typedef struct leviathan_record {
    uint64_t time; /* ns */
    uint32_t frame;
    uint32_t packet_id;
    uint32_t message_number;
    uint32_t acked_in[2]; /* by gw_leviathan_ack_reading */
    uint32_t passed_in;   /* first frame that passed over it; if it is lost, the one that showed that */
    uint32_t duplicate;   /* frame: in the first of its kind the next one, in a duplicate the first */
    uint32_t answered_in;
    uint32_t resent_in;
    uint8_t request_id; /* of requests */
    bool is_request : 1;
    bool is_resend : 1;
    bool lost : 1;
    bool is_duplicate : 1;
    bool out_of_order : 1;
} record;

_Static_assert(sizeof(record) <= 48, "with its entries in two tables, 64 bytes a packet");

/* Records stay where they are; six at a time keep a short conversation near 1 kB. */
#define CHUNK 6

/* Record indices plus 1, by a number that the records hold; linear probing. */
typedef struct table {
    uint32_t *slots;
    uint32_t size;
    uint32_t used;
} table;

/* One of the two senders. */
typedef struct side {
    record **chunks;
    uint32_t chunk_room;
    uint32_t count;
    table packets;          /* by packet id */
    table messages;         /* by message number; of several sends the first */
    uint32_t first_id;      /* of the first packet that was captured; 0: none was */
    uint32_t first_message; /* the first number in it */
    uint32_t first_frame;   /* in which that was */
    uint32_t highest_id;
    uint32_t highest_message;
    uint32_t newest_packet; /* record of highest_id */
    uint32_t newest_message;
    uint32_t oldest;        /* record: those before it are acknowledged or lost */
    uint32_t last_ack_only; /* record plus 1: the last datagram, if that was an ack only packet */
    uint32_t last_ids[GW_LEVIATHAN_MOST_ACK_ONLY_IDS];
    uint32_t last_id_count;
    bool from_start; /* its first message was captured: ids before first_id were never sent */
} side;

typedef struct loss {
    uint32_t shown_in; /* frame */
    uint32_t frame;
    uint8_t side; /* of the sender of the ack */
} loss;

typedef struct leviathan_session {
    struct leviathan_session *before; /* on the same addresses and ports */
    address address;                  /* of side 0 */
    uint32_t port;
    uint32_t first_frame;
    uint32_t proof; /* frame that proved the reading of acks; 0: none so far */
    gw_leviathan_ack_reading reading;
    uint64_t last_time;
    wmem_array_t *losses; /* ascending by shown_in; NULL: none */
    bool closed;
    uint32_t number; /* of sessions before */
    side sides[2];
} session;

static record *record_at(const side *sender, uint32_t index)
{
    return &sender->chunks[index / CHUNK][index % CHUNK];
}

static record *add_record(side *sender)
{
    if (sender->count == sender->chunk_room * CHUNK) {
        /* The list of chunks grows by a quarter; each chunk is allocated when it is needed. */
        sender->chunk_room += sender->chunk_room / 4 + 1;
        sender->chunks = wmem_realloc(wmem_file_scope(), sender->chunks, sender->chunk_room * sizeof(record *));
    }
    if (sender->count % CHUNK == 0)
        sender->chunks[sender->count / CHUNK] = wmem_alloc0_array(wmem_file_scope(), record, CHUNK);
    return record_at(sender, sender->count++);
}

/* ---- tables -------------------------------------------------------------------------------------------- */

typedef uint32_t key_of_record(const record *);

static uint32_t packet_id_of(const record *sent)
{
    return sent->packet_id;
}

static uint32_t message_number_of(const record *sent)
{
    return sent->message_number;
}

/* Multiplied by an odd number that no capture can know, so that none can make the probing long. */
static uint32_t slot_of(const table *in, uint32_t key)
{
    static uint32_t factor;
    if (!factor)
        factor = g_random_int() | 1U;
    return (uint32_t)((uint64_t)(key * factor) * in->size >> 32);
}

static inline record *look_up(const side *sender, const table *in, key_of_record *key_of, uint32_t key)
{
    if (!in->size)
        return NULL;
    for (uint32_t slot = slot_of(in, key); in->slots[slot]; slot = (slot + 1) % in->size) {
        record *found = record_at(sender, in->slots[slot] - 1);
        if (key_of(found) == key)
            return found;
    }
    return NULL;
}

static void place_in(table *in, uint32_t key, uint32_t entry)
{
    uint32_t slot = slot_of(in, key);
    while (in->slots[slot])
        slot = (slot + 1) % in->size;
    in->slots[slot] = entry;
}

/* By a half, which keeps an entry between 4.6 and 6.9 bytes. */
static void grow(const side *sender, table *in, key_of_record *key_of)
{
    table grown = { NULL, in->size + in->size / 2 + 8, in->used };
    grown.slots = wmem_alloc0_array(wmem_file_scope(), uint32_t, grown.size);
    for (uint32_t slot = 0; slot < in->size; slot++)
        if (in->slots[slot])
            place_in(&grown, key_of(record_at(sender, in->slots[slot] - 1)), in->slots[slot]);
    wmem_free(wmem_file_scope(), in->slots);
    *in = grown;
}

/* Enters the newest record. */
static void enter(const side *sender, table *in, key_of_record *key_of)
{
    if (in->used >= in->size - in->size / 8)
        grow(sender, in, key_of);
    place_in(in, key_of(record_at(sender, sender->count - 1)), sender->count);
    in->used++;
}

/* Ids and numbers count up with the records, and most questions are about the latest: a guess from the newest
 * record of its kind, corrected twice for what came in between, saves most of the searching. */
static inline record *guess(const side *sender, uint32_t newest, key_of_record *key_of, uint32_t key)
{
    uint32_t index = newest;
    for (int tries = 0; tries < 3 && index < sender->count; tries++) {
        record *guessed = record_at(sender, index);
        if (key_of(guessed) == key)
            return guessed;
        index += key - key_of(guessed);
    }
    return NULL;
}

static record *find_packet(const side *sender, uint32_t packet_id)
{
    if (!packet_id || packet_id > sender->highest_id)
        return NULL;
    record *found = guess(sender, sender->newest_packet, packet_id_of, packet_id);
    return found ? found : look_up(sender, &sender->packets, packet_id_of, packet_id);
}

static record *find_message(const side *sender, uint32_t number)
{
    if (!number || number > sender->highest_message)
        return NULL;
    record *found = guess(sender, sender->newest_message, message_number_of, number);
    /* Of several sends of one message, the table has the first. */
    return found && !found->is_resend ? found : look_up(sender, &sender->messages, message_number_of, number);
}

/* The first record of a frame. */
static record *find_frame(const side *sender, uint32_t frame)
{
    uint32_t from = 0, to = frame ? sender->count : 0;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (record_at(sender, middle)->frame < frame)
            from = middle + 1;
        else
            to = middle;
    }
    if (from == sender->count || record_at(sender, from)->frame != frame)
        return NULL;
    return record_at(sender, from);
}

/* ---- times --------------------------------------------------------------------------------------------- */

/* Unsigned, so that a capture with absurd times only has absurd differences. */
static uint64_t time_of(const packet_info *pinfo)
{
    return (uint64_t)pinfo->abs_ts.secs * UINT64_C(1000000000) + (uint64_t)pinfo->abs_ts.nsecs;
}

static nstime_t difference(uint64_t later, uint64_t earlier)
{
    int64_t ns = (int64_t)(later - earlier);
    nstime_t time = { (time_t)(ns / 1000000000), (int)(ns % 1000000000) };
    return time;
}

/* Captures may be out of order: what is earlier is not late. */
static bool is_later_by(uint64_t later, uint64_t earlier, uint64_t by)
{
    return later > earlier && later - earlier >= by;
}

/* ---- sessions ------------------------------------------------------------------------------------------ */

static uint8_t side_of(const session *in, const packet_info *pinfo)
{
    return in->port == pinfo->srcport && addresses_equal(&in->address, &pinfo->src) ? 0 : 1;
}

static session *begin_session(conversation_t *conversation, packet_info *pinfo, int protocol, session *before)
{
    session *begun = wmem_new0(wmem_file_scope(), session);
    begun->before = before;
    begun->number = before ? before->number + 1 : 0;
    copy_address_wmem(wmem_file_scope(), &begun->address, &pinfo->src);
    begun->port = pinfo->srcport;
    begun->first_frame = pinfo->num;
    begun->last_time = time_of(pinfo);
    conversation_add_proto_data(conversation, protocol, begun);
    return begun;
}

static bool is_hello(const leviathan_packet_facts *facts)
{
    return facts->message_count && facts->messages[0].kind == GW_LEVIATHAN_REQUEST &&
           facts->messages[0].id == GW_LEVIATHAN_CONNECT && facts->messages[0].number == 1;
}

/* A connection that was closed, or is dead, does not go on: its ids and numbers start again. */
static bool is_over(const session *last, const packet_info *pinfo, const leviathan_packet_facts *facts)
{
    if (last->number == MOST_SESSIONS)
        return false;
    return (last->closed && is_hello(facts)) || is_later_by(time_of(pinfo), last->last_time, DEAD_AFTER_NS);
}

static session *session_of(packet_info *pinfo, int protocol, const leviathan_packet_facts *facts)
{
    conversation_t *conversation = find_or_create_conversation(pinfo);
    session *found = conversation_get_proto_data(conversation, protocol);
    if (!PINFO_FD_VISITED(pinfo))
        return !found || is_over(found, pinfo, facts) ? begin_session(conversation, pinfo, protocol, found) : found;
    while (found && found->first_frame > pinfo->num)
        found = found->before;
    return found;
}

/* ---- acks: each id that a packet acknowledges, in either reading --------------------------------------- */

typedef struct acked_ids {
    gw_leviathan_acks bits;
    const uint8_t *ids; /* of an ack only packet; NULL: bits */
    uint32_t left;      /* of the ids */
} acked_ids;

static acked_ids ids_of(const leviathan_packet_facts *facts, gw_leviathan_ack_reading reading)
{
    acked_ids ids = { .ids = NULL };
    if (facts->ack_only)
        ids = (acked_ids){ .ids = facts->acks, .left = facts->acks_length / 4 };
    else
        gw_leviathan_acks_init(&ids.bits, facts->start_ack, facts->acks, facts->acks_length, reading);
    return ids;
}

static bool next_id(acked_ids *ids, uint32_t *id)
{
    if (!ids->ids)
        return gw_leviathan_acks_next(&ids->bits, id);
    if (!ids->left)
        return false;
    *id = gw_be32(ids->ids);
    ids->ids += 4;
    ids->left--;
    return true;
}

/* Were it sent, the capture would have it: it does not belong before the first packet that was captured. */
static bool belongs_in_capture(const side *sender, uint32_t packet_id)
{
    return sender->first_id && (packet_id >= sender->first_id || sender->from_start);
}

/* ---- which reading ------------------------------------------------------------------------------------- */

/* A reading fits when the peer has sent every packet that it says is acknowledged, or may have before the
 * capture. */
static bool fits(const side *peer, const leviathan_packet_facts *facts, gw_leviathan_ack_reading reading)
{
    acked_ids ids = ids_of(facts, reading);
    uint32_t id;
    while (next_id(&ids, &id))
        if (belongs_in_capture(peer, id) && !find_packet(peer, id))
            return false;
    return true;
}

/* One reading fits, where the other acknowledges what nobody sent. The first such packet decides: the very
 * first acks of a connection do, as they reach up to the newest packet, or up to the one before it. */
static void seek_proof(session *in, const side *peer, const leviathan_packet_facts *facts, uint32_t frame)
{
    bool any_bits = !facts->ack_only && facts->acks_length && peer->first_id;
    if (in->proof || !any_bits)
        return;
    bool engine = fits(peer, facts, GW_LEVIATHAN_ACKS_AS_ENGINE);
    bool documented = fits(peer, facts, GW_LEVIATHAN_ACKS_AS_DOCUMENTED);
    if (engine == documented)
        return;
    in->proof = frame;
    in->reading = documented ? GW_LEVIATHAN_ACKS_AS_DOCUMENTED : GW_LEVIATHAN_ACKS_AS_ENGINE;
}

/* What the wrong reading made of the acks so far. */
static void forget_losses(session *in)
{
    for (unsigned i = 0; i < 2; i++) {
        for (uint32_t k = 0; k < in->sides[i].count; k++) {
            record_at(&in->sides[i], k)->passed_in = 0;
            record_at(&in->sides[i], k)->lost = false;
        }
        in->sides[i].oldest = 0;
    }
    in->losses = NULL;
}

static gw_leviathan_ack_reading reading_of(const session *in, leviathan_numbering_choice choice)
{
    if (choice == LEVIATHAN_ACKS_AUTOMATIC)
        return in->reading;
    return choice == LEVIATHAN_ACKS_ENGINE ? GW_LEVIATHAN_ACKS_AS_ENGINE : GW_LEVIATHAN_ACKS_AS_DOCUMENTED;
}

leviathan_numbering_finding leviathan_find_numbering(const leviathan_place *place)
{
    const session *in = place->session;
    leviathan_numbering_finding finding = { GW_LEVIATHAN_ACKS_AS_ENGINE, LEVIATHAN_ACKS_CHOSEN, 0 };
    if (place->choice != LEVIATHAN_ACKS_AUTOMATIC) {
        finding.reading =
            place->choice == LEVIATHAN_ACKS_ENGINE ? GW_LEVIATHAN_ACKS_AS_ENGINE : GW_LEVIATHAN_ACKS_AS_DOCUMENTED;
        return finding;
    }
    finding.reason = in && in->proof ? LEVIATHAN_ACKS_PROVED : LEVIATHAN_ACKS_ASSUMED;
    finding.reading = in ? in->reading : GW_LEVIATHAN_ACKS_AS_ENGINE;
    finding.proof = in ? in->proof : 0;
    return finding;
}

/* ---- keeping the facts --------------------------------------------------------------------------------- */

static bool repeats_ack_only(const side *sender, const leviathan_packet_facts *facts)
{
    if (!sender->last_ack_only || facts->acks_length != 4 * sender->last_id_count)
        return false;
    for (uint32_t i = 0; i < sender->last_id_count; i++)
        if (gw_be32(facts->acks + 4 * (size_t)i) != sender->last_ids[i])
            return false;
    return true;
}

static void remember_ack_only(side *sender, const leviathan_packet_facts *facts)
{
    uint32_t count = facts->acks_length / 4;
    sender->last_ack_only = count && count <= GW_LEVIATHAN_MOST_ACK_ONLY_IDS ? sender->count : 0;
    if (!sender->last_ack_only)
        return;
    sender->last_id_count = count;
    for (uint32_t i = 0; i < count; i++)
        sender->last_ids[i] = gw_be32(facts->acks + 4 * (size_t)i);
}

static void mark_duplicate(record *duplicate, record *first)
{
    duplicate->is_duplicate = true;
    duplicate->duplicate = first->frame;
    if (!first->duplicate)
        first->duplicate = duplicate->frame;
}

/* The engine sends each ack only packet twice in a row (its source). */
static void keep_ack_only(side *sender, record *sent, const leviathan_packet_facts *facts)
{
    if (repeats_ack_only(sender, facts))
        mark_duplicate(sent, record_at(sender, sender->last_ack_only - 1));
    else
        remember_ack_only(sender, facts);
}

static uint32_t packet_of(const side *sender, const record *message)
{
    return find_frame(sender, message->frame)->packet_id;
}

static void enter_message(side *sender, uint32_t number)
{
    enter(sender, &sender->messages, message_number_of);
    if (number > sender->highest_message) {
        sender->highest_message = number;
        sender->newest_message = sender->count - 1;
    }
}

static void keep_message(side *sender, record *sent, const leviathan_message_facts *message)
{
    record *first = find_message(sender, message->number);
    sent->message_number = message->number;
    sent->is_request = message->kind == GW_LEVIATHAN_REQUEST;
    sent->request_id = message->id;
    sent->is_resend = first != NULL;
    if (!first && message->number)
        enter_message(sender, message->number);
    else if (first && !first->resent_in && packet_of(sender, first) < packet_of(sender, sent))
        first->resent_in = sent->frame;
}

static void keep_messages(side *sender, record *sent, const leviathan_packet_facts *facts)
{
    for (uint32_t i = 0; i < facts->message_count; i++) {
        record *of = sent;
        if (i) {
            of = add_record(sender);
            of->time = sent->time;
            of->frame = sent->frame;
        }
        keep_message(sender, of, &facts->messages[i]);
    }
}

static void keep_packet(side *sender, record *sent, const leviathan_packet_facts *facts)
{
    sender->last_ack_only = 0;
    sent->packet_id = facts->packet_id;
    sent->out_of_order = facts->packet_id < sender->highest_id;
    enter(sender, &sender->packets, packet_id_of);
    if (!sender->first_id) {
        sender->first_id = facts->packet_id;
        sender->first_frame = sent->frame;
        sender->first_message = facts->message_count ? facts->messages[0].number : 0;
        sender->from_start = is_hello(facts);
    }
    if (!sent->out_of_order) {
        sender->highest_id = facts->packet_id;
        sender->newest_packet = sender->count - 1;
    }
    keep_messages(sender, sent, facts);
}

static record *keep(side *sender, packet_info *pinfo, const leviathan_packet_facts *facts)
{
    record *first = find_packet(sender, facts->packet_id);
    record *sent = add_record(sender);
    sent->time = time_of(pinfo);
    sent->frame = pinfo->num;
    if (first)
        mark_duplicate(sent, first);
    else if (facts->packet_id)
        keep_packet(sender, sent, facts);
    else if (facts->ack_only)
        keep_ack_only(sender, sent, facts);
    return sent;
}

static void answer_requests(const side *peer, const leviathan_packet_facts *facts, uint32_t frame)
{
    for (uint32_t i = 0; i < facts->message_count; i++) {
        record *request = NULL;
        if (facts->messages[i].kind == GW_LEVIATHAN_RESPONSE)
            request = find_message(peer, facts->messages[i].response_to);
        if (request && request->is_request && !request->answered_in)
            request->answered_in = frame;
    }
}

static void acknowledge(const side *peer, const leviathan_packet_facts *facts, uint32_t frame,
                        gw_leviathan_ack_reading reading)
{
    acked_ids ids = ids_of(facts, reading);
    uint32_t id;
    while (next_id(&ids, &id)) {
        record *acked = find_packet(peer, id);
        if (acked && !acked->acked_in[reading])
            acked->acked_in[reading] = frame;
    }
}

/* ---- losses -------------------------------------------------------------------------------------------- */

/* The highest packet that is acknowledged and was sent. */
static uint32_t newest_acked(const side *peer, const leviathan_packet_facts *facts, gw_leviathan_ack_reading reading)
{
    acked_ids ids = ids_of(facts, reading);
    uint32_t id, newest = 0;
    while (next_id(&ids, &id))
        if (id > newest && find_packet(peer, id))
            newest = id;
    return newest;
}

static bool is_settled(const record *sent, gw_leviathan_ack_reading reading)
{
    return !sent->packet_id || sent->lost || sent->acked_in[reading];
}

static void note_loss(session *in, record *lost, const leviathan_place *place)
{
    loss noted = { place->frame, lost->frame, place->side };
    lost->lost = true;
    lost->passed_in = place->frame;
    if (!in->losses)
        in->losses = wmem_array_new(wmem_file_scope(), sizeof(loss));
    wmem_array_append_one(in->losses, noted);
}

/* The acks reach beyond `sent` without it: for the first time, or already for too long? */
static void pass_over(session *in, record *sent, const leviathan_place *place, uint64_t now)
{
    if (!sent->passed_in) {
        sent->passed_in = place->frame;
        return;
    }
    const record *before = find_frame(&in->sides[place->side], sent->passed_in);
    if (before && is_later_by(now, before->time, LOST_AFTER_NS))
        note_loss(in, sent, place);
}

static void seek_losses(session *in, const leviathan_place *place, uint64_t now)
{
    side *peer = &in->sides[1 - place->side];
    gw_leviathan_ack_reading reading = reading_of(in, place->choice);
    uint32_t newest = newest_acked(peer, place->facts, reading);
    if (!newest)
        return;
    while (peer->oldest < peer->count && is_settled(record_at(peer, peer->oldest), reading))
        peer->oldest++;
    uint32_t end = MIN(peer->count, peer->oldest + MOST_UNDER_WAY);
    for (uint32_t i = peer->oldest; i < end; i++) {
        record *sent = record_at(peer, i);
        if (!is_settled(sent, reading) && sent->packet_id < newest)
            pass_over(in, sent, place, now);
    }
}

uint32_t leviathan_next_passed_over(const leviathan_place *place, uint32_t *position)
{
    const session *in = place->session;
    uint32_t count = in && in->losses ? wmem_array_get_count(in->losses) : 0;
    const loss *losses = count ? wmem_array_get_raw(in->losses) : NULL;
    if (!*position) {
        uint32_t to = count;
        while (*position < to) {
            uint32_t middle = *position + (to - *position) / 2;
            if (losses[middle].shown_in < place->frame)
                *position = middle + 1;
            else
                to = middle;
        }
    }
    if (!losses || *position == count || losses[*position].shown_in != place->frame ||
        losses[*position].side != place->side)
        return 0;
    return losses[(*position)++].frame;
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static void note_closing(session *in, const leviathan_packet_facts *facts)
{
    for (uint32_t i = 0; i < facts->message_count; i++)
        if (facts->messages[i].kind == GW_LEVIATHAN_RESPONSE && facts->messages[i].id == GW_LEVIATHAN_CLOSE_CONNECTION)
            in->closed = true;
}

static void keep_facts(session *in, leviathan_place *place, packet_info *pinfo)
{
    const side *peer = &in->sides[1 - place->side];
    const leviathan_packet_facts *facts = place->facts;
    gw_leviathan_ack_reading before = reading_of(in, place->choice);
    place->own = keep(&in->sides[place->side], pinfo, facts);
    answer_requests(peer, facts, pinfo->num);
    seek_proof(in, peer, facts, pinfo->num);
    if (reading_of(in, place->choice) != before)
        forget_losses(in);
    acknowledge(peer, facts, pinfo->num, GW_LEVIATHAN_ACKS_AS_ENGINE);
    acknowledge(peer, facts, pinfo->num, GW_LEVIATHAN_ACKS_AS_DOCUMENTED);
    if (facts->acks_length)
        seek_losses(in, place, time_of(pinfo));
    note_closing(in, facts);
    in->last_time = time_of(pinfo);
}

void leviathan_analyse(leviathan_place *place, packet_info *pinfo, int protocol, leviathan_numbering_choice choice,
                       const leviathan_packet_facts *facts)
{
    *place = (leviathan_place){ .frame = pinfo->num, .choice = choice, .facts = facts };
    /* The packet that an ICMP error quotes was not sent once more. */
    if (pinfo->flags.in_error_pkt)
        return;
    place->session = session_of(pinfo, protocol, facts);
    if (!place->session)
        return;
    place->side = side_of(place->session, pinfo);
    if (PINFO_FD_VISITED(pinfo))
        place->own = find_frame(&place->session->sides[place->side], pinfo->num);
    else
        keep_facts(place->session, place, pinfo);
}

/* ---- findings ------------------------------------------------------------------------------------------ */

/* Only what was sent up to this frame: later passes know more, and must not say more. */
static const record *known(const record *found, const leviathan_place *place)
{
    return found && found->frame <= place->frame ? found : NULL;
}

static const side *own_side(const leviathan_place *place)
{
    return &place->session->sides[place->side];
}

static const side *peer_side(const leviathan_place *place)
{
    return &place->session->sides[1 - place->side];
}

static void find_fate(const leviathan_place *place, const record *sent, leviathan_packet_findings *findings)
{
    findings->acked_in = sent->acked_in[reading_of(place->session, place->choice)];
    findings->passed_over_in = sent->lost ? sent->passed_in : 0;
    const record *ack = find_frame(peer_side(place), findings->acked_in);
    if (ack)
        findings->rtt = difference(ack->time, sent->time);
}

void leviathan_find_packet(const leviathan_place *place, leviathan_packet_findings *findings)
{
    *findings = (leviathan_packet_findings){ .duplicate_of = 0 };
    const record *sent = place->own;
    if (!sent)
        return;
    findings->duplicate_of = sent->is_duplicate ? sent->duplicate : 0;
    findings->duplicate_in = sent->is_duplicate ? 0 : sent->duplicate;
    findings->out_of_order = sent->out_of_order;
    if (sent->packet_id)
        find_fate(place, sent, findings);
}

static void find_resend(const leviathan_place *place, const record *first, leviathan_message_findings *findings)
{
    const record *sent = place->own;
    findings->response_in = first->answered_in;
    if (first->frame == place->frame) {
        findings->resent_in = first->resent_in;
        return;
    }
    /* A duplicate of the packet is no resend, nor is the first send when its resend overtook it. */
    if (!sent || sent->is_duplicate || sent->packet_id < packet_of(own_side(place), first))
        return;
    findings->first_send = first->frame;
    findings->resend_time = difference(sent->time, first->time);
}

static void find_request(const leviathan_place *place, const record *request, leviathan_message_findings *findings)
{
    const record *sent = place->own;
    findings->request_in = request->frame;
    findings->request_id = request->request_id;
    findings->first_response = request->answered_in == place->frame;
    if (sent)
        findings->time = difference(sent->time, request->time);
}

/* The peer's packets up to this frame are captured from a message on that is not later than `number`. */
static bool begins_before(const leviathan_place *place, uint32_t number)
{
    const side *peer = peer_side(place);
    bool any = peer->first_id && peer->first_frame <= place->frame;
    return any && (peer->from_start || number >= peer->first_message);
}

void leviathan_find_message(const leviathan_place *place, const leviathan_message_facts *message,
                            leviathan_message_findings *findings)
{
    const record *found;
    *findings = (leviathan_message_findings){ .first_send = 0 };
    if (!place->session)
        return;
    if ((found = known(find_message(own_side(place), message->number), place)))
        find_resend(place, found, findings);
    if (message->kind != GW_LEVIATHAN_RESPONSE || !message->response_to)
        return;
    found = known(find_message(peer_side(place), message->response_to), place);
    if (found && found->is_request)
        find_request(place, found, findings);
    else
        findings->request_unseen = begins_before(place, message->response_to);
}

void leviathan_find_ack(const leviathan_place *place, uint32_t packet_id, leviathan_ack_findings *findings)
{
    *findings = (leviathan_ack_findings){ .frame = 0 };
    if (!place->session)
        return;
    const side *peer = peer_side(place);
    const record *acked = known(find_packet(peer, packet_id), place);
    if (!acked) {
        findings->unseen = peer->first_frame <= place->frame && belongs_in_capture(peer, packet_id);
        return;
    }
    const record *ack = place->own;
    findings->frame = acked->frame;
    findings->first = ack && acked->acked_in[reading_of(place->session, place->choice)] == place->frame;
    if (findings->first)
        findings->rtt = difference(ack->time, acked->time);
}
