# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Packets of SCTP (RFC 9260), as WebRTC's data channels have them.

    packet(ports, tag, *chunks)     with its checksum
    data(stream, payload, number)   a chunk: a message, or with `flags` a fragment; payload protocol identifier BINARY.
                                    `sequence`, by default the number, is the same for the fragments of a message
"""

import struct

TUNNEL = 9899  # the UDP port on which Wireshark expects SCTP

DCEP, TEXT, BINARY = 50, 51, 53
WHOLE, FIRST, MIDDLE, LAST = 3, 2, 0, 1


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def data(stream, payload, number, ppid=BINARY, flags=WHOLE, sequence=None):
    sequence = number if sequence is None else sequence
    head = struct.pack(">BBHIHHI", 0, flags, 16 + len(payload), 1000 + number, stream, sequence & 0xFFFF, ppid)
    return head + payload + bytes(-len(payload) % 4)


def packet(ports, tag, *chunks):
    head = struct.pack(">HHI", *ports, tag)
    body = b"".join(chunks)
    return head + struct.pack("<I", crc32c(head + bytes(4) + body)) + body
