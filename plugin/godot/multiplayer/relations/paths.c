/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Paths with an id: their definitions, the confirmations of their receivers, and the messages that use them.
 */
#include "internal.h"

#include "common/kept_memory.h"

static char *text_key(const godot_mp_context *context, const godot_mp_id_key *key, const char *path)
{
    return wmem_strdup_printf(context->position->pinfo->pool, "%u %d %d %s", key->side, key->assigner, key->other,
                              path);
}

static godot_mp_history *history_of_text(const godot_mp_context *context, const godot_mp_id_key *key, const char *path)
{
    const godot_mp_id_key early = godot_mp_early_key(context, key);
    wmem_map_t *paths = context->position->connection->by_path;
    godot_mp_history *found = wmem_map_lookup(paths, text_key(context, key, path));
    return found ? found : wmem_map_lookup(paths, text_key(context, &early, path));
}

static godot_mp_history *history_of_id(const godot_mp_context *context, const godot_mp_id_key *key)
{
    return godot_mp_history_of(context, GODOT_MP_ID_PATHS, key);
}

/* A new one is followed by its text. */
static godot_mp_history *obtain_history_of_text(const godot_mp_context *context, const char *text)
{
    wmem_map_t *paths = context->position->connection->by_path;
    godot_mp_history *found = wmem_map_lookup(paths, text);
    if (!found) {
        size_t size = strlen(text) + 1;
        found = (godot_mp_history *)gw_alloc_kept(sizeof *found + size);
        wmem_map_insert(paths, memcpy(found + 1, text, size), found);
    }
    return found;
}

/* ---- definitions -------------------------------------------------------------------------------------- */

/* True if the receiver is the peer at the other end of the connection, and not one that the server relays to. */
static bool is_for_other_end(const godot_mp_context *context, const godot_mp_id_key *key)
{
    return !key->other && !(context->facts->is_relayed && context->findings->server == GODOT_MP_NO_SIDE);
}

/* The definition with this key. On the first pass a new one is stored, unless it repeats the previous one. */
static const godot_mp_path *keep_definition(const godot_mp_context *context, const godot_mp_id_key *key)
{
    const godot_mp_position *position = context->position;
    const char *path = context->facts->path;
    godot_mp_path *before = godot_mp_find_earlier(history_of_id(context, key), position->seq);
    if (!position->first_pass || (before && !strcmp(before->path, path)))
        return before;
    godot_mp_path *entry = gw_alloc_kept(sizeof *entry);
    entry->path = wmem_strdup(wmem_file_scope(), path);
    entry->checksum = context->facts->checksum ? wmem_strdup(wmem_file_scope(), context->facts->checksum) : NULL;
    entry->first_of_script = godot_mp_keep_script(entry->checksum, entry->path);
    entry->frame = position->pinfo->num;
    entry->seq = position->seq;
    entry->time = position->pinfo->abs_ts;
    entry->record = position->enet && is_for_other_end(context, key) ? position->enet->record : NULL;
    godot_mp_keep_entry(godot_mp_obtain_history(context, GODOT_MP_ID_PATHS, key), position->seq, entry);
    godot_mp_keep_entry(obtain_history_of_text(context, text_key(context, key, path)), position->seq, entry);
    return entry;
}

/* Stores it for all peers of the sender, and for the peer that this definition is sent to. */
static void analyze_definition(const godot_mp_context *context)
{
    godot_mp_id_key key = godot_mp_path_key(context, true, context->facts->path_id);
    const godot_mp_path *before = godot_mp_find_before(context, history_of_id(context, &key));
    if (before && strcmp(before->path, context->facts->path) != 0)
        context->findings->replaced = before;
    keep_definition(context, &key);
    key.other = godot_mp_receiver_of(context, true);
    context->findings->definition = keep_definition(context, &key);
    godot_mp_keep_asked(context->position, &key, context->findings->definition);
    godot_mp_keep_node(context->position, godot_mp_assigner_of(context, true), context->facts->path);
    context->findings->refusal = godot_mp_find_refusal(context->position, &key, context->findings->definition);
}

/* ---- confirmations ------------------------------------------------------------------------------------ */

static void keep_confirmation(const godot_mp_context *context, godot_mp_path *entry)
{
    const godot_mp_position *position = context->position;
    if (entry && position->first_pass && context->facts->differs && !entry->differs_in)
        entry->differs_in = position->pinfo->num;
    if (!entry || !position->first_pass || entry->confirmed_in)
        return;
    entry->confirmed_in = position->pinfo->num;
    entry->confirmed_seq = position->seq;
    entry->confirmed_at = position->pinfo->abs_ts;
}

/* Finds the path of a confirmation or a call. */
static godot_mp_history *history_of_node(const godot_mp_context *context, const godot_mp_id_key *key)
{
    return context->facts->path ? history_of_text(context, key, context->facts->path) : history_of_id(context, key);
}

/* The sender of this message has a node with this path. */
static void keep_node(const godot_mp_context *context, const char *path)
{
    godot_mp_keep_node(context->position, godot_mp_assigner_of(context, true), path);
}

static void analyze_confirmation(const godot_mp_context *context)
{
    godot_mp_found_path *found = &context->findings->path;
    godot_mp_id_key key = godot_mp_path_key(context, false, context->facts->path_id);
    keep_confirmation(context, godot_mp_find_earlier(history_of_node(context, &key), context->position->seq));
    key.other = godot_mp_receiver_of(context, false);
    godot_mp_path *entry =
        godot_mp_find_entry(history_of_node(context, &key), context->position->seq, &found->is_later);
    if (!found->is_later) {
        keep_confirmation(context, entry);
        godot_mp_keep_receiver(context->position, &key, entry);
        keep_node(context, entry ? entry->path : NULL);
    }
    found->entry = entry;
}

/* ---- use ---------------------------------------------------------------------------------------------- */

godot_mp_found_path godot_mp_find_path(const godot_mp_context *context, uint32_t id)
{
    godot_mp_found_path found;
    const godot_mp_id_key key = godot_mp_path_key(context, true, id);
    found.entry = godot_mp_find_entry(history_of_id(context, &key), context->position->seq, &found.is_later);
    found.is_first =
        (!found.entry || found.is_later) && godot_mp_keep_first_use(context, GODOT_MP_ID_UNKNOWN_PATHS, &key);
    return found;
}

/* What the called peer, or the one at which a node is spawned, has answered to the path. */
static void find_answer(const godot_mp_context *context)
{
    godot_mp_id_key key = godot_mp_path_key(context, true, context->facts->path_id);
    key.other = godot_mp_receiver_of(context, true);
    const godot_mp_path *entry = godot_mp_find_earlier(history_of_node(context, &key), context->position->seq);
    context->findings->sent = entry;
    context->findings->differs_in = entry ? entry->differs_in : 0;
    if (!context->facts->is_by_path || !godot_mp_has_node_since(context->position, &key, entry))
        context->findings->refusal = godot_mp_find_refusal(context->position, &key, entry);
}

static bool is_confirmed(const godot_mp_path *path, uint32_t seq)
{
    return path->confirmed_seq && path->confirmed_seq <= seq;
}

static void analyze_call(const godot_mp_context *context)
{
    godot_mp_found_path *found = &context->findings->path;
    const godot_mp_id_key key = godot_mp_path_key(context, true, context->facts->path_id);
    if (!context->facts->is_by_path)
        *found = godot_mp_find_path(context, context->facts->path_id);
    else if (context->facts->path)
        found->entry = godot_mp_find_entry(history_of_text(context, &key, context->facts->path), context->position->seq,
                                           &found->is_later);
    if (!context->facts->is_by_path && found->entry && !found->is_later &&
        !is_confirmed(found->entry, context->position->seq))
        context->findings->is_unconfirmed = godot_mp_keep_first_use(context, GODOT_MP_ID_UNKNOWN_PATHS, &key);
    keep_node(context, found->entry && !found->is_later ? found->entry->path : NULL);
    find_answer(context);
}

static void analyze_spawner(const godot_mp_context *context)
{
    context->findings->path = godot_mp_find_path(context, context->facts->path_id);
    find_answer(context);
}

void godot_mp_analyze_paths(const godot_mp_context *context)
{
    const godot_mp_facts *facts = context->facts;
    bool is_call = facts->command == GW_GODOT_MP_CALL || facts->command == GW_GODOT_MP_SET;
    if (is_call && facts->has_path_id)
        analyze_call(context);
    else if (facts->command == GW_GODOT_MP_SIMPLIFY_PATH && facts->defines)
        analyze_definition(context);
    else if (facts->command == GW_GODOT_MP_CONFIRM_PATH && facts->confirms)
        analyze_confirmation(context);
    else if (facts->command == GW_GODOT_MP_SPAWN && facts->has_path_id)
        analyze_spawner(context);
}
