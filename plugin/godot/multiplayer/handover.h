/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Bytes in a format of the game's own, for dissectors of that format:
 *
 *   godot_mp.rpc.method      string table, by method name: each PackedByteArray argument of a call, one by one
 *   godot_mp.raw.first_byte  integer table: the bytes of a RAW message (SceneMultiplayer.send_bytes)
 *   godot.raw                heuristic list: the bytes of RAW and AUTH messages that no dissector of the table accepts
 *
 * The tvbuff has the bytes alone, `data` is NULL, and items go below the multiplayer message. A dissector that returns
 * 0 declines. The text that it writes into the Info column replaces the argument in the line of the call, or follows
 * that of a RAW message. Bytes that no dissector accepts, and that are a Variant, are shown as one.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_HANDOVER_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_HANDOVER_H

#include "common/compat.h"

#include <gamewire/godot_mp.h>

#include "tree.h"

/* Names of the tables. */
#define GODOT_MP_METHOD_TABLE     "godot_mp.rpc.method"
#define GODOT_MP_FIRST_BYTE_TABLE "godot_mp.raw.first_byte"
#define GODOT_MP_RAW_HEURISTICS   "godot.raw"

void godot_mp_register_handover(int protocol);

/* Texts for the line of the message, in packet scope. */
typedef struct godot_mp_handed {
    const char *info;    /* what a dissector of the game's format wrote into the Info column; else NULL */
    const char *variant; /* the Variant that raw bytes are, if no dissector accepted them; else NULL */
} godot_mp_handed;

/* Hands over the bytes of an event, if it has any, after its item was added. `wants_text`: there is a line. */
godot_mp_handed godot_mp_hand_over(const godot_mp_tree *tree, const gw_godot_mp_event *event, bool wants_text);

#endif
