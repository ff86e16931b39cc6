/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What every codec test includes: cmocka with the headers that it wants before it, and a few helpers.
 */
#ifndef GAMEWIRE_TESTS_TESTING_H
#define GAMEWIRE_TESTS_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Adds a test to those that main() of this library runs, in the order of the calls. */
void add_test(const char *name, CMUnitTestFunction function);

/* Defines a test, which is added before main() begins. */
#define TEST(name) \
    static void name(void **state); \
    __attribute__((constructor)) static void add_##name(void) \
    { \
        add_test(#name, name); \
    } \
    static void name(void **state __attribute__((unused)))

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* The number in an environment variable, or `otherwise`. */
unsigned long number_from_environment(const char *name, unsigned long otherwise);

/* A generator of random numbers: xorshift64*. The state may not be 0. */
struct dice {
    uint64_t state;
};
uint64_t roll(struct dice *dice);
/* A number below `sides`. */
uint32_t roll_below(struct dice *dice, uint32_t sides);

/* Switches to a locale whose decimal point is a comma, or skips the test where there is none. */
void set_comma_locale(void);

#endif
