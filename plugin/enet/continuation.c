/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finds the connection that a datagram from another address continues.
 */
#include "internal.h"

#include "common/kept_memory.h"

/* ENet drops a peer that answers nothing for this time (source). */
#define LONGEST_TIMEOUT_S 30

/* Commands that may be missing before the datagram: those sent while the address changed. */
#define MOST_MISSING 32

/* One side of a connection. */
typedef struct kept_receiver {
    int64_t key;
    enet_pair *pair;
    enet_connection *connection;
    uint8_t side; /* the sender's */
} kept_receiver;

/* The latest connection with this receiver, peer id and session: key -> kept_receiver. */
static wmem_map_t *receivers;

void enet_register_continuation(void)
{
    receivers = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_int64_hash, g_int64_equal);
}

/* ---- the sender ----------------------------------------------------------------------------------------- */

static int64_t key_of(const packet_info *pinfo, uint32_t peer, uint32_t session)
{
    const uint64_t parts[] = { enet_hash(pinfo->dst.data, (size_t)pinfo->dst.len),
                               (uint64_t)pinfo->vlan_id << 32 | pinfo->destport, (uint64_t)peer << 32 | session };
    return (int64_t)enet_hash((const uint8_t *)parts, sizeof parts);
}

void enet_keep_receiver(packet_info *pinfo, enet_pair *pair, enet_connection *connection, uint8_t side)
{
    enet_direction *own = &connection->directions[side];
    bool is_second = own->any_peer && !own->has_receiver;
    own->any_peer = true;
    if (!is_second)
        return;
    own->has_receiver = true;
    kept_receiver *receiver = gw_alloc_kept(sizeof *receiver);
    *receiver = (kept_receiver){ .key = key_of(pinfo, connection->peer[side], connection->session[side]),
                                 .pair = pair,
                                 .connection = connection,
                                 .side = side };
    wmem_map_insert(receivers, &receiver->key, receiver);
}

bool enet_is_in_time(const enet_clock *clock, const packet_info *pinfo, uint16_t sent_time)
{
    nstime_t elapsed;
    if (!clock->known)
        return false;
    nstime_delta(&elapsed, &pinfo->abs_ts, &clock->time);
    uint16_t expected = (uint16_t)(clock->sent_time + (int64_t)nstime_to_msec(&elapsed));
    int difference = (int16_t)(sent_time - expected);
    return ABS(difference) <= ENET_CLOCK_TOLERANCE_MS;
}

static bool is_alive(const enet_direction *own, const packet_info *pinfo)
{
    nstime_t silence;
    nstime_delta(&silence, &pinfo->abs_ts, &own->last_time);
    return silence.secs >= 0 && silence.secs < LONGEST_TIMEOUT_S;
}

/* ---- numbers -------------------------------------------------------------------------------------------- */

static bool is_next(uint32_t number, uint32_t highest)
{
    return number > highest && number - highest <= MOST_MISSING;
}

static const enet_send *find_acked(const enet_direction *peer, const enet_command *command)
{
    const enet_channel *channel = enet_find_channel(peer, command->channel);
    enet_record *record =
        channel && channel->any ? enet_find_record(channel, enet_unwrap(channel->highest, command->sequence)) : NULL;
    return record ? enet_find_send(record, command->acked_sent_time) : NULL;
}

/* A new command, or one that was not acknowledged. Of a channel that was not used so far, the first one. */
static bool is_next_on_channel(const enet_direction *own, const enet_command *command)
{
    const enet_channel *channel = enet_find_channel(own, command->channel);
    bool is_unreliable =
        command->number == GW_ENET_SEND_UNRELIABLE || command->number == GW_ENET_SEND_UNRELIABLE_FRAGMENT;
    if (!channel || !channel->any)
        return own->from_start && command->sequence == (is_unreliable ? 0 : 1);
    uint32_t sequence = enet_unwrap(channel->highest, command->sequence);
    if (is_unreliable)
        return sequence - channel->highest <= MOST_MISSING;
    const enet_record *record = enet_find_record(channel, sequence);
    return record ? !record->acked_in : is_next(sequence, channel->highest);
}

static bool is_next_of(const enet_connection *connection, uint8_t side, const enet_command *command)
{
    const enet_direction *own = &connection->directions[side];
    if (command->number == GW_ENET_ACKNOWLEDGE) {
        const enet_send *send = find_acked(&connection->directions[enet_other(side)], command);
        return send && !send->acked_in;
    }
    if (command->number == GW_ENET_SEND_UNSEQUENCED)
        return own->any_group && is_next(enet_unwrap(own->highest_group, command->sub_sequence), own->highest_group);
    return is_next_on_channel(own, command);
}

static bool has_next_numbers(const enet_connection *connection, uint8_t side, const enet_facts *facts)
{
    for (uint32_t i = 0; i < facts->count; i++)
        if (!is_next_of(connection, side, &facts->commands[i]))
            return false;
    return facts->count;
}

bool enet_is_answer(const enet_connection *connection, uint8_t side, const enet_facts *facts)
{
    for (uint32_t i = 0; i < facts->count; i++)
        if (facts->commands[i].number != GW_ENET_ACKNOWLEDGE ||
            !find_acked(&connection->directions[enet_other(side)], &facts->commands[i]))
            return false;
    return facts->count;
}

/* ---- finding -------------------------------------------------------------------------------------------- */

/* A capture on a NAT has each datagram twice, from two addresses: the second one continues nothing. */
const enet_connection *enet_find_continued(const packet_info *pinfo, const gw_enet_header *header,
                                           const enet_facts *facts)
{
    const int64_t key = key_of(pinfo, header->peer, header->session);
    const kept_receiver *receiver = header->has_peer ? wmem_map_lookup(receivers, &key) : NULL;
    if (!receiver || receiver->connection != receiver->pair->last || receiver->connection->disconnect_frame)
        return NULL;
    const enet_direction *own = &receiver->connection->directions[receiver->side];
    bool is_answered = receiver->connection->directions[enet_other(receiver->side)].any;
    bool in_time = header->has_sent_time
                       ? enet_is_in_time(&receiver->pair->clocks[receiver->side], pinfo, header->sent_time)
                       : enet_is_answer(receiver->connection, receiver->side, facts);
    if (!is_answered || !in_time || !is_alive(own, pinfo) || enet_was_seen(&own->datagrams, enet_datagram_key(facts)) ||
        !has_next_numbers(receiver->connection, receiver->side, facts))
        return NULL;
    return receiver->connection;
}
