/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Paths with an id: their definitions, the confirmations of their receivers, paths that a receiver refused, and the
 * messages that use them.
 *
 * A definition has two histories. Calls with an id find the definition for all peers of the sender; a confirmation or a
 * refusal is that of one peer, and finds the definition for this peer.
 */
#include "internal.h"

#include <stddef.h>

#include "common/archive.h"
#include "common/conversation.h"
#include "enet/enet.h"

/* ---- texts ---------------------------------------------------------------------------------------------- */

/* A text, under which it is in the map of texts. Many connections of one game have the same paths. */
typedef struct numbered_text {
    uint32_t number; /* from 1 */
    char text[];
} numbered_text;

/* The number of the text; 0: no message had it. */
static uint32_t find_text(const char *text)
{
    const numbered_text *entry = wmem_map_lookup(godot_mp_current.texts, text);
    return entry ? entry->number : 0;
}

/* The number of the text, on the first pass; sets `kept` to its copy in file scope. */
static uint32_t keep_text(const char *text, const char **kept)
{
    numbered_text *entry = wmem_map_lookup(godot_mp_current.texts, text);
    if (!entry) {
        const size_t size = strlen(text) + 1;
        entry = gw_archive_alloc(offsetof(numbered_text, text) + size);
        entry->number = wmem_map_size(godot_mp_current.texts) + 1;
        memcpy(entry->text, text, size);
        wmem_map_insert(godot_mp_current.texts, entry->text, entry);
    }
    *kept = entry->text;
    return entry->number;
}

/* ---- keys and histories ---------------------------------------------------------------------------------------- */

/* The definitions of the key's id, over time; NULL: none. */
static godot_mp_history *history_of_id(const godot_mp_context *context, const godot_mp_id_key *key)
{
    return godot_mp_history_of(context, GODOT_MP_ID_PATHS, key);
}

/* The id's key with a path in place of the id, by the number of the path's text. */
static godot_mp_id_key key_of_text(const godot_mp_id_key *key, uint32_t text)
{
    godot_mp_id_key copy = *key;
    copy.id = text;
    return copy;
}

/* The definitions of this path by the key's assigner, whatever ids it gave the path. NULL: none; a path without a
 * number (0) has none in the file. */
static godot_mp_history *history_of_text(const godot_mp_context *context, const godot_mp_id_key *key, const char *path)
{
    const godot_mp_id_key text = key_of_text(key, find_text(path));
    return text.id ? godot_mp_history_of(context, GODOT_MP_ID_PATH_TEXTS, &text) : NULL;
}

/* The definitions of the node of a confirmation or a call: by its path or, if the message has no path, by its id. */
static godot_mp_history *history_of_node(const godot_mp_context *context, const godot_mp_id_key *key)
{
    return context->facts->path ? history_of_text(context, key, context->facts->path) : history_of_id(context, key);
}

/* ---- nodes that are added later -------------------------------------------------------------------------- */

/* A receiver may add a node after it received the path, which it does not confirm then: later calls, which have the
 * full path, arrive. A message about its own node shows that it has the node: a path that it defines, or confirms to
 * any peer, or a call from it. */

typedef struct node_proof {
    struct node_proof *next;
    uint32_t seq; /* of a message */
} node_proof;

/* A node of a peer that has received a definition of its path, with the first proof after each definition. Most nodes
 * have one proof. */
typedef struct defined_node {
    uint32_t defined_seq; /* of the latest definition */
    uint32_t first_proof; /* message; 0: none */
    node_proof *later;    /* the others, the latest one first */
} defined_node;

/* The key of the node at the path of this definition, which `key->other` received. */
static godot_mp_id_key key_of_node(const godot_mp_id_key *key, const godot_mp_path *entry)
{
    return (godot_mp_id_key){ .id = entry->text, .assigner = key->other, .side = key->side ^ 1U };
}

/* On the first pass, stores that this message proves that its sender has a node with this path: a call with the full
 * path that comes later reaches the node, although its definition was not confirmed (find_answer()). Only over ENet,
 * where refusals are found; and only for a path of which a definition was sent to this peer. `text`: the number of the
 * path; 0: none. */
static void keep_node(const godot_mp_context *context, uint32_t text)
{
    const godot_mp_position *position = context->position;
    if (!text || !position->first_pass || !position->enet)
        return;
    const godot_mp_id_key key = { .id = text, .assigner = godot_mp_assigner_of(context, true), .side = position->side };
    defined_node *node = godot_mp_find_by_id(position->connection, GODOT_MP_ID_NODES, &key);
    /* The first proof after each definition is enough. */
    if (!node || (node->later ? node->later->seq : node->first_proof) > node->defined_seq)
        return;
    if (!node->first_proof) {
        node->first_proof = position->seq;
        return;
    }
    node_proof *proof = gw_archive_alloc(sizeof *proof);
    *proof = (node_proof){ .next = node->later, .seq = position->seq };
    node->later = proof;
}

/* True if a message after `after` and before `before` proves that its sender has the node. */
static bool is_proven(const defined_node *node, uint32_t after, uint32_t before)
{
    const node_proof *proof = node->later;
    while (proof && proof->seq >= before)
        proof = proof->next;
    /* The latest proof before `before`. */
    uint32_t latest = proof ? proof->seq : node->first_proof;
    return latest > after && latest < before;
}

/* ---- refusals ------------------------------------------------------------------------------------------- */

/* Paths that their receiver did not confirm, because it has no such node. A Godot 4 confirms each other path at once,
 * on the same reliable channel. That it received the path is known if ENet acknowledged it, or if it confirmed a later
 * one. Only over ENet, whose numbers show that no confirmation is missing in the capture. */

/* The latest path that the receiver `key->other` confirmed; NULL: it has confirmed none. That of the peer at the end of
 * the connection, the only one without relays, is in the connection. */
static godot_mp_confirmed *find_confirmed(const godot_mp_position *position, const godot_mp_id_key *key)
{
    if (!key->assigner && !key->other)
        return &position->connection->confirmed[key->side];
    const godot_mp_id_key all_paths = key_of_text(key, 0);
    return godot_mp_find_by_id(position->connection, GODOT_MP_ID_RECEIVERS, &all_paths);
}

/* The frame in which ENet acknowledged the definition, if another round trip has passed by this message or, after the
 * first pass, if the receiver has sent another datagram so much later; else 0. By then the confirmation, which a
 * receiver sends when it reads the path, would have arrived. A receiver that loads a scene before it reads the path
 * sends nothing. */
static uint32_t find_acknowledgement(const godot_mp_position *position, const godot_mp_path *entry)
{
    const packet_info *pinfo = position->pinfo;
    const nstime_t *latest = &pinfo->abs_ts;
    if (gw_is_later_pass(pinfo))
        latest = position->enet ? position->enet->receiver_latest : NULL;
    nstime_t round_trip_later;
    uint32_t frame = entry->record && latest ? enet_acknowledged_in(entry->record, &round_trip_later) : 0;
    return frame && nstime_cmp(latest, &round_trip_later) >= 0 ? frame : 0;
}

/* The refusal of a path by its receiver `key->other`: the receiver got the definition, as ENet's acknowledgement or the
 * confirmation of a later path shows, and has not confirmed it: in the capture or, on the first pass, so far. No
 * refusal if the confirmation may be missing in the capture, or if one of the two is a Godot 3. is_unanswered: the
 * receiver has sent no message of the game; it may not have admitted the sender yet. `entry` may be NULL. */
static godot_mp_refusal find_refusal(const godot_mp_position *position, const godot_mp_id_key *key,
                                     const godot_mp_path *entry)
{
    const uint8_t receiver = (uint8_t)(key->side ^ 1U);
    godot_mp_refusal refusal = { .path = NULL };
    /* Definitions of Godot 3 have no checksum. After a gap in the capture, the confirmation may have been in it. */
    if (!entry || !entry->script || entry->confirmed_in || position->connection->gaps[receiver] > entry->seq)
        return refusal;
    /* A Godot 3 does not understand the path of a Godot 4, and confirms all paths of a Godot 3. */
    gw_godot_mp_form form = godot_mp_find_proven_form(position, receiver);
    bool has_channels_of_3 = position->enet && position->enet->channel_count == GODOT_MP_CHANNELS_3;
    if (form == GW_GODOT_MP_FORMS ? has_channels_of_3 : gw_godot_mp_generation(form) == GW_GODOT_3)
        return refusal;

    /* `played` is that of the peer at the end, whose `other` is 0. */
    const godot_mp_confirmed *confirmed = find_confirmed(position, key);
    refusal.acknowledged_in = find_acknowledgement(position, entry);
    refusal.confirmed_in = confirmed && confirmed->seq > entry->seq ? confirmed->frame : 0;
    refusal.path = refusal.acknowledged_in || refusal.confirmed_in ? entry : NULL;
    refusal.is_unanswered = !key->other && !position->connection->played[receiver];
    refusal.timed_out_in = position->connection->timed_out_in[receiver];
    return refusal;
}

/* ---- definitions -------------------------------------------------------------------------------------- */

/* The script with this checksum, on the first pass; `path` is that of its first node if it is new. */
static const godot_mp_script *keep_script(const char *checksum, const char *path)
{
    godot_mp_script *script = wmem_map_lookup(godot_mp_current.scripts, checksum);
    if (!script) {
        script = gw_archive_alloc(sizeof *script);
        script->first_path = path;
        script->checksum = gw_archive_text(checksum);
        wmem_map_insert(godot_mp_current.scripts, script->checksum, script);
    }
    return script;
}

/* The latest definition with this key: of the id for all receivers, or for one. On the first pass, stores the message's
 * definition by its id and by its path, unless it repeats the previous one, and its script. `for_all`: the latest
 * definition for all receivers; if it is of this message, it is also stored as the one for the receiver. NULL: none. */
static godot_mp_path *keep_definition(const godot_mp_context *context, const godot_mp_id_key *key,
                                      godot_mp_path *for_all)
{
    const godot_mp_position *position = context->position;
    const godot_mp_facts *facts = context->facts;
    godot_mp_path *before = godot_mp_find_earlier(history_of_id(context, key), position->seq);
    if (!position->first_pass || (before && !strcmp(before->path, facts->path)))
        return before;
    /* ENet's acknowledgement is that of the peer at the other end, not of one that the server relays to. */
    bool is_for_other_end = !key->other && !(facts->is_relayed && context->findings->server == GODOT_MP_NO_SIDE);
    bool is_new = !for_all || for_all->seq != position->seq;
    godot_mp_path *entry = is_new ? gw_archive_alloc(sizeof *entry) : for_all;
    entry->text = keep_text(facts->path, &entry->path);
    entry->script = facts->checksum ? keep_script(facts->checksum, entry->path) : NULL;
    entry->frame = position->pinfo->num;
    entry->seq = position->seq;
    entry->time = gw_nanoseconds(&position->pinfo->abs_ts);
    entry->record = is_for_other_end && position->enet ? position->enet->record : 0;
    const godot_mp_id_key text = key_of_text(key, entry->text);
    godot_mp_keep_entry(godot_mp_obtain_history(context, GODOT_MP_ID_PATHS, key), entry);
    godot_mp_keep_entry(godot_mp_obtain_history(context, GODOT_MP_ID_PATH_TEXTS, &text), entry);
    return entry;
}

/* Sets the path that the message defines, the path that had the id before, and whether the receiver refused the path.
 * On the first pass, stores the definition, that its receiver got the path, and that its sender has the node. */
static void analyze_definition(const godot_mp_context *context)
{
    const godot_mp_position *position = context->position;
    godot_mp_findings *findings = context->findings;
    const char *path = context->facts->path;
    godot_mp_id_key key = godot_mp_path_key(context, true, context->facts->path_id);
    const godot_mp_path *before = godot_mp_find_before(context, history_of_id(context, &key));
    findings->replaced = before && strcmp(before->path, path) != 0 ? before : NULL;

    /* For all peers of the sender; then for the receiver. */
    godot_mp_path *for_all = keep_definition(context, &key, NULL);
    key.other = godot_mp_receiver_of(context, true);
    findings->definition = keep_definition(context, &key, for_all);

    /* The receiver's node, where refusals are found: over ENet, in Godot 4, whose definitions have a checksum. */
    const godot_mp_path *entry = findings->definition;
    if (position->first_pass && position->enet && entry && entry->script) {
        const godot_mp_id_key received = key_of_node(&key, entry);
        defined_node *node = godot_mp_find_by_id(position->connection, GODOT_MP_ID_NODES, &received);
        if (!node)
            node = godot_mp_keep_by_id(position->connection, GODOT_MP_ID_NODES, &received, sizeof *node);
        node->defined_seq = position->seq;
    }
    keep_node(context, entry ? entry->text : 0);
    findings->refusal = find_refusal(position, &key, entry);
}

/* ---- confirmations ------------------------------------------------------------------------------------ */

/* On the first pass, stores the first confirmation by any receiver of the definition for all. `entry` may be NULL. */
static void keep_any_confirmation(const godot_mp_position *position, godot_mp_path *entry)
{
    if (!entry || !position->first_pass || entry->any_confirmed_in)
        return;
    entry->any_confirmed_in = position->pinfo->num;
    entry->any_confirmed_seq = position->seq;
}

/* On the first pass, stores the first confirmation of the definition for one receiver, and the first one with other
 * methods. */
static void keep_confirmation(const godot_mp_context *context, godot_mp_path *entry)
{
    const godot_mp_position *position = context->position;
    if (!position->first_pass)
        return;
    if (context->facts->differs && !entry->differs_in)
        entry->differs_in = position->pinfo->num;
    if (entry->confirmed_in)
        return;
    entry->confirmed_in = position->pinfo->num;
    entry->confirmed_at = gw_nanoseconds(&position->pinfo->abs_ts);
}

/* Sets the definition that the message confirms, and stores the confirmation at both definitions: calls by id need one
 * that any peer has confirmed, refusals that of this peer. Over ENet, also stores the latest definition that this peer
 * has confirmed: those that were sent before it have arrived, too. */
static void analyze_confirmation(const godot_mp_context *context)
{
    const godot_mp_position *position = context->position;
    godot_mp_found_path *path = &context->findings->path;
    godot_mp_id_key key = godot_mp_path_key(context, false, context->facts->path_id);
    godot_mp_path *for_all_peers = godot_mp_find_earlier(history_of_node(context, &key), position->seq);
    key.other = godot_mp_receiver_of(context, false);
    godot_mp_path *for_this_peer = godot_mp_find_entry(history_of_node(context, &key), position->seq, &path->is_later);

    path->entry = for_this_peer;
    keep_any_confirmation(position, for_all_peers);
    if (path->is_later || !for_this_peer)
        return;
    keep_confirmation(context, for_this_peer);
    keep_node(context, for_this_peer->text);

    /* The receiver has the paths that were sent to it before this one, too. */
    if (!position->first_pass || !position->enet)
        return;
    godot_mp_confirmed *latest = find_confirmed(position, &key);
    if (!latest) {
        const godot_mp_id_key all_paths = key_of_text(&key, 0);
        latest = godot_mp_keep_by_id(position->connection, GODOT_MP_ID_RECEIVERS, &all_paths, sizeof *latest);
    }
    if (for_this_peer->seq > latest->seq)
        *latest = (godot_mp_confirmed){ for_this_peer->seq, position->pinfo->num };
}

/* ---- use ---------------------------------------------------------------------------------------------- */

/* The path of an id that the sender of this message uses, by its definition for all receivers. is_first: the id has no
 * definition before this message, and this is the first frame that uses it so: only that frame gets an expert info. */
godot_mp_found_path godot_mp_find_path(const godot_mp_context *context, uint32_t id)
{
    godot_mp_found_path path;
    const godot_mp_id_key key = godot_mp_path_key(context, true, id);
    path.entry = godot_mp_find_entry(history_of_id(context, &key), context->position->seq, &path.is_later);
    path.is_first = (!path.entry || path.is_later) && godot_mp_keep_first_use(context, GODOT_MP_ID_PATHS, &key);
    return path;
}

/* Sets the answer to the path by the called peer, or by the one at which a node is spawned: the definition for this
 * peer (`sent`), the frame in which it confirmed other methods of its node (differs_in), and its refusal: the
 * definition arrived, and it did not confirm it. A call with the full path is not refused if the peer has shown since
 * that it has the node. */
static void find_answer(const godot_mp_context *context)
{
    const godot_mp_position *position = context->position;
    godot_mp_id_key key = godot_mp_path_key(context, true, context->facts->path_id);
    key.other = godot_mp_receiver_of(context, true);
    const godot_mp_path *entry = godot_mp_find_earlier(history_of_node(context, &key), position->seq);
    context->findings->sent = entry;
    context->findings->differs_in = entry ? entry->differs_in : 0;

    /* A call with the full path reaches a node that was added after the definition. */
    if (context->facts->is_by_path && entry) {
        const godot_mp_id_key received = key_of_node(&key, entry);
        const defined_node *node = godot_mp_find_by_id(position->connection, GODOT_MP_ID_NODES, &received);
        if (node && is_proven(node, entry->seq, position->seq))
            return;
    }
    context->findings->refusal = find_refusal(position, &key, entry);
}

/* Sets the path of the called node, by the full path of the call or by its id, whether the id was confirmed by any peer
 * before, and what the called peer has answered. */
static void analyze_call(const godot_mp_context *context)
{
    const godot_mp_facts *facts = context->facts;
    const uint32_t seq = context->position->seq;
    godot_mp_found_path *path = &context->findings->path;
    const godot_mp_id_key key = godot_mp_path_key(context, true, facts->path_id);
    if (!facts->is_by_path)
        *path = godot_mp_find_path(context, facts->path_id);
    else if (facts->path)
        path->entry = godot_mp_find_entry(history_of_text(context, &key, facts->path), seq, &path->is_later);

    const godot_mp_path *entry = path->is_later ? NULL : path->entry;
    bool is_confirmed = entry && entry->any_confirmed_seq && entry->any_confirmed_seq <= seq;
    /* As for an undefined id, one expert info for each id: in the first frame that uses it. */
    if (!facts->is_by_path && entry && !is_confirmed)
        context->findings->is_unconfirmed = godot_mp_keep_first_use(context, GODOT_MP_ID_PATHS, &key);
    keep_node(context, entry ? entry->text : 0);
    find_answer(context);
}

/* Sets the path of a call, definition, confirmation or spawn, and its answers. On the first pass, stores them, and
 * whether messages are missing that would be an answer or a definition. */
void godot_mp_analyze_paths(const godot_mp_context *context)
{
    const godot_mp_position *position = context->position;
    const godot_mp_facts *facts = context->facts;
    const uint8_t command = facts->command;
    /* A confirmation that is unreadable, or missing in a gap before this message, may be that of any path before it. */
    if (position->first_pass) {
        bool is_unreadable = command == GW_GODOT_MP_CONFIRM_PATH && !facts->confirms;
        bool lacks_definition = (command == GW_GODOT_MP_SIMPLIFY_PATH && !facts->defines) ||
                                (command == GW_GODOT_MP_SPAWN && !facts->spawns);
        if ((position->enet && position->enet->after_gap) || is_unreadable)
            position->connection->gaps[position->side] = position->seq;
        if (facts->is_cut && lacks_definition)
            position->connection->has_cut_definition = true;
    }

    if ((command == GW_GODOT_MP_CALL || command == GW_GODOT_MP_SET) && facts->has_path_id) {
        analyze_call(context);
    } else if (command == GW_GODOT_MP_SIMPLIFY_PATH && facts->defines) {
        analyze_definition(context);
    } else if (command == GW_GODOT_MP_CONFIRM_PATH && facts->confirms) {
        analyze_confirmation(context);
    } else if (command == GW_GODOT_MP_SPAWN && facts->has_path_id) { /* the spawner's id */
        context->findings->path = godot_mp_find_path(context, facts->path_id);
        find_answer(context);
    }
}
