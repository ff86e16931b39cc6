/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The beginning of a message in TCP segments before the one that is recognized: TCP collects no segments before a
 * dissector requests them.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_BEGINNING_H
#define GAMEWIRE_PLUGIN_COMMON_BEGINNING_H

#include "common/compat.h"

/* Bytes that may be the beginning of a message. */
typedef struct gw_beginning {
    const struct gw_beginning *before; /* the segments before the last one; NULL: none */
    uint32_t frame;                    /* of its last segment; 0: none */
    uint32_t next;                     /* sequence number after that segment */
    uint32_t length;                   /* of all segments */
    uint32_t last_length;
    const uint8_t *last; /* the last segment */
} gw_beginning;

/* The maximum length of a beginning. */
#define GW_LONGEST_BEGINNING 8192U

/* Stores that all of `whole`, which is this segment after `before`, may be the beginning of a message of `protocol`.
 * `before` may be NULL. Does nothing after the first pass. `data` is the data argument of TCP's subdissectors. */
void gw_beginning_keep(packet_info *pinfo, const gw_beginning *before, tvbuff_t *whole, int protocol, const void *data);
/* The beginning before this segment's bytes, if one was stored; else NULL. The same on every pass. */
const gw_beginning *gw_beginning_find(packet_info *pinfo, int protocol, const void *data);
/* The segment's bytes preceded by that beginning; `tvb` itself if there is none. */
tvbuff_t *gw_beginning_join(packet_info *pinfo, tvbuff_t *tvb, const gw_beginning *beginning);

/* Joins them for display: the bytes are a data source with this name if there is a beginning. */
tvbuff_t *gw_beginning_show(packet_info *pinfo, tvbuff_t *tvb, const gw_beginning *beginning, const char *name);

/* The sequence number of the first byte that TCP passed; 0 without TCP's data: all segments are taken as consecutive. */
uint32_t gw_tcp_sequence(const void *data);

/* Converts an offset in joined bytes, of which the first `in_front` are of earlier segments, to one counted from the first
 * byte that TCP passed. */
static inline uint32_t gw_tcp_offset(uint32_t offset, uint32_t in_front)
{
    return offset < in_front ? 0 : offset - in_front;
}

/* Requests that TCP calls again with the bytes from `offset` (in the joined bytes) on after `more` further bytes, or
 * DESEGMENT_ONE_MORE_SEGMENT. */
void gw_tcp_request(packet_info *pinfo, uint32_t offset, uint32_t in_front, uint32_t more);

/* True if the segment has the first bytes of its direction of a connection whose beginning was captured. */
bool gw_begins_connection(packet_info *pinfo, const void *data);

#endif
