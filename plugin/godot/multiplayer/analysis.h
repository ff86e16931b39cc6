/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What multiplayer packets say about each other: which path an id has, who confirmed it, which peer sits where, what
 * was spawned. Kept for each connection ("link") and numbered by message, so that every pass finds the same.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_ANALYSIS_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_ANALYSIS_H

#include "common/compat.h"

#include <gamewire/godot_multiplayer.h>

/* One connection between two peers. */
typedef struct godot_link godot_link;

/* A path that got an id (SIMPLIFY_PATH). */
typedef struct godot_path_entry {
    const char *path;
    const char *checksum; /* NULL in Godot 3 */
    uint32_t frame;
    uint32_t confirmed_in;  /* frame; 0: not in the capture */
    uint32_t confirmed_seq; /* message */
    nstime_t time;
    nstime_t confirmed_at;
    bool same_methods;
} godot_path_entry;

/* A node that was spawned, or one of its synchronisers. */
typedef struct godot_spawn_entry {
    const char *name;
    const char *spawner; /* path, or NULL */
    uint32_t frame;
    uint32_t despawned_in;
    uint32_t despawned_seq;
    nstime_t time;
    uint8_t scene;
    uint32_t sync_index; /* of a synchroniser: its place in the node's list */
} godot_spawn_entry;

/* Plain syncs of one sender, in a row. */
typedef struct godot_sync_facts {
    uint32_t previous; /* frame; 0: none before */
    nstime_t interval;
    uint16_t ahead; /* counts between the two; the sender counts its frames, whether something was due or not */
    bool late;
} godot_sync_facts;

/* A peer's id at one end of the link. */
typedef struct godot_peer {
    int32_t id; /* 0: unknown */
    uint32_t frame;
} godot_peer;

/* One message, and where it belongs. */
typedef struct godot_place {
    packet_info *pinfo;
    godot_link *link; /* NULL inside an ICMP error: nothing is known, nothing is kept */
    uint32_t seq;     /* of the message; a later message has a higher number */
    uint32_t ordinal; /* of the message in its frame */
    uint8_t side;     /* who sent it: 0 or 1 */
    bool first_pass;
    bool repeated;   /* the receiver has had it: nothing is kept */
    bool is_head;    /* head_source and head_target are set (Godot 3) */
    bool is_relayed; /* relay_peer is set */
    int32_t head_source;
    int32_t head_target;
    int32_t relay_peer;
} godot_place;

void godot_multiplayer_analysis_register(int protocol);

/* Which message it is: the `connection` tells several of one address pair apart, the ordinal those of one frame. Of one
 * that is `repeated`, which the receiver drops, nothing is kept. */
typedef struct godot_carried {
    uint32_t connection;
    uint32_t ordinal;
    bool repeated;
} godot_carried;

void godot_place_init(godot_place *place, packet_info *pinfo, const godot_carried *carried);

/* On the first pass, for a message that is not shown, since nothing has proven yet what it is: keeps what it says of
 * paths, peers and nodes. Later ones may prove it. */
void godot_learn_quietly(godot_place *place, const uint8_t *bytes, size_t length, gw_godot_multiplayer_form form);

/* ---- form ---------------------------------------------------------------------------------------------- */

/* The form in which to read a message that `recognition` says is possible: the link's, once a message has left no
 * doubt; until then `best`, the one that most speaks for. */
gw_godot_multiplayer_form godot_link_form(const godot_place *place, gw_godot_multiplayer_form best,
                                          const gw_recognition *recognition);
/* The first message of four bytes on a WebSocket: noted on the first pass, since later ones may prove what it was, the
 * receiver's id from the server. */
void godot_link_note_first(packet_info *pinfo, int32_t id);
/* True when this message is the one that was noted. */
bool godot_link_is_first(const godot_place *place);

/* ---- peers --------------------------------------------------------------------------------------------- */

/* From this message on the peer at `side` has this id, which `frame` gave; kept on the first pass. */
void godot_peer_set(const godot_place *place, uint8_t side, int32_t id, uint32_t frame);
/* What an event says of the ends of its own link. */
void godot_peer_learn(const godot_place *place, const gw_godot_multiplayer_reader *reader,
                      const gw_godot_multiplayer_event *event);
/* SOURCE, TARGET or RELAY_PEER: whose message it is. */
void godot_place_take(godot_place *place, const gw_godot_multiplayer_event *event);
/* At this message; id 0 when unknown. */
godot_peer godot_peer_at(const godot_place *place, uint8_t side);
/* Who really sent the message, and to whom: relays and heads considered. False: unknown. */
bool godot_source_of(const godot_place *place, int32_t *id);
bool godot_target_of(const godot_place *place, int32_t *id);

/* ---- paths --------------------------------------------------------------------------------------------- */

/* A definition by the message's sender; on the first pass it is kept. Returns it. */
const godot_path_entry *godot_path_define(const godot_place *place, uint32_t id, const char *path,
                                          const char *checksum);
/* The sender's path of this id. `later`: the first definition comes after this message. NULL: none. */
const godot_path_entry *godot_path_find(const godot_place *place, uint32_t id, bool *later);
/* The sender's definition of a path that is in full; NULL: none in the capture. */
const godot_path_entry *godot_path_find_text(const godot_place *place, const char *path);
/* What a definition replaces, if that was another path. */
const godot_path_entry *godot_path_before(const godot_place *place, uint32_t id);
/* The receiver's definition that this message confirms: by id or, with `path`, by its text. */
const godot_path_entry *godot_path_confirm(const godot_place *place, uint32_t id, const char *path, bool same);
/* True when the path was confirmed before this message. */
static inline bool godot_path_is_confirmed(const godot_path_entry *entry, const godot_place *place)
{
    return entry->confirmed_seq && entry->confirmed_seq <= place->seq;
}

/* ---- spawned nodes ------------------------------------------------------------------------------------- */

/* The node, or with a sync_index one of its synchronisers. Returns what was spawned before with the same id and not
 * despawned, or NULL. */
const godot_spawn_entry *godot_spawn_add(const godot_place *place, uint32_t net_id, const godot_spawn_entry *entry,
                                         bool synchroniser);
const godot_spawn_entry *godot_spawn_find(const godot_place *place, uint32_t net_id, bool synchroniser);
const godot_spawn_entry *godot_spawn_remove(const godot_place *place, uint32_t net_id);

/* Of a plain sync. */
void godot_sync_follow(const godot_place *place, uint16_t time, godot_sync_facts *facts);

#endif
