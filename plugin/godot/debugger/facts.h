/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The parts of one message that the analysis of other messages needs.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_DEBUGGER_FACTS_H
#define GAMEWIRE_PLUGIN_GODOT_DEBUGGER_FACTS_H

#include "common/compat.h"

#include <gamewire/godot_debugger.h>

typedef struct godot_debugger_facts {
    gw_godot_debugger_side sender; /* GW_GODOT_DEBUGGER_EITHER: not known from the message */
    gw_godot_debugger_effect effect;
    gw_godot_generation generation;
    const char *name; /* of a known message; else NULL */
    int64_t thread;   /* the thread that is stopped, resumed or continued; 0 if the message has none */
    bool is_warning;  /* of an error: its severity is warning */
} godot_debugger_facts;

/* Initializes the facts of a message whose reader was initialized: those of its head. */
void godot_debugger_facts_init(godot_debugger_facts *facts, const gw_godot_debugger_reader *reader);
/* Adds an event of the message. */
void godot_debugger_facts_add(godot_debugger_facts *facts, const gw_godot_debugger_event *event);

#endif
