/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A connection between two peers ("link"): where its messages belong, in which form they are read, and what the
 * analysis keeps of them. Functions named keep_ write, on the first pass only; those named find_ and is_ do not.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_CONNECTION_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_CONNECTION_H

#include "common/compat.h"

#include <gamewire/godot_multiplayer.h>

#include "analysis.h"

/* ---- what is kept of a link ---------------------------------------------------------------------------- */

typedef struct godot_mp_link godot_mp_link;

/* Whose id it is. A peer is an end of the link, 0, or one that the server at that end relays for. */
typedef struct godot_mp_id_key {
    uint32_t id;
    int32_t owner; /* peer that counts the ids */
    int32_t other; /* peer that it says them to; GODOT_MP_ANY_PEER for all of them */
    uint32_t side; /* end of the link at which the owner is */
} godot_mp_id_key;

#define GODOT_MP_ANY_PEER INT32_MIN

struct godot_mp_link {
    uint32_t connection;
    struct godot_mp_link *next; /* of the same conversation */
    uint32_t form_seq;          /* message that left no doubt about the form; 0: none yet */
    gw_godot_multiplayer_form form;
    uint32_t accepted_seq; /* first message that was taken for multiplayer's; 0: none yet */
    uint32_t first_frame;  /* WebSocket: the message that may be the assigned id */
    wmem_tree_t *peers[2]; /* by message: godot_mp_peer */
    godot_mp_peer known[2];
    wmem_map_t *paths; /* analysis.c: of ids and of texts */
    wmem_map_t *by_path;
    wmem_map_t *spawns;
    wmem_map_t *counts;
    wmem_map_t *rates;   /* of synchronizers */
    wmem_map_t *unknown; /* ids that were used before they were known -> the first message that used them */
};

/* What is kept of one update of a sync. */
typedef struct godot_mp_kept_update {
    uint32_t previous; /* frame of the update before it; 0: none */
    uint32_t interval; /* since that, in microseconds */
    uint32_t usual;    /* of a late update: the longest interval before it but one, in microseconds; else 0 */
} godot_mp_kept_update;

/* What is kept of one message. */
typedef struct godot_mp_kept {
    uint32_t seq;
    gw_godot_multiplayer_form form; /* FORMS: not decided */
    godot_mp_sync sync;
    godot_mp_kept_update *updates; /* of a plain sync; else NULL */
    uint32_t update_count;
} godot_mp_kept;

/* ---- one message --------------------------------------------------------------------------------------- */

/* Where a message belongs. */
typedef struct godot_mp_place {
    packet_info *pinfo;
    godot_mp_link *link; /* NULL inside an ICMP error: nothing is known, nothing is kept */
    uint32_t connection; /* distinguishes connections of one address pair */
    uint32_t ordinal;    /* of the message in its frame */
    uint32_t seq;        /* of the message: a later message has a higher number; 0: not numbered */
    uint8_t side;        /* who sent it: 0 or 1 */
    bool first_pass;
    bool repeated;    /* the receiver has had it: nothing is kept */
    int32_t given[2]; /* by side: the peer's id, as the transport has it; 0: not known */
} godot_mp_place;

void godot_mp_register_analysis(int protocol);

/* Looks up the link and the number of the message. Keeps nothing. `place` has connection, ordinal and repeated. */
void godot_mp_find_place(godot_mp_place *place, packet_info *pinfo);
/* The same; on the first pass the link is made and the message numbered. */
void godot_mp_keep_place(godot_mp_place *place);

/* The form in which all messages of the link are read from this one on, once one has left no doubt; else FORMS. */
gw_godot_multiplayer_form godot_mp_find_form(const godot_mp_place *place);
/* The form of a message that `recognition` says is possible: the link's, or until that is known `best`, the one with
 * the most evidence. Kept on the first pass. */
gw_godot_multiplayer_form godot_mp_keep_form(const godot_mp_place *place, gw_godot_multiplayer_form best,
                                             const gw_recognition *recognition);

/* From this message on the link's messages are taken for multiplayer's. Kept on the first pass. */
void godot_mp_keep_accepted(const godot_mp_place *place);
bool godot_mp_is_accepted(const godot_mp_place *place);

/* The first message of four bytes on a WebSocket is kept on the first pass: later ones may prove that it was the
 * receiver's id from the server. */
void godot_mp_keep_first(godot_mp_place *place, int32_t id);
bool godot_mp_is_first(const godot_mp_place *place);
/* False once another message was the first, or messages were taken for multiplayer's. */
bool godot_mp_may_be_first(const godot_mp_place *place);

/* From this message on the peer at `side` has this id, which `frame` gave. */
void godot_mp_keep_peer(const godot_mp_place *place, uint8_t side, int32_t id, uint32_t frame);

/* The peers that the message's link has at this message, by side. */
void godot_mp_find_peers(const godot_mp_place *place, godot_mp_peer peers[2]);

/* For the analysis: what is kept of this message; NULL: nothing. */
godot_mp_kept *godot_mp_find_kept(const godot_mp_place *place);

#endif
