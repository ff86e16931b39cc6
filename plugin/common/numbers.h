/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Display of numbers.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_NUMBERS_H
#define GAMEWIRE_PLUGIN_COMMON_NUMBERS_H

#include "common/compat.h"

#include <epan/unit_strings.h>

#include <gamewire/text.h>

/* For fields with BASE_UNIT_STRING and UNS(): the addresses of libwireshark's units are no constants on Windows. */
extern const unit_name_string gw_unit_bytes;
extern const unit_name_string gw_unit_ms;

/* Adds an enumeration whose numbers are usually written in hexadecimal: "Type: Ack only (0x4c61)". Its field is BASE_DEC
 * with value strings: filters take the names then, and with BASE_HEX, tshark -T ek would write hexadecimal text for a field
 * that its mapping declares as a number. */
static inline proto_item *gw_add_hex_enumeration(proto_tree *tree, int hf, tvbuff_t *tvb, uint32_t offset, int length,
                                                 uint32_t number)
{
    const value_string *names = (const value_string *)proto_registrar_get_nth((unsigned)hf)->strings;
    return proto_tree_add_uint_format_value(tree, hf, tvb, (int)offset, length, number, "%s (0x%0*x)",
                                            val_to_str_const(number, names, "Unknown"), 2 * length, number);
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

/* Adds an FT_DOUBLE field for the four bytes of a float: the double that is nearest to the float's shortest decimal
 * digits, 7.1 for 7.1f, not 7.09999990463257. Wireshark prints an FT_FLOAT with 6 digits, which several floats share,
 * and an FT_DOUBLE with 15. This number is the same when it is shown, extracted and used in a filter; it is computed
 * only when the field is referenced. */
static inline proto_item *gw_add_float32(proto_tree *tree, int hf, tvbuff_t *tvb, uint32_t offset, float number)
{
    double shown = proto_field_is_referenced(tree, hf) ? gw_float_to_double(number) : 0;
    return proto_tree_add_double(tree, hf, tvb, (int)offset, 4, shown);
}

#endif
