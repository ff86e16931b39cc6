/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the bytes of a datagram are for: enet_share in enet.h.
 */
#ifndef GAMEWIRE_PLUGIN_ENET_SHARES_H
#define GAMEWIRE_PLUGIN_ENET_SHARES_H

#include "analysis.h"
#include "enet.h"

/* Lists the commands of a datagram for the statistics of its frame, in packet scope. */
enet_shares *enet_shares_add(packet_info *pinfo, const enet_facts *facts, const enet_findings *findings);

#endif
