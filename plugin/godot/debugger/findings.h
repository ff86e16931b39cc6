/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds the results of the analysis as generated items and expert infos.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_DEBUGGER_FINDINGS_H
#define GAMEWIRE_PLUGIN_GODOT_DEBUGGER_FINDINGS_H

#include "common/compat.h"

#include "analysis.h"
#include "tree.h"

/* Call it after the last event of a message. Adds the sender, the stop of the game, and `line` (the message as a line
 * of a log). `findings` may be NULL. */
void godot_debugger_findings_add(const godot_debugger_tree *shown, const godot_debugger_facts *facts,
                                 const godot_debugger_findings *findings, const char *line);

#endif
