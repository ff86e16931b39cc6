/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The payloads of our captures, for codec tests.
 */
#ifndef GAMEWIRE_TESTS_CAPTURES_H
#define GAMEWIRE_TESTS_CAPTURES_H

#include <stdint.h>

/* One UDP or TCP payload: of which file, and of which packet in it, from 1. */
typedef struct capture_payload {
    const char *file;
    unsigned packet;
    uint16_t source; /* port */
    uint16_t target;
    const uint8_t *bytes;
    uint32_t length;
} capture_payload;

typedef void capture_visitor(const capture_payload *payload, void *context);

/* Visits the UDP payloads of pcaps/<pattern>, in which `*` and such mean what they do in a shell
 * ("godot/" followed by a star and ".pcap"). Ethernet, Linux cooked and BSD loopback captures, IPv4 and IPv6.
 * Returns how many there were; a file that cannot be read fails the test. */
unsigned visit_captures(const char *pattern, capture_visitor *visit, void *context);

/* The same for TCP segments that are not empty, in the order of the capture. */
unsigned visit_segments(const char *pattern, capture_visitor *visit, void *context);

#endif
