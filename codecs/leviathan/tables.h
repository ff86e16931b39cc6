/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Shared by the parts of the Leviathan codec: field tables and field lengths.
 */
#ifndef GAMEWIRE_LEVIATHAN_TABLES_H
#define GAMEWIRE_LEVIATHAN_TABLES_H

#include <gamewire/leviathan.h>

extern const gw_leviathan_field_type gw_leviathan_fields[GW_LEVIATHAN_ROLES];

/* Headers as lists of fields. */
extern const uint8_t gw_leviathan_packet_fields[];
extern const uint8_t gw_leviathan_ack_only_fields[];
extern const uint8_t gw_leviathan_request_fields[];
extern const uint8_t gw_leviathan_response_fields[];
extern const uint8_t gw_leviathan_component_fields[];

/* Ack count and packed acks, which are absent when start ack is 0. */
#define GW_LEVIATHAN_ACK_FIELDS 2

/* Bytes of each type; 0 if the length is in the bytes before the payload. */
extern const uint8_t gw_leviathan_fixed_sizes[GW_LEVIATHAN_TYPES];

#endif
