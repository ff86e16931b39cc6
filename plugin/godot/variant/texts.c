/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Values as texts, and the items that hold paths and such texts.
 */
#include "common/spans.h"
#include "walk.h"

/* The longest texts are 64-bit numbers: -1.2345678901234567e-308. */
#define COMPONENT_SIZE 32U
/* Each text may take this many bytes, even if the packet's texts exceed their limit. */
#define SHORTEST_TEXT 256U

/* Wireshark dissects one packet at a time: all readers share these. Not those of dissect.c: printing occurs while a
 * Variant is read. */
static gw_godot_level print_levels[GODOT_READER_LEVELS];

void godot_print_whole(gw_text *text, const godot_walk *walk, const gw_godot_event *event)
{
    const gw_godot_options options = { .generation = walk->generation,
                                       .offset = event->header.offset,
                                       .levels = print_levels,
                                       .level_count = GODOT_READER_LEVELS };
    gw_godot_print(text, walk->bytes, walk->length, &options);
}

void godot_print_event(gw_text *text, const godot_walk *walk, const gw_godot_event *event)
{
    gw_godot_print_value(text, walk->bytes, event, walk->generation);
}

/* Prints into a text that grows up to `limit` bytes, its NUL included. */
void godot_print_into(godot_scratch *scratch, const godot_walk *walk, const gw_godot_event *event,
                      godot_print_function *print, size_t limit)
{
    gw_text text;
    if (!scratch->text) {
        scratch->size = GODOT_FIRST_TEXT_SIZE;
        scratch->text = (char *)wmem_alloc(walk->pinfo->pool, scratch->size);
    }
    for (;;) {
        gw_text_init(&text, scratch->text, MIN(scratch->size, limit));
        print(&text, walk, event);
        if (!text.cut || scratch->size >= limit)
            break;
        scratch->size *= 4;
        scratch->text = (char *)wmem_realloc(walk->pinfo->pool, scratch->text, scratch->size);
    }
    scratch->length = text.length;
}

/* ---- paths and values as texts ------------------------------------------------------------------------- */

/* The limit of one text: the texts of nested long keys would need far more memory than the packet. */
size_t godot_text_limit(const godot_walk *walk)
{
    return MAX(walk->text_left, SHORTEST_TEXT);
}

/* "Path: …" */
static void label_text(const godot_walk *walk, proto_item *item, int hf, const char *string, size_t length)
{
    char buffer[ITEM_LABEL_LENGTH];
    gw_text text;
    if (!walk->demand.visible)
        return;
    gw_text_init(&text, buffer, sizeof buffer);
    gw_text_string(&text, proto_registrar_get_nth((unsigned)hf)->name);
    gw_text_string(&text, ": ");
    gw_text_bytes(&text, string, length);
    proto_item_set_text(item, "%s", buffer);
}

static void add_text(godot_walk *walk, proto_tree *tree, int hf, gw_span span, const char *string)
{
    char shortened[SHORTEST_TEXT];
    size_t length = strlen(string);
    gw_text text;
    if (length >= godot_text_limit(walk)) {
        gw_text_init(&text, shortened, sizeof shortened);
        gw_text_bytes(&text, string, length);
        string = shortened;
        length = text.length;
    }
    walk->text_left -= MIN(walk->text_left, length);
    proto_item *item = gw_add_text(tree, hf, walk->tvb, span, string);
    proto_item_set_generated(item);
    label_text(walk, item, hf, string, length);
}

/* `name`: of a component, or NULL. */
static void add_short_path(godot_walk *walk, proto_tree *tree, gw_span span, const char *name, const char *value)
{
    const char *path = godot_path_text(&walk->short_path);
    if (name)
        path = wmem_strdup_printf(walk->pinfo->pool, "%s%s%s", walk->short_path.text, *walk->short_path.text ? "." : "",
                                  name);
    if (walk->wants.short_path)
        add_text(walk, tree, godot_hf.short_path, span, path);
    if (walk->wants.path_with_value && value)
        add_text(walk, tree, godot_hf.path_with_value, span,
                 wmem_strdup_printf(walk->pinfo->pool, "%s:%s", path, value));
}

static void add_component_paths(godot_walk *walk, proto_tree *tree, const gw_godot_event *event)
{
    gw_godot_type type = (gw_godot_type)event->type;
    uint32_t size = gw_godot_component_size(event);
    for (uint32_t i = 0; event->kind == GW_VALUE && i < gw_godot_components(type) && godot_hf.components[type][0] > 0;
         i++) {
        const gw_span span = { event->payload.offset + i * size, size };
        char number[COMPONENT_SIZE];
        gw_text text;
        gw_text_init(&text, number, sizeof number);
        gw_godot_print_component(&text, walk->bytes, event, i);
        add_short_path(walk, tree, span, gw_godot_component_name(type, i), number);
    }
}

void godot_texts_add(godot_walk *walk, proto_tree *tree, const gw_godot_event *event, gw_span span)
{
    bool is_leaf = event->kind != GW_OPEN;
    /* Keys and their parts have no path. */
    if (event->role == GW_GODOT_ROLE_KEY || walk->key_depth)
        return;
    if (walk->wants.path)
        add_text(walk, tree, godot_hf.path, span, godot_path_text(&walk->path));
    if (walk->wants.value || (walk->wants.path_with_value && is_leaf))
        godot_print_into(&walk->value, walk, event, is_leaf ? godot_print_event : godot_print_whole,
                         godot_text_limit(walk));
    if (walk->wants.value)
        add_text(walk, tree, godot_hf.value, span, walk->value.text);
    if (walk->wants.short_path || walk->wants.path_with_value) {
        add_short_path(walk, tree, span, NULL, is_leaf ? walk->value.text : NULL);
        add_component_paths(walk, tree, event);
    }
}
