/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the files of the debugger's dissector share: a part for each file, in the order in which they use each other.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_DEBUGGER_INTERNAL_H
#define GAMEWIRE_PLUGIN_GODOT_DEBUGGER_INTERNAL_H

#include "common/compat.h"

#include <epan/expert.h>
#include <gamewire/godot_debugger.h>

#include "common/display/json_message.h"
#include "debugger.h"

/* ==== packet-godot-debugger.c =========================================================================== */

/* The fields and expert infos of Godot's remote debugger. */

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
    int json;
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

/* Follow Stream, which shows the lines of messages as a log: gw_follow_line(). */
extern int godot_debugger_follow_tap;

/* ==== tree.c ============================================================================================ */

/* Messages of the remote debugger as items and as JSON. */

/* The state of the tree of one message; the members up to `variants` are set by the caller, the others are zero. */
typedef struct godot_debugger_tree {
    packet_info *pinfo;
    tvbuff_t *tvb;
    proto_tree *parent; /* may be NULL */
    const uint8_t *bytes;
    const gw_godot_debugger_reader *reader;
    godot_variants *variants; /* of all Variants in the tvbuff that are added as Variants */
    uint32_t *items_left;     /* of the whole packet */
    uint32_t hidden_from;     /* first offset that is not shown; 0: everything is shown */
    uint32_t variant_count;   /* Variants that were added */
    uint8_t experts[32];
    /* Of godot_debugger.json. */
    gw_json_fields *json[GW_GODOT_DEBUGGER_DEPTH + 2]; /* [depth]: the members of the group of that depth; NULL: the
                                                          field is not named */
    gw_json json_arguments;                            /* values without a name */
    uint32_t json_argument_count;
    const char *json_name; /* of the message; NULL: it has none */

    proto_item *items[GW_GODOT_DEBUGGER_DEPTH + 2]; /* [depth]: the group of that depth */
    proto_tree *trees[GW_GODOT_DEBUGGER_DEPTH + 2]; /* [depth]: the parent of values at that depth; [0]: NULL without
                                                       a tree */
} godot_debugger_tree;

/* Adds an event's items and JSON, and its expert infos, with or without a tree. */
void godot_debugger_tree_add(godot_debugger_tree *layer, const gw_godot_debugger_event *event);

#endif
