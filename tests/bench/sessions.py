# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Games in ENet that go on for as many packets as wanted. Two are generated, one continues a recorded capture.

A game is an iterator of Packets. All connections of a game are with one server.
"""

import itertools
import random
import struct
from typing import NamedTuple

import frames

PORT = 40500  # of the server

CLIENT, SERVER = True, False  # who sends

# ENet's commands; the bits are "acknowledge" and "unsequenced".
ACKNOWLEDGE, CONNECT, VERIFY, PING, RELIABLE, UNRELIABLE, UNSEQUENCED = 1, 0x82, 0x83, 0x85, 0x86, 7, 0x49
PEER_CHANNEL = 0xFF  # of commands that belong to no channel
SENT_TIME = 0x8000
NO_PEER = 0xFFF
# Windows, channels, bandwidth, intervals of the throttle.
LIMITS = struct.pack(">IIIIIII", 65536, 2, 0, 0, 5000, 2, 2)
MTU = 1400


class Packet(NamedTuple):
    client: int  # the number of the client, from 0
    from_client: bool
    payload: bytes  # of UDP


def first(count, packets):
    return list(itertools.islice(packets, count))


def write(path, packets, port=PORT, step=80, games=1):
    """The packets, `step` × 100 µs from each other, `games` times between other hosts. Returns the number of packets."""
    number = 0
    packets = packets if games == 1 else list(packets)
    with open(path, "wb") as file:
        file.write(frames.FILE_HEADER)
        for game in range(games):
            hosts = [struct.pack(">I", host) for host in (0x0A010001 + 2 * game, 0x0A010002 + 2 * game)]
            for client, from_client, payload in packets:
                ends = (hosts[0], frames.CLIENT_PORT + client), (hosts[1], port)
                file.write(frames.record(number * step, frames.udp_frame(payload, *(ends if from_client else ends[::-1]))))
                number += 1
    return number


# ---- ENet ----------------------------------------------------------------------------------------


def header(peer, time):
    """`time` in ms, or None. The games' times are odd: without the plugin, Wireshark takes an acknowledgement at time 0 to
    peer 0, which begins with 80 00 00 00 01, for QUIC's, and all that follows."""
    return struct.pack(">H", peer) if time is None else struct.pack(">HH", SENT_TIME | peer, time & 0xFFFF)


def acknowledge(channel, sequence, time):
    return struct.pack(">BBHHH", ACKNOWLEDGE, channel, sequence, sequence, time & 0xFFFF)


def connect(connect_id, data=0):
    return struct.pack(">BBHHBBI", CONNECT, PEER_CHANNEL, 1, 0, 0xFF, 0xFF, MTU) + LIMITS + struct.pack(">II", connect_id, data)


def verify(connect_id, peer=0):
    return struct.pack(">BBHHBBI", VERIFY, PEER_CHANNEL, 1, peer, 0, 0, MTU) + LIMITS + struct.pack(">I", connect_id)


class SmallMessages:
    """A game in ENet: in each tick a side sends a message, reliable or not, and acknowledges what the other one has sent.
    Sizes are those of SuperTuxKart: 82 bytes with all headers, on average."""

    CONNECT_ID = 0x12345678
    TICK = 8  # ms

    def __init__(self):
        self.random = random.Random(7)
        self.time = 1001
        self.reliable = {CLIENT: 0, SERVER: 0}
        self.unreliable = {CLIENT: 0, SERVER: 0}
        self.unacknowledged = {CLIENT: None, SERVER: None}

    def packets(self):
        yield Packet(0, CLIENT, header(NO_PEER, self.time) + connect(self.CONNECT_ID))
        yield Packet(0, SERVER, header(0, self.time) + verify(self.CONNECT_ID))
        yield Packet(0, CLIENT, header(0, self.time) + acknowledge(PEER_CHANNEL, 1, self.time))
        while True:
            for side in (CLIENT, SERVER):
                self.time += self.TICK
                yield Packet(0, side, self.datagram(side))

    def datagram(self, side):
        commands, time = b"", None
        received = self.unacknowledged[not side]
        if received:
            commands += acknowledge(0, *received)
            self.unacknowledged[not side] = None
        kind = self.random.random()
        message = self.random.randbytes(self.random.randint(12, 44))
        if kind < 0.35 and not self.unacknowledged[side]:
            self.reliable[side] += 1
            self.unreliable[side] = 0
            sequence = self.reliable[side] & 0xFFFF
            commands += struct.pack(">BBHH", RELIABLE, 0, sequence, len(message)) + message
            self.unacknowledged[side] = (sequence, self.time)
            time = self.time
        elif kind < 0.9 or not commands:
            self.unreliable[side] += 1
            sequence, number = self.reliable[side] & 0xFFFF, self.unreliable[side] & 0xFFFF
            commands += struct.pack(">BBHHH", UNRELIABLE, 0, sequence, number, len(message)) + message
        return header(0, time) + commands


def handshake(number):
    """The packets of a connection on which nothing else is sent. VERIFY_CONNECT is what answers CONNECT: ENet does not
    acknowledge it."""
    connect_id = 0x10000000 + number
    yield Packet(0, CLIENT, header(NO_PEER, 0) + connect(connect_id))
    yield Packet(0, SERVER, header(0, 0) + verify(connect_id))
    yield Packet(0, CLIENT, header(0, 0) + acknowledge(PEER_CHANNEL, 1, 0))


class Link:
    """The numbers of one connection of ENet: what a side sends reliably, the other one acknowledges in its next datagram."""

    def __init__(self, client):
        self.client = client
        self.sequences = {}  # {(side, channel): of the last reliable command}
        self.groups = {CLIENT: 0, SERVER: 0}
        self.owed = {CLIENT: b"", SERVER: b""}  # acknowledgements

    def datagram(self, side, time, commands, is_timed):
        owed, self.owed[side] = self.owed[side], b""
        peer = self.client if side == CLIENT else 0
        return Packet(self.client, side, header(peer, time if is_timed or owed else None) + owed + commands)

    def next_sequence(self, side, channel, time):
        sequence = self.sequences.get((side, channel), 0) + 1 & 0xFFFF
        self.sequences[side, channel] = sequence
        self.owed[not side] += acknowledge(channel, sequence, time)
        return sequence

    def connected(self, time, connect_id, data):
        self.sequences[CLIENT, PEER_CHANNEL] = 1
        yield Packet(self.client, CLIENT, header(NO_PEER, time) + connect(connect_id, data))
        self.next_sequence(SERVER, PEER_CHANNEL, time)
        yield self.datagram(SERVER, time, verify(connect_id, self.client), True)

    def reliable(self, side, time, message):
        sequence = self.next_sequence(side, 0, time)
        return self.datagram(side, time, struct.pack(">BBHH", RELIABLE, 0, sequence, len(message)) + message, True)

    def unsequenced(self, side, time, message):
        self.groups[side] = self.groups[side] + 1 & 0xFFFF
        command = struct.pack(">BBHHH", UNSEQUENCED, 1, 0, self.groups[side], len(message)) + message
        return self.datagram(side, time, command, False)

    def ping(self, side, time):
        sequence = self.next_sequence(side, PEER_CHANNEL, time)
        return self.datagram(side, time, struct.pack(">BBH", PING, PEER_CHANNEL, sequence), True)


# ---- a game in Godot 4 ---------------------------------------------------------------------------


def text(value):
    return value.encode() + b"\0"


def define_path(number, path, checksum="d41d8cd98f00b204e9800998ecf8427e"):
    return b"\1" + text(checksum) + struct.pack("<I", number) + text(path)


def confirm_path(number):
    return b"\2\1" + struct.pack("<I", number)


def relay(peer, message):
    return b"\7\3" + struct.pack("<I", peer) + message


# Compressed Variants.
FALSE, TRUE, POINTS = b"\1", b"\x81", b"\x42\x90\1"


def vector2(x, y):
    return struct.pack("<Iff", 5, x, y)


def spawn(spawner, net_id, name, owner, state=b"", synchronizers=()):
    """By a spawn function, whose argument is an array of a position and the owner's number."""
    head = struct.pack("<IIII", spawner, net_id, len(synchronizers), len(name) + 1)
    ids = b"".join(struct.pack("<I", number) for number in synchronizers)
    argument = struct.pack("<II", 28, 2) + vector2(72, 64) + struct.pack("<II", 2, owner)
    return b"\4\xff" + head + ids + text(name) + struct.pack("<I", len(argument)) + argument + state


def despawn(net_id):
    return b"\5" + struct.pack("<I", net_id)


def sync(time, updates):
    """`updates`: (net id, values)"""
    values = b"".join(struct.pack("<II", net_id, len(value)) + value for net_id, value in updates)
    return b"\6" + struct.pack("<H", time & 0xFFFF) + values


def call(node, method, *arguments):
    """The node and the method by their numbers."""
    if not arguments:
        return bytes([0x80, node, method])
    return bytes([0, node, method, len(arguments)]) + b"".join(arguments)


BY_PATH = 0x80000000  # in a net id: the synchronizer was not spawned, the rest is the number of its path


class Player(NamedTuple):
    """A client, as Godot and as ENet know it."""

    peer: int
    link: Link


class GodotGame:
    """Godot's demo Multiplayer Bomber, played by a server and two clients. In each of 60 ticks a second a client sends its
    input to the server and, by way of the server, to the other client, and receives the other's input and the positions of
    all. Every half second both sides send a ping; bombs are spawned, call a node that they hit, and are despawned.
    The messages are those of a recorded game of the demo, whose packets have 91 bytes, 1.06 commands and 1.4 updates."""

    INPUT_PATH = 2  # a client's number of its input's path, after that of the world
    PLAYERS_SPAWNER, BOMBS_SPAWNER = 2, 3  # the server's numbers
    PLAYERS = (2, 4, 6)  # net ids of their synchronizers
    PING_TICKS, BOMB_TICKS = 30, 18

    def __init__(self):
        self.random = random.Random(4)
        self.ticks = 0
        self.players = [Player(1331514172, Link(0)), Player(147969215, Link(1))]
        self.bombs = 0

    @property
    def time(self):
        return 1000 + self.ticks * 50 // 3 | 1

    def packets(self):
        for player in self.players:
            yield from player.link.connected(self.time, 0x4DBCE084 + player.link.client, player.peer)
        for player in self.players:
            yield from self.begin(player)
        while True:
            self.ticks += 1
            for player in self.players:
                yield from self.tick(player)

    def begin(self, player):
        """Paths, the players' nodes, and who else is there."""
        other = self.other(player)
        yield from self.say(player, SERVER, b"\7\1" + struct.pack("<I", other.peer))
        paths = {self.PLAYERS_SPAWNER: "World/PlayerSpawner", self.BOMBS_SPAWNER: "World/BombSpawner"}
        paths.update({4: "World/Players/1", 5: f"World/Players/{self.players[0].peer}", 6: f"World/Players/{self.players[1].peer}"})
        for number, path in {1: "gamestate", **paths}.items():
            yield from self.say(player, SERVER, define_path(number, path))
            yield from self.say(player, CLIENT, confirm_path(number))
        for net_id, name in {1: "1", 3: str(self.players[0].peer), 5: str(self.players[1].peer)}.items():
            state = vector2(72, 64) + struct.pack("<II", 4, 8) + b"Player 1"
            yield from self.say(player, SERVER, spawn(self.PLAYERS_SPAWNER, net_id, name, int(name), state, [net_id + 1]))
        mine = define_path(self.INPUT_PATH, f"World/Players/{player.peer}/Inputs/InputsSync")
        yield from self.say(player, CLIENT, mine)
        yield from self.say(player, SERVER, confirm_path(self.INPUT_PATH))
        yield from self.say(player, CLIENT, relay(other.peer, mine))
        yield from self.say(other, SERVER, relay(player.peer, mine))
        yield from self.say(other, CLIENT, relay(player.peer, confirm_path(self.INPUT_PATH)))
        yield from self.say(player, SERVER, relay(other.peer, confirm_path(self.INPUT_PATH)))

    def say(self, player, side, message):
        yield player.link.reliable(side, self.time, message)

    def other(self, player):
        return self.players[1 - player.link.client]

    def tick(self, player):
        other, link = self.other(player), player.link
        value = vector2(self.random.choice((-1, 0, 1)), 0) + self.random.choice((FALSE, TRUE))
        inputs = sync(self.ticks, [(BY_PATH | self.INPUT_PATH, value)])
        places = [vector2(self.random.random() * 480, self.random.random() * 480) for _ in self.PLAYERS]
        positions = [(net_id, place + FALSE + POINTS) for net_id, place in zip(self.PLAYERS, places)]
        yield link.unsequenced(CLIENT, self.time, inputs)
        yield link.unsequenced(CLIENT, self.time, relay(other.peer, inputs))
        yield other.link.unsequenced(SERVER, self.time, relay(player.peer, inputs))
        yield link.unsequenced(SERVER, self.time, sync(self.ticks, positions))
        if self.ticks % self.PING_TICKS == 0:
            yield link.ping(CLIENT, self.time)
            yield link.ping(SERVER, self.time)
        if self.ticks % self.BOMB_TICKS == 0:
            yield from self.bomb(player)

    def bomb(self, player):
        """One is spawned at this client; what the last one has hit is called, and it is gone."""
        if player is self.players[0]:
            self.bombs += 1
        net_id = 6 + self.bombs
        yield from self.say(player, SERVER, spawn(self.BOMBS_SPAWNER, net_id, f"Bomb{self.bombs}", player.peer))
        yield from self.say(player, SERVER, call(self.random.randint(4, 6), 2, vector2(1, 0)))
        if self.bombs > 1:
            yield from self.say(player, SERVER, despawn(net_id - 1))


# ---- a recorded session --------------------------------------------------------------------------

# {ENet's command: bytes before its data, where the data's length is}
SIZES = {1: (8, 0), 2: (48, 0), 3: (44, 0), 4: (8, 0), 5: (4, 0), 6: (6, 4), 7: (8, 6), 8: (24, 6), 9: (8, 6), 10: (12, 0), 11: (16, 0)}


class Field(NamedTuple):
    """A number of 16 bits that grows from packet to packet."""

    at: int
    key: tuple  # whose it is
    is_sent: bool  # False: the other side's, which is acknowledged


def recorded(path):
    """Packets of a capture of one connection. The one who sends first is the client."""
    session = frames.read_capture(path)
    client = session[0][frames.UDP_PAYLOAD_AT - 8 : frames.UDP_PAYLOAD_AT - 6]
    ports_at = frames.UDP_PAYLOAD_AT - 8
    return [Packet(0, frame[ports_at : ports_at + 2] == client, frames.udp_payload(frame)) for frame in session]


def fields(packet):
    """The numbers of a datagram that is neither compressed nor has a checksum."""
    side, payload = packet.from_client, packet.payload
    at = 2
    if payload[0] & SENT_TIME >> 8:
        yield Field(2, (side, "time"), True)
        at = 4
    while at < len(payload):
        kind, channel = payload[at] & 15, payload[at + 1]
        if kind == ACKNOWLEDGE:
            yield Field(at + 2, (not side, channel), False)
            yield Field(at + 4, (not side, channel), False)
            yield Field(at + 6, (not side, "time"), False)
        elif kind == UNSEQUENCED & 15:
            yield Field(at + 4, (side, "group"), True)
        else:
            yield Field(at + 2, (side, channel), True)
            if kind == UNRELIABLE:
                yield Field(at + 4, (side, channel, "unreliable"), True)
        size, length_at = SIZES[kind]
        at += size + (struct.unpack_from(">H", payload, at + length_at)[0] if length_at else 0)


def last_numbers(packets):
    """{key: the last number that was sent}; sequence numbers of retransmissions are lower than the last ones."""
    last = {}
    for packet in packets:
        for field in fields(packet):
            if field.is_sent:
                (number,) = struct.unpack_from(">H", packet.payload, field.at)
                last[field.key] = number if "time" in field.key else max(number, last.get(field.key, 0))
    return last


def continued(session, begin, end):
    """The packets before `end`; then those from `begin` to `end` again and again, with the numbers that follow."""
    yield from session[:end]
    before, after = last_numbers(session[:begin]), last_numbers(session[:end])
    steps = {key: number - before.get(key, 0) for key, number in after.items()}
    for key in steps:
        # They begin anew with each reliable message of their channel.
        if key[-1] == "unreliable" and steps[key[:2]]:
            steps[key] = 0
    for repetition in itertools.count(1):
        for packet in session[begin:end]:
            payload = bytearray(packet.payload)
            for field in fields(packet):
                (number,) = struct.unpack_from(">H", payload, field.at)
                struct.pack_into(">H", payload, field.at, number + repetition * steps[field.key] & 0xFFFF)
            yield packet._replace(payload=bytes(payload))


def netfox():
    """A recorded game with netfox 1.48: after its beginning, inputs and states are called for each tick."""
    return continued(recorded(frames.SOURCE / "tests/plugin/packs/netfox-1.48-variants.pcap.gz"), 100, 800)
