/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Collects facts from events. Uses no state and no other datagrams.
 */
#include "internal.h"

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15); /* 2^64 / the golden ratio */
    return hash ^ hash >> 32;
}

uint64_t enet_hash(const uint8_t *bytes, size_t length)
{
    uint64_t hash = length, word;
    for (; length >= sizeof word; length -= sizeof word, bytes += sizeof word) {
        memcpy(&word, bytes, sizeof word);
        hash = mix(hash, word);
    }
    word = 0;
    memcpy(&word, bytes, length);
    return mix(hash, word);
}

/* Of commands about the connection, all numbers are kept for the analysis. */
static const uint32_t *setup_of(packet_info *pinfo, const gw_enet_reader *reader)
{
    const gw_enet_command *read = &reader->command;
    uint32_t *values;
    switch (read->number) {
    case GW_ENET_CONNECT:
    case GW_ENET_VERIFY_CONNECT:
    case GW_ENET_BANDWIDTH_LIMIT:
    case GW_ENET_THROTTLE_CONFIGURE:
        values = (uint32_t *)wmem_memdup(pinfo->pool, read->values, sizeof read->values);
        /* In such formats VERIFY_CONNECT has no id of its own, but its header has. */
        if (reader->options.format->session_in_connect && read->number == GW_ENET_VERIFY_CONNECT)
            values[GW_ENET_ROLE_CONNECT_ID] = reader->header.session;
        return values;
    default:
        return NULL;
    }
}

static enet_command command_of(packet_info *pinfo, const gw_enet_reader *reader, uint32_t odd)
{
    const gw_enet_command *read = &reader->command;
    const uint32_t *values = read->values;
    bool acknowledges = read->number == GW_ENET_ACKNOWLEDGE;
    bool unreliable = read->number == GW_ENET_SEND_UNRELIABLE;
    bool unsequenced = read->number == GW_ENET_SEND_UNSEQUENCED;
    return (enet_command){
        .number = read->number,
        .flags = read->flags,
        .channel = (uint8_t)values[GW_ENET_ROLE_CHANNEL],
        .odd = odd,
        .sequence = (uint16_t)values[acknowledges ? GW_ENET_ROLE_ACKED_SEQUENCE : GW_ENET_ROLE_SEQUENCE],
        .acked_sent_time = (uint16_t)values[GW_ENET_ROLE_ACKED_SENT_TIME],
        .sub_sequence = (uint16_t)values[unreliable    ? GW_ENET_ROLE_UNRELIABLE_SEQUENCE
                                         : unsequenced ? GW_ENET_ROLE_GROUP
                                                       : GW_ENET_ROLE_START_SEQUENCE],
        .length = (uint16_t)values[GW_ENET_ROLE_LENGTH],
        .fragment_number = values[GW_ENET_ROLE_FRAGMENT_NUMBER],
        .fragment_count = values[GW_ENET_ROLE_FRAGMENT_COUNT],
        .fragment_offset = values[GW_ENET_ROLE_FRAGMENT_OFFSET],
        .total_length = values[GW_ENET_ROLE_TOTAL_LENGTH],
        .payload = { read->whole.offset + read->type->size, values[GW_ENET_ROLE_LENGTH] },
        .size = read->type->size + values[GW_ENET_ROLE_LENGTH],
        .setup = setup_of(pinfo, reader),
    };
}

static void add_command(enet_facts *facts, packet_info *pinfo, const gw_enet_reader *reader)
{
    if (facts->count == facts->room) {
        facts->room = facts->room ? 2 * facts->room : 4;
        facts->commands =
            (enet_command *)wmem_realloc(pinfo->pool, facts->commands, facts->room * sizeof *facts->commands);
    }
    facts->commands[facts->count++] = command_of(pinfo, reader, facts->odd);
}

void enet_facts_add(enet_facts *facts, packet_info *pinfo, const gw_enet_reader *reader, const gw_enet_event *event)
{
    if (event->kind == GW_OPEN)
        facts->odd = 0;
    if (event->kind == GW_CLOSE)
        add_command(facts, pinfo, reader);
    facts->odd |= event->odd;
}

void enet_facts_add_cut(enet_facts *facts, packet_info *pinfo, const gw_enet_reader *reader)
{
    add_command(facts, pinfo, reader);
    facts->commands[facts->count - 1].is_cut = true;
}
