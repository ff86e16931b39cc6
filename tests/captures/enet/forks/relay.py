# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Relays datagrams between a client and a server on the loopback interface until it is stopped. Some are lost, others
are sent twice.

    relay.py PORT SERVER_PORT SEED [sound]    sound: all arrive, once
"""

import random
import selectors
import socket
import sys

LOST = 0.12
TWICE = 0.05
LARGEST = 4096


def main():
    port, server, seed = map(int, sys.argv[1:4])
    lost, twice = (0, 0) if sys.argv[4:] == ["sound"] else (LOST, TWICE)
    chance = random.Random(seed)
    to_client, to_server = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
    to_client.bind(("127.0.0.1", port))
    to_server.connect(("127.0.0.1", server))
    sockets = selectors.DefaultSelector()
    for each in (to_client, to_server):
        sockets.register(each, selectors.EVENT_READ)
    client = None
    while True:
        for key, _ in sockets.select():
            data, source = key.fileobj.recvfrom(LARGEST)
            is_client_s = key.fileobj is to_client
            client = source if is_client_s else client
            draw = chance.random()
            for _ in range(0 if draw < lost else 2 if draw > 1 - twice else 1):
                to_server.send(data) if is_client_s else to_client.sendto(data, client)


main()
