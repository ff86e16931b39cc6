/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The heuristics of all families. The codec evaluates a single payload (gw_<codec>_recognize, a pure function); the
 * functions below add up the evidence of a conversation's packets.
 *
 *   - A packet with `threshold` bits is accepted by itself.
 *   - Weaker packets add up while they follow each other in one conversation: each possible, all with a reading in
 *     common, those of one direction from one sender; equal packets, or equal evidence, count once. The packet that
 * reaches the threshold is accepted, and on the second pass those before it that added up to it.
 *   - From the accepted frame on the conversation is pinned: the family's pinned dissector is asked first. It declines
 * packets that are not possible, so that other dissectors can accept them.
 *   - Packets without evidence, such as a lone null, belong to a row when they have a reading in common with it; and so
 * do unlikely packets, but these remove the evidence counted before them.
 *   - Packets that are not possible, and those of a conversation that another dissector has, end the row.
 *   - Datagrams that an ICMP error quotes are recognized by themselves and change nothing.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_RECOGNITION_H
#define GAMEWIRE_PLUGIN_COMMON_RECOGNITION_H

#include "common/compat.h"

#include <gamewire/recognition.h>

typedef struct gw_heuristic {
    dissector_handle_t pinned; /* the dissector for pinned conversations: returns 0 for what is not possible; NULL for
                                  payloads inside another protocol, which the conversation belongs to */
    unsigned threshold;        /* bits; GW_RECOGNIZED_ALONE unless a preference says otherwise */
    wmem_map_t *rows;          /* conversation_t -> its row; of the current file */
    uint32_t open;             /* of them, how many have begun and were not accepted */
    bool strict; /* packets without evidence neither begin a row nor are accepted for what comes after them: for formats
                    whose damaged packets are possible */
    uint32_t stream; /* for payloads of a conversation with several streams, which are recognized separately: set it
                        before each call */
    bool nested;     /* for payloads of a protocol that the conversation is pinned to (ENet, WebSocket) */
} gw_heuristic;

/* Call once, when the protocol is registered. */
void gw_heuristic_init(gw_heuristic *heuristic, dissector_handle_t pinned);

/* The same for the payloads of another protocol, to which the conversation is pinned: nothing is pinned here; from the
 * accepted packet on, and before it on later passes, all payloads of the conversation that are possible are accepted.
 */
void gw_heuristic_init_nested(gw_heuristic *heuristic);

/* Of a packet that gw_heuristic_accepts() accepted: the readings that all packets of its row have in common. */
uint32_t gw_heuristic_readings(const gw_heuristic *heuristic, packet_info *pinfo, const gw_recognition *recognition);

/* True when a packet that is not possible changes nothing: no row is open anywhere. Then it can be declined without
 * gw_heuristic_accepts(). */
static inline bool gw_heuristic_is_idle(const gw_heuristic *heuristic)
{
    return !heuristic->open;
}

/* True when packets of the conversation have begun to add up, or were accepted. */
bool gw_heuristic_has_row(const gw_heuristic *heuristic, packet_info *pinfo);

/* True if the packet is to be dissected. Changes state on the first pass only. */
bool gw_heuristic_accepts(gw_heuristic *heuristic, packet_info *pinfo, tvbuff_t *tvb,
                          const gw_recognition *recognition);

#endif
