/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The content of one message, collected from the codec's events: the input of the analysis and of the statistics.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_FACTS_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_FACTS_H

#include "common/compat.h"

#include <gamewire/godot_mp.h>

#define GODOT_MP_TYPES_KEPT 16

/* The types of consecutive values: of an update, or of a spawned node's state. */
typedef struct godot_mp_types {
    uint32_t count;
    uint8_t types[GODOT_MP_TYPES_KEPT]; /* gw_godot_type, of the first values */
    bool is_cut;                        /* there are more, which were not captured */
} godot_mp_types;

/* The properties of a spawned node: those of each of its synchronizers, one after the other. */
typedef struct godot_mp_state {
    godot_mp_types types;
    uint32_t synchronizers;
} godot_mp_state;

/* The properties of one synchronizer in a sync. */
typedef struct godot_mp_update {
    godot_mp_types types;
    uint32_t net_id;
    uint32_t length;  /* bytes, with the ids */
    uint64_t indexes; /* of a delta: bit n: the n-th watched property follows */
    bool is_whole;    /* it was read completely */
} godot_mp_update;

/* Members of the packet are those of the innermost one: a relay contains one packet. Texts are UTF-8, in packet
 * scope. */
typedef struct godot_mp_facts {
    uint32_t values; /* headers of all Variants together */

    /* The sender, if the message has it. */
    bool has_head; /* source and target are set (Godot 3) */
    bool is_relayed;
    bool is_of_server; /* only the server sends such messages */
    bool is_of_authentication;
    int32_t source;
    int32_t target;
    int32_t relay_peer;
    int32_t assigned; /* the receiver's id; 0: not in this message */

    uint8_t command; /* gw_godot_mp_command; UNKNOWN without a packet */
    uint8_t depth;   /* of the packet in others: 0 if it is not relayed */
    uint32_t offset; /* of the packet */
    /* CALL and SET; SIMPLIFY_PATH and CONFIRM_PATH; SPAWN: the id of the node, path or spawner. */
    bool has_path_id;
    bool is_by_path; /* of a call: it contains the full path */
    uint32_t path_id;
    const char *path;     /* of a definition, an old confirmation, or a call by path; else NULL */
    const char *method;   /* or property, in Godot 3; else NULL */
    uint32_t method_id;   /* Godot 4 */
    const char *checksum; /* of a definition; NULL in Godot 3 */
    bool defines;         /* SIMPLIFY_PATH up to its path */
    bool confirms;        /* CONFIRM_PATH up to its id or path */
    bool differs;         /* CONFIRM_PATH: the receiver's node has other methods */
    bool is_cut;          /* cut short by the capture */
    /* SPAWN, if it was read completely, or up to its name before it is cut; DESPAWN up to its id. */
    bool spawns;
    bool despawns;
    uint8_t scene;
    uint32_t net_id;
    const char *name;
    gw_span sync_ids;
    godot_mp_state state; /* of a spawn */
    /* SYNC */
    bool has_time; /* of a plain sync */
    uint16_t time;
    uint32_t update_count;
    uint32_t update_room;
    godot_mp_update *updates;
} godot_mp_facts;

void godot_mp_facts_init(godot_mp_facts *facts);
/* Adds an event: call it for each event of `reader`, in order. */
void godot_mp_facts_add(godot_mp_facts *facts, packet_info *pinfo, tvbuff_t *tvb, const gw_godot_mp_reader *reader,
                        const gw_godot_mp_event *event);
/* After the last event of a message that the capture cut. */
void godot_mp_facts_cut(godot_mp_facts *facts);

#endif
