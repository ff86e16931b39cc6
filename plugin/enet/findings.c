/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds the findings of the analysis as generated items and expert infos: relations between commands, how a connection ended,
 * what was never acknowledged, and pauses.
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

/* The datagram whose findings are added. */
typedef struct enet_shown {
    const enet_items *items;
    const enet_facts *facts;
    const enet_findings *findings;
    const enet_connection *connection; /* the findings' */
    const enet_direction *sender, *receiver;
    uint8_t side; /* of the sender */
} enet_shown;

/* Seconds with three digits: printf() would write the decimal point of the locale. */
static const char *seconds_of(const packet_info *pinfo, int64_t nanoseconds)
{
    const int64_t milliseconds = nanoseconds / 1000000;
    return wmem_strdup_printf(pinfo->pool, "%" PRId64 ".%03" PRId64, milliseconds / 1000, milliseconds % 1000);
}

/* "the server of connection 3"; if it is not known which side is the client, "the other side of connection 3". */
static const char *name_side(const enet_shown *datagram, uint8_t side)
{
    const char *name = datagram->findings->summary.client_known
                           ? side == datagram->connection->client ? "the client" : "the server"
                       : side == datagram->side ? "this side"
                                                : "the other side";
    return wmem_strdup_printf(datagram->items->pinfo->pool, "%s of connection %u", name, datagram->connection->number);
}

/* Adds the time from `time`, in nanoseconds, to this datagram. */
static void add_time_since(const enet_shown *datagram, proto_tree *tree, int field, int64_t time)
{
    const nstime_t before = gw_time_of(time);
    gw_add_time_between(tree, field, &datagram->items->pinfo->abs_ts, &before);
}

/* ---- commands ------------------------------------------------------------------------------------------- */

/* Adds to an acknowledgement the transmission that it acknowledges, with the round-trip time, unless another
 * acknowledgement came before it; and, if it completes the handshake, the CONNECT with which that began. */
static void add_ack(const enet_shown *datagram, proto_tree *tree, const enet_command *command,
                    const enet_finding *finding)
{
    const enet_connection *connection = datagram->connection;
    if (finding->record) {
        /* If it is not known which transmission is acknowledged, the command's first one, without a round-trip time. */
        const enet_send *send = finding->send ? finding->send : &finding->record->first;
        gw_add_frame_link(tree, enet_hf.acks_frame, send->frame);
        if (finding->send && !(finding->flags & ENET_DUPLICATE_ACK))
            add_time_since(datagram, tree, enet_hf.ack_rtt, send->time);
    }
    /* Of the datagram that completes the handshake (`established`), the acknowledgement of VERIFY_CONNECT, which is the
     * server's first command. */
    if (!datagram->findings->summary.established || command->channel != GW_ENET_CONNECTION_CHANNEL ||
        command->sequence != 1)
        return;
    gw_add_frame_link(tree, enet_hf.begun_in, connection->connect_frame);
    if (connection->connect_frame)
        add_time_since(datagram, tree, enet_hf.handshake_time, connection->connect_time);
}

/* Adds to a transmission of a reliable command the first and the next transmission, the acknowledgement, and the bytes
 * in flight. `resend` is 0 if the first transmission was not captured: then there is none to link. */
static void add_transmission(const enet_shown *datagram, proto_tree *tree, const enet_finding *finding)
{
    const enet_record *record = finding->record;
    if (finding->flags & ENET_RETRANSMISSION && finding->resend) {
        gw_add_frame_link(tree, enet_hf.first_send, record->first.frame);
        add_time_since(datagram, tree, enet_hf.resend_time, record->first.time);
        enet_add_generated(tree, enet_hf.resend_number, finding->resend);
    }
    /* For a copy, only the transmission that it is a copy of has the links. */
    if (finding->flags & ENET_DUPLICATE)
        return;
    /* The next transmission with the same bytes: one with other bytes is another command with this number. */
    const enet_send *next = finding->send ? enet_next_send(finding->send) : NULL;
    while (next && !enet_is_same_content(next->content, finding->send->content))
        next = enet_next_send(next);
    if (next)
        gw_add_frame_link(tree, enet_hf.resent_in, next->frame);
    /* The acknowledgement of this transmission or, without one, of any transmission of the command. */
    gw_add_frame_link(tree, enet_hf.acked_in,
                      finding->send && finding->send->acked_in ? finding->send->acked_in : record->acked_in);
    if (finding->send && finding->send->in_flight)
        enet_add_generated(tree, enet_hf.in_flight, finding->send->in_flight);
}

/* Adds to a CONNECT or VERIFY_CONNECT the links to the other frames of the handshake, and the finding that it fails
 * since one of the hosts compresses its datagrams. */
static void add_handshake(const enet_shown *datagram, proto_tree *tree, const enet_command *command,
                          const enet_finding *finding)
{
    const enet_connection *connection = datagram->connection;
    proto_item *item = proto_tree_get_parent(tree);
    bool is_connect = command->number == GW_ENET_CONNECT;
    /* Not to those with another connect id, which were refused in favor of this handshake. */
    if (connection->has_connect_id && command->setup[GW_ENET_ROLE_CONNECT_ID] == connection->connect_id) {
        if (is_connect)
            gw_add_frame_link(tree, enet_hf.response_in, connection->verify_frame);
        else
            gw_add_frame_link(tree, enet_hf.response_to, connection->connect_frame);
        /* Of the first VERIFY_CONNECT: repeated ones say nothing about the server. */
        if (!is_connect && connection->connect_frame && connection->verify_frame == datagram->items->pinfo->num)
            add_time_since(datagram, tree, enet_hf.response_time, connection->connect_time);
        gw_add_frame_link(tree, enet_hf.established_in, connection->established_frame);
        gw_add_frame_link(tree, enet_hf.disconnected_in, connection->disconnect_frame);
    }
    /* A host without a compressor drops compressed datagrams: the client is not connected, and sends CONNECT again.
     * Either the client drops the compressed answer, or the server drops the compressed CONNECT: then no VERIFY_CONNECT
     * has the peer id for the client's datagrams. */
    if (!connection->client_known || connection->established_frame ||
        (is_connect && !(finding->flags & ENET_RETRANSMISSION)))
        return;
    if (connection->connect_repeated && connection->verify_compressed && !connection->connect_compressed)
        gw_add_finding(datagram->items->pinfo, item, &enet_ei.compression_differs);
    if (is_connect && connection->connect_compressed && connection->peer[connection->client] == ENET_UNKNOWN_PEER)
        gw_add_finding(datagram->items->pinfo, item, &enet_ei.no_reply);
}

/* Adds the findings of the command that are among the first ENET_FLAGS bits of enet_flag, which have a row in the table
 * of findings: each with the row's text, or with a more detailed one; and the numbers and frames that belong to them.
 * add_fate() adds the bits after these. */
static void add_flags(const enet_shown *datagram, proto_tree *tree, const enet_command *command,
                      const enet_finding *finding)
{
    packet_info *pinfo = datagram->items->pinfo;
    proto_item *item = proto_tree_get_parent(tree);
    if (finding->flags & ENET_GAP)
        item = enet_add_generated(tree, enet_hf.missing, finding->missing);
    else if (finding->flags & ENET_LOST)
        item = enet_add_generated(tree, enet_hf.lost, finding->missing);
    gw_add_frame_link(tree, enet_hf.used_in, finding->used_in);
    for (unsigned bit = 0; bit < ENET_FLAGS; bit++) {
        uint32_t flag = UINT32_C(1) << bit;
        /* Sent again, although it had arrived: a finding of its own. */
        bool is_spurious = flag == ENET_RETRANSMISSION && finding->flags & ENET_SPURIOUS;
        if (!(finding->flags & flag) || is_spurious)
            continue;
        /* Pings, limits and the like are no messages. */
        if (flag == ENET_RETRANSMISSION && finding->resend && !enet_has_payload(command)) {
            gw_add_finding(pinfo, item, &enet_ei.repeated);
            continue;
        }
        if (flag == ENET_NUMBER_REUSED)
            gw_add_finding_format(pinfo, item, &enet_ei.flags[bit],
                                  "Number used before in frame %u with other bytes: %s", finding->used_in,
                                  !gw_enet_command_of(command->number)->has_payload
                                      ? "ENet compares no numbers of commands about the connection"
                                  : finding->was_acked ? "the receiver drops this"
                                                       : "the receiver drops this, unless it has not got that one");
        else if (flag == ENET_SPURIOUS && enet_is_blocked(datagram->findings->pause))
            gw_add_finding_format(pinfo, item, &enet_ei.flags[bit],
                                  "Spurious retransmission: the command had already been acknowledged. This side was "
                                  "blocked: ENet looks for timeouts before it reads its socket");
        else if (flag == ENET_RETRANSMISSION && !finding->resend)
            gw_add_finding_format(pinfo, item, &enet_ei.flags[bit],
                                  "Retransmission: the first transmission was not captured");
        else
            gw_add_finding(pinfo, item, &enet_ei.flags[bit]);
    }
}

typedef struct enet_cause {
    const char *text; /* before the number of the frame */
    uint32_t frame;
} enet_cause;

/* Why the message of `side` was not acknowledged; without a text: not known, as it may be acknowledged after the
 * capture. A message that waits for its acknowledgement is sent again: if it was not, the capture does not have the
 * acknowledgement. */
static enet_cause find_cause(const enet_connection *connection, uint8_t side, const enet_record *record)
{
    const enet_direction *sender = &connection->directions[side], *receiver = &connection->directions[enet_other(side)];
    const int64_t sender_last = gw_nanoseconds(&sender->last_time);
    const int64_t receiver_last = gw_nanoseconds(&receiver->last_time);
    const enet_end end = enet_find_end(connection);
    const enet_send *last = &record->first;
    while (last->next)
        last = enet_next_send(last);
    if (end.kind == ENET_CLOSED && end.side != side)
        return (enet_cause){ "the receiver's port was closed, as reported in", connection->closed_frame };
    if (receiver_last < record->first.time && record->sends > 1)
        return (enet_cause){ "the receiver sent its last datagram in", receiver->last_frame };
    /* The connection was alive until the DISCONNECT: see ENET_LONGEST_RESEND. */
    if (connection->disconnect_frame && last->time <= connection->disconnect_time &&
        connection->disconnect_time - last->time < ENET_LONGEST_RESEND &&
        connection->disconnect_time - receiver_last < ENET_LONGEST_SILENCE)
        return (enet_cause){ connection->disconnect_side == side ? "dropped by the Disconnect in"
                                                                 : "the other side disconnected in",
                             connection->disconnect_frame };
    if (end.kind == ENET_UNHEARD && end.side == side)
        return (enet_cause){ "it did not arrive, although the receiver sent datagrams up to", receiver->last_frame };
    if (end.kind == ENET_REJECTS && end.side != side)
        return (enet_cause){ "rejected by the receiver, which sent datagrams up to", receiver->last_frame };
    /* It was sent again, for longer than ENet waits at least. */
    if (MAX(sender_last, receiver_last) - record->first.time >= ENET_SHORTEST_TIMEOUT_S * GW_NANOSECONDS &&
        record->sends > ENET_MANY_RESENDS)
        return (enet_cause){ "the receiver sent datagrams up to", receiver->last_frame };
    return (enet_cause){ NULL, 0 };
}

/* On a later pass: adds the finding that a message was never acknowledged, with its cause, to the message's first
 * transmission. One that was too far ahead for the receiver (`dropped`) has a finding of its own. */
static void add_never_acked(const enet_shown *datagram, proto_item *item, const enet_finding *finding)
{
    const enet_record *record = finding->record;
    const enet_direction *receiver = datagram->receiver;
    bool is_first = finding->send == &record->first &&
                    !(finding->flags & (ENET_RETRANSMISSION | ENET_DUPLICATE | ENET_NUMBER_REUSED));
    /* Known only if the capture has acknowledgements of this direction, or the server has forgotten the client and so
     * sends none. An acknowledgement may be in a datagram that was not read or was cut. */
    bool is_known = datagram->sender->is_acked || datagram->connection->refused_frame;
    if (!is_first || finding->dropped || record->acked_in || !is_known || receiver->has_unread || receiver->is_cut)
        return;
    const enet_cause cause = find_cause(datagram->connection, datagram->side, record);
    if (cause.text)
        gw_add_finding_format(datagram->items->pinfo, item, &enet_ei.never_acked,
                              "Never acknowledged by %s: %s frame %u", name_side(datagram, enet_other(datagram->side)),
                              cause.text, cause.frame);
}

/* Adds the findings about what became of a command: a CONNECT that a full server ignores, messages that a DISCONNECT
 * drops, a message that is rejected or was never acknowledged; and to a first fragment the length above which messages
 * are fragments. */
static void add_fate(const enet_shown *datagram, proto_tree *tree, const enet_command *command,
                     const enet_finding *finding)
{
    const enet_connection *connection = datagram->connection;
    const enet_facts *facts = datagram->facts;
    packet_info *pinfo = datagram->items->pinfo;
    proto_item *item = proto_tree_get_parent(tree);
    if (command->number == GW_ENET_CONNECT && connection->others_answered && !connection->verify_frame)
        gw_add_finding(pinfo, item, &enet_ei.full);
    /* On the first pass, all that are not acknowledged yet; later, only those that the capture has no acknowledgement
     * of. */
    const uint32_t unacked = enet_count_unacked(datagram->sender);
    if (finding->flags & ENET_DROPS && unacked) {
        proto_item *count = enet_add_generated(tree, enet_hf.unacked, unacked);
        gw_add_finding_format(pinfo, count ? count : item, &enet_ei.drops,
                              "Not acknowledged by %s before this Disconnect: %u reliable message%s (or fragments). It "
                              "drops what has not "
                              "arrived, and the receiver what it has not delivered",
                              name_side(datagram, enet_other(datagram->side)), unacked, unacked == 1 ? "" : "s");
    }
    if (finding->flags & ENET_REJECTED)
        gw_add_finding_format(
            pinfo, item, &enet_ei.rejected,
            "Sent %u times without an acknowledgement by %s, although it gets datagrams of this side: "
            "it rejects the message%s",
            finding->resend + 1, name_side(datagram, enet_other(datagram->side)),
            facts->wire_length > LONG_DATAGRAM ? ", or datagrams of this length do not arrive" : "");
    /* The longest message that ENet sends without fragments: a datagram of the MTU less these headers. */
    const uint32_t headers = HEADER_LENGTH + FRAGMENT_LENGTH + (facts->checksum ? facts->format->checksum_size : 0);
    if (command->fragment_count && !command->fragment_number && connection->mtu > headers &&
        facts->format == &gw_enet_formats[GW_ENET_1_3])
        enet_add_generated(tree, enet_hf.message_limit, connection->mtu - headers);
    if (gw_is_later_pass(pinfo) && finding->record && command->flags & GW_ENET_ACKNOWLEDGE_FLAG &&
        enet_has_payload(command))
        add_never_acked(datagram, item, finding);
}

/* Adds the findings about one command to its subtree. `index`: below ENET_MOST_SHOWN, since only these have one. */
static void add_command(const enet_shown *datagram, uint32_t index)
{
    const enet_command *command = &datagram->facts->commands[index];
    const enet_finding *finding = &datagram->findings->commands[index];
    proto_tree *tree = enet_tree_of_command(datagram->items, index);
    /* For items alone: without any, what is stored of other frames is not read. */
    const bool has_items = datagram->items->demand->items;
    if (has_items && command->number == GW_ENET_ACKNOWLEDGE)
        add_ack(datagram, tree, command, finding);
    else if (has_items && finding->record)
        add_transmission(datagram, tree, finding);
    if (command->number == GW_ENET_CONNECT || command->number == GW_ENET_VERIFY_CONNECT)
        add_handshake(datagram, tree, command, finding);
    if (finding->flags)
        add_flags(datagram, tree, command, finding);
    add_fate(datagram, tree, command, finding);
}

/* ---- datagrams ------------------------------------------------------------------------------------------ */

/* Adds the checksum with its result, and the connect id with which it was verified. It is an item here, not in tree.c,
 * as it needs the connect id. */
static void add_checksum(const enet_items *items, const enet_facts *facts, const enet_findings *findings)
{
    const gw_enet_header *header = &facts->header;
    packet_info *pinfo = items->pinfo;
    proto_tree *tree = items->protocol;
    tvbuff_t *tvb = items->datagram;
    uint8_t size = facts->format->checksum_size;
    bool known = findings && findings->connect_id_known;
    bool is_wrong = known && findings->checksum != header->checksum;
    proto_item *item;
    if (!tvb_bytes_exist(tvb, (int)header->checksum_at, size))
        return;
    if (size > sizeof(uint32_t)) {
        /* proto_tree_add_checksum() has 32 bits. */
        item = proto_tree_add_item(tree, enet_hf.checksum_64, tvb, (int)header->checksum_at, 8, ENC_BIG_ENDIAN);
        enet_add_generated(tree, enet_hf.checksum_status,
                           !known     ? PROTO_CHECKSUM_E_UNVERIFIED
                           : is_wrong ? PROTO_CHECKSUM_E_BAD
                                      : PROTO_CHECKSUM_E_GOOD);
    } else {
        item = proto_tree_add_checksum(tree, tvb, header->checksum_at, enet_hf.wire[GW_ENET_ROLE_CHECKSUM],
                                       enet_hf.checksum_status, NULL, pinfo, known ? (uint32_t)findings->checksum : 0,
                                       ENC_BIG_ENDIAN, known ? PROTO_CHECKSUM_VERIFY : PROTO_CHECKSUM_NO_FLAGS);
    }
    if (is_wrong)
        gw_add_finding(pinfo, item, &enet_ei.bad_checksum);
    if (known)
        enet_add_generated(tree, enet_hf.connect_id, findings->connect_id);
}

/* Adds the number of a datagram's connection, and the findings about the datagram as a whole: a new address of its
 * sender, another header, a repeated nonce, a copy, silence or a blocked program before it, IP fragments, and that the
 * server has forgotten the client. */
static void add_connection(const enet_shown *datagram)
{
    const enet_connection *connection = datagram->connection;
    const enet_findings *findings = datagram->findings;
    packet_info *pinfo = datagram->items->pinfo;
    proto_tree *tree = datagram->items->protocol;
    proto_item *protocol = proto_tree_get_parent(tree), *item;
    enet_add_generated(tree, enet_hf.connection, connection->number);
    if (connection->continued) {
        /* ENet ignores datagrams from an address that is not the peer's; hosts of a fork may accept them. */
        bool is_answered = connection->directions[0].has_sent && connection->directions[1].has_sent;
        item = enet_add_generated(tree, enet_hf.continued, connection->continued->number);
        if (connection->first_frame == pinfo->num)
            gw_add_finding_format(
                pinfo, item, &enet_ei.continued, "Continues connection %u from another address or port%s",
                connection->continued->number,
                is_answered ? ", and is answered there" : ": ENet ignores it, as that is not the peer's address");
    }
    if (findings->summary.stale)
        gw_add_finding(pinfo, protocol, &enet_ei.stale);
    if (findings->summary.nonce_repeated)
        gw_add_finding(pinfo, protocol, &enet_ei.nonce);
    gw_add_frame_link(tree, enet_hf.duplicate_of, findings->duplicate_of);
    if (findings->silent) {
        item = proto_tree_add_time(tree, enet_hf.silence, NULL, 0, 0, &findings->silence);
        proto_item_set_generated(item);
        gw_add_finding(pinfo, item, &enet_ei.silence);
    }
    /* IP reassembled the datagram, or has only its first fragment. */
    const uint32_t length = tvb_reported_length(datagram->items->datagram);
    if (!gw_is_quoted(pinfo) && (pinfo->fragmented || pinfo->fd->pkt_len < length))
        gw_add_finding_format(pinfo, protocol, &enet_ei.ip_fragments,
                              "IP fragmented this datagram of %u bytes: all of it is lost if one of its fragments is",
                              length);
    const enet_pause *pause = findings->pause;
    if (enet_is_blocked(pause)) {
        const nstime_t time = gw_time_of(pause->end - pause->begin);
        item = proto_tree_add_time(tree, enet_hf.blocked_time, NULL, 0, 0, &time);
        proto_item_set_generated(item);
        gw_add_finding_format(pinfo, item, &enet_ei.blocked,
                              "Blocked for %s s: %s sent nothing, while %u commands arrived that it acknowledges only "
                              "now; by its clock, the network delayed nothing",
                              seconds_of(pinfo, pause->end - pause->begin), name_side(datagram, datagram->side),
                              pause->waited);
    }
    if (connection->refused_frame == pinfo->num)
        gw_add_finding_format(
            pinfo, protocol, &enet_ei.refused,
            "The server has sent the client of connection %u nothing since frame %u, and sends datagrams to others: it "
            "has forgotten the client",
            connection->number, datagram->receiver->last_frame);
}

/* On a later pass: how the connection ended, at its CONNECT, its last datagram, and the last datagram of a side that is
 * silent or not heard. */
static void add_end(const enet_shown *datagram)
{
    const enet_connection *connection = datagram->connection;
    const enet_direction *sender = datagram->sender;
    packet_info *pinfo = datagram->items->pinfo;
    proto_item *protocol = proto_tree_get_parent(datagram->items->protocol);
    bool is_last = sender->last_frame == pinfo->num;
    if (!is_last && connection->connect_frame != pinfo->num && connection->last_frame != pinfo->num)
        return;
    const enet_end end = enet_find_end(connection);
    const int64_t last = gw_nanoseconds(&sender->last_time);
    if (end.kind != ENET_OPEN && (connection->connect_frame == pinfo->num || connection->last_frame == pinfo->num))
        enet_add_generated(datagram->items->protocol, enet_hf.end, end.number);
    if (!is_last || end.side != datagram->side)
        return;
    if (end.kind == ENET_SILENT)
        gw_add_finding_format(pinfo, protocol, &enet_ei.silent,
                              "Last datagram of %s: the other side sent for %s s more, and got no answer",
                              name_side(datagram, datagram->side),
                              seconds_of(pinfo, gw_nanoseconds(&datagram->receiver->last_time) - last));
    else if (end.kind == ENET_UNHEARD)
        gw_add_finding_format(
            pinfo, protocol, &enet_ei.unheard,
            "Last datagram of %s: nothing was acknowledged for %s s, and the other side sent commands "
            "again that this side had acknowledged: it does not get these datagrams",
            name_side(datagram, datagram->side), seconds_of(pinfo, last - sender->waiting_since));
}

/* Adds the findings of a datagram and its commands. Without `findings`, only what is known without them: the checksum,
 * the format, and that the port was closed to which the datagram was sent. `closed`: the connection of this datagram,
 * which an ICMP error quotes; NULL: none. Its port was open before if the server answered the CONNECT, or if the
 * connection is older than the capture; else the server may never have run. */
void enet_findings_add(const enet_items *items, const enet_facts *facts, const enet_findings *findings,
                       const enet_connection *closed)
{
    if (facts->checksum)
        add_checksum(items, facts, findings);
    if (facts->format != &gw_enet_formats[GW_ENET_1_3])
        enet_add_generated(items->protocol, enet_hf.format, (uint32_t)(facts->format - gw_enet_formats));
    if (closed) {
        /* The Info column is ICMP's, and not writable while it dissects the datagram that it quotes. -1: all
         * columns. */
        column_info *columns = items->pinfo->cinfo;
        const unsigned first = gw_count_findings(items->pinfo);
        gw_add_finding_format(items->pinfo, proto_tree_get_parent(items->protocol), &enet_ei.port_closed,
                              closed->verify_frame || !closed->connect_frame
                                  ? "No program has this port open any more: it ended without a Disconnect"
                                  : "No program has this port open: the server does not run, or has another port");
        bool is_writable = col_get_writable(columns, -1);
        col_set_writable(columns, -1, true);
        col_prepend_fstr(columns, COL_INFO, "%s", gw_finding_words(items->pinfo, first));
        col_set_writable(columns, -1, is_writable);
    }
    if (!findings)
        return;
    const uint8_t side = findings->summary.side;
    const enet_direction *directions = findings->connection->directions;
    const enet_shown datagram = {
        items, facts, findings, findings->connection, &directions[side], &directions[enet_other(side)], side
    };
    add_connection(&datagram);
    if (gw_is_later_pass(items->pinfo))
        add_end(&datagram);
    for (uint32_t i = 0; i < MIN(facts->count, ENET_MOST_SHOWN); i++)
        add_command(&datagram, i);
}
