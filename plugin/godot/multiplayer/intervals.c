/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Keeps the latest updates of each synchronizer for each receiver, and detects late ones.
 */
#include "intervals.h"

#include "common/kept_memory.h"
#include "common/times.h"
#include "kept.h"

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
    nstime_t sent;
    uint32_t intervals[RECENT]; /* microseconds; a ring buffer */
    uint32_t interval_count;    /* of all intervals so far */
    uint16_t time;
} sync_rate;

static sync_rate *obtain_rate(const godot_mp_place *place, const godot_mp_id_key *key)
{
    godot_mp_connection *connection = place->connection;
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
static uint32_t microseconds(const nstime_t *interval)
{
    if (interval->secs < 0 || interval->nsecs < 0)
        return 0;
    if (interval->secs >= LONGEST / MICROSECONDS)
        return LONGEST;
    return (uint32_t)interval->secs * MICROSECONDS + (uint32_t)interval->nsecs / 1000;
}

static nstime_t time_of(uint32_t length)
{
    return (nstime_t){ length / MICROSECONDS, (int)(length % MICROSECONDS) * 1000 };
}

static bool is_late(uint32_t interval, uint32_t usual)
{
    return usual && interval / LATE_FACTOR >= usual && interval - usual >= LATE_BY;
}

static void keep_interval(sync_rate *rate, const packet_info *pinfo, update_list *list, uint32_t index)
{
    nstime_t interval;
    uint32_t usual = usual_interval(rate);
    nstime_delta(&interval, &pinfo->abs_ts, &rate->sent);
    uint32_t length = microseconds(&interval);
    rate->intervals[rate->interval_count++ % RECENT] = length;
    if (length >= LONGEST)
        return;
    list->intervals[index] = (update_interval){ rate->frame, length };
    list->usual[index] = is_late(length, usual) ? usual : 0;
    list->any_late |= list->usual[index] != 0;
}

/* A node that was spawned again is a different node. A datagram that arrives twice has no new update. */
static void keep_update(const godot_mp_place *place, const godot_mp_id_key *key, uint16_t time,
                        const godot_mp_found_spawn *spawn, update_list *list, uint32_t index)
{
    sync_rate *rate = obtain_rate(place, key);
    if (!rate || (rate->frame && rate->time == time))
        return;
    if (spawn->entry && !spawn->is_later && spawn->entry->seq > rate->seq)
        *rate = (sync_rate){ .frame = 0 };
    if (rate->frame)
        keep_interval(rate, place->pinfo, list, index);
    rate->frame = place->pinfo->num;
    rate->seq = place->seq;
    rate->sent = place->pinfo->abs_ts;
    rate->time = time;
}

/* The interval of an update that was in the sync before, too. */
static update_interval interval_of_sync(const godot_mp_kept_sync *sync)
{
    nstime_t interval = gw_time_of(sync->interval);
    uint32_t length = microseconds(&interval);
    return length < LONGEST ? (update_interval){ sync->previous, length } : (update_interval){ .previous = 0 };
}

/* Most syncs have the synchronizers of the sync before: then nothing is kept of the updates. */
static bool is_as_sync(const update_list *list, const godot_mp_kept_sync *sync)
{
    const update_interval expected = sync ? interval_of_sync(sync) : (update_interval){ .previous = 0 };
    for (uint32_t i = 0; i < list->count; i++)
        if (list->intervals[i].previous != expected.previous || list->intervals[i].length != expected.length)
            return false;
    return true;
}

static void keep_list(const godot_mp_place *place, const update_list *list)
{
    godot_mp_kept_sync *sync = godot_mp_find_record(place, GODOT_MP_SYNC);
    size_t size = list->count * sizeof *list->intervals, size_of_usual = list->count * sizeof *list->usual;
    if (list->any_late)
        memcpy(godot_mp_add_record(place, GODOT_MP_LATE, size_of_usual), list->usual, size_of_usual);
    if (!is_as_sync(list, sync))
        memcpy(godot_mp_add_record(place, GODOT_MP_UPDATES, size), list->intervals, size);
    else if (sync)
        sync->has_its_updates = true;
}

void godot_mp_keep_intervals(const godot_mp_place *place, const godot_mp_id_key *sender, const godot_mp_facts *facts,
                             const godot_mp_found_update *found)
{
    if (!place->first_pass || !place->kept || !facts->update_count)
        return;
    update_list list = {
        .intervals = wmem_alloc0_array(place->pinfo->pool, update_interval, facts->update_count),
        .usual = wmem_alloc0_array(place->pinfo->pool, uint32_t, facts->update_count),
        .count = facts->update_count,
    };
    for (uint32_t i = 0; i < facts->update_count; i++) {
        godot_mp_id_key key = *sender;
        key.id = facts->updates[i].net_id;
        keep_update(place, &key, facts->time, &found[i].spawn, &list, i);
    }
    keep_list(place, &list);
}

void godot_mp_find_intervals(const godot_mp_place *place, uint32_t count, godot_mp_found_update *updates)
{
    const godot_mp_kept_sync *sync = godot_mp_find_record(place, GODOT_MP_SYNC);
    const update_interval *intervals = godot_mp_find_record(place, GODOT_MP_UPDATES);
    const uint32_t *usual = godot_mp_find_record(place, GODOT_MP_LATE);
    bool is_of_sync = sync && sync->has_its_updates;
    for (uint32_t i = 0; i < count && (intervals || is_of_sync); i++) {
        const update_interval one = is_of_sync ? interval_of_sync(sync) : intervals[i];
        updates[i].interval = (godot_mp_interval){ .previous = one.previous,
                                                   .is_late = usual && usual[i],
                                                   .length = time_of(one.length),
                                                   .usual = time_of(usual ? usual[i] : 0) };
    }
}
