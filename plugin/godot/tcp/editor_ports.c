/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The TCP ports of Godot's editor: 6007 or, if it is in use, the next of 6008 to 6011. X11's dissector has them, and
 * accepts every segment, so that TCP's heuristics are never asked there.
 *
 * What is not possible: a heuristic before the port's dissector, without a preference of TCP that the user sets; a
 * conversation that is pinned before its first segment.
 *
 * What is done: these ports have a dissector that only decides who is asked. If the segment may be Godot's, it
 * declines, and TCP asks the heuristics, ours among them, and HTTP's for the WebSocket debugger; they pin the
 * conversation, and this dissector is not called for it again. Otherwise it calls the port's owner, which must not
 * notice:
 *   - it belongs to no protocol, and so adds no layer;
 *   - it restores pinfo->can_desegment to the value before its own call. saved_can_desegment exists for this, for
 *     dissectors whose payload TCP is to reassemble;
 *   - pinfo->match_uint, by which X11's dissector knows the server's side, is the port.
 * tests/plugin/godot/debugger/test_x11.py compares all output for real X clients with that of tshark without the
 * plugin.
 */
#include "internal.h"

#include "godot/debugger/debugger.h"

/* By port, from the first on; NULL if no dissector had the port. */
static dissector_handle_t owners[GW_GODOT_DEBUGGER_PORTS];
static godot_editor_test may_be_godot;

bool godot_is_on_editor_port(const packet_info *pinfo)
{
    return godot_debugger_is_port(pinfo->srcport) || godot_debugger_is_port(pinfo->destport);
}

static int dissect_on_port(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    if (!godot_debugger_is_port(pinfo->match_uint) || may_be_godot(tvb, pinfo, data))
        return 0;
    pinfo->can_desegment = pinfo->saved_can_desegment;
    return call_dissector_only(owners[pinfo->match_uint - GW_GODOT_DEBUGGER_PORT], tvb, pinfo, tree, data);
}

void godot_register_editor_ports(godot_editor_test test)
{
    dissector_table_t ports = find_dissector_table("tcp.port");
    dissector_handle_t handle = create_dissector_handle_with_name_and_description(
        dissect_on_port, -1, NULL, "Godot's editor, or the port's other protocol");
    may_be_godot = test;
    for (uint32_t i = 0; i < GW_GODOT_DEBUGGER_PORTS; i++) {
        owners[i] = dissector_get_uint_handle(ports, GW_GODOT_DEBUGGER_PORT + i);
        if (owners[i])
            dissector_add_uint("tcp.port", GW_GODOT_DEBUGGER_PORT + i, handle);
    }
}
