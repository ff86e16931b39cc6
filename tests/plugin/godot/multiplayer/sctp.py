# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Packets of SCTP (RFC 9260), as WebRTC's data channels have them.

    packet(ports, tag, *chunks)     with its checksum, or another (0 with RFC 9653)
    init(tag)                       a chunk that begins an association; its packet has the tag 0
    i_data(stream, payload, number) as data(), in the chunk of RFC 8260
    data(stream, payload, number)   a chunk: a message, or with `flags` a fragment; payload protocol identifier BINARY.
                                    `sequence`, by default the number, is the same for the fragments of a message
"""

import struct

TUNNEL = 9899  # the UDP port on which Wireshark expects SCTP

DCEP, TEXT, BINARY = 50, 51, 53
WHOLE, FIRST, MIDDLE, LAST = 3, 2, 0, 1


def _crc_of(crc):
    for _ in range(8):
        crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc


CRCS = [_crc_of(byte) for byte in range(256)]


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ CRCS[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def data(stream, payload, number, ppid=BINARY, flags=WHOLE, sequence=None):
    sequence = number if sequence is None else sequence
    head = struct.pack(">BBHIHHI", 0, flags, 16 + len(payload), 1000 + number, stream, sequence & 0xFFFF, ppid)
    return head + payload + bytes(-len(payload) % 4)


def i_data(stream, payload, number, ppid=BINARY, flags=WHOLE, message=None, fragment=0):
    message = number if message is None else message
    last = fragment if not flags & FIRST else ppid  # fragments after the first have their number there
    head = struct.pack(">BBHIHHII", 0x40, flags, 20 + len(payload), 1000 + number, stream, 0, message, last)
    return head + payload + bytes(-len(payload) % 4)


def init(tag):
    return struct.pack(">BBHIIHHI", 1, 0, 20, tag, 131072, 1024, 1024, 1000)


def packet(ports, tag, *chunks, checksum=None):
    head = struct.pack(">HHI", *ports, tag)
    body = b"".join(chunks)
    checksum = crc32c(head + bytes(4) + body) if checksum is None else checksum
    return head + struct.pack("<I", checksum) + body
