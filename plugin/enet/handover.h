/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Messages: payloads, reassembled where they are in fragments, and handed to those that read them.
 */
#ifndef GAMEWIRE_PLUGIN_ENET_HANDOVER_H
#define GAMEWIRE_PLUGIN_ENET_HANDOVER_H

#include "common/compat.h"

#include "analysis.h"
#include "tree.h"

/* When the protocol is registered: the tables of enet.h. */
void enet_register_handover(int protocol);

/* Hands over the datagram's messages, whose items are added to `parent`, after all of its own items. True when a
 * dissector has read one. `notes` may be NULL. */
bool enet_hand_over(const enet_tree *shown, const enet_facts *facts, const enet_notes *notes, proto_tree *parent);

#endif
