/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Groups and rows of a statistics tree, and filters for the two directions of a stream.
 */
#include "common/menus/statistics.h"

#include <epan/tap.h>
#include <epan/to_str.h>

#include "common/conversation.h"

/* ---- Follow Stream --------------------------------------------------------------------------------------- */

/* A filter for the packets from the source to the destination, over UDP or TCP. The caller frees it. */
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

/* Follow Stream's filter for both directions between two endpoints. Wireshark frees it. */
static char *filter_addresses(address *source, address *destination, int source_port, int destination_port)
{
    char *there = filter_direction(source, destination, source_port, destination_port);
    char *back = filter_direction(destination, source, destination_port, source_port);
    char *filter = g_strdup_printf("%s || %s", there, back);
    g_free(there);
    g_free(back);
    return filter;
}

/* A port as Follow Stream displays it: by its number, not by the name of its usual protocol. */
static char *port_to_display(wmem_allocator_t *scope, unsigned port)
{
    return wmem_strdup_printf(scope, "%u", port);
}

/* Adds the protocol to Follow Stream, which shows the bytes of the tvbs that `tap` queues. */
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

/* Queues the line as content of the packet's stream, while a stream is followed. A message that an ICMP error quotes
 * was not sent here: it is in no stream. */
void gw_follow_line(int tap, packet_info *pinfo, tvbuff_t *tvb, const char *line)
{
    if (!have_tap_listener(tap) || gw_is_quoted(pinfo))
        return;
    char *text = wmem_strdup_printf(pinfo->pool, "%s\n", line);
    unsigned length = (unsigned)strlen(text);
    tap_queue_packet(tap, pinfo, tvb_new_child_real_data(tvb, (uint8_t *)text, length, (int)length));
}

/* ---- trees ------------------------------------------------------------------------------------------------ */

gw_stat_trees gw_stat_frame_trees;

/* Adds the tree to the open ones; a second call for it does nothing. */
void gw_stat_opened(gw_stat_trees *trees, stats_tree *tree)
{
    if (!trees->open)
        trees->open = g_hash_table_new(NULL, NULL);
    g_hash_table_add(trees->open, tree);
}

/* Removes the tree from the open ones, if it is one of them. */
void gw_stat_closed(gw_stat_trees *trees, stats_tree *tree)
{
    if (trees->open)
        g_hash_table_remove(trees->open, tree);
}

/* Nothing: the first row of a group adds the group. Wireshark's window calls this function without a test for NULL. */
void gw_stat_init(stats_tree *tree _U_)
{
}

/* Adds `amount` to a row and to its group, which are created if necessary: the group below the tree's root (0). */
void gw_stat_add(stats_tree *tree, const char *group, const char *row, uint32_t amount)
{
    int id = increase_stat_node(tree, group, 0, true, (int)amount);
    increase_stat_node(tree, row, id, false, (int)amount);
}

/* Adds `amount` to names[0], a group, and to each further name, which is a row below the one before it. */
void gw_stat_add_levels(stats_tree *tree, const char *const *names, unsigned count, int amount)
{
    int id = 0;
    for (unsigned i = 0; i < count; i++)
        id = increase_stat_node(tree, names[i], id, i + 1 < count, amount);
}

/* Counts an item of `bytes` bytes in a row and its group: Wireshark shows their average, minimum and maximum. */
void gw_stat_average(stats_tree *tree, const char *group, const char *row, uint32_t bytes)
{
    int id = avg_stat_node_add_value_int(tree, group, 0, true, (int)bytes);
    avg_stat_node_add_value_int(tree, row, id, false, (int)bytes);
}

/* Counts an item of `bytes` bytes in a row of group `counts`, and adds its bytes to the row of group `totals`. */
void gw_stat_measure(stats_tree *tree, const char *counts, const char *totals, const char *row, uint32_t bytes)
{
    gw_stat_average(tree, counts, row, bytes);
    gw_stat_add(tree, totals, row, bytes);
}
