/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * WebRTC's data channels: streams of SCTP in DTLS (RFC 8831).
 *
 * Wireshark's DTLS dissector passes decrypted data to SCTP on one port only, which WebRTC does not use. Therefore these
 * functions detect SCTP by its chunks and its checksum, and call Wireshark's SCTP dissector. The SCTP dissector offers
 * messages to the heuristic list "sctp" with their payload protocol identifier, but without the number of their stream,
 * which these functions find.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_DATA_CHANNELS_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_DATA_CHANNELS_H

#include "common/compat.h"

/* Payload protocol identifiers (RFC 8831, section 8). Text and empty messages have others. */
#define GODOT_MP_PPID_DCEP   50U
#define GODOT_MP_PPID_BINARY 53U

/* The data channel of a message. */
typedef struct godot_mp_channel {
    uint32_t association; /* number in the file, from 1; 0: not in DTLS, the members below are not known */
    uint16_t stream;
    uint32_t opened_in; /* frame of the DATA_CHANNEL_OPEN; 0: none before this message. Godot's channels have none */
    const char *label;  /* the members below are those of the DATA_CHANNEL_OPEN */
    const char *reliability; /* "reliable, ordered" */
} godot_mp_channel;

void godot_mp_register_data_channels(void);
void godot_mp_handoff_data_channels(void);

/* Dissects decrypted data of DTLS. False if it is not SCTP. */
bool godot_mp_dissect_sctp(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);

/* Finds the channel of a message that SCTP's dissector offers. */
godot_mp_channel godot_mp_find_channel(packet_info *pinfo, tvbuff_t *message);

/* True for Godot's own channels, which share what is known about the connection: those with the labels that
 * WebRTCMultiplayerPeer uses, and all whose DATA_CHANNEL_OPEN was not captured. */
bool godot_mp_is_usual_channel(const godot_mp_channel *channel);

/* Exchanges the ports of SCTP, which are the same for all connections of WebRTC, and those of the datagram, which
 * identify the connection. Call it again to restore them. */
void godot_mp_exchange_ports(packet_info *pinfo);

#endif
