/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Whether a UDP payload is a Variant.
 *
 * A put_var datagram is one Variant and nothing else, without magic number or checksum (observed). Its structure is
 * all there is to recognize it by. The tests, and how often they are passed by random bytes and by the structured
 * payloads of other protocols (little-endian words that are types, counters, times, lengths and texts):
 *
 *   test                                                       random        structured    bits
 *   whole words; bytes 1 and 3 and bits 20-23 of the first
 *   word zero, its byte 0 a type                               2^-24         1 in 5        required
 *   the value ends where the payload does                      2^-2..2^-32   1 in 3        required
 *   nothing in it that the generation's engines never write    2^-1..        1 in 2        required, else unlikely;
 *                                                                                          odd alone if there are only
 *                                                                                          integers and floats
 *   no float is denormal, NaN or beyond 1e15                   1 in 2 each   integers and text: never; floats: always
 *                                                                                          required, else unlikely
 *   no control character in a text                             1 in 2^3      small numbers: never; texts: always
 *                                                                                          required, else unlikely
 *   a count that is not zero, of the root                      2^-28         2^-4          4
 *   ... of a container inside                                  2^-28         2^-2          2
 *   the first header of its type inside a container            2^-17..       2^-8; int and bool 2^-6   8, 6
 *   a further header of a type that was there                  2^-17..       2^-2: records repeat      2
 *   the first key that is a name of two letters or more        2^-30..       2^-8: a name between a String's
 *                                                                            header and the next header 8
 *   a further one                                              2^-30..       2^-2                      2
 *   a nil                                                      2^-32         zeros are everywhere      0
 *   the first text: length fits, padding zero (a name: any)    2^-30..       of 4 letters 2^-8, 2 letters 2^-4, else
 *                                                                            2^-2: small numbers       8, 4, 2
 *   a further text of 2 letters                                2^-30..       2^-4; else 2^-2: records have their
 *                                                                            lengths                   4, 2
 *   a NodePath's head: bit 31, counts, flags                   2^-60         2^-10         10
 *   two keys or more of the root, all texts, no two equal,     2^-60..       2^-8: the records of lists are alike,
 *   a text among its values, and another type too                            their names have no type        8
 *   the 64-bit flag on a float                                 2^-16         2^-4          4
 *   a declared type of a typed container                       2^-30         2^-6          6
 *   a float from 1e-6 to 1e7, its bytes not all letters        1 in 6        2^-2          2 each, 16 at the most
 *
 * Values of fixed size have their floats and 2 bits for the type; a quaternion counts only when it is normalized, a
 * color when it is between 0 and 1. Integers, integer vectors, bytes, bools and nils have no bits at all, whatever
 * their number: every counter, time and table looks so. Arrays of them neither.
 *
 * A payload that the capture cut lacks its end: 24 of its bits do not count.
 *
 * 48 bits need no other packet: {"cmd": "move", "x": 7} has them, {"score": 5, "of": "Ann"} 56. {"id": 7} has 30, a
 * Vector3 8, "hello" 8.
 */
#include "internal.h"

#define LONGEST_EVIDENCE UINT32_C(100000)
#define CUT_PENALTY      24U
#define MOST_FLOAT_BITS  16U
#define RECORD_BITS      8U
/* The shortest data packet of WireGuard, and the type of a String, which is the same in all generations. */
#define TEXT_DATAGRAM 32U
#define WIRE_STRING   4U

/* Members of one role. */
struct members {
    uint32_t texts; /* Strings that are not empty */
    uint32_t others;
};

struct evidence {
    gw_godot_generation generation;
    uint32_t bits;
    uint32_t floats;              /* number of ordinary floats */
    uint32_t texts;               /* number of texts that are not empty */
    uint32_t names;               /* number of keys that are names */
    struct members keys, entries; /* of the root */
    uint64_t wire_types;          /* of members so far */
    bool structured;              /* contains more than integers, bytes and nils */
    bool has_unusual_float;       /* some float is neither ordinary nor zero: then floats are not counted */
    bool odd;                     /* has something that the generation's engines never write */
    bool unlikely;
};

/* ---- texts --------------------------------------------------------------------------------------------- */

/* Adds the evidence of a text, in the bits of the table at the beginning of this file: a further one has less, since
 * records have their lengths repeatedly. A text with control characters makes the payload unlikely. */
static void weigh_text(struct evidence *evidence, const uint8_t *bytes, gw_span text)
{
    if (!text.length)
        return;
    /* Small integers are valid as text, but contain control characters. */
    for (uint32_t i = text.offset; i < gw_span_end(text) && !evidence->unlikely; i++)
        evidence->unlikely = bytes[i] < ' ' && bytes[i] != '\t' && bytes[i] != '\n' && bytes[i] != '\r';
    evidence->structured = true;
    if (evidence->texts++)
        evidence->bits += text.length >= 2 ? 4 : 2;
    else
        evidence->bits += text.length >= 4 ? 8 : text.length >= 2 ? 4 : 2;
}

/* True for a name that a script may use: letters, digits and underscores, two or more, without a digit at the start. */
static bool is_name(const uint8_t *text, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++) {
        uint8_t lower = text[i] | 0x20;
        bool is_letter = (lower >= 'a' && lower <= 'z') || text[i] == '_';
        bool is_digit = text[i] >= '0' && text[i] <= '9';
        if (!is_letter && !(is_digit && i))
            return false;
    }
    return length >= 2;
}

/* Adds the evidence of each string of a string array or NodePath. */
static void weigh_strings(struct evidence *evidence, const uint8_t *bytes, const gw_godot_event *event)
{
    gw_godot_strings strings;
    gw_godot_string string;
    gw_godot_strings_init(&strings, bytes, event);
    while (gw_godot_strings_next(&strings, &string))
        weigh_text(evidence, bytes, string.text);
}

/* ---- numbers ------------------------------------------------------------------------------------------- */

/* True for a number in this range; false for NaN. */
static bool is_within(double number, double lowest, double highest)
{
    return number >= lowest && number <= highest;
}

/* Counts a value's ordinary floats, whose bits count_bits() adds; values without floats have no evidence. A float that
 * is neither ordinary nor zero is unusual: then no floats are counted. The 64-bit flag has bits of its own. */
static void weigh_reals(struct evidence *evidence, const uint8_t *bytes, const gw_godot_event *event)
{
    uint64_t reals = gw_godot_reals_in(event);
    uint32_t size = gw_godot_component_size(event);
    double squares = 0;
    if (!reals)
        return;
    if (!gw_godot_event_is_sane(bytes, event))
        evidence->unlikely = true;
    for (uint32_t i = 0; i < reals; i++) {
        double real = gw_godot_any_real_at(bytes, event, i);
        double number = real < 0 ? -real : real;
        /* Texts of other protocols, read as floats, are often in the usual range. */
        bool is_letters = true;
        for (uint32_t byte = 0; is_letters && byte < size; byte++) {
            uint8_t letter = bytes[event->payload.offset + (size_t)i * size + byte];
            is_letters = letter >= 0x20 && letter <= 0x7E;
        }
        if (is_within(number, 1e-6, 1e7) && !is_letters)
            evidence->floats++;
        else if (!is_within(number, 0, 0)) /* also true for NaN */
            evidence->has_unusual_float = true;
        if (event->type == GW_GODOT_COLOR && !is_within(real, 0, 1))
            evidence->has_unusual_float = true;
        squares += real * real;
    }
    /* A rotation is normalized. */
    if (event->type == GW_GODOT_QUATERNION && !is_within(squares, 0.99, 1.01))
        evidence->has_unusual_float = true;
    if (event->header_word & GW_GODOT_FLAG_64) /* on floats other protocols have it seldom */
        evidence->bits += 4;
}

/* ---- events -------------------------------------------------------------------------------------------- */

/* Adds the evidence of a value inside a container, whose header is at the offset that the structure requires. Nil has
 * none, as zeros are frequent. Types that consist of integers, as bools, ids and byte arrays do, do not make the
 * payload structured (count_bits() returns 0 without structure or floats): tables of other protocols look like them. */
static void weigh_member(struct evidence *evidence, const gw_godot_event *event)
{
    uint64_t bit = UINT64_C(1) << (event->header_word & 63U);
    bool is_bool_or_int = event->type == GW_GODOT_BOOL || event->type == GW_GODOT_INT;
    if (event->type == GW_GODOT_NIL)
        return;
    if (evidence->wire_types & bit) /* records repeat their types */
        evidence->bits += 2;
    else
        evidence->bits += is_bool_or_int ? 6 : 8;
    evidence->wire_types |= bit;
    if (!is_bool_or_int && event->type != GW_GODOT_RID && !gw_godot_components_are_integers((gw_godot_type)event->type))
        evidence->structured = true;
}

/* Adds the evidence of one event. The bits are those of the table at the beginning of this file: 2 for one chance in
 * four that another protocol has such a part at this place, 10 for one in a thousand. */
static void weigh(struct evidence *evidence, const uint8_t *bytes, const gw_godot_event *event)
{
    gw_godot_node_path path;
    if (event->odd & gw_godot_implausible(evidence->generation))
        evidence->odd = evidence->unlikely = true;
    if (event->kind == GW_CLOSE)
        return;
    /* Members of the root: count_bits() tests whether they are a record. */
    if (event->depth == 1) {
        struct members *members = event->role == GW_GODOT_ROLE_KEY ? &evidence->keys : &evidence->entries;
        bool is_text = event->type == GW_GODOT_STRING && event->text.length;
        members->texts += is_text;
        members->others += !is_text;
    }
    if (event->depth && event->role != GW_GODOT_ROLE_PROPERTY_NAME)
        weigh_member(evidence, event);
    if (event->kind == GW_OPEN) {
        if (event->count) /* of the root it is the stronger evidence */
            evidence->bits += event->depth ? 2 : 4;
        if (event->type == GW_GODOT_OBJECT)
            weigh_text(evidence, bytes, event->text);
        else if (event->header_word & GW_GODOT_KIND_MASK) /* a declared type */
            evidence->bits += 6;
        return;
    }
    switch ((gw_godot_type)event->type) {
    case GW_GODOT_STRING:
    case GW_GODOT_STRING_NAME:
        if (event->role == GW_GODOT_ROLE_KEY && is_name(bytes + event->text.offset, event->text.length))
            evidence->bits += evidence->names++ ? 2 : 8; /* records repeat their names */
        weigh_text(evidence, bytes, event->text);
        break;
    case GW_GODOT_SIGNAL:
        weigh_text(evidence, bytes, event->text);
        break;
    case GW_GODOT_STRING_ARRAY:
        weigh_strings(evidence, bytes, event);
        break;
    case GW_GODOT_NODE_PATH:
        if (gw_godot_node_path_of(bytes, event, &path)) {
            evidence->bits += 10;
            evidence->structured = true;
            weigh_strings(evidence, bytes, event);
        } else { /* a word, a length, a text: Godot 2 reads it, but no engine writes it */
            evidence->unlikely = true;
        }
        break;
    default:
        weigh_reals(evidence, bytes, event);
        /* For the type of a root that consists of floats. */
        if (!event->depth && event->type != GW_GODOT_FLOAT && evidence->floats)
            evidence->bits += 2;
    }
}

/* ---- one reading --------------------------------------------------------------------------------------- */

/* True if the type of the root determines the length of the truncated payload, alone or with the length or count that
 * follows it: then the number of missing bytes is exact. Containers, objects, string arrays and NodePaths have further
 * lengths inside, which may be missing. */
static bool ends_exactly(const gw_godot_reader *reader)
{
    /* The type was captured: its body is truncated. */
    switch ((gw_godot_shape)reader->wire[gw_le32(reader->bytes) & GW_GODOT_TYPE_MASK].shape) {
    case SHAPE_BOOL:
    case SHAPE_INT:
    case SHAPE_FLOAT:
    case SHAPE_NUMBERS:
        return true;
    case SHAPE_PACKED:
    case SHAPE_TEXT:
    case SHAPE_BYTES:
        return reader->length >= 8;
    default:
        return false;
    }
}

/* True if reading ended as it does for a payload of this generation: a whole one at its end; one that the capture cut,
 * with a truncation whose missing bytes fit in its length on the wire. `next`: the reader's last result; `members`: the
 * missing members of the innermost container, which the fault ended, without the one that has the fault. */
static bool ends_well(const gw_godot_reader *reader, gw_next next, uint32_t members, size_t wire_length)
{
    if (reader->length == wire_length)
        return next == GW_NEXT_END && reader->offset == wire_length;
    if (next != GW_NEXT_FAULT || reader->fault.fault_class != GW_FAULT_TRUNCATED)
        return false;
    /* The earliest possible end: after the bytes that the fault needs, and four bytes for each declared member of open
     * containers that is still missing. */
    uint64_t end = reader->length + reader->fault.needed + 4 * (uint64_t)members;
    for (uint32_t depth = 1; depth <= reader->depth; depth++) {
        const gw_godot_level *level = reader->level - depth;
        end += 4 * (uint64_t)(level->end - level->position);
    }
    return end <= wire_length && (!ends_exactly(reader) || wire_length - end < 4);
}

/* The sum of all evidence, in bits; 0 if the payload is unlikely, or has only integers, bytes and nils. `is_cut`: the
 * capture cut the payload. */
static uint32_t count_bits(const struct evidence *evidence, bool is_cut)
{
    /* Two bits for each float. The number is limited first, so that the product does not overflow. */
    uint32_t floats =
        evidence->has_unusual_float ? 0 : 2 * (evidence->floats < MOST_FLOAT_BITS ? evidence->floats : MOST_FLOAT_BITS);
    const struct members *keys = &evidence->keys, *entries = &evidence->entries;
    /* The root is a dictionary whose keys are all texts, and whose values are texts and other types: records of other
     * protocols have no types. In an array, all members are counted as entries. */
    bool is_record = keys->texts >= 2 && !keys->others && entries->texts && entries->others;
    uint32_t bits =
        evidence->bits + (floats < MOST_FLOAT_BITS ? floats : MOST_FLOAT_BITS) + (is_record ? RECORD_BITS : 0);
    if (evidence->unlikely || !(evidence->structured || floats))
        return 0;
    /* The payload's end, whose place is evidence too, was not captured. */
    if (is_cut)
        return bits > CUT_PENALTY ? bits - CUT_PENALTY : 0;
    return bits < LONGEST_EVIDENCE ? bits : LONGEST_EVIDENCE;
}

/* Reads the payload as one generation, and sets the evidence for it in `reading`: bits, unlikely and is_odd_alone.
 * False if it cannot be of that generation. `memory`: options with the caller's levels for deep containers, or NULL. */
static bool read_as(gw_godot_generation generation, const uint8_t *bytes, uint32_t captured, size_t wire_length,
                    const gw_godot_options *memory, gw_recognition *reading)
{
    gw_godot_options options = { .generation = generation, .find_duplicates = true };
    struct evidence evidence = { .generation = generation };
    gw_godot_reader reader;
    gw_godot_event event;
    gw_next next;
    uint32_t members;
    options.levels = memory ? memory->levels : NULL;
    options.level_count = memory ? memory->level_count : 0;
    gw_godot_init(&reader, bytes, captured, &options);
    for (;;) {
        /* Missing members of the innermost container, with the one that is read next. Counted before each step, because
         * a fault ends its level. */
        members = reader.level->end - reader.level->position;
        next = gw_godot_next(&reader, &event);
        if (next != GW_NEXT_EVENT)
            break;
        /* If only the capture has too few bytes for the members, their count is not odd: ends_well() uses the length on
         * the wire. */
        if (captured < wire_length)
            event.odd &= ~(uint32_t)GW_GODOT_ODD_COUNT;
        weigh(&evidence, bytes, &event);
    }
    if (!ends_well(&reader, next, members ? members - 1 : 0, wire_length))
        return false;
    reading->bits = count_bits(&evidence, captured < wire_length);
    reading->unlikely = evidence.unlikely;
    /* An oddity speaks against a value alone: two words of other protocols are often a bool that is neither 0 nor 1. */
    reading->is_odd_alone = evidence.odd && !evidence.structured;
    return true;
}

/* ---- all readings -------------------------------------------------------------------------------------- */

/* Sets `recognition` to the evidence of the generations that can read the payload; false if none can. `captured`: the
 * number of bytes in `bytes`; `wire_length`: that of the whole payload. */
bool gw_godot_recognize(const uint8_t *bytes, size_t captured, size_t wire_length, const gw_godot_options *options,
                        gw_recognition *recognition)
{
    gw_godot_generation requested = options ? options->generation : GW_GODOT_ANY;
    *recognition = (gw_recognition){ 0 };
    if (captured > GW_LONGEST_INPUT || captured > wire_length || !gw_godot_may_begin(bytes, captured, wire_length))
        return false;
    for (unsigned generation = GW_GODOT_2; generation <= GW_GODOT_4; generation++) {
        gw_recognition reading = { 0 };
        if (requested != GW_GODOT_ANY && (unsigned)requested != generation)
            continue;
        if (!read_as((gw_godot_generation)generation, bytes, (uint32_t)captured, wire_length, options, &reading))
            continue;
        /* Readings that are likely have precedence over unlikely ones; of these the strongest counts. A payload is odd
         * alone if all its readings are. */
        if (recognition->possible && reading.unlikely && !recognition->unlikely)
            continue;
        if (!recognition->possible || (recognition->unlikely && !reading.unlikely))
            *recognition = (gw_recognition){ .possible = true, .unlikely = reading.unlikely, .is_odd_alone = true };
        recognition->is_odd_alone &= reading.is_odd_alone;
        recognition->readings |= GW_GODOT_GENERATION_BIT(generation);
        if (reading.bits > recognition->bits)
            recognition->bits = reading.bits;
    }
    return recognition->possible;
}

/* True if a possible Variant is a String that Wireshark's heuristic for WireGuard would accept: the type of a String is
 * also that of WireGuard's data packets. The tests, and how often they are passed by random bytes and by the structured
 * payloads of other protocols:
 *
 *   the first word is 4                                        2^-32         1 in 5: also WireGuard's data
 *   the second word is a length, of text that ends, with at    2^-30         2^-8; never in WireGuard's data, whose
 *   most three zeros, where the payload does                                 second word is an index
 *   20 bytes of UTF-8 or more without control characters       2^-30..       texts: always; never in WireGuard's data,
 *                                                                            whose counter begins at 0 and whose
 *                                                                            other bytes are random
 *
 * Equal payloads of other protocols are byte for byte a String, and without this Wireshark shows them as WireGuard. */
bool gw_godot_is_text_datagram(const uint8_t *bytes, size_t captured, size_t wire_length,
                               const gw_recognition *recognition)
{
    if (captured < wire_length || captured < TEXT_DATAGRAM || !recognition->possible || recognition->unlikely ||
        gw_le32(bytes) != WIRE_STRING)
        return false;
    /* Old engines leave stale bytes in the padding, which is possible. */
    for (size_t i = 8 + (size_t)gw_le32(bytes + 4); i < captured; i++)
        if (bytes[i])
            return false;
    return true;
}
