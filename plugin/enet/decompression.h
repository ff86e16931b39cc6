/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The commands of a datagram, read and, if they have to be, decompressed, and how strongly they indicate ENet.
 *
 * Datagrams indicate neither the mode of compression nor whether there is a checksum. Both are detected by decoding;
 * what is known for the conversation is tried first.
 */
#ifndef GAMEWIRE_PLUGIN_ENET_DECOMPRESSION_H
#define GAMEWIRE_PLUGIN_ENET_DECOMPRESSION_H

#include "common/compat.h"

#include "reading.h"

typedef enum enet_checksums { ENET_CHECKSUM_AUTOMATIC, ENET_CHECKSUM_NEVER, ENET_CHECKSUM_ALWAYS } enet_checksums;

/* The formats to try, of one direction of a conversation. */
typedef struct enet_formats {
    uint8_t first;   /* gw_enet_format_number */
    bool is_known;   /* by a datagram of the conversation */
    bool is_chosen;  /* by preference: what the first cannot read is in one of the others */
    uint32_t others; /* bits by number: tried if the first cannot read the datagram, or only with a checksum */
} enet_formats;

/* The modes to try: from the preferences, or as known for the conversation. */
typedef struct enet_choice {
    enet_compression compression; /* the first to try, or the only one */
    bool only;                    /* by preference */
    enet_checksums checksum;
    bool checksum_only;
    enet_formats formats;
    uint32_t failed; /* readings not to try again: see enet_commands */
} enet_choice;

typedef struct enet_commands {
    const uint8_t *bytes; /* decompressed, in the packet's memory; NULL: the datagram's own */
    uint32_t length;
    enet_compression mode;
    const gw_enet_format *format;
    gw_enet_header header; /* as far as it was captured */
    bool checksum;
    uint32_t failed; /* readings, a bit each, that were decompressed and are not ENet */
    gw_recognition recognition;
    enet_reading *reading; /* of the commands; NULL: they could not be decompressed, or there is no header */
} enet_commands;

/* The port that the datagram was sent to. */
static inline uint16_t enet_port_of(const packet_info *pinfo)
{
    return pinfo->ptype == PT_UDP ? (uint16_t)pinfo->destport : 0;
}

/* Call once, at registration of the protocol. */
void enet_decompression_init(void);

/* What the first byte of a stream permits. */
typedef enum enet_first_byte { ENET_FIRST_OF_NONE, ENET_FIRST_OF_SOME, ENET_FIRST_OF_FASTLZ } enet_first_byte;

/* enet_first_byte, by the presence of a sent time in the datagram's header. */
extern uint8_t enet_first_bytes[2][UINT8_MAX + 1];

static inline bool enet_may_begin_stream(const uint8_t *bytes, uint32_t length, uint32_t at)
{
    if (length <= at + 1)
        return false;
    uint8_t first = enet_first_bytes[bytes[0] >> 7][bytes[at]];
    return first == ENET_FIRST_OF_SOME || (first == ENET_FIRST_OF_FASTLZ && gw_enet_is_type(bytes[at + 1]));
}

/* The same as the next function, by more bytes. */
bool enet_may_be_streams(const uint8_t *bytes, uint32_t length);

/* A quick first test of a compressed datagram without known mode, by its first bytes. If it returns false,
 * enet_open_commands() does not find the datagram possible either. `length` is at least 2. Most datagrams of other
 * protocols are declined for two bytes, without a call. */
static inline bool enet_may_be_compressed(const uint8_t *bytes, uint32_t length)
{
    uint32_t at = bytes[0] & GW_ENET_SENT_TIME_BIT >> 8 ? 4 : 2;
    return (enet_may_begin_stream(bytes, length, at) ||
            enet_may_begin_stream(bytes, length, at + GW_ENET_CHECKSUM_SIZE)) &&
           enet_may_be_streams(bytes, length);
}

/* Decodes a datagram in the most likely mode, and returns commands->recognition.possible. If it is not possible, it is
 * read in the first mode. Modes that are known for the conversation are tried first: nearly all its datagrams are read
 * once. Readings are numbered by mode and checksum, so that plain datagrams share readings with all modes. */
bool enet_open_commands(const enet_source *source, const enet_choice *choice, enet_commands *commands);

#endif
