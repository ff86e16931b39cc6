/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Shared by the files of the carriers: a part for each file, in the order in which they use each other.
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_CARRIERS_INTERNAL_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_CARRIERS_INTERNAL_H

#include "common/compat.h"

#include <gamewire/godot_mp.h>

#include "godot/multiplayer/internal.h"

/* ==== data_channels.c =================================================================================== */

/* WebRTC's data channels: streams of SCTP in DTLS (RFC 8831).
 *
 * Wireshark's DTLS dissector passes decrypted data to SCTP on one port only, which WebRTC does not use. Therefore these
 * functions detect SCTP by its chunks and its checksum, and call Wireshark's SCTP dissector. The SCTP dissector offers
 * messages to the heuristic list "sctp" with their payload protocol identifier, but without the number of their stream,
 * which these functions find. */

/* Payload protocol identifiers (RFC 8831, section 8). Text and empty messages have others. */
#define GODOT_MP_PPID_DCEP   50U
#define GODOT_MP_PPID_BINARY 53U

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

/* Registers the heuristic that dissects decrypted data of DTLS. Call at handoff. */
void godot_mp_register_data_channels(void);

/* Finds the channel of a message that SCTP's dissector offers. */
godot_mp_channel godot_mp_find_channel(packet_info *pinfo, tvbuff_t *message);

/* Exchanges the ports of SCTP, which are the same for all connections of WebRTC, and those of the datagram, which
 * identify the connection. Call it again to restore them. */
void godot_mp_exchange_ports(packet_info *pinfo);

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

#endif
