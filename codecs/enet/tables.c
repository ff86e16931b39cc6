/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * ENet's fields, commands and formats as data, and the rules of their fields.
 */
#include "tables.h"

/* ---- fields and commands -------------------------------------------------------------------------------- */

/* clang-format off */
#define U8(name)  { GW_ENET_ROLE_##name, 1 }
#define U16(name) { GW_ENET_ROLE_##name, 2 }
#define U32(name) { GW_ENET_ROLE_##name, 4 }
#define PAYLOAD   { GW_ENET_ROLE_PAYLOAD, 0 }
#define CHECKSUM  { GW_ENET_ROLE_CHECKSUM, 0 }
/* clang-format on */

/* All commands begin with these fields. */
#define HEADER U8(TYPE), U8(CHANNEL), U16(SEQUENCE)

#define ACK         GW_ENET_ACKNOWLEDGE_FLAG
#define UNSEQUENCED GW_ENET_UNSEQUENCED_FLAG

#define LIMITS \
    U32(WINDOW), U32(CHANNEL_COUNT), U32(INCOMING_BANDWIDTH), U32(OUTGOING_BANDWIDTH), U32(THROTTLE_INTERVAL), \
        U32(THROTTLE_ACCELERATION), U32(THROTTLE_DECELERATION)

#define CONNECT_FIELDS U16(OUTGOING_PEER), U8(INCOMING_SESSION), U8(OUTGOING_SESSION), U32(MTU), LIMITS, U32(CONNECT_ID)

#define FRAGMENT_FIELDS \
    U16(START_SEQUENCE), U16(LENGTH), U32(FRAGMENT_COUNT), U32(FRAGMENT_NUMBER), U32(TOTAL_LENGTH), \
        U32(FRAGMENT_OFFSET), PAYLOAD

/* clang-format off */
/* Name; flags, other flags; size, on a channel, has a payload; fields. */
const gw_enet_command_type gw_enet_commands[GW_ENET_COMMANDS] = {
    [GW_ENET_ACKNOWLEDGE] = { "Ack", 0, 0, 8, false, false, { HEADER, U16(ACKED_SEQUENCE), U16(ACKED_SENT_TIME) } },
    [GW_ENET_CONNECT] = { "Connect", ACK, ACK, GW_ENET_CONNECT_SIZE, false, false,
                          { HEADER, CONNECT_FIELDS, U32(DATA) } },
    [GW_ENET_VERIFY_CONNECT] = { "Verify connect", ACK, ACK, 44, false, false, { HEADER, CONNECT_FIELDS } },
    /* Polite and immediate. */
    [GW_ENET_DISCONNECT] = { "Disconnect", ACK, UNSEQUENCED, 8, false, false, { HEADER, U32(DATA) } },
    [GW_ENET_PING] = { "Ping", ACK, ACK, 4, false, false, { HEADER } },
    [GW_ENET_SEND_RELIABLE] = { "Reliable", ACK, ACK, 6, true, true, { HEADER, U16(LENGTH), PAYLOAD } },
    [GW_ENET_SEND_UNRELIABLE] = { "Unreliable", 0, 0, 8, true, true,
                                  { HEADER, U16(UNRELIABLE_SEQUENCE), U16(LENGTH), PAYLOAD } },
    [GW_ENET_SEND_FRAGMENT] = { "Fragment", ACK, ACK, 24, true, true, { HEADER, FRAGMENT_FIELDS } },
    [GW_ENET_SEND_UNSEQUENCED] = { "Unsequenced", UNSEQUENCED, UNSEQUENCED, 8, true, true,
                                   { HEADER, U16(GROUP), U16(LENGTH), PAYLOAD } },
    [GW_ENET_BANDWIDTH_LIMIT] = { "Bandwidth limit", ACK, ACK, 12, false, false,
                                  { HEADER, U32(INCOMING_BANDWIDTH), U32(OUTGOING_BANDWIDTH) } },
    [GW_ENET_THROTTLE_CONFIGURE] = { "Throttle", ACK, ACK, 16, false, false,
                                     { HEADER, U32(THROTTLE_INTERVAL), U32(THROTTLE_ACCELERATION),
                                       U32(THROTTLE_DECELERATION) } },
    [GW_ENET_SEND_UNRELIABLE_FRAGMENT] = { "Unreliable fragment", 0, 0, 24, true, true, { HEADER, FRAGMENT_FIELDS } },
};
/* clang-format on */

/* clang-format off */
const bool gw_enet_types[UINT8_MAX + 1] = {
    [GW_ENET_ACKNOWLEDGE] = true, [GW_ENET_CONNECT | ACK] = true, [GW_ENET_VERIFY_CONNECT | ACK] = true,
    [GW_ENET_DISCONNECT | ACK] = true, [GW_ENET_DISCONNECT | UNSEQUENCED] = true, [GW_ENET_PING | ACK] = true,
    [GW_ENET_SEND_RELIABLE | ACK] = true, [GW_ENET_SEND_UNRELIABLE] = true, [GW_ENET_SEND_FRAGMENT | ACK] = true,
    [GW_ENET_SEND_UNSEQUENCED | UNSEQUENCED] = true, [GW_ENET_BANDWIDTH_LIMIT | ACK] = true,
    [GW_ENET_THROTTLE_CONFIGURE | ACK] = true, [GW_ENET_SEND_UNRELIABLE_FRAGMENT] = true,
};
/* clang-format on */

/* ENet 1.2: a session in place of sessions and a connect id, which VERIFY_CONNECT lacks, and no data. */
/* clang-format off */
static const gw_enet_command_type connect_1_2 = {
    "Connect", ACK, ACK, GW_ENET_CONNECT_1_2, false, false,
    { HEADER, U16(OUTGOING_PEER), U16(MTU), LIMITS, U32(CONNECT_ID) }
};
static const gw_enet_command_type verify_connect_1_2 = {
    "Verify connect", ACK, ACK, 36, false, false, { HEADER, U16(OUTGOING_PEER), U16(MTU), LIMITS }
};

/* The same with one byte for the peer and the session. */
static const gw_enet_command_type connect_league = {
    "Connect", ACK, ACK, GW_ENET_CONNECT_1_2, false, false,
    { HEADER, U8(OUTGOING_PEER), U8(UNUSED), U16(MTU), LIMITS, U8(CONNECT_ID), { GW_ENET_ROLE_UNUSED_END, 3 } }
};
static const gw_enet_command_type verify_connect_league = {
    "Verify connect", ACK, ACK, 36, false, false, { HEADER, U8(OUTGOING_PEER), U8(UNUSED), U16(MTU), LIMITS }
};
/* clang-format on */

/* The type of the command with this number in ENet 1.3; NULL if there is none. GW_ENET_NO_COMMAND has an empty row. */
const gw_enet_command_type *gw_enet_command_of(uint32_t number)
{
    return number < GW_ENET_COMMANDS && gw_enet_commands[number].size ? &gw_enet_commands[number] : NULL;
}

/* The type of the command with this number in a format; NULL if there is none. Only CONNECT and VERIFY_CONNECT have
 * other fields than in ENet 1.3; older formats lack the last commands. */
const gw_enet_command_type *gw_enet_command_in(const gw_enet_format *format, uint32_t number)
{
    switch (number) {
    case GW_ENET_CONNECT:
        return format->connect;
    case GW_ENET_VERIFY_CONNECT:
        return format->verify_connect;
    default:
        return number <= format->last_command ? gw_enet_command_of(number) : NULL;
    }
}

/* The big-endian number in the `size` bytes, 1 to 4, at `at`. */
uint32_t gw_enet_number_at(const uint8_t *at, uint8_t size)
{
    switch (size) {
    case 1:
        return *at;
    case 2:
        return gw_be16(at);
    case 3:
        return (uint32_t)gw_be16(at) << 8 | at[2];
    default:
        return gw_be32(at);
    }
}

/* ---- formats -------------------------------------------------------------------------------------------- */

#define BITS_OF_1_3 \
    .peer_mask = 0x0FFF, .session_mask = 0x3000, .sent_time_bit = 0x8000, .compressed_bit = 0x4000, .no_peer = 0x0FFF
#define COMMANDS_OF_1_3 \
    .last_command = GW_ENET_SEND_UNRELIABLE_FRAGMENT, .connect = &gw_enet_commands[GW_ENET_CONNECT], \
    .verify_connect = &gw_enet_commands[GW_ENET_VERIFY_CONNECT]
#define CRC_32 .checksum = GW_ENET_CRC_32, .checksum_size = 4

#define BITS_OF_LEAGUE .peer_mask = 0x007F, .session_mask = 0xFF00, .sent_time_bit = 0x0080, .no_peer = 0x007F
#define COMMANDS_OF_LEAGUE \
    .last_command = GW_ENET_THROTTLE_CONFIGURE, .connect = &connect_league, .verify_connect = &verify_connect_league, \
    .session_in_connect = true, .acks_unnumbered = true

/* A format is a row here, a capture and a test: nothing else depends on how many there are. Sources: the headers of
 * each library (include/enet/protocol.h, enet.h, LENet's Version.cs and ProtocolHeader.cs) and, for all but
 * League of Legends, bytes of its hosts. */
const gw_enet_format gw_enet_formats[GW_ENET_FORMATS] = {
    [GW_ENET_1_3] = { "ENet 1.3", "1.3", .header = { U16(WORD), U16(SENT_TIME), CHECKSUM }, BITS_OF_1_3, CRC_32,
                      COMMANDS_OF_1_3, .reply = GW_ENET_1_3 },
    /* nxrighthere and SoftwareGuy: no compression, whose bit shows the sent time. */
    [GW_ENET_CSHARP] = { "ENet-CSharp", "csharp", .header = { U16(WORD), U16(SENT_TIME), CHECKSUM },
                         .peer_mask = 0x0FFF, .session_mask = 0x3000, .sent_time_bit = 0x4000, .no_peer = 0x0FFF,
                         .checksum = GW_ENET_CRC_64, .checksum_size = 8, COMMANDS_OF_1_3, .reply = GW_ENET_CSHARP },
    /* Only from the client, unless the server is set otherwise. */
    [GW_ENET_GROWTOPIA] = { "Growtopia", "growtopia",
                            .header = { U16(PORT_KEY), U16(MASKED_PORT), U16(NONCE), U16(WORD), U16(SENT_TIME),
                                        CHECKSUM },
                            BITS_OF_1_3, CRC_32, COMMANDS_OF_1_3, .reply = GW_ENET_1_3 },
    [GW_ENET_1_2] = { "ENet 1.1 or 1.2", "1.2", .header = { U32(SESSION_ID), CHECKSUM, U16(WORD), U16(SENT_TIME) },
                      .peer_mask = 0x7FFF, .sent_time_bit = 0x8000, .no_peer = 0x7FFF, .likely_peers = 1024, CRC_32,
                      .session_in_connect = true, .acks_unnumbered = true, .last_command = GW_ENET_THROTTLE_CONFIGURE,
                      .connect = &connect_1_2, .verify_connect = &verify_connect_1_2, .reply = GW_ENET_1_2 },
    [GW_ENET_LEAGUE_3] = { "League of Legends, seasons 3 and 4", "league_3", .header = { U16(WORD), U16(SENT_TIME) },
                           BITS_OF_LEAGUE, COMMANDS_OF_LEAGUE, .reply = GW_ENET_LEAGUE_3 },
    [GW_ENET_LEAGUE_4_20] = { "League of Legends, patch 4.20", "league_4_20",
                              .header = { CHECKSUM, U16(WORD), U16(SENT_TIME) }, BITS_OF_LEAGUE,
                              .checksum = GW_ENET_CHECKSUM_UNKNOWN, .checksum_size = 4, .checksum_always = true,
                              COMMANDS_OF_LEAGUE, .reply = GW_ENET_LEAGUE_4_20 },
    [GW_ENET_LEAGUE_8_CLIENT] = { "League of Legends, season 8, from the client", "league_8_client",
                                  .header = { CHECKSUM, U16(WORD), U16(SENT_TIME) }, BITS_OF_LEAGUE,
                                  .checksum = GW_ENET_CHECKSUM_UNKNOWN, .checksum_size = 8, .checksum_always = true,
                                  COMMANDS_OF_LEAGUE, .reply = GW_ENET_LEAGUE_8_SERVER },
    [GW_ENET_LEAGUE_8_SERVER] = { "League of Legends, season 8, from the server", "league_8_server",
                                  .header = { U16(WORD), U16(SENT_TIME) }, BITS_OF_LEAGUE, COMMANDS_OF_LEAGUE,
                                  .reply = GW_ENET_LEAGUE_8_SERVER },
    /* zpl-c/enet with ENET_USE_MORE_PEERS. */
    [GW_ENET_MORE_PEERS] = { "zpl-c with more peers", "more_peers",
                             .header = { U16(WORD), U16(SENT_TIME), U8(PEER_HIGH), CHECKSUM }, .peer_mask = 0x07FF,
                             .session_mask = 0x1800, .sent_time_bit = 0x8000, .compressed_bit = 0x4000,
                             .peer_high_bit = 0x2000, .no_peer = 0xFFFF, CRC_32, COMMANDS_OF_1_3,
                             .reply = GW_ENET_MORE_PEERS },
    [GW_ENET_6] = { "enet6 with encryption", "enet6", .header = { U16(WORD), U16(SENT_TIME), U16(EXTENDED), CHECKSUM },
                    BITS_OF_1_3, .encrypted_bit = 0x0010, CRC_32, COMMANDS_OF_1_3, .reply = GW_ENET_6 },
};

/* ---- rules ---------------------------------------------------------------------------------------------- */

/* The oddities of a command's first byte, which has its number and flags: flags that no sender sets for it; a requested
 * acknowledgement, which needs the sent time of the datagram's header; and a header that has no peer, or has one for a
 * CONNECT: only a CONNECT is sent before the receiver has assigned a peer id. */
static uint32_t odd_type(const gw_enet_command *command, const gw_enet_header *header)
{
    const gw_enet_command_type *type = command->type;
    bool is_connect = command->number == GW_ENET_CONNECT;
    uint32_t odd = 0;
    if (command->flags != type->flags && command->flags != type->other_flags)
        odd |= GW_ENET_ODD_FLAGS;
    if (command->flags & GW_ENET_ACKNOWLEDGE_FLAG && !header->has_sent_time)
        odd |= GW_ENET_ODD_NO_SENT_TIME;
    if (!header->has_peer && !is_connect)
        odd |= GW_ENET_ODD_NO_PEER;
    if (header->has_peer && is_connect)
        odd |= GW_ENET_ODD_CONNECTED;
    return odd;
}

/* The oddities of a fragment's number, total length or offset, by `role`: each is compared with the fields before it,
 * which have been read. */
static uint32_t odd_fragment(const gw_enet_command *command, uint8_t role)
{
    const uint32_t *values = command->values;
    uint32_t length = values[GW_ENET_ROLE_LENGTH], total = values[GW_ENET_ROLE_TOTAL_LENGTH];
    uint32_t number = values[GW_ENET_ROLE_FRAGMENT_NUMBER], count = values[GW_ENET_ROLE_FRAGMENT_COUNT];
    uint32_t offset = values[GW_ENET_ROLE_FRAGMENT_OFFSET], odd = 0;
    bool is_reliable = command->number == GW_ENET_SEND_FRAGMENT;
    switch (role) {
    case GW_ENET_ROLE_FRAGMENT_NUMBER:
        if (number >= count)
            odd |= GW_ENET_ODD_FRAGMENT_NUMBER;
        /* Reliable fragments have consecutive sequence numbers, of 16 bits, from the start number on. */
        if (is_reliable && (uint16_t)(values[GW_ENET_ROLE_SEQUENCE] - values[GW_ENET_ROLE_START_SEQUENCE] - number))
            odd |= GW_ENET_ODD_FRAGMENT_SEQUENCE;
        return odd;
    case GW_ENET_ROLE_TOTAL_LENGTH:
        if (total > GW_ENET_LARGEST_MESSAGE)
            return GW_ENET_ODD_TOTAL_LENGTH;
        /* Each fragment has at least one byte. */
        return total < count ? GW_ENET_ODD_TOTAL_TOO_SHORT : 0;
    default: /* GW_ENET_ROLE_FRAGMENT_OFFSET, the last field: all others have been read */
        if (offset >= total)
            return GW_ENET_ODD_FRAGMENT_OFFSET;
        if (length > total - offset)
            odd |= GW_ENET_ODD_FRAGMENT_END;
        if (is_reliable && !length)
            odd |= GW_ENET_ODD_FRAGMENT_EMPTY;
        return odd;
    }
}

/* `odd` if the number is not in `least` to `most`, else 0. */
static uint32_t outside(uint32_t number, uint32_t least, uint32_t most, uint32_t odd)
{
    return number < least || number > most ? odd : 0;
}

/* The oddities of the command's field with this role: a value that senders of the format do not write, or that does not
 * agree with the datagram's header or the fields before it. Those fields, and this one, are in command->values. */
uint32_t gw_enet_odd_of(const gw_enet_format *format, const gw_enet_command *command, const gw_enet_header *header,
                        uint8_t role)
{
    uint32_t number = command->values[role];
    bool is_connection_channel;
    switch (role) {
    case GW_ENET_ROLE_TYPE:
        return odd_type(command, header);
    case GW_ENET_ROLE_CHANNEL:
        is_connection_channel = number == GW_ENET_CONNECTION_CHANNEL;
        /* Only messages (`on_channel`) are sent on a channel of the application, commands about the connection on 0xFF.
         * An acknowledgement has the channel of the command that it acknowledges: any. */
        if (command->number == GW_ENET_ACKNOWLEDGE || is_connection_channel != command->type->on_channel)
            return 0;
        return is_connection_channel ? GW_ENET_ODD_CHANNEL : GW_ENET_ODD_CONNECTION_CHANNEL;
    case GW_ENET_ROLE_SEQUENCE:
        return command->number == GW_ENET_SEND_UNSEQUENCED && number ? GW_ENET_ODD_UNSEQUENCED : 0;
    case GW_ENET_ROLE_ACKED_SEQUENCE:
        return number != command->values[GW_ENET_ROLE_SEQUENCE] && !format->acks_unnumbered ? GW_ENET_ODD_ACKED_SEQUENCE
                                                                                            : 0;
    case GW_ENET_ROLE_OUTGOING_PEER:
        return outside(number, 0, format->no_peer - 1U, GW_ENET_ODD_OUTGOING_PEER);
    case GW_ENET_ROLE_INCOMING_SESSION:
    case GW_ENET_ROLE_OUTGOING_SESSION:
        return number >= GW_ENET_MOST_SESSIONS && number != GW_ENET_NO_SESSION ? GW_ENET_ODD_SESSION : 0;
    case GW_ENET_ROLE_MTU:
        return outside(number, GW_ENET_SMALLEST_MTU, GW_ENET_LARGEST_MTU, GW_ENET_ODD_MTU);
    case GW_ENET_ROLE_WINDOW:
        return outside(number, GW_ENET_SMALLEST_WINDOW, GW_ENET_LARGEST_WINDOW, GW_ENET_ODD_WINDOW);
    case GW_ENET_ROLE_CHANNEL_COUNT:
        return outside(number, 1, GW_ENET_MOST_CHANNELS, GW_ENET_ODD_CHANNEL_COUNT);
    case GW_ENET_ROLE_FRAGMENT_COUNT:
        return outside(number, 1, GW_ENET_MOST_FRAGMENTS, GW_ENET_ODD_FRAGMENT_COUNT);
    case GW_ENET_ROLE_FRAGMENT_NUMBER:
    case GW_ENET_ROLE_TOTAL_LENGTH:
    case GW_ENET_ROLE_FRAGMENT_OFFSET:
        return odd_fragment(command, role);
    default:
        return 0;
    }
}
