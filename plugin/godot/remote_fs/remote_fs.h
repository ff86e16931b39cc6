/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The dissector of the remote file system, for the dissector of the editor's ports too.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_REMOTE_FS_REMOTE_FS_H
#define GAMEWIRE_PLUGIN_GODOT_REMOTE_FS_REMOTE_FS_H

#include "common/compat.h"

/* True if the segment is the beginning of a game's connection to the remote file system, or the next part of it. `data`
 * is the data argument of TCP's subdissectors. */
bool godot_remote_fs_may_begin(tvbuff_t *tvb, packet_info *pinfo, const void *data);

#endif
