/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The reliable commands of each channel, with their transmissions and acknowledgements.
 */
#ifndef GAMEWIRE_PLUGIN_ENET_RECORDS_H
#define GAMEWIRE_PLUGIN_ENET_RECORDS_H

#include "connection.h"

/* The channel's record with this number, without wrapping; NULL: none. */
enet_record *enet_find_record(const enet_channel *channel, uint32_t sequence);

/* A new record, with the command's first transmission: in this packet, at the sender's time `sent_time`. */
enet_record *enet_keep_record(enet_channel *channel, uint32_t sequence, const enet_command *command,
                              const packet_info *pinfo, uint16_t sent_time);

/* The transmission at the sender's time `sent_time`; NULL: none. */
enet_send *enet_find_send(enet_record *record, uint16_t sent_time);

/* Adds a transmission to those of the record; NULL if it has the most that are kept. */
enet_send *enet_keep_send(enet_record *record, const packet_info *pinfo, uint16_t sent_time);

#endif
