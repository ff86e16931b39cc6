/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * What the parts of the ENet codec share.
 */
#ifndef GAMEWIRE_ENET_TABLES_H
#define GAMEWIRE_ENET_TABLES_H

#include <gamewire/bytes.h>
#include <gamewire/enet.h>

#define GW_ENET_COMMAND_HEADER 4
#define GW_ENET_FRAGMENT_SIZE  24 /* without its payload */

extern const gw_enet_field_type gw_enet_fields[GW_ENET_ROLES];

/* By number; the size of GW_ENET_NO_COMMAND is 0. */
extern const gw_enet_command_type gw_enet_commands[GW_ENET_COMMANDS];

/* The parts of a command's header, which all commands have. */
extern const uint8_t gw_enet_command_header[];

/* The type of a command with this first byte; NULL if no sender writes it. */
static inline const gw_enet_command_type *gw_enet_type_of(uint8_t first)
{
    return gw_enet_is_type(first) ? &gw_enet_commands[first & GW_ENET_NUMBER_MASK] : NULL;
}

/* The offset of the payload's length in the command: before the four numbers of fragments, or in the last field. */
static inline uint32_t gw_enet_length_at(const gw_enet_command_type *type)
{
    return type->size == GW_ENET_FRAGMENT_SIZE ? 6U : type->size - 2U;
}

uint32_t gw_enet_number_at(const uint8_t *at, uint8_t size);

/* The oddities of a field of a datagram with this header, after it was stored in `command`. */
uint32_t gw_enet_odd_of(const gw_enet_command *command, uint16_t header, uint8_t field);

void gw_enet_set_fault(gw_fault *fault, gw_enet_fault code, size_t offset, uint64_t needed);

/* True for zeros after the last command in data decompressed with FastLZ: Godot's padding. */
bool gw_enet_is_padding(const gw_enet_options *options, const uint8_t *bytes, uint32_t offset, uint32_t length);

/* True for a datagram of ENet 1.1 or 1.2, as far as it was captured. */
bool gw_enet_is_1_2(const uint8_t *bytes, uint32_t captured, uint32_t length);

bool gw_enet_all_zero(const uint8_t *bytes, uint32_t length);

#endif
