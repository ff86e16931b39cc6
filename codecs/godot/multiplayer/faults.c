/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The texts of faults and oddities.
 */
#include <gamewire/godot_mp.h>

#define FAULT(name) GW_GODOT_MP_FAULT_##name

static const char refused[] = "the engine drops the packet with an error";
/* process_simplify_path() and _process_get_node() take a path up to its NUL or the end of the packet. */
static const char refused_name[] =
    "the engine drops the packet with an error, unless the text is a path, which may end here";
/* on_sync_receive() and on_delta_receive() apply one update after the other. */
static const char refused_rest[] =
    "the engine drops the packet with an error; in a sync it has applied the updates before";
/* Godot 4's _process_rpc() does not look at what decode_and_decompress_variants() returns, and calls the method;
 * on_replication_start() reads the state of a spawned node when the node is in the tree. Observed with 4.6.3. */
static const char refused_value[] = "the engine prints an error; Godot 3 drops the packet, Godot 4 makes a call all "
                                    "the same, with null from here on, adds "
                                    "a spawned node without such a state, and has applied the updates before";
static const char refused_values[] =
    "the engine prints an error; Godot 3 drops the packet, Godot 4 makes the call all the same, with null for them";

static const gw_fault_row faults[GW_GODOT_MP_FAULTS] = {
    [FAULT(NONE)] = { GW_FAULT_NONE, "No fault", NULL },
    [FAULT(EMPTY)] = { GW_FAULT_TRUNCATED, "The message is empty", refused },
    [FAULT(FIELD_TRUNCATED)] = { GW_FAULT_TRUNCATED, "The packet ends inside a number", refused },
    [FAULT(TEXT_TRUNCATED)] = { GW_FAULT_TRUNCATED, "The packet ends before a text's NUL", refused_name },
    [FAULT(CHECKSUM_TRUNCATED)] = { GW_FAULT_TRUNCATED, "The packet ends inside the method checksum", refused },
    [FAULT(NAME_TRUNCATED)] = { GW_FAULT_TRUNCATED, "A node's name is longer than the rest of the packet", refused },
    [FAULT(IDS_TRUNCATED)] = { GW_FAULT_TRUNCATED, "More synchronizer ids are declared than there are bytes", refused },
    [FAULT(
        IDS_OVERFLOW)] = { GW_FAULT_TRUNCATED,
                           "More synchronizer ids are declared than there are bytes, and their size overflows 32 bits",
                           "the engine does not notice it, reads past the end of the packet and crashes" },
    [FAULT(VALUE_TRUNCATED)] = { GW_FAULT_TRUNCATED, "The packet ends inside a Variant", refused_value },
    [FAULT(VALUES_MISSING)] = { GW_FAULT_TRUNCATED, "There are fewer arguments than declared", refused_values },
    [FAULT(UPDATE_TRUNCATED)] = { GW_FAULT_TRUNCATED, "An update is longer than the rest of the packet", refused_rest },
    [FAULT(VALUE_INVALID)] = { GW_FAULT_MALFORMED, "The bytes are not a Variant", refused_value },
    [FAULT(TOO_DEEP)] = { GW_FAULT_LIMIT, "A Variant is nested deeper than this reader supports", NULL },
    [FAULT(OFFSET_INVALID)] = { GW_FAULT_MALFORMED, "The path's offset lies before the arguments", refused },
    [FAULT(ID_SIZE_UNKNOWN)] = { GW_FAULT_UNSUPPORTED, "Unknown size of a node id", refused },
    [FAULT(COMMAND_UNKNOWN)] = { GW_FAULT_UNSUPPORTED, "Unknown command of Godot 3", "the engine ignores the packet" },
    [FAULT(SYSTEM_UNKNOWN)] = { GW_FAULT_UNSUPPORTED, "Unknown system command", refused },
    [FAULT(HEAD_UNKNOWN)] = { GW_FAULT_UNSUPPORTED, "Unknown message about a peer",
                              "the engine ignores the packet, over WebSocket with an error" },
    [FAULT(RELAY_TOO_DEEP)] = { GW_FAULT_LIMIT,
                                "Relayed packets within relayed packets, deeper than this reader supports", NULL },
    [FAULT(TOO_LONG)] = { GW_FAULT_LIMIT, "The input is 2 GiB or longer", NULL },
};

/* By bit. */
static const char *const oddities[GW_GODOT_MP_ODDS] = {
    "Bits of the command byte are set that this command does not have",
    "The text is not valid UTF-8",
    "More bytes are used than the number needs",
    "Bytes follow where the packet or an update should end; the engine ignores them, but drops a delta with them",
    "The method checksum is not 32 hexadecimal digits",
    "The confirmation is neither 0 nor 1",
    "A compressed bool has bits other than its value's",
    ("A typed null object is sent as a header alone, which the receiver cannot read: it prints an error, and makes a "
     "call with null from here on"),
    "A Variant has something that engines do not write",
    "The name is empty, or its last byte is not its only NUL",
    "The number of values is not that of the index bits",
    "No peer can have this id",
    "The packet is larger than the engine sends by default",
    "A system command is relayed, which the engine never does",
    "The size of the custom data is not that of the value",
    "The path is confirmed by its text, as Godot 4.0 to 4.2 do it; 4.3 and later cannot read that",
    "The value is sent as half floats, as Redot does it; Godot cannot read that",
};

const gw_fault_table gw_godot_mp_faults = { faults, GW_GODOT_MP_FAULTS, oddities, GW_GODOT_MP_ODDS };
