/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which command a reply answers: tokens, matched over a conversation, and over the server's relay to another
 * one.
 */
#ifndef GAMEWIRE_PLUGIN_SQUIRREL_EXCHANGE_H
#define GAMEWIRE_PLUGIN_SQUIRREL_EXCHANGE_H

#include "common/compat.h"
#include <epan/expert.h>
#include <gamewire/squirrel.h>

/* Finds or, on the first pass, remembers what `frame` has to do with others, and adds it to the tree. `bytes`
 * are those of the whole frame, `token` the item of its token. */
void squirrel_track_exchange(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, proto_item *token,
                             const gw_squirrel_frame *frame, const uint8_t *bytes, uint32_t length);

void squirrel_register_exchange(int proto, expert_module_t *experts);

/* Which of two endpoints sent a packet, the same for both directions' packets: 0 or 1. */
uint8_t squirrel_side(const packet_info *pinfo);

#endif
