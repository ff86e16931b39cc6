/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Updates the records of connections, channels and commands from the facts of each datagram, on the first pass.
 */
#include "internal.h"

#include "common/conversation.h"
#include "common/kept_memory.h"
#include "common/times.h"

/* Pings are sent every 0.5 s; a peer without an answer for this time may be disconnected (source). */
#define SHORTEST_TIMEOUT_S 5

/* Used in keys of records for commands that are not numbered in their channel. */
#define UNCOUNTED UINT32_C(0x80000000)

/* Numbers from here on wrap soon, or have wrapped. */
#define NEAR_WRAP 0xF000

/* Where the analysis of one datagram is. */
typedef struct enet_context {
    packet_info *pinfo;
    const enet_facts *facts;
    enet_findings *findings;
    enet_connection *connection;
    enet_direction *own, *peer;
} enet_context;

/* ---- channels ------------------------------------------------------------------------------------------- */

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
    channel = gw_alloc_kept(sizeof *channel);
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

/* ---- reliable commands ---------------------------------------------------------------------------------- */

static bool has_payload(const enet_command *command)
{
    return gw_enet_command_of(command->number)->has_payload;
}

/* Bytes that were sent before the previous interval do not count: ENet has resent them by then, or their
 * acknowledgements were not captured. */
static uint32_t interval_of(int64_t time)
{
    return (uint32_t)(time / GW_NANOSECONDS / SHORTEST_TIMEOUT_S);
}

static void keep_in_flight(enet_context *context, const enet_command *command, enet_finding *finding)
{
    enet_direction *own = context->own;
    if (!has_payload(command))
        return;
    const uint32_t interval = interval_of(gw_nanoseconds(&context->pinfo->abs_ts));
    if (interval != own->interval) {
        own->in_flight[1] = interval == own->interval + 1 ? own->in_flight[0] : 0;
        own->in_flight[0] = 0;
        own->interval = interval;
    }
    own->in_flight[0] += command->length;
    finding->in_flight = own->in_flight[0] + own->in_flight[1];
    /* Without the other direction there are no acknowledgements. */
    if (own->window && context->peer->any && (uint64_t)finding->in_flight + command->length > own->window)
        finding->flags |= ENET_WINDOW_FULL;
}

/* The receiver drops such a message, and does not acknowledge it (source). */
static bool is_too_far(const enet_channel *channel, uint32_t sequence)
{
    return sequence > channel->highest &&
           sequence / GW_ENET_SEQUENCE_WINDOW - channel->highest / GW_ENET_SEQUENCE_WINDOW >= GW_ENET_SEQUENCE_WINDOWS;
}

/* Numbers are first sent in ascending order. One that is lower than the highest was overtaken, or its first
 * transmission was not captured: the sent time shows which of the two datagrams was sent first. */
static void keep_new(enet_context *context, enet_channel *channel, uint32_t sequence, enet_finding *finding)
{
    if (sequence > channel->highest) {
        finding->missing = context->own->unread ? 0 : sequence - channel->highest - 1;
        if (finding->missing)
            finding->flags |= ENET_GAP;
        channel->highest = sequence;
        channel->highest_sent_time = context->facts->sent_time;
        return;
    }
    /* No sender's number: the first one is 1, and 0 follows after 65,535. */
    bool is_before_first = context->own->from_start || (!(uint16_t)sequence && !context->own->near_wrap);
    if (sequence < channel->first && is_before_first)
        return;
    bool sent_later = (int16_t)(context->facts->sent_time - channel->highest_sent_time) > 0;
    finding->flags |= sent_later ? ENET_RETRANSMISSION : ENET_OUT_OF_ORDER;
}

/* A sender numbers each command, and sends it again as it was: see ENET_NUMBER_REUSED. */
static void set_reused(enet_finding *finding, uint32_t frame, bool was_acked)
{
    finding->flags |= ENET_NUMBER_REUSED;
    finding->used_in = frame;
    finding->was_acked = was_acked;
}

static void keep_again(enet_context *context, const enet_sent *sent, enet_record *record, enet_finding *finding)
{
    finding->send = enet_find_copy(record, sent);
    if (finding->send) {
        finding->flags |= ENET_DUPLICATE;
        return;
    }
    record->sends += record->sends < UINT16_MAX;
    finding->send = enet_keep_send(record, context->pinfo, sent);
    if (!enet_is_same_content(record->first.content, sent->content)) {
        record->reused += record->reused < UINT16_MAX;
        set_reused(finding, record->first.frame, record->first.acked_in != 0);
        return;
    }
    finding->resend = record->sends - 1U - record->reused;
    finding->flags |= ENET_RETRANSMISSION | (record->acked_in ? ENET_SPURIOUS : 0);
}

/* Hash of a command's bytes; 0: the capture has not all of them. */
static uint32_t content_of(const enet_context *context, const enet_command *command)
{
    const uint8_t *end = context->facts->bytes + command->payload.offset + command->payload.length;
    return command->is_cut ? 0 : (uint32_t)enet_hash(end - command->size, command->size) | 1U;
}

static enet_sent sent_of(const enet_context *context, const enet_command *command)
{
    return (enet_sent){ content_of(context, command), context->facts->sent_time };
}

static void keep_reliable(enet_context *context, const enet_command *command, enet_finding *finding)
{
    const enet_sent sent = sent_of(context, command);
    enet_channel *channel = obtain_channel(context->own, command->channel);
    if (!channel->any)
        begin_channel(channel, (uint16_t)(command->sequence - 1));
    uint32_t sequence = enet_unwrap(channel->highest, command->sequence);
    context->own->near_wrap |= command->sequence >= NEAR_WRAP;
    if (has_payload(command) && is_too_far(channel, sequence)) {
        channel->too_far = sequence;
        finding->flags |= ENET_TOO_FAR_AHEAD;
        finding->dropped = true;
        return;
    }
    enet_record *record = enet_find_record(channel, sequence);
    finding->record = record;
    if (record) {
        keep_again(context, &sent, record, finding);
        return;
    }
    keep_new(context, channel, sequence, finding);
    finding->record = record = enet_keep_record(channel, sequence, command, context->pinfo, &sent);
    finding->send = &record->first;
    if (command->flags & GW_ENET_ACKNOWLEDGE_FLAG)
        keep_in_flight(context, command, finding);
}

/* Real senders never request an acknowledgement here (of an unreliable message, or of a command about the connection on
 * another channel), but receivers send one. Stored so that the acknowledgement finds its command. */
static void keep_uncounted(enet_context *context, const enet_command *command, enet_finding *finding)
{
    enet_channel *channel = obtain_channel(context->own, command->channel);
    uint32_t key = enet_unwrap(channel->highest, command->sequence) | UNCOUNTED;
    const enet_sent sent = sent_of(context, command);
    finding->record = enet_keep_record(channel, key, command, context->pinfo, &sent);
    finding->record->length = 0;
    finding->send = &finding->record->first;
}

/* ---- acknowledgements ----------------------------------------------------------------------------------- */

/* The least n for which 2^n microseconds are more than the time between the two. */
static uint8_t power_of_delay(const nstime_t *later, const nstime_t *earlier)
{
    nstime_t delay;
    nstime_delta(&delay, later, earlier);
    uint64_t seconds = delay.secs > 0 ? MIN((uint64_t)delay.secs, UINT32_MAX) : 0;
    uint64_t microseconds = seconds * 1000000 + (uint64_t)MAX(delay.nsecs, 0) / 1000;
    uint8_t power = 0;
    while (microseconds >> power)
        power++;
    return power;
}

static void acknowledge(enet_context *context, enet_record *record)
{
    enet_direction *peer = context->peer;
    uint32_t before = peer->interval - interval_of(record->first.time);
    const nstime_t sent = gw_time_of(record->first.time);
    record->acked_in = context->pinfo->num;
    record->acked_within = power_of_delay(&context->pinfo->abs_ts, &sent);
    if (before < 2)
        peer->in_flight[before] -= MIN(peer->in_flight[before], record->length);
}

static void keep_ack(enet_context *context, const enet_command *command, enet_finding *finding)
{
    enet_channel *channel = enet_find_channel(context->peer, command->channel);
    if (!channel || !channel->any) {
        finding->flags |= context->peer->from_start && !context->peer->unread ? ENET_UNSEEN_ACK : 0;
        return;
    }
    uint32_t sequence = enet_unwrap(channel->highest, command->sequence);
    enet_record *record = enet_find_record(channel, sequence);
    if (!record)
        record = enet_find_record(channel, sequence | UNCOUNTED);
    finding->record = record;
    if (sequence == channel->too_far) {
        /* It was not too far for the receiver: what is between was not captured. */
        channel->highest = sequence;
        channel->too_far = 0;
        return;
    }
    if (!record) {
        finding->flags |= sequence >= channel->first && !context->peer->unread ? ENET_UNSEEN_ACK : 0;
        return;
    }
    enet_send *send = enet_find_send(record, command->acked_sent_time);
    finding->send = send;
    if (!send)
        finding->flags |= ENET_UNSEEN_ACK;
    else if (send->acked_in)
        finding->flags |= ENET_DUPLICATE_ACK;
    else
        send->acked_in = context->pinfo->num;
    if (!record->acked_in)
        acknowledge(context, record);
}

/* ---- unreliable and unsequenced messages ---------------------------------------------------------------- */

static void set_missing(const enet_context *context, enet_finding *finding, uint32_t missing)
{
    finding->missing = context->own->unread ? 0 : missing;
    finding->flags |= finding->missing ? ENET_LOST : 0;
}

/* True if a message with this number was captured before. */
static bool is_again(const enet_context *context, enet_recent *recent, uint64_t key, const enet_command *command,
                     enet_finding *finding)
{
    uint32_t content = content_of(context, command) & UINT16_MAX;
    const enet_seen new = { .key = key, .frame = context->pinfo->num, .content = content & UINT16_MAX };
    const enet_seen *seen = enet_keep_recent(recent, &new);
    if (seen && enet_is_same_content(seen->content, content))
        finding->flags |= ENET_DUPLICATE;
    else if (seen)
        set_reused(finding, seen->frame, false);
    return seen != NULL;
}

/* The pair of numbers orders a channel's unreliable messages; after each reliable command the second begins at 1 again.
 * How many were sent before that is not known. */
static void keep_unreliable(enet_context *context, const enet_command *command, enet_finding *finding)
{
    enet_channel *channel = obtain_channel(context->own, command->channel);
    if (!channel->any)
        begin_channel(channel, command->sequence);
    uint32_t sequence = enet_unwrap(channel->highest, command->sequence);
    if (is_too_far(channel, sequence)) {
        finding->flags |= ENET_TOO_FAR_AHEAD;
        finding->dropped = true;
        return;
    }
    uint64_t number = (uint64_t)sequence << 16 | command->sub_sequence;
    uint64_t before = channel->highest_unreliable;
    if (is_again(context, &channel->unreliable, number << 20 | (command->fragment_number & 0xFFFFF), command, finding))
        return;
    if (channel->any_unreliable && number < before) {
        finding->flags |= ENET_OUT_OF_ORDER;
    } else if (!channel->any_unreliable || number > before) {
        uint32_t expected = channel->any_unreliable && number >> 16 == before >> 16 ? (uint16_t)before + 1U : 1;
        if (channel->any_unreliable || context->own->from_start)
            set_missing(context, finding, command->sub_sequence - MIN(expected, command->sub_sequence));
        channel->any_unreliable = true;
        channel->highest_unreliable = number;
    }
}

static void keep_unsequenced(enet_context *context, const enet_command *command, enet_finding *finding)
{
    enet_direction *own = context->own;
    if (!own->any_group) {
        own->any_group = true;
        own->highest_group = ENET_NUMBER_ZERO + (own->from_start ? 0 : (uint16_t)(command->sub_sequence - 1));
    }
    uint32_t group = enet_unwrap(own->highest_group, command->sub_sequence);
    if (is_again(context, &own->groups, group, command, finding))
        return;
    if (group == own->highest_group)
        return;
    if (group < own->highest_group) {
        finding->flags |= ENET_OUT_OF_ORDER;
        const enet_seen *gap = enet_keep_late(&own->groups);
        if (gap)
            enet_keep_arrived(gap->frame, (uint16_t)gap->key);
    } else {
        set_missing(context, finding, group - own->highest_group - 1);
        own->highest_group = group;
    }
}

/* ---- fragments ------------------------------------------------------------------------------------------ */

static enet_reassembly *obtain_message(enet_channel *channel, const enet_command *command)
{
    /* The same for all fragments of one message in a channel. */
    uint32_t sequence = enet_unwrap(channel->highest, command->sequence);
    int64_t key = command->number == GW_ENET_SEND_FRAGMENT
                      ? sequence - (uint16_t)(command->sequence - command->sub_sequence)
                      : INT64_C(1) << 62 | (int64_t)sequence << 16 | command->sub_sequence;
    if (!channel->messages)
        channel->messages = wmem_map_new(wmem_file_scope(), wmem_int64_hash, g_int64_equal);
    enet_reassembly *message = (enet_reassembly *)wmem_map_lookup(channel->messages, &key);
    if (message)
        return message;
    message = gw_alloc_kept(sizeof *message);
    message->key = key;
    message->count = command->fragment_count;
    message->length = command->total_length;
    wmem_map_insert(channel->messages, &message->key, message);
    return message;
}

/* Copies and retransmissions of captured fragments are not reassembled again, nor what the capture has not all of. */
static void keep_fragment(enet_context *context, const enet_command *command, enet_finding *finding)
{
    enet_channel *channel = obtain_channel(context->own, command->channel);
    bool resent = finding->flags & ENET_RETRANSMISSION && finding->resend;
    if (finding->flags & ENET_DUPLICATE || resent || command->odd || command->is_cut || finding->dropped)
        return;
    enet_reassembly *message = obtain_message(channel, command);
    if (message->frame)
        return;
    finding->message = message;
    finding->completes =
        enet_reassembly_add(message, command, context->facts->bytes + command->payload.offset, context->pinfo->num);
}

/* ---- limits --------------------------------------------------------------------------------------------- */

static void keep_bandwidth(enet_context *context, const enet_command *command, enet_finding *finding)
{
    enet_direction *own = context->own;
    const uint32_t *setup = command->setup;
    if (own->bandwidth_known && (own->incoming_bandwidth != setup[GW_ENET_ROLE_INCOMING_BANDWIDTH] ||
                                 own->outgoing_bandwidth != setup[GW_ENET_ROLE_OUTGOING_BANDWIDTH]))
        finding->flags |= ENET_BANDWIDTH_CHANGED;
    own->incoming_bandwidth = setup[GW_ENET_ROLE_INCOMING_BANDWIDTH];
    own->outgoing_bandwidth = setup[GW_ENET_ROLE_OUTGOING_BANDWIDTH];
    own->bandwidth_known = true;
    if (context->peer->window)
        context->peer->window = enet_window_of(context->peer->outgoing_bandwidth, own->incoming_bandwidth);
}

static void keep_throttle(enet_context *context, const enet_command *command, enet_finding *finding)
{
    const uint32_t throttle[] = { command->setup[GW_ENET_ROLE_THROTTLE_INTERVAL],
                                  command->setup[GW_ENET_ROLE_THROTTLE_ACCELERATION],
                                  command->setup[GW_ENET_ROLE_THROTTLE_DECELERATION] };
    enet_direction *own = context->own;
    if (own->throttle_known && memcmp(own->throttle, throttle, sizeof throttle) != 0)
        finding->flags |= ENET_THROTTLE_CHANGED;
    memcpy(own->throttle, throttle, sizeof throttle);
    own->throttle_known = true;
}

/* ---- a datagram ----------------------------------------------------------------------------------------- */

static void keep_command(enet_context *context, const enet_command *command, enet_finding *finding)
{
    /* By the number of the command without its flags, as the receiver does. */
    switch (command->number) {
    case GW_ENET_ACKNOWLEDGE:
        keep_ack(context, command, finding);
        break;
    case GW_ENET_SEND_UNSEQUENCED:
        keep_unsequenced(context, command, finding);
        break;
    case GW_ENET_SEND_UNRELIABLE:
    case GW_ENET_SEND_UNRELIABLE_FRAGMENT:
        keep_unreliable(context, command, finding);
        break;
    default:
        if (!(command->odd & GW_ENET_ODD_CONNECTION_CHANNEL))
            keep_reliable(context, command, finding);
    }
    if (command->flags & GW_ENET_ACKNOWLEDGE_FLAG && command->odd && !finding->record && !finding->dropped)
        keep_uncounted(context, command, finding);
    if (command->fragment_count)
        keep_fragment(context, command, finding);
    /* A client that had an answer sends CONNECT again. */
    if (command->number == GW_ENET_CONNECT && finding->flags & ENET_RETRANSMISSION && context->connection->verify_frame)
        context->connection->asked_again = true;
    else if (command->number == GW_ENET_BANDWIDTH_LIMIT)
        keep_bandwidth(context, command, finding);
    else if (command->number == GW_ENET_THROTTLE_CONFIGURE)
        keep_throttle(context, command, finding);
}

/* A datagram with a command that is numbered is never sent twice by ENet. Acknowledgements alone may be equal. */
static bool is_unique(const enet_facts *facts)
{
    for (uint32_t i = 0; i < facts->count; i++)
        if (facts->commands[i].number != GW_ENET_ACKNOWLEDGE)
            return true;
    return false;
}

static void keep_datagram(enet_context *context)
{
    enet_direction *own = context->own;
    enet_findings *findings = context->findings;
    const gw_enet_header *header = &context->facts->header;
    if (own->any) {
        nstime_delta(&findings->silence, &context->pinfo->abs_ts, &own->last_time);
        findings->silent = findings->silence.secs >= SHORTEST_TIMEOUT_S;
    }
    /* The server drops a datagram with the nonce of the one before, except from peers that it does not know yet. */
    if (header->nonce && header->has_peer) {
        findings->nonce_repeated = header->nonce == own->nonce;
        own->nonce = header->nonce;
    }
    own->any = true;
    own->unread |= header->is_encrypted || context->facts->mode == ENET_AUTOMATIC;
    own->last_time = context->pinfo->abs_ts;
    if (!is_unique(context->facts))
        return;
    const enet_seen new = { .key = enet_datagram_key(context->facts), .frame = context->pinfo->num };
    const enet_seen *seen = enet_keep_recent(&own->datagrams, &new);
    findings->duplicate_of = seen ? seen->frame : 0;
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
static uint32_t count_on_channels(const enet_connection *connection, const enet_facts *facts, enet_finding *findings)
{
    for (uint32_t i = 0; i < facts->count; i++) {
        const enet_command *command = &facts->commands[i];
        if (has_payload(command) && connection->channel_count && command->channel >= connection->channel_count) {
            findings[i].flags |= ENET_NO_SUCH_CHANNEL;
            return i;
        }
    }
    return facts->count;
}

/* ---- connections of a packet ----------------------------------------------------------------------------- */

bool enet_find_connection_number(packet_info *pinfo, int protocol, uint32_t *number)
{
    const enet_pair *pair = (const enet_pair *)gw_conversation_find(pinfo, protocol);
    const enet_connection *connection = pair ? pair->last : NULL;
    while (connection && connection->first_frame > pinfo->num)
        connection = connection->before;
    *number = connection ? connection->number : 0;
    return connection != NULL;
}

/* In the order in which ENet's receiver checks a datagram. */
static const enet_findings *analyze_new(packet_info *pinfo, uint32_t key, enet_pair *pair, const enet_facts *facts,
                                        const enet_raw *raw)
{
    enet_findings *findings = enet_new_findings(pinfo->pool, facts->count);
    const uint8_t side = findings->side = gw_sender_side(pinfo);
    findings->compression = (uint8_t)facts->mode;
    findings->has_checksum = facts->checksum;
    findings->format = (uint8_t)(facts->format - gw_enet_formats);

    /* The facts with the first commands only, those that the receiver executes: up to one that breaks a rule, and none
     * if the checksum is wrong. Without a peer, and of a VERIFY_CONNECT, it has the datagram's own connect id. */
    enet_facts executed = *facts;
    bool has_peer = facts->header.has_peer, is_right = true;
    executed.count = count_sound(facts);
    if (facts->checksum)
        is_right =
            has_peer ? enet_is_setup_sound(&executed, raw) : enet_keep_checksum(pair, NULL, facts, raw, findings);
    executed.count = is_right ? executed.count : 0;

    /* Its connection, whose connect id the other checksums have. Commands on channels that it lacks are not executed. */
    enet_connection *connection = enet_obtain_connection(pair, pinfo, side, &executed);
    if (facts->checksum && has_peer)
        is_right = enet_keep_checksum(pair, connection, facts, raw, findings);
    findings->connection = connection;
    findings->stale = enet_is_stale(connection, side, &facts->header);
    executed.count = is_right && !findings->stale ? count_on_channels(connection, &executed, findings->commands) : 0;

    /* What the datagram and its commands change. */
    enet_direction *directions = connection->directions;
    enet_context context = { pinfo, &executed, findings, connection, &directions[side], &directions[enet_other(side)] };
    if (executed.count || !facts->count)
        enet_keep_connection(connection, pinfo, &executed, findings);
    keep_datagram(&context);
    for (uint32_t i = 0; i < executed.count; i++)
        keep_command(&context, &executed.commands[i], &findings->commands[i]);
    for (uint32_t i = executed.count; i < facts->count; i++)
        findings->commands[i].dropped = true;

    /* By what later datagrams of the connection are known. */
    if (has_peer && !findings->stale)
        enet_keep_receiver(pinfo, pair, connection, side);
    enet_keep_modes(pair, pinfo, facts);
    if (executed.count)
        enet_keep_clock(pair, pinfo, side, facts);
    enet_keep_findings(pinfo, key, findings);
    return findings;
}

void enet_register_analysis(void)
{
    enet_register_archive();
    enet_register_connections();
    enet_register_continuation();
}

const enet_findings *enet_analyze(packet_info *pinfo, int protocol, uint32_t key, enet_pair *pair,
                                  const enet_facts *facts, const enet_raw *raw)
{
    if (gw_is_quoted(pinfo))
        return NULL;
    if (gw_is_later_pass(pinfo))
        return enet_find_findings(pinfo, key, facts);
    if (!pair)
        pair = (enet_pair *)gw_conversation_obtain(pinfo, protocol, sizeof(enet_pair));
    return analyze_new(pinfo, key, pair, facts, raw);
}

const enet_findings *enet_find_findings_before(packet_info *pinfo, int protocol, const enet_facts *facts)
{
    uint8_t side = gw_sender_side(pinfo);
    if (!gw_is_later_pass(pinfo) || gw_is_quoted(pinfo))
        return NULL;
    const enet_pair *pair = (const enet_pair *)gw_conversation_find(pinfo, protocol);
    const enet_connection *first = pair ? pair->first : NULL;
    if (!first || first->first_frame <= pinfo->num || first->connect_frame ||
        !enet_has_header(first, side, &facts->header))
        return NULL;
    enet_findings *findings = enet_new_findings(pinfo->pool, facts->count);
    findings->connection = first;
    findings->side = side;
    return findings;
}
