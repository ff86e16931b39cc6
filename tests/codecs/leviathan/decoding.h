/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the tests of packets share: decoding, and assertions on what was decoded.
 */
#ifndef GAMEWIRE_TESTS_LEVIATHAN_DECODING_H
#define GAMEWIRE_TESTS_LEVIATHAN_DECODING_H

#include <stdio.h>

#include <gamewire/leviathan.h>

#include "hex.h"
#include "testing.h"

#define HEADER   "4c6e 000003e9 00000000 01 |"
#define UPDATE   HEADER "12 00000001 0014 00000000 | 00000001 00000002 ffffffff 00000009 |"
#define CREATION HEADER "12 00000001 0013 00000000 | 00000001 00000009 "
#define STATE    "0000 0000803f 00000040 00004040 00000000 00000000 00000000 0000803f"

struct decoded {
    gw_leviathan_event events[4096];
    gw_leviathan_message messages[4096]; /* after each event */
    size_t count;
    gw_next last;
    gw_leviathan_reader reader;
};

static uint8_t input[70000];
static struct decoded decoded;

static inline size_t from_hex(const char *hex)
{
    return hex_to_bytes(hex, input, sizeof input);
}

static inline void decode(size_t length, gw_leviathan_revision revision)
{
    gw_leviathan_options options = { .revision = revision };
    gw_leviathan_init(&decoded.reader, input, length, &options);
    decoded.count = 0;
    while ((decoded.last = gw_leviathan_next(&decoded.reader, &decoded.events[decoded.count])) == GW_NEXT_EVENT) {
        decoded.messages[decoded.count] = decoded.reader.message;
        assert_true(++decoded.count < 4096);
    }
    assert_int_equal(gw_leviathan_next(&decoded.reader, &decoded.events[decoded.count]), decoded.last);
}

static inline void decode_hex(const char *hex)
{
    decode(from_hex(hex), GW_LEVIATHAN_SINCE_2018_12_09);
}

static inline void assert_ends(void)
{
    assert_int_equal(decoded.last, GW_NEXT_END);
}

/* Returns the occurrence-th event of a field that is not a CLOSE; fails if there is none. */
static inline const gw_leviathan_event *event_of(gw_leviathan_role field, unsigned occurrence)
{
    for (size_t i = 0; i < decoded.count; i++)
        if (decoded.events[i].role == field && decoded.events[i].kind != GW_CLOSE && !occurrence--)
            return &decoded.events[i];
    fail_msg("no event of field %s", gw_leviathan_field_of(field)->name);
    return NULL;
}

static inline bool has(gw_leviathan_role field)
{
    for (size_t i = 0; i < decoded.count; i++)
        if (decoded.events[i].role == field)
            return true;
    return false;
}

static inline int64_t number_of(gw_leviathan_role field)
{
    return event_of(field, 0)->number;
}

static inline void assert_text(gw_leviathan_role field, const char *text)
{
    const gw_leviathan_event *event = event_of(field, 0);
    assert_int_equal(event->payload.length, strlen(text));
    assert_memory_equal(input + event->payload.offset, text, strlen(text));
    assert_int_equal(event->header.length, 4);
    assert_int_equal(event->header.offset + 4, event->payload.offset);
}

static inline void assert_fault(const char *hex, gw_leviathan_fault code, uint32_t offset, uint64_t needed)
{
    gw_leviathan_summary summary;
    size_t length = from_hex(hex);
    decode(length, GW_LEVIATHAN_SINCE_2018_12_09);
    assert_int_equal(decoded.last, GW_NEXT_FAULT);
    assert_int_equal(decoded.reader.fault.code, code);
    assert_int_equal(decoded.reader.fault.offset, offset);
    assert_int_equal(decoded.reader.fault.needed, needed);
    assert_int_equal(decoded.reader.fault.fault_class, gw_fault_class_of(&gw_leviathan_faults, code));
    assert_false(gw_leviathan_validate(input, length, NULL, &summary));
    assert_memory_equal(&summary.fault, &decoded.reader.fault, sizeof summary.fault);
}

static inline void assert_odd(const char *hex, gw_leviathan_role field, uint32_t odd)
{
    decode_hex(hex);
    assert_ends();
    assert_int_equal(event_of(field, 0)->odd, odd);
}

static inline void assert_ids(uint32_t start, const char *hex, gw_leviathan_ack_reading reading, const uint32_t *ids,
                              size_t count)
{
    gw_leviathan_acks acks;
    uint32_t id;
    size_t length = from_hex(hex);
    gw_leviathan_acks_init(&acks, start, input, (uint32_t)length, reading);
    for (size_t i = 0; i < count; i++) {
        assert_true(gw_leviathan_acks_next(&acks, &id));
        assert_int_equal(id, ids[i]);
    }
    assert_false(gw_leviathan_acks_next(&acks, &id));
}

static inline void assert_printed(const char *hex, const char *text)
{
    char line[256];
    gw_text printed;
    gw_text_init(&printed, line, sizeof line);
    gw_leviathan_print(&printed, input, from_hex(hex), NULL);
    assert_string_equal(line, text);
}

#endif
