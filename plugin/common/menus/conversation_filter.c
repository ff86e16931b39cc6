/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The window's menus "Conversation Filter" and "Colorize Conversation".
 */
#include "common/menus/conversation_filter.h"

#include <epan/to_str.h>

/* Adds the protocol's item to the menus Conversation Filter and Colorize Conversation. `has_conversation`: true if the
 * item applies to a packet; `filter`: returns its display filter. Both use no data of their own (NULL). */
void gw_register_conversation_filter(const char *protocol, const char *title, is_filter_valid_func has_conversation,
                                     build_filter_string_func filter)
{
#if WS_AT_LEAST(4, 2)
    register_conversation_filter(protocol, title, has_conversation, filter, NULL);
#else
    register_conversation_filter(protocol, title, has_conversation, filter);
#endif
    /* For the items "Color 1" and so on, which take the innermost protocol of this list. */
    add_conversation_filter_protocol(protocol);
}

/* True if the frame of this packet was dissected by the protocol with this filter name. */
bool gw_has_protocol(const packet_info *pinfo, const char *protocol)
{
    return pinfo->layers && proto_is_frame_protocol(pinfo->layers, protocol);
}

/* A filter for the protocol's packets between the packet's two endpoints, in both directions; NULL if they have no IP
 * addresses or no ports. The caller frees it. */
char *gw_filter_ends(packet_info *pinfo, const char *protocol)
{
    bool is_udp = pinfo->ptype == PT_UDP, is_v6 = pinfo->src.type == AT_IPv6;
    if ((!is_udp && pinfo->ptype != PT_TCP) || (!is_v6 && pinfo->src.type != AT_IPv4))
        return NULL;
    const char *ip = is_v6 ? "ipv6.addr" : "ip.addr", *port = is_udp ? "udp.port" : "tcp.port";
    char *source = address_to_str(NULL, &pinfo->src), *destination = address_to_str(NULL, &pinfo->dst);
    char *filter = g_strdup_printf("%s && %s == %s && %s == %s && %s == %u && %s == %u", protocol, ip, source, ip,
                                   destination, port, pinfo->srcport, port, pinfo->destport);
    wmem_free(NULL, source);
    wmem_free(NULL, destination);
    return filter;
}
