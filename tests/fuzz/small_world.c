/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A fuzz target on everything that is near to what real engines sent: each payload of the captures, each of its
 * prefixes, and each payload with one byte changed to each other value.
 *
 *   near_<TARGET> PATTERN STRIDE      such as "godot/?.pcap" below the folder of captures, and 101
 *
 * Tries every STRIDEth of these inputs: with a stride that has no common factor with 256, other values at each
 * offset. With GAMEWIRE_EXHAUSTIVE=1 in the environment all of them.
 */
#include "checks.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sanitizer/common_interface_defs.h>

#include "captures.h"

struct world {
    unsigned long stride;
    unsigned long turn; /* counts the inputs that there are */
    unsigned long tried;
};

/* The input that is being tried, for the report when it fails. */
static struct {
    const capture_payload *payload;
    uint32_t at;
    unsigned value; /* 256: a prefix */
} now;

static void tell_where(void)
{
    if (!now.payload)
        return;
    fprintf(stderr, "%s, packet %u: ", now.payload->file, now.payload->packet);
    if (now.value > UINT8_MAX)
        fprintf(stderr, "its first %u bytes\n", (unsigned)now.at);
    else
        fprintf(stderr, "byte %u changed to %#x\n", (unsigned)now.at, now.value);
}

static bool is_chosen(struct world *world)
{
    return world->turn++ % world->stride == 0;
}

/* On memory that ends where the input does, so that a sanitizer sees each byte read beyond. */
static void try_input(struct world *world, const uint8_t *bytes, uint32_t length)
{
    uint8_t *copy = allocate(length);
    memcpy(copy, bytes, length);
    LLVMFuzzerTestOneInput(copy, length);
    free(copy);
    world->tried++;
}

static void try_prefixes(struct world *world, const capture_payload *payload)
{
    now.value = UINT8_MAX + 1;
    for (now.at = 0; now.at < payload->length; now.at++)
        if (is_chosen(world))
            try_input(world, payload->bytes, now.at);
    try_input(world, payload->bytes, payload->length);
}

static void try_changes(struct world *world, const capture_payload *payload)
{
    uint8_t *changed = allocate(payload->length);
    memcpy(changed, payload->bytes, payload->length);
    for (now.at = 0; now.at < payload->length; now.at++) {
        for (now.value = 0; now.value <= UINT8_MAX; now.value++) {
            changed[now.at] = (uint8_t)now.value;
            if (is_chosen(world))
                try_input(world, changed, payload->length);
        }
        changed[now.at] = payload->bytes[now.at];
    }
    free(changed);
}

static void try_payload(const capture_payload *payload, void *context)
{
    struct world *world = context;
    now.payload = payload;
    try_prefixes(world, payload);
    try_changes(world, payload);
    now.payload = NULL;
}

static unsigned long stride(const char *text)
{
    const char *exhaustive = getenv("GAMEWIRE_EXHAUSTIVE");
    unsigned long chosen = strtoul(text, NULL, 10);
    return !chosen || (exhaustive && strcmp(exhaustive, "0") != 0) ? 1 : chosen;
}

static void on_abort(int signal_number)
{
    (void)signal_number;
    tell_where();
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s PATTERN STRIDE\n", argv[0]);
        return 2;
    }
    struct world world = { .stride = stride(argv[2]) };
    signal(SIGABRT, on_abort);                  /* a check failed */
    __sanitizer_set_death_callback(tell_where); /* a sanitizer reported */
    unsigned payloads = visit_captures(argv[1], try_payload, &world);
    printf("%u payloads, %lu of %lu inputs near them\n", payloads, world.tried, world.turn + payloads);
    return payloads ? 0 : 1;
}
