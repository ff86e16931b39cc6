/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Custom fields: each row of a table in the profile defines a field godot.custom.<name> for the values at a path, for
 * filters, columns and graphs.
 *
 *   godot_custom_fields    name, path (pattern.h), type
 *       "hp","players[*].hp","int"                 [*] is any element or key
 *       "damage","take_damage(0)","int"            an argument of a call, by the method's name
 *       "x","position.x","float"                   a component of a synchronized property
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_VARIANT_CUSTOM_H
#define GAMEWIRE_PLUGIN_GODOT_VARIANT_CUSTOM_H

#include "common/compat.h"

#include <epan/prefs.h>
#include <gamewire/godot.h>

/* Registers the fields as fields of `protocol`. */
void godot_register_custom(module_t *module);

/* True when the table has rows, and the tree is visible or one of the fields is referenced. */
bool godot_custom_is_wanted(proto_tree *tree);

/* The number or the text of a value, if it has one. */
typedef struct godot_custom_value {
    tvbuff_t *tvb;
    gw_span span;
    const char *path;      /* as in godot.path */
    const char *component; /* the name of the component at this path, such as "x"; "": the value itself */
    gw_godot_type type;
    int64_t integer;     /* Int, Bool */
    double real;         /* Float */
    const uint8_t *text; /* String, StringName; not terminated */
    uint32_t length;
} godot_custom_value;

/* Adds each field of a row with this path. */
void godot_custom_add(proto_tree *tree, const packet_info *pinfo, const godot_custom_value *value);

#endif
