// SPDX-FileCopyrightText: The Gamewire authors
// SPDX-License-Identifier: GPL-2.0-or-later

/* One end of a connection with the engine's behavior: how it counts, what it acknowledges, how it resends. */
#ifndef LEVIATHAN_CAPTURES_ENGINE_H
#define LEVIATHAN_CAPTURES_ENGINE_H

#include <SFML/Network/Packet.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "messages.h"

enum {
    MOST_MESSAGES = 4,  /* in one datagram of ours; the engine itself sends one */
    MOST_ACKS = 32,     /* DEFAULT_ACKCOUNT: in one packet */
    MOST_ACK_BYTES = 5, /* one more than the engine ever sends */
    MOST_PACKETS = 256  /* of one end in one scenario */
};

/* What the engine and its documentation do not agree on, and what changed with time. */
struct dialect {
    uint32_t ack_offset; /* bit i is packet start + i + this: 0 in the engine, 1 in the documentation */
    bool old_numbering;
};

struct ack_field {
    uint32_t start; /* 0: no acks, and nothing follows */
    uint8_t bytes[MOST_ACK_BYTES];
    size_t size;
};

struct id_list {
    uint32_t ids[MOST_ACK_BYTES * 8];
    size_t count;
};

/* What is done to the bytes after they were written; all zero for nothing. */
struct edit {
    size_t keep;           /* cut off what follows this many bytes */
    size_t at;             /* where `overwrite` begins */
    const char *overwrite; /* hexadecimal, blanks between bytes allowed */
    const char *append;
};

/* What the sender wants in one normal packet. */
struct order {
    const struct message *messages; /* up to MOST_MESSAGES, ended by NO_MESSAGE */
    uint32_t resend;                /* a message number: sends that message again instead */
    bool without_acks;
    bool zero_packet_id;
    bool zero_message_number;
    uint8_t message_count; /* written in place of the true one */
    const char *ack_bytes; /* hexadecimal, in place of the engine's choice */
    uint32_t ack_start;
    struct edit edit;
};

struct datagram {
    sfPacket *packet;
    char *record;          /* members of a JSON object */
    uint32_t packet_id;    /* 0: none */
    uint32_t resend;       /* message number, 0: none */
    uint32_t first_number; /* of its messages */
    uint32_t message_count;
    struct id_list acks;
    unsigned first_frame; /* in which it was captured, 0: not yet */
};

struct sent_message {
    const struct message *message;
    uint32_t response_to;
    unsigned first_frame;
};

struct endpoint {
    struct dialect dialect;
    uint32_t first_packet, next_packet;
    uint32_t first_message, next_message;
    struct datagram sent[MOST_PACKETS];
    struct sent_message sent_messages[MOST_PACKETS];
    uint32_t latest_request[MESSAGE_TYPES];
    struct {
        uint32_t id;
        bool confirmed; /* the peer knows that we have it */
    } received[MOST_PACKETS];
    size_t received_count;
    bool start_at_newest;
    struct datagram tailed; /* the last normal packet and the ack-only blocks after it */
};

void endpoint_start(struct endpoint *endpoint, struct dialect dialect, uint32_t packet, uint32_t message);
void endpoint_free(struct endpoint *endpoint);

/* The next normal packet, owned by the endpoint. */
struct datagram *endpoint_compose(struct endpoint *endpoint, const struct endpoint *peer, const struct order *order);
/* An ack-only packet of `ids`, or of all that waits if that is NULL. */
struct datagram *endpoint_compose_ack_only(struct endpoint *endpoint, const struct id_list *ids, bool clean,
                                           const struct edit *edit);
struct datagram *endpoint_find(struct endpoint *endpoint, uint32_t packet_id);
struct sent_message *endpoint_find_message(struct endpoint *endpoint, uint32_t number);

/* Notes a packet of the peer, and which of our own packets it acknowledges. */
void endpoint_receive(struct endpoint *endpoint, const struct datagram *datagram);
void endpoint_has_received(struct endpoint *endpoint, uint32_t packet_id);

#endif
