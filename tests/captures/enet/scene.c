// SPDX-FileCopyrightText: The Gamewire authors
// SPDX-License-Identifier: GPL-2.0-or-later

#include "scene.h"

#include "recorder.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    MAX_OPEN = 16,
    FIRST_CONNECT_ID = 0x47570000, // the seed that connect ids are counted from
    STEP_NSEC = 200000,
    PATIENCE_MSEC = 60000,
};

static ENetHost *open_hosts[MAX_OPEN];
static ENetHost *blocked, *unread;
static relay *open_relays[MAX_OPEN];
static tunnel *the_tunnel;
static uint64_t random_state = 11;

static void fail(const char *what)
{
    fprintf(stderr, "traffic: %s\n", what);
    exit(1);
}

uint32_t random_below(uint32_t limit)
{
    uint64_t x = random_state += 0x9e3779b97f4a7c15u; // splitmix64
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)((x ^ x >> 31) % limit);
}

// ---- hosts ---------------------------------------------------------------------------------------

static ENetHost *open_host(const char *name, uint16_t port, const host_options *options)
{
    ENetAddress address = { 0, port };
    enet_address_set_host_ip(&address, "127.0.0.1");
    ENetHost *host = enet_host_create(&address, options->peers ? options->peers : 1, options->channels,
                                      options->incoming, options->outgoing);
    if (!host)
        fail("cannot open a host");
    record_name_host(host, name);
    host->randomSeed = FIRST_CONNECT_ID + (enet_uint32)(port - SERVER_PORT) * 0x100;
    if (options->checksum)
        host->checksum = enet_crc32;
    if (options->range_coder)
        enet_host_compress_with_range_coder(host);
    for (size_t i = 0; i < MAX_OPEN; ++i) {
        if (!open_hosts[i]) {
            open_hosts[i] = host;
            return host;
        }
    }
    fail("too many hosts");
    return NULL;
}

ENetHost *open_server(const host_options *options)
{
    return open_host("server", SERVER_PORT, options);
}

ENetHost *open_client(unsigned number, const host_options *options)
{
    char name[16];
    snprintf(name, sizeof name, "client%u", number);
    return open_host(name, (uint16_t)(CLIENT_PORT + number - 1), options);
}

void close_host(ENetHost *host)
{
    record_begin("close", host);
    record_end();
    for (size_t i = 0; i < MAX_OPEN; ++i) {
        if (open_hosts[i] == host)
            open_hosts[i] = NULL;
    }
    enet_host_destroy(host);
}

relay *open_relay(uint16_t listen_port, bool listen_v6, uint16_t onward_port, uint16_t server_port, bool onward_v6)
{
    for (size_t i = 0; i < MAX_OPEN; ++i) {
        if (!open_relays[i])
            return open_relays[i] = relay_create(listen_port, listen_v6, onward_port, server_port, onward_v6);
    }
    fail("too many relays");
    return NULL;
}

void open_tunnel(void)
{
    the_tunnel = tunnel_create(RELAY_PORT, RELAY_ONWARD_PORT, RELAY2_PORT, RELAY2_ONWARD_PORT, SERVER_PORT);
}

void close_tunnel(void)
{
    tunnel_destroy(the_tunnel);
    the_tunnel = NULL;
}

// ---- calls ---------------------------------------------------------------------------------------

static void begin_call(const char *what, ENetPeer *peer)
{
    record_begin(what, peer->host);
    record_address("peer", &peer->address);
}

ENetPeer *dial(ENetHost *client, uint16_t port, size_t channels, enet_uint32 data)
{
    ENetAddress address = { 0, port };
    enet_address_set_host_ip(&address, "127.0.0.1");
    ENetPeer *peer = enet_host_connect(client, &address, channels, data);
    if (!peer)
        fail("cannot connect");
    begin_call("connect", peer);
    fprintf(record_file(), ",\"channels\":%zu,\"data\":%u", channels, data);
    record_end();
    return peer;
}

ENetPeer *peer_of(ENetHost *server, unsigned client_number)
{
    for (size_t i = 0; i < server->peerCount; ++i) {
        ENetPeer *peer = &server->peers[i];
        if (peer->state == ENET_PEER_STATE_CONNECTED &&
            (peer->address.port == CLIENT_PORT + client_number - 1 || peer->address.port == RELAY_ONWARD_PORT ||
             peer->address.port == RELAY2_ONWARD_PORT))
            return peer;
    }
    fail("that client is not connected");
    return NULL;
}

// As libenet decides it: flags that are not set mean unreliable and sequenced.
static const char *kind_of(enet_uint32 flags)
{
    if (flags & ENET_PACKET_FLAG_RELIABLE)
        return "reliable";
    if (flags & ENET_PACKET_FLAG_UNSEQUENCED)
        return flags & ENET_PACKET_FLAG_UNRELIABLE_FRAGMENT ? "unsequenced, unreliable fragments" : "unsequenced";
    return flags & ENET_PACKET_FLAG_UNRELIABLE_FRAGMENT ? "unreliable, unreliable fragments" : "unreliable";
}

void say(ENetPeer *peer, unsigned channel, enet_uint32 flags, const void *bytes, size_t length)
{
    ENetPacket *packet = enet_packet_create(bytes, length, flags);
    int result = enet_peer_send(peer, (enet_uint8)channel, packet);
    begin_call("send", peer);
    fprintf(record_file(), ",\"channel\":%u,\"kind\":\"%s\",\"length\":%zu", channel, kind_of(flags), length);
    record_bytes("payload", bytes, length);
    record_end();
    if (result != 0)
        fail("libenet refuses to send");
}

void say_text(ENetPeer *peer, unsigned channel, enet_uint32 flags, const char *text)
{
    say(peer, channel, flags, text, strlen(text));
}

static void say_made(ENetPeer *peer, unsigned channel, enet_uint32 flags, size_t length, bool noise)
{
    static const char words[] = "the knight moves to the castle and the dragon moves to the gate; ";
    uint8_t *bytes = malloc(length ? length : 1);
    if (!bytes)
        fail("no memory");
    uint32_t turn = random_below(sizeof words - 1);
    for (size_t i = 0; i < length; ++i)
        bytes[i] = noise ? (uint8_t)random_below(256) : (uint8_t)words[(i + turn) % (sizeof words - 1)];
    say(peer, channel, flags, bytes, length);
    free(bytes);
}

void say_filler(ENetPeer *peer, unsigned channel, enet_uint32 flags, size_t length)
{
    say_made(peer, channel, flags, length, false);
}

void say_noise(ENetPeer *peer, unsigned channel, enet_uint32 flags, size_t length)
{
    say_made(peer, channel, flags, length, true);
}

static void hang(ENetPeer *peer, enet_uint32 data, const char *how, void (*disconnect)(ENetPeer *, enet_uint32))
{
    begin_call("disconnect", peer);
    fprintf(record_file(), ",\"how\":\"%s\",\"data\":%u", how, data);
    record_end();
    disconnect(peer, data);
}

void hang_up(ENetPeer *peer, enet_uint32 data)
{
    hang(peer, data, "disconnect", enet_peer_disconnect);
}

void hang_up_now(ENetPeer *peer, enet_uint32 data)
{
    hang(peer, data, "now", enet_peer_disconnect_now);
}

void hang_up_later(ENetPeer *peer, enet_uint32 data)
{
    hang(peer, data, "later", enet_peer_disconnect_later);
}

void ping(ENetPeer *peer)
{
    begin_call("ping", peer);
    record_end();
    enet_peer_ping(peer);
}

void limit_bandwidth(ENetHost *host, enet_uint32 incoming, enet_uint32 outgoing)
{
    record_begin("bandwidth", host);
    fprintf(record_file(), ",\"incoming\":%u,\"outgoing\":%u", incoming, outgoing);
    record_end();
    enet_host_bandwidth_limit(host, incoming, outgoing);
}

void configure_throttle(ENetPeer *peer, enet_uint32 interval, enet_uint32 acceleration, enet_uint32 deceleration)
{
    begin_call("throttle", peer);
    fprintf(record_file(), ",\"interval\":%u,\"acceleration\":%u,\"deceleration\":%u", interval, acceleration,
            deceleration);
    record_end();
    enet_peer_throttle_configure(peer, interval, acceleration, deceleration);
}

void note(const char *text)
{
    record_begin("note", NULL);
    fprintf(record_file(), ",\"text\":\"%s\"", text);
    record_end();
}

void flush(ENetHost *host)
{
    record_begin("flush", host);
    record_end();
    enet_host_flush(host);
}

void block(ENetHost *host)
{
    record_begin("block", host);
    record_end();
    blocked = host;
}

void unblock(ENetHost *host)
{
    record_begin("unblock", host);
    record_end();
    blocked = NULL;
}

void stop_reading(ENetHost *host)
{
    record_begin("stop reading", host);
    record_end();
    unread = host;
}

// ---- time ----------------------------------------------------------------------------------------

static uint32_t received;

uint32_t events_received(void)
{
    return received;
}

static void happened(const ENetEvent *event)
{
    ENetPeer *peer = event->peer;
    switch (event->type) {
    case ENET_EVENT_TYPE_CONNECT:
        begin_call("connected", peer);
        fprintf(record_file(), ",\"data\":%u,\"channels\":%zu", event->data, peer->channelCount);
        record_end();
        break;
    case ENET_EVENT_TYPE_DISCONNECT: // of a connection that ended, or was never answered
        begin_call("disconnected", peer);
        fprintf(record_file(), ",\"data\":%u", event->data);
        record_end();
        break;
    case ENET_EVENT_TYPE_RECEIVE:
        ++received;
        begin_call("received", peer);
        fprintf(record_file(), ",\"channel\":%u,\"length\":%zu", event->channelID, event->packet->dataLength);
        record_bytes("payload", event->packet->data, event->packet->dataLength);
        record_end();
        enet_packet_destroy(event->packet);
        break;
    case ENET_EVENT_TYPE_NONE:
        break;
    }
}

static void step(void)
{
    static const struct timespec pause = { 0, STEP_NSEC };
    for (size_t i = 0; i < MAX_OPEN; ++i) {
        ENetEvent event;
        if (open_hosts[i] && open_hosts[i] == unread)
            enet_host_service(open_hosts[i], NULL, 0);
        else if (open_hosts[i] != blocked)
            while (open_hosts[i] && enet_host_service(open_hosts[i], &event, 0) > 0)
                happened(&event);
        if (open_relays[i])
            relay_service(open_relays[i]);
    }
    if (the_tunnel)
        tunnel_service(the_tunnel);
    nanosleep(&pause, NULL);
}

void run(unsigned milliseconds)
{
    enet_uint32 start = enet_time_get();
    while (enet_time_get() - start < milliseconds)
        step();
}

void run_until_acknowledged(ENetPeer *peer)
{
    enet_uint32 start = enet_time_get();
    do {
        step();
        if (enet_time_get() - start > PATIENCE_MSEC)
            fail("no acknowledgement");
    } while (!enet_list_empty(&peer->outgoingCommands) || !enet_list_empty(&peer->sentReliableCommands));
}
