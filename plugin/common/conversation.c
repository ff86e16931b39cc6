/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finds conversations by addresses, ports and VLAN.
 */
#include "common/conversation.h"

#include <epan/proto_data.h>

/* Keys of protocol data in packet scope; ordinals are the keys in file scope. */
#define ORDINAL_KEY UINT32_C(0x6f726400)

/* Both endpoints in an order that does not depend on the direction, the VLAN, and the end of the key. */
#define VLAN_ELEMENTS 6

typedef struct vlan_key {
    conversation_element_t elements[VLAN_ELEMENTS];
} vlan_key;

static vlan_key key_in_vlan(const packet_info *pinfo)
{
    bool forward = gw_sender_side(pinfo) == 0;
    vlan_key key = { { { .type = CE_ADDRESS, .addr_val = forward ? pinfo->src : pinfo->dst },
                       { .type = CE_PORT, .port_val = forward ? pinfo->srcport : pinfo->destport },
                       { .type = CE_ADDRESS, .addr_val = forward ? pinfo->dst : pinfo->src },
                       { .type = CE_PORT, .port_val = forward ? pinfo->destport : pinfo->srcport },
                       { .type = CE_UINT, .uint_val = pinfo->vlan_id },
                       { .type = CE_CONVERSATION_TYPE,
                         .conversation_type_val = conversation_pt_to_conversation_type(pinfo->ptype) } } };
    return key;
}

static conversation_t *find_in_vlan(const packet_info *pinfo)
{
    vlan_key key = key_in_vlan(pinfo);
    return find_conversation_full(pinfo->num, key.elements);
}

conversation_t *gw_conversation_lookup(packet_info *pinfo)
{
    return pinfo->vlan_id ? find_in_vlan(pinfo) : find_conversation_pinfo(pinfo, 0);
}

conversation_t *gw_conversation_of(packet_info *pinfo)
{
    if (!pinfo->vlan_id)
        return find_or_create_conversation(pinfo);
    conversation_t *conversation = find_in_vlan(pinfo);
    if (conversation)
        return conversation;
    vlan_key key = key_in_vlan(pinfo);
    return conversation_new_full(pinfo->num, key.elements);
}

void *gw_conversation_find(packet_info *pinfo, int protocol)
{
    conversation_t *conversation = gw_conversation_lookup(pinfo);
    return conversation ? conversation_get_proto_data(conversation, protocol) : NULL;
}

void *gw_conversation_obtain(packet_info *pinfo, int protocol, size_t size)
{
    conversation_t *conversation = gw_conversation_of(pinfo);
    void *data = conversation_get_proto_data(conversation, protocol);
    if (!data) {
        data = wmem_alloc0(wmem_file_scope(), size);
        conversation_add_proto_data(conversation, protocol, data);
    }
    return data;
}

void gw_conversation_pin(packet_info *pinfo, dissector_handle_t handle)
{
    conversation_set_dissector_from_frame_number(find_or_create_conversation(pinfo), pinfo->num, handle);
}

uint8_t gw_sender_side(const packet_info *pinfo)
{
    int order = cmp_address(&pinfo->src, &pinfo->dst);
    if (order == 0)
        order = pinfo->srcport < pinfo->destport ? -1 : 1;
    return order < 0 ? 0 : 1;
}

static unsigned count_of_datagrams(packet_info *pinfo, int protocol)
{
    return GPOINTER_TO_UINT(p_get_proto_data(pinfo->pool, pinfo, protocol, ORDINAL_KEY));
}

unsigned gw_packet_ordinal(packet_info *pinfo, int protocol)
{
    unsigned before = count_of_datagrams(pinfo, protocol);
    p_set_proto_data(pinfo->pool, pinfo, protocol, ORDINAL_KEY, GUINT_TO_POINTER(before + 1));
    return before;
}

void gw_decline_ordinal(packet_info *pinfo, int protocol)
{
    p_set_proto_data(pinfo->pool, pinfo, protocol, ORDINAL_KEY,
                     GUINT_TO_POINTER(count_of_datagrams(pinfo, protocol) - 1));
}
