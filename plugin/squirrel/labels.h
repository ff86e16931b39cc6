/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The labels of values, with their roles: to be called for items of a visible tree.
 */
#ifndef GAMEWIRE_PLUGIN_SQUIRREL_LABELS_H
#define GAMEWIRE_PLUGIN_SQUIRREL_LABELS_H

#include "common/compat.h"

#include "tree.h"

/* `Parameter 1: "Hello" (string)` */
void squirrel_label_value(const squirrel_drawing *drawing, const gw_squirrel_event *event, proto_item *item);

/* "Value: skipped (array)" */
void squirrel_label_skipped(const gw_squirrel_event *event, proto_item *item);

/* "Value: CallRemoteFunc", for the event that opens a container or command; the label is completed when it closes. */
void squirrel_begin_container_label(const gw_squirrel_event *event, proto_item *item);

/* "[0]: array, 2 elements", "Value: table, 1 pair, counted as in release 1.1.1": for the event that closes a container
 * with an item. */
void squirrel_end_container_label(const gw_squirrel_event *event, proto_item *item);

#endif
