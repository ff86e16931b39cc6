/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "godot-columns.h"

#include <epan/proto_data.h>

/* Of the packet's data: its lines so far. */
#define LINES_KEY UINT32_C(0x6c696e65)

void godot_add_line(packet_info *pinfo, int protocol, const char *line, bool is_fenced)
{
    wmem_strbuf_t *lines = p_get_proto_data(pinfo->pool, pinfo, protocol, LINES_KEY);
    bool is_first = !lines;
    if (is_first) {
        lines = wmem_strbuf_new(pinfo->pool, "");
        p_add_proto_data(pinfo->pool, pinfo, protocol, LINES_KEY, lines);
    }
    if (is_fenced) {
        col_add_fstr(pinfo->cinfo, COL_INFO, "%s%s", is_first ? "" : "; ", line);
        return;
    }
    wmem_strbuf_append_printf(lines, "%s%s", wmem_strbuf_get_len(lines) ? "; " : "", line);
    col_add_str(pinfo->cinfo, COL_INFO, wmem_strbuf_get_str(lines));
}
