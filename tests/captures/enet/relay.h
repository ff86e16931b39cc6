// SPDX-FileCopyrightText: The Gamewire authors
// SPDX-License-Identifier: GPL-2.0-or-later
//
// A lossy UDP relay between one client and a server: it drops, delays, duplicates and reorders datagrams by a seed,
// and writes down the fate of each. It can also be between IPv4 and IPv6.

#ifndef GAMEWIRE_CAPTURE_RELAY_H
#define GAMEWIRE_CAPTURE_RELAY_H

#include <stdbool.h>
#include <stdint.h>

// Chances are in thousandths. A datagram that is neither dropped nor reordered takes delay_min to delay_max ms and
// never overtakes another; a reordered one takes reorder_delay ms more and lets others overtake.
typedef struct {
    uint64_t seed;
    unsigned drop, duplicate, reorder;
    unsigned drop_to_server; // in addition
    unsigned delay_min, delay_max, reorder_delay;
} relay_weather;

typedef struct relay relay;

// Listens on a port of loopback and passes datagrams on from another port of loopback to the server's, and back to
// the one that sent last. listen_v6 and onward_v6 choose ::1 instead of 127.0.0.1 on either side.
relay *relay_create(uint16_t listen_port, bool listen_v6, uint16_t onward_port, uint16_t server_port, bool onward_v6);
void relay_set_weather(relay *self, const relay_weather *weather);
void relay_service(relay *self); // takes what has arrived, sends what is due
void relay_destroy(relay *self);

#endif
