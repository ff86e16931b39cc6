/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Hash tables of the current file: data by keys of GW_KEY_SIZE bytes.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_TABLE_H
#define GAMEWIRE_PLUGIN_COMMON_TABLE_H

#include "common/compat.h"

/* A table may serve all connections of a file, whose number is then part of the keys, or be a connection's own: with
 * that, what one packet looks up is near in memory. An entry takes 16 bytes, 16 to 32 for slots, and its data; in a
 * wmem_map it takes 40 more. Entries stay where they are, and none is removed before the file is closed. */

typedef struct gw_table_entry gw_table_entry;

/* Initialize with zero, except is_of_file. A static table is emptied when the file is closed. */
typedef struct gw_table {
    gw_table_entry **entries; /* of each slot that is not free */
    uint32_t *hashes;         /* of each slot; 0: it is free. After the entries, in the same memory */
    uint32_t slots;           /* 0, or a power of two */
    uint32_t count : 31;      /* of entries */
    uint32_t is_of_file : 1;  /* the table itself is in file scope, and is freed with its entries */
} gw_table;

/* The data under this key; NULL: none. */
void *gw_table_find(const gw_table *table, const void *key);

/* Adds new data under a copy of the key, for which gw_table_find() found nothing: `size` bytes, all zero, aligned as a
 * pointer is, until the file is closed. */
void *gw_table_add(gw_table *table, const void *key, size_t size);

#endif
