/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The analysis' findings as generated items and expert infos of a datagram's tree.
 */
#ifndef GAMEWIRE_PLUGIN_LEVIATHAN_FINDINGS_H
#define GAMEWIRE_PLUGIN_LEVIATHAN_FINDINGS_H

#include "analysis.h"
#include "tree.h"

/* Call it after the datagram's events. `findings` may be NULL. */
void leviathan_findings_add(const leviathan_tree *state, const leviathan_facts *facts,
                            const leviathan_findings *findings, leviathan_acks_choice choice);

#endif
