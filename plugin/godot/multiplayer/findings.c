/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the ids in a packet mean: asks the analysis and the tables of names, and shows the answers below the ids.
 */
#include "tree.h"

#include "common/links.h"
#include "fields.h"

/* Most characters of a path that are looked at: it is a text of the packet. */
#define PATH_LENGTH 1024

static const char *text_at(const godot_multiplayer_message *message, gw_span span)
{
    return (const char *)tvb_get_string_enc(message->pinfo->pool, message->tvb, (int)span.offset, (int)span.length,
                                            ENC_UTF_8);
}

static proto_tree *below(proto_item *item)
{
    return proto_item_add_subtree(item, godot_multiplayer_ett_item);
}

static void add_text(const godot_multiplayer_message *message, proto_tree *tree, int hf, const char *text)
{
    if (text)
        proto_item_set_generated(proto_tree_add_string(tree, hf, message->tvb, 0, 0, text));
}

/* ---- peers --------------------------------------------------------------------------------------------- */

static void add_peer(const godot_multiplayer_message *message, proto_tree *tree, int hf, bool known, int32_t id)
{
    if (known)
        proto_item_set_generated(proto_tree_add_int(tree, hf, message->tvb, 0, 0, id));
}

static void show_call_peers(godot_multiplayer_message *message, proto_tree *tree)
{
    int32_t source, target;
    bool has_source = godot_source_of(&message->place, &source);
    bool has_target = godot_target_of(&message->place, &target);
    add_peer(message, tree, godot_multiplayer_hf.rpc_source, has_source, source);
    add_peer(message, tree, godot_multiplayer_hf.rpc_target, has_target, target);
}

/* ---- called nodes -------------------------------------------------------------------------------------- */

static void add_path_link(const godot_multiplayer_message *message, proto_tree *tree, const godot_path_entry *entry,
                          int hf)
{
    gw_add_frame_link(tree, hf, message->tvb, entry->frame);
}

/* The path that a call names in full lies after its arguments; its method's name is wanted before them. */
static const char *peek_path(const godot_multiplayer_message *message)
{
    uint32_t offset = message->reader.packet.arguments_end;
    uint32_t length = tvb_captured_length(message->tvb);
    const uint8_t *nul = offset < length ? memchr(message->bytes + offset, 0, MIN(length - offset, PATH_LENGTH)) : NULL;
    gw_span span = { offset, nul ? (uint32_t)(nul - message->bytes) - offset : 0 };
    return nul ? text_at(message, span) : NULL;
}

static void show_node_by_path(godot_multiplayer_message *message, proto_item *item)
{
    message->path = peek_path(message);
    message->node = message->path ? godot_path_find_text(&message->place, message->path) : NULL;
    if (message->node)
        add_path_link(message, below(item), message->node, godot_multiplayer_hf.rpc_path_defined_in);
    expert_add_info(message->pinfo, item, &godot_multiplayer_ei.path_by_name);
}

static const char *show_node_by_id(godot_multiplayer_message *message, const gw_godot_multiplayer_event *event,
                                   proto_item *item)
{
    bool later;
    const godot_path_entry *entry = godot_path_find(&message->place, (uint32_t)event->number, &later);
    message->node = entry;
    if (!entry) {
        expert_add_info(message->pinfo, item, &godot_multiplayer_ei.path_unknown);
        return NULL;
    }
    message->path = entry->path;
    proto_item_append_text(item, " (%s)", entry->path);
    add_text(message, message->trees[event->depth], godot_multiplayer_hf.rpc_path, entry->path);
    add_path_link(message, below(item), entry, godot_multiplayer_hf.rpc_path_defined_in);
    if (later)
        expert_add_info(message->pinfo, item, &godot_multiplayer_ei.path_defined_later);
    else if (!godot_path_is_confirmed(entry, &message->place))
        expert_add_info(message->pinfo, item, &godot_multiplayer_ei.path_unconfirmed);
    return entry->path;
}

static const char *show_node(godot_multiplayer_message *message, const gw_godot_multiplayer_event *event,
                             proto_item *item)
{
    const char *name = NULL;
    if (message->reader.packet.has_path)
        show_node_by_path(message, item);
    else
        name = show_node_by_id(message, event, item);
    message->script = message->node ? godot_script_of(message->node->checksum) : NULL;
    message->facts.path = message->path;
    show_call_peers(message, message->trees[event->depth]);
    return name;
}

static const char *show_method(godot_multiplayer_message *message, const gw_godot_multiplayer_event *event,
                               proto_item *item)
{
    const char *name = message->script ? godot_script_method(message->script, (uint32_t)event->number) : NULL;
    message->method = name;
    message->facts.name = name ? name : wmem_strdup_printf(message->pinfo->pool, "method %u", (unsigned)event->number);
    if (name) {
        proto_item_append_text(item, " (%s)", name);
        proto_item *named =
            proto_tree_add_string(message->trees[event->depth], godot_multiplayer_hf.rpc_method, message->tvb,
                                  (int)event->payload.offset, (int)event->payload.length, name);
        proto_item_set_generated(named);
        proto_item_append_text(named, " (proven by the checksum)");
        add_text(message, below(named), godot_multiplayer_hf.rpc_method_from, godot_script_name(message->script));
    } else if (message->script) {
        expert_add_info_format(message->pinfo, item, &godot_multiplayer_ei.method_unknown,
                               "%s, whose methods have the checksum of this path, has no RPC method %u",
                               godot_script_name(message->script), (unsigned)event->number);
    }
    return name;
}

/* ---- paths --------------------------------------------------------------------------------------------- */

static void show_definition(godot_multiplayer_message *message, const gw_godot_multiplayer_event *event,
                            proto_item *item)
{
    const char *path = text_at(message, event->payload);
    const godot_path_entry *before = godot_path_before(&message->place, message->path_id);
    const godot_path_entry *entry = godot_path_define(&message->place, message->path_id, path, message->checksum);
    proto_tree *tree = message->trees[event->depth];
    if (entry && entry->confirmed_in) {
        gw_add_frame_link(tree, godot_multiplayer_hf.path_confirmed_in, message->tvb, entry->confirmed_in);
        gw_add_time_between(tree, godot_multiplayer_hf.path_confirm_time, message->tvb, &entry->confirmed_at,
                            &entry->time);
    }
    if (before && strcmp(before->path, path) != 0)
        expert_add_info_format(message->pinfo, item, &godot_multiplayer_ei.path_redefined,
                               "The path id was %s before (frame %u)", before->path, before->frame);
    message->facts.path = path;
}

static void show_checksum(godot_multiplayer_message *message, const gw_godot_multiplayer_event *event, proto_item *item)
{
    message->checksum =
        wmem_strndup(message->pinfo->pool, (const char *)message->bytes + event->payload.offset, event->payload.length);
    const godot_script *script = godot_script_of(message->checksum);
    if (script)
        add_text(message, below(item), godot_multiplayer_hf.path_script, godot_script_name(script));
}

/* `path`: of a confirmation by text. */
static const char *show_confirmation(godot_multiplayer_message *message, const gw_godot_multiplayer_event *event,
                                     proto_item *item, const char *path)
{
    const godot_path_entry *entry =
        godot_path_confirm(&message->place, (uint32_t)event->number, path, message->confirmed);
    proto_tree *tree = message->trees[event->depth];
    if (!entry) {
        expert_add_info(message->pinfo, item, &godot_multiplayer_ei.confirmation_unasked);
        return NULL;
    }
    if (!path)
        add_text(message, tree, godot_multiplayer_hf.path_path, entry->path);
    add_path_link(message, tree, entry, godot_multiplayer_hf.path_defined_in);
    gw_add_time_between(tree, godot_multiplayer_hf.path_confirm_time, message->tvb, &message->pinfo->abs_ts,
                        &entry->time);
    message->facts.path = entry->path;
    return entry->path;
}

static const char *show_path(godot_multiplayer_message *message, const gw_godot_multiplayer_event *event,
                             proto_item *item)
{
    switch (message->reader.packet.command) {
    case GW_GODOT_MULTIPLAYER_SIMPLIFY_PATH:
        show_definition(message, event, item);
        break;
    case GW_GODOT_MULTIPLAYER_CONFIRM_PATH:
        show_confirmation(message, event, item, text_at(message, event->payload));
        break;
    default:
        break;
    }
    return NULL;
}

static const char *show_path_id(godot_multiplayer_message *message, const gw_godot_multiplayer_event *event,
                                proto_item *item)
{
    message->path_id = (uint32_t)event->number;
    if (message->reader.packet.command == GW_GODOT_MULTIPLAYER_CONFIRM_PATH)
        return show_confirmation(message, event, item, NULL);
    return NULL;
}

static void show_confirmed(godot_multiplayer_message *message, const gw_godot_multiplayer_event *event,
                           proto_item *item)
{
    message->confirmed = event->number != 0;
    if (!message->confirmed)
        expert_add_info(message->pinfo, item, &godot_multiplayer_ei.checksum_differs);
}

/* ---- spawned nodes ------------------------------------------------------------------------------------- */

static void show_spawner(godot_multiplayer_message *message, const gw_godot_multiplayer_event *event, proto_item *item)
{
    bool later;
    const godot_path_entry *entry = godot_path_find(&message->place, (uint32_t)event->number, &later);
    if (!entry || later) {
        expert_add_info(message->pinfo, item, &godot_multiplayer_ei.spawn_unknown);
        return;
    }
    message->spawned.spawner = entry->path;
    add_text(message, message->trees[event->depth], godot_multiplayer_hf.spawn_spawner_path, entry->path);
    add_path_link(message, below(item), entry, godot_multiplayer_hf.rpc_path_defined_in);
}

/* The scene's place in the list comes before the spawner's id, and its name before everything. */
static const char *show_scene(godot_multiplayer_message *message, const gw_godot_multiplayer_event *event)
{
    uint32_t at = gw_span_end(event->payload);
    bool later;
    const godot_path_entry *spawner =
        tvb_captured_length(message->tvb) - at < 4
            ? NULL
            : godot_path_find(&message->place, tvb_get_letohl(message->tvb, (int)at), &later);
    message->spawned = (godot_spawn_entry){ .scene = (uint8_t)event->number };
    message->scene = spawner ? godot_scene_of(spawner->path, (uint32_t)event->number) : NULL;
    add_text(message, message->trees[event->depth], godot_multiplayer_hf.spawn_scene_name, message->scene);
    const char *file = message->scene ? strrchr(message->scene, '/') : NULL;
    return file ? file + 1 : message->scene;
}

static void show_lifetime(const godot_multiplayer_message *message, const godot_spawn_entry *entry, proto_tree *tree)
{
    gw_add_frame_link(tree, godot_multiplayer_hf.spawn_spawned_in, message->tvb, entry->frame);
    gw_add_time_between(tree, godot_multiplayer_hf.spawn_lifetime, message->tvb, &message->pinfo->abs_ts, &entry->time);
}

static const char *show_despawn(godot_multiplayer_message *message, const gw_godot_multiplayer_event *event,
                                proto_item *item)
{
    const godot_spawn_entry *entry = godot_spawn_remove(&message->place, (uint32_t)event->number);
    proto_tree *tree = message->trees[event->depth];
    if (!entry) {
        expert_add_info(message->pinfo, item, &godot_multiplayer_ei.despawn_unknown);
        return NULL;
    }
    add_text(message, tree, godot_multiplayer_hf.spawn_name, entry->name);
    show_lifetime(message, entry, tree);
    message->facts.name = entry->name;
    return wmem_strdup_printf(message->pinfo->pool, "\"%s\"", entry->name);
}

/* At the end of a packet all of it is known. */
static void show_spawned(godot_multiplayer_message *message, proto_tree *tree)
{
    godot_spawn_entry *spawned = &message->spawned;
    if (!spawned->name)
        return;
    const godot_spawn_entry *before = godot_spawn_add(&message->place, message->spawned_id, spawned, false);
    if (before)
        proto_tree_add_expert_format(tree, message->pinfo, &godot_multiplayer_ei.spawn_again, message->tvb, 0, 0,
                                     "The net id is in use by \"%s\" (frame %u), which was not despawned", before->name,
                                     before->frame);
    for (uint32_t i = 0; i < message->sync_ids.length / 4; i++) {
        spawned->sync_index = i;
        godot_spawn_add(&message->place, gw_le32(message->bytes + message->sync_ids.offset + (size_t)4 * i), spawned,
                        true);
    }
    const godot_spawn_entry *kept = godot_spawn_find(&message->place, message->spawned_id, false);
    if (kept)
        gw_add_frame_link(tree, godot_multiplayer_hf.spawn_despawned_in, message->tvb, kept->despawned_in);
    int32_t source;
    if (godot_source_of(&message->place, &source) && source != GW_GODOT_MULTIPLAYER_SERVER)
        proto_tree_add_expert(tree, message->pinfo, &godot_multiplayer_ei.spawn_by_client, message->tvb, 0, 0);
    message->facts.name = spawned->name;
    message->facts.path = spawned->spawner;
}

/* A property of the spawn state: all synchronisers of the scene, one after the other. */
static const char *state_property(const godot_multiplayer_message *message, uint32_t index)
{
    const godot_synchronizer *synchronizer;
    for (uint32_t i = 0; message->scene && (synchronizer = godot_synchronizer_in(message->scene, i)) != NULL; i++) {
        uint32_t count = godot_property_count(synchronizer, GODOT_PROPERTY_SPAWN);
        if (index < count)
            return godot_property_of(synchronizer, GODOT_PROPERTY_SPAWN, index);
        index -= count;
    }
    return NULL;
}

/* ---- syncs --------------------------------------------------------------------------------------------- */

static void show_time(godot_multiplayer_message *message, const gw_godot_multiplayer_event *event, proto_item *item)
{
    godot_sync_facts facts;
    proto_tree *tree = message->trees[event->depth];
    godot_sync_follow(&message->place, (uint16_t)event->number, &facts);
    if (!facts.previous)
        return;
    gw_add_frame_link(tree, godot_multiplayer_hf.sync_previous, message->tvb, facts.previous);
    proto_item_set_generated(
        proto_tree_add_uint(tree, godot_multiplayer_hf.sync_ahead, message->tvb, 0, 0, facts.ahead));
    proto_item_set_generated(
        proto_tree_add_time(tree, godot_multiplayer_hf.sync_interval, message->tvb, 0, 0, &facts.interval));
    if (facts.late)
        expert_add_info(message->pinfo, item, &godot_multiplayer_ei.sync_late);
}

static const char *sync_by_path(godot_multiplayer_message *message, uint32_t id, proto_item *item)
{
    bool later;
    const godot_path_entry *entry = godot_path_find(&message->place, id, &later);
    if (!entry) {
        expert_add_info(message->pinfo, item, &godot_multiplayer_ei.path_unknown);
        return NULL;
    }
    if (later)
        expert_add_info(message->pinfo, item, &godot_multiplayer_ei.path_defined_later);
    add_path_link(message, below(item), entry, godot_multiplayer_hf.sync_defined_in);
    message->synchronizer = godot_synchronizer_at(entry->path);
    return entry->path;
}

static const char *sync_by_spawn(godot_multiplayer_message *message, uint32_t id, proto_item *item)
{
    const godot_spawn_entry *entry = godot_spawn_find(&message->place, id, true);
    if (!entry) {
        expert_add_info(message->pinfo, item, &godot_multiplayer_ei.sync_unknown);
        return NULL;
    }
    gw_add_frame_link(below(item), godot_multiplayer_hf.sync_defined_in, message->tvb, entry->frame);
    const char *scene = godot_scene_of(entry->spawner, entry->scene);
    message->synchronizer = godot_synchronizer_in(scene, entry->sync_index);
    const char *path = godot_spawned_path(message->pinfo->pool, entry->spawner, entry->name);
    return path ? path : entry->name;
}

static const char *show_sync_id(godot_multiplayer_message *message, const gw_godot_multiplayer_event *event,
                                proto_item *item)
{
    uint32_t id = (uint32_t)event->number;
    message->synchronizer = NULL;
    message->sync_path = id & GW_GODOT_MULTIPLAYER_PATH_NET_ID
                             ? sync_by_path(message, id & ~GW_GODOT_MULTIPLAYER_PATH_NET_ID, item)
                             : sync_by_spawn(message, id, item);
    add_text(message, message->trees[event->depth], godot_multiplayer_hf.sync_path, message->sync_path);
    if (message->sync_path)
        proto_item_append_text(message->items[event->depth], ": %s", message->sync_path);
    if (message->facts.update_count < GODOT_FACTS_UPDATES)
        message->facts.updates[message->facts.update_count].path =
            message->sync_path ? message->sync_path
                               : wmem_strdup_printf(message->pinfo->pool, "net id %u", (unsigned)id);
    return message->sync_path;
}

/* The number of the index-th bit that is set. */
static uint32_t nth_bit(uint64_t bits, uint32_t index)
{
    uint32_t bit = 0;
    for (; bit < 64; bit++)
        if (bits >> bit & 1U && !index--)
            return bit;
    return bit;
}

static const char *sync_property(godot_multiplayer_message *message, const gw_godot_multiplayer_event *event)
{
    bool delta = message->reader.packet.delta;
    uint32_t index = delta ? nth_bit(message->indexes, event->index) : event->index;
    godot_property_use use = delta ? GODOT_PROPERTY_ON_CHANGE : GODOT_PROPERTY_ALWAYS;
    return message->synchronizer ? godot_property_of(message->synchronizer, use, index) : NULL;
}

static const char *show_property(godot_multiplayer_message *message, const gw_godot_multiplayer_event *event)
{
    bool state = event->field == GW_GODOT_MULTIPLAYER_STATE;
    if (message->reader.generation != GW_GODOT_4)
        return NULL;
    const char *property = state ? state_property(message, event->index) : sync_property(message, event);
    if (property) {
        proto_item *item = proto_tree_add_string(message->trees[event->depth], godot_multiplayer_hf.sync_property,
                                                 message->tvb, (int)event->payload.offset, 0, property);
        proto_item_set_generated(item);
        proto_item_append_text(item, " (by path, not proven)");
    }
    return property;
}

/* ---- one event ----------------------------------------------------------------------------------------- */

static const char *show_net_id(godot_multiplayer_message *message, const gw_godot_multiplayer_event *event,
                               proto_item *item)
{
    switch (message->reader.packet.command) {
    case GW_GODOT_MULTIPLAYER_SYNC:
        return show_sync_id(message, event, item);
    case GW_GODOT_MULTIPLAYER_DESPAWN:
        return show_despawn(message, event, item);
    default:
        message->spawned_id = (uint32_t)event->number;
        return NULL;
    }
}

static void take_text(godot_multiplayer_message *message, const gw_godot_multiplayer_event *event)
{
    const char *text = text_at(message, event->payload);
    if (event->field == GW_GODOT_MULTIPLAYER_NAME) {
        message->spawned.name = text;
        return;
    }
    message->method = text;
    message->facts.name = text;
}

/* What is only remembered, or shown and never named. */
static void note_id(godot_multiplayer_message *message, const gw_godot_multiplayer_event *event, proto_item *item)
{
    switch (event->field) {
    case GW_GODOT_MULTIPLAYER_SOURCE:
    case GW_GODOT_MULTIPLAYER_TARGET:
    case GW_GODOT_MULTIPLAYER_RELAY_PEER:
        godot_place_take(&message->place, event);
        break;
    case GW_GODOT_MULTIPLAYER_METHOD:
    case GW_GODOT_MULTIPLAYER_PROPERTY:
    case GW_GODOT_MULTIPLAYER_NAME:
        take_text(message, event);
        break;
    case GW_GODOT_MULTIPLAYER_CHECKSUM_TEXT:
        show_checksum(message, event, item);
        break;
    case GW_GODOT_MULTIPLAYER_CONFIRMED:
        show_confirmed(message, event, item);
        break;
    case GW_GODOT_MULTIPLAYER_SPAWNER:
        show_spawner(message, event, item);
        break;
    case GW_GODOT_MULTIPLAYER_SYNC_IDS:
        message->sync_ids = event->payload;
        break;
    case GW_GODOT_MULTIPLAYER_TIME:
        show_time(message, event, item);
        break;
    case GW_GODOT_MULTIPLAYER_INDEXES:
        message->indexes = (uint64_t)event->number;
        break;
    default:
        break;
    }
}

const char *godot_multiplayer_show_id(godot_multiplayer_message *message, const gw_godot_multiplayer_event *event,
                                      proto_item *item)
{
    switch (event->field) {
    case GW_GODOT_MULTIPLAYER_NODE_ID:
        return show_node(message, event, item);
    case GW_GODOT_MULTIPLAYER_METHOD_ID:
        return show_method(message, event, item);
    case GW_GODOT_MULTIPLAYER_PATH:
        return show_path(message, event, item);
    case GW_GODOT_MULTIPLAYER_PATH_ID:
        return show_path_id(message, event, item);
    case GW_GODOT_MULTIPLAYER_SCENE:
        return show_scene(message, event);
    case GW_GODOT_MULTIPLAYER_NET_ID:
        return show_net_id(message, event, item);
    case GW_GODOT_MULTIPLAYER_STATE:
    case GW_GODOT_MULTIPLAYER_VALUE:
        return show_property(message, event);
    default:
        note_id(message, event, item);
        return NULL;
    }
}

void godot_multiplayer_end_packet(godot_multiplayer_message *message, const gw_godot_multiplayer_event *event)
{
    if (event->number == GW_GODOT_MULTIPLAYER_SPAWN)
        show_spawned(message, message->trees[event->depth + 1]);
}
