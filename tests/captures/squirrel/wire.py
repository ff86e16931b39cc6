# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""A scene: datagrams between one server and its clients, each with its contents."""

from typing import NamedTuple

from frames import CLIENT, sender

SERVER_PORT = 8192
CLIENT_PORTS = {1: 41001, 2: 41002}
PLAYERS = {1: 0, 2: 1}      # the player number that the server gave each client


class Datagram(NamedTuple):
    source: int             # UDP ports
    target: int
    data: bytes
    info: dict
    wait: int               # milliseconds before the datagram


class Scene:
    def __init__(self, name, wait=1):
        self.name = name
        self.wait = wait
        self.datagrams = []

    def raw(self, data, info, *, client=1, upward=False, wait=None):
        """Any bytes, from the server to a client or from a client to the server."""
        ends = [SERVER_PORT, CLIENT_PORTS[client]]
        if upward:
            ends.reverse()
        self.datagrams.append(Datagram(*ends, data, info, self.wait if wait is None else wait))

    def say(self, message, label, *, client=1, wait=None, **more):
        """A frame in its direction."""
        info = {"label": label, **message.info, **more}
        self.raw(message.data, info, client=client, upward=sender(message) == CLIENT, wait=wait)
