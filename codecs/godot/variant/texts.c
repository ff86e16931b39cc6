/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Texts with their padding, and how reading ends with a fault; shared by all layouts.
 */
#include "internal.h"

#include <string.h>

/* ---- faults -------------------------------------------------------------------------------------------- */

/* Ends the reading with a fault at `offset`; `needed`: how many bytes more the input must have, 0 if the fault is not a
 * truncation. Returns GW_NEXT_FAULT. */
gw_next gw_godot_fail(gw_godot_reader *reader, gw_godot_fault code, uint32_t offset, uint64_t needed)
{
    gw_set_fault(&reader->fault, &gw_godot_faults, code, offset, needed);
    /* The next call reaches the end of the level, and only then tests for a fault. */
    reader->level->end = reader->level->position;
    reader->stop = reader->level->position;
    return GW_NEXT_FAULT;
}

/* Ends the reading: of a body of `size` bytes, the input has only `left`. `item`: the start of its value. */
gw_next gw_godot_fail_body(gw_godot_reader *reader, uint32_t item, uint64_t size, uint32_t left)
{
    return gw_godot_fail(reader, GW_GODOT_FAULT_BODY_TRUNCATED, item, size - left);
}

/* ---- texts --------------------------------------------------------------------------------------------- */

/* Ends the reading: the text at `at`, its length or its padding is not completely in the input. */
static NEVER_INLINE gw_next fail_text(gw_godot_reader *reader, uint32_t at, uint32_t item)
{
    uint32_t left = reader->length - at;
    if (left < 4)
        return gw_godot_fail(reader, GW_GODOT_FAULT_TEXT_TRUNCATED, item, 4 - left);
    uint32_t length = gw_le32(reader->bytes + at);
    uint64_t whole = 4 + (uint64_t)length + gw_godot_padding(length);
    bool padding_only = left - 4 >= length;
    return gw_godot_fail(reader, padding_only ? GW_GODOT_FAULT_PADDING_TRUNCATED : GW_GODOT_FAULT_TEXT_TRUNCATED, item,
                         whole - left);
}

/* Reads the text at `at`: its length, bytes and padding. Returns the offset after it, or 0 after a fault. `item`:
 * the start of the value that contains it; `dirty_padding`: the oddity of padding that is not zero. */
uint32_t gw_godot_read_text(gw_godot_reader *reader, uint32_t at, uint32_t item, uint32_t dirty_padding,
                            struct text *text)
{
    uint32_t left = reader->length - at;
    uint32_t length = left < 4 ? 0 : gw_le32(reader->bytes + at);
    uint32_t padding = gw_godot_padding(length);
    /* Each subtraction is safe after the tests before it. */
    if (left < 4 || length > left - 4 || padding > left - 4 - length) {
        fail_text(reader, at, item);
        return 0;
    }
    const uint8_t *bytes = reader->bytes + at + 4;
    *text = (struct text){ { at + 4, length }, padding, 0 };
    if (gw_godot_any_set(bytes + length, padding))
        text->odd |= dirty_padding;
    if (memchr(bytes, 0, length))
        text->odd |= GW_GODOT_ODD_NUL;
    if (gw_utf8_prefix(bytes, length) != length)
        text->odd |= GW_GODOT_ODD_UTF8;
    return at + 4 + length + padding;
}

/* Reads a value that is one text; `body`: the offset of its length. */
gw_next gw_godot_step_text(struct step step, uint32_t body)
{
    struct text text;
    if (!gw_godot_read_text(step.reader, body, step.start, odd_of_padding(step.reader), &text))
        return GW_NEXT_FAULT;
    add_odd(step, text.odd);
    if (step.event)
        step.event->text = text.span;
    if (step.summary)
        sum_text(step.summary, text.span.length);
    return finish(step, text.span.offset - step.start, text.span.length, text.padding);
}
