/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Validating a message, and how strongly it indicates Godot's multiplayer.
 *
 * The payloads of other games that use ENet or WebSocket begin with small numbers as well, and hold texts: that a
 * command byte is one of eight counts nothing. Items that depend on earlier ones count:
 *
 *   test                                                                  bits
 *   a method checksum: 32 hexadecimal digits and a NUL in their place     64
 *   a path offset that is exactly the end of the arguments                24
 *   the size of an update or of custom data that its values fill exactly, 16
 *     not all of them null
 *   a name that is as long as declared and ends in its only NUL           16
 *   a Variant that is not compressed, as it proves itself (godot.h)       at most 48
 *   a Variant instead of a packet, as gw_godot_recognize() says           its bits
 *   a compressed Variant                                                  4, at most 16 a message
 *   a null                                                                none
 *   arguments that fill the packet, as many as declared (not none)        8
 *   a text of printable characters up to a NUL, each of the first eight   4
 *     but none of a confirmed path, which any text could be, and of a
 *     packet of Godot 3 without header only in a call with its path
 *   ids of nodes and net ids in the range in which engines count, where
 *     more than an id follows them                                        4
 *   the source of a client's message, or the target of one to it, is the
 *     id that its CONNECT has                                             24
 *   the message goes from the client to 1, the server, or from 1 to the    20
 *     client, whose id is a hash, as the engines' are (more than 16 bits):
 *     with the bits above and below 48, since other protocols may begin
 *     with the number of their CONNECT, 2^-8, but not in the other byte
 *     order, with 1 in the four bytes after it, 2^-16, and a command of
 *     0 to 4 after these, 2^-6
 *   the command that begins an authentication, in the first reliable       48
 *     message of channel 0, if CONNECT is Godot's: 255 channels, 2^-2 of
 *     programs with ENet, an mtu of 1392 or 1400, always, and a hash as
 *     data, 2^-8; 07 00 as the first two bytes, 2^-8. Once a connection
 *   another source or target is 1, the server; as the target of one of
 *     the server's own messages, 0                                        4
 *   the message ends where its last field does                            required, no bits; not tested in one
 *                                                                         of more than MOST_EVENTS events
 *   nothing that engines do not write, and nothing that this side or      required, no bits
 *     channel does not send
 *   the same source in all messages of a client; where the client is not  required, no bits
 *     known, in all of one direction, and in none of the other
 *
 * Messages with the same evidence count once: the hash is calculated from the kinds of all items, texts and Variants,
 * not from ids, counts and compressed numbers, which home-made protocols have as well.
 *
 * RAW and byte arrays have no structure: possible, and no evidence.
 */
#include "internal.h"

#include <string.h>

/* Oddities that the engines of the generation write. */
#define USUAL ((uint32_t)(GW_GODOT_MP_ODD_NULL_OBJECT | GW_GODOT_MP_ODD_TOO_LARGE | GW_GODOT_MP_ODD_OLD_CONFIRM))

#define CHECKSUM_BITS   64U
#define OFFSET_BITS     24U
#define SIZE_BITS       16U
#define VALUE_BITS      48U
#define COMPRESSED_BITS 4U
#define COUNT_BITS      8U
#define CHARACTER_BITS  4U
#define CHARACTERS      8U
#define ID_BITS         4U
#define CLIENT_BITS     24U
#define PEERS_BITS      20U
#define AUTH_BITS       48U
#define MOST_COMPRESSED 16U
#define MOST_BITS       (UINT32_C(1) << 20)
/* Ids are assigned consecutively, from 0 or 1. */
#define MOST_PLAUSIBLE_ID 0xFFFF
/* Events of a message that are read: a delta of the engine's default limit has fewer, since nearly every event has a
 * byte or more. */
#define MOST_EVENTS (GW_GODOT_MP_DELTA_BYTES + 1)
/* Messages about peers: Godot 3 over ENet has a separate channel for them; Godot 4 sends them reliably. */
#define PEER_CHANNEL 0

static const gw_godot_mp_transport nothing_known;

/* ---- hash of the evidence ------------------------------------------------------------------------------ */

/* Adds bytes to the hash of the evidence (FNV-1a), by which messages with the same evidence count once
 * (gw_recognition.evidence); not for a caller that needs no evidence (is_known). A hash of 0 means that there is none,
 * so that 1 replaces it. */
static void mix(gw_godot_mp_evidence *evidence, const uint8_t *bytes, uint32_t length)
{
    if (evidence->is_known)
        return;
    uint32_t hash = evidence->hash ? evidence->hash : UINT32_C(2166136261); /* FNV-1a */
    for (uint32_t i = 0; i < length; i++)
        hash = (hash ^ bytes[i]) * UINT32_C(16777619);
    evidence->hash = hash ? hash : 1;
}

/* Adds a range of the message to the hash of the evidence. */
static void mix_span(gw_godot_mp_evidence *evidence, const gw_godot_mp_reader *reader, gw_span span)
{
    mix(evidence, reader->bytes + span.offset, span.length);
}

/* ---- texts --------------------------------------------------------------------------------------------- */

/* Adds the evidence of a path, method, property or name: bits for each of its first characters. If it is empty or has
 * characters that are not printable, no engine sends it: it is `foreign`, and the message not possible. */
static void weigh_text(gw_godot_mp_evidence *evidence, const gw_godot_mp_reader *reader, gw_span text)
{
    /* In Godot 3 without a head, and in a confirmation, the message is a command, a number and a text, as in many
     * protocols. A path at the offset in the node id is evidence in any message. */
    bool is_evidence = reader->packet.has_path ||
                       (reader->form != GW_GODOT_MP_3 && reader->packet.command != GW_GODOT_MP_CONFIRM_PATH);
    bool is_text = text.length;
    for (uint32_t i = 0; is_text && i < text.length; i++)
        is_text = reader->bytes[text.offset + i] >= 0x20 && reader->bytes[text.offset + i] != 0x7F;
    if (!is_text)
        evidence->foreign = true;
    else if (is_evidence)
        evidence->bits += CHARACTER_BITS * (text.length < CHARACTERS ? text.length : CHARACTERS);
    mix_span(evidence, reader, text);
}

/* Node names have no periods, colons, quotes or backslashes: "maps/forest.bsp" is a file. "." and ".." are parts of
 * paths. */
static bool is_node_path(const uint8_t *path, uint32_t length)
{
    uint32_t start = 0;
    for (uint32_t i = 0; i <= length; i++) {
        if (i < length && path[i] != '/') {
            if (path[i] == ':' || path[i] == '"' || path[i] == '\\')
                return false;
            continue;
        }
        if (memchr(path + start, '.', i - start) && !(i - start <= 2 && path[start] == '.' && path[i - 1] == '.'))
            return false;
        start = i + 1;
    }
    return true;
}

/* ---- values and ids ------------------------------------------------------------------------------------ */

/* Adds the evidence of a value: of a Variant, the bits of structure that its reader has counted (`proof`), or a few
 * bits for each compressed value, both up to a limit; none for null. Sets has_value, without which the size of an update
 * is no evidence. */
static void weigh_value(gw_godot_mp_evidence *evidence, const gw_godot_mp_reader *reader,
                        const gw_godot_mp_event *event)
{
    bool is_plain = event->encoding == GW_GODOT_MP_PLAIN;
    bool is_null = is_plain && reader->value.nils == reader->value.values;
    /* Null is four zero bytes, which are no evidence: all headers that were read (`values`) are those of null
     * (`nils`). */
    if (is_null)
        return;
    evidence->has_value = true;
    if (is_plain) {
        evidence->bits += reader->value.proof < VALUE_BITS ? reader->value.proof : VALUE_BITS;
        mix_span(evidence, reader, event->payload);
    } else if (evidence->compressed < MOST_COMPRESSED) {
        evidence->compressed += COMPRESSED_BITS;
        evidence->bits += COMPRESSED_BITS;
    }
}

/* Adds the evidence of a Variant in place of a packet, which only messages of Godot 3 have: the same bits as for a
 * Variant in a datagram; none if other protocols' payloads look like it more often (`unlikely`). */
static void weigh_variant(gw_godot_mp_evidence *evidence, const gw_godot_mp_reader *reader,
                          const gw_godot_mp_event *event)
{
    const gw_godot_options options = { .generation = GW_GODOT_3,
                                       .levels = reader->levels,
                                       .level_count = reader->level_count };
    gw_recognition variant;
    gw_span span = event->payload;
    gw_godot_recognize(reader->bytes + span.offset, span.length, span.length, &options, &variant);
    evidence->bits += variant.unlikely ? 0 : variant.bits;
    mix_span(evidence, reader, span);
}

/* Engines count ids from 0 or 1 on: small ones are evidence. */
static uint32_t bits_of_id(int64_t id)
{
    return id <= MOST_PLAUSIBLE_ID ? ID_BITS : 0;
}

/* Engines assign path ids from 1 on: with 0, no engine sends the message (`foreign`). `is_evidence`: a plausible id is
 * evidence. */
static void weigh_path_id(gw_godot_mp_evidence *evidence, int64_t id, bool is_evidence)
{
    if (!id)
        evidence->foreign = true;
    else if (is_evidence)
        evidence->bits += bits_of_id(id);
}

/* ---- peers --------------------------------------------------------------------------------------------- */

/* What the transport knows; nothing if the caller gave none. */
static const gw_godot_mp_transport *transport_of(const gw_godot_mp_reader *reader)
{
    return reader->transport ? reader->transport : &nothing_known;
}

/* Adds the evidence of a source or target that is the id of the client from CONNECT. The hash has no ids: the role is
 * added to it once more, so that such a message is other evidence than one with another id. */
static void weigh_client(gw_godot_mp_evidence *evidence, gw_godot_mp_role role)
{
    const uint8_t byte = (uint8_t)role;
    evidence->bits += CLIENT_BITS;
    mix(evidence, &byte, 1);
}

/* Adds the evidence of the source in a message of Godot 3: a peer id. The message is not possible (`foreign`) if it
 * comes from a client, and has the server's id or one other than the client's, or if it comes from the server, and has
 * the id of the client that receives it. transport->client is 0 if the id is not known; client_known: it is known which
 * peer is the client. */
static void weigh_source(gw_godot_mp_evidence *evidence, const gw_godot_mp_transport *transport, int64_t source)
{
    bool is_client = transport->client && source == transport->client;
    bool is_possible = !transport->client_known || (transport->from_client ? source != GW_GODOT_MP_SERVER : !is_client);
    if (!is_possible || (transport->client_known && transport->from_client && transport->client && !is_client))
        evidence->foreign = true;
    else if (is_client)
        weigh_client(evidence, GW_GODOT_MP_ROLE_SOURCE);
    else if (source == GW_GODOT_MP_SERVER)
        evidence->bits += ID_BITS;
    /* For weigh_target(), which adds bits if both ids are those of the connection's peers: the source is that of the
     * side that sends. Ids of clients are hashes: a small one is no evidence, as other protocols have small numbers. */
    evidence->has_source = transport->client_known && transport->client > MOST_PLAUSIBLE_ID &&
                           source == (transport->from_client ? transport->client : GW_GODOT_MP_SERVER);
    /* `sender` must be the same in all messages of one direction. Messages from the server have none: it relays
     * messages of several clients. */
    if (!transport->client_known || transport->from_client)
        evidence->sender = (uint32_t)source + 1; /* 0: none */
}

/* Adds the evidence of the target in a message of Godot 3, after weigh_source(): a peer id, 0 for all peers, or a
 * negative one for all but this peer. The server sends a message with a single target only to that client: another id
 * is not possible (`foreign`). PEERS_BITS: both ids are those of the connection's two peers, the client and 1, the
 * server. */
static void weigh_target(gw_godot_mp_evidence *evidence, const gw_godot_mp_transport *transport, int64_t target)
{
    bool from_server = transport->client_known && !transport->from_client;
    if (from_server && target > 0 && transport->client && target != transport->client)
        evidence->foreign = true;
    else if (from_server && transport->client && target == transport->client)
        weigh_client(evidence, GW_GODOT_MP_ROLE_TARGET);
    else if (target == GW_GODOT_MP_SERVER)
        evidence->bits += ID_BITS;
    if (evidence->has_source && target == (from_server ? transport->client : GW_GODOT_MP_SERVER))
        evidence->bits += PEERS_BITS;
}

/* Adds the evidence of a source or target in a head (the peer ids before the packet) of Godot 3. One that no engine
 * sends there is `foreign`: the message is not possible. A head_type other than GW_GODOT_MP_WEBSOCKET_NONE: a message
 * about a peer, without a packet. */
static void weigh_end(gw_godot_mp_evidence *evidence, const gw_godot_mp_reader *reader, uint32_t role, int64_t id)
{
    const gw_godot_mp_transport *transport = transport_of(reader);
    bool is_source = role == GW_GODOT_MP_ROLE_SOURCE;
    if (reader->form == GW_GODOT_MP_3_WEBSOCKET && reader->head_type != GW_GODOT_MP_WEBSOCKET_NONE) {
        /* WebSocket messages without a packet (Godot 3) are from the server, and their target is 0. */
        if (id == (is_source ? GW_GODOT_MP_SERVER : 0))
            evidence->bits += ID_BITS;
        else
            evidence->foreign = true;
    } else if (is_source)
        weigh_source(evidence, transport, id);
    else
        weigh_target(evidence, transport, id);
    /* Messages about peers, for which Godot 3 has this channel, have no head. */
    if (transport->has_channel && transport->channel == PEER_CHANNEL)
        evidence->foreign = true;
}

/* ---- items --------------------------------------------------------------------------------------------- */

/* Adds the evidence of an id: of a node, a path, a spawner or a peer; and of the sub-command that begins an
 * authentication. */
static void weigh_id(gw_godot_mp_evidence *evidence, const gw_godot_mp_reader *reader, uint32_t role, int64_t number)
{
    const gw_godot_mp_transport *transport = transport_of(reader);
    bool has_channel = reader->form == GW_GODOT_MP_3_ENET && transport->has_channel;
    /* Ids of clients are hashes, which are seldom small. */
    bool is_new_peer = number > MOST_PLAUSIBLE_ID && reader->form == GW_GODOT_MP_3_WEBSOCKET;
    switch (role) {
    case GW_GODOT_MP_ROLE_NODE_ID:
        weigh_path_id(evidence, number, false);
        break;
    case GW_GODOT_MP_ROLE_PATH_ID:
        weigh_path_id(evidence, number, reader->packet.command == GW_GODOT_MP_SIMPLIFY_PATH);
        break;
    case GW_GODOT_MP_ROLE_SPAWNER:
        weigh_path_id(evidence, number, true);
        break;
    case GW_GODOT_MP_ROLE_NET_ID:
        /* Engines do not assign 0, and the bit of an id of a path is not part of the number. */
        weigh_path_id(evidence, number, false);
        if (reader->packet.command != GW_GODOT_MP_DESPAWN)
            evidence->bits += bits_of_id(number & ~(int64_t)GW_GODOT_MP_PATH_NET_ID);
        break;
    case GW_GODOT_MP_ROLE_SOURCE:
    case GW_GODOT_MP_ROLE_TARGET:
        weigh_end(evidence, reader, role, number);
        break;
    case GW_GODOT_MP_ROLE_PEER:
        /* Only the server sends that a peer joined or left; over ENet, in Godot 3, on one channel. */
        if ((transport->client_known && transport->from_client) || (has_channel && transport->channel != PEER_CHANNEL))
            evidence->foreign = true;
        else if (number == GW_GODOT_MP_SERVER || is_new_peer)
            evidence->bits += ID_BITS;
        break;
    default: /* GW_GODOT_MP_ROLE_SUB_COMMAND: no other field is evidence */
        /* The first reliable message of a connection whose CONNECT is Godot 4's, and not in a relay. */
        if (number == GW_GODOT_MP_AUTH && reader->depth == 1 && reader->form == GW_GODOT_MP_4 &&
            transport->is_godot_4 && transport->is_first && transport->channel == PEER_CHANNEL)
            evidence->bits += AUTH_BITS;
        break;
    }
}

/* Adds the evidence of a text, size or id, as the table above has it: of a field of a head, or of the path of a call. */
static void weigh_field(gw_godot_mp_evidence *evidence, const gw_godot_mp_reader *reader, uint32_t role,
                        const gw_godot_mp_field *field)
{
    switch (role) {
    case GW_GODOT_MP_ROLE_CHECKSUM_TEXT:
        evidence->bits += CHECKSUM_BITS;
        mix_span(evidence, reader, field->span);
        break;
    case GW_GODOT_MP_ROLE_PATH:
        weigh_text(evidence, reader, field->span);
        if (!is_node_path(reader->bytes + field->span.offset, field->span.length))
            evidence->foreign = true;
        /* The offset in the node id is consistent if the path begins where the arguments end. */
        evidence->bits += reader->packet.has_path ? OFFSET_BITS : 0;
        break;
    case GW_GODOT_MP_ROLE_METHOD:
    case GW_GODOT_MP_ROLE_PROPERTY:
        weigh_text(evidence, reader, field->span);
        break;
    case GW_GODOT_MP_ROLE_NAME:
        weigh_text(evidence, reader, field->span);
        evidence->bits += SIZE_BITS;
        break;
    case GW_GODOT_MP_ROLE_SIZE:
        /* No engine sends an update without values. */
        evidence->has_value = false;
        evidence->foreign |= !field->number;
        break;
    case GW_GODOT_MP_ROLE_CUSTOM_SIZE:
        evidence->bits += SIZE_BITS;
        break;
    case GW_GODOT_MP_ROLE_ARGUMENT_COUNT:
        evidence->bits += field->number ? COUNT_BITS : 0;
        break;
    default:
        weigh_id(evidence, reader, role, field->number);
        break;
    }
}

/* Adds the evidence of an event without a head: of a value, or of the path of a call. Of values, only for a caller that
 * needs evidence (not is_known). */
static void weigh_item(gw_godot_mp_evidence *evidence, const gw_godot_mp_reader *reader, const gw_godot_mp_event *event)
{
    switch (event->role) {
    case GW_GODOT_MP_ROLE_ARGUMENT:
    case GW_GODOT_MP_ROLE_STATE:
    case GW_GODOT_MP_ROLE_VALUE:
    case GW_GODOT_MP_ROLE_CUSTOM:
        weigh_value(evidence, reader, event);
        break;
    case GW_GODOT_MP_ROLE_VARIANT:
        weigh_variant(evidence, reader, event);
        break;
    case GW_GODOT_MP_ROLE_DATA:
        /* The data may be any bytes: only the client's id before them is evidence. */
        evidence->bits = evidence->bits < CLIENT_BITS ? 0 : evidence->bits;
        break;
    case GW_GODOT_MP_ROLE_PATH:
        weigh_field(evidence, reader, event->role, &(gw_godot_mp_field){ .span = event->payload });
        break;
    default:
        break;
    }
}

/* Adds the evidence of one event, and of the fields of its head: call it for each, in order. The hash has the kinds of
 * all items, also of those without bits. Values and numbers have their evidence in weigh_item() and weigh_field(); the
 * size of an update is evidence at its end. */
void gw_godot_mp_weigh(gw_godot_mp_evidence *evidence, const gw_godot_mp_reader *reader, const gw_godot_mp_event *event)
{
    const uint8_t kind[] = { event->role, event->kind, event->type, event->encoding };
    evidence->odd |= event->odd;
    /* Only fields and the path of a call can make a message of a known form impossible. */
    if (evidence->is_known && !event->field_count && event->role != GW_GODOT_MP_ROLE_PATH)
        return;
    mix(evidence, kind, sizeof kind);
    mix(evidence, event->fields, event->field_count);
    if (evidence->bits >= MOST_BITS) /* more than sufficient; the sum does not overflow */
        return;
    for (uint32_t i = 0; i < event->field_count; i++) {
        const uint32_t role = event->fields[i];
        if (gw_godot_mp_rows[role].uses & GW_GODOT_MP_IS_EVIDENCE)
            weigh_field(evidence, reader, role, &reader->fields[role]);
    }
    if (event->kind == GW_VALUE)
        weigh_item(evidence, reader, event);
    /* An update closes only if its values fill it exactly. Not if all of them are null, since zeros fill any size. */
    if (event->kind == GW_CLOSE && event->role == GW_GODOT_MP_ROLE_UPDATE && evidence->has_value)
        evidence->bits += SIZE_BITS;
}

/* True if the caller stopped reading before the end. */
static bool is_unfinished(const gw_godot_mp_reader *reader)
{
    return reader->fault.fault_class == GW_FAULT_NONE && reader->offset < reader->length;
}

/* True if reading ended because the capture is truncated, and not the message. */
static bool is_cut(const gw_godot_mp_reader *reader, size_t wire_length)
{
    return reader->length < wire_length && reader->fault.fault_class == GW_FAULT_TRUNCATED &&
           reader->fault.needed <= wire_length - reader->length;
}

/* True if engines write such a message: it was read to its end, or up to where the caller stopped or the capture cut
 * it, it has no oddities except those that engines write (USUAL), and nothing in it is foreign. */
bool gw_godot_mp_is_possible(const gw_godot_mp_evidence *evidence, const gw_godot_mp_reader *reader, size_t wire_length)
{
    bool is_whole = reader->fault.fault_class == GW_FAULT_NONE && reader->length == wire_length;
    return (is_whole || is_unfinished(reader) || is_cut(reader, wire_length)) && !(evidence->odd & ~USUAL) &&
           !evidence->foreign;
}

/* Reads a whole message into `summary`: oddities, the number of values (GW_GODOT_TYPES marks events that are none), the
 * bytes after the last field, and where reading ended. False: it ended with a fault. */
bool gw_godot_mp_validate(const uint8_t *bytes, size_t length, const gw_godot_mp_options *options,
                          gw_godot_mp_summary *summary)
{
    gw_godot_mp_reader reader;
    gw_godot_mp_event event;
    *summary = (gw_godot_mp_summary){ .command = GW_GODOT_MP_UNKNOWN };
    gw_godot_mp_init(&reader, bytes, length, options);
    while (gw_godot_mp_next(&reader, &event) == GW_NEXT_EVENT) {
        summary->odd |= event.odd;
        summary->values += event.type != GW_GODOT_TYPES;
        summary->trailing += event.role == GW_GODOT_MP_ROLE_TRAILING ? event.payload.length : 0;
        if (event.role == GW_GODOT_MP_ROLE_PACKET && event.kind == GW_OPEN && !event.depth)
            summary->command = (uint8_t)event.number;
    }
    summary->fault = reader.fault;
    summary->length = reader.offset;
    return reader.fault.fault_class == GW_FAULT_NONE;
}

/* Sets `recognition` to the evidence of a message that is read in one form, that of the options; false if no engine
 * writes such a message. Reads at most MOST_EVENTS events of it. The form is the bit of `readings` (the variants of the
 * format that can read the message). */
static bool weigh_form(const uint8_t *bytes, size_t captured, size_t wire_length, const gw_godot_mp_options *options,
                       gw_recognition *recognition)
{
    gw_godot_mp_reader reader;
    gw_godot_mp_event event;
    gw_godot_mp_evidence evidence = { 0 };
    uint32_t left = MOST_EVENTS;
    gw_godot_mp_options cut = *options;
    cut.is_cut |= captured < wire_length;
    gw_godot_mp_init(&reader, bytes, captured, &cut);
    for (; left && gw_godot_mp_next(&reader, &event) == GW_NEXT_EVENT; left--)
        gw_godot_mp_weigh(&evidence, &reader, &event);
    /* That the last field ends with the message is a test of its own: if it could not be made, since reading stopped
     * before the end or the capture is cut, the evidence counts half. */
    bool is_ended = !is_unfinished(&reader) && !is_cut(&reader, wire_length);
    *recognition = (gw_recognition){ .bits = is_ended ? evidence.bits : evidence.bits / 2,
                                     .readings = UINT32_C(1) << options->form,
                                     .evidence = evidence.hash,
                                     .sender = evidence.sender };
    return gw_godot_mp_is_possible(&evidence, &reader, wire_length);
}

/* Weighs the message in the form of the options or, without options, in each form that its bytes can show. The result
 * is that of the form with the most bits; `readings` has the bits of all forms that are possible. */
bool gw_godot_mp_recognize(const uint8_t *bytes, size_t captured, size_t wire_length,
                           const gw_godot_mp_options *options, gw_recognition *recognition)
{
    /* All except two, which the caller selects: GW_GODOT_MP_4_ASSIGNED, since a single peer id is no evidence, and
     * GW_GODOT_MP_3, a packet without a head, since it is sent only over WebRTC. */
    static const gw_godot_mp_options all_forms[] = { { .form = GW_GODOT_MP_4 },
                                                     { .form = GW_GODOT_MP_3_ENET },
                                                     { .form = GW_GODOT_MP_3_WEBSOCKET } };
    const gw_godot_mp_options *forms = options ? options : all_forms;
    size_t count = options ? 1 : sizeof all_forms / sizeof *all_forms;
    uint32_t readings = 0;
    *recognition = (gw_recognition){ 0 };
    for (size_t i = 0; i < count; i++) {
        gw_recognition weighed;
        if (!weigh_form(bytes, captured, wire_length, &forms[i], &weighed))
            continue;
        /* The result is the form with the most evidence, and which forms are possible. */
        if (!readings || weighed.bits > recognition->bits)
            *recognition = weighed;
        readings |= weighed.readings;
    }
    recognition->readings = readings;
    recognition->possible = readings != 0;
    return recognition->possible;
}
