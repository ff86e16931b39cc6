/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 */
#include "tables.h"

/* Ids of one ack only packet were received within 200 ms, and ids count up by one a packet. */
#define WIDEST_ID_SPAN 1024
/* At one packet in each of the engine's ticks of 50 ms, it takes nine days to get there. */
#define MOST_PLAUSIBLE_ID UINT32_C(0xFFFFFF)

#define SMALLEST        7  /* an ack only packet of one id */
#define PACKET_HEADER   10 /* up to start ack */
#define REQUEST_HEADER  7
#define RESPONSE_HEADER 11

/* The bytes that were captured, and how many there were. */
struct view {
    const uint8_t *bytes;
    size_t captured;
    size_t length;
};

/* Acks as the engine packs them: 1 to 4 bytes, the first bit set, the last byte not 0. Random bytes: 2^-7. */
static bool acks_are_usual(const struct view *view)
{
    const uint8_t *count = view->bytes + PACKET_HEADER;
    if (*count < 1 || *count > GW_LEVIATHAN_MOST_ACK_BYTES)
        return false;
    return view->captured > PACKET_HEADER + (size_t)*count && (count[1] & 1) && count[*count];
}

/* A request or response with a number and of a known type, whole up to its fields. Random bytes: 2^-19 for a
 * request, 2^-19 for a response. */
static bool message_begins(const struct view *view, size_t at, gw_leviathan_numbering numbering)
{
    const uint8_t *message = view->bytes + at;
    if (view->captured - at < REQUEST_HEADER)
        return false;
    if (message[0] != GW_LEVIATHAN_REQUEST && message[0] != GW_LEVIATHAN_RESPONSE)
        return false;
    size_t header = message[0] == GW_LEVIATHAN_REQUEST ? REQUEST_HEADER : RESPONSE_HEADER;
    return view->length - at >= header && gw_be32(message + 1) &&
           gw_be16(message + 5) < gw_leviathan_wire_types(numbering, message[0]);
}

/* "Ln", an id, usual acks or none, and then a message, or a count of 0 and nothing behind it. Random bytes:
 * 3e-13 in all. A DNS query with the id 0x4C6E gets as far as the count of 0, but has bytes behind it. */
static bool is_normal(const struct view *view, gw_leviathan_numbering numbering)
{
    size_t at = PACKET_HEADER;
    if (view->captured <= PACKET_HEADER || !gw_be32(view->bytes + 2))
        return false;
    if (gw_be32(view->bytes + 6)) {
        if (!acks_are_usual(view))
            return false;
        at += 1 + (size_t)view->bytes[PACKET_HEADER];
    }
    if (at >= view->captured)
        return false;
    if (!view->bytes[at])
        return at + 1 == view->length;
    return message_begins(view, at + 1, numbering);
}

/* "La" and 1 to 4 ids, the exact length, ids that ascend, lie close together and are small. Random bytes:
 * 2e-10 of those that have just the length of one id, less of the longer ones. */
static bool is_ack_only(const struct view *view)
{
    uint32_t first = 0, before = 0;
    if (view->captured != view->length || view->bytes[2] > GW_LEVIATHAN_MOST_ACK_ONLY_IDS ||
        view->length != 3 + 4 * (size_t)view->bytes[2])
        return false;
    for (size_t at = 3; at < view->length; at += 4) {
        uint32_t id = gw_be32(view->bytes + at);
        first = at == 3 ? id : first;
        if (id <= before || id > MOST_PLAUSIBLE_ID || id - first > WIDEST_ID_SPAN)
            return false;
        before = id;
    }
    return true;
}

bool gw_leviathan_recognise(const uint8_t *bytes, size_t captured, size_t length, const gw_leviathan_options *options)
{
    struct view view = { bytes, captured, length };
    if (captured < SMALLEST || bytes[0] != 'L')
        return false;
    if (bytes[1] == 'n')
        return is_normal(&view, options ? options->numbering : GW_LEVIATHAN_SINCE_2018_12_09);
    return bytes[1] == 'a' && is_ack_only(&view);
}
