/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Stores the fragments of a message until all are there, then joins them by offset.
 */
#include "internal.h"

#include "common/archive.h"

/* Until its message is reassembled; the payload follows. */
struct enet_fragment {
    enet_fragment *next; /* in the order of arrival */
    uint32_t frame;
    uint32_t order; /* of arrival, from 0 */
    uint32_t offset;
    uint16_t length;
    bool counts; /* false: a copy, or refused */
    bool is_tail;
};

static const uint8_t *payload_of(const enet_fragment *fragment)
{
    return (const uint8_t *)(fragment + 1);
}

/* ---- the whole message ---------------------------------------------------------------------------------- */

static int compare_offsets(const void *left, const void *right)
{
    const enet_fragment *a = *(enet_fragment *const *)left, *b = *(enet_fragment *const *)right;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

/* True if the accepted fragments leave no gap. */
static bool is_covered(const enet_reassembly *message, enet_fragment *const *sorted)
{
    uint32_t covered = 0;
    for (uint32_t i = 0; i < message->arrived; i++) {
        if (!sorted[i]->counts)
            continue;
        if (sorted[i]->offset > covered)
            return false;
        covered = MAX(covered, sorted[i]->offset + sorted[i]->length);
    }
    return covered == message->length;
}

static const enet_piece *list_pieces(const enet_reassembly *message, enet_fragment *const *sorted)
{
    enet_piece *pieces = wmem_alloc_array(wmem_file_scope(), enet_piece, message->arrived);
    uint32_t covered = 0; /* by the fragments before */
    for (uint32_t i = 0; i < message->arrived; i++) {
        const enet_fragment *fragment = sorted[i];
        uint64_t end = (uint64_t)fragment->offset + fragment->length;
        uint8_t flags = fragment->offset < covered ? ENET_PIECE_OVERLAP : 0;
        if (fragment->is_tail && end != message->length)
            flags |= ENET_PIECE_OTHER_TAIL;
        if (end > message->length)
            flags |= ENET_PIECE_TOO_LONG;
        else if (memcmp(message->bytes + fragment->offset, payload_of(fragment), fragment->length) != 0)
            flags |= ENET_PIECE_OVERLAP | ENET_PIECE_CONFLICT;
        pieces[i] = (enet_piece){ fragment->frame, fragment->offset, fragment->length, flags };
        covered = MAX(covered, fragment->offset + fragment->length);
    }
    return pieces;
}

/* The length comes from the packet: memory of this size is allocated only after as many bytes were captured. */
static bool complete(enet_reassembly *message, uint32_t frame)
{
    if (message->payload < message->length)
        return false;
    enet_fragment **sorted = wmem_alloc_array(NULL, enet_fragment *, message->arrived);
    for (enet_fragment *fragment = message->first; fragment; fragment = fragment->next)
        sorted[fragment->order] = fragment;
    qsort(sorted, message->arrived, sizeof(void *), compare_offsets);
    bool covered = is_covered(message, sorted);
    if (covered) {
        uint8_t *bytes = wmem_alloc(wmem_file_scope(), message->length);
        for (const enet_fragment *fragment = message->first; fragment; fragment = fragment->next)
            if (fragment->counts)
                memcpy(bytes + fragment->offset, payload_of(fragment), fragment->length);
        message->frame = frame;
        message->bytes = bytes;
        message->pieces = list_pieces(message, sorted);
        message->piece_count = message->arrived;
        if (message->others)
            wmem_tree_destroy(message->others, false, false);
        message->others = NULL;
        for (uint32_t i = 0; i < message->arrived; i++)
            wmem_free(wmem_file_scope(), sorted[i]);
        message->first = message->last = NULL;
    }
    wmem_free(NULL, sorted);
    return covered;
}

/* ---- one fragment --------------------------------------------------------------------------------------- */

/* True when the fragment completes the message. */
static bool add_fragment(enet_reassembly *message, const enet_command *command, const uint8_t *payload, uint32_t frame)
{
    uint32_t number = command->fragment_number;
    enet_fragment *fragment = wmem_alloc(wmem_file_scope(), sizeof *fragment + command->length);
    *fragment = (enet_fragment){ .frame = frame,
                                 .order = message->arrived++,
                                 .offset = command->fragment_offset,
                                 .length = command->length,
                                 .is_tail = number + 1 == command->fragment_count };
    memcpy(fragment + 1, payload, command->length);
    if (message->last)
        message->last->next = fragment;
    else
        message->first = fragment;
    message->last = fragment;
    /* It counts if it agrees with the first one, and its number is new. */
    if (command->fragment_count != message->count || command->total_length != message->length ||
        number < message->ordered || (message->others && wmem_tree_lookup32(message->others, number)))
        return false;
    fragment->counts = true;
    message->numbers++;
    message->payload += fragment->length;
    if (number == message->ordered) {
        do
            message->ordered++;
        while (message->others && wmem_tree_lookup32(message->others, message->ordered));
    } else {
        if (!message->others)
            message->others = wmem_tree_new(wmem_file_scope());
        wmem_tree_insert32(message->others, number, fragment);
    }
    return message->numbers == message->count && complete(message, frame);
}

void enet_keep_fragment(enet_channel *channel, const enet_command *command, const uint8_t *bytes, uint32_t frame,
                        enet_finding *finding)
{
    /* The same for all fragments of one message in a channel. */
    uint32_t sequence = enet_unwrap(channel->highest, command->sequence);
    int64_t key = command->number == GW_ENET_SEND_FRAGMENT
                      ? sequence - (uint16_t)(command->sequence - command->sub_sequence)
                      : INT64_C(1) << 62 | (int64_t)sequence << 16 | command->sub_sequence;
    if (!channel->messages)
        channel->messages = wmem_map_new(wmem_file_scope(), wmem_int64_hash, g_int64_equal);
    enet_reassembly *message = wmem_map_lookup(channel->messages, &key);
    if (!message) {
        message = gw_archive_alloc(sizeof *message);
        message->key = key;
        message->count = command->fragment_count;
        message->length = command->total_length;
        wmem_map_insert(channel->messages, &message->key, message);
    }
    if (message->frame)
        return;
    finding->message = message;
    finding->completes = add_fragment(message, command, bytes + command->payload.offset, frame);
}
