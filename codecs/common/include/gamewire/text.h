/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * One bounded line of UTF-8 text in the caller's buffer. When the buffer is full the text ends in "…"
 * (never inside a character) and further text is ignored.
 */
#ifndef GAMEWIRE_TEXT_H
#define GAMEWIRE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gw_text {
    char *buffer;  /* the caller's; always NUL-terminated */
    size_t size;   /* of the buffer, at least GW_TEXT_MINIMUM */
    size_t length; /* without the NUL */
    bool cut;      /* something was dropped */
} gw_text;

/* Room for "…" and the NUL. */
#define GW_TEXT_MINIMUM 4

/* Starts an empty text in `size` bytes of the caller, at least GW_TEXT_MINIMUM; writes the NUL. */
void gw_text_init(gw_text *text, char *buffer, size_t size);

/* Used by gw_text_bytes() for bytes that do not fit. */
void gw_text_cut(gw_text *text, const char *bytes);

/* Appends `bytes`, which must be valid UTF-8; text that does not fit is cut at a character. Inline, since most calls
 * have a constant length. */
static inline void gw_text_bytes(gw_text *text, const char *bytes, size_t length)
{
    /* `bytes` may be NULL when length is 0. */
    if (text->cut || !length)
        return;
    if (length >= text->size - text->length) {
        gw_text_cut(text, bytes);
        return;
    }
    /* A char pointer may alias `text`: no member of it is read after the bytes are written. */
    char *end = text->buffer + text->length;
    text->length += length;
    memcpy(end, bytes, length);
    end[length] = '\0';
}

/* Appends a string that ends in NUL, which must be valid UTF-8. */
static inline void gw_text_string(gw_text *text, const char *string)
{
    gw_text_bytes(text, string, strlen(string));
}

/* Appends one character of ASCII. */
static inline void gw_text_char(gw_text *text, char character)
{
    gw_text_bytes(text, &character, 1);
}

/* The length of the control character that `bytes` begin with, of `left` bytes: one of ASCII, U+0080 to U+009F, U+2028
 * or U+2029; 0: they begin with something else. */
uint32_t gw_text_control(const uint8_t *bytes, uint32_t left);
/* True for valid UTF-8 without control characters: a text of a packet that may be printed unchanged. */
bool gw_text_is_plain(const uint8_t *bytes, uint32_t length);
/* Appends a text of a packet: control characters, quotes and backslashes as GDScript's escapes (\n, \u001b), bytes that
 * are not UTF-8 as \xff. */
void gw_text_escaped(gw_text *text, const uint8_t *bytes, uint32_t length);

/* Appends a number in decimal digits. */
void gw_text_unsigned(gw_text *text, uint64_t number);
/* Appends a number in decimal digits, with a minus sign if it is negative. */
void gw_text_signed(gw_text *text, int64_t number);
/* `digits` lower case hexadecimal digits, 1..16. */
void gw_text_hex(gw_text *text, uint64_t number, unsigned digits);

/* The shortest decimal digits that read back as the same float or double, in plain notation for exponents
 * -4..14 and in scientific notation otherwise (1e-05, 1.5e+15); "inf", "-inf", "nan", "-0". No ".0" is added to
 * whole numbers. */
void gw_text_float(gw_text *text, float number);
/* The same for a double: up to 17 significant digits. */
void gw_text_double(gw_text *text, double number);
/* The double that gw_text_float's text of a float reads back as: 0.1 for 0.1f, where a conversion gives
 * 0.100000001490116. */
double gw_float_to_double(float number);

#ifdef __cplusplus
}
#endif

#endif
