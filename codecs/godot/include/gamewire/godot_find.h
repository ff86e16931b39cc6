/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * One value of a Variant by its path, as in `players[0].pos.x`.
 *
 * A path is a sequence of steps; the empty path is the root.
 *
 *   .name      the entry of a Dictionary under this String or StringName, the property of a full object, or a
 *              component. Ends before the next "." or "[". The first step needs no period
 *   ["name"]   the entry or property, for names with any character but a double quote
 *   [0]        the element of an array or packed array, from 0; the entry of a Dictionary under this int, which
 *              may be negative
 *
 * Components have the names of gw_godot_component_name(): `.x`, `.position.x`, `.basis.x.y`. Elements of packed vectors
 * and colors have them too: `points[2].y`. A text is compared byte by byte.
 *
 * If a key is there more than once, the first entry is found; the engine keeps the last one. See
 * GW_GODOT_ODD_DUPLICATE_KEY.
 */
#ifndef GAMEWIRE_GODOT_FIND_H
#define GAMEWIRE_GODOT_FIND_H

#include <gamewire/godot.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gw_godot_find_result {
    GW_GODOT_FIND_FOUND,
    GW_GODOT_FIND_ABSENT,       /* no such entry, property, element or component */
    GW_GODOT_FIND_TYPE,         /* the value has another type, without parts of this kind */
    GW_GODOT_FIND_PATH_INVALID, /* the step is not as described above */
    GW_GODOT_FIND_UNREADABLE,   /* the bytes cannot be read as far as this value: see gw_godot_found.fault */
    GW_GODOT_FIND_RESULTS
} gw_godot_find_result;

/* A static sentence for a result. */
const char *gw_godot_find_text(uint32_t result);

typedef struct gw_godot_found {
    uint8_t result; /* gw_godot_find_result; the members below are valid as noted */
    uint8_t type;   /* FOUND: gw_godot_type of the value or, for a part of it, of that part: Int, Float, Vector2 ... */
    uint32_t path_offset; /* not FOUND: where in the path the step begins that failed; the path's start for the root */
    uint32_t component;   /* FOUND, first component of the part, for gw_godot_real_at() or gw_godot_integer_at() */
    uint32_t components;  /* FOUND, their number; 0 for scalars, texts, containers and whole packed arrays */
    int64_t number;       /* FOUND, type Bool or Int */
    double real;          /* FOUND, type Bool, Int or Float */
    gw_span text;         /* FOUND, type String or StringName */
    gw_godot_event event; /* FOUND: the value, or the value that has the part. A container's is GW_OPEN: its
                             header.offset is the gw_godot_options.offset to read it with */
    gw_fault fault;       /* UNREADABLE */
} gw_godot_found;

/* True if the value is there. `path` ends with a NUL. Reads no further than the value's header or, if it is not a
 * container, its end: bytes after it are not checked. `options` may be NULL: Godot 4, from the start. */
bool gw_godot_find(const uint8_t *bytes, size_t length, const gw_godot_options *options, const char *path,
                   gw_godot_found *found);

#ifdef __cplusplus
}
#endif

#endif
