/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the tests of the Squirrel codec share.
 */
#ifndef GAMEWIRE_TESTS_SQUIRREL_READING_H
#define GAMEWIRE_TESTS_SQUIRREL_READING_H

#include <stdio.h>

#include <gamewire/squirrel.h>

#include "hex.h"
#include "testing.h"

typedef struct test_bytes {
    uint8_t bytes[512];
    size_t length;
} test_bytes;

static inline test_bytes from_hex(const char *hex)
{
    test_bytes result;
    result.length = hex_to_bytes(hex, result.bytes, sizeof result.bytes);
    return result;
}

typedef struct test_reading {
    gw_squirrel_event events[64];
    unsigned count;
    gw_fault fault;
    uint32_t declared;
    uint32_t actual;
} test_reading;

typedef struct test_reading_end {
    unsigned odd; /* of all events */
    gw_fault fault;
} test_reading_end;

static inline test_reading read_all(const char *hex, const gw_squirrel_options *options)
{
    test_reading reading = { .count = 0 };
    test_bytes input = from_hex(hex);
    gw_squirrel_reader reader;
    gw_squirrel_init(&reader, input.bytes, input.length, options);
    while (gw_squirrel_next(&reader, &reading.events[reading.count]) == GW_NEXT_EVENT) {
        reading.count++;
        assert_in_range(reading.count, 1, 63);
    }
    reading.fault = reader.fault;
    reading.declared = reader.declared;
    reading.actual = reader.actual;
    return reading;
}

static inline gw_squirrel_event only_event(const char *hex)
{
    test_reading reading = read_all(hex, NULL);
    assert_int_equal(reading.fault.code, GW_SQUIRREL_FAULT_NONE);
    assert_int_equal(reading.count, 1);
    return reading.events[0];
}

static inline void assert_prints(const char *hex, const gw_squirrel_options *options, const char *expected)
{
    char buffer[1024];
    gw_text text;
    test_bytes input = from_hex(hex);
    gw_text_init(&text, buffer, sizeof buffer);
    gw_squirrel_print(&text, input.bytes, input.length, options);
    assert_string_equal(buffer, expected);
}

static inline void assert_close(const gw_squirrel_event *event, uint32_t odd, uint32_t declared, uint32_t actual)
{
    assert_int_equal(event->kind, GW_CLOSE);
    assert_int_equal(event->odd, odd);
    assert_int_equal(event->declared, declared);
    assert_int_equal(event->actual, actual);
}

#endif
