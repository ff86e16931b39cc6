// SPDX-FileCopyrightText: The Gamewire authors
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Two ends of a DTLS 1.2 connection on loopback, with one datagram in each record: what one client sends to the first
// end comes out of the second toward the server, and back. Games have the same on the wire from their own DTLS socket
// (Godot's ENet with use_dtls); libenet itself has none.

#ifndef GAMEWIRE_CAPTURE_TUNNEL_H
#define GAMEWIRE_CAPTURE_TUNNEL_H

#include <stdint.h>

#define TUNNEL_KEY \
    "47616d65776972652064746c73206b65" // pre-shared; hexadecimal digits, as Wireshark's dtls.psk takes them

typedef struct tunnel tunnel;

// The first end listens on near_port and uses DTLS from first_port to second_port, where the second end listens and
// passes datagrams on from far_port to server_port. Returns with the handshake done.
tunnel *tunnel_create(uint16_t near_port, uint16_t first_port, uint16_t second_port, uint16_t far_port,
                      uint16_t server_port);
void tunnel_service(tunnel *self); // passes on what has arrived
void tunnel_destroy(tunnel *self);

#endif
