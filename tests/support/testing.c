/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * main() of the codecs' tests. Random numbers with a seed from the environment, and a locale with a decimal comma.
 */
#include "testing.h"

#include <locale.h>

unsigned long number_from_environment(const char *name, unsigned long otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoul(text, NULL, 10) : otherwise;
}

uint64_t roll(struct dice *dice)
{
    dice->state ^= dice->state >> 12;
    dice->state ^= dice->state << 25;
    dice->state ^= dice->state >> 27;
    return dice->state * UINT64_C(2685821657736338717);
}

uint32_t roll_below(struct dice *dice, uint32_t sides)
{
    return (uint32_t)((roll(dice) >> 32) * sides >> 32);
}

void set_comma_locale(void)
{
    /* POSIX and Windows name it differently. */
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "German_Germany"))
        skip();
    assert_string_equal(localeconv()->decimal_point, ",");
}

static struct CMUnitTest tests[256];
static size_t test_count;

void add_test(const char *name, CMUnitTestFunction function)
{
    if (test_count == COUNT_OF(tests))
        abort();
    tests[test_count++] = (struct CMUnitTest){ .name = name, .test_func = function };
}

/* cmocka passes over the entries that are empty. */
int main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
