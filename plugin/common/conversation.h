/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Data kept for a conversation, and for one datagram in a frame.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_CONVERSATION_H
#define GAMEWIRE_PLUGIN_COMMON_CONVERSATION_H

#include "common/compat.h"

#include <epan/conversation.h>

/* Call once, before the first packet: the latest look-up is forgotten when a file is opened. */
void gw_register_conversations(void);

/* The conversation for which the plugin keeps data of this packet; created if there is none. It is epan's conversation,
 * but epan does not distinguish equal addresses and ports in two VLANs: in each further VLAN, by its outermost tag
 * (pinfo->vlan_id), it is a separate one. If only one direction has tags, both are one conversation. The pinned
 * dissector is a property of epan's conversation: see gw_conversation_pin().
 */
conversation_t *gw_conversation_of(packet_info *pinfo);

/* The same, or NULL: no conversation is created. On the first pass the packet's VLAN is noted for it. */
conversation_t *gw_conversation_lookup(packet_info *pinfo);

/* The VLAN of the packet's conversation, the same for both directions after each had a packet; 0: not tagged. */
uint32_t gw_conversation_vlan(packet_info *pinfo);

/* The number of the packet's conversation among those with its addresses and ports in other VLANs, from 0. */
uint32_t gw_conversation_number_in_vlans(packet_info *pinfo);

/* The packet's tcp.stream or udp.stream. False if it has none, as in a file of exported PDUs. */
bool gw_find_stream(packet_info *pinfo, unsigned *stream);

/* The data that `protocol` keeps for the packet's conversation, or NULL. Creates nothing. */
void *gw_conversation_find(packet_info *pinfo, int protocol);

/* The same; creates the conversation and `size` zeroed bytes in file scope when there are none. Call it on the first
 * pass only, and only for packets that were accepted as the protocol's. */
void *gw_conversation_obtain(packet_info *pinfo, int protocol, size_t size);

/* From the packet's frame on, `handle` is called first for packets of this conversation, in all VLANs. Packets that it
 * declines (by returning 0) go to other dissectors. */
void gw_conversation_pin(packet_info *pinfo, dissector_handle_t handle);

/* Which of the two endpoints sent the packet: 0 or 1, the same for all packets of one direction. */
uint8_t gw_sender_side(const packet_info *pinfo);

/* True inside an ICMP error. The datagram that it quotes is not traffic, and analyses ignore it. */
static inline bool gw_is_quoted(const packet_info *pinfo)
{
    return pinfo->flags.in_error_pkt;
}

/* True on each pass after the first: all that the capture has is known, and nothing is written. Also inside an ICMP
 * error. */
static inline bool gw_is_later_pass(const packet_info *pinfo)
{
    return PINFO_FD_VISITED(pinfo);
}

/* True on the first pass, on which data of conversations is written; false inside an ICMP error. */
static inline bool gw_is_first_pass(const packet_info *pinfo)
{
    return !gw_is_later_pass(pinfo) && !gw_is_quoted(pinfo);
}

/* The number of this message among the messages of `protocol` in its frame, from 0. Each call increments it: call it
 * once for each message that is the protocol's on every pass. With the frame number it is the key for data of one
 * message (p_add_proto_data in file scope). */
unsigned gw_packet_ordinal(packet_info *pinfo, int protocol);

/* The same for a datagram that has its own tvb, without a counter: a key from its offset and the number of its protocol
 * layer, which differ for the datagrams of a frame. */
static inline uint32_t gw_datagram_key(const packet_info *pinfo, tvbuff_t *tvb)
{
    return (uint32_t)tvb_raw_offset(tvb) | (uint32_t)pinfo->curr_layer_num << 24;
}

#endif
