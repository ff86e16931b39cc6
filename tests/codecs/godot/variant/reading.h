/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the tests of the Godot codec share: everything that the reader returns for some bytes.
 */
#ifndef GAMEWIRE_TESTS_GODOT_READING_H
#define GAMEWIRE_TESTS_GODOT_READING_H

#include <gamewire/godot.h>

#include "hex.h"
#include "testing.h"

#define MAX_EVENTS 256

/* The result of reading one input. */
struct reading {
    uint8_t *bytes; /* a copy on the heap of exactly the input, so that sanitizers detect reading beyond it */
    uint32_t length;
    gw_godot_generation generation;
    bool bare_objects;
    gw_godot_reader reader;
    gw_godot_event events[MAX_EVENTS]; /* the first ones */
    uint32_t count;
    uint32_t odd; /* of all events together */
    gw_next last;
};

/* The result for the last input. */
extern struct reading seen;

/* Each of these reads the whole input into `seen`, and fails the test if the validator and the reader have different
 * results: whether it is complete, its length, its oddities or its fault. */
void read_bytes(gw_godot_generation generation, const uint8_t *bytes, size_t length);
void read_hex(gw_godot_generation generation, const char *hex);

/* The input is exactly one complete value; returns its first event. */
const gw_godot_event *read_value(gw_godot_generation generation, const char *hex);
/* ... as an argument of a Godot 4 call, where an object may be a header alone. */
const gw_godot_event *read_argument(const char *hex);
/* The input ends in a fault; returns it. */
const gw_fault *read_fault(gw_godot_generation generation, const char *hex);

/* The input ends in this fault. If more bytes are needed, their number is tested with zeros: with one byte fewer the
 * fault is the same, with all of them the reader gets further. */
void assert_fault(gw_godot_generation generation, const char *hex, gw_godot_fault code, uint32_t offset,
                  uint64_t needed);
/* The value has exactly these oddities. */
void assert_odd(gw_godot_generation generation, const char *hex, uint32_t odd);
void assert_prints(gw_godot_generation generation, const char *hex, const char *text);
void assert_span(gw_span span, const char *text);

#endif
