/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the files of the relations of messages share: a part for each file, in the order in which they use each other.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_RELATIONS_INTERNAL_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_RELATIONS_INTERNAL_H

#include "common/compat.h"

#include "godot/multiplayer/internal.h"

/* ==== ids.c ============================================================================================= */

/* Who assigned an id, and what has been stored under it over time. */

/* The message that is analyzed. */
typedef struct godot_mp_context {
    const godot_mp_message *message;
    const godot_mp_position *position;
    const godot_mp_facts *facts;
    godot_mp_findings *findings;
} godot_mp_context;

#define GODOT_MP_NO_SIDE 2

/* The definitions of one id, over time. Most ids have one: a tree would be most of their memory. */
typedef struct godot_mp_history {
    void *first;
    wmem_tree_t *later; /* by message; NULL: none */
    uint32_t first_seq;
} godot_mp_history;

/* Returns the peer that counts the ids which the side `defines` defined: the peer at that side, or the peer that it
 * relays for. A client counts its ids for all peers. */
int32_t godot_mp_assigner_of(const godot_mp_context *context, bool defines);

/* The peer at the other end: each peer sends its own confirmation. */
int32_t godot_mp_receiver_of(const godot_mp_context *context, bool defines);

/* The key of an id for all receivers. `defines`: the sender of this message assigned it; else its receiver did. */
godot_mp_id_key godot_mp_path_key(const godot_mp_context *context, bool defines, uint32_t id);

/* Before the server's side is known, ids of a client's relayed messages are stored under the relayed peer. Look there
 * too. */
godot_mp_id_key godot_mp_early_key(const godot_mp_context *context, const godot_mp_id_key *key);

/* What is stored under the key, over time; NULL: nothing. */
godot_mp_history *godot_mp_history_of(const godot_mp_context *context, godot_mp_kind kind, const godot_mp_id_key *key);

/* The latest entry up to the message `seq`; NULL: none. */
void *godot_mp_find_earlier(const godot_mp_history *found, uint32_t seq);

/* The same or, if all are later, the first one. */
void *godot_mp_find_entry(const godot_mp_history *found, uint32_t seq, bool *is_later);

/* The latest entry before this message. */
void *godot_mp_find_before(const godot_mp_context *context, const godot_mp_history *found);

/* On the first pass. */
godot_mp_history *godot_mp_obtain_history(const godot_mp_context *context, godot_mp_kind kind,
                                          const godot_mp_id_key *key);

/* Adds an entry of the message `seq`. */
void godot_mp_keep_entry(godot_mp_history *to, uint32_t seq, void *entry);

/* A capture that began late lacks the definitions of ids that most of its messages use, and one of a single direction
 * lacks all confirmations. True for the messages of the first frame that uses such an id. */
bool godot_mp_keep_first_use(const godot_mp_context *context, godot_mp_kind unknown, const godot_mp_id_key *key);

/* ==== ends.c ============================================================================================ */

/* The peers at the ends of a connection, and between which two peers a message is sent: the server relays. */

/* Relation: stores the ids of peers that the message shows, on the first pass; sets sender, receiver, source, target and the
 * server's side. */
void godot_mp_analyze_ends(const godot_mp_context *context);

/* The way of the message between a client and the server, as far as their ids are known. */
gw_godot_mp_way godot_mp_find_way(const godot_mp_findings *findings);

/* ==== admission.c ======================================================================================= */

/* Whether a peer of Godot 4 has admitted the other one. With an auth_callback it drops all messages but those of the
 * authentication until then, and disconnects after auth_timeout (SceneMultiplayer::poll() in the engine's source). */

/* Relation: stores what the message shows about it, on the first pass. */
void godot_mp_analyze_admission(const godot_mp_context *context);

/* True if the peer at `side` has sent a message of the game in this connection, which only a peer that has admitted the
 * other one does: in the capture or, on the first pass, so far. */
bool godot_mp_has_played(const godot_mp_position *position, uint8_t side);

/* Stores, on the first pass, whether ENet's DISCONNECT is at the end of the time for the authentication. True if it is. */
bool godot_mp_keep_timeout(const godot_mp_position *position, const enet_disconnect *disconnect);

/* ==== refusals.c ======================================================================================== */

/* Paths that their receiver did not confirm, because it has no such node. A Godot 4 confirms each other path at once, on
 * the same reliable channel. That it received the path is known if ENet acknowledged it, or if it confirmed a later one.
 * Only over ENet, whose numbers show that no confirmation is missing in the capture. */

/* Relation: stores, on the first pass, whether messages before this one are missing, and whether it was cut. */
void godot_mp_analyze_arrivals(const godot_mp_context *context);

/* Stores that the receiver of this path has confirmed it, on the first pass. `entry` may be NULL. */
void godot_mp_keep_receiver(const godot_mp_position *position, const godot_mp_id_key *key, const godot_mp_path *entry);

/* A receiver `key->other` may add a node after it received the path, which it does not confirm then: later calls, which
 * have the full path, arrive. What it sends about its own node shows that it has it: a path that it defines, confirms
 * to any peer, or calls. Both functions store on the first pass; `entry` and `path` may be NULL. `owner`: the sender, 0
 * or the peer that it is relayed for. */
void godot_mp_keep_asked(const godot_mp_position *position, const godot_mp_id_key *key, const godot_mp_path *entry);
void godot_mp_keep_node(const godot_mp_position *position, int32_t owner, const char *path);
/* True if the receiver has shown between the definition and this message that it has the node. */
bool godot_mp_has_node_since(const godot_mp_position *position, const godot_mp_id_key *key, const godot_mp_path *entry);

/* The refusal of a path by its receiver `key->other`: in the capture or, on the first pass, so far. `entry` may be
 * NULL. */
godot_mp_refusal godot_mp_find_refusal(const godot_mp_position *position, const godot_mp_id_key *key,
                                       const godot_mp_path *entry);

/* ==== paths.c =========================================================================================== */

/* Relation: paths with an id, their confirmations and refusals, and the messages that use them. */
void godot_mp_analyze_paths(const godot_mp_context *context);

/* The path of an id that the sender of this message uses. */
godot_mp_found_path godot_mp_find_path(const godot_mp_context *context, uint32_t id);

/* ==== spawns.c ========================================================================================== */

/* Relation: spawned nodes, and the messages that despawn them. */
void godot_mp_analyze_spawns(const godot_mp_context *context);

/* A spawn contains the synchronizers of which the spawning peer is the authority: all syncs with these ids are its own.
 * The ids are the same at all peers. */
godot_mp_found_spawn godot_mp_find_synchronizer(const godot_mp_context *context, uint32_t net_id);

/* ==== syncs.c =========================================================================================== */

/* Relation: the sync before this one, and the synchronizers of the updates. */
void godot_mp_analyze_syncs(const godot_mp_context *context);

/* ==== owners.c ========================================================================================== */

/* The peers that send the updates of a synchronizer. Its authority alone sends them. If two peers do in turns, each is the
 * authority for itself, and drops the other's updates. A peer that hands it over stops within a round trip. */

/* Relation: the two peers that send updates of a synchronizer around this message, as the capture or, on the first pass,
 * the messages so far show. */
void godot_mp_analyze_owners(const godot_mp_context *context);

/* ==== intervals.c ======================================================================================= */

/* The time between two updates of one synchronizer for one receiver. */

/* Relation: sets the intervals of the message's updates. */
void godot_mp_analyze_intervals(const godot_mp_context *context);

/* ==== relays.c ========================================================================================== */

/* Messages that a server relays from one client to others: the two ends of each relay, in two connections. */

void godot_mp_register_relays(void);

/* Relation: the relay that the message begins or is part of. */
void godot_mp_analyze_relays(const godot_mp_context *context);

/* ==== calls.c =========================================================================================== */

/* Reliable calls of one method on one node. */

void godot_mp_register_calls(void);

/* Relation: counts reliable calls on the first pass, and finds the first that is one too many. */
void godot_mp_analyze_calls(const godot_mp_context *context);

#endif
