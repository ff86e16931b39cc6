/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The record of names in a recording of Godot's multiplayer (plugin/docs/recording.md): the names that the messages of Godot 4 do
 * not contain. The recorder of this project writes it, so that its meaning is defined there.
 *
 *   u8 version (1), then entries until the end; numbers are little-endian:
 *   u8 kind, u16 size of the rest, texts: each u16 length, UTF-8
 *
 *   kind        texts
 *   1 methods   script; its RPC methods in the engine's order, with "*" in front of those that are configured on the node
 *   2 spawn     scene, synchronizer, root; then name and type of each property that a spawn has
 *   3 sync      the same, of those that each sync has
 *   4 delta     the same, of those that are sent on change
 *   5 scenes    scene, spawner, root; the scenes that it can spawn
 *   6 player    peer id in decimal digits; name
 *
 * A reader skips entries of other kinds.
 */
#ifndef GAMEWIRE_GODOT_NAMES_H
#define GAMEWIRE_GODOT_NAMES_H

#include <gamewire/event.h>
#include <gamewire/faults.h>
#include <gamewire/status.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GW_GODOT_NAMES_VERSION 1U

typedef enum gw_godot_names_kind {
    GW_GODOT_NAMES_UNKNOWN,
    GW_GODOT_NAMES_METHODS,
    GW_GODOT_NAMES_SPAWN,
    GW_GODOT_NAMES_SYNC,
    GW_GODOT_NAMES_DELTA,
    GW_GODOT_NAMES_SCENES,
    GW_GODOT_NAMES_PLAYER,
    GW_GODOT_NAMES_KINDS
} gw_godot_names_kind;

/* An entry begins (GW_OPEN: header is its kind and size, payload its texts), a text of it (GW_VALUE: header is its
 * length), the entry ends (GW_CLOSE: payload is the whole entry). */
typedef struct gw_godot_names_event {
    uint8_t kind;   /* gw_kind */
    uint8_t entry;  /* gw_godot_names_kind of the entry; UNKNOWN for kinds that are not listed: it has no texts */
    uint32_t index; /* of a text in its entry, or of an entry in the record, from 0 */
    gw_span header;
    gw_span payload;
} gw_godot_names_event;

typedef enum gw_godot_names_fault {
    GW_GODOT_NAMES_FAULT_NONE,
    GW_GODOT_NAMES_FAULT_EMPTY,           /* truncated: no version */
    GW_GODOT_NAMES_FAULT_VERSION_UNKNOWN, /* unsupported */
    GW_GODOT_NAMES_FAULT_ENTRY_TRUNCATED, /* truncated: an entry */
    GW_GODOT_NAMES_FAULT_TEXT_TRUNCATED,  /* malformed: a text is longer than its entry */
    GW_GODOT_NAMES_FAULT_TOO_LONG,        /* limit: input longer than GW_LONGEST_INPUT */
    GW_GODOT_NAMES_FAULTS
} gw_godot_names_fault;

/* The sentences for gw_godot_names_fault. */
extern const gw_fault_table gw_godot_names_faults;

/* All of the reader's memory. */
typedef struct gw_godot_names_reader {
    const uint8_t *bytes;
    uint32_t length;
    uint32_t offset; /* what has been consumed */
    uint32_t end;    /* of the open entry; 0: none is open */
    gw_span entry;
    uint32_t entries; /* so far */
    uint32_t texts;   /* of the open entry, so far */
    uint8_t kind;     /* of the open entry */
    gw_fault fault;
} gw_godot_names_reader;

/* `bytes` must exist as long as the reader is used. */
void gw_godot_names_init(gw_godot_names_reader *reader, const uint8_t *bytes, size_t length);
/* After GW_NEXT_FAULT reader.fault is set; every event before it is valid. */
gw_next gw_godot_names_next(gw_godot_names_reader *reader, gw_godot_names_event *event);

/* "methods", "spawn" and so on; NULL for UNKNOWN. */
const char *gw_godot_names_kind_name(gw_godot_names_kind kind);

#ifdef __cplusplus
}
#endif

#endif
