/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Spawned nodes and their synchronizers.
 */
#include "internal.h"

#include <gamewire/bytes.h>

#include "common/archive.h"
#include "common/items.h"

/* A synchronizer of a spawned node. */
typedef struct spawned_synchronizer {
    const godot_mp_spawn *node;
    uint32_t index; /* in the node's list */
} spawned_synchronizer;

/* Net ids are assigned by the spawner's authority: the server, unless the game changes it. Each authority has its own
 * ids, and spawns and despawns the node at each peer separately (PeerInfo::recv_nodes in the engine's source). The
 * peer of a relayed message is the authority, or the receiver if the authority is at the side of the sender: in one
 * connection it is one of them for each side, even if the server's side is not known yet. */
static godot_mp_id_key node_key(const godot_mp_context *context, uint32_t net_id)
{
    return (godot_mp_id_key){ .id = net_id,
                              .assigner = context->facts->is_relayed ? context->facts->relay_peer : 0,
                              .side = context->position->side };
}

/* Sets the path of the spawner's id, even if only a later message defines it; and if this is the first use of an unknown
 * id. */
static void complete_spawn(const godot_mp_context *context, godot_mp_kind unknown, const godot_mp_id_key *key,
                           godot_mp_found_spawn *spawn)
{
    const godot_mp_spawn *entry = spawn->entry;
    if (entry) {
        bool is_later;
        const godot_mp_id_key spawner = { .id = entry->spawner,
                                          .assigner = entry->spawner_assigner,
                                          .other = GODOT_MP_ANY_PEER,
                                          .side = entry->spawner_side };
        const godot_mp_path *path =
            godot_mp_find_entry(godot_mp_history_of(context, GODOT_MP_ID_PATHS, &spawner), entry->seq, &is_later);
        spawn->spawner = path ? path->path : NULL;
    }
    spawn->is_first = (!entry || spawn->is_later) && godot_mp_keep_first_use(context, unknown, key);
}

static const godot_mp_history *find_spawns(const godot_mp_context *context, const godot_mp_id_key *key)
{
    return godot_mp_find_by_id(context->position->connection, GODOT_MP_ID_SPAWNS, key);
}

/* The latest spawn before the message with this number. */
static godot_mp_found_spawn find_spawn(const godot_mp_context *context, const godot_mp_id_key *key, uint32_t seq)
{
    godot_mp_found_spawn spawn = { .entry = NULL };
    spawn.entry = godot_mp_find_entry(find_spawns(context, key), seq, &spawn.is_later);
    complete_spawn(context, GODOT_MP_ID_UNKNOWN_NODES, key, &spawn);
    return spawn;
}

godot_mp_found_spawn godot_mp_find_synchronizer(const godot_mp_context *context, uint32_t net_id)
{
    const godot_mp_id_key key = godot_mp_path_key(context, true, net_id);
    godot_mp_found_spawn spawn = { .is_uncertain = context->position->connection->has_more_synchronizers };
    const spawned_synchronizer *synchronizer = godot_mp_find_entry(
        godot_mp_history_of(context, GODOT_MP_ID_SYNCHRONIZERS, &key), context->position->seq, &spawn.is_later);
    if (synchronizer) {
        spawn.entry = synchronizer->node;
        spawn.sync_index = synchronizer->index;
    }
    complete_spawn(context, GODOT_MP_ID_UNKNOWN_SYNCHRONIZERS, &key, &spawn);
    return spawn;
}

/* On the first pass: the node, and its synchronizers up to the limit. */
static void keep_spawn(const godot_mp_context *context, const godot_mp_id_key *key)
{
    const godot_mp_position *position = context->position;
    const godot_mp_facts *facts = context->facts;
    godot_mp_spawn *node = gw_archive_alloc(sizeof *node);
    *node = (godot_mp_spawn){ .name = wmem_strdup(wmem_file_scope(), facts->name),
                              .frame = position->pinfo->num,
                              .seq = position->seq,
                              .time = position->pinfo->abs_ts,
                              .spawner = facts->path_id,
                              .spawner_assigner = godot_mp_assigner_of(context, true),
                              .spawner_side = position->side,
                              .scene = facts->scene,
                              .state = facts->state };
    godot_mp_keep_entry(godot_mp_obtain_history(context, GODOT_MP_ID_SPAWNS, key), node->seq, node);

    uint32_t count = MIN(node->state.synchronizers, GW_MOST_IDS);
    spawned_synchronizer *synchronizers = count ? gw_archive_alloc(count * sizeof *synchronizers) : NULL;
    const uint8_t *ids = context->message->reader.bytes + facts->sync_ids.offset;
    for (uint32_t i = 0; i < count; i++) {
        synchronizers[i] = (spawned_synchronizer){ node, i };
        const godot_mp_id_key id = godot_mp_path_key(context, true, gw_le32(ids + (size_t)4 * i));
        godot_mp_keep_entry(godot_mp_obtain_history(context, GODOT_MP_ID_SYNCHRONIZERS, &id), node->seq,
                            &synchronizers[i]);
    }
    if (count < node->state.synchronizers)
        position->connection->has_more_synchronizers = true;
}

static void analyze_spawn(const godot_mp_context *context)
{
    const godot_mp_position *position = context->position;
    const godot_mp_id_key key = node_key(context, context->facts->net_id);
    const godot_mp_spawn *before = godot_mp_find_before(context, find_spawns(context, &key));
    bool in_use = before && !(before->despawned_seq && before->despawned_seq < position->seq);
    context->findings->in_use = in_use && !position->repeated ? before : NULL;
    if (position->first_pass)
        keep_spawn(context, &key);
    context->findings->spawn = find_spawn(context, &key, position->seq);
}

static void analyze_despawn(const godot_mp_context *context)
{
    const godot_mp_position *position = context->position;
    const godot_mp_id_key key = node_key(context, context->facts->net_id);
    godot_mp_spawn *latest = godot_mp_find_earlier(find_spawns(context, &key), position->seq);

    /* A copy that arrives after the node was spawned again is for the spawn before. */
    bool is_despawned = latest && latest->despawned_seq && latest->despawned_seq < position->seq;
    bool is_for_before = position->repeated && latest && !is_despawned;
    context->findings->spawn = find_spawn(context, &key, is_for_before ? latest->seq - 1 : position->seq);
    if (!latest || !position->first_pass || latest->despawned_in)
        return;
    latest->despawned_in = position->pinfo->num;
    latest->despawned_seq = position->seq;
}

void godot_mp_analyze_spawns(const godot_mp_context *context)
{
    const godot_mp_facts *facts = context->facts;
    if (facts->command == GW_GODOT_MP_SPAWN && facts->spawns)
        analyze_spawn(context);
    else if (facts->command == GW_GODOT_MP_DESPAWN && facts->despawns)
        analyze_despawn(context);
}
