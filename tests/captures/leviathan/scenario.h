// SPDX-FileCopyrightText: The Gamewire authors
// SPDX-License-Identifier: GPL-2.0-or-later

/* A scenario is a table of steps; each capture is one scenario played over loopback. */
#ifndef LEVIATHAN_CAPTURES_SCENARIO_H
#define LEVIATHAN_CAPTURES_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "engine.h"

enum {
    SERVER_PORT = 53221, /* the one that the engine's Pong sets for its server */
    FIRST_CLIENT_PORT = 40001,
    MOST_CONVERSATIONS = 2,
    FIRST_PACKET = 1001 /* PACKET_NUMBERING_OFFSET + 1 */
};

enum side { CLIENT, SERVER };

enum action {
    ACTION_SEND,
    ACTION_RESEND,   /* message `number` in a new packet */
    ACTION_REPEAT,   /* the network delivers packet `number` a second time */
    ACTION_RELEASE,  /* the network delivers packet `number`, held back before */
    ACTION_ACK_ONLY, /* twice, as the engine sends it */
    ACTION_SKIP      /* `number` packet ids are used up outside the capture */
};

/* What happens to a packet on its way, and how it differs from the engine's behavior. */
enum {
    VANISH = 1 << 0,      /* lost before the capture sees it */
    LOST = 1 << 1,        /* captured, but lost before the peer has it */
    HOLD = 1 << 2,        /* delivered by a later ACTION_RELEASE */
    NO_ACKS = 1 << 3,     /* the server's hello: sent before it looks at the client's packet */
    CLEAN = 1 << 4,       /* ack-only without the packet before it */
    ONCE = 1 << 5,        /* ack-only, not twice */
    OWN_IDS = 1 << 6,     /* ack-only of the step's ids */
    ZERO_PACKET = 1 << 7, /* packet id 0 */
    ZERO_MESSAGE = 1 << 8 /* message number 0 */
};

struct step {
    enum action action;
    enum side sender;
    unsigned conversation;
    unsigned delay_ms; /* before it */
    unsigned flags;
    struct message messages[MOST_MESSAGES];
    uint32_t number;
    struct id_list ids;
    uint32_t ack_start;
    const char *ack_bytes;
    uint8_t message_count;
    struct edit edit;
    const char *label; /* NULL: the names of its messages */
    const char *fault; /* what is wrong with it */
    const char *note;
};

#define FROM(side, delay) .sender = (side), .delay_ms = (delay)
#define MESSAGES(...)     .messages = { __VA_ARGS__ }

/* The state of one side when the capture begins. */
struct standing {
    uint32_t next_packet, next_message;
    uint32_t received_from, received_to; /* ids of the peer's packets that it has not acknowledged yet */
};

struct scenario {
    const char *name;
    const struct step *steps;
    size_t step_count;
    struct dialect dialect;
    bool ipv6;
    struct standing standing[MOST_CONVERSATIONS][2]; /* by side; zeros: packet 1001, message 1 */
};

#define STEPS(table) .steps = (table), .step_count = sizeof(table) / sizeof((table)[0])

extern const struct scenario session_scenario;
extern const struct scenario documented_acks_scenario;
extern const struct scenario every_message_scenario;
extern const struct scenario ipv6_scenario;
extern const struct scenario two_clients_scenario;
extern const struct scenario mid_conversation_scenario;
extern const struct scenario old_numbering_scenario;
extern const struct scenario malformed_scenario;

/* Sends it all and writes one line of JSON per datagram. */
void scenario_play(const struct scenario *scenario, FILE *out);

#endif
