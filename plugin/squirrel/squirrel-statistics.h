/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the statistics count: frames, commands, and the names that they call, read and set.
 */
#ifndef GAMEWIRE_PLUGIN_SQUIRREL_STATISTICS_H
#define GAMEWIRE_PLUGIN_SQUIRREL_STATISTICS_H

#include "common/compat.h"
#include <gamewire/squirrel.h>

/* More commands of one frame than this are not counted. */
#define SQUIRREL_TAP_COMMANDS 128

typedef enum squirrel_use { SQUIRREL_USE_NONE, SQUIRREL_USE_CALL, SQUIRREL_USE_READ, SQUIRREL_USE_SET } squirrel_use;

typedef struct squirrel_tap_entry {
    uint8_t tag;
    uint8_t use;      /* squirrel_use */
    uint32_t length;  /* of the command, with its tag */
    const char *name; /* what is called, read or set; NULL without a use */
} squirrel_tap_entry;

/* One frame, as the tap "squirrel" hands it to its listeners. */
typedef struct squirrel_tap {
    const char *frame; /* its name */
    uint32_t length;
    unsigned count;
    squirrel_tap_entry commands[SQUIRREL_TAP_COMMANDS];
} squirrel_tap;

/* The name that the command at `offset` reads, sets or calls: "a", "Console.Print", or NULL when it is
 * computed. */
const char *squirrel_name_at(wmem_allocator_t *pool, const uint8_t *bytes, uint32_t length,
                             const gw_squirrel_options *options, uint32_t offset);

/* Counts a command that was just opened. */
void squirrel_tap_command(squirrel_tap *tap, packet_info *pinfo, const uint8_t *bytes, uint32_t length,
                          const gw_squirrel_options *options, const gw_squirrel_event *open);

/* Registers the tap; returns its number. */
int squirrel_register_tap(void);

#endif
