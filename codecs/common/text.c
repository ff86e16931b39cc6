/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 */
#include <gamewire/text.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char ellipsis[] = "\xE2\x80\xA6";
#define ELLIPSIS_LENGTH (sizeof ellipsis - 1)

void gw_text_init(gw_text *text, char *buffer, size_t size)
{
    text->buffer = buffer;
    text->size = size;
    text->length = 0;
    text->cut = false;
    buffer[0] = '\0';
}

/* The largest number of bytes, at most `limit`, that does not end inside a UTF-8 character. */
static size_t whole_characters(const char *bytes, size_t limit)
{
    while (limit && ((unsigned char)bytes[limit] & 0xC0) == 0x80)
        limit--;
    return limit;
}

/* Replaces what is behind the last character that leaves room for the ellipsis. */
static void end_with_ellipsis(gw_text *text)
{
    size_t room = text->size - 1 - ELLIPSIS_LENGTH;
    if (text->length > room)
        text->length = whole_characters(text->buffer, room);
    memcpy(text->buffer + text->length, ellipsis, sizeof ellipsis);
    text->length += ELLIPSIS_LENGTH;
    text->cut = true;
}

void gw_text_bytes(gw_text *text, const char *bytes, size_t length)
{
    if (text->cut)
        return;
    size_t room = text->size - 1 - text->length;
    bool fits = length <= room;
    size_t taken = fits ? length : whole_characters(bytes, room);
    memcpy(text->buffer + text->length, bytes, taken);
    text->length += taken;
    text->buffer[text->length] = '\0';
    if (!fits)
        end_with_ellipsis(text);
}

void gw_text_string(gw_text *text, const char *string)
{
    gw_text_bytes(text, string, strlen(string));
}

void gw_text_char(gw_text *text, char character)
{
    /* Most of what is printed is punctuation: straight in while there is room. */
    if (!text->cut && text->length + 1 < text->size) {
        text->buffer[text->length++] = character;
        text->buffer[text->length] = '\0';
    } else {
        gw_text_bytes(text, &character, 1);
    }
}

void gw_text_unsigned(gw_text *text, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    gw_text_bytes(text, digits + at, sizeof digits - at);
}

void gw_text_signed(gw_text *text, int64_t number)
{
    if (number < 0)
        gw_text_char(text, '-');
    gw_text_unsigned(text, number < 0 ? UINT64_C(0) - (uint64_t)number : (uint64_t)number);
}

void gw_text_hex(gw_text *text, uint64_t number, unsigned digits)
{
    char hex[16];
    for (unsigned i = 0; i < digits; i++)
        hex[digits - 1 - i] = "0123456789abcdef"[number >> 4 * i & 0xF];
    gw_text_bytes(text, hex, digits);
}

/* A number as significant digits and a decimal exponent: d.ddd × 10^exponent. */
struct decimal {
    char digits[18];
    int count;
    int exponent;
};

/* Reads "d.ddde±xx", as printf's %e writes it, back into its parts, without trailing zeros. */
static void split_scientific(struct decimal *decimal, const char *scientific)
{
    decimal->count = 0;
    while (*scientific != 'e') {
        if (*scientific != '.')
            decimal->digits[decimal->count++] = *scientific;
        scientific++;
    }
    decimal->exponent = (int)strtol(scientific + 1, NULL, 10);
    while (decimal->count > 1 && decimal->digits[decimal->count - 1] == '0')
        decimal->count--;
}

static void put_zeros(gw_text *text, int count)
{
    while (count-- > 0)
        gw_text_char(text, '0');
}

static void put_plain(gw_text *text, const struct decimal *decimal)
{
    int whole = decimal->exponent + 1;
    if (whole <= 0) {
        gw_text_string(text, "0.");
        put_zeros(text, -whole);
        gw_text_bytes(text, decimal->digits, (size_t)decimal->count);
    } else if (whole >= decimal->count) {
        gw_text_bytes(text, decimal->digits, (size_t)decimal->count);
        put_zeros(text, whole - decimal->count);
    } else {
        gw_text_bytes(text, decimal->digits, (size_t)whole);
        gw_text_char(text, '.');
        gw_text_bytes(text, decimal->digits + whole, (size_t)(decimal->count - whole));
    }
}

static void put_scientific(gw_text *text, const struct decimal *decimal)
{
    char exponent[8];
    gw_text_bytes(text, decimal->digits, 1);
    if (decimal->count > 1) {
        gw_text_char(text, '.');
        gw_text_bytes(text, decimal->digits + 1, (size_t)(decimal->count - 1));
    }
    snprintf(exponent, sizeof exponent, "e%+03d", decimal->exponent);
    gw_text_string(text, exponent);
}

static void put_decimal(gw_text *text, const struct decimal *decimal, int highest_plain_exponent)
{
    if (decimal->exponent >= -4 && decimal->exponent <= highest_plain_exponent)
        put_plain(text, decimal);
    else
        put_scientific(text, decimal);
}

/* Puts what needs no digits; false when the number is finite and not zero. */
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

/* Powers of ten that a double holds exactly. */
static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

/* Writes the digits of a number that was rounded to `count` of them, without its trailing zeros. */
static void split_rounded(struct decimal *decimal, uint64_t integer, int count, int exponent)
{
    /* 9.9999995 has rounded up to ten. */
    if ((double)integer >= powers[count]) {
        integer /= 10;
        exponent++;
    }
    for (int i = count; i-- > 0; integer /= 10)
        decimal->digits[i] = (char)('0' + integer % 10);
    while (count > 1 && decimal->digits[count - 1] == '0')
        count--;
    decimal->count = count;
    decimal->exponent = exponent;
}

/* Decimal exponent of a number from 1e-5 on and below 1e15. */
static int exponent_of(double number)
{
    int exponent = -5;
    while (exponent < 0 && number >= 1 / powers[-exponent - 1])
        exponent++;
    while (exponent >= 0 && number >= powers[exponent + 1])
        exponent++;
    return exponent;
}

/* The number times ten to the power of `shift`, which may be negative. */
static double scale(double number, int shift)
{
    return shift >= 0 ? number * powers[shift] : number / powers[-shift];
}

/* As printf rounds what lies in the middle. */
static uint64_t round_to_even(double number)
{
    uint64_t integer = (uint64_t)number;
    double rest = number - (double)integer;
    return integer + (rest > 0.5 || (rest >= 0.5 && integer & 1));
}

/* Rounds to `count` digits, at most 15, and tells whether they read back as the same number. Numerator and power are
 * exact and division rounds correctly, so that the quotient is what a reader of the digits gets. */
static bool try_digits(struct decimal *decimal, double number, bool single, int count, int exponent)
{
    int shift = count - 1 - exponent;
    uint64_t integer = round_to_even(scale(number, shift));
    double back = scale((double)integer, -shift);
    if (single)
        back = (double)(float)back;
    if (back < number || back > number)
        return false;
    split_rounded(decimal, integer, count, exponent);
    return true;
}

/* The commonest numbers without printf: six to nine digits for a float, fifteen for a double. */
static bool shorten_fast(struct decimal *decimal, double number, bool single)
{
    if (number < 1e-5 || number >= 1e15)
        return false;
    int exponent = exponent_of(number);
    for (int count = single ? FLT_DIG : DBL_DIG; count <= (single ? 9 : DBL_DIG); count++)
        if (try_digits(decimal, number, single, count, exponent))
            return true;
    return false;
}

/* Digits behind the point that every number of the width has exactly; trailing zeros go later. Subnormal
 * numbers have fewer, down to none. */
static int first_precision(double number, bool single)
{
    if (number < (single ? (double)FLT_MIN : DBL_MIN))
        return 0;
    return single ? FLT_DIG - 1 : DBL_DIG - 1;
}

/* Tries ever more digits until they read back as the same number: at most 9 for a float, 17 for a double. The
 * loop ends by its break: with 17 digits every double reads back. */
static void shorten(struct decimal *decimal, double number, bool single)
{
    char scientific[32];
    for (int precision = first_precision(number, single); precision < 17; precision++) {
        snprintf(scientific, sizeof scientific, "%.*e", precision, number);
        double back = single ? (double)strtof(scientific, NULL) : strtod(scientific, NULL);
        if (!(back < number) && !(back > number))
            break;
    }
    split_scientific(decimal, scientific);
}

static void put_shortest(gw_text *text, double number, bool single)
{
    struct decimal decimal;
    if (text->cut || put_special(text, number))
        return;
    number = fabs(number);
    if (!shorten_fast(&decimal, number, single))
        shorten(&decimal, number, single);
    put_decimal(text, &decimal, 14);
}

void gw_text_float(gw_text *text, float number)
{
    put_shortest(text, (double)number, true);
}

void gw_text_double(gw_text *text, double number)
{
    put_shortest(text, number, false);
}

/* Rounds to `count` digits without printf. A product too close to the middle between two of them for this
 * arithmetic to tell the sides apart is left to it, and so are more digits than any caller has asked for yet. */
static bool round_fast(struct decimal *decimal, double number, int count)
{
    if (number < 1e-5 || number >= 1e15 || count > 9)
        return false;
    int exponent = exponent_of(number);
    double scaled = scale(number, count - 1 - exponent);
    uint64_t integer = (uint64_t)scaled;
    double rest = scaled - (double)integer;
    if (rest > 0.4999 && rest < 0.5001)
        return false;
    split_rounded(decimal, integer + (rest > 0.5), count, exponent);
    return true;
}

void gw_text_rounded(gw_text *text, double number, int digits)
{
    char scientific[32];
    struct decimal decimal;
    if (text->cut || put_special(text, number))
        return;
    if (!round_fast(&decimal, fabs(number), digits)) {
        snprintf(scientific, sizeof scientific, "%.*e", digits - 1, fabs(number));
        split_scientific(&decimal, scientific);
    }
    put_decimal(text, &decimal, digits - 1);
}
