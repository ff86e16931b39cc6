/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One loop over the codec's events. Each value is one item on all of its bytes, with what belongs to it below:
 *
 *   "pos": Vector2(1.5, -2)            godot.vector2, key and value
 *       Key: "pos"                     godot.key
 *       x: 1.5                         godot.vector2.x
 *       y: -2                          godot.vector2.y
 *       [Path: ["pos"]]                godot.path, generated
 *
 * Headers of fixed-size values say no more than the field's name does, so that they are shown only by
 * preference, or when a flag is set.
 */
#include "godot-tree.h"
#include "common/fault.h"
#include "godot-fields.h"
#include "godot-path.h"

/* Tree items nest this deep and no deeper: Wireshark calls more than its gui.max_tree_depth (500) a bug. */
#define TREE_DEPTH 100
/* A datagram holds 16376 values at the most; what is larger comes from a stream. */
#define TREE_VALUES 25000
/* Of each kind of oddity, so many in a packet get an expert info. */
#define EXPERTS_OF_A_KIND 10
#define LABEL_SIZE        160
/* Containers inside others say less of themselves: their members' labels follow anyway. */
#define INNER_LABEL_SIZE 80
#define LITERAL_SIZE     256

godot_tree_preferences godot_tree_prefs = { 64, FALSE, FALSE };

/* One document on its way into the tree. */
typedef struct tree_walk {
    packet_info *pinfo;
    tvbuff_t *tvb;
    const uint8_t *bytes;
    uint32_t length;
    gw_godot_options options; /* for printing */
    ws_bool visible;          /* labels will be read */
    ws_bool wants_path;
    ws_bool wants_keys;    /* as text: for labels, paths or their own field */
    ws_bool wants_details; /* what stands below a value, apart from its numbers */
    uint32_t values;
    uint32_t key_depth; /* inside a container that is itself a key: its depth plus one; else 0 */
    ws_bool has_key;
    gw_godot_event key; /* of the entry or property that comes next */
    char key_text[LITERAL_SIZE];
    uint8_t experts[GW_GODOT_ODDITIES];
    proto_tree *trees[TREE_DEPTH + 1]; /* [depth]: where values of that depth go */
    proto_item *items[TREE_DEPTH + 1]; /* [depth]: the container that they are in */
    uint32_t starts[TREE_DEPTH + 1];   /* [depth]: where that container's item begins */
    godot_path path;
} tree_walk;

/* ---- words --------------------------------------------------------------------------------------------- */

/* Wireshark dissects one packet at a time: its readers can share these. Printing happens inside a walk. */
static gw_godot_level walk_levels[GODOT_READER_LEVELS];
static gw_godot_level print_levels[GODOT_READER_LEVELS];

void godot_options_init(gw_godot_options *options, gw_godot_generation generation)
{
    *options =
        (gw_godot_options){ .generation = generation, .levels = print_levels, .level_count = GODOT_READER_LEVELS };
}

/* True when the literal does not begin with the type's name. */
static bool needs_type_name(gw_godot_type type)
{
    switch (type) {
    case GW_GODOT_BOOL:
    case GW_GODOT_INT:
    case GW_GODOT_FLOAT:
    case GW_GODOT_STRING:
    case GW_GODOT_STRING_NAME:
    case GW_GODOT_DICTIONARY:
    case GW_GODOT_ARRAY:
        return true;
    default:
        return false;
    }
}

static bool is_typed(const gw_godot_event *event)
{
    return event->kind == GW_OPEN && event->header_word & GW_GODOT_KIND_MASK;
}

void godot_print_root(gw_text *text, const uint8_t *bytes, size_t length, gw_godot_generation generation)
{
    gw_godot_options options;
    gw_godot_reader reader;
    gw_godot_event event;
    godot_options_init(&options, generation);
    gw_godot_init(&reader, bytes, length, &options);
    if (gw_godot_next(&reader, &event) == GW_NEXT_EVENT && needs_type_name((gw_godot_type)event.type) &&
        !is_typed(&event)) {
        gw_text_string(text, gw_godot_type_name(generation, (gw_godot_type)event.type));
        gw_text_char(text, ' ');
    }
    gw_godot_print(text, bytes, length, &options);
}

static void print_value(gw_text *text, const tree_walk *walk, const gw_godot_event *event)
{
    gw_godot_options options = walk->options;
    options.offset = event->header.offset;
    if (event->kind == GW_OPEN)
        gw_godot_print(text, walk->bytes, walk->length, &options);
    else
        gw_godot_print_event(text, walk->bytes, event, walk->options.generation);
}

static void print_label(gw_text *text, const tree_walk *walk, const gw_godot_event *event)
{
    switch ((gw_godot_role)event->role) {
    case GW_GODOT_ELEMENT:
        gw_text_char(text, '[');
        gw_text_unsigned(text, event->index);
        gw_text_string(text, "]: ");
        break;
    case GW_GODOT_ENTRY:
    case GW_GODOT_PROPERTY:
        gw_text_string(text, walk->key_text);
        gw_text_string(text, ": ");
        break;
    case GW_GODOT_KEY:
        gw_text_string(text, "Key: ");
        break;
    default:
        break;
    }
    print_value(text, walk, event);
}

static const char *text_of(const tree_walk *walk, gw_span span)
{
    return (const char *)tvb_get_string_enc(walk->pinfo->pool, walk->tvb, (int)span.offset, (int)span.length,
                                            ENC_UTF_8);
}

static void print_literal(const tree_walk *walk, const gw_godot_event *event, char literal[LITERAL_SIZE])
{
    gw_text text;
    gw_text_init(&text, literal, LITERAL_SIZE);
    print_value(&text, walk, event);
}

static void print_key(tree_walk *walk)
{
    if (walk->wants_keys)
        print_literal(walk, &walk->key, walk->key_text);
}

/* ---- oddities ------------------------------------------------------------------------------------------ */

static void add_oddities(tree_walk *walk, proto_item *item, uint32_t odd, uint32_t offset)
{
    for (unsigned bit = 0; odd; bit++, odd >>= 1) {
        if (!(odd & 1U) || walk->experts[bit] == EXPERTS_OF_A_KIND)
            continue;
        bool last = ++walk->experts[bit] == EXPERTS_OF_A_KIND;
        expert_add_info_format(walk->pinfo, item, &godot_ei_odd[bit], "%s (offset %u)%s", gw_godot_odd_text(1U << bit),
                               offset, last ? "; more of these in this packet are not listed" : "");
    }
}

/* The codec knows what was captured. A count that only the capture has no room for is not odd. */
static uint32_t odd_of(const tree_walk *walk, const gw_godot_event *event)
{
    uint32_t smallest = event->type == GW_GODOT_ARRAY ? 4 : 8;
    uint32_t left = tvb_reported_length(walk->tvb) - event->payload.offset;
    bool fits = event->odd & GW_GODOT_ODD_COUNT && event->count <= left / smallest;
    return fits ? event->odd & ~(uint32_t)GW_GODOT_ODD_COUNT : event->odd;
}

/* ---- headers ------------------------------------------------------------------------------------------- */

static bool has_type_item(const gw_godot_event *event)
{
    return event->kind != GW_VALUE || gw_godot_components((gw_godot_type)event->type) == 0;
}

static void add_header(const tree_walk *walk, proto_tree *tree, const gw_godot_event *event)
{
    uint32_t flags = event->header_word >> 16 & 0xFFU;
    bool bare = event->type == GW_GODOT_NIL && !godot_tree_prefs.show_headers;
    if (event->role == GW_GODOT_PROPERTY_NAME || bare)
        return;
    if (has_type_item(event) || flags || godot_tree_prefs.show_headers) {
        const char *name = gw_godot_type_name(walk->options.generation, (gw_godot_type)event->type);
        proto_tree_add_string(tree, godot_hf.type, walk->tvb, (int)event->header.offset, 4, name);
    }
    if (flags)
        proto_tree_add_uint(tree, godot_hf.flags, walk->tvb, (int)event->header.offset + 2, 1, flags);
}

static void add_padding(const tree_walk *walk, proto_tree *tree, uint32_t end, uint32_t padding, uint32_t odd)
{
    uint32_t dirty = GW_GODOT_ODD_PADDING | GW_GODOT_ODD_STALE_PADDING;
    if (padding && (odd & dirty || godot_tree_prefs.show_headers))
        proto_tree_add_item(tree, godot_hf.padding, walk->tvb, (int)end, (int)padding, ENC_NA);
}

static void add_length(const tree_walk *walk, proto_tree *tree, gw_span text)
{
    proto_tree_add_uint(tree, godot_hf.length, walk->tvb, (int)text.offset - 4, 4, text.length);
}

/* ---- details of a value -------------------------------------------------------------------------------- */

static void add_component(const tree_walk *walk, proto_tree *tree, const gw_godot_event *event, uint32_t i, int hf)
{
    int size = (int)gw_godot_component_size(event);
    int at = (int)event->payload.offset + (int)i * size;
    if (gw_godot_components_are_integers((gw_godot_type)event->type))
        proto_tree_add_int(tree, hf, walk->tvb, at, size, (int32_t)gw_godot_integer_at(walk->bytes, event, i));
    else
        proto_tree_add_double(tree, hf, walk->tvb, at, size, gw_godot_real_at(walk->bytes, event, i));
}

/* Components `first` and on of a composite, or of one element of a packed array of composites. */
static void add_components(const tree_walk *walk, proto_tree *tree, const gw_godot_event *event, uint32_t first)
{
    uint32_t components = gw_godot_components((gw_godot_type)event->type);
    for (uint32_t i = 0; i < components; i++)
        add_component(walk, tree, event, first + i, godot_hf_component[event->type][i]);
}

static proto_item *add_number_element(const tree_walk *walk, proto_tree *tree, const gw_godot_event *event, uint32_t i)
{
    int hf = godot_hf_element[event->type];
    int size = (int)gw_godot_component_size(event);
    int at = (int)event->payload.offset + (int)i * size;
    switch ((gw_godot_type)event->type) {
    case GW_GODOT_INT32_ARRAY:
        return proto_tree_add_int(tree, hf, walk->tvb, at, size, (int32_t)gw_godot_integer_at(walk->bytes, event, i));
    case GW_GODOT_INT64_ARRAY:
        return proto_tree_add_int64(tree, hf, walk->tvb, at, size, gw_godot_integer_at(walk->bytes, event, i));
    case GW_GODOT_FLOAT32_ARRAY:
        return proto_tree_add_float(tree, hf, walk->tvb, at, size, (float)gw_godot_real_at(walk->bytes, event, i));
    default:
        return proto_tree_add_double(tree, hf, walk->tvb, at, size, gw_godot_real_at(walk->bytes, event, i));
    }
}

static void label_element(const tree_walk *walk, proto_item *item, uint32_t i)
{
    if (walk->visible)
        proto_item_prepend_text(item, "[%u] ", i);
}

static void add_rest(const tree_walk *walk, proto_tree *tree, uint32_t from, uint32_t end, uint32_t elements)
{
    if (!elements)
        return;
    proto_item *item = proto_tree_add_item(tree, godot_hf.packed_rest, walk->tvb, (int)from, (int)(end - from), ENC_NA);
    if (walk->visible)
        proto_item_set_text(item, "%u more elements", elements);
}

/* Vectors and colours have components of their own: one branch an element. */
static void add_composite_element(const tree_walk *walk, proto_tree *tree, const gw_godot_event *event, uint32_t i)
{
    uint32_t size = gw_godot_element_size(event);
    uint32_t components = gw_godot_components((gw_godot_type)event->type);
    proto_tree *branch = proto_tree_add_subtree_format(tree, walk->tvb, (int)(event->payload.offset + i * size),
                                                       (int)size, godot_ett_value, NULL, "[%u]", i);
    add_components(walk, branch, event, i * components);
}

static void add_numeric_elements(const tree_walk *walk, proto_tree *tree, const gw_godot_event *event)
{
    uint32_t shown = MIN(event->count, godot_tree_prefs.elements);
    uint32_t size = gw_godot_element_size(event);
    for (uint32_t i = 0; i < shown; i++) {
        if (godot_hf_component[event->type][0] > 0)
            add_composite_element(walk, tree, event, i);
        else
            label_element(walk, add_number_element(walk, tree, event, i), i);
    }
    add_rest(walk, tree, event->payload.offset + shown * size, event->payload.offset + event->count * size,
             event->count - shown);
}

static void add_string_elements(const tree_walk *walk, proto_tree *tree, const gw_godot_event *event)
{
    uint32_t end = gw_span_end(event->payload);
    gw_godot_strings strings;
    gw_godot_string string;
    gw_godot_strings_init(&strings, walk->bytes, event);
    for (uint32_t i = 0; i < godot_tree_prefs.elements && gw_godot_strings_next(&strings, &string); i++)
        label_element(walk,
                      proto_tree_add_string(tree, godot_hf_element[event->type], walk->tvb, (int)string.whole.offset,
                                            (int)string.whole.length, text_of(walk, string.text)),
                      i);
    add_rest(walk, tree, strings.offset, end, strings.end - strings.position);
}

static void add_packed(const tree_walk *walk, proto_tree *tree, const gw_godot_event *event)
{
    proto_tree_add_uint(tree, godot_hf.count, walk->tvb, (int)event->payload.offset - 4, 4, event->count);
    if (event->type == GW_GODOT_STRING_ARRAY)
        add_string_elements(walk, tree, event);
    else if (event->type != GW_GODOT_BYTE_ARRAY)
        add_numeric_elements(walk, tree, event);
    add_padding(walk, tree, gw_span_end(event->payload), event->padding.length, event->odd);
}

static void add_node_path(const tree_walk *walk, proto_tree *tree, const gw_godot_event *event)
{
    static int *const flags[] = { &godot_hf.node_path_absolute, &godot_hf.node_path_has_property, NULL };
    const int hf_string[] = { [GW_GODOT_STRING_NAME_PART] = godot_hf.node_path_name,
                              [GW_GODOT_STRING_SUBNAME] = godot_hf.node_path_subname,
                              [GW_GODOT_STRING_PROPERTY] = godot_hf.node_path_property };
    gw_godot_node_path path;
    gw_godot_strings strings;
    gw_godot_string string;
    int body = (int)(event->header.offset + 4);
    if (!gw_godot_node_path_of(walk->bytes, event, &path)) {
        add_length(walk, tree, event->text);
        return;
    }
    proto_tree_add_uint(tree, godot_hf.node_path_names, walk->tvb, body, 4, path.names);
    proto_tree_add_uint(tree, godot_hf.node_path_subnames, walk->tvb, body + 4, 4, path.subnames);
    proto_tree_add_bitmask(tree, walk->tvb, body + 8, godot_hf.node_path_flags, godot_ett_value, flags,
                           ENC_LITTLE_ENDIAN);
    gw_godot_strings_init(&strings, walk->bytes, event);
    for (uint32_t i = 0; i < godot_tree_prefs.elements && gw_godot_strings_next(&strings, &string); i++) {
        proto_tree_add_string(tree, hf_string[string.role], walk->tvb, (int)string.whole.offset,
                              (int)string.whole.length, text_of(walk, string.text));
        add_padding(walk, tree, string.whole.offset + string.whole.length - string.padding, string.padding, string.odd);
    }
    add_rest(walk, tree, strings.offset, gw_span_end(event->payload), strings.end - strings.position);
}

static void add_image(const tree_walk *walk, proto_tree *tree, const gw_godot_event *event)
{
    int body = (int)(event->header.offset + 4);
    proto_tree_add_item(tree, godot_hf.image_format, walk->tvb, body, 4, ENC_LITTLE_ENDIAN);
    proto_tree_add_item(tree, godot_hf.image_mipmaps, walk->tvb, body + 4, 4, ENC_LITTLE_ENDIAN);
    proto_tree_add_item(tree, godot_hf.image_width, walk->tvb, body + 8, 4, ENC_LITTLE_ENDIAN);
    proto_tree_add_item(tree, godot_hf.image_height, walk->tvb, body + 12, 4, ENC_LITTLE_ENDIAN);
    proto_tree_add_item(tree, godot_hf.count, walk->tvb, body + 16, 4, ENC_LITTLE_ENDIAN);
    proto_tree_add_item(tree, godot_hf.image_data, walk->tvb, body + 20, (int)event->payload.length, ENC_NA);
    add_padding(walk, tree, gw_span_end(event->payload), event->padding.length, event->odd);
}

static void add_input_event(const tree_walk *walk, proto_tree *tree, const gw_godot_event *event)
{
    int body = (int)(event->header.offset + 4);
    proto_tree_add_item(tree, godot_hf.event_type, walk->tvb, body, 4, ENC_LITTLE_ENDIAN);
    proto_tree_add_item(tree, godot_hf.event_device, walk->tvb, body + 4, 4, ENC_LITTLE_ENDIAN);
    proto_tree_add_item(tree, godot_hf.length, walk->tvb, body + 8, 4, ENC_LITTLE_ENDIAN);
    if (event->payload.length)
        proto_tree_add_item(tree, godot_hf.event_details, walk->tvb, body + 12, (int)event->payload.length, ENC_NA);
}

static const char *declared_name(const tree_walk *walk, const gw_godot_declaration *declaration)
{
    if (declaration->kind == GW_GODOT_BUILTIN)
        return gw_godot_type_name(GW_GODOT_4, (gw_godot_type)declaration->type);
    return text_of(walk, declaration->text);
}

static void add_declaration(const tree_walk *walk, proto_tree *tree, const gw_godot_event *event, uint32_t which,
                            int hf)
{
    gw_godot_declaration declaration;
    gw_godot_declaration_of(walk->bytes, event, which, &declaration);
    if (declaration.kind != GW_GODOT_UNTYPED)
        proto_tree_add_string(tree, hf, walk->tvb, (int)declaration.whole.offset, (int)declaration.whole.length,
                              declared_name(walk, &declaration));
}

/* An object's class name, on its padding too: the count stands behind it. */
static void add_class(const tree_walk *walk, proto_tree *tree, const gw_godot_event *event)
{
    uint32_t count = event->payload.offset - 4;
    uint32_t end = event->text.offset + event->text.length;
    add_length(walk, tree, event->text);
    proto_tree_add_string(tree, godot_hf.object_class, walk->tvb, (int)event->text.offset,
                          (int)(count - event->text.offset), text_of(walk, event->text));
    add_padding(walk, tree, end, count - end, event->odd);
}

static void add_container(const tree_walk *walk, proto_tree *tree, const gw_godot_event *event)
{
    int count = (int)event->payload.offset - 4;
    if (event->type == GW_GODOT_OBJECT) {
        add_class(walk, tree, event);
    } else if (event->type == GW_GODOT_ARRAY) {
        add_declaration(walk, tree, event, 0, godot_hf.element_type);
    } else {
        add_declaration(walk, tree, event, 0, godot_hf.key_type);
        add_declaration(walk, tree, event, 1, godot_hf.value_type);
    }
    proto_tree_add_uint(tree, godot_hf.count, walk->tvb, count, 4, event->count);
    if (event->type != GW_GODOT_OBJECT && gw_le32(walk->bytes + count) & GW_GODOT_COUNT_SHARED)
        proto_tree_add_boolean(tree, godot_hf.shared, walk->tvb, count, 4, 1);
}

static void add_text(const tree_walk *walk, proto_tree *tree, const gw_godot_event *event)
{
    if (event->role != GW_GODOT_PROPERTY_NAME || godot_tree_prefs.show_headers)
        add_length(walk, tree, event->text);
    add_padding(walk, tree, gw_span_end(event->payload), event->padding.length, event->odd);
}

/* Components and elements have fields of their own, which are asked for by the dozen: they are always offered. */
static bool has_numbers_below(const gw_godot_event *event)
{
    return event->kind == GW_PACKED || gw_godot_components((gw_godot_type)event->type) > 1;
}

static void add_details(const tree_walk *walk, proto_tree *tree, const gw_godot_event *event)
{
    if (event->kind == GW_OPEN) {
        add_container(walk, tree, event);
        return;
    }
    if (event->kind == GW_PACKED) {
        add_packed(walk, tree, event);
        return;
    }
    switch ((gw_godot_type)event->type) {
    case GW_GODOT_STRING:
    case GW_GODOT_STRING_NAME:
        add_text(walk, tree, event);
        break;
    case GW_GODOT_NODE_PATH:
        add_node_path(walk, tree, event);
        break;
    case GW_GODOT_OBJECT:
        if (event->payload.length == 8)
            proto_tree_add_uint64(tree, godot_hf.object_id, walk->tvb, (int)(event->header.offset + 4), 8,
                                  event->number.id);
        break;
    case GW_GODOT_SIGNAL:
        add_length(walk, tree, event->text);
        proto_tree_add_uint64(tree, godot_hf.signal_object, walk->tvb, (int)(gw_span_end(event->payload) - 8), 8,
                              event->number.id);
        break;
    case GW_GODOT_IMAGE:
        add_image(walk, tree, event);
        break;
    case GW_GODOT_INPUT_EVENT:
        add_input_event(walk, tree, event);
        break;
    default:
        if (godot_hf_component[event->type][0] > 0)
            add_components(walk, tree, event, 0);
    }
}

/* ---- one value ----------------------------------------------------------------------------------------- */

/* Strings are fetched only for a tree that somebody reads or filters on. */
static proto_item *add_string_value(const tree_walk *walk, proto_tree *tree, int hf, int start, int length,
                                    gw_span text)
{
    const char *string = proto_field_is_referenced(tree, hf) ? text_of(walk, text) : "";
    return proto_tree_add_string(tree, hf, walk->tvb, start, length, string);
}

static proto_item *add_node_path_value(const tree_walk *walk, proto_tree *tree, int start, int length,
                                       const gw_godot_event *event)
{
    int hf = godot_hf_value[GW_GODOT_NODE_PATH];
    char path[GODOT_PATH_SIZE] = "";
    gw_text text;
    if (proto_field_is_referenced(tree, hf)) {
        gw_text_init(&text, path, sizeof path);
        gw_godot_print_node_path(&text, walk->bytes, event);
    }
    return proto_tree_add_string(tree, hf, walk->tvb, start, length, path);
}

/* The value's own field on all of its bytes, key included. */
static proto_item *add_item(const tree_walk *walk, proto_tree *tree, const gw_godot_event *event, int start, int length)
{
    int hf = godot_hf_value[event->type];
    tvbuff_t *tvb = walk->tvb;
    switch ((gw_godot_type)event->type) {
    case GW_GODOT_BOOL:
        return proto_tree_add_boolean(tree, hf, tvb, start, length, event->number.integer != 0);
    case GW_GODOT_INT:
        return proto_tree_add_int64(tree, hf, tvb, start, length, event->number.integer);
    case GW_GODOT_FLOAT:
        return proto_tree_add_double(tree, hf, tvb, start, length, event->number.real);
    case GW_GODOT_STRING:
        if (event->role == GW_GODOT_PROPERTY_NAME)
            hf = godot_hf.object_property;
        return add_string_value(walk, tree, hf, start, length, event->text);
    case GW_GODOT_STRING_NAME:
    case GW_GODOT_SIGNAL:
        return add_string_value(walk, tree, hf, start, length, event->text);
    case GW_GODOT_NODE_PATH:
        return add_node_path_value(walk, tree, start, length, event);
    case GW_GODOT_RID:
        return proto_tree_add_uint64(tree, hf, tvb, start, length, event->payload.length ? event->number.id : 0);
    case GW_GODOT_BYTE_ARRAY:
        return proto_tree_add_bytes_with_length(tree, hf, tvb, start, length, walk->bytes + event->payload.offset,
                                                (int)event->count);
    default:
        return proto_tree_add_item(tree, hf, tvb, start, length, ENC_NA);
    }
}

static void set_label(const tree_walk *walk, proto_item *item, const gw_godot_event *event)
{
    char label[LABEL_SIZE];
    gw_text text;
    if (!walk->visible)
        return;
    bool inner = event->kind == GW_OPEN && event->depth;
    gw_text_init(&text, label, inner ? INNER_LABEL_SIZE : LABEL_SIZE);
    if (event->role == GW_GODOT_ROOT)
        godot_print_root(&text, walk->bytes, walk->length, walk->options.generation);
    else
        print_label(&text, walk, event);
    proto_item_set_text(item, "%s", label);
}

/* The key or name of the entry or property, as a child of its value. */
static void add_key(tree_walk *walk, proto_tree *tree)
{
    const gw_godot_event *key = &walk->key;
    bool is_name = key->role == GW_GODOT_PROPERTY_NAME;
    int hf = is_name ? godot_hf.object_property : godot_hf.key;
    int length = (int)(gw_span_end(key->padding) - key->header.offset);
    const char *text = is_name && proto_field_is_referenced(tree, hf) ? text_of(walk, key->text) : walk->key_text;
    proto_item *item = proto_tree_add_string(tree, hf, walk->tvb, (int)key->header.offset, length, text);
    if (godot_tree_prefs.show_headers || key->odd) {
        proto_tree *branch = proto_item_add_subtree(item, godot_ett_value);
        add_header(walk, branch, key);
        add_details(walk, branch, key);
    }
    add_oddities(walk, item, key->odd, key->header.offset);
}

static void add_generated_string(const tree_walk *walk, proto_tree *tree, int hf, const gw_godot_event *event,
                                 const char *text)
{
    int length = (int)(gw_span_end(event->padding) - event->header.offset);
    proto_item_set_generated(proto_tree_add_string(tree, hf, walk->tvb, (int)event->header.offset, length, text));
}

static void add_path(const tree_walk *walk, proto_tree *tree, const gw_godot_event *event)
{
    char literal[LITERAL_SIZE];
    /* The root needs no path; keys and their parts have none. */
    if (event->depth == 0 || event->role == GW_GODOT_KEY || walk->key_depth)
        return;
    if (walk->wants_path)
        add_generated_string(walk, tree, godot_hf.path, event, walk->path.buffer);
    if (godot_tree_prefs.show_values && proto_field_is_referenced(tree, godot_hf.value)) {
        print_literal(walk, event, literal);
        add_generated_string(walk, tree, godot_hf.value, event, literal);
    }
}

static proto_tree *tree_at(const tree_walk *walk, uint32_t depth)
{
    return walk->trees[MIN(depth, TREE_DEPTH)];
}

static void open_branch(tree_walk *walk, const gw_godot_event *event, proto_item *item, proto_tree *branch,
                        uint32_t start)
{
    uint32_t depth = event->depth + 1;
    if (event->role == GW_GODOT_KEY && !walk->key_depth)
        walk->key_depth = depth;
    if (depth <= TREE_DEPTH) {
        walk->trees[depth] = branch;
        walk->items[depth] = item;
        walk->starts[depth] = start;
    } else if (depth == TREE_DEPTH + 1) {
        expert_add_info(walk->pinfo, item, &godot_ei.flattened);
    }
}

static void add_value(tree_walk *walk, const gw_godot_event *event)
{
    bool keyed = event->role == GW_GODOT_ENTRY || event->role == GW_GODOT_PROPERTY;
    /* A key that is a container stands as a branch of its own. */
    bool key_is_child = keyed && walk->key.kind != GW_OPEN;
    uint32_t start = key_is_child ? walk->key.header.offset : event->header.offset;
    uint32_t end = gw_span_end(event->padding);
    proto_item *item = add_item(walk, tree_at(walk, event->depth), event, (int)start, (int)(end - start));
    proto_tree *branch = proto_item_add_subtree(item, godot_ett_value);

    set_label(walk, item, event);
    if (walk->wants_path)
        godot_path_step_to(&walk->path, event, walk->key_text);
    if (key_is_child)
        add_key(walk, branch);
    if (walk->wants_details)
        add_header(walk, branch, event);
    if (walk->wants_details || has_numbers_below(event))
        add_details(walk, branch, event);
    add_path(walk, branch, event);
    add_oddities(walk, item, odd_of(walk, event), event->header.offset);
    if (event->kind == GW_OPEN)
        open_branch(walk, event, item, branch, start);
    walk->has_key = FALSE;
}

/* ---- the walk ------------------------------------------------------------------------------------------ */

static void close_branch(tree_walk *walk, const gw_godot_event *event)
{
    uint32_t depth = event->depth + 1;
    uint32_t end = gw_span_end(event->payload);
    if (depth <= TREE_DEPTH)
        proto_item_set_len(walk->items[depth], (int)(end - walk->starts[depth]));
    if (walk->key_depth == depth)
        walk->key_depth = 0;
    /* A container that was a key is one again for the entry that comes next, whatever keys were inside it. */
    if (event->role == GW_GODOT_KEY) {
        walk->key = *event;
        walk->key.kind = GW_OPEN;
        print_key(walk);
    }
}

/* Nobody reads the tree, asks for such a value or for what stands below it, or must be warned. */
static bool is_unwanted(const tree_walk *walk, const gw_godot_event *event)
{
    bool warns = event->odd || (walk->has_key && walk->key.odd);
    bool asked = walk->visible || walk->wants_keys || walk->wants_details || has_numbers_below(event);
    return !warns && !asked && event->kind == GW_VALUE &&
           !proto_field_is_referenced(walk->trees[0], godot_hf_value[event->type]);
}

/* Keys and names wait for what they belong to. */
static void take_event(tree_walk *walk, const gw_godot_event *event)
{
    bool is_key = event->role == GW_GODOT_KEY || event->role == GW_GODOT_PROPERTY_NAME;
    if (event->kind == GW_CLOSE) {
        close_branch(walk, event);
        return;
    }
    walk->values++;
    if (is_key && event->kind != GW_OPEN) {
        walk->key = *event;
        walk->has_key = TRUE;
        print_key(walk);
    } else if (is_unwanted(walk, event)) {
        walk->has_key = FALSE;
    } else {
        add_value(walk, event);
    }
}

/* Closes what a fault or a limit left open. */
static void end_containers(tree_walk *walk, const gw_godot_reader *reader)
{
    uint32_t depth = MIN(reader->depth, TREE_DEPTH);
    if (walk->has_key)
        add_key(walk, tree_at(walk, reader->depth));
    for (; depth; depth--)
        proto_item_set_len(walk->items[depth], (int)(reader->offset - walk->starts[depth]));
}

static void add_not_shown(tree_walk *walk, uint32_t from)
{
    proto_item *item = proto_tree_add_item(walk->trees[0], godot_hf.not_shown, walk->tvb, (int)from,
                                           (int)(walk->length - from), ENC_NA);
    expert_add_info(walk->pinfo, item, &godot_ei.not_shown);
}

/* `from`: where the value that could not be read begins. */
static void add_fault(tree_walk *walk, const gw_fault *fault, uint32_t from)
{
    const gw_fault_report report = {
        .hf_undecoded = godot_hf.undecoded,
        .expert = &godot_ei_fault[fault->code],
        .cut_short = &godot_ei.cut_short,
        .what = gw_godot_fault_text(fault->code),
        .consequence = gw_godot_fault_consequence(fault->code),
    };
    /* What of it stands before the fault has no item yet. */
    if (from < fault->offset)
        proto_tree_add_item(walk->trees[0], godot_hf.undecoded, walk->tvb, (int)from, (int)(fault->offset - from),
                            ENC_NA);
    gw_fault_add(walk->pinfo, walk->trees[0], walk->tvb, fault, &report);
}

static void start_walk(tree_walk *walk, packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb,
                       gw_godot_generation generation)
{
    memset(walk, 0, sizeof *walk);
    walk->pinfo = pinfo;
    walk->tvb = tvb;
    walk->length = tvb_captured_length(tvb);
    walk->bytes = tvb_get_ptr(tvb, 0, (int)walk->length);
    godot_options_init(&walk->options, generation);
    walk->visible = tree && PTREE_DATA(tree)->visible;
    walk->wants_path = proto_field_is_referenced(tree, godot_hf.path);
    walk->wants_keys = walk->wants_path || proto_field_is_referenced(tree, godot_hf.key);
    walk->wants_details = godot_details_are_referenced(tree);
    walk->trees[0] = tree;
}

unsigned godot_tree_add(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, gw_godot_generation generation)
{
    tree_walk walk;
    gw_godot_reader reader;
    gw_godot_event event;
    gw_next next;
    start_walk(&walk, pinfo, tree, tvb, generation);
    gw_godot_options reading = walk.options;
    reading.levels = walk_levels;
    gw_godot_init(&reader, walk.bytes, walk.length, &reading);
    while ((next = gw_godot_next(&reader, &event)) == GW_NEXT_EVENT && walk.values < TREE_VALUES)
        take_event(&walk, &event);
    if (next == GW_NEXT_END)
        return reader.offset;
    end_containers(&walk, &reader);
    if (next == GW_NEXT_FAULT)
        add_fault(&walk, &reader.fault, reader.offset);
    else
        add_not_shown(&walk, event.header.offset);
    return walk.length;
}
