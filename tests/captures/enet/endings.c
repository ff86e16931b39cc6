// SPDX-FileCopyrightText: The Gamewire authors
// SPDX-License-Identifier: GPL-2.0-or-later

#include "endings.h"

#include "recorder.h"
#include "scene.h"

enum {
    RELIABLE = ENET_PACKET_FLAG_RELIABLE,
    UNRELIABLE = 0,
    BREATH = 60, // ms
    TICK = 50,   // between two messages of a game
    ATTEMPTS = 32,
    SHORTEST = 5000, // ms: libenet's shortest timeout
};

static const host_options plain = { .peers = 8, .channels = 2 };

typedef struct {
    ENetHost *server, *client;
    ENetPeer *to_server, *to_client;
} pair;

static pair connected_pair(uint16_t port)
{
    pair p = { .server = open_server(&plain), .client = open_client(1, &plain) };
    p.to_server = dial(p.client, port, 2, 2023);
    while (p.to_server->state != ENET_PEER_STATE_CONNECTED)
        run(1);
    run(BREATH);
    p.to_client = peer_of(p.server, 1);
    return p;
}

static void say_some(ENetPeer *peer, unsigned count)
{
    for (unsigned i = 0; i < count; ++i)
        say_text(peer, 0, RELIABLE, "before the end");
}

// The client disappears; the server resends, ever more slowly, until it gives the client up.
void timeout(void)
{
    pair p = connected_pair(SERVER_PORT);
    say_text(p.to_server, 0, RELIABLE, "the last words");
    run(1200);
    close_host(p.client);
    say_text(p.to_client, 0, RELIABLE, "is anybody there?");
    say_text(p.to_client, 1, UNRELIABLE, "sent but once");
    for (unsigned i = 0; i < 35 && p.to_client->state == ENET_PEER_STATE_CONNECTED; ++i)
        run(1000);
}

// A server without a free slot says nothing; the client asks again and again.
void refused(void)
{
    static const host_options one = { .peers = 1, .channels = 2 };
    ENetHost *server = open_server(&one);
    dial(open_client(1, &one), SERVER_PORT, 2, 1);
    run(BREATH);
    ENetPeer *second = dial(open_client(2, &one), SERVER_PORT, 2, 2);
    enet_peer_timeout(second, 4, 1000, 4000);
    run(6000);
    hang_up(peer_of(server, 1), 3);
    run(BREATH);
}

// enet_peer_disconnect() drops what it has not sent, and the receiver what it has not delivered;
// enet_peer_disconnect_later() waits for the acknowledgements.
void disconnect_drops(void)
{
    pair p = connected_pair(SERVER_PORT);
    note("at once");
    say_some(p.to_server, 6);
    flush(p.client);
    hang_up(p.to_server, 1);
    flush(p.client);
    run(BREATH);

    note("later");
    p.to_server = dial(p.client, SERVER_PORT, 2, 2);
    run(BREATH);
    say_some(p.to_server, 6);
    flush(p.client);
    hang_up_later(p.to_server, 2);
    flush(p.client);
    run(BREATH);
}

// The server disconnects while a message of the client is on its way: enet_peer_disconnect() does not acknowledge it,
// enet_peer_disconnect_later() does, as a message of the server waits for its acknowledgement.
void disconnect_crosses(void)
{
    pair p = connected_pair(SERVER_PORT);
    note("at once");
    say_text(p.to_server, 0, RELIABLE, "on its way");
    flush(p.client);
    hang_up(p.to_client, 1);
    flush(p.server);
    run(BREATH);

    note("later");
    p.to_server = dial(p.client, SERVER_PORT, 2, 2);
    run(BREATH);
    p.to_client = peer_of(p.server, 1);
    say_text(p.to_client, 0, RELIABLE, "before the end");
    say_text(p.to_server, 0, RELIABLE, "on its way");
    flush(p.client);
    hang_up_later(p.to_client, 2);
    flush(p.server);
    run(BREATH);
}

// No program has the port: first that of a server, then that of a client that has gone.
void closed_port(void)
{
    ENetHost *client = open_client(2, &plain);
    ENetPeer *peer = dial(client, SERVER_PORT + 1, 2, 1);
    enet_peer_timeout(peer, 4, 1000, 2000);
    run(2500);
    pair p = connected_pair(SERVER_PORT);
    enet_peer_timeout(p.to_client, 4, 1000, 2000);
    say_text(p.to_server, 0, RELIABLE, "the last words");
    run(BREATH);
    close_host(p.client);
    say_text(p.to_client, 0, RELIABLE, "is anybody there?");
    run(2500);
}

// The server resets the first client's peer as soon as it is connected, as Godot's does with refuse_new_connections, and
// goes on with the second one.
void forgotten(void)
{
    pair p = connected_pair(SERVER_PORT);
    ENetHost *second = open_client(2, &plain);
    ENetPeer *peer = dial(second, SERVER_PORT, 2, 2024);
    enet_peer_timeout(peer, ATTEMPTS, SHORTEST, SHORTEST);
    while (peer->state != ENET_PEER_STATE_CONNECTED)
        run(1);
    enet_peer_ping_interval(p.to_server, 1000);
    enet_peer_ping_interval(p.to_client, 2000);
    run(1);
    enet_peer_reset(peer_of(p.server, 2));
    say_text(peer, 0, RELIABLE, "hello");
    run(7000);
    hang_up(p.to_server, 1);
    run(BREATH);
}

// What the client sends is lost from some time on, what the server sends is not: the client gives up first.
void one_way(void)
{
    static const relay_weather fine = { .seed = 1, .delay_min = 1, .delay_max = 2 };
    static const relay_weather wall = { .seed = 1, .drop_to_server = 1000, .delay_min = 1, .delay_max = 2 };
    relay *line = open_relay(RELAY_PORT, false, RELAY_ONWARD_PORT, SERVER_PORT, false);
    relay_set_weather(line, &fine);
    pair p = connected_pair(RELAY_PORT);
    enet_peer_timeout(p.to_server, ATTEMPTS, SHORTEST, SHORTEST);
    enet_peer_timeout(p.to_client, ATTEMPTS, SHORTEST, SHORTEST + 3000);
    enet_peer_ping_interval(p.to_server, 1000);
    enet_peer_ping_interval(p.to_client, 1000);
    run(500);
    relay_set_weather(line, &wall);
    say_text(p.to_server, 0, RELIABLE, "can you hear me?");
    run(12000);
}

static void play(const pair *p, unsigned ticks)
{
    for (unsigned i = 0; i < ticks; ++i) {
        say_text(p->to_server, i % 3 == 0 ? 0 : 1, i % 3 == 0 ? RELIABLE : UNRELIABLE, "input");
        say_text(p->to_client, i % 3 == 1 ? 0 : 1, i % 3 == 1 ? RELIABLE : UNRELIABLE, "state");
        run(TICK);
    }
}

static void play_alone(ENetPeer *peer, unsigned ticks)
{
    for (unsigned i = 0; i < ticks; ++i) {
        say_text(peer, i % 3 == 0 ? 0 : 1, i % 3 == 0 ? RELIABLE : UNRELIABLE, "alone");
        run(TICK);
    }
}

// The client's program is blocked for 0.3 s, then the server's. The client's libenet looks for timeouts before it reads its
// socket, and sends a message again whose acknowledgement waits there.
void blocked_hosts(void)
{
    pair p = connected_pair(SERVER_PORT);
    play(&p, 7);
    say_text(p.to_server, 0, RELIABLE, "before it is blocked");
    flush(p.client);
    block(p.client);
    play_alone(p.to_client, 6);
    unblock(p.client);
    play(&p, 2);
    block(p.server);
    play_alone(p.to_server, 6);
    unblock(p.server);
    play(&p, 2);
    hang_up(p.to_server, 1);
    run(BREATH);
}

// Nobody is blocked: the way is slow for a while.
void delayed(void)
{
    static const relay_weather fine = { .seed = 1, .delay_min = 1, .delay_max = 2 };
    static const relay_weather slow = { .seed = 1, .delay_min = 350, .delay_max = 351 };
    relay *line = open_relay(RELAY_PORT, false, RELAY_ONWARD_PORT, SERVER_PORT, false);
    relay_set_weather(line, &fine);
    pair p = connected_pair(RELAY_PORT);
    play(&p, 6);
    relay_set_weather(line, &slow);
    play(&p, 6);
    relay_set_weather(line, &fine);
    run(BREATH);
    play(&p, 3);
    run(700);
    hang_up(p.to_server, 1);
    run(2 * BREATH);
}

// libenet acknowledges no more messages when so many bytes wait for the program.
void not_read(void)
{
    pair p = connected_pair(SERVER_PORT);
    p.server->maximumWaitingData = 64;
    stop_reading(p.server);
    for (unsigned i = 0; i < 4; ++i)
        say_filler(p.to_server, 0, RELIABLE, 40);
    run(7000);
    close_host(p.client);
}

// The loopback interface of make.sh has an MTU of 1,000 bytes here, and libenet's datagrams up to 1,400.
void ip_fragments(void)
{
    pair p = connected_pair(SERVER_PORT);
    say_noise(p.to_server, 0, RELIABLE, 900);
    run(BREATH);
    say_noise(p.to_server, 0, RELIABLE, 1372);
    run(BREATH);
    say_noise(p.to_server, 0, RELIABLE, 1373); // in two fragments
    run(BREATH);
    say_noise(p.to_client, 1, UNRELIABLE, 1200);
    run(BREATH);
    hang_up(p.to_server, 1);
    run(BREATH);
}
