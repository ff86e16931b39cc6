/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The Godot generation of a conversation, and the generation with which a packet's Variants are read. Variants,
 * multiplayer and the debugger use this state in common.
 *
 * The state of a conversation has two parts:
 *
 *   readers   The generations, as bits, in which every Variant so far is valid. A Vector3 of Godot 3 (type 7) is valid
 *             in Godot 2 and 3, but not in 4. Later packets are read with one of these generations.
 *
 *   proven    The generation, if it is certain: a packet with sufficient structure is valid in this generation only,
 *             or the protocol around the Variants shows it (a message of multiplayer or of the debugger).
 *
 * The state is written on the first pass, in the order of the packets. A later pass uses its final value.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_VARIANT_GENERATION_H
#define GAMEWIRE_PLUGIN_GODOT_VARIANT_GENERATION_H

#include "common/compat.h"

#include <gamewire/godot.h>

/* The preference godot.generation; GW_GODOT_ANY: from the bytes and the conversation. */
extern int godot_generation_preference;

typedef struct godot_generation_state {
    gw_godot_generation proven; /* GW_GODOT_ANY: not yet */
    uint8_t readers;            /* GW_GODOT_GENERATION_BIT(); all if nothing is known */
    uint32_t frame;             /* frame that proved it or reduced the readers; 0: nothing is known */
    uint8_t readers_before;     /* that frame: as known before it */
    uint32_t frame_before;
} godot_generation_state;

/* Returns the state of the packet's conversation. Creates nothing. */
godot_generation_state godot_generation_find(packet_info *pinfo);

/* Adds evidence from outside of Variants: only these generations (GW_GODOT_GENERATION_BIT() each) send this type of
 * packet. A single generation is proven by it. Does nothing after the first pass, and inside the datagram that an ICMP
 * error quotes. */
void godot_generation_keep(packet_info *pinfo, uint8_t generations);

/* Adds the generations that read this packet, and the earlier packets that recognition counted. Proves nothing: the
 * packets may be of another format. Does nothing in the cases in which godot_generation_keep() does nothing. */
void godot_generation_keep_readers(packet_info *pinfo, uint8_t readers);

/* The generation with which a value is read, and the reason. */
typedef struct godot_findings {
    gw_godot_generation generation;
    gw_godot_guess guess;     /* for this packet; only if `guessed` */
    gw_godot_summary summary; /* of the values as that generation */
    bool given;               /* set by the caller */
    bool guessed;             /* found from the bytes, possibly among the conversation's readers only */
    bool proven;              /* proven for the conversation */
    bool by_length;           /* of a Variant that the capture cut: the length of the packet fits no other */
    bool mixed;               /* different from the conversation's generation */
    uint32_t decided_in;      /* another frame, which proved it, or excluded the other generations; else 0 */
} godot_findings;

/* Determines the generation of the values that `question` describes in `tvb` (its captured bytes), and updates the
 * state of the conversation. question->reading.generation other than GW_GODOT_ANY is the caller's choice, which has
 * precedence over the preference and the conversation. The levels of the question are ignored. */
void godot_generation_analyze(packet_info *pinfo, tvbuff_t *tvb, const gw_godot_question *question,
                              godot_findings *findings);

/* True if the generation is in doubt and matters: most packets that two generations read have the same meaning in
 * both. */
bool godot_is_in_doubt(const godot_findings *findings);

/* Sets the options' levels, which are sufficient for hostile documents and shared: use one reader at a time. Enables
 * the search for duplicate keys. */
void godot_generation_set_levels(gw_godot_options *options);

#endif
