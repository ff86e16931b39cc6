/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Calls to dissectors of payloads, whose exceptions end here.
 */
#include "exceptions.h"

#include <epan/exceptions.h>
#include <epan/show_exception.h>

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
