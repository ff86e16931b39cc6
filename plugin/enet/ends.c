/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How connections end, messages that the receiver does not acknowledge, and pauses of a side whose program was blocked.
 *
 * ENet's sender gives a connection up when nothing at all was acknowledged for 5 to 30 s: each acknowledgement resets that
 * time. Therefore a side waits from its first reliable command after the latest acknowledgement on.
 *
 * A side whose program is blocked sends nothing for longer than usual, and then acknowledges the datagrams that arrived in
 * the meantime. Three other causes look alike, and are excluded:
 *
 *   - The side had nothing to send, and the other side's datagrams came late. Therefore only a side counts that sent more
 *     than acknowledgements, at short intervals, until the pause.
 *   - Its datagrams came late: the sent times after the pause are in it.
 *   - Its datagrams were lost: the transmissions that these acknowledged are not acknowledged a second time.
 */
#include "internal.h"

#include "common/archive.h"
#include "common/conversation.h"

#define SHORT_WAIT (1 * GW_NANOSECONDS)

/* So many of the other side's commands, acknowledged or sent again, show whether datagrams arrive there. */
#define MANY_COMMANDS 2

/* The server forgot a client so soon after the handshake. */
#define LONGEST_REFUSAL (1 * GW_NANOSECONDS)

#define MICROSECOND INT64_C(1000)
#define MILLISECOND (1000 * MICROSECOND)

#define SHORTEST_PAUSE (100 * MILLISECOND)
#define TIMES_USUAL    4 /* libenet sends again after intervals that double: the next one is no pause */

/* A command waited for a blocked program if it was sent so long before the end of the pause, and acknowledged so soon
 * after it. */
#define SHORTEST_WAIT  (100 * MILLISECOND)
#define LONGEST_ANSWER (100 * MILLISECOND)

/* The clock is read in one of the first datagrams after the pause: later ones say nothing about these. */
#define MOST_DATAGRAMS 4
#define CLOCK_ERROR    (25 * MILLISECOND)

/* Of a UDP datagram that an ICMP error quotes. */
#define UDP_HEADER          8
#define IPV4_HEADER         20
#define IPV6_HEADER         40
#define ICMP_HEADER         8
#define ICMP_UNREACHABLE    3
#define ICMP_PORT           3
#define ICMPV6_UNREACHABLE  1
#define ICMPV6_PORT         4
#define IPV4_WITHOUT_OPTION 0x45

const value_string enet_ends[] = {
    { ENET_DISCONNECTED, "Disconnected by the client" },
    { ENET_DISCONNECTED + 1, "Disconnected by the server" },
    { ENET_DISCONNECTED + 2, "Disconnected" },
    { ENET_SILENT, "Client silent" },
    { ENET_SILENT + 1, "Server silent" },
    { ENET_SILENT + 2, "One side silent" },
    { ENET_UNHEARD, "Client not heard" },
    { ENET_UNHEARD + 1, "Server not heard" },
    { ENET_UNHEARD + 2, "One side not heard" },
    { ENET_REJECTS, "Client rejects messages" },
    { ENET_REJECTS + 1, "Server rejects messages" },
    { ENET_REJECTS + 2, "One side rejects messages" },
    { ENET_CLOSED, "Client's port closed" },
    { ENET_CLOSED + 1, "Server's port closed" },
    { ENET_CLOSED + 2, "Port closed" },
    { ENET_NO_REPLY, "No reply" },
    { ENET_FULL, "Server full" },
    { ENET_REFUSED, "Refused" },
    { ENET_ADDRESS_CHANGED, "Address changed" },
    { ENET_NOT_ESTABLISHED, "Not established" },
    { 0, NULL },
};

/* ---- datagrams ------------------------------------------------------------------------------------------ */

/* The key of a host in enet_capture.hosts: a hash of its address, VLAN and port. */
static enet_key host_key(const address *host, uint32_t port, uint32_t vlan)
{
    const uint64_t parts[] = { gw_hash_bytes(host->data, (size_t)host->len), (uint64_t)vlan << 32 | port };
    return (enet_key){ .number = gw_hash_bytes((const uint8_t *)parts, sizeof parts) };
}

/* The host that the packet is sent to; NULL: it has sent one datagram of a connection at most. */
static const enet_host *find_receiving_host(const packet_info *pinfo)
{
    const enet_key key = host_key(&pinfo->dst, pinfo->destport, pinfo->vlan_id);
    return gw_table_find(&enet_capture.hosts, &key);
}

/* Updates the usual interval between the sender's datagrams with more than acknowledgements, of which one is sent
 * `now`: it rises at most to its double, so that a pause does not become usual, and falls slowly. */
static void keep_usual_interval(enet_direction *sender, int64_t now)
{
    int64_t interval = (now - sender->active_time) / MICROSECOND;
    uint32_t usual = sender->usual_interval;
    /* In microseconds. The double of a short interval is one millisecond more, so that it can rise from 0. */
    if (sender->active_time && interval >= 0) {
        if (interval > usual)
            usual = (uint32_t)MIN(interval, 2 * (int64_t)MIN(usual, UINT32_MAX / 4) + 1000);
        else
            usual -= (usual - (uint32_t)interval) / 16;
    }
    sender->usual_interval = usual;
    sender->active_time = now;
    sender->active_count += sender->active_count < ENET_ACTIVE_COUNT;
}

/* Keeps the pause before this datagram, if there was one, and checks by the sent time of the first datagram that has
 * one after the latest pause whether the program or the network made it. `clock`: the sender's, before this datagram.
 * `executed`: the datagram with those of its commands that the receiver executes. A datagram with more than
 * acknowledgements then changes the sender's usual interval. */
static void keep_pause(const packet_info *pinfo, const enet_clock *clock, const enet_facts *executed,
                       enet_direction *sender, enet_findings *findings)
{
    const gw_enet_header *header = &executed->header;
    const int64_t now = gw_nanoseconds(&pinfo->abs_ts), last = gw_nanoseconds(&sender->last_time);
    const int64_t usual = sender->usual_interval * MICROSECOND;
    /* The sender's interval before this datagram was much longer than usual, and before the interval it had sent more
     * than acknowledgements. An interval of ENet's timeout is a silence, another finding. */
    bool is_usual_known = sender->has_sent && sender->active_count >= ENET_ACTIVE_COUNT;
    bool is_long = now - last >= SHORTEST_PAUSE && now - last >= TIMES_USUAL * usual;
    bool was_active = last - sender->active_time <= 2 * usual;
    if (is_usual_known && is_long && was_active && now - last < ENET_SHORTEST_TIMEOUT_S * GW_NANOSECONDS) {
        enet_pause *begun = gw_archive_alloc(sizeof *begun);
        *begun = (enet_pause){ .begin = last,
                               .end = now,
                               .frame = pinfo->num,
                               .sent_time = clock->sent_time,
                               .time = clock->known ? clock->time : 0 };
        findings->pause = enet_obtain_traffic(sender)->pause = begun;
    }

    /* The first sent time after the pause shows whether the sender's clock went on as the capture's did: if not, the
     * network delayed the datagrams. After MOST_DATAGRAMS without a sent time it is too late. If no sent time was known
     * before the pause (its `time` is 0), there is nothing to compare with. */
    enet_pause *pause = sender->traffic ? sender->traffic->pause : NULL;
    if (pause && !pause->is_over) {
        pause->is_over = header->has_sent_time || !pause->time || ++pause->datagrams >= MOST_DATAGRAMS;
        if (header->has_sent_time && pause->time) {
            /* From the latest sent time before the pause on, in milliseconds, of which datagrams have 16 bits. */
            uint16_t expected = (uint16_t)(pause->sent_time + (now - pause->time) / MILLISECOND);
            int64_t late = (int16_t)(expected - header->sent_time) * MILLISECOND;
            pause->in_time = late < CLOCK_ERROR && late > -CLOCK_ERROR;
        }
    }
    if (!enet_has_only_acks(executed))
        keep_usual_interval(sender, now);
}

/* Keeps that the side has sent a datagram now: for the connection's end, for the host of its address, and for pauses.
 * `facts`: of all its commands; `executed`: of those that the receiver executes. Call it before the datagram's commands
 * change the connection, and its sent time the sender's clock. */
void enet_keep_activity(const packet_info *pinfo, const enet_pair *pair, const enet_facts *facts,
                        const enet_facts *executed, enet_connection *connection, enet_findings *findings)
{
    const uint8_t side = findings->summary.side;
    enet_direction *sender = &connection->directions[side];
    connection->last_frame = sender->last_frame = pinfo->num;
    /* The side's port is open again, if ICMP had reported it as closed. */
    if (connection->closed_side == side)
        connection->closed_frame = 0;
    /* The host of its address and port, from the second datagram on: most connections of a scan have one. */
    if (!sender->host && sender->has_receiver) {
        const enet_key key = host_key(&pinfo->src, pinfo->srcport, pinfo->vlan_id);
        sender->host = gw_table_find(&enet_capture.hosts, &key);
        if (!sender->host)
            sender->host = gw_table_add(&enet_capture.hosts, &key, sizeof *sender->host);
    }
    if (sender->host) {
        sender->host->latest = gw_nanoseconds(&pinfo->abs_ts);
        sender->host->has_checksum = facts->checksum;
    }
    /* Not for a datagram that ENet drops as a whole, or that has no commands. */
    if (executed->count)
        keep_pause(pinfo, &pair->clocks[side], executed, sender, findings);
}

/* ---- commands ------------------------------------------------------------------------------------------- */

/* Keeps that a command of `sender` was acknowledged by the packet of `acknowledger`: the sender waits no longer, and
 * counts the command as acknowledged; for the acknowledger, how fast it answers, whether the command waited for its
 * program, and, if the acknowledger itself waits for an acknowledgement, how many it has sent in that time. */
static void keep_ack(const packet_info *pinfo, enet_direction *sender, enet_direction *acknowledger,
                     const enet_finding *finding)
{
    const enet_send *send = finding->send;
    const int64_t now = gw_nanoseconds(&pinfo->abs_ts);
    sender->is_acked = true;
    sender->waiting_since = 0;
    sender->waiting_resends = sender->waiting_acks = sender->unheard_acks = 0;
    acknowledger->waiting_acks += acknowledger->waiting_since && acknowledger->waiting_acks < UINT8_MAX;

    /* The first acknowledgement of a transmission. It waited for the acknowledger's program if it was sent in the
     * pause, well before its end, and answered right after it, much later than the acknowledger has answered at its
     * fastest. */
    if (send && !(finding->flags & ENET_DUPLICATE_ACK)) {
        enet_pause *pause = acknowledger->traffic ? acknowledger->traffic->pause : NULL;
        const uint32_t answer = (uint32_t)CLAMP((now - send->time) / MICROSECOND, 1, UINT32_MAX);
        bool is_slow = acknowledger->fastest_answer && answer / TIMES_USUAL >= acknowledger->fastest_answer;
        bool is_in_pause = pause && send->time >= pause->begin && pause->end - send->time >= SHORTEST_WAIT;
        if (is_slow && is_in_pause && now - pause->end <= LONGEST_ANSWER)
            pause->waited += pause->waited < UINT16_MAX;
        if (!acknowledger->fastest_answer || answer < acknowledger->fastest_answer)
            acknowledger->fastest_answer = answer;
    }

    /* The first acknowledgement of the command: of a message or fragment, for the number of those without one; of a
     * command about the connection, for the time up to which the sender's datagrams have arrived. */
    if (!finding->record || !finding->is_first_ack)
        return;
    if (enet_count_unacked(sender) && gw_enet_command_of(finding->record->number)->has_payload)
        sender->traffic->unacked--;
    else if (send && !gw_enet_command_of(finding->record->number)->has_payload)
        sender->acked_time = MAX(sender->acked_time, send->time);
}

/* True if the server has forgotten the client at `side`: the connection was established and not disconnected; the
 * server's latest datagram to the client is from less than LONGEST_REFUSAL after the handshake, as when it refuses new
 * clients; the client has sent again (ENET_MANY_RESENDS datagrams) and waited for SHORT_WAIT, and got nothing for as
 * long; and since its latest datagram to the client, the server has sent datagrams to others. `host`: the server's
 * address and port, with the time of its latest datagram to any client; NULL: not stored. */
static bool is_forgotten(const enet_connection *connection, uint8_t side, const enet_host *host, int64_t now)
{
    const enet_direction *sender = &connection->directions[side], *receiver = &connection->directions[enet_other(side)];
    const int64_t last = gw_nanoseconds(&receiver->last_time);
    bool is_connected_client =
        connection->established_frame && !connection->disconnect_frame && side == connection->client;
    bool is_soon_silent = last - connection->established_time < LONGEST_REFUSAL;
    bool waits = sender->waiting_resends >= ENET_MANY_RESENDS && now - sender->waiting_since >= SHORT_WAIT &&
                 now - last >= SHORT_WAIT;
    bool is_server_active = host && host->latest - last >= SHORT_WAIT / 2;
    return is_connected_client && is_soon_silent && waits && is_server_active;
}

/* True if the other side gets the sender's acknowledgements: the sender has acknowledged commands of it since it waits,
 * and the other side did not send such commands again. */
static bool is_received(const enet_direction *sender)
{
    return sender->waiting_acks >= MANY_COMMANDS && !sender->unheard_acks;
}

/* Keeps that the command was sent again with the same bytes: since when its sender waits for an acknowledgement, and
 * how often. Sets ENET_REJECTED if datagrams of the sender arrive, but the message is not acknowledged, and
 * refused_frame if the server has forgotten the client, as is_forgotten() finds. */
static void keep_resent(const packet_info *pinfo, enet_connection *connection, uint8_t side,
                        const enet_command *command, enet_finding *finding)
{
    enet_direction *sender = &connection->directions[side], *receiver = &connection->directions[enet_other(side)];
    const int64_t now = gw_nanoseconds(&pinfo->abs_ts);
    /* The transmission before this one; the last that is stored, if this one is not. */
    const enet_send *previous = &finding->record->first, *next;
    while ((next = enet_next_send(previous)) != NULL && next != finding->send)
        previous = next;
    if (!sender->waiting_since)
        sender->waiting_since = now;
    /* The receiver had acknowledged the command, and this side did not get the acknowledgement. Counted while the
     * receiver itself waits: its datagrams may not arrive here. */
    if (finding->flags & ENET_SPURIOUS && receiver->waiting_since)
        receiver->unheard_acks += receiver->unheard_acks < UINT8_MAX;
    /* A command about the connection (as a ping) that was sent after the previous transmission was acknowledged; or,
     * after ENET_LONG_WAIT, the receiver gets this side's acknowledgements. */
    bool datagrams_arrive =
        sender->acked_time > previous->time || (now - sender->waiting_since >= ENET_LONG_WAIT && is_received(sender));
    if (enet_has_payload(command))
        enet_obtain_traffic(sender)->message_time = now;
    if (enet_has_payload(command) && finding->resend >= ENET_MANY_RESENDS && datagrams_arrive)
        finding->flags |= ENET_REJECTED;
    /* Once for all commands of the datagram. */
    if (sender->waiting_frame == pinfo->num)
        return;
    sender->waiting_frame = pinfo->num;
    sender->waiting_resends += sender->waiting_resends < UINT8_MAX;
    if (!connection->refused_frame && is_forgotten(connection, side, find_receiving_host(pinfo), now))
        connection->refused_frame = pinfo->num;
}

/* Keeps what a command of `side` shows about acknowledgements and the end of the connection: an acknowledgement, a
 * command that is sent again or for the first time, a DISCONNECT while messages are not acknowledged (ENET_DROPS), or a
 * CONNECT without an answer. After the command's other findings. */
void enet_keep_fate(const packet_info *pinfo, const enet_facts *facts, enet_connection *connection, uint8_t side,
                    const enet_command *command, enet_finding *finding)
{
    enet_direction *sender = &connection->directions[side], *receiver = &connection->directions[enet_other(side)];
    const int64_t now = gw_nanoseconds(&pinfo->abs_ts);
    bool is_resent = finding->record && finding->flags & ENET_RETRANSMISSION && finding->resend;
    bool is_new = finding->record && finding->send == &finding->record->first &&
                  !(finding->flags & (ENET_DUPLICATE | ENET_NUMBER_REUSED));
    if (command->number == GW_ENET_ACKNOWLEDGE) {
        keep_ack(pinfo, receiver, sender, finding);
        return;
    }
    if (is_resent) {
        keep_resent(pinfo, connection, side, command, finding);
        /* A new command of a real sender waits for its acknowledgement. */
    } else if (is_new && command->flags & GW_ENET_ACKNOWLEDGE_FLAG && !command->odd) {
        if (!sender->waiting_since)
            sender->waiting_since = now;
        if (enet_has_payload(command)) {
            enet_obtain_traffic(sender)->unacked++;
            sender->traffic->message_time = now;
        }
    }
    if (command->number == GW_ENET_DISCONNECT) {
        /* The capture has the acknowledgements, and the connection was alive: see ENET_LONGEST_RESEND. */
        bool is_known = sender->is_acked && !receiver->has_unread && !receiver->is_cut;
        if (is_known && enet_count_unacked(sender) && now - sender->traffic->message_time < ENET_LONGEST_RESEND &&
            now - gw_nanoseconds(&receiver->last_time) < ENET_LONGEST_SILENCE)
            finding->flags |= ENET_DROPS;
    }
    /* CONNECT, sent again: after its answer, or while the server sends datagrams to others. A server with another
     * checksum setting, or without the compression, drops the CONNECT for this reason. */
    if (command->number == GW_ENET_CONNECT && finding->flags & ENET_RETRANSMISSION) {
        const enet_host *host = find_receiving_host(pinfo);
        connection->connect_repeated |= connection->verify_frame != 0;
        if (!connection->verify_frame && !connection->connect_compressed && host &&
            host->has_checksum == facts->checksum && host->latest >= connection->connect_time)
            connection->others_answered = true;
    }
}

/* ---- closed ports --------------------------------------------------------------------------------------- */

/* The connection whose port is closed, as an ICMP error reports that quotes the datagram `tvb`, which was sent to this
 * port; kept on the first pass. NULL: no such error, or the connection is not known or was disconnected before. */
const enet_connection *enet_analyze_closed_port(packet_info *pinfo, tvbuff_t *tvb)
{
    if (!gw_is_quoted(pinfo) || pinfo->ptype != PT_UDP)
        return NULL;
    /* Before the datagram in the packet are the ICMP header, which begins with type and code, and the quoted headers of
     * IP, without options, and of UDP. */
    tvbuff_t *source = tvb_get_ds_tvb(tvb);
    int ip4 = tvb_raw_offset(tvb) - UDP_HEADER - IPV4_HEADER, ip6 = tvb_raw_offset(tvb) - UDP_HEADER - IPV6_HEADER;
    bool is_closed = false;
    if (pinfo->src.type == AT_IPv4 && ip4 >= ICMP_HEADER && tvb_get_uint8(source, ip4) == IPV4_WITHOUT_OPTION)
        is_closed = tvb_get_ntohs(source, ip4 - ICMP_HEADER) == (ICMP_UNREACHABLE << 8 | ICMP_PORT);
    else if (pinfo->src.type == AT_IPv6 && ip6 >= ICMP_HEADER)
        is_closed = tvb_get_ntohs(source, ip6 - ICMP_HEADER) == (ICMPV6_UNREACHABLE << 8 | ICMPV6_PORT);

    /* The latest connection of the quoted addresses up to this frame. */
    const enet_pair *pair = is_closed ? gw_conversation_find(pinfo, proto_enet) : NULL;
    enet_connection *connection = pair ? pair->last : NULL;
    while (connection && connection->first_frame > pinfo->num)
        connection = connection->previous;
    if (!connection || (connection->disconnect_frame && connection->disconnect_frame < pinfo->num))
        return NULL;
    if (!gw_is_later_pass(pinfo) && !connection->closed_frame) {
        /* The quoted datagram was sent to the closed port. */
        connection->closed_side = enet_other(gw_sender_side(pinfo) & 1U);
        connection->closed_frame = pinfo->num;
    }
    return connection;
}

/* ---- ends ----------------------------------------------------------------------------------------------- */

/* An end that is not one of a side. */
static enet_end end_of(enet_end_kind kind)
{
    return (enet_end){ .number = (uint8_t)kind, .kind = (uint8_t)kind };
}

/* An end of one side. Each such kind has three numbers: of the client, the kind itself; then of the server; then of a
 * side of which it is not known whether it is the client. */
static enet_end end_of_side(const enet_connection *connection, enet_end_kind kind, uint8_t side)
{
    enet_end end = end_of(kind);
    end.side = side;
    end.number = (uint8_t)(kind + (!connection->client_known ? 2 : side != connection->client));
    return end;
}

/* How the connection ended, on later passes, when all its datagrams are known: by what is most certain first.
 * ENET_OPEN: it did not end in the capture, or it is not known how. */
enet_end enet_find_end(const enet_connection *connection)
{
    if (connection->is_continued)
        return end_of(ENET_ADDRESS_CHANGED);
    /* CONNECT was captured, and no answer: the port was closed, or the server answered others, or, with a
     * retransmission, there was no reply. Without one, the capture may end before the answer. */
    const bool is_resent = connection->directions[connection->client].waiting_resends > 0;
    if (connection->connect_frame && !connection->verify_frame &&
        !connection->directions[enet_other(connection->client)].has_sent)
        return connection->closed_frame      ? end_of_side(connection, ENET_CLOSED, connection->closed_side)
               : connection->others_answered ? end_of(ENET_FULL)
                                             : end_of(is_resent ? ENET_NO_REPLY : ENET_OPEN);
    if (connection->refused_frame)
        return end_of(ENET_REFUSED);
    /* It was answered, but not established. */
    if (connection->connect_frame && !connection->established_frame && !connection->disconnect_frame)
        return end_of(is_resent ? ENET_NOT_ESTABLISHED : ENET_OPEN);
    if (connection->disconnect_frame)
        return end_of_side(connection, ENET_DISCONNECTED, connection->disconnect_side);
    if (connection->closed_frame)
        return end_of_side(connection, ENET_CLOSED, connection->closed_side);
    /* A side sent again for a long time, to the end, without an acknowledgement: the other side is silent; or it sends,
     * but does not get this side's acknowledgements, and so nothing of it; or it gets them and rejects the commands. */
    for (uint8_t side = 0; side < 2; side++) {
        const enet_direction *sender = &connection->directions[side];
        const enet_direction *receiver = &connection->directions[enet_other(side)];
        const int64_t last = gw_nanoseconds(&sender->last_time), other = gw_nanoseconds(&receiver->last_time);
        if (!receiver->has_sent || sender->waiting_resends < ENET_MANY_RESENDS ||
            last - sender->waiting_since < ENET_LONG_WAIT)
            continue;
        if (last - other >= ENET_LONG_WAIT)
            return end_of_side(connection, ENET_SILENT, enet_other(side));
        if (sender->unheard_acks >= MANY_COMMANDS)
            return end_of_side(connection, ENET_UNHEARD, side);
        if (is_received(sender))
            return end_of_side(connection, ENET_REJECTS, enet_other(side));
    }
    return end_of(ENET_OPEN);
}
