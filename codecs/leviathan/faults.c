/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The texts of faults and oddities.
 */
#include <gamewire/leviathan.h>

static const gw_fault_row faults[GW_LEVIATHAN_FAULTS] = {
    [GW_LEVIATHAN_FAULT_NONE] = { GW_FAULT_NONE, "No fault", NULL },
    [GW_LEVIATHAN_FAULT_FIELD_TRUNCATED] = { GW_FAULT_TRUNCATED, "The packet ends within a field", NULL },
    [GW_LEVIATHAN_FAULT_ACKS_TRUNCATED] = { GW_FAULT_TRUNCATED, "The ack count exceeds the packet",
                                            "the engine continues with zeros" },
    [GW_LEVIATHAN_FAULT_IDS_TRUNCATED] = { GW_FAULT_TRUNCATED, "The count of acknowledged ids exceeds the packet",
                                           NULL },
    [GW_LEVIATHAN_FAULT_MESSAGES_MISSING] = { GW_FAULT_TRUNCATED, "The message count exceeds the packet", NULL },
    [GW_LEVIATHAN_FAULT_STRING_TRUNCATED] = { GW_FAULT_TRUNCATED, "A string is longer than the packet", NULL },
    [GW_LEVIATHAN_FAULT_NESTED_TRUNCATED] = { GW_FAULT_TRUNCATED, "A nested packet is longer than the packet", NULL },
    [GW_LEVIATHAN_FAULT_PACKET_UNKNOWN] = { GW_FAULT_UNSUPPORTED, "Unknown packet type", NULL },
    [GW_LEVIATHAN_FAULT_MESSAGE_UNKNOWN] = { GW_FAULT_UNSUPPORTED, "Unknown message type: neither request nor response",
                                             NULL },
    [GW_LEVIATHAN_FAULT_REQUEST_UNKNOWN] = { GW_FAULT_UNSUPPORTED, "Unknown request type: later bytes cannot be split",
                                             "the engine reads messages after it at the wrong offset" },
    [GW_LEVIATHAN_FAULT_RESPONSE_UNKNOWN] = { GW_FAULT_UNSUPPORTED,
                                              "Unknown response type: later bytes cannot be split",
                                              "the engine reads messages after it at the wrong offset" },
    [GW_LEVIATHAN_FAULT_TOO_LONG] = { GW_FAULT_LIMIT, "The input is 2 GiB or longer", NULL },
};

/* By bit. */
static const char *const oddities[GW_LEVIATHAN_ODDS] = {
    "The packet id is 0, which the engine never uses",
    "The ack count is not 1 to 4, as the engine sends it",
    "The first ack bit is clear, or the last ack byte is 0: the engine packs acks otherwise",
    "The count of ids is not 1 to 4: the engine sends 1 to 3 in an ack-only packet",
    "The ids of this ack-only packet do not ascend, or one is 0",
    "These acks are after a packet, where the engine ignores them",
    "There are bytes after the end of the packet, which the engine ignores",
    "There are bytes although the packet declares no messages",
    "The message number is 0; the engine counts from 1",
    "The engine's reader does not know this type",
    "The packet declares further messages, which cannot be separated from these bytes",
    "The check value is not 42: the engine ignores such a response, and does not check a request",
    "This value is not in its enumeration",
    "This bool is neither 0 nor 1; the engine reads it as true",
    "This string is not UTF-8",
    "This string contains NUL",
    "There are more than the 1000 components that the engine's reader accepts",
    "There are fewer components than declared",
    "There are bytes after the last component",
    "This component is longer than its nested packet",
    "This component is of a type that is never sent in this form",
    "This component is the application's own: its length is not known",
};

const gw_fault_table gw_leviathan_faults = { faults, GW_LEVIATHAN_FAULTS, oddities, GW_LEVIATHAN_ODDS };
