/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Data for the statistics: frames, commands, and the names that they call, read and set.
 */
#ifndef GAMEWIRE_PLUGIN_SQUIRREL_STATISTICS_H
#define GAMEWIRE_PLUGIN_SQUIRREL_STATISTICS_H

#include "common/compat.h"
#include <gamewire/squirrel.h>

#include "analysis.h"

/* Maximum number of commands of one frame that are counted. */
#define SQUIRREL_TAP_COMMANDS 128

typedef enum squirrel_use { SQUIRREL_USE_NONE, SQUIRREL_USE_CALL, SQUIRREL_USE_READ, SQUIRREL_USE_SET } squirrel_use;

typedef struct squirrel_tap_entry {
    uint8_t tag;
    uint8_t use;      /* squirrel_use */
    uint32_t length;  /* of the command, with its tag */
    const char *name; /* the called, read or set name; NULL without a use */
} squirrel_tap_entry;

/* Data of the tap "squirrel" for one frame. */
typedef struct squirrel_tap {
    const char *frame; /* its name */
    uint32_t length;
    bool is_retransmission;
    uint32_t answered;     /* an answer: the identifier of the command's frame, else 0 */
    nstime_t command_time; /* of that command */
    unsigned count;
    squirrel_tap_entry commands[SQUIRREL_TAP_COMMANDS];
} squirrel_tap;

/* Creates the tap data of a frame, or of values without a frame (`type` and `findings` NULL), in packet scope; NULL if
 * no tap listens. */
squirrel_tap *squirrel_new_tap(packet_info *pinfo, const gw_squirrel_frame_type *type, uint32_t length,
                               const squirrel_findings *findings);

/* Adds the command that an event opens. */
void squirrel_tap_event(squirrel_tap *tap, packet_info *pinfo, const gw_squirrel_reader *reader,
                        const gw_squirrel_event *event);

/* Sends the data to the tap; does nothing if it is NULL. */
void squirrel_queue_tap(packet_info *pinfo, const squirrel_tap *tap);

/* Call at registration of the protocol: registers the tap and -z squirrel,srt. */
void squirrel_register_statistics(int protocol);
/* Call at handoff: registers -z squirrel,tree. sharkd does not call a plugin's function for tap listeners. */
void squirrel_register_statistics_tree(void);

#endif
