/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What has arrived: the latest messages and datagrams, to detect copies of them; reliable commands, by the number of their
 * record; and fragments, which are stored until all of their message are there, and then joined by offset.
 */
#include "internal.h"

#include "common/archive.h"

/* ---- the latest unreliable and unsequenced messages, and datagrams -------------------------------------- */

_Static_assert(sizeof(enet_seen_key) == GW_KEY_SIZE && sizeof(enet_key) == GW_KEY_SIZE, "hashed as keys");

#define LEAST_RECENT 64U

/* The list of the entries whose keys have hashes like this: the index of the latest entry + 1; 0: the list is empty.
 * There are as many lists as room for entries, in the memory after the entries. */
static uint16_t *list_of(uint64_t hash)
{
    uint16_t *lists = (uint16_t *)(void *)(enet_capture.recent + enet_capture.recent_room);
    return &lists[hash >> 32 & (enet_capture.recent_room - 1)];
}

/* Adds the entry at `index` to the beginning of its list. */
static void add_to_list(uint32_t index)
{
    enet_seen *entry = &enet_capture.recent[index];
    uint16_t *list = list_of(entry->hash);
    entry->next = *list;
    *list = (uint16_t)(index + 1);
}

/* Removes the entry at `index`, the oldest one, from its list: it is the last of it, as new entries are added to the
 * beginning. */
static void remove_from_list(uint32_t index)
{
    uint16_t *list = list_of(enet_capture.recent[index].hash);
    if (*list == index + 1) {
        *list = 0;
        return;
    }
    enet_seen *previous = &enet_capture.recent[*list - 1];
    while (previous->next != index + 1)
        previous = &enet_capture.recent[previous->next - 1];
    previous->next = 0;
}

/* Doubles the room for entries, and makes all lists anew, of which there are twice as many, too. */
static void grow_recent(void)
{
    const uint32_t room = MAX(2 * enet_capture.recent_room, LEAST_RECENT);
    const size_t lists = room * sizeof(uint16_t);
    enet_capture.recent =
        wmem_realloc(wmem_file_scope(), enet_capture.recent, room * sizeof *enet_capture.recent + lists);
    enet_capture.recent_room = room;
    memset(enet_capture.recent + room, 0, lists);
    for (uint32_t i = 0; i < enet_capture.recent_count; i++)
        add_to_list(i);
}

/* The entry with this hash of its key; NULL: none. */
static const enet_seen *find_by_hash(uint64_t hash)
{
    for (uint32_t i = enet_capture.recent_room ? *list_of(hash) : 0; i; i = enet_capture.recent[i - 1].next)
        if (enet_capture.recent[i - 1].hash == hash)
            return &enet_capture.recent[i - 1];
    return NULL;
}

/* The entry that was stored with this key, of the latest messages and datagrams of the file; NULL: there is none. */
const enet_seen *enet_find_recent(const enet_seen_key *key)
{
    return find_by_hash(gw_hash_key_64(key));
}

/* Detects copies: returns the message or datagram that was stored with this key. If there is none, stores `seen` as the
 * latest entry, in place of the oldest one if there are ENET_RECENT, and returns NULL. */
const enet_seen *enet_keep_recent(const enet_seen_key *key, const enet_seen *seen)
{
    const uint64_t hash = gw_hash_key_64(key);
    const enet_seen *earlier = find_by_hash(hash);
    if (earlier)
        return earlier;
    /* With ENET_RECENT entries, the array is a ring, and does not grow: the count goes on. */
    if (enet_capture.recent_count == enet_capture.recent_room && enet_capture.recent_room < ENET_RECENT)
        grow_recent();
    const uint32_t index = (uint32_t)(enet_capture.recent_count % ENET_RECENT);
    if (enet_capture.recent_count >= ENET_RECENT)
        remove_from_list(index);
    enet_capture.recent_count++;
    enet_capture.recent[index] = *seen;
    enet_capture.recent[index].hash = hash;
    add_to_list(index);
    return NULL;
}

/* ---- records of reliable commands ------------------------------------------------------------------------ */

/* Stores a transmission in a new record, whose other members are 0, and returns the number of the record. */
uint32_t enet_new_record(const enet_send *send)
{
    const uint32_t block = enet_capture.record_count / ENET_BLOCK_RECORDS;
    if (enet_capture.record_count % ENET_BLOCK_RECORDS == 0) {
        /* The array has room for a power of two of blocks: if `block` is one, it is full. */
        if (!(block & (block - 1)))
            enet_capture.records =
                wmem_realloc(wmem_file_scope(), enet_capture.records, MAX((size_t)2 * block, 1) * sizeof(void *));
        enet_capture.records[block] = wmem_alloc0_array(wmem_file_scope(), enet_record, ENET_BLOCK_RECORDS);
    }
    enet_record_at(++enet_capture.record_count)->first = *send;
    return enet_capture.record_count;
}

/* ---- fragments ------------------------------------------------------------------------------------------ */

/* A fragment of a message that is not reassembled yet. Its payload follows in memory. */
struct enet_fragment {
    enet_fragment *next; /* in the order of arrival */
    uint32_t frame;
    uint32_t order; /* of arrival, from 0 */
    uint32_t offset;
    uint16_t length;
    bool is_accepted; /* by ENet's receiver: its number is new, and it agrees with the first fragment */
    bool is_tail;     /* the last one by its number */
};

/* The fragment's bytes, `length` of them, which follow it in memory. */
static const uint8_t *payload_of(const enet_fragment *fragment)
{
    return (const uint8_t *)(fragment + 1);
}

/* For qsort() of pointers to fragments: by offset, then in the order of arrival. */
static int compare_offsets(const void *left, const void *right)
{
    const enet_fragment *a = *(enet_fragment *const *)left, *b = *(enet_fragment *const *)right;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

/* Lists the fragments of a message whose bytes are joined, with what does not agree: overlaps, with equal or other
 * bytes, and wrong ends. `bytes`: of the message. `sorted`: all message->arrived fragments, accepted or not, by
 * offset. */
static const enet_piece *list_pieces(const enet_reassembly *message, const uint8_t *bytes, enet_fragment *const *sorted)
{
    enet_piece *pieces = wmem_alloc_array(wmem_file_scope(), enet_piece, message->arrived);
    uint32_t covered = 0; /* by the fragments before */
    for (uint32_t i = 0; i < message->arrived; i++) {
        const enet_fragment *fragment = sorted[i];
        uint64_t end = (uint64_t)fragment->offset + fragment->length;
        uint8_t flags = fragment->offset < covered ? ENET_PIECE_OVERLAP : 0;
        if (fragment->is_tail && end != message->length)
            flags |= ENET_PIECE_OTHER_TAIL;
        /* There are no bytes to compare with after the end of the message. */
        if (end > message->length)
            flags |= ENET_PIECE_TOO_LONG;
        else if (memcmp(bytes + fragment->offset, payload_of(fragment), fragment->length) != 0)
            flags |= ENET_PIECE_OVERLAP | ENET_PIECE_CONFLICT;
        pieces[i] = (enet_piece){ fragment->frame, fragment->offset, fragment->length, flags };
        covered = MAX(covered, fragment->offset + fragment->length);
    }
    return pieces;
}

/* Stores the bytes of the message that was joined. The fragment that completes it is in the datagram in which the message
 * is shown: its bytes are not stored, if they are the end of the message, as they are where no fragment was lost. */
static void keep_bytes(enet_reassembly *message, const uint8_t *bytes)
{
    const enet_fragment *completing = message->last;
    bool is_end = completing->offset + completing->length == message->length;
    message->kept = is_end ? completing->offset : message->length;
    if (message->kept)
        message->bytes = wmem_memdup(wmem_file_scope(), bytes, message->kept);
}

/* Joins a message of which a fragment with each number has arrived, lists its fragments, and frees them; false if the
 * fragments leave a gap. Fragments that ENet's receiver ignores (not is_accepted) are listed, but not joined. The
 * length comes from the packet: memory of this size is allocated only after as many bytes were captured. */
static bool join_fragments(enet_reassembly *message, uint32_t frame)
{
    /* Fewer bytes than the message has leave a gap. */
    if (message->payload < message->length)
        return false;
    enet_fragment **sorted = wmem_alloc_array(NULL, enet_fragment *, message->arrived);
    for (enet_fragment *fragment = message->first; fragment; fragment = fragment->next)
        sorted[fragment->order] = fragment;
    qsort(sorted, message->arrived, sizeof(void *), compare_offsets);

    /* In the order of offsets, each fragment begins at most where the bytes before it end, unless there is a gap. */
    uint32_t covered = 0;
    for (uint32_t i = 0; i < message->arrived; i++)
        if (sorted[i]->is_accepted && sorted[i]->offset <= covered)
            covered = MAX(covered, sorted[i]->offset + sorted[i]->length);
    bool is_whole = covered == message->length;
    if (is_whole) {
        uint8_t *bytes = wmem_alloc(NULL, message->length);
        for (const enet_fragment *fragment = message->first; fragment; fragment = fragment->next)
            if (fragment->is_accepted) /* and ends within the message: see GW_ENET_ODD_FRAGMENT_END */
                memcpy(bytes + fragment->offset, payload_of(fragment), fragment->length);
        message->frame = frame;
        keep_bytes(message, bytes);
        message->pieces = list_pieces(message, bytes, sorted);
        wmem_free(NULL, bytes);
        message->piece_count = message->arrived;
        if (message->others)
            wmem_tree_destroy(message->others, false, false);
        message->others = NULL;
        for (uint32_t i = 0; i < message->arrived; i++)
            wmem_free(wmem_file_scope(), sorted[i]);
        message->first = message->last = NULL;
    }
    wmem_free(NULL, sorted);
    return is_whole;
}

/* Adds a fragment to its message; true if it completes the message. `payload`: command->length bytes, all captured. */
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
    /* As in ENet: a number that has arrived is ignored, and so is a fragment that contradicts the first one. All
     * numbers below `ordered` have arrived; of the others, those in the tree. */
    bool has_arrived = number < message->ordered || (message->others && wmem_tree_lookup32(message->others, number));
    fragment->is_accepted =
        !has_arrived && command->fragment_count == message->count && command->total_length == message->length;
    if (!fragment->is_accepted)
        return false;
    /* Keeps the number; if it was the next one, those after it may have arrived, too. */
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
    return message->numbers == message->count && join_fragments(message, frame);
}

/* Adds a fragment to its message, which is begun if there is none, and joins the message if the fragment is its last.
 * Sets finding->message and finding->completes, unless the message was joined before. `bytes`: in which the payload
 * is. */
void enet_keep_fragment(enet_channel *channel, const enet_command *command, const uint8_t *bytes, uint32_t frame,
                        enet_finding *finding)
{
    /* The same for all fragments of one message in a channel: the number of its first fragment; for unreliable
     * fragments, the reliable number and the start number, with bit 62, which no key of a reliable message has. */
    uint32_t sequence = enet_unwrap(channel->highest, command->sequence);
    const enet_key key = { .number = command->number == GW_ENET_SEND_FRAGMENT
                                         ? sequence - (uint16_t)(command->sequence - command->sub_sequence)
                                         : UINT64_C(1) << 62 | (uint64_t)sequence << 16 | command->sub_sequence,
                           .channel = channel->index };
    enet_reassembly *message = gw_table_find(&enet_capture.messages, &key);
    if (!message) {
        message = gw_table_add(&enet_capture.messages, &key, sizeof *message);
        message->count = command->fragment_count;
        message->length = command->total_length;
    }
    if (message->frame)
        return;
    finding->message = message;
    finding->completes = add_fragment(message, command, bytes + command->payload.offset, frame);
}
