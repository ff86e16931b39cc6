/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The declarations that Leviathan's files share: a part for each file, in the order in which they use each other.
 */
#ifndef GAMEWIRE_PLUGIN_LEVIATHAN_INTERNAL_H
#define GAMEWIRE_PLUGIN_LEVIATHAN_INTERNAL_H

#include "common/compat.h"

#include <gamewire/leviathan.h>

#include "common/archive.h"
#include "common/display/demand.h"
#include "common/display/experts.h"

/* ==== facts.c =========================================================================================== */

/* The content of one datagram, collected from the codec's events: the input of the analysis and of the statistics. */

typedef struct leviathan_message_facts {
    uint32_t number;
    uint32_t response_to;                  /* 0 for requests */
    uint32_t length;                       /* header and fields; 0 if the message could not be read completely */
    uint32_t content;                      /* hash of these bytes */
    uint8_t kind;                          /* GW_LEVIATHAN_REQUEST or GW_LEVIATHAN_RESPONSE */
    const gw_leviathan_message_type *type; /* NULL: unknown */
} leviathan_message_facts;

/* A datagram. The ack-only blocks after a packet, which the engine ignores, are not among its acks. */
typedef struct leviathan_facts {
    bool is_packet; /* its packet type is known */
    bool ack_only;
    uint32_t packet_id; /* 0 for an ack-only packet */
    uint32_t content;   /* hash of the packet, without ack-only blocks after it; 0: it could not be read completely */
    uint32_t start_ack;
    const uint8_t *acks; /* ack bits, or the ids of an ack-only packet */
    uint32_t acks_offset;
    uint32_t acks_length; /* bytes */
    uint32_t message_count;
    leviathan_message_facts *messages; /* in the packet's memory */
} leviathan_facts;

/* Adds an event that `reader` has just returned; called for each event, in order. */
void leviathan_add_to_facts(leviathan_facts *facts, packet_info *pinfo, const gw_leviathan_reader *reader,
                            const gw_leviathan_event *event);

/* The packet ids that a datagram acknowledges, one after the other. */
typedef struct leviathan_acked_ids {
    gw_leviathan_acks bits;
    const uint8_t *ids; /* of an ack-only packet; NULL: bits */
    uint32_t left;      /* of the ids */
} leviathan_acked_ids;

/* Begins to read the acknowledged ids; `reading`: of ack bits. */
leviathan_acked_ids leviathan_acked_ids_of(const leviathan_facts *facts, gw_leviathan_ack_reading reading);
/* False at the end; else sets `id`. */
bool leviathan_next_acked_id(leviathan_acked_ids *acked, uint32_t *id);

/* ==== analysis.c ======================================================================================== */

/* Analysis across packets: responses, acknowledgements, retransmissions and losses. Input are facts, output are
 * findings; nothing is displayed here.
 *
 * The findings of a datagram are created when it is dissected for the first time, in the order of the capture, and kept
 * in file scope; after the first pass nothing is written. Relations to earlier frames, such as the request of a
 * response, are in the findings at once and do not change. Relations to later frames, such as the frame of the
 * acknowledgement, are added when that frame is dissected for the first time.
 *
 * Memory is proportional to the traffic: about 120 bytes for each packet of the recorded session (measured on Wireshark
 * 4.0 with 2,000 such sessions). A message takes some 24 bytes (16 bytes and a pointer) and has at least 7 bytes in the
 * packet; a packet has at most 255 messages. */

typedef struct leviathan_findings leviathan_findings;
typedef struct leviathan_session leviathan_session;

/* One send of a message. leviathan_findings_of() is the datagram that carries it; other sends are found by their numbers:
 * leviathan_find_first_send(), leviathan_find_request(). */
typedef struct leviathan_sent {
    /* Of the first send only, frames: */
    uint32_t response;       /* the first response to it */
    uint32_t resend;         /* the first resend */
    uint32_t content;        /* as in leviathan_message_facts */
    uint8_t kind;            /* GW_LEVIATHAN_REQUEST or GW_LEVIATHAN_RESPONSE */
    uint8_t id;              /* of its gw_leviathan_message_type; LEVIATHAN_UNKNOWN_TYPE */
    uint8_t index;           /* in its datagram */
    bool is_first : 1;       /* no message with this number was sent before */
    bool is_resend : 1;      /* the message was sent before, with a lower packet id */
    bool is_other : 1;       /* the first send of this number is another message */
    bool has_request : 1;    /* of responses: the request was captured before */
    bool request_unseen : 1; /* the peer did not send the request, as far as was captured */
} leviathan_sent;

#define LEVIATHAN_UNKNOWN_TYPE 0xFF

/* One datagram. Frames are 0 for none. */
struct leviathan_findings {
    int64_t time; /* gw_nanoseconds() */
    leviathan_session *session;
    const leviathan_findings *acked_in[2]; /* first ack, by gw_leviathan_ack_reading */
    uint32_t frame;
    uint32_t packet_id;
    uint32_t content; /* as in leviathan_facts */
    uint32_t same_as; /* frame of the first packet with this id, or with the same acks if it is ack-only; for that one,
                         frame of its first duplicate */
    uint32_t lost_in; /* frame by which the engine counts this datagram as lost */
    uint8_t side;     /* of the sender, 0 or 1 */
    uint8_t message_count;
    bool is_duplicate : 1; /* of the packet in `same_as` */
    bool is_other : 1;     /* than the packet in `same_as`: other bytes */
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

/* The findings of the datagram with this key (gw_datagram_key()) in its frame; created on the first pass. NULL for
 * datagrams that are not traffic (quoted by an ICMP error) or not packets. */
const leviathan_findings *leviathan_analyze(packet_info *pinfo, int protocol, uint32_t key,
                                            leviathan_acks_choice choice, const leviathan_facts *facts);

/* On the first pass, for a packet with evidence. Before a conversation is found, packets are candidates: if they are in
 * the series of the packet that proves it, they are dissected on the second pass, and analyzed on the first one for that.
 * `series` is the first frame of the packet's series, 0 for none; sessions of candidates of another series are dropped. */
void leviathan_keep_series(packet_info *pinfo, int protocol, uint32_t series, bool is_found);

/* The first send of the message with this index in the datagram; `number`: of the message. */
const leviathan_sent *leviathan_find_first_send(const leviathan_findings *findings, uint32_t index, uint32_t number);

/* The first send of the request that the message with this index answers; `response_to`: as in the message. NULL: it is not
 * a response, or the request was not captured before it. */
const leviathan_sent *leviathan_find_request(const leviathan_findings *findings, uint32_t index, uint32_t response_to);

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

/* ==== fields.c ========================================================================================== */

/* The fields and expert infos of the Leviathan dissector. */

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
    int json;
} leviathan_fields;

extern int proto_leviathan;
extern leviathan_fields leviathan_hf;

typedef struct leviathan_experts {
    expert_field cut_short;
    expert_field unread;
    expert_field retransmission;
    expert_field duplicate;
    expert_field number_reused;
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

/* Sets the names of message types to those of this revision of the engine. */
void leviathan_name_types(gw_leviathan_revision revision);

/* ==== tree.c ============================================================================================ */

/* The codec's events as items of the tree, with expert infos for oddities. */

/* The items of one datagram. If none of them is referenced, all are NULL; expert infos are added in any case. */
typedef struct leviathan_tree {
    tvbuff_t *tvb;
    packet_info *pinfo;
    const gw_leviathan_reader *reader;
    gw_demand *demand;
    proto_tree *protocol;                  /* the protocol's subtree, which may have no other items; or NULL */
    proto_tree *trees[GW_LEVIATHAN_DEPTH]; /* by depth: the parent of items of that depth */
    proto_item *acks;                      /* packed acks, or the ids of an ack-only packet */
    proto_tree **messages;                 /* subtrees of the messages whose header was read; NULL: none */
    uint32_t message_count;
    uint32_t ignored_blocks;
    uint32_t hidden; /* depth plus 1 of the items that are no longer shown; 0: everything is shown */
    uint8_t odd_counts[32];
} leviathan_tree;

/* Adds an event; call it for each event, in order. */
void leviathan_tree_add(leviathan_tree *state, const gw_leviathan_event *event);

/* The item for an expert info on `item`: the protocol's item if `item` was not added. */
static inline proto_item *leviathan_expert_item(const leviathan_tree *state, proto_item *item)
{
    return item ? item : proto_tree_get_parent(state->protocol);
}

/* "Acks: 1001-1003", of `count` big-endian ids. */
void leviathan_label_ids(proto_item *item, const uint8_t *ids, uint32_t count);

/* ==== findings.c ======================================================================================== */

/* The analysis' findings as generated items and expert infos of a datagram's tree. */

/* Call it after the datagram's events. `findings` may be NULL. */
void leviathan_findings_add(const leviathan_tree *state, const leviathan_facts *facts,
                            const leviathan_findings *findings, leviathan_acks_choice choice);

/* ==== json.c ============================================================================================ */

/* The messages of a datagram as values of leviathan.json: only if the field is named. */
typedef struct leviathan_json leviathan_json;

/* In packet scope. `reader` is the reader of the events that will be added. */
leviathan_json *leviathan_json_new(packet_info *pinfo, tvbuff_t *tvb, const gw_leviathan_reader *reader);
/* Adds an event; call it for each event, in order. */
void leviathan_json_add(leviathan_json *json, const gw_leviathan_event *event);
/* Adds the messages to the protocol's subtree. `findings` may be NULL. `first_finding`: of the datagram, in the packet. */
void leviathan_json_end(leviathan_json *json, proto_tree *tree, const leviathan_facts *facts,
                        const leviathan_findings *findings, unsigned first_finding);

/* ==== statistics.c ====================================================================================== */

/* Leviathan's statistics: -z leviathan,tree, -z leviathan,srt, -z flow,leviathan,network. */

/* Data of the tap "leviathan" for each message. */
typedef struct leviathan_tap_message {
    const char *name; /* "Unknown" for unknown types */
    bool is_request;
    bool is_resend;
    uint32_t number;        /* of the message */
    uint32_t length;        /* bytes */
    bool has_response_time; /* the first response to a captured request */
    uint8_t request_id;     /* with has_response_time: the id of the request's type */
    nstime_t request_time;  /* with has_response_time: when the request was first sent */
} leviathan_tap_message;

/* Data of the tap "leviathan" for each datagram. */
typedef struct leviathan_tap_packet {
    bool is_packet; /* its packet type is known */
    bool is_ack_only;
    bool is_duplicate;
    uint32_t message_count;
    leviathan_tap_message *messages;
} leviathan_tap_packet;

/* Follow Stream, which shows the lines of messages: gw_follow_line(). */
extern int leviathan_follow_tap;

/* Call at registration of the protocol. */
void leviathan_register_statistics(int protocol);
/* Call it for each datagram that was dissected, of `length` bytes. `findings` may be NULL. */
void leviathan_tap(packet_info *pinfo, uint32_t length, const leviathan_facts *facts,
                   const leviathan_findings *findings, leviathan_acks_choice choice);

#endif
