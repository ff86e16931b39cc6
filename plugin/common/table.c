/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Hash tables with chained entries, in the memory of small structures.
 */
#include "common/table.h"

#include <string.h>

#include "common/archive.h"
#include "common/keys.h"

#define LEAST_BUCKETS  64U
#define MOST_OF_BUCKET 2U /* entries, on average */

struct gw_table_entry {
    gw_table_entry *next; /* of the same bucket */
    uint8_t key[GW_KEY_SIZE];
    uint64_t data[];
};

/* Called when the file is closed, which frees all entries. False unregisters this callback: gw_table_add() registers it
 * again with the first entry of the next file. */
static ws_bool forget_entries(wmem_allocator_t *scope _U_, wmem_cb_event_t event _U_, void *table)
{
    *(gw_table *)table = (gw_table){ .buckets = NULL };
    return false;
}

/* The first entry with the hash of this key. The table has buckets. */
static gw_table_entry **bucket_of(const gw_table *table, const void *key)
{
    return &table->buckets[gw_hash_key(key) & (table->bucket_count - 1)];
}

/* Doubles the number of buckets, and moves all entries. */
static void grow_table(gw_table *table)
{
    const gw_table before = *table;
    table->bucket_count = MAX(2 * before.bucket_count, LEAST_BUCKETS);
    table->buckets = wmem_alloc0_array(wmem_file_scope(), gw_table_entry *, table->bucket_count);
    for (uint32_t i = 0; i < before.bucket_count; i++) {
        gw_table_entry *next;
        for (gw_table_entry *entry = before.buckets[i]; entry; entry = next) {
            gw_table_entry **bucket = bucket_of(table, entry->key);
            next = entry->next;
            entry->next = *bucket;
            *bucket = entry;
        }
    }
    wmem_free(wmem_file_scope(), before.buckets);
}

void *gw_table_find(const gw_table *table, const void *key)
{
    gw_table_entry *entry = table->count ? *bucket_of(table, key) : NULL;
    while (entry && !gw_equal_keys(entry->key, key))
        entry = entry->next;
    return entry ? entry->data : NULL;
}

/* Adds an entry to the beginning of its bucket. The first entry also registers that the table is emptied with the
 * file. */
void *gw_table_add(gw_table *table, const void *key, size_t size)
{
    if (!table->count)
        wmem_register_callback(wmem_file_scope(), forget_entries, table);
    if (table->count == MOST_OF_BUCKET * table->bucket_count)
        grow_table(table);
    gw_table_entry *entry = gw_archive_alloc(sizeof *entry + size);
    memcpy(entry->key, key, GW_KEY_SIZE);
    gw_table_entry **bucket = bucket_of(table, key);
    entry->next = *bucket;
    *bucket = entry;
    table->count++;
    return entry->data;
}
