/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is below a value's item: its numbers, and the parts of its bytes that have fields of their own.
 */
#include "godot-tree.h"
#include "godot-walk.h"

const char *godot_text_of(const godot_walk *walk, gw_span span, uint32_t odd)
{
    /* Nothing for epan's decoder to replace. */
    if (!(odd & (GW_GODOT_ODD_UTF8 | GW_GODOT_ODD_NUL)))
        return wmem_strndup(walk->pinfo->pool, (const char *)walk->bytes + span.offset, span.length);
    return (const char *)tvb_get_string_enc(walk->pinfo->pool, walk->tvb, (int)span.offset, (int)span.length,
                                            ENC_UTF_8);
}

/* ---- headers ------------------------------------------------------------------------------------------- */

static bool has_type_item(const gw_godot_event *event)
{
    return event->kind != GW_VALUE || gw_godot_components((gw_godot_type)event->type) == 0;
}

void godot_details_add_header(const godot_walk *walk, proto_tree *tree, const gw_godot_event *event)
{
    uint32_t flags = event->header_word >> 16 & 0xFFU;
    bool bare = event->type == GW_GODOT_NIL && !godot_tree_prefs.show_headers;
    if (event->role == GW_GODOT_PROPERTY_NAME || bare)
        return;
    if (has_type_item(event) || flags || godot_tree_prefs.show_headers) {
        const char *name = gw_godot_type_name(walk->generation, (gw_godot_type)event->type);
        proto_tree_add_string(tree, godot_hf.type, walk->tvb, (int)event->header.offset, 4, name);
    }
    if (flags)
        proto_tree_add_uint(tree, godot_hf.flags, walk->tvb, (int)event->header.offset + 2, 1, flags);
}

static void add_padding(const godot_walk *walk, proto_tree *tree, uint32_t end, uint32_t padding, uint32_t odd)
{
    uint32_t dirty = GW_GODOT_ODD_PADDING | GW_GODOT_ODD_STALE_PADDING;
    if (padding && (odd & dirty || godot_tree_prefs.show_headers))
        proto_tree_add_item(tree, godot_hf.padding, walk->tvb, (int)end, (int)padding, ENC_NA);
}

static void add_length(const godot_walk *walk, proto_tree *tree, gw_span text)
{
    proto_tree_add_uint(tree, godot_hf.length, walk->tvb, (int)text.offset - 4, 4, text.length);
}

/* ---- details of a value -------------------------------------------------------------------------------- */

static void add_component(const godot_walk *walk, proto_tree *tree, const gw_godot_event *event, uint32_t i, int hf)
{
    int size = (int)gw_godot_component_size(event);
    int at = (int)event->payload.offset + (int)i * size;
    if (gw_godot_components_are_integers((gw_godot_type)event->type))
        proto_tree_add_int(tree, hf, walk->tvb, at, size, (int32_t)gw_godot_integer_at(walk->bytes, event, i));
    else
        proto_tree_add_double(tree, hf, walk->tvb, at, size, gw_godot_real_at(walk->bytes, event, i));
}

/* Components `first` and on of a composite, or of one element of a packed array of composites. */
static void add_components(const godot_walk *walk, proto_tree *tree, const gw_godot_event *event, uint32_t first)
{
    uint32_t components = gw_godot_components((gw_godot_type)event->type);
    for (uint32_t i = 0; i < components; i++)
        add_component(walk, tree, event, first + i, godot_hf_component[event->type][i]);
}

static proto_item *add_number_element(const godot_walk *walk, proto_tree *tree, const gw_godot_event *event, uint32_t i)
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

static void label_element(const godot_walk *walk, proto_item *item, uint32_t i)
{
    if (walk->wants.labels)
        proto_item_prepend_text(item, "[%u] ", i);
}

static void add_rest(const godot_walk *walk, proto_tree *tree, uint32_t from, uint32_t end, uint32_t elements)
{
    if (!elements)
        return;
    proto_item *item = proto_tree_add_item(tree, godot_hf.packed_rest, walk->tvb, (int)from, (int)(end - from), ENC_NA);
    if (walk->wants.labels)
        proto_item_set_text(item, "%u more elements", elements);
}

/* Vectors and colours have components of their own: one branch an element. */
static void add_composite_element(const godot_walk *walk, proto_tree *tree, const gw_godot_event *event, uint32_t i)
{
    uint32_t size = gw_godot_element_size(event);
    uint32_t components = gw_godot_components((gw_godot_type)event->type);
    proto_tree *branch = proto_tree_add_subtree_format(tree, walk->tvb, (int)(event->payload.offset + i * size),
                                                       (int)size, godot_ett_value, NULL, "[%u]", i);
    add_components(walk, branch, event, i * components);
}

static void add_numeric_elements(const godot_walk *walk, proto_tree *tree, const gw_godot_event *event)
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

static void add_string_elements(const godot_walk *walk, proto_tree *tree, const gw_godot_event *event)
{
    uint32_t end = gw_span_end(event->payload);
    gw_godot_strings strings;
    gw_godot_string string;
    gw_godot_strings_init(&strings, walk->bytes, event);
    for (uint32_t i = 0; i < godot_tree_prefs.elements && gw_godot_strings_next(&strings, &string); i++)
        label_element(walk,
                      proto_tree_add_string(tree, godot_hf_element[event->type], walk->tvb, (int)string.whole.offset,
                                            (int)string.whole.length, godot_text_of(walk, string.text, string.odd)),
                      i);
    add_rest(walk, tree, strings.offset, end, strings.end - strings.position);
}

static void add_packed(const godot_walk *walk, proto_tree *tree, const gw_godot_event *event)
{
    proto_tree_add_uint(tree, godot_hf.count, walk->tvb, (int)event->payload.offset - 4, 4, event->count);
    if (event->type == GW_GODOT_STRING_ARRAY)
        add_string_elements(walk, tree, event);
    else if (event->type != GW_GODOT_BYTE_ARRAY)
        add_numeric_elements(walk, tree, event);
    add_padding(walk, tree, gw_span_end(event->payload), event->padding.length, event->odd);
}

static void add_node_path(const godot_walk *walk, proto_tree *tree, const gw_godot_event *event)
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
                              (int)string.whole.length, godot_text_of(walk, string.text, string.odd));
        add_padding(walk, tree, string.whole.offset + string.whole.length - string.padding, string.padding, string.odd);
    }
    add_rest(walk, tree, strings.offset, gw_span_end(event->payload), strings.end - strings.position);
}

static void add_image(const godot_walk *walk, proto_tree *tree, const gw_godot_event *event)
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

static void add_input_event(const godot_walk *walk, proto_tree *tree, const gw_godot_event *event)
{
    int body = (int)(event->header.offset + 4);
    proto_tree_add_item(tree, godot_hf.event_type, walk->tvb, body, 4, ENC_LITTLE_ENDIAN);
    proto_tree_add_item(tree, godot_hf.event_device, walk->tvb, body + 4, 4, ENC_LITTLE_ENDIAN);
    proto_tree_add_item(tree, godot_hf.length, walk->tvb, body + 8, 4, ENC_LITTLE_ENDIAN);
    if (event->payload.length)
        proto_tree_add_item(tree, godot_hf.event_details, walk->tvb, body + 12, (int)event->payload.length, ENC_NA);
}

static const char *declared_name(const godot_walk *walk, const gw_godot_declaration *declaration)
{
    if (declaration->kind == GW_GODOT_BUILTIN)
        return gw_godot_type_name(GW_GODOT_4, (gw_godot_type)declaration->type);
    return godot_text_of(walk, declaration->text, GW_GODOT_ODD_UTF8);
}

static void add_declaration(const godot_walk *walk, proto_tree *tree, const gw_godot_event *event, uint32_t which,
                            int hf)
{
    gw_godot_declaration declaration;
    gw_godot_declaration_of(walk->bytes, event, which, &declaration);
    if (declaration.kind != GW_GODOT_UNTYPED)
        proto_tree_add_string(tree, hf, walk->tvb, (int)declaration.whole.offset, (int)declaration.whole.length,
                              declared_name(walk, &declaration));
}

/* An object's class name, on its padding too: the count stands behind it. */
static void add_class(const godot_walk *walk, proto_tree *tree, const gw_godot_event *event)
{
    uint32_t count = event->payload.offset - 4;
    uint32_t end = event->text.offset + event->text.length;
    add_length(walk, tree, event->text);
    proto_tree_add_string(tree, godot_hf.object_class, walk->tvb, (int)event->text.offset,
                          (int)(count - event->text.offset), godot_text_of(walk, event->text, event->odd));
    add_padding(walk, tree, end, count - end, event->odd);
}

static void add_container(const godot_walk *walk, proto_tree *tree, const gw_godot_event *event)
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

static void add_text(const godot_walk *walk, proto_tree *tree, const gw_godot_event *event)
{
    if (event->role != GW_GODOT_PROPERTY_NAME || godot_tree_prefs.show_headers)
        add_length(walk, tree, event->text);
    add_padding(walk, tree, gw_span_end(event->payload), event->padding.length, event->odd);
}

void godot_details_add(const godot_walk *walk, proto_tree *tree, const gw_godot_event *event)
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
