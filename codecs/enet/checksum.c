/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * CRC-32 (IEEE 802.3) and CRC-64 (Jones), both reflected, forwards and backwards.
 */
#include "tables.h"

#define LONGEST_ID 8 /* bytes that the id takes in the covered bytes */

typedef struct crc_type {
    uint64_t polynomial;
    uint64_t nibbles[16]; /* the effect of four bits on the register */
    uint8_t size;         /* bytes of the register, and of the checksum's place */
} crc_type;

static const crc_type crc_32 = {
    0xEDB88320,
    { 0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C, 0xEDB88320,
      0xF00F9344, 0xD6D6A3E8, 0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C },
    4,
};

static const crc_type crc_64 = {
    0x95AC9329AC4BC9B5,
    { 0x0000000000000000, 0x7D08FF3B88BE6F81, 0xFA11FE77117CDF02, 0x8719014C99C2B083, 0xDF7ADABD7A6E2D6F,
      0xA2722586F2D042EE, 0x256B24CA6B12F26D, 0x5863DBF1E3AC9DEC, 0x95AC9329AC4BC9B5, 0xE8A46C1224F5A634,
      0x6FBD6D5EBD3716B7, 0x12B5926535897936, 0x4AD64994D625E4DA, 0x37DEB6AF5E9B8B5B, 0xB0C7B7E3C7593BD8,
      0xCDCF48D84FE75459 },
    8,
};

/* The CRC of this kind. The callers have excluded the kinds NONE and UNKNOWN, which cannot be verified. */
static const crc_type *crc_of(gw_enet_checksum_kind kind)
{
    return kind == GW_ENET_CRC_64 ? &crc_64 : &crc_32;
}

/* The register with all bits set: its state before the first byte, and the inversion of the result. */
static uint64_t all_ones(const crc_type *crc)
{
    return UINT64_MAX >> (64 - 8 * crc->size);
}

/* The state of the register after these bytes, from `state` on: each byte is processed as two groups of four bits. */
static uint64_t state_after(const crc_type *crc, uint64_t state, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        state ^= bytes[i];
        state = state >> 4 ^ crc->nibbles[state & 15];
        state = state >> 4 ^ crc->nibbles[state & 15];
    }
    return state;
}

/* The state of the register before this byte, whose processing led to `state`. Each of its eight steps shifted out the
 * lowest bit and, if that was 1, XORed the polynomial, whose top bit is 1: the top bit of the result is the bit that
 * was shifted out. */
static uint64_t state_before(const crc_type *crc, uint64_t state, uint8_t byte)
{
    for (int bit = 0; bit < 8; bit++)
        state = state >> (8 * crc->size - 1) ? ((state ^ crc->polynomial) << 1 | 1) & all_ones(crc) : state << 1;
    return state ^ byte;
}

/* Calculates the checksum of the covered bytes, with the connect id in the checksum's place: four bytes, in the order
 * in which CONNECT has them. In a place of eight bytes zeros follow, as hosts with little-endian numbers write it.
 * `covered`: the bytes before that place, which is as long as the CRC, and after it. */
uint64_t gw_enet_checksum(gw_enet_checksum_kind kind, const gw_enet_covered *covered, uint32_t connect_id)
{
    const crc_type *crc = crc_of(kind);
    uint8_t id[LONGEST_ID] = { 0 };
    gw_store_be32(id, connect_id);
    uint64_t state = state_after(crc, all_ones(crc), covered->before, covered->before_length);
    state = state_after(crc, state, id, crc->size);
    return state_after(crc, state, covered->after, covered->after_length) ^ all_ones(crc);
}

/* Calculates the connect id with which `checksum` is correct; false if there is none.
 *
 * Processing as many bytes as the register has is the same as processing zeros from the state XORed with the bytes (the
 * first byte lowest). Therefore reversing the bytes after it and the zeros gives the state before the id, XORed with
 * it. */
bool gw_enet_connect_id_of(gw_enet_checksum_kind kind, const gw_enet_covered *covered, uint64_t checksum,
                           uint32_t *connect_id)
{
    const crc_type *crc = crc_of(kind);
    uint64_t state = checksum ^ all_ones(crc);
    for (size_t i = covered->after_length; i; i--)
        state = state_before(crc, state, covered->after[i - 1]);
    for (int i = 0; i < crc->size; i++)
        state = state_before(crc, state, 0);
    state ^= state_after(crc, all_ones(crc), covered->before, covered->before_length);
    uint8_t id[4];
    gw_store_le32(id, (uint32_t)state);
    *connect_id = gw_be32(id);
    /* After the id, which has four bytes, a longer place has zeros. */
    return state <= UINT32_MAX;
}
