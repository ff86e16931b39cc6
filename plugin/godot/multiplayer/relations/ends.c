/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finds the ids of the peers from the message itself and from those before it, and whether the peers have admitted each
 * other.
 */
#include "internal.h"

#include "common/archive.h"

/* auth_timeout by default. The engine tests it in each frame of the game, and the peers know of the connection at times
 * that differ by a round trip. */
#define MILLISECOND      (GW_NANOSECONDS / 1000)
#define SHORTEST_TIMEOUT (2980 * MILLISECOND) /* 3 s, less an error of the clock */
#define LONGEST_TIMEOUT  (3401 * MILLISECOND)

/* The source, or the target, of the message. Returns false if it is not known. */
static bool find_end(const godot_mp_context *context, bool is_source, int32_t *id)
{
    const godot_mp_facts *facts = context->facts;
    const uint8_t server = context->findings->server;
    const uint8_t side = is_source ? context->position->side : context->position->side ^ 1U;
    if (facts->has_head) {
        *id = is_source ? facts->source : facts->target;
        return true;
    }
    /* The relayed peer is in place of the server. */
    if (facts->is_relayed && (server == side || server == GODOT_MP_NO_SIDE)) {
        *id = facts->relay_peer;
        return server == side;
    }
    *id = is_source ? context->findings->sender.id : context->findings->receiver.id;
    if (!*id && server == side)
        *id = GW_GODOT_MP_SERVER;
    return *id != 0;
}

void godot_mp_analyze_ends(const godot_mp_context *context)
{
    const godot_mp_position *position = context->position;
    const godot_mp_facts *facts = context->facts;
    godot_mp_findings *findings = context->findings;
    godot_mp_peer peers[2];

    /* 1. Ids that the message has. */
    if (facts->assigned)
        godot_mp_keep_peer(position, position->side ^ 1U, facts->assigned, position->pinfo->num);
    if (facts->is_of_server)
        godot_mp_keep_peer(position, position->side, GW_GODOT_MP_SERVER, position->pinfo->num);

    /* 2. The server is the peer with the id 1, or the other one if a peer has another id. */
    godot_mp_find_peers(position, peers);
    findings->server = GODOT_MP_NO_SIDE;
    for (uint8_t side = 0; side < 2 && findings->server == GODOT_MP_NO_SIDE; side++)
        if (peers[side].id)
            findings->server = peers[side].id == GW_GODOT_MP_SERVER ? side : side ^ 1U;

    /* 3. The ends of the connection, and those of the message. */
    findings->sender = peers[position->side];
    findings->receiver = peers[position->side ^ 1U];
    findings->has_source = find_end(context, true, &findings->source);
    findings->has_target = find_end(context, false, &findings->target);

    /* 4. A peer of Godot 4 sends messages of the game to a peer that it has admitted. */
    godot_mp_connection *connection = position->connection;
    if (!connection || !position->first_pass || facts->command == GW_GODOT_MP_UNKNOWN)
        return;
    if (facts->is_of_authentication)
        connection->authenticates[position->side] = true;
    else if (!connection->played[position->side])
        connection->played[position->side] = position->seq;
    if (facts->defines && facts->checksum)
        connection->defines[position->side] = true;
}

gw_godot_mp_way godot_mp_find_way(const godot_mp_findings *findings)
{
    if (findings->sender.id == GW_GODOT_MP_SERVER || findings->receiver.id > GW_GODOT_MP_SERVER)
        return GW_GODOT_MP_FROM_SERVER;
    bool is_of_client = findings->receiver.id == GW_GODOT_MP_SERVER || findings->sender.id > GW_GODOT_MP_SERVER;
    return is_of_client ? GW_GODOT_MP_TO_SERVER : GW_GODOT_MP_WAY_UNKNOWN;
}

/* A peer that waits for the other one's admission has sent no message of the game, although it has begun the
 * authentication, or has received a path, which it would have confirmed. */
bool godot_mp_keep_timeout(const godot_mp_position *position, const enet_disconnect *disconnect)
{
    godot_mp_connection *connection = position->connection;
    const uint8_t side = position->side;
    if (!connection || connection->number == GODOT_MP_NO_STREAM)
        return false;
    bool is_waiting = !connection->played[side] && (connection->authenticates[side] || connection->defines[side ^ 1U]);
    int64_t waited = disconnect->has_since ? gw_nanoseconds(&disconnect->since) : 0;
    if (position->first_pass && is_waiting && waited >= SHORTEST_TIMEOUT && waited < LONGEST_TIMEOUT)
        connection->timed_out_in[side] = position->pinfo->num;
    return connection->timed_out_in[side] == position->pinfo->num;
}
