/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Filters for the two directions of a stream.
 */
#include "follow.h"

#include <epan/to_str.h>

static char *filter_direction(const address *source, const address *destination, int source_port, int destination_port)
{
    const char *ip = source->type == AT_IPv6 ? "ipv6" : "ip";
    char *from = address_to_str(NULL, source);
    char *to = address_to_str(NULL, destination);
    char *filter = g_strdup_printf("(%s.src == %s && %s.dst == %s && ((udp.srcport == %d && udp.dstport == %d) || "
                                   "(tcp.srcport == %d && tcp.dstport == %d)))",
                                   ip, from, ip, to, source_port, destination_port, source_port, destination_port);
    wmem_free(NULL, from);
    wmem_free(NULL, to);
    return filter;
}

static char *filter_addresses(address *source, address *destination, int source_port, int destination_port)
{
    char *one = filter_direction(source, destination, source_port, destination_port);
    char *other = filter_direction(destination, source, destination_port, source_port);
    char *filter = g_strdup_printf("%s || %s", one, other);
    g_free(one);
    g_free(other);
    return filter;
}

static char *port_to_display(wmem_allocator_t *scope, unsigned port)
{
    return wmem_strdup_printf(scope, "%u", port);
}

void gw_register_follow(int protocol, const char *tap, const gw_follow *follow)
{
#if WS_AT_LEAST(4, 2)
    register_follow_stream(protocol, tap, follow->find, follow->filter, filter_addresses, port_to_display,
                           follow_tvb_tap_listener, follow->count, NULL);
#else
    register_follow_stream(protocol, tap, follow->find, follow->filter, filter_addresses, port_to_display,
                           follow_tvb_tap_listener);
#endif
}
