/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Shared by the files of the debugger codec: the values of every message, as lists of steps.
 */
#ifndef GAMEWIRE_CODECS_GODOT_DEBUGGER_TABLES_H
#define GAMEWIRE_CODECS_GODOT_DEBUGGER_TABLES_H

#include <gamewire/godot_debugger.h>

/* Wire numbers of the first values of messages. */
#define WIRE_INT     2U
#define WIRE_STRING  4U
#define WIRE_ARRAY_3 19U
#define WIRE_ARRAY_4 28U

#define GW_GODOT_DEBUGGER_LONGEST UINT32_C(0xFFFFFF) /* bytes of a Variant, as GW_GODOT_STREAM_LONGEST */

/* True if a prefix may be the length of a Variant. */
static inline bool gw_godot_debugger_is_length(uint32_t length)
{
    return length >= 4 && length % 4 == 0 && length <= GW_GODOT_DEBUGGER_LONGEST;
}

/* The values that a step of a list reads. */
typedef enum gw_godot_debugger_shape {
    SHAPE_END,
    SHAPE_VALUE,
    SHAPE_OPTIONAL,     /* a value that some engines do not send */
    SHAPE_COUNT,        /* an int; divided by `divisor`, the number of repetitions of the next SHAPE_TIMES */
    SHAPE_TIMES,        /* a group of values, repeated */
    SHAPE_REST,         /* a group of values, repeated until there are no more values */
    SHAPE_EACH,         /* the same member until there are no more values */
    SHAPE_ARRAY,        /* an Array whose elements are a group; a value of another type becomes `member` */
    SHAPE_ARRAYS,       /* the same until there are no more values */
    SHAPE_DICTIONARIES, /* Dictionaries whose keys are the members of a group, until there are no more values */
    SHAPE_TREE          /* a node and its descendants */
} gw_godot_debugger_shape;

typedef struct gw_godot_debugger_step {
    uint8_t shape;                              /* gw_godot_debugger_shape */
    uint8_t role;                               /* gw_godot_debugger_role: of the value, or of the group */
    uint8_t divisor;                            /* of SHAPE_COUNT, 1 or more */
    const struct gw_godot_debugger_step *steps; /* of the group */
} gw_godot_debugger_step;

typedef struct gw_godot_debugger_row {
    const char *name;
    uint8_t generation; /* gw_godot_generation; GW_GODOT_ANY: both */
    uint8_t sender;     /* gw_godot_debugger_side */
    uint8_t effect;     /* gw_godot_debugger_effect */
    const gw_godot_debugger_step *steps;
    const char *line; /* text of the line after the name: {key} is the first value of that member; NULL: all values */
} gw_godot_debugger_row;

/* The members of a node; its children follow. */
const gw_godot_debugger_step *gw_godot_debugger_node(gw_godot_generation generation);

/* The row of a name, or NULL. `sender` GW_GODOT_DEBUGGER_EITHER: messages of both sides. */
const gw_godot_debugger_row *gw_godot_debugger_find(gw_godot_generation generation, gw_godot_debugger_side sender,
                                                    const uint8_t *name, uint32_t length);
/* The role of a dictionary's key; GW_GODOT_DEBUGGER_ROLE_ARGUMENT for unknown keys. */
gw_godot_debugger_role gw_godot_debugger_role_of(const uint8_t *key, uint32_t length);
/* True if the engine sends values of this type for the member. */
bool gw_godot_debugger_suits(gw_godot_debugger_role role, gw_godot_type type);

#endif
