/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the files of the remote file system's dissector share: a part for each file, in the order in which they use each other.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_REMOTE_FS_INTERNAL_H
#define GAMEWIRE_PLUGIN_GODOT_REMOTE_FS_INTERNAL_H

#include "common/compat.h"

#include <epan/expert.h>
#include <gamewire/godot_remote_fs.h>

/* ==== analysis.c ======================================================================================== */

/* What is known of a connection to the remote file system beyond one segment: where each direction is, and the names of
 * the files that are sent. */

/* Call once, when the protocol is registered. */
void godot_remote_fs_register_analysis(void);

/* Sets `state` to that before the segment, of which `whole` is all that is to be read; false if segments before it are
 * missing. `data` is the data argument of TCP's subdissectors. The same on every pass. */
bool godot_remote_fs_find_state(gw_godot_remote_fs_state *state, tvbuff_t *whole, packet_info *pinfo, const void *data);

/* Stores the state after `read` bytes, counted from the first byte that TCP passed. On the first pass. */
void godot_remote_fs_keep_state(packet_info *pinfo, const void *data, uint32_t read,
                                const gw_godot_remote_fs_state *state);

/* Stores the path of a file, and whether it is sent. On the first pass. */
void godot_remote_fs_keep_path(packet_info *pinfo, const char *path);
void godot_remote_fs_keep_time(packet_info *pinfo, uint64_t time);

/* The path of the file with this number among those that are sent; NULL if it is not known. */
const char *godot_remote_fs_find_path(packet_info *pinfo, uint32_t index);

/* ==== dissect.c ========================================================================================= */

/* One segment of the remote file system on its way. */

/* Dissects the bytes of a segment. Declines nothing. */
int godot_remote_fs_dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data);

/* ==== fields.c ========================================================================================== */

/* The fields and expert infos of Godot's remote file system. */

typedef struct godot_remote_fs_fields {
    int roles[GW_GODOT_REMOTE_FS_ROLES];
    int removed;
    int file;
    int undecoded;
} godot_remote_fs_fields;

typedef struct godot_remote_fs_experts {
    expert_field password;
    expert_field unseen;
    expert_field not_shown;
    expert_field cut_short;
    expert_field faults[GW_GODOT_REMOTE_FS_FAULTS];
    expert_field odd[GW_GODOT_REMOTE_FS_ODDS]; /* by the number of the bit */
} godot_remote_fs_experts;

extern int proto_godot_remote_fs;
extern godot_remote_fs_fields godot_remote_fs_hf;
extern godot_remote_fs_experts godot_remote_fs_ei;
extern int godot_remote_fs_ett;

void godot_remote_fs_register_fields(void);

/* ==== tree.c ============================================================================================ */

/* The values of a segment of the remote file system as items. */

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
void godot_remote_fs_tree_begin(godot_remote_fs_tree *layer, tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent);

/* Adds an event's item, and its expert infos. `file` is the path of the file whose size or content it is; or NULL. */
void godot_remote_fs_tree_add(godot_remote_fs_tree *layer, const gw_godot_remote_fs_event *event, const char *file);

/* Adds the bytes from the fault's offset on. */
void godot_remote_fs_tree_add_fault(const godot_remote_fs_tree *layer, const gw_fault *fault);

/* Adds bytes that cannot be read, because segments before them are missing. */
void godot_remote_fs_tree_add_unseen(const godot_remote_fs_tree *layer);

#endif
