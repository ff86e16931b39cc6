/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads one line of JSON at a time.
 */
#include "records.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct line {
    const char *at;
    const char *all;
};

static void expect(struct line *line, const char *literal)
{
    size_t length = strlen(literal);
    if (strncmp(line->at, literal, length))
        fail_msg("not a record at \"%.20s\": %s", line->at, line->all);
    line->at += length;
}

static char *put_code_point(char *to, unsigned long code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xC0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3F));
    } else {
        *to++ = (char)(0xE0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    }
    return to;
}

/* What follows a backslash. Our records write characters beyond the basic plane as they are. */
static char *put_escape(struct line *line, char *to)
{
    static const char escapes[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
    char letter = *line->at++;
    if (letter == 'u') {
        char digits[5] = "";
        memcpy(digits, line->at, strnlen(line->at, 4));
        line->at += strlen(digits);
        return put_code_point(to, strtoul(digits, NULL, 16));
    }
    for (const char *escape = escapes; *escape; escape += 2)
        if (*escape == letter) {
            *to = escape[1];
            return to + 1;
        }
    fail_msg("no escape: %c in %s", letter, line->all);
    return to;
}

static void read_string(struct line *line, char *to)
{
    char *end = to + RECORD_TEXT - 4;
    expect(line, "\"");
    while (*line->at != '"') {
        if (!*line->at || to >= end)
            fail_msg("a text without its end, or too long: %s", line->all);
        if (*line->at == '\\') {
            line->at++;
            to = put_escape(line, to);
        } else {
            *to++ = *line->at++;
        }
    }
    *to = '\0';
    line->at++;
}

static unsigned read_unsigned(struct line *line)
{
    char *end;
    unsigned long number = strtoul(line->at, &end, 10);
    assert_true(end != line->at);
    line->at = end;
    return (unsigned)number;
}

bool next_record(FILE *file, engine_record *record)
{
    static char text[4 * RECORD_TEXT];
    struct line line = { text, text };
    if (!fgets(text, sizeof text, file))
        return false;
    expect(&line, "{\"n\": ");
    record->packet = read_unsigned(&line);
    expect(&line, ", \"port\": ");
    read_unsigned(&line);
    expect(&line, ", \"label\": ");
    read_string(&line, record->text);
    expect(&line, ", \"type\": ");
    read_unsigned(&line);
    expect(&line, ", \"full_objects\": ");
    record->full_objects = *line.at == 't';
    expect(&line, record->full_objects ? "true" : "false");
    expect(&line, ", \"text\": ");
    read_string(&line, record->text);
    record->received[0] = '\0';
    if (*line.at == ',') {
        expect(&line, ", \"received\": ");
        read_string(&line, record->received);
    }
    expect(&line, "}\n");
    return true;
}
