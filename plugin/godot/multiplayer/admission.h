/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Whether a peer of Godot 4 has admitted the other one. With an auth_callback it drops all messages but those of the
 * authentication until then, and disconnects after auth_timeout (SceneMultiplayer::poll() in the engine's source).
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_ADMISSION_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_ADMISSION_H

#include "connection.h"

/* Stores what the message shows about it, on the first pass. */
void godot_mp_keep_admission(const godot_mp_place *place, const godot_mp_facts *facts);

/* True if the peer at `side` has sent a message of the game in this connection, which only a peer that has admitted the
 * other one does: in the capture or, on the first pass, so far. */
bool godot_mp_has_played(const godot_mp_place *place, uint8_t side);

/* Adds the expert info to ENet's DISCONNECT. Call once, at the handoff. */
void godot_mp_handoff_admission(void);

#endif
