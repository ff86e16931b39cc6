/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds up the bits of evidence in sequences ("series") of packets, of each conversation and, in some formats, of each
 * address and port.
 */
#include "common/recognition/recognition.h"

#include <epan/exceptions.h>

#include "common/archive.h"
#include "common/conversation.h"
#include "common/keys.h"

/* The most different packets that are counted in a series, and the most series of addresses and ports. */
#define SERIES_PACKETS 32
#define MOST_SERVERS   10000
/* Protocols over UDP whose conversations may be candidates. */
#define MOST_HEURISTICS 8

/* The key of a series in gw_heuristic.all_series. */
typedef struct series_key {
    uint32_t conversation; /* its conv_index */
    uint32_t stream;
    uint64_t rest; /* 0 */
} series_key;

_Static_assert(sizeof(series_key) == GW_KEY_SIZE, "hashed as a key");

/* A series, and the evidence that was counted in it. */
typedef struct evidence_series {
    gw_series sum;
    uint32_t readings;    /* readings that all packets of the series have in common */
    uint32_t first_frame; /* 0: no series has begun */
    uint32_t accepted_in; /* frame in which the series reached the threshold; 0: it has not */
    uint32_t senders[2];  /* by side: gw_recognition.sender of its packets; 0: they have none so far */
    bool has_request;     /* a packet with evidence is not an answer */
    uint32_t count;
    uint32_t *hashes; /* SERIES_PACKETS, of the packets that were counted, or of their evidence; NULL: none */
} evidence_series;

typedef struct server_key {
    address address;
    uint32_t port;
    uint32_t vlan;
} server_key;

/* The series of an address and port. */
typedef struct server_series {
    evidence_series evidence;
    server_key key;
    uint32_t ended_in; /* frame of a packet of another protocol after the accepted series; 0: none */
} server_series;

/* One packet, and the arguments of gw_heuristic_accepts(). */
typedef struct candidate {
    gw_heuristic *heuristic;
    packet_info *pinfo;
    tvbuff_t *tvb;
    const gw_recognition *recognition;
    uint32_t stream;
    uint32_t threshold;
    uint32_t hash; /* of the packet or its evidence; 0: not computed */
} candidate;

/* Hash and equality of a server_key, for the map of series of addresses and ports. */
static unsigned hash_server(const void *key)
{
    const server_key *server = (const server_key *)key;
    return add_address_to_hash(server->port << 16 ^ server->port ^ server->vlan, &server->address);
}

/* Equality of two server_key, for the map of series of addresses and ports. */
static gboolean equal_servers(const void *one, const void *other)
{
    const server_key *first = (const server_key *)one, *second = (const server_key *)other;
    return first->port == second->port && first->vlan == second->vlan &&
           addresses_equal(&first->address, &second->address);
}

/* Sets the number of open series to 0. Called when the file is closed, which empties the table and the map of series, and
 * when Wireshark ends. True: it stays registered for the next file. */
static ws_bool forget_open(wmem_allocator_t *scope _U_, wmem_cb_event_t event, void *heuristic)
{
    ((gw_heuristic *)heuristic)->open = 0;
    return event == WMEM_CB_FREE_EVENT;
}

/* Prepares the map of series (packets of one address and port whose evidence adds up), which is emptied whenever a file is
 * closed, as is the table of series of conversations; forget_open() then sets the number of open series to 0. `pinned`:
 * the dissector that is set for a recognized conversation; NULL: none. */
void gw_heuristic_init(gw_heuristic *heuristic, dissector_handle_t pinned)
{
    heuristic->pinned = pinned;
    heuristic->all_server_series =
        wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), hash_server, equal_servers);
    wmem_register_callback(wmem_file_scope(), forget_open, heuristic);
    gw_damaged_init(&heuristic->damaged);
}

/* Prepares a heuristic for payloads inside another protocol, which has pinned the conversation: this one pins
 * nothing. */
void gw_heuristic_init_nested(gw_heuristic *heuristic)
{
    gw_heuristic_init(heuristic, NULL);
    heuristic->nested = true;
}

/* ---- candidates --------------------------------------------------------------------------------------- */

typedef struct candidate_heuristic {
    const char *name;
    dissector_handle_t handle;
} candidate_heuristic;

/* Stored for a conversation of epan. */
typedef struct candidate_conversation {
    uint32_t frame; /* the first one */
} candidate_conversation;

static candidate_heuristic heuristics[MOST_HEURISTICS];
static unsigned heuristic_count;
static dissector_handle_t candidates_handle;
/* dissect_candidate() is calling the heuristics. */
static bool is_calling_heuristics;
/* The current file has conversations of candidates. */
static bool has_candidates;

/* The data of a conversation of epan that is a candidate: over UDP, with some evidence, but not enough; NULL: it is no
 * candidate. */
static const candidate_conversation *find_candidate_conversation(const conversation_t *conversation)
{
    return (const candidate_conversation *)conversation_get_proto_data(conversation, GW_KEY_CANDIDATES);
}

/* The dissector of the packet's conversation, which another protocol may have set, apart from dissect_candidate();
 * NULL: none. */
static dissector_handle_t find_other_dissector(packet_info *pinfo)
{
    conversation_t *conversation = find_conversation_pinfo(pinfo, 0);
    dissector_handle_t handle = conversation ? conversation_get_dissector(conversation, pinfo->num) : NULL;
    if (!handle || handle != candidates_handle)
        return handle;
    /* dissect_candidate() is set from this frame on: for the frame before, epan finds the handle that was set for
     * all frames or from an earlier frame on. */
    return conversation_get_dissector(conversation, find_candidate_conversation(conversation)->frame - 1);
}

/* Dissects a packet of a candidate conversation: with the first of this plugin's heuristics that accepts it, or else
 * with the dissector that the conversation would have without this one. If this function returns 0, epan calls the
 * heuristics again: gw_candidates_were_asked() is false during the calls of this function, and true during those of
 * epan on the first pass. */
static int dissect_candidate(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    volatile int length = 0;
    is_calling_heuristics = true;
    TRY
    {
        for (unsigned i = 0; !length && i < heuristic_count; i++) {
            /* A user may disable a heuristic. The handle of a disabled protocol is not called. */
            const heur_dtbl_entry_t *entry = find_heur_dissector_by_unique_short_name(heuristics[i].name);
            if (entry && entry->enabled)
                length = call_dissector_only(heuristics[i].handle, tvb, pinfo, tree, data);
        }
    }
    FINALLY
    {
        is_calling_heuristics = false;
    }
    ENDTRY;
    dissector_handle_t other = length ? NULL : find_other_dissector(pinfo);
    return other ? call_dissector_only(other, tvb, pinfo, tree, data) : length;
}

/* True if dissect_candidate() has called the heuristics for this packet before: the caller, a heuristic, then declines,
 * since on the first pass it adds up the evidence of each packet once. False in the frame in which the conversation
 * became a candidate: dissect_candidate() was not called for that packet, and epan still calls the heuristics after the
 * one that found the evidence. */
bool gw_candidates_were_asked(packet_info *pinfo)
{
    if (!has_candidates || is_calling_heuristics || !gw_is_first_pass(pinfo))
        return false;
    conversation_t *conversation = find_conversation_pinfo(pinfo, 0);
    const candidate_conversation *candidates = conversation ? find_candidate_conversation(conversation) : NULL;
    return candidates && candidates->frame < pinfo->num &&
           conversation_get_dissector(conversation, pinfo->num) == candidates_handle;
}

/* On the first pass: makes the conversation, which has some evidence, a candidate from `frame` on: dissect_candidate()
 * is called first for its packets. `frame`: this packet's or, when a series is accepted, that of its first packet, for
 * the second pass. */
static void keep_candidates(packet_info *pinfo, uint32_t frame)
{
    conversation_t *conversation = find_or_create_conversation(pinfo);
    candidate_conversation *candidates = conversation_get_proto_data(conversation, GW_KEY_CANDIDATES);
    /* Only conversations of UDP are candidates, and each from the earliest frame that was given for it. */
    if (pinfo->ptype != PT_UDP || !candidates_handle || (candidates && candidates->frame <= frame))
        return;
    if (!candidates) {
        candidates = gw_archive_alloc(sizeof *candidates);
        conversation_add_proto_data(conversation, GW_KEY_CANDIDATES, candidates);
    }
    has_candidates = true;
    candidates->frame = frame;
    conversation_set_dissector_from_frame_number(conversation, frame, candidates_handle);
}

/* The next file has no candidates yet. Called when the file is closed, and when Wireshark ends. True: it stays registered
 * for the next file. */
static ws_bool forget_candidates(wmem_allocator_t *scope _U_, wmem_cb_event_t event, void *data _U_)
{
    has_candidates = false;
    return event == WMEM_CB_FREE_EVENT;
}

/* Adds a heuristic to those that dissect_candidate() calls first for candidate conversations (over UDP, with some
 * evidence, but not enough): else Wireshark would call a heuristic with a weaker test first, once that has accepted a
 * packet. The first call creates the handle of dissect_candidate(), which belongs to no protocol (-1) and so adds no
 * layer. `heuristic`: its name in Wireshark. */
void gw_candidates_register(const char *heuristic, dissector_t dissector, int protocol)
{
    if (!candidates_handle) {
        candidates_handle = create_dissector_handle_with_name_and_description(
            dissect_candidate, -1, NULL, "Conversation that may be of Gamewire's protocols");
        wmem_register_callback(wmem_file_scope(), forget_candidates, NULL);
    }
    heuristics[heuristic_count++] = (candidate_heuristic){ heuristic, create_dissector_handle(dissector, protocol) };
}

/* ---- series of conversations ----------------------------------------------------------------------------- */

/* The series (packets one after the other whose evidence adds up) of this stream of the conversation (0: it has one
 * stream); NULL: none. */
static evidence_series *series_of(const gw_heuristic *heuristic, const conversation_t *conversation, uint32_t stream)
{
    const series_key key = { .conversation = conversation->conv_index, .stream = stream };
    return (evidence_series *)gw_table_find(&heuristic->all_series, &key);
}

/* The series (packets one after the other whose evidence adds up) of this stream of the packet's conversation; NULL:
 * none. If no conversation has a series, as in most files, none is looked up. */
static evidence_series *find_series(const gw_heuristic *heuristic, packet_info *pinfo, uint32_t stream)
{
    if (!heuristic->all_series.count)
        return NULL;
    conversation_t *conversation = gw_conversation_lookup(pinfo);
    return conversation ? series_of(heuristic, conversation, stream) : NULL;
}

/* The series (packets one after the other whose evidence adds up) of the packet's stream in its conversation; a new
 * one, which has no packet yet (first_frame is 0), if there is none. */
static evidence_series *obtain_series(const candidate *packet)
{
    const conversation_t *conversation = gw_conversation_of(packet->pinfo);
    evidence_series *series = series_of(packet->heuristic, conversation, packet->stream);
    if (series)
        return series;
    const series_key key = { .conversation = conversation->conv_index, .stream = packet->stream };
    return (evidence_series *)gw_table_add(&packet->heuristic->all_series, &key, sizeof *series);
}

/* Ends a series of packets that is open (begun and not accepted): sets that none has begun (first_frame is 0), so that
 * the next packet begins another one in its place, and decrements the number of open series. A series that was accepted
 * is kept for the second pass. */
static void end_series(gw_heuristic *heuristic, evidence_series *series)
{
    if (!series || series->accepted_in || !series->first_frame)
        return;
    series->first_frame = 0;
    heuristic->open--;
}

/* Accepts the series of packets, whose evidence has reached the threshold with this packet. Its conversation is one of
 * candidates from the first packet of the series on: on the second pass, the heuristics are called in another order,
 * the order of the last packets that they accepted. */
static void accept(const candidate *packet, evidence_series *series)
{
    series->accepted_in = packet->pinfo->num;
    /* No evidence is added to an accepted series. */
    wmem_free(wmem_file_scope(), series->hashes);
    series->hashes = NULL;
    packet->heuristic->open--;
    if (packet->heuristic->candidates)
        keep_candidates(packet->pinfo, series->first_frame);
}

/* The sum of evidence of the series of packets that has begun in this stream of the conversation, accepted or not;
 * NULL: none. */
const gw_series *gw_heuristic_find_series(const gw_heuristic *heuristic, packet_info *pinfo, uint32_t stream)
{
    const evidence_series *series = find_series(heuristic, pinfo, stream);
    return series && series->first_frame ? &series->sum : NULL;
}

/* The first frame of the conversation's series (packets whose evidence adds up) that the packet is part of; 0: none. */
uint32_t gw_heuristic_series(const gw_heuristic *heuristic, packet_info *pinfo)
{
    const evidence_series *series = find_series(heuristic, pinfo, 0);
    /* Packets after the accepted one are in no series. */
    return series && (!series->accepted_in || series->accepted_in >= pinfo->num) ? series->first_frame : 0;
}

/* The packet's readings, the variants of the format that can read it (a bit each); in a conversation whose series of
 * packets was accepted, only those that all packets of the series have in common. */
uint32_t gw_heuristic_readings(const gw_heuristic *heuristic, packet_info *pinfo, const gw_recognition *recognition)
{
    const evidence_series *series = find_series(heuristic, pinfo, 0);
    return series && series->accepted_in ? series->readings & recognition->readings : recognition->readings;
}

/* ---- evidence ------------------------------------------------------------------------------------------ */

/* True if a variant of the format (a reading, a bit each) can read the packet and all packets of the series. */
static bool has_common_reading(const candidate *packet, const evidence_series *series)
{
    return packet->recognition->readings & series->readings;
}

/* False if the series has packets of this side from another sender: in some formats each payload has an identifier of
 * its sender (gw_recognition.sender), such as ENet's peer id and session, and payloads of one connection and direction
 * have the same. 0: the packet, or this side of the series so far, has none, and any packet is possible. */
static bool has_same_sender(const candidate *packet, const evidence_series *series)
{
    uint32_t sender = series->senders[gw_sender_side(packet->pinfo)];
    return !sender || !packet->recognition->sender || sender == packet->recognition->sender;
}

/* Begins a series with this packet, in place of the series of the packets before it, whose evidence is removed. `begun`
 * counts the series of the conversation and stream. The senders of the two sides are not known yet (0): extend_series()
 * sets them. */
static void begin_series(const candidate *packet, evidence_series *series)
{
    series->sum.begun++;
    series->sum.bits = series->count = 0;
    series->has_request = false;
    series->first_frame = packet->pinfo->num;
    series->readings = packet->recognition->readings;
    series->senders[0] = series->senders[1] = 0;
}

/* Adds the packet to the series of packets whose evidence adds up, and at most `most_bits` of its evidence to the
 * sum. */
static void extend_series(candidate *packet, evidence_series *series, uint32_t most_bits)
{
    const gw_recognition *recognition = packet->recognition;
    /* 1. A packet that cannot be of the series begins another one. */
    if (!series->first_frame || !has_common_reading(packet, series) || !has_same_sender(packet, series))
        begin_series(packet, series);
    /* 2. From here on the series has the readings that both have, and the identifier of the packet's sender, if it has
     * one. */
    series->readings &= recognition->readings;
    if (recognition->sender)
        series->senders[gw_sender_side(packet->pinfo)] = recognition->sender;
    /* 3. Evidence against the format removes the evidence of the packets before it. */
    if (recognition->unlikely)
        series->sum.bits = series->count = 0;
    if (recognition->unlikely || !recognition->bits || series->count == SERIES_PACKETS)
        return;
    /* 4. Other evidence is added, if no packet of the series had the same: hashes of the evidence are compared or,
     * if the format gives none, of the whole packets. A conversation's series of answers alone is not sufficient
     * (has_request). */
    unsigned length = tvb_captured_length(packet->tvb);
    if (!packet->hash)
        packet->hash = recognition->evidence;
    if (!packet->hash)
        packet->hash = (uint32_t)gw_hash_bytes(tvb_get_ptr(packet->tvb, 0, (int)length), length);
    for (uint32_t i = 0; i < series->count; i++)
        if (series->hashes[i] == packet->hash)
            return;
    /* Most series of payloads inside another protocol count none: their first packet is sufficient. */
    if (!series->hashes)
        series->hashes = wmem_alloc_array(wmem_file_scope(), uint32_t, SERIES_PACKETS);
    series->hashes[series->count++] = packet->hash;
    series->has_request |= !recognition->is_answer;
    series->sum.bits += MIN(recognition->bits, most_bits);
}

/* ---- series of addresses and ports ------------------------------------------------------------------------- */

/* The series of the packet's source or destination: all packets from and to its address, port and VLAN, of any
 * conversation, whose evidence adds up, as the source or destination may be a server of the format; NULL: none. If the
 * file has no such series, as most files, none is looked up. */
static server_series *find_server_series(const gw_heuristic *heuristic, const packet_info *pinfo, bool is_source)
{
    const server_key key = { is_source ? pinfo->src : pinfo->dst, is_source ? pinfo->srcport : pinfo->destport,
                             pinfo->vlan_id };
    return wmem_map_size(heuristic->all_server_series) ? wmem_map_lookup(heuristic->all_server_series, &key) : NULL;
}

/* The series of find_server_series(), of the packet's source or destination; a new one if there is none; NULL if there
 * are MOST_SERVERS already. */
static server_series *obtain_server_series(const gw_heuristic *heuristic, const packet_info *pinfo, bool is_source)
{
    server_series *series = find_server_series(heuristic, pinfo, is_source);
    if (series || wmem_map_size(heuristic->all_server_series) >= MOST_SERVERS)
        return series;
    series = wmem_new0(wmem_file_scope(), server_series);
    copy_address_wmem(wmem_file_scope(), &series->key.address, is_source ? &pinfo->src : &pinfo->dst);
    series->key.port = is_source ? pinfo->srcport : pinfo->destport;
    series->key.vlan = pinfo->vlan_id;
    wmem_map_insert(heuristic->all_server_series, &series->key, series);
    return series;
}

/* Ends the series of evidence of the packet's source and of its destination, because the packet contradicts the
 * protocol. A series that was accepted ends for good (ended_in), as several protocols use the address and port: later
 * passes accept its packets with evidence before this one, and no packet after it. Any other series is removed
 * (first_frame is 0): the next evidence begins another one. */
static void end_server_series(const gw_heuristic *heuristic, const packet_info *pinfo)
{
    /* Source (0) and destination (1): each may be the server. */
    for (unsigned side = 0; side < 2; side++) {
        server_series *series = find_server_series(heuristic, pinfo, side == 0);
        if (!series || series->ended_in)
            continue;
        if (series->evidence.accepted_in)
            series->ended_in = pinfo->num;
        else
            series->evidence.first_frame = 0;
    }
}

/* On the first pass, in formats whose clients may use a new port for each request (`servers`): adds the packet's
 * evidence to the series of both its addresses and ports, each of which may be the server's. True if one of them then
 * has the threshold, or had it before. Of one packet, at most half of the threshold counts: else one packet with much
 * evidence would be sufficient to accept packets of other conversations. */
static bool add_server_evidence(candidate *packet)
{
    bool is_accepted = false;
    if (!packet->heuristic->servers)
        return false;
    if (packet->recognition->unlikely)
        end_server_series(packet->heuristic, packet->pinfo);
    /* Source (0) and destination (1): each may be the server. */
    for (unsigned side = 0; packet->recognition->bits && side < 2; side++) {
        server_series *series = obtain_server_series(packet->heuristic, packet->pinfo, side == 0);
        if (!series || series->ended_in)
            continue;
        if (!series->evidence.accepted_in)
            extend_series(packet, &series->evidence, packet->threshold / 2);
        if (series->evidence.sum.bits >= packet->threshold && !series->evidence.accepted_in)
            series->evidence.accepted_in = packet->pinfo->num;
        is_accepted |= series->evidence.accepted_in && has_common_reading(packet, &series->evidence);
    }
    return is_accepted;
}

/* ---- accepting ----------------------------------------------------------------------------------------- */

/* On the first pass, for a packet that is not of the protocol: ends the open series of its stream, and those of its
 * addresses and ports, so that evidence before and after it is not added up. */
void gw_heuristic_end_series(gw_heuristic *heuristic, packet_info *pinfo, uint32_t stream)
{
    if (!gw_is_first_pass(pinfo))
        return;
    if (!gw_heuristic_is_idle(heuristic))
        end_series(heuristic, find_series(heuristic, pinfo, stream));
    if (heuristic->servers)
        end_server_series(heuristic, pinfo);
}

/* On the first pass, for a packet whose evidence is not sufficient by itself: adds it to the series of its
 * conversation, and of its addresses and ports. True if one of these then has the threshold: the conversation's series
 * is accepted. The conversation's evidence is not sufficient if all of it is from answers, such as acknowledgements
 * (has_request). */
static bool add_evidence(candidate *packet)
{
    gw_heuristic *heuristic = packet->heuristic;
    packet_info *pinfo = packet->pinfo;
    /* 1. For a strict heuristic only a packet with evidence begins a series, since damaged packets are possible. */
    if (!packet->recognition->bits && heuristic->strict && !gw_heuristic_find_series(heuristic, pinfo, packet->stream))
        return false;
    /* 2. A conversation that another dissector is set for has no series. */
    dissector_handle_t other = find_other_dissector(pinfo);
    evidence_series *series = obtain_series(packet);
    if (heuristic->pinned && other && other != heuristic->pinned) {
        end_series(heuristic, series);
        return false;
    }
    if (series->accepted_in)
        return false;
    /* 3. The evidence of the conversation, and of the packet's addresses and ports. extend_series() begins a series if
     * none is open. */
    heuristic->open += !series->first_frame;
    extend_series(packet, series, UINT32_MAX);
    bool is_enough = series->sum.bits >= packet->threshold && series->has_request;
    if (add_server_evidence(packet) || is_enough) {
        accept(packet, series);
        return true;
    }
    if (heuristic->candidates && packet->recognition->bits)
        keep_candidates(pinfo, pinfo->num);
    return false;
}

/* True for a nested payload (inside a protocol to which the conversation belongs, such as ENet) of an accepted
 * conversation: from the accepted payload on for each one; before it, which only later passes have, for those that can
 * be read as the series is. */
static bool is_of_accepted(const candidate *packet)
{
    if (!packet->heuristic->nested)
        return false;
    const evidence_series *series = find_series(packet->heuristic, packet->pinfo, packet->stream);
    return series && series->accepted_in &&
           (packet->pinfo->num >= series->accepted_in || has_common_reading(packet, series));
}

/* On later passes: true for the packets of a series (of the conversation, or of an address and port) that was accepted
 * on the first pass, also for those before its acceptance. */
static bool was_accepted(const candidate *packet)
{
    const uint32_t frame = packet->pinfo->num;
    const evidence_series *series = find_series(packet->heuristic, packet->pinfo, packet->stream);
    /* 1. The series of the conversation. With a strict heuristic, later evidence does not make packets without evidence
     * accepted. */
    bool may_have_counted = packet->recognition->bits || !packet->heuristic->strict;
    if (may_have_counted && series && series->accepted_in && frame >= series->first_frame &&
        frame <= series->accepted_in && has_common_reading(packet, series) && has_same_sender(packet, series))
        return true;
    /* 2. The series of the source (0) or destination (1), as in add_server_evidence(). */
    for (unsigned side = 0; packet->heuristic->servers && packet->recognition->bits && side < 2; side++) {
        const server_series *server = find_server_series(packet->heuristic, packet->pinfo, side == 0);
        if (server && server->evidence.accepted_in && frame >= server->evidence.first_frame &&
            (!server->ended_in || frame < server->ended_in) && has_common_reading(packet, &server->evidence))
            return true;
    }
    return false;
}

/* For a nested payload that was accepted by itself, and so is in no series: begins one that is accepted at once, so
 * that all possible payloads of its conversation are accepted from now on. It counts as open until accept(), which
 * decrements the number of open series. */
static void keep_accepted(const candidate *packet)
{
    evidence_series *series = obtain_series(packet);
    if (series->accepted_in)
        return;
    packet->heuristic->open += !series->first_frame;
    begin_series(packet, series);
    accept(packet, series);
}

/* True for a text, such as JSON. WebSocket does not pass on whether a message is text: it is UTF-8, and texts of
 * games have no control characters. A binary message of such bytes is not a payload of a format either, or it would
 * be possible. */
static bool is_text(tvbuff_t *tvb)
{
    int length = (int)tvb_captured_length(tvb);
    const uint8_t *bytes = tvb_get_ptr(tvb, 0, length);
    for (int i = 0; i < length; i++)
        if (bytes[i] == 0x7F || (bytes[i] < ' ' && bytes[i] != '\t' && bytes[i] != '\n' && bytes[i] != '\r'))
            return false;
    return length && g_utf8_validate((const char *)bytes, length, NULL);
}

/* True if the packet is to be dissected: because of its own evidence, or that of its series or conversation. */
bool gw_heuristic_accepts(gw_heuristic *heuristic, packet_info *pinfo, tvbuff_t *tvb, const gw_recognition *recognition,
                          uint32_t stream, uint32_t threshold)
{
    candidate packet = { heuristic, pinfo, tvb, recognition, stream, threshold, 0 };
    bool is_alone = recognition->bits >= threshold && !recognition->unlikely;
    /* 1. A payload that no sender of the format writes ends the series, except texts between the payloads.
     * is_odd_alone: some of it is written by no sender, and no structure in it indicates the format. */
    if (!recognition->possible || recognition->is_odd_alone) {
        if (!(heuristic->skips_texts && is_text(tvb)))
            gw_heuristic_end_series(heuristic, pinfo, stream);
        return false;
    }
    /* 2. Inside another protocol, all that is possible belongs to an accepted conversation. */
    if (is_of_accepted(&packet))
        return true;
    /* 3. Later passes repeat the result of the first one, and change nothing. */
    if (!gw_is_first_pass(pinfo))
        return is_alone || was_accepted(&packet);
    /* 4. The evidence of this packet, or of its series, must be sufficient. */
    if (is_alone) {
        /* It also proves the open series, if there is one: the second pass accepts the packets before it, too. */
        evidence_series *series = find_series(heuristic, pinfo, stream);
        if (series && series->first_frame && !series->accepted_in && has_common_reading(&packet, series)) {
            series->readings &= recognition->readings;
            accept(&packet, series);
        }
        add_server_evidence(&packet); /* adds the evidence; its result does not matter here */
    } else if (!add_evidence(&packet))
        return false;
    /* 5. The conversation is accepted from this packet on. */
    if (heuristic->nested)
        keep_accepted(&packet);
    else if (heuristic->pinned)
        gw_conversation_pin(pinfo, heuristic->pinned);
    return true;
}
