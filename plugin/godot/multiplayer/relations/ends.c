/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finds the ids of the peers from the message itself and from those before it.
 */
#include "internal.h"

/* One message: its position and facts, the peers by side, and the server's side. */
typedef struct message_ends {
    const godot_mp_position *position;
    const godot_mp_facts *facts;
    godot_mp_peer peers[2];
    uint8_t server;
} message_ends;

static void keep_ends(const godot_mp_position *position, const godot_mp_facts *facts)
{
    if (facts->assigned)
        godot_mp_keep_peer(position, position->side ^ 1U, facts->assigned, position->pinfo->num);
    if (facts->is_of_server)
        godot_mp_keep_peer(position, position->side, GW_GODOT_MP_SERVER, position->pinfo->num);
}

/* The side whose id is 1, or the other side if this one has another id. */
static uint8_t server_side(const godot_mp_peer peers[2])
{
    for (uint8_t side = 0; side < 2; side++) {
        if (peers[side].id == GW_GODOT_MP_SERVER)
            return side;
        if (peers[side].id)
            return side ^ 1U;
    }
    return GODOT_MP_NO_SIDE;
}

static bool peer_of(const message_ends *ends, uint8_t side, int32_t *id)
{
    *id = ends->peers[side].id;
    if (!*id && ends->server == side)
        *id = GW_GODOT_MP_SERVER;
    return *id != 0;
}

static bool source_of(const message_ends *ends, int32_t *id)
{
    *id = ends->facts->source;
    if (ends->facts->has_head)
        return true;
    *id = ends->facts->relay_peer;
    if (ends->facts->is_relayed && ends->server == GODOT_MP_NO_SIDE)
        return false;
    if (ends->facts->is_relayed && ends->server == ends->position->side)
        return true;
    return peer_of(ends, ends->position->side, id);
}

static bool target_of(const message_ends *ends, int32_t *id)
{
    *id = ends->facts->target;
    if (ends->facts->has_head)
        return true;
    *id = ends->facts->relay_peer;
    if (ends->facts->is_relayed && ends->server == GODOT_MP_NO_SIDE)
        return false;
    if (ends->facts->is_relayed && ends->server != ends->position->side)
        return true;
    return peer_of(ends, ends->position->side ^ 1U, id);
}

void godot_mp_analyze_ends(const godot_mp_context *context)
{
    godot_mp_findings *findings = context->findings;
    const godot_mp_position *position = context->position;
    message_ends ends = { .position = position, .facts = context->facts };
    keep_ends(position, context->facts);
    godot_mp_find_peers(position, ends.peers);
    ends.server = findings->server = server_side(ends.peers);
    findings->sender = ends.peers[position->side];
    findings->receiver = ends.peers[position->side ^ 1U];
    findings->has_source = source_of(&ends, &findings->source);
    findings->has_target = target_of(&ends, &findings->target);
}

gw_godot_mp_way godot_mp_find_way(const godot_mp_findings *findings)
{
    if (findings->sender.id == GW_GODOT_MP_SERVER || findings->receiver.id > GW_GODOT_MP_SERVER)
        return GW_GODOT_MP_FROM_SERVER;
    bool is_of_client = findings->receiver.id == GW_GODOT_MP_SERVER || findings->sender.id > GW_GODOT_MP_SERVER;
    return is_of_client ? GW_GODOT_MP_TO_SERVER : GW_GODOT_MP_WAY_UNKNOWN;
}
