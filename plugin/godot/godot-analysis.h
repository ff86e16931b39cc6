/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which UDP payloads are Godot's, and of which generation a conversation is.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_CLAIM_H
#define GAMEWIRE_PLUGIN_GODOT_CLAIM_H

#include "common/compat.h"

#include <gamewire/godot.h>

typedef struct godot_claim_preferences {
    int generation; /* gw_godot_generation; GW_GODOT_ANY: from the bytes */
    unsigned proof; /* bits that a claim takes */
} godot_claim_preferences;

extern godot_claim_preferences godot_claim_prefs;

/* How a generation was arrived at. */
typedef struct godot_verdict {
    gw_godot_generation generation;
    gw_godot_guess guess;     /* of this packet alone; only where `guessed` */
    gw_godot_summary summary; /* of the payload as that generation */
    ws_bool given;            /* by a caller, who knows it */
    ws_bool guessed;
    ws_bool settled;     /* by the conversation */
    ws_bool mixed;       /* against the conversation */
    uint32_t settled_in; /* frame that settled it */
} godot_verdict;

/* Decides with which generation a payload is read; on the first pass, lets it settle its conversation. */
void godot_judge(packet_info *pinfo, tvbuff_t *tvb, godot_verdict *verdict);

/* What is known of the packet's conversation without a look at its bytes: sets generation, settled and settled_in. The
 * generation stays GW_GODOT_ANY when nothing is. */
void godot_known_generation(packet_info *pinfo, godot_verdict *verdict);

/* The packet leaves no doubt about the generation of its conversation. Does nothing but on the first pass. */
void godot_learn_generation(packet_info *pinfo, gw_godot_generation generation);

/* Whether the doubt changes what is read: most packets that two generations read mean the same in both. */
ws_bool godot_is_in_doubt(const godot_verdict *verdict);

/* True when the payload, with those of its conversation before it, is proven to be Godot's. */
ws_bool godot_is_proven(packet_info *pinfo, tvbuff_t *tvb);

void godot_claim_register(int protocol);

#endif
