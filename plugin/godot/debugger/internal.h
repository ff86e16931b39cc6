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

#include "debugger.h"

/* ==== fields.c ========================================================================================== */

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

void godot_debugger_register_fields(int protocol);

/* ==== tree.c ============================================================================================ */

/* Messages of the remote debugger as items. */

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
    uint32_t arguments;
    uint8_t experts[32];
    proto_item *items[GW_GODOT_DEBUGGER_DEPTH + 2]; /* [depth]: the group of that depth */
    proto_tree *trees[GW_GODOT_DEBUGGER_DEPTH + 2]; /* [depth]: the parent of values at that depth; [0]: NULL without
                                                       a tree */
} godot_debugger_tree;

/* Adds an event's items, and its expert infos, with or without a tree. */
void godot_debugger_tree_add(godot_debugger_tree *layer, const gw_godot_debugger_event *event);

/* The field of a value; of one that has not the type of its member, the field of arguments. */
static inline int godot_debugger_field_of(const gw_godot_debugger_event *event)
{
    return godot_debugger_hf
        .members[event->odd & GW_GODOT_DEBUGGER_ODD_TYPE ? GW_GODOT_DEBUGGER_ROLE_ARGUMENT : (unsigned)event->role];
}

/* A value of any type, which is shown as a Variant. */
static inline bool godot_debugger_is_any(const gw_godot_debugger_event *event)
{
    return event->kind != GW_OPAQUE &&
           (gw_godot_debugger_role_kind((gw_godot_debugger_role)event->role) == GW_GODOT_DEBUGGER_ANY ||
            event->odd & GW_GODOT_DEBUGGER_ODD_TYPE);
}

/* ==== json.c ============================================================================================ */

/* A message as a value of godot_debugger.json. */
typedef struct godot_debugger_json godot_debugger_json;

/* The stop of the game that a message belongs to; frames are 0 for none, and for the message's own. */
typedef struct godot_debugger_times {
    uint32_t break_in, resumed_in, continue_in;
    bool has_until_resumed, has_break_time;
    nstime_t until_resumed, break_time;
} godot_debugger_times;

/* In packet scope; NULL: the field is not named. */
godot_debugger_json *godot_debugger_json_new(packet_info *pinfo, tvbuff_t *tvb, proto_tree *parent,
                                             const gw_godot_debugger_reader *reader);
/* Adds an event; call it for each, in order. */
void godot_debugger_json_add(godot_debugger_json *json, const gw_godot_debugger_event *event);
/* Adds the message to the tree. `line`: of the log. `first_finding`: of the message, in the packet. */
void godot_debugger_json_end(godot_debugger_json *json, proto_tree *tree, gw_godot_debugger_side sender,
                             const char *line, const godot_debugger_times *times, unsigned first_finding);

/* Adds the bytes from the fault's offset on, which are no message. */
void godot_debugger_json_add_fault(packet_info *pinfo, tvbuff_t *tvb, proto_tree *tree, const gw_fault *fault,
                                   unsigned first_finding);

#endif
