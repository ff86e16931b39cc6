/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Memory of exact size, and what holds for every text and fault.
 */
#include "checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gamewire/bytes.h>

_Noreturn void check_failed(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
    abort();
}

void *allocate(size_t size)
{
    void *memory = malloc(size ? size : 1);
    CHECK(memory);
    return memory;
}

void check_text(const gw_text *text)
{
    static const char ellipsis[] = "\xE2\x80\xA6";
    size_t tail = sizeof ellipsis - 1;
    CHECK(text->length < text->size);
    CHECK(text->buffer[text->length] == '\0');
    CHECK(gw_utf8_prefix((const uint8_t *)text->buffer, (uint32_t)text->length) == text->length);
    if (text->cut)
        CHECK(text->length >= tail && !memcmp(text->buffer + text->length - tail, ellipsis, tail));
}

bool faults_are_equal(const gw_fault *one, const gw_fault *other)
{
    return one->code == other->code && one->fault_class == other->fault_class && one->offset == other->offset &&
           one->needed == other->needed;
}

#define MOST_ADDED 4096

void check_needed(const uint8_t *bytes, size_t length, const gw_fault *fault, uint8_t filler, fault_finder *find,
                  const void *options)
{
    if (fault->fault_class != GW_FAULT_TRUNCATED) {
        CHECK(fault->needed == 0);
        return;
    }
    CHECK(fault->needed > 0);
    if (fault->needed == 1 || fault->needed > MOST_ADDED)
        return;
    size_t added = (size_t)fault->needed - 1;
    uint8_t *longer = allocate(length + added);
    memcpy(longer, bytes, length);
    memset(longer + length, filler, added);
    gw_fault still = find(longer, length + added, options);
    free(longer);
    CHECK(still.fault_class == GW_FAULT_TRUNCATED && still.needed == 1 && still.offset >= fault->offset);
}
