/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How much of a packet is shown: more is bytes. Wireshark calls it a bug when a tree has more than
 * gui.max_tree_items (1,000,000) items; a value has up to twenty, its paths and components included.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_LIMITS_H
#define GAMEWIRE_PLUGIN_COMMON_LIMITS_H

#include "common/compat.h"

/* How many more values may be shown in this packet, in all its messages: at first `most`. Who shows one counts it down.
 * `hf` is any field of the protocol whose values these are. Lives as long as the packet. */
uint32_t *gw_values_left(packet_info *pinfo, int hf, uint32_t most);

/* Call it before values go into `tree`, which may be NULL. Wireshark 4.6 calls it a bug, too, when 50,000 items begin
 * no later than an earlier one: all values of a large message do, as the list of its fragments, which reaches to its
 * end, comes first. Counts anew; what bounds the values is gw_values_left(). */
void gw_begin_values(proto_tree *tree);

#endif
