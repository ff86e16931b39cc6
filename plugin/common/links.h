/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Generated items that link frames: both ends of a relation show the other one's frame number.
 *
 * These have no bytes (a tvbuff of NULL), like all generated items that are computed: Wireshark's PDML has their
 * parent's position then. To the position of an item that begins before its parent it adds the parent's.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_LINKS_H
#define GAMEWIRE_PLUGIN_COMMON_LINKS_H

#include "common/compat.h"

/* Adds a generated FT_FRAMENUM item. Returns NULL, and adds nothing, when `frame` is 0. */
proto_item *gw_add_frame_link(proto_tree *tree, int hf, uint32_t frame);

/* Adds a generated FT_RELATIVE_TIME item: from `earlier` to `later`, negative when the capture is out of order. */
proto_item *gw_add_time_between(proto_tree *tree, int hf, const nstime_t *later, const nstime_t *earlier);

#endif
