/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Counts reliable calls of one method on one node.
 */
#include "internal.h"

#include "common/frame_log.h"
#include "common/keys.h"

/* Reliable calls of a method on a node for one receiver, in each of two seconds. When a scene is loaded, there may be as
 * many at once. */
#define MOST_RELIABLE_CALLS 20U
/* Methods that are counted in a file: those after them are not. */
#define MOST_METHODS 10000U

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

static wmem_map_t *methods; /* method_key -> method_calls */
static gw_frame_log excess; /* the first call of a method that is one too many, by the message's ordinal */

void godot_mp_register_calls(void)
{
    gw_frame_log_init(&excess);
    methods = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), gw_hash_key, gw_equal_keys);
}

/* ---- counting ------------------------------------------------------------------------------------------ */

static uint32_t hash_of(const char *text)
{
    return wmem_strong_hash((const uint8_t *)text, strlen(text));
}

static method_key key_of(const godot_mp_message *message)
{
    const godot_mp_facts *facts = &message->facts;
    return (method_key){
        .caller = (uintptr_t)&message->position.connection->directions[message->position.side],
        .node = facts->path ? hash_of(facts->path) : facts->path_id,
        .method = facts->method ? hash_of(facts->method) : facts->method_id,
    };
}

static method_calls *obtain_calls(const godot_mp_message *message)
{
    const method_key key = key_of(message);
    method_calls *calls = wmem_map_lookup(methods, &key);
    if (calls || wmem_map_size(methods) >= MOST_METHODS)
        return calls;
    calls = wmem_new0(wmem_file_scope(), method_calls);
    wmem_map_insert(methods, wmem_memdup(wmem_file_scope(), &key, sizeof key), calls);
    return calls;
}

/* Counts a call in the second that begins with its first one. True if the calls are too many. */
static bool count_call(method_calls *calls, const nstime_t *time)
{
    nstime_t elapsed;
    nstime_delta(&elapsed, time, &calls->begin);
    if (!calls->count || elapsed.secs != 0) {
        calls->were_many = elapsed.secs == 1 && calls->count > MOST_RELIABLE_CALLS;
        calls->begin = *time;
        calls->count = 0;
    }
    calls->count++;
    return calls->were_many && calls->count > MOST_RELIABLE_CALLS;
}

static bool is_reliable_call(const godot_mp_message *message)
{
    const enet_message *enet = message->carrier->enet;
    return message->facts.command == GW_GODOT_MP_CALL && enet && enet->delivery == ENET_RELIABLE;
}

static void keep_call(const godot_mp_message *message)
{
    packet_info *pinfo = message->pinfo;
    method_calls *calls = obtain_calls(message);
    if (!calls || !count_call(calls, &pinfo->abs_ts) || calls->is_reported)
        return;
    calls->is_reported = true;
    gw_frame_log_add(&excess, pinfo, message->position.ordinal, 0);
}

void godot_mp_analyze_calls(const godot_mp_context *context)
{
    const godot_mp_position *position = context->position;
    if (!is_reliable_call(context->message))
        return;
    if (position->first_pass)
        keep_call(context->message);
    context->findings->is_one_too_many = gw_frame_log_find(&excess, position->pinfo, position->ordinal, NULL) != NULL;
}
