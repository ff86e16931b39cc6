/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Messages of the remote debugger in packets of a stream or in messages of a WebSocket.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_DEBUGGER_H
#define GAMEWIRE_PLUGIN_GODOT_DEBUGGER_H

#include "common/compat.h"

#include <gamewire/godot_debugger.h>

#include "godot-variant.h"

void godot_debugger_register(int protocol);

/* One packet: what it is of a message, and what else is known of that. In file scope, written on the first pass. */
typedef struct godot_debugger_packet {
    const char *name; /* of the message; NULL: no packet of the debugger */
    uint32_t begins;  /* frame in which the message begins */
    uint32_t frame;
    int64_t index;  /* Godot 3, from the game: of the member; -1 the count, -2 the name */
    uint32_t count; /* of members */
    bool array;     /* the whole message is in this packet, one Array */
    uint32_t other; /* frame of the break or of the continuation */
    nstime_t time;  /* of this packet */
    nstime_t other_time;
} godot_debugger_packet;

/* What a connection of the debugger is at. All zero at first. */
typedef struct godot_debugger_state {
    struct {
        const char *name; /* Godot 3: of the message that is coming; NULL: a name is next */
        uint32_t begins;
        int64_t index; /* of what comes next */
        uint32_t count;
    } sides[2];
    godot_debugger_packet *stopped; /* the last break */
    bool is_debugger;               /* a message of the engine's own was seen */
} godot_debugger_state;

/* On the first pass: which packet of which message the next one is. Returns NULL when it is none of the debugger's. */
godot_debugger_packet *godot_debugger_follow(packet_info *pinfo, godot_debugger_state *state, uint8_t side,
                                             const uint8_t *bytes, uint32_t length, gw_godot_generation generation);

/* Draws one packet and adds to the Info column. */
void godot_debugger_show(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, const godot_debugger_packet *packet,
                         gw_godot_generation generation, wmem_strbuf_t *line);

#endif
