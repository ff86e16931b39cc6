/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ENet's fields, subtrees and expert infos.
 */
#ifndef GAMEWIRE_PLUGIN_ENET_FIELDS_H
#define GAMEWIRE_PLUGIN_ENET_FIELDS_H

#include "common/compat.h"

#include <epan/expert.h>
#include <epan/reassemble.h>
#include <gamewire/enet.h>

#include "analysis.h"
#include "common/experts.h"

typedef struct enet_fields {
    int wire[GW_ENET_ROLES]; /* fields that are on the wire as such, by gw_enet_role */
    /* Parts of them. */
    int peer, session, compressed, sent_time_present;
    int encrypted, checksum_64;
    int command, acknowledge, unsequenced, unused;
    int checksum_status;
    int undecoded, not_shown;
    /* Generated fields. */
    int connection, continued;
    int format;
    int compression, decompressed_length, percent;
    int connect_id;
    int acks_frame, acked_in, ack_rtt;
    int first_send, resend_time, resend_number, resent_in;
    int missing, lost, in_flight, silence, duplicate_of, used_in;
    int message_length;
    int response_to, response_in, response_time, begun_in, handshake_time, established_in;
    int disconnected_in;
    /* Reassembly. */
    int fragments, fragment, overlap, overlap_conflict, multiple_tails, fragment_too_long, fragment_error;
    int fragment_count, reassembled_in, reassembled_length, reassembled_data;
} enet_fields;

typedef struct enet_subtrees {
    int protocol, header, extended, command, flags, fragments, fragment;
} enet_subtrees;

typedef struct enet_experts {
    expert_field cut_short;
    expert_field bad_checksum;
    expert_field not_decompressed;
    expert_field compression_differs;
    expert_field no_reply;
    expert_field stale;
    expert_field continued;
    expert_field silence;
    expert_field other_version;
    expert_field nonce;
    expert_field flags[ENET_FLAGS];
    expert_field faults[GW_ENET_FAULTS]; /* by code */
    expert_field odd[GW_ENET_ODDS];      /* by the number of the bit */
} enet_experts;

extern int proto_enet;
extern enet_fields enet_hf;

#define ENET_HEADER_BITS 4
/* The bits of the header by gw_enet_format_number: peer, session, compressed, sent time. 0: the format has no such
 * bits. Call enet_register_fields() first. */
extern int enet_header_hf[GW_ENET_FORMATS][ENET_HEADER_BITS];
extern enet_subtrees enet_ett;
extern enet_experts enet_ei;
extern const fragment_items enet_fragment_items;
extern const gw_fault_display enet_faults;

/* "Range coder" */
const char *enet_compression_name(enet_compression mode);

void enet_register_fields(int protocol);

#endif
