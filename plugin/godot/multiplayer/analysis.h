/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Analysis across messages: paths of ids and their confirmations, peers, spawned nodes. Input are facts, output are
 * findings; nothing is displayed here.
 *
 * The data is stored for each connection and by message number, so that every pass finds the same. Messages
 * that are not recognized yet are analyzed too, because they may define ids that later messages use. dissect.c calls
 * godot_mp_analyze(); findings.c displays the result.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_ANALYSIS_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_ANALYSIS_H

#include "common/compat.h"

#include "facts.h"

/* ---- stored data --------------------------------------------------------------------------------------- */

/* A path with an id (SIMPLIFY_PATH). */
typedef struct godot_mp_path {
    const char *path;
    const char *checksum;        /* NULL in Godot 3 */
    const char *first_of_script; /* path of the first node in the file with the same methods */
    uint32_t frame;
    uint32_t seq;
    uint32_t confirmed_in; /* frame of the first confirmation; 0: not in the capture so far */
    uint32_t confirmed_seq;
    uint32_t differs_in; /* frame of the first confirmation of other methods; 0: not in the capture so far */
    nstime_t time;
    nstime_t confirmed_at;
    const struct enet_record *record; /* ENet's, of the definition; NULL: it is not for the peer at the other end */
} godot_mp_path;

/* A node that was spawned. */
typedef struct godot_mp_spawn {
    const char *name;
    uint32_t frame;
    uint32_t despawned_in; /* frame; 0: not in the capture so far */
    uint32_t despawned_seq;
    uint32_t seq;
    uint32_t spawner;      /* path id */
    int32_t spawner_owner; /* the peer that assigned the path id */
    uint8_t spawner_side;
    uint8_t scene;
    godot_mp_state state;
    nstime_t time;
} godot_mp_spawn;

/* A peer's id at one end of the connection. */
typedef struct godot_mp_peer {
    int32_t id;     /* 0: unknown */
    uint32_t frame; /* frame with the id; 0: none of these messages */
} godot_mp_peer;

/* ---- results for one message --------------------------------------------------------------------------- */

/* The path of an id. Without an entry no message seen so far defines the id: on the first pass a later message may
 * define it, on later passes no message of the capture does. */
typedef struct godot_mp_found_path {
    const godot_mp_path *entry;
    bool is_later; /* defined only after this message */
    bool is_first; /* unknown at this message and not used by an earlier one: one expert info is enough */
} godot_mp_found_path;

/* A path that its receiver did not confirm, although it received it: it has no such node, or it has not admitted the
 * sender. */
typedef struct godot_mp_refusal {
    const godot_mp_path *path; /* NULL: none */
    uint32_t acknowledged_in;  /* frame: ENet's acknowledgement of the definition; 0: not used */
    uint32_t confirmed_in;     /* frame: the receiver's confirmation of a later path; 0: not used */
    bool is_unanswered;        /* the receiver has sent no message of the game */
    uint32_t timed_out_in;     /* then: frame in which it disconnected after Godot's time for authentication; 0: none */
} godot_mp_refusal;

typedef struct godot_mp_found_spawn {
    const godot_mp_spawn *entry;
    const char *spawner; /* path; NULL: not known */
    uint32_t sync_index; /* of a synchronizer: its index in the node's list */
    bool is_uncertain;   /* of a synchronizer: a spawn had more of them than are stored */
    bool is_later;       /* spawned only after this message */
    bool is_first;       /* as for a path */
} godot_mp_found_spawn;

/* The time since the previous update of the same synchronizer for the same receiver. */
typedef struct godot_mp_interval {
    uint32_t previous; /* frame; 0: none before, or more than an hour before */
    bool is_late;
    nstime_t length; /* to the microsecond */
    nstime_t usual;  /* of a late update: the second longest of the intervals before it */
} godot_mp_interval;

/* Two peers that send updates of one synchronizer: each is its authority for itself, and drops the other's updates. */
typedef struct godot_mp_rivals {
    struct godot_mp_rivals *next;
    uint32_t first_seq; /* of the updates */
    uint32_t last_seq;
    int32_t ids[2]; /* 0: not known */
} godot_mp_rivals;

/* One update of a sync: its synchronizer, by path or by net id. */
typedef struct godot_mp_found_update {
    godot_mp_found_path path;
    godot_mp_found_spawn spawn;
    godot_mp_interval interval;    /* of a plain sync */
    const godot_mp_rivals *rivals; /* NULL: none */
} godot_mp_found_update;

/* Consecutive plain syncs of one sender for one receiver. */
typedef struct godot_mp_sync {
    uint32_t previous; /* frame; 0: none before */
    nstime_t interval;
    uint16_t ahead; /* counts between the two: the sender's frames, including those in which it sends nothing */
    bool is_late;
} godot_mp_sync;

/* In packet scope. Members that the message's command does not have are zero. */
typedef struct godot_mp_findings {
    bool has_source; /* the original sender and the target of the message are known: relays and heads considered */
    bool has_target;
    int32_t source;
    int32_t target;
    godot_mp_peer sender; /* at the ends of the connection */
    godot_mp_peer receiver;
    godot_mp_found_path path;        /* of the called node, the confirmation or the spawner */
    bool is_unconfirmed;             /* the first message with this path id, which was not confirmed before */
    uint32_t differs_in;             /* frame: the called node has other methods at the receiver; 0: not known */
    godot_mp_refusal refusal;        /* of the path that is defined or used */
    const godot_mp_path *sent;       /* the definition for the peer that is called; NULL: none */
    const godot_mp_path *definition; /* made or repeated by this message */
    const godot_mp_path *replaced;   /* another path that had the id before; NULL: none */
    godot_mp_found_spawn spawn;      /* of a spawn or despawn: the node */
    const godot_mp_spawn *in_use;    /* of a spawn: the node that already has the net id */
    godot_mp_sync sync;
    godot_mp_found_update *updates; /* as many as the facts have */
} godot_mp_findings;

struct godot_mp_place;

/* Stores the relations of the message on the first pass, and finds its relations to other messages. */
const godot_mp_findings *godot_mp_analyze(const struct godot_mp_place *place, const uint8_t *bytes,
                                          const godot_mp_facts *facts);

#endif
