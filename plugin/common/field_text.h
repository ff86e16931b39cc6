/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Texts of packets as values of fields.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_FIELD_TEXT_H
#define GAMEWIRE_PLUGIN_COMMON_FIELD_TEXT_H

#include "common/compat.h"

/* The text, which is UTF-8, with its control characters as escapes (\u001b), except tab, line feed and carriage return:
 * Wireshark escapes these itself. In the pool, or `string` if it has none. */
const char *gw_field_text(wmem_allocator_t *pool, const char *string);

#endif
