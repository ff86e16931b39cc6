/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Layouts with a count of parts: packed arrays, NodePaths, and the images and input events of Godot 2.
 */
#include "internal.h"

/* Ends the reading: the count requires `needed` bytes more than the input has. `item`: the start of the value. */
static NEVER_INLINE gw_next fail_count(gw_godot_reader *reader, uint32_t item, uint64_t needed)
{
    return gw_godot_fail(reader, GW_GODOT_FAULT_ELEMENTS_TRUNCATED, item, needed);
}

/* Sets kind and count of the event, or counts the packed array in the summary if it is not empty: a count of 0 proves
 * nothing (gw_godot_summary.counts). */
static ALWAYS_INLINE void set_packed(struct step step, uint32_t count)
{
    if (step.event) {
        step.event->kind = GW_PACKED;
        step.event->count = count;
    }
    if (step.summary)
        step.summary->counts += count != 0;
}

/* Reads a packed array of numbers, vectors or colors. The event has only their place: gw_godot_real_at() and
 * gw_godot_integer_at() read them from the bytes by index. */
gw_next gw_godot_step_packed(struct step step, const gw_godot_wire *wire)
{
    gw_godot_reader *reader = step.reader;
    uint32_t body = step.start + 4;
    uint32_t left = reader->length - body;
    /* Bytes of an element, twice as many with the 64-bit flag: types of this shape have one word or more. */
    uint32_t size = (wire->unit * 4U) << has_flag(step, wire);
    if (left < 4)
        return gw_godot_fail_body(reader, step.start, 4, left);
    uint32_t count = gw_le32(reader->bytes + body);
    if (count > (left - 4) / size)
        return fail_count(reader, step.start, (uint64_t)count * size - (left - 4));
    set_packed(step, count);
    return finish(step, 8, count * size, 0);
}

/* Reads `count` bytes from the offset `content` on, and their padding, which the engine does not require if the array
 * is the root and ends the input (observed). Bytes that the input lacks are therefore counted with the padding only
 * inside a container. */
static gw_next finish_bytes(struct step step, uint32_t content, uint32_t count)
{
    gw_godot_reader *reader = step.reader;
    uint32_t left = reader->length - content;
    uint32_t padding = gw_godot_padding(count);
    if (count > left)
        return fail_count(reader, step.start, (uint64_t)count - left + (reader->depth ? padding : 0));
    if (padding && left == count && !reader->depth) {
        add_odd(step, GW_GODOT_ODD_NO_PADDING);
        padding = 0;
    } else if (padding > left - count) {
        return gw_godot_fail(reader, GW_GODOT_FAULT_PADDING_TRUNCATED, step.start, padding - (left - count));
    }
    if (gw_godot_any_set(reader->bytes + content + count, padding))
        add_odd(step, odd_of_padding(reader));
    set_packed(step, count);
    return finish(step, content - step.start, count, padding);
}

/* Reads an array of bytes. */
gw_next gw_godot_step_bytes(struct step step)
{
    gw_godot_reader *reader = step.reader;
    uint32_t body = step.start + 4;
    if (reader->length - body < 4)
        return gw_godot_fail_body(reader, step.start, 4, reader->length - body);
    return finish_bytes(step, body + 4, gw_le32(reader->bytes + body));
}

/* Skips `count` texts from `at` on, and adds their oddities to `odd`; `dirty_padding`: the oddity of padding that is
 * not zero. Returns the offset after them, or 0 after a fault. */
static uint32_t skip_texts(struct step step, uint32_t at, uint64_t count, uint32_t dirty_padding, uint32_t *odd)
{
    struct text text;
    for (uint64_t i = 0; i < count && at; i++) {
        at = gw_godot_read_text(step.reader, at, step.start, dirty_padding, &text);
        if (at) {
            *odd |= text.odd;
            if (step.summary)
                sum_text(step.summary, text.span.length);
        }
    }
    return at;
}

/* Reads a string array; the length of each text includes its NUL. */
gw_next gw_godot_step_strings(struct step step)
{
    gw_godot_reader *reader = step.reader;
    gw_godot_strings strings;
    gw_godot_string string;
    uint32_t unused_odd = 0;
    uint32_t body = step.start + 4;
    uint32_t left = reader->length - body;
    if (left < 4)
        return gw_godot_fail_body(reader, step.start, 4, left);
    uint32_t count = gw_le32(reader->bytes + body);
    if (count > (left - 4) / 4)
        return fail_count(reader, step.start, (uint64_t)count * 4 - (left - 4));
    /* First the bounds are tested, with the lengths on the wire; then oddities, with the texts without their NUL: to
     * skip_texts(), each NUL is odd. */
    uint32_t after = skip_texts(step, body + 4, count, 0, &unused_odd);
    if (!after)
        return GW_NEXT_FAULT;
    strings = (gw_godot_strings){ .bytes = reader->bytes,
                                  .offset = body + 4,
                                  .names = count,
                                  .end = count,
                                  .stale = odd_of_padding(reader),
                                  .elements = true };
    while (gw_godot_strings_next(&strings, &string))
        add_odd(step, string.odd);
    set_packed(step, count);
    return finish(step, 8, after - body - 4, 0);
}

/* Reads a NodePath: three words (number of names, number of subnames, flags), then its names, subnames and property as
 * texts; or, in the old format, whose first word does not have bit 31 (GW_GODOT_NODE_PATH_NEW), one text.
 * The padding of names has stale bytes in Godot 2, 3 and 4 up to 4.6.2, see GW_GODOT_ODD_STALE_PADDING. */
gw_next gw_godot_step_node_path(struct step step)
{
    gw_godot_reader *reader = step.reader;
    uint32_t body = step.start + 4;
    uint32_t left = reader->length - body;
    if (left < 4)
        return gw_godot_fail_body(reader, step.start, 4, left);
    uint32_t names = gw_le32(reader->bytes + body);
    if (!(names & GW_GODOT_NODE_PATH_NEW)) {
        if (reader->generation != GW_GODOT_2)
            add_odd(step, GW_GODOT_ODD_OLD_NODE_PATH);
        if (step.event)
            step.event->count = 0;
        return gw_godot_step_text(step, body);
    }
    if (left < 12)
        return gw_godot_fail_body(reader, step.start, 12, left);
    uint32_t flags = gw_le32(reader->bytes + body + 8);
    uint64_t texts = (uint64_t)(names & ~GW_GODOT_NODE_PATH_NEW) + gw_le32(reader->bytes + body + 4) +
                     (flags & GW_GODOT_NODE_PATH_PROPERTY ? 1 : 0);
    if (texts > (left - 12) / 4)
        return fail_count(reader, step.start, texts * 4 - (left - 12));
    if (flags & ~(GW_GODOT_NODE_PATH_ABSOLUTE | GW_GODOT_NODE_PATH_PROPERTY))
        add_odd(step, GW_GODOT_ODD_NODE_PATH_FLAGS);
    uint32_t odd = 0;
    uint32_t after = skip_texts(step, body + 12, texts, GW_GODOT_ODD_STALE_PADDING, &odd);
    if (!after)
        return GW_NEXT_FAULT;
    add_odd(step, odd);
    if (step.event)
        step.event->count = (uint32_t)texts;
    return finish(step, 16, after - body - 12, 0);
}

/* Reads an Image of Godot 2: format, mipmaps, width and height, then the pixels as an array of bytes. */
gw_next gw_godot_step_image(struct step step)
{
    gw_godot_reader *reader = step.reader;
    uint32_t body = step.start + 4;
    if (reader->length - body < 20)
        return gw_godot_fail_body(reader, step.start, 20, reader->length - body);
    gw_next next = finish_bytes(step, body + 20, gw_le32(reader->bytes + body + 16));
    /* An image is one value, although its pixels were read as a packed array. */
    if (step.event)
        step.event->kind = GW_VALUE;
    return next;
}

/* Reads an InputEvent of Godot 2: its number, the device, the length, and the details, whose layout depends on the
 * event. The length includes these three words; a smaller one is a fault. */
gw_next gw_godot_step_input_event(struct step step)
{
    gw_godot_reader *reader = step.reader;
    uint32_t body = step.start + 4;
    uint32_t left = reader->length - body;
    if (left < GW_GODOT_INPUT_EVENT_HEAD)
        return gw_godot_fail_body(reader, step.start, GW_GODOT_INPUT_EVENT_HEAD, left);
    uint32_t length = gw_le32(reader->bytes + body + 8);
    if (length < GW_GODOT_INPUT_EVENT_HEAD)
        return gw_godot_fail(reader, GW_GODOT_FAULT_INPUT_EVENT_INVALID, body + 8, 0);
    if (length > left)
        return gw_godot_fail_body(reader, step.start, length, left);
    return finish(step, 4 + GW_GODOT_INPUT_EVENT_HEAD, length - GW_GODOT_INPUT_EVENT_HEAD, 0);
}
