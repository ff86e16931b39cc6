/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The content of one datagram, collected from the codec's events: the input of the analysis and of the statistics.
 */
#ifndef GAMEWIRE_PLUGIN_LEVIATHAN_FACTS_H
#define GAMEWIRE_PLUGIN_LEVIATHAN_FACTS_H

#include "common/compat.h"

#include <gamewire/leviathan.h>

typedef struct leviathan_message_facts {
    uint32_t number;
    uint32_t response_to;                  /* 0 for requests */
    uint32_t length;                       /* header and fields; 0 if the message could not be read completely */
    uint8_t kind;                          /* GW_LEVIATHAN_REQUEST or GW_LEVIATHAN_RESPONSE */
    const gw_leviathan_message_type *type; /* NULL: unknown */
} leviathan_message_facts;

/* A datagram. The ack-only blocks after a packet, which the engine ignores, are not among its acks. */
typedef struct leviathan_facts {
    bool is_packet; /* its packet type is known */
    bool ack_only;
    uint32_t packet_id; /* 0 for an ack-only packet */
    uint32_t start_ack;
    const uint8_t *acks; /* ack bits, or the ids of an ack-only packet */
    uint32_t acks_offset;
    uint32_t acks_length; /* bytes */
    uint32_t message_count;
    leviathan_message_facts *messages; /* in the packet's memory */
} leviathan_facts;

/* Adds an event; call it for each event, in order. */
void leviathan_facts_add(leviathan_facts *facts, packet_info *pinfo, const gw_leviathan_reader *reader,
                         const gw_leviathan_event *event);

/* True when the datagram acknowledges this packet. */
bool leviathan_acknowledges(const leviathan_facts *facts, gw_leviathan_ack_reading reading, uint32_t packet_id);

/* Iterates over the packet ids that the datagram acknowledges. */
typedef struct leviathan_acked_ids {
    gw_leviathan_acks bits;
    const uint8_t *ids; /* of an ack-only packet; NULL: bits */
    uint32_t left;      /* of the ids */
} leviathan_acked_ids;

leviathan_acked_ids leviathan_acks_of(const leviathan_facts *facts, gw_leviathan_ack_reading reading);
bool leviathan_next_acked(leviathan_acked_ids *ids, uint32_t *id);

/* True for the first message of a connection: a request Connect with the number 1. */
bool leviathan_is_hello(const leviathan_facts *facts);
/* True when one of the messages closes the connection. */
bool leviathan_is_closing(const leviathan_facts *facts);

#endif
