/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Keeps the latest updates of each synchronizer for each receiver, and detects late ones.
 */
#include "internal.h"

#include "common/kept_memory.h"
#include "common/times.h"

/* An update of a synchronizer is late if its interval is at least LATE_FACTOR times as long as, and LATE_BY longer
 * than, the second longest of the RECENT intervals before it (at least FEWEST are required). Jitter, a single lost
 * packet and a synchronizer whose interval the game changes once do not meet these conditions. */
#define RECENT       16U
#define FEWEST       8U
#define LATE_FACTOR  2U
#define LATE_BY      100000U /* microseconds */
#define LONGEST      (3600U * MICROSECONDS)
#define MICROSECONDS 1000000U /* in a second */
/* Maximum number of synchronizers of one connection whose intervals are measured. */
#define MOST_RATES 16384U

/* Of one update. */
typedef struct update_interval {
    uint32_t previous; /* frame of the previous update; 0: none */
    uint32_t length;   /* since the previous update, in microseconds */
} update_interval;

/* Of a message's updates. The second longest of the intervals before it is kept of late updates only, which are few. */
typedef struct update_list {
    update_interval *intervals;
    uint32_t *usual; /* microseconds; 0: the update is not late */
    uint32_t count;
    bool any_late;
} update_list;

/* The latest updates of one synchronizer for one receiver. */
typedef struct sync_rate {
    uint32_t frame;
    uint32_t seq;
    int64_t sent;               /* gw_nanoseconds() */
    uint32_t intervals[RECENT]; /* microseconds; a ring buffer */
    uint32_t interval_count;    /* of all intervals so far */
    uint16_t time;
} sync_rate;

static sync_rate *obtain_rate(const godot_mp_position *position, const godot_mp_id_key *key)
{
    godot_mp_connection *connection = position->connection;
    sync_rate *rate = godot_mp_find_by_id(connection, GODOT_MP_ID_RATES, key);
    if (!rate && connection->rate_count < MOST_RATES) {
        rate = gw_alloc_kept(sizeof *rate);
        connection->rate_count++;
        godot_mp_keep_by_id(connection, GODOT_MP_ID_RATES, key, rate);
    }
    return rate;
}

/* The second longest of the latest intervals; 0 if there are not enough. */
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
    return MAX(second, 1);
}

/* LONGEST for times that are too long for an interval. */
static uint32_t microseconds(int64_t interval)
{
    return (uint32_t)CLAMP(interval / 1000, 0, (int64_t)LONGEST);
}

/* A node that was spawned again is a different node. A datagram that arrives twice has no new update. */
static void keep_update(const godot_mp_position *position, const godot_mp_id_key *key, uint16_t time,
                        const godot_mp_found_spawn *spawn, update_list *list, uint32_t index)
{
    const int64_t now = gw_nanoseconds(&position->pinfo->abs_ts);
    sync_rate *rate = obtain_rate(position, key);
    if (!rate || (rate->frame && rate->time == time))
        return;
    if (spawn->entry && !spawn->is_later && spawn->entry->seq > rate->seq)
        *rate = (sync_rate){ .frame = 0 };
    if (rate->frame) {
        uint32_t usual = usual_interval(rate), length = microseconds(now - rate->sent);
        bool is_late = usual && length / LATE_FACTOR >= usual && length - usual >= LATE_BY && length < LONGEST;
        rate->intervals[rate->interval_count++ % RECENT] = length;
        if (length < LONGEST)
            list->intervals[index] = (update_interval){ rate->frame, length };
        list->usual[index] = is_late ? usual : 0;
        list->any_late |= is_late;
    }
    rate->frame = position->pinfo->num;
    rate->seq = position->seq;
    rate->sent = now;
    rate->time = time;
}

/* The interval of an update that was in the sync before, too. */
static update_interval interval_of_sync(const godot_mp_archived_sync *sync)
{
    uint32_t length = sync ? microseconds(sync->interval) : LONGEST;
    return length < LONGEST ? (update_interval){ sync->previous, length } : (update_interval){ .previous = 0 };
}

/* Most syncs have the synchronizers of the sync before: then nothing is kept of the updates. */
static void keep_list(const godot_mp_position *position, const update_list *list)
{
    godot_mp_archived_sync *sync = godot_mp_find_archived(position, GODOT_MP_SYNC);
    const update_interval expected = interval_of_sync(sync);
    size_t size = list->count * sizeof *list->intervals, size_of_usual = list->count * sizeof *list->usual;
    bool is_as_sync = true;
    for (uint32_t i = 0; i < list->count; i++)
        is_as_sync &= !memcmp(&list->intervals[i], &expected, sizeof expected);
    if (list->any_late)
        memcpy(godot_mp_keep_archived(position, GODOT_MP_LATE, size_of_usual), list->usual, size_of_usual);
    if (!is_as_sync)
        memcpy(godot_mp_keep_archived(position, GODOT_MP_UPDATES, size), list->intervals, size);
    else if (sync)
        sync->has_its_updates = true;
}

static void keep_intervals(const godot_mp_position *position, const godot_mp_id_key *sender,
                           const godot_mp_facts *facts, const godot_mp_found_update *found)
{
    if (!position->first_pass || !position->archived || !facts->update_count)
        return;
    update_list list = {
        .intervals = wmem_alloc0_array(position->pinfo->pool, update_interval, facts->update_count),
        .usual = wmem_alloc0_array(position->pinfo->pool, uint32_t, facts->update_count),
        .count = facts->update_count,
    };
    for (uint32_t i = 0; i < facts->update_count; i++) {
        godot_mp_id_key key = *sender;
        key.id = facts->updates[i].net_id;
        keep_update(position, &key, facts->time, &found[i].spawn, &list, i);
    }
    keep_list(position, &list);
}

static void find_intervals(const godot_mp_position *position, uint32_t count, godot_mp_found_update *updates)
{
    const godot_mp_archived_sync *sync = godot_mp_find_archived(position, GODOT_MP_SYNC);
    const update_interval *intervals = godot_mp_find_archived(position, GODOT_MP_UPDATES);
    const uint32_t *usual = godot_mp_find_archived(position, GODOT_MP_LATE);
    bool is_of_sync = sync && sync->has_its_updates;
    for (uint32_t i = 0; i < count && (intervals || is_of_sync); i++) {
        const update_interval one = is_of_sync ? interval_of_sync(sync) : intervals[i];
        updates[i].interval = (godot_mp_interval){ .previous = one.previous,
                                                   .is_late = usual && usual[i],
                                                   .length = gw_time_of((int64_t)one.length * 1000),
                                                   .usual = gw_time_of(usual ? (int64_t)usual[i] * 1000 : 0) };
    }
}

void godot_mp_analyze_intervals(const godot_mp_context *context)
{
    godot_mp_id_key sender = godot_mp_path_key(context, true, 0);
    if (context->facts->command != GW_GODOT_MP_SYNC || !context->facts->has_time)
        return;
    sender.other = godot_mp_receiver_of(context, true);
    if (!context->findings->sync.is_late)
        keep_intervals(context->position, &sender, context->facts, context->findings->updates);
    find_intervals(context->position, context->facts->update_count, context->findings->updates);
}
