/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The TCP ports of Godot's editor, which are X servers' too.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_TCP_EDITOR_PORTS_H
#define GAMEWIRE_PLUGIN_GODOT_TCP_EDITOR_PORTS_H

#include "common/compat.h"

/* True if TCP's heuristics are to be asked for the segment before the dissector of its port. `data` is the data
 * argument of TCP's subdissectors. */
typedef bool (*godot_editor_test)(tvbuff_t *tvb, packet_info *pinfo, void *data);

/* Asks `test` before the dissectors that have these ports. Call it once, when all dissectors are registered. */
void godot_register_editor_ports(godot_editor_test test);

/* True if the segment is from or to one of these ports. */
bool godot_is_on_editor_port(const packet_info *pinfo);

#endif
