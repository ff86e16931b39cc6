/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Spawned nodes, and the messages that despawn them. Syncs: the sync before, and for each update its synchronizer, the
 * other peer that sends updates of it, and the time since the update before.
 */
#include "internal.h"

#include <gamewire/bytes.h>

#include "common/archive.h"
#include "common/items.h"

/* ---- spawned nodes --------------------------------------------------------------------------------------- */

/* A synchronizer of a spawned node. */
typedef struct spawned_synchronizer {
    uint32_t seq;   /* as in a path */
    uint32_t index; /* in the node's list */
    const godot_mp_spawn *node;
} spawned_synchronizer;

/* Completes a spawn that was looked up by the id in `key`. Sets the path of its spawner's id, even if only a later
 * message defines it; and is_first: no message up to this one spawns a node with the id, and this is the first frame
 * that uses the id so. Only that frame gets an expert info. `kind`: of the id, GODOT_MP_ID_SPAWNS or
 * GODOT_MP_ID_SYNCHRONIZERS. */
static void complete_spawn(const godot_mp_context *context, godot_mp_kind kind, const godot_mp_id_key *key,
                           godot_mp_found_spawn *spawn)
{
    const godot_mp_spawn *entry = spawn->entry;
    if (entry) {
        bool is_later;
        const godot_mp_id_key spawner = { .id = entry->spawner,
                                          .assigner = entry->spawner_assigner,
                                          .other = GODOT_MP_ANY_PEER, /* a path's id is the same for all */
                                          .side = entry->spawner_side };
        const godot_mp_path *path =
            godot_mp_find_entry(godot_mp_history_of(context, GODOT_MP_ID_PATHS, &spawner), entry->seq, &is_later);
        spawn->spawner = path ? path->path : NULL;
    }
    spawn->is_first = (!entry || spawn->is_later) && godot_mp_keep_first_use(context, kind, key);
}

/* The spawns of a net id, over time; NULL: none. */
static const godot_mp_history *find_spawns(const godot_mp_context *context, const godot_mp_id_key *key)
{
    return godot_mp_find_by_id(context->position->connection, GODOT_MP_ID_SPAWNS, key);
}

/* The spawn of the net id in `key` for a spawn or despawn: the latest one up to the message `seq` or, if all are later,
 * the first one; without an entry if there is none. Completed with the spawner's path, and with whether this is the
 * first frame that uses an unknown id. */
static godot_mp_found_spawn find_spawn(const godot_mp_context *context, const godot_mp_id_key *key, uint32_t seq)
{
    godot_mp_found_spawn spawn = { .entry = NULL };
    spawn.entry = godot_mp_find_entry(find_spawns(context, key), seq, &spawn.is_later);
    complete_spawn(context, GODOT_MP_ID_SPAWNS, key, &spawn);
    return spawn;
}

/* The spawned node of a synchronizer, and the synchronizer's index in the node's list (sync_index). A spawn contains
 * the synchronizers of which the spawning peer is the authority: all syncs with these ids are its own. The ids are the
 * same at all peers. is_uncertain: a spawn of the connection had more synchronizers than are stored, so that one that
 * is not found may have been spawned all the same: it is reported as not known, in place of not spawned. */
static godot_mp_found_spawn find_synchronizer(const godot_mp_context *context, uint32_t net_id)
{
    const godot_mp_id_key key = godot_mp_path_key(context, true, net_id);
    godot_mp_found_spawn spawn = { .is_uncertain = context->position->connection->has_more_synchronizers };
    const spawned_synchronizer *synchronizer = godot_mp_find_entry(
        godot_mp_history_of(context, GODOT_MP_ID_SYNCHRONIZERS, &key), context->position->seq, &spawn.is_later);
    if (synchronizer) {
        spawn.entry = synchronizer->node;
        spawn.sync_index = synchronizer->index;
    }
    complete_spawn(context, GODOT_MP_ID_SYNCHRONIZERS, &key, &spawn);
    return spawn;
}

/* On the first pass, stores the spawned node by its net id, and its synchronizers, up to the limit, by their ids. */
static void keep_spawn(const godot_mp_context *context, const godot_mp_id_key *key)
{
    const godot_mp_position *position = context->position;
    const godot_mp_facts *facts = context->facts;
    godot_mp_spawn *node = gw_archive_alloc(sizeof *node);
    *node = (godot_mp_spawn){ .name = gw_archive_text(facts->name),
                              .frame = position->pinfo->num,
                              .seq = position->seq,
                              .time = gw_nanoseconds(&position->pinfo->abs_ts),
                              .spawner = facts->path_id,
                              .spawner_assigner = godot_mp_assigner_of(context, true),
                              .spawner_side = position->side,
                              .scene = facts->scene,
                              .state = facts->state };
    godot_mp_keep_entry(godot_mp_obtain_history(context, GODOT_MP_ID_SPAWNS, key), node);

    /* `sync_ids` is the codec's range of the ids, four bytes each: facts.c has counted them. */
    uint32_t count = MIN(node->state.synchronizers, GW_MOST_IDS);
    spawned_synchronizer *synchronizers = count ? gw_archive_alloc(count * sizeof *synchronizers) : NULL;
    const uint8_t *ids = context->message->reader.bytes + facts->sync_ids.offset;
    for (uint32_t i = 0; i < count; i++) {
        synchronizers[i] = (spawned_synchronizer){ node->seq, i, node };
        const godot_mp_id_key id = godot_mp_path_key(context, true, gw_le32(ids + (size_t)4 * i));
        godot_mp_keep_entry(godot_mp_obtain_history(context, GODOT_MP_ID_SYNCHRONIZERS, &id), &synchronizers[i]);
    }
    if (count < node->state.synchronizers)
        position->connection->has_more_synchronizers = true;
}

/* Sets the node that is spawned or despawned; for a spawn, also the node that already has the net id and was not
 * despawned (in_use). On the first pass, stores a spawned node, or the frame of its despawn. A repeated message, which
 * its receiver already had, stores nothing and has no in_use: the node that it would find is its own. */
static void analyze_spawn(const godot_mp_context *context)
{
    const godot_mp_position *position = context->position;
    godot_mp_findings *findings = context->findings;
    /* Net ids are assigned by the spawner's authority: the server, unless the game changes it. Each authority has its
     * own ids, and spawns and despawns the node at each peer separately (PeerInfo::recv_nodes in the engine's source).
     * The peer of a relayed message is the authority, or the receiver if the authority is at the side of the sender: in
     * one connection it is one of them for each side, even if the server's side is not known yet. */
    const godot_mp_id_key key = { .id = context->facts->net_id,
                                  .assigner = context->facts->is_relayed ? context->facts->relay_peer : 0,
                                  .side = position->side };
    if (context->facts->spawns) {
        const godot_mp_spawn *before = godot_mp_find_before(context, find_spawns(context, &key));
        bool in_use = before && !(before->despawned_seq && before->despawned_seq < position->seq);
        findings->in_use = in_use && !position->repeated ? before : NULL;
        if (position->first_pass)
            keep_spawn(context, &key);
        findings->spawn = find_spawn(context, &key, position->seq);
        return;
    }
    godot_mp_spawn *latest = godot_mp_find_earlier(find_spawns(context, &key), position->seq);
    /* A copy that arrives after the node was spawned again is for the spawn before. */
    bool is_despawned = latest && latest->despawned_seq && latest->despawned_seq < position->seq;
    bool is_for_before = position->repeated && latest && !is_despawned;
    findings->spawn = find_spawn(context, &key, is_for_before ? latest->seq - 1 : position->seq);
    if (!latest || !position->first_pass || latest->despawned_in)
        return;
    latest->despawned_in = position->pinfo->num;
    latest->despawned_seq = position->seq;
}

/* ---- the sync before ----------------------------------------------------------------------------------- */

/* Syncs are counted modulo 2^16: a sync that seems to be further ahead than this arrived late; except after this many
 * seconds, in which a network does not keep a datagram: the capture has a gap, or the game sent nothing. */
#define LATE               0x8000U
#define LONGEST_ON_ITS_WAY 10

/* The latest sync of a sender for one receiver. */
typedef struct sync_counter {
    int64_t sent; /* gw_nanoseconds() */
    uint32_t frame;
    uint16_t time;
} sync_counter;

/* Archived for a sync that is not the first. */
typedef struct archived_sync {
    int64_t interval; /* nanoseconds */
    uint32_t previous;
    uint16_t ahead;
    bool is_late : 1;
    bool has_its_updates : 1; /* all updates have the sync's previous frame and interval */
    bool has_late_updates : 1;
} archived_sync;

/* On the first pass: compares the sync with the one before it of the same sender for the same receiver, archives the
 * interval and the difference of their counts (`ahead`), and stores it as the latest one. The counts are modulo 2^16: a
 * sync that seems to be LATE or more ahead, within LONGEST_ON_ITS_WAY seconds, was sent before the latest one, and does
 * not replace it. Returns what it has archived; NULL: nothing, for the first sync. */
static archived_sync *keep_sync(const godot_mp_context *context)
{
    const packet_info *pinfo = context->position->pinfo;
    const int64_t now = gw_nanoseconds(&pinfo->abs_ts);
    const uint16_t time = context->facts->time;
    archived_sync *sync = NULL;
    bool is_late = false;

    /* The sender has one counter per receiver (PeerInfo::last_sent_sync in the engine's source), for all ids: 0. */
    godot_mp_id_key key = godot_mp_path_key(context, true, 0);
    key.other = godot_mp_receiver_of(context, true);
    sync_counter *counter = godot_mp_find_by_id(context->position->connection, GODOT_MP_ID_COUNTS, &key);
    if (!counter)
        counter = godot_mp_keep_by_id(context->position->connection, GODOT_MP_ID_COUNTS, &key, sizeof *counter);
    if (counter->frame) { /* not the first sync */
        const uint16_t ahead = (uint16_t)(time - counter->time);
        const int64_t interval = now - counter->sent;
        is_late = ahead >= LATE && interval < LONGEST_ON_ITS_WAY * GW_NANOSECONDS;
        sync = godot_mp_keep_archived(context->position, GODOT_MP_SYNC, sizeof *sync);
        sync->interval = interval;
        sync->previous = counter->frame;
        sync->ahead = is_late ? 0 : ahead;
        sync->is_late = is_late;
    }
    if (!is_late)
        *counter = (sync_counter){ now, pinfo->num, time };
    return sync;
}

/* ---- rivals: two peers that send the updates of one synchronizer ----------------------------------------- */

/* The authority of a synchronizer alone sends its updates. If two peers send them in turns, each is the authority for
 * itself, and drops the other's updates. A peer that hands it over stops within a round trip. Consecutive updates of
 * one peer are a turn. */

/* Two peers are rivals after this number of turns, none longer than LONGEST_TURN, that take SHORTEST_RIVALRY in all:
 * more than a round trip. */
#define FEWEST_TURNS     8
#define LONGEST_TURN     (GW_NANOSECONDS / 2)
#define SHORTEST_RIVALRY (GW_NANOSECONDS / 2)

typedef struct update_sender {
    int32_t id; /* 0: not known */
    uint8_t side;
    bool is_known;
} update_sender;

/* The peers that send the updates of one synchronizer. Times as of gw_nanoseconds(). */
typedef struct update_senders {
    update_sender current;
    update_sender other; /* of the turn before */
    uint32_t turns;      /* of these two, without a longer one */
    uint32_t begun_seq;
    int64_t begun;  /* first of these turns */
    int64_t turned; /* current turn */
    int64_t latest; /* latest update */
    uint32_t latest_seq;
    uint16_t rivalries;
    bool are_rivals; /* `last` goes on */
    godot_mp_rivals *first;
    godot_mp_rivals *last;
} update_senders;

/* True if both are the same peer; false also if there is no other peer yet. */
static bool is_same(const update_sender *sender, const update_sender *other)
{
    return sender->is_known && other->is_known && sender->id == other->id && sender->side == other->side;
}

/* The peers that send the updates of the synchronizer at this path, among which rivals are found. On the first pass
 * they are created if none are stored; on later passes, NULL: none are stored. */
static update_senders *obtain_senders(const godot_mp_position *position, const godot_mp_path *path)
{
    const godot_mp_id_key key = { .id = path->text };
    update_senders *senders = godot_mp_find_by_id(position->connection, GODOT_MP_ID_SENDERS, &key);
    if (senders || !position->first_pass)
        return senders;
    return godot_mp_keep_by_id(position->connection, GODOT_MP_ID_SENDERS, &key, sizeof *senders);
}

/* On the first pass, adds an update to the turns of its synchronizer: consecutive updates of one peer are a turn. Two
 * peers whose turns alternate are rivals: each is the authority for itself. Stores from which message to which one they
 * are. `id`: of the sender of this update; 0: not known. */
static void keep_turn(const godot_mp_position *position, update_senders *senders, int32_t id)
{
    const update_sender sender = { .id = id, .side = position->side, .is_known = true };
    const int64_t time = gw_nanoseconds(&position->pinfo->abs_ts);
    if (!senders->current.is_known) /* the first update */
        senders->current = sender;
    /* 1. A long turn ends the rivalry: the peer that has it is the authority. So does a third peer. */
    bool is_turn = !is_same(&sender, &senders->current);
    if (time - senders->turned > LONGEST_TURN || (is_turn && !is_same(&sender, &senders->other))) {
        senders->turns = 0;
        senders->are_rivals = false;
    }
    /* 2. Another peer than before begins a turn; the first turn of two peers begins with the latest update of the
     * other. */
    if (is_turn) {
        if (!senders->turns) {
            senders->begun = senders->latest;
            senders->begun_seq = senders->latest_seq;
        }
        senders->turns++;
        senders->other = senders->current;
        senders->current = sender;
        senders->turned = time;
    }
    /* 3. After enough turns in enough time they are rivals, until a long turn. */
    bool are_rivals = senders->turns >= FEWEST_TURNS && time - senders->begun > SHORTEST_RIVALRY;
    if (are_rivals && !senders->are_rivals && senders->rivalries < GODOT_MP_MOST_RIVALRIES) {
        godot_mp_rivals *rivals = wmem_new(wmem_file_scope(), godot_mp_rivals);
        *rivals = (godot_mp_rivals){ .first_seq = senders->begun_seq, .ids = { senders->other.id, sender.id } };
        *(senders->last ? &senders->last->next : &senders->first) = rivals;
        senders->last = rivals;
        senders->rivalries++;
        senders->are_rivals = true;
    }
    if (are_rivals && senders->are_rivals)
        senders->last->last_seq = position->seq;
    senders->latest = time;
    senders->latest_seq = position->seq;
}

/* The rivals at this message; NULL: none. `senders` may be NULL. The list is in the order of the messages. */
static const godot_mp_rivals *find_rivals(const godot_mp_position *position, const update_senders *senders)
{
    const godot_mp_rivals *rivals = senders ? senders->first : NULL;
    while (rivals && position->seq > rivals->last_seq)
        rivals = rivals->next;
    return rivals && position->seq >= rivals->first_seq ? rivals : NULL;
}

/* ---- intervals ----------------------------------------------------------------------------------------- */

/* An update of a synchronizer is late if its interval is at least LATE_FACTOR times as long as, and LATE_BY longer
 * than, the second longest of the RECENT intervals before it (at least FEWEST are required). Jitter, a single lost
 * packet and a synchronizer whose interval the game changes once do not meet these conditions. */
#define RECENT          16U
#define FIRST_INTERVALS 4U
#define FEWEST          8U
#define LATE_FACTOR     2U
#define LATE_BY         100000U /* microseconds */
#define LONGEST         (3600U * MICROSECONDS)
#define MICROSECONDS    1000000U /* in a second */

/* Of one update. */
typedef struct update_interval {
    uint32_t previous; /* frame of the previous update; 0: none */
    uint32_t length;   /* since the previous update, in microseconds */
} update_interval;

/* Of a message's updates. The second longest of the intervals before it is stored of late updates only, which are
 * few. */
typedef struct update_list {
    update_interval *intervals;
    uint32_t *usual; /* microseconds; 0: the update is not late */
    bool any_late;
} update_list;

/* The latest updates of one synchronizer for one receiver. */
typedef struct sync_rate {
    int64_t sent; /* gw_nanoseconds() */
    uint32_t frame;
    uint32_t seq;
    uint32_t *intervals;     /* microseconds; a ring buffer of RECENT, or the first `room` ones; NULL: none */
    uint32_t interval_count; /* of all intervals so far */
    uint16_t time;
    uint8_t room;
} sync_rate;

/* The interval with which an update is compared: the second longest of the latest ones, so that a single long one, as
 * after a lost packet, does not count. In microseconds, at least 1; 0 if there are not enough. */
static uint32_t usual_interval(const sync_rate *rate)
{
    uint32_t longest = 0, second = 0;
    if (rate->interval_count < FEWEST)
        return 0;
    for (uint32_t i = 0; i < MIN(rate->interval_count, RECENT); i++) {
        uint32_t interval = rate->intervals[i];
        second = MAX(second, MIN(interval, longest));
        longest = MAX(longest, interval);
    }
    return MAX(second, 1); /* 0: there are not enough */
}

/* Adds an interval, in place of the oldest one if there are RECENT. Most connections are short: there is room for
 * FIRST_INTERVALS at first. */
static void keep_interval(sync_rate *rate, uint32_t interval)
{
    if (rate->interval_count == rate->room && rate->room < RECENT) {
        const uint32_t *before = rate->intervals;
        const uint8_t room = rate->room ? RECENT : FIRST_INTERVALS;
        rate->intervals = gw_archive_alloc(room * sizeof *rate->intervals);
        if (before)
            memcpy(rate->intervals, before, rate->room * sizeof *before);
        rate->room = room;
    }
    rate->intervals[rate->interval_count++ % RECENT] = interval;
}

/* Converts nanoseconds to microseconds: 0 for a negative time, LONGEST for one that is too long for an interval. */
static uint32_t microseconds(int64_t nanoseconds)
{
    return (uint32_t)CLAMP(nanoseconds / 1000, 0, (int64_t)LONGEST);
}

/* The interval of an update whose synchronizer was in the sync before, too: that of the sync. None if `sync` is
 * NULL. */
static update_interval interval_of_sync(const archived_sync *sync)
{
    uint32_t length = sync ? microseconds(sync->interval) : LONGEST;
    return length < LONGEST ? (update_interval){ sync->previous, length } : (update_interval){ .previous = 0 };
}

/* Sets the interval of the update with this index in `list`, and stores the update as the latest one of its key:
 * synchronizer and receiver. Its interval is compared with those before it (usual_interval()) to find whether it is
 * late, and added to them. Only GODOT_MP_MOST_RATES keys of a connection are stored: updates of others have no
 * interval. */
static void keep_update(const godot_mp_context *context, const godot_mp_id_key *key, update_list *list, uint32_t index)
{
    const godot_mp_position *position = context->position;
    const godot_mp_found_spawn *spawn = &context->findings->updates[index].spawn;
    const int64_t now = gw_nanoseconds(&position->pinfo->abs_ts);
    sync_rate *rate = godot_mp_find_by_id(position->connection, GODOT_MP_ID_RATES, key);
    if (!rate && position->connection->rate_count < GODOT_MP_MOST_RATES) {
        rate = godot_mp_keep_by_id(position->connection, GODOT_MP_ID_RATES, key, sizeof *rate);
        position->connection->rate_count++;
    }
    /* A datagram that arrives twice has no new update. A node that was spawned again is a different node. */
    if (!rate || (rate->frame && rate->time == context->facts->time))
        return;
    if (spawn->entry && !spawn->is_later && spawn->entry->seq > rate->seq)
        *rate = (sync_rate){ .intervals = rate->intervals, .room = rate->room };
    if (rate->frame) {
        uint32_t usual = usual_interval(rate), length = microseconds(now - rate->sent);
        bool is_late = usual && length / LATE_FACTOR >= usual && length - usual >= LATE_BY && length < LONGEST;
        keep_interval(rate, length);
        if (length < LONGEST)
            list->intervals[index] = (update_interval){ rate->frame, length };
        list->usual[index] = is_late ? usual : 0;
        list->any_late |= is_late;
    }
    rate->frame = position->pinfo->num;
    rate->seq = position->seq;
    rate->sent = now;
    rate->time = context->facts->time;
}

/* The finding for an interval, whose times are nstime_t: the archived lengths are in microseconds. `usual`: the usual
 * interval of a late update, in microseconds; 0: the update is not late. */
static godot_mp_interval interval_of(update_interval interval, uint32_t usual)
{
    return (godot_mp_interval){ .previous = interval.previous,
                                .is_late = usual != 0,
                                .length = gw_time_of((int64_t)interval.length * 1000),
                                .usual = gw_time_of((int64_t)usual * 1000) };
}

/* On the first pass: archives the intervals of the sync's updates, and sets them. Most syncs have the synchronizers of
 * the sync before, so that each interval is that of the sync, which is archived already: then only a flag of it is set
 * (has_its_updates). Else all intervals are archived (GODOT_MP_UPDATES); with a late update, the usual ones
 * (GODOT_MP_LATE). `sync`: NULL for the first sync. */
static void keep_intervals(const godot_mp_context *context, archived_sync *sync)
{
    const godot_mp_position *position = context->position;
    const uint32_t count = context->facts->update_count;
    update_list list = { .intervals = wmem_alloc0_array(position->pinfo->pool, update_interval, count),
                         .usual = wmem_alloc0_array(position->pinfo->pool, uint32_t, count) };
    godot_mp_id_key key = godot_mp_path_key(context, true, 0);
    key.other = godot_mp_receiver_of(context, true);
    for (uint32_t i = 0; i < count; i++) {
        key.id = context->facts->updates[i].net_id;
        keep_update(context, &key, &list, i);
        context->findings->updates[i].interval = interval_of(list.intervals[i], list.usual[i]);
    }

    /* An interval that is that of the sync needs no memory of its own. */
    const update_interval expected = interval_of_sync(sync);
    size_t size = count * sizeof *list.intervals, size_of_usual = count * sizeof *list.usual;
    bool is_as_sync = true;
    for (uint32_t i = 0; i < count; i++)
        is_as_sync &= !memcmp(&list.intervals[i], &expected, sizeof expected);
    if (list.any_late)
        memcpy(godot_mp_keep_archived(position, GODOT_MP_LATE, size_of_usual), list.usual, size_of_usual);
    if (!is_as_sync)
        memcpy(godot_mp_keep_archived(position, GODOT_MP_UPDATES, size), list.intervals, size);
    if (sync) {
        sync->has_its_updates = is_as_sync;
        sync->has_late_updates = list.any_late;
    }
}

/* On a later pass: sets the intervals that keep_intervals() has archived, for each of `count` updates or for the sync
 * as a whole. `sync`: NULL for the first sync. */
static void find_intervals(const godot_mp_position *position, const archived_sync *sync, uint32_t count,
                           godot_mp_found_update *updates)
{
    bool is_of_sync = sync && sync->has_its_updates, may_be_late = !sync || sync->has_late_updates;
    const update_interval *intervals = is_of_sync ? NULL : godot_mp_find_archived(position, GODOT_MP_UPDATES);
    const uint32_t *usual = may_be_late ? godot_mp_find_archived(position, GODOT_MP_LATE) : NULL;
    for (uint32_t i = 0; i < count && (intervals || is_of_sync); i++) {
        const update_interval interval = is_of_sync ? interval_of_sync(sync) : intervals[i];
        updates[i].interval = interval_of(interval, usual ? usual[i] : 0);
    }
}

/* ---- syncs --------------------------------------------------------------------------------------------- */

/* Sets the node of a spawn or despawn. Of a sync: the sync before; for each update, its synchronizer by net id or by
 * path, with a path the two peers that send its updates in turns (rivals), and the time since the update before. Only
 * the first pass stores these; later passes find what it has stored and archived. */
void godot_mp_analyze_nodes(const godot_mp_context *context)
{
    const godot_mp_position *position = context->position;
    const godot_mp_facts *facts = context->facts;
    godot_mp_findings *findings = context->findings;
    archived_sync *sync = NULL;
    if (facts->spawns || facts->despawns)
        analyze_spawn(context);
    if (facts->command != GW_GODOT_MP_SYNC)
        return;

    /* The sync before. */
    if (facts->has_time && position->archived) {
        sync = position->first_pass ? keep_sync(context) : godot_mp_find_archived(position, GODOT_MP_SYNC);
        if (sync)
            findings->sync = (godot_mp_sync){ sync->previous, gw_time_of(sync->interval), sync->ahead, sync->is_late };
    }

    /* The node or path of each update. */
    findings->updates = wmem_alloc_array(position->pinfo->pool, godot_mp_found_update, MAX(facts->update_count, 1));
    for (uint32_t i = 0; i < facts->update_count; i++) {
        const uint32_t id = facts->updates[i].net_id;
        godot_mp_found_update *update = &findings->updates[i];
        *update = (godot_mp_found_update){ .path = { .entry = NULL } };
        if (!(id & GW_GODOT_MP_PATH_NET_ID)) {
            update->spawn = find_synchronizer(context, id);
            continue;
        }
        update->path = godot_mp_find_path(context, id & ~GW_GODOT_MP_PATH_NET_ID);
        const godot_mp_path *path = update->path.is_later ? NULL : update->path.entry;
        update_senders *senders = path ? obtain_senders(position, path) : NULL;
        if (senders && position->first_pass)
            keep_turn(position, senders, findings->has_source ? findings->source : 0);
        update->rivals = find_rivals(position, senders);
    }

    /* The time since the update before of each synchronizer. A late sync has none: its updates are older than those
     * before. */
    if (!facts->has_time || !facts->update_count || findings->sync.is_late)
        return;
    if (position->first_pass && position->archived)
        keep_intervals(context, sync);
    else
        find_intervals(position, sync, facts->update_count, findings->updates);
}
