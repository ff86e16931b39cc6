/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Dissects one datagram: reads it, adds its items, analyzes it, shows the results in tree and Info column, and passes its
 * messages on.
 */
#ifndef GAMEWIRE_PLUGIN_ENET_DISSECT_H
#define GAMEWIRE_PLUGIN_ENET_DISSECT_H

#include "common/compat.h"

#include "common/damaged.h"
#include "decompression.h"

/* Preferences. */
extern int enet_compression_choice; /* enet_compression */
extern int enet_checksum_choice;    /* enet_checksums */
extern int enet_format_choice;      /* gw_enet_format_number, or: */
#define ENET_FORMAT_AUTOMATIC (-1)

/* The modes to try: those of the preferences or, for preferences that are automatic, those of `known`. */
enet_choice enet_preferred(enet_choice known);

/* Why a datagram is dissected as ENet. */
typedef enum enet_reason {
    ENET_SELECTED,   /* the user chose ENet (Decode As): never declined; other versions are named, not decoded */
    ENET_RECOGNIZED, /* by the heuristic */
    ENET_PINNED,     /* the conversation is recognized: declined if its connection cannot have sent it */
    ENET_DAMAGED     /* the conversation is recognized, and the datagram is like those before it */
} enet_reason;

/* The datagrams of recognized conversations, without their headers, whose sent time and checksum differ each time.
 * Initialized at registration of the protocol. */
extern gw_damaged enet_damaged;

/* What follows the header of a datagram if that is the header of its connection, which may not have sent the rest. NULL:
 * it is another header, or nothing follows. */
tvbuff_t *enet_find_rest(tvbuff_t *tvb, packet_info *pinfo);

/* Dissects one datagram; 0 when it is empty or declined. */
int enet_dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, enet_reason reason);

#endif
