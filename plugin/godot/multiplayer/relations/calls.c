/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Counts reliable calls of one method on one node.
 */
#include "internal.h"

#include "common/archive.h"
#include "common/keys.h"

/* Reliable calls of a method on a node for one receiver, in each of two seconds. When a scene is loaded, there may be as
 * many at once. */
#define MOST_RELIABLE_CALLS 20U

typedef struct method_key {
    uint64_t caller; /* address of its godot_mp_direction: connection and side */
    uint32_t node;   /* path id, or hash of the path */
    uint32_t method; /* number, or hash of the name */
} method_key;

_Static_assert(sizeof(method_key) == GW_KEY_SIZE, "hashed as a key");

typedef struct method_calls {
    nstime_t begin; /* of the second that is counted */
    uint32_t count;
    bool were_many; /* in the second before */
    bool is_reported;
} method_calls;

static uint32_t hash_of(const char *text)
{
    return wmem_strong_hash((const uint8_t *)text, strlen(text));
}

/* On the first pass. */
static void keep_call(const godot_mp_context *context)
{
    const godot_mp_position *position = context->position;
    const godot_mp_facts *facts = context->facts;
    const method_key key = {
        .caller = (uintptr_t)&position->connection->directions[position->side],
        .node = facts->path ? hash_of(facts->path) : facts->path_id,
        .method = facts->method ? hash_of(facts->method) : facts->method_id,
    };
    method_calls *calls = wmem_map_lookup(godot_mp_current.calls, &key);
    if (!calls) {
        if (wmem_map_size(godot_mp_current.calls) >= GODOT_MP_MOST_METHODS)
            return;
        calls = wmem_new0(wmem_file_scope(), method_calls);
        wmem_map_insert(godot_mp_current.calls, wmem_memdup(wmem_file_scope(), &key, sizeof key), calls);
    }

    /* A second begins with its first call. */
    nstime_t elapsed;
    nstime_delta(&elapsed, &position->pinfo->abs_ts, &calls->begin);
    if (!calls->count || elapsed.secs != 0) {
        calls->were_many = elapsed.secs == 1 && calls->count > MOST_RELIABLE_CALLS;
        calls->begin = position->pinfo->abs_ts;
        calls->count = 0;
    }
    calls->count++;
    if (calls->is_reported || !calls->were_many || calls->count <= MOST_RELIABLE_CALLS)
        return;
    calls->is_reported = true;
    godot_mp_keep_archived(position, GODOT_MP_EXCESS, 0);
}

void godot_mp_analyze_calls(const godot_mp_context *context)
{
    const godot_mp_position *position = context->position;
    const enet_message *enet = context->message->carrier->enet;
    if (context->facts->command != GW_GODOT_MP_CALL || !enet || enet->delivery != ENET_RELIABLE)
        return;
    if (position->first_pass)
        keep_call(context);
    context->findings->is_one_too_many = godot_mp_find_archived(position, GODOT_MP_EXCESS) != NULL;
}
