/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds the items of messages: named values, in groups whose labels summarize the values. A scene tree is shown as a
 * tree.
 */
#include "internal.h"

#include "common/demand.h"
#include "common/experts.h"
#include "common/findings.h"
#include "common/items.h"

/* ---- labels -------------------------------------------------------------------------------------------- */

static const char *name_of_number(const godot_debugger_tree *layer, const gw_godot_debugger_event *event)
{
    static const char *const text_types[] = { "log", "error", "rich text" };
    static const char *const scopes[] = { "local", "member", "global", "evaluated" };
    gw_godot_generation generation = (gw_godot_generation)layer->reader->generation;
    int64_t number = event->number;
    if (number < 0 || number > UINT8_MAX)
        return NULL;
    if (event->role == GW_GODOT_DEBUGGER_ROLE_TEXT_TYPE)
        return number < (int64_t)array_length(text_types) ? text_types[number] : NULL;
    if (event->role == GW_GODOT_DEBUGGER_ROLE_SCOPE)
        return number < (int64_t)array_length(scopes) ? scopes[number] : NULL;
    if (event->role != GW_GODOT_DEBUGGER_ROLE_VALUE_TYPE)
        return NULL;
    gw_godot_type type = gw_godot_type_of_wire(generation, (uint32_t)number);
    return type < GW_GODOT_TYPES ? gw_godot_type_name(generation, type) : NULL;
}

/* The values that the label of a group contains, and the text before each. */
static const char *const label_prefixes[GW_GODOT_DEBUGGER_ROLES] = {
    [GW_GODOT_DEBUGGER_ROLE_NODE_NAME] = ": ",     [GW_GODOT_DEBUGGER_ROLE_VARIABLE_NAME] = ": ",
    [GW_GODOT_DEBUGGER_ROLE_PROPERTY_NAME] = ": ", [GW_GODOT_DEBUGGER_ROLE_SERVER_NAME] = ": ",
    [GW_GODOT_DEBUGGER_ROLE_FUNCTION] = ": ",      [GW_GODOT_DEBUGGER_ROLE_FILE] = ": ",
    [GW_GODOT_DEBUGGER_ROLE_ERROR] = ": ",         [GW_GODOT_DEBUGGER_ROLE_TEXT] = ": ",
    [GW_GODOT_DEBUGGER_ROLE_SIGNATURE_ID] = ": ",  [GW_GODOT_DEBUGGER_ROLE_VALUE] = " = ",
    [GW_GODOT_DEBUGGER_ROLE_TIME] = " = ",         [GW_GODOT_DEBUGGER_ROLE_CLASS] = ", ",
    [GW_GODOT_DEBUGGER_ROLE_OBJECT_ID] = " #",     [GW_GODOT_DEBUGGER_ROLE_LINE] = ":",
};

static void label_group(const godot_debugger_tree *layer, const gw_godot_debugger_event *event, const char *text)
{
    const char *prefix = event->depth > 1 ? label_prefixes[event->role] : NULL;
    if (prefix && text)
        gw_append_text(layer->items[event->depth - 1], "%s%s", prefix, text);
}

/* ---- values -------------------------------------------------------------------------------------------- */

static gw_godot_options options_at(const godot_debugger_tree *layer, uint32_t offset)
{
    return (gw_godot_options){ .generation = (gw_godot_generation)layer->reader->generation, .offset = offset };
}

static void add_variant(godot_debugger_tree *layer, proto_tree *tree, const gw_godot_debugger_event *event)
{
    const godot_variant_request request = { .offset = event->payload.offset,
                                            .generation = (gw_godot_generation)layer->reader->generation,
                                            .in_line = true,
                                            .path = wmem_strdup_printf(layer->pinfo->pool, "values[%u]",
                                                                       layer->arguments++) };
    godot_variant_result result;
    godot_variants_add(layer->variants, tree, &request, &result);
}

/* Items above the limit are replaced with one item: add_message(). */
static bool has_room(godot_debugger_tree *layer, uint32_t offset)
{
    if (!layer->hidden_from && !gw_use_items(layer->items_left, 1))
        layer->hidden_from = offset;
    return !layer->hidden_from;
}

static void add_integers(godot_debugger_tree *layer, proto_tree *tree, const gw_godot_debugger_event *event)
{
    gw_godot_debugger_event element = *event;
    for (uint32_t offset = event->payload.offset + 8; offset < gw_span_end(event->payload); offset += 4) {
        if (!has_room(layer, offset))
            return;
        element.number = (int32_t)gw_le32(layer->bytes + offset);
        const char *name = name_of_number(layer, &element);
        proto_item *item =
            proto_tree_add_int64(tree, godot_debugger_field_of(event), layer->tvb, (int)offset, 4, element.number);
        if (name)
            gw_append_text(item, " (%s)", name);
    }
}

static void add_strings(godot_debugger_tree *layer, proto_tree *tree, const gw_godot_debugger_event *event)
{
    const gw_godot_options options = options_at(layer, event->payload.offset);
    gw_godot_reader reader;
    gw_godot_event root;
    gw_godot_strings strings;
    gw_godot_string string;
    gw_godot_init(&reader, layer->bytes, gw_span_end(event->payload), &options);
    if (gw_godot_next(&reader, &root) != GW_NEXT_EVENT)
        return;
    gw_godot_strings_init(&strings, layer->bytes, &root);
    while (gw_godot_strings_next(&strings, &string) && has_room(layer, string.text.offset))
        gw_add_text(tree, godot_debugger_field_of(event), layer->tvb, string.text,
                    gw_field_text(layer->pinfo->pool, gw_text_of(layer->pinfo->pool, layer->tvb, string.text)));
}

/* The items of a value and of its length, which is above it. */
static void add_value(godot_debugger_tree *layer, const gw_godot_debugger_event *event)
{
    wmem_allocator_t *pool = layer->pinfo->pool;
    proto_tree *tree = layer->trees[event->depth];
    int hf = godot_debugger_field_of(event), offset = (int)event->payload.offset, length = (int)event->payload.length;
    gw_godot_debugger_kind kind = gw_godot_debugger_role_kind((gw_godot_debugger_role)event->role);
    const char *name;
    const char *text;
    if (event->header.length == GW_GODOT_DEBUGGER_PREFIX)
        proto_tree_add_item(tree, godot_debugger_hf.length, layer->tvb, (int)event->header.offset,
                            GW_GODOT_DEBUGGER_PREFIX, ENC_LITTLE_ENDIAN);
    if (event->kind == GW_OPAQUE) {
        gw_add_span(tree, godot_debugger_hf.undecoded, layer->tvb, event->payload, ENC_NA);
    } else if (godot_debugger_is_any(event)) {
        const gw_godot_options options = options_at(layer, event->payload.offset);
        char literal[GODOT_VARIANT_TEXT + 1];
        gw_text printed;
        gw_text_init(&printed, literal, sizeof literal);
        gw_godot_print(&printed, layer->bytes, gw_span_end(event->payload), &options);
        proto_item *item = gw_add_text(tree, hf, layer->tvb, event->payload, literal);
        add_variant(layer, proto_item_add_subtree(item, godot_debugger_ett_group), event);
        label_group(layer, event, literal);
    } else if (kind == GW_GODOT_DEBUGGER_INTEGER && event->type == GW_GODOT_INT32_ARRAY) {
        add_integers(layer, tree, event);
    } else if (kind == GW_GODOT_DEBUGGER_INTEGER || kind == GW_GODOT_DEBUGGER_ID) {
        name = name_of_number(layer, event);
        proto_item *item = proto_tree_add_int64(tree, hf, layer->tvb, offset, length, event->number);
        if (name)
            gw_append_text(item, " (%s)", name);
        label_group(layer, event, wmem_strdup_printf(pool, "%" PRId64, event->number));
    } else if (kind == GW_GODOT_DEBUGGER_REAL) {
        /* Wireshark's own text of the number has the decimal point of the locale. */
        double real = event->type == GW_GODOT_FLOAT ? event->real : (double)event->number;
        name = gw_godot_debugger_monitor_name(layer->reader, event);
        text = gw_text_of_double(pool, real);
        if (name)
            proto_tree_add_double_format_value(tree, hf, layer->tvb, offset, length, real, "%s (%s)", text, name);
        else
            proto_tree_add_double(tree, hf, layer->tvb, offset, length, real);
        label_group(layer, event, wmem_strdup_printf(pool, "%s s", text));
    } else if (kind == GW_GODOT_DEBUGGER_BOOLEAN) {
        proto_tree_add_boolean(tree, hf, layer->tvb, offset, length, (uint32_t)event->number);
    } else if (event->type == GW_GODOT_STRING_ARRAY) {
        add_strings(layer, tree, event);
    } else {
        text = gw_text_of(pool, layer->tvb, event->text);
        gw_add_text(tree, hf, layer->tvb, event->payload, gw_field_text(pool, text));
        label_group(layer, event, godot_printable(layer->pinfo, text));
    }
}

/* ---- groups -------------------------------------------------------------------------------------------- */

/* The layer, and its items that belong to no value. */
static void add_message(godot_debugger_tree *layer, const gw_godot_debugger_event *event)
{
    const gw_godot_debugger_reader *reader = layer->reader;
    uint32_t start = reader->options.offset;
    if (event->kind == GW_OPEN) {
        layer->items[0] = gw_add_protocol(layer->parent, layer->pinfo, proto_godot_debugger, layer->tvb, start,
                                          (int)(reader->end - start));
        layer->trees[0] = layer->trees[1] = proto_item_add_subtree(layer->items[0], godot_debugger_ett);
        layer->items_left = godot_items_left(layer->pinfo);
        if (!reader->is_flat && reader->options.form == GW_GODOT_DEBUGGER_STREAM)
            proto_tree_add_item(layer->trees[0], godot_debugger_hf.length, layer->tvb, (int)start,
                                GW_GODOT_DEBUGGER_PREFIX, ENC_LITTLE_ENDIAN);
    } else if (layer->hidden_from) {
        proto_item *item =
            proto_tree_add_item(layer->trees[0], godot_debugger_hf.not_shown, layer->tvb, (int)layer->hidden_from,
                                (int)(reader->end - layer->hidden_from), ENC_NA);
        gw_add_finding(layer->pinfo, item, &godot_debugger_ei.not_shown);
    }
}

void godot_debugger_tree_add(godot_debugger_tree *layer, const gw_godot_debugger_event *event)
{
    bool has_tree = layer->parent != NULL;
    uint32_t start = event->payload.offset;
    uint8_t depth = event->depth;
    if (event->role == GW_GODOT_DEBUGGER_ROLE_MESSAGE) {
        if (has_tree)
            add_message(layer, event);
    } else if (event->kind == GW_OPEN && has_tree) {
        layer->items[depth] = NULL;
        if (has_room(layer, start)) {
            layer->items[depth] = proto_tree_add_item(layer->trees[depth], godot_debugger_hf.members[event->role],
                                                      layer->tvb, (int)start, 0, ENC_NA);
            layer->trees[depth + 1] = proto_item_add_subtree(layer->items[depth], godot_debugger_ett_group);
        }
    } else if (event->kind == GW_CLOSE && has_tree) {
        if (layer->items[depth])
            proto_item_set_len(layer->items[depth], (int)event->payload.length);
    } else if (event->kind != GW_OPEN && event->kind != GW_CLOSE && has_tree) {
        if (has_room(layer, event->header.offset))
            add_value(layer, event);
    } else if (event->kind != GW_OPEN && event->kind != GW_CLOSE && godot_debugger_is_any(event)) {
        /* Without a tree, for the expert infos of the Variant. */
        const gw_godot_options options = options_at(layer, start);
        gw_godot_summary summary;
        gw_godot_validate(layer->bytes, gw_span_end(event->payload), &options, &summary);
        if (summary.odd || summary.fault.fault_class)
            add_variant(layer, NULL, event);
    }
    if (event->odd && !layer->hidden_from)
        gw_add_odd_experts(layer->pinfo, layer->items[event->kind == GW_OPEN ? depth : 0], godot_debugger_ei.odd,
                           &gw_godot_debugger_faults, layer->experts, event->odd, start);
}
