/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Consecutive syncs of one sender for one receiver, and the synchronizers of their updates.
 */
#include "internal.h"

#include "common/kept_memory.h"

/* Syncs are counted modulo 2^16: a sync that seems to be further ahead than this arrived late; except after this many
 * seconds, in which a network does not keep a datagram: the capture has a gap, or the game sent nothing. */
#define LATE               0x8000U
#define LONGEST_ON_ITS_WAY 10

typedef struct sync_count {
    uint32_t frame;
    nstime_t sent;
    uint16_t time;
} sync_count;

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
    godot_mp_id_key key = godot_mp_path_key(context, true, 0);
    key.other = godot_mp_receiver_of(context, true);
    sync_count *count = godot_mp_find_by_id(context->position->connection, GODOT_MP_ID_COUNTS, &key);
    if (!count) {
        count = gw_alloc_kept(sizeof *count);
        godot_mp_keep_by_id(context->position->connection, GODOT_MP_ID_COUNTS, &key, count);
    }
    return count;
}

static void analyze_time(const godot_mp_context *context)
{
    const godot_mp_position *position = context->position;
    if (!position->archived)
        return;
    if (position->first_pass) {
        godot_mp_sync sync = { 0 };
        keep_sync(obtain_count(context), position->pinfo, context->facts->time, &sync);
        godot_mp_keep_sync(position, &sync);
    }
    context->findings->sync = godot_mp_find_sync(position);
}

static godot_mp_found_update find_update(const godot_mp_context *context, uint32_t id)
{
    godot_mp_found_update found = { .path = { .entry = NULL } };
    if (id & GW_GODOT_MP_PATH_NET_ID)
        found.path = godot_mp_find_path(context, id & ~GW_GODOT_MP_PATH_NET_ID);
    else
        found.spawn = godot_mp_find_synchronizer(context, id);
    return found;
}

void godot_mp_analyze_syncs(const godot_mp_context *context)
{
    const godot_mp_facts *facts = context->facts;
    if (facts->command != GW_GODOT_MP_SYNC)
        return;
    if (facts->has_time)
        analyze_time(context);
    context->findings->updates =
        wmem_alloc_array(context->position->pinfo->pool, godot_mp_found_update, MAX(facts->update_count, 1));
    for (uint32_t i = 0; i < facts->update_count; i++)
        context->findings->updates[i] = find_update(context, facts->updates[i].net_id);
}
