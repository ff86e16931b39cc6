// SPDX-FileCopyrightText: The Gamewire authors
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Datagrams with one fault each, sent from a connected client's socket past libenet, and what the server's libenet made
// of each.

#ifndef GAMEWIRE_CAPTURE_MALFORMED_H
#define GAMEWIRE_CAPTURE_MALFORMED_H

#include <enet/enet.h>

// The two ends of one connection of four channels at least. The server may drop the connection: ends early then.
void send_malformed(ENetPeer *to_server, ENetPeer *to_client);

// The same with datagrams that do not end the connection.
void send_unusual(ENetPeer *to_server, ENetPeer *to_client);

#endif
