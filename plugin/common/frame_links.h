/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Generated items that link frames: both ends of a relation show the other one's frame number.
 *
 * These items have no bytes (the tvbuff is NULL), like all calculated items, so that PDML has the position of their
 * parent. For an item that begins before its parent, PDML would have a wrong position.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_FRAME_LINKS_H
#define GAMEWIRE_PLUGIN_COMMON_FRAME_LINKS_H

#include "common/compat.h"

/* Adds a generated FT_FRAMENUM item. Returns NULL, and adds nothing, when `frame` is 0. */
proto_item *gw_add_frame_link(proto_tree *tree, int hf, uint32_t frame);

/* Adds a generated FT_RELATIVE_TIME item: from `earlier` to `later`, negative when the capture is out of order. */
proto_item *gw_add_time_between(proto_tree *tree, int hf, const nstime_t *later, const nstime_t *earlier);

#endif
