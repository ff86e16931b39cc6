/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What happened to Leviathan's packets and messages: who answered whom, what acknowledged what, what was sent
 * again. Apart from display: facts go in, findings come out.
 *
 * The first time that a packet is dissected, in the order of the capture, its facts are kept; after that
 * nothing is written any more. A finding that looks back (which request is this the response to?) is the same
 * at any time; one that looks ahead (in which frame was this acknowledged?) is there as soon as that frame
 * has been dissected.
 */
#ifndef GAMEWIRE_PLUGIN_LEVIATHAN_ANALYSIS_H
#define GAMEWIRE_PLUGIN_LEVIATHAN_ANALYSIS_H

#include "common/compat.h"

#include <gamewire/leviathan.h>

/* A message as the packet says it. */
typedef struct leviathan_message_facts {
    uint32_t number;
    uint32_t response_to;
    uint8_t kind; /* GW_LEVIATHAN_REQUEST or GW_LEVIATHAN_RESPONSE */
    uint8_t id;   /* of gw_leviathan_message_type, or LEVIATHAN_UNKNOWN_MESSAGE */
} leviathan_message_facts;

#define LEVIATHAN_UNKNOWN_MESSAGE 0xFF

/* A packet; the ack-only blocks that the engine ignores are not among its acks. */
typedef struct leviathan_packet_facts {
    bool ack_only;
    uint32_t packet_id; /* 0 in an ack only packet */
    uint32_t start_ack;
    const uint8_t *acks;  /* packed, or the ids of an ack only packet */
    uint32_t acks_length; /* bytes */
    const leviathan_message_facts *messages;
    uint32_t message_count;
} leviathan_packet_facts;

/* How to read ack bits. */
typedef enum leviathan_numbering_choice {
    LEVIATHAN_ACKS_ENGINE,
    LEVIATHAN_ACKS_DOCUMENTATION,
    LEVIATHAN_ACKS_AUTOMATIC
} leviathan_numbering_choice;

/* Where a packet stands: what the findings are asked of. */
typedef struct leviathan_place {
    struct leviathan_session *session;  /* NULL: not analysed */
    const struct leviathan_record *own; /* what was kept of it */
    uint32_t frame;
    uint8_t side; /* of the sender, 0 or 1 */
    leviathan_numbering_choice choice;
    const leviathan_packet_facts *facts;
} leviathan_place;

void leviathan_analyse(leviathan_place *place, packet_info *pinfo, int protocol, leviathan_numbering_choice choice,
                       const leviathan_packet_facts *facts);

typedef enum leviathan_ack_reason {
    LEVIATHAN_ACKS_CHOSEN,  /* by the preference */
    LEVIATHAN_ACKS_ASSUMED, /* the engine's: nothing speaks for the other */
    LEVIATHAN_ACKS_PROVED
} leviathan_ack_reason;

typedef struct leviathan_numbering_finding {
    gw_leviathan_ack_reading reading;
    leviathan_ack_reason reason;
    uint32_t proof; /* frame */
} leviathan_numbering_finding;

leviathan_numbering_finding leviathan_find_numbering(const leviathan_place *place);

/* Frames are 0 for "none". */
typedef struct leviathan_packet_findings {
    uint32_t duplicate_of;
    uint32_t duplicate_in;
    uint32_t acked_in;
    uint32_t passed_over_in;
    nstime_t rtt; /* valid with acked_in */
    bool out_of_order;
} leviathan_packet_findings;

void leviathan_find_packet(const leviathan_place *place, leviathan_packet_findings *findings);

typedef struct leviathan_message_findings {
    uint32_t first_send; /* of which this is a resend */
    uint32_t resent_in;
    uint32_t request_in;
    uint32_t response_in;
    uint8_t request_id;   /* with request_in: the request's type */
    bool first_response;  /* with request_in: none before this one */
    bool request_unseen;  /* the peer has not sent such a request, as far as was captured */
    nstime_t resend_time; /* valid with first_send */
    nstime_t time;        /* valid with request_in */
} leviathan_message_findings;

void leviathan_find_message(const leviathan_place *place, const leviathan_message_facts *message,
                            leviathan_message_findings *findings);

typedef struct leviathan_ack_findings {
    uint32_t frame; /* of the packet that is acknowledged */
    bool first;     /* nothing acknowledged it before */
    bool unseen;    /* the peer has not sent such a packet, as far as was captured */
    nstime_t rtt;   /* valid with first */
} leviathan_ack_findings;

void leviathan_find_ack(const leviathan_place *place, uint32_t packet_id, leviathan_ack_findings *findings);

/* The peer's packets that this one's acks show to be lost: the frame of each, one a call, and 0 behind the
 * last. `position` begins at 0. */
uint32_t leviathan_next_passed_over(const leviathan_place *place, uint32_t *position);

#endif
