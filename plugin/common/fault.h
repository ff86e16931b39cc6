/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How every Gamewire dissector says that a codec stopped: what is wrong, where, and whether the fault is the
 * packet's or only the capture's.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_FAULT_H
#define GAMEWIRE_PLUGIN_COMMON_FAULT_H

#include "common/compat.h"
#include <epan/expert.h>
#include <gamewire/status.h>

/* True when the capture holds fewer bytes of the payload than the wire did: a snapshot length, not a fault. */
bool gw_is_cut_by_capture(tvbuff_t *tvb);

/* True when the fault says no more than that the capture ended, or that the rest is in another fragment (the first
 * fragment of an IP datagram that is not reassembled, or a segment of TCP): it must not be called malformed. */
bool gw_fault_is_cut(const packet_info *pinfo, tvbuff_t *tvb, const gw_fault *fault);

/* Everything one fault needs to be shown. */
typedef struct gw_fault_report {
    int hf_undecoded;        /* FT_BYTES: from the fault to the end of the payload */
    expert_field *expert;    /* of the codec's fault code */
    expert_field *cut_short; /* used in its place when the capture ended, not the packet */
    const char *what;        /* the codec's sentence for the code */
    const char *consequence; /* what the engine does with such a packet, or NULL */
} gw_fault_report;

/* Adds the rest of the payload from the fault's offset on as bytes, with the expert info on it. */
void gw_fault_add(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, const gw_fault *fault,
                  const gw_fault_report *report);

#endif
