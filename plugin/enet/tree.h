/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The codec's events as items of the tree, with expert infos for oddities.
 */
#ifndef GAMEWIRE_PLUGIN_ENET_TREE_H
#define GAMEWIRE_PLUGIN_ENET_TREE_H

#include "decompression.h"
#include "reading.h"

/* One datagram's items. Without a tree all are NULL; expert infos are added all the same. */
typedef struct enet_tree {
    packet_info *pinfo;
    const gw_demand *demand;
    tvbuff_t *datagram;   /* the UDP payload */
    tvbuff_t *tvb;        /* whose events are shown: the datagram, or what its commands decompress to */
    proto_tree *protocol; /* the protocol's subtree, or NULL */
    const enet_reading *reading;
    proto_tree *command;   /* of the open command */
    proto_tree **commands; /* by command; NULL: all are the protocol's */
    uint32_t count;        /* of them */
    uint8_t odd_counts[32];
} enet_tree;

/* `tree`: the protocol's subtree, or NULL. */
void enet_tree_init(enet_tree *shown, const enet_source *source, proto_tree *tree);

/* Shows what was read: its items and its fault. */
void enet_tree_add(enet_tree *shown, const enet_reading *reading);

/* Shows that the capture has only the first commands of the datagram, or only its header. */
void enet_tree_add_cut(const enet_tree *shown);

/* Shows how the commands were decompressed, `packed` bytes to `unpacked`, and the commands. */
void enet_tree_add_decompressed(enet_tree *shown, const enet_commands *opened, tvbuff_t *unpacked, uint32_t packed);

/* Shows that the bytes from `before` on could not be decompressed. */
void enet_tree_add_compressed(const enet_tree *shown, uint32_t before, bool is_cut);

/* Shows a datagram with the format `name`, which is not read. */
void enet_tree_add_other_version(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, const char *name);

/* The subtree of command number `index`, or NULL. */
proto_tree *enet_tree_of_command(const enet_tree *shown, uint32_t index);

#endif
