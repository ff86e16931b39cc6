/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Every message has a number. The definitions of an id are kept in a tree by the number of their message. A message
 * finds the same definition on every pass: the latest one up to its own number or, if all are later, the first one.
 */
#include "analysis.h"

#include <gamewire/bytes.h>

#include "common/limits.h"
#include "connection.h"
#include "intervals.h"

#define UNKNOWN_SIDE 2
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
typedef struct analyzed {
    const godot_mp_place *place;
    const godot_mp_facts *facts;
    godot_mp_findings *findings;
    godot_mp_peer peers[2]; /* by side, at this message */
    uint8_t server;         /* side; UNKNOWN_SIDE */
} analyzed;

static void learn_peers(const analyzed *of)
{
    const godot_mp_place *place = of->place;
    if (of->facts->assigned)
        godot_mp_keep_peer(place, place->side ^ 1U, of->facts->assigned, place->pinfo->num);
    if (of->facts->is_of_server)
        godot_mp_keep_peer(place, place->side, GW_GODOT_MULTIPLAYER_SERVER, place->pinfo->num);
}

/* Finds the server's side: the side whose id is 1, or the other side if this one has another id. */
static uint8_t server_side(const godot_mp_peer peers[2])
{
    for (uint8_t side = 0; side < 2; side++) {
        if (peers[side].id == GW_GODOT_MULTIPLAYER_SERVER)
            return side;
        if (peers[side].id)
            return side ^ 1U;
    }
    return UNKNOWN_SIDE;
}

static bool peer_of(const analyzed *of, uint8_t side, int32_t *id)
{
    *id = of->peers[side].id;
    if (!*id && of->server == side)
        *id = GW_GODOT_MULTIPLAYER_SERVER;
    return *id != 0;
}

static bool source_of(const analyzed *of, int32_t *id)
{
    *id = of->facts->source;
    if (of->facts->has_head)
        return true;
    *id = of->facts->relay_peer;
    if (of->facts->is_relayed && of->server == UNKNOWN_SIDE)
        return false;
    if (of->facts->is_relayed && of->server == of->place->side)
        return true;
    return peer_of(of, of->place->side, id);
}

static bool target_of(const analyzed *of, int32_t *id)
{
    *id = of->facts->target;
    if (of->facts->has_head)
        return true;
    *id = of->facts->relay_peer;
    if (of->facts->is_relayed && of->server == UNKNOWN_SIDE)
        return false;
    if (of->facts->is_relayed && of->server != of->place->side)
        return true;
    return peer_of(of, of->place->side ^ 1U, id);
}

static void find_peers(analyzed *of)
{
    godot_mp_findings *findings = of->findings;
    godot_mp_find_peers(of->place, of->peers);
    of->server = server_side(of->peers);
    findings->sender = of->peers[of->place->side];
    findings->receiver = of->peers[of->place->side ^ 1U];
    findings->has_source = source_of(of, &findings->source);
    findings->has_target = target_of(of, &findings->target);
}

/* ---- ids ----------------------------------------------------------------------------------------------- */

/* Returns the peer that counts the ids which the side `defines` defined: the peer at that side, or the peer that it
 * relays for. A client counts its ids for all peers. */
static int32_t owner_of(const analyzed *of, bool defines)
{
    if (of->facts->has_head)
        return defines ? of->facts->source : of->facts->target;
    if (!of->facts->is_relayed)
        return 0;
    uint8_t definer = defines ? of->place->side : of->place->side ^ 1U;
    return of->server == UNKNOWN_SIDE || of->server == definer ? of->facts->relay_peer : 0;
}

/* The peer at the other end: each peer sends its own confirmation. */
static int32_t other_of(const analyzed *of, bool defines)
{
    if (of->facts->has_head)
        return defines ? of->facts->target : of->facts->source;
    return of->facts->is_relayed && !owner_of(of, defines) ? of->facts->relay_peer : 0;
}

static godot_mp_id_key path_key(const analyzed *of, bool defines, uint32_t id)
{
    return (godot_mp_id_key){ .id = id,
                              .owner = owner_of(of, defines),
                              .other = GODOT_MP_ANY_PEER,
                              .side = defines ? of->place->side : of->place->side ^ 1U };
}

/* The key under which ids of a client's relayed messages were stored before the server's side was known: the relay's
 * peer was taken for the owner. */
static godot_mp_id_key early_key(const analyzed *of, const godot_mp_id_key *key)
{
    godot_mp_id_key early = *key;
    if (!of->facts->is_relayed || key->owner)
        return early;
    early.owner = of->facts->relay_peer;
    if (early.other != GODOT_MP_ANY_PEER)
        early.other = 0;
    return early;
}

static history *history_of_key(const analyzed *of, wmem_map_t *map, const godot_mp_id_key *key)
{
    const godot_mp_id_key early = early_key(of, key);
    history *found = wmem_map_lookup(map, key);
    return found ? found : wmem_map_lookup(map, &early);
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
static void *find_before(const analyzed *of, const history *found)
{
    return of->place->seq ? find_earlier(found, of->place->seq - 1) : NULL;
}

/* A new one is followed by its key. */
static history *obtain_history(wmem_map_t *map, const void *key, size_t size)
{
    history *found = wmem_map_lookup(map, key);
    if (!found) {
        found = (history *)wmem_alloc0(wmem_file_scope(), sizeof *found + size);
        wmem_map_insert(map, memcpy(found + 1, key, size), found);
    }
    return found;
}

static void add_entry(history *to, uint32_t seq, void *entry)
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
 * lacks all confirmations. True for the first message that uses such an id. */
static bool is_first_use(const analyzed *of, wmem_map_t *unknown, const godot_mp_id_key *key)
{
    const godot_mp_place *place = of->place;
    uint32_t first = GPOINTER_TO_UINT(wmem_map_lookup(unknown, key));
    if (!first && place->first_pass)
        wmem_map_insert(unknown, wmem_memdup(wmem_file_scope(), key, sizeof *key), GUINT_TO_POINTER(place->seq));
    return !first || first == place->seq;
}

/* ---- paths --------------------------------------------------------------------------------------------- */

static char *text_key(const analyzed *of, const godot_mp_id_key *key, const char *path)
{
    return wmem_strdup_printf(of->place->pinfo->pool, "%u %d %d %s", key->side, key->owner, key->other, path);
}

static history *history_of_id(const analyzed *of, const godot_mp_id_key *key)
{
    return history_of_key(of, of->place->link->paths, key);
}

static history *history_of_text(const analyzed *of, const godot_mp_id_key *key, const char *path)
{
    const godot_mp_id_key early = early_key(of, key);
    wmem_map_t *paths = of->place->link->by_path;
    history *found = wmem_map_lookup(paths, text_key(of, key, path));
    return found ? found : wmem_map_lookup(paths, text_key(of, &early, path));
}

/* The definition with this key. On the first pass a new one is stored, unless it repeats the previous one. */
static const godot_mp_path *define(const analyzed *of, const godot_mp_id_key *key)
{
    const godot_mp_place *place = of->place;
    const char *path = of->facts->path;
    godot_mp_path *before = find_earlier(history_of_id(of, key), place->seq);
    if (!place->first_pass || (before && !strcmp(before->path, path)))
        return before;
    godot_mp_path *entry = wmem_new0(wmem_file_scope(), godot_mp_path);
    entry->path = wmem_strdup(wmem_file_scope(), path);
    entry->checksum = of->facts->checksum ? wmem_strdup(wmem_file_scope(), of->facts->checksum) : NULL;
    entry->first_of_script = godot_mp_keep_script(entry->checksum, entry->path);
    entry->frame = place->pinfo->num;
    entry->time = place->pinfo->abs_ts;
    add_entry(obtain_history(place->link->paths, key, sizeof *key), place->seq, entry);
    const char *text = text_key(of, key, path);
    add_entry(obtain_history(place->link->by_path, text, strlen(text) + 1), place->seq, entry);
    return entry;
}

/* Stores it for all peers of the sender, and for the peer that this definition is sent to. */
static void analyze_definition(const analyzed *of)
{
    godot_mp_id_key key = path_key(of, true, of->facts->path_id);
    const godot_mp_path *before = find_before(of, history_of_id(of, &key));
    if (before && strcmp(before->path, of->facts->path) != 0)
        of->findings->replaced = before;
    define(of, &key);
    key.other = other_of(of, true);
    of->findings->definition = define(of, &key);
}

static void confirm(const analyzed *of, godot_mp_path *entry)
{
    const godot_mp_place *place = of->place;
    if (entry && place->first_pass && of->facts->differs && !entry->differs_in)
        entry->differs_in = place->pinfo->num;
    if (!entry || !place->first_pass || entry->confirmed_in)
        return;
    entry->confirmed_in = place->pinfo->num;
    entry->confirmed_seq = place->seq;
    entry->confirmed_at = place->pinfo->abs_ts;
}

/* Finds the path of a confirmation or a call. */
static history *history_of_node(const analyzed *of, const godot_mp_id_key *key)
{
    return of->facts->path ? history_of_text(of, key, of->facts->path) : history_of_id(of, key);
}

static void analyze_confirmation(const analyzed *of)
{
    godot_mp_found_path *found = &of->findings->path;
    godot_mp_id_key key = path_key(of, false, of->facts->path_id);
    confirm(of, find_earlier(history_of_node(of, &key), of->place->seq));
    key.other = other_of(of, false);
    godot_mp_path *entry = find_entry(history_of_node(of, &key), of->place->seq, &found->is_later);
    if (!found->is_later)
        confirm(of, entry);
    found->entry = entry;
}

static godot_mp_found_path find_path(const analyzed *of, uint32_t id)
{
    godot_mp_found_path found;
    const godot_mp_id_key key = path_key(of, true, id);
    found.entry = find_entry(history_of_id(of, &key), of->place->seq, &found.is_later);
    found.is_first = (!found.entry || found.is_later) && is_first_use(of, of->place->link->unknown, &key);
    return found;
}

/* The frame in which the called peer confirmed the path with other methods; 0: none. */
static uint32_t find_difference(const analyzed *of, godot_mp_id_key key)
{
    key.other = other_of(of, true);
    const godot_mp_path *entry = find_earlier(history_of_node(of, &key), of->place->seq);
    return entry ? entry->differs_in : 0;
}

static bool is_confirmed(const godot_mp_path *path, uint32_t seq)
{
    return path->confirmed_seq && path->confirmed_seq <= seq;
}

static void analyze_call(const analyzed *of)
{
    godot_mp_found_path *found = &of->findings->path;
    const godot_mp_id_key key = path_key(of, true, of->facts->path_id);
    if (!of->facts->is_by_path)
        *found = find_path(of, of->facts->path_id);
    else if (of->facts->path)
        found->entry = find_entry(history_of_text(of, &key, of->facts->path), of->place->seq, &found->is_later);
    if (!of->facts->is_by_path && found->entry && !found->is_later && !is_confirmed(found->entry, of->place->seq))
        of->findings->is_unconfirmed = is_first_use(of, of->place->link->unknown, &key);
    of->findings->differs_in = find_difference(of, key);
}

/* ---- spawned nodes ------------------------------------------------------------------------------------- */

/* Net ids are assigned by the spawner's authority: the server, unless the game changes it. Each authority has its own
 * ids, and spawns and despawns the node at each peer separately (PeerInfo::recv_nodes in the engine's source). The
 * peer of a relayed message is the authority, or the receiver if the authority is at the side of the sender: in one
 * connection it is one of them for each side, even if the server's side is not known yet. */
static godot_mp_id_key node_key(const analyzed *of, uint32_t net_id)
{
    return (godot_mp_id_key){ .id = net_id,
                              .owner = of->facts->is_relayed ? of->facts->relay_peer : 0,
                              .side = of->place->side };
}

/* The path of the spawner's id, even if only a later message defines it. */
static const char *spawner_of(const analyzed *of, const godot_mp_spawn *entry)
{
    bool is_later;
    const godot_mp_id_key key = {
        .id = entry->spawner, .owner = entry->spawner_owner, .other = GODOT_MP_ANY_PEER, .side = entry->spawner_side
    };
    const godot_mp_path *path = find_entry(history_of_id(of, &key), entry->seq, &is_later);
    return path ? path->path : NULL;
}

static void complete_spawn(const analyzed *of, wmem_map_t *unknown, const godot_mp_id_key *key,
                           godot_mp_found_spawn *found)
{
    found->spawner = found->entry ? spawner_of(of, found->entry) : NULL;
    found->is_first = (!found->entry || found->is_later) && is_first_use(of, unknown, key);
}

/* The latest spawn before the message with this number. */
static godot_mp_found_spawn find_spawn(const analyzed *of, const godot_mp_id_key *key, uint32_t seq)
{
    const godot_mp_link *link = of->place->link;
    godot_mp_found_spawn found = { .entry = NULL };
    found.entry = find_entry(wmem_map_lookup(link->spawns, key), seq, &found.is_later);
    complete_spawn(of, link->unknown_nodes, key, &found);
    return found;
}

/* A spawn contains the synchronizers of which the spawning peer is the authority: all syncs with these ids are its own.
 * The ids are the same at all peers. */
static godot_mp_found_spawn find_synchronizer(const analyzed *of, uint32_t net_id)
{
    const godot_mp_link *link = of->place->link;
    const godot_mp_id_key key = path_key(of, true, net_id);
    godot_mp_found_spawn found = { .is_uncertain = link->has_more_synchronizers };
    const spawned_synchronizer *synchronizer =
        find_entry(history_of_key(of, link->synchronizers, &key), of->place->seq, &found.is_later);
    if (synchronizer) {
        found.entry = synchronizer->node;
        found.sync_index = synchronizer->index;
    }
    complete_spawn(of, link->unknown_synchronizers, &key, &found);
    return found;
}

static void keep_synchronizers(const analyzed *of, const uint8_t *ids, const godot_mp_spawn *node)
{
    godot_mp_link *link = of->place->link;
    uint32_t count = MIN(node->state.synchronizers, GW_MOST_IDS);
    spawned_synchronizer *kept = wmem_alloc_array(wmem_file_scope(), spawned_synchronizer, count);
    for (uint32_t i = 0; i < count; i++) {
        kept[i] = (spawned_synchronizer){ node, i };
        const godot_mp_id_key key = path_key(of, true, gw_le32(ids + (size_t)4 * i));
        add_entry(obtain_history(link->synchronizers, &key, sizeof key), of->place->seq, &kept[i]);
    }
    if (count < node->state.synchronizers)
        link->has_more_synchronizers = true;
}

static void keep_spawn(const analyzed *of, const godot_mp_id_key *key, const uint8_t *bytes)
{
    const godot_mp_facts *facts = of->facts;
    godot_mp_spawn *node = wmem_new(wmem_file_scope(), godot_mp_spawn);
    *node = (godot_mp_spawn){ .name = wmem_strdup(wmem_file_scope(), facts->name),
                              .frame = of->place->pinfo->num,
                              .seq = of->place->seq,
                              .time = of->place->pinfo->abs_ts,
                              .spawner = facts->path_id,
                              .spawner_owner = owner_of(of, true),
                              .spawner_side = of->place->side,
                              .scene = facts->scene,
                              .state = facts->state };
    add_entry(obtain_history(of->place->link->spawns, key, sizeof *key), node->seq, node);
    if (node->state.synchronizers)
        keep_synchronizers(of, bytes + facts->sync_ids.offset, node);
}

static void analyze_spawn(const analyzed *of, const uint8_t *bytes)
{
    const godot_mp_place *place = of->place;
    const godot_mp_id_key key = node_key(of, of->facts->net_id);
    const godot_mp_spawn *before = find_before(of, wmem_map_lookup(place->link->spawns, &key));
    bool in_use = before && !(before->despawned_seq && before->despawned_seq < place->seq);
    of->findings->in_use = in_use && !place->repeated ? before : NULL;
    if (place->first_pass)
        keep_spawn(of, &key, bytes);
    of->findings->spawn = find_spawn(of, &key, place->seq);
}

/* The number of this despawn, or one before the latest spawn if this is a copy that arrives after it. */
static uint32_t seq_of_despawn(const analyzed *of, const godot_mp_spawn *latest)
{
    uint32_t seq = of->place->seq;
    bool is_despawned = latest && latest->despawned_seq && latest->despawned_seq < seq;
    return of->place->repeated && latest && !is_despawned ? latest->seq - 1 : seq;
}

static void analyze_despawn(const analyzed *of)
{
    const godot_mp_id_key key = node_key(of, of->facts->net_id);
    godot_mp_spawn *entry = find_earlier(wmem_map_lookup(of->place->link->spawns, &key), of->place->seq);
    of->findings->spawn = find_spawn(of, &key, seq_of_despawn(of, entry));
    if (!entry || !of->place->first_pass || entry->despawned_in)
        return;
    entry->despawned_in = of->place->pinfo->num;
    entry->despawned_seq = of->place->seq;
}

/* ---- syncs --------------------------------------------------------------------------------------------- */

static void count_sync(sync_count *count, const packet_info *pinfo, uint16_t time, godot_mp_sync *sync)
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
static sync_count *obtain_count(const analyzed *of)
{
    godot_mp_id_key key = path_key(of, true, 0);
    key.other = other_of(of, true);
    sync_count *count = wmem_map_lookup(of->place->link->counts, &key);
    if (!count) {
        count = wmem_new0(wmem_file_scope(), sync_count);
        wmem_map_insert(of->place->link->counts, wmem_memdup(wmem_file_scope(), &key, sizeof key), count);
    }
    return count;
}

static void analyze_time(const analyzed *of)
{
    godot_mp_kept *kept = godot_mp_find_kept(of->place);
    if (!kept)
        return;
    if (of->place->first_pass)
        count_sync(obtain_count(of), of->place->pinfo, of->facts->time, &kept->sync);
    of->findings->sync = kept->sync;
}

/* ---- updates ------------------------------------------------------------------------------------------- */

static godot_mp_found_update find_update(const analyzed *of, uint32_t id)
{
    godot_mp_found_update found = { .path = { .entry = NULL } };
    if (id & GW_GODOT_MULTIPLAYER_PATH_NET_ID)
        found.path = find_path(of, id & ~GW_GODOT_MULTIPLAYER_PATH_NET_ID);
    else
        found.spawn = find_synchronizer(of, id);
    return found;
}

static void analyze_intervals(const analyzed *of)
{
    godot_mp_id_key sender = path_key(of, true, 0);
    sender.other = other_of(of, true);
    godot_mp_keep_intervals(of->place, &sender, of->facts, of->findings->updates);
    for (uint32_t i = 0; i < of->facts->update_count; i++)
        of->findings->updates[i].interval = godot_mp_find_interval(of->place, i);
}

static void analyze_sync(const analyzed *of)
{
    uint32_t count = of->facts->update_count;
    if (of->facts->has_time)
        analyze_time(of);
    of->findings->updates = wmem_alloc_array(of->place->pinfo->pool, godot_mp_found_update, MAX(count, 1));
    for (uint32_t i = 0; i < count; i++)
        of->findings->updates[i] = find_update(of, of->facts->updates[i].net_id);
    if (of->facts->has_time)
        analyze_intervals(of);
}

/* ---- one message --------------------------------------------------------------------------------------- */

static void analyze_cut(const analyzed *of)
{
    bool defines = of->facts->command == GW_GODOT_MULTIPLAYER_SIMPLIFY_PATH && !of->facts->defines;
    bool spawns = of->facts->command == GW_GODOT_MULTIPLAYER_SPAWN && !of->facts->spawns;
    if (of->place->first_pass && of->facts->is_cut && (defines || spawns))
        of->place->link->has_cut_definition = true;
}

static void analyze_packet(const analyzed *of, const uint8_t *bytes)
{
    const godot_mp_facts *facts = of->facts;
    switch (facts->command) {
    case GW_GODOT_MULTIPLAYER_CALL:
    case GW_GODOT_MULTIPLAYER_SET:
        if (facts->has_path_id)
            analyze_call(of);
        break;
    case GW_GODOT_MULTIPLAYER_SIMPLIFY_PATH:
        if (facts->defines)
            analyze_definition(of);
        break;
    case GW_GODOT_MULTIPLAYER_CONFIRM_PATH:
        if (facts->confirms)
            analyze_confirmation(of);
        break;
    case GW_GODOT_MULTIPLAYER_SPAWN:
        if (facts->has_path_id)
            of->findings->path = find_path(of, facts->path_id);
        if (facts->spawns)
            analyze_spawn(of, bytes);
        break;
    case GW_GODOT_MULTIPLAYER_DESPAWN:
        if (facts->despawns)
            analyze_despawn(of);
        break;
    case GW_GODOT_MULTIPLAYER_SYNC:
        analyze_sync(of);
        break;
    default:
        break;
    }
}

const godot_mp_findings *godot_mp_analyze(const godot_mp_place *place, const uint8_t *bytes,
                                          const godot_mp_facts *facts)
{
    godot_mp_findings *findings = wmem_new0(place->pinfo->pool, godot_mp_findings);
    analyzed of = { .place = place, .facts = facts, .findings = findings };
    learn_peers(&of);
    find_peers(&of);
    if (!place->link)
        return findings;
    analyze_cut(&of);
    analyze_packet(&of, bytes);
    return findings;
}
