/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The heuristics of all families. The codec evaluates a single payload (gw_<codec>_recognize, a pure function); the
 * functions below add up the evidence of a conversation's packets.
 *
 *   - A packet with `threshold` bits is accepted by itself; GW_RECOGNIZED_ALONE, unless a preference says otherwise.
 *   - Packets with fewer bits form a series: consecutive packets of one conversation, each of them possible, all with
 *     a reading in common, and all of one direction from one sender. Their bits add up; equal packets, or equal
 *     evidence, count once. The packet that reaches the threshold is accepted, and on the second pass the packets
 *     of the series before it.
 *   - From the accepted frame on the conversation is pinned: the family's pinned dissector is called first. It
 *     declines packets that are not possible, so that other dissectors can accept them.
 *   - Packets without evidence, such as a single null, are part of a series if they have a reading in common with it.
 *     So are unlikely packets, but these remove the evidence that was counted before them.
 *   - A conversation with some evidence is a candidate (below): other heuristics do not keep its packets from this
 *     one, and on the second pass the series has the same packets as on the first.
 *   - In formats whose clients may use a new port for each request, no conversation may have enough: the evidence also
 *     counts for each address and port, in all conversations. Which side is the server is not known: both sides have a
 *     series, but the series of a client has only the evidence of its conversations. Of each packet at most half of the threshold
 *     counts, so that one packet is not sufficient for others. From the packet on with which such a series has the
 *     threshold, each packet with evidence from or to this address and port is accepted, in a conversation of its own
 *     too; on later passes also the packets of the series before it. A packet that is not possible, or unlikely, ends the
 *     series. If it was accepted, the address and port have no other: they are used by several protocols.
 *   - Packets that are not possible, and packets of a conversation that another dissector is set for, end the series.
 *   - A packet of a recognized conversation that is not possible, but like the packets before it, is damaged: damaged.h.
 *   - Datagrams that an ICMP error quotes are recognized by themselves and change nothing.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_RECOGNITION_H
#define GAMEWIRE_PLUGIN_COMMON_RECOGNITION_H

#include "common/compat.h"

#include <gamewire/recognition.h>

#include "common/recognition/damaged.h"
#include "common/table.h"

typedef struct gw_heuristic {
    /* The dissector for pinned conversations, which returns 0 for payloads that are not possible; NULL for payloads
     * inside another protocol, which the conversation belongs to. */
    dissector_handle_t pinned;
    gw_table all_series;           /* conversation and stream -> its series; of the current file */
    wmem_map_t *all_server_series; /* address and port -> its series; of the current file */
    uint32_t open;                 /* number of series that have begun and are not accepted yet */
    gw_damaged damaged;
    /* Set after gw_heuristic_init(): */
    /* For formats in which damaged packets are possible: packets without evidence do not begin a series, and later
     * evidence does not make them accepted. */
    bool strict;
    bool nested;     /* for payloads of a protocol that the conversation is pinned to (ENet, WebSocket) */
    bool candidates; /* conversations of UDP with some evidence are candidates: below */
    bool servers;    /* the evidence counts for addresses and ports as well */
    /* For formats beside which WebSocket carries texts: a payload that is text, as JSON is, does not end a series. */
    bool skips_texts;
} gw_heuristic;

/* An open series, for a family that has rules of its own about the evidence that counts. Valid until the file is
 * closed. */
typedef struct gw_series {
    uint32_t begun; /* number of series of this conversation and stream up to this one */
    uint32_t bits;  /* of evidence */
} gw_series;

/* Call once, when the protocol is registered. */
void gw_heuristic_init(gw_heuristic *heuristic, dissector_handle_t pinned);

/* The same for payloads inside another protocol, to which the conversation belongs: nothing is pinned. All possible
 * payloads of the conversation are accepted: from the accepted packet on, and on later passes those before it, too. */
void gw_heuristic_init_nested(gw_heuristic *heuristic);

/* For a packet that gw_heuristic_accepts() accepted: the readings that all packets of its series have in common. */
uint32_t gw_heuristic_readings(const gw_heuristic *heuristic, packet_info *pinfo, const gw_recognition *recognition);

/* True if no conversation has an open series. Then a packet that is not possible changes nothing, and can be declined
 * without gw_heuristic_accepts(). */
static inline bool gw_heuristic_is_idle(const gw_heuristic *heuristic)
{
    return !heuristic->open;
}

/* True if the heuristic is idle and accepted no payload of the file: a payload that is not possible can be declined at
 * once, since there is nothing that it could be a damaged one of. */
static inline bool gw_heuristic_is_unused(const gw_heuristic *heuristic)
{
    return gw_heuristic_is_idle(heuristic) && !gw_damaged_has_samples(&heuristic->damaged);
}

/* For a payload that was dissected as possible: a damaged one is compared with it. */
static inline void gw_heuristic_keep(gw_heuristic *heuristic, packet_info *pinfo, tvbuff_t *tvb, gw_weigh weigh)
{
    gw_damaged_keep(&heuristic->damaged, pinfo, tvb, 0, weigh, NULL);
}

/* For a payload that is not possible, in a heuristic dissector: the bytes that were dissected by `dissect`, which
 * declines nothing, or by another dissector; 0 if the payload is not like the others of its conversation. */
static inline int gw_heuristic_dissect_damaged(gw_heuristic *heuristic, tvbuff_t *tvb, packet_info *pinfo,
                                               proto_tree *tree, void *data, dissector_t dissect)
{
    if (!gw_damaged_find(&heuristic->damaged, pinfo, tvb, 0))
        return 0;
    return gw_damaged_dissect(tvb, pinfo, tree, data, dissect);
}

/* The series that the next packet may go on with, accepted or not; NULL: none. */
const gw_series *gw_heuristic_find_series(const gw_heuristic *heuristic, packet_info *pinfo, uint32_t stream);

/* On the first pass, ends the series, unless it is accepted: the next possible packet begins another one. */
void gw_heuristic_end_series(gw_heuristic *heuristic, packet_info *pinfo, uint32_t stream);

/* True if the conversation has a series, accepted or not. */
static inline bool gw_heuristic_has_series(const gw_heuristic *heuristic, packet_info *pinfo)
{
    return gw_heuristic_find_series(heuristic, pinfo, 0) != NULL;
}

/* On the first pass, after gw_heuristic_accepts(): the first frame of the series that the packet is part of, or 0.
 * If the packet has evidence and was declined, it is accepted on the second pass if its series is accepted later. */
uint32_t gw_heuristic_series(const gw_heuristic *heuristic, packet_info *pinfo);

/* True if the packet is to be dissected. On the first pass, the packet ends, begins or extends the series of its
 * conversation, and if it is accepted, the conversation is pinned. `stream`: streams of a conversation are recognized
 * separately; 0 if there is one. `threshold`: the bits that a packet or a series must have. */
bool gw_heuristic_accepts(gw_heuristic *heuristic, packet_info *pinfo, tvbuff_t *tvb, const gw_recognition *recognition,
                          uint32_t stream, uint32_t threshold);

/* ---- candidates ----------------------------------------------------------------------------------------- */

/* UDP conversations in which a packet had evidence for one of the plugin's formats, but not enough.
 *
 * Wireshark calls the heuristic first that accepted a packet last, and calls no other one if it accepts. So another
 * heuristic with a weak test that accepts the packets that have too little evidence would also take all later ones,
 * and on the second pass the packets before the recognition.
 *
 * From the first packet with evidence on, such a conversation has a dissector that only calls others: first the
 * heuristics of this plugin, with the rules of all heuristics; if they decline, the dissector that Wireshark has for
 * the conversation without this one; and then, as the caller does it, ports and heuristics. It belongs to no
 * protocol, and so adds no layer. */

/* Call when the protocol is registered. `heuristic`: name of its entry in the list of UDP, which a user may disable;
 * `dissector`: the same function, but it returns the length of the payload. */
void gw_candidates_register(const char *heuristic, dissector_t dissector, int protocol);

/* True in a heuristic dissector that was called for this packet before, because its conversation is a candidate. */
bool gw_candidates_were_asked(packet_info *pinfo);

#endif
