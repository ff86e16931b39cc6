/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is kept of the findings of each datagram, from the first pass to later ones. A game has hundreds of datagrams a
 * second, and most commands have no findings: 16 bytes are kept for a datagram, and 16 for each thing that was found.
 */
#ifndef GAMEWIRE_PLUGIN_ENET_KEPT_H
#define GAMEWIRE_PLUGIN_ENET_KEPT_H

#include "analysis.h"
#include "decompression.h"

/* Call once, at registration of the protocol. */
void enet_register_kept(void);

/* On the first pass. `key`: of the datagram in its frame. */
void enet_keep_findings(packet_info *pinfo, uint32_t key, const enet_findings *findings);

/* On the first pass: one of the messages that were missing before the unsequenced message with this group, in this
 * frame, arrived after it. Its receiver delivers it: it was not lost. */
void enet_keep_arrived(uint32_t frame, uint16_t group);

/* On later passes: the findings of the datagram with these facts, in packet scope; NULL: none are kept. */
const enet_findings *enet_find_findings(packet_info *pinfo, uint32_t key, const enet_facts *facts);

/* On later passes: sets `choice` to the modes with which the datagram was read on the first. False: no findings are
 * kept; `choice` is unchanged. It may be NULL. */
bool enet_find_kept_modes(packet_info *pinfo, uint32_t key, enet_choice *choice);

#endif
