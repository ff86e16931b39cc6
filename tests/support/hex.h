/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Bytes written as hexadecimal text, in lower case, in which blanks and bars mean nothing: "4c6e 000003e9 | 28".
 * Text that is not of this form fails the test.
 */
#ifndef GAMEWIRE_TESTS_HEX_H
#define GAMEWIRE_TESTS_HEX_H

#include <stddef.h>
#include <stdint.h>

/* Writes the bytes of a text to `bytes`, which has room for `room` of them; more than that fails the test.
 * Returns their number. */
size_t hex_to_bytes(const char *hex, uint8_t *bytes, size_t room);

/* The bytes of a text on the heap, and their number in `length`; to be freed. */
uint8_t *bytes_of_hex(const char *hex, size_t *length);

/* Compares bytes with a text. */
void assert_hex_equal(const uint8_t *bytes, size_t length, const char *hex);

#endif
