# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a person waits for: opening whole captures, with and without the plugin, and what a capture keeps in memory.

Nothing names a dissector here: packets are found by the heuristics, as they are in Wireshark's window.
"""

import os
import struct
from typing import NamedTuple, Optional

import documents
import frames
from measure import median
from section_codec import SOURCE
from table import Goal, Line

QUICK_BYTES = 12_000_000
FULL_BYTES = 500_000_000
LEAST_BYTES = 100_000

MODES = {
    "one pass": ("-q", "-z", "io,stat,0"),
    "two passes": ("-2", "-q", "-z", "io,stat,0"),
}
FIELDS = ("-T", "fields", "-e")

# Maximum bytes of memory that one more packet may keep, in an endless conversation and in a separate one.
KEPT_PER_PACKET = {"Godot": 8, "Squirrel": 64, "Leviathan": 256, "ENet": 128}
KEPT_PER_CONVERSATION = 1500
# Of the time without the plugin.
OPENED = 0.7
LEAST_MEMORY_PACKETS = (100, 1_000)
MEMORY_PACKETS = (1_000, 10_000, 100_000)
FULL_MEMORY_PACKETS = (*MEMORY_PACKETS, 1_000_000)
MANY_CONVERSATIONS = 20_000
FULL_MANY_CONVERSATIONS = 100_000


class Traffic(NamedTuple):
    """A family, and the payloads of its packets."""

    name: str
    session: Optional[str]  # a capture below pcaps/, repeated many times; None: documents of 20 nodes
    leaf: str
    port: int  # of the server: the same packets are read as data by Decode As


TRAFFICS = (
    Traffic("Godot", None, "godot.float", frames.SERVER_PORT),
    Traffic("Leviathan", "leviathan/session.pcap", "leviathan.message.number", 53221),
    Traffic("Squirrel", "squirrel/session.pcap", "squirrel.string", 8192),
    Traffic("ENet", "enet/lossy-client.pcap", "enet.sequence", 40501),
)
CBOR = Traffic("CBOR", None, "cbor.type.float64", frames.SERVER_PORT)


def measure(bench):
    wanted = FULL_BYTES if bench.full else LEAST_BYTES if bench.least else QUICK_BYTES
    if bench.megabytes:
        wanted = bench.megabytes * 1_000_000
    lines = []
    for traffic in bench.few(TRAFFICS):
        if traffic.session and not (SOURCE / "pcaps" / traffic.session).exists():
            continue
        opened = Opened(bench, traffic, wanted)
        lines += opened.lines()
        os.unlink(opened.path)
        lines += memory_lines(bench, traffic)
    return lines


# ---- opening -------------------------------------------------------------------------------------


class Opened:
    """One large capture, in every mode, by tshark with the plugin, without it, and with the packets as data."""

    def __init__(self, bench, traffic, wanted):
        self.bench, self.traffic = bench, traffic
        self.path = bench.machine.scratch / f"{traffic.name}-whole.pcap"
        self.packets = write_traffic(self.path, traffic, wanted)
        self.megabytes = self.path.stat().st_size / 1e6
        self.no_plugin = {"WIRESHARK_PLUGIN_DIR": str(bench.machine.folder("no-plugins"))}
        self.rounds = 1 if wanted > QUICK_BYTES else bench.rounds

    def lines(self):
        leaf = {"-T fields": (*FIELDS, self.traffic.leaf)}
        lines = [line for mode, options in {**self.bench.few(MODES), **leaf}.items() for line in self.mode_lines(mode, options)]
        if self.traffic.name == "Godot":
            lines.append(self.cbor_line())
        return lines

    def command(self, options, *more):
        return ["tshark", "-n", *options, *more, "-r", str(self.path)]

    def mode_lines(self, mode, options):
        plain = ["frame.number" if option == self.traffic.leaf else option for option in options]
        as_data = self.command(plain, "-d", f"udp.port=={self.traffic.port},data")
        used = self.bench.machine.interleaved(
            {
                "ours": (self.command(options), None),
                "without": (self.command(plain), self.no_plugin),
                "data": (as_data, None),
            },
            self.rounds,
        )
        ours, without, data = ([usage.seconds for usage in used[name]] for name in ("ours", "without", "data"))
        what = f"{self.traffic.name}, {self.megabytes:.0f} MB, {mode}"
        lines = [
            Line(
                what,
                "s",
                ours,
                Goal("ratio", OPENED) if mode in MODES else None,
                "without the plugin",
                without,
                self.rate(ours),
            )
        ]
        if mode == "one pass":
            shares = [1 - other / mine for mine, other in zip(ours, data)]
            lines.append(Line(f"{what}: our share of the time", "", shares))
        return lines

    def rate(self, seconds):
        each = median(seconds)
        return f"{self.packets / each:.0f} packets/s, {self.megabytes / each:.0f} MB/s"

    def cbor_line(self):
        """The same documents in another format, by Wireshark's own dissector."""
        path = self.bench.machine.scratch / "cbor-whole.pcap"
        write_traffic(path, CBOR, int(self.megabytes * 1e6))
        ours = self.command(MODES["one pass"])
        peer = ["tshark", "-n", *MODES["one pass"], "-d", f"udp.port=={CBOR.port},cbor", "-r", str(path)]
        used = self.bench.machine.interleaved({"ours": (ours, None), "cbor": (peer, None)}, self.rounds)
        seconds = {name: [usage.seconds for usage in usages] for name, usages in used.items()}
        os.unlink(path)
        return Line("Godot, one pass, beside CBOR", "s", seconds["ours"], None, "CBOR", seconds["cbor"])


def write_traffic(path, traffic, wanted):
    """Packets of about `wanted` bytes; returns their number."""
    if traffic.session:
        session = frames.read_capture(SOURCE / "pcaps" / traffic.session)
        size = sum(len(frame) + frames.RECORD_HEADER_SIZE for frame in session)
        copies = max(1, wanted // size)
        frames.write_sessions(path, session, copies)
        return copies * len(session)
    some = documents.payloads("godot" if traffic.name == "Godot" else "cbor", "20", documents.DIFFERENT["20"])
    some = list(some)
    size = sum(len(payload) + 42 + frames.RECORD_HEADER_SIZE for payload in some) / len(some)
    count = max(1, int(wanted / size))
    frames.write_capture(path, (some[number % len(some)] for number in range(count)))
    return count


# ---- memory --------------------------------------------------------------------------------------


def memory_lines(bench, traffic):
    counts = FULL_MEMORY_PACKETS if bench.full else LEAST_MEMORY_PACKETS if bench.least else MEMORY_PACKETS
    path = bench.machine.scratch / "memory.pcap"
    write_one_conversation(path, traffic, counts[-1])
    kept = [kept_between(bench, path, traffic, first, last) for first, last in zip(counts, counts[1:])]
    lines = [
        Line(
            f"{traffic.name}, memory kept per packet, {first} to {last} of one conversation",
            "bytes",
            [value],
            Goal("value", KEPT_PER_PACKET[traffic.name]),
        )
        for first, last, value in zip(counts, counts[1:], kept)
    ]
    many = FULL_MANY_CONVERSATIONS if bench.full else bench.packets(MANY_CONVERSATIONS)
    write_many_conversations(path, traffic, many)
    value = kept_between(bench, path, traffic, many // 2, many)
    what = f"{traffic.name}, memory kept per packet, {many} conversations"
    return [*lines, Line(what, "bytes", [value], Goal("value", KEPT_PER_CONVERSATION))]


def one_payload(traffic):
    if traffic.session:
        session = frames.read_capture(SOURCE / "pcaps" / traffic.session)
        return [frames.udp_payload(frame) for frame in session]
    return list(documents.payloads("godot", "20", documents.DIFFERENT["20"]))


def write_one_conversation(path, traffic, packets):
    payloads = one_payload(traffic)
    frames.write_capture(path, (payloads[number % len(payloads)] for number in range(packets)))


def write_many_conversations(path, traffic, conversations):
    payload = max(one_payload(traffic), key=len)
    frame = frames.udp_frame(payload)
    with open(path, "wb") as file:
        file.write(frames.FILE_HEADER)
        for number in range(conversations):
            address = struct.pack(">I", 0x0A000001 + number)
            at = frames.IP_ADDRESSES_AT
            file.write(frames.record(number, frame[:at] + address + frame[at + 4 :]))


def kept_between(bench, path, traffic, first, last):
    """Bytes added by each packet from `first` to `last`, above the same packets without the plugin's dissector."""

    def resident(count, *options):
        command = ["tshark", "-n", *MODES["one pass"], *options, "-r", str(path), "-c", str(count)]
        return bench.machine.usage(command).resident

    off = ("--disable-protocol", traffic.name.lower())
    return (resident(last) - resident(first) - resident(last, *off) + resident(first, *off)) / (last - first)
