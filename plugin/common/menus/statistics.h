/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Follow Stream, and the rows of -z <family>,tree: groups, each with a total of all its rows. If bytes are counted there
 * are two groups: one counts packets or messages, with the average, minimum and maximum of their bytes; the other has the
 * sum of the bytes.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_STATISTICS_H
#define GAMEWIRE_PLUGIN_COMMON_STATISTICS_H

#include "common/compat.h"

#include <epan/follow.h>

/* Follow Stream, for protocols on UDP or TCP whose streams have numbers. */
typedef struct gw_follow {
    follow_conv_filter_func find; /* the stream of a packet, and its filter */
    follow_index_filter_func filter;
    uint32_t (*count)(void); /* number of streams in the file */
} gw_follow;

/* The data queued for `tap` are tvbs: the content of the streams. */
void gw_register_follow(int protocol, const char *tap, const gw_follow *follow);

/* Adds a line of text to such a stream, while it is followed. A message that an ICMP error quotes is in no stream. */
void gw_follow_line(int tap, packet_info *pinfo, tvbuff_t *tvb, const char *line);

/* ---- trees ------------------------------------------------------------------------------------------------ */

/* The open trees of one kind. Data for them is kept while at least one is open. Initialize with zero. */
typedef struct gw_stat_trees {
    GHashTable *open;
} gw_stat_trees;

/* Call when a tree is initialized (Wireshark may initialize a tree several times) and when it is closed. */
void gw_stat_opened(gw_stat_trees *trees, stats_tree *tree);
void gw_stat_closed(gw_stat_trees *trees, stats_tree *tree);

static inline bool gw_stat_is_open(const gw_stat_trees *trees)
{
    return trees->open && g_hash_table_size(trees->open);
}

/* The open trees that count the bytes of each frame (tap "frame", which has other listeners too). Dissectors keep what
 * these trees need in packet scope while at least one is open. */
extern gw_stat_trees gw_stat_frame_trees;

/* For trees without data of their own: groups are added with their first row. Wireshark's window calls the function of
 * a tree without testing for NULL. */
void gw_stat_init(stats_tree *tree);

/* Adds `amount` to a row and its group. A group is identified by its title, and added to the tree with its first row:
 * no group is empty. */
void gw_stat_add(stats_tree *tree, const char *group, const char *row, uint32_t amount);

/* Adds `amount`, which may be negative, to a group, a row, a row below it and so on. A row with rows below it must not
 * have the title of a group. */
void gw_stat_add_levels(stats_tree *tree, const char *const *names, unsigned count, int amount);

/* Counts one item of `bytes` bytes in a row. */
void gw_stat_average(stats_tree *tree, const char *group, const char *row, uint32_t bytes);

/* The same, and adds the bytes to the row of that name in `totals`. */
void gw_stat_measure(stats_tree *tree, const char *counts, const char *totals, const char *row, uint32_t bytes);

#endif
