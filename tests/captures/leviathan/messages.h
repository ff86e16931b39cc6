// SPDX-FileCopyrightText: The Gamewire authors
// SPDX-License-Identifier: GPL-2.0-or-later

/* The engine's requests, responses and components: their layouts, and the values to send in them. */
#ifndef LEVIATHAN_CAPTURES_MESSAGES_H
#define LEVIATHAN_CAPTURES_MESSAGES_H

#include <SFML/Network/Packet.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json.h"

enum message_type {
    NO_MESSAGE,
    REQUEST_CONNECT,
    REQUEST_SECURITY,
    REQUEST_AUTHENTICATE,
    REQUEST_IDENTIFICATION,
    REQUEST_SERVERSTATUS,
    REQUEST_REMOTE_CONSOLE_OPEN,
    REQUEST_REMOTE_CONSOLE_ACCESS,
    REQUEST_CLOSE_REMOTE_CONSOLE,
    REQUEST_DO_REMOTE_CONSOLE_OPEN,
    REQUEST_JOIN_SERVER,
    REQUEST_JOIN_GAME,
    REQUEST_GET_SINGLE_SYNC_VALUE,
    REQUEST_GET_ALL_SYNC_VALUES,
    REQUEST_REQUEST_COMMAND_EXECUTION,
    REQUEST_CONNECT_INPUT,
    REQUEST_ECHO,
    REQUEST_WORLD_CLOCK_SYNC,
    REQUEST_CUSTOM,
    REQUEST_ABOVE_CUSTOM, /* number 18: an application's own, perhaps */
    REQUEST_UNKNOWN,      /* number 999 */
    RESPONSE_CONNECT,
    RESPONSE_SECURITY,
    RESPONSE_AUTHENTICATE,
    RESPONSE_IDENTIFICATION,
    RESPONSE_KEEPALIVE,
    RESPONSE_CLOSE_CONNECTION,
    RESPONSE_REMOTE_CONSOLE_CLOSED,
    RESPONSE_REMOTE_CONSOLE_OPENED,
    RESPONSE_INVALID_REQUEST,
    RESPONSE_SERVER_DISALLOW,
    RESPONSE_SERVER_ALLOW,
    RESPONSE_SERVER_STATUS,
    RESPONSE_SYNC_VAL_DATA,
    RESPONSE_SYNC_DATA_END,
    RESPONSE_SYNC_RESOURCE_DATA,
    RESPONSE_CREATE_NETWORKED_INPUT,
    RESPONSE_UPDATE_NETWORKED_INPUT,
    RESPONSE_DISCONNECT_INPUT,
    RESPONSE_START_WORLD_RECEIVE,
    RESPONSE_ENTITY_CREATION,
    RESPONSE_ENTITY_UPDATE,
    RESPONSE_ENTITY_DESTRUCTION,
    RESPONSE_ENTITY_LOCAL_CONTROL_STATUS,
    RESPONSE_CACHE_UPDATED,
    RESPONSE_CACHE_REMOVED,
    RESPONSE_WORLD_FROZEN,
    RESPONSE_SERVER_HEARTBEAT,
    RESPONSE_START_HEARTBEATS,
    RESPONSE_NONE,
    RESPONSE_CUSTOM,
    RESPONSE_UNKNOWN,             /* number 999 */
    RESPONSE_OLD_ENTITY_CREATION, /* until 2018-11-30: no EntityID, no ComponentCount */
    RESPONSE_OLD_ENTITY_CONSTRAINT,
    MESSAGE_TYPES
};

enum component_type {
    COMPONENT_POSITION,
    COMPONENT_RENDER_NODE,
    COMPONENT_SENDABLE,
    COMPONENT_RECEIVED,
    COMPONENT_PHYSICS,
    COMPONENT_BOX_GEOMETRY,
    COMPONENT_MODEL,
    COMPONENT_CAMERA,
    COMPONENT_ANIMATED,
    COMPONENT_UNKNOWN,     /* number 9 */
    COMPONENT_APPLICATION, /* number 10001: 10000 and up are the application's */
    COMPONENT_TYPES
};

struct component;

/* One field's value; which members count, the field's layout says. */
struct value {
    uint64_t number;  /* integers, bools, enumerations; negative ones in two's complement */
    const char *text; /* strings, and bytes that are no string */
    size_t size;      /* of `text` */
    bool raw;         /* `text` is bytes: recorded in hexadecimal */
    float vector[4];
    const struct component *components;
    size_t component_count;
};

struct component {
    enum component_type type;
    const struct value *values;
};

struct message {
    enum message_type type;
    enum message_type answers; /* the peer's latest request of this type */
    uint32_t response_to;      /* in place of `answers`: a request from before the capture */
    const struct value *values;
};

// One value, component or message of the scenarios' tables.
// clang-format off
#define INT(n) {.number = (uint64_t)(int64_t)(n)}
#define U64(n) {.number = (n)}
#define TEXT(s) {.text = (s), .size = sizeof(s) - 1}
#define BYTES(s) {.text = (s), .size = sizeof(s) - 1, .raw = true}
#define VECTOR(...) {.vector = {__VA_ARGS__}}
#define COMPONENTS(...) \
    {.components = (const struct component[]){__VA_ARGS__}, \
     .component_count = sizeof((const struct component[]){__VA_ARGS__}) / sizeof(struct component)}

#define COMPONENT(component_type, ...) \
    {.type = (component_type), .values = (const struct value[]){__VA_ARGS__}}
#define BARE_COMPONENT(component_type) {.type = (component_type)}
#define POSITION(x, y, z, ox, oy, oz, ow) \
    COMPONENT(COMPONENT_POSITION, VECTOR(x, y, z), VECTOR(ox, oy, oz, ow))

#define MESSAGE(message_type, ...) \
    {.type = (message_type), .values = (const struct value[]){__VA_ARGS__}}
#define BARE(message_type) {.type = (message_type)}
#define ANSWER(message_type, request, ...) \
    {.type = (message_type), .answers = (request), .values = (const struct value[]){__VA_ARGS__}}
#define BARE_ANSWER(message_type, request) {.type = (message_type), .answers = (request)}
// clang-format on

/* What is written goes to the packet; what a reader can still make of it goes to the record. */
struct composition {
    sfPacket *packet;
    struct json record;
    size_t sound_bytes; /* the packet is damaged from here on */
    bool old_numbering; /* of 2017-04 to 2018-10 */
};

/* Is all that was written so far readable? */
bool composition_is_sound(const struct composition *composition);

bool message_is_request(enum message_type type);
const char *message_name(enum message_type type);
void message_write(struct composition *to, const struct message *message, uint32_t number, uint32_t response_to);

#endif
