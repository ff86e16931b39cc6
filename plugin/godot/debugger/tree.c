/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds the values of messages to the tree and to godot_debugger.json: named values, in groups whose labels summarize the
 * values. A scene tree is shown as a tree.
 */
#include "internal.h"

#include "common/display/demand.h"
#include "common/display/experts.h"
#include "common/display/json_message.h"
#include "common/findings.h"
#include "common/items.h"

/* ---- labels -------------------------------------------------------------------------------------------- */

/* PropertyHint of Godot 4, without PROPERTY_HINT_: as the engine 4.6.3 prints it (--dump-extension-api). In Godot 3
 * the numbers changed between minor versions. */
static const char *const hints[] = {
    [0] = "NONE",
    [1] = "RANGE",
    [2] = "ENUM",
    [3] = "ENUM_SUGGESTION",
    [4] = "EXP_EASING",
    [5] = "LINK",
    [6] = "FLAGS",
    [7] = "LAYERS_2D_RENDER",
    [8] = "LAYERS_2D_PHYSICS",
    [9] = "LAYERS_2D_NAVIGATION",
    [10] = "LAYERS_3D_RENDER",
    [11] = "LAYERS_3D_PHYSICS",
    [12] = "LAYERS_3D_NAVIGATION",
    [13] = "FILE",
    [14] = "DIR",
    [15] = "GLOBAL_FILE",
    [16] = "GLOBAL_DIR",
    [17] = "RESOURCE_TYPE",
    [18] = "MULTILINE_TEXT",
    [19] = "EXPRESSION",
    [20] = "PLACEHOLDER_TEXT",
    [21] = "COLOR_NO_ALPHA",
    [22] = "OBJECT_ID",
    [23] = "TYPE_STRING",
    [24] = "NODE_PATH_TO_EDITED_NODE",
    [25] = "OBJECT_TOO_BIG",
    [26] = "NODE_PATH_VALID_TYPES",
    [27] = "SAVE_FILE",
    [28] = "GLOBAL_SAVE_FILE",
    [29] = "INT_IS_OBJECTID",
    [30] = "INT_IS_POINTER",
    [31] = "ARRAY_TYPE",
    [32] = "LOCALE_ID",
    [33] = "LOCALIZABLE_STRING",
    [34] = "NODE_TYPE",
    [35] = "HIDE_QUATERNION_EDIT",
    [36] = "PASSWORD",
    [37] = "LAYERS_AVOIDANCE",
    [38] = "DICTIONARY_TYPE",
    [39] = "TOOL_BUTTON",
    [40] = "ONESHOT",
    [42] = "GROUP_ENABLE",
    [43] = "INPUT_NAME",
    [44] = "FILE_PATH",
};

/* PropertyUsageFlags of Godot 4 by bit, without PROPERTY_USAGE_, from the same source. */
static const char *const usages[] = {
    [1] = "STORAGE",
    [2] = "EDITOR",
    [3] = "INTERNAL",
    [4] = "CHECKABLE",
    [5] = "CHECKED",
    [6] = "GROUP",
    [7] = "CATEGORY",
    [8] = "SUBGROUP",
    [9] = "CLASS_IS_BITFIELD",
    [10] = "NO_INSTANCE_STATE",
    [11] = "RESTART_IF_CHANGED",
    [12] = "SCRIPT_VARIABLE",
    [13] = "STORE_IF_NULL",
    [14] = "UPDATE_ALL_IF_MODIFIED",
    [15] = "SCRIPT_DEFAULT_VALUE",
    [16] = "CLASS_IS_ENUM",
    [17] = "NIL_IS_VARIANT",
    [18] = "ARRAY",
    [19] = "ALWAYS_DUPLICATE",
    [20] = "NEVER_DUPLICATE",
    [21] = "HIGH_END_GFX",
    [22] = "NODE_PATH_FROM_SCENE_ROOT",
    [23] = "RESOURCE_NOT_PERSISTENT",
    [24] = "KEYING_INCREMENTS",
    [25] = "DEFERRED_SET_RESOURCE",
    [26] = "EDITOR_INSTANTIATE_OBJECT",
    [27] = "EDITOR_BASIC_SETTING",
    [28] = "READ_ONLY",
    [29] = "SECRET",
};

/* The engine's name of a number: of a hint, a type or a scope, or of each set bit of a usage ("STORAGE | EDITOR").
 * NULL: it has none in the message's generation. */
static const char *name_of_number(const godot_debugger_tree *layer, const gw_godot_debugger_event *event)
{
    static const char *const text_types[] = { "log", "error", "rich text" };
    static const char *const scopes[] = { "local", "member", "global", "evaluated" };
    gw_godot_generation generation = (gw_godot_generation)layer->reader->generation;
    int64_t number = event->number;
    if (event->role == GW_GODOT_DEBUGGER_ROLE_USAGE) {
        wmem_strbuf_t *names = wmem_strbuf_new(layer->pinfo->pool, "");
        for (unsigned bit = 0; generation == GW_GODOT_4 && bit < array_length(usages); bit++)
            if (usages[bit] && number >> bit & 1)
                wmem_strbuf_append_printf(names, "%s%s", wmem_strbuf_get_len(names) ? " | " : "", usages[bit]);
        return wmem_strbuf_get_len(names) ? wmem_strbuf_get_str(names) : NULL;
    }
    /* All other names are in lists of fewer entries: the number is an index from here on. */
    if (number < 0 || number > UINT8_MAX)
        return NULL;
    if (event->role == GW_GODOT_DEBUGGER_ROLE_HINT)
        return generation == GW_GODOT_4 && number < (int64_t)array_length(hints) ? hints[number] : NULL;
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

/* Appends a value's text to the label of its group, if labels have values of this role. Depth 1: directly in the
 * message, whose label is its line. */
static void label_group(const godot_debugger_tree *layer, const gw_godot_debugger_event *event, const char *text)
{
    const char *prefix = event->depth > 1 ? label_prefixes[event->role] : NULL;
    if (prefix && text)
        gw_append_text(layer->items[event->depth - 1], "%s%s", prefix, text);
}

/* ---- values -------------------------------------------------------------------------------------------- */

/* The field of a value: that of its role, whose type it has; for a value of another type, the field of arguments,
 * which takes all types. */
static int field_of(const gw_godot_debugger_event *event)
{
    return godot_debugger_hf
        .members[event->odd & GW_GODOT_DEBUGGER_ODD_TYPE ? GW_GODOT_DEBUGGER_ROLE_ARGUMENT : (unsigned)event->role];
}

/* True for a value that is shown as a Variant: its role has values of any type, or it has not the type of its role. */
static bool is_any(const gw_godot_debugger_event *event)
{
    return event->kind != GW_OPAQUE &&
           (gw_godot_debugger_role_kind((gw_godot_debugger_role)event->role) == GW_GODOT_DEBUGGER_ANY ||
            event->odd & GW_GODOT_DEBUGGER_ODD_TYPE);
}

/* The value of an event as JSON, in the group of its depth; NULL: godot_debugger.json is not referenced. */
static gw_json *json_of(const godot_debugger_tree *layer, const gw_godot_debugger_event *event)
{
    gw_json_fields *group = layer->json[event->depth];
    return group ? gw_json_field(group, event->kind == GW_OPAQUE ? godot_debugger_hf.undecoded : field_of(event))
                 : NULL;
}

/* The codec's options for a Variant at this offset of the message. */
static gw_godot_options options_at(const godot_debugger_tree *layer, uint32_t offset)
{
    return (gw_godot_options){ .generation = (gw_godot_generation)layer->reader->generation, .offset = offset };
}

/* Adds a value's items as a Variant, directly below `tree`. Its path is values[n], n counts the message's Variants. */
static void add_variant(godot_debugger_tree *layer, proto_tree *tree, const gw_godot_debugger_event *event)
{
    const godot_variant_request request = { .offset = event->payload.offset,
                                            .generation = (gw_godot_generation)layer->reader->generation,
                                            .in_line = true,
                                            .path = wmem_strdup_printf(layer->pinfo->pool, "values[%u]",
                                                                       layer->variant_count++) };
    godot_variant_result result;
    godot_variants_add(layer->variants, tree, &request, &result);
}

/* Takes one item of those that the packet may have. False if none is left: one item at the end of the message covers
 * all bytes from this offset on. */
static bool has_room(godot_debugger_tree *layer, uint32_t offset)
{
    if (!layer->hidden_from && !gw_use_items(layer->items_left, 1))
        layer->hidden_from = offset;
    return !layer->hidden_from;
}

/* Adds a value that is shown as a Variant: its literal, and below it the Variant's items. In JSON it is its literal
 * or, if it has no name, an argument with its value. `tree`: NULL if it has no room. */
static void add_any(godot_debugger_tree *layer, proto_tree *tree, const gw_godot_debugger_event *event)
{
    const gw_godot_options options = options_at(layer, event->payload.offset);
    uint32_t end = gw_span_end(event->payload);
    bool is_argument = field_of(event) == godot_debugger_hf.members[GW_GODOT_DEBUGGER_ROLE_ARGUMENT];
    char literal[GODOT_VARIANT_TEXT + 1];
    gw_text text;
    gw_text_init(&text, literal, sizeof literal);
    gw_godot_print(&text, layer->bytes, end, &options);
    if (tree) {
        proto_item *item = gw_add_text(tree, field_of(event), layer->tvb, event->payload, literal);
        add_variant(layer, proto_item_add_subtree(item, godot_debugger_ett_group), event);
        label_group(layer, event, literal);
    }
    if (layer->json[0] && is_argument)
        layer->json_argument_count +=
            godot_json_add(&layer->json_arguments, NULL, layer->pinfo, layer->bytes, end, &options).is_added;
    else if (layer->json[0])
        gw_json_string(json_of(layer, event), literal);
}

/* Adds the item of a number, with the name that the engine has for it. `offset` and `length`: its bytes, which may
 * be one element of an array. `tree` is not NULL. */
static void add_integer(const godot_debugger_tree *layer, proto_tree *tree, const gw_godot_debugger_event *event,
                        uint32_t offset, uint32_t length)
{
    const char *name = name_of_number(layer, event);
    proto_item *item = proto_tree_add_int64(tree, field_of(event), layer->tvb, (int)offset, (int)length, event->number);
    if (name)
        gw_append_text(item, " (%s)", name);
}

/* Adds the elements of an array of 32-bit integers, each as a value of its own. They follow the header word and the
 * count, which have 8 bytes; the codec has read all of them. `tree`: NULL if it has no room. */
static void add_integers(godot_debugger_tree *layer, proto_tree *tree, const gw_godot_debugger_event *event)
{
    gw_godot_debugger_event element = *event;
    for (uint32_t offset = event->payload.offset + 8; offset < gw_span_end(event->payload); offset += 4) {
        element.number = (int32_t)gw_le32(layer->bytes + offset);
        if (tree && has_room(layer, offset))
            add_integer(layer, tree, &element, offset, 4);
        if (layer->json[0])
            gw_json_int(json_of(layer, event), element.number);
    }
}

/* Adds the elements of an array of strings, each as a value of its own. `tree`: NULL if it has no room. */
static void add_strings(godot_debugger_tree *layer, proto_tree *tree, const gw_godot_debugger_event *event)
{
    wmem_allocator_t *pool = layer->pinfo->pool;
    const gw_godot_options options = options_at(layer, event->payload.offset);
    gw_godot_reader reader;
    gw_godot_event root;
    gw_godot_strings strings;
    gw_godot_string string;
    gw_godot_init(&reader, layer->bytes, gw_span_end(event->payload), &options);
    if (gw_godot_next(&reader, &root) != GW_NEXT_EVENT)
        return;
    gw_godot_strings_init(&strings, layer->bytes, &root);
    while (gw_godot_strings_next(&strings, &string)) {
        const char *text = gw_field_text(pool, gw_text_of(pool, layer->tvb, string.text));
        if (tree && has_room(layer, string.text.offset))
            gw_add_text(tree, field_of(event), layer->tvb, string.text, text);
        if (layer->json[0])
            gw_json_string(json_of(layer, event), text);
    }
}

/* Adds a float, or an int where the engine sends either, with the name of the monitor whose value it is. In the label
 * of its group it has the unit "s": the only floats that labels contain are times, in seconds. `tree`: NULL if the
 * packet may have no more items: then only the JSON is added. */
static void add_real(const godot_debugger_tree *layer, proto_tree *tree, const gw_godot_debugger_event *event)
{
    int hf = field_of(event), offset = (int)event->payload.offset, length = (int)event->payload.length;
    double real = event->type == GW_GODOT_FLOAT ? event->real : (double)event->number;
    const char *monitor = gw_godot_debugger_monitor_name(layer->reader, event);
    /* Wireshark's own text of the number has the decimal point of the locale. */
    const char *text = gw_text_of_double(layer->pinfo->pool, real);
    if (tree && monitor)
        proto_tree_add_double_format_value(tree, hf, layer->tvb, offset, length, real, "%s (%s)", text, monitor);
    else if (tree)
        proto_tree_add_double(tree, hf, layer->tvb, offset, length, real);
    if (tree)
        label_group(layer, event, wmem_strdup_printf(layer->pinfo->pool, "%s s", text));
    if (layer->json[0])
        gw_json_real(json_of(layer, event), real);
}

/* Adds a String or StringName. `tree`: NULL if it has no room. In godot_debugger.json the name of the message is its
 * kind, not a field: the first such text is stored until the end of the message. */
static void add_text(godot_debugger_tree *layer, proto_tree *tree, const gw_godot_debugger_event *event)
{
    wmem_allocator_t *pool = layer->pinfo->pool;
    const char *raw = gw_text_of(pool, layer->tvb, event->text);
    const char *text = gw_field_text(pool, raw);
    if (tree) {
        gw_add_text(tree, field_of(event), layer->tvb, event->payload, text);
        label_group(layer, event, godot_printable(layer->pinfo, raw));
    }
    if (!layer->json[0])
        return;
    if (event->role != GW_GODOT_DEBUGGER_ROLE_NAME)
        gw_json_string(json_of(layer, event), text);
    else if (!layer->json_name)
        layer->json_name = text;
}

/* Adds a value: the item of its length, if it begins with one (over TCP); then the value by its kind, in this order:
 * bytes that were not decoded (GW_OPAQUE), values that are shown as a Variant (is_any()), arrays of integers, integers
 * and ids, floats, booleans, arrays of strings, and texts. `tree`: NULL if the packet may have no more items: then only
 * the JSON is added. */
static void add_value(godot_debugger_tree *layer, proto_tree *tree, const gw_godot_debugger_event *event)
{
    gw_godot_debugger_kind kind = gw_godot_debugger_role_kind((gw_godot_debugger_role)event->role);
    gw_span span = event->payload;
    bool has_json = layer->json[0];
    if (event->header.length == GW_GODOT_DEBUGGER_PREFIX)
        proto_tree_add_item(tree, godot_debugger_hf.length, layer->tvb, (int)event->header.offset,
                            GW_GODOT_DEBUGGER_PREFIX, ENC_LITTLE_ENDIAN);
    if (event->kind == GW_OPAQUE) {
        gw_add_span(tree, godot_debugger_hf.undecoded, layer->tvb, span, ENC_NA);
        if (has_json)
            gw_json_hex(json_of(layer, event), layer->bytes + span.offset, span.length);
    } else if (is_any(event)) {
        add_any(layer, tree, event);
    } else if (kind == GW_GODOT_DEBUGGER_INTEGER && event->type == GW_GODOT_INT32_ARRAY) {
        add_integers(layer, tree, event);
    } else if (kind == GW_GODOT_DEBUGGER_INTEGER || kind == GW_GODOT_DEBUGGER_ID) {
        if (tree) {
            add_integer(layer, tree, event, span.offset, span.length);
            label_group(layer, event, wmem_strdup_printf(layer->pinfo->pool, "%" PRId64, event->number));
        }
        if (has_json)
            gw_json_int(json_of(layer, event), event->number);
    } else if (kind == GW_GODOT_DEBUGGER_REAL) {
        add_real(layer, tree, event);
    } else if (kind == GW_GODOT_DEBUGGER_BOOLEAN) {
        proto_tree_add_boolean(tree, field_of(event), layer->tvb, (int)span.offset, (int)span.length,
                               (uint32_t)event->number);
        if (has_json)
            gw_json_bool(json_of(layer, event), event->number != 0);
    } else if (event->type == GW_GODOT_STRING_ARRAY) {
        add_strings(layer, tree, event);
    } else {
        add_text(layer, tree, event);
    }
}

/* ---- messages and groups ------------------------------------------------------------------------------- */

/* Adds the protocol item, which is the group of depth 0: the values at depth 1 are directly below it. Over TCP, a
 * message that is one Array begins with its length; in a sequence of Variants (`is_flat`) each value has a length. */
static void begin_message(godot_debugger_tree *layer)
{
    const gw_godot_debugger_reader *reader = layer->reader;
    uint32_t start = reader->options.offset;
    layer->items[0] = gw_add_protocol(layer->parent, layer->pinfo, proto_godot_debugger, layer->tvb, start,
                                      (int)(reader->end - start));
    layer->trees[0] = layer->trees[1] = proto_item_add_subtree(layer->items[0], godot_debugger_ett);
    layer->items_left = godot_items_left(layer->pinfo);
    if (!reader->is_flat && reader->options.form == GW_GODOT_DEBUGGER_STREAM)
        proto_tree_add_item(layer->trees[0], godot_debugger_hf.length, layer->tvb, (int)start, GW_GODOT_DEBUGGER_PREFIX,
                            ENC_LITTLE_ENDIAN);
    if (gw_json_is_wanted(layer->pinfo, layer->parent, godot_debugger_hf.json)) {
        layer->json[0] = layer->json[1] = gw_json_fields_new(layer->pinfo->pool);
        gw_json_init(&layer->json_arguments, layer->pinfo->pool);
        gw_json_open_array(&layer->json_arguments);
    }
}

/* Adds the item of a group, whose length is set when it ends. Without room for it, trees[depth + 1] is not set, and not
 * used either: has_room() is false for all values after it. */
static void open_group(godot_debugger_tree *layer, const gw_godot_debugger_event *event)
{
    uint8_t depth = event->depth;
    layer->items[depth] = NULL;
    if (has_room(layer, event->payload.offset)) {
        layer->items[depth] = proto_tree_add_item(layer->trees[depth], godot_debugger_hf.members[event->role],
                                                  layer->tvb, (int)event->payload.offset, 0, ENC_NA);
        layer->trees[depth + 1] = proto_item_add_subtree(layer->items[depth], godot_debugger_ett_group);
    }
    if (layer->json[0])
        layer->json[depth + 1] = gw_json_fields_new(layer->pinfo->pool);
}

/* Adds one event of a message. `parent` is NULL without a tree: then only what is odd is reported, so that expert
 * infos do not depend on the tree. */
void godot_debugger_tree_add(godot_debugger_tree *layer, const gw_godot_debugger_event *event)
{
    bool is_message = event->role == GW_GODOT_DEBUGGER_ROLE_MESSAGE;
    bool is_value = event->kind != GW_OPEN && event->kind != GW_CLOSE;
    uint32_t start = event->payload.offset;
    if (layer->parent && is_message && event->kind == GW_OPEN) {
        begin_message(layer);
    } else if (is_message) { /* its end, or its beginning without a tree, where nothing is hidden */
        if (layer->hidden_from) {
            proto_item *item =
                proto_tree_add_item(layer->trees[0], godot_debugger_hf.not_shown, layer->tvb, (int)layer->hidden_from,
                                    (int)(layer->reader->end - layer->hidden_from), ENC_NA);
            gw_add_finding(layer->pinfo, item, &godot_debugger_ei.not_shown);
        }
    } else if (layer->parent && event->kind == GW_OPEN) {
        open_group(layer, event);
    } else if (layer->parent && event->kind == GW_CLOSE) {
        proto_item_set_len(layer->items[event->depth], (int)event->payload.length);
        if (layer->json[0])
            gw_json_fields_end(gw_json_field(layer->json[event->depth], godot_debugger_hf.members[event->role]),
                               layer->json[event->depth + 1]);
    } else if (layer->parent) {
        add_value(layer, has_room(layer, event->header.offset) ? layer->trees[event->depth] : NULL, event);
    } else if (is_value && is_any(event)) {
        /* Without a tree, for the expert infos of the Variant. */
        const gw_godot_options options = options_at(layer, start);
        gw_godot_summary summary;
        gw_godot_validate(layer->bytes, gw_span_end(event->payload), &options, &summary);
        if (summary.odd || summary.fault.fault_class)
            add_variant(layer, NULL, event);
    }
    /* The oddities, at the item of the group that begins, else at that of the message. After the first value that is
     * not shown, none is added. */
    if (event->odd && !layer->hidden_from)
        gw_add_odd_experts(layer->pinfo, layer->items[event->kind == GW_OPEN ? event->depth : 0], godot_debugger_ei.odd,
                           &gw_godot_debugger_faults, layer->experts, event->odd, start);
}
