/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Relates each command to those before it: reliable commands by records in pages of consecutive numbers, the others by the
 * latest messages.
 */
#include "internal.h"

#include "common/archive.h"
#include "common/conversation.h"

/* Transmissions that are stored of one command: ENet gives a connection up long before. Each is searched for when the
 * command comes again. */
#define MOST_SENDS 64

/* Used in numbers of records for commands that are not numbered in their channel. */
#define UNCOUNTED UINT32_C(0x80000000)

/* Numbers from here on wrap soon, or have wrapped. */
#define NEAR_WRAP 0xF000

/* Numbers after that of a late unsequenced message, among which the next message is searched. */
#define MOST_LATE 4096

/* Commands that may be missing before a datagram from another address: those sent while the address changed. */
#define MOST_MISSING 32

#define PAGE_BITS    4
#define PAGE_RECORDS (1U << PAGE_BITS)

/* In enet_capture.pages. */
typedef struct record_page {
    uint32_t records[PAGE_RECORDS]; /* numbers of records; 0: none */
} record_page;

/* The datagram whose commands are analyzed. */
typedef struct enet_analyzed {
    packet_info *pinfo;
    const enet_facts *facts;
    enet_connection *connection;
    enet_direction *sender, *receiver;
    uint8_t side; /* of the sender */
} enet_analyzed;

/* ---- channels ------------------------------------------------------------------------------------------- */

/* The direction's channel with this number; NULL: no command on it was captured. */
static enet_channel *find_channel(const enet_direction *direction, uint8_t number)
{
    enet_channel *channel = direction->channels;
    while (channel && channel->number != number)
        channel = channel->next;
    return channel;
}

/* The channel with this number, which is begun if there is none. It becomes the first of the direction's list, where
 * the next commands on it find it at once. If the capture has the beginning of the connection, its numbers are counted
 * from 1. ENET_NUMBER_ZERO is the 32-bit number for 0: numbers that have 16 bits in packets are extended. */
static enet_channel *obtain_channel(enet_direction *direction, uint8_t number)
{
    enet_channel **link = &direction->channels;
    while (*link && (*link)->number != number)
        link = &(*link)->next;
    enet_channel *channel = *link;
    if (channel) {
        *link = channel->next;
    } else {
        channel = gw_archive_alloc(sizeof *channel);
        channel->number = number;
        channel->index = ++enet_capture.channel_count;
        if (direction->from_start) {
            channel->has_numbers = true;
            channel->highest = ENET_NUMBER_ZERO;
            channel->first = ENET_NUMBER_ZERO + 1;
        }
    }
    channel->next = direction->channels;
    direction->channels = channel;
    return channel;
}

/* Begins to count at the first captured number, the one after `before`: the capture begins inside the connection.
 * Numbers are extended to 32 bits, from ENET_NUMBER_ZERO on. */
static void begin_channel(enet_channel *channel, uint16_t before)
{
    channel->has_numbers = true;
    channel->highest = ENET_NUMBER_ZERO + before;
    channel->first = channel->highest + 1;
}

/* ---- records of reliable commands ----------------------------------------------------------------------- */

/* The key of the page that has the record of this reliable number: a page has the records of PAGE_RECORDS consecutive
 * numbers of a channel. */
static enet_key page_key(const enet_channel *channel, uint32_t sequence)
{
    return (enet_key){ .number = sequence >> PAGE_BITS, .channel = channel->index };
}

/* The channel's record of the reliable command with the number `sequence`, extended to 32 bits: the number of the
 * record; 0: none. */
static uint32_t find_record_number(const enet_channel *channel, uint32_t sequence)
{
    const uint32_t index = sequence - channel->first_sequence;
    if (index < ENET_FIRST_RECORDS)
        return channel->first_records[index];
    const enet_key key = page_key(channel, sequence);
    const record_page *page = gw_table_find(&enet_capture.pages, &key);
    return page ? page->records[sequence % PAGE_RECORDS] : 0;
}

/* The same record; NULL: none. */
static enet_record *find_record(const enet_channel *channel, uint32_t sequence)
{
    const uint32_t number = find_record_number(channel, sequence);
    return number ? enet_record_at(number) : NULL;
}

/* Sets the record of a command to the one with this number, and to NULL if that is 0. */
static void set_record(enet_finding *finding, uint32_t number)
{
    finding->record = number ? enet_record_at(number) : NULL;
    finding->record_number = number;
}

/* Stores the record of a command that was sent for the first time, in `send`: its number in the channel's first records,
 * or in the page of its reliable number. Sets the record and the transmission in the finding. */
static void keep_record(enet_channel *channel, uint32_t sequence, const enet_command *command, const enet_send *send,
                        enet_finding *finding)
{
    finding->record_number = enet_new_record(send);
    enet_record *record = enet_record_at(finding->record_number);
    finding->record = record;
    finding->send = &record->first;
    record->number = command->number & GW_ENET_NUMBER_MASK;
    record->is_uncounted = (sequence & UNCOUNTED) != 0;
    record->sends = 1;
    if (!channel->first_sequence)
        channel->first_sequence = sequence;
    const uint32_t index = sequence - channel->first_sequence;
    if (index < ENET_FIRST_RECORDS) {
        channel->first_records[index] = finding->record_number;
        return;
    }
    const enet_key key = page_key(channel, sequence);
    record_page *page = gw_table_find(&enet_capture.pages, &key);
    if (!page)
        page = gw_table_add(&enet_capture.pages, &key, sizeof *page);
    page->records[sequence % PAGE_RECORDS] = finding->record_number;
}

/* The transmission at the sender's time `sent_time`; NULL: none. */
static enet_send *find_send(enet_record *record, uint16_t sent_time)
{
    enet_send *send = &record->first;
    while (send && send->sent_time != sent_time)
        send = enet_next_send(send);
    return send;
}

/* Hash of a command's bytes, by which it is compared with others of its number; 0: the capture has not all of them. */
static uint32_t content_of(const enet_analyzed *datagram, const enet_command *command)
{
    /* The command ends with its payload. A hash has bit 0 set, so that it is not 0. */
    const uint8_t *end = datagram->facts->bytes + command->payload.offset + command->payload.length;
    return command->is_cut ? 0 : (uint32_t)gw_hash_bytes(end - command->size, command->size) | 1U;
}

/* This transmission of the command. */
static enet_send send_of(const enet_analyzed *datagram, const enet_command *command)
{
    return (enet_send){ .time = gw_nanoseconds(&datagram->pinfo->abs_ts),
                        .frame = datagram->pinfo->num,
                        .content = content_of(datagram, command),
                        .sent_time = datagram->facts->header.sent_time,
                        .length = command->length };
}

/* ---- reliable commands ---------------------------------------------------------------------------------- */

/* The number of the interval of time for enet_traffic.in_flight. Bytes that were sent before the previous interval do
 * not count: ENet has resent them by then, or their acknowledgements were not captured. */
static uint32_t interval_of(int64_t time)
{
    return (uint32_t)(time / GW_NANOSECONDS / ENET_SHORTEST_TIMEOUT_S);
}

/* Counts a new reliable message as in flight, sent and not acknowledged yet, keeps all such bytes of its side in its
 * record, and reports a full window. Only the bytes of this interval of time and the one before count: see
 * interval_of(). */
static void keep_in_flight(enet_analyzed *datagram, const enet_command *command, enet_finding *finding)
{
    const uint32_t window = datagram->sender->window;
    enet_traffic *traffic = enet_obtain_traffic(datagram->sender);
    const uint32_t interval = interval_of(gw_nanoseconds(&datagram->pinfo->abs_ts));
    if (interval != traffic->interval) {
        traffic->in_flight[1] = interval == traffic->interval + 1 ? traffic->in_flight[0] : 0;
        traffic->in_flight[0] = 0;
        traffic->interval = interval;
    }
    traffic->in_flight[0] += command->length;
    const uint32_t in_flight = traffic->in_flight[0] + traffic->in_flight[1];
    finding->record->first.in_flight = in_flight;
    /* Another message of this length would not fit into the window. Without the other direction there are no
     * acknowledgements, and all bytes would seem to be in flight. */
    if (window && datagram->receiver->has_sent && (uint64_t)in_flight + command->length > window)
        finding->flags |= ENET_WINDOW_FULL;
}

/* True if the number is so many windows of numbers after the highest one that the receiver drops the message, and does
 * not acknowledge it (source). */
static bool is_too_far_ahead(const enet_channel *channel, uint32_t sequence)
{
    return sequence > channel->highest &&
           sequence / GW_ENET_SEQUENCE_WINDOW - channel->highest / GW_ENET_SEQUENCE_WINDOW >= GW_ENET_SEQUENCE_WINDOWS;
}

/* Sets the findings of a reliable command whose number has no record: commands missing before it, or that it is out of
 * order or a retransmission; keeps the highest number. Numbers are first sent in ascending order: a number that is
 * lower than the highest was overtaken, or its first transmission was not captured. The sent time shows which of the
 * two datagrams was sent first. */
static void set_new_number(enet_analyzed *datagram, enet_channel *channel, uint32_t sequence, enet_finding *finding)
{
    const enet_direction *sender = datagram->sender;
    if (sequence > channel->highest) {
        finding->missing = sender->has_unread ? 0 : sequence - channel->highest - 1;
        finding->flags |= finding->missing ? ENET_GAP : 0;
        channel->highest = sequence;
        channel->highest_sent_time = datagram->facts->header.sent_time;
        return;
    }
    /* A number before the first one that would have been captured says nothing, if it was never sent: the connection's
     * first one is 1, and 0 comes only after 65,535. */
    bool is_never_sent = sender->from_start || (!(uint16_t)sequence && !sender->near_wrap);
    if (sequence < channel->first && is_never_sent)
        return;
    /* Sent times are 16 bits of milliseconds, which wrap: the sign of the difference shows which one is later. */
    bool sent_later = (int16_t)(datagram->facts->header.sent_time - channel->highest_sent_time) > 0;
    finding->flags |= sent_later ? ENET_RETRANSMISSION : ENET_OUT_OF_ORDER;
}

/* Sets the finding that an earlier command with other bytes, sent in `frame`, had the number of this one: a sender
 * gives each command a number of its own, and repeats its bytes when it sends it again. `was_acked`: the receiver has
 * acknowledged the earlier command, and drops this one. */
static void set_reused(enet_finding *finding, uint32_t frame, bool was_acked)
{
    finding->flags |= ENET_NUMBER_REUSED;
    finding->used_in = frame;
    finding->was_acked = was_acked;
}

/* Sets the findings of a reliable command whose number has a record. `sent`: this transmission. With the bytes and the
 * sent time of one in the record, it is a copy of that one's datagram. Otherwise it is added to the record, up to
 * MOST_SENDS: with the bytes of the first transmission it is a retransmission, with others another command that has the
 * number. finding->resend: the number of the retransmission, from 1; transmissions of another command do not count. */
static void keep_repeated_number(const enet_send *sent, enet_record *record, enet_finding *finding)
{
    enet_send *last = NULL;
    for (enet_send *send = &record->first; send; send = enet_next_send(send)) {
        if (send->sent_time == sent->sent_time && enet_is_same_content(send->content, sent->content)) {
            finding->send = send;
            finding->flags |= ENET_DUPLICATE;
            return;
        }
        last = send;
    }
    /* `last` is not NULL: a record has a first transmission. */
    if (record->sends < ENET_MOST_SENDS_COUNTED)
        record->sends++;
    if (record->sends <= MOST_SENDS) {
        last->next = enet_new_record(sent);
        finding->send = enet_next_send(last);
    }
    if (!enet_is_same_content(record->first.content, sent->content)) {
        if (record->reused < ENET_MOST_SENDS_COUNTED)
            record->reused++;
        set_reused(finding, record->first.frame, record->first.acked_in != 0);
        return;
    }
    finding->resend = record->sends - 1U - record->reused;
    finding->flags |= ENET_RETRANSMISSION | (record->acked_in ? ENET_SPURIOUS : 0);
}

/* Relates a command with a reliable number of its channel to those before it: too far ahead, known by its number, or
 * new. Sets its record, which later retransmissions and acknowledgements find, and its findings. A number too far ahead
 * is kept, as an acknowledgement of it shows that it was not too far: keep_ack(). New messages that are to be
 * acknowledged count as in flight. */
static void keep_reliable(enet_analyzed *datagram, const enet_command *command, enet_finding *finding)
{
    const enet_send sent = send_of(datagram, command);
    enet_channel *channel = obtain_channel(datagram->sender, command->channel);
    if (!channel->has_numbers) /* the capture began inside the connection */
        begin_channel(channel, (uint16_t)(command->sequence - 1));
    uint32_t sequence = enet_unwrap(channel->highest, command->sequence);
    datagram->sender->near_wrap |= command->sequence >= NEAR_WRAP;
    if (enet_has_payload(command) && is_too_far_ahead(channel, sequence)) {
        channel->too_far_number = sequence;
        finding->flags |= ENET_TOO_FAR_AHEAD;
        finding->dropped = true;
        return;
    }
    set_record(finding, find_record_number(channel, sequence));
    if (finding->record) {
        keep_repeated_number(&sent, finding->record, finding);
        return;
    }
    set_new_number(datagram, channel, sequence, finding);
    keep_record(channel, sequence, command, &sent, finding);
    if (command->flags & GW_ENET_ACKNOWLEDGE_FLAG && enet_has_payload(command))
        keep_in_flight(datagram, command, finding);
}

/* ---- acknowledgements ----------------------------------------------------------------------------------- */

/* Relates an acknowledgement to the command that it acknowledges, which is one of the receiving side, and to the
 * transmission of it, by the sent time. Sets both in the finding, and whether the acknowledgement is the first, a
 * duplicate, or one for a command that was not captured; keeps it in the record. */
static void keep_ack(enet_analyzed *datagram, const enet_command *command, enet_finding *finding)
{
    enet_direction *receiver = datagram->receiver;
    enet_channel *channel = find_channel(receiver, command->channel);
    if (!channel || !channel->has_numbers) {
        /* No command on the channel was captured; there was none, if all of the side were captured and read. */
        finding->flags |= receiver->from_start && !receiver->has_unread ? ENET_UNSEEN_ACK : 0;
        return;
    }
    uint32_t sequence = enet_unwrap(channel->highest, command->sequence);
    /* Or a command that is acknowledged, but has no number of the channel: see keep_command(). */
    uint32_t number = find_record_number(channel, sequence);
    if (!number)
        number = find_record_number(channel, sequence | UNCOUNTED);
    set_record(finding, number);
    enet_record *record = finding->record;
    if (sequence == channel->too_far_number) {
        /* It was not too far for the receiver: the numbers between were not captured. */
        channel->highest = sequence;
        channel->too_far_number = 0;
        return;
    }
    if (!record) {
        /* As above, if the number is one that would have been captured. */
        finding->flags |= sequence >= channel->first && !receiver->has_unread ? ENET_UNSEEN_ACK : 0;
        return;
    }
    enet_send *send = find_send(record, command->acked_sent_time);
    finding->send = send;
    if (!send)
        finding->flags |= ENET_UNSEEN_ACK;
    else if (send->acked_in)
        finding->flags |= ENET_DUPLICATE_ACK;
    else
        send->acked_in = datagram->pinfo->num;
    if (record->acked_in)
        return;
    /* The first acknowledgement of the command: its bytes are no longer in flight, and it came within 2^acked_within
     * us. */
    const int64_t delay = gw_nanoseconds(&datagram->pinfo->abs_ts) - record->first.time;
    while (delay > 0 && (uint64_t)delay / 1000 >> record->acked_within)
        record->acked_within++;
    record->acked_in = datagram->pinfo->num;
    enet_traffic *traffic = receiver->traffic;
    /* in_flight[0] counts the latest interval, in_flight[1] the one before: interval_of(). */
    const uint32_t intervals = traffic ? traffic->interval - interval_of(record->first.time) : UINT32_MAX;
    if (intervals < 2)
        traffic->in_flight[intervals] -= MIN(traffic->in_flight[intervals], record->first.length);
    finding->is_first_ack = !record->is_uncounted;
}

/* ---- unreliable and unsequenced messages ---------------------------------------------------------------- */

/* Sets how many messages before this one are missing: lost, unless commands of the direction were not read (has_unread)
 * or not captured (is_cut), of which they may be. */
static void set_lost(const enet_analyzed *datagram, enet_finding *finding, uint32_t missing)
{
    finding->missing = datagram->sender->has_unread || datagram->sender->is_cut ? 0 : missing;
    finding->flags |= finding->missing ? ENET_LOST : 0;
}

/* Stores the number of an unreliable or unsequenced message (`key`), with bits of the hash of its bytes, and whether it
 * came after a later one (`is_late`). True if a message with this number is among the latest ones: a copy, if the bytes
 * are the same, else another message that has the number. Such messages are not acknowledged: was_acked is false. */
static bool keep_unreliable_number(const enet_analyzed *datagram, const enet_seen_key *key, bool is_late,
                                   const enet_command *command, enet_finding *finding)
{
    const uint32_t content = content_of(datagram, command) & ENET_CONTENT_MASK;
    const enet_seen new = { .frame = datagram->pinfo->num, .content = content & ENET_CONTENT_MASK, .is_late = is_late };
    const enet_seen *seen = enet_keep_recent(key, &new);
    if (seen && enet_is_same_content(seen->content, content))
        finding->flags |= ENET_DUPLICATE;
    else if (seen)
        set_reused(finding, seen->frame, false);
    return seen != NULL;
}

/* Relates an unreliable message or fragment to those before it on its channel: too far ahead, a copy, out of order, or
 * after missing ones. It has the number of the latest reliable command and its own, which begins at 1 again after each
 * of those: how many were sent before that is not known. */
static void keep_unreliable(enet_analyzed *datagram, const enet_command *command, enet_finding *finding)
{
    enet_channel *channel = obtain_channel(datagram->sender, command->channel);
    if (!channel->has_numbers)
        begin_channel(channel, command->sequence);
    uint32_t sequence = enet_unwrap(channel->highest, command->sequence);
    if (is_too_far_ahead(channel, sequence)) {
        finding->flags |= ENET_TOO_FAR_AHEAD;
        finding->dropped = true;
        return;
    }
    uint64_t number = (uint64_t)sequence << 16 | command->sub_sequence;
    const uint64_t highest = channel->highest_unreliable;
    /* The fragments of a message have one pair of numbers: their number in the message, below 2^20, distinguishes
     * them. */
    enet_seen_key key = enet_seen_key_of(datagram->connection, datagram->side, ENET_SEEN_UNRELIABLE,
                                         number << 20 | (command->fragment_number & 0xFFFFF));
    key.channel = command->channel;
    if (keep_unreliable_number(datagram, &key, false, command, finding))
        return;
    if (number < highest) {
        finding->flags |= ENET_OUT_OF_ORDER;
    } else if (number > highest) {
        /* The next unreliable number; after another reliable command, the first. Nothing is known of messages before
         * the first captured one, unless the capture has the beginning of the connection. */
        uint32_t expected = number >> 16 == highest >> 16 ? (uint16_t)highest + 1U : 1;
        if (highest || datagram->sender->from_start)
            set_lost(datagram, finding, command->sub_sequence - MIN(expected, command->sub_sequence));
        channel->highest_unreliable = number;
    }
}

/* An unsequenced message arrived late: it was counted as missing when the first message with a higher number arrived.
 * Late messages count none: so that one is, of those that were not late, the one with the next number. Keeps for later
 * passes that the number of messages that were lost before that one is less by this one. `late`: its key; `highest`:
 * the highest number so far. */
static void keep_late_arrival(const enet_seen_key *late, uint32_t highest)
{
    enet_seen_key key = *late;
    while (++key.number <= highest && key.number - late->number <= MOST_LATE) {
        const enet_seen *seen = enet_find_recent(&key);
        if (!seen || seen->is_late)
            continue;
        uint64_t *arrived_key = wmem_new(wmem_file_scope(), uint64_t);
        *arrived_key = enet_arrived_key(seen->frame, (uint16_t)key.number);
        unsigned arrived = GPOINTER_TO_UINT(wmem_map_lookup(enet_capture.late_arrivals, arrived_key));
        wmem_map_insert(enet_capture.late_arrivals, arrived_key, GUINT_TO_POINTER(arrived + 1));
        return;
    }
}

/* Relates an unsequenced message to those before it: a copy, out of order, or after missing ones. Such messages have
 * numbers of their own, ENet's groups, for all channels of the direction. */
static void keep_unsequenced(enet_analyzed *datagram, const enet_command *command, enet_finding *finding)
{
    enet_traffic *traffic = enet_obtain_traffic(datagram->sender);
    if (!traffic->has_group) {
        /* The first group is 1. In a capture that begins inside the connection, the first one is this message's:
         * none is missing before it. */
        uint16_t previous = datagram->sender->from_start ? 0 : (uint16_t)(command->sub_sequence - 1);
        traffic->has_group = true;
        traffic->highest_group = ENET_NUMBER_ZERO + previous;
    }
    const uint32_t group = enet_unwrap(traffic->highest_group, command->sub_sequence);
    const enet_seen_key key = enet_seen_key_of(datagram->connection, datagram->side, ENET_SEEN_UNSEQUENCED, group);
    bool is_late = group < traffic->highest_group;
    if (keep_unreliable_number(datagram, &key, is_late, command, finding))
        return;
    if (group > traffic->highest_group) {
        set_lost(datagram, finding, group - traffic->highest_group - 1);
        traffic->highest_group = group;
    } else if (is_late) {
        finding->flags |= ENET_OUT_OF_ORDER;
        keep_late_arrival(&key, traffic->highest_group);
    }
}

/* ---- all commands of a datagram ------------------------------------------------------------------------- */

/* Relates one command to those before it, keeps it for those after it, and adds a fragment to its message: sets all
 * findings of the command; enet_keep_fate() sets whether the receiver rejects or drops messages. */
static void keep_command(enet_analyzed *datagram, const enet_command *command, enet_finding *finding)
{
    /* By the number of the command without its flags, as the receiver does. */
    switch (command->number) {
    case GW_ENET_ACKNOWLEDGE:
        keep_ack(datagram, command, finding);
        break;
    case GW_ENET_SEND_UNSEQUENCED:
        keep_unsequenced(datagram, command, finding);
        break;
    case GW_ENET_SEND_UNRELIABLE:
    case GW_ENET_SEND_UNRELIABLE_FRAGMENT:
        keep_unreliable(datagram, command, finding);
        break;
    default:
        /* A command about the connection on another channel has no number of that channel. */
        if (!(command->odd & GW_ENET_ODD_CONNECTION_CHANNEL))
            keep_reliable(datagram, command, finding);
    }
    /* Real senders never request an acknowledgement of an unreliable message, or of a command about the connection on
     * another channel, but receivers send one. Stored so that the acknowledgement finds its command: with a number
     * apart from those of the channel, and without bytes in flight. */
    if (command->flags & GW_ENET_ACKNOWLEDGE_FLAG && command->odd && !finding->record && !finding->dropped) {
        enet_channel *channel = obtain_channel(datagram->sender, command->channel);
        enet_send sent = send_of(datagram, command);
        uint32_t number = enet_unwrap(channel->highest, command->sequence) | UNCOUNTED;
        sent.length = 0;
        keep_record(channel, number, command, &sent, finding);
    }
    /* Copies and retransmissions of captured fragments are not reassembled again (with a `resend` of 0, this is the
     * first captured transmission), nor fragments that the capture cut, or that break a rule of the format (`odd`). */
    bool is_known = finding->flags & ENET_DUPLICATE || (finding->flags & ENET_RETRANSMISSION && finding->resend);
    if (command->fragment_count && !is_known && !command->odd && !command->is_cut && !finding->dropped)
        enet_keep_fragment(obtain_channel(datagram->sender, command->channel), command, datagram->facts->bytes,
                           datagram->pinfo->num, finding);
    enet_keep_fate(datagram->pinfo, datagram->facts, datagram->connection, datagram->side, command, finding);
}

/* Analyzes the commands that the receiver executes, the first ones of the datagram, in their order. First pass only. */
void enet_keep_commands(packet_info *pinfo, enet_connection *connection, const enet_facts *executed,
                        enet_findings *findings)
{
    enet_direction *directions = connection->directions;
    const uint8_t side = findings->summary.side;
    enet_analyzed datagram = { pinfo, executed, connection, &directions[side], &directions[enet_other(side)], side };
    for (uint32_t i = 0; i < executed->count; i++)
        keep_command(&datagram, &executed->commands[i], &findings->commands[i]);
}

/* ---- datagrams that continue a connection --------------------------------------------------------------- */

/* The captured transmission to this side that the command acknowledges, by its number and sent time; NULL: none. */
static const enet_send *find_acked(const enet_connection *connection, uint8_t side, const enet_command *command)
{
    const enet_channel *channel = find_channel(&connection->directions[enet_other(side)], command->channel);
    enet_record *record =
        channel && channel->has_numbers ? find_record(channel, enet_unwrap(channel->highest, command->sequence)) : NULL;
    return record ? find_send(record, command->acked_sent_time) : NULL;
}

/* True if the number is one of the MOST_MISSING after `highest`: others may be lost while the sender's address
 * changes. */
static bool is_soon_after(uint32_t number, uint32_t highest)
{
    return number > highest && number - highest <= MOST_MISSING;
}

/* For a datagram from another address, which may continue the connection: true if `side` would send this command next.
 * An acknowledgement must be the first one of a captured transmission. Any other command has one of the numbers after
 * the latest (is_soon_after()), or was not acknowledged. On a channel that was not used so far, it is the first one. */
static bool is_expected(const enet_connection *connection, uint8_t side, const enet_command *command)
{
    const enet_direction *sender = &connection->directions[side];
    if (command->number == GW_ENET_ACKNOWLEDGE) {
        const enet_send *send = find_acked(connection, side, command);
        return send && !send->acked_in;
    }
    if (command->number == GW_ENET_SEND_UNSEQUENCED)
        return sender->traffic && sender->traffic->has_group &&
               is_soon_after(enet_unwrap(sender->traffic->highest_group, command->sub_sequence),
                             sender->traffic->highest_group);
    const enet_channel *channel = find_channel(sender, command->channel);
    bool is_unreliable =
        command->number == GW_ENET_SEND_UNRELIABLE || command->number == GW_ENET_SEND_UNRELIABLE_FRAGMENT;
    if (!channel || !channel->has_numbers)
        return sender->from_start && command->sequence == (is_unreliable ? 0 : 1);
    uint32_t sequence = enet_unwrap(channel->highest, command->sequence);
    /* An unreliable message has the latest reliable number of its channel. */
    if (is_unreliable)
        return sequence - channel->highest <= MOST_MISSING;
    const enet_record *record = find_record(channel, sequence);
    return record ? !record->acked_in : is_soon_after(sequence, channel->highest);
}

/* True if there are commands, and `side` of the connection would send each of them next. Without commands, nothing in
 * the datagram shows that it continues the connection. */
bool enet_has_next_numbers(const enet_connection *connection, uint8_t side, const enet_facts *facts)
{
    for (uint32_t i = 0; i < facts->count; i++)
        if (!is_expected(connection, side, &facts->commands[i]))
            return false;
    return facts->count;
}

/* True if there are commands, and each acknowledges a captured transmission to `side`, by its number and sent time. By
 * this, a datagram of acknowledgements alone is known to be sent by `side` of the connection. */
bool enet_is_answer(const enet_connection *connection, uint8_t side, const enet_facts *facts)
{
    for (uint32_t i = 0; i < facts->count; i++)
        if (facts->commands[i].number != GW_ENET_ACKNOWLEDGE || !find_acked(connection, side, &facts->commands[i]))
            return false;
    return facts->count;
}
