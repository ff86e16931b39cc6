/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Messages: payloads, reassembled where they are in fragments, and handed to those that read them.
 */
#ifndef GAMEWIRE_PLUGIN_ENET_HANDOVER_H
#define GAMEWIRE_PLUGIN_ENET_HANDOVER_H

#include "common/compat.h"

#include "tree.h"

/* When the protocol is registered: the tables of enet.h, and reassembly. */
void enet_register_messages(int protocol);

/* Hands over the datagram's messages, after all of its own items. True when somebody read one. */
bool enet_hand_over(enet_datagram *datagram);

#endif
