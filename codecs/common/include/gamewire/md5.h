/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * MD5 (RFC 1321) of a text in pieces. Godot's SIMPLIFY_PATH packets contain the MD5 of a script's method names, as an
 * identifier.
 */
#ifndef GAMEWIRE_MD5_H
#define GAMEWIRE_MD5_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GW_MD5_LENGTH 16U /* bytes of a digest; it is written as twice as many hexadecimal digits */

/* The complete state. */
typedef struct gw_md5 {
    uint64_t length; /* bytes so far */
    uint32_t state[4];
    uint8_t block[64]; /* length % 64 bytes that are not processed yet */
} gw_md5;

/* Starts an empty text. */
void gw_md5_init(gw_md5 *md5);
/* Appends bytes to the text; `bytes` may be NULL when `length` is 0. */
void gw_md5_add(gw_md5 *md5, const void *bytes, size_t length);
/* Ends the text: `md5` must be initialized before it is used again. */
void gw_md5_end(gw_md5 *md5, uint8_t digest[GW_MD5_LENGTH]);

#ifdef __cplusplus
}
#endif

#endif
