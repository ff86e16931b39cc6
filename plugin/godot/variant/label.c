/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "label.h"

void godot_labels_open(godot_labels *labels, const gw_text *label, uint32_t depth)
{
    if (label->cut || labels->count == GODOT_OPEN_LABELS)
        return;
    labels->open[labels->count].text = *label;
    labels->open[labels->count].depth = depth;
    labels->count++;
}

void godot_labels_add(godot_labels *labels, const char *bytes, size_t length)
{
    unsigned kept = 0;
    if (!length)
        return;
    for (unsigned i = 0; i < labels->count; i++) {
        gw_text_bytes(&labels->open[i].text, bytes, length);
        if (labels->open[i].text.cut)
            continue;
        if (kept != i)
            labels->open[kept] = labels->open[i];
        kept++;
    }
    labels->count = kept;
}

void godot_labels_close(godot_labels *labels, uint32_t depth)
{
    while (labels->count && labels->open[labels->count - 1].depth == depth)
        labels->count--;
}
