/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Pieces of blocks in file scope, one after the other.
 */
#include "common/kept_memory.h"

#define BLOCK_SIZE 4080U /* with what Wireshark's allocator adds: 4 kB */
#define LARGE      1024U /* such pieces are allocated alone, so that a block is used nearly to its end */
#define UNIT       sizeof(uint64_t)

static uint8_t *block;
static size_t used = BLOCK_SIZE;

static void forget_block(void)
{
    used = BLOCK_SIZE;
}

void gw_register_kept_memory(void)
{
    register_init_routine(forget_block);
}

void *gw_alloc_kept(size_t size)
{
    size = (size + UNIT - 1) / UNIT * UNIT;
    if (size >= LARGE)
        return wmem_alloc0(wmem_file_scope(), size);
    if (size > BLOCK_SIZE - used) {
        block = wmem_alloc0(wmem_file_scope(), BLOCK_SIZE);
        used = 0;
    }
    used += size;
    return block + used - size;
}
