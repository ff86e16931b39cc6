/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Groups and rows of a statistics tree.
 */
#include "statistics.h"

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

static void add_to_group(stats_tree *tree, gw_stat_group *group, uint32_t amount)
{
    group->id = increase_stat_node(tree, group->title, 0, true, (int)amount);
}

static void average_group(stats_tree *tree, gw_stat_group *group, uint32_t bytes)
{
    group->id = avg_stat_node_add_value_int(tree, group->title, 0, true, (int)bytes);
}

void gw_stat_add(stats_tree *tree, gw_stat_group *group, const char *row, uint32_t amount)
{
    add_to_group(tree, group, amount);
    increase_stat_node(tree, row, group->id, false, (int)amount);
}

void gw_stat_average(stats_tree *tree, gw_stat_group *group, const char *row, uint32_t bytes)
{
    average_group(tree, group, bytes);
    avg_stat_node_add_value_int(tree, row, group->id, false, (int)bytes);
}

void gw_stat_measure(stats_tree *tree, gw_stat_group *counts, gw_stat_group *totals, const char *row, uint32_t bytes)
{
    gw_stat_average(tree, counts, row, bytes);
    gw_stat_add(tree, totals, row, bytes);
}

void gw_stat_measure_part(stats_tree *tree, gw_stat_group *counts, gw_stat_group *totals, const char *row,
                          const char *part, uint32_t bytes)
{
    average_group(tree, counts, bytes);
    int id = avg_stat_node_add_value_int(tree, row, counts->id, true, (int)bytes);
    avg_stat_node_add_value_int(tree, part, id, false, (int)bytes);
    add_to_group(tree, totals, bytes);
    id = increase_stat_node(tree, row, totals->id, true, (int)bytes);
    increase_stat_node(tree, part, id, false, (int)bytes);
}
