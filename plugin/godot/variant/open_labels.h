/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The labels of containers grow with their members: what an event prints is printed once, and joins the labels of all
 * containers around it that still have room. A full label takes no more, so that the work does not grow with the
 * depth.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_VARIANT_OPEN_LABELS_H
#define GAMEWIRE_PLUGIN_GODOT_VARIANT_OPEN_LABELS_H

#include "common/compat.h"

#include <gamewire/text.h>

#define GODOT_LABEL_SIZE 160
/* Nested containers have shorter labels: their members have labels too. */
#define GODOT_INNER_LABEL_SIZE 80

/* Each nested container adds a character to the labels of those around it. Therefore at most this many labels are
 * incomplete at the same time, with that of the whole document and an Info column. */
#define GODOT_OPEN_LABELS (GODOT_INNER_LABEL_SIZE + 3)

typedef struct godot_label {
    proto_item *item; /* its text is set when the label is complete; NULL: the result is the text */
    gw_text text;     /* its memory must be valid until then */
    uint32_t depth;   /* of the container */
} godot_label;

typedef struct godot_labels {
    unsigned count;
    godot_label open[GODOT_OPEN_LABELS];
} godot_labels;

/* Starts the label of a container, to which its members will be added. */
void godot_labels_open(godot_labels *labels, const godot_label *label);

/* Adds to the labels of all open containers. */
void godot_labels_add(godot_labels *labels, const char *bytes, size_t length);

/* Ends the container of that depth; its closing bracket is added. */
void godot_labels_close(godot_labels *labels, uint32_t depth);

/* Ends all labels: containers that are still open keep the labels that they have now. */
void godot_labels_end(godot_labels *labels);

#endif
