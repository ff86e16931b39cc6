/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * ENet: the reliable UDP transport of Godot's multiplayer and of many other games. This describes ENet 1.3; other
 * versions and forks differ in the header, and in CONNECT and VERIFY_CONNECT: see gw_enet_format.
 *
 * A datagram is a header of 2 to 8 bytes and then commands, 1 to 32, back to back; with one bit of the header set, the
 * commands are compressed as a whole. All numbers are big-endian.
 *
 *   header    u16  bits 0-11 peer id in the receiver's table, 12-13 session, 14 compressed, 15 sent time follows
 *             u16  sent time, the low 16 bits of the sender's clock in ms; only with bit 15
 *             u32  CRC-32; only if the application switched checksums on, which the header does not show
 *   command   u8   bits 0-3 number, bit 6 unsequenced, bit 7 acknowledgement requested
 *             u8   channel; 0xFF for commands about the connection
 *             u16  reliable sequence number
 *             ...  further fields of the command: gw_enet_command_of()
 *
 * Facts come from ENet's source (1.3.17 and 1.3.18) and from captures of Godot 3.2.3, 3.6 and 4.6.
 *
 * Offsets and lengths are bytes from the start of the caller's input, which must stay unchanged while events that point
 * into it are used. Nothing allocates, recurses or keeps the input. The datagram's header is one event, and so is each
 * command, with the numbers of all its fields. gw_enet_next_part() lists the fields with their places. The members of
 * events:
 *
 *   kind        role                     header               payload                              command
 *   GW_VALUE    GW_ENET_ROLE_HEADER      -                    the header: reader.header has it     -
 *   GW_VALUE    GW_ENET_ROLE_COMMAND     the command's fields the message, or a fragment of one    type and numbers
 *   GW_OPAQUE   GW_ENET_ROLE_COMPRESSED  -                    the rest of the datagram             -
 *   GW_OPAQUE   GW_ENET_ROLE_ENCRYPTED   -                    the rest of the datagram             -
 *   GW_OPAQUE   GW_ENET_ROLE_PADDING     -                    zeros after the last command         -
 *
 * A span with "-" is empty, at the beginning of the event. So is the payload of a command that has none, after its
 * fields.
 */
#ifndef GAMEWIRE_ENET_H
#define GAMEWIRE_ENET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gamewire/event.h>
#include <gamewire/faults.h>
#include <gamewire/output.h>
#include <gamewire/recognition.h>
#include <gamewire/status.h>
#include <gamewire/text.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- constants (source) --------------------------------------------------------------------------------- */

#define GW_ENET_PEER_MASK      UINT16_C(0x0FFF)
#define GW_ENET_SESSION_MASK   UINT16_C(0x3000)
#define GW_ENET_COMPRESSED_BIT UINT16_C(0x4000)
#define GW_ENET_SENT_TIME_BIT  UINT16_C(0x8000)

#define GW_ENET_NO_PEER            UINT16_C(0x0FFF) /* while connecting: the receiver has no slot yet */
#define GW_ENET_NO_SESSION         UINT8_C(0xFF)    /* in CONNECT: the receiver chooses */
#define GW_ENET_MOST_SESSIONS      4
#define GW_ENET_CONNECTION_CHANNEL UINT8_C(0xFF)

#define GW_ENET_NUMBER_MASK      UINT8_C(0x0F)
#define GW_ENET_UNUSED_FLAGS     UINT8_C(0x30)
#define GW_ENET_UNSEQUENCED_FLAG UINT8_C(0x40)
#define GW_ENET_ACKNOWLEDGE_FLAG UINT8_C(0x80)

#define GW_ENET_MOST_COMMANDS    32
#define GW_ENET_SMALLEST_MTU     576
#define GW_ENET_LARGEST_MTU      4096
#define GW_ENET_SMALLEST_WINDOW  4096
#define GW_ENET_LARGEST_WINDOW   65536
#define GW_ENET_MOST_CHANNELS    255
#define GW_ENET_MOST_FRAGMENTS   UINT32_C(1048576)
#define GW_ENET_LARGEST_MESSAGE  (UINT32_C(32) * 1024 * 1024)
#define GW_ENET_SEQUENCE_WINDOW  4096 /* reliable numbers; a receiver accepts those up to 7 windows ahead */
#define GW_ENET_SEQUENCE_WINDOWS 7
#define GW_ENET_SMALLEST_HEADER  2
#define GW_ENET_CHECKSUM_SIZE    4
/* Decompressed commands are no longer than the largest datagram less its header. */
#define GW_ENET_LARGEST_UNPACKED (GW_ENET_LARGEST_MTU - 2)
/* Godot's compressor with FastLZ pads shorter commands to this many bytes. */
#define GW_ENET_FASTLZ_PADDED 16

/* ---- the tables ----------------------------------------------------------------------------------------- */

typedef enum gw_enet_command_number {
    GW_ENET_NO_COMMAND,
    GW_ENET_ACKNOWLEDGE,
    GW_ENET_CONNECT,
    GW_ENET_VERIFY_CONNECT,
    GW_ENET_DISCONNECT,
    GW_ENET_PING,
    GW_ENET_SEND_RELIABLE,
    GW_ENET_SEND_UNRELIABLE,
    GW_ENET_SEND_FRAGMENT,
    GW_ENET_SEND_UNSEQUENCED,
    GW_ENET_BANDWIDTH_LIMIT,
    GW_ENET_THROTTLE_CONFIGURE,
    GW_ENET_SEND_UNRELIABLE_FRAGMENT,
    GW_ENET_COMMANDS
} gw_enet_command_number;

/* Events, and the fields of headers and commands. */
typedef enum gw_enet_role {
    GW_ENET_ROLE_NONE, /* ends a list of fields */

    /* Events. */
    GW_ENET_ROLE_HEADER, /* of the datagram */
    GW_ENET_ROLE_COMMAND,
    GW_ENET_ROLE_COMPRESSED,
    GW_ENET_ROLE_ENCRYPTED,
    GW_ENET_ROLE_PADDING,

    /* Fields of the datagram's header. */
    GW_ENET_ROLE_WORD, /* peer id, session and flags */
    GW_ENET_ROLE_SENT_TIME,
    GW_ENET_ROLE_CHECKSUM,
    GW_ENET_ROLE_SESSION_ID, /* four bytes of their own; with a checksum, it is in their place */
    GW_ENET_ROLE_PEER_HIGH,  /* bits 11 to 15 of the peer id */
    GW_ENET_ROLE_EXTENDED,   /* further flags */
    GW_ENET_ROLE_PORT_KEY,   /* xor this, the next number is the port that the datagram is sent to */
    GW_ENET_ROLE_MASKED_PORT,
    GW_ENET_ROLE_NONCE, /* differs from the nonce of the datagram before */

    /* Fields of all commands. */
    GW_ENET_ROLE_TYPE, /* number and flags */
    GW_ENET_ROLE_CHANNEL,
    GW_ENET_ROLE_SEQUENCE,

    /* Further fields of commands. */
    GW_ENET_ROLE_ACKED_SEQUENCE,
    GW_ENET_ROLE_ACKED_SENT_TIME,
    GW_ENET_ROLE_OUTGOING_PEER,
    GW_ENET_ROLE_INCOMING_SESSION,
    GW_ENET_ROLE_OUTGOING_SESSION,
    GW_ENET_ROLE_MTU,
    GW_ENET_ROLE_WINDOW,
    GW_ENET_ROLE_CHANNEL_COUNT,
    GW_ENET_ROLE_INCOMING_BANDWIDTH, /* bytes a second; 0: unlimited */
    GW_ENET_ROLE_OUTGOING_BANDWIDTH,
    GW_ENET_ROLE_THROTTLE_INTERVAL, /* ms */
    GW_ENET_ROLE_THROTTLE_ACCELERATION,
    GW_ENET_ROLE_THROTTLE_DECELERATION,
    GW_ENET_ROLE_CONNECT_ID, /* read big-endian as all numbers, though ENet keeps its bytes as they are */
    GW_ENET_ROLE_DATA,       /* the application's */
    GW_ENET_ROLE_UNRELIABLE_SEQUENCE,
    GW_ENET_ROLE_GROUP,
    GW_ENET_ROLE_START_SEQUENCE, /* reliable number of the first fragment; unreliable one in unreliable fragments */
    GW_ENET_ROLE_LENGTH,
    GW_ENET_ROLE_FRAGMENT_COUNT,
    GW_ENET_ROLE_FRAGMENT_NUMBER,
    GW_ENET_ROLE_TOTAL_LENGTH,
    GW_ENET_ROLE_FRAGMENT_OFFSET,
    GW_ENET_ROLE_UNUSED,     /* after the peer, in League of Legends */
    GW_ENET_ROLE_UNUSED_END, /* after the session, in League of Legends */
    GW_ENET_ROLE_PAYLOAD,

    GW_ENET_ROLES
} gw_enet_role;

/* One field of a header or of a command. */
typedef struct gw_enet_field {
    uint8_t role; /* gw_enet_role; GW_ENET_ROLE_NONE ends a list */
    uint8_t size; /* bytes; 0 for the payload, whose length is in the command, and for the checksum */
} gw_enet_field;

typedef struct gw_enet_command_type {
    const char *name;    /* as in the printed line: "Reliable" */
    uint8_t flags;       /* that real senders set */
    uint8_t other_flags; /* the other combination that they set; the same as `flags` if there is none */
    uint8_t size;        /* bytes without the payload */
    bool on_channel;     /* on a channel of the application's; otherwise on GW_ENET_CONNECTION_CHANNEL. ACKNOWLEDGE has
                            the channel of the acknowledged command, which may be either */
    bool has_payload;
    gw_enet_field fields[17]; /* in order, ended by GW_ENET_ROLE_NONE */
} gw_enet_command_type;

/* The type that the command has in ENet 1.3; NULL for numbers that are not a command. In other formats, CONNECT and
 * VERIFY_CONNECT have other sizes and fields: see gw_enet_command.type. */
const gw_enet_command_type *gw_enet_command_of(uint32_t number);

/* ---- formats -------------------------------------------------------------------------------------------- */

typedef enum gw_enet_format_number {
    GW_ENET_1_3,
    GW_ENET_CSHARP,
    GW_ENET_GROWTOPIA,
    GW_ENET_1_2, /* and 1.1; League of Legends, seasons 1 and 2 */
    GW_ENET_LEAGUE_3,
    GW_ENET_LEAGUE_4_20,
    GW_ENET_LEAGUE_8_CLIENT,
    GW_ENET_LEAGUE_8_SERVER,
    GW_ENET_MORE_PEERS,
    GW_ENET_6,
    GW_ENET_FORMATS
} gw_enet_format_number;

typedef enum gw_enet_checksum_kind {
    GW_ENET_CHECKSUM_NONE,
    GW_ENET_CRC_32,          /* IEEE 802.3 */
    GW_ENET_CRC_64,          /* Jones, reflected, all bits inverted before and after; over eight bytes for the id */
    GW_ENET_CHECKSUM_UNKNOWN /* cannot be verified */
} gw_enet_checksum_kind;

/* How the datagrams of a version or fork differ from ENet 1.3. Commands other than CONNECT and VERIFY_CONNECT
 * are the same in all. */
typedef struct gw_enet_format {
    const char *name; /* "ENet 1.3" */
    const char *key;  /* one word, for settings: "1.3" */
    /* The header, in order. The sent time, the session id, the checksum and the high bits of the peer id are
     * in some datagrams only: see gw_enet_header. */
    gw_enet_field header[7]; /* ended by GW_ENET_ROLE_NONE */
    /* Bits of the field GW_ENET_ROLE_WORD; 0: there is none. */
    uint16_t peer_mask, session_mask, sent_time_bit, compressed_bit, peer_high_bit;
    uint16_t likely_peers;   /* datagrams with a higher peer id are no evidence; 0: all are */
    uint16_t no_peer;        /* peer id while connecting */
    uint16_t encrypted_bit;  /* of the field GW_ENET_ROLE_EXTENDED */
    uint8_t checksum_size;   /* bytes */
    uint8_t checksum;        /* gw_enet_checksum_kind */
    bool checksum_always;    /* otherwise, if the application switched it on */
    bool session_in_connect; /* the session is the connection's: CONNECT has it in place of a connect id */
    bool acks_unnumbered; /* the sequence number of an Ack's header is not set: it has the number of another command */
    uint8_t last_command; /* the highest command number */
    const gw_enet_command_type *connect, *verify_connect;
    uint8_t reply; /* gw_enet_format_number of the server's datagrams, if a client sends in this format */
} gw_enet_format;

/* By gw_enet_format_number. */
extern const gw_enet_format gw_enet_formats[GW_ENET_FORMATS];

/* A datagram's header. */
typedef struct gw_enet_header {
    uint16_t word; /* the field GW_ENET_ROLE_WORD */
    uint16_t peer;
    uint32_t session; /* 0 without */
    uint64_t checksum;
    uint16_t sent_time;
    uint16_t extended;
    uint16_t port_key, masked_port, nonce;
    uint8_t length;      /* bytes before the commands */
    uint8_t checksum_at; /* bytes before the checksum */
    bool has_checksum;
    bool has_peer; /* otherwise while connecting */
    bool has_sent_time;
    bool is_compressed;
    bool is_encrypted;
} gw_enet_header;

/* The meaning of the word GW_ENET_ROLE_WORD: peer, session and flags. NULL: ENet 1.3. */
gw_enet_header gw_enet_header_of(const gw_enet_format *format, uint16_t word);

/* ---- reading -------------------------------------------------------------------------------------------- */

/* Oddities of an item that could be read. */
typedef enum gw_enet_odd {
    GW_ENET_ODD_NO_COMMANDS = 1 << 0,     /* a header alone */
    GW_ENET_ODD_DATAGRAM_LENGTH = 1 << 1, /* longer than the largest mtu */
    GW_ENET_ODD_COMMAND_COUNT = 1 << 2,   /* the 33rd command */
    GW_ENET_ODD_FLAGS = 1 << 3,           /* flags that no sender sets for this command */
    GW_ENET_ODD_CHANNEL = 1 << 4,         /* a message on channel 0xFF */
    GW_ENET_ODD_NO_SENT_TIME = 1 << 5,    /* acknowledgement requested, which needs the sent time */
    GW_ENET_ODD_NO_PEER = 1 << 6,         /* another command than CONNECT, for no peer */
    GW_ENET_ODD_CONNECTED = 1 << 7,       /* CONNECT for a peer that exists */
    GW_ENET_ODD_ACKED_SEQUENCE = 1 << 8,  /* differs from the number in the command's header */
    GW_ENET_ODD_UNSEQUENCED = 1 << 9,     /* an unsequenced message with a reliable sequence number */
    GW_ENET_ODD_OUTGOING_PEER = 1 << 10,  /* not a slot of the table of peers */
    GW_ENET_ODD_SESSION = 1 << 11,        /* neither 0 to 3 nor 0xFF */
    GW_ENET_ODD_MTU = 1 << 12,
    GW_ENET_ODD_WINDOW = 1 << 13,
    GW_ENET_ODD_CHANNEL_COUNT = 1 << 14,
    GW_ENET_ODD_FRAGMENT_COUNT = 1 << 15,     /* 0 or more than 1,048,576 */
    GW_ENET_ODD_FRAGMENT_NUMBER = 1 << 16,    /* not less than the count */
    GW_ENET_ODD_TOTAL_LENGTH = 1 << 17,       /* more than 32 MiB */
    GW_ENET_ODD_TOTAL_TOO_SHORT = 1 << 18,    /* fewer bytes than fragments */
    GW_ENET_ODD_FRAGMENT_OFFSET = 1 << 19,    /* not less than the total length */
    GW_ENET_ODD_FRAGMENT_END = 1 << 20,       /* ends after the total length */
    GW_ENET_ODD_FRAGMENT_EMPTY = 1 << 21,     /* a reliable fragment without bytes */
    GW_ENET_ODD_FRAGMENT_SEQUENCE = 1 << 22,  /* a reliable fragment's number is not start + fragment number */
    GW_ENET_ODD_PADDING = 1 << 23,            /* padding that is not zero */
    GW_ENET_ODD_CONNECTION_CHANNEL = 1 << 24, /* a command about the connection on another channel than 0xFF */
    GW_ENET_ODD_MASKED_PORT = 1 << 25         /* the two numbers before the header do not yield the port */
} gw_enet_odd;

#define GW_ENET_ODDS 26

/* With any of these ENet rejects the command: it and the rest of the datagram have no effect (source). */
#define GW_ENET_ODDS_REFUSED \
    ((uint32_t)(GW_ENET_ODD_CHANNEL | GW_ENET_ODD_NO_PEER | GW_ENET_ODD_CONNECTED | GW_ENET_ODD_CHANNEL_COUNT | \
                GW_ENET_ODD_FRAGMENT_COUNT | GW_ENET_ODD_FRAGMENT_NUMBER | GW_ENET_ODD_TOTAL_LENGTH | \
                GW_ENET_ODD_FRAGMENT_OFFSET | GW_ENET_ODD_FRAGMENT_END))

/* A command: its type and the numbers of its fields. */
typedef struct gw_enet_command {
    const gw_enet_command_type *type;
    uint8_t number; /* gw_enet_command_number */
    uint8_t flags;
    uint32_t values[GW_ENET_ROLES]; /* by gw_enet_role; 0 where the command has no such field */
} gw_enet_command;

typedef struct gw_enet_event {
    uint8_t kind;            /* gw_kind */
    uint8_t role;            /* gw_enet_role */
    bool is_cut;             /* the input ends in this header or command, and a fault follows */
    uint32_t index;          /* of a command: its number in the datagram, from 0 */
    uint32_t odd;            /* bits of gw_enet_odd: its own and those of its fields */
    gw_span header;          /* see the table at the top */
    gw_span payload;         /* follows the header */
    gw_enet_command command; /* of GW_ENET_ROLE_COMMAND; other events do not set it */
} gw_enet_event;

/* The bytes of an event: its header and its payload. */
static inline gw_span gw_enet_span_of(const gw_enet_event *event)
{
    gw_span span = event->header;
    span.length += event->payload.length;
    return span;
}

typedef enum gw_enet_fault {
    GW_ENET_FAULT_NONE,
    GW_ENET_FAULT_HEADER_TRUNCATED,  /* truncated */
    GW_ENET_FAULT_COMMAND_TRUNCATED, /* truncated: the datagram ends in a command's fields */
    GW_ENET_FAULT_PAYLOAD_TRUNCATED, /* truncated: a length goes beyond the datagram */
    GW_ENET_FAULT_COMMAND_UNKNOWN,   /* malformed: number 0 or 13 to 15 */
    GW_ENET_FAULT_TOO_LONG,          /* limit: input longer than GW_LONGEST_INPUT */
    GW_ENET_FAULT_RANGE_INVALID,     /* malformed: no such symbol in the range coder's model */
    GW_ENET_FAULT_RANGE_TRUNCATED,   /* truncated: the input ended before the end symbol; `needed` is 1 */
    GW_ENET_FAULT_FASTLZ_INVALID,    /* malformed: a level that does not exist, or a match before the output */
    GW_ENET_FAULT_FASTLZ_TRUNCATED,  /* truncated */
    GW_ENET_FAULT_UNPACKED_TOO_LONG, /* limit: the output buffer is full */
    GW_ENET_FAULTS
} gw_enet_fault;

/* The sentences for gw_enet_fault and gw_enet_odd. */
extern const gw_fault_table gw_enet_faults;

typedef struct gw_enet_options {
    const gw_enet_format *format; /* NULL: ENet 1.3 */
    uint32_t offset;              /* where reading starts */
    bool checksum;         /* the header has a checksum; formats that always or never have one do not need this */
    bool commands_only;    /* the input has no header, only commands, as after decompression */
    bool padded;           /* with commands_only: zeros may follow the last command, up to GW_ENET_FASTLZ_PADDED */
    gw_enet_header header; /* with commands_only: the header of the datagram */
    uint16_t port;         /* to which the datagram was sent; 0: not known */
} gw_enet_options;

/* Members are for reading; gw_enet_init() sets them. */
typedef struct gw_enet_reader {
    const uint8_t *bytes;
    uint32_t length;
    uint32_t offset;         /* where the next event begins */
    gw_fault fault;          /* from the event on that has is_cut, or from GW_NEXT_FAULT on */
    gw_enet_options options; /* the format is not NULL */
    gw_enet_header header;   /* of its captured bytes, from the first event on */
    uint32_t commands;       /* so far, with one that is cut */
    bool has_read_header;
} gw_enet_reader;

/* `bytes` is a UDP payload, or decompressed commands (options->commands_only). NULL options: a datagram without a
 * checksum, from its first byte. */
void gw_enet_init(gw_enet_reader *reader, const uint8_t *bytes, size_t length, const gw_enet_options *options);

/* The next event, the end, or a fault; events before a fault stay valid. After the header of a compressed datagram
 * the only event is GW_ENET_ROLE_COMPRESSED. */
gw_next gw_enet_next(gw_enet_reader *reader, gw_enet_event *event);

/* One field of a datagram's header or of a command, or a command's payload. */
typedef struct gw_enet_part {
    const gw_enet_field *field; /* its row in the tables */
    gw_span span;
    uint32_t number; /* 0 of the payload; the low half of a number of eight bytes */
    uint32_t odd;    /* bits of gw_enet_odd: those of the event that are about this field */
} gw_enet_part;

/* The parts of an event that `reader` has returned, in order: for users that need their places. Set `part` to zero
 * before the first call; each call sets it to the next part. False after the last one that is in the input as a whole.
 * Other events than headers and commands have none. The first part of the header has the oddities of the whole datagram;
 * GW_ENET_ODD_COMMAND_COUNT is about the command as a whole, and in no part. */
bool gw_enet_next_part(const gw_enet_reader *reader, const gw_enet_event *event, gw_enet_part *part);

/* Reads the datagram's header as far as it was captured: false if that is not all of it. */
bool gw_enet_read_header(const uint8_t *bytes, size_t length, const gw_enet_options *options, gw_enet_header *header);

/* ---- validating and recognizing ------------------------------------------------------------------------- */

typedef struct gw_enet_summary {
    gw_fault fault;
    uint32_t commands;
    uint32_t length; /* bytes read: up to the fault */
    uint32_t odd;    /* of all items together */
    bool compressed; /* the commands were not looked at */
} gw_enet_summary;

/* The same faults and oddities as reading, without the events. False with a fault. */
bool gw_enet_validate(const uint8_t *bytes, size_t length, const gw_enet_options *options, gw_enet_summary *summary);

/* gw_recognition.readings: how the datagram can be read. */
#define GW_ENET_READING_PLAIN    UINT32_C(1) /* no checksum */
#define GW_ENET_READING_CHECKSUM UINT32_C(2)

/* How strongly a datagram (or decompressed commands) indicates the format of the options (common/recognition.h).
 * `captured` of its `wire_length` bytes are in `bytes`. Compressed datagrams are possible, with no bits: decompress
 * them, and call it for the commands. NULL options, or options without a checksum: both readings are tried. */
bool gw_enet_recognize(const uint8_t *bytes, size_t captured, size_t wire_length, const gw_enet_options *options,
                       gw_recognition *recognition);

/* The same for a caller that reads the events of a datagram, or of decompressed commands, itself. Set it to zero before
 * the first event. */
typedef struct gw_enet_evidence {
    uint32_t bits;
    uint32_t hash; /* of the commands that were counted */
    uint32_t counted;
    gw_span spans[GW_ENET_MOST_COMMANDS]; /* of the counted bytes: equal commands are counted once */
    uint32_t end;                         /* of the commands, on the wire */
    uint32_t connect_id;                  /* with which the checksum of a CONNECT is calculated */
    bool wants_ack;
    bool ends_in_payload; /* the last command has one that is not empty */
    bool is_odd;
    bool is_other;          /* a command that no sender writes: the datagram is not possible */
    bool connect;           /* a command is CONNECT */
    bool is_other_than_ack; /* a command is not an acknowledgement */
} gw_enet_evidence;

/* Adds an event that `reader` has just returned. */
void gw_enet_weigh(gw_enet_evidence *evidence, const gw_enet_reader *reader, const gw_enet_event *event);
/* Call it once, after the last event or a fault: gw_enet_recognize() of the reader's bytes, of which there are
 * `wire_length` on the wire, in the reading that the reader's options say. */
bool gw_enet_weigh_end(gw_enet_evidence *evidence, const gw_enet_reader *reader, size_t wire_length,
                       gw_recognition *recognition);

/* By the first byte of a command, number and flags: true for those that senders write. */
extern const bool gw_enet_types[UINT8_MAX + 1];

/* The first byte of a command as senders write it: a known number, and flags that it has. */
static inline bool gw_enet_is_type(uint8_t first)
{
    return gw_enet_types[first];
}

/* The same for the first command of a datagram: acknowledgements are requested only if it has a sent time. */
static inline bool gw_enet_may_begin_with(bool has_sent_time, uint8_t first)
{
    return gw_enet_is_type(first) && (has_sent_time || !(first & GW_ENET_ACKNOWLEDGE_FLAG));
}

/* A quick first test for heuristics: false if no command of ENet 1.3 begins after the header, with or without a
 * checksum. True for compressed datagrams. */
static inline bool gw_enet_may_begin(const uint8_t *bytes, size_t captured)
{
    size_t before = captured && bytes[0] & GW_ENET_SENT_TIME_BIT >> 8 ? 4 : 2;
    if (captured <= before)
        return false;
    if (bytes[0] & GW_ENET_COMPRESSED_BIT >> 8 || gw_enet_is_type(bytes[before]))
        return true;
    return captured > before + GW_ENET_CHECKSUM_SIZE && gw_enet_is_type(bytes[before + GW_ENET_CHECKSUM_SIZE]);
}

/* Whether types and lengths of plain commands fit, up to the end of the datagram or of the captured bytes. If not, a
 * datagram that is not compressed is not possible for gw_enet_recognize() with NULL options; for compressed ones it is
 * false. */
bool gw_enet_has_shape(const uint8_t *bytes, size_t captured, size_t wire_length);

/* Whether these bytes, which more bytes may follow, begin valid commands. */
bool gw_enet_may_begin_commands(const uint8_t *bytes, size_t length);

/* Lengths of datagrams with a CONNECT alone, in formats other than ENet 1.3. */
#define GW_ENET_SHORTEST_CONNECT 44
#define GW_ENET_LONGEST_CONNECT  62

/* False for datagrams that gw_enet_format_of_connect() does not read, by their length in bytes. */
static inline bool gw_enet_has_length_of_connect(size_t length)
{
    return length - GW_ENET_SHORTEST_CONNECT <= GW_ENET_LONGEST_CONNECT - GW_ENET_SHORTEST_CONNECT;
}

/* The format, other than ENet 1.3, of a datagram that has a CONNECT and nothing else; NULL if it has none. `port`: to
 * which it was sent; 0: not known. Sets options->checksum. */
const gw_enet_format *gw_enet_format_of_connect(const uint8_t *bytes, size_t length, uint16_t port,
                                                gw_enet_options *options);

/* The first command of a datagram that is not compressed. */
typedef struct gw_enet_beginning {
    bool has_command; /* the byte after the header may begin a command, whatever its flags are */
    bool is_written;  /* ... and has flags that senders set for this command */
    bool acks_zero;   /* the first command acknowledges number 0 */
} gw_enet_beginning;

/* `header`: as gw_enet_read_header() has read it in the format of the options. False if the header, and one byte after
 * it, were not captured. */
bool gw_enet_peek(const uint8_t *bytes, size_t captured, const gw_enet_options *options, const gw_enet_header *header,
                  gw_enet_beginning *beginning);

/* True for the format of ENet 1.0, and of Photon, which is derived from it: it is not decoded. All datagrams have a
 * header of 12 bytes and commands with a header of 12 bytes. */
bool gw_enet_is_photon(const uint8_t *bytes, size_t captured, size_t wire_length);

/* ---- checksums ------------------------------------------------------------------------------------------ */

/* Bytes that a checksum covers: the datagram before it, and after it, with the commands before compression,
 * and in its place the connect id (source). */
typedef struct gw_enet_covered {
    const uint8_t *before, *after;
    size_t before_length, after_length;
} gw_enet_covered;

/* The checksum that the header holds; `kind` is one that can be verified. The id is 0 in a CONNECT, unless the format
 * has its session there. */
uint64_t gw_enet_checksum(gw_enet_checksum_kind kind, const gw_enet_covered *covered, uint32_t connect_id);

/* The only connect id for which `checksum` is correct: for captures that begin after CONNECT. The id is proved if two
 * datagrams of one connection have the same. False if there is none, which cannot be with CRC-32. */
bool gw_enet_connect_id_of(gw_enet_checksum_kind kind, const gw_enet_covered *covered, uint64_t checksum,
                           uint32_t *connect_id);

/* ---- compression ---------------------------------------------------------------------------------------- */

/* Result of a decompressor. */
typedef struct gw_enet_unpacked {
    size_t length;   /* bytes written */
    size_t consumed; /* input bytes that were used; the range coder may use fewer than there are */
    gw_fault fault;  /* offset in the input */
} gw_enet_unpacked;

#define GW_ENET_RANGE_NODES 4096

typedef struct gw_enet_range_node {
    uint8_t value;
    uint8_t count;
    uint16_t under;       /* sum of the counts of this node and its left subtree */
    uint16_t left, right; /* node numbers, 0: none */
    uint16_t symbols;     /* root of the tree of bytes that followed this one */
    uint16_t escapes;
    uint16_t total;
    uint16_t parent; /* the same byte in the next shorter context */
} gw_enet_range_node;

/* The range coder's memory, 64 KiB, provided by the caller. It need not be initialized. */
typedef struct gw_enet_range_model {
    gw_enet_range_node nodes[GW_ENET_RANGE_NODES];
    uint32_t used;
    uint16_t predicted; /* the current context */
    uint16_t order;     /* number of bytes in the context */
} gw_enet_range_model;

/* ENet's own range coder. At most `size` bytes are written to `output`; false with a fault. The output is the same as
 * of enet_range_coder_decompress() for all streams that an encoder may write; ENet's function also decodes some streams
 * that no encoder writes. If a stream ends before its input, which no encoder writes either, `consumed` is the length
 * of the stream. */
bool gw_enet_range_decode(gw_enet_range_model *model, const uint8_t *bytes, size_t length, uint8_t *output, size_t size,
                          gw_enet_unpacked *unpacked);
/* The same bytes as enet_range_coder_compress(). */
void gw_enet_range_encode(gw_enet_range_model *model, gw_output *output, const uint8_t *bytes, size_t length);
/* The first byte that a stream yields, without a model: -1 for the end symbol. For heuristics. */
static inline int gw_enet_range_first(const uint8_t *bytes, size_t length)
{
    uint8_t start[4] = { 0 };
    for (size_t i = 0; i < length && i < sizeof start; i++)
        start[i] = bytes[i];
    uint32_t code = (uint32_t)start[0] << 24 | (uint32_t)start[1] << 16 | (uint32_t)start[2] << 8 | start[3];
    return (int)(code / (UINT32_MAX / 257)) - 1; /* 256 bytes and the end */
}
/* Whether the first bytes that a stream yields may begin commands. For heuristics: decodes no more than is needed. */
bool gw_enet_range_may_begin(gw_enet_range_model *model, const uint8_t *bytes, size_t length);

/* FastLZ, levels 1 and 2. */
bool gw_enet_fastlz_decode(const uint8_t *bytes, size_t length, uint8_t *output, size_t size,
                           gw_enet_unpacked *unpacked);

/* ---- printing and writing ------------------------------------------------------------------------------- */

/* "Reliable ch=1 seq=12 len=34, Ack ch=0 seq=5"; a fault's text follows in brackets. */
void gw_enet_print(gw_text *text, const uint8_t *bytes, size_t length, const gw_enet_options *options);
/* One command of such a line. */
void gw_enet_print_command(gw_text *text, const gw_enet_command *command);

/* The datagram's header: the fields of the format that header->word and has_checksum call for. NULL: ENet 1.3. */
void gw_enet_write_header(gw_output *output, const gw_enet_format *format, const gw_enet_header *header);
/* A command: number, flags and values, and values[GW_ENET_ROLE_LENGTH] bytes of payload, up to 65,535, if it has a
 * payload. A `type` of NULL is the type of ENet 1.3. The low bits of values are written. */
void gw_enet_write_command(gw_output *output, const gw_enet_command *command, const uint8_t *payload);

#ifdef __cplusplus
}
#endif

#endif
