/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What was read, written again.
 */
#ifndef GAMEWIRE_TESTS_GODOT_REWRITING_H
#define GAMEWIRE_TESTS_GODOT_REWRITING_H

#include <gamewire/godot.h>

/* Writes the event that was read from `bytes`; CLOSE writes nothing. */
void rewrite_event(gw_godot_writer *writer, const uint8_t *bytes, const gw_godot_event *event);

/* Reads one value and writes it. */
void rewrite(gw_godot_writer *writer, const uint8_t *bytes, size_t length);

#endif
