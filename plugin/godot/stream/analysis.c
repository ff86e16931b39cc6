/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is known of a stream beyond one segment.
 */
#include "stream.h"

#include <epan/dissectors/packet-tcp.h>

#include "common/beginning.h"
#include "common/conversation.h"
#include "common/frame_log.h"

/* Maximum number of segments that are collected to find the beginning of a message. TCP iterates over all of them
 * whenever one is added, so that the time grows with the square of their number. Segments of ordinary size reach
 * GW_GODOT_STREAM_WINDOW first. */
#define MOST_SEGMENTS 256U

#define FLAG_FIN 0x01

/* Bytes for which TCP collects more segments. */
typedef struct stream_wait {
    uint32_t sequence; /* number of the first byte */
    uint32_t next;     /* sequence number after the last segment */
    uint32_t segments; /* in which no message began */
} stream_wait;

/* Sequence numbers at which a message of the debugger begins. */
typedef struct stream_steps {
    bool has_first;
    bool has_next;
    uint32_t first; /* of the bytes that TCP passed last: it may pass them again, with more */
    uint32_t next;  /* after the last message */
} stream_steps;

typedef struct stream_state {
    wmem_tree_t *orders[2]; /* gw_godot_stream_order, by side and the frame that changed it */
    stream_wait waits[2];   /* the latest ones, by side */
    stream_steps steps[2];  /* by side */
} stream_state;

static gw_frame_log begun;  /* segments that begin with a message, by sequence number */
static gw_frame_log waited; /* segments after which more were requested, by the sequence number of the first byte */

/* `orders` may be NULL. */
static gw_godot_stream_order order_up_to(wmem_tree_t *orders, uint32_t frame)
{
    return orders ? (gw_godot_stream_order)GPOINTER_TO_UINT(wmem_tree_lookup32_le(orders, frame))
                  : GW_GODOT_STREAM_ANY_ORDER;
}

gw_godot_stream_order godot_stream_find_order(packet_info *pinfo)
{
    const stream_state *state = (const stream_state *)gw_conversation_find(pinfo, proto_godot_stream);
    return state ? order_up_to(state->orders[gw_sender_side(pinfo)], pinfo->num - 1) : GW_GODOT_STREAM_ANY_ORDER;
}

void godot_stream_keep_order(packet_info *pinfo, gw_godot_stream_order order)
{
    if (!gw_is_first_pass(pinfo) || order == GW_GODOT_STREAM_ANY_ORDER)
        return;
    stream_state *state = (stream_state *)gw_conversation_obtain(pinfo, proto_godot_stream, sizeof *state);
    wmem_tree_t **orders = &state->orders[gw_sender_side(pinfo)];
    if (!*orders)
        *orders = wmem_tree_new(wmem_file_scope());
    if (order_up_to(*orders, pinfo->num) != order)
        wmem_tree_insert32(*orders, pinfo->num, GUINT_TO_POINTER(order));
}

/* ---- a debugger's messages ----------------------------------------------------------------------------- */

bool godot_stream_begins_in_step(packet_info *pinfo, const void *data)
{
    uint32_t sequence = gw_tcp_sequence(data);
    if (!gw_is_first_pass(pinfo))
        return gw_frame_log_find(&begun, pinfo, sequence, NULL) != NULL;
    stream_state *state = (stream_state *)gw_conversation_find(pinfo, proto_godot_stream);
    stream_steps *steps = state ? &state->steps[gw_sender_side(pinfo)] : NULL;
    if (!steps || !((steps->has_next && steps->next == sequence) || (steps->has_first && steps->first == sequence)))
        return false;
    steps->has_first = true;
    steps->first = sequence;
    gw_frame_log_add(&begun, pinfo, sequence, 0);
    return true;
}

void godot_stream_keep_step(packet_info *pinfo, const void *data, uint32_t offset, bool in_step)
{
    if (!gw_is_first_pass(pinfo))
        return;
    stream_state *state = (stream_state *)gw_conversation_obtain(pinfo, proto_godot_stream, sizeof *state);
    stream_steps *steps = &state->steps[gw_sender_side(pinfo)];
    steps->has_next = in_step;
    steps->next = data ? gw_tcp_sequence(data) + offset : 0;
}

/* ---- requesting more segments -------------------------------------------------------------------------- */

bool godot_stream_may_wait(packet_info *pinfo, uint32_t offset, bool is_unknown, const void *data)
{
    const struct tcpinfo *tcp = (const struct tcpinfo *)data;
    if (!tcp)
        return true;
    /* TCP may pass fewer bytes than on the first pass: only those before a message that is continued in other segments. */
    if (!gw_is_first_pass(pinfo))
        return gw_frame_log_find(&waited, pinfo, tcp->seq + offset, NULL) != NULL;
    stream_state *state = (stream_state *)gw_conversation_obtain(pinfo, proto_godot_stream, sizeof *state);
    stream_wait *wait = &state->waits[gw_sender_side(pinfo)];
    bool is_continued = tcp->is_reassembled && wait->sequence == tcp->seq;
    /* TCP passes the bytes from `offset` on only if it is in the last segment, else all bytes again. */
    bool is_repeated = is_continued && offset && offset <= wait->next - wait->sequence;
    uint32_t before = is_continued && !offset ? wait->segments : 0;
    *wait = (stream_wait){ .sequence = tcp->seq + offset, .next = tcp->nxtseq, .segments = before + is_unknown };
    if (is_repeated || wait->segments >= MOST_SEGMENTS)
        return false;
    gw_frame_log_add(&waited, pinfo, wait->sequence, 0);
    return true;
}

/* ---- the end of a stream ------------------------------------------------------------------------------- */

bool godot_stream_ends(const void *data)
{
    const struct tcpinfo *tcp = (const struct tcpinfo *)data;
    return tcp && tcp->flags & FLAG_FIN;
}

void godot_stream_register_analysis(void)
{
    gw_frame_log_init(&begun);
    gw_frame_log_init(&waited);
}
