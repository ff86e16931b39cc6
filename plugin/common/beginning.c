/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The beginning of a message in TCP segments before the one that is recognized.
 */
#include "beginning.h"

#include <epan/dissectors/packet-tcp.h>
#include <epan/proto_data.h>

#include "common/conversation.h"
#include "common/experts.h"
#include "common/keys.h"

/* Bits of tcp_analysis.conversation_completeness, whose names no installed header has. */
#define COMPLETENESS_SYN     0x01
#define COMPLETENESS_SYN_ACK 0x02

/* Of one protocol. */
typedef struct beginnings {
    struct beginnings *next;
    int protocol;
    gw_beginning last[2]; /* by side */
} beginnings;

typedef struct beginnings_list {
    beginnings *first;
} beginnings_list;

static beginnings *find_beginnings(const beginnings_list *list, int protocol)
{
    beginnings *entry = list ? list->first : NULL;
    while (entry && entry->protocol != protocol)
        entry = entry->next;
    return entry;
}

static beginnings *obtain_beginnings(packet_info *pinfo, int protocol)
{
    beginnings_list *list = (beginnings_list *)gw_conversation_obtain(pinfo, GW_KEY_BEGINNING, sizeof *list);
    beginnings *entry = find_beginnings(list, protocol);
    if (!entry) {
        entry = wmem_new0(wmem_file_scope(), beginnings);
        entry->protocol = protocol;
        entry->next = list->first;
        list->first = entry;
    }
    return entry;
}

void gw_beginning_keep(packet_info *pinfo, const gw_beginning *before, tvbuff_t *whole, int protocol, const void *data)
{
    const struct tcpinfo *tcp = (const struct tcpinfo *)data;
    uint32_t captured = tvb_captured_length(whole);
    if (!gw_is_first_pass(pinfo) || !tcp || captured > GW_LONGEST_BEGINNING || gw_is_cut_by_capture(whole))
        return;
    uint32_t last_length = captured - (before ? before->length : 0);
    obtain_beginnings(pinfo, protocol)->last[gw_sender_side(pinfo)] = (gw_beginning){
        .before = before,
        .frame = pinfo->num,
        .next = tcp->seq + last_length,
        .length = captured,
        .last_length = last_length,
        .last = (const uint8_t *)tvb_memdup(wmem_file_scope(), whole, (int)(captured - last_length), last_length),
    };
}

const gw_beginning *gw_beginning_find(packet_info *pinfo, int protocol, const void *data)
{
    const struct tcpinfo *tcp = (const struct tcpinfo *)data;
    const gw_beginning *kept = p_get_proto_data(wmem_file_scope(), pinfo, protocol, GW_KEY_BEGINNING);
    if (gw_is_later_pass(pinfo) || !tcp || kept)
        return kept && tcp && kept->next == tcp->seq ? kept : NULL;
    const beginnings *entry =
        find_beginnings((const beginnings_list *)gw_conversation_find(pinfo, GW_KEY_BEGINNING), protocol);
    const gw_beginning *last = entry ? &entry->last[gw_sender_side(pinfo)] : NULL;
    if (!last || !last->frame || last->next != tcp->seq || last->frame == pinfo->num)
        return NULL;
    gw_beginning *copy = wmem_memdup(wmem_file_scope(), last, sizeof *last);
    p_set_proto_data(wmem_file_scope(), pinfo, protocol, GW_KEY_BEGINNING, copy);
    return copy;
}

tvbuff_t *gw_beginning_join(packet_info *pinfo, tvbuff_t *tvb, const gw_beginning *beginning)
{
    uint32_t captured = tvb_captured_length(tvb);
    if (!beginning)
        return tvb;
    uint8_t *bytes = (uint8_t *)wmem_alloc(pinfo->pool, captured + beginning->length);
    uint32_t start = beginning->length;
    for (const gw_beginning *part = beginning; part; part = part->before) {
        start -= part->last_length;
        memcpy(bytes + start, part->last, part->last_length);
    }
    tvb_memcpy(tvb, bytes + beginning->length, 0, captured);
    return tvb_new_child_real_data(tvb, bytes, captured + beginning->length,
                                   (int)(tvb_reported_length(tvb) + beginning->length));
}

tvbuff_t *gw_beginning_show(packet_info *pinfo, tvbuff_t *tvb, const gw_beginning *beginning, const char *name)
{
    tvbuff_t *whole = gw_beginning_join(pinfo, tvb, beginning);
    if (beginning)
        add_new_data_source(pinfo, whole, name);
    return whole;
}

uint32_t gw_tcp_sequence(const void *data)
{
    const struct tcpinfo *tcp = (const struct tcpinfo *)data;
    return tcp ? tcp->seq : 0;
}

void gw_tcp_request(packet_info *pinfo, uint32_t offset, uint32_t in_front, uint32_t more)
{
    pinfo->desegment_offset = (int)gw_tcp_offset(offset, in_front);
    pinfo->desegment_len = more;
}

bool gw_begins_connection(packet_info *pinfo, const void *data)
{
    const struct tcpinfo *tcp = (const struct tcpinfo *)data;
    const conversation_t *conversation = tcp ? find_conversation_pinfo(pinfo, 0) : NULL;
    const struct tcp_analysis *known =
        conversation ? conversation_get_proto_data(conversation, proto_get_id_by_filter_name("tcp")) : NULL;
    if (!known || !known->fwd || !(known->conversation_completeness & (COMPLETENESS_SYN | COMPLETENESS_SYN_ACK)))
        return false;
    /* The number is relative to that of the SYN, unless a preference of TCP is off. */
    return tcp->seq == 1 || tcp->seq == known->fwd->base_seq + 1;
}
