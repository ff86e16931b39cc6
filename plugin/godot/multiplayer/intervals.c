/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Keeps the latest updates of each synchronizer for each receiver, and detects late ones.
 */
#include "intervals.h"

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
    wmem_map_t *rates = place->connection->rates;
    sync_rate *rate = wmem_map_lookup(rates, key);
    if (!rate && wmem_map_size(rates) < MOST_RATES) {
        rate = wmem_new0(wmem_file_scope(), sync_rate);
        wmem_map_insert(rates, wmem_memdup(wmem_file_scope(), key, sizeof *key), rate);
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

static void keep_interval(sync_rate *rate, const packet_info *pinfo, godot_mp_kept_update *kept)
{
    nstime_t interval;
    uint32_t usual = usual_interval(rate);
    nstime_delta(&interval, &pinfo->abs_ts, &rate->sent);
    uint32_t length = microseconds(&interval);
    rate->intervals[rate->interval_count++ % RECENT] = length;
    if (length < LONGEST)
        *kept = (godot_mp_kept_update){ rate->frame, length, is_late(length, usual) ? usual : 0 };
}

/* A node that was spawned again is a different node. A datagram that arrives twice has no new update. */
static void keep_update(const godot_mp_place *place, const godot_mp_id_key *key, uint16_t time,
                        const godot_mp_found_spawn *spawn, godot_mp_kept_update *kept)
{
    sync_rate *rate = obtain_rate(place, key);
    if (!rate || (rate->frame && rate->time == time))
        return;
    if (spawn->entry && !spawn->is_later && spawn->entry->seq > rate->seq)
        *rate = (sync_rate){ .frame = 0 };
    if (rate->frame)
        keep_interval(rate, place->pinfo, kept);
    rate->frame = place->pinfo->num;
    rate->seq = place->seq;
    rate->sent = place->pinfo->abs_ts;
    rate->time = time;
}

void godot_mp_keep_intervals(const godot_mp_place *place, const godot_mp_id_key *sender, const godot_mp_facts *facts,
                             const godot_mp_found_update *found)
{
    godot_mp_kept *kept = place->kept;
    if (!place->first_pass || !kept || kept->sync.is_late || !facts->update_count)
        return;
    kept->update_count = facts->update_count;
    kept->updates = wmem_alloc0_array(wmem_file_scope(), godot_mp_kept_update, facts->update_count);
    for (uint32_t i = 0; i < facts->update_count; i++) {
        godot_mp_id_key key = *sender;
        key.id = facts->updates[i].net_id;
        keep_update(place, &key, facts->time, &found[i].spawn, &kept->updates[i]);
    }
}

godot_mp_interval godot_mp_find_interval(const godot_mp_place *place, uint32_t update)
{
    const godot_mp_kept *kept = place->kept;
    if (!kept || update >= kept->update_count)
        return (godot_mp_interval){ .previous = 0 };
    const godot_mp_kept_update *one = &kept->updates[update];
    return (godot_mp_interval){ .previous = one->previous,
                                .is_late = one->usual != 0,
                                .length = time_of(one->interval),
                                .usual = time_of(one->usual) };
}
