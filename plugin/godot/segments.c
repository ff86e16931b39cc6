/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * TCP segments of Godot's streams, remote debugger and remote file system.
 */
#include "segments.h"

#include <epan/dissectors/packet-tcp.h>
#include <epan/proto_data.h>

#include "common/conversation.h"
#include "common/display/experts.h"
#include "common/keys.h"

/* Maximum number of segments that are collected to find the beginning of a message. TCP iterates over all of them
 * whenever one is added, so that the time grows with the square of their number. Segments of ordinary size reach
 * GW_GODOT_STREAM_WINDOW first. */
#define MOST_SEGMENTS 256U

/* Bits of tcp_analysis.conversation_completeness, whose names no installed header has. */
#define COMPLETENESS_SYN     0x01
#define COMPLETENESS_SYN_ACK 0x02

/* A place in a direction, and the state there. */
typedef struct position {
    uint32_t sequence;
    uint8_t state[GODOT_LARGEST_STATE];
} position;

/* One direction of a connection. */
typedef struct direction {
    godot_beginning beginning; /* the latest one */
    bool is_known;             /* had a segment: `first` and `next` are set */
    position first;            /* of the bytes that TCP passed last: it may pass them again, with more */
    position next;             /* after the bytes that were read */
    uint32_t wait_sequence;    /* the latest request: sequence number of its first byte, */
    uint32_t wait_next;        /* and after the segment; */
    uint32_t wait_segments;    /* segments in which no message began */
} direction;

/* One protocol in a connection: it may have been tried as several before it was recognized. */
typedef struct connection {
    struct connection *next;
    int protocol;
    direction directions[2]; /* by side */
} connection;

typedef struct connections {
    connection *first;
} connections;

/* Sets the protocol, and the size of the state that it has in each direction. */
void godot_segments_init(godot_segments *segments, int protocol, size_t state_size)
{
    segments->protocol = protocol;
    segments->state_size = state_size;
}

/* The data of the protocol in the packet's direction of a connection; NULL: none was stored. `list` may be NULL. Only
 * used on the first pass: the data is that of the latest segment. */
static direction *find_direction(const connections *list, const packet_info *pinfo, int protocol)
{
    for (connection *entry = list ? list->first : NULL; entry; entry = entry->next)
        if (entry->protocol == protocol)
            return &entry->directions[gw_sender_side(pinfo)];
    return NULL;
}

/* On the first pass: the data of the segment's protocol in its direction, which is created with zeros if none was stored. */
static direction *obtain_direction(const godot_segment *segment)
{
    int protocol = segment->segments->protocol;
    connections *list = (connections *)gw_conversation_obtain(segment->pinfo, GW_KEY_GODOT_SEGMENTS, sizeof *list);
    if (!find_direction(list, segment->pinfo, protocol)) {
        connection *entry = wmem_new0(wmem_file_scope(), connection);
        entry->protocol = protocol;
        entry->next = list->first;
        list->first = entry;
    }
    return find_direction(list, segment->pinfo, protocol);
}

/* The sequence number of the byte at an offset in the joined bytes, the key of states and requests. The bytes of the
 * beginning are of earlier segments: they have the number of the first byte that TCP passed. Without TCP, always 0. */
static uint32_t sequence_at(const godot_segment *segment, uint32_t offset)
{
    uint32_t passed = offset < segment->in_front ? 0 : offset - segment->in_front;
    return segment->tcp ? segment->tcp->seq + passed : 0;
}

/* ---- the beginning of a message ------------------------------------------------------------------------ */

/* The beginning of a message in the sender's latest segments, if the bytes that TCP passes now follow it directly;
 * NULL: none. On the first pass, stores a copy for the frame, because the direction has only the latest beginning. */
static const godot_beginning *find_beginning(packet_info *pinfo, int protocol, const struct tcpinfo *tcp)
{
    const godot_beginning *beginning = p_get_proto_data(wmem_file_scope(), pinfo, protocol, GW_KEY_GODOT_SEGMENTS);
    /* A frame has one beginning, but may have several payloads of TCP: it belongs to the one that follows it. */
    if (gw_is_later_pass(pinfo) || !tcp || beginning)
        return beginning && tcp && beginning->next == tcp->seq ? beginning : NULL;
    /* Not a beginning that this frame itself stored, from an earlier payload. */
    const direction *sender = find_direction(gw_conversation_find(pinfo, GW_KEY_GODOT_SEGMENTS), pinfo, protocol);
    if (!sender || !sender->beginning.frame || sender->beginning.next != tcp->seq ||
        sender->beginning.frame == pinfo->num)
        return NULL;
    godot_beginning *copy = wmem_memdup(wmem_file_scope(), &sender->beginning, sizeof sender->beginning);
    p_set_proto_data(wmem_file_scope(), pinfo, protocol, GW_KEY_GODOT_SEGMENTS, copy);
    return copy;
}

/* Sets the segment to the bytes that TCP passed, after the beginning of a message in the segments before them. */
void godot_segment_init(godot_segment *segment, godot_segments *segments, tvbuff_t *tvb, packet_info *pinfo,
                        const void *data)
{
    const struct tcpinfo *tcp = (const struct tcpinfo *)data;
    const godot_beginning *beginning = find_beginning(pinfo, segments->protocol, tcp);
    *segment = (godot_segment){ segments, pinfo, tcp, tvb, beginning, beginning ? beginning->length : 0 };
    if (!beginning)
        return;

    /* Joins the segments. The list begins with the last one: they are copied from the last to the first. */
    uint32_t captured = tvb_captured_length(tvb), start = segment->in_front;
    uint8_t *bytes = (uint8_t *)wmem_alloc(pinfo->pool, captured + start);
    tvb_memcpy(tvb, bytes + start, 0, captured);
    for (const godot_beginning *part = beginning; part; part = part->before) {
        start -= part->last_length;
        memcpy(bytes + start, part->last, part->last_length);
    }
    segment->tvb = tvb_new_child_real_data(tvb, bytes, captured + segment->in_front,
                                           (int)(tvb_reported_length(tvb) + segment->in_front));
}

/* Adds the joined bytes as a tab of the bytes pane. */
void godot_segment_show(const godot_segment *segment, const char *name)
{
    if (segment->beginning)
        add_new_data_source(segment->pinfo, segment->tvb, name);
}

/* On the first pass: stores the segment's bytes as the last part of the beginning of a message, for the next segment,
 * unless the beginning is then longer than GODOT_LONGEST_BEGINNING. */
void godot_segment_keep_beginning(const godot_segment *segment)
{
    tvbuff_t *tvb = segment->tvb;
    uint32_t captured = tvb_captured_length(tvb), last_length = captured - segment->in_front;
    /* After a segment that the capture cut, the joined bytes would have a gap. */
    if (!gw_is_first_pass(segment->pinfo) || !segment->tcp || captured > GODOT_LONGEST_BEGINNING ||
        gw_is_cut_by_capture(tvb))
        return;
    obtain_direction(segment)->beginning = (godot_beginning){
        .before = segment->beginning,
        .frame = segment->pinfo->num,
        .next = segment->tcp->seq + last_length,
        .length = captured,
        .last_length = last_length,
        .last = (const uint8_t *)tvb_memdup(wmem_file_scope(), tvb, (int)segment->in_front, last_length),
    };
}

/* ---- the state of a direction -------------------------------------------------------------------------- */

/* Sets `state` to the state of the direction before this segment; false if segments before it are missing. The first
 * pass archives the state by the segment's sequence number, so that later passes find the same one. */
bool godot_segment_find_state(const godot_segment *segment, void *state)
{
    godot_segments *segments = segment->segments;
    uint32_t sequence = sequence_at(segment, 0);
    if (!gw_is_first_pass(segment->pinfo)) {
        const void *before = gw_archive_find(&segments->states, segment->pinfo, sequence, NULL);
        if (before)
            memcpy(state, before, segments->state_size);
        return before != NULL;
    }

    /* The state is known after the bytes that were read, at the bytes that TCP passed last (TCP may pass them again),
     * and, all zero, at the first bytes of the direction. At any other sequence number, segments are missing. */
    direction *sender = obtain_direction(segment);
    position here = { .sequence = sequence };
    if (sender->is_known && sender->next.sequence == sequence)
        here = sender->next;
    else if (sender->is_known && sender->first.sequence == sequence)
        here = sender->first;
    else if (sender->is_known)
        return false;
    sender->is_known = true;
    sender->first = sender->next = here;
    memcpy(gw_archive_add(&segments->states, segment->pinfo, sequence, segments->state_size), here.state,
           segments->state_size);
    memcpy(state, here.state, segments->state_size);
    return true;
}

/* On the first pass: stores the state after the bytes up to `offset`, for the next segment. */
void godot_segment_keep_state(const godot_segment *segment, uint32_t offset, const void *state)
{
    if (!gw_is_first_pass(segment->pinfo))
        return;
    position *next = &obtain_direction(segment)->next;
    next->sequence = sequence_at(segment, offset);
    memcpy(next->state, state, segment->segments->state_size);
}

/* ---- requests ------------------------------------------------------------------------------------------ */

/* True if further bytes may complete a message at the end of the segment. */
bool godot_segment_can_wait(const godot_segment *segment)
{
    /* After a segment that the capture cut, further bytes would not continue its captured ones. */
    return segment->pinfo->can_desegment && !gw_is_cut_by_capture(segment->tvb);
}

/* Requests from TCP that it passes the bytes from `offset` on again, with `more` further ones. */
void godot_segment_request(const godot_segment *segment, uint32_t offset, uint32_t more)
{
    /* TCP's offset is in the bytes that it passed, without the beginning. */
    segment->pinfo->desegment_offset = (int)(offset < segment->in_front ? 0 : offset - segment->in_front);
    segment->pinfo->desegment_len = more;
}

/* On the first pass: stores a request for the bytes from `sequence` on, with more bytes after them. False, and nothing is
 * requested, if TCP would then pass bytes again that were shown, or if no message began in MOST_SEGMENTS collected
 * segments. `is_unknown`: no message has begun in these bytes. */
static bool keep_request(const godot_segment *segment, uint32_t sequence, bool is_unknown)
{
    const struct tcpinfo *tcp = segment->tcp;
    direction *sender = obtain_direction(segment);
    /* TCP passes the bytes of the latest request, with further ones. */
    bool is_continued = tcp->is_reassembled && sender->wait_sequence == tcp->seq;
    bool requests_all = sequence == tcp->seq; /* none of the bytes was shown */
    /* TCP passes the bytes from `sequence` on only if it is in the last segment, after its first byte; else all bytes
     * again. wait_next - wait_sequence: the length of the bytes before the last segment. */
    bool is_repeated =
        is_continued && !requests_all && sequence - tcp->seq <= sender->wait_next - sender->wait_sequence;
    /* Consecutive requests for the same bytes: their segments without the beginning of a message are counted. */
    uint32_t before = is_continued && requests_all ? sender->wait_segments : 0;
    sender->wait_sequence = sequence;
    sender->wait_next = tcp->nxtseq;
    sender->wait_segments = before + is_unknown;
    if (is_repeated || sender->wait_segments >= MOST_SEGMENTS)
        return false;
    gw_archive_add(&segment->segments->requests, segment->pinfo, sequence, 0);
    return true;
}

/* Requests more bytes as godot_segment_request() does, and returns true. False if keep_request() declined the request
 * on the first pass: then the caller shows the bytes as they are. `is_unknown`: no message has begun in the bytes. */
bool godot_segment_may_request(const godot_segment *segment, uint32_t offset, uint32_t more, bool is_unknown)
{
    uint32_t sequence = sequence_at(segment, offset);
    bool may_request = true;
    /* Later passes repeat the decision of the first pass, on which the request was stored. TCP may pass fewer bytes
     * then: only those before a message that is continued in other segments. */
    if (segment->tcp)
        may_request = gw_is_first_pass(segment->pinfo)
                          ? keep_request(segment, sequence, is_unknown)
                          : gw_archive_find(&segment->segments->requests, segment->pinfo, sequence, NULL) != NULL;
    if (may_request)
        godot_segment_request(segment, offset, more);
    return may_request;
}

/* ---- connections --------------------------------------------------------------------------------------- */

/* True if the segment's first byte is the one after the SYN of its direction, which was captured. */
bool godot_begins_connection(packet_info *pinfo, const void *data)
{
    const struct tcpinfo *tcp = (const struct tcpinfo *)data;
    const conversation_t *conversation = tcp ? find_conversation_pinfo(pinfo, 0) : NULL;
    const struct tcp_analysis *analysis =
        conversation ? conversation_get_proto_data(conversation, proto_get_id_by_filter_name("tcp")) : NULL;
    /* Without the SYN, the sequence number of the first byte is not known. */
    if (!analysis || !analysis->fwd ||
        !(analysis->conversation_completeness & (COMPLETENESS_SYN | COMPLETENESS_SYN_ACK)))
        return false;
    /* The number is relative to the number of the SYN, unless a preference of TCP is off. */
    return tcp->seq == 1 || tcp->seq == analysis->fwd->base_seq + 1;
}
