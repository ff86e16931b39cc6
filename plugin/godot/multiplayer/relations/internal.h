/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the files of the relations of messages share: a part for each file, in the order in which they use each other.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_RELATIONS_INTERNAL_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_RELATIONS_INTERNAL_H

#include "common/compat.h"

#include "godot/multiplayer/internal.h"

/* ---- stored data ---------------------------------------------------------------------------------------- */

/* What the relations store of a connection until the file is closed, on the first pass: key -> value. "id": one table of
 * the file, by godot_mp_id_key. Everything is stored under a message's number, so that every pass finds the same.
 *
 *   ends     side                             -> its peer, over time; first message of the game, end of the authentication
 *   paths    id PATHS, id PATH_TEXTS          -> the definitions, over time, with their first confirmation
 *            id NODES                         -> messages that show that the peer has the node
 *            side, id RECEIVERS               -> the latest path that the receiver confirmed
 *            in the file: checksum of methods -> path of the first node with these methods
 *   nodes    id SPAWNS, id SYNCHRONIZERS      -> the nodes, over time
 *            id COUNTS, id RATES              -> the latest sync; the latest updates of a synchronizer
 *            id SENDERS                       -> the peers that send its updates, and when they were rivals
 *   all      id USES                          -> the first frame that used an id without a definition or confirmation
 *   relays   in the file: hash of the bytes   -> messages of clients that may be relayed, and their relays
 *   calls    id CALLS                         -> reliable calls in this second and the second before
 *
 * Limits: a capture has few definitions and spawns for its messages; the other data has these. */
#define GODOT_MP_MOST_RATES     16384U /* synchronizers of a connection whose intervals are measured */
#define GODOT_MP_MOST_RIVALRIES 64     /* of one synchronizer */
#define GODOT_MP_MOST_WAITING   64U /* messages of clients in a list of relays.c: those to one host with the same bytes */
#define GODOT_MP_FEW_WAITING    8192U  /* messages of clients in a file: of more, those that are too old are freed */
#define GODOT_MP_MOST_HOPS      256U   /* clients to which one message is relayed: those after them are not linked */
#define GODOT_MP_MOST_METHODS   10000U /* whose calls are counted in a file: those after them are not */
/* Of a spawned node, GW_MOST_IDS synchronizers; names of players: names/peers.c. */

/* ==== ids.c ============================================================================================= */

/* Who assigned an id, and what has been stored under it over time. */

#define GODOT_MP_NO_SIDE 2

/* The definitions of one id, over time: entries whose first member, a uint32_t, is the number of their message. Most ids
 * have one: a tree would be most of their memory. */
typedef struct godot_mp_history {
    void *first;        /* NULL: none */
    wmem_tree_t *later; /* by message; NULL: none */
} godot_mp_history;

/* Returns the peer that counts the ids which the side `defines` defined: the peer at that side, or the peer that it
 * relays for. A client counts its ids for all peers. */
int32_t godot_mp_assigner_of(const godot_mp_context *context, bool defines);

/* The peer at the other end: each peer sends its own confirmation. */
int32_t godot_mp_receiver_of(const godot_mp_context *context, bool defines);

/* The key of an id for all receivers. `defines`: the sender of this message assigned it; else its receiver did. */
godot_mp_id_key godot_mp_path_key(const godot_mp_context *context, bool defines, uint32_t id);

/* What is stored under the key, over time; NULL: nothing. */
godot_mp_history *godot_mp_history_of(const godot_mp_context *context, godot_mp_kind kind, const godot_mp_id_key *key);

/* The latest entry up to the message `seq`; NULL: none. `history` may be NULL in these three. */
void *godot_mp_find_earlier(const godot_mp_history *history, uint32_t seq);

/* The latest entry up to the message `seq` or, if all are later, the first one. */
void *godot_mp_find_entry(const godot_mp_history *history, uint32_t seq, bool *is_later);

/* The latest entry before this message. */
void *godot_mp_find_before(const godot_mp_context *context, const godot_mp_history *history);

/* On the first pass. */
godot_mp_history *godot_mp_obtain_history(const godot_mp_context *context, godot_mp_kind kind,
                                          const godot_mp_id_key *key);

/* Adds an entry, whose first member is set. */
void godot_mp_keep_entry(godot_mp_history *history, void *entry);

/* A capture that began late lacks the definitions of ids that most of its messages use, and one of a single direction
 * lacks all confirmations. True for the messages of the first frame that uses such an id. */
bool godot_mp_keep_first_use(const godot_mp_context *context, godot_mp_kind kind, const godot_mp_id_key *key);

/* ==== paths.c =========================================================================================== */

/* Relation: paths with an id, their confirmations and refusals, and the messages that use them. */
void godot_mp_analyze_paths(const godot_mp_context *context);

/* The path of an id that the sender of this message uses. */
godot_mp_found_path godot_mp_find_path(const godot_mp_context *context, uint32_t id);

/* ==== nodes.c =========================================================================================== */

/* Relation: spawned nodes, and the messages that despawn them; the sync before this one; for each update its
 * synchronizer, two peers that send its updates in turns, and the time since its update before for the same
 * receiver. */
void godot_mp_analyze_nodes(const godot_mp_context *context);

/* ==== relays.c ========================================================================================== */

/* Messages that a server relays from one client to others: the two ends of each relay, in two connections. */

/* Relation: the relay that the message begins or is part of. */
void godot_mp_analyze_relays(const godot_mp_context *context);

/* ==== analysis.c ======================================================================================== */

/* Stores the relations of the message on the first pass, and sets its findings: its relations to other messages. */
void godot_mp_analyze(godot_mp_message *message);

/* The ends: the peers at the ends of a connection, and between which two peers a message is sent: the server relays.
 * And whether a peer of Godot 4 has admitted the other one: with an auth_callback it drops all messages but those of
 * the authentication until then, and disconnects after auth_timeout (SceneMultiplayer::poll() in the engine's
 * source). */

/* The way of the message between a client and the server, as far as their ids are known. */
gw_godot_mp_way godot_mp_find_way(const godot_mp_findings *findings);

/* Stores, on the first pass, whether ENet's DISCONNECT is at the end of the time for the authentication. True if it
 * is. */
bool godot_mp_keep_timeout(const godot_mp_position *position, const enet_disconnect *disconnect);

#endif
