/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Is this a datagram of ENet? Each command must be one that a real sender writes, each payload must fit, and the last
 * command must end exactly with the datagram. The contribution of each test, in bits that a structured payload of
 * another protocol (counters, lengths, records, zeros) would have to match by chance:
 *
 *   type byte        4  12 commands with the flags that they have, 13 of 256 values; 2 for those without flags, which
 *                       are small numbers, as records begin with
 *   channel 0xFF     6  where the command is about the connection
 *   sent time        2  once a datagram: present if and only if a command requests an acknowledgement; else there are
 *                       no bits
 *   repeated number  8  in Ack, unless 0, or the sent time has it too, as in a row of equal numbers
 *   exact end        4  of a command of fixed length; 10 where a length field leads to it
 *   fragments       12  reliable: its sequence number is start + number
 *                   12  the count, the offset and the total length agree with the fragment's own length
 *   Connect         64  no peer, sequence number, MTU, window and channels in range, session ids
 *   Verify connect  56  the same without the peer
 *   checksum        24  of a Connect, where the connect id is known to be 0. Others cannot be verified here: the
 *                       reading with checksums counts 4 less, since it has a second try
 *
 * Acknowledgements alone are answers: the bits of a conversation that has nothing else are not sufficient, as home-made
 * records of a number that is repeated twice or three times have the same bytes. A host that acknowledges sends pings.
 *
 * Equal commands count once, as other protocols repeat records. Of the Acks of one number one counts, whatever their
 * channels and times are.
 *
 * In a plain datagram of ENet 1.1 or 1.2, whose commands are nearly the same, the session id and the peer id may be
 * read as the header and the checksum of ENet 1.3: then, and for 2^-6 of its datagrams with a checksum, there are no
 * bits.
 *
 * The other formats are recognized by a datagram that has a CONNECT and nothing else. Of random bytes with the right
 * length, which is one of 13 between 44 and 62 bytes, these are required to be as senders write them, in bits:
 *
 *   peer id, sent time   16  8 in League of Legends from season 3 on
 *   type, channel        16
 *   sequence number      16  the first of the connection: 1
 *   MTU                  20  4 where it has 16 bits
 *   window, channels     40
 *   outgoing peer         4  1 where a peer id has 15 bits
 *   sessions             12  ENet 1.3's commands; the header has the session of the CONNECT: 32, or 8 where it has 8
 *   checksum             32  64 in ENet-CSharp, if there is one; not where its kind is not known
 *   port                 16  Growtopia
 *
 * Together at least 109 bits (League of Legends, seasons 3 and 4).
 *
 * A datagram that breaks a rule is possible, as long as it can be read, but has no bits. The evidence of a datagram
 * that the capture cut is weaker than its bits: the end, which is half of the proof, is seen only when the cut is in
 * the last payload.
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

/* ---- one command ---------------------------------------------------------------------------------------- */

/* FRAGMENT_BITS if the fragment's numbers agree with its own length, else 0; also 0 for a fragment without bytes, and
 * for a message of one fragment, whose numbers say nothing. All fragments except the last have the same length, from
 * which offset and count follow. The bytes before the last fragment, whose number is at least 1, are a multiple of its
 * number. */
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

/* The evidence of one command by its type and fields, in the bits that the list at the top of this file has. A first
 * byte without flags is a small number, with which records of other protocols begin, too: it has fewer bits than one
 * with flags. The bits of CONNECT and VERIFY_CONNECT are for the whole command. */
static uint32_t command_bits(const gw_enet_command *command)
{
    const uint32_t *values = command->values;
    uint32_t bits = command->flags ? TYPE_BITS : SMALL_TYPE_BITS;
    uint32_t acked = values[GW_ENET_ROLE_ACKED_SEQUENCE];
    switch (command->number) {
    case GW_ENET_CONNECT:
        return CONNECT_BITS;
    case GW_ENET_VERIFY_CONNECT:
        return VERIFY_CONNECT_BITS;
    case GW_ENET_ACKNOWLEDGE:
        /* Its number is in its header, too. Zeros and a row of equal numbers are no evidence: other protocols have
         * them. */
        if (acked && acked == values[GW_ENET_ROLE_SEQUENCE] && acked != values[GW_ENET_ROLE_ACKED_SENT_TIME])
            bits += REPEATED_BITS;
        return bits;
    case GW_ENET_SEND_FRAGMENT:
        /* Its sequence number is start + number: otherwise it is odd, and the datagram has no bits. */
        return bits + FRAGMENT_BITS + fragment_bits(values);
    case GW_ENET_SEND_UNRELIABLE_FRAGMENT:
        return bits + fragment_bits(values);
    default:
        /* Commands without a payload are about the connection: their channel is 0xFF, or else they are odd. */
        return bits + (command->type->has_payload ? 0 : CHANNEL_BITS);
    }
}

/* Adds the evidence of a command that has all its fields. Sets the members that sum_commands() and is_header_right()
 * test after the last command: oddities, whether an acknowledgement is requested, where the commands end, and the
 * connect id of a CONNECT. Then adds the bits of the command, once for equal commands, and its bytes to the hash, which
 * identifies the evidence of this datagram (gw_recognition.evidence). */
static void weigh_command(gw_enet_evidence *evidence, const gw_enet_reader *reader, const gw_enet_event *event)
{
    const gw_enet_command *command = &event->command;
    evidence->is_odd |= event->odd != 0;
    evidence->wants_ack |= (command->flags & GW_ENET_ACKNOWLEDGE_FLAG) != 0;
    evidence->is_other_than_ack |= command->number != GW_ENET_ACKNOWLEDGE;
    evidence->ends_in_payload = command->values[GW_ENET_ROLE_LENGTH];
    evidence->end = event->payload.offset + command->values[GW_ENET_ROLE_LENGTH];
    if (command->number == GW_ENET_CONNECT) {
        evidence->connect = true;
        evidence->connect_id = gw_enet_connect_checksum_id(reader->options.format, command);
    }

    /* Equal commands count once: those with the same fields and payload, as far as they were captured; Acks with the
     * same number. */
    gw_span identity = gw_enet_span_of(event);
    if (command->number == GW_ENET_ACKNOWLEDGE)
        identity = (gw_span){ event->header.offset + GW_ENET_COMMAND_HEADER, sizeof(uint16_t) };
    const uint8_t *bytes = reader->bytes + identity.offset;
    if (evidence->counted == GW_ENET_MOST_COMMANDS) /* more are not evidence: see sum_commands() */
        return;
    for (uint32_t i = 0; i < evidence->counted; i++)
        if (evidence->spans[i].length == identity.length &&
            !memcmp(reader->bytes + evidence->spans[i].offset, bytes, identity.length))
            return;
    evidence->spans[evidence->counted++] = identity;
    evidence->bits += command_bits(command);

    /* FNV-1a of the fields only: a retransmission with another payload has the same hash. */
    uint32_t fields = identity.length < command->type->size ? identity.length : command->type->size;
    evidence->hash ^= command->number;
    for (uint32_t i = 0; i < fields; i++)
        evidence->hash = (evidence->hash ^ bytes[i]) * UINT32_C(0x01000193);
}

/* Adds the evidence of an event. Only commands have bits; of a header, or of bytes that are not read, only the oddities
 * are kept: with one (`is_odd`) the datagram remains possible, and has no bits. A first byte that no sender writes, a
 * number with flags that this command never has, sets `is_other`: the datagram is not possible. */
void gw_enet_weigh(gw_enet_evidence *evidence, const gw_enet_reader *reader, const gw_enet_event *event)
{
    if (event->role != GW_ENET_ROLE_COMMAND) {
        evidence->is_odd |= event->odd != 0;
        return;
    }
    evidence->is_other |= !gw_enet_is_type(event->command.number | event->command.flags);
    /* The header of the event has all fields of the command: these count, although the payload may be cut. */
    if (event->header.length == event->command.type->size)
        weigh_command(evidence, reader, event);
}

/* ---- types and lengths only --------------------------------------------------------------------------------- */

/* True if the bytes from `at` on are commands of known types, whose payloads end within `length`, the end of the
 * datagram. Of these bytes `captured` are in the input: a command whose fields are cut there ends the test with true,
 * since the bytes before it fit. Most datagrams of other protocols fail at their first byte. */
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

/* A test for heuristics that is faster than gw_enet_recognize(): true if commands with known types and fitting lengths
 * follow the header, without or with a checksum, which the header does not show. `before`, the length of the header
 * without a checksum, depends on the bit in its first byte for the sent time. */
bool gw_enet_has_shape(const uint8_t *bytes, size_t captured, size_t wire_length)
{
    if (captured < GW_ENET_SMALLEST_HEADER || wire_length > GW_ENET_LARGEST_MTU || captured > wire_length)
        return false;
    uint32_t available = (uint32_t)captured, length = (uint32_t)wire_length;
    uint32_t before = bytes[0] & GW_ENET_SENT_TIME_BIT >> 8 ? 4 : 2;
    if (available <= before)
        return false;
    return has_shape(bytes, before, available, length) ||
           (available > before + GW_ENET_CHECKSUM_SIZE &&
            has_shape(bytes, before + GW_ENET_CHECKSUM_SIZE, available, length));
}

/* True if the bytes may be the beginning of ENet's commands: a test of the first bytes that a decompressor yields,
 * before all are decompressed. Tests as many of the first command's fields as there are, and then the lengths. The
 * number of bytes that will follow is not known: payloads may extend to the end of the longest decompressed data,
 * GW_ENET_LARGEST_UNPACKED. */
bool gw_enet_may_begin_commands(const uint8_t *bytes, size_t length)
{
    uint32_t available = (uint32_t)(length < GW_ENET_LARGEST_UNPACKED ? length : GW_ENET_LARGEST_UNPACKED);
    const gw_enet_command_type *type = available ? gw_enet_type_of(*bytes) : NULL;
    uint8_t number = available ? *bytes & GW_ENET_NUMBER_MASK : 0;
    if (!type)
        return false;
    /* Commands about the connection have channel 0xFF, acknowledgements any channel. */
    if (available >= 2 && number != GW_ENET_ACKNOWLEDGE && (bytes[1] == GW_ENET_CONNECTION_CHANNEL) == type->on_channel)
        return false;
    /* An acknowledgement repeats its number; unsequenced messages have number 0. Tests as many bytes as there are. */
    for (uint32_t i = 2; i < 4 && i < available; i++) {
        if (number == GW_ENET_ACKNOWLEDGE && i + 2 < available && bytes[i] != bytes[i + 2])
            return false;
        if (number == GW_ENET_SEND_UNSEQUENCED && bytes[i])
            return false;
    }
    /* The first byte of the payload's length, which is below the largest MTU. */
    if (type->has_payload && available > gw_enet_length_at(type) &&
        bytes[gw_enet_length_at(type)] >= GW_ENET_LARGEST_MTU >> 8)
        return false;
    return has_shape(bytes, 0, available, GW_ENET_LARGEST_UNPACKED);
}

/* ---- a datagram ----------------------------------------------------------------------------------------- */

/* Completes the evidence of the commands, after the last event: adds the bits of the exact end and of the sent time; no
 * bits remain if something is odd, and half of them if the commands do not end with the datagram. `length`: of the
 * bytes on the wire. False if the bytes cannot be read as commands, or no command has all its fields. */
static bool sum_commands(const gw_enet_reader *reader, uint32_t length, gw_enet_evidence *evidence)
{
    const gw_fault *fault = &reader->fault;
    if (evidence->is_other)
        return false;
    if (fault->fault_class != GW_FAULT_NONE) {
        /* Reading ended in a command: possible only if the capture has cut the datagram there, and at least as many
         * bytes as the command lacks are on the wire after the captured ones. */
        if (fault->fault_class != GW_FAULT_TRUNCATED || fault->needed > length - reader->length)
            return false;
    }
    if (evidence->end == length)
        evidence->bits += evidence->ends_in_payload ? COUNTED_END_BITS : FIXED_END_BITS;
    /* A requested acknowledgement needs the sent time: without it the command is odd, and there are no bits below.
     * Senders write the sent time only for such commands (source). */
    if (evidence->wants_ack)
        evidence->bits += SENT_TIME_BITS;
    /* A sent time without a command that needs it is odd, if the datagram was captured as a whole: otherwise the
     * command may be in the bytes that were not captured. */
    if (reader->header.has_sent_time && !evidence->wants_ack && reader->length == length)
        evidence->is_odd = true;
    if (evidence->is_odd || reader->commands > GW_ENET_MOST_COMMANDS)
        evidence->bits = 0;
    /* The end was not captured, or is padding: the evidence counts half. */
    if (evidence->end < length)
        evidence->bits /= 2;
    return evidence->counted > 0;
}

/* True if the bytes after the header are compressed or encrypted commands. */
static bool is_opaque(const gw_enet_header *header)
{
    return header->is_compressed || header->is_encrypted;
}

/* False if the datagram has a CONNECT, and its header another session or checksum than those that follow from the
 * CONNECT. Without a CONNECT they depend on the connection, and cannot be verified here. */
static bool is_header_right(const gw_enet_reader *reader, uint32_t length, const gw_enet_evidence *evidence)
{
    const gw_enet_format *format = reader->options.format;
    const gw_enet_header *header = &reader->header;
    if (!evidence->connect)
        return true;

    /* Formats with the session in CONNECT have it in the header, too, unless a checksum takes its place. */
    bool has_session = format->session_in_connect && (!header->has_checksum || format->checksum_always);
    if (has_session && header->session != evidence->connect_id)
        return false;

    /* A checksum of unknown kind may be right. */
    if (!header->has_checksum || format->checksum == GW_ENET_CHECKSUM_UNKNOWN)
        return true;
    uint32_t before = header->checksum_at, after = before + format->checksum_size;
    const gw_enet_covered covered = { reader->bytes, reader->bytes + after, before, length - after };
    return reader->length == length && gw_enet_checksum((gw_enet_checksum_kind)format->checksum, &covered,
                                                        evidence->connect_id) == header->checksum;
}

/* Completes the evidence of a datagram with a header, after the last event. False if it is not one: its header is cut,
 * it is too short for a command, its commands cannot be read, or its CONNECT does not agree with the header. `length`:
 * of the bytes on the wire. Compressed or encrypted commands are possible, and have no bits before they are
 * decompressed. */
static bool sum_datagram(const gw_enet_reader *reader, uint32_t length, gw_enet_evidence *evidence)
{
    const gw_enet_header *header = &reader->header;
    const gw_enet_format *format = reader->options.format;
    if (reader->fault.code == GW_ENET_FAULT_HEADER_TRUNCATED || length < (uint32_t)header->length + SMALLEST_COMMAND)
        return false;
    /* Their bytes are one event, which is not a command: evidence->bits is 0. */
    if (is_opaque(header))
        return true;
    if (!sum_commands(reader, length, evidence) || !is_header_right(reader, length, evidence))
        return false;
    /* A host assigns its first free peer id, so that a high one is no evidence. Only formats with `likely_peers`, which
     * is a limit, are tested: ENet 1.1 and 1.2. */
    if (header->has_peer && format->likely_peers && header->peer >= format->likely_peers)
        evidence->bits = 0;
    return true;
}

/* Reads all events, and collects their evidence; stops at a command that no sender writes, which rules the datagram
 * out. */
static void read_commands(gw_enet_reader *reader, gw_enet_evidence *evidence)
{
    gw_enet_event event;
    *evidence = (gw_enet_evidence){ 0 };
    while (!evidence->is_other && gw_enet_next(reader, &event) == GW_NEXT_EVENT)
        gw_enet_weigh(evidence, reader, &event);
}

/* For gw_enet_weigh_end(), which counts no bits for a datagram of ENet 1.3 with a checksum if this is true: it can also
 * be read in the format of ENet 1.1 or 1.2, without a checksum. The session id, peer id and sent time of that format
 * are as long as the word, sent time and checksum of ENet 1.3, and the commands are nearly the same. A high peer id,
 * which hosts seldom assign, is not accepted as that of ENet 1.2. */
static bool is_version_1_2(const uint8_t *bytes, uint32_t captured, uint32_t length)
{
    const gw_enet_options options = { .format = &gw_enet_formats[GW_ENET_1_2] };
    gw_enet_evidence evidence;
    gw_enet_reader reader;
    gw_enet_header header;
    if (!gw_enet_read_header(bytes, captured, &options, &header) ||
        (header.has_peer && header.peer >= options.format->likely_peers))
        return false;
    gw_enet_init(&reader, bytes, captured, &options);
    read_commands(&reader, &evidence);
    return sum_datagram(&reader, length, &evidence) && !evidence.is_odd;
}

/* Sets `recognition` to the evidence of a datagram, or of decompressed commands, whose events were weighed; false if no
 * sender writes it. `wire_length`: of the bytes on the wire, of which the reader has those that were captured.
 * Decompressed commands have no header: whether the datagram has a checksum is in the options. */
bool gw_enet_weigh_end(gw_enet_evidence *evidence, const gw_enet_reader *reader, size_t wire_length,
                       gw_recognition *recognition)
{
    const gw_enet_format *format = reader->options.format;
    const gw_enet_header *header = &reader->header;
    uint32_t length = (uint32_t)wire_length;
    bool has_checksum = header->has_checksum;
    *recognition = (gw_recognition){ 0 };
    if (wire_length > GW_ENET_LARGEST_MTU || reader->length > wire_length)
        return false;
    if (reader->options.commands_only) {
        has_checksum = reader->options.checksum;
        if (!sum_commands(reader, length, evidence))
            return false;
    } else {
        if (!sum_datagram(reader, length, evidence))
            return false;
        if (has_checksum && evidence->bits) {
            /* The checksum of a CONNECT was verified by is_header_right(), unless its kind is not known. Others need
             * the connect id, which is not known here: they are no evidence. */
            if (evidence->connect)
                evidence->bits += format->checksum == GW_ENET_CHECKSUM_UNKNOWN ? 0 : CHECKSUM_BITS;
            else if (format != &gw_enet_formats[GW_ENET_1_2] && is_version_1_2(reader->bytes, reader->length, length))
                evidence->bits = 0;
            else /* a second reading is weaker evidence */
                evidence->bits -= evidence->bits < SECOND_READING_BITS ? evidence->bits : SECOND_READING_BITS;
        }
    }
    recognition->possible = true;
    /* The reading (without or with a checksum) must be the same in all datagrams of a conversation. */
    recognition->readings = has_checksum ? GW_ENET_READING_CHECKSUM : GW_ENET_READING_PLAIN;
    recognition->bits = evidence->bits;
    /* Acknowledgements alone are not sufficient for a conversation: see the top of this file. */
    recognition->is_answer = !evidence->is_other_than_ack;
    /* Datagrams with the same hash count once. It is not 0 (bit 0 is set) if commands were counted: with 0, the whole
     * payloads are compared (recognition.h). */
    recognition->evidence = evidence->counted ? evidence->hash | 1U : 0U;
    /* All datagrams of one direction of a connection have the same peer id and session: together, with the highest bit
     * cleared so that adding 1 does not overflow, they identify the sender. 0: no sender. */
    if (header->has_peer)
        recognition->sender = 1U + ((header->peer | header->session << 16) & (UINT32_MAX >> 1));
    return true;
}

/* ---- both readings -------------------------------------------------------------------------------------- */

/* Reads the bytes with these options, and sets `recognition` to the evidence of this reading (with or without a
 * checksum); false if no sender writes such bytes. */
static bool try_reading(const uint8_t *bytes, size_t captured, size_t wire_length, const gw_enet_options *options,
                        gw_recognition *recognition)
{
    gw_enet_reader reader;
    gw_enet_evidence evidence;
    gw_enet_init(&reader, bytes, captured, options);
    read_commands(&reader, &evidence);
    return gw_enet_weigh_end(&evidence, &reader, wire_length, recognition);
}

/* Reads the datagram without a checksum, then with one, since nothing in the header shows whether it has one; the first
 * reading that is possible counts. A reading that the format or the options exclude is not tried. Decompressed commands
 * are read once, with options->checksum as it is. */
bool gw_enet_recognize(const uint8_t *bytes, size_t captured, size_t wire_length, const gw_enet_options *options,
                       gw_recognition *recognition)
{
    const gw_enet_format *format = gw_enet_format_in(options);
    gw_enet_options attempt = options ? *options : (gw_enet_options){ 0 };
    *recognition = (gw_recognition){ 0 };
    if (attempt.commands_only)
        return try_reading(bytes, captured, wire_length, &attempt, recognition);
    if (!attempt.checksum && !format->checksum_always &&
        try_reading(bytes, captured, wire_length, &attempt, recognition))
        return true;
    attempt.checksum = true;
    return gw_enet_has_checksum(format, true) && try_reading(bytes, captured, wire_length, &attempt, recognition);
}

/* ---- a CONNECT of another format ------------------------------------------------------------------------ */

#define CONNECT_BEGINNING UINT32_C(0x82FF0001) /* type, channel and number */

/* True if the datagram is a header and a CONNECT in the format and with the checksum setting of the options, both
 * without oddities, and session and checksum are right. Most others fail by their length, or at the beginning of the
 * CONNECT. */
static bool is_connect(const uint8_t *bytes, uint32_t length, const gw_enet_options *options)
{
    const gw_enet_format *format = options->format;
    gw_enet_reader reader;
    gw_enet_header header;
    gw_enet_evidence evidence = { 0 };
    if (!gw_enet_read_header(bytes, length, options, &header) || header.has_peer || is_opaque(&header) ||
        length != (uint32_t)header.length + format->connect->size ||
        gw_be32(bytes + header.length) != CONNECT_BEGINNING)
        return false;
    gw_enet_init(&reader, bytes, length, options);
    uint32_t odd = 0;
    gw_enet_event event;
    while (gw_enet_next(&reader, &event) == GW_NEXT_EVENT) {
        odd |= event.odd;
        gw_enet_weigh(&evidence, &reader, &event);
    }
    return !odd && is_header_right(&reader, length, &evidence);
}

/* Tries all formats except ENet 1.3, each with and without a checksum. Returns the first in which the datagram is a
 * CONNECT, and sets `options` to it and its checksum setting; NULL if there is none. `port`: the destination, 0 if not
 * known. */
const gw_enet_format *gw_enet_format_of_connect(const uint8_t *bytes, size_t length, uint16_t port,
                                                gw_enet_options *options)
{
    *options = (gw_enet_options){ .port = port };
    if (!gw_enet_has_length_of_connect(length))
        return NULL;
    /* The CONNECT is at the end and has one of two sizes: comparing one or two words excludes nearly all other
     * datagrams of such a length. */
    if (gw_be32(bytes + length - GW_ENET_CONNECT_1_2) != CONNECT_BEGINNING &&
        (length <= GW_ENET_CONNECT_SIZE || gw_be32(bytes + length - GW_ENET_CONNECT_SIZE) != CONNECT_BEGINNING))
        return NULL;
    for (int number = GW_ENET_1_3 + 1; number < GW_ENET_FORMATS; number++) {
        options->format = &gw_enet_formats[number];
        /* Without and with a checksum, unless the format always has one or never has one. */
        for (int checksum = options->format->checksum_always; checksum < 2; checksum++) {
            options->checksum = checksum;
            if (gw_enet_has_checksum(options->format, checksum) == (bool)checksum &&
                is_connect(bytes, (uint32_t)length, options))
                return options->format;
        }
    }
    return NULL;
}
