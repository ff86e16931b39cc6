/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reports why and where a codec stopped, and whether the packet is malformed or was only cut by the capture.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_FAULT_H
#define GAMEWIRE_PLUGIN_COMMON_FAULT_H

#include "common/compat.h"
#include <epan/expert.h>
#include <gamewire/status.h>

/* True if fewer bytes of the payload were captured than sent, because of the snapshot length. */
bool gw_is_cut_by_capture(tvbuff_t *tvb);

/* True if the capture has not all of the packet, or the rest is in another IP fragment. */
bool gw_is_incomplete(const packet_info *pinfo, tvbuff_t *tvb);

/* True if the fault only means that the capture ended, or that the rest is in another fragment (the first fragment of
 * an IP datagram that is not reassembled, or a TCP segment). It must not be reported as malformed. */
bool gw_fault_is_cut(const packet_info *pinfo, tvbuff_t *tvb, const gw_fault *fault);

/* The input for showing one fault. */
typedef struct gw_fault_report {
    int hf_undecoded;        /* FT_BYTES: from the fault to the end of the payload */
    expert_field *expert;    /* of the codec's fault code */
    expert_field *cut_short; /* used instead if the data was cut by the capture */
    const char *what;        /* the codec's sentence for the code */
    const char *consequence; /* what the engine does with such a packet, or NULL */
} gw_fault_report;

/* Adds the rest of the payload from the fault's offset on as bytes, with the expert info on it. */
void gw_add_fault_report(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, const gw_fault *fault,
                         const gw_fault_report *report);

#endif
