/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The dissector of the remote file system, for the dissector of the editor's ports too: a part for each file.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_REMOTE_FS_REMOTE_FS_H
#define GAMEWIRE_PLUGIN_GODOT_REMOTE_FS_REMOTE_FS_H

#include "common/compat.h"

#include <epan/expert.h>
#include <gamewire/godot_remote_fs.h>

/* ==== fields.c ========================================================================================== */

/* The fields and expert infos of Godot's remote file system. */

typedef struct godot_remote_fs_fields {
    int roles[GW_GODOT_REMOTE_FS_ROLES];
    int removed;
    int file;
    int undecoded;
    int json;
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

/* ==== packet-godot-remote-fs.c ========================================================================== */

/* True if the segment is the beginning of a game's connection to the remote file system, or the next part of it. `data`
 * is the data argument of TCP's subdissectors. */
bool godot_remote_fs_may_begin(tvbuff_t *tvb, packet_info *pinfo, const void *data);

#endif
