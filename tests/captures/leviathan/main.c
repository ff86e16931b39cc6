// SPDX-FileCopyrightText: The Gamewire authors
// SPDX-License-Identifier: GPL-2.0-or-later

/* leviathan-traffic SCENARIO: sends it over loopback and prints what it sent, a JSON object per datagram. */

#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scenario.h"

enum { LONGEST_SECONDS = 60 }; /* a datagram that never arrives must not hang us */

static const struct scenario *const scenarios[] = {
    &session_scenario,     &documented_acks_scenario,  &every_message_scenario, &ipv6_scenario,
    &two_clients_scenario, &mid_conversation_scenario, &old_numbering_scenario, &malformed_scenario,
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
        if (strcmp(scenarios[i]->name, argv[1]) != 0)
            continue;
        alarm(LONGEST_SECONDS);
        scenario_play(scenarios[i], stdout);
        return EXIT_SUCCESS;
    }
    fputs("usage: leviathan-traffic SCENARIO, one of:", stderr);
    for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
        fprintf(stderr, " %s", scenarios[i]->name);
    fputc('\n', stderr);
    return EXIT_FAILURE;
}
