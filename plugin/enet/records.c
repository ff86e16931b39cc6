/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Records in pages of consecutive numbers.
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
