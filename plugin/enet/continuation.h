/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Connections that go on from another address: through a NAT that gave the host another port, or after a change of its
 * network. Peer id and session, the sender's clock and the numbers are those of the connection.
 */
#ifndef GAMEWIRE_PLUGIN_ENET_CONTINUATION_H
#define GAMEWIRE_PLUGIN_ENET_CONTINUATION_H

#include "connection.h"

/* How far a sent time may be from the sender's clock. */
#define ENET_CLOCK_TOLERANCE_MS 500

/* Call once, at registration of the protocol. */
void enet_register_continuation(void);

/* Keeps the receiver, peer id and session of a side's datagrams, by which its connection is found from another address.
 * First pass only, for datagrams with a peer id. */
void enet_keep_receiver(packet_info *pinfo, enet_pair *pair, enet_connection *connection, uint8_t side);

/* The connection of other addresses whose next datagram this is; NULL: none. `facts` has the commands and the hash of the
 * bytes. First pass only, for a packet without connections of its own. */
const enet_connection *enet_find_continued(const packet_info *pinfo, const gw_enet_header *header,
                                           const enet_facts *facts);

/* True if the sent time fits the sender's clock. */
bool enet_is_in_time(const enet_clock *clock, const packet_info *pinfo, uint16_t sent_time);

/* True if each command acknowledges a captured transmission to this side, by its number and sent time. */
bool enet_is_answer(const enet_connection *connection, uint8_t side, const enet_facts *facts);

#endif
