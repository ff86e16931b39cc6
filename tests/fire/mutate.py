# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Mutates the captures in pcaps/: UDP payloads change, the headers before them stay right.

    write(path, family, seed)     a capture of PACKETS mutated packets, the same for the same seed
    server_ports(family)          the ports that the family's captures are on

Every second capture comes from `editcap -E`, which changes bytes anywhere after the UDP header; the others
from here: lengths, counts and ids become numbers that are hard to be right about, and payloads are cut,
lengthened, repeated and joined. Of ENet's, some are compressed after that.
"""

import functools
import random
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import gamewire_tshark

PACKETS = 2000
LONGEST = 60_000
EDITCAP_CHANGES = 0.02  # of bytes, as in Wireshark's own fuzz tests
INTERESTING = (
    0,
    1,
    2,
    0x1F,
    0x7F,
    0x80,
    0xFF,
    0x100,
    0x7FFF,
    0x8000,
    0xFFFF,
    0x7FFFFFFF,
    0x80000000,
    0xFFFFFFFC,
    0xFFFFFFFE,
    0xFFFFFFFF,
)


# ---- captures ------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=None)
def datagrams(family):
    captures = sorted((gamewire_tshark.PCAPS / gamewire_tshark.FOLDERS[family]).glob("*.pcap"))
    return tuple(datagram for capture in captures for datagram in gamewire_tshark.read_pcap(capture))


@functools.lru_cache(maxsize=None)
def server_ports(family):
    """The ports of servers in the captures, except those of RakNet, whose contents are recognized."""
    captures = sorted((gamewire_tshark.PCAPS / gamewire_tshark.FOLDERS[family]).glob("*.pcap"))
    found = set()
    for capture in captures:
        if "raknet" not in capture.name:
            found |= {min(datagram.sport, datagram.dport) for datagram in gamewire_tshark.read_pcap(capture)}
    return frozenset(found)


# ---- changes -------------------------------------------------------------------------------------


def flip_bit(source, payload):
    at = source.randrange(len(payload))
    return payload[:at] + bytes([payload[at] ^ 1 << source.randrange(8)]) + payload[at + 1 :]


def set_byte(source, payload):
    at = source.randrange(len(payload))
    return payload[:at] + bytes([source.choice(INTERESTING) & 0xFF]) + payload[at + 1 :]


def set_number(source, payload):
    """A number in one of the widths and byte orders of the formats, at a possible position."""
    size = source.choice((2, 4, 4, 4, 8))
    at = source.randrange(len(payload))
    order = source.choice(("little", "big"))
    old = int.from_bytes(payload[at : at + size], order)
    new = source.choice((*INTERESTING, old + 1, old - 1, old * 2, len(payload) - at))
    return payload[:at] + (new % (1 << 8 * size)).to_bytes(size, order) + payload[at + size :]


def cut(source, payload):
    return payload[: source.randrange(len(payload))]


def lengthen(source, payload):
    return payload + source.randbytes(source.randint(1, 40))


def delete(source, payload):
    at = source.randrange(len(payload))
    return payload[:at] + payload[at + source.randint(1, 8) :]


def repeat(source, payload):
    """A repeated part: nesting, or many elements."""
    at = source.randrange(len(payload))
    part = payload[at : at + source.choice((1, 4, 5, 8, 12, 16))]
    times = source.choice((1, 2, 10, 200, LONGEST // len(part)))
    return (payload[:at] + part * times + payload[at:])[:LONGEST]


def join(source, payload, others):
    other = source.choice(others).payload or b"\0"
    return payload[: source.randrange(len(payload))] + other[source.randrange(len(other)) :]


CHANGES = (flip_bit, set_byte, set_number, set_number, set_number, cut, lengthen, delete, repeat)


def mutate(source, payload, others):
    for _ in range(source.choice((1, 1, 2, 3, 8))):
        payload = payload or b"\0"
        if source.random() < 0.1:
            payload = join(source, payload, others)
        else:
            payload = source.choice(CHANGES)(source, payload)
    return payload[:LONGEST]


# ---- inside compression --------------------------------------------------------------------------


def fastlz(data):
    """Level 1, only literals."""
    return b"".join(bytes([len(data[at : at + 32]) - 1]) + data[at : at + 32] for at in range(0, len(data), 32))


def compress(source, payload):
    """ENet's commands as compressed by its hosts: the mutation is inside a stream that can be decompressed."""
    head = 4 if payload[:1] >= b"\x80" else 2
    if len(payload) <= head or payload[0] & 0x40:
        return payload
    packed = source.choice((zlib.compress, fastlz))(payload[head:])
    return bytes([payload[0] | 0x40]) + payload[1:head] + packed


# ---- whole captures ------------------------------------------------------------------------------


def mutated(family, seed):
    source = random.Random(f"{family} {seed}")
    originals = datagrams(family)
    for n in range(PACKETS):
        original = originals[n % len(originals)]
        # Some are not mutated, because of the state that they create.
        payload = original.payload if source.random() < 0.2 else mutate(source, original.payload, originals)
        if family == "enet" and source.random() < 0.3:
            payload = compress(source, payload)
        options = {"captured": source.randrange(len(payload) + 1)} if source.random() < 0.05 else {}
        yield gamewire_tshark.Udp(original.sport, original.dport, payload, n / 100, options)


def write(path, family, seed):
    """Returns the number of packets."""
    if seed % 2:
        gamewire_tshark.write_pcap(path, mutated(family, seed))
    else:
        _write_with_editcap(path, family, seed)
    return PACKETS


def _write_with_editcap(path, family, seed):
    originals = datagrams(family)
    headers = gamewire_tshark.HEADERS[4]
    with tempfile.NamedTemporaryFile(suffix=".pcap") as seeds:
        gamewire_tshark.write_pcap(seeds.name, (originals[n % len(originals)] for n in range(PACKETS)))
        arguments = [
            "--seed",
            str(seed),
            "-E",
            str(EDITCAP_CHANGES),
            "-o",
            str(headers),
            seeds.name,
            str(path),
        ]
        subprocess.run(["editcap", "-F", "pcap", *arguments], check=True, capture_output=True)


if __name__ == "__main__":
    write(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
