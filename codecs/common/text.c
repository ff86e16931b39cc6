/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Text into a buffer of fixed size; numbers in their shortest decimal form, in every locale the same.
 */
#include <gamewire/text.h>

#include <math.h>
#include <string.h>

#include "decimal.h"

static const char ellipsis[] = "\xE2\x80\xA6";
#define ELLIPSIS_LENGTH (sizeof ellipsis - 1)

/* Starts an empty text in `size` bytes of the caller, at least GW_TEXT_MINIMUM. */
void gw_text_init(gw_text *text, char *buffer, size_t size)
{
    text->buffer = buffer;
    text->size = size;
    text->length = 0;
    text->cut = false;
    buffer[0] = '\0';
}

/* The largest number of bytes, at most `limit`, that does not end inside a UTF-8 character: the byte after them begins
 * a character. The byte at `limit` must exist. */
static size_t whole_characters(const char *bytes, size_t limit)
{
    while (limit && ((unsigned char)bytes[limit] & 0xC0) == 0x80)
        limit--;
    return limit;
}

/* Appends as much of `bytes`, which are longer than the room that is left, as fits before an ellipsis. */
void gw_text_cut(gw_text *text, const char *bytes)
{
    /* There are more bytes than room: the byte after the last one that fits can be read. */
    size_t count = whole_characters(bytes, text->size - 1 - text->length);
    memcpy(text->buffer + text->length, bytes, count);
    text->length += count;

    /* The ellipsis follows the last character that leaves enough bytes for it. */
    size_t room = text->size - 1 - ELLIPSIS_LENGTH;
    if (text->length > room)
        text->length = whole_characters(text->buffer, room);
    memcpy(text->buffer + text->length, ellipsis, sizeof ellipsis);
    text->length += ELLIPSIS_LENGTH;
    text->cut = true;
}

/* Writes digits backward from the end of the buffer. */
struct digits {
    char characters[20];
    unsigned start;
};

/* The decimal digits of a number, at the end of the array: from `start` on. At least one, at most 20. */
static void write_digits(struct digits *digits, uint64_t number)
{
    unsigned at = sizeof digits->characters;
    do {
        digits->characters[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    digits->start = at;
}

/* Appends a number in decimal digits. */
void gw_text_unsigned(gw_text *text, uint64_t number)
{
    struct digits digits;
    write_digits(&digits, number);
    gw_text_bytes(text, digits.characters + digits.start, sizeof digits.characters - digits.start);
}

/* Appends a number in decimal digits, with its minus sign. The magnitude of the smallest number is not an int64_t: it
 * is computed unsigned. */
void gw_text_signed(gw_text *text, int64_t number)
{
    if (number < 0)
        gw_text_char(text, '-');
    gw_text_unsigned(text, number < 0 ? UINT64_C(0) - (uint64_t)number : (uint64_t)number);
}

/* Appends the lowest `digits` hexadecimal digits, 1 to 16, with zeros in front. */
void gw_text_hex(gw_text *text, uint64_t number, unsigned digits)
{
    char hex[16];
    for (unsigned i = 0; i < digits; i++)
        hex[digits - 1 - i] = "0123456789abcdef"[number >> 4 * i & 0xF];
    gw_text_bytes(text, hex, digits);
}

/* The longest text is -0.00012345678901234567; the sign is written before it. */
#define DECIMAL_SIZE 24

/* Writes `count` characters at `end`, where the caller has room, and returns the new end. */
static char *append(char *end, const char *characters, int count)
{
    memcpy(end, characters, (size_t)count);
    return end + count;
}

/* Appends `count` zeros at `end`, none if `count` is negative, and returns the new end. */
static char *append_zeros(char *end, int count)
{
    for (; count > 0; count--)
        *end++ = '0';
    return end;
}

/* Appends a positive decimal in plain notation, or in scientific notation if its exponent is below -4 or above 14. */
static void put_decimal(gw_text *text, struct decimal decimal)
{
    struct digits digits, exponent_digits;
    char buffer[DECIMAL_SIZE];
    char *end = buffer;
    write_digits(&digits, decimal.digits);
    const char *first = digits.characters + digits.start;
    int count = (int)(sizeof digits.characters - digits.start);
    int exponent = decimal.exponent + count - 1; /* of d.ddd × 10^exponent */
    int whole = exponent + 1;                    /* digits before the point */
    if (exponent < -4 || exponent > 14) {
        /* Scientific: exponents have at least two digits. */
        *end++ = *first;
        if (count > 1) {
            *end++ = '.';
            end = append(end, first + 1, count - 1);
        }
        write_digits(&exponent_digits, (uint64_t)(exponent < 0 ? -exponent : exponent));
        int exponent_count = (int)(sizeof exponent_digits.characters - exponent_digits.start);
        end = append(end, exponent < 0 ? "e-" : "e+", 2);
        end = append(append_zeros(end, 2 - exponent_count), exponent_digits.characters + exponent_digits.start,
                     exponent_count);
    } else if (whole >= count) {
        /* 1500: zeros up to the point. */
        end = append_zeros(append(end, first, count), whole - count);
    } else if (whole > 0) {
        /* 1.5 */
        end = append(end, first, whole);
        *end++ = '.';
        end = append(end, first + whole, count - whole);
    } else {
        /* 0.0015: zeros after the point. */
        end = append_zeros(append(end, "0.", 2), -whole);
        end = append(end, first, count);
    }
    gw_text_bytes(text, buffer, (size_t)(end - buffer));
}

/* Writes the minus sign of any number except nan, and all of nan, inf and 0. False if the number is finite and not
 * zero: the caller then writes its digits. */
static bool put_special(gw_text *text, double number)
{
    if (signbit(number) && !isnan(number))
        gw_text_char(text, '-');
    if (isnan(number))
        gw_text_string(text, "nan");
    else if (isinf(number))
        gw_text_string(text, "inf");
    else if (!(number < 0) && !(number > 0))
        gw_text_char(text, '0');
    else
        return false;
    return true;
}

/* Appends the shortest digits that read back as the same float. */
void gw_text_float(gw_text *text, float number)
{
    if (!text->cut && !put_special(text, (double)number))
        put_decimal(text, gw_decimal_of_float(fabsf(number)));
}

/* Appends the shortest digits that read back as the same double. */
void gw_text_double(gw_text *text, double number)
{
    if (!text->cut && !put_special(text, number))
        put_decimal(text, gw_decimal_of_double(fabs(number)));
}

/* The double of the shortest digits of a float: 0.1 for 0.1f, where a conversion gives 0.10000000149. */
double gw_float_to_double(float number)
{
    if (!isfinite(number) || (!(number < 0) && !(number > 0)))
        return (double)number;
    double positive = gw_decimal_to_double(gw_decimal_of_float(fabsf(number)));
    return number < 0 ? -positive : positive;
}
