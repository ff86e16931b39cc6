/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Every message has a number. The definitions of an id are kept in a tree by the number of their message. A message
 * finds the same definition on every pass: the latest one up to its own number or, if all are later, the first one.
 */
#include "analysis.h"

#include <gamewire/bytes.h>

#include "admission.h"
#include "common/item_budget.h"
#include "common/kept_memory.h"
#include "connection.h"
#include "ends.h"
#include "intervals.h"
#include "kept.h"
#include "owners.h"
#include "refusals.h"

/* Syncs are counted modulo 2^16: a sync that seems to be further ahead than this arrived late; except after this many
 * seconds, in which a network does not keep a datagram: the capture has a gap, or the game sent nothing. */
#define LATE               0x8000U
#define LONGEST_ON_ITS_WAY 10

/* The definitions of one id, over time. Most ids have one: a tree would be most of their memory. */
typedef struct history {
    void *first;
    wmem_tree_t *later; /* by message; NULL: none */
    uint32_t first_seq;
} history;

/* A synchronizer of a spawned node. */
typedef struct spawned_synchronizer {
    const godot_mp_spawn *node;
    uint32_t index; /* in the node's list */
} spawned_synchronizer;

typedef struct sync_count {
    uint32_t frame;
    nstime_t sent;
    uint16_t time;
} sync_count;

/* The message that is analyzed. */
typedef struct godot_mp_context {
    const godot_mp_place *place;
    const godot_mp_facts *facts;
    godot_mp_findings *findings;
    uint8_t server; /* side; GODOT_MP_NO_SIDE */
} godot_mp_context;

/* ---- ids ----------------------------------------------------------------------------------------------- */

/* Returns the peer that counts the ids which the side `defines` defined: the peer at that side, or the peer that it
 * relays for. A client counts its ids for all peers. */
static int32_t owner_of(const godot_mp_context *context, bool defines)
{
    if (context->facts->has_head)
        return defines ? context->facts->source : context->facts->target;
    if (!context->facts->is_relayed)
        return 0;
    uint8_t definer = defines ? context->place->side : context->place->side ^ 1U;
    return context->server == GODOT_MP_NO_SIDE || context->server == definer ? context->facts->relay_peer : 0;
}

/* The peer at the other end: each peer sends its own confirmation. */
static int32_t other_of(const godot_mp_context *context, bool defines)
{
    if (context->facts->has_head)
        return defines ? context->facts->target : context->facts->source;
    return context->facts->is_relayed && !owner_of(context, defines) ? context->facts->relay_peer : 0;
}

static godot_mp_id_key path_key(const godot_mp_context *context, bool defines, uint32_t id)
{
    return (godot_mp_id_key){ .id = id,
                              .owner = owner_of(context, defines),
                              .other = GODOT_MP_ANY_PEER,
                              .side = defines ? context->place->side : context->place->side ^ 1U };
}

/* Before the server's side is known, ids of a client's relayed messages are stored under the relayed peer. Look there
 * too. */
static godot_mp_id_key early_key(const godot_mp_context *context, const godot_mp_id_key *key)
{
    godot_mp_id_key early = *key;
    if (!context->facts->is_relayed || key->owner)
        return early;
    early.owner = context->facts->relay_peer;
    if (early.other != GODOT_MP_ANY_PEER)
        early.other = 0;
    return early;
}

static history *history_of_key(const godot_mp_context *context, godot_mp_kind kind, const godot_mp_id_key *key)
{
    const godot_mp_id_key early = early_key(context, key);
    history *found = godot_mp_find_by_id(context->place->connection, kind, key);
    return found ? found : godot_mp_find_by_id(context->place->connection, kind, &early);
}

static void *find_earlier(const history *found, uint32_t seq)
{
    if (!found || seq < found->first_seq)
        return NULL;
    void *entry = found->later ? wmem_tree_lookup32_le(found->later, seq) : NULL;
    return entry ? entry : found->first;
}

static void *find_entry(const history *found, uint32_t seq, bool *is_later)
{
    void *entry = find_earlier(found, seq);
    *is_later = found && !entry;
    return *is_later ? found->first : entry;
}

/* The latest entry before this message. */
static void *find_before(const godot_mp_context *context, const history *found)
{
    return context->place->seq ? find_earlier(found, context->place->seq - 1) : NULL;
}

static history *obtain_history(const godot_mp_context *context, godot_mp_kind kind, const godot_mp_id_key *key)
{
    history *found = godot_mp_find_by_id(context->place->connection, kind, key);
    if (!found) {
        found = gw_alloc_kept(sizeof *found);
        godot_mp_keep_by_id(context->place->connection, kind, key, found);
    }
    return found;
}

/* A new one is followed by its text. */
static history *obtain_history_of_text(const godot_mp_context *context, const char *text)
{
    wmem_map_t *paths = context->place->connection->by_path;
    history *found = wmem_map_lookup(paths, text);
    if (!found) {
        size_t size = strlen(text) + 1;
        found = (history *)gw_alloc_kept(sizeof *found + size);
        wmem_map_insert(paths, memcpy(found + 1, text, size), found);
    }
    return found;
}

static void keep_entry(history *to, uint32_t seq, void *entry)
{
    if (!to->first) {
        to->first = entry;
        to->first_seq = seq;
        return;
    }
    if (!to->later)
        to->later = wmem_tree_new(wmem_file_scope());
    wmem_tree_insert32(to->later, seq, entry);
}

/* A capture that began late lacks the definitions of ids that most of its messages use, and one of a single direction
 * lacks all confirmations. True for the messages of the first frame that uses such an id. */
static bool keep_first_use(const godot_mp_context *context, godot_mp_kind unknown, const godot_mp_id_key *key)
{
    const godot_mp_place *place = context->place;
    uint32_t first = GPOINTER_TO_UINT(godot_mp_find_by_id(place->connection, unknown, key));
    if (!first && place->first_pass)
        godot_mp_keep_by_id(place->connection, unknown, key, GUINT_TO_POINTER(place->pinfo->num));
    return !first || first == place->pinfo->num;
}

/* ---- paths --------------------------------------------------------------------------------------------- */

static char *text_key(const godot_mp_context *context, const godot_mp_id_key *key, const char *path)
{
    return wmem_strdup_printf(context->place->pinfo->pool, "%u %d %d %s", key->side, key->owner, key->other, path);
}

static history *history_of_id(const godot_mp_context *context, const godot_mp_id_key *key)
{
    return history_of_key(context, GODOT_MP_ID_PATHS, key);
}

static history *history_of_text(const godot_mp_context *context, const godot_mp_id_key *key, const char *path)
{
    const godot_mp_id_key early = early_key(context, key);
    wmem_map_t *paths = context->place->connection->by_path;
    history *found = wmem_map_lookup(paths, text_key(context, key, path));
    return found ? found : wmem_map_lookup(paths, text_key(context, &early, path));
}

/* True if the receiver is the peer at the other end of the connection, and not one that the server relays to. */
static bool is_for_other_end(const godot_mp_context *context, const godot_mp_id_key *key)
{
    return !key->other && !(context->facts->is_relayed && context->server == GODOT_MP_NO_SIDE);
}

/* The definition with this key. On the first pass a new one is stored, unless it repeats the previous one. */
static const godot_mp_path *keep_definition(const godot_mp_context *context, const godot_mp_id_key *key)
{
    const godot_mp_place *place = context->place;
    const char *path = context->facts->path;
    godot_mp_path *before = find_earlier(history_of_id(context, key), place->seq);
    if (!place->first_pass || (before && !strcmp(before->path, path)))
        return before;
    godot_mp_path *entry = gw_alloc_kept(sizeof *entry);
    entry->path = wmem_strdup(wmem_file_scope(), path);
    entry->checksum = context->facts->checksum ? wmem_strdup(wmem_file_scope(), context->facts->checksum) : NULL;
    entry->first_of_script = godot_mp_keep_script(entry->checksum, entry->path);
    entry->frame = place->pinfo->num;
    entry->seq = place->seq;
    entry->time = place->pinfo->abs_ts;
    entry->record = is_for_other_end(context, key) ? place->record : NULL;
    keep_entry(obtain_history(context, GODOT_MP_ID_PATHS, key), place->seq, entry);
    keep_entry(obtain_history_of_text(context, text_key(context, key, path)), place->seq, entry);
    return entry;
}

/* Stores it for all peers of the sender, and for the peer that this definition is sent to. */
static void analyze_definition(const godot_mp_context *context)
{
    godot_mp_id_key key = path_key(context, true, context->facts->path_id);
    const godot_mp_path *before = find_before(context, history_of_id(context, &key));
    if (before && strcmp(before->path, context->facts->path) != 0)
        context->findings->replaced = before;
    keep_definition(context, &key);
    key.other = other_of(context, true);
    context->findings->definition = keep_definition(context, &key);
    godot_mp_keep_asked(context->place, &key, context->findings->definition);
    godot_mp_keep_node(context->place, owner_of(context, true), context->facts->path);
    context->findings->refusal = godot_mp_find_refusal(context->place, &key, context->findings->definition);
}

static void keep_confirmation(const godot_mp_context *context, godot_mp_path *entry)
{
    const godot_mp_place *place = context->place;
    if (entry && place->first_pass && context->facts->differs && !entry->differs_in)
        entry->differs_in = place->pinfo->num;
    if (!entry || !place->first_pass || entry->confirmed_in)
        return;
    entry->confirmed_in = place->pinfo->num;
    entry->confirmed_seq = place->seq;
    entry->confirmed_at = place->pinfo->abs_ts;
}

/* Finds the path of a confirmation or a call. */
static history *history_of_node(const godot_mp_context *context, const godot_mp_id_key *key)
{
    return context->facts->path ? history_of_text(context, key, context->facts->path) : history_of_id(context, key);
}

/* The sender of this message has a node with this path. */
static void keep_node(const godot_mp_context *context, const char *path)
{
    godot_mp_keep_node(context->place, owner_of(context, true), path);
}

static void analyze_confirmation(const godot_mp_context *context)
{
    godot_mp_found_path *found = &context->findings->path;
    godot_mp_id_key key = path_key(context, false, context->facts->path_id);
    keep_confirmation(context, find_earlier(history_of_node(context, &key), context->place->seq));
    key.other = other_of(context, false);
    godot_mp_path *entry = find_entry(history_of_node(context, &key), context->place->seq, &found->is_later);
    if (!found->is_later) {
        keep_confirmation(context, entry);
        godot_mp_keep_receiver(context->place, &key, entry);
        keep_node(context, entry ? entry->path : NULL);
    }
    found->entry = entry;
}

static godot_mp_found_path find_path(const godot_mp_context *context, uint32_t id)
{
    godot_mp_found_path found;
    const godot_mp_id_key key = path_key(context, true, id);
    found.entry = find_entry(history_of_id(context, &key), context->place->seq, &found.is_later);
    found.is_first = (!found.entry || found.is_later) && keep_first_use(context, GODOT_MP_ID_UNKNOWN_PATHS, &key);
    return found;
}

/* What the called peer, or the one at which a node is spawned, has answered to the path. */
static void find_answer(const godot_mp_context *context)
{
    godot_mp_id_key key = path_key(context, true, context->facts->path_id);
    key.other = other_of(context, true);
    const godot_mp_path *entry = find_earlier(history_of_node(context, &key), context->place->seq);
    context->findings->sent = entry;
    context->findings->differs_in = entry ? entry->differs_in : 0;
    if (!context->facts->is_by_path || !godot_mp_has_node_since(context->place, &key, entry))
        context->findings->refusal = godot_mp_find_refusal(context->place, &key, entry);
}

static bool is_confirmed(const godot_mp_path *path, uint32_t seq)
{
    return path->confirmed_seq && path->confirmed_seq <= seq;
}

static void analyze_call(const godot_mp_context *context)
{
    godot_mp_found_path *found = &context->findings->path;
    const godot_mp_id_key key = path_key(context, true, context->facts->path_id);
    if (!context->facts->is_by_path)
        *found = find_path(context, context->facts->path_id);
    else if (context->facts->path)
        found->entry =
            find_entry(history_of_text(context, &key, context->facts->path), context->place->seq, &found->is_later);
    if (!context->facts->is_by_path && found->entry && !found->is_later &&
        !is_confirmed(found->entry, context->place->seq))
        context->findings->is_unconfirmed = keep_first_use(context, GODOT_MP_ID_UNKNOWN_PATHS, &key);
    keep_node(context, found->entry && !found->is_later ? found->entry->path : NULL);
    find_answer(context);
}

/* ---- spawned nodes ------------------------------------------------------------------------------------- */

/* Net ids are assigned by the spawner's authority: the server, unless the game changes it. Each authority has its own
 * ids, and spawns and despawns the node at each peer separately (PeerInfo::recv_nodes in the engine's source). The
 * peer of a relayed message is the authority, or the receiver if the authority is at the side of the sender: in one
 * connection it is one of them for each side, even if the server's side is not known yet. */
static godot_mp_id_key node_key(const godot_mp_context *context, uint32_t net_id)
{
    return (godot_mp_id_key){ .id = net_id,
                              .owner = context->facts->is_relayed ? context->facts->relay_peer : 0,
                              .side = context->place->side };
}

/* The path of the spawner's id, even if only a later message defines it. */
static const char *spawner_of(const godot_mp_context *context, const godot_mp_spawn *entry)
{
    bool is_later;
    const godot_mp_id_key key = {
        .id = entry->spawner, .owner = entry->spawner_owner, .other = GODOT_MP_ANY_PEER, .side = entry->spawner_side
    };
    const godot_mp_path *path = find_entry(history_of_id(context, &key), entry->seq, &is_later);
    return path ? path->path : NULL;
}

static void complete_spawn(const godot_mp_context *context, godot_mp_kind unknown, const godot_mp_id_key *key,
                           godot_mp_found_spawn *found)
{
    found->spawner = found->entry ? spawner_of(context, found->entry) : NULL;
    found->is_first = (!found->entry || found->is_later) && keep_first_use(context, unknown, key);
}

static const history *find_spawns(const godot_mp_context *context, const godot_mp_id_key *key)
{
    return godot_mp_find_by_id(context->place->connection, GODOT_MP_ID_SPAWNS, key);
}

/* The latest spawn before the message with this number. */
static godot_mp_found_spawn find_spawn(const godot_mp_context *context, const godot_mp_id_key *key, uint32_t seq)
{
    godot_mp_found_spawn found = { .entry = NULL };
    found.entry = find_entry(find_spawns(context, key), seq, &found.is_later);
    complete_spawn(context, GODOT_MP_ID_UNKNOWN_NODES, key, &found);
    return found;
}

/* A spawn contains the synchronizers of which the spawning peer is the authority: all syncs with these ids are its own.
 * The ids are the same at all peers. */
static godot_mp_found_spawn find_synchronizer(const godot_mp_context *context, uint32_t net_id)
{
    const godot_mp_id_key key = path_key(context, true, net_id);
    godot_mp_found_spawn found = { .is_uncertain = context->place->connection->has_more_synchronizers };
    const spawned_synchronizer *synchronizer =
        find_entry(history_of_key(context, GODOT_MP_ID_SYNCHRONIZERS, &key), context->place->seq, &found.is_later);
    if (synchronizer) {
        found.entry = synchronizer->node;
        found.sync_index = synchronizer->index;
    }
    complete_spawn(context, GODOT_MP_ID_UNKNOWN_SYNCHRONIZERS, &key, &found);
    return found;
}

static void keep_synchronizers(const godot_mp_context *context, const uint8_t *ids, const godot_mp_spawn *node)
{
    uint32_t count = MIN(node->state.synchronizers, GW_MOST_IDS);
    spawned_synchronizer *kept = gw_alloc_kept(count * sizeof *kept);
    for (uint32_t i = 0; i < count; i++) {
        kept[i] = (spawned_synchronizer){ node, i };
        const godot_mp_id_key key = path_key(context, true, gw_le32(ids + (size_t)4 * i));
        keep_entry(obtain_history(context, GODOT_MP_ID_SYNCHRONIZERS, &key), context->place->seq, &kept[i]);
    }
    if (count < node->state.synchronizers)
        context->place->connection->has_more_synchronizers = true;
}

static void keep_spawn(const godot_mp_context *context, const godot_mp_id_key *key, const uint8_t *bytes)
{
    const godot_mp_facts *facts = context->facts;
    godot_mp_spawn *node = gw_alloc_kept(sizeof *node);
    *node = (godot_mp_spawn){ .name = wmem_strdup(wmem_file_scope(), facts->name),
                              .frame = context->place->pinfo->num,
                              .seq = context->place->seq,
                              .time = context->place->pinfo->abs_ts,
                              .spawner = facts->path_id,
                              .spawner_owner = owner_of(context, true),
                              .spawner_side = context->place->side,
                              .scene = facts->scene,
                              .state = facts->state };
    keep_entry(obtain_history(context, GODOT_MP_ID_SPAWNS, key), node->seq, node);
    if (node->state.synchronizers)
        keep_synchronizers(context, bytes + facts->sync_ids.offset, node);
}

static void analyze_spawn(const godot_mp_context *context, const uint8_t *bytes)
{
    const godot_mp_place *place = context->place;
    const godot_mp_id_key key = node_key(context, context->facts->net_id);
    const godot_mp_spawn *before = find_before(context, find_spawns(context, &key));
    bool in_use = before && !(before->despawned_seq && before->despawned_seq < place->seq);
    context->findings->in_use = in_use && !place->repeated ? before : NULL;
    if (place->first_pass)
        keep_spawn(context, &key, bytes);
    context->findings->spawn = find_spawn(context, &key, place->seq);
}

/* The number of this despawn, or one before the latest spawn if this is a copy that arrives after it. */
static uint32_t seq_of_despawn(const godot_mp_context *context, const godot_mp_spawn *latest)
{
    uint32_t seq = context->place->seq;
    bool is_despawned = latest && latest->despawned_seq && latest->despawned_seq < seq;
    return context->place->repeated && latest && !is_despawned ? latest->seq - 1 : seq;
}

static void analyze_despawn(const godot_mp_context *context)
{
    const godot_mp_id_key key = node_key(context, context->facts->net_id);
    godot_mp_spawn *entry = find_earlier(find_spawns(context, &key), context->place->seq);
    context->findings->spawn = find_spawn(context, &key, seq_of_despawn(context, entry));
    if (!entry || !context->place->first_pass || entry->despawned_in)
        return;
    entry->despawned_in = context->place->pinfo->num;
    entry->despawned_seq = context->place->seq;
}

/* ---- syncs --------------------------------------------------------------------------------------------- */

static void keep_sync(sync_count *count, const packet_info *pinfo, uint16_t time, godot_mp_sync *sync)
{
    uint16_t ahead = (uint16_t)(time - count->time);
    if (count->frame) {
        sync->previous = count->frame;
        nstime_delta(&sync->interval, &pinfo->abs_ts, &count->sent);
        sync->is_late = ahead >= LATE && sync->interval.secs < LONGEST_ON_ITS_WAY;
        sync->ahead = sync->is_late ? 0 : ahead;
    }
    if (sync->is_late)
        return;
    count->frame = pinfo->num;
    count->sent = pinfo->abs_ts;
    count->time = time;
}

/* The sender has one counter for each receiver (PeerInfo::last_sent_sync in the engine's source). */
static sync_count *obtain_count(const godot_mp_context *context)
{
    godot_mp_id_key key = path_key(context, true, 0);
    key.other = other_of(context, true);
    sync_count *count = godot_mp_find_by_id(context->place->connection, GODOT_MP_ID_COUNTS, &key);
    if (!count) {
        count = gw_alloc_kept(sizeof *count);
        godot_mp_keep_by_id(context->place->connection, GODOT_MP_ID_COUNTS, &key, count);
    }
    return count;
}

static void analyze_time(const godot_mp_context *context)
{
    const godot_mp_place *place = context->place;
    if (!place->kept)
        return;
    if (place->first_pass) {
        godot_mp_sync sync = { 0 };
        keep_sync(obtain_count(context), place->pinfo, context->facts->time, &sync);
        godot_mp_keep_sync(place, &sync);
    }
    context->findings->sync = godot_mp_find_sync(place);
}

/* ---- updates ------------------------------------------------------------------------------------------- */

static godot_mp_found_update find_update(const godot_mp_context *context, uint32_t id)
{
    godot_mp_found_update found = { .path = { .entry = NULL } };
    if (id & GW_GODOT_MP_PATH_NET_ID)
        found.path = find_path(context, id & ~GW_GODOT_MP_PATH_NET_ID);
    else
        found.spawn = find_synchronizer(context, id);
    return found;
}

static void analyze_intervals(const godot_mp_context *context)
{
    godot_mp_id_key sender = path_key(context, true, 0);
    sender.other = other_of(context, true);
    if (!context->findings->sync.is_late)
        godot_mp_keep_intervals(context->place, &sender, context->facts, context->findings->updates);
    godot_mp_find_intervals(context->place, context->facts->update_count, context->findings->updates);
}

static void analyze_owner(const godot_mp_context *context, godot_mp_found_update *update)
{
    const godot_mp_path *path = update->path.is_later ? NULL : update->path.entry;
    if (!path)
        return;
    godot_mp_keep_owner(context->place, path->path, context->findings->has_source ? context->findings->source : 0);
    update->rivals = godot_mp_find_rivals(context->place, path->path);
}

static void analyze_sync(const godot_mp_context *context)
{
    uint32_t count = context->facts->update_count;
    if (context->facts->has_time)
        analyze_time(context);
    context->findings->updates = wmem_alloc_array(context->place->pinfo->pool, godot_mp_found_update, MAX(count, 1));
    for (uint32_t i = 0; i < count; i++)
        context->findings->updates[i] = find_update(context, context->facts->updates[i].net_id);
    for (uint32_t i = 0; i < count; i++)
        analyze_owner(context, &context->findings->updates[i]);
    if (context->facts->has_time)
        analyze_intervals(context);
}

/* ---- one message --------------------------------------------------------------------------------------- */

static void analyze_cut(const godot_mp_context *context)
{
    bool defines = context->facts->command == GW_GODOT_MP_SIMPLIFY_PATH && !context->facts->defines;
    bool spawns = context->facts->command == GW_GODOT_MP_SPAWN && !context->facts->spawns;
    if (context->place->first_pass && context->facts->is_cut && (defines || spawns))
        context->place->connection->has_cut_definition = true;
}

static void analyze_spawner(const godot_mp_context *context)
{
    context->findings->path = find_path(context, context->facts->path_id);
    find_answer(context);
}

static void analyze_packet(const godot_mp_context *context, const uint8_t *bytes)
{
    const godot_mp_facts *facts = context->facts;
    switch (facts->command) {
    case GW_GODOT_MP_CALL:
    case GW_GODOT_MP_SET:
        if (facts->has_path_id)
            analyze_call(context);
        break;
    case GW_GODOT_MP_SIMPLIFY_PATH:
        if (facts->defines)
            analyze_definition(context);
        break;
    case GW_GODOT_MP_CONFIRM_PATH:
        if (facts->confirms)
            analyze_confirmation(context);
        break;
    case GW_GODOT_MP_SPAWN:
        if (facts->has_path_id)
            analyze_spawner(context);
        if (facts->spawns)
            analyze_spawn(context, bytes);
        break;
    case GW_GODOT_MP_DESPAWN:
        if (facts->despawns)
            analyze_despawn(context);
        break;
    case GW_GODOT_MP_SYNC:
        analyze_sync(context);
        break;
    default:
        break;
    }
}

const godot_mp_findings *godot_mp_analyze(const godot_mp_place *place, const uint8_t *bytes,
                                          const godot_mp_facts *facts)
{
    godot_mp_findings *findings = wmem_new0(place->pinfo->pool, godot_mp_findings);
    godot_mp_context context = { .place = place, .facts = facts, .findings = findings };
    godot_mp_keep_ends(place, facts);
    context.server = godot_mp_find_ends(place, facts, findings);
    if (!place->connection)
        return findings;
    godot_mp_keep_arrival(place, facts);
    godot_mp_keep_admission(place, facts);
    analyze_cut(&context);
    analyze_packet(&context, bytes);
    return findings;
}
