/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The UDP packets of the Leviathan game engine, version 0.8.0.0.
 *
 * A datagram is a normal packet ("Ln": a header with acks, then messages) or an ack-only packet ("La"). Each
 * message is a request or a response of one of the engine's types; its fields follow without any length, so
 * that behind a message of unknown type nothing more can be split.
 *
 * The engine writes with sf::Packet: integers and lengths are big-endian, floats are copied as they lie in
 * memory, little-endian on every machine that it runs on.
 *
 * Facts marked "observed" were seen in bytes that the engine's own classes wrote; "source" ones were read in
 * the engine's public history; "documentation" means its page "Format of Leviathan packets".
 *
 * Offsets and lengths are bytes from the start of the caller's input, which must stay as it is while events
 * that point into it are used. Nothing allocates, recurses or keeps the input.
 */
#ifndef GAMEWIRE_LEVIATHAN_H
#define GAMEWIRE_LEVIATHAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gamewire/output.h>
#include <gamewire/status.h>
#include <gamewire/text.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GW_LEVIATHAN_NORMAL_PACKET   UINT16_C(0x4C6E) /* "Ln" */
#define GW_LEVIATHAN_ACK_ONLY_PACKET UINT16_C(0x4C61) /* "La" */

#define GW_LEVIATHAN_REQUEST  UINT8_C(0x28)
#define GW_LEVIATHAN_RESPONSE UINT8_C(0x12)

/* What the engine keeps to when it sends (source). */
#define GW_LEVIATHAN_MOST_ACK_BYTES         4    /* 32 acks in one packet */
#define GW_LEVIATHAN_MOST_ACK_ONLY_IDS      4    /* with more it sends a normal packet instead (documentation) */
#define GW_LEVIATHAN_MOST_COMPONENTS        1000 /* of one entity; its reader refuses more */
#define GW_LEVIATHAN_FIRST_PACKET_ID        1001 /* since 2018-12-09; 1 before and in the documentation */
#define GW_LEVIATHAN_CHECK_VALUE            42
#define GW_LEVIATHAN_FIRST_CUSTOM_COMPONENT 10000

/* ---- the tables ---------------------------------------------------------------------------------------- */

/* Types are numbered by their place in the engine's enumerations, and types came and went while the version
 * stayed 0.8.0.0: a number means something only together with the engine's date (source). Requests 0..9 and
 * responses 0..17 are the same in all. */
typedef enum gw_leviathan_numbering {
    GW_LEVIATHAN_SINCE_2018_12_09, /* the newest, still so in 2022 */
    GW_LEVIATHAN_SINCE_2018_12_08, /* without EntityLocalControlStatus */
    GW_LEVIATHAN_SINCE_2018_11_30, /* None behind Custom */
    GW_LEVIATHAN_SINCE_2018_11_18, /* EntityCreation without EntityID and ComponentCount */
    GW_LEVIATHAN_SINCE_2018_10_30, /* without JoinGame and StartWorldReceive */
    GW_LEVIATHAN_SINCE_2017_04_05, /* with EntityConstraint; the first one with these packets */
    GW_LEVIATHAN_NUMBERINGS
} gw_leviathan_numbering;

/* Wire types, as sf::Packet writes them. */
typedef enum gw_leviathan_type {
    GW_LEVIATHAN_NO_TYPE, /* of an item that is made of others, or of bytes nobody can read */
    GW_LEVIATHAN_U8,
    GW_LEVIATHAN_BOOL, /* one byte, any nonzero is true (observed) */
    GW_LEVIATHAN_U16,
    GW_LEVIATHAN_U32,
    GW_LEVIATHAN_I32,
    GW_LEVIATHAN_U64,
    GW_LEVIATHAN_FLOAT3,
    GW_LEVIATHAN_FLOAT4,
    GW_LEVIATHAN_BITS,       /* acks: as many bytes as the u8 before says */
    GW_LEVIATHAN_IDS,        /* acks: as many u32 as the u8 before says */
    GW_LEVIATHAN_STRING,     /* u32 count of bytes, then those; no terminator, may hold NUL */
    GW_LEVIATHAN_NESTED,     /* an sf::Packet in this one, of the application's making: like a string */
    GW_LEVIATHAN_STATES,     /* a nested packet that holds component states up to its end */
    GW_LEVIATHAN_COMPONENTS, /* a nested packet that holds as many components as the u32 before says */
    GW_LEVIATHAN_REST,       /* the application's bytes, up to the end of the datagram */
    GW_LEVIATHAN_TYPES
} gw_leviathan_type;

/* Every kind of item in a datagram. A field that several messages have is the same item in each. */
typedef enum gw_leviathan_field {
    GW_LEVIATHAN_NO_FIELD, /* ends a list of fields */

    /* Items made of others: an OPEN and a CLOSE event. */
    GW_LEVIATHAN_PACKET,
    GW_LEVIATHAN_ACK_ONLY,
    GW_LEVIATHAN_MESSAGE,
    GW_LEVIATHAN_COMPONENT,

    /* Bytes that cannot be split: OPAQUE events. */
    GW_LEVIATHAN_BLOB_REST, /* of a nested packet, from a component on that cannot be read */
    GW_LEVIATHAN_TRAILING,  /* behind the last message, or behind an ack-only packet */

    /* Headers. */
    GW_LEVIATHAN_PACKET_TYPE,
    GW_LEVIATHAN_PACKET_ID,
    GW_LEVIATHAN_START_ACK,
    GW_LEVIATHAN_ACK_COUNT, /* bytes */
    GW_LEVIATHAN_PACKED_ACKS,
    GW_LEVIATHAN_MESSAGE_COUNT,
    GW_LEVIATHAN_ACK_ONLY_COUNT, /* ids */
    GW_LEVIATHAN_ACK_ONLY_IDS,
    GW_LEVIATHAN_MESSAGE_KIND,
    GW_LEVIATHAN_MESSAGE_NUMBER,
    GW_LEVIATHAN_REQUEST_TYPE,
    GW_LEVIATHAN_RESPONSE_TYPE,
    GW_LEVIATHAN_RESPONSE_TO,

    /* Fields of requests and responses. */
    GW_LEVIATHAN_CHECK,
    GW_LEVIATHAN_SECURE_TYPE,
    GW_LEVIATHAN_PUBLIC_KEY,
    GW_LEVIATHAN_ADDITIONAL_SETTINGS,
    GW_LEVIATHAN_ENCRYPTED_SYMMETRIC_KEY,
    GW_LEVIATHAN_USER_NAME,
    GW_LEVIATHAN_AUTH_TOKEN,
    GW_LEVIATHAN_AUTH_PASSWD,
    GW_LEVIATHAN_USER_ID,
    GW_LEVIATHAN_USER_TOKEN,
    GW_LEVIATHAN_DDOS_BLOCK,
    GW_LEVIATHAN_USER_READABLE_DATA,
    GW_LEVIATHAN_GAME_NAME,
    GW_LEVIATHAN_GAME_VERSION,
    GW_LEVIATHAN_ENGINE_VERSION,
    GW_LEVIATHAN_SESSION_TOKEN,
    GW_LEVIATHAN_TOKEN,
    GW_LEVIATHAN_MASTER_SERVER_TOKEN,
    GW_LEVIATHAN_JOIN_OPTIONS,
    GW_LEVIATHAN_NAME_OF_VALUE,
    GW_LEVIATHAN_COMMAND,
    GW_LEVIATHAN_DATA_FOR_OBJECT,
    GW_LEVIATHAN_WORLD_ID,
    GW_LEVIATHAN_TICKS,
    GW_LEVIATHAN_ENGINE_MS_TWEAK,
    GW_LEVIATHAN_ABSOLUTE,
    GW_LEVIATHAN_TYPE_ID_NUMBER,
    GW_LEVIATHAN_IS_REQUEST,
    GW_LEVIATHAN_APPLICATION_DATA,
    GW_LEVIATHAN_INVALIDNESS,
    GW_LEVIATHAN_ADDITIONAL_INFO,
    GW_LEVIATHAN_MESSAGE_TEXT,
    GW_LEVIATHAN_REASON,
    GW_LEVIATHAN_SERVER_ACCEPTED_WHAT,
    GW_LEVIATHAN_SERVER_NAME,
    GW_LEVIATHAN_JOINABLE,
    GW_LEVIATHAN_JOIN_RESTRICTION,
    GW_LEVIATHAN_SERVER_STATUS,
    GW_LEVIATHAN_PLAYERS,
    GW_LEVIATHAN_MAX_PLAYERS,
    GW_LEVIATHAN_BOTS,
    GW_LEVIATHAN_ADDITIONAL_FLAGS,
    GW_LEVIATHAN_SUCCEEDED,
    GW_LEVIATHAN_RESOURCE_DATA, /* OurCustomData of SyncResourceData: a string */
    GW_LEVIATHAN_INPUT_DATA,    /* OurCustomData of CreateNetworkedInput: a nested packet */
    GW_LEVIATHAN_INPUT_ID,
    GW_LEVIATHAN_INPUT_UPDATE,
    GW_LEVIATHAN_OWNER_ID,
    GW_LEVIATHAN_WORLD_TYPE,
    GW_LEVIATHAN_EXTRA_OPTIONS,
    GW_LEVIATHAN_ENTITY_ID,
    GW_LEVIATHAN_COMPONENT_COUNT,
    GW_LEVIATHAN_INITIAL_COMPONENTS,
    GW_LEVIATHAN_OLD_INITIAL_DATA, /* InitialComponentData before 2018-11-30 */
    GW_LEVIATHAN_TICK_NUMBER,
    GW_LEVIATHAN_REFERENCE_TICK,
    GW_LEVIATHAN_UPDATE_DATA,
    GW_LEVIATHAN_ENABLED,
    GW_LEVIATHAN_CACHE_NAME,
    GW_LEVIATHAN_FROZEN,
    GW_LEVIATHAN_CREATE,
    GW_LEVIATHAN_CONSTRAINT_ID,
    GW_LEVIATHAN_ENTITY_ID_1,
    GW_LEVIATHAN_ENTITY_ID_2,
    GW_LEVIATHAN_CONSTRAINT_TYPE,
    GW_LEVIATHAN_CONSTRAINT_DATA,

    /* Fields of components. */
    GW_LEVIATHAN_COMPONENT_TYPE,
    GW_LEVIATHAN_POSITION,
    GW_LEVIATHAN_ORIENTATION,
    GW_LEVIATHAN_SIZES,
    GW_LEVIATHAN_MATERIAL,
    GW_LEVIATHAN_FOV,
    GW_LEVIATHAN_SOUND_PERCEIVER,

    GW_LEVIATHAN_FIELDS
} gw_leviathan_field;

/* One value of an enumeration. */
typedef struct gw_leviathan_name {
    int32_t value;
    const char *name; /* NULL ends the list */
} gw_leviathan_name;

typedef struct gw_leviathan_field_type {
    const char *name;               /* the engine's, such as "EngineMSTweak"; the documentation's for headers */
    uint8_t type;                   /* gw_leviathan_type */
    bool closed;                    /* no value but those of `names` is valid */
    const gw_leviathan_name *names; /* NULL: plain numbers */
} gw_leviathan_field_type;

/* For field < GW_LEVIATHAN_FIELDS. */
const gw_leviathan_field_type *gw_leviathan_field_of(gw_leviathan_field field);
/* The name of a value in one of the lists above, or NULL. */
const char *gw_leviathan_name_of(const gw_leviathan_name *names, int64_t value);

#define GW_LEVIATHAN_REQUEST_TYPES 18
/* The newest engine's 30, and behind them those that only older ones had. */
#define GW_LEVIATHAN_RESPONSE_TYPES        32
#define GW_LEVIATHAN_NEWEST_RESPONSE_TYPES 30

/* Of requests and responses that the conversation's state depends on: ids, see below. */
#define GW_LEVIATHAN_CONNECT          0 /* request and response */
#define GW_LEVIATHAN_CLOSE_CONNECTION 5 /* response */

/* A type of request or response. `id` is its number in the newest numbering (30 and 31: EntityConstraint and
 * the old EntityCreation), whatever its number on the wire is. */
typedef struct gw_leviathan_message_type {
    const char *name;
    uint8_t id;
    bool loadable;     /* the engine's own reader knows it; it drops a packet with another (source) */
    uint8_t fields[9]; /* gw_leviathan_field, in wire order, ended by GW_LEVIATHAN_NO_FIELD */
} gw_leviathan_message_type;

/* By id; NULL behind the last. `kind` is GW_LEVIATHAN_REQUEST or GW_LEVIATHAN_RESPONSE. */
const gw_leviathan_message_type *gw_leviathan_message_of(uint8_t kind, uint32_t id);
/* By number on the wire; NULL when this numbering has none such. */
const gw_leviathan_message_type *gw_leviathan_message_of_wire(gw_leviathan_numbering numbering, uint8_t kind,
                                                              uint32_t wire_type);
/* How many numbers are in use: the first is 0. */
uint32_t gw_leviathan_wire_types(gw_leviathan_numbering numbering, uint8_t kind);

/* A type of component. The lists are as above; NULL where it has no such form, or nobody knows that. */
typedef struct gw_leviathan_component_type {
    const char *name;
    const uint8_t *state;   /* in EntityUpdate */
    const uint8_t *initial; /* in EntityCreation */
} gw_leviathan_component_type;

/* NULL for numbers that the engine itself does not use. */
const gw_leviathan_component_type *gw_leviathan_component_of(uint32_t wire_type);

/* ---- reading ------------------------------------------------------------------------------------------- */

typedef enum gw_leviathan_kind {
    GW_LEVIATHAN_VALUE,
    GW_LEVIATHAN_OPEN,  /* packets, messages, nested packets of components, components: their parts follow */
    GW_LEVIATHAN_CLOSE, /* the same field as OPEN; the payload is the whole item */
    GW_LEVIATHAN_OPAQUE /* bytes that cannot be split */
} gw_leviathan_kind;

/* What is unusual about an item that could be read all the same. */
typedef enum gw_leviathan_odd {
    GW_LEVIATHAN_ODD_PACKET_ID = 1 << 0,          /* packet id 0, which the sender never uses */
    GW_LEVIATHAN_ODD_ACK_COUNT = 1 << 1,          /* no ack bytes, or more than the engine sends */
    GW_LEVIATHAN_ODD_ACK_BITS = 1 << 2,           /* the first bit is clear, or the last byte empty */
    GW_LEVIATHAN_ODD_ACK_ONLY_COUNT = 1 << 3,     /* 0, or more than the engine sends */
    GW_LEVIATHAN_ODD_ACK_ONLY_IDS = 1 << 4,       /* not ascending, or one is 0 */
    GW_LEVIATHAN_ODD_IGNORED = 1 << 5,            /* an ack-only block behind a packet, where the engine
                                                     never looks; its sender leaves them there (observed) */
    GW_LEVIATHAN_ODD_TRAILING = 1 << 6,           /* bytes behind the last message */
    GW_LEVIATHAN_ODD_NO_MESSAGES = 1 << 7,        /* bytes left although the packet has no messages */
    GW_LEVIATHAN_ODD_MESSAGE_NUMBER = 1 << 8,     /* 0: they start at 1 */
    GW_LEVIATHAN_ODD_NOT_LOADABLE = 1 << 9,       /* the engine's reader knows no such type */
    GW_LEVIATHAN_ODD_NOT_SPLIT = 1 << 10,         /* further messages are somewhere in these bytes */
    GW_LEVIATHAN_ODD_CHECK = 1 << 11,             /* another check value than 42: closes the connection */
    GW_LEVIATHAN_ODD_ENUMERATION = 1 << 12,       /* no such value */
    GW_LEVIATHAN_ODD_BOOL = 1 << 13,              /* neither 0 nor 1 */
    GW_LEVIATHAN_ODD_UTF8 = 1 << 14,              /* text is not UTF-8 */
    GW_LEVIATHAN_ODD_NUL = 1 << 15,               /* NUL inside text */
    GW_LEVIATHAN_ODD_COMPONENT_COUNT = 1 << 16,   /* more than the engine's reader takes */
    GW_LEVIATHAN_ODD_COMPONENTS = 1 << 17,        /* CLOSE: fewer components than declared */
    GW_LEVIATHAN_ODD_COMPONENT_REST = 1 << 18,    /* bytes behind the last component */
    GW_LEVIATHAN_ODD_COMPONENT_CUT = 1 << 19,     /* a component goes on beyond its nested packet */
    GW_LEVIATHAN_ODD_COMPONENT_UNKNOWN = 1 << 20, /* no such type, or one that is never sent in this form */
    GW_LEVIATHAN_ODD_COMPONENT_CUSTOM = 1 << 21   /* the application's own: only that knows its length */
} gw_leviathan_odd;

#define GW_LEVIATHAN_ODDS 22

/* A static sentence for one bit of gw_leviathan_odd. */
const char *gw_leviathan_odd_text(gw_leviathan_odd odd);

/* The header is what stands before the payload and tells its length: four bytes for strings and nested
 * packets, otherwise nothing. The payload of OPEN ends where the input does, or the nested packet. */
typedef struct gw_leviathan_event {
    uint8_t kind;   /* gw_leviathan_kind */
    uint8_t field;  /* gw_leviathan_field: also its role */
    uint8_t type;   /* gw_leviathan_type */
    uint8_t depth;  /* 0 for packets */
    uint32_t index; /* in its parent */
    uint32_t odd;   /* bits of gw_leviathan_odd */
    gw_span header;
    gw_span payload;
    int64_t number; /* of integers and bools (a u64 as the same bits); else 0 */
} gw_leviathan_event;

/* Number `index` of a FLOAT3 or FLOAT4, id `index` of IDS. */
float gw_leviathan_float_at(const uint8_t *bytes, const gw_leviathan_event *event, uint32_t index);
uint32_t gw_leviathan_id_at(const uint8_t *bytes, const gw_leviathan_event *event, uint32_t index);

typedef enum gw_leviathan_fault {
    GW_LEVIATHAN_FAULT_NONE,
    GW_LEVIATHAN_FAULT_FIELD_CUT,        /* truncated: a number, or the length of a text or nested packet */
    GW_LEVIATHAN_FAULT_ACKS_CUT,         /* truncated: more ack bytes than bytes */
    GW_LEVIATHAN_FAULT_IDS_CUT,          /* truncated: more ids in an ack-only packet than bytes */
    GW_LEVIATHAN_FAULT_MESSAGES_MISSING, /* truncated: fewer messages than declared */
    GW_LEVIATHAN_FAULT_STRING_CUT,       /* truncated: a text longer than what is left */
    GW_LEVIATHAN_FAULT_NESTED_CUT,       /* truncated: a nested packet longer than what is left */
    GW_LEVIATHAN_FAULT_PACKET_TYPE,      /* unsupported: neither "Ln" nor "La" */
    GW_LEVIATHAN_FAULT_MESSAGE_KIND,     /* unsupported: neither request nor response */
    GW_LEVIATHAN_FAULT_REQUEST_TYPE,     /* unsupported: no such request in this numbering */
    GW_LEVIATHAN_FAULT_RESPONSE_TYPE,    /* unsupported: no such response in this numbering */
    GW_LEVIATHAN_FAULT_INPUT_TOO_LONG,   /* limit: input of 4 GiB or more */
    GW_LEVIATHAN_FAULTS
} gw_leviathan_fault;

/* A static sentence for a fault code. */
const char *gw_leviathan_fault_text(uint32_t code);
gw_fault_class gw_leviathan_fault_class(uint32_t code);

typedef struct gw_leviathan_options {
    gw_leviathan_numbering numbering;
} gw_leviathan_options;

/* The header of the message that is being read; each member is valid from its event on. */
typedef struct gw_leviathan_message {
    uint8_t kind; /* GW_LEVIATHAN_REQUEST or GW_LEVIATHAN_RESPONSE */
    uint16_t wire_type;
    uint32_t number;
    uint32_t response_to;                  /* 0 for requests */
    const gw_leviathan_message_type *type; /* NULL: unknown */
} gw_leviathan_message;

/* One item that is open. */
typedef struct gw_leviathan_scope {
    const uint8_t *fields; /* what is still to be read of it */
    uint32_t start;
    uint32_t index; /* of its next part */
    uint32_t left;  /* further lists of fields, messages or components to come */
    uint8_t field;
} gw_leviathan_scope;

/* Datagram, packet, message, nested packet, component. */
#define GW_LEVIATHAN_SCOPES 5

/* All of the reader's memory. Work is bounded by the input: each call consumes a byte or closes what an
 * earlier call opened. */
typedef struct gw_leviathan_reader {
    const uint8_t *bytes;
    uint32_t length;
    uint32_t offset; /* what has been consumed */
    uint32_t end;    /* of the nested packet of components that is being read, else of the input */
    uint32_t component_count;
    uint8_t depth;     /* scopes[depth] is the innermost */
    uint8_t numbering; /* gw_leviathan_numbering */
    uint8_t messages;  /* that the packet declared */
    bool ended;
    gw_leviathan_message message;
    gw_fault fault;
    gw_leviathan_scope scopes[GW_LEVIATHAN_SCOPES];
} gw_leviathan_reader;

/* `options` may be NULL: the newest numbering. */
void gw_leviathan_init(gw_leviathan_reader *reader, const uint8_t *bytes, size_t length,
                       const gw_leviathan_options *options);
/* After GW_NEXT_FAULT reader.fault tells which; every event before it stands, and what is open stays so. */
gw_next gw_leviathan_next(gw_leviathan_reader *reader, gw_leviathan_event *event);

/* ---- acks ---------------------------------------------------------------------------------------------- */

/* Which packet a bit stands for: the engine has always written and read start + index (observed), its
 * documentation says start + index + 1. */
typedef enum gw_leviathan_ack_reading {
    GW_LEVIATHAN_ACKS_AS_ENGINE = 0,
    GW_LEVIATHAN_ACKS_AS_DOCUMENTED = 1
} gw_leviathan_ack_reading;

/* The packet ids of an ack field, ascending (but that they wrap at 32 bits). */
typedef struct gw_leviathan_acks {
    const uint8_t *bytes;
    uint32_t count; /* of bytes */
    uint32_t start; /* the id of bit 0 */
    uint32_t bit;   /* the next to look at */
} gw_leviathan_acks;

void gw_leviathan_acks_init(gw_leviathan_acks *acks, uint32_t start_ack, const uint8_t *bytes, uint32_t count,
                            gw_leviathan_ack_reading reading);
/* `acks->bit - 1` is then the bit that stands for the id. */
bool gw_leviathan_acks_next(gw_leviathan_acks *acks, uint32_t *id);

/* ---- validating ---------------------------------------------------------------------------------------- */

typedef struct gw_leviathan_summary {
    uint32_t length; /* bytes read */
    uint32_t messages;
    uint32_t blocks;   /* ack-only blocks behind the packet */
    uint32_t trailing; /* bytes behind all that */
    gw_fault fault;    /* fault_class GW_FAULT_NONE when the whole datagram could be read */
} gw_leviathan_summary;

/* Finds the same ends and faults as the reader, without making events. */
bool gw_leviathan_validate(const uint8_t *bytes, size_t length, const gw_leviathan_options *options,
                           gw_leviathan_summary *summary);

/* Is this datagram Leviathan's? `captured` bytes of `length` are there to look at. The tests, and how often
 * random bytes pass them, stand with the code. */
bool gw_leviathan_recognise(const uint8_t *bytes, size_t captured, size_t length, const gw_leviathan_options *options);

/* ---- printing ------------------------------------------------------------------------------------------ */

/* One line from the events of a datagram: "1002  Response Connect #2 → #1, acks 1001". */
typedef struct gw_leviathan_printer {
    gw_text *text;
    gw_leviathan_ack_reading reading;
    uint32_t start_ack;
    const char *separator; /* in front of what comes next */
    bool any_message;
    gw_span acks;
    uint32_t blocks; /* ack-only ones behind the packet */
} gw_leviathan_printer;

void gw_leviathan_printer_init(gw_leviathan_printer *printer, gw_text *text, gw_leviathan_ack_reading reading);
/* Once for each event, in order. */
void gw_leviathan_print_event(gw_leviathan_printer *printer, const gw_leviathan_reader *reader,
                              const gw_leviathan_event *event);
/* Behind the last event. */
void gw_leviathan_print_end(gw_leviathan_printer *printer, const gw_leviathan_reader *reader);

/* All of that at once. */
void gw_leviathan_print(gw_text *text, const uint8_t *bytes, size_t length, const gw_leviathan_options *options,
                        gw_leviathan_ack_reading reading);

/* "Response Connect #2 → #1"; a number past Custom is "Custom(+1)", as the engine prints it (source). */
void gw_leviathan_print_message(gw_text *text, const gw_leviathan_message *message, gw_leviathan_numbering numbering);
/* "1001-1004, 1010", or "none". */
void gw_leviathan_print_acks(gw_text *text, gw_leviathan_acks acks);
/* The same of an ack-only packet's ids, as they lie in the packet. */
void gw_leviathan_print_ids(gw_text *text, const uint8_t *ids, uint32_t count);

/* ---- writing ------------------------------------------------------------------------------------------- */

/* One field's value; which members count, its wire type says. */
typedef struct gw_leviathan_value {
    int64_t number;
    const void *bytes; /* of strings, nested packets, application data */
    uint32_t length;
    float floats[4];
} gw_leviathan_value;

/* The header of a normal packet. `acked` is ascending; what lies more than 2,039 behind the first is left
 * out, as it does not fit the field. As documented, an ack of packet 1 alone cannot be written: its start
 * would be 0. */
void gw_leviathan_put_packet(gw_output *output, uint32_t packet_id, const uint32_t *acked, size_t acked_count,
                             gw_leviathan_ack_reading reading, uint8_t message_count);
void gw_leviathan_put_ack_only(gw_output *output, const uint32_t *ids, uint8_t count);
/* Header and fields; `message->type` must be known, `values` are in the order of its fields. */
void gw_leviathan_put_message(gw_output *output, const gw_leviathan_message *message, const gw_leviathan_value *values);
/* For the bytes of STATES (`fields` is the component type's `state`) and COMPONENTS (its `initial`). */
void gw_leviathan_put_component(gw_output *output, uint16_t wire_type, const uint8_t *fields,
                                const gw_leviathan_value *values);

#ifdef __cplusplus
}
#endif

#endif
