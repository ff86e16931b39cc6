/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Dissects one datagram: reads it into items, facts and the Info column, analyzes it, and shows the results.
 */
#ifndef GAMEWIRE_PLUGIN_LEVIATHAN_DISSECT_H
#define GAMEWIRE_PLUGIN_LEVIATHAN_DISSECT_H

#include "common/compat.h"

#include <gamewire/leviathan.h>

/* Preferences. */
extern int leviathan_numbering;     /* gw_leviathan_revision */
extern int leviathan_ack_numbering; /* leviathan_acks_choice */

/* Applies the preferences. */
gw_leviathan_options leviathan_reader_options(void);

/* Analyzes a datagram that is not dissected on the first pass, but may be on the second. */
void leviathan_keep_candidate(tvbuff_t *tvb, packet_info *pinfo);

/* Dissects one datagram; 0 when it is empty. */
int leviathan_dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent);

#endif
