/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The pull reader and the validator: one step function, compiled once with an event to fill and once without.
 *
 * A value on the wire:
 *
 *   0        1        2        3        4
 *   | type   | 0      | flags  | 0      | body, a multiple of four bytes |
 */
#include "types.h"

#include <stddef.h>
#include <string.h>

#if defined(__GNUC__)
#define ALWAYS_INLINE inline __attribute__((always_inline))
#define NEVER_INLINE  __attribute__((noinline))
#define NOT_NULL      __attribute__((nonnull))
#else
#define ALWAYS_INLINE inline
#define NEVER_INLINE
#define NOT_NULL
#endif

_Static_assert(sizeof(gw_godot_reader) <= 2048, "the reader lives on the caller's stack");
_Static_assert(sizeof(gw_godot_event) <= 80, "an event is filled for every value");

/* ---- starting ------------------------------------------------------------------------------------------ */

static NEVER_INLINE gw_next fail(gw_godot_reader *reader, gw_godot_fault code, uint32_t offset, uint64_t needed)
{
    reader->fault.code = (uint16_t)code;
    reader->fault.fault_class = (uint8_t)gw_godot_fault_class(code);
    reader->fault.offset = offset;
    reader->fault.needed = needed;
    /* The next call finds nothing left to read, and only then looks for a fault. */
    reader->level->end = reader->level->position;
    return GW_NEXT_FAULT;
}

/* Level 0 stands for the root, its one member. */
static void use_levels(gw_godot_reader *reader, const gw_godot_options *options)
{
    bool lent = options->levels && options->level_count > GW_GODOT_LEVELS;
    gw_godot_level *levels = lent ? options->levels : reader->own;
    levels[0] = (gw_godot_level){ .position = 0, .end = 1, .offset = 0, .role = GW_GODOT_ROOT, .paired = 0 };
    reader->level = levels;
    reader->last = levels + (lent ? options->level_count : GW_GODOT_LEVELS + 1) - 1;
}

void gw_godot_init_at(gw_godot_reader *reader, const uint8_t *bytes, size_t length, uint32_t offset,
                      const gw_godot_options *options)
{
    reader->bytes = bytes;
    reader->length = length > UINT32_MAX ? 0 : (uint32_t)length;
    reader->offset = offset < reader->length ? offset : reader->length;
    reader->depth = 0;
    reader->generation = (uint8_t)options->generation;
    reader->wire = gw_godot_wire_table(options->generation);
    reader->wire_types = (uint8_t)gw_godot_wire_types(options->generation);
    /* Godot 2 compares the whole header with the number of types; the others look at its low byte. */
    reader->type_mask = options->generation == GW_GODOT_2 ? UINT32_MAX : GW_GODOT_TYPE_MASK;
    reader->bare_objects = options->bare_objects;
    reader->fault = (gw_fault){ .code = GW_GODOT_FAULT_NONE };
    use_levels(reader, options);
    if (length > UINT32_MAX)
        fail(reader, GW_GODOT_FAULT_INPUT_TOO_LONG, 0, 0);
}

void gw_godot_init(gw_godot_reader *reader, const uint8_t *bytes, size_t length, const gw_godot_options *options)
{
    gw_godot_init_at(reader, bytes, length, 0, options);
}

/* ---- texts --------------------------------------------------------------------------------------------- */

#define EACH_BYTE UINT64_C(0x0101010101010101)

/* Bit 7 of some byte is set when any byte is zero or has its own bit 7 set, and in no other word. */
static ALWAYS_INLINE uint64_t suspects(uint64_t word)
{
    return (word - EACH_BYTE) | word;
}

/* False when a text is ASCII without NUL and its padding is zero, as nearly all names and chat are. `left` are the
 * bytes there are from the text on, its padding among them. */
static ALWAYS_INLINE bool text_is_suspect(const uint8_t *text, uint32_t length, uint32_t left)
{
    uint64_t suspect = 0;
    uint32_t at = 0;
    for (; length - at >= 8; at += 8)
        suspect |= suspects(gw_le64(text + at));
    if (at < length) {
        uint32_t tail = length - at;
        uint64_t word = left - at >= 8 ? gw_le64(text + at) : gw_le32(text + at);
        uint64_t behind = UINT64_MAX << 8 * tail;
        uint64_t padding = tail > 4 ? behind : behind & UINT32_MAX;
        suspect |= suspects((word & ~behind) | (EACH_BYTE & behind));
        if (word & padding)
            return true;
    }
    return suspect & EACH_BYTE << 7;
}

/* What is odd about a text whose padding is there too. */
static uint32_t text_odd(const uint8_t *text, uint32_t length, uint32_t dirty_padding)
{
    uint32_t odd = 0;
    if (gw_godot_any_set(text + length, gw_godot_padding(length)))
        odd |= dirty_padding;
    if (memchr(text, 0, length))
        odd |= GW_GODOT_ODD_NUL;
    if (gw_utf8_prefix(text, length) != length)
        odd |= GW_GODOT_ODD_UTF8;
    return odd;
}

/* A text: u32 length, bytes, padding to four. */
struct text {
    gw_span span;
    uint32_t padding;
    uint32_t odd;
};

/* Which oddity it is when padding is not zero: Godot 2 zeroes none of it. */
static ALWAYS_INLINE uint32_t dirty(const gw_godot_reader *reader)
{
    return reader->generation == GW_GODOT_2 ? GW_GODOT_ODD_STALE_PADDING : GW_GODOT_ODD_PADDING;
}

static NEVER_INLINE gw_next text_cut(gw_godot_reader *reader, uint32_t at, uint32_t item)
{
    uint32_t left = reader->length - at;
    if (left < 4)
        return fail(reader, GW_GODOT_FAULT_TEXT_CUT, item, 4 - left);
    uint32_t length = gw_le32(reader->bytes + at);
    uint64_t whole = 4 + (uint64_t)length + gw_godot_padding(length);
    bool padding_only = left - 4 >= length;
    return fail(reader, padding_only ? GW_GODOT_FAULT_PADDING_CUT : GW_GODOT_FAULT_TEXT_CUT, item, whole - left);
}

/* Reads the text at `at`; `item` is where the value that it belongs to begins. Returns what is behind it, or 0
 * after a fault (nothing ends at 0). */
static ALWAYS_INLINE uint32_t read_text(gw_godot_reader *reader, uint32_t at, uint32_t item, uint32_t dirty_padding,
                                        struct text *text)
{
    uint32_t left = reader->length - at;
    uint32_t length = left < 4 ? 0 : gw_le32(reader->bytes + at);
    uint32_t padding = gw_godot_padding(length);
    if (left < 4 || length > left - 4 || padding > left - 4 - length) {
        text_cut(reader, at, item);
        return 0;
    }
    text->span = (gw_span){ at + 4, length };
    text->padding = padding;
    text->odd = text_odd(reader->bytes + at + 4, length, dirty_padding);
    return at + 4 + length + padding;
}

/* ---- one layout after the other ------------------------------------------------------------------------ */

/* What step() is working on: `event` and `summary` are each NULL in one of its two copies. */
struct step {
    gw_godot_reader *reader;
    gw_godot_event *event;
    gw_godot_summary *summary;
    uint32_t start; /* of the header, or of a property name */
    uint32_t header;
};

/* An event's oddities start at none. */
static ALWAYS_INLINE void note(struct step step, uint32_t odd)
{
    if (step.event)
        step.event->odd |= odd;
    if (step.summary)
        step.summary->odd |= odd;
}

static ALWAYS_INLINE void sum_text(gw_godot_summary *summary, uint32_t length)
{
    summary->texts += length != 0;
    summary->text_bytes += length < 16 ? length : 16;
}

/* Completes a value whose body is `length` bytes long, and leaves the reader behind it. */
static ALWAYS_INLINE gw_next finish(struct step step, uint32_t body, uint32_t length, uint32_t padding)
{
    step.reader->offset = body + length + padding;
    if (step.event) {
        step.event->body = body;
        step.event->length = length;
        step.event->padding = (uint8_t)padding;
    }
    return GW_NEXT_EVENT;
}

static ALWAYS_INLINE bool has_flag(struct step step, const gw_godot_wire *wire)
{
    return step.header >> GW_GODOT_FLAG_SHIFT & wire->flags & 1U;
}

static NEVER_INLINE gw_next body_cut(gw_godot_reader *reader, uint32_t item, uint64_t size, uint32_t left)
{
    return fail(reader, GW_GODOT_FAULT_BODY_CUT, item, size - left);
}

static ALWAYS_INLINE gw_next step_number(struct step step, const gw_godot_wire *wire)
{
    gw_godot_reader *reader = step.reader;
    bool wide = has_flag(step, wire);
    uint32_t size = wide ? 8 : 4;
    uint32_t body = step.start + 4;
    if (reader->length - body < size)
        return body_cut(reader, step.start, size, reader->length - body);
    const uint8_t *bytes = reader->bytes + body;
    if (wire->shape == SHAPE_FLOAT) {
        double real = wide ? gw_le_double(bytes) : (double)gw_le_float(bytes);
        /* Engines send 64 bits only for what 32 cannot hold; NaN differs from itself, so that it goes wide. */
        if (wide && gw_double_bits((double)(float)real) == gw_double_bits(real) && real <= real)
            note(step, GW_GODOT_ODD_WIDE);
        if (step.event)
            step.event->number.real = real;
    } else {
        int64_t integer = wide ? (int64_t)gw_le64(bytes) : (int32_t)gw_le32(bytes);
        if (wide && integer == (int32_t)integer)
            note(step, GW_GODOT_ODD_WIDE);
        if (step.event)
            step.event->number.integer = integer;
    }
    if (step.summary)
        step.summary->wide += wide;
    return finish(step, body, size, 0);
}

static ALWAYS_INLINE gw_next step_bool(struct step step)
{
    gw_godot_reader *reader = step.reader;
    uint32_t body = step.start + 4;
    if (reader->length - body < 4)
        return body_cut(reader, step.start, 4, reader->length - body);
    uint32_t value = gw_le32(reader->bytes + body);
    if (value > 1)
        note(step, GW_GODOT_ODD_BOOL);
    if (step.event)
        step.event->number.integer = value != 0;
    return finish(step, body, 4, 0);
}

static ALWAYS_INLINE gw_next step_numbers(struct step step, const gw_godot_wire *wire)
{
    gw_godot_reader *reader = step.reader;
    uint32_t size = (wire->unit * 4U) << has_flag(step, wire);
    uint32_t body = step.start + 4;
    if (reader->length - body < size)
        return body_cut(reader, step.start, size, reader->length - body);
    if (step.event)
        step.event->content = body;
    return finish(step, body, size, 0);
}

static ALWAYS_INLINE gw_next step_text(struct step step, uint32_t body)
{
    struct text text;
    if (!read_text(step.reader, body, step.start, dirty(step.reader), &text))
        return GW_NEXT_FAULT;
    note(step, text.odd);
    if (step.event)
        step.event->text = text.span;
    if (step.summary)
        sum_text(step.summary, text.span.length);
    return finish(step, body, 4 + text.span.length, text.padding);
}

static NEVER_INLINE gw_next step_rid(struct step step)
{
    gw_next next = step_numbers(step, &(const gw_godot_wire){ .unit = 2 });
    if (next == GW_NEXT_EVENT && step.event)
        step.event->number.id = gw_le64(step.reader->bytes + step.event->body);
    return next;
}

static NEVER_INLINE gw_next step_signal(struct step step)
{
    gw_godot_reader *reader = step.reader;
    struct text text;
    uint32_t body = step.start + 4;
    uint32_t id = read_text(reader, body, step.start, dirty(reader), &text);
    if (!id)
        return GW_NEXT_FAULT;
    if (reader->length - id < 8)
        return body_cut(reader, step.start, 8, reader->length - id);
    note(step, text.odd);
    if (step.event) {
        step.event->text = text.span;
        step.event->number.id = gw_le64(reader->bytes + id);
    }
    if (step.summary)
        sum_text(step.summary, text.span.length);
    return finish(step, body, id + 8 - body, 0);
}

/* ---- containers ---------------------------------------------------------------------------------------- */

static ALWAYS_INLINE void push_level(gw_godot_reader *reader, uint32_t offset, uint32_t end, gw_godot_role role)
{
    gw_godot_level *level = ++reader->level;
    level->position = 0;
    level->end = end;
    level->offset = offset;
    level->role = (uint8_t)role;
    level->paired = role != GW_GODOT_ELEMENT;
    level->careful = role == GW_GODOT_PROPERTY_NAME || reader->depth >= GW_GODOT_ENGINE_DEPTH;
    reader->depth++;
}

/* Opens a container whose `count` members begin behind the head. */
static ALWAYS_INLINE gw_next open_level(struct step step, uint32_t head, uint32_t count, gw_godot_role role)
{
    gw_godot_reader *reader = step.reader;
    bool paired = role != GW_GODOT_ELEMENT;
    uint32_t body = step.start + 4;
    if (reader->level == reader->last)
        return fail(reader, GW_GODOT_FAULT_DEPTH, step.start, 0);
    if (count > (reader->length - head) >> (paired ? 3 : 2))
        note(step, GW_GODOT_ODD_COUNT);
    /* Half of 2^32 pairs cannot be there: clamping keeps the arithmetic in 32 bits and changes nothing. */
    uint32_t end = paired ? (count > INT32_MAX ? INT32_MAX : count) * 2 : count;
    push_level(reader, step.start, end, role);
    if (step.event) {
        step.event->kind = GW_GODOT_OPEN;
        step.event->count = count;
        step.event->content = head;
    }
    if (step.summary)
        step.summary->counts += count != 0;
    return finish(step, body, head - body, 0);
}

/* Skips one declaration: a built-in type's number or a class or script name. Returns what is behind it, or 0
 * after a fault. */
static NEVER_INLINE uint32_t skip_declaration(struct step step, uint32_t at, uint32_t kind)
{
    gw_godot_reader *reader = step.reader;
    struct text text;
    if (kind != GW_GODOT_BUILTIN) {
        uint32_t behind = read_text(reader, at, step.start, dirty(reader), &text);
        if (behind)
            note(step, text.odd);
        return behind;
    }
    if (reader->length - at < 4) {
        body_cut(reader, step.start, 4, reader->length - at);
        return 0;
    }
    if (gw_le32(reader->bytes + at) >= gw_godot_wire_types(GW_GODOT_4)) {
        fail(reader, GW_GODOT_FAULT_ELEMENT_TYPE, at, 0);
        return 0;
    }
    return at + 4;
}

static ALWAYS_INLINE gw_next step_container(struct step step, const gw_godot_wire *wire)
{
    gw_godot_reader *reader = step.reader;
    uint32_t at = step.start + 4;
    for (uint32_t kinds = step.header >> GW_GODOT_FLAG_SHIFT & wire->flags; kinds; kinds >>= 2) {
        if (kinds & 3U)
            at = skip_declaration(step, at, kinds & 3U);
        if (!at)
            return GW_NEXT_FAULT;
    }
    if (reader->length - at < 4)
        return body_cut(reader, step.start, 4, reader->length - at);
    uint32_t count = gw_le32(reader->bytes + at);
    if (count & GW_GODOT_COUNT_SHARED && reader->generation != GW_GODOT_2)
        note(step, GW_GODOT_ODD_SHARED);
    if (step.summary)
        step.summary->flags |=
            (count & GW_GODOT_COUNT_SHARED) | (step.header & (uint32_t)wire->flags << GW_GODOT_FLAG_SHIFT);
    return open_level(step, at + 4, count & ~GW_GODOT_COUNT_SHARED,
                      wire->shape == SHAPE_ARRAY ? GW_GODOT_ELEMENT : GW_GODOT_KEY);
}

static gw_next null_object(struct step step, uint32_t body, uint32_t length)
{
    if (step.event)
        step.event->number.id = 0;
    return finish(step, body, length, 0);
}

/* A class name's length that could be one: not empty, and there with its padding. */
static bool names_a_class(const gw_godot_reader *reader, uint32_t at)
{
    uint32_t left = reader->length - at;
    uint32_t length = left < 4 ? 0 : gw_le32(reader->bytes + at);
    return length && length <= left - 4 && gw_godot_padding(length) <= left - 4 - length &&
           gw_utf8_prefix(reader->bytes + at + 4, length) == length;
}

static NEVER_INLINE gw_next step_object(struct step step, const gw_godot_wire *wire)
{
    gw_godot_reader *reader = step.reader;
    struct text text;
    uint32_t body = step.start + 4;
    if (has_flag(step, wire))
        return step_rid(step);
    if (reader->bare_objects && !reader->depth && !names_a_class(reader, body)) {
        note(step, GW_GODOT_ODD_BARE_OBJECT);
        return null_object(step, body, 0);
    }
    uint32_t at = read_text(reader, body, step.start, dirty(reader), &text);
    if (!at)
        return GW_NEXT_FAULT;
    note(step, text.odd);
    if (step.event)
        step.event->text = text.span;
    if (!text.span.length)
        return null_object(step, body, 4);
    if (step.summary)
        sum_text(step.summary, text.span.length);
    if (reader->length - at < 4)
        return body_cut(reader, step.start, 4, reader->length - at);
    return open_level(step, at + 4, gw_le32(reader->bytes + at), GW_GODOT_PROPERTY_NAME);
}

/* ---- packed arrays ------------------------------------------------------------------------------------- */

static NEVER_INLINE gw_next count_cut(gw_godot_reader *reader, uint32_t item, uint64_t needed)
{
    return fail(reader, GW_GODOT_FAULT_COUNT_CUT, item, needed);
}

/* Tells the event of a packed array or the like, and the summary. */
static ALWAYS_INLINE void packed(struct step step, uint32_t count, uint32_t content)
{
    if (step.event) {
        step.event->kind = GW_GODOT_PACKED;
        step.event->count = count;
        step.event->content = content;
    }
    if (step.summary)
        step.summary->counts += count != 0;
}

static ALWAYS_INLINE gw_next step_packed(struct step step, const gw_godot_wire *wire)
{
    gw_godot_reader *reader = step.reader;
    uint32_t body = step.start + 4;
    uint32_t left = reader->length - body;
    uint32_t size = (wire->unit * 4U) << has_flag(step, wire);
    if (left < 4)
        return body_cut(reader, step.start, 4, left);
    uint32_t count = gw_le32(reader->bytes + body);
    if (count > (left - 4) / size)
        return count_cut(reader, step.start, (uint64_t)count * size - (left - 4));
    packed(step, count, body + 4);
    return finish(step, body, 4 + count * size, 0);
}

/* `count` bytes and their padding, which the engine does without when the input ends there (observed). */
static gw_next finish_bytes(struct step step, uint32_t body, uint32_t content, uint32_t count)
{
    gw_godot_reader *reader = step.reader;
    uint32_t left = reader->length - content;
    uint32_t padding = gw_godot_padding(count);
    if (count > left)
        return count_cut(reader, step.start, (uint64_t)count - left + (reader->depth ? padding : 0));
    if (padding && left == count && !reader->depth) {
        note(step, GW_GODOT_ODD_NO_PADDING);
        padding = 0;
    } else if (padding > left - count) {
        return fail(reader, GW_GODOT_FAULT_PADDING_CUT, step.start, padding - (left - count));
    }
    if (gw_godot_any_set(reader->bytes + content + count, padding))
        note(step, dirty(reader));
    packed(step, count, content);
    return finish(step, body, content - body + count, padding);
}

static NEVER_INLINE gw_next step_bytes(struct step step)
{
    gw_godot_reader *reader = step.reader;
    uint32_t body = step.start + 4;
    if (reader->length - body < 4)
        return body_cut(reader, step.start, 4, reader->length - body);
    return finish_bytes(step, body, body + 4, gw_le32(reader->bytes + body));
}

/* Skips `count` texts from `at` on. Returns what is behind them, or 0 after a fault. */
static uint32_t skip_texts(struct step step, uint32_t at, uint64_t count, uint32_t dirty_padding, uint32_t *odd)
{
    struct text text;
    for (uint64_t i = 0; i < count && at; i++) {
        at = read_text(step.reader, at, step.start, dirty_padding, &text);
        if (at) {
            *odd |= text.odd;
            if (step.summary)
                sum_text(step.summary, text.span.length);
        }
    }
    return at;
}

/* The strings of a string array: text with its NUL counted in. */
static NEVER_INLINE gw_next step_strings(struct step step)
{
    gw_godot_reader *reader = step.reader;
    gw_godot_strings strings;
    gw_godot_string string;
    uint32_t with_nul = 0;
    uint32_t body = step.start + 4;
    uint32_t left = reader->length - body;
    if (left < 4)
        return body_cut(reader, step.start, 4, left);
    uint32_t count = gw_le32(reader->bytes + body);
    if (count > (left - 4) / 4)
        return count_cut(reader, step.start, (uint64_t)count * 4 - (left - 4));
    /* Bounds first, on the wire's lengths; then what is odd, on the texts without their NUL. */
    uint32_t behind = skip_texts(step, body + 4, count, 0, &with_nul);
    if (!behind)
        return GW_NEXT_FAULT;
    strings = (gw_godot_strings){ .bytes = reader->bytes,
                                  .offset = body + 4,
                                  .names = count,
                                  .end = count,
                                  .stale = dirty(reader),
                                  .elements = true };
    while (gw_godot_strings_next(&strings, &string))
        note(step, string.odd);
    packed(step, count, body + 4);
    return finish(step, body, behind - body, 0);
}

/* ---- the rest ------------------------------------------------------------------------------------------ */

static gw_next step_old_node_path(struct step step)
{
    if (step.reader->generation != GW_GODOT_2)
        note(step, GW_GODOT_ODD_OLD_NODE_PATH);
    if (step.event)
        step.event->count = 0;
    return step_text(step, step.start + 4);
}

static uint32_t stale_node_path(const gw_godot_reader *reader)
{
    return reader->generation == GW_GODOT_4 ? GW_GODOT_ODD_PADDING : GW_GODOT_ODD_STALE_PADDING;
}

static NEVER_INLINE gw_next step_node_path(struct step step)
{
    gw_godot_reader *reader = step.reader;
    uint32_t body = step.start + 4;
    uint32_t left = reader->length - body;
    if (left < 4)
        return body_cut(reader, step.start, 4, left);
    uint32_t names = gw_le32(reader->bytes + body);
    if (!(names & GW_GODOT_NODE_PATH_NEW))
        return step_old_node_path(step);
    if (left < 12)
        return body_cut(reader, step.start, 12, left);
    uint32_t flags = gw_le32(reader->bytes + body + 8);
    uint64_t texts = (uint64_t)(names & ~GW_GODOT_NODE_PATH_NEW) + gw_le32(reader->bytes + body + 4) +
                     (flags & GW_GODOT_NODE_PATH_PROPERTY ? 1 : 0);
    if (texts > (left - 12) / 4)
        return count_cut(reader, step.start, texts * 4 - (left - 12));
    if (flags & ~(GW_GODOT_NODE_PATH_ABSOLUTE | GW_GODOT_NODE_PATH_PROPERTY))
        note(step, GW_GODOT_ODD_NODE_PATH_FLAGS);
    uint32_t odd = 0;
    uint32_t behind = skip_texts(step, body + 12, texts, stale_node_path(reader), &odd);
    if (!behind)
        return GW_NEXT_FAULT;
    note(step, odd);
    if (step.event) {
        step.event->count = (uint32_t)texts;
        step.event->content = body + 12;
    }
    return finish(step, body, behind - body, 0);
}

static NEVER_INLINE gw_next step_image(struct step step)
{
    gw_godot_reader *reader = step.reader;
    uint32_t body = step.start + 4;
    if (reader->length - body < 20)
        return body_cut(reader, step.start, 20, reader->length - body);
    gw_next next = finish_bytes(step, body, body + 20, gw_le32(reader->bytes + body + 16));
    if (step.event)
        step.event->kind = GW_GODOT_VALUE;
    return next;
}

static NEVER_INLINE gw_next step_input_event(struct step step)
{
    gw_godot_reader *reader = step.reader;
    uint32_t body = step.start + 4;
    uint32_t left = reader->length - body;
    if (left < GW_GODOT_INPUT_EVENT_HEAD)
        return body_cut(reader, step.start, GW_GODOT_INPUT_EVENT_HEAD, left);
    uint32_t length = gw_le32(reader->bytes + body + 8);
    if (length < GW_GODOT_INPUT_EVENT_HEAD)
        return fail(reader, GW_GODOT_FAULT_EVENT_LENGTH, body + 8, 0);
    if (length > left)
        return body_cut(reader, step.start, length, left);
    if (step.event)
        step.event->content = body + GW_GODOT_INPUT_EVENT_HEAD;
    return finish(step, body, length, 0);
}

/* A switch over all shapes: none is left to fall past it. */
static ALWAYS_INLINE gw_next step_body(struct step step, const gw_godot_wire *wire)
{
    switch ((gw_godot_shape)wire->shape) {
    case SHAPE_INT:
    case SHAPE_FLOAT:
        return step_number(step, wire);
    case SHAPE_TEXT:
        return step_text(step, step.start + 4);
    case SHAPE_BOOL:
        return step_bool(step);
    case SHAPE_DICTIONARY:
    case SHAPE_ARRAY:
        return step_container(step, wire);
    case SHAPE_NUMBERS:
        return step_numbers(step, wire);
    case SHAPE_PACKED:
        return step_packed(step, wire);
    case SHAPE_BYTES:
        return step_bytes(step);
    case SHAPE_STRINGS:
        return step_strings(step);
    case SHAPE_NODE_PATH:
        return step_node_path(step);
    case SHAPE_RID:
        return step_rid(step);
    case SHAPE_OBJECT:
        return step_object(step, wire);
    case SHAPE_SIGNAL:
        return step_signal(step);
    case SHAPE_IMAGE:
        return step_image(step);
    case SHAPE_INPUT_EVENT:
        return step_input_event(step);
    case SHAPE_EMPTY:
        break;
    }
    return finish(step, step.start + 4, 0, 0);
}

/* ---- one step ------------------------------------------------------------------------------------------ */

static NEVER_INLINE void note_header(struct step step, const gw_godot_wire *wire)
{
    if (step.header & ~(GW_GODOT_TYPE_MASK | GW_GODOT_KIND_MASK))
        note(step, GW_GODOT_ODD_HEADER_BITS);
    if (step.header & GW_GODOT_KIND_MASK & gw_godot_idle_bits(wire))
        note(step, GW_GODOT_ODD_FLAGS);
    if (step.reader->depth > GW_GODOT_ENGINE_DEPTH)
        note(step, GW_GODOT_ODD_TOO_DEEP);
}

static ALWAYS_INLINE gw_next step_value(struct step step)
{
    gw_godot_reader *reader = step.reader;
    uint32_t left = reader->length - step.start;
    if (left < 4)
        return fail(reader, GW_GODOT_FAULT_HEADER_CUT, step.start, 4 - left);
    step.header = gw_le32(reader->bytes + step.start);
    uint32_t number = step.header & reader->type_mask;
    if (number >= reader->wire_types)
        return fail(reader, GW_GODOT_FAULT_TYPE, step.start, 0);
    const gw_godot_wire *wire = &reader->wire[number];
    if (step.event) {
        step.event->kind = GW_GODOT_VALUE;
        step.event->type = wire->type;
        step.event->header = step.header;
    }
    if (step.summary) {
        step.summary->values++;
        step.summary->wire_types |= UINT64_C(1) << number;
    }
    if (step.header & gw_godot_idle_bits(wire) || reader->depth > GW_GODOT_ENGINE_DEPTH)
        note_header(step, wire);
    return step_body(step, wire);
}

static NEVER_INLINE gw_next step_property_name(struct step step)
{
    gw_next next = step_text(step, step.start); /* no header */
    if (step.event) {
        step.event->kind = GW_GODOT_VALUE;
        step.event->type = GW_GODOT_STRING;
        step.event->header = 0;
    }
    return next;
}

static uint32_t container_type(uint32_t member_role)
{
    return member_role == GW_GODOT_ELEMENT ? GW_GODOT_ARRAY
           : member_role == GW_GODOT_KEY   ? GW_GODOT_DICTIONARY
                                           : GW_GODOT_OBJECT;
}

/* Roles of keyed containers come in twos, the key's first; `position` counts both. */
static ALWAYS_INLINE void place(gw_godot_event *event, const gw_godot_level *level, uint32_t position, uint32_t depth)
{
    event->role = (uint8_t)(level->role + (position & level->paired));
    event->index = position >> level->paired;
    event->depth = depth;
}

static ALWAYS_INLINE gw_next close_level(gw_godot_reader *reader, gw_godot_event *event)
{
    const gw_godot_level *closed = reader->level--;
    reader->depth--;
    if (event) {
        event->kind = GW_GODOT_CLOSE;
        event->type = (uint8_t)container_type(closed->role);
        event->odd = 0;
        event->padding = 0;
        event->offset = closed->offset;
        event->header = gw_le32(reader->bytes + closed->offset);
        event->body = closed->offset + 4;
        event->length = reader->offset - event->body;
        event->count = closed->end >> closed->paired;
        place(event, reader->level, reader->level->position - 1, reader->depth);
    }
    return GW_NEXT_EVENT;
}

static ALWAYS_INLINE gw_next step_end(gw_godot_reader *reader, gw_godot_event *event)
{
    if (reader->fault.fault_class)
        return GW_NEXT_FAULT;
    return reader->depth ? close_level(reader, event) : GW_NEXT_END;
}

/* Reads one member, whatever it is. `event` or `summary` is NULL. */
static NEVER_INLINE gw_next step_next(gw_godot_reader *reader, gw_godot_event *event, gw_godot_summary *summary)
{
    gw_godot_level *level = reader->level;
    uint32_t position = level->position;
    struct step step = { reader, event, summary, reader->offset, 0 };
    level->position = position + 1;
    if (event) {
        event->odd = 0;
        event->offset = step.start;
        place(event, level, position, reader->depth);
    }
    if (level->role == GW_GODOT_PROPERTY_NAME && !(position & 1U))
        return step_property_name(step);
    return step_value(step);
}

/* ---- the fast lane ------------------------------------------------------------------------------------- */

/* What nearly all values of nearly all documents are (numbers, texts, arrays and dictionaries without flags, and with
 * nothing odd about them) has a shorter way, for speed alone: step_next() reads it too, and to the same end. Whatever
 * else shows, a fault among it, is left as it was and given to step_next(). */

/* Tells of the value that begins at the reader's offset, and moves behind it. */
static ALWAYS_INLINE void take_value(gw_godot_reader *reader, gw_godot_event *event, gw_godot_summary *summary,
                                     uint32_t header, uint32_t length, uint32_t padding, gw_godot_kind kind)
{
    gw_godot_level *level = reader->level;
    uint32_t position = level->position;
    uint32_t start = reader->offset;
    level->position = position + 1;
    reader->offset = start + 4 + length + padding;
    if (event) {
        event->kind = (uint8_t)kind;
        event->type = reader->wire[header].type;
        event->padding = (uint8_t)padding;
        event->odd = 0;
        event->header = header;
        event->offset = start;
        event->body = start + 4;
        event->length = length;
        place(event, level, position, reader->depth);
    }
    if (summary) {
        summary->values++;
        summary->wire_types |= UINT64_C(1) << header;
    }
}

static ALWAYS_INLINE gw_next fast_text(gw_godot_reader *reader, gw_godot_event *event, gw_godot_summary *summary)
{
    const uint8_t *bytes = reader->bytes + reader->offset;
    uint32_t room = reader->length - reader->offset - 8;
    uint32_t length = gw_le32(bytes + 4);
    uint32_t padding = gw_godot_padding(length);
    if (length > room || padding > room - length || text_is_suspect(bytes + 8, length, room))
        return step_next(reader, event, summary);
    if (event)
        event->text = (gw_span){ reader->offset + 8, length };
    if (summary)
        sum_text(summary, length);
    take_value(reader, event, summary, gw_le32(bytes), 4 + length, padding, GW_GODOT_VALUE);
    return GW_NEXT_EVENT;
}

static ALWAYS_INLINE gw_next fast_container(gw_godot_reader *reader, gw_godot_event *event, gw_godot_summary *summary,
                                            bool paired)
{
    const uint8_t *bytes = reader->bytes + reader->offset;
    uint32_t start = reader->offset;
    uint32_t count = gw_le32(bytes + 4);
    if (count > (reader->length - start - 8) >> (paired ? 3 : 2) || reader->level == reader->last)
        return step_next(reader, event, summary);
    if (event) {
        event->count = count;
        event->content = start + 8;
    }
    if (summary)
        summary->counts += count != 0;
    take_value(reader, event, summary, gw_le32(bytes), 4, 0, GW_GODOT_OPEN);
    push_level(reader, start, count << paired, paired ? GW_GODOT_KEY : GW_GODOT_ELEMENT);
    return GW_NEXT_EVENT;
}

static ALWAYS_INLINE gw_next fast_number(gw_godot_reader *reader, gw_godot_event *event, gw_godot_summary *summary,
                                         uint32_t header, int64_t integer)
{
    if (event)
        event->number.integer = integer;
    take_value(reader, event, summary, header, 4, 0, GW_GODOT_VALUE);
    return GW_NEXT_EVENT;
}

/* Of the kinds that take more than a few instructions, the ways for an event stand apart: in line they would cost
 * all others the saving of registers. */
static NEVER_INLINE gw_next next_text(gw_godot_reader *reader, gw_godot_event *event)
{
    return fast_text(reader, event, NULL);
}

static NEVER_INLINE gw_next next_array(gw_godot_reader *reader, gw_godot_event *event)
{
    return fast_container(reader, event, NULL, false);
}

static NEVER_INLINE gw_next next_dictionary(gw_godot_reader *reader, gw_godot_event *event)
{
    return fast_container(reader, event, NULL, true);
}

static NEVER_INLINE gw_next next_end(gw_godot_reader *reader, gw_godot_event *event)
{
    return step_end(reader, event);
}

static ALWAYS_INLINE gw_next step_fast(gw_godot_reader *reader, gw_godot_event *event, gw_godot_summary *summary)
{
    const gw_godot_level *level = reader->level;
    if (level->position == level->end)
        return event ? next_end(reader, event) : step_end(reader, NULL);
    if (reader->length - reader->offset < 8 || level->careful)
        return step_next(reader, event, summary);
    const uint8_t *bytes = reader->bytes + reader->offset;
    uint32_t header = gw_le32(bytes);
    uint32_t word = gw_le32(bytes + 4);
    if (header >= reader->wire_types) /* or with flags */
        return step_next(reader, event, summary);
    switch ((gw_godot_shape)reader->wire[header].shape) {
    case SHAPE_TEXT:
        return event ? next_text(reader, event) : fast_text(reader, NULL, summary);
    case SHAPE_ARRAY:
        return event ? next_array(reader, event) : fast_container(reader, NULL, summary, false);
    case SHAPE_DICTIONARY:
        return event ? next_dictionary(reader, event) : fast_container(reader, NULL, summary, true);
    case SHAPE_INT:
        return fast_number(reader, event, summary, header, (int32_t)word);
    case SHAPE_FLOAT:
        if (event)
            event->number.real = (double)gw_float_from_bits(word);
        take_value(reader, event, summary, header, 4, 0, GW_GODOT_VALUE);
        return GW_NEXT_EVENT;
    case SHAPE_BOOL:
        if (word <= 1)
            return fast_number(reader, event, summary, header, word);
        return step_next(reader, event, summary);
    default:
        return step_next(reader, event, summary);
    }
}

/* That both pointers are there spares a test in each store. */
NOT_NULL gw_next gw_godot_next(gw_godot_reader *reader, gw_godot_event *event)
{
    return step_fast(reader, event, NULL);
}

/* ---- validating ---------------------------------------------------------------------------------------- */

/* Only an input of a quarter of a gigabyte proves more than 32 bits can count. */
static uint32_t proof_of(const gw_godot_summary *summary)
{
    uint64_t proof = 8 + UINT64_C(16) * (summary->values ? summary->values - 1 : 0) + UINT64_C(8) * summary->counts +
                     UINT64_C(16) * summary->texts + UINT64_C(8) * summary->text_bytes;
    return proof > UINT32_MAX ? UINT32_MAX : (uint32_t)proof;
}

bool gw_godot_validate(const uint8_t *bytes, size_t length, const gw_godot_options *options, gw_godot_summary *summary)
{
    gw_godot_reader reader;
    gw_godot_init(&reader, bytes, length, options);
    *summary = (gw_godot_summary){ 0 };
    while (step_fast(&reader, NULL, summary) == GW_NEXT_EVENT)
        ;
    summary->length = reader.offset;
    summary->fault = reader.fault;
    summary->proof = proof_of(summary);
    return reader.fault.fault_class == GW_FAULT_NONE;
}
