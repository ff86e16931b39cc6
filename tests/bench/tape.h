/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Documents as a list of values, for encoders: the same input for each of them.
 */
#ifndef GAMEWIRE_BENCH_TAPE_H
#define GAMEWIRE_BENCH_TAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corpus.h"

typedef enum tape_kind {
    TAPE_BOOL,
    TAPE_INT,
    TAPE_FLOAT, /* 32 bits keep the value */
    TAPE_DOUBLE,
    TAPE_TEXT,
    TAPE_ARRAY,
    TAPE_DICTIONARY,
    TAPE_END /* of a document */
} tape_kind;

typedef struct tape_value {
    uint32_t kind;  /* tape_kind */
    uint32_t count; /* members of a container, bytes of a text */
    union {
        bool boolean;
        int64_t integer;
        double real;
        const char *text;
    } of;
} tape_value;

typedef struct tape {
    tape_value *values;
    size_t length; /* TAPE_ENDs included */
} tape;

/* From Godot documents, whose texts it goes on pointing into. */
void tape_load(tape *values, const corpus *documents);
void tape_free(tape *values);

#endif
