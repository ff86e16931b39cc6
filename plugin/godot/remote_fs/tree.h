/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The values of a segment of the remote file system as items.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_REMOTE_FS_TREE_H
#define GAMEWIRE_PLUGIN_GODOT_REMOTE_FS_TREE_H

#include "common/compat.h"

#include <gamewire/godot_remote_fs.h>

typedef struct godot_remote_fs_tree {
    packet_info *pinfo;
    tvbuff_t *tvb;
    proto_item *item; /* of the segment */
    proto_tree *tree;
    uint32_t *items_left; /* of the packet */
    bool is_full;
    uint8_t experts[32];
} godot_remote_fs_tree;

/* Adds the layer of a segment. */
void godot_remote_fs_tree_begin(godot_remote_fs_tree *shown, tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent);

/* Adds an event's item, and its expert infos. `file` is the path of the file whose size or content it is; or NULL. */
void godot_remote_fs_tree_add(godot_remote_fs_tree *shown, const gw_godot_remote_fs_event *event, const char *file);

/* Adds the bytes from the fault's offset on. */
void godot_remote_fs_tree_add_fault(const godot_remote_fs_tree *shown, const gw_fault *fault);

/* Adds bytes that cannot be read, because segments before them are missing. */
void godot_remote_fs_tree_add_unseen(const godot_remote_fs_tree *shown);

#endif
