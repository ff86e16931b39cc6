/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Schubfach: Raffaello Giulietti, "The Schubfach way to render doubles", 2021. Multiplications by powers of ten to
 * 128 bits; no loop over candidates, no printf, nothing that depends on the locale.
 */
#include "decimal.h"

#include <gamewire/bytes.h>

#include <stdbool.h>

#include "powers.h"

/* ---- products ------------------------------------------------------------------------------------------ */

struct product {
    uint64_t high;
    uint64_t low;
};

/* The 128 bits of a × b. */
static struct product multiply(uint64_t a, uint64_t b)
{
#if defined __SIZEOF_INT128__ && !defined GAMEWIRE_WITHOUT_INT128
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    return (struct product){ (uint64_t)(product >> 64), (uint64_t)product };
#else
    uint64_t a_low = a & UINT32_MAX, a_high = a >> 32;
    uint64_t b_low = b & UINT32_MAX, b_high = b >> 32;
    uint64_t low = a_low * b_low;
    uint64_t middle = a_high * b_low + (low >> 32);
    uint64_t other = a_low * b_high + (middle & UINT32_MAX);
    return (struct product){ a_high * b_high + (middle >> 32) + (other >> 32), other << 32 | (low & UINT32_MAX) };
#endif
}

/* `factor` times the power's significand, which has 128 bits: the upper 64 of the 192 bits of the product. The last bit
 * is also set if the lower bits are not zero, so that comparing the result is the same as comparing the whole product
 * ("round to odd"). The powers in the table are rounded up, by less than 1 in their last bit: a `middle` of 1 may be
 * this error, and counts as zero. */
static uint64_t multiply_power(const struct power *power, uint64_t factor)
{
    struct product low = multiply(power->low, factor);
    struct product high = multiply(power->high, factor);
    uint64_t middle = high.low + low.high;
    return (high.high + (middle < high.low)) | (middle > 1);
}

/* ---- exponents ----------------------------------------------------------------------------------------- */

/* Division by a power of two, rounded down, also for negative numbers. */
static int shift_down(int number, int bits)
{
    return number >= 0 ? number >> bits : -((-number + (1 << bits) - 1) >> bits);
}

/* floor(log2(10^exponent)), for exponents from -1233 to 1233: 1741647 / 2^19 is log2(10), rounded down. */
static int log2_of_power(int exponent)
{
    return shift_down(exponent * 1741647, 19);
}

/* The table has all exponents that floats and doubles need, from SMALLEST_POWER on. */
static const struct power *power_of_ten(int exponent)
{
    return &powers_of_ten[exponent - SMALLEST_POWER];
}

/* ---- from binary --------------------------------------------------------------------------------------- */

/* significand × 2^exponent; `is_lowest`: the distance to the neighbor below is half the distance to the one above. */
struct binary {
    uint64_t significand;
    int exponent;
    bool is_lowest;
};

/* digits × 10^exponent with the zeros at the end of `digits`, which are not 0, moved to the exponent. Divisors are
 * constants, so that compilers replace the divisions by multiplications. */
static struct decimal without_zeros(uint64_t digits, int exponent)
{
    if (digits % 10)
        return (struct decimal){ digits, exponent };
    for (; digits % 10000 == 0; digits /= 10000)
        exponent += 4;
    for (; digits % 10 == 0; digits /= 10)
        exponent++;
    return (struct decimal){ digits, exponent };
}

/* The decimal with the fewest digits that reads back as the number. Names as in Giulietti's paper: the number is c ×
 * 2^q, and v is the same in units of 10^k / 4; `lowest` and `highest` are the ends of the interval of decimals that
 * read back as the number, half the distance to its neighbors, in these units. The ends themselves read back as the
 * number only if c is even: otherwise the interval is one unit shorter at both ends. */
static struct decimal shortest(const struct binary *number)
{
    uint64_t c = number->significand;
    int q = number->exponent;
    bool is_odd = c & 1;
    /* 1262611 / 2^22 is log10(2), and 524031 / 2^22 is -log10(3/4), for the shorter interval of a lowest number. */
    int k = shift_down(q * 1262611 - (number->is_lowest ? 524031 : 0), 22); /* floor(log10(2^q)) or of 3/4 of it */
    int h = q + log2_of_power(-k) + 1; /* the table scales 10^-k by a power of two: h includes its inverse */
    const struct power *power = power_of_ten(-k);
    uint64_t v = multiply_power(power, (4 * c) << h);
    uint64_t lowest = multiply_power(power, (4 * c - 2 + number->is_lowest) << h) + is_odd;
    uint64_t highest = multiply_power(power, (4 * c + 2) << h) - is_odd;
    /* s and s + 1, in units of 10^k, enclose the number; `tens`: the same with one digit less, which is tried first. */
    uint64_t s = v / 4;
    uint64_t tens = s / 10;
    bool lower_fits = lowest <= 40 * tens;
    bool upper_fits = 40 * tens + 40 <= highest;
    if (s >= 10 && lower_fits != upper_fits)
        return without_zeros(tens + upper_fits, k + 1);
    lower_fits = lowest <= 4 * s;
    upper_fits = 4 * s + 4 <= highest;
    if (lower_fits != upper_fits)
        return without_zeros(s + upper_fits, k);
    /* Both or none of them read back as the number: the nearer one; at the same distance, the even one. */
    uint64_t middle = 4 * s + 2;
    return without_zeros(s + (v > middle || (v == middle && s & 1)), k);
}

/* The shortest decimal number that reads back as the number with these parts of IEEE 754. `bits`: width of the
 * fraction, without the hidden bit of the significand; `bias`: of the exponent, for a significand that is an integer.
 * Exponent 0: a subnormal number, which has no hidden bit, and the exponent of 1. is_lowest: a power of two, whose
 * neighbor below has a smaller exponent, except the smallest normal number. */
static struct decimal decimal_of_parts(uint64_t fraction, int exponent, int bits, int bias)
{
    struct binary number = { fraction, 1 - bias, false };
    if (exponent) {
        number.significand |= UINT64_C(1) << bits;
        number.exponent = exponent - bias;
        number.is_lowest = !fraction && exponent > 1;
    }
    /* Integers are converted exactly: the `below` lowest bits of the significand, its fractional part, are zero. */
    int below = -number.exponent;
    if (exponent && below >= 0 && below <= bits && !(number.significand & ((UINT64_C(1) << below) - 1)))
        return without_zeros(number.significand >> below, 0);
    return shortest(&number);
}

/* The shortest decimal that reads back as the float, which is finite and above zero. A float has 24 bits of
 * significand, 23 of them stored; the bias 150 is 127 + 23. */
struct decimal gw_decimal_of_float(float number)
{
    uint32_t bits = gw_float_bits(number);
    return decimal_of_parts(bits & 0x7FFFFF, (int)(bits >> 23 & 0xFF), 23, 150);
}

/* The same for a double: 53 bits of significand, 52 of them stored; the bias 1075 is 1023 + 52. */
struct decimal gw_decimal_of_double(double number)
{
    uint64_t bits = gw_double_bits(number);
    return decimal_of_parts(bits & UINT64_C(0xFFFFFFFFFFFFF), (int)(bits >> 52 & 0x7FF), 52, 1075);
}

/* ---- to binary ----------------------------------------------------------------------------------------- */

/* Powers of ten that a double can represent exactly. */
static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
#define LARGEST_EXACT_POWER 22

/* The nearest double, for decimals of at most nine digits in the range of a float: their digits are exact as a double.
 * Powers of ten up to 10^22 are exact, too, so that one multiplication or division is sufficient; other powers are in
 * the table, to 128 bits. */
double gw_decimal_to_double(struct decimal decimal)
{
    double digits = (double)decimal.digits;
    if (decimal.exponent >= 0 && decimal.exponent <= LARGEST_EXACT_POWER)
        return digits * powers[decimal.exponent];
    /* Both operands are exact: the quotient is rounded once. */
    if (decimal.exponent < 0 && decimal.exponent >= -LARGEST_EXACT_POWER)
        return digits / powers[-decimal.exponent];
    /* Multiplies the digits, shifted to 64 bits, by the 128 bits of the power. The product is rounded to odd, so that
     * rounding occurs only once, in the conversion to a double. The last factor is 2^exponent, which only changes the
     * exponent of the result: a double with this exponent (bias 1023) and no fraction. */
    int exponent = log2_of_power(decimal.exponent) + 1; /* of two, for the upper 64 bits of the product */
    uint64_t product = decimal.digits;
    for (; !(product >> 63); product <<= 1)
        exponent--;
    product = multiply_power(power_of_ten(decimal.exponent), product);
    return (double)product * gw_double_from_bits((uint64_t)(1023 + exponent) << 52);
}
