/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds the items below a value: the parts of its bytes that have fields, its numbers, its path, the value as a text, and
 * the fields that a user configured for this path.
 */
#include "common/items.h"
#include "internal.h"

/* Numbers of 64 bits have the longest texts: -1.2345678901234567e-308. */
#define COMPONENT_SIZE 32U

/* A path grows from these sizes. */
#define FIRST_SIZE   128
#define FIRST_DEPTHS 16

/* ---- headers ------------------------------------------------------------------------------------------- */

/* True if an item for this field is to be added: the preference shows all parts of headers, or a filter, a column or an
 * option names the field. The label of the value already contains it. */
static bool is_needed(const godot_walk *walk, int hf)
{
    return walk->demands.headers || (walk->demands.parts && gw_is_named(hf));
}

/* Adds the padding: if its field is needed, and in any case if it is not zero. `odd`: the oddities of the value. */
static void add_padding(const godot_walk *walk, proto_tree *tree, uint32_t at, uint32_t length, uint32_t odd)
{
    uint32_t not_zero = GW_GODOT_ODD_PADDING | GW_GODOT_ODD_STALE_PADDING;
    if (length && (odd & not_zero || is_needed(walk, godot_hf.padding)))
        proto_tree_add_item(tree, godot_hf.padding, walk->tvb, (int)at, (int)length, ENC_NA);
}

/* Adds the length word of a text, which is directly before it, if its field is needed. */
static void add_length(const godot_walk *walk, proto_tree *tree, gw_span text)
{
    if (is_needed(walk, godot_hf.length))
        proto_tree_add_uint(tree, godot_hf.length, walk->tvb, (int)text.offset - 4, 4, text.length);
}

/* Adds a number of 32 bits, as it is on the wire, if its field is needed. */
static void add_word(const godot_walk *walk, proto_tree *tree, int hf, uint32_t at)
{
    if (is_needed(walk, hf))
        proto_tree_add_item(tree, hf, walk->tvb, (int)at, 4, ENC_LITTLE_ENDIAN);
}

/* Adds the bytes of the span, if there are any and their field is needed. */
static void add_bytes(const godot_walk *walk, proto_tree *tree, int hf, gw_span span)
{
    if (span.length && is_needed(walk, hf))
        gw_add_span(tree, hf, walk->tvb, span, ENC_NA);
}

/* Adds `string` for the bytes of the span, if its field is needed. */
static void add_string(const godot_walk *walk, proto_tree *tree, int hf, gw_span span, const char *string)
{
    if (is_needed(walk, hf))
        gw_add_text(tree, hf, walk->tvb, span, string);
}

/* Adds the count, which is the last word of the header of packed arrays and containers, if its field is needed. */
static void add_count(const godot_walk *walk, proto_tree *tree, const gw_godot_event *event)
{
    if (is_needed(walk, godot_hf.count))
        proto_tree_add_uint(tree, godot_hf.count, walk->tvb, (int)gw_span_end(event->header) - 4, 4, event->count);
}

/* ---- numbers ------------------------------------------------------------------------------------------- */

/* Sets the label of `count` numbers from `first` on: a component "x: 1.5"; or, if `name` is NULL, an element of a
 * packed array, "[7]: 1.5" or "[7]: (1, 2)". */
static void label_numbers(const godot_walk *walk, proto_item *item, const char *name, const gw_godot_event *event,
                          uint32_t first, uint32_t count)
{
    char buffer[GODOT_LABEL_SIZE];
    gw_text text;
    if (!walk->demands.common.visible)
        return;
    gw_text_init(&text, buffer, sizeof buffer);
    if (name) {
        gw_text_string(&text, name);
    } else {
        gw_text_char(&text, '[');
        gw_text_unsigned(&text, first / count);
        gw_text_char(&text, ']');
    }
    gw_text_string(&text, count > 1 ? ": (" : ": ");
    for (uint32_t i = first; i < first + count; i++) {
        gw_text_string(&text, i > first ? ", " : "");
        gw_godot_print_component(&text, walk->bytes, event, i);
    }
    gw_text_string(&text, count > 1 ? ")" : "");
    proto_item_set_text(item, "%s", buffer);
}

/* Adds the item of one number. `i`: its index in the value, or among all numbers of the packed array. */
static proto_item *add_number(const godot_walk *walk, proto_tree *tree, const gw_godot_event *event, uint32_t i, int hf)
{
    int size = (int)gw_godot_component_size(event);
    int at = (int)event->payload.offset + (int)i * size;
    if (!gw_godot_components_are_integers((gw_godot_type)event->type))
        return proto_tree_add_double(tree, hf, walk->tvb, at, size, godot_number_at(walk->bytes, event, i));
    if (event->type == GW_GODOT_INT64_ARRAY)
        return proto_tree_add_int64(tree, hf, walk->tvb, at, size, gw_godot_integer_at(walk->bytes, event, i));
    return proto_tree_add_int(tree, hf, walk->tvb, at, size, (int32_t)gw_godot_integer_at(walk->bytes, event, i));
}

/* Adds the components from `first` on of a composite, or of one element of a packed array of composites. */
static void add_components(const godot_walk *walk, proto_tree *tree, const gw_godot_event *event, uint32_t first)
{
    gw_godot_type type = (gw_godot_type)event->type;
    for (uint32_t i = 0; i < gw_godot_components(type); i++) {
        proto_item *item = add_number(walk, tree, event, first + i, godot_hf.components[type][i]);
        label_numbers(walk, item, gw_godot_component_name(type, i), event, first + i, 1);
    }
}

/* Adds one item for the elements of a packed array that have no items of their own, in the bytes from `from` to `end`.
 * `elements`: their number. */
static void add_rest(const godot_walk *walk, proto_tree *tree, uint32_t from, uint32_t end, uint32_t elements)
{
    if (!elements)
        return;
    proto_item *item = proto_tree_add_item(tree, godot_hf.packed_rest, walk->tvb, (int)from, (int)(end - from), ENC_NA);
    if (walk->demands.common.visible)
        proto_item_set_text(item, "%u more elements", elements);
}

/* True for a value with components, such as a vector. */
static bool has_components(const gw_godot_event *event)
{
    return event->kind == GW_VALUE && godot_hf.components[event->type][0] > 0;
}

/* Adds the elements of a packed array of numbers, up to the number in the preference; then one item for the elements
 * that are left. Vectors and colors have components: each element is a subtree. Components are numbered through all
 * elements: those of element i begin at i * components. The codec has validated that the bytes of all elements are
 * there. */
static void add_numeric_elements(const godot_walk *walk, proto_tree *tree, const gw_godot_event *event)
{
    bool is_composite = godot_hf.components[event->type][0] > 0;
    uint32_t components = gw_godot_components((gw_godot_type)event->type);
    uint32_t elements = MIN(event->count, godot_tree_prefs.elements);
    uint32_t start = event->payload.offset, size = gw_godot_element_size(event);
    for (uint32_t i = 0; i < elements; i++) {
        proto_item *item;
        if (is_composite) {
            proto_tree *branch =
                proto_tree_add_subtree(tree, walk->tvb, (int)(start + i * size), (int)size, godot_ett_value, &item, "");
            add_components(walk, branch, event, i * components);
        } else {
            item = add_number(walk, tree, event, i, godot_hf.elements[event->type]);
        }
        label_numbers(walk, item, NULL, event, i * components, components);
    }
    add_rest(walk, tree, start + elements * size, start + event->count * size, event->count - elements);
}

/* Adds the strings of a packed array, up to the number in the preference, with the labels [0]: "text", [1]: ...; then
 * one item for the strings that are left. Labels are needed in a visible tree only. */
static void add_string_elements(const godot_walk *walk, proto_tree *tree, const gw_godot_event *event)
{
    char label[GODOT_LABEL_SIZE];
    gw_text text;
    gw_godot_strings strings;
    gw_godot_string string;
    gw_godot_strings_init(&strings, walk->bytes, event);
    for (uint32_t i = 0; i < godot_tree_prefs.elements && gw_godot_strings_next(&strings, &string); i++) {
        proto_item *item = gw_add_text(tree, godot_hf.elements[event->type], walk->tvb, string.whole,
                                       godot_text_of(walk, string.text, string.odd));
        if (!walk->demands.common.visible)
            continue;
        gw_text_init(&text, label, sizeof label);
        gw_text_char(&text, '[');
        gw_text_unsigned(&text, string.index);
        gw_text_string(&text, "]: ");
        gw_godot_print_quoted(&text, walk->bytes + string.text.offset, string.text.length);
        proto_item_set_text(item, "%s", label);
    }
    add_rest(walk, tree, strings.offset, gw_span_end(event->payload), strings.end - strings.position);
}

/* ---- parts of other types ------------------------------------------------------------------------------ */

/* Adds the parts of a NodePath whose fields are needed: the words of its header, then its names and subnames, up to the
 * number in the preference for elements. In the old format a NodePath is one text, of which only the length is
 * added. */
static void add_node_path(const godot_walk *walk, proto_tree *tree, const gw_godot_event *event)
{
    static int *const flags[] = { &godot_hf.node_path_absolute, &godot_hf.node_path_has_property, NULL };
    const int hf_string[] = { [GW_GODOT_STRING_ROLE_NAME_PART] = godot_hf.node_path_name,
                              [GW_GODOT_STRING_ROLE_SUBNAME] = godot_hf.node_path_subname,
                              [GW_GODOT_STRING_ROLE_PROPERTY] = godot_hf.node_path_property };
    gw_godot_node_path path;
    gw_godot_strings strings;
    gw_godot_string string;
    uint32_t body = event->header.offset + 4;
    if (!gw_godot_node_path_of(walk->bytes, event, &path)) { /* the old format: one text */
        add_length(walk, tree, event->text);
        return;
    }

    /* The words of the header: counts of names and subnames, flags. The names have bit 31, the mark of the new format,
     * which path.names does not have. */
    if (is_needed(walk, godot_hf.node_path_names))
        proto_tree_add_uint(tree, godot_hf.node_path_names, walk->tvb, (int)body, 4, path.names);
    add_word(walk, tree, godot_hf.node_path_subnames, body + 4);
    if (is_needed(walk, godot_hf.node_path_flags) || is_needed(walk, godot_hf.node_path_absolute) ||
        is_needed(walk, godot_hf.node_path_has_property))
        proto_tree_add_bitmask(tree, walk->tvb, (int)body + 8, godot_hf.node_path_flags, godot_ett_value, flags,
                               ENC_LITTLE_ENDIAN);
    gw_godot_strings_init(&strings, walk->bytes, event);
    for (uint32_t i = 0; i < godot_tree_prefs.elements && gw_godot_strings_next(&strings, &string); i++) {
        add_string(walk, tree, hf_string[string.role], string.whole, godot_text_of(walk, string.text, string.odd));
        add_padding(walk, tree, gw_span_end(string.whole) - string.padding, string.padding, string.odd);
    }
    if (walk->demands.headers)
        add_rest(walk, tree, strings.offset, gw_span_end(event->payload), strings.end - strings.position);
}

/* Adds an id of 64 bits, if its field is needed. */
static void add_id(const godot_walk *walk, proto_tree *tree, int hf, uint32_t at, uint64_t id)
{
    if (is_needed(walk, hf))
        proto_tree_add_uint64(tree, hf, walk->tvb, (int)at, 8, id);
}

/* ---- containers ---------------------------------------------------------------------------------------- */

/* Adds the type that a typed container declares, if any: a built-in type, or the name of a class or script, in which
 * invalid UTF-8 is replaced (GW_GODOT_ODD_UTF8). Only Godot 4 has typed containers. `which`: 0 for an array's elements
 * or a dictionary's keys, 1 for a dictionary's values. */
static void add_declaration(const godot_walk *walk, proto_tree *tree, const gw_godot_event *event, uint32_t which,
                            int hf)
{
    gw_godot_declaration declaration;
    gw_godot_declaration_of(walk->bytes, event, which, &declaration);
    if (declaration.kind == GW_GODOT_BUILTIN)
        add_string(walk, tree, hf, declaration.whole, gw_godot_type_name(GW_GODOT_4, (gw_godot_type)declaration.type));
    else if (declaration.kind != GW_GODOT_UNTYPED)
        add_string(walk, tree, hf, declaration.whole, godot_text_of(walk, declaration.text, GW_GODOT_ODD_UTF8));
}

/* Adds the parts of a container's header whose fields are needed: the class of an object or the declared types, then
 * the count of members, which is the last word of the header. */
static void add_container(const godot_walk *walk, proto_tree *tree, const gw_godot_event *event)
{
    uint32_t count_offset = gw_span_end(event->header) - 4;
    if (event->type == GW_GODOT_OBJECT) {
        /* The class name, with its padding. */
        uint32_t end = gw_span_end(event->text);
        const gw_span padded = { event->text.offset, count_offset - event->text.offset };
        add_length(walk, tree, event->text);
        add_string(walk, tree, godot_hf.object_class, padded, godot_text_of(walk, event->text, event->odd));
        add_padding(walk, tree, end, count_offset - end, event->odd);
    } else if (event->type == GW_GODOT_ARRAY) {
        add_declaration(walk, tree, event, 0, godot_hf.element_type);
    } else {
        add_declaration(walk, tree, event, 0, godot_hf.key_type);
        add_declaration(walk, tree, event, 1, godot_hf.value_type);
    }
    add_count(walk, tree, event);
    /* The count of an Array or Dictionary has a bit for shared containers, in Godot 2. */
    if (event->type != GW_GODOT_OBJECT && gw_le32(walk->bytes + count_offset) & GW_GODOT_COUNT_SHARED &&
        is_needed(walk, godot_hf.shared))
        proto_tree_add_boolean(tree, godot_hf.shared, walk->tvb, (int)count_offset, 4, 1);
}

/* ---- all parts ----------------------------------------------------------------------------------------- */

/* Adds the parts of a value's bytes whose fields are needed: type and flags, then those that its type has. A
 * property name has no header word. */
static void add_parts(const godot_walk *walk, proto_tree *tree, const gw_godot_event *event)
{
    uint32_t flags = event->header_word >> 16 & 0xFFU, header = event->header.offset, body = header + 4;
    if (event->role != GW_GODOT_ROLE_PROPERTY_NAME) {
        if (is_needed(walk, godot_hf.type))
            proto_tree_add_string(tree, godot_hf.type, walk->tvb, (int)header, 4,
                                  gw_godot_type_name(walk->options.generation, (gw_godot_type)event->type));
        if (flags && is_needed(walk, godot_hf.flags))
            proto_tree_add_uint(tree, godot_hf.flags, walk->tvb, (int)header + 2, 1, flags);
    }
    if (event->kind == GW_OPEN) {
        add_container(walk, tree, event);
        return;
    }
    if (event->kind == GW_PACKED) {
        add_count(walk, tree, event);
        return;
    }
    switch ((gw_godot_type)event->type) {
    case GW_GODOT_STRING:
    case GW_GODOT_STRING_NAME:
        add_length(walk, tree, event->text);
        break;
    case GW_GODOT_NODE_PATH:
        add_node_path(walk, tree, event);
        break;
    case GW_GODOT_OBJECT:
        if (event->payload.length == 8) /* sent as its id; without one it is null */
            add_id(walk, tree, godot_hf.object_id, event->payload.offset, event->number);
        else if (event->header.length == 8)
            add_length(walk, tree, event->text); /* of an empty class name */
        break;
    case GW_GODOT_SIGNAL:
        add_length(walk, tree, event->text);
        add_id(walk, tree, godot_hf.signal_object, gw_span_end(event->payload) - 8, event->number);
        break;
    case GW_GODOT_IMAGE:
        add_word(walk, tree, godot_hf.image_format, body);
        add_word(walk, tree, godot_hf.image_mipmaps, body + 4);
        add_word(walk, tree, godot_hf.image_width, body + 8);
        add_word(walk, tree, godot_hf.image_height, body + 12);
        add_count(walk, tree, event);
        add_bytes(walk, tree, godot_hf.image_data, event->payload);
        break;
    case GW_GODOT_INPUT_EVENT:
        add_word(walk, tree, godot_hf.event_type, body);
        add_word(walk, tree, godot_hf.event_device, body + 4);
        add_word(walk, tree, godot_hf.length, body + 8);
        add_bytes(walk, tree, godot_hf.event_details, event->payload);
        break;
    default:
        break;
    }
}

/* ---- paths --------------------------------------------------------------------------------------------- */

/* True for the literal "name" or &"name" if a script could use the name after a point. `quote`: index of its first
 * quotation mark. */
static bool is_name(const char *key, size_t length, size_t quote)
{
    if (length < quote + 3 || key[quote] != '"' || g_ascii_isdigit(key[quote + 1]))
        return false;
    for (size_t i = quote + 1; i < length - 1; i++)
        if (!g_ascii_isalnum(key[i]) && key[i] != '_')
            return false;
    return key[length - 1] == '"';
}

/* Appends the step from a container to the value of `event` in it: the index of an element, "[3]"; else the key of the
 * entry, or the name of the property, which `key` has as a literal: ["hp"]. In the short path, a key that is_name() is
 * written without its quotation marks: ".hp", or "hp" at the beginning. */
static void print_step(gw_text *text, const godot_path *path, const gw_godot_event *event, const godot_scratch *key)
{
    size_t quote = key->length && key->text[0] == '&'; /* index of the quotation mark: 1 for a StringName, else 0 */
    bool is_element = event->role == GW_GODOT_ROLE_ELEMENT;
    /* The short path has a period where a script could have one. */
    if (!is_element && path->is_short && is_name(key->text, key->length, quote)) {
        if (text->length)
            gw_text_char(text, '.');
        gw_text_bytes(text, key->text + quote + 1, key->length - quote - 2);
        return;
    }
    gw_text_char(text, '[');
    if (is_element)
        gw_text_unsigned(text, event->index);
    else
        gw_text_bytes(text, key->text, key->length);
    gw_text_char(text, ']');
}

/* Sets the path to the value of `event`: the path of its parent, which the text still begins with, and one step. The
 * first value is the root. Returns the path, which is valid until the next step. A path that reaches GODOT_PATH_SIZE is
 * cut, and so are those of the values below it. */
static const char *step_to(godot_path *path, const gw_godot_event *event, const godot_scratch *key)
{
    uint32_t depth = event->depth;
    size_t length = depth ? path->lengths[depth - 1] : 0;
    size_t needed = MIN(length + key->length + 16, GODOT_PATH_SIZE); /* brackets, an index of ten digits, and the NUL */
    if (!path->text) {
        path->size = FIRST_SIZE;
        path->depths = FIRST_DEPTHS;
        path->text = (char *)wmem_alloc(path->pool, path->size);
        path->lengths = wmem_alloc_array(path->pool, uint32_t, path->depths);
    }
    if (depth && needed > path->size) {
        while (path->size < needed)
            path->size *= 2;
        path->text = (char *)wmem_realloc(path->pool, path->text, path->size);
    }
    while (depth >= path->depths) {
        path->depths *= 2;
        path->lengths = (uint32_t *)wmem_realloc(path->pool, path->lengths, path->depths * sizeof *path->lengths);
    }
    /* Continues the text after the path of the parent; if that was cut, nothing is added. */
    gw_text text = { .buffer = path->text,
                     .size = MIN(path->size, GODOT_PATH_SIZE),
                     .length = length,
                     .cut = length >= GODOT_PATH_SIZE - 1 };
    path->text[length] = '\0';
    if (depth)
        print_step(&text, path, event, key);
    else
        gw_text_string(&text, path->base ? path->base : "");
    path->lengths[depth] = depth && text.cut ? GODOT_PATH_SIZE - 1 : (uint32_t)text.length;
    return *path->text ? path->text : GODOT_ROOT_PATH;
}

/* ---- texts --------------------------------------------------------------------------------------------- */

/* Adds a generated item for a path or a value as text; in a visible tree with a label, "Path: …". If the text is longer
 * than the rest of the packet's limit for texts (walk->text_limit), it is shortened to GODOT_SHORTEST_TEXT bytes: many
 * long paths would need far more memory than the packet. The length of the text is then subtracted from the limit. */
static void add_text(godot_walk *walk, proto_tree *tree, int hf, gw_span span, const char *string)
{
    char shortened[GODOT_SHORTEST_TEXT], label[ITEM_LABEL_LENGTH];
    size_t length = strlen(string);
    gw_text text;
    if (length >= walk->text_limit) {
        gw_text_init(&text, shortened, sizeof shortened);
        gw_text_bytes(&text, string, length);
        string = shortened;
        length = text.length;
    }
    godot_text_count(walk, length);
    proto_item *item = gw_add_text(tree, hf, walk->tvb, span, string);
    proto_item_set_generated(item);
    if (!walk->demands.common.visible)
        return;
    gw_text_init(&text, label, sizeof label);
    gw_text_string(&text, proto_registrar_get_nth((unsigned)hf)->name);
    gw_text_string(&text, ": ");
    gw_text_bytes(&text, string, length);
    proto_item_set_text(item, "%s", label);
}

/* Adds the short path of a value or component, alone and with the value after it, where the fields are named.
 * `value`: its literal; NULL for a container. */
static void add_short_path(godot_walk *walk, proto_tree *tree, gw_span span, const char *path, const char *value)
{
    if (walk->demands.short_path)
        add_text(walk, tree, godot_hf.short_path, span, path);
    if (walk->demands.path_with_value && value)
        add_text(walk, tree, godot_hf.path_with_value, span,
                 wmem_strdup_printf(walk->pinfo->pool, "%s:%s", path, value));
}

/* Adds the short path of component `i` of a value, as in position.x, and the fields that a user configured for it.
 * `path`: of the value, whose short path add_texts() has stored in walk->short_path. */
static void add_component(godot_walk *walk, proto_tree *tree, const gw_godot_event *event, const char *path, uint32_t i)
{
    gw_godot_type type = (gw_godot_type)event->type;
    const char *name = gw_godot_component_name(type, i);
    const char *short_path = walk->short_path.text;
    uint32_t size = gw_godot_component_size(event);
    const gw_span span = { event->payload.offset + i * size, size };
    if (walk->demands.short_path || walk->demands.path_with_value) {
        char number[COMPONENT_SIZE];
        gw_text text;
        gw_text_init(&text, number, sizeof number);
        gw_godot_print_component(&text, walk->bytes, event, i);
        short_path = wmem_strdup_printf(walk->pinfo->pool, "%s%s%s", short_path, *short_path ? "." : "", name);
        add_short_path(walk, tree, span, short_path, number);
    }
    if (walk->demands.custom) {
        bool is_integer = gw_godot_components_are_integers(type);
        const godot_custom_value value = { walk->tvb,
                                           span,
                                           path,
                                           name,
                                           .type = is_integer ? GW_GODOT_INT : GW_GODOT_FLOAT,
                                           .integer = is_integer ? gw_godot_integer_at(walk->bytes, event, i) : 0,
                                           .real = is_integer ? 0 : godot_number_at(walk->bytes, event, i) };
        godot_custom_add(tree, walk->pinfo, &value);
    }
}

/* Adds the paths of a value and of its components, the value as a text, and the fields that a user configured for
 * it. */
static void add_texts(godot_walk *walk, proto_tree *tree, const gw_godot_event *event, gw_span span)
{
    const godot_demands *demands = &walk->demands;
    const char *path = NULL;
    bool has_short_path = demands->short_path || demands->path_with_value;
    if (demands->path || demands->custom)
        path = step_to(&walk->path, event, &walk->key_text);
    if (demands->path)
        add_text(walk, tree, godot_hf.path, span, path);
    if (demands->value)
        add_text(walk, tree, godot_hf.value, span, walk->text.text);
    if (has_short_path)
        add_short_path(walk, tree, span, step_to(&walk->short_path, event, &walk->key_text),
                       event->kind == GW_OPEN ? NULL : walk->text.text);
    if (demands->custom) {
        const godot_custom_value value = { walk->tvb,
                                           span,
                                           path,
                                           "",
                                           .type = (gw_godot_type)event->type,
                                           .integer = event->number,
                                           .real = event->type == GW_GODOT_FLOAT
                                                       ? godot_number_at(walk->bytes, event, 0)
                                                       : 0,
                                           .text = walk->bytes + event->text.offset,
                                           .length = event->text.length };
        godot_custom_add(tree, walk->pinfo, &value);
    }
    if ((has_short_path || demands->custom) && has_components(event))
        for (uint32_t i = 0; i < gw_godot_components((gw_godot_type)event->type); i++)
            add_component(walk, tree, event, path, i);
}

/* ---- all items ----------------------------------------------------------------------------------------- */

/* Adds all items below that of a value or key: its parts, its numbers or elements, its padding and its texts. */
void godot_details_add(godot_walk *walk, proto_tree *tree, const gw_godot_event *event, gw_span span)
{
    bool is_key = godot_is_key(event);     /* its text has all but the parts */
    if (walk->demands.parts || event->odd) /* add_padding() needs no demand if the padding is odd */
        add_parts(walk, tree, event);
    if (!is_key && has_components(event))
        add_components(walk, tree, event, 0);
    else if (!is_key && event->kind == GW_PACKED && event->type == GW_GODOT_STRING_ARRAY)
        add_string_elements(walk, tree, event);
    else if (!is_key && event->kind == GW_PACKED && event->type != GW_GODOT_BYTE_ARRAY)
        add_numeric_elements(walk, tree, event);
    add_padding(walk, tree, event->padding.offset, event->padding.length, event->odd);
    if (!is_key && godot_has_path(walk, event))
        add_texts(walk, tree, event, span);
}
