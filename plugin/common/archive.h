/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Data that is written on the first pass to be read later, until the file is closed.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_ARCHIVE_H
#define GAMEWIRE_PLUGIN_COMMON_ARCHIVE_H

#include "common/compat.h"

/* ---- archives: records by frame and key ------------------------------------------------------------------ */

/* An archive is used in place of p_add_proto_data() in file scope, which takes 48 bytes for a pointer, and 16 for
 * the memory that it refers to. Here a record takes 8 bytes and its data. Wireshark dissects the frames of a file in
 * their order on the first pass: records are written one after the other, into blocks that are never moved, and
 * found by binary search. */

typedef struct gw_archive_block gw_archive_block;

/* The records of one protocol, in the current file. Initialize with zero: static. It is emptied when the file is
 * closed. */
typedef struct gw_archive {
    gw_archive_block *blocks; /* by frame */
    uint32_t block_count;
    uint32_t last_frame; /* with a record */
    /* Where the latest search began to read: the next one is most often for the same frame, or one soon after it. */
    uint32_t found_block, found_offset, found_frame;
} gw_archive;

/* On the first pass: a new record of `size` bytes, which are zero and aligned as a pointer is, until the file is
 * closed; 0 if only its key matters. A record of more than 512 kB, and one of a frame before that of the latest
 * record (Wireshark does not dissect frames in such an order), is in packet scope instead: it will not be found. */
void *gw_archive_add(gw_archive *archive, const packet_info *pinfo, uint32_t key, size_t size);

/* The latest record of the packet's frame with this key; NULL: none. `size`, unless NULL, is set to the record's,
 * rounded up to a multiple of 8. */
void *gw_archive_find(gw_archive *archive, const packet_info *pinfo, uint32_t key, size_t *size);

/* ---- memory of small structures -------------------------------------------------------------------------- */

/* `size` bytes, which are zero and aligned as a pointer is, until the file is closed. Wireshark's allocator adds 16
 * bytes to each piece, and rounds its size up to 16; here neither is done, and a piece cannot be freed. */
void *gw_archive_alloc(size_t size);

/* A copy of the text in such memory. */
const char *gw_archive_text(const char *text);

/* Call once, before a file is read. */
void gw_register_archive(void);

/* ---- times in 8 bytes ------------------------------------------------------------------------------------ */

/* Nanoseconds, of a time since 1970 or between two packets. */
#define GW_NANOSECONDS INT64_C(1000000000) /* in a second */

/* Times that are more than 285 years from 1970 are not real. */
#define GW_MOST_SECONDS INT64_C(9000000000)

static inline int64_t gw_nanoseconds(const nstime_t *time)
{
    int64_t seconds = CLAMP((int64_t)time->secs, -GW_MOST_SECONDS, GW_MOST_SECONDS);
    return seconds * GW_NANOSECONDS + time->nsecs;
}

/* Both parts have the sign of the whole, as after nstime_delta(). */
static inline nstime_t gw_time_of(int64_t nanoseconds)
{
    return (nstime_t){ (time_t)(nanoseconds / GW_NANOSECONDS), (int)(nanoseconds % GW_NANOSECONDS) };
}

#endif
