/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Messages that a game recorded itself (plugin/docs/recording.md). What the files share: a part for each file, in the
 * order in which they use each other.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_RECORDINGS_INTERNAL_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_RECORDINGS_INTERNAL_H

#include "common/compat.h"

#include <gamewire/godot_names.h>

#include "godot/multiplayer/internal.h"

/* ==== fields.c ========================================================================================== */

/* The fields and expert infos of recordings. */

/* A flag of the header of a recorded message: the receiver recorded it. */
#define GODOT_MP_RECORD_RECEIVED 0x0001U

typedef struct godot_mp_recorded_fields {
    int length;
    int received;
    int mode;
    int channel;
    int connection;
    int from;
    int to;
    int ordinal;
    int lost;
    int process_frame;
    int physics_tick;
    int handler_time;
    int other_in;
    int way_time;
} godot_mp_recorded_fields;

typedef struct godot_mp_recorded_experts {
    expert_field lost;
    expert_field not_returned;
    expert_field slow;
} godot_mp_recorded_experts;

/* The record of names. */
typedef struct godot_mp_names_fields {
    int version;
    int entry;
    int kind;
    int script;
    int method;
    int scene;
    int node;
    int root;
    int property;
    int type;
    int file;
    int player;
    int name;
    int undecoded;
} godot_mp_names_fields;

typedef struct godot_mp_names_experts {
    expert_field cut_short;
    expert_field faults[GW_GODOT_NAMES_FAULTS]; /* by code */
} godot_mp_names_experts;

extern godot_mp_recorded_fields godot_mp_recorded_hf;
extern godot_mp_recorded_experts godot_mp_recorded_ei;
extern godot_mp_names_fields godot_mp_names_hf;
extern godot_mp_names_experts godot_mp_names_ei;

void godot_mp_register_recorded_fields(int protocol);

/* ==== records.c ========================================================================================= */

void godot_mp_register_records(void);

/* Dissects a record. `generation`: the preference. Returns 0 if the bytes do not begin with the header of recordings. */
int godot_mp_dissect_recorded(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, int generation);

/* ==== names_record.c ==================================================================================== */

/* The dissector of the names that a recording has. */
#define GODOT_MP_NAMES_DISSECTOR "godot_mp.names"

void godot_mp_register_names_record(int protocol);

#endif
