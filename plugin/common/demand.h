/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which items, labels and fields of a dissection are used. Whether a field is needed in a tree that may be visible or
 * not, proto_field_is_referenced() says.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_DEMAND_H
#define GAMEWIRE_PLUGIN_COMMON_DEMAND_H

#include "common/compat.h"

/* True if the tree is displayed or printed: its items have labels, and every field is needed. `tree` may be NULL.
 * Wireshark 4.0 makes each tree of `tshark -T fields` visible, newer versions do not. */
bool gw_is_visible(proto_tree *tree);

/* True if a filter, a column, a tap or, since Wireshark 4.4, an option -e of tshark names the field or the protocol. */
bool gw_is_named(int hf);

/* How many fields are named, of a table that was registered. */
unsigned gw_count_named(const hf_register_info *fields, size_t count);

/* True if the label of a protocol's item is used: in a visible tree, and as the value of `tshark -e <protocol>`. */
bool gw_has_label(proto_tree *tree, int protocol);

/* proto_item_append_text() for an item other than the protocol's, where labels are used. In a tree that is not visible
 * `item` may be its parent: Wireshark returns that for an item that is not needed. */
#define gw_append_text(item, ...) \
    do { \
        if (gw_is_visible(item)) \
            proto_item_append_text((item), __VA_ARGS__); \
    } while (0)

#endif
