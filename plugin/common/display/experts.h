/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Expert infos for the faults and oddities of a codec, and whether a packet is malformed or was only cut by the capture.
 * The text comes from the codec's tables; the dissector adds filter names, groups and severities.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_EXPERTS_H
#define GAMEWIRE_PLUGIN_COMMON_EXPERTS_H

#include "common/compat.h"

#include <epan/expert.h>
#include <gamewire/faults.h>
#include <gamewire/text.h>

/* Maximum number of expert infos for one kind of oddity in a packet. */
#define GW_EXPERTS_OF_A_KIND 10

/* Adds the expert info of each bit in `odd` to `item`, with the codec's sentence and the offset. `counts` has the
 * number so far in this packet, by bit; the caller clears it before each packet. */
void gw_add_odd_experts(packet_info *pinfo, proto_item *item, expert_field *fields, const gw_fault_table *table,
                        uint8_t counts[32], uint32_t odd, uint32_t offset);

/* Adds the item of a message of `protocol`. In an ICMP error it says that the message is quoted: it was not
 * sent here. */
proto_item *gw_add_protocol(proto_tree *parent, const packet_info *pinfo, int protocol, tvbuff_t *tvb, uint32_t offset,
                            int length);

/* Appends ", ", the words of its findings and the line to the label of a message's item. Wireshark 4.0 cuts a label
 * at a byte, which may be within a character: nothing of that character is appended. `item`: of gw_add_protocol(). */
void gw_append_line(proto_item *item, const packet_info *pinfo, int protocol, const char *words, const char *line);

/* ---- faults -------------------------------------------------------------------------------------------- */

/* True if fewer bytes of the payload were captured than sent, because of the snapshot length. */
bool gw_is_cut_by_capture(tvbuff_t *tvb);

/* True if the capture has not all of the packet, or the rest is in another IP fragment. */
bool gw_is_incomplete(const packet_info *pinfo, tvbuff_t *tvb);

/* True if the fault only means that the capture ended, or that the rest is in another fragment (the first fragment of
 * an IP datagram that is not reassembled, or a TCP segment). It must not be reported as malformed. */
bool gw_fault_is_cut(const packet_info *pinfo, tvbuff_t *tvb, const gw_fault *fault);

/* Ends the line of a packet with its fault: " [The datagram ends within a command]". Adds nothing where there is
 * none or the packet was only cut. */
void gw_add_fault_to_line(gw_text *line, const packet_info *pinfo, tvbuff_t *tvb, const gw_fault *fault,
                          const gw_fault_table *table);

/* Fields and expert infos for the faults of a codec. */
typedef struct gw_fault_display {
    const int *hf_undecoded; /* FT_BYTES: from the fault to the end of the payload */
    expert_field *experts;   /* by fault code */
    expert_field *cut_short; /* used instead if the data was cut by the capture */
    const gw_fault_table *table;
} gw_fault_display;

/* Adds the payload from the fault's offset on as bytes, with the expert info on it: the fault, its offset, and the
 * reaction of the receiver. If the capture cut the packet short, the expert info is about that instead. */
void gw_add_fault(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, const gw_fault *fault,
                  const gw_fault_display *display);

/* The same with `sentence` in place of the codec's. */
void gw_add_fault_text(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, const gw_fault *fault,
                       const gw_fault_display *display, const char *sentence);

#endif
