/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Packets in a stream of bytes: what StreamPeer.put_var and PacketPeerStream write to TCP.
 *
 * A packet is a u32 length and as many bytes, one Variant or (PacketPeerStream.put_packet) anything. The length is
 * little-endian, but for a StreamPeer with big_endian set; the Variant is little-endian in both (observed). Where one
 * TCP segment ends says nothing: the length may be a segment of its own (observed). A StreamPeer may write other things
 * between its Variants, so that a stream does not describe itself.
 *
 * Nothing allocates, recurses or keeps the input.
 */
#ifndef GAMEWIRE_GODOT_STREAM_H
#define GAMEWIRE_GODOT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gamewire/godot.h>
#include <gamewire/output.h>
#include <gamewire/recognition.h>
#include <gamewire/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gw_godot_stream_order { GW_GODOT_STREAM_LITTLE, GW_GODOT_STREAM_BIG } gw_godot_stream_order;

#define GW_GODOT_STREAM_PREFIX 4U
/* The engine's buffers take 64 KiB by default and 8 MiB in the debugger (source). */
#define GW_GODOT_STREAM_LIMIT (UINT32_C(8) << 20)

typedef enum gw_godot_stream_odd {
    GW_GODOT_STREAM_ODD_EMPTY = 1 << 0 /* length 0, which engines never write (observed) */
} gw_godot_stream_odd;

const char *gw_godot_stream_odd_text(uint32_t odd);

/* header: the length word; payload: the packet; padding: always empty. */
typedef struct gw_godot_stream_event {
    uint8_t kind;  /* gw_kind: always GW_VALUE */
    uint8_t depth; /* always 0 */
    uint32_t index;
    uint32_t odd;
    gw_span header;
    gw_span payload;
    gw_span padding;
} gw_godot_stream_event;

typedef enum gw_godot_stream_fault {
    GW_GODOT_STREAM_FAULT_NONE,
    GW_GODOT_STREAM_FAULT_PREFIX_TRUNCATED, /* truncated: fewer than four bytes for a length */
    GW_GODOT_STREAM_FAULT_PACKET_TRUNCATED, /* truncated: a packet longer than what is left */
    GW_GODOT_STREAM_FAULT_PACKET_TOO_LONG,  /* malformed: longer than the limit */
    GW_GODOT_STREAM_FAULT_INPUT_TOO_LONG,   /* limit: input of 2 GiB or more */
    GW_GODOT_STREAM_FAULTS
} gw_godot_stream_fault;

const char *gw_godot_stream_fault_text(uint32_t code);
gw_fault_class gw_godot_stream_fault_class(uint32_t code);
const char *gw_godot_stream_fault_consequence(uint32_t code);

typedef struct gw_godot_stream_options {
    gw_godot_stream_order order;
    uint32_t offset; /* where reading starts: at a length */
    uint32_t limit;  /* of a packet; 0: GW_GODOT_STREAM_LIMIT */
} gw_godot_stream_options;

typedef struct gw_godot_stream_reader {
    const uint8_t *bytes;
    uint32_t length;
    uint32_t offset;
    uint32_t limit;
    uint32_t packets;
    uint8_t order;
    gw_fault fault;
} gw_godot_stream_reader;

/* `options` may be NULL: little-endian, from the start. */
void gw_godot_stream_init(gw_godot_stream_reader *reader, const uint8_t *bytes, size_t length,
                          const gw_godot_stream_options *options);
gw_next gw_godot_stream_next(gw_godot_stream_reader *reader, gw_godot_stream_event *event);

/* A length that a packet can have which begins with a Variant. */
typedef enum gw_godot_stream_packet {
    GW_GODOT_STREAM_FOREIGN, /* no packet with a Variant can begin so */
    GW_GODOT_STREAM_PART,    /* its beginning: nothing speaks against it */
    GW_GODOT_STREAM_WHOLE    /* all of it, with exactly one Variant that engines write */
} gw_godot_stream_packet;

/* Looks at the packet that begins at options->offset. `bits` gets the evidence in it, for a WHOLE or a PART; `needed`
 * how many bytes more the packet has. */
gw_godot_stream_packet gw_godot_stream_look(const uint8_t *bytes, size_t length, const gw_godot_stream_options *options,
                                            gw_godot_generation generation, uint32_t *bits, uint32_t *needed);

/* Bits of `readings`: one for each generation and order. */
#define GW_GODOT_STREAM_READING(generation, order) (UINT32_C(1) << ((unsigned)(generation) + 8U * (unsigned)(order)))

/* How strongly a segment that begins with a packet indicates a stream of Variants. */
bool gw_godot_stream_recognise(const uint8_t *bytes, size_t captured, size_t wire_length,
                               const gw_godot_stream_options *options, gw_recognition *recognition);

void gw_godot_stream_write(gw_output *output, gw_godot_stream_order order, const uint8_t *packet, uint32_t length);

#ifdef __cplusplus
}
#endif

#endif
