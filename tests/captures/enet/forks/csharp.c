/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A client and a server of ENet-CSharp on the loopback interface. Prints what they send and receive.
 *
 *   cc -I FORK/Source/Native -o csharp csharp.c && ./csharp PORT [checksum|none [RELAY_PORT]] >RECORD
 *
 * FORK is a checkout of ENet-CSharp, whose native library is one header. dumpcap records the port meanwhile; with
 * RELAY_PORT that of relay.py, to which the client sends.
 */
#define _GNU_SOURCE
#define ENET_IMPLEMENTATION
#include "enet.h"

#define UNRELIABLE_FRAGMENTED ENET_PACKET_FLAG_UNRELIABLE_FRAGMENTED
#include "traffic.h"

int main(int argc, char **argv)
{
    ENetAddress address = { .port = (uint16_t)atoi(argc > 1 ? argv[1] : "40520") };
    bool with_checksum = argc > 2 && strcmp(argv[2], "none") != 0;
    enet_initialize();
    enet_address_set_hostname(&address, "127.0.0.1");
    ENetHost *server = enet_host_create(&address, 8, 4, 0, 0, 0), *client = enet_host_create(NULL, 1, 4, 0, 0, 0);
    if (with_checksum) {
        enet_host_set_checksum_callback(server, enet_crc64);
        enet_host_set_checksum_callback(client, enet_crc64);
    }
    if (argc > 3)
        address.port = (uint16_t)atoi(argv[3]);
    run(server, client, enet_host_connect(client, &address, 4, 0x01020304), argc > 3 ? LOSSY_ROUNDS : ROUNDS);
    return 0;
}
