// SPDX-FileCopyrightText: The Gamewire authors
// SPDX-License-Identifier: GPL-2.0-or-later

/*
 * A sound opening, then one fault in each datagram.
 *
 * Offsets without acks: packet id 2, start ack 6, message count 10, then the message: type 11, number 12,
 * request or response type 16; a request's payload 18; a response's response-to 18, payload 22.
 */

#include "openings.h"

// A table reads better with its own line breaks.
// clang-format off

#define ECHO MESSAGES(BARE(REQUEST_ECHO))
#define KEEPALIVE MESSAGES(BARE(RESPONSE_KEEPALIVE))
#define AUTHENTICATE MESSAGES(MESSAGE(REQUEST_AUTHENTICATE, TEXT("player"), U64(7), TEXT("pass")))
#define UPDATE MESSAGES(ENTITY_UPDATE(500, -1, 11, 1.0f, 2.0f, 3.0f))
#define UPDATE_OF(...) \
    MESSAGES(MESSAGE(RESPONSE_ENTITY_UPDATE, INT(3), INT(500), INT(-1), INT(11), __VA_ARGS__))
#define CREATION_OF(count, ...) \
    MESSAGES(MESSAGE(RESPONSE_ENTITY_CREATION, INT(3), INT(11), INT(count), __VA_ARGS__))
#define STATUS_OF(joinable, restriction, status) \
    MESSAGES(MESSAGE(RESPONSE_SERVER_STATUS, TEXT("s"), INT(joinable), INT(restriction), INT(status), \
                     INT(1), INT(2), INT(3), INT(4)))
#define PLACE POSITION(1.0f, 2.0f, 3.0f, 0.0f, 0.0f, 0.0f, 1.0f)

/* A packet without acks, so that the offsets above hold. */
#define FAULT_WITH(flag, side, ...) {FROM(side, 2), .flags = NO_ACKS | (flag), __VA_ARGS__}
#define FAULT(side, ...) FAULT_WITH(0, side, __VA_ARGS__)
#define CUT(bytes, what) FAULT(CLIENT, AUTHENTICATE, .edit = {.keep = (bytes)}, .fault = what)
#define CUT_ACKS(bytes, what) \
    FAULT(CLIENT, ECHO, .ack_start = 1001, .ack_bytes = "0f 00 00 01", .edit = {.keep = (bytes)}, \
          .fault = what)
#define BLOCKS(...) {FROM(CLIENT, 2), .action = ACTION_ACK_ONLY, .flags = CLEAN | ONCE | OWN_IDS, __VA_ARGS__}

static const struct step steps[] = {
    OPENING(0),
    SECURITY(0),
    AUTHENTICATION(0),

    /* the packet's header */
    FAULT_WITH(ZERO_PACKET, CLIENT, ECHO, .fault = "packet id 0"),
    FAULT(CLIENT, ECHO, .ack_start = 1001, .ack_bytes = "0f", .edit = {.at = 10, .overwrite = "c8"},
          .fault = "ack count beyond the packet"),
    FAULT(CLIENT, ECHO, .ack_start = 1001, .ack_bytes = "", .fault = "ack count 0 with a start"),
    FAULT(CLIENT, ECHO, .ack_start = 1001, .ack_bytes = "02", .fault = "first ack bit clear"),
    FAULT(CLIENT, ECHO, .ack_start = 1001, .ack_bytes = "03 00", .fault = "last ack byte 0"),
    FAULT(CLIENT, ECHO, .ack_start = 1001, .ack_bytes = "01 00 00 00 01",
          .fault = "more than four ack bytes"),
    FAULT(CLIENT, ECHO, .ack_start = 9001, .ack_bytes = "01", .fault = "ack of a packet that nobody sent"),
    FAULT(CLIENT, ECHO, .message_count = 3, .fault = "message count beyond the packet"),
    FAULT(CLIENT, ECHO, .edit = {.at = 10, .overwrite = "00"}, .fault = "zero messages with bytes left"),
    FAULT(CLIENT, ECHO, .edit = {.append = "de ad be ef"}, .fault = "garbage after the last message"),

    /* the message's header */
    FAULT(CLIENT, ECHO, .edit = {.at = 11, .overwrite = "29"}, .fault = "unknown message type"),
    FAULT_WITH(ZERO_MESSAGE, CLIENT, ECHO, .fault = "message number 0"),
    FAULT(CLIENT, MESSAGES(MESSAGE(REQUEST_UNKNOWN, BYTES("\x01\x02\x03"))), .fault = "unknown request type"),
    FAULT(CLIENT, MESSAGES(MESSAGE(REQUEST_ABOVE_CUSTOM, BYTES("\x04\x05"))),
          .fault = "request type above Custom"),
    FAULT(SERVER, MESSAGES(MESSAGE(RESPONSE_UNKNOWN, BYTES("\x06\x07\x08\x09"))),
          .fault = "unknown response type"),
    FAULT(SERVER,
          MESSAGES(BARE(RESPONSE_KEEPALIVE), MESSAGE(RESPONSE_UNKNOWN, BYTES("\x12\x00\x00\x00\x63"))),
          .message_count = 3, .fault = "message behind an unknown response type",
          .note = "where the third message begins, nobody can tell"),
    FAULT(SERVER, MESSAGES({.type = RESPONSE_NONE, .response_to = 4242}),
          .fault = "response to a request that nobody sent"),

    /* payloads: lengths */
    FAULT(CLIENT, AUTHENTICATE, .edit = {.at = 18, .overwrite = "00 00 ff ff"},
          .fault = "string longer than the packet"),
    FAULT(CLIENT, AUTHENTICATE, .edit = {.at = 18, .overwrite = "ff ff ff ff"}, .fault = "string of 4 GiB"),
    FAULT(CLIENT, MESSAGES(MESSAGE(REQUEST_CONNECT_INPUT, BYTES("\x01\x02\x03\x04"))),
          .edit = {.at = 18, .overwrite = "00 00 00 05"}, .fault = "nested packet longer than the packet"),
    FAULT(SERVER, UPDATE, .edit = {.at = 38, .overwrite = "80 00 00 1e"},
          .fault = "component data longer than the packet"),

    /* payloads: values */
    FAULT(CLIENT, MESSAGES(MESSAGE(REQUEST_CONNECT, INT(43))), .fault = "CheckValue of a request not 42"),
    FAULT(SERVER, MESSAGES(MESSAGE(RESPONSE_CONNECT, INT(0))), .fault = "CheckValue of a response not 42"),
    FAULT(CLIENT, MESSAGES(MESSAGE(REQUEST_SECURITY, INT(3), TEXT(""), TEXT(""))),
          .fault = "SecureType of a request out of range"),
    FAULT(SERVER, MESSAGES(MESSAGE(RESPONSE_SECURITY, INT(-1), TEXT(""), TEXT(""))),
          .fault = "SecureType of a response out of range"),
    FAULT(SERVER, MESSAGES(MESSAGE(RESPONSE_INVALID_REQUEST, INT(8), TEXT(""))),
          .fault = "Invalidness out of range"),
    FAULT(SERVER, MESSAGES(MESSAGE(RESPONSE_SERVER_DISALLOW, TEXT(""), INT(255))),
          .fault = "Reason out of range"),
    FAULT(SERVER, MESSAGES(MESSAGE(RESPONSE_SERVER_ALLOW, INT(3), TEXT(""))),
          .fault = "ServerAcceptedWhat out of range"),
    FAULT(SERVER, STATUS_OF(1, 8, 1), .fault = "JoinRestriction out of range"),
    FAULT(SERVER, STATUS_OF(1, 0, 4), .fault = "ServerStatus out of range"),
    FAULT(SERVER, STATUS_OF(2, 0, 1), .fault = "bool of 2"),
    FAULT(SERVER, CREATION_OF(1, COMPONENTS(COMPONENT(COMPONENT_CAMERA, INT(90), INT(255)))),
          .fault = "bool of 255 in a component"),

    /* components */
    FAULT(SERVER, CREATION_OF(2, COMPONENTS(PLACE, COMPONENT(COMPONENT_UNKNOWN, BYTES("\x01\x02")))),
          .fault = "unknown component"),
    FAULT(SERVER, CREATION_OF(1, COMPONENTS(BARE_COMPONENT(COMPONENT_SENDABLE))),
          .fault = "component Sendable, which is never sent"),
    FAULT(SERVER, CREATION_OF(1, COMPONENTS(BARE_COMPONENT(COMPONENT_RECEIVED))),
          .fault = "component Received, which is never sent"),
    FAULT(SERVER, CREATION_OF(1, COMPONENTS(BARE_COMPONENT(COMPONENT_MODEL))),
          .fault = "component Model, which is never sent"),
    FAULT(SERVER, CREATION_OF(1, BYTES("\x00\x00\x00\x00\x80\x3f\x00\x00\x00\x40")),
          .fault = "component of a creation truncated"),
    FAULT(SERVER, CREATION_OF(1, BYTES("\x00\x05\0\0\0\0\0\0\0\0\0\0\0\0\x00\x00\x00\x09wood")),
          .fault = "string longer than the component data"),
    FAULT(SERVER, CREATION_OF(3, COMPONENTS(PLACE, BARE_COMPONENT(COMPONENT_PHYSICS))),
          .fault = "fewer components than ComponentCount"),
    FAULT(SERVER, CREATION_OF(1, COMPONENTS(PLACE, BARE_COMPONENT(COMPONENT_PHYSICS))),
          .fault = "more components than ComponentCount"),
    FAULT(SERVER, CREATION_OF(1001, COMPONENTS(PLACE)), .fault = "ComponentCount above 1000"),
    FAULT(SERVER, UPDATE_OF(BYTES("\x00\x00\x00\x00\x80\x3f\x00\x00\x00\x40")),
          .fault = "component of an update truncated"),
    FAULT(SERVER, UPDATE_OF(COMPONENTS(COMPONENT(COMPONENT_UNKNOWN, BYTES("\x01\x02\x03")))),
          .fault = "unknown component in an update"),
    FAULT(SERVER, UPDATE_OF(COMPONENTS(BARE_COMPONENT(COMPONENT_PHYSICS))),
          .fault = "update of a component without a state"),
    FAULT(SERVER, UPDATE_OF(BYTES("\x00")), .fault = "half a component type"),

    /* ack-only packets, and blocks after a packet */
    BLOCKS(.ids = {.count = 0}, .fault = "ack-only of 0 ids"),
    BLOCKS(.ids = {.ids = {1001, 1002, 1003, 1004, 1005}, .count = 5}, .fault = "ack-only of 5 ids"),
    BLOCKS(.ids = {.ids = {1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008}, .count = 8},
           .fault = "ack-only of 8 ids"),
    BLOCKS(.ids = {.ids = {1003, 1002}, .count = 2}, .fault = "ack-only ids not ascending"),
    BLOCKS(.ids = {.ids = {1002, 1002}, .count = 2}, .fault = "ack-only id twice"),
    BLOCKS(.ids = {.ids = {0, 1001}, .count = 2}, .fault = "ack-only id 0"),
    BLOCKS(.ids = {.ids = {9001}, .count = 1}, .fault = "ack-only of a packet that nobody sent"),
    BLOCKS(.ids = {.ids = {1001, 1002}, .count = 2}, .edit = {.keep = 9},
           .fault = "ack-only truncated in an id"),
    BLOCKS(.ids = {.ids = {1001, 1002}, .count = 2}, .edit = {.keep = 3},
           .fault = "ack-only truncated before ids"),
    BLOCKS(.ids = {.ids = {1001}, .count = 1}, .edit = {.keep = 2},
           .fault = "ack-only truncated before the count"),
    BLOCKS(.ids = {.ids = {1001}, .count = 1}, .edit = {.append = "00 00"},
           .fault = "garbage after an ack-only"),
    FAULT(CLIENT, KEEPALIVE, .edit = {.append = "4c61 00"}, .fault = "block of 0 ids behind a packet"),
    FAULT(CLIENT, KEEPALIVE, .edit = {.append = "4c61 02 000003e9 0000"},
          .fault = "block behind a packet truncated"),
    FAULT(CLIENT, KEEPALIVE, .edit = {.append = "4c61 02 000003ea 000003e9"},
          .fault = "block behind a packet not ascending"),
    FAULT(CLIENT, KEEPALIVE, .edit = {.append = "4c61 01 000003e9 4c"},
          .fault = "garbage after a block behind a packet"),

    /* cut in or before each field */
    CUT(1, "truncated in the packet type"),
    CUT(2, "truncated before the packet id"),
    CUT(5, "truncated in the packet id"),
    CUT(6, "truncated before the start ack"),
    CUT(9, "truncated in the start ack"),
    CUT(10, "truncated before the message count"),
    CUT_ACKS(10, "truncated before the ack count"),
    CUT_ACKS(11, "truncated before the acks"),
    CUT_ACKS(13, "truncated in the acks"),
    CUT_ACKS(15, "truncated before the message count after acks"),
    CUT(11, "truncated before the message type"),
    CUT(12, "truncated before the message number"),
    CUT(14, "truncated in the message number"),
    CUT(16, "truncated before the request type"),
    CUT(17, "truncated in the request type"),
    FAULT(SERVER, UPDATE, .edit = {.keep = 18}, .fault = "truncated before response-to"),
    FAULT(SERVER, UPDATE, .edit = {.keep = 21}, .fault = "truncated in response-to"),
    CUT(18, "truncated before the payload"),
    CUT(20, "truncated in a string's length"),
    CUT(25, "truncated in a string"),
    CUT(30, "truncated in a 64-bit integer"),
    FAULT(SERVER, UPDATE, .edit = {.keep = 26}, .fault = "truncated between two integers"),
    FAULT(SERVER, UPDATE, .edit = {.keep = 40}, .fault = "truncated in a nested packet's length"),
    FAULT(SERVER, UPDATE, .edit = {.keep = 60}, .fault = "truncated in a nested packet"),
};

const struct scenario malformed_scenario = {.name = "malformed", STEPS(steps)};
