/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the dissector of Godot's streams asks the one of the debugger.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_DEBUGGER_DEBUGGER_H
#define GAMEWIRE_PLUGIN_GODOT_DEBUGGER_DEBUGGER_H

#include "common/compat.h"

/* True when the bytes begin with messages that surely are the remote debugger's. */
bool godot_debugger_is_in(tvbuff_t *tvb);
/* True when this segment follows others that may be the beginning of such a message. */
bool godot_debugger_waits(packet_info *pinfo, const void *data);
/* True for a WebSocket message that surely is the debugger's; in a conversation of the debugger's, any message of its
 * form. */
bool godot_debugger_has_message(packet_info *pinfo, tvbuff_t *tvb);
/* From this segment on, the connection is the debugger's: pins and dissects it. */
int godot_debugger_take_over(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data);

#endif
