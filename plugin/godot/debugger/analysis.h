/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Analysis of a debugger session across messages: which side is the game, and when the game stopped and continued.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_DEBUGGER_ANALYSIS_H
#define GAMEWIRE_PLUGIN_GODOT_DEBUGGER_ANALYSIS_H

#include "common/compat.h"

#include "facts.h"

/* One stop of one thread; a frame of 0 was not captured (yet). In file scope. */
typedef struct godot_debugger_findings {
    uint32_t entered_in;
    uint32_t resumed_in;
    uint32_t exited_in;
    nstime_t entered;
    nstime_t resumed;
    nstime_t exited;
} godot_debugger_findings;

/* The sender of the packet, by earlier messages, or otherwise by the editor's default port. */
gw_godot_debugger_side godot_debugger_sender(packet_info *pinfo);

/* Adds a message to the session; call it once for each message of a frame, in their order. Returns the break
 * that the message belongs to, or NULL; the same on every pass. */
const godot_debugger_findings *godot_debugger_analyze(packet_info *pinfo, const godot_debugger_facts *facts);

#endif
