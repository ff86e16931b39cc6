/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A client and a server of the fork of ENet for Growtopia on the loopback interface: the client's datagrams have the
 * additional header. Prints what they send and receive.
 *
 *   cc -DHAS_SOCKLEN_T=1 -DHAS_FCNTL=1 -DHAS_POLL=1 -I FORK/include -o growtopia growtopia.c FORK/[!w]*.c
 *   ./growtopia PORT [checksum|none [RELAY_PORT [forwarded]]] >RECORD
 *
 * FORK is a checkout of ZTzTopia's enet. dumpcap records the port meanwhile; with RELAY_PORT that of relay.py, to which
 * the client sends. "forwarded": the server does not know of the relay, and drops what has its port masked.
 */
#include <enet/enet.h>
#include <stdint.h>

#define UNRELIABLE_FRAGMENTED ENET_PACKET_FLAG_UNRELIABLE_FRAGMENT
#include "traffic.h"

int main(int argc, char **argv)
{
    ENetAddress address;
    enet_initialize();
    enet_address_set_host_ip(&address, "127.0.0.1");
    address.port = (uint16_t)atoi(argc > 1 ? argv[1] : "40530");
    ENetHost *server = enet_host_create(ENET_ADDRESS_TYPE_IPV4, &address, 8, 4, 0, 0);
    ENetHost *client = enet_host_create(ENET_ADDRESS_TYPE_IPV4, NULL, 1, 4, 0, 0);
    /* enet_host_create() leaves another port there on Linux, with which the server would drop what is not CONNECT. */
    if (argc > 3)
        address.port = (uint16_t)atoi(argv[3]);
    if (argc <= 4)
        server->address.port = address.port;
    server->usingNewPacketForServer = 1;
    client->usingNewPacket = 1;
    if (argc > 2 && strcmp(argv[2], "none") != 0)
        server->checksum = client->checksum = enet_crc32;
    run(server, client, enet_host_connect(client, &address, 4, 0x01020304), argc > 3 ? LOSSY_ROUNDS : ROUNDS);
    return 0;
}
