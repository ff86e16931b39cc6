/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds the items of values, with expert infos. They are read in dissect.c.
 */
#ifndef GAMEWIRE_PLUGIN_SQUIRREL_TREE_H
#define GAMEWIRE_PLUGIN_SQUIRREL_TREE_H

#include "common/demand.h"

#include <gamewire/squirrel.h>

/* ---- values -------------------------------------------------------------------------------------------- */

typedef struct squirrel_tree_preferences {
    ws_bool show_headers; /* show tag and length of every value, not only of containers and commands */
} squirrel_tree_preferences;

extern squirrel_tree_preferences squirrel_tree_prefs;

/* The items of one frame's values, added event by event. */
typedef struct squirrel_drawing {
    tvbuff_t *tvb;
    packet_info *pinfo;
    proto_tree *tree;                   /* parent of the values; may be NULL */
    const gw_squirrel_frame_type *type; /* NULL: values without a frame */
    const gw_squirrel_reader *reader;   /* reader of the events */
    gw_demand *demand;
    bool drawn;           /* the protocol's fields are referenced; else only oddities and faults are reported */
    bool headers;         /* show tags and lengths of scalars too */
    uint32_t *items_left; /* of the whole packet: common/item_budget.h */
    uint8_t expert_counts[32];
    bool hiding;
    uint32_t hidden_from;
    proto_item *items[GW_SQUIRREL_DEPTH];
    proto_tree *trees[GW_SQUIRREL_DEPTH];
} squirrel_drawing;

/* The subtrees are set when containers open. */
void squirrel_begin_values(squirrel_drawing *drawing, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
                           gw_demand *demand, const gw_squirrel_frame_type *type, const gw_squirrel_reader *reader);
void squirrel_add_event(squirrel_drawing *drawing, const gw_squirrel_event *event);
/* True if the field of the source text is referenced. */
bool squirrel_wants_expression(proto_tree *tree);
/* Adds the source text, before the items of the values. */
void squirrel_add_expression(proto_tree *tree, const char *text);
/* Call it after the last event: adds what was not shown, and the fault if there is one. */
void squirrel_end_values(squirrel_drawing *drawing);

#endif
