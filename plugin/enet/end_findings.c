/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds how a connection ended, what was never acknowledged, and pauses, as generated items and findings.
 */
#include "internal.h"

#include "common/archive.h"
#include "common/conversation.h"
#include "common/findings.h"
#include "common/items.h"

/* A datagram that IP may have to fragment on an unusual network. */
#define LONG_DATAGRAM 508

/* Of a datagram and of a fragment in ENet 1.3. */
#define HEADER_LENGTH   4
#define FRAGMENT_LENGTH 24

/* Seconds with three digits: printf() would write the decimal point of the locale. */
static const char *seconds_of(const packet_info *pinfo, int64_t nanoseconds)
{
    const int64_t milliseconds = nanoseconds / 1000000;
    return wmem_strdup_printf(pinfo->pool, "%" PRId64 ".%03" PRId64, milliseconds / 1000, milliseconds % 1000);
}

/* ---- commands ------------------------------------------------------------------------------------------- */

typedef struct enet_cause {
    const char *text; /* before the number of the frame */
    uint32_t frame;
} enet_cause;

/* Why the message of `side` was not acknowledged; without a text: it may still be. A message that waits for its
 * acknowledgement is sent again: if it was not, the capture does not have the acknowledgement. */
static enet_cause find_cause(const enet_connection *connection, uint8_t side, const enet_record *record)
{
    const enet_direction *sender = &connection->directions[side], *receiver = &connection->directions[enet_other(side)];
    const int64_t own = gw_nanoseconds(&sender->last_time), other = gw_nanoseconds(&receiver->last_time);
    const enet_end end = enet_find_end(connection);
    const enet_send *last = &record->first;
    while (last->next)
        last = last->next;
    if (end.kind == ENET_CLOSED && end.side != side)
        return (enet_cause){ "the receiver's port was closed, as reported in", connection->closed_frame };
    if (other < record->first.time && record->sends > 1)
        return (enet_cause){ "the receiver sent its last datagram in", receiver->last_frame };
    if (enet_is_dropped(connection, side, last->time))
        return (enet_cause){ connection->disconnect_side == side ? "dropped by the Disconnect in"
                                                                 : "the other side disconnected in",
                             connection->disconnect_frame };
    if (end.kind == ENET_UNHEARD && end.side == side)
        return (enet_cause){ "it did not arrive, although the receiver sent datagrams up to", receiver->last_frame };
    if (end.kind == ENET_REJECTS && end.side != side)
        return (enet_cause){ "rejected by the receiver, which sent datagrams up to", receiver->last_frame };
    if (MAX(own, other) - record->first.time >= ENET_SHORTEST_TIMEOUT_S * GW_NANOSECONDS &&
        record->sends > ENET_MANY_RESENDS)
        return (enet_cause){ "the receiver sent datagrams up to", receiver->last_frame };
    return (enet_cause){ NULL, 0 };
}

/* On a later pass, at the first transmission of a message. */
static void add_never_acked(const enet_items *items, proto_item *item, const enet_findings *findings,
                            const enet_finding *finding)
{
    const enet_connection *connection = findings->connection;
    const uint8_t side = findings->summary.side;
    const enet_direction *sender = &connection->directions[side], *receiver = &connection->directions[enet_other(side)];
    const enet_record *record = finding->record;
    bool is_first = finding->send == &record->first &&
                    !(finding->flags & (ENET_RETRANSMISSION | ENET_DUPLICATE | ENET_NUMBER_REUSED));
    bool is_known = sender->is_acked || connection->refused_frame;
    if (!is_first || finding->dropped || record->acked_in || !is_known || receiver->unread || receiver->is_cut)
        return;
    const enet_cause cause = find_cause(connection, side, record);
    if (!cause.text)
        return;
    gw_add_finding_format(items->pinfo, item, &enet_ei.never_acked, "Never acknowledged: %s frame %u", cause.text,
                          cause.frame);
}

/* On a first pass, all are counted that are not acknowledged yet. */
static void add_drops(const enet_items *items, proto_tree *tree, const enet_findings *findings)
{
    const uint8_t side = findings->summary.side;
    const uint32_t unacked = findings->connection->directions[side].unacked;
    if (!unacked)
        return;
    proto_item *item = enet_add_generated(tree, enet_hf.unacked, unacked);
    gw_add_finding_format(
        items->pinfo, item ? item : proto_tree_get_parent(tree), &enet_ei.drops,
        "Not acknowledged before this Disconnect: %u reliable message%s (or fragments). It drops what has not "
        "arrived, and the receiver what it has not delivered",
        unacked, unacked == 1 ? "" : "s");
}

/* The longest message that ENet sends in one datagram. */
static void add_limit(proto_tree *tree, const enet_facts *facts, const enet_connection *connection)
{
    uint32_t headers = HEADER_LENGTH + FRAGMENT_LENGTH + (facts->checksum ? facts->format->checksum_size : 0);
    if (connection->mtu > headers && facts->format == &gw_enet_formats[GW_ENET_1_3])
        enet_add_generated(tree, enet_hf.message_limit, connection->mtu - headers);
}

void enet_add_fate(const enet_items *items, const enet_facts *facts, const enet_findings *findings, uint32_t index)
{
    const enet_command *command = &facts->commands[index];
    const enet_finding *finding = &findings->commands[index];
    const enet_connection *connection = findings->connection;
    packet_info *pinfo = items->pinfo;
    proto_tree *tree = enet_tree_of_command(items, index);
    proto_item *item = proto_tree_get_parent(tree);
    if (command->number == GW_ENET_CONNECT && connection->others_answered && !connection->verify_frame)
        gw_add_finding(pinfo, item, &enet_ei.full);
    if (finding->flags & ENET_DROPS)
        add_drops(items, tree, findings);
    if (finding->flags & ENET_REJECTED)
        gw_add_finding_format(pinfo, item, &enet_ei.rejected,
                              "Sent %u times without an acknowledgement, although the receiver gets datagrams of this "
                              "side: it rejects the message%s",
                              finding->resend + 1,
                              facts->wire_length > LONG_DATAGRAM ? ", or datagrams of this length do not arrive" : "");
    if (command->fragment_count && !command->fragment_number)
        add_limit(tree, facts, connection);
    if (gw_is_later_pass(pinfo) && finding->record && command->flags & GW_ENET_ACKNOWLEDGE_FLAG &&
        enet_has_payload(command))
        add_never_acked(items, item, findings, finding);
}

/* ---- datagrams ------------------------------------------------------------------------------------------ */

/* On a later pass, at the last datagram of this side. */
static void add_last(const enet_items *items, proto_item *item, const enet_connection *connection, uint8_t side)
{
    const enet_end end = enet_find_end(connection);
    const enet_direction *own = &connection->directions[side], *other = &connection->directions[enet_other(side)];
    const int64_t last = gw_nanoseconds(&own->last_time);
    if (end.side != side || own->last_frame != items->pinfo->num)
        return;
    if (end.kind == ENET_SILENT)
        gw_add_finding_format(items->pinfo, item, &enet_ei.silent,
                              "Last datagram of this side: the other one sent for %s s more, and got no answer",
                              seconds_of(items->pinfo, gw_nanoseconds(&other->last_time) - last));
    else if (end.kind == ENET_UNHEARD)
        gw_add_finding_format(items->pinfo, item, &enet_ei.unheard,
                              "Last datagram of this side: nothing was acknowledged for %s s, and the other side "
                              "sent commands again that this side had acknowledged: it does not get these datagrams",
                              seconds_of(items->pinfo, last - own->waiting_since));
}

static void add_pause(const enet_items *items, const enet_pause *pause)
{
    const nstime_t length = gw_time_of(pause->end - pause->begin);
    proto_item *item = proto_tree_add_time(items->protocol, enet_hf.blocked_time, NULL, 0, 0, &length);
    proto_item_set_generated(item);
    gw_add_finding_format(items->pinfo, item, &enet_ei.blocked,
                          "This side was blocked for %s s: it sent nothing, while %u commands arrived that it "
                          "acknowledges only now; by its clock, the network delayed nothing",
                          seconds_of(items->pinfo, pause->end - pause->begin), pause->waited);
}

/* IP reassembled the datagram, or has only its first fragment. */
static void add_ip_fragments(const enet_items *items, proto_item *item)
{
    packet_info *pinfo = items->pinfo;
    uint32_t length = tvb_reported_length(items->datagram);
    if (gw_is_quoted(pinfo) || (!pinfo->fragmented && pinfo->fd->pkt_len >= length))
        return;
    gw_add_finding_format(pinfo, item, &enet_ei.ip_fragments,
                          "IP fragmented this datagram of %u bytes: all of it is lost if one of its fragments is",
                          length);
}

void enet_add_ends(const enet_items *items, const enet_findings *findings)
{
    const enet_connection *connection = findings->connection;
    const uint8_t side = findings->summary.side;
    const uint32_t frame = items->pinfo->num;
    proto_item *item = proto_tree_get_parent(items->protocol);
    add_ip_fragments(items, item);
    if (enet_is_blocked(findings->pause))
        add_pause(items, findings->pause);
    if (connection->refused_frame == frame)
        gw_add_finding_format(
            items->pinfo, item, &enet_ei.refused,
            "The server has sent this client nothing since frame %u, and sends datagrams to others: it "
            "has forgotten the client",
            connection->directions[enet_other(side)].last_frame);
    if (!gw_is_later_pass(items->pinfo))
        return;
    if (connection->connect_frame == frame || connection->last_frame == frame) {
        const enet_end end = enet_find_end(connection);
        if (end.kind != ENET_OPEN)
            enet_add_generated(items->protocol, enet_hf.end, end.number);
    }
    if (connection->directions[side].last_frame == frame)
        add_last(items, item, connection, side);
}

/* ICMP's line is protected from what it quotes. */
void enet_add_closed_port(const enet_items *items, const enet_connection *connection)
{
    column_info *columns = items->pinfo->cinfo;
    const unsigned first = gw_count_findings(items->pinfo);
    gw_add_finding_format(items->pinfo, proto_tree_get_parent(items->protocol), &enet_ei.port_closed,
                          connection->verify_frame || !connection->connect_frame
                              ? "No program has this port open any more: it ended without a Disconnect"
                              : "No program has this port open: the server does not run, or has another port");
    bool is_writable = col_get_writable(columns, -1);
    col_set_writable(columns, -1, true);
    col_prepend_fstr(columns, COL_INFO, "%s", gw_finding_words(items->pinfo, first));
    col_set_writable(columns, -1, is_writable);
}
