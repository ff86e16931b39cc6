# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Packets of protocols that Wireshark itself dissects: as many as those of a game, in their order and direction, and as
long. Each takes a list of packets of sessions.py. A packet that is shorter than the protocol's shortest one gets a little longer.
"""

import collections
import itertools
import random
import struct

DTLS_PORT, DNS_PORT, COAP_PORT, SCTP_PORT = 4433, 53, 5683, 9899

DTLS_HEADER = 13
SCTP_HEADER = 28  # with that of a DATA chunk
RTP_HEADER = 12
DNS_HEADER, DNS_QUESTION, DNS_ANSWER = 12, 4, 16  # a question without its name; an address of a name that was there before
LONGEST_LABEL, LONGEST_NAME = 20, 255


def dtls(packets):
    """Records of DTLS 1.2 with application data."""
    numbers = {}
    for packet in packets:
        size = max(1, len(packet.payload) - DTLS_HEADER)
        number = numbers[packet[:2]] = numbers.get(packet[:2], 0) + 1
        record = struct.pack(">BHHHIH", 23, 0xFEFD, 1, 0, number, size)
        yield packet._replace(payload=record + random.Random(number).randbytes(size))


def sctp_payload(size, number):
    """A packet with one DATA chunk, in UDP."""
    data = bytes(max(0, size - SCTP_HEADER))
    chunk = struct.pack(">BBHIHHI", 0, 3, 16 + len(data), number, 0, number & 0xFFFF, 0) + data
    return struct.pack(">HHII", 5000, 5001, 7, 0) + chunk + bytes(-len(chunk) % 4)


def sctp(packets):
    for number, packet in enumerate(packets):
        yield packet._replace(payload=sctp_payload(len(packet.payload), number))


def rtp(packets):
    """By Decode As: no call has set it up."""
    numbers = {}
    for packet in packets:
        number = numbers[packet[:2]] = numbers.get(packet[:2], 0) + 1
        source = 0x1000 + packet.client * 2 + packet.from_client
        header = struct.pack(">BBHII", 0x80, 0, number & 0xFFFF, number * 160, source)
        yield packet._replace(payload=header + bytes(max(0, len(packet.payload) - RTP_HEADER)))


def exchanges(packets):
    """A number for each packet: of a client's a new one, of the server's that of the client's first packet that has none yet."""
    waiting = {}
    for number, packet in enumerate(packets, 1):
        queue = waiting.setdefault(packet.client, collections.deque())
        if packet.from_client:
            queue.append(number)
        yield (number if packet.from_client or not queue else queue.popleft()) & 0xFFFF


def dns_name(size, number):
    """Of `size` bytes, but of one or of three in place of two: a label has a letter."""
    letters = itertools.cycle(f"host{number}.game".replace(".", "-").encode())
    name, left = b"", min(size, LONGEST_NAME) - 1
    while left:
        length = max(1, min(left - 1, LONGEST_LABEL))
        # The rest is no label or one of at least one letter.
        length -= left - 1 - length == 1
        name += bytes([length]) + bytes(itertools.islice(letters, length))
        left = max(0, left - 1 - length)
    return name + b"\0"


def dns(packets):
    """The client asks for an address, the server sends one."""
    for (number, packet), message in zip(enumerate(packets), exchanges(packets)):
        left = len(packet.payload) - DNS_HEADER - DNS_QUESTION
        if packet.from_client:
            counts, name, answer = (0x0100, 1, 0, 0, 0), dns_name(max(1, left), number), b""
        else:
            counts, name = (0x8180, 1, 1, 0, 0), dns_name(max(1, left - DNS_ANSWER), number)
            answer = struct.pack(">HHHIHI", 0xC000 | DNS_HEADER, 1, 1, 60, 4, 0x0A000000 + number)
        header = struct.pack(">HHHHHH", message, *counts)
        yield packet._replace(payload=header + name + struct.pack(">HH", 1, 1) + answer)


def coap(packets):
    """The client posts a text, the server acknowledges with another one."""
    for packet, message in zip(packets, exchanges(packets)):
        if packet.from_client:
            kind, code, options = 0, 0x02, b"\xb5state"  # confirmable, POST, Uri-Path
        else:
            kind, code, options = 2, 0x45, b"\xc0"  # acknowledgement, 2.05 Content, text
        header = struct.pack(">BBHH", 0x42 | kind << 4, code, message, message) + options
        left = len(packet.payload) - len(header) - 1
        yield packet._replace(payload=header + (b"\xff" + b"x" * left if left > 0 else b""))
