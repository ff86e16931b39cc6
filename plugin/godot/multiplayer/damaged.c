/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Damaged messages, by the rule in common/recognition/damaged.h: the samples with which they are compared, and the ids of
 * the connection in the head of a message that cannot be read.
 */
#include "internal.h"

#include "relations/internal.h"

#include <gamewire/bytes.h>

#include "common/items.h"

/* Evidence for a message that cannot be read, to be shown all the same: as of damaged payloads. */
#define KNOWN_BITS GW_DAMAGED_SAMPLE_BITS
/* An item whose size is in the message. */
#define SIZE_BITS 16U

/* ---- samples ------------------------------------------------------------------------------------------- */

/* The bits of evidence in the bytes alone, without the ids that the transport knows: of the message (`data`), in the form
 * in which it was read. Counted until they are sufficient for a sample; half of them if the capture cut the message, as
 * in gw_godot_mp_recognize(). A client's id that a server assigns (GW_GODOT_MP_4_ASSIGNED) is no evidence. */
static uint32_t bits_of_message(tvbuff_t *tvb, const void *data)
{
    const godot_mp_message *message = data;
    const uint32_t captured = tvb_captured_length(tvb), wire_length = tvb_reported_length(tvb);
    const gw_godot_mp_options options = { .form = message->reader.form, .is_cut = captured < wire_length };
    const uint32_t share = options.is_cut ? 2 : 1;
    gw_godot_mp_evidence evidence = { 0 };
    gw_godot_mp_reader reader;
    gw_godot_mp_event event;
    if (!gw_godot_mp_is_possible(&message->evidence, &message->reader, wire_length))
        return 0;
    gw_godot_mp_init(&reader, gw_bytes_of(tvb), captured, &options);
    while (evidence.bits / share < GW_DAMAGED_SAMPLE_BITS && gw_godot_mp_next(&reader, &event) == GW_NEXT_EVENT)
        gw_godot_mp_weigh(&evidence, &reader, &event);
    return evidence.bits / share;
}

/* Stores a message that a heuristic accepted as a sample: damaged ones are compared with it. */
void godot_mp_keep_sample(const godot_mp_message *message)
{
    const godot_mp_carrier *carrier = message->carrier;
    if (carrier->heuristic)
        gw_damaged_keep(&carrier->heuristic->damaged, message->pinfo, message->tvb, carrier->stream, bits_of_message,
                        message);
}

/* ---- heads --------------------------------------------------------------------------------------------- */

/* True if the connection has defined the id in the head; of several updates, the first one's. The declined message has
 * no number: a copy of it is analyzed as the latest one, with the highest number, which finds all definitions so far.
 * Nothing is stored for the copy. */
static bool has_known_id(const godot_mp_message *message)
{
    godot_mp_message latest = *message;
    latest.position.first_pass = false;
    latest.position.archived = NULL;
    latest.position.seq = UINT32_MAX;
    godot_mp_analyze(&latest);
    const godot_mp_findings *findings = latest.findings;
    if (message->facts.update_count)
        return findings->updates[0].path.entry || findings->updates[0].spawn.entry;
    return findings->path.entry || findings->spawn.entry;
}

/* True if the value is an id of the connection, or the size of an update after which others end where the message does.
 * `is_known`: has_known_id(). An update begins with u32 net id, of a delta u64 indexes, and u32 size: `update_head`. */
static bool is_known_value(const godot_mp_message *message, const gw_godot_mp_event *event, bool is_known)
{
    const gw_godot_mp_reader *reader = &message->reader;
    uint32_t update_head = reader->packet.delta ? 16 : 8;
    uint64_t end = gw_span_end(event->payload) + (uint64_t)event->number;
    godot_mp_position position = message->position;
    godot_mp_peer peers[2];
    switch (event->role) {
    case GW_GODOT_MP_ROLE_SOURCE:
    case GW_GODOT_MP_ROLE_TARGET:
        position.seq = UINT32_MAX;
        godot_mp_find_peers(&position, peers);
        return peers[event->role == GW_GODOT_MP_ROLE_SOURCE ? position.side : position.side ^ 1U].id == event->number;
    case GW_GODOT_MP_ROLE_SIZE:
        while (is_known && end + update_head <= reader->length)
            end += update_head + gw_le32(reader->bytes + end + update_head - 4);
        return is_known && end == reader->length;
    case GW_GODOT_MP_ROLE_INDEXES:
    case GW_GODOT_MP_ROLE_COMMAND:
    case GW_GODOT_MP_ROLE_RELAY_PEER:
    case GW_GODOT_MP_ROLE_NODE_ID:
    case GW_GODOT_MP_ROLE_PATH_ID:
    case GW_GODOT_MP_ROLE_PATH:
    case GW_GODOT_MP_ROLE_SPAWNER:
    case GW_GODOT_MP_ROLE_NET_ID:
        return is_known;
    default:
        return false;
    }
}

/* Bits of evidence in an event or a field: of a name of the declared length with one NUL and of an update that its values
 * fill, as in the codec; of a known value's bytes. */
static uint32_t bits_of_item(const godot_mp_message *message, const gw_godot_mp_event *item, bool is_known)
{
    bool is_name = item->role == GW_GODOT_MP_ROLE_NAME && !(item->odd & GW_GODOT_MP_ODD_NAME);
    bool is_filled = is_name || (item->role == GW_GODOT_MP_ROLE_UPDATE && item->kind == GW_CLOSE);
    uint32_t bits = is_known && is_filled ? SIZE_BITS : 0;
    uint32_t length = is_known_value(message, item, is_known) ? item->payload.length : 0;
    const uint8_t *bytes = message->reader.bytes + item->payload.offset;
    for (uint32_t i = 0; i < length; i++)
        bits += gw_bits_of_byte(bytes[i]);
    return bits;
}

/* Bits of evidence in a message that was read and is not possible, of a connection with accepted messages: of ids that
 * these have defined, of the peers' ids, and of sizes that fill the message. */
static uint32_t bits_of_heads(const godot_mp_message *message)
{
    const bool is_known = has_known_id(message);
    uint32_t bits = 0, updates = 0;
    for (uint32_t i = 0; i < message->event_count; i++) {
        const gw_godot_mp_event *event = &message->events[i];
        gw_godot_mp_event part = { .role = GW_GODOT_MP_ROLE_NONE };
        updates += event->role == GW_GODOT_MP_ROLE_UPDATE && event->kind == GW_OPEN;
        bits += bits_of_item(message, event, is_known);
        /* has_known_id() has only tested the first update's id. */
        while (updates <= 1 && gw_godot_mp_next_part(&message->reader, event, &part))
            bits += bits_of_item(message, &part, is_known);
    }
    return bits;
}

/* True if a message that was read, and is not possible, has enough evidence for its connection: it is a damaged one. */
bool godot_mp_has_known_heads(const godot_mp_message *message)
{
    return bits_of_heads(message) >= KNOWN_BITS;
}
