/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Reads the header of a datagram by the row of its format, and how a datagram begins.
 */
#include "tables.h"

/* Photon's and ENet 1.0's header and commands: u16 peer id, u8 flags (Photon: 0xCC with a CRC-32 after this header),
 * u8 number of commands, u32 sent time, u32 challenge; commands with u8 number, u8 channel, u8 flags, u8 reserved,
 * u32 length of the command with these 12 bytes, u32 sequence number. ENet: its history in March 2006. Photon: "Binary
 * Protocol" at doc.photonengine.com, and the parser at github.com/0blu/PhotonPackageParser. */
#define PHOTON_HEADER         12U
#define PHOTON_FLAGS_AT       2U
#define PHOTON_COUNT_AT       3U
#define PHOTON_COMMAND_HEADER 12U
#define PHOTON_LENGTH_AT      4U
#define PHOTON_LAST_COMMAND   16U /* ENet 1.0 has fewer */
#define PHOTON_CHECKSUM       0xCCU

/* ---- headers -------------------------------------------------------------------------------------------- */

/* Sets the members that are bits of the word GW_ENET_ROLE_WORD. */
static void set_word(const gw_enet_format *format, gw_enet_header *header, uint16_t word)
{
    const uint32_t session_mask = format->session_mask;
    header->word = word;
    header->peer = word & format->peer_mask;
    if (session_mask) /* shifted by its lowest bit */
        header->session = (word & session_mask) / (session_mask & (~session_mask + 1U));
    header->has_sent_time = word & format->sent_time_bit;
    header->is_compressed = word & format->compressed_bit;
    header->has_peer = header->peer != format->no_peer;
}

/* A header with the peer, session and flags that are bits of its word. NULL: the format of ENet 1.3. */
gw_enet_header gw_enet_header_of(const gw_enet_format *format, uint16_t word)
{
    gw_enet_header header = { 0 };
    set_word(format ? format : &gw_enet_formats[GW_ENET_1_3], &header, word);
    return header;
}

/* The bytes of a field of the header; 0 if datagrams with such a header lack it, by the flags of its word, which is
 * before the fields that depend on it, and by the setting for checksums. A checksum takes the place of the session
 * id. */
uint32_t gw_enet_header_size(const gw_enet_format *format, const gw_enet_header *header, const gw_enet_field *field)
{
    switch (field->role) {
    case GW_ENET_ROLE_SENT_TIME:
        return header->has_sent_time ? field->size : 0;
    case GW_ENET_ROLE_PEER_HIGH:
        return header->word & format->peer_high_bit ? field->size : 0;
    case GW_ENET_ROLE_SESSION_ID:
        return header->has_checksum ? 0 : field->size;
    case GW_ENET_ROLE_CHECKSUM:
        return header->has_checksum ? format->checksum_size : 0;
    default:
        return field->size;
    }
}

/* Reads the fields of the datagram's header that were captured; false if that is not all of them. */
bool gw_enet_read_header(const uint8_t *bytes, size_t length, const gw_enet_options *options, gw_enet_header *header)
{
    const gw_enet_format *format = gw_enet_format_in(options);
    *header = (gw_enet_header){ 0 };
    header->has_checksum = gw_enet_has_checksum(format, options && options->checksum);
    bool whole = true;
    /* Which fields follow is known from the options and the fields before. The length includes fields that were not
     * captured. */
    for (const gw_enet_field *field = format->header; field->role; field++) {
        uint32_t size = gw_enet_header_size(format, header, field);
        const uint8_t *at = bytes + header->length;
        header->length = (uint8_t)(header->length + size);
        whole = whole && length >= header->length;
        if (!whole || !size)
            continue;
        switch (field->role) {
        case GW_ENET_ROLE_WORD:
            set_word(format, header, gw_be16(at));
            break;
        case GW_ENET_ROLE_SENT_TIME:
            header->sent_time = gw_be16(at);
            break;
        case GW_ENET_ROLE_CHECKSUM:
            header->checksum_at = (uint8_t)(at - bytes);
            header->checksum = size == 8 ? gw_be64(at) : gw_be32(at);
            break;
        case GW_ENET_ROLE_SESSION_ID:
            header->session = gw_be32(at);
            break;
        case GW_ENET_ROLE_PEER_HIGH:
            header->peer = (uint16_t)(header->peer | *at << GW_ENET_PEER_HIGH_SHIFT);
            header->has_peer = header->peer != format->no_peer;
            break;
        case GW_ENET_ROLE_EXTENDED:
            header->extended = gw_be16(at);
            header->is_encrypted = header->extended & format->encrypted_bit;
            break;
        case GW_ENET_ROLE_PORT_KEY:
            header->port_key = gw_be16(at);
            break;
        case GW_ENET_ROLE_MASKED_PORT:
            header->masked_port = gw_be16(at);
            break;
        default: /* NONCE, of Growtopia */
            header->nonce = gw_be16(at);
            break;
        }
    }
    return whole;
}

/* ---- beginnings ----------------------------------------------------------------------------------------- */

/* Examines the first bytes of the first command, after the header that was read, also for datagrams whose commands
 * cannot be read as a whole (cut, or in an unknown compression): whether its number is one of the format, whether
 * senders set its flags for it, and whether it acknowledges number 0 (not tested if the commands are compressed). False
 * if none of the bytes was captured. */
bool gw_enet_peek(const uint8_t *bytes, size_t captured, const gw_enet_options *options, const gw_enet_header *header,
                  gw_enet_beginning *beginning)
{
    *beginning = (gw_enet_beginning){ 0 };
    /* The length of the header includes fields that were not captured. */
    const uint32_t before = header->length;
    if (captured <= before)
        return false;
    uint8_t first = bytes[before];
    beginning->has_command =
        !(first & GW_ENET_UNUSED_FLAGS) && gw_enet_command_in(gw_enet_format_in(options), first & GW_ENET_NUMBER_MASK);
    beginning->is_written = beginning->has_command && gw_enet_is_type(first);
    /* The acknowledged number, of two bytes, is the first field after the command's header. */
    beginning->acks_zero = !header->is_compressed && captured - before >= 6 && first == GW_ENET_ACKNOWLEDGE &&
                           !gw_be16(bytes + before + GW_ENET_COMMAND_HEADER);
    return true;
}

/* True if the bytes have the header of ENet 1.0 or Photon and its number of commands, whose lengths lead exactly to the
 * end of the datagram or beyond the end of the capture. The flags are 0, or 0xCC with a checksum; there is at least one
 * command, with a number from 1 to PHOTON_LAST_COMMAND. The layout is at the top of this file. */
bool gw_enet_is_photon(const uint8_t *bytes, size_t captured, size_t wire_length)
{
    if (wire_length > GW_ENET_LARGEST_MTU || captured > wire_length || captured < PHOTON_HEADER + PHOTON_COMMAND_HEADER)
        return false;
    uint8_t flags = bytes[PHOTON_FLAGS_AT];
    size_t at = PHOTON_HEADER + (flags == PHOTON_CHECKSUM ? GW_ENET_CHECKSUM_SIZE : 0);
    if (!bytes[PHOTON_COUNT_AT] || (flags && flags != PHOTON_CHECKSUM))
        return false;
    for (uint32_t left = bytes[PHOTON_COUNT_AT]; left; left--) {
        /* The capture cut the datagram after one command or more. */
        if (at >= captured || captured - at < PHOTON_COMMAND_HEADER)
            return captured < wire_length && left < bytes[PHOTON_COUNT_AT];
        uint32_t whole = gw_be32(bytes + at + PHOTON_LENGTH_AT);
        if (!bytes[at] || bytes[at] > PHOTON_LAST_COMMAND || whole < PHOTON_COMMAND_HEADER || whole > wire_length - at)
            return false;
        at += whole;
    }
    return at == wire_length;
}
