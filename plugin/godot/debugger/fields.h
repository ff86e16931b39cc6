/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The fields and expert infos of Godot's remote debugger.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_DEBUGGER_FIELDS_H
#define GAMEWIRE_PLUGIN_GODOT_DEBUGGER_FIELDS_H

#include "common/compat.h"

#include <epan/expert.h>
#include <gamewire/godot_debugger.h>

typedef struct godot_debugger_fields {
    int length;
    int sender;
    int generation;
    int line;
    int break_in;
    int resumed_in;
    int continue_in;
    int until_resumed;
    int break_time;
    int undecoded;
    int not_shown;
    int members[GW_GODOT_DEBUGGER_ROLES]; /* named by the codec: godot_debugger.<key> */
} godot_debugger_fields;

typedef struct godot_debugger_experts {
    expert_field cut_short;
    expert_field unknown_message;
    expert_field error;
    expert_field warning;
    expert_field stopped;
    expert_field not_shown;
    expert_field faults[GW_GODOT_DEBUGGER_FAULTS];
    expert_field odd[GW_GODOT_DEBUGGER_ODDS]; /* by the number of the bit */
} godot_debugger_experts;

extern godot_debugger_fields godot_debugger_hf;
extern godot_debugger_experts godot_debugger_ei;
extern int godot_debugger_ett;
extern int godot_debugger_ett_group;

void godot_debugger_register_fields(int protocol);

#endif
