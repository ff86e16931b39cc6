/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds the results of the analysis below the ids of a packet: connections, expert infos, and names (naming.c).
 */
#include "internal.h"

#include "carriers/internal.h"
#include "names/internal.h"
#include "relations/internal.h"

#include "common/demand.h"
#include "common/field_text.h"
#include "common/frame_links.h"
#include "common/item_budget.h"
#include "common/spans.h"
#include "common/times.h"

static const godot_mp_findings *found(const godot_mp_tree *tree)
{
    return tree->message->findings;
}

static const godot_mp_facts *facts_of(const godot_mp_tree *tree)
{
    return &tree->message->facts;
}

/* ---- items --------------------------------------------------------------------------------------------- */

static proto_tree *below(proto_item *item)
{
    return proto_item_add_subtree(item, godot_mp_ett_item);
}

static void add_text(const godot_mp_tree *tree, proto_tree *parent, int hf, const char *text)
{
    if (text && tree->is_wanted)
        proto_item_set_generated(proto_tree_add_string(parent, hf, NULL, 0, 0, gw_field_text(tree->pinfo->pool, text)));
}

static void add_frame(const godot_mp_tree *tree, proto_tree *parent, int hf, uint32_t frame)
{
    if (tree->is_wanted)
        gw_add_frame_link(parent, hf, frame);
}

static void add_time(const godot_mp_tree *tree, proto_tree *parent, int hf, const nstime_t *later,
                     const nstime_t *earlier)
{
    if (tree->is_wanted)
        gw_add_time_between(parent, hf, later, earlier);
}

/* Of the first transmission: a copy has none. */
static void add_time_since(const godot_mp_tree *tree, proto_tree *parent, int hf, const nstime_t *earlier)
{
    if (!tree->message->place.repeated)
        add_time(tree, parent, hf, &tree->pinfo->abs_ts, earlier);
}

static void add_number(const godot_mp_tree *tree, proto_tree *parent, int hf, uint32_t number)
{
    if (tree->is_wanted)
        proto_item_set_generated(proto_tree_add_uint(parent, hf, NULL, 0, 0, number));
}

/* A copy repeats no expert info of the first transmission. */
static bool is_copy(const godot_mp_tree *tree)
{
    return tree->message->place.repeated;
}

static void add_expert(const godot_mp_tree *tree, proto_item *item, expert_field *expert)
{
    if (is_copy(tree))
        return;
    expert_add_info(tree->pinfo, godot_mp_expert_item(tree, item), expert);
}

/* ---- calls --------------------------------------------------------------------------------------------- */

static void append_name(const godot_mp_tree *tree, proto_item *item, const char *name)
{
    if (name && tree->is_wanted)
        gw_append_text(item, " (%s)", name);
}

static proto_item *add_peer(const godot_mp_tree *tree, proto_tree *parent, int hf, bool known, int32_t id)
{
    if (!known || !tree->is_wanted)
        return NULL;
    proto_item *item = proto_tree_add_int(parent, hf, NULL, 0, 0, id);
    proto_item_set_generated(item);
    append_name(tree, item, godot_mp_player(tree->message, id));
    return item;
}

/* The path that the node's peer received and did not confirm. */
static void add_acknowledged(const godot_mp_tree *tree, proto_item *item)
{
    if (found(tree)->refusal.path)
        add_frame(tree, below(item), godot_mp_hf.path_acknowledged_in, found(tree)->refusal.acknowledged_in);
}

static void add_node_by_path(const godot_mp_tree *tree, proto_item *item)
{
    const godot_mp_path *entry = found(tree)->path.entry;
    if (entry)
        add_frame(tree, below(item), godot_mp_hf.rpc_path_defined_in, entry->frame);
    add_expert(tree, item, &godot_mp_ei.path_by_name);
    godot_mp_add_advice_on_path(tree, item);
}

static void add_unconfirmed(const godot_mp_tree *tree, proto_item *item, const godot_mp_path *entry)
{
    if (entry->confirmed_in)
        expert_add_info_format(tree->pinfo, godot_mp_expert_item(tree, item), &godot_mp_ei.path_unconfirmed,
                               "The path id is used before it was confirmed, in frame %u", entry->confirmed_in);
    else
        expert_add_info_format(tree->pinfo, godot_mp_expert_item(tree, item), &godot_mp_ei.path_unconfirmed,
                               "No packet %s confirms this path id", godot_mp_searched(tree));
}

static void add_node_by_id(const godot_mp_tree *tree, proto_tree *parent, proto_item *item)
{
    const godot_mp_path *entry = found(tree)->path.entry;
    godot_mp_add_undefined(tree, item, &found(tree)->path, facts_of(tree)->path_id, false);
    if (!entry)
        return;
    gw_append_text(item, " (%s)", godot_printable(tree->pinfo, entry->path));
    add_text(tree, parent, godot_mp_hf.rpc_path, entry->path);
    add_frame(tree, below(item), godot_mp_hf.rpc_path_defined_in, entry->frame);
    if (found(tree)->is_unconfirmed && !is_copy(tree))
        add_unconfirmed(tree, item, entry);
}

static void add_node(const godot_mp_tree *tree, proto_tree *parent, proto_item *item)
{
    if (facts_of(tree)->is_by_path)
        add_node_by_path(tree, item);
    else
        add_node_by_id(tree, parent, item);
    if (found(tree)->differs_in) {
        add_frame(tree, below(item), godot_mp_hf.rpc_differs_in, found(tree)->differs_in);
        add_expert(tree, item, &godot_mp_ei.methods_differ);
    }
    add_acknowledged(tree, item);
    godot_mp_add_refused_call(tree, item);
    add_peer(tree, parent, godot_mp_hf.rpc_caller, found(tree)->has_source, found(tree)->source);
    add_peer(tree, parent, godot_mp_hf.rpc_callee, found(tree)->has_target, found(tree)->target);
}

static void add_method(const godot_mp_tree *tree, const gw_godot_mp_event *event, proto_item *item)
{
    const char *script = tree->script ? godot_script_name(tree->script) : NULL;
    if (tree->method && tree->is_wanted) {
        gw_append_text(item, " (%s)", tree->method);
        proto_item *named =
            gw_add_text(tree->trees[event->depth], godot_mp_hf.rpc_method, tree->tvb, event->payload, tree->method);
        proto_item_set_generated(named);
        gw_append_text(named, " (proven by the checksum)");
        add_text(tree, below(named), godot_mp_hf.rpc_method_from, script);
    } else if (!tree->method && script && !is_copy(tree)) {
        expert_add_info_format(tree->pinfo, godot_mp_expert_item(tree, item), &godot_mp_ei.method_unknown,
                               "%s, whose methods have the checksum of this path, has no RPC method %u", script,
                               facts_of(tree)->method_id);
    }
}

/* ---- paths --------------------------------------------------------------------------------------------- */

static void add_definition(const godot_mp_tree *tree, proto_tree *parent, proto_item *item)
{
    const godot_mp_path *entry = found(tree)->definition;
    const godot_mp_path *replaced = found(tree)->replaced;
    if (entry && entry->confirmed_in) {
        add_frame(tree, parent, godot_mp_hf.path_confirmed_in, entry->confirmed_in);
        add_time(tree, parent, godot_mp_hf.path_confirm_time, &entry->confirmed_at, &entry->time);
    }
    add_frame(tree, parent, godot_mp_hf.path_acknowledged_in, found(tree)->refusal.acknowledged_in);
    godot_mp_add_refused_definition(tree, item);
    if (replaced && !is_copy(tree))
        expert_add_info_format(tree->pinfo, godot_mp_expert_item(tree, item), &godot_mp_ei.path_redefined,
                               "The path id was %s before (frame %u)", godot_printable(tree->pinfo, replaced->path),
                               replaced->frame);
}

/* `item`: the id or, in an old confirmation, the path. */
static void add_confirmation(const godot_mp_tree *tree, proto_tree *parent, proto_item *item)
{
    const godot_mp_path *entry = found(tree)->path.entry;
    if (!entry) {
        godot_mp_add_unknown(tree, item, &godot_mp_ei.confirmation_unasked, "requested this confirmation");
        return;
    }
    if (!facts_of(tree)->path)
        add_text(tree, parent, godot_mp_hf.path_path, entry->path);
    add_frame(tree, parent, godot_mp_hf.path_defined_in, entry->frame);
    if (found(tree)->path.is_later)
        godot_mp_add_defined_later(tree, item, entry->frame, "");
    else
        add_time_since(tree, parent, godot_mp_hf.path_confirm_time, &entry->time);
}

static void add_path(const godot_mp_tree *tree, proto_tree *parent, proto_item *item)
{
    if (facts_of(tree)->command == GW_GODOT_MP_SIMPLIFY_PATH)
        add_definition(tree, parent, item);
    else if (facts_of(tree)->command == GW_GODOT_MP_CONFIRM_PATH)
        add_confirmation(tree, parent, item);
}

static void add_script(const godot_mp_tree *tree, proto_item *item)
{
    const godot_script *script = godot_script_of(facts_of(tree)->checksum);
    if (script)
        add_text(tree, below(item), godot_mp_hf.path_script, godot_script_name(script));
}

/* ---- spawned nodes ------------------------------------------------------------------------------------- */

static void add_spawner(const godot_mp_tree *tree, proto_tree *parent, proto_item *item)
{
    const godot_mp_path *entry = found(tree)->path.entry;
    godot_mp_add_undefined(tree, item, &found(tree)->path, facts_of(tree)->path_id, true);
    add_acknowledged(tree, item);
    godot_mp_add_refused_spawn(tree, item);
    if (!entry)
        return;
    add_text(tree, parent, godot_mp_hf.spawn_spawner_path, entry->path);
    add_frame(tree, below(item), godot_mp_hf.rpc_path_defined_in, entry->frame);
}

static void add_despawned(const godot_mp_tree *tree, proto_tree *parent, proto_item *item)
{
    const godot_mp_spawn *entry = found(tree)->spawn.entry;
    godot_mp_add_not_spawned(tree, item, &found(tree)->spawn, &godot_mp_ei.despawn_unknown, "spawned this net id");
    if (!entry || found(tree)->spawn.is_later)
        return;
    add_text(tree, parent, godot_mp_hf.spawn_name, entry->name);
    add_frame(tree, parent, godot_mp_hf.spawn_spawned_in, entry->frame);
    add_time_since(tree, parent, godot_mp_hf.spawn_lifetime, &entry->time);
}

/* After the last event of a spawn, all of its values are known. */
static void add_spawned(const godot_mp_tree *tree, proto_tree *parent)
{
    const godot_mp_findings *findings = found(tree);
    int end = (int)tree->message->reader.length;
    if (!facts_of(tree)->name)
        return;
    if (findings->in_use)
        proto_tree_add_expert_format(parent, tree->pinfo, &godot_mp_ei.spawn_again, tree->tvb, end, 0,
                                     "The net id is in use by %s (frame %u), which no packet despawned",
                                     godot_quoted(tree->pinfo, findings->in_use->name), findings->in_use->frame);
    if (findings->spawn.entry && !findings->spawn.is_later)
        add_frame(tree, parent, godot_mp_hf.spawn_despawned_in, findings->spawn.entry->despawned_in);
    if (findings->has_source && findings->source != GW_GODOT_MP_SERVER && !is_copy(tree))
        proto_tree_add_expert(parent, tree->pinfo, &godot_mp_ei.spawn_by_client, tree->tvb, end, 0);
}

/* ---- syncs --------------------------------------------------------------------------------------------- */

static void add_sync_time(const godot_mp_tree *tree, proto_tree *parent, proto_item *item)
{
    const godot_mp_sync *sync = &found(tree)->sync;
    if (!sync->previous)
        return;
    add_frame(tree, parent, godot_mp_hf.sync_previous, sync->previous);
    add_number(tree, parent, godot_mp_hf.sync_ahead, sync->ahead);
    if (tree->is_wanted)
        proto_item_set_generated(proto_tree_add_time(parent, godot_mp_hf.sync_interval, NULL, 0, 0, &sync->interval));
    if (sync->is_late)
        add_expert(tree, item, &godot_mp_ei.sync_out_of_order);
}

static void add_sync_by_path(const godot_mp_tree *tree, const godot_mp_found_path *path, uint32_t net_id,
                             proto_item *item)
{
    godot_mp_add_undefined(tree, item, path, net_id & ~GW_GODOT_MP_PATH_NET_ID, false);
    if (path->entry)
        add_frame(tree, below(item), godot_mp_hf.sync_defined_in, path->entry->frame);
}

static void add_not_stored(const godot_mp_tree *tree, proto_item *item, const godot_mp_found_spawn *spawn)
{
    if (spawn->is_first && !is_copy(tree))
        expert_add_info_format(
            tree->pinfo, godot_mp_expert_item(tree, item), &godot_mp_ei.sync_unknown,
            "The node is not known: a spawn has more than %u synchronizers, which are not all stored", GW_MOST_IDS);
}

static void add_sync_by_spawn(const godot_mp_tree *tree, const godot_mp_found_spawn *spawn, proto_item *item)
{
    if (!spawn->entry && spawn->is_uncertain)
        add_not_stored(tree, item, spawn);
    else
        godot_mp_add_not_spawned(tree, item, spawn, &godot_mp_ei.sync_unknown, "spawned a node with this net id");
    if (spawn->entry)
        add_frame(tree, below(item), godot_mp_hf.sync_defined_in, spawn->entry->frame);
}

/* Seconds with three decimals; printf would use the decimal point of the locale. */
static const char *text_of_time(wmem_allocator_t *pool, const nstime_t *time)
{
    uint64_t milliseconds = (uint64_t)time->secs * 1000 + ((uint64_t)time->nsecs + 500000) / 1000000;
    return wmem_strdup_printf(pool, "%" PRIu64 ".%03u", milliseconds / 1000, (unsigned)(milliseconds % 1000));
}

static void add_interval(const godot_mp_tree *tree, proto_tree *parent, const godot_mp_interval *interval,
                         proto_item *item)
{
    if (!interval->previous)
        return;
    add_frame(tree, parent, godot_mp_hf.sync_update_previous, interval->previous);
    if (tree->is_wanted)
        proto_item_set_generated(
            proto_tree_add_time(parent, godot_mp_hf.sync_update_interval, NULL, 0, 0, &interval->length));
    if (interval->is_late && !is_copy(tree))
        expert_add_info_format(tree->pinfo, godot_mp_expert_item(tree, item), &godot_mp_ei.sync_update_late,
                               "%s s since the synchronizer's previous update, usually at most %s s",
                               text_of_time(tree->pinfo->pool, &interval->length),
                               text_of_time(tree->pinfo->pool, &interval->usual));
}

/* `name`: the path, for labels. */
static void add_sync_id(const godot_mp_tree *tree, const gw_godot_mp_event *event, proto_item *item, const char *name)
{
    const godot_mp_found_update *update = godot_mp_update_at(tree, tree->update);
    if ((uint32_t)event->number & GW_GODOT_MP_PATH_NET_ID)
        add_sync_by_path(tree, &update->path, (uint32_t)event->number, item);
    else
        add_sync_by_spawn(tree, &update->spawn, item);
    add_text(tree, tree->trees[event->depth], godot_mp_hf.sync_path, godot_mp_path_of_update(tree, update));
    if (name && tree->is_wanted)
        gw_append_text(tree->items[event->depth], ": %s", name);
    add_interval(tree, tree->trees[event->depth], &update->interval, item);
    godot_mp_add_rivals(tree, update, item);
}

/* ---- one event ----------------------------------------------------------------------------------------- */

static void add_net_id(const godot_mp_tree *tree, const gw_godot_mp_event *event, proto_item *item, const char *name)
{
    if (facts_of(tree)->command == GW_GODOT_MP_SYNC)
        add_sync_id(tree, event, item, name);
    else if (facts_of(tree)->command == GW_GODOT_MP_DESPAWN)
        add_despawned(tree, tree->trees[event->depth], item);
}

static void add_relay_peer(const godot_mp_tree *tree, const gw_godot_mp_event *event, proto_item *item,
                           const char *name)
{
    gw_godot_mp_way way = event->number > 0 ? godot_mp_find_way(found(tree)) : GW_GODOT_MP_TO_SERVER;
    if (item && tree->is_wanted && way != GW_GODOT_MP_WAY_UNKNOWN)
        proto_item_set_text(item, way == GW_GODOT_MP_TO_SERVER ? "Relay to: %d" : "Relay from: %d", (int)event->number);
    append_name(tree, item, name);
}

static void add_missing_name(const godot_mp_tree *tree, const gw_godot_mp_event *event, proto_item *item)
{
    const char *missing = item && tree->demand.visible ? godot_mp_label_missing(tree, event) : NULL;
    if (missing)
        proto_item_append_text(item, "%s", missing);
}

void godot_mp_findings_add(const godot_mp_tree *tree, const gw_godot_mp_event *event, proto_item *item,
                           const char *name)
{
    proto_tree *parent = tree->trees[event->depth];
    add_missing_name(tree, event, item);
    switch (event->role) {
    case GW_GODOT_MP_ROLE_PACKET:
        if (event->kind == GW_CLOSE && event->number == GW_GODOT_MP_SPAWN)
            add_spawned(tree, tree->trees[event->depth + 1]);
        break;
    case GW_GODOT_MP_ROLE_NODE_ID:
        add_node(tree, parent, item);
        break;
    case GW_GODOT_MP_ROLE_METHOD_ID:
        add_method(tree, event, item);
        break;
    case GW_GODOT_MP_ROLE_PATH:
        add_path(tree, parent, item);
        break;
    case GW_GODOT_MP_ROLE_PATH_ID:
        if (facts_of(tree)->command == GW_GODOT_MP_CONFIRM_PATH)
            add_confirmation(tree, parent, item);
        break;
    case GW_GODOT_MP_ROLE_CHECKSUM_TEXT:
        add_script(tree, item);
        break;
    case GW_GODOT_MP_ROLE_CONFIRMED:
        if (!event->number)
            add_expert(tree, item, &godot_mp_ei.checksum_differs);
        break;
    case GW_GODOT_MP_ROLE_SCENE:
        add_text(tree, parent, godot_mp_hf.spawn_scene_name, tree->scene);
        break;
    case GW_GODOT_MP_ROLE_SPAWNER:
        add_spawner(tree, parent, item);
        break;
    case GW_GODOT_MP_ROLE_NET_ID:
        add_net_id(tree, event, item, name);
        break;
    case GW_GODOT_MP_ROLE_TIME:
        add_sync_time(tree, parent, item);
        break;
    case GW_GODOT_MP_ROLE_SOURCE:
    case GW_GODOT_MP_ROLE_TARGET:
    case GW_GODOT_MP_ROLE_PEER:
    case GW_GODOT_MP_ROLE_ASSIGNED:
        append_name(tree, item, name);
        break;
    case GW_GODOT_MP_ROLE_RELAY_PEER:
        add_relay_peer(tree, event, item, name);
        break;
    default:
        break;
    }
}

/* ---- one message --------------------------------------------------------------------------------------- */

static void add_channel(const godot_mp_tree *tree, const godot_mp_channel *channel)
{
    if (!channel->association || !tree->is_wanted)
        return;
    proto_item *item =
        proto_tree_add_uint(tree->trees[0], godot_mp_hf.data_channel_stream, NULL, 0, 0, channel->stream);
    proto_item_set_generated(item);
    if (!channel->opened_in)
        return;
    proto_item_append_text(item, " (%s)", godot_printable(tree->pinfo, channel->label));
    add_text(tree, below(item), godot_mp_hf.data_channel_label, channel->label);
    add_text(tree, below(item), godot_mp_hf.data_channel_reliability, channel->reliability);
    add_frame(tree, below(item), godot_mp_hf.data_channel_opened_in, channel->opened_in);
}

/* Who sent it first, and for whom it is. */
static void add_ends(const godot_mp_tree *tree)
{
    if (proto_field_is_referenced(tree->trees[0], godot_mp_hf.from))
        add_text(tree, tree->trees[0], godot_mp_hf.from, godot_mp_from(tree->message));
    if (proto_field_is_referenced(tree->trees[0], godot_mp_hf.to))
        add_text(tree, tree->trees[0], godot_mp_hf.to, godot_mp_to(tree->message));
}

void godot_mp_findings_begin(const godot_mp_tree *tree)
{
    gw_godot_mp_form form = (gw_godot_mp_form)tree->message->reader.form;
    const godot_mp_connection *connection = tree->message->place.connection;
    if (connection && connection->number != GODOT_MP_NO_STREAM)
        add_number(tree, tree->trees[0], godot_mp_hf.stream, connection->number);
    add_number(tree, tree->trees[0], godot_mp_hf.length, tvb_reported_length(tree->tvb));
    add_text(tree, tree->trees[0], godot_mp_hf.form, gw_godot_mp_form_text(form));
    add_number(tree, tree->trees[0], godot_mp_hf.generation, (uint32_t)gw_godot_mp_generation(form));
    if (tree->message->carrier->channel)
        add_channel(tree, tree->message->carrier->channel);
    add_ends(tree);
    if (godot_mp_has_mixed_generations(&tree->message->place))
        add_expert(tree, tree->items[0], &godot_mp_ei.generations_differ);
}

static void add_end(const godot_mp_tree *tree, int hf, const godot_mp_peer *peer, int32_t id)
{
    proto_item *item = add_peer(tree, tree->trees[0], hf, true, id);
    if (peer->id == id && peer->frame)
        add_number(tree, below(item), godot_mp_hf.peer_known_from, peer->frame);
}

/* To each client that the server sends the message on to; or back to the client that sent it. */
static void add_relay(const godot_mp_tree *tree)
{
    bool is_begin = found(tree)->begins_relay;
    const godot_mp_relay *relay = found(tree)->relay;
    if (!relay || !tree->is_wanted)
        return;
    const nstime_t begun = gw_time_of(relay->time);
    for (const godot_mp_hop *hop = is_begin ? relay->hops : NULL; hop; hop = hop->next) {
        const nstime_t relayed = gw_time_of(hop->time);
        proto_item *connection = gw_add_frame_link(tree->trees[0], godot_mp_hf.relayed_in, hop->frame);
        add_time(tree, below(connection), godot_mp_hf.relay_time, &relayed, &begun);
    }
    if (!is_begin) {
        add_frame(tree, tree->trees[0], godot_mp_hf.relay_of, relay->frame);
        add_time_since(tree, tree->trees[0], godot_mp_hf.relay_time, &begun);
    }
}

/* If the message does not contain them. */
void godot_mp_findings_end(const godot_mp_tree *tree)
{
    const godot_mp_findings *findings = found(tree);
    add_relay(tree);
    if (facts_of(tree)->has_head || !tree->is_wanted)
        return;
    if (findings->has_source)
        add_end(tree, godot_mp_hf.source, &findings->sender, findings->source);
    if (findings->has_target)
        add_end(tree, godot_mp_hf.target, &findings->receiver, findings->target);
}
