/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Writes JSON: strings, numbers and times, and the members of an object.
 */
#include "common/display/json.h"

#include <math.h>

#include <gamewire/bytes.h>
#include <gamewire/text.h>

#define LARGEST_EXACT   ((INT64_C(1) << 53) - 1)
#define DIGITS_SIZE     32
#define NAME_SIZE       128            /* with the signs around it: of nearly all names */
#define REPLACEMENT     "\xEF\xBF\xBD" /* U+FFFD */
#define DIGITS_OF_SHORT 15 /* gw_text_double() writes numbers below 10^15 without an exponent, JSON those below 10^16 */

#define NANOSECOND_DIGITS  9
#define MICROSECOND_DIGITS 6
#define SMALLEST_PLAIN     100000 /* nanoseconds: gw_text_double() writes smaller numbers with an exponent */

/* ---- text of JSON ---------------------------------------------------------------------------------------- */

/* Starts an empty text, in the pool. */
void gw_json_init(gw_json *json, wmem_allocator_t *pool)
{
    *json = (gw_json){ .text = wmem_strbuf_new(pool, "") };
}

/* Call before each name and each value. True if a comma is before it: not before the first one, nor between a name and
 * its value. */
static bool follows_another(gw_json *json)
{
    bool follows = json->needs_comma && !json->expects_value;
    json->needs_comma = true;
    json->expects_value = false;
    return follows;
}

/* The same; writes the comma. */
static void separate(gw_json *json)
{
    if (follows_another(json))
        wmem_strbuf_append_c(json->text, ',');
}

/* Begins an object or an array, which is a value itself: its first member has no comma. */
static void open_container(gw_json *json, char bracket)
{
    separate(json);
    wmem_strbuf_append_c(json->text, bracket);
    json->needs_comma = false;
    json->depth++;
}

/* Ends the innermost object or array. What follows it has a comma. */
static void close_container(gw_json *json, char bracket)
{
    ws_assert(json->depth && !json->expects_value);
    wmem_strbuf_append_c(json->text, bracket);
    json->needs_comma = true;
    json->depth--;
}

void gw_json_open_object(gw_json *json)
{
    open_container(json, '{');
}

void gw_json_open_array(gw_json *json)
{
    open_container(json, '[');
}

void gw_json_close_object(gw_json *json)
{
    close_container(json, '}');
}

void gw_json_close_array(gw_json *json)
{
    close_container(json, ']');
}

/* ---- strings ---------------------------------------------------------------------------------------------- */

/* Appends the escape of a character of `sequence` bytes, which are at most three, because the last control character
 * (gw_text_control()) is U+2029; if `sequence` is 0, the first byte is not part of a character of UTF-8, and U+FFFD is
 * appended. */
static void append_escaped(wmem_strbuf_t *text, const uint8_t *bytes, uint32_t sequence)
{
    static const char letters[] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r', ['"'] = '"', ['\\'] = '\\'
    };
    unsigned code_point = bytes[0];
    if (sequence == 2) /* U+0080 to U+009F */
        code_point = bytes[1];
    if (sequence == 3) /* U+2028 or U+2029 */
        code_point = 0x2000 | (bytes[2] & 0x3FU);
    if (!sequence)
        wmem_strbuf_append(text, REPLACEMENT);
    else if (code_point < sizeof letters && letters[code_point])
        wmem_strbuf_append_printf(text, "\\%c", letters[code_point]);
    else
        wmem_strbuf_append_printf(text, "\\u%04x", code_point);
}

/* Appends the bytes as a string in quotes: quotes, backslashes and control characters are escaped, also those beyond
 * ASCII. */
static void append_string(wmem_strbuf_t *text, const uint8_t *bytes, size_t length)
{
    size_t plain = 0; /* start of the characters that need no escape and are not copied yet */
    wmem_strbuf_append_c(text, '"');
    for (size_t at = 0; at < length;) {
        /* Printable ASCII, as nearly all characters are. */
        if (bytes[at] >= ' ' && bytes[at] < 0x7F && bytes[at] != '"' && bytes[at] != '\\') {
            at++;
            continue;
        }
        /* A character has at most four bytes. */
        uint32_t left = (uint32_t)MIN(length - at, UINT32_C(4));
        uint32_t sequence = bytes[at] < 0x80 ? 1 : gw_utf8_sequence(bytes + at, left);
        if (bytes[at] >= 0x80 && sequence && !gw_text_control(bytes + at, left)) {
            at += sequence;
            continue;
        }
        wmem_strbuf_append_len(text, (const char *)bytes + plain, at - plain);
        append_escaped(text, bytes + at, sequence);
        at += sequence ? sequence : 1;
        plain = at;
    }
    if (length > plain)
        wmem_strbuf_append_len(text, (const char *)bytes + plain, length - plain);
    wmem_strbuf_append_c(text, '"');
}

/* Writes the name of a member, whose value must follow. */
void gw_json_name_bytes(gw_json *json, const uint8_t *name, size_t length)
{
    separate(json);
    append_string(json->text, name, length);
    wmem_strbuf_append_c(json->text, ':');
    json->expects_value = true;
}

/* The same for a name that needs no escapes. A message has dozens of names: each is appended in one step. */
void gw_json_name(gw_json *json, const char *name)
{
    char buffer[NAME_SIZE];
    gw_text text;
    size_t length = strlen(name);
    if (length > NAME_SIZE - sizeof ",\"\":") {
        gw_json_name_bytes(json, (const uint8_t *)name, length);
        return;
    }
    gw_text_init(&text, buffer, sizeof buffer);
    if (follows_another(json))
        gw_text_char(&text, ',');
    gw_text_char(&text, '"');
    gw_text_bytes(&text, name, length);
    gw_text_bytes(&text, "\":", strlen("\":"));
    wmem_strbuf_append_len(json->text, buffer, text.length);
    json->expects_value = true;
}

void gw_json_string_bytes(gw_json *json, const uint8_t *bytes, size_t length)
{
    separate(json);
    append_string(json->text, bytes, length);
}

void gw_json_string(gw_json *json, const char *string)
{
    gw_json_string_bytes(json, (const uint8_t *)string, strlen(string));
}

/* Writes the bytes as a string of hexadecimal digits. */
void gw_json_hex(gw_json *json, const uint8_t *bytes, size_t length)
{
    separate(json);
    wmem_strbuf_append_c(json->text, '"');
    for (size_t i = 0; i < length; i++) {
        wmem_strbuf_append_c(json->text, "0123456789abcdef"[bytes[i] >> 4]);
        wmem_strbuf_append_c(json->text, "0123456789abcdef"[bytes[i] & 0xF]);
    }
    wmem_strbuf_append_c(json->text, '"');
}

/* ---- words and numbers ------------------------------------------------------------------------------------ */

/* Writes a value that has no quotes: null, true, false or a number. */
static void add_word(gw_json *json, const char *word)
{
    separate(json);
    wmem_strbuf_append(json->text, word);
}

/* Writes a number that JSON does not have, or not exactly, as an object with its text: {"$int": "9007199254740993"}. */
static void add_marked(gw_json *json, const char *mark, const char *text)
{
    gw_json_open_object(json);
    gw_json_name(json, mark);
    gw_json_string(json, text);
    gw_json_close_object(json);
}

void gw_json_null(gw_json *json)
{
    add_word(json, "null");
}

void gw_json_bool(gw_json *json, bool value)
{
    add_word(json, value ? "true" : "false");
}

/* The decimal digits of a number, in the buffer of DIGITS_SIZE. `is_signed`: its bits are those of an int64_t. */
static const char *digits_of(char *buffer, bool is_signed, uint64_t number)
{
    gw_text text;
    gw_text_init(&text, buffer, DIGITS_SIZE);
    if (is_signed)
        gw_text_signed(&text, (int64_t)number);
    else
        gw_text_unsigned(&text, number);
    return buffer;
}

/* Writes a number: as digits up to 2^53 - 1, which each reader of JSON has exactly; else as {"$int": ...}. */
void gw_json_int(gw_json *json, int64_t number)
{
    char buffer[DIGITS_SIZE];
    const char *digits = digits_of(buffer, true, (uint64_t)number);
    if (number >= -LARGEST_EXACT && number <= LARGEST_EXACT)
        add_word(json, digits);
    else
        add_marked(json, "$int", digits);
}

/* As gw_json_int(), for numbers that are not negative. */
void gw_json_uint(gw_json *json, uint64_t number)
{
    char buffer[DIGITS_SIZE];
    if (number <= LARGEST_EXACT)
        add_word(json, digits_of(buffer, false, number));
    else
        add_marked(json, "$int", digits_of(buffer, false, number));
}

/* Writes the digits of a number as a string. */
void gw_json_int_string(gw_json *json, int64_t number)
{
    char buffer[DIGITS_SIZE];
    gw_json_string(json, digits_of(buffer, true, (uint64_t)number));
}

/* Rewrites a number with the exponent 15, which gw_text_double() writes in scientific form, as digits: "1.5e+15"
 * becomes 1500000000000000, with 16 digits before the point (zeros are appended up to there). A double has at most 17
 * digits: at most one is after the point. Other numbers are unchanged. */
static void expand_exponent(char *digits)
{
    char *exponent = strchr(digits, 'e');
    if (!exponent || strcmp(exponent, "e+15") != 0)
        return;
    char expanded[DIGITS_SIZE];
    int count = 0, digit_count = 0; /* `count`: of characters, with the sign */
    for (const char *at = digits; at < exponent; at++) {
        if (*at != '.' && *at != '-')
            digit_count++;
        if (*at != '.')
            expanded[count++] = *at;
    }
    for (; digit_count < DIGITS_OF_SHORT + 1; digit_count++)
        expanded[count++] = '0';
    expanded[count] = '\0';
    if (digit_count > DIGITS_OF_SHORT + 1) {
        /* Seventeen digits: the last one is after the point. */
        expanded[count + 1] = '\0';
        expanded[count] = expanded[count - 1];
        expanded[count - 1] = '.';
    }
    memcpy(digits, expanded, strlen(expanded) + 1);
}

/* Writes the shortest digits that read back as the same double. They have a point or an exponent, so that a reader does
 * not take the number for an integer. JSON has neither infinity nor NaN: {"$float": "inf"}. */
void gw_json_real(gw_json *json, double number)
{
    char digits[DIGITS_SIZE];
    gw_text text;
    if (isnan(number) || isinf(number)) {
        add_marked(json, "$float", isnan(number) ? "nan" : number > 0 ? "inf" : "-inf");
        return;
    }
    gw_text_init(&text, digits, sizeof digits);
    gw_text_double(&text, number);
    expand_exponent(digits);
    add_word(json, digits);
    if (!strpbrk(digits, ".e"))
        wmem_strbuf_append(json->text, ".0");
}

/* True if the decimals of a time, without zeros at their end, are the shortest digits that read back as the double nearest
 * to it: below 2^23 s doubles are closer to each other than nanoseconds are, and below 2^33 s than microseconds are. The
 * digits of less than 10^-4 s have an exponent. */
static bool decimals_are_shortest(uint64_t seconds, uint32_t nanoseconds, size_t decimals)
{
    if (!seconds && nanoseconds && nanoseconds < SMALLEST_PLAIN)
        return false;
    return seconds < UINT64_C(1) << 23 || (seconds < UINT64_C(1) << 33 && decimals <= MICROSECOND_DIGITS);
}

/* Writes a time in seconds, as the double that is nearest to its nine decimals. */
void gw_json_time(gw_json *json, const nstime_t *time)
{
    char digits[DIGITS_SIZE], decimals[NANOSECOND_DIGITS];
    gw_text text;
    bool is_negative = time->secs < 0 || time->nsecs < 0;
    uint64_t seconds = (uint64_t)ABS((int64_t)time->secs);
    uint32_t nanoseconds = (uint32_t)ABS(time->nsecs), left = nanoseconds;
    size_t count = NANOSECOND_DIGITS;
    for (size_t i = NANOSECOND_DIGITS; i--; left /= 10)
        decimals[i] = (char)('0' + left % 10);
    while (count > 1 && decimals[count - 1] == '0')
        count--;
    gw_text_init(&text, digits, sizeof digits);
    if (is_negative)
        gw_text_char(&text, '-');
    gw_text_unsigned(&text, seconds);
    gw_text_char(&text, '.');
    gw_text_bytes(&text, decimals, count);
    if (decimals_are_shortest(seconds, nanoseconds, count))
        add_word(json, digits);
    else
        gw_json_real(json, g_ascii_strtod(digits, NULL));
}

/* Appends a value that is JSON already. */
void gw_json_text(gw_json *json, const char *text, size_t length)
{
    separate(json);
    wmem_strbuf_append_len(json->text, text, length);
}

/* Appends the text of another gw_json, all of whose containers are closed, as a value. */
void gw_json_value(gw_json *json, const gw_json *value)
{
    ws_assert(!value->depth);
    gw_json_text(json, wmem_strbuf_get_str(value->text), wmem_strbuf_get_len(value->text));
}

/* ---- members of an object -------------------------------------------------------------------------------- */

/* The functions below add a member: its name and its value. A string that is NULL adds nothing. */
void gw_json_add_string(gw_json *json, const char *name, const char *string)
{
    if (!string)
        return;
    gw_json_name(json, name);
    gw_json_string(json, string);
}

void gw_json_add_uint(gw_json *json, const char *name, uint64_t number)
{
    gw_json_name(json, name);
    gw_json_uint(json, number);
}

void gw_json_add_int(gw_json *json, const char *name, int64_t number)
{
    gw_json_name(json, name);
    gw_json_int(json, number);
}

void gw_json_add_bool(gw_json *json, const char *name, bool value)
{
    gw_json_name(json, name);
    gw_json_bool(json, value);
}

/* Adds a member that is true; nothing if `value` is false. */
void gw_json_add_true(gw_json *json, const char *name, bool value)
{
    if (value)
        gw_json_add_bool(json, name, true);
}

void gw_json_add_time(gw_json *json, const char *name, const nstime_t *time)
{
    gw_json_name(json, name);
    gw_json_time(json, time);
}

void gw_json_add_time_between(gw_json *json, const char *name, const nstime_t *later, const nstime_t *earlier)
{
    nstime_t between;
    nstime_delta(&between, later, earlier);
    gw_json_add_time(json, name, &between);
}

/* Adds the number of a frame; nothing for frame 0. */
void gw_json_add_frame(gw_json *json, const char *name, uint32_t frame)
{
    if (frame)
        gw_json_add_uint(json, name, frame);
}

/* Adds the bytes of the span as hexadecimal digits. */
void gw_json_add_hex(gw_json *json, const char *name, tvbuff_t *tvb, gw_span span)
{
    gw_json_name(json, name);
    gw_json_hex(json, span.length ? tvb_get_ptr(tvb, (int)span.offset, (int)span.length) : NULL, span.length);
}

/* Adds the captured bytes from `offset` on as "undecoded"; nothing if there are none. */
void gw_json_add_undecoded(gw_json *json, tvbuff_t *tvb, uint32_t offset)
{
    uint32_t length = tvb_captured_length(tvb);
    if (offset < length)
        gw_json_add_hex(json, "undecoded", tvb, (gw_span){ offset, length - offset });
}
