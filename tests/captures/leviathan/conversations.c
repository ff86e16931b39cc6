// SPDX-FileCopyrightText: The Gamewire authors
// SPDX-License-Identifier: GPL-2.0-or-later

/* Short sessions that differ in one thing from the engine's whole one. */

#include "openings.h"

// A table reads better with its own line breaks.
// clang-format off

/*
 * Acks numbered as the documentation has it: bit i is packet start + i + 1. What proves it is a packet that
 * never came: the engine's reading takes the bit after the gap for the gap.
 */
static const struct step documented_acks_steps[] = {
    OPENING(0),
    {FROM(SERVER, 5), .action = ACTION_ACK_ONLY, .flags = CLEAN | OWN_IDS | ONCE,
     .ids = {.ids = {1}, .count = 1}, .label = "clean ack-only of packet 1",
     .note = "no ack field can name packet 1: its start would be 0"},
    SECURITY(0),
    AUTHENTICATION(0),
    {FROM(SERVER, 20), .flags = VANISH, MESSAGES(BARE(RESPONSE_KEEPALIVE))},
    {FROM(SERVER, 20), MESSAGES(MESSAGE(RESPONSE_START_WORLD_RECEIVE, INT(3), INT(1024), TEXT(""))),
     .note = "server's packet 5 was lost before the capture"},
    {FROM(CLIENT, 25), MESSAGES(BARE(REQUEST_ECHO)),
     .note = "acknowledges packet 6; start + index would name packet 5, which nobody sent"},
    {FROM(SERVER, 25), MESSAGES(BARE_ANSWER(RESPONSE_NONE, REQUEST_ECHO))},
    {FROM(CLIENT, 25), .flags = VANISH, MESSAGES(BARE(RESPONSE_KEEPALIVE))},
    {FROM(CLIENT, 25), .flags = VANISH, MESSAGES(BARE(RESPONSE_KEEPALIVE))},
    {FROM(CLIENT, 25), MESSAGES(MESSAGE(REQUEST_JOIN_SERVER, INT(-1))),
     .note = "client's packets 6 and 7 were lost before the capture"},
    {FROM(SERVER, 25),
     MESSAGES(ANSWER(RESPONSE_SERVER_ALLOW, REQUEST_JOIN_SERVER, INT(0), TEXT("Allowed, ID: 2"))),
     .note = "acknowledges packet 8; start + index would name packet 7, which nobody sent"},
    {FROM(SERVER, 25), MESSAGES(ENTITY_UPDATE(40, -1, 5, 1.0f, 0.0f, 0.0f))},
    {FROM(SERVER, 25), .flags = VANISH, MESSAGES(ENTITY_UPDATE(41, -1, 5, 2.0f, 0.0f, 0.0f))},
    {FROM(SERVER, 25), MESSAGES(ENTITY_UPDATE(42, -1, 5, 3.0f, 0.0f, 0.0f))},
    {FROM(SERVER, 25), .flags = VANISH, MESSAGES(ENTITY_UPDATE(43, -1, 5, 4.0f, 0.0f, 0.0f))},
    {FROM(SERVER, 25), MESSAGES(ENTITY_UPDATE(44, -1, 5, 5.0f, 0.0f, 0.0f))},
    {FROM(CLIENT, 25), MESSAGES(BARE(RESPONSE_KEEPALIVE)), .note = "two gaps in one ack field"},
    {FROM(SERVER, 25), MESSAGES(ENTITY_UPDATE(45, -1, 5, 6.0f, 0.0f, 0.0f))},
    {FROM(CLIENT, 25), MESSAGES(BARE(REQUEST_ECHO))},
    {FROM(SERVER, 25), MESSAGES(BARE_ANSWER(RESPONSE_NONE, REQUEST_ECHO))},
    CLOSING(0),
};

const struct scenario documented_acks_scenario = {
    .name = "session-documented-acks",
    STEPS(documented_acks_steps),
    .dialect = {.ack_offset = 1},
    .standing = {{{.next_packet = 1}, {.next_packet = 1}}},
};

static const struct step ipv6_steps[] = {
    OPENING(0),
    SECURITY(0),
    AUTHENTICATION(0),
    {FROM(CLIENT, 20), MESSAGES(BARE(REQUEST_ECHO))},
    {FROM(SERVER, 20), MESSAGES(BARE_ANSWER(RESPONSE_NONE, REQUEST_ECHO))},
    CLOSING(0),
};

const struct scenario ipv6_scenario = {.name = "ipv6", STEPS(ipv6_steps), .ipv6 = true};

/* Both clients count from the same numbers, so nothing but the conversation tells them apart. */
static const struct step two_clients_steps[] = {
    OPENING(0),
    OPENING(1),
    {FROM(CLIENT, 5), .conversation = 1, MESSAGES(MESSAGE(REQUEST_SECURITY, INT(1), TEXT(""), TEXT("")))},
    {FROM(CLIENT, 5), .conversation = 0, MESSAGES(MESSAGE(REQUEST_SECURITY, INT(1), TEXT(""), TEXT("")))},
    {FROM(SERVER, 15), .conversation = 0,
     MESSAGES(ANSWER(RESPONSE_SECURITY, REQUEST_SECURITY, INT(1), TEXT(""), TEXT("")))},
    {FROM(SERVER, 15), .conversation = 1,
     MESSAGES(ANSWER(RESPONSE_SECURITY, REQUEST_SECURITY, INT(1), TEXT(""), TEXT("")))},
    {FROM(CLIENT, 10), .conversation = 0, .flags = LOST,
     MESSAGES(MESSAGE(REQUEST_AUTHENTICATE, TEXT("player"), U64(0), TEXT("")))},
    {FROM(CLIENT, 10), .conversation = 1,
     MESSAGES(MESSAGE(REQUEST_AUTHENTICATE, TEXT("player"), U64(0), TEXT("")))},
    {FROM(SERVER, 30), .conversation = 1,
     MESSAGES(ANSWER(RESPONSE_AUTHENTICATE, REQUEST_AUTHENTICATE, INT(0), U64(0)))},
    {FROM(CLIENT, 1010), .conversation = 0, .action = ACTION_RESEND, .number = 4,
     .label = "first client authenticates again",
     .note = "the second client's message 4 has long been answered; this one's has not"},
    {FROM(SERVER, 20), .conversation = 0,
     MESSAGES(ANSWER(RESPONSE_AUTHENTICATE, REQUEST_AUTHENTICATE, INT(0), U64(0)))},
    {FROM(CLIENT, 20), .conversation = 1, MESSAGES(BARE(REQUEST_ECHO))},
    {FROM(CLIENT, 20), .conversation = 0, MESSAGES(BARE(REQUEST_ECHO))},
    {FROM(SERVER, 20), .conversation = 1, MESSAGES(BARE_ANSWER(RESPONSE_NONE, REQUEST_ECHO))},
    {FROM(SERVER, 20), .conversation = 0, MESSAGES(BARE_ANSWER(RESPONSE_NONE, REQUEST_ECHO))},
    CLOSING(1),
    CLOSING(0),
};

const struct scenario two_clients_scenario = {.name = "two-clients", STEPS(two_clients_steps)};

#define TICK(tick) \
    {FROM(SERVER, 2), MESSAGES(ENTITY_UPDATE(tick, -1, (tick) % 100, 1.0f, 2.0f, (float)(tick)))}
#define SIX_TICKS(tick) \
    TICK(tick), TICK((tick) + 1), TICK((tick) + 2), TICK((tick) + 3), TICK((tick) + 4), TICK((tick) + 5)

static const struct step mid_conversation_steps[] = {
    {FROM(CLIENT, 0), MESSAGES(ENTITY_UPDATE(8999, -1, 4, 1.0f, 1.0f, 1.0f)),
     .note = "acknowledges only packets from before the capture"},
    {FROM(SERVER, 20), MESSAGES({.type = RESPONSE_NONE, .response_to = 3898}),
     .note = "the request was sent before the capture"},
    SIX_TICKS(9000), SIX_TICKS(9006), SIX_TICKS(9012), SIX_TICKS(9018), SIX_TICKS(9024), SIX_TICKS(9030),
    {FROM(CLIENT, 20), MESSAGES(BARE(REQUEST_ECHO)),
     .note = "more than 32 acks wait; every second packet begins within the newest 32"},
    {FROM(CLIENT, 20), MESSAGES(ENTITY_UPDATE(9036, -1, 4, 1.0f, 1.0f, 2.0f)),
     .note = "and this one begins with the oldest that waits"},
    {FROM(SERVER, 20), MESSAGES(BARE_ANSWER(RESPONSE_NONE, REQUEST_ECHO))},
    {FROM(CLIENT, 20), MESSAGES(BARE(RESPONSE_KEEPALIVE))},
    {FROM(SERVER, 20), MESSAGES(ENTITY_UPDATE(9040, -1, 4, 1.0f, 1.0f, 3.0f))},
    {FROM(CLIENT, 20), MESSAGES(ENTITY_UPDATE(9041, -1, 4, 1.0f, 1.0f, 4.0f))},
};

const struct scenario mid_conversation_scenario = {
    .name = "mid-conversation",
    STEPS(mid_conversation_steps),
    .standing = {{
        [CLIENT] = {.next_packet = 5003, .next_message = 3900, .received_from = 7246, .received_to = 7249},
        [SERVER] = {.next_packet = 7250, .next_message = 6200, .received_from = 4998, .received_to = 5002},
    }},
};

/* Request 10 and response 18 did not exist yet, so what follows them had other numbers. */
static const struct step old_numbering_steps[] = {
    OPENING(0),
    {FROM(CLIENT, 5), .action = ACTION_ACK_ONLY, .flags = CLEAN, .label = "clean ack-only",
     .note = "as the code of 2017-04-09 to 2017-07-14 sent it, after packets too"},
    SECURITY(0),
    AUTHENTICATION(0),
    {FROM(CLIENT, 20), MESSAGES(MESSAGE(REQUEST_GET_SINGLE_SYNC_VALUE, TEXT("MaxScore")))},
    {FROM(CLIENT, 20), MESSAGES(BARE(REQUEST_GET_ALL_SYNC_VALUES))},
    {FROM(CLIENT, 20), MESSAGES(MESSAGE(REQUEST_CONNECT_INPUT, BYTES("\x00\x01\x02\x03")))},
    {FROM(CLIENT, 20), MESSAGES(BARE(REQUEST_ECHO))},
    {FROM(SERVER, 20), MESSAGES(BARE_ANSWER(RESPONSE_NONE, REQUEST_ECHO))},
    {FROM(CLIENT, 20), MESSAGES(MESSAGE(REQUEST_WORLD_CLOCK_SYNC, INT(3), INT(77), INT(-12), INT(1)))},
    {FROM(SERVER, 20), MESSAGES(MESSAGE(RESPONSE_OLD_ENTITY_CREATION, INT(3), BYTES("\xca\xfe\xf0\x0d"))),
     .note = "before 2018-11-30: a world and one nested packet"},
    {FROM(SERVER, 20), MESSAGES(ENTITY_UPDATE(12, -1, 9, 1.0f, 2.0f, 3.0f))},
    {FROM(SERVER, 20), MESSAGES(MESSAGE(RESPONSE_OLD_ENTITY_CONSTRAINT, INT(3), INT(1), INT(21), INT(9),
                                        INT(10), INT(2), BYTES("\x11\x22\x33"))),
     .note = "gone since 2018-10-30"},
    {FROM(SERVER, 20), MESSAGES(MESSAGE(RESPONSE_CACHE_REMOVED, TEXT("MaxScore")))},
    {FROM(SERVER, 20), MESSAGES(MESSAGE(RESPONSE_WORLD_FROZEN, INT(3), INT(1), INT(90)))},
    {FROM(SERVER, 20), MESSAGES(BARE(RESPONSE_START_HEARTBEATS))},
    {FROM(SERVER, 20), MESSAGES(BARE(RESPONSE_SERVER_HEARTBEAT))},
    {FROM(SERVER, 20), MESSAGES(MESSAGE(RESPONSE_ENTITY_DESTRUCTION, INT(3), INT(9)))},
    CLOSING(0),
};

const struct scenario old_numbering_scenario = {
    .name = "old-numbering",
    STEPS(old_numbering_steps),
    .dialect = {.old_numbering = true},
    .standing = {{{.next_packet = 1}, {.next_packet = 1}}},
};
