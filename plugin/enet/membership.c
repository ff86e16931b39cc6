/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Checks whether a known connection can have sent a datagram.
 */
#include "internal.h"

#include "common/conversation.h"
#include "common/items.h"

/* Evidence with which a datagram is accepted although its peer id, session or compression is another. */
#define OTHER_SENDER_BITS 16

#define FIRST_EXAMPLES   64U /* all of which are stored */
#define EXAMPLE_INTERVAL 16U

/* Bits of evidence of the header, which is compared with the connection's: 16 without the two flags. */
#define HEADER_BITS 14

/* Needed by an example for damaged datagrams: GW_DAMAGED_SAMPLE_BITS with the bits of the header. */
#define EXAMPLE_BITS (GW_DAMAGED_SAMPLE_BITS - HEADER_BITS)

gw_damaged enet_damaged;

/* The datagram that is checked. */
typedef struct enet_arrival {
    const uint8_t *bytes;
    uint32_t captured;
    bool whole; /* not cut by the capture or by IP */
    gw_enet_beginning beginning;
    const enet_commands *opened;
} enet_arrival;

enet_pair *enet_find_modes(packet_info *pinfo, uint32_t key, enet_choice *choice)
{
    if (enet_find_archived_modes(pinfo, key, choice))
        return NULL;
    enet_pair *pair = gw_conversation_find(pinfo, proto_enet);
    if (!pair)
        return NULL;
    if (pair->any_known)
        *choice = pair->known;
    choice->formats = pair->formats[gw_sender_side(pinfo)];
    choice->has_evidence = pair->evidence_in && pair->evidence_in <= pinfo->num;
    return pair;
}

/* ---- properties that are compared ----------------------------------------------------------------------- */

/* True if the side's datagrams have this header in a connection that is not over. A side that has sent nothing yet may have
 * any. */
static bool knows_header(const enet_pair *pair, uint8_t side, const gw_enet_header *header)
{
    const enet_connection *last = pair->last;
    if (!last || !header->has_peer)
        return false;
    return last->peer[side] == ENET_UNKNOWN_PEER || enet_find_by_header(pair, side, header);
}

/* True if the conversation has this compression and checksum, or they are not known. */
static bool has_known_modes(const enet_pair *pair, const enet_commands *opened)
{
    const enet_choice *known = &pair->known;
    if (!pair->any_known)
        return true;
    if (known->compression > ENET_NOT_COMPRESSED && opened->mode > ENET_NOT_COMPRESSED &&
        opened->mode != known->compression)
        return false;
    bool is_fixed = opened->format->checksum_always || opened->format->checksum == GW_ENET_CHECKSUM_NONE;
    return is_fixed || opened->checksum == (known->checksum == ENET_CHECKSUM_ALWAYS);
}

/* Whether bytes that cannot be read as the connection's commands have evidence for ENet: their first command is one that
 * senders write, or all commands can be read. If they are compressed, neither the header and the sent time, nor the commands,
 * may be zero, as they are in a QUIC initial or an acknowledgement of RakNet. */
static bool is_sound(const enet_arrival *arrival)
{
    const gw_enet_header *header = &arrival->beginning.header;
    const enet_reading *reading = arrival->opened->reading;
    if (!header->is_compressed)
        return arrival->beginning.is_written || (reading && reading->reader.fault.fault_class == GW_FAULT_NONE);
    bool any = false;
    for (uint32_t i = header->length; i < arrival->captured && !any; i++)
        any = arrival->bytes[i];
    return any && (!header->has_sent_time || header->peer || header->session || header->sent_time);
}

/* ---- datagrams of a known connection -------------------------------------------------------------------- */

/* Commands that can be read. */
static bool may_have_sent_commands(const enet_pair *pair, uint8_t side, const enet_arrival *arrival)
{
    const gw_enet_header *header = &arrival->beginning.header;
    const enet_connection *last = pair->last;
    const enet_reading *reading = arrival->opened->reading;
    uint32_t bits = arrival->opened->recognition.bits;
    if (bits >= OTHER_SENDER_BITS)
        return true;
    /* Numbers begin at 1: 0 is acknowledged only after 65,535. */
    bool is_wrong_ack = arrival->beginning.acks_zero && !last->directions[enet_other(side)].near_wrap;
    if (bits && !is_wrong_ack && knows_header(pair, side, header) && has_known_modes(pair, arrival->opened))
        return true;
    /* A server may acknowledge CONNECT before it answers: then the session, and its clock, are not known yet. */
    bool is_known_peer = last->peer[side] == ENET_UNKNOWN_PEER || last->peer[side] == header->peer;
    return header->has_peer && is_known_peer && reading && is_sound(arrival) &&
           enet_is_answer(last, side, &reading->facts);
}

/* Commands that are malformed, compressed or encrypted, and cannot be read. */
static bool may_have_sent_other(const enet_pair *pair, const packet_info *pinfo, uint8_t side,
                                const enet_arrival *arrival)
{
    const gw_enet_header *header = &arrival->beginning.header;
    const enet_commands *opened = arrival->opened;
    /* They can be read to the end of the datagram, though they break a rule. */
    bool is_unusual = opened->recognition.possible && !opened->recognition.bits && has_known_modes(pair, opened);
    if (!header->has_peer)
        return is_unusual;
    if (!knows_header(pair, side, header))
        return false;
    /* Encrypted, with no other of the further flags. */
    if (header->is_encrypted && header->extended == opened->format->encrypted_bit)
        return true;
    bool in_time = !header->has_sent_time || enet_is_in_time(&pair->clocks[side], pinfo, header->sent_time);
    if (!in_time || !is_sound(arrival))
        return false;
    if (!header->is_compressed)
        return arrival->beginning.has_command && (header->has_sent_time || is_unusual);
    /* In the known mode, if the capture cut them. In an unknown one with a sent time, or after such a datagram. */
    if (pair->known.compression > ENET_NOT_COMPRESSED)
        return !arrival->whole;
    return header->has_sent_time || pair->other_compression;
}

bool enet_may_have_sent(const enet_source *source, uint32_t key, enet_pair *pair, const enet_commands *opened)
{
    packet_info *pinfo = source->pinfo;
    const uint8_t side = gw_sender_side(pinfo);
    bool possible = opened->recognition.possible;
    const gw_enet_options options = { .format = opened->format,
                                      .checksum = opened->checksum,
                                      .port = enet_port_of(pinfo) };
    enet_arrival arrival = { .bytes = gw_bytes_of(source->tvb),
                             .captured = tvb_captured_length(source->tvb),
                             .whole = !gw_is_incomplete(pinfo, source->tvb),
                             .opened = opened };
    const gw_enet_header *header = &arrival.beginning.header;
    if (!gw_enet_peek(arrival.bytes, arrival.captured, &options, &arrival.beginning))
        return false;
    /* An ICMP error may quote the beginning of a datagram, without the fields of its first command or compressed. */
    if (gw_is_quoted(pinfo))
        return possible || (!arrival.whole && pair && knows_header(pair, side, header) &&
                            (header->is_compressed || arrival.beginning.has_command));
    if (gw_is_later_pass(pinfo))
        return enet_find_archived_modes(pinfo, key, NULL);
    if (!pair || !pair->last)
        return possible;
    if (possible && may_have_sent_commands(pair, side, &arrival))
        return true;
    if (!may_have_sent_other(pair, pinfo, side, &arrival))
        return false;
    /* The first such datagram has a sent time; later ones may have none. */
    pair->other_compression |= header->is_compressed && header->has_sent_time && !header->is_encrypted;
    return true;
}

/* ---- damaged datagrams ---------------------------------------------------------------------------------- */

/* The bytes after the header; NULL: none, or compressed ones. */
static tvbuff_t *rest_of(tvbuff_t *tvb, const gw_enet_header *header)
{
    bool has_rest = tvb_captured_length(tvb) > header->length && !header->is_compressed;
    return has_rest ? tvb_new_subset_remaining(tvb, header->length) : NULL;
}

tvbuff_t *enet_find_rest(tvbuff_t *tvb, packet_info *pinfo)
{
    enet_choice choice = { .compression = ENET_AUTOMATIC };
    const enet_pair *pair = enet_find_modes(pinfo, 0, &choice);
    const gw_enet_options options = { .format = &gw_enet_formats[choice.formats.first],
                                      .checksum = choice.checksum == ENET_CHECKSUM_ALWAYS };
    gw_enet_header header;
    if (!pair || !gw_enet_read_header(gw_bytes_of(tvb), tvb_captured_length(tvb), &options, &header) ||
        !knows_header(pair, gw_sender_side(pinfo), &header))
        return NULL;
    return rest_of(tvb, &header);
}

static uint32_t weigh_example(tvbuff_t *tvb _U_)
{
    return GW_DAMAGED_SAMPLE_BITS;
}

void enet_keep_example(const enet_source *source, enet_pair *pair, const enet_commands *opened)
{
    packet_info *pinfo = source->pinfo;
    if (!gw_is_first_pass(pinfo) || !opened->header.has_peer || opened->recognition.bits < EXAMPLE_BITS)
        return;
    /* Many datagrams of a connection repeat themselves: after the first ones, one in 16 is stored. */
    uint32_t number = pair ? pair->examples[gw_sender_side(pinfo)]++ : 0;
    tvbuff_t *rest = rest_of(source->tvb, &opened->header);
    if (rest && (number < FIRST_EXAMPLES || !(number % EXAMPLE_INTERVAL)))
        gw_damaged_keep(&enet_damaged, pinfo, rest, 0, weigh_example);
}
