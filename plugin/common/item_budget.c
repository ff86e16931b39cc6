/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Counts the items and the layers that may still be added for a packet.
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

/* ---- layers -------------------------------------------------------------------------------------------- */

/* The number is the frame's, not that of a protocol of ours. */
static int frame_protocol(void)
{
    static int protocol = -1;
    if (protocol < 0)
        protocol = proto_get_id_by_filter_name("frame");
    return protocol;
}

static uint32_t kept_layers(packet_info *pinfo)
{
    return GPOINTER_TO_UINT(p_get_proto_data(pinfo->pool, pinfo, frame_protocol(), GW_KEY_LAYERS));
}

/* A frame with one datagram, as most are, has no data for it. */
void gw_keep_layers(packet_info *pinfo, uint32_t layers)
{
    if (layers > GW_KEPT_LAYERS || kept_layers(pinfo))
        p_set_proto_data(pinfo->pool, pinfo, frame_protocol(), GW_KEY_LAYERS, GUINT_TO_POINTER(layers));
}

uint32_t gw_bytes_after(tvbuff_t *datagram)
{
    uint32_t end = (uint32_t)tvb_raw_offset(datagram) + tvb_reported_length(datagram);
    uint32_t length = tvb_reported_length(tvb_get_ds_tvb(datagram));
    return length > end ? length - end : 0;
}

uint32_t gw_bytes_not_decrypted(const packet_info *pinfo)
{
    uint32_t largest = 0, sum = 0;
    for (const GSList *source = pinfo->data_src; source; source = source->next) {
        uint32_t length = tvb_reported_length(get_data_source_tvb(source->data));
        largest = MAX(largest, length);
        sum += length;
    }
    return largest > sum - largest ? largest - (sum - largest) : 0;
}

bool gw_has_layers(packet_info *pinfo, uint32_t layers)
{
    uint32_t kept = MAX(kept_layers(pinfo), GW_KEPT_LAYERS), used = wmem_list_count(pinfo->layers);
    return kept < GW_LAYERS && used < GW_LAYERS - kept && layers <= GW_LAYERS - kept - used;
}
