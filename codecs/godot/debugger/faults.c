/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The texts of faults and oddities.
 */
#include <gamewire/godot_debugger.h>

/* RemoteDebugger::_poll_messages() of Godot 4 ignores an Array that is no message; RemoteDebuggerPeerTCP disconnects
 * after a length of 0 or above its buffer, and the editor of Godot 3 stops where a name or a number should be. */
static const char refused[] = "the engine reports an error, and ignores it or ends the session";

static const gw_fault_row faults[GW_GODOT_DEBUGGER_FAULTS] = {
    [GW_GODOT_DEBUGGER_FAULT_NONE] = { GW_FAULT_NONE, "No fault", NULL },
    [GW_GODOT_DEBUGGER_FAULT_MESSAGE_TRUNCATED] = { GW_FAULT_TRUNCATED, "The message is incomplete",
                                                    "the receiver waits for the rest" },
    [GW_GODOT_DEBUGGER_FAULT_MESSAGE_INVALID] = { GW_FAULT_MALFORMED, "No message of the debugger begins here",
                                                  refused },
    [GW_GODOT_DEBUGGER_FAULT_MESSAGE_UNKNOWN] = { GW_FAULT_UNSUPPORTED, "A value that may belong to an earlier message",
                                                  NULL },
    [GW_GODOT_DEBUGGER_FAULT_COUNT_INVALID] = { GW_FAULT_MALFORMED, "No message has this number of values",
                                                "the editor waits for values that never come" },
    [GW_GODOT_DEBUGGER_FAULT_TOO_LONG] = { GW_FAULT_LIMIT, "The input is 2 GiB or longer", NULL },
};

/* By bit. */
static const char *const oddities[GW_GODOT_DEBUGGER_ODDS] = {
    "The value is not of the type that the engine sends there",
    "The message has more values than are known",
    "The message has fewer values than the engine sends",
    "Deeper in the scene tree than this reader supports: shown beside the root, as are all nodes after it",
    "The Variant has something that engines do not write",
};

const gw_fault_table gw_godot_debugger_faults = { faults, GW_GODOT_DEBUGGER_FAULTS, oddities, GW_GODOT_DEBUGGER_ODDS };
