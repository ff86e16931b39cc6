/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Validating a message, and how strongly it indicates Godot's multiplayer.
 *
 * The payloads of other games that use ENet or WebSocket begin with small numbers as well, and hold texts: that a
 * command byte is one of eight counts nothing. What counts is what depends on something that came before:
 *
 *   test                                                                  bits
 *   a method checksum: 32 hexadecimal digits and a NUL in their place     64
 *   a path offset that is exactly the end of the arguments                24
 *   the size of an update or of custom data that its values fill exactly  16
 *   a name that is as long as declared and ends in its only NUL           16
 *   a Variant that is not compressed, as it proves itself (godot.h)       at most 48
 *   a compressed Variant                                                  4
 *   a null                                                                none
 *   arguments that fill the packet, as many as declared (not none)        8
 *   a text of printable characters up to a NUL, each of the first eight   4
 *     but none of a confirmed path, which any text could be
 *   ids of nodes and net ids in the range in which engines count          4
 *   ids of peers: 1, or a hash that is not small                          4
 *   the message ends where its last field does                            required, no bits
 *   nothing that engines do not write                                     required, no bits
 *
 * RAW and byte arrays have no structure: possible, and no evidence.
 */
#include "tables.h"

/* What the engines of the generation write, though it is unusual. */
#define USUAL \
    ((uint32_t)(GW_GODOT_MULTIPLAYER_ODD_NULL_OBJECT | GW_GODOT_MULTIPLAYER_ODD_TOO_LARGE | \
                GW_GODOT_MULTIPLAYER_ODD_OLD_CONFIRM))

#define CHECKSUM_BITS   64U
#define OFFSET_BITS     24U
#define SIZE_BITS       16U
#define VALUE_BITS      48U
#define COMPRESSED_BITS 4U
#define COUNT_BITS      8U
#define CHARACTER_BITS  4U
#define CHARACTERS      8U
#define ID_BITS         4U
#define MOST_BITS       (UINT32_C(1) << 20)
/* Ids are counted from 0 or 1. */
#define MOST_PLAUSIBLE_ID 0xFFFF

static bool is_text(const uint8_t *text, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++)
        if (text[i] < 0x20 || text[i] == 0x7F)
            return false;
    return length != 0;
}

static void weigh_text(gw_godot_multiplayer_evidence *evidence, const gw_godot_multiplayer_reader *reader, gw_span text)
{
    if (!is_text(reader->bytes + text.offset, text.length))
        evidence->foreign = true;
    else
        evidence->bits += CHARACTER_BITS * (text.length < CHARACTERS ? text.length : CHARACTERS);
}

static uint32_t bits_of_value(const gw_godot_multiplayer_reader *reader, const gw_godot_multiplayer_event *event)
{
    if (event->encoding != GW_GODOT_MULTIPLAYER_PLAIN)
        return COMPRESSED_BITS;
    /* Four zero bytes are no evidence. */
    if (reader->value.nils == reader->value.values)
        return 0;
    return reader->value.proof < VALUE_BITS ? reader->value.proof : VALUE_BITS;
}

static uint32_t bits_of_id(int64_t id)
{
    return id <= MOST_PLAUSIBLE_ID ? ID_BITS : 0;
}

/* A peer's id is 1 or a hash of 31 bits, of which few are small; a target may be negative: all but that peer. */
static uint32_t bits_of_peer(int64_t id)
{
    int64_t peer = id < 0 ? -id : id;
    return peer == GW_GODOT_MULTIPLAYER_SERVER || peer > MOST_PLAUSIBLE_ID ? ID_BITS : 0;
}

/* WebSocket's messages without a packet (Godot 3) are from the server, and their target is 0. */
static bool is_of_server(const gw_godot_multiplayer_event *event)
{
    return event->number == (event->role == GW_GODOT_MULTIPLAYER_ROLE_SOURCE ? GW_GODOT_MULTIPLAYER_SERVER : 0);
}

static void weigh_peer(gw_godot_multiplayer_evidence *evidence, const gw_godot_multiplayer_reader *reader,
                       const gw_godot_multiplayer_event *event)
{
    bool head = event->role == GW_GODOT_MULTIPLAYER_ROLE_SOURCE || event->role == GW_GODOT_MULTIPLAYER_ROLE_TARGET;
    bool system =
        reader->form == GW_GODOT_MULTIPLAYER_3_WEBSOCKET && reader->head_type != GW_GODOT_MULTIPLAYER_WEBSOCKET_NONE;
    if (!head || !system)
        evidence->bits += bits_of_peer(event->number);
    else if (is_of_server(event))
        evidence->bits += ID_BITS;
    else
        evidence->foreign = true;
}

/* No engine sends an update without values, or the net id 0. */
static void weigh_counted(gw_godot_multiplayer_evidence *evidence, const gw_godot_multiplayer_event *event)
{
    bool size = event->role == GW_GODOT_MULTIPLAYER_ROLE_SIZE;
    evidence->bits += size ? SIZE_BITS : bits_of_id(event->number & ~(int64_t)GW_GODOT_MULTIPLAYER_PATH_NET_ID);
    if (!event->number)
        evidence->foreign = true;
}

/* The text of a confirmation could be any. */
static void weigh_path(gw_godot_multiplayer_evidence *evidence, const gw_godot_multiplayer_reader *reader,
                       const gw_godot_multiplayer_event *event)
{
    uint32_t before = evidence->bits;
    weigh_text(evidence, reader, event->payload);
    if (reader->packet.command == GW_GODOT_MULTIPLAYER_CONFIRM_PATH)
        evidence->bits = before;
    /* The offset in the node id was right if the path is where the reader expected it, without a gap. */
    evidence->bits += reader->packet.has_path ? OFFSET_BITS : 0;
}

static void weigh_item(gw_godot_multiplayer_evidence *evidence, const gw_godot_multiplayer_reader *reader,
                       const gw_godot_multiplayer_event *event)
{
    switch (event->role) {
    case GW_GODOT_MULTIPLAYER_ROLE_CHECKSUM_TEXT:
        evidence->bits += CHECKSUM_BITS;
        break;
    case GW_GODOT_MULTIPLAYER_ROLE_PATH:
        weigh_path(evidence, reader, event);
        break;
    case GW_GODOT_MULTIPLAYER_ROLE_METHOD:
    case GW_GODOT_MULTIPLAYER_ROLE_PROPERTY:
        weigh_text(evidence, reader, event->payload);
        break;
    case GW_GODOT_MULTIPLAYER_ROLE_NAME:
        weigh_text(evidence, reader, event->payload);
        evidence->bits += SIZE_BITS;
        break;
    case GW_GODOT_MULTIPLAYER_ROLE_SIZE:
    case GW_GODOT_MULTIPLAYER_ROLE_NET_ID:
        weigh_counted(evidence, event);
        break;
    case GW_GODOT_MULTIPLAYER_ROLE_CUSTOM_SIZE:
        evidence->bits += SIZE_BITS;
        break;
    case GW_GODOT_MULTIPLAYER_ROLE_ARGUMENT_COUNT:
        evidence->bits += event->number ? COUNT_BITS : 0;
        break;
    case GW_GODOT_MULTIPLAYER_ROLE_PATH_ID:
    case GW_GODOT_MULTIPLAYER_ROLE_SPAWNER:
        evidence->bits += bits_of_id(event->number);
        break;
    case GW_GODOT_MULTIPLAYER_ROLE_SOURCE:
    case GW_GODOT_MULTIPLAYER_ROLE_TARGET:
    case GW_GODOT_MULTIPLAYER_ROLE_PEER:
    case GW_GODOT_MULTIPLAYER_ROLE_RELAY_PEER:
    case GW_GODOT_MULTIPLAYER_ROLE_ASSIGNED:
        weigh_peer(evidence, reader, event);
        break;
    case GW_GODOT_MULTIPLAYER_ROLE_ARGUMENT:
    case GW_GODOT_MULTIPLAYER_ROLE_STATE:
    case GW_GODOT_MULTIPLAYER_ROLE_VALUE:
    case GW_GODOT_MULTIPLAYER_ROLE_CUSTOM:
        evidence->bits += bits_of_value(reader, event);
        break;
    default:
        break;
    }
}

void gw_godot_multiplayer_weigh(gw_godot_multiplayer_evidence *evidence, const gw_godot_multiplayer_reader *reader,
                                const gw_godot_multiplayer_event *event)
{
    evidence->odd |= event->odd;
    if (event->kind == GW_VALUE && evidence->bits < MOST_BITS)
        weigh_item(evidence, reader, event);
}

/* True when the capture, not the message, ended the reading. */
static bool is_cut(const gw_godot_multiplayer_reader *reader, size_t wire_length)
{
    return reader->length < wire_length && reader->fault.fault_class == GW_FAULT_TRUNCATED &&
           reader->fault.needed <= wire_length - reader->length;
}

bool gw_godot_multiplayer_is_possible(const gw_godot_multiplayer_evidence *evidence,
                                      const gw_godot_multiplayer_reader *reader, size_t wire_length)
{
    bool whole = reader->fault.fault_class == GW_FAULT_NONE && reader->length == wire_length;
    return (whole || is_cut(reader, wire_length)) && !(evidence->odd & ~USUAL) && !evidence->foreign;
}

static void sum(gw_godot_multiplayer_summary *summary, const gw_godot_multiplayer_event *event)
{
    bool packet = event->role == GW_GODOT_MULTIPLAYER_ROLE_PACKET && event->kind == GW_OPEN && !event->depth;
    summary->odd |= event->odd;
    summary->values += event->type != GW_GODOT_TYPES;
    summary->trailing += event->role == GW_GODOT_MULTIPLAYER_ROLE_TRAILING ? event->payload.length : 0;
    if (packet)
        summary->command = (uint8_t)event->number;
}

bool gw_godot_multiplayer_validate(const uint8_t *bytes, size_t length, const gw_godot_multiplayer_options *options,
                                   gw_godot_multiplayer_summary *summary)
{
    gw_godot_multiplayer_reader reader;
    gw_godot_multiplayer_event event;
    *summary = (gw_godot_multiplayer_summary){ .command = GW_GODOT_MULTIPLAYER_UNKNOWN };
    gw_godot_multiplayer_init(&reader, bytes, length, options);
    while (gw_godot_multiplayer_next(&reader, &event) == GW_NEXT_EVENT)
        sum(summary, &event);
    summary->fault = reader.fault;
    summary->length = reader.offset;
    return reader.fault.fault_class == GW_FAULT_NONE;
}

/* Evidence in a message read in one form; false when no engine writes it. */
static bool reads(const uint8_t *bytes, size_t captured, size_t wire_length,
                  const gw_godot_multiplayer_options *options, uint32_t *bits)
{
    gw_godot_multiplayer_reader reader;
    gw_godot_multiplayer_event event;
    gw_godot_multiplayer_evidence evidence = { 0 };
    gw_godot_multiplayer_init(&reader, bytes, captured, options);
    while (gw_godot_multiplayer_next(&reader, &event) == GW_NEXT_EVENT)
        gw_godot_multiplayer_weigh(&evidence, &reader, &event);
    /* That the end is right is not known of what was cut: it counts half. */
    *bits = is_cut(&reader, wire_length) ? evidence.bits / 2 : evidence.bits;
    return gw_godot_multiplayer_is_possible(&evidence, &reader, wire_length);
}

bool gw_godot_multiplayer_recognise(const uint8_t *bytes, size_t captured, size_t wire_length,
                                    const gw_godot_multiplayer_options *options, gw_recognition *recognition)
{
    /* A lone peer id is no evidence, and a packet of Godot 3 without a head is WebRTC's, which is encrypted. */
    static const uint8_t forms[] = { GW_GODOT_MULTIPLAYER_4, GW_GODOT_MULTIPLAYER_3_ENET,
                                     GW_GODOT_MULTIPLAYER_3_WEBSOCKET };
    *recognition = (gw_recognition){ 0 };
    for (size_t i = 0; i < sizeof forms; i++) {
        gw_godot_multiplayer_options form = { .form = (gw_godot_multiplayer_form)forms[i] };
        uint32_t bits;
        if (options)
            form = *options;
        if (!reads(bytes, captured, wire_length, &form, &bits))
            bits = 0;
        else
            recognition->readings |= UINT32_C(1) << form.form;
        recognition->bits = bits > recognition->bits ? bits : recognition->bits;
        if (options)
            break;
    }
    recognition->possible = recognition->readings != 0;
    return recognition->possible;
}
