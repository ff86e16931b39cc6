/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Loads a file of documents.
 */
#include "corpus.h"

#include <stdio.h>
#include <stdlib.h>

#include <gamewire/bytes.h>

#define LENGTH_SIZE 4

static void fail(const char *path, const char *why)
{
    fprintf(stderr, "%s: %s\n", path, why);
    exit(1);
}

static size_t size_of(FILE *file)
{
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    return size < 0 ? 0 : (size_t)size;
}

static void check(corpus *documents, const char *path)
{
    size_t position = 0;
    documents->largest = 0;
    while (position < documents->size) {
        size_t left = documents->size - position;
        size_t length = left < LENGTH_SIZE ? SIZE_MAX : gw_le32(documents->bytes + position);
        if (length > left - LENGTH_SIZE)
            fail(path, "ends inside a document");
        if (length > documents->largest)
            documents->largest = length;
        position += LENGTH_SIZE + length;
    }
}

void corpus_load(corpus *documents, const char *folder, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.corpus", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail(path, "cannot be opened");
    documents->size = size_of(file);
    documents->bytes = malloc(documents->size);
    if (!documents->bytes || fread(documents->bytes, 1, documents->size, file) != documents->size)
        fail(path, "cannot be read, or is empty");
    fclose(file);
    check(documents, path);
}

void corpus_free(corpus *documents)
{
    free(documents->bytes);
}

int corpus_next(const corpus *documents, size_t *position, document *next)
{
    if (*position == documents->size)
        return 0;
    next->length = gw_le32(documents->bytes + *position);
    next->bytes = documents->bytes + *position + LENGTH_SIZE;
    *position += LENGTH_SIZE + next->length;
    return 1;
}
