/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * CRC-32 (IEEE 802.3, reflected), forwards and backwards.
 */
#include "tables.h"

#define POLYNOMIAL UINT32_C(0xEDB88320)

/* The effect of four bits on the register. */
static const uint32_t nibbles[16] = {
    0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
    0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C,
};

static uint32_t forwards(uint32_t state, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        state ^= bytes[i];
        state = state >> 4 ^ nibbles[state & 15];
        state = state >> 4 ^ nibbles[state & 15];
    }
    return state;
}

/* Reverses one byte: the bit that was shifted out is known from the top bit, which is set in the polynomial. */
static uint32_t undo_byte(uint32_t state, uint8_t byte)
{
    for (int bit = 0; bit < 8; bit++)
        state = state >> 31 ? (state ^ POLYNOMIAL) << 1 | 1 : state << 1;
    return state ^ byte;
}

uint32_t gw_enet_checksum(const uint8_t *header, size_t header_length, uint32_t connect_id, const uint8_t *commands,
                          size_t length)
{
    uint8_t id[4];
    gw_store_be32(id, connect_id);
    uint32_t state = forwards(UINT32_MAX, header, header_length);
    state = forwards(state, id, sizeof id);
    return ~forwards(state, commands, length);
}

/* Processing four bytes from a state is the same as processing four zeros from that state XORed with the bytes (the
 * first byte lowest). Therefore reversing the commands and four zeros gives the state after the header, XORed with the
 * connect id. */
uint32_t gw_enet_connect_id_of(const uint8_t *header, size_t header_length, uint32_t checksum, const uint8_t *commands,
                               size_t length)
{
    uint32_t state = ~checksum;
    uint8_t id[4];
    while (length)
        state = undo_byte(state, commands[--length]);
    for (int i = 0; i < 4; i++)
        state = undo_byte(state, 0);
    gw_store_le32(id, state ^ forwards(UINT32_MAX, header, header_length));
    return gw_be32(id);
}
