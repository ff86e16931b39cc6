/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Deep nesting: the reader's levels, the engine's limit, and a small stack.
 */
#define _DEFAULT_SOURCE /* PTHREAD_STACK_MIN */

#include "reading.h"

#include <limits.h>
#include <pthread.h>

#define DEEPEST    8000
#define ARRAY_HEAD 8

static uint8_t nested[DEEPEST * ARRAY_HEAD];
static gw_godot_level lent[DEEPEST + 1];

/* [[[ ... ]]]: `arrays` of them, the innermost empty. Returns the number of bytes. */
static size_t nest(uint32_t arrays)
{
    gw_output output;
    gw_output_init(&output, nested, sizeof nested);
    for (uint32_t i = 0; i < arrays; i++) {
        gw_put_le32(&output, 0x1c);
        gw_put_le32(&output, i + 1 < arrays);
    }
    return output.length;
}

struct walk {
    gw_godot_options options;
    size_t length;
    gw_next last;
    uint32_t events;
    uint32_t deepest;
    uint32_t odd;
    gw_fault fault;
};

static void *walk(void *argument)
{
    struct walk *walk = argument;
    gw_godot_reader reader;
    gw_godot_event event;
    gw_godot_init(&reader, nested, walk->length, &walk->options);
    while ((walk->last = gw_godot_next(&reader, &event)) == GW_NEXT_EVENT) {
        walk->events++;
        walk->odd |= event.odd;
        walk->deepest = event.depth > walk->deepest ? event.depth : walk->deepest;
    }
    walk->fault = reader.fault;
    return NULL;
}

static struct walk walked(uint32_t arrays, gw_godot_level *levels, uint32_t level_count)
{
    struct walk result = { .options = { .levels = levels, .level_count = level_count }, .length = nest(arrays) };
    walk(&result);
    return result;
}

TEST(the_reader_has_levels_for_a_hundred_containers)
{
    struct walk result = walked(GW_GODOT_DEPTH, NULL, 0);
    assert_int_equal(result.last, GW_NEXT_END);
    assert_int_equal(result.events, 2 * GW_GODOT_DEPTH);
}

TEST(more_nested_containers_are_a_limit_of_the_reader)
{
    struct walk result = walked(GW_GODOT_DEPTH + 1, NULL, 0);
    assert_int_equal(result.last, GW_NEXT_FAULT);
    assert_int_equal(result.fault.code, GW_GODOT_FAULT_TOO_DEEP);
    assert_int_equal(result.fault.fault_class, GW_FAULT_LIMIT);
    assert_int_equal(result.fault.offset, GW_GODOT_DEPTH * ARRAY_HEAD);
    assert_int_equal(result.fault.needed, 0);
    assert_int_equal(result.events, GW_GODOT_DEPTH);
}

TEST(levels_of_the_caller_are_used_if_there_are_more)
{
    assert_int_equal(walked(DEEPEST, lent, DEEPEST + 1).last, GW_NEXT_END);
    assert_int_equal(walked(DEEPEST, lent, DEEPEST).fault.code, GW_GODOT_FAULT_TOO_DEEP);
    assert_int_equal(walked(DEEPEST, lent, DEEPEST).fault.offset, (DEEPEST - 1) * ARRAY_HEAD);
}

TEST(too_few_levels_of_the_caller_are_not_used)
{
    assert_int_equal(walked(GW_GODOT_DEPTH, lent, 3).last, GW_NEXT_END);
}

TEST(the_engine_decodes_1025_nested_arrays)
{
    struct walk result = walked(1025, lent, COUNT_OF(lent));
    assert_int_equal(result.last, GW_NEXT_END);
    assert_int_equal(result.deepest, GW_GODOT_ENGINE_DEPTH);
    assert_int_equal(result.odd, 0);
}

TEST(the_engine_rejects_1026_nested_arrays)
{
    struct walk result = walked(1026, lent, COUNT_OF(lent));
    assert_int_equal(result.last, GW_NEXT_END);
    assert_int_equal(result.odd, GW_GODOT_ODD_TOO_DEEP);
    assert_true(GW_GODOT_ODD_TOO_DEEP & GW_GODOT_ODD_REJECTED);
}

TEST(the_validator_uses_levels_of_the_caller_too)
{
    const gw_godot_options options = { .levels = lent, .level_count = COUNT_OF(lent) };
    gw_godot_summary summary;
    assert_true(gw_godot_validate(nested, nest(DEEPEST), &options, &summary));
    assert_int_equal(summary.values, DEEPEST);
    assert_int_equal(summary.odd, GW_GODOT_ODD_TOO_DEEP);
}

TEST(stack_use_does_not_depend_on_depth)
{
    struct walk result = { .options = { .levels = lent, .level_count = COUNT_OF(lent) }, .length = nest(DEEPEST) };
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    assert_int_equal(pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN + 16 * 1024), 0);
    assert_int_equal(pthread_create(&thread, &attributes, walk, &result), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
    assert_int_equal(result.last, GW_NEXT_END);
    assert_int_equal(result.events, 2 * DEEPEST);
}

TEST(the_printer_marks_where_it_stops)
{
    char buffer[512];
    gw_text text;
    const gw_godot_options options = { .generation = GW_GODOT_4 };
    gw_text_init(&text, buffer, sizeof buffer);
    gw_godot_print(&text, nested, nest(GW_GODOT_DEPTH + 1), &options);
    assert_int_equal(strspn(buffer, "["), GW_GODOT_DEPTH);
    assert_string_equal(buffer + GW_GODOT_DEPTH, "<too deep>");
}
