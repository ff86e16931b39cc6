/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The peers that send the updates of a synchronizer. Its authority alone sends them. If two peers do in turns, each is the
 * authority for itself, and drops the other's updates. A peer that hands it over stops within a round trip.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_OWNERS_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_OWNERS_H

#include "analysis.h"
#include "connection.h"

/* Stores, on the first pass, that the peer `id` (0: not known) sent an update of the synchronizer at this path. */
void godot_mp_keep_owner(const godot_mp_place *place, const char *path, int32_t id);

/* The two peers that send updates of the synchronizer around this message, as the capture or, on the first pass, the
 * messages so far show; NULL: only one does. */
const godot_mp_rivals *godot_mp_find_rivals(const godot_mp_place *place, const char *path);

#endif
