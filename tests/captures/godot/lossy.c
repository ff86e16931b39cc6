// SPDX-FileCopyrightText: The Gamewire authors
// SPDX-License-Identifier: GPL-2.0-or-later
//
// usage: lossy LISTEN_PORT ONWARD_PORT SERVER_PORT SECONDS
//
// The lossy relay of the ENet captures as a program of its own, for one client of a game. It starts to lose datagrams
// two seconds after its start, when the connection is there, and ends by itself.

#include "../enet/relay.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { STEP_NSEC = 200000, STEPS_A_SECOND = 4000, FINE_SECONDS = 2 };

static void run(relay *line, unsigned long seconds)
{
    static const struct timespec pause = { 0, STEP_NSEC };
    for (unsigned long i = 0; i < seconds * STEPS_A_SECOND; ++i) {
        relay_service(line);
        nanosleep(&pause, NULL);
    }
}

static uint16_t port(const char *text)
{
    return (uint16_t)strtoul(text, NULL, 10);
}

int main(int argc, char **argv)
{
    static const relay_weather fine = { .seed = 1, .delay_min = 5, .delay_max = 6 };
    static const relay_weather storm = {
        .seed = 3, .drop = 100, .duplicate = 30, .reorder = 50, .delay_min = 10, .delay_max = 20, .reorder_delay = 150
    };
    if (argc != 5) {
        fputs("usage: lossy LISTEN_PORT ONWARD_PORT SERVER_PORT SECONDS\n", stderr);
        return 64;
    }
    relay *line = relay_create(port(argv[1]), false, port(argv[2]), port(argv[3]), false);
    relay_set_weather(line, &fine);
    run(line, FINE_SECONDS);
    relay_set_weather(line, &storm);
    run(line, strtoul(argv[4], NULL, 10));
    relay_destroy(line);
    return 0;
}
