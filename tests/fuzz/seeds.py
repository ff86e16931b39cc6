#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes a seed corpus: each UDP payload of some captures as a file of its own, named after its content.

    seeds.py FOLDER CAPTURE...

Needs no packet library: captures are classic pcap, Ethernet, Linux cooked or BSD loopback, IPv4 or IPv6. Of a recording (.pcapng,
plugin/docs/recording.md), what follows the tags of each packet.
"""

import hashlib
import struct
import sys
from pathlib import Path

UDP = 17
LINK_HEADERS = {0: 4, 1: 14, 101: 0, 108: 4, 113: 16, 276: 20}


def packets(capture):
    """The link type, then each packet's bytes."""
    data = capture.read_bytes()
    order = {b"\xd4\xc3\xb2\xa1": "<", b"\xa1\xb2\xc3\xd4": ">"}.get(data[:4])
    if order is None:
        sys.exit(f"{capture}: not a pcap file")
    yield struct.unpack_from(order + "I", data, 20)[0]
    at = 24
    while at < len(data):
        captured = struct.unpack_from(order + "I", data, at + 8)[0]
        yield data[at + 16:at + 16 + captured]
        at += 16 + captured


def payload(packet, link_header):
    """The bytes after the UDP header; None when there is none."""
    ip = packet[link_header:]
    version = ip[0] >> 4 if ip else 0
    if version == 4 and ip[9] == UDP:
        udp = ip[(ip[0] & 15) * 4:]
    elif version == 6 and ip[6] == UDP:
        udp = ip[40:]
    else:
        return None
    length = struct.unpack_from(">H", udp, 4)[0]
    return udp[8:length]


def recorded(capture):
    """What follows the tags of each packet of a recording: a header with a message, or names."""
    data, at = capture.read_bytes(), 0
    while at < len(data):
        kind, size = struct.unpack_from("<II", data, at)
        if kind == 6:
            captured, = struct.unpack_from("<I", data, at + 20)
            packet, number = data[at + 28:at + 28 + captured], None
            while number != 0:
                number, length = struct.unpack_from(">HH", packet)
                packet = packet[4 + length:]
            yield packet
        at += size


def payloads(capture):
    if capture.suffix == ".pcapng":
        yield from recorded(capture)
        return
    packet = packets(capture)
    link_header = LINK_HEADERS[next(packet)]
    for each in packet:
        seed = payload(each, link_header)
        if seed is not None:
            yield seed


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for capture in sys.argv[2:]:
        for seed in payloads(Path(capture)):
            (folder / hashlib.sha1(seed).hexdigest()).write_bytes(seed)


main()
