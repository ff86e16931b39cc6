/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Every datagram of the real engines: read whole, cut anywhere, changed anywhere.
 *
 * GAMEWIRE_EXHAUSTIVE=1 tries all 256 values of each byte instead of a sample.
 */
#include "captures.h"
#include "reading.h"

#include <stdio.h>
#include <string.h>

#define CAPTURES_OF_3 "godot/variant/godot-3*.pcap"
#define CAPTURES_OF_4 "godot/variant/godot-4*.pcap"

static void visit_both(capture_visitor *visit)
{
    gw_godot_generation generation = GW_GODOT_3;
    assert_true(visit_captures(CAPTURES_OF_3, visit, &generation) >= 2 * 251);
    generation = GW_GODOT_4;
    assert_true(visit_captures(CAPTURES_OF_4, visit, &generation) >= 320);
}

static void fail_packet(const capture_payload *payload, uint32_t at, const char *what)
{
    fail_msg("%s, packet %u, at %u: %s", payload->file, payload->packet, at, what);
}

/* ---- unchanged packets --------------------------------------------------------------------------------- */

static void reads_to_the_end(const capture_payload *payload, void *context)
{
    gw_godot_generation generation = *(gw_godot_generation *)context;
    /* Of NodePaths; 4.6.3 zeroes it. */
    uint32_t normal = strstr(payload->file, "4.6.3") ? 0 : GW_GODOT_ODD_STALE_PADDING;
    read_bytes(generation, payload->bytes, payload->length);
    if (seen.last != GW_NEXT_END || seen.reader.offset != seen.length)
        fail_packet(payload, seen.reader.offset, "not read to its end");
    /* 3.2.3 sends half a surrogate pair unchanged; some packets are full objects, with scripts. */
    if (seen.odd & ~(normal | GW_GODOT_ODD_UTF8 | GW_GODOT_ODD_FULL_OBJECT | GW_GODOT_ODD_SCRIPT))
        fail_packet(payload, 0, "odd, though an engine sent it");
}

TEST(each_packet_reads_to_its_end)
{
    visit_both(reads_to_the_end);
}

static void events_cover_it(const capture_payload *payload, void *context)
{
    uint32_t after = 0; /* end of the bytes that are in ranges of events */
    read_bytes(*(gw_godot_generation *)context, payload->bytes, payload->length);
    if (seen.count > MAX_EVENTS)
        return;
    for (uint32_t i = 0; i < seen.count; i++) {
        const gw_godot_event *event = &seen.events[i];
        uint32_t end = gw_span_end(event->padding);
        if (event->kind == GW_CLOSE ? end != after : event->header.offset != after)
            fail_packet(payload, event->header.offset, "a gap");
        after = end;
    }
    assert_int_equal(after, seen.length);
}

TEST(events_cover_all_bytes)
{
    visit_both(events_cover_it);
}

/* ---- prefixes ------------------------------------------------------------------------------------------ */

/* The offsets at which a reader gets further: after each header, length word, count, text and body. */
struct milestones {
    bool at[65536];
};

static struct milestones milestones;

static void mark(uint32_t at)
{
    assert_true(at < COUNT_OF(milestones.at));
    milestones.at[at] = true;
}

static void mark_strings(const gw_godot_event *event)
{
    gw_godot_strings strings;
    gw_godot_string string;
    gw_godot_strings_init(&strings, seen.bytes, event);
    mark(event->payload.offset + 4 * event->count);
    while (gw_godot_strings_next(&strings, &string)) {
        mark(string.whole.offset + 4);
        mark(string.whole.offset + string.whole.length);
    }
}

static void mark_declarations(const gw_godot_event *event)
{
    for (uint32_t which = 0; which < 2; which++) {
        gw_godot_declaration declared;
        gw_godot_declaration_of(seen.bytes, event, which, &declared);
        mark(declared.whole.offset + 4);
        mark(declared.whole.offset + declared.whole.length);
    }
}

static void mark_event(const gw_godot_event *event)
{
    uint32_t end = gw_span_end(event->payload);
    mark(event->header.offset + 4);
    if (event->type == GW_GODOT_NODE_PATH)
        mark(event->header.offset + 16);
    if (gw_span_end(event->payload) > event->header.offset + 4)
        mark(event->header.offset + 8);
    mark(end + event->padding.length);
    if (event->depth == 0)
        mark(end); /* padding may be missing at the very end of a byte array */
    if (event->kind == GW_OPEN)
        mark_declarations(event);
    if (event->type == GW_GODOT_STRING_ARRAY || event->type == GW_GODOT_NODE_PATH)
        mark_strings(event);
    if (event->type == GW_GODOT_SIGNAL || (event->kind == GW_OPEN && event->type == GW_GODOT_OBJECT))
        mark((event->text.offset + event->text.length + 3) & ~3u);
}

static void mark_all(void)
{
    gw_godot_reader reader;
    gw_godot_event event;
    const gw_godot_options options = { .generation = seen.generation };
    memset(&milestones, 0, sizeof milestones);
    gw_godot_init(&reader, seen.bytes, seen.length, &options);
    while (gw_godot_next(&reader, &event) == GW_NEXT_EVENT)
        if (event.kind != GW_CLOSE)
            mark_event(&event);
}

/* The length of the input at which the reader reports that it gets further; its own length if it is complete. */
static uint32_t wants(const capture_payload *payload, gw_godot_generation generation, uint32_t length)
{
    read_bytes(generation, payload->bytes, length);
    if (seen.last == GW_NEXT_END)
        return length;
    if (seen.reader.fault.fault_class != GW_FAULT_TRUNCATED)
        fail_packet(payload, length, gw_fault_text(&gw_godot_faults, seen.reader.fault.code));
    return length + (uint32_t)seen.reader.fault.needed;
}

/* The number of needed bytes that a truncated input reports is never too high (it ends at a milestone of the complete
 * input), never too low (nothing changes before it), and is the same for each longer prefix until it is reached. */
static void prefixes_ask_right(const capture_payload *payload, void *context)
{
    gw_godot_generation generation = *(gw_godot_generation *)context;
    uint32_t wanted = 0;
    read_bytes(generation, payload->bytes, payload->length);
    mark_all();
    for (uint32_t length = 0; length < payload->length; length++) {
        uint32_t now = wants(payload, generation, length);
        bool whole = now == length;
        if (length < wanted && now != wanted)
            fail_packet(payload, length, "asks for something else before it has what it asked for");
        if (!milestones.at[now] || (!whole && now > payload->length))
            fail_packet(payload, length, "asks for what is not the end of anything");
        if (whole && !(seen.odd & GW_GODOT_ODD_NO_PADDING))
            fail_packet(payload, length, "is whole too soon");
        wanted = now;
    }
    assert_true(wanted <= payload->length);
}

TEST(each_prefix_reports_the_bytes_needed)
{
    visit_both(prefixes_ask_right);
}

/* ---- changes ------------------------------------------------------------------------------------------- */

static void change_byte(const capture_payload *payload, uint8_t *changed, uint32_t at, gw_godot_generation generation)
{
    static const uint8_t sample[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
    bool all = number_from_environment("GAMEWIRE_EXHAUSTIVE", 0) != 0;
    for (unsigned i = 0; i < (all ? 256 : COUNT_OF(sample)); i++) {
        changed[at] = (uint8_t)(all ? i : sample[i]);
        read_bytes(generation, changed, payload->length);
        /* Each step reads at least four bytes or closes an open container. */
        if (seen.count > payload->length / 2 + 2)
            fail_packet(payload, at, "more events than bytes allow");
    }
    changed[at] = payload->bytes[at];
}

static void changes_are_survived(const capture_payload *payload, void *context)
{
    uint8_t *changed = malloc(payload->length);
    assert_non_null(changed);
    memcpy(changed, payload->bytes, payload->length);
    for (uint32_t at = 0; at < payload->length; at++)
        change_byte(payload, changed, at, *(gw_godot_generation *)context);
    free(changed);
}

TEST(reader_and_validator_agree_on_each_changed_byte)
{
    visit_both(changes_are_survived);
}

static void any_generation_is_survived(const capture_payload *payload, void *context)
{
    (void)context;
    for (int generation = 2; generation <= 4; generation++)
        for (uint32_t length = 0; length <= payload->length; length++)
            read_bytes((gw_godot_generation)generation, payload->bytes, length);
}

TEST(reader_and_validator_agree_in_each_generation)
{
    visit_both(any_generation_is_survived);
}
