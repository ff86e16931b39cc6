/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Ids of paths, nodes and synchronizers. Every message has a number. The definitions of an id are stored by the number
 * of their message. A message finds the same definition on every pass: the latest one up to its own number or, if all
 * are later, the first one.
 */
#include "internal.h"

#include <stddef.h>

#include "common/archive.h"
#include "common/keys.h"

/* The peer that assigned an id: the sender of the message if `defines` is set, else its receiver. 0: the peer at that
 * end of the connection. A relayed message names the peer in whose place the server is: it is the assigner if the
 * server is at the definer's end. If the server's end is not known yet, the id is stored under this peer
 * (early_key()). */
int32_t godot_mp_assigner_of(const godot_mp_context *context, bool defines)
{
    if (context->facts->has_head)
        return defines ? context->facts->source : context->facts->target;
    if (!context->facts->is_relayed)
        return 0;
    uint8_t definer = defines ? context->position->side : context->position->side ^ 1U;
    return context->findings->server == GODOT_MP_NO_SIDE || context->findings->server == definer
               ? context->facts->relay_peer
               : 0;
}

/* The peer to which the assigner sent the id. 0: the peer at the other end. A relayed message names one peer: the
 * receiver is this peer, if the assigner is not (godot_mp_assigner_of()). */
int32_t godot_mp_receiver_of(const godot_mp_context *context, bool defines)
{
    if (context->facts->has_head)
        return defines ? context->facts->target : context->facts->source;
    return context->facts->is_relayed && !godot_mp_assigner_of(context, defines) ? context->facts->relay_peer : 0;
}

/* The key of an id, of a path or of a synchronizer, for all receivers. `defines`: the sender of this message assigned
 * it; else its receiver did. */
godot_mp_id_key godot_mp_path_key(const godot_mp_context *context, bool defines, uint32_t id)
{
    return (godot_mp_id_key){ .id = id,
                              .assigner = godot_mp_assigner_of(context, defines),
                              .other = GODOT_MP_ANY_PEER,
                              .side = defines ? context->position->side : context->position->side ^ 1U };
}

/* The key under which the same id was stored while the server's end was not known: its assigner was the relayed peer
 * then, and its receiver the peer at the other end. The same key if there is no such difference. */
static godot_mp_id_key early_key(const godot_mp_context *context, const godot_mp_id_key *key)
{
    godot_mp_id_key early = *key;
    if (!context->facts->is_relayed || key->assigner)
        return early;
    early.assigner = context->facts->relay_peer;
    if (early.other != GODOT_MP_ANY_PEER)
        early.other = 0;
    return early;
}

/* True if what is stored under an id, or a path, depends on the receiver. In most connections the peer at the other end
 * (0) is the only one: its history is in the same memory as the one for all receivers, after it. */
static bool has_receivers(godot_mp_kind kind)
{
    return kind == GODOT_MP_ID_PATHS || kind == GODOT_MP_ID_PATH_TEXTS;
}

/* The key of the memory that has the history for `key`: of a history for the peer at the other end, the key for all
 * receivers. Sets `index` to that of the history there. */
static godot_mp_id_key place_of(godot_mp_kind kind, const godot_mp_id_key *key, uint32_t *index)
{
    godot_mp_id_key place = *key;
    *index = has_receivers(kind) && !key->other;
    if (*index)
        place.other = GODOT_MP_ANY_PEER;
    return place;
}

/* The history of this kind under the key; NULL: there is none. One of two in the same memory may have no entries. */
static godot_mp_history *find_history(const godot_mp_context *context, godot_mp_kind kind, const godot_mp_id_key *key)
{
    uint32_t index;
    const godot_mp_id_key place = place_of(kind, key, &index);
    godot_mp_history *histories = godot_mp_find_by_id(context->position->connection, kind, &place);
    return histories ? &histories[index] : NULL;
}

/* The entries of this kind under the key, or under the one while the server's end was not known; NULL: none. */
godot_mp_history *godot_mp_history_of(const godot_mp_context *context, godot_mp_kind kind, const godot_mp_id_key *key)
{
    const godot_mp_id_key early = early_key(context, key);
    godot_mp_history *history = find_history(context, kind, key);
    if ((history && history->first) || gw_equal_keys(&early, key))
        return history;
    return find_history(context, kind, &early);
}

/* The number of the message that stored the entry. */
static uint32_t seq_of(const void *entry)
{
    _Static_assert(!offsetof(godot_mp_path, seq) && !offsetof(godot_mp_spawn, seq), "the first member of an entry");
    return *(const uint32_t *)entry;
}

/* The latest entry up to the message `seq`; NULL: none. `history` may be NULL. */
void *godot_mp_find_earlier(const godot_mp_history *history, uint32_t seq)
{
    if (!history || !history->first || seq < seq_of(history->first))
        return NULL;
    void *entry = history->later ? wmem_tree_lookup32_le(history->later, seq) : NULL;
    return entry ? entry : history->first;
}

/* The latest entry up to the message `seq` or, if all are later, the first one; then sets `is_later`. `history` may be
 * NULL. */
void *godot_mp_find_entry(const godot_mp_history *history, uint32_t seq, bool *is_later)
{
    void *entry = godot_mp_find_earlier(history, seq);
    *is_later = history && history->first && !entry;
    return *is_later ? history->first : entry;
}

/* The latest entry before this message; NULL: none, or the message has no number (0). */
void *godot_mp_find_before(const godot_mp_context *context, const godot_mp_history *history)
{
    return context->position->seq ? godot_mp_find_earlier(history, context->position->seq - 1) : NULL;
}

/* The data of this kind under the key, which is created if there is none. Only on the first pass. */
godot_mp_history *godot_mp_obtain_history(const godot_mp_context *context, godot_mp_kind kind,
                                          const godot_mp_id_key *key)
{
    godot_mp_history *history = find_history(context, kind, key);
    if (history)
        return history;
    uint32_t index;
    const godot_mp_id_key place = place_of(kind, key, &index);
    bool has_two = has_receivers(kind) && place.other == GODOT_MP_ANY_PEER;
    history = godot_mp_keep_by_id(context->position->connection, kind, &place, (has_two ? 2 : 1) * sizeof *history);
    return &history[index];
}

/* Adds the entry, which begins with the number of its message. Most ids have one entry only: a tree is created for the
 * second one. */
void godot_mp_keep_entry(godot_mp_history *history, void *entry)
{
    if (!history->first) {
        history->first = entry;
        return;
    }
    if (!history->later)
        history->later = wmem_tree_new(wmem_file_scope());
    wmem_tree_insert32(history->later, seq_of(entry), entry);
}

/* True for the messages of the first frame that uses this id without a definition, or before it was confirmed: only these
 * get an expert info. The number of that frame is stored on the first pass. */
bool godot_mp_keep_first_use(const godot_mp_context *context, godot_mp_kind kind, const godot_mp_id_key *key)
{
    const godot_mp_position *position = context->position;
    godot_mp_id_key use = *key;
    use.other = (int32_t)kind;
    uint32_t *frame = godot_mp_find_by_id(position->connection, GODOT_MP_ID_USES, &use);
    if (!frame && position->first_pass) {
        frame = godot_mp_keep_by_id(position->connection, GODOT_MP_ID_USES, &use, sizeof *frame);
        *frame = position->pinfo->num;
    }
    return !frame || *frame == position->pinfo->num;
}
