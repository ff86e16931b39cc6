/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The fields and expert infos of Godot's streams.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_STREAM_FIELDS_H
#define GAMEWIRE_PLUGIN_GODOT_STREAM_FIELDS_H

#include "common/compat.h"

#include <epan/expert.h>
#include <gamewire/godot_stream.h>

typedef struct godot_stream_fields {
    int length;
    int order;
    int value;
    int prefix_in;
    int data;
    int text;
    int other;
    int undecoded;
} godot_stream_fields;

typedef struct godot_stream_experts {
    expert_field cut_short;
    expert_field faults[GW_GODOT_STREAM_FAULTS];
    expert_field odd[GW_GODOT_STREAM_ODDS]; /* by the number of the bit */
} godot_stream_experts;

extern godot_stream_fields godot_stream_hf;
extern godot_stream_experts godot_stream_ei;
extern int godot_stream_ett;
extern int proto_godot_stream;

void godot_stream_register_fields(int protocol);

#endif
