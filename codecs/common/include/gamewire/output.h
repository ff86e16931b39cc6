/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Writes bytes into the caller's buffer. As with snprintf, bytes past the end are not written but counted: call
 * gw_output_complete() once, at the end.
 */
#ifndef GAMEWIRE_OUTPUT_H
#define GAMEWIRE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <gamewire/bytes.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gw_output {
    uint8_t *bytes; /* the caller's; may be NULL when size is 0 */
    size_t size;
    size_t length; /* bytes written or only counted so far; if more than size, the output is incomplete */
    bool due;      /* set by a writer while a container lacks members that its count declares */
    bool misused;  /* set by a writer after a call that does not fit; stays set */
} gw_output;

/* Starts an empty output in `size` bytes of the caller, which must exist as long as it is written to. */
static inline void gw_output_init(gw_output *output, uint8_t *bytes, size_t size)
{
    output->bytes = bytes;
    output->size = size;
    output->length = 0;
    output->due = false;
    output->misused = false;
}

/* True if all bytes fit, nothing is due and all calls were valid. */
static inline bool gw_output_complete(const gw_output *output)
{
    return output->length <= output->size && !output->due && !output->misused;
}

/* Where `count` bytes are to be written, or NULL if they do not fit. They are counted in both cases. */
static inline uint8_t *gw_output_take(gw_output *output, size_t count)
{
    size_t at = output->length;
    output->length += count;
    return at <= output->size && count <= output->size - at ? output->bytes + at : NULL;
}

/* Appends `count` bytes; `bytes` may be NULL when it is 0. */
static inline void gw_put_bytes(gw_output *output, const void *bytes, size_t count)
{
    uint8_t *to = gw_output_take(output, count);
    if (to && count)
        memcpy(to, bytes, count);
}

/* Appends `count` zeros. */
static inline void gw_put_zeros(gw_output *output, size_t count)
{
    uint8_t *to = gw_output_take(output, count);
    if (to && count)
        memset(to, 0, count);
}

/* Appends one byte. */
static inline void gw_put_u8(gw_output *output, uint8_t number)
{
    uint8_t *to = gw_output_take(output, 1);
    if (to)
        to[0] = number;
}

/* Writes two bytes at `to`, which must have room, the lowest first. */
static inline void gw_store_le16(uint8_t *to, uint16_t number)
{
    to[0] = (uint8_t)number;
    to[1] = (uint8_t)(number >> 8);
}

/* Writes four bytes at `to`, which must have room, the lowest first. */
static inline void gw_store_le32(uint8_t *to, uint32_t number)
{
    to[0] = (uint8_t)number;
    to[1] = (uint8_t)(number >> 8);
    to[2] = (uint8_t)(number >> 16);
    to[3] = (uint8_t)(number >> 24);
}

/* Writes four bytes at `to`, which must have room, the highest first. */
static inline void gw_store_be32(uint8_t *to, uint32_t number)
{
    to[0] = (uint8_t)(number >> 24);
    to[1] = (uint8_t)(number >> 16);
    to[2] = (uint8_t)(number >> 8);
    to[3] = (uint8_t)number;
}

/* Appends two bytes, the lowest first. */
static inline void gw_put_le16(gw_output *output, uint16_t number)
{
    uint8_t *to = gw_output_take(output, 2);
    if (to)
        gw_store_le16(to, number);
}

/* Appends four bytes, the lowest first. */
static inline void gw_put_le32(gw_output *output, uint32_t number)
{
    uint8_t *to = gw_output_take(output, 4);
    if (to)
        gw_store_le32(to, number);
}

/* Appends eight bytes, the lowest first. */
static inline void gw_put_le64(gw_output *output, uint64_t number)
{
    uint8_t *to = gw_output_take(output, 8);
    if (to) {
        gw_store_le32(to, (uint32_t)number);
        gw_store_le32(to + 4, (uint32_t)(number >> 32));
    }
}

/* Appends two bytes, the highest first. */
static inline void gw_put_be16(gw_output *output, uint16_t number)
{
    uint8_t *to = gw_output_take(output, 2);
    if (to) {
        to[0] = (uint8_t)(number >> 8);
        to[1] = (uint8_t)number;
    }
}

/* Appends four bytes, the highest first. */
static inline void gw_put_be32(gw_output *output, uint32_t number)
{
    uint8_t *to = gw_output_take(output, 4);
    if (to)
        gw_store_be32(to, number);
}

/* Appends eight bytes, the highest first. */
static inline void gw_put_be64(gw_output *output, uint64_t number)
{
    uint8_t *to = gw_output_take(output, 8);
    if (to) {
        gw_store_be32(to, (uint32_t)(number >> 32));
        gw_store_be32(to + 4, (uint32_t)number);
    }
}

/* Appends the four bytes of IEEE 754, the lowest first. */
static inline void gw_put_le_float(gw_output *output, float number)
{
    gw_put_le32(output, gw_float_bits(number));
}

/* Appends the eight bytes of IEEE 754, the lowest first. */
static inline void gw_put_le_double(gw_output *output, double number)
{
    gw_put_le64(output, gw_double_bits(number));
}

#ifdef __cplusplus
}
#endif

#endif
