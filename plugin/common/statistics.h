/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The rows of -z <family>,tree: groups, each with a total of all its rows. If bytes are counted there are two groups:
 * one counts packets or messages, with the average, minimum and maximum of their bytes; the other has the sum of the
 * bytes.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_STATISTICS_H
#define GAMEWIRE_PLUGIN_COMMON_STATISTICS_H

#include "common/compat.h"

/* The trees that are open, of one kind: what is kept for them is kept while there is one. Zero at first. */
typedef struct gw_stat_trees {
    GHashTable *open;
} gw_stat_trees;

/* When a tree is initialized, which happens to the same one again, and when it is closed. */
void gw_stat_opened(gw_stat_trees *trees, stats_tree *tree);
void gw_stat_closed(gw_stat_trees *trees, stats_tree *tree);

static inline bool gw_stat_is_open(const gw_stat_trees *trees)
{
    return trees->open && g_hash_table_size(trees->open);
}

/* Adds `amount` to a row and its group. A group is named by its title, and added to a tree with its first row, so that
 * none is empty. */
void gw_stat_add(stats_tree *tree, const char *group, const char *row, uint32_t amount);

/* Adds it to a row of a group that another row has added it to, and not to the group's sum. */
void gw_stat_add_again(stats_tree *tree, const char *group, const char *row, uint32_t amount);

/* Counts one more of a row that has `bytes` bytes. */
void gw_stat_average(stats_tree *tree, const char *group, const char *row, uint32_t bytes);

/* The same, and adds the bytes to the row of that name in `totals`. */
void gw_stat_measure(stats_tree *tree, const char *counts, const char *totals, const char *row, uint32_t bytes);

/* The same of a row and of one below it. `row` must be no title of a group: epan finds both by name. */
void gw_stat_measure_part(stats_tree *tree, const char *counts, const char *totals, const char *row, const char *part,
                          uint32_t bytes);

#endif
