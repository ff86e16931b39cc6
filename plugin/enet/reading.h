/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads the commands of a datagram, once: into evidence for the format, facts, the text of the line, and the events
 * that become items or expert infos, which the tree adds after the datagram was accepted.
 */
#ifndef GAMEWIRE_PLUGIN_ENET_READING_H
#define GAMEWIRE_PLUGIN_ENET_READING_H

#include "common/demand.h"

#include "facts.h"

/* Four times the commands that senders put into a datagram. More are read, but shown as one item. */
#define ENET_MOST_SHOWN (4 * GW_ENET_MOST_COMMANDS)

/* Room for the text of the commands. */
#define ENET_LINE_SIZE 400

/* The datagram whose bytes, or whose decompressed commands, are read. */
typedef struct enet_source {
    packet_info *pinfo;
    tvbuff_t *tvb; /* the UDP payload */
    const gw_demand *demand;
} enet_source;

/* In packet scope. */
typedef struct enet_reading {
    gw_enet_reader reader; /* after its last event, or at a fault */
    gw_enet_evidence evidence;
    enet_facts facts;      /* its commands */
    gw_enet_event *events; /* those that are shown: all if items are used, else those with oddities */
    uint32_t event_count;
    uint32_t event_room;
    gw_text line; /* the commands; without a buffer if the line is not used */
    bool is_cut;  /* the capture has not all of the last command, which has no CLOSE */
} enet_reading;

/* Reads to the end or to a fault. */
enet_reading *enet_read(const enet_source *source, const uint8_t *bytes, uint32_t length,
                        const gw_enet_options *options);

#endif
