/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The fields and expert infos of the Leviathan dissector.
 */
#ifndef GAMEWIRE_PLUGIN_LEVIATHAN_FIELDS_H
#define GAMEWIRE_PLUGIN_LEVIATHAN_FIELDS_H

#include "common/compat.h"

#include <gamewire/leviathan.h>

#include "common/experts.h"

typedef struct leviathan_fields {
    int wire[GW_LEVIATHAN_ROLES]; /* fields of the packet, by gw_leviathan_role; 0 for items without a field */
    /* The numbers of vectors: x, y, z, w. */
    int position[3];
    int orientation[4];
    int sizes[3];
    /* Containers, undecoded bytes, and generated fields. */
    int ignored_block;
    int message;
    int component;
    int undecoded;
    int not_shown;
    int ack;
    int ignored_ack;
    int acks_not_shown;
    int ack_numbering;
    int ack_numbering_reason;
    int ack_numbering_proof;
    int acks_frame;
    int ack_rtt;
    int acked_in;
    int rtt;
    int response_to;
    int response_in;
    int time;
    int first_send;
    int resend_time;
    int resent_in;
    int duplicate_of;
    int duplicate_in;
    int lost_in;
    int lost_frame;
    int unanswered;
    int nested_size;
} leviathan_fields;

extern int proto_leviathan;
extern leviathan_fields leviathan_hf;

typedef struct leviathan_experts {
    expert_field cut_short;
    expert_field retransmission;
    expert_field duplicate;
    expert_field out_of_order;
    expert_field lost;
    expert_field shows_loss;
    expert_field ack_unseen;
    expert_field request_unseen;
    expert_field faults[GW_LEVIATHAN_FAULTS]; /* by code */
    expert_field odd[GW_LEVIATHAN_ODDS];      /* by the number of the bit */
} leviathan_experts;

extern leviathan_experts leviathan_ei;

typedef struct leviathan_subtrees {
    int protocol;
    int acks;
    int ack;
    int message;
    int nested;
    int component;
} leviathan_subtrees;

extern leviathan_subtrees leviathan_ett;

extern const gw_fault_display leviathan_fault_display;

void leviathan_register_fields(int protocol);

/* True when an item of the packed acks is referenced. */
bool leviathan_asks_for_acks(void);
/* The same for the numbers of vectors. */
bool leviathan_asks_for_vectors(void);

/* Sets the names of message types to those of this revision of the engine. */
void leviathan_name_types(gw_leviathan_revision revision);

#endif
