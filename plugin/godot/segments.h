/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * TCP segments of Godot's streams, remote debugger and remote file system: the beginning of a message in earlier segments,
 * the state of a direction before a segment, and requests for more bytes.
 *
 * Each protocol has one godot_segments. All functions have the same results on every pass.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_SEGMENTS_H
#define GAMEWIRE_PLUGIN_GODOT_SEGMENTS_H

#include "common/archive.h"
#include "common/compat.h"

/* Bytes that may be the beginning of a message: TCP collects no segments before a dissector requests them. */
typedef struct godot_beginning {
    const struct godot_beginning *before; /* the segments before the last one; NULL: none */
    uint32_t frame;                       /* of its last segment; 0: none */
    uint32_t next;                        /* sequence number after that segment */
    uint32_t length;                      /* of all segments */
    uint32_t last_length;
    const uint8_t *last; /* the last segment */
} godot_beginning;

/* The maximum length of a beginning. */
#define GODOT_LONGEST_BEGINNING 8192U

/* The maximum size of a state. */
#define GODOT_LARGEST_STATE 32U

typedef struct godot_segments {
    int protocol;
    size_t state_size;   /* of the state of a direction, which is all zero before its first segment */
    gw_archive states;   /* before segments, by the sequence number */
    gw_archive requests; /* for more bytes after unknown ones, by the sequence number of these */
} godot_segments;

/* Call once, when the protocol is registered. */
void godot_segments_init(godot_segments *segments, int protocol, size_t state_size);

typedef struct godot_segment {
    godot_segments *segments;
    packet_info *pinfo;
    const struct tcpinfo *tcp;        /* NULL: the segment is not of TCP, and all are taken as consecutive */
    tvbuff_t *tvb;                    /* the beginning and the bytes that TCP passed */
    const godot_beginning *beginning; /* NULL: none */
    uint32_t in_front;                /* length of the beginning */
} godot_segment;

/* `tvb`: the bytes that TCP passed. `data`: the data argument of TCP's subdissectors. */
void godot_segment_init(godot_segment *segment, godot_segments *segments, tvbuff_t *tvb, packet_info *pinfo,
                        const void *data);

/* Adds the joined bytes as a data source with this name, if the segment has a beginning. */
void godot_segment_show(const godot_segment *segment, const char *name);

/* Stores that the whole segment, with its beginning, may be the beginning of a message. On the first pass. */
void godot_segment_keep_beginning(const godot_segment *segment);

/* Sets `state` to that before the segment. False, and `state` is unchanged, if it is not known because segments are
 * missing. TCP may pass bytes again, with more: the state before them is known too. */
bool godot_segment_find_state(const godot_segment *segment, void *state);

/* Stores the state at an offset in the joined bytes. On the first pass. */
void godot_segment_keep_state(const godot_segment *segment, uint32_t offset, const void *state);

/* False if TCP cannot pass more bytes, or if they would be wrong because the segment was cut short by the capture. */
bool godot_segment_can_wait(const godot_segment *segment);

/* Requests that TCP calls again with the bytes from `offset` (in the joined bytes) on after `more` further bytes, or
 * DESEGMENT_ONE_MORE_SEGMENT. */
void godot_segment_request(const godot_segment *segment, uint32_t offset, uint32_t more);

/* The same for bytes that end inside a message whose length is not certain, or in which no message begins
 * (`is_unknown`). False, without a request, if no message began in the maximum number of collected segments, and if TCP
 * would pass shown bytes again. Call it at most once for a segment. */
bool godot_segment_may_request(const godot_segment *segment, uint32_t offset, uint32_t more, bool is_unknown);

/* True if the segment has the first bytes of its direction of a connection whose beginning was captured. */
bool godot_begins_connection(packet_info *pinfo, const void *data);

#endif
