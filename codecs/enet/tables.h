/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * What the files of the ENet codec share.
 */
#ifndef GAMEWIRE_ENET_TABLES_H
#define GAMEWIRE_ENET_TABLES_H

#include <gamewire/bytes.h>
#include <gamewire/enet.h>

#define GW_ENET_COMMAND_HEADER  4
#define GW_ENET_FRAGMENT_SIZE   24 /* without its payload */
#define GW_ENET_PEER_HIGH_SHIFT 11
#define GW_ENET_CONNECT_SIZE    48
#define GW_ENET_CONNECT_1_2     40 /* its size in ENet 1.2 and in League of Legends */

/* The commands of ENet 1.3, by number; the size of GW_ENET_NO_COMMAND is 0. */
extern const gw_enet_command_type gw_enet_commands[GW_ENET_COMMANDS];

/* The type of a command in a format; NULL if it has no such command. */
const gw_enet_command_type *gw_enet_command_in(const gw_enet_format *format, uint32_t number);

/* The type of a command with this first byte in ENet 1.3; NULL if no sender writes it. */
static inline const gw_enet_command_type *gw_enet_type_of(uint8_t first)
{
    return gw_enet_is_type(first) ? &gw_enet_commands[first & GW_ENET_NUMBER_MASK] : NULL;
}

/* Where the payload's length is in a command of a type with a payload: in its last field, of two bytes; in fragments at
 * offset 6, as four numbers of the fragment follow it. */
static inline uint32_t gw_enet_length_at(const gw_enet_command_type *type)
{
    return type->size == GW_ENET_FRAGMENT_SIZE ? 6U : type->size - 2U;
}

/* The big-endian number in the `size` bytes, 1 to 4, at `at`. */
uint32_t gw_enet_number_at(const uint8_t *at, uint8_t size);

/* The oddities of a field of a command of a datagram with this header. `command` has the field, and those before it. */
uint32_t gw_enet_odd_of(const gw_enet_format *format, const gw_enet_command *command, const gw_enet_header *header,
                        uint8_t role);

/* The format of the options, which may be NULL. */
static inline const gw_enet_format *gw_enet_format_in(const gw_enet_options *options)
{
    return options && options->format ? options->format : &gw_enet_formats[GW_ENET_1_3];
}

/* True if datagrams of the format have a checksum. `checksum`: the application switched checksums on, which has no
 * effect in formats that always or never have one. */
static inline bool gw_enet_has_checksum(const gw_enet_format *format, bool checksum)
{
    return format->checksum_always || (checksum && format->checksum != GW_ENET_CHECKSUM_NONE);
}

/* The bytes of a field of the header; 0 if datagrams with such a header lack it. */
uint32_t gw_enet_header_size(const gw_enet_format *format, const gw_enet_header *header, const gw_enet_field *field);

/* The connect id with which the checksum of a datagram with this CONNECT is calculated: its sender has no peer yet, and
 * uses 0, except in formats whose session is in CONNECT in place of an id. */
static inline uint32_t gw_enet_connect_checksum_id(const gw_enet_format *format, const gw_enet_command *connect)
{
    return format->session_in_connect ? connect->values[GW_ENET_ROLE_CONNECT_ID] : 0;
}

#endif
