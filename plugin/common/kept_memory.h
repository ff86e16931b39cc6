/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Memory for small structures that are kept until the file is closed. Wireshark's allocator adds 16 bytes to each piece,
 * and rounds its size up to 16; here neither is done, and a piece cannot be freed.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_KEPT_MEMORY_H
#define GAMEWIRE_PLUGIN_COMMON_KEPT_MEMORY_H

#include "common/compat.h"

/* Call once, when the plugin is registered. */
void gw_register_kept_memory(void);

/* `size` bytes, which are zero and aligned as a pointer is. */
void *gw_alloc_kept(size_t size);

#endif
