/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "common/conversation.h"

#include <epan/proto_data.h>

/* Keys of protocol data in packet scope; ordinals are the keys in file scope. */
#define ORDINAL_KEY UINT32_C(0x6f726400)

void *gw_conversation_find(packet_info *pinfo, int protocol)
{
    conversation_t *conversation = find_conversation_pinfo(pinfo, 0);
    return conversation ? conversation_get_proto_data(conversation, protocol) : NULL;
}

void *gw_conversation_obtain(packet_info *pinfo, int protocol, size_t size)
{
    conversation_t *conversation = find_or_create_conversation(pinfo);
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

unsigned gw_packet_ordinal(packet_info *pinfo, int protocol)
{
    unsigned before = GPOINTER_TO_UINT(p_get_proto_data(pinfo->pool, pinfo, protocol, ORDINAL_KEY));
    p_set_proto_data(pinfo->pool, pinfo, protocol, ORDINAL_KEY, GUINT_TO_POINTER(before + 1));
    return before;
}
