/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Lists what the commands of a datagram are for.
 */
#include "internal.h"

#include <epan/proto_data.h>

#include "common/keys.h"

static enet_purpose purpose_of(const enet_command *command, const enet_finding *finding)
{
    bool is_copy = finding->flags & ENET_DUPLICATE || (finding->flags & ENET_RETRANSMISSION && finding->resend);
    if (command->number == GW_ENET_ACKNOWLEDGE)
        return ENET_ACKNOWLEDGES;
    if (!gw_enet_command_of(command->number)->has_payload)
        return ENET_MANAGES;
    return is_copy ? ENET_SENDS_AGAIN : ENET_SENDS;
}

static bool is_reliable(const enet_command *command)
{
    return command->number == GW_ENET_SEND_RELIABLE || command->number == GW_ENET_SEND_FRAGMENT;
}

/* The wire has fewer bytes of a command than the datagram that it was compressed with. */
static uint32_t bytes_of(const enet_facts *facts, uint32_t bytes)
{
    uint32_t packed = facts->wire_length - MIN(facts->header.length, facts->wire_length);
    if (facts->unpacked_length <= packed)
        return bytes;
    return (uint32_t)((uint64_t)bytes * packed / facts->unpacked_length);
}

static enet_share share_of(const enet_facts *facts, const enet_findings *findings, uint32_t index)
{
    const enet_command *command = &facts->commands[index];
    enet_share share = { .name = gw_enet_command_of(command->number)->name,
                         .connection = findings->connection->number,
                         .bytes = bytes_of(facts, command->size),
                         .sequence = command->sequence,
                         .start = command->sub_sequence,
                         .purpose = (uint8_t)purpose_of(command, &findings->commands[index]),
                         .side = findings->side,
                         .channel = command->channel,
                         .is_reliable = is_reliable(command),
                         .is_fragment = command->fragment_count > 0 };
    if (share.purpose == ENET_SENDS || share.purpose == ENET_SENDS_AGAIN)
        share.payload = bytes_of(facts, command->payload.length);
    if (share.purpose == ENET_ACKNOWLEDGES)
        share.side = enet_other(share.side);
    return share;
}

enet_shares *enet_shares_add(packet_info *pinfo, const enet_facts *facts, const enet_findings *findings)
{
    enet_shares *shares = wmem_alloc(pinfo->pool, sizeof *shares + facts->count * sizeof *shares->commands);
    shares->next = p_get_proto_data(pinfo->pool, pinfo, proto_enet, GW_KEY_ENET_SHARES);
    shares->count = facts->count;
    for (uint32_t i = 0; i < facts->count; i++)
        shares->commands[i] = share_of(facts, findings, i);
    p_set_proto_data(pinfo->pool, pinfo, proto_enet, GW_KEY_ENET_SHARES, shares);
    return shares;
}
