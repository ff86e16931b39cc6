/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds each event's text to the open labels.
 */
#include "open_labels.h"

static void finish(const godot_label *label)
{
    if (label->item)
        proto_item_set_text(label->item, "%s", label->text.buffer);
}

void godot_labels_open(godot_labels *labels, const godot_label *label)
{
    if (label->text.cut || labels->count == GODOT_OPEN_LABELS)
        finish(label);
    else
        labels->open[labels->count++] = *label;
}

void godot_labels_add(godot_labels *labels, const char *bytes, size_t length)
{
    unsigned kept = 0;
    if (!length)
        return;
    for (unsigned i = 0; i < labels->count; i++) {
        godot_label *label = &labels->open[i];
        gw_text_bytes(&label->text, bytes, length);
        if (label->text.cut)
            finish(label);
        else if (kept++ != i)
            labels->open[kept - 1] = *label;
    }
    labels->count = kept;
}

void godot_labels_close(godot_labels *labels, uint32_t depth)
{
    while (labels->count && labels->open[labels->count - 1].depth == depth)
        finish(&labels->open[--labels->count]);
}

void godot_labels_end(godot_labels *labels)
{
    while (labels->count)
        finish(&labels->open[--labels->count]);
}
