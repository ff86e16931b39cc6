/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Packets of Godot's high-level multiplayer: calls, paths, spawns and synchronized properties, as ENet, WebSocket and
 * WebRTC peers carry them.
 *
 *   Godot 4   SceneMultiplayer: one packet is a message of the transport, with nothing before it
 *   Godot 3   MultiplayerAPI: ENet and WebSocket peers put a head of peer ids before it
 *
 * A packet begins with a command byte. The rest has no lengths except in its Variants, and ends with the
 * message. Nothing is aligned. All numbers are little-endian.
 *
 * Facts marked "observed" were seen in bytes of Godot 3.2.3, 3.6 and 4.6.3; "source" ones were read in the engines'
 * code.
 *
 * Offsets and lengths are bytes from the start of the caller's input, which must stay as it is while events that point
 * into it are used. Nothing allocates, recurses or keeps the input.
 */
#ifndef GAMEWIRE_GODOT_MP_H
#define GAMEWIRE_GODOT_MP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gamewire/event.h>
#include <gamewire/faults.h>
#include <gamewire/godot.h>
#include <gamewire/recognition.h>
#include <gamewire/status.h>
#include <gamewire/text.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The format around a packet, which the packet does not contain: set by the caller, or found by
 * gw_godot_mp_recognize(). */
typedef enum gw_godot_mp_form {
    GW_GODOT_MP_4,           /* a SceneMultiplayer packet */
    GW_GODOT_MP_3,           /* a MultiplayerAPI packet alone, as WebRTC has it (source) */
    GW_GODOT_MP_3_ENET,      /* i32 source, i32 target, packet; or, eight bytes, a message about a peer */
    GW_GODOT_MP_3_WEBSOCKET, /* u8 type, i32 source, i32 target, packet or peer id */
    GW_GODOT_MP_4_ASSIGNED,  /* Godot 4, WebSocket, the server's first message: i32, the client's id. Four
                                         bytes can be a packet too: only the caller can decide which is the first */
    GW_GODOT_MP_FORMS
} gw_godot_mp_form;

/* "SceneMultiplayer (Godot 4)" and so on. */
const char *gw_godot_mp_form_text(gw_godot_mp_form form);
/* The generation whose Variants a form has: GW_GODOT_3 or GW_GODOT_4. */
gw_godot_generation gw_godot_mp_generation(gw_godot_mp_form form);

/* Commands of both generations with common numbers; the number on the wire is in the field COMMAND. */
typedef enum gw_godot_mp_command {
    GW_GODOT_MP_CALL,          /* 4 and 3: 0 */
    GW_GODOT_MP_SET,           /* 3: 1 */
    GW_GODOT_MP_SIMPLIFY_PATH, /* 4: 1, 3: 2 */
    GW_GODOT_MP_CONFIRM_PATH,  /* 4: 2, 3: 3 */
    GW_GODOT_MP_RAW,           /* 4: 3, 3: 4 */
    GW_GODOT_MP_SPAWN,         /* 4: 4 */
    GW_GODOT_MP_DESPAWN,       /* 4: 5 */
    GW_GODOT_MP_SYNC,          /* 4: 6 */
    GW_GODOT_MP_SYSTEM,        /* 4: 7 */
    GW_GODOT_MP_UNKNOWN,       /* 3: 5 and more */
    GW_GODOT_MP_COMMANDS
} gw_godot_mp_command;

/* The engine's name: "REMOTE_CALL". */
const char *gw_godot_mp_command_name(gw_godot_mp_command command);

/* Bits of the command byte (Godot 4). */
#define GW_GODOT_MP_COMMAND_MASK 0x07U
#define GW_GODOT_MP_UNUSED_BITS  0x08U
#define GW_GODOT_MP_NODE_SHIFT   4U /* call: node id of 1, 2 or 4 bytes */
#define GW_GODOT_MP_NODE_MASK    0x30U
#define GW_GODOT_MP_METHOD_WIDE  0x40U /* call: method id of 2 bytes */
#define GW_GODOT_MP_BYTES_ONLY   0x80U /* call: one PackedByteArray without head, or no argument */
#define GW_GODOT_MP_DELTA        0x10U /* sync: changed properties, reliable */

/* Sub-commands of SYSTEM (Godot 4). */
typedef enum gw_godot_mp_system {
    GW_GODOT_MP_AUTH,
    GW_GODOT_MP_ADD_PEER,
    GW_GODOT_MP_DELETE_PEER,
    GW_GODOT_MP_RELAY,
    GW_GODOT_MP_SYSTEMS
} gw_godot_mp_system;

/* Types of the WebSocket head (Godot 3). */
typedef enum gw_godot_mp_websocket {
    GW_GODOT_MP_WEBSOCKET_NONE, /* a packet follows */
    GW_GODOT_MP_WEBSOCKET_ADD,
    GW_GODOT_MP_WEBSOCKET_DELETE,
    GW_GODOT_MP_WEBSOCKET_ID, /* the receiver's own id */
    GW_GODOT_MP_WEBSOCKET_TYPES
} gw_godot_mp_websocket;

#define GW_GODOT_MP_SERVER       1                    /* the server's peer id, always */
#define GW_GODOT_MP_BY_OFFSET    UINT32_C(0x80000000) /* in a node id: the rest is an offset to the path */
#define GW_GODOT_MP_NODE_METHOD  0x8000               /* in a method id: configured on the node, not in its script */
#define GW_GODOT_MP_CUSTOM_SCENE 255                  /* scene index of a spawn by function */
#define GW_GODOT_MP_PATH_NET_ID  UINT32_C(0x80000000) /* in a net id: the rest is the id of a path */
#define GW_GODOT_MP_CHECKSUM     32U                  /* hexadecimal digits of an MD5 */
#define GW_GODOT_MP_SYNC_BYTES   1350U                /* the engine's default limit of a plain sync (source) */
#define GW_GODOT_MP_DELTA_BYTES  65535U               /* and of a delta sync (source) */
/* Relays that one packet may be wrapped in; the engine makes one. */
#define GW_GODOT_MP_RELAYS 4

/* ---- reading ------------------------------------------------------------------------------------------- */

/* Events, and the fields of heads: "u8" ... is the type on the wire. */
typedef enum gw_godot_mp_role {
    GW_GODOT_MP_ROLE_NONE, /* ends a list of fields */

    /* Events with a head, whose fields gw_godot_mp_next_part() lists. OPEN and CLOSE surround the events of a packet or an
     * update. */
    GW_GODOT_MP_ROLE_HEAD,   /* of the form, before the packet; or of a message without a packet */
    GW_GODOT_MP_ROLE_PACKET, /* OPEN, CLOSE: from the command byte to the packet's end */
    GW_GODOT_MP_ROLE_UPDATE, /* OPEN, CLOSE: the properties of one synchronizer in a sync */

    /* Other events. PATH is one, too, in a call, where it follows the arguments. */
    GW_GODOT_MP_ROLE_VARIANT,  /* value, instead of a packet: put_var() without MultiplayerAPI (observed) */
    GW_GODOT_MP_ROLE_ARGUMENT, /* value */
    GW_GODOT_MP_ROLE_BYTES,    /* the only argument, a PackedByteArray without head */
    GW_GODOT_MP_ROLE_DATA,     /* bytes of RAW or AUTH; no event if there are none */
    GW_GODOT_MP_ROLE_CUSTOM,   /* value: the argument of the spawn function */
    GW_GODOT_MP_ROLE_STATE,    /* value: of a property with "spawn", in the synchronizers' order */
    GW_GODOT_MP_ROLE_VALUE,    /* value of a synchronized or set property */
    GW_GODOT_MP_ROLE_TRAILING, /* OPAQUE: bytes after the end */

    /* Fields of HEAD. */
    GW_GODOT_MP_ROLE_HEAD_TYPE,    /* u8: gw_godot_mp_websocket */
    GW_GODOT_MP_ROLE_SOURCE,       /* i32: peer that sent it */
    GW_GODOT_MP_ROLE_TARGET,       /* i32: peer; 0 all, negative all but that one */
    GW_GODOT_MP_ROLE_PEER_COMMAND, /* u32, Godot 3 ENet: 0 the peer came, 1 it left */
    GW_GODOT_MP_ROLE_PEER,         /* i32, also of SYSTEM: the peer that came, left or is the receiver */
    GW_GODOT_MP_ROLE_ASSIGNED,     /* i32, Godot 4 WebSocket: the receiver's own id */

    /* Fields of PACKET. */
    GW_GODOT_MP_ROLE_COMMAND,        /* u8, with its flags; reader.packet has them separately */
    GW_GODOT_MP_ROLE_SUB_COMMAND,    /* u8: gw_godot_mp_system */
    GW_GODOT_MP_ROLE_RELAY_PEER,     /* i32: the destination if sent to the server, the source if sent by it */
    GW_GODOT_MP_ROLE_NODE_ID,        /* u8, u16 or u32: path id, or BY_OFFSET and the offset of PATH from COMMAND */
    GW_GODOT_MP_ROLE_METHOD_ID,      /* u8 or u16: index among the script's sorted methods */
    GW_GODOT_MP_ROLE_METHOD,         /* text: name of a method (Godot 3) */
    GW_GODOT_MP_ROLE_PROPERTY,       /* text: name of a property (Godot 3) */
    GW_GODOT_MP_ROLE_ARGUMENT_COUNT, /* u8 */
    GW_GODOT_MP_ROLE_PATH,           /* text: of a node, from the multiplayer root on */
    GW_GODOT_MP_ROLE_CHECKSUM_TEXT,  /* text: MD5 of the script's method names, sorted and joined */
    GW_GODOT_MP_ROLE_PATH_ID,        /* u32 */
    GW_GODOT_MP_ROLE_CONFIRMED,      /* u8: 1 when the receiver's checksum is the same */
    GW_GODOT_MP_ROLE_SCENE,          /* u8: index in the spawner's list, 255 for a custom spawn */
    GW_GODOT_MP_ROLE_SPAWNER,        /* u32: path id */
    GW_GODOT_MP_ROLE_SYNC_COUNT,     /* u32 */
    GW_GODOT_MP_ROLE_NAME_LENGTH,    /* u32, with the NUL */
    GW_GODOT_MP_ROLE_SYNC_IDS,       /* PACKED, u32 each, may be empty: net ids of the node's synchronizers */
    GW_GODOT_MP_ROLE_NAME,           /* text: of the spawned node */
    GW_GODOT_MP_ROLE_CUSTOM_SIZE,    /* u32 */
    GW_GODOT_MP_ROLE_TIME,           /* u16: the sender's count of plain syncs */

    /* Fields of UPDATE. */
    GW_GODOT_MP_ROLE_NET_ID,  /* u32, also of SPAWN and DESPAWN: of the object that is spawned or synchronized */
    GW_GODOT_MP_ROLE_INDEXES, /* u64: bit n: the n-th watched property follows (delta) */
    GW_GODOT_MP_ROLE_SIZE,    /* u32: bytes of the values of this update */
    GW_GODOT_MP_ROLES
} gw_godot_mp_role;

/* How a value is written. */
typedef enum gw_godot_mp_encoding {
    GW_GODOT_MP_PLAIN,       /* an ordinary Variant: give `payload` to gw_godot_init() */
    GW_GODOT_MP_COMPRESSED,  /* Godot 4: bool in one byte, int in 1 + 1, 2, 4 or 8; `number` is the value */
    GW_GODOT_MP_NULL_OBJECT, /* Godot 4: a header of type Object and nothing after it (observed) */
    GW_GODOT_MP_HALVES       /* Redot: its type in one byte, and half floats (source) */
} gw_godot_mp_encoding;

/* Oddities of an item that could be read. */
typedef enum gw_godot_mp_odd {
    GW_GODOT_MP_ODD_FLAGS = 1 << 0,        /* bits of the command byte that this command does not have */
    GW_GODOT_MP_ODD_UTF8 = 1 << 1,         /* text is not UTF-8 */
    GW_GODOT_MP_ODD_WIDE = 1 << 2,         /* more bytes than the number needs */
    GW_GODOT_MP_ODD_TRAILING = 1 << 3,     /* bytes after the end */
    GW_GODOT_MP_ODD_CHECKSUM = 1 << 4,     /* not 32 hexadecimal digits */
    GW_GODOT_MP_ODD_CONFIRMED = 1 << 5,    /* neither 0 nor 1 */
    GW_GODOT_MP_ODD_BOOL = 1 << 6,         /* compressed bool with bits other than the value's */
    GW_GODOT_MP_ODD_NULL_OBJECT = 1 << 7,  /* a typed null, which the receiver cannot read (observed) */
    GW_GODOT_MP_ODD_VALUE = 1 << 8,        /* the Variant has oddities, which its reader reports */
    GW_GODOT_MP_ODD_NAME = 1 << 9,         /* the name is empty, or its last byte is not its only NUL */
    GW_GODOT_MP_ODD_INDEXES = 1 << 10,     /* UPDATE's CLOSE: not one value for each index bit */
    GW_GODOT_MP_ODD_PEER = 1 << 11,        /* a value that no peer id has */
    GW_GODOT_MP_ODD_TOO_LARGE = 1 << 12,   /* PACKET's OPEN: a sync beyond the engine's default limit */
    GW_GODOT_MP_ODD_RELAY = 1 << 13,       /* a relayed system command, which the engine never relays */
    GW_GODOT_MP_ODD_CUSTOM_SIZE = 1 << 14, /* not the size of the value that follows */
    GW_GODOT_MP_ODD_OLD_CONFIRM = 1 << 15, /* CONFIRM_PATH with a path, as 4.0 to 4.2 send it (source): only
                                                       odd for a peer of 4.3 or later, which cannot read it */
    GW_GODOT_MP_ODD_HALVES = 1 << 16       /* a value of half floats, as Redot sends them and Godot does not */
} gw_godot_mp_odd;

#define GW_GODOT_MP_ODDS 17

/* Which members are set:
 *
 *   event                 header      payload            padding      number          encoding, type
 *   HEAD                  its fields  the same bytes     0 bytes      0               -
 *   OPEN PACKET           its fields  the whole packet   0 bytes      command         -
 *   OPEN UPDATE           its fields  the whole update   0 bytes      net id          -
 *   CLOSE                 0 bytes     as OPEN            0 bytes      as OPEN         -
 *   values                0 bytes     the Variant        0 bytes      if COMPRESSED   both
 *   PATH of a call        0 bytes     without the NUL    the NUL      0               -
 *   DATA, BYTES, TRAILING 0 bytes     the bytes          0 bytes      0               -
 *
 * and of the parts of a head:
 *
 *   numbers               0 bytes     the number         0 bytes      its value       -
 *   texts                 0 bytes     without the NUL    the NUL      0               -
 *   SYNC_IDS              0 bytes     all of them        0 bytes      their count     -
 */
typedef struct gw_godot_mp_event {
    uint8_t kind;        /* gw_kind */
    uint8_t role;        /* gw_godot_mp_role */
    uint8_t encoding;    /* gw_godot_mp_encoding */
    uint8_t type;        /* gw_godot_type of a value */
    uint8_t depth;       /* 0 for packets and heads, 1 for the parts of a packet */
    uint8_t field_count; /* of the head: up to the fault if it cannot be read to its end */
    uint32_t index;      /* among the arguments, states, values or updates of the same parent, or the parts; else 0 */
    uint32_t odd;        /* bits of gw_godot_mp_odd: of a head, those of its parts, too */
    uint32_t value_odd;  /* bits of gw_godot_odd: of a PLAIN value and all its members together */
    gw_span header;
    gw_span payload;
    gw_span padding;
    int64_t number;        /* u64 as the same bits */
    const uint8_t *fields; /* the roles of the head's fields, in order */
} gw_godot_mp_event;

typedef enum gw_godot_mp_fault {
    GW_GODOT_MP_FAULT_NONE,
    GW_GODOT_MP_FAULT_EMPTY,              /* truncated: no byte at all */
    GW_GODOT_MP_FAULT_FIELD_TRUNCATED,    /* truncated: a number */
    GW_GODOT_MP_FAULT_TEXT_TRUNCATED,     /* truncated: a text without its NUL */
    GW_GODOT_MP_FAULT_CHECKSUM_TRUNCATED, /* truncated: fewer than 33 bytes for a checksum */
    GW_GODOT_MP_FAULT_NAME_TRUNCATED,     /* truncated: a name longer than the bytes left */
    GW_GODOT_MP_FAULT_IDS_TRUNCATED,      /* truncated: more net ids than bytes */
    GW_GODOT_MP_FAULT_IDS_OVERFLOW,       /* truncated: so many that the engine's sum of the lengths overflows */
    GW_GODOT_MP_FAULT_VALUE_TRUNCATED,    /* truncated: a Variant */
    GW_GODOT_MP_FAULT_VALUES_MISSING,     /* truncated: fewer arguments than declared */
    GW_GODOT_MP_FAULT_UPDATE_TRUNCATED,   /* truncated: an update longer than the bytes left */
    GW_GODOT_MP_FAULT_VALUE_INVALID,      /* malformed: not a Variant, or longer than its space */
    GW_GODOT_MP_FAULT_TOO_DEEP,           /* limit: a Variant nested deeper than its reader's levels */
    GW_GODOT_MP_FAULT_OFFSET_INVALID,     /* malformed: the path's offset lies before the arguments */
    GW_GODOT_MP_FAULT_ID_SIZE_UNKNOWN,    /* unsupported: node id size 3 */
    GW_GODOT_MP_FAULT_COMMAND_UNKNOWN,    /* unsupported: not one of Godot 3's five */
    GW_GODOT_MP_FAULT_SYSTEM_UNKNOWN,     /* unsupported: sub-command of SYSTEM */
    GW_GODOT_MP_FAULT_HEAD_UNKNOWN,       /* unsupported: type of WebSocket head, message about a peer */
    GW_GODOT_MP_FAULT_RELAY_TOO_DEEP,     /* limit: relays in relays */
    GW_GODOT_MP_FAULT_TOO_LONG,           /* limit: input longer than GW_LONGEST_INPUT */
    GW_GODOT_MP_FAULTS
} gw_godot_mp_fault;

/* The sentences for gw_godot_mp_fault and gw_godot_mp_odd. */
extern const gw_fault_table gw_godot_mp_faults;

/* Properties of a message from its transport, for recognition. */
typedef struct gw_godot_mp_transport {
    bool has_channel; /* ENet */
    uint8_t channel;
    bool client_known; /* which of the two peers is the client */
    bool from_client;  /* only if client_known */
    int32_t client;    /* the client's id, as ENet's CONNECT carries it; 0: not known */
    bool is_godot_4;   /* ENet's CONNECT is one that Godot 4 sends by default: mtu, channels, id */
    bool is_first;     /* the first reliable message of its channel and direction */
} gw_godot_mp_transport;

typedef struct gw_godot_mp_options {
    gw_godot_mp_form form;
    uint32_t offset;        /* where reading starts */
    gw_godot_level *levels; /* for Variants nested deeper than GW_GODOT_DEPTH; may be NULL */
    uint32_t level_count;
    bool find_duplicates;                   /* keys in Variants, as in gw_godot_options */
    bool is_cut;                            /* the input is only the beginning of a message */
    const gw_godot_mp_transport *transport; /* NULL: nothing is known. Must stay while the reader is used */
} gw_godot_mp_options;

/* The packet that is being read, the innermost if it is relayed; each member is valid from its event on. */
typedef struct gw_godot_mp_packet {
    uint32_t start; /* of the command byte */
    uint32_t end;
    uint8_t command;        /* gw_godot_mp_command */
    uint8_t byte;           /* as it is on the wire, with all flags */
    uint8_t system;         /* gw_godot_mp_system */
    bool delta;             /* of SYNC */
    bool has_path;          /* a call whose path follows its arguments */
    uint32_t arguments_end; /* where the path begins, or the packet's end; may be beyond the input */
} gw_godot_mp_packet;

/* A field of a head: as payload and number of its part. */
typedef struct gw_godot_mp_field {
    gw_span span;
    int64_t number;
} gw_godot_mp_field;

/* Packets within relays, and one update in the innermost. */
#define GW_GODOT_MP_DEPTH (GW_GODOT_MP_RELAYS + 2)

/* An item that is being read: the reader's own. */
typedef struct gw_godot_mp_scope {
    const uint8_t *fields; /* still to be read */
    uint32_t start;
    uint32_t end;
    uint32_t left;  /* values still to be read, if there is a count */
    uint32_t index; /* of the next value or update */
    int64_t number;
    uint64_t halves; /* bit n: value n has half floats */
    uint8_t role;
    bool has_path; /* after the values, not read yet */
} gw_godot_mp_scope;

/* All of the reader's memory. Each call consumes a byte or closes an open item. */
typedef struct gw_godot_mp_reader {
    const uint8_t *bytes;
    uint32_t length;
    uint32_t offset; /* bytes consumed */
    uint8_t form;
    uint8_t generation;
    uint8_t depth;
    uint8_t pending;        /* fault code: the bytes after the next head cannot be read */
    uint8_t head_type;      /* gw_godot_mp_websocket */
    gw_fault fault;         /* of a head that cannot be read to its end: from its event on */
    gw_fault value_fault;   /* of a Variant that could not be read: the code is the Variant reader's */
    gw_godot_summary value; /* of the PLAIN value whose event came last */
    gw_godot_mp_packet packet;
    gw_godot_level *levels;
    uint32_t level_count;
    bool find_duplicates;
    bool is_cut;
    uint32_t half_tries; /* that are left in this message */
    const gw_godot_mp_transport *transport;
    gw_godot_mp_field fields[GW_GODOT_MP_ROLES]; /* by role: those of the last head, and of the packet around it */
    gw_godot_mp_scope scopes[GW_GODOT_MP_DEPTH + 1];
} gw_godot_mp_reader;

/* Reads one message from options->offset to the end of `bytes`; options NULL: a Godot 4 packet from the start. */
void gw_godot_mp_init(gw_godot_mp_reader *reader, const uint8_t *bytes, size_t length,
                      const gw_godot_mp_options *options);
/* After GW_NEXT_FAULT reader.fault has the reason; every event before it is valid. */
gw_next gw_godot_mp_next(gw_godot_mp_reader *reader, gw_godot_mp_event *event);
/* The next field of the event's head, as an event that is one level below it, or beside HEAD: set `part` to zero before the
 * first one, and pass it unchanged for the next. False after the last one, and for an event without a head. `reader` may be
 * further on. */
bool gw_godot_mp_next_part(const gw_godot_mp_reader *reader, const gw_godot_mp_event *event, gw_godot_mp_event *part);

/* The longest Variant of gw_godot_mp_variant_of_halves(). */
#define GW_GODOT_MP_HALVES_VARIANT 20
/* Writes an ordinary Variant, of floats, with the value of an event that is encoded in GW_GODOT_MP_HALVES. `bytes`: the
 * reader's. Returns its length. */
uint32_t gw_godot_mp_variant_of_halves(const uint8_t *bytes, const gw_godot_mp_event *event,
                                       uint8_t variant[GW_GODOT_MP_HALVES_VARIANT]);

/* ---- validating and recognizing ------------------------------------------------------------------------ */

typedef struct gw_godot_mp_summary {
    gw_fault fault;
    uint32_t odd;      /* of all items together */
    uint32_t length;   /* bytes consumed */
    uint32_t trailing; /* of them, after the end */
    uint32_t values;
    uint32_t bits;   /* of evidence, see gw_godot_mp_recognize() */
    uint8_t command; /* gw_godot_mp_command of the outermost packet; UNKNOWN without one */
} gw_godot_mp_summary;

/* Reads the whole message; true when it is whole. */
bool gw_godot_mp_validate(const uint8_t *bytes, size_t length, const gw_godot_mp_options *options,
                          gw_godot_mp_summary *summary);

/* How strongly a message of another protocol (ENet, WebSocket) indicates a multiplayer packet. `readings` has bit f for
 * each gw_godot_mp_form f that reads the whole message and finds nothing that engines do not write. `options` NULL: all
 * forms are tried; otherwise only options->form. A message of which only the beginning was captured (`captured` <
 * `wire_length`) is possible if its beginning is; so is one of more than 65,536 events, of which only these are
 * tested. `sender` is the source in a message of Godot 3, unless the transport knows that a server sent it: a server
 * relays messages of several clients. Without a transport that knows who the client is, both are possible. */
bool gw_godot_mp_recognize(const uint8_t *bytes, size_t captured, size_t wire_length,
                           const gw_godot_mp_options *options, gw_recognition *recognition);

/* The same for a caller that reads the events of a message itself. Set it to zero before the first event, except
 * `is_known`. */
typedef struct gw_godot_mp_evidence {
    uint32_t bits;
    uint32_t odd;        /* bits of gw_godot_mp_odd, of all events together */
    bool foreign;        /* something that engines do not write: characters in a name, an id, a size */
    bool is_known;       /* set by a caller that only needs gw_godot_mp_is_possible(): hash and the evidence of
                            values are not calculated */
    bool has_value;      /* the update that is open has a value that is not null */
    uint32_t compressed; /* bits for compressed values, at most 16 of which count */
    uint32_t hash;       /* of the evidence: the kinds of all items, texts and Variants */
    uint32_t sender;     /* as in gw_recognition */
    bool has_source;     /* Godot 3: the source is the peer that sent the message, as known from the transport */
} gw_godot_mp_evidence;

/* Adds an event that `reader` has just returned, with its parts. */
void gw_godot_mp_weigh(gw_godot_mp_evidence *evidence, const gw_godot_mp_reader *reader,
                       const gw_godot_mp_event *event);
/* After the last event or a fault, or where the caller stops reading: true when the message, of `wire_length` bytes, is
 * one that an engine writes, or the bytes read are the beginning of one. */
bool gw_godot_mp_is_possible(const gw_godot_mp_evidence *evidence, const gw_godot_mp_reader *reader,
                             size_t wire_length);

/* ---- printing ------------------------------------------------------------------------------------------ */

/* A message as one line: `RPC take_damage(12, "sword") on Main/Player2`, `Spawn "Player2" #3`, `Path #6 = Main`. The
 * meaning of ids is in other packets; without it: `RPC method 3(12) on #6`. */
void gw_godot_mp_print(gw_text *text, const uint8_t *bytes, size_t length, const gw_godot_mp_options *options);

/* A path of more bytes is long. */
#define GW_GODOT_MP_PATH_END 32u

/* The way of a relayed message, which is not in its bytes: a client's is for the peer that it names, a server's is from
 * it. */
typedef enum gw_godot_mp_way {
    GW_GODOT_MP_WAY_UNKNOWN,
    GW_GODOT_MP_TO_SERVER,
    GW_GODOT_MP_FROM_SERVER
} gw_godot_mp_way;

/* The same, event by event, for a caller that knows the names. Print each event in order, and after it its parts. */
typedef struct gw_godot_mp_printer {
    gw_text *text;
    const char *node;      /* the caller's name for the node id, or NULL */
    const char *separator; /* before the next value */
    const char *value;     /* the caller's text of the value whose event comes next; NULL: it is printed here */
    gw_span path;          /* of the node, where the packet has it */
    int64_t id;            /* of the node or path */
    bool has_node;
    bool named;       /* `path` is set */
    bool called;      /* a parenthesis is open */
    bool differs;     /* a confirmation of another checksum */
    bool data;        /* something was printed of RAW or AUTH */
    bool short_paths; /* set by the caller: of a long path only the end is printed: `…/Room/Door` */
    gw_godot_mp_way
        way; /* set by the caller: "Relay to client 7: ", "Relay from client 7: "; without it "Relay client 7: " */
} gw_godot_mp_printer;

/* Starts a line; `text` must exist as long as events are printed. */
void gw_godot_mp_printer_init(gw_godot_mp_printer *printer, gw_text *text);
/* `name`: the meaning of the event's number, or NULL: the path of NODE_ID, PATH_ID (of a confirmation) or NET_ID; the
 * method's of METHOD_ID; the scene's of SCENE; the property's of STATE and VALUE; the player's of PEER, ASSIGNED and
 * RELAY_PEER. It must stay until the packet's CLOSE. */
void gw_godot_mp_print_event(gw_godot_mp_printer *printer, const gw_godot_mp_reader *reader,
                             const gw_godot_mp_event *event, const char *name);
/* One value, or BYTES: `12`, `"sword"`, `PackedByteArray(1, 2)`. */
void gw_godot_mp_print_value(gw_text *text, const gw_godot_mp_reader *reader, const gw_godot_mp_event *event);

#ifdef __cplusplus
}
#endif

#endif
