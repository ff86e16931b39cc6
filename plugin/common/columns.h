/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The Info column of a frame with several messages.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_COLUMNS_H
#define GAMEWIRE_PLUGIN_COMMON_COLUMNS_H

#include "compat.h"

/* Adds the line of a message to the lines of `protocol` in this frame. The line replaces the text that the transport
 * wrote for the message. A fence after the line keeps it when the transport writes its text for the next message.
 * `line` is in packet scope, because the column refers to it, and without control characters, which the column would
 * show as they are. */
void gw_columns_add(packet_info *pinfo, int protocol, const char *line);

/* Adds the time from `earlier` to this frame to the line added last: " (40.384 ms)". */
void gw_columns_add_time(packet_info *pinfo, const nstime_t *earlier);

/* The Info column while a message is passed to dissectors that may decline it. */
typedef struct gw_columns_part {
    bool is_open;
    const char *kept; /* the text of the messages before, which remains */
    const char *rest; /* the text that an accepted message replaces */
    size_t fence;     /* the length of the text with the separator */
} gw_columns_part;

/* Before the call: writes the separator after the first `kept` bytes of the text, and `prefix`. The line that a dissector
 * sets, with col_set_str() and the like, follows. Writes nothing if there is nothing before the line. */
void gw_columns_open(packet_info *pinfo, gw_columns_part *part, size_t kept, const char *prefix);
/* After the call: keeps the line of a message that was accepted. If it was declined, or has no line, the text is as
 * before. */
void gw_columns_close(packet_info *pinfo, const gw_columns_part *part, bool is_accepted);

/* Between the texts of messages: empty if there is none before, of `kept` bytes. */
const char *gw_columns_separator(size_t kept);

/* Length of the Info column's text; 0 if there is no column. */
size_t gw_columns_length(packet_info *pinfo);

#endif
