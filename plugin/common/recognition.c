/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds up the bits of evidence in sequences ("rows") of packets, for each conversation.
 */
#include "common/recognition.h"

#include "common/candidates.h"
#include "common/conversation.h"
#include "common/servers.h"

/* The most different packets that are counted in a row. */
#define ROW_PACKETS 32

/* The row of a conversation or of one of its streams, and what was counted in it. */
typedef struct evidence_row {
    gw_row row;
    struct evidence_row *next; /* of another stream */
    uint32_t stream;
    uint32_t readings;    /* readings that all packets of the row have in common */
    uint32_t first_frame; /* 0: no row has begun */
    uint32_t accepted_in; /* frame in which the row reached the threshold; 0: it has not */
    uint32_t senders[2];  /* by side, as recognized in the row; 0: not yet */
    bool has_request;     /* a packet with evidence is not an answer */
    uint32_t count;
    uint32_t hashes[ROW_PACKETS]; /* of the packets that were counted, or of their evidence */
} evidence_row;

/* One packet, and the arguments of gw_heuristic_accepts(). */
typedef struct candidate {
    gw_heuristic *heuristic;
    packet_info *pinfo;
    tvbuff_t *tvb;
    const gw_recognition *recognition;
    uint32_t stream;
    uint32_t threshold;
} candidate;

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
    wmem_register_callback(wmem_file_scope(), forget_open, heuristic);
    gw_damaged_init(&heuristic->damaged);
}

void gw_heuristic_init_nested(gw_heuristic *heuristic)
{
    gw_heuristic_init(heuristic, NULL);
    heuristic->nested = true;
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

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

static void begin_row(const candidate *packet, evidence_row *row)
{
    packet->heuristic->open += !row->first_frame;
    row->row.begun++;
    row->row.bits = 0;
    row->has_request = false;
    row->count = 0;
    row->first_frame = packet->pinfo->num;
    row->readings = packet->recognition->readings;
    row->senders[0] = row->senders[1] = 0;
}

/* A row that was accepted is kept for the second pass. */
static void end_row(gw_heuristic *heuristic, evidence_row *row)
{
    if (!row || row->accepted_in || !row->first_frame)
        return;
    row->first_frame = 0;
    heuristic->open--;
}

/* On the second pass, the heuristics are called in another order: that of the last packets that they accepted. */
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

void gw_heuristic_end_row(gw_heuristic *heuristic, packet_info *pinfo, uint32_t stream)
{
    if (!gw_is_first_pass(pinfo))
        return;
    if (!gw_heuristic_is_idle(heuristic))
        end_row(heuristic, find_row(heuristic, pinfo, stream));
    if (heuristic->servers)
        gw_servers_end(heuristic->servers, pinfo);
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

static bool was_counted(const evidence_row *row, uint32_t hash)
{
    for (uint32_t i = 0; i < row->count; i++)
        if (row->hashes[i] == hash)
            return true;
    return false;
}

/* False if the row has packets of this side from another sender. */
static bool has_sender(const candidate *packet, const evidence_row *row)
{
    uint32_t sender = row->senders[gw_sender_side(packet->pinfo)];
    return !sender || !packet->recognition->sender || sender == packet->recognition->sender;
}

static uint32_t hash_evidence(const candidate *packet)
{
    uint32_t hash = packet->recognition->evidence;
    unsigned length = tvb_captured_length(packet->tvb);
    return hash ? hash : wmem_strong_hash(tvb_get_ptr(packet->tvb, 0, (int)length), length);
}

/* Adds the packet's evidence, if no packet of the row had the same. */
static void count_evidence(const candidate *packet, evidence_row *row)
{
    const gw_recognition *recognition = packet->recognition;
    if (!recognition->bits || row->count == ROW_PACKETS)
        return;
    uint32_t hash = hash_evidence(packet);
    if (was_counted(row, hash))
        return;
    row->hashes[row->count++] = hash;
    row->has_request |= !recognition->is_answer;
    row->row.bits += recognition->bits;
}

static void extend_row(const candidate *packet, evidence_row *row)
{
    const gw_recognition *recognition = packet->recognition;
    /* 1. A packet that cannot go on with the row begins another one. */
    if (!row->first_frame || !(row->readings & recognition->readings) || !has_sender(packet, row))
        begin_row(packet, row);
    /* 2. From here on the row has the readings and the sender that both allow. */
    row->readings &= recognition->readings;
    if (recognition->sender)
        row->senders[gw_sender_side(packet->pinfo)] = recognition->sender;
    /* 3. Evidence against the format removes the evidence of the packets before it; other evidence is added. */
    if (recognition->unlikely)
        row->row.bits = row->count = 0;
    else
        count_evidence(packet, row);
}

/* For a strict heuristic only a packet with evidence begins a row, since damaged packets are possible. */
static bool may_extend(const candidate *packet)
{
    return packet->recognition->bits || !packet->heuristic->strict ||
           gw_heuristic_find_row(packet->heuristic, packet->pinfo, packet->stream);
}

/* On the first pass: adds the evidence to that of the packet's addresses and ports. True if it is sufficient. */
static bool is_of_server(const candidate *packet)
{
    wmem_map_t *servers = packet->heuristic->servers;
    if (servers && packet->recognition->unlikely)
        gw_servers_end(servers, packet->pinfo);
    return servers && packet->recognition->bits &&
           gw_servers_keep(servers, packet->pinfo, packet->recognition, hash_evidence(packet), packet->threshold);
}

/* On the first pass: true if the evidence is sufficient with this packet. */
static bool add_evidence(const candidate *packet)
{
    packet_info *pinfo = packet->pinfo;
    dissector_handle_t pinned = packet->heuristic->pinned;
    if (!may_extend(packet))
        return false;
    dissector_handle_t other = gw_candidates_find_other(pinfo);
    evidence_row *row = obtain_row(packet);
    if (pinned && other && other != pinned) {
        end_row(packet->heuristic, row);
        return false;
    }
    if (row->accepted_in)
        return false;
    extend_row(packet, row);
    bool is_enough = (row->row.bits >= packet->threshold && row->has_request);
    if (is_of_server(packet) || is_enough) {
        accept_in(packet, row);
        return true;
    }
    if (packet->heuristic->candidates && packet->recognition->bits)
        gw_candidates_keep(pinfo, pinfo->num);
    return false;
}

/* ---- accepting ----------------------------------------------------------------------------------------- */

static bool has_reading(const candidate *packet, const evidence_row *row)
{
    return packet->recognition->readings & row->readings;
}

/* True for a nested payload of an accepted conversation; on the first pass only for payloads after the acceptance. */
static bool is_of_accepted(const candidate *packet)
{
    if (!packet->heuristic->nested)
        return false;
    const evidence_row *row = find_row(packet->heuristic, packet->pinfo, packet->stream);
    return row && row->accepted_in && (packet->pinfo->num >= row->accepted_in || has_reading(packet, row));
}

/* On the second pass: true for the packets whose evidence was added up. */
static bool is_in_accepted_row(const candidate *packet)
{
    const evidence_row *row = find_row(packet->heuristic, packet->pinfo, packet->stream);
    if (packet->heuristic->strict && !packet->recognition->bits)
        return false;
    return row && row->accepted_in && packet->pinfo->num >= row->first_frame &&
           packet->pinfo->num <= row->accepted_in && has_reading(packet, row) && has_sender(packet, row);
}

static bool is_accepted_later(const candidate *packet)
{
    wmem_map_t *servers = packet->heuristic->servers;
    return is_in_accepted_row(packet) || (servers && gw_servers_find(servers, packet->pinfo, packet->recognition));
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
    const candidate packet = { heuristic, pinfo, tvb, recognition, stream, threshold };
    bool is_alone = recognition->bits >= threshold && !recognition->unlikely;
    /* 1. What no sender of the format sends ends the row, except texts between the payloads. */
    if (!recognition->possible || recognition->is_odd_alone) {
        if (!(heuristic->skips_texts && is_text(tvb)))
            gw_heuristic_end_row(heuristic, pinfo, stream);
        return false;
    }
    /* 2. Inside another protocol, all that is possible belongs to an accepted conversation. */
    if (is_of_accepted(&packet))
        return true;
    /* 3. Later passes repeat what the first one found, and change nothing. */
    if (!gw_is_first_pass(pinfo))
        return is_alone || is_accepted_later(&packet);
    /* 4. The evidence must be sufficient: that of this packet, or that of its row. */
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
