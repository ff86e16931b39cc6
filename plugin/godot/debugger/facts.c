/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Collects the parts of one message that the analysis of other messages needs.
 */
#include "internal.h"

void godot_debugger_facts_init(godot_debugger_facts *facts, const gw_godot_debugger_reader *reader)
{
    *facts = (godot_debugger_facts){
        .sender = (gw_godot_debugger_side)reader->sender,
        .effect = (gw_godot_debugger_effect)reader->effect,
        .generation = (gw_godot_generation)reader->generation,
        .name = reader->known_name,
        .thread = reader->has_thread ? reader->thread : 0,
    };
}

void godot_debugger_facts_add(godot_debugger_facts *facts, const gw_godot_debugger_event *event)
{
    if (event->role == GW_GODOT_DEBUGGER_ROLE_IS_WARNING)
        facts->is_warning = event->number != 0;
    else if (event->role == GW_GODOT_DEBUGGER_ROLE_BREAK_THREAD && event->type == GW_GODOT_INT &&
             facts->effect == GW_GODOT_DEBUGGER_ENTERS)
        facts->thread = event->number;
}
