# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""RakNet 4 as VC:MP 0.4 uses it: open connection, reliable ordered messages, split messages, ACK and NAK.

    datagram    flags u8, number u24 LE, messages
    message     reliability << 5 | split << 4, length in bits u16 BE, [reliable number u24 LE],
                [ordering index u24 LE, channel u8], [split count u32 BE, id u16 BE, index u32 BE], payload
    payload     of a script: message id u8, length u32 BE, frame
"""

import struct

from frames import CLIENT, sender
from wire import CLIENT_PORTS, SERVER_PORT

MAGIC = bytes.fromhex("00ffff00fefefefefdfdfdfd12345678")
PROTOCOL_VERSION = 6
MTU = 1492
PIECE = 1430                                # payload of a message that still fits one datagram
INTERNAL_ADDRESSES = 10

UNRELIABLE, RELIABLE, RELIABLE_ORDERED = 0, 2, 3
DATA, DATA_CONTINUED, ACK, NAK = 0x84, 0x8C, 0xC0, 0xA0
CONNECTED_PING, CONNECTED_PONG = 0x00, 0x03
CONNECTION_REQUEST, CONNECTION_ACCEPTED, NEW_CONNECTION, DISCONNECTED = 0x09, 0x10, 0x13, 0x15

SERVER_GUID = bytes.fromhex("5365727665722d31")
CLIENT_GUID = bytes.fromhex("436c69656e742d31")
PASSWORD = b"gamewire"                      # not empty: Wireshark 4.0 calls a request without one malformed

# The message ids of a script, to the client and to the server, by VC:MP release.
SCRIPT_IDS = {"0.4.7.1": (0x6E, 0x3E), "0.4.6": (0xCF, 0xBD)}


def u24(number):
    return number.to_bytes(3, "little")


def address(port, host=(127, 0, 0, 1)):
    """RakNet inverts the bits of an IPv4 address, against routers that rewrite it."""
    return b"\x04" + bytes(255 - part for part in host) + struct.pack(">H", port)


def milliseconds(time):
    return struct.pack(">Q", time)


class Half:
    """The counters of one direction."""

    def __init__(self):
        self.datagram = self.reliable = self.ordering = self.split = 0

    def take(self, counter):
        number = getattr(self, counter)
        setattr(self, counter, number + 1)
        return number

    def message(self, payload, reliability, ordering=None, pieces=None):
        """A message with its header; `pieces` is (count, id, index) of a split one."""
        flags = reliability << 5 | (0x10 if pieces else 0)
        out = bytes([flags]) + struct.pack(">H", len(payload) * 8)
        if reliability != UNRELIABLE:
            out += u24(self.take("reliable"))
        if reliability == RELIABLE_ORDERED:
            out += u24(self.take("ordering") if ordering is None else ordering) + b"\x00"
        if pieces:
            out += struct.pack(">IHI", *pieces)
        return out + payload

    def split_message(self, payload):
        """The pieces of a message that is too long for a datagram: one ordering index, one split id."""
        parts = [payload[at:at + PIECE] for at in range(0, len(payload), PIECE)]
        ordering, split = self.take("ordering"), self.take("split")
        return [self.message(part, RELIABLE_ORDERED, ordering, (len(parts), split, index))
                for index, part in enumerate(parts)]


class Connection:
    """A client and the server, which write their datagrams into a scene."""

    def __init__(self, scene, client=1, version="0.4.7.1"):
        self.scene = scene
        self.client = client
        self.down, self.up = Half(), Half()
        self.down_id, self.up_id = SCRIPT_IDS[version]

    def offline(self, data, label, upward):
        info = {"label": label, "raknet": {"kind": "offline"}}
        self.scene.raw(data, info, client=self.client, upward=upward)

    def datagram(self, messages, info, upward, flags=DATA, sent=True):
        """One numbered datagram; with sent=False only its bytes, as if the network had dropped it."""
        number = (self.up if upward else self.down).take("datagram")
        info = {"label": info["label"], "raknet": {"kind": "data", "datagram": number}, **info}
        data = bytes([flags]) + u24(number) + b"".join(messages)
        if sent:
            self.scene.raw(data, info, client=self.client, upward=upward)
        return number

    def acknowledge(self, first, last, upward, flags=ACK):
        """The receiver's response: one range of datagram numbers; `upward` is the direction."""
        record = b"\x01" + u24(first) if first == last else b"\x00" + u24(first) + u24(last)
        kind = "ack" if flags == ACK else "nak"
        span = str(first) if first == last else f"{first}..{last}"
        info = {"label": f"{kind.upper()} of {span}", "raknet": {"kind": kind, "first": first, "last": last}}
        self.scene.raw(bytes([flags]) + struct.pack(">H", 1) + record, info,
                       client=self.client, upward=upward)

    def system(self, payload, label, upward, reliability):
        half = self.up if upward else self.down
        number = self.datagram([half.message(payload, reliability)], {"label": label}, upward)
        if reliability != UNRELIABLE:
            self.acknowledge(number, number, not upward)

    def open(self):
        port = CLIENT_PORTS[self.client]
        size = struct.pack(">H", MTU)
        padding = bytes(MTU - 28 - 1 - len(MAGIC) - 1)
        self.offline(b"\x05" + MAGIC + bytes([PROTOCOL_VERSION]) + padding, "open connection request 1", True)
        self.offline(b"\x06" + MAGIC + SERVER_GUID + b"\x00" + size, "open connection reply 1", False)
        self.offline(b"\x07" + MAGIC + address(SERVER_PORT) + size + CLIENT_GUID,
                     "open connection request 2", True)
        self.offline(b"\x08" + MAGIC + SERVER_GUID + address(port) + size + b"\x00",
                     "open connection reply 2", False)
        self.connect(port)

    def connect(self, port):
        internal = address(port) + address(0, (0, 0, 0, 0)) * (INTERNAL_ADDRESSES - 1)
        times = milliseconds(1000) + milliseconds(1003)
        self.system(bytes([CONNECTION_REQUEST]) + CLIENT_GUID + milliseconds(1000) + b"\x00" + PASSWORD,
                    "connection request", True, RELIABLE)
        self.system(bytes([CONNECTION_ACCEPTED]) + address(port) + b"\x00\x00" + internal + times,
                    "connection request accepted", False, RELIABLE_ORDERED)
        self.system(bytes([NEW_CONNECTION]) + address(SERVER_PORT) + internal + times,
                    "new incoming connection", True, RELIABLE_ORDERED)

    def ping(self):
        self.system(bytes([CONNECTED_PING]) + milliseconds(1500), "connected ping", True, UNRELIABLE)
        self.system(bytes([CONNECTED_PONG]) + milliseconds(1500) + milliseconds(1502),
                    "connected pong", False, UNRELIABLE)

    def close(self):
        self.system(bytes([DISCONNECTED]), "disconnection notification", True, RELIABLE_ORDERED)

    def script(self, data, upward, stated=None, message_id=None):
        """The user message around a frame; `stated` and `message_id` for wrong values."""
        known = self.up_id if upward else self.down_id
        length = len(data) if stated is None else stated
        return bytes([known if message_id is None else message_id]) + struct.pack(">I", length) + data

    def say(self, message, label, **more):
        """A frame in its direction."""
        upward = sender(message) == CLIENT
        self.user_message(self.script(message.data, upward), {"label": label, **message.info, **more}, upward)

    def user_message(self, payload, info, upward):
        """A message, split by RakNet where it must be, and its ACK."""
        half = self.up if upward else self.down
        if len(payload) > PIECE:
            first, last = self.say_pieces(half.split_message(payload), info, upward)
        else:
            first = last = self.datagram([half.message(payload, RELIABLE_ORDERED)], info, upward)
        self.acknowledge(first, last, not upward)

    def say_pieces(self, messages, info, upward):
        """The pieces of one message; its contents are recorded with the last, which completes it."""
        numbers = []
        for index, message in enumerate(messages):
            complete = index == len(messages) - 1
            piece = {"fragment": index, "fragments": len(messages)}
            said = {**info, **piece} if complete else {"label": info["label"], **piece}
            numbers.append(self.datagram([message], said, upward, DATA_CONTINUED))
        return numbers[0], numbers[-1]

    def say_together(self, messages, label):
        """Several frames of one direction in one datagram."""
        upward = sender(messages[0]) == CLIENT
        half = self.up if upward else self.down
        parts = [half.message(self.script(message.data, upward), RELIABLE_ORDERED) for message in messages]
        info = {"label": label, "frames": [message.info for message in messages]}
        number = self.datagram(parts, info, upward)
        self.acknowledge(number, number, not upward)

    def say_after_loss(self, message, label):
        """The first datagram is lost; the receiver misses its number and gets the message in another."""
        upward = sender(message) == CLIENT
        half = self.up if upward else self.down
        part = half.message(self.script(message.data, upward), RELIABLE_ORDERED)
        lost = self.datagram([part], {"label": label}, upward, sent=False)
        self.acknowledge(lost, lost, not upward, NAK)
        again = self.datagram([part], {"label": label, **message.info}, upward)
        self.acknowledge(again, again, not upward)
