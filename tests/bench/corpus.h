/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Documents to decode or encode, one after the other in memory, as documents.py writes them to a file.
 */
#ifndef GAMEWIRE_BENCH_CORPUS_H
#define GAMEWIRE_BENCH_CORPUS_H

#include <stddef.h>
#include <stdint.h>

typedef struct corpus {
    uint8_t *bytes; /* before each document its length, u32 little-endian */
    size_t size;
    size_t largest; /* bytes of the largest document */
} corpus;

typedef struct document {
    const uint8_t *bytes;
    size_t length;
} document;

/* Ends the program when the file cannot be read. */
void corpus_load(corpus *documents, const char *folder, const char *name);
void corpus_free(corpus *documents);

/* Begin with `position` 0; returns 0 after the last one. */
int corpus_next(const corpus *documents, size_t *position, document *next);

#endif
