# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""What tshark keeps of a long capture of ENet, and the time it takes: bytes and nanoseconds above those of the same
packets with ENet disabled, of packets that no game sends so. Both must be linear: each pattern is measured with ten
times as many packets, too. What games keep is in section_capture.py.
"""

import struct

import frames
import sessions
from section_heuristic import NO_TREE
from table import Line

PACKETS = (100_000, 1_000_000)
MODES = {"one pass": [], "two passes": ["-2"]}
ENET = ["-d", f"udp.port=={frames.SERVER_PORT},enet", "-d", f"udp.port=={frames.CLIENT_PORT},enet"]
DISABLED = ["--disable-protocol", "enet"]

FRAGMENTS_OF_DATAGRAM = 32
MOST_FRAGMENTS = 1 << 20


# ---- datagrams -----------------------------------------------------------------------------------


def fragment(start, number, count):
    """Of one byte."""
    sequence = start + number & 0xFFFF
    return struct.pack(">BBHHHIIII", 0x88, 0, sequence, start & 0xFFFF, 1, count, number, count, number) + b"x"


def connects(count):
    """Of one pair of addresses and ports."""
    for number in range(count):
        yield 0, sessions.header(sessions.NO_PEER, 0) + sessions.connect(number)


def unfinished(count):
    """The first fragment of a message each, of a connection for each 20,000."""
    for number in range(count):
        yield number // 20_000, struct.pack(">HH", 0x8000, 0) + fragment(3 * (number % 20_000) + 1, 0, 3)


def large_messages(count):
    """32 fragments each, of messages that are as long as allowed; each has its connection."""
    for datagram in range(count):
        message, first = divmod(datagram * FRAGMENTS_OF_DATAGRAM, MOST_FRAGMENTS)
        total = min(MOST_FRAGMENTS, count * FRAGMENTS_OF_DATAGRAM - message * MOST_FRAGMENTS)
        numbers = range(first, first + FRAGMENTS_OF_DATAGRAM)
        yield message, struct.pack(">HH", 0x8000, 0) + b"".join(fragment(1, n, total) for n in numbers)


# name: packets (the number of the conversation, payload), how many of them are a unit, the unit, packets for each
# measured packet
PATTERNS = {
    "CONNECTs on one pair": (connects, 1, "CONNECT", 1),
    "unfinished messages": (unfinished, 1, "fragment", 1),
    "messages of 32 fragments a datagram": (large_messages, 1 / FRAGMENTS_OF_DATAGRAM, "fragment", 10),
}


# ---- measuring -----------------------------------------------------------------------------------


def write(path, packets):
    with open(path, "wb") as file:
        file.write(frames.FILE_HEADER)
        for number, (conversation, payload) in enumerate(packets):
            host = struct.pack(">I", 0x0A010000 + conversation)
            file.write(frames.record(number, frames.udp_frame(payload, (host, frames.CLIENT_PORT))))


def command(path, mode, options):
    return ["tshark", "-n", *NO_TREE, *options, *MODES[mode], "-r", str(path)]


def measure(bench):
    return [line for name in bench.few(PATTERNS) for line in lines_of(bench, name)]


def lines_of(bench, name):
    make, size, unit, divisor = PATTERNS[name]
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
            yield Line(f"{name}, {count:,} packets, {mode}", f"bytes per {unit}", [kept], notes=f"{time:.0f} ns")
    path.unlink()
