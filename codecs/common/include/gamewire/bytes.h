/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Reads numbers from bytes. The functions do not check lengths: the caller ensures that the bytes exist. Alignment and
 * the host's byte order do not matter; compilers generate a single load.
 */
#ifndef GAMEWIRE_BYTES_H
#define GAMEWIRE_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads two bytes, the lowest first. */
static inline uint16_t gw_le16(const uint8_t *bytes)
{
    return (uint16_t)(bytes[0] | (uint16_t)(bytes[1] << 8));
}

/* Reads four bytes, the lowest first. */
static inline uint32_t gw_le32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Reads eight bytes, the lowest first. */
static inline uint64_t gw_le64(const uint8_t *bytes)
{
    return (uint64_t)gw_le32(bytes) | (uint64_t)gw_le32(bytes + 4) << 32;
}

/* Reads two bytes, the highest first. */
static inline uint16_t gw_be16(const uint8_t *bytes)
{
    return (uint16_t)((uint16_t)(bytes[0] << 8) | bytes[1]);
}

/* Reads four bytes, the highest first. */
static inline uint32_t gw_be32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | (uint32_t)bytes[3];
}

/* Reads eight bytes, the highest first. */
static inline uint64_t gw_be64(const uint8_t *bytes)
{
    return (uint64_t)gw_be32(bytes) << 32 | (uint64_t)gw_be32(bytes + 4);
}

/* IEEE 754 bits to a number, without the undefined behavior of a pointer cast. */
static inline float gw_float_from_bits(uint32_t bits)
{
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* The same for 64 bits. */
static inline double gw_double_from_bits(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* Reads four bytes of IEEE 754, the lowest first. */
static inline float gw_le_float(const uint8_t *bytes)
{
    return gw_float_from_bits(gw_le32(bytes));
}

/* Reads eight bytes of IEEE 754, the lowest first. */
static inline double gw_le_double(const uint8_t *bytes)
{
    return gw_double_from_bits(gw_le64(bytes));
}

/* The IEEE 754 bits of a number. */
static inline uint32_t gw_float_bits(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* The same for a double. */
static inline uint64_t gw_double_bits(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* Length of the longest prefix that is valid UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing
 * above U+10FFFF); equal to `length` when all of it is. NUL is a character like any other. */
uint32_t gw_utf8_prefix(const uint8_t *bytes, uint32_t length);

/* The UTF-8 sequence that starts at `bytes`: its length 1..4, or 0 when there is no valid one. */
uint32_t gw_utf8_sequence(const uint8_t *bytes, uint32_t left);

#ifdef __cplusplus
}
#endif

#endif
