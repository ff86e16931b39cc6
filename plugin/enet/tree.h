/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The codec's events as items of the tree, with expert infos for oddities.
 */
#ifndef GAMEWIRE_PLUGIN_ENET_TREE_H
#define GAMEWIRE_PLUGIN_ENET_TREE_H

#include "common/demand.h"

#include <gamewire/enet.h>

#include "decompression.h"

/* Four times the commands that senders put into a datagram. More are read, but shown as one item. */
#define ENET_MOST_SHOWN (4 * GW_ENET_MOST_COMMANDS)

/* One datagram's items. Without a tree all are NULL; expert infos are added all the same. */
typedef struct enet_tree {
    packet_info *pinfo;
    const gw_demand *demand;
    tvbuff_t *datagram;   /* the UDP payload */
    tvbuff_t *tvb;        /* whose events follow: the datagram, or what its commands decompress to */
    proto_tree *protocol; /* the protocol's subtree, or NULL */
    const gw_enet_reader *reader;
    proto_tree *command;    /* of the open command */
    wmem_array_t *commands; /* of proto_tree *: by command */
    uint8_t odd_counts[32];
} enet_tree;

/* `tree`: the protocol's subtree, or NULL. `reader` is the one whose events will follow. */
void enet_tree_init(enet_tree *shown, packet_info *pinfo, proto_tree *tree, const gw_demand *demand, tvbuff_t *tvb,
                    const gw_enet_reader *reader);

/* Shows an event; call it for each, in order. */
void enet_tree_add(enet_tree *shown, const gw_enet_event *event);

/* Ends the open command with its label. enet_tree_add() does so for a command that was read to its end. */
proto_item *enet_tree_close_command(enet_tree *shown);

/* Shows the fault at which reading stopped. */
void enet_tree_add_fault(const enet_tree *shown);

/* Shows that the capture has only the first commands of the datagram, or only its header. */
void enet_tree_add_cut(const enet_tree *shown);

/* Shows how the commands were decompressed, `packed` bytes to `unpacked`, of which the events that follow are. */
void enet_tree_add_decompressed(enet_tree *shown, const enet_commands *opened, tvbuff_t *unpacked, uint32_t packed);

/* Shows that the bytes from `before` on could not be decompressed. */
void enet_tree_add_compressed(const enet_tree *shown, uint32_t before, bool is_cut);

/* Shows a datagram with the format `name`, which is not read. */
void enet_tree_add_other_version(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, const char *name);

/* The subtree of command number `index`, or NULL. */
proto_tree *enet_tree_of_command(const enet_tree *shown, uint32_t index);

#endif
