/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each value is one item on its own bytes, with its numbers and its path below:
 *
 *   "pos": Vector2(1.5, -2)            godot.vector2
 *       x: 1.5                         godot.vector2.x
 *       y: -2                          godot.vector2.y
 *       [Path: ["pos"]]                godot.path, generated
 *
 * Key, type, length, count and other parts of headers have items only if a filter, a column or an option of tshark
 * names the field, or by preference.
 */
#include "tree.h"

#include "common/experts.h"
#include "common/item_budget.h"
#include "common/spans.h"
#include "custom.h"
#include "walk.h"

/* Type, flags, length, count and padding. */
#define ITEMS_OF_DETAILS 5U
/* The paths and values of a packet may take this much memory plus 8 times its length; after that each is cut. */
#define TEXTS_SIZE   (UINT32_C(1) << 19)
#define TEXTS_FACTOR 8U

godot_tree_preferences godot_tree_prefs = { 64, false, false };

/* ---- texts of headers ---------------------------------------------------------------------------------- */

bool godot_needs_type_name(const gw_godot_event *event)
{
    switch ((gw_godot_type)event->type) {
    case GW_GODOT_DICTIONARY:
    case GW_GODOT_ARRAY:
        return !(event->header_word & GW_GODOT_KIND_MASK);
    case GW_GODOT_BOOL:
    case GW_GODOT_INT:
    case GW_GODOT_FLOAT:
    case GW_GODOT_STRING:
    case GW_GODOT_STRING_NAME:
        return true;
    default:
        return false;
    }
}

/* ---- labels -------------------------------------------------------------------------------------------- */

static void print_type_name(gw_text *text, const godot_walk *walk, const gw_godot_event *event)
{
    if (!godot_needs_type_name(event))
        return;
    gw_text_string(text, gw_godot_type_name(walk->generation, (gw_godot_type)event->type));
    gw_text_char(text, ' ');
}

static void print_prefix(gw_text *text, const godot_walk *walk, const gw_godot_event *event)
{
    switch ((gw_godot_role)event->role) {
    case GW_GODOT_ROLE_ELEMENT:
        gw_text_char(text, '[');
        gw_text_unsigned(text, event->index);
        gw_text_string(text, "]: ");
        break;
    case GW_GODOT_ROLE_ENTRY:
    case GW_GODOT_ROLE_PROPERTY:
        gw_text_bytes(text, walk->key_text.text, walk->key_text.length);
        gw_text_string(text, ": ");
        break;
    case GW_GODOT_ROLE_KEY:
        gw_text_string(text, "Key: ");
        break;
    case GW_GODOT_ROLE_ROOT:
    case GW_GODOT_ROLE_PROPERTY_NAME:
        if (walk->title) {
            gw_text_string(text, walk->title);
            gw_text_string(text, ": ");
        } else {
            print_type_name(text, walk, event);
        }
        break;
    }
}

/* The line of the whole value is extended like labels. */
static void begin_line(godot_walk *walk, const gw_godot_event *event)
{
    gw_text *line = walk->line;
    print_type_name(line, walk, event);
    gw_text_bytes(line, walk->literal.text, walk->literal.length);
    if (event->kind == GW_OPEN)
        godot_labels_open(&walk->labels, &(godot_label){ NULL, *line, event->depth });
    walk->line = NULL;
}

/* If there are no labels, the line is printed at once. */
static void print_line(godot_walk *walk, const gw_godot_event *event)
{
    gw_text *line = walk->line;
    if (event->role == GW_GODOT_ROLE_ROOT && event->kind != GW_CLOSE)
        print_type_name(line, walk, event);
    const gw_godot_printer printer = { line, walk->generation };
    gw_godot_print_event(&printer, walk->bytes, event);
    if (line->cut)
        walk->line = NULL;
}

static void add_to_labels(godot_walk *walk, const gw_godot_event *event, const godot_scratch *literal)
{
    const char *separator = gw_godot_separator(event);
    if (!walk->labels.count)
        return;
    godot_labels_add(&walk->labels, separator, strlen(separator));
    godot_labels_add(&walk->labels, literal->text, literal->length);
}

static void print_label(gw_text *label, const godot_walk *walk, const gw_godot_event *event)
{
    print_prefix(label, walk, event);
    gw_text_bytes(label, walk->literal.text, walk->literal.length);
}

static void set_label(const godot_walk *walk, proto_item *item, const gw_godot_event *event)
{
    char buffer[GODOT_LABEL_SIZE];
    gw_text label;
    gw_text_init(&label, buffer, sizeof buffer);
    print_label(&label, walk, event);
    proto_item_set_text(item, "%s", buffer);
}

/* The label of a container is continued by its members. */
static void begin_label(godot_walk *walk, proto_item *item, const gw_godot_event *event)
{
    size_t size = event->depth ? GODOT_INNER_LABEL_SIZE : GODOT_LABEL_SIZE;
    godot_label label = { .item = item, .depth = event->depth };
    gw_text_init(&label.text, (char *)wmem_alloc(walk->pinfo->pool, size), size);
    print_label(&label.text, walk, event);
    godot_labels_open(&walk->labels, &label);
}

/* ---- oddities ------------------------------------------------------------------------------------------ */

static void add_oddities(godot_walk *walk, proto_item *item, uint32_t odd, const gw_godot_event *event)
{
    for (uint32_t bit = 1; odd; odd &= ~bit, bit <<= 1)
        if (odd & bit)
            gw_add_odd_experts(walk->pinfo, item, godot_ei.odd, &gw_godot_faults, walk->experts, bit,
                               gw_godot_odd_offset(walk->bytes, event, bit));
}

/* The codec only has the captured bytes. Padding that was not captured and a count that exceeds them but fits the
 * packet are not odd; nor is an Object's header alone: the caller that enabled such nulls describes what the receiver
 * does. */
static uint32_t odd_of(const godot_walk *walk, const gw_godot_event *event)
{
    uint32_t odd = event->odd & ~(uint32_t)GW_GODOT_ODD_BARE_OBJECT;
    uint32_t smallest = event->type == GW_GODOT_ARRAY ? 4 : 8;
    uint32_t left = tvb_reported_length(walk->tvb) - event->payload.offset;
    if (odd & GW_GODOT_ODD_NO_PADDING && gw_is_cut_by_capture(walk->tvb))
        odd &= ~(uint32_t)GW_GODOT_ODD_NO_PADDING;
    if (odd & GW_GODOT_ODD_COUNT && event->count <= left / smallest)
        odd &= ~(uint32_t)GW_GODOT_ODD_COUNT;
    return odd;
}

/* ---- one value ----------------------------------------------------------------------------------------- */

/* Strings are copied only if the field is referenced. */
static proto_item *add_string_value(const godot_walk *walk, proto_tree *tree, int hf, int start, int length,
                                    const gw_godot_event *event)
{
    const char *string = proto_field_is_referenced(tree, hf) ? godot_text_of(walk, event->text, event->odd) : "";
    return proto_tree_add_string(tree, hf, walk->tvb, start, length, string);
}

static void print_node_path(gw_text *text, const godot_walk *walk, const gw_godot_event *event)
{
    gw_godot_print_node_path(text, walk->bytes, event);
}

static proto_item *add_node_path_value(godot_walk *walk, proto_tree *tree, int start, int length,
                                       const gw_godot_event *event)
{
    int hf = godot_hf.typed[GW_GODOT_NODE_PATH];
    if (!proto_field_is_referenced(tree, hf))
        return proto_tree_add_string(tree, hf, walk->tvb, start, length, "");
    godot_print_into(&walk->value, walk, event, print_node_path, SIZE_MAX);
    return proto_tree_add_string(tree, hf, walk->tvb, start, length, walk->value.text);
}

/* Displayed, extracted and filtered numbers are the same, see details.c. */
static double number_of(const gw_godot_event *event)
{
    double number = event->real;
    return event->payload.length == sizeof(float) ? gw_float_to_double((float)number) : number;
}

/* Adds the field of the value's type. */
static proto_item *add_item(godot_walk *walk, proto_tree *tree, const gw_godot_event *event, int start, int length)
{
    int hf = godot_hf.typed[event->type];
    tvbuff_t *tvb = walk->tvb;
    switch ((gw_godot_type)event->type) {
    case GW_GODOT_BOOL:
        return proto_tree_add_boolean(tree, hf, tvb, start, length, event->number != 0);
    case GW_GODOT_INT:
        return proto_tree_add_int64(tree, hf, tvb, start, length, event->number);
    case GW_GODOT_FLOAT:
        return proto_tree_add_double(tree, hf, tvb, start, length, number_of(event));
    case GW_GODOT_STRING:
        if (event->role == GW_GODOT_ROLE_PROPERTY_NAME)
            hf = godot_hf.object_property;
        return add_string_value(walk, tree, hf, start, length, event);
    case GW_GODOT_STRING_NAME:
    case GW_GODOT_SIGNAL:
        return add_string_value(walk, tree, hf, start, length, event);
    case GW_GODOT_NODE_PATH:
        return add_node_path_value(walk, tree, start, length, event);
    case GW_GODOT_RID:
        return proto_tree_add_uint64(tree, hf, tvb, start, length, event->payload.length ? event->number : 0);
    case GW_GODOT_BYTE_ARRAY:
        return proto_tree_add_bytes_with_length(tree, hf, tvb, start, length, walk->bytes + event->payload.offset,
                                                (int)event->count);
    default:
        return proto_tree_add_item(tree, hf, tvb, start, length, ENC_NA);
    }
}

static bool has_key_item(const godot_walk *walk)
{
    int hf = walk->key.role == GW_GODOT_ROLE_PROPERTY_NAME ? godot_hf.object_property : godot_hf.key;
    return walk->wants.headers || (walk->wants.details && gw_is_named(hf));
}

static proto_item *add_key_item(const godot_walk *walk, proto_tree *tree)
{
    const gw_godot_event *key = &walk->key;
    bool is_text = key->type == GW_GODOT_STRING || key->type == GW_GODOT_STRING_NAME;
    int hf = key->role == GW_GODOT_ROLE_PROPERTY_NAME ? godot_hf.object_property : godot_hf.key;
    int length = (int)(gw_span_end(key->padding) - key->header.offset);
    const char *text = "";
    if (proto_field_is_referenced(tree, hf))
        text = is_text ? godot_text_of(walk, key->text, key->odd) : walk->key_text.text;
    return proto_tree_add_string(tree, hf, walk->tvb, (int)key->header.offset, length, text);
}

/* Adds the key of an entry or the name of a property, as a separate item or below the item of its value. */
static void add_key(godot_walk *walk, proto_tree *tree, bool has_item)
{
    const gw_godot_event *key = &walk->key;
    proto_item *item = has_item ? add_key_item(walk, tree) : proto_tree_get_parent(tree);
    proto_tree *branch = has_item ? proto_item_add_subtree(item, godot_ett_value) : tree;
    if (walk->wants.details)
        godot_details_add_header(walk, branch, key);
    if (walk->wants.details || (has_item && key->odd))
        godot_details_add(walk, branch, key);
    add_oddities(walk, item, key->odd, key);
}

/* ---- subtrees ------------------------------------------------------------------------------------------ */

static proto_tree *tree_at(const godot_walk *walk, uint32_t depth)
{
    return walk->trees[MIN(depth, GODOT_TREE_DEPTH)];
}

static void open_branch(godot_walk *walk, const gw_godot_event *event, proto_item *item, proto_tree *branch,
                        uint32_t start)
{
    uint32_t depth = event->depth + 1;
    if (event->role == GW_GODOT_ROLE_KEY && !walk->key_depth)
        walk->key_depth = depth;
    if (depth <= GODOT_TREE_DEPTH) {
        walk->trees[depth] = branch;
        walk->items[depth] = item;
        walk->starts[depth] = start;
    } else if (depth == GODOT_TREE_DEPTH + 1 && item) {
        expert_add_info(walk->pinfo, item, &godot_ei.flattened);
    } else if (depth == GODOT_TREE_DEPTH + 1) {
        proto_tree_add_expert(walk->trees[0], walk->pinfo, &godot_ei.flattened, walk->tvb, (int)start, 4);
    }
}

/* Components and elements have separate fields, and filters often reference many of them: they are always added. */
static bool has_numbers_below(const gw_godot_event *event)
{
    return event->kind == GW_PACKED || gw_godot_components((gw_godot_type)event->type) > 1;
}

/* The bytes of a value. For a value without a payload, such as nil and an empty text, they are the header; for a
 * container, its contents up to the end of its last member, which is set later. */
static gw_span span_of(const gw_godot_event *event)
{
    if (event->kind != GW_OPEN && event->payload.length)
        return event->payload;
    return event->header;
}

static void add_value(godot_walk *walk, const gw_godot_event *event)
{
    bool keyed = event->role == GW_GODOT_ROLE_ENTRY || event->role == GW_GODOT_ROLE_PROPERTY;
    gw_span span = span_of(event);
    proto_item *item = add_item(walk, tree_at(walk, event->depth), event, (int)span.offset, (int)span.length);
    proto_tree *branch = proto_item_add_subtree(item, godot_ett_value);
    uint32_t odd = odd_of(walk, event);

    if (event->role == GW_GODOT_ROLE_ROOT)
        walk->root = item;
    if (walk->demand.visible && event->kind == GW_OPEN)
        begin_label(walk, item, event);
    else if (walk->demand.visible)
        set_label(walk, item, event);
    /* A key that is a container has a separate subtree. */
    if (keyed && walk->has_key)
        add_key(walk, branch, has_key_item(walk));
    if (walk->wants.details)
        godot_details_add_header(walk, branch, event);
    if (walk->wants.details || odd || has_numbers_below(event))
        godot_details_add(walk, branch, event);
    godot_texts_add(walk, branch, event, span);
    if (walk->wants.custom && event->role != GW_GODOT_ROLE_KEY && !walk->key_depth)
        godot_custom_add_event(branch, walk->pinfo, walk->tvb, span, godot_path_text(&walk->path), walk->bytes, event);
    add_oddities(walk, item, odd, event);
    if (event->kind == GW_OPEN)
        open_branch(walk, event, item, branch, span.offset);
}

/* ---- the walk ------------------------------------------------------------------------------------------ */

/* Prints a container that is a key. Nested keys are read again for each key around them, so their length counts toward
 * the limit. */
static void print_key(godot_walk *walk, const gw_godot_event *event)
{
    godot_print_into(&walk->key_text, walk, event, godot_print_whole, godot_text_limit(walk));
    walk->text_left -= MIN(walk->text_left, walk->key_text.length);
}

static void close_branch(godot_walk *walk, const gw_godot_event *event)
{
    uint32_t depth = event->depth + 1;
    uint32_t end = gw_span_end(event->payload);
    if (depth <= GODOT_TREE_DEPTH)
        proto_item_set_len(walk->items[depth], (int)(end - walk->starts[depth]));
    if (walk->key_depth == depth)
        walk->key_depth = 0;
    godot_labels_close(&walk->labels, event->depth);
    /* A container that is a key: its own keys have replaced walk->key. */
    if (event->role == GW_GODOT_ROLE_KEY) {
        walk->key = *event;
        walk->key.kind = GW_OPEN;
        if (walk->wants.keys)
            print_key(walk, event);
    }
}

static bool asks_for_type(uint8_t type)
{
    if (gw_is_named(godot_hf.typed[type]) || (godot_hf.elements[type] > 0 && gw_is_named(godot_hf.elements[type])))
        return true;
    for (unsigned i = 0; i < GODOT_COMPONENTS && godot_hf.components[type][i] > 0; i++)
        if (gw_is_named(godot_hf.components[type][i]))
            return true;
    return false;
}

/* True if the field of a type, or a field below it, is referenced. */
static bool wants_type(gw_demand *demand, uint8_t type)
{
    if (gw_kind_is_known(demand, type))
        return gw_kind_is_named(demand, type);
    return gw_kind_keep(demand, type, asks_for_type(type));
}

/* True if no field of this value is referenced, the tree is not visible, and there is nothing to report. */
static bool is_unwanted(godot_walk *walk, const gw_godot_event *event)
{
    bool warns = event->odd || (walk->has_key && walk->key.odd);
    return !warns && !walk->wants.others && !wants_type(&walk->demand, event->type);
}

/* Nothing to add and nothing to store: true for most values if a filter references one type. */
static bool is_passed_by(const godot_walk *walk, const gw_godot_event *event)
{
    bool is_unnamed = gw_kind_is_known(&walk->demand, event->type) && !gw_kind_is_named(&walk->demand, event->type);
    bool is_leaf = event->kind == GW_VALUE || event->kind == GW_PACKED;
    return is_leaf && !walk->wants.others && !walk->has_key && !event->odd && (godot_is_key(event) || is_unnamed);
}

/* The members of a container without an item are added to the container's parent. */
static void skip_value(godot_walk *walk, const gw_godot_event *event)
{
    if (event->kind == GW_OPEN)
        open_branch(walk, event, NULL, tree_at(walk, event->depth), event->header.offset);
}

/* Keys and names are stored until the value that follows them. */
static void set_key(godot_walk *walk, const gw_godot_event *event)
{
    walk->has_key = walk->wants.keys || event->odd;
    if (!walk->has_key)
        return;
    walk->key = *event;
    if (walk->wants.keys)
        godot_print_into(&walk->key_text, walk, event, godot_print_event, godot_text_limit(walk));
    add_to_labels(walk, event, &walk->key_text);
}

static void add_event(godot_walk *walk, const gw_godot_event *event)
{
    if (godot_is_key(event) && event->kind != GW_OPEN && event->kind != GW_CLOSE) {
        set_key(walk, event);
        return;
    }
    if (walk->demand.visible) {
        godot_print_into(&walk->literal, walk, event, godot_print_event, GODOT_FIRST_TEXT_SIZE);
        add_to_labels(walk, event, &walk->literal);
        if (walk->line)
            begin_line(walk, event);
    }
    if (event->kind == GW_CLOSE) {
        close_branch(walk, event);
        return;
    }
    if (walk->wants.path || walk->wants.custom)
        godot_path_step_to(&walk->path, event, walk->key_text.text, walk->key_text.length);
    if (walk->wants.short_path || walk->wants.path_with_value)
        godot_path_step_to(&walk->short_path, event, walk->key_text.text, walk->key_text.length);
    if (is_unwanted(walk, event))
        skip_value(walk, event);
    else
        add_value(walk, event);
    walk->has_key = false;
}

/* The number of items that a visible tree has for the value, so that results do not depend on the tree; plus items that
 * are added only if they are referenced. */
static uint32_t items_of(const godot_walk *walk, const gw_godot_event *event)
{
    /* A key that is not a container is counted with its value. */
    if (godot_is_key(event) && event->kind != GW_OPEN)
        return 0;
    uint32_t components = gw_godot_components((gw_godot_type)event->type);
    uint32_t elements = MIN(event->count, godot_tree_prefs.elements);
    uint32_t items = walk->items_of_value + (walk->has_key ? 1 + walk->items_of_details : 0);
    if (event->kind == GW_PACKED)
        items += elements * (components + 1);
    else if (event->type == GW_GODOT_NODE_PATH && walk->wants.details)
        items += MIN(event->payload.length / 4, 2 * elements);
    else if (components > 1)
        items += components * (1U + walk->wants.short_path + walk->wants.path_with_value);
    return items;
}

bool godot_walk_add(godot_walk *walk, const gw_godot_event *event)
{
    if (event->kind != GW_CLOSE && !gw_use_items(walk->items_left, items_of(walk, event)))
        return false;
    if (walk->line && !walk->demand.visible)
        print_line(walk, event);
    if (!is_passed_by(walk, event))
        add_event(walk, event);
    return true;
}

static void add_not_shown(godot_walk *walk, uint32_t from)
{
    proto_item *item = proto_tree_add_item(walk->trees[0], godot_hf.not_shown, walk->tvb, (int)from,
                                           (int)(walk->length - from), ENC_NA);
    expert_add_info(walk->pinfo, item, &godot_ei.not_shown);
}

/* `from`: the offset of the value that could not be read. */
static void add_fault(godot_walk *walk, const gw_fault *fault, uint32_t from)
{
    static const gw_fault_display display = { &godot_hf.undecoded, godot_ei.faults, &godot_ei.cut_short,
                                              &gw_godot_faults };
    /* The part of it that was read before the fault has no item yet. */
    if (from < fault->offset)
        proto_tree_add_item(walk->trees[0], godot_hf.undecoded, walk->tvb, (int)from, (int)(fault->offset - from),
                            ENC_NA);
    gw_add_fault(walk->pinfo, walk->trees[0], walk->tvb, fault, &display);
}

static void end_labels(godot_walk *walk, const gw_fault *fault)
{
    char buffer[32];
    gw_text text;
    gw_text_init(&text, buffer, sizeof buffer);
    gw_godot_print_fault(&text, fault);
    godot_labels_add(&walk->labels, text.buffer, text.length);
    if (walk->line)
        gw_text_string(walk->line, text.buffer);
}

void godot_walk_end(godot_walk *walk, const gw_godot_reader *reader, const gw_godot_event *left_out)
{
    bool has_opened = left_out && left_out->kind == GW_OPEN;
    uint32_t depth = MIN(has_opened ? reader->depth - 1 : reader->depth, GODOT_TREE_DEPTH);
    if (walk->has_key)
        add_key(walk, tree_at(walk, reader->depth), true);
    for (; depth; depth--)
        proto_item_set_len(walk->items[depth], (int)(reader->offset - walk->starts[depth]));
    if (left_out) {
        add_not_shown(walk, left_out->header.offset);
    } else {
        end_labels(walk, &reader->fault);
        add_fault(walk, &reader->fault, reader->offset);
    }
    godot_labels_end(&walk->labels);
}

/* ---- start and end ------------------------------------------------------------------------------------- */

uint32_t *godot_items_left(packet_info *pinfo)
{
    return gw_items_left(pinfo, godot_hf.not_shown);
}

godot_walk *godot_walk_new(packet_info *pinfo, tvbuff_t *tvb)
{
    godot_walk *walk = wmem_new(pinfo->pool, godot_walk);
    memset(walk, 0, offsetof(godot_walk, key));
    walk->pinfo = pinfo;
    walk->tvb = tvb;
    walk->length = tvb_captured_length(tvb);
    walk->bytes = gw_bytes_of(tvb);
    walk->text_left = TEXTS_SIZE + (size_t)TEXTS_FACTOR * walk->length;
    walk->items_left = godot_items_left(pinfo);
    walk->labels.count = 0;
    return walk;
}

void godot_walk_start(godot_walk *walk, proto_tree *tree, gw_godot_generation generation,
                      const godot_variant_request *request)
{
    unsigned named = godot_details_named();
    walk->demand = gw_demand_of(walk->pinfo, tree, proto_godot);
    godot_wants wants = { .headers = walk->demand.visible && godot_tree_prefs.show_headers };
    wants.details = named || wants.headers;
    wants.path = proto_field_is_referenced(tree, godot_hf.path);
    wants.value = gw_is_named(godot_hf.value) || (walk->demand.visible && godot_tree_prefs.show_values);
    wants.short_path = gw_is_named(godot_hf.short_path);
    wants.path_with_value = gw_is_named(godot_hf.path_with_value);
    wants.custom = godot_custom_is_wanted(tree);
    wants.keys =
        wants.custom || wants.path || wants.value || wants.short_path || wants.path_with_value || wants.details;
    wants.others = walk->demand.visible || wants.keys;
    walk->generation = generation;
    walk->title = request->title;
    walk->line = request->line;
    walk->wants = wants;
    walk->items_of_details = wants.headers ? ITEMS_OF_DETAILS : MIN(named, ITEMS_OF_DETAILS);
    walk->items_of_value =
        2U + wants.value + wants.short_path + wants.path_with_value + wants.custom + walk->items_of_details;
    walk->root = NULL;
    walk->key_depth = 0;
    walk->has_key = false;
    walk->labels.count = 0;
    walk->trees[0] = tree;
    if (wants.path || wants.custom)
        godot_path_start(&walk->path, walk->pinfo, false, request->path);
    if (wants.short_path || wants.path_with_value)
        godot_path_start(&walk->short_path, walk->pinfo, true, request->path);
}

proto_item *godot_walk_root(const godot_walk *walk)
{
    return walk->root;
}

const gw_demand *godot_walk_demand(const godot_walk *walk)
{
    return &walk->demand;
}
