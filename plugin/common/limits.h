/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How much of a packet is shown: more is bytes. Wireshark calls it a bug when a tree has more than gui.max_tree_items
 * (1,000,000) items, and since 4.6 when 50,000 of them begin no later than an earlier one: all values of a large
 * message do, as the list of its fragments, which reaches to its end, comes first.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_LIMITS_H
#define GAMEWIRE_PLUGIN_COMMON_LIMITS_H

#include "common/compat.h"

/* For the values of one packet; what is around them has the rest of the 50,000. Every value of a datagram fits: the
 * smallest take four bytes and two items. */
#define GW_MOST_ITEMS UINT32_C(49200)

/* How many more items of values may be shown in this packet, in all its messages. Who shows a value counts down. `hf`
 * is any field of the protocol whose values these are. Lives as long as the packet. */
uint32_t *gw_items_left(packet_info *pinfo, int hf);

/* Takes `items` of those left; false, and all is taken, when so many are not left. */
static inline bool gw_take_items(uint32_t *left, uint32_t items)
{
    bool fits = *left >= items;
    *left = fits ? *left - items : 0;
    return fits;
}

#endif
