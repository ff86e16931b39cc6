# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a packet costs when a capture is opened, in instructions from opening to closing it: on two passes, which is what
opening a file in the window costs, and in the packet list. Beside stock dissectors on captures with the same number,
order, direction and sizes of packets.

A game's session goes on: a packet's cost is the difference of a long capture and a short one, divided by the packets
between them.
"""

import random
import struct

import frames
from table import Goal, Line

MODES = {"two passes": ("-2",), "list": ()}
SHORT, LONG = 500, 2500
LEAST = (20, 60)
ENET_PORT, DTLS_PORT = 40500, 4433
DTLS_HEADER = 13
TICK = 8  # ms


def measure(bench):
    session = Session().packets(LEAST[1] if bench.least else LONG)
    peers = {
        "ENet": (ENET_PORT, session, ()),
        "DTLS": (DTLS_PORT, as_dtls(session), ()),
        "data": (ENET_PORT, session, ("-d", f"udp.port=={ENET_PORT},data")),
    }
    lines = []
    for mode in bench.few(MODES):
        cost = costs(bench, peers, mode)
        for peer, goal in (("DTLS", Goal("ratio", 1.0)), ("data", None)):
            lines.append(Line(f"ENet, {mode}", "instructions", [cost["ENet"]], goal, peer, [cost[peer]]))
    return lines


def costs(bench, peers, mode):
    """{name: instructions of a packet}"""
    counts = LEAST if bench.least else (SHORT, LONG)
    commands = {}
    for name, (port, packets, options) in peers.items():
        for count in counts:
            path = bench.machine.scratch / f"packets-{name}-{count}.pcap"
            write(path, packets[:count], port)
            commands[name, count] = (["tshark", "-n", *options, *MODES[mode], "-r", str(path)], None)
    counted = bench.machine.instructions_of_all(commands, [])
    short, long = counts
    return {name: round((counted[name, long] - counted[name, short]) / (long - short)) for name in peers}


# ---- captures ------------------------------------------------------------------------------------


def write(path, packets, port):
    """`packets`: (from the client, payload). The server has the port."""
    with open(path, "wb") as file:
        file.write(frames.FILE_HEADER)
        for number, (from_client, payload) in enumerate(packets):
            client, server = frames.ADDRESSES[:4], frames.ADDRESSES[4:]
            ports, addresses = (frames.CLIENT_PORT, port), client + server
            if not from_client:
                ports, addresses = ports[::-1], server + client
            frame = bytearray(frames.udp_frame(payload))
            frame[frames.IP_ADDRESSES_AT : frames.IP_ADDRESSES_AT + 8] = addresses
            struct.pack_into(">HH", frame, frames.UDP_PAYLOAD_AT - 8, *ports)
            file.write(frames.record(number * 10 * TICK, bytes(frame)))


def as_dtls(packets):
    """Records of DTLS 1.2 with application data, as long as the packets."""
    records, numbers = [], {True: 0, False: 0}
    for from_client, payload in packets:
        size = max(1, len(payload) - DTLS_HEADER)
        numbers[from_client] += 1
        header = struct.pack(">BHHHIH", 23, 0xFEFD, 1, 0, numbers[from_client], size)
        records.append((from_client, header + random.Random(len(records)).randbytes(size)))
    return records


class Session:
    """A game in ENet: in each tick a side sends a message, reliable or not, and acknowledges what the other one has sent.
    Sizes are those of SuperTuxKart: 82 bytes with all headers, on average."""

    LIMITS = struct.pack(">IIIIIII", 65536, 2, 0, 0, 5000, 2, 2)
    CONNECT_ID = 0x12345678

    def __init__(self):
        self.random = random.Random(7)
        self.time = 1000
        self.reliable = {True: 0, False: 0}
        self.unreliable = {True: 0, False: 0}
        self.unacknowledged = {True: None, False: None}

    def packets(self, count):
        packets = self.handshake()
        while len(packets) < count:
            for from_client in (True, False):
                self.time += TICK
                packets.append((from_client, self.datagram(from_client)))
        return packets[:count]

    def header(self, peer=0):
        return struct.pack(">HH", 0x8000 | peer, self.time & 0xFFFF)

    def handshake(self):
        connect = struct.pack(">BBHHBBI", 0x82, 0xFF, 1, 0, 0xFF, 0xFF, 1400) + self.LIMITS
        verify = struct.pack(">BBHHBBI", 0x83, 0xFF, 1, 0, 0, 0, 1400) + self.LIMITS
        connect_id = struct.pack(">I", self.CONNECT_ID)
        return [
            (True, self.header(0xFFF) + connect + connect_id + bytes(4)),
            (False, self.header() + verify + connect_id),
            (True, self.header() + self.acknowledge(1, self.time, 0xFF)),
        ]

    @staticmethod
    def acknowledge(sequence, time, channel=0):
        return struct.pack(">BBHHH", 1, channel, sequence, sequence, time & 0xFFFF)

    def datagram(self, from_client):
        commands, has_time = b"", False
        received = self.unacknowledged[not from_client]
        if received:
            commands += self.acknowledge(*received)
            self.unacknowledged[not from_client] = None
        kind = self.random.random()
        message = self.random.randbytes(self.random.randint(12, 44))
        if kind < 0.35 and not self.unacknowledged[from_client]:
            self.reliable[from_client] += 1
            self.unreliable[from_client] = 0
            sequence = self.reliable[from_client] & 0xFFFF
            commands += struct.pack(">BBHH", 0x86, 0, sequence, len(message)) + message
            self.unacknowledged[from_client] = (sequence, self.time)
            has_time = True
        elif kind < 0.9 or not commands:
            self.unreliable[from_client] += 1
            sequence, number = self.reliable[from_client] & 0xFFFF, self.unreliable[from_client] & 0xFFFF
            commands += struct.pack(">BBHHH", 7, 0, sequence, number, len(message)) + message
        return (self.header() if has_time else struct.pack(">H", 0)) + commands
