/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Datagrams as their sender wrote them, before it compressed and encrypted them.
 */
#include "internal.h"

#include "common/conversation.h"
#include "common/export.h"

static int tap = -1;

void enet_register_export(void)
{
    tap = gw_export_register("ENet");
}

/* The header without the flag for compression, then the commands. */
static tvbuff_t *write_plain(packet_info *pinfo, tvbuff_t *datagram, const enet_raw *raw)
{
    const gw_enet_covered *covered = &raw->covered;
    uint32_t length = (uint32_t)(covered->before_length + covered->after_length);
    uint8_t *bytes = wmem_alloc(pinfo->pool, length);
    memcpy(bytes, covered->before, covered->before_length);
    bytes[0] &= (uint8_t) ~(GW_ENET_COMPRESSED_BIT >> 8);
    if (covered->after_length)
        memcpy(bytes + covered->before_length, covered->after, covered->after_length);
    return tvb_new_child_real_data(datagram, bytes, length, (int)length);
}

void enet_export(packet_info *pinfo, tvbuff_t *datagram, const enet_facts *facts, const enet_raw *raw)
{
    if (!gw_export_is_wanted(tap) || gw_is_quoted(pinfo))
        return;
    bool is_1_3 = facts->format == &gw_enet_formats[GW_ENET_1_3];
    bool changes = is_1_3 && raw->whole && (facts->checksum || facts->header.is_compressed);
    gw_export(tap, pinfo, "enet", changes ? write_plain(pinfo, datagram, raw) : datagram);
}
