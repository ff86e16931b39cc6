/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Compares the confirmations of a receiver with the paths that it received.
 */
#include "internal.h"

#include "common/conversation.h"
#include "common/kept_memory.h"
#include "enet/enet.h"

/* The latest path that a receiver confirmed. */
typedef struct confirmed_path {
    uint32_t seq;   /* of the definition */
    uint32_t frame; /* of the confirmation */
} confirmed_path;

void godot_mp_analyze_arrivals(const godot_mp_context *context)
{
    const godot_mp_position *position = context->position;
    const godot_mp_facts *facts = context->facts;
    bool is_unreadable = facts->command == GW_GODOT_MP_CONFIRM_PATH && !facts->confirms;
    bool lacks_definition = (facts->command == GW_GODOT_MP_SIMPLIFY_PATH && !facts->defines) ||
                            (facts->command == GW_GODOT_MP_SPAWN && !facts->spawns);
    if (!position->first_pass)
        return;
    if ((position->enet && position->enet->after_gap) || is_unreadable)
        position->connection->gaps[position->side] = position->seq;
    if (facts->is_cut && lacks_definition)
        position->connection->has_cut_definition = true;
}

/* Of all paths with this sender and receiver. */
static godot_mp_id_key receiver_key(const godot_mp_id_key *key)
{
    godot_mp_id_key receiver = *key;
    receiver.id = 0;
    return receiver;
}

void godot_mp_keep_receiver(const godot_mp_position *position, const godot_mp_id_key *key, const godot_mp_path *entry)
{
    const godot_mp_id_key receiver = receiver_key(key);
    if (!entry || !position->first_pass || !position->enet)
        return;
    confirmed_path *confirmed = godot_mp_find_by_id(position->connection, GODOT_MP_ID_RECEIVERS, &receiver);
    if (!confirmed) {
        confirmed = gw_alloc_kept(sizeof *confirmed);
        godot_mp_keep_by_id(position->connection, GODOT_MP_ID_RECEIVERS, &receiver, confirmed);
    }
    if (entry->seq > confirmed->seq)
        *confirmed = (confirmed_path){ entry->seq, position->pinfo->num };
}

/* ---- nodes that are added later -------------------------------------------------------------------------- */

typedef struct node_proof {
    struct node_proof *next;
    uint32_t seq; /* of a message */
} node_proof;

/* A node of a peer, with a path that was defined for this peer. */
typedef struct asked_node {
    uint32_t asked_seq;       /* of the latest definition */
    node_proof *first, *last; /* the first one after each definition */
} asked_node;

static char *node_key(const godot_mp_position *position, uint8_t side, int32_t peer, const char *path)
{
    return wmem_strdup_printf(position->pinfo->pool, "node %u %d %s", side, peer, path);
}

static asked_node *find_asked(const godot_mp_position *position, uint8_t side, int32_t peer, const char *path)
{
    return wmem_map_lookup(position->connection->by_path, node_key(position, side, peer, path));
}

void godot_mp_keep_asked(const godot_mp_position *position, const godot_mp_id_key *key, const godot_mp_path *entry)
{
    uint8_t receiver = (uint8_t)(key->side ^ 1U);
    if (!position->first_pass || !position->enet || !entry || !entry->checksum)
        return;
    asked_node *node = find_asked(position, receiver, key->other, entry->path);
    if (!node) {
        node = gw_alloc_kept(sizeof *node);
        wmem_map_insert(position->connection->by_path,
                        wmem_strdup(wmem_file_scope(), node_key(position, receiver, key->other, entry->path)), node);
    }
    node->asked_seq = position->seq;
}

void godot_mp_keep_node(const godot_mp_position *position, int32_t owner, const char *path)
{
    asked_node *node =
        position->first_pass && position->enet && path ? find_asked(position, position->side, owner, path) : NULL;
    if (!node || (node->last && node->last->seq > node->asked_seq))
        return;
    node_proof *proof = gw_alloc_kept(sizeof *proof);
    *proof = (node_proof){ .seq = position->seq };
    if (node->last)
        node->last->next = proof;
    else
        node->first = proof;
    node->last = proof;
}

bool godot_mp_has_node_since(const godot_mp_position *position, const godot_mp_id_key *key, const godot_mp_path *entry)
{
    const asked_node *node = entry ? find_asked(position, (uint8_t)(key->side ^ 1U), key->other, entry->path) : NULL;
    for (const node_proof *proof = node ? node->first : NULL; proof && proof->seq < position->seq; proof = proof->next)
        if (proof->seq > entry->seq)
            return true;
    return false;
}

/* ---- refusals ------------------------------------------------------------------------------------------- */

/* The frame in which ENet acknowledged the definition, if another round trip has passed by this message or, after the first
 * pass, if the receiver has sent another datagram so much later; else 0. A receiver that loads a scene before it reads the
 * path sends nothing. */
static uint32_t find_acknowledgement(const godot_mp_position *position, const godot_mp_path *entry)
{
    const packet_info *pinfo = position->pinfo;
    const nstime_t *latest = &pinfo->abs_ts;
    if (gw_is_later_pass(pinfo))
        latest = position->enet ? position->enet->receiver_latest : NULL;
    nstime_t later;
    uint32_t frame = entry->record && latest ? enet_acknowledged_in(entry->record, &later) : 0;
    return frame && nstime_cmp(latest, &later) >= 0 ? frame : 0;
}

/* A Godot 3 does not understand the path of a Godot 4, and confirms all paths of a Godot 3. */
static bool may_be_3(const godot_mp_position *position, uint8_t side)
{
    gw_godot_mp_form form = godot_mp_find_proven_form(position, side);
    if (form == GW_GODOT_MP_FORMS)
        return position->enet && position->enet->channel_count == GODOT_MP_CHANNELS_3;
    return gw_godot_mp_generation(form) == GW_GODOT_3;
}

/* Only definitions of Godot 4 have a checksum. */
godot_mp_refusal godot_mp_find_refusal(const godot_mp_position *position, const godot_mp_id_key *key,
                                       const godot_mp_path *entry)
{
    const godot_mp_id_key receiver = receiver_key(key);
    godot_mp_refusal refusal = { .path = NULL };
    if (!entry || !entry->checksum || entry->confirmed_in || position->connection->gaps[key->side ^ 1U] > entry->seq ||
        may_be_3(position, (uint8_t)(key->side ^ 1U)))
        return refusal;
    const confirmed_path *confirmed = godot_mp_find_by_id(position->connection, GODOT_MP_ID_RECEIVERS, &receiver);
    refusal.acknowledged_in = find_acknowledgement(position, entry);
    refusal.confirmed_in = confirmed && confirmed->seq > entry->seq ? confirmed->frame : 0;
    refusal.path = refusal.acknowledged_in || refusal.confirmed_in ? entry : NULL;
    refusal.is_unanswered = !key->other && !godot_mp_has_played(position, (uint8_t)(key->side ^ 1U));
    refusal.timed_out_in = position->connection->timed_out_in[key->side ^ 1U];
    return refusal;
}
