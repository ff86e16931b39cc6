// SPDX-FileCopyrightText: The Gamewire authors
// SPDX-License-Identifier: GPL-2.0-or-later
//
// usage: traffic SCENARIO        make.sh captures what it sends
//        traffic                 names the scenarios
//
// ENet traffic between libenet hosts over loopback. What was called, received and sent is written to standard output.

#include "endings.h"
#include "malformed.h"
#include "recorder.h"
#include "scene.h"

#include <stdlib.h>
#include <string.h>

enum {
    RELIABLE = ENET_PACKET_FLAG_RELIABLE,
    UNRELIABLE = 0,
    UNSEQUENCED = ENET_PACKET_FLAG_UNSEQUENCED,
    UNRELIABLE_FRAGMENTS = ENET_PACKET_FLAG_UNRELIABLE_FRAGMENT,
    BREATH = 60, // ms: enough for everything on loopback to arrive and to be acknowledged
};

static const host_options plain = { .peers = 8, .channels = 8 };

// One client, connected; the server's peer for it is the other end.
typedef struct {
    ENetHost *server, *client;
    ENetPeer *to_server, *to_client;
} pair;

static pair connected_pair(const host_options *options, uint16_t port, size_t channels)
{
    pair p = { .server = open_server(options), .client = open_client(1, options) };
    p.to_server = dial(p.client, port, channels, 2023);
    run(BREATH);
    while (p.to_server->state != ENET_PEER_STATE_CONNECTED)
        run(1);
    run(BREATH);
    p.to_client = peer_of(p.server, 1);
    return p;
}

static void part_politely(const pair *p)
{
    hang_up(p->to_server, 7);
    run(BREATH);
}

// ---- every command and every kind -------------------------------------------------------------------

static void three_kinds(ENetPeer *peer)
{
    say_text(peer, 0, RELIABLE, "reliable");
    say_text(peer, 1, UNRELIABLE, "unreliable");
    say_text(peer, 2, UNSEQUENCED, "unsequenced");
    run(BREATH);
    say_text(peer, 1, UNRELIABLE, "unreliable again");
    say_text(peer, 1, RELIABLE, "a reliable one between");
    say_text(peer, 1, UNRELIABLE, "the unreliable number starts again");
    say_text(peer, 2, UNSEQUENCED, "unsequenced again");
    run(BREATH);
}

static void every_command(void)
{
    enet_time_set(64536); // the 16 bits of the sent time wrap a second later
    pair p = connected_pair(&plain, SERVER_PORT, 4);
    three_kinds(p.to_server);
    three_kinds(p.to_client);
    say_filler(p.to_server, 0, RELIABLE, 4000);
    say_filler(p.to_server, 1, UNRELIABLE_FRAGMENTS, 3000);
    run(BREATH);
    ping(p.to_client);
    limit_bandwidth(p.client, 56000, 28000);
    configure_throttle(p.to_server, 3000, 4, 1);
    run(BREATH);
    say(p.to_client, 3, UNRELIABLE, "", 0);
    say(p.to_client, 3, UNSEQUENCED, "", 0);
    run(1500); // pings
    limit_bandwidth(p.server, 100000, 200000);
    run(1100);
    part_politely(&p);
}

static void channels(void)
{
    static const unsigned some[] = { 0, 1, 2, 7, 31, 32, 127, 128, 200, 253, 254 };
    static const host_options many = { .peers = 2, .channels = 255 };
    pair p = connected_pair(&many, SERVER_PORT, 255);
    for (unsigned round = 0; round < 3; ++round) {
        for (size_t i = 0; i < sizeof some / sizeof *some; ++i) {
            char text[64];
            snprintf(text, sizeof text, "round %u on channel %u", round, some[i]);
            say_text(p.to_server, some[i], RELIABLE, text);
            say_text(p.to_client, some[i], i % 2 ? UNRELIABLE : UNSEQUENCED, text);
        }
        run(BREATH);
    }
    part_politely(&p);
}

static void fragments(void)
{
    static const size_t lengths[] = { 1350, 1365, 1366, 1400, 1401, 2752, 5000, 20000 };
    pair p = connected_pair(&plain, SERVER_PORT, 3);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
        say_noise(p.to_server, 0, RELIABLE, lengths[i]);
        say_noise(p.to_client, 1, UNRELIABLE_FRAGMENTS, lengths[i]);
        run(BREATH);
    }
    say_filler(p.to_server, 1, UNRELIABLE, 3000); // too long and no flag: reliable fragments
    say_text(p.to_server, 1, UNRELIABLE, "after them");
    say_filler(p.to_client, 1, UNSEQUENCED, 3000); // the same
    run(BREATH);
    say_filler(p.to_server, 0, RELIABLE, 3000); // two messages at once on two channels
    say_filler(p.to_server, 1, RELIABLE, 3000);
    say_text(p.to_server, 0, RELIABLE, "and a short one after them");
    run(BREATH);
    part_politely(&p);
}

// ---- checksums and compression ----------------------------------------------------------------------

static void mixed_traffic(const pair *p)
{
    three_kinds(p->to_server);
    three_kinds(p->to_client);
    for (unsigned i = 0; i < 12; ++i) {
        say_filler(p->to_server, i % 3, i % 2 ? RELIABLE : UNRELIABLE, 40u + i * 50u);
        say_filler(p->to_client, i % 3, UNSEQUENCED, 30u + i * 40u);
        run(BREATH / 3);
    }
    say_noise(p->to_server, 0, RELIABLE, 300); // not compressed: it would not get smaller
    run(BREATH);
    say_noise(p->to_client, 1, UNRELIABLE, 5);
    say_filler(p->to_client, 0, RELIABLE, 4500);
    say_filler(p->to_server, 1, UNRELIABLE_FRAGMENTS, 4500);
    run(BREATH);
    say_noise(p->to_client, 0, RELIABLE, 3000);
    run(700);
}

static void with(bool checksum, bool range_coder)
{
    host_options options = plain;
    options.checksum = checksum;
    options.range_coder = range_coder;
    pair p = connected_pair(&options, SERVER_PORT, 3);
    mixed_traffic(&p);
    part_politely(&p);
}

static void checksum(void)
{
    with(true, false);
}

static void range_coder(void)
{
    with(false, true);
}

static void range_coder_checksum(void)
{
    with(true, true);
}

// One host has a compressor, the other does not: they never connect.
static void compresses(bool server, bool client, enet_uint32 data)
{
    host_options of_server = plain, of_client = plain;
    of_server.range_coder = server;
    of_client.range_coder = client;
    open_server(&of_server);
    ENetPeer *peer = dial(open_client(1, &of_client), SERVER_PORT, 5, data);
    enet_peer_timeout(peer, 4, 1000, 5000);
    run(7000);
}

static void compression_server(void)
{
    compresses(true, false, 90210);
}

static void compression_client(void)
{
    compresses(false, true, 90211);
}

// ---- how connections begin and end --------------------------------------------------------------------

static void disconnects(void)
{
    pair p = connected_pair(&plain, SERVER_PORT, 2);
    note("polite, by the client");
    hang_up(p.to_server, 101);
    run(BREATH);

    note("immediate, by the client");
    p.to_server = dial(p.client, SERVER_PORT, 2, 1);
    run(BREATH);
    hang_up_now(p.to_server, 102);
    run(BREATH);

    note("after what waits was sent, by the server");
    p.to_server = dial(p.client, SERVER_PORT, 2, 2);
    run(BREATH);
    p.to_client = peer_of(p.server, 1);
    say_filler(p.to_client, 0, RELIABLE, 3000);
    hang_up_later(p.to_client, 103);
    run(2 * BREATH);

    note("by both at once");
    p.to_server = dial(p.client, SERVER_PORT, 2, 3);
    run(BREATH);
    hang_up(peer_of(p.server, 1), 104);
    hang_up(p.to_server, 105);
    run(BREATH);
}

// Session ids count modulo 4 with each connection of a slot.
static void reconnects(void)
{
    ENetHost *server = open_server(&plain);
    ENetHost *client = open_client(1, &plain);
    for (unsigned i = 0; i < 6; ++i) {
        ENetPeer *peer = dial(client, SERVER_PORT, 2, i);
        run(BREATH);
        say_text(peer, 0, RELIABLE, "hello");
        say_text(peer_of(server, 1), 1, UNRELIABLE, "welcome back");
        run(BREATH);
        if (i % 2)
            hang_up_now(peer, i);
        else
            hang_up(peer, i);
        run(BREATH);
    }
}

static void many_clients(void)
{
    enum { CLIENTS = 6 };
    ENetHost *server = open_server(&plain);
    ENetPeer *peers[CLIENTS];
    for (unsigned i = 0; i < CLIENTS; ++i)
        peers[i] = dial(open_client(i + 1, &plain), SERVER_PORT, 2, 1000 + i);
    run(BREATH);
    for (unsigned round = 0; round < 4; ++round) {
        for (unsigned i = 0; i < CLIENTS; ++i) {
            say_text(peers[i], round % 2, round % 2 ? UNRELIABLE : RELIABLE, "from a client");
            say_text(peer_of(server, i + 1), 1, RELIABLE, "from the server");
        }
        run(BREATH);
    }
    hang_up(peers[2], 0); // its slot is free for the next one
    run(BREATH);
    peers[2] = dial(open_client(CLIENTS + 1, &plain), SERVER_PORT, 2, 1999);
    run(BREATH);
    say_text(peers[2], 0, RELIABLE, "in the slot of another");
    run(BREATH);
    for (unsigned i = 0; i < CLIENTS; ++i)
        hang_up(peers[i], i);
    run(BREATH);
}

// ---- numbers that wrap --------------------------------------------------------------------------------

enum { AROUND = 65536 + 400, BATCH = 30 };

static void count_up(ENetPeer *peer, unsigned channel, enet_uint32 flags, unsigned count)
{
    for (unsigned i = 1; i <= count; ++i) {
        char text[16];
        snprintf(text, sizeof text, "%u", i);
        say_text(peer, channel, flags, text);
        if (i % BATCH == 0 || i == count) {
            if (flags & ENET_PACKET_FLAG_RELIABLE)
                run_until_acknowledged(peer);
            else
                run(1);
        }
    }
}

static void wrapped_reliable(void)
{
    pair p = connected_pair(&plain, SERVER_PORT, 2);
    count_up(p.to_server, 0, RELIABLE, AROUND);
    part_politely(&p);
}

static void wrapped_fragments(void)
{
    pair p = connected_pair(&plain, SERVER_PORT, 2);
    count_up(p.to_server, 0, RELIABLE, 65530);
    say_filler(p.to_server, 0, RELIABLE, 13000); // ten fragments: 65531 to 4
    say_text(p.to_server, 0, RELIABLE, "after the fragments");
    run(BREATH);
    part_politely(&p);
}

static void wrapped_unreliable(void)
{
    pair p = connected_pair(&plain, SERVER_PORT, 2);
    count_up(p.to_server, 1, UNRELIABLE, AROUND);
    part_politely(&p);
}

static void wrapped_unsequenced(void)
{
    pair p = connected_pair(&plain, SERVER_PORT, 2);
    count_up(p.to_server, 1, UNSEQUENCED, AROUND);
    part_politely(&p);
}

// ---- bandwidth and throttle ---------------------------------------------------------------------------

// A slow line: round trips get longer and longer, and libenet sends ever fewer of the unreliable packets. Those that it
// leaves out have used up their numbers all the same.
static void throttle(void)
{
    static const relay_weather fine = { .seed = 1, .delay_min = 5, .delay_max = 6 };
    static const relay_weather slow = { .seed = 2, .delay_min = 150, .delay_max = 250 };
    relay *line = open_relay(RELAY_PORT, false, RELAY_ONWARD_PORT, SERVER_PORT, false);
    relay_set_weather(line, &fine);
    pair p = connected_pair(&plain, RELAY_PORT, 2);
    configure_throttle(p.to_server, 3000, 2, 4);
    for (unsigned i = 0; i < 160; ++i) {
        if (i == 30)
            relay_set_weather(line, &slow);
        if (i == 120)
            relay_set_weather(line, &fine);
        if (i % 3 == 0)
            ping(p.to_server);
        char text[32];
        snprintf(text, sizeof text, "position %u", i);
        say_text(p.to_server, 1, UNRELIABLE, text);
        run(20);
    }
    hang_up(p.to_server, 0);
    run(1200);
}

// The least window, 4,096 bytes, is full again and again.
static void window(void)
{
    static const host_options slow = { .peers = 2, .channels = 2, .incoming = 20000, .outgoing = 20000 };
    static const relay_weather far = { .seed = 1, .delay_min = 25, .delay_max = 26 };
    relay *line = open_relay(RELAY_PORT, false, RELAY_ONWARD_PORT, SERVER_PORT, false);
    relay_set_weather(line, &far);
    pair p = connected_pair(&slow, RELAY_PORT, 2);
    say_filler(p.to_server, 0, RELIABLE, 30000);
    for (unsigned i = 0; i < 40; ++i)
        say_filler(p.to_client, 0, RELIABLE, 600);
    run(1500);
    limit_bandwidth(p.client, 0, 0);
    run(1500);
    hang_up(p.to_server, 0);
    run(400);
}

// ---- loss and IPv6 ------------------------------------------------------------------------------------

static void lossy_traffic(const pair *p)
{
    for (unsigned i = 0; i < 90; ++i) {
        say_filler(p->to_server, 0, RELIABLE, 20 + random_below(60));
        if (i % 3 == 0)
            say_filler(p->to_client, 1, RELIABLE, 20 + random_below(300));
        say_filler(p->to_server, 1, UNRELIABLE, 10 + random_below(40));
        if (i % 2 == 0)
            say_filler(p->to_client, 2, UNSEQUENCED, 10 + random_below(40));
        if (i % 15 == 5)
            say_filler(p->to_client, 0, RELIABLE, 4000 + random_below(4000));
        if (i % 15 == 10)
            say_filler(p->to_server, 1, UNRELIABLE_FRAGMENTS, 3000 + random_below(2000));
        run(33);
    }
    run_until_acknowledged(p->to_server);
    run_until_acknowledged(p->to_client);
    run(300);
}

// steady: the throttle never closes, so that what is missing was lost on the way.
static void lossy_with(const host_options *options, const relay_weather *storm, bool steady)
{
    static const relay_weather fine = { .seed = 1, .delay_min = 8, .delay_max = 10 };
    relay *line = open_relay(RELAY_PORT, false, RELAY_ONWARD_PORT, SERVER_PORT, false);
    enet_time_set(64000); // the 16 bits of the sent time wrap under way
    relay_set_weather(line, &fine);
    pair p = connected_pair(options, RELAY_PORT, 3);
    if (steady) {
        configure_throttle(p.to_server, 5000, 2, 0);
        run(40);
    }
    relay_set_weather(line, storm);
    lossy_traffic(&p);
    relay_set_weather(line, &fine);
    hang_up(p.to_server, 9);
    run(400);
}

static void lossy(void)
{
    static const relay_weather storm = {
        .seed = 5, .drop = 60, .duplicate = 40, .reorder = 50, .delay_min = 10, .delay_max = 25, .reorder_delay = 30
    };
    lossy_with(&plain, &storm, true);
}

static void lossy_range_coder(void)
{
    static const relay_weather storm = {
        .seed = 6, .drop = 80, .duplicate = 20, .reorder = 20, .delay_min = 20, .delay_max = 60, .reorder_delay = 50
    };
    host_options options = plain;
    options.checksum = options.range_coder = true;
    lossy_with(&options, &storm, false);
}

// libenet 1.3 supports IPv4 only: between two relays its datagrams travel over IPv6.
static void ipv6(void)
{
    static const relay_weather fine = { .seed = 1 };
    relay_set_weather(open_relay(RELAY_PORT, false, RELAY_ONWARD_PORT, RELAY2_PORT, true), &fine);
    relay_set_weather(open_relay(RELAY2_PORT, true, RELAY2_ONWARD_PORT, SERVER_PORT, false), &fine);
    pair p = connected_pair(&plain, RELAY_PORT, 3);
    three_kinds(p.to_server);
    three_kinds(p.to_client);
    say_filler(p.to_client, 0, RELIABLE, 4000);
    run(700);
    part_politely(&p);
}

// libenet has no DTLS: its datagrams travel through two ends that do.
static void dtls(void)
{
    open_tunnel();
    pair p = connected_pair(&plain, RELAY_PORT, 3);
    three_kinds(p.to_server);
    three_kinds(p.to_client);
    say_filler(p.to_client, 0, RELIABLE, 4000);
    run(700);
    part_politely(&p);
    close_tunnel();
}

// Pings are off, so that the server's datagrams are answers.
static pair silent_pair(void)
{
    pair p = connected_pair(&plain, SERVER_PORT, 4);
    enet_peer_ping_interval(p.to_server, 1000000);
    enet_peer_ping_interval(p.to_client, 1000000);
    say_text(p.to_server, 0, RELIABLE, "a sound one");
    return p;
}

static void malformed(void)
{
    pair p = silent_pair();
    run(1200); // until both have said their bandwidth
    send_malformed(p.to_server, p.to_client);
    say_text(p.to_server, 0, RELIABLE, "a sound one at the end");
    run(BREATH);
    part_politely(&p);
}

static void unusual(void)
{
    pair p = silent_pair();
    run(BREATH);
    send_unusual(p.to_server, p.to_client);
    part_politely(&p);
}

static enet_uint32 another_checksum(const ENetBuffer *buffers, size_t count)
{
    return ~enet_crc32(buffers, count);
}

// For a moment the client computes another checksum than the server, as where two versions of a game meet.
static void checksums_differ(void)
{
    host_options options = plain;
    options.checksum = true;
    pair p = connected_pair(&options, SERVER_PORT, 2);
    p.client->checksum = another_checksum;
    say_text(p.to_server, 0, RELIABLE, "with another checksum");
    run(5);
    p.client->checksum = enet_crc32;
    run(700);
    part_politely(&p);
}

// The client goes on from another port, as a phone does in another network; the relay, in place of a load balancer, answers it.
static void moved(void)
{
    static const relay_weather fine = { .seed = 1, .delay_min = 8, .delay_max = 10 };
    ENetAddress address = { 0, CLIENT_PORT + 9 };
    relay *line = open_relay(RELAY_PORT, false, RELAY_ONWARD_PORT, SERVER_PORT, false);
    relay_set_weather(line, &fine);
    pair p = connected_pair(&plain, RELAY_PORT, 2);
    for (unsigned i = 0; i < 4; ++i) {
        say_text(p.to_server, 0, RELIABLE, "from the first port");
        run(100);
    }
    enet_socket_destroy(p.client->socket);
    p.client->socket = enet_socket_create(ENET_SOCKET_TYPE_DATAGRAM);
    enet_address_set_host_ip(&address, "127.0.0.1");
    if (enet_socket_bind(p.client->socket, &address) != 0)
        exit(1);
    enet_socket_set_option(p.client->socket, ENET_SOCKOPT_NONBLOCK, 1);
    p.client->address = address;
    say_text(p.to_server, 0, RELIABLE, "from the second port");
    run(100);
    say_text(p.to_client, 0, RELIABLE, "to the second port");
    run(100);
    hang_up(p.to_server, 7);
    run(200);
}

// ---- the list -----------------------------------------------------------------------------------------

static const struct {
    const char *name;
    void (*play)(void);
} scenarios[] = {
    { "every-command", every_command },
    { "channels", channels },
    { "fragments", fragments },
    { "checksum", checksum },
    { "range-coder", range_coder },
    { "range-coder-checksum", range_coder_checksum },
    { "compression-server", compression_server },
    { "compression-client", compression_client },
    { "disconnects", disconnects },
    { "reconnects", reconnects },
    { "many-clients", many_clients },
    { "timeout", timeout },
    { "refused", refused },
    { "wrapped-reliable", wrapped_reliable },
    { "wrapped-fragments", wrapped_fragments },
    { "wrapped-unreliable", wrapped_unreliable },
    { "wrapped-unsequenced", wrapped_unsequenced },
    { "throttle", throttle },
    { "window", window },
    { "lossy", lossy },
    { "lossy-range-coder", lossy_range_coder },
    { "ipv6", ipv6 },
    { "dtls", dtls },
    { "malformed", malformed },
    { "unusual", unusual },
    { "checksums-differ", checksums_differ },
    { "moved", moved },
    { "disconnect-drops", disconnect_drops },
    { "disconnect-crosses", disconnect_crosses },
    { "closed-port", closed_port },
    { "forgotten", forgotten },
    { "one-way", one_way },
    { "blocked", blocked_hosts },
    { "delayed", delayed },
    { "not-read", not_read },
    { "ip-fragments", ip_fragments },
};

int main(int argc, char **argv)
{
    if (argc < 2) {
        for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; ++i)
            puts(scenarios[i].name);
        return 0;
    }
    if (enet_initialize() != 0)
        return 1;
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; ++i) {
        if (strcmp(scenarios[i].name, argv[1]) == 0) {
            scenarios[i].play();
            return 0;
        }
    }
    fprintf(stderr, "traffic: there is no scenario %s\n", argv[1]);
    return 1;
}
