/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The time between two updates of one synchronizer for one receiver.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_INTERVALS_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_INTERVALS_H

#include "connection.h"

/* Stores the updates of a plain sync that is not late, on the first pass. `sender`: the peer that assigned the ids, and the receiving
 * peer; its id is not used. `found`: the synchronizer of each update. */
void godot_mp_keep_intervals(const godot_mp_place *place, const godot_mp_id_key *sender, const godot_mp_facts *facts,
                             const godot_mp_found_update *found);
/* Sets the intervals of the message's updates. */
void godot_mp_find_intervals(const godot_mp_place *place, uint32_t count, godot_mp_found_update *updates);

#endif
