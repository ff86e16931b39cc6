/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The texts of faults and oddities.
 */
#include <gamewire/faults.h>
#include <gamewire/godot_debugger.h>

static const gw_fault_row faults[GW_GODOT_DEBUGGER_FAULTS] = {
    [GW_GODOT_DEBUGGER_FAULT_NONE] = { GW_FAULT_NONE, "No fault", NULL },
    [GW_GODOT_DEBUGGER_FAULT_MESSAGE_TRUNCATED] = { GW_FAULT_TRUNCATED, "The message is not whole",
                                                    "the receiver waits for the rest" },
    [GW_GODOT_DEBUGGER_FAULT_MESSAGE_INVALID] = { GW_FAULT_MALFORMED, "No message of the debugger begins here",
                                                  "the engine reports an error and ignores it" },
    [GW_GODOT_DEBUGGER_FAULT_MESSAGE_UNKNOWN] = { GW_FAULT_UNSUPPORTED, "A value that may belong to an earlier message",
                                                  NULL },
    [GW_GODOT_DEBUGGER_FAULT_COUNT_INVALID] = { GW_FAULT_MALFORMED, "No message has this number of values",
                                                "the editor waits for values that never come" },
    [GW_GODOT_DEBUGGER_FAULT_INPUT_TOO_LONG] = { GW_FAULT_LIMIT, "Longer than this reader takes", NULL },
};

const char *gw_godot_debugger_fault_text(uint32_t code)
{
    return gw_fault_row_of(faults, GW_GODOT_DEBUGGER_FAULTS, code).text;
}

gw_fault_class gw_godot_debugger_fault_class(uint32_t code)
{
    return gw_fault_row_of(faults, GW_GODOT_DEBUGGER_FAULTS, code).fault_class;
}

const char *gw_godot_debugger_fault_consequence(uint32_t code)
{
    return gw_fault_row_of(faults, GW_GODOT_DEBUGGER_FAULTS, code).consequence;
}

const char *gw_godot_debugger_odd_text(uint32_t odd)
{
    switch (odd) {
    case GW_GODOT_DEBUGGER_ODD_TYPE:
        return "The value is not of the type that the engine sends there";
    case GW_GODOT_DEBUGGER_ODD_MORE:
        return "The message has more values than are known of it";
    case GW_GODOT_DEBUGGER_ODD_FEWER:
        return "The message has fewer values than the engine sends";
    case GW_GODOT_DEBUGGER_ODD_TOO_DEEP:
        return "Deeper in the scene tree than this reader follows: shown beside its parent";
    case GW_GODOT_DEBUGGER_ODD_VALUE:
        return "The Variant has something that engines do not write";
    default:
        return "Unknown oddity";
    }
}
