/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A client and a server of enet6 with an encryptor, which leaves out peers that are not connected yet, on the loopback
 * interface. Prints what they send and receive.
 *
 *   cc -DHAS_SOCKLEN_T=1 -DHAS_FCNTL=1 -DHAS_POLL=1 -I FORK/include -o encrypted encrypted.c FORK/src/[!w]*.c
 *   ./encrypted PORT [checksum|none [RELAY_PORT]] >RECORD
 *
 * FORK is a checkout of SirLynix's enet6. dumpcap records the port meanwhile; with RELAY_PORT that of relay.py, to
 * which the client sends.
 */
#include <enet6/enet.h>
#include <stdint.h>

#define UNRELIABLE_FRAGMENTED ENET_PACKET_FLAG_UNRELIABLE_FRAGMENT
#include "traffic.h"

#define FIRST_KEY 0x5A
#define KEY_STEP  0x35

/* Not a cipher: the bytes only have to differ from those of the commands. One byte is added, which is verified. */
static uint8_t key_at(size_t at)
{
    return (uint8_t)(FIRST_KEY + KEY_STEP * at);
}

static size_t encrypt(void *context, ENetPeer *peer, const ENetBuffer *buffers, size_t count, size_t length,
                      enet_uint8 *output, size_t room)
{
    size_t at = 0;
    (void)context;
    if (peer->state != ENET_PEER_STATE_CONNECTED || room < length + 1)
        return 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < buffers[i].dataLength; j++, at++)
            output[at] = ((const uint8_t *)buffers[i].data)[j] ^ key_at(at);
    output[at] = key_at(at);
    return at + 1;
}

static size_t decrypt(void *context, ENetPeer *peer, const enet_uint8 *input, size_t length, enet_uint8 *output,
                      size_t room)
{
    (void)context;
    (void)peer;
    if (!length || room < length || input[length - 1] != key_at(length - 1))
        return 0;
    for (size_t at = 0; at + 1 < length; at++)
        output[at] = input[at] ^ key_at(at);
    return length - 1;
}

int main(int argc, char **argv)
{
    ENetAddress address;
    ENetEncryptor encryptor = { .encrypt = encrypt, .decrypt = decrypt };
    enet_initialize();
    encryptor.context = &encryptor;
    enet_address_set_host_ip(&address, "127.0.0.1");
    address.port = (uint16_t)atoi(argc > 1 ? argv[1] : "40560");
    ENetHost *server = enet_host_create(ENET_ADDRESS_TYPE_IPV4, &address, 8, 4, 0, 0);
    ENetHost *client = enet_host_create(ENET_ADDRESS_TYPE_IPV4, NULL, 1, 4, 0, 0);
    enet_host_encrypt(server, &encryptor);
    enet_host_encrypt(client, &encryptor);
    if (argc > 2 && strcmp(argv[2], "none") != 0)
        server->checksum = client->checksum = enet_crc32;
    if (argc > 3)
        address.port = (uint16_t)atoi(argv[3]);
    run(server, client, enet_host_connect(client, &address, 4, 0x01020304), argc > 3 ? LOSSY_ROUNDS : ROUNDS);
    return 0;
}
