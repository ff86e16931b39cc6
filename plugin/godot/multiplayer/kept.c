/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Records of messages in the log of frames. A key is a message's ordinal in its frame and the kind of the record.
 */
#include "kept.h"

#include "common/frame_log.h"
#include "common/times.h"

static gw_frame_log messages;

void godot_mp_register_kept(void)
{
    gw_frame_log_init(&messages);
}

static uint32_t key_of(uint32_t ordinal, godot_mp_record record)
{
    return ordinal * GODOT_MP_RECORDS + (uint32_t)record;
}

void *godot_mp_add_record(const godot_mp_place *place, godot_mp_record record, size_t size)
{
    return gw_frame_log_add(&messages, place->pinfo, key_of(place->ordinal, record), size);
}

void *godot_mp_find_record(const godot_mp_place *place, godot_mp_record record)
{
    return place->kept ? gw_frame_log_find(&messages, place->pinfo, key_of(place->ordinal, record), NULL) : NULL;
}

godot_mp_kept *godot_mp_find_kept(const packet_info *pinfo, uint32_t ordinal)
{
    return gw_frame_log_find(&messages, pinfo, key_of(ordinal, GODOT_MP_MESSAGE), NULL);
}

void godot_mp_keep_sync(const godot_mp_place *place, const godot_mp_sync *sync)
{
    if (!sync->previous)
        return;
    godot_mp_kept_sync *kept = godot_mp_add_record(place, GODOT_MP_SYNC, sizeof *kept);
    kept->interval = gw_nanoseconds(&sync->interval);
    kept->previous = sync->previous;
    kept->ahead = sync->ahead;
    kept->is_late = sync->is_late;
}

godot_mp_sync godot_mp_find_sync(const godot_mp_place *place)
{
    const godot_mp_kept_sync *kept = godot_mp_find_record(place, GODOT_MP_SYNC);
    if (!kept)
        return (godot_mp_sync){ .previous = 0 };
    return (godot_mp_sync){ kept->previous, gw_time_of(kept->interval), kept->ahead, kept->is_late };
}
