/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The record of names: entries of each kind, as plugin/docs/recording.md describes them; each fault with its offset.
 */
#include "hex.h"
#include "testing.h"

#include <string.h>

#include <gamewire/godot_names.h>

/* A script with two methods; an entry of an unknown kind; a player. */
#define SCRIPT  "01 0f00 0600 612e67642e63 0100 62 0200 6363"
#define UNKNOWN "63 0200 ffff"
#define PLAYER  "06 0700 0100 37 0200 416c"

typedef struct names_walk {
    gw_godot_names_event events[16];
    unsigned count;
    gw_next last;
    gw_fault fault;
} names_walk;

static uint8_t bytes[256];

static names_walk walk_of(const char *hex)
{
    names_walk walk = { .count = 0 };
    gw_godot_names_reader reader;
    gw_godot_names_event event;
    gw_godot_names_init(&reader, bytes, hex_to_bytes(hex, bytes, sizeof bytes));
    while ((walk.last = gw_godot_names_next(&reader, &event)) == GW_NEXT_EVENT && walk.count < 16)
        walk.events[walk.count++] = event;
    assert_int_equal(gw_godot_names_next(&reader, &event), walk.last);
    walk.fault = reader.fault;
    return walk;
}

static void assert_event(const gw_godot_names_event *event, gw_kind kind, gw_godot_names_kind entry, uint32_t index,
                         const char *text)
{
    assert_int_equal(event->kind, kind);
    assert_int_equal(event->entry, entry);
    assert_int_equal(event->index, index);
    if (!text)
        return;
    assert_int_equal(event->payload.length, strlen(text));
    assert_memory_equal(bytes + event->payload.offset, text, strlen(text));
}

TEST(entries_have_their_texts_in_order)
{
    names_walk walk = walk_of("01" SCRIPT UNKNOWN PLAYER);
    assert_int_equal(walk.last, GW_NEXT_END);
    assert_int_equal(walk.count, 11);
    assert_event(&walk.events[0], GW_OPEN, GW_GODOT_NAMES_METHODS, 0, NULL);
    assert_event(&walk.events[1], GW_VALUE, GW_GODOT_NAMES_METHODS, 0, "a.gd.c");
    assert_event(&walk.events[2], GW_VALUE, GW_GODOT_NAMES_METHODS, 1, "b");
    assert_event(&walk.events[3], GW_VALUE, GW_GODOT_NAMES_METHODS, 2, "cc");
    assert_event(&walk.events[4], GW_CLOSE, GW_GODOT_NAMES_METHODS, 0, NULL);
    assert_event(&walk.events[5], GW_OPEN, GW_GODOT_NAMES_UNKNOWN, 1, "\xff\xff");
    assert_event(&walk.events[6], GW_CLOSE, GW_GODOT_NAMES_UNKNOWN, 1, NULL);
    assert_event(&walk.events[7], GW_OPEN, GW_GODOT_NAMES_PLAYER, 2, NULL);
    assert_event(&walk.events[8], GW_VALUE, GW_GODOT_NAMES_PLAYER, 0, "7");
    assert_event(&walk.events[9], GW_VALUE, GW_GODOT_NAMES_PLAYER, 1, "Al");
    assert_event(&walk.events[10], GW_CLOSE, GW_GODOT_NAMES_PLAYER, 2, NULL);
    assert_int_equal(gw_span_end(walk.events[10].payload), 1 + 18 + 5 + 10);
}

static void assert_fault(const char *hex, gw_godot_names_fault code, uint32_t offset, uint64_t needed)
{
    names_walk walk = walk_of(hex);
    assert_int_equal(walk.last, GW_NEXT_FAULT);
    assert_int_equal(walk.fault.code, code);
    assert_int_equal(walk.fault.fault_class, gw_fault_class_of(&gw_godot_names_faults, code));
    assert_int_equal(walk.fault.offset, offset);
    assert_int_equal(walk.fault.needed, needed);
}

TEST(each_fault_has_its_offset)
{
    assert_fault("", GW_GODOT_NAMES_FAULT_EMPTY, 0, 1);
    assert_fault("02" SCRIPT, GW_GODOT_NAMES_FAULT_VERSION_UNKNOWN, 0, 0);
    assert_fault("01 01 0f", GW_GODOT_NAMES_FAULT_ENTRY_TRUNCATED, 1, 1);
    assert_fault("01 01 0f00 0600", GW_GODOT_NAMES_FAULT_ENTRY_TRUNCATED, 1, 13);
    assert_fault("01" PLAYER "01 0100 61", GW_GODOT_NAMES_FAULT_TEXT_TRUNCATED, 14, 0);
    assert_fault("01 01 0400 0300 6161", GW_GODOT_NAMES_FAULT_TEXT_TRUNCATED, 4, 0);
}

TEST(an_input_that_is_too_long_is_not_read)
{
    gw_godot_names_reader reader;
    gw_godot_names_event event;
    gw_godot_names_init(&reader, bytes, (size_t)GW_LONGEST_INPUT + 1);
    assert_int_equal(gw_godot_names_next(&reader, &event), GW_NEXT_FAULT);
    assert_int_equal(reader.fault.code, GW_GODOT_NAMES_FAULT_TOO_LONG);
    assert_int_equal(reader.fault.offset, 0);
}

TEST(each_kind_has_a_name)
{
    assert_null(gw_godot_names_kind_name(GW_GODOT_NAMES_UNKNOWN));
    assert_string_equal(gw_godot_names_kind_name(GW_GODOT_NAMES_DELTA), "delta");
    assert_null(gw_godot_names_kind_name(GW_GODOT_NAMES_KINDS));
}
