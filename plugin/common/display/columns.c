/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The first message of a frame replaces the transport's line, the others are added to it.
 */
#include "common/display/columns.h"

#include <epan/proto_data.h>

#include "common/findings.h"
#include "common/keys.h"

/* The length of the Info column's text; 0 if the column is not written. */
size_t gw_columns_length(packet_info *pinfo)
{
    const char *info = col_get_writable(pinfo->cinfo, COL_INFO) ? col_get_text(pinfo->cinfo, COL_INFO) : NULL;
    return info ? strlen(info) : 0;
}

/* Writes the line of a message to the Info column, over the text that the transport wrote for it, and sets a fence
 * after it: later writes keep the text before a fence. `words`, of the message's findings, such as "[Late] ", are
 * before the line. Lines after the first one of `protocol` in this frame begin with a separator, unless the transport
 * has written one. The value 1 at GW_KEY_LINES marks a frame that has a line of the protocol. */
void gw_columns_add(packet_info *pinfo, int protocol, const char *words, const char *line)
{
    bool is_first = !p_get_proto_data(pinfo->pool, pinfo, protocol, GW_KEY_LINES);
    if (is_first)
        p_add_proto_data(pinfo->pool, pinfo, protocol, GW_KEY_LINES, GUINT_TO_POINTER(1));
    /* RakNet's dissector writes ", " after each message. */
    size_t length = gw_columns_length(pinfo);
    bool is_separated = length >= 2 && strcmp(col_get_text(pinfo->cinfo, COL_INFO) + length - 2, ", ") == 0;
    /* Both functions write after the fence of the line before: over the text of the transport. */
    if (is_first || is_separated)
        col_set_str(pinfo->cinfo, COL_INFO, gw_line_with_words(pinfo, words, line));
    else
        col_add_fstr(pinfo->cinfo, COL_INFO, GW_COLUMNS_SEPARATOR "%s%s", words, line);
    col_set_fence(pinfo->cinfo, COL_INFO);
}

/* Appends the time from `earlier` to this frame, in milliseconds, to the line that was added last: " (40.384 ms)". */
void gw_columns_add_time(packet_info *pinfo, const nstime_t *earlier)
{
    nstime_t between;
    nstime_delta(&between, &pinfo->abs_ts, earlier);
    int64_t microseconds = (int64_t)between.secs * 1000000 + between.nsecs / 1000;
    uint64_t absolute = microseconds < 0 ? (uint64_t)-microseconds : (uint64_t)microseconds;
    /* Not with "%.3f": the locale would choose the decimal point. */
    col_append_fstr(pinfo->cinfo, COL_INFO, " (%s%" PRIu64 ".%03" PRIu64 " ms)", microseconds < 0 ? "-" : "",
                    absolute / 1000, absolute % 1000);
    col_set_fence(pinfo->cinfo, COL_INFO);
}
