/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads bytes with the reader and the validator, and compares the two.
 */
#include "reading.h"

#include <stdio.h>

struct reading seen;

static void validator_agrees(void)
{
    const gw_godot_options options = { .generation = seen.generation, .bare_objects = seen.bare_objects };
    gw_godot_summary summary;
    bool valid = gw_godot_validate(seen.bytes, seen.length, &options, &summary);
    assert_int_equal(valid, seen.last == GW_NEXT_END);
    assert_int_equal(summary.length, seen.reader.offset);
    assert_int_equal(summary.fault.code, seen.reader.fault.code);
    assert_int_equal(summary.fault.fault_class, seen.reader.fault.fault_class);
    assert_int_equal(summary.fault.offset, seen.reader.fault.offset);
    assert_int_equal(summary.fault.needed, seen.reader.fault.needed);
    if (valid)
        assert_int_equal(summary.odd, seen.odd);
}

static void read_all(gw_godot_generation generation, bool bare_objects, const uint8_t *bytes, size_t length)
{
    const gw_godot_options options = { .generation = generation, .bare_objects = bare_objects };
    gw_godot_event event;
    free(seen.bytes);
    seen.bytes = malloc(length ? length : 1);
    assert_non_null(seen.bytes);
    memcpy(seen.bytes, bytes, length);
    seen.length = (uint32_t)length;
    seen.generation = generation;
    seen.bare_objects = bare_objects;
    seen.count = 0;
    seen.odd = 0;
    gw_godot_init(&seen.reader, seen.bytes, length, &options);
    while ((seen.last = gw_godot_next(&seen.reader, &event)) == GW_NEXT_EVENT) {
        if (seen.count < MAX_EVENTS)
            seen.events[seen.count] = event;
        seen.count++;
        seen.odd |= event.odd;
    }
    assert_int_equal(gw_godot_next(&seen.reader, &event), seen.last);
    validator_agrees();
}

void read_bytes(gw_godot_generation generation, const uint8_t *bytes, size_t length)
{
    read_all(generation, false, bytes, length);
}

static void read_hex_as(gw_godot_generation generation, bool bare_objects, const char *hex)
{
    size_t length;
    uint8_t *bytes = bytes_of_hex(hex, &length);
    read_all(generation, bare_objects, bytes, length);
    free(bytes);
}

void read_hex(gw_godot_generation generation, const char *hex)
{
    read_hex_as(generation, false, hex);
}

static const gw_godot_event *first_of_whole(const char *hex)
{
    if (seen.last != GW_NEXT_END)
        fail_msg("%s: %s at %u", hex, gw_fault_text(&gw_godot_faults, seen.reader.fault.code),
                 seen.reader.fault.offset);
    if (seen.reader.offset != seen.length)
        fail_msg("%s: read %u of %u bytes", hex, seen.reader.offset, seen.length);
    return &seen.events[0];
}

const gw_godot_event *read_value(gw_godot_generation generation, const char *hex)
{
    read_hex(generation, hex);
    return first_of_whole(hex);
}

const gw_godot_event *read_argument(const char *hex)
{
    read_hex_as(GW_GODOT_4, true, hex);
    return first_of_whole(hex);
}

const gw_fault *read_fault(gw_godot_generation generation, const char *hex)
{
    read_hex(generation, hex);
    if (seen.last != GW_NEXT_FAULT)
        fail_msg("%s: no fault", hex);
    return &seen.reader.fault;
}

/* The length at which the reader gets further, if the input is continued with zeros. */
static uint64_t wanted_with_zeros(gw_godot_generation generation, const char *hex, size_t zeros)
{
    size_t length;
    uint8_t *bytes = bytes_of_hex(hex, &length);
    uint8_t *longer = calloc(length + zeros + 1, 1);
    assert_non_null(longer);
    memcpy(longer, bytes, length);
    read_bytes(generation, longer, length + zeros);
    free(bytes);
    free(longer);
    bool cut = seen.last == GW_NEXT_FAULT && seen.reader.fault.fault_class == GW_FAULT_TRUNCATED;
    return cut ? seen.length + seen.reader.fault.needed : UINT64_MAX;
}

static void assert_needed(gw_godot_generation generation, const char *hex, uint64_t needed)
{
    if (!needed || needed > 1 << 20)
        return;
    uint64_t wanted = wanted_with_zeros(generation, hex, 0);
    assert_int_equal(wanted_with_zeros(generation, hex, (size_t)needed - 1), wanted);
    assert_true(wanted_with_zeros(generation, hex, (size_t)needed) > wanted);
}

void assert_fault(gw_godot_generation generation, const char *hex, gw_godot_fault code, uint32_t offset,
                  uint64_t needed)
{
    assert_needed(generation, hex, needed);
    const gw_fault *fault = read_fault(generation, hex);
    if (fault->code != code)
        fail_msg("%s: %s", hex, gw_fault_text(&gw_godot_faults, fault->code));
    assert_int_equal(fault->fault_class, gw_fault_class_of(&gw_godot_faults, code));
    assert_int_equal(fault->offset, offset);
    assert_int_equal(fault->needed, needed);
}

void assert_odd(gw_godot_generation generation, const char *hex, uint32_t odd)
{
    const gw_godot_event *event = read_value(generation, hex);
    if (event->odd != odd)
        fail_msg("%s: odd is %#x, not %#x", hex, event->odd, odd);
}

void assert_prints(gw_godot_generation generation, const char *hex, const char *expected)
{
    char buffer[4096];
    gw_text text;
    const gw_godot_options options = { .generation = generation };
    size_t length;
    uint8_t *bytes = bytes_of_hex(hex, &length);
    gw_text_init(&text, buffer, sizeof buffer);
    gw_godot_print(&text, bytes, length, &options);
    free(bytes);
    assert_string_equal(buffer, expected);
    assert_int_equal(text.length, strlen(expected));
}

void assert_span(gw_span span, const char *text)
{
    assert_int_equal(span.length, strlen(text));
    assert_true(span.offset <= seen.length && span.length <= seen.length - span.offset);
    assert_memory_equal(seen.bytes + span.offset, text, span.length);
}
