/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Checks whether a datagram of a known conversation is ENet, by the properties of its connection so far. For
 * conversations that are not known yet see common/recognition.h.
 */
#ifndef GAMEWIRE_PLUGIN_ENET_MEMBERSHIP_H
#define GAMEWIRE_PLUGIN_ENET_MEMBERSHIP_H

#include "analysis.h"
#include "decompression.h"

/* Sets `choice` to the compression and checksums of the conversation so far or, on later passes, to those with which
 * the datagram was read on the first pass. Leaves it unchanged if they are not known. Creates nothing. Returns the
 * packet's pair, for enet_analyze(); NULL if the conversation has none, and on later passes if the datagram has
 * findings. */
enet_pair *enet_find_modes(packet_info *pinfo, int protocol, uint32_t key, enet_choice *choice);

/* True if the connection has sent a datagram up to this frame that indicates ENet 1.3, or if the first pass read this
 * datagram as ENet 1.3. `pair` and `known` are the results of enet_find_modes(). */
bool enet_has_evidence(const packet_info *pinfo, const enet_pair *pair, const enet_choice *known);

/* The properties of a datagram by which the check is made. */
typedef struct enet_arrival {
    gw_enet_beginning beginning;
    bool whole;    /* not cut by the capture or by IP */
    bool is_sound; /* see enet_is_sound() */
    const enet_commands *opened;
} enet_arrival;

/* Whether bytes that cannot be read as the connection's commands have evidence for ENet: their first command is one that
 * senders write, or all commands can be read. Of compressed ones, neither the header and the sent time, nor what follows,
 * may be zero, as they are in a QUIC initial or an acknowledgement of RakNet. */
bool enet_is_sound(const uint8_t *bytes, uint32_t captured, const enet_arrival *arrival);

/* True if the header is that of the side's datagrams of the latest connection, or of the one before. */
bool enet_knows_header(const enet_pair *pair, uint8_t side, const gw_enet_header *header);

/* Counts a datagram with which damaged ones of this side may be compared. True if it is stored: of many datagrams of a
 * connection, which repeat themselves, one in 16 is. First pass only. */
bool enet_keep_example(enet_pair *pair, uint8_t side);

/* True if the connection can have sent this datagram, according to its earlier datagrams: the sender's peer id and
 * session, the mode of compression, checksums, and the sender's clock. On later passes, the result of the first. `pair`
 * is the result of enet_find_modes(). */
bool enet_may_have_sent(packet_info *pinfo, uint32_t key, enet_pair *pair, const enet_arrival *arrival);

/* The following two are for the analysis, which calls them on the first pass. */

/* Keeps the mode of compression and the presence of a checksum. */
void enet_keep_modes(enet_pair *pair, const packet_info *pinfo, const enet_facts *facts);

/* Keeps the sender's clock, of a datagram that the receiver executes. */
void enet_keep_clock(enet_pair *pair, const packet_info *pinfo, uint8_t side, const enet_facts *facts);

#endif
