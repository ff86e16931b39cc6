/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One segment of the remote file system on its way.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_REMOTE_FS_DISSECT_H
#define GAMEWIRE_PLUGIN_GODOT_REMOTE_FS_DISSECT_H

#include "common/compat.h"

/* Dissects the bytes of a segment. Declines nothing. */
int godot_remote_fs_dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, void *data);

#endif
