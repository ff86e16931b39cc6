/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Godot Variants in a stream of bytes: StreamPeer.put_var and PacketPeerStream, over TCP.
 *
 * A message is a u32 length and as many bytes. put_var writes the length in the stream's own byte order, the Variant
 * is little-endian in both (observed in 3.2.3, 3.6 and 4.6.3); the game may change the byte order before any message
 * (StreamPeer.big_endian, observed). PacketPeerStream's length is always little-endian (source). Segments have no
 * meaning: the length may be in a separate segment, and many messages in one (observed).
 *
 * A stream need not consist of messages alone: put_u8, put_double or put_utf8_string write bytes that are not
 * marked in the stream (observed). Only the game knows their meaning. The reader reports them as unknown, up to the
 * next message that is a length and exactly one Variant.
 */
#ifndef GAMEWIRE_GODOT_STREAM_H
#define GAMEWIRE_GODOT_STREAM_H

#include <gamewire/faults.h>
#include <gamewire/godot.h>
#include <gamewire/recognition.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of a length. */
#define GW_GODOT_STREAM_PREFIX 4U
/* The longest message that is read. The engines' own limits are 64 KiB and 8 MiB by default (source); below 16 MiB a
 * length is plausible in one byte order only, except zero and multiples of 256. */
#define GW_GODOT_STREAM_LONGEST UINT32_C(0xFFFFFF)
/* At most this many unknown bytes are searched for the next message, and then reported. */
#define GW_GODOT_STREAM_WINDOW UINT32_C(0x10000)

typedef enum gw_godot_stream_order {
    GW_GODOT_STREAM_ANY_ORDER, /* the order of the message before, or the other one if the bytes can be read only in it */
    GW_GODOT_STREAM_LITTLE,
    GW_GODOT_STREAM_BIG
} gw_godot_stream_order;

typedef enum gw_godot_stream_role {
    GW_GODOT_STREAM_ROLE_VARIANT, /* a length and one Variant */
    GW_GODOT_STREAM_ROLE_PACKET,  /* a length and bytes that are not a Variant, with the next message at their end:
                                put_packet, or put_utf8_string */
    GW_GODOT_STREAM_ROLE_UNKNOWN  /* bytes between messages */
} gw_godot_stream_role;

typedef enum gw_godot_stream_odd {
    GW_GODOT_STREAM_ODD_VALUE = 1 << 0,    /* the Variant has something that engines do not write */
    GW_GODOT_STREAM_ODD_TRAILING = 1 << 1, /* the Variant ends before its message: the engine ignores the rest
                                              (observed) */
    GW_GODOT_STREAM_ODD_UNKNOWN = 1 << 2   /* bytes that are not part of a message */
} gw_godot_stream_odd;

#define GW_GODOT_STREAM_ODDS 3

/* Which members are set:
 *
 *   role      kind     header       payload           padding          order
 *   VARIANT   VALUE    the length   the Variant       trailing bytes   yes
 *   PACKET    OPAQUE   the length   the bytes         0 bytes          yes
 *   UNKNOWN   OPAQUE   0 bytes      the bytes         0 bytes          -
 */
typedef struct gw_godot_stream_event {
    uint8_t kind;  /* gw_kind */
    uint8_t role;  /* gw_godot_stream_role */
    uint8_t order; /* gw_godot_stream_order */
    uint8_t depth; /* 0 */
    uint32_t index;
    uint32_t odd; /* bits of gw_godot_stream_odd */
    gw_span header;
    gw_span payload;
    gw_span padding;
} gw_godot_stream_event;

typedef enum gw_godot_stream_fault {
    GW_GODOT_STREAM_FAULT_NONE,
    GW_GODOT_STREAM_FAULT_PREFIX_TRUNCATED,  /* truncated: fewer bytes than a length and a Variant's header */
    GW_GODOT_STREAM_FAULT_VALUE_TRUNCATED,   /* truncated: a Variant shorter than its length; see
                                                gw_godot_stream_reader.is_uncertain */
    GW_GODOT_STREAM_FAULT_MESSAGE_TRUNCATED, /* truncated: no message has begun in these bytes yet; `needed` is 1 */
    GW_GODOT_STREAM_FAULT_TOO_LONG,          /* limit: input longer than GW_LONGEST_INPUT */
    GW_GODOT_STREAM_FAULTS
} gw_godot_stream_fault;

/* The sentences for gw_godot_stream_fault and gw_godot_stream_odd. */
extern const gw_fault_table gw_godot_stream_faults;

typedef struct gw_godot_stream_options {
    gw_godot_stream_order order;      /* of all lengths; GW_GODOT_STREAM_ANY_ORDER: either, and it may change */
    gw_godot_stream_order last_order; /* of the message before offset; GW_GODOT_STREAM_ANY_ORDER: not known. The reader
                                         updates its copy */
    gw_godot_generation generation;   /* of the Variants; GW_GODOT_ANY: any of them */
    uint32_t offset;                  /* where reading starts */
    bool is_end;                      /* nothing follows: bytes that cannot be read are unknown, not truncated */
    gw_godot_level *levels;           /* for Variants nested deeper than GW_GODOT_DEPTH; may be NULL */
    uint32_t level_count;
} gw_godot_stream_options;

/* All of the reader's memory. */
typedef struct gw_godot_stream_reader {
    const uint8_t *bytes;
    uint32_t length;
    uint32_t offset; /* bytes consumed */
    uint32_t index;
    uint32_t known; /* up to here, lengths follow each other without a gap */
    uint64_t work;  /* bytes read as Variants; limited to a multiple of the offset, plus GW_GODOT_STREAM_WINDOW and one
                       message: beyond it, bytes are unknown without being read */
    bool is_uncertain; /* after VALUE_TRUNCATED: few bytes, without evidence of a Variant. With more bytes they may be
                          unknown ones before other messages */
    gw_godot_stream_options options;
    gw_fault fault;
} gw_godot_stream_reader;

/* Reads messages from options->offset on, where one is expected to begin; options NULL: from the start, in any order
 * and generation. */
void gw_godot_stream_init(gw_godot_stream_reader *reader, const uint8_t *bytes, size_t length,
                          const gw_godot_stream_options *options);
/* After GW_NEXT_FAULT reader.fault has the reason. When more bytes have arrived, begin a new reader with options.offset
 * = reader.offset and options.last_order = reader.options.last_order. */
gw_next gw_godot_stream_next(gw_godot_stream_reader *reader, gw_godot_stream_event *event);

typedef struct gw_godot_stream_summary {
    gw_fault fault;
    uint32_t odd;    /* of all items together */
    uint32_t length; /* bytes consumed */
    uint32_t variants;
    uint32_t packets;
    uint32_t unknown; /* bytes */
    uint8_t order;    /* gw_godot_stream_order of the first Variant */
} gw_godot_stream_summary;

/* Reads all; true when nothing is truncated. */
bool gw_godot_stream_validate(const uint8_t *bytes, size_t length, const gw_godot_stream_options *options,
                              gw_godot_stream_summary *summary);

/* Readings: bit g of gw_godot_generation with little-endian lengths, bit g + 8 with big-endian ones. */
#define GW_GODOT_STREAM_READING(generation, order) \
    (UINT32_C(1) << ((generation) + ((order) == GW_GODOT_STREAM_BIG ? 8U : 0U)))

/* How strongly a segment of a stream, which begins where a message does or a few bytes before, indicates Variants in
 * it. Only the Variants are evidence (gw_godot_recognize()): the length before them is not, since many protocols have
 * one before each message. A message that continues after the segment counts like a Variant that was cut by the
 * capture. options->offset must be 0. */
bool gw_godot_stream_recognize(const uint8_t *bytes, size_t captured, size_t wire_length,
                               const gw_godot_stream_options *options, gw_recognition *recognition);

/* One line: the Variants as gw_godot_print() writes them, and the other items, separated by "; ". */
void gw_godot_stream_print(gw_text *text, const uint8_t *bytes, size_t length, const gw_godot_stream_options *options);

/* The beginning of a message: the length of the bytes that follow. */
void gw_godot_stream_write_prefix(gw_output *output, gw_godot_stream_order order, uint32_t length);

#ifdef __cplusplus
}
#endif

#endif
