/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Skips through a datagram without events: the same checks of lengths and counts as the reader's.
 */
#include "tables.h"

struct walk {
    const uint8_t *bytes;
    uint32_t offset;
    uint32_t length;
    gw_leviathan_revision revision;
    bool rest; /* the last field was application data, which extends to the end */
    gw_leviathan_summary *summary;
};

static bool fail(struct walk *walk, gw_leviathan_fault code, uint32_t needed)
{
    gw_set_fault(&walk->summary->fault, &gw_leviathan_faults, code, walk->offset, needed);
    return false;
}

static bool skip_fields(struct walk *walk, const uint8_t *fields)
{
    for (; *fields; fields++) {
        gw_span header, payload;
        if (!gw_leviathan_measure(walk->bytes, walk->offset, walk->length, gw_leviathan_fields[*fields].type, &header,
                                  &payload, &walk->summary->fault))
            return false;
        walk->offset = payload.offset + payload.length;
        walk->rest = *fields == GW_LEVIATHAN_ROLE_APPLICATION_DATA;
        if (*fields == GW_LEVIATHAN_ROLE_START_ACK && !gw_be32(walk->bytes + payload.offset))
            fields += GW_LEVIATHAN_ACK_FIELDS;
    }
    return true;
}

static bool skip_message(struct walk *walk)
{
    if (walk->offset == walk->length)
        return fail(walk, GW_LEVIATHAN_FAULT_MESSAGES_MISSING, 1);
    const uint8_t *at = walk->bytes + walk->offset;
    uint8_t kind = *at;
    bool request = kind == GW_LEVIATHAN_REQUEST;
    if (!request && kind != GW_LEVIATHAN_RESPONSE)
        return fail(walk, GW_LEVIATHAN_FAULT_MESSAGE_UNKNOWN, 0);
    if (!skip_fields(walk, request ? gw_leviathan_request_fields : gw_leviathan_response_fields))
        return false;
    const gw_leviathan_message_type *type = gw_leviathan_message_of_wire(walk->revision, kind, gw_be16(at + 5));
    if (!type)
        return fail(walk, request ? GW_LEVIATHAN_FAULT_REQUEST_UNKNOWN : GW_LEVIATHAN_FAULT_RESPONSE_UNKNOWN, 0);
    walk->summary->messages++;
    return skip_fields(walk, type->fields);
}

static bool is_block(const struct walk *walk)
{
    return walk->length - walk->offset >= 2 && gw_be16(walk->bytes + walk->offset) == GW_LEVIATHAN_ACK_ONLY_PACKET;
}

static bool skip_packet(struct walk *walk)
{
    const uint32_t left = walk->length - walk->offset;
    if (left < 2)
        return fail(walk, GW_LEVIATHAN_FAULT_FIELD_TRUNCATED, 2 - left);
    if (is_block(walk))
        return skip_fields(walk, gw_leviathan_ack_only_fields);
    if (gw_be16(walk->bytes + walk->offset) != GW_LEVIATHAN_NORMAL_PACKET)
        return fail(walk, GW_LEVIATHAN_FAULT_PACKET_UNKNOWN, 0);
    if (!skip_fields(walk, gw_leviathan_packet_fields))
        return false;
    for (uint32_t messages = walk->bytes[walk->offset - 1]; messages && !walk->rest; messages--)
        if (!skip_message(walk))
            return false;
    return true;
}

static bool skip_blocks(struct walk *walk)
{
    while (is_block(walk)) {
        if (!skip_fields(walk, gw_leviathan_ack_only_fields))
            return false;
        walk->summary->blocks++;
    }
    return true;
}

bool gw_leviathan_validate(const uint8_t *bytes, size_t length, const gw_leviathan_options *options,
                           gw_leviathan_summary *summary)
{
    const uint32_t start = options ? options->offset : 0;
    struct walk walk = { bytes, start, (uint32_t)length, GW_LEVIATHAN_SINCE_2018_12_09, false, summary };
    *summary = (gw_leviathan_summary){ 0 };
    if (options)
        walk.revision = options->revision;
    if (!gw_leviathan_check_input(length, start, &summary->fault))
        return false;
    bool whole = skip_packet(&walk) && skip_blocks(&walk);
    summary->length = walk.offset - start;
    summary->trailing = whole ? walk.length - walk.offset : 0;
    return whole;
}
