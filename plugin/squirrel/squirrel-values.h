/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The values and commands of a frame: their tree, their source text, what is wrong with them, and what they
 * name.
 */
#ifndef GAMEWIRE_PLUGIN_SQUIRREL_VALUES_H
#define GAMEWIRE_PLUGIN_SQUIRREL_VALUES_H

#include "common/compat.h"
#include <epan/expert.h>
#include <gamewire/squirrel.h>

#include "squirrel-statistics.h"

typedef struct squirrel_content {
    tvbuff_t *tvb;
    packet_info *pinfo;
    proto_tree *tree;
    const gw_squirrel_frame_type *type; /* NULL: values without a frame */
    gw_squirrel_options options;
    squirrel_tap *tap; /* NULL: nobody listens */
    ws_bool in_column; /* the text is wanted for the Info column */
    char *text;        /* out: the Squirrel source; NULL when nobody wants it */
} squirrel_content;

/* Adds the expression and the tree of values, raises the expert infos, fills `text` and `tap`. */
void squirrel_add_values(squirrel_content *content);

void squirrel_register_values(int proto, expert_module_t *experts);

#endif
