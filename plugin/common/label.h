/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Labels of tree items.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_LABEL_H
#define GAMEWIRE_PLUGIN_COMMON_LABEL_H

#include "common/compat.h"

/* True when somebody will read the labels in this tree: texts are worth their time. */
bool gw_is_visible(proto_tree *tree);

/* True when a filter, a column, a tap or an option of tshark names the field. */
bool gw_is_asked_for(int hf);

/* The same for any of the fields of a table that was registered. */
bool gw_is_one_asked_for(const hf_register_info *fields, size_t count);

/* True when somebody reads the tree or asks for the field: proto_field_is_referenced() but for tshark before 4.4, which
 * has the whole tree made where it extracts a few fields. */
bool gw_is_referenced(proto_tree *tree, int hf);

/* The text of an item, empty, for the caller to write: it takes ITEM_LABEL_LENGTH bytes with its NUL, and may still be
 * written while the packet is dissected. NULL when nobody reads the tree. What proto_item_set_text() would format and
 * copy is written in place; valid UTF-8 without control characters, as tshark prints it as it is. */
char *gw_label_buffer(packet_info *pinfo, proto_item *item);

/* For BASE_CUSTOM: a name, and the number in hexadecimal, for numbers that people know in that form. BASE_HEX would
 * write the hexadecimal form, as text, also where tshark -T ek announces a number; BASE_CUSTOM leaves it a number. */
static inline void gw_format_hex(char *label, const value_string *names, uint32_t number, int digits)
{
    snprintf(label, ITEM_LABEL_LENGTH, "%s (0x%0*x)", val_to_str_const(number, names, "Unknown"), digits, number);
}

#endif
