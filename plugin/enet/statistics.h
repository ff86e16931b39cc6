/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ENet's statistics: -z enet,tree, -z enet,srt, -z conv,enet, -z endpoints,enet and -z follow,enet.
 */
#ifndef GAMEWIRE_PLUGIN_ENET_STATISTICS_H
#define GAMEWIRE_PLUGIN_ENET_STATISTICS_H

#include "common/compat.h"

#include "analysis.h"
#include "enet.h"

/* Data of the tap "enet" for each datagram. */
typedef struct enet_tap_datagram {
    enet_facts facts;
    const enet_findings *findings;        /* NULL: not analyzed */
    const struct enet_tap_datagram *next; /* another datagram of the frame */
} enet_tap_datagram;

/* Call at registration of the protocol. */
void enet_register_statistics(int protocol);

/* Call at handoff: sharkd does not call a plugin's function for tap listeners. */
void enet_register_statistics_tree(void);

/* Call it for each datagram that was dissected. `findings` may be NULL. Returns the shares of its commands, in packet
 * scope, whose ordinals the caller sets; NULL: they are not needed. */
enet_shares *enet_count(packet_info *pinfo, const enet_facts *facts, const enet_findings *findings);

/* Call it for each message that was not captured before. */
void enet_follow(packet_info *pinfo, tvbuff_t *message);

#endif
