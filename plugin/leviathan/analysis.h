/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Analysis across packets: responses, acknowledgements, retransmissions and losses. Input are facts, output are
 * findings; nothing is displayed here.
 *
 * The findings of a datagram are created when it is dissected for the first time, in the order of the capture, and kept
 * in file scope; after the first pass nothing is written. Relations to earlier frames, such as the request of a
 * response, are in the findings at once and do not change. Relations to later frames, such as the frame of the
 * acknowledgement, are added when that frame is dissected for the first time.
 *
 * Memory is proportional to the traffic: about 240 bytes for each packet of the recorded session (measured on Wireshark
 * 4.0). A message takes 96 bytes (32 bytes and an entry of a map) and has at least 7 bytes in the packet; a packet has
 * at most 255 messages.
 */
#ifndef GAMEWIRE_PLUGIN_LEVIATHAN_ANALYSIS_H
#define GAMEWIRE_PLUGIN_LEVIATHAN_ANALYSIS_H

#include "common/compat.h"

#include "facts.h"

typedef struct leviathan_findings leviathan_findings;
typedef struct leviathan_session leviathan_session;

/* One send of a message. leviathan_findings_of() is the datagram that carries it. */
typedef struct leviathan_sent {
    struct leviathan_sent *first;         /* the first send of this message, which may be this one */
    const struct leviathan_sent *request; /* of responses: the first send of the request; NULL: not captured */
    /* Of the first send only, frames: */
    uint32_t response; /* the first response to it */
    uint32_t resend;   /* the first resend */
    uint32_t number;
    uint8_t kind;            /* GW_LEVIATHAN_REQUEST or GW_LEVIATHAN_RESPONSE */
    uint8_t id;              /* of its gw_leviathan_message_type; LEVIATHAN_UNKNOWN_TYPE */
    uint8_t index;           /* in its datagram */
    bool is_resend : 1;      /* the message was sent before, with a lower packet id */
    bool request_unseen : 1; /* the peer did not send the request, as far as was captured */
} leviathan_sent;

#define LEVIATHAN_UNKNOWN_TYPE 0xFF

/* One datagram. Frames are 0 for none. */
struct leviathan_findings {
    nstime_t time;
    leviathan_session *session;
    const leviathan_findings *acked_in[2]; /* first ack, by gw_leviathan_ack_reading */
    uint32_t frame;
    uint32_t order; /* in the session, from 1 */
    uint32_t packet_id;
    uint32_t duplicate; /* frame of the first such datagram; for that one, frame of the first duplicate */
    uint32_t lost_in;   /* frame by which the engine counts this datagram as lost */
    uint8_t side;       /* of the sender, 0 or 1 */
    uint8_t message_count;
    bool is_duplicate : 1;
    bool out_of_order : 1;
    bool lost_by_acks : 1; /* with lost_in: a much later packet was confirmed; else the time limit was exceeded */
    uint8_t unseen_acks;   /* bits by gw_leviathan_ack_reading: it acknowledges packets that the peer did not send */
    leviathan_sent messages[];
};

/* A message is stored inside its datagram's findings, without a pointer to it, which would be a fifth of its size. */
static inline const leviathan_findings *leviathan_findings_of(const leviathan_sent *sent)
{
    const void *messages = sent - sent->index;
    return (const leviathan_findings *)((uintptr_t)messages - offsetof(leviathan_findings, messages));
}

/* How ack bits are decoded. */
typedef enum leviathan_acks_choice {
    LEVIATHAN_ACKS_ENGINE,
    LEVIATHAN_ACKS_DOCUMENTATION,
    LEVIATHAN_ACKS_AUTOMATIC
} leviathan_acks_choice;

/* Call once, at registration of the protocol. */
void leviathan_register_analysis(void);

/* The findings of the datagram with this key (gw_datagram_key()) in its frame; created on the first pass. NULL for
 * datagrams that are not traffic (quoted by an ICMP error) or not packets. */
const leviathan_findings *leviathan_analyze(packet_info *pinfo, int protocol, uint32_t key,
                                            leviathan_acks_choice choice, const leviathan_facts *facts);

/* On the first pass, for a packet with evidence. Before a conversation is found, packets are candidates: if they are in
 * the row of the packet that proves it, they are dissected on the second pass, and analyzed on the first one for that.
 * `row` is the first frame of the packet's row, 0 for none; sessions of candidates of another row are dropped. */
void leviathan_keep_row(packet_info *pinfo, int protocol, uint32_t row, bool is_found);

typedef enum leviathan_ack_reason {
    LEVIATHAN_ACKS_CHOSEN,  /* by the preference */
    LEVIATHAN_ACKS_ASSUMED, /* the engine's reading, without evidence for the other */
    LEVIATHAN_ACKS_PROVED
} leviathan_ack_reason;

typedef struct leviathan_reading {
    gw_leviathan_ack_reading reading;
    leviathan_ack_reason reason;
    uint32_t proof; /* frame; 0 unless proved */
} leviathan_reading;

/* `findings` may be NULL. */
leviathan_reading leviathan_find_reading(const leviathan_findings *findings, leviathan_acks_choice choice);

/* The first ack of a datagram; NULL: none. */
const leviathan_findings *leviathan_find_first_ack(const leviathan_findings *findings);

/* True if leviathan_find_ack() returns `unseen` for one of the datagram's acks. */
bool leviathan_has_unseen_acks(const leviathan_findings *findings);

typedef struct leviathan_ack {
    const leviathan_findings *packet; /* the acknowledged packet; NULL: not captured */
    bool first;                       /* no earlier datagram acknowledged it */
    bool unseen;                      /* the peer did not send such a packet, as far as was captured */
} leviathan_ack;

/* The packet that `findings` acknowledges, and the result of the analysis. */
leviathan_ack leviathan_find_ack(const leviathan_findings *findings, uint32_t packet_id);

/* The packets, of either side, that the engine counts as lost at this datagram: returns one per call, then NULL.
 * Initialize `position` to 0. */
const leviathan_findings *leviathan_next_lost(const leviathan_findings *findings, uint32_t *position);

#endif
