/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Keeps which of the two peers has sent messages of the game, and finds the DISCONNECT of an authentication that ended
 * without success.
 */
#include "internal.h"

/* auth_timeout by default. The engine tests it in each frame of the game, and the peers know of the connection at times
 * that differ by a round trip. */
#define TIMEOUT_MS       3000
#define MOST_AFTER_IT_MS 400
#define CLOCK_ERROR_MS   20

void godot_mp_analyze_admission(const godot_mp_context *context)
{
    const godot_mp_position *position = context->position;
    const godot_mp_facts *facts = context->facts;
    godot_mp_connection *connection = position->connection;
    if (!position->first_pass || facts->command == GW_GODOT_MP_UNKNOWN)
        return;
    if (facts->is_of_authentication)
        connection->authenticates[position->side] = true;
    else if (!connection->played[position->side])
        connection->played[position->side] = position->seq;
    if (facts->defines && facts->checksum)
        connection->defines[position->side] = true;
}

bool godot_mp_has_played(const godot_mp_position *position, uint8_t side)
{
    return position->connection->played[side] != 0;
}

/* ---- the end of the time ------------------------------------------------------------------------------- */

static bool is_at_timeout(const nstime_t *since)
{
    int64_t milliseconds = (int64_t)since->secs * 1000 + since->nsecs / 1000000;
    return milliseconds >= TIMEOUT_MS - CLOCK_ERROR_MS && milliseconds <= TIMEOUT_MS + MOST_AFTER_IT_MS;
}

/* True if nothing shows that the peer at `side` has admitted the other one: it has sent no message of the game, although
 * it has begun the authentication, or has received a path that it would have confirmed. */
static bool is_waiting(const godot_mp_connection *connection, uint8_t side)
{
    return !connection->played[side] && (connection->authenticates[side] || connection->defines[side ^ 1U]);
}

bool godot_mp_keep_timeout(const godot_mp_position *position, const enet_disconnect *disconnect)
{
    if (!position->connection || position->connection->number == GODOT_MP_NO_STREAM)
        return false;
    uint32_t *timed_out_in = &position->connection->timed_out_in[position->side];
    if (position->first_pass && disconnect->has_since && is_at_timeout(&disconnect->since) &&
        is_waiting(position->connection, position->side))
        *timed_out_in = position->pinfo->num;
    return *timed_out_in == position->pinfo->num;
}
