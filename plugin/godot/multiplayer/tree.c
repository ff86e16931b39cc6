/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds items for events, and for what is known of the whole message. Names of ids are added by findings.c.
 */
#include "internal.h"

#include <wsutil/utf8_entities.h>

#include "common/conversation.h"
#include "common/display/demand.h"
#include "common/display/experts.h"
#include "common/findings.h"
#include "common/items.h"
#include "godot/variant/generation.h"

/* A value of half floats: at most "Quaternion(…)" of four numbers. */
#define HALVES_SIZE 128U
/* A number of 32 bits, with its NUL. */
#define NUMBER_SIZE 11U
/* A call in the item of its command; Wireshark shows at most 240 bytes of an item. */
#define CALL_SIZE 200U
/* The head of a relay in Godot 4: u8 command, u8 sub-command, i32 peer; then the relayed packet. */
#define RELAY_HEAD 6U

/* ---- plain items --------------------------------------------------------------------------------------- */

typedef struct plain_field {
    const int *hf;
    unsigned encoding;
} plain_field;

#define HF(member) &godot_mp_hf.member

/* Fields that are the same in all commands. */
static const plain_field plain_fields[GW_GODOT_MP_ROLES] = {
    [GW_GODOT_MP_ROLE_HEAD_TYPE] = { HF(message_type), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MP_ROLE_SOURCE] = { HF(source), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MP_ROLE_TARGET] = { HF(target), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MP_ROLE_PEER_COMMAND] = { HF(peer_message), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MP_ROLE_PEER] = { HF(peer), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MP_ROLE_ASSIGNED] = { HF(assigned_peer), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MP_ROLE_COMMAND] = { HF(command_byte), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MP_ROLE_SUB_COMMAND] = { HF(system), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MP_ROLE_NODE_ID] = { HF(rpc_node_id), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MP_ROLE_METHOD_ID] = { HF(rpc_method_id), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MP_ROLE_METHOD] = { HF(rpc_method), ENC_UTF_8 },
    [GW_GODOT_MP_ROLE_PROPERTY] = { HF(rpc_property), ENC_UTF_8 },
    [GW_GODOT_MP_ROLE_ARGUMENT_COUNT] = { HF(rpc_argument_count), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MP_ROLE_BYTES] = { HF(rpc_bytes), ENC_NA },
    [GW_GODOT_MP_ROLE_PATH] = { HF(path_path), ENC_UTF_8 },
    [GW_GODOT_MP_ROLE_CHECKSUM_TEXT] = { HF(path_checksum), ENC_UTF_8 },
    [GW_GODOT_MP_ROLE_PATH_ID] = { HF(path_id), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MP_ROLE_CONFIRMED] = { HF(path_confirmed), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MP_ROLE_DATA] = { HF(data), ENC_NA },
    [GW_GODOT_MP_ROLE_SCENE] = { HF(spawn_scene), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MP_ROLE_SPAWNER] = { HF(spawn_spawner), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MP_ROLE_NET_ID] = { HF(spawn_net_id), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MP_ROLE_SYNC_COUNT] = { HF(spawn_sync_count), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MP_ROLE_NAME_LENGTH] = { HF(spawn_name_length), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MP_ROLE_NAME] = { HF(spawn_name), ENC_UTF_8 },
    [GW_GODOT_MP_ROLE_CUSTOM_SIZE] = { HF(spawn_custom_size), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MP_ROLE_TIME] = { HF(sync_time), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MP_ROLE_INDEXES] = { HF(sync_indexes), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MP_ROLE_SIZE] = { HF(sync_size), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MP_ROLE_RELAY_PEER] = { HF(relay_peer), ENC_LITTLE_ENDIAN },
    [GW_GODOT_MP_ROLE_TRAILING] = { HF(trailing), ENC_NA },
};

/* The parent of items at the event's depth. */
static proto_tree *tree_at(const godot_mp_tree *tree, const gw_godot_mp_event *event)
{
    return tree->trees[event->depth];
}

/* The parent of the event's item: the command for its byte, the sender and the receiver for their ids in the head of
 * Godot 3. */
static proto_tree *parent_of(const godot_mp_tree *tree, const gw_godot_mp_event *event)
{
    switch (event->role) {
    case GW_GODOT_MP_ROLE_COMMAND:
        /* The command of a packet that only relays another one has no item. */
        return tree->command && event->depth == tree->message->facts.depth + 1U ? godot_mp_below(tree->command)
                                                                                : tree_at(tree, event);
    case GW_GODOT_MP_ROLE_SOURCE:
        return tree->ends[GODOT_MP_SENDER];
    case GW_GODOT_MP_ROLE_TARGET:
        return tree->ends[GODOT_MP_RECEIVER];
    default:
        return tree_at(tree, event);
    }
}

/* Adds the expert infos of the oddities in `odd`: the event's, or some of them. `item` may be NULL. */
static void add_oddities(godot_mp_tree *tree, const gw_godot_mp_event *event, proto_item *item, uint32_t odd)
{
    if (odd)
        gw_add_odd_experts(tree->pinfo, godot_mp_expert_item(tree, item), godot_mp_ei.odd, &gw_godot_mp_faults,
                           tree->odd_counts, odd, event->payload.offset);
}

/* Adds the text of a value as a generated field, for filters and columns: below its item or, without one, beside it. It
 * is hidden, because the label of the value's item has the same text. */
static void add_value_text(const godot_mp_tree *tree, const gw_godot_mp_event *event, proto_item *item, int hf,
                           const char *text)
{
    if (!tree->wants_values)
        return;
    proto_item *value = proto_tree_add_string(item ? godot_mp_below(item) : tree_at(tree, event), hf, NULL, 0, 0, text);
    proto_item_set_generated(value);
    /* In a tree that is not visible, `value` may be the item of the parent. */
    if (tree->demand.visible)
        proto_item_set_hidden(value);
}

/* Adds the field of an event that is not a value, and reports its oddities. Paths and ids have other fields in a call
 * with its full path, and in a sync. `text`: of the bytes of a call, which have a text field as well. Returns NULL if
 * no item is needed. */
static proto_item *add_field(godot_mp_tree *tree, const gw_godot_mp_event *event, const char *text)
{
    static const plain_field call_path = { HF(rpc_path), ENC_UTF_8 };
    static const plain_field call_offset = { HF(rpc_path_offset), ENC_LITTLE_ENDIAN };
    static const plain_field sync_id = { HF(sync_net_id), ENC_LITTLE_ENDIAN };
    const godot_mp_facts *facts = &tree->message->facts;
    const plain_field *field = &plain_fields[event->role];
    proto_tree *parent = parent_of(tree, event);
    int start = (int)event->payload.offset;
    int length = (int)(event->payload.length + event->padding.length);
    proto_item *item = NULL;
    if (event->role == GW_GODOT_MP_ROLE_PATH && facts->is_by_path)
        field = &call_path;
    else if (event->role == GW_GODOT_MP_ROLE_NODE_ID && facts->is_by_path)
        field = &call_offset;
    else if (event->role == GW_GODOT_MP_ROLE_NET_ID && facts->command == GW_GODOT_MP_SYNC)
        field = &sync_id;
    if (field->hf && tree->is_wanted) {
        /* The offset is shown without the bit that is a flag. */
        if (field == &call_offset)
            item = proto_tree_add_uint(parent, *field->hf, tree->tvb, start, length,
                                       (uint32_t)event->number & ~GW_GODOT_MP_BY_OFFSET);
        else if (field->encoding == ENC_UTF_8)
            item =
                gw_add_text(parent, *field->hf, tree->tvb, event->payload,
                            gw_field_text(tree->pinfo->pool, gw_text_of(tree->pinfo->pool, tree->tvb, event->payload)));
        else
            item = proto_tree_add_item(parent, *field->hf, tree->tvb, start, length, field->encoding);
    }
    add_oddities(tree, event, item, event->odd);
    if (event->role == GW_GODOT_MP_ROLE_BYTES)
        add_value_text(tree, event, item, godot_mp_hf.rpc_argument, text);
    return item;
}

/* ---- values -------------------------------------------------------------------------------------------- */

/* How a value is named in its item and its fields. */
typedef struct value_names {
    const char *title; /* "Argument 0", "position" */
    const char *path;  /* prefix of the paths of its members */
    int hf;            /* FT_STRING */
} value_names;

/* A text with a number in it, in packet scope. Without printf(): most messages have several values. */
static const char *numbered(wmem_allocator_t *pool, const char *before, uint32_t number, const char *after)
{
    const size_t size = strlen(before) + strlen(after) + NUMBER_SIZE;
    gw_text text;
    gw_text_init(&text, wmem_alloc(pool, size), size);
    gw_text_string(&text, before);
    gw_text_unsigned(&text, number);
    gw_text_string(&text, after);
    return text.buffer;
}

/* The names of an argument, custom data, or a value of a spawn or sync: the title of its item, the path with which the
 * paths of its members begin, and the field that has its text. `property`: name of its property; NULL: not known. */
static value_names names_of_value(const godot_mp_tree *tree, const gw_godot_mp_event *event, const char *property)
{
    wmem_allocator_t *pool = tree->pinfo->pool;
    const char *method = tree->method ? godot_printable(tree->pinfo, tree->method) : "call";
    switch (event->role) {
    case GW_GODOT_MP_ROLE_ARGUMENT:
        return (value_names){ numbered(pool, "Argument ", event->index, ""),
                              wmem_strdup_printf(pool, "%s(%u)", method, event->index), godot_mp_hf.rpc_argument };
    case GW_GODOT_MP_ROLE_CUSTOM:
        return (value_names){ "Custom data", "custom", godot_mp_hf.spawn_custom };
    case GW_GODOT_MP_ROLE_VARIANT:
        return (value_names){ "Variant", "value", godot_mp_hf.variant };
    case GW_GODOT_MP_ROLE_STATE:
        return (value_names){ property ? property : numbered(pool, "State ", event->index, ""),
                              property ? property : numbered(pool, "state[", event->index, "]"),
                              godot_mp_hf.spawn_state };
    default:
        return (value_names){ property ? property : numbered(pool, "Value ", event->index, ""),
                              property ? property : numbered(pool, "value[", event->index, "]"),
                              godot_mp_hf.sync_value };
    }
}

/* Adds a Variant with its header. The codec has validated it, so that its generation and oddities are known. */
static proto_item *add_variant(godot_mp_tree *tree, const gw_godot_mp_event *event, const value_names *names)
{
    const godot_findings findings = { .generation = (gw_godot_generation)tree->message->reader.generation,
                                      .summary = { .odd = event->value_odd },
                                      .given = true };
    godot_variant_request request = {
        .offset = event->payload.offset,
        .in_line = true,
        .title = names->title,
        .path = names->path,
    };
    godot_variant_result result;
    if (event->encoding == GW_GODOT_MP_NULL_OBJECT) {
        /* An Object's header alone, without the object that its type announces: the Variant ends after its four
         * bytes. */
        tvbuff_t *header = gw_subset_of(tree->tvb, event->payload);
        request.offset = 0;
        request.bare_objects = true;
        godot_variants_add_as(godot_variants_new(tree->pinfo, header), tree_at(tree, event), &request, &findings,
                              &result);
        return result.item;
    }
    if (!tree->variants)
        tree->variants = godot_variants_new(tree->pinfo, tree->tvb);
    godot_variants_add_as(tree->variants, tree_at(tree, event), &request, &findings, &result);
    return result.item;
}

/* Adds the item of a value, by its encoding: as half floats, as a number without a header, or as a Variant. */
static proto_item *add_value_item(godot_mp_tree *tree, const gw_godot_mp_event *event, const value_names *names)
{
    /* A bool or int without a Variant's header, in the Variants' own field. */
    const godot_variant_number compressed = { .type = (gw_godot_type)event->type,
                                              .number = event->number,
                                              .span = event->payload,
                                              .title = names->title,
                                              .path = names->path };
    char value[HALVES_SIZE];
    gw_text text;
    switch (event->encoding) {
    case GW_GODOT_MP_HALVES:
        /* They have no Variant's header: the Variants' own fields are of bytes that are not in the message. */
        gw_text_init(&text, value, sizeof value);
        gw_godot_mp_print_value(&text, &tree->message->reader, event);
        return proto_tree_add_string_format(tree_at(tree, event), godot_mp_hf.halves, tree->tvb,
                                            (int)event->payload.offset, (int)event->payload.length, value, "%s: %s",
                                            names->title, value);
    case GW_GODOT_MP_COMPRESSED:
        return godot_variant_add_number(tree->pinfo, tree->tvb, tree_at(tree, event), &compressed);
    default:
        return add_variant(tree, event, names);
    }
}

/* Adds a value: its item, and below it the name of its property, its text, and its oddities, each if it is needed.
 * `text`: the value's. */
static proto_item *add_value(godot_mp_tree *tree, const gw_godot_mp_event *event, const char *property,
                             const char *text)
{
    proto_item *item = NULL;
    /* Half floats have a field of this protocol. */
    bool wants_item = event->encoding == GW_GODOT_MP_HALVES ? tree->is_wanted : tree->wants_variants;
    if (wants_item || tree->wants_values) {
        const value_names names = names_of_value(tree, event, property);
        if (wants_item)
            item = add_value_item(tree, event, &names);
        add_value_text(tree, event, item, names.hf, text);
    }
    if (property && tree->is_wanted) {
        proto_item *name = proto_tree_add_string(item ? godot_mp_below(item) : tree_at(tree, event),
                                                 godot_mp_hf.sync_property, NULL, 0, 0, property);
        proto_item_set_generated(name);
        gw_append_text(name, " (by path, not proven)");
    }
    /* The oddities of the Variant (ODD_VALUE) are reported at its own items; here, a typed null, which is rejected. */
    add_oddities(tree, event, item, event->odd & ~(uint32_t)GW_GODOT_MP_ODD_VALUE);
    return item;
}

/* ---- items with children ------------------------------------------------------------------------------- */

/* Begins a packet: its parts are one depth below its event. The head of a packet that relays another one has a subtree
 * of its own; the parts of the innermost packet, whose command is the message's, are below the message, as if it were
 * not relayed. Oddities are reported at the command; those of a relay, at the item of the protocol. */
static void open_packet(godot_mp_tree *tree, const gw_godot_mp_event *event)
{
    bool is_relay = event->number == GW_GODOT_MP_SYSTEM && event->depth < tree->message->facts.depth;
    proto_tree *packet = tree->trees[0];
    if (is_relay && tree->is_wanted) {
        proto_item *item;
        packet =
            proto_tree_add_subtree(packet, tree->tvb, (int)event->payload.offset,
                                   (int)MIN(event->payload.length, RELAY_HEAD), godot_mp_ett_packet, &item, "Relay");
        if (!tree->relay)
            tree->relay = item;
    }
    tree->trees[event->depth + 1] = packet;
    tree->items[event->depth + 1] = tree->items[event->depth];
    /* Other oddities are those of its fields. */
    add_oddities(tree, event, is_relay ? NULL : tree->command, event->odd & GW_GODOT_MP_ODD_TOO_LARGE);
}

/* Adds one item in place of those that a limit leaves out, for the bytes from `from` up to `to`. */
static void add_not_shown(const godot_mp_tree *tree, proto_tree *parent, uint32_t from, uint32_t to)
{
    proto_item *item =
        proto_tree_add_item(parent, godot_mp_hf.not_shown, tree->tvb, (int)from, (int)(to - from), ENC_NA);
    gw_add_finding(tree->pinfo, godot_mp_expert_item(tree, item), &godot_mp_ei.not_shown);
}

/* ---- the call ------------------------------------------------------------------------------------------ */

/* Prints the event's part of a call or set as a script has it: "Main/Hero.attack(5)", "Main/Hero.health = 5". `name`:
 * the method's; NULL: not known. `value`: the text of the event's value. */
static void print_call(godot_mp_tree *tree, const gw_godot_mp_event *event, const char *name, const char *value)
{
    const godot_mp_facts *facts = &tree->message->facts;
    const godot_mp_path *entry = tree->message->findings->path.entry;
    const char *path = facts->path ? facts->path : entry ? entry->path : NULL;
    packet_info *pinfo = tree->pinfo;
    switch (event->role) {
    case GW_GODOT_MP_ROLE_METHOD_ID:
    case GW_GODOT_MP_ROLE_METHOD:
    case GW_GODOT_MP_ROLE_PROPERTY:
        if (event->role != GW_GODOT_MP_ROLE_METHOD_ID)
            name = godot_printable(pinfo, facts->method);
        gw_text_string(&tree->call,
                       path ? godot_printable(pinfo, path) : wmem_strdup_printf(pinfo->pool, "#%u", facts->path_id));
        gw_text_char(&tree->call, '.');
        gw_text_string(&tree->call, name ? name : wmem_strdup_printf(pinfo->pool, "method %u", facts->method_id));
        gw_text_string(&tree->call, event->role == GW_GODOT_MP_ROLE_PROPERTY ? " = " : "(");
        break;
    case GW_GODOT_MP_ROLE_ARGUMENT:
    case GW_GODOT_MP_ROLE_BYTES:
    case GW_GODOT_MP_ROLE_VALUE: /* of a set */
        gw_text_string(&tree->call, event->index ? ", " : "");
        gw_text_string(&tree->call, value);
        break;
    case GW_GODOT_MP_ROLE_PACKET:
        if (event->kind == GW_CLOSE && event->depth == facts->depth && facts->command == GW_GODOT_MP_CALL)
            gw_text_char(&tree->call, ')');
        break;
    default:
        break;
    }
}

/* ---- one message --------------------------------------------------------------------------------------- */

/* Adds the item of the event, or begins or ends the items of a packet or update. Returns the item; NULL: none, or one
 * with children. */
proto_item *godot_mp_tree_add(godot_mp_tree *tree, const gw_godot_mp_event *event, const char *name, const char *text)
{
    proto_tree *parent = tree_at(tree, event);
    proto_item *item = NULL;
    const uint32_t ids = event->payload.length / 4;
    if (tree->call.buffer)
        print_call(tree, event, name, text);
    if (event->type != GW_GODOT_TYPES)
        return add_value(tree, event, name, text);
    switch (event->role) {
    case GW_GODOT_MP_ROLE_HEAD:
        return NULL;
    case GW_GODOT_MP_ROLE_PACKET:
        if (event->kind == GW_OPEN)
            open_packet(tree, event);
        return NULL;
    case GW_GODOT_MP_ROLE_UPDATE:
        if (event->kind == GW_CLOSE) { /* the item is that of OPEN */
            add_oddities(tree, event, tree->items[event->depth + 1], event->odd);
            return NULL;
        }
        if (tree->is_wanted)
            item = gw_add_span(parent, godot_mp_hf.sync_node, tree->tvb, event->payload, ENC_NA);
        tree->items[event->depth + 1] = godot_mp_expert_item(tree, item);
        tree->trees[event->depth + 1] = item ? proto_item_add_subtree(item, godot_mp_ett_packet) : parent;
        return NULL;
    case GW_GODOT_MP_ROLE_SYNC_IDS:
        for (uint32_t i = 0; tree->is_wanted && i < MIN(ids, GW_MOST_IDS); i++)
            proto_tree_add_item(parent, godot_mp_hf.spawn_sync_id, tree->tvb, (int)(event->payload.offset + 4 * i), 4,
                                ENC_LITTLE_ENDIAN);
        if (ids > GW_MOST_IDS)
            add_not_shown(tree, parent, event->payload.offset + 4 * GW_MOST_IDS, gw_span_end(event->payload));
        return NULL;
    default:
        return add_field(tree, event, text);
    }
}

/* Adds the WebRTC data channel and, if a message in the capture opened it, its name and reliability. */
static void add_data_channel(const godot_mp_tree *tree, const godot_mp_channel *channel)
{
    wmem_allocator_t *pool = tree->pinfo->pool;
    proto_item *item =
        proto_tree_add_uint(tree->trees[0], godot_mp_hf.data_channel_stream, NULL, 0, 0, channel->stream);
    proto_item_set_generated(item);
    if (!channel->opened_in)
        return;
    gw_append_text(item, " (%s)", godot_printable(tree->pinfo, channel->label));
    proto_tree *parent = godot_mp_below(item);
    item =
        proto_tree_add_string(parent, godot_mp_hf.data_channel_label, NULL, 0, 0, gw_field_text(pool, channel->label));
    proto_item_set_generated(item);
    item = proto_tree_add_string(parent, godot_mp_hf.data_channel_reliability, NULL, 0, 0,
                                 gw_field_text(pool, channel->reliability));
    proto_item_set_generated(item);
    gw_add_frame_link(parent, godot_mp_hf.data_channel_opened_in, channel->opened_in);
}

/* Adds what is known of the whole message: its length, form, connection and data channel. */
static void add_message_items(const godot_mp_tree *tree)
{
    const godot_mp_connection *connection = tree->message->position.connection;
    const godot_mp_channel *channel = tree->message->carrier->channel;
    gw_godot_mp_form form = (gw_godot_mp_form)tree->message->reader.form;
    proto_tree *parent = tree->trees[0];
    proto_item *item;
    if (!tree->is_wanted)
        return;
    item = proto_tree_add_uint(parent, godot_mp_hf.length, NULL, 0, 0, tvb_reported_length(tree->tvb));
    proto_item_set_generated(item);
    item = proto_tree_add_string(parent, godot_mp_hf.form, NULL, 0, 0, gw_godot_mp_form_text(form));
    proto_item_set_generated(item);
    item = proto_tree_add_uint(godot_mp_below(item), godot_mp_hf.generation, NULL, 0, 0,
                               (uint32_t)gw_godot_mp_generation(form));
    proto_item_set_generated(item);
    if (connection && connection->number != GODOT_MP_NO_STREAM) {
        item = proto_tree_add_uint(parent, godot_mp_hf.stream, NULL, 0, 0, connection->number);
        proto_item_set_generated(item);
    }
    /* Outside of DTLS nothing is known of the channel. */
    if (channel && channel->association)
        add_data_channel(tree, channel);
}

/* Completes the item of the command, and adds what could not be read and what is known of the whole message. */
void godot_mp_tree_end(const godot_mp_tree *tree)
{
    static const gw_fault_display display = {
        .hf_undecoded = &godot_mp_hf.undecoded,
        .experts = godot_mp_ei.faults,
        .cut_short = &godot_mp_ei.cut_short,
        .table = &gw_godot_mp_faults,
    };
    const godot_mp_message *message = tree->message;
    /* The ellipsis of a call that was not read to its end; a text that was too long for the buffer has one already. */
    bool is_partial = message->rest || message->reader.fault.fault_class != GW_FAULT_NONE;
    if (tree->call.length)
        gw_append_text(tree->command, " %s%s", tree->call.buffer,
                       is_partial && !tree->call.cut ? UTF8_HORIZONTAL_ELLIPSIS : "");
    if (message->rest)
        add_not_shown(tree, tree->trees[0], message->rest, message->reader.length);
    else if (message->reader.fault.fault_class != GW_FAULT_NONE)
        gw_add_fault(tree->pinfo, tree->trees[0], tree->tvb, &message->reader.fault, &display);
    add_message_items(tree);
}

/* True if a field that has a value's text is referenced. */
static bool wants_values(proto_tree *tree)
{
    return proto_field_is_referenced(tree, godot_mp_hf.rpc_argument) ||
           proto_field_is_referenced(tree, godot_mp_hf.sync_value) ||
           proto_field_is_referenced(tree, godot_mp_hf.spawn_state) ||
           proto_field_is_referenced(tree, godot_mp_hf.spawn_custom) ||
           proto_field_is_referenced(tree, godot_mp_hf.variant);
}

/* Begins the tree: adds the items of the protocol and of the command, and sets which other items are needed. */
void godot_mp_tree_init(godot_mp_tree *tree, const godot_mp_message *message, proto_tree *parent)
{
    const godot_mp_facts *facts = &message->facts;
    const gw_godot_summary variants = { .values = facts->values, .odd = message->value_odd };
    int protocol = proto_registrar_get_parent(godot_mp_hf.form);
    tree->message = message;
    tree->pinfo = message->pinfo;
    tree->tvb = message->tvb;
    tree->demand = gw_demand_of(tree->pinfo, parent, protocol);
    if (parent) {
        tree->items[0] = gw_add_protocol(parent, tree->pinfo, protocol, tree->tvb, 0, (int)message->reader.length);
        tree->trees[0] = proto_item_add_subtree(tree->items[0], godot_mp_ett_protocol);
    }
    tree->ends[GODOT_MP_SENDER] = tree->ends[GODOT_MP_RECEIVER] = tree->trees[0];
    tree->is_wanted = tree->demand.items || godot_variants_are_wanted(parent);
    tree->wants_values = tree->is_wanted && wants_values(parent);
    tree->wants_variants = godot_variants_are_needed(tree->pinfo, tree->trees[0], &variants);
    /* The command is the first item, before the peers and the parts of the message: the facts have it before its event
     * is added. Of relayed packets it is that of the innermost one. A message without a packet has none. */
    if (!tree->is_wanted || !godot_mp_has(facts->roles, GW_GODOT_MP_ROLE_PACKET))
        return;
    tree->command = proto_tree_add_string(tree->trees[0], godot_mp_hf.command, tree->tvb, (int)facts->offset, 1,
                                          gw_godot_mp_command_name((gw_godot_mp_command)facts->command));
    /* The text of a call, which godot_mp_tree_end() appends to this item. */
    if (tree->demand.visible && (facts->command == GW_GODOT_MP_CALL || facts->command == GW_GODOT_MP_SET))
        gw_text_init(&tree->call, wmem_alloc(tree->pinfo->pool, CALL_SIZE), CALL_SIZE);
}
