/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The layout of every packet.
 */
#include "tables.h"

/* Short names for what the lists below are made of. */
#define F(name) GW_GODOT_MULTIPLAYER_##name
#define END     GW_GODOT_MULTIPLAYER_NO_FIELD

const gw_godot_multiplayer_field_type gw_godot_multiplayer_fields[GW_GODOT_MULTIPLAYER_FIELDS] = {
    [F(NO_FIELD)] = { "nothing", SHAPE_REST },
    [F(PACKET)] = { "packet", SHAPE_PACKET },
    [F(UPDATE)] = { "update", SHAPE_UPDATES },
    [F(HEAD_TYPE)] = { "message type", SHAPE_U8 },
    [F(SOURCE)] = { "source", SHAPE_I32 },
    [F(TARGET)] = { "target", SHAPE_I32 },
    [F(PEER_COMMAND)] = { "peer message", SHAPE_U32 },
    [F(PEER)] = { "peer", SHAPE_I32 },
    [F(ASSIGNED)] = { "assigned peer id", SHAPE_I32 },
    [F(COMMAND)] = { "command", SHAPE_U8 },
    [F(SUB_COMMAND)] = { "sub-command", SHAPE_U8 },
    [F(NODE_ID)] = { "node id", SHAPE_NODE_ID },
    [F(METHOD_ID)] = { "method id", SHAPE_METHOD_ID },
    [F(METHOD)] = { "method", SHAPE_STRING },
    [F(PROPERTY)] = { "property", SHAPE_STRING },
    [F(ARGUMENT_COUNT)] = { "argument count", SHAPE_U8 },
    [F(ARGUMENT)] = { "argument", SHAPE_COUNTED },
    [F(BYTES)] = { "byte array argument", SHAPE_REST },
    [F(PATH)] = { "path", SHAPE_STRING },
    [F(CHECKSUM_TEXT)] = { "method checksum", SHAPE_CHECKSUM },
    [F(PATH_ID)] = { "path id", SHAPE_U32 },
    [F(CONFIRMED)] = { "confirmation", SHAPE_U8 },
    [F(DATA)] = { "data", SHAPE_REST },
    [F(SCENE)] = { "scene index", SHAPE_U8 },
    [F(SPAWNER)] = { "spawner", SHAPE_U32 },
    [F(NET_ID)] = { "net id", SHAPE_U32 },
    [F(SYNC_COUNT)] = { "synchroniser count", SHAPE_U32 },
    [F(NAME_LENGTH)] = { "name length", SHAPE_U32 },
    [F(SYNC_IDS)] = { "synchroniser ids", SHAPE_IDS },
    [F(NAME)] = { "name", SHAPE_NAME },
    [F(CUSTOM_SIZE)] = { "custom data size", SHAPE_U32 },
    [F(CUSTOM)] = { "custom data", SHAPE_VALUE },
    [F(STATE)] = { "spawn state", SHAPE_VALUES },
    [F(TIME)] = { "time", SHAPE_U16 },
    [F(INDEXES)] = { "property indexes", SHAPE_U64 },
    [F(SIZE)] = { "size", SHAPE_U32 },
    [F(VALUE)] = { "value", SHAPE_VALUES },
    [F(RELAY_PEER)] = { "relay peer", SHAPE_I32 },
    [F(TRAILING)] = { "trailing bytes", SHAPE_REST },
};

const char *gw_godot_multiplayer_field_name(uint32_t field)
{
    return field < GW_GODOT_MULTIPLAYER_FIELDS ? gw_godot_multiplayer_fields[field].name : "unknown";
}

/* ---- heads --------------------------------------------------------------------------------------------- */

const uint8_t gw_godot_multiplayer_peer_message[] = { F(PEER_COMMAND), F(PEER), END };
const uint8_t gw_godot_multiplayer_command_field[] = { F(COMMAND), END };

static const uint8_t bare_head[] = { F(PACKET), END };
static const uint8_t enet_head[] = { F(SOURCE), F(TARGET), F(PACKET), END };
static const uint8_t websocket_head[] = { F(HEAD_TYPE), F(SOURCE), F(TARGET), END };
static const uint8_t websocket_peer[] = { F(PEER), END };
static const uint8_t assigned_head[] = { F(ASSIGNED), END };

static const struct {
    const uint8_t *head;
    const char *text;
    gw_godot_generation generation;
} forms[GW_GODOT_MULTIPLAYER_FORMS] = {
    [F(4)] = { bare_head, "Godot 4 SceneMultiplayer", GW_GODOT_4 },
    [F(3)] = { bare_head, "Godot 3 MultiplayerAPI", GW_GODOT_3 },
    [F(3_ENET)] = { enet_head, "Godot 3 MultiplayerAPI over ENet", GW_GODOT_3 },
    [F(3_WEBSOCKET)] = { websocket_head, "Godot 3 MultiplayerAPI over WebSocket", GW_GODOT_3 },
    [F(4_ASSIGNED)] = { assigned_head, "Godot 4 WebSocket peer id", GW_GODOT_4 },
};

const uint8_t *gw_godot_multiplayer_head(gw_godot_multiplayer_form form)
{
    return forms[form < GW_GODOT_MULTIPLAYER_FORMS ? form : GW_GODOT_MULTIPLAYER_4].head;
}

const char *gw_godot_multiplayer_form_text(gw_godot_multiplayer_form form)
{
    return form < GW_GODOT_MULTIPLAYER_FORMS ? forms[form].text : "unknown";
}

gw_godot_generation gw_godot_multiplayer_generation(gw_godot_multiplayer_form form)
{
    return form < GW_GODOT_MULTIPLAYER_FORMS ? forms[form].generation : GW_GODOT_4;
}

const uint8_t *gw_godot_multiplayer_websocket_layout(uint32_t type)
{
    if (type == GW_GODOT_MULTIPLAYER_WEBSOCKET_NONE)
        return bare_head;
    return type < GW_GODOT_MULTIPLAYER_WEBSOCKET_TYPES ? websocket_peer : NULL;
}

/* ---- packets ------------------------------------------------------------------------------------------- */

/* Of a call whose node id is an offset, PATH follows: the reader adds it. */
static const uint8_t call[] = { F(NODE_ID), F(METHOD_ID), F(ARGUMENT_COUNT), F(ARGUMENT), END };
static const uint8_t bytes_call[] = { F(NODE_ID), F(METHOD_ID), F(BYTES), END };
static const uint8_t simplify_path[] = { F(CHECKSUM_TEXT), F(PATH_ID), F(PATH), END };
static const uint8_t confirm_path[] = { F(CONFIRMED), F(PATH_ID), END };
static const uint8_t raw[] = { F(DATA), END };
static const uint8_t spawn[] = { F(SCENE),       F(SPAWNER),  F(NET_ID), F(SYNC_COUNT),
                                 F(NAME_LENGTH), F(SYNC_IDS), F(NAME),   F(CUSTOM_SIZE),
                                 F(CUSTOM),      F(STATE),    END };
static const uint8_t despawn[] = { F(NET_ID), END };
static const uint8_t plain_sync[] = { F(TIME), F(UPDATE), END };
static const uint8_t delta_sync[] = { F(UPDATE), END };
static const uint8_t system_command[] = { F(SUB_COMMAND), END };
static const uint8_t call_3[] = { F(NODE_ID), F(METHOD), F(ARGUMENT_COUNT), F(ARGUMENT), END };
static const uint8_t set_3[] = { F(NODE_ID), F(PROPERTY), F(VALUE), END };
static const uint8_t simplify_path_3[] = { F(PATH_ID), F(PATH), END };
static const uint8_t confirm_path_3[] = { F(PATH), END };

const uint8_t gw_godot_multiplayer_update_fields[] = { F(NET_ID), F(SIZE), F(VALUE), END };
const uint8_t gw_godot_multiplayer_delta_fields[] = { F(NET_ID), F(INDEXES), F(SIZE), F(VALUE), END };

static const struct {
    const char *name;
    const uint8_t *four; /* NULL: none in Godot 4 */
    const uint8_t *three;
} commands[GW_GODOT_MULTIPLAYER_COMMANDS] = {
    [F(CALL)] = { "REMOTE_CALL", call, call_3 },
    [F(SET)] = { "REMOTE_SET", NULL, set_3 },
    [F(SIMPLIFY_PATH)] = { "SIMPLIFY_PATH", simplify_path, simplify_path_3 },
    [F(CONFIRM_PATH)] = { "CONFIRM_PATH", confirm_path, confirm_path_3 },
    [F(RAW)] = { "RAW", raw, raw },
    [F(SPAWN)] = { "SPAWN", spawn, NULL },
    [F(DESPAWN)] = { "DESPAWN", despawn, NULL },
    [F(SYNC)] = { "SYNC", plain_sync, NULL },
    [F(SYSTEM)] = { "SYS", system_command, NULL },
    [F(UNKNOWN)] = { "unknown", NULL, NULL },
};

const char *gw_godot_multiplayer_command_name(gw_godot_multiplayer_command command)
{
    return commands[command < GW_GODOT_MULTIPLAYER_COMMANDS ? command : GW_GODOT_MULTIPLAYER_UNKNOWN].name;
}

gw_godot_multiplayer_command gw_godot_multiplayer_command_of(gw_godot_generation generation, uint8_t byte)
{
    static const uint8_t four[] = { F(CALL),  F(SIMPLIFY_PATH), F(CONFIRM_PATH), F(RAW),
                                    F(SPAWN), F(DESPAWN),       F(SYNC),         F(SYSTEM) };
    static const uint8_t three[] = { F(CALL), F(SET), F(SIMPLIFY_PATH), F(CONFIRM_PATH), F(RAW) };
    if (generation == GW_GODOT_4)
        return (gw_godot_multiplayer_command)four[byte & GW_GODOT_MULTIPLAYER_COMMAND_MASK];
    return byte < sizeof three ? (gw_godot_multiplayer_command)three[byte] : GW_GODOT_MULTIPLAYER_UNKNOWN;
}

const uint8_t *gw_godot_multiplayer_layout(gw_godot_generation generation, gw_godot_multiplayer_command command,
                                           uint8_t byte)
{
    if (generation != GW_GODOT_4)
        return commands[command].three;
    if (command == GW_GODOT_MULTIPLAYER_CALL && byte & GW_GODOT_MULTIPLAYER_BYTES_ONLY)
        return bytes_call;
    if (command == GW_GODOT_MULTIPLAYER_SYNC && byte & GW_GODOT_MULTIPLAYER_DELTA)
        return delta_sync;
    return commands[command].four;
}

const uint8_t *gw_godot_multiplayer_system_layout(uint32_t system)
{
    static const uint8_t peer[] = { F(PEER), END };
    static const uint8_t relay[] = { F(RELAY_PEER), F(PACKET), END };
    static const uint8_t *const layouts[GW_GODOT_MULTIPLAYER_SYSTEMS] = {
        [F(AUTH)] = raw,
        [F(ADD_PEER)] = peer,
        [F(DELETE_PEER)] = peer,
        [F(RELAY)] = relay,
    };
    return system < GW_GODOT_MULTIPLAYER_SYSTEMS ? layouts[system] : NULL;
}
