/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is remembered of a conversation, and of one datagram in a frame.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_CONVERSATION_H
#define GAMEWIRE_PLUGIN_COMMON_CONVERSATION_H

#include "common/compat.h"

#include <epan/conversation.h>

/* The conversation that what we keep of a packet belongs to; created when there is none. Epan's own, but for packets
 * in a VLAN: by epan's key, equal addresses and ports in two VLANs are one conversation. Of several tags the outermost
 * counts (pinfo->vlan_id). Which dissector is pinned is a property of epan's own conversation: see
 * gw_conversation_pin(). */
conversation_t *gw_conversation_of(packet_info *pinfo);

/* The same, or NULL. Creates nothing. */
conversation_t *gw_conversation_lookup(packet_info *pinfo);

/* The data that `protocol` keeps for the packet's conversation, or NULL. Creates nothing. */
void *gw_conversation_find(packet_info *pinfo, int protocol);

/* The same; creates the conversation and `size` zeroed bytes in file scope when there are none. Call it on the
 * first pass only, and for packets that are surely the protocol's. */
void *gw_conversation_obtain(packet_info *pinfo, int protocol, size_t size);

/* From the packet's frame on, `handle` is asked first for packets of this conversation. What it declines (by
 * returning 0) goes to other dissectors. It is asked in all VLANs. */
void gw_conversation_pin(packet_info *pinfo, dissector_handle_t handle);

/* Which of the two endpoints sent the packet: 0 or 1, the same for all packets of one direction. */
uint8_t gw_sender_side(const packet_info *pinfo);

/* True inside an ICMP error, which quotes a datagram: the quotation is no traffic, analyses ignore it. */
static inline bool gw_is_quoted(const packet_info *pinfo)
{
    return pinfo->flags.in_error_pkt;
}

/* True on the first pass, on which what is known of conversations is written; false inside an ICMP error. */
static inline bool gw_first_pass(const packet_info *pinfo)
{
    return !PINFO_FD_VISITED(pinfo) && !gw_is_quoted(pinfo);
}

/* The number of this datagram (or message) among those of `protocol` in its frame, from 0. Each call counts one:
 * call it once a datagram. Together with the frame number it is the key of what is kept for one datagram
 * (p_add_proto_data in file scope, with the ordinal as the key), the same on every pass. */
unsigned gw_packet_ordinal(packet_info *pinfo, int protocol);

/* The same for a datagram in a tvb of its own, without a count: where it begins, and at which depth of protocols. The
 * datagrams of a frame begin at different offsets or, reassembled, are at different depths. */
static inline uint32_t gw_datagram_key(const packet_info *pinfo, tvbuff_t *tvb)
{
    return (uint32_t)tvb_raw_offset(tvb) | (uint32_t)pinfo->curr_layer_num << 24;
}

#endif
