/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the fuzz targets share. A target is LLVMFuzzerTestOneInput: libFuzzer calls it, and so does small_world.c.
 * A check that fails ends the program, as a sanitizer's report does.
 */
#ifndef GAMEWIRE_FUZZ_CHECKS_H
#define GAMEWIRE_FUZZ_CHECKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gamewire/status.h>
#include <gamewire/text.h>

#define CHECK(condition) ((condition) ? (void)0 : check_failed(__FILE__, __LINE__, #condition))
#define COUNT_OF(array)  (sizeof(array) / sizeof *(array))

_Noreturn void check_failed(const char *file, int line, const char *condition);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* Heap memory, so that the sanitizer sees each byte beyond it; never NULL. */
void *allocate(size_t size);

static inline bool is_inside(uint32_t offset, uint32_t size, size_t length)
{
    return offset <= length && size <= length - offset;
}

/* The same for spans: all of it is in the input. */
static inline bool span_is_inside(gw_span span, size_t length)
{
    return is_inside(span.offset, span.length, length);
}

/* A printed text: terminated, valid UTF-8, and with "…" at its end if and only if it was cut. */
void check_text(const gw_text *text);

bool faults_are_equal(const gw_fault *one, const gw_fault *other);

/* One reader, reduced to how it ends on some bytes. */
typedef gw_fault fault_finder(const uint8_t *bytes, size_t length, const void *options);

/* What a truncated input asks for is no less than it takes: one byte short of it, all of them `filler`, which is
 * valid by itself, one is still wanted. */
void check_needed(const uint8_t *bytes, size_t length, const gw_fault *fault, uint8_t filler, fault_finder *find,
                  const void *options);

#endif
