/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Shared by the files of the multiplayer codec: the layout of every packet, as lists of fields.
 */
#ifndef GAMEWIRE_CODECS_GODOT_MULTIPLAYER_TABLES_H
#define GAMEWIRE_CODECS_GODOT_MULTIPLAYER_TABLES_H

#include <gamewire/godot_mp.h>

/* How a field is encoded. */
typedef enum gw_godot_mp_shape {
    SHAPE_U8,
    SHAPE_U16,
    SHAPE_U32,
    SHAPE_U64,
    SHAPE_I32,
    SHAPE_NODE_ID,   /* 1, 2 or 4 bytes by the command byte's flags */
    SHAPE_METHOD_ID, /* 1 or 2 bytes by the flags */
    SHAPE_STRING,    /* text up to a NUL */
    SHAPE_CHECKSUM,  /* 32 digits and a NUL */
    SHAPE_NAME,      /* NAME_LENGTH bytes, the last one NUL */
    SHAPE_IDS,       /* SYNC_COUNT times u32 */
    SHAPE_VALUE,     /* one value */
    SHAPE_COUNTED,   /* values; their number is `left` of the scope */
    SHAPE_VALUES,    /* values up to the end of the open item */
    SHAPE_REST,      /* bytes up to the end of the open item, if there are any */
    SHAPE_PACKET,    /* a separate item, from here to the end of the open item */
    SHAPE_UPDATES    /* separate items, up to the end of the open item */
} gw_godot_mp_shape;

/* gw_godot_mp_shape, by gw_godot_mp_role. */
extern const uint8_t gw_godot_mp_shapes[GW_GODOT_MP_ROLES];

/* Fields of a head or a packet, in wire order, ended by GW_GODOT_MP_ROLE_NONE. */
extern const uint8_t gw_godot_mp_command_field[];
extern const uint8_t gw_godot_mp_update_fields[];
extern const uint8_t gw_godot_mp_delta_fields[];
extern const uint8_t gw_godot_mp_peer_message[]; /* Godot 3 ENet, instead of a packet */

/* The first fields of a message in this form. */
const uint8_t *gw_godot_mp_head(gw_godot_mp_form form);
/* The fields after the command byte; NULL if the generation has no such command. `byte` contains the flags. */
const uint8_t *gw_godot_mp_layout(gw_godot_generation generation, gw_godot_mp_command command, uint8_t byte);
/* The fields after a sub-command of SYSTEM, NULL if it is unknown. */
const uint8_t *gw_godot_mp_system_layout(uint32_t system);
/* The fields after the WebSocket header, NULL if its type is unknown. */
const uint8_t *gw_godot_mp_websocket_layout(uint32_t type);
/* The command of a command byte. */
gw_godot_mp_command gw_godot_mp_command_of(gw_godot_generation generation, uint8_t byte);

#endif
