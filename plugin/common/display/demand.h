/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which items, labels and fields of a dissection are used. For a single field, use proto_field_is_referenced().
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_DEMAND_H
#define GAMEWIRE_PLUGIN_COMMON_DEMAND_H

#include "common/compat.h"

/* Words of a bit set of 256 kinds. */
#define GW_KIND_WORDS 4

/* Which results of dissecting one packet of a protocol are used; set by gw_demand_of(). */
typedef struct gw_demand {
    bool visible; /* the tree is displayed or printed: its items have labels, and every field is needed */
    bool items;   /* it is visible, or a filter, a column, a tap or an option names one of the protocol's fields */
    bool label;   /* the label of the protocol's item is displayed, or is the value of `tshark -e <protocol>` */
    bool line;    /* there is a label or an Info column */

    /* Whether the fields for a kind of value are used, see gw_kind_is_asked(). The kind is a type or a tag. */
    uint64_t known[GW_KIND_WORDS];
    uint64_t asked[GW_KIND_WORDS];
} gw_demand;

/* `tree`: where the item of the protocol goes; may be NULL. */
gw_demand gw_demand_of(const packet_info *pinfo, proto_tree *tree, int protocol);

/* True if the fields for a kind of value are used: the tree is visible, or `asks` is true for the kind, which is called
 * once for each kind of a packet. Otherwise the value needs no item. */
static inline bool gw_kind_is_asked(gw_demand *demand, uint8_t kind, bool (*asks)(uint8_t kind))
{
    uint64_t bit = UINT64_C(1) << kind % 64;
    if (!(demand->known[kind / 64] & bit)) {
        demand->known[kind / 64] |= bit;
        demand->asked[kind / 64] |= asks(kind) ? bit : 0;
    }
    return demand->asked[kind / 64] & bit;
}

/* True if the tree is displayed or printed. `tree` may be NULL.
 * Wireshark 4.0 makes each tree of `tshark -T fields` visible, newer versions do not. */
static inline bool gw_is_visible(proto_tree *tree)
{
    return proto_field_is_referenced(tree, hf_text_only);
}

/* True if a filter, a column, a tap or, since Wireshark 4.4, an option -e of tshark names the field or the protocol. */
bool gw_is_named(int hf);

/* The same for one of several fields. */
bool gw_is_any_named(const int *hfs, size_t count);

/* proto_item_append_text() for an item other than the protocol's, where labels are used. In a tree that is not visible
 * `item` may be its parent: Wireshark returns that for an item that is not needed. */
#define gw_append_text(item, ...) \
    do { \
        if (gw_is_visible(item)) \
            proto_item_append_text((item), __VA_ARGS__); \
    } while (0)

#endif
