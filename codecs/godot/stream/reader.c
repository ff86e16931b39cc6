/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Messages in a stream: a length, and one Variant.
 *
 *   u32 length | Variant | u32 length | Variant | ... bytes of the game's own ... | u32 length | Variant
 *
 * Where a message is expected, one of four things is found:
 *
 *   whole     a length, and a Variant that ends where the length says
 *   cut       a length, and the beginning of such a Variant
 *   short     too few bytes to say
 *   foreign   none of these
 *
 * After foreign bytes the next whole message is searched for. If lengths lead from the foreign bytes to it without a
 * gap, they are packets without a Variant in them; if not, they are unknown.
 */
#include <gamewire/faults.h>
#include <gamewire/godot_stream.h>

#include <gamewire/bytes.h>

/* In a search, a message is at least a length and two words: a length of 4 and a nil are too many zeros. */
#define LEAST_FOUND 8U
/* A search in which nothing was found is repeated with more bytes: these may be the beginning of a message. */
#define LEAST_KEPT 8U
/* A message in front of which a recogniser skips bytes begins before this offset. */
#define MOST_SKIPPED 32U
#define MOST_BITS    UINT32_C(100000)

typedef enum frame_state { FRAME_FOREIGN, FRAME_SHORT, FRAME_CUT, FRAME_WHOLE } frame_state;

typedef struct frame {
    frame_state state;
    uint8_t order;
    uint32_t length; /* of the payload, CUT and WHOLE only */
    uint64_t needed; /* bytes beyond the input; SHORT and CUT only */
    gw_recognition recognition;
} frame;

/* ---- one message --------------------------------------------------------------------------------------- */

static uint32_t length_at(const uint8_t *bytes, gw_godot_stream_order order)
{
    return order == GW_GODOT_STREAM_BIG ? gw_be32(bytes) : gw_le32(bytes);
}

static bool is_plausible_length(uint32_t length)
{
    return length >= 4 && length <= GW_GODOT_STREAM_LONGEST;
}

/* Reads the bytes at an offset as a message in one byte order. */
static void look_in_order(const gw_godot_stream_reader *reader, uint32_t offset, gw_godot_stream_order order,
                          frame *found)
{
    const uint8_t *bytes = reader->bytes + offset;
    uint32_t left = reader->length - offset - GW_GODOT_STREAM_PREFIX;
    const gw_godot_options options = { .generation = reader->options.generation,
                                       .levels = reader->options.levels,
                                       .level_count = reader->options.level_count };
    *found = (frame){ .order = (uint8_t)order, .length = length_at(bytes, order) };
    if (!is_plausible_length(found->length))
        return;
    if (left < 4) {
        found->state = FRAME_SHORT;
        found->needed = 4 - left;
        return;
    }
    uint32_t there = left < found->length ? left : found->length;
    if (!gw_godot_recognise(bytes + GW_GODOT_STREAM_PREFIX, there, found->length, &options, &found->recognition))
        return;
    found->state = there == found->length ? FRAME_WHOLE : FRAME_CUT;
    found->needed = found->length - there;
}

/* The better of both orders, or of the one that is known. */
static void look(const gw_godot_stream_reader *reader, uint32_t offset, frame *found)
{
    uint32_t left = reader->length - offset;
    frame big;
    if (left < GW_GODOT_STREAM_PREFIX) {
        *found = (frame){ .state = FRAME_SHORT, .needed = GW_GODOT_STREAM_PREFIX - left };
        return;
    }
    if (reader->options.order == GW_GODOT_STREAM_BIG) {
        look_in_order(reader, offset, GW_GODOT_STREAM_BIG, found);
        return;
    }
    look_in_order(reader, offset, GW_GODOT_STREAM_LITTLE, found);
    if (reader->options.order == GW_GODOT_STREAM_LITTLE || found->state == FRAME_WHOLE)
        return;
    look_in_order(reader, offset, GW_GODOT_STREAM_BIG, &big);
    if (big.state > found->state)
        *found = big;
}

/* ---- after bytes that are no message ------------------------------------------------------------------- */

/* The cheap part of look(): whether a Variant may begin at the offset. */
static bool may_begin(const gw_godot_stream_reader *reader, uint32_t offset)
{
    const uint8_t *bytes = reader->bytes + offset;
    return !(gw_le32(bytes + GW_GODOT_STREAM_PREFIX) & UINT32_C(0xFFF0FFC0)) &&
           (is_plausible_length(gw_le32(bytes)) || is_plausible_length(gw_be32(bytes)));
}

/* Where the next whole message begins; reader->length when there is none. */
static uint32_t search(const gw_godot_stream_reader *reader, uint32_t offset)
{
    frame found;
    for (; reader->length - offset >= GW_GODOT_STREAM_PREFIX + LEAST_FOUND; offset++) {
        if (!may_begin(reader, offset))
            continue;
        look(reader, offset, &found);
        if (found.state == FRAME_WHOLE && found.length >= LEAST_FOUND && !found.recognition.unlikely)
            return offset;
    }
    return reader->length;
}

/* Whether lengths lead from one offset to the other without a gap. */
static bool lengths_lead(const gw_godot_stream_reader *reader, uint32_t from, uint32_t to)
{
    gw_godot_stream_order order =
        reader->options.order == GW_GODOT_STREAM_BIG ? GW_GODOT_STREAM_BIG : GW_GODOT_STREAM_LITTLE;
    while (from < to) {
        if (to - from < GW_GODOT_STREAM_PREFIX)
            return false;
        uint32_t length = length_at(reader->bytes + from, order);
        if (!length || length > to - from - GW_GODOT_STREAM_PREFIX)
            return false;
        from += GW_GODOT_STREAM_PREFIX + length;
    }
    return true;
}

/* ---- events -------------------------------------------------------------------------------------------- */

static gw_next fail(gw_godot_stream_reader *reader, gw_godot_stream_fault code, uint64_t needed)
{
    reader->fault = (gw_fault){ .needed = needed,
                                .offset = reader->offset,
                                .code = code,
                                .fault_class = (uint8_t)gw_godot_stream_fault_class(code) };
    return GW_NEXT_FAULT;
}

static void begin_event(gw_godot_stream_reader *reader, gw_godot_stream_event *event, gw_godot_stream_role role)
{
    *event = (gw_godot_stream_event){ .kind = role == GW_GODOT_STREAM_VARIANT ? GW_VALUE : GW_OPAQUE,
                                      .role = (uint8_t)role,
                                      .index = reader->index++ };
    event->header.offset = event->payload.offset = reader->offset;
}

static void end_event(gw_godot_stream_reader *reader, gw_godot_stream_event *event, uint32_t end)
{
    event->payload.length = end - event->payload.offset - event->padding.length;
    event->padding.offset = gw_span_end(event->payload);
    reader->offset = end;
}

static void set_prefix(gw_godot_stream_event *event, uint8_t order)
{
    event->order = order;
    event->header.length = GW_GODOT_STREAM_PREFIX;
    event->payload.offset += GW_GODOT_STREAM_PREFIX;
}

static gw_next take_variant(gw_godot_stream_reader *reader, gw_godot_stream_event *event, const frame *found)
{
    begin_event(reader, event, GW_GODOT_STREAM_VARIANT);
    set_prefix(event, found->order);
    if (found->recognition.unlikely)
        event->odd |= GW_GODOT_STREAM_ODD_VALUE;
    /* One stream has one order; a message that proves nothing does not decide on it. */
    if (found->recognition.bits)
        reader->options.order = (gw_godot_stream_order)found->order;
    end_event(reader, event, event->payload.offset + found->length);
    return GW_NEXT_EVENT;
}

static gw_next take_unknown(gw_godot_stream_reader *reader, gw_godot_stream_event *event, uint32_t end)
{
    begin_event(reader, event, GW_GODOT_STREAM_UNKNOWN);
    event->odd = GW_GODOT_STREAM_ODD_UNKNOWN;
    end_event(reader, event, end);
    return GW_NEXT_EVENT;
}

/* A Variant with structure in front of other bytes, all of which the length counts. */
static uint32_t trailing_bytes(const gw_godot_stream_reader *reader, gw_span payload)
{
    const gw_godot_options options = { .generation = reader->options.generation,
                                       .levels = reader->options.levels,
                                       .level_count = reader->options.level_count };
    gw_godot_summary summary;
    if (!gw_godot_validate(reader->bytes + payload.offset, payload.length, &options, &summary) || summary.proof < 32)
        return 0;
    return payload.length - summary.length;
}

/* Up to reader->known, lengths follow each other. */
static gw_next take_packet(gw_godot_stream_reader *reader, gw_godot_stream_event *event)
{
    gw_godot_stream_order order =
        reader->options.order == GW_GODOT_STREAM_BIG ? GW_GODOT_STREAM_BIG : GW_GODOT_STREAM_LITTLE;
    uint32_t length = length_at(reader->bytes + reader->offset, order);
    begin_event(reader, event, GW_GODOT_STREAM_PACKET);
    set_prefix(event, (uint8_t)order);
    event->payload.length = length;
    event->padding.length = trailing_bytes(reader, event->payload);
    if (event->padding.length) {
        event->kind = GW_VALUE;
        event->role = GW_GODOT_STREAM_VARIANT;
        event->odd = GW_GODOT_STREAM_ODD_TRAILING;
    }
    end_event(reader, event, event->payload.offset + length);
    return GW_NEXT_EVENT;
}

static gw_next take_foreign(gw_godot_stream_reader *reader, gw_godot_stream_event *event)
{
    uint32_t left = reader->length - reader->offset;
    uint32_t next = search(reader, reader->offset + 1);
    if (lengths_lead(reader, reader->offset, next)) {
        reader->known = next;
        return take_packet(reader, event);
    }
    if (next < reader->length || reader->options.is_end)
        return take_unknown(reader, event, next);
    if (left > GW_GODOT_STREAM_WINDOW)
        return take_unknown(reader, event, reader->length - LEAST_KEPT);
    return fail(reader, GW_GODOT_STREAM_FAULT_MESSAGE_TRUNCATED, 1);
}

/* ---- the reader ---------------------------------------------------------------------------------------- */

void gw_godot_stream_init(gw_godot_stream_reader *reader, const uint8_t *bytes, size_t length,
                          const gw_godot_stream_options *options)
{
    static const gw_godot_stream_options defaults = { .order = GW_GODOT_STREAM_ANY_ORDER };
    *reader = (gw_godot_stream_reader){ .bytes = bytes, .options = options ? *options : defaults };
    reader->offset = reader->options.offset;
    if (length > INT32_MAX) {
        fail(reader, GW_GODOT_STREAM_FAULT_INPUT_TOO_LONG, 0);
        return;
    }
    reader->length = (uint32_t)length;
    if (reader->offset > reader->length)
        reader->offset = reader->length;
}

gw_next gw_godot_stream_next(gw_godot_stream_reader *reader, gw_godot_stream_event *event)
{
    frame found;
    if (reader->fault.fault_class)
        return GW_NEXT_FAULT;
    if (reader->offset == reader->length)
        return GW_NEXT_END;
    look(reader, reader->offset, &found);
    if (found.state == FRAME_WHOLE)
        return take_variant(reader, event, &found);
    if (reader->offset < reader->known)
        return take_packet(reader, event);
    if (found.state == FRAME_FOREIGN)
        return take_foreign(reader, event);
    if (reader->options.is_end)
        return take_unknown(reader, event, reader->length);
    return fail(reader,
                found.state == FRAME_CUT ? GW_GODOT_STREAM_FAULT_VALUE_TRUNCATED
                                         : GW_GODOT_STREAM_FAULT_PREFIX_TRUNCATED,
                found.needed);
}

bool gw_godot_stream_validate(const uint8_t *bytes, size_t length, const gw_godot_stream_options *options,
                              gw_godot_stream_summary *summary)
{
    gw_godot_stream_reader reader;
    gw_godot_stream_event event;
    *summary = (gw_godot_stream_summary){ 0 };
    gw_godot_stream_init(&reader, bytes, length, options);
    while (gw_godot_stream_next(&reader, &event) == GW_NEXT_EVENT) {
        summary->odd |= event.odd;
        summary->variants += event.role == GW_GODOT_STREAM_VARIANT;
        summary->packets += event.role == GW_GODOT_STREAM_PACKET;
        if (event.role == GW_GODOT_STREAM_UNKNOWN)
            summary->unknown += event.payload.length;
        if (event.role == GW_GODOT_STREAM_VARIANT && !summary->order)
            summary->order = event.order;
    }
    summary->fault = reader.fault;
    summary->length = reader.offset - (options ? options->offset : 0);
    return !reader.fault.fault_class;
}

/* ---- recognising --------------------------------------------------------------------------------------- */

static uint32_t readings_of(const frame *found)
{
    return found->order == GW_GODOT_STREAM_BIG ? found->recognition.readings << 8 : found->recognition.readings;
}

static bool is_same(const gw_godot_stream_reader *reader, uint32_t one, uint32_t other, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++)
        if (reader->bytes[one + i] != reader->bytes[other + i])
            return false;
    return true;
}

/* Adds up the messages that follow each other from an offset on. */
static void add_messages(gw_godot_stream_reader *reader, uint32_t offset, gw_recognition *recognition)
{
    uint32_t last = 0, last_length = 0;
    frame found;
    for (; offset < reader->length; offset += GW_GODOT_STREAM_PREFIX + found.length) {
        look(reader, offset, &found);
        if (found.state == FRAME_FOREIGN || (found.state == FRAME_SHORT && recognition->readings))
            return;
        recognition->possible = true;
        if (found.state == FRAME_SHORT) {
            recognition->readings = UINT32_MAX;
            return;
        }
        uint32_t readings = readings_of(&found);
        if (recognition->readings && !(recognition->readings & readings))
            return;
        recognition->readings = recognition->readings ? recognition->readings & readings : readings;
        recognition->unlikely |= found.recognition.unlikely;
        /* Copies of the message before prove nothing more. */
        if (found.state == FRAME_CUT || last_length != found.length ||
            !is_same(reader, last, offset, found.length + GW_GODOT_STREAM_PREFIX))
            recognition->bits += found.recognition.bits;
        if (found.state == FRAME_CUT || recognition->bits > MOST_BITS)
            return;
        last = offset;
        last_length = found.length;
    }
}

bool gw_godot_stream_recognise(const uint8_t *bytes, size_t captured, size_t wire_length,
                               const gw_godot_stream_options *options, gw_recognition *recognition)
{
    gw_godot_stream_reader reader;
    *recognition = (gw_recognition){ 0 };
    gw_godot_stream_init(&reader, bytes, captured, options);
    if (!captured || captured > wire_length || reader.fault.fault_class)
        return false;
    add_messages(&reader, 0, recognition);
    if (recognition->possible)
        return true;
    uint32_t next = search(&reader, 1);
    if (next < reader.length && next < MOST_SKIPPED)
        add_messages(&reader, next, recognition);
    /* Skipped bytes may be anything: only a proof makes them possible. */
    if (recognition->bits < GW_RECOGNISED_ALONE)
        *recognition = (gw_recognition){ 0 };
    return recognition->possible;
}

/* ---- printing and writing ------------------------------------------------------------------------------ */

static gw_godot_generation generation_of(const gw_godot_stream_reader *reader, gw_span payload)
{
    gw_godot_guess guess;
    if (reader->options.generation != GW_GODOT_ANY)
        return reader->options.generation;
    gw_godot_detect(reader->bytes + payload.offset, payload.length, NULL, &guess);
    return (gw_godot_generation)guess.generation;
}

static void print_event(gw_text *text, const gw_godot_stream_reader *reader, const gw_godot_stream_event *event)
{
    if (event->role == GW_GODOT_STREAM_VARIANT) {
        const gw_godot_options options = { .generation = generation_of(reader, event->payload) };
        gw_godot_print(text, reader->bytes + event->payload.offset, event->payload.length, &options);
        return;
    }
    gw_text_unsigned(text, event->payload.length);
    gw_text_string(text, event->role == GW_GODOT_STREAM_PACKET ? " bytes" : " unknown bytes");
}

void gw_godot_stream_print(gw_text *text, const uint8_t *bytes, size_t length, const gw_godot_stream_options *options)
{
    gw_godot_stream_reader reader;
    gw_godot_stream_event event;
    gw_next next;
    gw_godot_stream_init(&reader, bytes, length, options);
    while ((next = gw_godot_stream_next(&reader, &event)) == GW_NEXT_EVENT && !text->cut) {
        gw_text_string(text, event.index ? "; " : "");
        print_event(text, &reader, &event);
    }
    if (next == GW_NEXT_FAULT)
        gw_text_string(text, reader.index ? "; <truncated>" : "<truncated>");
}

void gw_godot_stream_write_prefix(gw_output *output, gw_godot_stream_order order, uint32_t length)
{
    if (order == GW_GODOT_STREAM_BIG)
        gw_put_be32(output, length);
    else
        gw_put_le32(output, length);
}

/* ---- words --------------------------------------------------------------------------------------------- */

static const gw_fault_row faults[GW_GODOT_STREAM_FAULTS] = {
    [GW_GODOT_STREAM_FAULT_NONE] = { GW_FAULT_NONE, "No fault", NULL },
    [GW_GODOT_STREAM_FAULT_PREFIX_TRUNCATED] = { GW_FAULT_TRUNCATED, "The stream ends before a message's Variant",
                                                 "the engine waits for the rest" },
    [GW_GODOT_STREAM_FAULT_VALUE_TRUNCATED] = { GW_FAULT_TRUNCATED, "The stream ends inside a Variant",
                                                "the engine waits for the rest" },
    [GW_GODOT_STREAM_FAULT_MESSAGE_TRUNCATED] = { GW_FAULT_TRUNCATED, "No message begins in these bytes", NULL },
    [GW_GODOT_STREAM_FAULT_INPUT_TOO_LONG] = { GW_FAULT_LIMIT, "Longer than this reader takes", NULL },
};

const char *gw_godot_stream_fault_text(uint32_t code)
{
    return gw_fault_row_of(faults, GW_GODOT_STREAM_FAULTS, code).text;
}

gw_fault_class gw_godot_stream_fault_class(uint32_t code)
{
    return gw_fault_row_of(faults, GW_GODOT_STREAM_FAULTS, code).fault_class;
}

const char *gw_godot_stream_fault_consequence(uint32_t code)
{
    return gw_fault_row_of(faults, GW_GODOT_STREAM_FAULTS, code).consequence;
}

const char *gw_godot_stream_odd_text(uint32_t odd)
{
    switch (odd) {
    case GW_GODOT_STREAM_ODD_VALUE:
        return "The Variant has something that engines do not write";
    case GW_GODOT_STREAM_ODD_TRAILING:
        return "Bytes follow the Variant inside its message; the engine ignores them";
    case GW_GODOT_STREAM_ODD_UNKNOWN:
        return "Bytes that are no message: the game's own, or the rest of a message that began before the capture";
    default:
        return "Unknown oddity";
    }
}
