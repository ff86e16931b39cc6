/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Checks whether a known connection can have sent a datagram.
 */
#include "internal.h"

#include "common/conversation.h"

#define FIRST_EXAMPLES   64U /* all of which are stored */
#define EXAMPLE_INTERVAL 16U

/* ---- what the conversation has shown -------------------------------------------------------------------- */

static bool has_command(const enet_facts *facts, uint8_t number)
{
    for (uint32_t i = 0; i < facts->count; i++)
        if (facts->commands[i].number == number)
            return true;
    return false;
}

/* The format of each direction is that of its datagrams with evidence. A CONNECT shows which direction is the client's,
 * and so the format in which a server answers, unless it is set to answer in the client's. */
static void keep_format(enet_pair *pair, uint8_t side, const enet_facts *facts)
{
    uint8_t number = (uint8_t)(facts->format - gw_enet_formats);
    enet_formats *other = &pair->formats[enet_other(side)];
    if (!facts->evidence && pair->formats[side].is_known)
        return;
    pair->formats[side] = (enet_formats){ .first = number,
                                          .is_known = true,
                                          .others = pair->formats[side].others & ~(UINT32_C(1) << number) };
    if (!has_command(facts, GW_ENET_CONNECT) || other->is_known)
        return;
    other->first = facts->format->reply;
    other->is_known = true;
    other->others = facts->format->reply == number ? 0 : UINT32_C(1) << number;
}

void enet_keep_modes(enet_pair *pair, const packet_info *pinfo, const enet_facts *facts)
{
    pair->any_known = true;
    if (!pair->evidence_in && facts->evidence)
        pair->evidence_in = pinfo->num;
    pair->known.checksum = facts->checksum ? ENET_CHECKSUM_ALWAYS : ENET_CHECKSUM_NEVER;
    if (facts->mode > ENET_NOT_COMPRESSED)
        pair->known.compression = facts->mode;
    keep_format(pair, gw_sender_side(pinfo), facts);
}

void enet_keep_clock(enet_pair *pair, const packet_info *pinfo, uint8_t side, const enet_facts *facts)
{
    if (facts->header.has_sent_time)
        pair->clocks[side] = (enet_clock){ pinfo->abs_ts, facts->sent_time, true };
}

enet_pair *enet_find_modes(packet_info *pinfo, int protocol, uint32_t key, enet_choice *choice)
{
    if (enet_find_archived_modes(pinfo, key, choice))
        return NULL;
    enet_pair *pair = (enet_pair *)gw_conversation_find(pinfo, protocol);
    if (pair && pair->any_known)
        *choice = pair->known;
    if (pair)
        choice->formats = pair->formats[gw_sender_side(pinfo)];
    return pair;
}

bool enet_has_evidence(const packet_info *pinfo, const enet_pair *pair, const enet_choice *known)
{
    if (pair)
        return pair->evidence_in && pair->evidence_in <= pinfo->num;
    return known->checksum != ENET_CHECKSUM_AUTOMATIC;
}

/* ---- datagrams of a known connection -------------------------------------------------------------------- */

/* Evidence with which a datagram is accepted although its peer id, session or compression is another. */
#define OTHER_SENDER_BITS 16

/* The latest connection's or, of late datagrams, that before it. Of a side that has sent nothing yet, any. */
bool enet_knows_header(const enet_pair *pair, uint8_t side, const gw_enet_header *header)
{
    const enet_connection *last = pair->last;
    if (!last || !header->has_peer)
        return false;
    return last->peer[side] == ENET_UNKNOWN_PEER || enet_has_header(last, side, header) ||
           (last->before && enet_has_header(last->before, side, header));
}

bool enet_keep_example(enet_pair *pair, uint8_t side)
{
    uint32_t count = pair->examples[side]++;
    return count < FIRST_EXAMPLES || !(count % EXAMPLE_INTERVAL);
}

static bool has_shown(const enet_pair *pair, const enet_commands *opened)
{
    const enet_choice *shown = &pair->known;
    if (!pair->any_known)
        return true;
    bool other_mode = shown->compression > ENET_NOT_COMPRESSED && opened->mode > ENET_NOT_COMPRESSED &&
                      opened->mode != shown->compression;
    if (opened->format->checksum_always || opened->format->checksum == GW_ENET_CHECKSUM_NONE)
        return !other_mode;
    return !other_mode && opened->checksum == (shown->checksum == ENET_CHECKSUM_ALWAYS);
}

static bool may_have_sent_commands(const enet_pair *pair, uint8_t side, const enet_arrival *arrival)
{
    uint32_t bits = arrival->opened->recognition.bits;
    if (bits >= OTHER_SENDER_BITS)
        return true;
    /* Numbers begin at 1: 0 is acknowledged only after 65,535. */
    if (arrival->beginning.acks_zero && !pair->last->directions[enet_other(side)].near_wrap)
        return false;
    return bits && enet_knows_header(pair, side, &arrival->beginning.header) && has_shown(pair, arrival->opened);
}

/* Commands that can be read to the end of the datagram, though they break a rule. */
static bool has_unusual_commands(const enet_pair *pair, const enet_arrival *arrival)
{
    const enet_commands *opened = arrival->opened;
    return opened->recognition.possible && !opened->recognition.bits && has_shown(pair, opened);
}

static bool is_any(const uint8_t *bytes, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++)
        if (bytes[i])
            return true;
    return false;
}

bool enet_is_sound(const uint8_t *bytes, uint32_t captured, const enet_arrival *arrival)
{
    const gw_enet_header *header = &arrival->beginning.header;
    const enet_reading *reading = arrival->opened->reading;
    if (header->is_compressed)
        return (!header->has_sent_time || header->peer || header->session || header->sent_time) &&
               is_any(bytes + header->length, captured - header->length);
    return arrival->beginning.is_written || (reading && reading->reader.fault.fault_class == GW_FAULT_NONE);
}

/* In the known mode if they are cut. In an unknown one with a sent time, or after such a datagram. */
static bool accept_compressed(enet_pair *pair, const enet_arrival *arrival)
{
    if (pair->known.compression > ENET_NOT_COMPRESSED)
        return !arrival->whole;
    pair->other_compression |= arrival->beginning.header.has_sent_time;
    return pair->other_compression;
}

/* Commands that are malformed, compressed or encrypted, and cannot be read. A sent time must fit the sender's clock. */
static bool accept_other(enet_pair *pair, const packet_info *pinfo, uint8_t side, const enet_arrival *arrival)
{
    const gw_enet_header *header = &arrival->beginning.header;
    if (!header->has_peer)
        return has_unusual_commands(pair, arrival);
    if (!enet_knows_header(pair, side, header))
        return false;
    /* With no other of the further flags. */
    if (header->is_encrypted && header->extended == arrival->opened->format->encrypted_bit)
        return true;
    if (!arrival->is_sound ||
        (header->has_sent_time && !enet_is_in_time(&pair->clocks[side], pinfo, header->sent_time)))
        return false;
    if (header->is_compressed)
        return accept_compressed(pair, arrival);
    return arrival->beginning.has_command && (header->has_sent_time || has_unusual_commands(pair, arrival));
}

/* A server may acknowledge CONNECT before it answers: then the session, and its clock, are not known yet. */
static bool is_answer(const enet_pair *pair, uint8_t side, const enet_arrival *arrival)
{
    const enet_reading *reading = arrival->opened->reading;
    const gw_enet_header *header = &arrival->beginning.header;
    bool is_known_peer = pair->last->peer[side] == ENET_UNKNOWN_PEER || pair->last->peer[side] == header->peer;
    return arrival->is_sound && reading && header->has_peer && is_known_peer &&
           enet_is_answer(pair->last, side, &reading->facts);
}

/* The beginning of a datagram, without the fields of its first command or compressed. */
static bool may_be_quoted(const enet_pair *pair, uint8_t side, const enet_arrival *arrival)
{
    const gw_enet_beginning *beginning = &arrival->beginning;
    return !arrival->whole && pair && enet_knows_header(pair, side, &beginning->header) &&
           (beginning->header.is_compressed || beginning->has_command);
}

bool enet_may_have_sent(packet_info *pinfo, uint32_t key, enet_pair *pair, const enet_arrival *arrival)
{
    uint8_t side = gw_sender_side(pinfo);
    bool possible = arrival->opened->recognition.possible;
    if (gw_is_quoted(pinfo))
        return possible || may_be_quoted(pair, side, arrival);
    if (gw_is_later_pass(pinfo))
        return enet_find_archived_modes(pinfo, key, NULL);
    if (!pair || !pair->last)
        return possible;
    return (possible && (may_have_sent_commands(pair, side, arrival) || is_answer(pair, side, arrival))) ||
           accept_other(pair, pinfo, side, arrival);
}
