/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Is a datagram RakNet's, between connected peers? RakNet 4.x carries script data (source).
 *
 *     data       u8 flags 100xxx00 | u24 number | messages, up to the end of the datagram
 *
 *     message    u8 reliability << 5, and 0x10 with a split head
 *                u16 BE length of the payload in bits
 *                u24 reliable number                               if reliable (2, 3, 4)
 *                u24 sequencing index                              if sequenced (1, 4)
 *                u24 ordering index | u8 channel                   if sequenced or ordered (1, 3, 4)
 *                u32 BE count | u16 BE id | u32 BE index           if split
 *                payload
 *
 *     ACK, NAK   u8 flags 11x00000 (ACK) or 10100000 (NAK)
 *                f32 rate                                          if bit 5 of an ACK is set
 *                u16 BE count of records
 *                each: u8 1 | u24 number, or u8 0 | u24 first | u24 last
 *
 * Random bytes with fitting flags pass with 2^-20 (a reliability without reserved bits, an exact length), structured
 * ones hardly more often: in RTP, the middle of a time is in place of the length.
 */
#include <gamewire/squirrel.h>

#define DATA_HEAD    4
#define MESSAGE_HEAD 3
#define NUMBER       3
#define CHANNEL      1
#define SPLIT_HEAD   10
#define SPLIT        0x10
#define RATE         4
#define LIST_HEAD    2

/* Bytes after the header of a message, by reliability; 0xFF: not used on the wire. */
static const uint8_t reliability_head[8] = {
    0,   NUMBER + NUMBER + CHANNEL, NUMBER, NUMBER + NUMBER + CHANNEL, NUMBER + NUMBER + NUMBER + CHANNEL, 0xFF, 0xFF,
    0xFF
};

/* The length in bytes of the message at `at`, with its header, or 0 if the bytes are not a message's header, which must
 * have been captured; its payload need not be. The reliability, in the three high bits, is one that is used on the
 * wire, the payload (its length is in bits) is not empty, and the index of a split message is below its count. */
static size_t message_length(const uint8_t *bytes, size_t captured, size_t at)
{
    if (captured - at < MESSAGE_HEAD)
        return 0;
    uint8_t flags = bytes[at];
    size_t head = MESSAGE_HEAD + (size_t)reliability_head[flags >> 5];
    size_t payload = (gw_be16(bytes + at + 1) + (size_t)7) / 8;
    /* The four low bits are always 0. */
    if (flags & 0x0F || reliability_head[flags >> 5] == 0xFF || !payload)
        return 0;
    if (!(flags & SPLIT))
        return head + payload;
    if (captured - at < head + SPLIT_HEAD)
        return 0;
    const uint8_t *split = bytes + at + head;
    return gw_be32(split + 6) < gw_be32(split) ? head + SPLIT_HEAD + payload : 0;
}

/* Three bytes, the lowest first. */
static uint32_t number_at(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16;
}

/* True if the records of an ACK or NAK end exactly at `length`. `at`: offset of their count. */
static bool is_list(const uint8_t *bytes, size_t length, size_t at)
{
    if (length < at + LIST_HEAD)
        return false;
    uint32_t count = gw_be16(bytes + at);
    at += LIST_HEAD;
    for (uint32_t i = 0; i < count; i++) {
        size_t record = at < length && bytes[at] == 1 ? 1 + NUMBER : 1 + 2 * NUMBER;
        if (record > length - at || bytes[at] > 1)
            return false;
        /* A range has a first number below the last. */
        if (!bytes[at] && number_at(bytes + at + 1) >= number_at(bytes + at + 1 + NUMBER))
            return false;
        at += record;
    }
    return count && at == length;
}

/* Reads the lengths in a datagram of data, or the records of an ACK or NAK; the masks leave out the bits that vary,
 * which the top of this file has. */
bool gw_squirrel_is_raknet(const uint8_t *bytes, size_t captured, size_t wire_length)
{
    if (!captured || captured > wire_length)
        return false;
    uint8_t flags = bytes[0];
    if ((flags & 0xE3) == 0x80) {
        size_t at = DATA_HEAD, length;
        /* The headers of all messages must have been captured, and their lengths must end exactly at the end of the
         * datagram. */
        for (; at < wire_length; at += length) {
            length = at < captured ? message_length(bytes, captured, at) : 0;
            if (!length || length > wire_length - at)
                return false;
        }
        return wire_length > DATA_HEAD;
    }
    if (captured < wire_length || ((flags & 0xDF) != 0xC0 && flags != 0xA0))
        return false;
    /* 0xE0: an ACK with a rate before its records. */
    return is_list(bytes, captured, flags == 0xE0 ? 1 + RATE : 1);
}
