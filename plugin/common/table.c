/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Hash tables with open addressing, whose entries are in the memory of small structures.
 */
#include "common/table.h"

#include <string.h>

#include "common/archive.h"
#include "common/keys.h"

#define LEAST_SLOTS 8U
#define TAKEN       (UINT32_C(1) << 31) /* in the hash of each slot that is not free */

struct gw_table_entry {
    uint8_t key[GW_KEY_SIZE];
    uint64_t data[];
};

/* Called when the file is closed, which frees all entries. False unregisters this callback: gw_table_add() registers it
 * again with the first entry of the next file. */
static ws_bool forget_entries(wmem_allocator_t *scope _U_, wmem_cb_event_t event _U_, void *table)
{
    *(gw_table *)table = (gw_table){ .entries = NULL };
    return false;
}

/* The hash of a key, as the slot of its entry has it: its lower bits choose the slot. */
static uint32_t hash_of(const void *key)
{
    return gw_hash_key(key) | TAKEN;
}

/* The slot of the entry with this key, which has this hash; without one, the free slot for it. The table has free slots.
 * Entries with other hashes are not read: they are seldom in the processor's cache. */
static uint32_t slot_of(const gw_table *table, const void *key, uint32_t hash)
{
    uint32_t slot = hash & (table->slots - 1);
    while (table->hashes[slot] && !(table->hashes[slot] == hash && gw_equal_keys(table->entries[slot]->key, key)))
        slot = (slot + 1) & (table->slots - 1);
    return slot;
}

/* Doubles the number of slots, and moves all entries. */
static void grow_table(gw_table *table)
{
    const gw_table before = *table;
    table->slots = MAX(2 * before.slots, LEAST_SLOTS);
    const size_t room = table->slots * (sizeof(void *) + sizeof(uint32_t));
    table->entries = (gw_table_entry **)wmem_alloc0(wmem_file_scope(), room);
    table->hashes = (uint32_t *)(void *)(table->entries + table->slots);
    for (uint32_t i = 0; i < before.slots; i++) {
        if (!before.hashes[i])
            continue;
        const uint32_t slot = slot_of(table, before.entries[i]->key, before.hashes[i]);
        table->hashes[slot] = before.hashes[i];
        table->entries[slot] = before.entries[i];
    }
    wmem_free(wmem_file_scope(), before.entries);
}

void *gw_table_find(const gw_table *table, const void *key)
{
    if (!table->count)
        return NULL;
    const uint32_t slot = slot_of(table, key, hash_of(key));
    return table->hashes[slot] ? table->entries[slot]->data : NULL;
}

/* Takes the free slot for the key. The first entry also registers that a static table is emptied with the file. */
void *gw_table_add(gw_table *table, const void *key, size_t size)
{
    if (!table->count && !table->is_of_file)
        wmem_register_callback(wmem_file_scope(), forget_entries, table);
    /* At most three quarters are taken: searches would become long. */
    if (table->count == table->slots / 4 * 3)
        grow_table(table);
    const uint32_t hash = hash_of(key), slot = slot_of(table, key, hash);
    gw_table_entry *entry = gw_archive_alloc(sizeof *entry + size);
    memcpy(entry->key, key, GW_KEY_SIZE);
    table->hashes[slot] = hash;
    table->entries[slot] = entry;
    table->count++;
    return entry->data;
}
