/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "common/limits.h"

#include <epan/proto_data.h>

/* The key of protocol data in packet scope. */
#define VALUES_KEY UINT32_C(0x76616c00)

uint32_t *gw_values_left(packet_info *pinfo, int hf, uint32_t most)
{
    int protocol = proto_registrar_get_parent(hf);
    uint32_t *left = (uint32_t *)p_get_proto_data(pinfo->pool, pinfo, protocol, VALUES_KEY);
    if (left)
        return left;
    left = wmem_new(pinfo->pool, uint32_t);
    *left = most;
    p_add_proto_data(pinfo->pool, pinfo, protocol, VALUES_KEY, left);
    return left;
}

void gw_begin_values(proto_tree *tree)
{
#if GW_WIRESHARK_COUNTS_IDLE_ITEMS
    if (!tree)
        return;
    PTREE_DATA(tree)->max_start = 0;
    PTREE_DATA(tree)->start_idle_count = 0;
#else
    (void)tree;
#endif
}
