/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finds the connection of a datagram, verifies its checksum, and reads the handshake.
 *
 *   client                         server
 *   CONNECT (no peer) ->
 *                                  <- VERIFY_CONNECT, ack
 *   ack ->                         the connection is established
 */
#include "internal.h"

#include "common/archive.h"
#include "common/conversation.h"

/* Limits the search for a connection. */
#define MOST_CONNECTIONS_SEARCHED 64

#define WINDOW_SCALE 65536 /* bytes a second of bandwidth, for each smallest window */

/* ENet drops a peer that answers nothing for this time (source). */
#define LONGEST_TIMEOUT_S 30

/* The datagram's first command with this number, a gw_enet_command_number; NULL: none. */
static const enet_command *find_command(const enet_facts *facts, uint8_t number)
{
    for (uint32_t i = 0; i < facts->count; i++)
        if (facts->commands[i].number == number)
            return &facts->commands[i];
    return NULL;
}

/* ---- from another address ------------------------------------------------------------------------------- */

/* In enet_capture.receivers: a direction of a connection. */
typedef struct received_direction {
    enet_connection *connection;
    uint8_t side; /* that sends to the receiver */
} received_direction;

/* The key of enet_capture.receivers, in which a direction is found although its sender has another address: the hash of
 * the packet's receiver (its address, VLAN and port) with a peer id and session, without the sender. */
static enet_key receiver_key(const packet_info *pinfo, uint32_t peer, uint32_t session)
{
    const uint64_t parts[] = { gw_hash_bytes(pinfo->dst.data, (size_t)pinfo->dst.len),
                               (uint64_t)pinfo->vlan_id << 32 | pinfo->destport, (uint64_t)peer << 32 | session };
    return (enet_key){ .number = gw_hash_bytes((const uint8_t *)parts, sizeof parts) };
}

/* The connection of another address that this datagram continues, as its sender has a new address or port; NULL: none.
 * The datagram has the receiver, peer id and session of that connection, which is the latest one of its two addresses
 * and not disconnected, and is the next datagram of its sender there: by time, silence and numbers. */
static enet_connection *find_continued(const packet_info *pinfo, const gw_enet_header *header, const enet_facts *facts)
{
    const enet_key key = receiver_key(pinfo, header->peer, header->session);
    const received_direction *received = header->has_peer ? gw_table_find(&enet_capture.receivers, &key) : NULL;
    enet_connection *connection = received ? received->connection : NULL;
    if (!connection || connection != connection->pair->last || connection->disconnect_frame)
        return NULL;
    const uint8_t side = received->side;
    const enet_direction *sender = &connection->directions[side];
    bool is_answered = connection->directions[enet_other(side)].has_sent;
    /* Without a sent time, it must be acknowledgements alone, which have the sent times of the other side. */
    bool in_time = header->has_sent_time ? enet_is_in_time(&connection->pair->clocks[side], pinfo, header->sent_time)
                                         : enet_is_answer(connection, side, facts);
    /* Its sender has been silent for less time than after which the receiver drops it. */
    nstime_t silence;
    nstime_delta(&silence, &pinfo->abs_ts, &sender->last_time);
    bool is_alive = silence.secs >= 0 && silence.secs < LONGEST_TIMEOUT_S;
    /* A capture on a NAT has each datagram twice, from two addresses: the second one continues nothing. */
    const enet_seen_key key_of_copy = enet_seen_key_of(connection, side, ENET_SEEN_DATAGRAM, enet_datagram_key(facts));
    bool is_copy = enet_find_recent(&key_of_copy) != NULL;
    bool is_next = is_answered && in_time && is_alive && !is_copy && enet_has_next_numbers(connection, side, facts);
    return is_next ? connection : NULL;
}

/* True if the datagram continues a connection of another address, which counts as evidence. The connection is kept for
 * the datagram's conversation: when a datagram there is recognized, this one or a later one, obtain_connection() begins
 * a connection that continues it. */
bool enet_keep_continued(packet_info *pinfo, const gw_enet_header *header, const enet_facts *facts)
{
    enet_connection *connection = find_continued(pinfo, header, facts);
    if (connection)
        wmem_map_insert(enet_capture.continued, gw_conversation_of(pinfo), connection);
    return connection != NULL;
}

/* ---- the connection of a datagram ------------------------------------------------------------------------ */

/* Begins the next connection of the pair, whose number is the next one of the capture file. What is known of the
 * datagrams of the connection before does not apply to it: its programs may be others, with other settings. */
static enet_connection *begin_connection(enet_pair *pair, packet_info *pinfo)
{
    enet_connection *connection = gw_archive_alloc(sizeof *connection);
    connection->pair = pair;
    connection->previous = pair->last;
    connection->conversation = gw_conversation_of(pinfo);
    if (!pair->first)
        pair->first = connection;
    if (!enet_capture.connections)
        enet_capture.connections = wmem_array_new(wmem_file_scope(), sizeof(enet_connection *));
    connection->number = enet_connection_count();
    wmem_array_append_one(enet_capture.connections, connection);
    connection->first_frame = pinfo->num;
    connection->peer[0] = connection->peer[1] = ENET_UNKNOWN_PEER;
    pair->last = connection;
    pair->has_derived_id = false;
    pair->modes_known = false;
    pair->compression = pair->checksum = 0;
    pair->other_compression = false;
    pair->clocks[0].known = pair->clocks[1].known = false;
    pair->stale[0] = pair->stale[1] = (enet_stale){ 0 };
    return connection;
}

/* The latest connection whose datagrams of `side` have the header's peer id and session; NULL: none among the latest
 * MOST_CONNECTIONS_SEARCHED, or the datagram has no peer. The last two connections count in any case: late datagrams
 * and the last acknowledgements of the one before still arrive. An earlier one counts if no later one has its peer id:
 * a host may have several connections with another one. */
enet_connection *enet_find_by_header(const enet_pair *pair, uint8_t side, const gw_enet_header *header)
{
    enet_connection *connection = header->has_peer ? pair->last : NULL;
    bool is_used_again = false;
    for (int i = 0; connection && i < MOST_CONNECTIONS_SEARCHED; i++, connection = connection->previous) {
        if (enet_has_header(connection, side, header))
            return i < 2 || !is_used_again ? connection : NULL;
        is_used_again |= connection->peer[side] == header->peer;
    }
    return NULL;
}

/* True if the datagram of this side has another peer id or session than the connection, whose own are known from its
 * VERIFY_CONNECT: the receiver drops it. */
static bool is_stale(const enet_connection *connection, uint8_t side, const gw_enet_header *header)
{
    return connection->verify_frame && header->has_peer && !enet_has_header(connection, side, header);
}

/* True if the datagram, sent by `side`, is of a connection whose handshake was not captured, and not of the pair's last
 * one: the latest datagrams of both sides have other headers than the last one's, or this side acknowledges such a
 * datagram, which it would have dropped in the last connection. Keeps whether this datagram has another header, and the
 * command in it that the other side acknowledges. */
static bool is_of_other_connection(enet_pair *pair, uint8_t side, const enet_facts *facts)
{
    enet_stale *own = &pair->stale[side];
    const enet_stale *other = &pair->stale[enet_other(side)];
    bool acknowledges_stale = false;
    own->was_stale = is_stale(pair->last, side, &facts->header);
    for (uint32_t i = 0; i < facts->count; i++) {
        const enet_command *command = &facts->commands[i];
        /* The latest command in such a datagram that the other side would acknowledge. */
        if (own->was_stale && command->flags & GW_ENET_ACKNOWLEDGE_FLAG)
            *own = (enet_stale){ .was_stale = true,
                                 .awaits_ack = true,
                                 .channel = command->channel,
                                 .sequence = command->sequence,
                                 .sent_time = facts->header.sent_time };
        acknowledges_stale |= other->awaits_ack && command->number == GW_ENET_ACKNOWLEDGE &&
                              command->channel == other->channel && command->sequence == other->sequence &&
                              command->acked_sent_time == other->sent_time;
    }
    return other->was_stale && (own->was_stale || acknowledges_stale);
}

/* True if a VERIFY_CONNECT in this datagram does not show its connect id. In formats whose CONNECT has a session in
 * place of a connect id, the id is the header's session. An optional checksum (ENet 1.1 and 1.2) takes the place of the
 * session; formats that always have a checksum (League of Legends) have the session beside it. */
static bool has_unknown_id(const enet_facts *facts)
{
    return facts->format->session_in_connect && facts->checksum && !facts->format->checksum_always;
}

/* The connection of a datagram, begun if there is none: by the id of its CONNECT or VERIFY_CONNECT; for the first
 * datagram of the addresses, a new one; otherwise by the header. `facts` has the commands that the receiver may
 * execute. */
static enet_connection *obtain_connection(enet_pair *pair, packet_info *pinfo, uint8_t side, const enet_facts *facts)
{
    enet_connection *last = pair->last;
    const enet_command *setup = find_command(facts, GW_ENET_CONNECT);
    /* ENet ignores VERIFY_CONNECT from a client. */
    if (!setup && !(last && last->client_known && last->client == side) && !has_unknown_id(facts))
        setup = find_command(facts, GW_ENET_VERIFY_CONNECT);
    /* CONNECT and VERIFY_CONNECT have the id of their connection: also repeated ones, of an earlier connection. */
    if (setup) {
        const uint32_t connect_id = setup->setup[GW_ENET_ROLE_CONNECT_ID];
        enet_connection *connection = last;
        for (int i = 0; connection && i < MOST_CONNECTIONS_SEARCHED; i++, connection = connection->previous)
            if (connection->has_connect_id && connection->connect_id == connect_id)
                return connection;
        connection = begin_connection(pair, pinfo);
        connection->connect_id = connect_id;
        connection->has_connect_id = true;
        return connection;
    }
    /* The first datagram of these addresses, without a handshake: it may continue a connection of another address, as
     * may an earlier datagram that was not recognized alone. */
    if (!last) {
        enet_connection *continued = find_continued(pinfo, &facts->header, facts);
        if (!continued)
            continued = wmem_map_lookup(enet_capture.continued, gw_conversation_of(pinfo));
        last = begin_connection(pair, pinfo);
        if (continued && !continued->disconnect_frame) {
            last->continued = continued;
            continued->is_continued = true;
        }
        return last;
    }
    /* A late datagram of an earlier connection, by its header; else one of the last connection, or of a new one
     * whose handshake was not captured. */
    enet_connection *earlier = enet_find_by_header(pair, side, &facts->header);
    if (earlier && earlier != last)
        return earlier;
    return is_of_other_connection(pair, side, facts) ? begin_connection(pair, pinfo) : last;
}

/* ---- commands that the receiver executes ---------------------------------------------------------------- */

/* Calculates the checksum with this connect id, and sets both in the findings, for the tree. False if the datagram has
 * another checksum: ENet drops it. */
static bool verify_checksum(const enet_raw *raw, uint32_t connect_id, enet_findings *findings)
{
    findings->connect_id = connect_id;
    findings->connect_id_known = true;
    findings->checksum = gw_enet_checksum(raw->kind, &raw->covered, connect_id);
    return findings->checksum == raw->checksum;
}

/* False if the checksum is wrong, calculated with an id that the datagram itself shows. With a peer, this is the
 * connect id of a VERIFY_CONNECT; without a peer, it is 0 or, in formats with the session in CONNECT, the id of the
 * CONNECT. True for all others, which are verified by verify_by_connection(). `executed`: the commands up to one that
 * breaks a rule. */
static bool verify_by_own_id(const enet_facts *facts, const enet_facts *executed, const enet_raw *raw,
                             enet_findings *findings)
{
    bool session_in_connect = facts->format->session_in_connect;
    const enet_command *setup;
    if (facts->header.has_peer) {
        /* In formats with the session in CONNECT, VERIFY_CONNECT has no id of its own. */
        setup = find_command(executed, GW_ENET_VERIFY_CONNECT);
        return !setup || session_in_connect ||
               raw->checksum == gw_enet_checksum(raw->kind, &raw->covered, setup->setup[GW_ENET_ROLE_CONNECT_ID]);
    }
    setup = session_in_connect ? find_command(facts, GW_ENET_CONNECT) : NULL;
    return verify_checksum(raw, setup ? setup->setup[GW_ENET_ROLE_CONNECT_ID] : 0, findings);
}

/* False if the checksum of a datagram with a peer is wrong, calculated with the id of its connection. If that is not
 * known, as the handshake was not captured, each checksum is right for one id, which is a wrong one for a damaged
 * datagram: the id is known when two datagrams in a row have the same one. */
static bool verify_by_connection(enet_pair *pair, enet_connection *connection, const enet_raw *raw,
                                 enet_findings *findings)
{
    uint32_t id;
    if (!connection->has_connect_id && gw_enet_connect_id_of(raw->kind, &raw->covered, raw->checksum, &id)) {
        connection->connect_id = id;
        connection->has_connect_id = pair->has_derived_id && pair->derived_id == id;
        pair->derived_id = id;
        pair->has_derived_id = true;
    }
    return !connection->has_connect_id || verify_checksum(raw, connection->connect_id, findings);
}

/* Returns the datagram's connection, and sets `executed` to the facts with the first commands, those that the receiver
 * executes, in the order of the checks of ENet's receiver. Sets findings about the checksum, a stale header and a
 * missing channel. */
static enet_connection *obtain_executed(enet_pair *pair, packet_info *pinfo, const enet_facts *facts,
                                        const enet_raw *raw, enet_findings *findings, enet_facts *executed)
{
    bool is_verified = facts->checksum && raw->whole && raw->kind != GW_ENET_CHECKSUM_UNKNOWN;
    const uint8_t side = findings->summary.side;

    /* The receiver executes the commands up to one that breaks a rule by itself, and none of a damaged datagram. */
    *executed = *facts;
    executed->count = 0;
    /* A command whose acknowledgement needs a sent time that is missing is the last that ENet executes. */
    while (executed->count < facts->count && !(facts->commands[executed->count].odd & GW_ENET_ODDS_REFUSED))
        if (facts->commands[executed->count++].odd & GW_ENET_ODD_NO_SENT_TIME)
            break;
    if (is_verified && !verify_by_own_id(facts, executed, raw, findings))
        executed->count = 0;

    /* It executes no command of a datagram with another connect id, peer id or session than the connection's. */
    enet_connection *connection = obtain_connection(pair, pinfo, side, executed);
    findings->connection = connection;
    findings->summary.stale = is_stale(connection, side, &facts->header);
    bool is_right = !is_verified || !facts->header.has_peer || verify_by_connection(pair, connection, raw, findings);
    if (!is_right || findings->summary.stale)
        executed->count = 0;

    /* It stops at a message on a channel that the connection has not. */
    for (uint32_t i = 0; connection->channel_count && i < executed->count; i++) {
        const enet_command *command = &facts->commands[i];
        if (enet_has_payload(command) && command->channel >= connection->channel_count) {
            findings->commands[i].flags |= ENET_NO_SUCH_CHANNEL;
            executed->count = i;
        }
    }
    return connection;
}

/* ---- the handshake and limits --------------------------------------------------------------------------- */

/* Keeps which side is the client, and the server's port: the one that the packet is sent to, if the client sends it. */
static void keep_client(enet_connection *connection, const packet_info *pinfo, uint8_t client, bool client_sends)
{
    connection->client_known = true;
    connection->client = client;
    connection->server_port = (uint16_t)(client_sends ? pinfo->destport : pinfo->srcport);
}

/* Keeps the bandwidths, 0 for no limit, that the sender of CONNECT, VERIFY_CONNECT or BANDWIDTH_LIMIT announces. True
 * if it had announced others. */
static bool keep_bandwidth(enet_direction *direction, const uint32_t *setup)
{
    const uint32_t incoming = setup[GW_ENET_ROLE_INCOMING_BANDWIDTH], outgoing = setup[GW_ENET_ROLE_OUTGOING_BANDWIDTH];
    bool is_change = direction->bandwidth_known &&
                     (direction->incoming_bandwidth != incoming || direction->outgoing_bandwidth != outgoing);
    direction->incoming_bandwidth = incoming;
    direction->outgoing_bandwidth = outgoing;
    direction->bandwidth_known = true;
    return is_change;
}

/* Keeps the throttle's parameters (interval, acceleration and deceleration), as a hash, of a CONNECT or
 * THROTTLE_CONFIGURE. True if the sender had set others. */
static bool keep_throttle(enet_direction *direction, const uint32_t *setup)
{
    const uint32_t throttle[] = { setup[GW_ENET_ROLE_THROTTLE_INTERVAL], setup[GW_ENET_ROLE_THROTTLE_ACCELERATION],
                                  setup[GW_ENET_ROLE_THROTTLE_DECELERATION] };
    const uint32_t hash = (uint32_t)gw_hash_bytes((const uint8_t *)throttle, sizeof throttle);
    bool is_change = direction->throttle_known && direction->throttle != hash;
    direction->throttle = hash;
    direction->throttle_known = true;
    return is_change;
}

/* The number of unacknowledged bytes that a sender may have, calculated from its outgoing and the receiver's incoming
 * bandwidth as in ENet's source: by the lower of the two limits, or the only one. For each WINDOW_SCALE bytes a second
 * it is GW_ENET_SMALLEST_WINDOW bytes; without a limit (0), the largest window. */
static uint32_t window_of(uint32_t outgoing, uint32_t incoming)
{
    uint32_t least = outgoing && incoming ? MIN(outgoing, incoming) : MAX(outgoing, incoming);
    if (!least)
        return GW_ENET_LARGEST_WINDOW;
    uint64_t window = least / WINDOW_SCALE * (uint64_t)GW_ENET_SMALLEST_WINDOW;
    return (uint32_t)CLAMP(window, GW_ENET_SMALLEST_WINDOW, GW_ENET_LARGEST_WINDOW);
}

/* Keeps the first CONNECT of the connection: when it was sent, its id, the limits that the client proposes, the peer id
 * that the server's datagrams will have, and that the capture has the connection from its start. `side` is the client.
 * `setup`: the values of the command, by gw_enet_role. */
static void keep_connect(enet_connection *connection, const packet_info *pinfo, const enet_facts *facts,
                         const uint32_t *setup, uint8_t side)
{
    if (connection->connect_frame)
        return;
    connection->connect_frame = pinfo->num;
    connection->connect_compressed = facts->header.is_compressed;
    connection->connect_time = gw_nanoseconds(&pinfo->abs_ts);
    connection->connect_id = setup[GW_ENET_ROLE_CONNECT_ID];
    connection->has_connect_id = true;
    connection->connect_data = setup[GW_ENET_ROLE_DATA];
    connection->has_connect_data = true;
    connection->channel_count = setup[GW_ENET_ROLE_CHANNEL_COUNT];
    connection->connect_mtu = connection->mtu = setup[GW_ENET_ROLE_MTU];
    connection->peer[enet_other(side)] = setup[GW_ENET_ROLE_OUTGOING_PEER];
    connection->directions[0].from_start = connection->directions[1].from_start = true;
    connection->directions[side].window = setup[GW_ENET_ROLE_WINDOW];
    keep_client(connection, pinfo, side, true);
    keep_bandwidth(&connection->directions[side], setup);
    keep_throttle(&connection->directions[side], setup);
}

/* Keeps the first VERIFY_CONNECT: when it was sent, its id, the limits that both sides use from now on (the lower mtu
 * of it and CONNECT), and the peer id and sessions that later datagrams have. `side` is the server, whose first command
 * this is: its numbers are known from the start. `setup`: the values of the command, by gw_enet_role. */
static void keep_verify(enet_connection *connection, const packet_info *pinfo, const enet_facts *facts,
                        const uint32_t *setup, uint8_t side)
{
    uint8_t client = enet_other(side);
    enet_direction *directions = connection->directions;
    /* ENet ignores VERIFY_CONNECT from a client. */
    if (connection->verify_frame || (connection->client_known && connection->client == side))
        return;
    connection->verify_frame = pinfo->num;
    connection->verify_compressed = facts->header.is_compressed;
    connection->verify_time = gw_nanoseconds(&pinfo->abs_ts);
    if (!has_unknown_id(facts)) {
        connection->connect_id = setup[GW_ENET_ROLE_CONNECT_ID];
        connection->has_connect_id = true;
    }
    connection->channel_count = setup[GW_ENET_ROLE_CHANNEL_COUNT];
    connection->mtu = MIN(connection->mtu ? connection->mtu : UINT32_MAX, setup[GW_ENET_ROLE_MTU]);
    connection->peer[client] = setup[GW_ENET_ROLE_OUTGOING_PEER];
    connection->session[client] = setup[GW_ENET_ROLE_OUTGOING_SESSION];
    connection->session[side] = setup[GW_ENET_ROLE_INCOMING_SESSION];
    if (facts->format->session_in_connect)
        connection->session[client] = connection->session[side] = facts->header.session;
    directions[side].from_start = true;
    keep_client(connection, pinfo, client, false);
    keep_bandwidth(&directions[side], setup);
    /* Without the CONNECT, its limits are not known. */
    if (!directions[client].window)
        return;
    /* The client's window is the smaller of the two; the server's follows from the bandwidths. */
    directions[client].window = MIN(directions[client].window, setup[GW_ENET_ROLE_WINDOW]);
    directions[side].window = window_of(directions[side].outgoing_bandwidth, directions[client].incoming_bandwidth);
}

/* Keeps what the executed commands change in the connection: CONNECT, VERIFY_CONNECT and its acknowledgement,
 * DISCONNECT, and changes of the limits, which are findings. */
static void keep_setup(enet_connection *connection, const packet_info *pinfo, const enet_facts *executed,
                       enet_findings *findings)
{
    const uint8_t side = findings->summary.side;
    enet_direction *sender = &connection->directions[side], *receiver = &connection->directions[enet_other(side)];
    for (uint32_t i = 0; i < executed->count; i++) {
        const enet_command *command = &executed->commands[i];
        enet_finding *finding = &findings->commands[i];
        switch (command->number) {
        case GW_ENET_CONNECT:
            keep_connect(connection, pinfo, executed, command->setup, side);
            break;
        case GW_ENET_VERIFY_CONNECT:
            keep_verify(connection, pinfo, executed, command->setup, side);
            break;
        case GW_ENET_ACKNOWLEDGE:
            /* The client acknowledges VERIFY_CONNECT, the server's first command. */
            if (connection->established_frame || !connection->verify_frame || side != connection->client ||
                command->channel != GW_ENET_CONNECTION_CHANNEL || command->sequence != 1)
                break;
            connection->established_frame = pinfo->num;
            connection->established_time = gw_nanoseconds(&pinfo->abs_ts);
            findings->summary.established = true;
            break;
        case GW_ENET_DISCONNECT:
            if (!connection->disconnect_frame) {
                connection->disconnect_frame = pinfo->num;
                connection->disconnect_side = side;
                connection->disconnect_time = gw_nanoseconds(&pinfo->abs_ts);
            }
            break;
        case GW_ENET_BANDWIDTH_LIMIT:
            finding->flags |= keep_bandwidth(sender, command->setup) ? ENET_BANDWIDTH_CHANGED : 0;
            /* What the other side may send depends on the new limit. */
            if (receiver->window)
                receiver->window = window_of(receiver->outgoing_bandwidth, sender->incoming_bandwidth);
            break;
        case GW_ENET_THROTTLE_CONFIGURE:
            finding->flags |= keep_throttle(sender, command->setup) ? ENET_THROTTLE_CHANGED : 0;
            break;
        default:
            break;
        }
    }
}

/* ---- properties by which later datagrams are known ------------------------------------------------------ */

/* Keeps the format of the datagram's direction: by the first datagram, and later by those with evidence for it. A
 * CONNECT also shows that this direction is the client's, and so, until the server sends, the format of the other one:
 * that in which servers answer this format (`reply`). A server may be set to answer in the client's format: that one is
 * tried as well (`others`). */
static void keep_format(enet_pair *pair, uint8_t side, const enet_facts *facts)
{
    uint8_t number = (uint8_t)(facts->format - gw_enet_formats);
    enet_formats *other = &pair->formats[enet_other(side)];
    if (!facts->evidence && pair->formats[side].is_known)
        return;
    pair->formats[side] = (enet_formats){ .first = number,
                                          .is_known = true,
                                          .others = pair->formats[side].others & ~(UINT32_C(1) << number) };
    if (other->is_known || !find_command(facts, GW_ENET_CONNECT))
        return;
    other->first = facts->format->reply;
    other->is_known = true;
    other->others = facts->format->reply == number ? 0 : UINT32_C(1) << number;
}

/* Finds or begins the datagram's connection, sets `executed` to the facts with the commands that the receiver executes,
 * and keeps what the datagram changes: the handshake and limits, and all by which later datagrams are known to belong
 * to the connection (header, receiver, clock, modes, format). */
enet_connection *enet_keep_connection(enet_pair *pair, packet_info *pinfo, const enet_facts *facts, const enet_raw *raw,
                                      enet_findings *findings, enet_facts *executed)
{
    const gw_enet_header *header = &facts->header;
    const uint8_t side = findings->summary.side;
    enet_connection *connection = obtain_executed(pair, pinfo, facts, raw, findings, executed);
    enet_direction *sender = &connection->directions[side];
    /* Not of a datagram that ENet drops as a whole. One without commands that could be read has a header all the
     * same. */
    if (executed->count || !facts->count) {
        if (header->has_peer && (connection->peer[side] == ENET_UNKNOWN_PEER || !connection->verify_frame)) {
            connection->peer[side] = header->peer;
            connection->session[side] = header->session;
        }
        keep_setup(connection, pinfo, executed, findings);
        findings->summary.client_known = connection->client_known;
    }
    /* The receiver's address, from the second datagram on: most connections of a scan have only a handshake. */
    if (header->has_peer && !findings->summary.stale) {
        if (sender->has_sent_peer && !sender->has_receiver) {
            const enet_key key = receiver_key(pinfo, connection->peer[side], connection->session[side]);
            received_direction *received = gw_table_find(&enet_capture.receivers, &key);
            if (!received)
                received = gw_table_add(&enet_capture.receivers, &key, sizeof *received);
            *received = (received_direction){ connection, side };
            sender->has_receiver = true;
        }
        sender->has_sent_peer = true;
    }
    enet_keep_activity(pinfo, pair, facts, executed, connection, findings);
    /* The sender's clock: after enet_keep_activity(), which compares the datagram with the clock before. */
    if (executed->count && header->has_sent_time)
        pair->clocks[side] = (enet_clock){ gw_nanoseconds(&pinfo->abs_ts), facts->header.sent_time, true };
    /* The modes, in which later datagrams are read first. */
    pair->modes_known = true;
    if (!pair->evidence_in && facts->evidence)
        pair->evidence_in = pinfo->num;
    pair->checksum = facts->checksum ? ENET_CHECKSUM_ALWAYS : ENET_CHECKSUM_NEVER;
    if (facts->mode > ENET_NOT_COMPRESSED)
        pair->compression = (uint8_t)facts->mode;
    keep_format(pair, side, facts);
    return connection;
}
