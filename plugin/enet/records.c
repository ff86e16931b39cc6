/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What was sent, for comparing it with what comes later: records of reliable commands in pages of consecutive numbers, and
 * the latest of what has no record.
 */
#include "internal.h"

#include "common/kept_memory.h"
#include "common/times.h"

/* Of one command: ENet gives a connection up long before. Each is searched for when the command comes again. */
#define MOST_SENDS_KEPT 64

#define PAGE_BITS    4
#define PAGE_RECORDS (1U << PAGE_BITS)

typedef struct record_page {
    enet_record *records[PAGE_RECORDS];
} record_page;

/* ---- reliable commands ---------------------------------------------------------------------------------- */

enet_channel *enet_find_channel(const enet_direction *direction, uint8_t number)
{
    for (enet_channel *channel = direction->channels; channel; channel = channel->next)
        if (channel->number == number)
            return channel;
    return NULL;
}

static record_page *find_page(const enet_channel *channel, uint32_t sequence)
{
    const void *number = GUINT_TO_POINTER(sequence >> PAGE_BITS);
    return channel->records ? (record_page *)wmem_map_lookup(channel->records, number) : NULL;
}

static record_page *obtain_page(enet_channel *channel, uint32_t sequence)
{
    record_page *page = find_page(channel, sequence);
    if (page)
        return page;
    if (!channel->records)
        channel->records = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
    page = gw_alloc_kept(sizeof *page);
    wmem_map_insert(channel->records, GUINT_TO_POINTER(sequence >> PAGE_BITS), page);
    return page;
}

enet_record *enet_find_record(const enet_channel *channel, uint32_t sequence)
{
    for (uint32_t i = 0; i < channel->record_count; i++)
        if (channel->first_records[i]->sequence == sequence)
            return channel->first_records[i];
    const record_page *page = find_page(channel, sequence);
    return page ? page->records[sequence % PAGE_RECORDS] : NULL;
}

static enet_send send_of(const packet_info *pinfo, const enet_sent *sent)
{
    return (enet_send){ .time = gw_nanoseconds(&pinfo->abs_ts),
                        .frame = pinfo->num,
                        .content = sent->content,
                        .sent_time = sent->sent_time };
}

enet_record *enet_keep_record(enet_channel *channel, uint32_t sequence, const enet_command *command,
                              const packet_info *pinfo, const enet_sent *sent)
{
    enet_record *record = gw_alloc_kept(sizeof *record);
    record->sequence = sequence;
    record->number = command->number;
    record->length = command->length;
    record->first = send_of(pinfo, sent);
    record->sends = 1;
    if (channel->record_count < ENET_FIRST_RECORDS)
        channel->first_records[channel->record_count++] = record;
    else
        obtain_page(channel, sequence)->records[sequence % PAGE_RECORDS] = record;
    return record;
}

enet_send *enet_find_send(enet_record *record, uint16_t sent_time)
{
    for (enet_send *send = &record->first; send; send = send->next)
        if (send->sent_time == sent_time)
            return send;
    return NULL;
}

const enet_send *enet_find_copy(const enet_record *record, const enet_sent *sent)
{
    for (const enet_send *send = &record->first; send; send = send->next)
        if (send->sent_time == sent->sent_time && enet_is_same_content(send->content, sent->content))
            return send;
    return NULL;
}

const enet_send *enet_next_send(const enet_send *send)
{
    const enet_send *next = send->next;
    while (next && !enet_is_same_content(next->content, send->content))
        next = next->next;
    return next;
}

enet_send *enet_keep_send(enet_record *record, const packet_info *pinfo, const enet_sent *sent)
{
    enet_send *last = &record->first;
    if (record->sends > MOST_SENDS_KEPT)
        return NULL;
    while (last->next)
        last = last->next;
    last->next = gw_alloc_kept(sizeof *last);
    *last->next = send_of(pinfo, sent);
    return last->next;
}

/* ---- the latest unreliable and unsequenced messages, and datagrams -------------------------------------- */

/* Up to so many are searched one by one, without lists. */
#define FEW 8

static bool has_lists(const enet_recent *recent)
{
    return recent->room > FEW;
}

/* The list of a key's hash: the index of its latest one + 1; 0: none. As many lists as there is room are stored after
 * that room. */
static uint16_t *list_of(const enet_recent *recent, uint64_t key)
{
    uint16_t *lists = (uint16_t *)(void *)(recent->seen + recent->room);
    return &lists[(key * UINT64_C(0x9E3779B97F4A7C15)) >> 32 & (recent->room - 1)];
}

static void add_to_list(enet_recent *recent, uint32_t index)
{
    uint16_t *list = list_of(recent, recent->seen[index].key);
    recent->seen[index].next = *list;
    *list = (uint16_t)(index + 1);
}

static void remove_from_list(enet_recent *recent, uint32_t index)
{
    const enet_seen *removed = &recent->seen[index];
    uint16_t *list = list_of(recent, removed->key);
    if (*list == index + 1) {
        *list = removed->next;
        return;
    }
    enet_seen *before = &recent->seen[*list - 1];
    while (before->next != index + 1)
        before = &recent->seen[before->next - 1];
    before->next = removed->next;
}

static void grow(enet_recent *recent)
{
    recent->room = recent->room ? 2 * recent->room : 1;
    size_t size = recent->room * sizeof *recent->seen;
    size_t lists = has_lists(recent) ? recent->room * sizeof(uint16_t) : 0;
    recent->seen = (enet_seen *)wmem_realloc(wmem_file_scope(), recent->seen, size + lists);
    memset(recent->seen + recent->room, 0, lists);
    for (uint32_t i = 0; lists && i < recent->count; i++)
        add_to_list(recent, i);
}

static const enet_seen *find_seen(const enet_recent *recent, uint64_t key)
{
    if (has_lists(recent)) {
        for (uint32_t i = *list_of(recent, key); i; i = recent->seen[i - 1].next)
            if (recent->seen[i - 1].key == key)
                return &recent->seen[i - 1];
        return NULL;
    }
    for (uint32_t i = 0; i < recent->count; i++)
        if (recent->seen[i].key == key)
            return &recent->seen[i];
    return NULL;
}

bool enet_was_seen(const enet_recent *recent, uint64_t key)
{
    return find_seen(recent, key) != NULL;
}

const enet_seen *enet_keep_recent(enet_recent *recent, const enet_seen *seen)
{
    const enet_seen *before = find_seen(recent, seen->key);
    if (before)
        return before;
    if (recent->count == recent->room && recent->room < ENET_RECENT)
        grow(recent);
    uint32_t index = recent->count++ % ENET_RECENT;
    if (recent->count > ENET_RECENT)
        remove_from_list(recent, index);
    recent->seen[index] = *seen;
    if (has_lists(recent))
        add_to_list(recent, index);
    return NULL;
}

const enet_seen *enet_keep_late(enet_recent *recent)
{
    enet_seen *late = &recent->seen[(recent->count - 1) % ENET_RECENT];
    const enet_seen *found = NULL;
    late->late = true;
    for (uint32_t i = 0; i < MIN(recent->count, ENET_RECENT); i++) {
        const enet_seen *seen = &recent->seen[i];
        if (seen->key > late->key && !seen->late && (!found || seen->key < found->key))
            found = seen;
    }
    return found;
}
