/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * UDP conversations in which a packet had evidence for one of the plugin's formats, but not enough (recognition.h).
 *
 * Wireshark calls the heuristic first that accepted a packet last, and calls no other one if it accepts. So another
 * heuristic with a weak test that accepts the packets that have too little evidence would also take all later ones, and
 * on the second pass the packets before the recognition.
 *
 * From the first packet with evidence on, such a conversation has a dissector that only calls others: first the heuristics
 * of this plugin, with the rules of all heuristics; if they decline, the dissector that Wireshark has for the
 * conversation without this one; and then, as the caller does it, ports and heuristics. It belongs to no protocol, and so
 * adds no layer.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_CANDIDATES_H
#define GAMEWIRE_PLUGIN_COMMON_CANDIDATES_H

#include "common/compat.h"

#include <epan/conversation.h>

/* Call when the protocol is registered. `heuristic`: name of its entry in the list of UDP, which a user may disable;
 * `dissector`: the same function, but it returns the length of the payload. */
void gw_candidates_register(const char *heuristic, dissector_t dissector, int protocol);

/* On the first pass: the packets of this conversation are candidates from this frame on. */
void gw_candidates_keep(packet_info *pinfo, uint32_t frame);

/* True in a heuristic dissector that was called for this packet before, because its conversation is a candidate. */
bool gw_candidates_were_asked(packet_info *pinfo);

/* The dissector of the packet's conversation, apart from the dissector of candidates; NULL: none. */
dissector_handle_t gw_candidates_find_other(packet_info *pinfo);

#endif
