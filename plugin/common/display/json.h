/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Writes JSON. A message as a line of JSON: common/display/json_message.h.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_JSON_H
#define GAMEWIRE_PLUGIN_COMMON_JSON_H

#include "common/compat.h"

#include <gamewire/event.h>

/* ---- text of JSON ---------------------------------------------------------------------------------------- */

/* The text of a value that is being written. A comma is written before each name and value that follows another one; a
 * container must be closed before its text is used. */
typedef struct gw_json {
    wmem_strbuf_t *text;
    uint32_t depth;     /* containers that are open */
    bool needs_comma;   /* before the next name, or value of an array: it follows another one */
    bool expects_value; /* a name was written: its value follows, without a comma */
    packet_info *pinfo; /* of a message: gw_json_begin() */
} gw_json;

/* Starts an empty text in the pool. */
void gw_json_init(gw_json *json, wmem_allocator_t *pool);

void gw_json_open_object(gw_json *json);
void gw_json_open_array(gw_json *json);
void gw_json_close_object(gw_json *json);
void gw_json_close_array(gw_json *json);

/* The name of a member of an object, of printable ASCII without quotes and backslashes; its value must follow. */
void gw_json_name(gw_json *json, const char *name);
/* The same, for a name of the packet's, which may have any bytes. */
void gw_json_name_bytes(gw_json *json, const uint8_t *name, size_t length);

/* Values. Control characters are escaped, also those beyond ASCII; bytes that are not UTF-8 are U+FFFD. */
void gw_json_null(gw_json *json);
void gw_json_bool(gw_json *json, bool value);
void gw_json_string(gw_json *json, const char *string);
void gw_json_string_bytes(gw_json *json, const uint8_t *bytes, size_t length);
/* The bytes as hexadecimal digits. */
void gw_json_hex(gw_json *json, const uint8_t *bytes, size_t length);
/* Beyond 2^53, which not every reader of JSON has exactly, {"$int": "9007199254740993"}. */
void gw_json_int(gw_json *json, int64_t number);
void gw_json_uint(gw_json *json, uint64_t number);
/* The digits of the number, as a string. */
void gw_json_int_string(gw_json *json, int64_t number);
/* The shortest digits that read back as the same number, always with a point or an exponent; {"$float": "inf"}. */
void gw_json_real(gw_json *json, double number);
/* Seconds. */
void gw_json_time(gw_json *json, const nstime_t *time);
/* The text of another gw_json, which is one value. */
void gw_json_value(gw_json *json, const gw_json *value);
/* One value that is already JSON. */
void gw_json_text(gw_json *json, const char *text, size_t length);

/* ---- members of an object -------------------------------------------------------------------------------- */

/* A name and its value. */
void gw_json_add_string(gw_json *json, const char *name, const char *string); /* NULL: left out */
void gw_json_add_uint(gw_json *json, const char *name, uint64_t number);
void gw_json_add_int(gw_json *json, const char *name, int64_t number);
void gw_json_add_bool(gw_json *json, const char *name, bool value);
void gw_json_add_true(gw_json *json, const char *name, bool value); /* left out if it is false */
void gw_json_add_time(gw_json *json, const char *name, const nstime_t *time);
void gw_json_add_time_between(gw_json *json, const char *name, const nstime_t *later, const nstime_t *earlier);
void gw_json_add_frame(gw_json *json, const char *name, uint32_t frame); /* 0: left out */
void gw_json_add_hex(gw_json *json, const char *name, tvbuff_t *tvb, gw_span span);

/* The bytes from `offset` to the end of the captured ones, as member "undecoded"; nothing if there are none. */
void gw_json_add_undecoded(gw_json *json, tvbuff_t *tvb, uint32_t offset);

#endif
