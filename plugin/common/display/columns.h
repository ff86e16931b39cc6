/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The Info column of a frame with several messages.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_COLUMNS_H
#define GAMEWIRE_PLUGIN_COMMON_COLUMNS_H

#include "common/compat.h"

/* Between the texts of messages. */
#define GW_COLUMNS_SEPARATOR "; "

/* Adds the line of a message, after the words of its findings (gw_finding_words()), to the lines of `protocol` in
 * this frame. The line replaces the text that the transport wrote for the message. A fence after the line keeps it
 * when the transport writes its text for the next message. `words` and `line` are in packet scope, because the
 * column refers to it, and without control characters, which the column would show as they are. */
void gw_columns_add(packet_info *pinfo, int protocol, const char *words, const char *line);

/* Adds the time from `earlier` to this frame to the line added last: " (40.384 ms)". */
void gw_columns_add_time(packet_info *pinfo, const nstime_t *earlier);

/* Length of the Info column's text; 0 if there is no column. */
size_t gw_columns_length(packet_info *pinfo);

#endif
