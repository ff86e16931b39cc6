/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One Variant on its way into the tree: what tree.c, details.c and texts.c share.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_VARIANT_WALK_H
#define GAMEWIRE_PLUGIN_GODOT_VARIANT_WALK_H

#include "common/demand.h"

#include <gamewire/godot.h>

#include "fields.h"
#include "label.h"
#include "path.h"
#include "tree.h"

/* Tree items nest this deep and no deeper: Wireshark calls more than its gui.max_tree_depth (500) a bug. */
#define GODOT_TREE_DEPTH 100

/* Which items and texts are needed, beside the labels of a visible tree and the fields of each type. */
typedef struct godot_wants {
    bool headers;         /* everything that headers say, by preference */
    bool details;         /* any field that belongs to no one type */
    bool keys;            /* as text: for labels, paths or their own field */
    bool path;            /* godot.path */
    bool value;           /* godot.value */
    bool short_path;      /* godot.short_path */
    bool path_with_value; /* godot.path_with_value */
    bool custom;          /* a field of the user's own */
    bool others;          /* anything but fields of some types */
} godot_wants;

/* A text in packet scope that grows with what is printed into it. */
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

    /* Of all Variants of the packet. */
    uint32_t *items_left; /* of the whole packet: common/limits.h */
    size_t text_left;     /* bytes that paths and values may still take, beyond the shortest of each */
    uint8_t experts[32];

    /* Of the Variant that is being read. */
    gw_godot_generation generation;
    const char *title;
    gw_text *line;    /* until the first event */
    gw_demand demand; /* its kinds are types */
    godot_wants wants;
    proto_item *root;
    uint32_t items_of_value; /* without its components and elements */
    uint32_t items_of_details;
    uint32_t key_depth; /* inside a container that is itself a key: its depth plus one; else 0 */
    bool has_key;
    godot_scratch key_text;
    godot_scratch literal; /* what the event that is being shown adds to labels */
    godot_scratch value;   /* its whole value */
    godot_path path;
    godot_path short_path;

    /* From here on nothing is cleared: what is in use is known otherwise. */
    gw_godot_event key;                      /* of the entry or property that comes next */
    proto_tree *trees[GODOT_TREE_DEPTH + 1]; /* [depth]: where values of that depth go */
    proto_item *items[GODOT_TREE_DEPTH + 1]; /* [depth]: the container that they are in */
    uint32_t starts[GODOT_TREE_DEPTH + 1];   /* [depth]: where that container's item begins */
    godot_labels labels;
};

#define GODOT_FIRST_TEXT_SIZE 256U

/* Prints an event, or with it all that is in its container. */
typedef void godot_print_function(gw_text *text, const godot_walk *walk, const gw_godot_event *event);
godot_print_function godot_print_event, godot_print_whole;

/* Prints into a text that grows up to `limit` bytes, its NUL included. */
void godot_print_into(godot_scratch *scratch, const godot_walk *walk, const gw_godot_event *event,
                      godot_print_function *print, size_t limit);

/* How long one text may be: a packet of long keys inside each other would take far more memory than it is long. */
size_t godot_text_limit(const godot_walk *walk);

/* The paths of a value, and the value itself as a text, as far as they are needed. `span`: of the value's item. */
void godot_texts_add(godot_walk *walk, proto_tree *tree, const gw_godot_event *event, gw_span span);

/* What is below a value's item: its parts, and what its header says. */
void godot_details_add(const godot_walk *walk, proto_tree *tree, const gw_godot_event *event);
/* Of these, those of a key: what its header says. */
void godot_details_add_header(const godot_walk *walk, proto_tree *tree, const gw_godot_event *event);

/* A text of the packet, in its own pool. `odd`: of the event that it is from. */
const char *godot_text_of(const godot_walk *walk, gw_span span, uint32_t odd);

#endif
