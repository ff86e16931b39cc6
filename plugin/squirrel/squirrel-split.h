/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Split streams: frames longer than 4094 bytes, which travel in chunks.
 */
#ifndef GAMEWIRE_PLUGIN_SQUIRREL_SPLIT_H
#define GAMEWIRE_PLUGIN_SQUIRREL_SPLIT_H

#include "common/compat.h"
#include <epan/expert.h>
#include <gamewire/squirrel.h>

/* Adds a chunk to the tree and to its stream. Returns the whole frame when this packet completes it, else
 * NULL. `tree` is where the fields go. */
tvbuff_t *squirrel_take_chunk(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const gw_squirrel_frame *frame);

void squirrel_register_split(int proto, expert_module_t *experts);

#endif
