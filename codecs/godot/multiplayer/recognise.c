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
 *   arguments that fill the packet, as many as declared (not none)        8
 *   a text of printable characters up to a NUL, each of the first eight   4
 *   ids of peers, nodes and net ids in the range in which engines count   4
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

struct evidence {
    const gw_godot_multiplayer_reader *reader;
    uint32_t bits;
    bool foreign; /* something that engines do not write, and that is no oddity */
};

static bool is_text(const uint8_t *text, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++)
        if (text[i] < 0x20 || text[i] == 0x7F)
            return false;
    return length != 0;
}

static void weigh_text(struct evidence *evidence, gw_span text)
{
    if (!is_text(evidence->reader->bytes + text.offset, text.length))
        evidence->foreign = true;
    else
        evidence->bits += CHARACTER_BITS * (text.length < CHARACTERS ? text.length : CHARACTERS);
}

static void weigh_value(struct evidence *evidence, const gw_godot_multiplayer_event *event)
{
    const gw_godot_multiplayer_reader *reader = evidence->reader;
    const gw_godot_options options = { .generation = (gw_godot_generation)reader->generation };
    gw_godot_summary summary;
    if (event->encoding != GW_GODOT_MULTIPLAYER_PLAIN) {
        evidence->bits += COMPRESSED_BITS;
        return;
    }
    gw_godot_validate(reader->bytes + event->payload.offset, event->payload.length, &options, &summary);
    evidence->bits += summary.proof < VALUE_BITS ? summary.proof : VALUE_BITS;
}

static void weigh_id(struct evidence *evidence, int64_t id)
{
    evidence->bits += id <= MOST_PLAUSIBLE_ID ? ID_BITS : 0;
}

/* A call by path: the offset was right if the path is where the reader expected it, without a gap. */
static void weigh_path(struct evidence *evidence, const gw_godot_multiplayer_event *event)
{
    weigh_text(evidence, event->payload);
    if (evidence->reader->packet.has_path)
        evidence->bits += OFFSET_BITS;
}

static void weigh(struct evidence *evidence, const gw_godot_multiplayer_event *event)
{
    switch (event->field) {
    case GW_GODOT_MULTIPLAYER_CHECKSUM_TEXT:
        evidence->bits += CHECKSUM_BITS;
        break;
    case GW_GODOT_MULTIPLAYER_PATH:
        weigh_path(evidence, event);
        break;
    case GW_GODOT_MULTIPLAYER_METHOD:
    case GW_GODOT_MULTIPLAYER_PROPERTY:
        weigh_text(evidence, event->payload);
        break;
    case GW_GODOT_MULTIPLAYER_NAME:
        weigh_text(evidence, event->payload);
        evidence->bits += SIZE_BITS;
        break;
    case GW_GODOT_MULTIPLAYER_SIZE:
    case GW_GODOT_MULTIPLAYER_CUSTOM_SIZE:
        evidence->bits += SIZE_BITS;
        break;
    case GW_GODOT_MULTIPLAYER_ARGUMENT_COUNT:
        evidence->bits += event->number ? COUNT_BITS : 0;
        break;
    case GW_GODOT_MULTIPLAYER_PATH_ID:
    case GW_GODOT_MULTIPLAYER_SPAWNER:
    case GW_GODOT_MULTIPLAYER_PEER_COMMAND:
    case GW_GODOT_MULTIPLAYER_NET_ID:
        weigh_id(evidence, event->number & ~(int64_t)GW_GODOT_MULTIPLAYER_PATH_NET_ID);
        break;
    case GW_GODOT_MULTIPLAYER_SOURCE:
    case GW_GODOT_MULTIPLAYER_TARGET:
    case GW_GODOT_MULTIPLAYER_PEER:
    case GW_GODOT_MULTIPLAYER_RELAY_PEER:
    case GW_GODOT_MULTIPLAYER_ASSIGNED:
        evidence->bits += ID_BITS;
        break;
    case GW_GODOT_MULTIPLAYER_ARGUMENT:
    case GW_GODOT_MULTIPLAYER_STATE:
    case GW_GODOT_MULTIPLAYER_VALUE:
    case GW_GODOT_MULTIPLAYER_CUSTOM:
        weigh_value(evidence, event);
        break;
    default:
        break;
    }
}

static void sum(gw_godot_multiplayer_summary *summary, const gw_godot_multiplayer_event *event)
{
    bool packet = event->field == GW_GODOT_MULTIPLAYER_PACKET && event->kind == GW_OPEN && !event->depth;
    summary->odd |= event->odd;
    summary->values += event->type != GW_GODOT_TYPES;
    summary->trailing += event->field == GW_GODOT_MULTIPLAYER_TRAILING ? event->payload.length : 0;
    if (packet)
        summary->command = (uint8_t)event->number;
}

/* As gw_godot_multiplayer_validate(); `evidence` may be NULL. */
static bool read_all(const uint8_t *bytes, size_t length, const gw_godot_multiplayer_options *options,
                     gw_godot_multiplayer_summary *summary, struct evidence *evidence)
{
    gw_godot_multiplayer_reader reader;
    gw_godot_multiplayer_event event;
    *summary = (gw_godot_multiplayer_summary){ .command = GW_GODOT_MULTIPLAYER_UNKNOWN };
    if (evidence)
        *evidence = (struct evidence){ .reader = &reader };
    gw_godot_multiplayer_init(&reader, bytes, length, options);
    while (gw_godot_multiplayer_next(&reader, &event) == GW_NEXT_EVENT) {
        sum(summary, &event);
        if (evidence && event.kind == GW_VALUE && evidence->bits < MOST_BITS)
            weigh(evidence, &event);
    }
    summary->fault = reader.fault;
    summary->length = reader.offset;
    return reader.fault.fault_class == GW_FAULT_NONE;
}

bool gw_godot_multiplayer_validate(const uint8_t *bytes, size_t length, const gw_godot_multiplayer_options *options,
                                   gw_godot_multiplayer_summary *summary)
{
    return read_all(bytes, length, options, summary, NULL);
}

/* Evidence in a message read in one form; false when no engine writes it. */
static bool reads(const uint8_t *bytes, size_t captured, size_t wire_length,
                  const gw_godot_multiplayer_options *options, uint32_t *bits)
{
    gw_godot_multiplayer_summary summary;
    struct evidence evidence;
    bool whole = read_all(bytes, captured, options, &summary, &evidence);
    bool cut = captured < wire_length && summary.fault.fault_class == GW_FAULT_TRUNCATED &&
               summary.fault.needed <= wire_length - captured;
    /* That the end is right is not known of what was cut: it counts half. */
    *bits = cut ? evidence.bits / 2 : evidence.bits;
    if (!cut && (!whole || captured < wire_length))
        return false;
    return !(summary.odd & ~USUAL) && !evidence.foreign;
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
