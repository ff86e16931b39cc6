/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The state of adding one Variant to the tree, which tree.c, details.c and texts.c share.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_VARIANT_WALK_H
#define GAMEWIRE_PLUGIN_GODOT_VARIANT_WALK_H

#include "common/demand.h"

#include <gamewire/godot.h>

#include "fields.h"
#include "open_labels.h"
#include "path.h"
#include "tree.h"

/* The maximum depth of tree items: Wireshark reports a depth above its gui.max_tree_depth (500) as a bug. */
#define GODOT_TREE_DEPTH 100

/* Which items and texts are needed, besides the labels of a visible tree and the fields of each type. */
typedef struct godot_wants {
    bool headers;         /* all parts of headers, by preference */
    bool details;         /* any of the fields of all types */
    bool keys;            /* as text: for labels, paths or their own field */
    bool path;            /* godot.path */
    bool value;           /* godot.value */
    bool short_path;      /* godot.short_path */
    bool path_with_value; /* godot.path_with_value */
    bool custom;          /* a field that the user configured */
    bool others;          /* any field except those of single types */
} godot_wants;

/* A text in packet scope that grows when it is printed to. */
typedef struct godot_scratch {
    char *text;
    size_t size;
    size_t length;
} godot_scratch;

struct godot_walk {
    packet_info *pinfo;
    tvbuff_t *tvb;
    const uint8_t *bytes;
    uint32_t length;

    /* State for all Variants of the packet. */
    uint32_t *items_left; /* of the whole packet: common/item_budget.h */
    size_t text_left;     /* bytes that paths and values may still take, beyond the minimum of each */
    uint8_t experts[32];

    /* State of the Variant that is being read. */
    gw_godot_generation generation;
    const char *title;
    gw_text *line;    /* NULL after the first event */
    gw_demand demand; /* its kinds are Variant types */
    godot_wants wants;
    proto_item *root;
    uint32_t items_of_value; /* without its components and elements */
    uint32_t items_of_details;
    uint32_t key_depth; /* inside a container that is itself a key: its depth plus one; else 0 */
    bool has_key;
    godot_scratch key_text;
    godot_scratch literal; /* the text that the current event adds to labels */
    godot_scratch value;   /* the text of its whole value */
    godot_path path;
    godot_path short_path;

    /* Not cleared for each packet, since it is large: `labels.count` and the depth bound what is valid. */
    gw_godot_event key;                      /* of the next entry or property */
    proto_tree *trees[GODOT_TREE_DEPTH + 1]; /* [depth]: the parent of values at that depth */
    proto_item *items[GODOT_TREE_DEPTH + 1]; /* [depth]: the container of values at that depth */
    uint32_t starts[GODOT_TREE_DEPTH + 1];   /* [depth]: start of that container's item */
    godot_labels labels;
};

#define GODOT_FIRST_TEXT_SIZE 256U

/* Prints an event, and for an event that opens a container, its contents. */
typedef void godot_print_function(gw_text *text, const godot_walk *walk, const gw_godot_event *event);
godot_print_function godot_print_event, godot_print_whole;

/* Prints into a text that grows up to `limit` bytes, its NUL included. */
void godot_print_into(godot_scratch *scratch, const godot_walk *walk, const gw_godot_event *event,
                      godot_print_function *print, size_t limit);

/* The limit of one text: the texts of nested long keys would need far more memory than the packet. */
size_t godot_text_limit(const godot_walk *walk);

/* Adds the paths of a value, and the value as a text, if they are needed. `span`: of the value's item. */
void godot_texts_add(godot_walk *walk, proto_tree *tree, const gw_godot_event *event, gw_span span);

/* A key or a property's name, whose value follows. */
static inline bool godot_is_key(const gw_godot_event *event)
{
    return event->role == GW_GODOT_ROLE_KEY || event->role == GW_GODOT_ROLE_PROPERTY_NAME;
}

/* Adds the items below a value's item: its parts, and its components or elements. A key has no items of these: its text
 * has them, and it has items below only if a field of a header is referenced. */
void godot_details_add(const godot_walk *walk, proto_tree *tree, const gw_godot_event *event);
/* Adds only the parts of the header, for a key. */
void godot_details_add_header(const godot_walk *walk, proto_tree *tree, const gw_godot_event *event);

/* A text of the packet, in packet scope. `odd`: the oddities of its event. */
const char *godot_text_of(const godot_walk *walk, gw_span span, uint32_t odd);

#endif
