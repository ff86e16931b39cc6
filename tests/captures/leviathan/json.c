// SPDX-FileCopyrightText: The Gamewire authors
// SPDX-License-Identifier: GPL-2.0-or-later

#include "json.h"

#include <inttypes.h>

static void begin_member(struct json *json, const char *key)
{
    if (json->follows)
        fputs(", ", json->out);
    if (key != NULL)
        fprintf(json->out, "\"%s\": ", key);
    json->follows = true;
}

void json_open(struct json *json, const char *key, char bracket)
{
    begin_member(json, key);
    fputc(bracket, json->out);
    json->follows = false;
}

void json_close(struct json *json, char bracket)
{
    fputc(bracket, json->out);
    json->follows = true;
}

void json_integer(struct json *json, const char *key, int64_t value)
{
    begin_member(json, key);
    fprintf(json->out, "%" PRId64, value);
}

void json_unsigned(struct json *json, const char *key, uint64_t value)
{
    begin_member(json, key);
    fprintf(json->out, "%" PRIu64, value);
}

void json_float(struct json *json, const char *key, float value)
{
    begin_member(json, key);
    fprintf(json->out, "%.9g", (double)value);
}

void json_bool(struct json *json, const char *key, bool value)
{
    begin_member(json, key);
    fputs(value ? "true" : "false", json->out);
}

void json_text(struct json *json, const char *key, const char *text, size_t size)
{
    begin_member(json, key);
    fputc('"', json->out);
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];

        if (c < 0x20)
            fprintf(json->out, "\\u%04x", c);
        else if (c == '"' || c == '\\')
            fprintf(json->out, "\\%c", c);
        else
            fputc(c, json->out);
    }
    fputc('"', json->out);
}

void json_hex(struct json *json, const char *key, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;

    begin_member(json, key);
    fputc('"', json->out);
    for (size_t i = 0; i < size; i++)
        fprintf(json->out, "%02x", byte[i]);
    fputc('"', json->out);
}
