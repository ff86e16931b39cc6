/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Every field, subtree and expert info of the Squirrel dissector.
 */
#ifndef GAMEWIRE_PLUGIN_SQUIRREL_FIELDS_H
#define GAMEWIRE_PLUGIN_SQUIRREL_FIELDS_H

#include "common/compat.h"

#include <epan/expert.h>
#include <epan/reassemble.h>
#include <gamewire/squirrel.h>

typedef struct squirrel_fields {
    /* Message and frame. */
    int message_id, message_length, frame, target_player, sender_player, token, undecoded_frame;
    /* Exchanges. */
    int response_in, response_to, relayed_in, relay_of, time, failed, unanswered, retransmission_of;
    /* Split streams. */
    int sequence, chunk, chunks, chunk_length, chunk_payload, duplicate_of, joined;
    int fragments, fragment, overlap, overlap_conflict, multiple_tails, fragment_too_long, fragment_error,
        fragment_count, reassembled_in, reassembled_length;
    /* Values. */
    int expression, null, integer, number, truth, string, error, script, blob;
    int vector, vector_xyz[3], quaternion, quaternion_xyzw[4];
    int array, table, class_table, command, function, tag, length, count;
    int declared, actual, skipped, not_shown, undecoded;
} squirrel_fields;

typedef struct squirrel_subtrees {
    int protocol, joined, value, fragment, fragments;
} squirrel_subtrees;

typedef struct squirrel_experts {
    /* Message and frame. */
    expert_field message_length, message_id, unknown_frame, head_cut_short, direction, split_in_split, joined_no_frame,
        too_large, no_command, retransmission;
    /* Split streams. */
    expert_field no_total, beyond_total, length_wrong, too_long, too_short, duplicate, many_chunks, chunk_cut_short;
    /* Values. */
    expert_field length_short, length_long, not_a_command, error_reply, cut_short;
    expert_field faults[GW_SQUIRREL_FAULTS]; /* by code */
    expert_field odd[GW_SQUIRREL_ODDS];      /* by the number of the bit */
} squirrel_experts;

extern int proto_squirrel;
extern squirrel_fields squirrel_hf;
extern squirrel_subtrees squirrel_ett;
extern squirrel_experts squirrel_ei;
extern const fragment_items squirrel_fragment_items;
extern const value_string squirrel_message_ids[];

void squirrel_register_fields(int protocol);

/* The field of a scalar, container or command. */
int squirrel_field_of(const gw_squirrel_event *event);

/* True if a filter, a column, a tap or an option of tshark references a field of values with this tag. */
bool squirrel_asks_for_tag(uint8_t tag);

#endif
