/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The texts of faults and oddities, with ENet's reactions.
 */
#include <gamewire/enet.h>

#define DROPS_REST "ENet stops here and drops the rest of the datagram"

static const gw_fault_row faults[GW_ENET_FAULTS] = {
    [GW_ENET_FAULT_NONE] = { GW_FAULT_NONE, "No fault", NULL },
    [GW_ENET_FAULT_HEADER_TRUNCATED] = { GW_FAULT_TRUNCATED, "The datagram ends within its header",
                                         "ENet drops the datagram" },
    [GW_ENET_FAULT_COMMAND_TRUNCATED] = { GW_FAULT_TRUNCATED, "The datagram ends within a command", DROPS_REST },
    [GW_ENET_FAULT_PAYLOAD_TRUNCATED] = { GW_FAULT_TRUNCATED, "A payload is longer than the datagram", DROPS_REST },
    [GW_ENET_FAULT_COMMAND_UNKNOWN] = { GW_FAULT_MALFORMED, "Unknown command", DROPS_REST },
    [GW_ENET_FAULT_TOO_LONG] = { GW_FAULT_LIMIT, "The input is 2 GiB or longer", NULL },
    [GW_ENET_FAULT_RANGE_INVALID] = { GW_FAULT_MALFORMED, "Not a range coder's stream", "ENet drops the datagram" },
    [GW_ENET_FAULT_RANGE_TRUNCATED] = { GW_FAULT_TRUNCATED, "The range coder's stream has no end", NULL },
    [GW_ENET_FAULT_FASTLZ_INVALID] = { GW_FAULT_MALFORMED, "Not a FastLZ stream", "ENet drops the datagram" },
    [GW_ENET_FAULT_FASTLZ_TRUNCATED] = { GW_FAULT_TRUNCATED, "The FastLZ stream ends within an instruction",
                                         "ENet drops the datagram" },
    [GW_ENET_FAULT_UNPACKED_TOO_LONG] = { GW_FAULT_LIMIT, "The commands decompress to more than a datagram holds",
                                          "ENet drops the datagram" },
};

#define REFUSED "; " DROPS_REST

/* By bit. */
static const char *const oddities[GW_ENET_ODDS] = {
    "A datagram without commands; ENet ignores it",
    "A datagram of more than 4096 bytes, the most that ENet sends",
    "More than 32 commands, the most that ENet sends in a datagram; ENet still reads them",
    "Flags that ENet's senders do not set for this command; ENet still reads it",
    "A message on channel 255, which is that of commands about the connection" REFUSED,
    "A command that requests an acknowledgement in a datagram without a sent time; ENet executes it, acknowledges "
    "nothing and drops the rest of the datagram",
    "A command other than CONNECT in a datagram without a peer id" REFUSED,
    "A CONNECT to an existing peer" REFUSED,
    "The acknowledged sequence number differs from that in the command's header, which ENet does not read, and which "
    "hosts before ENet 1.3.8 do not set",
    "An unsequenced message with a reliable sequence number that is not 0",
    "A peer id that is not below 4095",
    "A session id that is neither 0 to 3 nor 255, which means none yet",
    "The MTU is not in 576 to 4096; ENet uses the nearest value that is, unless its own is lower",
    "The window size is not in 4096 to 65536; ENet uses the nearest value that is, unless its own is lower",
    "The channel count is not in 1 to 255; ENet rejects the connection",
    "The fragment count is not in 1 to 1048576" REFUSED,
    "The fragment number is not below the fragment count" REFUSED,
    "The total length is over 32 MiB" REFUSED ", unless its maximumPacketSize is higher",
    "The total length is below the fragment count; ENet 1.3.17 accepts it, 1.3.18 does in unreliable fragments only",
    "The fragment offset is not below the total length" REFUSED,
    "The fragment ends after the total length" REFUSED,
    "A reliable fragment without bytes; newer versions of ENet stop here, 1.3.17 accepts it",
    "The reliable sequence number is not the start number plus the fragment number",
    "The padding is not zero",
    "A command about the connection on another channel than 255; ENet accepts it",
    "The first two numbers do not yield the port that the datagram is sent to, or the first is above it; the server "
    "drops the datagram, unless it has no peer id",
};

const gw_fault_table gw_enet_faults = { faults, GW_ENET_FAULTS, oddities, GW_ENET_ODDS };
