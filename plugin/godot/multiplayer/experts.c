/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The texts of the expert infos that need the analysis, with what the receiver's engine does and prints.
 */
#include "internal.h"

#include "names/internal.h"
#include "relations/internal.h"

#include "common/conversation.h"
#include "godot/variant/variants.h"

static const godot_mp_findings *found(const godot_mp_tree *tree)
{
    return tree->message->findings;
}

static const godot_mp_facts *facts_of(const godot_mp_tree *tree)
{
    return &tree->message->facts;
}

/* A copy repeats no expert info of the first transmission. */
static bool is_copy(const godot_mp_tree *tree)
{
    return tree->message->place.repeated;
}

/* Seconds from the definition of a path id. The receiver confirms it within one round trip if it has the node. */
#define CONFIRMATION_TIME 2

/* ---- what the capture does not have ---------------------------------------------------------------------- */

const char *godot_mp_searched(const godot_mp_tree *tree)
{
    return gw_is_later_pass(tree->pinfo) ? "in the capture" : "so far";
}

static bool has_cut_definition(const godot_mp_tree *tree)
{
    const godot_mp_connection *connection = tree->message->place.connection;
    return connection && connection->has_cut_definition;
}

static void add_no_packet(const godot_mp_tree *tree, proto_item *item, expert_field *expert, const char *does,
                          const char *consequence)
{
    if (is_copy(tree))
        return;
    expert_add_info_format(tree->pinfo, godot_mp_expert_item(tree, item), expert, "No packet %s %s%s%s",
                           godot_mp_searched(tree), does, consequence,
                           has_cut_definition(tree) ? "; definitions were cut short by the capture" : "");
}

void godot_mp_add_unknown(const godot_mp_tree *tree, proto_item *item, expert_field *expert, const char *does)
{
    add_no_packet(tree, item, expert, does, "");
}

void godot_mp_add_not_spawned(const godot_mp_tree *tree, proto_item *item, const godot_mp_found_spawn *spawn,
                              expert_field *expert, const char *does)
{
    if (!spawn->is_first || is_copy(tree))
        return;
    if (spawn->entry)
        expert_add_info_format(tree->pinfo, godot_mp_expert_item(tree, item), &godot_mp_ei.spawned_later,
                               "The net id is spawned later, in frame %u", spawn->entry->frame);
    else
        godot_mp_add_unknown(tree, item, expert, does);
}

/* ---- ids that the receiver does not have ----------------------------------------------------------------- */

/* What a Godot 4 prints (observed). */
static const char *print_of_id(const godot_mp_tree *tree, uint32_t id)
{
    const godot_mp_findings *findings = found(tree);
    if (!findings->has_source)
        return wmem_strdup_printf(tree->pinfo->pool, "ID %u not found in cache", id);
    return wmem_strdup_printf(tree->pinfo->pool, "ID %u not found in cache of peer %d", id, findings->source);
}

/* True if the capture has all earlier messages of the connection, the beginning, and no gap, and the receiver does not wait
 * for authentication. */
static bool has_all(const godot_mp_tree *tree)
{
    const godot_mp_place *place = &tree->message->place;
    return tree->message->transport.client_known && place->connection && !place->connection->gaps[place->side] &&
           !has_cut_definition(tree) && godot_mp_has_played(place, place->side ^ 1U);
}

static const char *consequence_of(const godot_mp_tree *tree, uint32_t id)
{
    if (!has_all(tree))
        return "";
    if (tree->message->reader.generation != GW_GODOT_4)
        return "; the engine drops the message";
    return wmem_strdup_printf(tree->pinfo->pool, "; the engine drops the message, and prints: %s",
                              print_of_id(tree, id));
}

void godot_mp_add_defined_later(const godot_mp_tree *tree, proto_item *item, uint32_t frame, const char *consequence)
{
    if (is_copy(tree))
        return;
    expert_add_info_format(tree->pinfo, godot_mp_expert_item(tree, item), &godot_mp_ei.path_defined_later,
                           "The path id is defined later, in frame %u%s", frame, consequence);
}

void godot_mp_add_undefined(const godot_mp_tree *tree, proto_item *item, const godot_mp_found_path *path, uint32_t id,
                            bool spawner)
{
    if (!path->is_first)
        return;
    if (path->entry)
        godot_mp_add_defined_later(tree, item, path->entry->frame, consequence_of(tree, id));
    else if (spawner)
        add_no_packet(tree, item, &godot_mp_ei.spawn_unknown, "defines the spawner's path id",
                      consequence_of(tree, id));
    else
        add_no_packet(tree, item, &godot_mp_ei.path_unknown, "defines this path id", consequence_of(tree, id));
}

/* ---- paths that the receiver did not confirm ------------------------------------------------------------- */

/* How it is known that the peer received the path. */
static const char *reception_of(const godot_mp_tree *tree, const godot_mp_refusal *refusal)
{
    if (refusal->acknowledged_in)
        return wmem_strdup_printf(tree->pinfo->pool, "acknowledged in frame %u", refusal->acknowledged_in);
    return wmem_strdup_printf(tree->pinfo->pool, "it confirmed a later path in frame %u", refusal->confirmed_in);
}

static const char *did_not_confirm(const godot_mp_tree *tree)
{
    return gw_is_later_pass(tree->pinfo) ? "never confirmed it" : "has not confirmed it so far";
}

/* What the receiver's engine prints (observed). */
static const char *print_of_path(const godot_mp_tree *tree, const godot_mp_path *path)
{
    return wmem_strdup_printf(tree->pinfo->pool, "Node not found: \"%s\"", godot_printable(tree->pinfo, path->path));
}

/* Nothing shows that the receiver has admitted the sender: a peer with an auth_callback drops all messages but those of
 * the authentication, without a word about nodes. `received`, `dropped`, `lacks`: what it received and does. */
static void add_unanswered(const godot_mp_tree *tree, proto_item *item, const char *received, const char *dropped,
                           const char *lacks)
{
    const godot_mp_refusal *refusal = &found(tree)->refusal;
    const char *ended = "";
    if (refusal->timed_out_in)
        ended = wmem_strdup_printf(tree->pinfo->pool, ", until its Disconnect in frame %u,", refusal->timed_out_in);
    expert_add_info_format(tree->pinfo, godot_mp_expert_item(tree, item), &godot_mp_ei.confirmation_missing,
                           "The peer received %s (%s), %s, and has sent no message of the game: it waits for the "
                           "sender's authentication (auth_callback)%s and drops %s, or it has no such %s",
                           received, reception_of(tree, refusal), did_not_confirm(tree), ended, dropped, lacks);
}

static const char *path_of_frame(const godot_mp_tree *tree)
{
    return wmem_strdup_printf(tree->pinfo->pool, "the path of frame %u", found(tree)->refusal.path->frame);
}

void godot_mp_add_refused_definition(const godot_mp_tree *tree, proto_item *item)
{
    const godot_mp_refusal *refusal = &found(tree)->refusal;
    if (!refusal->path || is_copy(tree))
        return;
    if (refusal->is_unanswered)
        add_unanswered(tree, item, "this path", "it", "node");
    else
        expert_add_info_format(tree->pinfo, godot_mp_expert_item(tree, item), &godot_mp_ei.path_refused,
                               "The peer received this path (%s) and %s: it had no such node, and prints: %s",
                               reception_of(tree, refusal), did_not_confirm(tree), print_of_path(tree, refusal->path));
}

/* A node that the peer adds later receives calls by path: from then on nothing is printed. */
void godot_mp_add_refused_call(const godot_mp_tree *tree, proto_item *item)
{
    const godot_mp_refusal *refusal = &found(tree)->refusal;
    bool is_by_path = facts_of(tree)->is_by_path;
    if (!refusal->path || is_copy(tree))
        return;
    if (refusal->is_unanswered)
        add_unanswered(tree, item, path_of_frame(tree), "this call", "node");
    else
        expert_add_info_format(tree->pinfo, godot_mp_expert_item(tree, item), &godot_mp_ei.call_refused,
                               "The called peer had no such node when it received the path of frame %u (%s), and %s; "
                               "%sit prints: %s; Requested node was not found",
                               refusal->path->frame, reception_of(tree, refusal), did_not_confirm(tree),
                               is_by_path ? "unless it has added the node since, " : "",
                               is_by_path ? print_of_path(tree, refusal->path)
                                          : print_of_id(tree, facts_of(tree)->path_id));
}

void godot_mp_add_refused_spawn(const godot_mp_tree *tree, proto_item *item)
{
    const godot_mp_refusal *refusal = &found(tree)->refusal;
    if (!refusal->path || is_copy(tree))
        return;
    if (refusal->is_unanswered)
        add_unanswered(tree, item, path_of_frame(tree), "this spawn", "spawner");
    else
        expert_add_info_format(tree->pinfo, godot_mp_expert_item(tree, item), &godot_mp_ei.spawn_refused,
                               "The peer had no such spawner when it received the path of frame %u (%s), and %s: it "
                               "spawns nothing, and prints: %s",
                               refusal->path->frame, reception_of(tree, refusal), did_not_confirm(tree),
                               print_of_id(tree, facts_of(tree)->path_id));
}

/* ---- synchronizers with two authorities ------------------------------------------------------------------ */

/* What the receivers' engines print was observed. */
void godot_mp_add_rivals(const godot_mp_tree *tree, const godot_mp_found_update *update, proto_item *item)
{
    const godot_mp_rivals *rivals = update->rivals;
    const char *peers = "The peers";
    if (!rivals || is_copy(tree))
        return;
    if (rivals->ids[0] && rivals->ids[1])
        peers = wmem_strdup_printf(tree->pinfo->pool, "%s and %s", godot_mp_peer_text(tree->message, rivals->ids[0]),
                                   godot_mp_peer_text(tree->message, rivals->ids[1]));
    expert_add_info_format(tree->pinfo, godot_mp_expert_item(tree, item), &godot_mp_ei.owners_differ,
                           "%s both send updates of %s, as its authority: each drops the other's, and prints: %s",
                           peers, godot_printable(tree->pinfo, update->path.entry->path),
                           facts_of(tree)->has_time ? "Ignoring sync data from non-authority or for missing node"
                                                    : "Ignoring delta for non-authority or invalid synchronizer");
}

/* ---- advice -------------------------------------------------------------------------------------------- */

static void add(const godot_mp_tree *tree, proto_item *item, expert_field *expert)
{
    if (!is_copy(tree))
        expert_add_info(tree->pinfo, godot_mp_expert_item(tree, item), expert);
}

void godot_mp_add_advice(const godot_mp_tree *tree)
{
    const enet_message *enet = tree->message->carrier->enet;
    if (enet && enet->reassembled && enet->delivery == ENET_UNRELIABLE)
        add(tree, NULL, &godot_mp_ei.unreliable_too_long);
    if (found(tree)->is_one_too_many)
        add(tree, NULL, &godot_mp_ei.reliable_too_many);
}

void godot_mp_add_advice_on_path(const godot_mp_tree *tree, proto_item *item)
{
    const godot_mp_path *entry = found(tree)->sent;
    nstime_t elapsed;
    /* A refusal has an expert info of its own. */
    if (!entry || found(tree)->refusal.path || is_copy(tree) ||
        (entry->confirmed_in && entry->confirmed_in <= tree->pinfo->num))
        return;
    nstime_delta(&elapsed, &tree->pinfo->abs_ts, &entry->time);
    if (elapsed.secs >= CONFIRMATION_TIME)
        add(tree, item, &godot_mp_ei.confirmation_missing);
}

/* ---- the end of an authentication ------------------------------------------------------------------------- */

static void add_timeout(packet_info *pinfo, proto_item *item, const godot_mp_connection *connection, uint8_t side)
{
    if (connection->authenticates[side])
        expert_add_info_format(pinfo, item, &godot_mp_ei.authentication_missing,
                               "3 s after the connection, without an end of the authentication: the auth_timeout of "
                               "SceneMultiplayer");
    else
        expert_add_info_format(pinfo, item, &godot_mp_ei.authentication_missing,
                               "3 s after the connection, by a peer that has confirmed no path and sent no message of "
                               "the game: the auth_timeout of SceneMultiplayer, if this peer has an auth_callback");
}

static void add_disconnect(packet_info *pinfo, proto_item *item, const enet_disconnect *disconnect)
{
    godot_mp_place place = { .conversation = disconnect->conversation,
                             .connection_id = disconnect->connection,
                             .repeated = disconnect->repeated };
    godot_mp_find_place(&place, pinfo);
    if (godot_mp_keep_timeout(&place, disconnect) && !disconnect->repeated)
        add_timeout(pinfo, item, place.connection, place.side);
}

void godot_mp_handoff_experts(void)
{
    enet_register_disconnect(add_disconnect);
}
