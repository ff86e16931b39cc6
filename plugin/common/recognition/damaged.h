/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Damaged payloads of a known conversation: those that no real sender of its protocol writes, because the game that
 * sent them has a bug. The heuristics of this plugin decline payloads that are not possible, so that other dissectors can
 * accept them; a payload that none of them accepts, and that is like the payloads before it, is shown with its fault instead of
 * as data. One rule for all protocols and carriers:
 *
 *   1. The payload is not possible: the protocol's own test declined it.
 *   2. It is like a payload that was accepted before it, in this conversation and direction (and stream), and that has
 *      24 bits of evidence by itself (recognition.h): other payloads that happen to be possible are no examples. "Like"
 *      is one of these, where an equal byte counts 1 bit if it is zero, 4 bits if it is less than 32, and else 8 bits:
 *        - its first bytes, up to the second one that differs, are equal to those of such a payload: 24 bits. One byte
 *          may differ, because the wrong byte may be among the first ones;
 *        - the same after four bytes that are the length of the rest, in either byte order, without a byte that differs:
 *          a length that the protocol does not have here;
 *        - it has the length and, except one, all the bytes that are the same in at least four such payloads with one
 *          length and first byte: 16 bits;
 *        - it has, except one, all the bytes that are the same in at least three payloads with one first byte, of which
 *          one is such a payload: 24 bits.
 *      Compared are the first 32 bytes with kinds of payloads, of which a kind is a length and a first byte: with 16 of a
 *      direction, 4 of them with one first byte. A new one takes the place of the one whose latest payload is the oldest, if
 *      that is not among the latest 32 of the direction.
 *      Of ENet's datagrams, the bytes after the header are compared; the peer id and session in the header must be those of the
 *      sender, and are evidence for the payloads that were accepted.
 *   3. No other dissector accepts it: the carrier called the dissectors of the ports before its heuristics, and then the
 *      other heuristics of the same list are called.
 *
 * How often other protocols have such payloads: of 577,375 pairs of a payload of tests/strangers and a direction of a
 * capture of Variants or of multiplayer, none has 22 bits by its first bytes, 18 have 18 bits, and none has 16 bits by
 * its length; of 14,658,350 pairs with a first byte and a beginning of a direction, none has 24 bits by the bytes that three payloads
 * have in common, and 2 have 20. tests/strangers/test_damaged.py has them between the ports of known conversations.
 *
 * Why the heuristic does this, and not the pinned dissector: the carrier (UDP, ENet, WebSocket, SCTP) calls the
 * dissectors of its ports and its heuristics in the order that the user configured, and nothing of this order is
 * repeated here. A payload that is not like the others takes exactly the way that it took before.
 *
 * Written on the first pass only: later passes show the results of the first one.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_DAMAGED_H
#define GAMEWIRE_PLUGIN_COMMON_DAMAGED_H

#include "common/compat.h"

/* Bits of evidence of a payload with which damaged ones are compared. */
#define GW_DAMAGED_SAMPLE_BITS 24U

/* The payloads of one protocol and carrier; of the current file. They are stored for the 1,024 streams of conversations
 * with the latest ones. */
typedef struct gw_damaged {
    bool any;            /* a payload was stored */
    wmem_map_t *samples; /* conversation_t -> payloads of its directions */
    wmem_map_t *found;   /* frame -> its damaged payloads */
    wmem_map_t *unread;  /* frame -> its payloads that are not like others */
    /* Used by damaged.c: the streams with payloads, by the latest of each, and memory for further kinds. */
    struct gw_damaged_stream *earliest, *latest;
    struct gw_damaged_kind *spare;
    uint32_t streams;
} gw_damaged;

/* Bits of evidence of one equal byte: zeros and small numbers are frequent in payloads of all protocols. */
static inline uint32_t gw_bits_of_byte(uint8_t byte)
{
    return !byte ? 1 : byte < 0x20 ? 4 : 8;
}

/* The bits of evidence of a payload by itself, as in common/recognition/recognition.h. `data`: of the caller. */
typedef uint32_t (*gw_weigh)(tvbuff_t *tvb, const void *data);

/* Call once, when the protocol is registered. */
void gw_damaged_init(gw_damaged *damaged);

/* Stores a payload that was accepted as possible. `stream` distinguishes the streams of a conversation. Does nothing
 * after the first pass. `weigh` is called, with `data`, for the first payload of a kind only. */
void gw_damaged_keep(gw_damaged *damaged, packet_info *pinfo, tvbuff_t *tvb, uint32_t stream, gw_weigh weigh,
                     const void *data);

/* False: no payload is like those that were stored. */
static inline bool gw_damaged_has_samples(const gw_damaged *damaged)
{
    return damaged->any;
}

/* As gw_damaged_find(), where payloads were stored. */
bool gw_damaged_find_like(gw_damaged *damaged, packet_info *pinfo, tvbuff_t *tvb, uint32_t stream);

/* True if the payload, which is not possible, is like those that were stored: parts 1 and 2 of the rule. Inline, so
 * that other protocols' packets do not pay for a call. */
static inline bool gw_damaged_find(gw_damaged *damaged, packet_info *pinfo, tvbuff_t *tvb, uint32_t stream)
{
    return gw_damaged_has_samples(damaged) && gw_damaged_find_like(damaged, pinfo, tvb, stream);
}

/* True if gw_damaged_find() is false, and this is not a damaged payload that is passed to other heuristics (below). */
bool gw_damaged_is_unlike(gw_damaged *damaged, packet_info *pinfo, tvbuff_t *tvb, uint32_t stream);

/* For a payload that is not possible and not like others, but that its protocol knows for one of this conversation: by
 * the ids in its head, for example. gw_damaged_find() finds it from now on. Does nothing after the first pass. */
void gw_damaged_keep_known(gw_damaged *damaged, packet_info *pinfo, tvbuff_t *tvb);

/* Part 3, for a payload that gw_damaged_find() found: passes it to the other heuristics of the list from which the
 * caller, a heuristic dissector, was called. If none accepts it, `dissect` shows it: it must decline nothing. Returns
 * the number of bytes that were dissected. */
int gw_damaged_dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data, dissector_t dissect);

/* Counts a payload that was accepted, where gw_damaged_keep() is not called for it. */
void gw_damaged_count(gw_damaged *damaged, packet_info *pinfo, uint32_t stream);

/* For a payload that is neither possible nor like others: true in a conversation of which nearly all payloads were
 * accepted before, if it is whole and no other dissector accepts it. It then has a note, and is not accepted. Sets
 * `accepted` if another dissector accepted it. */
bool gw_damaged_is_unread(gw_damaged *damaged, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data,
                          bool *accepted);

#endif
