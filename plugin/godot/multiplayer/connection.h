/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A connection between two peers: the numbers of its messages, the form in which they are read, and the data
 * that the analysis stores. Functions named keep_ write, on the first pass only; those named find_ and is_ do not.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_CONNECTION_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_CONNECTION_H

#include "common/compat.h"

#include <epan/conversation.h>

#include <gamewire/godot_mp.h>

#include "analysis.h"

/* ---- stored data of a connection ----------------------------------------------------------------------------- */

typedef struct godot_mp_connection godot_mp_connection;

/* Identifies the owner of an id. A peer is an end of the connection, 0, or a peer for which the server at that end
 * relays. */
typedef struct godot_mp_id_key {
    uint32_t id;
    int32_t owner; /* peer that counts the ids */
    int32_t other; /* peer to which it sends them; GODOT_MP_ANY_PEER for all peers */
    uint16_t side; /* end of the connection at which the owner is */
    uint16_t kind; /* godot_mp_kind; set by the functions that read and write what is stored */
} godot_mp_id_key;

/* What is stored by id. */
typedef enum godot_mp_kind {
    GODOT_MP_ID_PATHS, /* used by analysis.c */
    GODOT_MP_ID_SPAWNS,
    GODOT_MP_ID_SYNCHRONIZERS, /* of spawned nodes */
    GODOT_MP_ID_COUNTS,
    GODOT_MP_ID_RATES,     /* of synchronizers; used by intervals.c */
    GODOT_MP_ID_RECEIVERS, /* used by refusals.c */
    /* Ids that were used before they were defined -> the first frame that used them. */
    GODOT_MP_ID_UNKNOWN_PATHS,
    GODOT_MP_ID_UNKNOWN_NODES,
    GODOT_MP_ID_UNKNOWN_SYNCHRONIZERS
} godot_mp_kind;

#define GODOT_MP_ANY_PEER INT32_MIN

#define GODOT_MP_NO_STREAM UINT32_MAX
#define GODOT_MP_NO_FRAME  UINT32_MAX

/* The form of the messages that one side sends, and the evidence for it. */
typedef struct godot_mp_direction {
    gw_godot_mp_form form; /* proven; FORMS: not yet */
    uint32_t seq;          /* message that proved it */
    uint32_t weighed;      /* number of messages before that one */
    int32_t lead;          /* their bits of evidence for Godot 3, less those for Godot 4 */
    uint32_t evidence;     /* of the latest of them: hash of its evidence, hash of its bytes, source as in Godot 3 */
    uint32_t bytes;
    uint32_t source;
} godot_mp_direction;

/* Number of ENet's channels that a client of either generation requests by default (observed). */
#define GODOT_MP_CHANNELS_3 3
#define GODOT_MP_CHANNELS_4 255

struct godot_mp_connection {
    uint32_t number; /* in the file, from 0: godot_mp.stream; GODOT_MP_NO_STREAM until a message is accepted */
    godot_mp_direction directions[2]; /* by side */
    uint32_t accepted_seq;            /* first message that was accepted as multiplayer; 0: none yet */
    uint32_t first_frame;  /* WebSocket: frame of the message that may be the assigned id; GODOT_MP_NO_FRAME: it was not
                              captured */
    wmem_tree_t *peers[2]; /* by message: godot_mp_peer */
    godot_mp_peer known[2];
    wmem_map_t *by_id;           /* one map for all kinds: a map takes 64 bytes, and its table 256 or more */
    wmem_map_t *by_path;         /* used by analysis.c */
    bool has_more_synchronizers; /* a spawn had more than GW_MOST_IDS: only these are stored */
    bool has_cut_definition;     /* a definition or spawn was cut short by the capture */
    uint32_t gaps[2];         /* by side: the latest message before which others are missing in the capture; 0: none */
    uint32_t played[2];       /* used by admission.c, by side: its first message of the game, its number; 0: none yet */
    bool authenticates[2];    /* a side has sent a message of the authentication */
    bool defines[2];          /* a side has sent a path */
    uint32_t timed_out_in[2]; /* by side: frame in which it disconnected; 0: for another reason, or not yet */
    wmem_map_t *owners;       /* used by owners.c: by path of a synchronizer */
    uint32_t rate_count;      /* GODOT_MP_ID_RATES that are stored */
    struct godot_mp_player_names *server; /* used by peers.c: names of the server's player; NULL: none */
};

/* What is stored of this kind under this key; NULL: nothing. */
void *godot_mp_find_by_id(const godot_mp_connection *connection, godot_mp_kind kind, const godot_mp_id_key *key);
/* Stores it, where nothing is stored. The key is copied. */
void godot_mp_keep_by_id(const godot_mp_connection *connection, godot_mp_kind kind, const godot_mp_id_key *key,
                         void *value);

/* Stored data of one message: kept.h. */
typedef struct godot_mp_kept godot_mp_kept;

/* ---- one message --------------------------------------------------------------------------------------- */

/* The position of a message: its connection, side and number. */
typedef struct godot_mp_place {
    packet_info *pinfo;
    conversation_t *conversation;    /* as known to the transport, or found by its addresses; NULL: none yet */
    godot_mp_connection *connection; /* NULL inside an ICMP error: nothing is known, nothing is stored */
    uint32_t connection_id;          /* distinguishes connections of one address pair */
    uint32_t ordinal;                /* of the message in its frame */
    godot_mp_kept *kept;             /* stored data of this message; NULL: none */
    uint32_t seq;                    /* of the message: a later message has a higher number; 0: not numbered */
    uint8_t side;                    /* side of the sender: 0 or 1 */
    bool first_pass;
    bool repeated;    /* the receiver already received it: nothing is stored */
    int32_t given[2]; /* by side: the peer's id, as known to the transport; 0: not known */
    bool is_enet;     /* and then, as in enet_message: */
    bool after_gap;
    uint32_t channel_count;
    const struct enet_record *record;
    const nstime_t *receiver_latest;
} godot_mp_place;

void godot_mp_register_analysis(void);

/* Looks up the connection and the number of the message. Stores nothing. connection_id, ordinal and repeated of `place`
 * are set by the caller, and conversation if the transport knows it: a lookup by addresses takes long. */
void godot_mp_find_place(godot_mp_place *place, packet_info *pinfo);
/* The same, but on the first pass creates the connection and numbers the message. */
void godot_mp_keep_place(godot_mp_place *place);

/* One message: in which forms it can be read, and the evidence for them. */
typedef struct godot_mp_weighed {
    gw_godot_mp_form best;   /* that it is read in */
    gw_godot_mp_form form_3; /* the transport's form of Godot 3 */
    uint32_t readings;       /* bit f: the form f reads it */
    int32_t lead;            /* as in a direction */
    uint32_t bits;           /* of evidence for the best form */
    uint32_t evidence;
    uint32_t bytes;
    uint32_t source;
} godot_mp_weighed;

/* The form of a message that need not be weighed, because its direction's form was proven by it or before it, or because
 * many messages of its direction did not contradict the other direction's form; else FORMS. */
gw_godot_mp_form godot_mp_find_form(const godot_mp_place *place);
/* The proven form of the messages from this side; FORMS: none. Both peers have the same engine in nearly every game. */
gw_godot_mp_form godot_mp_find_proven_form(const godot_mp_place *place, uint8_t side);
/* The evidence of the direction's messages up to this one or, after the first pass, of all: bits for Godot 3, less those
 * for Godot 4. */
int32_t godot_mp_find_lead(const godot_mp_place *place);
/* The form in which a message is read. On the first pass, stores it, and the evidence for it. */
gw_godot_mp_form godot_mp_keep_form(const godot_mp_place *place, const godot_mp_weighed *weighed);
/* True if the two directions have forms of different generations, as proven up to this message or, after the first
 * pass, in the capture. */
bool godot_mp_has_mixed_generations(const godot_mp_place *place);

/* Gives the connection a number (godot_mp.stream) if it has none. Call it for each message that is shown. */
void godot_mp_keep_stream(const godot_mp_place *place);

/* From this message on the connection's messages are accepted as multiplayer. Stored on the first pass. */
void godot_mp_keep_accepted(const godot_mp_place *place);
bool godot_mp_is_accepted(const godot_mp_place *place);

/* On the first pass, stores that this is the first message of four bytes on a WebSocket: later messages may prove that
 * it is the receiver's id from the server. */
void godot_mp_keep_first(godot_mp_place *place, int32_t id);
bool godot_mp_is_first(const godot_mp_place *place);
/* False if another message was the first, if messages were already accepted as multiplayer, if a server has sent
 * another message before, or if the sender did not accept the TCP connection or its beginning was not captured. */
bool godot_mp_may_be_first(const godot_mp_place *place);

/* Stores that from this message on, the peer at `side` has this id, which is known from `frame`. */
void godot_mp_keep_peer(const godot_mp_place *place, uint8_t side, int32_t id, uint32_t frame);

/* Stores the path of the first node in the file whose methods have this checksum; returns that path. Both are in file
 * scope; without a checksum the path itself is returned. */
const char *godot_mp_keep_script(const char *checksum, const char *path);

/* The peers of the message's connection at the time of this message, by side. */
void godot_mp_find_peers(const godot_mp_place *place, godot_mp_peer peers[2]);

/* The count of connections that have a number. And the number of the first connection in a frame: false if there is
 * none. */
uint32_t godot_mp_connection_count(void);
bool godot_mp_find_stream(packet_info *pinfo, uint32_t *stream);

#endif
