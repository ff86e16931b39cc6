# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes messages of Godot's multiplayer as a recording that Wireshark opens (plugin/docs/recording.md)."""

import struct
import time


def block(kind, body):
    body += b"\0" * (-len(body) % 4)
    return struct.pack("<II", kind, 12 + len(body)) + body + struct.pack("<I", 12 + len(body))


def begin():
    return block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)) + block(1, struct.pack("<HHI", 252, 0, 0))


def message(sender, receiver, data, received=False, mode=2, channel=0, connection=0):
    """A block for one message; mode 0 is unreliable, 1 unreliable ordered, 2 reliable."""
    hosts = [bytes.fromhex("20010db8") + bytes(8) + struct.pack(">I", peer) for peer in (sender, receiver)]
    tags = [(12, b"godot_mp.exported\0\0\0"), (22, hosts[0]), (23, hosts[1]), (24, b"\0\0\0\3"), (25, b"\0\0\0\1"), (26, b"\0\0\0\1"), (0, b"")]
    packet = b"".join(struct.pack(">HH", tag, len(value)) + value for tag, value in tags)
    packet += struct.pack("<BBBBHBBIii", 2, 20, 0, 4, int(received), mode, channel, connection, sender, receiver) + data
    now = time.time_ns() // 1000
    return block(6, struct.pack("<IIIII", 0, now >> 32, now & 0xFFFFFFFF, len(packet), len(packet)) + packet)
