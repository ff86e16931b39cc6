/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The Info column of a frame with several messages.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_COLUMNS_H
#define GAMEWIRE_PLUGIN_COMMON_COLUMNS_H

#include "compat.h"

/* Adds the line of a message to those of `protocol` in this frame. It replaces the text that the transport wrote before
 * it, and a fence after it keeps it when the transport writes before the next message. */
void gw_columns_add(packet_info *pinfo, int protocol, const char *line);

#endif
