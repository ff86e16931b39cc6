/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Events into items. What ids mean is findings.c's.
 */
#include "tree.h"

#include "common/demand.h"
#include "common/experts.h"
#include "fields.h"
#include "godot/variant/custom.h"
#include "godot/variant/fields.h"

#define VALUE_SIZE 240
/* Synchronisers of one spawned node. */
#define MOST_IDS_SHOWN 256

/* ---- plain items --------------------------------------------------------------------------------------- */

typedef struct shown_field {
    const int *hf;
    unsigned encoding;
} shown_field;

#define HF(member) &godot_multiplayer_hf.member

/* Where the command does not matter. */
static const shown_field shown_fields[GW_GODOT_MULTIPLAYER_FIELDS] = {
    [GW_GODOT_MULTIPLAYER_HEAD_TYPE] = { HF(message_type), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MULTIPLAYER_SOURCE] = { HF(source), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MULTIPLAYER_TARGET] = { HF(target), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MULTIPLAYER_PEER_COMMAND] = { HF(peer_message), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MULTIPLAYER_PEER] = { HF(peer), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MULTIPLAYER_ASSIGNED] = { HF(assigned_peer), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MULTIPLAYER_COMMAND] = { HF(flags), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MULTIPLAYER_SUB_COMMAND] = { HF(system), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MULTIPLAYER_NODE_ID] = { HF(rpc_node_id), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MULTIPLAYER_METHOD_ID] = { HF(rpc_method_id), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MULTIPLAYER_METHOD] = { HF(rpc_method), ENC_UTF_8 },
    [GW_GODOT_MULTIPLAYER_PROPERTY] = { HF(rpc_property), ENC_UTF_8 },
    [GW_GODOT_MULTIPLAYER_ARGUMENT_COUNT] = { HF(rpc_argument_count), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MULTIPLAYER_BYTES] = { HF(rpc_bytes), ENC_NA },
    [GW_GODOT_MULTIPLAYER_PATH] = { HF(path_path), ENC_UTF_8 },
    [GW_GODOT_MULTIPLAYER_CHECKSUM_TEXT] = { HF(path_checksum), ENC_UTF_8 },
    [GW_GODOT_MULTIPLAYER_PATH_ID] = { HF(path_id), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MULTIPLAYER_CONFIRMED] = { HF(path_confirmed), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MULTIPLAYER_DATA] = { HF(data), ENC_NA },
    [GW_GODOT_MULTIPLAYER_SCENE] = { HF(spawn_scene), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MULTIPLAYER_SPAWNER] = { HF(spawn_spawner), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MULTIPLAYER_NET_ID] = { HF(spawn_net_id), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MULTIPLAYER_SYNC_COUNT] = { HF(spawn_sync_count), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MULTIPLAYER_NAME_LENGTH] = { HF(spawn_name_length), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MULTIPLAYER_NAME] = { HF(spawn_name), ENC_UTF_8 },
    [GW_GODOT_MULTIPLAYER_CUSTOM_SIZE] = { HF(spawn_custom_size), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MULTIPLAYER_TIME] = { HF(sync_time), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MULTIPLAYER_INDEXES] = { HF(sync_indexes), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MULTIPLAYER_SIZE] = { HF(sync_size), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MULTIPLAYER_RELAY_PEER] = { HF(relay_peer), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MULTIPLAYER_TRAILING] = { HF(trailing), ENC_NA },
};

static const shown_field *shown_as(const godot_multiplayer_message *message, const gw_godot_multiplayer_event *event)
{
    static const shown_field call_path = { HF(rpc_path), ENC_UTF_8 };
    static const shown_field call_offset = { HF(rpc_path_offset), ENC_LITTLE_ENDIAN };
    static const shown_field sync_id = { HF(sync_net_id), ENC_LITTLE_ENDIAN };
    const gw_godot_multiplayer_packet *packet = &message->reader.packet;
    if (event->field == GW_GODOT_MULTIPLAYER_PATH && packet->has_path)
        return &call_path;
    if (event->field == GW_GODOT_MULTIPLAYER_NODE_ID && packet->has_path)
        return &call_offset;
    if (event->field == GW_GODOT_MULTIPLAYER_NET_ID && packet->command == GW_GODOT_MULTIPLAYER_SYNC)
        return &sync_id;
    return &shown_fields[event->field];
}

static proto_tree *tree_at(const godot_multiplayer_message *message, const gw_godot_multiplayer_event *event)
{
    return message->trees[event->depth];
}

static proto_item *add_item(const godot_multiplayer_message *message, const gw_godot_multiplayer_event *event)
{
    const shown_field *shown = shown_as(message, event);
    proto_tree *tree = tree_at(message, event);
    int start = (int)event->payload.offset;
    int length = (int)(event->payload.length + event->padding.length);
    if (!shown->hf)
        return NULL;
    /* The offset goes without the bit that says what it is. */
    if (shown->hf == HF(rpc_path_offset))
        return proto_tree_add_uint(tree, *shown->hf, message->tvb, start, length,
                                   (uint32_t)event->number & ~GW_GODOT_MULTIPLAYER_BY_OFFSET);
    if (shown->encoding == ENC_UTF_8)
        length = (int)event->payload.length;
    return proto_tree_add_item(tree, *shown->hf, message->tvb, start, length, shown->encoding);
}

/* ---- values -------------------------------------------------------------------------------------------- */

typedef struct value_names {
    const char *title; /* "Argument 0", "position" */
    const char *path;  /* with which the paths of its members begin */
    int hf;            /* FT_STRING */
} value_names;

static value_names names_of(const godot_multiplayer_message *message, const gw_godot_multiplayer_event *event,
                            const char *property)
{
    wmem_allocator_t *pool = message->pinfo->pool;
    const char *method = message->method ? message->method : "call";
    switch (event->field) {
    case GW_GODOT_MULTIPLAYER_ARGUMENT:
        return (value_names){ wmem_strdup_printf(pool, "Argument %u", event->index),
                              wmem_strdup_printf(pool, "%s(%u)", method, event->index),
                              godot_multiplayer_hf.rpc_argument };
    case GW_GODOT_MULTIPLAYER_CUSTOM:
        return (value_names){ "Custom data", "custom", godot_multiplayer_hf.spawn_custom };
    case GW_GODOT_MULTIPLAYER_STATE:
        return (value_names){ property ? property : wmem_strdup_printf(pool, "State %u", event->index),
                              property ? property : wmem_strdup_printf(pool, "state[%u]", event->index),
                              godot_multiplayer_hf.spawn_state };
    default:
        return (value_names){ property ? property : wmem_strdup_printf(pool, "Value %u", event->index),
                              property ? property : wmem_strdup_printf(pool, "value[%u]", event->index),
                              godot_multiplayer_hf.sync_value };
    }
}

/* A bool or int without a Variant's header, in the Variants' own field. */
static proto_item *add_compressed(const godot_multiplayer_message *message, const gw_godot_multiplayer_event *event,
                                  const value_names *names)
{
    proto_tree *tree = tree_at(message, event);
    int start = (int)event->payload.offset, length = (int)event->payload.length;
    const char *text = event->number ? "true" : "false";
    proto_item *item;
    if (event->type == GW_GODOT_INT)
        text = wmem_strdup_printf(message->pinfo->pool, "%" PRId64, event->number);
    if (event->type == GW_GODOT_BOOL)
        item = proto_tree_add_boolean(tree, godot_hf_value[GW_GODOT_BOOL], message->tvb, start, length,
                                      event->number != 0);
    else
        item = proto_tree_add_int64(tree, godot_hf_value[GW_GODOT_INT], message->tvb, start, length, event->number);
    proto_item_set_text(item, "%s: %s", names->title, text);
    proto_tree *below = proto_item_add_subtree(item, godot_multiplayer_ett_item);
    if (message->wants_values)
        proto_item_set_generated(proto_tree_add_string(below, godot_hf.path, message->tvb, start, 0, names->path));
    if (godot_custom_is_wanted(below)) {
        const godot_custom_value value = { .type = (gw_godot_type)event->type, .integer = event->number };
        godot_custom_add(below, message->pinfo, message->tvb, event->payload, names->path, &value);
    }
    return item;
}

static proto_item *add_variant(godot_multiplayer_message *message, const gw_godot_multiplayer_event *event,
                               const value_names *names)
{
    godot_variant_request request = {
        .offset = event->payload.offset,
        .generation = (gw_godot_generation)message->reader.generation,
        .in_line = true,
        .title = names->title,
        .path = names->path,
    };
    godot_variant_result result;
    if (event->encoding == GW_GODOT_MULTIPLAYER_NULL_OBJECT) {
        /* Four bytes and no more, whatever follows. */
        tvbuff_t *header = tvb_new_subset_length(message->tvb, (int)event->payload.offset, (int)event->payload.length);
        request.offset = 0;
        request.bare_objects = true;
        godot_variant_add(message->pinfo, header, tree_at(message, event), &request, &result);
        return result.item;
    }
    if (!message->variants)
        message->variants = godot_variants_new(message->pinfo, message->tvb);
    godot_variants_add(message->variants, tree_at(message, event), &request, &result);
    return result.item;
}

static void add_value_text(godot_multiplayer_message *message, const gw_godot_multiplayer_event *event,
                           proto_item *item, int hf)
{
    char buffer[VALUE_SIZE];
    gw_text text;
    proto_tree *tree = item ? proto_item_add_subtree(item, godot_multiplayer_ett_item) : tree_at(message, event);
    if (!message->wants_values)
        return;
    gw_text_init(&text, buffer, sizeof buffer);
    gw_godot_multiplayer_print_value(&text, &message->reader, event);
    proto_item_set_generated(
        proto_tree_add_string(tree, hf, message->tvb, (int)event->payload.offset, (int)event->payload.length, buffer));
}

static const char *show_value(godot_multiplayer_message *message, const gw_godot_multiplayer_event *event)
{
    const char *property = godot_multiplayer_show_id(message, event, NULL);
    value_names names = names_of(message, event, property);
    proto_item *item = event->encoding == GW_GODOT_MULTIPLAYER_COMPRESSED ? add_compressed(message, event, &names)
                                                                          : add_variant(message, event, &names);
    add_value_text(message, event, item, names.hf);
    /* What is odd about a Variant its own items say; not that the receiver refuses a typed null. */
    gw_add_odd_experts(message->pinfo, item ? item : message->items[0], godot_multiplayer_ei_odd,
                       gw_godot_multiplayer_odd_text, message->odd_counts,
                       event->odd & ~(uint32_t)GW_GODOT_MULTIPLAYER_ODD_VALUE, event->payload.offset);
    return property;
}

/* ---- what holds others --------------------------------------------------------------------------------- */

static void open_packet(godot_multiplayer_message *message, const gw_godot_multiplayer_event *event)
{
    const char *name = gw_godot_multiplayer_command_name((gw_godot_multiplayer_command)event->number);
    proto_tree *tree = tree_at(message, event);
    proto_item *item = NULL;
    if (event->depth) {
        tree = proto_tree_add_subtree(tree, message->tvb, (int)event->payload.offset, (int)event->payload.length,
                                      godot_multiplayer_ett_packet, &item, "Relayed packet");
    }
    message->trees[event->depth + 1] = tree;
    message->items[event->depth + 1] = item ? item : message->items[event->depth];
    proto_item *command =
        proto_tree_add_string(tree, godot_multiplayer_hf.command, message->tvb, (int)event->payload.offset, 1, name);
    gw_add_odd_experts(message->pinfo, command, godot_multiplayer_ei_odd, gw_godot_multiplayer_odd_text,
                       message->odd_counts, event->odd, event->payload.offset);
    message->facts.command = (uint8_t)event->number;
}

static void open_update(godot_multiplayer_message *message, const gw_godot_multiplayer_event *event)
{
    proto_item *item = proto_tree_add_item(tree_at(message, event), godot_multiplayer_hf.sync_node, message->tvb,
                                           (int)event->payload.offset, (int)event->payload.length, ENC_NA);
    message->items[event->depth + 1] = item;
    message->trees[event->depth + 1] = proto_item_add_subtree(item, godot_multiplayer_ett_packet);
    if (message->facts.update_count < GODOT_FACTS_UPDATES)
        message->facts.updates[message->facts.update_count] = (godot_update_facts){ NULL, event->payload.length };
}

static void close_update(godot_multiplayer_message *message, const gw_godot_multiplayer_event *event)
{
    gw_add_odd_experts(message->pinfo, message->items[event->depth + 1], godot_multiplayer_ei_odd,
                       gw_godot_multiplayer_odd_text, message->odd_counts, event->odd, event->payload.offset);
    if (message->facts.update_count < GODOT_FACTS_UPDATES)
        message->facts.updates[message->facts.update_count++].bytes = event->payload.length;
}

static void add_not_shown(const godot_multiplayer_message *message, proto_tree *tree, uint32_t from, uint32_t to)
{
    proto_item *item =
        proto_tree_add_item(tree, godot_multiplayer_hf.not_shown, message->tvb, (int)from, (int)(to - from), ENC_NA);
    expert_add_info(message->pinfo, item, &godot_multiplayer_ei.not_shown);
}

static void show_ids(const godot_multiplayer_message *message, const gw_godot_multiplayer_event *event)
{
    uint32_t count = event->payload.length / 4;
    for (uint32_t i = 0; i < MIN(count, MOST_IDS_SHOWN); i++)
        proto_tree_add_item(tree_at(message, event), godot_multiplayer_hf.spawn_sync_id, message->tvb,
                            (int)(event->payload.offset + 4 * i), 4, ENC_LITTLE_ENDIAN);
    if (count > MOST_IDS_SHOWN)
        add_not_shown(message, tree_at(message, event), event->payload.offset + 4 * MOST_IDS_SHOWN,
                      gw_span_end(event->payload));
}

static bool is_value(const gw_godot_multiplayer_event *event)
{
    return event->type != GW_GODOT_TYPES;
}

const char *godot_multiplayer_show(godot_multiplayer_message *message, const gw_godot_multiplayer_event *event)
{
    if (is_value(event))
        return show_value(message, event);
    if (event->field == GW_GODOT_MULTIPLAYER_UPDATE) {
        if (event->kind == GW_OPEN)
            open_update(message, event);
        else
            close_update(message, event);
        return NULL;
    }
    if (event->field == GW_GODOT_MULTIPLAYER_PACKET) {
        if (event->kind == GW_OPEN)
            open_packet(message, event);
        else
            godot_multiplayer_end_packet(message, event);
        return NULL;
    }
    if (event->field == GW_GODOT_MULTIPLAYER_SYNC_IDS)
        show_ids(message, event);
    proto_item *item = add_item(message, event);
    gw_add_odd_experts(message->pinfo, item, godot_multiplayer_ei_odd, gw_godot_multiplayer_odd_text,
                       message->odd_counts, event->odd, event->payload.offset);
    if (event->field == GW_GODOT_MULTIPLAYER_BYTES)
        add_value_text(message, event, item, godot_multiplayer_hf.rpc_argument);
    return godot_multiplayer_show_id(message, event, item);
}

void godot_multiplayer_show_rest(godot_multiplayer_message *message, uint32_t offset)
{
    add_not_shown(message, message->trees[0], offset, message->reader.length);
}

/* ---- faults -------------------------------------------------------------------------------------------- */

void godot_multiplayer_show_fault(godot_multiplayer_message *message)
{
    static const gw_fault_display display = {
        .hf_undecoded = &godot_multiplayer_hf.undecoded,
        .experts = godot_multiplayer_ei_fault,
        .cut_short = &godot_multiplayer_ei.cut_short,
        .text = gw_godot_multiplayer_fault_text,
        .consequence = gw_godot_multiplayer_fault_consequence,
    };
    gw_fault_show(message->pinfo, message->trees[0], message->tvb, &message->reader.fault, &display);
}
