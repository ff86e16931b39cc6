/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Two clients and a server of zpl-c/enet, built with more peers, on the loopback interface. The first client has 2048
 * connections, so that the second one's peer id at the server needs the additional byte of the header. Prints what the
 * second client and the server send and receive.
 *
 *   cc -I FORK/include -o more_peers more_peers.c && ./more_peers PORT CLIENT_PORT [checksum|none [RELAY_PORT]] >RECORD
 *
 * FORK is a checkout of zpl-c/enet. dumpcap records the second client's port meanwhile.
 */
#define _GNU_SOURCE
#define ENET_USE_MORE_PEERS
#define ENET_IMPLEMENTATION
#include "enet.h"

#define UNRELIABLE_FRAGMENTED ENET_PACKET_FLAG_UNRELIABLE_FRAGMENT
#include "traffic.h"

#define OTHERS      2048
#define IDLE_ROUNDS 50   /* until the server has every acknowledgement */
#define MTU         1200 /* a datagram of the server's MTU would be too long for its buffer by the additional byte */

/* Connects the first client. */
static void fill(ENetHost *server, const ENetAddress *address)
{
    ENetHost *others = enet_host_create(NULL, OTHERS, 1, 0, 0);
    ENetEvent event;
    int connected = 0;
    others->checksum = server->checksum;
    for (int i = 0; i < OTHERS; i++) {
        enet_host_connect(others, address, 1, 0);
        while (enet_host_service(others, &event, 0) > 0)
            connected += event.type == ENET_EVENT_TYPE_CONNECT;
        while (enet_host_service(server, &event, 0) > 0)
            ;
    }
    for (int idle = 0; connected < OTHERS || idle < IDLE_ROUNDS; idle++) {
        while (enet_host_service(others, &event, 1) > 0)
            connected += event.type == ENET_EVENT_TYPE_CONNECT;
        while (enet_host_service(server, &event, 1) > 0)
            idle = 0;
    }
}

int main(int argc, char **argv)
{
    ENetAddress address = { .port = (uint16_t)atoi(argv[1]) }, own = { .port = (uint16_t)atoi(argv[2]) };
    enet_initialize();
    enet_address_set_host(&address, "127.0.0.1");
    enet_address_set_host(&own, "127.0.0.1");
    ENetHost *server = enet_host_create(&address, OTHERS + 8, 4, 0, 0), *client = enet_host_create(&own, 1, 4, 0, 0);
    if (argc > 3 && strcmp(argv[3], "none") != 0)
        server->checksum = client->checksum = enet_crc32;
    client->mtu = MTU;
    fill(server, &address);
    if (argc > 4)
        address.port = (uint16_t)atoi(argv[4]);
    run(server, client, enet_host_connect(client, &address, 4, 0x01020304), argc > 4 ? LOSSY_ROUNDS : ROUNDS);
    return 0;
}
