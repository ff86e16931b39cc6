/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Shared by the files of the dissector of multiplayer: a part for each file, in the order in which they use each other.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_INTERNAL_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_INTERNAL_H

#include "common/compat.h"

#include <epan/conversation.h>
#include <epan/expert.h>
#include <gamewire/godot_mp.h>

#include "common/display/demand.h"
#include "common/recognition/recognition.h"
#include "common/table.h"
#include "enet/enet.h"
#include "godot/variant/variants.h"

/* ==== facts.c =========================================================================================== */

/* The content of one message, collected from the codec's events: the input of the analysis and of the statistics. */

#define GODOT_MP_TYPES_KEPT 16

/* The types of consecutive values: of an update, or of a spawned node's state. */
typedef struct godot_mp_types {
    uint32_t count;
    uint8_t types[GODOT_MP_TYPES_KEPT]; /* gw_godot_type, of the first values */
    bool is_cut;                        /* there are more, which were not captured */
} godot_mp_types;

/* The properties of a spawned node: its first synchronizer's, then the second one's, and so on. */
typedef struct godot_mp_state {
    godot_mp_types types;
    uint32_t synchronizers;
} godot_mp_state;

/* The properties of one synchronizer in a sync. */
typedef struct godot_mp_update {
    godot_mp_types types;
    uint64_t roles; /* bit r: the update has a number of gw_godot_mp_role r */
    uint32_t net_id;
    uint32_t size;    /* bytes of the values */
    uint32_t length;  /* bytes, with the ids */
    uint64_t indexes; /* of a delta: bit n: the n-th watched property follows */
    bool is_whole;    /* it was read completely */
} godot_mp_update;

_Static_assert(GW_GODOT_MP_ROLES <= 64, "a bit for each role");

/* True if bit `role` of `roles` is set. */
static inline bool godot_mp_has(uint64_t roles, gw_godot_mp_role role)
{
    return roles >> role & 1U;
}

/* The packet is the innermost one: a relay contains one packet. Texts are UTF-8, in packet scope. */
typedef struct godot_mp_facts {
    uint64_t roles;  /* bit r: the packet, or the message without a packet, has a part of gw_godot_mp_role r */
    uint32_t values; /* headers of all Variants together */

    /* The sender, if the message has it. */
    bool has_head; /* source and target are set (Godot 3) */
    bool is_relayed;
    bool is_of_server; /* only the server sends such messages */
    bool is_of_authentication;
    int32_t source;
    int32_t target;
    int32_t relay_peer;
    int32_t assigned;      /* the receiver's id; 0: not in this message */
    int32_t peer;          /* that came or left, or the receiver */
    uint32_t peer_message; /* of Godot 3: PEER_COMMAND */
    uint32_t system;       /* SYSTEM: gw_godot_mp_system, or an unknown sub-command */

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
    gw_span data;         /* bytes of RAW or AUTH */
    /* SYNC */
    bool has_time; /* of a plain sync */
    uint16_t time;
    uint32_t update_count;
    uint32_t update_room;
    godot_mp_update *updates;
} godot_mp_facts;

/* Adds an event: call it for each event of `reader`, in order. */
void godot_mp_facts_add(godot_mp_facts *facts, packet_info *pinfo, tvbuff_t *tvb, const gw_godot_mp_reader *reader,
                        const gw_godot_mp_event *event);
/* ---- relations of messages (relations/) ------------------------------------------------------------------ */

/* Analysis across messages: paths of ids and their confirmations, peers, spawned nodes. Input are facts, output are
 * findings; nothing is displayed here.
 *
 * The data is stored for each connection and by message number, so that every pass finds the same. Messages
 * that are not recognized yet are analyzed too, because they may define ids that later messages use. dissect.c calls
 * godot_mp_analyze() of relations/, which has the list of all relations; findings.c displays the result. */

/* ---- stored data --------------------------------------------------------------------------------------- */

/* A script of the game: nodes whose methods have one checksum. */
typedef struct godot_mp_script {
    const char *checksum;
    const char *first_path; /* of the first node in the file with these methods */
} godot_mp_script;

/* A path with an id (SIMPLIFY_PATH), as defined for one receiver, for all of them, or both. Times are those of
 * gw_nanoseconds(). */
typedef struct godot_mp_path {
    uint32_t seq; /* of the message: the first member, as in all entries of a godot_mp_history */
    uint32_t frame;
    const char *path;
    const godot_mp_script *script; /* NULL in Godot 3 */
    int64_t time;
    int64_t confirmed_at;
    uint32_t record;       /* number of ENet's, of the definition; 0: it is not for the peer at the other end */
    uint32_t text;         /* the path's number among the file's texts */
    uint32_t confirmed_in; /* frame of the receiver's first confirmation; 0: not in the capture so far */
    uint32_t differs_in;   /* frame of its first confirmation of other methods; 0: not in the capture so far */
    /* Of the definition for all: the first confirmation by any of them. */
    uint32_t any_confirmed_in; /* frame; 0: not in the capture so far */
    uint32_t any_confirmed_seq;
} godot_mp_path;

/* A node that was spawned. */
typedef struct godot_mp_spawn {
    uint32_t seq; /* as in a path */
    uint32_t frame;
    const char *name;
    uint32_t despawned_in; /* frame; 0: not in the capture so far */
    uint32_t despawned_seq;
    uint32_t spawner;         /* path id */
    int32_t spawner_assigner; /* the peer that assigned the path id */
    uint8_t spawner_side;
    uint8_t scene;
    godot_mp_state state;
    int64_t time; /* gw_nanoseconds() */
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

/* The server's message to one client. */
typedef struct godot_mp_hop {
    const struct godot_mp_hop *next;
    int64_t time; /* gw_nanoseconds() */
    uint32_t frame;
    uint32_t connection; /* its index in the file */
} godot_mp_hop;

/* A client's message to the server, and the messages that the server sent on. */
typedef struct godot_mp_relay {
    int64_t time; /* gw_nanoseconds() */
    uint32_t frame;
    const godot_mp_hop *hops; /* in order; NULL: none in the capture so far */
} godot_mp_relay;

/* In packet scope. Members that the message's command does not have are zero. */
typedef struct godot_mp_findings {
    bool has_source; /* the original sender and the target of the message are known: relays and heads considered */
    bool has_target;
    uint8_t server; /* side; GODOT_MP_NO_SIDE */
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
    const godot_mp_relay *relay;    /* that the message begins or is part of; NULL: none */
    bool begins_relay;
    bool is_one_too_many; /* the first of too many reliable calls of a method */
} godot_mp_findings;

/* ==== connection.c ====================================================================================== */

/* A connection between two peers: the numbers of its messages, the form in which they are read, and the data
 * that the analysis stores. Functions named keep_ write, on the first pass only; functions named find_ and is_ read. */

/* ---- stored data of a connection ----------------------------------------------------------------------------- */

typedef struct godot_mp_connection godot_mp_connection;

/* Identifies the peer that assigned an id. A peer is an end of the connection, 0, or a peer for which the server at
 * that end relays. The last member is set by the functions that find and keep the data. */
typedef struct godot_mp_id_key {
    uint32_t id;        /* or the number of a text */
    int32_t assigner;   /* peer that counts the ids */
    int32_t other;      /* peer to which it sends them; GODOT_MP_ANY_PEER for all peers */
    uint32_t side : 1;  /* end of the connection at which the assigner is */
    uint32_t kind : 31; /* godot_mp_kind */
} godot_mp_id_key;

/* The kinds of data that a connection has by id. */
typedef enum godot_mp_kind {
    GODOT_MP_ID_PATHS,
    GODOT_MP_ID_PATH_TEXTS, /* by the number of the path's text */
    GODOT_MP_ID_NODES,      /* of a peer: by the number of the path's text */
    GODOT_MP_ID_SENDERS,    /* of updates: by the number of the text of the synchronizer's path */
    GODOT_MP_ID_SPAWNS,
    GODOT_MP_ID_SYNCHRONIZERS, /* of spawned nodes */
    GODOT_MP_ID_COUNTS,        /* of syncs */
    GODOT_MP_ID_RATES,         /* of updates */
    GODOT_MP_ID_RECEIVERS,     /* of paths: relayed peers */
    GODOT_MP_ID_CALLS,         /* of a side: by the method, and the node in place of the assigner */
    GODOT_MP_ID_USES           /* of ids without a definition or confirmation: their kind in place of the other peer */
} godot_mp_kind;

#define GODOT_MP_ANY_PEER INT32_MIN

#define GODOT_MP_NO_STREAM UINT32_MAX
#define GODOT_MP_NO_FRAME  UINT32_MAX

/* The form of the messages that one side sends, and the evidence for it. */
typedef struct godot_mp_direction {
    gw_godot_mp_form form; /* proven; FORMS: not yet */
    uint32_t seq;          /* message that proved it */
    uint32_t weighed;      /* number of messages before that one */
    int32_t lead;          /* their bits of evidence for Godot 3, less the bits for Godot 4 */
    uint32_t evidence;     /* of the latest of them: hash of its evidence, hash of its bytes, source as in Godot 3 */
    uint32_t bytes;
    uint32_t source;
} godot_mp_direction;

/* Number of ENet's channels that a client of either generation requests by default (observed). */
#define GODOT_MP_CHANNELS_3 3
#define GODOT_MP_CHANNELS_4 255

/* The latest path that a receiver confirmed. */
typedef struct godot_mp_confirmed {
    uint32_t seq;   /* of the definition; 0: it has confirmed none */
    uint32_t frame; /* of the confirmation */
} godot_mp_confirmed;

/* The ids of the peer at one end, over time. Most connections have one: a tree would be most of their memory. */
typedef struct godot_mp_peer_history {
    godot_mp_peer latest;
    uint32_t seq;       /* from which message on the first one was known */
    wmem_tree_t *later; /* by message: all of them; NULL: one or none */
} godot_mp_peer_history;

struct godot_mp_connection {
    gw_table ids;    /* used by connection.c: the data by id */
    uint32_t index;  /* in the file, from 1 */
    uint32_t number; /* in the file, from 0: godot_mp.stream; GODOT_MP_NO_STREAM until a message is accepted */
    godot_mp_direction directions[2]; /* by side */
    uint32_t accepted_seq;            /* first message that was accepted as multiplayer; 0: none yet */
    uint32_t accepted, unread; /* number of messages so far that were, and that were not after the first of them */
    uint32_t first_frame; /* WebSocket: frame of the message that may be the assigned id; GODOT_MP_NO_FRAME: it was not
                              captured */
    godot_mp_peer_history peers[2];
    bool has_more_synchronizers; /* a spawn had more than GW_MOST_IDS: only these are stored */
    bool has_cut_definition;     /* a definition or spawn was cut short by the capture */
    uint32_t gaps[2];         /* by side: the latest message before which others are missing in the capture; 0: none */
    uint32_t played[2];       /* used by analysis.c, by side: its first message of the game, its number; 0: none yet */
    bool authenticates[2];    /* a side has sent a message of the authentication */
    bool defines[2];          /* a side has sent a path */
    uint32_t timed_out_in[2]; /* by side: frame in which it disconnected; 0: for another reason, or not yet */
    godot_mp_confirmed confirmed[2];      /* used by paths.c: by side, of the peer at the other end */
    uint32_t rate_count;                  /* GODOT_MP_ID_RATES that are stored */
    struct godot_mp_player_names *server; /* used by peers.c: names of the server's player; NULL: none */
};

/* The data of this kind that is stored under this key; NULL: none, or no connection. */
void *godot_mp_find_by_id(const godot_mp_connection *connection, godot_mp_kind kind, const godot_mp_id_key *key);
/* Returns the place of new data of this size under the key, where nothing is stored: all zero, until the file is
 * closed. The key is copied. */
void *godot_mp_keep_by_id(godot_mp_connection *connection, godot_mp_kind kind, const godot_mp_id_key *key, size_t size);

/* Stored data of the whole file, in which there are several connections. */
typedef struct godot_mp_file {
    uint32_t connections;             /* that have a number */
    wmem_map_t *texts;                /* used by paths.c */
    wmem_map_t *scripts;              /* used by paths.c */
    uint32_t methods;                 /* used by analysis.c: GODOT_MP_ID_CALLS that are stored */
    wmem_map_t *sources;              /* used by recognition.c: gw_series -> series_sources */
    struct godot_mp_waiting *waiting; /* used by relays.c: messages that wait for a relay; NULL: none */
} godot_mp_file;

extern godot_mp_file godot_mp_current;

/* The data of one message in the archive (below). */
typedef struct godot_mp_archived_message godot_mp_archived_message;

/* ---- one message --------------------------------------------------------------------------------------- */

/* The position of a message: its connection, side and number. */
typedef struct godot_mp_position {
    packet_info *pinfo;
    const enet_message *enet;            /* NULL: not known, or not ENet */
    conversation_t *conversation;        /* as known to the transport, or found by its addresses; NULL: none yet */
    godot_mp_connection *connection;     /* NULL inside an ICMP error: nothing is known, nothing is stored */
    uint32_t connection_id;              /* distinguishes connections of one address pair */
    uint32_t ordinal;                    /* of the message in its frame */
    godot_mp_archived_message *archived; /* NULL: none */
    uint32_t seq;                        /* of the message: a later message has a higher number; 0: not numbered */
    uint8_t side;                        /* side of the sender: 0 or 1 */
    bool first_pass;
    bool repeated;    /* the receiver already received it: nothing is stored */
    int32_t given[2]; /* by side: the peer's id, as known to the transport; 0: not known */
} godot_mp_position;

/* Registers the maps of godot_mp_current, which are emptied with each file. */
void godot_mp_register_analysis(void);

/* Looks up the connection and the number of the message. Stores nothing. connection_id, ordinal and repeated of
 * `position` are set by the caller, and conversation if the transport knows it: a lookup by addresses takes long. */
void godot_mp_find_position(godot_mp_position *position, packet_info *pinfo);
/* The same, but on the first pass creates the connection and numbers the message. */
void godot_mp_keep_position(godot_mp_position *position);

/* The proven form of the messages from this side; FORMS: none. Both peers have the same engine in nearly every game. */
gw_godot_mp_form godot_mp_find_proven_form(const godot_mp_position *position, uint8_t side);

/* The form in which a message that was not accepted cannot be read, as recognition.c stored it; FORMS: nothing is
 * stored. */
gw_godot_mp_form godot_mp_find_unread(const godot_mp_position *position);

/* On the first pass, stores that this is the first message of four bytes on a WebSocket: later messages may prove that
 * it is the receiver's id from the server. */
void godot_mp_keep_first(godot_mp_position *position, int32_t id);
/* Stores that from this message on, the peer at `side` has this id, which is known from `frame`. */
void godot_mp_keep_peer(const godot_mp_position *position, uint8_t side, int32_t id, uint32_t frame);

/* The peers of the message's connection at the time of this message, by side. */
void godot_mp_find_peers(const godot_mp_position *position, godot_mp_peer peers[2]);

/* The number of the first connection in a frame: false if there is none. */
bool godot_mp_find_stream(packet_info *pinfo, uint32_t *stream);

/* ---- the archive of messages ----------------------------------------------------------------------------- */

/* What the first pass archives of a message for later passes: at most one entry of each kind, of the type that is named
 * here. */
typedef enum godot_mp_archived_kind {
    GODOT_MP_MESSAGE, /* godot_mp_archived_message: of each message with a number */
    GODOT_MP_SYNC,    /* nodes.c, archived_sync: the sync before */
    GODOT_MP_UPDATES, /* nodes.c, update_interval[]: of each update that differs from its sync */
    GODOT_MP_LATE,    /* nodes.c, uint32_t[]: of each update, the usual interval of a late one */
    GODOT_MP_RELAY,   /* relays.c */
    GODOT_MP_EXCESS,  /* analysis.c */
    GODOT_MP_UNREAD,  /* uint64_t: a form */
    GODOT_MP_ARCHIVED_KINDS
} godot_mp_archived_kind;

struct godot_mp_archived_message {
    uint32_t seq;
    uint32_t connection : 27; /* its index */
    uint32_t form : 3;        /* gw_godot_mp_form; FORMS: not determined */
    uint32_t is_guess : 1;    /* the forms of both generations read it, and neither was proven */
    uint32_t is_possible : 1; /* in that form, which was known before it: later passes do not test it again */
};

_Static_assert(GW_GODOT_MP_FORMS < 8, "a form, or none, in three bits of godot_mp_archived_message");

/* A new entry of the message, on the first pass; all zero. */
void *godot_mp_keep_archived(const godot_mp_position *position, godot_mp_archived_kind kind, size_t size);
/* The message's entry, of the kind's type; NULL: none. */
void *godot_mp_find_archived(const godot_mp_position *position, godot_mp_archived_kind kind);

/* ==== fields.c ========================================================================================== */

/* The fields and expert infos of Godot's multiplayer. */

typedef struct godot_mp_fields {
    /* of every message */
    int stream;
    int length;
    int form;
    int generation;
    int command;
    int command_byte;
    int from;
    int to;
    int source;
    int target;
    int message_type;
    int peer_message;
    int peer;
    int assigned_peer;
    int peer_known_from;
    int system;
    int relay_peer;
    int relayed_in;
    int relay_of;
    int relay_time;
    int data;
    int variant;
    int trailing;
    int undecoded;
    int not_shown;
    int name_reason;
    int data_channel_stream;
    int data_channel_label;
    int data_channel_reliability;
    int data_channel_opened_in;
    /* the header of exported messages */
    int exported_version;
    int exported_transport;
    int exported_generation;
    int exported_client_known;
    int exported_from_client;
    int exported_has_connect_data;
    int exported_repeated;
    int exported_connection;
    int exported_connect_data;
    int exported_channel;
    /* calls */
    int rpc_node_id;
    int rpc_path;
    int rpc_path_offset;
    int rpc_path_defined_in;
    int rpc_differs_in;
    int rpc_method_id;
    int rpc_method;
    int rpc_method_from;
    int rpc_property;
    int rpc_caller;
    int rpc_callee;
    int rpc_argument_count;
    int rpc_argument;
    int rpc_bytes;
    /* paths */
    int path_id;
    int path_path;
    int path_checksum;
    int path_script;
    int path_confirmed;
    int path_defined_in;
    int path_confirmed_in;
    int path_confirm_time;
    int path_acknowledged_in;
    /* spawns */
    int spawn_scene;
    int spawn_scene_name;
    int spawn_spawner;
    int spawn_spawner_path;
    int spawn_net_id;
    int spawn_sync_count;
    int spawn_sync_id;
    int spawn_name_length;
    int spawn_name;
    int spawn_custom_size;
    int spawn_custom;
    int spawn_state;
    int spawn_spawned_in;
    int spawn_despawned_in;
    int spawn_lifetime;
    /* synchronized properties */
    int sync_time;
    int sync_ahead;
    int sync_interval;
    int sync_previous;
    int sync_update_interval;
    int sync_update_previous;
    int sync_net_id;
    int sync_path;
    int sync_node;
    int sync_defined_in;
    int sync_indexes;
    int sync_size;
    int sync_property;
    int sync_value;
    int halves; /* also of a spawn */
    int json;
} godot_mp_fields;

extern int proto_godot_mp;
extern godot_mp_fields godot_mp_hf;

#define GODOT_MP_ODDS 17

typedef struct godot_mp_experts {
    expert_field cut_short;
    expert_field unread;
    expert_field not_shown;
    expert_field path_unknown;
    expert_field path_defined_later;
    expert_field path_redefined;
    expert_field generations_differ;
    expert_field path_refused;
    expert_field call_refused;
    expert_field spawn_refused;
    expert_field path_unconfirmed;
    expert_field path_by_name;
    expert_field checksum_differs;
    expert_field methods_differ;
    expert_field confirmation_unasked;
    expert_field method_unknown;
    expert_field spawn_unknown;
    expert_field spawn_again;
    expert_field despawn_unknown;
    expert_field spawned_later;
    expert_field sync_unknown;
    expert_field owners_differ;
    expert_field authentication_missing;
    expert_field sync_out_of_order;
    expert_field sync_update_late;
    expert_field spawn_by_client;
    expert_field unreliable_too_long;
    expert_field reliable_too_many;
    expert_field confirmation_missing;
    expert_field faults[GW_GODOT_MP_FAULTS]; /* by code */
    expert_field odd[GODOT_MP_ODDS];         /* by the number of the bit */
} godot_mp_experts;

extern godot_mp_experts godot_mp_ei;

extern int godot_mp_ett_protocol;
extern int godot_mp_ett_packet;
extern int godot_mp_ett_item;

/* The subtree of the item, which is created if it has none. */
static inline proto_tree *godot_mp_below(proto_item *item)
{
    return proto_item_add_subtree(item, godot_mp_ett_item);
}

void godot_mp_register_fields(int protocol);

/* ==== dissect.c ========================================================================================= */

/* Dissects one multiplayer message: recognizes it, reads it into facts, analyzes it, and shows it. */

/* What a file has besides an exported or recorded message, for its JSON. */
typedef struct godot_mp_origin {
    bool has_connection;
    uint32_t connection;
    bool repeated;
    bool has_frames; /* process frame and physics tick */
    uint32_t process_frame;
    uint32_t physics_tick;
    uint32_t other_in; /* frame; 0: none */
    uint32_t lost;
    bool has_handler_time;
    nstime_t handler_time;
    bool has_way_time;
    nstime_t way_time;
} godot_mp_origin;

/* How messages are delivered, as messages over ENet: in order and complete; in order; or in any order. */
#define GODOT_MP_RELIABLE    "reliable"
#define GODOT_MP_UNRELIABLE  "unreliable"
#define GODOT_MP_UNSEQUENCED "unsequenced"

/* The data channel of a message. */
typedef struct godot_mp_channel {
    uint32_t association; /* number in the file, from 1; 0: not in DTLS, the members below are not known */
    uint16_t stream;
    uint32_t opened_in; /* frame of the DATA_CHANNEL_OPEN; 0: none before this message. Godot's channels have none */
    const char *label;  /* from the DATA_CHANNEL_OPEN, as the reliability */
    const char *reliability; /* "reliable, ordered" */
    const char *delivery;    /* NULL: not known */
    bool is_usual;           /* one of Godot's own channels, which share what is known about the connection */
} godot_mp_channel;

/* The transport of a message. */
typedef struct godot_mp_carrier {
    const enet_message *enet;        /* NULL: not known, or not ENet */
    const godot_mp_channel *channel; /* WebRTC; else NULL */
    bool is_websocket;               /* else ENet or WebRTC */
    uint32_t
        connection; /* without ENet: distinguishes connections between the same ports; 0 if the conversation does */
    int generation; /* preference; GW_GODOT_ANY: from the bytes */
    gw_heuristic *heuristic;       /* NULL: a user selected multiplayer, nothing is declined */
    uint32_t stream;               /* of WebRTC, if it is recognized separately; else 0 */
    int32_t peers[2];              /* ids of sender and receiver, if the carrier has both; else 0 */
    bool repeated;                 /* an earlier packet has the same message */
    unsigned findings;             /* number of those of the carrier that belong to the message */
    const godot_mp_origin *origin; /* of an exported or recorded message; NULL: it was captured */
} godot_mp_carrier;

typedef struct godot_mp_message {
    packet_info *pinfo;
    tvbuff_t *tvb;
    const godot_mp_carrier *carrier;
    gw_godot_mp_transport transport;
    godot_mp_position position;

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

/* The message that is analyzed. */
typedef struct godot_mp_context {
    const godot_mp_message *message;
    const godot_mp_position *position;
    const godot_mp_facts *facts;
    godot_mp_findings *findings;
} godot_mp_context;

/* Dissects one message. Returns 0 if it was declined. */
int godot_mp_dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *parent, const godot_mp_carrier *carrier);

/* Registers the tables and the list of dissectors of a game's own formats, and the tap of exported messages. */
void godot_mp_register_dissection(int protocol);

/* ---- exported messages ------------------------------------------------------------------------------------ */

/* Messages for File > Export PDUs to File and tshark -U "Godot Multiplayer".
 *
 * An exported message begins with a header of this plugin, because the message does not contain its transport:
 *
 *   offset  bytes
 *   0       1      version of this header, 1
 *   1       1      transport: godot_mp_transport
 *   2       1      Godot generation: 3 or 4
 *   3       1      flags: GODOT_MP_EXPORT_
 *   4       4      number of the connection, big-endian: enet.connection or, without ENet, godot_mp.stream
 *   8       4      data of ENet's CONNECT, big-endian: the client's peer id
 *   12      1      ENet's channel
 *   13             the message */

#define GODOT_MP_EXPORT_VERSION   1
#define GODOT_MP_EXPORT_HEADER    13
#define GODOT_MP_EXPORT_CLIENT    0x01U /* the client is known */
#define GODOT_MP_EXPORT_FROM_IT   0x02U /* the message is from the client */
#define GODOT_MP_EXPORT_CONNECTED 0x04U /* CONNECT was captured: its data is in the header */
#define GODOT_MP_EXPORT_REPEATED  0x08U /* the receiver had received the message before */

typedef enum godot_mp_transport {
    GODOT_MP_OTHER,
    GODOT_MP_ENET,
    GODOT_MP_WEBSOCKET,
    GODOT_MP_WEBRTC
} godot_mp_transport;

/* Offsets in the header. */
enum {
    GODOT_MP_AT_VERSION,
    GODOT_MP_AT_TRANSPORT,
    GODOT_MP_AT_GENERATION,
    GODOT_MP_AT_FLAGS,
    GODOT_MP_AT_CONNECTION,
    GODOT_MP_AT_CONNECT_DATA = 8,
    GODOT_MP_AT_CHANNEL = 12
};

/* The name of the dissector that reads exported messages. */
#define GODOT_MP_EXPORT_DISSECTOR "godot_mp.exported"

/* ==== recognition.c ===================================================================================== */

/* Reads a message: the form that reads it and the evidence for it, and whether the evidence of a connection's messages
 * is sufficient. The codec has the tests of one message, common/recognition/recognition.h adds them up. */

typedef enum godot_mp_reading {
    GODOT_MP_DECLINED,
    GODOT_MP_READ, /* declined, but it may contain definitions that a later message needs: analyze it */
    GODOT_MP_ACCEPTED
} godot_mp_reading;

/* Reads the message into events and facts. A message of a connection whose form is known is read once; others are
 * recognized first: by themselves, or with the messages before them. */
godot_mp_reading godot_mp_read(godot_mp_message *message);
/* Of a message that was declined: reads it if nearly all messages of its connection before it were accepted. False: it
 * may be another protocol's. */
bool godot_mp_read_unread(godot_mp_message *message);

/* ==== damaged.c ========================================================================================= */

/* Stores a message that was accepted, if a heuristic called for it: damaged ones are compared with it. */
void godot_mp_keep_sample(const godot_mp_message *message);
/* For a message that was read and is not possible, of a connection with accepted ones: true if its heads have ids that
 * these have defined, ids of the peers, and sizes that fill it, so that it is a damaged one. */
bool godot_mp_has_known_heads(const godot_mp_message *message);

/* ==== tree.c ============================================================================================ */

/* The codec's events as items of the tree, with expert infos for oddities. */

/* The peers of a message. */
typedef enum godot_mp_end { GODOT_MP_SENDER, GODOT_MP_RECEIVER, GODOT_MP_ENDS } godot_mp_end;

/* The state of the tree of one message, and the names that the displayed packet uses. */
typedef struct godot_mp_tree {
    const godot_mp_message *message;
    packet_info *pinfo;
    tvbuff_t *tvb;
    gw_demand demand;
    bool is_wanted; /* items of this protocol or of its Variants are referenced; expert infos are added in any case */
    bool wants_values;                        /* the values' texts are referenced */
    bool wants_variants;                      /* Variants are referenced, or have something to report */
    godot_variants *variants;                 /* NULL until the first Variant */
    proto_tree *trees[GW_GODOT_MP_DEPTH + 2]; /* by depth: the parent of items at that depth */
    proto_item *items[GW_GODOT_MP_DEPTH + 2]; /* by depth: the item that CLOSE completes */
    proto_item *command;                      /* the first item: of the packet's command; NULL: none */
    proto_item *relay;                        /* of the outermost packet that relays another one; NULL: none */
    proto_tree *ends[GODOT_MP_ENDS];          /* by godot_mp_end: the parent of the items with that peer's id */
    gw_text call;                             /* "Main/Hero.attack(5)"; no buffer: it is not printed */
    uint8_t odd_counts[32];

    /* naming.c: the names of the ids. */
    uint32_t update;       /* index of the update that is shown */
    uint32_t missing_rows; /* bit n: the reason of godot_mp_missing n is shown */
    const struct godot_script *script;
    const char *method;      /* name of the called method; NULL: not known */
    const char *scene;       /* file; NULL: not known */
    const char *state_scene; /* the scene whose properties the values of the state are; NULL: not known */
    const struct godot_synchronizer *synchronizer;
} godot_mp_tree;

/* Adds the items of the protocol and of the packet's command. `parent`: the parent of the protocol's item, or NULL. */
void godot_mp_tree_init(godot_mp_tree *tree, const godot_mp_message *message, proto_tree *parent);

/* Adds the items of one event; call it for each, in order. `name`: the name of the event's number, or NULL. `text`: the
 * text of its value, if wants_values is set. Returns the item, or NULL. */
proto_item *godot_mp_tree_add(godot_mp_tree *tree, const gw_godot_mp_event *event, const char *name, const char *text);
/* Adds the bytes after the last event that were not read, or the fault at which reading stopped; then what is known of
 * the whole message: its length, form, connection and data channel. */
void godot_mp_tree_end(const godot_mp_tree *tree);

/* The item for an expert info on `item`: the protocol's item if `item` was not added. */
static inline proto_item *godot_mp_expert_item(const godot_mp_tree *tree, proto_item *item)
{
    return item ? item : tree->items[0];
}

/* ==== findings.c ======================================================================================== */

/* The analysis' findings as generated items and expert infos. */

struct godot_mp_name;

/* Adds the sender and the receiver, unless godot_mp_findings_end() does. */
void godot_mp_findings_begin(godot_mp_tree *tree);
/* Adds the findings for the event's number, below `item`. `name` is the number's name. */
void godot_mp_findings_add(godot_mp_tree *tree, const gw_godot_mp_event *event, proto_item *item,
                           const struct godot_mp_name *name);
/* Adds the relays of the message, the sender and the receiver of a message without a packet, and advice on how a game
 * should send the message. */
void godot_mp_findings_end(godot_mp_tree *tree);

/* ==== json.c ============================================================================================ */

/* The message as a value of godot_mp.json. */
typedef struct godot_mp_json godot_mp_json;

/* In packet scope; NULL: the field is not named. */
godot_mp_json *godot_mp_json_new(const godot_mp_tree *tree);
/* Adds an event, after its names were set in the tree; call it for each, in order. `name`: of its number, or NULL.
 * `variant`: the bytes of a RAW message that are a Variant, or NULL. */
void godot_mp_json_add(godot_mp_json *json, const gw_godot_mp_event *event, const char *name, tvbuff_t *variant);
/* Adds the message to the tree. `first_finding`: of the message, in the packet. */
void godot_mp_json_end(godot_mp_json *json, unsigned first_finding);

/* ==== statistics.c ====================================================================================== */

/* Follow Stream, the flow graph and the statistics. */

void godot_mp_register_statistics(int protocol);

/* True if a tap listens that uses the lines of messages. */
bool godot_mp_is_tapped(void);

/* Adds a message to Follow Stream, the flow graph and the statistics, as far as they are open. `line`: as in the Info
 * column; NULL: not godot_mp_is_tapped(). */
void godot_mp_tap(const godot_mp_tree *tree, const char *line);

#endif
