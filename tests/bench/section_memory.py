# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""What tshark keeps of a long capture of ENet, and the time it takes: bytes and nanoseconds above those of the same
packets with ENet disabled. Both must be linear: each pattern is measured with ten times as many packets, too.
"""

import struct

import frames
from section_heuristic import NO_TREE
from table import Goal, Line

PACKETS = (100_000, 1_000_000)
MODES = {"one pass": [], "two passes": ["-2"]}
ENET = ["-d", f"udp.port=={frames.SERVER_PORT},enet", "-d", f"udp.port=={frames.CLIENT_PORT},enet"]
DISABLED = ["--disable-protocol", "enet"]

HANDSHAKE_BYTES = 1500
FRAGMENTS_OF_DATAGRAM = 32
MOST_FRAGMENTS = 1 << 20


# ---- datagrams -----------------------------------------------------------------------------------


def connect(connect_id):
    head = struct.pack(">HHBBHHBB", 0x8FFF, 0, 0x82, 0xFF, 1, 0, 0xFF, 0xFF)
    return head + struct.pack(">IIIIIIIIII", 1400, 65536, 2, 0, 0, 5000, 2, 2, connect_id, 0)


def verify(connect_id):
    head = struct.pack(">HHBBHHBBHHBB", 0x8000, 0, 0x01, 0xFF, 1, 0, 0x83, 0xFF, 1, 0, 0, 0)
    return head + struct.pack(">IIIIIIIII", 1400, 65536, 2, 0, 0, 5000, 2, 2, connect_id)


def acknowledge():
    return struct.pack(">HHBBHHH", 0x8000, 0, 0x01, 0xFF, 1, 1, 0)


def fragment(start, number, count):
    """Of one byte."""
    sequence = start + number & 0xFFFF
    return struct.pack(">BBHHHIIII", 0x88, 0, sequence, start & 0xFFFF, 1, count, number, count, number) + b"x"


def handshakes(count):
    """One conversation each."""
    for number in range(count // 3):
        yield number, False, connect(number)
        yield number, True, verify(number)
        yield number, False, acknowledge()


def connects(count):
    """Of one pair of addresses and ports."""
    for number in range(count):
        yield 0, False, connect(number)


def unfinished(count):
    """The first fragment of a message each, of a connection for each 20,000."""
    for number in range(count):
        yield number // 20_000, False, struct.pack(">HH", 0x8000, 0) + fragment(3 * (number % 20_000) + 1, 0, 3)


def large_messages(count):
    """32 fragments each, of messages that are as long as allowed; each has its connection."""
    for datagram in range(count):
        message, first = divmod(datagram * FRAGMENTS_OF_DATAGRAM, MOST_FRAGMENTS)
        total = min(MOST_FRAGMENTS, count * FRAGMENTS_OF_DATAGRAM - message * MOST_FRAGMENTS)
        numbers = range(first, first + FRAGMENTS_OF_DATAGRAM)
        yield message, False, struct.pack(">HH", 0x8000, 0) + b"".join(fragment(1, n, total) for n in numbers)


# name: packets, how many of them are a unit, the unit, packets for each measured packet, goal
PATTERNS = {
    "handshakes": (handshakes, 3, "conversation", 1, Goal("value", HANDSHAKE_BYTES)),
    "CONNECTs on one pair": (connects, 1, "CONNECT", 1, None),
    "unfinished messages": (unfinished, 1, "fragment", 1, None),
    "messages of 32 fragments a datagram": (large_messages, 1 / FRAGMENTS_OF_DATAGRAM, "fragment", 10, None),
}


# ---- measuring -----------------------------------------------------------------------------------


def write(path, packets):
    with open(path, "wb") as file:
        file.write(frames.FILE_HEADER)
        for number, (conversation, answer, payload) in enumerate(packets):
            host = struct.pack(">I", 0x0A010000 + conversation)
            ends = (host, frames.CLIENT_PORT), (bytes([10, 0, 0, 1]), frames.SERVER_PORT)
            (source, source_port), (target, target_port) = reversed(ends) if answer else ends
            length = 8 + len(payload)
            ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + length, 0, 0, 64, frames.IPPROTO_UDP, 0) + source + target
            udp = struct.pack(">HHHH", source_port, target_port, length, 0)
            file.write(frames.record(number, frames.ETHERNET + ip + udp + payload))


def command(path, mode, options):
    return ["tshark", "-n", *NO_TREE, *options, *MODES[mode], "-r", str(path)]


def measure(bench):
    return [line for name in bench.few(PATTERNS) for line in lines_of(bench, name)]


def lines_of(bench, name):
    make, size, unit, divisor, goal = PATTERNS[name]
    path = bench.machine.scratch / "memory.pcap"
    for count in PACKETS if bench.full else [bench.packets(PACKETS[0])]:
        count //= divisor
        write(path, make(count))
        for mode in bench.few(MODES):
            usages = bench.machine.interleaved(
                {"enet": (command(path, mode, ENET), None), "disabled": (command(path, mode, DISABLED), None)}, 1
            )
            with_enet, without = usages["enet"][0], usages["disabled"][0]
            kept = (with_enet.resident - without.resident) * size / count
            time = (with_enet.seconds - without.seconds) * 1e9 * size / count
            yield Line(f"{name}, {count:,} packets, {mode}", f"bytes per {unit}", [kept], goal, notes=f"{time:.0f} ns")
    path.unlink()
