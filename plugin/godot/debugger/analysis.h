/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is known of a debugger session beyond one message: who is the game, whether a message begins where reading
 * starts, and when the game stopped and went on.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_DEBUGGER_ANALYSIS_H
#define GAMEWIRE_PLUGIN_GODOT_DEBUGGER_ANALYSIS_H

#include "common/compat.h"

#include <gamewire/godot_debugger.h>

/* One stop of one thread; a frame of 0 has not come (yet). In file scope. */
typedef struct godot_break {
    uint32_t entered_in;
    uint32_t resumed_in;
    uint32_t exited_in;
    nstime_t entered;
    nstime_t resumed;
    nstime_t exited;
} godot_break;

void godot_debugger_analysis_register(int protocol);

/* True when the packet's conversation is known to be the debugger's. */
bool godot_debugger_is_known(packet_info *pinfo);

/* Who sent the packet, as far as it is known. */
gw_godot_debugger_side godot_debugger_sender(packet_info *pinfo);

/* Whether this segment, or message, begins where one of the debugger's messages does: the one before it was read to
 * its end. `data` is what TCP hands to its dissectors. */
bool godot_debugger_begins_in_step(packet_info *pinfo, const void *data);
/* What follows this segment's bytes begins in step, or does not. */
void godot_debugger_set_step(packet_info *pinfo, bool in_step);

/* Learns from a message whose `reader` was initialised; called once for each message of a frame, in their order.
 * `thread`: that stops, goes on or is resumed. Returns the break that it belongs to, or NULL; the same on every pass.
 */
const godot_break *godot_debugger_learn(packet_info *pinfo, const gw_godot_debugger_reader *reader, int64_t thread);

#endif
