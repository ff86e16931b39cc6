/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Datagrams of formats related to ENet 1.3, which are not decoded:
 *
 *   ENet 1.1, 1.2       u32 session id, or CRC-32 if the hosts use checksums
 *                       u16 bits 0-14 peer id, 15 sent time follows
 *                       u16 sent time, only with bit 15
 *                       commands as in 1.3, but a CONNECT has 40 bytes and a VERIFY_CONNECT 36, and there is no
 *                       SEND_UNRELIABLE_FRAGMENT
 *   ENet 1.0, Photon    u16 peer id, u8 flags (Photon: 0xCC with a CRC-32 after this header), u8 number of commands,
 *                       u32 sent time, u32 challenge
 *                       commands, each with u8 number, u8 channel, u8 flags, u8 reserved, u32 length of the command
 *                       with these 12 bytes, u32 sequence number
 *
 * ENet: include/enet/protocol.h in the history of github.com/lsalzman/enet (changes of July 2006 and June 2010) and
 * captures of those versions. Photon: "Binary Protocol" at doc.photonengine.com for the lengths, and the parser at
 * github.com/0blu/PhotonPackageParser for the fields.
 */
#include "tables.h"

#define PEER_AT_1_2        4U
#define HEADER_1_2         6U /* without the sent time */
#define SENT_TIME_1_2      2U
#define NO_PEER_1_2        0x7FFFU
#define CONNECT_1_2        40U
#define VERIFY_CONNECT_1_2 36U
/* Servers with more peers are not detected: the two bytes are a part of the checksum where ENet 1.3 has one, and pass
 * with a probability of 2^-6. */
#define MOST_PEERS_1_2 1024U

#define HEADER_1_0         12U
#define FLAGS_AT_1_0       2U
#define COUNT_AT_1_0       3U
#define COMMAND_HEADER_1_0 12U
#define LENGTH_AT_1_0      4U
#define LAST_COMMAND_1_0   16U /* Photon's, which has more than ENet */
#define CHECKSUM_1_0       0xCCU

/* ---- ENet 1.1 and 1.2 ------------------------------------------------------------------------------------ */

/* The bytes of a command before its payload; 0 if this byte begins none. */
static uint32_t size_1_2(uint8_t first, bool has_sent_time)
{
    const gw_enet_command_type *type = gw_enet_type_of(first);
    if (!type || (first & GW_ENET_ACKNOWLEDGE_FLAG && !has_sent_time))
        return 0;
    switch (first & GW_ENET_NUMBER_MASK) {
    case GW_ENET_CONNECT:
        return CONNECT_1_2;
    case GW_ENET_VERIFY_CONNECT:
        return VERIFY_CONNECT_1_2;
    case GW_ENET_SEND_UNRELIABLE_FRAGMENT:
        return 0;
    default:
        return type->size;
    }
}

/* The bytes of the command at `at` with its payload; 0 if its channel is wrong. */
static uint32_t length_1_2(const uint8_t *at, uint32_t size)
{
    const gw_enet_command_type *type = gw_enet_type_of(*at);
    if (*at != GW_ENET_ACKNOWLEDGE && (at[1] == GW_ENET_CONNECTION_CHANNEL) == type->on_channel)
        return 0;
    return size + (type->has_payload ? gw_be16(at + gw_enet_length_at(type)) : 0U);
}

static bool has_commands_1_2(const uint8_t *bytes, uint32_t at, uint32_t captured, uint32_t length, bool has_sent_time)
{
    uint32_t begin = at;
    while (at < captured) {
        uint32_t size = size_1_2(bytes[at], has_sent_time);
        if (!size || size > length - at)
            return false;
        if (size > captured - at)
            return at > begin;
        uint32_t whole = length_1_2(bytes + at, size);
        if (!whole || whole > length - at)
            return false;
        at += whole;
    }
    return at > begin;
}

bool gw_enet_is_1_2(const uint8_t *bytes, uint32_t captured, uint32_t length)
{
    if (captured <= HEADER_1_2)
        return false;
    bool has_sent_time = bytes[PEER_AT_1_2] & 0x80;
    uint32_t at = HEADER_1_2 + (has_sent_time ? SENT_TIME_1_2 : 0);
    uint32_t peer = gw_be16(bytes + PEER_AT_1_2) & NO_PEER_1_2;
    if (peer != NO_PEER_1_2 && peer >= MOST_PEERS_1_2)
        return false;
    return has_commands_1_2(bytes, at, captured, length, has_sent_time);
}

/* ---- ENet 1.0 and Photon --------------------------------------------------------------------------------- */

static bool is_1_0(const uint8_t *bytes, uint32_t captured, uint32_t length)
{
    if (captured < HEADER_1_0 + COMMAND_HEADER_1_0)
        return false;
    uint8_t flags = bytes[FLAGS_AT_1_0];
    uint32_t at = HEADER_1_0 + (flags == CHECKSUM_1_0 ? GW_ENET_CHECKSUM_SIZE : 0);
    if (!bytes[COUNT_AT_1_0] || (flags && flags != CHECKSUM_1_0))
        return false;
    for (uint32_t left = bytes[COUNT_AT_1_0]; left; left--) {
        if (at >= captured || captured - at < COMMAND_HEADER_1_0)
            return captured < length && left < bytes[COUNT_AT_1_0];
        uint32_t whole = gw_be32(bytes + at + LENGTH_AT_1_0);
        if (!bytes[at] || bytes[at] > LAST_COMMAND_1_0 || whole < COMMAND_HEADER_1_0 || whole > length - at)
            return false;
        at += whole;
    }
    return at == length;
}

/* ---- all of them ----------------------------------------------------------------------------------------- */

gw_enet_version gw_enet_version_of(const uint8_t *bytes, size_t captured, size_t wire_length)
{
    if (wire_length > GW_ENET_LARGEST_MTU || captured > wire_length)
        return GW_ENET_VERSION_UNKNOWN;
    uint32_t have = (uint32_t)captured, length = (uint32_t)wire_length;
    if (is_1_0(bytes, have, length))
        return GW_ENET_VERSION_1_0;
    return gw_enet_is_1_2(bytes, have, length) ? GW_ENET_VERSION_1_2 : GW_ENET_VERSION_UNKNOWN;
}

const char *gw_enet_version_text(gw_enet_version version)
{
    switch (version) {
    case GW_ENET_VERSION_1_0:
        return "ENet 1.0 or Photon";
    case GW_ENET_VERSION_1_2:
        return "ENet 1.1 or 1.2";
    default:
        return "unknown";
    }
}
