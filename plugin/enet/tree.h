/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ENet's datagrams as tree items: what the codec reads, and what the analysis found.
 */
#ifndef GAMEWIRE_PLUGIN_ENET_TREE_H
#define GAMEWIRE_PLUGIN_ENET_TREE_H

#include "common/compat.h"

#include "analysis.h"
#include "common/fault.h"
#include "decompression.h"

/* One datagram while it is dissected; in the packet's memory, as taps read it afterwards. */
typedef struct enet_datagram {
    packet_info *pinfo;
    tvbuff_t *tvb;      /* the UDP payload */
    tvbuff_t *plain;    /* its commands: tvb, or what it decompresses to */
    proto_tree *parent; /* above ENet's own */
    proto_tree *tree;
    enet_commands opened;
    enet_pair *pair; /* NULL: not known yet, or not sought */
    enet_facts facts;
    const enet_notes *notes; /* NULL: not analysed */
    wmem_array_t *commands;  /* of enet_command */
    wmem_array_t *items;     /* of proto_tree *: by command */
    gw_text *line;           /* for the Info column; NULL when nobody reads it */
    gw_fault fault;          /* where reading ended; class GW_FAULT_NONE: at the end */
    uint8_t odd_counts[32];
} enet_datagram;

/* The rest was not captured, or is in another IP fragment. */
static inline bool enet_is_cut(const enet_datagram *datagram)
{
    return gw_is_cut_by_capture(datagram->tvb) || datagram->pinfo->fragmented;
}

/* Four times what senders put into a datagram: of so many commands there are items. The rest is read, and one item. */
#define ENET_MOST_SHOWN (4 * GW_ENET_MOST_COMMANDS)

/* Reads and shows the datagram; fills in facts, commands, items and the line. */
void enet_show_datagram(enet_datagram *datagram);

/* Shows datagram->notes. */
void enet_show_notes(enet_datagram *datagram);

/* Lists the fragments of a message that was reassembled to `whole`. */
void enet_show_fragments(const enet_datagram *datagram, proto_tree *tree, tvbuff_t *whole,
                         const enet_reassembly *message);

/* Links the frame in which a fragment's message was reassembled, if it was. */
void enet_show_reassembled_in(proto_tree *tree, const enet_reassembly *message);

#endif
