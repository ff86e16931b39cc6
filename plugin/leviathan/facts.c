/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The events of a datagram as facts, and the packet ids that it acknowledges.
 */
#include "internal.h"

#include "common/keys.h"

#define REQUEST_HEADER 7 /* bytes: no message is shorter */

/* Adds an event to the facts; called for each event, in order. Hashes of the packet and of its messages are set when
 * they end: 0 if reading stopped before. */
void leviathan_add_to_facts(leviathan_facts *facts, packet_info *pinfo, const gw_leviathan_reader *reader,
                            const gw_leviathan_event *event)
{
    const uint8_t *payload = reader->bytes + event->payload.offset;
    const gw_leviathan_message *header = &reader->message;
    switch (event->role) {
    case GW_LEVIATHAN_ROLE_PACKET:
    case GW_LEVIATHAN_ROLE_ACK_ONLY:
        /* The first item of the datagram is the packet; the ones after it are ack-only blocks that the engine
         * ignores. */
        if (event->kind == GW_OPEN && !event->index) {
            facts->is_packet = true;
            facts->ack_only = event->role == GW_LEVIATHAN_ROLE_ACK_ONLY;
        }
        if (event->kind == GW_CLOSE && event->role == GW_LEVIATHAN_ROLE_PACKET)
            facts->content = (uint32_t)gw_hash_bytes(payload, event->payload.length);
        break;
    case GW_LEVIATHAN_ROLE_PACKET_ID:
        facts->packet_id = (uint32_t)event->number;
        break;
    case GW_LEVIATHAN_ROLE_START_ACK:
        facts->start_ack = (uint32_t)event->number;
        break;
    case GW_LEVIATHAN_ROLE_ACK_ONLY_IDS:
    case GW_LEVIATHAN_ROLE_PACKED_ACKS:
        if (event->role == GW_LEVIATHAN_ROLE_ACK_ONLY_IDS && (!facts->ack_only || facts->acks))
            break; /* a block after the packet, which the engine ignores */
        facts->acks = payload;
        facts->acks_offset = event->payload.offset;
        facts->acks_length = event->payload.length;
        break;
    case GW_LEVIATHAN_ROLE_MESSAGE_COUNT: {
        /* As many as are declared and fit into the datagram. */
        uint32_t most = MIN((uint32_t)event->number, (reader->length - reader->offset) / REQUEST_HEADER);
        facts->messages = wmem_alloc0_array(pinfo->pool, leviathan_message_facts, most);
        break;
    }
    case GW_LEVIATHAN_ROLE_REQUEST_TYPE:
    case GW_LEVIATHAN_ROLE_RESPONSE_TO: /* the last part of the header of a request, and of a response */
        if (!facts->messages)
            break; /* not reached: the reader gives the count first, and the array has room for each message */
        facts->messages[facts->message_count++] =
            (leviathan_message_facts){ header->number, header->response_to, .kind = header->kind,
                                       .type = header->type };
        break;
    case GW_LEVIATHAN_ROLE_MESSAGE:
        if (event->kind == GW_CLOSE && facts->message_count) {
            leviathan_message_facts *message = &facts->messages[facts->message_count - 1];
            message->length = event->payload.length;
            message->content = (uint32_t)gw_hash_bytes(payload, message->length);
        }
        break;
    default:
        break;
    }
}

/* ---- acks ---------------------------------------------------------------------------------------------- */

/* Begins to read the ids that a datagram acknowledges: the ids in an ack-only packet, or the ids of the ack bits that
 * are set. `reading`: which id bit 0 stands for, start_ack (as the engine) or start_ack + 1 (as documented). */
leviathan_acked_ids leviathan_acked_ids_of(const leviathan_facts *facts, gw_leviathan_ack_reading reading)
{
    leviathan_acked_ids acked = { .ids = NULL };
    if (facts->ack_only)
        acked = (leviathan_acked_ids){ .ids = facts->acks, .left = facts->acks_length / 4 };
    else
        gw_leviathan_acks_init(&acked.bits, facts->start_ack, facts->acks, facts->acks_length, reading);
    return acked;
}

/* Sets `id` to the next acknowledged id; false if there is none. acked->ids is NULL if the ids are those of ack
 * bits. */
bool leviathan_next_acked_id(leviathan_acked_ids *acked, uint32_t *id)
{
    if (!acked->ids) /* ack bits */
        return gw_leviathan_acks_next(&acked->bits, id);
    if (!acked->left)
        return false;
    *id = gw_be32(acked->ids);
    acked->ids += 4;
    acked->left--;
    return true;
}
