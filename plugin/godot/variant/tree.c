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
#include "internal.h"

#include "common/display/experts.h"
#include "common/findings.h"
#include "common/items.h"
#include "common/recognition/payloads.h"

/* Type, flags, length, count and padding. */
#define ITEMS_OF_PARTS 5U
/* The paths and values of a packet may take this much memory plus 8 times its length; after that each is cut. */
#define TEXTS_SIZE   (UINT32_C(1) << 19)
#define TEXTS_FACTOR 8U

godot_tree_preferences godot_tree_prefs = { 64, false, false };

/* Wireshark dissects one packet at a time: all texts share these, but not with the reader of the tree, which is in the
 * middle of a Variant when a container is printed. */
static gw_godot_level print_levels[GODOT_READER_LEVELS];

/* ---- texts --------------------------------------------------------------------------------------------- */

/* Prints the Variant at options->offset as a literal, with memory for hostile documents that no reader of the tree
 * uses. */
void godot_print_literal(gw_text *text, const uint8_t *bytes, size_t length, const gw_godot_options *options)
{
    gw_godot_options printing = *options;
    printing.levels = print_levels;
    printing.level_count = GODOT_READER_LEVELS;
    gw_godot_print(text, bytes, length, &printing);
}

/* Prints the value of an event as a literal, a container with its contents. The text grows up to `limit` bytes, its NUL
 * included: it is printed again into more memory until it fits. */
static void print_value(godot_scratch *scratch, const godot_walk *walk, const gw_godot_event *event, size_t limit)
{
    const gw_godot_options options = { .generation = walk->options.generation,
                                       .offset = event->header.offset,
                                       .bare_objects = walk->options.bare_objects };
    gw_text text;
    if (!scratch->text) {
        scratch->size = GODOT_SHORTEST_TEXT;
        scratch->text = (char *)wmem_alloc(walk->pinfo->pool, scratch->size);
    }
    for (;;) {
        gw_text_init(&text, scratch->text, MIN(scratch->size, limit));
        if (event->kind == GW_OPEN)
            godot_print_literal(&text, walk->bytes, walk->length, &options);
        else
            gw_godot_print_value(&text, walk->bytes, event, walk->options.generation);
        if (!text.cut || scratch->size >= limit)
            break;
        scratch->size *= 4;
        scratch->text = (char *)wmem_realloc(walk->pinfo->pool, scratch->text, scratch->size);
    }
    scratch->length = text.length;
}

/* Sets the label of a value's item: the index, the key or the caller's title, and the literal in walk->text. A root
 * without a title has the name of its type, unless its literal begins with this name. */
static void set_label(const godot_walk *walk, proto_item *item, const gw_godot_event *event)
{
    char buffer[GODOT_LABEL_SIZE];
    gw_text label;
    gw_text_init(&label, buffer, event->kind == GW_OPEN && event->depth ? GODOT_INNER_LABEL_SIZE : GODOT_LABEL_SIZE);
    if (event->role == GW_GODOT_ROLE_ELEMENT) {
        gw_text_char(&label, '[');
        gw_text_unsigned(&label, event->index);
        gw_text_string(&label, "]: ");
    } else if (event->role == GW_GODOT_ROLE_KEY) {
        gw_text_string(&label, "Key: ");
    } else if (event->role != GW_GODOT_ROLE_ROOT) {
        gw_text_bytes(&label, walk->key_text.text, walk->key_text.length);
        gw_text_string(&label, ": ");
    } else if (walk->title) {
        gw_text_string(&label, walk->title);
        gw_text_string(&label, ": ");
    } else if (godot_needs_type_name(event)) {
        gw_text_string(&label, gw_godot_type_name(walk->options.generation, (gw_godot_type)event->type));
        gw_text_char(&label, ' ');
    }
    gw_text_bytes(&label, walk->text.text, walk->text.length);
    proto_item_set_text(item, "%s", buffer);
}

/* ---- oddities ------------------------------------------------------------------------------------------ */

/* Adds an expert info for each oddity of a value or key to its item, except for GW_GODOT_ODD_BARE_OBJECT, which has
 * none: such an Object is only read for calls of multiplayer, whose dissector reports what it does in the receiver. */
static void add_oddities(godot_walk *walk, proto_item *item, const gw_godot_event *event)
{
    uint32_t odd = event->odd & ~(uint32_t)GW_GODOT_ODD_BARE_OBJECT;
    /* The codec only has the captured bytes. If the capture cut the packet, its padding may be in the rest; and a count
     * of members that exceeds the captured bytes is no oddity if so many fit into the packet's length on the wire. */
    uint32_t smallest = event->type == GW_GODOT_ARRAY ? 4 : 8; /* bytes of an element; of a key or name and its value */
    uint32_t left = tvb_reported_length(walk->tvb) - event->payload.offset;
    if (odd & GW_GODOT_ODD_NO_PADDING && gw_is_cut_by_capture(walk->tvb))
        odd &= ~(uint32_t)GW_GODOT_ODD_NO_PADDING;
    if (odd & GW_GODOT_ODD_COUNT && event->count <= left / smallest)
        odd &= ~(uint32_t)GW_GODOT_ODD_COUNT;
    for (uint32_t bit = 1; odd; odd &= ~bit, bit <<= 1)
        if (odd & bit)
            gw_add_odd_experts(walk->pinfo, item, godot_ei.odd, &gw_godot_faults, walk->experts, bit,
                               gw_godot_odd_offset(walk->bytes, event, bit));
}

/* ---- items of values ----------------------------------------------------------------------------------- */

/* Adds the field of the value's type, on the bytes of `span`. Texts are copied only if the field is referenced. */
static proto_item *add_item(const godot_walk *walk, proto_tree *tree, const gw_godot_event *event, gw_span span)
{
    int hf = godot_hf.typed[event->type], start = (int)span.offset, length = (int)span.length;
    tvbuff_t *tvb = walk->tvb;
    switch ((gw_godot_type)event->type) {
    case GW_GODOT_BOOL:
        return proto_tree_add_boolean(tree, hf, tvb, start, length, event->number != 0);
    case GW_GODOT_INT:
        return proto_tree_add_int64(tree, hf, tvb, start, length, event->number);
    case GW_GODOT_FLOAT:
        return proto_tree_add_double(tree, hf, tvb, start, length, godot_number_at(walk->bytes, event, 0));
    case GW_GODOT_STRING:
    case GW_GODOT_STRING_NAME:
    case GW_GODOT_SIGNAL:
        /* `odd`: whether the text has invalid UTF-8 or a NUL. */
        return proto_tree_add_string(tree, hf, tvb, start, length,
                                     proto_field_is_referenced(tree, hf) ? godot_text_of(walk, event->text, event->odd)
                                                                         : "");
    case GW_GODOT_NODE_PATH: {
        bool is_referenced = proto_field_is_referenced(tree, hf);
        /* At most six characters for a byte: "\u0001". */
        size_t size = is_referenced ? 6 * (size_t)event->payload.length + 8 : 1;
        gw_text path;
        gw_text_init(&path, (char *)wmem_alloc(walk->pinfo->pool, size), size);
        if (is_referenced)
            gw_godot_print_node_path(&path, walk->bytes, event);
        return proto_tree_add_string(tree, hf, tvb, start, length, path.buffer);
    }
    case GW_GODOT_RID:
        /* Only Godot 4 sends the id. */
        return proto_tree_add_uint64(tree, hf, tvb, start, length, event->payload.length ? event->number : 0);
    case GW_GODOT_BYTE_ARRAY:
        return proto_tree_add_bytes_with_length(tree, hf, tvb, start, length, walk->bytes + event->payload.offset,
                                                (int)event->count);
    default: /* the field has no value (FT_NONE): components, elements and members have fields of their own */
        return proto_tree_add_item(tree, hf, tvb, start, length, ENC_NA);
    }
}

/* ---- keys ---------------------------------------------------------------------------------------------- */

/* Stores a key or a name until the value that follows it; its text too, if labels or paths need it (demands.any). A key
 * that is a container is printed with its contents, which are read again for each key around it: so its length is
 * subtracted from the packet's limit for texts. */
static void keep_key(godot_walk *walk, const gw_godot_event *event)
{
    walk->key = *event;
    if (!walk->demands.any)
        return;
    print_value(&walk->key_text, walk, event, walk->text_limit);
    if (event->kind == GW_OPEN)
        godot_text_count(walk, walk->key_text.length);
}

/* Adds the key of an entry or the name of a property below `tree`, the subtree of its value. It has an item of its own
 * if its field is named, or if no value follows it; else its expert infos are on the item of the value. `has_value`:
 * false if reading ended before the value: then `tree` is the subtree of the container. */
static void add_key(godot_walk *walk, proto_tree *tree, bool has_value)
{
    const gw_godot_event *key = &walk->key;
    int hf = key->role == GW_GODOT_ROLE_PROPERTY_NAME ? godot_hf.object_property : godot_hf.key;
    const gw_span span = { key->header.offset, gw_span_end(key->padding) - key->header.offset };
    proto_item *item = proto_tree_get_parent(tree);
    if (!has_value || walk->demands.headers || gw_is_named(hf)) {
        bool is_text = key->type == GW_GODOT_STRING || key->type == GW_GODOT_STRING_NAME;
        const char *text = "";
        if (proto_field_is_referenced(tree, hf))
            text = is_text ? godot_text_of(walk, key->text, key->odd) : walk->key_text.text;
        item = gw_add_text(tree, hf, walk->tvb, span, text);
        tree = proto_item_add_subtree(item, godot_ett_value);
    }
    if (walk->demands.parts || !has_value)
        godot_details_add(walk, tree, key, span);
    add_oddities(walk, item, key);
    walk->has_key = false;
}

/* ---- containers ---------------------------------------------------------------------------------------- */

/* The parent of values at a depth. All values below the deepest subtree are added to it. */
static proto_tree *tree_at(const godot_walk *walk, uint32_t depth)
{
    return walk->trees[MIN(depth, GODOT_TREE_DEPTH)];
}

/* Makes `branch` the parent of the container's members. `item`: of the container; its length is set when the container
 * ends. If no item was added for it, both are the parent of the container. If the members are deeper than the tree may
 * be, the container has an expert info, and they are added to the deepest subtree. */
static void open_container(godot_walk *walk, const gw_godot_event *event, proto_item *item, proto_tree *branch)
{
    uint32_t depth = event->depth + 1;
    if (event->role == GW_GODOT_ROLE_KEY && !walk->key_depth) /* the outermost container that is a key */
        walk->key_depth = depth;
    if (depth <= GODOT_TREE_DEPTH) {
        walk->trees[depth] = branch;
        /* The members of a container without an item are added to the container's parent. */
        walk->items[depth] = item == tree_at(walk, event->depth) ? NULL : item;
        walk->starts[depth] = event->header.offset;
    } else if (depth == GODOT_TREE_DEPTH + 1) {
        gw_add_finding(walk->pinfo, item, &godot_ei.flattened);
    }
}

/* ---- the walk ------------------------------------------------------------------------------------------ */

/* True if a filter, a column or an option names a field of the type: of its value, of an element or of a component. */
static bool is_type_named(uint8_t type)
{
    if (gw_is_named(godot_hf.typed[type]) || (godot_hf.elements[type] > 0 && gw_is_named(godot_hf.elements[type])))
        return true;
    for (unsigned i = 0; i < GODOT_COMPONENTS && godot_hf.components[type][i] > 0; i++)
        if (gw_is_named(godot_hf.components[type][i]))
            return true;
    return false;
}

/* Adds one value that is not a key: its item, whose label has its text; below it its key, parts and numbers, then its
 * paths. */
static void add_value(godot_walk *walk, const gw_godot_event *event)
{
    const godot_demands *demands = &walk->demands;
    bool is_open = event->kind == GW_OPEN;
    proto_tree *parent = tree_at(walk, event->depth);

    /* Nothing of the value is displayed, referenced or reported: if a filter names one type, this is so for most. */
    if (!demands->any && !walk->has_key && !event->odd &&
        !gw_kind_is_asked(&walk->demands.common, event->type, is_type_named)) {
        if (is_open)
            open_container(walk, event, parent, parent);
        return;
    }

    /* The text is no longer than needed: as the value of godot.value or godot.path_with_value, which keys do not have,
     * nor containers the second, up to the limit for texts; else, if the tree is visible, as a part of the label. */
    if (godot_has_path(walk, event) && (demands->value || (demands->path_with_value && !is_open)))
        print_value(&walk->text, walk, event, walk->text_limit);
    else if (demands->common.visible)
        print_value(&walk->text, walk, event, is_open && event->depth ? GODOT_INNER_LABEL_SIZE : GODOT_LABEL_SIZE);

    /* The item is on the payload. A value without one, such as nil and an empty text, has its header; a container
     * too, up to the end of its last member, which is set later. */
    gw_span span = !is_open && event->payload.length ? event->payload : event->header;
    proto_item *item = add_item(walk, parent, event, span);
    proto_tree *tree = proto_item_add_subtree(item, godot_ett_value);
    if (!event->depth)
        walk->root = item;
    if (demands->common.visible)
        set_label(walk, item, event);
    if (walk->has_key)
        add_key(walk, tree, true);
    godot_details_add(walk, tree, event, span);
    add_oddities(walk, item, event);
    if (is_open)
        open_container(walk, event, item, tree);
}

/* Adds one event: a value as an item. A key, unless it is a container, is stored, and added with the value that follows
 * it. The end of a container sets the length of its item. False if the tree has reached its limit: then the event was
 * not added. */
static bool add_event(godot_walk *walk, const gw_godot_event *event)
{
    if (event->kind == GW_CLOSE) {
        uint32_t depth = event->depth + 1;
        if (depth <= GODOT_TREE_DEPTH)
            proto_item_set_len(walk->items[depth], (int)(gw_span_end(event->payload) - walk->starts[depth]));
        /* The outermost container that is a key ends. */
        if (walk->key_depth == depth)
            walk->key_depth = 0;
        /* A container that is a key: its own keys have replaced walk->key. */
        if (event->role == GW_GODOT_ROLE_KEY) {
            gw_godot_event key = *event;
            key.kind = GW_OPEN;
            keep_key(walk, &key);
        }
    } else if (godot_is_key(event) && event->kind != GW_OPEN) {
        keep_key(walk, event);
        /* A key that is neither displayed, referenced nor reported adds nothing to its value. */
        walk->has_key = walk->demands.any || event->odd;
    } else {
        /* The items that the event takes of those that the packet may have, as if the tree were visible: the limit is
         * reached at the same event with and without a tree. The key of an entry is counted with its value. */
        uint32_t components = gw_godot_components((gw_godot_type)event->type);
        uint32_t elements = MIN(event->count, godot_tree_prefs.elements);
        uint32_t items = walk->demands.items + (walk->has_key ? walk->demands.key_items : 0);
        if (event->kind == GW_PACKED)
            items += elements * (components + 1);
        else if (event->type == GW_GODOT_NODE_PATH && walk->demands.parts)
            items += MIN(event->payload.length / 4, 2 * elements); /* names and subnames, each with a length word */
        else if (components > 1)
            items += components * walk->demands.number_items;
        if (!gw_use_items(walk->items_left, items))
            return false;
        add_value(walk, event);
    }
    return true;
}

/* Ends a Variant that was not read completely: ends the items of open containers, and adds the bytes after it.
 * `left_out`: the event at which the limit was reached; NULL: reading ended with a fault. */
static void end_early(godot_walk *walk, const gw_godot_reader *reader, const gw_godot_event *left_out)
{
    static const gw_fault_display display = { &godot_hf.undecoded, godot_ei.faults, &godot_ei.cut_short,
                                              &gw_godot_faults };
    bool has_opened = left_out && left_out->kind == GW_OPEN; /* the reader is in this container, which has no item */
    uint32_t depth = MIN(has_opened ? reader->depth - 1 : reader->depth, GODOT_TREE_DEPTH);
    proto_tree *tree = walk->trees[0];
    if (walk->has_key) /* its value was not added */
        add_key(walk, tree_at(walk, reader->depth), false);
    for (; depth; depth--)
        proto_item_set_len(walk->items[depth], (int)(reader->offset - walk->starts[depth]));
    if (left_out) {
        uint32_t start = left_out->header.offset;
        proto_item *item =
            proto_tree_add_item(tree, godot_hf.not_shown, walk->tvb, (int)start, (int)(walk->length - start), ENC_NA);
        gw_add_finding(walk->pinfo, item, &godot_ei.not_shown);
        return;
    }

    /* The part of the value that was read before the fault has no item yet. */
    const gw_fault *fault = &reader->fault;
    if (reader->offset < fault->offset)
        proto_tree_add_item(tree, godot_hf.undecoded, walk->tvb, (int)reader->offset,
                            (int)(fault->offset - reader->offset), ENC_NA);
    if (fault->code == GW_GODOT_FAULT_TYPE_UNKNOWN) {
        char number[100];
        gw_text text;
        gw_text_init(&text, number, sizeof number);
        gw_godot_print_unknown_type(&text, walk->bytes, walk->length, fault->offset, walk->options.generation);
        gw_add_fault_text(
            walk->pinfo, tree, walk->tvb, fault, &display,
            wmem_strdup_printf(walk->pinfo->pool, "%s (%s)", gw_fault_text(&gw_godot_faults, fault->code), number));
    } else {
        gw_add_fault(walk->pinfo, tree, walk->tvb, fault, &display);
    }
}

/* ---- Variants of a tvbuff ------------------------------------------------------------------------------ */

/* The number of items for values that the packet may still have, in all its Variants and messages of Godot together.
 * The caller subtracts the items that it adds. `not_shown` only identifies the protocol. */
uint32_t *godot_items_left(packet_info *pinfo)
{
    return gw_items_left(pinfo, godot_hf.not_shown);
}

/* The state for adding the Variants of one tvbuff. */
godot_variants *godot_variants_new(packet_info *pinfo, tvbuff_t *tvb)
{
    godot_walk *walk = wmem_new(pinfo->pool, godot_walk);
    memset(walk, 0, offsetof(godot_walk, key)); /* not the arrays after it, whose entries are set before use */
    walk->pinfo = pinfo;
    walk->tvb = tvb;
    walk->length = tvb_captured_length(tvb);
    walk->bytes = gw_bytes_of(tvb);
    walk->text_limit = TEXTS_SIZE + (size_t)TEXTS_FACTOR * walk->length;
    walk->items_left = godot_items_left(pinfo);
    walk->path = (godot_path){ .pool = pinfo->pool };
    walk->short_path = (godot_path){ .pool = pinfo->pool, .is_short = true };
    return walk;
}

/* Which texts and fields this dissection needs of each value, and the number of items that each value then has. `tree`:
 * of the Variant. */
static godot_demands demands_of(const packet_info *pinfo, proto_tree *tree)
{
    godot_demands demands = { .common = gw_demand_of(pinfo, tree, proto_godot) };
    bool visible = demands.common.visible;
    unsigned named_fields = godot_details_named();
    demands.headers = visible && godot_tree_prefs.show_headers;
    demands.parts = named_fields || demands.headers;
    demands.path = proto_field_is_referenced(tree, godot_hf.path);
    demands.value = gw_is_named(godot_hf.value) || (visible && godot_tree_prefs.show_values);
    demands.short_path = gw_is_named(godot_hf.short_path);
    demands.path_with_value = gw_is_named(godot_hf.path_with_value);
    demands.custom = godot_custom_is_needed(tree);
    demands.any = demands.parts || demands.path || demands.value || demands.custom;
    /* Parts of headers: all of them, or at most as many as fields are named. A value has, besides its parts, its item
     * and its path, and an item for each other text; a component has its item and its short paths. */
    uint32_t parts = demands.headers ? ITEMS_OF_PARTS : MIN(named_fields, ITEMS_OF_PARTS);
    demands.key_items = 1 + parts;
    demands.number_items = 1U + demands.short_path + demands.path_with_value;
    demands.items =
        GODOT_ITEMS_OF_VALUE + demands.short_path + demands.path_with_value + demands.value + demands.custom + parts;
    return demands;
}

/* Reads the Variant of a request, adds its items to `tree`, and sets the result: root, length, fault, item of the root,
 * and the text if requested. The length of a Variant that was not read to its end is that of all bytes from its offset
 * on. */
void godot_walk_read(godot_walk *walk, proto_tree *tree, const godot_variant_request *request,
                     const gw_godot_options *options, godot_variant_result *result)
{
    gw_godot_reader reader;
    gw_godot_event event;
    gw_next next;
    *result = (godot_variant_result){ .generation = options->generation };
    walk->options = *options;
    walk->title = request->title;
    walk->demands = demands_of(walk->pinfo, tree);
    walk->root = NULL;
    walk->key_depth = 0;
    walk->has_key = false;
    walk->trees[0] = tree;
    walk->path.base = walk->short_path.base = request->path;

    /* Up to the end of the Variant, a fault, or the limit of items. The first event is the root. */
    gw_godot_init(&reader, walk->bytes, walk->length, options);
    while ((next = gw_godot_next(&reader, &event)) == GW_NEXT_EVENT && add_event(walk, &event)) {
        if (result->has_root)
            continue;
        result->root = event;
        result->has_root = true;
    }
    if (next != GW_NEXT_END)
        end_early(walk, &reader, next == GW_NEXT_FAULT ? NULL : &event);
    result->length = (next == GW_NEXT_END ? reader.offset : walk->length) - request->offset;
    result->fault = reader.fault;
    result->item = walk->root;
    if (request->wants_text) {
        char *buffer = (char *)wmem_alloc(walk->pinfo->pool, GODOT_VARIANT_TEXT + 1);
        gw_text text;
        gw_text_init(&text, buffer, GODOT_VARIANT_TEXT + 1);
        godot_print_literal(&text, walk->bytes, walk->length, options);
        result->text = buffer;
    }
}
