/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Paths of values as a user writes them, in short or in full:
 *
 *   players[0].hp   ["players"][0]["hp"]   the same value
 *   players[*].hp                          [*]: any element or key
 *   take_damage(0)  position               an argument of a call; a synchronized property
 *   position.x      move_to(0).y           a component of a vector, color, transform ...
 *   .               x                      the document itself; its component
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_VARIANT_PATTERN_H
#define GAMEWIRE_PLUGIN_GODOT_VARIANT_PATTERN_H

/* The rest of the pattern after the path (as in godot.path): "" if the pattern matches the value, "x" if it may match a
 * component of the value; NULL if it matches neither. */
const char *godot_pattern_rest(const char *pattern, const char *path);

/* Why the pattern cannot match any path, as a sentence; NULL if it can. */
const char *godot_pattern_error(const char *pattern);

#endif
