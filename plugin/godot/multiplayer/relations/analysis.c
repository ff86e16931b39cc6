/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The list of the relations of a message to others: what is stored on the first pass, and the findings. The first and
 * the last relation are in this file: the ends of the connection and of the message, and reliable calls of one method.
 */
#include "internal.h"

#include "common/archive.h"
#include "common/keys.h"
#include "godot/multiplayer/names/internal.h"

/* ---- ends ------------------------------------------------------------------------------------------------ */

/* auth_timeout by default. The engine tests it in each frame of the game, and the peers know of the connection at times
 * that differ by a round trip. */
#define MILLISECOND      (GW_NANOSECONDS / 1000)
#define SHORTEST_TIMEOUT (2980 * MILLISECOND) /* 3 s, less an error of the clock */
#define LONGEST_TIMEOUT  (3401 * MILLISECOND)

/* Sets `id` to the source, or the target, of the message, which a server may relay. Returns false if it is not known:
 * `id` is 0, or a relayed peer that is either the source or the target. */
static bool find_end(const godot_mp_context *context, bool is_source, int32_t *id)
{
    const godot_mp_facts *facts = context->facts;
    const uint8_t server = context->findings->server;
    const uint8_t side = is_source ? context->position->side : context->position->side ^ 1U;
    if (facts->has_head) {
        *id = is_source ? facts->source : facts->target;
        return true;
    }
    /* A relay names the peer in whose place the server is: the source of the server's message, the target of a
     * client's. If the server's side is not known, it may be either. */
    if (facts->is_relayed && (server == side || server == GODOT_MP_NO_SIDE)) {
        *id = facts->relay_peer;
        return server == side;
    }
    *id = is_source ? context->findings->sender.id : context->findings->receiver.id;
    if (!*id && server == side)
        *id = GW_GODOT_MP_SERVER;
    return *id != 0;
}

/* Stores the ids of peers that the message shows, on the first pass; sets sender, receiver, source, target and the
 * server's side. The connection may be NULL. Also stores for each side whether it authenticates, when it first sent a
 * message of the game (played) and whether it defines paths: for a peer that has not admitted the other one. */
static void analyze_ends(const godot_mp_context *context)
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

/* The way of the message: from the server, or to it. One known id is sufficient: a server has the id 1, and a client a
 * higher one; 0 is not known. */
gw_godot_mp_way godot_mp_find_way(const godot_mp_findings *findings)
{
    if (findings->sender.id == GW_GODOT_MP_SERVER || findings->receiver.id > GW_GODOT_MP_SERVER)
        return GW_GODOT_MP_FROM_SERVER;
    bool is_of_client = findings->receiver.id == GW_GODOT_MP_SERVER || findings->sender.id > GW_GODOT_MP_SERVER;
    return is_of_client ? GW_GODOT_MP_TO_SERVER : GW_GODOT_MP_WAY_UNKNOWN;
}

/* On the first pass, stores a DISCONNECT that the sender sent because the authentication did not end in time: about 3 s
 * after it knew that the connection is established (disconnect->since). True for its frame; false in a connection
 * without an accepted message. A peer that waits for the other one's admission has sent no message of the game
 * (played), although it has begun the authentication, or has received a path, which it would have confirmed. */
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

/* ---- reliable calls of one method on one node ------------------------------------------------------------ */

/* Reliable calls of a method on a node for one receiver, in each of two seconds. When a scene is loaded, there may be
 * as many at once. */
#define MOST_RELIABLE_CALLS 20U

typedef struct method_calls {
    int64_t begin; /* of the second that is counted, gw_nanoseconds() */
    uint32_t count;
    bool were_many; /* in the second before */
    bool is_reported;
} method_calls;

/* The text as a number of the key. */
static uint32_t hash_of(const char *text)
{
    return (uint32_t)gw_hash_bytes((const uint8_t *)text, strlen(text));
}

/* On the first pass: counts the call among those of its method, on its node and from its sender to this receiver, in
 * the current second. The first call above MOST_RELIABLE_CALLS, after a second that also had more, is archived
 * (GODOT_MP_EXCESS) for an expert info, once for each method on a node. After GODOT_MP_MOST_METHODS, no others are
 * counted. */
static void keep_call(const godot_mp_context *context)
{
    const godot_mp_position *position = context->position;
    const godot_mp_facts *facts = context->facts;
    const godot_mp_id_key key = {
        .id = facts->method ? hash_of(facts->method) : facts->method_id,
        .assigner = (int32_t)(facts->path ? hash_of(facts->path) : facts->path_id),
        .side = position->side,
    };
    method_calls *calls = godot_mp_find_by_id(position->connection, GODOT_MP_ID_CALLS, &key);
    if (!calls) {
        if (godot_mp_current.methods == GODOT_MP_MOST_METHODS)
            return;
        calls = godot_mp_keep_by_id(position->connection, GODOT_MP_ID_CALLS, &key, sizeof *calls);
        godot_mp_current.methods++;
    }

    /* A second begins with its first call. */
    const int64_t now = gw_nanoseconds(&position->pinfo->abs_ts), seconds = (now - calls->begin) / GW_NANOSECONDS;
    if (!calls->count || seconds != 0) {
        calls->were_many = seconds == 1 && calls->count > MOST_RELIABLE_CALLS;
        calls->begin = now;
        calls->count = 0;
    }
    calls->count++;
    if (calls->is_reported || !calls->were_many || calls->count <= MOST_RELIABLE_CALLS)
        return;
    calls->is_reported = true;
    godot_mp_keep_archived(position, GODOT_MP_EXCESS, 0); /* without data: only its presence is tested */
}

/* Counts the calls of a method on the first pass, and finds the first call of which the method has too many: more than
 * MOST_RELIABLE_CALLS in each of two seconds, one after the other. Only those that ENet sends reliably: after a loss,
 * they wait for each other. */
static void analyze_calls(const godot_mp_context *context)
{
    const godot_mp_position *position = context->position;
    const enet_message *enet = context->message->carrier->enet;
    if (context->facts->command != GW_GODOT_MP_CALL || !enet || enet->delivery != ENET_RELIABLE)
        return;
    if (position->first_pass)
        keep_call(context);
    context->findings->is_one_too_many = godot_mp_find_archived(position, GODOT_MP_EXCESS) != NULL;
}

/* ---- all relations --------------------------------------------------------------------------------------- */

typedef void relation(const godot_mp_context *context);

/* In this order: each uses the findings of those before it. The first sets findings without a connection, too. What
 * they store, and its limits: internal.h. */
static relation *const relations[] = {
    analyze_ends, /* the peers at the ends, the source and the target; whether they have admitted each other */
    godot_mp_analyze_paths,   /* ids of paths: definitions, confirmations, refusals, calls, spawners */
    godot_mp_analyze_nodes,   /* spawned nodes and their synchronizers; despawns; syncs and their updates */
    godot_mp_analyze_players, /* names in calls */
    godot_mp_analyze_relays,  /* the same message in another connection */
    analyze_calls,            /* too many reliable calls */
};

/* Sets the findings of the message, by each relation. Without a connection only the ends are known. */
void godot_mp_analyze(godot_mp_message *message)
{
    godot_mp_findings *findings = wmem_new0(message->pinfo->pool, godot_mp_findings);
    const godot_mp_context context = {
        .message = message, .position = &message->position, .facts = &message->facts, .findings = findings
    };
    message->findings = findings;
    for (size_t i = 0; i < G_N_ELEMENTS(relations) && (!i || message->position.connection); i++)
        relations[i](&context);
}
