/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Leviathan's statistics: -z leviathan,tree and -z leviathan,srt.
 */
#ifndef GAMEWIRE_PLUGIN_LEVIATHAN_STATISTICS_H
#define GAMEWIRE_PLUGIN_LEVIATHAN_STATISTICS_H

#include "leviathan-tree.h"

/* When the protocol is registered. */
void leviathan_register_response_times(int protocol);
/* For each datagram that was read. */
void leviathan_count(const leviathan_datagram *datagram);

#endif
