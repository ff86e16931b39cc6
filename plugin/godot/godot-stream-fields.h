/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The fields and expert infos of Godot's streams, and of the debugger's messages in them.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_STREAM_FIELDS_H
#define GAMEWIRE_PLUGIN_GODOT_STREAM_FIELDS_H

#include "common/compat.h"

#include <epan/expert.h>

typedef struct godot_stream_hf_fields {
    int length;
    int order;
    int prefix_in;
    int value;
    int data;
    int other;
    int incomplete;
} godot_stream_hf_fields;

typedef struct godot_debugger_hf_fields {
    int message;
    int thread;
    int count;
    int message_in;
    int text;
    int error;
    int description;
    int file;
    int line;
    int function;
    int reason;
    int node;
    int class_name;
    int node_id;
    int variable;
    int break_in;
    int continue_in;
    int break_time;
} godot_debugger_hf_fields;

typedef struct godot_stream_experts {
    expert_field other;
    expert_field not_a_variant;
    expert_field message_unknown;
    expert_field game_error;
    expert_field game_warning;
    expert_field game_break;
} godot_stream_experts;

extern godot_stream_hf_fields godot_stream_hf;
extern godot_debugger_hf_fields godot_debugger_hf;
extern godot_stream_experts godot_stream_ei;
extern int godot_stream_ett;
extern int godot_debugger_ett;
extern int godot_debugger_ett_row;

void godot_stream_register_fields(int stream, int debugger);

#endif
