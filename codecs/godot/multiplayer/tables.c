/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The layout of every packet.
 */
#include "internal.h"

/* Short names for the entries of the lists below. */
#define F(name) GW_GODOT_MP_##name
#define R(name) GW_GODOT_MP_ROLE_##name
#define END     GW_GODOT_MP_ROLE_NONE

/* clang-format off */
const uint8_t gw_godot_mp_shapes[GW_GODOT_MP_ROLES] = {
    [R(NONE)] = SHAPE_REST, [R(PACKET)] = SHAPE_PACKET, [R(UPDATE)] = SHAPE_UPDATES, [R(HEAD_TYPE)] = SHAPE_U8,
    [R(SOURCE)] = SHAPE_I32, [R(TARGET)] = SHAPE_I32, [R(PEER_COMMAND)] = SHAPE_U32, [R(PEER)] = SHAPE_I32,
    [R(ASSIGNED)] = SHAPE_I32, [R(VARIANT)] = SHAPE_VALUE, [R(COMMAND)] = SHAPE_U8, [R(SUB_COMMAND)] = SHAPE_U8,
    [R(NODE_ID)] = SHAPE_NODE_ID, [R(METHOD_ID)] = SHAPE_METHOD_ID, [R(METHOD)] = SHAPE_STRING,
    [R(PROPERTY)] = SHAPE_STRING, [R(ARGUMENT_COUNT)] = SHAPE_U8, [R(ARGUMENT)] = SHAPE_COUNTED,
    [R(BYTES)] = SHAPE_REST, [R(PATH)] = SHAPE_STRING, [R(CHECKSUM_TEXT)] = SHAPE_CHECKSUM, [R(PATH_ID)] = SHAPE_U32,
    [R(CONFIRMED)] = SHAPE_U8, [R(DATA)] = SHAPE_REST, [R(SCENE)] = SHAPE_U8, [R(SPAWNER)] = SHAPE_U32,
    [R(NET_ID)] = SHAPE_U32, [R(SYNC_COUNT)] = SHAPE_U32, [R(NAME_LENGTH)] = SHAPE_U32, [R(SYNC_IDS)] = SHAPE_IDS,
    [R(NAME)] = SHAPE_NAME, [R(CUSTOM_SIZE)] = SHAPE_U32, [R(CUSTOM)] = SHAPE_VALUE, [R(STATE)] = SHAPE_VALUES,
    [R(TIME)] = SHAPE_U16, [R(INDEXES)] = SHAPE_U64, [R(SIZE)] = SHAPE_U32, [R(VALUE)] = SHAPE_VALUES,
    [R(RELAY_PEER)] = SHAPE_I32, [R(TRAILING)] = SHAPE_REST,
};
/* clang-format on */

/* ---- heads --------------------------------------------------------------------------------------------- */

const uint8_t gw_godot_mp_peer_message[] = { R(PEER_COMMAND), R(PEER), END };
const uint8_t gw_godot_mp_command_field[] = { R(COMMAND), END };

static const uint8_t bare_head[] = { R(PACKET), END };
static const uint8_t enet_head[] = { R(SOURCE), R(TARGET), R(PACKET), END };
static const uint8_t websocket_head[] = { R(HEAD_TYPE), R(SOURCE), R(TARGET), END };
static const uint8_t websocket_peer[] = { R(PEER), END };
static const uint8_t assigned_head[] = { R(ASSIGNED), END };

static const struct {
    const uint8_t *head;
    const char *text;
    gw_godot_generation generation;
} forms[GW_GODOT_MP_FORMS] = {
    [F(4)] = { bare_head, "Godot 4 SceneMultiplayer", GW_GODOT_4 },
    [F(3)] = { bare_head, "Godot 3 MultiplayerAPI", GW_GODOT_3 },
    [F(3_ENET)] = { enet_head, "Godot 3 MultiplayerAPI over ENet", GW_GODOT_3 },
    [F(3_WEBSOCKET)] = { websocket_head, "Godot 3 MultiplayerAPI over WebSocket", GW_GODOT_3 },
    [F(4_ASSIGNED)] = { assigned_head, "Godot 4 WebSocket peer id", GW_GODOT_4 },
};

/* The first fields of a message in this form, up to GW_GODOT_MP_ROLE_NONE; for an unknown form, those of Godot 4. */
const uint8_t *gw_godot_mp_head(gw_godot_mp_form form)
{
    return forms[form < GW_GODOT_MP_FORMS ? form : GW_GODOT_MP_4].head;
}

/* The name of the form. */
const char *gw_godot_mp_form_text(gw_godot_mp_form form)
{
    return form < GW_GODOT_MP_FORMS ? forms[form].text : "unknown";
}

/* The generation of the engines that write this form; Godot 4 for an unknown form. */
gw_godot_generation gw_godot_mp_generation(gw_godot_mp_form form)
{
    return form < GW_GODOT_MP_FORMS ? forms[form].generation : GW_GODOT_4;
}

/* The fields after a WebSocket head of this type: a packet for type NONE, else the id of a peer. NULL: the type is
 * unknown. */
const uint8_t *gw_godot_mp_websocket_layout(uint32_t type)
{
    if (type == GW_GODOT_MP_WEBSOCKET_NONE)
        return bare_head;
    return type < GW_GODOT_MP_WEBSOCKET_TYPES ? websocket_peer : NULL;
}

/* ---- packets ------------------------------------------------------------------------------------------- */

/* In a call whose node id is an offset, PATH follows; it is added by the reader. */
static const uint8_t call[] = { R(NODE_ID), R(METHOD_ID), R(ARGUMENT_COUNT), R(ARGUMENT), END };
static const uint8_t bytes_call[] = { R(NODE_ID), R(METHOD_ID), R(BYTES), END };
static const uint8_t simplify_path[] = { R(CHECKSUM_TEXT), R(PATH_ID), R(PATH), END };
static const uint8_t confirm_path[] = { R(CONFIRMED), R(PATH_ID), END };
static const uint8_t raw[] = { R(DATA), END };
static const uint8_t spawn[] = { R(SCENE),       R(SPAWNER),  R(NET_ID), R(SYNC_COUNT),
                                 R(NAME_LENGTH), R(SYNC_IDS), R(NAME),   R(CUSTOM_SIZE),
                                 R(CUSTOM),      R(STATE),    END };
static const uint8_t despawn[] = { R(NET_ID), END };
static const uint8_t plain_sync[] = { R(TIME), R(UPDATE), END };
static const uint8_t delta_sync[] = { R(UPDATE), END };
static const uint8_t system_command[] = { R(SUB_COMMAND), END };
static const uint8_t call_3[] = { R(NODE_ID), R(METHOD), R(ARGUMENT_COUNT), R(ARGUMENT), END };
static const uint8_t set_3[] = { R(NODE_ID), R(PROPERTY), R(VALUE), END };
static const uint8_t simplify_path_3[] = { R(PATH_ID), R(PATH), END };
static const uint8_t confirm_path_3[] = { R(PATH), END };

const uint8_t gw_godot_mp_update_fields[] = { R(NET_ID), R(SIZE), R(VALUE), END };
const uint8_t gw_godot_mp_delta_fields[] = { R(NET_ID), R(INDEXES), R(SIZE), R(VALUE), END };

static const struct {
    const char *name;
    const uint8_t *four; /* NULL: not in Godot 4 */
    const uint8_t *three;
} commands[GW_GODOT_MP_COMMANDS] = {
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

/* The name of the command in the engine. */
const char *gw_godot_mp_command_name(gw_godot_mp_command command)
{
    return commands[command < GW_GODOT_MP_COMMANDS ? command : GW_GODOT_MP_UNKNOWN].name;
}

/* The command of a command byte. In Godot 3 the byte is its number, and GW_GODOT_MP_UNKNOWN is returned if there is no
 * such command; in Godot 4 the low three bits are, and the others are flags. */
gw_godot_mp_command gw_godot_mp_command_of(gw_godot_generation generation, uint8_t byte)
{
    /* By the number on the wire. In Godot 4 it has three bits, all of whose values are commands. */
    static const uint8_t four[] = { F(CALL),  F(SIMPLIFY_PATH), F(CONFIRM_PATH), F(RAW),
                                    F(SPAWN), F(DESPAWN),       F(SYNC),         F(SYSTEM) };
    static const uint8_t three[] = { F(CALL), F(SET), F(SIMPLIFY_PATH), F(CONFIRM_PATH), F(RAW) };
    if (generation == GW_GODOT_4)
        return (gw_godot_mp_command)four[byte & GW_GODOT_MP_COMMAND_MASK];
    return byte < sizeof three ? (gw_godot_mp_command)three[byte] : GW_GODOT_MP_UNKNOWN;
}

/* The fields after the command byte, up to GW_GODOT_MP_ROLE_NONE; NULL: the generation has no such command. In Godot 4
 * the flags in `byte` select the fields of a call (raw bytes instead of values) or of a sync (delta or full). */
const uint8_t *gw_godot_mp_layout(gw_godot_generation generation, gw_godot_mp_command command, uint8_t byte)
{
    if (generation != GW_GODOT_4)
        return commands[command].three;
    if (command == GW_GODOT_MP_CALL && byte & GW_GODOT_MP_BYTES_ONLY)
        return bytes_call;
    if (command == GW_GODOT_MP_SYNC && byte & GW_GODOT_MP_DELTA)
        return delta_sync;
    return commands[command].four;
}

/* The fields after the sub-command of a SYSTEM packet; NULL: the sub-command is unknown. */
const uint8_t *gw_godot_mp_system_layout(uint32_t system)
{
    static const uint8_t peer[] = { R(PEER), END };
    static const uint8_t relay[] = { R(RELAY_PEER), R(PACKET), END };
    static const uint8_t *const layouts[GW_GODOT_MP_SYSTEMS] = {
        [F(AUTH)] = raw,
        [F(ADD_PEER)] = peer,
        [F(DELETE_PEER)] = peer,
        [F(RELAY)] = relay,
    };
    return system < GW_GODOT_MP_SYSTEMS ? layouts[system] : NULL;
}
