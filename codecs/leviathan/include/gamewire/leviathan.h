/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The UDP packets of the Leviathan game engine, version 0.8.0.0.
 *
 * A datagram is a normal packet ("Ln": a header with acks, then messages) or an ack-only packet ("La"). Each
 * message is a request or a response of one of the engine's types; its fields follow without a length, so the
 * bytes after a message of unknown type cannot be split.
 *
 * The engine writes with sf::Packet: integers and lengths are big-endian; floats are copied from memory,
 * little-endian on every machine that the engine runs on.
 *
 * Facts marked "observed" were seen in bytes that the engine's own classes wrote; "source" means the engine's
 * public history; "documentation" means its page "Format of Leviathan packets".
 *
 * Offsets and lengths are bytes from the start of the caller's input. The input must stay unchanged while events
 * that point into it are used. Nothing allocates, recurses or keeps the input.
 */
#ifndef GAMEWIRE_LEVIATHAN_H
#define GAMEWIRE_LEVIATHAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gamewire/faults.h>
#include <gamewire/output.h>
#include <gamewire/recognition.h>
#include <gamewire/status.h>
#include <gamewire/text.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GW_LEVIATHAN_NORMAL_PACKET   UINT16_C(0x4C6E) /* "Ln" */
#define GW_LEVIATHAN_ACK_ONLY_PACKET UINT16_C(0x4C61) /* "La" */

#define GW_LEVIATHAN_REQUEST  UINT8_C(0x28)
#define GW_LEVIATHAN_RESPONSE UINT8_C(0x12)

/* Limits that the engine keeps when it sends (source). */
#define GW_LEVIATHAN_MOST_ACK_BYTES         4    /* 32 acks in one packet */
#define GW_LEVIATHAN_MOST_ACK_ONLY_IDS      4    /* by the documentation; the engine sends 1 to 3 */
#define GW_LEVIATHAN_MOST_COMPONENTS        1000 /* of one entity; its reader rejects more */
#define GW_LEVIATHAN_FIRST_PACKET_ID        1001 /* since 2018-12-09; 1 before and in the documentation */
#define GW_LEVIATHAN_CHECK_VALUE            42
#define GW_LEVIATHAN_FIRST_CUSTOM_COMPONENT 10000

/* ---- the tables ---------------------------------------------------------------------------------------- */

/* Type numbers are positions in the engine's enumerations. Types were added and removed while the version stayed
 * 0.8.0.0, so the meaning of a number depends on the engine's date, its revision (source). Requests 0..9 and
 * responses 0..17 are the same in all revisions. */
typedef enum gw_leviathan_revision {
    GW_LEVIATHAN_SINCE_2018_12_09, /* the newest, unchanged in 2022 */
    GW_LEVIATHAN_SINCE_2018_12_08, /* without EntityLocalControlStatus */
    GW_LEVIATHAN_SINCE_2018_11_30, /* None after Custom */
    GW_LEVIATHAN_SINCE_2018_11_18, /* EntityCreation without EntityID and ComponentCount */
    GW_LEVIATHAN_SINCE_2018_10_30, /* without JoinGame and StartWorldReceive */
    GW_LEVIATHAN_SINCE_2017_04_05, /* with EntityConstraint; the first one with these packets */
    GW_LEVIATHAN_REVISIONS
} gw_leviathan_revision;

/* Wire types, as sf::Packet writes them. */
typedef enum gw_leviathan_type {
    GW_LEVIATHAN_NO_TYPE, /* an item that consists of others, or bytes that cannot be split */
    GW_LEVIATHAN_U8,
    GW_LEVIATHAN_BOOL, /* one byte, any nonzero is true (observed) */
    GW_LEVIATHAN_U16,
    GW_LEVIATHAN_U32,
    GW_LEVIATHAN_I32,
    GW_LEVIATHAN_U64,
    GW_LEVIATHAN_FLOAT3,
    GW_LEVIATHAN_FLOAT4,
    GW_LEVIATHAN_BITS,       /* acks: the u8 before is the number of bytes */
    GW_LEVIATHAN_IDS,        /* acks: the u8 before is the number of u32 ids */
    GW_LEVIATHAN_STRING,     /* u32 count of bytes, then those; no terminator, may hold NUL */
    GW_LEVIATHAN_NESTED,     /* an sf::Packet with the application's data: encoded like a string */
    GW_LEVIATHAN_STATES,     /* a nested packet: component states up to its end */
    GW_LEVIATHAN_COMPONENTS, /* a nested packet: components; the u32 before is their number */
    GW_LEVIATHAN_REST,       /* the application's bytes, up to the end of the datagram */
    GW_LEVIATHAN_TYPES
} gw_leviathan_type;

/* Every item of a datagram; `role` of events. A field that several messages have is the same item in each. */
typedef enum gw_leviathan_role {
    GW_LEVIATHAN_ROLE_NONE, /* ends a list of fields */

    /* Items that consist of others: a GW_OPEN and a GW_CLOSE event. */
    GW_LEVIATHAN_ROLE_PACKET,
    GW_LEVIATHAN_ROLE_ACK_ONLY,
    GW_LEVIATHAN_ROLE_MESSAGE,
    GW_LEVIATHAN_ROLE_COMPONENT,

    /* Bytes that cannot be split: GW_OPAQUE events. */
    GW_LEVIATHAN_ROLE_BLOB_REST, /* of a nested packet: from a component that cannot be read to the end */
    GW_LEVIATHAN_ROLE_TRAILING,  /* after the last message, or after an ack-only packet */

    /* Headers. */
    GW_LEVIATHAN_ROLE_PACKET_TYPE,
    GW_LEVIATHAN_ROLE_PACKET_ID,
    GW_LEVIATHAN_ROLE_START_ACK,
    GW_LEVIATHAN_ROLE_ACK_COUNT, /* bytes */
    GW_LEVIATHAN_ROLE_PACKED_ACKS,
    GW_LEVIATHAN_ROLE_MESSAGE_COUNT,
    GW_LEVIATHAN_ROLE_ACK_ONLY_COUNT, /* ids */
    GW_LEVIATHAN_ROLE_ACK_ONLY_IDS,
    GW_LEVIATHAN_ROLE_MESSAGE_KIND,
    GW_LEVIATHAN_ROLE_MESSAGE_NUMBER,
    GW_LEVIATHAN_ROLE_REQUEST_TYPE,
    GW_LEVIATHAN_ROLE_RESPONSE_TYPE,
    GW_LEVIATHAN_ROLE_RESPONSE_TO,

    /* Fields of requests and responses. */
    GW_LEVIATHAN_ROLE_CHECK,
    GW_LEVIATHAN_ROLE_SECURE_TYPE,
    GW_LEVIATHAN_ROLE_PUBLIC_KEY,
    GW_LEVIATHAN_ROLE_ADDITIONAL_SETTINGS,
    GW_LEVIATHAN_ROLE_ENCRYPTED_SYMMETRIC_KEY,
    GW_LEVIATHAN_ROLE_USER_NAME,
    GW_LEVIATHAN_ROLE_AUTH_TOKEN,
    GW_LEVIATHAN_ROLE_AUTH_PASSWD,
    GW_LEVIATHAN_ROLE_USER_ID,
    GW_LEVIATHAN_ROLE_USER_TOKEN,
    GW_LEVIATHAN_ROLE_DDOS_BLOCK,
    GW_LEVIATHAN_ROLE_USER_READABLE_DATA,
    GW_LEVIATHAN_ROLE_GAME_NAME,
    GW_LEVIATHAN_ROLE_GAME_VERSION,
    GW_LEVIATHAN_ROLE_ENGINE_VERSION,
    GW_LEVIATHAN_ROLE_SESSION_TOKEN,
    GW_LEVIATHAN_ROLE_TOKEN,
    GW_LEVIATHAN_ROLE_MASTER_SERVER_TOKEN,
    GW_LEVIATHAN_ROLE_JOIN_OPTIONS,
    GW_LEVIATHAN_ROLE_NAME_OF_VALUE,
    GW_LEVIATHAN_ROLE_COMMAND,
    GW_LEVIATHAN_ROLE_DATA_FOR_OBJECT,
    GW_LEVIATHAN_ROLE_WORLD_ID,
    GW_LEVIATHAN_ROLE_TICKS,
    GW_LEVIATHAN_ROLE_ENGINE_MS_TWEAK,
    GW_LEVIATHAN_ROLE_ABSOLUTE,
    GW_LEVIATHAN_ROLE_TYPE_ID_NUMBER,
    GW_LEVIATHAN_ROLE_IS_REQUEST,
    GW_LEVIATHAN_ROLE_APPLICATION_DATA,
    GW_LEVIATHAN_ROLE_INVALIDNESS,
    GW_LEVIATHAN_ROLE_ADDITIONAL_INFO,
    GW_LEVIATHAN_ROLE_MESSAGE_TEXT,
    GW_LEVIATHAN_ROLE_REASON,
    GW_LEVIATHAN_ROLE_SERVER_ACCEPTED_WHAT,
    GW_LEVIATHAN_ROLE_SERVER_NAME,
    GW_LEVIATHAN_ROLE_JOINABLE,
    GW_LEVIATHAN_ROLE_JOIN_RESTRICTION,
    GW_LEVIATHAN_ROLE_SERVER_STATUS,
    GW_LEVIATHAN_ROLE_PLAYERS,
    GW_LEVIATHAN_ROLE_MAX_PLAYERS,
    GW_LEVIATHAN_ROLE_BOTS,
    GW_LEVIATHAN_ROLE_ADDITIONAL_FLAGS,
    GW_LEVIATHAN_ROLE_SUCCEEDED,
    GW_LEVIATHAN_ROLE_RESOURCE_DATA, /* OurCustomData of SyncResourceData: a string */
    GW_LEVIATHAN_ROLE_INPUT_DATA,    /* OurCustomData of CreateNetworkedInput: a nested packet */
    GW_LEVIATHAN_ROLE_INPUT_ID,
    GW_LEVIATHAN_ROLE_INPUT_UPDATE,
    GW_LEVIATHAN_ROLE_OWNER_ID,
    GW_LEVIATHAN_ROLE_WORLD_TYPE,
    GW_LEVIATHAN_ROLE_EXTRA_OPTIONS,
    GW_LEVIATHAN_ROLE_ENTITY_ID,
    GW_LEVIATHAN_ROLE_COMPONENT_COUNT,
    GW_LEVIATHAN_ROLE_INITIAL_COMPONENTS,
    GW_LEVIATHAN_ROLE_OLD_INITIAL_DATA, /* InitialComponentData before 2018-11-30 */
    GW_LEVIATHAN_ROLE_TICK_NUMBER,
    GW_LEVIATHAN_ROLE_REFERENCE_TICK,
    GW_LEVIATHAN_ROLE_UPDATE_DATA,
    GW_LEVIATHAN_ROLE_ENABLED,
    GW_LEVIATHAN_ROLE_CACHE_NAME,
    GW_LEVIATHAN_ROLE_FROZEN,
    GW_LEVIATHAN_ROLE_CREATE,
    GW_LEVIATHAN_ROLE_CONSTRAINT_ID,
    GW_LEVIATHAN_ROLE_ENTITY_ID_1,
    GW_LEVIATHAN_ROLE_ENTITY_ID_2,
    GW_LEVIATHAN_ROLE_CONSTRAINT_TYPE,
    GW_LEVIATHAN_ROLE_CONSTRAINT_DATA,

    /* Fields of components. */
    GW_LEVIATHAN_ROLE_COMPONENT_TYPE,
    GW_LEVIATHAN_ROLE_POSITION,
    GW_LEVIATHAN_ROLE_ORIENTATION,
    GW_LEVIATHAN_ROLE_SIZES,
    GW_LEVIATHAN_ROLE_MATERIAL,
    GW_LEVIATHAN_ROLE_FOV,
    GW_LEVIATHAN_ROLE_SOUND_PERCEIVER,

    GW_LEVIATHAN_ROLES
} gw_leviathan_role;

/* One value of an enumeration. */
typedef struct gw_leviathan_name {
    int32_t value;
    const char *name; /* NULL ends the list */
} gw_leviathan_name;

typedef struct gw_leviathan_field_type {
    const char *name;               /* the engine's, such as "EngineMSTweak"; the documentation's for headers */
    uint8_t type;                   /* gw_leviathan_type */
    bool closed;                    /* an enumeration: only the values in `names` are valid */
    const gw_leviathan_name *names; /* of some values; NULL: none has a name */
} gw_leviathan_field_type;

/* For role < GW_LEVIATHAN_ROLES. */
const gw_leviathan_field_type *gw_leviathan_field_of(gw_leviathan_role role);
/* The name of a value in one of the lists above, or NULL. */
const char *gw_leviathan_name_of(const gw_leviathan_name *names, int64_t value);

#define GW_LEVIATHAN_REQUEST_TYPES 18
/* The newest engine's 30, followed by those that only older revisions had. */
#define GW_LEVIATHAN_RESPONSE_TYPES        32
#define GW_LEVIATHAN_NEWEST_RESPONSE_TYPES 30

/* Message ids (see below) that change the state of a connection. */
#define GW_LEVIATHAN_CONNECT          0 /* request and response */
#define GW_LEVIATHAN_CLOSE_CONNECTION 5 /* response */

/* A type of request or response. `id` is its number in the newest revision (30 and 31: EntityConstraint and
 * the old EntityCreation); the number on the wire may differ. */
typedef struct gw_leviathan_message_type {
    const char *name;
    uint8_t id;
    bool loadable;     /* known to the engine's own reader, which drops packets with other types (source) */
    uint8_t fields[9]; /* gw_leviathan_role, in wire order, ended by GW_LEVIATHAN_ROLE_NONE */
} gw_leviathan_message_type;

/* By id; NULL when there is no such type. `kind` is GW_LEVIATHAN_REQUEST or GW_LEVIATHAN_RESPONSE. */
const gw_leviathan_message_type *gw_leviathan_message_of(uint8_t kind, uint32_t id);
/* By number on the wire; NULL when this revision has no such type. */
const gw_leviathan_message_type *gw_leviathan_message_of_wire(gw_leviathan_revision revision, uint8_t kind,
                                                              uint32_t wire_type);
/* How many numbers, from 0, the revision uses. */
uint32_t gw_leviathan_wire_types(gw_leviathan_revision revision, uint8_t kind);

/* A type of component. Lists as gw_leviathan_message_type.fields; NULL if there is no such form, or it is unknown. */
typedef struct gw_leviathan_component_type {
    const char *name;
    const uint8_t *state;   /* in EntityUpdate */
    const uint8_t *initial; /* in EntityCreation */
} gw_leviathan_component_type;

/* NULL for numbers that the engine itself does not use. */
const gw_leviathan_component_type *gw_leviathan_component_of(uint32_t wire_type);

/* ---- reading ------------------------------------------------------------------------------------------- */

/* Oddities of an item that could be read. */
typedef enum gw_leviathan_odd {
    GW_LEVIATHAN_ODD_PACKET_ID = 1 << 0,            /* packet id 0, which the sender never uses */
    GW_LEVIATHAN_ODD_ACK_COUNT = 1 << 1,            /* no ack bytes, or more than the engine sends */
    GW_LEVIATHAN_ODD_ACK_BITS = 1 << 2,             /* the first bit is clear, or the last byte 0 */
    GW_LEVIATHAN_ODD_ACK_ONLY_COUNT = 1 << 3,       /* 0, or more than the engine sends */
    GW_LEVIATHAN_ODD_ACK_ONLY_IDS = 1 << 4,         /* not ascending, or one is 0 */
    GW_LEVIATHAN_ODD_IGNORED = 1 << 5,              /* an ack-only block after a packet: never read by
                                                       the engine, whose sender leaves it there (observed) */
    GW_LEVIATHAN_ODD_TRAILING = 1 << 6,             /* bytes after the last message */
    GW_LEVIATHAN_ODD_NO_MESSAGES = 1 << 7,          /* bytes left in a packet that declares no messages */
    GW_LEVIATHAN_ODD_MESSAGE_NUMBER = 1 << 8,       /* 0: they start at 1 */
    GW_LEVIATHAN_ODD_NOT_LOADABLE = 1 << 9,         /* the engine's reader does not support the type */
    GW_LEVIATHAN_ODD_NOT_SPLIT = 1 << 10,           /* the packet declares further messages in these bytes */
    GW_LEVIATHAN_ODD_CHECK = 1 << 11,               /* another check value than 42: such a response is ignored */
    GW_LEVIATHAN_ODD_ENUMERATION = 1 << 12,         /* no such value */
    GW_LEVIATHAN_ODD_BOOL = 1 << 13,                /* neither 0 nor 1 */
    GW_LEVIATHAN_ODD_UTF8 = 1 << 14,                /* text is not UTF-8 */
    GW_LEVIATHAN_ODD_NUL = 1 << 15,                 /* NUL inside text */
    GW_LEVIATHAN_ODD_COMPONENT_COUNT = 1 << 16,     /* more than the engine's reader accepts */
    GW_LEVIATHAN_ODD_COMPONENTS = 1 << 17,          /* GW_CLOSE: fewer components than declared */
    GW_LEVIATHAN_ODD_COMPONENT_REST = 1 << 18,      /* bytes after the last component */
    GW_LEVIATHAN_ODD_COMPONENT_TRUNCATED = 1 << 19, /* a component is longer than its nested packet */
    GW_LEVIATHAN_ODD_COMPONENT_UNKNOWN = 1 << 20,   /* no such type, or one that is never sent in this form */
    GW_LEVIATHAN_ODD_COMPONENT_CUSTOM = 1 << 21     /* the application's own: its length is unknown */
} gw_leviathan_odd;

#define GW_LEVIATHAN_ODDS 22

/* Which members are set, by kind (and type):
 *
 *   kind       type              header        payload                       number  meaning
 *   GW_VALUE   integers, BOOL    empty         the number                    yes     a field
 *   GW_VALUE   STRING, NESTED    u32 length    the bytes                     0       a field
 *   GW_VALUE   REST              empty         the bytes                     0       application data
 *   GW_PACKED  FLOAT3, FLOAT4    empty         3 or 4 floats                 0       _float_at() reads them
 *   GW_PACKED  BITS              empty         ack bits                      0       gw_leviathan_acks reads them
 *   GW_PACKED  IDS               empty         u32 ids                       0       gw_be32() reads each
 *   GW_OPEN    NO_TYPE           empty         up to the end of the input    0       packet, message, component
 *   GW_OPEN    STATES,           u32 length    the nested packet             0       nested packet of components
 *              COMPONENTS
 *   GW_CLOSE   as its GW_OPEN    empty         the whole item                0       same depth, index and role
 *   GW_OPAQUE  NO_TYPE           empty         the bytes                     0       `odd` has the reason
 *
 * kind, role, type, depth, index and odd are set in all. Nothing in this format is padded. */
typedef struct gw_leviathan_event {
    uint8_t kind;   /* gw_kind */
    uint8_t role;   /* gw_leviathan_role */
    uint8_t type;   /* gw_leviathan_type */
    uint8_t depth;  /* 0 for packets */
    uint32_t index; /* in its parent */
    uint32_t odd;   /* bits of gw_leviathan_odd */
    gw_span header;
    gw_span payload;
    int64_t number; /* a u64 as the same bits */
} gw_leviathan_event;

/* Number `index` of a FLOAT3 or FLOAT4, little-endian; `index` must be below payload.length / 4. */
float gw_leviathan_float_at(const uint8_t *bytes, const gw_leviathan_event *event, uint32_t index);

typedef enum gw_leviathan_fault {
    GW_LEVIATHAN_FAULT_NONE,
    GW_LEVIATHAN_FAULT_FIELD_TRUNCATED,  /* truncated: inside a number or a length */
    GW_LEVIATHAN_FAULT_ACKS_TRUNCATED,   /* truncated: the ack count exceeds the bytes left */
    GW_LEVIATHAN_FAULT_IDS_TRUNCATED,    /* truncated: the count of ids exceeds the bytes left */
    GW_LEVIATHAN_FAULT_MESSAGES_MISSING, /* truncated: fewer messages than declared */
    GW_LEVIATHAN_FAULT_STRING_TRUNCATED, /* truncated: a string is longer than the bytes left */
    GW_LEVIATHAN_FAULT_NESTED_TRUNCATED, /* truncated: a nested packet is longer than the bytes left */
    GW_LEVIATHAN_FAULT_PACKET_UNKNOWN,   /* unsupported: neither "Ln" nor "La" */
    GW_LEVIATHAN_FAULT_MESSAGE_UNKNOWN,  /* unsupported: neither request nor response */
    GW_LEVIATHAN_FAULT_REQUEST_UNKNOWN,  /* unsupported: no such request in this revision */
    GW_LEVIATHAN_FAULT_RESPONSE_UNKNOWN, /* unsupported: no such response in this revision */
    GW_LEVIATHAN_FAULT_TOO_LONG,         /* limit: input longer than GW_LONGEST_INPUT */
    GW_LEVIATHAN_FAULTS
} gw_leviathan_fault;

/* The sentences for gw_leviathan_fault and gw_leviathan_odd. */
extern const gw_fault_table gw_leviathan_faults;

/* Which packet an ack bit acknowledges: the engine has always written and read start + index (observed); its
 * documentation says start + index + 1. */
typedef enum gw_leviathan_ack_reading {
    GW_LEVIATHAN_ACKS_AS_ENGINE = 0,
    GW_LEVIATHAN_ACKS_AS_DOCUMENTED = 1
} gw_leviathan_ack_reading;

/* All zero is the default: the newest revision, acks as the engine reads them, from the start of the input. */
typedef struct gw_leviathan_options {
    gw_leviathan_revision revision;
    gw_leviathan_ack_reading acks; /* for printing */
    uint32_t offset;               /* where in the input the datagram starts */
} gw_leviathan_options;

/* The header of the message that is being read; a member is valid once its event was returned. */
typedef struct gw_leviathan_message {
    uint8_t kind; /* GW_LEVIATHAN_REQUEST or GW_LEVIATHAN_RESPONSE */
    uint16_t wire_type;
    uint32_t number;
    uint32_t response_to;                  /* 0 for requests */
    const gw_leviathan_message_type *type; /* NULL: unknown */
} gw_leviathan_message;

/* One item that is open. */
typedef struct gw_leviathan_scope {
    const uint8_t *fields; /* those still to be read */
    uint32_t start;
    uint32_t index; /* of its next part */
    uint32_t left;  /* lists of fields, messages or components still to come */
    uint8_t role;
} gw_leviathan_scope;

/* Datagram, packet, message, nested packet, component. */
#define GW_LEVIATHAN_DEPTH 5

/* All of the reader's memory. Read `offset`, `message` and `fault`; the rest is the reader's own. Work is bounded by
 * the input: each call consumes a byte or closes an item. */
typedef struct gw_leviathan_reader {
    const uint8_t *bytes;
    uint32_t length;
    uint32_t offset; /* position: all before it has been consumed */
    uint32_t start;  /* options.offset */
    uint32_t end;    /* of the nested packet of components while in one, else of the input */
    uint32_t component_count;
    uint8_t depth;    /* scopes[depth] is the innermost */
    uint8_t revision; /* gw_leviathan_revision */
    uint8_t messages; /* that the packet declared */
    bool ended;
    gw_leviathan_message message;
    gw_fault fault;
    gw_leviathan_scope scopes[GW_LEVIATHAN_DEPTH];
} gw_leviathan_reader;

/* `options` may be NULL. Inputs longer than GW_LONGEST_INPUT are rejected by the first gw_leviathan_next(). */
void gw_leviathan_init(gw_leviathan_reader *reader, const uint8_t *bytes, size_t length,
                       const gw_leviathan_options *options);
/* After GW_NEXT_FAULT see reader.fault; the events before it remain valid, and open items stay open. */
gw_next gw_leviathan_next(gw_leviathan_reader *reader, gw_leviathan_event *event);

/* ---- acks ---------------------------------------------------------------------------------------------- */

/* Iterates over the packet ids of an ack field, ascending modulo 2^32. */
typedef struct gw_leviathan_acks {
    const uint8_t *bytes;
    uint32_t count; /* of bytes */
    uint32_t start; /* the id of bit 0 */
    uint32_t bit;   /* the next to test */
} gw_leviathan_acks;

/* `count` bytes of bits, which must exist as long as ids are read; `reading` says which id the first bit is. */
void gw_leviathan_acks_init(gw_leviathan_acks *acks, uint32_t start_ack, const uint8_t *bytes, uint32_t count,
                            gw_leviathan_ack_reading reading);
/* False at the end. Otherwise `acks->bit - 1` is the bit of this id. */
bool gw_leviathan_acks_next(gw_leviathan_acks *acks, uint32_t *id);

/* ---- validating ---------------------------------------------------------------------------------------- */

typedef struct gw_leviathan_summary {
    uint32_t length;   /* bytes read, from options.offset on */
    uint32_t messages; /* that could be read to their end */
    uint32_t blocks;   /* ack-only blocks after the packet, the same */
    uint32_t trailing; /* bytes after those */
    gw_fault fault;    /* fault_class GW_FAULT_NONE when the datagram could be read to its end */
} gw_leviathan_summary;

/* Reads to the end or to the first fault. True when there is no fault. `options` may be NULL. */
bool gw_leviathan_validate(const uint8_t *bytes, size_t length, const gw_leviathan_options *options,
                           gw_leviathan_summary *summary);

/* How strongly a payload indicates Leviathan (common/recognition.h); returns recognition->possible. `captured` of
 * its `wire_length` bytes are in `bytes`; options.offset is not used. A payload is possible if it begins as a packet of
 * the engine does: "Ln" or "La" and an id below 2^24. With a larger id it is possible, without bits, if the whole
 * packet is as the engine writes it. There is one reading. */
bool gw_leviathan_recognize(const uint8_t *bytes, size_t captured, size_t wire_length,
                            const gw_leviathan_options *options, gw_recognition *recognition);

/* A quick first test for heuristics: "Ln" or "La", and the first byte of the (first) packet id, as far as it was
 * captured, is 0. False for payloads with larger ids, which are no evidence. */
static inline bool gw_leviathan_may_begin(const uint8_t *bytes, size_t captured)
{
    if (captured < 2 || bytes[0] != 'L')
        return false;
    if (bytes[1] == 'n')
        return captured < 3 || !bytes[2];
    return bytes[1] == 'a' && (captured < 4 || !bytes[2] || !bytes[3]);
}

/* ---- printing ------------------------------------------------------------------------------------------ */

/* One line from the events of a datagram: "1002  Response Connect #2 → #1, acks 1001". */
typedef struct gw_leviathan_printer {
    gw_text *text;
    gw_leviathan_ack_reading reading; /* may be changed until gw_leviathan_print_end() */
    uint32_t start_ack;
    const char *separator; /* before the next part */
    bool any_message;
    gw_span acks;
    uint32_t blocks; /* ack-only blocks after the packet */
} gw_leviathan_printer;

/* Starts a line; `text` must exist as long as events are printed. `options` may be NULL. */
void gw_leviathan_printer_init(gw_leviathan_printer *printer, gw_text *text, const gw_leviathan_options *options);
/* Once for each event, in order. */
void gw_leviathan_print_event(gw_leviathan_printer *printer, const gw_leviathan_reader *reader,
                              const gw_leviathan_event *event);
/* After the last event. */
void gw_leviathan_print_end(gw_leviathan_printer *printer, const gw_leviathan_reader *reader);

/* Prints a whole datagram. `options` may be NULL. */
void gw_leviathan_print(gw_text *text, const uint8_t *bytes, size_t length, const gw_leviathan_options *options);

/* "Response Connect #2 → #1"; a number past Custom is "Custom(+1)", as the engine prints it (source). */
void gw_leviathan_print_message(gw_text *text, const gw_leviathan_message *message, gw_leviathan_revision revision);
/* "1001-1004, 1010", or "none". */
void gw_leviathan_print_acks(gw_text *text, gw_leviathan_acks acks);
/* The same of `count` big-endian ids. */
void gw_leviathan_print_ids(gw_text *text, const uint8_t *ids, uint32_t count);

/* ---- writing ------------------------------------------------------------------------------------------- */

/* One field's value; its wire type decides which members are used. */
typedef struct gw_leviathan_value {
    int64_t number;
    const void *bytes; /* of strings, nested packets, application data */
    uint32_t length;
    float floats[4];
} gw_leviathan_value;

/* The header of a normal packet. `acked` is ascending; ids more than 2,039 above the first do not fit the field and
 * are omitted. In the documented reading an ack of packet 1 alone cannot be written: the start ack would be 0. */
void gw_leviathan_write_packet(gw_output *output, uint32_t packet_id, const uint32_t *acked, size_t acked_count,
                               gw_leviathan_ack_reading reading, uint8_t message_count);
/* A packet "La" with `count` ids, big-endian on the wire. */
void gw_leviathan_write_ack_only(gw_output *output, const uint32_t *ids, uint8_t count);
/* Header and fields: message->type must not be NULL, and message->wire_type is its number in the receiver's revision
 * (in the newest, type->id). `values` are in the order of the type's fields. Of numbers the low bits are written. */
void gw_leviathan_write_message(gw_output *output, const gw_leviathan_message *message,
                                const gw_leviathan_value *values);
/* For the bytes of STATES (`fields` is the component type's `state`) and COMPONENTS (its `initial`), which are NULL for
 * types that have none: `fields` must not be. */
void gw_leviathan_write_component(gw_output *output, uint16_t wire_type, const uint8_t *fields,
                                  const gw_leviathan_value *values);

#ifdef __cplusplus
}
#endif

#endif
