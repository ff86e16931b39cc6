/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The evidence of the packets from and to one address and port, in all conversations: a client may use a new port for
 * each request, so that no conversation has enough.
 *
 *   - Counted are the packets with evidence, as in a row of recognition.h: equal packets once, all with a reading in
 *     common; of each packet at most half of the threshold, so that one packet is not sufficient for others.
 *   - From the packet on with which the row has the threshold, each packet with evidence from or to this address and port
 *     is accepted, in a conversation of its own too; on later passes also the packets of the row before it.
 *   - A packet that is not possible, or unlikely, ends the row. If it was accepted, the address and port have no other:
 *     they are used by several protocols.
 *
 * Which side is the server is not known: both sides have a row, but that of a client has only what its conversations
 * have.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_SERVERS_H
#define GAMEWIRE_PLUGIN_COMMON_SERVERS_H

#include "common/compat.h"

#include <gamewire/recognition.h>

/* Call once, when the protocol is registered: for its rows in the current file. */
wmem_map_t *gw_servers_new(void);

/* On the first pass, for a packet with evidence and the hash of what it is for: true if it is accepted. */
bool gw_servers_keep(wmem_map_t *servers, packet_info *pinfo, const gw_recognition *recognition, uint32_t hash,
                     uint32_t threshold);

/* On later passes: true if it is accepted. */
bool gw_servers_find(wmem_map_t *servers, packet_info *pinfo, const gw_recognition *recognition);

/* On the first pass: ends the rows of both sides. */
void gw_servers_end(wmem_map_t *servers, packet_info *pinfo);

#endif
