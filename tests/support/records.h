/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What an engine said it sent: pcaps/godot/variant/records, one flat JSON object a line.
 */
#ifndef GAMEWIRE_TESTS_RECORDS_H
#define GAMEWIRE_TESTS_RECORDS_H

#include <stdbool.h>
#include <stdio.h>

#define RECORD_TEXT 8192

typedef struct engine_record {
    unsigned packet;
    bool full_objects;
    char text[RECORD_TEXT];
    char received[RECORD_TEXT]; /* empty when it read back what it sent */
} engine_record;

/* The next line; false at the end. A line that is not as described fails the test. Half a surrogate pair
 * becomes the three bytes that it would be in UTF-8. */
bool next_record(FILE *file, engine_record *record);

#endif
