/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Dissects one multiplayer message: recognizes it, reads it into facts, analyzes it, and shows it.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_DISSECT_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_DISSECT_H

#include "common/compat.h"

#include <gamewire/godot_mp.h>

#include "analysis.h"
#include "common/recognition.h"
#include "connection.h"
#include "data_channels.h"
#include "enet/enet.h"
#include "facts.h"

/* The transport of a message. */
typedef struct godot_mp_carrier {
    const enet_message *enet;        /* NULL: not known, or not ENet */
    const godot_mp_channel *channel; /* WebRTC; else NULL */
    bool is_websocket;               /* else ENet or WebRTC */
    uint32_t
        connection; /* without ENet: distinguishes connections between the same ports; 0 if the conversation does */
    int generation; /* preference; GW_GODOT_ANY: from the bytes */
    gw_heuristic *heuristic; /* NULL: a user selected multiplayer, nothing is declined */
    uint32_t stream;         /* of WebRTC, if it is recognized separately; else 0 */
} godot_mp_carrier;

typedef struct godot_mp_message {
    packet_info *pinfo;
    tvbuff_t *tvb;
    const godot_mp_carrier *carrier;
    gw_godot_mp_transport transport;
    godot_mp_place place;

    /* The result of reading: the end or a fault. */
    gw_godot_mp_reader reader;
    gw_godot_mp_evidence evidence;
    gw_godot_mp_event *events;
    uint32_t event_count;
    uint32_t event_room;
    uint32_t rest;      /* offset of the bytes that were not read because of a limit; 0: all was read */
    uint32_t value_odd; /* bits of gw_godot_odd, of all Variants */
    godot_mp_facts facts;

    const godot_mp_findings *findings;
} godot_mp_message;

/* Dissects one message. Returns 0 if it was declined. */
int godot_mp_dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, const godot_mp_carrier *carrier);

#endif
