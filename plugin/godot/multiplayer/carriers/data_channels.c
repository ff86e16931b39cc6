/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finds SCTP in DTLS, and the streams of its messages.
 *
 *   packet   u16 source port, u16 destination port, u32 verification tag, u32 CRC-32C, chunks (RFC 9260)
 *   chunk    u8 type, u8 flags, u16 length with this header, content, padding to four bytes
 *   INIT     u32 Initiate Tag, ...
 *   DATA     u32 TSN, u16 stream, u16 sequence number, u32 payload protocol identifier, payload
 *   I-DATA   u32 TSN, u16 stream, u16 reserved, u32 message, u32 identifier or fragment, payload (RFC 8260)
 *   DATA_CHANNEL_OPEN, a payload   u8 3, u8 channel type, u16 priority, u32 reliability, u16 length of the label, u16
 *                                  length of the protocol, both (RFC 8832)
 */
#include "internal.h"

#include <epan/exceptions.h>
#include <epan/proto_data.h>
#include <gamewire/bytes.h>
#include <wsutil/crc32.h>

#include "common/conversation.h"
#include "common/items.h"
#include "common/keys.h"
#include "common/recognition/payloads.h"

#define PACKET_HEADER 12U
#define CHECKSUM_AT   8U
#define CHUNK_HEADER  4U
#define DATA_HEADER   16U
#define I_DATA_HEADER 20U
#define STREAM_AT     8U
#define INIT_TAG_AT   (PACKET_HEADER + CHUNK_HEADER)

#define CHUNK_DATA   0x00U
#define CHUNK_INIT   0x01U
#define CHUNK_I_DATA 0x40U

/* Maximum number of chunks of a packet; a frame can have several packets (common/items.h). A datagram has at most 74
 * messages. */
#define MOST_CHUNKS 100U
/* Layers of a packet beside its chunks: the heuristic's and SCTP's own. */
#define PACKET_LAYERS 2U
/* A record that is not dissected has one layer and at least these bytes: its header 13, the shortest nonce and tag 16,
 * a packet of one message 32. */
#define RECORD_BYTES 61U

#define FLAGS_WHOLE 0x03U /* the first and the last fragment of a message */

#define OPEN_HEADER       12U
#define DATA_CHANNEL_OPEN 0x03U
#define UNORDERED         0x80U

/* Types of channels, without UNORDERED. */
#define CHANNEL_RELIABLE        0x00U
#define CHANNEL_RETRANSMISSIONS 0x01U
#define CHANNEL_LIFETIME        0x02U

/* ---- chunks -------------------------------------------------------------------------------------------- */

typedef struct sctp_chunk {
    uint8_t type;
    uint8_t flags;
    uint32_t offset; /* in the packet */
    uint32_t length; /* without padding */
    uint32_t end;    /* with padding; 0: before the first chunk */
    uint32_t header; /* length before the payload of DATA or I-DATA; 0: another type, or no payload */
} sctp_chunk;

/* Reads the chunk after `chunk`. False: no complete one follows. Then its `end` is still that of the last complete one:
 * if that is less than `length`, bytes are left. `header` is 0 for a chunk that has no payload of a message. */
static bool next_chunk(const uint8_t *bytes, uint32_t length, sctp_chunk *chunk)
{
    uint32_t offset = chunk->end ? chunk->end : PACKET_HEADER;
    if (offset > length || length - offset < CHUNK_HEADER)
        return false;
    chunk->type = bytes[offset];
    chunk->flags = bytes[offset + 1];
    chunk->offset = offset;
    chunk->length = gw_be16(bytes + offset + 2);
    if (chunk->length < CHUNK_HEADER || chunk->length > length - offset)
        return false;
    chunk->end = offset + (chunk->length + 3) / 4 * 4;
    chunk->header = chunk->type == CHUNK_DATA ? DATA_HEADER : chunk->type == CHUNK_I_DATA ? I_DATA_HEADER : 0;
    if (chunk->length <= chunk->header)
        chunk->header = 0;
    return true;
}

/* The number of chunks, if all bytes are chunks of known types: up to 0x0f, or of an extension (`others`); else 0. The
 * padding of the last one may be missing. Other data seems to have them with a probability of about 2^-10 for each
 * chunk. */
static uint32_t count_chunks(const uint8_t *bytes, uint32_t length)
{
    static const uint8_t others[] = { CHUNK_I_DATA, 0x80, 0x81, 0x82, 0x84, 0xc0, 0xc1, 0xc2 };
    sctp_chunk chunk = { .end = 0 };
    uint32_t count = 0;
    for (; next_chunk(bytes, length, &chunk); count++)
        if (count == MOST_CHUNKS || (chunk.type > 0x0f && !memchr(others, chunk.type, sizeof others)))
            return 0;
    return chunk.end >= length ? count : 0;
}

/* True if the packet has the CRC-32C of its bytes, in which its own bytes count as zero: 32 bits of evidence. Peers
 * that rely on DTLS may leave it zero (RFC 9653), but not in a packet with an INIT. */
static bool has_checksum(const uint8_t *bytes, uint32_t length)
{
    static const uint8_t zero[4];
    uint32_t crc = crc32c_calculate_no_swap(bytes, CHECKSUM_AT, 0xffffffffU);
    crc = crc32c_calculate_no_swap(zero, sizeof zero, crc);
    crc = crc32c_calculate_no_swap(bytes + PACKET_HEADER, (int)(length - PACKET_HEADER), crc);
    return ~crc == gw_le32(bytes + CHECKSUM_AT);
}

/* ---- associations -------------------------------------------------------------------------------------- */

typedef struct sctp_association {
    uint32_t number;
    bool has_data;
    uint32_t tags[2];     /* the Initiate Tag of each side's INIT; 0: none yet */
    wmem_map_t *channels; /* stream -> wmem_tree_t by frame of godot_mp_channel */
} sctp_association;

/* The SCTP packet that is dissected. */
typedef struct sctp_packet {
    tvbuff_t *tvb;
    sctp_association *association;
    uint32_t fragments_from; /* chunks before this offset belong to messages that were offered */
    port_type ptype;         /* this and the ports are exchanged with packet_info's */
    uint32_t srcport;
    uint32_t destport;
} sctp_packet;

static dissector_handle_t sctp_handle;
static wmem_map_t *connections; /* conversation_t of the datagrams -> wmem_tree_t by frame of association */
static uint32_t associations;   /* in the file, so far */

/* Before each file. The map of connections empties itself (autoreset). */
static void forget_file(void)
{
    associations = 0;
}

/* Creates an association of the datagrams' conversation, which is valid from this frame on. */
static sctp_association *new_association(packet_info *pinfo)
{
    const conversation_t *conversation = gw_conversation_of(pinfo);
    wmem_tree_t *by_frame = wmem_map_lookup(connections, conversation);
    sctp_association *association = wmem_new0(wmem_file_scope(), sctp_association);
    if (!by_frame) {
        by_frame = wmem_tree_new(wmem_file_scope());
        wmem_map_insert(connections, conversation, by_frame);
    }
    association->number = ++associations;
    association->channels = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
    wmem_tree_insert32(by_frame, pinfo->num, association);
    return association;
}

/* ---- channels that are opened -------------------------------------------------------------------------- */

/* Stores the channel that a DATA_CHANNEL_OPEN describes, with its delivery in the terms of ENet's messages. Its layout
 * is above (RFC 8832): channel type at 1, reliability at 4, length of the label at 8. */
static void keep_channel(sctp_association *association, packet_info *pinfo, tvbuff_t *tvb, const sctp_chunk *chunk)
{
    /* Labels of WebRTCMultiplayerPeer. */
    static const char *const usual_labels[] = { "reliable", "ordered", "unreliable", NULL };
    const uint8_t *bytes = gw_bytes_of(tvb) + chunk->offset;
    const uint8_t *open = bytes + chunk->header;
    uint32_t length = chunk->length - chunk->header;
    if (length < OPEN_HEADER || open[0] != DATA_CHANNEL_OPEN || gw_be16(open + 8) > length - OPEN_HEADER)
        return;
    godot_mp_channel *channel = wmem_new0(wmem_file_scope(), godot_mp_channel);
    channel->association = association->number;
    channel->stream = gw_be16(bytes + STREAM_AT);
    channel->opened_in = pinfo->num;
    const gw_span label = { chunk->offset + chunk->header + OPEN_HEADER, gw_be16(open + 8) };
    channel->label = gw_text_of(wmem_file_scope(), tvb, label);
    channel->is_usual = g_strv_contains(usual_labels, channel->label);

    const char *order = open[1] & UNORDERED ? "unordered" : "ordered";
    const uint8_t type = open[1] & (uint8_t)~UNORDERED;
    const uint32_t parameter = gw_be32(open + 4);
    if (type == CHANNEL_RELIABLE)
        channel->reliability = wmem_strdup_printf(wmem_file_scope(), "reliable, %s", order);
    else if (type == CHANNEL_RETRANSMISSIONS)
        channel->reliability =
            wmem_strdup_printf(wmem_file_scope(), "at most %u retransmissions, %s", parameter, order);
    else if (type == CHANNEL_LIFETIME)
        channel->reliability = wmem_strdup_printf(wmem_file_scope(), "sent for at most %u ms, %s", parameter, order);
    else
        channel->reliability = wmem_strdup_printf(wmem_file_scope(), "channel type 0x%02x", open[1]);
    if (type == CHANNEL_RELIABLE)
        channel->delivery = GODOT_MP_RELIABLE;
    else if (type <= CHANNEL_LIFETIME)
        channel->delivery = open[1] & UNORDERED ? GODOT_MP_UNSEQUENCED : GODOT_MP_UNRELIABLE;

    void *stream = GUINT_TO_POINTER(channel->stream);
    wmem_tree_t *by_frame = wmem_map_lookup(association->channels, stream);
    if (!by_frame) {
        by_frame = wmem_tree_new(wmem_file_scope());
        wmem_map_insert(association->channels, stream, by_frame);
    }
    wmem_tree_insert32(by_frame, pinfo->num, channel);
}

/* On the first pass: stores the channels that are opened, and whether the association has had data. The four bytes
 * before the payload are its protocol identifier, in each chunk that has a whole message. */
static void keep_chunks(sctp_association *association, packet_info *pinfo, tvbuff_t *tvb)
{
    const uint8_t *bytes = gw_bytes_of(tvb);
    sctp_chunk chunk = { .end = 0 };
    while (next_chunk(bytes, tvb_captured_length(tvb), &chunk)) {
        if (!chunk.header)
            continue;
        association->has_data = true;
        if ((chunk.flags & FLAGS_WHOLE) == FLAGS_WHOLE &&
            gw_be32(bytes + chunk.offset + chunk.header - 4) == GODOT_MP_PPID_DCEP)
            keep_channel(association, pinfo, tvb, &chunk);
    }
}

/* ---- dissecting ---------------------------------------------------------------------------------------- */

/* The association of a packet, and its number of chunks; NULL: it is not SCTP. It is SCTP if the capture has all of it,
 * all its bytes are chunks of known types, and its checksum is right, or zero in a known association. */
static sctp_association *recognize_sctp(tvbuff_t *tvb, packet_info *pinfo, uint32_t *chunks)
{
    const uint8_t *bytes = gw_bytes_of(tvb);
    uint32_t length = tvb_captured_length(tvb);
    if (length < PACKET_HEADER + CHUNK_HEADER || length < tvb_reported_length(tvb))
        return NULL;
    *chunks = count_chunks(bytes, length);
    if (!*chunks)
        return NULL;
    const conversation_t *conversation = wmem_map_size(connections) ? gw_conversation_lookup(pinfo) : NULL;
    wmem_tree_t *by_frame = conversation ? wmem_map_lookup(connections, conversation) : NULL;
    sctp_association *association = by_frame ? wmem_tree_lookup32_le(by_frame, pinfo->num) : NULL;
    /* In a known association the checksum may be zero: see has_checksum(). */
    if (!has_checksum(bytes, length) && !(association && !gw_le32(bytes + CHECKSUM_AT)))
        return NULL;
    if (!gw_is_first_pass(pinfo))
        return association;
    /* An INIT after messages begins another association between the same ports, unless it is a copy of the one
     * before. */
    uint8_t side = gw_sender_side(pinfo);
    bool is_init = bytes[PACKET_HEADER] == CHUNK_INIT && length >= INIT_TAG_AT + 4;
    uint32_t tag = is_init ? gw_be32(bytes + INIT_TAG_AT) : 0;
    if (!association || (is_init && association->has_data && tag != association->tags[side]))
        association = new_association(pinfo);
    if (is_init)
        association->tags[side] = tag;
    return association;
}

/* About how many bytes are left in which DTLS records may follow: dissect_sctp() keeps layers of the frame for them.
 * The largest data source is taken for the frame (or what was reassembled of it), and the others for the records that
 * were decrypted so far. */
static uint32_t bytes_not_decrypted(const packet_info *pinfo)
{
    uint32_t largest = 0, sum = 0;
    for (const GSList *source = pinfo->data_src; source; source = source->next) {
        uint32_t length = tvb_reported_length(get_data_source_tvb(source->data));
        largest = MAX(largest, length);
        sum += length;
    }
    return largest > sum - largest ? largest - (sum - largest) : 0;
}

/* A heuristic for decrypted data of DTLS: passes SCTP to Wireshark's dissector, whose layers count toward the limit of
 * a frame. What godot_mp_find_channel() needs is in packet scope during the call. */
static ws_bool dissect_sctp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    uint32_t chunks = 0;
    sctp_association *association = sctp_handle ? recognize_sctp(tvb, pinfo, &chunks) : NULL;
    if (!association)
        return false;
    if (gw_is_first_pass(pinfo))
        keep_chunks(association, pinfo, tvb);
    gw_keep_layers(pinfo, bytes_not_decrypted(pinfo) / RECORD_BYTES);
    if (!gw_has_layers(pinfo, PACKET_LAYERS + chunks)) {
        proto_tree_add_item(tree, godot_mp_hf.not_shown, tvb, 0, -1, ENC_NA);
        return true;
    }
    sctp_packet packet = { .tvb = tvb,
                           .association = association,
                           .ptype = pinfo->ptype,
                           .srcport = pinfo->srcport,
                           .destport = pinfo->destport };
    sctp_packet *const outer = p_get_proto_data(pinfo->pool, pinfo, proto_godot_mp, GW_KEY_GODOT_MP_SCTP);
    p_set_proto_data(pinfo->pool, pinfo, proto_godot_mp, GW_KEY_GODOT_MP_SCTP,
                     wmem_memdup(pinfo->pool, &packet, sizeof packet));
    /* An exception may end SCTP's dissection: the ports and the packet outside are restored in any case. */
    TRY
    {
        call_dissector(sctp_handle, tvb, pinfo, tree);
    }
    FINALLY
    {
        p_set_proto_data(pinfo->pool, pinfo, proto_godot_mp, GW_KEY_GODOT_MP_SCTP, outer);
        /* SCTP's are the same for all connections: the datagram's next record, and Follow Stream, need its own. */
        pinfo->ptype = packet.ptype;
        pinfo->srcport = packet.srcport;
        pinfo->destport = packet.destport;
    }
    ENDTRY;
    return true;
}

/* Registers the heuristic that dissects decrypted data of DTLS. Called at handoff. */
void godot_mp_register_data_channels(void)
{
    connections = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
    register_init_routine(forget_file);
    sctp_handle = find_dissector("sctp");
    heur_dissector_add("dtls", dissect_sctp, "WebRTC data channels over DTLS", "godot_multiplayer_dtls", proto_godot_mp,
                       HEURISTIC_ENABLE);
}

/* ---- one message --------------------------------------------------------------------------------------- */

/* The packet of SCTP that dissect_sctp() dissects at present; NULL: none. */
static sctp_packet *packet_of(packet_info *pinfo)
{
    return p_get_proto_data(pinfo->pool, pinfo, proto_godot_mp, GW_KEY_GODOT_MP_SCTP);
}

/* The channel of a message that SCTP's dissector offers, by the chunk that contains it; association is 0 if no chunk is
 * found. It counts as one of Godot's own channels (`is_usual`) unless a DATA_CHANNEL_OPEN has another label. */
godot_mp_channel godot_mp_find_channel(packet_info *pinfo, tvbuff_t *message)
{
    sctp_packet *packet = packet_of(pinfo);
    godot_mp_channel channel = { .is_usual = true };
    sctp_chunk chunk = { .end = 0 };
    bool is_found = false;
    if (!packet)
        return channel;
    /* An unfragmented message lies in this packet's buffer. A reassembled one is a copy: take the next fragment's
     * chunk. */
    bool is_copy = tvb_get_ds_tvb(message) != tvb_get_ds_tvb(packet->tvb);
    uint32_t offset = (uint32_t)(tvb_raw_offset(message) - tvb_raw_offset(packet->tvb));
    while (!is_found && next_chunk(gw_bytes_of(packet->tvb), tvb_captured_length(packet->tvb), &chunk)) {
        if (is_copy)
            is_found = (chunk.flags & FLAGS_WHOLE) != FLAGS_WHOLE && chunk.offset >= packet->fragments_from;
        else
            is_found = chunk.offset + chunk.header == offset;
        is_found = is_found && chunk.header;
    }
    if (!is_found)
        return channel;
    packet->fragments_from = chunk.end;
    const sctp_association *association = packet->association;
    channel.association = association->number;
    channel.stream = gw_be16(gw_bytes_of(packet->tvb) + chunk.offset + STREAM_AT);
    wmem_tree_t *by_frame = wmem_map_lookup(association->channels, GUINT_TO_POINTER(channel.stream));
    const godot_mp_channel *opened = by_frame ? wmem_tree_lookup32_le(by_frame, pinfo->num) : NULL;
    if (opened)
        return *opened;
    /* The beginning was captured (an INIT, which has the tag), and no message opened this channel: it was negotiated in
     * advance, as WebRTCMultiplayerPeer's channels. Those after the third have the modes that the game chose. */
    static const char *const deliveries[] = { NULL, GODOT_MP_RELIABLE, GODOT_MP_UNRELIABLE, GODOT_MP_UNSEQUENCED };
    if ((association->tags[0] || association->tags[1]) && channel.stream < array_length(deliveries))
        channel.delivery = deliveries[channel.stream];
    return channel;
}

/* Exchanges the ports of SCTP in `pinfo` and those of the datagram, by which the conversation is found: SCTP's are the
 * same in all associations over DTLS. A second call restores them. Does nothing for SCTP that is not in DTLS. */
void godot_mp_exchange_ports(packet_info *pinfo)
{
    sctp_packet *packet = packet_of(pinfo);
    if (!packet)
        return;
    const sctp_packet before = *packet;
    packet->ptype = pinfo->ptype;
    packet->srcport = pinfo->srcport;
    packet->destport = pinfo->destport;
    pinfo->ptype = before.ptype;
    pinfo->srcport = before.srcport;
    pinfo->destport = before.destport;
}
