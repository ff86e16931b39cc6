/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The shortest decimal digits of a binary floating-point number.
 */
#ifndef GAMEWIRE_DECIMAL_H
#define GAMEWIRE_DECIMAL_H

#include <stdint.h>

/* digits × 10^exponent; the last digit is not zero. */
struct decimal {
    uint64_t digits; /* at most 9 of them for a float, 17 for a double */
    int exponent;
};

/* The decimal number with the fewest digits that reads back as `number`; of several, the nearest. `number` is
 * finite and above zero. */
struct decimal gw_decimal_of_float(float number);
struct decimal gw_decimal_of_double(double number);

/* The double nearest to a decimal of at most nine digits in the range of a float. */
double gw_decimal_to_double(struct decimal decimal);

#endif
