/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How connections end, and messages that the receiver does not acknowledge.
 *
 * ENet's sender gives a connection up when nothing at all was acknowledged for 5 to 30 s: each acknowledgement resets that
 * time. Therefore a side waits from its first reliable command after the latest acknowledgement on.
 */
#include "internal.h"

#include "common/archive.h"
#include "common/conversation.h"

#define SHORT_WAIT (1 * GW_NANOSECONDS)

/* Before a DISCONNECT: a message that waits for its acknowledgement is sent again after 0.5 s at first, and a peer sends
 * pings every 0.5 s. */
#define LONGEST_RESEND  (1 * GW_NANOSECONDS)
#define LONGEST_SILENCE (GW_NANOSECONDS / 2)

/* So many of the other side's commands, acknowledged or sent again, show whether datagrams arrive there. */
#define MANY_COMMANDS 2

/* The server forgot a client so soon after the handshake. */
#define LONGEST_REFUSAL (1 * GW_NANOSECONDS)

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

/* ---- hosts ---------------------------------------------------------------------------------------------- */

static int64_t host_key(const address *host, uint32_t port, uint32_t vlan)
{
    const uint64_t parts[] = { enet_hash(host->data, (size_t)host->len), (uint64_t)vlan << 32 | port };
    return (int64_t)enet_hash((const uint8_t *)parts, sizeof parts);
}

static const enet_host *find_receiving_host(const packet_info *pinfo)
{
    const int64_t key = host_key(&pinfo->dst, pinfo->destport, pinfo->vlan_id);
    return wmem_map_lookup(enet_capture.hosts, &key);
}

void enet_keep_host(const packet_info *pinfo, const enet_facts *facts, enet_connection *connection, uint8_t side)
{
    enet_direction *sender = &connection->directions[side];
    connection->last_frame = sender->last_frame = pinfo->num;
    if (connection->closed_side == side)
        connection->closed_frame = 0;
    /* From the second datagram on, as of most connections of a scan there is one. */
    if (!sender->host && sender->has_receiver) {
        const int64_t key = host_key(&pinfo->src, pinfo->srcport, pinfo->vlan_id);
        sender->host = wmem_map_lookup(enet_capture.hosts, &key);
        if (!sender->host) {
            sender->host = gw_archive_alloc(sizeof *sender->host);
            sender->host->key = key;
            wmem_map_insert(enet_capture.hosts, &sender->host->key, sender->host);
        }
    }
    if (!sender->host)
        return;
    sender->host->latest = gw_nanoseconds(&pinfo->abs_ts);
    sender->host->has_checksum = facts->checksum;
}

/* ---- reliable commands ---------------------------------------------------------------------------------- */

void enet_keep_sent(const packet_info *pinfo, enet_direction *sender, const enet_command *command)
{
    if (!(command->flags & GW_ENET_ACKNOWLEDGE_FLAG) || command->odd)
        return;
    if (!sender->waiting_since)
        sender->waiting_since = gw_nanoseconds(&pinfo->abs_ts);
    sender->unacked += enet_has_payload(command);
    if (enet_has_payload(command))
        sender->message_time = gw_nanoseconds(&pinfo->abs_ts);
}

/* The server, which has answered this client at most in the beginning, sends to others. */
static bool is_forgotten(const enet_connection *connection, uint8_t side, const enet_host *host, int64_t now)
{
    const enet_direction *sender = &connection->directions[side], *receiver = &connection->directions[enet_other(side)];
    const int64_t last = gw_nanoseconds(&receiver->last_time);
    return connection->established_frame && side == connection->client && !connection->disconnect_frame &&
           last - gw_nanoseconds(&connection->established_time) < LONGEST_REFUSAL &&
           sender->waiting_resends >= ENET_MANY_RESENDS && now - sender->waiting_since >= SHORT_WAIT &&
           now - last >= SHORT_WAIT && host && host->latest - last >= SHORT_WAIT / 2;
}

/* The other side gets this side's acknowledgements: it does not send its commands again. */
static bool is_received(const enet_direction *sender)
{
    return sender->waiting_acks >= MANY_COMMANDS && !sender->unheard;
}

void enet_keep_resent(const packet_info *pinfo, enet_connection *connection, uint8_t side, const enet_command *command,
                      const enet_send *before, enet_finding *finding)
{
    enet_direction *sender = &connection->directions[side];
    const int64_t now = gw_nanoseconds(&pinfo->abs_ts);
    if (!sender->waiting_since)
        sender->waiting_since = now;
    enet_direction *receiver = &connection->directions[enet_other(side)];
    if (finding->flags & ENET_SPURIOUS && receiver->waiting_since)
        receiver->unheard += receiver->unheard < UINT8_MAX;
    /* A command that was sent after it was acknowledged, or the receiver gets this side's acknowledgements. */
    bool arrives =
        sender->acked_time > before->time || (now - sender->waiting_since >= ENET_LONG_WAIT && is_received(sender));
    if (enet_has_payload(command))
        sender->message_time = now;
    if (enet_has_payload(command) && finding->resend >= ENET_MANY_RESENDS && arrives)
        finding->flags |= ENET_REJECTED;
    if (sender->waiting_frame == pinfo->num)
        return;
    sender->waiting_frame = pinfo->num;
    sender->waiting_resends += sender->waiting_resends < UINT8_MAX;
    if (!connection->refused_frame && is_forgotten(connection, side, find_receiving_host(pinfo), now))
        connection->refused_frame = pinfo->num;
}

void enet_keep_unanswered(const packet_info *pinfo, const enet_facts *facts, enet_connection *connection)
{
    const enet_host *host = find_receiving_host(pinfo);
    if (!connection->verify_frame && !connection->connect_compressed && host && host->has_checksum == facts->checksum &&
        host->latest >= gw_nanoseconds(&connection->connect_time))
        connection->others_answered = true;
}

void enet_keep_acked(enet_direction *sender, enet_direction *acknowledger)
{
    sender->is_acked = true;
    sender->waiting_since = 0;
    sender->waiting_resends = sender->waiting_acks = sender->unheard = 0;
    acknowledger->waiting_acks += acknowledger->waiting_since && acknowledger->waiting_acks < UINT8_MAX;
}

void enet_keep_first_ack(enet_direction *sender, const enet_record *record, const enet_send *send)
{
    if (gw_enet_command_of(record->number)->has_payload)
        sender->unacked -= sender->unacked > 0;
    else if (send)
        sender->acked_time = MAX(sender->acked_time, send->time);
}

void enet_keep_disconnect(const packet_info *pinfo, const enet_direction *sender, const enet_direction *receiver,
                          enet_finding *finding)
{
    const int64_t now = gw_nanoseconds(&pinfo->abs_ts);
    bool is_known = sender->is_acked && !receiver->unread && !receiver->is_cut;
    if (is_known && sender->unacked && now - sender->message_time < LONGEST_RESEND &&
        now - gw_nanoseconds(&receiver->last_time) < LONGEST_SILENCE)
        finding->flags |= ENET_DROPS;
}

bool enet_is_dropped(const enet_connection *connection, uint8_t side, int64_t sent)
{
    const enet_direction *receiver = &connection->directions[enet_other(side)];
    return connection->disconnect_frame && sent <= connection->disconnect_time &&
           connection->disconnect_time - sent < LONGEST_RESEND &&
           connection->disconnect_time - gw_nanoseconds(&receiver->last_time) < LONGEST_SILENCE;
}

/* ---- closed ports --------------------------------------------------------------------------------------- */

bool enet_is_port_unreachable(const packet_info *pinfo, tvbuff_t *tvb)
{
    tvbuff_t *source = tvb_get_ds_tvb(tvb);
    int ip4 = tvb_raw_offset(tvb) - UDP_HEADER - IPV4_HEADER, ip6 = tvb_raw_offset(tvb) - UDP_HEADER - IPV6_HEADER;
    if (!gw_is_quoted(pinfo) || pinfo->ptype != PT_UDP)
        return false;
    if (pinfo->src.type == AT_IPv4 && ip4 >= ICMP_HEADER && tvb_get_uint8(source, ip4) == IPV4_WITHOUT_OPTION)
        return tvb_get_ntohs(source, ip4 - ICMP_HEADER) == (ICMP_UNREACHABLE << 8 | ICMP_PORT);
    return pinfo->src.type == AT_IPv6 && ip6 >= ICMP_HEADER &&
           tvb_get_ntohs(source, ip6 - ICMP_HEADER) == (ICMPV6_UNREACHABLE << 8 | ICMPV6_PORT);
}

const enet_connection *enet_analyze_closed_port(packet_info *pinfo)
{
    const enet_pair *pair = gw_conversation_find(pinfo, proto_enet);
    enet_connection *connection = pair ? pair->last : NULL;
    while (connection && connection->first_frame > pinfo->num)
        connection = connection->before;
    if (!connection || (connection->disconnect_frame && connection->disconnect_frame < pinfo->num))
        return NULL;
    if (!gw_is_later_pass(pinfo) && !connection->closed_frame) {
        connection->closed_side = enet_other(gw_sender_side(pinfo) & 1U);
        connection->closed_frame = pinfo->num;
    }
    return connection;
}

/* ---- ends ----------------------------------------------------------------------------------------------- */

static enet_end end_of(enet_end_kind kind)
{
    return (enet_end){ .number = (uint8_t)kind, .kind = (uint8_t)kind };
}

static enet_end end_of_side(const enet_connection *connection, enet_end_kind kind, uint8_t side)
{
    enet_end end = end_of(kind);
    end.side = side;
    end.number = (uint8_t)(kind + (!connection->client_known ? 2 : side != connection->client));
    return end;
}

/* The connection was not established. */
static enet_end find_end_of_connect(const enet_connection *connection)
{
    if (connection->closed_frame)
        return end_of_side(connection, ENET_CLOSED, connection->closed_side);
    if (connection->others_answered)
        return end_of(ENET_FULL);
    return end_of(connection->directions[connection->client].waiting_resends ? ENET_NO_REPLY : ENET_OPEN);
}

enet_end enet_find_end(const enet_connection *connection)
{
    if (connection->is_continued)
        return end_of(ENET_ADDRESS_CHANGED);
    if (connection->connect_frame && !connection->verify_frame &&
        !connection->directions[enet_other(connection->client)].any)
        return find_end_of_connect(connection);
    if (connection->refused_frame)
        return end_of(ENET_REFUSED);
    if (connection->connect_frame && !connection->established_frame && !connection->disconnect_frame)
        return end_of(connection->directions[connection->client].waiting_resends ? ENET_NOT_ESTABLISHED : ENET_OPEN);
    if (connection->disconnect_frame)
        return end_of_side(connection, ENET_DISCONNECTED, connection->disconnect_side);
    if (connection->closed_frame)
        return end_of_side(connection, ENET_CLOSED, connection->closed_side);
    for (uint8_t side = 0; side < 2; side++) {
        const enet_direction *sender = &connection->directions[side];
        const enet_direction *receiver = &connection->directions[enet_other(side)];
        const int64_t last = gw_nanoseconds(&sender->last_time), other = gw_nanoseconds(&receiver->last_time);
        if (!receiver->any || sender->waiting_resends < ENET_MANY_RESENDS ||
            last - sender->waiting_since < ENET_LONG_WAIT)
            continue;
        if (last - other >= ENET_LONG_WAIT)
            return end_of_side(connection, ENET_SILENT, enet_other(side));
        if (sender->unheard >= MANY_COMMANDS)
            return end_of_side(connection, ENET_UNHEARD, side);
        if (is_received(sender))
            return end_of_side(connection, ENET_REJECTS, enet_other(side));
    }
    return end_of(ENET_OPEN);
}
