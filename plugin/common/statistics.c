/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Groups and rows of a statistics tree.
 */
#include "statistics.h"

gw_stat_trees gw_stat_frame_trees;

void gw_stat_opened(gw_stat_trees *trees, stats_tree *tree)
{
    if (!trees->open)
        trees->open = g_hash_table_new(NULL, NULL);
    g_hash_table_add(trees->open, tree);
}

void gw_stat_closed(gw_stat_trees *trees, stats_tree *tree)
{
    if (trees->open)
        g_hash_table_remove(trees->open, tree);
}

void gw_stat_init(stats_tree *tree _U_)
{
}

/* Both return the number of the group's row. */
static int add_to_group(stats_tree *tree, const char *group, uint32_t amount)
{
    return increase_stat_node(tree, group, 0, true, (int)amount);
}

static int average_group(stats_tree *tree, const char *group, uint32_t bytes)
{
    return avg_stat_node_add_value_int(tree, group, 0, true, (int)bytes);
}

void gw_stat_add(stats_tree *tree, const char *group, const char *row, uint32_t amount)
{
    increase_stat_node(tree, row, add_to_group(tree, group, amount), false, (int)amount);
}

void gw_stat_add_levels(stats_tree *tree, const char *const *names, unsigned count, int amount)
{
    int id = 0;
    for (unsigned i = 0; i < count; i++)
        id = increase_stat_node(tree, names[i], id, i + 1 < count, amount);
}

void gw_stat_add_again(stats_tree *tree, const char *group, const char *row, uint32_t amount)
{
    increase_stat_node(tree, row, stats_tree_parent_id_by_name(tree, group), false, (int)amount);
}

void gw_stat_average(stats_tree *tree, const char *group, const char *row, uint32_t bytes)
{
    avg_stat_node_add_value_int(tree, row, average_group(tree, group, bytes), false, (int)bytes);
}

void gw_stat_measure(stats_tree *tree, const char *counts, const char *totals, const char *row, uint32_t bytes)
{
    gw_stat_average(tree, counts, row, bytes);
    gw_stat_add(tree, totals, row, bytes);
}

void gw_stat_average_part(stats_tree *tree, const char *group, const char *row, const char *part, uint32_t bytes)
{
    int id = avg_stat_node_add_value_int(tree, row, average_group(tree, group, bytes), true, (int)bytes);
    avg_stat_node_add_value_int(tree, part, id, false, (int)bytes);
}
