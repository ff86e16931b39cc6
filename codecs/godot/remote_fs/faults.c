/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The texts of faults and oddities.
 */
#include <gamewire/godot_remote_fs.h>

static const gw_fault_row faults[GW_GODOT_REMOTE_FS_FAULTS] = {
    [GW_GODOT_REMOTE_FS_FAULT_NONE] = { GW_FAULT_NONE, "No fault", NULL },
    [GW_GODOT_REMOTE_FS_FAULT_ITEM_TRUNCATED] = { GW_FAULT_TRUNCATED, "The stream ends inside a number or a text",
                                                  "the engine waits for the rest" },
    [GW_GODOT_REMOTE_FS_FAULT_MAGIC_INVALID] = { GW_FAULT_MALFORMED, "The stream does not begin with GRFS",
                                                 "the editor closes the connection" },
    [GW_GODOT_REMOTE_FS_FAULT_END_INVALID] = { GW_FAULT_MALFORMED, "The files are not followed by GEND",
                                               "the game does not read it" },
    [GW_GODOT_REMOTE_FS_FAULT_TRAILING] = { GW_FAULT_MALFORMED, "Bytes follow the end",
                                            "the engine does not read them" },
    [GW_GODOT_REMOTE_FS_FAULT_TEXT_TOO_LONG] = { GW_FAULT_LIMIT, "A text is longer than 64 KiB", NULL },
    [GW_GODOT_REMOTE_FS_FAULT_TOO_LONG] = { GW_FAULT_LIMIT, "The input is 2 GiB or longer", NULL },
};

/* By bit. */
static const char *const oddities[GW_GODOT_REMOTE_FS_ODDS] = {
    "Not version 1: the editor closes the connection",
    "Bytes after the end of the password are not 0",
    "Files that were listed have not been sent: the editor does not find them anymore",
};

const gw_fault_table gw_godot_remote_fs_faults = { faults, GW_GODOT_REMOTE_FS_FAULTS, oddities,
                                                   GW_GODOT_REMOTE_FS_ODDS };
