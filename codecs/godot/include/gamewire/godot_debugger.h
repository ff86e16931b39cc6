/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Messages between a running game and the editor: Variants in packets (godot_stream.h), or as messages of a WebSocket.
 *
 *   Godot 4   each message is one Array: [String name, int thread, Array members]; before 4.2 without the thread
 *             (source)
 *   Godot 3   from the game a message is several packets: String name, int count, then so many Variants; to the game it
 *             is one Array: [String name, members …]
 *
 * Which members a message has, nothing in it says: the tables here name those of the engine's own messages (observed
 * with 3.2.3, 3.6 and 4.6.3). Nothing allocates, recurses or keeps the input.
 */
#ifndef GAMEWIRE_GODOT_DEBUGGER_H
#define GAMEWIRE_GODOT_DEBUGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gamewire/godot.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The members of one message. Lists end with NULL. After the named members come, as often as there are more, those of
 * `row` (NULL: none): one member a name or, with `arrays`, one Array that holds one of each. */
typedef struct gw_godot_debugger_layout {
    const char *name;
    const char *const *members;
    const char *const *row;
    const char *const *first; /* what the first member, an Array, holds; or NULL */
    bool arrays;
} gw_godot_debugger_layout;

/* The layout of a message; NULL when the engine has none of this name. */
const gw_godot_debugger_layout *gw_godot_debugger_layout_of(gw_godot_generation generation, const uint8_t *name,
                                                            size_t length);
/* The name of member `index`, or NULL. `row` gets which repetition it is in, -1 for none. */
const char *gw_godot_debugger_member(const gw_godot_debugger_layout *layout, uint32_t index, int32_t *row);
/* The name of part `index` of the Array that member `member` is; NULL when it has no names. */
const char *gw_godot_debugger_part(const gw_godot_debugger_layout *layout, uint32_t member, uint32_t index);

/* ---- messages that are one Array ------------------------------------------------------------------------ */

/* The elements of an Array, or the members of a message, one after the other. */
typedef struct gw_godot_elements {
    const uint8_t *bytes;
    uint32_t length;
    uint32_t offset;
    uint32_t count; /* as declared */
    uint32_t index; /* of the next one */
    gw_godot_generation generation;
} gw_godot_elements;

/* The Array that begins at `span`; false when no untyped one does. */
bool gw_godot_elements_init(gw_godot_elements *elements, const uint8_t *bytes, gw_span span,
                            gw_godot_generation generation);
/* The next one's range, header included; false at the end, or when it cannot be read. */
bool gw_godot_elements_next(gw_godot_elements *elements, gw_span *element);

typedef struct gw_godot_debugger_message {
    gw_span name;       /* text */
    gw_span name_value; /* with its header */
    gw_span thread;     /* of Godot 4.2 and later: the value; length 0 without one */
    int64_t thread_id;
    gw_span members;            /* Godot 4: the Array that holds them; Godot 3: from the first member on */
    uint32_t count;             /* of members */
    gw_godot_elements elements; /* gives them */
} gw_godot_debugger_message;

/* Reads a message that is one whole Array; false when it is none. */
bool gw_godot_debugger_read(const uint8_t *bytes, size_t length, gw_godot_generation generation,
                            gw_godot_debugger_message *message);

/* True for a text that can be a message's name: of the engine's, or "prefix:name" in small letters. */
bool gw_godot_debugger_is_name(gw_godot_generation generation, const uint8_t *text, size_t length);

#ifdef __cplusplus
}
#endif

#endif
