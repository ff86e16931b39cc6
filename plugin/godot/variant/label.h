/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The labels of containers grow with their members: what an event prints is printed once, and joins the labels of all
 * containers around it that still have room. A full label takes no more, so that the work does not grow with the
 * depth.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_VARIANT_LABEL_H
#define GAMEWIRE_PLUGIN_GODOT_VARIANT_LABEL_H

#include "common/compat.h"

#include <gamewire/text.h>

#define GODOT_LABEL_SIZE 160
/* Containers inside others have shorter labels: those of their members follow anyway. */
#define GODOT_INNER_LABEL_SIZE 80

/* Each container that opens inside another adds a character to the labels around it: more than this many are never
 * unfinished at once, that of the whole document and an Info column included. */
#define GODOT_OPEN_LABELS (GODOT_INNER_LABEL_SIZE + 3)

typedef struct godot_label {
    proto_item *item; /* gets the text when it is complete; NULL: the text itself is the result */
    gw_text text;     /* in memory that lives until then */
    uint32_t depth;   /* of the container */
} godot_label;

typedef struct godot_labels {
    unsigned count;
    godot_label open[GODOT_OPEN_LABELS];
} godot_labels;

/* The label of a container has been begun, and goes on with its members. */
void godot_labels_open(godot_labels *labels, const godot_label *label);

/* Adds to the labels of all open containers. */
void godot_labels_add(godot_labels *labels, const char *bytes, size_t length);

/* The container of that depth has ended, with its closing bracket. */
void godot_labels_close(godot_labels *labels, uint32_t depth);

/* No more follows: containers that have not ended have the labels that they have now. */
void godot_labels_end(godot_labels *labels);

#endif
