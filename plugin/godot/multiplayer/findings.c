/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds the findings of the analysis below the ids of a packet: links, names, and expert infos on how the receiver's
 * engine reacts and on its messages, as observed.
 */
#include "internal.h"

#include "names/internal.h"
#include "relations/internal.h"

#include "common/archive.h"
#include "common/conversation.h"
#include "common/display/demand.h"
#include "common/findings.h"
#include "common/items.h"

/* From the definition of a path id. The receiver confirms it within one round trip if it has the node. */
#define CONFIRMATION_TIME (2 * GW_NANOSECONDS)

/* ---- items --------------------------------------------------------------------------------------------- */

/* Adds a generated text; nothing if it is NULL. */
static void add_text(const godot_mp_tree *tree, proto_tree *parent, int hf, const char *text)
{
    if (text && tree->is_wanted)
        proto_item_set_generated(proto_tree_add_string(parent, hf, NULL, 0, 0, gw_field_text(tree->pinfo->pool, text)));
}

/* Adds a link to the frame; nothing if it is 0. */
static void add_frame(const godot_mp_tree *tree, proto_tree *parent, int hf, uint32_t frame)
{
    if (tree->is_wanted)
        gw_add_frame_link(parent, hf, frame);
}

/* Adds the time from an earlier packet to this one, but not to a copy of a message: the receiver used the first one. */
static void add_time_since(const godot_mp_tree *tree, proto_tree *parent, int hf, int64_t earlier)
{
    const nstime_t time = gw_time_of(earlier);
    if (tree->is_wanted && !tree->message->position.repeated)
        gw_add_time_between(parent, hf, &tree->pinfo->abs_ts, &time);
}

/* Adds the name, unless it is NULL, at the end of the item's label. */
static void append_name(const godot_mp_tree *tree, proto_item *item, const char *name)
{
    if (name && tree->is_wanted)
        gw_append_text(item, " (%s)", name);
}

/* ---- expert infos -------------------------------------------------------------------------------------- */

/* Adds the expert info to the item, but not to a copy of a message: the first transmission has it. */
static void add_expert(const godot_mp_tree *tree, proto_item *item, expert_field *expert)
{
    if (!tree->message->position.repeated)
        gw_add_finding(tree->pinfo, godot_mp_expert_item(tree, item), expert);
}

/* The same, with a text of its own. */
G_GNUC_PRINTF(4, 5)
static void add_expert_text(const godot_mp_tree *tree, proto_item *item, expert_field *expert, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!tree->message->position.repeated)
        gw_add_finding_format(tree->pinfo, godot_mp_expert_item(tree, item), expert, "%s",
                              wmem_strdup_vprintf(tree->pinfo->pool, format, arguments));
    va_end(arguments);
}

/* The words for the packets that were searched without result: on the first pass, a later packet may still match. */
static const char *extent_of_search(const godot_mp_tree *tree)
{
    return gw_is_later_pass(tree->pinfo) ? "in the capture" : "so far";
}

/* Reports "No packet in the capture requested this confirmation" (`action`: from "requested" on), and `consequence`. */
static void add_unseen(const godot_mp_tree *tree, proto_item *item, expert_field *expert, const char *action,
                       const char *consequence)
{
    const godot_mp_connection *connection = tree->message->position.connection;
    add_expert_text(tree, item, expert, "No packet %s %s%s%s", extent_of_search(tree), action, consequence,
                    connection && connection->has_cut_definition ? "; definitions were cut short by the capture" : "");
}

/* What a receiver of Godot 4 prints about a path id that it does not know. */
static const char *printed_of_unknown_id(const godot_mp_tree *tree, uint32_t id)
{
    const godot_mp_findings *findings = tree->message->findings;
    return findings->has_source
               ? wmem_strdup_printf(tree->pinfo->pool, "ID %u not found in cache of peer %d", id, findings->source)
               : wmem_strdup_printf(tree->pinfo->pool, "ID %u not found in cache", id);
}

/* Reports that the path id is not defined before the message. One expert info for each id in a connection, in the frame
 * that uses it first: if the capture began late, most messages use such ids. */
static void add_undefined(const godot_mp_tree *tree, proto_item *item, const godot_mp_found_path *path, uint32_t id,
                          bool is_spawner)
{
    const godot_mp_position *position = &tree->message->position;
    const char *consequence = "";
    if (!path->is_first)
        return;
    /* The receiver does not have the id either, if the capture has all earlier messages of the connection: its
     * beginning (client_known), no gap; and if the receiver has admitted the sender, since it has sent messages of the
     * game (played). */
    if (tree->message->transport.client_known && position->connection && !position->connection->gaps[position->side] &&
        !position->connection->has_cut_definition && position->connection->played[position->side ^ 1U])
        consequence = tree->message->reader.generation != GW_GODOT_4
                          ? "; the engine drops the message"
                          : wmem_strdup_printf(tree->pinfo->pool, "; the engine drops the message, and prints: %s",
                                               printed_of_unknown_id(tree, id));
    if (path->entry)
        add_expert_text(tree, item, &godot_mp_ei.path_defined_later, "The path id is defined later, in frame %u%s",
                        path->entry->frame, consequence);
    else if (is_spawner)
        add_unseen(tree, item, &godot_mp_ei.spawn_unknown, "defines the spawner's path id", consequence);
    else
        add_unseen(tree, item, &godot_mp_ei.path_unknown, "defines this path id", consequence);
}

/* Reports that no node with the net id is spawned before the message: one expert info for each id, in its first frame.
 * `expert` and `action` (of add_unseen()): if no packet after the message spawns it either. */
static void add_not_spawned(const godot_mp_tree *tree, proto_item *item, const godot_mp_found_spawn *spawn,
                            expert_field *expert, const char *action)
{
    if (spawn->is_first && spawn->entry)
        add_expert_text(tree, item, &godot_mp_ei.spawned_later, "The net id is spawned later, in frame %u",
                        spawn->entry->frame);
    else if (spawn->is_first)
        add_unseen(tree, item, expert, action, "");
}

/* The text, within a sentence, for the peer that sent the message: of a relayed one, the client that sent it first. */
static const char *sender_of(const godot_mp_tree *tree)
{
    const char *sender = godot_mp_from(tree->message, GODOT_MP_IN_SENTENCE);
    return sender ? sender : "the sender";
}

/* The one peer that receives the message: of a message for several peers, the peer at the end of the connection. NULL:
 * not known. */
static const char *receiver_of(const godot_mp_message *message, godot_mp_peer_use use)
{
    const godot_mp_findings *findings = message->findings;
    if (findings->has_target && findings->target > 0)
        return godot_mp_peer_text(message, findings->target, use);
    /* Without such a target, a relayed message is for several peers, or its receiver is not known. */
    bool is_receiver_known = !message->facts.is_relayed && findings->receiver.id >= GW_GODOT_MP_SERVER;
    return is_receiver_known ? godot_mp_peer_text(message, findings->receiver.id, use) : NULL;
}

/* The same peer within a sentence; `unknown` if it is not known. */
static const char *receiver_or(const godot_mp_tree *tree, const char *unknown)
{
    const char *text = receiver_of(tree->message, GODOT_MP_IN_SENTENCE);
    return text ? text : unknown;
}

/* Reports that the receiver has no node with the path that the message defines, calls, or uses as spawner, and the
 * evidence. Links ENet's acknowledgement of the path. */
static void add_refusal(const godot_mp_tree *tree, proto_item *item)
{
    const godot_mp_refusal *refusal = &tree->message->findings->refusal;
    const godot_mp_facts *facts = &tree->message->facts;
    wmem_allocator_t *pool = tree->pinfo->pool;
    bool defines = facts->command == GW_GODOT_MP_SIMPLIFY_PATH, spawns = facts->command == GW_GODOT_MP_SPAWN;
    if (!refusal->path)
        return;
    add_frame(tree, godot_mp_below(item), godot_mp_hf.path_acknowledged_in, refusal->acknowledged_in);
    const char *evidence = /* that the receiver has received the path */
        refusal->acknowledged_in
            ? wmem_strdup_printf(pool, "acknowledged in frame %u", refusal->acknowledged_in)
            : wmem_strdup_printf(pool, "it confirmed a later path in frame %u", refusal->confirmed_in);
    const char *peer = receiver_of(tree->message, GODOT_MP_IN_COLUMN);
    const char *receiver = peer ? wmem_strdup_printf(pool, "The peer (%s)", peer) : "The peer";
    const char *unconfirmed = gw_is_later_pass(tree->pinfo) ? "never confirmed it" : "has not confirmed it so far";
    const char *no_node =
        wmem_strdup_printf(pool, "Node not found: \"%s\"", godot_printable(tree->pinfo, refusal->path->path));
    if (refusal->is_unanswered) {
        /* A peer with an auth_callback drops all but the authentication's messages until it admits the sender. */
        const char *path = wmem_strdup_printf(pool, "the path of frame %u", refusal->path->frame);
        const char *dropped = defines ? "it" : spawns ? "this spawn" : "this call";
        const char *ended = refusal->timed_out_in
                                ? wmem_strdup_printf(pool, ", until its Disconnect in frame %u,", refusal->timed_out_in)
                                : "";
        add_expert_text(tree, item, &godot_mp_ei.confirmation_missing,
                        "%s received %s (%s), %s, and has sent no message of the game: it waits for the sender's "
                        "authentication (auth_callback)%s and drops %s, or it has no such %s",
                        receiver, defines ? "this path" : path, evidence, unconfirmed, ended, dropped,
                        spawns ? "spawner" : "node");
    } else if (defines) {
        add_expert_text(tree, item, &godot_mp_ei.path_refused,
                        "%s received this path (%s) and %s: it had no such node, and prints: %s", receiver, evidence,
                        unconfirmed, no_node);
    } else if (spawns) {
        add_expert_text(tree, item, &godot_mp_ei.spawn_refused,
                        "%s had no such spawner when it received the path of frame %u (%s), and %s: it spawns "
                        "nothing, and prints: %s",
                        receiver, refusal->path->frame, evidence, unconfirmed,
                        printed_of_unknown_id(tree, facts->path_id));
    } else {
        /* A node that the peer adds later receives calls by path: from then on nothing is printed. */
        add_expert_text(tree, item, &godot_mp_ei.call_refused,
                        "%s had no such node when it received the path of frame %u (%s), and %s; %sit "
                        "prints: %s; Requested node was not found",
                        receiver, refusal->path->frame, evidence, unconfirmed,
                        facts->is_by_path ? "unless it has added the node since, " : "",
                        facts->is_by_path ? no_node : printed_of_unknown_id(tree, facts->path_id));
    }
}

/* ---- calls --------------------------------------------------------------------------------------------- */

/* Adds the called node: its path's definition, and whether the receiver has it. `item`: of the path's offset or id. */
static void add_node(const godot_mp_tree *tree, proto_item *item)
{
    const godot_mp_findings *findings = tree->message->findings;
    const godot_mp_path *entry = findings->path.entry, *sent = findings->sent;
    if (tree->message->facts.is_by_path) {
        if (entry)
            add_frame(tree, godot_mp_below(item), godot_mp_hf.rpc_path_defined_in, entry->frame);
        add_expert(tree, item, &godot_mp_ei.path_by_name);
        /* The sender uses the full path until the receiver confirms the id (`sent`: its definition). A refusal has an
         * expert info of its own. */
        bool is_confirmed = sent && sent->confirmed_in && sent->confirmed_in <= tree->pinfo->num;
        if (sent && !is_confirmed && !findings->refusal.path &&
            gw_nanoseconds(&tree->pinfo->abs_ts) - sent->time >= CONFIRMATION_TIME)
            add_expert_text(tree, item, &godot_mp_ei.confirmation_missing,
                            "The full path is still sent over 2 s after its id was defined, which %s did not confirm: "
                            "add or spawn the node on all peers before it is used",
                            receiver_or(tree, "the receiver"));
    } else {
        add_undefined(tree, item, &findings->path, tree->message->facts.path_id, false);
        if (entry) {
            gw_append_text(item, " (%s)", godot_printable(tree->pinfo, entry->path));
            add_text(tree, godot_mp_below(item), godot_mp_hf.rpc_path, entry->path);
            add_frame(tree, godot_mp_below(item), godot_mp_hf.rpc_path_defined_in, entry->frame);
        }
        if (entry && findings->is_unconfirmed && entry->any_confirmed_in)
            add_expert_text(tree, item, &godot_mp_ei.path_unconfirmed,
                            "The path id is used before it was confirmed, in frame %u", entry->any_confirmed_in);
        else if (entry && findings->is_unconfirmed)
            add_expert_text(tree, item, &godot_mp_ei.path_unconfirmed, "No packet %s confirms this path id",
                            extent_of_search(tree));
    }
    if (findings->differs_in) {
        add_frame(tree, godot_mp_below(item), godot_mp_hf.rpc_differs_in, findings->differs_in);
        add_expert_text(tree, item, &godot_mp_ei.methods_differ,
                        "The node of %s has other RPC methods: the call may fail or reach another method",
                        receiver_or(tree, "the called peer"));
    }
    add_refusal(tree, item);
}

/* Adds the name of the method of a call in Godot 4, which sends its number, and the script that has it; or reports that
 * the script with the path's checksum has no such method. `item`: of the number. */
static void add_method(const godot_mp_tree *tree, const gw_godot_mp_event *event, proto_item *item)
{
    if (tree->method && tree->is_wanted) {
        gw_append_text(item, " (%s)", tree->method);
        proto_item *method =
            gw_add_text(godot_mp_below(item), godot_mp_hf.rpc_method, tree->tvb, event->payload, tree->method);
        proto_item_set_generated(method);
        gw_append_text(method, " (proven by the checksum)");
        add_text(tree, godot_mp_below(method), godot_mp_hf.rpc_method_from, tree->script ? tree->script->name : NULL);
    } else if (!tree->method && tree->script) {
        add_expert_text(tree, item, &godot_mp_ei.method_unknown,
                        "%s, whose methods have the checksum of this path, has no RPC method %u", tree->script->name,
                        tree->message->facts.method_id);
    }
}

/* ---- paths --------------------------------------------------------------------------------------------- */

/* Adds the confirmation of the defined path or reports why there is none; reports a path that had the id. `item`: of
 * the path. */
static void add_definition(const godot_mp_tree *tree, proto_item *item)
{
    const godot_mp_path *entry = tree->message->findings->definition;
    const godot_mp_path *replaced = tree->message->findings->replaced;
    if (entry && entry->confirmed_in && tree->is_wanted) {
        gw_add_frame_link(godot_mp_below(item), godot_mp_hf.path_confirmed_in, entry->confirmed_in);
        const nstime_t defined = gw_time_of(entry->time), confirmed = gw_time_of(entry->confirmed_at);
        gw_add_time_between(godot_mp_below(item), godot_mp_hf.path_confirm_time, &confirmed, &defined);
    }
    add_refusal(tree, item);
    if (replaced)
        add_expert_text(tree, item, &godot_mp_ei.path_redefined, "The path id was %s before (frame %u)",
                        godot_printable(tree->pinfo, replaced->path), replaced->frame);
}

/* Links the definition that this message confirms, or reports that there is none. `item`: of the path's id or, in a
 * confirmation before Godot 4.3, of the path. */
static void add_confirmation(const godot_mp_tree *tree, proto_item *item)
{
    const godot_mp_path *entry = tree->message->findings->path.entry;
    if (!entry) {
        add_unseen(tree, item, &godot_mp_ei.confirmation_unasked, "requested this confirmation", "");
        return;
    }
    if (!tree->message->facts.path)
        add_text(tree, godot_mp_below(item), godot_mp_hf.path_path, entry->path);
    add_frame(tree, godot_mp_below(item), godot_mp_hf.path_defined_in, entry->frame);
    if (tree->message->findings->path.is_later)
        add_expert_text(tree, item, &godot_mp_ei.path_defined_later, "The path id is defined later, in frame %u",
                        entry->frame);
    else
        add_time_since(tree, godot_mp_below(item), godot_mp_hf.path_confirm_time, entry->time);
}

/* Reports that, by this confirmation, the methods of the two nodes have different checksums. */
static void add_different_methods(const godot_mp_tree *tree, proto_item *item)
{
    add_expert_text(tree, item, &godot_mp_ei.checksum_differs,
                    "The RPC methods of this node differ between %s and %s: calls between them may fail or reach other "
                    "methods",
                    sender_of(tree), receiver_or(tree, "the receiver"));
}

/* ---- spawned nodes ------------------------------------------------------------------------------------- */

/* Adds the spawner: its path, and whether the receiver has it. `item`: of its path id. */
static void add_spawner(const godot_mp_tree *tree, proto_item *item)
{
    const godot_mp_found_path *path = &tree->message->findings->path;
    add_undefined(tree, item, path, tree->message->facts.path_id, true);
    add_refusal(tree, item);
    if (!path->entry)
        return;
    gw_append_text(item, " (%s)", godot_printable(tree->pinfo, path->entry->path));
    add_text(tree, godot_mp_below(item), godot_mp_hf.spawn_spawner_path, path->entry->path);
    add_frame(tree, godot_mp_below(item), godot_mp_hf.rpc_path_defined_in, path->entry->frame);
}

/* Links the despawn of the spawned node; reports a net id in use, and a client that spawns. `item`: of the net id. */
static void add_spawned(const godot_mp_tree *tree, proto_item *item)
{
    const godot_mp_findings *findings = tree->message->findings;
    /* A spawn is analyzed only if it was read completely. */
    if (!tree->message->facts.spawns)
        return;
    if (findings->in_use)
        add_expert_text(tree, item, &godot_mp_ei.spawn_again,
                        "The net id is in use by %s (frame %u), which no packet despawned",
                        godot_quoted(tree->pinfo, findings->in_use->name), findings->in_use->frame);
    if (findings->spawn.entry && !findings->spawn.is_later)
        add_frame(tree, godot_mp_below(item), godot_mp_hf.spawn_despawned_in, findings->spawn.entry->despawned_in);
    if (findings->has_source && findings->source != GW_GODOT_MP_SERVER)
        add_expert_text(tree, item, &godot_mp_ei.spawn_by_client,
                        "Spawned by %s, which must be the spawner's authority",
                        godot_mp_peer_text(tree->message, findings->source, GODOT_MP_IN_SENTENCE));
}

/* Adds the name and the spawn of the despawned node. `item`: of the net id. */
static void add_despawned(const godot_mp_tree *tree, proto_item *item)
{
    const godot_mp_found_spawn *spawn = &tree->message->findings->spawn;
    add_not_spawned(tree, item, spawn, &godot_mp_ei.despawn_unknown, "spawned this net id");
    if (!spawn->entry || spawn->is_later)
        return;
    add_text(tree, godot_mp_below(item), godot_mp_hf.spawn_name, spawn->entry->name);
    add_frame(tree, godot_mp_below(item), godot_mp_hf.spawn_spawned_in, spawn->entry->frame);
    add_time_since(tree, godot_mp_below(item), godot_mp_hf.spawn_lifetime, spawn->entry->time);
}

/* ---- syncs --------------------------------------------------------------------------------------------- */

/* Links the previous sync of the same sender for the same receiver, and reports a sync that is late. `item`: of the
 * sync's time, a count of frames. */
static void add_sync_time(const godot_mp_tree *tree, proto_item *item)
{
    const godot_mp_sync *sync = &tree->message->findings->sync;
    if (!sync->previous)
        return;
    add_frame(tree, godot_mp_below(item), godot_mp_hf.sync_previous, sync->previous);
    if (tree->is_wanted) {
        proto_tree *parent = godot_mp_below(item);
        proto_item_set_generated(proto_tree_add_uint(parent, godot_mp_hf.sync_ahead, NULL, 0, 0, sync->ahead));
        proto_item_set_generated(proto_tree_add_time(parent, godot_mp_hf.sync_interval, NULL, 0, 0, &sync->interval));
    }
    if (sync->is_late)
        add_expert(tree, item, &godot_mp_ei.sync_out_of_order);
}

/* Seconds with three decimals; printf would use the decimal point of the locale. */
static const char *text_of_time(wmem_allocator_t *pool, const nstime_t *time)
{
    uint64_t milliseconds = (uint64_t)time->secs * 1000 + ((uint64_t)time->nsecs + 500000) / 1000000;
    return wmem_strdup_printf(pool, "%" PRIu64 ".%03u", milliseconds / 1000, (unsigned)(milliseconds % 1000));
}

/* Links the previous update of the synchronizer for the same receiver, and reports an update that is late. `item`: of
 * the net id. */
static void add_interval(const godot_mp_tree *tree, const godot_mp_interval *interval, proto_item *item)
{
    if (!interval->previous)
        return;
    add_frame(tree, godot_mp_below(item), godot_mp_hf.sync_update_previous, interval->previous);
    if (tree->is_wanted)
        proto_item_set_generated(
            proto_tree_add_time(godot_mp_below(item), godot_mp_hf.sync_update_interval, NULL, 0, 0, &interval->length));
    if (interval->is_late)
        add_expert_text(tree, item, &godot_mp_ei.sync_update_late,
                        "%s s since the previous update of the synchronizer by %s, usually at most %s s",
                        text_of_time(tree->pinfo->pool, &interval->length), sender_of(tree),
                        text_of_time(tree->pinfo->pool, &interval->usual));
}

/* Warns that two peers send updates of the synchronizer. Only a synchronizer with a known path has rivals:
 * `update->path.entry` is not NULL then. */
static void add_rivals(const godot_mp_tree *tree, const godot_mp_found_update *update, proto_item *item)
{
    const godot_mp_rivals *rivals = update->rivals;
    const godot_mp_message *message = tree->message;
    const char *peers = "The peers both";
    if (!rivals)
        return;
    if (rivals->ids[0] && rivals->ids[1])
        peers = wmem_strdup_printf(tree->pinfo->pool, "Both %s and %s",
                                   godot_mp_peer_text(message, rivals->ids[0], GODOT_MP_IN_SENTENCE),
                                   godot_mp_peer_text(message, rivals->ids[1], GODOT_MP_IN_SENTENCE));
    add_expert_text(tree, item, &godot_mp_ei.owners_differ,
                    "%s send updates of %s, as its authority: each drops the other's, and prints: %s", peers,
                    godot_printable(tree->pinfo, update->path.entry->path),
                    message->facts.has_time ? "Ignoring sync data from non-authority or for missing node"
                                            : "Ignoring delta for non-authority or invalid synchronizer");
}

/* Adds what is known of the update of one synchronizer: the packet that defines its net id, or that none does; its
 * path; the update before; and another peer that sends updates of it. A net id with the bit GW_GODOT_MP_PATH_NET_ID is
 * the id of the synchronizer's path, any other one is of a spawned node. `item`: of the net id. `label`: text for the
 * update's item; NULL: none. */
static void add_synchronizer(const godot_mp_tree *tree, const gw_godot_mp_event *event, proto_item *item,
                             const char *label)
{
    const godot_mp_found_update *update = godot_mp_update_at(tree, tree->update);
    const godot_mp_found_spawn *spawn = &update->spawn;
    uint32_t net_id = (uint32_t)event->number;
    if (net_id & GW_GODOT_MP_PATH_NET_ID) {
        add_undefined(tree, item, &update->path, net_id & ~GW_GODOT_MP_PATH_NET_ID, false);
        if (update->path.entry)
            add_frame(tree, godot_mp_below(item), godot_mp_hf.sync_defined_in, update->path.entry->frame);
    } else if (spawn->entry || !spawn->is_uncertain) {
        add_not_spawned(tree, item, spawn, &godot_mp_ei.sync_unknown, "spawned a node with this net id");
        if (spawn->entry)
            add_frame(tree, godot_mp_below(item), godot_mp_hf.sync_defined_in, spawn->entry->frame);
    } else if (spawn->is_first) {
        /* The first use of this net id, which may be of a synchronizer that was not stored: "not spawned" may be
         * wrong. */
        add_expert_text(tree, item, &godot_mp_ei.sync_unknown,
                        "The node is not known: a spawn has more than %u synchronizers, which are not all stored",
                        GW_MOST_IDS);
    }
    if (tree->is_wanted)
        add_text(tree, godot_mp_below(item), godot_mp_hf.sync_path, godot_mp_path_of_update(tree, update));
    if (label && tree->is_wanted)
        gw_append_text(tree->items[event->depth], ": %s", label);
    add_interval(tree, &update->interval, item);
    add_rivals(tree, update, item);
}

/* ---- one event ----------------------------------------------------------------------------------------- */

/* Changes the item's text to say whether the peer of a relay is the receiver or the first sender, and adds the player's
 * name. An id that is not positive means all peers, or all but one: only a message to the server has such an id. */
static void add_relay_peer(const godot_mp_tree *tree, const gw_godot_mp_event *event, proto_item *item,
                           const char *name)
{
    gw_godot_mp_way way = event->number > 0 ? godot_mp_find_way(tree->message->findings) : GW_GODOT_MP_TO_SERVER;
    if (item && tree->is_wanted && way != GW_GODOT_MP_WAY_UNKNOWN)
        proto_item_set_text(item, way == GW_GODOT_MP_TO_SERVER ? "Relay to: %d" : "Relay from: %d", (int)event->number);
    append_name(tree, item, name);
}

/* Adds what the analysis and the tables of names have about the event: each role of an event has its own findings. */
void godot_mp_findings_add(godot_mp_tree *tree, const gw_godot_mp_event *event, proto_item *item,
                           const godot_mp_name *name)
{
    uint8_t command = tree->message->facts.command;
    const godot_script *script;
    godot_mp_add_missing(tree, item, name->missing);
    switch (event->role) {
    case GW_GODOT_MP_ROLE_NODE_ID:
        add_node(tree, item);
        break;
    case GW_GODOT_MP_ROLE_METHOD_ID:
        add_method(tree, event, item);
        break;
    case GW_GODOT_MP_ROLE_PATH:
    case GW_GODOT_MP_ROLE_PATH_ID:
        if (command == GW_GODOT_MP_CONFIRM_PATH)
            add_confirmation(tree, item);
        else if (command == GW_GODOT_MP_SIMPLIFY_PATH && event->role == GW_GODOT_MP_ROLE_PATH)
            add_definition(tree, item);
        break;
    case GW_GODOT_MP_ROLE_CHECKSUM_TEXT:
        script = godot_script_of(tree->message->facts.checksum);
        if (script)
            add_text(tree, godot_mp_below(item), godot_mp_hf.path_script, script->name);
        break;
    case GW_GODOT_MP_ROLE_CONFIRMED:
        if (!event->number)
            add_different_methods(tree, item);
        break;
    case GW_GODOT_MP_ROLE_SCENE:
        add_text(tree, godot_mp_below(item), godot_mp_hf.spawn_scene_name, tree->scene);
        break;
    case GW_GODOT_MP_ROLE_SPAWNER:
        add_spawner(tree, item);
        break;
    case GW_GODOT_MP_ROLE_NET_ID:
        if (command == GW_GODOT_MP_SYNC)
            add_synchronizer(tree, event, item, name->text);
        else if (command == GW_GODOT_MP_DESPAWN)
            add_despawned(tree, item);
        else if (command == GW_GODOT_MP_SPAWN)
            add_spawned(tree, item);
        break;
    case GW_GODOT_MP_ROLE_TIME:
        add_sync_time(tree, item);
        break;
    case GW_GODOT_MP_ROLE_PEER:
    case GW_GODOT_MP_ROLE_ASSIGNED:
        append_name(tree, item, name->text);
        break;
    case GW_GODOT_MP_ROLE_RELAY_PEER:
        add_relay_peer(tree, event, item, name->text);
        break;
    default:
        break;
    }
}

/* ---- one message --------------------------------------------------------------------------------------- */

/* True if the items of sender and receiver precede the other items: the message has a packet, or a head of Godot 3 with
 * their ids. In other messages, which are about a peer, their own items come first. */
static bool begins_with_ends(const godot_mp_facts *facts)
{
    return facts->has_head || godot_mp_has(facts->roles, GW_GODOT_MP_ROLE_PACKET);
}

/* Adds the sender and the receiver, and reports two peers of different generations. */
void godot_mp_findings_begin(godot_mp_tree *tree)
{
    const godot_mp_connection *connection = tree->message->position.connection;
    if (begins_with_ends(&tree->message->facts)) {
        godot_mp_add_end(tree, GODOT_MP_SENDER);
        godot_mp_add_end(tree, GODOT_MP_RECEIVER);
    }
    /* As proven up to this message or, after the first pass, in the capture. */
    const godot_mp_direction *directions = connection ? connection->directions : NULL;
    if (directions && directions[0].seq && directions[1].seq &&
        gw_godot_mp_generation(directions[0].form) != gw_godot_mp_generation(directions[1].form))
        add_expert(tree, tree->items[0], &godot_mp_ei.generations_differ);
}

/* If the message begins a relay, links those by which the server relays it; if it relays one, links that: below the
 * head of the relay, if there is one. */
static void add_relays(const godot_mp_tree *tree)
{
    const godot_mp_findings *findings = tree->message->findings;
    const godot_mp_relay *relay = findings->relay;
    if (!relay || !tree->is_wanted)
        return;
    proto_tree *parent = tree->relay ? godot_mp_below(tree->relay) : tree->trees[0];
    if (!findings->begins_relay) {
        gw_add_frame_link(parent, godot_mp_hf.relay_of, relay->frame);
        add_time_since(tree, parent, godot_mp_hf.relay_time, relay->time);
        return;
    }
    /* To each client that the server sends the message on to; or back to the client that sent it. */
    for (const godot_mp_hop *hop = relay->hops; hop; hop = hop->next) {
        const nstime_t relayed = gw_time_of(hop->time), sent = gw_time_of(relay->time);
        proto_item *link = gw_add_frame_link(parent, godot_mp_hf.relayed_in, hop->frame);
        gw_add_time_between(godot_mp_below(link), godot_mp_hf.relay_time, &relayed, &sent);
    }
}

/* Adds the relays, the ends that godot_mp_findings_begin() did not add (no packet, no head), and advice. */
void godot_mp_findings_end(godot_mp_tree *tree)
{
    const enet_message *enet = tree->message->carrier->enet;
    add_relays(tree);
    if (!begins_with_ends(&tree->message->facts)) {
        godot_mp_add_end(tree, GODOT_MP_SENDER);
        godot_mp_add_end(tree, GODOT_MP_RECEIVER);
    }
    /* Advice: the engine sends and receives these correctly, but a game should send them in another way. */
    if (enet && enet->reassembled && enet->delivery == ENET_UNRELIABLE)
        add_expert(tree, NULL, &godot_mp_ei.unreliable_too_long);
    if (tree->message->findings->is_one_too_many)
        add_expert(tree, NULL, &godot_mp_ei.reliable_too_many);
}
