/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Messages that a server relays from one client to others: the two ends of each relay, in two connections.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_RELAYS_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_RELAYS_H

#include "common/compat.h"

#include "dissect.h"

/* The server's message to one client. */
typedef struct godot_mp_hop {
    const struct godot_mp_hop *next;
    const godot_mp_connection *connection;
    int64_t time; /* gw_nanoseconds() */
    uint32_t frame;
} godot_mp_hop;

/* A client's message to the server, and what the server sent on. */
typedef struct godot_mp_relay {
    int64_t time; /* gw_nanoseconds() */
    uint32_t frame;
    const godot_mp_hop *hops; /* in order; NULL: none in the capture so far */
} godot_mp_relay;

/* Stores the relay on the first pass. Call it for each message, after the analysis. */
void godot_mp_keep_relay(const godot_mp_message *message);

/* The relay that the message begins (*is_begin) or is part of; NULL: none. */
const godot_mp_relay *godot_mp_find_relay(const godot_mp_message *message, bool *is_begin);

void godot_mp_register_relays(void);

#endif
