/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The dissector of the remote file system, for the dissector of the editor's ports too, and its export of files: a part for each file.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_REMOTE_FS_REMOTE_FS_H
#define GAMEWIRE_PLUGIN_GODOT_REMOTE_FS_REMOTE_FS_H

#include "common/compat.h"

#include <gamewire/godot_remote_fs.h>

/* ==== packet-godot-remote-fs.c ========================================================================== */

/* True if the segment is the beginning of a game's connection to the remote file system, or the next part of it. `data`
 * is the data argument of TCP's subdissectors. */
bool godot_remote_fs_may_begin(tvbuff_t *tvb, packet_info *pinfo, const void *data);

/* ==== export.c ========================================================================================== */

/* Export Objects: adds a part of a file, or of the list of files, an event of `bytes`, while a window or tshark's
 * option puts files together. `path`: of the file; NULL: not known. */
void godot_remote_fs_export(packet_info *pinfo, const void *connection, const gw_godot_remote_fs_event *event,
                            const uint8_t *bytes, const char *path);

/* Call at registration of the protocol. */
void godot_remote_fs_register_export(int protocol);

#endif
