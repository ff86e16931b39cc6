/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Writes headers and commands.
 */
#include "tables.h"

/* Writes the low `size` bytes of the number, big-endian. */
static void put_number(gw_output *output, uint32_t size, uint32_t number)
{
    for (uint32_t shift = 8 * size; shift; shift -= 8)
        gw_put_u8(output, (uint8_t)(number >> (shift - 8)));
}

/* The value of a field of the header; of a checksum, the low 32 bits. */
static uint32_t value_of(const gw_enet_header *header, uint8_t role)
{
    switch (role) {
    case GW_ENET_ROLE_WORD:
        return header->word;
    case GW_ENET_ROLE_SENT_TIME:
        return header->sent_time;
    case GW_ENET_ROLE_SESSION_ID:
        return header->session;
    case GW_ENET_ROLE_PEER_HIGH:
        return (uint32_t)header->peer >> GW_ENET_PEER_HIGH_SHIFT;
    case GW_ENET_ROLE_EXTENDED:
        return header->extended;
    case GW_ENET_ROLE_PORT_KEY:
        return header->port_key;
    case GW_ENET_ROLE_MASKED_PORT:
        return header->masked_port;
    case GW_ENET_ROLE_NONCE:
        return header->nonce;
    default:
        return (uint32_t)header->checksum;
    }
}

/* Writes the fields that a header of the format has, by the flags in header->word and by has_checksum. `format` NULL:
 * ENet 1.3. */
void gw_enet_write_header(gw_output *output, const gw_enet_format *format, const gw_enet_header *header)
{
    const gw_enet_options options = { .format = format };
    const gw_enet_format *row = gw_enet_format_in(&options);
    gw_enet_header written = gw_enet_header_of(row, header->word);
    written.has_checksum = gw_enet_has_checksum(row, header->has_checksum);
    for (const gw_enet_field *field = row->header; field->role; field++) {
        uint32_t size = gw_enet_header_size(row, &written, field);
        /* Only a checksum has eight bytes: first its upper half. */
        if (size == 8)
            put_number(output, 4, (uint32_t)(header->checksum >> 32));
        put_number(output, size == 8 ? 4 : size, value_of(header, field->role));
    }
}

/* Writes the command's first byte, its other fields by the table of its type, and its payload, if the type has one. */
void gw_enet_write_command(gw_output *output, const gw_enet_command *command, const uint8_t *payload)
{
    const gw_enet_command_type *type = command->type ? command->type : gw_enet_command_of(command->number);
    gw_put_u8(output, (uint8_t)(command->flags | command->number));
    /* The first field, the type, is written already; the row of the payload has the size 0. */
    for (const gw_enet_field *field = type->fields + 1; field->role; field++)
        put_number(output, field->size, command->values[field->role]);
    if (type->has_payload)
        gw_put_bytes(output, payload, command->values[GW_ENET_ROLE_LENGTH]);
}
