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
void godot_custom_register(module_t *module);

/* True when the table has rows, and the tree is visible or one of the fields is referenced. */
bool godot_custom_is_wanted(proto_tree *tree);

/* The number or the text of a value, if it has one. */
typedef struct godot_custom_value {
    gw_godot_type type;
    int64_t integer;     /* Int, Bool */
    double real;         /* Float */
    const uint8_t *text; /* String, StringName; not terminated */
    uint32_t length;
} godot_custom_value;

/* Adds each field of a row with this path. */
void godot_custom_add(proto_tree *tree, packet_info *pinfo, tvbuff_t *tvb, gw_span span, const char *path,
                      const godot_custom_value *value);
/* The same for a value of the codec. */
void godot_custom_add_event(proto_tree *tree, packet_info *pinfo, tvbuff_t *tvb, gw_span span, const char *path,
                            const uint8_t *bytes, const gw_godot_event *event);

#endif
