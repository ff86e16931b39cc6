/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Calls to dissectors of payloads, whose exceptions end here; the layers that may still be added; the text of the column.
 */
#include "common/payloads.h"

#include <epan/exceptions.h>
#include <epan/proto_data.h>
#include <epan/show_exception.h>

#include "common/columns.h"
#include "common/keys.h"

bool gw_call_guarded(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, gw_dissectors dissectors, void *closure)
{
    const char *protocol = pinfo->current_proto;
    volatile bool accepted = true;
    TRY
    {
        accepted = dissectors(pinfo, tree, closure);
    }
    CATCH_NONFATAL_ERRORS
    {
        show_exception(tvb, pinfo, tree, EXCEPT_CODE, GET_MESSAGE);
        pinfo->current_proto = protocol;
    }
    ENDTRY;
    return accepted;
}

/* ---- layers ------------------------------------------------------------------------------------------- */

/* The number of layers belongs to the frame, not to a protocol of this plugin. */
static int frame_protocol(void)
{
    static int protocol = -1;
    if (protocol < 0)
        protocol = proto_get_id_by_filter_name("frame");
    return protocol;
}

static uint32_t kept_layers(packet_info *pinfo)
{
    return GPOINTER_TO_UINT(p_get_proto_data(pinfo->pool, pinfo, frame_protocol(), GW_KEY_LAYERS));
}

/* A frame with one datagram, as most are, has no data for it. */
void gw_keep_layers(packet_info *pinfo, uint32_t layers)
{
    if (layers > GW_KEPT_LAYERS || kept_layers(pinfo))
        p_set_proto_data(pinfo->pool, pinfo, frame_protocol(), GW_KEY_LAYERS, GUINT_TO_POINTER(layers));
}

uint32_t gw_bytes_after(tvbuff_t *datagram)
{
    uint32_t end = (uint32_t)tvb_raw_offset(datagram) + tvb_reported_length(datagram);
    uint32_t length = tvb_reported_length(tvb_get_ds_tvb(datagram));
    return length > end ? length - end : 0;
}

uint32_t gw_bytes_not_decrypted(const packet_info *pinfo)
{
    uint32_t largest = 0, sum = 0;
    for (const GSList *source = pinfo->data_src; source; source = source->next) {
        uint32_t length = tvb_reported_length(get_data_source_tvb(source->data));
        largest = MAX(largest, length);
        sum += length;
    }
    return largest > sum - largest ? largest - (sum - largest) : 0;
}

bool gw_has_layers(packet_info *pinfo, uint32_t layers)
{
    uint32_t kept = MAX(kept_layers(pinfo), GW_KEPT_LAYERS), used = wmem_list_count(pinfo->layers);
    return kept < GW_LAYERS && used < GW_LAYERS - kept && layers <= GW_LAYERS - kept - used;
}

/* ---- the Info column ---------------------------------------------------------------------------------- */

const char *gw_columns_separator(size_t length)
{
    return length ? GW_COLUMNS_SEPARATOR : "";
}

void gw_columns_open(packet_info *pinfo, gw_columns_part *part, size_t length, const char *prefix)
{
    *part = (gw_columns_part){ .is_open = (length || *prefix) && col_get_writable(pinfo->cinfo, COL_INFO) };
    if (!part->is_open)
        return;
    const char *text = col_get_text(pinfo->cinfo, COL_INFO);
    part->before = wmem_strndup(pinfo->pool, text, length);
    part->after = wmem_strdup(pinfo->pool, text + length);
    col_add_fstr(pinfo->cinfo, COL_INFO, "%s%s", gw_columns_separator(length), prefix);
    col_set_fence(pinfo->cinfo, COL_INFO);
    part->fence = gw_columns_length(pinfo);
}

void gw_columns_close(packet_info *pinfo, const gw_columns_part *part, bool is_accepted)
{
    bool has_line = is_accepted && gw_columns_length(pinfo) > part->fence;
    if (part->is_open && !has_line) {
        col_clear_fence(pinfo->cinfo, COL_INFO);
        col_add_str(pinfo->cinfo, COL_INFO, part->before);
        col_set_fence(pinfo->cinfo, COL_INFO);
        col_append_str(pinfo->cinfo, COL_INFO, part->after);
    }
    if (is_accepted)
        col_set_fence(pinfo->cinfo, COL_INFO);
}
