/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Writes headers and commands.
 */
#include "tables.h"

static void put_number(gw_output *output, uint8_t size, uint32_t number)
{
    switch (size) {
    case 1:
        gw_put_u8(output, (uint8_t)number);
        break;
    case 2:
        gw_put_be16(output, (uint16_t)number);
        break;
    default:
        gw_put_be32(output, number);
        break;
    }
}

void gw_enet_write_header(gw_output *output, uint16_t header, uint16_t sent_time, const uint32_t *checksum)
{
    gw_put_be16(output, header);
    if (header & GW_ENET_SENT_TIME_BIT)
        gw_put_be16(output, sent_time);
    if (checksum)
        gw_put_be32(output, *checksum);
}

void gw_enet_write_command(gw_output *output, const gw_enet_command *command, const uint8_t *payload)
{
    const gw_enet_command_type *type = gw_enet_command_of(command->number);
    gw_put_u8(output, (uint8_t)(command->flags | command->number));
    gw_put_u8(output, (uint8_t)command->values[GW_ENET_ROLE_CHANNEL]);
    gw_put_be16(output, (uint16_t)command->values[GW_ENET_ROLE_SEQUENCE]);
    for (const uint8_t *field = type->fields; *field && *field != GW_ENET_ROLE_PAYLOAD; field++)
        put_number(output, gw_enet_fields[*field].size, command->values[*field]);
    if (type->has_payload)
        gw_put_bytes(output, payload, command->values[GW_ENET_ROLE_LENGTH]);
}
