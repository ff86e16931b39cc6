/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds up the bits of evidence in sequences ("rows") of packets, of each conversation and, in some formats, of each
 * address and port.
 */
#include "common/recognition.h"

#include "common/candidates.h"
#include "common/conversation.h"

/* The most different packets that are counted in a row, and the most rows of addresses and ports. */
#define ROW_PACKETS  32
#define MOST_SERVERS 10000

/* A row, and the evidence that was counted in it. */
typedef struct evidence_row {
    gw_row row;
    struct evidence_row *next; /* of another stream of the conversation */
    uint32_t stream;
    uint32_t readings;    /* readings that all packets of the row have in common */
    uint32_t first_frame; /* 0: no row has begun */
    uint32_t accepted_in; /* frame in which the row reached the threshold; 0: it has not */
    uint32_t senders[2];  /* by side, as recognized in the row; 0: not yet */
    bool has_request;     /* a packet with evidence is not an answer */
    uint32_t count;
    uint32_t hashes[ROW_PACKETS]; /* of the packets that were counted, or of their evidence */
} evidence_row;

typedef struct server_key {
    address address;
    uint32_t port;
    uint32_t vlan;
} server_key;

/* The row of an address and port. */
typedef struct server_row {
    evidence_row evidence;
    server_key key;
    uint32_t ended_in; /* frame of a packet of another protocol after the accepted row; 0: none */
} server_row;

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

static unsigned hash_server(const void *key)
{
    const server_key *server = (const server_key *)key;
    return add_address_to_hash(server->port << 16 ^ server->port ^ server->vlan, &server->address);
}

static gboolean equal_servers(const void *one, const void *other)
{
    const server_key *first = (const server_key *)one, *second = (const server_key *)other;
    return first->port == second->port && first->vlan == second->vlan &&
           addresses_equal(&first->address, &second->address);
}

/* The file is closed, and with it `rows` is emptied. True: to be called for the next file too. */
static ws_bool forget_open(wmem_allocator_t *scope _U_, wmem_cb_event_t event, void *heuristic)
{
    ((gw_heuristic *)heuristic)->open = 0;
    return event == WMEM_CB_FREE_EVENT;
}

void gw_heuristic_init(gw_heuristic *heuristic, dissector_handle_t pinned)
{
    heuristic->pinned = pinned;
    heuristic->rows = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
    heuristic->server_rows = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), hash_server, equal_servers);
    wmem_register_callback(wmem_file_scope(), forget_open, heuristic);
    gw_damaged_init(&heuristic->damaged);
}

void gw_heuristic_init_nested(gw_heuristic *heuristic)
{
    gw_heuristic_init(heuristic, NULL);
    heuristic->nested = true;
}

/* ---- rows of conversations ----------------------------------------------------------------------------- */

static evidence_row *row_of(const gw_heuristic *heuristic, const conversation_t *conversation, uint32_t stream)
{
    evidence_row *row = (evidence_row *)wmem_map_lookup(heuristic->rows, conversation);
    while (row && row->stream != stream)
        row = row->next;
    return row;
}

/* If there is no row, no conversation is looked up. */
static evidence_row *find_row(const gw_heuristic *heuristic, packet_info *pinfo, uint32_t stream)
{
    if (!wmem_map_size(heuristic->rows))
        return NULL;
    conversation_t *conversation = gw_conversation_lookup(pinfo);
    return conversation ? row_of(heuristic, conversation, stream) : NULL;
}

static evidence_row *obtain_row(const candidate *packet)
{
    const conversation_t *conversation = gw_conversation_of(packet->pinfo);
    wmem_map_t *rows = packet->heuristic->rows;
    evidence_row *row = row_of(packet->heuristic, conversation, packet->stream);
    if (!row) {
        row = wmem_new0(wmem_file_scope(), evidence_row);
        row->stream = packet->stream;
        row->next = (evidence_row *)wmem_map_lookup(rows, conversation);
        wmem_map_insert(rows, conversation, row);
    }
    return row;
}

/* A row that was accepted is kept for the second pass. */
static void end_row(gw_heuristic *heuristic, evidence_row *row)
{
    if (!row || row->accepted_in || !row->first_frame)
        return;
    row->first_frame = 0;
    heuristic->open--;
}

/* On the second pass, the heuristics are called in another order: the order of the last packets that they accepted. */
static void accept_in(const candidate *packet, evidence_row *row)
{
    row->accepted_in = packet->pinfo->num;
    packet->heuristic->open--;
    if (packet->heuristic->candidates)
        gw_candidates_keep(packet->pinfo, row->first_frame);
}

const gw_row *gw_heuristic_find_row(const gw_heuristic *heuristic, packet_info *pinfo, uint32_t stream)
{
    const evidence_row *row = find_row(heuristic, pinfo, stream);
    return row && row->first_frame ? &row->row : NULL;
}

uint32_t gw_heuristic_row(const gw_heuristic *heuristic, packet_info *pinfo)
{
    const evidence_row *row = find_row(heuristic, pinfo, 0);
    return row && (!row->accepted_in || row->accepted_in >= pinfo->num) ? row->first_frame : 0;
}

uint32_t gw_heuristic_readings(const gw_heuristic *heuristic, packet_info *pinfo, const gw_recognition *recognition)
{
    const evidence_row *row = find_row(heuristic, pinfo, 0);
    return row && row->accepted_in ? row->readings & recognition->readings : recognition->readings;
}

/* ---- evidence ------------------------------------------------------------------------------------------ */

static bool has_reading(const candidate *packet, const evidence_row *row)
{
    return packet->recognition->readings & row->readings;
}

/* False if the row has packets of this side from another sender. */
static bool has_sender(const candidate *packet, const evidence_row *row)
{
    uint32_t sender = row->senders[gw_sender_side(packet->pinfo)];
    return !sender || !packet->recognition->sender || sender == packet->recognition->sender;
}

static void begin_row(const candidate *packet, evidence_row *row)
{
    row->row.begun++;
    row->row.bits = row->count = 0;
    row->has_request = false;
    row->first_frame = packet->pinfo->num;
    row->readings = packet->recognition->readings;
    row->senders[0] = row->senders[1] = 0;
}

/* Adds a packet and at most `most_bits` of its evidence. */
static void extend_row(candidate *packet, evidence_row *row, uint32_t most_bits)
{
    const gw_recognition *recognition = packet->recognition;
    /* 1. A packet that cannot go on with the row begins another one. */
    if (!row->first_frame || !has_reading(packet, row) || !has_sender(packet, row))
        begin_row(packet, row);
    /* 2. From here on the row has the readings and the sender that both allow. */
    row->readings &= recognition->readings;
    if (recognition->sender)
        row->senders[gw_sender_side(packet->pinfo)] = recognition->sender;
    /* 3. Evidence against the format removes the evidence of the packets before it. */
    if (recognition->unlikely)
        row->row.bits = row->count = 0;
    if (recognition->unlikely || !recognition->bits || row->count == ROW_PACKETS)
        return;
    /* 4. Other evidence is added, if no packet of the row had the same. */
    unsigned length = tvb_captured_length(packet->tvb);
    if (!packet->hash)
        packet->hash = recognition->evidence;
    if (!packet->hash)
        packet->hash = wmem_strong_hash(tvb_get_ptr(packet->tvb, 0, (int)length), length);
    for (uint32_t i = 0; i < row->count; i++)
        if (row->hashes[i] == packet->hash)
            return;
    row->hashes[row->count++] = packet->hash;
    row->has_request |= !recognition->is_answer;
    row->row.bits += MIN(recognition->bits, most_bits);
}

/* ---- rows of addresses and ports ------------------------------------------------------------------------- */

/* The row of the packet's source or destination. */
static server_row *find_server_row(const gw_heuristic *heuristic, const packet_info *pinfo, bool is_source)
{
    const server_key key = { is_source ? pinfo->src : pinfo->dst, is_source ? pinfo->srcport : pinfo->destport,
                             pinfo->vlan_id };
    return wmem_map_size(heuristic->server_rows) ? wmem_map_lookup(heuristic->server_rows, &key) : NULL;
}

/* NULL: too many. */
static server_row *obtain_server_row(const gw_heuristic *heuristic, const packet_info *pinfo, bool is_source)
{
    server_row *row = find_server_row(heuristic, pinfo, is_source);
    if (row || wmem_map_size(heuristic->server_rows) >= MOST_SERVERS)
        return row;
    row = wmem_new0(wmem_file_scope(), server_row);
    copy_address_wmem(wmem_file_scope(), &row->key.address, is_source ? &pinfo->src : &pinfo->dst);
    row->key.port = is_source ? pinfo->srcport : pinfo->destport;
    row->key.vlan = pinfo->vlan_id;
    wmem_map_insert(heuristic->server_rows, &row->key, row);
    return row;
}

static void end_server_rows(const gw_heuristic *heuristic, const packet_info *pinfo)
{
    for (unsigned side = 0; side < 2; side++) {
        server_row *row = find_server_row(heuristic, pinfo, !side);
        if (!row || row->ended_in)
            continue;
        if (row->evidence.accepted_in)
            row->ended_in = pinfo->num;
        else
            row->evidence.first_frame = 0;
    }
}

/* On the first pass: adds the evidence to the rows of the packet's addresses and ports. True if it is sufficient. */
static bool is_of_server(candidate *packet)
{
    bool is_accepted = false;
    if (!packet->heuristic->servers)
        return false;
    if (packet->recognition->unlikely)
        end_server_rows(packet->heuristic, packet->pinfo);
    for (unsigned side = 0; packet->recognition->bits && side < 2; side++) {
        server_row *row = obtain_server_row(packet->heuristic, packet->pinfo, !side);
        if (!row || row->ended_in)
            continue;
        if (!row->evidence.accepted_in)
            extend_row(packet, &row->evidence, packet->threshold / 2);
        if (row->evidence.row.bits >= packet->threshold && !row->evidence.accepted_in)
            row->evidence.accepted_in = packet->pinfo->num;
        is_accepted |= row->evidence.accepted_in && has_reading(packet, &row->evidence);
    }
    return is_accepted;
}

/* The same on later passes. */
static bool was_of_server(const candidate *packet)
{
    const uint32_t frame = packet->pinfo->num;
    for (unsigned side = 0; packet->heuristic->servers && packet->recognition->bits && side < 2; side++) {
        const server_row *row = find_server_row(packet->heuristic, packet->pinfo, !side);
        if (row && row->evidence.accepted_in && frame >= row->evidence.first_frame &&
            (!row->ended_in || frame < row->ended_in) && has_reading(packet, &row->evidence))
            return true;
    }
    return false;
}

/* ---- accepting ----------------------------------------------------------------------------------------- */

void gw_heuristic_end_row(gw_heuristic *heuristic, packet_info *pinfo, uint32_t stream)
{
    if (!gw_is_first_pass(pinfo))
        return;
    if (!gw_heuristic_is_idle(heuristic))
        end_row(heuristic, find_row(heuristic, pinfo, stream));
    if (heuristic->servers)
        end_server_rows(heuristic, pinfo);
}

/* On the first pass: true if the evidence is sufficient with this packet. */
static bool add_evidence(candidate *packet)
{
    gw_heuristic *heuristic = packet->heuristic;
    packet_info *pinfo = packet->pinfo;
    /* 1. For a strict heuristic only a packet with evidence begins a row, since damaged packets are possible. */
    if (!packet->recognition->bits && heuristic->strict && !gw_heuristic_find_row(heuristic, pinfo, packet->stream))
        return false;
    /* 2. A conversation that another dissector is set for has no row. */
    dissector_handle_t other = gw_candidates_find_other(pinfo);
    evidence_row *row = obtain_row(packet);
    if (heuristic->pinned && other && other != heuristic->pinned) {
        end_row(heuristic, row);
        return false;
    }
    if (row->accepted_in)
        return false;
    /* 3. The evidence of the conversation, and of the packet's addresses and ports. */
    heuristic->open += !row->first_frame;
    extend_row(packet, row, UINT32_MAX);
    bool is_enough = row->row.bits >= packet->threshold && row->has_request;
    if (is_of_server(packet) || is_enough) {
        accept_in(packet, row);
        return true;
    }
    if (heuristic->candidates && packet->recognition->bits)
        gw_candidates_keep(pinfo, pinfo->num);
    return false;
}

/* True for a nested payload of an accepted conversation; on the first pass only for payloads after the acceptance. */
static bool is_of_accepted(const candidate *packet)
{
    if (!packet->heuristic->nested)
        return false;
    const evidence_row *row = find_row(packet->heuristic, packet->pinfo, packet->stream);
    return row && row->accepted_in && (packet->pinfo->num >= row->accepted_in || has_reading(packet, row));
}

/* On later passes: true for the packets whose evidence was added up. */
static bool was_accepted(const candidate *packet)
{
    const evidence_row *row = find_row(packet->heuristic, packet->pinfo, packet->stream);
    bool may_have_counted = packet->recognition->bits || !packet->heuristic->strict;
    bool is_in_row = may_have_counted && row && row->accepted_in && packet->pinfo->num >= row->first_frame &&
                     packet->pinfo->num <= row->accepted_in && has_reading(packet, row) && has_sender(packet, row);
    return is_in_row || was_of_server(packet);
}

/* A packet that is accepted by itself also accepts the packets before it in the same row. */
static void accept_row(const candidate *packet)
{
    evidence_row *row = find_row(packet->heuristic, packet->pinfo, packet->stream);
    if (row && row->first_frame && !row->accepted_in && has_reading(packet, row)) {
        row->readings &= packet->recognition->readings;
        accept_in(packet, row);
    }
}

/* A nested payload that was accepted alone has no row yet: one that begins and ends with it. */
static void keep_accepted(const candidate *packet)
{
    evidence_row *row = obtain_row(packet);
    if (row->accepted_in)
        return;
    packet->heuristic->open += !row->first_frame;
    begin_row(packet, row);
    accept_in(packet, row);
}

/* WebSocket does not pass on whether a message is text: it is UTF-8, and texts of games have no control characters. A
 * binary message of such bytes is not a payload of a format either, or it would be possible. */
static bool is_text(tvbuff_t *tvb)
{
    int length = (int)tvb_captured_length(tvb);
    const uint8_t *bytes = tvb_get_ptr(tvb, 0, length);
    for (int i = 0; i < length; i++)
        if (bytes[i] == 0x7F || (bytes[i] < ' ' && bytes[i] != '\t' && bytes[i] != '\n' && bytes[i] != '\r'))
            return false;
    return length && g_utf8_validate((const char *)bytes, length, NULL);
}

bool gw_heuristic_accepts(gw_heuristic *heuristic, packet_info *pinfo, tvbuff_t *tvb, const gw_recognition *recognition,
                          uint32_t stream, uint32_t threshold)
{
    candidate packet = { heuristic, pinfo, tvb, recognition, stream, threshold, 0 };
    bool is_alone = recognition->bits >= threshold && !recognition->unlikely;
    /* 1. A payload that no sender of the format writes ends the row, except texts between the payloads. */
    if (!recognition->possible || recognition->is_odd_alone) {
        if (!(heuristic->skips_texts && is_text(tvb)))
            gw_heuristic_end_row(heuristic, pinfo, stream);
        return false;
    }
    /* 2. Inside another protocol, all that is possible belongs to an accepted conversation. */
    if (is_of_accepted(&packet))
        return true;
    /* 3. Later passes repeat the result of the first one, and change nothing. */
    if (!gw_is_first_pass(pinfo))
        return is_alone || was_accepted(&packet);
    /* 4. The evidence of this packet, or of its row, must be sufficient. */
    if (is_alone) {
        accept_row(&packet);
        is_of_server(&packet);
    } else if (!add_evidence(&packet))
        return false;
    /* 5. The conversation is accepted from this packet on. */
    if (heuristic->nested)
        keep_accepted(&packet);
    else if (heuristic->pinned)
        gw_conversation_pin(pinfo, heuristic->pinned);
    return true;
}
