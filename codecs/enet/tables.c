/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * ENet's commands and fields as data, and what their rules are.
 */
#include "tables.h"

/* ---- fields and commands -------------------------------------------------------------------------------- */

const gw_enet_field_type gw_enet_fields[GW_ENET_ROLES] = {
    [GW_ENET_ROLE_NONE] = { "", 0 },
    [GW_ENET_ROLE_COMMAND] = { "Command", 0 },
    [GW_ENET_ROLE_COMPRESSED] = { "Compressed commands", 0 },
    [GW_ENET_ROLE_PADDING] = { "Padding", 0 },
    [GW_ENET_ROLE_HEADER] = { "Header", 2 },
    [GW_ENET_ROLE_SENT_TIME] = { "Sent time", 2 },
    [GW_ENET_ROLE_CHECKSUM] = { "Checksum", 4 },
    [GW_ENET_ROLE_TYPE] = { "Type", 1 },
    [GW_ENET_ROLE_CHANNEL] = { "Channel", 1 },
    [GW_ENET_ROLE_SEQUENCE] = { "Reliable sequence number", 2 },
    [GW_ENET_ROLE_ACKED_SEQUENCE] = { "Acknowledged sequence number", 2 },
    [GW_ENET_ROLE_ACKED_SENT_TIME] = { "Acknowledged sent time", 2 },
    [GW_ENET_ROLE_OUTGOING_PEER] = { "Outgoing peer", 2 },
    [GW_ENET_ROLE_INCOMING_SESSION] = { "Incoming session", 1 },
    [GW_ENET_ROLE_OUTGOING_SESSION] = { "Outgoing session", 1 },
    [GW_ENET_ROLE_MTU] = { "MTU", 4 },
    [GW_ENET_ROLE_WINDOW] = { "Window size", 4 },
    [GW_ENET_ROLE_CHANNEL_COUNT] = { "Channels", 4 },
    [GW_ENET_ROLE_INCOMING_BANDWIDTH] = { "Incoming bandwidth", 4 },
    [GW_ENET_ROLE_OUTGOING_BANDWIDTH] = { "Outgoing bandwidth", 4 },
    [GW_ENET_ROLE_THROTTLE_INTERVAL] = { "Throttle interval", 4 },
    [GW_ENET_ROLE_THROTTLE_ACCELERATION] = { "Throttle acceleration", 4 },
    [GW_ENET_ROLE_THROTTLE_DECELERATION] = { "Throttle deceleration", 4 },
    [GW_ENET_ROLE_CONNECT_ID] = { "Connect ID", 4 },
    [GW_ENET_ROLE_DATA] = { "Data", 4 },
    [GW_ENET_ROLE_UNRELIABLE_SEQUENCE] = { "Unreliable sequence number", 2 },
    [GW_ENET_ROLE_GROUP] = { "Unsequenced group", 2 },
    [GW_ENET_ROLE_START_SEQUENCE] = { "Start sequence number", 2 },
    [GW_ENET_ROLE_LENGTH] = { "Length", 2 },
    [GW_ENET_ROLE_FRAGMENT_COUNT] = { "Fragment count", 4 },
    [GW_ENET_ROLE_FRAGMENT_NUMBER] = { "Fragment number", 4 },
    [GW_ENET_ROLE_TOTAL_LENGTH] = { "Total length", 4 },
    [GW_ENET_ROLE_FRAGMENT_OFFSET] = { "Fragment offset", 4 },
    [GW_ENET_ROLE_PAYLOAD] = { "Payload", 0 },
};

const gw_enet_field_type *gw_enet_field_of(gw_enet_role role)
{
    return &gw_enet_fields[role];
}

const uint8_t gw_enet_command_header[] = { GW_ENET_ROLE_TYPE, GW_ENET_ROLE_CHANNEL, GW_ENET_ROLE_SEQUENCE,
                                           GW_ENET_ROLE_NONE };

#define ACK         GW_ENET_ACKNOWLEDGE_FLAG
#define UNSEQUENCED GW_ENET_UNSEQUENCED_FLAG

#define CONNECT_FIELDS \
    GW_ENET_ROLE_OUTGOING_PEER, GW_ENET_ROLE_INCOMING_SESSION, GW_ENET_ROLE_OUTGOING_SESSION, GW_ENET_ROLE_MTU, \
        GW_ENET_ROLE_WINDOW, GW_ENET_ROLE_CHANNEL_COUNT, GW_ENET_ROLE_INCOMING_BANDWIDTH, \
        GW_ENET_ROLE_OUTGOING_BANDWIDTH, GW_ENET_ROLE_THROTTLE_INTERVAL, GW_ENET_ROLE_THROTTLE_ACCELERATION, \
        GW_ENET_ROLE_THROTTLE_DECELERATION, GW_ENET_ROLE_CONNECT_ID

#define FRAGMENT_FIELDS \
    GW_ENET_ROLE_START_SEQUENCE, GW_ENET_ROLE_LENGTH, GW_ENET_ROLE_FRAGMENT_COUNT, GW_ENET_ROLE_FRAGMENT_NUMBER, \
        GW_ENET_ROLE_TOTAL_LENGTH, GW_ENET_ROLE_FRAGMENT_OFFSET, GW_ENET_ROLE_PAYLOAD

/* Name; flags, other flags; size, on a channel, has a payload; fields. */
const gw_enet_command_type gw_enet_commands[GW_ENET_COMMANDS] = {
    [GW_ENET_ACKNOWLEDGE] = { "Ack",
                              0,
                              0,
                              8,
                              false,
                              false,
                              { GW_ENET_ROLE_ACKED_SEQUENCE, GW_ENET_ROLE_ACKED_SENT_TIME } },
    [GW_ENET_CONNECT] = { "Connect", ACK, ACK, 48, false, false, { CONNECT_FIELDS, GW_ENET_ROLE_DATA } },
    [GW_ENET_VERIFY_CONNECT] = { "Verify connect", ACK, ACK, 44, false, false, { CONNECT_FIELDS } },
    /* Polite and immediate. */
    [GW_ENET_DISCONNECT] = { "Disconnect", ACK, UNSEQUENCED, 8, false, false, { GW_ENET_ROLE_DATA } },
    [GW_ENET_PING] = { "Ping", ACK, ACK, 4, false, false, { GW_ENET_ROLE_NONE } },
    [GW_ENET_SEND_RELIABLE] = { "Reliable", ACK, ACK, 6, true, true, { GW_ENET_ROLE_LENGTH, GW_ENET_ROLE_PAYLOAD } },
    [GW_ENET_SEND_UNRELIABLE] = { "Unreliable",
                                  0,
                                  0,
                                  8,
                                  true,
                                  true,
                                  { GW_ENET_ROLE_UNRELIABLE_SEQUENCE, GW_ENET_ROLE_LENGTH, GW_ENET_ROLE_PAYLOAD } },
    [GW_ENET_SEND_FRAGMENT] = { "Fragment", ACK, ACK, 24, true, true, { FRAGMENT_FIELDS } },
    [GW_ENET_SEND_UNSEQUENCED] = { "Unsequenced",
                                   UNSEQUENCED,
                                   UNSEQUENCED,
                                   8,
                                   true,
                                   true,
                                   { GW_ENET_ROLE_GROUP, GW_ENET_ROLE_LENGTH, GW_ENET_ROLE_PAYLOAD } },
    [GW_ENET_BANDWIDTH_LIMIT] = { "Bandwidth limit",
                                  ACK,
                                  ACK,
                                  12,
                                  false,
                                  false,
                                  { GW_ENET_ROLE_INCOMING_BANDWIDTH, GW_ENET_ROLE_OUTGOING_BANDWIDTH } },
    [GW_ENET_THROTTLE_CONFIGURE] = { "Throttle",
                                     ACK,
                                     ACK,
                                     16,
                                     false,
                                     false,
                                     { GW_ENET_ROLE_THROTTLE_INTERVAL, GW_ENET_ROLE_THROTTLE_ACCELERATION,
                                       GW_ENET_ROLE_THROTTLE_DECELERATION } },
    [GW_ENET_SEND_UNRELIABLE_FRAGMENT] = { "Unreliable fragment", 0, 0, 24, true, true, { FRAGMENT_FIELDS } },
};

const gw_enet_command_type *gw_enet_command_of(uint32_t number)
{
    return number < GW_ENET_COMMANDS && gw_enet_commands[number].size ? &gw_enet_commands[number] : NULL;
}

uint32_t gw_enet_number_at(const uint8_t *at, uint8_t size)
{
    switch (size) {
    case 1:
        return *at;
    case 2:
        return gw_be16(at);
    default:
        return gw_be32(at);
    }
}

/* ---- rules ---------------------------------------------------------------------------------------------- */

static uint32_t odd_type(const gw_enet_command *command, uint16_t header)
{
    const gw_enet_command_type *type = command->type;
    bool unconnected = gw_enet_peer_of(header) == GW_ENET_NO_PEER;
    bool connects = command->number == GW_ENET_CONNECT;
    uint32_t odd = 0;
    if (command->flags != type->flags && command->flags != type->other_flags)
        odd |= GW_ENET_ODD_FLAGS;
    if (command->flags & GW_ENET_ACKNOWLEDGE_FLAG && !(header & GW_ENET_SENT_TIME_BIT))
        odd |= GW_ENET_ODD_NO_SENT_TIME;
    if (unconnected && !connects)
        odd |= GW_ENET_ODD_NO_PEER;
    if (!unconnected && connects)
        odd |= GW_ENET_ODD_CONNECTED;
    return odd;
}

static uint32_t odd_channel(const gw_enet_command *command)
{
    bool connection = command->values[GW_ENET_ROLE_CHANNEL] == GW_ENET_CONNECTION_CHANNEL;
    if (command->number == GW_ENET_ACKNOWLEDGE || connection != command->type->on_channel)
        return 0;
    return connection ? GW_ENET_ODD_CHANNEL : GW_ENET_ODD_CONNECTION_CHANNEL;
}

/* Of the last field of a fragment, when all its numbers are known. */
static uint32_t odd_fragment_end(const gw_enet_command *command)
{
    const uint32_t *values = command->values;
    bool reliable = command->number == GW_ENET_SEND_FRAGMENT;
    uint32_t odd = 0;
    if (values[GW_ENET_ROLE_FRAGMENT_OFFSET] >= values[GW_ENET_ROLE_TOTAL_LENGTH])
        return GW_ENET_ODD_FRAGMENT_OFFSET;
    if (values[GW_ENET_ROLE_LENGTH] > values[GW_ENET_ROLE_TOTAL_LENGTH] - values[GW_ENET_ROLE_FRAGMENT_OFFSET])
        odd |= GW_ENET_ODD_FRAGMENT_END;
    if (reliable && !values[GW_ENET_ROLE_LENGTH])
        odd |= GW_ENET_ODD_FRAGMENT_EMPTY;
    return odd;
}

static uint32_t odd_fragment_number(const gw_enet_command *command)
{
    const uint32_t *values = command->values;
    uint32_t ahead =
        values[GW_ENET_ROLE_SEQUENCE] - values[GW_ENET_ROLE_START_SEQUENCE] - values[GW_ENET_ROLE_FRAGMENT_NUMBER];
    uint32_t odd = 0;
    if (values[GW_ENET_ROLE_FRAGMENT_NUMBER] >= values[GW_ENET_ROLE_FRAGMENT_COUNT])
        odd |= GW_ENET_ODD_FRAGMENT_NUMBER;
    if (command->number == GW_ENET_SEND_FRAGMENT && (uint16_t)ahead)
        odd |= GW_ENET_ODD_FRAGMENT_SEQUENCE;
    return odd;
}

static uint32_t odd_total_length(const gw_enet_command *command)
{
    const uint32_t *values = command->values;
    if (values[GW_ENET_ROLE_TOTAL_LENGTH] > GW_ENET_LARGEST_MESSAGE)
        return GW_ENET_ODD_TOTAL_LENGTH;
    return values[GW_ENET_ROLE_TOTAL_LENGTH] < values[GW_ENET_ROLE_FRAGMENT_COUNT] ? GW_ENET_ODD_TOTAL_TOO_SHORT : 0;
}

static uint32_t outside(uint32_t number, uint32_t least, uint32_t most, uint32_t odd)
{
    return number < least || number > most ? odd : 0;
}

static uint32_t odd_session(uint32_t session)
{
    return session >= GW_ENET_MOST_SESSIONS && session != GW_ENET_NO_SESSION ? GW_ENET_ODD_SESSION : 0;
}

uint32_t gw_enet_odd_of(const gw_enet_command *command, uint16_t header, uint8_t field)
{
    uint32_t number = command->values[field];
    switch (field) {
    case GW_ENET_ROLE_TYPE:
        return odd_type(command, header);
    case GW_ENET_ROLE_CHANNEL:
        return odd_channel(command);
    case GW_ENET_ROLE_SEQUENCE:
        return command->number == GW_ENET_SEND_UNSEQUENCED && number ? GW_ENET_ODD_UNSEQUENCED : 0;
    case GW_ENET_ROLE_ACKED_SEQUENCE:
        return number != command->values[GW_ENET_ROLE_SEQUENCE] ? GW_ENET_ODD_ACKED_SEQUENCE : 0;
    case GW_ENET_ROLE_OUTGOING_PEER:
        return outside(number, 0, GW_ENET_NO_PEER - 1, GW_ENET_ODD_OUTGOING_PEER);
    case GW_ENET_ROLE_INCOMING_SESSION:
    case GW_ENET_ROLE_OUTGOING_SESSION:
        return odd_session(number);
    case GW_ENET_ROLE_MTU:
        return outside(number, GW_ENET_SMALLEST_MTU, GW_ENET_LARGEST_MTU, GW_ENET_ODD_MTU);
    case GW_ENET_ROLE_WINDOW:
        return outside(number, GW_ENET_SMALLEST_WINDOW, GW_ENET_LARGEST_WINDOW, GW_ENET_ODD_WINDOW);
    case GW_ENET_ROLE_CHANNEL_COUNT:
        return outside(number, 1, GW_ENET_MOST_CHANNELS, GW_ENET_ODD_CHANNEL_COUNT);
    case GW_ENET_ROLE_FRAGMENT_COUNT:
        return outside(number, 1, GW_ENET_MOST_FRAGMENTS, GW_ENET_ODD_FRAGMENT_COUNT);
    case GW_ENET_ROLE_FRAGMENT_NUMBER:
        return odd_fragment_number(command);
    case GW_ENET_ROLE_TOTAL_LENGTH:
        return odd_total_length(command);
    case GW_ENET_ROLE_FRAGMENT_OFFSET:
        return odd_fragment_end(command);
    default:
        return 0;
    }
}

bool gw_enet_is_padding(const gw_enet_options *options, const uint8_t *bytes, uint32_t offset, uint32_t length)
{
    return options->padded && length == GW_ENET_FASTLZ_PADDED && bytes[offset] == GW_ENET_NO_COMMAND;
}

bool gw_enet_all_zero(const uint8_t *bytes, uint32_t length)
{
    while (length && !bytes[length - 1])
        length--;
    return !length;
}
