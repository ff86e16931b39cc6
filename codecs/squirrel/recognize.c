/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Is a payload script data? Three forms are tried: a frame, a frame in a RakNet message, and a command or container
 * without a frame. Scalars without a frame are never evidence: `o` alone is one byte of any protocol.
 *
 * The bits, with the parts that another protocol's structured payload has to match:
 *
 *   24  identifier: three fixed bytes, then one of 19 (random bytes: 27.8 bits). The natural look-alike are
 *       little-endian floats from 7.99998 to 7.99999, one of 2^24 in a stream of floats up to 100
 *    8  RakNet message: a big-endian length that is exactly the rest, in front of little-endian content
 *    4  a token from 1 to 2^24 (none for 0 and -1, which are common words; others are not possible)
 *   16  a chunk whose u16 length is exactly the rest; 4 for an index below the total, 4 for a size that real
 *       senders use
 *    8  in a frame, a value that ends exactly with the payload: its tag is one of 256 that fits
 *  4 3  the tag of the outermost command or container (12 and 6 of 256, all letters or signs)
 *    0  its exact length or count without a frame: `u8 type, u32 length of the rest` is a common layout, and
 *       0.8 to 7.7 % of such payloads with one to six letters have the grammar of values
 *    3  the tag of an inner command or container; 12 for its exact byte length, 4 for its count
 *   16  a string: its tag, a big-endian length among little-endian numbers, and text without control characters.
 *       3 if it is empty or not text; 13 for the text of a script, which has no tag
 *    8  a blob's length. 2 for each float that is 0 or from 2^-20 to 2^24; 3 for a bool; 1 for other scalars
 *
 * Everything must be consistent: right lengths, counts and arity, bools of 0 and 1, no unknown tag. Of random bodies
 * below 96 bytes after an identifier 3e-4 are (measured on two million), nearly all scalars of just that length.
 *
 * In a payload that the capture cut, only whole values are counted.
 */
#include "step.h"

#define IDENTIFIER_BITS   24
#define MESSAGE_BITS      8
#define TOKEN_BITS        4
#define CHUNK_LENGTH_BITS 16
#define CHUNK_INDEX_BITS  4
#define CHUNK_SIZE_BITS   4
#define EXACT_VALUE_BITS  8
#define EXACT_LENGTH_BITS 8
#define COMMAND_BITS      4
#define CONTAINER_BITS    3
#define INNER_LENGTH_BITS 12
#define INNER_COUNT_BITS  4
#define STRING_BITS       16
#define OTHER_STRING_BITS 3
#define SCRIPT_BITS       13
#define BLOB_BITS         8
#define FLOAT_BITS        2
#define BOOL_BITS         3
#define SCALAR_BITS       1
#define IDENTIFIER_LENGTH 4
#define LARGEST_TOKEN     ((1 << 24) - 1)

/* The captured bytes, and the length on the wire. */
struct view {
    const uint8_t *bytes;
    size_t captured;
    size_t length;
};

/* Oddities that real senders do not produce. */
#define STRANGE (GW_SQUIRREL_ODD_INVALID | GW_SQUIRREL_ODD_BOOL)

/* ---- the bits of values -------------------------------------------------------------------------------- */

/* True for bytes without control characters but tabs and line ends; false if there are none. Texts in code pages are
 * not UTF-8, so that bytes above 0x7F say nothing. */
static bool is_text(const uint8_t *bytes, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++)
        if ((bytes[i] < 0x20 && bytes[i] != '\t' && bytes[i] != '\n' && bytes[i] != '\r') || bytes[i] == 0x7F)
            return false;
    return length > 0;
}

/* Floats that are 0 or between 2^-20 and 2^24: numbers of a game are; random bits mostly are not. The sign is left
 * out; 127 is the bias of the exponent. */
static uint32_t bits_of_floats(const uint8_t *bytes, uint32_t length)
{
    for (uint32_t at = 0; at < length; at += 4) {
        uint32_t number = gw_le32(bytes + at) & 0x7FFFFFFFu, exponent = number >> 23;
        if (number && (exponent < 127 - 20 || exponent > 127 + 24))
            return SCALAR_BITS;
    }
    return FLOAT_BITS * (length / 4);
}

/* The evidence in bits of a scalar, string or blob, as listed at the top of this file. */
static uint32_t bits_of_value(const uint8_t *bytes, const gw_squirrel_event *event)
{
    const uint8_t *payload = bytes + event->payload.offset;
    uint32_t length = event->payload.length;
    switch (event->tag) {
    case GW_SQUIRREL_STRING:
    case GW_SQUIRREL_ERROR:
        if (!is_text(payload, length))
            return OTHER_STRING_BITS;
        /* A string has a tag and a u16 before it, a script only the u16. */
        return event->header.length == CONTAINER_HEAD - 2 ? STRING_BITS : SCRIPT_BITS;
    case GW_SQUIRREL_BLOB:
        return BLOB_BITS;
    case GW_SQUIRREL_FLOAT:
    case GW_SQUIRREL_VECTOR:
    case GW_SQUIRREL_QUATERNION:
        return bits_of_floats(payload, length);
    case GW_SQUIRREL_BOOL:
        return BOOL_BITS;
    default:
        return SCALAR_BITS;
    }
}

/* The bits of one event, as listed at the top of this file: of a container or command, its tag when it opens and its
 * exact length or count when it closes; of a value, its bytes. `framed`: the values are in a frame. Without one, the
 * exact length of the outermost value is no evidence, since many formats begin with a type and the length of the
 * rest. */
static uint32_t bits_of_event(const uint8_t *bytes, const gw_squirrel_event *event, bool framed)
{
    if (event->kind == GW_OPEN) {
        /* The tag of an inner command counts as the tag of a container. */
        bool is_command = gw_squirrel_is_command(gw_squirrel_find_type(event->tag));
        return is_command && !event->depth ? COMMAND_BITS : CONTAINER_BITS;
    }
    if (event->kind == GW_CLOSE) {
        if (event->depth)
            return event->counted ? INNER_COUNT_BITS : INNER_LENGTH_BITS;
        return framed ? EXACT_LENGTH_BITS : 0;
    }
    uint32_t bits = bits_of_value(bytes, event);
    /* A scalar that is the whole value ends exactly with the payload: it counts at least for that. */
    return event->depth || bits > EXACT_VALUE_BITS ? bits : EXACT_VALUE_BITS;
}

/* Reads values with one reading and adds up their `bits`; true if all are consistent. `lower_case`: an `a` or `t` was
 * read, so that the other reading may differ. */
static bool weigh_as(const struct view *view, const gw_squirrel_options *options, bool framed, uint32_t *bits,
                     bool *lower_case)
{
    gw_squirrel_reader reader;
    gw_squirrel_event event;
    uint32_t odd = 0;
    *bits = 0;
    gw_squirrel_init(&reader, view->bytes, view->captured, options);
    while (gw_squirrel_next(&reader, &event) == GW_NEXT_EVENT) {
        odd |= event.odd;
        if (odd & STRANGE)
            break;
        *bits += bits_of_event(view->bytes, &event, framed);
    }
    *lower_case = reader.lower_case;
    /* The values may end because of the capture. */
    bool is_cut =
        reader.fault.fault_class == GW_FAULT_TRUNCATED && reader.fault.needed <= view->length - view->captured;
    return !(odd & STRANGE) && (!reader.fault.code || is_cut);
}

/* Tries the readings that the options allow (the number after `a` and `t`: of bytes or of values), the second one only
 * if such a tag was read. True if the values are consistent in one of them; `bits` has its evidence. `framed`: the
 * values are in a frame. */
static bool weigh(const struct view *view, const gw_squirrel_options *options, bool framed, uint32_t *bits)
{
    gw_squirrel_options tried = *options;
    bool lower_case;
    if (gw_squirrel_is_undecided(tried.reading))
        tried.reading = gw_squirrel_first_reading(tried.reading);
    if (weigh_as(view, &tried, framed, bits, &lower_case))
        return true;
    tried.reading = gw_squirrel_other_reading(tried.reading);
    return lower_case && gw_squirrel_is_undecided(options->reading) &&
           weigh_as(view, &tried, framed, bits, &lower_case);
}

/* ---- frames -------------------------------------------------------------------------------------------- */

/* The bits of a frame: of its identifier, its token and its content, which is a chunk or values; 0 if the head
 * is truncated or one of them is not as real senders write it. */
static uint32_t bits_of_frame(const struct view *view)
{
    gw_squirrel_frame frame;
    gw_fault fault;
    uint32_t bits = IDENTIFIER_BITS, content;
    if (!gw_squirrel_read_frame(view->bytes, view->captured, &frame, &fault))
        return 0;
    /* Tokens are assigned from 0 or 1, and -1 means none: a text or a float at this offset has another high byte. */
    if (frame.type->token && (frame.token < -1 || frame.token > LARGEST_TOKEN))
        return 0;
    bits += frame.type->token && frame.token > 0 ? TOKEN_BITS : 0u;
    if (frame.type->content == GW_SQUIRREL_CONTENT_CHUNK) {
        /* The length is compared with the wire, because the codec's frame has only the captured bytes. */
        if (frame.chunk >= frame.chunks || frame.chunk_length != view->length - GW_SQUIRREL_SPLIT_HEAD ||
            frame.chunk_length > GW_SQUIRREL_CHUNK_SIZE)
            return 0;
        bool is_usual = frame.chunk == frame.chunks - 1 || frame.chunk_length == GW_SQUIRREL_CHUNK_SIZE;
        return bits + CHUNK_LENGTH_BITS + CHUNK_INDEX_BITS + (is_usual ? CHUNK_SIZE_BITS : 0u);
    }
    const gw_squirrel_options options = gw_squirrel_frame_options(&frame);
    return weigh(view, &options, true, &content) ? bits + content : 0;
}

/* True for one of the nineteen identifiers, or one that another release may use: the 32 numbers from 0x40FFFFE0 on. */
static bool begins_with_identifier(const struct view *view)
{
    return view->captured >= IDENTIFIER_LENGTH && gw_le32(view->bytes) >> 5 == GW_SQUIRREL_FIRST_FRAME >> 5;
}

/* ---- values without a frame ---------------------------------------------------------------------------- */

/* The bits of one value without a frame, whose only reading is that of bytes; 0 if it is not consistent. */
static uint32_t bits_of_values(const struct view *view)
{
    static const gw_squirrel_options options = { .reading = GW_SQUIRREL_BYTES };
    uint32_t bits;
    return weigh(view, &options, false, &bits) ? bits : 0;
}

/* ---- all forms ----------------------------------------------------------------------------------------- */

/* The part of a payload from `offset` on; `length`: of the payload on the wire. Without captured bytes, `bytes` may be
 * NULL and is not moved. */
static struct view part_of(const uint8_t *bytes, size_t captured, size_t length, size_t offset)
{
    if (offset > captured)
        offset = captured;
    return (struct view){ captured ? bytes + offset : bytes, captured - offset, length - offset };
}

/* Tests only the first bytes: returns the form in which the payload is to be read, or 0. A frame begins with its
 * identifier, a RakNet message has five bytes before it. A bare value must be a command or container whose length or
 * count fits the payload, because a value has no identifier. */
static uint32_t form_of(const struct view *whole)
{
    if (whole->captured < IDENTIFIER_LENGTH)
        return 0;
    if (begins_with_identifier(whole))
        return GW_SQUIRREL_READS_FRAME;
    if (whole->captured <= CONTAINER_HEAD)
        return 0;
    /* A command or container (the forms from SIZED on): the number after its tag is the length of all remaining bytes
     * or, if it is a count, at most that, because a value has at least one byte. It is not 0. */
    const gw_squirrel_type *type = gw_squirrel_find_type(whole->bytes[0]);
    uint32_t number = gw_le32(whole->bytes + 1);
    size_t left = whole->length - CONTAINER_HEAD;
    bool is_exact = type->form == GW_SQUIRREL_FORM_COUNTED ? number <= left : number == left;
    if (type->form >= GW_SQUIRREL_FORM_SIZED && number && is_exact)
        return GW_SQUIRREL_READS_VALUE;
    const struct view rest = part_of(whole->bytes, whole->captured, whole->length, GW_SQUIRREL_MESSAGE_HEAD);
    return begins_with_identifier(&rest) ? GW_SQUIRREL_READS_MESSAGE : 0;
}

/* Sets the evidence of a payload in bits and the form in which it can be read. True if it is possible: as a frame or
 * message even if its content is damaged (then its bits are 0), as values only if they are consistent. A message has
 * bits only if its length is exactly the rest of the payload. */
bool gw_squirrel_recognize(const uint8_t *bytes, size_t captured, size_t wire_length,
                           const gw_squirrel_options *options, gw_recognition *recognition)
{
    const struct view whole = part_of(bytes, captured, wire_length, options ? options->offset : 0);
    struct view frame;
    *recognition = (gw_recognition){ .readings = form_of(&whole) };
    switch (recognition->readings) {
    case GW_SQUIRREL_READS_FRAME:
        recognition->bits = bits_of_frame(&whole);
        break;
    case GW_SQUIRREL_READS_MESSAGE:
        frame = part_of(whole.bytes, whole.captured, whole.length, GW_SQUIRREL_MESSAGE_HEAD);
        recognition->bits = gw_be32(whole.bytes + 1) == frame.length ? bits_of_frame(&frame) : 0;
        recognition->bits += recognition->bits ? MESSAGE_BITS : 0;
        break;
    case GW_SQUIRREL_READS_VALUE:
        recognition->bits = bits_of_values(&whole);
        /* Without an identifier, values must be consistent to be possible; a damaged frame remains possible. */
        if (!recognition->bits)
            recognition->readings = 0;
        break;
    default:
        break;
    }
    recognition->possible = recognition->readings != 0;
    return recognition->possible;
}

/* The result of gw_squirrel_recognize() without its bits: true if the payload is possible. A frame or message is, by its
 * identifier alone; only values without a frame are read. */
bool gw_squirrel_is_possible(const uint8_t *bytes, size_t captured, size_t wire_length)
{
    const struct view whole = { bytes, captured, wire_length };
    uint32_t form = form_of(&whole);
    return form && (form != GW_SQUIRREL_READS_VALUE || bits_of_values(&whole));
}
