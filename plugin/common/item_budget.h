/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Limits of the items of a packet; the rest is shown as bytes. Wireshark reports a dissector bug if a tree has more
 * than gui.max_tree_items (1,000,000) items, and since 4.6 if 50,000 of them begin no later than an item before them.
 * All values of a large message do, since the list of its fragments comes first and extends to its end.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_ITEM_BUDGET_H
#define GAMEWIRE_PLUGIN_COMMON_ITEM_BUDGET_H

#include "common/compat.h"

/* For the values of one packet; the rest of the 50,000 is for other items. All values of a datagram fit: the smallest
 * has four bytes and two items. */
#define GW_MOST_ITEMS UINT32_C(49200)

/* For one list of ids, such as those of a spawned node's synchronizers. The ids after these are shown as bytes and not
 * stored: a message that uses one of them has no link to the list. */
#define GW_MOST_IDS 256U

/* The number of items for values that may still be added in this packet, in all its messages together. Decrement it
 * with gw_use_items(). `hf` is any field of the values' protocol. The number is in packet scope. */
uint32_t *gw_items_left(packet_info *pinfo, int hf);

/* Subtracts `items`. If fewer are left, sets the number to 0 and returns false. */
static inline bool gw_use_items(uint32_t *left, uint32_t items)
{
    bool fits = *left >= items;
    *left = fits ? *left - items : 0;
    return fits;
}

/* Wireshark ends with a dissector bug if a frame has gui.max_tree_depth (500) layers when a dissector is called
 * (epan/packet.c of 4.0, 4.4 and 4.6), and each accepted message is one or more. A frame can have further payloads after
 * this one, which take layers whether their messages are dissected or not: a Wi-Fi frame several datagrams, a datagram
 * several DTLS records. Messages get what is left above the layers that are kept for them. */
#define GW_LAYERS UINT32_C(500)

/* At least these are kept: for what a message's dissector calls. */
#define GW_KEPT_LAYERS UINT32_C(100)

/* Keeps `layers` for what follows in this frame, in place of the number that was kept before. */
void gw_keep_layers(packet_info *pinfo, uint32_t layers);

/* The bytes after the datagram in its frame, or in what the frame completes. */
uint32_t gw_bytes_after(tvbuff_t *datagram);

/* The bytes of the frame's largest data source, without those that were decrypted so far. */
uint32_t gw_bytes_not_decrypted(const packet_info *pinfo);

/* True if the frame has room for `layers` more of messages, whatever carries them. It counts those of all dissectors,
 * with and without a tree, so that each pass gets the same answer. */
bool gw_has_layers(packet_info *pinfo, uint32_t layers);

#endif
