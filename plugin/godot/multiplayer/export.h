/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Messages for File > Export PDUs to File and tshark -U "Godot Multiplayer".
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
 *   13             the message
 */
#ifndef GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_EXPORT_H
#define GAMEWIRE_PLUGIN_GODOT_MULTIPLAYER_EXPORT_H

#include "dissect.h"

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

/* The name of the dissector that reads exported messages. */
#define GODOT_MP_EXPORT_DISSECTOR "godot_mp.exported"

void godot_mp_register_export(void);

/* Exports a message that was accepted. */
void godot_mp_export(const godot_mp_message *message);

/* Reads the header of an exported message into `carrier`, which then refers to one of the other two. False: too short,
 * or of another version. */
bool godot_mp_export_read(tvbuff_t *tvb, godot_mp_carrier *carrier, enet_message *enet, godot_mp_channel *channel);

/* Adds the header to the tree. */
void godot_mp_export_add(tvbuff_t *tvb, proto_tree *parent);

#endif
