/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The peers at the ends of a connection, and between which two peers a message is sent: the server relays.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_ENDS_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_ENDS_H

#include "analysis.h"
#include "connection.h"

#define GODOT_MP_NO_SIDE 2

/* Stores the ids of peers that the message shows, on the first pass. */
void godot_mp_keep_ends(const godot_mp_place *place, const godot_mp_facts *facts);
/* Sets sender, receiver, source and target of the findings. Returns the server's side, or GODOT_MP_NO_SIDE. */
uint8_t godot_mp_find_ends(const godot_mp_place *place, const godot_mp_facts *facts, godot_mp_findings *findings);

/* The way of the message between a client and the server, as far as their ids are known. */
gw_godot_mp_way godot_mp_find_way(const godot_mp_findings *findings);

#endif
