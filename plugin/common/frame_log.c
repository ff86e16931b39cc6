/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Records of messages in blocks of memory, in the order of the frames.
 */
#include "common/frame_log.h"

#define BLOCK_SIZE 4080U /* with what Wireshark's allocator adds: 4 kB */
#define UNIT       sizeof(uint64_t)
#define MOST_UNITS UINT16_MAX /* of one record */

struct gw_log_block {
    uint8_t *bytes;
    uint32_t used, size;
    uint32_t first_frame; /* of its first record */
};

/* What is before the bytes of a record. */
typedef struct record_head {
    uint16_t frame; /* after the block's first frame */
    uint16_t units; /* of the record's bytes */
    uint32_t key;
} record_head;

static record_head *head_at(const gw_log_block *block, uint32_t offset)
{
    return (record_head *)(void *)(block->bytes + offset);
}

/* The file is closed, and with it all blocks are freed. True: to be called for the next file too. */
static ws_bool forget_blocks(wmem_allocator_t *scope _U_, wmem_cb_event_t event, void *log)
{
    *(gw_frame_log *)log = (gw_frame_log){ .blocks = NULL };
    return event == WMEM_CB_FREE_EVENT;
}

void gw_frame_log_init(gw_frame_log *log)
{
    wmem_register_callback(wmem_file_scope(), forget_blocks, log);
}

/* ---- adding --------------------------------------------------------------------------------------------- */

static gw_log_block *add_block(gw_frame_log *log, uint32_t frame, uint32_t size)
{
    uint32_t count = log->block_count++;
    if (!log->blocks || !(count & (count - 1))) /* as many as a power of two are stored: double the room */
        log->blocks = wmem_realloc(wmem_file_scope(), log->blocks, MAX((size_t)2 * count, 1) * sizeof *log->blocks);
    gw_log_block *block = &log->blocks[count];
    *block = (gw_log_block){ .bytes = wmem_alloc(wmem_file_scope(), size), .size = size, .first_frame = frame };
    return block;
}

static gw_log_block *obtain_block(gw_frame_log *log, uint32_t frame, size_t size)
{
    gw_log_block *last = log->block_count ? &log->blocks[log->block_count - 1] : NULL;
    if (last && frame - last->first_frame <= UINT16_MAX && size <= last->size - last->used)
        return last;
    return add_block(log, frame, (uint32_t)MAX(size, BLOCK_SIZE));
}

void *gw_frame_log_add(gw_frame_log *log, const packet_info *pinfo, uint32_t key, size_t size)
{
    size_t units = (size + UNIT - 1) / UNIT;
    size_t whole = sizeof(record_head) + units * UNIT;
    if (pinfo->num < log->last_frame || units > MOST_UNITS)
        return wmem_alloc0(pinfo->pool, size);
    gw_log_block *block = obtain_block(log, pinfo->num, whole);
    record_head *head = head_at(block, block->used);
    *head = (record_head){ .frame = (uint16_t)(pinfo->num - block->first_frame), .units = (uint16_t)units, .key = key };
    block->used += (uint32_t)whole;
    log->last_frame = pinfo->num;
    return memset(head + 1, 0, units * UNIT);
}

/* ---- finding -------------------------------------------------------------------------------------------- */

/* The last block that may have records of the frame: the others begin after it. */
static uint32_t find_block(const gw_frame_log *log, uint32_t frame)
{
    uint32_t low = 0, high = log->block_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (log->blocks[middle].first_frame <= frame)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static uint32_t frame_of(const gw_log_block *block, uint32_t offset)
{
    return block->first_frame + head_at(block, offset)->frame;
}

static uint32_t next_of(const gw_log_block *block, uint32_t offset)
{
    const record_head *head = head_at(block, offset);
    return offset + (uint32_t)(sizeof *head + head->units * UNIT);
}

/* Where the records of the frame, or of one after it, begin in this block. */
static uint32_t find_offset(gw_frame_log *log, uint32_t number, uint32_t frame)
{
    const gw_log_block *block = &log->blocks[number];
    bool is_near = number == log->found_block && log->found_frame <= frame;
    uint32_t offset = is_near ? log->found_offset : 0;
    while (offset < block->used && frame_of(block, offset) < frame)
        offset = next_of(block, offset);
    log->found_block = number;
    log->found_offset = offset;
    log->found_frame = frame;
    return offset;
}

/* The last record of the frame in this block with the key. */
static record_head *find_in_block(gw_frame_log *log, uint32_t number, uint32_t frame, uint32_t key)
{
    const gw_log_block *block = &log->blocks[number];
    uint32_t offset = find_offset(log, number, frame);
    record_head *found = NULL;
    for (; offset < block->used && frame_of(block, offset) == frame; offset = next_of(block, offset))
        if (head_at(block, offset)->key == key)
            found = head_at(block, offset);
    return found;
}

void *gw_frame_log_find(gw_frame_log *log, const packet_info *pinfo, uint32_t key, size_t *size)
{
    uint32_t frame = pinfo->num;
    if (!log->block_count || frame > log->last_frame || frame < log->blocks[0].first_frame)
        return NULL;
    uint32_t number = find_block(log, frame);
    record_head *found = find_in_block(log, number, frame, key);
    /* A frame's records may be in several blocks. */
    while (!found && number && log->blocks[number].first_frame == frame)
        found = find_in_block(log, --number, frame, key);
    if (found && size)
        *size = found->units * UNIT;
    return found ? found + 1 : NULL;
}
