/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What multiplayer messages say about each other: which path an id has, who confirmed it, which peer is where, what
 * was spawned. Facts go in, findings come out; display is elsewhere.
 *
 * Kept for each connection ("link") and numbered by message, so that every pass finds the same. A message is analyzed
 * whether it is shown or not: one that is not recognized yet may define what a later one uses. Only message.c calls
 * godot_mp_analyze(); findings.c reads what it returns.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_ANALYSIS_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_ANALYSIS_H

#include "common/compat.h"

#include "facts.h"

/* ---- what is kept -------------------------------------------------------------------------------------- */

/* A path that got an id (SIMPLIFY_PATH). */
typedef struct godot_mp_path {
    const char *path;
    const char *checksum; /* NULL in Godot 3 */
    uint32_t frame;
    uint32_t confirmed_in; /* frame of the first confirmation; 0: not in the capture so far */
    uint32_t confirmed_seq;
    uint32_t differs_in; /* frame of the first confirmation of other methods; 0: not in the capture so far */
    nstime_t time;
    nstime_t confirmed_at;
} godot_mp_path;

/* A node that was spawned, or one of its synchronizers. */
typedef struct godot_mp_spawn {
    const char *name;
    uint32_t frame;
    uint32_t despawned_in; /* frame; 0: not in the capture so far */
    uint32_t despawned_seq;
    uint32_t seq;
    uint32_t spawner;      /* path id */
    int32_t spawner_owner; /* whose path id */
    uint8_t spawner_side;
    uint8_t scene;
    uint32_t sync_index; /* of a synchronizer: its place in the node's list */
    godot_mp_state state;
    nstime_t time;
} godot_mp_spawn;

/* A peer's id at one end of the link. */
typedef struct godot_mp_peer {
    int32_t id;     /* 0: unknown */
    uint32_t frame; /* that gave it; 0: none of these messages */
} godot_mp_peer;

/* ---- what is found for one message --------------------------------------------------------------------- */

/* What an id stands for. Without an entry no message seen so far defines the id: on the first pass a later one may, on
 * later passes none in the capture does. */
typedef struct godot_mp_found_path {
    const godot_mp_path *entry;
    bool is_later; /* defined only after this message */
    bool is_first; /* not known at this message, nor used by one before it: one note is enough */
} godot_mp_found_path;

typedef struct godot_mp_found_spawn {
    const godot_mp_spawn *entry;
    const char *spawner; /* path; NULL: not known */
    bool is_later;       /* spawned only after this message */
    bool is_first;       /* as of a path */
} godot_mp_found_spawn;

/* The time since the previous update of the same synchronizer for the same receiver. */
typedef struct godot_mp_interval {
    uint32_t previous; /* frame; 0: none before, or more than an hour before */
    bool is_late;
    nstime_t length; /* to the microsecond */
    nstime_t usual;  /* of a late update: the longest interval before it but one */
} godot_mp_interval;

/* Of one update of a sync: its synchronizer, by path or by net id. */
typedef struct godot_mp_found_update {
    godot_mp_found_path path;
    godot_mp_found_spawn spawn;
    godot_mp_interval interval; /* of a plain sync */
} godot_mp_found_update;

/* Plain syncs of one sender for one receiver, in a row. */
typedef struct godot_mp_sync {
    uint32_t previous; /* frame; 0: none before */
    nstime_t interval;
    uint16_t ahead; /* counts between the two; the sender counts its frames, whether something was due or not */
    bool is_late;
} godot_mp_sync;

/* In packet scope. Members that the message's command does not have are zero. */
typedef struct godot_mp_findings {
    bool has_source; /* who really sent the message, and to whom: relays and heads considered */
    bool has_target;
    int32_t source;
    int32_t target;
    godot_mp_peer sender; /* at the ends of the link */
    godot_mp_peer receiver;
    godot_mp_found_path path;        /* of the called node, the confirmation or the spawner */
    bool is_confirmed;               /* the path was confirmed before this message */
    uint32_t differs_in;             /* frame: the called node has other methods at the receiver; 0: not known */
    const godot_mp_path *definition; /* that this message makes or repeats */
    const godot_mp_path *replaced;   /* another path that had the id before */
    godot_mp_found_spawn spawn;      /* of a spawn or despawn: the node */
    const godot_mp_spawn *in_use;    /* of a spawn: the node that has the net id already */
    godot_mp_sync sync;
    godot_mp_found_update *updates; /* as many as the facts have */
} godot_mp_findings;

struct godot_mp_place;

/* Keeps what the message says of others, on the first pass, and finds what others say of it. */
const godot_mp_findings *godot_mp_analyze(const struct godot_mp_place *place, const uint8_t *bytes,
                                          const godot_mp_facts *facts);

#endif
