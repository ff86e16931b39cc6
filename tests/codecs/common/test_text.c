/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The bounded line of text: cut at characters, and the shortest digits of a number.
 */
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>

#include <gamewire/bytes.h>
#include <gamewire/text.h>

#include "testing.h"

#define ELLIPSIS "\xE2\x80\xA6"

static char buffer[64];
static gw_text text;

static void begin(size_t size)
{
    memset(buffer, '#', sizeof buffer);
    gw_text_init(&text, buffer, size);
}

static void assert_text(const char *expected, bool cut)
{
    assert_string_equal(buffer, expected);
    assert_int_equal(text.length, strlen(expected));
    assert_int_equal(text.cut, cut);
}

/* ---- cutting ------------------------------------------------------------------------------------------- */

TEST(a_new_text_is_empty)
{
    begin(GW_TEXT_MINIMUM);
    assert_text("", false);
}

TEST(text_that_fits_exactly_is_not_cut)
{
    begin(6);
    gw_text_string(&text, "abcde");
    assert_text("abcde", false);
    assert_int_equal(buffer[6], '#');
}

TEST(text_that_does_not_fit_ends_in_an_ellipsis)
{
    begin(8);
    gw_text_string(&text, "abcdefgh");
    assert_text("abcd" ELLIPSIS, true);
    assert_int_equal(buffer[8], '#');
}

TEST(text_is_shortened_for_the_ellipsis)
{
    begin(8);
    gw_text_string(&text, "abcdef");
    gw_text_string(&text, "gh");
    assert_text("abcd" ELLIPSIS, true);
}

TEST(the_smallest_text_is_the_ellipsis_alone)
{
    begin(GW_TEXT_MINIMUM);
    gw_text_string(&text, "abc");
    assert_text("abc", false);
    gw_text_char(&text, 'd');
    assert_text(ELLIPSIS, true);
}

/* Under sanitizers memcpy() from NULL is reported, even for 0 bytes. */
TEST(without_bytes_the_address_may_be_null)
{
    begin(8);
    gw_text_bytes(&text, NULL, 0);
    assert_text("", false);
}

TEST(nothing_is_added_after_the_ellipsis)
{
    begin(8);
    gw_text_string(&text, "abcdefgh");
    gw_text_char(&text, 'x');
    gw_text_unsigned(&text, 1);
    gw_text_double(&text, 0.5);
    gw_text_bytes(&text, "", 0);
    assert_text("abcd" ELLIPSIS, true);
}

TEST(characters_are_not_split)
{
    static const struct {
        size_t size;
        const char *kept;
    } rows[] = {
        { 4, ELLIPSIS },
        { 5, ELLIPSIS },
        { 6, "\xC3\xA9" ELLIPSIS },
        { 7, "\xC3\xA9" ELLIPSIS },
        { 8, "\xC3\xA9" ELLIPSIS },
        { 9, "\xC3\xA9\xE6\x97\xA5" ELLIPSIS },
        { 12, "\xC3\xA9\xE6\x97\xA5" ELLIPSIS },
        { 13, "\xC3\xA9\xE6\x97\xA5\xF0\x9F\x8E\xAE" ELLIPSIS },
    };
    for (unsigned i = 0; i < COUNT_OF(rows); i++) {
        begin(rows[i].size);
        gw_text_string(&text, "\xC3\xA9\xE6\x97\xA5\xF0\x9F\x8E\xAE----");
        assert_text(rows[i].kept, true);
    }
}

/* ---- control characters -------------------------------------------------------------------------------- */

TEST(a_plain_text_has_no_control_characters)
{
    static const struct {
        const char *text;
        bool is_plain;
    } rows[] = {
        { "", true },           { "Player 1", true },      { "a \"quoted\" text and a \\", true },
        { "\xC3\x85sa", true }, { "\xE2\x82\xAC", true },  { "\xF0\x9F\x98\x80 and more", true },
        { "one\ntwo", false },  { "a\x7F", false },        { "\xC2\x9B", false },
        { "\xC2\xA0", true },   { "\xE2\x80\xA8", false }, { "\xE2\x80\xAA", true },
        { "\xC3", false },      { "a\xFF", false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint8_t *bytes = (const uint8_t *)rows[i].text;
        if (gw_text_is_plain(bytes, (uint32_t)strlen(rows[i].text)) != rows[i].is_plain)
            fail_msg("row %u", (unsigned)i);
    }
}

/* ---- integers ------------------------------------------------------------------------------------------ */

TEST(integers_in_decimal)
{
    begin(sizeof buffer);
    gw_text_unsigned(&text, 0);
    gw_text_char(&text, ' ');
    gw_text_unsigned(&text, UINT64_MAX);
    gw_text_char(&text, ' ');
    gw_text_signed(&text, INT64_MIN);
    gw_text_char(&text, ' ');
    gw_text_signed(&text, 7);
    assert_text("0 18446744073709551615 -9223372036854775808 7", false);
}

TEST(integers_in_hexadecimal)
{
    begin(sizeof buffer);
    gw_text_hex(&text, 0xAB, 2);
    gw_text_char(&text, ' ');
    gw_text_hex(&text, 0xAB, 4);
    gw_text_char(&text, ' ');
    gw_text_hex(&text, UINT64_C(0x0123456789abcdef), 16);
    gw_text_char(&text, ' ');
    gw_text_hex(&text, 0x1F, 1);
    assert_text("ab 00ab 0123456789abcdef f", false);
}

/* ---- shortest digits ----------------------------------------------------------------------------------- */

static const char *of_float(float number)
{
    begin(sizeof buffer);
    gw_text_float(&text, number);
    return buffer;
}

static const char *of_double(double number)
{
    begin(sizeof buffer);
    gw_text_double(&text, number);
    return buffer;
}

TEST(known_floats)
{
    assert_string_equal(of_float(0.1f), "0.1");
    assert_string_equal(of_float(123456789.0f), "123456790");
    assert_string_equal(of_float(1.401298464324817e-45f), "1e-45");
    assert_string_equal(of_float(FLT_MAX), "3.4028235e+38");
    assert_string_equal(of_float(FLT_MIN), "1.1754944e-38");
    assert_string_equal(of_float(1e15f), "1e+15");
    assert_string_equal(of_float(1e14f), "100000000000000");
    assert_string_equal(of_float(1e-5f), "1e-05");
    assert_string_equal(of_float(0.0001f), "0.0001");
    assert_string_equal(of_float(16777216.0f), "16777216");
}

TEST(known_doubles)
{
    assert_string_equal(of_double(0.1), "0.1");
    assert_string_equal(of_double(1e-5), "1e-05");
    assert_string_equal(of_double(1.5e15), "1.5e+15");
    assert_string_equal(of_double(123456789012345.6), "123456789012345.6");
    assert_string_equal(of_double(1.0 / 3), "0.3333333333333333");
    assert_string_equal(of_double(5e-324), "5e-324");
    assert_string_equal(of_double(DBL_MAX), "1.7976931348623157e+308");
    assert_string_equal(of_double(DBL_MIN), "2.2250738585072014e-308");
    assert_string_equal(of_double(1e100), "1e+100");
    assert_string_equal(of_double(9007199254740993.0), "9.007199254740992e+15");
    assert_string_equal(of_double(-2.25), "-2.25");
}

TEST(special_numbers)
{
    assert_string_equal(of_double((double)INFINITY), "inf");
    assert_string_equal(of_double(-(double)INFINITY), "-inf");
    assert_string_equal(of_double((double)NAN), "nan");
    assert_string_equal(of_double(-(double)NAN), "nan");
    assert_string_equal(of_double(-0.0), "-0");
    assert_string_equal(of_float(0.0f), "0");
    assert_string_equal(of_float(-INFINITY), "-inf");
}

/* Texts with fewer digits do not read back: dropping one digit, rounded up or down, gives another number. */
static size_t digits_in(const char *number)
{
    char digits[32];
    size_t count = 0;
    for (; *number && *number != 'e'; number++)
        if (*number >= '0' && *number <= '9' && (count || *number != '0'))
            digits[count++] = *number;
    while (count > 1 && digits[count - 1] == '0')
        count--;
    return count;
}

TEST(random_floats_read_back_but_shorter_texts_do_not)
{
    struct dice dice = { 42 };
    for (int i = 0; i < 200000; i++) {
        float number = gw_float_from_bits((uint32_t)(roll(&dice) >> 32));
        char shorter[32];
        if (!isfinite(number))
            continue;
        const char *shortest = of_float(number);
        assert_int_equal(gw_float_bits(strtof(shortest, NULL)), gw_float_bits(number));
        size_t digits = digits_in(shortest);
        if (digits < 2)
            continue;
        snprintf(shorter, sizeof shorter, "%.*e", (int)digits - 2, (double)number);
        assert_true(strtof(shorter, NULL) < number || strtof(shorter, NULL) > number);
    }
}

TEST(random_doubles_read_back_but_shorter_texts_do_not)
{
    struct dice dice = { 43 };
    for (int i = 0; i < 200000; i++) {
        double number = gw_double_from_bits(roll(&dice));
        char shorter[32];
        if (!isfinite(number))
            continue;
        const char *shortest = of_double(number);
        assert_true(gw_double_bits(strtod(shortest, NULL)) == gw_double_bits(number));
        size_t digits = digits_in(shortest);
        if (digits < 2)
            continue;
        snprintf(shorter, sizeof shorter, "%.*e", (int)digits - 2, number);
        assert_true(strtod(shorter, NULL) < number || strtod(shorter, NULL) > number);
    }
}

TEST(the_nearest_of_the_shortest_decimals_is_printed)
{
    /* Both ends of the interval of a float or double that is narrower below than above. */
    assert_string_equal(of_float(9.8607613e-32f), "9.8607613e-32"); /* 2^-103 */
    assert_string_equal(of_double(9.007199254740992e15), "9.007199254740992e+15");
    assert_string_equal(of_double(2.98023223876953125e-8), "2.9802322387695312e-08"); /* 2^-25 */
    assert_string_equal(of_float(4.7019774e-38f), "4.7019774e-38");                   /* 2^-124 */
    assert_string_equal(of_double(2e-323), "2e-323");
    assert_string_equal(of_double(1e23), "1e+23");
    assert_string_equal(of_double(9.5e-323), "9.4e-323");
}

/* ---- the decimal number of a float's text -------------------------------------------------------------- */

TEST(a_float_is_the_double_that_its_text_is)
{
    assert_true(gw_float_to_double(0.1f) == 0.1);
    assert_true(gw_float_to_double(-7.1f) == -7.1);
    assert_true(gw_float_to_double(16777215.0f) == 16777215.0);
    assert_true(gw_float_to_double(FLT_MAX) == 3.4028235e38);
    assert_true(gw_float_to_double(1.401298464324817e-45f) == 1e-45);
    assert_true(gw_float_to_double(-INFINITY) == -(double)INFINITY);
    assert_true(isnan(gw_float_to_double(NAN)));
    assert_true(gw_double_bits(gw_float_to_double(-0.0f)) == gw_double_bits(-0.0));
    assert_true(gw_double_bits(gw_float_to_double(0.0f)) == 0);
}

TEST(random_floats_are_the_doubles_that_their_texts_are)
{
    struct dice dice = { 44 };
    for (int i = 0; i < 1000000; i++) {
        float number = gw_float_from_bits((uint32_t)(roll(&dice) >> 32));
        if (!isfinite(number))
            continue;
        double decimal = gw_float_to_double(number);
        assert_true(gw_double_bits(decimal) == gw_double_bits(strtod(of_float(number), NULL)));
        assert_true((float)decimal == number);
    }
}

/* ---- locale -------------------------------------------------------------------------------------------- */

/* tests/run.sh creates this locale. */
TEST(numbers_do_not_depend_on_the_locale)
{
    set_comma_locale();
    known_floats(state);
    known_doubles(state);
    special_numbers(state);
    the_nearest_of_the_shortest_decimals_is_printed(state);
    a_float_is_the_double_that_its_text_is(state);
    setlocale(LC_ALL, "C");
}
