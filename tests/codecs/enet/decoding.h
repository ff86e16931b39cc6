/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the tests of datagrams share: reading, and assertions on what was read.
 */
#ifndef GAMEWIRE_TESTS_ENET_DECODING_H
#define GAMEWIRE_TESTS_ENET_DECODING_H

#include <stdio.h>

#include <gamewire/bytes.h>
#include <gamewire/enet.h>

#include "testing.h"

#define MOST_EVENTS 512

static uint8_t input[8192];
static size_t length;
static gw_enet_event events[MOST_EVENTS];
static size_t count;
static gw_enet_reader reader;
static gw_next last;

/* "8fff 0001": hexadecimal, with blanks and bars at any position. */
static inline void set_input(const char *hex)
{
    length = 0;
    for (; *hex; hex++) {
        unsigned byte;
        if (*hex == ' ' || *hex == '|')
            continue;
        assert_int_equal(sscanf(hex, "%2x", &byte), 1);
        input[length++] = (uint8_t)byte;
        hex++;
    }
}

static inline void read_input(const gw_enet_options *options)
{
    gw_enet_summary summary;
    uint32_t odd = 0;
    gw_enet_init(&reader, input, length, options);
    count = 0;
    while ((last = gw_enet_next(&reader, &events[count])) == GW_NEXT_EVENT) {
        odd |= events[count].odd;
        assert_true(++count < MOST_EVENTS);
    }
    assert_int_equal(gw_enet_next(&reader, &events[count]), last);
    assert_int_equal(gw_enet_validate(input, length, options, &summary), last == GW_NEXT_END);
    assert_memory_equal(&summary.fault, &reader.fault, sizeof summary.fault);
    assert_int_equal(summary.odd, odd);
    assert_int_equal(summary.commands, reader.commands);
}

static inline void read_hex(const char *hex)
{
    set_input(hex);
    read_input(NULL);
}

static inline const gw_enet_event *event_of(gw_enet_role role)
{
    for (size_t i = 0; i < count; i++)
        if (events[i].role == role)
            return &events[i];
    fail_msg("no event with role %d", (int)role);
    return NULL;
}

/* The first field with this role, of all events; without a row if there is none. */
static inline gw_enet_part find_part(gw_enet_role role)
{
    for (size_t i = 0; i < count; i++) {
        gw_enet_part part = { 0 };
        while (gw_enet_next_part(&reader, &events[i], &part))
            if (part.field->role == role)
                return part;
    }
    return (gw_enet_part){ 0 };
}

static inline gw_enet_part part_of(gw_enet_role role)
{
    gw_enet_part part = find_part(role);
    if (!part.field)
        fail_msg("no field with role %d", (int)role);
    return part;
}

static inline void assert_number(gw_enet_role role, uint32_t number)
{
    assert_int_equal(part_of(role).number, number);
}

static inline void assert_whole(const char *hex)
{
    read_hex(hex);
    assert_int_equal(last, GW_NEXT_END);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(events[i].odd, 0);
}

static inline void assert_fault(const char *hex, gw_enet_fault code, uint32_t offset, uint64_t needed)
{
    read_hex(hex);
    assert_int_equal(last, GW_NEXT_FAULT);
    assert_int_equal(reader.fault.code, code);
    assert_int_equal(reader.fault.fault_class, gw_fault_class_of(&gw_enet_faults, code));
    assert_int_equal(reader.fault.offset, offset);
    assert_int_equal(reader.fault.needed, needed);
}

/* The datagram is readable, and only this field has this oddity and no other. */
static inline void assert_odd(const char *hex, gw_enet_role role, uint32_t odd)
{
    uint32_t sum = 0;
    read_hex(hex);
    assert_int_equal(last, GW_NEXT_END);
    for (size_t i = 0; i < count; i++) {
        gw_enet_part part = { 0 };
        while (gw_enet_next_part(&reader, &events[i], &part))
            assert_int_equal(part.odd, part.field->role == role ? odd : 0);
        sum |= events[i].odd;
    }
    assert_int_equal(sum, odd);
}

static inline void assert_printed(const char *hex, const char *expected)
{
    char line[256];
    gw_text text;
    set_input(hex);
    gw_text_init(&text, line, sizeof line);
    gw_enet_print(&text, input, length, NULL);
    assert_string_equal(line, expected);
}

static inline gw_recognition recognize_hex(const char *hex)
{
    gw_recognition recognition;
    set_input(hex);
    bool possible = gw_enet_recognize(input, length, length, NULL, &recognition);
    assert_int_equal(possible, recognition.possible);
    assert_int_equal(recognition.readings != 0, possible);
    return recognition;
}

/* Examples of the specification. */
#define CONNECT \
    "8fff 1234 | 82 ff 0001 | 0000 ff ff 00000578 00010000 00000003 00000000 00000000 00001388 00000002 00000002 " \
    "010b5747 000007e7"
#define VERIFY_CONNECT \
    "8000 1234 | 83 ff 0001 | 0005 00 01 00000578 00010000 00000003 00000000 00000000 00001388 00000002 00000002 " \
    "010b5747"
#define RELIABLE "8001 1234 | 86 01 000c 0003 616263"
#define FRAGMENT "8001 1234 | 88 00 0008 0007 0004 00000003 00000001 0000000a 00000004 61626364"

#endif
