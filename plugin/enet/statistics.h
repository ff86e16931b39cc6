/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ENet's statistics: -z enet,tree, -z enet,srt, -z conv,enet, -z endpoints,enet and -z follow,enet.
 */
#ifndef GAMEWIRE_PLUGIN_ENET_STATISTICS_H
#define GAMEWIRE_PLUGIN_ENET_STATISTICS_H

#include "common/compat.h"

#include "tree.h"

/* When the protocol is registered. */
void enet_register_statistics(int protocol);

/* When it is handed off: sharkd, which asks no plugin for its tap listeners, has the tree as well. */
void enet_register_statistics_tree(void);

/* For each datagram that was dissected. */
void enet_count(const enet_datagram *datagram);

/* For each message that was not captured before. */
void enet_follow(packet_info *pinfo, tvbuff_t *message);

#endif
