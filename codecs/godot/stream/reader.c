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
 * A cut message without evidence is foreign if whole messages are found in it: a number that the game sent may be a
 * plausible length, and the length of the next message a type: put_u32(200000), then put_var({"a": 0}).
 *
 * After foreign bytes the next whole message is searched for. If lengths lead from the foreign bytes to it without a
 * gap, they are packets without a Variant in them; if not, they are unknown.
 */
#include "reader.h"

#include <gamewire/bytes.h>

/* In a search, a message is at least a length and two words: a length of 4 with a nil has too many zeros to be
 * evidence. */
#define LEAST_FOUND 8U
/* After a search without a result, this many bytes are searched again with further ones: they may be the start of a
 * message. */
#define LEAST_KEPT 8U
/* Bytes read as Variants for each byte of the stream. A message takes 12 at most: two times, when it is searched for
 * and when it is reported, it is validated and weighed in three generations. */
#define WORK_PER_BYTE 32U
#define GENERATIONS   3U
/* Up to this number of bytes, a truncated message without evidence is uncertain. */
#define MOST_UNCERTAIN 4096U

/* ---- one message --------------------------------------------------------------------------------------- */

/* The length before a message, in this byte order. */
static uint32_t length_at(const uint8_t *bytes, gw_godot_stream_order order)
{
    return order == GW_GODOT_STREAM_BIG ? gw_be32(bytes) : gw_le32(bytes);
}

/* True for the length of a Variant: at least its header. Longer ones than GW_GODOT_STREAM_LONGEST are not read. */
static bool is_plausible_length(uint32_t length)
{
    return length >= 4 && length <= GW_GODOT_STREAM_LONGEST;
}

/* The options for reading a Variant of the stream. */
static gw_godot_options variant_options(const gw_godot_stream_reader *reader)
{
    return (gw_godot_options){ .generation = reader->options.generation,
                               .levels = reader->options.levels,
                               .level_count = reader->options.level_count };
}

/* False if no generation reads these bytes as a Variant of this length, or as the beginning of one. `available`: the
 * number of its bytes in the input. A test before gw_godot_recognize(), which weighs the evidence: validating costs
 * less, and returns how many bytes were read, which are added to reader->work. */
static bool is_readable(gw_godot_stream_reader *reader, const uint8_t *bytes, uint32_t available, uint32_t length)
{
    gw_godot_options options = variant_options(reader);
    gw_godot_generation requested = options.generation;
    bool is_found = false;
    gw_godot_summary summary;
    for (unsigned generation = GW_GODOT_4; generation >= GW_GODOT_2 && !is_found; generation--) {
        if (requested != GW_GODOT_ANY && (unsigned)requested != generation)
            continue;
        options.generation = (gw_godot_generation)generation;
        bool is_whole = gw_godot_validate(bytes, available, &options, &summary);
        is_found =
            available < length ? summary.fault.fault_class == GW_FAULT_TRUNCATED : is_whole && summary.length == length;
        /* If a string array is incomplete, the length does not include it. */
        reader->work += summary.length + summary.text_bytes;
    }
    return is_found;
}

/* Reads the bytes at an offset as a message of at most `longest` bytes in one byte order; the input contains the
 * length. The state of the message remains FRAME_FOREIGN, which is 0, if they are not a message. */
static void read_in_order(gw_godot_stream_reader *reader, uint32_t offset, uint32_t longest,
                          gw_godot_stream_order order, frame *message)
{
    const uint8_t *bytes = reader->bytes + offset;
    const gw_godot_options options = variant_options(reader);
    uint32_t left = reader->length - offset - GW_GODOT_STREAM_PREFIX;
    *message = (frame){ .order = (uint8_t)order, .length = length_at(bytes, order) };
    if (!is_plausible_length(message->length) || message->length > longest)
        return;
    if (left < 4) { /* less than a Variant's header */
        message->state = FRAME_SHORT;
        message->needed = 4 - left;
        return;
    }
    /* reader->work counts the bytes that were read as Variants, and is limited by the offset. Otherwise bytes could be
     * made of which each begins a long Variant with an error at its end: the time would grow with the square of their
     * number. */
    uint32_t available = left < message->length ? left : message->length;
    bytes += GW_GODOT_STREAM_PREFIX;
    if (reader->work > GW_GODOT_STREAM_WINDOW + (uint64_t)offset * WORK_PER_BYTE ||
        !gw_godot_may_begin(bytes, available, message->length) ||
        !is_readable(reader, bytes, available, message->length))
        return;
    reader->work += (uint64_t)available * GENERATIONS;
    if (!gw_godot_recognize(bytes, available, message->length, &options, &message->recognition))
        return;
    message->state = available == message->length ? FRAME_WHOLE : FRAME_CUT;
    message->needed = message->length - available;
}

/* The byte order to try first: of the options, or of the last message with evidence, or little-endian. */
static gw_godot_stream_order first_order(const gw_godot_stream_reader *reader)
{
    gw_godot_stream_order order =
        reader->options.order != GW_GODOT_STREAM_ANY_ORDER ? reader->options.order : reader->options.last_order;
    return order == GW_GODOT_STREAM_BIG ? GW_GODOT_STREAM_BIG : GW_GODOT_STREAM_LITTLE;
}

/* Reads the bytes at the offset as a message of at most `longest` bytes: in the byte order of the options or, if they
 * have none, in the order of the previous message and, unless it is a whole message in this order, in the other one
 * too. Sets `message` to the better result. */
void gw_godot_stream_look(gw_godot_stream_reader *reader, uint32_t offset, uint32_t longest, frame *message)
{
    uint32_t left = reader->length - offset;
    gw_godot_stream_order order = first_order(reader);
    frame second;
    if (left < GW_GODOT_STREAM_PREFIX) {
        *message = (frame){ .state = FRAME_SHORT, .needed = GW_GODOT_STREAM_PREFIX - left };
        return;
    }
    read_in_order(reader, offset, longest, order, message);
    if (reader->options.order != GW_GODOT_STREAM_ANY_ORDER || message->state == FRAME_WHOLE)
        return;
    order = order == GW_GODOT_STREAM_BIG ? GW_GODOT_STREAM_LITTLE : GW_GODOT_STREAM_BIG;
    read_in_order(reader, offset, longest, order, &second);
    /* The first message: the order with the better state, from FRAME_FOREIGN up to FRAME_WHOLE. After earlier messages,
     * the second order is used only if the bytes are not a message in the first. A truncated message needs evidence
     * then: TCP would wait for its missing bytes, up to 16 MiB. */
    bool is_better = second.state > message->state;
    if (reader->options.last_order != GW_GODOT_STREAM_ANY_ORDER)
        is_better = message->state == FRAME_FOREIGN && !second.recognition.unlikely &&
                    (second.state == FRAME_WHOLE || second.recognition.bits);
    if (is_better)
        *message = second;
}

/* ---- after bytes that are not a message ---------------------------------------------------------------- */

/* Searches for the next message that begins from `offset` up to `end`; returns its offset and sets `message`. If there
 * is none, returns reader->length. The message must be whole, with a Variant of LEAST_FOUND bytes or more that is not
 * unlikely (recognition.unlikely), since nothing else shows that a message begins there. */
uint32_t gw_godot_stream_search(gw_godot_stream_reader *reader, uint32_t offset, uint32_t end, frame *message)
{
    for (; offset < end && reader->length - offset >= GW_GODOT_STREAM_PREFIX + LEAST_FOUND; offset++) {
        const uint8_t *bytes = reader->bytes + offset;
        uint32_t left = reader->length - offset - GW_GODOT_STREAM_PREFIX;
        /* The cheapest tests first: the Variant's header has none of the bits that engines never set, and in one of
         * the byte orders the length is plausible and within the input. */
        if (gw_le32(bytes + GW_GODOT_STREAM_PREFIX) & UINT32_C(0xFFF0FFC0) ||
            (!is_plausible_length(gw_le32(bytes)) && !is_plausible_length(gw_be32(bytes))) ||
            (gw_le32(bytes) > left && gw_be32(bytes) > left))
            continue;
        gw_godot_stream_look(reader, offset, left, message);
        /* If its byte order differs from the order of earlier messages, its length is not sufficient evidence. */
        bool is_other =
            reader->options.last_order != GW_GODOT_STREAM_ANY_ORDER && message->order != first_order(reader);
        if (message->state == FRAME_WHOLE && message->length >= LEAST_FOUND && !message->recognition.unlikely &&
            (!is_other || message->recognition.bits))
            return offset;
    }
    return reader->length;
}

/* True if the lengths of consecutive messages, in the order of first_order(), lead exactly from one offset to the
 * other. None may be 0: any run of zeros would be messages. */
static bool lengths_lead(const gw_godot_stream_reader *reader, uint32_t from, uint32_t to)
{
    gw_godot_stream_order order = first_order(reader);
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

/* Ends the reading with a fault at the reader's offset. */
static gw_next fail(gw_godot_stream_reader *reader, gw_godot_stream_fault code, uint64_t needed)
{
    gw_set_fault(&reader->fault, &gw_godot_stream_faults, code, reader->offset, needed);
    return GW_NEXT_FAULT;
}

/* Starts an event at the reader's offset; a length at its beginning is added by set_prefix(). */
static void begin_event(gw_godot_stream_reader *reader, gw_godot_stream_event *event, gw_godot_stream_role role)
{
    *event = (gw_godot_stream_event){ .kind = role == GW_GODOT_STREAM_ROLE_VARIANT ? GW_VALUE : GW_OPAQUE,
                                      .role = (uint8_t)role,
                                      .index = reader->index++ };
    event->header.offset = event->payload.offset = reader->offset;
}

/* Ends an event, whose padding has its length already, and advances the reader to `end`. */
static void end_event(gw_godot_stream_reader *reader, gw_godot_stream_event *event, uint32_t end)
{
    event->payload.length = end - event->payload.offset - event->padding.length;
    event->padding.offset = gw_span_end(event->payload);
    reader->offset = end;
}

/* Adds the length before the payload to an event that begins with it. */
static void set_prefix(gw_godot_stream_event *event, uint8_t order)
{
    event->order = order;
    event->header.length = GW_GODOT_STREAM_PREFIX;
    event->payload.offset += GW_GODOT_STREAM_PREFIX;
}

/* Returns the bytes up to `end` as bytes that belong to no message. */
static gw_next read_unknown(gw_godot_stream_reader *reader, gw_godot_stream_event *event, uint32_t end)
{
    begin_event(reader, event, GW_GODOT_STREAM_ROLE_UNKNOWN);
    event->odd = GW_GODOT_STREAM_ODD_UNKNOWN;
    end_event(reader, event, end);
    return GW_NEXT_EVENT;
}

/* Reads a message without a Variant in it, such as one of put_packet(). It is before reader->known: up to this offset
 * lengths_lead() has tested that the lengths lead from message to message. */
static gw_next read_packet(gw_godot_stream_reader *reader, gw_godot_stream_event *event)
{
    gw_godot_stream_order order = first_order(reader);
    uint32_t length = length_at(reader->bytes + reader->offset, order);
    begin_event(reader, event, GW_GODOT_STREAM_ROLE_PACKET);
    set_prefix(event, (uint8_t)order);
    event->payload.length = length;
    /* If it begins with a Variant, with so much structure (32 bits of proof) that this is not by chance, and other
     * bytes follow, it is a message with trailing bytes. */
    const gw_godot_options options = variant_options(reader);
    gw_godot_summary summary;
    if (gw_godot_validate(reader->bytes + event->payload.offset, length, &options, &summary) && summary.proof >= 32 &&
        summary.length < length) {
        event->padding.length = length - summary.length;
        event->kind = GW_VALUE;
        event->role = GW_GODOT_STREAM_ROLE_VARIANT;
        event->odd = GW_GODOT_STREAM_ODD_TRAILING;
    }
    end_event(reader, event, event->payload.offset + length);
    return GW_NEXT_EVENT;
}

/* Reads bytes that are not a message with a Variant. If lengths lead from them to the next such message, or else to the
 * end of the input, they are packets: reads the first of them. If not, they are unknown bytes up to there. */
static gw_next read_foreign(gw_godot_stream_reader *reader, gw_godot_stream_event *event)
{
    uint32_t left = reader->length - reader->offset;
    frame message;
    uint32_t next = gw_godot_stream_search(reader, reader->offset + 1, reader->length, &message);
    if (lengths_lead(reader, reader->offset, next)) {
        reader->known = next;
        return read_packet(reader, event);
    }
    /* A message follows, or no more bytes will. */
    if (next < reader->length || reader->options.is_end)
        return read_unknown(reader, event, next);
    /* So many bytes are reported without the next message; fewer are kept until more bytes have arrived. */
    if (left > GW_GODOT_STREAM_WINDOW)
        return read_unknown(reader, event, reader->length - LEAST_KEPT);
    return fail(reader, GW_GODOT_STREAM_FAULT_MESSAGE_TRUNCATED, 1); /* at least one byte more */
}

/* ---- truncated messages without evidence --------------------------------------------------------------- */

/* True if the truncated message ends where the truncated value inside it does, in one of the generations that read it:
 * the length of the message and that of its last value agree, which is evidence for both. */
static bool ends_at_length(gw_godot_stream_reader *reader, const frame *message)
{
    uint32_t start = reader->offset + GW_GODOT_STREAM_PREFIX;
    gw_godot_options options = variant_options(reader);
    gw_godot_summary summary;
    for (unsigned generation = GW_GODOT_2; generation <= GW_GODOT_4; generation++) {
        options.generation = (gw_godot_generation)generation;
        if (!(message->recognition.readings & GW_GODOT_GENERATION_BIT(generation)))
            continue;
        /* The fault has the number of bytes that the truncated value lacks. It is the last one if fewer than four
         * bytes of the message remain after it, since every value has at least four. */
        gw_godot_validate(reader->bytes + start, reader->length - start, &options, &summary);
        reader->work += summary.length + summary.text_bytes;
        if (summary.fault.needed <= message->needed && message->needed - summary.fault.needed < 4)
            return true;
    }
    return false;
}

/* True if more than half of the bytes from the reader's offset on, up to GW_GODOT_STREAM_WINDOW of them, are whole
 * messages with evidence: then the truncated message around them is FRAME_FOREIGN. By chance, or in an array of bytes,
 * a message contains others too, but seldom so many. */
static bool holds_messages(gw_godot_stream_reader *reader)
{
    uint32_t left = reader->length - reader->offset;
    uint32_t size = left < GW_GODOT_STREAM_WINDOW ? left : GW_GODOT_STREAM_WINDOW;
    uint32_t offset = reader->offset + 1, end = reader->offset + size, covered = 0;
    frame message = { 0 };
    while ((offset = gw_godot_stream_search(reader, offset, end, &message)) < end) {
        uint32_t length = GW_GODOT_STREAM_PREFIX + message.length;
        covered += message.recognition.bits ? length : 0;
        offset += length;
    }
    return covered > size / 2;
}

/* ---- the reader ---------------------------------------------------------------------------------------- */

/* Starts at options->offset; `options` NULL: at the start, in any byte order and generation. */
void gw_godot_stream_init(gw_godot_stream_reader *reader, const uint8_t *bytes, size_t length,
                          const gw_godot_stream_options *options)
{
    static const gw_godot_stream_options defaults = { .order = GW_GODOT_STREAM_ANY_ORDER };
    *reader = (gw_godot_stream_reader){ .bytes = bytes, .options = options ? *options : defaults };
    reader->offset = reader->options.offset;
    if (length > GW_LONGEST_INPUT) {
        fail(reader, GW_GODOT_STREAM_FAULT_TOO_LONG, 0);
        return;
    }
    reader->length = (uint32_t)length;
    if (reader->offset > reader->length)
        reader->offset = reader->length;
}

/* Reads the next item: a message with a Variant, one without (a packet), or unknown bytes. GW_NEXT_END at the end of
 * the input. GW_NEXT_FAULT if more bytes are needed: fault.needed of them at least, except if reader->is_uncertain.
 * With options.is_end no more will arrive, and the rest is returned as unknown bytes. */
gw_next gw_godot_stream_next(gw_godot_stream_reader *reader, gw_godot_stream_event *event)
{
    frame message;
    if (reader->fault.fault_class)
        return GW_NEXT_FAULT;
    if (reader->offset == reader->length)
        return GW_NEXT_END;
    gw_godot_stream_look(reader, reader->offset, GW_GODOT_STREAM_LONGEST, &message);
    if (message.state == FRAME_WHOLE) {
        begin_event(reader, event, GW_GODOT_STREAM_ROLE_VARIANT);
        set_prefix(event, message.order);
        event->odd = message.recognition.unlikely ? GW_GODOT_STREAM_ODD_VALUE : 0;
        /* A message without evidence does not determine the byte order of the next one. */
        if (message.recognition.bits)
            reader->options.last_order = (gw_godot_stream_order)message.order;
        end_event(reader, event, event->payload.offset + message.length);
        return GW_NEXT_EVENT;
    }
    /* Lengths lead on from here, so that this is a message, although it is not a Variant. */
    if (reader->offset < reader->known)
        return read_packet(reader, event);
    /* A truncated message without evidence is foreign if it holds messages. While the input has few of its bytes,
     * it may yet hold them: then its length is uncertain too. */
    if (message.state == FRAME_CUT && !message.recognition.bits && !ends_at_length(reader, &message)) {
        if (holds_messages(reader))
            message.state = FRAME_FOREIGN;
        else
            reader->is_uncertain = reader->length - reader->offset < MOST_UNCERTAIN;
    }
    if (message.state == FRAME_FOREIGN)
        return read_foreign(reader, event);
    if (reader->options.is_end)
        return read_unknown(reader, event, reader->length);
    return fail(reader,
                message.state == FRAME_CUT ? GW_GODOT_STREAM_FAULT_VALUE_TRUNCATED
                                           : GW_GODOT_STREAM_FAULT_PREFIX_TRUNCATED,
                message.needed);
}

/* Reads the stream to its end for its summary, whose byte order is that of the first Variant; false if it ends with a
 * fault. */
bool gw_godot_stream_validate(const uint8_t *bytes, size_t length, const gw_godot_stream_options *options,
                              gw_godot_stream_summary *summary)
{
    gw_godot_stream_reader reader;
    gw_godot_stream_event event;
    *summary = (gw_godot_stream_summary){ 0 };
    gw_godot_stream_init(&reader, bytes, length, options);
    while (gw_godot_stream_next(&reader, &event) == GW_NEXT_EVENT) {
        summary->odd |= event.odd;
        summary->variants += event.role == GW_GODOT_STREAM_ROLE_VARIANT;
        summary->packets += event.role == GW_GODOT_STREAM_ROLE_PACKET;
        if (event.role == GW_GODOT_STREAM_ROLE_UNKNOWN)
            summary->unknown += event.payload.length;
        if (event.role == GW_GODOT_STREAM_ROLE_VARIANT && !summary->order)
            summary->order = event.order;
    }
    summary->fault = reader.fault;
    summary->length = reader.offset - (options ? options->offset : 0);
    return !reader.fault.fault_class;
}

/* Writes the length of a message, which is before it, in this byte order. */
void gw_godot_stream_write_prefix(gw_output *output, gw_godot_stream_order order, uint32_t length)
{
    if (order == GW_GODOT_STREAM_BIG)
        gw_put_be32(output, length);
    else
        gw_put_le32(output, length);
}
