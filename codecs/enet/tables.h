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

extern const gw_enet_field_type gw_enet_fields[GW_ENET_ROLES];

/* The parts of a command's header, which all commands have. */
extern const uint8_t gw_enet_command_header[];

uint32_t gw_enet_number_at(const uint8_t *at, uint8_t size);

/* What a field of a datagram with this header has that is odd, after it was stored in `command`. */
uint32_t gw_enet_odd_of(const gw_enet_command *command, uint16_t header, uint8_t field);

void gw_enet_set_fault(gw_fault *fault, gw_enet_fault code, size_t offset, uint64_t needed);

/* Zeros after the last of the commands that FastLZ yielded: Godot's padding. */
bool gw_enet_is_padding(const gw_enet_options *options, const uint8_t *bytes, uint32_t offset, uint32_t length);

bool gw_enet_all_zero(const uint8_t *bytes, uint32_t length);

#endif
