/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The items below a value that contain its path, which follows the reader's events from step to step, and the value as a text or in the field that a user configured for this
 * path.
 */
#include "common/spans.h"
#include "internal.h"

/* The longest texts of numbers are those of 64 bits: -1.2345678901234567e-308. */
#define COMPONENT_SIZE 32U

/* A path grows from these sizes. */
#define FIRST_SIZE   128
#define FIRST_DEPTHS 16

/* ---- paths --------------------------------------------------------------------------------------------- */

static size_t doubled(size_t size, size_t needed)
{
    while (size < needed)
        size *= 2;
    return size;
}

static void begin_path(godot_path *path)
{
    if (!path->text) {
        path->size = FIRST_SIZE;
        path->depths = FIRST_DEPTHS;
        path->text = (char *)wmem_alloc(path->pool, path->size);
        path->lengths = wmem_alloc_array(path->pool, uint32_t, path->depths);
    }
    gw_text text;
    gw_text_init(&text, path->text, path->size);
    gw_text_string(&text, path->base ? path->base : "");
    path->lengths[0] = (uint32_t)text.length;
}

static void make_room(godot_path *path, uint32_t depth, size_t step)
{
    size_t size = MIN(path->lengths[depth - 1] + step, GODOT_PATH_SIZE);
    if (size > path->size) {
        path->size = doubled(path->size, size);
        path->text = (char *)wmem_realloc(path->pool, path->text, path->size);
    }
    if (depth >= path->depths) {
        path->depths = (uint32_t)doubled(path->depths, depth + 1);
        path->lengths = (uint32_t *)wmem_realloc(path->pool, path->lengths, path->depths * sizeof *path->lengths);
    }
}

/* "name" or &"name", if a script could use the name after a point. */
static bool is_name(const char *key, size_t length, size_t quote)
{
    if (length < quote + 3 || key[quote] != '"' || g_ascii_isdigit(key[quote + 1]))
        return false;
    for (size_t i = quote + 1; i < length - 1; i++)
        if (!g_ascii_isalnum(key[i]) && key[i] != '_')
            return false;
    return key[length - 1] == '"';
}

static void print_step(gw_text *text, const godot_path *path, const gw_godot_event *event, const char *key,
                       size_t length)
{
    size_t quote = length && key[0] == '&';
    if (event->role == GW_GODOT_ROLE_ELEMENT) {
        gw_text_char(text, '[');
        gw_text_unsigned(text, event->index);
        gw_text_char(text, ']');
    } else if (path->is_short && is_name(key, length, quote)) {
        if (text->length)
            gw_text_char(text, '.');
        gw_text_bytes(text, key + quote + 1, length - quote - 2);
    } else {
        gw_text_char(text, '[');
        gw_text_bytes(text, key, length);
        gw_text_char(text, ']');
    }
}

static void step_down(godot_path *path, const gw_godot_event *event, const char *key, size_t key_length)
{
    uint32_t depth = event->depth;
    /* Brackets, an index of ten digits, and the NUL. */
    make_room(path, depth, key_length + 16);
    size_t length = path->lengths[depth - 1];
    gw_text text = { path->text, MIN(path->size, GODOT_PATH_SIZE), length, length >= GODOT_PATH_SIZE - 1 };
    path->text[length] = '\0';
    print_step(&text, path, event, key, key_length);
    path->lengths[depth] = text.cut ? GODOT_PATH_SIZE - 1 : (uint32_t)text.length;
}

/* Sets the path to the value of `event`; the first is the root. `key`: the key of an entry or a property, as a literal.
 * Returns the path, which is valid until the next step. */
static const char *step_to(godot_path *path, const gw_godot_event *event, const char *key, size_t key_length)
{
    if (event->depth)
        step_down(path, event, key, key_length);
    else
        begin_path(path);
    return *path->text ? path->text : GODOT_ROOT_PATH;
}

/* ---- items --------------------------------------------------------------------------------------------- */

/* "Path: …" */
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

/* `value`: NULL for a container. */
static void add_short_path(godot_walk *walk, proto_tree *tree, gw_span span, const char *path, const char *value)
{
    if (walk->demands.short_path)
        add_text(walk, tree, godot_hf.short_path, span, path);
    if (walk->demands.path_with_value && value)
        add_text(walk, tree, godot_hf.path_with_value, span,
                 wmem_strdup_printf(walk->pinfo->pool, "%s:%s", path, value));
}

/* A component has a short path, and a custom field by its name, as in position.x. `path`: of the value. */
static void add_component(godot_walk *walk, proto_tree *tree, const gw_godot_event *event, const char *path, uint32_t i)
{
    gw_godot_type type = (gw_godot_type)event->type;
    const char *name = gw_godot_component_name(type, i);
    const char *base = walk->short_path.text;
    uint32_t size = gw_godot_component_size(event);
    const gw_span span = { event->payload.offset + i * size, size };
    if (walk->demands.short_path || walk->demands.path_with_value) {
        char number[COMPONENT_SIZE];
        gw_text text;
        gw_text_init(&text, number, sizeof number);
        gw_godot_print_component(&text, walk->bytes, event, i);
        base = wmem_strdup_printf(walk->pinfo->pool, "%s%s%s", base, *base ? "." : "", name);
        add_short_path(walk, tree, span, base, number);
    }
    if (walk->demands.custom) {
        bool is_integer = gw_godot_components_are_integers(type);
        const godot_custom_value value = { walk->tvb,
                                           span,
                                           path,
                                           name,
                                           .type = is_integer ? GW_GODOT_INT : GW_GODOT_FLOAT,
                                           .integer = is_integer ? gw_godot_integer_at(walk->bytes, event, i) : 0,
                                           .real = is_integer ? 0 : godot_number_at(walk, event, i) };
        godot_custom_add(tree, walk->pinfo, &value);
    }
}

static void add_custom(const godot_walk *walk, proto_tree *tree, const gw_godot_event *event, gw_span span,
                       const char *path)
{
    const godot_custom_value value = { walk->tvb,
                                       span,
                                       path,
                                       "",
                                       .type = (gw_godot_type)event->type,
                                       .integer = event->number,
                                       .real = event->type == GW_GODOT_FLOAT ? godot_number_at(walk, event, 0) : 0,
                                       .text = walk->bytes + event->text.offset,
                                       .length = event->text.length };
    godot_custom_add(tree, walk->pinfo, &value);
}

void godot_texts_add(godot_walk *walk, proto_tree *tree, const gw_godot_event *event, gw_span span)
{
    const godot_demands *demands = &walk->demands;
    const char *path = NULL, *short_path = NULL;
    bool wants_path = demands->path, wants_custom = demands->custom;
    bool has_short_path = demands->short_path || demands->path_with_value;
    uint32_t components = event->kind == GW_VALUE && godot_hf.components[event->type][0] > 0
                              ? gw_godot_components((gw_godot_type)event->type)
                              : 0;
    if (!godot_has_path(walk, event))
        return;
    if (wants_path || wants_custom)
        path = step_to(&walk->path, event, walk->key_text.text, walk->key_text.length);
    if (has_short_path)
        short_path = step_to(&walk->short_path, event, walk->key_text.text, walk->key_text.length);
    if (wants_path)
        add_text(walk, tree, godot_hf.path, span, path);
    if (demands->value)
        add_text(walk, tree, godot_hf.value, span, walk->text.text);
    if (has_short_path)
        add_short_path(walk, tree, span, short_path, event->kind == GW_OPEN ? NULL : walk->text.text);
    if (wants_custom)
        add_custom(walk, tree, event, span, path);
    for (uint32_t i = 0; i < components && (has_short_path || wants_custom); i++)
        add_component(walk, tree, event, path, i);
}
