/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Messages that a game recorded itself (plugin/docs/recording.md). What the files share: a part for each file, in the
 * order in which they use each other.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_RECORDINGS_INTERNAL_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_RECORDINGS_INTERNAL_H

#include "common/compat.h"

#include <gamewire/godot_names.h>

#include "godot/multiplayer/internal.h"

/* ==== records.c ========================================================================================= */

/* Registers the fields and expert infos, too. */
void godot_mp_register_records(int protocol);

/* Dissects a record. `generation`: the preference. Returns 0 if the bytes do not begin with the header of
 * recordings. */
int godot_mp_dissect_recorded(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, int generation);

/* ==== names_record.c ==================================================================================== */

/* The dissector of the names that a recording has. */
#define GODOT_MP_NAMES_DISSECTOR "godot_mp.names"

/* Registers the fields and expert infos, too. */
void godot_mp_register_names_record(int protocol);

#endif
