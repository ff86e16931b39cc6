/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Peers as texts: "server", "client 731808890", or the name of a player. Names are from two tables in the profile:
 *
 *   godot_peer_names       "731808890","Anna"
 *                          "192.0.2.7","Ben"         a peer's address, or
 *                          "192.0.2.7:40611","Ben"   its address and port
 *   godot_peer_name_calls  "join(0)"                 the caller's name is the first argument of join()
 *                          "register(0).name"        or a member of it
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_PEERS_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_PEERS_H

#include "common/compat.h"

#include <epan/prefs.h>

#include "dissect.h"

void godot_register_peers(module_t *module);

/* Stores the caller's name if the message is a call that has it, and the sender's address, on the first pass. Call it
 * for each message, after the analysis. */
void godot_mp_keep_player(const godot_mp_message *message);

/* The name of the player with this id, at the time of this message; NULL: not known. Of the names in calls, it is the
 * latest one up to this message or, if all are later, the first one. */
const char *godot_mp_player(const godot_mp_message *message, int32_t id);

/* "server", "client 7", or the name of the player. */
const char *godot_mp_peer_text(const godot_mp_message *message, int32_t id);

/* Who sent the message first, and for whom it is: "server", "client 7", "client" without a known id, "all", "all but
 * client 7"; or names. NULL: not known. */
const char *godot_mp_from(const godot_mp_message *message);
const char *godot_mp_to(const godot_mp_message *message);

#endif
