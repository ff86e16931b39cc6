/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is kept of each message, from the first pass to later ones: its number and form, and what only some messages
 * have, each in a record of its own.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_KEPT_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_KEPT_H

#include "connection.h"

/* Of one message: at most one record of each kind. */
typedef enum godot_mp_record {
    GODOT_MP_MESSAGE, /* godot_mp_kept */
    GODOT_MP_SYNC,    /* godot_mp_kept_sync */
    GODOT_MP_UPDATES, /* used by intervals.c */
    GODOT_MP_LATE,    /* likewise */
    GODOT_MP_RELAY,   /* used by relays.c */
    GODOT_MP_RECORDS
} godot_mp_record;

struct godot_mp_kept {
    godot_mp_connection *connection;
    uint32_t seq;
    uint8_t form;  /* gw_godot_mp_form; FORMS: not determined */
    bool is_guess; /* the forms of both generations read it, and neither was proven */
};

typedef struct godot_mp_kept_sync {
    int64_t interval; /* nanoseconds */
    uint32_t previous;
    uint16_t ahead;
    bool is_late;
    bool has_its_updates; /* all updates have the sync's previous frame and interval */
} godot_mp_kept_sync;

void godot_mp_register_kept(void);

/* A new record of the message, on the first pass; all zero. */
void *godot_mp_add_record(const godot_mp_place *place, godot_mp_record record, size_t size);
/* The message's record; NULL: none. */
void *godot_mp_find_record(const godot_mp_place *place, godot_mp_record record);
/* Of a plain sync; if it is the first one, nothing is kept. */
void godot_mp_keep_sync(const godot_mp_place *place, const godot_mp_sync *sync);
godot_mp_sync godot_mp_find_sync(const godot_mp_place *place);

/* The first record of the packet's message with this ordinal; NULL: none. */
godot_mp_kept *godot_mp_find_kept(const packet_info *pinfo, uint32_t ordinal);

#endif
