/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Messages that a game recorded itself (plugin/docs/recording.md). What the files share: a part for each file, in the
 * order in which they use each other.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_RECORDINGS_INTERNAL_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_RECORDINGS_INTERNAL_H

#include "common/compat.h"

#include "godot/multiplayer/internal.h"

/* ==== pairs.c =========================================================================================== */

/* Recordings of several peers in one file: a message that both of its ends recorded is there twice. */

/* What identifies a message, and which end recorded it. */
typedef struct godot_mp_copy_key {
    uint32_t connection;
    int32_t from;
    int32_t to;
    uint32_t ordinal;
    bool is_received; /* recorded by the receiver */
} godot_mp_copy_key;

/* One record of a message. */
typedef struct godot_mp_copy {
    const struct godot_mp_copy *other; /* of the other end; NULL: not in the file so far */
    int64_t time;                      /* gw_nanoseconds() */
    uint32_t frame;
    uint32_t ordinal;
    bool is_received;
    bool is_repeated;  /* an earlier record has the same message */
    bool is_uncertain; /* another message with the same bytes may be the one that the other end recorded */
} godot_mp_copy;

void godot_mp_register_pairs(void);

/* The record in this frame; on the first pass it is kept, and compared with those before it. `message` has the bytes of
 * the message. NULL: inside an ICMP error. */
const godot_mp_copy *godot_mp_pair(packet_info *pinfo, const godot_mp_copy_key *key, tvbuff_t *message);

/* ==== records.c ========================================================================================= */

/* Dissects a record whose header has the version of recordings. `generation`: the preference. Returns 0 if the header
 * cannot be read. */
int godot_mp_dissect_recorded(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, int generation);

/* True for the version of the header of recordings. */
bool godot_mp_is_recorded(tvbuff_t *tvb);

/* ==== names_record.c ==================================================================================== */

/* The dissector of the names that a recording has. */
#define GODOT_MP_NAMES_DISSECTOR "godot_mp.names"

void godot_mp_register_names_record(int protocol);

#endif
