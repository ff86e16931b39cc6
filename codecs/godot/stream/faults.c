/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The texts of faults and oddities.
 */
#include <gamewire/faults.h>
#include <gamewire/godot_stream.h>

static const gw_fault_row faults[GW_GODOT_STREAM_FAULTS] = {
    [GW_GODOT_STREAM_FAULT_NONE] = { GW_FAULT_NONE, "No fault", NULL },
    [GW_GODOT_STREAM_FAULT_PREFIX_TRUNCATED] = { GW_FAULT_TRUNCATED, "The stream ends before a message's Variant",
                                                 "the engine waits for the rest" },
    [GW_GODOT_STREAM_FAULT_VALUE_TRUNCATED] = { GW_FAULT_TRUNCATED, "The stream ends inside a Variant",
                                                "the engine waits for the rest" },
    [GW_GODOT_STREAM_FAULT_MESSAGE_TRUNCATED] = { GW_FAULT_TRUNCATED, "No message begins in these bytes", NULL },
    [GW_GODOT_STREAM_FAULT_INPUT_TOO_LONG] = { GW_FAULT_LIMIT, "Longer than this reader takes", NULL },
};

const char *gw_godot_stream_fault_text(uint32_t code)
{
    return gw_fault_row_of(faults, GW_GODOT_STREAM_FAULTS, code).text;
}

gw_fault_class gw_godot_stream_fault_class(uint32_t code)
{
    return gw_fault_row_of(faults, GW_GODOT_STREAM_FAULTS, code).fault_class;
}

const char *gw_godot_stream_fault_consequence(uint32_t code)
{
    return gw_fault_row_of(faults, GW_GODOT_STREAM_FAULTS, code).consequence;
}

const char *gw_godot_stream_odd_text(uint32_t odd)
{
    switch (odd) {
    case GW_GODOT_STREAM_ODD_VALUE:
        return "The Variant has something that engines do not write";
    case GW_GODOT_STREAM_ODD_TRAILING:
        return "Bytes follow the Variant inside its message; the engine ignores them";
    case GW_GODOT_STREAM_ODD_UNKNOWN:
        return "Bytes that are no message: the game's own, or the rest of a message that began before the capture";
    default:
        return "Unknown oddity";
    }
}
