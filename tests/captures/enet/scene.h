// SPDX-FileCopyrightText: The Gamewire authors
// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the scenarios are written with: hosts on loopback, calls that are written down, and time passing. Everything
// runs in one thread, so that what is written down has the order of the packets.

#ifndef GAMEWIRE_CAPTURE_SCENE_H
#define GAMEWIRE_CAPTURE_SCENE_H

#include "relay.h"
#include "tunnel.h"

#include <enet/enet.h>
#include <stdbool.h>

enum {
    SERVER_PORT = 40500,
    RELAY_PORT = 40501,        // clients of a lossy scenario send here
    RELAY_ONWARD_PORT = 40502, // and the relay from here
    RELAY2_PORT = 40503,       // the second of two relays, for IPv6 between them
    RELAY2_ONWARD_PORT = 40504,
    CLIENT_PORT = 40511, // of the first client; the next one has the next port
};

typedef struct {
    size_t peers, channels;
    enet_uint32 incoming, outgoing; // bytes a second; 0: no limit
    bool checksum, range_coder;
} host_options;

ENetHost *open_server(const host_options *options);
ENetHost *open_client(unsigned number, const host_options *options); // number: from 1
void close_host(ENetHost *host);                                     // says nothing to the peers
relay *open_relay(uint16_t listen_port, bool listen_v6, uint16_t onward_port, uint16_t server_port, bool onward_v6);

void open_tunnel(void); // DTLS from RELAY_PORT to the server
void close_tunnel(void);

ENetPeer *dial(ENetHost *client, uint16_t port, size_t channels, enet_uint32 data);
ENetPeer *peer_of(ENetHost *server, unsigned client_number); // the server's peer for a client; it must be connected
void say(ENetPeer *peer, unsigned channel, enet_uint32 flags, const void *bytes, size_t length);
void say_text(ENetPeer *peer, unsigned channel, enet_uint32 flags, const char *text);
void say_filler(ENetPeer *peer, unsigned channel, enet_uint32 flags, size_t length); // words, which compress
void say_noise(ENetPeer *peer, unsigned channel, enet_uint32 flags, size_t length);  // which does not
void hang_up(ENetPeer *peer, enet_uint32 data);                                      // enet_peer_disconnect
void hang_up_now(ENetPeer *peer, enet_uint32 data);                                  // enet_peer_disconnect_now
void hang_up_later(ENetPeer *peer, enet_uint32 data);                                // enet_peer_disconnect_later
void ping(ENetPeer *peer);
void limit_bandwidth(ENetHost *host, enet_uint32 incoming, enet_uint32 outgoing);
void configure_throttle(ENetPeer *peer, enet_uint32 interval, enet_uint32 acceleration, enet_uint32 deceleration);
void note(const char *text); // a remark among the calls
void flush(ENetHost *host);  // enet_host_flush
void block(ENetHost *host);  // its program calls libenet no more
void unblock(ENetHost *host);
void stop_reading(ENetHost *host); // its program services libenet, and takes no messages from it

void run(unsigned milliseconds);
void run_until_acknowledged(ENetPeer *peer); // until nothing that it sent is waiting, a minute at most

uint32_t events_received(void); // how many packets all hosts have got

uint32_t random_below(uint32_t limit); // seeded, the same in each run

#endif
