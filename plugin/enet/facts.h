/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The content of one datagram, collected from the codec's events: the input of the analysis and of the statistics.
 */
#ifndef GAMEWIRE_PLUGIN_ENET_FACTS_H
#define GAMEWIRE_PLUGIN_ENET_FACTS_H

#include "common/compat.h"

#include <gamewire/enet.h>

/* How the commands of a datagram are compressed. */
typedef enum enet_compression {
    ENET_AUTOMATIC, /* as a choice: detect it; as a result: compressed in an unknown way */
    ENET_NOT_COMPRESSED,
    ENET_RANGE_CODER,
    ENET_FASTLZ,
    ENET_ZLIB,
    ENET_ZSTANDARD,
    ENET_COMPRESSIONS
} enet_compression;

/* One command, as the datagram has it; members that its type lacks are 0. */
typedef struct enet_command {
    uint8_t number; /* gw_enet_command_number */
    uint8_t flags;
    uint8_t channel;
    uint16_t sequence; /* of an acknowledgement: the number that it acknowledges */
    uint16_t acked_sent_time;
    uint16_t sub_sequence; /* unreliable number, group, or start number */
    uint16_t length;
    uint32_t odd; /* bits of gw_enet_odd; fragments with any are not reassembled */
    uint32_t fragment_number, fragment_count, fragment_offset, total_length;
    gw_span payload;       /* on the wire */
    bool is_cut;           /* the capture has not all of it */
    uint32_t size;         /* of the whole command */
    const uint32_t *setup; /* by gw_enet_role; only of commands about the connection */
    const char *label;     /* its text, if the tree is visible */
} enet_command;

typedef struct enet_facts {
    gw_enet_header header;
    const gw_enet_format *format;
    uint16_t sent_time;
    uint64_t wire_hash; /* of the UDP payload */
    uint32_t wire_length;
    enet_compression mode;
    bool checksum;
    bool evidence;            /* the datagram indicates ENet 1.3 */
    uint32_t unpacked_length; /* of the commands that were compressed; 0: they were not, or in an unknown way */
    enet_command *commands;   /* in the packet's memory */
    uint32_t count;
    uint32_t room;        /* for commands */
    uint32_t odd;         /* while a command is read: its bits of gw_enet_odd */
    const uint8_t *bytes; /* in which the payloads are */
} enet_facts;

/* Of bytes, for comparing them with earlier ones: eight at a time. */
uint64_t enet_hash(const uint8_t *bytes, size_t length);

/* Adds an event; call it for each event, in order. */
void enet_facts_add(enet_facts *facts, packet_info *pinfo, const gw_enet_reader *reader, const gw_enet_event *event);

/* Adds the command at whose payload the reader stopped, since the capture has not all of it. */
void enet_facts_add_cut(enet_facts *facts, packet_info *pinfo, const gw_enet_reader *reader);

/* The bytes of a datagram, for its checksum and to know copies. */
typedef struct enet_raw {
    gw_enet_covered covered; /* before the checksum's place, and after it, with the commands decompressed */
    uint64_t checksum;       /* as the datagram has it; 0 without */
    gw_enet_checksum_kind kind;
    bool whole; /* all of it was captured, and could be decompressed */
} enet_raw;

#endif
