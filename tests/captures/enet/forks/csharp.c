/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A client and a server of ENet-CSharp on the loopback interface. Prints what they send and receive, a JSON object a line.
 *
 *   cc -I FORK/Source/Native -o csharp csharp.c && ./csharp PORT [checksum] >RECORD
 *
 * FORK is a checkout of ENet-CSharp, whose native library is one header. dumpcap records the port meanwhile.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENET_IMPLEMENTATION
#include "enet.h"

#define LARGEST 5000
#define ROUNDS  400

static void print_message(const char *what, const char *host, unsigned channel, const uint8_t *bytes, size_t length)
{
    printf("{\"what\": \"%s\", \"host\": \"%s\", \"channel\": %u, \"payload\": \"", what, host, channel);
    for (size_t i = 0; i < length; i++)
        printf("%02x", bytes[i]);
    puts("\"}");
}

static void send_message(ENetPeer *peer, const char *host, uint8_t channel, uint32_t flags, size_t length)
{
    uint8_t bytes[LARGEST];
    for (size_t i = 0; i < length; i++)
        bytes[i] = (uint8_t)(i * 7 + length + channel);
    print_message("send", host, channel, bytes, length);
    enet_peer_send(peer, channel, enet_packet_create(bytes, length, flags));
}

static void send_all(ENetPeer *peer, const char *host)
{
    static const uint32_t kinds[] = { ENET_PACKET_FLAG_RELIABLE, ENET_PACKET_FLAG_NONE, ENET_PACKET_FLAG_UNSEQUENCED };
    for (uint8_t channel = 0; channel < 3; channel++)
        for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
            send_message(peer, host, channel, kinds[kind], 3 + 11 * channel + 5 * kind);
    send_message(peer, host, 0, ENET_PACKET_FLAG_RELIABLE, LARGEST);
    send_message(peer, host, 1, ENET_PACKET_FLAG_UNRELIABLE_FRAGMENTED, 3000);
}

/* Returns the peer of a new connection; NULL: there is none in this round. */
static ENetPeer *serve(ENetHost *host, const char *name)
{
    ENetPeer *peer = NULL;
    ENetEvent event;
    while (enet_host_service(host, &event, 2) > 0) {
        if (event.type == ENET_EVENT_TYPE_CONNECT)
            peer = event.peer;
        if (event.type != ENET_EVENT_TYPE_RECEIVE)
            continue;
        print_message("received", name, event.channelID, event.packet->data, event.packet->dataLength);
        enet_packet_destroy(event.packet);
    }
    return peer;
}

int main(int argc, char **argv)
{
    ENetAddress address = { .port = (uint16_t)atoi(argc > 1 ? argv[1] : "40520") };
    bool with_checksum = argc > 2;
    ENetPeer *peer = NULL;
    enet_initialize();
    enet_address_set_hostname(&address, "127.0.0.1");
    ENetHost *server = enet_host_create(&address, 8, 4, 0, 0, 0), *client = enet_host_create(NULL, 1, 4, 0, 0, 0);
    if (with_checksum) {
        enet_host_set_checksum_callback(server, enet_crc64);
        enet_host_set_checksum_callback(client, enet_crc64);
    }
    puts("{\"what\": \"connect\", \"host\": \"client\"}");
    peer = enet_host_connect(client, &address, 4, 0x01020304);
    for (int round = 0; round < ROUNDS; round++) {
        ENetPeer *accepted = serve(server, "server"), *connected = serve(client, "client");
        if (connected)
            send_all(connected, "client");
        if (accepted)
            send_all(accepted, "server");
        if (round == ROUNDS - 100)
            enet_peer_disconnect(peer, 7);
    }
    return 0;
}
