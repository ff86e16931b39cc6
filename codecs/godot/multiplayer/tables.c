/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The layout of every packet, and the words for what is odd or wrong.
 */
#include "tables.h"

#include <gamewire/faults.h>

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

/* ---- words --------------------------------------------------------------------------------------------- */

#define FAULT(name) GW_GODOT_MULTIPLAYER_FAULT_##name

static const char refused[] = "the engine drops the packet with an error";

static const gw_fault_row faults[GW_GODOT_MULTIPLAYER_FAULTS] = {
    [FAULT(NONE)] = { GW_FAULT_NONE, "No fault", NULL },
    [FAULT(EMPTY)] = { GW_FAULT_TRUNCATED, "The message is empty", refused },
    [FAULT(FIELD_TRUNCATED)] = { GW_FAULT_TRUNCATED, "The packet ends inside a number", refused },
    [FAULT(TEXT_TRUNCATED)] = { GW_FAULT_TRUNCATED, "The packet ends before a text's NUL", refused },
    [FAULT(CHECKSUM_TRUNCATED)] = { GW_FAULT_TRUNCATED, "The packet ends inside the method checksum", refused },
    [FAULT(NAME_TRUNCATED)] = { GW_FAULT_TRUNCATED, "A node's name is longer than the rest of the packet", refused },
    [FAULT(IDS_TRUNCATED)] = { GW_FAULT_TRUNCATED, "More synchroniser ids are declared than there are bytes", refused },
    [FAULT(VALUE_TRUNCATED)] = { GW_FAULT_TRUNCATED, "The packet ends inside a Variant", refused },
    [FAULT(VALUES_MISSING)] = { GW_FAULT_TRUNCATED, "There are fewer arguments than declared", refused },
    [FAULT(UPDATE_TRUNCATED)] = { GW_FAULT_TRUNCATED, "An update is longer than the rest of the packet", refused },
    [FAULT(VALUE_INVALID)] = { GW_FAULT_MALFORMED, "There is no Variant that can be read", refused },
    [FAULT(VALUE_TOO_DEEP)] = { GW_FAULT_LIMIT, "A Variant is nested deeper than this reader follows", NULL },
    [FAULT(OFFSET_INVALID)] = { GW_FAULT_MALFORMED, "The path's offset lies before the arguments", refused },
    [FAULT(ID_SIZE_UNKNOWN)] = { GW_FAULT_UNSUPPORTED, "There is no such size of a node id", refused },
    [FAULT(COMMAND_UNKNOWN)] = { GW_FAULT_UNSUPPORTED, "There is no such command in Godot 3",
                                 "the engine ignores the packet" },
    [FAULT(SYSTEM_UNKNOWN)] = { GW_FAULT_UNSUPPORTED, "There is no such system command",
                                "the engine ignores the packet" },
    [FAULT(HEAD_UNKNOWN)] = { GW_FAULT_UNSUPPORTED, "There is no such message about a peer", refused },
    [FAULT(RELAY_TOO_DEEP)] = { GW_FAULT_LIMIT,
                                "Relayed packets within relayed packets, deeper than this reader follows", NULL },
    [FAULT(INPUT_TOO_LONG)] = { GW_FAULT_LIMIT, "Longer than this reader takes", NULL },
};

const char *gw_godot_multiplayer_fault_text(uint32_t code)
{
    return gw_fault_row_of(faults, GW_GODOT_MULTIPLAYER_FAULTS, code).text;
}

gw_fault_class gw_godot_multiplayer_fault_class(uint32_t code)
{
    return gw_fault_row_of(faults, GW_GODOT_MULTIPLAYER_FAULTS, code).fault_class;
}

const char *gw_godot_multiplayer_fault_consequence(uint32_t code)
{
    return gw_fault_row_of(faults, GW_GODOT_MULTIPLAYER_FAULTS, code).consequence;
}

#define ODD(name) GW_GODOT_MULTIPLAYER_ODD_##name

static const struct {
    gw_godot_multiplayer_odd odd;
    const char *text;
} oddities[] = {
    { ODD(FLAGS), "Bits of the command byte are set that this command does not have" },
    { ODD(UTF8), "The text is not valid UTF-8" },
    { ODD(WIDE), "More bytes are used than the number needs" },
    { ODD(TRAILING), "Bytes follow where the packet should end; the engine ignores them" },
    { ODD(CHECKSUM), "The method checksum is not 32 hexadecimal digits" },
    { ODD(CONFIRMED), "The confirmation is neither 0 nor 1" },
    { ODD(BOOL), "A compressed bool has bits other than its value's" },
    { ODD(NULL_OBJECT), "A typed null object is sent as a header alone, which the receiver refuses" },
    { ODD(VALUE), "A Variant has something that engines do not write" },
    { ODD(NAME), "The name is empty, or its last byte is not its only NUL" },
    { ODD(INDEXES), "The number of values is not that of the index bits" },
    { ODD(PEER), "No peer can have this id" },
    { ODD(TOO_LARGE), "The packet is larger than the engine sends by default" },
    { ODD(RELAY), "A system command is relayed, which the engine never does" },
    { ODD(CUSTOM_SIZE), "The size of the custom data is not that of the value" },
    { ODD(OLD_CONFIRM),
      "The path is confirmed by its text, as Godot 4.0 to 4.2 do it; 4.3 and later cannot read that" },
};

const char *gw_godot_multiplayer_odd_text(uint32_t odd)
{
    for (size_t i = 0; i < sizeof oddities / sizeof *oddities; i++)
        if ((uint32_t)oddities[i].odd == odd)
            return oddities[i].text;
    return "Unknown oddity";
}
