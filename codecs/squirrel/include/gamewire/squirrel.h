/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Squirrel values and remote commands, as VC:MP's RemExec and PeerExec scripts send them.
 *
 * A value is one tag byte and a body; a command is a value too, whose operands are values. Everything is
 * little-endian except the 16-bit length of a string, which is big-endian. Two releases of the scripts are in
 * use: 1.1.1 (2023) and 1.1.6 (2025). The comments name the source of a fact: "observed" are bytes that the
 * client scripts of 1.1.6 write, "source" is the source code of the 1.1.1 server plugin or of the client scripts,
 * "disassembled" is the 1.1.6 server plugin, "documentation" is the published page about the format.
 *
 *   tag   body                          | tag      body: u32 L = bytes of the operands, then the operands
 *   o     null                          | g        GetRemoteValue       key
 *   i w   int32, int16                  | k        GetRemoteValueEx     object, key
 *   f     float32                       | h        SetRemoteValue       key, value
 *   b     bool, u8                      | j        SetRemoteValueEx     object, key, value
 *   s e   string, error: u16 BE, bytes  | F        CallRemoteFunc       function, parameters ...
 *   v q   3 or 4 float32                | E        CallRemoteFuncEx     function, environment, parameters ...
 *   a t   array, table: u32 L bytes     | + - * / %  _add _sub _mul _div _modulo   object, operand
 *   A T c array, table, class: u32 count| u        _unm                 object
 *   B     blob: u32 n, bytes            |
 *
 * In replies of release 1.1.1 the u32 of `a` and `t` is a count too: see gw_squirrel_reading.
 *
 * Nothing here allocates, calls back or recurses. Offsets and lengths are in bytes from the start of the caller's
 * input, which must not change while a reader or an event is in use. Errors are reported as gw_fault.
 */
#ifndef GAMEWIRE_SQUIRREL_H
#define GAMEWIRE_SQUIRREL_H

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

/* ---- tags ---------------------------------------------------------------------------------------------- */

typedef enum gw_squirrel_tag {
    GW_SQUIRREL_NULL = 'o',
    GW_SQUIRREL_INT32 = 'i',
    GW_SQUIRREL_INT16 = 'w',
    GW_SQUIRREL_FLOAT = 'f',
    GW_SQUIRREL_BOOL = 'b',
    GW_SQUIRREL_STRING = 's',
    GW_SQUIRREL_ERROR = 'e',
    GW_SQUIRREL_VECTOR = 'v',
    GW_SQUIRREL_QUATERNION = 'q',
    GW_SQUIRREL_ARRAY = 'a',
    GW_SQUIRREL_TABLE = 't',
    GW_SQUIRREL_COUNTED_ARRAY = 'A',
    GW_SQUIRREL_COUNTED_TABLE = 'T',
    GW_SQUIRREL_CLASS = 'c',
    GW_SQUIRREL_BLOB = 'B',
    GW_SQUIRREL_GET = 'g',
    GW_SQUIRREL_GET_EX = 'k',
    GW_SQUIRREL_SET = 'h',
    GW_SQUIRREL_SET_EX = 'j',
    GW_SQUIRREL_CALL = 'F',
    GW_SQUIRREL_CALL_EX = 'E',
    GW_SQUIRREL_ADD = '+',
    GW_SQUIRREL_SUBTRACT = '-',
    GW_SQUIRREL_MULTIPLY = '*',
    GW_SQUIRREL_DIVIDE = '/',
    GW_SQUIRREL_MODULO = '%',
    GW_SQUIRREL_NEGATE = 'u'
} gw_squirrel_tag;

/* The form of the bytes after a tag. */
typedef enum gw_squirrel_form {
    GW_SQUIRREL_FORM_UNKNOWN,
    GW_SQUIRREL_FORM_FIXED,   /* `size` bytes */
    GW_SQUIRREL_FORM_STRING,  /* u16 BE length, bytes */
    GW_SQUIRREL_FORM_BLOB,    /* u32 length, bytes */
    GW_SQUIRREL_FORM_SIZED,   /* u32 length in bytes, values; in release 1.1.1's replies a count */
    GW_SQUIRREL_FORM_COUNTED, /* u32 count of elements or pairs, values */
    GW_SQUIRREL_FORM_COMMAND, /* u32 length in bytes, a fixed number of operands */
    GW_SQUIRREL_FORM_CALL     /* u32 length in bytes, at least `operands` operands */
} gw_squirrel_form;

/* The role of a value or operand in its container or command; the names are from the documentation. */
typedef enum gw_squirrel_role {
    GW_SQUIRREL_ROLE_BODY,       /* the value of the frame, or the bare value */
    GW_SQUIRREL_ROLE_SCRIPT,     /* the tagless string of a frame */
    GW_SQUIRREL_ROLE_IDENTIFIER, /* the two values of ClientData */
    GW_SQUIRREL_ROLE_DATA,
    GW_SQUIRREL_ROLE_ELEMENT,
    GW_SQUIRREL_ROLE_KEY,
    GW_SQUIRREL_ROLE_VALUE,
    GW_SQUIRREL_ROLE_OBJECT,
    GW_SQUIRREL_ROLE_LEFT,    /* left of an operator; an object as well */
    GW_SQUIRREL_ROLE_OPERAND, /* right of an operator */
    GW_SQUIRREL_ROLE_FUNCTION,
    GW_SQUIRREL_ROLE_ENVIRONMENT,
    GW_SQUIRREL_ROLE_PARAMETER,
    GW_SQUIRREL_ROLES
} gw_squirrel_role;

/* The receiver that parses a frame; the three support different sets of tags. */
typedef enum gw_squirrel_receiver {
    GW_SQUIRREL_RECEIVER_UNKNOWN = 0,
    GW_SQUIRREL_RECEIVER_CLIENT = 1, /* observed */
    GW_SQUIRREL_RECEIVER_REPLY = 2,  /* the server's reader of replies (source, disassembled) */
    GW_SQUIRREL_RECEIVER_EXEC = 4    /* the server's reader of Exec (disassembled) */
} gw_squirrel_receiver;

#define GW_SQUIRREL_OPERAND_ROLES 3

typedef struct gw_squirrel_type {
    const char *name;     /* "int32", "array", "GetRemoteValue" */
    const char *spelling; /* an operator's sign, else the same as `name` */
    uint8_t tag;
    uint8_t form;                             /* gw_squirrel_form */
    uint8_t size;                             /* FORM_FIXED: bytes after the tag */
    uint8_t operands;                         /* FORM_COMMAND: exactly; FORM_CALL: at least */
    uint8_t pairs;                            /* 1: keys and values alternate */
    uint8_t receivers;                        /* bits of gw_squirrel_receiver: those that support the tag */
    uint8_t roles[GW_SQUIRREL_OPERAND_ROLES]; /* of the operands; the last one repeats */
} gw_squirrel_type;

/* The type of a tag byte. Never NULL; an unknown tag has the form GW_SQUIRREL_FORM_UNKNOWN. */
const gw_squirrel_type *gw_squirrel_type_of(uint8_t tag);
/* All known types, in no particular order; `*count` is set to their number. */
const gw_squirrel_type *gw_squirrel_types(size_t *count);

/* True for commands, whose values are operands: calls, and those with a fixed number of operands. */
static inline bool gw_squirrel_is_command(const gw_squirrel_type *type)
{
    return type->form == GW_SQUIRREL_FORM_COMMAND || type->form == GW_SQUIRREL_FORM_CALL;
}

/* ---- reading values ------------------------------------------------------------------------------------ */

/* How the u32 after a lower-case `a` or `t` is read: as a number of bytes or, in a Reply, as a count. In a Reply,
 * release 1.1.6 never writes lower case (observed) and 1.1.1 writes counts only (source). The two _FIRST readings
 * try the named one first and, if it does not end exactly at the end of the input, the other. */
typedef enum gw_squirrel_reading {
    GW_SQUIRREL_BYTES_FIRST,
    GW_SQUIRREL_COUNTS_FIRST,
    GW_SQUIRREL_BYTES,
    GW_SQUIRREL_COUNTS
} gw_squirrel_reading;

/* The content of the input. */
typedef enum gw_squirrel_content {
    GW_SQUIRREL_CONTENT_VALUE,  /* one value or command */
    GW_SQUIRREL_CONTENT_PAIR,   /* two values: identifier and data */
    GW_SQUIRREL_CONTENT_SCRIPT, /* a string without a tag */
    GW_SQUIRREL_CONTENT_CHUNK   /* a part of a split stream: no values, not for a reader */
} gw_squirrel_content;

typedef struct gw_squirrel_options {
    uint32_t offset;      /* where in the input the content starts */
    uint8_t content;      /* gw_squirrel_content */
    uint8_t reading;      /* gw_squirrel_reading */
    uint8_t receiver;     /* gw_squirrel_receiver, for GW_SQUIRREL_ODD_RECEIVER */
    uint8_t error_at_top; /* 1: an error may be the whole value (replies) */
} gw_squirrel_options;

/* Oddities of an item that could be read. Those that depend on the end of the content are in the CLOSE event.
 * gw_odd_text() describes a bit. */
/* clang-format off */
typedef enum gw_squirrel_odd {
    GW_SQUIRREL_ODD_BOOL = 1 << 0,            /* neither 0 nor 1; read as true */
    GW_SQUIRREL_ODD_UTF8 = 1 << 1,            /* a string that is not UTF-8: usually a Windows code page */
    GW_SQUIRREL_ODD_EMPTY_ARRAY = 1 << 2,     /* `a` of 0 bytes: the real client reads an element (observed) */
    GW_SQUIRREL_ODD_ERROR_INSIDE = 1 << 3,    /* an error that is not the whole value of a reply */
    GW_SQUIRREL_ODD_RECEIVER = 1 << 4,        /* a tag that the frame's receiver does not know */
    /* The bits from here on mean that the bytes contradict themselves: the input is not valid. */
    GW_SQUIRREL_ODD_LENGTH = 1 << 8,          /* CLOSE: the declared length differs from the content */
    GW_SQUIRREL_ODD_OPERAND_MISSING = 1 << 9, /* CLOSE: fewer operands than the command takes */
    GW_SQUIRREL_ODD_KEY_ALONE = 1 << 10,      /* CLOSE: an odd number of values in a table */
    GW_SQUIRREL_ODD_COUNT = 1 << 11,          /* CLOSE: fewer elements or pairs than declared */
    GW_SQUIRREL_ODD_BEYOND = 1 << 12,         /* a string, a blob or an OPAQUE item exceeds its container */
    GW_SQUIRREL_ODD_UNKNOWN_TAG = 1 << 13,    /* OPAQUE: skipped to the end of the container */
    GW_SQUIRREL_ODD_TOO_DEEP = 1 << 14        /* OPAQUE: nested below GW_SQUIRREL_DEPTH; skipped by its length */
} gw_squirrel_odd;
/* clang-format on */
#define GW_SQUIRREL_ODD_INVALID UINT32_C(0xFF00)
#define GW_SQUIRREL_ODDS        15 /* bits in use, from bit 0, with a gap */

/* One item. Which members are set, for each kind (x; do not read the others):
 *
 *                     VALUE                OPEN                 CLOSE                OPAQUE
 *   kind tag depth    x                    x                    x                    x
 *   role index odd    x                    x                    x                    x
 *   header            tag and length       tag and number       as in OPEN           empty
 *   payload           scalar's bytes       empty, at content    the whole content    the bytes skipped
 *   number            of int32, int16, bool
 *   real              of floats, vectors
 *   counted                                x                    x
 *   values                                                      x
 *   declared, actual  with ODD_BEYOND      declared             x                    with ODD_BEYOND
 *
 * OPEN is an array, table, class or command; its members follow, then its CLOSE. GW_PACKED does not occur. */
typedef struct gw_squirrel_event {
    uint8_t kind; /* gw_kind */
    uint8_t tag;
    uint8_t role;    /* gw_squirrel_role */
    uint8_t depth;   /* 0 is the value of the frame; OPEN and CLOSE have the same */
    uint32_t odd;    /* bits of gw_squirrel_odd */
    bool counted;    /* `declared` is a number of elements or pairs, not of bytes */
    uint32_t index;  /* among the values of its role: which element, pair, parameter; from 0 */
    uint32_t values; /* how many values the container or command holds, keys included */
    gw_span header;
    gw_span payload;
    int64_t number; /* a bool is 0 or 1 */
    float real[4];  /* of 32 bits, as on the wire. float: [0]; vector: X Y Z; quaternion: X Y Z W */
    /* The number after the tag, and (CLOSE) the one that would have been right, in bytes, elements or pairs. With
     * ODD_BEYOND: the length in bytes of a string or blob, and the room that its container has. */
    uint32_t declared;
    uint32_t actual;
} gw_squirrel_event;

typedef enum gw_squirrel_fault {
    GW_SQUIRREL_FAULT_NONE,
    GW_SQUIRREL_FAULT_VALUE_MISSING,     /* truncated: the input ends where a value has to begin */
    GW_SQUIRREL_FAULT_VALUE_TRUNCATED,   /* truncated: inside a scalar or the head of something longer */
    GW_SQUIRREL_FAULT_STRING_TRUNCATED,  /* truncated: a string is longer than the rest of the input */
    GW_SQUIRREL_FAULT_BLOB_TRUNCATED,    /* truncated: the same of a blob */
    GW_SQUIRREL_FAULT_LENGTH_TRUNCATED,  /* truncated: the same of a container or call */
    GW_SQUIRREL_FAULT_COUNT_TRUNCATED,   /* truncated: more elements or pairs have to follow */
    GW_SQUIRREL_FAULT_TAG_UNKNOWN,       /* unsupported */
    GW_SQUIRREL_FAULT_CONTENT_LEFT_OVER, /* malformed: bytes after the value */
    GW_SQUIRREL_FAULT_OPERAND_LEFT_OVER, /* malformed: the same, and the command's length includes them */
    GW_SQUIRREL_FAULT_TOO_DEEP,          /* limit: nested below GW_SQUIRREL_DEPTH, and of unknown length */
    GW_SQUIRREL_FAULT_TOO_LONG,          /* limit: input longer than GW_LONGEST_INPUT */
    GW_SQUIRREL_FAULT_HEAD_TRUNCATED,    /* truncated: inside the head of a frame */
    GW_SQUIRREL_FAULT_FRAME_UNKNOWN,     /* unsupported: not one of the nineteen identifiers */
    GW_SQUIRREL_FAULTS
} gw_squirrel_fault;

/* The sentences for gw_squirrel_fault and gw_squirrel_odd. */
extern const gw_fault_table gw_squirrel_faults;

/* Deepest nesting that is read; deeper values come as one OPAQUE event. Real scripts use only a few levels. */
#define GW_SQUIRREL_DEPTH 64

/* Declared ends that exceed any input are GW_SQUIRREL_NO_END. */
#define GW_SQUIRREL_NO_END 0xFFFFFFFFu

/* A container or command that is open; the first level is the content of the input. */
typedef struct gw_squirrel_level {
    uint32_t limit;   /* where a byte length that decides (array, table, call) ends the content */
    uint32_t nearest; /* the nearest declared end around, including those that clients ignore: not after `limit` */
    uint32_t end;     /* that the level declares itself; GW_SQUIRREL_NO_END if it declares a count */
    uint32_t offset;  /* of the tag */
    uint32_t values;  /* begun so far */
    uint32_t wanted;  /* values after which the level is complete; UINT32_MAX: its length decides */
} gw_squirrel_level;

/* The caller allocates it, usually on the stack; a copy cannot be used. After GW_NEXT_FAULT read `fault`, `declared` and `actual`:
 * for STRING_, BLOB_, LENGTH_ and COUNT_TRUNCATED, the declared length or count and the actual one; for CONTENT_ and
 * OPERAND_LEFT_OVER, `actual` is the number of bytes left. `offset` is the position. The rest is the reader's own.
 *
 * Lengths are used as the real client uses them: the lengths of arrays, tables and calls decide where the content ends,
 * the lengths of the other commands do not, because their operands are counted. If two numbers contradict each other,
 * the events continue as far as the bytes are valid, and CLOSE has a bit in `odd` and both numbers. Each call of
 * gw_squirrel_next moves forward by a byte or closes a level: there are at most twice as many events as bytes. */
typedef struct gw_squirrel_reader {
    const uint8_t *bytes;
    uint32_t length;
    uint32_t offset;
    gw_fault fault;
    uint32_t declared;
    uint32_t actual;
    uint32_t resumed_at;   /* where the reading continued after an OPAQUE item */
    uint32_t declared_end; /* of the last value at the top */
    gw_squirrel_options options;
    gw_squirrel_level *level; /* the innermost, which is levels[depth] */
    uint8_t depth;
    bool lower_case; /* an `a` or `t` was read: the reading matters */
    uint32_t values; /* that gw_squirrel_validate() has read: scalars, containers and commands */
    gw_squirrel_level levels[1 + GW_SQUIRREL_DEPTH];
} gw_squirrel_reader;

/* Starts to read `length` bytes. `options` may be NULL: one value at offset 0, BYTES_FIRST. */
void gw_squirrel_init(gw_squirrel_reader *reader, const uint8_t *bytes, size_t length,
                      const gw_squirrel_options *options);
/* The next event. After GW_NEXT_FAULT the events before it remain valid, and open levels stay open. */
gw_next gw_squirrel_next(gw_squirrel_reader *reader, gw_squirrel_event *event);

/* ---- validating ---------------------------------------------------------------------------------------- */

typedef struct gw_squirrel_summary {
    gw_fault fault;  /* code 0: none */
    uint32_t values; /* scalars, containers and commands */
    uint32_t odd;    /* all odd bits that were found */
    uint8_t reading; /* GW_SQUIRREL_BYTES or _COUNTS, as the reader uses it */
} gw_squirrel_summary;

/* True when the content takes the rest of the input exactly, with no fault and no bit of ODD_INVALID. The result is
 * the same as the reader's at less cost. `summary` may be NULL. */
bool gw_squirrel_validate(const uint8_t *bytes, size_t length, const gw_squirrel_options *options,
                          gw_squirrel_summary *summary);

/* ---- frames -------------------------------------------------------------------------------------------- */

/* Script data: u32 identifier, then a head that differs by frame, then the content. The names are from
 * the client script's enumeration. */
typedef enum gw_squirrel_frame_id {
    GW_SQUIRREL_REMOTE_EXECUTE = 0x40ffffe1,
    GW_SQUIRREL_REMOTE_EXECUTE_SPECIAL = 0x40ffffe2,
    GW_SQUIRREL_REPLY = 0x40ffffe3,
    GW_SQUIRREL_COMPILE_STRING = 0x40ffffe4,
    GW_SQUIRREL_RPRINT = 0x40ffffe5,
    GW_SQUIRREL_PEER_EXEC = 0x40ffffe6,
    GW_SQUIRREL_SEND_RESULT_TO_PEER = 0x40ffffe7,
    GW_SQUIRREL_RESULT_FROM_PEER = 0x40ffffe8,
    GW_SQUIRREL_PEER_EXEC_SPECIAL = 0x40ffffe9,
    GW_SQUIRREL_PEER_EXEC_HERE = 0x40ffffea,
    GW_SQUIRREL_PEER_EXEC_HERE2 = 0x40ffffeb,
    GW_SQUIRREL_SPLIT_STREAM = 0x40ffffec,
    GW_SQUIRREL_SPLIT_STREAM_FROM_SERVER = 0x40ffffed,
    GW_SQUIRREL_CLIENT_DATA = 0x40ffffee,
    GW_SQUIRREL_LOAD_NUT_FILE = 0x40ffffef,
    GW_SQUIRREL_NUT_FILE_LOADED = 0x40fffff0,
    GW_SQUIRREL_EXEC = 0x40fffff1,
    GW_SQUIRREL_EXEC_SPECIAL = 0x40fffff2,
    GW_SQUIRREL_RESULT_FROM_SERVER = 0x40fffff3
} gw_squirrel_frame_id;

#define GW_SQUIRREL_FIRST_FRAME GW_SQUIRREL_REMOTE_EXECUTE
#define GW_SQUIRREL_LAST_FRAME  GW_SQUIRREL_RESULT_FROM_SERVER
#define GW_SQUIRREL_FRAME_COUNT 19

typedef enum gw_squirrel_player {
    GW_SQUIRREL_NO_PLAYER,
    GW_SQUIRREL_TARGET_PLAYER, /* client to server: the receiver */
    GW_SQUIRREL_SENDER_PLAYER  /* server to client: the sender */
} gw_squirrel_player;

typedef struct gw_squirrel_frame_type {
    const char *name;
    uint32_t identifier;
    bool to_server;
    uint8_t player;   /* gw_squirrel_player: the u8 after the identifier */
    bool token;       /* i32, after the player */
    bool command;     /* the content should be a command */
    uint8_t content;  /* gw_squirrel_content */
    uint8_t reading;  /* gw_squirrel_reading */
    uint8_t receiver; /* gw_squirrel_receiver */
} gw_squirrel_frame_type;

/* NULL when the identifier is none of the nineteen. */
const gw_squirrel_frame_type *gw_squirrel_frame_type_of(uint32_t identifier);

/* Oddities of a chunk of a split stream. */
typedef enum gw_squirrel_chunk_odd {
    GW_SQUIRREL_CHUNK_NO_TOTAL = 1 << 0, /* a stream of 0 chunks */
    GW_SQUIRREL_CHUNK_BEYOND = 1 << 1,   /* index not below the total: the real client raises an error */
    GW_SQUIRREL_CHUNK_LENGTH = 1 << 2,   /* the length differs from the payload */
    GW_SQUIRREL_CHUNK_TOO_LONG = 1 << 3, /* above GW_SQUIRREL_CHUNK_SIZE */
    GW_SQUIRREL_CHUNK_SHORT = 1 << 4     /* below it, and not the last: the real sender fills all but the last */
} gw_squirrel_chunk_odd;

/* Payload of every chunk but the last (observed, disassembled). */
#define GW_SQUIRREL_CHUNK_SIZE 4075
/* The longest frame that release 1.1.6 sends whole (observed); 1.1.1 sends one byte more and splits nothing (source).
 */
#define GW_SQUIRREL_FRAME_SIZE     4094
#define GW_SQUIRREL_OLD_FRAME_SIZE 4095

typedef struct gw_squirrel_frame {
    const gw_squirrel_frame_type *type;
    int32_t token;
    uint8_t player;
    /* Split streams: number of the stream, index of the chunk from 0, number of chunks, declared length. */
    uint32_t sequence;
    uint32_t chunk;
    uint32_t chunks;
    uint16_t chunk_length;
    uint16_t chunk_odd; /* bits of gw_squirrel_chunk_odd */
    uint32_t content;   /* offset of the bytes after the head */
} gw_squirrel_frame;

#define GW_SQUIRREL_PLAYER_OFFSET 4
#define GW_SQUIRREL_SPLIT_HEAD    18

/* Reads the head of a frame. False with a fault: too short, or not one of the nineteen. If the head is truncated but
 * its four bytes of identifier are there, frame->type is set; else it is NULL. */
bool gw_squirrel_read_frame(const uint8_t *bytes, size_t length, gw_squirrel_frame *frame, gw_fault *fault);

/* How to read the content of a frame whose type is set. */
gw_squirrel_options gw_squirrel_frame_options(const gw_squirrel_frame *frame);

/* ---- recognizing --------------------------------------------------------------------------------------- */

/* Which forms read a payload: the bits of gw_recognition.readings. */
enum {
    GW_SQUIRREL_READS_MESSAGE = 1 << 0, /* u8 RakNet message id, u32 BE length of the rest, frame */
    GW_SQUIRREL_READS_FRAME = 1 << 1,
    GW_SQUIRREL_READS_VALUE = 1 << 2 /* a command or container without a frame */
};

#define GW_SQUIRREL_MESSAGE_HEAD 5

/* How strongly a payload of `wire_length` bytes, of which `captured` are at `bytes`, indicates script data
 * (common/recognition.h). Keeps no state. `options` may be NULL; only its `offset` is used: where the payload begins.
 * Returns recognition->possible. */
bool gw_squirrel_recognize(const uint8_t *bytes, size_t captured, size_t wire_length,
                           const gw_squirrel_options *options, gw_recognition *recognition);

/* False for most payloads that are not possible, by the first nine bytes: no identifier at the beginning or after a
 * message's head, and no number below 65536, the longest datagram, where a command or container has its length. */
static inline bool gw_squirrel_may_begin(const uint8_t *bytes, size_t captured)
{
    if (captured <= GW_SQUIRREL_MESSAGE_HEAD)
        return captured >= 4 && bytes[1] == 0xFF && bytes[2] == 0xFF;
    return (!bytes[3] && !bytes[4] && bytes[0] >= '%') || (bytes[1] == 0xFF && bytes[2] == 0xFF) ||
           (captured > 8 && bytes[6] == 0xFF && bytes[7] == 0xFF);
}

/* The `possible` of gw_squirrel_recognize(), at less cost. */
bool gw_squirrel_is_possible(const uint8_t *bytes, size_t captured, size_t wire_length);

/* True when a datagram has the form of RakNet 4.x between connected peers, which carries script data: all lengths in
 * it are consistent. Keeps no state. */
bool gw_squirrel_is_raknet(const uint8_t *bytes, size_t captured, size_t wire_length);

/* ---- printing ------------------------------------------------------------------------------------------ */

/* Writes the Squirrel source of a value, event by event:
 *
 *     SetRemoteValueEx(GetRemoteValue("a"), "Y", 5)
 *     (GetRemoteValue("a") + 5) * 2
 *     {a = 1, ["x y"] = 2}
 *
 * with the parentheses that precedence needs. A float keeps its point (1.0), a vector's component does not
 * (Vector(1, 2, 3)); inf and nan, for which Squirrel has no literal, are printed as inf and nan. A blob is
 * blob("\x00\xff"), a class is class {a = 1; b = 2}, an error is throw "text". Skipped bytes are "…". */
typedef struct gw_squirrel_printer {
    gw_text *text;
    uint8_t tags[GW_SQUIRREL_DEPTH];
    bool parenthesized[GW_SQUIRREL_DEPTH];
    bool bare_key;      /* the event is a table's key that needs no brackets */
    bool bracketed_key; /* one that does */
} gw_squirrel_printer;

/* Starts a line; `text` must exist as long as events are printed. */
void gw_squirrel_printer_init(gw_squirrel_printer *printer, gw_text *text);
/* Once for each event, in order. */
void gw_squirrel_print_event(gw_squirrel_printer *printer, const uint8_t *bytes, const gw_squirrel_event *event);

/* Prints the value of a GW_VALUE event as outside of a container: a key with its quotes. */
void gw_squirrel_print_value(gw_text *text, const uint8_t *bytes, const gw_squirrel_event *event);

/* True when the fault of a reader ended a value early: the text printed so far needs a "…" at its end. */
bool gw_squirrel_is_cut(const gw_squirrel_reader *reader);

/* Prints the whole content; two values are separated by a comma. Ends in "…" when a fault ends it early. */
void gw_squirrel_print(gw_text *text, const uint8_t *bytes, size_t length, const gw_squirrel_options *options);

/* Prints a string literal with its quotes: \" \\ \n \r \t, and \xHH for other control characters and for bytes
 * that are not UTF-8. */
void gw_squirrel_print_string(gw_text *text, const uint8_t *bytes, uint32_t length);

/* Appends the name that the command at options->offset calls, reads or sets: "a", "Console.Print"; of each of its parts
 * at most 198 bytes as they are printed. A string that is not in a command is a name as well. False, and the text is
 * not to be used, when the name is computed or missing. `options` may be NULL. */
bool gw_squirrel_print_name(gw_text *text, const uint8_t *bytes, size_t length, const gw_squirrel_options *options);

/* ---- writing ------------------------------------------------------------------------------------------- */

/* The tag alone. */
void gw_squirrel_write_null(gw_output *output);
/* The tag and four bytes, little-endian. */
void gw_squirrel_write_int32(gw_output *output, int32_t number);
/* The tag and two bytes, little-endian. */
void gw_squirrel_write_int16(gw_output *output, int16_t number);
/* As release 1.1.6 chooses: int16 where it fits, else int32. */
void gw_squirrel_write_integer(gw_output *output, int32_t number);
/* The tag and four bytes of IEEE 754, little-endian. */
void gw_squirrel_write_float(gw_output *output, float number);
/* The tag and a byte, 0 or 1. */
void gw_squirrel_write_bool(gw_output *output, bool truth);
/* A big-endian length and the bytes, without a tag, as in frames that hold a script. */
void gw_squirrel_write_script(gw_output *output, const void *bytes, uint16_t length);
/* The tag, a big-endian length and the bytes, without a NUL. */
void gw_squirrel_write_string(gw_output *output, const void *bytes, uint16_t length);
/* The same with the tag of an error. */
void gw_squirrel_write_error(gw_output *output, const void *bytes, uint16_t length);
/* The tag and three floats. */
void gw_squirrel_write_vector(gw_output *output, const float xyz[3]);
/* The tag and four floats. */
void gw_squirrel_write_quaternion(gw_output *output, const float xyzw[4]);
/* The tag, a little-endian length and the bytes. */
void gw_squirrel_write_blob(gw_output *output, const void *bytes, uint32_t length);
/* A counted array, table or class: the tag and its count of elements or pairs; the caller writes the values. */
void gw_squirrel_write_counted(gw_output *output, uint8_t tag, uint32_t count);
/* A container or command with a byte length: the bytes written between open and close are its content. `open`
 * returns the argument of `close`. */
size_t gw_squirrel_write_open(gw_output *output, uint8_t tag);
/* Sets the byte length of the container or command that began with `opened`. */
void gw_squirrel_write_close(gw_output *output, size_t opened);
/* The identifier and head of `frame`, whose `type` and the members that this type has must be set. */
void gw_squirrel_write_frame_head(gw_output *output, const gw_squirrel_frame *frame);

#ifdef __cplusplus
}
#endif

#endif
