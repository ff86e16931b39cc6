// SPDX-FileCopyrightText: The Gamewire authors
// SPDX-License-Identifier: GPL-2.0-or-later

/* A JSON writer that is just enough for one object on one line. */
#ifndef LEVIATHAN_CAPTURES_JSON_H
#define LEVIATHAN_CAPTURES_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *out;
    bool follows; /* something is before it in this object or array */
};

/* `key` is NULL inside an array and for the outermost object; `bracket` is '{' or '['. */
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);

void json_integer(struct json *json, const char *key, int64_t value);
void json_unsigned(struct json *json, const char *key, uint64_t value);
void json_float(struct json *json, const char *key, float value);
void json_bool(struct json *json, const char *key, bool value);
void json_text(struct json *json, const char *key, const char *text, size_t size);
void json_hex(struct json *json, const char *key, const void *bytes, size_t size);

#endif
