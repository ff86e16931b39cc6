/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Dissects one datagram: decompresses it, reads it into items, facts and the Info column, analyzes it, shows the
 * results and passes its messages on.
 */
#ifndef GAMEWIRE_PLUGIN_ENET_DISSECT_H
#define GAMEWIRE_PLUGIN_ENET_DISSECT_H

#include "common/compat.h"

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
} enet_reason;

/* Dissects one datagram; 0 when it is empty or declined. */
int enet_dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, enet_reason reason);

#endif
