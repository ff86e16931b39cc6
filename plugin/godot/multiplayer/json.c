/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A message as JSON, from its events, their names, and its findings. Of a relayed packet, the innermost one counts.
 */
#include "internal.h"

#include "names/internal.h"

#include "common/archive.h"
#include "common/display/json_message.h"
#include "common/findings.h"
#include "common/items.h"

/* A JSON array that is being written. */
typedef struct json_list {
    gw_json json;
    uint32_t count;
} json_list;

/* The lists of a message. The other members are in its facts and findings. */
struct godot_mp_json {
    const godot_mp_tree *tree;
    json_list values;     /* arguments of a call, state of a spawn, properties of an update, or the only value */
    json_list properties; /* names of the values, as far as they are known */
    json_list custom;     /* custom data of a spawn */
    json_list updates;    /* of a sync */
    bool is_in_update;    /* the last update is not written yet: its values follow */
};

/* ---- lists ----------------------------------------------------------------------------------------------- */

/* Begins a list without elements, in place of the one before. */
static void begin_list(const godot_mp_json *json, json_list *list)
{
    list->count = 0;
    gw_json_init(&list->json, json->tree->pinfo->pool);
    gw_json_open_array(&list->json);
}

/* The JSON of a message, with empty lists; NULL if the field is not referenced. */
godot_mp_json *godot_mp_json_new(const godot_mp_tree *tree)
{
    if (!gw_json_is_wanted(tree->pinfo, tree->trees[0], godot_mp_hf.json))
        return NULL;
    godot_mp_json *json = wmem_new(tree->pinfo->pool, godot_mp_json);
    json->tree = tree;
    json->is_in_update = false;
    begin_list(json, &json->values);
    begin_list(json, &json->properties);
    begin_list(json, &json->custom);
    begin_list(json, &json->updates);
    return json;
}

/* Adds the list as a member of an object. */
static void add_list(gw_json *text, const char *name, json_list *list)
{
    gw_json_close_array(&list->json);
    gw_json_name(text, name);
    gw_json_value(text, &list->json);
}

/* Adds the only element of the list as a member, if there is one: the text of the list without its brackets. */
static void add_element(gw_json *text, const char *name, json_list *list)
{
    gw_json_close_array(&list->json);
    if (!list->count)
        return;
    const char *array = wmem_strbuf_get_str(list->json.text);
    gw_json_name(text, name);
    gw_json_text(text, array + strlen("["), wmem_strbuf_get_len(list->json.text) - strlen("[]"));
}

/* Adds the text as a member; nothing if it is NULL. */
static void add_text(const godot_mp_json *json, gw_json *text, const char *name, const char *value)
{
    if (value)
        gw_json_add_string(text, name, gw_field_text(json->tree->pinfo->pool, value));
}

/* ---- values ---------------------------------------------------------------------------------------------- */

/* Writes the value of an event at the end of a list, by its encoding: PLAIN is a Variant; half floats (HALVES) are
 * converted to one; a compressed bool or int has no header of a Variant. */
static void add_value(const godot_mp_json *json, json_list *list, const gw_godot_mp_event *event)
{
    packet_info *pinfo = json->tree->pinfo;
    const gw_godot_mp_reader *reader = &json->tree->message->reader;
    gw_godot_options options = { .generation = (gw_godot_generation)reader->generation };
    uint8_t variant[GW_GODOT_MP_HALVES_VARIANT];
    gw_json *text = &list->json;
    list->count++;
    if (event->role == GW_GODOT_MP_ROLE_BYTES) {
        gw_json_open_object(text);
        gw_json_name(text, "$PackedByteArray");
        gw_json_hex(text, reader->bytes + event->payload.offset, event->payload.length);
        gw_json_close_object(text);
    } else if (event->encoding == GW_GODOT_MP_NULL_OBJECT) {
        gw_json_null(text);
    } else if (event->encoding == GW_GODOT_MP_HALVES) {
        uint32_t length = gw_godot_mp_variant_of_halves(reader->bytes, event, variant);
        godot_json_add(text, NULL, pinfo, variant, length, &options);
    } else if (event->encoding == GW_GODOT_MP_PLAIN) {
        options.offset = event->payload.offset;
        godot_json_add(text, NULL, pinfo, reader->bytes, gw_span_end(event->payload), &options);
    } else if (event->type == GW_GODOT_BOOL) { /* compressed: bool, else int */
        gw_json_bool(text, event->number != 0);
    } else {
        gw_json_int(text, event->number);
    }
}

/* Writes the update of the latest OPEN (tree->update, which the facts have), whose values have been added, and begins
 * new lists for the next one. */
static void add_update(godot_mp_json *json)
{
    const godot_mp_tree *tree = json->tree;
    const godot_mp_update *update = &tree->message->facts.updates[tree->update];
    const godot_mp_found_update *found = godot_mp_update_at(tree, tree->update);
    gw_json *text = &json->updates.json;
    gw_json_open_object(text);
    if (godot_mp_has(update->roles, GW_GODOT_MP_ROLE_NET_ID)) {
        add_text(json, text, "node", godot_mp_path_of_update(tree, found));
        gw_json_add_uint(text, "net_id", update->net_id);
    }
    if (godot_mp_has(update->roles, GW_GODOT_MP_ROLE_SIZE))
        gw_json_add_uint(text, "bytes", update->size);
    if (godot_mp_has(update->roles, GW_GODOT_MP_ROLE_INDEXES))
        gw_json_add_uint(text, "indexes", update->indexes);
    if (found->interval.previous) {
        gw_json_add_time(text, "interval", &found->interval.length);
        gw_json_add_true(text, "late", found->interval.is_late && !tree->message->position.repeated);
    }
    if (json->properties.count)
        add_list(text, "properties", &json->properties);
    add_list(text, "values", &json->values);
    gw_json_close_object(text);
    json->updates.count++;
    begin_list(json, &json->properties);
    begin_list(json, &json->values);
}

/* Adds an event that is an update, custom data or a value; the other parts of a message are in its facts. A value has
 * the type of a Variant; other events have GW_GODOT_TYPES in its place. `name`: of the value's property; NULL: not
 * known. `variant`: the data of a RAW message, if it is a Variant; else NULL. */
void godot_mp_json_add(godot_mp_json *json, const gw_godot_mp_event *event, const char *name, tvbuff_t *variant)
{
    const godot_mp_tree *tree = json->tree;
    const gw_godot_options options = { .generation = (gw_godot_generation)tree->message->reader.generation };
    if (event->role == GW_GODOT_MP_ROLE_UPDATE) {
        if (event->kind == GW_CLOSE)
            add_update(json);
        json->is_in_update = event->kind == GW_OPEN;
    } else if (event->role == GW_GODOT_MP_ROLE_CUSTOM) {
        add_value(json, &json->custom, event);
    } else if (event->type != GW_GODOT_TYPES || event->role == GW_GODOT_MP_ROLE_BYTES) {
        add_value(json, &json->values, event);
        if (name) {
            gw_json_string(&json->properties.json, name);
            json->properties.count++;
        }
    } else if (variant) {
        godot_json_add(&json->values.json, NULL, tree->pinfo, gw_bytes_of(variant), tvb_captured_length(variant),
                       &options);
        json->values.count++;
    }
}

/* ---- members of a kind ------------------------------------------------------------------------------------ */

/* The kind of the message: its command or, without a packet, that of its head. */
static const char *kind_of(const godot_mp_message *message)
{
    const godot_mp_facts *facts = &message->facts;
    static const char *const kinds[GW_GODOT_MP_COMMANDS] = {
        [GW_GODOT_MP_CALL] = "call",
        [GW_GODOT_MP_SET] = "set",
        [GW_GODOT_MP_SIMPLIFY_PATH] = "path",
        [GW_GODOT_MP_CONFIRM_PATH] = "confirm",
        [GW_GODOT_MP_RAW] = "raw",
        [GW_GODOT_MP_SPAWN] = "spawn",
        [GW_GODOT_MP_DESPAWN] = "despawn",
        [GW_GODOT_MP_SYNC] = "sync",
    };
    static const char *const systems[GW_GODOT_MP_SYSTEMS] = { "auth", "peer_joined", "peer_left", "relay" };
    static const char *const peer_messages[] = { "peer_joined", "peer_left" };
    static const char *const websocket_messages[GW_GODOT_MP_WEBSOCKET_TYPES] = {
        [GW_GODOT_MP_WEBSOCKET_NONE] = "unknown",
        [GW_GODOT_MP_WEBSOCKET_ADD] = "peer_joined",
        [GW_GODOT_MP_WEBSOCKET_DELETE] = "peer_left",
        [GW_GODOT_MP_WEBSOCKET_ID] = "peer_id",
    };
    if (facts->command == GW_GODOT_MP_SYSTEM) {
        bool is_known = godot_mp_has(facts->roles, GW_GODOT_MP_ROLE_SUB_COMMAND) && facts->system < GW_GODOT_MP_SYSTEMS;
        return is_known ? systems[facts->system] : "system";
    }
    if (facts->command != GW_GODOT_MP_UNKNOWN)
        return kinds[facts->command];
    if (godot_mp_has(facts->roles, GW_GODOT_MP_ROLE_VARIANT))
        return "variant";
    if (godot_mp_has(facts->roles, GW_GODOT_MP_ROLE_ASSIGNED))
        return "peer_id";
    if (godot_mp_has(facts->roles, GW_GODOT_MP_ROLE_PEER_COMMAND) && facts->peer_message < array_length(peer_messages))
        return peer_messages[facts->peer_message];
    if (message->reader.form == GW_GODOT_MP_3_WEBSOCKET && message->reader.head_type < GW_GODOT_MP_WEBSOCKET_TYPES)
        return websocket_messages[message->reader.head_type];
    return "unknown";
}

/* Adds the path of the node: the message's own or, of a path id, that of its definition. */
static void add_node(const godot_mp_json *json, gw_json *text)
{
    const godot_mp_message *message = json->tree->message;
    const godot_mp_path *entry = message->findings->path.entry;
    add_text(json, text, "node", message->facts.path ? message->facts.path : entry ? entry->path : NULL);
}

/* Adds the path id, if the message was read up to it. */
static void add_path_id(const godot_mp_facts *facts, gw_json *text)
{
    if (godot_mp_has(facts->roles, GW_GODOT_MP_ROLE_PATH_ID))
        gw_json_add_uint(text, "path_id", facts->path_id);
}

/* Adds the net id, if the message was read up to it. */
static void add_net_id(const godot_mp_facts *facts, gw_json *text)
{
    if (godot_mp_has(facts->roles, GW_GODOT_MP_ROLE_NET_ID))
        gw_json_add_uint(text, "net_id", facts->net_id);
}

/* Adds the members that only a SPAWN, a DESPAWN or a SYNC has. */
static void add_nodes(godot_mp_json *json, gw_json *text)
{
    const godot_mp_tree *tree = json->tree;
    const godot_mp_facts *facts = &tree->message->facts;
    const godot_mp_found_spawn *spawn = &tree->message->findings->spawn;
    switch (facts->command) {
    case GW_GODOT_MP_SPAWN:
        add_node(json, text);
        add_text(json, text, "name", facts->name);
        if (godot_mp_has(facts->roles, GW_GODOT_MP_ROLE_SCENE))
            gw_json_add_uint(text, "scene", facts->scene);
        add_text(json, text, "scene_name", tree->scene);
        add_net_id(facts, text);
        add_element(text, "custom", &json->custom);
        add_list(text, "state", &json->values);
        if (json->properties.count)
            add_list(text, "properties", &json->properties);
        break;
    case GW_GODOT_MP_DESPAWN: {
        bool is_spawned = spawn->entry && !spawn->is_later;
        add_text(json, text, "name", is_spawned ? spawn->entry->name : NULL);
        add_net_id(facts, text);
        if (is_spawned && !tree->message->position.repeated) {
            const nstime_t spawned = gw_time_of(spawn->entry->time);
            gw_json_add_time_between(text, "lifetime", &tree->pinfo->abs_ts, &spawned);
        }
        break;
    }
    default: /* SYNC */
        if (json->is_in_update)
            add_update(json); /* its end could not be read */
        /* The node of the only update is that of the message, too. */
        if (json->updates.count == 1 && godot_mp_has(facts->updates[0].roles, GW_GODOT_MP_ROLE_NET_ID))
            add_text(json, text, "node", godot_mp_path_of_update(tree, godot_mp_update_at(tree, 0)));
        add_list(text, "updates", &json->updates);
        break;
    }
}

/* Adds the members of a message without a command: a Variant, the id of a peer, or bytes that could not be read. Such
 * bytes are not added if the message was not read to its end because of a limit (`rest`), nor in a relayed packet
 * (`depth`). */
static void add_without_command(godot_mp_json *json, gw_json *text)
{
    const godot_mp_message *message = json->tree->message;
    const godot_mp_facts *facts = &message->facts;
    const gw_fault *fault = &message->reader.fault;
    if (godot_mp_has(facts->roles, GW_GODOT_MP_ROLE_VARIANT)) {
        add_element(text, "value", &json->values);
    } else if (godot_mp_has(facts->roles, GW_GODOT_MP_ROLE_ASSIGNED)) {
        gw_json_add_int(text, "peer", facts->assigned);
    } else {
        if (godot_mp_has(facts->roles, GW_GODOT_MP_ROLE_PEER))
            gw_json_add_int(text, "peer", facts->peer);
        if (fault->fault_class && !message->rest && !facts->depth)
            gw_json_add_undecoded(text, message->tvb, fault->offset);
    }
}

/* Adds the members that only messages of this kind have. */
static void add_members_of_kind(godot_mp_json *json, gw_json *text)
{
    const godot_mp_tree *tree = json->tree;
    const godot_mp_facts *facts = &tree->message->facts;
    switch (facts->command) {
    case GW_GODOT_MP_CALL:
        add_node(json, text);
        add_text(json, text, "method", tree->method);
        if (godot_mp_has(facts->roles, GW_GODOT_MP_ROLE_METHOD_ID))
            gw_json_add_uint(text, "method_id", facts->method_id);
        add_list(text, "arguments", &json->values);
        break;
    case GW_GODOT_MP_SET:
        add_node(json, text);
        add_text(json, text, "property", facts->method);
        add_element(text, "value", &json->values);
        break;
    case GW_GODOT_MP_SIMPLIFY_PATH:
        add_node(json, text);
        add_path_id(facts, text);
        add_text(json, text, "checksum", facts->checksum);
        break;
    case GW_GODOT_MP_CONFIRM_PATH:
        add_node(json, text);
        add_path_id(facts, text);
        if (godot_mp_has(facts->roles, GW_GODOT_MP_ROLE_CONFIRMED))
            gw_json_add_bool(text, "same_methods", !facts->differs);
        break;
    case GW_GODOT_MP_SYSTEM:
    case GW_GODOT_MP_RAW:
        if (godot_mp_has(facts->roles, GW_GODOT_MP_ROLE_PEER))
            gw_json_add_int(text, "peer", facts->peer);
        if (godot_mp_has(facts->roles, GW_GODOT_MP_ROLE_DATA))
            gw_json_add_hex(text, "data", tree->tvb, facts->data);
        if (facts->command == GW_GODOT_MP_RAW)
            add_element(text, "value", &json->values);
        break;
    case GW_GODOT_MP_UNKNOWN:
        add_without_command(json, text);
        break;
    default:
        add_nodes(json, text);
        break;
    }
}

/* ---- the message ----------------------------------------------------------------------------------------- */

/* Links the client's message that this one relays, or the first message that relays this one. */
static void add_relay(const godot_mp_tree *tree, gw_json *text)
{
    const godot_mp_findings *findings = tree->message->findings;
    const godot_mp_relay *relay = findings->relay;
    if (!relay)
        return;
    const nstime_t sent = gw_time_of(relay->time);
    if (!findings->begins_relay) {
        gw_json_add_frame(text, "relay_of", relay->frame);
        if (!tree->message->position.repeated)
            gw_json_add_time_between(text, "relay_time", &tree->pinfo->abs_ts, &sent);
    } else if (relay->hops) {
        const nstime_t relayed = gw_time_of(relay->hops->time);
        gw_json_add_frame(text, "relayed_in", relay->hops->frame);
        gw_json_add_time_between(text, "relay_time", &relayed, &sent);
    }
}

/* Adds the members that messages of all kinds have. `has_bytes`: ENet's members, which are written already, have the
 * number of bytes. */
static void add_common_members(const godot_mp_tree *tree, gw_json *text, bool has_bytes)
{
    const godot_mp_message *message = tree->message;
    const godot_mp_connection *connection = message->position.connection;
    const godot_mp_origin *origin = message->carrier->origin;
    const godot_mp_channel *channel = message->carrier->channel;
    if (origin && origin->has_connection)
        gw_json_add_uint(text, "connection", origin->connection);
    if (message->carrier->is_websocket)
        gw_json_add_string(text, "delivery", GODOT_MP_RELIABLE);
    else if (channel)
        gw_json_add_string(text, "delivery", channel->delivery);
    gw_json_add_true(text, "duplicate", origin && origin->repeated);
    gw_json_add_true(text, "relayed", message->facts.depth > 0);
    add_relay(tree, text);
    if (connection && connection->number != GODOT_MP_NO_STREAM)
        gw_json_add_uint(text, "stream", connection->number);
    if (!has_bytes)
        gw_json_add_uint(text, "bytes", tvb_reported_length(message->tvb));
    gw_json_add_uint(text, "generation", (uint64_t)gw_godot_mp_generation((gw_godot_mp_form)message->reader.form));
    if (channel && channel->association)
        gw_json_add_uint(text, "data_channel", channel->stream);
    if (!origin)
        return;
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

/* Writes the message from its facts, findings and lists, and adds it to the tree. An exported or recorded message
 * (`origin`) has no datagram of ENet: add_common_members() adds the members of its carrier. `first_finding`: index of
 * the message's first finding among those of the packet. */
void godot_mp_json_end(godot_mp_json *json, unsigned first_finding)
{
    const godot_mp_tree *tree = json->tree;
    const godot_mp_message *message = tree->message;
    const enet_message *enet = message->carrier->origin ? NULL : message->carrier->enet;
    const char *from = godot_mp_from(message, GODOT_MP_IN_COLUMN);
    const char *to = godot_mp_to(message, GODOT_MP_IN_COLUMN);
    gw_json_carrier carrier = { 0 };
    if (enet)
        carrier = enet_carrier_of(enet, tvb_reported_length(message->tvb));
    const gw_json_head head = { .protocol = "godot_mp",
                                .kind = kind_of(message),
                                .from = from ? gw_field_text(tree->pinfo->pool, from) : NULL,
                                .to = to ? gw_field_text(tree->pinfo->pool, to) : NULL,
                                .carrier = enet ? &carrier : NULL };
    gw_json text;
    gw_json_begin(&text, tree->pinfo, &head);
    add_members_of_kind(json, &text);
    add_common_members(tree, &text, enet != NULL);
    gw_json_add_notes(&text, tree->pinfo, first_finding, gw_count_findings(tree->pinfo));
    gw_json_end(&text, tree->trees[0], godot_mp_hf.json);
}
