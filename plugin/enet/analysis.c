/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Updates the records of connections, channels and commands from the facts of each datagram, on the first pass.
 */
#include "analysis.h"

#include <epan/proto_data.h>

#include "common/conversation.h"
#include "recognition.h"
#include "records.h"

/* Pings are sent every 0.5 s; a peer without an answer for this time may be disconnected (source). */
#define SHORTEST_TIMEOUT_S 5

/* Used in keys of records for commands that are not numbered in their channel. */
#define UNCOUNTED UINT32_C(0x80000000)

/* Of one command: ENet gives a connection up long before. Each is searched for when the command comes again. */
#define MOST_SENDS_KEPT 64

/* Numbers from here on wrap soon, or have wrapped. */
#define NEAR_WRAP 0xF000

/* Where the analysis of one datagram is. */
typedef struct context {
    packet_info *pinfo;
    const enet_facts *facts;
    enet_notes *notes;
    enet_connection *connection;
    enet_direction *own, *peer;
} context;

/* ---- channels ------------------------------------------------------------------------------------------- */

static enet_channel *find_channel(const enet_direction *direction, uint8_t number)
{
    for (enet_channel *channel = direction->channels; channel; channel = channel->next)
        if (channel->number == number)
            return channel;
    return NULL;
}

static void put_first(enet_direction *direction, enet_channel *channel)
{
    channel->next = direction->channels;
    direction->channels = channel;
}

static enet_channel *obtain_channel(enet_direction *direction, uint8_t number)
{
    enet_channel **link = &direction->channels;
    while (*link && (*link)->number != number)
        link = &(*link)->next;
    enet_channel *channel = *link;
    if (channel) {
        *link = channel->next;
        put_first(direction, channel);
        return channel;
    }
    channel = wmem_new0(wmem_file_scope(), enet_channel);
    channel->number = number;
    put_first(direction, channel);
    if (direction->from_start) {
        channel->any = true;
        channel->highest = ENET_NUMBER_ZERO;
        channel->first = ENET_NUMBER_ZERO + 1;
    }
    return channel;
}

/* If the capture begins inside a connection, counting begins with the first captured number. */
static void begin_channel(enet_channel *channel, uint16_t before)
{
    channel->any = true;
    channel->highest = ENET_NUMBER_ZERO + before;
    channel->first = channel->highest + 1;
}

static enet_record *find_record(const enet_channel *channel, uint32_t sequence)
{
    for (uint32_t i = 0; i < MIN(channel->record_count, ENET_FIRST_RECORDS); i++)
        if (channel->first_records[i]->sequence == sequence)
            return channel->first_records[i];
    return channel->records ? (enet_record *)wmem_map_lookup(channel->records, GUINT_TO_POINTER(sequence)) : NULL;
}

static void keep_record(enet_channel *channel, enet_record *record)
{
    if (channel->record_count < ENET_FIRST_RECORDS) {
        channel->first_records[channel->record_count++] = record;
        return;
    }
    if (!channel->records)
        channel->records = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
    wmem_map_insert(channel->records, GUINT_TO_POINTER(record->sequence), record);
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

/* Bytes that were sent before the previous interval do not count: ENet has resent them by then, or their
 * acknowledgements were not captured. */
static uint32_t interval_of(const nstime_t *time)
{
    return (uint32_t)(time->secs / SHORTEST_TIMEOUT_S);
}

static void begin_interval(enet_direction *own, uint32_t interval)
{
    if (interval == own->interval)
        return;
    own->in_flight[1] = interval == own->interval + 1 ? own->in_flight[0] : 0;
    own->in_flight[0] = 0;
    own->interval = interval;
}

static void note_in_flight(context *at, const enet_command *command, enet_note *note)
{
    enet_direction *own = at->own;
    if (!has_payload(command))
        return;
    begin_interval(own, interval_of(&at->pinfo->abs_ts));
    own->in_flight[0] += command->length;
    note->in_flight = own->in_flight[0] + own->in_flight[1];
    /* Without the other direction there are no acknowledgements. */
    if (own->window && at->peer->any && (uint64_t)note->in_flight + command->length > own->window)
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
    keep_record(channel, record);
    return record;
}

/* The receiver drops such a message, and does not acknowledge it (source). */
static bool is_too_far(const enet_channel *channel, uint32_t sequence)
{
    return sequence > channel->highest &&
           sequence / GW_ENET_SEQUENCE_WINDOW - channel->highest / GW_ENET_SEQUENCE_WINDOW >= GW_ENET_SEQUENCE_WINDOWS;
}

/* Numbers are first sent in ascending order. One that is lower than the highest was overtaken, or its first
 * transmission was not captured: the sent time shows which of the two datagrams was sent first. */
static void note_new(context *at, enet_channel *channel, uint32_t sequence, enet_note *note)
{
    if (sequence > channel->highest) {
        note->missing = sequence - channel->highest - 1;
        if (note->missing)
            note->findings |= ENET_GAP;
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
    note->resend = record->sends++;
    note->findings |= ENET_RETRANSMISSION | (record->acked_in ? ENET_SPURIOUS : 0);
    if (note->resend >= MOST_SENDS_KEPT)
        return;
    send = wmem_new0(wmem_file_scope(), enet_send);
    send->time = at->pinfo->abs_ts;
    send->frame = at->pinfo->num;
    send->sent_time = at->facts->sent_time;
    record->last = record->last->next = send;
    note->send = send;
}

static void note_reliable(context *at, const enet_command *command, enet_note *note)
{
    enet_channel *channel = obtain_channel(at->own, command->channel);
    if (!channel->any)
        begin_channel(channel, (uint16_t)(command->sequence - 1));
    uint32_t sequence = enet_unwrap(channel->highest, command->sequence);
    at->own->near_wrap |= command->sequence >= NEAR_WRAP;
    if (has_payload(command) && is_too_far(channel, sequence)) {
        channel->too_far = sequence;
        note->findings |= ENET_TOO_FAR_AHEAD;
        note->dropped = true;
        return;
    }
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

/* What no sender writes, but the receiver acknowledges: an unreliable message that asks for it, or a command about the
 * connection on another channel. It has no place in the channel's numbers; only its acknowledgement is to be known. */
static void note_uncounted(context *at, const enet_command *command, enet_note *note)
{
    enet_channel *channel = obtain_channel(at->own, command->channel);
    uint32_t key = enet_unwrap(channel->highest, command->sequence) | UNCOUNTED;
    note->record = add_record(at, channel, command, key);
    note->record->length = 0;
    note->send = &note->record->first;
}

/* ---- acknowledgements ----------------------------------------------------------------------------------- */

static void acknowledge(context *at, enet_record *record)
{
    enet_direction *peer = at->peer;
    uint32_t before = peer->interval - interval_of(&record->first.time);
    record->acked_in = at->pinfo->num;
    if (before < 2)
        peer->in_flight[before] -= MIN(peer->in_flight[before], record->length);
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
    if (!record)
        record = find_record(channel, sequence | UNCOUNTED);
    note->record = record;
    if (sequence == channel->too_far) {
        /* It was not too far for the receiver: what is between was not captured. */
        channel->highest = sequence;
        channel->too_far = 0;
        return;
    }
    if (!record) {
        note->findings |= sequence >= channel->first ? ENET_UNSEEN_ACK : 0;
        return;
    }
    enet_send *send = find_send(record, command->acked_sent_time);
    note->send = send;
    if (!send)
        note->findings |= ENET_UNSEEN_ACK;
    else if (send->acked_in)
        note->findings |= ENET_DUPLICATE_ACK;
    else
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
 * How many were sent before that is not known. */
static void note_unreliable(context *at, const enet_command *command, enet_note *note)
{
    enet_channel *channel = obtain_channel(at->own, command->channel);
    if (!channel->any)
        begin_channel(channel, command->sequence);
    uint32_t sequence = enet_unwrap(channel->highest, command->sequence);
    if (is_too_far(channel, sequence)) {
        note->findings |= ENET_TOO_FAR_AHEAD;
        note->dropped = true;
        return;
    }
    uint64_t number = (uint64_t)sequence << 16 | command->sub_sequence;
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

/* Key of all fragments of one message in a channel. */
static int64_t fragment_key(const enet_channel *channel, const enet_command *command)
{
    uint32_t sequence = enet_unwrap(channel->highest, command->sequence);
    if (command->number == GW_ENET_SEND_FRAGMENT)
        return sequence - (uint16_t)(command->sequence - command->sub_sequence);
    return INT64_C(1) << 62 | (int64_t)sequence << 16 | command->sub_sequence;
}

static enet_reassembly *obtain_message(enet_channel *channel, const enet_command *command)
{
    int64_t key = fragment_key(channel, command);
    if (!channel->messages)
        channel->messages = wmem_map_new(wmem_file_scope(), wmem_int64_hash, g_int64_equal);
    enet_reassembly *message = (enet_reassembly *)wmem_map_lookup(channel->messages, &key);
    if (message)
        return message;
    message = wmem_new0(wmem_file_scope(), enet_reassembly);
    message->key = key;
    message->count = command->fragment_count;
    message->length = command->total_length;
    wmem_map_insert(channel->messages, &message->key, message);
    return message;
}

/* Copies and retransmissions of captured fragments are not reassembled again, nor what the capture has not all of. */
static void note_fragment(context *at, const enet_command *command, enet_note *note)
{
    enet_channel *channel = obtain_channel(at->own, command->channel);
    bool resent = note->findings & ENET_RETRANSMISSION && note->resend;
    if (note->findings & ENET_DUPLICATE || resent || command->odd || command->is_cut || note->dropped)
        return;
    enet_reassembly *message = obtain_message(channel, command);
    if (message->frame)
        return;
    note->message = message;
    note->completes = enet_reassembly_add(message, command, at->facts->bytes + command->payload.offset, at->pinfo->num);
}

/* ---- limits --------------------------------------------------------------------------------------------- */

static void note_bandwidth(context *at, const enet_command *command, enet_note *note)
{
    enet_direction *own = at->own;
    const uint32_t *setup = command->setup;
    if (own->bandwidth_known && (own->incoming_bandwidth != setup[GW_ENET_ROLE_INCOMING_BANDWIDTH] ||
                                 own->outgoing_bandwidth != setup[GW_ENET_ROLE_OUTGOING_BANDWIDTH]))
        note->findings |= ENET_BANDWIDTH_CHANGED;
    own->incoming_bandwidth = setup[GW_ENET_ROLE_INCOMING_BANDWIDTH];
    own->outgoing_bandwidth = setup[GW_ENET_ROLE_OUTGOING_BANDWIDTH];
    own->bandwidth_known = true;
    if (at->peer->window)
        at->peer->window = enet_window_of(at->peer->outgoing_bandwidth, own->incoming_bandwidth);
}

static void note_throttle(context *at, const enet_command *command, enet_note *note)
{
    const uint32_t throttle[] = { command->setup[GW_ENET_ROLE_THROTTLE_INTERVAL],
                                  command->setup[GW_ENET_ROLE_THROTTLE_ACCELERATION],
                                  command->setup[GW_ENET_ROLE_THROTTLE_DECELERATION] };
    enet_direction *own = at->own;
    if (own->throttle_known && memcmp(own->throttle, throttle, sizeof throttle) != 0)
        note->findings |= ENET_THROTTLE_CHANGED;
    memcpy(own->throttle, throttle, sizeof throttle);
    own->throttle_known = true;
}

/* ---- a datagram ----------------------------------------------------------------------------------------- */

/* By the number of the command without its flags, as the receiver does. */
static void note_numbers(context *at, const enet_command *command, enet_note *note)
{
    switch (command->number) {
    case GW_ENET_ACKNOWLEDGE:
        note_ack(at, command, note);
        break;
    case GW_ENET_SEND_UNSEQUENCED:
        note_unsequenced(at, command, note);
        break;
    case GW_ENET_SEND_UNRELIABLE:
    case GW_ENET_SEND_UNRELIABLE_FRAGMENT:
        note_unreliable(at, command, note);
        break;
    default:
        if (!(command->odd & GW_ENET_ODD_CONNECTION_CHANNEL))
            note_reliable(at, command, note);
    }
    if (command->flags & GW_ENET_ACKNOWLEDGE_FLAG && command->odd && !note->record && !note->dropped)
        note_uncounted(at, command, note);
}

static void note_command(context *at, const enet_command *command, enet_note *note)
{
    note_numbers(at, command, note);
    if (command->fragment_count)
        note_fragment(at, command, note);
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

/* ---- what the receiver executes ------------------------------------------------------------------------- */

/* Number of commands that are valid by themselves. */
static uint32_t count_sound(const enet_facts *facts)
{
    uint32_t count = 0;
    while (count < facts->count && !(facts->commands[count].odd & GW_ENET_ODDS_REFUSED))
        if (facts->commands[count++].odd & GW_ENET_ODD_NO_SENT_TIME)
            break;
    return count;
}

/* Number of these whose channel exists in the connection. */
static uint32_t count_on_channels(const enet_connection *connection, const enet_facts *facts, enet_note *notes)
{
    for (uint32_t i = 0; i < facts->count; i++) {
        const enet_command *command = &facts->commands[i];
        if (has_payload(command) && connection->channel_count && command->channel >= connection->channel_count) {
            notes[i].findings |= ENET_NO_SUCH_CHANNEL;
            return i;
        }
    }
    return facts->count;
}

/* ---- connections of a packet ----------------------------------------------------------------------------- */

bool enet_connection_of(packet_info *pinfo, int protocol, uint32_t *number)
{
    const enet_pair *pair = (const enet_pair *)gw_conversation_find(pinfo, protocol);
    const enet_connection *connection = pair ? pair->last : NULL;
    while (connection && connection->first_frame > pinfo->num)
        connection = connection->before;
    *number = connection ? connection->number : 0;
    return connection != NULL;
}

/* Applies the commands that the receiver executes; the others are marked as dropped. */
static void note_commands(context *at, uint32_t all, enet_note *notes)
{
    uint32_t executed = at->facts->count;
    if (executed || !all)
        enet_note_connection(at->connection, at->pinfo, at->facts, at->notes);
    note_datagram(at);
    for (uint32_t i = 0; i < executed; i++)
        note_command(at, &at->facts->commands[i], &notes[i]);
    for (uint32_t i = executed; i < all; i++)
        notes[i].dropped = true;
}

static enet_notes *new_notes(wmem_allocator_t *scope, uint32_t commands)
{
    enet_notes *notes = (enet_notes *)wmem_alloc0(scope, sizeof(enet_notes) + commands * sizeof(enet_note));
    notes->count = commands;
    return notes;
}

static const enet_notes *analyze_new(packet_info *pinfo, enet_pair *pair, const enet_facts *facts, const enet_raw *raw)
{
    enet_notes *notes = new_notes(wmem_file_scope(), facts->count);
    enet_facts executed = *facts;
    bool no_peer = gw_enet_peer_of(facts->header) == GW_ENET_NO_PEER;
    bool sound = !facts->checksum || !no_peer || enet_note_checksum(pair, NULL, raw, notes);
    notes->side = gw_sender_side(pinfo);
    notes->compression = (uint8_t)facts->mode;
    notes->has_checksum = facts->checksum;
    executed.count = sound ? count_sound(facts) : 0;
    if (facts->checksum && !no_peer && !enet_is_setup_sound(&executed, raw))
        executed.count = 0;
    enet_connection *connection = enet_find_connection(pair, pinfo, notes->side, &executed);
    if (facts->checksum && !no_peer)
        sound = enet_note_checksum(pair, connection, raw, notes);
    notes->connection = connection;
    notes->stale = enet_is_stale(connection, notes->side, facts->header);
    executed.count = sound && !notes->stale ? count_on_channels(connection, &executed, notes->commands) : 0;
    enet_direction *directions = connection->directions;
    context at = {
        pinfo, &executed, notes, connection, &directions[notes->side], &directions[enet_other(notes->side)]
    };
    note_commands(&at, facts->count, notes->commands);
    enet_learn_modes(pair, pinfo, facts);
    if (executed.count)
        enet_set_clock(pair, pinfo, notes->side, facts);
    return notes;
}

/* Crafted bytes may have the key of other ones. */
static const enet_notes *find_notes(packet_info *pinfo, int protocol, uint32_t key, const enet_facts *facts)
{
    const enet_notes *notes = (const enet_notes *)p_get_proto_data(wmem_file_scope(), pinfo, protocol, key);
    return notes && notes->count == facts->count ? notes : NULL;
}

const enet_notes *enet_analyze(packet_info *pinfo, int protocol, uint32_t key, enet_pair *pair, const enet_facts *facts,
                               const enet_raw *raw)
{
    if (gw_is_quoted(pinfo))
        return NULL;
    if (PINFO_FD_VISITED(pinfo))
        return find_notes(pinfo, protocol, key, facts);
    if (!pair)
        pair = (enet_pair *)gw_conversation_obtain(pinfo, protocol, sizeof(enet_pair));
    const enet_notes *notes = analyze_new(pinfo, pair, facts, raw);
    p_add_proto_data(wmem_file_scope(), pinfo, protocol, key, (void *)(uintptr_t)notes);
    return notes;
}

const enet_notes *enet_notes_before(packet_info *pinfo, int protocol, const enet_facts *facts)
{
    uint8_t side = gw_sender_side(pinfo);
    if (!PINFO_FD_VISITED(pinfo) || gw_is_quoted(pinfo))
        return NULL;
    const enet_pair *pair = (const enet_pair *)gw_conversation_find(pinfo, protocol);
    const enet_connection *first = pair ? pair->first : NULL;
    if (!first || first->first_frame <= pinfo->num || first->connect_frame ||
        !enet_has_header(first, side, facts->header))
        return NULL;
    enet_notes *notes = new_notes(pinfo->pool, facts->count);
    notes->connection = first;
    notes->side = side;
    return notes;
}
