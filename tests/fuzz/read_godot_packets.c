/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What carries Variants: multiplayer packets in every form, packets in streams of either order, messages of the
 * debugger; and the record of names. Readers, validator, recognizer and printer on the same bytes must agree, and every part of every event must
 * lie inside the input.
 */
#include "checks.h"

#include <stdlib.h>
#include <string.h>

#include <gamewire/godot_debugger.h>
#include <gamewire/godot_mp.h>
#include <gamewire/godot_names.h>
#include <gamewire/godot_remote_fs.h>
#include <gamewire/godot_stream.h>

struct walk {
    gw_fault fault;
    gw_next last;
    uint32_t after; /* of what the events explain */
    uint8_t depth;
};

/* ---- multiplayer ---------------------------------------------------------------------------------------- */

/* The parts of a head follow one another up to its end, and their oddities are those of the event, which may have
 * `own`. */
static void check_parts(const gw_godot_mp_reader *reader, const gw_godot_mp_event *event, uint32_t own)
{
    gw_godot_mp_event part = { .role = GW_GODOT_MP_ROLE_NONE };
    uint32_t after = event->header.offset, odd = 0, count = 0;
    while (gw_godot_mp_next_part(reader, event, &part)) {
        CHECK(part.role > GW_GODOT_MP_ROLE_TRAILING && part.role < GW_GODOT_MP_ROLES && part.index == count++);
        CHECK(part.payload.offset == after && part.padding.offset == gw_span_end(part.payload));
        CHECK(part.number == reader->fields[part.role].number);
        CHECK(part.payload.offset == reader->fields[part.role].span.offset);
        CHECK(part.payload.length == reader->fields[part.role].span.length);
        after = gw_span_end(part.padding);
        odd |= part.odd;
    }
    CHECK(after == gw_span_end(event->header) && count == event->field_count);
    CHECK(odd == (event->odd & ~own));
}

/* Nothing is left out and nothing is shown twice: events follow one another, and those in an item its head. */
static void check_place(const gw_godot_mp_reader *reader, const gw_godot_mp_event *event, size_t length,
                        struct walk *walk)
{
    bool has_head = event->kind == GW_OPEN || event->role == GW_GODOT_MP_ROLE_HEAD;
    CHECK(span_is_inside(event->payload, length) && span_is_inside(event->padding, length));
    CHECK(event->role > GW_GODOT_MP_ROLE_NONE && event->role < GW_GODOT_MP_ROLES);
    for (uint32_t bit = 1; bit && bit <= event->odd; bit <<= 1)
        if (event->odd & bit)
            CHECK(strcmp(gw_odd_text(&gw_godot_mp_faults, bit), "Unknown oddity"));
    check_parts(reader, event, has_head ? (uint32_t)GW_GODOT_MP_ODD_TOO_LARGE : event->odd);
    if (event->kind == GW_CLOSE) {
        CHECK(event->depth + 1 == walk->depth && gw_span_end(event->payload) == walk->after);
        walk->depth--;
        return;
    }
    CHECK(event->depth == walk->depth && event->payload.offset == walk->after);
    if (event->kind == GW_OPEN)
        walk->depth++;
    walk->after = gw_span_end(has_head ? event->header : event->padding);
}

static void read_events(const uint8_t *bytes, size_t length, const gw_godot_mp_options *options, struct walk *walk)
{
    gw_godot_mp_reader reader;
    gw_godot_mp_event event;
    size_t events = 0;
    *walk = (struct walk){ .last = GW_NEXT_END };
    gw_godot_mp_init(&reader, bytes, length, options);
    while ((walk->last = gw_godot_mp_next(&reader, &event)) == GW_NEXT_EVENT) {
        check_place(&reader, &event, length, walk);
        CHECK(walk->after == reader.offset);
        CHECK(++events <= 4 * length + 4);
    }
    CHECK(gw_godot_mp_next(&reader, &event) == walk->last);
    CHECK(walk->last == GW_NEXT_FAULT || (walk->after == length && !walk->depth));
    walk->fault = reader.fault;
}

static void check_printer(const uint8_t *bytes, size_t length, const gw_godot_mp_options *options)
{
    size_t size = 64 * length + 256;
    char *buffer = allocate(size);
    gw_text text;
    gw_text_init(&text, buffer, size);
    gw_godot_mp_print(&text, bytes, length, options);
    check_text(&text);
    CHECK(!strchr(buffer, '\n'));
    gw_text_init(&text, buffer, 24);
    gw_godot_mp_print(&text, bytes, length, options);
    check_text(&text);
    free(buffer);
}

static void check_multiplayer(const uint8_t *bytes, size_t length, gw_godot_mp_form form)
{
    const gw_godot_mp_options options = { .form = form };
    gw_godot_mp_summary summary;
    gw_recognition recognition;
    struct walk walk;
    read_events(bytes, length, &options, &walk);
    CHECK(gw_godot_mp_validate(bytes, length, &options, &summary) == (walk.last == GW_NEXT_END));
    CHECK(faults_are_equal(&summary.fault, &walk.fault));
    CHECK(walk.fault.code < GW_GODOT_MP_FAULTS && walk.fault.offset <= length);
    CHECK((walk.fault.fault_class == GW_FAULT_TRUNCATED) == (walk.fault.needed != 0));
    check_printer(bytes, length, &options);
    for (size_t captured = 0; captured <= length && captured < 48; captured++)
        if (gw_godot_mp_recognize(bytes, captured, length, &options, &recognition))
            CHECK(recognition.possible && recognition.readings);
}

/* ---- streams and the debugger ----------------------------------------------------------------------------- */

static void check_debugger(const uint8_t *bytes, size_t length, const gw_godot_debugger_options *options)
{
    gw_godot_debugger_reader reader;
    gw_godot_debugger_event event;
    gw_godot_debugger_summary summary;
    gw_recognition recognition;
    gw_text text;
    char buffer[80];
    unsigned depth = 0;
    gw_next next;
    gw_godot_debugger_init(&reader, bytes, length, options);
    while ((next = gw_godot_debugger_next(&reader, &event)) == GW_NEXT_EVENT) {
        CHECK(span_is_inside(event.header, length) && span_is_inside(event.payload, length));
        CHECK(span_is_inside(event.text, length) && event.role < GW_GODOT_DEBUGGER_ROLES);
        depth += event.kind == GW_OPEN;
        CHECK(event.depth <= depth && depth <= GW_GODOT_DEBUGGER_DEPTH);
        depth -= event.kind == GW_CLOSE;
    }
    CHECK(next == GW_NEXT_FAULT || (!depth && reader.offset <= length));
    CHECK(gw_godot_debugger_validate(bytes, length, options, &summary) == (next == GW_NEXT_END));
    gw_text_init(&text, buffer, sizeof buffer);
    gw_godot_debugger_print(&text, bytes, length, options);
    (void)gw_godot_debugger_recognize(bytes, length, length, options, &recognition);
}

static void check_stream(const uint8_t *bytes, size_t length, const gw_godot_stream_options *options)
{
    gw_godot_stream_reader reader;
    gw_godot_stream_event event;
    gw_next next;
    uint32_t after = 0;
    gw_godot_stream_init(&reader, bytes, length, options);
    while ((next = gw_godot_stream_next(&reader, &event)) == GW_NEXT_EVENT) {
        CHECK(event.header.offset == after && span_is_inside(event.payload, length));
        after = gw_span_end(event.padding);
    }
    CHECK(next == GW_NEXT_FAULT || after == length);
}

/* The first byte is the side. Reading from the middle gives the same end as reading at once. */
static void check_remote_fs(const uint8_t *bytes, size_t length)
{
    const gw_godot_remote_fs_state side = { .side = length ? bytes[0] & 1 : 0 };
    gw_godot_remote_fs_reader reader, later;
    gw_godot_remote_fs_event event;
    gw_recognition recognition;
    gw_text text;
    char buffer[80];
    gw_next next;
    uint32_t after = 0;
    gw_godot_remote_fs_init(&reader, bytes, length, &(const gw_godot_remote_fs_options){ .state = &side });
    while ((next = gw_godot_remote_fs_next(&reader, &event)) == GW_NEXT_EVENT) {
        CHECK(event.header.offset == after && span_is_inside(event.payload, length));
        after = reader.offset;
        CHECK(gw_span_end(event.padding) == after && event.role < GW_GODOT_REMOTE_FS_ROLES);
    }
    CHECK(next == GW_NEXT_FAULT || after == length);
    CHECK((reader.fault.fault_class == GW_FAULT_TRUNCATED) == (reader.fault.needed != 0));
    gw_godot_remote_fs_init(&later, bytes, length,
                            &(const gw_godot_remote_fs_options){ .offset = reader.offset, .state = &reader.state });
    CHECK(gw_godot_remote_fs_next(&later, &event) == next && faults_are_equal(&later.fault, &reader.fault));
    gw_text_init(&text, buffer, sizeof buffer);
    gw_godot_remote_fs_print(&text, bytes, length, &side);
    (void)gw_godot_remote_fs_recognize(bytes, length, &recognition);
}

/* Entries and texts follow each other without gaps. */
static void check_names(const uint8_t *bytes, size_t length)
{
    gw_godot_names_reader reader;
    gw_godot_names_event event;
    gw_next next;
    uint32_t after = length ? 1 : 0;
    bool is_open = false;
    gw_godot_names_init(&reader, bytes, length);
    while ((next = gw_godot_names_next(&reader, &event)) == GW_NEXT_EVENT) {
        CHECK(span_is_inside(event.header, length) && span_is_inside(event.payload, length));
        CHECK(event.entry < GW_GODOT_NAMES_KINDS && is_open == (event.kind != GW_OPEN));
        if (event.kind == GW_CLOSE)
            CHECK(gw_span_end(event.payload) == after);
        else
            CHECK(event.header.offset == after);
        is_open = event.kind != GW_CLOSE;
        bool has_texts = event.kind == GW_OPEN && event.entry != GW_GODOT_NAMES_UNKNOWN;
        if (event.kind != GW_CLOSE)
            after = has_texts ? gw_span_end(event.header) : gw_span_end(event.payload);
    }
    CHECK(next == GW_NEXT_FAULT || (after == length && !is_open));
    CHECK(reader.fault.code < GW_GODOT_NAMES_FAULTS && reader.fault.offset <= length);
    CHECK((reader.fault.fault_class == GW_FAULT_TRUNCATED) == (reader.fault.needed != 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    gw_recognition recognition;
    for (unsigned form = 0; form < GW_GODOT_MP_FORMS; form++)
        check_multiplayer(bytes, length, (gw_godot_mp_form)form);
    for (unsigned order = GW_GODOT_STREAM_ANY_ORDER; order <= GW_GODOT_STREAM_BIG; order++) {
        const gw_godot_stream_options given = { .order = (gw_godot_stream_order)order };
        const gw_godot_stream_options last = { .last_order = (gw_godot_stream_order)order };
        check_stream(bytes, length, &given);
        check_stream(bytes, length, &last);
    }
    for (unsigned form = GW_GODOT_DEBUGGER_STREAM; form <= GW_GODOT_DEBUGGER_BARE; form++) {
        const gw_godot_debugger_options options = { .form = (gw_godot_debugger_form)form, .is_synchronized = true };
        check_debugger(bytes, length, &options);
    }
    (void)gw_godot_stream_recognize(bytes, length, length, NULL, &recognition);
    check_remote_fs(bytes, length);
    check_names(bytes, length);
    return 0;
}
