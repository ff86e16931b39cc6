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
#include "path.h"
#include "tree.h"

/* The maximum depth of tree items: Wireshark reports a depth above its gui.max_tree_depth (500) as a bug. */
#define GODOT_TREE_DEPTH 100

#define GODOT_LABEL_SIZE 160
/* Containers inside others have shorter labels: their members have labels too. */
#define GODOT_INNER_LABEL_SIZE 80
/* Each path, value and key may have this length, whatever the texts before it took. */
#define GODOT_SHORTEST_TEXT 256U

/* What this dissection needs of each value besides the field of its type; computed once for each Variant. */
typedef struct godot_demands {
    gw_demand common;      /* its kinds are Variant types */
    bool headers;          /* all parts of headers, by preference */
    bool parts;            /* at least one of the fields of all types is named, or `headers` */
    bool path;             /* godot.path; always in a visible tree */
    bool value;            /* godot.value */
    bool short_path;       /* godot.short_path */
    bool path_with_value;  /* godot.path_with_value */
    bool custom;           /* a field that the user configured */
    bool any;              /* any of these: keys are needed as text */
    uint32_t items;        /* of each value, without its numbers */
    uint32_t key_items;    /* of the key of an entry or property */
    uint32_t number_items; /* of each component of a vector, color, transform ... */
} godot_demands;

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
    size_t text_limit;    /* of the next path, value or key; see godot_text_count() */
    uint8_t experts[32];

    /* State of the Variant that is being read. */
    gw_godot_options options; /* to read a container in it again, as text */
    const char *title;
    godot_demands demands;
    proto_item *root;
    uint32_t key_depth; /* inside a container that is itself a key: its depth plus one; else 0 */
    bool has_key;       /* `key` is that of the next value */
    godot_scratch key_text;
    godot_scratch text; /* of the current value, as a literal */
    godot_path path;
    godot_path short_path;

    /* Not cleared for each packet: the depth bounds what is valid. */
    gw_godot_event key;                      /* of the next entry or property */
    proto_tree *trees[GODOT_TREE_DEPTH + 1]; /* [depth]: the parent of values at that depth */
    proto_item *items[GODOT_TREE_DEPTH + 1]; /* [depth]: the container of values at that depth; NULL: it has no item */
    uint32_t starts[GODOT_TREE_DEPTH + 1];   /* [depth]: start of that container's item */
};

/* Subtracts the length of a text from the limit of those after it: the texts of nested long keys would need far more
 * memory than the packet. */
static inline void godot_text_count(godot_walk *walk, size_t length)
{
    walk->text_limit -= MIN(walk->text_limit - GODOT_SHORTEST_TEXT, length);
}

/* A key or a property's name, whose value follows. */
static inline bool godot_is_key(const gw_godot_event *event)
{
    return event->role == GW_GODOT_ROLE_KEY || event->role == GW_GODOT_ROLE_PROPERTY_NAME;
}

/* Keys and their parts have no path, and no text but their labels. */
static inline bool godot_has_path(const godot_walk *walk, const gw_godot_event *event)
{
    return event->role != GW_GODOT_ROLE_KEY && !walk->key_depth;
}

/* Displayed, extracted and filtered numbers are the same: for a 32-bit float, the decimal number of its text. */
double godot_number_at(const godot_walk *walk, const gw_godot_event *event, uint32_t i);

/* Adds the items below a value's item: its parts, and its components or elements. A key has no items of these: its text
 * has them, and it has items below only if a field of a header is referenced. */
void godot_details_add(const godot_walk *walk, proto_tree *tree, const gw_godot_event *event);

/* Adds the paths of a value and of its components, the value as a text, and the fields that a user configured for it.
 * `span`: of the value's item. */
void godot_texts_add(godot_walk *walk, proto_tree *tree, const gw_godot_event *event, gw_span span);

/* A text of the packet, in packet scope. `odd`: the oddities of its event. */
const char *godot_text_of(const godot_walk *walk, gw_span span, uint32_t odd);

#endif
