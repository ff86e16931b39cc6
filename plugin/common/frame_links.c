/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds links to frames, and the times between them.
 */
#include "common/frame_links.h"

proto_item *gw_add_frame_link(proto_tree *tree, int hf, uint32_t frame)
{
    if (!frame)
        return NULL;
    proto_item *item = proto_tree_add_uint(tree, hf, NULL, 0, 0, frame);
    proto_item_set_generated(item);
    return item;
}

proto_item *gw_add_time_between(proto_tree *tree, int hf, const nstime_t *later, const nstime_t *earlier)
{
    nstime_t between;
    nstime_delta(&between, later, earlier);
    proto_item *item = proto_tree_add_time(tree, hf, NULL, 0, 0, &between);
    proto_item_set_generated(item);
    return item;
}
