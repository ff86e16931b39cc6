/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Packets in a stream, and how strongly a segment indicates that there are such.
 *
 * Protocols on TCP often begin with a length and small numbers after it. What counts:
 *
 *   test                                                     bits
 *   the length is exactly that of the Variant after it       16, if the Variant proves anything itself; else none
 *   the Variant's own structure (gw_godot_validate)          its proof beyond the first header
 *   a Variant of fixed size                                  4, and 12 for all in one segment
 *   a packet that goes on after the segment                  half of what it has
 *   nothing that the generation's engines do not write       required, no bits
 */
#include <gamewire/godot_stream.h>

/* Readings that hold any of these are no engine's. */
#define IMPLAUSIBLE \
    ((uint32_t)(GW_GODOT_ODD_HEADER_BITS | GW_GODOT_ODD_FLAGS | GW_GODOT_ODD_BOOL | GW_GODOT_ODD_UTF8 | \
                GW_GODOT_ODD_NUL | GW_GODOT_ODD_PADDING | GW_GODOT_ODD_NO_PADDING | GW_GODOT_ODD_UNTERMINATED | \
                GW_GODOT_ODD_NODE_PATH_FLAGS | GW_GODOT_ODD_REJECTED))

#define PREFIX_BITS  16U
#define HEADER_PROOF 8U
#define FIXED_BITS   4U
#define FIXED_MOST   12U
#define MOST_BITS    (UINT32_C(1) << 20)
/* A nil is the smallest Variant. */
#define SMALLEST 4U

void gw_godot_stream_init(gw_godot_stream_reader *reader, const uint8_t *bytes, size_t length,
                          const gw_godot_stream_options *options)
{
    static const gw_godot_stream_options defaults = { .order = GW_GODOT_STREAM_LITTLE };
    options = options ? options : &defaults;
    bool too_long = length > INT32_MAX;
    *reader = (gw_godot_stream_reader){ .bytes = bytes, .length = too_long ? 0 : (uint32_t)length };
    reader->offset = options->offset < reader->length ? options->offset : reader->length;
    reader->limit = options->limit ? options->limit : GW_GODOT_STREAM_LIMIT;
    reader->order = (uint8_t)options->order;
    if (too_long)
        reader->fault = (gw_fault){ .code = GW_GODOT_STREAM_FAULT_INPUT_TOO_LONG, .fault_class = GW_FAULT_LIMIT };
}

static gw_next fail(gw_godot_stream_reader *reader, uint32_t code, uint32_t needed)
{
    reader->fault = (gw_fault){ .needed = needed,
                                .offset = reader->offset,
                                .code = code,
                                .fault_class = (uint8_t)gw_godot_stream_fault_class(code) };
    return GW_NEXT_FAULT;
}

static uint32_t prefix_at(const uint8_t *bytes, uint32_t order)
{
    return order == GW_GODOT_STREAM_BIG ? gw_be32(bytes) : gw_le32(bytes);
}

gw_next gw_godot_stream_next(gw_godot_stream_reader *reader, gw_godot_stream_event *event)
{
    uint32_t left = reader->length - reader->offset;
    if (reader->fault.fault_class != GW_FAULT_NONE)
        return GW_NEXT_FAULT;
    if (!left)
        return GW_NEXT_END;
    if (left < GW_GODOT_STREAM_PREFIX)
        return fail(reader, GW_GODOT_STREAM_FAULT_PREFIX_TRUNCATED, GW_GODOT_STREAM_PREFIX - left);
    uint32_t length = prefix_at(reader->bytes + reader->offset, reader->order);
    if (length > reader->limit)
        return fail(reader, GW_GODOT_STREAM_FAULT_PACKET_TOO_LONG, 0);
    left -= GW_GODOT_STREAM_PREFIX;
    if (length > left)
        return fail(reader, GW_GODOT_STREAM_FAULT_PACKET_TRUNCATED, length - left);
    uint32_t payload = reader->offset + GW_GODOT_STREAM_PREFIX;
    *event = (gw_godot_stream_event){ .kind = GW_VALUE,
                                      .index = reader->packets++,
                                      .odd = length ? 0 : GW_GODOT_STREAM_ODD_EMPTY,
                                      .header = { reader->offset, GW_GODOT_STREAM_PREFIX },
                                      .payload = { payload, length },
                                      .padding = { payload + length, 0 } };
    reader->offset = payload + length;
    return GW_NEXT_EVENT;
}

/* ---- looking ahead ------------------------------------------------------------------------------------- */

static bool is_plausible(const gw_godot_summary *summary)
{
    return !(summary->odd & IMPLAUSIBLE);
}

static uint32_t evidence_in(const gw_godot_summary *summary)
{
    return summary->proof > HEADER_PROOF ? PREFIX_BITS + summary->proof - HEADER_PROOF : FIXED_BITS;
}

gw_godot_stream_packet gw_godot_stream_look(const uint8_t *bytes, size_t length, const gw_godot_stream_options *options,
                                            gw_godot_generation generation, uint32_t *bits, uint32_t *needed)
{
    gw_godot_stream_reader reader;
    gw_godot_stream_event event;
    gw_godot_summary summary;
    const gw_godot_options variant = { .generation = generation };
    *bits = 0;
    gw_godot_stream_init(&reader, bytes, length, options);
    gw_next next = gw_godot_stream_next(&reader, &event);
    *needed = (uint32_t)reader.fault.needed;
    if (next == GW_NEXT_END || reader.fault.code == GW_GODOT_STREAM_FAULT_PREFIX_TRUNCATED)
        return GW_GODOT_STREAM_PART;
    if (next == GW_NEXT_EVENT) {
        bool whole = gw_godot_validate(bytes + event.payload.offset, event.payload.length, &variant, &summary) &&
                     summary.length == event.payload.length && is_plausible(&summary);
        *bits = whole ? evidence_in(&summary) : 0;
        return whole ? GW_GODOT_STREAM_WHOLE : GW_GODOT_STREAM_FOREIGN;
    }
    if (reader.fault.code != GW_GODOT_STREAM_FAULT_PACKET_TRUNCATED)
        return GW_GODOT_STREAM_FOREIGN;
    uint32_t from = reader.offset + GW_GODOT_STREAM_PREFIX;
    uint32_t declared = prefix_at(bytes + reader.offset, reader.order);
    if (declared < SMALLEST || declared % 4)
        return GW_GODOT_STREAM_FOREIGN;
    if (from == reader.length)
        return GW_GODOT_STREAM_PART;
    /* What is there must be the beginning of a Variant of just this length. */
    bool ended = gw_godot_validate(bytes + from, reader.length - from, &variant, &summary);
    if (ended || summary.fault.fault_class != GW_FAULT_TRUNCATED || summary.fault.needed > *needed ||
        !is_plausible(&(gw_godot_summary){ .odd = summary.odd & ~(uint32_t)GW_GODOT_ODD_COUNT }))
        return GW_GODOT_STREAM_FOREIGN;
    *bits = summary.values ? evidence_in(&summary) / 2 : 0;
    return GW_GODOT_STREAM_PART;
}

/* ---- recognising --------------------------------------------------------------------------------------- */

/* All packets of a segment, of which the last may go on after it; false when one of them cannot be. */
static bool read_segment(const uint8_t *bytes, size_t length, const gw_godot_stream_options *options,
                         gw_godot_generation generation, uint32_t *bits)
{
    gw_godot_stream_options at = *options;
    uint32_t fixed = 0;
    *bits = 0;
    while (at.offset < length && *bits < MOST_BITS) {
        uint32_t more, needed;
        gw_godot_stream_packet packet = gw_godot_stream_look(bytes, length, &at, generation, &more, &needed);
        if (packet == GW_GODOT_STREAM_FOREIGN)
            return false;
        fixed += more == FIXED_BITS ? more : 0;
        *bits += more == FIXED_BITS && fixed > FIXED_MOST ? 0 : more;
        if (packet == GW_GODOT_STREAM_PART)
            return true;
        at.offset += GW_GODOT_STREAM_PREFIX + prefix_at(bytes + at.offset, (uint32_t)at.order);
    }
    return true;
}

bool gw_godot_stream_recognise(const uint8_t *bytes, size_t captured, size_t wire_length,
                               const gw_godot_stream_options *options, gw_recognition *recognition)
{
    static const gw_godot_generation generations[] = { GW_GODOT_4, GW_GODOT_3, GW_GODOT_2 };
    *recognition = (gw_recognition){ 0 };
    (void)wire_length; /* a segment ends anywhere: what was not captured of it changes nothing */
    for (unsigned i = 0; i < sizeof generations / sizeof *generations; i++) {
        for (unsigned order = GW_GODOT_STREAM_LITTLE; order <= GW_GODOT_STREAM_BIG; order++) {
            gw_godot_stream_options one = { .order = (gw_godot_stream_order)order };
            uint32_t bits;
            if (options)
                one.limit = options->limit;
            if (!captured || !read_segment(bytes, captured, &one, generations[i], &bits))
                continue;
            recognition->possible = true;
            recognition->readings |= GW_GODOT_STREAM_READING(generations[i], order);
            recognition->bits = bits > recognition->bits ? bits : recognition->bits;
        }
    }
    return recognition->possible;
}

/* ---- writing and words --------------------------------------------------------------------------------- */

void gw_godot_stream_write(gw_output *output, gw_godot_stream_order order, const uint8_t *packet, uint32_t length)
{
    if (order == GW_GODOT_STREAM_BIG)
        gw_put_be32(output, length);
    else
        gw_put_le32(output, length);
    gw_put_bytes(output, packet, length);
}

static const struct {
    gw_fault_class fault_class;
    const char *text;
    const char *consequence;
} faults[GW_GODOT_STREAM_FAULTS] = {
    [GW_GODOT_STREAM_FAULT_NONE] = { GW_FAULT_NONE, "No fault", NULL },
    [GW_GODOT_STREAM_FAULT_PREFIX_TRUNCATED] = { GW_FAULT_TRUNCATED, "The data ends inside a packet's length",
                                                 "the receiver waits for the rest" },
    [GW_GODOT_STREAM_FAULT_PACKET_TRUNCATED] = { GW_FAULT_TRUNCATED, "The data ends inside a packet",
                                                 "the receiver waits for the rest" },
    [GW_GODOT_STREAM_FAULT_PACKET_TOO_LONG] = { GW_FAULT_MALFORMED, "A packet is longer than the receiver's buffer",
                                                "the receiver cannot read the packet" },
    [GW_GODOT_STREAM_FAULT_INPUT_TOO_LONG] = { GW_FAULT_LIMIT, "Longer than this reader takes", NULL },
};

const char *gw_godot_stream_fault_text(uint32_t code)
{
    return code < GW_GODOT_STREAM_FAULTS ? faults[code].text : "Unknown fault";
}

gw_fault_class gw_godot_stream_fault_class(uint32_t code)
{
    return code < GW_GODOT_STREAM_FAULTS ? faults[code].fault_class : GW_FAULT_NONE;
}

const char *gw_godot_stream_fault_consequence(uint32_t code)
{
    return code < GW_GODOT_STREAM_FAULTS ? faults[code].consequence : NULL;
}

const char *gw_godot_stream_odd_text(uint32_t odd)
{
    return odd == GW_GODOT_STREAM_ODD_EMPTY ? "A packet is empty, which the engine never sends" : "Unknown oddity";
}
