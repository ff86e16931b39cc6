/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The fields and expert infos of the Godot dissector.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_VARIANT_FIELDS_H
#define GAMEWIRE_PLUGIN_GODOT_VARIANT_FIELDS_H

#include "common/compat.h"

#include <epan/expert.h>
#include <gamewire/godot.h>

#define GODOT_COMPONENTS 16 /* of the largest composite, Projection */

typedef struct godot_fields {
    /* Fields of all types. */
    int generation;
    int generation_reason;
    int generation_decided_in;
    int type;
    int flags;
    int count;
    int shared;
    int length;
    int padding;
    int key;
    int path;
    int short_path;
    int path_with_value;
    int value;
    int element_type;
    int key_type;
    int value_type;
    int packed_rest;
    int node_path_names;
    int node_path_subnames;
    int node_path_flags;
    int node_path_absolute;
    int node_path_has_property;
    int node_path_name;
    int node_path_subname;
    int node_path_property;
    int object_id;
    int object_class;
    int object_property;
    int signal_object;
    int image_format;
    int image_mipmaps;
    int image_width;
    int image_height;
    int image_data;
    int event_type;
    int event_device;
    int event_details;
    int trailing;
    int undecoded;
    int not_shown;
    /* Fields of one type: the value, its components, and, for packed arrays, one element. */
    int typed[GW_GODOT_TYPES];
    int components[GW_GODOT_TYPES][GODOT_COMPONENTS];
    int elements[GW_GODOT_TYPES];
} godot_fields;

extern int proto_godot;
extern godot_fields godot_hf;

typedef struct godot_experts {
    expert_field cut_short;
    expert_field trailing;
    expert_field empty;
    expert_field ambiguous;
    expert_field mixed;
    expert_field flattened;
    expert_field not_shown;
    expert_field faults[GW_GODOT_FAULTS]; /* by code */
    expert_field odd[GW_GODOT_ODDS];      /* by the number of the bit */
} godot_experts;

extern godot_experts godot_ei;

extern int godot_ett_protocol;
extern int godot_ett_value;

void godot_register_fields(int protocol);

/* The number of fields in godot_hf that are referenced. */
unsigned godot_details_named(void);

#endif
