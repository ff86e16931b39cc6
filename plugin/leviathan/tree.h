/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The codec's events as items of the tree, with expert infos for oddities.
 */
#ifndef GAMEWIRE_PLUGIN_LEVIATHAN_TREE_H
#define GAMEWIRE_PLUGIN_LEVIATHAN_TREE_H

#include "common/demand.h"

#include <gamewire/leviathan.h>

#include "fields.h"

/* The items of one datagram. If none of them is referenced, all are NULL; expert infos are added in any case. */
typedef struct leviathan_tree {
    tvbuff_t *tvb;
    packet_info *pinfo;
    const gw_leviathan_reader *reader;
    gw_demand *demand;
    proto_tree *protocol;                  /* the protocol's subtree, which may have no other items; or NULL */
    proto_tree *trees[GW_LEVIATHAN_DEPTH]; /* by depth: the parent of items of that depth */
    proto_item *acks;                      /* packed acks, or the ids of an ack-only packet */
    proto_tree **messages;                 /* subtrees of the messages whose header was read */
    uint32_t message_count;
    uint32_t ignored_blocks;
    uint32_t hidden; /* depth plus 1 of the items that are no longer shown; 0: everything is shown */
    uint8_t odd_counts[32];
} leviathan_tree;

/* `tree`: the protocol's subtree, or NULL. `reader` is the reader of the events that will be added. */
void leviathan_tree_init(leviathan_tree *state, packet_info *pinfo, proto_tree *tree, gw_demand *demand, tvbuff_t *tvb,
                         const gw_leviathan_reader *reader);
/* Adds an event; call it, in order, for each event for which leviathan_tree_needs() is true. */
void leviathan_tree_add(leviathan_tree *state, const gw_leviathan_event *event);
/* False if the event adds neither items nor expert infos. */
bool leviathan_tree_needs(const leviathan_tree *state, const gw_leviathan_event *event);
/* Shows the fault at which reading stopped. */
void leviathan_tree_add_fault(const leviathan_tree *state);

/* The item for an expert info on `item`: the protocol's item if `item` was not added. */
static inline proto_item *leviathan_expert_item(const leviathan_tree *state, proto_item *item)
{
    return item ? item : proto_tree_get_parent(state->protocol);
}

/* The subtree of message number `index`, or NULL. */
proto_tree *leviathan_tree_of_message(const leviathan_tree *state, uint32_t index);

/* "Acks: 1001-1003", of `count` big-endian ids. */
void leviathan_label_ids(proto_item *item, const uint8_t *ids, uint32_t count);

#endif
