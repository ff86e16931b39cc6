# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Datagrams of ENet for tests: of peer 1, and all at the same time unless a test sets another."""

import struct
import zlib


def datagram(commands, header=0x8001, sent_time=0x1234):
    return struct.pack(">HH", header, sent_time) + commands if header & 0x8000 else struct.pack(">H", header) + commands


def reliable(sequence, payload=b"abc", channel=0, first=0x86):
    return struct.pack(">BBHH", first, channel, sequence, len(payload)) + payload


def unreliable(sequence, number, payload=b"abc", channel=0, first=0x07):
    return struct.pack(">BBHHH", first, channel, sequence, number, len(payload)) + payload


def ack(sequence, sent_time=0x1234, channel=0):
    return struct.pack(">BBHHH", 0x01, channel, sequence, sequence, sent_time)


def ping(sequence, channel=0xFF):
    return struct.pack(">BBH", 0x85, channel, sequence)


def unsequenced(group, sequence=0):
    return struct.pack(">BBHHH", 0x49, 0, sequence, group, 0)


def fragment(count=3, number=1, total=10, offset=4, data=b"abcd", sequence=8):
    return struct.pack(">BBHHHIIII", 0x88, 0, sequence, 7, len(data), count, number, total, offset) + data


def connect(peer=0, sessions=(0xFF, 0xFF), mtu=1400, window=65536, channels=3, connect_id=0x010B5747, header=0x8FFF):
    command = struct.pack(">BBHHBB", 0x82, 0xFF, 1, peer, *sessions)
    return datagram(command + struct.pack(">IIIIIIIIII", mtu, window, channels, 0, 0, 5000, 2, 2, connect_id, 7), header)


def verify(peer=1, sessions=(0, 0), channels=3, connect_id=0x010B5747, header=0x8000, sequence=1):
    """The server's answer: the client must put `peer` and the second session into its headers."""
    command = struct.pack(">BBHHBB", 0x83, 0xFF, sequence, peer, *sessions)
    return datagram(command + struct.pack(">IIIIIIIII", 1400, 65536, channels, 0, 0, 5000, 2, 2, connect_id), header)


def checksummed(sound, connect_id, wrong=0):
    """With the CRC-32 of libenet after the sent time; `wrong` is added to it."""
    checksum = zlib.crc32(sound[:4] + struct.pack(">I", connect_id) + sound[4:]) ^ wrong
    return sound[:4] + struct.pack(">I", checksum) + sound[4:]
