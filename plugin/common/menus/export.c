/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Exported PDUs, with numbers in place of the hosts' addresses.
 */
#include "common/menus/export.h"

#include "common/conversation.h"

#include <epan/exported_pdu.h>
#include <epan/tap.h>

#define TAG_HEAD 4 /* bytes: number and length of a tag */

/* Hosts in different VLANs may have the same address. */
typedef struct host_key {
    address addr;
    uint32_t number_in_vlans;
} host_key;

/* host_key -> number of the host, from 1. It lives as long as the file: an export reads it anew. */
static wmem_map_t *hosts;

/* Hash and equality of a host_key, for the map of hosts. */
static unsigned hash_host(const void *key)
{
    const host_key *host = key;
    return add_address_to_hash(host->number_in_vlans, &host->addr);
}

static gboolean equal_hosts(const void *one, const void *other)
{
    const host_key *first = one, *second = other;
    return first->number_in_vlans == second->number_in_vlans && addresses_equal(&first->addr, &second->addr);
}

/* Registers a list of PDUs under this name, and at the first call creates the map of hosts; returns the list's tap. */
int gw_export_register(const char *name)
{
    if (!hosts)
        hosts = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), hash_host, equal_hosts);
    return register_export_pdu_tap(name);
}

bool gw_export_is_wanted(int tap)
{
    return have_tap_listener(tap);
}

/* ---- tags ----------------------------------------------------------------------------------------------- */

/* The size of the tag that put_host() writes. */
static int size_of_host(packet_info *pinfo _U_, void *data _U_)
{
    return TAG_HEAD + EXP_PDU_TAG_IPV6_LEN;
}

/* Writes the tag of one address, which may be of any type: the IPv6 address 2001:db8:: with the number of the host in
 * the last four bytes, in place of the real address. Hosts with one address in different VLANs have different numbers.
 * `tag`: source or destination, EXP_PDU_TAG_IPV6_SRC or _DST. Returns the number of bytes written; 0: no room. */
static int put_host(packet_info *pinfo, uint16_t tag, const address *addr, uint8_t *buffer, uint32_t size)
{
    const host_key host = { *addr, gw_conversation_number_in_vlans(pinfo) };
    uint32_t number = GPOINTER_TO_UINT(wmem_map_lookup(hosts, &host));
    if (!number) {
        host_key *key = wmem_memdup(wmem_file_scope(), &host, sizeof host);
        copy_address_wmem(wmem_file_scope(), &key->addr, addr);
        number = wmem_map_size(hosts) + 1;
        wmem_map_insert(hosts, key, GUINT_TO_POINTER(number));
    }
    const uint8_t item[TAG_HEAD + EXP_PDU_TAG_IPV6_LEN] = {
        /* The tag and its length, two bytes each. */
        [1] = (uint8_t)tag,
        [3] = EXP_PDU_TAG_IPV6_LEN,
        /* 2001:db8::/32 is reserved for documentation: RFC 3849 */
        [4] = 0x20,
        [5] = 0x01,
        [6] = 0x0d,
        [7] = 0xb8,
        [16] = (uint8_t)(number >> 24),
        [17] = (uint8_t)(number >> 16),
        [18] = (uint8_t)(number >> 8),
        [19] = (uint8_t)number,
    };
    if (size < sizeof item)
        return 0;
    memcpy(buffer, item, sizeof item);
    return (int)sizeof item;
}

/* Writes the tag of the packet's source. It is always the IPv6 tag, because put_host() writes an IPv6 address in place
 * of an address of any type. Wireshark's own item (exp_pdu_data_src_ip) is not used: it writes the real address, by
 * which hosts with one address in different VLANs would be one host in the exported file. */
static int put_source(packet_info *pinfo, void *data _U_, uint8_t *buffer, uint32_t size)
{
    return put_host(pinfo, EXP_PDU_TAG_IPV6_SRC, &pinfo->src, buffer, size);
}

/* Writes the tag of the packet's destination, as put_source() does for the source. */
static int put_destination(packet_info *pinfo, void *data _U_, uint8_t *buffer, uint32_t size)
{
    return put_host(pinfo, EXP_PDU_TAG_IPV6_DST, &pinfo->dst, buffer, size);
}

/* Queues `tvb` as a PDU for `dissector`, with tags for its hosts, ports and frame number. */
void gw_export(int tap, packet_info *pinfo, const char *dissector, tvbuff_t *tvb)
{
    static const exp_pdu_data_item_t source = { size_of_host, put_source, NULL };
    static const exp_pdu_data_item_t destination = { size_of_host, put_destination, NULL };
    const exp_pdu_data_item_t *items[] = {
        &source,
        &destination,
        &exp_pdu_data_port_type,
        &exp_pdu_data_src_port,
        &exp_pdu_data_dst_port,
        &exp_pdu_data_orig_frame_num,
        NULL,
    };
    exp_pdu_data_t *pdu = export_pdu_create_tags(pinfo, dissector, EXP_PDU_TAG_DISSECTOR_NAME, items);
    pdu->tvb_captured_length = tvb_captured_length(tvb);
    pdu->tvb_reported_length = tvb_reported_length(tvb);
    pdu->pdu_tvb = tvb;
    tap_queue_packet(tap, pinfo, pdu);
}
