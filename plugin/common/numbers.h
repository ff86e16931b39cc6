/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Numbers as people read them.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_NUMBERS_H
#define GAMEWIRE_PLUGIN_COMMON_NUMBERS_H

#include "common/compat.h"

#include <math.h>

#include <gamewire/text.h>

/* The double that is nearest to the shortest decimal digits of a float: 7.1 for the float 7.1f, not 7.09999990463257.
 * Wireshark prints an FT_FLOAT with 6 digits, which another float has too, and an FT_DOUBLE with 15; at most 9 digits
 * tell all floats apart. As an FT_DOUBLE this number is the same when it is shown, extracted and used in a filter. */
static inline double gw_decimal_of_float(float number)
{
    char digits[64];
    gw_text text;
    /* All that needs no more digits than it has: not a number, infinite, and small integers. */
    if (!isfinite(number) || (fabsf(number) < 16777216.0f && number == truncf(number)))
        return number;
    gw_text_init(&text, digits, sizeof digits);
    gw_text_float(&text, number);
    return g_ascii_strtod(digits, NULL);
}

/* The shortest digits of a double; printf would write the decimal point of the locale. */
static inline char *gw_text_of_double(wmem_allocator_t *scope, double number)
{
    char digits[64];
    gw_text text;
    gw_text_init(&text, digits, sizeof digits);
    gw_text_double(&text, number);
    return wmem_strdup(scope, digits);
}

/* Adds an FT_DOUBLE field for the four bytes of a float; the digits are found only when somebody asks for them. */
static inline proto_item *gw_add_float32(proto_tree *tree, int hf, tvbuff_t *tvb, uint32_t offset, float number)
{
    double shown = proto_field_is_referenced(tree, hf) ? gw_decimal_of_float(number) : 0;
    return proto_tree_add_double(tree, hf, tvb, (int)offset, 4, shown);
}

#endif
