/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Passes messages (payloads, reassembled from fragments if necessary) to the dissectors of enet.h.
 */
#ifndef GAMEWIRE_PLUGIN_ENET_HANDOVER_H
#define GAMEWIRE_PLUGIN_ENET_HANDOVER_H

#include "common/compat.h"

#include "analysis.h"
#include "enet.h"
#include "tree.h"

/* Call at registration of the protocol: registers the tables of enet.h. */
void enet_register_handover(int protocol);

/* Where the datagram's text in the Info column begins, and what precedes the line of its first message. And the shares
 * of its commands for the statistics; NULL: not needed. */
typedef struct enet_info {
    size_t before;
    const char *prefix;
    enet_shares *shares;
} enet_info;

/* Hands over the datagram's messages, whose items are added to `parent`, after all of its own items. `findings` may be
 * NULL. */
void enet_hand_over(const enet_tree *shown, const enet_facts *facts, const enet_findings *findings, proto_tree *parent,
                    const enet_info *info);

#endif
