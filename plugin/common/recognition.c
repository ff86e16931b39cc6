/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds up the bits of evidence in sequences ("rows") of packets, for each conversation.
 */
#include "common/recognition.h"

#include "common/conversation.h"

/* The most different packets that are counted in a row. */
#define ROW_PACKETS 32

/* Packets of a row from one side. */
typedef struct row_side {
    uint32_t sender;  /* as recognized in the row; 0: not yet */
    uint32_t source;  /* the last one; 0: not yet */
    uint32_t waiting; /* bits of a packet whose source was new */
    bool relays;      /* has had several sources */
} row_side;

/* Consecutive packets of one conversation, each of which is possible for the family. */
typedef struct evidence_row {
    struct evidence_row *next; /* of another stream */
    uint32_t stream;
    uint32_t bits;
    uint32_t readings;    /* readings that all packets of the row have in common */
    uint32_t first_frame; /* 0: no row has begun */
    uint32_t accepted_in; /* frame in which the row reached the threshold; 0: it has not */
    bool has_request;     /* a packet with evidence is not an answer */
    uint32_t count;
    uint32_t hashes[ROW_PACKETS]; /* of the packets that were counted, or of their evidence */
    row_side sides[2];
} evidence_row;

/* The file is closed, and with it `rows` is emptied. True: to be called for the next file too. */
static ws_bool forget_open(wmem_allocator_t *scope _U_, wmem_cb_event_t event, void *heuristic)
{
    ((gw_heuristic *)heuristic)->open = 0;
    return event == WMEM_CB_FREE_EVENT;
}

void gw_heuristic_init(gw_heuristic *heuristic, dissector_handle_t pinned)
{
    heuristic->pinned = pinned;
    heuristic->threshold = GW_RECOGNIZED_ALONE;
    heuristic->rows = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
    wmem_register_callback(wmem_file_scope(), forget_open, heuristic);
    gw_damaged_init(&heuristic->damaged);
}

void gw_heuristic_init_nested(gw_heuristic *heuristic)
{
    gw_heuristic_init(heuristic, NULL);
    heuristic->nested = true;
}

static evidence_row *row_of(const gw_heuristic *heuristic, const conversation_t *conversation)
{
    evidence_row *row = (evidence_row *)wmem_map_lookup(heuristic->rows, conversation);
    while (row && row->stream != heuristic->stream)
        row = row->next;
    return row;
}

/* If there is no row, no conversation is looked up. */
static evidence_row *find_row(const gw_heuristic *heuristic, packet_info *pinfo)
{
    if (!wmem_map_size(heuristic->rows))
        return NULL;
    conversation_t *conversation = gw_conversation_lookup(pinfo);
    return conversation ? row_of(heuristic, conversation) : NULL;
}

uint32_t gw_heuristic_row(const gw_heuristic *heuristic, packet_info *pinfo)
{
    const evidence_row *row = find_row(heuristic, pinfo);
    return row && (!row->accepted_in || row->accepted_in >= pinfo->num) ? row->first_frame : 0;
}

bool gw_heuristic_has_row(const gw_heuristic *heuristic, packet_info *pinfo)
{
    const evidence_row *row = find_row(heuristic, pinfo);
    return row && row->first_frame;
}

static evidence_row *obtain_row(gw_heuristic *heuristic, conversation_t *conversation)
{
    evidence_row *row = row_of(heuristic, conversation);
    if (!row) {
        row = wmem_new0(wmem_file_scope(), evidence_row);
        row->stream = heuristic->stream;
        row->next = (evidence_row *)wmem_map_lookup(heuristic->rows, conversation);
        wmem_map_insert(heuristic->rows, conversation, row);
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

static void accept_in(gw_heuristic *heuristic, evidence_row *row, uint32_t frame)
{
    row->accepted_in = frame;
    heuristic->open--;
}

static bool was_counted(const evidence_row *row, uint32_t hash)
{
    for (uint32_t i = 0; i < row->count; i++)
        if (row->hashes[i] == hash)
            return true;
    return false;
}

static void begin_row(gw_heuristic *heuristic, evidence_row *row, uint32_t frame, uint32_t readings)
{
    heuristic->open += !row->first_frame;
    row->bits = 0;
    row->has_request = false;
    row->count = 0;
    row->first_frame = frame;
    row->readings = readings;
    row->sides[0] = row->sides[1] = (row_side){ 0 };
}

/* False if the row has packets of this side from another sender. */
static bool has_sender(const evidence_row *row, const packet_info *pinfo, const gw_recognition *recognition)
{
    uint32_t sender = row->sides[gw_sender_side(pinfo)].sender;
    return !sender || !recognition->sender || sender == recognition->sender;
}

/* False if both sides relay, or one relays what is from the other. */
static bool has_source(const evidence_row *row, const packet_info *pinfo, const gw_recognition *recognition)
{
    const row_side *side = &row->sides[gw_sender_side(pinfo)], *other = &row->sides[gw_sender_side(pinfo) ^ 1U];
    bool relays = side->source && side->source != recognition->source;
    return !recognition->source || (recognition->source != other->source && !(relays && other->relays));
}

/* Evidence counts only when two consecutive packets of a side name the same source: in other protocols, this field is
 * often a counter. Returns false while the evidence waits for such a packet. */
static bool keep_source(evidence_row *row, row_side *side, const gw_recognition *recognition)
{
    if (!recognition->source)
        return true;
    bool is_same = side->source == recognition->source;
    row->bits += is_same ? side->waiting : 0;
    side->waiting = 0;
    side->relays |= side->source && !is_same;
    side->source = recognition->source;
    return is_same;
}

/* Evidence against the format removes the evidence of the packets before it. */
static void weaken_row(evidence_row *row)
{
    row->bits = 0;
    row->count = 0;
    row->sides[0].waiting = row->sides[1].waiting = 0;
}

static void extend_row(gw_heuristic *heuristic, evidence_row *row, const packet_info *pinfo, tvbuff_t *tvb,
                       const gw_recognition *recognition)
{
    unsigned length = tvb_captured_length(tvb);
    row_side *side = &row->sides[gw_sender_side(pinfo)];
    if (!row->first_frame || !(row->readings & recognition->readings) || !has_sender(row, pinfo, recognition) ||
        !has_source(row, pinfo, recognition))
        begin_row(heuristic, row, pinfo->num, recognition->readings);
    row->readings &= recognition->readings;
    if (recognition->sender)
        side->sender = recognition->sender;
    bool counts = keep_source(row, side, recognition);
    if (recognition->unlikely)
        weaken_row(row);
    if (recognition->unlikely || !recognition->bits || row->count == ROW_PACKETS)
        return;
    uint32_t hash =
        recognition->evidence ? recognition->evidence : wmem_strong_hash(tvb_get_ptr(tvb, 0, (int)length), length);
    if (was_counted(row, hash))
        return;
    row->hashes[row->count++] = hash;
    row->has_request |= !recognition->is_answer;
    *(counts ? &row->bits : &side->waiting) += recognition->bits;
}

/* For a strict heuristic only a packet with evidence begins a row, since damaged packets are possible. */
static bool may_extend(const gw_heuristic *heuristic, packet_info *pinfo, const gw_recognition *recognition)
{
    if (recognition->bits || !heuristic->strict)
        return true;
    const evidence_row *row = find_row(heuristic, pinfo);
    return row && row->first_frame;
}

/* On the first pass: true if the evidence is sufficient with this packet. */
static bool add_evidence(gw_heuristic *heuristic, packet_info *pinfo, tvbuff_t *tvb, const gw_recognition *recognition)
{
    if (!may_extend(heuristic, pinfo, recognition))
        return false;
    dissector_handle_t other = conversation_get_dissector(find_or_create_conversation(pinfo), pinfo->num);
    evidence_row *row = obtain_row(heuristic, gw_conversation_of(pinfo));
    if (heuristic->pinned && other && other != heuristic->pinned) {
        end_row(heuristic, row);
        return false;
    }
    if (row->accepted_in)
        return false;
    extend_row(heuristic, row, pinfo, tvb, recognition);
    if (row->bits < heuristic->threshold || !row->has_request)
        return false;
    accept_in(heuristic, row, pinfo->num);
    return true;
}

/* True for a nested payload of an accepted conversation; on the first pass only for payloads after the acceptance. */
static bool is_of_accepted(const gw_heuristic *heuristic, packet_info *pinfo, const gw_recognition *recognition)
{
    const evidence_row *row = heuristic->nested ? find_row(heuristic, pinfo) : NULL;
    return row && row->accepted_in && (pinfo->num >= row->accepted_in || recognition->readings & row->readings);
}

/* A nested payload that was accepted alone has no row yet: one that begins and ends with it. */
static void keep_accepted(gw_heuristic *heuristic, packet_info *pinfo, const gw_recognition *recognition)
{
    evidence_row *row = obtain_row(heuristic, gw_conversation_of(pinfo));
    if (row->accepted_in)
        return;
    begin_row(heuristic, row, pinfo->num, recognition->readings);
    accept_in(heuristic, row, pinfo->num);
}

/* On the second pass: true for the packets whose evidence was added up. */
static bool is_in_accepted_row(const gw_heuristic *heuristic, packet_info *pinfo, const gw_recognition *recognition)
{
    const evidence_row *row = find_row(heuristic, pinfo);
    if (heuristic->strict && !recognition->bits)
        return false;
    return row && row->accepted_in && pinfo->num >= row->first_frame && pinfo->num <= row->accepted_in &&
           recognition->readings & row->readings && has_sender(row, pinfo, recognition);
}

/* A packet that is accepted by itself also accepts the packets before it in the same row. */
static void accept_row(gw_heuristic *heuristic, packet_info *pinfo, const gw_recognition *recognition)
{
    evidence_row *row = find_row(heuristic, pinfo);
    if (row && row->first_frame && !row->accepted_in && recognition->readings & row->readings) {
        row->readings &= recognition->readings;
        accept_in(heuristic, row, pinfo->num);
    }
}

bool gw_heuristic_accepts(gw_heuristic *heuristic, packet_info *pinfo, tvbuff_t *tvb, const gw_recognition *recognition)
{
    bool first_pass = gw_first_pass(pinfo);
    if (!recognition->possible) {
        if (first_pass && !gw_heuristic_is_idle(heuristic))
            end_row(heuristic, find_row(heuristic, pinfo));
        return false;
    }
    if (is_of_accepted(heuristic, pinfo, recognition))
        return true;
    bool alone = recognition->bits >= heuristic->threshold && !recognition->unlikely;
    if (!first_pass)
        return alone || is_in_accepted_row(heuristic, pinfo, recognition);
    if (alone)
        accept_row(heuristic, pinfo, recognition);
    else if (!add_evidence(heuristic, pinfo, tvb, recognition))
        return false;
    if (heuristic->nested)
        keep_accepted(heuristic, pinfo, recognition);
    else if (heuristic->pinned)
        gw_conversation_pin(pinfo, heuristic->pinned);
    return true;
}

uint32_t gw_heuristic_readings(const gw_heuristic *heuristic, packet_info *pinfo, const gw_recognition *recognition)
{
    const evidence_row *row = find_row(heuristic, pinfo);
    return row && row->accepted_in ? row->readings & recognition->readings : recognition->readings;
}
