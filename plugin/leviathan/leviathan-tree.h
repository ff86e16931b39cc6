/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One Leviathan datagram as it goes from the codec's events to the tree, and on to the analysis.
 */
#ifndef GAMEWIRE_PLUGIN_LEVIATHAN_TREE_H
#define GAMEWIRE_PLUGIN_LEVIATHAN_TREE_H

#include "common/compat.h"

#include <gamewire/leviathan.h>

#include "leviathan-analysis.h"

/* What is remembered of a message until the whole datagram is read. */
typedef struct leviathan_shown_message {
    proto_tree *tree;
    const gw_leviathan_message_type *type; /* NULL: unknown */
    uint32_t length;
    leviathan_message_findings findings;
} leviathan_shown_message;

typedef struct leviathan_datagram {
    tvbuff_t *tvb;
    packet_info *pinfo;
    gw_leviathan_reader reader;
    proto_tree *trees[GW_LEVIATHAN_SCOPES]; /* by depth: where items of that depth go; NULL without a tree */
    proto_item *acks;                       /* packed acks, or the ids of an ack only packet */
    uint32_t acks_offset;
    uint32_t ignored_blocks;
    uint32_t hidden; /* depth plus 1 of what is no longer shown; 0: everything is */
    leviathan_packet_facts facts;
    leviathan_message_facts *message_facts;
    leviathan_shown_message *messages; /* as many as facts.message_count */
    leviathan_packet_findings findings;
} leviathan_datagram;

/* True when texts are worth the time: somebody may read them. */
static inline bool leviathan_is_visible(proto_tree *tree)
{
    return tree && PTREE_DATA(tree)->visible;
}

/* False when not even the type of the packet is known. */
static inline bool leviathan_is_packet(const leviathan_datagram *datagram)
{
    return datagram->reader.scopes[0].index != 0;
}

/* "Acks: 1001-1003", of the ids of an ack only packet. */
void leviathan_name_ids(proto_item *item, const uint8_t *ids, uint32_t count);

/* Reads a datagram's next event; shows it, and notes what the analysis wants to know of it. */
gw_next leviathan_show_next(leviathan_datagram *datagram, gw_leviathan_event *event);
/* Shows where reading ended, if not at the end. */
void leviathan_show_fault(leviathan_datagram *datagram);

/* Asks the analysis, and shows what it found: leviathan-findings.c. */
void leviathan_show_findings(leviathan_datagram *datagram, const leviathan_place *place);

#endif
