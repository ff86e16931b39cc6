/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Types, variables and functions that the files of ENet's dissector share: a part for each file, in the order in which they
 * use each other.
 */
#ifndef GAMEWIRE_PLUGIN_ENET_INTERNAL_H
#define GAMEWIRE_PLUGIN_ENET_INTERNAL_H

#include "common/compat.h"

#include <epan/conversation.h>
#include <epan/expert.h>
#include <epan/reassemble.h>
#include <gamewire/enet.h>

#include "common/archive.h"
#include "common/display/columns.h"
#include "common/display/demand.h"
#include "common/display/experts.h"
#include "common/keys.h"
#include "common/recognition/damaged.h"
#include "common/table.h"
#include "enet.h"

typedef struct enet_channel enet_channel;
typedef struct enet_connection enet_connection;
typedef struct enet_finding enet_finding;
typedef struct enet_findings enet_findings;
typedef struct enet_host enet_host;
typedef struct enet_pair enet_pair;
typedef struct enet_pause enet_pause;

/* ==== reading.c ========================================================================================= */

/* Reads the commands of a datagram, once: into evidence for the format, facts, the text of the line, and the events
 * that become items or expert infos, which the tree adds after the datagram was accepted. */

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

/* ---- facts: the content of one datagram, the input of the analysis and of the statistics ---------------- */

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
    bool has_data;         /* CONNECT, except in old formats, and DISCONNECT */
    uint32_t data;         /* the application's */
    const uint32_t *setup; /* by gw_enet_role; only of commands about the connection */
} enet_command;

typedef struct enet_facts {
    gw_enet_header header;
    const gw_enet_format *format;
    uint64_t wire_hash; /* of the UDP payload */
    uint32_t wire_length;
    enet_compression mode;
    bool checksum;
    bool evidence;            /* the datagram indicates ENet */
    uint32_t unpacked_length; /* of the commands that were compressed; 0: they were not, or in an unknown way */
    enet_command *commands;   /* in the packet's memory */
    uint32_t count;
    uint32_t room;        /* for commands */
    const uint8_t *bytes; /* in which the payloads are */
} enet_facts;

/* True if commands of this number have a message or a fragment, though it may have no bytes. */
static inline bool enet_has_payload(const enet_command *command)
{
    return gw_enet_command_of(command->number)->has_payload;
}

/* True if the datagram has no commands but acknowledgements, or none at all. */
static inline bool enet_has_only_acks(const enet_facts *facts)
{
    uint32_t acks = 0;
    while (acks < facts->count && facts->commands[acks].number == GW_ENET_ACKNOWLEDGE)
        acks++;
    return acks == facts->count;
}

/* The bytes on the wire of `bytes` bytes of the datagram's commands: less if they were compressed. */
static inline uint32_t enet_wire_bytes(const enet_facts *facts, uint32_t bytes)
{
    uint32_t packed = facts->wire_length - MIN(facts->header.length, facts->wire_length);
    if (facts->unpacked_length <= packed)
        return bytes;
    return (uint32_t)((uint64_t)bytes * packed / facts->unpacked_length);
}

/* The bytes of a datagram, for its checksum and to know copies. */
typedef struct enet_raw {
    gw_enet_covered covered; /* before the checksum's place, and after it, with the commands decompressed */
    uint64_t checksum;       /* as the datagram has it; 0 without */
    gw_enet_checksum_kind kind;
    bool whole; /* all of it was captured, and could be decompressed */
} enet_raw;

/* ---- reading -------------------------------------------------------------------------------------------- */

/* Four times the commands that senders put into a datagram. More are read, but shown as one item. */
#define ENET_MOST_SHOWN (4 * GW_ENET_MOST_COMMANDS)

/* Room for the text of the commands. */
#define ENET_LINE_SIZE 400

/* The datagram whose bytes, or whose decompressed commands, are read. */
typedef struct enet_source {
    packet_info *pinfo;
    tvbuff_t *tvb; /* the UDP payload */
    const gw_demand *demand;
} enet_source;

/* In packet scope. */
typedef struct enet_reading {
    gw_enet_reader reader; /* after its last event, or at a fault */
    gw_enet_evidence evidence;
    enet_facts facts;      /* its commands */
    gw_enet_event *events; /* that become items: all if items are used, else the ones with oddities */
    uint32_t event_count;
    uint32_t event_room;
    gw_text line; /* the commands; without a buffer if the line is not used */
} enet_reading;

/* Datagrams indicate neither the mode of compression nor whether there is a checksum. Both are detected by decoding;
 * the modes that are known for the conversation are tried first. */

typedef enum enet_checksums { ENET_CHECKSUM_AUTOMATIC, ENET_CHECKSUM_NEVER, ENET_CHECKSUM_ALWAYS } enet_checksums;

/* The formats to try, of one direction of a conversation. */
typedef struct enet_formats {
    uint8_t first;   /* gw_enet_format_number */
    bool is_known;   /* by a datagram of the conversation */
    bool is_chosen;  /* by preference: a datagram that the first cannot read is in one of the others */
    uint32_t others; /* bits by number: tried if the first cannot read the datagram, or only with a checksum */
} enet_formats;

/* The modes to try: known for the conversation or set by the preferences. */
typedef struct enet_choice {
    enet_compression compression; /* the first to try, or the only one */
    bool only;                    /* by preference */
    enet_checksums checksum;
    bool checksum_only;
    bool has_evidence; /* a datagram up to this frame has indicated ENet, or the first pass read this one as ENet */
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
    enet_reading *datagram; /* of the bytes on the wire; NULL: there is no header */
    enet_reading *reading;  /* of the commands: `datagram`, or what it decompresses to; NULL: they could not be read */
} enet_commands;

/* Preferences. */
extern int enet_compression_choice; /* enet_compression */
extern int enet_checksum_choice;    /* enet_checksums */
extern int enet_format_choice;      /* gw_enet_format_number, or: */
#define ENET_FORMAT_AUTOMATIC (-1)

/* First bytes of compressed commands: the level of FastLZ is in the upper three bits of its first byte. */
#define ENET_FASTLZ_LEVELS   2U
#define ENET_ZLIB_FIRST      0x78 /* deflate, a window of 32 KiB */
#define ENET_ZSTANDARD_FIRST 0x28 /* of the magic number */

/* The UDP port that the datagram was sent to; 0: it has none. */
static inline uint16_t enet_port_of(const packet_info *pinfo)
{
    return pinfo->ptype == PT_UDP ? (uint16_t)pinfo->destport : 0;
}

/* Reads to the end or to a fault. */
enet_reading *enet_read(const enet_source *source, const uint8_t *bytes, uint32_t length,
                        const gw_enet_options *options);

/* True if the bytes may be a stream of one of the modes with ENet's commands; most payloads of other protocols fail at
 * their first bytes. `length` is at least 2. `sent_time`: the header has one. */
bool enet_may_be_stream(bool sent_time, const uint8_t *bytes, uint32_t length);

/* Decodes a datagram in the most likely mode; if it is not possible, in the first mode. Preferences, and the format that a
 * CONNECT shows, take precedence over `known`. Modes that are known for the conversation are tried first: nearly all its
 * datagrams are read once. Readings are numbered by mode and checksum, so that plain datagrams share readings with all
 * modes. */
enet_commands enet_open_commands(const enet_source *source, const enet_choice *known);

/* ==== arrivals.c ========================================================================================= */

/* The latest messages and datagrams, records of reliable commands, and fragments that are joined. All memory is file
 * scope. */

/* The latest unreliable and unsequenced messages, and datagrams, of all connections of the file are stored to detect copies:
 * also copies that another capture file of the same traffic adds seconds later. An index of them + 1 has 16 bits. */
#define ENET_RECENT 65535U

typedef enum enet_seen_kind { ENET_SEEN_DATAGRAM, ENET_SEEN_UNSEQUENCED, ENET_SEEN_UNRELIABLE } enet_seen_kind;

/* Identifies a message or datagram in the file. */
typedef struct enet_seen_key {
    uint64_t number;     /* of the message, extended; of a datagram: enet_datagram_key() */
    uint32_t connection; /* its number */
    uint8_t side;        /* of the sender */
    uint8_t kind;        /* enet_seen_kind */
    uint16_t channel;    /* of an unreliable message; else 0 */
} enet_seen_key;

typedef struct enet_seen {
    uint64_t hash; /* of the key */
    uint32_t frame;
    unsigned content : 15; /* hash of the command's bytes; 0: not all of them were captured */
    unsigned is_late : 1;  /* an unsequenced message that came after one sent later */
    unsigned next : 16;    /* in the list of this key's hash: its index + 1; 0: the last one */
} enet_seen;

#define ENET_CONTENT_MASK ((1U << 15) - 1) /* enet_seen.content */

/* The entry that was stored with this key; NULL: there is none. */
const enet_seen *enet_find_recent(const enet_seen_key *key);

/* The same; if there is none, stores `seen` with the key as the latest entry and returns NULL. */
const enet_seen *enet_keep_recent(const enet_seen_key *key, const enet_seen *seen);

/* One transmission of a reliable command. */
typedef struct enet_send {
    int64_t time; /* gw_nanoseconds() */
    uint32_t frame;
    uint32_t acked_in;  /* first acknowledgement of this transmission; 0: none captured */
    uint32_t content;   /* hash of the command's bytes; 0: the capture has not all of them */
    uint32_t next;      /* number of the record that has the next resend: enet_next_send(); 0: none */
    uint32_t in_flight; /* of a message's first transmission: bytes not acknowledged, its own included */
    uint16_t sent_time;
    uint16_t length; /* of the payload; 0 for a command that does not count as in flight */
} enet_send;

/* Limit of the two counts of a record. */
#define ENET_MOST_SENDS_COUNTED 1023U

/* A reliable command with all its transmissions; or a further transmission, which has `first` only. A reference to a
 * record that is stored is its number in the capture file, from 1: half the size of a pointer. */
typedef struct enet_record {
    enet_send first;
    uint32_t acked_in;         /* first acknowledgement of any transmission */
    unsigned sends : 10;       /* as many as were captured, up to ENET_MOST_SENDS_COUNTED */
    unsigned reused : 10;      /* of these, transmissions of another command with this number */
    unsigned acked_within : 6; /* the first acknowledgement came within 2^n us of the first transmission; if acked_in */
    unsigned number : 4;       /* gw_enet_command_number */
    unsigned is_uncounted : 1; /* has no number of its channel */
} enet_record;

/* On the first pass: stores a transmission in a new record, of which the other members are 0. Returns its number. */
uint32_t enet_new_record(const enet_send *send);

/* Reassembly of fragmented messages. A fragment contains the number of fragments and the length of the message; memory
 * is allocated only for captured bytes. Each fragment takes constant time, except the last, which sorts them.
 *
 * As in ENet, a fragment with a number that arrived before is ignored, a fragment that contradicts the first one is
 * rejected, and later fragments overwrite earlier ones where they overlap. A message whose fragments leave a gap is not
 * reassembled. */

typedef enum enet_piece_flag {
    ENET_PIECE_OVERLAP = 1 << 0,
    ENET_PIECE_CONFLICT = 1 << 1,   /* overlaps with other bytes */
    ENET_PIECE_OTHER_TAIL = 1 << 2, /* the last by its number, but not by its end */
    ENET_PIECE_TOO_LONG = 1 << 3,   /* ends after the message */
} enet_piece_flag;

/* A fragment of a reassembled message. */
typedef struct enet_piece {
    uint32_t frame;
    uint32_t offset;
    uint16_t length;
    uint8_t flags; /* bits of enet_piece_flag */
} enet_piece;

typedef struct enet_fragment enet_fragment;

/* One message. In file scope. */
typedef struct enet_reassembly {
    uint32_t count;  /* of fragments, as declared by the first one */
    uint32_t length; /* of the message in bytes, as declared by the first fragment */
    uint32_t frame;  /* in which it was reassembled; 0: not reassembled */

    /* Valid until the message is reassembled. */
    uint32_t arrived;            /* number of fragments */
    uint32_t numbers;            /* number of different fragment numbers */
    uint32_t ordered;            /* all fragment numbers below have arrived */
    uint64_t payload;            /* bytes of the fragments that were not ignored */
    wmem_tree_t *others;         /* number -> fragment, for numbers from `ordered` on; NULL: none */
    enet_fragment *first, *last; /* in the order of arrival */

    /* Valid when it is reassembled. */
    uint32_t piece_count;
    uint32_t kept;            /* number of `bytes`; those after them, if any, are the last ones of frame's fragment */
    const enet_piece *pieces; /* by offset */
    const uint8_t *bytes;     /* NULL: 0 of them */
} enet_reassembly;

/* On the first pass: adds a fragment to its message, unless the message is reassembled already; sets finding->message and
 * finding->completes. `bytes`: in which the payload is. */
void enet_keep_fragment(enet_channel *channel, const enet_command *command, const uint8_t *bytes, uint32_t frame,
                        enet_finding *finding);

/* ==== commands.c ======================================================================================== */

/* Analysis of commands: acknowledgements, retransmissions and losses. Links to later frames (acknowledged in, resent in)
 * are in the records that findings point to. All memory is file scope. */

/* Pings are sent every 0.5 s; a peer without an answer for this time may be disconnected (source). */
#define ENET_SHORTEST_TIMEOUT_S 5

/* True if both may be of the same command. */
static inline bool enet_is_same_content(uint32_t content, uint32_t other)
{
    return content == other || !content || !other;
}

typedef enum enet_flag {
    ENET_RETRANSMISSION = 1 << 0, /* sent again */
    ENET_SPURIOUS = 1 << 1,       /* sent again after it had been acknowledged */
    ENET_DUPLICATE = 1 << 2,      /* bytes that were captured before: a copy of a datagram */
    ENET_OUT_OF_ORDER = 1 << 3,
    ENET_GAP = 1 << 4,           /* reliable commands before this one were not captured */
    ENET_LOST = 1 << 5,          /* unreliable or unsequenced messages before this one did not arrive */
    ENET_DUPLICATE_ACK = 1 << 6, /* acknowledges a transmission that was acknowledged before */
    ENET_UNSEEN_ACK = 1 << 7,    /* acknowledges a command that was not captured */
    ENET_WINDOW_FULL = 1 << 8,
    ENET_THROTTLE_CHANGED = 1 << 9,
    ENET_BANDWIDTH_CHANGED = 1 << 10,
    ENET_TOO_FAR_AHEAD = 1 << 11,   /* beyond what the receiver accepts */
    ENET_NO_SUCH_CHANNEL = 1 << 12, /* CONNECT or VERIFY_CONNECT agreed on fewer */
    ENET_NUMBER_REUSED = 1 << 13,   /* a command with other bytes had the number */
    ENET_REJECTED = 1 << 14,        /* a message that is not acknowledged, while later commands are */
    ENET_DROPS = 1 << 15            /* a DISCONNECT before which reliable messages are not acknowledged */
} enet_flag;

/* Those that have a finding by their number. */
#define ENET_FLAGS 14

/* Results for one command. */
struct enet_finding {
    enet_record *record;            /* of a reliable command, or of the command that is acknowledged */
    const enet_send *send;          /* this transmission, or the one that is acknowledged */
    const enet_reassembly *message; /* of fragments that were added to it; NULL: none */
    uint16_t flags;                 /* bits of enet_flag */
    bool dropped;                   /* the receiver does not execute it: it does not change the connection */
    bool completes;                 /* the last fragment of `message` to arrive */
    bool is_first_ack;              /* of `record`; valid on the first pass */
    bool was_acked;         /* with ENET_NUMBER_REUSED: the receiver has acknowledged the command of `used_in` */
    uint32_t missing;       /* with ENET_GAP and ENET_LOST: how many */
    uint32_t resend;        /* with ENET_RETRANSMISSION: from 1; 0: the first transmission was not captured */
    uint32_t used_in;       /* with ENET_NUMBER_REUSED: frame of the command that had the number first */
    uint32_t record_number; /* of `record` */
};

/* True for a command that the receiver drops: a copy, or not accepted. */
static inline bool enet_is_repeated(const enet_finding *finding)
{
    bool is_reused = finding->flags & ENET_NUMBER_REUSED && !finding->message;
    return finding->dropped || is_reused || finding->flags & ENET_DUPLICATE ||
           (finding->flags & ENET_RETRANSMISSION && finding->resend);
}

/* Numbers have 16 bits in packets. Extended numbers begin here, so that earlier ones are not negative. */
#define ENET_NUMBER_ZERO UINT32_C(0x10000)

/* The records of a channel's first numbers need no entry in enet_capture.pages. */
#define ENET_FIRST_RECORDS 4

/* One channel of one direction. */
struct enet_channel {
    struct enet_channel *next;
    uint8_t number;
    bool has_numbers; /* `highest` is known */
    uint16_t highest_sent_time;
    uint32_t index;                             /* in the file, from 1: part of keys */
    uint32_t first;                             /* reliable numbers from here on would have been captured */
    uint32_t highest;                           /* reliable number */
    uint32_t too_far_number;                    /* the latest number that was too far ahead; 0: none */
    uint32_t first_sequence;                    /* reliable number of the first record that was stored; 0: none */
    uint32_t first_records[ENET_FIRST_RECORDS]; /* of this number and those after it; 0: none */
    uint64_t highest_unreliable;                /* reliable number << 16 | unreliable number; 0: none yet */
};

/* Extends the low 16 bits of a number to 32 bits: returns the number nearest to `near` that has these low bits. */
static inline uint32_t enet_unwrap(uint32_t near, uint16_t number)
{
    return near + (uint32_t)(int32_t)(int16_t)(number - near);
}

/* Writes the findings of the first commands, which the receiver executes. First pass only. */
void enet_keep_commands(packet_info *pinfo, enet_connection *connection, const enet_facts *executed,
                        enet_findings *findings);

/* The key of a datagram by its bytes. */
static inline uint64_t enet_datagram_key(const enet_facts *facts)
{
    return facts->wire_hash ^ facts->wire_length;
}

/* True if the commands are the side's next ones, or were not acknowledged. */
bool enet_has_next_numbers(const enet_connection *connection, uint8_t side, const enet_facts *facts);

/* True if each command acknowledges a captured transmission to this side, by its number and sent time. */
bool enet_is_answer(const enet_connection *connection, uint8_t side, const enet_facts *facts);

/* ==== connection.c ====================================================================================== */

/* The connections of a pair of addresses, and for each the two directions with their channels. All memory is file
 * scope. */

/* Above all peer ids: in some formats, 4095 is one. */
#define ENET_UNKNOWN_PEER UINT32_C(0x10000)

/* Data of a direction from its first message, several datagrams or a pause on: most connections of a scan have only a
 * handshake. */
typedef struct enet_traffic {
    int64_t message_time; /* when a reliable message or fragment was sent, or sent again, for the last time */
    enet_pause *pause;    /* the latest; NULL: none */
    uint32_t highest_group;
    uint32_t interval;     /* of time, in which the latest reliable payload was sent */
    uint32_t in_flight[2]; /* bytes of reliable payloads sent in it and in the one before */
    uint32_t unacked;      /* reliable messages and fragments without an acknowledgement */
    bool has_group;        /* `highest_group` is known */
} enet_traffic;

/* The datagrams that one side sends. */
typedef struct enet_direction {
    enet_channel *channels; /* at most 256, the channel of the latest command first */
    enet_traffic *traffic;  /* NULL: none yet */
    nstime_t last_time;
    uint32_t window; /* 0: not known */
    uint32_t incoming_bandwidth, outgoing_bandwidth;
    uint32_t throttle; /* hash of interval, acceleration and deceleration in its latest CONNECT or THROTTLE_CONFIGURE */
    uint32_t last_frame;
    uint16_t nonce;         /* of its latest datagram with a peer; 0: none */
    bool from_start : 1;    /* its first command was captured */
    bool near_wrap : 1;     /* its reliable numbers were near their end */
    bool has_sent : 1;      /* `last_time` is known */
    bool has_unread : 1;    /* has sent commands that were not read: encrypted, or compressed in an unknown way */
    bool is_cut : 1;        /* has sent commands that the capture does not have, in a datagram that it has */
    bool has_sent_peer : 1; /* a datagram had a peer */
    bool has_receiver : 1;  /* it is in enet_capture.receivers: found by its receiver, from another address */
    bool bandwidth_known : 1;
    bool throttle_known : 1;
    bool is_acked : 1; /* an acknowledgement of its commands was captured */

    /* For ends.c: since `waiting_since`, each up to UINT8_MAX: */
    uint8_t waiting_resends; /* datagrams with retransmissions */
    uint8_t waiting_acks;    /* its acknowledgements */
    uint8_t unheard_acks;    /* commands that the other side sent again after these */
    uint8_t active_count;    /* of datagrams with more than acknowledgements, up to ENET_ACTIVE_COUNT */
    uint32_t usual_interval; /* about the longest usual interval between them, in microseconds */
    int64_t active_time;     /* of the latest of them */
    uint32_t fastest_answer; /* its shortest time until an acknowledgement, in microseconds; 0: none */
    uint32_t waiting_frame;  /* of the latest datagram with a retransmission */
    int64_t waiting_since;   /* time of the first reliable command after the latest acknowledgement; 0: none */
    int64_t acked_time;      /* when its latest acknowledged command about the connection was sent */
    enet_host *host;         /* of its address and port; NULL: it has sent one datagram at most */
} enet_direction;

/* The direction's traffic, begun if there is none. First pass only. */
static inline enet_traffic *enet_obtain_traffic(enet_direction *direction)
{
    if (!direction->traffic)
        direction->traffic = gw_archive_alloc(sizeof *direction->traffic);
    return direction->traffic;
}

/* Reliable messages and fragments of the direction without an acknowledgement so far. */
static inline uint32_t enet_count_unacked(const enet_direction *direction)
{
    return direction->traffic ? direction->traffic->unacked : 0;
}

/* From a CONNECT on, or from the first frame of the capture. */
struct enet_connection {
    enet_pair *pair;                         /* of its addresses */
    struct enet_connection *previous;        /* on the same pair of addresses */
    const struct enet_connection *continued; /* of other addresses, which this one continues; NULL: none */
    conversation_t *conversation;            /* gw_conversation_of() its packets */
    int64_t connect_time, verify_time, established_time, disconnect_time; /* nanoseconds */
    uint32_t number;
    uint32_t first_frame;
    uint32_t connect_frame, verify_frame, established_frame, disconnect_frame; /* 0: not captured (yet) */
    uint32_t last_frame;
    uint32_t closed_frame;  /* ICMP reported that a side's port is closed; 0: no, or it has sent datagrams since */
    uint32_t refused_frame; /* the server is known to have forgotten this client, from its retransmission there */
    uint32_t connect_id;    /* from CONNECT or VERIFY_CONNECT, or calculated from two checksums */
    uint32_t connect_data;
    uint32_t channel_count;
    uint32_t connect_mtu; /* 0: CONNECT was not captured */
    uint32_t mtu;         /* the lowest of CONNECT and VERIFY_CONNECT; 0: neither was captured */
    uint32_t peer[2];     /* by side: in its datagrams; ENET_UNKNOWN_PEER while unknown */
    uint32_t session[2];
    uint16_t server_port;
    bool has_connect_id : 1;
    bool has_connect_data : 1;
    bool client_known : 1;
    bool connect_compressed : 1;
    bool verify_compressed : 1;
    bool connect_repeated : 1; /* CONNECT was sent again after VERIFY_CONNECT */
    bool others_answered : 1;  /* the server sent datagrams to others between two CONNECTs, and did not answer them */
    bool is_continued : 1;     /* from another address */
    uint8_t client;            /* side */
    uint8_t closed_side;       /* if `closed_frame` */
    uint8_t disconnect_side;
    enet_direction directions[2]; /* by side */
};

/* When a side's latest sound datagram was sent by its own clock, and when it was captured. */
typedef struct enet_clock {
    int64_t time;
    uint16_t sent_time;
    bool known;
} enet_clock;

/* State of one side for its stale datagrams, which have another peer id or session than the pair's last connection. */
typedef struct enet_stale {
    bool was_stale;  /* the side's latest datagram was stale */
    bool awaits_ack; /* a stale datagram had a command that requests an acknowledgement; the latest such command: */
    uint8_t channel;
    uint16_t sequence, sent_time;
} enet_stale;

struct enet_pair {
    enet_connection *first, *last;
    enet_clock clocks[2];    /* by side */
    enet_formats formats[2]; /* by side */
    uint8_t compression;     /* enet_compression, and */
    uint8_t checksum;        /* enet_checksums, of the latest datagrams; if `modes_known` */
    bool modes_known : 1;
    bool other_compression : 1; /* compressed datagrams in an unknown mode were accepted */
    bool has_derived_id : 1;    /* `derived_id` is known */
    uint32_t evidence_in;       /* the first frame with a datagram that indicates ENet; 0: none */
    uint32_t derived_id;        /* connect id for which the checksum before is right */
    enet_stale stale[2];        /* by side */
    uint32_t examples[2];       /* by side: datagrams with which damaged ones may be compared */
};

/* Results for one datagram, in packet scope; those of the first pass are archived: the summary as it is. */
typedef struct enet_summary {
    unsigned format : 8;         /* gw_enet_format_number, in which it was read */
    unsigned compression : 4;    /* enet_compression, with which it was read */
    unsigned has_checksum : 1;   /* it was read with a checksum */
    unsigned side : 1;           /* of the sender */
    unsigned stale : 1;          /* of another peer id or session than the connection's: ENet drops the datagram */
    unsigned nonce_repeated : 1; /* the side's datagram before has the same nonce */
    unsigned client_known : 1;   /* by now */
    unsigned established : 1;    /* this is the acknowledgement that completes the handshake */
    unsigned commands : 14;      /* the low bits of their number: crafted bytes may have the key of another datagram */
} enet_summary;

struct enet_findings {
    const enet_connection *connection;
    enet_summary summary;
    nstime_t silence;      /* since the side's datagram before; valid if `silent` */
    uint32_t duplicate_of; /* frame; 0: no copy */
    uint32_t connect_id;   /* as known for this datagram's checksum */
    uint64_t checksum;     /* calculated with it; valid if `connect_id_known` */
    bool connect_id_known;
    bool silent;             /* longer than ENet's shortest timeout */
    const enet_pause *pause; /* of this side before the datagram; NULL: none */
    uint32_t count;          /* of the datagram's commands */
    enet_finding commands[]; /* as many */
};

#define ENET_BLOCK_RECORDS 64U

/* A key of the tables below. */
typedef struct enet_key {
    uint64_t number;  /* in the channel, or a hash */
    uint64_t channel; /* enet_channel.index; 0 with a hash */
} enet_key;

/* All that is stored of the capture file, beside the pairs of its conversations. */
struct enet_capture {
    enet_seen *recent;         /* ENET_RECENT latest ones; in the same memory lists of them, by the hash of the key */
    uint32_t recent_room;      /* for entries and for lists: a power of two; 0: none yet */
    uint64_t recent_count;     /* of all that were stored */
    wmem_array_t *connections; /* enet_connection *, by number; NULL: none */
    enet_record **records;     /* blocks of records: enet_record_at(); NULL: none */
    uint32_t record_count;
    uint32_t channel_count;
    gw_table pages;            /* reliable numbers, without their low bits -> the records of their commands */
    gw_table messages;         /* message of a channel -> enet_reassembly */
    gw_table receivers;        /* receiver, peer id and session of a direction -> the latest direction with them */
    gw_table hosts;            /* address and port -> enet_host */
    wmem_map_t *continued;     /* conversation -> the connection that a datagram of it continues */
    wmem_map_t *late_arrivals; /* enet_arrived_key() -> number of the messages that arrived after it */
    gw_archive findings;       /* of each datagram */
};

extern struct enet_capture enet_capture;

/* Connections in this file so far. */
static inline uint32_t enet_connection_count(void)
{
    return enet_capture.connections ? wmem_array_get_count(enet_capture.connections) : 0;
}

/* The record with this number, which is not 0: numbers count all records of the file, from 1. They are in blocks, which
 * stay where they are when more are added. */
static inline enet_record *enet_record_at(uint32_t number)
{
    const uint32_t index = number - 1;
    return &enet_capture.records[index / ENET_BLOCK_RECORDS][index % ENET_BLOCK_RECORDS];
}

/* The transmission of a command after this one; NULL: none. */
static inline enet_send *enet_next_send(const enet_send *send)
{
    return send->next ? &enet_record_at(send->next)->first : NULL;
}

/* The key of a message or datagram that this side of the connection sends; of an unreliable message, without its channel. */
static inline enet_seen_key enet_seen_key_of(const enet_connection *connection, uint8_t side, enet_seen_kind kind,
                                             uint64_t number)
{
    return (enet_seen_key){ .number = number, .connection = connection->number, .side = side, .kind = (uint8_t)kind };
}

/* The key in enet_capture.late_arrivals of an unsequenced message before which others were missing: its frame and
 * group. */
static inline uint64_t enet_arrived_key(uint32_t frame, uint16_t group)
{
    return (uint64_t)frame << 16 | group;
}

/* The peer's side. */
static inline uint8_t enet_other(uint8_t side)
{
    return (uint8_t)(1 - side);
}

/* True if the connection's datagrams in this direction have the peer id and session of `header`. */
static inline bool enet_has_header(const enet_connection *connection, uint8_t side, const gw_enet_header *header)
{
    return connection->peer[side] == header->peer && connection->session[side] == header->session;
}

/* How far a sent time may be from the sender's clock. */
#define ENET_CLOCK_TOLERANCE_MS 500

/* True if the sent time is that of the sender's clock now, as far as both agree; false if the clock is not known. The
 * low 16 bits of milliseconds are compared. */
static inline bool enet_is_in_time(const enet_clock *clock, const packet_info *pinfo, uint16_t sent_time)
{
    if (!clock->known)
        return false;
    int64_t elapsed = (gw_nanoseconds(&pinfo->abs_ts) - clock->time) / 1000000;
    uint16_t expected = (uint16_t)(clock->sent_time + elapsed);
    int difference = (int16_t)(sent_time - expected);
    return ABS(difference) <= ENET_CLOCK_TOLERANCE_MS;
}

/* The latest connection whose datagrams of `side` have this header; NULL: none, or its peer id was used again. */
enet_connection *enet_find_by_header(const enet_pair *pair, uint8_t side, const gw_enet_header *header);

/* The following two are for the first pass. */

/* The connection of a datagram, begun if the datagram is the first of it, and changed by the datagram: the handshake and the
 * limits, and all by which later datagrams are known to belong to it (header, receiver, clock, modes, format). Sets `executed`
 * to the facts with the commands that the receiver executes, which are the first ones, and the findings about the datagram. */
enet_connection *enet_keep_connection(enet_pair *pair, packet_info *pinfo, const enet_facts *facts, const enet_raw *raw,
                                      enet_findings *findings, enet_facts *executed);

/* True if the datagram is the next one of a connection of other addresses, through a NAT that gave the host another port, or
 * after a change of its network: peer id and session, the sender's clock and the numbers are those of the connection. `facts`
 * has the commands and the hash of the bytes. For a packet without connections of its own. */
bool enet_keep_continued(packet_info *pinfo, const gw_enet_header *header, const enet_facts *facts);

/* ==== ends.c ============================================================================================ */

/* How connections end, messages that the receiver does not acknowledge, and sides that were blocked: they sent nothing, although
 * commands waited for them. */

/* An address and port that has sent several datagrams of one connection. */
struct enet_host {
    int64_t latest;    /* time of its latest datagram */
    bool has_checksum; /* that datagram */
};

/* By client, server, or a side of which it is not known: three numbers each. */
typedef enum enet_end_kind {
    ENET_OPEN, /* or not known */
    ENET_DISCONNECTED,
    ENET_SILENT = 4,   /* sends nothing more, while the other side waits for acknowledgements */
    ENET_UNHEARD = 7,  /* its datagrams do not arrive, while the other side sends */
    ENET_REJECTS = 10, /* acknowledges nothing, although datagrams arrive */
    ENET_CLOSED = 13,  /* its port is closed */
    ENET_NO_REPLY = 16,
    ENET_FULL,
    ENET_REFUSED,
    ENET_ADDRESS_CHANGED,
    ENET_NOT_ESTABLISHED /* in spite of a VERIFY_CONNECT */
} enet_end_kind;

typedef struct enet_end {
    uint8_t number; /* enet_end_kind, for client, server or another side */
    uint8_t kind;   /* enet_end_kind */
    uint8_t side;
} enet_end;

/* A retransmission of this number shows that something is wrong: ENet's timeouts double each time. */
#define ENET_MANY_RESENDS 3

/* Names of enet_end.number. */
extern const value_string enet_ends[];

/* On later passes, when all datagrams are known. */
enet_end enet_find_end(const enet_connection *connection);

/* A time without an acknowledgement that shows that something is wrong. */
#define ENET_LONG_WAIT (2 * GW_NANOSECONDS)

/* A DISCONNECT drops a message that waits for its acknowledgement if the connection was alive until then: such a message is
 * sent again after 0.5 s at first, and a peer sends pings every 0.5 s. */
#define ENET_LONGEST_RESEND  (1 * GW_NANOSECONDS)
#define ENET_LONGEST_SILENCE (GW_NANOSECONDS / 2)

/* From so many datagrams on, the usual interval is known. */
#define ENET_ACTIVE_COUNT 8

/* A pause of one side's datagrams. */
struct enet_pause {
    int64_t begin, end; /* times of the datagrams before and after it */
    uint32_t frame;     /* of the datagram after it */
    uint16_t waited;    /* transmissions of the other side in it that were acknowledged after it, or UINT16_MAX */
    uint16_t sent_time; /* of the latest datagram before it that has one; then: */
    int64_t time;       /* its time; 0: none */
    uint8_t datagrams;  /* of this side after it, up to the one that shows the clock */
    bool in_time;       /* the next sent time is as much later as the capture's time: the network delayed nothing */
    bool is_over;       /* the clock was read, or too late */
};

/* True if the pause is one of a program that was blocked: commands waited for it, and the network delayed nothing. */
static inline bool enet_is_blocked(const enet_pause *pause)
{
    return pause && pause->waited && pause->in_time;
}

/* The connection whose closed port an ICMP error reports, which quotes the datagram `tvb`: kept on the first pass. NULL: it
 * reports another error, or the connection is not known or was disconnected before. */
const enet_connection *enet_analyze_closed_port(packet_info *pinfo, tvbuff_t *tvb);

/* The following two are for the first pass. */

/* A datagram of the findings' side. Call it before its commands change the connection, and its time the sender's clock. */
void enet_keep_activity(const packet_info *pinfo, const enet_pair *pair, const enet_facts *facts,
                        const enet_facts *executed, enet_connection *connection, enet_findings *findings);

/* A command of `side`, after its other findings. Sets ENET_REJECTED and ENET_DROPS. */
void enet_keep_fate(const packet_info *pinfo, const enet_facts *facts, enet_connection *connection, uint8_t side,
                    const enet_command *command, enet_finding *finding);

/* ==== analysis.c ======================================================================================== */

/* Input are facts, output are findings; trees and columns are not used. Findings are written when a frame is dissected for
 * the first time, in the order of the capture, and archived. They contain what was known in that frame. */

/* Call once, at registration of the protocol. */
void enet_register_analysis(void);

/* The findings of a datagram, in packet scope: written on the first pass, then found by the datagram's key. NULL inside
 * ICMP errors, and if the connection is not known. `pair`: the packet's, or NULL if it is not known yet. */
const enet_findings *enet_analyze(packet_info *pinfo, uint32_t key, enet_pair *pair, const enet_facts *facts,
                                  const enet_raw *raw);

/* On later passes: sets `choice` to the modes with which the datagram was read on the first. False: its findings are not
 * archived; `choice` is unchanged. It may be NULL. */
bool enet_find_archived_modes(packet_info *pinfo, uint32_t key, enet_choice *choice);

/* ==== dissect.c ========================================================================================= */

/* Dissects one datagram; before, decides whether a connection that is known can have sent it. For conversations that are not
 * known yet see common/recognition/recognition.h. */

/* Why a datagram is dissected as ENet. */
typedef enum enet_reason {
    ENET_SELECTED,   /* the user chose ENet (Decode As): never declined; other versions are named, not decoded */
    ENET_RECOGNIZED, /* by the heuristic */
    ENET_PINNED,     /* the conversation is recognized: declined if its connection cannot have sent it */
    ENET_DAMAGED     /* the conversation is recognized, and the datagram is like earlier ones */
} enet_reason;

/* For File > Export PDUs to File and tshark -U ENet; set at registration. */
extern int enet_export_tap;

/* Dissects one datagram; 0 when it is empty or declined. */
int enet_dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, enet_reason reason);

/* The datagrams of recognized conversations, without their headers, whose sent time and checksum differ each time.
 * Initialized at registration of the protocol. */
extern gw_damaged enet_damaged;

/* The bytes after the header, if the header is that of its connection, which may not have sent them. NULL: it is another
 * header, or nothing follows. */
tvbuff_t *enet_find_rest(tvbuff_t *tvb, packet_info *pinfo);

/* ==== fields.c ========================================================================================== */

/* ENet's fields, subtrees and expert infos. */

typedef struct enet_fields {
    int wire[GW_ENET_ROLES]; /* fields that are on the wire as such, by gw_enet_role */
    /* Parts of them. */
    int peer, session, compressed, sent_time_present;
    int encrypted, checksum_64;
    int command, acknowledge, unsequenced, unused;
    int checksum_status;
    int undecoded, not_shown;
    /* Generated fields. */
    int connection, continued;
    int format;
    int compression, decompressed_length, percent;
    int connect_id;
    int acks_frame, acked_in, ack_rtt;
    int first_send, resend_time, resend_number, resent_in;
    int missing, lost, in_flight, silence, duplicate_of, used_in;
    int message_length;
    int response_to, response_in, response_time, begun_in, handshake_time, established_in;
    int disconnected_in;
    int end, blocked_time, unacked, message_limit;
    /* Reassembly. */
    int fragments, fragment, overlap, overlap_conflict, multiple_tails, fragment_too_long, fragment_error;
    int fragment_count, reassembled_in, reassembled_length, reassembled_data;
    int json;
} enet_fields;

typedef struct enet_subtrees {
    int protocol, header, extended, command, flags, fragments, fragment;
} enet_subtrees;

typedef struct enet_experts {
    expert_field cut_short, bad_checksum, not_decompressed, compression_differs, no_reply;
    expert_field stale, continued, silence, other_version, nonce;
    expert_field repeated, never_acked, drops, rejected, full, refused, silent, unheard, blocked, port_closed,
        ip_fragments;
    expert_field flags[ENET_FLAGS];      /* by the number of the bit */
    expert_field faults[GW_ENET_FAULTS]; /* by code */
    expert_field odd[GW_ENET_ODDS];      /* by the number of the bit */
} enet_experts;

extern enet_fields enet_hf;

#define ENET_HEADER_BITS 4
/* The bits of the header by gw_enet_format_number: peer, session, compressed, sent time. 0: the format has no such
 * bits. Call enet_register_fields() first. */
extern int enet_header_hf[GW_ENET_FORMATS][ENET_HEADER_BITS];
extern enet_subtrees enet_ett;
extern enet_experts enet_ei;
extern const fragment_items enet_fragment_items;
extern const gw_fault_display enet_faults;

/* Names of enet_compression: "Range coder". */
extern const value_string enet_compressions[];

void enet_register_fields(void);

/* Adds a generated item with a number, which has no bytes in the datagram. NULL without a tree. */
static inline proto_item *enet_add_generated(proto_tree *tree, int field, uint32_t number)
{
    proto_item *item = proto_tree_add_uint(tree, field, NULL, 0, 0, number);
    proto_item_set_generated(item);
    return item;
}

/* ==== tree.c ============================================================================================ */

/* The codec's events as items of the tree, with expert infos for oddities. */

/* One datagram's items. Without a tree all are NULL; expert infos are added all the same. */
typedef struct enet_items {
    packet_info *pinfo;
    const gw_demand *demand;
    tvbuff_t *datagram;   /* the UDP payload */
    tvbuff_t *tvb;        /* with the commands: the datagram, or the bytes that they decompress to */
    proto_tree *protocol; /* the protocol's subtree, or NULL */
    const enet_reading *reading;
    proto_tree **commands; /* by command; NULL: all are the protocol's */
    uint8_t odd_counts[32];
} enet_items;

/* Adds the items of a datagram: of `header`, the reading of its bytes, then of its commands if they were decompressed, or that
 * they could not be, or that the capture has not all of them. `items` has all members up to `protocol`. */
void enet_tree_add(enet_items *items, const enet_commands *opened, const enet_reading *header);

/* The subtree of command number `index`, or NULL. */
proto_tree *enet_tree_of_command(const enet_items *items, uint32_t index);

/* ==== findings.c ======================================================================================== */

/* The analysis' findings as generated items and expert infos of a datagram's tree. */

/* Call it after the datagram's events. `findings` may be NULL. `closed`: the connection whose closed port the ICMP error
 * reports that quotes the datagram, or NULL. */
void enet_findings_add(const enet_items *items, const enet_facts *facts, const enet_findings *findings,
                       const enet_connection *closed);

/* ==== handover.c ======================================================================================== */

/* Passes messages (payloads, reassembled from fragments if necessary) to the dissectors of enet.h. */

/* Call at registration of the protocol: registers the tables of enet.h. */
void enet_register_handover(void);

typedef struct enet_info {
    size_t begin;      /* where the datagram's text in the Info column begins */
    const char *words; /* before the line of its first message */
    enet_bytes *bytes; /* of the frame, for the statistics; NULL: not counted */
} enet_info;

/* The separator of the texts of messages; empty if the text before it has no bytes. */
static inline const char *enet_separator(size_t length)
{
    return length ? GW_COLUMNS_SEPARATOR : "";
}

/* Hands over the datagram's DISCONNECT, for which the reader may add findings: before the line is written. `findings` may
 * be NULL. */
void enet_hand_over_disconnects(const enet_items *items, const enet_facts *facts, const enet_findings *findings);

/* Hands over the datagram's messages, whose items are added to `parent`, after all of its own items. `findings` may be
 * NULL. */
void enet_hand_over(const enet_items *items, const enet_facts *facts, const enet_findings *findings, proto_tree *parent,
                    const enet_info *info);

/* ==== statistics.c ====================================================================================== */

/* ENet's statistics: -z enet,tree, -z enet,srt, -z conv,enet, -z endpoints,enet and -z follow,enet. */

/* Call at registration of the protocol. */
void enet_register_statistics(void);

/* Call it for each datagram that was dissected. `findings` may be NULL. Returns the bytes of the frame, in packet scope,
 * to which the caller adds messages that were reassembled; NULL: they are not counted. */
enet_bytes *enet_count(packet_info *pinfo, const enet_facts *facts, const enet_findings *findings);

#endif
