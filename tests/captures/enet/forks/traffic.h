/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a client and a server of a fork of ENet send each other, printed as a JSON object a line. Include the fork's header
 * first: the forks have the same functions, with different structures.
 */
#ifndef GAMEWIRE_TESTS_CAPTURES_ENET_FORKS_TRAFFIC_H
#define GAMEWIRE_TESTS_CAPTURES_ENET_FORKS_TRAFFIC_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST      5000
#define ROUNDS       400
#define LOSSY_ROUNDS 2000 /* resends take their time */
#define LAST_ROUNDS  100  /* after the disconnection */

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
    static const uint32_t kinds[] = { ENET_PACKET_FLAG_RELIABLE, 0, ENET_PACKET_FLAG_UNSEQUENCED };
    for (uint8_t channel = 0; channel < 3; channel++)
        for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
            send_message(peer, host, channel, kinds[kind], 3 + 11 * channel + 5 * kind);
    send_message(peer, host, 0, ENET_PACKET_FLAG_RELIABLE, LARGEST);
    send_message(peer, host, 1, UNRELIABLE_FRAGMENTED, 3000);
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

/* Connects, sends everything in both directions, and disconnects. */
static void run(ENetHost *server, ENetHost *client, ENetPeer *peer, int rounds)
{
    puts("{\"what\": \"connect\", \"host\": \"client\"}");
    for (int round = 0; round < rounds; round++) {
        ENetPeer *accepted = serve(server, "server"), *connected = serve(client, "client");
        if (connected)
            send_all(connected, "client");
        if (accepted)
            send_all(accepted, "server");
        if (round == rounds - LAST_ROUNDS)
            enet_peer_disconnect(peer, 7);
    }
}

#endif
