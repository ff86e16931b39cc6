/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The reliable commands of each channel, with their transmissions and acknowledgements.
 */
#ifndef GAMEWIRE_PLUGIN_ENET_RECORDS_H
#define GAMEWIRE_PLUGIN_ENET_RECORDS_H

#include "connection.h"

/* The direction's channel with this number; NULL: not used so far. */
enet_channel *enet_find_channel(const enet_direction *direction, uint8_t number);

/* What identifies a transmission. */
typedef struct enet_sent {
    uint32_t content; /* enet_send.content */
    uint16_t sent_time;
} enet_sent;

/* True if both may be of the same command. */
static inline bool enet_is_same_content(uint32_t one, uint32_t other)
{
    return one == other || !one || !other;
}

/* The channel's record with this number, without wrapping; NULL: none. */
enet_record *enet_find_record(const enet_channel *channel, uint32_t sequence);

/* A new record, with the command's first transmission: in this packet. */
enet_record *enet_keep_record(enet_channel *channel, uint32_t sequence, const enet_command *command,
                              const packet_info *pinfo, const enet_sent *sent);

/* The transmission at the sender's time `sent_time`; NULL: none. */
enet_send *enet_find_send(enet_record *record, uint16_t sent_time);

/* The transmission at this time with the same bytes; NULL: none. */
const enet_send *enet_find_copy(const enet_record *record, const enet_sent *sent);

/* Adds a transmission to those of the record; NULL if it has the most that are kept. */
enet_send *enet_keep_send(enet_record *record, const packet_info *pinfo, const enet_sent *sent);

#endif
