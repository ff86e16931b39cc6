/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * -z godot,tree: what a game's bytes are spent on. Every frame of the capture is counted, with all its bytes, so that
 * the parts add up to the whole. What is known of the frame's messages comes from godot/multiplayer/statistics.c; here
 * are the frames, and the Variants that are sent bare, in datagrams and streams.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_VARIANT_STATISTICS_H
#define GAMEWIRE_PLUGIN_GODOT_VARIANT_STATISTICS_H

#include "common/compat.h"

#include <gamewire/godot.h>

/* The key of the preference godot.statistics_key. */
extern const char *godot_statistics_key;

/* When the protocol is registered, and when it is handed off. */
void godot_statistics_register(int protocol);
void godot_statistics_register_tree(void);

#endif
