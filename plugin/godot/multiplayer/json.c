/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A message as JSON, from its events, their names, and its findings. Of a relayed packet, the innermost one counts.
 */
#include "internal.h"

#include "carriers/internal.h"
#include "names/internal.h"

#include "common/archive.h"
#include "common/findings.h"
#include "common/items.h"
#include "common/json.h"

/* A list of values. */
typedef struct json_list {
    gw_json json;
    uint32_t count;
} json_list;

/* The members of an update, or of a packet without updates; NULL and -1: none. */
typedef struct json_part {
    const char *node;
    int64_t net_id;
    int64_t size;
    const uint64_t *indexes;
    const godot_mp_interval *interval;
    json_list properties;
    json_list values;
} json_part;

struct godot_mp_json {
    const godot_mp_tree *tree;
    packet_info *pinfo;
    wmem_allocator_t *pool;

    uint8_t command; /* of the innermost packet */
    uint8_t depth;
    bool is_in_update;
    json_part part;
    json_list updates;
    json_list custom;
    json_list arguments;
    json_list variant;
    json_list raw;          /* the Variant that raw bytes are */
    const char *first_node; /* of the updates */
    const char *method;
    const char *property;
    const char *name;
    const char *scene_name;
    const char *checksum;
    const nstime_t *spawned; /* by a despawn: when the node was spawned */
    const gw_span *data;
    int64_t method_id, path_id, scene, confirmed, system, peer_message;
    const int32_t *peer;
    const int32_t *assigned;
};

/* ---- parts ----------------------------------------------------------------------------------------------- */

static void init_list(const godot_mp_json *json, json_list *list)
{
    list->count = 0;
    gw_json_init(&list->json, json->pool);
    gw_json_open_array(&list->json);
}

static void init_part(godot_mp_json *json)
{
    json->part = (json_part){ .net_id = -1, .size = -1 };
    init_list(json, &json->part.properties);
    init_list(json, &json->part.values);
}

/* Before the first packet, and at each relayed one. */
static void init_packet(godot_mp_json *json)
{
    const godot_mp_tree *tree = json->tree;
    *json = (godot_mp_json){ .tree = tree,
                             .pinfo = tree->pinfo,
                             .pool = tree->pinfo->pool,
                             .command = GW_GODOT_MP_COMMANDS,
                             .method_id = -1,
                             .path_id = -1,
                             .scene = -1,
                             .confirmed = -1,
                             .system = -1,
                             .peer_message = -1 };
    init_part(json);
    init_list(json, &json->updates);
    init_list(json, &json->custom);
    init_list(json, &json->arguments);
    init_list(json, &json->variant);
    init_list(json, &json->raw);
}

godot_mp_json *godot_mp_json_new(const godot_mp_tree *tree)
{
    if (!gw_json_is_wanted(tree->pinfo, tree->trees[0], godot_mp_hf.json))
        return NULL;
    godot_mp_json *json = wmem_new(tree->pinfo->pool, godot_mp_json);
    json->tree = tree;
    init_packet(json);
    return json;
}

/* A list as a member. */
static void add_list(gw_json *text, const char *name, json_list *list)
{
    gw_json_close_array(&list->json);
    gw_json_name(text, name);
    gw_json_value(text, &list->json);
}

/* The first of the values as a member, if there is one. */
static void add_one(gw_json *text, const char *name, json_list *list)
{
    gw_json_close_array(&list->json);
    if (!list->count)
        return;
    /* Without the brackets. */
    const char *value = wmem_strbuf_get_str(list->json.text) + 1;
    gw_json_name(text, name);
    gw_json_text(text, value, wmem_strbuf_get_len(list->json.text) - 2);
}

static void add_number(gw_json *text, const char *name, int64_t number)
{
    if (number >= 0)
        gw_json_add_int(text, name, number);
}

static const char *text_of(const godot_mp_json *json, gw_span span)
{
    return gw_field_text(json->pool, gw_text_of(json->pool, json->tree->tvb, span));
}

static const char *field_text(const godot_mp_json *json, const char *text)
{
    return text ? gw_field_text(json->pool, text) : NULL;
}

/* ---- values ---------------------------------------------------------------------------------------------- */

static void put_bytes(gw_json *text, const uint8_t *bytes, uint32_t length)
{
    gw_json_open_object(text);
    gw_json_name(text, "$PackedByteArray");
    gw_json_hex(text, bytes, length);
    gw_json_close_object(text);
}

static void put_value(const godot_mp_json *json, json_list *list, const gw_godot_mp_event *event)
{
    const gw_godot_mp_reader *reader = &json->tree->message->reader;
    gw_godot_options options = { .generation = (gw_godot_generation)reader->generation };
    uint8_t variant[GW_GODOT_MP_HALVES_VARIANT];
    gw_json *text = &list->json;
    list->count++;
    if (event->role == GW_GODOT_MP_ROLE_BYTES) {
        put_bytes(text, reader->bytes + event->payload.offset, event->payload.length);
    } else if (event->encoding == GW_GODOT_MP_NULL_OBJECT) {
        gw_json_null(text);
    } else if (event->encoding == GW_GODOT_MP_HALVES) {
        uint32_t length = gw_godot_mp_variant_of_halves(reader->bytes, event, variant);
        godot_json_add(text, NULL, json->pinfo, variant, length, &options);
    } else if (event->encoding == GW_GODOT_MP_PLAIN) {
        options.offset = event->payload.offset;
        godot_json_add(text, NULL, json->pinfo, reader->bytes, gw_span_end(event->payload), &options);
    } else if (event->type == GW_GODOT_BOOL) {
        gw_json_bool(text, event->number != 0);
    } else {
        gw_json_int(text, event->number);
    }
}

static void add_value(godot_mp_json *json, const gw_godot_mp_event *event, const char *property)
{
    switch (event->role) {
    case GW_GODOT_MP_ROLE_ARGUMENT:
    case GW_GODOT_MP_ROLE_BYTES:
        put_value(json, &json->arguments, event);
        break;
    case GW_GODOT_MP_ROLE_CUSTOM:
        put_value(json, &json->custom, event);
        break;
    case GW_GODOT_MP_ROLE_VARIANT:
        put_value(json, &json->variant, event);
        break;
    default: /* of a property */
        put_value(json, &json->part.values, event);
        if (!property)
            break;
        gw_json_string(&json->part.properties.json, property);
        json->part.properties.count++;
        break;
    }
}

/* ---- events ---------------------------------------------------------------------------------------------- */

static void add_update(godot_mp_json *json)
{
    json_part *part = &json->part;
    gw_json *text = &json->updates.json;
    gw_json_open_object(text);
    gw_json_add_string(text, "node", part->node);
    add_number(text, "net_id", part->net_id);
    add_number(text, "bytes", part->size);
    if (part->indexes)
        gw_json_add_uint(text, "indexes", *part->indexes);
    if (part->interval && part->interval->previous) {
        gw_json_add_time(text, "interval", &part->interval->length);
        gw_json_add_true(text, "late", part->interval->is_late && !json->tree->message->position.repeated);
    }
    if (part->properties.count)
        add_list(text, "properties", &part->properties);
    add_list(text, "values", &part->values);
    gw_json_close_object(text);
    if (!json->updates.count++)
        json->first_node = part->node;
    init_part(json);
}

/* The id of a synchronizer in an update; of a node that is spawned or despawned. */
static void add_net_id(godot_mp_json *json, const gw_godot_mp_event *event)
{
    const godot_mp_tree *tree = json->tree;
    const godot_mp_found_spawn *spawn = &tree->message->findings->spawn;
    json->part.net_id = event->number & UINT32_MAX;
    if (json->command == GW_GODOT_MP_SYNC) {
        const godot_mp_found_update *update = godot_mp_update_at(tree, tree->update);
        json->part.node = field_text(json, godot_mp_path_of_update(tree, update));
        json->part.interval = &update->interval;
    } else if (json->command == GW_GODOT_MP_DESPAWN && spawn->entry && !spawn->is_later) {
        json->name = field_text(json, spawn->entry->name);
        json->spawned = tree->message->position.repeated ? NULL : &spawn->entry->time;
    }
}

/* The path of an id, or the path itself. */
static void add_path(godot_mp_json *json, const gw_godot_mp_event *event)
{
    const godot_mp_facts *facts = &json->tree->message->facts;
    const godot_mp_path *entry = json->tree->message->findings->path.entry;
    switch (event->role) {
    case GW_GODOT_MP_ROLE_PATH:
        if (!json->part.node)
            json->part.node = text_of(json, event->payload);
        break;
    case GW_GODOT_MP_ROLE_NODE_ID:
        json->part.node = entry && !facts->is_by_path ? field_text(json, entry->path) : NULL;
        break;
    case GW_GODOT_MP_ROLE_SPAWNER:
        json->part.node = entry ? field_text(json, entry->path) : NULL;
        break;
    default: /* PATH_ID */
        json->path_id = event->number & UINT32_MAX;
        if (json->command == GW_GODOT_MP_CONFIRM_PATH && entry && !facts->path)
            json->part.node = field_text(json, entry->path);
        break;
    }
}

static void add_peer(godot_mp_json *json, const int32_t **member, const gw_godot_mp_event *event)
{
    int32_t *peer = wmem_new(json->pool, int32_t);
    *peer = (int32_t)event->number;
    if (!*member)
        *member = peer;
}

static void add_part(godot_mp_json *json, const gw_godot_mp_event *event)
{
    switch (event->role) {
    case GW_GODOT_MP_ROLE_PEER_COMMAND:
        json->peer_message = event->number;
        break;
    case GW_GODOT_MP_ROLE_PEER:
        add_peer(json, &json->peer, event);
        break;
    case GW_GODOT_MP_ROLE_ASSIGNED:
        add_peer(json, &json->assigned, event);
        break;
    case GW_GODOT_MP_ROLE_SUB_COMMAND:
        json->system = event->number;
        break;
    case GW_GODOT_MP_ROLE_NODE_ID:
    case GW_GODOT_MP_ROLE_PATH:
    case GW_GODOT_MP_ROLE_PATH_ID:
    case GW_GODOT_MP_ROLE_SPAWNER:
        add_path(json, event);
        break;
    case GW_GODOT_MP_ROLE_METHOD_ID:
        json->method_id = event->number;
        json->method = json->tree->method;
        break;
    case GW_GODOT_MP_ROLE_METHOD:
        json->method = text_of(json, event->payload);
        break;
    case GW_GODOT_MP_ROLE_PROPERTY:
        json->property = text_of(json, event->payload);
        break;
    case GW_GODOT_MP_ROLE_CHECKSUM_TEXT:
        json->checksum = text_of(json, event->payload);
        break;
    case GW_GODOT_MP_ROLE_CONFIRMED:
        json->confirmed = event->number != 0;
        break;
    case GW_GODOT_MP_ROLE_DATA:
        json->data = wmem_memdup(json->pool, &event->payload, sizeof event->payload);
        break;
    case GW_GODOT_MP_ROLE_SCENE:
        json->scene = event->number;
        json->scene_name = field_text(json, json->tree->scene);
        break;
    case GW_GODOT_MP_ROLE_NET_ID:
        add_net_id(json, event);
        break;
    case GW_GODOT_MP_ROLE_NAME:
        json->name = text_of(json, event->payload);
        break;
    case GW_GODOT_MP_ROLE_INDEXES:
        json->part.indexes = wmem_memdup(json->pool, &event->number, sizeof event->number);
        break;
    case GW_GODOT_MP_ROLE_SIZE:
        json->part.size = event->number;
        break;
    default:
        break;
    }
}

void godot_mp_json_add(godot_mp_json *json, const gw_godot_mp_event *event, const char *name)
{
    if (event->role == GW_GODOT_MP_ROLE_PACKET) {
        if (event->kind != GW_OPEN)
            return;
        if (event->depth)
            init_packet(json);
        json->command = (uint8_t)event->number;
        json->depth = event->depth;
    } else if (event->role == GW_GODOT_MP_ROLE_UPDATE) {
        if (event->kind == GW_CLOSE)
            add_update(json);
        json->is_in_update = event->kind == GW_OPEN;
    } else if (event->type != GW_GODOT_TYPES || event->role == GW_GODOT_MP_ROLE_BYTES) {
        add_value(json, event, name);
    } else {
        add_part(json, event);
    }
}

void godot_mp_json_add_raw(godot_mp_json *json, tvbuff_t *tvb)
{
    const gw_godot_options options = { .generation = (gw_godot_generation)json->tree->message->reader.generation };
    godot_json_add(&json->raw.json, NULL, json->pinfo, gw_bytes_of(tvb), tvb_captured_length(tvb), &options);
    json->raw.count++;
}

/* ---- commands -------------------------------------------------------------------------------------------- */

static void add_call(godot_mp_json *json, gw_json *text)
{
    gw_json_add_string(text, "node", json->part.node);
    gw_json_add_string(text, "method", json->method);
    add_number(text, "method_id", json->method_id);
    add_list(text, "arguments", &json->arguments);
}

static void add_set(godot_mp_json *json, gw_json *text)
{
    gw_json_add_string(text, "node", json->part.node);
    gw_json_add_string(text, "property", json->property);
    add_one(text, "value", &json->part.values);
}

static void add_definition(godot_mp_json *json, gw_json *text)
{
    gw_json_add_string(text, "node", json->part.node);
    add_number(text, "path_id", json->path_id);
    gw_json_add_string(text, "checksum", json->checksum);
}

static void add_confirmation(godot_mp_json *json, gw_json *text)
{
    gw_json_add_string(text, "node", json->part.node);
    add_number(text, "path_id", json->path_id);
    if (json->confirmed >= 0)
        gw_json_add_bool(text, "same_methods", json->confirmed);
}

static void add_data(godot_mp_json *json, gw_json *text)
{
    if (json->data)
        gw_json_add_hex(text, "data", json->tree->tvb, *json->data);
}

static void add_raw(godot_mp_json *json, gw_json *text)
{
    add_data(json, text);
    add_one(text, "value", &json->raw);
}

static void add_spawn(godot_mp_json *json, gw_json *text)
{
    gw_json_add_string(text, "node", json->part.node);
    gw_json_add_string(text, "name", json->name);
    add_number(text, "scene", json->scene);
    gw_json_add_string(text, "scene_name", json->scene_name);
    add_number(text, "net_id", json->part.net_id);
    add_one(text, "custom", &json->custom);
    add_list(text, "state", &json->part.values);
    if (json->part.properties.count)
        add_list(text, "properties", &json->part.properties);
}

static void add_despawn(godot_mp_json *json, gw_json *text)
{
    gw_json_add_string(text, "name", json->name);
    add_number(text, "net_id", json->part.net_id);
    if (json->spawned)
        gw_json_add_time_between(text, "lifetime", &json->pinfo->abs_ts, json->spawned);
}

static void add_sync(godot_mp_json *json, gw_json *text)
{
    if (json->is_in_update)
        add_update(json); /* its end could not be read */
    if (json->updates.count == 1)
        gw_json_add_string(text, "node", json->first_node);
    add_list(text, "updates", &json->updates);
}

static void add_system(godot_mp_json *json, gw_json *text)
{
    if (json->peer)
        gw_json_add_int(text, "peer", *json->peer);
    add_data(json, text);
}

/* What has no command: the ids of peers, a Variant in place of a packet, bytes that could not be read. */
static void add_other(godot_mp_json *json, gw_json *text)
{
    const godot_mp_message *message = json->tree->message;
    if (json->variant.count) {
        add_one(text, "value", &json->variant);
        return;
    }
    if (json->assigned) {
        gw_json_add_int(text, "peer", *json->assigned);
        return;
    }
    if (json->peer)
        gw_json_add_int(text, "peer", *json->peer);
    if (message->reader.fault.fault_class && !message->rest && !json->depth)
        gw_json_add_undecoded(text, message->tvb, message->reader.fault.offset);
}

static const char *kind_of_other(const godot_mp_json *json)
{
    static const char *const kinds[] = { "peer_joined", "peer_left", "peer_joined" };
    if (json->variant.count)
        return "variant";
    if (json->assigned)
        return "peer_id";
    return json->peer_message >= 0 && json->peer_message < (int64_t)array_length(kinds) ? kinds[json->peer_message]
                                                                                        : "unknown";
}

static const char *kind_of_system(const godot_mp_json *json)
{
    static const char *const kinds[GW_GODOT_MP_SYSTEMS] = { "auth", "peer_joined", "peer_left", "relay" };
    return json->system >= 0 && json->system < GW_GODOT_MP_SYSTEMS ? kinds[json->system] : "system";
}

static const struct {
    const char *kind;
    void (*add)(godot_mp_json *json, gw_json *text);
} commands[GW_GODOT_MP_COMMANDS] = {
    [GW_GODOT_MP_CALL] = { "call", add_call },
    [GW_GODOT_MP_SET] = { "set", add_set },
    [GW_GODOT_MP_SIMPLIFY_PATH] = { "path", add_definition },
    [GW_GODOT_MP_CONFIRM_PATH] = { "confirm", add_confirmation },
    [GW_GODOT_MP_RAW] = { "raw", add_raw },
    [GW_GODOT_MP_SPAWN] = { "spawn", add_spawn },
    [GW_GODOT_MP_DESPAWN] = { "despawn", add_despawn },
    [GW_GODOT_MP_SYNC] = { "sync", add_sync },
    [GW_GODOT_MP_SYSTEM] = { NULL, add_system },
};

/* ---- the message ----------------------------------------------------------------------------------------- */

static void add_relay(const godot_mp_json *json, gw_json *text)
{
    const godot_mp_findings *findings = json->tree->message->findings;
    const godot_mp_relay *relay = findings->relay;
    gw_json_add_true(text, "relayed", json->depth > 0);
    if (!relay)
        return;
    const nstime_t sent = gw_time_of(relay->time);
    if (!findings->begins_relay) {
        gw_json_add_frame(text, "relay_of", relay->frame);
        if (!json->tree->message->position.repeated)
            gw_json_add_time_between(text, "relay_time", &json->pinfo->abs_ts, &sent);
    } else if (relay->hops) {
        const nstime_t relayed = gw_time_of(relay->hops->time);
        gw_json_add_frame(text, "relayed_in", relay->hops->frame);
        gw_json_add_time_between(text, "relay_time", &relayed, &sent);
    }
}

/* What the recording of a game has besides the message. */
static void add_recorded(gw_json *text, const godot_mp_origin *origin)
{
    if (origin->has_frames) {
        gw_json_add_uint(text, "process_frame", origin->process_frame);
        gw_json_add_uint(text, "physics_tick", origin->physics_tick);
    }
    gw_json_add_frame(text, "other_in", origin->other_in);
    if (origin->lost)
        gw_json_add_uint(text, "lost", origin->lost);
    if (origin->has_handler_time)
        gw_json_add_time(text, "handler_time", &origin->handler_time);
    if (origin->has_way_time)
        gw_json_add_time(text, "way_time", &origin->way_time);
}

/* The members of all kinds, after those of the kind. */
static void add_common(const godot_mp_json *json, gw_json *text, bool has_carrier)
{
    const godot_mp_message *message = json->tree->message;
    const godot_mp_connection *connection = message->position.connection;
    const godot_mp_origin *origin = message->carrier->origin;
    const godot_mp_channel *channel = message->carrier->channel;
    if (origin && origin->has_connection)
        gw_json_add_uint(text, "connection", origin->connection);
    gw_json_add_true(text, "duplicate", origin && origin->repeated);
    add_relay(json, text);
    if (connection && connection->number != GODOT_MP_NO_STREAM)
        gw_json_add_uint(text, "stream", connection->number);
    if (!has_carrier)
        gw_json_add_uint(text, "bytes", tvb_reported_length(message->tvb));
    gw_json_add_uint(text, "generation", (uint64_t)gw_godot_mp_generation((gw_godot_mp_form)message->reader.form));
    if (channel && channel->association)
        gw_json_add_uint(text, "data_channel", channel->stream);
    if (origin)
        add_recorded(text, origin);
}

void godot_mp_json_end(godot_mp_json *json, unsigned first_finding)
{
    const godot_mp_message *message = json->tree->message;
    const enet_message *enet = message->carrier->origin ? NULL : message->carrier->enet;
    gw_json_carrier carrier = { 0 };
    gw_json_head head = { .protocol = "godot_mp",
                          .from = field_text(json, godot_mp_from(message)),
                          .to = field_text(json, godot_mp_to(message)),
                          .carrier = enet ? &carrier : NULL };
    gw_json text;
    if (enet)
        carrier = enet_carrier_of(enet, tvb_reported_length(message->tvb));
    bool has_command = json->command < GW_GODOT_MP_COMMANDS && commands[json->command].add;
    head.kind = !has_command                          ? kind_of_other(json)
                : json->command == GW_GODOT_MP_SYSTEM ? kind_of_system(json)
                                                      : commands[json->command].kind;
    gw_json_begin(&text, json->pinfo, &head);
    if (has_command)
        commands[json->command].add(json, &text);
    else
        add_other(json, &text);
    add_common(json, &text, enet != NULL);
    gw_json_add_notes(&text, json->pinfo, first_finding, gw_count_findings(json->pinfo));
    gw_json_end(&text, json->tree->trees[0], godot_mp_hf.json);
}
