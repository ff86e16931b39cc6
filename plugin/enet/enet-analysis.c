/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "enet-analysis.h"

#include <epan/proto_data.h>

#include "common/conversation.h"
#include "enet-records.h"

/* Pings are sent every 0.5 s; a peer that answers nothing for this long may be given up (source). */
#define SHORTEST_TIMEOUT_S 5

/* What a message's numbers may be ahead before the receiver drops it (source). */
#define FARTHEST_AHEAD (GW_ENET_SEQUENCE_WINDOWS * GW_ENET_SEQUENCE_WINDOW)

/* Where the analysis of one datagram is. */
typedef struct context {
    packet_info *pinfo;
    const enet_facts *facts;
    enet_notes *notes;
    enet_connection *connection;
    enet_direction *own, *peer;
} context;

/* Ids for reassembly, in this file or in any: they only have to differ. */
static uint32_t last_message;

/* ---- channels ------------------------------------------------------------------------------------------- */

static enet_channel *find_channel(const enet_direction *direction, uint8_t number)
{
    return direction->channels ? (enet_channel *)wmem_map_lookup(direction->channels, GUINT_TO_POINTER(number)) : NULL;
}

static enet_channel *obtain_channel(enet_direction *direction, uint8_t number)
{
    enet_channel *channel = find_channel(direction, number);
    if (channel)
        return channel;
    if (!direction->channels)
        direction->channels = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
    channel = wmem_new0(wmem_file_scope(), enet_channel);
    channel->records = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
    if (direction->from_start) {
        channel->any = true;
        channel->highest = ENET_NUMBER_ZERO;
        channel->first = ENET_NUMBER_ZERO + 1;
    }
    wmem_map_insert(direction->channels, GUINT_TO_POINTER(number), channel);
    return channel;
}

/* In the middle of a connection the first number that is captured begins the count. */
static void begin_channel(enet_channel *channel, uint16_t before)
{
    channel->any = true;
    channel->highest = ENET_NUMBER_ZERO + before;
    channel->first = channel->highest + 1;
}

static enet_record *find_record(const enet_channel *channel, uint32_t sequence)
{
    return (enet_record *)wmem_map_lookup(channel->records, GUINT_TO_POINTER(sequence));
}

static enet_send *find_send(enet_record *record, uint16_t sent_time)
{
    for (enet_send *send = &record->first; send; send = send->next)
        if (send->sent_time == sent_time)
            return send;
    return NULL;
}

/* ---- reliable commands ---------------------------------------------------------------------------------- */

static bool has_payload(const enet_command *command)
{
    return gw_enet_command_of(command->number)->has_payload;
}

static void note_in_flight(context *at, const enet_command *command, enet_note *note)
{
    if (!has_payload(command))
        return;
    at->own->in_flight += command->length;
    note->in_flight = at->own->in_flight;
    if (at->own->window && (uint64_t)note->in_flight + command->length > at->own->window)
        note->findings |= ENET_WINDOW_FULL;
}

static enet_record *add_record(context *at, enet_channel *channel, const enet_command *command, uint32_t sequence)
{
    enet_record *record = wmem_new0(wmem_file_scope(), enet_record);
    record->sequence = sequence;
    record->number = command->number;
    record->length = command->length;
    record->first = (enet_send){ NULL, at->pinfo->abs_ts, at->pinfo->num, 0, at->facts->sent_time };
    record->last = &record->first;
    record->sends = 1;
    wmem_map_insert(channel->records, GUINT_TO_POINTER(sequence), record);
    return record;
}

/* Numbers are first sent in ascending order. One that is lower than the highest was overtaken, or its first sending was
 * not captured: the sent time shows which of the two datagrams was sent first. */
static void note_new(context *at, enet_channel *channel, uint32_t sequence, enet_note *note)
{
    if (sequence > channel->highest) {
        note->missing = sequence - channel->highest - 1;
        if (note->missing)
            note->findings |= note->missing > FARTHEST_AHEAD ? ENET_GAP | ENET_TOO_FAR_AHEAD : ENET_GAP;
        channel->highest = sequence;
        channel->highest_sent_time = at->facts->sent_time;
        return;
    }
    bool sent_later = (int16_t)(at->facts->sent_time - channel->highest_sent_time) > 0;
    note->findings |= sent_later ? ENET_RETRANSMISSION : ENET_OUT_OF_ORDER;
}

static void note_again(context *at, enet_record *record, enet_note *note)
{
    enet_send *send = find_send(record, at->facts->sent_time);
    note->send = send;
    if (send) {
        note->findings |= ENET_DUPLICATE;
        return;
    }
    send = wmem_new0(wmem_file_scope(), enet_send);
    send->time = at->pinfo->abs_ts;
    send->frame = at->pinfo->num;
    send->sent_time = at->facts->sent_time;
    record->last = record->last->next = send;
    note->send = send;
    note->resend = record->sends++;
    note->findings |= ENET_RETRANSMISSION | (record->acked_in ? ENET_SPURIOUS : 0);
}

static void note_reliable(context *at, const enet_command *command, enet_note *note)
{
    enet_channel *channel = obtain_channel(at->own, command->channel);
    if (!channel->any)
        begin_channel(channel, (uint16_t)(command->sequence - 1));
    uint32_t sequence = enet_unwrap(channel->highest, command->sequence);
    enet_record *record = find_record(channel, sequence);
    note->record = record;
    if (record) {
        note_again(at, record, note);
        return;
    }
    note_new(at, channel, sequence, note);
    note->record = record = add_record(at, channel, command, sequence);
    note->send = &record->first;
    if (command->flags & GW_ENET_ACKNOWLEDGE_FLAG)
        note_in_flight(at, command, note);
}

/* ---- acknowledgements ----------------------------------------------------------------------------------- */

static void acknowledge(context *at, enet_record *record)
{
    record->acked_in = at->pinfo->num;
    at->peer->in_flight -= MIN(at->peer->in_flight, record->length);
}

static void note_ack(context *at, const enet_command *command, enet_note *note)
{
    enet_channel *channel = find_channel(at->peer, command->channel);
    if (!channel || !channel->any) {
        note->findings |= at->peer->from_start ? ENET_UNSEEN_ACK : 0;
        return;
    }
    uint32_t sequence = enet_unwrap(channel->highest, command->sequence);
    enet_record *record = find_record(channel, sequence);
    note->record = record;
    if (!record) {
        note->findings |= sequence >= channel->first ? ENET_UNSEEN_ACK : 0;
        return;
    }
    enet_send *send = find_send(record, command->acked_sent_time);
    note->send = send;
    if (send ? send->acked_in : record->acked_in)
        note->findings |= ENET_DUPLICATE_ACK;
    if (send && !send->acked_in)
        send->acked_in = at->pinfo->num;
    if (!record->acked_in)
        acknowledge(at, record);
}

/* ---- unreliable and unsequenced messages ---------------------------------------------------------------- */

static void note_missing(enet_note *note, uint32_t missing)
{
    note->missing = missing;
    note->findings |= missing ? ENET_LOST : 0;
}

/* The pair of numbers orders a channel's unreliable messages; after each reliable command the second begins at 1 again.
 * How many were sent before that, nobody knows. */
static void note_unreliable(context *at, const enet_command *command, enet_note *note)
{
    enet_channel *channel = obtain_channel(at->own, command->channel);
    if (!channel->any)
        begin_channel(channel, command->sequence);
    uint64_t number = (uint64_t)enet_unwrap(channel->highest, command->sequence) << 16 | command->sub_sequence;
    uint64_t before = channel->highest_unreliable;
    if (enet_remember(&channel->unreliable, number << 20 | (command->fragment_number & 0xFFFFF), at->pinfo->num)) {
        note->findings |= ENET_DUPLICATE;
    } else if (channel->any_unreliable && number < before) {
        note->findings |= ENET_OUT_OF_ORDER;
    } else if (!channel->any_unreliable || number > before) {
        uint32_t expected = channel->any_unreliable && number >> 16 == before >> 16 ? (uint16_t)before + 1U : 1;
        if (channel->any_unreliable || at->own->from_start)
            note_missing(note, command->sub_sequence - MIN(expected, command->sub_sequence));
        channel->any_unreliable = true;
        channel->highest_unreliable = number;
    }
}

static void note_unsequenced(context *at, const enet_command *command, enet_note *note)
{
    enet_direction *own = at->own;
    if (!own->any_group) {
        own->any_group = true;
        own->highest_group = ENET_NUMBER_ZERO + (own->from_start ? 0 : (uint16_t)(command->sub_sequence - 1));
    }
    uint32_t group = enet_unwrap(own->highest_group, command->sub_sequence);
    if (enet_remember(&own->groups, group, at->pinfo->num)) {
        note->findings |= ENET_DUPLICATE;
    } else if (group < own->highest_group) {
        note->findings |= ENET_OUT_OF_ORDER;
    } else {
        note_missing(note, group - own->highest_group - 1);
        own->highest_group = group;
    }
}

/* ---- fragments ------------------------------------------------------------------------------------------ */

/* Of all fragments of one message in a channel. */
static uint64_t fragment_key(const enet_channel *channel, const enet_command *command)
{
    uint32_t sequence = enet_unwrap(channel->highest, command->sequence);
    if (command->number == GW_ENET_SEND_FRAGMENT)
        return sequence - (uint16_t)(command->sequence - command->sub_sequence);
    return UINT64_C(1) << 63 | (uint64_t)sequence << 16 | command->sub_sequence;
}

/* Copies and resends of what was captured are not reassembled once more. */
static void note_fragment(context *at, const enet_command *command, enet_note *note)
{
    enet_channel *channel = obtain_channel(at->own, command->channel);
    bool resent = note->findings & ENET_RETRANSMISSION && note->resend;
    if (note->findings & ENET_DUPLICATE || resent || command->odd)
        return;
    if (!channel->messages)
        channel->messages = wmem_map_new(wmem_file_scope(), wmem_int64_hash, g_int64_equal);
    uint64_t key = fragment_key(channel, command);
    uint32_t message = GPOINTER_TO_UINT(wmem_map_lookup(channel->messages, &key));
    if (!message) {
        message = ++last_message;
        wmem_map_insert(channel->messages, wmem_memdup(wmem_file_scope(), &key, sizeof key), GUINT_TO_POINTER(message));
    }
    note->message = message;
    if (note->record)
        note->record->message = message;
}

/* ---- limits --------------------------------------------------------------------------------------------- */

static void note_bandwidth(context *at, const enet_command *command, enet_note *note)
{
    enet_direction *own = at->own;
    const uint32_t *setup = command->setup;
    if (own->bandwidth_known && (own->incoming_bandwidth != setup[GW_ENET_INCOMING_BANDWIDTH] ||
                                 own->outgoing_bandwidth != setup[GW_ENET_OUTGOING_BANDWIDTH]))
        note->findings |= ENET_BANDWIDTH_CHANGED;
    own->incoming_bandwidth = setup[GW_ENET_INCOMING_BANDWIDTH];
    own->outgoing_bandwidth = setup[GW_ENET_OUTGOING_BANDWIDTH];
    own->bandwidth_known = true;
    if (at->peer->window)
        at->peer->window = enet_window_of(at->peer->outgoing_bandwidth, own->incoming_bandwidth);
}

static void note_throttle(context *at, const enet_command *command, enet_note *note)
{
    const uint32_t throttle[] = { command->setup[GW_ENET_THROTTLE_INTERVAL],
                                  command->setup[GW_ENET_THROTTLE_ACCELERATION],
                                  command->setup[GW_ENET_THROTTLE_DECELERATION] };
    enet_direction *own = at->own;
    if (own->throttle_known && memcmp(own->throttle, throttle, sizeof throttle) != 0)
        note->findings |= ENET_THROTTLE_CHANGED;
    memcpy(own->throttle, throttle, sizeof throttle);
    own->throttle_known = true;
}

/* ---- a datagram ----------------------------------------------------------------------------------------- */

static void note_command(context *at, const enet_command *command, enet_note *note)
{
    if (command->number == GW_ENET_ACKNOWLEDGE)
        note_ack(at, command, note);
    else if (command->flags & GW_ENET_ACKNOWLEDGE_FLAG || command->channel == GW_ENET_CONNECTION_CHANNEL)
        note_reliable(at, command, note);
    else if (command->number == GW_ENET_SEND_UNSEQUENCED)
        note_unsequenced(at, command, note);
    else
        note_unreliable(at, command, note);
    if (command->fragment_count)
        note_fragment(at, command, note);
    if (has_payload(command) && at->connection->channel_count && command->channel >= at->connection->channel_count)
        note->findings |= ENET_NO_SUCH_CHANNEL;
    if (command->number == GW_ENET_BANDWIDTH_LIMIT)
        note_bandwidth(at, command, note);
    else if (command->number == GW_ENET_THROTTLE_CONFIGURE)
        note_throttle(at, command, note);
}

/* A datagram with a command that is numbered is never sent twice by ENet. Acknowledgements alone may be equal. */
static bool is_unique(const enet_facts *facts)
{
    for (uint32_t i = 0; i < facts->count; i++)
        if (facts->commands[i].number != GW_ENET_ACKNOWLEDGE)
            return true;
    return false;
}

static void note_datagram(context *at)
{
    enet_direction *own = at->own;
    if (own->any) {
        nstime_delta(&at->notes->silence, &at->pinfo->abs_ts, &own->last_time);
        at->notes->silent = at->notes->silence.secs >= SHORTEST_TIMEOUT_S;
    }
    own->any = true;
    own->last_time = at->pinfo->abs_ts;
    if (is_unique(at->facts))
        at->notes->duplicate_of = enet_remember(
            &own->datagrams, (uint64_t)at->facts->wire_hash << 32 | at->facts->wire_length, at->pinfo->num);
}

/* With two datagrams that agree on a connect id, it is known without a CONNECT. */
static void note_checksum(enet_pair *pair, context *at, tvbuff_t *tvb, const uint8_t *plain, uint32_t plain_length)
{
    enet_connection *connection = at->connection;
    uint32_t before = gw_enet_header_length(at->facts->header, false);
    if (gw_enet_peer_of(at->facts->header) == GW_ENET_NO_PEER) {
        at->notes->connect_id_known = true;
        return;
    }
    if (!connection->has_connect_id) {
        uint32_t id = gw_enet_connect_id_of(tvb_get_ptr(tvb, 0, (int)before), before, tvb_get_ntohl(tvb, (int)before),
                                            plain, plain_length);
        connection->has_connect_id = pair->any_derived && pair->derived_id == id;
        connection->connect_id = connection->has_connect_id ? id : 0;
        pair->derived_id = id;
        pair->any_derived = true;
    }
    at->notes->connect_id_known = connection->has_connect_id;
    at->notes->connect_id = connection->connect_id;
}

static void learn(enet_pair *pair, const enet_facts *facts)
{
    pair->any_learned = true;
    pair->learned.checksum = facts->checksum ? ENET_CHECKSUM_ALWAYS : ENET_CHECKSUM_NEVER;
    if (facts->mode > ENET_NOT_COMPRESSED)
        pair->learned.compression = facts->mode;
}

void enet_learned(packet_info *pinfo, int protocol, unsigned ordinal, enet_choice *choice)
{
    const enet_notes *notes = NULL;
    if (PINFO_FD_VISITED(pinfo))
        notes = (const enet_notes *)p_get_proto_data(wmem_file_scope(), pinfo, protocol, ordinal);
    const enet_pair *pair = notes ? NULL : (const enet_pair *)gw_conversation_find(pinfo, protocol);
    if (notes)
        *choice = notes->choice;
    else if (pair && pair->any_learned)
        *choice = pair->learned;
}

bool enet_knows_header(packet_info *pinfo, int protocol, uint16_t header)
{
    const enet_pair *pair = (const enet_pair *)gw_conversation_find(pinfo, protocol);
    uint8_t side = gw_sender_side(pinfo);
    return pair && pair->last && pair->last->peer[side] == gw_enet_peer_of(header) &&
           pair->last->session[side] == gw_enet_session_of(header);
}

bool enet_connection_of(packet_info *pinfo, int protocol, uint32_t *number)
{
    const enet_pair *pair = (const enet_pair *)gw_conversation_find(pinfo, protocol);
    const enet_connection *connection = pair ? pair->last : NULL;
    while (connection && connection->first_frame > pinfo->num)
        connection = connection->before;
    *number = connection ? connection->number : 0;
    return connection != NULL;
}

static const enet_notes *analyse_new(packet_info *pinfo, int protocol, const enet_facts *facts, tvbuff_t *tvb,
                                     const uint8_t *plain, uint32_t plain_length)
{
    enet_pair *pair = (enet_pair *)gw_conversation_obtain(pinfo, protocol, sizeof(enet_pair));
    enet_note *commands = wmem_alloc0_array(wmem_file_scope(), enet_note, MAX(facts->count, 1));
    enet_notes *notes = wmem_new0(wmem_file_scope(), enet_notes);
    notes->commands = commands;
    notes->side = gw_sender_side(pinfo);
    notes->choice.compression = facts->mode;
    notes->choice.checksum = facts->checksum ? ENET_CHECKSUM_ALWAYS : ENET_CHECKSUM_NEVER;
    notes->connection = enet_find_connection(pair, pinfo, notes->side, facts);
    enet_direction *directions = notes->connection->directions;
    context at = {
        pinfo, facts, notes, notes->connection, &directions[notes->side], &directions[enet_other(notes->side)]
    };
    enet_note_connection(notes->connection, pinfo, facts, notes);
    note_datagram(&at);
    for (uint32_t i = 0; i < facts->count; i++)
        note_command(&at, &facts->commands[i], &commands[i]);
    if (facts->checksum)
        note_checksum(pair, &at, tvb, plain, plain_length);
    learn(pair, facts);
    return notes;
}

const enet_notes *enet_analyse(packet_info *pinfo, int protocol, unsigned ordinal, const enet_facts *facts,
                               tvbuff_t *tvb, const uint8_t *plain, uint32_t plain_length)
{
    if (gw_is_quoted(pinfo))
        return NULL;
    if (PINFO_FD_VISITED(pinfo))
        return (const enet_notes *)p_get_proto_data(wmem_file_scope(), pinfo, protocol, ordinal);
    const enet_notes *notes = analyse_new(pinfo, protocol, facts, tvb, plain, plain_length);
    p_add_proto_data(wmem_file_scope(), pinfo, protocol, ordinal, (void *)(uintptr_t)notes);
    return notes;
}
