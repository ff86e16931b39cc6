/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The pull reader. A value on the wire:
 *
 *   0        1        2        3        4
 *   | type   | 0      | flags  | 0      | body, a multiple of four bytes |
 *
 * read_member() reads numbers, texts, arrays and dictionaries that have no flags and nothing unusual about them; it is
 * compiled once for events and once for summaries. All other values go to read_any(), which dispatches by shape to the
 * layouts in values.c, texts.c and arrays.c.
 *
 * Instructions for each value (callgrind, the documents of tests/bench: mixed and 2,001 values): read 127 and 128
 * instead of 246 and 252 with read_any() alone; validated 80 and 77 instead of 220 and 225.
 */
#include "internal.h"

#include <string.h>

_Static_assert(sizeof(gw_godot_reader) <= 2048, "the reader lives on the caller's stack");
_Static_assert(sizeof(gw_godot_event) <= 80, "an event is filled for every value");

/* Starts at options->offset, where one Variant begins: the only member of level 0. `options` NULL: Godot 4, from the
 * start. An input that is too long is treated as empty, and the first call of gw_godot_next() returns the fault. */
void gw_godot_init(gw_godot_reader *reader, const uint8_t *bytes, size_t length, const gw_godot_options *options)
{
    static const gw_godot_options newest = { .generation = GW_GODOT_4 };
    if (!options)
        options = &newest;
    reader->bytes = bytes;
    reader->length = length > GW_LONGEST_INPUT ? 0 : (uint32_t)length;
    reader->offset = options->offset < reader->length ? options->offset : reader->length;
    reader->depth = 0;
    reader->generation = (uint8_t)(options->generation ? options->generation : GW_GODOT_4);
    reader->wire = gw_godot_wire_table(options->generation);
    reader->wire_types = (uint8_t)gw_godot_wire_types(options->generation);
    /* Godot 2 compares the whole header with the number of types; the others only its low byte. */
    reader->type_mask = options->generation == GW_GODOT_2 ? UINT32_MAX : GW_GODOT_TYPE_MASK;
    reader->bare_objects = options->bare_objects;
    reader->fault = (gw_fault){ .code = GW_GODOT_FAULT_NONE };
    /* The levels of the caller are used if they are more than the reader's own. */
    bool is_lent = options->levels && options->level_count > GW_GODOT_DEPTH;
    gw_godot_level *levels = is_lent ? options->levels : reader->own;
    levels[0] = (gw_godot_level){ .position = 0, .end = 1, .offset = 0, .role = GW_GODOT_ROLE_ROOT, .paired = 0 };
    reader->level = levels;
    reader->stop = levels->end; /* no member before the end of level 0 needs extra work: see step_stop() */
    reader->last = levels + (is_lent ? options->level_count : GW_GODOT_DEPTH + 1) - 1;
    reader->key_care = options->find_duplicates ? GW_GODOT_CARE_KEYS : 0;
    if (length > GW_LONGEST_INPUT)
        gw_godot_fail(reader, GW_GODOT_FAULT_TOO_LONG, 0, 0);
}

/* ---- any value ----------------------------------------------------------------------------------------- */

/* Reads a value's body by the shape of its type. All shapes are listed, so that no case is missing. */
static ALWAYS_INLINE gw_next step_body(struct step step, const gw_godot_wire *wire)
{
    switch ((gw_godot_shape)wire->shape) {
    case SHAPE_INT:
    case SHAPE_FLOAT:
        return gw_godot_step_number(step, wire);
    case SHAPE_TEXT:
        return gw_godot_step_text(step, step.start + 4);
    case SHAPE_BOOL:
        return gw_godot_step_bool(step);
    case SHAPE_DICTIONARY:
    case SHAPE_ARRAY:
        return gw_godot_step_container(step, wire);
    case SHAPE_NUMBERS:
        return gw_godot_step_numbers(step, wire);
    case SHAPE_PACKED:
        return gw_godot_step_packed(step, wire);
    case SHAPE_BYTES:
        return gw_godot_step_bytes(step);
    case SHAPE_STRINGS:
        return gw_godot_step_strings(step);
    case SHAPE_NODE_PATH:
        return gw_godot_step_node_path(step);
    case SHAPE_RID:
        return gw_godot_step_rid(step);
    case SHAPE_OBJECT:
        return gw_godot_step_object(step, wire);
    case SHAPE_SIGNAL:
        return gw_godot_step_signal(step);
    case SHAPE_IMAGE:
        return gw_godot_step_image(step);
    case SHAPE_INPUT_EVENT:
        return gw_godot_step_input_event(step);
    case SHAPE_EMPTY:
        break;
    }
    return finish(step, 4, 0, 0);
}

/* Adds the oddities of a header with bits that its type does not use (`wire`: the entry of its type), or of a value
 * deeper than the engine permits. Called only if there is one of them, as both are rare. */
static NEVER_INLINE void check_header(struct step step, const gw_godot_wire *wire)
{
    if (step.header & ~(GW_GODOT_TYPE_MASK | GW_GODOT_KIND_MASK)) {
        /* In big-endian order the type is in bits 24 to 31. */
        bool is_swapped = gw_godot_big_endian_type(step.reader->generation, step.header) != GW_GODOT_TYPES;
        add_odd(step, is_swapped ? GW_GODOT_ODD_BYTE_ORDER : GW_GODOT_ODD_HEADER_BITS);
    }
    if (step.header & GW_GODOT_KIND_MASK & gw_godot_idle_bits(wire))
        add_odd(step, GW_GODOT_ODD_FLAGS);
    if (step.reader->depth > GW_GODOT_ENGINE_DEPTH)
        add_odd(step, GW_GODOT_ODD_TOO_DEEP);
}

/* True if the innermost container is an array with a declared built-in type, and a receiving engine leaves out an
 * element of this type, because it cannot convert it (GW_GODOT_ODD_ELEMENT_TYPE). Only Godot 4 has declarations: the
 * word after the array's header is the number of the type, which was validated when the array was opened. */
static bool is_misplaced(const gw_godot_reader *reader, uint32_t wire_type)
{
    const gw_godot_level *level = reader->level;
    const uint8_t *array = reader->bytes + level->offset;
    if (level->role != GW_GODOT_ROLE_ELEMENT || reader->generation != GW_GODOT_4)
        return false;
    uint32_t kind = gw_le32(array) >> GW_GODOT_FLAG_SHIFT & 3U;
    /* In Godot 4 the numbers on the wire are the numbers of the types. */
    return kind == GW_GODOT_BUILTIN &&
           !gw_godot_takes_element((gw_godot_type)gw_le32(array + 4), (gw_godot_type)wire_type);
}

/* Reads the value whose header is at step.start: adds the header to the event or summary, and reads the body. */
static ALWAYS_INLINE gw_next step_value(struct step step)
{
    gw_godot_reader *reader = step.reader;
    uint32_t left = reader->length - step.start;
    if (left < 4)
        return gw_godot_fail(reader, GW_GODOT_FAULT_HEADER_TRUNCATED, step.start, 4 - left);
    step.header = gw_le32(reader->bytes + step.start);
    uint32_t number = step.header & reader->type_mask;
    if (number >= reader->wire_types)
        return gw_godot_fail(reader, GW_GODOT_FAULT_TYPE_UNKNOWN, step.start, 0);
    const gw_godot_wire *wire = &reader->wire[number];
    if (step.event) {
        step.event->kind = GW_VALUE;
        step.event->type = wire->type;
        step.event->header_word = step.header;
    }
    if (step.summary) {
        step.summary->values++;
        step.summary->nils += number == GW_GODOT_NIL;
        step.summary->wire_types |= UINT64_C(1) << number;
    }
    if (step.header & gw_godot_idle_bits(wire) || reader->depth > GW_GODOT_ENGINE_DEPTH)
        check_header(step, wire);
    /* Elements of arrays with a declared type are among the members that need care. */
    if (reader->level->care && is_misplaced(reader, number))
        add_odd(step, GW_GODOT_ODD_ELEMENT_TYPE);
    return step_body(step, wire);
}

/* Reads the name of a property of a full object: a text without a header. The name `script` of a value that is not
 * nil is odd, because a receiver that allows objects runs the script. The type of the value is in the word after the
 * name, which is not consumed. */
static NEVER_INLINE gw_next step_property_name(struct step step)
{
    /* A length and six bytes; two bytes of padding follow. */
    static const uint8_t script[] = { 6, 0, 0, 0, 's', 'c', 'r', 'i', 'p', 't' };
    const gw_godot_reader *reader = step.reader;
    const uint8_t *bytes = reader->bytes;
    gw_next next = gw_godot_step_text(step, step.start); /* no header */
    /* The value after the name is nil if there is no script. */
    if (next == GW_NEXT_EVENT && reader->offset - step.start == sizeof script + 2 &&
        !memcmp(bytes + step.start, script, sizeof script) && reader->length - reader->offset >= 4 &&
        gw_le32(bytes + reader->offset) & reader->type_mask)
        add_odd(step, GW_GODOT_ODD_SCRIPT);
    if (step.event) {
        step.event->kind = GW_VALUE;
        step.event->type = GW_GODOT_STRING;
        step.event->header_word = 0;
    }
    return next;
}

/* Reads one member of any type, with all tests for faults and oddities. Either `event` or `summary` is NULL. Duplicate
 * keys are detected by the caller, step_with_care(). */
static NEVER_INLINE gw_next read_any(gw_godot_reader *reader, gw_godot_event *event, gw_godot_summary *summary)
{
    gw_godot_level *level = reader->level;
    uint32_t position = level->position;
    bool is_first = !(position & 1U); /* of a key and its entry, or of a name and its property */
    struct step step = { reader, event, summary, reader->offset, 0 };
    level->position = position + 1;
    if (event) {
        event->odd = 0;
        event->header.offset = step.start;
        set_position(event, level, position, reader->depth);
    }
    if (level->role == GW_GODOT_ROLE_PROPERTY_NAME && is_first)
        return step_property_name(step);
    return step_value(step);
}

/* ---- common values ------------------------------------------------------------------------------------- */

#define EACH_BYTE UINT64_C(0x0101010101010101)

/* In the result, bit 7 of some byte is set exactly if a byte of `word` is zero or has bit 7 set. */
static ALWAYS_INLINE uint64_t suspects(uint64_t word)
{
    return (word - EACH_BYTE) | word;
}

/* True if a text may have oddities, which read_any() then determines: it is not ASCII, has a NUL, or its padding is not
 * zero. Names and chat are usually not suspect. `left`: the number of bytes from the text to the end of the input; the
 * caller has tested that the text and its padding are among them. */
static ALWAYS_INLINE bool text_is_suspect(const uint8_t *text, uint32_t length, uint32_t left)
{
    uint64_t suspect = 0;
    uint32_t at = 0;
    for (; length - at >= 8; at += 8)
        suspect |= suspects(gw_le64(text + at));
    if (at < length) {
        uint32_t tail = length - at;
        /* The tail and its padding are 4 or 8 bytes: they may be the last four of the input. */
        uint64_t word = left - at >= 8 ? gw_le64(text + at) : gw_le32(text + at);
        uint64_t after = UINT64_MAX << 8 * tail;
        uint64_t padding = tail > 4 ? after : after & UINT32_MAX;
        /* The bytes after the text become 1, which is not suspect. */
        suspect |= suspects((word & ~after) | (EACH_BYTE & after));
        if (word & padding)
            return true;
    }
    return suspect & EACH_BYTE << 7;
}

/* Closes the innermost container, all of whose members have been read, and continues in the outer one. The CLOSE event
 * has the container's own position and depth, and its count of members or pairs. `event` is NULL while validating. */
static ALWAYS_INLINE gw_next close_level(gw_godot_reader *reader, gw_godot_event *event)
{
    const gw_godot_level *closed = reader->level--;
    reader->depth--;
    reader->stop = stop_of(reader->level);
    if (event) {
        event->kind = GW_CLOSE;
        event->type = closed->role == GW_GODOT_ROLE_ELEMENT ? GW_GODOT_ARRAY
                      : closed->role == GW_GODOT_ROLE_KEY   ? GW_GODOT_DICTIONARY
                                                            : GW_GODOT_OBJECT;
        event->odd = 0;
        event->header = (gw_span){ closed->offset, 4 }; /* the word with the type; the payload is all bytes after it */
        event->header_word = gw_le32(reader->bytes + closed->offset);
        event->payload = (gw_span){ closed->offset + 4, reader->offset - closed->offset - 4 };
        event->padding = (gw_span){ reader->offset, 0 };
        event->count = closed->end >> closed->paired;
        /* As in the container's OPEN event, which advanced the position. */
        set_position(event, reader->level, reader->level->position - 1, reader->depth);
    }
    return GW_NEXT_EVENT;
}

/* Describes the value at the reader's offset, whose parts have these lengths, and advances the offset to its end. The
 * header has no flags: it is the wire type. The caller has tested that the input contains the parts. */
static ALWAYS_INLINE void read_value(gw_godot_reader *reader, gw_godot_event *event, gw_godot_summary *summary,
                                     uint32_t head, uint32_t payload, uint32_t padding, gw_kind kind)
{
    gw_godot_level *level = reader->level;
    uint32_t position = level->position;
    uint32_t start = reader->offset;
    level->position = position + 1;
    uint32_t header = gw_le32(reader->bytes + start);
    reader->offset = start + head + payload + padding;
    if (event) {
        event->kind = (uint8_t)kind;
        event->type = reader->wire[header].type;
        event->odd = 0;
        event->header_word = header;
        event->header = (gw_span){ start, head };
        event->payload = (gw_span){ start + head, payload };
        event->padding = (gw_span){ start + head + payload, padding };
        set_position(event, level, position, reader->depth);
    }
    if (summary) {
        summary->values++;
        summary->wire_types |= UINT64_C(1) << header;
    }
}

/* Reads a text whose header and length (8 bytes) are in the input: the fast way for texts without oddities. A text
 * that is truncated or suspect is read by read_any(), which reports its faults and oddities. */
static ALWAYS_INLINE gw_next read_text(gw_godot_reader *reader, gw_godot_event *event, gw_godot_summary *summary)
{
    const uint8_t *bytes = reader->bytes + reader->offset;
    uint32_t room = reader->length - reader->offset - 8;
    uint32_t length = gw_le32(bytes + 4);
    uint32_t padding = gw_godot_padding(length);
    if (length > room || padding > room - length || text_is_suspect(bytes + 8, length, room))
        return read_any(reader, event, summary);
    if (event)
        event->text = (gw_span){ reader->offset + 8, length };
    if (summary)
        sum_text(summary, length);
    read_value(reader, event, summary, 8, length, padding, GW_VALUE);
    return GW_NEXT_EVENT;
}

/* Opens a container without declarations, whose header and count (8 bytes) are in the input: the fast way for the
 * usual case. Each member has at least four bytes, and each pair of a dictionary (`paired`) eight. read_any() reads and
 * reports the others: a count beyond the input, and containers for which no level is available. */
static ALWAYS_INLINE gw_next read_container(gw_godot_reader *reader, gw_godot_event *event, gw_godot_summary *summary,
                                            bool paired)
{
    const uint8_t *bytes = reader->bytes + reader->offset;
    uint32_t start = reader->offset;
    uint32_t count = gw_le32(bytes + 4);
    if (count > (reader->length - start - 8) >> (paired ? 3 : 2) || reader->level == reader->last)
        return read_any(reader, event, summary);
    if (event)
        event->count = count;
    if (summary)
        summary->counts += count != 0;
    read_value(reader, event, summary, 8, 0, 0, GW_OPEN);
    push_level(reader, start, count << paired, paired ? GW_GODOT_ROLE_KEY : GW_GODOT_ROLE_ELEMENT);
    return GW_NEXT_EVENT;
}

/* Reads an int or a bool of 32 bits, whose value is `integer`. */
static ALWAYS_INLINE gw_next read_number(gw_godot_reader *reader, gw_godot_event *event, gw_godot_summary *summary,
                                         int64_t integer)
{
    if (event)
        event->number = integer;
    read_value(reader, event, summary, 4, 4, 0, GW_VALUE);
    return GW_NEXT_EVENT;
}

/* For events, read_text(), read_container() and step_stop() are called by separate functions: inline, they would
 * require all other values to save registers. */
static NEVER_INLINE gw_next next_text(gw_godot_reader *reader, gw_godot_event *event)
{
    return read_text(reader, event, NULL);
}

/* As next_text(), for an Array. */
static NEVER_INLINE gw_next next_array(gw_godot_reader *reader, gw_godot_event *event)
{
    return read_container(reader, event, NULL, false);
}

/* As next_text(), for a Dictionary. */
static NEVER_INLINE gw_next next_dictionary(gw_godot_reader *reader, gw_godot_event *event)
{
    return read_container(reader, event, NULL, true);
}

/* 2^64 divided by the golden ratio: distributes keys that differ in a few bits over the upper bits. */
#define KEY_FACTOR UINT64_C(0x9E3779B97F4A7C15)

/* True if an earlier key of the innermost dictionary has the same bytes as the key from `start` to the reader's offset;
 * otherwise the key is stored. Keys beyond GW_GODOT_KEYS, with those of outer dictionaries, are compared, but not
 * stored. */
static bool is_duplicate(gw_godot_reader *reader, uint32_t start)
{
    gw_godot_level *level = reader->level;
    /* `seen` has a bit for each hash of eight bits, so that most keys need no comparison: keys with the same bytes
     * have the same bit. The container's offset is hashed too, so that equal keys of two dictionaries have different
     * bits. */
    const uint8_t *end = reader->bytes + reader->offset;
    uint64_t last = reader->offset - start < 8 ? gw_le32(end - 4) : gw_le64(end - 8);
    uint64_t hash = (last + level->offset) * KEY_FACTOR >> 56;
    uint64_t bit = UINT64_C(1) << (hash & 63U), *seen = &reader->seen[hash >> 6];
    /* No key is stored, of this dictionary or of those around it: the bits are of others. */
    if (!level->keys)
        memset(reader->seen, 0, sizeof reader->seen);
    bool is_seen = *seen & bit;
    *seen |= bit;
    /* Lower indexes are keys of outer dictionaries. Comparing is safe: at least as many bytes follow the start of an
     * earlier key, and a shorter key differs in its length field. */
    for (uint32_t i = (level - 1)->keys; is_seen && i < level->keys; i++)
        if (memcmp(reader->bytes + reader->keys[i], reader->bytes + start, reader->offset - start) == 0)
            return true;
    if (level->keys < GW_GODOT_KEYS)
        reader->keys[level->keys++] = start;
    return false;
}

/* Reads a member that needs extra work: a key, which is compared with the earlier keys, or a value for read_any(). */
static NEVER_INLINE gw_next step_with_care(gw_godot_reader *reader, gw_godot_event *event, gw_godot_summary *summary)
{
    const gw_godot_level *level = reader->level;
    uint32_t start = reader->offset;
    bool is_compared = reader->key_care && level->role == GW_GODOT_ROLE_KEY && !(level->position & 1U);
    /* Most keys are texts. read_text() requires 8 bytes; with GW_GODOT_CARE_ALL, only read_any() adds the oddities. */
    uint32_t header = reader->length - start < 8 ? UINT32_MAX : gw_le32(reader->bytes + start);
    bool is_text_key =
        level->care == GW_GODOT_CARE_KEYS && header < reader->wire_types && reader->wire[header].shape == SHAPE_TEXT;
    gw_next next = is_text_key ? read_text(reader, event, summary) : read_any(reader, event, summary);
    if (next == GW_NEXT_FAULT)
        return next;
    reader->stop = stop_of(reader->level);
    /* A key that is a container is not compared: its level is open now. */
    if (is_compared && reader->level == level && is_duplicate(reader, start)) {
        if (event)
            event->odd |= GW_GODOT_ODD_DUPLICATE_KEY;
        if (summary)
            summary->odd |= GW_GODOT_ODD_DUPLICATE_KEY;
    }
    return next;
}

/* Continues at reader->stop, the position up to which read_member() reads without further tests: there is a member that
 * needs extra work, or the innermost container ends. The end of level 0, which holds the root, is that of the value. */
static ALWAYS_INLINE gw_next step_stop(gw_godot_reader *reader, gw_godot_event *event, gw_godot_summary *summary)
{
    if (reader->stop != reader->level->end)
        return step_with_care(reader, event, summary);
    /* A fault ends its level: gw_godot_fail(). */
    if (reader->fault.fault_class)
        return GW_NEXT_FAULT;
    return reader->depth ? close_level(reader, event) : GW_NEXT_END;
}

/* As next_text(), at reader->stop. */
static NEVER_INLINE gw_next next_stop(gw_godot_reader *reader, gw_godot_event *event)
{
    return step_stop(reader, event, NULL);
}

/* Reads the next member, or the end of a container. Either `event` or `summary` is NULL. The frequent types without
 * flags are read here; read_any() reads all others, and reports faults and oddities. For events, next_text() and
 * similar functions are called: the reason is at next_text(). */
static ALWAYS_INLINE gw_next read_member(gw_godot_reader *reader, gw_godot_event *event, gw_godot_summary *summary)
{
    const gw_godot_level *level = reader->level;
    if (level->position == reader->stop)
        return event ? next_stop(reader, event) : step_stop(reader, NULL, summary);
    /* A header without a body, or a truncated value: the frequent types have 8 bytes or more. */
    if (reader->length - reader->offset < 8)
        return read_any(reader, event, summary);
    const uint8_t *bytes = reader->bytes + reader->offset;
    uint32_t header = gw_le32(bytes);
    uint32_t word = gw_le32(bytes + 4);
    if (header >= reader->wire_types) /* unknown, or with flags */
        return read_any(reader, event, summary);
    switch ((gw_godot_shape)reader->wire[header].shape) {
    case SHAPE_TEXT:
        return event ? next_text(reader, event) : read_text(reader, NULL, summary);
    case SHAPE_ARRAY:
        return event ? next_array(reader, event) : read_container(reader, NULL, summary, false);
    case SHAPE_DICTIONARY:
        return event ? next_dictionary(reader, event) : read_container(reader, NULL, summary, true);
    case SHAPE_INT:
        return read_number(reader, event, summary, (int32_t)word);
    case SHAPE_FLOAT:
        if (event)
            event->real = (double)gw_float_from_bits(word);
        read_value(reader, event, summary, 4, 4, 0, GW_VALUE);
        return GW_NEXT_EVENT;
    case SHAPE_BOOL:
        if (word <= 1)
            return read_number(reader, event, summary, word);
        return read_any(reader, event, summary);
    default:
        return read_any(reader, event, summary);
    }
}

/* Reads the next event of the Variant. With both pointers known to be not NULL, the compiler omits a test for each
 * store. */
NOT_NULL gw_next gw_godot_next(gw_godot_reader *reader, gw_godot_event *event)
{
    return read_member(reader, event, NULL);
}

/* Reads the whole Variant for its summary; false if it ends with a fault. */
bool gw_godot_validate(const uint8_t *bytes, size_t length, const gw_godot_options *options, gw_godot_summary *summary)
{
    gw_godot_reader reader;
    gw_godot_init(&reader, bytes, length, options);
    *summary = (gw_godot_summary){ .length = reader.offset };
    while (read_member(&reader, NULL, summary) == GW_NEXT_EVENT)
        ;
    summary->length = reader.offset - summary->length;
    summary->fault = reader.fault;
    uint32_t members = summary->values ? summary->values - 1 : 0;
    /* The bits that another generation would have to match by chance: 8 for the root's header, 16 for each header
     * inside, 8 for a count, 16 for a text's length, and 8 for each of its first 16 bytes. Nils have no proof; the
     * root, which is not counted as a member, may be one of them. */
    uint32_t counted_headers = members > summary->nils ? members - summary->nils : 0;
    uint64_t proof = 8 + UINT64_C(16) * counted_headers + UINT64_C(8) * summary->counts +
                     UINT64_C(16) * summary->texts + UINT64_C(8) * summary->text_bytes;
    /* Only an input of a quarter of a gigabyte has more proof than 32 bits can count. */
    summary->proof = proof > UINT32_MAX ? UINT32_MAX : (uint32_t)proof;
    return reader.fault.fault_class == GW_FAULT_NONE;
}
