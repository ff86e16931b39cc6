/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * How strongly one payload indicates Leviathan. Evidence is counted in bits that a structured payload of another
 * protocol would have to match by chance: such payloads hold words of zeros, small numbers and counters
 * by their nature, so it counts little or nothing.
 *
 *   test                                                            random   counted
 *   "Ln" or "La"                                                    2^-16    16
 *   packet id 1 .. 2^24-1: a big-endian counter                     2^-8      2
 *   start ack 0                                                     2^-32     2
 *   or acks as the engine packs them: 1..4 bytes, the first bit
 *   set, the last byte not 0, start below 2^24                      2^-16     6
 *   message count 1, the only one that the engine sends             2^-8      3
 *   message type 0x28 or 0x12                                       2^-7      7
 *   message number 1 .. 2^24-1                                      2^-8      2
 *   request or response type in the table                           2^-11     3
 *   response to a number below 2^24                                 2^-8      1
 *   check value 42                                                  2^-32     8
 *   master server token -1                                          2^-32     8
 *   a value of a closed enumeration (the secure type has 4 bytes)   2^-5      3
 *   each string or nested packet that is not empty: a big-endian
 *   length that fits, UTF-8 without NUL                             2^-24     8
 *   the datagram ends exactly where its last field does             2^-6      6
 *
 * A Connect has 49 bits and is accepted alone, as are Authenticate, JoinServer and all entity data; an Echo has 41
 * and a Keepalive with acks 46: two different ones are needed. Of the 2,000 conversations of structured payloads in
 * tests/strangers none is accepted.
 *
 * Two forms carry too little to be accepted by any number of their kind, because a constant and a counter are all
 * that they hold: a packet without messages, and an ack-only packet of one id, count 1 bit. Ack-only packets of 2 to
 * 4 ids, ascending and close to each other, of exactly the declared length, count 8.
 *
 * Whatever the engine does not send (a fault, trailing bytes, acks packed otherwise) counts nothing but stays possible,
 * so that damaged packets of a known conversation are shown. The end of a cut capture counts nothing. Not possible are
 * payloads that the first bytes exclude: text that begins with "Ln" or "La", and a DNS query with the id 0x4C6E, would
 * have a packet id of 2^24 or more.
 */
#include "tables.h"

/* With one packet per tick of the engine (50 ms), ids reach 2^24 after nine days. */
#define MOST_PLAUSIBLE_ID UINT32_C(0xFFFFFF)
/* The ids of one ack-only packet were received within 200 ms, and each packet has the next id. */
#define WIDEST_ID_SPAN 1024

#define BITS_OF_MAGIC     16
#define BITS_OF_FEW_IDS   8
#define BITS_OF_END       6
#define BITS_OF_LITTLE    1
#define BITS_OF_LENGTH    8
#define BITS_OF_VALUE     8
#define BITS_OF_NAMED     3
#define BITS_OF_ACKS      6
#define BITS_OF_NO_ACKS   2
#define BITS_OF_COUNTER   2
#define BITS_OF_ONE       3
#define BITS_OF_KIND      7
#define BITS_OF_TYPE      3
#define BITS_OF_REFERENCE 1

/* Oddities of real senders. */
#define SENT_BY_ENGINES \
    ((uint32_t)GW_LEVIATHAN_ODD_IGNORED | GW_LEVIATHAN_ODD_NOT_LOADABLE | GW_LEVIATHAN_ODD_COMPONENT_CUSTOM)

/* `bits` if the counter is one of a real sender, which are below 2^24; else 0. */
static uint32_t bits_of_counter(const gw_leviathan_event *event, uint32_t bits)
{
    return event->number <= MOST_PLAUSIBLE_ID ? bits : 0;
}

/* The evidence of one item, as listed at the top of this file. Called only for items without oddities: packed acks are
 * as the engine packs them, the kind of a message is one of two, and the check value is 42. */
static uint32_t bits_of_event(const gw_leviathan_event *event)
{
    if (event->role == GW_LEVIATHAN_ROLE_PACKED_ACKS)
        return BITS_OF_ACKS;
    if (event->kind == GW_CLOSE)
        return 0;
    /* Only strings and nested packets have a header: their length. */
    if (event->header.length)
        return event->payload.length ? BITS_OF_LENGTH : 0;
    if (event->kind != GW_VALUE)
        return 0;
    switch (event->role) {
    case GW_LEVIATHAN_ROLE_PACKET_ID:
    case GW_LEVIATHAN_ROLE_MESSAGE_NUMBER:
        return bits_of_counter(event, BITS_OF_COUNTER);
    case GW_LEVIATHAN_ROLE_RESPONSE_TO:
        return bits_of_counter(event, BITS_OF_REFERENCE);
    case GW_LEVIATHAN_ROLE_START_ACK:
        return event->number ? 0 : BITS_OF_NO_ACKS;
    case GW_LEVIATHAN_ROLE_MESSAGE_COUNT:
        return event->number == 1 ? BITS_OF_ONE : 0;
    case GW_LEVIATHAN_ROLE_MESSAGE_KIND:
        return BITS_OF_KIND;
    case GW_LEVIATHAN_ROLE_REQUEST_TYPE:
    case GW_LEVIATHAN_ROLE_RESPONSE_TYPE:
        return BITS_OF_TYPE;
    case GW_LEVIATHAN_ROLE_CHECK:
        return BITS_OF_VALUE;
    case GW_LEVIATHAN_ROLE_MASTER_SERVER_TOKEN:
        return event->number == -1 ? BITS_OF_VALUE : 0;
    case GW_LEVIATHAN_ROLE_PACKET_TYPE:
        return 0; /* bits_of_normal() has counted it as the magic */
    default:
        /* Of the other fields, those in which only some values are valid count. */
        return gw_leviathan_fields[event->role].closed ? BITS_OF_NAMED : 0;
    }
}

/* The evidence in bits of a normal packet ("Ln"), read as far as it was captured; 0 if the engine would not send it. Of
 * the options only the revision is used: `bytes` begin with the packet, and the numbering of acks does not matter. */
static uint32_t bits_of_normal(const uint8_t *bytes, size_t captured, size_t wire_length,
                               const gw_leviathan_options *options)
{
    gw_leviathan_reader reader;
    gw_leviathan_event event;
    gw_leviathan_options from_start = { options ? options->revision : GW_LEVIATHAN_SINCE_2018_12_09, 0, 0 };
    uint32_t bits = BITS_OF_MAGIC;
    gw_next next;
    gw_leviathan_init(&reader, bytes, captured, &from_start);
    while ((next = gw_leviathan_next(&reader, &event)) == GW_NEXT_EVENT) {
        if (event.odd & ~SENT_BY_ENGINES)
            return 0;
        /* The packet itself, at depth 0, is counted with its magic. */
        if (event.depth && !event.odd)
            bits += bits_of_event(&event);
    }
    /* A whole packet: with a fault it counts nothing, without messages 1 bit, see the top of this file. */
    if (captured == wire_length)
        return next != GW_NEXT_END ? 0 : reader.messages ? bits + BITS_OF_END : BITS_OF_LITTLE;
    /* Of a cut packet the bits count if the type of its last message was still captured and known. */
    return reader.fault.fault_class == GW_FAULT_TRUNCATED && reader.message.type ? bits : 0;
}

/* True for a whole ack-only packet as the engine sends it: two bytes of type, a count, and exactly as many ids, which ascend
 * and are close to each other. */
static bool is_ack_only(const uint8_t *bytes, size_t captured, size_t wire_length)
{
    uint32_t before = 0; /* no id is 0 */
    if (captured != wire_length || captured < 3 || !bytes[2] || bytes[2] > GW_LEVIATHAN_MOST_ACK_ONLY_IDS ||
        wire_length != 3 + 4 * (size_t)bytes[2])
        return false;
    for (size_t at = 3; at < wire_length; at += 4) {
        uint32_t id = gw_be32(bytes + at);
        if (id <= before || id - gw_be32(bytes + 3) > WIDEST_ID_SPAN)
            return false;
        before = id;
    }
    return true;
}

/* Sets the evidence of a payload in bits, and whether a Leviathan engine can have sent it, which is also returned.
 * gw_leviathan_may_begin() tests the packet type, "Ln" or "La", and that the first id is below 2^24. A damaged packet
 * remains possible by those bytes alone. In an ack-only packet bytes[2] is the number of ids: one id is a constant and
 * a counter only, which is little evidence. */
bool gw_leviathan_recognize(const uint8_t *bytes, size_t captured, size_t wire_length,
                            const gw_leviathan_options *options, gw_recognition *recognition)
{
    *recognition = (gw_recognition){ .possible = gw_leviathan_may_begin(bytes, captured) };
    if (recognition->possible && bytes[1] == 'n') {
        recognition->bits = bits_of_normal(bytes, captured, wire_length, options);
    } else if (recognition->possible) {
        if (is_ack_only(bytes, captured, wire_length) && gw_be32(bytes + wire_length - 4) <= MOST_PLAUSIBLE_ID)
            recognition->bits = bytes[2] == 1 ? BITS_OF_LITTLE : BITS_OF_FEW_IDS;
    } else if (captured == wire_length && captured >= 2 && bytes[0] == 'L') {
        /* An id that is reached only after millions of packets: no evidence, but possible in a known conversation if
         * the rest is as the engine writes it. */
        recognition->possible = bytes[1] == 'n' ? bits_of_normal(bytes, captured, wire_length, options) > BITS_OF_LITTLE
                                                : bytes[1] == 'a' && is_ack_only(bytes, captured, wire_length);
    }
    /* The format has one variant, which is bit 0. */
    recognition->readings = recognition->possible;
    return recognition->possible;
}
