#!/usr/bin/python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""usage: webrtc.py PORT KEYS [in-band|mesh|web]

Carry the packets of carried_peer.gd over WebRTC: a connection of aiortc between the server and each client, with the data
channels that WebRTCMultiplayerPeer opens (modules/webrtc/webrtc_multiplayer_peer.cpp): "reliable", "ordered" and
"unreliable" with the ids 1 to 3, then the game's own, named after their ids from 4 on; all negotiated, so that nothing on the
wire names them. With mesh, as in Godot 3 (modules/webrtc/webrtc_multiplayer.cpp), there are only the three, and another
connection between each two clients: nothing is relayed. With in-band they are opened by DCEP, beside other channels in the same
connection that carry text, JSON, MessagePack and protocol buffers, and a connection without Godot that does the same. With web, clients may also be browsers with
the engine's own WebRTCMultiplayerPeer: browser_peer.gd leaves its offer in NAME.offer in the working directory, and finds the answer in
site/NAME.answer (web/serve.py).

The engines connect to PORT on loopback, as soon as there is a file KEYS: for the DTLS keys (NSS key log format). Ends with the
last client.
"""

import asyncio
import json
import struct
import sys
from pathlib import Path

import aioice.ice
import aiortc.rtcdtlstransport
from aiortc import RTCConfiguration, RTCPeerConnection, RTCSessionDescription

SERVER = 1
EXTRA_CHANNELS = 3  # the largest channel of a call in multiplayer/godot4

# An unreliable packet is sent for one millisecond (add_peer's unreliable_lifetime), then abandoned.
CHANNELS = [("reliable", {}), ("ordered", {"maxPacketLifeTime": 1}), ("unreliable", {"maxPacketLifeTime": 1, "ordered": False})]
CHANNELS += [(str(len(CHANNELS) + 1 + i), {}) for i in range(EXTRA_CHANNELS)]

# What other programs send in data channels: bytes in a message of binary data, text in one of text. The MessagePack and the
# protocol buffer were made with msgpack.packb and SerializeToString.
OTHERS = {
    "chat": ["hello", "", "naïve café", "bye"],
    "state": [json.dumps({"id": i, "position": [i, 2.5], "name": "unit"}) for i in range(3)],
    "json": [json.dumps({"cmd": "move", "to": [i, i + 1]}).encode() for i in range(3)],
    "msgpack": [bytes.fromhex("83a2696401a3706f739301cb4004000000000000c0a46e616d65a4756e6974"),
                bytes.fromhex("82a36d7367a568656c6c6fa373657107"), bytes.fromhex("93010203"), b""],
    "protobuf": [bytes.fromhex("0803120568656c6c6f1d0000803f"), bytes.fromhex("089601"), bytes.fromhex("0a04756e69741202080110ac02")],
}


def log_keys(path):
    """Makes each DTLS connection write its keys."""
    file = open(path, "wb", buffering=0)
    create = aiortc.rtcdtlstransport.RTCCertificate._create_ssl_context

    def create_with_keys(self, *args, **kwargs):
        context = create(self, *args, **kwargs)
        context.set_keylog_callback(lambda connection, line: file.write(line + b"\n"))
        return context

    aiortc.rtcdtlstransport.RTCCertificate._create_ssl_context = create_with_keys


class Engine:
    """One Godot process."""

    def __init__(self, reader, writer, peer):
        self.reader, self.writer, self.peer = reader, writer, peer
        self.channels = {}  # by peer: a list

    def send(self, peer, *packet):
        rest = struct.pack("<i", peer) + b"".join(packet)
        self.writer.write(struct.pack("<I", len(rest)) + rest)

    async def packets(self):
        """Each packet to send: peer, channel, bytes."""
        while True:
            try:
                length, = struct.unpack("<I", await self.reader.readexactly(4))
                message = await self.reader.readexactly(length)
            except (asyncio.IncompleteReadError, ConnectionError):
                return
            yield *struct.unpack_from("<iB", message), message[5:]

    def take(self, peer, index, message):
        self.send(peer, bytes([index]), message)


async def connected(one, other):
    await one.setLocalDescription(await one.createOffer())
    await other.setRemoteDescription(one.localDescription)
    await other.setLocalDescription(await other.createAnswer())
    await one.setRemoteDescription(other.localDescription)


async def opened(channels):
    while any(channel.readyState != "open" for channel in channels):
        await asyncio.sleep(0.01)


class Carrier:
    def __init__(self, kind):
        self.in_band, self.mesh = kind == "in-band", kind == "mesh"
        self.wanted = CHANNELS[:-EXTRA_CHANNELS] if self.mesh else CHANNELS
        self.engines = {}
        self.connections = []
        self.ended = asyncio.Event()

    def pair(self):
        self.connections += [RTCPeerConnection(RTCConfiguration(iceServers=[])) for _ in range(2)]
        return self.connections[-2:]

    async def negotiated(self, one, other):
        both = []
        for connection in (one, other):
            both.append([connection.createDataChannel(label, negotiated=True, id=number, **options)
                         for number, (label, options) in enumerate(self.wanted, 1)])
        await connected(one, other)
        return both

    async def opened_in_band(self, one, other, others):
        """The game's channels, then the others: of the side that opened them, and of the side to which they were opened."""
        there = {}
        other.on("datachannel", lambda channel: there.update({channel.label: channel}))
        wanted = self.wanted + [(label, {}) for label in others]
        here = [one.createDataChannel(label, **options) for label, options in wanted]
        await connected(one, other)
        while len(there) < len(wanted):
            await asyncio.sleep(0.01)
        return here, [there[label] for label, _ in wanted]

    async def join(self, client):
        """Connects a client to the server, which is there first, and in a mesh to the clients that are there."""
        for peer in list(self.engines) if self.mesh else [SERVER]:
            await self.connect(self.engines[peer], client)
        self.engines[client.peer] = client

    def listen(self, engine, peer, channels):
        engine.channels[peer] = channels
        for index, channel in enumerate(channels):
            channel.on("message", lambda message, index=index: engine.take(peer, index, message))

    async def browsers(self):
        """Answers each offer once: {"id": peer id, "sdp": with the candidates}."""
        answered = set()
        while not self.ended.is_set():
            for file in set(Path().glob("*.offer")) - answered:
                answered.add(file)
                await self.answer(json.loads(file.read_text(encoding="utf-8")), Path("site") / f"{file.stem}.answer")
            await asyncio.sleep(0.1)

    async def answer(self, offer, file):
        server = self.engines[SERVER]
        connection = RTCPeerConnection(RTCConfiguration(iceServers=[]))
        self.connections.append(connection)
        channels = [connection.createDataChannel(label, negotiated=True, id=number, **options)
                    for number, (label, options) in enumerate(self.wanted, 1)]
        await connection.setRemoteDescription(RTCSessionDescription(sdp=offer["sdp"], type="offer"))
        await connection.setLocalDescription(await connection.createAnswer())
        partial = file.with_suffix(".partial")
        partial.write_text(connection.localDescription.sdp, encoding="utf-8")
        partial.rename(file)
        await opened(channels)
        self.listen(server, offer["id"], channels)
        server.send(offer["id"])

        @channels[0].on("close")
        def gone():
            if server.channels.pop(offer["id"], None):
                server.send(-offer["id"])

    async def connect(self, here, client):
        one, other = self.pair()
        if self.in_band:
            both = await self.opened_in_band(one, other, OTHERS)
        else:
            both = await self.negotiated(one, other)
        for engine, peer, channels in zip((here, client), (client.peer, here.peer), both):
            await opened(channels)
            self.listen(engine, peer, channels[:len(self.wanted)])
        here.send(client.peer)
        client.send(here.peer)
        if self.in_band:
            await self.say_others(*(channels[len(self.wanted):] for channels in both))

    async def say_others(self, *both):
        for channels in both:
            for channel, messages in zip(channels, OTHERS.values()):
                for message in messages:
                    channel.send(message)
                    await asyncio.sleep(0.01)

    async def without_godot(self):
        both = await self.opened_in_band(*self.pair(), OTHERS)
        for channels in both:
            await opened(channels)
        await self.say_others(*(channels[len(self.wanted):] for channels in both))

    async def serve(self, reader, writer):
        peer, = struct.unpack("<i", await reader.readexactly(4))
        engine = Engine(reader, writer, peer)
        if peer == SERVER:
            self.engines[peer] = engine
        else:
            await self.join(engine)
        async for to, index, packet in engine.packets():
            if to in engine.channels:
                engine.channels[to][index].send(packet)
        await asyncio.sleep(0.2)  # for what is under way
        del self.engines[peer]
        writer.close()
        for other in self.engines.values():
            if other.channels.pop(peer, None):
                other.send(-peer)
        if not self.engines:
            self.ended.set()


async def main(port, keys, kind):
    aioice.ice.get_host_addresses = lambda use_ipv4, use_ipv6: ["127.0.0.1"]
    carrier = Carrier(kind)
    await asyncio.start_server(carrier.serve, "127.0.0.1", port)
    log_keys(keys)
    if carrier.in_band:
        await carrier.without_godot()
    answering = asyncio.create_task(carrier.browsers()) if kind == "web" else None
    await carrier.ended.wait()
    if answering:
        await answering
    for connection in carrier.connections:
        await connection.close()


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    asyncio.run(main(int(sys.argv[1]), sys.argv[2], sys.argv[3] if len(sys.argv) == 4 else None))
