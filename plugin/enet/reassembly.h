/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reassembly of fragmented messages. A fragment contains the number of fragments and the length of the message; memory
 * is allocated only for captured bytes. Each fragment takes constant time, except the last, which sorts them.
 *
 * As in ENet, a fragment with a number that arrived before is ignored, a fragment that contradicts the first one is
 * rejected, and later fragments overwrite earlier ones where they overlap. A message whose fragments leave a gap is not
 * reassembled.
 */
#ifndef GAMEWIRE_PLUGIN_ENET_REASSEMBLY_H
#define GAMEWIRE_PLUGIN_ENET_REASSEMBLY_H

#include "facts.h"

typedef enum enet_piece_flag {
    ENET_PIECE_OVERLAP = 1 << 0,
    ENET_PIECE_CONFLICT = 1 << 1,   /* overlaps with other bytes */
    ENET_PIECE_OTHER_TAIL = 1 << 2, /* the last by its number, but not by its end */
    ENET_PIECE_TOO_LONG = 1 << 3,   /* ends after the message */
} enet_piece_flag;

/* A fragment of a reassembled message. */
typedef struct enet_piece {
    uint32_t frame;
    uint32_t offset;
    uint16_t length;
    uint8_t flags; /* bits of enet_piece_flag */
} enet_piece;

typedef struct enet_fragment enet_fragment;

/* One message. In file scope. */
typedef struct enet_reassembly {
    int64_t key;     /* in its channel */
    uint32_t count;  /* of fragments, as declared by the first one */
    uint32_t length; /* of the message in bytes, as declared by the first fragment */
    uint32_t frame;  /* in which it was reassembled; 0: not reassembled */

    /* Valid until the message is reassembled. */
    uint32_t arrived;            /* number of fragments */
    uint32_t numbers;            /* number of different fragment numbers */
    uint32_t ordered;            /* all fragment numbers below have arrived */
    uint64_t payload;            /* bytes of the fragments that were not ignored */
    wmem_tree_t *others;         /* number -> fragment, for numbers from `ordered` on; NULL: none */
    enet_fragment *first, *last; /* in the order of arrival */

    /* Valid when it is reassembled. */
    uint32_t piece_count;
    const enet_piece *pieces; /* by offset */
    const uint8_t *bytes;     /* `length` of them */
} enet_reassembly;

/* Adds a fragment of `bytes`, on the first pass; true when it completes the message. Call it for a message that is not
 * reassembled yet. */
bool enet_reassembly_add(enet_reassembly *message, const enet_command *fragment, const uint8_t *bytes, uint32_t frame);

#endif
