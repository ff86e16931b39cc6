/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The texts of faults and oddities.
 */
#include <gamewire/godot_stream.h>

static const gw_fault_row faults[GW_GODOT_STREAM_FAULTS] = {
    [GW_GODOT_STREAM_FAULT_NONE] = { GW_FAULT_NONE, "No fault", NULL },
    [GW_GODOT_STREAM_FAULT_PREFIX_TRUNCATED] = { GW_FAULT_TRUNCATED, "The stream ends before a message's Variant",
                                                 "the engine waits for the rest" },
    [GW_GODOT_STREAM_FAULT_VALUE_TRUNCATED] = { GW_FAULT_TRUNCATED, "The stream ends inside a Variant",
                                                "the engine waits for the rest" },
    [GW_GODOT_STREAM_FAULT_MESSAGE_TRUNCATED] = { GW_FAULT_TRUNCATED, "No message begins in these bytes", NULL },
    [GW_GODOT_STREAM_FAULT_TOO_LONG] = { GW_FAULT_LIMIT, "The input is 2 GiB or longer", NULL },
};

/* By bit. */
static const char *const oddities[GW_GODOT_STREAM_ODDS] = {
    "The Variant has something that engines do not write",
    "Bytes follow the Variant inside its message; the engine ignores them",
    "Bytes that are not a message: the game's own, or the rest of a message whose beginning was not captured",
};

const gw_fault_table gw_godot_stream_faults = { faults, GW_GODOT_STREAM_FAULTS, oddities, GW_GODOT_STREAM_ODDS };
