/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Labels of numbers that people know by their hexadecimal form. BASE_HEX would put that form, as text, also where
 * tshark -T ek announces a number; BASE_CUSTOM with this leaves the value a number everywhere.
 */
#ifndef GAMEWIRE_PLUGIN_MAGIC_H
#define GAMEWIRE_PLUGIN_MAGIC_H

#include "compat.h"

static inline void gw_format_magic(char *label, const value_string *names, uint32_t number, int digits)
{
    snprintf(label, ITEM_LABEL_LENGTH, "%s (0x%0*x)", val_to_str_const(number, names, "Unknown"), digits, number);
}

#endif
