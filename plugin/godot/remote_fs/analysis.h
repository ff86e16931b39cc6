/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is known of a connection to the remote file system beyond one segment: where each direction is, and the names of
 * the files that are sent.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_REMOTE_FS_ANALYSIS_H
#define GAMEWIRE_PLUGIN_GODOT_REMOTE_FS_ANALYSIS_H

#include "common/compat.h"

#include <gamewire/godot_remote_fs.h>

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

#endif
