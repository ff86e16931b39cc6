// SPDX-FileCopyrightText: The Gamewire authors
// SPDX-License-Identifier: GPL-2.0-or-later

/* Every request and response in the order of their numbers, then every value and every shape of packet. */

#include "openings.h"

// A table reads better with its own line breaks.
// clang-format off

#define SIXTY_FIVE_V "vvvvvvvvvvvvv" "vvvvvvvvvvvvv" "vvvvvvvvvvvvv" "vvvvvvvvvvvvv" "vvvvvvvvvvvvv"

#define ASK(...) {FROM(CLIENT, 2), MESSAGES(__VA_ARGS__)}
#define TELL(...) {FROM(SERVER, 2), MESSAGES(__VA_ARGS__)}

#define INVALID(reason, info) \
    TELL(ANSWER(RESPONSE_INVALID_REQUEST, REQUEST_SERVERSTATUS, INT(reason), TEXT(info)))
#define STATUS(name, joinable, restriction, status) \
    TELL(MESSAGE(RESPONSE_SERVER_STATUS, TEXT(name), INT(joinable), INT(restriction), INT(status), INT(5), \
                 INT(16), INT(0), INT(0)))

static const struct step steps[] = {
    ASK(MESSAGE(REQUEST_CONNECT, INT(42))),
    ASK(MESSAGE(REQUEST_SECURITY, INT(2), TEXT("ssh-rsa AAAAB3Nza"), TEXT("aes=256"))),
    ASK(MESSAGE(REQUEST_AUTHENTICATE, TEXT("player"), U64(0x0123456789abcdef), TEXT("s3cret"))),
    ASK(MESSAGE(REQUEST_IDENTIFICATION, TEXT(SIXTY_FIVE_V))),
    ASK(BARE(REQUEST_SERVERSTATUS)),
    ASK(MESSAGE(REQUEST_REMOTE_CONSOLE_OPEN, INT(0x10203040))),
    ASK(MESSAGE(REQUEST_REMOTE_CONSOLE_ACCESS, INT(0x50607080))),
    ASK(BARE(REQUEST_CLOSE_REMOTE_CONSOLE)),
    ASK(MESSAGE(REQUEST_DO_REMOTE_CONSOLE_OPEN, INT(-559038737))),
    ASK(MESSAGE(REQUEST_JOIN_SERVER, INT(-1))),
    ASK(MESSAGE(REQUEST_JOIN_GAME, TEXT("observer=1"))),
    ASK(MESSAGE(REQUEST_GET_SINGLE_SYNC_VALUE, TEXT("MaxScore"))),
    ASK(BARE(REQUEST_GET_ALL_SYNC_VALUES)),
    ASK(MESSAGE(REQUEST_REQUEST_COMMAND_EXECUTION, TEXT("say \"hello\" \\o/"))),
    ASK(MESSAGE(REQUEST_CONNECT_INPUT, BYTES("\xde\xad\xbe\xef\x00\x01"))),
    ASK(BARE(REQUEST_ECHO)),
    ASK(MESSAGE(REQUEST_WORLD_CLOCK_SYNC, INT(3), INT(123456), INT(-17), INT(1))),
    ASK(MESSAGE(REQUEST_CUSTOM, INT(4001), INT(1), BYTES("\xc0\xff\xee"))),

    TELL(ANSWER(RESPONSE_CONNECT, REQUEST_CONNECT, INT(42))),
    TELL(ANSWER(RESPONSE_SECURITY, REQUEST_SECURITY, INT(2), TEXT("ssh-rsa AAAAC4Ozb"), TEXT("wrapped key"))),
    TELL(ANSWER(RESPONSE_AUTHENTICATE, REQUEST_AUTHENTICATE, INT(1337), U64(0xfedcba9876543210))),
    TELL(ANSWER(RESPONSE_IDENTIFICATION, REQUEST_IDENTIFICATION, TEXT("A pong server"), TEXT("Pong"),
                TEXT("0.5.1.0"), TEXT("0.8.0.0"))),
    TELL(BARE(RESPONSE_KEEPALIVE)),
    TELL(BARE(RESPONSE_CLOSE_CONNECTION)),
    TELL(BARE_ANSWER(RESPONSE_REMOTE_CONSOLE_CLOSED, REQUEST_CLOSE_REMOTE_CONSOLE)),
    TELL(BARE_ANSWER(RESPONSE_REMOTE_CONSOLE_OPENED, REQUEST_REMOTE_CONSOLE_OPEN)),
    TELL(ANSWER(RESPONSE_INVALID_REQUEST, REQUEST_REMOTE_CONSOLE_ACCESS, INT(0), TEXT("log in first"))),
    TELL(ANSWER(RESPONSE_SERVER_DISALLOW, REQUEST_JOIN_SERVER, TEXT("Come back later"), INT(3))),
    TELL(ANSWER(RESPONSE_SERVER_ALLOW, REQUEST_JOIN_GAME, INT(2), TEXT("Allowed, ID: 7"))),
    TELL(ANSWER(RESPONSE_SERVER_STATUS, REQUEST_SERVERSTATUS, TEXT("Pong of Zo\xc3\xab"), INT(1), INT(4),
                INT(1), INT(3), INT(8), INT(2), INT(0x40000001))),
    TELL(BARE_ANSWER(RESPONSE_SYNC_VAL_DATA, REQUEST_GET_SINGLE_SYNC_VALUE)),
    TELL(ANSWER(RESPONSE_SYNC_DATA_END, REQUEST_GET_ALL_SYNC_VALUES, INT(1))),
    TELL(MESSAGE(RESPONSE_SYNC_RESOURCE_DATA, TEXT("maps/arena"))),
    TELL(ANSWER(RESPONSE_CREATE_NETWORKED_INPUT, REQUEST_CONNECT_INPUT, BYTES("\x01\x02\x03"))),
    TELL(MESSAGE(RESPONSE_UPDATE_NETWORKED_INPUT, INT(31), BYTES("\xa0\xa1\xa2\xa3"))),
    TELL(MESSAGE(RESPONSE_DISCONNECT_INPUT, INT(31), INT(1337))),
    TELL(MESSAGE(RESPONSE_START_WORLD_RECEIVE, INT(3), INT(1024), TEXT("gravity=off"))),
    TELL(MESSAGE(RESPONSE_ENTITY_CREATION, INT(3), INT(11), INT(6),
                 COMPONENTS(POSITION(1.0f, 2.0f, 3.0f, 0.0f, 0.0f, 0.0f, 1.0f),
                            BARE_COMPONENT(COMPONENT_RENDER_NODE), BARE_COMPONENT(COMPONENT_PHYSICS),
                            COMPONENT(COMPONENT_BOX_GEOMETRY, VECTOR(0.5f, 0.25f, 2.0f), TEXT("pong/paddle")),
                            COMPONENT(COMPONENT_CAMERA, INT(90), INT(1)),
                            BARE_COMPONENT(COMPONENT_ANIMATED)))),
    TELL(MESSAGE(RESPONSE_ENTITY_UPDATE, INT(3), INT(100), INT(-1), INT(11),
                 COMPONENTS(POSITION(1.0f, 2.0f, 3.0f, 0.0f, 0.0f, 0.0f, 1.0f),
                            POSITION(-1.5f, 1e10f, 1.40129846e-45f, 0.5f, -0.5f, 0.5f, -0.5f)))),
    TELL(MESSAGE(RESPONSE_ENTITY_DESTRUCTION, INT(3), INT(11))),
    TELL(MESSAGE(RESPONSE_ENTITY_LOCAL_CONTROL_STATUS, INT(3), INT(12), INT(1))),
    TELL(BARE(RESPONSE_CACHE_UPDATED)),
    TELL(MESSAGE(RESPONSE_CACHE_REMOVED, TEXT("MaxScore"))),
    TELL(MESSAGE(RESPONSE_WORLD_FROZEN, INT(3), INT(1), INT(104))),
    TELL(BARE(RESPONSE_SERVER_HEARTBEAT)),
    TELL(BARE(RESPONSE_START_HEARTBEATS)),
    TELL(BARE_ANSWER(RESPONSE_NONE, REQUEST_ECHO)),
    TELL(MESSAGE(RESPONSE_CUSTOM, INT(4002), INT(0), BYTES("\xfa\xce\xfe\xed"))),

    /* every value of the enumerations */
    ASK(MESSAGE(REQUEST_SECURITY, INT(0), TEXT(""), TEXT(""))),
    TELL(ANSWER(RESPONSE_SECURITY, REQUEST_SECURITY, INT(0), TEXT(""), TEXT(""))),
    ASK(MESSAGE(REQUEST_SECURITY, INT(1), TEXT(""), TEXT(""))),
    TELL(ANSWER(RESPONSE_SECURITY, REQUEST_SECURITY, INT(1), TEXT(""), TEXT(""))),
    ASK(BARE(REQUEST_SERVERSTATUS)),
    INVALID(1, "Unsupported"),
    INVALID(2, "ServerFull"),
    INVALID(3, "ServerNotAcceptingPlayers"),
    INVALID(4, "NotAuthorized"),
    INVALID(5, "ServerAlreadyConnectedToYou"),
    INVALID(6, "InvalidParameters"),
    INVALID(7, "ServerCustom"),
    TELL(MESSAGE(RESPONSE_SERVER_DISALLOW, TEXT(""), INT(7))),
    TELL(MESSAGE(RESPONSE_SERVER_ALLOW, INT(0), TEXT(""))),
    TELL(MESSAGE(RESPONSE_SERVER_ALLOW, INT(1), TEXT("in the queue"))),
    STATUS("none, starting", 0, 0, 0),
    STATUS("localhost, running", 1, 1, 1),
    STATUS("LAN, shutdown", 0, 2, 2),
    STATUS("whitelist, restart", 0, 3, 3),
    STATUS("friends", 1, 5, 1),
    STATUS("permissions", 1, 6, 1),
    STATUS("custom", 1, 7, 1),
    TELL(MESSAGE(RESPONSE_START_WORLD_RECEIVE, INT(4), INT(7), TEXT(""))),

    /* both bools, ends of ranges, odd strings, empty nested packets */
    ASK(MESSAGE(REQUEST_WORLD_CLOCK_SYNC, INT(INT32_MAX), INT(INT32_MIN), INT(0), INT(0))),
    ASK(MESSAGE(REQUEST_AUTHENTICATE, TEXT(""), U64(UINT64_MAX), TEXT("nul\0inside"))),
    ASK(MESSAGE(REQUEST_JOIN_GAME, BYTES("not UTF-8: \xff\xfe"))),
    ASK(MESSAGE(REQUEST_CONNECT_INPUT, BYTES(""))),
    ASK(MESSAGE(REQUEST_CUSTOM, INT(4003), INT(0), BYTES(""))),
    TELL(MESSAGE(RESPONSE_SYNC_DATA_END, INT(0))),
    TELL(MESSAGE(RESPONSE_ENTITY_LOCAL_CONTROL_STATUS, INT(3), INT(-1), INT(0))),
    TELL(MESSAGE(RESPONSE_WORLD_FROZEN, INT(3), INT(0), INT(200))),
    TELL(MESSAGE(RESPONSE_ENTITY_CREATION, INT(3), INT(14), INT(0), BYTES(""))),
    TELL(MESSAGE(RESPONSE_ENTITY_CREATION, INT(3), INT(15), INT(2),
                 COMPONENTS(COMPONENT(COMPONENT_CAMERA, INT(65535), INT(0)),
                            COMPONENT(COMPONENT_APPLICATION, BYTES("\xab\xcd\xef"))))),
    TELL(MESSAGE(RESPONSE_ENTITY_UPDATE, INT(3), INT(204), INT(200), INT(14), BYTES(""))),

    /* several messages in one datagram: the documentation allows it, this engine never does it */
    ASK(BARE(REQUEST_ECHO), MESSAGE(REQUEST_GET_SINGLE_SYNC_VALUE, TEXT("Time"))),
    TELL(BARE_ANSWER(RESPONSE_NONE, REQUEST_ECHO), BARE(RESPONSE_KEEPALIVE),
         MESSAGE(RESPONSE_ENTITY_DESTRUCTION, INT(3), INT(15))),
    ASK(BARE(REQUEST_GET_ALL_SYNC_VALUES), MESSAGE(REQUEST_JOIN_GAME, TEXT("second try")),
        BARE(RESPONSE_KEEPALIVE), BARE(REQUEST_ECHO)),
    TELL(BARE_ANSWER(RESPONSE_NONE, REQUEST_ECHO), ENTITY_UPDATE(300, -1, 16, 4.0f, 5.0f, 6.0f),
         MESSAGE(RESPONSE_SERVER_ALLOW, INT(2), TEXT("Done")),
         MESSAGE(RESPONSE_CUSTOM, INT(4004), INT(1), BYTES("to the end"))),

    /* no messages */
    {FROM(CLIENT, 2), .label = "no messages, acks"},
    {FROM(CLIENT, 2), .flags = NO_ACKS, .label = "no messages, no acks"},

    /*
     * A second conversation for the worked examples of the wire format. Its client sends the packets
     * 1001, 1002, 1004, 1010 and 1032 and its server has arrived at packet 1046, message 46.
     */
    {FROM(CLIENT, 2), .conversation = 1, MESSAGES(BARE(REQUEST_ECHO))},
    {FROM(CLIENT, 2), .conversation = 1, MESSAGES(BARE(REQUEST_ECHO))},
    {FROM(SERVER, 2), .conversation = 1, .flags = NO_ACKS, MESSAGES(BARE(RESPONSE_KEEPALIVE)),
     .label = "keepalive 1046"},
    {FROM(SERVER, 2), .conversation = 1, .action = ACTION_ACK_ONLY, .label = "keepalive 1046 and one block"},
    {FROM(CLIENT, 2), .conversation = 1, .action = ACTION_SKIP, .number = 1},
    {FROM(CLIENT, 2), .conversation = 1, MESSAGES(BARE(REQUEST_ECHO))},
    {FROM(SERVER, 2), .conversation = 1, .action = ACTION_ACK_ONLY, .label = "keepalive 1046 and two blocks"},
    {FROM(CLIENT, 2), .conversation = 1, .action = ACTION_SKIP, .number = 5},
    {FROM(CLIENT, 2), .conversation = 1, MESSAGES(BARE(REQUEST_ECHO))},
    {FROM(CLIENT, 2), .conversation = 1, .action = ACTION_SKIP, .number = 21},
    {FROM(CLIENT, 2), .conversation = 1, MESSAGES(BARE(REQUEST_ECHO))},
    {FROM(SERVER, 2), .conversation = 1, MESSAGES(BARE_ANSWER(RESPONSE_NONE, REQUEST_ECHO)),
     .label = "acks 1001, 1002, 1004, 1010, 1032", .note = "ack field 000003e9 04 0b 02 00 80"},
    {FROM(SERVER, 2), .conversation = 1, .action = ACTION_ACK_ONLY, .flags = CLEAN | OWN_IDS,
     .ids = {.ids = {1001, 1002, 1004}, .count = 3}, .label = "clean ack-only of three ids"},
    {FROM(CLIENT, 2), .conversation = 1, MESSAGES(BARE(RESPONSE_KEEPALIVE))},
};

const struct scenario every_message_scenario = {
    .name = "every-message",
    STEPS(steps),
    .standing = {[1] = {[SERVER] = {.next_packet = 1046, .next_message = 46}}},
};
