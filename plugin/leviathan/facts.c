/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Collects facts from events. Uses no state and no other datagrams.
 */
#include "internal.h"

#define REQUEST_HEADER 7 /* bytes: no message is shorter */

/* Number of messages that are declared and fit into the datagram. */
static void expect_messages(leviathan_facts *facts, packet_info *pinfo, const gw_leviathan_reader *reader,
                            uint32_t declared)
{
    uint32_t left = reader->length - reader->offset;
    uint32_t most = MIN(declared, left / REQUEST_HEADER);
    facts->messages = wmem_alloc0_array(pinfo->pool, leviathan_message_facts, most);
}

/* Called when a message's header is complete. */
static void add_message(leviathan_facts *facts, const gw_leviathan_message *message)
{
    facts->messages[facts->message_count++] = (leviathan_message_facts){
        .number = message->number,
        .response_to = message->response_to,
        .kind = message->kind,
        .type = message->type,
    };
}

static void add_acks(leviathan_facts *facts, const gw_leviathan_reader *reader, const gw_leviathan_event *event)
{
    facts->acks = reader->bytes + event->payload.offset;
    facts->acks_offset = event->payload.offset;
    facts->acks_length = event->payload.length;
}

static void add_packet(leviathan_facts *facts, const gw_leviathan_reader *reader, const gw_leviathan_event *event)
{
    if (event->kind == GW_CLOSE && event->role == GW_LEVIATHAN_ROLE_PACKET)
        facts->content = wmem_strong_hash(reader->bytes + event->payload.offset, event->payload.length);
    if (event->kind != GW_OPEN || event->index)
        return;
    facts->is_packet = true;
    facts->ack_only = event->role == GW_LEVIATHAN_ROLE_ACK_ONLY;
}

void leviathan_facts_add(leviathan_facts *facts, packet_info *pinfo, const gw_leviathan_reader *reader,
                         const gw_leviathan_event *event)
{
    switch (event->role) {
    case GW_LEVIATHAN_ROLE_PACKET:
    case GW_LEVIATHAN_ROLE_ACK_ONLY:
        add_packet(facts, reader, event);
        break;
    case GW_LEVIATHAN_ROLE_PACKET_ID:
        facts->packet_id = (uint32_t)event->number;
        break;
    case GW_LEVIATHAN_ROLE_START_ACK:
        facts->start_ack = (uint32_t)event->number;
        break;
    case GW_LEVIATHAN_ROLE_ACK_ONLY_IDS:
        if (!facts->ack_only || facts->acks)
            break;
        add_acks(facts, reader, event);
        break;
    case GW_LEVIATHAN_ROLE_PACKED_ACKS:
        add_acks(facts, reader, event);
        break;
    case GW_LEVIATHAN_ROLE_MESSAGE_COUNT:
        expect_messages(facts, pinfo, reader, (uint32_t)event->number);
        break;
    case GW_LEVIATHAN_ROLE_REQUEST_TYPE:
    case GW_LEVIATHAN_ROLE_RESPONSE_TO:
        add_message(facts, &reader->message);
        break;
    case GW_LEVIATHAN_ROLE_MESSAGE:
        if (event->kind == GW_CLOSE) {
            leviathan_message_facts *message = &facts->messages[facts->message_count - 1];
            message->length = event->payload.length;
            message->content = wmem_strong_hash(reader->bytes + event->payload.offset, message->length);
        }
        break;
    default:
        break;
    }
}

/* ---- acks ---------------------------------------------------------------------------------------------- */

leviathan_acked_ids leviathan_acks_of(const leviathan_facts *facts, gw_leviathan_ack_reading reading)
{
    leviathan_acked_ids ids = { .ids = NULL };
    if (facts->ack_only)
        ids = (leviathan_acked_ids){ .ids = facts->acks, .left = facts->acks_length / 4 };
    else
        gw_leviathan_acks_init(&ids.bits, facts->start_ack, facts->acks, facts->acks_length, reading);
    return ids;
}

bool leviathan_next_acked(leviathan_acked_ids *ids, uint32_t *id)
{
    if (!ids->ids)
        return gw_leviathan_acks_next(&ids->bits, id);
    if (!ids->left)
        return false;
    *id = gw_be32(ids->ids);
    ids->ids += 4;
    ids->left--;
    return true;
}

static bool has_id(const leviathan_facts *facts, uint32_t packet_id)
{
    for (uint32_t at = 0; at < facts->acks_length; at += 4)
        if (gw_be32(facts->acks + at) == packet_id)
            return true;
    return false;
}

bool leviathan_acknowledges(const leviathan_facts *facts, gw_leviathan_ack_reading reading, uint32_t packet_id)
{
    uint32_t bit = packet_id - facts->start_ack - (uint32_t)reading;
    if (facts->ack_only)
        return has_id(facts, packet_id);
    return bit < 8 * facts->acks_length && (facts->acks[bit / 8] >> bit % 8 & 1);
}

/* ---- connections --------------------------------------------------------------------------------------- */

static bool is_message(const leviathan_message_facts *message, uint8_t kind, uint8_t id)
{
    return message->kind == kind && message->type && message->type->id == id;
}

bool leviathan_is_hello(const leviathan_facts *facts)
{
    return facts->message_count && facts->messages[0].number == 1 &&
           is_message(&facts->messages[0], GW_LEVIATHAN_REQUEST, GW_LEVIATHAN_CONNECT);
}

bool leviathan_is_closing(const leviathan_facts *facts)
{
    for (uint32_t i = 0; i < facts->message_count; i++)
        if (is_message(&facts->messages[i], GW_LEVIATHAN_RESPONSE, GW_LEVIATHAN_CLOSE_CONNECTION))
            return true;
    return false;
}
