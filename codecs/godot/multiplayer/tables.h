/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * What the files of the multiplayer codec share: the layout of every packet, as lists of fields.
 */
#ifndef GAMEWIRE_CODECS_GODOT_MULTIPLAYER_TABLES_H
#define GAMEWIRE_CODECS_GODOT_MULTIPLAYER_TABLES_H

#include <gamewire/godot_multiplayer.h>

/* How a field lies on the wire. */
typedef enum gw_godot_multiplayer_shape {
    SHAPE_U8,
    SHAPE_U16,
    SHAPE_U32,
    SHAPE_U64,
    SHAPE_I32,
    SHAPE_NODE_ID,   /* 1, 2 or 4 bytes by the command byte's flags */
    SHAPE_METHOD_ID, /* 1 or 2 bytes by the flags */
    SHAPE_STRING,    /* text up to a NUL */
    SHAPE_CHECKSUM,  /* 32 digits and a NUL */
    SHAPE_NAME,      /* as many bytes as NAME_LENGTH says, the last one NUL */
    SHAPE_IDS,       /* as many u32 as SYNC_COUNT says */
    SHAPE_VALUE,     /* one value */
    SHAPE_COUNTED,   /* as many values as the scope's `left` says */
    SHAPE_VALUES,    /* values up to the end of what is open */
    SHAPE_REST,      /* bytes up to the end of what is open, or nothing */
    SHAPE_PACKET,    /* an item of its own, from here to the end of what is open */
    SHAPE_UPDATES    /* items of their own, up to the end of what is open */
} gw_godot_multiplayer_shape;

typedef struct gw_godot_multiplayer_field_type {
    const char *name;
    uint8_t shape; /* gw_godot_multiplayer_shape */
} gw_godot_multiplayer_field_type;

extern const gw_godot_multiplayer_field_type gw_godot_multiplayer_fields[GW_GODOT_MULTIPLAYER_ROLES];

/* Fields of a head or a packet, in wire order, ended by GW_GODOT_MULTIPLAYER_ROLE_NONE. */
extern const uint8_t gw_godot_multiplayer_command_field[];
extern const uint8_t gw_godot_multiplayer_update_fields[];
extern const uint8_t gw_godot_multiplayer_delta_fields[];
extern const uint8_t gw_godot_multiplayer_peer_message[]; /* Godot 3 ENet, instead of a packet */

/* What a message of this form begins with. */
const uint8_t *gw_godot_multiplayer_head(gw_godot_multiplayer_form form);
/* What follows the command byte; NULL when the generation has no such command. `byte` has the flags. */
const uint8_t *gw_godot_multiplayer_layout(gw_godot_generation generation, gw_godot_multiplayer_command command,
                                           uint8_t byte);
/* What follows a sub-command of SYSTEM, NULL if unknown. */
const uint8_t *gw_godot_multiplayer_system_layout(uint32_t system);
/* What follows the WebSocket head, NULL if unknown. */
const uint8_t *gw_godot_multiplayer_websocket_layout(uint32_t type);
/* The command of a command byte. */
gw_godot_multiplayer_command gw_godot_multiplayer_command_of(gw_godot_generation generation, uint8_t byte);

#endif
