/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The Info column of a frame with several messages.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_COLUMNS_H
#define GAMEWIRE_PLUGIN_COMMON_COLUMNS_H

#include "compat.h"

/* Adds a message's line to those of `protocol` in this frame, in place of what the transport has written before it, and
 * a fence after it: what the transport writes before the next message leaves it as it is. */
void gw_columns_add(packet_info *pinfo, int protocol, const char *line);

#endif
