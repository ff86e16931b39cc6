/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The layout of every packet.
 */
#include <gamewire/bytes.h>

#include "internal.h"

/* Short names for the entries of the lists below. */
#define F(name) GW_GODOT_MP_##name
#define R(name) GW_GODOT_MP_ROLE_##name
#define END     GW_GODOT_MP_ROLE_NONE

#define ODD      GW_GODOT_MP_MAY_BE_ODD
#define APPLIED  GW_GODOT_MP_IS_APPLIED
#define EVIDENCE GW_GODOT_MP_IS_EVIDENCE

/* clang-format off */
const gw_godot_mp_row gw_godot_mp_rows[GW_GODOT_MP_ROLES] = {
    [R(PACKET)] = { SHAPE_PACKET, 0, 0 }, [R(UPDATE)] = { SHAPE_UPDATES, 0, 0 },
    [R(VARIANT)] = { SHAPE_VALUE, 0, 0 }, [R(ARGUMENT)] = { SHAPE_COUNTED, 0, 0 }, [R(CUSTOM)] = { SHAPE_VALUE, 0, 0 },
    [R(STATE)] = { SHAPE_VALUES, 0, 0 }, [R(VALUE)] = { SHAPE_VALUES, 0, 0 }, /* all others are SHAPE_REST */

    [R(HEAD_TYPE)] = { SHAPE_NUMBER, 1, APPLIED }, [R(SOURCE)] = { SHAPE_SIGNED, 4, ODD | EVIDENCE },
    [R(TARGET)] = { SHAPE_SIGNED, 4, EVIDENCE }, [R(PEER_COMMAND)] = { SHAPE_NUMBER, 4, 0 },
    [R(PEER)] = { SHAPE_SIGNED, 4, ODD | EVIDENCE }, [R(ASSIGNED)] = { SHAPE_SIGNED, 4, ODD },

    [R(COMMAND)] = { SHAPE_NUMBER, 1, ODD }, [R(SUB_COMMAND)] = { SHAPE_NUMBER, 1, APPLIED | EVIDENCE },
    [R(RELAY_PEER)] = { SHAPE_SIGNED, 4, 0 }, [R(NODE_ID)] = { SHAPE_NODE_ID, 0, ODD | APPLIED | EVIDENCE },
    [R(METHOD_ID)] = { SHAPE_METHOD_ID, 0, ODD }, [R(METHOD)] = { SHAPE_STRING, 0, ODD | EVIDENCE },
    [R(PROPERTY)] = { SHAPE_STRING, 0, ODD | EVIDENCE }, [R(ARGUMENT_COUNT)] = { SHAPE_NUMBER, 1, APPLIED | EVIDENCE },
    [R(PATH)] = { SHAPE_STRING, 0, ODD | EVIDENCE }, [R(CHECKSUM_TEXT)] = { SHAPE_CHECKSUM, 33, ODD | EVIDENCE },
    [R(PATH_ID)] = { SHAPE_NUMBER, 4, EVIDENCE }, [R(CONFIRMED)] = { SHAPE_NUMBER, 1, ODD },
    [R(SCENE)] = { SHAPE_NUMBER, 1, 0 }, [R(SPAWNER)] = { SHAPE_NUMBER, 4, EVIDENCE },
    [R(SYNC_COUNT)] = { SHAPE_NUMBER, 4, 0 }, [R(NAME_LENGTH)] = { SHAPE_NUMBER, 4, 0 },
    [R(SYNC_IDS)] = { SHAPE_IDS, 0, 0 }, [R(NAME)] = { SHAPE_NAME, 0, ODD | EVIDENCE },
    [R(CUSTOM_SIZE)] = { SHAPE_NUMBER, 4, EVIDENCE }, [R(TIME)] = { SHAPE_NUMBER, 2, 0 },

    [R(NET_ID)] = { SHAPE_NUMBER, 4, EVIDENCE }, [R(INDEXES)] = { SHAPE_NUMBER, 8, 0 },
    [R(SIZE)] = { SHAPE_NUMBER, 4, APPLIED | EVIDENCE },
};
/* clang-format on */

/* ---- heads --------------------------------------------------------------------------------------------- */

static const uint8_t bare_head[] = { R(PACKET), END };
static const uint8_t enet_head[] = { R(SOURCE), R(TARGET), R(PACKET), END };
static const uint8_t websocket_head[] = { R(HEAD_TYPE), R(SOURCE), R(TARGET), R(PACKET), END };
static const uint8_t websocket_peer[] = { R(HEAD_TYPE), R(SOURCE), R(TARGET), R(PEER), END };
static const uint8_t assigned_head[] = { R(ASSIGNED), END };
static const uint8_t peer_message[] = { R(PEER_COMMAND), R(PEER), END };
/* Heads that cannot be read any further. */
static const uint8_t unknown_type[] = { R(HEAD_TYPE), END };
static const uint8_t unknown_peer_message[] = { R(PEER_COMMAND), END };

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

/* The first fields of a message, of at least one byte, in this form, up to GW_GODOT_MP_ROLE_NONE; for an unknown form,
 * those of Godot 4. `pending` is set to the fault if the type or peer command, the first field, is unknown. */
const uint8_t *gw_godot_mp_head(gw_godot_mp_form form, const uint8_t *bytes, uint32_t length, uint8_t *pending)
{
    /* Godot 3 over ENet: a message about a peer, which has no packet, is eight bytes long, a command and a peer id; one
     * with a packet has nine or more. */
    bool is_peer_message = form == GW_GODOT_MP_3_ENET && length == 8;
    *pending = GW_GODOT_MP_FAULT_NONE;
    if ((form == GW_GODOT_MP_3_WEBSOCKET && bytes[0] >= GW_GODOT_MP_WEBSOCKET_TYPES) ||
        (is_peer_message && gw_le32(bytes) > 1)) {
        *pending = GW_GODOT_MP_FAULT_HEAD_UNKNOWN;
        return is_peer_message ? unknown_peer_message : unknown_type;
    }
    if (is_peer_message)
        return peer_message;
    /* A packet follows type NONE, the id of a peer all others. */
    if (form == GW_GODOT_MP_3_WEBSOCKET && bytes[0] != GW_GODOT_MP_WEBSOCKET_NONE)
        return websocket_peer;
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

/* ---- packets ------------------------------------------------------------------------------------------- */

/* In a call whose node id is an offset, PATH follows; it is added by the reader. */
static const uint8_t call[] = { R(COMMAND), R(NODE_ID), R(METHOD_ID), R(ARGUMENT_COUNT), R(ARGUMENT), END };
static const uint8_t bytes_call[] = { R(COMMAND), R(NODE_ID), R(METHOD_ID), R(BYTES), END };
static const uint8_t simplify_path[] = { R(COMMAND), R(CHECKSUM_TEXT), R(PATH_ID), R(PATH), END };
static const uint8_t confirm_path[] = { R(COMMAND), R(CONFIRMED), R(PATH_ID), END };
static const uint8_t raw[] = { R(COMMAND), R(DATA), END };
static const uint8_t spawn[] = { R(COMMAND),     R(SCENE),    R(SPAWNER), R(NET_ID), R(SYNC_COUNT),
                                 R(NAME_LENGTH), R(SYNC_IDS), R(NAME),    R(STATE),  END };
static const uint8_t custom_spawn[] = { R(COMMAND),  R(SCENE), R(SPAWNER),     R(NET_ID), R(SYNC_COUNT), R(NAME_LENGTH),
                                        R(SYNC_IDS), R(NAME),  R(CUSTOM_SIZE), R(CUSTOM), R(STATE),      END };
static const uint8_t despawn[] = { R(COMMAND), R(NET_ID), END };
static const uint8_t plain_sync[] = { R(COMMAND), R(TIME), R(UPDATE), END };
static const uint8_t delta_sync[] = { R(COMMAND), R(UPDATE), END };
static const uint8_t system_command[] = { R(COMMAND), R(SUB_COMMAND), END };
static const uint8_t authentication[] = { R(COMMAND), R(SUB_COMMAND), R(DATA), END };
static const uint8_t system_peer[] = { R(COMMAND), R(SUB_COMMAND), R(PEER), END };
static const uint8_t relay[] = { R(COMMAND), R(SUB_COMMAND), R(RELAY_PEER), R(PACKET), END };
static const uint8_t call_3[] = { R(COMMAND), R(NODE_ID), R(METHOD), R(ARGUMENT_COUNT), R(ARGUMENT), END };
static const uint8_t set_3[] = { R(COMMAND), R(NODE_ID), R(PROPERTY), R(VALUE), END };
static const uint8_t simplify_path_3[] = { R(COMMAND), R(PATH_ID), R(PATH), END };
static const uint8_t confirm_path_3[] = { R(COMMAND), R(PATH), END };
static const uint8_t unknown_command[] = { R(COMMAND), END };

const uint8_t gw_godot_mp_old_confirmation[] = { R(COMMAND), R(CONFIRMED), R(PATH), END };
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

/* True for a byte of a path: not a control character. */
static bool is_printable(uint8_t byte)
{
    return byte >= 0x20 && byte != 0x7F;
}

/* True if the bytes after the flag of a CONFIRM_PATH of Godot 4 are a path, as Godot 4.0 to 4.2 send it; 4.3 and later send
 * an id. Four bytes are a path only if they are three characters and a NUL: as an id, this would need six million paths.
 * Fewer bytes are no id, and a path if they end in a NUL; more than four are a path by their first character. */
static bool is_old_confirmation(const uint8_t *rest, uint32_t length)
{
    if (!length || !is_printable(rest[0]))
        return false;
    if (length == 4)
        return is_printable(rest[1]) && is_printable(rest[2]) && !rest[3];
    return length > 4 || !rest[length - 1];
}

/* The fields of a packet of Godot 4, as far as they are known: flags in the command byte, or the byte after it, select
 * those of some commands. */
static const uint8_t *layout_4(gw_godot_mp_command command, const uint8_t *bytes, uint32_t length, uint8_t *pending)
{
    static const uint8_t *const systems[GW_GODOT_MP_SYSTEMS] = {
        [F(AUTH)] = authentication,
        [F(ADD_PEER)] = system_peer,
        [F(DELETE_PEER)] = system_peer,
        [F(RELAY)] = relay,
    };
    switch (command) {
    case GW_GODOT_MP_CALL:
        if ((bytes[0] & GW_GODOT_MP_NODE_MASK) == GW_GODOT_MP_NODE_MASK) { /* ids have 1, 2 or 4 bytes */
            *pending = GW_GODOT_MP_FAULT_ID_SIZE_UNKNOWN;
            return unknown_command;
        }
        return bytes[0] & GW_GODOT_MP_BYTES_ONLY ? bytes_call : call;
    case GW_GODOT_MP_CONFIRM_PATH:
        return length > 2 && is_old_confirmation(bytes + 2, length - 2) ? gw_godot_mp_old_confirmation : confirm_path;
    case GW_GODOT_MP_SPAWN:
        return length > 1 && bytes[1] == GW_GODOT_MP_CUSTOM_SCENE ? custom_spawn : spawn;
    case GW_GODOT_MP_SYNC:
        return bytes[0] & GW_GODOT_MP_DELTA ? delta_sync : plain_sync;
    case GW_GODOT_MP_SYSTEM:
        if (length > 1 && bytes[1] < GW_GODOT_MP_SYSTEMS)
            return systems[bytes[1]];
        *pending = GW_GODOT_MP_FAULT_SYSTEM_UNKNOWN; /* if there is a sub-command at all */
        return system_command;
    default:
        return commands[command].four;
    }
}

/* The fields of a packet, whose `length` bytes, one or more, begin with the command byte. `pending` is set to the fault
 * if only the first of them are known. */
const uint8_t *gw_godot_mp_layout(gw_godot_generation generation, const uint8_t *bytes, uint32_t length,
                                  uint8_t *pending)
{
    gw_godot_mp_command command = gw_godot_mp_command_of(generation, bytes[0]);
    *pending = GW_GODOT_MP_FAULT_NONE;
    if (generation == GW_GODOT_4)
        return layout_4(command, bytes, length, pending);
    if (commands[command].three)
        return commands[command].three;
    *pending = GW_GODOT_MP_FAULT_COMMAND_UNKNOWN;
    return unknown_command;
}
