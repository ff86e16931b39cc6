/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The Info column of a frame with several messages.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_COLUMNS_H
#define GAMEWIRE_PLUGIN_GODOT_COLUMNS_H

#include "common/compat.h"

/* Adds a message's line to those of `protocol` in this frame. `is_fenced`: the transport keeps what was in the column
 * before this message; else it writes its own line before each, which all lines so far replace. */
void godot_add_line(packet_info *pinfo, int protocol, const char *line, bool is_fenced);

#endif
