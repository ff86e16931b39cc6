/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Is this a datagram of ENet? Each command must be one that a real sender writes, each payload must fit, and the last
 * command must end exactly with the datagram. What each test contributes, in bits that a structured payload of another
 * protocol (counters, lengths, records, zeros) would have to match by chance:
 *
 *   type byte        4  12 commands with the flags that they have, 13 of 256 values; 2 for those without flags, which
 *                       are small numbers, as records begin with
 *   channel 0xFF     6  where the command is about the connection
 *   sent time        2  once a datagram: present if and only if a command requests an acknowledgement
 *   repeated number  8  in Ack, unless 0, or the sent time has it too, as in a row of equal numbers
 *   exact end        4  of a command of fixed length; 10 where a length field leads to it
 *   fragments       12  reliable: its sequence number is start + number
 *                   12  the count, the offset and the total length agree with the fragment's own length
 *   Connect         64  no peer, sequence number, MTU, window and channels in range, session ids
 *   Verify connect  56  the same without the peer
 *   checksum        24  of a Connect, where the connect id is known to be 0. Others cannot be verified here: the
 *                       reading with checksums counts 4 less, since it has a second try
 *
 * Equal commands count once, as other protocols repeat records. Of the Acks of one number one counts, whatever their
 * channels and times are.
 *
 * Of a plain datagram of ENet 1.1 or 1.2, whose commands are nearly the same, the session id and the peer id may be
 * read as the header and the checksum: then, and for 2^-6 of the datagrams with a checksum, there are no bits.
 *
 * A datagram that breaks a rule is possible, as long as it can be read, but has no bits. What the capture cut is
 * weaker than its bits: the end, which is half of the proof, is seen only when the cut is in the last payload.
 */
#include "tables.h"

#include <string.h>

#define TYPE_BITS           4
#define SMALL_TYPE_BITS     2
#define CHANNEL_BITS        6
#define SENT_TIME_BITS      2
#define REPEATED_BITS       8
#define FIXED_END_BITS      4
#define COUNTED_END_BITS    10
#define FRAGMENT_BITS       12
#define CONNECT_BITS        64
#define VERIFY_CONNECT_BITS 56
#define CHECKSUM_BITS       24
#define SECOND_READING_BITS 4

/* The shortest command: a datagram that ends earlier after its header is not read. */
#define SMALLEST_COMMAND 4

struct view {
    const uint8_t *bytes;
    uint32_t captured;
    uint32_t length; /* on the wire */
    uint32_t offset;
    uint16_t header;
    bool padded;
};

struct evidence {
    uint32_t bits;
    uint32_t commands;
    uint32_t hash; /* of the commands that were counted */
    uint32_t counted;
    gw_span spans[GW_ENET_MOST_COMMANDS]; /* of the counted bytes: equal commands are counted once */
    bool wants_ack;
    bool odd;
    bool connect; /* the first command is CONNECT */
};

/* ---- one command ---------------------------------------------------------------------------------------- */

static uint32_t type_bits(const gw_enet_command *command)
{
    return command->flags ? TYPE_BITS : SMALL_TYPE_BITS;
}

/* All fragments except the last have the same length, from which offset and count follow. */
static uint32_t fragment_bits(const uint32_t *values)
{
    uint32_t length = values[GW_ENET_ROLE_LENGTH], total = values[GW_ENET_ROLE_TOTAL_LENGTH];
    uint32_t number = values[GW_ENET_ROLE_FRAGMENT_NUMBER], count = values[GW_ENET_ROLE_FRAGMENT_COUNT];
    if (!length || count < 2)
        return 0;
    if (number + 1 < count)
        return values[GW_ENET_ROLE_FRAGMENT_OFFSET] == (uint64_t)number * length &&
                       (total + length - 1) / length == count
                   ? FRAGMENT_BITS
                   : 0;
    return values[GW_ENET_ROLE_FRAGMENT_OFFSET] + length == total && values[GW_ENET_ROLE_FRAGMENT_OFFSET] % number == 0
               ? FRAGMENT_BITS
               : 0;
}

/* The number of an Ack, which is in its header and in its fields. */
static bool is_repeated(const uint32_t *values)
{
    return values[GW_ENET_ROLE_ACKED_SEQUENCE] &&
           values[GW_ENET_ROLE_ACKED_SEQUENCE] != values[GW_ENET_ROLE_ACKED_SENT_TIME];
}

static uint32_t command_bits(const gw_enet_command *command)
{
    const uint32_t *values = command->values;
    uint32_t bits = type_bits(command);
    switch (command->number) {
    case GW_ENET_CONNECT:
        return CONNECT_BITS;
    case GW_ENET_VERIFY_CONNECT:
        return VERIFY_CONNECT_BITS;
    case GW_ENET_ACKNOWLEDGE:
        return bits + (is_repeated(values) ? REPEATED_BITS : 0);
    case GW_ENET_SEND_FRAGMENT:
        return bits + FRAGMENT_BITS + fragment_bits(values);
    case GW_ENET_SEND_UNRELIABLE_FRAGMENT:
        return bits + fragment_bits(values);
    case GW_ENET_SEND_RELIABLE:
    case GW_ENET_SEND_UNRELIABLE:
    case GW_ENET_SEND_UNSEQUENCED:
        return bits;
    default:
        return bits + CHANNEL_BITS;
    }
}

/* Reads the command at view->offset, all of whose fields are captured. False when its type is unknown. */
static uint32_t read_command(const struct view *view, gw_enet_command *command)
{
    const uint8_t *at = view->bytes + view->offset;
    uint32_t odd = 0;
    const uint8_t *lists[] = { gw_enet_command_header, command->type->fields };
    for (int i = 0; i < 2; i++)
        for (const uint8_t *field = lists[i]; *field && *field != GW_ENET_ROLE_PAYLOAD; field++) {
            uint8_t size = gw_enet_fields[*field].size;
            command->values[*field] = gw_enet_number_at(at, size);
            odd |= gw_enet_odd_of(command, view->header, *field);
            at += size;
        }
    return odd;
}

static uint32_t end_bits(const gw_enet_command *command)
{
    return command->values[GW_ENET_ROLE_LENGTH] ? COUNTED_END_BITS : FIXED_END_BITS;
}

/* The bytes by which a command is compared with earlier ones: all its fields and its payload; for an Ack its number. */
static gw_span identity_of(const struct view *view, const gw_enet_command *command)
{
    uint32_t whole = command->type->size + command->values[GW_ENET_ROLE_LENGTH];
    if (command->number == GW_ENET_ACKNOWLEDGE)
        return (gw_span){ view->offset + GW_ENET_COMMAND_HEADER, sizeof(uint16_t) };
    uint32_t left = view->captured - view->offset;
    return (gw_span){ view->offset, whole < left ? whole : left };
}

static bool was_counted(const struct view *view, const struct evidence *evidence, gw_span identity)
{
    for (uint32_t i = 0; i < evidence->counted; i++)
        if (evidence->spans[i].length == identity.length &&
            !memcmp(view->bytes + evidence->spans[i].offset, view->bytes + identity.offset, identity.length))
            return true;
    return false;
}

/* FNV-1a of the fields only: a retransmission with another payload has the same hash. */
static uint32_t hash_on(uint32_t hash, const uint8_t *bytes, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++)
        hash = (hash ^ bytes[i]) * UINT32_C(0x01000193);
    return hash;
}

/* Adds the command's bits, unless an equal one was counted. */
static void count_command(const struct view *view, const gw_enet_command *command, struct evidence *evidence)
{
    gw_span identity = identity_of(view, command);
    if (evidence->counted == GW_ENET_MOST_COMMANDS || was_counted(view, evidence, identity))
        return;
    evidence->spans[evidence->counted++] = identity;
    evidence->bits += command_bits(command);
    uint32_t fields = identity.length < command->type->size ? identity.length : command->type->size;
    evidence->hash = hash_on(evidence->hash ^ command->number, view->bytes + identity.offset, fields);
}

/* False if this cannot be a command of ENet, by its length on the wire. */
static bool try_command(struct view *view, struct evidence *evidence)
{
    uint8_t first = view->bytes[view->offset];
    gw_enet_command command = { .type = gw_enet_type_of(first) };
    if (!command.type || command.type->size > view->length - view->offset)
        return false;
    command.number = first & GW_ENET_NUMBER_MASK;
    command.flags = first & (uint8_t)~GW_ENET_NUMBER_MASK;
    if (command.type->size > view->captured - view->offset) {
        view->offset = view->captured;
        return true;
    }
    uint32_t odd = read_command(view, &command);
    uint32_t whole = command.type->size + command.values[GW_ENET_ROLE_LENGTH];
    uint32_t left = view->length - view->offset;
    if (whole > left)
        return false;
    evidence->commands++;
    evidence->odd |= odd != 0;
    evidence->wants_ack |= (command.flags & GW_ENET_ACKNOWLEDGE_FLAG) != 0;
    evidence->connect |= command.number == GW_ENET_CONNECT;
    count_command(view, &command, evidence);
    evidence->bits += whole == left ? end_bits(&command) : 0;
    view->offset += whole;
    return true;
}

/* ---- types and lengths only --------------------------------------------------------------------------------- */

/* Whether each command's type is known and its payload fits, up to the end of the datagram or of what was captured.
 * Stops at the first byte of most datagrams of other protocols. */
static bool has_shape(const uint8_t *bytes, uint32_t at, uint32_t captured, uint32_t length)
{
    while (at < captured) {
        const gw_enet_command_type *type = gw_enet_type_of(bytes[at]);
        if (!type || type->size > length - at)
            return false;
        if (type->size > captured - at)
            return true;
        uint32_t whole = type->size + (type->has_payload ? gw_be16(bytes + at + gw_enet_length_at(type)) : 0U);
        if (whole > length - at)
            return false;
        at += whole;
    }
    return true;
}

bool gw_enet_has_shape(const uint8_t *bytes, size_t captured, size_t wire_length)
{
    if (captured < GW_ENET_SMALLEST_HEADER || wire_length > GW_ENET_LARGEST_MTU || captured > wire_length)
        return false;
    uint32_t have = (uint32_t)captured, length = (uint32_t)wire_length;
    uint16_t header = gw_be16(bytes);
    uint32_t before = gw_enet_header_length(header, false);
    if (have <= before)
        return false;
    return has_shape(bytes, before, have, length) ||
           (have > before + GW_ENET_CHECKSUM_SIZE && has_shape(bytes, before + GW_ENET_CHECKSUM_SIZE, have, length));
}

/* The rules of try_command() that do not depend on the length. */
static bool is_channel_right(const gw_enet_command_type *type, uint8_t number, uint8_t channel)
{
    bool of_connection = channel == GW_ENET_CONNECTION_CHANNEL;
    return number == GW_ENET_ACKNOWLEDGE || of_connection != type->on_channel;
}

bool gw_enet_may_begin_commands(const uint8_t *bytes, size_t length)
{
    uint32_t have = (uint32_t)(length < GW_ENET_LARGEST_UNPACKED ? length : GW_ENET_LARGEST_UNPACKED);
    const gw_enet_command_type *type = have ? gw_enet_type_of(*bytes) : NULL;
    uint8_t number = have ? *bytes & GW_ENET_NUMBER_MASK : 0;
    if (!type)
        return false;
    if (have >= 2 && !is_channel_right(type, number, bytes[1]))
        return false;
    /* An acknowledgement repeats its number; unsequenced messages have number 0. Tests as many bytes as there are. */
    for (uint32_t i = 2; i < 4 && i < have; i++) {
        if (number == GW_ENET_ACKNOWLEDGE && i + 2 < have && bytes[i] != bytes[i + 2])
            return false;
        if (number == GW_ENET_SEND_UNSEQUENCED && bytes[i])
            return false;
    }
    /* The first byte of the payload's length. */
    if (type->has_payload && have > gw_enet_length_at(type) &&
        bytes[gw_enet_length_at(type)] >= GW_ENET_LARGEST_MTU >> 8)
        return false;
    return has_shape(bytes, 0, have, GW_ENET_LARGEST_UNPACKED);
}

/* ---- a datagram ----------------------------------------------------------------------------------------- */

static bool is_at_padding(const struct view *view)
{
    gw_enet_options options = { .padded = view->padded };
    return view->captured == view->length && gw_enet_is_padding(&options, view->bytes, view->offset, view->length);
}

/* All commands from view->offset on. */
static bool try_commands(struct view *view, struct evidence *evidence)
{
    while (view->offset < view->captured) {
        if (evidence->commands && is_at_padding(view)) {
            evidence->odd |= !gw_enet_all_zero(view->bytes + view->offset, view->length - view->offset);
            break;
        }
        if (!try_command(view, evidence))
            return false;
    }
    if (!evidence->commands)
        return false;
    /* Without a sent time the command is odd. */
    if (evidence->wants_ack)
        evidence->bits += SENT_TIME_BITS;
    if (evidence->odd || evidence->commands > GW_ENET_MOST_COMMANDS)
        evidence->bits = 0;
    /* The end was not captured: the evidence counts half. */
    if (view->offset < view->length)
        evidence->bits /= 2;
    return true;
}

static bool is_checksum_right(const struct view *view, uint32_t header_length)
{
    uint32_t before = header_length - 4;
    return view->captured == view->length &&
           gw_enet_checksum(view->bytes, before, 0, view->bytes + header_length, view->length - header_length) ==
               gw_be32(view->bytes + before);
}

/* All datagrams of one direction of a connection have the same peer id and session. */
static void tell(const struct view *view, const struct evidence *evidence, gw_recognition *recognition)
{
    recognition->bits = evidence->bits;
    if (gw_enet_peer_of(view->header) != GW_ENET_NO_PEER)
        recognition->sender = 1U + (view->header & (GW_ENET_PEER_MASK | GW_ENET_SESSION_MASK));
    recognition->evidence = evidence->counted ? evidence->hash | 1U : 0U;
}

static bool try_datagram(const uint8_t *bytes, uint32_t captured, uint32_t length, bool checksum,
                         gw_recognition *recognition)
{
    struct view view = { bytes, captured, length, 0, gw_be16(bytes), false };
    struct evidence evidence = { 0 };
    uint32_t header_length = gw_enet_header_length(view.header, checksum);
    if (captured < header_length || length < header_length + SMALLEST_COMMAND)
        return false;
    view.offset = header_length;
    if (!(view.header & GW_ENET_COMPRESSED_BIT) && !try_commands(&view, &evidence))
        return false;
    if (checksum && evidence.connect && !is_checksum_right(&view, header_length))
        return false;
    if (checksum && !evidence.connect && !(view.header & GW_ENET_COMPRESSED_BIT) &&
        gw_enet_is_1_2(bytes, captured, length))
        evidence.bits = 0;
    if (checksum)
        evidence.bits = evidence.connect ? evidence.bits + CHECKSUM_BITS
                                         : evidence.bits - (evidence.bits < SECOND_READING_BITS ? evidence.bits
                                                                                                : SECOND_READING_BITS);
    tell(&view, &evidence, recognition);
    return true;
}

static bool try_unpacked(const uint8_t *bytes, uint32_t length, const gw_enet_options *options,
                         gw_recognition *recognition)
{
    struct view view = { bytes, length, length, 0, options->header, options->padded };
    struct evidence evidence = { 0 };
    if (!try_commands(&view, &evidence))
        return false;
    tell(&view, &evidence, recognition);
    return true;
}

bool gw_enet_recognize(const uint8_t *bytes, size_t captured, size_t wire_length, const gw_enet_options *options,
                       gw_recognition *recognition)
{
    *recognition = (gw_recognition){ 0 };
    if (captured < 2 || wire_length > GW_ENET_LARGEST_MTU || captured > wire_length)
        return false;
    uint32_t have = (uint32_t)captured, length = (uint32_t)wire_length;
    if (options && options->commands_only) {
        recognition->possible = try_unpacked(bytes, have, options, recognition);
        recognition->readings = options->checksum ? GW_ENET_READING_CHECKSUM : GW_ENET_READING_PLAIN;
    } else if (!(options && options->checksum) && try_datagram(bytes, have, length, false, recognition)) {
        recognition->possible = true;
        recognition->readings = GW_ENET_READING_PLAIN;
    } else if (try_datagram(bytes, have, length, true, recognition)) {
        recognition->possible = true;
        recognition->readings = GW_ENET_READING_CHECKSUM;
    }
    if (!recognition->possible)
        *recognition = (gw_recognition){ 0 };
    return recognition->possible;
}
