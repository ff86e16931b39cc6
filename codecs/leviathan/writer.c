/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Writes packets, messages and components by the tables that the reader uses.
 */
#include "tables.h"

#define MOST_ACK_BITS (255 * 8)

/* Writes the header of a normal packet; the caller writes its messages. `acked`: the acknowledged packet ids,
 * ascending; without any, start ack is 0 and their fields are absent. `reading` (how acks are numbered): its value, 0
 * (as the engine) or 1 (as documented), is the distance from start ack to the id of bit 0, which is the first one. With
 * 1, packet 1 cannot be the first id: start ack would be 0. */
void gw_leviathan_write_packet(gw_output *output, uint32_t packet_id, const uint32_t *acked, size_t acked_count,
                               gw_leviathan_ack_reading reading, uint8_t message_count)
{
    uint32_t start_ack = acked_count ? acked[0] - (uint32_t)reading : 0;
    gw_put_be16(output, GW_LEVIATHAN_NORMAL_PACKET);
    gw_put_be32(output, packet_id);
    gw_put_be32(output, start_ack);
    if (start_ack) {
        /* Bit 0 is the first id; ids that are too far above it for the count of bytes are left out. */
        uint8_t bits[MOST_ACK_BITS / 8] = { 0 }, count = 0; /* of bytes: up to the last bit that is set */
        for (size_t i = 0; i < acked_count && acked[i] - acked[0] < MOST_ACK_BITS; i++) {
            uint32_t bit = acked[i] - acked[0];
            bits[bit / 8] = (uint8_t)(bits[bit / 8] | 1U << bit % 8);
            count = (uint8_t)(bit / 8 + 1);
        }
        gw_put_u8(output, count);
        gw_put_bytes(output, bits, count);
    }
    gw_put_u8(output, message_count);
}

/* A whole ack-only packet: the type, the number of ids, and the ids. */
void gw_leviathan_write_ack_only(gw_output *output, const uint32_t *ids, uint8_t count)
{
    gw_put_be16(output, GW_LEVIATHAN_ACK_ONLY_PACKET);
    gw_put_u8(output, count);
    for (unsigned i = 0; i < count; i++)
        gw_put_be32(output, ids[i]);
}

/* Writes one value for each field of the list, in the form of the field's type. */
static void write_values(gw_output *output, const uint8_t *fields, const gw_leviathan_value *values)
{
    for (const gw_leviathan_value *value = values; *fields; fields++, value++) {
        uint8_t type = gw_leviathan_fields[*fields].type;
        switch (type) {
        case GW_LEVIATHAN_U8:
        case GW_LEVIATHAN_BOOL:
            gw_put_u8(output, (uint8_t)value->number);
            break;
        case GW_LEVIATHAN_U16:
            gw_put_be16(output, (uint16_t)value->number);
            break;
        case GW_LEVIATHAN_U32:
        case GW_LEVIATHAN_I32:
            gw_put_be32(output, (uint32_t)value->number);
            break;
        case GW_LEVIATHAN_U64:
            gw_put_be64(output, (uint64_t)value->number);
            break;
        case GW_LEVIATHAN_FLOAT3:
        case GW_LEVIATHAN_FLOAT4:
            for (int i = 0; i < (type == GW_LEVIATHAN_FLOAT3 ? 3 : 4); i++)
                gw_put_le_float(output, value->floats[i]);
            break;
        default:
            /* The bytes of GW_LEVIATHAN_REST have no length: they end with the datagram. */
            if (type != GW_LEVIATHAN_REST)
                gw_put_be32(output, value->length);
            gw_put_bytes(output, value->bytes, value->length);
            break;
        }
    }
}

/* The header and the fields of a message; only responses name the request that they answer. */
void gw_leviathan_write_message(gw_output *output, const gw_leviathan_message *message,
                                const gw_leviathan_value *values)
{
    gw_put_u8(output, message->kind);
    gw_put_be32(output, message->number);
    gw_put_be16(output, message->wire_type);
    if (message->kind == GW_LEVIATHAN_RESPONSE)
        gw_put_be32(output, message->response_to);
    write_values(output, message->type->fields, values);
}

/* The type and the fields of a component. */
void gw_leviathan_write_component(gw_output *output, uint16_t wire_type, const uint8_t *fields,
                                  const gw_leviathan_value *values)
{
    gw_put_be16(output, wire_type);
    write_values(output, fields, values);
}
