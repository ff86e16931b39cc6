/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Counts the items that may still be added for a packet.
 */
#include "common/item_budget.h"
#include "common/keys.h"

#include <epan/proto_data.h>

uint32_t *gw_items_left(packet_info *pinfo, int hf)
{
    int protocol = proto_registrar_get_parent(hf);
    uint32_t *left = (uint32_t *)p_get_proto_data(pinfo->pool, pinfo, protocol, GW_KEY_ITEMS);
    if (left)
        return left;
    left = wmem_new(pinfo->pool, uint32_t);
    *left = GW_MOST_ITEMS;
    p_add_proto_data(pinfo->pool, pinfo, protocol, GW_KEY_ITEMS, left);
    return left;
}

bool gw_has_layers(const packet_info *pinfo, uint32_t layers)
{
    uint32_t used = wmem_list_count(pinfo->layers);
    return used < GW_MOST_LAYERS && layers <= GW_MOST_LAYERS - used;
}
