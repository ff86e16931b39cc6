/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Calls to dissectors of payloads, whose exceptions end here; the layers that may still be added.
 */
#include "common/recognition/payloads.h"

#include <epan/exceptions.h>
#include <epan/proto_data.h>
#include <epan/show_exception.h>

#include "common/keys.h"

/* Calls `dissectors` with `closure`; true if one has accepted the payload. An exception ends here: it is displayed, and
 * counts as accepted. */
bool gw_call_guarded(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, gw_dissectors dissectors, void *closure)
{
    const char *protocol = pinfo->current_proto;
    /* Stays true if a dissector throws an exception, which counts as accepted. */
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

/* A packet had reserved layers, since Wireshark was started: few captures have one. */
static bool has_kept_layers;

/* The number of layers that gw_keep_layers() has reserved in this packet, the same for all protocols; 0: none. */
static uint32_t kept_layers(packet_info *pinfo)
{
    return has_kept_layers ? GPOINTER_TO_UINT(p_get_proto_data(pinfo->pool, pinfo, gw_frame_protocol(), GW_KEY_LAYERS))
                           : 0;
}

/* Reserves `layers` of the frame's GW_LAYERS for the payloads after this one, in place of the number that was reserved
 * before. GW_KEPT_LAYERS are reserved in any case: a frame with one datagram, as most are, needs no data for that. */
void gw_keep_layers(packet_info *pinfo, uint32_t layers)
{
    if (layers <= GW_KEPT_LAYERS && !kept_layers(pinfo))
        return;
    p_set_proto_data(pinfo->pool, pinfo, gw_frame_protocol(), GW_KEY_LAYERS, GUINT_TO_POINTER(layers));
    has_kept_layers = true;
}

/* True if the frame may have `layers` more, below GW_LAYERS less those that are reserved for its other payloads. */
bool gw_has_layers(packet_info *pinfo, uint32_t layers)
{
    uint32_t kept = MAX(kept_layers(pinfo), GW_KEPT_LAYERS), used = wmem_list_count(pinfo->layers);
    return kept < GW_LAYERS && used < GW_LAYERS - kept && layers <= GW_LAYERS - kept - used;
}
