/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Reads one message of the remote debugger. Whether it is whole is known before the first event; then the lists of
 * tables.c lead through its values.
 */
#include "tables.h"

#include <gamewire/bytes.h>

_Static_assert(sizeof(gw_godot_debugger_reader) <= 2048, "the reader is on its caller's stack");

/* Header bits that engines never set; see gw_godot_recognize(). */
#define NEVER_SET   UINT32_C(0xFFF0FFC0)
#define MOST_VALUES 1000000
/* The smallest Variant with its length. */
#define LEAST_FRAME (2 * GW_GODOT_DEBUGGER_PREFIX)
#define LEAST_ARRAY 8U /* its header and its count */

typedef enum head_state { HEAD_OPEN, HEAD_NAME, HEAD_NUMBER, HEAD_DATA, HEAD_DONE } head_state;

/* One Variant, with its prefix. */
typedef struct variant {
    gw_span prefix;
    gw_span span;
    gw_godot_event root;
    bool is_whole;
} variant;

/* Ends the reading with a fault at the reader's offset. */
static gw_next fail(gw_godot_debugger_reader *reader, gw_godot_debugger_fault code, uint64_t needed)
{
    gw_set_fault(&reader->fault, &gw_godot_debugger_faults, code, reader->offset, needed);
    return GW_NEXT_FAULT;
}

/* ---- Variants ------------------------------------------------------------------------------------------ */

/* Reads the Variant at an offset: its span, its first event (`root`) with its type and its number, text or count, and
 * `is_whole`, true if all of it can be read. With `is_framed` its length is before it, which the caller has tested:
 * value->span has all of these bytes, and `end` is not used. Without, it ends at `end` or before; one that cannot be
 * read takes all bytes up to there. */
static void variant_at(const gw_godot_debugger_reader *reader, uint32_t offset, uint32_t end, bool is_framed,
                       variant *value)
{
    gw_godot_options options = { .generation = (gw_godot_generation)reader->generation,
                                 .offset = offset,
                                 .levels = reader->options.levels,
                                 .level_count = reader->options.level_count };
    gw_godot_summary summary;
    gw_godot_reader values;
    *value = (variant){ .prefix = { offset, 0 } };
    if (is_framed) {
        value->prefix.length = GW_GODOT_DEBUGGER_PREFIX;
        options.offset += GW_GODOT_DEBUGGER_PREFIX;
        end = options.offset + gw_le32(reader->bytes + offset);
    }
    value->is_whole = gw_godot_validate(reader->bytes, end, &options, &summary);
    value->span = (gw_span){ options.offset, is_framed || !value->is_whole ? end - options.offset : summary.length };
    gw_godot_init(&values, reader->bytes, end, &options);
    value->is_whole = gw_godot_next(&values, &value->root) == GW_NEXT_EVENT && value->is_whole;
}

/* True for a complete String or StringName. */
static bool is_text(const variant *value)
{
    return value->is_whole && (value->root.type == GW_GODOT_STRING || value->root.type == GW_GODOT_STRING_NAME);
}

/* True for a complete Array. */
static bool is_array(const variant *value)
{
    return value->is_whole && value->root.kind == GW_OPEN && value->root.type == GW_GODOT_ARRAY;
}

/* ---- the head ------------------------------------------------------------------------------------------ */

/* Reads the head of a message that is one Array, and where its data begin. False if the bytes from the offset to
 * reader->end are not exactly one Array with a message. */
static bool read_array_head(gw_godot_debugger_reader *reader, uint32_t offset)
{
    variant whole, value;
    variant_at(reader, offset, reader->end, false, &whole);
    uint32_t count = whole.root.count;
    if (!is_array(&whole) || gw_span_end(whole.span) != reader->end || !count)
        return false;
    /* The event of an Array has its header alone: its first element begins after it. */
    variant_at(reader, gw_span_end(whole.root.padding), reader->end, false, &value);
    if (!is_text(&value))
        return false;
    reader->name = value.span;

    /* In Godot 3, the other values are the data. */
    reader->data = gw_span_end(value.span);
    reader->data_count = count - 1;
    if (reader->generation == GW_GODOT_3)
        return true;

    /* In Godot 4, a thread (if there are three values) and an Array of the data follow. */
    if (count != 2 && count != 3)
        return false;
    variant_at(reader, reader->data, reader->end, false, &value);
    reader->has_thread = count == 3;
    if (reader->has_thread) {
        if (value.root.type != GW_GODOT_INT)
            return false;
        reader->thread = value.root.number;
        variant_at(reader, gw_span_end(value.span), reader->end, false, &value);
    }
    if (!is_array(&value))
        return false;
    reader->data = gw_span_end(value.root.padding);
    reader->data_count = value.root.count;
    return true;
}

/* Reads the length of the Variant at an offset. False, with a fault, if it is not complete, or no Variant begins there:
 * the length is not possible, or the header has bits that engines never set. */
static bool frame_at(gw_godot_debugger_reader *reader, uint32_t offset, uint32_t *length)
{
    uint32_t left = reader->length - offset;
    if (left < LEAST_FRAME) {
        fail(reader, GW_GODOT_DEBUGGER_FAULT_MESSAGE_TRUNCATED, LEAST_FRAME - left);
        return false;
    }
    *length = gw_le32(reader->bytes + offset);
    if (!gw_godot_debugger_is_length(*length) ||
        gw_le32(reader->bytes + offset + GW_GODOT_DEBUGGER_PREFIX) & NEVER_SET) {
        fail(reader, GW_GODOT_DEBUGGER_FAULT_MESSAGE_INVALID, 0);
        return false;
    }
    left -= GW_GODOT_DEBUGGER_PREFIX;
    if (*length > left) {
        fail(reader, GW_GODOT_DEBUGGER_FAULT_MESSAGE_TRUNCATED, *length - left);
        return false;
    }
    return true;
}

/* True for a name in the tables of messages that a game of Godot 3 sends: only these have the form that is read here, a
 * sequence of Variants. Where a message is known to begin (is_synchronized), also for a text that may be a name: three
 * or more letters, digits, underscores and colons (the character after '9'). */
static bool may_be_name(const gw_godot_debugger_reader *reader, gw_span name)
{
    const uint8_t *text = reader->bytes + name.offset;
    if (gw_godot_debugger_find(GW_GODOT_3, GW_GODOT_DEBUGGER_GAME, text, name.length))
        return true;
    if (!reader->options.is_synchronized || name.length < 3)
        return false;
    for (uint32_t i = 0; i < name.length; i++) {
        uint8_t lower = text[i] | 0x20;
        if (!(lower >= 'a' && lower <= 'z') && !(text[i] >= '0' && text[i] <= ':') && text[i] != '_')
            return false;
    }
    return true;
}

/* Reads the head of a message of Godot 3 that is a sequence of Variants, each with its length as a prefix: the name,
 * a count, and this number of values. All must be in the input. `length`: of the name. */
static void read_flat_head(gw_godot_debugger_reader *reader, uint32_t length)
{
    variant name, count;
    uint32_t offset = reader->offset;
    variant_at(reader, offset, reader->length, true, &name);
    if (!is_text(&name) || !may_be_name(reader, name.root.text)) {
        fail(reader, GW_GODOT_DEBUGGER_FAULT_MESSAGE_UNKNOWN, 0);
        return;
    }
    offset += GW_GODOT_DEBUGGER_PREFIX + length;
    if (!frame_at(reader, offset, &length))
        return;
    variant_at(reader, offset, reader->length, true, &count);
    if (!count.is_whole || count.root.type != GW_GODOT_INT) {
        fail(reader, GW_GODOT_DEBUGGER_FAULT_MESSAGE_UNKNOWN, 0);
        return;
    }
    if (count.root.number < 0 || count.root.number > MOST_VALUES) {
        fail(reader, GW_GODOT_DEBUGGER_FAULT_COUNT_INVALID, 0);
        return;
    }
    reader->name = name.span;
    reader->values = reader->data_count = (uint32_t)count.root.number;
    reader->data = offset += GW_GODOT_DEBUGGER_PREFIX + length;
    for (uint32_t i = 0; i < reader->values; i++) {
        if (!frame_at(reader, offset, &length)) {
            /* Besides what this value lacks, which the fault has: at least the smallest Variant for each value after
             * it. */
            reader->missing = (reader->values - i - 1) * LEAST_FRAME;
            return;
        }
        offset += GW_GODOT_DEBUGGER_PREFIX + length;
    }
    reader->end = offset;
}

/* Sets the message's row in the tables, by its name, and its sender: in Godot 4 the name may show which side (game or
 * editor) sends it. `sender`: as known so far; if it is neither side, the game's row is used before the editor's. The
 * effect is that on the game's execution, such as stopping it. A name without a row leaves known_name NULL. */
static void find_row(gw_godot_debugger_reader *reader, gw_godot_debugger_side sender)
{
    /* The text of a String follows its header and its length, of four bytes each. */
    const uint8_t *text = reader->bytes + reader->name.offset + 8;
    uint32_t length = gw_le32(text - 4);
    gw_godot_generation generation = (gw_godot_generation)reader->generation;
    const gw_godot_debugger_row *game = gw_godot_debugger_find(generation, GW_GODOT_DEBUGGER_GAME, text, length);
    const gw_godot_debugger_row *editor = gw_godot_debugger_find(generation, GW_GODOT_DEBUGGER_EDITOR, text, length);
    /* One of the two sides has the name, and not the other. */
    if (generation == GW_GODOT_4 && !game != !editor)
        sender = game ? GW_GODOT_DEBUGGER_GAME : GW_GODOT_DEBUGGER_EDITOR;
    reader->sender = (uint8_t)sender;
    reader->row = sender == GW_GODOT_DEBUGGER_EDITOR || !game ? editor : game;
    if (!reader->row)
        return;
    reader->known_name = reader->row->name;
    reader->effect = reader->row->effect;
}

/* Finds out the form of the message, reads its head, and finds its row. */
static void read_head(gw_godot_debugger_reader *reader)
{
    bool is_bare = reader->options.form == GW_GODOT_DEBUGGER_BARE;
    gw_godot_debugger_side sender = reader->options.sender;
    uint32_t offset = reader->offset, length = reader->length - reader->offset;

    /* The first Variant: all of a WebSocket message; in a stream, its length precedes it. */
    if (is_bare && length < LEAST_ARRAY) {
        fail(reader, GW_GODOT_DEBUGGER_FAULT_MESSAGE_INVALID, 0);
        return;
    }
    if (!is_bare && !frame_at(reader, offset, &length))
        return;
    offset += is_bare ? 0 : GW_GODOT_DEBUGGER_PREFIX;

    /* A message is an Array, or, in streams of Godot 3, a String and more Variants. */
    uint32_t wire = gw_le32(reader->bytes + offset) & GW_GODOT_TYPE_MASK;
    reader->generation = wire == WIRE_ARRAY_4 ? GW_GODOT_4 : GW_GODOT_3;
    reader->is_flat = wire == WIRE_STRING && !is_bare;
    if (reader->is_flat) {
        read_flat_head(reader, length);
    } else if (wire == WIRE_ARRAY_4 || wire == WIRE_ARRAY_3) {
        reader->end = offset + length;
        if (!read_array_head(reader, offset))
            fail(reader, GW_GODOT_DEBUGGER_FAULT_MESSAGE_INVALID, 0);
    } else {
        fail(reader, is_bare ? GW_GODOT_DEBUGGER_FAULT_MESSAGE_INVALID : GW_GODOT_DEBUGGER_FAULT_MESSAGE_UNKNOWN, 0);
    }
    if (reader->fault.fault_class)
        return;

    /* In Godot 3 the game sends sequences of Variants, the editor Arrays: an Array from the game is not a message, but
     * a value of an earlier one. */
    if (reader->generation == GW_GODOT_3) {
        sender = reader->is_flat ? GW_GODOT_DEBUGGER_GAME : GW_GODOT_DEBUGGER_EDITOR;
        if (reader->options.sender != GW_GODOT_DEBUGGER_EITHER && reader->options.sender != sender) {
            fail(reader, GW_GODOT_DEBUGGER_FAULT_MESSAGE_UNKNOWN, 0);
            return;
        }
    }
    find_row(reader, sender);
}

/* Starts at options->offset, and reads the head of the message there: after it, reader->fault shows whether the
 * message is complete. If it is truncated, `missing` has the bytes that its first incomplete Variant lacks, and the
 * least bytes of the values after that, which read_flat_head() has set. */
void gw_godot_debugger_init(gw_godot_debugger_reader *reader, const uint8_t *bytes, size_t length,
                            const gw_godot_debugger_options *options)
{
    static const gw_godot_debugger_options defaults = { .is_synchronized = true };
    *reader = (gw_godot_debugger_reader){ .bytes = bytes, .options = options ? *options : defaults };
    reader->offset = reader->options.offset;
    if (length > GW_LONGEST_INPUT) {
        fail(reader, GW_GODOT_DEBUGGER_FAULT_TOO_LONG, 0);
        return;
    }
    reader->length = (uint32_t)length;
    if (reader->offset > reader->length)
        reader->offset = reader->length;
    read_head(reader);
    if (reader->fault.fault_class == GW_FAULT_TRUNCATED)
        reader->missing += (uint32_t)reader->fault.needed;
}

/* ---- groups -------------------------------------------------------------------------------------------- */

/* The open group whose values are read. */
static gw_godot_debugger_scope *innermost(gw_godot_debugger_reader *reader)
{
    return &reader->scopes[reader->depth];
}

/* Opens a group, and returns its OPEN event. The event's spans are empty, at the beginning of the group, since its end
 * is not known before its values are read. */
static gw_next open_scope(gw_godot_debugger_reader *reader, gw_godot_debugger_event *event,
                          const gw_godot_debugger_scope *scope)
{
    reader->scopes[++reader->depth] = *scope;
    *event = (gw_godot_debugger_event){
        .kind = GW_OPEN, .role = scope->role, .depth = reader->depth - 1, .index = scope->number
    };
    event->header.offset = event->payload.offset = event->padding.offset = scope->start;
    return GW_NEXT_EVENT;
}

/* Opens a group of values of the open group, its parent: they are not in a container of their own, so that the group
 * has the parent's end and takes from its `values_left`. Its range includes the prefix of the first value. `number`:
 * its index among the repetitions, which parent->again has counted with this one; 0 if it is not repeated. */
static gw_next open_group(gw_godot_debugger_reader *reader, gw_godot_debugger_event *event, unsigned member,
                          const gw_godot_debugger_step *steps)
{
    gw_godot_debugger_scope *parent = innermost(reader);
    const gw_godot_debugger_scope group = { .steps = steps,
                                            .start = reader->offset,
                                            .end = parent->end,
                                            .values_left = parent->values_left,
                                            .number = parent->again ? parent->again - 1 : 0,
                                            .role = (uint8_t)member,
                                            .is_framed = parent->is_framed,
                                            .is_node = member == GW_GODOT_DEBUGGER_ROLE_NODE };
    return open_scope(reader, event, &group);
}

/* Opens a node of a scene tree, the root or a child of the open node. The first node after end_steps() has found the
 * tree too deep is marked as odd: it is a sibling of the root instead of a child. */
static gw_next open_node(gw_godot_debugger_reader *reader, gw_godot_debugger_event *event)
{
    gw_next next = open_group(reader, event, GW_GODOT_DEBUGGER_ROLE_NODE,
                              gw_godot_debugger_node((gw_godot_generation)reader->generation));
    if (reader->is_too_deep)
        event->odd = GW_GODOT_DEBUGGER_ODD_TOO_DEEP;
    reader->is_too_deep = false;
    return next;
}

/* ---- values -------------------------------------------------------------------------------------------- */

/* Copies the value to the event, and tests whether the engine sends its type for the member. An Object that is a single
 * value, without properties, is an id or null. */
static void set_value(gw_godot_debugger_event *event, const variant *value, gw_godot_debugger_role member)
{
    event->type = value->root.type;
    if (value->root.type == GW_GODOT_FLOAT)
        event->real = value->root.real;
    else if (value->root.type == GW_GODOT_INT || value->root.type == GW_GODOT_BOOL)
        event->number = value->root.number;
    else if (value->root.type == GW_GODOT_OBJECT && value->root.kind == GW_VALUE)
        event->number = (int64_t)value->root.number;
    if (value->root.type == GW_GODOT_STRING || value->root.type == GW_GODOT_STRING_NAME)
        event->text = value->root.text;
    if (!gw_godot_debugger_suits(member, (gw_godot_type)value->root.type))
        event->odd |= GW_GODOT_DEBUGGER_ODD_TYPE;
}

/* Reads one value of the open group, which has one left, as this member; in a dictionary, the key before it, if it is a
 * text in the tables, determines the member. The prefix or the key is the event's header. A value that cannot be read
 * is an OPAQUE event with an oddity. */
static gw_next read_member(gw_godot_debugger_reader *reader, gw_godot_debugger_event *event, unsigned member)
{
    gw_godot_debugger_scope *scope = innermost(reader);
    uint32_t start = reader->offset;
    variant value;
    if (scope->is_keyed) {
        variant_at(reader, reader->offset, scope->end, false, &value);
        member = is_text(&value)
                     ? gw_godot_debugger_role_of(reader->bytes + value.root.text.offset, value.root.text.length)
                     : GW_GODOT_DEBUGGER_ROLE_ARGUMENT;
        reader->offset = gw_span_end(value.span);
    }
    variant_at(reader, reader->offset, scope->end, scope->is_framed, &value);
    *event = (gw_godot_debugger_event){ .kind = value.is_whole ? GW_VALUE : GW_OPAQUE,
                                        .role = (uint8_t)member,
                                        .depth = reader->depth,
                                        .index = scope->index++,
                                        .header = { start, value.span.offset - start },
                                        .payload = value.span };
    event->padding.offset = reader->offset = gw_span_end(value.span);
    scope->values_left--;
    if (value.is_whole)
        set_value(event, &value, (gw_godot_debugger_role)member);
    else
        event->odd = GW_GODOT_DEBUGGER_ODD_VALUE;
    return GW_NEXT_EVENT;
}

/* Opens a container, an Array or a Dictionary, whose elements have a list of steps: a group with values of its own
 * (owns_source), which counts as one value of the open group. A value of another type is read as an argument, and is
 * odd. */
static gw_next read_container(gw_godot_debugger_reader *reader, gw_godot_debugger_event *event,
                              const gw_godot_debugger_step *step)
{
    gw_godot_debugger_scope *parent = innermost(reader);
    gw_godot_type type = step->shape == SHAPE_DICTIONARIES ? GW_GODOT_DICTIONARY : GW_GODOT_ARRAY;
    variant value;
    variant_at(reader, reader->offset, parent->end, parent->is_framed, &value);
    if (!value.is_whole || value.root.kind != GW_OPEN || value.root.type != type) {
        gw_next next = read_member(reader, event, GW_GODOT_DEBUGGER_ROLE_ARGUMENT);
        event->odd |= GW_GODOT_DEBUGGER_ODD_TYPE;
        return next;
    }
    const gw_godot_debugger_scope group = { .steps = step->steps,
                                            .start = reader->offset,
                                            .end = gw_span_end(value.span),
                                            .values_left = value.root.count,
                                            .number = parent->index++,
                                            .role = step->role,
                                            .owns_source = true,
                                            .is_keyed = type == GW_GODOT_DICTIONARY };
    parent->values_left--;
    reader->offset = gw_span_end(value.root.padding);
    return open_scope(reader, event, &group);
}

/* ---- steps --------------------------------------------------------------------------------------------- */

/* At the end of the list of steps: opens the next child of a node, reads a value that is not in the list (odd), or
 * closes the group. Groups with values of their own (owns_source), the message or a container, end at the end of these;
 * others return the values that are left to their parent. */
static gw_next end_steps(gw_godot_debugger_reader *reader, gw_godot_debugger_event *event)
{
    gw_godot_debugger_scope *scope = innermost(reader);
    /* The children of a node: `counter` is their number, `again` that of those that have begun. */
    if (scope->is_node && scope->again < scope->counter && scope->values_left) {
        if (reader->depth <= GW_GODOT_DEBUGGER_TREE_DEPTH) {
            scope->again++;
            return open_node(reader, event);
        }
        /* Open nodes get no more children: the rest of the tree is returned as siblings of its root. */
        for (unsigned i = 1; i <= reader->depth; i++)
            if (reader->scopes[i].is_node)
                reader->scopes[i].counter = 0;
        reader->is_too_deep = true;
    }
    /* In a message that is not in the tables, all values are arguments: none is left here. */
    if (scope->owns_source && scope->values_left) {
        gw_next next = read_member(reader, event, GW_GODOT_DEBUGGER_ROLE_ARGUMENT);
        event->odd |= GW_GODOT_DEBUGGER_ODD_MORE;
        return next;
    }

    *event = (gw_godot_debugger_event){
        .kind = GW_CLOSE, .role = scope->role, .depth = reader->depth - 1, .index = scope->number
    };
    if (scope->owns_source)
        reader->offset = scope->end;
    event->header.offset = event->payload.offset = scope->start;
    event->payload.length = reader->offset - scope->start;
    event->padding.offset = reader->offset;
    reader->depth--;
    /* A group that reads values of its parent updates the count of the parent. The message has no parent. */
    if (!scope->owns_source)
        reader->scopes[reader->depth].values_left = scope->values_left;
    if (!reader->depth) {
        reader->state = HEAD_DONE;
        event->odd = reader->is_fewer ? GW_GODOT_DEBUGGER_ODD_FEWER : 0;
    }
    return GW_NEXT_EVENT;
}

/* True for a step that reads any number of values or groups, none included, before the next step. */
static bool is_repeated(const gw_godot_debugger_step *step)
{
    return step->shape == SHAPE_TIMES || step->shape == SHAPE_REST || step->shape == SHAPE_TREE ||
           step->shape == SHAPE_EACH || step->shape == SHAPE_ARRAYS || step->shape == SHAPE_DICTIONARIES;
}

/* Executes the steps of the open group, the list of its values in tables.c, up to one that returns an event. A step
 * without a value is skipped; if the engine always sends a value there, is_fewer is set, which the CLOSE event of the
 * message reports. `again` counts the repetitions of a step; `counter` is the number of repetitions, from the
 * SHAPE_COUNT before it. */
static gw_next next_value(gw_godot_debugger_reader *reader, gw_godot_debugger_event *event)
{
    gw_godot_debugger_scope *scope = innermost(reader);
    for (; scope->steps->shape != SHAPE_END; scope->steps++) {
        const gw_godot_debugger_step *step = scope->steps;
        bool is_counted_off = step->shape == SHAPE_TIMES && scope->again >= scope->counter;
        /* The step has no value. If it is not repeated, and not optional, the engine would have sent one. */
        if (!scope->values_left || is_counted_off) {
            if (is_repeated(step))
                scope->again = 0;
            else
                reader->is_fewer |= step->shape != SHAPE_OPTIONAL;
            continue;
        }
        /* A repeated step remains the current one until its values end. */
        if (!is_repeated(step))
            scope->steps++;
        switch ((gw_godot_debugger_shape)step->shape) {
        case SHAPE_TIMES:
        case SHAPE_REST:
            scope->again++;
            return open_group(reader, event, step->role, step->steps);
        case SHAPE_TREE:
            return open_node(reader, event);
        case SHAPE_ARRAY:
        case SHAPE_ARRAYS:
        case SHAPE_DICTIONARIES:
            return read_container(reader, event, step);
        case SHAPE_COUNT:
            /* The count is of values; the divisor is the number of values in a group. A count that is not possible: no
             * groups. */
            read_member(reader, event, step->role);
            scope->again = 0;
            scope->counter =
                event->number > 0 && event->number <= MOST_VALUES ? (uint32_t)event->number / step->divisor : 0;
            return GW_NEXT_EVENT;
        default:
            return read_member(reader, event, step->role);
        }
    }
    return end_steps(reader, event);
}

/* ---- the reader ---------------------------------------------------------------------------------------- */

/* Reads a value before the data: the name, the count or the thread. */
static void read_head_value(gw_godot_debugger_reader *reader, gw_godot_debugger_event *event, uint32_t offset,
                            gw_godot_debugger_role member)
{
    variant value;
    variant_at(reader, offset, reader->end, reader->is_flat, &value);
    *event = (gw_godot_debugger_event){
        .kind = GW_VALUE, .role = (uint8_t)member, .depth = 1, .header = value.prefix, .payload = value.span
    };
    event->padding.offset = reader->offset = gw_span_end(value.span);
    set_value(event, &value, member);
}

/* Reads the next part of the message: its beginning, name, and count or thread; then its data up to its end. */
gw_next gw_godot_debugger_next(gw_godot_debugger_reader *reader, gw_godot_debugger_event *event)
{
    /* The values of a message that is not in the tables. */
    static const gw_godot_debugger_step arguments[] = { { SHAPE_EACH, GW_GODOT_DEBUGGER_ROLE_ARGUMENT, 0, NULL },
                                                        { SHAPE_END, 0, 0, NULL } };
    if (reader->fault.fault_class)
        return GW_NEXT_FAULT;
    switch ((head_state)reader->state) {
    case HEAD_OPEN: {
        const gw_godot_debugger_scope message = { .steps = reader->row ? reader->row->steps : arguments,
                                                  .start = reader->offset,
                                                  .end = reader->end,
                                                  .values_left = reader->data_count,
                                                  .role = GW_GODOT_DEBUGGER_ROLE_MESSAGE,
                                                  .owns_source = true,
                                                  .is_framed = reader->is_flat };
        reader->state = HEAD_NAME;
        return open_scope(reader, event, &message);
    }
    case HEAD_NAME:
        /* reader->name begins after the length of the Variant; the event includes it. */
        reader->state = reader->is_flat || reader->has_thread ? HEAD_NUMBER : HEAD_DATA;
        read_head_value(reader, event, reader->name.offset - (reader->is_flat ? GW_GODOT_DEBUGGER_PREFIX : 0),
                        GW_GODOT_DEBUGGER_ROLE_NAME);
        break;
    case HEAD_NUMBER:
        reader->state = HEAD_DATA;
        read_head_value(reader, event, reader->offset,
                        reader->is_flat ? GW_GODOT_DEBUGGER_ROLE_VALUES : GW_GODOT_DEBUGGER_ROLE_THREAD);
        break;
    case HEAD_DATA:
        return next_value(reader, event);
    default:
        return GW_NEXT_END;
    }
    if (reader->state == HEAD_DATA) /* in an Array of Godot 4, the data begin after the header of the Array of data */
        reader->offset = reader->data;
    return GW_NEXT_EVENT;
}

/* Reads all of the message for its summary; false if it has a fault. `values` counts the values after the head, whose
 * roles end with ROLE_VALUES; `suited` those of them that have a member which requires a type, and have that type. */
bool gw_godot_debugger_validate(const uint8_t *bytes, size_t length, const gw_godot_debugger_options *options,
                                gw_godot_debugger_summary *summary)
{
    gw_godot_debugger_reader reader;
    gw_godot_debugger_event event;
    *summary = (gw_godot_debugger_summary){ 0 };
    gw_godot_debugger_init(&reader, bytes, length, options);
    while (gw_godot_debugger_next(&reader, &event) == GW_NEXT_EVENT) {
        bool is_value = event.kind == GW_VALUE && event.role > GW_GODOT_DEBUGGER_ROLE_VALUES;
        summary->odd |= event.odd;
        summary->values += is_value;
        summary->suited += is_value && event.role != GW_GODOT_DEBUGGER_ROLE_ARGUMENT && !event.odd &&
                           gw_godot_debugger_role_kind((gw_godot_debugger_role)event.role) != GW_GODOT_DEBUGGER_ANY;
    }
    summary->fault = reader.fault;
    summary->length = reader.offset - (options ? options->offset : 0);
    return !reader.fault.fault_class;
}
