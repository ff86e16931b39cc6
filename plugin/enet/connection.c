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
#include "common/conversation.h"
#include "common/kept_memory.h"
#include "internal.h"

/* Limits the search for a connection. */
#define MOST_CONNECTIONS_SEARCHED 64

#define WINDOW_SCALE 65536 /* bytes a second of bandwidth, for each smallest window */

/* Those of this file, by number. */
static wmem_array_t *connections;

static void forget_connections(void)
{
    connections = NULL;
}

void enet_register_connections(void)
{
    register_init_routine(forget_connections);
}

uint32_t enet_connection_count(void)
{
    return connections ? wmem_array_get_count(connections) : 0;
}

const enet_connection *enet_connection_of(uint32_t number)
{
    return *(enet_connection **)wmem_array_index(connections, number);
}

/* ---- finding -------------------------------------------------------------------------------------------- */

static const enet_command *find_command(const enet_facts *facts, uint8_t number)
{
    for (uint32_t i = 0; i < facts->count; i++)
        if (facts->commands[i].number == number)
            return &facts->commands[i];
    return NULL;
}

static enet_connection *begin(enet_pair *pair, packet_info *pinfo)
{
    enet_connection *begun = gw_alloc_kept(sizeof(enet_connection) + 2 * sizeof(enet_direction));
    begun->before = pair->last;
    begun->conversation = gw_conversation_of(pinfo);
    if (!pair->first)
        pair->first = begun;
    if (!connections)
        connections = wmem_array_new(wmem_file_scope(), sizeof(enet_connection *));
    begun->number = wmem_array_get_count(connections);
    wmem_array_append_one(connections, begun);
    begun->first_frame = pinfo->num;
    begun->peer[0] = begun->peer[1] = ENET_UNKNOWN_PEER;
    begun->directions = (enet_direction *)(void *)(begun + 1);
    pair->last = begun;
    pair->any_derived = false;
    pair->any_known = false;
    pair->known = (enet_choice){ 0 };
    pair->other_compression = false;
    pair->clocks[0].known = pair->clocks[1].known = false;
    pair->stale[0] = pair->stale[1] = (enet_stale){ 0 };
    return begun;
}

bool enet_has_header(const enet_connection *connection, uint8_t side, const gw_enet_header *header)
{
    return connection->peer[side] == header->peer && connection->session[side] == header->session;
}

bool enet_is_stale(const enet_connection *connection, uint8_t side, const gw_enet_header *header)
{
    return connection->verify_frame && header->has_peer && !enet_has_header(connection, side, header);
}

/* With this CONNECT or VERIFY_CONNECT. */
static enet_connection *obtain_by_setup(enet_pair *pair, packet_info *pinfo, const enet_command *setup)
{
    const uint32_t connect_id = setup->setup[GW_ENET_ROLE_CONNECT_ID];
    enet_connection *connection = pair->last;
    for (int i = 0; connection && i < MOST_CONNECTIONS_SEARCHED; i++, connection = connection->before)
        if (connection->has_connect_id && connection->connect_id == connect_id)
            return connection;
    connection = begin(pair, pinfo);
    connection->connect_id = connect_id;
    connection->has_connect_id = true;
    return connection;
}

static void keep_stale(enet_pair *pair, uint8_t side, const enet_facts *facts)
{
    enet_stale *stale = &pair->stale[side];
    stale->was_stale = enet_is_stale(pair->last, side, &facts->header);
    for (uint32_t i = 0; stale->was_stale && i < facts->count; i++) {
        const enet_command *command = &facts->commands[i];
        if (command->flags & GW_ENET_ACKNOWLEDGE_FLAG)
            *stale = (enet_stale){ true, true, command->channel, command->sequence, facts->sent_time };
    }
}

static bool acknowledges(const enet_facts *facts, const enet_stale *stale)
{
    for (uint32_t i = 0; stale->awaits_ack && i < facts->count; i++) {
        const enet_command *command = &facts->commands[i];
        if (command->number == GW_ENET_ACKNOWLEDGE && command->channel == stale->channel &&
            command->sequence == stale->sequence && command->acked_sent_time == stale->sent_time)
            return true;
    }
    return false;
}

/* If the headers of both sides do not match the connection, or the peer acknowledges what it would drop, another one
 * began whose handshake was not captured. */
static bool is_another(enet_pair *pair, uint8_t side, const enet_facts *facts)
{
    const enet_stale *other = &pair->stale[enet_other(side)];
    keep_stale(pair, side, facts);
    return other->was_stale && (pair->stale[side].was_stale || acknowledges(facts, other));
}

/* True if a VERIFY_CONNECT would not say which connection it is for: a checksum is in place of the session. */
static bool has_unknown_id(const enet_facts *facts)
{
    return facts->format->session_in_connect && facts->checksum && !facts->format->checksum_always;
}

enet_connection *enet_obtain_connection(enet_pair *pair, packet_info *pinfo, uint8_t side, const enet_facts *facts)
{
    const gw_enet_header *header = &facts->header;
    enet_connection *last = pair->last;
    const enet_command *setup = find_command(facts, GW_ENET_CONNECT);
    /* ENet ignores VERIFY_CONNECT from a client. */
    if (!setup && !(last && last->client_known && last->client == side) && !has_unknown_id(facts))
        setup = find_command(facts, GW_ENET_VERIFY_CONNECT);
    if (setup)
        return obtain_by_setup(pair, pinfo, setup);
    /* The first datagram of these addresses, without a handshake. */
    if (!last) {
        const enet_connection *continued = enet_find_continued(pinfo, header, facts);
        last = begin(pair, pinfo);
        last->continued = continued;
        return last;
    }
    /* Datagrams of the connection before, which is not over yet: late ones, and its last acknowledgements. */
    if (last->before && header->has_peer && !enet_has_header(last, side, header) &&
        enet_has_header(last->before, side, header))
        return last->before;
    return is_another(pair, side, facts) ? begin(pair, pinfo) : last;
}

/* ---- checksums ------------------------------------------------------------------------------------------ */

/* Two datagrams whose checksums give the same connect id are sufficient without a CONNECT. */
static void derive_connect_id(enet_pair *pair, enet_connection *connection, const enet_raw *raw)
{
    uint32_t id;
    if (!gw_enet_connect_id_of(raw->kind, &raw->covered, raw->checksum, &id))
        return;
    connection->connect_id = id;
    connection->has_connect_id = pair->any_derived && pair->derived_id == id;
    pair->derived_id = id;
    pair->any_derived = true;
}

bool enet_keep_checksum(enet_pair *pair, enet_connection *connection, const enet_facts *facts, const enet_raw *raw,
                        enet_findings *findings)
{
    if (!raw->whole || raw->kind == GW_ENET_CHECKSUM_UNKNOWN)
        return true;
    if (connection) {
        if (!connection->has_connect_id)
            derive_connect_id(pair, connection, raw);
        if (!connection->has_connect_id)
            return true;
        findings->connect_id = connection->connect_id;
    } else {
        const enet_command *setup = find_command(facts, GW_ENET_CONNECT);
        findings->connect_id = setup && facts->format->session_in_connect ? setup->setup[GW_ENET_ROLE_CONNECT_ID] : 0;
    }
    findings->connect_id_known = true;
    findings->checksum = gw_enet_checksum(raw->kind, &raw->covered, findings->connect_id);
    return findings->checksum == raw->checksum;
}

bool enet_is_setup_sound(const enet_facts *facts, const enet_raw *raw)
{
    const enet_command *setup = find_command(facts, GW_ENET_VERIFY_CONNECT);
    return !setup || !raw->whole || raw->kind == GW_ENET_CHECKSUM_UNKNOWN || facts->format->session_in_connect ||
           raw->checksum == gw_enet_checksum(raw->kind, &raw->covered, setup->setup[GW_ENET_ROLE_CONNECT_ID]);
}

/* ---- the handshake -------------------------------------------------------------------------------------- */

static void keep_client(enet_connection *connection, const packet_info *pinfo, uint8_t client, bool client_sends)
{
    connection->client_known = true;
    connection->client = client;
    connection->server_port = (uint16_t)(client_sends ? pinfo->destport : pinfo->srcport);
}

static void keep_bandwidth(enet_direction *direction, const uint32_t *setup)
{
    direction->incoming_bandwidth = setup[GW_ENET_ROLE_INCOMING_BANDWIDTH];
    direction->outgoing_bandwidth = setup[GW_ENET_ROLE_OUTGOING_BANDWIDTH];
    direction->bandwidth_known = true;
}

static void keep_throttle(enet_direction *direction, const uint32_t *setup)
{
    direction->throttle[0] = setup[GW_ENET_ROLE_THROTTLE_INTERVAL];
    direction->throttle[1] = setup[GW_ENET_ROLE_THROTTLE_ACCELERATION];
    direction->throttle[2] = setup[GW_ENET_ROLE_THROTTLE_DECELERATION];
    direction->throttle_known = true;
}

static void keep_connect(enet_connection *connection, const packet_info *pinfo, const enet_facts *facts,
                         const uint32_t *setup, uint8_t side)
{
    if (connection->connect_frame)
        return;
    connection->connect_frame = pinfo->num;
    connection->connect_compressed = facts->header.is_compressed;
    connection->connect_time = pinfo->abs_ts;
    connection->connect_id = setup[GW_ENET_ROLE_CONNECT_ID];
    connection->has_connect_id = true;
    connection->connect_data = setup[GW_ENET_ROLE_DATA];
    connection->has_connect_data = true;
    connection->channel_count = setup[GW_ENET_ROLE_CHANNEL_COUNT];
    connection->connect_mtu = setup[GW_ENET_ROLE_MTU];
    connection->peer[enet_other(side)] = setup[GW_ENET_ROLE_OUTGOING_PEER];
    connection->directions[0].from_start = connection->directions[1].from_start = true;
    connection->directions[side].window = setup[GW_ENET_ROLE_WINDOW];
    keep_client(connection, pinfo, side, true);
    keep_bandwidth(&connection->directions[side], setup);
    keep_throttle(&connection->directions[side], setup);
}

uint32_t enet_window_of(uint32_t outgoing, uint32_t incoming)
{
    uint32_t least = outgoing && incoming ? MIN(outgoing, incoming) : MAX(outgoing, incoming);
    if (!least)
        return GW_ENET_LARGEST_WINDOW;
    uint64_t window = least / WINDOW_SCALE * (uint64_t)GW_ENET_SMALLEST_WINDOW;
    return (uint32_t)CLAMP(window, GW_ENET_SMALLEST_WINDOW, GW_ENET_LARGEST_WINDOW);
}

static void keep_verify(enet_connection *connection, const packet_info *pinfo, const enet_facts *facts,
                        const uint32_t *setup, uint8_t side)
{
    uint8_t client = enet_other(side);
    enet_direction *directions = connection->directions;
    if (connection->verify_frame || (connection->client_known && connection->client == side))
        return;
    connection->verify_frame = pinfo->num;
    connection->verify_compressed = facts->header.is_compressed;
    connection->verify_time = pinfo->abs_ts;
    if (!has_unknown_id(facts)) {
        connection->connect_id = setup[GW_ENET_ROLE_CONNECT_ID];
        connection->has_connect_id = true;
    }
    connection->channel_count = setup[GW_ENET_ROLE_CHANNEL_COUNT];
    connection->peer[client] = setup[GW_ENET_ROLE_OUTGOING_PEER];
    connection->session[client] = setup[GW_ENET_ROLE_OUTGOING_SESSION];
    connection->session[side] = setup[GW_ENET_ROLE_INCOMING_SESSION];
    if (facts->format->session_in_connect)
        connection->session[client] = connection->session[side] = facts->header.session;
    directions[side].from_start = true;
    keep_client(connection, pinfo, client, false);
    keep_bandwidth(&directions[side], setup);
    if (!directions[client].window)
        return;
    /* The client's window is the smaller of the two; the server's follows from the bandwidths. */
    directions[client].window = MIN(directions[client].window, setup[GW_ENET_ROLE_WINDOW]);
    directions[side].window =
        enet_window_of(directions[side].outgoing_bandwidth, directions[client].incoming_bandwidth);
}

/* The client acknowledges VERIFY_CONNECT, the server's first command. */
static void keep_ack(enet_connection *connection, const packet_info *pinfo, const enet_command *command, uint8_t side,
                     enet_findings *findings)
{
    if (connection->established_frame || !connection->verify_frame || side != connection->client ||
        command->channel != GW_ENET_CONNECTION_CHANNEL || command->sequence != 1)
        return;
    connection->established_frame = pinfo->num;
    connection->established_time = pinfo->abs_ts;
    findings->established = true;
}

void enet_keep_connection(enet_connection *connection, packet_info *pinfo, const enet_facts *facts,
                          enet_findings *findings)
{
    const gw_enet_header *header = &facts->header;
    const uint8_t side = findings->side;
    if (header->has_peer && (connection->peer[side] == ENET_UNKNOWN_PEER || !connection->verify_frame)) {
        connection->peer[side] = header->peer;
        connection->session[side] = header->session;
    }
    for (uint32_t i = 0; i < facts->count; i++) {
        const enet_command *command = &facts->commands[i];
        switch (command->number) {
        case GW_ENET_CONNECT:
            keep_connect(connection, pinfo, facts, command->setup, side);
            break;
        case GW_ENET_VERIFY_CONNECT:
            keep_verify(connection, pinfo, facts, command->setup, side);
            break;
        case GW_ENET_ACKNOWLEDGE:
            keep_ack(connection, pinfo, command, side, findings);
            break;
        case GW_ENET_DISCONNECT:
            if (!connection->disconnect_frame)
                connection->disconnect_frame = pinfo->num;
            break;
        default:
            break;
        }
    }
    findings->client_known = connection->client_known;
}
