/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Records and small structures in blocks of memory, in the order in which they are written.
 */
#include "common/archive.h"

#include <string.h>

#define BLOCK_SIZE 4080U /* with the bytes that Wireshark's allocator adds: 4 kB */
#define UNIT       sizeof(uint64_t)
#define MOST_UNITS UINT16_MAX /* of one record */
#define LARGE      1024U      /* such pieces are allocated alone, so that a block is used nearly to its end */

struct gw_archive_block {
    uint8_t *bytes;
    uint32_t used, size;
    uint32_t first_frame; /* of its first record */
};

/* The bytes before those of a record. */
typedef struct record_head {
    uint16_t frame; /* after the block's first frame */
    uint16_t units; /* of the record's bytes */
    uint32_t key;
} record_head;

/* Called when the file is closed, which frees all blocks. False unregisters this callback: gw_archive_add() registers
 * it again with the first record of the next file. */
static ws_bool forget_blocks(wmem_allocator_t *scope _U_, wmem_cb_event_t event _U_, void *archive)
{
    *(gw_archive *)archive = (gw_archive){ .blocks = NULL };
    return false;
}

/* The head of the record at `offset` in the block. Sizes of records are multiples of 8, so that each head is
 * aligned. */
static record_head *head_at(const gw_archive_block *block, uint32_t offset)
{
    return (record_head *)(void *)(block->bytes + offset);
}

/* ---- adding --------------------------------------------------------------------------------------------- */

/* Appends a record, its head and then `size` zeroed bytes, to the last block, or to a new one if it does not fit. */
void *gw_archive_add(gw_archive *archive, const packet_info *pinfo, uint32_t key, size_t size)
{
    const size_t units = (size + UNIT - 1) / UNIT, record_size = sizeof(record_head) + units * UNIT;
    const uint32_t count = archive->block_count;
    /* A search needs ascending frames, and a head has 16 bits for the size: other records live as long as the packet
     * only, and are not found later. */
    if (pinfo->num < archive->last_frame || units > MOST_UNITS)
        return wmem_alloc0(pinfo->pool, size);
    if (!count)
        wmem_register_callback(wmem_file_scope(), forget_blocks, archive);
    gw_archive_block *block = count ? &archive->blocks[count - 1] : NULL;
    /* A new block, if the last one has no room, or its records cannot have the number of this frame in 16 bits. */
    if (!block || pinfo->num - block->first_frame > UINT16_MAX || record_size > block->size - block->used) {
        /* The array has room for a power of two of blocks: if `count` is one, it is full. */
        if (!archive->blocks || !(count & (count - 1)))
            archive->blocks =
                wmem_realloc(wmem_file_scope(), archive->blocks, MAX((size_t)2 * count, 1) * sizeof *archive->blocks);
        uint32_t block_size = (uint32_t)MAX(record_size, BLOCK_SIZE);
        block = &archive->blocks[archive->block_count++];
        *block = (gw_archive_block){ wmem_alloc(wmem_file_scope(), block_size), 0, block_size, pinfo->num };
    }
    record_head *head = head_at(block, block->used);
    *head = (record_head){ .frame = (uint16_t)(pinfo->num - block->first_frame), .units = (uint16_t)units, .key = key };
    block->used += (uint32_t)record_size;
    archive->last_frame = pinfo->num;
    return memset(head + 1, 0, units * UNIT);
}

/* ---- finding -------------------------------------------------------------------------------------------- */

/* The frame of the record at this offset of the block. */
static uint32_t frame_of(const gw_archive_block *block, uint32_t offset)
{
    return block->first_frame + head_at(block, offset)->frame;
}

/* The offset after the record at this offset: of the next record, or `used` after the last one. */
static uint32_t next_of(const gw_archive_block *block, uint32_t offset)
{
    const record_head *head = head_at(block, offset);
    return offset + (uint32_t)(sizeof *head + head->units * UNIT);
}

/* The last record of the frame with the key in the block with this index; NULL if there is none. Keeps the place where
 * the frame's records begin for the next search. */
static record_head *find_in_block(gw_archive *archive, uint32_t index, uint32_t frame, uint32_t key)
{
    const gw_archive_block *block = &archive->blocks[index];
    /* Searches are mostly in ascending frames: this one begins where the latest one ended, if that was for this frame
     * or an earlier one. */
    bool is_near = index == archive->found_block && archive->found_frame <= frame;
    uint32_t offset = is_near ? archive->found_offset : 0;
    record_head *record = NULL;
    /* 1. The first record of the frame, or of one after it. */
    while (offset < block->used && frame_of(block, offset) < frame)
        offset = next_of(block, offset);
    archive->found_block = index;
    archive->found_offset = offset;
    archive->found_frame = frame;
    /* 2. The records of the frame. */
    for (; offset < block->used && frame_of(block, offset) == frame; offset = next_of(block, offset))
        if (head_at(block, offset)->key == key)
            record = head_at(block, offset);
    return record;
}

/* The data of the latest record of the packet's frame with this key; NULL if there is none, or if the frame is before
 * the first or after the last one with a record. `size` (or NULL) is set to the number of its bytes, a multiple of 8. */
void *gw_archive_find(gw_archive *archive, const packet_info *pinfo, uint32_t key, size_t *size)
{
    const uint32_t frame = pinfo->num, count = archive->block_count;
    uint32_t low = archive->found_block, high = low + 1;
    if (!count || frame > archive->last_frame || frame < archive->blocks[0].first_frame)
        return NULL;
    /* 1. The last block that may have records of the frame: the others begin after it. Mostly that of the latest
     * search; else a binary search finds it. */
    if (archive->blocks[low].first_frame > frame || (high < count && archive->blocks[high].first_frame <= frame)) {
        low = 0;
        high = count;
    }
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (archive->blocks[middle].first_frame <= frame)
            low = middle;
        else
            high = middle;
    }
    /* 2. A frame's records may be in several blocks: from the last one, which has the latest records, back to the first
     * one. Blocks before `low` have records of the frame only if `low` begins with it. */
    record_head *record = find_in_block(archive, low, frame, key);
    while (!record && low && archive->blocks[low].first_frame == frame)
        record = find_in_block(archive, --low, frame, key);
    if (record && size)
        *size = record->units * UNIT;
    return record ? record + 1 : NULL;
}

/* ---- memory of small structures -------------------------------------------------------------------------- */

/* The block in which gw_archive_alloc() places the next piece; NULL: the current file has no pieces yet. */
static uint8_t *block_of_pieces;
static size_t used_by_pieces;

/* Called before each file: the blocks of the file before were freed when it was closed. */
static void forget_pieces(void)
{
    block_of_pieces = NULL;
}

void gw_register_archive(void)
{
    register_init_routine(forget_pieces);
}

/* Returns `size` zeroed bytes in file scope, with less memory than one wmem_alloc0() for each small structure: the next
 * bytes of the current block of pieces, or of a new one if they do not fit. A large piece is allocated alone. */
void *gw_archive_alloc(size_t size)
{
    size = (size + UNIT - 1) / UNIT * UNIT;
    if (size >= LARGE)
        return wmem_alloc0(wmem_file_scope(), size);
    if (!block_of_pieces || size > BLOCK_SIZE - used_by_pieces) {
        block_of_pieces = wmem_alloc0(wmem_file_scope(), BLOCK_SIZE);
        used_by_pieces = 0;
    }
    used_by_pieces += size;
    return block_of_pieces + used_by_pieces - size;
}

/* A copy of the text, in the memory of small structures. */
const char *gw_archive_text(const char *text)
{
    const size_t size = strlen(text) + 1;
    return memcpy(gw_archive_alloc(size), text, size);
}
