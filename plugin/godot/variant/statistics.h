/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Part of -z godot,tree, which godot/multiplayer/statistics.c registers: the Variants that are sent bare, in datagrams
 * and streams.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_VARIANT_STATISTICS_H
#define GAMEWIRE_PLUGIN_GODOT_VARIANT_STATISTICS_H

#include "common/compat.h"

/* The key of the preference godot.statistics_key. */
extern const char *godot_statistics_key;

#endif
